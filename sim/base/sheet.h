/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheet.h - CSV files that models and the replay are given: strict, with a header line, bounded.
 *
 * Cells are text; what they mean is known where they are used. Each row keeps its line, for messages.
 */
#ifndef SL_SHEET_H
#define SL_SHEET_H

#include "sim/base/base.h"

/* Bounds of what is read. */
enum {
	SHEET_COLUMNS_MAX = 1000,
	SHEET_ROWS_MAX = 1 << 22,
	SHEET_CELLS_MAX = 1 << 24,
	SHEET_ROW_BYTES = 1 << 20
};

/* Reads all of it; what is read lives in the arena. */
int sheet_read(
	const struct sl_sheet **sheet, struct sl_input *in, struct sl_arena *arena, struct sl_err *err);

#endif

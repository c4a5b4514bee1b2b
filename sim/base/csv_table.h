/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv_table.h - CSV files of models and of the replay: strict, with a header line, bounded.
 *
 * Cells are text; what they mean is known where they are used. Each row keeps its line, for messages.
 */
#ifndef SL_CSV_H
#define SL_CSV_H

#include "sim/base/base.h"

/* Bounds of what is read. */
enum { CSV_COLUMNS_MAX = 1000, CSV_ROWS_MAX = 1 << 22, CSV_CELLS_MAX = 1 << 24, CSV_ROW_BYTES = 1 << 20 };

/* Reads all of it; what is read lives in the arena. */
int csv_read(
	const struct sl_csv_table **csv, struct sl_input *in, struct sl_arena *arena, struct sl_err *err);

#endif

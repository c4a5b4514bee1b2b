/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally.h - what policies and models report as a run is over, from the inside.
 *
 * Names are copied and reported once; columns and cells are lent for the run. The run's end makes one, calls
 * each model's `report` with it, and lends what was reported to the result.
 */
#ifndef SL_TALLY_H
#define SL_TALLY_H

#include "sim/base/names.h"

/* Bounds of what a run reports. */
enum { TALLY_METRICS_MAX = 1 << 20, TALLY_COLUMNS_MAX = 256, TALLY_TABLES_MAX = 256, TALLY_NAME_MAX = 200 };

struct sl_tally {
	struct sl_arena *arena; /* Of the run. */
	const char
		*model; /* The model or policy that reports, for messages; set by the caller of `report`. */
	bool policy;    /* It is the policy's. */
	struct names metrics, columns, tables; /* Reported so far, in this order: */
	int64_t *metric;
	const int64_t **column;
	struct sl_report_table *table;
	size_t metric_capacity, column_capacity, table_capacity;
};

void tally_init(struct sl_tally *tally, struct sl_arena *arena);
/* What was reported becomes the result's, in the arena. */
int tally_lend(const struct sl_tally *tally, struct sl_result *result, struct sl_err *err);
void tally_release(struct sl_tally *tally);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.h - the flat table of metrics: names to numbers in millionths, in the order they were put.
 */
#ifndef SL_TABLE_H
#define SL_TABLE_H

#include "sim/base/base.h"

struct sl_metrics {
	struct metric_row {
		const char *name;
		int64_t micro;
	} * row;
	size_t count, capacity;
	struct sl_arena *arena; /* Names live here. */
	bool failed;            /* Memory ran out: the table is short, and its user must fail. */
	bool plain;             /* Skip the names with labels ("wait.mean{user=3}"): for summaries. */
	/* What is computed: sl_metric_list, or what begins with it. Rows from `own` on are not of that. */
	const struct sl_metric *const *list;
	size_t own;
};

void metrics_init(struct sl_metrics *metrics, struct sl_arena *arena);
void metrics_release(struct sl_metrics *metrics);
/* The value, or NULL. */
const int64_t *metrics_get(const struct sl_metrics *metrics, const char *name);
/* Runs every metric of its list over a result. */
int metrics_compute(struct sl_metrics *metrics, const struct sl_result *result, struct sl_err *err);

#endif

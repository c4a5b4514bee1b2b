/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.h - the flat table of metrics: names to numbers in millionths, in the order they were put.
 */
#ifndef SL_TABLE_H
#define SL_TABLE_H

#include "sim/registry/registry.h"

struct sl_metrics {
	struct metric_row {
		const char *name;
		int64_t micro;
	} * row;
	size_t count, capacity;
	struct sl_arena *arena; /* Names live here. */
	bool failed;            /* Memory ran out: the table is short, and its user must fail. */
	bool plain;             /* Skip the names with labels ("wait.mean{user=3}"): for summaries. */
	const struct registry *registry; /* The result whose metrics are computed. */
	size_t own;                      /* Rows from here on are of plug-ins. */
};

/* registry: NULL where nothing is computed. */
void metrics_init(struct sl_metrics *metrics, struct sl_arena *arena, const struct registry *registry);
void metrics_release(struct sl_metrics *metrics);
/* The value, or NULL. */
const int64_t *metrics_get(const struct sl_metrics *metrics, const char *name);
/* Runs every metric of the registry over a result. */
int metrics_compute(struct sl_metrics *metrics, const struct sl_result *result, struct sl_err *err);

#endif

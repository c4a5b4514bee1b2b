/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - the flat table of metrics: names to numbers in millionths, in the order they were put.
 *
 * A name is put once. The order is that of sl_metric_list, and within a metric its own: no sorting, so
 * that two runs of like inputs have their lines at the same places.
 */
#include "sim/table.h"

#include <stdlib.h>
#include <string.h>

/* Five labelled numbers for each user of the largest logs, many times over. */
static const size_t rows_max = (size_t)1 << 28;

void metrics_init(struct sl_metrics *metrics, struct sl_arena *arena)
{
	*metrics = (struct sl_metrics){ .arena = arena };
}

void metrics_release(struct sl_metrics *metrics)
{
	free(metrics->row);
	*metrics = (struct sl_metrics){ .arena = metrics->arena };
}

void sl_metric_put(struct sl_metrics *metrics, const char *name, int64_t value_micro)
{
	const size_t len = strlen(name);
	if (metrics->failed || (metrics->plain && memchr(name, '{', len)))
		return;
	void *rows = metrics->row;
	struct sl_err unused = { 0 }; /* metrics_compute says it once, for all names. */
	const char *copy = sl_strdup(metrics->arena, name, len);
	if (!copy || grow(&rows, &metrics->capacity, sizeof(*metrics->row), metrics->count + 1, rows_max,
			     &unused)) {
		metrics->failed = true;
		return;
	}
	metrics->row = rows;
	metrics->row[metrics->count++] = (struct metric_row){ .name = copy, .micro = value_micro };
}

const int64_t *metrics_get(const struct sl_metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->row[i].name, name) == 0)
			return &metrics->row[i].micro;
	return NULL;
}

int metrics_compute(struct sl_metrics *metrics, const struct sl_result *result, struct sl_err *err)
{
	for (size_t i = 0; sl_metric_list[i]; i++) {
		const int status = sl_metric_list[i]->compute(result, metrics, err);
		if (status)
			return status;
	}
	return metrics->failed ? sl_fail_memory(err) : SL_OK;
}

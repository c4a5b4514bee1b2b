/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - the flat table of metrics: names to numbers in millionths, in the order they were put.
 *
 * A name is put once. The order is that of the list of metrics, and within a metric its own: no sorting, so
 * that two runs of like inputs have their lines at the same places.
 */
#include "sim/result/table.h"

#include <stdlib.h>
#include <string.h>

/* Five labelled numbers for each user of the largest logs, many times over. */
static const size_t rows_max = (size_t)1 << 28;

void metrics_init(struct sl_metrics *metrics, struct sl_arena *arena, const struct registry *registry)
{
	*metrics = (struct sl_metrics){ .arena = arena, .registry = registry };
}

void metrics_release(struct sl_metrics *metrics)
{
	free(metrics->row);
	*metrics = (struct sl_metrics){ .arena = metrics->arena, .registry = metrics->registry };
}

void sl_metric_put(struct sl_metrics *metrics, const char *name, int64_t value_micro)
{
	const size_t len = strlen(name);
	if (metrics->failed || (metrics->plain && memchr(name, '{', len)))
		return;
	struct sl_err unused = { 0 }; /* metrics_compute says it once, for all names. */
	const char *copy = sl_strdup(metrics->arena, name, len);
	if (!copy || SL_GROW_MOST(metrics->row, metrics->capacity, metrics->count + 1, rows_max, &unused)) {
		metrics->failed = true;
		return;
	}
	metrics->row[metrics->count++] = (struct metric_row){ .name = copy, .micro = value_micro };
}

const int64_t *metrics_get(const struct sl_metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->row[i].name, name) == 0)
			return &metrics->row[i].micro;
	return NULL;
}

/* Ours put a name once. A plug-in's may not have looked. */
static int table_check_names(const struct sl_metrics *metrics, struct sl_err *err)
{
	for (size_t i = metrics->own; i < metrics->count; i++) {
		const char *name = metrics->row[i].name;
		if (!strchr(name, '{') && metrics_get(metrics, name) != &metrics->row[i].micro)
			return sl_fail(err, SL_USAGE,
				"metric '%s' of a plug-in is there already: give it another name", name);
	}
	return SL_OK;
}

int metrics_compute(struct sl_metrics *metrics, const struct sl_result *result, struct sl_err *err)
{
	const struct sl_metric *const *metric = metrics->registry->known.metrics;
	for (; *metric; metric++) {
		const int status = (*metric)->compute(result, metrics, err);
		if (status)
			return status;
		if (!registry_owner(metrics->registry, *metric))
			metrics->own = metrics->count;
	}
	for (size_t i = 0; i < result->reported_metric_count; i++) {
		const struct sl_named *reported = &result->reported_metric[i];
		if (metrics_get(metrics, reported->name))
			return sl_fail(err, SL_USAGE,
				"a model tells a metric '%s', which is there already: give it another name",
				reported->name);
		sl_metric_put(metrics, reported->name, reported->micro);
	}
	if (metrics->failed)
		return sl_fail_memory(err);
	return table_check_names(metrics, err);
}

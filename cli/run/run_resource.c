/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_resource.c - utilization and lost capacity of several runs are of one resource: the first run's
 * scarcest.
 *
 * A run's own are of the one that is scarcest in it, which another cluster may not share. Metrics of each
 * resource replace these; metrics of the scarcest alone are left out.
 */
#include <string.h>

#include "cli/run/document_run.h"

const char *resource_scarcest(const struct sl_metrics *metrics)
{
	static const char *const kind[] = { "cpus", "gpus", "memory" };
	const char *found = kind[0];
	int64_t most = -1;
	for (size_t i = 0; i < SL_LEN(kind); i++) {
		char name[40];
		(void)snprintf(name, sizeof(name), "utilization.%s", kind[i]);
		const int64_t *value = metrics_get(metrics, name);
		if (!value || *value <= most)
			continue;
		most = *value;
		found = kind[i];
	}
	return found;
}

const char *resource_word(const char *resource) { return strcmp(resource, "gpus") == 0 ? "GPUs" : resource; }

static void row_remove(struct sl_metrics *metrics, size_t i)
{
	memmove(&metrics->row[i], &metrics->row[i + 1], (metrics->count - i - 1) * sizeof(*metrics->row));
	metrics->count--;
	metrics->own -= i < metrics->own;
}

static void metric_remove(struct sl_metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->row[i].name, name) == 0) {
			row_remove(metrics, i);
			return;
		}
}

void resource_alone(struct sl_metrics *metrics)
{
	metric_remove(metrics, "utilization.steady");
	metric_remove(metrics, "loss_of_capacity.wanted");
}

bool resource_take(struct sl_metrics *metrics, const char *resource)
{
	static const char *const names[] = { "utilization", "loss_of_capacity" };
	const bool other = strcmp(resource_scarcest(metrics), resource) != 0;
	for (size_t k = 0; k < SL_LEN(names); k++) {
		char name[60];
		(void)snprintf(name, sizeof(name), "%s.%s", names[k], resource);
		const int64_t *value = metrics_get(metrics, name);
		for (size_t i = 0; value && i < metrics->count; i++)
			if (strcmp(metrics->row[i].name, names[k]) == 0)
				metrics->row[i].micro = *value;
		/* Of one resource there is no loss by name: it is of that one. */
		if (!value && other)
			metric_remove(metrics, names[k]);
	}
	if (other)
		resource_alone(metrics);
	return other;
}

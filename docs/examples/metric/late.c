/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * late.c - a metric as a plug-in: who waited longer than he had asked to run.
 *
 * A metric sees a run that is over, and puts numbers under names; these stand in metrics.json, in tables and
 * in comparisons as built-in ones do. docs/add-a-part.md goes through this file.
 */
#include <schedlab/plugin.h>

#include <stdio.h>

/* All numbers are whole millionths, so that they are the same on every machine. */
enum { MILLION = 1000000 };

static bool is_late(const struct sl_result *result, uint32_t job)
{
	const struct sl_jobs *jobs = result->jobs;
	return result->start[job] != SL_NONE && result->start[job] - jobs->submit[job] > jobs->limit[job];
}

/* A label after a name makes one number of many: "late.share{partition=gpu}". */
static void put_partition(const struct sl_result *result, struct sl_metrics *metrics, uint32_t partition)
{
	const struct sl_jobs *jobs = result->jobs;
	int64_t started = 0, late = 0;
	char name[200];
	for (uint32_t job = 0; job < jobs->count; job++) {
		if (jobs->partition[job] != (int32_t)partition || result->start[job] == SL_NONE)
			continue;
		started++;
		late += is_late(result, job);
	}
	(void)snprintf(name, sizeof(name), "late.share{partition=%.100s}", jobs->partition_name[partition]);
	if (started)
		sl_metric_put(metrics, name, sl_mul_div(late, MILLION, started));
}

static int compute(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	int64_t started = 0, late = 0;
	(void)err; /* Nothing can fail here. */
	for (uint32_t job = 0; job < jobs->count; job++) {
		started += result->start[job] != SL_NONE;
		late += is_late(result, job);
	}
	sl_metric_put(metrics, "late.jobs", late * MILLION);
	if (started) /* What has no value is left out: there is no "not a number". */
		sl_metric_put(metrics, "late.share", sl_mul_div(late, MILLION, started));
	for (uint32_t i = 0; jobs->partition_name && i < jobs->partition_count; i++)
		put_partition(result, metrics, i);
	return SL_OK;
}

static const struct sl_metric late = {
	.abi = SL_ABI_OF(struct sl_metric),
	.name = "late",
	.summary = "late.jobs: jobs that waited longer than their limit; late.share: of those that started, "
		   "also by partition",
	.compute = compute,
};

static const struct sl_metric *const metrics_own[] = { &late, NULL };

SL_API extern const struct sl_plugin sl_plugin;
const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "late",
	.metrics = metrics_own,
};

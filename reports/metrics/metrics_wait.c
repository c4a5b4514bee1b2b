/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_wait.c - how many jobs there were, how long they waited and how long they took.
 *
 * A job that never started has no wait, and one without an end has no turnaround.
 */
#include "reports/metrics/metrics.h"

static void put_jobs(const struct sl_result *result, struct sl_metrics *metrics)
{
	uint64_t completed = 0;
	const uint32_t first = metrics_first(result);
	for (uint32_t row = first; row < result->jobs->count; row++)
		completed += result->state[row] == SL_COMPLETED;
	metrics_put(metrics, "jobs.total", result->jobs->count - first, 1, METRICS_MICRO);
	metrics_put(metrics, "jobs.completed", completed, 1, METRICS_MICRO);
}

/* What became of those that did not run to their end, where there are any. */
static void put_others(const struct sl_result *result, struct sl_metrics *metrics)
{
	enum { NEVER_STARTED, CUT, LOST, UNFINISHED, KINDS };
	static const char *const name[KINDS] = { "jobs.never_started", "jobs.cut", "jobs.lost",
		"jobs.unfinished" };
	uint64_t count[KINDS] = { 0 };
	for (uint32_t row = metrics_first(result); row < result->jobs->count; row++) {
		const enum sl_state state = (enum sl_state)result->state[row];
		if (!metrics_started(result, row))
			count[NEVER_STARTED]++;
		else if (!metrics_ran(result, row))
			count[UNFINISHED]++;
		else if (state != SL_COMPLETED)
			count[state == SL_TIMEOUT ? CUT : LOST]++;
	}
	const uint64_t refused =
		result->refused < count[NEVER_STARTED] ? result->refused : count[NEVER_STARTED];
	count[NEVER_STARTED] -= refused;
	if (refused)
		metrics_put(metrics, "jobs.refused", refused, 1, METRICS_MICRO);
	for (size_t i = 0; i < KINDS; i++)
		if (count[i])
			metrics_put(metrics, name[i], count[i], 1, METRICS_MICRO);
}

static void put_waits(
	const struct sl_result *result, struct sl_metrics *metrics, struct metrics_values *values)
{
	static const struct metrics_quantile quantile[] = {
		{ "wait.p50", 50 },
		{ "wait.p90", 90 },
		{ "wait.p95", 95 },
		{ "wait.p99", 99 },
		{ "wait.max", 100 },
	};
	metrics_wide sum = 0;
	for (uint32_t row = metrics_first(result); row < result->jobs->count; row++) {
		if (!metrics_started(result, row))
			continue;
		const sl_time wait = metrics_wait(result, row);
		sum += (uint64_t)wait;
		metrics_values_add(values, wait);
	}
	metrics_put(metrics, "wait.mean", sum, values->least_count + values->count, 1);
	metrics_put_quantiles(metrics, values, quantile, SL_LEN(quantile), 1);
}

static void put_turnarounds(
	const struct sl_result *result, struct sl_metrics *metrics, struct metrics_values *values)
{
	static const struct metrics_quantile p95 = { "turnaround.p95", 95 };
	metrics_wide sum = 0;
	for (uint32_t row = metrics_first(result); row < result->jobs->count; row++) {
		if (!metrics_ran(result, row))
			continue;
		const sl_time turnaround = result->end[row] - result->jobs->submit[row];
		sum += (uint64_t)turnaround;
		metrics_values_add(values, turnaround);
	}
	metrics_put(metrics, "turnaround.mean", sum, values->least_count + values->count, 1);
	metrics_put_quantiles(metrics, values, &p95, 1, 1);
}

/* All seconds pending, of the jobs that started: those before the first start, and those of jobs put back. */
static void put_wait_totals(const struct sl_result *result, struct sl_metrics *metrics)
{
	metrics_wide sum = 0;
	uint64_t count = 0;
	const bool several = result->attempt_count > 0;
	for (uint32_t row = 0; row < result->jobs->count; row++) {
		if (!metrics_started(result, row))
			continue;
		sum += (uint64_t)(several ? sl_wait_total_of(result, row) : metrics_wait(result, row));
		count++;
	}
	metrics_put(metrics, "wait_total.mean", sum, count, 1);
}

static int metrics_wait_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	struct metrics_values values;
	const int status = metrics_values_make(&values, result->jobs->count, 0, err);
	if (status)
		return status;
	put_jobs(result, metrics);
	put_others(result, metrics);
	put_waits(result, metrics, &values);
	put_wait_totals(result, metrics);
	values.count = values.least_count = 0;
	put_turnarounds(result, metrics, &values);
	metrics_values_release(&values);
	return SL_OK;
}

const struct sl_metric metrics_of_wait = { SL_ABI_OF(struct sl_metric), "wait",
	"jobs.total, jobs.completed: jobs; where there are any, jobs.refused: at submission, as nothing could ever "
	"hold them; jobs.never_started: the others that did not start; jobs.unfinished: that started, and were not "
	"over when the run was; jobs.cut: by their time limit; jobs.lost: that ended in another way than COMPLETED; wait.mean, .p50, .p90, .p95, .p99, .max: start - submit, seconds, of "
	"the jobs that started; wait_total.mean: the same with the waits of jobs that were put back; "
	"turnaround.mean, .p95: end - submit, seconds, of those that ended",
	"Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong 1997: Theory and practice in parallel job scheduling",
	metrics_wait_compute };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_wait.c - how many jobs there were, how long they waited and how long they took.
 *
 * A job that never started has no wait, and one without an end has no turnaround.
 */
#include "reports/metrics/metrics.h"

/* Jobs by what became of them, and sums over them. */
enum { NEVER_STARTED, CUT, LOST, UNFINISHED, KINDS };
struct waits {
	uint64_t completed, started, ran, others[KINDS];
	metrics_wide wait, wait_total, turnaround;
};

static void put_jobs(
	const struct sl_result *result, struct sl_metrics *metrics, const struct waits *waits, uint32_t first)
{
	static const char *const name[KINDS] = { "jobs.never_started", "jobs.cut", "jobs.lost",
		"jobs.unfinished" };
	metrics_put(metrics, "jobs.total", result->jobs->count - first, 1, METRICS_MICRO);
	metrics_put(metrics, "jobs.completed", waits->completed, 1, METRICS_MICRO);
	/* What became of those that did not run to their end, where there are any. */
	const uint64_t never = waits->others[NEVER_STARTED];
	const uint64_t refused = result->refused < never ? result->refused : never;
	if (refused)
		metrics_put(metrics, "jobs.refused", refused, 1, METRICS_MICRO);
	for (size_t i = 0; i < KINDS; i++) {
		const uint64_t count = waits->others[i] - (i == NEVER_STARTED ? refused : 0);
		if (count)
			metrics_put(metrics, name[i], count, 1, METRICS_MICRO);
	}
}

/* One walk over the jobs from `first` on; their waits are in values. */
static void walk(
	const struct sl_result *result, uint32_t first, struct waits *waits, struct metrics_values *values)
{
	const sl_time *submit = result->jobs->submit;
	for (uint32_t row = first; row < result->jobs->count; row++) {
		const enum sl_state state = (enum sl_state)result->state[row];
		const sl_time start = result->start[row];
		const sl_time end = result->end[row];
		waits->completed += state == SL_COMPLETED;
		if (start == SL_NONE) {
			waits->others[NEVER_STARTED]++;
			continue;
		}
		waits->wait += (uint64_t)(start - submit[row]);
		metrics_values_add(values, start - submit[row]);
		waits->started++;
		if (end == SL_NONE) {
			waits->others[UNFINISHED]++;
			continue;
		}
		waits->turnaround += (uint64_t)(end - submit[row]);
		waits->ran++;
		if (state != SL_COMPLETED)
			waits->others[state == SL_TIMEOUT ? CUT : LOST]++;
	}
}

/* All seconds pending, of the jobs that started: those before the first start, and those of jobs put back. Of
 * rows [from, until). */
static uint64_t add_wait_totals(
	const struct sl_result *result, uint32_t from, uint32_t until, metrics_wide *sum)
{
	uint64_t count = 0;
	for (uint32_t row = from; row < until; row++) {
		if (!metrics_started(result, row))
			continue;
		*sum += (uint64_t)(result->attempt_count ? sl_wait_total_of(result, row)
							 : metrics_wait(result, row));
		count++;
	}
	return count;
}

/* Where no job was put back, that of the jobs from `first` on is their wait. */
static void put_wait_totals(
	const struct sl_result *result, struct sl_metrics *metrics, const struct waits *waits, uint32_t first)
{
	const bool several = result->attempt_count > 0;
	metrics_wide sum = several ? 0 : waits->wait;
	uint64_t count = several ? 0 : waits->started;
	count += add_wait_totals(result, 0, several ? result->jobs->count : first, &sum);
	metrics_put(metrics, "wait_total.mean", sum, count, 1);
}

static void take_turnarounds(const struct sl_result *result, uint32_t first, struct metrics_values *values)
{
	values->count = values->least_count = 0;
	for (uint32_t row = first; row < result->jobs->count; row++)
		if (metrics_ran(result, row))
			metrics_values_add(values, result->end[row] - result->jobs->submit[row]);
}

static int metrics_wait_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	static const struct metrics_quantile quantile[] = {
		{ "wait.p50", 50 },
		{ "wait.p90", 90 },
		{ "wait.p95", 95 },
		{ "wait.p99", 99 },
		{ "wait.max", 100 },
	};
	static const struct metrics_quantile p95 = { "turnaround.p95", 95 };
	const uint32_t first = metrics_first(result);
	struct metrics_values values;
	struct waits waits = { 0 };
	int status = metrics_values_make(&values, result->jobs->count, 0, err);
	if (status)
		return status;
	walk(result, first, &waits, &values);
	put_jobs(result, metrics, &waits, first);
	metrics_put(metrics, "wait.mean", waits.wait, waits.started, 1);
	status = metrics_put_quantiles(metrics, &values, quantile, SL_LEN(quantile), 1, err);
	put_wait_totals(result, metrics, &waits, first);
	metrics_put(metrics, "turnaround.mean", waits.turnaround, waits.ran, 1);
	take_turnarounds(result, first, &values);
	if (!status)
		status = metrics_put_quantiles(metrics, &values, &p95, 1, 1, err);
	metrics_values_release(&values);
	return status;
}

const struct sl_metric metrics_of_wait = { SL_ABI_OF(struct sl_metric), "wait",
	"jobs.total, jobs.completed: jobs; where there are any, jobs.refused: at submission, as nothing could ever "
	"hold them; jobs.never_started: the others that did not start; jobs.unfinished: that started, and were not "
	"over when the run was; jobs.cut: by their time limit; jobs.lost: that ended in another way than COMPLETED; wait.mean, .p50, .p90, .p95, .p99, .max: start - submit, seconds, of "
	"the jobs that started; wait_total.mean: the same with the waits of jobs that were put back; "
	"turnaround.mean, .p95: end - submit, seconds, of those that ended",
	"Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong 1997: Theory and practice in parallel job scheduling",
	metrics_wait_compute };

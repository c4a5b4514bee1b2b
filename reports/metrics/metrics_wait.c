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
	uint64_t total, completed, started, ran, others[KINDS];
	metrics_wide wait, wait_total, turnaround;
};

/* Those that an allocator refused ended as they came; among jobs that are all counted, they are all. */
static uint64_t refused_in(
	const struct sl_result *result, const struct metrics_span *span, const struct waits *waits)
{
	uint64_t refused = span->cut ? 0 : result->refused;
	for (uint32_t row = span->first; span->cut && result->refused && row < span->until; row++)
		refused += result->start[row] == SL_NONE && result->end[row] == result->jobs->submit[row] &&
			   metrics_sieved(span, result, row);
	const uint64_t never = waits->others[NEVER_STARTED];
	return refused < never ? refused : never;
}

static void put_jobs(const struct sl_result *result, struct sl_metrics *metrics, const struct waits *waits,
	const struct metrics_span *span)
{
	static const char *const name[KINDS] = { "jobs.never_started", "jobs.cut", "jobs.lost",
		"jobs.unfinished" };
	metrics_put(metrics, "jobs.total", waits->total, 1, METRICS_MICRO);
	metrics_put(metrics, "jobs.completed", waits->completed, 1, METRICS_MICRO);
	/* What became of those that did not run to their end, where there are any. */
	const uint64_t refused = refused_in(result, span, waits);
	if (refused)
		metrics_put(metrics, "jobs.refused", refused, 1, METRICS_MICRO);
	for (size_t i = 0; i < KINDS; i++) {
		const uint64_t count = waits->others[i] - (i == NEVER_STARTED ? refused : 0);
		if (count)
			metrics_put(metrics, name[i], count, 1, METRICS_MICRO);
	}
	const uint64_t all = result->jobs->count - metrics_first(result);
	if (span->cut)
		metrics_put(metrics, "jobs.left_out", all - waits->total, 1, METRICS_MICRO);
}

/* One walk over the jobs that count; their waits are in values. */
static void walk(const struct sl_result *result, const struct metrics_span *span, struct waits *waits,
	struct metrics_values *values)
{
	const sl_time *submit = result->jobs->submit;
	for (uint32_t row = span->first; row < span->until; row++) {
		if (!metrics_sieved(span, result, row))
			continue;
		waits->total++;
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
static uint64_t add_wait_totals(const struct sl_result *result, const struct metrics_span *span,
	uint32_t from, uint32_t until, metrics_wide *sum)
{
	uint64_t count = 0;
	for (uint32_t row = from; row < until; row++) {
		if (!metrics_started(result, row) || !metrics_sieved(span, result, row))
			continue;
		*sum += (uint64_t)(result->attempt_count ? sl_wait_total_of(result, row)
							 : metrics_wait(result, row));
		count++;
	}
	return count;
}

/* Where no job was put back, that of the jobs that count is their wait. Jobs that were there before the
 * replay count here too, where no end is cut. */
static void put_wait_totals(const struct sl_result *result, struct sl_metrics *metrics,
	const struct waits *waits, const struct metrics_span *span)
{
	const bool several = result->attempt_count > 0;
	metrics_wide sum = several ? 0 : waits->wait;
	uint64_t count = several ? 0 : waits->started;
	if (!span->cut)
		count += add_wait_totals(result, span, 0, several ? result->jobs->count : span->first, &sum);
	else if (several)
		count += add_wait_totals(result, span, span->first, span->until, &sum);
	metrics_put(metrics, "wait_total.mean", sum, count, 1);
}

static void take_turnarounds(
	const struct sl_result *result, const struct metrics_span *span, struct metrics_values *values)
{
	values->count = values->least_count = 0;
	for (uint32_t row = span->first; row < span->until; row++)
		if (metrics_ran(result, row) && metrics_sieved(span, result, row))
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
	const struct metrics_span span = metrics_span_of(result);
	struct metrics_values values;
	struct waits waits = { 0 };
	int status = metrics_values_make(&values, result->jobs->count, 0, err);
	if (status)
		return status;
	walk(result, &span, &waits, &values);
	put_jobs(result, metrics, &waits, &span);
	metrics_put(metrics, "wait.mean", waits.wait, waits.started, 1);
	status = metrics_put_quantiles(metrics, &values, quantile, SL_LEN(quantile), 1, err);
	put_wait_totals(result, metrics, &waits, &span);
	metrics_put(metrics, "turnaround.mean", waits.turnaround, waits.ran, 1);
	take_turnarounds(result, &span, &values);
	if (!status)
		status = metrics_put_quantiles(metrics, &values, &p95, 1, 1, err);
	metrics_values_release(&values);
	return status;
}

const struct sl_metric metrics_of_wait = { SL_ABI_OF(struct sl_metric), "wait",
	"jobs.total, jobs.completed: jobs; where there are any, jobs.refused: at submission, as nothing could ever "
	"hold them; jobs.never_started: the others that did not start; jobs.unfinished: that started, and were not "
	"over when the run was; jobs.cut: by their time limit; jobs.lost: that ended in another way than COMPLETED; jobs.left_out, with replay.warmup or replay.cooldown: as these metrics are "
	"of the jobs between them; wait.mean, .p50, .p90, .p95, .p99, .max: start - submit, seconds, of "
	"the jobs that started; wait_total.mean: the same with the waits of jobs that were put back; "
	"turnaround.mean, .p95: end - submit, seconds, of those that ended",
	"Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong 1997: Theory and practice in parallel job scheduling",
	metrics_wait_compute };

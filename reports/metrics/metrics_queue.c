/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_queue.c - how many jobs waited, and how much work.
 *
 * The time integral of what waits is the sum over jobs of how long each waited, so no series of the run is
 * needed. The queue is longest just after a submission: for each that waited, the row is found at whose
 * submission it had left.
 */
#include "reports/metrics/metrics.h"

#include <stdlib.h>

/* Rows by time of submission: where the rows of each of some equal intervals of time begin. */
struct calendar {
	const sl_time *submit;
	uint32_t rows;
	sl_time from;
	unsigned shift;  /* An interval has 2^shift microseconds. */
	uint64_t last;   /* The last one's number. */
	uint32_t *begin; /* By interval, and one more: the first row in it or behind it. */
};

enum { ROWS_AN_INTERVAL = 8 };

static int calendar_make(struct calendar *calendar, const struct sl_jobs *jobs, struct sl_err *err)
{
	const uint32_t rows = jobs->count;
	*calendar = (struct calendar){ .submit = jobs->submit, .rows = rows };
	calendar->from = rows ? jobs->submit[0] : 0;
	const uint64_t range = rows ? (uint64_t)(jobs->submit[rows - 1] - calendar->from) : 0;
	while (range >> calendar->shift > rows / ROWS_AN_INTERVAL)
		calendar->shift++;
	calendar->last = range >> calendar->shift;
	calendar->begin = malloc((calendar->last + 2) * sizeof(*calendar->begin));
	if (!calendar->begin)
		return sl_fail_memory(err);
	uint64_t next = 0;
	for (uint32_t row = 0; row < rows; row++)
		for (; next <= (uint64_t)(jobs->submit[row] - calendar->from) >> calendar->shift; next++)
			calendar->begin[next] = row;
	for (; next <= calendar->last + 1; next++)
		calendar->begin[next] = rows;
	return SL_OK;
}

/* The first row submitted at `until` or later; until is behind the first submission. */
static uint32_t row_at(const struct calendar *calendar, sl_time until)
{
	const uint64_t interval = (uint64_t)(until - calendar->from) >> calendar->shift;
	if (interval > calendar->last)
		return calendar->rows;
	const sl_time *low = &calendar->submit[calendar->begin[interval]];
	uint32_t length = calendar->begin[interval + 1] - calendar->begin[interval];
	while (length) { /* The rows before low are submitted before, those from low + length on are not. */
		const uint32_t half = length / 2;
		const bool before = low[half] < until;
		low += before ? half + 1 : 0;
		length = before ? length - half - 1 : half;
	}
	return (uint32_t)(low - calendar->submit);
}

/* What waited before the time that counts, waits from there on. */
static sl_time waited_from(const struct sl_result *result, uint32_t row)
{
	const sl_time submit = result->jobs->submit[row];
	return submit > result->first ? submit : result->first;
}

static sl_time waited_until(const struct sl_result *result, uint32_t row)
{
	if (metrics_started(result, row))
		return result->start[row];
	return result->end[row] != SL_NONE ? result->end[row] : result->last;
}

struct queue {
	metrics_wide jobs, work; /* Microseconds waited; the same times limit and cpus, in parts. */
	uint64_t most;
};

static void add_wait(struct queue *queue, const struct sl_result *result, uint32_t row, sl_time wait)
{
	queue->jobs += (uint64_t)wait;
	queue->work += (metrics_wide)wait * (metrics_wide)result->jobs->limit[row] *
		       (metrics_wide)metrics_cpus(result, row);
}

/* left[row]: how many left the queue between the submission before and this one. */
static void measure(
	struct queue *queue, const struct sl_result *result, const struct calendar *calendar, uint32_t *left)
{
	const struct sl_jobs *jobs = result->jobs;
	for (uint32_t row = 0; row < jobs->count; row++) {
		const sl_time until = waited_until(result, row);
		const sl_time wait = until - waited_from(result, row);
		if (wait <= 0)
			continue;
		add_wait(queue, result, row, wait);
		if (metrics_started(result, row) || result->end[row] != SL_NONE)
			left[row_at(calendar, until)]++;
	}
	uint64_t waiting = 0;
	for (uint32_t row = 0; row < jobs->count; row++) {
		waiting -= left[row];
		waiting += waited_until(result, row) > waited_from(result, row);
		if (waiting > queue->most)
			queue->most = waiting;
	}
}

/* ---- With jobs that were put back, or submitted in another order: the queue grows at other times too  */

/* A job comes or goes. */
struct change {
	sl_time at;
	int by;
};

static int metrics_queue_by_time(const void *a, const void *b)
{
	const struct change *x = a;
	const struct change *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->by > y->by) - (x->by < y->by); /* Those who go, first; equal ones are alike. */
}

static uint64_t most_of(struct change *change, size_t count)
{
	uint64_t waiting = 0;
	uint64_t most = 0;
	qsort(change, count, sizeof(*change), metrics_queue_by_time);
	for (size_t i = 0; i < count; i++) {
		waiting = change[i].by > 0 ? waiting + 1 : waiting - 1;
		most = waiting > most ? waiting : most;
	}
	return most;
}

static int measure_ranges(struct queue *queue, const struct sl_result *result, struct sl_err *err)
{
	const uint32_t rows = result->jobs->count;
	struct change *change = malloc(2 * ((size_t)rows + result->attempt_count + 1) * sizeof(*change));
	size_t count = 0;
	if (!change)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < rows; row++) {
		sl_time from;
		sl_time until;
		for (size_t i = 0; sl_wait_interval(result, row, i, &from, &until); i++) {
			if (from < result->first)
				from = result->first; /* As waited_from. */
			if (until <= from)
				continue;
			add_wait(queue, result, row, until - from);
			change[count++] = (struct change){ from, 1 };
			change[count++] = (struct change){ until, -1 };
		}
	}
	queue->most = most_of(change, count);
	free(change);
	return SL_OK;
}

static int metrics_queue_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	struct queue queue = { 0 };
	if (result->attempt_count || result->moved) {
		const int status = measure_ranges(&queue, result, err);
		if (status)
			return status;
	} else {
		struct calendar calendar;
		const int status = calendar_make(&calendar, result->jobs, err);
		if (status)
			return status;
		uint32_t *left = calloc((size_t)result->jobs->count + 1, sizeof(*left));
		if (left)
			measure(&queue, result, &calendar, left);
		free(calendar.begin);
		free(left);
		if (!left)
			return sl_fail_memory(err);
	}
	const metrics_wide range =
		result->last > result->first ? (metrics_wide)(result->last - result->first) : 0;
	metrics_put(metrics, "queue.mean", queue.jobs, range, METRICS_MICRO);
	metrics_put(metrics, "queue.max", queue.most, 1, METRICS_MICRO);
	const metrics_wide parts = (metrics_wide)metrics_cpu_parts(result);
	metrics_put(metrics, "backlog.mean", queue.work, range * parts, 1);
	return SL_OK;
}

const struct sl_metric metrics_of_queue = { SL_ABI_OF(struct sl_metric), "queue",
	"queue.mean: jobs waiting, mean over the time from first submit to last end; queue.max: most jobs that "
	"waited at once; backlog.mean: cpu-seconds asked for (limit * cpus) by the waiting jobs, mean over the "
	"same time",
	"Frachtenberg, Feitelson 2005: Pitfalls in parallel job scheduling evaluation",
	metrics_queue_compute };

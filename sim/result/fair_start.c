/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fair_start.c - fair start times in the order of arrival, one after the other, from the columns of a run.
 */
#include "sim/result/fair_start.h"

#include <stdlib.h>

/* So many jobs in queues are gone through at the most, over all arrivals that are looked at. */
static const uint64_t fair_steps_max = (uint64_t)1 << 30;

bool fair_start_is_of(const struct sl_result *result)
{
	return !result->cpus_held && !result->jobs->request && !result->attempt_count && !result->suspended &&
	       result->cpus > 0;
}

/* Since when it could have been started: its submission, or when what deferred it was over. */
static sl_time arrival_of(const struct sl_result *result, uint32_t row)
{
	const sl_time submit = result->jobs->submit[row];
	const sl_time eligible = result->eligible ? result->eligible[row] : submit;
	return eligible != SL_NONE && eligible > submit ? eligible : submit;
}

static bool started(const struct sl_result *result, uint32_t row) { return result->start[row] != SL_NONE; }

struct arrival {
	sl_time at;
	uint32_t row;
};

static int by_arrival(const void *a, const void *b)
{
	const struct arrival *x = a;
	const struct arrival *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static uint32_t *order_of(const struct sl_result *result)
{
	const uint32_t count = result->jobs->count;
	struct arrival *arrival = malloc(((size_t)count + 1) * sizeof(*arrival));
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
	for (uint32_t row = 0; arrival && row < count; row++)
		arrival[row] = (struct arrival){ arrival_of(result, row), row };
	if (arrival && order)
		qsort(arrival, count, sizeof(*arrival), by_arrival);
	for (uint32_t i = 0; arrival && order && i < count; i++)
		order[i] = arrival[i].row;
	if (!arrival) {
		free(order);
		order = NULL;
	}
	free(arrival);
	return order;
}

/* A run as it stands at an arrival. */
struct standing {
	const struct sl_result *result;
	uint32_t *running, *waiting; /* Rows; those that wait, by arrival. */
	uint32_t running_count, waiting_count;
	struct freed {
		sl_time at;
		int64_t cpus;
	} * heap; /* When room comes free, the earliest first. */
	uint32_t heap_count;
};

static void fair_heap_push(struct standing *now, struct freed freed)
{
	uint32_t i = now->heap_count++;
	for (; i && now->heap[(i - 1) / 2].at > freed.at; i = (i - 1) / 2)
		now->heap[i] = now->heap[(i - 1) / 2];
	now->heap[i] = freed;
}

static struct freed fair_heap_pop(struct standing *now)
{
	const struct freed least = now->heap[0];
	const struct freed last = now->heap[--now->heap_count];
	uint32_t i = 0;
	for (uint32_t child = 1; child < now->heap_count; child = 2 * i + 1) {
		child += child + 1 < now->heap_count && now->heap[child + 1].at < now->heap[child].at;
		if (now->heap[child].at >= last.at)
			break;
		now->heap[i] = now->heap[child];
		i = child;
	}
	now->heap[i] = last;
	return least;
}

/* When it ceased to wait: at its start, or cancelled. */
static sl_time left_queue(const struct sl_result *result, uint32_t row)
{
	if (started(result, row))
		return result->start[row];
	return result->end[row] != SL_NONE ? result->end[row] : INT64_MAX;
}

static sl_time end_of(const struct sl_result *result, uint32_t row)
{
	return result->end[row] != SL_NONE ? result->end[row] : result->last;
}

/* How long it ran; of one that never started, how long it would have. */
static sl_time run_of(const struct sl_result *result, uint32_t row)
{
	return started(result, row) ? end_of(result, row) - result->start[row] : result->jobs->run[row];
}

/* Just before `at` is acted on: what starts then still waits, what ends then is over. */
static void stand_at(struct standing *now, sl_time at)
{
	const struct sl_result *result = now->result;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < now->running_count; i++)
		if (end_of(result, now->running[i]) > at)
			now->running[kept++] = now->running[i];
	now->running_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < now->waiting_count; i++) {
		const uint32_t row = now->waiting[i];
		if (left_queue(result, row) >= at)
			now->waiting[kept++] = row;
		else if (started(result, row) && end_of(result, row) > at)
			now->running[now->running_count++] = row;
	}
	now->waiting_count = kept;
}

/* The last that waits starts then, if all start in order. */
static sl_time last_starts(struct standing *now, sl_time at)
{
	const struct sl_jobs *jobs = now->result->jobs;
	int64_t free_cpus = now->result->cpus;
	now->heap_count = 0;
	for (uint32_t i = 0; i < now->running_count; i++) {
		const uint32_t row = now->running[i];
		fair_heap_push(now, (struct freed){ end_of(now->result, row), jobs->size[row] });
		free_cpus -= jobs->size[row];
	}
	for (uint32_t i = 0; i < now->waiting_count; i++) {
		const uint32_t row = now->waiting[i];
		if (jobs->size[row] > now->result->cpus)
			continue; /* It can never start, and stands in nobody's way. */
		while (free_cpus < jobs->size[row] && now->heap_count) {
			const struct freed freed = fair_heap_pop(now);
			at = freed.at > at ? freed.at : at;
			free_cpus += freed.cpus;
		}
		free_cpus -= jobs->size[row];
		fair_heap_push(now, (struct freed){ at + run_of(now->result, row), jobs->size[row] });
	}
	return at;
}

static int by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

/* How many wait at the arrivals, added up; UINT64_MAX: memory is out. */
static uint64_t steps_of(const struct sl_result *result, const uint32_t *order)
{
	const uint32_t count = result->jobs->count;
	sl_time *left = malloc(((size_t)count + 1) * sizeof(*left));
	uint64_t steps = 0;
	uint32_t gone = 0;
	for (uint32_t row = 0; left && row < count; row++)
		left[row] = left_queue(result, row);
	if (!left)
		return UINT64_MAX;
	qsort(left, count, sizeof(*left), by_time);
	for (uint32_t i = 0; i < count; i++) {
		while (gone < count && left[gone] < arrival_of(result, order[i]))
			gone++;
		steps += i + 1 - gone;
	}
	free(left);
	return steps;
}

/* Every so many-th. */
static void look_at_all(struct standing *now, const uint32_t *order, sl_time *fair, uint32_t stride)
{
	const struct sl_result *result = now->result;
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const uint32_t row = order[i];
		const sl_time at = arrival_of(result, row);
		now->waiting[now->waiting_count++] = row;
		fair[row] = SL_NONE;
		if (i % stride || result->jobs->size[row] > result->cpus)
			continue;
		stand_at(now, at);
		/* A job that was cancelled as it came is not in the queue any more. */
		if (now->waiting_count && now->waiting[now->waiting_count - 1] == row)
			fair[row] = last_starts(now, at);
	}
}

int fair_start_in_order(const struct sl_result *result, sl_time *fair, struct sl_err *err)
{
	const size_t capacity = (size_t)result->jobs->count + 1;
	uint32_t *order = order_of(result);
	struct standing now = { .result = result };
	now.running = malloc(capacity * sizeof(*now.running));
	now.waiting = malloc(capacity * sizeof(*now.waiting));
	now.heap = malloc(capacity * sizeof(*now.heap));
	const bool whole = order && now.running && now.waiting && now.heap;
	const uint64_t steps = whole ? steps_of(result, order) : UINT64_MAX;
	if (steps != UINT64_MAX)
		look_at_all(&now, order, fair, (uint32_t)(steps / fair_steps_max) + 1);
	free(order);
	free(now.running);
	free(now.waiting);
	free(now.heap);
	return steps != UINT64_MAX ? SL_OK : sl_fail_memory(err);
}

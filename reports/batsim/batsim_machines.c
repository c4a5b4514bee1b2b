/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batsim_machines.c - machines by job: recorded on nodes, dealt out on a counted pool.
 */
#include "reports/batsim/batsim_files.h"

#include <stdlib.h>
#include <string.h>

/* Beyond this many processors of a pool nothing is dealt out: nobody draws as many. */
enum { POOL_MAX = 1 << 24 };

static int run_add(struct machines *machines, uint32_t from, uint32_t to, struct sl_err *err)
{
	if (SL_GROW(machines->run, machines->run_capacity, machines->run_count + 1, err))
		return SL_SYSTEM;
	machines->run[machines->run_count++] = (struct machine_run){ from, to };
	return SL_OK;
}

/* ---- On nodes -------------------------------------------------------------------------------- */

static int compare_u32(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static int add_sorted(
	struct machines *machines, uint32_t row, uint32_t *number, uint32_t count, struct sl_err *err)
{
	int status = SL_OK;
	qsort(number, count, sizeof(*number), compare_u32);
	machines->first[row] = machines->run_count;
	for (uint32_t i = 0; i < count && !status;) {
		uint32_t last = i;
		while (last + 1 < count && number[last + 1] - number[last] <= 1)
			last++;
		status = run_add(machines, number[i], number[last], err);
		i = last + 1;
	}
	machines->count[row] = (uint32_t)(machines->run_count - machines->first[row]);
	return status;
}

static int from_places(struct machines *machines, const struct sl_result *result, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t row = 0; row < result->jobs->count && !status; row++) {
		const uint32_t count = result->start[row] == SL_NONE ? 0 : result->place_count[row];
		uint32_t *number = malloc(((size_t)count + 1) * sizeof(*number));
		if (!number)
			return sl_fail_memory(err);
		for (uint32_t i = 0; i < count; i++)
			number[i] = result->place[result->place_first[row] + i].node;
		status = add_sorted(machines, row, number, count, err);
		free(number);
	}
	return status;
}

/* ---- On a counted pool ------------------------------------------------------------------------- */

/* A job, or one of its attempts, holds processors from start until end. */
struct node_alloc {
	sl_time start, end; /* SL_NEVER: it runs on. */
	uint32_t row, size;
	size_t first; /* Of its runs. */
	uint32_t count;
};

struct pool {
	struct node_alloc *node_alloc;
	size_t count;
	uint32_t *by_end; /* Of holding. */
	uint64_t *free;
	size_t words;
	size_t lowest; /* No word before it has a free one. */
};

static int compare_start(const void *a, const void *b)
{
	const struct node_alloc *x = a;
	const struct node_alloc *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int compare_end(const void *a, const void *b, void *node_allocs)
{
	const struct node_alloc *node_alloc = node_allocs;
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	if (node_alloc[x].end != node_alloc[y].end)
		return node_alloc[x].end < node_alloc[y].end ? -1 : 1;
	return (x > y) - (x < y);
}

static void give_back(struct pool *pool, const struct machines *machines, const struct node_alloc *node_alloc)
{
	for (uint32_t i = 0; i < node_alloc->count; i++) {
		const struct machine_run *run = &machines->run[node_alloc->first + i];
		for (uint32_t cpu = run->from; cpu <= run->to; cpu++)
			pool->free[cpu / 64] |= UINT64_C(1) << (cpu % 64);
		if (run->from / 64 < pool->lowest)
			pool->lowest = run->from / 64;
	}
}

/* The lowest that are free; if they are too few, none. */
static int batsim_machines_take(
	struct pool *pool, struct machines *machines, struct node_alloc *node_alloc, struct sl_err *err)
{
	uint32_t left = node_alloc->size;
	uint32_t from = 0;
	uint32_t to = 0;
	bool open = false;
	int status = SL_OK;
	node_alloc->first = machines->run_count;
	while (pool->lowest < pool->words && !pool->free[pool->lowest])
		pool->lowest++;
	for (size_t word = pool->lowest; word < pool->words && left && !status; word++) {
		while (pool->free[word] && left && !status) {
			const uint32_t cpu =
				(uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(pool->free[word]);
			pool->free[word] &= pool->free[word] - 1;
			if (open && cpu != to + 1)
				status = run_add(machines, from, to, err);
			from = open && cpu == to + 1 ? from : cpu;
			to = cpu;
			open = true;
			left--;
		}
	}
	if (open && !status)
		status = run_add(machines, from, to, err);
	node_alloc->count = (uint32_t)(machines->run_count - node_alloc->first);
	if (left && !status) {
		give_back(pool, machines, node_alloc);
		machines->run_count = node_alloc->first;
		node_alloc->count = 0;
	}
	return status;
}

static void node_allocs_of(struct pool *pool, const struct sl_result *result)
{
	for (uint32_t row = 0; row < result->jobs->count; row++) {
		const struct sl_attempt *attempt;
		const size_t several = sl_attempts_of(result, row, &attempt);
		const uint32_t size = (uint32_t)result->jobs->size[row];
		const sl_time end = result->end[row] == SL_NONE ? SL_NEVER : result->end[row];
		for (size_t i = 0; i < several; i++)
			pool->node_alloc[pool->count++] = (struct node_alloc){ attempt[i].start,
				i + 1 == several ? end : attempt[i].end, row, size, 0, 0 };
		if (!several && result->start[row] != SL_NONE)
			pool->node_alloc[pool->count++] =
				(struct node_alloc){ result->start[row], end, row, size, 0, 0 };
	}
	qsort(pool->node_alloc, pool->count, sizeof(*pool->node_alloc), compare_start);
	for (uint32_t i = 0; i < pool->count; i++)
		pool->by_end[i] = i;
	qsort_r(pool->by_end, pool->count, sizeof(*pool->by_end), compare_end, pool->node_alloc);
}

static int deal(struct pool *pool, struct machines *machines, struct sl_err *err)
{
	size_t ended = 0;
	int status = SL_OK;
	for (size_t i = 0; i < pool->count && !status; i++) {
		struct node_alloc *node_alloc = &pool->node_alloc[i];
		/* What lasted no time is released at once, below; it may stand among the ends before its
		 * turn.
		 */
		for (; ended < pool->count && pool->node_alloc[pool->by_end[ended]].end <= node_alloc->start;
			ended++) {
			const struct node_alloc *done = &pool->node_alloc[pool->by_end[ended]];
			if (done->start < done->end)
				give_back(pool, machines, done);
		}
		status = batsim_machines_take(pool, machines, node_alloc, err);
		if (node_alloc->end <= node_alloc->start && !status)
			give_back(pool, machines, node_alloc);
		machines->first[node_alloc->row] = node_alloc->first;
		machines->count[node_alloc->row] = node_alloc->count;
	}
	return status;
}

static int from_pool(struct machines *machines, const struct sl_result *result, struct sl_err *err)
{
	const size_t most = result->jobs->count + result->attempt_count + 1;
	if (result->cpus < 1 || result->cpus > POOL_MAX)
		return SL_OK;
	struct pool pool = { .words = ((size_t)result->cpus + 63) / 64 };
	pool.node_alloc = malloc(most * sizeof(*pool.node_alloc));
	pool.by_end = malloc(most * sizeof(*pool.by_end));
	pool.free = calloc(pool.words, sizeof(*pool.free));
	int status = SL_OK;
	if (pool.node_alloc && pool.by_end && pool.free) {
		for (int64_t cpu = 0; cpu < result->cpus; cpu++)
			pool.free[cpu / 64] |= UINT64_C(1) << (cpu % 64);
		node_allocs_of(&pool, result);
		status = deal(&pool, machines, err);
	} else {
		status = sl_fail_memory(err);
	}
	free(pool.node_alloc);
	free(pool.by_end);
	free(pool.free);
	return status;
}

int machines_of(struct machines *machines, const struct sl_result *result, struct sl_err *err)
{
	const size_t jobs = (size_t)result->jobs->count + 1;
	*machines = (struct machines){ .first = calloc(jobs, sizeof(*machines->first)),
		.count = calloc(jobs, sizeof(*machines->count)) };
	if (!machines->first || !machines->count)
		return sl_fail_memory(err);
	if (result->place)
		return from_places(machines, result, err);
	return result->nodes_held ? SL_OK : from_pool(machines, result, err);
}

void machines_release(struct machines *machines)
{
	free(machines->run);
	free(machines->first);
	free(machines->count);
}

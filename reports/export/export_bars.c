/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * export_bars.c - in which intervals jobs ran, and on which rows and lanes.
 *
 * A counted pool does not say which of its cpus a job has: they are assigned lowest free first in order of
 * start, ends before starts at one instant. So are the lanes of a node, of which each job there has one.
 */
#include "reports/export/export.h"

#include <stdlib.h>
#include <string.h>

/* ---- Intervals ------------------------------------------------------------------------ */

static int by_start(const void *left, const void *right)
{
	const struct export_interval *a = left;
	const struct export_interval *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->until != b->until)
		return a->until < b->until ? -1 : 1;
	return (a->attempt > b->attempt) - (a->attempt < b->attempt); /* Two of no length at one instant. */
}

int export_intervals(
	const struct sl_result *result, struct export_interval **interval, size_t *count, struct sl_err *err)
{
	*count = 0;
	*interval = calloc(result->jobs->count + result->attempt_count + 1, sizeof(**interval));
	if (!*interval)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		const struct sl_attempt *attempt;
		const size_t several = sl_attempts_of(result, job, &attempt);
		for (size_t i = 0; i < several; i++)
			(*interval)[(*count)++] = (struct export_interval){ attempt[i].start, attempt[i].end,
				job, attempt[i].state == SL_PREEMPTED, &attempt[i] };
		if (several || result->start[job] == SL_NONE)
			continue;
		const sl_time end = result->end[job] == SL_NONE ? result->last : result->end[job];
		(*interval)[(*count)++] = (struct export_interval){ result->start[job], end, job,
			result->state[job] == SL_PREEMPTED, NULL };
	}
	qsort(*interval, *count, sizeof(**interval), by_start);
	return SL_OK;
}

/* ---- Rows that are free --------------------------------------------------------------- */

/* Rows of a pool, or lanes of a node: a bit for each, set where it is taken. There is always one more. */
struct area {
	uint64_t *taken;
	size_t words;
	size_t full; /* So many words from the first on have no free bit. */
};

static bool area_grow(struct area *area)
{
	return !SL_GROW_ZEROED(area->taken, area->words, area->words + 1, NULL);
}

/* The lowest run of free bits, at most `most` long; 0: no memory. */
static uint32_t area_take(struct area *area, uint32_t most, uint32_t *first)
{
	while (area->full < area->words && !~area->taken[area->full])
		area->full++;
	if (area->full == area->words && !area_grow(area))
		return 0;
	size_t bit = area->full * 64 + (size_t)__builtin_ctzll(~area->taken[area->full]);
	*first = (uint32_t)bit;
	uint32_t length = 0;
	while (length < most) {
		if (bit / 64 == area->words && !area_grow(area))
			return 0;
		if (area->taken[bit / 64] >> bit % 64 & 1)
			break;
		area->taken[bit / 64] |= UINT64_C(1) << bit % 64;
		bit++;
		length++;
	}
	return length;
}

static void area_give(struct area *area, uint32_t first, uint32_t length)
{
	for (size_t bit = first; bit < (size_t)first + length; bit++)
		area->taken[bit / 64] &= ~(UINT64_C(1) << bit % 64);
	if (first / 64 < area->full)
		area->full = first / 64;
}

/* ---- The sweep ------------------------------------------------------------------------ */

/* What somebody holds until then; the first to end is on top of a heap. */
struct hold {
	sl_time until;
	uint64_t number; /* In the order of starts: ties. */
	uint32_t area, first, length;
};

struct sweep {
	const struct sl_result *result;
	struct area *area; /* Of the pool, or by node, and one for what is known of no node. */
	uint32_t spaces;
	struct hold *heap;
	size_t holds, capacity;
	uint64_t number;
	void (*each)(void *self, const struct export_bar *bar);
	void *self;
};

static bool sooner(const struct sweep *sweep, const struct hold *a, const struct hold *b)
{
	(void)sweep;
	return a->until != b->until ? a->until < b->until : a->number < b->number;
}
SL_HEAP(holds, struct hold, const struct sweep *, sooner, SL_HEAP_UNPLACED)

static bool heap_push(struct sweep *sweep, struct hold hold)
{
	if (SL_GROW(sweep->heap, sweep->capacity, sweep->holds + 1, NULL))
		return false;
	sweep->heap[sweep->holds] = hold;
	(void)holds_up(sweep, sweep->heap, sweep->holds++);
	return true;
}

/* So many rows of one pool or node from now on, reported as bars. */
static bool sweep_take(struct sweep *sweep, struct export_bar *bar, uint32_t area, uint32_t rows)
{
	while (rows) {
		uint32_t first;
		const uint32_t length = area_take(&sweep->area[area], rows, &first);
		const struct hold hold = { bar->of.until, sweep->number++, area, first, length };
		if (!length || !heap_push(sweep, hold))
			return false;
		if (export_on_nodes(sweep->result)) {
			bar->row = area;
			bar->lane = first;
		} else {
			bar->row = first;
			bar->cpus = length;
		}
		bar->height = length;
		sweep->each(sweep->self, bar);
		bar->part++;
		rows -= length;
	}
	return true;
}

/* What a node allocation of a job holds, by its request. */
static int64_t alloc_cpus(const struct sl_result *result, uint32_t job, const struct sl_node_tasks *alloc)
{
	const struct sl_jobs *jobs = result->jobs;
	const struct sl_cluster *cluster = result->cluster;
	if (!jobs->request) /* A pool of processors: each task is one. */
		return alloc->tasks;
	const struct sl_request *request = &jobs->requests[jobs->request[job]];
	const struct sl_group *group =
		&request->group[alloc->group < request->group_count ? alloc->group : 0];
	return group->exclusive ? cluster->type[cluster->node_type[alloc->node]].amount[SL_KIND_CPUS]
				: group->task.cpus * alloc->tasks;
}

static bool on_nodes(struct sweep *sweep, struct export_bar *bar)
{
	const struct sl_result *result = sweep->result;
	const uint32_t job = bar->of.job;
	const struct sl_allocation allocation = sl_allocation_of(result, job, bar->of.attempt);
	const struct sl_node_tasks *alloc = allocation.alloc;
	if (!allocation.count && result->place) /* For no time. */
		return true;
	if (!allocation.count) {
		bar->part_count = 1;
		bar->cpus = sl_cpus_of(result, job);
		return sweep_take(sweep, bar, sweep->spaces - 1, 1);
	}
	bar->part_count = allocation.count;
	/* Where a policy gave out amounts of its own, they are parted as the requests would be. */
	const int64_t held = allocation.cpus;
	int64_t asked = 0;
	for (uint32_t i = 0; i < bar->part_count; i++)
		asked += alloc_cpus(result, job, &alloc[i]);
	for (uint32_t i = 0; i < bar->part_count; i++) {
		const int64_t cpus = alloc_cpus(result, job, &alloc[i]);
		bar->cpus = asked > 0 && asked != held ? sl_mul_div(cpus, held, asked) : cpus;
		if (!sweep_take(sweep, bar, alloc[i].node, 1))
			return false;
	}
	return true;
}

static bool run_sweep(struct sweep *sweep, const struct export_interval *interval, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		while (sweep->holds && sweep->heap[0].until <= interval[i].from) {
			const struct hold *over = &sweep->heap[0];
			area_give(&sweep->area[over->area], over->first, over->length);
			holds_remove(sweep, sweep->heap, --sweep->holds, 0);
		}
		struct export_bar bar = { .of = interval[i] };
		if (export_on_nodes(sweep->result)
				? !on_nodes(sweep, &bar)
				: !sweep_take(sweep, &bar, 0,
					  (uint32_t)sweep->result->jobs->size[interval[i].job]))
			return false;
	}
	return true;
}

int export_bars(const struct sl_result *result, void (*each)(void *self, const struct export_bar *bar),
	void *self, struct sl_err *err)
{
	struct sweep sweep = { .result = result, .each = each, .self = self };
	struct export_interval *interval;
	size_t count;
	const int status = export_intervals(result, &interval, &count, err);
	if (status)
		return status;
	sweep.spaces = export_on_nodes(result) ? result->cluster->node_count + 1 : 1;
	sweep.area = calloc(sweep.spaces, sizeof(*sweep.area));
	const bool good = sweep.area && run_sweep(&sweep, interval, count);
	for (uint32_t i = 0; sweep.area && i < sweep.spaces; i++)
		free(sweep.area[i].taken);
	free(sweep.area);
	free(sweep.heap);
	free(interval);
	return good ? SL_OK : sl_fail_memory(err);
}

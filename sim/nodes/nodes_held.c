/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_held.c - queries of allocations now: the node tasks and sums of a job, of a node, of all nodes; and
 * which nodes are closed to a request. The sums are of what the engine allocated, whatever the request says.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Of a job -------------------------------------------------------------------------------- */

static bool alloc_before(const struct sl_node_tasks *a, const struct sl_node_tasks *b)
{
	return a->node != b->node ? a->node < b->node : a->group < b->group;
}

static int alloc_compare(const void *a, const void *b)
{
	return alloc_before(a, b) ? -1 : alloc_before(b, a);
}

size_t allocs_of(struct nodes *nodes, struct chain chain, const struct sl_node_tasks **alloc)
{
	size_t count = 0;
	bool sorted = true;
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more) {
		const struct interval *interval = &nodes->interval[i];
		if (interval->flags & INTERVAL_BEGIN)
			continue;
		if (SL_GROW_MOST(nodes->alloc, nodes->alloc_capacity, count + 1, SIZE_MAX / 64, &nodes->err))
			return 0;
		nodes->alloc[count] = (struct sl_node_tasks){ .node = interval->node,
			.group = interval->group,
			.tasks = interval->tasks,
			.devices = devices_of(nodes, interval) };
		sorted &= !count || !alloc_before(&nodes->alloc[count], &nodes->alloc[count - 1]);
		count++;
	}
	if (!sorted) /* What compares equal is joined. */
		qsort(nodes->alloc, count, sizeof(*nodes->alloc), alloc_compare);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		const struct sl_node_tasks here = nodes->alloc[i];
		if (kept && !alloc_before(&nodes->alloc[kept - 1], &here))
			nodes->alloc[kept - 1].tasks += here.tasks;
		else
			nodes->alloc[kept++] = here;
		nodes->alloc[kept - 1].devices |= here.devices;
	}
	*alloc = nodes->alloc;
	return kept;
}

size_t nodes_allocs(struct nodes *nodes, uint32_t job, const struct sl_node_tasks **alloc)
{
	*alloc = NULL;
	if (!nodes->job_allocation[job])
		return 0;
	return allocs_of(nodes, chain_of(nodes, allocation_of(nodes, job)), alloc);
}

/* What is of one interval: what was allocated, or the node. Of what a node has without bound nothing is
 * allocated: there the tasks say it. */
static void held_adds(const struct nodes *nodes, const struct sl_group *group,
	const struct interval *interval, struct nodes_sum *sum)
{
	const int64_t *amount = nodes->cluster->type[type_of(nodes, interval->node)].amount;
	const bool whole = interval->flags & INTERVAL_WHOLE;
	const bool cpus_bound = amount[SL_KIND_CPUS] < UNBOUNDED, mem_bound = amount[SL_KIND_MEM] < UNBOUNDED;
	if (whole)
		sum->cpus += amount[SL_KIND_CPUS];
	else
		sum->cpus += cpus_bound ? interval->cpus : interval->tasks * group->task.cpus;
	if (whole && mem_bound)
		sum->mem += amount[SL_KIND_MEM];
	else
		sum->mem += mem_bound ? interval->mem : interval->tasks * group->task.mem;
	sum->gpus += whole ? 0 : interval->gpus;
	for (uint32_t kind = SL_KIND_GPUS; whole && kind < nodes->kinds; kind++)
		sum->gpus += amount[kind];
}

struct nodes_sum nodes_held(struct nodes *nodes, uint32_t job)
{
	struct nodes_sum sum = { 0, 0, 0, 0 };
	const struct sl_node_tasks *alloc;
	const size_t count = nodes_allocs(nodes, job, &alloc);
	if (!count)
		return sum;
	const uint32_t allocation = allocation_of(nodes, job);
	const struct sl_group *group = nodes->requests[nodes->interval[allocation].request].group;
	for (size_t i = 0; i < count; i++)
		sum.nodes += !i || alloc[i].node != alloc[i - 1].node;
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more)
		held_adds(nodes, &group[nodes->interval[i].group], &nodes->interval[i], &sum);
	if (nodes->interval[allocation].flags & INTERVAL_SUSPENDED)
		sum.cpus = sum.gpus = 0;
	return sum;
}

/* ---- Of all nodes ---------------------------------------------------------------------------- */

uint32_t nodes_busy(const struct nodes *nodes) { return nodes->busy; }

int64_t nodes_total(const struct nodes *nodes, uint32_t kind) { return nodes->total[kind]; }

int64_t nodes_idle(const struct nodes *nodes, uint32_t kind) { return nodes->idle[kind]; }

int64_t nodes_unavailable_free(const struct nodes *nodes, uint32_t kind)
{
	return nodes->unavailable_free[kind];
}

const uint64_t *nodes_closed(struct nodes *nodes, uint32_t request, sl_time length)
{
	const size_t words = (nodes->count + 63) / 64;
	if ((!nodes->windows_live && !nodes->unavailable) || failed(nodes))
		return NULL;
	if (!nodes->closed)
		nodes->closed = malloc(words * sizeof(*nodes->closed));
	if (!nodes->closed) {
		(void)sl_fail_memory(&nodes->err);
		return NULL;
	}
	memset(nodes->closed, 0, words * sizeof(*nodes->closed));
	for (uint32_t row = 0; row < nodes->count; row++)
		if (nodes_is_unavailable(nodes, row) ||
			!open_for(nodes, nodes->node[row].windows, length, exempt_of(nodes, request)))
			nodes->closed[row / 64] |= UINT64_C(1) << (row % 64);
	return nodes->closed;
}

/* ---- Of one node ----------------------------------------------------------------------------- */

/* All that a node of the type has; memory without bound is none. */
static struct nodes_sum whole_of(const struct nodes *nodes, const struct sl_node_type *type)
{
	const int64_t mem = type->amount[SL_KIND_MEM];
	struct nodes_sum sum = { 1, type->amount[SL_KIND_CPUS], mem < UNBOUNDED ? mem : 0, 0 };
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		sum.gpus += type->amount[kind];
	return sum;
}

struct nodes_sum nodes_used(const struct nodes *nodes, uint32_t node)
{
	const struct node *of = &nodes->node[node];
	const struct sl_node_type *type = &nodes->cluster->type[type_of(nodes, node)];
	const int64_t *free = free_of(nodes, of->class);
	struct nodes_sum sum = whole_of(nodes, type);
	sum.nodes = of->allocations != 0;
	if (of->whole > nodes_is_unavailable(nodes, node))
		return sum;
	sum.cpus -= free[SL_KIND_CPUS];
	sum.mem -= type->amount[SL_KIND_MEM] < UNBOUNDED ? free[SL_KIND_MEM] : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		sum.gpus -= free[kind];
	return sum;
}

struct nodes_sum nodes_held_on(const struct nodes *nodes, uint32_t job, uint32_t node)
{
	struct nodes_sum sum = { 0, 0, 0, 0 };
	if (!nodes->job_allocation[job])
		return sum;
	const uint32_t allocation = nodes->job_allocation[job] - 1;
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more) {
		const struct interval *interval = &nodes->interval[i];
		if (interval->node != node)
			continue;
		sum.nodes = 1;
		if (interval->flags & INTERVAL_WHOLE)
			sum = whole_of(nodes, &nodes->cluster->type[type_of(nodes, node)]);
		else {
			sum.cpus += interval->cpus;
			sum.mem += interval->mem;
			sum.gpus += interval->gpus;
		}
	}
	if (nodes->interval[allocation].flags & INTERVAL_SUSPENDED)
		sum.cpus = sum.gpus = 0;
	return sum;
}

uint32_t nodes_tasks(const struct nodes *nodes, uint32_t node, const struct sl_group *group, bool empty)
{
	const struct node *of = &nodes->node[node];
	const uint32_t type = type_of(nodes, node);
	return empty ? tasks_on(nodes, group, group_bound(group), type, empty_of(nodes, type), NODE_IDLE)
		     : tasks_on(nodes, group, group_bound(group), type, free_of(nodes, of->class),
			       status_of(of->allocations, of->whole));
}

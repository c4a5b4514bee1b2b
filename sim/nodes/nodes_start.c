/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_start.c - commands: a job starts where the node scorer puts it, on given nodes, or with given
 * amounts, is suspended and resumed, and ends; each with what undoes it.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

/* ---- Starts ---------------------------------------------------------------------------------- */

bool nodes_start(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end)
{
	struct chain chain;
	return place_now_for(nodes, job, request, length_until(nodes, end), &chain) &&
	       allocation_begins(nodes, job, request, chain, end);
}

/* The node tasks that were allocated are the request's: all tasks, and its bounds on nodes. */
static bool allocs_agree(struct nodes *nodes, uint32_t request, struct chain chain)
{
	const struct sl_node_tasks *alloc;
	const size_t count = allocs_of(nodes, chain, &alloc);
	const struct sl_request *asked = &nodes->requests[request];
	for (uint32_t i = 0; i < asked->group_count; i++) {
		const struct sl_group *group = &asked->group[i];
		uint64_t tasks = 0;
		uint32_t used = 0;
		for (size_t k = 0; k < count; k++) {
			if (alloc[k].group != i)
				continue;
			if (alloc[k].tasks > group_bound(group))
				return false;
			tasks += alloc[k].tasks;
			used++;
		}
		if (tasks != group->tasks || used < group->nodes_min ||
			(group->nodes_max && used > group->nodes_max))
			return false;
	}
	return true;
}

static bool alloc_goes(const struct nodes *nodes, const struct sl_request *asked,
	const struct sl_node_tasks *alloc, sl_time length)
{
	if (alloc->node >= nodes->count || alloc->group >= asked->group_count || !alloc->tasks)
		return false;
	const struct node *node = &nodes->node[alloc->node];
	return open_for(nodes, node->windows, length, asked->group[0].reservation) &&
	       tasks_on(nodes, &asked->group[alloc->group], alloc->tasks, type_of(nodes, alloc->node),
		       free_of(nodes, node->class),
		       status_of(node->allocations, node->whole)) == alloc->tasks;
}

bool nodes_start_on(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_node_tasks *alloc, size_t count)
{
	const struct sl_request *asked = &nodes->requests[request];
	struct chain chain = CHAIN_NONE;
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		good = alloc_goes(nodes, asked, &alloc[i], length_until(nodes, end)) &&
		       intervals_reserve(
			       nodes, load_intervals(nodes, &asked->group[alloc[i].group], alloc[i].tasks));
		if (!good)
			break;
		const struct load load = { &asked->group[alloc[i].group], alloc[i].node, alloc[i].tasks,
			alloc[i].group };
		node_spends(nodes, &load, &chain);
	}
	if (good && allocs_agree(nodes, request, chain))
		return allocation_begins(nodes, job, request, chain, end);
	if (!failed(nodes))
		place_undo(nodes, chain);
	return false;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

void nodes_start_undo(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t allocation = allocation_of(nodes, job);
	allocation_leaves(nodes, allocation, false);
	allocation_free(nodes, allocation);
	nodes->job_allocation[job] = 0;
}

void nodes_end(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t allocation = allocation_of(nodes, job);
	allocation_leaves(nodes, allocation, false);
	nodes->job_allocation[job] = 0;
	(void)keep(nodes, KEPT_END, job, allocation);
}

void nodes_restore(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return;
	SL_CHECK(!nodes->job_allocation[job]);
	const uint32_t allocation = kept_take(nodes, KEPT_END, job);
	nodes->job_allocation[job] = allocation + 1;
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more) {
		interval_take(nodes, &nodes->interval[i]);
		interval_link(nodes, i, nodes->interval[i].flags & INTERVAL_SUSPENDED ? SL_NEVER : end);
	}
}

void nodes_forget(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->kept_count; i++)
		allocation_free(nodes, nodes->kept[i].allocation);
	nodes->kept_count = 0;
}

void nodes_move_end(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return;
	for (uint32_t i = allocation_of(nodes, job); i != NONE; i = nodes->interval[i].more) {
		interval_unlink(nodes, i);
		interval_link(nodes, i, end);
	}
}

/* ---- Suspension ------------------------------------------------------------------------------ */

static void interval_shrinks(struct nodes *nodes, uint32_t index)
{
	struct interval *interval = &nodes->interval[index];
	const int64_t mem = nodes->cluster->type[type_of(nodes, interval->node)].amount[SL_KIND_MEM];
	interval_unlink(nodes, index);
	interval_give(nodes, interval);
	if (!(interval->flags & INTERVAL_GIVEN))
		interval->cpus = interval->gpus = 0;
	if (interval->flags & INTERVAL_WHOLE)
		interval->mem = mem < UNBOUNDED ? mem : 0;
	interval->flags = INTERVAL_SUSPENDED | (interval->flags & (INTERVAL_SLICES | INTERVAL_GIVEN));
	interval_take(nodes, interval);
	interval_link(nodes, index, SL_NEVER);
}

/* No other job runs on its node. */
static bool is_alone(const struct nodes *nodes, const struct interval *interval)
{
	for (uint32_t i = nodes->node[interval->node].first; i != NONE; i = nodes->interval[i].next) {
		const struct interval *other = &nodes->interval[i];
		if (!(other->flags & (INTERVAL_PROMISE | INTERVAL_SUSPENDED | INTERVAL_UNAVAILABLE)) &&
			other->allocation != interval->allocation)
			return false;
	}
	return true;
}

/* As it was before it was suspended; false if that is not free. */
static bool interval_grows(struct nodes *nodes, uint32_t index, const struct sl_group *group, sl_time end)
{
	struct interval *interval = &nodes->interval[index];
	const int64_t cpus = nodes->cluster->type[type_of(nodes, interval->node)].amount[SL_KIND_CPUS];
	const struct interval was = *interval;
	interval_give(nodes, interval);
	interval->flags &= (uint8_t)~INTERVAL_SUSPENDED;
	const bool exclusive = group->exclusive && !(interval->flags & INTERVAL_GIVEN);
	if (exclusive) {
		interval->flags |= INTERVAL_WHOLE;
		interval->mem = 0;
	} else if (!(interval->flags & INTERVAL_GIVEN)) {
		interval->cpus = (int32_t)(cpus < UNBOUNDED && group->task.cpus > 0
						   ? interval->tasks * group->task.cpus
						   : 0);
		interval->gpus = group->task.gpus > 0 ? device_gpus(nodes, &group->task, interval) : 0;
	}
	const bool fits = interval_fits(nodes, interval) && (!exclusive || is_alone(nodes, interval));
	if (!fits)
		*interval = was;
	interval_take(nodes, interval);
	if (fits) {
		interval_unlink(nodes, index);
		interval_link(nodes, index, end);
	}
	return fits;
}

void nodes_suspend(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t allocation = allocation_of(nodes, job);
	SL_CHECK(!(nodes->interval[allocation].flags & INTERVAL_SUSPENDED));
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more)
		interval_shrinks(nodes, i);
}

/* All intervals or none. */
static bool allocation_grows(struct nodes *nodes, uint32_t allocation, sl_time end)
{
	const struct sl_group *group = nodes->requests[nodes->interval[allocation].request].group;
	uint32_t i = allocation;
	while (i != NONE && interval_grows(nodes, i, &group[nodes->interval[i].group], end))
		i = nodes->interval[i].more;
	for (uint32_t k = allocation; i != NONE && k != i; k = nodes->interval[k].more)
		interval_shrinks(nodes, k);
	return i == NONE;
}

bool nodes_resume(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return false;
	const uint32_t allocation = allocation_of(nodes, job);
	SL_CHECK(nodes->interval[allocation].flags & INTERVAL_SUSPENDED);
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more)
		if (nodes_is_unavailable(nodes, nodes->interval[i].node) ||
			!open_for(nodes, nodes->node[nodes->interval[i].node].windows,
				length_until(nodes, end),
				exempt_of(nodes, nodes->interval[allocation].request)))
			return false;
	return allocation_grows(nodes, allocation, end);
}

void nodes_suspend_undo(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (!failed(nodes))
		SL_CHECK(allocation_grows(nodes, allocation_of(nodes, job), end));
}

/* ---- With given amounts on given nodes, for policies that decide themselves what a request comes to ---- */

static int64_t nodes_start_gpus_of(const struct sl_node_alloc *node_alloc, uint32_t kind)
{
	return node_alloc->gpus ? node_alloc->gpus[kind - SL_KIND_GPUS] : 0;
}

/* Is it free there, and no window in the way? */
static bool goes(
	const struct nodes *nodes, uint32_t request, const struct sl_node_alloc *node_alloc, sl_time length)
{
	if (node_alloc->node >= nodes->count || node_alloc->cpus < 0 || node_alloc->mem < 0)
		return false;
	const struct node *node = &nodes->node[node_alloc->node];
	const int64_t *free = free_of(nodes, node->class);
	bool good = !node->whole && open_for(nodes, node->windows, length, exempt_of(nodes, request)) &&
		    node_alloc->cpus <= free[SL_KIND_CPUS] && node_alloc->mem <= free[SL_KIND_MEM];
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		good = good && nodes_start_gpus_of(node_alloc, kind) <= free[kind];
	return good;
}

/* An interval for each type of GPU, and at least one: the first has cpus, memory and tasks too. Where
 * devices are tracked the lowest that are wholly free; false: there are too few. */
static bool nodes_start_take(struct nodes *nodes, const struct sl_node_alloc *node_alloc, struct chain *chain)
{
	const uint32_t type = type_of(nodes, node_alloc->node);
	const int64_t *amount = nodes->cluster->type[type].amount;
	struct interval *interval = &nodes->interval[interval_new(nodes, chain)];
	bool good = true;
	interval->flags = INTERVAL_GIVEN;
	interval->node = node_alloc->node;
	interval->tasks = node_alloc->tasks;
	interval->cpus = (int32_t)(amount[SL_KIND_CPUS] < UNBOUNDED ? node_alloc->cpus : 0);
	interval->mem = amount[SL_KIND_MEM] < UNBOUNDED ? node_alloc->mem : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++) {
		if (!nodes_start_gpus_of(node_alloc, kind))
			continue;
		if (interval->gpus) {
			interval_take(nodes, interval);
			interval = &nodes->interval[interval_new(nodes, chain)];
			interval->flags = INTERVAL_GIVEN;
			interval->node = node_alloc->node;
		}
		interval->gpus = (int32_t)nodes_start_gpus_of(node_alloc, kind);
		interval->kind = (uint8_t)kind;
		if (!devices_lowest(
			    nodes, type, free_of(nodes, nodes->node[node_alloc->node].class), interval)) {
			interval->gpus = 0;
			interval->devices = 0;
			good = false;
		}
	}
	interval_take(nodes, interval);
	return good;
}

/* All of it, or nothing. */
static bool nodes_start_take_all(struct nodes *nodes, uint32_t request, sl_time end,
	const struct sl_node_alloc *node_alloc, size_t count, struct chain *chain)
{
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		good = goes(nodes, request, &node_alloc[i], length_until(nodes, end));
		good = good && nodes_start_take(nodes, &node_alloc[i], chain);
	}
	if (!good && !failed(nodes))
		place_undo(nodes, *chain);
	return good;
}

bool nodes_start_node_alloc(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_node_alloc *node_alloc, size_t count)
{
	struct chain chain = CHAIN_NONE;
	return !failed(nodes) && intervals_reserve(nodes, count * nodes->kinds) &&
	       nodes_start_take_all(nodes, request, end, node_alloc, count, &chain) &&
	       allocation_begins(nodes, job, request, chain, end);
}

bool nodes_resize_node_alloc(
	struct nodes *nodes, uint32_t job, const struct sl_node_alloc *node_alloc, size_t count)
{
	struct chain chain = CHAIN_NONE;
	if (failed(nodes) || !nodes->job_allocation[job] || !count ||
		!intervals_reserve(nodes, count * nodes->kinds))
		return false;
	const uint32_t old = nodes->job_allocation[job] - 1;
	const uint32_t request = nodes->interval[old].request;
	const sl_time end = nodes->interval[old].at;
	if (nodes->interval[old].flags & INTERVAL_SUSPENDED)
		return false;
	allocation_leaves(nodes, old, false);
	if (!nodes_start_take_all(nodes, request, end, node_alloc, count, &chain)) {
		if (!failed(nodes))
			allocation_leaves(nodes, old, true);
		return false;
	}
	return allocation_replaced(nodes, job, chain);
}

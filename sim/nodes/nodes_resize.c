/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_resize.c - commands: a job gets more or fewer tasks of its first group, as it starts or while it
 * runs.
 *
 * Its new allocation is made of copies; the old one is kept whole, so that undo restores it.
 */
#include "sim/nodes/nodes_parts.h"

struct resize {
	struct nodes *nodes;
	const struct sl_group *group;
	struct chain chain; /* Of the new allocation. */
	uint32_t used;      /* Nodes of the first group. */
	uint32_t left;      /* Tasks still to be placed. */
	sl_time length;
	uint32_t exempt;
};

/* Intervals of the first group that stand together are one node's. */
static bool same_node(const struct interval *a, const struct interval *b)
{
	return a->group == 0 && b->group == 0 && a->node == b->node;
}

static uint32_t tasks_held(const struct nodes *nodes, uint32_t first)
{
	uint32_t tasks = 0;
	for (uint32_t i = first; i != NONE; i = nodes->interval[i].more)
		tasks += nodes->interval[i].group == 0 ? nodes->interval[i].tasks : 0;
	return tasks;
}

/* Those of the first tasks: of whole devices, the lowest; of a share, its device. */
static uint32_t devices_kept(const struct interval *old, uint32_t tasks)
{
	const uint32_t all = (uint32_t)__builtin_popcount(old->devices);
	uint32_t devices = old->devices;
	if (old->flags & INTERVAL_SLICES || all <= 1)
		return devices;
	for (uint32_t over = all - all / old->tasks * tasks; over; over--)
		devices &= ~(UINT32_C(1) << (31 - __builtin_clz(devices)));
	return devices;
}

static void interval_copy(struct resize *r, const struct interval *old, uint32_t tasks)
{
	struct nodes *nodes = r->nodes;
	const uint32_t index = interval_new(nodes, &r->chain);
	struct interval *interval = &nodes->interval[index];
	interval->node = old->node;
	interval->group = old->group;
	interval->kind = old->kind;
	interval->flags = old->flags & (INTERVAL_WHOLE | INTERVAL_SLICES);
	interval->tasks = tasks;
	interval->cpus = old->cpus / (int32_t)old->tasks * (int32_t)tasks;
	interval->mem = old->mem / old->tasks * tasks;
	interval->gpus = old->gpus / (int32_t)old->tasks * (int32_t)tasks;
	interval->devices = devices_kept(old, tasks);
	interval_take(nodes, interval);
}

/* The first `tasks` of the first group, and all of the others. */
static void copy_intervals(struct resize *r, uint32_t first, uint32_t tasks)
{
	const struct nodes *nodes = r->nodes;
	uint32_t before = NONE;
	for (uint32_t i = first; i != NONE; i = nodes->interval[i].more) {
		const struct interval old = nodes->interval[i];
		uint32_t kept = old.tasks;
		if (old.group == 0) {
			kept = kept < tasks ? kept : tasks;
			tasks -= kept;
			r->used += kept && (before == NONE || !same_node(&nodes->interval[before], &old));
		}
		before = i;
		if (kept)
			interval_copy(r, &old, kept);
	}
}

/* As many more as fit on the node whose last interval of the first group this is; they stand behind it, so
 * that they go when the node does. */
static void grow_node(struct resize *r, uint32_t last, uint32_t there)
{
	struct nodes *nodes = r->nodes;
	const uint32_t row = nodes->interval[last].node;
	const uint32_t bound = r->group->tasks_per_node;
	uint32_t more = bound ? (bound > there ? bound - there : 0) : r->left;
	more = more < r->left ? more : r->left;
	if (r->group->exclusive) {
		const uint32_t all = tasks_on(nodes, r->group, there + more, type_of(nodes, row),
			empty_of(nodes, type_of(nodes, row)), NODE_IDLE);
		nodes->interval[last].tasks = all > there ? all : there;
		r->left -= nodes->interval[last].tasks - there;
		return;
	}
	const struct node *node = &nodes->node[row];
	more = tasks_on(nodes, r->group, more, type_of(nodes, row), free_of(nodes, node->class),
		status_of(node->allocations, node->whole));
	if (!more)
		return;
	struct chain extra = CHAIN_NONE;
	const struct load load = { r->group, row, more, 0 };
	if (!intervals_reserve(nodes, load_intervals(nodes, r->group, more)))
		return;
	node_spends(nodes, &load, &extra);
	nodes->interval[extra.last].more = nodes->interval[last].more;
	nodes->interval[last].more = extra.first;
	if (r->chain.last == last)
		r->chain.last = extra.last;
	r->left -= more;
}

static void grow_own(struct resize *r)
{
	const struct nodes *nodes = r->nodes;
	uint32_t there = 0;
	for (uint32_t i = r->chain.first; i != NONE && !failed(nodes);) {
		const struct interval *interval = &nodes->interval[i];
		const uint32_t next = interval->more;
		there += interval->tasks;
		if (next == NONE || !same_node(interval, &nodes->interval[next])) {
			if (interval->group == 0 && r->left)
				grow_node(r, i, there);
			there = 0;
		}
		i = next;
	}
}

/* Others, by the node scorer: its own are out of sight. */
static bool grow_elsewhere(struct resize *r)
{
	struct nodes *nodes = r->nodes;
	const struct chain own = r->chain;
	for (uint32_t i = own.first; i != NONE; i = nodes->interval[i].more)
		if (nodes->interval[i].group == 0 && nodes->place[nodes->interval[i].node] != NONE)
			class_pull(nodes, nodes->interval[i].node);
	struct sl_group group = *r->group;
	group.tasks = r->left;
	const uint32_t last = own.last;
	const bool placed = place_more(nodes, &group, r->used, r->length, r->exempt, &r->chain);
	for (uint32_t i = own.first; i != NONE; i = nodes->interval[i].more) {
		const uint32_t row = nodes->interval[i].node;
		if (nodes->interval[i].group == 0 && nodes->place[row] == NONE)
			class_put(nodes, nodes->node[row].class, row);
		if (i == last)
			break;
	}
	return placed;
}

static bool resized(struct resize *r, uint32_t first, uint32_t was, uint32_t tasks)
{
	copy_intervals(r, first, tasks < was ? tasks : was);
	r->left = tasks > was ? tasks - was : 0;
	if (r->left)
		grow_own(r);
	if (failed(r->nodes))
		return false;
	if (r->left)
		return grow_elsewhere(r);
	return r->used >= (r->group->nodes_min < tasks ? r->group->nodes_min : tasks);
}

bool nodes_resize(struct nodes *nodes, uint32_t job, uint32_t tasks)
{
	if (failed(nodes) || !nodes->job_allocation[job] || !tasks)
		return false;
	const uint32_t old = nodes->job_allocation[job] - 1;
	const uint32_t request = nodes->interval[old].request;
	const sl_time end = nodes->interval[old].at;
	if (nodes->interval[old].flags & INTERVAL_SUSPENDED ||
		!intervals_reserve(nodes, chain_length(nodes, old)))
		return false;
	struct resize r = { .nodes = nodes, .group = nodes->requests[request].group, .chain = CHAIN_NONE };
	r.length = length_until(nodes, end);
	r.exempt = exempt_of(nodes, request);
	allocation_leaves(nodes, old, false);
	ties_for(nodes, job);
	const bool good = resized(&r, old, tasks_held(nodes, old), tasks);
	ties_for(nodes, NONE);
	if (failed(nodes))
		return false;
	if (!good) {
		place_undo(nodes, r.chain);
		allocation_leaves(nodes, old, true);
		return false;
	}
	return allocation_replaced(nodes, job, r.chain);
}

void nodes_resize_undo(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	SL_CHECK(nodes->job_allocation[job]);
	const uint32_t fresh = nodes->job_allocation[job] - 1;
	const uint32_t old = kept_take(nodes, KEPT_RESIZE, job);
	for (uint32_t i = old; i != NONE; i = nodes->interval[i].more)
		nodes->interval[i].at = nodes->interval[fresh].at;
	allocation_leaves(nodes, fresh, false);
	allocation_free(nodes, fresh);
	allocation_leaves(nodes, old, true);
	nodes->job_allocation[job] = old + 1;
}

bool nodes_start_sized(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end, uint32_t tasks)
{
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	struct sl_group group = *nodes->requests[request].group;
	group.tasks = tasks;
	group.nodes_min = group.nodes_min < tasks ? group.nodes_min : tasks;
	struct chain chain = CHAIN_NONE;
	ties_for(nodes, job);
	const bool placed =
		place_more(nodes, &group, 0, length_until(nodes, end), exempt_of(nodes, request), &chain);
	ties_for(nodes, NONE);
	if (failed(nodes))
		return false;
	if (placed)
		return allocation_begins(nodes, job, request, chain, end);
	place_undo(nodes, chain);
	return false;
}

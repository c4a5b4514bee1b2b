/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_guard.c - EASY's question (backfill): may a later job start, that will still be there when the head
 * is to?
 *
 * The later job is put where the placing would put it, and taken off again.
 * Only the nodes that it touches matter: what they held for the head at the
 * guarded time, and what they hold with it in place.
 */
#include "sim/nodes/nodes_parts.h"

#include <string.h>

void nodes_guard_end(struct nodes *nodes)
{
	chain_free(nodes, nodes->guard.chosen);
	nodes->guard.chosen = CHAIN_NONE;
	nodes->guard.on = false;
}

void nodes_guard(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool named)
{
	struct guard *guard = &nodes->guard;
	nodes_guard_end(nodes);
	if (failed(nodes))
		return;
	guard->on = at != SL_NEVER && at >= nodes->now;
	guard->request = request;
	guard->at = at;
	guard->length = length;
	guard->named = named;
	guard->number++;
	guard->only_at = 0;
	const struct span span = { at, after(at, length), false, 0 };
	if (guard->on && named)
		(void)place_span_for(nodes, nodes->asker, request, &span, &guard->chosen);
}

/* ---- With the candidate in place ------------------------------------------------------------- */

/* Units of the head's only group on one node that it touches, before and with it. */
struct touch {
	uint32_t before, with;
};

static struct touch touched(const struct nodes *nodes, struct chain candidate, uint32_t row)
{
	const struct guard *guard = &nodes->guard;
	const struct shape *shape = &nodes->shape[guard->request];
	const struct sl_group *group = nodes->requests[guard->request].group;
	struct touch touch = { 0, 0 };
	if (nodes->windows_live &&
		!open_at(nodes, nodes->node[row].windows, guard->at, guard->length, shape->exempt))
		return touch;
	const uint32_t type = type_of(nodes, row);
	struct moment m;
	moment_at(nodes, row, guard->at, &m);
	touch.with = units_on(nodes, shape, group, type, m.free, status_of(m.holds, m.whole));
	for (uint32_t i = candidate.first; i != NONE; i = nodes->edge[i].more)
		if (nodes->edge[i].node == row)
			moment_apply(nodes, &nodes->edge[i], false, &m);
	touch.before = units_on(nodes, shape, group, type, m.free, status_of(m.holds, m.whole));
	return touch;
}

/* Each node that the candidate touches, once. */
static bool is_first(struct nodes *nodes, uint32_t row)
{
	if (nodes->node[row].mark == nodes->mark)
		return false;
	nodes->node[row].mark = nodes->mark;
	return true;
}

static bool units_left(struct nodes *nodes, struct chain candidate)
{
	int64_t spare = nodes->guard.spare;
	nodes->mark++;
	for (uint32_t i = candidate.first; i != NONE; i = nodes->edge[i].more) {
		if (!is_first(nodes, nodes->edge[i].node))
			continue;
		const struct touch touch = touched(nodes, candidate, nodes->edge[i].node);
		spare -= (int64_t)touch.before - touch.with;
	}
	return spare >= 0;
}

/* Some node holds the unit then: one that is touched and still does, or one that is not touched. */
static bool unit_left(struct nodes *nodes, uint32_t track, struct chain candidate)
{
	nodes->mark++;
	for (uint32_t i = candidate.first; i != NONE; i = nodes->edge[i].more)
		if (is_first(nodes, nodes->edge[i].node) &&
			touched(nodes, candidate, nodes->edge[i].node).with)
			return true;
	return ahead_any(nodes, track, nodes->guard.at, nodes->guard.length) != NONE;
}

static bool chosen_left(const struct nodes *nodes, struct chain candidate)
{
	const struct guard *guard = &nodes->guard;
	for (uint32_t i = candidate.first; i != NONE; i = nodes->edge[i].more) {
		const uint32_t row = nodes->edge[i].node;
		struct moment m;
		bool touches = false;
		moment_at(nodes, row, guard->at, &m);
		for (uint32_t k = guard->chosen.first; k != NONE; k = nodes->edge[k].more) {
			if (nodes->edge[k].node != row)
				continue;
			touches = true;
			if (m.whole || (nodes->edge[k].flags & EDGE_WHOLE && m.holds))
				return false;
			moment_apply(nodes, &nodes->edge[k], true, &m);
		}
		if (touches && lacks(nodes, type_of(nodes, row), m.free))
			return false;
	}
	return true;
}

static bool placement_left(struct nodes *nodes)
{
	const struct guard *guard = &nodes->guard;
	struct chain chain;
	if (!place_span(nodes, guard->request, guard->at, guard->length, false, &chain))
		return false;
	chain_free(nodes, chain);
	return true;
}

/* ---- The question ---------------------------------------------------------------------------- */

/* The very devices that it would get. */
static bool unit_takes(struct nodes *nodes, uint32_t request, uint32_t row, struct moment *m)
{
	int64_t free[COLUMNS_MAX];
	struct chain chain = CHAIN_NONE;
	const struct load load = { nodes->requests[request].group, row, nodes->shape[request].unit, 0 };
	if (!edges_reserve(nodes, load_edges(nodes, load.group, load.tasks)))
		return false;
	memcpy(free, free_of(nodes, nodes->node[row].class), nodes->width * sizeof(*free));
	edges_spend(nodes, &load, free, &chain);
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		moment_apply(nodes, &nodes->edge[i], true, m);
	chain_free(nodes, chain);
	return true;
}

/* The unit of a candidate on the node that it would get now, off what is free there at the guarded time. */
static bool unit_comes(struct nodes *nodes, uint32_t request, uint32_t row, struct moment *m)
{
	const struct sl_group *group = nodes->requests[request].group;
	const struct sl_demand *task = &group->task;
	const int64_t *amount = nodes->cluster->type[type_of(nodes, row)].amount;
	const int64_t *free = free_of(nodes, nodes->node[row].class);
	uint32_t left = nodes->shape[request].unit;
	if (nodes->devices && task->gpus > 0)
		return unit_takes(nodes, request, row, m);
	m->holds++;
	m->whole += group->exclusive;
	if (amount[SL_KIND_CPUS] < UNBOUNDED && task->cpus > 0)
		m->free[SL_KIND_CPUS] -= left * task->cpus;
	if (amount[SL_KIND_MEM] < UNBOUNDED && task->mem > 0)
		m->free[SL_KIND_MEM] -= left * task->mem;
	for (uint32_t kind = SL_KIND_GPUS; task->gpus > 0 && left && kind < nodes->kinds; kind++) {
		const uint32_t here = kind_will_do(task, kind) ? share_of(left, free[kind], task->gpus) : 0;
		m->free[kind] -= here * task->gpus;
		left -= here;
	}
	return true;
}

/* Which nodes hold the head's unit at the guarded time: none, one, or more. */
static bool find_only(struct nodes *nodes)
{
	struct guard *guard = &nodes->guard;
	if (guard->only_at == nodes->version)
		return true;
	const uint32_t track = track_of(nodes, guard->request);
	if (!ahead_update(nodes, track))
		return false;
	nodes->mark++;
	guard->only = ahead_any(nodes, track, guard->at, guard->length);
	guard->any = guard->only != NONE;
	if (guard->any) {
		nodes->node[guard->only].mark = nodes->mark;
		if (ahead_any(nodes, track, guard->at, guard->length) != NONE)
			guard->only = NONE;
	}
	guard->only_at = nodes->version;
	return true;
}

/* Both need one unit: nothing has to be taken to see. Where the candidate goes is asked last. */
static bool unit_allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct guard *guard = &nodes->guard;
	if (!find_only(nodes) || !guard->any)
		return false;
	const uint32_t row = guard->only;
	if (row == NONE)
		return true;
	const struct node *node = &nodes->node[row];
	const struct sl_request *asked = &nodes->requests[request];
	const struct sl_request *head = &nodes->requests[guard->request];
	if (!units_on(nodes, &nodes->shape[request], asked->group, type_of(nodes, row),
		    free_of(nodes, node->class), status_of(node->holds, node->whole)))
		return true; /* It does not go there. */
	struct moment m;
	moment_at(nodes, row, guard->at, &m);
	if (!unit_comes(nodes, request, row, &m))
		return false;
	return units_on(nodes, &nodes->shape[guard->request], head->group, type_of(nodes, row), m.free,
		       status_of(m.holds, m.whole)) ||
	       choose(nodes, request, length) != row;
}

/* Units that the head has beyond those that it needs. */
static bool find_spare(struct nodes *nodes)
{
	struct guard *guard = &nodes->guard;
	if (guard->only_at == nodes->version)
		return true;
	const uint32_t track = track_of(nodes, guard->request);
	if (!ahead_update(nodes, track))
		return false;
	guard->spare = units_now(nodes, track, guard->length) +
		       profile_value(&nodes->track[track].profile, guard->at) -
		       nodes->shape[guard->request].need;
	guard->only_at = nodes->version;
	return true;
}

static int64_t times_of(int64_t taken, int64_t each)
{
	return each > 0 && taken > 0 ? (taken - 1) / each + 1 : 0;
}

/* What it takes of a device is another on another. */
static bool is_uneven(const struct sl_demand *task) { return task->mig || task->gpu_mem > 0; }

/* So many units of the head at most can a candidate's unit cost, wherever it goes: of each kind it takes,
 * those that would have used it. */
static int64_t cost_at_most(const struct nodes *nodes, uint32_t request)
{
	const struct sl_group *group = nodes->requests[request].group;
	const struct sl_group *head = nodes->requests[nodes->guard.request].group;
	const int64_t tasks = nodes->shape[request].unit;
	const int64_t all = nodes->shape[nodes->guard.request].bound;
	if (group->exclusive || head->exclusive || is_uneven(&group->task) || is_uneven(&head->task))
		return all;
	int64_t cost = times_of(tasks * group->task.cpus, head->task.cpus);
	const int64_t mem = times_of(tasks * group->task.mem, head->task.mem);
	const int64_t gpus = tasks * times_of(group->task.gpus, head->task.gpus); /* Of several types. */
	cost = mem > cost ? mem : cost;
	cost = gpus > cost ? gpus : cost;
	return cost < all ? cost : all;
}

/* The candidate needs one unit, the head several. */
static bool sum_allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct guard *guard = &nodes->guard;
	const struct shape *shape = &nodes->shape[guard->request];
	const struct sl_group *group = nodes->requests[guard->request].group;
	if (!find_spare(nodes) || guard->spare < 0)
		return false;
	if (guard->spare >= cost_at_most(nodes, request))
		return true;
	const uint32_t row = choose(nodes, request, length);
	if (row == NONE)
		return false;
	const uint32_t type = type_of(nodes, row);
	struct moment m;
	moment_at(nodes, row, guard->at, &m);
	const int64_t before = units_on(nodes, shape, group, type, m.free, status_of(m.holds, m.whole));
	return unit_comes(nodes, request, row, &m) &&
	       before - units_on(nodes, shape, group, type, m.free, status_of(m.holds, m.whole)) <=
		       guard->spare;
}

/* The candidate is put where it would go, and taken off again. */
static bool others_allow(struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct guard *guard = &nodes->guard;
	const uint8_t kind = nodes->shape[guard->request].kind;
	uint32_t track = NONE;
	struct chain chain;
	if (!guard->named && kind == SHAPE_UNIT) {
		track = track_of(nodes, guard->request);
		if (!ahead_update(nodes, track))
			return false;
	}
	const bool by_units = !guard->named && kind == SHAPE_SUM && !nodes->windows_live;
	if (by_units && !find_spare(nodes))
		return false;
	if (!place_now_for(nodes, nodes->asker, request, length, &chain))
		return false;
	bool left;
	if (guard->named)
		left = chosen_left(nodes, chain);
	else if (by_units)
		left = units_left(nodes, chain);
	else
		left = track != NONE ? unit_left(nodes, track, chain) : placement_left(nodes);
	place_undo(nodes, chain);
	return left;
}

static bool allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	const uint8_t kind = nodes->shape[nodes->guard.request].kind;
	if (!nodes->guard.named && is_single(nodes, request)) {
		if (kind == SHAPE_UNIT)
			return unit_allows(nodes, request, length);
		if (kind == SHAPE_SUM && !nodes->windows_live)
			return sum_allows(nodes, request, length);
	}
	return others_allow(nodes, request, length);
}

bool nodes_guard_allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	if (failed(nodes))
		return false;
	if (!nodes->guard.on)
		return true;
	struct shape *shape = &nodes->shape[request];
	if (!by_chance(nodes) && shape->allows_at == nodes->version &&
		shape->allows_guard == nodes->guard.number &&
		(!nodes->windows_live || shape->allows_length == length))
		return shape->allows;
	ties_for(nodes, nodes->asker);
	const bool allowed = allows(nodes, request, length);
	ties_for(nodes, NONE);
	shape->allows = allowed;
	shape->allows_at = nodes->version;
	shape->allows_guard = nodes->guard.number;
	shape->allows_length = length;
	return allowed;
}

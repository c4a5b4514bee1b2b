/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_backfill_check.c - the check of EASY backfill: may a later job start that will still run when the
 * head is to start?
 *
 * The later job is allocated where the node scorer would put it, and released. Only the nodes that it touches
 * matter: how much of the head fits on them at the shadow time, without and with it.
 */
#include "sim/nodes/nodes_parts.h"

#include <string.h>

void nodes_backfill_check_end(struct nodes *nodes)
{
	chain_free(nodes, nodes->backfill_check.chosen);
	nodes->backfill_check.chosen = CHAIN_NONE;
	nodes->backfill_check.on = false;
}

void nodes_backfill_check(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool named)
{
	struct backfill_check *backfill_check = &nodes->backfill_check;
	nodes_backfill_check_end(nodes);
	if (failed(nodes))
		return;
	backfill_check->on = at != SL_NEVER && at >= nodes->now;
	backfill_check->request = request;
	backfill_check->at = at;
	backfill_check->length = length;
	backfill_check->named = named;
	backfill_check->number++;
	backfill_check->only_at = 0;
	const struct free_window free_window = { at, after(at, length), false, 0 };
	if (backfill_check->on && named)
		(void)place_free_window_for(
			nodes, nodes->asker, request, &free_window, &backfill_check->chosen);
}

/* ---- With the candidate in place ------------------------------------------------------------- */

/* Units of the head's only group on one node that it touches, before and with it. */
struct touch {
	uint32_t before, with;
};

static struct touch touched(const struct nodes *nodes, struct chain candidate, uint32_t row)
{
	const struct backfill_check *backfill_check = &nodes->backfill_check;
	const struct shape *shape = &nodes->shape[backfill_check->request];
	const struct sl_group *group = nodes->requests[backfill_check->request].group;
	struct touch touch = { 0, 0 };
	if (nodes->windows_live && !open_at(nodes, nodes->node[row].windows, backfill_check->at,
					   backfill_check->length, shape->exempt))
		return touch;
	const uint32_t type = type_of(nodes, row);
	struct moment m;
	moment_at(nodes, row, backfill_check->at, &m);
	touch.with = units_on(nodes, shape, group, type, m.free, status_of(m.allocations, m.whole));
	for (uint32_t i = candidate.first; i != NONE; i = nodes->interval[i].more)
		if (nodes->interval[i].node == row)
			moment_apply(nodes, &nodes->interval[i], false, &m);
	touch.before = units_on(nodes, shape, group, type, m.free, status_of(m.allocations, m.whole));
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
	int64_t spare = nodes->backfill_check.spare;
	nodes->mark++;
	for (uint32_t i = candidate.first; i != NONE; i = nodes->interval[i].more) {
		if (!is_first(nodes, nodes->interval[i].node))
			continue;
		const struct touch touch = touched(nodes, candidate, nodes->interval[i].node);
		spare -= (int64_t)touch.before - touch.with;
	}
	return spare >= 0;
}

/* The unit fits on some node then: on one that is touched and still does, or on one that is not touched. */
static bool unit_left(struct nodes *nodes, uint32_t cache_entry, struct chain candidate)
{
	nodes->mark++;
	for (uint32_t i = candidate.first; i != NONE; i = nodes->interval[i].more)
		if (is_first(nodes, nodes->interval[i].node) &&
			touched(nodes, candidate, nodes->interval[i].node).with)
			return true;
	return ahead_any(nodes, cache_entry, nodes->backfill_check.at, nodes->backfill_check.length) != NONE;
}

static bool chosen_left(const struct nodes *nodes, struct chain candidate)
{
	const struct backfill_check *backfill_check = &nodes->backfill_check;
	for (uint32_t i = candidate.first; i != NONE; i = nodes->interval[i].more) {
		const uint32_t row = nodes->interval[i].node;
		struct moment m;
		bool touches = false;
		moment_at(nodes, row, backfill_check->at, &m);
		for (uint32_t k = backfill_check->chosen.first; k != NONE; k = nodes->interval[k].more) {
			if (nodes->interval[k].node != row)
				continue;
			touches = true;
			if (m.whole || (nodes->interval[k].flags & INTERVAL_WHOLE && m.allocations))
				return false;
			moment_apply(nodes, &nodes->interval[k], true, &m);
		}
		if (touches && lacks(nodes, type_of(nodes, row), m.free))
			return false;
	}
	return true;
}

static bool placement_left(struct nodes *nodes)
{
	const struct backfill_check *backfill_check = &nodes->backfill_check;
	struct chain chain;
	if (!place_free_window(nodes, backfill_check->request, backfill_check->at, backfill_check->length,
		    false, &chain))
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
	if (!intervals_reserve(nodes, load_intervals(nodes, load.group, load.tasks)))
		return false;
	memcpy(free, free_of(nodes, nodes->node[row].class), nodes->width * sizeof(*free));
	intervals_spend(nodes, &load, free, &chain);
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more)
		moment_apply(nodes, &nodes->interval[i], true, m);
	chain_free(nodes, chain);
	return true;
}

/* The unit of a candidate on the node that it would get now, off what is free there at the time of the
 * backfill check. */
static bool unit_comes(struct nodes *nodes, uint32_t request, uint32_t row, struct moment *m)
{
	const struct sl_group *group = nodes->requests[request].group;
	const struct sl_task_resources *task = &group->task;
	const int64_t *amount = nodes->cluster->type[type_of(nodes, row)].amount;
	const int64_t *free = free_of(nodes, nodes->node[row].class);
	uint32_t left = nodes->shape[request].unit;
	if (nodes->devices && task->gpus > 0)
		return unit_takes(nodes, request, row, m);
	m->allocations++;
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

/* On how many nodes the head's unit fits at the shadow time: none, one, or more. */
static bool find_only(struct nodes *nodes)
{
	struct backfill_check *backfill_check = &nodes->backfill_check;
	if (backfill_check->only_at == nodes->version)
		return true;
	const uint32_t cache_entry = cache_entry_of(nodes, backfill_check->request);
	if (!ahead_update(nodes, cache_entry))
		return false;
	nodes->mark++;
	backfill_check->only = ahead_any(nodes, cache_entry, backfill_check->at, backfill_check->length);
	backfill_check->any = backfill_check->only != NONE;
	if (backfill_check->any) {
		nodes->node[backfill_check->only].mark = nodes->mark;
		if (ahead_any(nodes, cache_entry, backfill_check->at, backfill_check->length) != NONE)
			backfill_check->only = NONE;
	}
	backfill_check->only_at = nodes->version;
	return true;
}

/* Both need one unit: no trial allocation is needed. Where the candidate goes is computed last. */
static bool unit_allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct backfill_check *backfill_check = &nodes->backfill_check;
	if (!find_only(nodes) || !backfill_check->any)
		return false;
	const uint32_t row = backfill_check->only;
	if (row == NONE)
		return true;
	const struct node *node = &nodes->node[row];
	const struct sl_request *asked = &nodes->requests[request];
	const struct sl_request *head = &nodes->requests[backfill_check->request];
	if (!units_on(nodes, &nodes->shape[request], asked->group, type_of(nodes, row),
		    free_of(nodes, node->class), status_of(node->allocations, node->whole)))
		return true; /* It does not go there. */
	struct moment m;
	moment_at(nodes, row, backfill_check->at, &m);
	if (!unit_comes(nodes, request, row, &m))
		return false;
	return units_on(nodes, &nodes->shape[backfill_check->request], head->group, type_of(nodes, row),
		       m.free, status_of(m.allocations, m.whole)) ||
	       choose(nodes, request, length) != row;
}

/* Units that the head has beyond those that it needs. */
static bool find_spare(struct nodes *nodes)
{
	struct backfill_check *backfill_check = &nodes->backfill_check;
	if (backfill_check->only_at == nodes->version)
		return true;
	const uint32_t cache_entry = cache_entry_of(nodes, backfill_check->request);
	if (!ahead_update(nodes, cache_entry))
		return false;
	backfill_check->spare = units_now(nodes, cache_entry, backfill_check->length) +
				profile_value(&nodes->cache_entry[cache_entry].profile, backfill_check->at) -
				nodes->shape[backfill_check->request].need;
	backfill_check->only_at = nodes->version;
	return true;
}

static int64_t times_of(int64_t taken, int64_t each)
{
	return each > 0 && taken > 0 ? (taken - 1) / each + 1 : 0;
}

/* What it allocates of a device differs between devices. */
static bool is_uneven(const struct sl_task_resources *task) { return task->mig || task->gpu_mem > 0; }

/* So many units of the head at most can a candidate's unit cost, wherever it goes: of each kind it allocates,
 * those that would have used it. */
static int64_t cost_at_most(const struct nodes *nodes, uint32_t request)
{
	const struct sl_group *group = nodes->requests[request].group;
	const struct sl_group *head = nodes->requests[nodes->backfill_check.request].group;
	const int64_t tasks = nodes->shape[request].unit;
	const int64_t all = nodes->shape[nodes->backfill_check.request].bound;
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
	const struct backfill_check *backfill_check = &nodes->backfill_check;
	const struct shape *shape = &nodes->shape[backfill_check->request];
	const struct sl_group *group = nodes->requests[backfill_check->request].group;
	if (!find_spare(nodes) || backfill_check->spare < 0)
		return false;
	if (backfill_check->spare >= cost_at_most(nodes, request))
		return true;
	const uint32_t row = choose(nodes, request, length);
	if (row == NONE)
		return false;
	const uint32_t type = type_of(nodes, row);
	struct moment m;
	moment_at(nodes, row, backfill_check->at, &m);
	const int64_t before = units_on(nodes, shape, group, type, m.free, status_of(m.allocations, m.whole));
	return unit_comes(nodes, request, row, &m) &&
	       before - units_on(nodes, shape, group, type, m.free, status_of(m.allocations, m.whole)) <=
		       backfill_check->spare;
}

/* The candidate is allocated where it would go, and released. */
static bool others_allow(struct nodes *nodes, uint32_t request, sl_time length)
{
	const struct backfill_check *backfill_check = &nodes->backfill_check;
	const uint8_t kind = nodes->shape[backfill_check->request].kind;
	uint32_t cache_entry = NONE;
	struct chain chain;
	if (!backfill_check->named && kind == SHAPE_UNIT) {
		cache_entry = cache_entry_of(nodes, backfill_check->request);
		if (!ahead_update(nodes, cache_entry))
			return false;
	}
	const bool by_units = !backfill_check->named && kind == SHAPE_SUM && !nodes->windows_live;
	if (by_units && !find_spare(nodes))
		return false;
	if (!place_now_for(nodes, nodes->asker, request, length, &chain))
		return false;
	bool left;
	if (backfill_check->named)
		left = chosen_left(nodes, chain);
	else if (by_units)
		left = units_left(nodes, chain);
	else
		left = cache_entry != NONE ? unit_left(nodes, cache_entry, chain) : placement_left(nodes);
	place_undo(nodes, chain);
	return left;
}

static bool allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	const uint8_t kind = nodes->shape[nodes->backfill_check.request].kind;
	if (!nodes->backfill_check.named && is_single(nodes, request)) {
		if (kind == SHAPE_UNIT)
			return unit_allows(nodes, request, length);
		if (kind == SHAPE_SUM && !nodes->windows_live)
			return sum_allows(nodes, request, length);
	}
	return others_allow(nodes, request, length);
}

bool nodes_backfill_check_allows(struct nodes *nodes, uint32_t request, sl_time length)
{
	if (failed(nodes))
		return false;
	if (!nodes->backfill_check.on)
		return true;
	struct shape *shape = &nodes->shape[request];
	if (!by_chance(nodes) && shape->allows_at == nodes->version &&
		shape->allows_backfill_check == nodes->backfill_check.number &&
		(!nodes->windows_live || shape->allows_length == length))
		return shape->allows;
	ties_for(nodes, nodes->asker);
	const bool allowed = allows(nodes, request, length);
	ties_for(nodes, NONE);
	shape->allows = allowed;
	shape->allows_at = nodes->version;
	shape->allows_backfill_check = nodes->backfill_check.number;
	shape->allows_length = length;
	return allowed;
}

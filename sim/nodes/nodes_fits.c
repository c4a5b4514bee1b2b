/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_fits.c - queries of any request: could it ever run, does it fit now, when does it first fit, and is
 * it blocked by windows alone.
 *
 * Requests whose units can be counted are answered by counts (nodes_class.c, nodes_ahead.c, nodes_unit.c).
 * The others, and those beside windows or promises, are tried: the times at which something comes free are
 * walked in order, each node being looked at again only when it changes.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

/* ---- Requests -------------------------------------------------------------------------------- */

static bool group_can_be(const struct nodes *nodes, const struct sl_group *group)
{
	const uint64_t most = (uint64_t)group->nodes_max * group_bound(group);
	if (asks_devices(nodes, &group->task) && (!nodes->devices || group->task.gpus <= 0))
		return false;
	if (group->never || !group->tasks || group->nodes_min > group->tasks)
		return false;
	return !group->nodes_max || (group->nodes_min <= group->nodes_max && most >= group->tasks);
}

/* Bounds that change nothing are left out of account, so that few requests are of the general kind. */
struct shape shape_of(const struct nodes *nodes, const struct sl_request *request)
{
	struct shape shape = {
		.kind = SHAPE_OTHER, .cache_entry = NONE, .scores = NONE, .choice = NONE, .witness = NONE
	};
	for (uint32_t i = 0; i < request->group_count; i++)
		if (!group_can_be(nodes, &request->group[i]))
			shape.kind = SHAPE_NEVER;
	if (!request->group_count)
		shape.kind = SHAPE_NEVER;
	shape.exempt = request->group_count ? request->group[0].reservation : 0;
	if (request->group_count != 1 || shape.kind == SHAPE_NEVER)
		return shape;
	const struct sl_group *group = &request->group[0];
	shape.bound = group->nodes_min == group->tasks ? 1 : group_bound(group);
	const uint32_t nodes_least = group->tasks / shape.bound + (group->tasks % shape.bound != 0);
	if (group->nodes_max && (uint64_t)group->nodes_max * shape.bound == group->tasks) {
		shape.unit = shape.bound; /* Each of its nodes is full. */
		shape.need = group->nodes_max;
	} else if (group->nodes_min <= nodes_least &&
		   (!group->nodes_max || group->nodes_max >= group->tasks)) {
		shape.unit = 1;
		shape.need = group->tasks;
	} else {
		return shape;
	}
	shape.kind = shape.need == 1 ? SHAPE_UNIT : SHAPE_SUM;
	return shape;
}

static bool empty_allocations(struct nodes *nodes, uint32_t request)
{
	const struct shape *shape = &nodes->shape[request];
	if (shape->kind == SHAPE_OTHER) {
		struct chain chain;
		if (!view_empty(nodes) || !place_on(nodes, request, &nodes->view, &chain))
			return false;
		chain_free(nodes, chain);
		return true;
	}
	uint64_t units = 0;
	for (uint32_t type = 0; type < nodes->cluster->type_count && units < shape->need; type++)
		units += (uint64_t)nodes->type_nodes[type] * units_on(nodes, shape,
								     nodes->requests[request].group, type,
								     empty_of(nodes, type), NODE_IDLE);
	return units >= shape->need;
}

bool nodes_could_hold(struct nodes *nodes, uint32_t request)
{
	struct shape *shape = &nodes->shape[request];
	if (failed(nodes) || shape->kind == SHAPE_NEVER)
		return false;
	if (!shape->could)
		shape->could = empty_allocations(nodes, request) ? 2 : 1;
	return shape->could == 2;
}

static bool units_fit(struct nodes *nodes, uint32_t request, sl_time length)
{
	const uint32_t cache_entry = cache_entry_find(nodes, request);
	if (cache_entry == NONE)
		return units_without(nodes, request, length);
	return units_now(nodes, cache_entry, length) >= nodes->shape[request].need;
}

bool nodes_fits(struct nodes *nodes, uint32_t request, sl_time length)
{
	struct shape *shape = &nodes->shape[request];
	if (failed(nodes) || shape->kind == SHAPE_NEVER)
		return false;
	if (shape->kind != SHAPE_OTHER)
		return units_fit(nodes, request, length);
	if (shape->fits_at == nodes->version && (!nodes->windows_live || shape->fits_length == length))
		return shape->fits;
	struct chain chain;
	shape->fits = place_now(nodes, request, length, &chain);
	if (shape->fits)
		place_undo(nodes, chain);
	shape->fits_at = nodes->version;
	shape->fits_length = length;
	return shape->fits;
}

/* ---- The times at which something comes free, in order --------------------------------------- */

struct turn {
	sl_time at;
	uint32_t node;
	bool release;
};

struct sweep {
	struct nodes *nodes;
	uint32_t request;
	sl_time length;
	bool promises;
	size_t groups;
	uint32_t *units; /* By group and node. */
	int64_t *sum;    /* By group. */
	struct turn *heap;
	size_t count;
};

static bool turn_before(const struct turn *a, const struct turn *b)
{
	return a->at != b->at ? a->at < b->at : a->node < b->node;
}

static void turn_down(struct sweep *s, size_t place)
{
	const struct turn moved = s->heap[place];
	for (size_t child; (child = 2 * place + 1) < s->count; place = child) {
		child += child + 1 < s->count && turn_before(&s->heap[child + 1], &s->heap[child]);
		if (!turn_before(&s->heap[child], &moved))
			break;
		s->heap[place] = s->heap[child];
	}
	s->heap[place] = moved;
}

/* The first time from which what begins then is within the length. */
static sl_time nodes_fits_within(sl_time begin, sl_time length)
{
	sl_time at;
	return __builtin_sub_overflow(begin, length, &at) ? ALWAYS : at + 1;
}

/* The next time at which something else is free throughout a length from then on: when something ends, or
 * when what begins comes within the length. */
static struct turn turn_after(const struct sweep *s, uint32_t row, sl_time at)
{
	const struct nodes *nodes = s->nodes;
	const uint32_t windows = nodes->windows_live ? nodes->node[row].windows : 0;
	sl_time release = window_ends(nodes, windows, at);
	sl_time drop = SL_NEVER;
	for (uint32_t set = windows; set; set = nodes->set[set].parent) {
		const sl_time begin =
			nodes_fits_within(nodes->window[nodes->set[set].window].from, s->length);
		drop = begin > at && begin < drop ? begin : drop;
	}
	for (uint32_t i = nodes->node[row].first; i != NONE; i = nodes->interval[i].next) {
		const struct interval *interval = &nodes->interval[i];
		if (interval->flags & INTERVAL_PROMISE && !s->promises)
			continue;
		if (interval->flags & INTERVAL_BEGIN) {
			const sl_time begin = nodes_fits_within(interval->at, s->length);
			drop = begin > at && begin < drop ? begin : drop;
		} else if (interval->at > at) {
			release = interval->at < release ? interval->at : release;
			if (!s->promises)
				break; /* Only ends, in order. */
		}
	}
	return (struct turn){ release < drop ? release : drop, row, release <= drop };
}

static void nodes_fits_look(struct sweep *s, uint32_t row, sl_time at)
{
	const struct nodes *nodes = s->nodes;
	int64_t free[COLUMNS_MAX];
	const struct free_window free_window = { at, after(at, s->length), s->promises,
		exempt_of(nodes, s->request) };
	const enum node_status status = free_window_of(nodes, row, &free_window, free);
	const uint32_t type = type_of(nodes, row);
	const struct sl_request *asked = &nodes->requests[s->request];
	for (size_t i = 0; i < s->groups; i++) {
		const struct sl_group *group = &asked->group[i];
		uint32_t *units = &s->units[i * nodes->count + row];
		s->sum[i] -= *units;
		*units = nodes->shape[s->request].kind == SHAPE_OTHER
				 ? tasks_on(nodes, group, group_bound(group), type, free, status)
				 : units_on(nodes, &nodes->shape[s->request], group, type, free, status);
		s->sum[i] += *units;
	}
}

static bool fits_at(struct sweep *s, sl_time at)
{
	struct nodes *nodes = s->nodes;
	const struct shape *shape = &nodes->shape[s->request];
	for (size_t i = 0; i < s->groups; i++)
		if (s->sum[i] < (shape->kind == SHAPE_OTHER ? nodes->requests[s->request].group[i].tasks
							    : shape->need))
			return false;
	if (shape->kind != SHAPE_OTHER)
		return true;
	struct chain chain;
	const struct free_window free_window = { at, after(at, s->length), s->promises,
		exempt_of(nodes, s->request) };
	if (!view_free_window(nodes, &free_window) || !place_on(nodes, s->request, &nodes->view, &chain))
		return false;
	chain_free(nodes, chain);
	return true;
}

static sl_time sweep_on(struct sweep *s, sl_time latest)
{
	struct nodes *nodes = s->nodes;
	for (uint32_t row = 0; row < nodes->count; row++) {
		nodes_fits_look(s, row, nodes->now);
		s->heap[s->count++] = turn_after(s, row, nodes->now);
	}
	for (size_t i = s->count / 2; i-- > 0;)
		turn_down(s, i);
	sl_time at = nodes->now;
	bool release = true;
	while (at < latest && !failed(nodes)) {
		if (release && fits_at(s, at))
			return at;
		at = s->heap[0].at;
		release = false;
		while (s->heap[0].at == at && at < latest) {
			release |= s->heap[0].release;
			nodes_fits_look(s, s->heap[0].node, at);
			s->heap[0] = turn_after(s, s->heap[0].node, at);
			turn_down(s, 0);
		}
	}
	return SL_NEVER;
}

static sl_time sweep(struct nodes *nodes, uint32_t request, sl_time length, sl_time latest, bool promises)
{
	struct sweep s = { .nodes = nodes, .request = request, .length = length, .promises = promises };
	s.groups = nodes->requests[request].group_count;
	s.units = calloc(s.groups * nodes->count, sizeof(*s.units));
	s.sum = calloc(s.groups, sizeof(*s.sum));
	s.heap = malloc(nodes->count * sizeof(*s.heap));
	sl_time at = SL_NEVER;
	if (s.units && s.sum && s.heap)
		at = sweep_on(&s, latest);
	else
		(void)sl_fail_memory(&nodes->err);
	free(s.units);
	free(s.sum);
	free(s.heap);
	return at;
}

/* ---- When ------------------------------------------------------------------------------------ */

sl_time nodes_soonest(struct nodes *nodes, uint32_t request, sl_time length)
{
	if (failed(nodes) || !nodes_could_hold(nodes, request))
		return SL_NEVER;
	if (nodes_fits(nodes, request, length))
		return nodes->now;
	const struct shape *shape = &nodes->shape[request];
	if (shape->kind == SHAPE_OTHER || (shape->kind == SHAPE_SUM && nodes->windows_live))
		return sweep(nodes, request, length, SL_NEVER, false);
	sl_time at = SL_NEVER;
	if (shape->kind == SHAPE_UNIT) {
		at = unit_soonest(nodes, request, length, SL_NEVER, false);
	} else {
		const uint32_t cache_entry = cache_entry_of(nodes, request);
		struct profile_point point;
		if (ahead_update(nodes, cache_entry) &&
			profile_first_least(&nodes->cache_entry[cache_entry].profile, ALWAYS, SL_NEVER,
				(int64_t)shape->need - units_now(nodes, cache_entry, length), &point))
			at = point.at;
	}
	return at > nodes->now ? at : nodes->now;
}

sl_time promise_before(struct nodes *nodes, uint32_t request, sl_time length, sl_time latest)
{
	if (failed(nodes) || !nodes_could_hold(nodes, request))
		return SL_NEVER;
	if (nodes->shape[request].kind == SHAPE_UNIT)
		return unit_soonest(nodes, request, length, latest, true);
	return sweep(nodes, request, length, latest, true);
}

sl_time nodes_promise_at(struct nodes *nodes, uint32_t request, sl_time length)
{
	return promise_before(nodes, request, length, SL_NEVER);
}

/* It closes nodes within that length, and on one of them the unit fits now. */
static bool keeps_capacity(
	const struct nodes *nodes, const struct window *window, uint32_t request, sl_time length)
{
	if (window->until <= nodes->now || window->from >= after(nodes->now, length) ||
		(window->family && window->family == exempt_of(nodes, request)))
		return false;
	for (uint32_t i = 0; i < window->count; i++)
		for (uint32_t g = 0; g < nodes->requests[request].group_count; g++)
			if (nodes_tasks(nodes, window->node[i], &nodes->requests[request].group[g], false))
				return true;
	return false;
}

bool nodes_window_keeps(struct nodes *nodes, uint32_t request, sl_time length, enum sl_window_kind *kind)
{
	if (!nodes->windows_live || nodes_fits(nodes, request, length) ||
		!nodes_fits(nodes, request, WINDOWS_ASIDE))
		return false;
	const struct window *first = NULL;
	for (uint32_t i = 0; i < nodes->window_count; i++) {
		const struct window *window = &nodes->window[i];
		if ((!first || window->from < first->from) && keeps_capacity(nodes, window, request, length))
			first = window;
	}
	*kind = first ? first->kind : SL_WINDOW_RESERVED;
	return first != NULL;
}

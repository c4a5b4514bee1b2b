/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_sweep.c - the earliest time of any request, beside windows and promises: the times at which something
 * comes free are walked in order, each node being looked at again only when it changes.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

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

static bool turn_before(const struct sweep *s, const struct turn *a, const struct turn *b)
{
	(void)s;
	return a->at != b->at ? a->at < b->at : a->node < b->node;
}
SL_HEAP(turns, struct turn, const struct sweep *, turn_before, SL_HEAP_UNPLACED)

/* The first time from which what begins then is within the length. */
static sl_time within(sl_time begin, sl_time length)
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
		const sl_time begin = within(nodes->window[nodes->set[set].window].from, s->length);
		drop = begin > at && begin < drop ? begin : drop;
	}
	for (uint32_t i = nodes->node[row].first; i != NONE; i = nodes->edge[i].next) {
		const struct edge *edge = &nodes->edge[i];
		if (edge->flags & EDGE_PROMISE && !s->promises)
			continue;
		if (edge->flags & EDGE_BEGIN) {
			const sl_time begin = within(edge->at, s->length);
			drop = begin > at && begin < drop ? begin : drop;
		} else if (edge->at > at) {
			release = edge->at < release ? edge->at : release;
			if (!s->promises)
				break; /* Only ends, in order. */
		}
	}
	return (struct turn){ release < drop ? release : drop, row, release <= drop };
}

static void look(struct sweep *s, uint32_t row, sl_time at)
{
	const struct nodes *nodes = s->nodes;
	int64_t free[COLUMNS_MAX];
	const struct span span = { at, after(at, s->length), s->promises, exempt_of(nodes, s->request) };
	const enum node_status status = span_of(nodes, row, &span, free);
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
	const struct span span = { at, after(at, s->length), s->promises, exempt_of(nodes, s->request) };
	if (!view_span(nodes, &span) || !place_on(nodes, s->request, &nodes->view, &chain))
		return false;
	chain_free(nodes, chain);
	return true;
}

static sl_time sweep_on(struct sweep *s)
{
	struct nodes *nodes = s->nodes;
	for (uint32_t row = 0; row < nodes->count; row++) {
		look(s, row, nodes->now);
		s->heap[s->count++] = turn_after(s, row, nodes->now);
	}
	turns_make(s, s->heap, s->count);
	sl_time at = nodes->now;
	bool release = true;
	while (at != SL_NEVER && !failed(nodes)) {
		if (release && fits_at(s, at))
			return at;
		at = s->heap[0].at;
		release = false;
		while (s->heap[0].at == at && at != SL_NEVER) {
			release |= s->heap[0].release;
			look(s, s->heap[0].node, at);
			s->heap[0] = turn_after(s, s->heap[0].node, at);
			turns_down(s, s->heap, s->count, 0);
		}
	}
	return SL_NEVER;
}

sl_time sweep(struct nodes *nodes, uint32_t request, sl_time length, bool promises)
{
	struct sweep s = { .nodes = nodes, .request = request, .length = length, .promises = promises };
	s.groups = nodes->requests[request].group_count;
	s.units = calloc(s.groups * nodes->count, sizeof(*s.units));
	s.sum = calloc(s.groups, sizeof(*s.sum));
	s.heap = malloc(nodes->count * sizeof(*s.heap));
	sl_time at = SL_NEVER;
	if (s.units && s.sum && s.heap)
		at = sweep_on(&s);
	else
		(void)sl_fail_memory(&nodes->err);
	free(s.units);
	free(s.sum);
	free(s.heap);
	return at;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_unit.c - future queries of requests that need one node: when the unit first fits on a node, and which
 * one the node scorer chooses then. The tree of nodes_tree.c says where to look; each node found is checked
 * exactly, by a walk along its intervals.
 */
#include "sim/nodes/nodes_parts.h"

/* ---- One node, exactly ----------------------------------------------------------------------- */

/* Where a walk along a node's intervals is. */
struct walk {
	const struct nodes *nodes;
	bool promises;
	uint32_t next; /* Interval behind. */
	struct moment m;
};

static void walk_to(struct walk *w, sl_time at)
{
	for (; w->next != NONE && w->nodes->interval[w->next].at <= at;
		w->next = w->nodes->interval[w->next].next)
		if (w->promises || !(w->nodes->interval[w->next].flags & INTERVAL_PROMISE))
			moment_apply(w->nodes, &w->nodes->interval[w->next], false, &w->m);
}

static sl_time walk_next(const struct walk *w)
{
	return w->next == NONE ? SL_NEVER : w->nodes->interval[w->next].at;
}

/* Does the unit fit throughout, from the walk's place until then? If not, *skip is a time up to
 * which it does not. */
static bool walk_allocations(
	const struct walk *from, uint32_t row, uint32_t request, sl_time until, sl_time *skip)
{
	const struct nodes *nodes = from->nodes;
	const struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	const uint32_t type = type_of(nodes, row);
	if (!units_on(nodes, shape, group, type, from->m.free, status_of(from->m.allocations, from->m.whole)))
		return false;
	if (!from->promises || walk_next(from) >= until)
		return true;
	struct walk w;
	struct moment least;
	w.nodes = nodes;
	w.promises = true;
	w.next = from->next;
	moment_copy(nodes, &from->m, &w.m);
	moment_copy(nodes, &from->m, &least);
	for (sl_time at; (at = walk_next(&w)) < until;) {
		walk_to(&w, at);
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			if (w.m.free[kind] < least.free[kind])
				least.free[kind] = w.m.free[kind];
		if (nodes->devices)
			devices_least(nodes, type, w.m.free, least.free);
		least.allocations |= w.m.allocations;
		least.whole |= w.m.whole;
		if (units_on(
			    nodes, shape, group, type, least.free, status_of(least.allocations, least.whole)))
			continue;
		if (!units_on(nodes, shape, group, type, w.m.free, status_of(w.m.allocations, w.m.whole)))
			*skip = at;
		return false;
	}
	return true;
}

/* By its intervals. */
sl_time node_soonest(const struct nodes *nodes, uint32_t row, const struct want *want)
{
	const uint32_t set = nodes->windows_live ? nodes->node[row].windows : 0;
	struct walk w;
	w.nodes = nodes;
	w.promises = want->promises;
	w.next = nodes->node[row].first;
	moment_now(nodes, row, &w.m);
	for (sl_time at = want->from; at < want->latest;) {
		walk_to(&w, at);
		sl_time skip = at;
		if (open_at(nodes, set, at, want->length, exempt_of(nodes, want->request)) &&
			walk_allocations(&w, row, want->request, after(at, want->length), &skip))
			return at;
		if (skip > at) {
			at = skip;
			walk_to(&w, at);
		}
		const sl_time open = window_ends(nodes, set, at);
		at = walk_next(&w) < open ? walk_next(&w) : open;
	}
	return SL_NEVER;
}

/* ---- Over the tree --------------------------------------------------------------------------- */

/* Beside windows or promises, a node's time is only the least that it can be. */
struct search {
	const struct nodes *nodes;
	uint32_t cache_entry, request;
	sl_time length;
	sl_time best;
	bool promises;
};

static void search_below(struct search *s, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = s->nodes;
	if (least_at(nodes, s->cache_entry, level, index) >= s->best)
		return;
	if (!level) {
		const struct want want = { s->request, nodes->now, s->length, s->best, s->promises };
		const sl_time at = node_soonest(nodes, index, &want);
		s->best = at < s->best ? at : s->best;
		return;
	}
	const uint32_t end = (index + 1) * WAYS;
	const uint32_t count = nodes->level_count[level - 1];
	for (uint32_t i = index * WAYS; i < end && i < count; i++)
		search_below(s, level - 1, i);
}

/* Without a column: node by node. */
static sl_time plain_soonest(const struct nodes *nodes, uint32_t request, sl_time length, sl_time latest)
{
	struct want want = { request, nodes->now, length, latest, true };
	for (uint32_t row = 0; row < nodes->count && want.latest > want.from; row++) {
		const sl_time at = node_soonest(nodes, row, &want);
		want.latest = at < want.latest ? at : want.latest;
	}
	return want.latest;
}

/* The node with the least time first: with it all others are likely out of the question. */
sl_time unit_soonest(struct nodes *nodes, uint32_t request, sl_time length, sl_time latest, bool promises)
{
	/* Promises query many requests, each now and then. */
	const uint32_t cache_entry =
		promises ? cache_entry_find(nodes, request) : cache_entry_of(nodes, request);
	if (cache_entry == NONE)
		return plain_soonest(nodes, request, length, latest);
	if (!ahead_update(nodes, cache_entry))
		return SL_NEVER;
	const sl_time root = least_at(nodes, cache_entry, nodes->levels - 1, 0);
	if (!nodes->windows_live && !promises)
		return root;
	struct search s = { nodes, cache_entry, request, length, latest, promises };
	if (root >= latest)
		return latest;
	uint32_t index = 0;
	for (uint32_t level = nodes->levels - 1; level > 0; level--) {
		index *= WAYS;
		while (least_at(nodes, cache_entry, level - 1, index) != root)
			index++;
	}
	search_below(&s, 0, index);
	search_below(&s, nodes->levels - 1, 0);
	return s.best;
}

static uint32_t any_below(const struct search *s, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = s->nodes;
	if (least_at(nodes, s->cache_entry, level, index) > s->best)
		return NONE;
	if (!level) {
		const bool open = !nodes->windows_live || open_at(nodes, nodes->node[index].windows, s->best,
								  s->length, exempt_of(nodes, s->request));
		return open && nodes->node[index].mark != nodes->mark ? index : NONE;
	}
	const uint32_t end = (index + 1) * WAYS;
	const uint32_t count = nodes->level_count[level - 1];
	uint32_t found = NONE;
	for (uint32_t i = index * WAYS; i < end && i < count && found == NONE; i++)
		found = any_below(s, level - 1, i);
	return found;
}

uint32_t ahead_any(const struct nodes *nodes, uint32_t cache_entry, sl_time at, sl_time length)
{
	const struct search s = { nodes, cache_entry, nodes->cache_entry[cache_entry].request, length, at,
		false };
	return any_below(&s, nodes->levels - 1, 0);
}

struct choice {
	struct nodes *nodes;
	uint32_t request, cache_entry;
	sl_time at, length;
	bool promises;
	uint32_t node;
	int64_t score;
};

static bool goes_first(const struct nodes *nodes, uint32_t row, int64_t score, const struct choice *than)
{
	const uint8_t late = nodes->node[than->node].late;
	if (nodes->node[row].late != late)
		return nodes->node[row].late < late;
	return score != than->score ? score < than->score : tie_before(nodes, row, than->node);
}

static void choose_node(struct choice *c, uint32_t row)
{
	struct nodes *nodes = c->nodes;
	const struct shape *shape = &nodes->shape[c->request];
	const struct sl_group *group = nodes->requests[c->request].group;
	int64_t free[COLUMNS_MAX];
	const struct free_window free_window = { c->at, after(c->at, c->length), c->promises, shape->exempt };
	const enum node_status status = free_window_of(nodes, row, &free_window, free);
	if (!units_on(nodes, shape, group, type_of(nodes, row), free, status))
		return;
	const int64_t score = score_of(nodes, type_of(nodes, row), free, group, shape->unit);
	if (c->node != NONE && !goes_first(nodes, row, score, c))
		return;
	c->node = row;
	c->score = score;
}

static void choose_below(struct choice *c, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = c->nodes;
	if (least_at(nodes, c->cache_entry, level, index) > c->at)
		return;
	if (!level) {
		choose_node(c, index);
		return;
	}
	const uint32_t end = (index + 1) * WAYS;
	const uint32_t count = nodes->level_count[level - 1];
	for (uint32_t i = index * WAYS; i < end && i < count; i++)
		choose_below(c, level - 1, i);
}

uint32_t ahead_choose(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool promises)
{
	struct choice c = { .nodes = nodes,
		.request = request,
		.cache_entry = promises ? cache_entry_find(nodes, request) : cache_entry_of(nodes, request),
		.at = at,
		.length = length,
		.promises = promises,
		.node = NONE };
	const struct sooner *sooner = nodes->sooner;
	if (promises && sooner && sooner->among) {
		for (uint32_t row = sooner->newest; row != NONE && sooner->node[row].at > sooner->since;
			row = sooner->node[row].older)
			if (sooner->node[row].question != sooner->question || sooner->node[row].soonest <= at)
				choose_node(&c, row);
		return c.node;
	}
	for (uint32_t row = 0; row < nodes->count && c.cache_entry == NONE; row++)
		choose_node(&c, row);
	if (c.cache_entry != NONE && ahead_update(nodes, c.cache_entry))
		choose_below(&c, nodes->levels - 1, 0);
	return c.node;
}

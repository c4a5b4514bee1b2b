/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_tree.c - for requests that need one node: a tree over the nodes of the earliest time at which each
 * holds it, as held things end.
 *
 * All tracked requests share the tree, each a column of it, since a node that
 * changes changes for all: what is next to be looked at lies side by side.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

static sl_time *column(const struct nodes *nodes, uint32_t track, uint32_t level)
{
	return &nodes->least[(size_t)nodes->level_first[level] * nodes->columns + track];
}

static sl_time least_at(const struct nodes *nodes, uint32_t track, uint32_t level, uint32_t index)
{
	return column(nodes, track, level)[(size_t)index * nodes->columns];
}

static sl_time tree_leaf(const struct nodes *nodes, uint32_t track, uint32_t row)
{
	return least_at(nodes, track, 0, row);
}

static sl_time tree_root(const struct nodes *nodes, uint32_t track)
{
	return least_at(nodes, track, nodes->levels - 1, 0);
}

/* ---- Keeping it ----------------------------------------------------------------------------------- */

/* Of these tracks, in one walk over the node's edges. */
void unit_times(const struct nodes *nodes, const uint32_t *track, uint32_t count, uint32_t row, sl_time *time)
{
	const struct node *node = &nodes->node[row];
	const uint32_t *units = &nodes->class_units[(size_t)node->class * TRACKS];
	uint32_t wait[TRACKS] = { 0 }; /* Which of them do not fit yet. */
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < count; i++) {
		time[i] = units[track[i]] ? ALWAYS : SL_NEVER;
		wait[waiting] = i;
		waiting += !units[track[i]];
	}
	if (!waiting)
		return;
	struct moment m;
	moment_now(nodes, row, &m);
	for (uint32_t next = node->first; next != NONE && waiting;) {
		const struct edge *edge = &nodes->edge[next];
		const sl_time at = edge->at;
		if (at == SL_NEVER)
			return;
		if (!(edge->flags & EDGE_PROMISE))
			moment_apply(nodes, edge, false, &m);
		next = edge->next;
		if (next != NONE && nodes->edge[next].at == at)
			continue;
		uint32_t still = 0;
		for (uint32_t k = 0; k < waiting; k++) {
			const uint32_t request = nodes->track[track[wait[k]]].request;
			const bool fits =
				units_on(nodes, &nodes->shape[request], nodes->requests[request].group,
					type_of(nodes, row), m.free, status_of(m.holds, m.whole));
			if (fits)
				time[wait[k]] = at;
			else
				wait[still++] = wait[k];
		}
		waiting = still;
	}
}

static sl_time least_below(const struct nodes *nodes, uint32_t track, uint32_t level, uint32_t index)
{
	const uint32_t first = index * WAYS;
	const uint32_t left = nodes->level_count[level - 1] - first;
	const uint32_t count = left < WAYS ? left : WAYS;
	const sl_time *time = &column(nodes, track, level - 1)[(size_t)first * nodes->columns];
	sl_time least = *time;
	for (uint32_t i = 1; i < count; i++) {
		time += nodes->columns;
		least = *time < least ? *time : least;
	}
	return least;
}

void tree_update(const struct nodes *nodes, uint32_t track, uint32_t row, sl_time time)
{
	sl_time *leaf = &column(nodes, track, 0)[(size_t)row * nodes->columns];
	sl_time was = *leaf;
	*leaf = time;
	uint32_t index = row;
	for (uint32_t level = 1; level < nodes->levels && was != time; level++) {
		index /= WAYS;
		sl_time *here = &column(nodes, track, level)[(size_t)index * nodes->columns];
		const sl_time before = *here;
		if (time < before)
			*here = time;
		else if (was == before)
			*here = time = least_below(nodes, track, level, index);
		else
			return; /* Neither was it the least, nor is it now. */
		was = before;
	}
}

/* More columns: what was in the others is made anew when it is asked for. */
static bool tree_widen(struct nodes *nodes)
{
	const uint32_t step = SL_OR_TINY(8, 1);
	free(nodes->least);
	nodes->columns = (nodes->tracks + step - 1) / step * step;
	nodes->least = lines_new((size_t)nodes->level_all * nodes->columns, sizeof(*nodes->least));
	for (uint32_t i = 0; i < nodes->tracks; i++)
		if (nodes->shape[nodes->track[i].request].kind == SHAPE_UNIT)
			nodes->track[i].ahead = false;
	return nodes->least || sl_fail_memory(&nodes->err) == SL_OK;
}

bool tree_build(struct nodes *nodes, uint32_t track)
{
	if (track >= nodes->columns && !tree_widen(nodes))
		return false;
	for (uint32_t row = 0; row < nodes->count; row++)
		unit_times(nodes, &track, 1, row, &column(nodes, track, 0)[(size_t)row * nodes->columns]);
	for (uint32_t level = 1; level < nodes->levels; level++)
		for (uint32_t i = 0; i < nodes->level_count[level]; i++)
			column(nodes, track, level)[(size_t)i * nodes->columns] =
				least_below(nodes, track, level, i);
	return true;
}

void tree_check(const struct nodes *nodes, uint32_t track)
{
	for (uint32_t row = 0; row < nodes->count; row++) {
		sl_time time;
		unit_times(nodes, &track, 1, row, &time);
		SL_CHECK(tree_leaf(nodes, track, row) == time);
	}
	for (uint32_t level = 1; level < nodes->levels; level++)
		for (uint32_t i = 0; i < nodes->level_count[level]; i++)
			SL_CHECK(least_at(nodes, track, level, i) == least_below(nodes, track, level, i));
}

/* ---- Asking it -------------------------------------------------------------------------------------- */

/* Beside windows or promises, a node's time is only the least that it can be. */
struct search {
	const struct nodes *nodes;
	uint32_t track, request;
	sl_time length;
	sl_time best;
	bool promises;
};

static void search_below(struct search *s, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = s->nodes;
	if (least_at(nodes, s->track, level, index) >= s->best)
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
static sl_time plain_soonest(const struct nodes *nodes, uint32_t request, sl_time length)
{
	struct want want = { request, nodes->now, length, SL_NEVER, true };
	for (uint32_t row = 0; row < nodes->count && want.latest > want.from; row++) {
		const sl_time at = node_soonest(nodes, row, &want);
		want.latest = at < want.latest ? at : want.latest;
	}
	return want.latest;
}

/* The node with the least time first: with it all others are likely out of the question. */
sl_time unit_soonest(struct nodes *nodes, uint32_t request, sl_time length, bool promises)
{
	/* Who asks for promises asks for many requests, each now and then. */
	const uint32_t track = promises ? track_find(nodes, request) : track_of(nodes, request);
	if (track == NONE)
		return plain_soonest(nodes, request, length);
	if (!ahead_update(nodes, track))
		return SL_NEVER;
	const sl_time root = tree_root(nodes, track);
	if (!nodes->windows_live && !promises)
		return root;
	struct search s = { nodes, track, request, length, SL_NEVER, promises };
	uint32_t index = 0;
	for (uint32_t level = nodes->levels - 1; level > 0; level--) {
		index *= WAYS;
		while (least_at(nodes, track, level - 1, index) != root)
			index++;
	}
	search_below(&s, 0, index);
	search_below(&s, nodes->levels - 1, 0);
	return s.best;
}

static uint32_t any_below(const struct search *s, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = s->nodes;
	if (least_at(nodes, s->track, level, index) > s->best)
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

uint32_t ahead_any(const struct nodes *nodes, uint32_t track, sl_time at, sl_time length)
{
	const struct search s = { nodes, track, nodes->track[track].request, length, at, false };
	return any_below(&s, nodes->levels - 1, 0);
}

struct choice {
	struct nodes *nodes;
	uint32_t request, track;
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
	const struct span span = { c->at, after(c->at, c->length), c->promises, shape->exempt };
	const enum node_status status = span_of(nodes, row, &span, free);
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
	if (least_at(nodes, c->track, level, index) > c->at)
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
		.track = promises ? track_find(nodes, request) : track_of(nodes, request),
		.at = at,
		.length = length,
		.promises = promises,
		.node = NONE };
	for (uint32_t row = 0; row < nodes->count && c.track == NONE; row++)
		choose_node(&c, row);
	if (c.track != NONE && ahead_update(nodes, c.track))
		choose_below(&c, nodes->levels - 1, 0);
	return c.node;
}

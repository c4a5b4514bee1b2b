/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_ahead.c - the earliest time at which a request fits, as held things end.
 *
 * For a request that needs one node, each node has a time at which it holds it;
 * a tree over the nodes keeps the least. For one that is counted over nodes, a
 * profile keeps how many units there are when. Both follow a log of the nodes
 * that changed, when asked, and are made anew where it was lost.
 */
#include "sim/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

void node_changed(struct nodes *nodes, uint32_t node)
{
	nodes->version++;
	if (nodes->is_changed[node])
		return;
	nodes->is_changed[node] = 1;
	nodes->changed[nodes->changed_count++] = node;
}

/* ---- One unit: a tree of least times -------------------------------------------------------- */

/* Of these tracks, in one walk over the node's edges. */
static void unit_times(
	const struct nodes *nodes, const uint32_t *track, uint32_t count, uint32_t row, sl_time *time)
{
	const struct node *node = &nodes->node[row];
	const uint32_t *units = &nodes->class_units[(size_t)node->class * TRACKS];
	uint32_t wait[TRACKS]; /* Which of them do not fit yet. */
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
			const bool fits = units_on(nodes, &nodes->shape[request],
				nodes->requests[request].group, m.free, status_of(m.holds, m.whole));
			if (fits)
				time[wait[k]] = at;
			else
				wait[still++] = wait[k];
		}
		waiting = still;
	}
}

static sl_time least_of(const sl_time *time, uint32_t count)
{
	sl_time least = time[0];
	for (uint32_t i = 1; i < count; i++)
		least = time[i] < least ? time[i] : least;
	return least;
}

static sl_time least_below(const struct nodes *nodes, const sl_time *least, uint32_t level, uint32_t index)
{
	const uint32_t first = index * WAYS;
	const uint32_t left = nodes->level_count[level - 1] - first;
	return least_of(&least[nodes->level_first[level - 1] + first], left < WAYS ? left : WAYS);
}

static void unit_update(const struct nodes *nodes, sl_time *least, uint32_t row, sl_time time)
{
	sl_time was = least[row];
	least[row] = time;
	uint32_t index = row;
	for (uint32_t level = 1; level < nodes->levels && was != time; level++) {
		index /= WAYS;
		sl_time *here = &least[nodes->level_first[level] + index];
		const sl_time before = *here;
		if (time < before)
			*here = time;
		else if (was == before)
			*here = time = least_below(nodes, least, level, index);
		else
			return; /* Neither was it the least, nor is it now. */
		was = before;
	}
}

static bool unit_build(struct nodes *nodes, uint32_t index)
{
	struct track *track = &nodes->track[index];
	if (!track->least)
		track->least = malloc(nodes->level_all * sizeof(*track->least));
	if (!track->least) {
		(void)sl_fail_memory(&nodes->err);
		return false;
	}
	for (uint32_t row = 0; row < nodes->count; row++)
		unit_times(nodes, &index, 1, row, &track->least[row]);
	for (uint32_t level = 1; level < nodes->levels; level++)
		for (uint32_t i = 0; i < nodes->level_count[level]; i++)
			track->least[nodes->level_first[level] + i] =
				least_below(nodes, track->least, level, i);
	return true;
}

/* ---- Several units: steps in a profile ----------------------------------------------------------- */

struct steps {
	struct nodes *nodes;
	struct track *track;
	uint32_t *place; /* Where the next of the old steps hangs. */
};

static bool profile_changes(struct steps *s, sl_time at, int64_t change)
{
	return !profile_add(&s->track->profile, at, change, &s->nodes->err);
}

/* The old steps before `at` are gone; one at `at` becomes `change`. */
static bool steps_pass(struct steps *s, sl_time at)
{
	struct track *track = s->track;
	while (*s->place != NONE && track->step[*s->place].at < at) {
		const uint32_t old = *s->place;
		if (!profile_changes(s, track->step[old].at, -track->step[old].change))
			return false;
		*s->place = track->step[old].next;
		track->step[old].next = track->step_spare;
		track->step_spare = old;
	}
	return true;
}

static bool step_put(struct steps *s, sl_time at, int64_t change)
{
	struct track *track = s->track;
	if (!steps_pass(s, at))
		return false;
	if (*s->place != NONE && track->step[*s->place].at == at) {
		struct step *step = &track->step[*s->place];
		const int64_t was = step->change;
		step->change = change;
		s->place = &step->next;
		return was == change || profile_changes(s, at, change - was);
	}
	uint32_t fresh = track->step_spare;
	if (fresh != NONE)
		track->step_spare = track->step[fresh].next;
	else
		fresh = track->step_used++;
	track->step[fresh] = (struct step){ at, change, *s->place };
	*s->place = fresh;
	s->place = &track->step[fresh].next;
	return profile_changes(s, at, change);
}

/* So that places in the pool stay where they are. */
static bool steps_reserve(struct nodes *nodes, struct track *track, uint32_t row)
{
	size_t most = 1;
	for (uint32_t i = nodes->node[row].first; i != NONE; i = nodes->edge[i].next)
		most++;
	return !grow((void **)&track->step, &track->step_capacity, sizeof(*track->step),
		track->step_used + most, NONE - 1, &nodes->err);
}

static bool sum_update(struct nodes *nodes, uint32_t index, uint32_t row)
{
	struct track *track = &nodes->track[index];
	if (!steps_reserve(nodes, track, row))
		return false;
	const struct shape *shape = &nodes->shape[track->request];
	const struct sl_group *group = nodes->requests[track->request].group;
	struct steps s = { nodes, track, &track->first[row] };
	struct moment m;
	moment_now(nodes, row, &m);
	uint32_t units = nodes->class_units[(size_t)nodes->node[row].class * TRACKS + index];
	for (uint32_t i = nodes->node[row].first; i != NONE;) {
		const struct edge *edge = &nodes->edge[i];
		const sl_time at = edge->at;
		if (at == SL_NEVER)
			break;
		if (!(edge->flags & EDGE_PROMISE))
			moment_apply(nodes, edge, false, &m);
		i = edge->next;
		if (i != NONE && nodes->edge[i].at == at)
			continue;
		const uint32_t then = units_on(nodes, shape, group, m.free, status_of(m.holds, m.whole));
		if (then != units && !step_put(&s, at, (int64_t)then - units))
			return false;
		units = then;
	}
	return steps_pass(&s, SL_NEVER);
}

static bool sum_build(struct nodes *nodes, uint32_t index)
{
	struct track *track = &nodes->track[index];
	if (!track->first)
		track->first = malloc(nodes->count * sizeof(*track->first));
	if (!track->first) {
		(void)sl_fail_memory(&nodes->err);
		return false;
	}
	profile_clear(&track->profile);
	memset(track->first, 0xff, nodes->count * sizeof(*track->first));
	track->step_used = 0;
	track->step_spare = NONE;
	for (uint32_t row = 0; row < nodes->count; row++)
		if (!sum_update(nodes, index, row))
			return false;
	return true;
}

/* ---- Up to date ------------------------------------------------------------------------------------- */

static bool update_all(struct nodes *nodes)
{
	uint32_t unit[TRACKS];
	uint32_t sum[TRACKS];
	uint32_t units = 0;
	uint32_t sums = 0;
	for (uint32_t i = 0; i < nodes->tracks; i++) {
		struct track *track = &nodes->track[i];
		/* Kept up so far, it has cost as much as to be made anew. */
		track->ahead =
			track->ahead && nodes->updated - track->ahead_at <= nodes->count + UINT64_C(64);
		if (!track->ahead)
			continue;
		if (nodes->shape[track->request].kind == SHAPE_UNIT)
			unit[units++] = i;
		else
			sum[sums++] = i;
	}
	while (nodes->changed_count) {
		const uint32_t row = nodes->changed[--nodes->changed_count];
		nodes->is_changed[row] = 0;
		nodes->updated++;
		sl_time time[TRACKS];
		unit_times(nodes, unit, units, row, time);
		for (uint32_t i = 0; i < units; i++)
			unit_update(nodes, nodes->track[unit[i]].least, row, time[i]);
		for (uint32_t i = 0; i < sums; i++)
			if (!sum_update(nodes, sum[i], row))
				return false;
	}
	return true;
}

bool ahead_update(struct nodes *nodes, uint32_t index)
{
	struct track *track = &nodes->track[index];
	track->ahead_at = nodes->updated;
	if (!update_all(nodes))
		return false;
	if (track->ahead)
		return true;
	track->ahead = nodes->shape[track->request].kind == SHAPE_UNIT ? unit_build(nodes, index)
								       : sum_build(nodes, index);
	return track->ahead;
}

/* ---- One node, exactly --------------------------------------------------------------------------------- */

/* Where a walk along a node's edges is. */
struct walk {
	const struct nodes *nodes;
	bool promises;
	uint32_t next; /* Edge behind. */
	struct moment m;
};

static void walk_to(struct walk *w, sl_time at)
{
	for (; w->next != NONE && w->nodes->edge[w->next].at <= at; w->next = w->nodes->edge[w->next].next)
		if (w->promises || !(w->nodes->edge[w->next].flags & EDGE_PROMISE))
			moment_apply(w->nodes, &w->nodes->edge[w->next], false, &w->m);
}

static sl_time walk_next(const struct walk *w)
{
	return w->next == NONE ? SL_NEVER : w->nodes->edge[w->next].at;
}

/* Does what is free from the walk's place until then hold the unit throughout? If not, *skip is a time up to
 * which it does not. */
static bool walk_holds(const struct walk *from, uint32_t request, sl_time until, sl_time *skip)
{
	const struct nodes *nodes = from->nodes;
	const struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	if (!units_on(nodes, shape, group, from->m.free, status_of(from->m.holds, from->m.whole)))
		return false;
	if (!from->promises || walk_next(from) >= until)
		return true;
	struct walk w = *from;
	struct moment least = w.m;
	for (sl_time at; (at = walk_next(&w)) < until;) {
		walk_to(&w, at);
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			if (w.m.free[kind] < least.free[kind])
				least.free[kind] = w.m.free[kind];
		least.holds |= w.m.holds;
		least.whole |= w.m.whole;
		if (units_on(nodes, shape, group, least.free, status_of(least.holds, least.whole)))
			continue;
		if (!units_on(nodes, shape, group, w.m.free, status_of(w.m.holds, w.m.whole)))
			*skip = at;
		return false;
	}
	return true;
}

sl_time node_soonest(const struct nodes *nodes, uint32_t request, uint32_t row, sl_time from, sl_time length,
	sl_time latest, bool promises)
{
	const uint32_t set = nodes->windows_live ? nodes->node[row].windows : 0;
	struct walk w = { .nodes = nodes, .promises = promises, .next = nodes->node[row].first };
	moment_now(nodes, row, &w.m);
	for (sl_time at = from; at < latest;) {
		walk_to(&w, at);
		sl_time skip = at;
		if (open_at(nodes, set, at, length) && walk_holds(&w, request, after(at, length), &skip))
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

/* ---- In the tree, with windows --------------------------------------------------------------------------
 */

struct search {
	const struct nodes *nodes;
	const sl_time *least;
	uint32_t request;
	sl_time length;
	sl_time best;
	bool promises;
};

static void search_below(struct search *s, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = s->nodes;
	if (s->least[nodes->level_first[level] + index] >= s->best)
		return;
	if (!level) {
		const sl_time at =
			node_soonest(nodes, s->request, index, nodes->now, s->length, s->best, s->promises);
		s->best = at < s->best ? at : s->best;
		return;
	}
	const uint32_t end = (index + 1) * WAYS;
	const uint32_t count = nodes->level_count[level - 1];
	for (uint32_t i = index * WAYS; i < end && i < count; i++)
		search_below(s, level - 1, i);
}

/* The node with the least time first: with it all others are likely out of the question. */
sl_time unit_soonest(struct nodes *nodes, uint32_t request, sl_time length, bool promises)
{
	const uint32_t track = track_of(nodes, request);
	if (!ahead_update(nodes, track))
		return SL_NEVER;
	const sl_time *least = nodes->track[track].least;
	const sl_time root = least[nodes->level_first[nodes->levels - 1]];
	if (!nodes->windows_live && !promises)
		return root;
	struct search s = { nodes, least, request, length, SL_NEVER, promises };
	uint32_t index = 0;
	for (uint32_t level = nodes->levels - 1; level > 0; level--) {
		index *= WAYS;
		while (least[nodes->level_first[level - 1] + index] != root)
			index++;
	}
	search_below(&s, 0, index);
	search_below(&s, nodes->levels - 1, 0);
	return s.best;
}

static bool any_below(const struct search *s, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = s->nodes;
	if (s->least[nodes->level_first[level] + index] > s->best)
		return false;
	if (!level)
		return nodes->node[index].mark != nodes->mark &&
		       (!nodes->windows_live ||
			       open_at(nodes, nodes->node[index].windows, s->best, s->length));
	const uint32_t end = (index + 1) * WAYS;
	const uint32_t count = nodes->level_count[level - 1];
	for (uint32_t i = index * WAYS; i < end && i < count; i++)
		if (any_below(s, level - 1, i))
			return true;
	return false;
}

bool ahead_any(const struct nodes *nodes, uint32_t track, sl_time at, sl_time length)
{
	const struct search s = { nodes, nodes->track[track].least, nodes->track[track].request, length, at,
		false };
	return any_below(&s, nodes->levels - 1, 0);
}

struct choice {
	struct nodes *nodes;
	uint32_t request, track;
	sl_time at, length;
	bool promises;
	uint32_t node;
	int64_t score;
	int64_t *free;
};

static void choose_node(struct choice *c, uint32_t row)
{
	struct nodes *nodes = c->nodes;
	const struct shape *shape = &nodes->shape[c->request];
	const struct sl_group *group = nodes->requests[c->request].group;
	int64_t free[SL_KINDS_MAX];
	const enum node_status status =
		span_of(nodes, row, c->at, after(c->at, c->length), c->promises, free);
	if (!units_on(nodes, shape, group, free, status))
		return;
	const int64_t score = score_of(nodes, type_of(nodes, row), free, group, shape->unit);
	if (c->node != NONE && score >= c->score)
		return;
	c->node = row;
	c->score = score;
	memcpy(c->free, free, nodes->kinds * sizeof(*free));
}

static void choose_below(struct choice *c, uint32_t level, uint32_t index)
{
	const struct nodes *nodes = c->nodes;
	if (nodes->track[c->track].least[nodes->level_first[level] + index] > c->at)
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

uint32_t ahead_choose(
	struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool promises, int64_t *free)
{
	struct choice c = { .nodes = nodes,
		.request = request,
		.track = track_of(nodes, request),
		.at = at,
		.length = length,
		.promises = promises,
		.node = NONE,
		.free = free };
	if (ahead_update(nodes, c.track))
		choose_below(&c, nodes->levels - 1, 0);
	return c.node;
}

/* ---- Questions
 * ---------------------------------------------------------------------------------------------- */

sl_time nodes_soonest(struct nodes *nodes, uint32_t request, sl_time length)
{
	if (failed(nodes) || !nodes_could_hold(nodes, request))
		return SL_NEVER;
	if (nodes_fits(nodes, request, length))
		return nodes->now;
	const struct shape *shape = &nodes->shape[request];
	if (shape->kind == SHAPE_OTHER || (shape->kind == SHAPE_SUM && nodes->windows_live))
		return sweep(nodes, request, length, false);
	sl_time at = SL_NEVER;
	if (shape->kind == SHAPE_UNIT) {
		at = unit_soonest(nodes, request, length, false);
	} else {
		const uint32_t track = track_of(nodes, request);
		struct profile_point point;
		if (ahead_update(nodes, track) &&
			profile_first_least(&nodes->track[track].profile, ALWAYS, SL_NEVER,
				(int64_t)shape->need - units_now(nodes, track, length), &point))
			at = point.at;
	}
	return at > nodes->now ? at : nodes->now;
}

/* Each leaf, and each step, is what it would be if it was made now. */
void ahead_check(struct nodes *nodes)
{
	for (uint32_t t = 0; t < TRACKS; t++) {
		struct track *track = &nodes->track[t];
		if (track->request == NONE || !track->ahead || !ahead_update(nodes, t))
			continue;
		for (uint32_t row = 0; row < nodes->count && track->least; row++) {
			sl_time time;
			unit_times(nodes, &t, 1, row, &time);
			SL_CHECK(track->least[row] == time);
		}
		for (uint32_t level = 1; level < nodes->levels && track->least; level++)
			for (uint32_t i = 0; i < nodes->level_count[level]; i++)
				SL_CHECK(track->least[nodes->level_first[level] + i] ==
					 least_below(nodes, track->least, level, i));
	}
}

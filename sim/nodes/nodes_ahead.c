/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_ahead.c - the earliest time at which a request fits, as held things end.
 *
 * For a request that needs one node, each node has a time at which it holds it;
 * a tree over the nodes keeps the least. For one that is counted over nodes, a
 * profile keeps how many units there are when. Both follow a log of the nodes
 * that changed, when asked, and are made anew where it was lost.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

void node_changed(struct nodes *nodes, uint32_t node)
{
	nodes->version++;
	nodes->log[nodes->log_count++ % LOG] = node;
	if (nodes->node[node].changed)
		return;
	nodes->node[node].changed = true;
	nodes->changed[nodes->changed_count++] = node;
	if (nodes->least) /* It will be written to soon. */
		__builtin_prefetch(&nodes->least[(size_t)node * nodes->columns], 1);
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
	return !SL_GROW_MOST(
		track->step, track->step_capacity, track->step_used + most, NONE - 1, &nodes->err);
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
		const uint32_t then = units_on(
			nodes, shape, group, type_of(nodes, row), m.free, status_of(m.holds, m.whole));
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
		nodes->node[row].changed = false;
		nodes->updated++;
		sl_time time[TRACKS];
		unit_times(nodes, unit, units, row, time);
		for (uint32_t i = 0; i < units; i++)
			tree_update(nodes, unit[i], row, time[i]);
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
	track->ahead = nodes->shape[track->request].kind == SHAPE_UNIT ? tree_build(nodes, index)
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
static bool walk_holds(const struct walk *from, uint32_t row, uint32_t request, sl_time until, sl_time *skip)
{
	const struct nodes *nodes = from->nodes;
	const struct shape *shape = &nodes->shape[request];
	const struct sl_group *group = nodes->requests[request].group;
	const uint32_t type = type_of(nodes, row);
	if (!units_on(nodes, shape, group, type, from->m.free, status_of(from->m.holds, from->m.whole)))
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
		least.holds |= w.m.holds;
		least.whole |= w.m.whole;
		if (units_on(nodes, shape, group, type, least.free, status_of(least.holds, least.whole)))
			continue;
		if (!units_on(nodes, shape, group, type, w.m.free, status_of(w.m.holds, w.m.whole)))
			*skip = at;
		return false;
	}
	return true;
}

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
			walk_holds(&w, row, want->request, after(at, want->length), &skip))
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
		if (nodes->shape[track->request].kind == SHAPE_UNIT)
			tree_check(nodes, t);
	}
}

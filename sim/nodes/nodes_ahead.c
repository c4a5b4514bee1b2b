/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_ahead.c - ahead: what each request lately asked finds free later, as held things end, brought up to
 * date.
 *
 * For a request that needs one node, each node has a time at which it holds it;
 * a tree over the nodes keeps the least. For one that is counted over nodes, a
 * profile keeps how many units there are when. Both follow a log of the nodes
 * that changed, when asked, and are made anew where it was lost.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Several units: steps in a profile ------------------------------------------------------- */

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
	if (!track->first)
		return (void)sl_fail_memory(&nodes->err), false;
	profile_clear(&track->profile);
	memset(track->first, 0xff, nodes->count * sizeof(*track->first));
	track->step_used = 0;
	track->step_spare = NONE;
	for (uint32_t row = 0; row < nodes->count; row++)
		if (!sum_update(nodes, index, row))
			return false;
	return true;
}

/* ---- Up to date ------------------------------------------------------------------------------ */

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

/* ---- Questions ------------------------------------------------------------------------------- */

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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_ahead.c - future capacity: what each recently queried request finds free later, as allocations end;
 * kept up to date.
 *
 * For a request that needs one node, each node has the earliest time at which it fits;
 * a tree over the nodes keeps the least. For one that is counted over nodes, a
 * profile keeps how many units there are when. Both are updated from a log of the nodes that changed, when
 * queried, and rebuilt where the log is too short.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Several units: steps in a profile ------------------------------------------------------- */

struct steps {
	struct nodes *nodes;
	struct cache_entry *cache_entry;
	uint32_t *place; /* Where the next of the old steps hangs. */
};

static bool profile_changes(struct steps *s, sl_time at, int64_t change)
{
	return !profile_add(&s->cache_entry->profile, at, change, &s->nodes->err);
}

/* The old steps before `at` are gone; one at `at` becomes `change`. */
static bool steps_pass(struct steps *s, sl_time at)
{
	struct cache_entry *cache_entry = s->cache_entry;
	while (*s->place != NONE && cache_entry->step[*s->place].at < at) {
		const uint32_t old = *s->place;
		if (!profile_changes(s, cache_entry->step[old].at, -cache_entry->step[old].change))
			return false;
		*s->place = cache_entry->step[old].next;
		cache_entry->step[old].next = cache_entry->step_spare;
		cache_entry->step_spare = old;
	}
	return true;
}

static bool step_put(struct steps *s, sl_time at, int64_t change)
{
	struct cache_entry *cache_entry = s->cache_entry;
	if (!steps_pass(s, at))
		return false;
	if (*s->place != NONE && cache_entry->step[*s->place].at == at) {
		struct step *step = &cache_entry->step[*s->place];
		const int64_t was = step->change;
		step->change = change;
		s->place = &step->next;
		return was == change || profile_changes(s, at, change - was);
	}
	uint32_t fresh = cache_entry->step_spare;
	if (fresh != NONE)
		cache_entry->step_spare = cache_entry->step[fresh].next;
	else
		fresh = cache_entry->step_used++;
	cache_entry->step[fresh] = (struct step){ at, change, *s->place };
	*s->place = fresh;
	s->place = &cache_entry->step[fresh].next;
	return profile_changes(s, at, change);
}

/* So that places in the pool stay where they are. */
static bool steps_reserve(struct nodes *nodes, struct cache_entry *cache_entry, uint32_t row)
{
	size_t most = 1;
	for (uint32_t i = nodes->node[row].first; i != NONE; i = nodes->interval[i].next)
		most++;
	return !SL_GROW_MOST(cache_entry->step, cache_entry->step_capacity, cache_entry->step_used + most,
		NONE - 1, &nodes->err);
}

static bool sum_update(struct nodes *nodes, uint32_t index, uint32_t row)
{
	struct cache_entry *cache_entry = &nodes->cache_entry[index];
	if (!steps_reserve(nodes, cache_entry, row))
		return false;
	const struct shape *shape = &nodes->shape[cache_entry->request];
	const struct sl_group *group = nodes->requests[cache_entry->request].group;
	struct steps s = { nodes, cache_entry, &cache_entry->first[row] };
	struct moment m;
	moment_now(nodes, row, &m);
	uint32_t units = nodes->class_units[(size_t)nodes->node[row].class * CACHE_ENTRIES + index];
	for (uint32_t i = nodes->node[row].first; i != NONE;) {
		const struct interval *interval = &nodes->interval[i];
		const sl_time at = interval->at;
		if (at == SL_NEVER)
			break;
		if (!(interval->flags & INTERVAL_PROMISE))
			moment_apply(nodes, interval, false, &m);
		i = interval->next;
		if (i != NONE && nodes->interval[i].at == at)
			continue;
		const uint32_t then = units_on(
			nodes, shape, group, type_of(nodes, row), m.free, status_of(m.allocations, m.whole));
		if (then != units && !step_put(&s, at, (int64_t)then - units))
			return false;
		units = then;
	}
	return steps_pass(&s, SL_NEVER);
}

static bool sum_build(struct nodes *nodes, uint32_t index)
{
	struct cache_entry *cache_entry = &nodes->cache_entry[index];
	if (!cache_entry->first)
		cache_entry->first = malloc(nodes->count * sizeof(*cache_entry->first));
	if (!cache_entry->first)
		return (void)sl_fail_memory(&nodes->err), false;
	profile_clear(&cache_entry->profile);
	memset(cache_entry->first, 0xff, nodes->count * sizeof(*cache_entry->first));
	cache_entry->step_used = 0;
	cache_entry->step_spare = NONE;
	for (uint32_t row = 0; row < nodes->count; row++)
		if (!sum_update(nodes, index, row))
			return false;
	return true;
}

/* ---- Up to date ------------------------------------------------------------------------------ */

static bool update_all(struct nodes *nodes)
{
	uint32_t unit[CACHE_ENTRIES];
	uint32_t sum[CACHE_ENTRIES];
	uint32_t units = 0;
	uint32_t sums = 0;
	for (uint32_t i = 0; i < nodes->cache_entries; i++) {
		struct cache_entry *cache_entry = &nodes->cache_entry[i];
		/* Updates so far have cost as much as a rebuild. */
		cache_entry->ahead = cache_entry->ahead &&
				     nodes->updated - cache_entry->ahead_at <= nodes->count + UINT64_C(64);
		if (!cache_entry->ahead)
			continue;
		if (nodes->shape[cache_entry->request].kind == SHAPE_UNIT)
			unit[units++] = i;
		else
			sum[sums++] = i;
	}
	while (nodes->changed_count) {
		const uint32_t row = nodes->changed[--nodes->changed_count];
		nodes->node[row].changed = false;
		nodes->updated++;
		sl_time time[CACHE_ENTRIES];
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
	struct cache_entry *cache_entry = &nodes->cache_entry[index];
	cache_entry->ahead_at = nodes->updated;
	if (!update_all(nodes))
		return false;
	if (cache_entry->ahead)
		return true;
	cache_entry->ahead = nodes->shape[cache_entry->request].kind == SHAPE_UNIT ? tree_build(nodes, index)
										   : sum_build(nodes, index);
	return cache_entry->ahead;
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* Each leaf, and each step, is what it would be if it was made now. */
void ahead_check(struct nodes *nodes)
{
	for (uint32_t t = 0; t < CACHE_ENTRIES; t++) {
		struct cache_entry *cache_entry = &nodes->cache_entry[t];
		if (cache_entry->request == NONE || !cache_entry->ahead || !ahead_update(nodes, t))
			continue;
		if (nodes->shape[cache_entry->request].kind == SHAPE_UNIT)
			tree_check(nodes, t);
	}
}

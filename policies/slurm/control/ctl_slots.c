/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_slots.c - the backfill's plan as slurmctld keeps it (node_space): see ctl_bf.h.
 */
#include <string.h>

#include "policies/slurm/control/ctl_bf.h"

static bool capacity_for(struct ctl_slots *s, uint32_t count)
{
	struct ctl *c = s->c;
	if (count <= s->capacity)
		return true;
	const uint32_t capacity = 2 * count + 30;
	const size_t licenses = c->cluster->license_count;
	struct ctl_slot *slot = sl_alloc(c->arena, capacity, sizeof(*slot));
	uint64_t *nodes = sl_alloc(c->arena, (capacity - s->capacity) * s->words, sizeof(*nodes));
	int64_t *counts = sl_alloc(c->arena, (capacity - s->capacity) * licenses + 1, sizeof(*counts));
	if (!slot || !nodes || !counts) {
		controller_no_memory(&c->engine);
		return false;
	}
	if (s->capacity)
		memcpy(slot, s->slot, s->capacity * sizeof(*slot));
	for (uint32_t i = s->capacity; i < capacity; i++) {
		slot[i].nodes = &nodes[(i - s->capacity) * s->words];
		slot[i].licenses = &counts[(i - s->capacity) * licenses];
	}
	s->slot = slot;
	s->capacity = capacity;
	return true;
}

bool ctl_slots_begin(struct ctl_slots *s, ctl_time now, ctl_time window_end, const uint64_t *nodes)
{
	const struct sl_cluster *cluster = s->c->cluster;
	s->count = 0;
	if (!capacity_for(s, 1))
		return false;
	s->slot[0].begin = now;
	s->slot[0].end = window_end;
	s->slot[0].next = 0;
	memcpy(s->slot[0].nodes, nodes, s->words * sizeof(*nodes));
	for (uint32_t i = 0; i < cluster->license_count; i++)
		s->slot[0].licenses[i] = cluster->license[i].total;
	s->count = 1;
	s->window_end = window_end;
	s->still_until = CTL_NEVER;
	return true;
}

static void still_until(struct ctl_slots *s, ctl_time at)
{
	if (at < s->still_until)
		s->still_until = at;
}

/* The slot behind has nodes that this one has not. 24.11 looks at those alone that the job could have at all,
 * and that the slots so far have left; what it waits for goes by that (will_run_data). */
static bool has_more(const struct ctl_slots *s, const struct ctl_slot *slot, const struct ctl_slot *next,
	const uint64_t *left)
{
	if (s->c->params.version < CTL_24_11)
		return !nset_within(next->nodes, slot->nodes, s->words);
	for (size_t w = 0; w < s->words; w++)
		if (s->asked[w] & next->nodes[w] & ~(left[w] & slot->nodes[w]))
			return true;
	return false;
}

ctl_time ctl_slots_and(struct ctl_slots *s, ctl_time start, ctl_time end, ctl_time now, uint64_t *nodes)
{
	const bool goes_on = s->c->params.version >= CTL_24_11;
	ctl_time later = CTL_NEVER;
	memcpy(s->asked, nodes, s->words * sizeof(*nodes));
	for (uint32_t i = 0;;) {
		const struct ctl_slot *slot = &s->slot[i];
		const struct ctl_slot *next = &s->slot[slot->next];
		if (slot->end > start && slot->next && later == CTL_NEVER && has_more(s, slot, next, nodes))
			later = slot->end;
		if (slot->end > start) {
			if (slot->begin > end) {
				/* As time goes on, a job that would start now reaches it. */
				if (start <= now)
					still_until(s, slot->begin - (end - now));
				if (goes_on && later == CTL_NEVER && slot->next && next->next)
					later = next->end;
				break;
			}
			nset_and(nodes, slot->nodes, s->words);
			if (start <= now && slot->end != s->window_end)
				still_until(s, slot->end);
		}
		i = slot->next;
		if (!i)
			break;
	}
	return later;
}

bool ctl_slots_overlap(const struct ctl_slots *s, ctl_time start, ctl_time end, const uint64_t *nodes)
{
	for (uint32_t i = 0;;) {
		const struct ctl_slot *slot = &s->slot[i];
		if (slot->end > start && slot->begin < end && !nset_within(nodes, slot->nodes, s->words))
			return true;
		i = slot->next;
		if (!i)
			return false;
	}
}

ctl_time ctl_slots_licensed(const struct ctl_slots *s, ctl_time start, ctl_time end, const int64_t *licenses)
{
	const uint32_t count = s->c->cluster->license_count;
	ctl_time last = CTL_NONE;
	for (uint32_t i = 0;;) {
		const struct ctl_slot *slot = &s->slot[i];
		for (uint32_t k = 0; slot->end > start && slot->begin <= end && k < count; k++)
			if (licenses[k] > slot->licenses[k])
				last = slot->end;
		i = slot->next;
		if (!i)
			return last;
	}
}

/* Parts slot i at that time; the new one is behind it. */
static void ctl_slots_part(struct ctl_slots *s, uint32_t i, ctl_time at)
{
	struct ctl_slot *from = &s->slot[i];
	struct ctl_slot *to = &s->slot[s->count];
	to->begin = at;
	to->end = from->end;
	from->end = at;
	memcpy(to->nodes, from->nodes, s->words * sizeof(*to->nodes));
	memcpy(to->licenses, from->licenses, s->c->cluster->license_count * sizeof(*to->licenses));
	to->next = from->next;
	from->next = s->count++;
}

/* One pair of neighbours that are alike becomes one: slurmctld joins no more than that at a time, and what it
 * made counts against bf_node_space_size for good. */
static void join_one(struct ctl_slots *s)
{
	for (uint32_t i = 0; s->slot[i].next; i = s->slot[i].next) {
		struct ctl_slot *a = &s->slot[i];
		const struct ctl_slot *b = &s->slot[a->next];
		if (memcmp(a->nodes, b->nodes, s->words * sizeof(*a->nodes)) != 0 ||
			memcmp(a->licenses, b->licenses,
				s->c->cluster->license_count * sizeof(*a->licenses)) != 0)
			continue;
		a->end = b->end;
		a->next = b->next;
		return;
	}
}

/* Where a slot begins at that time, or ends the window; the slots are parted there. */
static uint32_t cut_start(struct ctl_slots *s, ctl_time start)
{
	for (uint32_t i = 0;;) {
		if (s->slot[i].end > start)
			ctl_slots_part(s, i, start);
		if (s->slot[i].end == start)
			return i;
		i = s->slot[i].next;
		if (!i)
			return UINT32_MAX;
	}
}

static void cut_end(struct ctl_slots *s, uint32_t from, ctl_time end)
{
	for (uint32_t i = s->slot[from].next; i; i = s->slot[i].next) {
		if (end < s->slot[i].end)
			ctl_slots_part(s, i, end);
		if (end == s->slot[i].end)
			return;
	}
}

bool ctl_slots_take(
	struct ctl_slots *s, ctl_time start, ctl_time end, const uint64_t *nodes, const int64_t *licenses)
{
	const uint32_t licence_count = s->c->cluster->license_count;
	if (!capacity_for(s, s->count + 2))
		return false;
	start = start > s->slot[0].begin ? start : s->slot[0].begin;
	const uint32_t from = cut_start(s, start);
	if (from != UINT32_MAX)
		cut_end(s, from, end);
	for (uint32_t i = 0;;) {
		const struct ctl_slot *slot = &s->slot[i];
		if (slot->begin >= start && slot->end <= end) {
			nset_and_not(slot->nodes, nodes, s->words);
			for (uint32_t k = 0; licenses && k < licence_count; k++)
				slot->licenses[k] -= licenses[k];
		}
		if (slot->begin >= end || !slot->next)
			break;
		i = slot->next;
	}
	join_one(s);
	return true;
}

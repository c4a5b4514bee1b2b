/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_agenda.c - what is to be done at a time: a binary heap by (time, order of putting down).
 */
#include "policies/kueue/kueue.h"

#include <stdlib.h>

static bool before(const struct kueue_entry *a, const struct kueue_entry *b)
{
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

void kueue_due(struct kueue *k, sl_time at, enum kueue_due due, uint32_t row)
{
	size_t capacity = k->agenda_capacity;
	if (at == SL_NEVER || !kueue_reserve(k, (void **)&k->agenda, &capacity, sizeof(*k->agenda),
				      (size_t)k->agenda_count + 1))
		return;
	k->agenda_capacity = (uint32_t)capacity;
	const struct kueue_entry entry = { .at = at > k->now ? at : k->now,
		.seq = k->agenda_seq++,
		.row = row,
		.stamp = row < k->jobs->count && due <= KUEUE_DUE_LIMIT ? k->job[row].stamp : 0,
		.due = due };
	uint32_t to = k->agenda_count++;
	for (; to && before(&entry, &k->agenda[(to - 1) / 2]); to = (to - 1) / 2)
		k->agenda[to] = k->agenda[(to - 1) / 2];
	k->agenda[to] = entry;
}

sl_time kueue_due_next(const struct kueue *k) { return k->agenda_count ? k->agenda[0].at : SL_NEVER; }

bool kueue_due_pop(struct kueue *k, struct kueue_entry *entry)
{
	if (!k->agenda_count || k->agenda[0].at > k->now)
		return false;
	*entry = k->agenda[0];
	const struct kueue_entry last = k->agenda[--k->agenda_count];
	uint32_t to = 0;
	for (;;) {
		uint32_t child = to * 2 + 1;
		if (child >= k->agenda_count)
			break;
		if (child + 1 < k->agenda_count && before(&k->agenda[child + 1], &k->agenda[child]))
			child++;
		if (!before(&k->agenda[child], &last))
			break;
		k->agenda[to] = k->agenda[child];
		to = child;
	}
	if (k->agenda_count)
		k->agenda[to] = last;
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_agenda.c - what is to be done at a time: a binary heap by (time, order of putting down).
 */
#include "policies/kueue/kueue.h"

#include <stdlib.h>

static bool before(const struct kueue *k, const struct kueue_entry *a, const struct kueue_entry *b)
{
	(void)k;
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}
SL_HEAP(agenda, struct kueue_entry, const struct kueue *, before, SL_HEAP_UNPLACED)

void kueue_due(struct kueue *k, sl_time at, enum kueue_due due, uint32_t row)
{
	size_t capacity = k->agenda_capacity;
	if (at == SL_NEVER || !kueue_reserve(k, (void **)&k->agenda, &capacity, sizeof(*k->agenda),
				      (size_t)k->agenda_count + 1))
		return;
	k->agenda_capacity = (uint32_t)capacity;
	k->agenda[k->agenda_count] = (struct kueue_entry){ .at = at > k->now ? at : k->now,
		.seq = k->agenda_seq++,
		.row = row,
		.stamp = row < k->jobs->count && due <= KUEUE_DUE_LIMIT ? k->job[row].stamp : 0,
		.due = due };
	(void)agenda_up(k, k->agenda, k->agenda_count++);
}

sl_time kueue_due_next(const struct kueue *k) { return k->agenda_count ? k->agenda[0].at : SL_NEVER; }

bool kueue_due_pop(struct kueue *k, struct kueue_entry *entry)
{
	if (!k->agenda_count || k->agenda[0].at > k->now)
		return false;
	*entry = k->agenda[0];
	agenda_remove(k, k->agenda, --k->agenda_count, 0);
	return true;
}

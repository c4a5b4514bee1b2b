/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_agenda.c - what is to be done at a time: a binary heap by (time, order of putting down).
 */
#include "policies/runai/runai.h"

static bool before(const struct runai *r, const struct runai_entry *a, const struct runai_entry *b)
{
	(void)r;
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}
SL_HEAP(agenda, struct runai_entry, const struct runai *, before, SL_HEAP_UNPLACED)

void runai_due(struct runai *r, sl_time at, enum runai_due due, uint32_t row)
{
	runai_due_task(r, at, due, row, 0);
}

void runai_due_task(struct runai *r, sl_time at, enum runai_due due, uint32_t row, uint32_t task)
{
	size_t capacity = r->agenda_capacity;
	if (at == SL_NEVER || !runai_reserve(r, (void **)&r->agenda, &capacity, sizeof(*r->agenda),
				      (size_t)r->agenda_count + 1))
		return;
	r->agenda_capacity = (uint32_t)capacity;
	r->agenda[r->agenda_count] = (struct runai_entry){ .at = at > r->now ? at : r->now,
		.seq = r->agenda_seq++,
		.row = row,
		.stamp = row < r->jobs->count ? r->run[row].stamp : 0,
		.due = due,
		.task = task };
	(void)agenda_up(r, r->agenda, r->agenda_count++);
}

sl_time runai_due_next(const struct runai *r) { return r->agenda_count ? r->agenda[0].at : SL_NEVER; }

bool runai_due_pop(struct runai *r, struct runai_entry *entry)
{
	if (!r->agenda_count || r->agenda[0].at > r->now)
		return false;
	*entry = r->agenda[0];
	agenda_remove(r, r->agenda, --r->agenda_count, 0);
	return true;
}

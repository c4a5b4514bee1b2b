/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evq.h - the event queue: a 4-ary heap of plain values.
 *
 * Order is total and holds no pointers: (time, class, seq). Two events at one
 * instant run in class order, so a job's end frees its nodes before a later
 * submission looks for them; within a class, the lower seq runs first.
 * Submissions are not in it: they come from the job table, which is sorted.
 */
#ifndef SL_EVQ_H
#define SL_EVQ_H

#include "sim/base/base.h"

struct ev {
	sl_time time;
	uint64_t seq;   /* Tie-break: insertion order. */
	uint32_t class; /* enum sl_event_class */
	uint32_t row;   /* Job, node or timer, as the class says. */
};

struct evq {
	struct ev *heap;
	size_t count, capacity;
	uint64_t seq; /* Of the next push. */
};

int evq_init(struct evq *q, size_t capacity, struct sl_err *err);
void evq_release(struct evq *q);
int evq_push(struct evq *q, sl_time time, enum sl_event_class class, uint32_t row, struct sl_err *err);
/* The queue must not be empty. */
struct ev evq_pop(struct evq *q);
/* Only those stay, in the order that they had. */
void evq_keep(struct evq *q, bool (*keep)(void *self, const struct ev *ev), void *self);
static inline const struct ev *evq_top(const struct evq *q) { return q->count ? &q->heap[0] : NULL; }

#endif

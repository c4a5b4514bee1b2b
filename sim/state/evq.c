/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * evq.c - the heap. Children of i are 4i+1 .. 4i+4: four fit in two cache lines, and the tree is half as
 * deep.
 */
#include "sim/state/evq.h"

#include <stdlib.h>

enum { WAYS = 4 };

static bool evq_before(const struct ev *a, const struct ev *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->class != b->class)
		return a->class < b->class;
	return a->seq < b->seq;
}

int evq_init(struct evq *q, size_t capacity, struct sl_err *err)
{
	*q = (struct evq){ 0 };
	return SL_GROW(q->heap, q->capacity, capacity, err);
}

void evq_release(struct evq *q)
{
	free(q->heap);
	*q = (struct evq){ 0 };
}

int evq_push(struct evq *q, sl_time time, enum sl_event_class class, uint32_t row, struct sl_err *err)
{
	if (q->count == q->capacity) {
		const int status = SL_GROW(q->heap, q->capacity, q->count + 1, err);
		if (status)
			return status;
	}
	const struct ev ev = { time, q->seq++, class, row };
	size_t i = q->count++;
	while (i) {
		const size_t up = (i - 1) / WAYS;
		if (!evq_before(&ev, &q->heap[up]))
			break;
		q->heap[i] = q->heap[up];
		i = up;
	}
	q->heap[i] = ev;
	return SL_OK;
}

/* Puts `ev` at i or below, where it belongs. */
static void sift_down(struct evq *q, size_t i, const struct ev *ev)
{
	for (;;) {
		const size_t first = i * WAYS + 1;
		if (first >= q->count)
			break;
		const size_t end = first + WAYS < q->count ? first + WAYS : q->count;
		size_t least = first;
		for (size_t child = first + 1; child < end; child++)
			if (evq_before(&q->heap[child], &q->heap[least]))
				least = child;
		if (!evq_before(&q->heap[least], ev))
			break;
		q->heap[i] = q->heap[least];
		i = least;
	}
	q->heap[i] = *ev;
}

struct ev evq_pop(struct evq *q)
{
	SL_CHECK(q->count);
	const struct ev top = q->heap[0];
	const struct ev last = q->heap[--q->count];
	if (q->count)
		sift_down(q, 0, &last);
	return top;
}

void evq_keep(struct evq *q, bool (*keep)(void *self, const struct ev *ev), void *self)
{
	size_t kept = 0;
	for (size_t i = 0; i < q->count; i++)
		if (keep(self, &q->heap[i]))
			q->heap[kept++] = q->heap[i];
	q->count = kept;
	for (size_t i = kept; i-- > 0;) {
		const struct ev ev = q->heap[i];
		sift_down(q, i, &ev);
	}
}

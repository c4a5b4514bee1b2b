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

/* The first of the children that begin there, of which there is one at least. */
static size_t first_of(const struct evq *q, size_t first)
{
	const struct ev *child = &q->heap[first];
	if (first + WAYS <= q->count) {
		const size_t a = evq_before(&child[1], &child[0]);
		const size_t b = evq_before(&child[3], &child[2]) ? 3 : 2;
		return first + (evq_before(&child[b], &child[a]) ? b : a);
	}
	size_t least = first;
	for (size_t i = first + 1; i < q->count; i++)
		if (evq_before(&q->heap[i], &q->heap[least]))
			least = i;
	return least;
}

/* Puts `ev` at i or below, where it belongs. */
static void sift_down(struct evq *q, size_t i, const struct ev *ev)
{
	for (size_t first; (first = i * WAYS + 1) < q->count;) {
		const size_t least = first_of(q, first);
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

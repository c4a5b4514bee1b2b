/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_lane.c - the active of a queue as heaps, and the inadmissible as a bag: in, out, and who is first.
 */
#include "policies/kueue/rules/kq_wait.h"

#include <stdlib.h>
#include <string.h>

void *kq_queue_grow(struct kq *kq, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	const uint32_t room = *capacity ? *capacity * 2 : 8;
	void *more = room > *capacity ? realloc(array, room * size) : NULL;
	if (!more)
		return kq_fail(kq, SL_SYSTEM, "out of memory"), NULL;
	*capacity = room;
	return more;
}

/* Rows come to be as the run goes on. */
struct kq_waits *kq_waits(struct kq *kq)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	if (!waits)
		waits = kq->state[KQ_PART_QUEUE] = calloc(1, sizeof(*waits));
	if (!waits)
		return kq_fail(kq, SL_SYSTEM, "out of memory"), NULL;
	if (waits->capacity < kq->workload_count) {
		const uint32_t room =
			kq->workload_count + kq->workload_count / 2 + 16; /* KQ_ROWS_MAX bounds it. */
		struct kq_wait *more = realloc(waits->of, room * sizeof(*more));
		if (!more)
			return kq_fail(kq, SL_SYSTEM, "out of memory"), NULL;
		waits->of = more;
		for (uint32_t i = waits->capacity; i < room; i++)
			more[i] = (struct kq_wait){ .queue = KQ_NO, .next = KQ_NO, .prev = KQ_NO };
		waits->capacity = room;
	}
	return waits;
}

struct kq_queue *kq_queue_of(struct kq *kq, uint32_t queue)
{
	struct kq_queue *made = kq->node[queue].queue;
	if (made)
		return made;
	made = calloc(1, sizeof(*made));
	if (!made)
		return kq_fail(kq, SL_SYSTEM, "out of memory"), NULL;
	made->in_flight = made->preemptor = KQ_NO;
	made->woken = -1;
	made->epoch = 1;
	kq->node[queue].queue = made;
	return made;
}

bool kq_afs_orders(const struct kq *kq, uint32_t queue)
{
	return kq->config.afs && kq->config.gate[KQ_GATE_AdmissionFairSharing] && kq->node[queue].usage_based;
}

/* ---- One heap ---- */

struct heap {
	struct kq *kq;
	const struct kq_queue *queue;
	const struct kq_wait *of;
	uint32_t *at;
	uint32_t count;
};

static bool goes_before(const struct heap *heap, uint32_t a, uint32_t b)
{
	const struct kq_wait *left = &heap->of[a], *right = &heap->of[b];
	if (heap->queue->sticky && (heap->queue->preemptor == a || heap->queue->preemptor == b))
		return heap->queue->preemptor == a;
	if (left->priority != right->priority)
		return left->priority > right->priority;
	if (left->time != right->time)
		return left->time < right->time;
	return kq_names_compare(heap->kq, a, b) < 0;
}

static void put(const struct heap *heap, uint32_t at, uint32_t workload)
{
	heap->at[at] = workload;
	heap->kq->workload[workload].heap_at = at;
}

static void rise(const struct heap *heap, uint32_t at)
{
	const uint32_t workload = heap->at[at];
	while (at > 0 && goes_before(heap, workload, heap->at[(at - 1) / 2])) {
		put(heap, at, heap->at[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(heap, at, workload);
}

static void sink(const struct heap *heap, uint32_t at)
{
	const uint32_t workload = heap->at[at];
	for (uint32_t child; (child = at * 2 + 1) < heap->count; at = child) {
		if (child + 1 < heap->count && goes_before(heap, heap->at[child + 1], heap->at[child]))
			child++;
		if (!goes_before(heap, heap->at[child], workload))
			break;
		put(heap, at, heap->at[child]);
	}
	put(heap, at, workload);
}

static void settle(const struct heap *heap, uint32_t at)
{
	const uint32_t workload = heap->at[at];
	rise(heap, at);
	sink(heap, heap->kq->workload[workload].heap_at);
}

static struct heap heap_of(struct kq *kq, const struct kq_queue *queue, uint32_t lane)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	return (struct heap){ kq, queue, waits->of, queue->lane[lane].at, queue->lane[lane].count };
}

/* ---- Lanes ---- */

/* KQ_NO: no memory. */
static uint32_t lane_of(struct kq *kq, struct kq_queue *queue, uint32_t local)
{
	for (uint32_t i = 0; i < queue->lane_count; i++)
		if (queue->lane[i].local == local)
			return i;
	struct kq_lane *more =
		kq_queue_grow(kq, queue->lane, queue->lane_count, &queue->lane_capacity, sizeof(*more));
	if (!more)
		return KQ_NO;
	queue->lane = more;
	queue->lane[queue->lane_count] = (struct kq_lane){ .local = local };
	return queue->lane_count++;
}

static bool lane_add(struct kq *kq, struct kq_queue *queue, uint32_t workload)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	const uint32_t l = lane_of(kq, queue, queue->by_local ? kq->workload[workload].local : KQ_NO);
	if (l == KQ_NO)
		return false;
	struct kq_lane *lane = &queue->lane[l];
	uint32_t *more = kq_queue_grow(kq, lane->at, lane->count, &lane->capacity, sizeof(*more));
	if (!more)
		return false;
	lane->at = more;
	lane->at[lane->count++] = workload;
	waits->of[workload].lane = l;
	const struct heap heap = heap_of(kq, queue, l);
	rise(&heap, lane->count - 1);
	return true;
}

/* Admission fair sharing came or went: all are filed anew. */
static void file_anew(struct kq *kq, struct kq_queue *queue, bool by_local)
{
	struct kq_lane *old = queue->lane;
	const uint32_t count = queue->lane_count;
	queue->lane = NULL;
	queue->lane_count = queue->lane_capacity = 0;
	queue->by_local = by_local;
	for (uint32_t l = 0; l < count; l++) {
		for (uint32_t i = 0; i < old[l].count; i++)
			(void)lane_add(kq, queue, old[l].at[i]);
		free(old[l].at);
	}
	free(old);
}

void kq_active_add(struct kq *kq, uint32_t workload)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	const uint32_t q = waits->of[workload].queue;
	struct kq_queue *queue = kq_queue_of(kq, q);
	if (!queue)
		return;
	if (queue->by_local != kq_afs_orders(kq, q))
		file_anew(kq, queue, !queue->by_local);
	if (!lane_add(kq, queue, workload))
		return;
	kq->workload[workload].queued = KQ_ACTIVE;
	queue->active_count++;
	waits->active++;
	kq_shape_link(kq, queue, workload);
}

void kq_active_remove(struct kq *kq, uint32_t workload)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	const struct kq_wait *wait = &waits->of[workload];
	struct kq_queue *queue = kq->node[wait->queue].queue;
	struct kq_lane *lane = &queue->lane[wait->lane];
	const uint32_t at = kq->workload[workload].heap_at, last = lane->at[--lane->count];
	if (last != workload) {
		const struct heap heap = heap_of(kq, queue, wait->lane);
		put(&heap, at, last);
		settle(&heap, at);
	}
	kq_shape_unlink(kq, queue, workload);
	kq->workload[workload].queued = KQ_NOT_QUEUED;
	queue->active_count--;
	waits->active--;
}

void kq_active_moved(struct kq *kq, uint32_t workload)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	const struct kq_wait *wait = &waits->of[workload];
	const struct heap heap = heap_of(kq, kq->node[wait->queue].queue, wait->lane);
	settle(&heap, kq->workload[workload].heap_at);
}

/* KQ_NO: nobody is active. Usage of the LocalQueue decides first, then the order of the lanes. */
uint32_t kq_active_head(struct kq *kq, uint32_t q)
{
	struct kq_queue *queue = kq->node[q].queue;
	uint32_t best = KQ_NO;
	double least = 0;
	if (!queue || !queue->active_count)
		return KQ_NO;
	if (queue->by_local != kq_afs_orders(kq, q))
		file_anew(kq, queue, !queue->by_local);
	for (uint32_t l = 0; l < queue->lane_count; l++) {
		if (!queue->lane[l].count)
			continue;
		const struct heap heap = heap_of(kq, queue, l);
		const double usage = queue->by_local ? kq_afs_usage(kq, queue->lane[l].local) : 0;
		const bool equal = !(usage < least) && !(usage > least);
		if (best == KQ_NO || usage < least || (equal && goes_before(&heap, heap.at[0], best))) {
			best = heap.at[0];
			least = usage;
		}
	}
	return best;
}

/* ---- The inadmissible ---- */

void kq_parked_add(struct kq *kq, uint32_t workload)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	struct kq_queue *queue = kq_queue_of(kq, waits->of[workload].queue);
	uint32_t *more = queue ? kq_queue_grow(kq, queue->parked, queue->parked_count,
					 &queue->parked_capacity, sizeof(*more))
			       : NULL;
	if (!more)
		return;
	queue->parked = more;
	kq->workload[workload].queued = KQ_INADMISSIBLE;
	kq->workload[workload].heap_at = queue->parked_count;
	queue->parked[queue->parked_count++] = workload;
}

void kq_parked_remove(struct kq *kq, uint32_t workload)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	struct kq_queue *queue = kq->node[waits->of[workload].queue].queue;
	const uint32_t at = kq->workload[workload].heap_at, last = queue->parked[--queue->parked_count];
	queue->parked[at] = last;
	kq->workload[last].heap_at = at;
	kq->workload[workload].queued = KQ_NOT_QUEUED;
}

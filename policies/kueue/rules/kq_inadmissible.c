/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_inadmissible.c - a ClusterQueue's active workloads as heaps, its inadmissible ones as a bag (Kueue: heap
 * and inadmissibleWorkloads of pkg/cache/queue, cluster_queue.go): in, out, and who is first.
 */
#include "policies/kueue/rules/kq_wait.h"

#include <stdlib.h>
#include <string.h>

struct kq_waits *kq_waits(struct kq *kq)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	if (!waits)
		waits = kq->state[KQ_PART_QUEUE] = calloc(1, sizeof(*waits));
	if (!waits)
		return sl_fail_memory(&kq->err), NULL;
	if (waits->capacity < kq->workload_count) {
		const uint32_t before = waits->capacity;
		if (SL_GROW(waits->of, waits->capacity, kq->workload_count, &kq->err))
			return NULL;
		for (uint32_t i = before; i < waits->capacity; i++)
			waits->of[i] = (struct kq_wait){ .queue = KQ_NO, .next = KQ_NO, .prev = KQ_NO };
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
		return sl_fail_memory(&kq->err), NULL;
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

static bool goes_before(const struct heap *heap, const uint32_t *one, const uint32_t *other)
{
	const uint32_t a = *one, b = *other;
	const struct kq_wait *left = &heap->of[a], *right = &heap->of[b];
	if (heap->queue->sticky && (heap->queue->preemptor == a || heap->queue->preemptor == b))
		return heap->queue->preemptor == a;
	if (left->priority != right->priority)
		return left->priority > right->priority;
	if (left->time != right->time)
		return left->time < right->time;
	return kq_names_compare(heap->kq, a, b) < 0;
}

static void placed(const struct heap *heap, const uint32_t *workload, size_t place)
{
	heap->kq->workload[*workload].heap_at = (uint32_t)place;
}
SL_HEAP(lane, uint32_t, const struct heap *, goes_before, placed)

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
	if (SL_GROW(queue->lane, queue->lane_capacity, queue->lane_count + 1, &kq->err))
		return KQ_NO;
	queue->lane[queue->lane_count] = (struct kq_inadmissible_queue){ .local = local };
	return queue->lane_count++;
}

static bool lane_add(struct kq *kq, struct kq_queue *queue, uint32_t workload)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	const uint32_t l = lane_of(kq, queue, queue->by_local ? kq->workload[workload].local : KQ_NO);
	if (l == KQ_NO)
		return false;
	struct kq_inadmissible_queue *lane = &queue->lane[l];
	if (SL_GROW(lane->at, lane->capacity, lane->count + 1, &kq->err))
		return false;
	lane->at[lane->count++] = workload;
	waits->of[workload].lane = l;
	const struct heap heap = heap_of(kq, queue, l);
	(void)lane_up(&heap, heap.at, lane->count - 1);
	return true;
}

/* Admission fair sharing came or went: all are filed anew. */
static void file_anew(struct kq *kq, struct kq_queue *queue, bool by_local)
{
	struct kq_inadmissible_queue *old = queue->lane;
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
	struct kq_inadmissible_queue *lane = &queue->lane[wait->lane];
	const struct heap heap = heap_of(kq, queue, wait->lane);
	lane_remove(&heap, lane->at, --lane->count, kq->workload[workload].heap_at);
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
	lane_down(&heap, heap.at, heap.count, lane_up(&heap, heap.at, kq->workload[workload].heap_at));
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
		if (best == KQ_NO || usage < least || (equal && goes_before(&heap, &heap.at[0], &best))) {
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
	if (!queue || SL_GROW(queue->parked, queue->parked_capacity, queue->parked_count + 1, &kq->err))
		return;
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_queue.c - what waits: into a queue, its head popped, back into it, out of it, and woken.
 *
 * Rules: Kueue's pkg/cache/queue (cluster_queue.go, inadmissible_workloads.go, manager.go) at the commit that
 * kq.h names. Notes that something changed are kept until kq_queue_wake: whoever calls it waits the second by
 * which Kueue gathers them.
 */
#include "policies/kueue/rules/kq_assign.h"
#include "policies/kueue/rules/kq_wait.h"

#include <stdlib.h>
#include <string.h>

/* By what it is filed, as it is now. */
static void file(struct kq *kq, struct kq_wait *wait, uint32_t workload, uint32_t queue)
{
	struct kq_workload *row = &kq->workload[workload];
	row->hash = kq_shape_hash(kq, workload);
	wait->queue = queue;
	wait->priority = kq_priority(kq, row);
	wait->time = kq_queue_time(kq, row);
	wait->shape = row->hash;
	wait->stamp = kq_stamp(kq, workload);
}

static void take_out(struct kq *kq, const struct kq_wait *wait, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->queued == KQ_ACTIVE)
		kq_active_remove(kq, workload);
	else if (row->queued == KQ_INADMISSIBLE)
		kq_parked_remove(kq, workload);
	else if (row->queued == KQ_IN_FLIGHT && kq->node[wait->queue].queue->in_flight == workload)
		kq->node[wait->queue].queue->in_flight = KQ_NO;
	row->queued = KQ_NOT_QUEUED;
}

void kq_queue_delete(struct kq *kq, uint32_t workload)
{
	struct kq_waits *waits = kq_waits(kq);
	struct kq_wait *wait = waits ? &waits->of[workload] : NULL;
	if (!wait || wait->queue == KQ_NO)
		return;
	take_out(kq, wait, workload);
	struct kq_queue *queue = kq->node[wait->queue].queue;
	if (queue && queue->preemptor == workload) {
		queue->preemptor = KQ_NO;
		queue->sticky = false;
	}
	wait->queue = KQ_NO;
}

/* Its shape was sent away since the queue was last woken: nobody of it is tried. */
static bool shape_parked(const struct kq *kq, const struct kq_wait *wait)
{
	const struct kq_queue *queue = kq->node[wait->queue].queue;
	const struct kq_shape *shape = queue ? kq_shape_find(queue, wait->shape) : NULL;
	return kq->node[wait->queue].strategy == KQ_BEST_EFFORT_FIFO && shape &&
	       shape->parked == queue->epoch;
}

static void update_active(struct kq *kq, struct kq_wait *wait, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (wait->shape != kq_shape_hash(kq, workload)) { /* It stands with others of its shape. */
		kq_active_remove(kq, workload);
		file(kq, wait, workload, wait->queue);
		kq_active_add(kq, workload);
		return;
	}
	file(kq, wait, workload, wait->queue);
	if (kq->node[wait->queue].queue->lane[wait->lane].local == KQ_NO ||
		kq->node[wait->queue].queue->lane[wait->lane].local == row->local) {
		kq_active_moved(kq, workload);
		return;
	}
	kq_active_remove(kq, workload);
	kq_active_add(kq, workload);
}

void kq_queue_update(struct kq *kq, uint32_t workload)
{
	struct kq_waits *waits = kq_waits(kq);
	struct kq_workload *row = &kq->workload[workload];
	if (!waits)
		return;
	struct kq_wait *wait = &waits->of[workload];
	if (!kq_queueable(kq, workload)) {
		kq_queue_delete(kq, workload);
		return;
	}
	const uint32_t queue = kq->local[row->local].queue;
	if (wait->queue != KQ_NO && wait->queue != queue)
		kq_queue_delete(kq, workload);
	if (row->queued == KQ_IN_FLIGHT) /* Whoever has it puts it back as it is then. */
		return;
	if (!kq->config.gate[KQ_GATE_FlavorFungibilityPreserveScanProgress])
		kq_assign_forget(kq, workload);
	if (row->queued == KQ_ACTIVE) {
		update_active(kq, wait, workload);
		return;
	}
	const bool same = row->queued == KQ_INADMISSIBLE && wait->stamp == kq_stamp(kq, workload);
	file(kq, wait, workload, queue);
	if (same)
		return;
	take_out(kq, wait, workload);
	if (!kq_backoff_expired(kq, row) || shape_parked(kq, wait))
		kq_parked_add(kq, workload);
	else
		kq_active_add(kq, workload);
}

uint32_t kq_queue_pop(struct kq *kq, uint32_t q)
{
	struct kq_waits *waits = kq_waits(kq);
	if (!waits || !kq->node[q].active)
		return KQ_NO;
	struct kq_queue *queue = kq_queue_of(kq, q);
	if (!queue)
		return KQ_NO;
	queue->pops++;
	const uint32_t head = kq_active_head(kq, q);
	if (head == KQ_NO)
		return KQ_NO;
	kq_active_remove(kq, head);
	kq->workload[head].queued = KQ_IN_FLIGHT;
	queue->in_flight = head;
	return head;
}

/* ---- Back again ---- */

static bool pends(enum kq_requeue why)
{
	return why == KQ_REQUEUE_PENDING_PREEMPTION || why == KQ_REQUEUE_PENDING_MIGRATION;
}

/* Back among the active whatever else is the case, but a backoff. */
static bool at_once(enum kq_strategy strategy, enum kq_requeue why)
{
	if (strategy == KQ_STRICT_FIFO)
		return why != KQ_REQUEUE_NAMESPACE;
	return pends(why) || why == KQ_REQUEUE_FAILED_AFTER_NOMINATION || why == KQ_REQUEUE_PREEMPTION_FAILED;
}

/* Another takes the mark: it and who had it change places in the heap. Being found not to fit, or parked,
 * does not end it. */
static void mark_preemptor(struct kq *kq, uint32_t q, uint32_t workload)
{
	struct kq_queue *queue = kq->node[q].queue;
	const uint32_t before = queue->preemptor;
	queue->preemptor = workload;
	queue->sticky = kq->node[q].strategy == KQ_BEST_EFFORT_FIFO;
	if (before != KQ_NO && before != workload && kq->workload[before].queued == KQ_ACTIVE)
		kq_active_moved(kq, before);
	if (kq->workload[workload].queued == KQ_ACTIVE)
		kq_active_moved(kq, workload);
}

/* None of its shape would fit: those that are active go too, and those that come until the queue is woken. */
static void park_shape(struct kq *kq, uint32_t q, uint64_t hash)
{
	struct kq_queue *queue = kq->node[q].queue;
	if (kq->node[q].strategy != KQ_BEST_EFFORT_FIFO || !hash)
		return;
	struct kq_shape *shape = kq_shape_of(kq, queue, hash);
	if (!shape)
		return;
	shape->parked = queue->epoch;
	while (shape->first != KQ_NO && !kq->err.status) {
		const uint32_t workload = shape->first;
		kq_active_remove(kq, workload);
		kq_parked_add(kq, workload);
	}
}

bool kq_queue_requeue(struct kq *kq, uint32_t workload, enum kq_requeue why)
{
	struct kq_waits *waits = kq_waits(kq);
	struct kq_workload *row = &kq->workload[workload];
	if (!waits)
		return false;
	struct kq_wait *wait = &waits->of[workload];
	if (!kq_queueable(kq, workload)) {
		kq_queue_delete(kq, workload);
		return false;
	}
	const uint32_t q = kq->local[row->local].queue;
	struct kq_queue *queue = kq_queue_of(kq, q);
	if (!queue)
		return false;
	if (wait->queue != KQ_NO && wait->queue != q)
		kq_queue_delete(kq, workload);
	if (row->queued == KQ_IN_FLIGHT)
		take_out(kq, wait, workload);
	if (row->queued == KQ_NOT_QUEUED)
		file(kq, wait, workload, q);
	if (pends(why))
		mark_preemptor(kq, q, workload);
	if (row->queued == KQ_ACTIVE)
		return false;
	const bool active =
		at_once(kq->node[q].strategy, why) || queue->woken >= queue->pops || kq_pending_flavors(row);
	if (active && kq_backoff_expired(kq, row)) {
		take_out(kq, wait, workload);
		kq_active_add(kq, workload);
		return false;
	}
	if (row->queued == KQ_INADMISSIBLE)
		return true;
	kq_parked_add(kq, workload);
	if (why == KQ_REQUEUE_NO_FIT || why == KQ_REQUEUE_NO_CANDIDATES)
		park_shape(kq, q, wait->shape);
	return true;
}

/* ---- Queries ---- */

bool kq_any_active(const struct kq *kq)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	for (uint32_t i = 0; waits && waits->active && i < kq->queue_count; i++) {
		const struct kq_node *node = &kq->node[kq->queue[i]];
		if (node->active && node->queue && node->queue->active_count)
			return true;
	}
	return false;
}

/* Of several lanes one list is made. */
static uint32_t list_active(struct kq_waits *waits, const struct kq_queue *queue, const uint32_t **list)
{
	uint32_t count = 0;
	if (queue->lane_count == 1) {
		*list = queue->lane[0].at;
		return queue->lane[0].count;
	}
	if (SL_GROW(waits->displayed, waits->displayed_capacity, queue->active_count, NULL))
		return 0;
	for (uint32_t l = 0; l < queue->lane_count; l++)
		for (uint32_t i = 0; i < queue->lane[l].count; i++)
			waits->displayed[count++] = queue->lane[l].at[i];
	*list = waits->displayed;
	return count;
}

uint32_t kq_waiting(const struct kq *kq, uint32_t queue, enum kq_queued where, const uint32_t **workload)
{
	const struct kq_queue *of = kq->node[queue].queue;
	*workload = NULL;
	if (!of || !kq->state[KQ_PART_QUEUE])
		return 0;
	if (where == KQ_ACTIVE)
		return list_active(kq->state[KQ_PART_QUEUE], of, workload);
	if (where == KQ_INADMISSIBLE) {
		*workload = of->parked;
		return of->parked_count;
	}
	*workload = &of->in_flight;
	return where == KQ_IN_FLIGHT && of->in_flight != KQ_NO;
}

bool kq_was_preemptor(const struct kq *kq, uint32_t workload)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	if (!waits || workload >= waits->capacity || waits->of[workload].queue == KQ_NO)
		return false;
	const struct kq_queue *queue = kq->node[waits->of[workload].queue].queue;
	return queue && queue->preemptor == workload;
}

bool kq_is_sticky(const struct kq *kq, uint32_t workload)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	return kq_was_preemptor(kq, workload) && kq->node[waits->of[workload].queue].queue->sticky;
}

void kq_queue_free(struct kq *kq)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	for (uint32_t n = 0; n < kq->node_count; n++) {
		struct kq_queue *queue = kq->node[n].queue;
		for (uint32_t l = 0; queue && l < queue->lane_count; l++)
			free(queue->lane[l].at);
		if (queue) {
			free(queue->lane);
			free(queue->parked);
			free(queue->shape);
		}
		free(queue);
		kq->node[n].queue = NULL;
	}
	if (waits) {
		free(waits->of);
		free(waits->noted);
		free(waits->is_noted);
		free(waits->displayed);
	}
	free(waits);
	kq->state[KQ_PART_QUEUE] = NULL;
}

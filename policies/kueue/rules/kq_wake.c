/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_wake.c - something changed that may help: the inadmissible of a whole tree become active again.
 *
 * Rules: Kueue's pkg/cache/queue, inadmissible_workloads.go, at the commit that kq.h names. Trees whose
 * cohorts go in a circle are passed over.
 */
#include "policies/kueue/rules/kq_wait.h"

#include <stdlib.h>
#include <string.h>

static bool note_capacity(struct kq *kq, struct kq_waits *waits)
{
	return !SL_GROW_ZEROED(waits->is_noted, waits->node_capacity, kq->node_count, &kq->err) &&
	       !SL_GROW(waits->noted, waits->noted_capacity, waits->noted_count + 1, &kq->err);
}

void kq_queue_notify(struct kq *kq, uint32_t queue)
{
	struct kq_waits *waits = kq_waits(kq);
	if (!waits || queue == KQ_NO || kq->node[queue].cycle || !note_capacity(kq, waits))
		return;
	const uint32_t root = kq->node[queue].root;
	if (waits->is_noted[root])
		return;
	waits->is_noted[root] = 1;
	waits->noted[waits->noted_count++] = root;
}

bool kq_queue_notified(const struct kq *kq)
{
	const struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	return waits && waits->noted_count > 0;
}

static uint32_t wake_queue(struct kq *kq, uint32_t q)
{
	struct kq_queue *queue = kq->node[q].queue;
	uint32_t moved = 0;
	if (!queue)
		return 0;
	queue->woken = queue->pops; /* Who is in flight comes straight back. */
	queue->epoch++;             /* No shape is known not to fit. */
	for (uint32_t i = queue->parked_count; i-- > 0;) {
		const uint32_t workload = queue->parked[i];
		const struct kq_workload *row = &kq->workload[workload];
		if (!kq_namespace_matches(kq, q, row->namespace) || !kq_backoff_expired(kq, row))
			continue;
		kq_parked_remove(kq, workload); /* The last takes its place: it was looked at. */
		kq_active_add(kq, workload);
		moved++;
	}
	return moved;
}

/* Below a root, or of a queue alone. Walks by the children's places in their parents: trees may be deep. */
static uint32_t wake_tree(struct kq *kq, uint32_t root, uint32_t *stack)
{
	uint32_t moved = 0, count = 0;
	stack[count++] = root;
	while (count > 0) {
		const struct kq_node *node = &kq->node[stack[--count]];
		if (node->is_queue)
			moved += wake_queue(kq, (uint32_t)(node - kq->node));
		for (uint32_t i = node->child_count; i-- > 0;)
			stack[count++] = node->child[i];
	}
	return moved;
}

uint32_t kq_queue_wake(struct kq *kq)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	uint32_t moved = 0;
	if (!waits || !waits->noted_count)
		return 0;
	uint32_t *stack = malloc(((size_t)kq->node_count + 1) * sizeof(*stack));
	if (!stack)
		return sl_fail_memory(&kq->err), 0U;
	const uint32_t count = waits->noted_count;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t root = waits->noted[i];
		waits->is_noted[root] = 0;
		if (!kq->node[root].cycle)
			moved += wake_tree(kq, root, stack);
	}
	waits->noted_count = 0;
	free(stack);
	return moved;
}

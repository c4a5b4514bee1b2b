/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign_tried.c - how far the flavors of a workload were tried, from one attempt to the next.
 *
 * Kueue: FlavorFungibility (KEP-582), FlavorFungibilityPreserveScanProgress. The record is of a shape, a
 * cycle and a generation of the queue. Of the preceding cycle it always counts; of older ones as long as
 * nothing has left the queue or was refreshed in it since.
 */
#include "policies/kueue/rules/kq_assign_parts.h"

#include <stdlib.h>

bool kq_progress_holds(const struct kq *kq, const struct kq_workload *workload, const struct kq_node *queue)
{
	const struct kq_progress *progress = workload->progress;
	if (!progress || !kq->config.gate[KQ_GATE_FlavorFungibility])
		return false;
	if (kq->config.gate[KQ_GATE_SchedulingEquivalenceHashing] && progress->hash != workload->hash)
		return false;
	if (queue->generation <= progress->generation)
		return true;
	return kq->config.gate[KQ_GATE_FlavorFungibilityPreserveScanProgress] &&
	       progress->cycle + 1 >= kq->cycles;
}

uint32_t kq_next_flavor(const struct kq_workload *workload, uint32_t podset, uint32_t resource)
{
	const struct kq_progress *progress = workload->progress;
	for (uint32_t i = 0; progress && i < progress->count; i++)
		if (progress->at[i].podset == podset && progress->at[i].resource == resource)
			return (uint32_t)(progress->at[i].tried + 1);
	return 0;
}

bool kq_pending_flavors(const struct kq_workload *workload)
{
	return workload->progress && workload->progress->count;
}

void kq_assign_forget(struct kq *kq, uint32_t workload)
{
	free(kq->workload[workload].progress);
	kq->workload[workload].progress = NULL;
}

static struct kq_progress *with_capacity(struct kq *kq, uint32_t workload, uint32_t capacity)
{
	struct kq_progress *progress = kq->workload[workload].progress;
	if (progress && progress->capacity >= capacity)
		return progress;
	struct kq_progress *more = realloc(progress, sizeof(*more) + capacity * sizeof(more->at[0]));
	if (!more)
		return (void)sl_fail_memory(&kq->err), NULL;
	if (!progress)
		*more = (struct kq_progress){ .count = 0 };
	more->capacity = capacity;
	kq->workload[workload].progress = more;
	return more;
}

void kq_assign_note(struct kq *kq, uint32_t workload, uint32_t podset, uint32_t resource, int32_t tried)
{
	const struct kq_workload *row = &kq->workload[workload];
	struct kq_progress *progress =
		with_capacity(kq, workload, (row->progress ? row->progress->count : 0) + 1);
	if (!progress)
		return;
	const uint32_t queue = row->local == KQ_NO ? KQ_NO : kq->local[row->local].queue;
	progress->cycle = kq->cycles;
	progress->generation = queue == KQ_NO ? 0 : kq->node[queue].generation;
	progress->hash = row->hash;
	if (tried >= 0)
		progress->at[progress->count++] = (struct kq_tried){ podset, resource, tried };
}

/* Only what does not start over is kept: most workloads keep nothing. */
void kq_assign_remember(struct kq *kq, const struct kq_assignment *assignment)
{
	uint32_t count = 0;
	for (uint32_t p = 0; p < assignment->podset_count; p++)
		for (uint32_t i = 0; i < assignment->podset[p].pick_count; i++)
			count += assignment->podset[p].pick[i].tried >= 0;
	if (!count) {
		kq_assign_forget(kq, assignment->workload);
		return;
	}
	struct kq_progress *progress = with_capacity(kq, assignment->workload, count);
	if (!progress)
		return;
	progress->cycle = assignment->cycle;
	progress->generation = assignment->generation;
	progress->hash = kq->workload[assignment->workload].hash;
	progress->count = 0;
	for (uint32_t p = 0; p < assignment->podset_count; p++) {
		const struct kq_podset_assignment *podset = &assignment->podset[p];
		for (uint32_t i = 0; i < podset->pick_count; i++)
			if (podset->pick[i].tried >= 0)
				progress->at[progress->count++] = (struct kq_tried){ podset->podset,
					podset->pick[i].resource, podset->pick[i].tried };
	}
}

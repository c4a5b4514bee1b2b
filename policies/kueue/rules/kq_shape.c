/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_shape.c - workloads of one shape get one answer: hashes of shapes, and who waits of each.
 *
 * Rules: Kueue's scheduling equivalence hash (pkg/workload, computeSchedulingHash): of each podset its name
 * (not with SchedulingEquivalenceHashingIgnorePodSetName), pods, requests, counts and topology request, and
 * the effective priority. Kueue hashes JSON by SHA-256; only what is equal matters, so 64 bits over the same
 * parts stand for it here.
 */
#include "policies/kueue/rules/kq_wait.h"

#include <stdlib.h>
#include <string.h>

/* ---- Hashes ---- */

/* Bytes, never addresses; NULL differs from "". */
static uint64_t mix_text(uint64_t hash, const char *text)
{
	if (!text)
		return sl_hash(hash, 1);
	uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	for (const char *at = text; *at; at++)
		sum = (sum ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	return sl_hash(sl_hash(hash, sum), 2);
}

static uint64_t mix_amounts(const struct kq *kq, uint64_t hash, const struct kq_amounts *amounts)
{
	hash = sl_hash(hash, amounts->count);
	for (uint32_t i = 0; i < amounts->count; i++) {
		hash = mix_text(hash, kq->resource[amounts->at[i].resource]);
		hash = sl_hash(hash, (uint64_t)amounts->at[i].amount);
	}
	return hash;
}

static uint64_t mix_labels(uint64_t hash, const struct sl_labels *labels)
{
	hash = sl_hash(hash, labels->count);
	for (uint32_t i = 0; i < labels->count; i++)
		hash = mix_text(mix_text(hash, labels->at[i].key), labels->at[i].value);
	return hash;
}

static uint64_t mix_expressions(uint64_t hash, const struct sl_label_expr *expr, uint32_t count)
{
	for (uint32_t e = 0; e < count; e++) {
		hash = sl_hash(mix_text(hash, expr[e].key), (uint64_t)expr[e].op);
		hash = sl_hash(hash, expr[e].count);
		for (uint32_t v = 0; v < expr[e].count; v++)
			hash = mix_text(hash, expr[e].value[v]);
	}
	return hash;
}

static uint64_t mix_terms(uint64_t hash, const struct sl_label_term *term, uint32_t count)
{
	hash = sl_hash(hash, count);
	for (uint32_t i = 0; i < count; i++) {
		hash = sl_hash(sl_hash(hash, term[i].count), (uint64_t)term[i].weight);
		hash = mix_expressions(hash, term[i].expr, term[i].count);
		hash = mix_expressions(
			sl_hash(hash, term[i].field_count), term[i].field, term[i].field_count);
	}
	return hash;
}

static uint64_t mix_tolerations(uint64_t hash, const struct sl_tolerations *list)
{
	hash = sl_hash(hash, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct sl_toleration *one = &list->at[i];
		hash = mix_text(mix_text(hash, one->key), one->value);
		hash = sl_hash(hash, (uint64_t)one->effect * 2 + one->exists);
	}
	return hash;
}

static uint64_t mix_topology(uint64_t hash, const struct kq_topology_request *request)
{
	hash = sl_hash(hash, (uint64_t)request->given * 2 + request->unconstrained);
	hash = mix_text(mix_text(hash, request->required), request->preferred);
	hash = sl_hash(hash, request->slice_count);
	for (uint32_t i = 0; i < request->slice_count; i++)
		hash = sl_hash(mix_text(hash, request->slice[i].level), (uint64_t)request->slice[i].size);
	hash = mix_text(mix_text(hash, request->pod_index_label), request->sub_group_index_label);
	return sl_hash(hash, (uint64_t)request->sub_group_count);
}

/* count: that are to run. */
static uint64_t mix_podset(const struct kq *kq, uint64_t hash, const struct kq_podset *podset, int64_t count)
{
	hash = sl_hash(hash, (uint64_t)count);
	hash = sl_hash(hash, (uint64_t)podset->min_count);
	hash = mix_amounts(kq, hash, &podset->request);
	hash = sl_hash(hash, podset->pod.at != NULL);
	if (podset->pod.at)
		hash = mix_amounts(kq, hash, &podset->pod);
	hash = mix_labels(hash, &podset->node_selector);
	hash = mix_tolerations(hash, &podset->tolerations);
	hash = mix_terms(hash, podset->required, podset->required_count);
	hash = mix_terms(hash, podset->preferred, podset->preferred_count);
	hash = mix_topology(hash, &podset->topology);
	hash = mix_text(hash, podset->group);
	return sl_hash(hash, podset->exceeds_limits);
}

static int64_t pods_left(const struct kq *kq, const struct kq_podset *podset)
{
	if (!kq->config.gate[KQ_GATE_ReclaimablePods] || podset->reclaimable <= 0)
		return podset->count;
	return podset->reclaimable < podset->count ? podset->count - podset->reclaimable : 0;
}

/* 0: not known, as with the feature gate off; shapes that are not known equal none. */
uint64_t kq_shape_hash(struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (!kq->config.gate[KQ_GATE_SchedulingEquivalenceHashing])
		return 0;
	uint64_t hash = sl_hash(row->podset_count, (uint64_t)kq_priority(kq, row));
	for (uint32_t i = 0; i < row->podset_count; i++) {
		if (!kq->config.gate[KQ_GATE_SchedulingEquivalenceHashingIgnorePodSetName])
			hash = mix_text(hash, row->podset[i].name);
		hash = mix_podset(kq, hash, &row->podset[i], pods_left(kq, &row->podset[i]));
	}
	return hash ? hash : 1;
}

static uint64_t mix_cond(uint64_t hash, const struct kq_cond *cond)
{
	hash = sl_hash(sl_hash(hash, (uint64_t)cond->status), (uint64_t)cond->at);
	return mix_text(hash, cond->reason);
}

/* What makes an inadmissible one active again when it changes: its spec, pods that are done, the conditions
 * Evicted and Requeued, its boost, its preemption gate. */
uint64_t kq_stamp(const struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	uint64_t hash = sl_hash(row->podset_count, (uint64_t)row->priority);
	for (uint32_t i = 0; i < row->podset_count; i++) {
		hash = mix_text(hash, row->podset[i].name);
		hash = mix_podset(kq, hash, &row->podset[i], row->podset[i].count);
		hash = sl_hash(hash, (uint64_t)row->podset[i].reclaimable);
	}
	hash = mix_text(hash, row->queue_name);
	hash = sl_hash(sl_hash(hash, row->active), (uint64_t)row->max_execution);
	if (kq->config.gate[KQ_GATE_PriorityBoost])
		hash = sl_hash(sl_hash(hash, row->has_boost), (uint64_t)row->boost);
	hash = mix_cond(mix_cond(hash, &row->cond[KQ_EVICTED]), &row->cond[KQ_REQUEUED]);
	return sl_hash(hash, row->gated);
}

/* ---- Who waits of each shape ---- */

static uint32_t kq_shape_place_of(const struct kq_shape *shape, uint32_t capacity, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & (capacity - 1);
	while (shape[at].hash && shape[at].hash != hash)
		at = (at + 1) & (capacity - 1);
	return at;
}

struct kq_shape *kq_shape_find(const struct kq_queue *queue, uint64_t hash)
{
	if (!queue->shape_capacity || !hash)
		return NULL;
	struct kq_shape *shape = &queue->shape[kq_shape_place_of(queue->shape, queue->shape_capacity, hash)];
	return shape->hash ? shape : NULL;
}

/* Shapes that nobody has, and that were not sent away, go. */
static bool rebuild(struct kq *kq, struct kq_queue *queue)
{
	uint32_t kept = 0, capacity = 16;
	for (uint32_t i = 0; i < queue->shape_capacity; i++)
		kept += queue->shape[i].hash &&
			(queue->shape[i].first != KQ_NO || queue->shape[i].parked == queue->epoch);
	while (capacity < (kept + 1) * 2)
		capacity *= 2;
	struct kq_shape *shape = calloc(capacity, sizeof(*shape));
	if (!shape)
		return sl_fail_memory(&kq->err), false;
	for (uint32_t i = 0; i < queue->shape_capacity; i++) {
		const struct kq_shape *old = &queue->shape[i];
		if (old->hash && (old->first != KQ_NO || old->parked == queue->epoch))
			shape[kq_shape_place_of(shape, capacity, old->hash)] = *old;
	}
	free(queue->shape);
	queue->shape = shape;
	queue->shape_capacity = capacity;
	queue->shape_used = kept;
	return true;
}

struct kq_shape *kq_shape_of(struct kq *kq, struct kq_queue *queue, uint64_t hash)
{
	if (queue->shape_used * 4 >= queue->shape_capacity * 3 && !rebuild(kq, queue))
		return NULL;
	struct kq_shape *shape = &queue->shape[kq_shape_place_of(queue->shape, queue->shape_capacity, hash)];
	if (!shape->hash) {
		*shape = (struct kq_shape){ hash, KQ_NO, 0 };
		queue->shape_used++;
	}
	return shape;
}

void kq_shape_link(struct kq *kq, struct kq_queue *queue, uint32_t workload)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	struct kq_wait *wait = &waits->of[workload];
	wait->next = wait->prev = KQ_NO;
	struct kq_shape *shape = wait->shape ? kq_shape_of(kq, queue, wait->shape) : NULL;
	if (!shape)
		return;
	wait->next = shape->first;
	if (shape->first != KQ_NO)
		waits->of[shape->first].prev = workload;
	shape->first = workload;
}

void kq_shape_unlink(struct kq *kq, struct kq_queue *queue, uint32_t workload)
{
	struct kq_waits *waits = kq->state[KQ_PART_QUEUE];
	const struct kq_wait *wait = &waits->of[workload];
	struct kq_shape *shape = kq_shape_find(queue, wait->shape);
	if (wait->next != KQ_NO)
		waits->of[wait->next].prev = wait->prev;
	if (wait->prev != KQ_NO)
		waits->of[wait->prev].next = wait->next;
	else if (shape)
		shape->first = wait->next;
}

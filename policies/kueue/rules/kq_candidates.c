/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_candidates.c - which workloads are candidates for preemption, and in which order.
 *
 * Rules: ClusterQueue.spec.preemption of Kueue's API (v1beta2), and the order of
 * pkg/scheduler/preemption/common, ordering.go. The last tie-break there is the UID; here names and rows
 * follow, as recorded clusters may have none.
 */
#include "policies/kueue/rules/kq_victims.h"

#include <stdlib.h>
#include <string.h>

#include "policies/kueue/rules/kq_queue.h"

uint32_t kq_held_of(const struct kq *kq, uint32_t workload)
{
	const struct kq_admission *admission = kq->workload[workload].admission;
	return admission ? admission->queue : KQ_NO;
}

/* ---- Who may go ---- */

/* Times are those of the queue's order, so that a workload that was preempted is no newer than before. */
static bool policy_allows(
	const struct kq_search *search, const struct kq_workload *candidate, enum kq_within policy)
{
	const struct kq *kq = search->kq;
	const struct kq_workload *preemptor = &kq->workload[search->workload];
	const int64_t own = kq_priority(kq, preemptor), other = kq_priority(kq, candidate);
	switch (policy) {
	case KQ_ANY:
		return true;
	case KQ_LOWER_PRIORITY:
		return other < own;
	case KQ_LOWER_OR_NEWER_EQUAL:
		return other < own ||
		       (other == own && kq_queue_time(kq, preemptor) < kq_queue_time(kq, candidate));
	case KQ_NEVER:
		break;
	}
	return false;
}

static bool is_needed(const struct kq_search *search, uint32_t fr)
{
	for (uint32_t i = 0; i < search->need_count; i++)
		if (search->need[i] == fr)
			return true;
	return false;
}

/* By the flavors of its admission, whatever is left of its amounts. */
static bool uses_needed(const struct kq_search *search, const struct kq_admission *admission)
{
	for (uint32_t p = 0; p < admission->podset_count; p++)
		for (uint32_t f = 0; f < admission->podset[p].flavor_count; f++) {
			const struct kq_admitted_flavor *flavor = &admission->podset[p].flavor[f];
			if (flavor->flavor != KQ_NO &&
				is_needed(search, kq_fr(search->kq, flavor->flavor, flavor->resource)))
				return true;
		}
	return false;
}

/* Does one of these two policies allow it, and does it use a cell that is needed? */
static bool kq_may_go(const struct kq_search *search, uint32_t workload)
{
	const struct kq_workload *row = &search->kq->workload[workload];
	const struct kq_node *queue = &search->kq->node[search->queue];
	const bool own = row->admission->queue == search->queue;
	return policy_allows(search, row, own ? queue->within : queue->reclaim) &&
	       uses_needed(search, row->admission);
}

/* borrowWithinCohort: lower priority, and no higher than the threshold. */
static enum kq_class kq_candidates_class_of(const struct kq_search *search, uint32_t workload, bool advantage)
{
	const struct kq *kq = search->kq;
	const struct kq_node *queue = &kq->node[search->queue];
	const int64_t priority = kq_priority(kq, &kq->workload[workload]);
	if (kq_held_of(kq, workload) == search->queue)
		return KQ_CLASS_OWN;
	if (advantage)
		return KQ_CLASS_HIERARCHICAL;
	if (queue->borrow_within == KQ_NEVER ||
		priority >= kq_priority(kq, &kq->workload[search->workload]) ||
		(queue->has_threshold && priority > queue->threshold))
		return KQ_CLASS_NO_BORROW;
	return KQ_CLASS_WHILE_BORROWING;
}

static bool kq_candidates_add(struct kq *kq, struct kq_candidates *list, struct kq_candidate candidate)
{
	if (SL_GROW(list->at, list->capacity, list->count + 1, &kq->err))
		return false;
	list->at[list->count++] = candidate;
	return true;
}

void kq_candidates_of(const struct kq_search *search, uint32_t queue, uint32_t common, bool advantage,
	struct kq_candidates *list)
{
	const struct kq_node *node = &search->kq->node[queue];
	for (uint32_t i = 0; i < node->holder_count; i++) {
		const uint32_t workload = node->holder[i];
		if (search->kq->workload[workload].out)
			continue; /* Gone for this search. */
		if (kq_may_go(search, workload) &&
			!kq_candidates_add(search->kq, list,
				(struct kq_candidate){ workload, common,
					kq_candidates_class_of(search, workload, advantage) }))
			return;
	}
}

/* ---- The order ---- */

struct key {
	struct kq_candidate candidate;
	bool evicted, own;
	bool by_usage; /* Its queue admits by the usage of local queues. */
	uint32_t queue;
	const char *local;
	double usage; /* Of its local queue. */
	int64_t priority;
	sl_time reserved;
	const char *uid, *namespace, *name;
};

static struct key kq_candidates_key_of(const struct kq *kq, uint32_t queue, struct kq_candidate candidate)
{
	const struct kq_workload *row = &kq->workload[candidate.workload];
	const struct kq_cond *reserved = &row->cond[KQ_QUOTA_RESERVED];
	const uint32_t own = kq_held_of(kq, candidate.workload);
	struct key key = { .candidate = candidate,
		.evicted = kq_is(&row->cond[KQ_EVICTED]),
		.own = own == queue,
		.queue = own,
		.local = row->queue_name,
		.priority = kq_priority(kq, row),
		.reserved = kq_is(reserved) ? reserved->at : kq->now,
		.uid = row->uid,
		.namespace = row->namespace,
		.name = row->name };
	key.by_usage = kq->config.afs && kq->config.gate[KQ_GATE_AdmissionFairSharing] && own != KQ_NO &&
		       kq->node[own].usage_based;
	key.usage = key.by_usage && row->local != KQ_NO ? kq_afs_usage(kq, row->local) : 0;
	return key;
}

static int by_place(const struct key *a, const struct key *b)
{
	if (a->evicted != b->evicted)
		return a->evicted ? -1 : 1;
	return (a->own > b->own) - (a->own < b->own);
}

static int by_merit(const struct key *a, const struct key *b)
{
	if (a->priority != b->priority)
		return a->priority < b->priority ? -1 : 1;
	if (a->reserved != b->reserved)
		return a->reserved > b->reserved ? -1 : 1;
	int order = strcmp(a->uid, b->uid);
	if (order == 0)
		order = strcmp(a->namespace, b->namespace);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order
		     : (a->candidate.workload > b->candidate.workload) -
			       (a->candidate.workload < b->candidate.workload);
}

static int kq_candidates_compare(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	const int order = by_place(a, b);
	return order ? order : by_merit(a, b);
}

/* Between local queues of one queue the one that used more goes first. Across queues that is not asked, so
 * this is no total order: what it comes to over several queues depends on the order before it, `compare`. */
static int compare_by_usage(const struct key *a, const struct key *b)
{
	const int order = by_place(a, b);
	if (order)
		return order;
	if (a->by_usage && b->by_usage && a->queue == b->queue && strcmp(a->local, b->local) != 0 &&
		(a->usage < b->usage || a->usage > b->usage))
		return a->usage > b->usage ? -1 : 1;
	return by_merit(a, b);
}

/* A merge sort, bottom up: the library's sorts promise nothing for what is no total order. */
static void sort_by_usage(struct key *key, struct key *other, uint32_t count)
{
	for (uint32_t width = 1; width < count; width *= 2) {
		for (uint32_t from = 0; from < count; from += 2 * width) {
			const uint32_t middle = from + width < count ? from + width : count;
			const uint32_t end = from + 2 * width < count ? from + 2 * width : count;
			uint32_t a = from, b = middle;
			for (uint32_t to = from; to < end; to++)
				other[to] =
					a < middle && (b == end || compare_by_usage(&key[a], &key[b]) <= 0)
						? key[a++]
						: key[b++];
		}
		memcpy(key, other, count * sizeof(*key));
	}
}

void kq_candidates_order(struct kq *kq, uint32_t queue, struct kq_candidate *at, uint32_t count)
{
	if (count < 2)
		return;
	struct key *key = malloc(2 * (size_t)count * sizeof(*key));
	if (!key) {
		(void)sl_fail_memory(&kq->err);
		return;
	}
	bool by_usage = false;
	for (uint32_t i = 0; i < count; i++) {
		key[i] = kq_candidates_key_of(kq, queue, at[i]);
		by_usage |= key[i].by_usage;
	}
	qsort(key, count, sizeof(*key), kq_candidates_compare);
	if (by_usage)
		sort_by_usage(key, key + count, count);
	for (uint32_t i = 0; i < count; i++)
		at[i] = key[i].candidate;
	free(key);
}

int kq_candidate_compare(const struct kq *kq, uint32_t queue, uint32_t a, uint32_t b)
{
	const struct key left =
		kq_candidates_key_of(kq, queue, (struct kq_candidate){ a, KQ_NO, KQ_CLASS_OWN });
	const struct key right =
		kq_candidates_key_of(kq, queue, (struct kq_candidate){ b, KQ_NO, KQ_CLASS_OWN });
	return kq_candidates_compare(&left, &right);
}

void kq_candidates_sort(struct kq *kq, uint32_t queue, uint32_t *workload, uint32_t count)
{
	struct kq_candidate *at = malloc((count + 1) * sizeof(*at));
	if (!at) {
		(void)sl_fail_memory(&kq->err);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		at[i] = (struct kq_candidate){ workload[i], KQ_NO, KQ_CLASS_OWN };
	kq_candidates_order(kq, queue, at, count);
	for (uint32_t i = 0; i < count; i++)
		workload[i] = at[i].workload;
	free(at);
}

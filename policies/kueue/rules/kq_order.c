/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_order.c - who goes first in a queue, and who may stand in one at all.
 *
 * Rules: Kueue's pkg/cache/queue (cluster_queue.go) and pkg/workload (Ordering) at the commit that kq.h
 * names.
 */
#include "policies/kueue/rules/kq_wait.h"

#include <string.h>

int64_t kq_priority(const struct kq *kq, const struct kq_workload *workload)
{
	const bool boosted = kq->config.gate[KQ_GATE_PriorityBoost] && workload->has_boost;
	return boosted ? kq_add(workload->priority, workload->boost) : workload->priority;
}

static bool has_reason(const struct kq_cond *cond, const char *reason)
{
	return kq_is(cond) && cond->reason && strcmp(cond->reason, reason) == 0;
}

sl_time kq_queue_time(const struct kq *kq, const struct kq_workload *workload)
{
	const struct kq_cond *evicted = &workload->cond[KQ_EVICTED];
	const struct kq_cond *preempted = &workload->cond[KQ_PREEMPTED];
	if (!kq->config.by_creation && has_reason(evicted, "PodsReadyTimeout"))
		return evicted->at;
	if (has_reason(evicted, "AdmissionCheck"))
		return evicted->at;
	if (!kq->config.gate[KQ_GATE_PrioritySortingWithinCohort] &&
		has_reason(preempted, "InCohortReclaimWhileBorrowing"))
		return preempted->at + SL_SECOND / 1000;
	return workload->created;
}

/* UIDs, then names, then rows: the last word where all else is equal. */
int kq_names_compare(const struct kq *kq, uint32_t a, uint32_t b)
{
	const struct kq_workload *left = &kq->workload[a], *right = &kq->workload[b];
	int order = strcmp(left->uid, right->uid);
	if (!order)
		order = strcmp(left->namespace, right->namespace);
	if (!order)
		order = strcmp(left->name, right->name);
	return order ? order : (a > b) - (a < b);
}

/* As they are now, whether they wait or not. */
bool kq_queue_before(struct kq *kq, uint32_t a, uint32_t b)
{
	const struct kq_workload *left = &kq->workload[a], *right = &kq->workload[b];
	const uint32_t queue = left->local == KQ_NO ? KQ_NO : kq->local[left->local].queue;
	if (queue != KQ_NO && kq_afs_orders(kq, queue)) {
		const double mine = kq_afs_usage(kq, left->local), other = kq_afs_usage(kq, right->local);
		if (mine < other || mine > other)
			return mine < other;
	}
	const bool sticky = kq_is_sticky(kq, a);
	if (sticky != kq_is_sticky(kq, b))
		return sticky;
	const int64_t priority = kq_priority(kq, left), other_priority = kq_priority(kq, right);
	if (priority != other_priority)
		return priority > other_priority;
	const sl_time time = kq_queue_time(kq, left), other_time = kq_queue_time(kq, right);
	if (time != other_time)
		return time < other_time;
	return kq_names_compare(kq, a, b) < 0;
}

const char *kq_gated_by(const struct kq *kq, const struct kq_workload *row)
{
	const char *who = sl_label_of(&row->annotations, "kueue.x-k8s.io/admission-gated-by");
	return kq->config.gate[KQ_GATE_AdmissionGatedBy] && who && *who ? who : NULL;
}

bool kq_queueable(const struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (row->gone || row->deleted || row->on_hold || !row->active || row->local == KQ_NO)
		return false;
	if (kq_is(&row->cond[KQ_FINISHED]) || kq_is(&row->cond[KQ_QUOTA_RESERVED]))
		return false;
	const struct kq_local_queue *local = &kq->local[row->local];
	return !kq_gated_by(kq, row) && local->stop == KQ_STOP_NONE && local->queue != KQ_NO;
}

bool kq_backoff_expired(const struct kq *kq, const struct kq_workload *workload)
{
	if (workload->cond[KQ_REQUEUED].status == KQ_FALSE)
		return false;
	return workload->requeue_at == SL_NONE || kq->now >= workload->requeue_at;
}

/* A namespace that nobody described has no labels. */
bool kq_namespace_matches(const struct kq *kq, uint32_t queue, const char *namespace)
{
	const struct sl_labels none = { NULL, 0 };
	const uint32_t row = kq_find_namespace(kq, namespace);
	return sl_label_selects(
		&kq->node[queue].namespaces, row == KQ_NO ? &none : &kq->namespace[row].labels);
}

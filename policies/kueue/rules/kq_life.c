/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_life.c - what happens to a workload between cycles: submitted, finished, deleted, its eviction done,
 * pods ready or done, checks answered, hosts lost. Follows Kueue's workload controller (event handlers) and
 * job framework.
 */
#include "policies/kueue/rules/kq_status.h"

#include <string.h>

/* The queue of its admission, or of its LocalQueue; KQ_NO. */
static uint32_t queue_of(const struct kq *kq, const struct kq_workload *row)
{
	if (row->admission)
		return row->admission->queue;
	return row->local == KQ_NO ? KQ_NO : kq->local[row->local].queue;
}

/* Its usage is released: those that wait in its tree may try again, at flavors that they tried as well. */
static void let_go(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	const uint32_t queue = queue_of(kq, row);
	if (!row->holds || queue == KQ_NO)
		return;
	if (!kq_is(&row->cond[KQ_ADMITTED]))
		kq_afs_dropped(kq, workload);
	kq_release(kq, workload);
	kq->node[queue].generation++;
	kq_queue_notify(kq, queue);
}

void kq_submit(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->gone || kq_is(&row->cond[KQ_FINISHED]))
		return;
	if (kq_is(&row->cond[KQ_QUOTA_RESERVED]) && row->admission) {
		kq_hold(kq, workload);
		if (kq_needs_second_pass(kq, workload))
			kq_second_pass(kq, workload, 0);
		return;
	}
	const uint32_t queue = queue_of(kq, row);
	if (queue != KQ_NO && kq->node[queue].exists && !row->check_count)
		(void)kq_checks_sync(kq, workload, queue);
	kq_queue_update(kq, workload);
}

void kq_finish(struct kq *kq, uint32_t workload, const char *reason)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->gone)
		return;
	kq_queue_delete(kq, workload);
	let_go(kq, workload);
	if (kq_is(&row->cond[KQ_FINISHED])) {
		kq_track_ready(kq, workload);
		return; /* A slice that was replaced. */
	}
	kq_set_cond(kq, workload, KQ_FINISHED, KQ_TRUE, reason, NULL, kq->now);
	kq_decision(kq, KQ_DECISION_FINISH, workload, KQ_NO, reason, NULL);
	kq_track_ready(kq, workload);
}

void kq_delete(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->gone)
		return;
	kq_queue_delete(kq, workload);
	let_go(kq, workload);
	kq_assign_forget(kq, workload);
	kq_set_admission(kq, workload, NULL);
	row->gone = true;
	kq_track_ready(kq, workload);
}

/* Requeued at once after a preemption or a failed host; else something has to end first: a backoff, a stop, a
 * deactivation. A variant that another drove out is queued again, too: that is assumed, in Kueue a controller
 * of variants decides. */
static bool requeued_at_once(const char *reason)
{
	return strcmp(reason, "Preempted") == 0 || strcmp(reason, "NodeFailures") == 0 ||
	       strcmp(reason, "FlavorMigration") == 0;
}

void kq_evicted(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->gone || !row->holds || !kq_is(&row->cond[KQ_EVICTED]))
		return;
	const char *reason = row->cond[KQ_EVICTED].reason ? row->cond[KQ_EVICTED].reason : "Preempted";
	const char *message = row->cond[KQ_EVICTED].message;
	const bool at_once = requeued_at_once(reason);
	kq_set_cond(kq, workload, KQ_REQUEUED, at_once ? KQ_TRUE : KQ_FALSE, reason, message, kq->now);
	let_go(kq, workload);
	kq_pend(kq, workload, kq_told(kq, "PendingEvaluation", "Pending"), message);
	kq_assign_forget(kq, workload);
	kq_track_ready(kq, workload);
	kq_decision(kq, KQ_DECISION_REQUEUE, workload, KQ_NO, reason, message);
	kq_queue_update(kq, workload);
}

void kq_admission_failed(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->gone || !row->holds)
		return;
	let_go(kq, workload);
	kq_set_admission(kq, workload, NULL);
	row->cond[KQ_QUOTA_RESERVED] = row->cond[KQ_ADMITTED] = (struct kq_cond){ 0 };
	kq_track_ready(kq, workload);
	kq_decision(kq, KQ_DECISION_REQUEUE, workload, KQ_NO, "AdmissionFailed", NULL);
	kq_queue_update(kq, workload);
}

/* Once it was ready, being not ready is waiting for recovery. */
void kq_pods_ready(struct kq *kq, uint32_t workload, bool ready)
{
	struct kq_workload *row = &kq->workload[workload];
	const struct kq_cond *cond = &row->cond[KQ_PODS_READY];
	const char *before = cond->reason ? cond->reason : "";
	const bool was = kq_is(cond) || strcmp(before, "WaitForRecovery") == 0;
	if (row->gone || kq_is(cond) == ready)
		return;
	kq_set_cond(kq, workload, KQ_PODS_READY, ready ? KQ_TRUE : KQ_FALSE,
		ready ? (was ? "Recovered" : "Started") : (was ? "WaitForRecovery" : "WaitForStart"),
		ready ? "All pods reached readiness and the workload is running"
		      : "Not all pods are ready or succeeded",
		kq->now);
	kq_track_ready(kq, workload);
}

void kq_check_set(
	struct kq *kq, uint32_t workload, uint32_t check, enum kq_check_state state, sl_time retry_after)
{
	struct kq_workload *row = &kq->workload[workload];
	for (uint32_t i = 0; i < row->check_count; i++) {
		if (row->check[i].check != check)
			continue;
		if (row->check[i].state != state)
			row->check[i].at = kq->now;
		row->check[i].state = state;
		row->check[i].retry_after = retry_after;
	}
	if (kq_needs_second_pass(kq, workload))
		kq_second_pass(kq, workload, 0);
}

/* kq_reconcile says what follows. */
void kq_set_active(struct kq *kq, uint32_t workload, bool active)
{
	struct kq_workload *row = &kq->workload[workload];
	if (row->gone || row->active == active)
		return;
	row->active = active;
	if (active) {
		kq_queue_update(kq, workload);
	} else {
		kq_queue_delete(kq, workload);
		kq_decision(kq, KQ_DECISION_DEACTIVATE, workload, KQ_NO, "Deactivated", NULL);
	}
}

static bool is_on(const struct kq_workload *row, const char *host)
{
	for (uint32_t p = 0; row->admission && p < row->admission->podset_count; p++) {
		const struct kq_placement *placement = row->admission->podset[p].placement;
		for (uint32_t d = 0; placement && d < placement->count; d++)
			if (strcmp(placement->domain[d].value[placement->level_count - 1], host) == 0)
				return true;
	}
	return false;
}

static void call_unhealthy(struct kq *kq, uint32_t workload, const char *host)
{
	struct kq_workload *row = &kq->workload[workload];
	for (uint32_t i = 0; i < row->unhealthy_count; i++)
		if (strcmp(row->unhealthy[i], host) == 0)
			return;
	const char **name = kq_alloc(kq, row->unhealthy_count + 1, sizeof(*name));
	if (!name)
		return;
	for (uint32_t i = 0; i < row->unhealthy_count; i++)
		name[i] = row->unhealthy[i];
	name[row->unhealthy_count] = host;
	row->unhealthy = name;
	row->unhealthy_count++;
	if (kq_needs_second_pass(kq, workload))
		kq_second_pass(kq, workload, 0);
}

/* Places by hosts alone name them. */
void kq_host_failed(struct kq *kq, uint32_t host)
{
	const char *name = kq->host[host].name;
	if (!kq->config.gate[KQ_GATE_TASFailedNodeReplacement])
		return;
	for (uint32_t q = 0; q < kq->queue_count; q++) {
		const struct kq_node *queue = &kq->node[kq->queue[q]];
		for (uint32_t i = 0; i < queue->holder_count; i++) {
			const uint32_t w = queue->holder[i];
			const struct kq_workload *row = &kq->workload[w];
			if (kq_is(&row->cond[KQ_ADMITTED]) && !kq_is(&row->cond[KQ_EVICTED]) &&
				is_on(row, name))
				call_unhealthy(kq, w, name);
		}
	}
}

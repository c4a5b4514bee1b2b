/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_reconcile.c - one pass of a workload's controller: deactivation, backoffs, checks, stopped queues,
 * waitForPodsReady, maximumExecutionTimeSeconds. Follows Kueue's pkg/controller/core, workload_controller.go
 * (Reconcile).
 *
 * Kueue adds up to 0.01 % of jitter to the backoff; here it is 0, so that runs repeat.
 */
#include "policies/kueue/rules/kq_status.h"

#include <stdio.h>
#include <string.h>

static bool requeued_false(const struct kq_workload *row, const char *reason)
{
	const struct kq_cond *cond = &row->cond[KQ_REQUEUED];
	return cond->status == KQ_FALSE && cond->reason && strcmp(cond->reason, reason) == 0;
}

static void requeue(struct kq *kq, uint32_t workload, const char *reason, const char *message)
{
	kq_set_cond(kq, workload, KQ_REQUEUED, KQ_TRUE, reason, message, kq->now);
	kq_queue_update(kq, workload);
	kq_decision(kq, KQ_DECISION_REQUEUE, workload, KQ_NO, reason, message);
}

static void kq_reconcile_evict(struct kq *kq, uint32_t workload, const char *reason, const char *message)
{
	const struct kq_workload *row = &kq->workload[workload];
	kq_evict(kq, workload, reason, message);
	if (row->admission && row->admission->queue != KQ_NO)
		kq->node[row->admission->queue].generation++;
	kq_decision(kq, KQ_DECISION_EVICT, workload, KQ_NO, row->cond[KQ_EVICTED].reason, message);
}

static void deactivate(struct kq *kq, uint32_t workload, const char *reason, const char *message)
{
	if (kq_is(&kq->workload[workload].cond[KQ_DEACTIVATION_TARGET]))
		return;
	kq_set_cond(kq, workload, KQ_DEACTIVATION_TARGET, KQ_TRUE, reason, message, kq->now);
}

/* ---- Backoff ------------------------------------------------------------------------------------ */

bool kq_set_requeue(struct kq *kq, uint32_t workload, sl_time until, bool count)
{
	struct kq_workload *row = &kq->workload[workload];
	bool changed = count;
	row->requeue_count += count;
	if (until != SL_NONE && (row->requeue_at == SL_NONE || row->requeue_at < until)) {
		row->requeue_at = until;
		changed = true;
	}
	return changed;
}

/* base * 2^(count - 1), at most max. */
static sl_time backoff(const struct kq_config *config, int64_t count)
{
	sl_time delay = config->backoff_base;
	for (int64_t i = 1; i < count && delay < config->backoff_max; i++)
		delay *= 2;
	return delay < config->backoff_max ? delay : config->backoff_max;
}

/* ---- Active, or not ----------------------------------------------------------------------------- */

static void deactivated(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	const struct kq_cond *target = &row->cond[KQ_DEACTIVATION_TARGET];
	const char *reason = "Deactivated", *message = "The workload is deactivated";
	if (target->status != KQ_ABSENT) {
		reason = kq_message(kq, "DeactivatedDueTo%s", target->reason ? target->reason : "");
		message = kq_message(
			kq, "The workload is deactivated due to %s", target->message ? target->message : "");
	}
	row->cond[KQ_DEACTIVATION_TARGET] = (struct kq_cond){ 0 };
	row->requeue_count = 0;
	row->requeue_at = SL_NONE;
	kq_queue_delete(kq, workload);
	if (!kq_is(&row->cond[KQ_EVICTED]))
		kq_reconcile_evict(kq, workload, reason, message);
	else
		(void)kq_checks_reset(kq, workload);
}

/* Is there a backoff that it waits for? *again: until when. */
static bool backs_off(struct kq *kq, uint32_t workload, sl_time *retry)
{
	struct kq_workload *row = &kq->workload[workload];
	if (!requeued_false(row, "PodsReadyTimeout") && !requeued_false(row, "AdmissionCheck"))
		return false;
	if (row->requeue_at != SL_NONE && row->requeue_at > kq->now) {
		*retry = row->requeue_at;
		return true;
	}
	row->requeue_at = SL_NONE;
	requeue(kq, workload, "BackoffFinished", "The workload backoff was finished");
	return true;
}

static bool reactivated(struct kq *kq, uint32_t workload)
{
	const struct kq_cond *cond = &kq->workload[workload].cond[KQ_REQUEUED];
	if (cond->status != KQ_FALSE || !cond->reason || strncmp(cond->reason, "Deactivated", 11) != 0)
		return false;
	requeue(kq, workload, "Reactivated", "The workload was reactivated");
	return true;
}

/* Its queues run again after they were stopped. */
static bool restarted(struct kq *kq, uint32_t workload, uint32_t queue)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (row->local != KQ_NO && kq->local[row->local].exists &&
		kq->local[row->local].stop == KQ_STOP_NONE && requeued_false(row, "LocalQueueStopped")) {
		requeue(kq, workload, "LocalQueueRestarted",
			"The LocalQueue was restarted after being stopped");
		return true;
	}
	if (queue != KQ_NO && kq->node[queue].exists && kq->node[queue].stop == KQ_STOP_NONE &&
		requeued_false(row, "ClusterQueueStopped")) {
		requeue(kq, workload, "ClusterQueueRestarted",
			"The ClusterQueue was restarted after being stopped");
		return true;
	}
	return false;
}

/* ---- With quota --------------------------------------------------------------------------------- */

/* The latest time at which checks in state Retry want it; SL_NONE: none says. */
static sl_time retry_at(const struct kq_workload *row)
{
	sl_time at = SL_NONE;
	for (uint32_t i = 0; i < row->check_count; i++) {
		const struct kq_workload_check *check = &row->check[i];
		if (check->state == KQ_CHECK_RETRY && check->retry_after > 0 &&
			check->at + check->retry_after > at)
			at = check->at + check->retry_after;
	}
	return at;
}

static const char *rejected_names(struct kq *kq, const struct kq_workload *row)
{
	char text[768] = "";
	size_t at = 0;
	for (uint32_t i = 0; i < row->check_count && at < 700; i++) {
		if (row->check[i].state != KQ_CHECK_REJECTED)
			continue;
		const int wrote = snprintf(text + at, sizeof(text) - at, "%s%s", at ? "," : "",
			kq->check[row->check[i].check].name);
		at += wrote > 0 ? (size_t)wrote : 0;
	}
	return kq_message(kq, "Admission check(s): %s, were rejected", text);
}

static bool checks_end_it(struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (kq_is(&row->cond[KQ_EVICTED]))
		return false;
	if (kq_has_check(row, KQ_CHECK_REJECTED)) {
		deactivate(kq, workload, "AdmissionCheck", rejected_names(kq, row));
		return true;
	}
	if (!kq_has_check(row, KQ_CHECK_RETRY))
		return false;
	(void)kq_set_requeue(kq, workload, retry_at(row), false);
	kq_reconcile_evict(kq, workload, "AdmissionCheck", "At least one admission check is false");
	return true;
}

/* A LocalQueue or ClusterQueue that may be stopped, or is not there. */
struct halt {
	enum kq_stop stop;
	bool exists;
	const char *reason, *kind, *name;
};

/* It only has a quota reservation: that is released. */
static void drop_reservation(struct kq *kq, uint32_t workload, const struct halt *halt)
{
	const struct kq_workload *row = &kq->workload[workload];
	const uint32_t queue = row->admission->queue;
	kq_pend(kq, workload, kq_told(kq, halt->exists ? "Suspended" : "Misconfigured", "Inadmissible"),
		halt->exists ? kq_message(kq, "%s %s is stopped", halt->kind, halt->name)
			     : kq_message(kq, "%s %s is terminating or missing", halt->kind, halt->name));
	kq_decision(kq, KQ_DECISION_PEND, workload, KQ_NO, row->pending_reason, row->pending_message);
	if (queue != KQ_NO) {
		kq->node[queue].generation++;
		kq_queue_notify(kq, queue);
	}
	kq_queue_update(kq, workload);
}

/* Admitted ones are evicted by HoldAndDrain; those that only hold quota lose it by either. */
static bool stopped_by(struct kq *kq, uint32_t workload, const struct halt *halt)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (kq_is(&row->cond[KQ_ADMITTED])) {
		if (halt->stop != KQ_HOLD_AND_DRAIN || kq_is(&row->cond[KQ_EVICTED]))
			return false;
		kq_reconcile_evict(
			kq, workload, halt->reason, kq_message(kq, "The %s is stopped", halt->kind));
		return true;
	}
	if (halt->exists && halt->stop == KQ_STOP_NONE)
		return false;
	drop_reservation(kq, workload, halt);
	return true;
}

static bool stopped(struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	const struct kq_local_queue *local = row->local == KQ_NO ? NULL : &kq->local[row->local];
	const uint32_t queue = row->admission->queue;
	const struct kq_node *node = queue == KQ_NO ? NULL : &kq->node[queue];
	const char *name = row->admission->queue_name;
	const struct halt by_local = { local ? local->stop : KQ_STOP_NONE, local && local->exists,
		"LocalQueueStopped", "LocalQueue", row->queue_name };
	const struct halt by_queue = { node ? node->stop : KQ_STOP_NONE,
		node && node->exists && !node->terminating, "ClusterQueueStopped", "ClusterQueue",
		name ? name : "" };
	return stopped_by(kq, workload, &by_local) || stopped_by(kq, workload, &by_queue);
}

const char *kq_ready_check(const struct kq *kq, const struct kq_workload *workload, sl_time *recheck)
{
	const struct kq_cond *ready = &workload->cond[KQ_PODS_READY];
	const struct kq_config *config = &kq->config;
	sl_time limit = config->ready_timeout, since = workload->cond[KQ_ADMITTED].at;
	const char *cause = "WaitForStart";
	*recheck = 0;
	if (!config->wait_ready || !kq_is(&workload->cond[KQ_ADMITTED]) || kq_is(ready))
		return NULL;
	/* "PodsReady" is what releases before the reasons wrote. */
	if (ready->status != KQ_ABSENT &&
		(!ready->reason || (strcmp(ready->reason, "WaitForStart") != 0 &&
					   strcmp(ready->reason, "PodsReady") != 0))) {
		if (!ready->reason || strcmp(ready->reason, "WaitForRecovery") != 0)
			return NULL;
		cause = "WaitForRecovery";
		limit = config->recovery_timeout;
		since = ready->at;
	}
	if (limit == SL_NONE)
		return NULL;
	const sl_time left = since == SL_NONE ? 0 : since + limit - kq->now;
	*recheck = left > 0 ? left : 0;
	return cause;
}

/* When it wants to be looked at again; SL_NEVER. */
static sl_time too_long_unready(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	sl_time left;
	if (!row->active || kq_is(&row->cond[KQ_EVICTED]))
		return SL_NEVER;
	if (!kq_ready_check(kq, row, &left))
		return SL_NEVER;
	if (left > 0)
		return kq->now + left;
	if (kq->config.backoff_limit >= 0 && row->requeue_count + 1 > kq->config.backoff_limit) {
		deactivate(kq, workload, "RequeuingLimitExceeded",
			"exceeding the maximum number of re-queuing retries");
		return kq->now;
	}
	(void)kq_set_requeue(kq, workload, kq->now + backoff(&kq->config, row->requeue_count + 1), true);
	kq_reconcile_evict(kq, workload, "PodsReadyTimeout",
		kq_message(kq, "Exceeded the PodsReady timeout %s/%s", row->namespace, row->name));
	return SL_NEVER;
}

static sl_time too_long_admitted(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	if (!row->max_execution || !kq_is(&row->cond[KQ_ADMITTED]) || kq_is(&row->cond[KQ_EVICTED]))
		return SL_NEVER;
	const sl_time end = row->cond[KQ_ADMITTED].at + row->max_execution - row->executed;
	if (end > kq->now)
		return end;
	deactivate(kq, workload, "MaximumExecutionTimeExceeded", "exceeding the maximum execution time");
	row->executed = 0;
	return kq->now;
}

static sl_time with_quota(struct kq *kq, uint32_t workload)
{
	if (checks_end_it(kq, workload))
		return kq_is(&kq->workload[workload].cond[KQ_DEACTIVATION_TARGET]) ? kq->now : SL_NEVER;
	if (stopped(kq, workload))
		return SL_NEVER;
	const sl_time ready = too_long_unready(kq, workload);
	const sl_time run = too_long_admitted(kq, workload);
	return ready < run ? ready : run;
}

/* ---- Without quota ------------------------------------------------------------------------------ */

static void kq_reconcile_why_not(struct kq *kq, uint32_t workload, uint32_t queue)
{
	const struct kq_workload *row = &kq->workload[workload];
	const bool local = row->local != KQ_NO && kq->local[row->local].exists;
	const char *reason, *message, *gate = kq_gated_by(kq, row);
	if (gate) {
		reason = "AdmissionGated";
		message = kq_message(kq, "Admission is gated by: %s", gate);
	} else if (row->refused) {
		reason = "Misconfigured";
		message = row->refused;
	} else if (!local) {
		reason = "Misconfigured";
		message = kq_message(kq, "LocalQueue %s doesn't exist", row->queue_name);
	} else if (kq->local[row->local].stop != KQ_STOP_NONE) {
		reason = "Suspended";
		message = kq_message(kq, "LocalQueue %s is inactive", row->queue_name);
	} else if (queue == KQ_NO || !kq->node[queue].exists) {
		reason = "Misconfigured";
		message = kq_message(kq, "ClusterQueue %s doesn't exist",
			kq->local[row->local].queue_name ? kq->local[row->local].queue_name : "");
	} else if (!kq->node[queue].active) {
		reason = "Suspended";
		message = kq_message(kq, "ClusterQueue %s is inactive", kq->node[queue].name);
	} else {
		return;
	}
	if (!gate)
		reason = kq_told(kq, reason, "Inadmissible");
	if (row->pending_message == message && row->pending_reason == kq_text(kq, reason))
		return;
	kq_pend(kq, workload, reason, message);
	kq_decision(kq, KQ_DECISION_PEND, workload, KQ_NO, row->pending_reason, message);
}

sl_time kq_reconcile(struct kq *kq, uint32_t workload)
{
	struct kq_workload *row = &kq->workload[workload];
	sl_time retry = SL_NEVER;
	if (row->gone || kq_is(&row->cond[KQ_FINISHED]))
		return SL_NEVER;
	if (row->active) {
		if (kq_is(&row->cond[KQ_DEACTIVATION_TARGET])) {
			kq_set_active(kq, workload, false);
			return kq->now;
		}
		if (reactivated(kq, workload) || backs_off(kq, workload, &retry))
			return retry;
	} else if (!kq_is(&row->cond[KQ_EVICTED]) || kq_has_check(row, KQ_CHECK_RETRY) ||
		   kq_has_check(row, KQ_CHECK_REJECTED)) {
		deactivated(kq, workload);
		return SL_NEVER;
	}
	const uint32_t queue = row->local == KQ_NO ? KQ_NO : kq->local[row->local].queue;
	if (restarted(kq, workload, queue))
		return SL_NEVER;
	if (queue != KQ_NO && kq->node[queue].exists && kq_checks_sync(kq, workload, queue))
		return kq->now;
	const bool reserved = kq_is(&row->cond[KQ_QUOTA_RESERVED]) && row->admission;
	if (!reserved) {
		if (kq_has_check(row, KQ_CHECK_RETRY)) {
			(void)kq_set_requeue(kq, workload, retry_at(row), false);
			return row->requeue_at > kq->now ? row->requeue_at : SL_NEVER;
		}
		if (row->active)
			kq_reconcile_why_not(kq, workload, queue);
		return SL_NEVER;
	}
	if (!kq_is(&row->cond[KQ_ADMITTED]) && !kq_is(&row->cond[KQ_EVICTED]) &&
		kq_sync_admitted(kq, workload))
		return kq->now;
	return with_quota(kq, workload);
}

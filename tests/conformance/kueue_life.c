/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_life.c - recorded cases of Kueue: a workload's controller, waitForPodsReady, the status of a queue.
 */
#include "tests/conformance/kueue_case.h"

#include <stdio.h>
#include <string.h>

static const char *const states[] = { "Pending", "Ready", "Retry", "Rejected" };
static const char *const statuses[] = { "", "False", "True", "Unknown" };

static void wait_for_pods_ready(struct kueue_case *c)
{
	struct kq_config *config = &c->kq->config;
	const struct sl_doc_node *wait = kc_get(c, c->input, "wait_for_pods_ready");
	config->wait_ready = wait != NULL;
	if (!wait)
		return;
	config->ready_timeout = kc_time(c, wait, "timeout_s", 0);
	config->recovery_timeout = kc_time(c, wait, "recovery_timeout_s", SL_NONE);
	config->backoff_base = kc_time(c, wait, "backoff_base_s", config->backoff_base);
	config->backoff_max = kc_time(c, wait, "backoff_max_s", config->backoff_max);
	config->backoff_limit = kc_int(c, wait, "backoff_limit_count", -1);
}

/* ---- One pass of the controller -------------------------------------------------------------------------
 */

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static const struct sl_doc_node *change_of(const struct kueue_case *c, const char *type)
{
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->expect, "changed_conditions")); one;
		one = kc_next(c, one))
		if (strcmp(kc_str(c, one, "type", ""), type) == 0)
			return one;
	return NULL;
}

/* A condition that was removed is no change. */
static const char *compare_cond(
	struct kueue_case *c, enum kq_cond_type type, const struct kq_cond *before, const struct kq_cond *now)
{
	const char *name = kq_cond_name(type);
	const struct sl_doc_node *want = change_of(c, name);
	const bool changed = now->status != KQ_ABSENT &&
			     (now->status != before->status || !same_text(now->reason, before->reason));
	if (changed != (want != NULL))
		return kc_fail(c, "%s: %s (%s %s)", name, changed ? "changed" : "is as before",
			statuses[now->status], now->reason ? now->reason : "");
	if (want && (strcmp(statuses[now->status], kc_str(c, want, "status", "")) != 0 ||
			    !same_text(now->reason, kc_str(c, want, "reason", ""))))
		return kc_fail(c, "%s: %s %s", name, statuses[now->status], now->reason ? now->reason : "");
	return NULL;
}

static const char *compare_checks(struct kueue_case *c, const struct kq_workload *row)
{
	const struct sl_doc_node *list = kc_get(c, c->expect, "admission_checks");
	uint32_t at = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one), at++) {
		if (at >= row->check_count)
			return "a check is missing";
		if (strcmp(states[row->check[at].state], kc_str(c, one, "state", "")) != 0)
			return kc_fail(c, "check %s is %s", c->kq->check[row->check[at].check].name,
				states[row->check[at].state]);
	}
	return NULL;
}

const char *op_reconcile_workload(struct kueue_case *c)
{
	struct kq_cond before[KQ_COND_COUNT];
	const struct kq_workload *row = &c->kq->workload[0];
	wait_for_pods_ready(c);
	memcpy(before, row->cond, sizeof(before));
	(void)kq_reconcile(c->kq, 0);
	for (int i = 0; i < KQ_COND_COUNT; i++) {
		const char *why = compare_cond(c, (enum kq_cond_type)i, &before[i], &row->cond[i]);
		if (why)
			return why;
	}
	if (row->active != kc_bool(c, c->expect, "active", row->active))
		return kc_fail(c, "active is %d", row->active);
	if (row->requeue_count != kc_int(c, c->expect, "requeue_count", row->requeue_count))
		return kc_fail(c, "requeued %lld times", (long long)row->requeue_count);
	return compare_checks(c, row);
}

/* ---- waitForPodsReady -----------------------------------------------------------------------------------
 */

const char *op_pods_ready_check(struct kueue_case *c)
{
	sl_time recheck = 0;
	wait_for_pods_ready(c);
	const char *cause = kq_ready_check(c->kq, &c->kq->workload[0], &recheck);
	if (!same_text(cause, kc_str(c, c->expect, "underlying_cause", "")))
		return kc_fail(c, "cause is '%s'", cause ? cause : "");
	if (recheck != kc_time(c, c->expect, "recheck_after_s", 0))
		return kc_fail(c, "recheck after %lld us", (long long)recheck);
	return NULL;
}

const char *op_set_requeue_state(struct kueue_case *c)
{
	const struct sl_doc_node *given = kc_get(c, c->given, "requeue_state");
	const uint32_t w = kq_workload(c->kq, "", "wl");
	struct kq_workload *row = &c->kq->workload[w];
	row->requeue_count = kc_int(c, given, "count", 0);
	row->requeue_at = kc_time(c, given, "requeue_at", SL_NONE);
	const bool updated = kq_set_requeue(c->kq, w, kc_time(c, c->input, "wait_until", SL_NONE),
		kc_bool(c, c->input, "increment_count", false));
	if (updated != kc_bool(c, c->expect, "updated", false))
		return kc_fail(c, "updated is %d", updated);
	if (row->requeue_count != kc_int(c, c->expect, "count", 0))
		return kc_fail(c, "count is %lld", (long long)row->requeue_count);
	if (row->requeue_at != kc_time(c, c->expect, "requeue_at", SL_NONE))
		return kc_fail(c, "requeued at %lld us", (long long)row->requeue_at);
	return NULL;
}

/* ---- A queue's status -----------------------------------------------------------------------------------
 */

const char *op_cluster_queue_status(struct kueue_case *c)
{
	const uint32_t queue = kq_cluster_queue(c->kq, kc_str(c, c->input, "cluster_queue", ""));
	if (kc_bool(c, c->input, "terminate", false))
		c->kq->node[queue].terminating = true;
	kq_queue_status(c->kq, queue);
	const struct kq_node *node = &c->kq->node[queue];
	if (node->active != kc_bool(c, c->expect, "active", false))
		return kc_fail(c, "active is %d", node->active);
	if (!same_text(node->inactive_reason, kc_str(c, c->expect, "reason", "")))
		return kc_fail(c, "reason is %s", node->inactive_reason);
	const char *message = kc_str(c, c->expect, "message", NULL);
	if (message && !same_text(node->inactive_message, message))
		return kc_fail(c, "message is '%s'", node->inactive_message);
	return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_queues.c - recorded cases of what waits: order of heads, going back, waking, backoff.
 *
 * Many of these cases push workloads into a queue without a LocalQueue: one is made for each name that they
 * use.
 */
#include "tests/conformance/kueue_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 256 };

static uint32_t first_queue(const struct kueue_case *c)
{
	return c->kq->queue_count ? c->kq->queue[0] : KQ_NO;
}

/* Its LocalQueue, if that does not say where it goes, goes to `queue`. */
static void give_queue(struct kueue_case *c, uint32_t workload, uint32_t queue)
{
	struct kq *kq = c->kq;
	struct kq_workload *row = &kq->workload[workload];
	if (row->local == KQ_NO) {
		const uint32_t local = kq_local_queue(kq, row->namespace, row->queue_name);
		kq->local[local].used = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(double));
		kq->local[local].penalty = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(double));
		row->local = local;
	}
	if (kq->local[row->local].queue == KQ_NO)
		kq->local[row->local].queue = queue;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Workloads as "space/name, ..." in order. */
static void list_rows(
	const struct kueue_case *c, const uint32_t *row, uint32_t count, char *text, size_t size)
{
	char key[LIST_MAX][512];
	const char *sorted[LIST_MAX];
	size_t used = 0;
	if (count > LIST_MAX)
		count = LIST_MAX;
	for (uint32_t i = 0; i < count; i++) {
		kc_workload_key(c, row[i], key[i]);
		sorted[i] = key[i];
	}
	qsort(sorted, count, sizeof(*sorted), by_text);
	text[0] = 0;
	for (uint32_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s ", sorted[i]);
}

static void list_texts(const struct kueue_case *c, const struct sl_doc_node *list, char *text, size_t size)
{
	const char *sorted[LIST_MAX];
	uint32_t count = 0;
	size_t used = 0;
	for (const struct sl_doc_node *one = kc_first(c, list); one && count < LIST_MAX;
		one = kc_next(c, one))
		sorted[count++] = kc_text(c, one);
	qsort(sorted, count, sizeof(*sorted), by_text);
	text[0] = 0;
	for (uint32_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s ", sorted[i]);
}

static const char *check_set(
	struct kueue_case *c, uint32_t queue, enum kq_queued where, const struct sl_doc_node *want)
{
	char got_text[1000], want_text[1000];
	const uint32_t *row;
	const uint32_t count = kq_waiting(c->kq, queue, where, &row);
	list_rows(c, row, count, got_text, sizeof(got_text));
	list_texts(c, want, want_text, sizeof(want_text));
	if (strcmp(got_text, want_text) != 0)
		return kc_fail(c, "%s %s: %s, not %s", c->kq->node[queue].name,
			where == KQ_ACTIVE ? "active" : "inadmissible", got_text, want_text);
	return NULL;
}

/* ---- Order ---- */

const char *op_queue_head(struct kueue_case *c)
{
	char key[512] = "";
	const uint32_t queue = first_queue(c);
	c->kq->config.by_creation =
		strcmp(kc_str(c, c->input, "pods_ready_requeuing_timestamp", "Eviction"), "Creation") == 0;
	for (uint32_t w = 0; w < c->kq->workload_count; w++) {
		give_queue(c, w, queue);
		kq_queue_update(c->kq, w);
	}
	const uint32_t head = kq_queue_pop(c->kq, queue);
	if (head != KQ_NO)
		kc_workload_key(c, head, key);
	const char *want = kc_str(c, c->expect, "head", "");
	return strcmp(key, want) == 0 ? NULL : kc_fail(c, "the head is %s, not %s", key, want);
}

const char *op_heads(struct kueue_case *c)
{
	char got[1000] = "", want[1000];
	const char *name[LIST_MAX];
	uint32_t count = 0;
	size_t used = 0;
	for (uint32_t w = 0; w < c->kq->workload_count; w++)
		kq_queue_update(c->kq, w);
	for (uint32_t i = 0; i < c->kq->queue_count; i++) {
		const uint32_t head = kq_queue_pop(c->kq, c->kq->queue[i]);
		if (head != KQ_NO && count < LIST_MAX)
			name[count++] = c->kq->workload[head].name;
	}
	qsort(name, count, sizeof(*name), by_text);
	for (uint32_t i = 0; i < count && used < sizeof(got); i++)
		used += (size_t)snprintf(got + used, sizeof(got) - used, "%s ", name[i]);
	list_texts(c, kc_get(c, c->expect, "heads"), want, sizeof(want));
	return strcmp(got, want) == 0 ? NULL : kc_fail(c, "heads are %s, not %s", got, want);
}

const char *op_queue_order_timestamp(struct kueue_case *c)
{
	const struct sl_doc_node *list = kc_get(c, c->expect, "by_ordering");
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one)) {
		const char *mode = kc_str(c, one, "pods_ready_requeuing_timestamp", "");
		c->kq->config.by_creation = strcmp(mode, "Creation") == 0;
		const sl_time got = kq_queue_time(c->kq, &c->kq->workload[0]);
		const sl_time want = kc_time(c, one, "timestamp", SL_NONE);
		if (got != want)
			return kc_fail(c, "%s: %lld us, not %lld", mode, (long long)got, (long long)want);
	}
	return NULL;
}

const char *op_backoff_expired(struct kueue_case *c)
{
	const bool got = kq_backoff_expired(c->kq, &c->kq->workload[0]);
	return got == kc_bool(c, c->expect, "expired", !got) ? NULL : kc_fail(c, "expired: %d", got);
}

/* ---- Back again ---- */

static enum kq_requeue why_of(const char *reason)
{
	static const char *const name[KQ_REQUEUE_COUNT] = {
		[KQ_REQUEUE_GENERIC] = "",
		[KQ_REQUEUE_NO_FIT] = "NoFit",
		[KQ_REQUEUE_NO_CANDIDATES] = "PreemptionNoCandidates",
		[KQ_REQUEUE_GATED] = "PreemptionGated",
		[KQ_REQUEUE_NAMESPACE] = "NamespaceMismatch",
		[KQ_REQUEUE_FAILED_AFTER_NOMINATION] = "FailedAfterNomination",
		[KQ_REQUEUE_PENDING_PREEMPTION] = "PendingPreemption",
		[KQ_REQUEUE_PENDING_MIGRATION] = "PendingMigration",
		[KQ_REQUEUE_PREEMPTION_FAILED] = "PreemptionFailed",
	};
	for (int i = 0; i < KQ_REQUEUE_COUNT; i++)
		if (strcmp(name[i], reason) == 0)
			return (enum kq_requeue)i;
	return KQ_REQUEUE_COUNT;
}

const char *op_requeue(struct kueue_case *c)
{
	const uint32_t queue = first_queue(c), w = kq_workload(c->kq, "", "head");
	const char *reason = kc_str(c, c->input, "reason", "");
	const enum kq_requeue why = why_of(reason);
	if (why == KQ_REQUEUE_COUNT)
		return kc_fail(c, "no such reason: %s", reason);
	give_queue(c, w, queue);
	kq_queue_update(c->kq, w);
	if (kq_queue_pop(c->kq, queue) != w)
		return kc_fail(c, "it is not the head");
	const struct sl_doc_node *tried = kc_get(c, c->input, "last_tried_flavor_idx");
	uint32_t podset = 0;
	for (const struct sl_doc_node *p = kc_first(c, tried); p; p = kc_next(c, p), podset++)
		for (const struct sl_doc_node *r = kc_first(c, p); r; r = kc_next(c, r))
			kq_assign_note(
				c->kq, w, podset, kq_resource(c->kq, kc_key(c, r)), (int32_t)kc_amount(c, r));
	const bool parked = kq_queue_requeue(c->kq, w, why), sticky = kq_is_sticky(c->kq, w);
	if (parked != kc_bool(c, c->expect, "inadmissible", !parked))
		return kc_fail(c, "inadmissible: %d", parked);
	if (parked != (c->kq->workload[w].queued == KQ_INADMISSIBLE))
		return kc_fail(c, "it is said to be where it is not");
	return sticky == kc_bool(c, c->expect, "sticky", sticky) ? NULL : kc_fail(c, "sticky: %d", sticky);
}

/* ---- One queue, step by step ---- */

/* The workload of a step: the row of its key, if there is one, as the step has it. */
static uint32_t step_workload(struct kueue_case *c, const struct sl_doc_node *node)
{
	char key[512];
	(void)snprintf(
		key, sizeof(key), "%s/%s", kc_str(c, node, "namespace", ""), kc_str(c, node, "name", ""));
	const uint32_t old = kc_find_workload(c, key);
	uint32_t w = kc_workload(c, node);
	if (old != KQ_NO) {
		struct kq_workload *to = &c->kq->workload[old];
		struct kq_workload from = c->kq->workload[w];
		from.queued = to->queued;
		from.heap_at = to->heap_at;
		*to = from;
		c->kq->workload_count--;
		w = old;
	}
	give_queue(c, w, first_queue(c));
	return w;
}

static const char *run_step(struct kueue_case *c, const struct sl_doc_node *step, uint32_t *moved)
{
	const char *what = kc_str(c, step, "do", "");
	struct kq *kq = c->kq;
	if (strcmp(what, "push_or_update") == 0) {
		kq_queue_update(kq, step_workload(c, kc_get(c, step, "workload")));
	} else if (strcmp(what, "requeue") == 0) {
		(void)kq_queue_requeue(kq, step_workload(c, kc_get(c, step, "workload")),
			kc_bool(c, step, "immediate", false) ? KQ_REQUEUE_FAILED_AFTER_NOMINATION
							     : KQ_REQUEUE_GENERIC);
	} else if (strcmp(what, "delete") == 0) {
		const uint32_t w = kc_find_workload(c, kc_str(c, step, "key", ""));
		if (w != KQ_NO)
			kq_queue_delete(kq, w);
	} else if (strcmp(what, "requeue_all_inadmissible") == 0) {
		kq_queue_notify(kq, first_queue(c));
		*moved = kq_queue_wake(kq);
	} else {
		return kc_fail(c, "no such step: %s", what);
	}
	return NULL;
}

const char *op_queue_ops(struct kueue_case *c)
{
	uint32_t moved = 0;
	const uint32_t *row;
	const struct sl_doc_node *steps = kc_get(c, c->input, "ops");
	for (const struct sl_doc_node *one = kc_first(c, steps); one; one = kc_next(c, one)) {
		const char *failure = run_step(c, one, &moved);
		if (failure)
			return failure;
	}
	const uint32_t queue = first_queue(c);
	const uint32_t total =
		kq_waiting(c->kq, queue, KQ_ACTIVE, &row) + kq_waiting(c->kq, queue, KQ_INADMISSIBLE, &row);
	const char *failure = check_set(c, queue, KQ_ACTIVE, kc_get(c, c->expect, "active"));
	if (failure)
		return failure;
	if (total != (uint32_t)kc_int(c, c->expect, "pending_total", total))
		return kc_fail(c, "%u wait", total);
	return moved == (uint32_t)kc_int(c, c->expect, "moved", moved) ? NULL : kc_fail(c, "%u moved", moved);
}

/* ---- A tree of queues ---- */

const char *op_requeue_cohort_tree(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	for (uint32_t w = 0; w < kq->workload_count; w++)
		kq_queue_update(kq, w);
	for (uint32_t i = 0; i < kq->queue_count; i++)
		for (uint32_t w; (w = kq_queue_pop(kq, kq->queue[i])) != KQ_NO;)
			(void)kq_queue_requeue(kq, w, KQ_REQUEUE_GENERIC);
	const struct sl_doc_node *list = kc_get(c, c->input, "trigger_cluster_queues");
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		kq_queue_notify(kq, kq_find_queue(kq, kc_text(c, one)));
	const uint32_t moved = kq_queue_wake(kq);
	if (moved != (uint32_t)kc_int(c, c->expect, "moved", moved))
		return kc_fail(c, "%u moved", moved);
	for (uint32_t i = 0; i < kq->queue_count; i++) {
		const char *name = kq->node[kq->queue[i]].name;
		const char *failure = check_set(
			c, kq->queue[i], KQ_ACTIVE, kc_get(c, kc_get(c, c->expect, "active"), name));
		if (!failure)
			failure = check_set(c, kq->queue[i], KQ_INADMISSIBLE,
				kc_get(c, kc_get(c, c->expect, "inadmissible"), name));
		if (failure)
			return failure;
	}
	return NULL;
}

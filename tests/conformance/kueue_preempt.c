/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_preempt.c - recorded cases of Kueue: victims of a given assignment, and the order of candidates.
 */
#include "tests/conformance/kueue_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t count_of(const struct sl_doc_node *list) { return list ? list->count : 0; }

/* ---- Victims ---- */

static enum kq_mode mode_of(const char *text)
{
	if (strcmp(text, "Fit") == 0)
		return KQ_FIT;
	return strcmp(text, "Preempt") == 0 ? KQ_PREEMPT : KQ_NO_FIT;
}

static const struct kq_podset *podset_named(const struct kq_workload *row, const char *name, uint32_t *at)
{
	for (*at = 0; *at < row->podset_count; (*at)++)
		if (strcmp(row->podset[*at].name, name) == 0)
			return &row->podset[*at];
	return NULL;
}

static bool podset_assignment(struct kueue_case *c, const struct kq_workload *row,
	struct kq_podset_assignment *to, const struct sl_doc_node *node)
{
	const struct sl_doc_node *flavors = kc_get(c, node, "flavors");
	const struct kq_podset *podset = podset_named(row, kc_str(c, node, "name", ""), &to->podset);
	if (!podset)
		return false;
	to->count = kc_int(c, node, "count", 0);
	to->requests.at = kq_alloc(c->kq, podset->request.count, sizeof(*to->requests.at));
	for (uint32_t i = 0; to->requests.at && i < podset->request.count; i++)
		to->requests.at[to->requests.count++] = (struct kq_amount){ podset->request.at[i].resource,
			kq_mul(podset->request.at[i].amount, to->count) };
	to->pick = kq_alloc(c->kq, count_of(flavors), sizeof(*to->pick));
	to->mode = KQ_FIT;
	for (const struct sl_doc_node *one = to->pick ? kc_first(c, flavors) : NULL; one;
		one = kc_next(c, one)) {
		struct kq_pick *pick = &to->pick[to->pick_count++];
		*pick = (struct kq_pick){ .resource = kq_resource(c->kq, kc_key(c, one)),
			.flavor = kq_flavor(c->kq, kc_str(c, one, "flavor", "")),
			.mode = mode_of(kc_str(c, one, "mode", "")) };
		to->mode = pick->mode < to->mode ? pick->mode : to->mode;
	}
	return true;
}

static bool assignment_of(struct kueue_case *c, uint32_t workload, struct kq_assignment *to)
{
	const struct sl_doc_node *list = kc_get(c, kc_get(c, c->input, "assignment"), "podsets");
	*to = (struct kq_assignment){ .workload = workload,
		.queue = kq_find_queue(c->kq, kc_str(c, c->input, "cluster_queue", "")),
		.podset = kq_alloc(c->kq, count_of(list), sizeof(*to->podset)),
		.mode = KQ_FIT };
	for (const struct sl_doc_node *one = to->podset ? kc_first(c, list) : NULL; one;
		one = kc_next(c, one)) {
		struct kq_podset_assignment *podset = &to->podset[to->podset_count++];
		if (!podset_assignment(c, &c->kq->workload[workload], podset, one))
			return false;
		to->mode = podset->mode < to->mode ? podset->mode : to->mode;
	}
	return to->podset && to->queue != KQ_NO;
}

static const char *reason_for(const struct kueue_case *c, const char *key)
{
	const struct sl_doc_node *list = kc_get(c, c->expect, "targets");
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		if (strcmp(kc_str(c, one, "workload", ""), key) == 0)
			return kc_str(c, one, "reason", "");
	return NULL;
}

static const char *reported(struct kueue_case *c, const struct kq_victims *victims)
{
	char text[1500] = "";
	size_t at = 0;
	for (uint32_t i = 0; i < victims->count && at < sizeof(text); i++) {
		char key[512];
		kc_workload_key(c, victims->at[i].workload, key);
		const int got =
			snprintf(text + at, sizeof(text) - at, " %s (%s)", key, victims->at[i].reason);
		at += got > 0 ? (size_t)got : 0;
	}
	return kc_fail(c, "victims are%s", victims->count ? text : " none");
}

/* `targets` are those that are evicted now, `count` has those with it that were so before. */
static bool same_victims(struct kueue_case *c, const struct kq_victims *victims)
{
	uint32_t fresh = 0;
	if (victims->count != (uint64_t)kc_int(c, c->expect, "count", victims->count))
		return false;
	for (uint32_t i = 0; i < victims->count; i++) {
		char key[512];
		kc_workload_key(c, victims->at[i].workload, key);
		const char *reason = reason_for(c, key);
		if (kq_is(&c->kq->workload[victims->at[i].workload].cond[KQ_EVICTED]))
			continue;
		fresh++;
		if (!reason || strcmp(reason, victims->at[i].reason) != 0)
			return false;
	}
	return fresh == count_of(kc_get(c, c->expect, "targets"));
}

const char *op_preemption_targets(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	struct kq_assignment assignment;
	const uint32_t workload = kc_workload(c, kc_get(c, c->input, "incoming"));
	if (!assignment_of(c, workload, &assignment))
		return "its assignment names a podset or queue that is not there";
	const size_t cells = (size_t)kq->node_count * kq->fr_count;
	int64_t *before = kq_alloc(kq, cells, sizeof(*before));
	if (!before)
		return "out of memory";
	memcpy(before, kq->usage, cells * sizeof(*before));
	const struct kq_victims victims = kq_victims_of(kq, c->scratch, &assignment, NULL);
	if (memcmp(before, kq->usage, cells * sizeof(*before)) != 0 || kq->marks || kq->journal_count)
		return "the books are not as they were";
	return same_victims(c, &victims) ? NULL : reported(c, &victims);
}

/* ---- The order of candidates ---- */

/* The case names queues that are not configured: one is made for each name. */
static void put_in_queue(struct kueue_case *c, uint32_t workload, const struct sl_doc_node *node)
{
	struct kq *kq = c->kq;
	const char *name = kc_str(c, node, "cluster_queue", "");
	if (!*name)
		return;
	const uint32_t queue = kq_cluster_queue(kq, name);
	kq->node[queue].usage_based = true;
	struct kq_admission admission = { .queue = queue, .queue_name = kq_text(kq, name) };
	kq_set_admission(kq, workload, &admission);
}

/* Of a local queue of one cpu so much is in use as the case says. */
static void put_usage(struct kueue_case *c, uint32_t workload, const struct sl_doc_node *node)
{
	struct kq *kq = c->kq;
	if (!kc_get(c, node, "local_queue_fs_usage"))
		return;
	const uint32_t local =
		kq_local_queue(kq, kq->workload[workload].namespace, kc_str(c, node, "queue", ""));
	kq->workload[workload].local = local;
	kq->local[local].exists = true;
	kq->local[local].used = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(double));
	kq->local[local].penalty = kq_alloc(kq, KQ_RESOURCES_MAX, sizeof(double));
	if (kq->local[local].used)
		kq->local[local].used[KQ_CPU] = kc_real(c, node, "local_queue_fs_usage", 0);
}

const char *op_order_candidates(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	const struct sl_doc_node *list = kc_get(c, c->given, "workloads");
	uint32_t *order = kq_alloc(kq, count_of(list), sizeof(*order)), count = 0;
	kq->config.afs = kc_bool(c, c->input, "afs_enabled", false);
	for (const struct sl_doc_node *one = order ? kc_first(c, list) : NULL; one; one = kc_next(c, one)) {
		put_in_queue(c, count, one);
		put_usage(c, count, one);
		order[count] = count;
		count++;
	}
	const uint32_t queue = kq_cluster_queue(kq, kc_str(c, c->input, "preemptor_cluster_queue", ""));
	if (kq->err.status)
		return kq->err.text;
	kq_candidates_sort(kq, queue, order, count);
	uint32_t at = 0;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->expect, "order")); one;
		one = kc_next(c, one), at++)
		if (at == count || strcmp(kq->workload[order[at]].name, kc_text(c, one)) != 0)
			return kc_fail(c, "at place %u: %s", at + 1,
				at < count ? kq->workload[order[at]].name : "nobody");
	return at == count ? NULL : "more are in order than are expected";
}

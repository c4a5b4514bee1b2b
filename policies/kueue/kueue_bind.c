/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_bind.c - nodes for pods by kube-scheduler (pods=kube): the binder of that name is handed the pods of
 * admitted jobs, with what their flavors and topologies say of nodes, and says where they are.
 */
#include "policies/kueue/kueue.h"

#include <string.h>

/* ---- What an admission says of nodes, for kube-scheduler --------------------------------------------------
 */

static bool is_repeated(const struct kq_admitted_podset *podset, uint32_t flavor)
{
	for (uint32_t i = 0; i < flavor; i++)
		if (podset->flavor[i].flavor == podset->flavor[flavor].flavor)
			return true;
	return false;
}

/* Labels and tolerations of the flavors of a podset, each flavor once, as Kueue puts them into its pods. */
static void assignment_flavors(struct kueue *k, const struct kq *kq, const char *cluster,
	const struct kq_admitted_podset *podset, struct sl_podset_assignment *assignment)
{
	size_t labels = 0, tolerations = 0;
	for (uint32_t i = 0; i < podset->flavor_count; i++)
		if (podset->flavor[i].flavor != KQ_NO) {
			labels += kq->flavor[podset->flavor[i].flavor].labels.count;
			tolerations += kq->flavor[podset->flavor[i].flavor].tolerations.count;
		}
	struct sl_label *label = sl_alloc(k->arena, labels + 2, sizeof(*label));
	struct sl_toleration *toleration = sl_alloc(k->arena, tolerations + 1, sizeof(*toleration));
	if (!label || !toleration) {
		controller_no_memory(&k->engine);
		return;
	}
	assignment->labels.at = label;
	assignment->tolerations.at = toleration;
	if (cluster)
		label[assignment->labels.count++] = (struct sl_label){ "schedlab/cluster", cluster };
	for (uint32_t i = 0; i < podset->flavor_count; i++) {
		if (podset->flavor[i].flavor == KQ_NO || is_repeated(podset, i))
			continue;
		const struct kq_flavor *flavor = &kq->flavor[podset->flavor[i].flavor];
		for (uint32_t j = 0; j < flavor->labels.count; j++)
			if (!sl_label_of(&assignment->labels, flavor->labels.at[j].key))
				label[assignment->labels.count++] = flavor->labels.at[j];
		for (uint32_t j = 0; j < flavor->tolerations.count; j++)
			toleration[assignment->tolerations.count++] = flavor->tolerations.at[j];
	}
}

/* The nodes of the domains, pod by pod. Pods of coarser domains are bound to nodes by the labels of their
 * flavor alone. */
static void assignment_hosts(
	struct kueue *k, const struct kq_placement *placement, struct sl_podset_assignment *assignment)
{
	if (!kueue_by_host(placement))
		return;
	uint32_t *node = sl_alloc(k->arena, (size_t)assignment->count + 1, sizeof(*node));
	int64_t pod = 0;
	if (!node) {
		controller_no_memory(&k->engine);
		return;
	}
	for (uint32_t i = 0; i < placement->count; i++) {
		const uint32_t host = kq_find_host(k->kq, placement->domain[i].value[0]);
		for (int64_t j = 0;
			host != KQ_NO && j < placement->domain[i].count && pod < assignment->count; j++)
			node[pod++] = k->host_node[host];
	}
	if (pod == assignment->count)
		assignment->node = node;
}

static const struct sl_podset_assignment *pins_of(struct kueue *k, uint32_t row)
{
	const struct kq *kq;
	const struct kq_admission *admission = kueue_admission(k, row, &kq);
	struct sl_podset_assignment *assignment =
		admission ? sl_alloc(k->arena, admission->podset_count, sizeof(*assignment)) : NULL;
	for (uint32_t i = 0; assignment && i < admission->podset_count; i++) {
		assignment[i].count = admission->podset[i].count;
		assignment_flavors(k, kq, kueue_multi_name(k, row), &admission->podset[i], &assignment[i]);
		if (admission->podset[i].placement && !admission->podset[i].delayed)
			assignment_hosts(k, admission->podset[i].placement, &assignment[i]);
	}
	return assignment;
}

void kueue_bind_add(struct kueue *k, uint32_t row)
{
	k->binder->add(
		k->binder_state, k->now, (sl_job){ row }, k->shape[k->shape_of[row]].pods, pins_of(k, row));
	k->binder_at = k->now;
}

sl_time kueue_bind_provision(struct kueue *k, uint32_t row, enum sl_provision how)
{
	k->binder_at = k->now; /* Nodes may have been ordered. */
	return k->binder->provision(k->binder_state, k->now, (sl_job){ row }, k->shape[k->shape_of[row]].pods,
		pins_of(k, row), how);
}

/* ---- What comes of it ---------------------------------------------------------------------------------- */

static void bound_all(struct kueue *k, uint32_t row)
{
	const struct sl_node_alloc *node_alloc;
	const size_t count = k->binder->where(k->binder_state, (sl_job){ row }, &node_alloc);
	if (k->job[row].stage == KUEUE_PODS && count)
		kueue_pods_on(k, row, node_alloc, count);
}

void kueue_bind_run(struct kueue *k)
{
	struct sl_bound bound;
	if (k->binder_at > k->now)
		return;
	k->binder_at = SL_NEVER;
	const sl_time retry = k->binder->run(k->binder_state, k->now);
	while (k->binder->next(k->binder_state, &bound)) {
		if (bound.what == SL_BOUND_ALL)
			bound_all(k, bound.job.row);
		else if (bound.what == SL_BOUND_STUCK)
			controller_reason(&k->engine, bound.job.row, SL_REASON_UNSCHEDULABLE);
		else
			kueue_lost(k, bound.job.row, false);
	}
	if (retry <= k->now || retry >= k->binder_at)
		return;
	k->binder_at = retry;
	kueue_due(k, retry, KUEUE_DUE_BINDER, UINT32_MAX);
}

int kueue_bind_make(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	const bool nodes = k->kq->host_count > 0;
	k->binder_at = SL_NEVER;
	if (k->pods == KUEUE_PODS_QUOTA || (k->pods == KUEUE_PODS_AUTO && !nodes))
		return SL_OK;
	k->binder = sl_by_name(setup->registry->binders, "kube");
	if (!k->binder && k->pods == KUEUE_PODS_AUTO)
		return SL_OK;
	if (!k->binder)
		return sl_fail(err, SL_USAGE,
			"policy 'kueue': pods=kube, and there is no kube-scheduler here: say pods=quota");
	return k->binder->init(&k->binder_state, setup, err);
}

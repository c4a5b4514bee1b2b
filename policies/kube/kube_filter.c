/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_filter.c - which nodes are feasible for a pod: the filters of kube-scheduler v1.36, in its order.
 * Volumes are left out: nodes never lack them.
 */
#include "policies/kube/kube_dra.h"

#include <string.h>

enum { NODES_ALL = 100, PERCENT = 50, PERCENT_MIN = 5 };

int64_t kube_wanted(const struct kube_profile *profile, int64_t nodes)
{
	if (nodes < NODES_ALL || profile->percentage == 100)
		return nodes;
	int64_t percent = profile->percentage;
	if (!percent) {
		percent = PERCENT - nodes / 125;
		percent = percent < PERCENT_MIN ? PERCENT_MIN : percent;
	}
	const int64_t wanted = nodes * percent / 100;
	return wanted < NODES_ALL ? NODES_ALL : wanted;
}

static bool has_labels(const struct sl_labels *wanted, const struct sl_labels *labels)
{
	for (uint32_t i = 0; i < wanted->count; i++) {
		const char *value = sl_label_of(labels, wanted->at[i].key);
		if (!value || strcmp(value, wanted->at[i].value) != 0)
			return false;
	}
	return true;
}

bool kube_node_suits(const struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	const struct kube_node *on = &k->node[node];
	const struct sl_podset *podset = spec->podset;
	if (spec->plain)
		return true;
	if (!has_labels(&podset->node_selector, &on->labels) || !has_labels(&spec->assignment, &on->labels))
		return false;
	if (spec->gpu_types && k->cluster->node_count) {
		const struct sl_node_type *type = &k->cluster->type[k->cluster->node_type[node]];
		bool has = false;
		for (uint32_t kind = SL_KIND_GPUS; kind < k->cluster->kind_count; kind++)
			has |= type->amount[kind] && (spec->gpu_types >> (kind - SL_KIND_GPUS) & 1);
		if (!has)
			return false;
	}
	for (uint32_t i = 0; i < podset->required_count; i++)
		if (sl_node_term_holds(&podset->required[i], &on->labels, on->name))
			return true;
	return !podset->required_count;
}

static bool is_tolerated(const struct kube_spec *spec, const struct sl_taint *taint)
{
	return sl_tolerates(&spec->podset->tolerations, taint) ||
	       sl_tolerates(&spec->assignment_tolerations, taint);
}

bool kube_taints_keep_off(const struct kube_spec *spec, const struct kube_node *node)
{
	for (uint32_t i = 0; i < node->taints.count; i++)
		if (node->taints.at[i].effect != SL_PREFER_NO_SCHEDULE &&
			!is_tolerated(spec, &node->taints.at[i]))
			return true;
	return false;
}

static bool is_cordon_tolerated(const struct kube_spec *spec)
{
	static const struct sl_taint cordon = { "node.kubernetes.io/unschedulable", "", SL_NO_SCHEDULE };
	return is_tolerated(spec, &cordon);
}

/* The same port of a protocol, on one address or where one of them is of all. */
bool kube_ports_meet(const struct sl_podset *a, const struct sl_podset *b)
{
	static const char any[] = "0.0.0.0";
	for (uint32_t i = 0; i < a->port_count; i++)
		for (uint32_t j = 0; j < b->port_count; j++) {
			const struct sl_pod_port *x = &a->port[i], *y = &b->port[j];
			if (x->port == y->port && strcmp(x->protocol, y->protocol) == 0 &&
				(strcmp(x->ip, y->ip) == 0 || strcmp(x->ip, any) == 0 ||
					strcmp(y->ip, any) == 0))
				return true;
		}
	return false;
}

static bool has_ports(const struct kube *k, const struct kube_spec *spec, uint32_t node)
{
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next)
		if (kube_ports_meet(spec->podset, k->spec[k->pod[i].spec].podset))
			return false;
	return true;
}

static enum kube_why fit(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	const struct kube_node *on = &k->node[node];
	const struct kube_spec *spec = &k->spec[k->pod[cycle->pod].spec];
	enum kube_why why = KUBE_FITS;
	uint64_t lacks = 0;
	if (on->pods + 1 > on->pods_max) {
		why = KUBE_WHY_PODS;
		lacks = UINT64_C(1) << KUBE_RES_MAX;
	}
	for (uint32_t i = 0; i < k->resources; i++) {
		const int64_t wanted = spec->request[i];
		if (wanted <= 0 || wanted <= on->alloc[i] - on->used[i] || kube_dra_serves(k, node, i))
			continue;
		lacks |= UINT64_C(1) << i;
		if (wanted > on->alloc[i])
			why = KUBE_WHY_TOO_LARGE;
		else if (why == KUBE_FITS)
			why = KUBE_WHY_RESOURCE;
	}
	k->node_res[node] = lacks;
	return why;
}

enum kube_why kube_keeps_off(const struct kube *k, const struct kube_spec *spec, uint32_t must, uint32_t node)
{
	const struct kube_node *on = &k->node[node];
	const bool *asked = spec->profile->filters;
	if ((on->unschedulable || on->cordoned) && asked[KUBE_UNSCHEDULABLE] && !is_cordon_tolerated(spec))
		return KUBE_WHY_UNSCHEDULABLE;
	if (must != KUBE_NO && must != node)
		return KUBE_WHY_NAME;
	/* A node that is down bears not-ready, which none of our pods tolerates for long; one that an
	 * autoscaler is about to remove, ToBeDeletedByClusterAutoscaler or karpenter.sh/disrupted. */
	if (!on->up || on->leaving ||
		(on->taints.count && asked[KUBE_TAINTS] && kube_taints_keep_off(spec, on)))
		return KUBE_WHY_TAINT;
	return asked[KUBE_AFFINITY] && !kube_node_suits(k, spec, node) ? KUBE_WHY_AFFINITY : KUBE_FITS;
}

static enum kube_why filter_as_is(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	const struct kube_pod *pod = &k->pod[cycle->pod];
	const struct kube_spec *spec = &k->spec[pod->spec];
	const bool *asked = spec->profile->filters;
	k->node_res[node] = 0;
	const enum kube_why off = kube_keeps_off(k, spec, pod->must, node);
	if (off != KUBE_FITS)
		return off;
	if (spec->podset->port_count && asked[KUBE_PORTS] && !has_ports(k, spec, node))
		return KUBE_WHY_PORTS;
	enum kube_why why = asked[KUBE_FIT] ? fit(k, cycle, node) : KUBE_FITS;
	if (why == KUBE_FITS && cycle->pod_affinity && asked[KUBE_SPREAD])
		why = kube_pod_affinity_spread(k, cycle->pod_affinity, node);
	if (why == KUBE_FITS && cycle->pod_affinity && !cycle->apart && asked[KUBE_POD_AFFINITY])
		why = kube_pod_affinity_filter(k, cycle->pod_affinity, node);
	if (why == KUBE_FITS && spec->claims && asked[KUBE_DRA])
		why = kube_dra_filter(k, spec, node);
	return why;
}

/* Pods nominated there, of this pod's priority or higher, as if they were there. */
static enum kube_why filter_beside(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	const int64_t priority = k->pod[cycle->pod].priority;
	const bool trying = k->trying;
	bool any = false;
	enum kube_why why = KUBE_FITS;
	k->trying = true;
	for (size_t i = 0; i < k->nominees; i++) {
		struct kube_pod *other = &k->pod[k->nominee[i]];
		other->beside = k->nominee[i] != cycle->pod && other->nominated == node &&
				other->node == KUBE_NO && other->priority >= priority;
		if (other->beside)
			kube_take(k, k->nominee[i], node);
		any |= other->beside;
	}
	if (any) {
		/* Whom InterPodAffinity did not concern before, it does not look at now. */
		const struct kube_cycle with = { .pod = cycle->pod,
			.pod_affinity = kube_pod_affinity_new(k, cycle->pod),
			.apart = !kube_pod_affinity_matters(cycle->pod_affinity) };
		why = filter_as_is(k, &with, node);
		kube_pod_affinity_free(with.pod_affinity);
	}
	for (size_t i = 0; any && i < k->nominees; i++) {
		struct kube_pod *other = &k->pod[k->nominee[i]];
		if (!other->beside)
			continue;
		kube_give(k, k->nominee[i]);
		other->gpu_kind = KUBE_NO;
		other->beside = false;
	}
	k->trying = trying;
	return why;
}

/* It has to fit both beside those that are nominated to the node, and without them. */
enum kube_why kube_filter(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	if (cycle->nominees && k->node[node].nominees) {
		const enum kube_why why = filter_beside(k, cycle, node);
		if (why != KUBE_FITS)
			return why;
	}
	return filter_as_is(k, cycle, node);
}

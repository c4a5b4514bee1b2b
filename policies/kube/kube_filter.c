/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_filter.c - which nodes are feasible for a pod: the filters of kube-scheduler v1.36, in its order.
 * Host ports, volumes and images are left out: nodes never lack them.
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

static bool term_holds(const struct sl_label_term *term, const struct kube_node *node)
{
	if (!term->count)
		return false; /* A term without expressions matches nowhere. */
	if (!term->of_fields)
		return sl_label_term_holds(term, &node->labels);
	for (uint32_t i = 0; i < term->count; i++) {
		const struct sl_label name = { term->expr[i].key, node->name };
		const struct sl_labels labels = { &name, 1 };
		if (!sl_label_expr_holds(&term->expr[i], &labels))
			return false;
	}
	return true;
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
		if (term_holds(&podset->required[i], on))
			return true;
	return !podset->required_count;
}

static bool is_tolerated(const struct kube_spec *spec, const struct sl_taint *taint)
{
	return sl_tolerates(&spec->podset->tolerations, taint) ||
	       sl_tolerates(&spec->assignment_tolerations, taint);
}

static bool taints_keep_off(const struct kube_spec *spec, const struct kube_node *node)
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

/* Requests of pods nominated there, of this pod's priority or higher. */
static int64_t nominated(const struct kube *k, uint32_t pod, uint32_t node, uint32_t resource)
{
	int64_t sum = 0;
	for (size_t i = 0; i < k->nominees; i++) {
		const struct kube_pod *other = &k->pod[k->nominee[i]];
		const struct kube_spec *spec = &k->spec[other->spec];
		if (k->nominee[i] == pod || other->nominated != node || other->node != KUBE_NO ||
			spec->priority < k->spec[k->pod[pod].spec].priority)
			continue;
		sum += resource == KUBE_RES_MAX ? 1 : spec->request[resource];
	}
	return sum;
}

static enum kube_why fit(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	const struct kube_node *on = &k->node[node];
	const struct kube_spec *spec = &k->spec[k->pod[cycle->pod].spec];
	const bool others = cycle->nominees && on->nominees;
	enum kube_why why = KUBE_FITS;
	uint64_t lacks = 0;
	if (on->pods + 1 + (others ? nominated(k, cycle->pod, node, KUBE_RES_MAX) : 0) > on->pods_max) {
		why = KUBE_WHY_PODS;
		lacks = UINT64_C(1) << KUBE_RES_MAX;
	}
	for (uint32_t i = 0; i < k->resources; i++) {
		const int64_t wanted = spec->request[i];
		if (wanted <= 0 || kube_dra_serves(k, node, i))
			continue;
		const int64_t free =
			on->alloc[i] - on->used[i] - (others ? nominated(k, cycle->pod, node, i) : 0);
		if (wanted <= free)
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

enum kube_why kube_filter(struct kube *k, const struct kube_cycle *cycle, uint32_t node)
{
	const struct kube_node *on = &k->node[node];
	const struct kube_pod *pod = &k->pod[cycle->pod];
	const struct kube_spec *spec = &k->spec[pod->spec];
	const bool *asked = spec->profile->filters;
	k->node_res[node] = 0;
	if ((on->unschedulable || on->cordoned) && asked[KUBE_UNSCHEDULABLE] && !is_cordon_tolerated(spec))
		return KUBE_WHY_UNSCHEDULABLE;
	if (pod->must != KUBE_NO && pod->must != node)
		return KUBE_WHY_NAME;
	/* A node that is down bears not-ready, which none of our pods tolerates for long. */
	if (!on->up || (on->taints.count && asked[KUBE_TAINTS] && taints_keep_off(spec, on)))
		return KUBE_WHY_TAINT;
	if (asked[KUBE_AFFINITY] && !kube_node_suits(k, spec, node))
		return KUBE_WHY_AFFINITY;
	enum kube_why why = asked[KUBE_FIT] ? fit(k, cycle, node) : KUBE_FITS;
	if (why == KUBE_FITS && cycle->pod_affinity && asked[KUBE_SPREAD])
		why = kube_pod_affinity_spread(k, cycle->pod_affinity, node);
	if (why == KUBE_FITS && cycle->pod_affinity && asked[KUBE_POD_AFFINITY])
		why = kube_pod_affinity_filter(k, cycle->pod_affinity, node);
	if (why == KUBE_FITS && spec->claims && asked[KUBE_DRA])
		why = kube_dra_filter(k, spec, node);
	return why;
}

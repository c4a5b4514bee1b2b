/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_near.c - rules that look at other pods: PodTopologySpread and InterPodAffinity.
 *
 * https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/ and
 * assign-pod-node/#inter-pod-affinity-and-anti-affinity. Of a spread constraint nodeAffinityPolicy is Honor,
 * nodeTaintsPolicy Ignore, their defaults.
 */
#include "policies/kube/kube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pods of a constraint by domain of its key. */
struct counts {
	const struct kube_key *key;
	int64_t *pods; /* By domain; -1: no node of it counts. */
	int64_t least; /* Over domains that count; 0 where there are too few of them. */
};

struct kube_near {
	uint32_t pod;
	uint32_t constraints; /* Hard ones, */
	struct counts *spread;
	uint32_t *of_constraint; /* which of the pod's. */
	uint32_t terms;          /* Required, of the pod: */
	struct counts *term;
	uint32_t *of_term;
	bool any_affine; /* Some pod is what the affinity terms want. */
	bool own_affine; /* The pod itself is. */
	/* By key of those that stand, where their anti-affinity keeps this pod off. */
	struct counts *vetoes;
	uint32_t veto_count;
};

static bool kube_pod_matches(const struct kube *k, const struct sl_pod_near *term, const char *own_space,
	const struct kube_spec *spec)
{
	(void)k;
	bool in_space = term->all_spaces || (!term->space_count && strcmp(own_space, spec->space) == 0);
	for (uint32_t i = 0; i < term->space_count && !in_space; i++)
		in_space = strcmp(term->space[i], spec->space) == 0;
	return in_space && sl_label_selects(&term->pods, &spec->podset->labels);
}

static bool make_counts(struct kube *k, struct counts *counts, const char *key, int64_t fill)
{
	counts->key = kube_key_of(k, key);
	if (!counts->key)
		return false;
	counts->pods = malloc(((size_t)counts->key->count + 1) * sizeof(*counts->pods));
	for (uint32_t i = 0; counts->pods && i < counts->key->count; i++)
		counts->pods[i] = fill;
	return counts->pods;
}

/* ---- Spreading ------------------------------------------------------------------------------------------
 */

static bool has_all_keys(struct kube *k, const struct sl_podset *podset, uint32_t node, bool hard)
{
	for (uint32_t i = 0; i < podset->spread_count; i++)
		if (podset->spread[i].hard == hard &&
			!sl_label_of(&k->node[node].labels, podset->spread[i].key))
			return false;
	return true;
}

static int64_t count_on(
	const struct kube *k, uint32_t node, const struct sl_pod_spread *spread, const char *space)
{
	int64_t count = 0;
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next) {
		const struct kube_spec *other = &k->spec[k->pod[i].spec];
		count += strcmp(other->space, space) == 0 &&
			 sl_label_selects(&spread->pods, &other->podset->labels);
	}
	return count;
}

static void count_spread(struct kube *k, struct kube_near *near)
{
	const struct kube_spec *spec = &k->spec[k->pod[near->pod].spec];
	for (uint32_t node = 0; node < k->nodes; node++) {
		if (!k->node[node].there || !kube_node_suits(k, spec, node) ||
			!has_all_keys(k, spec->podset, node, true))
			continue;
		for (uint32_t i = 0; i < near->constraints; i++) {
			const struct sl_pod_spread *spread = &spec->podset->spread[near->of_constraint[i]];
			int64_t *pods = &near->spread[i].pods[near->spread[i].key->domain[node]];
			*pods = (*pods < 0 ? 0 : *pods) + count_on(k, node, spread, spec->space);
		}
	}
	for (uint32_t i = 0; i < near->constraints; i++) {
		struct counts *counts = &near->spread[i];
		int64_t domains = 0;
		counts->least = INT64_MAX;
		for (uint32_t at = 0; at < counts->key->count; at++) {
			if (counts->pods[at] < 0)
				continue;
			domains++;
			counts->least = counts->pods[at] < counts->least ? counts->pods[at] : counts->least;
		}
		if (domains < spec->podset->spread[near->of_constraint[i]].min_domains)
			counts->least = 0;
	}
}

enum kube_why kube_near_spread(struct kube *k, const struct kube_near *near, uint32_t node)
{
	const struct kube_spec *spec = &k->spec[k->pod[near->pod].spec];
	for (uint32_t i = 0; i < near->constraints; i++) {
		const struct counts *counts = &near->spread[i];
		const struct sl_pod_spread *spread = &spec->podset->spread[near->of_constraint[i]];
		const uint32_t domain = counts->key->domain[node];
		if (domain == KUBE_NO)
			return KUBE_WHY_SPREAD_LABEL;
		const int64_t have = counts->pods[domain] < 0 ? 0 : counts->pods[domain];
		const int64_t self = sl_label_selects(&spread->pods, &spec->podset->labels);
		if (have + self - counts->least > spread->max_skew)
			return KUBE_WHY_SPREAD;
	}
	return KUBE_FITS;
}

/* ---- Affinity -------------------------------------------------------------------------------------------
 */

/* All required affinity terms of the pod want that one. */
static bool wanted_by_all(const struct kube *k, const struct kube_spec *spec, const struct kube_spec *other)
{
	uint32_t terms = 0;
	for (uint32_t i = 0; i < spec->podset->near_count; i++) {
		const struct sl_pod_near *term = &spec->podset->near[i];
		if (term->anti || term->weight)
			continue;
		terms++;
		if (!kube_pod_matches(k, term, spec->space, other))
			return false;
	}
	return terms > 0;
}

static void count_terms(
	const struct kube *k, struct kube_near *near, const struct kube_spec *spec, uint32_t pod)
{
	const struct kube_spec *other = &k->spec[k->pod[pod].spec];
	const uint32_t node = k->pod[pod].node;
	const bool affine = wanted_by_all(k, spec, other);
	for (uint32_t i = 0; i < near->terms; i++) {
		const struct sl_pod_near *term = &spec->podset->near[near->of_term[i]];
		const uint32_t domain = near->term[i].key->domain[node];
		if (domain == KUBE_NO ||
			(term->anti ? !kube_pod_matches(k, term, spec->space, other) : !affine))
			continue;
		near->term[i].pods[domain]++;
		near->any_affine |= !term->anti;
	}
}

/* Where a pod that stands wants none like this one. */
static void veto(struct kube *k, struct kube_near *near, const struct kube_spec *spec, uint32_t pod)
{
	const struct kube_spec *other = &k->spec[k->pod[pod].spec];
	if (!other->near_hard)
		return;
	for (uint32_t i = 0; i < other->podset->near_count; i++) {
		const struct sl_pod_near *term = &other->podset->near[i];
		if (!term->anti || term->weight || !kube_pod_matches(k, term, other->space, spec))
			continue;
		uint32_t at = 0;
		while (at < near->veto_count && strcmp(near->vetoes[at].key->key, term->key) != 0)
			at++;
		if (at == near->veto_count) {
			if (SL_RESIZE(near->vetoes, (size_t)near->veto_count + 1, NULL))
				return;
			if (!make_counts(k, &near->vetoes[at], term->key, 0))
				return;
			near->veto_count++;
		}
		const uint32_t domain = near->vetoes[at].key->domain[k->pod[pod].node];
		if (domain != KUBE_NO)
			near->vetoes[at].pods[domain]++;
	}
}

static void count_near(struct kube *k, struct kube_near *near)
{
	const struct kube_spec *spec = &k->spec[k->pod[near->pod].spec];
	near->own_affine = wanted_by_all(k, spec, spec);
	if (!near->terms && !k->near_hard_pods)
		return;
	for (uint32_t node = 0; node < k->nodes; node++) {
		if (!near->terms && !k->node[node].near_pods)
			continue;
		for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next) {
			count_terms(k, near, spec, i);
			veto(k, near, spec, i);
		}
	}
}

enum kube_why kube_near_filter(struct kube *k, const struct kube_near *near, uint32_t node)
{
	const struct kube_spec *spec = &k->spec[k->pod[near->pod].spec];
	bool affine = true, has_keys = true;
	for (uint32_t i = 0; i < near->terms; i++) {
		const struct counts *counts = &near->term[i];
		const uint32_t domain = counts->key->domain[node];
		if (spec->podset->near[near->of_term[i]].anti)
			continue;
		has_keys &= domain != KUBE_NO;
		affine &= domain != KUBE_NO && counts->pods[domain] > 0;
	}
	/* The first of a group that wants its own like may stand anywhere. */
	if (!affine && !(has_keys && !near->any_affine && near->own_affine))
		return KUBE_WHY_NEAR;
	for (uint32_t i = 0; i < near->terms; i++) {
		const uint32_t domain = near->term[i].key->domain[node];
		if (spec->podset->near[near->of_term[i]].anti && domain != KUBE_NO &&
			near->term[i].pods[domain] > 0)
			return KUBE_WHY_ANTI;
	}
	for (uint32_t i = 0; i < near->veto_count; i++) {
		const uint32_t domain = near->vetoes[i].key->domain[node];
		if (domain != KUBE_NO && near->vetoes[i].pods[domain] > 0)
			return KUBE_WHY_EXISTING_ANTI;
	}
	return KUBE_FITS;
}

/* ---- Both -----------------------------------------------------------------------------------------------
 */

static bool make_terms(struct kube *k, struct kube_near *near, const struct sl_podset *podset)
{
	near->spread = calloc((size_t)podset->spread_count + 1, sizeof(*near->spread));
	near->of_constraint = calloc((size_t)podset->spread_count + 1, sizeof(*near->of_constraint));
	near->term = calloc((size_t)podset->near_count + 1, sizeof(*near->term));
	near->of_term = calloc((size_t)podset->near_count + 1, sizeof(*near->of_term));
	if (!near->spread || !near->of_constraint || !near->term || !near->of_term)
		return false;
	for (uint32_t i = 0; i < podset->spread_count; i++) {
		if (!podset->spread[i].hard)
			continue;
		near->of_constraint[near->constraints] = i;
		if (!make_counts(k, &near->spread[near->constraints], podset->spread[i].key, -1))
			return false;
		near->constraints++;
	}
	for (uint32_t i = 0; i < podset->near_count; i++) {
		if (podset->near[i].weight)
			continue;
		near->of_term[near->terms] = i;
		if (!make_counts(k, &near->term[near->terms], podset->near[i].key, 0))
			return false;
		near->terms++;
	}
	return true;
}

struct kube_near *kube_near_new(struct kube *k, uint32_t pod)
{
	const struct sl_podset *podset = k->spec[k->pod[pod].spec].podset;
	if (!podset->spread_count && !podset->near_count && !k->near_hard_pods)
		return NULL;
	struct kube_near *near = calloc(1, sizeof(*near));
	if (near)
		near->pod = pod;
	if (!near || !make_terms(k, near, podset)) {
		(void)sl_fail_memory(&k->err);
		kube_near_free(near);
		return NULL;
	}
	if (near->constraints)
		count_spread(k, near);
	count_near(k, near);
	return near;
}

void kube_near_free(struct kube_near *near)
{
	if (!near)
		return;
	for (uint32_t i = 0; i < near->constraints; i++)
		free(near->spread[i].pods);
	for (uint32_t i = 0; i < near->terms; i++)
		free(near->term[i].pods);
	for (uint32_t i = 0; i < near->veto_count; i++)
		free(near->vetoes[i].pods);
	free(near->spread);
	free(near->of_constraint);
	free(near->term);
	free(near->of_term);
	free(near->vetoes);
	free(near);
}

/* ---- Scores ---------------------------------------------------------------------------------------------
 */

#define MILLION INT64_C(1000000)

/* ln(domains + 2) in millionths: pods of a topology of many domains weigh more. */
static int64_t weight_of(uint32_t domains) { return llround(log((double)domains + 2) * 1e6); }

/* Adds one soft constraint's part of the score to each node, in millionths. */
static bool add_soft(struct kube *k, const struct kube_spec *spec, const struct sl_pod_spread *spread,
	const uint32_t *node, size_t count, int64_t *score)
{
	struct counts counts;
	uint32_t domains = 0;
	if (!make_counts(k, &counts, spread->key, -1))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!has_all_keys(k, spec->podset, node[i], false))
			continue;
		int64_t *pods = &counts.pods[counts.key->domain[node[i]]];
		domains += *pods < 0;
		*pods = 0;
	}
	for (uint32_t i = 0; i < k->nodes; i++) {
		const uint32_t domain = counts.key->domain[i];
		if (domain != KUBE_NO && counts.pods[domain] >= 0 && k->node[i].there &&
			kube_node_suits(k, spec, i) && has_all_keys(k, spec->podset, i, false))
			counts.pods[domain] += count_on(k, i, spread, spec->space);
	}
	for (size_t i = 0; i < count; i++)
		if (score[i] >= 0)
			score[i] += counts.pods[counts.key->domain[node[i]]] * weight_of(domains) +
				    (spread->max_skew - 1) * MILLION;
	free(counts.pods);
	return true;
}

void kube_near_score_spread(struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t *score)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	bool soft = false;
	int64_t least = INT64_MAX, most = INT64_MIN;
	for (size_t i = 0; i < count; i++) /* -1: a node without some key gets nothing. */
		score[i] = has_all_keys(k, spec->podset, node[i], false) ? 0 : -1;
	for (uint32_t i = 0; i < spec->podset->spread_count; i++) {
		if (spec->podset->spread[i].hard)
			continue;
		soft = true;
		if (!add_soft(k, spec, &spec->podset->spread[i], node, count, score))
			return;
	}
	for (size_t i = 0; i < count; i++) {
		if (score[i] < 0)
			continue;
		score[i] = (score[i] + MILLION / 2) / MILLION;
		least = score[i] < least ? score[i] : least;
		most = score[i] > most ? score[i] : most;
	}
	for (size_t i = 0; i < count; i++) {
		if (!soft || score[i] < 0)
			score[i] = 0;
		else
			score[i] = most ? 100 * (most + least - score[i]) / most : 100;
	}
}

struct scored {
	const uint32_t *node;
	size_t count;
	int64_t *score;
};

/* A term's weight for the domain of one that stands on a node. */
static void add_term(struct kube *k, const struct sl_pod_near *term, uint32_t stands, int64_t weight,
	const struct scored *on)
{
	const struct kube_key *key = kube_key_of(k, term->key);
	if (!key || !weight || key->domain[stands] == KUBE_NO)
		return;
	for (size_t i = 0; i < on->count; i++)
		if (key->domain[on->node[i]] == key->domain[stands])
			on->score[i] += weight;
}

static void add_pair(struct kube *k, const struct kube_spec *spec, uint32_t stands, const struct scored *on)
{
	const struct kube_spec *other = &k->spec[k->pod[stands].spec];
	const uint32_t at = k->pod[stands].node;
	for (uint32_t i = 0; i < spec->podset->near_count; i++) {
		const struct sl_pod_near *term = &spec->podset->near[i];
		if (term->weight && kube_pod_matches(k, term, spec->space, other))
			add_term(k, term, at, term->anti ? -term->weight : term->weight, on);
	}
	for (uint32_t i = 0; i < other->podset->near_count; i++) {
		const struct sl_pod_near *term = &other->podset->near[i];
		if ((term->anti && !term->weight) || !kube_pod_matches(k, term, other->space, spec))
			continue;
		const int64_t weight = term->weight ? term->weight : spec->profile->hard_affinity;
		add_term(k, term, at, term->anti ? -weight : weight, on);
	}
}

void kube_near_score(struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t *score)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	int64_t least = INT64_MAX, most = INT64_MIN;
	const struct scored on = { node, count, score };
	memset(score, 0, count * sizeof(*score));
	for (uint32_t i = 0; i < k->nodes; i++) {
		if (!spec->podset->near_count && !k->node[i].near_pods)
			continue;
		for (uint32_t at = k->node[i].first; at != KUBE_NO; at = k->pod[at].next)
			add_pair(k, spec, at, &on);
	}
	for (size_t i = 0; i < count; i++) {
		least = score[i] < least ? score[i] : least;
		most = score[i] > most ? score[i] : most;
	}
	for (size_t i = 0; i < count; i++)
		score[i] = most > least ? 100 * (score[i] - least) / (most - least) : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_affinity.c - plugins that read other pods: PodTopologySpread and InterPodAffinity.
 *
 * https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/ and
 * assign-pod-node/#inter-pod-affinity-and-anti-affinity.
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

struct kube_pod_affinity {
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

/* A namespace without an object has its name as a label, as all have. */
static bool is_selected(
	const struct kube *k, const struct sl_label_selector *selector, const char *name, bool blind)
{
	const struct sl_label own = { "kubernetes.io/metadata.name", name };
	struct sl_labels labels = { &own, blind ? 0 : 1 };
	if (selector->nothing)
		return false;
	for (uint32_t i = 0; i < k->spaces && !blind; i++)
		if (strcmp(k->space[i].name, name) == 0)
			labels = k->space[i].labels;
	return sl_label_selects(selector, &labels);
}

/* blind: labels of namespaces are not known, as where kube-scheduler asks for hints. */
static bool matches(const struct kube *k, const struct sl_pod_affinity *term, const char *own_namespace,
	const struct kube_spec *spec, bool blind)
{
	bool in_namespace = is_selected(k, &term->spaces, spec->namespace, blind);
	if (!term->namespace_count && term->spaces.nothing)
		in_namespace = strcmp(own_namespace, spec->namespace) == 0;
	for (uint32_t i = 0; i < term->namespace_count && !in_namespace; i++)
		in_namespace = strcmp(term->namespace[i], spec -> namespace) == 0;
	return in_namespace && sl_label_selects(&term->pods, &spec->podset->labels);
}

static bool kube_pod_matches(const struct kube *k, const struct sl_pod_affinity *term,
	const char *own_namespace, const struct kube_spec *spec)
{
	return matches(k, term, own_namespace, spec, false);
}

/* All required terms of that sort want the other one; false: there are none. */
bool kube_pod_affinity_wants(const struct kube *k, const struct kube_spec *spec,
	const struct kube_spec *other, bool anti, bool hint)
{
	uint32_t terms = 0;
	for (uint32_t i = 0; i < spec->podset->pod_affinity_count; i++) {
		const struct sl_pod_affinity *term = &spec->podset->pod_affinity[i];
		if (term->anti != anti || term->weight)
			continue;
		terms++;
		if (!matches(k, term, spec->namespace, other, hint))
			return false;
	}
	return terms > 0;
}

/* Some required anti-affinity of `spec` wants none like the other. */
bool kube_pod_affinity_shuns(
	const struct kube *k, const struct kube_spec *spec, const struct kube_spec *other)
{
	for (uint32_t i = 0; spec->pod_affinity_hard && i < spec->podset->pod_affinity_count; i++) {
		const struct sl_pod_affinity *term = &spec->podset->pod_affinity[i];
		if (term->anti && !term->weight && matches(k, term, spec->namespace, other, true))
			return true;
	}
	return false;
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

/* ---- Spreading ------------------------------------------------------------------------------- */

static bool has_all_keys(struct kube *k, const struct sl_podset *podset, uint32_t node, bool hard)
{
	for (uint32_t i = 0; i < podset->spread_count; i++)
		if (podset->spread[i].hard == hard &&
			!sl_label_of(&k->node[node].labels, podset->spread[i].key))
			return false;
	return true;
}

static int64_t count_on(
	const struct kube *k, uint32_t node, const struct sl_pod_spread *spread, const char *namespace)
{
	int64_t count = 0;
	if (!spread->pods.labels.count && !spread->pods.term.count) /* An empty selector counts nobody. */
		return 0;
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next) {
		const struct kube_spec *other = &k->spec[k->pod[i].spec];
		count += strcmp(other->namespace, namespace) == 0 &&
			 sl_label_selects(&spread->pods, &other->podset->labels);
	}
	return count;
}

/* nodeAffinityPolicy, nodeTaintsPolicy: is the node one of those over which pods are spread? */
static bool counts_node(
	const struct kube *k, const struct kube_spec *spec, const struct sl_pod_spread *spread, uint32_t node)
{
	return (spread->any_affinity || kube_node_suits(k, spec, node)) &&
	       !(spread->minds_taints && kube_taints_keep_off(spec, &k->node[node]));
}

static void count_spread(struct kube *k, struct kube_pod_affinity *pod_affinity)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod_affinity->pod].spec];
	for (uint32_t node = 0; node < k->nodes; node++) {
		if (!k->node[node].there || !has_all_keys(k, spec->podset, node, true))
			continue;
		for (uint32_t i = 0; i < pod_affinity->constraints; i++) {
			const struct sl_pod_spread *spread =
				&spec->podset->spread[pod_affinity->of_constraint[i]];
			if (!counts_node(k, spec, spread, node))
				continue;
			int64_t *pods =
				&pod_affinity->spread[i].pods[pod_affinity->spread[i].key->domain[node]];
			*pods = (*pods < 0 ? 0 : *pods) + count_on(k, node, spread, spec->namespace);
		}
	}
	for (uint32_t i = 0; i < pod_affinity->constraints; i++) {
		struct counts *counts = &pod_affinity->spread[i];
		int64_t domains = 0;
		counts->least = INT64_MAX;
		for (uint32_t at = 0; at < counts->key->count; at++) {
			if (counts->pods[at] < 0)
				continue;
			domains++;
			counts->least = counts->pods[at] < counts->least ? counts->pods[at] : counts->least;
		}
		if (domains < spec->podset->spread[pod_affinity->of_constraint[i]].min_domains)
			counts->least = 0;
	}
}

enum kube_why kube_pod_affinity_spread(
	struct kube *k, const struct kube_pod_affinity *pod_affinity, uint32_t node)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod_affinity->pod].spec];
	for (uint32_t i = 0; i < pod_affinity->constraints; i++) {
		const struct counts *counts = &pod_affinity->spread[i];
		const struct sl_pod_spread *spread = &spec->podset->spread[pod_affinity->of_constraint[i]];
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

/* ---- Affinity -------------------------------------------------------------------------------- */

static void count_terms(const struct kube *k, struct kube_pod_affinity *pod_affinity,
	const struct kube_spec *spec, uint32_t pod)
{
	const struct kube_spec *other = &k->spec[k->pod[pod].spec];
	const uint32_t node = k->pod[pod].node;
	const bool affine = kube_pod_affinity_wants(k, spec, other, false, false);
	for (uint32_t i = 0; i < pod_affinity->terms; i++) {
		const struct sl_pod_affinity *term = &spec->podset->pod_affinity[pod_affinity->of_term[i]];
		const uint32_t domain = pod_affinity->term[i].key->domain[node];
		if (domain == KUBE_NO ||
			(term->anti ? !kube_pod_matches(k, term, spec->namespace, other) : !affine))
			continue;
		pod_affinity->term[i].pods[domain]++;
		pod_affinity->any_affine |= !term->anti;
	}
}

/* Where a pod that stands wants none like this one. */
static void veto(
	struct kube *k, struct kube_pod_affinity *pod_affinity, const struct kube_spec *spec, uint32_t pod)
{
	const struct kube_spec *other = &k->spec[k->pod[pod].spec];
	if (!other->pod_affinity_hard)
		return;
	for (uint32_t i = 0; i < other->podset->pod_affinity_count; i++) {
		const struct sl_pod_affinity *term = &other->podset->pod_affinity[i];
		if (!term->anti || term->weight || !kube_pod_matches(k, term, other->namespace, spec))
			continue;
		/* Where it stands has no such label: it keeps nobody off. */
		const struct kube_key *key = kube_key_of(k, term->key);
		if (!key || key->domain[k->pod[pod].node] == KUBE_NO)
			continue;
		uint32_t at = 0;
		while (at < pod_affinity->veto_count &&
			strcmp(pod_affinity->vetoes[at].key->key, term->key) != 0)
			at++;
		if (at == pod_affinity->veto_count) {
			if (SL_RESIZE(pod_affinity->vetoes, (size_t)pod_affinity->veto_count + 1, NULL))
				return;
			if (!make_counts(k, &pod_affinity->vetoes[at], term->key, 0))
				return;
			pod_affinity->veto_count++;
		}
		pod_affinity->vetoes[at].pods[pod_affinity->vetoes[at].key->domain[k->pod[pod].node]]++;
	}
}

static void count_pod_affinity(struct kube *k, struct kube_pod_affinity *pod_affinity)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod_affinity->pod].spec];
	pod_affinity->own_affine = kube_pod_affinity_wants(k, spec, spec, false, false);
	if (!pod_affinity->terms && !k->pod_affinity_hard_pods)
		return;
	for (uint32_t node = 0; node < k->nodes; node++) {
		if (!pod_affinity->terms && !k->node[node].pod_affinity_pods)
			continue;
		for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next) {
			count_terms(k, pod_affinity, spec, i);
			veto(k, pod_affinity, spec, i);
		}
	}
}

enum kube_why kube_pod_affinity_filter(
	struct kube *k, const struct kube_pod_affinity *pod_affinity, uint32_t node)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod_affinity->pod].spec];
	bool affine = true, has_keys = true;
	for (uint32_t i = 0; i < pod_affinity->terms; i++) {
		const struct counts *counts = &pod_affinity->term[i];
		const uint32_t domain = counts->key->domain[node];
		if (spec->podset->pod_affinity[pod_affinity->of_term[i]].anti)
			continue;
		has_keys &= domain != KUBE_NO;
		affine &= domain != KUBE_NO && counts->pods[domain] > 0;
	}
	/* The first of a group that wants its own like may stand anywhere. */
	if (!affine && !(has_keys && !pod_affinity->any_affine && pod_affinity->own_affine))
		return KUBE_WHY_POD_AFFINITY;
	for (uint32_t i = 0; i < pod_affinity->terms; i++) {
		const uint32_t domain = pod_affinity->term[i].key->domain[node];
		if (spec->podset->pod_affinity[pod_affinity->of_term[i]].anti && domain != KUBE_NO &&
			pod_affinity->term[i].pods[domain] > 0)
			return KUBE_WHY_ANTI;
	}
	for (uint32_t i = 0; i < pod_affinity->veto_count; i++) {
		const uint32_t domain = pod_affinity->vetoes[i].key->domain[node];
		if (domain != KUBE_NO && pod_affinity->vetoes[i].pods[domain] > 0)
			return KUBE_WHY_EXISTING_ANTI;
	}
	return KUBE_FITS;
}

/* ---- Both ------------------------------------------------------------------------------------ */

static bool make_terms(struct kube *k, struct kube_pod_affinity *pod_affinity, const struct sl_podset *podset)
{
	pod_affinity->spread = calloc((size_t)podset->spread_count + 1, sizeof(*pod_affinity->spread));
	pod_affinity->of_constraint =
		calloc((size_t)podset->spread_count + 1, sizeof(*pod_affinity->of_constraint));
	pod_affinity->term = calloc((size_t)podset->pod_affinity_count + 1, sizeof(*pod_affinity->term));
	pod_affinity->of_term =
		calloc((size_t)podset->pod_affinity_count + 1, sizeof(*pod_affinity->of_term));
	if (!pod_affinity->spread || !pod_affinity->of_constraint || !pod_affinity->term ||
		!pod_affinity->of_term)
		return false;
	for (uint32_t i = 0; i < podset->spread_count; i++) {
		if (!podset->spread[i].hard)
			continue;
		pod_affinity->of_constraint[pod_affinity->constraints] = i;
		if (!make_counts(
			    k, &pod_affinity->spread[pod_affinity->constraints], podset->spread[i].key, -1))
			return false;
		pod_affinity->constraints++;
	}
	for (uint32_t i = 0; i < podset->pod_affinity_count; i++) {
		if (podset->pod_affinity[i].weight)
			continue;
		pod_affinity->of_term[pod_affinity->terms] = i;
		if (!make_counts(k, &pod_affinity->term[pod_affinity->terms], podset->pod_affinity[i].key, 0))
			return false;
		pod_affinity->terms++;
	}
	return true;
}

struct kube_pod_affinity *kube_pod_affinity_new(struct kube *k, uint32_t pod)
{
	const struct sl_podset *podset = k->spec[k->pod[pod].spec].podset;
	if (!podset->spread_count && !podset->pod_affinity_count && !k->pod_affinity_hard_pods)
		return NULL;
	struct kube_pod_affinity *pod_affinity = calloc(1, sizeof(*pod_affinity));
	if (pod_affinity)
		pod_affinity->pod = pod;
	if (!pod_affinity || !make_terms(k, pod_affinity, podset)) {
		(void)sl_fail_memory(&k->err);
		kube_pod_affinity_free(pod_affinity);
		return NULL;
	}
	if (pod_affinity->constraints)
		count_spread(k, pod_affinity);
	count_pod_affinity(k, pod_affinity);
	return pod_affinity;
}

bool kube_pod_affinity_matters(const struct kube_pod_affinity *pod_affinity)
{
	return pod_affinity && (pod_affinity->terms || pod_affinity->veto_count);
}

void kube_pod_affinity_free(struct kube_pod_affinity *pod_affinity)
{
	if (!pod_affinity)
		return;
	for (uint32_t i = 0; i < pod_affinity->constraints; i++)
		free(pod_affinity->spread[i].pods);
	for (uint32_t i = 0; i < pod_affinity->terms; i++)
		free(pod_affinity->term[i].pods);
	for (uint32_t i = 0; i < pod_affinity->veto_count; i++)
		free(pod_affinity->vetoes[i].pods);
	free(pod_affinity->spread);
	free(pod_affinity->of_constraint);
	free(pod_affinity->term);
	free(pod_affinity->of_term);
	free(pod_affinity->vetoes);
	free(pod_affinity);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

#define MILLION INT64_C(1000000)

/* ln(domains + 2) in millionths: pods of a topology of many domains weigh more. */
static int64_t kube_affinity_weight_of(uint32_t domains) { return llround(log((double)domains + 2) * 1e6); }

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
			counts_node(k, spec, spread, i) && has_all_keys(k, spec->podset, i, false))
			counts.pods[domain] += count_on(k, i, spread, spec->namespace);
	}
	for (size_t i = 0; i < count; i++)
		if (score[i] >= 0)
			score[i] +=
				counts.pods[counts.key->domain[node[i]]] * kube_affinity_weight_of(domains) +
				(spread->max_skew - 1) * MILLION;
	free(counts.pods);
	return true;
}

void kube_pod_affinity_score_spread(
	struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t *score)
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
static void add_term(struct kube *k, const struct sl_pod_affinity *term, uint32_t stands, int64_t weight,
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
	for (uint32_t i = 0; i < spec->podset->pod_affinity_count; i++) {
		const struct sl_pod_affinity *term = &spec->podset->pod_affinity[i];
		if (term->weight && kube_pod_matches(k, term, spec->namespace, other))
			add_term(k, term, at, term->anti ? -term->weight : term->weight, on);
	}
	for (uint32_t i = 0; i < other->podset->pod_affinity_count; i++) {
		const struct sl_pod_affinity *term = &other->podset->pod_affinity[i];
		if ((term->anti && !term->weight) || !kube_pod_matches(k, term, other->namespace, spec))
			continue;
		const int64_t weight = term->weight ? term->weight : spec->profile->hard_affinity;
		add_term(k, term, at, term->anti ? -weight : weight, on);
	}
}

static bool has_wishes(const struct sl_podset *podset)
{
	for (uint32_t i = 0; i < podset->pod_affinity_count; i++)
		if (podset->pod_affinity[i].weight)
			return true;
	return false;
}

void kube_pod_affinity_score(struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t *score)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	int64_t least = INT64_MAX, most = INT64_MIN;
	const struct scored on = { node, count, score };
	memset(score, 0, count * sizeof(*score));
	if (spec->profile->own_wishes && !has_wishes(spec->podset))
		return;
	for (uint32_t i = 0; i < k->nodes; i++) {
		if (!spec->podset->pod_affinity_count && !k->node[i].pod_affinity_pods)
			continue;
		for (uint32_t at = k->node[i].first; at != KUBE_NO; at = k->pod[at].next)
			add_pair(k, spec, at, &on);
	}
	for (size_t i = 0; i < count; i++) {
		least = score[i] < least ? score[i] : least;
		most = score[i] > most ? score[i] : most;
	}
	/* In floating point and then cut, as kube-scheduler does it: 29 of 100 is 28. */
	for (size_t i = 0; i < count; i++)
		score[i] = most > least
				   ? (int64_t)(100.0 * ((double)(score[i] - least) / (double)(most - least)))
				   : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_score.c - the best of the feasible nodes: scores of 0 to 100 from each plugin, after its own
 * normalisation, times its weight. Integer arithmetic as in pkg/scheduler/framework/plugins, v1.36.
 *
 * Of several best nodes kube-scheduler picks any. Here it is the first by name, or any by a stream of the
 * pod's own (ties=random).
 */
#include "policies/kube/kube_dra.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCORE_MAX = 100, SHAPE_SCALE = 10 };

/* ---- Resources ------------------------------------------------------------------------------- */

struct usage {
	int64_t asked, has; /* asked: with the pod. */
};

/* As scores count it: pods without requests of cpu or memory count as something. */
static struct usage usage_of(
	const struct kube_spec *spec, const struct kube_node *node, uint32_t at, bool as_asked, bool with)
{
	struct usage usage = { 0, 0 };
	if (at == KUBE_NO)
		return usage;
	int64_t used = node->used[at], own = spec->request[at];
	if (at >= KUBE_RES_FIRST && !own)
		return usage; /* An extended resource counts for pods that request it. */
	if (!as_asked && at == KUBE_RES_CPU) {
		used = node->cpu_scored;
		own = spec->cpu_fit;
	}
	if (!as_asked && at == KUBE_RES_MEM) {
		used = node->mem_scored;
		own = spec->mem_fit;
	}
	return (struct usage){ used + (with ? own : 0), node->alloc[at] };
}

static int64_t kube_score_share(int64_t part, int64_t whole)
{
	if (part <= INT64_MAX / SCORE_MAX && part >= 0)
		return part * SCORE_MAX / whole;
	return (int64_t)((__int128)part * SCORE_MAX / whole);
}

static int64_t on_shape(const struct kube_profile *profile, int64_t utilization)
{
	for (uint32_t i = 0; i < profile->shape_count; i++) {
		if (utilization > profile->shape[i].utilization)
			continue;
		const int64_t score = profile->shape[i].score * SHAPE_SCALE;
		if (!i)
			return score;
		const int64_t before = profile->shape[i - 1].score * SHAPE_SCALE;
		const int64_t from = profile->shape[i - 1].utilization;
		return before +
		       (score - before) * (utilization - from) / (profile->shape[i].utilization - from);
	}
	return profile->shape_count ? profile->shape[profile->shape_count - 1].score * SHAPE_SCALE : 0;
}

static int64_t score_one(const struct kube_profile *profile, enum kube_strategy strategy, struct usage usage)
{
	if (strategy == KUBE_LEAST)
		return usage.asked > usage.has ? 0 : kube_score_share(usage.has - usage.asked, usage.has);
	if (strategy == KUBE_MOST)
		return kube_score_share(usage.asked < usage.has ? usage.asked : usage.has, usage.has);
	return on_shape(
		profile, usage.asked > usage.has ? SCORE_MAX : kube_score_share(usage.asked, usage.has));
}

int64_t kube_score_fit(const struct kube_spec *spec, const struct kube_node *node)
{
	const struct kube_profile *profile = spec->profile;
	int64_t sum = 0, weights = 0;
	for (uint32_t i = 0; i < profile->scored_count; i++) {
		const struct usage usage = usage_of(spec, node, profile->scored_as[i], false, true);
		if (!usage.has)
			continue;
		const int64_t score = score_one(profile, profile->strategy, usage);
		if (profile->strategy == KUBE_RATIO && score <= 0)
			continue;
		sum += score * profile->scored[i].weight;
		weights += profile->scored[i].weight;
	}
	if (!weights)
		return 0;
	return profile->strategy == KUBE_RATIO ? (2 * sum + weights) / (2 * weights) : sum / weights;
}

int64_t kube_score_placement(
	const struct kube *k, const struct kube_profile *profile, const int64_t *asked, const int64_t *has)
{
	const bool own = profile->placed_count;
	const uint32_t count = own ? profile->placed_count : profile->scored_count;
	int64_t sum = 0, weights = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *name = own ? profile->placed[i].resource : profile->scored[i].resource;
		const int64_t weight = own ? profile->placed[i].weight : profile->scored[i].weight;
		uint32_t at = 0;
		while (at < k->resources && strcmp(k->resource[at], name) != 0)
			at++;
		if (at == k->resources || !has[at])
			continue;
		const struct usage usage = { asked[at], has[at] };
		sum += score_one(profile, profile->placement_strategy, usage) * weight;
		weights += weight;
	}
	return weights ? sum / weights : 0;
}

static int64_t balance(const struct kube_spec *spec, const struct kube_node *node, bool with)
{
	const struct kube_profile *profile = spec->profile;
	double part[KUBE_SCORED_MAX], sum = 0, spread = 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < profile->balanced_count; i++) {
		const struct usage usage = usage_of(spec, node, profile->balanced_as[i], true, with);
		if (!usage.has)
			continue;
		part[count] = (double)usage.asked / (double)usage.has;
		part[count] = part[count] > 1 ? 1 : part[count];
		sum += part[count++];
	}
	if (count == 2)
		spread = fabs((part[0] - part[1]) / 2);
	for (uint32_t i = 0; count > 2 && i < count; i++)
		spread += (part[i] - sum / count) * (part[i] - sum / count);
	if (count > 2)
		spread = sqrt(spread / count);
	return (int64_t)((1 - spread) * SCORE_MAX);
}

int64_t kube_score_balanced(const struct kube *k, const struct kube_spec *spec, const struct kube_node *node)
{
	const int64_t with = balance(spec, node, true);
	if (k->options.balanced_old)
		return with;
	return SCORE_MAX / 2 + (SCORE_MAX / 2 + with - balance(spec, node, false)) / 2;
}

/* A pod that requests none of its resources is not scored by it. */
static bool balance_counts(const struct kube_spec *spec)
{
	for (uint32_t i = 0; i < spec->profile->balanced_count; i++) {
		const uint32_t at = spec->profile->balanced_as[i];
		if (at != KUBE_NO && spec->request[at])
			return true;
	}
	return false;
}

/* ---- Taints and affinity --------------------------------------------------------------------- */

static int64_t shunned(const struct kube_spec *spec, const struct kube_node *node)
{
	int64_t count = 0;
	for (uint32_t i = 0; i < node->taints.count; i++) {
		const struct sl_taint *taint = &node->taints.at[i];
		count += taint->effect == SL_PREFER_NO_SCHEDULE &&
			 !sl_tolerates(&spec->podset->tolerations, taint) &&
			 !sl_tolerates(&spec->assignment_tolerations, taint);
	}
	return count;
}

static int64_t preferred(const struct kube_spec *spec, const struct kube_node *node)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < spec->podset->preferred_count; i++)
		if (sl_node_term_holds(&spec->podset->preferred[i], &node->labels, node->name))
			sum += spec->podset->preferred[i].weight;
	return sum;
}

/* To 0..100 of the most; reversed: the most gets nothing. */
static void normalise(int64_t *score, size_t count, bool reversed)
{
	int64_t most = 0;
	for (size_t i = 0; i < count; i++)
		most = score[i] > most ? score[i] : most;
	for (size_t i = 0; i < count; i++) {
		const int64_t scaled = most ? score[i] * SCORE_MAX / most : 0;
		score[i] = reversed ? SCORE_MAX - scaled : scaled;
	}
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool score_plugin(
	struct kube *k, uint32_t pod, enum kube_plugin plugin, const uint32_t *node, size_t count)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	switch (plugin) {
	case KUBE_FIT:
		for (size_t i = 0; i < count; i++)
			k->score[i] = kube_score_fit(spec, &k->node[node[i]]);
		return true;
	case KUBE_BALANCED:
		if (!balance_counts(spec))
			return false;
		for (size_t i = 0; i < count; i++)
			k->score[i] = kube_score_balanced(k, spec, &k->node[node[i]]);
		return true;
	case KUBE_TAINTS:
		for (size_t i = 0; i < count; i++)
			k->score[i] = shunned(spec, &k->node[node[i]]);
		normalise(k->score, count, true);
		return true;
	case KUBE_AFFINITY:
		if (!spec->podset->preferred_count)
			return false;
		for (size_t i = 0; i < count; i++)
			k->score[i] = preferred(spec, &k->node[node[i]]);
		normalise(k->score, count, false);
		return true;
	case KUBE_SPREAD:
		if (!spec->podset->spread_count)
			return false;
		kube_pod_affinity_score_spread(k, pod, node, count, k->score);
		return true;
	case KUBE_POD_AFFINITY:
		if (!spec->podset->pod_affinity_count && !k->pod_affinity_pods)
			return false;
		kube_pod_affinity_score(k, pod, node, count, k->score);
		return true;
	case KUBE_DRA:
		if (!spec->claims)
			return false;
		for (size_t i = 0; i < count; i++)
			k->score[i] = kube_dra_score(k, spec, node[i]);
		normalise(k->score, count, false);
		return true;
	case KUBE_IMAGES:
		if (!spec->podset->image_count || !k->images)
			return false;
		for (size_t i = 0; i < count; i++)
			k->score[i] = kube_images_score(k, spec, node[i]);
		return true;
	case KUBE_UNSCHEDULABLE:
	case KUBE_NODE_NAME:
	case KUBE_PORTS:
	case KUBE_GANG:
	case KUBE_GROUP_PODS:
	case KUBE_PLUGINS:
		break;
	}
	return false;
}

static uint32_t any_best(struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t best)
{
	char name[96];
	size_t ties = 0;
	const struct kube_pod *of = &k->pod[pod];
	(void)snprintf(name, sizeof(name), "policies/kube/%" PRId64 "/%" PRIu32 "/%" PRIu32,
		k->jobs->id[of->job], pod - k->job[of->job].first, of->attempts);
	struct sl_rng rng = sl_rng_stream(k->seed, name);
	uint32_t chosen = KUBE_NO;
	for (size_t i = 0; i < count; i++)
		ties += k->total[i] == best;
	uint64_t at = sl_rng_below(&rng, ties);
	for (size_t i = 0; i < count; i++)
		if (k->total[i] == best && at-- == 0)
			chosen = node[i];
	return chosen;
}

/* Into k->total, by the nodes of the list. */
static void sum_scores(struct kube *k, uint32_t pod, const uint32_t *node, size_t count)
{
	const struct kube_profile *profile = k->spec[k->pod[pod].spec].profile;
	memset(k->total, 0, count * sizeof(*k->total));
	for (int plugin = 0; plugin < KUBE_PLUGINS; plugin++) {
		const int64_t weight = profile->weight[plugin];
		if (!weight || !score_plugin(k, pod, (enum kube_plugin)plugin, node, count))
			continue;
		if (k->watch)
			k->watch->scored(k->watch->self, k, (enum kube_plugin)plugin, weight, node, count);
		for (size_t i = 0; i < count; i++)
			k->total[i] += weight * k->score[i];
	}
}

bool kube_scores_simply(const struct kube *k, const struct kube_spec *spec)
{
	const struct sl_podset *podset = spec->podset;
	return !k->watch && !k->shunned && !k->pod_affinity_pods && !spec->claims &&
	       !podset->preferred_count && !podset->spread_count && !podset->pod_affinity_count &&
	       !(podset->image_count && k->images);
}

int64_t kube_simple_score(const struct kube *k, const struct kube_spec *spec, const struct kube_node *node)
{
	const int64_t *weight = spec->profile->weight;
	int64_t sum = weight[KUBE_FIT] ? weight[KUBE_FIT] * kube_score_fit(spec, node) : 0;
	if (weight[KUBE_BALANCED] && balance_counts(spec))
		sum += weight[KUBE_BALANCED] * kube_score_balanced(k, spec, node);
	return sum;
}

uint32_t kube_choose(struct kube *k, uint32_t pod, struct kube_view *view, const uint32_t *node, size_t count)
{
	if (count == 1)
		return node[0];
	if (view && kube_scores_simply(k, &k->spec[k->pod[pod].spec]))
		kube_view_scores(k, view, &k->spec[k->pod[pod].spec], node, count);
	else
		sum_scores(k, pod, node, count);
	size_t best = 0;
	for (size_t i = 1; i < count; i++) {
		const bool same = k->total[i] == k->total[best];
		if (k->total[i] > k->total[best] ||
			(same && k->node[node[i]].rank < k->node[node[best]].rank))
			best = i;
	}
	if (k->options.ties == KUBE_TIES_RANDOM)
		return any_best(k, pod, node, count, k->total[best]);
	return node[best];
}

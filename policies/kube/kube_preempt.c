/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_preempt.c - default preemption: pods of lower priority are evicted
 * (https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/,
 * pkg/scheduler/framework/ preemption, v1.36).
 *
 * Victims are gone at once: no grace period. The search for nodes begins at the first (kube-scheduler:
 * anywhere; with ties=random so here).
 */
#include "policies/kube/kube.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES_MIN = 100, CANDIDATES_PERCENT = 10 };

struct victim {
	uint32_t pod;
	int64_t priority;
	uint64_t order; /* Of its binding. */
	bool violates;  /* A budget. */
};

struct victims {
	uint32_t node;
	struct victim *at;
	uint32_t count, violations;
};

/* The most important first: by priority, then the earlier start (MoreImportantPod). */
static int by_importance(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* ---- Budgets --------------------------------------------------------------------------------- */

bool kube_budget_covers(const struct kube *k, const struct kube_budget *budget, uint32_t pod)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	if (!budget->pods.labels.count && !budget->pods.term.count) /* Nobody, as of a pod without labels. */
		return false;
	return spec->podset->labels.count && strcmp(budget->namespace, spec->namespace) == 0 &&
	       sl_label_selects(&budget->pods, &spec->podset->labels);
}

/* A number of pods, or percents of those expected, rounded up. */
static int64_t kube_preempt_share_of(int64_t value, int64_t expected)
{
	return value >= 0 ? value : ((-value - 1) * expected + 99) / 100;
}

void kube_budgets_count(struct kube *k)
{
	for (uint32_t i = 0; i < k->budgets; i++) {
		struct kube_budget *budget = &k->budget[i];
		int64_t expected = 0, healthy = 0;
		for (size_t pod = 0; pod < k->pods; pod++) {
			if (k->pod[pod].state == KUBE_POD_GONE ||
				!kube_budget_covers(k, budget, (uint32_t)pod))
				continue;
			expected++;
			healthy += k->pod[pod].state == KUBE_POD_BOUND;
		}
		int64_t desired = 0;
		if (budget->min_available != SL_NONE)
			desired = kube_preempt_share_of(budget->min_available, expected);
		else if (budget->max_unavailable != SL_NONE)
			desired = expected - kube_preempt_share_of(budget->max_unavailable, expected);
		budget->allowed = healthy > desired ? healthy - desired : 0;
	}
}

static void mark_violations(struct kube *k, struct victim *victim, uint32_t count)
{
	int64_t left[64];
	const uint32_t budgets = k->budgets < 64 ? k->budgets : 64;
	for (uint32_t i = 0; i < budgets; i++)
		left[i] = k->budget[i].allowed;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < budgets; j++)
			if (kube_budget_covers(k, &k->budget[j], victim[i].pod) && --left[j] < 0)
				victim[i].violates = true;
}

/* ---- One node -------------------------------------------------------------------------------- */

static bool kube_preempt_fits(struct kube *k, uint32_t pod, uint32_t node)
{
	const struct kube_cycle cycle = { pod, kube_pod_affinity_new(k, pod), true, false };
	const bool does = kube_filter(k, &cycle, node) == KUBE_FITS;
	kube_pod_affinity_free(cycle.pod_affinity);
	return does;
}

static uint32_t lower_on(const struct kube *k, uint32_t pod, uint32_t node, struct victim *victim)
{
	const int64_t priority = k->spec[k->pod[pod].spec].priority;
	uint32_t count = 0;
	for (uint32_t i = k->node[node].first; i != KUBE_NO; i = k->pod[i].next) {
		const int64_t other = k->spec[k->pod[i].spec].priority;
		if (other < priority)
			victim[count++] = (struct victim){ i, other, k->pod[i].order, false };
	}
	qsort(victim, count, sizeof(*victim), by_importance);
	return count;
}

/* Back to where they stood, if the pod still fits beside them. */
static void reprieve(struct kube *k, uint32_t pod, const struct victims *all, bool violating, bool *stays)
{
	for (uint32_t i = 0; i < all->count; i++) {
		if (all->at[i].violates != violating)
			continue;
		kube_take(k, all->at[i].pod, all->node);
		stays[i] = kube_preempt_fits(k, pod, all->node);
		if (!stays[i])
			kube_give(k, all->at[i].pod);
	}
}

/* Its victims there (SelectVictimsOnNode); afterwards all is as before. False: it would not fit even so. */
static bool select_victims(struct kube *k, uint32_t pod, uint32_t node, struct victims *victims)
{
	const uint32_t capacity = (uint32_t)k->node[node].pods + 1;
	struct victim *victim = calloc(capacity, sizeof(*victim));
	bool *stays = calloc(capacity, sizeof(*stays));
	uint32_t count = 0, kept = 0;
	if (victim && stays)
		count = lower_on(k, pod, node, victim);
	k->trying = true;
	for (uint32_t i = 0; i < count; i++)
		kube_give(k, victim[i].pod);
	const bool helps = count && kube_preempt_fits(k, pod, node);
	if (helps) {
		mark_violations(k, victim, count);
		const struct victims all = { .node = node, .at = victim, .count = count };
		reprieve(k, pod, &all, true, stays);
		reprieve(k, pod, &all, false, stays);
	}
	for (uint32_t i = 0; i < count; i++)
		if (!stays[i])
			kube_take(k, victim[i].pod, node);
	k->trying = false;
	*victims = (struct victims){ .node = node, .at = victim };
	for (uint32_t i = 0; i < count; i++) {
		if (stays[i])
			continue;
		victims->violations += victim[i].violates;
		victim[kept++] = victim[i];
	}
	victims->count = kept;
	free(stays);
	if (helps && kept)
		return true;
	free(victim);
	return false;
}

/* ---- The node -------------------------------------------------------------------------------- */

/* Fewest violations; lowest highest priority; smallest sum of priorities; fewest; latest start of the most
 * important ones. Below 0: a is better. */
static int kube_preempt_compare(const struct victims *a, const struct victims *b)
{
	__int128 sum_a = 0, sum_b = 0;
	uint64_t since_a = UINT64_MAX, since_b = UINT64_MAX;
	if (a->violations != b->violations)
		return a->violations < b->violations ? -1 : 1;
	if (a->at[0].priority != b->at[0].priority)
		return a->at[0].priority < b->at[0].priority ? -1 : 1;
	for (uint32_t i = 0; i < a->count; i++) {
		sum_a += (__int128)a->at[i].priority + (INT64_C(1) << 31);
		if (a->at[i].priority == a->at[0].priority && a->at[i].order < since_a)
			since_a = a->at[i].order;
	}
	for (uint32_t i = 0; i < b->count; i++) {
		sum_b += (__int128)b->at[i].priority + (INT64_C(1) << 31);
		if (b->at[i].priority == b->at[0].priority && b->at[i].order < since_b)
			since_b = b->at[i].order;
	}
	if (sum_a != sum_b)
		return sum_a < sum_b ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return (since_a < since_b) - (since_a > since_b);
}

static uint32_t offset_of(const struct kube *k, uint32_t pod)
{
	char name[96];
	if (k->options.ties != KUBE_TIES_RANDOM || !k->nodes)
		return 0;
	(void)snprintf(name, sizeof(name), "policies/kube/preempt/%" PRId64 "/%" PRIu32 "/%" PRIu32,
		k->jobs->id[k->pod[pod].job], pod - k->job[k->pod[pod].job].first, k->pod[pod].attempts);
	struct sl_rng rng = sl_rng_stream(k->seed, name);
	return (uint32_t)sl_rng_below(&rng, k->nodes);
}

int64_t kube_lowest(const struct kube *k) { return k->levels ? k->level[0].priority : INT64_MAX; }

static bool find_best(struct kube *k, uint32_t pod, struct victims *best)
{
	const uint32_t offset = offset_of(k, pod);
	uint32_t potential = 0;
	for (uint32_t i = 0; i < k->nodes; i++)
		potential += k->node[i].there && k->node_why[i] >= KUBE_WHY_RESOLVABLE;
	const uint32_t percent = potential * CANDIDATES_PERCENT / 100;
	const uint32_t wanted = percent > CANDIDATES_MIN ? percent : CANDIDATES_MIN;
	uint32_t found = 0;
	bool harmless = false; /* One of them violates no budget. */
	/* Of this cycle: filters run again below. */
	uint64_t *lacks = malloc(((size_t)k->nodes + 1) * sizeof(*lacks));
	uint8_t *why = malloc((size_t)k->nodes + 1);
	if (!why || !lacks) {
		free(lacks);
		free(why);
		return false;
	}
	memcpy(lacks, k->node_res, k->nodes * sizeof(*lacks));
	memcpy(why, k->node_why, k->nodes);
	for (uint32_t i = 0; i < k->nodes && (found < wanted || !harmless); i++) {
		const uint32_t node = k->visit[(offset + i) % k->nodes];
		struct victims victims;
		if (!k->node[node].there || why[node] < KUBE_WHY_RESOLVABLE ||
			!select_victims(k, pod, node, &victims))
			continue;
		harmless |= !victims.violations;
		if (found++ == 0) {
			*best = victims;
			continue;
		}
		const int order = kube_preempt_compare(&victims, best);
		const bool named = k->options.ties == KUBE_TIES_NAME;
		if (order < 0 || (!order && named && k->node[node].rank < k->node[best->node].rank)) {
			free(best->at);
			*best = victims;
		} else {
			free(victims.at);
		}
	}
	memcpy(k->node_res, lacks, k->nodes * sizeof(*lacks));
	memcpy(k->node_why, why, k->nodes);
	free(lacks);
	free(why);
	return found > 0;
}

void kube_gone(struct kube *k, uint32_t node, uint32_t spec, enum kube_change change)
{
	if (SL_GROW(k->evicted, k->evicted_capacity, k->evicted_count + 1, &k->err))
		return;
	k->evicted[k->evicted_count].node = node;
	k->evicted[k->evicted_count].spec = spec;
	k->evicted[k->evicted_count++].change = change;
}

/* Its job, if it ran, has lost it; else it waits anew alone. */
void kube_preempt_evict(struct kube *k, uint32_t pod, uint32_t cause)
{
	struct kube_pod *of = &k->pod[pod];
	struct kube_job *job = &k->job[of->job];
	const uint32_t gang = k->spec[of->spec].gang;
	if (k->watch)
		k->watch->evicted(k->watch->self, k, pod);
	kube_lose(k, of->job, k->pod[cause].job);
	job->bound -= of->state == KUBE_POD_BOUND;
	if (gang != KUBE_NO)
		k->gang[gang].placed--;
	kube_gone(k, of->node, of->spec, KUBE_POD_LEFT);
	kube_give(k, pod);
	of->attempts = 0;
	of->created = k->now;
	of->state = KUBE_POD_GONE;
	if (!job->lost)
		kube_queue_add(k, pod);
	k->preempted++;
}

static void doom(struct kube *k, uint32_t pod, uint32_t cause)
{
	for (size_t i = 0; i < k->doomed_count; i++)
		if (k->doomed[i].pod == pod)
			return;
	if (SL_GROW(k->doomed, k->doomed_capacity, k->doomed_count + 1, &k->err))
		return;
	k->doomed[k->doomed_count].pod = pod;
	k->doomed[k->doomed_count++].cause = cause;
}

bool kube_preempt(struct kube *k, uint32_t pod)
{
	struct victims best = { .at = NULL };
	if (k->budgets)
		kube_budgets_count(k);
	if (!find_best(k, pod, &best))
		return false;
	for (uint32_t i = 0; i < best.count; i++)
		(k->defers ? doom : kube_preempt_evict)(k, best.at[i].pod, pod);
	for (size_t i = k->nominees; i-- > 0;) { /* Lower ones have to look elsewhere. */
		const uint32_t other = k->nominee[i];
		if (k->pod[other].nominated == best.node &&
			k->spec[k->pod[other].spec].priority < k->spec[k->pod[pod].spec].priority) {
			kube_gone(k, best.node, k->pod[other].spec, KUBE_NOMINEE_LEFT);
			kube_nominate(k, other, KUBE_NO);
		}
	}
	kube_nominate(k, pod, best.node);
	free(best.at);
	return true;
}

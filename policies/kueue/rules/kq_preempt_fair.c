/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_preempt_fair.c - victims by fair sharing: the queue with the highest dominant resource share is
 * preempted first.
 *
 * Rules: KEP-1714 (fair sharing), rules S2-a and S2-b for the two strategies, by the scheduler's code
 * (fairPreemptions, and TargetClusterQueueOrdering of preemption/fairsharing) at the commit that kq.h names.
 * Children of a cohort are seen in the order of their names.
 */
#include "policies/kueue/rules/kq_victims.h"

#include <stdlib.h>

struct fair {
	struct kq_search *search;
	struct kq_candidates list;  /* In order. */
	struct kq_candidates retry; /* Those that the first strategy refused. */
	uint32_t *next;             /* By node: the first of its candidates that is left, */
	uint32_t *after;            /* by candidate: the one behind it in its queue; KQ_NO. */
	bool *pruned;               /* By node: it has no more candidates (Kueue: pruned). */
	bool *ours;                 /* By node: an ancestor of the preemptor's queue. */
	bool own;                   /* One of the preemptor's own queue was taken. */
};

/* ---- Candidates ---- */

static bool borrows(const struct kq_search *search, uint32_t node)
{
	for (uint32_t i = 0; i < search->need_count; i++)
		if (kq_borrows(search->kq, node, search->need[i]))
			return true;
	return false;
}

static void collect_tree(struct fair *fair, uint32_t cohort)
{
	const struct kq *kq = fair->search->kq;
	for (uint32_t i = 0; i < kq->node[cohort].child_count; i++) {
		const uint32_t child = kq->node[cohort].child[i];
		if (!kq->node[child].is_queue)
			collect_tree(fair, child);
		else if (child != fair->search->queue && kq->node[child].active &&
			 borrows(fair->search, child))
			kq_candidates_of(fair->search, child, KQ_NO, false, &fair->list);
	}
}

static void collect(struct fair *fair)
{
	struct kq_search *search = fair->search;
	const struct kq_node *queue = &search->kq->node[search->queue];
	kq_candidates_of(search, search->queue, KQ_NO, false, &fair->list);
	if (queue->parent != KQ_NO && queue->reclaim != KQ_NEVER)
		collect_tree(fair, queue->root);
	kq_candidates_order(search->kq, search->queue, fair->list.at, fair->list.count);
}

/* Of each queue the candidates in their order; nobody is pruned. */
static void line_up(struct fair *fair, const struct kq_candidates *list)
{
	const struct kq *kq = fair->search->kq;
	for (uint32_t n = 0; n < kq->node_count; n++) {
		fair->next[n] = KQ_NO;
		fair->pruned[n] = false;
	}
	for (uint32_t i = list->count; i-- > 0;) {
		const uint32_t queue = kq_held_of(kq, list->at[i].workload);
		fair->after[i] = fair->next[queue];
		fair->next[queue] = i;
	}
}

static struct kq_candidate pop(struct fair *fair, const struct kq_candidates *list, uint32_t queue)
{
	const uint32_t at = fair->next[queue];
	fair->next[queue] = fair->after[at];
	return list->at[at];
}

/* ---- Which queue is next to lose a workload ---- */

static struct kq_share kq_preempt_fair_share_of(const struct fair *fair, uint32_t node)
{
	return kq_share_of(fair->search->kq, node, NULL, 0);
}

struct best {
	uint32_t node; /* KQ_NO: none. */
	struct kq_share share;
};

/* Who borrows only what nobody lends has no share, and counts as one who borrows nothing. Ties of queues go
 * by their next candidates. */
static void consider_queue(
	struct fair *fair, const struct kq_candidates *list, uint32_t queue, struct best *best)
{
	const struct kq *kq = fair->search->kq;
	const struct kq_share share = kq_preempt_fair_share_of(fair, queue);
	if ((!(share.ratio > 0.0) && queue != fair->search->queue) || fair->next[queue] == KQ_NO ||
		!kq->node[queue].active) {
		fair->pruned[queue] = true;
		return;
	}
	const int order = best->node == KQ_NO ? 1 : kq_share_compare(&share, &best->share);
	if (order > 0 || (order == 0 && kq_candidate_compare(kq, fair->search->queue,
						list->at[fair->next[queue]].workload,
						list->at[fair->next[best->node]].workload) < 0))
		*best = (struct best){ queue, share };
}

/* Of equal cohorts the last one. Ancestors of the preemptor stay as long as anything is below them. */
static void consider_cohort(struct fair *fair, uint32_t cohort, struct best *best)
{
	const struct kq_share share = kq_preempt_fair_share_of(fair, cohort);
	if (!(share.ratio > 0.0) && !fair->ours[cohort]) {
		fair->pruned[cohort] = true;
		return;
	}
	if (best->node == KQ_NO || kq_share_compare(&share, &best->share) >= 0)
		*best = (struct best){ cohort, share };
}

/* From a cohort down into the child with the highest share; KQ_NO: something was pruned, call again. */
static uint32_t descend(struct fair *fair, const struct kq_candidates *list, uint32_t cohort)
{
	const struct kq *kq = fair->search->kq;
	while (!kq->node[cohort].is_queue) {
		struct best queue = { .node = KQ_NO }, below = { .node = KQ_NO };
		for (uint32_t i = 0; i < kq->node[cohort].child_count; i++) {
			const uint32_t child = kq->node[cohort].child[i];
			if (fair->pruned[child])
				continue;
			if (kq->node[child].is_queue)
				consider_queue(fair, list, child, &queue);
			else
				consider_cohort(fair, child, &below);
		}
		if (queue.node == KQ_NO && below.node == KQ_NO) {
			fair->pruned[cohort] = true;
			return KQ_NO;
		}
		const bool down = queue.node == KQ_NO ||
				  (below.node != KQ_NO && kq_share_compare(&below.share, &queue.share) >= 0);
		cohort = down ? below.node : queue.node;
	}
	return cohort;
}

/* KQ_NO: nobody is left. */
static uint32_t next_target(struct fair *fair, const struct kq_candidates *list)
{
	const struct kq *kq = fair->search->kq;
	const uint32_t queue = fair->search->queue, root = kq->node[queue].root;
	if (kq->node[queue].parent == KQ_NO)
		return fair->next[queue] == KQ_NO ? KQ_NO : queue;
	while (!fair->pruned[root]) {
		const uint32_t target = descend(fair, list, root);
		if (target != KQ_NO)
			return target;
	}
	return KQ_NO;
}

/* ---- Strategies ---- */

/* The children of the lowest common ancestor above the preemptor's queue and the target. */
static void below_common(
	const struct fair *fair, uint32_t target, uint32_t *preemptor_side, uint32_t *target_side)
{
	const struct kq *kq = fair->search->kq;
	uint32_t theirs = target, ours = fair->search->queue;
	while (!fair->ours[kq->node[theirs].parent])
		theirs = kq->node[theirs].parent;
	while (kq->node[ours].parent != kq->node[theirs].parent)
		ours = kq->node[ours].parent;
	*preemptor_side = ours;
	*target_side = theirs;
}

static struct kq_share share_without(const struct fair *fair, uint32_t node, uint32_t workload)
{
	struct kq *kq = fair->search->kq;
	const struct kq_workload *row = &kq->workload[workload];
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < row->used_count; i++)
		kq_usage_remove(kq, row->admission->queue, row->used[i].fr, row->used[i].amount);
	const struct kq_share share = kq_preempt_fair_share_of(fair, node);
	kq_undo(kq, mark);
	return share;
}

static bool passes(enum kq_fair_strategy strategy, const struct kq_share *preemptor,
	const struct kq_share *before, const struct kq_share *after)
{
	return strategy == KQ_LESS_INITIAL ? kq_share_compare(preemptor, before) < 0
					   : kq_share_compare(preemptor, after) <= 0;
}

/* The requests count as used during the whole search; they are taken out to see whether they fit. */
static bool kq_preempt_fair_fits(const struct fair *fair)
{
	const struct kq_search *search = fair->search;
	const kq_marked mark = kq_mark(search->kq);
	for (uint32_t i = 0; i < search->needs_count; i++)
		kq_usage_remove(search->kq, search->queue, search->needs[i].fr, search->needs[i].amount);
	const bool capacity = kq_search_fits(search, true);
	kq_undo(search->kq, mark);
	return capacity;
}

static bool kq_preempt_fair_take(struct fair *fair, uint32_t workload, const char *reason)
{
	kq_search_take(fair->search, workload, reason);
	return kq_preempt_fair_fits(fair);
}

/* Candidates of one target until one passes: shares have changed then, and the target may be another. A
 * preemptor of infinite share passes no test against a finite one. */
static bool try_target(struct fair *fair, uint32_t target)
{
	const enum kq_fair_strategy strategy = fair->search->kq->config.fair[0];
	uint32_t ours, theirs;
	below_common(fair, target, &ours, &theirs);
	const struct kq_share preemptor = kq_preempt_fair_share_of(fair, ours),
			      before = kq_preempt_fair_share_of(fair, theirs);
	const bool hopeless = preemptor.zero_weight && !before.zero_weight;
	while (fair->next[target] != KQ_NO) {
		const struct kq_candidate candidate = pop(fair, &fair->list, target);
		if (!hopeless) {
			const struct kq_share after = share_without(fair, theirs, candidate.workload);
			if (passes(strategy, &preemptor, &before, &after))
				return kq_preempt_fair_take(fair, candidate.workload, "InCohortFairSharing");
		}
		fair->retry.at[fair->retry.count++] = candidate;
	}
	return false;
}

static bool first_strategy(struct fair *fair)
{
	const struct kq_search *search = fair->search;
	const bool entitlement = search->kq->config.gate[KQ_GATE_FairSharingPreemptWithinNominal] &&
				 !borrows(search, search->queue);
	line_up(fair, &fair->list);
	for (uint32_t target; (target = next_target(fair, &fair->list)) != KQ_NO;) {
		bool done;
		if (target == search->queue) {
			fair->own = true;
			done = kq_preempt_fair_take(
				fair, pop(fair, &fair->list, target).workload, "InClusterQueue");
		} else if (entitlement)
			done = kq_preempt_fair_take(
				fair, pop(fair, &fair->list, target).workload, "InCohortReclamation");
		else
			done = try_target(fair, target);
		if (done)
			return true;
	}
	return false;
}

/* With the preemptor's share lower, whom it refused may pass (FairSharingReevaluatePreemptionCandidates). */
static bool first_strategy_again(struct fair *fair)
{
	const struct kq_candidates refused = fair->retry;
	if (!fair->own || !fair->search->kq->config.gate[KQ_GATE_FairSharingReevaluatePreemptionCandidates])
		return false;
	fair->retry = (struct kq_candidates){ .at = fair->list.at };
	fair->list = refused;
	return first_strategy(fair);
}

/* S2-b does not look at the candidate, so the first of each queue is tried, once. */
static bool second_strategy(struct fair *fair)
{
	line_up(fair, &fair->retry);
	for (uint32_t target; (target = next_target(fair, &fair->retry)) != KQ_NO;) {
		uint32_t ours, theirs;
		below_common(fair, target, &ours, &theirs);
		const struct kq_share preemptor = kq_preempt_fair_share_of(fair, ours),
				      before = kq_preempt_fair_share_of(fair, theirs);
		const struct kq_candidate candidate = pop(fair, &fair->retry, target);
		fair->pruned[target] = true;
		if (kq_share_compare(&preemptor, &before) < 0 &&
			kq_preempt_fair_take(fair, candidate.workload, "InCohortFairSharing"))
			return true;
	}
	return false;
}

static bool both_strategies(struct fair *fair)
{
	struct kq_search *search = fair->search;
	struct kq *kq = search->kq;
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < search->needs_count; i++)
		kq_usage_add(kq, search->queue, search->needs[i].fr, search->needs[i].amount);
	const bool found = first_strategy(fair) || first_strategy_again(fair) ||
			   (kq->config.fair_count > 1 && second_strategy(fair));
	kq_undo(kq, mark);
	return found;
}

/* Usage without those that are gone, and without the requests. */
static void spare(struct kq_search *search)
{
	for (uint32_t i = 0; i < search->gone.count; i++)
		kq_count_out(search->kq, search->gone.at[i].workload);
	kq_search_give_back(search, true);
}

static bool kq_preempt_fair_make_room(struct fair *fair)
{
	struct kq *kq = fair->search->kq;
	fair->next = malloc((kq->node_count + 1) * sizeof(*fair->next));
	fair->pruned = calloc((size_t)kq->node_count + 1, sizeof(*fair->pruned));
	fair->ours = calloc(kq->node_count + 1, sizeof(*fair->ours));
	fair->after = malloc((fair->list.count + 1) * sizeof(*fair->after));
	fair->retry.at = calloc((size_t)fair->list.count + 1, sizeof(*fair->retry.at));
	if (!fair->next || !fair->pruned || !fair->ours || !fair->after || !fair->retry.at)
		return sl_fail_memory(&kq->err), false;
	for (uint32_t node = kq->node[fair->search->queue].parent; node != KQ_NO;
		node = kq->node[node].parent)
		fair->ours[node] = true;
	return true;
}

bool kq_search_fair(struct kq_search *search)
{
	struct fair fair = { .search = search };
	bool found = false;
	collect(&fair);
	if (fair.list.count && kq_preempt_fair_make_room(&fair))
		found = both_strategies(&fair);
	if (found)
		spare(search);
	free(fair.list.at);
	free(fair.retry.at);
	free(fair.next);
	free(fair.after);
	free(fair.pruned);
	free(fair.ours);
	return found;
}

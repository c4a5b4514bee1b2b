/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_replace.c - placements that go on from another: lost pods of an admitted workload, and slices of an
 * elastic one, which keep their pods where they are.
 *
 * Rules: KEP-2724, "Node failures", and Kueue's elastic workloads (KEP-77) with a topology.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <string.h>

static int64_t pods_of(const struct kq_placement *placement)
{
	int64_t pods = 0;
	for (uint32_t i = 0; i < placement->count; i++)
		pods += placement->domain[i].count;
	return pods;
}

static bool kq_placement_stale(
	struct kq *kq, const struct kq_tree *tree, const struct kq_placement *placement)
{
	for (uint32_t i = 0; i < placement->count; i++)
		if (kq_tree_leaf(kq, tree, &placement->domain[i], placement->level_count) == KQ_NO)
			return true;
	return false;
}

static struct kq_placement *copy_of(
	struct kq_placement_attempt *attempt, const struct kq_placement *placement, uint32_t more)
{
	struct kq_placement *made = kq_scratch_alloc(attempt->kq, attempt->scratch, 1, sizeof(*made));
	struct kq_domain_count *domain = kq_scratch_alloc(
		attempt->kq, attempt->scratch, (size_t)placement->count + more + 1, sizeof(*domain));
	if (!made || !domain)
		return NULL;
	*made = *placement;
	made->domain = domain;
	if (placement->count)
		memcpy(domain, placement->domain, placement->count * sizeof(*domain));
	return made;
}

/* Both, by the values of their leaves; what is at one leaf comes together. */
static struct kq_placement *merge(struct kq_placement_attempt *attempt, const struct kq_tree *tree,
	const struct kq_placement *a, const struct kq_placement *b)
{
	struct kq_placement *made = copy_of(attempt, a, b->count);
	if (!made)
		return NULL;
	made->count = 0;
	for (uint32_t i = 0; i < a->count + b->count; i++) {
		const struct kq_domain_count *one = i < a->count ? &a->domain[i] : &b->domain[i - a->count];
		const uint32_t leaf = kq_tree_leaf(attempt->kq, tree, one, made->level_count);
		uint32_t to = made->count, at = KQ_NO;
		while (to > 0 && (at = kq_tree_leaf(attempt->kq, tree, &made->domain[to - 1],
					  made->level_count)) > leaf) {
			made->domain[to] = made->domain[to - 1];
			to--;
		}
		if (to > 0 && at == leaf) {
			made->domain[to - 1].count += one->count;
			memmove(&made->domain[to], &made->domain[to + 1],
				(made->count - to) * sizeof(*made->domain));
			continue;
		}
		made->domain[to] = *one;
		made->count++;
	}
	return made;
}

/* ---- Lost pods ---------------------------------------------------------------------------------- */

/* Where at a level pods stand whose slice the lost ones complete; the first by values. */
static uint32_t broken_slice(struct kq_placement_attempt *attempt, const struct kq_tree *tree,
	const struct kq_placement *rest, int64_t lost, int64_t size, uint32_t level)
{
	uint32_t first = KQ_NO;
	for (uint32_t i = 0; level != KQ_NO && i < rest->count; i++) {
		int64_t pods = lost;
		const uint32_t leaf = kq_tree_leaf(attempt->kq, tree, &rest->domain[i], rest->level_count);
		const uint32_t domain = kq_tree_above(tree, leaf, level);
		for (uint32_t k = 0; k < rest->count; k++) {
			const uint32_t other =
				kq_tree_leaf(attempt->kq, tree, &rest->domain[k], rest->level_count);
			if (kq_tree_above(tree, other, level) == domain)
				pods += rest->domain[k].count;
		}
		if (pods % size == 0 && (first == KQ_NO || domain < first))
			first = domain;
	}
	return first;
}

static uint32_t main_level(const struct kq_team *team, const struct kq_topology_request *request)
{
	if (request->required || request->preferred)
		return kq_tree_level(team->tree, request->required ? request->required : request->preferred);
	if (request->slice_count > 0)
		return 0;
	return request->unconstrained || team->implied ? team->tree->level_count - 1 : KQ_NO;
}

/* The domain that lost pods may not leave: of the innermost slice that is broken, or what is required. */
static uint32_t confined(struct kq_placement_attempt *attempt, const struct kq_team *team,
	const struct kq_placement *rest, int64_t lost, uint32_t *level)
{
	const struct kq_topology_request *request =
		&attempt->kq->workload[attempt->workload].podset[team->worker].topology;
	const struct kq_tree *tree = team->tree;
	*level = main_level(team, request);
	if (*level == KQ_NO || rest->count == 0)
		return KQ_NO;
	if (request->slice_count > 0 && request->slice[0].size > 0 && lost % request->slice[0].size != 0) {
		uint32_t inner = request->slice_count - 1;
		while (inner > 0 &&
			(request->slice[inner].size <= 0 || lost % request->slice[inner].size == 0))
			inner--;
		*level = kq_tree_level(tree, request->slice[inner].level);
		return broken_slice(attempt, tree, rest, lost, request->slice[inner].size, *level);
	}
	if (!request->required)
		return KQ_NO;
	const uint32_t leaf = kq_tree_leaf(attempt->kq, tree, &rest->domain[0], rest->level_count);
	return kq_tree_above(tree, leaf, *level);
}

/* Pods that are no whole slices go by the innermost slices that they still make, else one by one. */
static void by_what_is_whole(struct kq_topology_request *request, int64_t lost)
{
	for (uint32_t i = request->slice_count; i-- > 0;)
		if (request->slice[i].size > 0 && lost % request->slice[i].size == 0) {
			request->slice[0] = request->slice[i];
			request->slice_count = 1;
			return;
		}
	request->slice_count = 0;
}

bool kq_place_lost(struct kq_placement_attempt *attempt, const struct kq_team *team,
	const struct kq_placement *old, struct kq_placement **whole, struct kq_placement **lost)
{
	const struct kq_workload *row = &attempt->kq->workload[attempt->workload];
	struct kq_placement *rest = copy_of(attempt, old, 0);
	int64_t count = 0;
	if (!rest)
		return false;
	rest->count = 0;
	for (uint32_t i = 0; i < old->count; i++)
		if (strcmp(old->domain[i].value[old->level_count - 1], row->unhealthy[0]) == 0)
			count = old->domain[i].count;
		else
			rest->domain[rest->count++] = old->domain[i];
	if (kq_placement_stale(attempt->kq, team->tree, rest))
		return kq_placement_attempt_refuse(
			attempt, "another domain of the placement is no longer there");
	struct kq_podset as = row->podset[team->worker];
	struct kq_team retry = *team;
	retry.within = confined(attempt, team, rest, count, &retry.within_level);
	retry.worker_count = count;
	retry.as = &as;
	if (retry.within != KQ_NO && as.topology.slice_count > 0 && as.topology.slice[0].size > 0 &&
		count % as.topology.slice[0].size != 0)
		by_what_is_whole(&as.topology, count);
	if (!kq_place_team(attempt, &retry, lost, NULL))
		return false;
	if ((*lost)->count == 0)
		return kq_placement_attempt_refuse(
			attempt, "there is no other place for the pods of the unhealthy host");
	*whole = merge(attempt, team->tree, *lost, rest);
	return *whole != NULL;
}

/* ---- Elastic slices ----------------------------------------------------------------------------- */

static const struct kq_placement *previous_of(const struct kq *kq, uint32_t workload, uint32_t podset)
{
	const struct kq_workload *row = &kq->workload[workload];
	if (row->podset[podset].before)
		return row->podset[podset].before;
	const struct kq_admission *old =
		row->replaces == KQ_NO ? NULL : kq->workload[row->replaces].admission;
	for (uint32_t p = 0; old && p < old->podset_count; p++)
		if (strcmp(old->podset[p].name, row->podset[podset].name) == 0)
			return old->podset[p].placement;
	return NULL;
}

static bool kq_tas_replace_grow(struct kq_placement_attempt *attempt, const struct kq_team *team,
	const struct kq_placement *before, const struct kq_placement *leader, struct kq_placement **worker)
{
	struct kq *kq = attempt->kq;
	const struct kq_workload *row = &kq->workload[attempt->workload];
	struct kq_placement *more = NULL;
	const kq_marked mark = kq_mark(kq);
	kq_placement_add(kq, team->tree, &row->podset[team->worker], before, attempt->empty, 1);
	if (leader)
		kq_placement_add(kq, team->tree, &row->podset[team->leader], leader, attempt->empty, 1);
	struct kq_team delta = *team;
	delta.worker_count -= pods_of(before);
	const bool ok = kq_place_team(attempt, &delta, &more, NULL);
	kq_undo(kq, mark);
	*worker = ok ? merge(attempt, team->tree, more, before) : NULL;
	return *worker != NULL;
}

int kq_place_elastic(struct kq_placement_attempt *attempt, const struct kq_team *team,
	struct kq_placement **worker, struct kq_placement **leader)
{
	struct kq *kq = attempt->kq;
	const struct kq_placement *before = previous_of(kq, attempt->workload, team->worker);
	const struct kq_placement *led = leader ? previous_of(kq, attempt->workload, team->leader) : NULL;
	if (!before || (leader && !led) || kq_placement_stale(kq, team->tree, before) ||
		(led && kq_placement_stale(kq, team->tree, led)))
		return 0;
	if (leader)
		*leader = copy_of(attempt, led, 0);
	if (team->worker_count > pods_of(before))
		return kq_tas_replace_grow(attempt, team, before, led, worker) ? 1 : -1;
	*worker = copy_of(attempt, before, 0);
	if (!*worker || (leader && !*leader))
		return -1;
	/* The last ones go. */
	int64_t rest = team->worker_count;
	uint32_t kept = 0;
	for (; kept < before->count && rest > 0; kept++) {
		if ((*worker)->domain[kept].count > rest)
			(*worker)->domain[kept].count = rest;
		rest -= (*worker)->domain[kept].count;
	}
	(*worker)->count = kept;
	return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas.c - the topology assignment of a workload's podsets: which request a topology, which form one group,
 * and what follows for the assignment of quota.
 *
 * Rules: KEP-2724 (keps/2724-topology-aware-scheduling of kubernetes-sigs/kueue),
 * pkg/scheduler/flavorassigner, tas_flavorassigner.go.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <string.h>

/* ---- Which podsets request a topology ----------------------------------------------------------- */

bool kq_asks_topology(const struct kq_podset *podset)
{
	const struct kq_topology_request *request = &podset->topology;
	return request->given && (request->required || request->preferred || request->unconstrained ||
					 request->slice_count > 0);
}

bool kq_tas_only(const struct kq *kq, uint32_t queue)
{
	uint32_t flavors = 0;
	if (queue == KQ_NO || !kq->tas)
		return false;
	const struct kq_node *node = &kq->node[queue];
	for (uint32_t g = 0; g < node->group_count; g++)
		for (uint32_t f = 0; f < node->group[g].flavor_count; f++, flavors++)
			if (!kq_tree_of(kq, node->group[g].flavor[f].flavor))
				return false;
	return flavors > 0;
}

bool kq_tas_requested(const struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	for (uint32_t p = 0; p < row->podset_count; p++)
		if (kq_asks_topology(&row->podset[p]))
			return true;
	return row->local != KQ_NO && kq_tas_only(kq, kq->local[row->local].queue);
}

static bool has_levels(const struct kq_tree *tree, const struct kq_topology_request *request)
{
	const char *main = request->required ? request->required : request->preferred;
	bool all = !main || kq_tree_level(tree, main) != KQ_NO;
	for (uint32_t i = 0; i < request->slice_count; i++)
		all = all && kq_tree_level(tree, request->slice[i].level) != KQ_NO;
	return all;
}

/* Does the queue's group with this flavor cover a resource that a pod requests? Of the pod itself: what
 * counts as quota may have been transformed. */
static bool covers(const struct kq *kq, uint32_t queue, const struct kq_podset *podset, uint32_t flavor)
{
	const struct kq_node *node = &kq->node[queue];
	const struct kq_amounts request = kq_pod_request(podset);
	for (uint32_t g = 0; g < node->group_count; g++) {
		bool here = false;
		for (uint32_t f = 0; f < node->group[g].flavor_count; f++)
			here = here || node->group[g].flavor[f].flavor == flavor;
		for (uint32_t r = 0; here && r < node->group[g].resource_count; r++)
			if (kq_amount_of(&request, node->group[g].resource[r]) > 0)
				return true;
	}
	return false;
}

const char *kq_tas_mismatch(
	const struct kq *kq, uint32_t queue, const struct kq_podset *podset, uint32_t flavor)
{
	const struct kq_tree *tree = kq_tree_of(kq, flavor);
	if (!kq->tas)
		return NULL;
	if (!kq_asks_topology(podset))
		return tree && !kq_tas_only(kq, queue) ? "it is for podsets that ask for a topology alone"
						       : NULL;
	if (!tree)
		return covers(kq, queue, podset, flavor) ? "it has no topology, and one is asked for" : NULL;
	return has_levels(tree, &podset->topology) ? NULL
						   : "its topology has not the level that is asked for";
}

/* ---- A team's request --------------------------------------------------------------------------- */

bool kq_placement_attempt_refuse(struct kq_placement_attempt *attempt, const char *why)
{
	(void)strncpy(attempt->why, why, sizeof(attempt->why) - 1);
	return false;
}

const char *kq_placement_attempt_text(struct kq_placement_attempt *attempt)
{
	const size_t size = strlen(attempt->why) + 1;
	char *text = kq_scratch_alloc(attempt->kq, attempt->scratch, size, 1);
	return text ? memcpy(text, attempt->why, size) : "";
}

/* Each inner layer lies below the one before, and its size divides that one's; levels between take it too. */
static bool layers_of(struct kq_placement_attempt *attempt, const struct kq_tree *tree,
	const struct kq_topology_request *request, struct kq_needs *needs)
{
	uint32_t level = needs->slice_level;
	int64_t size = needs->size;
	const bool several = attempt->kq->config.gate[KQ_GATE_TASMultiLayerTopology];
	for (uint32_t i = 1; several && i < request->slice_count; i++) {
		const struct kq_slice *slice = &request->slice[i];
		const uint32_t inner = kq_tree_level(tree, slice->level);
		if (inner == KQ_NO)
			return kq_placement_attempt_refuse(
				attempt, "the topology has not the level of an inner slice");
		if (inner <= level)
			return kq_placement_attempt_refuse(
				attempt, "an inner slice is not below the slice around it");
		if (slice->size <= 0 || size % slice->size != 0)
			return kq_placement_attempt_refuse(
				attempt, "the size of an inner slice does not divide that around it");
		while (level < inner)
			needs->size_at[++level] = slice->size;
		size = slice->size;
		needs->layers = tree->level_count;
	}
	return true;
}

static bool needs_of(struct kq_placement_attempt *attempt, const struct kq_team *team,
	const struct kq_topology_request *request, struct kq_needs *needs)
{
	const struct kq_config *config = &attempt->kq->config;
	const struct kq_tree *tree = team->tree;
	const bool slices_only = !request->required && !request->preferred && request->slice_count > 0;
	const uint32_t lowest = tree->level_count - 1;
	needs->size = request->slice_count > 0 ? request->slice[0].size : 1;
	if (needs->size <= 0)
		return kq_placement_attempt_refuse(
			attempt, "slices are asked for, and no size of them is given");
	needs->required = request->required != NULL;
	needs->unconstrained = request->unconstrained || team->implied || slices_only;
	needs->slice_level = request->slice_count > 0 ? kq_tree_level(tree, request->slice[0].level) : lowest;
	if (request->required || request->preferred)
		needs->level =
			kq_tree_level(tree, request->required ? request->required : request->preferred);
	else if (slices_only)
		needs->level = 0;
	else if (request->unconstrained || team->implied)
		needs->level = lowest;
	else
		return kq_placement_attempt_refuse(attempt, "no level of the topology is asked for");
	if (needs->level == KQ_NO || needs->slice_level == KQ_NO)
		return kq_placement_attempt_refuse(
			attempt, "the topology has not the level that is asked for");
	if (needs->level > needs->slice_level)
		return kq_placement_attempt_refuse(
			attempt, "slices are asked for above the level of the podset");
	needs->least = needs->unconstrained && config->gate[KQ_GATE_TASProfileMixed];
	needs->by_affinity = config->gate[KQ_GATE_TASRespectNodeAffinityPreferred];
	needs->balanced =
		config->gate[KQ_GATE_TASBalancedPlacement] && !needs->required && !needs->unconstrained;
	return layers_of(attempt, tree, request, needs);
}

/* ---- A placement of what was picked ------------------------------------------------------------- */

static struct kq_placement *placement_new(
	struct kq_placement_attempt *attempt, const struct kq_tree *tree, uint32_t count)
{
	struct kq_placement *made = kq_scratch_alloc(attempt->kq, attempt->scratch, 1, sizeof(*made));
	struct kq_domain_count *domain =
		kq_scratch_alloc(attempt->kq, attempt->scratch, count ? count : 1, sizeof(*domain));
	if (!made || !domain)
		return NULL;
	made->domain = domain;
	made->level_count = tree->by_host ? 1 : tree->level_count;
	for (uint32_t l = 0; l < made->level_count; l++)
		made->level[l] = tree->topology->level[tree->level_count - made->level_count + l];
	return made;
}

static void add_domain(const struct kq_tree *tree, struct kq_placement *to, uint32_t leaf, int64_t count)
{
	struct kq_domain_count *domain = &to->domain[to->count++];
	for (uint32_t l = to->level_count, d = leaf; l-- > 0; d = tree->parent[d])
		domain->value[l] = tree->value[d];
	domain->count = count;
}

static bool placements_of(struct kq_placement_attempt *attempt, const struct kq_search *search,
	const uint32_t *leaf, uint32_t count, struct kq_placement **worker, struct kq_placement **leader)
{
	*worker = placement_new(attempt, search->tree, count);
	if (leader)
		*leader = placement_new(attempt, search->tree, 1);
	if (!*worker || (leader && !*leader))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct kq_found *got = &search->work[leaf[i]];
		if (got->pods > 0)
			add_domain(search->tree, *worker, leaf[i], got->pods);
		if (leader && got->leader > 0 && (*leader)->count == 0)
			add_domain(search->tree, *leader, leaf[i], got->leader);
	}
	return true;
}

bool kq_place_team(struct kq_placement_attempt *attempt, const struct kq_team *team,
	struct kq_placement **worker, struct kq_placement **leader)
{
	struct kq *kq = attempt->kq;
	const struct kq_workload *row = &kq->workload[attempt->workload];
	struct kq_needs needs = { .podset = team->as ? team->as : &row->podset[team->worker],
		.leader = leader ? &row->podset[team->leader] : NULL,
		.count = team->worker_count,
		.leaders = leader ? 1 : 0,
		.empty = attempt->empty,
		.within = team->within,
		.within_level = team->within_level };
	if (!needs_of(attempt, team, &needs.podset->topology, &needs))
		return false;
	struct kq_search search = {
		.kq = kq, .tree = team->tree, .needs = &needs, .work = kq->tas->work, .why = attempt->why
	};
	search.have = kq_count(kq, team->tree, &needs);
	uint32_t *leaf = kq->tas->list + 3 * ((size_t)kq->tas->domains_max + 1);
	const uint32_t picked = search.have ? kq_pick(&search, leaf) : 0;
	if (picked == 0)
		return false;
	return placements_of(attempt, &search, leaf, picked == KQ_NO ? 0 : picked, worker, leader);
}

/* ---- Usage -------------------------------------------------------------------------------------- */

void kq_placement_add(struct kq *kq, struct kq_tree *tree, const struct kq_podset *podset,
	const struct kq_placement *placement, bool empty, int sign)
{
	struct kq_accounting *accounting = empty ? tree->empty : tree->accounting;
	const struct kq_amounts request = kq_pod_request(podset);
	for (uint32_t i = 0; i < placement->count; i++) {
		const uint32_t leaf = kq_tree_leaf(kq, tree, &placement->domain[i], placement->level_count);
		if (leaf != KQ_NO) /* Else its host is gone, or not ready. */
			kq_accounting_add(kq, accounting, tree->row_of[leaf], &request,
				placement->domain[i].count, sign);
	}
}

static const struct kq_podset *podset_named(const struct kq_workload *row, const char *name)
{
	for (uint32_t p = 0; p < row->podset_count; p++)
		if (strcmp(row->podset[p].name, name) == 0)
			return &row->podset[p];
	return NULL;
}

/* Usage counts at every flavor with a topology that the podset was given. */
static void count_admitted(struct kq *kq, uint32_t workload, int sign)
{
	const struct kq_workload *row = &kq->workload[workload];
	for (uint32_t p = 0; row->admission && p < row->admission->podset_count; p++) {
		const struct kq_admitted_podset *admitted = &row->admission->podset[p];
		const struct kq_podset *podset = podset_named(row, admitted->name);
		for (uint32_t f = 0; podset && admitted->placement && f < admitted->flavor_count; f++) {
			const uint32_t flavor = admitted->flavor[f].flavor;
			bool retry = false;
			for (uint32_t i = 0; i < f; i++)
				retry = retry || admitted->flavor[i].flavor == flavor;
			struct kq_tree *tree = retry ? NULL : kq_tree_of(kq, flavor);
			if (tree)
				kq_placement_add(kq, tree, podset, admitted->placement, false, sign);
		}
	}
}

void kq_tas_add(struct kq *kq, uint32_t workload)
{
	if (kq->tas)
		count_admitted(kq, workload, 1);
}

void kq_tas_remove(struct kq *kq, uint32_t workload)
{
	if (kq->tas)
		count_admitted(kq, workload, -1);
}

/* ---- Which flavor, and what is there already ---------------------------------------------------- */

/* KQ_NO: none, or several. */
static uint32_t picked_flavor(const struct kq *kq, const struct kq_podset_assignment *podset)
{
	uint32_t flavor = KQ_NO;
	for (uint32_t i = 0; i < podset->pick_count; i++) {
		if (podset->pick[i].flavor == KQ_NO || !kq_tree_of(kq, podset->pick[i].flavor))
			continue;
		if (flavor != KQ_NO && flavor != podset->pick[i].flavor)
			return KQ_NO;
		flavor = podset->pick[i].flavor;
	}
	return flavor;
}

static bool has_topology_pick(const struct kq *kq, const struct kq_podset_assignment *podset)
{
	for (uint32_t i = 0; i < podset->pick_count; i++)
		if (podset->pick[i].flavor != KQ_NO && kq_tree_of(kq, podset->pick[i].flavor))
			return true;
	return false;
}

/* A podset of a group that requests nothing for itself goes with the flavor of its group. */
uint32_t kq_tas_flavor(const struct kq *kq, const struct kq_assignment *assignment, uint32_t at)
{
	const struct kq_workload *row = &kq->workload[assignment->workload];
	const struct kq_podset_assignment *one = &assignment->podset[at];
	const char *group = row->podset[one->podset].group;
	const uint32_t flavor = picked_flavor(kq, one);
	for (uint32_t i = 0; !has_topology_pick(kq, one) && group && i < assignment->podset_count; i++) {
		const char *other = row->podset[assignment->podset[i].podset].group;
		const uint32_t picked = picked_flavor(kq, &assignment->podset[i]);
		if (picked != KQ_NO && other && strcmp(other, group) == 0)
			return picked;
	}
	return flavor;
}

struct kq_placement *kq_admitted_placement(const struct kq_workload *row, const char *name)
{
	for (uint32_t p = 0; row->admission && p < row->admission->podset_count; p++)
		if (strcmp(row->admission->podset[p].name, name) == 0)
			return row->admission->podset[p].placement;
	return NULL;
}

static int64_t admitted_count(const struct kq_placement *placement, const struct kq_domain_count *domain)
{
	for (uint32_t i = 0; placement && i < placement->count; i++) {
		bool same = true;
		for (uint32_t l = 0; same && l < placement->level_count; l++)
			same = strcmp(placement->domain[i].value[l], domain->value[l]) == 0;
		if (same)
			return placement->domain[i].count;
	}
	return 0;
}

/* Pods at a domain beyond those that the workload holds there now. */
static int64_t more_at(const struct kq *kq, const struct kq_assignment *assignment, uint32_t at, uint32_t d)
{
	const struct kq_workload *row = &kq->workload[assignment->workload];
	const struct kq_podset_assignment *podset = &assignment->podset[at];
	const struct kq_domain_count *domain = &podset->placement->domain[d];
	const struct kq_placement *held =
		row->holds ? kq_admitted_placement(row, row->podset[podset->podset].name) : NULL;
	return domain->count - admitted_count(held, domain);
}

void kq_tas_add_assignment(struct kq *kq, const struct kq_assignment *assignment)
{
	for (uint32_t p = 0; kq->tas && p < assignment->podset_count; p++) {
		const struct kq_podset_assignment *podset = &assignment->podset[p];
		const uint32_t flavor = podset->placement ? kq_tas_flavor(kq, assignment, p) : KQ_NO;
		struct kq_tree *tree = flavor != KQ_NO ? kq_tree_of(kq, flavor) : NULL;
		const struct kq_amounts request =
			kq_pod_request(&kq->workload[assignment->workload].podset[podset->podset]);
		for (uint32_t d = 0; tree && d < podset->placement->count; d++) {
			const uint32_t leaf = kq_tree_leaf(
				kq, tree, &podset->placement->domain[d], podset->placement->level_count);
			const int64_t more = more_at(kq, assignment, p, d);
			if (leaf != KQ_NO && more > 0)
				kq_accounting_add(
					kq, tree->accounting, tree->row_of[leaf], &request, more, 1);
		}
	}
}

static bool leaf_fits(
	const struct kq_tree *tree, uint32_t leaf, const struct kq_amounts *request, int64_t count)
{
	const int64_t *capacity = &tree->capacity[(size_t)leaf * tree->resource_count];
	const int64_t *used =
		&tree->accounting->used[(size_t)tree->row_of[leaf] * tree->accounting->resource_count];
	for (uint32_t i = 0; i < request->count; i++) {
		const uint32_t r = request->at[i].resource;
		if (request->at[i].amount <= 0)
			continue;
		if (r >= tree->resource_count || capacity[r] - used[r] < kq_mul(request->at[i].amount, count))
			return false;
	}
	return true;
}

bool kq_tas_still_fits(struct kq *kq, const struct kq_assignment *assignment)
{
	for (uint32_t p = 0; kq->tas && p < assignment->podset_count; p++) {
		const struct kq_podset_assignment *podset = &assignment->podset[p];
		const uint32_t flavor = podset->placement ? kq_tas_flavor(kq, assignment, p) : KQ_NO;
		const struct kq_tree *tree = flavor != KQ_NO ? kq_tree_of(kq, flavor) : NULL;
		const struct kq_amounts request =
			kq_pod_request(&kq->workload[assignment->workload].podset[podset->podset]);
		for (uint32_t d = 0; tree && d < podset->placement->count; d++) {
			const int64_t more = more_at(kq, assignment, p, d);
			const uint32_t leaf = kq_tree_leaf(
				kq, tree, &podset->placement->domain[d], podset->placement->level_count);
			if (more > 0 && (leaf == KQ_NO || !leaf_fits(tree, leaf, &request, more)))
				return false;
		}
	}
	return true;
}

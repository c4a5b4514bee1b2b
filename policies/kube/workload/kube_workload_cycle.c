/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_workload_cycle.c - the scheduling cycle of a PodGroup (schedule_one_podgroup.go).
 *
 * Its pods are tried one by one, each assumed on its node beside those before; one that fits nowhere ends
 * nothing. The group is scheduled as soon as Permit lets any of them pass: minCount of it are assumed or
 * bound. Then all that have a node are bound, more than minCount too. Where one of them has to preempt, all
 * wait for the next cycle on the nodes that they are nominated to; victims count on their nodes until the
 * cycle is over. Under TopologyAwareWorkloadScheduling this is done for each placement, the nodes of one
 * value of a label. Of those that take the group the best is taken: by how many of its pods it takes, and by
 * how much of it is allocated then.
 */
#include "policies/kube/workload/kube_workload.h"

#include <stdlib.h>
#include <string.h>

/* ---- One placement ------------------------------------------------------------------------------------- */

static bool may_preempt(const struct kube *k, const struct kube_workload *workload, uint32_t pod)
{
	const struct kube_spec *spec = &k->spec[k->pod[pod].spec];
	return !(k->options.gates & KUBE_GATE_PREEMPTION) && !workload->topology && spec->profile->preempts &&
	       !spec->never_preempts;
}

static void assume(struct kube *k, uint32_t pod, uint32_t node)
{
	k->pod[pod].gpu_kind = KUBE_NO;
	kube_take(k, pod, node);
}

static void try_member(
	struct kube *k, const struct kube_workload *workload, bool preempts, struct kube_member_result *of)
{
	of->node = kube_cycle_find(k, of->pod);
	of->error = k->failed;
	if (of->node != KUBE_NO || of->error)
		return;
	of->failed_by = kube_cycle_failed_by(k);
	if (!preempts || !may_preempt(k, workload, of->pod))
		return;
	of->preempts = kube_lowest(k) < k->pod[of->pod].priority && kube_preempt(k, of->pod);
	of->looked_up = !of->preempts;
	if (of->preempts)
		of->node = k->pod[of->pod].nominated;
}

static bool is_permitted(const struct kube_gang_state *gang)
{
	return !gang->workload->gang || gang->placed >= gang->min;
}

/* Nobody hears of it: they were never there. */
static void forget_all(struct kube *k, struct kube_gang_state *gang, const struct kube_group_result *result)
{
	const bool freed = k->claims_freed;
	for (size_t i = result->tried; i-- > 0;) {
		if (result->at[i].node == KUBE_NO)
			continue;
		kube_give(k, result->at[i].pod);
		gang->placed--;
	}
	k->claims_freed = freed;
}

static void evict_doomed(struct kube *k)
{
	for (size_t i = 0; i < k->doomed_count; i++)
		kube_preempt_evict(k, k->doomed[i].pod, k->doomed[i].cause);
	k->doomed_count = 0;
}

static void try_members(struct kube *k, uint32_t number, bool preempts, struct kube_group_result *result)
{
	struct kube_gang_state *gang = &k->gang[number];
	bool preempted = false;
	k->defers = true;
	result->status = KUBE_GROUP_UNSCHEDULABLE;
	result->waits = false;
	result->placed = result->tried = 0;
	for (size_t i = 0; i < result->count && result->status != KUBE_GROUP_ERROR; i++) {
		struct kube_member_result *of = &result->at[i];
		*of = (struct kube_member_result){ .pod = of->pod, .node = KUBE_NO };
		try_member(k, gang->workload, preempts, of);
		result->tried++;
		if (of->error) {
			result->status = KUBE_GROUP_ERROR;
			result->waits = false;
		}
		if (of->node == KUBE_NO)
			continue;
		assume(k, of->pod, of->node);
		gang->placed++;
		result->placed++;
		preempted |= of->preempts;
		if (!is_permitted(gang))
			continue;
		result->waits = preempted;
		result->status = preempted ? KUBE_GROUP_UNSCHEDULABLE : KUBE_GROUP_SCHEDULED;
	}
	forget_all(k, gang, result);
	k->defers = false;
	evict_doomed(k);
}

/* ---- Placements ---------------------------------------------------------------------------------------- */

/* The value at which pods of the group stand; KUBE_NO: none does. False: at several, or at none of them. */
static bool bound_at(const struct kube *k, const struct kube_workload *workload, const struct kube_key *key,
	uint32_t *domain)
{
	*domain = KUBE_NO;
	for (size_t i = 0; i < workload->members; i++) {
		const struct kube_pod *pod = &k->pod[workload->member[i]];
		if (pod->state != KUBE_POD_BOUND)
			continue;
		const uint32_t at = key->domain[pod->node];
		if (at == KUBE_NO || (*domain != KUBE_NO && at != *domain))
			return false;
		*domain = at;
	}
	return true;
}

/* Nodes are those of one value, in the order in which all are visited. */
struct placements {
	uint32_t *all, *list; /* k->visit as it is; those of the placement. */
	uint32_t all_count;
	uint8_t *of; /* By node. */
};

static bool begin_placements(struct kube *k, struct placements *p)
{
	*p = (struct placements){ .all = k->visit, .all_count = k->visits };
	p->list = malloc(((size_t)k->nodes + 1) * sizeof(*p->list));
	p->of = malloc((size_t)k->nodes + 1);
	if (p->list && p->of)
		return true;
	(void)sl_fail_memory(&k->err);
	free(p->list);
	free(p->of);
	return false;
}

static void end_placements(struct kube *k, struct placements *p)
{
	k->visit = p->all;
	k->visits = p->all_count;
	k->placement = NULL;
	free(p->list);
	free(p->of);
}

static bool set_placement(struct kube *k, struct placements *p, const struct kube_key *key, uint32_t domain)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->all_count; i++) {
		const uint32_t node = p->all[i];
		p->of[node] = key->domain[node] == domain && k->node[node].there;
		if (p->of[node])
			p->list[count++] = node;
	}
	memset(k->node_why, KUBE_FITS, k->nodes);
	k->visit = p->list;
	k->visits = count;
	k->placement = p->of;
	return count > 0;
}

static bool is_success(const struct kube_group_result *result)
{
	return result->status == KUBE_GROUP_SCHEDULED || result->waits;
}

/* Of NodeResourcesFit: what is requested on the placement's nodes with those of the group that it takes. */
static int64_t fit_of(const struct kube *k, const struct kube_profile *profile, const struct placements *p,
	const struct kube_group_result *result)
{
	int64_t asked[KUBE_RES_MAX] = { 0 }, has[KUBE_RES_MAX] = { 0 };
	for (size_t i = 0; i < result->count; i++) {
		const struct kube_spec *spec = &k->spec[k->pod[result->at[i].pod].spec];
		for (uint32_t at = KUBE_RES_FIRST; result->at[i].node != KUBE_NO && at < k->resources; at++)
			asked[at] += spec->request[at];
		asked[KUBE_RES_CPU] += result->at[i].node != KUBE_NO ? spec->cpu_fit : 0;
		asked[KUBE_RES_MEM] += result->at[i].node != KUBE_NO ? spec->mem_fit : 0;
	}
	for (uint32_t at = KUBE_RES_FIRST; at < k->resources; at++)
		if (!asked[at]) /* It is not scored by what it does not request. */
			has[at] = INT64_MIN;
	for (uint32_t i = 0; i < k->nodes; i++) {
		const struct kube_node *node = &k->node[i];
		for (uint32_t at = 0; p->of[i] && at < k->resources; at++) {
			if (has[at] == INT64_MIN)
				continue;
			has[at] = kube_sum(has[at], node->alloc[at]);
			asked[at] += at == KUBE_RES_CPU   ? node->cpu_scored
				     : at == KUBE_RES_MEM ? node->mem_scored
							  : node->used[at];
		}
	}
	for (uint32_t at = KUBE_RES_FIRST; at < k->resources; at++)
		has[at] = has[at] == INT64_MIN ? 0 : has[at];
	return kube_score_placement(k, profile, asked, has);
}

/* Placements that take the group, with their scores. */
struct taken {
	struct kube_group_result result; /* Its list is this one's own. */
	int64_t fit;
};
struct taken_list {
	struct taken *at;
	size_t count, capacity;
};

static bool keep(struct kube *k, struct taken_list *list, const struct kube_group_result *result, int64_t fit)
{
	if (SL_GROW(list->at, list->capacity, list->count + 1, &k->err))
		return false;
	struct taken *taken = &list->at[list->count];
	*taken = (struct taken){ *result, fit };
	taken->result.at = malloc((result->count + 1) * sizeof(*result->at));
	if (!taken->result.at)
		return sl_fail_memory(&k->err) == SL_OK;
	memcpy(taken->result.at, result->at, result->count * sizeof(*result->at));
	list->count++;
	return true;
}

/* By PodGroupPodsCount (those of the group that stand already count) and NodeResourcesFit. Of equals the
 * first; kube-scheduler: any. */
static size_t best_of(const struct kube_profile *profile, size_t placed, const struct taken_list *list)
{
	size_t most = 1, best = 0;
	int64_t best_score = INT64_MIN;
	for (size_t i = 0; i < list->count; i++)
		most = placed + list->at[i].result.placed > most ? placed + list->at[i].result.placed : most;
	for (size_t i = 0; i < list->count; i++) {
		const size_t pods = placed + list->at[i].result.placed;
		const int64_t score = profile->weight[KUBE_GROUP_PODS] * (int64_t)(pods * 100 / most) +
				      profile->weight[KUBE_FIT] * list->at[i].fit;
		if (score > best_score)
			best = i;
		best_score = score > best_score ? score : best_score;
	}
	return best;
}

static void copy_result(struct kube_group_result *to, const struct kube_group_result *from)
{
	struct kube_member_result *at = to->at;
	memcpy(at, from->at, from->count * sizeof(*at));
	*to = *from;
	to->at = at;
}

/* Each in turn, by name. An error ends it; where none takes the group, the first is told. */
static void try_each(struct kube *k, uint32_t number, const struct kube_key *key, uint32_t domain,
	struct placements *p, struct kube_group_result *result, struct taken_list *list)
{
	const struct kube_profile *profile = k->spec[k->pod[result->at[0].pod].spec].profile;
	struct kube_group_result next = *result;
	bool any = false;
	next.at = malloc((next.count + 1) * sizeof(*next.at));
	if (!next.at) {
		(void)sl_fail_memory(&k->err);
		return;
	}
	memcpy(next.at, result->at, next.count * sizeof(*next.at));
	for (uint32_t i = 0; i < key->count; i++) {
		if ((domain != KUBE_NO && i != domain) || !set_placement(k, p, key, i))
			continue;
		try_members(k, number, false, &next);
		if (!any || next.status == KUBE_GROUP_ERROR)
			copy_result(result, &next);
		any = true;
		if (next.status == KUBE_GROUP_ERROR ||
			(is_success(&next) && !keep(k, list, &next, fit_of(k, profile, p, &next))))
			break;
	}
	free(next.at);
}

static void try_placements(struct kube *k, uint32_t number, const struct kube_key *key, uint32_t domain,
	struct kube_group_result *result)
{
	const struct kube_profile *profile = k->spec[k->pod[result->at[0].pod].spec].profile;
	struct placements p;
	struct taken_list list = { .at = NULL };
	if (!begin_placements(k, &p))
		return;
	try_each(k, number, key, domain, &p, result, &list);
	end_placements(k, &p);
	if (list.count && result->status != KUBE_GROUP_ERROR)
		copy_result(result, &list.at[best_of(profile, k->gang[number].placed, &list)].result);
	for (size_t i = 0; i < list.count; i++)
		free(list.at[i].result.at);
	free(list.at);
}

static bool attempt_constrained(struct kube *k, uint32_t number, struct kube_group_result *result)
{
	const struct kube_workload *workload = k->gang[number].workload;
	const struct kube_key *key = kube_key_of(k, workload->topology);
	uint32_t domain;
	result->status = KUBE_GROUP_UNSCHEDULABLE;
	result->waits = false;
	result->placed = result->tried = 0;
	if (!key)
		return false;
	if (bound_at(k, workload, key, &domain))
		try_placements(k, number, key, domain, result);
	else
		result->status = KUBE_GROUP_ERROR;
	return !k->err.status;
}

bool kube_workload_attempt(struct kube *k, uint32_t gang, bool preempts, struct kube_group_result *result)
{
	if ((k->options.gates & KUBE_GATE_TOPOLOGY) && k->gang[gang].workload->topology)
		return attempt_constrained(k, gang, result);
	try_members(k, gang, preempts, result);
	return !k->err.status;
}

/* ---- What comes of it ------------------------------------------------------------------------------------
 */

/* As it is told from now on. A pod that is nominated to another node leaves room for others. */
static void renominate(struct kube *k, uint32_t pod, uint32_t before, uint32_t node)
{
	kube_nominate(k, pod, node);
	if (before != KUBE_NO && before != node)
		kube_gone(k, before, k->pod[pod].spec, KUBE_NOMINEE_LEFT);
}

static void report_stuck(struct kube *k, uint32_t pod)
{
	k->job[k->pod[pod].job].stuck = pod;
	kube_report(k, SL_BOUND_STUCK, k->pod[pod].job, KUBE_NO);
}

/* Where it is nominated to from now on. */
static uint32_t nomination_of(
	const struct kube_group_result *group, const struct kube_member_result *of, uint32_t before)
{
	if (group->status == KUBE_GROUP_ERROR)
		return KUBE_NO;
	if (of->node != KUBE_NO)
		return group->waits ? of->node : KUBE_NO;
	return of->looked_up ? KUBE_NO : before;
}

/* It waits at Permit for others of its gang, which sends those that failed before it to activeQ. */
static void activate_before(struct kube *k, const struct kube_group_result *group, size_t which)
{
	for (size_t i = 0; i < which; i++)
		if (group->at[i].node == KUBE_NO)
			kube_workload_activate(k, group->at[i].pod);
}

static void bind_member(struct kube *k, const struct kube_group_result *group, size_t which)
{
	const struct kube_member_result *of = &group->at[which];
	struct kube_gang_state *gang = &k->gang[k->spec[k->pod[of->pod].spec].gang];
	assume(k, of->pod, of->node);
	gang->placed++;
	kube_cycle_bind(k, of->pod);
	if (!is_permitted(gang))
		activate_before(k, group, which);
}

static void submit(
	struct kube *k, const struct kube_group_result *group, size_t which, bool tried, uint32_t before)
{
	const struct kube_member_result *of = &group->at[which];
	const bool rejected = of->node == KUBE_NO || (of->preempts && group->waits);
	if (group->status == KUBE_GROUP_SCHEDULED && of->node != KUBE_NO) {
		bind_member(k, group, which);
		return;
	}
	report_stuck(k, of->pod);
	if (rejected && tried && group->status != KUBE_GROUP_ERROR)
		kube_workload_reject(k, of->pod, of->failed_by);
	else
		kube_workload_error(k, of->pod); /* No filter rejected it. */
	renominate(k, of->pod, before, nomination_of(group, of, before));
}

static void submit_all(struct kube *k, const struct kube_group_result *group, const uint32_t *before)
{
	k->group_failed = group->status == KUBE_GROUP_ERROR;
	k->cycles_failed += group->status != KUBE_GROUP_SCHEDULED;
	for (size_t i = 0; i < group->count; i++)
		submit(k, group, i, i < group->tried, before[i]);
	kube_cycle_tell_evicted(k);
}

static void try_group(struct kube *k, uint32_t gang, struct kube_group_result *group, uint32_t *before)
{
	for (size_t i = 0; i < group->count; i++) {
		before[i] = k->pod[group->at[i].pod].nominated;
		if (before[i] != KUBE_NO) /* Those that are tried do not mind each other's. */
			kube_nominee_popped(k, group->at[i].pod);
	}
	if (!kube_workload_attempt(k, gang, true, group))
		return;
	if ((k->options.gates & KUBE_GATE_PREEMPTION) && group->status == KUBE_GROUP_UNSCHEDULABLE)
		group->waits = kube_workload_preempt(k, gang, group);
	submit_all(k, group, before);
}

void kube_workload_try(struct kube *k, uint32_t first)
{
	const uint32_t gang = k->spec[k->pod[first].spec].gang;
	struct kube_group_result group = { 0 };
	uint32_t *pod = kube_workload_pop(k, first, &group.count);
	uint32_t *before = malloc((group.count + 1) * sizeof(*before));
	group.at = calloc(group.count + 1, sizeof(*group.at));
	k->attempts += group.count;
	if (pod && before && group.at) {
		for (size_t i = 0; i < group.count; i++)
			group.at[i] = (struct kube_member_result){ .pod = pod[i], .node = KUBE_NO };
		try_group(k, gang, &group, before);
	} else {
		(void)sl_fail_memory(&k->err);
	}
	free(pod);
	free(before);
	free(group.at);
	if (k->watch)
		k->watch->tried_gang(k->watch->self, k, first);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_workload_preempt.c - preemption by a PodGroup (WorkloadAwarePreemption;
 * framework/preemption/podgrouppreemption.go).
 *
 * Victims are pods, or groups of disruptionMode PodGroup as a whole, of the whole cluster, of less priority
 * than the PodGroup. All are taken off; if the group fits then, they are put back one after another where it
 * still does: those first whose eviction violates a budget, then the more important.
 */
#include "policies/kube/workload/kube_workload.h"

#include <stdlib.h>
#include <string.h>

/* What is evicted as one. */
struct unit {
	int64_t priority;
	uint64_t since; /* Of its first pod, as nodes are visited. */
	uint32_t first; /* Of struct victims.pod. */
	uint32_t count;
	bool group; /* Its pods are of a PodGroup. */
	bool violates;
	bool stays;
};

struct victims {
	struct unit *unit;
	uint32_t units;
	uint32_t *pod, *node; /* Unit by unit; where each stood. */
	uint32_t *of_pod;     /* By place in the list of pods that was gathered: the unit. */
	uint32_t pods;
};

/* ---- Who could go -----------------------------------------------------------------------------------------
 */

static uint32_t group_of(const struct kube *k, uint32_t pod)
{
	const uint32_t gang = k->spec[k->pod[pod].spec].gang;
	return gang != KUBE_NO && k->gang[gang].workload ? gang : KUBE_NO;
}

static bool is_whole(const struct kube *k, uint32_t gang)
{
	return gang != KUBE_NO && k->gang[gang].workload->read && k->gang[gang].workload->whole;
}

static uint32_t unit_of(
	const struct kube *k, struct victims *v, uint32_t pod, uint32_t *of_gang, int64_t below)
{
	const uint32_t gang = group_of(k, pod);
	const bool whole = is_whole(k, gang);
	const int64_t priority = whole ? k->gang[gang].workload->priority : k->pod[pod].priority;
	if (priority >= below)
		return KUBE_NO;
	if (whole && of_gang[gang] != KUBE_NO)
		return of_gang[gang];
	v->unit[v->units] =
		(struct unit){ .priority = priority, .since = k->pod[pod].order, .group = gang != KUBE_NO };
	if (whole)
		of_gang[gang] = v->units;
	return v->units++;
}

static uint32_t pods_on_nodes(const struct kube *k)
{
	int64_t count = 0;
	for (uint32_t i = 0; i < k->nodes; i++)
		count += k->node[i].pods;
	return (uint32_t)count;
}

/* On a node the earlier first. */
static int by_order(const void *a, const void *b, void *of)
{
	const struct kube *k = of;
	const uint64_t x = k->pod[*(const uint32_t *)a].order, y = k->pod[*(const uint32_t *)b].order;
	return (x > y) - (x < y);
}

static uint32_t list_pods(struct kube *k, uint32_t *list)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->visits; i++) {
		const uint32_t from = count;
		for (uint32_t pod = k->node[k->visit[i]].first; pod != KUBE_NO; pod = k->pod[pod].next)
			list[count++] = pod;
		qsort_r(list + from, count - from, sizeof(*list), by_order, k);
	}
	return count;
}

/* Unit by unit. */
static void lay_out(const struct kube *k, struct victims *v, const uint32_t *list, uint32_t count)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < v->units; i++) {
		v->unit[i].first = at;
		at += v->unit[i].count;
		v->unit[i].count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (v->of_pod[i] == KUBE_NO)
			continue;
		struct unit *unit = &v->unit[v->of_pod[i]];
		v->pod[unit->first + unit->count] = list[i];
		v->node[unit->first + unit->count++] = k->pod[list[i]].node;
	}
	v->pods = at;
}

static bool gather(struct kube *k, int64_t below, struct victims *v)
{
	const size_t room = (size_t)pods_on_nodes(k) + 1;
	uint32_t *list = malloc(room * sizeof(*list)), *of_gang = malloc((k->gangs + 1) * sizeof(*of_gang));
	*v = (struct victims){ .unit = calloc(room, sizeof(*v->unit)),
		.pod = malloc(room * sizeof(*v->pod)),
		.node = malloc(room * sizeof(*v->node)),
		.of_pod = malloc(room * sizeof(*v->of_pod)) };
	const bool fine = list && of_gang && v->unit && v->pod && v->node && v->of_pod;
	if (fine) {
		memset(of_gang, 0xff, k->gangs * sizeof(*of_gang));
		const uint32_t count = list_pods(k, list);
		for (uint32_t i = 0; i < count; i++) {
			v->of_pod[i] = unit_of(k, v, list[i], of_gang, below);
			if (v->of_pod[i] != KUBE_NO)
				v->unit[v->of_pod[i]].count++;
		}
		lay_out(k, v, list, count);
	} else {
		(void)sl_fail_memory(&k->err);
	}
	free(list);
	free(of_gang);
	return fine;
}

static void release(struct victims *v)
{
	free(v->unit);
	free(v->pod);
	free(v->node);
	free(v->of_pod);
}

/* ---- In which order ---------------------------------------------------------------------------------------
 */

/* The more important first: priority; groups before pods; groups: the larger; the earlier start. */
static int by_importance(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;
	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->group != y->group)
		return x->group ? -1 : 1;
	if (x->group && x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first); /* There, of equals any. */
}

/* A pod counts against budgets up to the first that it breaks. */
static bool breaks_budget(const struct kube *k, uint32_t pod, int64_t *left)
{
	for (uint32_t i = 0; i < k->budgets; i++)
		if (kube_budget_covers(k, &k->budget[i], pod) && --left[i] < 0)
			return true;
	return false;
}

static void mark_violations(struct kube *k, struct victims *v)
{
	int64_t *left = malloc(((size_t)k->budgets + 1) * sizeof(*left));
	if (!left) {
		(void)sl_fail_memory(&k->err);
		return;
	}
	for (uint32_t i = 0; i < k->budgets; i++)
		left[i] = k->budget[i].allowed;
	for (uint32_t i = 0; i < v->units; i++)
		for (uint32_t pod = 0; pod < v->unit[i].count; pod++)
			v->unit[i].violates |= breaks_budget(k, v->pod[v->unit[i].first + pod], left);
	free(left);
}

/* ---- Who goes ---------------------------------------------------------------------------------------------
 */

/* Off their nodes, or back; devices stay with them until they are gone. */
static void move(struct kube *k, const struct victims *v, const struct unit *unit, bool back)
{
	k->trying = true;
	for (uint32_t i = unit->first; i < unit->first + unit->count; i++) {
		if (back)
			kube_take(k, v->pod[i], v->node[i]);
		else
			kube_give(k, v->pod[i]);
		kube_node_changed(k, v->node[i]); /* The group is tried meanwhile. */
	}
	k->trying = false;
}

static bool fits(struct kube *k, uint32_t gang, struct kube_group_result *trial)
{
	return kube_workload_attempt(k, gang, false, trial) && trial->status == KUBE_GROUP_SCHEDULED;
}

static void reprieve(
	struct kube *k, uint32_t gang, struct victims *v, bool violating, struct kube_group_result *trial)
{
	for (uint32_t i = 0; i < v->units && !k->err.status; i++) {
		struct unit *unit = &v->unit[i];
		if (unit->violates != violating)
			continue;
		move(k, v, unit, true);
		unit->stays = fits(k, gang, trial);
		if (!unit->stays)
			move(k, v, unit, false);
	}
}

/* True: it fits without those that do not stay. All stand where they stood then. */
static bool select_units(struct kube *k, uint32_t gang, struct victims *v, struct kube_group_result *trial)
{
	for (uint32_t i = 0; i < v->units; i++)
		move(k, v, &v->unit[i], false);
	const bool helps = fits(k, gang, trial);
	if (helps) {
		qsort(v->unit, v->units, sizeof(*v->unit), by_importance);
		mark_violations(k, v);
		reprieve(k, gang, v, true, trial);
		reprieve(k, gang, v, false, trial);
	}
	for (uint32_t i = 0; i < v->units; i++)
		if (!v->unit[i].stays)
			move(k, v, &v->unit[i], true);
	return helps && !k->err.status;
}

static bool may_preempt(const struct kube *k, uint32_t gang, const struct kube_group_result *group)
{
	const struct kube_workload *workload = k->gang[gang].workload;
	bool may = workload->read && !workload->topology;
	for (size_t i = 0; i < group->count && may; i++) {
		const struct kube_spec *spec = &k->spec[k->pod[group->at[i].pod].spec];
		may = spec->profile->preempts && !spec->never_preempts;
	}
	return may;
}

bool kube_workload_preempt(struct kube *k, uint32_t gang, const struct kube_group_result *group)
{
	struct victims v = { .unit = NULL };
	struct kube_group_result trial = *group;
	if (!may_preempt(k, gang, group))
		return false;
	trial.at = malloc((group->count + 1) * sizeof(*trial.at));
	if (!trial.at || !gather(k, k->gang[gang].workload->priority, &v)) {
		(void)sl_fail_memory(&k->err);
		free(trial.at);
		release(&v);
		return false;
	}
	memcpy(trial.at, group->at, group->count * sizeof(*trial.at));
	if (k->budgets)
		kube_budgets_count(k);
	const bool helps = v.units && select_units(k, gang, &v, &trial);
	for (uint32_t i = 0; i < v.units && helps; i++)
		for (uint32_t pod = 0; pod < v.unit[i].count && !v.unit[i].stays; pod++)
			kube_preempt_evict(k, v.pod[v.unit[i].first + pod], group->at[0].pod);
	release(&v);
	free(trial.at);
	return helps;
}

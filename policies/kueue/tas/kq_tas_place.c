/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_place.c - topology domains for all podsets of an assignment, in order, each seeing the usage of
 * those before it; and what that makes of an assignment for which there was quota.
 *
 * Rules: KEP-2724, TASFlavorSnapshot.FindTopologyAssignmentsForFlavor; of leaders and workers, its
 * "Co-scheduling" of podsets of one group.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <string.h>

/* A podset that needs domains. */
struct todo {
	uint32_t at, flavor; /* In the assignment. */
	bool done;
};

static bool is_unhealthy(
	const struct kq *kq, const struct kq_workload *row, const struct kq_placement *placement)
{
	if (!kq->config.gate[KQ_GATE_TASFailedNodeReplacement])
		return false;
	for (uint32_t d = 0; d < placement->count; d++)
		for (uint32_t u = 0; u < row->unhealthy_count; u++)
			if (strcmp(placement->domain[d].value[placement->level_count - 1],
				    row->unhealthy[u]) == 0)
				return true;
	return false;
}

/* A pod that stands alone cannot move: its workload ends with it. */
static bool pod_owned(const struct kq *kq, const struct kq_workload *row)
{
	const char *group = sl_label_of(&row->annotations, "kueue.x-k8s.io/is-group-workload");
	return kq->config.gate[KQ_GATE_SkipReassignmentForPodOwnedWorkloads] && row->owner_kind &&
	       strcmp(row->owner_kind, "Pod") == 0 && !(group && strcmp(group, "true") == 0);
}

/* MultiKueue places on the worker clusters; a ProvisioningRequest makes the nodes first. */
static bool comes_later(const struct kq *kq, uint32_t queue, const struct kq_workload *row, uint32_t flavor)
{
	for (uint32_t i = 0; queue != KQ_NO && i < kq->node[queue].check_count; i++) {
		const struct kq_queue_check *one = &kq->node[queue].check[i];
		bool applies = one->all_flavors;
		for (uint32_t f = 0; f < one->flavor_count; f++)
			applies = applies || one->flavor[f] == flavor;
		const enum kq_check_kind kind = kq->check[one->check].kind;
		if (kind == KQ_CHECK_MULTIKUEUE)
			return true;
		if (kind == KQ_CHECK_PROVISIONING && applies && !kq_is(&row->cond[KQ_QUOTA_RESERVED]))
			return true;
	}
	return false;
}

/* Where the podset's pods stand; NULL: nowhere yet. */
static struct kq_placement *held_placement(const struct kq_workload *row, const char *name)
{
	return row->holds ? kq_admitted_placement(row, name) : NULL;
}

/* Podsets that need domains, by the names of their flavors, then in order; one without pods needs none.
 * False: one of them has no flavor that has any. */
static bool list_todo(struct kq_placement_attempt *attempt, struct kq_assignment *assignment,
	struct todo *todo, uint32_t *count, uint32_t *failed)
{
	struct kq *kq = attempt->kq;
	const struct kq_workload *row = &kq->workload[assignment->workload];
	const bool implied = kq_tas_only(kq, assignment->queue);
	for (uint32_t p = 0; p < assignment->podset_count; p++) {
		struct kq_podset_assignment *podset = &assignment->podset[p];
		const struct kq_podset *spec = &row->podset[podset->podset];
		if ((!kq_asks_topology(spec) && !implied) || podset->count == 0)
			continue;
		const uint32_t flavor = kq_tas_flavor(kq, assignment, p);
		*failed = p;
		if (flavor == KQ_NO)
			return kq_placement_attempt_refuse(attempt,
				"a topology is asked for, and not one flavor with a topology is picked");
		if (comes_later(kq, assignment->queue, row, flavor)) {
			podset->delayed = true;
			continue;
		}
		struct kq_placement *held = held_placement(row, spec->name);
		if (held && !is_unhealthy(kq, row, held)) {
			podset->placement = held;
			continue;
		}
		podset->placement = NULL;
		uint32_t to = *count;
		for (; to > 0 && strcmp(kq->flavor[todo[to - 1].flavor].name, kq->flavor[flavor].name) > 0;
			to--)
			todo[to] = todo[to - 1];
		todo[to] = (struct todo){ p, flavor, false };
		++*count;
	}
	return true;
}

/* The first and the second of a group; the smaller leads. */
static struct kq_team team_of(const struct kq *kq, const struct kq_assignment *assignment, struct todo *todo,
	uint32_t count, uint32_t at)
{
	const struct kq_workload *row = &kq->workload[assignment->workload];
	uint32_t one = todo[at].at, two = KQ_NO;
	const char *group = row->podset[assignment->podset[one].podset].group;
	todo[at].done = true;
	for (uint32_t i = at + 1; group && i < count; i++) {
		const char *other = row->podset[assignment->podset[todo[i].at].podset].group;
		if (todo[i].flavor != todo[at].flavor || !other || strcmp(other, group) != 0)
			continue;
		todo[i].done = true;
		two = two == KQ_NO ? todo[i].at : two;
	}
	if (two != KQ_NO && assignment->podset[two].count > assignment->podset[one].count) {
		const uint32_t turn = one;
		one = two;
		two = turn;
	}
	const uint32_t worker = assignment->podset[one].podset;
	return (struct kq_team){ .tree = kq_tree_of(kq, todo[at].flavor),
		.worker = worker,
		.leader = two == KQ_NO ? KQ_NO : assignment->podset[two].podset,
		.worker_at = one,
		.leader_at = two,
		.worker_count = assignment->podset[one].count,
		.implied = !kq_asks_topology(&row->podset[worker]),
		.within = KQ_NO };
}

/* An admitted podset with pods on an unhealthy host; each podset of a group by itself. */
static bool retry(struct kq_placement_attempt *attempt, struct kq_assignment *assignment,
	struct kq_team *team, bool more)
{
	struct kq *kq = attempt->kq;
	const struct kq_workload *row = &kq->workload[attempt->workload];
	const uint32_t at[2] = { team->worker_at, team->leader_at };
	for (int i = 0; i < 2 && at[i] != KQ_NO; i++) {
		struct kq_podset_assignment *podset = &assignment->podset[at[i]];
		struct kq_placement *held = kq_admitted_placement(row, row->podset[podset->podset].name);
		struct kq_placement *lost = NULL;
		struct kq_team alone = *team;
		alone.worker = podset->podset;
		if (!held)
			continue;
		podset->placement = held;
		if (pod_owned(kq, row))
			continue;
		podset->placement = NULL;
		if (!kq_place_lost(attempt, &alone, held, &podset->placement, &lost))
			return false;
		if (more || i == 0)
			kq_placement_add(kq, team->tree, &row->podset[alone.worker], lost, attempt->empty, 1);
	}
	return true;
}

static bool kq_tas_place_place(struct kq_placement_attempt *attempt, struct kq_assignment *assignment,
	struct kq_team *team, bool more)
{
	struct kq *kq = attempt->kq;
	const struct kq_workload *row = &kq->workload[attempt->workload];
	if (row->holds && row->unhealthy_count > 0 && kq->config.gate[KQ_GATE_TASFailedNodeReplacement])
		return retry(attempt, assignment, team, more);
	struct kq_placement **worker = &assignment->podset[team->worker_at].placement;
	struct kq_placement **leader =
		team->leader == KQ_NO ? NULL : &assignment->podset[team->leader_at].placement;
	int done = 0;
	if (kq->config.gate[KQ_GATE_ElasticJobsViaWorkloadSlicesWithTAS])
		done = kq_place_elastic(attempt, team, worker, leader);
	if (done < 0 || (done == 0 && !kq_place_team(attempt, team, worker, leader)))
		return false;
	if (more)
		kq_placement_add(kq, team->tree, &row->podset[team->worker], *worker, attempt->empty, 1);
	if (more && leader)
		kq_placement_add(kq, team->tree, &row->podset[team->leader], *leader, attempt->empty, 1);
	return true;
}

bool kq_tas_place(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment, bool empty,
	const char **why, uint32_t *failed)
{
	struct kq_placement_attempt attempt = {
		.kq = kq, .scratch = scratch, .workload = assignment->workload, .empty = empty
	};
	uint32_t count = 0, at_fault = 0;
	if (!kq->tas)
		return true;
	struct todo *todo =
		kq_scratch_alloc(kq, scratch, (size_t)assignment->podset_count + 1, sizeof(*todo));
	bool ok = todo && list_todo(&attempt, assignment, todo, &count, &at_fault);
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; ok && i < count; i++) {
		if (todo[i].done)
			continue;
		struct kq_team team = team_of(kq, assignment, todo, count, i);
		at_fault = todo[i].at;
		ok = kq_tas_place_place(&attempt, assignment, &team, i + 1 < count);
	}
	kq_undo(kq, mark);
	if (!ok && why)
		*why = kq_placement_attempt_text(&attempt);
	if (!ok && failed)
		*failed = at_fault;
	return ok && kq->err.status == 0;
}

/* ---- With quota --------------------------------------------------------------------------------- */

static void no_fit(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment, uint32_t at,
	const char *why)
{
	struct kq_podset_assignment *podset = &assignment->podset[at];
	const uint32_t flavor = kq_tas_flavor(kq, assignment, at);
	for (uint32_t i = 0; i < podset->attempt_count; i++)
		if (podset->attempt[i].flavor == flavor) {
			podset->attempt[i].mode = KQ_NO_FIT;
			podset->attempt[i].reason = "TopologyPlacementFailed";
		}
	kq_assign_because(kq, scratch, assignment, at, KQ_NO_FIT, why);
}

/* There may be quota enough, and no domain that holds all: victims are looked for in all that these podsets
 * request.
 */
static void all_by_preemption(struct kq *kq, struct kq_assignment *assignment)
{
	const struct kq_workload *row = &kq->workload[assignment->workload];
	for (uint32_t p = 0; p < assignment->podset_count; p++) {
		struct kq_podset_assignment *podset = &assignment->podset[p];
		if (!podset->placement ||
			podset->placement == held_placement(row, row->podset[podset->podset].name))
			continue;
		podset->placement = NULL;
		for (uint32_t i = 0; i < podset->pick_count; i++)
			if (podset->pick[i].flavor != KQ_NO && podset->pick[i].mode > KQ_PREEMPT)
				podset->pick[i].mode = KQ_PREEMPT;
		podset->mode = podset->mode > KQ_PREEMPT ? KQ_PREEMPT : podset->mode;
	}
	kq_assign_resolve(kq, assignment);
}

static void assign(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment)
{
	const char *why = "";
	uint32_t failed = 0;
	if (assignment->mode == KQ_FIT && !kq_tas_place(kq, scratch, assignment, false, &why, &failed))
		kq_assign_because(kq, scratch, assignment, failed, KQ_PREEMPT, why);
	if (assignment->mode != KQ_PREEMPT || kq->workload[assignment->workload].unhealthy_count > 0)
		return;
	if (kq_tas_place(kq, scratch, assignment, true, &why, &failed))
		all_by_preemption(kq, assignment);
	else
		no_fit(kq, scratch, assignment, failed, why);
}

void kq_tas_assign(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment)
{
	if (!kq->tas || assignment->mode == KQ_NO_FIT ||
		!(kq_tas_only(kq, assignment->queue) || kq_tas_requested(kq, assignment->workload)))
		return;
	const uint32_t old = kq->workload[assignment->workload].replaces;
	const bool elastic = kq->config.gate[KQ_GATE_ElasticJobsViaWorkloadSlicesWithTAS] && old != KQ_NO &&
			     kq->workload[old].holds;
	const kq_marked mark = kq_mark(kq);
	if (elastic) /* What the old slice keeps is counted with the new one. */
		kq_tas_remove(kq, old);
	assign(kq, scratch, assignment);
	kq_undo(kq, mark);
}

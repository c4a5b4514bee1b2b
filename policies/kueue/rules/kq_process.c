/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_process.c - one entry of a cycle is processed, at the usage that those before it left: does it still
 * fit, whom does it preempt, what is reserved for it. Follows Kueue's pkg/scheduler, scheduler.go
 * (processEntry).
 *
 * Nothing outside the cycle changes here: usage is changed under the cycle's mark.
 */
#include "policies/kueue/rules/kq_entry.h"

enum fits { FITS, FITS_NO_QUOTA, FITS_NO_PLACE };

/* ---- Victims so far ----------------------------------------------------------------------------- */

static bool overlaps(const struct kq *kq, const struct kq_entry *entry)
{
	for (uint32_t i = 0; i < entry->victims.count; i++)
		if (kq->workload[entry->victims.at[i].workload].taken)
			return true;
	return false;
}

/* Victims elsewhere free nothing here, unless places are requested: these may be of any queue. */
static bool matters(const struct kq *kq, const struct kq_entry *entry, uint32_t victim)
{
	const struct kq_workload *row = &kq->workload[victim];
	return kq->topology_count || kq->node[row->admission->queue].root == kq->node[entry->queue].root;
}

static void take_out(struct kq *kq, uint32_t workload)
{
	if (kq->workload[workload].out)
		return;
	kq->workload[workload].out = true;
	kq_count_out(kq, workload);
}

/* Victims so far, and the entry's own, no longer count as used. */
static void take_out_all(
	struct kq *kq, const struct kq_cycle_state *state, const struct kq_entry *entry, bool own)
{
	for (uint32_t i = 0; i < state->taken_count; i++)
		if (matters(kq, entry, state->taken[i]))
			take_out(kq, state->taken[i]);
	for (uint32_t i = 0; own && i < entry->victims.count; i++)
		take_out(kq, entry->victims.at[i].workload);
}

static void put_back(
	struct kq *kq, const struct kq_cycle_state *state, const struct kq_entry *entry, kq_marked mark)
{
	for (uint32_t i = 0; i < state->taken_count; i++)
		kq->workload[state->taken[i]].out = false;
	for (uint32_t i = 0; i < entry->victims.count; i++)
		kq->workload[entry->victims.at[i].workload].out = false;
	kq_undo(kq, mark);
}

/* ---- Usage within the cycle --------------------------------------------------------------------- */

/* In a second pass its quota is counted already, and so are its places: only pods at domains beyond those are
 * asked for. */
static enum fits fits_now(struct kq *kq, const struct kq_entry *entry)
{
	const struct kq_assignment *assignment = entry->assignment;
	for (uint32_t i = 0; !entry->second && i < assignment->usage_count; i++) {
		const int64_t available = kq_available(kq, entry->queue, assignment->usage[i].fr);
		if (assignment->usage[i].amount > (available > 0 ? available : 0))
			return FITS_NO_QUOTA;
	}
	if (!kq->config.gate[KQ_GATE_TopologyAwareScheduling])
		return FITS;
	return kq_tas_still_fits(kq, assignment) ? FITS : FITS_NO_PLACE;
}

static enum fits kq_process_fits(
	struct kq *kq, const struct kq_cycle_state *state, const struct kq_entry *entry)
{
	const kq_marked mark = kq_mark(kq);
	take_out_all(kq, state, entry, true);
	const enum fits result = fits_now(kq, entry);
	put_back(kq, state, entry, mark);
	return result;
}

static void add_usage(struct kq *kq, const struct kq_entry *entry, const struct kq_usage_cell *usage)
{
	for (uint32_t i = 0; !entry->second && i < entry->assignment->usage_count; i++)
		if (usage[i].amount > 0)
			kq_usage_add(kq, entry->queue, usage[i].fr, usage[i].amount);
	if (!kq->config.gate[KQ_GATE_TopologyAwareScheduling])
		return;
	kq_tas_add_assignment(kq, entry->assignment);
}

/* Capacity is reserved for a head without preemption targets, unless its queue can always reclaim its quota
 * (4.7). */
static void kq_process_reserve(struct kq *kq, struct kq_cycle_state *state, const struct kq_entry *entry)
{
	const struct kq_node *queue = &kq->node[entry->queue];
	if (queue->reclaim == KQ_ANY)
		return;
	struct kq_usage_cell *kept =
		kq_scratch_alloc(kq, state->scratch, entry->assignment->usage_count, sizeof(*kept));
	if (!kept)
		return;
	kq_reserve(kq, entry->assignment, kept);
	add_usage(kq, entry, kept);
}

/* ---- Once more ---------------------------------------------------------------------------------- */

enum recomputed { RECOMPUTED_SKIPPED, RECOMPUTED_TARGETS, RECOMPUTED_FIT };

static void count_recomputed(
	struct kq *kq, struct kq_cycle_state *state, const struct kq_entry *entry, enum recomputed how)
{
	if (!SL_GROW(state->touched, state->touched_capacity, state->touched_count + 1, &kq->err))
		state->touched[state->touched_count++] = entry->queue;
	state->figures.recomputed[how][entry->queue]++;
}

/* Others drive out whom it chose: it chooses again as if these were gone, among the same flavors. Who would
 * fit then waits for them. */
static void choose_retry(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	const kq_marked mark = kq_mark(kq);
	const struct kq_entry before = *entry;
	take_out_all(kq, state, entry, false);
	kq_entry_assign(kq, state, entry, before.assignment);
	put_back(kq, state, &before, mark);
	if (entry->assignment->mode == KQ_FIT) {
		entry->assignment->mode = KQ_DEFERRED_FIT;
		count_recomputed(kq, state, entry, RECOMPUTED_FIT);
		return;
	}
	const bool found =
		entry->assignment->mode == KQ_PREEMPT && entry->victims.count > 0 && !overlaps(kq, entry);
	count_recomputed(kq, state, entry, found ? RECOMPUTED_TARGETS : RECOMPUTED_SKIPPED);
}

static bool refresh(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	const bool *gate = kq->config.gate;
	if (gate[KQ_GATE_RecomputeAssignmentUponPreemptionTargetsOverlap] && overlaps(kq, entry)) {
		choose_retry(kq, state, entry);
		return kq_process_fits(kq, state, entry) == FITS;
	}
	enum fits now = kq_process_fits(kq, state, entry);
	if (now == FITS_NO_PLACE && gate[KQ_GATE_TASRecomputeAssignmentWithinSchedulingCycle]) {
		kq_entry_assign(kq, state, entry, entry->assignment);
		if (entry->assignment)
			now = kq_process_fits(kq, state, entry);
	}
	return now == FITS;
}

/* ---- The entry ---------------------------------------------------------------------------------- */

static void skip(struct kq_entry *entry, const char *reason, const char *message)
{
	entry->status = KQ_SKIPPED;
	entry->reason = reason;
	entry->message = message;
}

static void count_skipped(struct kq *kq, struct kq_cycle_state *state, const struct kq_entry *entry)
{
	if (!SL_GROW(state->touched, state->touched_capacity, state->touched_count + 1, &kq->err))
		state->touched[state->touched_count++] = entry->queue;
	state->figures.skipped[entry->queue]++;
}

static void take_victims(struct kq *kq, struct kq_cycle_state *state, const struct kq_entry *entry)
{
	for (uint32_t i = 0; i < entry->victims.count; i++) {
		struct kq_workload *row = &kq->workload[entry->victims.at[i].workload];
		if (row->taken ||
			SL_GROW(state->taken, state->taken_capacity, state->taken_count + 1, &kq->err))
			continue;
		row->taken = true;
		state->taken[state->taken_count++] = entry->victims.at[i].workload;
	}
}

/* It preempts, or cannot. True: done with it. */
static bool without_capacity(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	const struct kq_workload *row = &kq->workload[entry->workload];
	const bool *gate = kq->config.gate;
	if (entry->victims.count == 0) {
		entry->why = KQ_REQUEUE_NO_CANDIDATES;
		entry->reason = "WaitingForQuota";
		kq_process_reserve(kq, state, entry);
		return true;
	}
	if (row->gated &&
		(gate[KQ_GATE_ConcurrentAdmission] || gate[KQ_GATE_MultiKueueOrchestratedPreemption])) {
		entry->status = KQ_GATED;
		entry->why = KQ_REQUEUE_GATED;
		entry->reason = "AdmissionGated";
		entry->message = "Workload requires preemption, but it's gated";
		return true;
	}
	return false;
}

static void defer(struct kq *kq, struct kq_entry *entry)
{
	entry->why = KQ_REQUEUE_PENDING_PREEMPTION;
	entry->reason = "WaitingForPreemptedWorkloads";
	add_usage(kq, entry, entry->assignment->usage);
}

/* A worse variant of the same parent runs: it goes first, if it may. True: done with the entry. */
static bool migrate(struct kq *kq, struct kq_entry *entry)
{
	const uint32_t worse = kq_variant_admitted(kq, entry->workload, entry->queue, false);
	if (worse == KQ_NO)
		return false;
	if (!kq_migration_allowed(kq, entry->workload, entry->queue)) {
		entry->reason = "PendingEvaluation";
		entry->message = "Target flavor is below LastAcceptableFlavorName";
		return true;
	}
	entry->migrates = worse;
	entry->why = KQ_REQUEUE_PENDING_MIGRATION;
	entry->reason = "WaitingForPreemptedWorkloads";
	entry->message = kq_message(
		kq, "%s. Pending the migration of 1 workload(s)", entry->message ? entry->message : "");
	return true;
}

/* blockAdmission: one at a time. Kueue's loop stands still until all are ready; here the cycle is over for
 * those that would be admitted, and the next one waits. */
static bool held_back(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	if (!kq->config.wait_ready || !kq->config.block_admission || entry->second)
		return false;
	if (!state->admitted_one && kq_unready(kq) == 0)
		return false;
	state->held_back = true;
	skip(entry, "WaitingForPodsReady", "waiting for all admitted workloads to be in PodsReady condition");
	return true;
}

static void admit_or_preempt(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	const enum kq_mode mode = entry->assignment->mode;
	if (mode == KQ_FIT && held_back(kq, state, entry))
		return;
	take_victims(kq, state, entry);
	add_usage(kq, entry, entry->assignment->usage);
	if (mode == KQ_PREEMPT) {
		entry->preempts = true;
		entry->why = KQ_REQUEUE_PENDING_PREEMPTION;
		entry->reason = "WaitingForPreemptedWorkloads";
		return;
	}
	if (migrate(kq, entry))
		return;
	entry->status = KQ_ASSUMED;
	state->admitted_one = true;
}

void kq_process(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	const struct kq_workload *row = &kq->workload[entry->workload];
	if (kq_variant_admitted(kq, entry->workload, entry->queue, true) != KQ_NO) {
		skip(entry, "PendingEvaluation", "A more favorable variant is already admitted");
		return;
	}
	const bool still_fits = refresh(kq, state, entry);
	if (!entry->assignment)
		return; /* kq->err is set. */
	const enum kq_mode mode = entry->assignment->mode;
	if (kq->config.gate[KQ_GATE_TASFailedNodeReplacementFailFast] && kq_on_unhealthy(row) &&
		mode != KQ_FIT) {
		entry->status = KQ_EVICTED_RETRY;
		return;
	}
	if (mode == KQ_NO_FIT) {
		entry->why = KQ_REQUEUE_NO_FIT;
		entry->reason = entry->assignment->pending_reason;
		return;
	}
	if (mode == KQ_PREEMPT && without_capacity(kq, state, entry))
		return;
	if (mode == KQ_DEFERRED_FIT) {
		defer(kq, entry);
		return;
	}
	if (overlaps(kq, entry)) {
		skip(entry, "WaitingForQuota",
			"Workload has overlapping preemption targets with another workload");
		count_skipped(kq, state, entry);
		return;
	}
	if (!still_fits) {
		skip(entry, "WaitingForQuota", "Workload no longer fits after processing another workload");
		if (mode == KQ_PREEMPT)
			count_skipped(kq, state, entry);
		return;
	}
	admit_or_preempt(kq, state, entry);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_admit.c - what a cycle decided about an entry is carried out: it is admitted, its victims are evicted,
 * or it waits. Follows Kueue's pkg/scheduler, scheduler.go (admit, requeueAndUpdate) and
 * preemption/preemption.go (IssuePreemptions).
 */
#include "policies/kueue/rules/kq_entry.h"

#include <stdio.h>
#include <string.h>

/* A record of the queue's workloads changed: flavors that were tried may be tried again (SPEC2-5). */
static void refreshed(struct kq *kq, uint32_t workload)
{
	const struct kq_admission *admission = kq->workload[workload].admission;
	if (admission && admission->queue != KQ_NO)
		kq->node[admission->queue].generation++;
}

/* ---- Admitted ----------------------------------------------------------------------------------- */

static void admit_if_complete(struct kq *kq, uint32_t workload)
{
	if (kq_checks_complete(kq, workload))
		(void)kq_sync_admitted(kq, workload);
	refreshed(kq, workload);
}

/* It keeps the time and the order of its reservation. */
static void admit_retry(struct kq *kq, struct kq_entry *entry, struct kq_admission *made)
{
	struct kq_workload *row = &kq->workload[entry->workload];
	const bool replaced = kq_on_unhealthy(row);
	const uint64_t order = row->order;
	kq_release(kq, entry->workload);
	kq_admission_free(row->admission);
	row->admission = made;
	kq_hold(kq, entry->workload);
	row->order = order;
	row->unhealthy_count = 0;
	if (replaced)
		kq_decision(kq, KQ_DECISION_REPLACE_NODE, entry->workload, KQ_NO, "NodeReplaced", NULL);
	admit_if_complete(kq, entry->workload);
}

/* The slice that it replaces is finished; kq_finish releases its quota. */
static void finish_replaced(struct kq *kq, const struct kq_entry *entry)
{
	const struct kq_workload *row = &kq->workload[entry->workload];
	if (entry->replaces == KQ_NO || kq_is(&kq->workload[entry->replaces].cond[KQ_FINISHED]))
		return;
	const char *message = kq_message(kq,
		"Replaced to accommodate a workload (UID: %s, JobUID: %s) due to workload slice aggregation",
		row->uid, row->owner_uid ? row->owner_uid : "");
	kq_set_cond(kq, entry->replaces, KQ_FINISHED, KQ_TRUE, "WorkloadSliceReplaced", message, kq->now);
	kq_decision(
		kq, KQ_DECISION_FINISH, entry->replaces, entry->workload, "WorkloadSliceReplaced", message);
}

static void admit(struct kq *kq, struct kq_entry *entry)
{
	struct kq_workload *row = &kq->workload[entry->workload];
	struct kq_admission *made = kq_assignment_admission(kq, entry->assignment);
	if (!made) {
		(void)sl_fail_memory(&kq->err);
		return;
	}
	if (entry->second) {
		admit_retry(kq, entry, made);
		return;
	}
	kq_admission_free(row->admission);
	row->admission = made;
	kq_queue_delete(kq, entry->workload);
	kq_assign_forget(kq, entry->workload);
	kq_reserved(kq, entry->workload);
	kq_hold(kq, entry->workload);
	if (kq->config.afs && kq->node[entry->queue].usage_based)
		kq_afs_reserved(kq, entry->workload);
	kq_decision(kq, KQ_DECISION_RESERVE, entry->workload, KQ_NO, "QuotaReserved",
		row->cond[KQ_QUOTA_RESERVED].message);
	admit_if_complete(kq, entry->workload);
	finish_replaced(kq, entry);
	if (kq_needs_second_pass(kq, entry->workload))
		kq_second_pass(kq, entry->workload, 0);
}

/* ---- Victims ------------------------------------------------------------------------------------ */

static const char *in_words(const char *reason)
{
	static const struct {
		const char *reason, *words;
	} table[] = {
		{ "InClusterQueue", "prioritization in the ClusterQueue" },
		{ "InCohortReclamation", "reclamation within the cohort" },
		{ "InCohortFairSharing", "Fair Sharing within the cohort" },
		{ "InCohortReclaimWhileBorrowing", "reclamation within the cohort while borrowing" },
	};
	for (size_t i = 0; i < SL_LEN(table); i++)
		if (strcmp(table[i].reason, reason) == 0)
			return table[i].words;
	return "UNKNOWN";
}

/* "/root/cohort/queue" */
static const char *path_of(const struct kq *kq, uint32_t queue, char text[512])
{
	uint32_t chain[64], count = 0;
	size_t at = 0;
	for (uint32_t n = queue; n != KQ_NO && count < SL_LEN(chain); n = kq->node[n].parent)
		chain[count++] = n;
	text[0] = 0;
	while (count-- > 0 && at < 500) {
		const int wrote = snprintf(text + at, 512 - at, "/%s", kq->node[chain[count]].name);
		at += wrote > 0 ? (size_t)wrote : 0;
	}
	return text;
}

/* One that is evicted already is on its way: nothing is said again. */
static void preempt(struct kq *kq, const struct kq_entry *entry, const struct kq_victim *victim)
{
	const struct kq_workload *row = &kq->workload[entry->workload];
	const struct kq_workload *its = &kq->workload[victim->workload];
	char from[512], to[512];
	if (kq_is(&its->cond[KQ_EVICTED]))
		return;
	const char *message = kq_message(kq,
		"Preempted to accommodate a workload (UID: %s, JobUID: %s) due to %s; preemptor path: %s; "
		"preemptee path: %s",
		row->uid[0] ? row->uid : "UNKNOWN", row->owner_uid ? row->owner_uid : "UNKNOWN",
		in_words(victim->reason), path_of(kq, entry->queue, from),
		path_of(kq, its->admission->queue, to));
	kq_evict(kq, victim->workload, "Preempted", message);
	kq_set_cond(kq, victim->workload, KQ_PREEMPTED, KQ_TRUE, victim->reason, message, kq->now);
	kq_decision(kq, KQ_DECISION_PREEMPT, victim->workload, entry->workload, victim->reason, message);
	refreshed(kq, victim->workload);
}

/* Why it does not fit, unless something else was said. */
static const char *kq_admit_why_not(struct kq *kq, struct kq_cycle_state *state, const struct kq_entry *entry)
{
	if (entry->message || !entry->assignment || entry->assignment->mode == KQ_FIT)
		return entry->message ? entry->message : "";
	return kq_assign_message(kq, state->scratch, entry->assignment);
}

static void preempt_all(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < entry->victims.count; i++) {
		if (entry->victims.at[i].workload == entry->replaces)
			continue;
		preempt(kq, entry, &entry->victims.at[i]);
		count++;
	}
	state->figures.preempted += count;
	entry->message = kq_message(kq, "%s. Pending the preemption of %u workload(s)",
		kq_admit_why_not(kq, state, entry), count);
}

static void kq_admit_evict(
	struct kq *kq, uint32_t workload, uint32_t cause, const char *reason, const char *message)
{
	kq_evict(kq, workload, reason, message);
	kq_decision(kq, KQ_DECISION_EVICT, workload, cause, reason, message);
	refreshed(kq, workload);
}

static void evict_unplaced(struct kq *kq, uint32_t workload)
{
	const struct kq_workload *row = &kq->workload[workload];
	char text[768] = "";
	size_t at = 0;
	for (uint32_t i = 0; i < row->unhealthy_count && at < 700; i++) {
		const int wrote =
			snprintf(text + at, sizeof(text) - at, "%s%s", i ? "," : "", row->unhealthy[i]);
		at += wrote > 0 ? (size_t)wrote : 0;
	}
	kq_admit_evict(kq, workload, KQ_NO, "NodeFailures",
		kq_message(kq, "Workload was evicted as there was no replacement for unhealthy node(s): %s",
			text));
}

/* ---- Back into the queue ------------------------------------------------------------------------ */

/* Progress is dropped where workloads are being preempted for what was chosen (5.5); a skipped entry keeps
 * it. */
static void remember(struct kq *kq, const struct kq_entry *entry)
{
	if (!entry->assignment || entry->second)
		return;
	if (entry->status == KQ_GATED || entry->preempts || entry->migrates != KQ_NO ||
		entry->assignment->mode == KQ_DEFERRED_FIT)
		kq_assign_forget(kq, entry->workload);
	else
		kq_assign_remember(kq, entry->assignment);
}

static void requeue(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	remember(kq, entry);
	if (entry->status != KQ_NOT_NOMINATED && entry->why == KQ_REQUEUE_GENERIC)
		entry->why = KQ_REQUEUE_FAILED_AFTER_NOMINATION;
	if (entry->second) { /* Whether it still needs it is asked when its time has come. */
		kq_second_pass(kq, entry->workload, entry->attempt + 1);
		kq_decision(kq, KQ_DECISION_SKIP, entry->workload, KQ_NO, "SecondPassFailed",
			kq_text(kq, kq_admit_why_not(kq, state, entry)));
		return;
	}
	(void)kq_queue_requeue(kq, entry->workload, entry->why);
	if (entry->unresponsive)
		return;
	const char *message = kq_text(kq, kq_admit_why_not(kq, state, entry));
	kq_pend(kq, entry->workload,
		kq_told(kq, entry->reason ? entry->reason : "PendingEvaluation", "Pending"), message);
	if (entry->status == KQ_GATED)
		kq_set_cond(kq, entry->workload, KQ_BLOCKED_ON_GATES, KQ_TRUE, "PreemptionGated", message,
			kq->now);
	if (entry->status == KQ_SKIPPED)
		kq_decision(kq, KQ_DECISION_SKIP, entry->workload, KQ_NO, entry->reason, message);
	kq_decision(kq, KQ_DECISION_PEND, entry->workload, KQ_NO,
		kq->workload[entry->workload].pending_reason, message);
}

void kq_carry_out(struct kq *kq, struct kq_cycle_state *state, struct kq_entry *entry)
{
	if (entry->status == KQ_ASSUMED) {
		state->figures.admitted++;
		admit(kq, entry);
		return;
	}
	if (entry->status == KQ_EVICTED_RETRY) {
		evict_unplaced(kq, entry->workload);
		return;
	}
	if (entry->preempts)
		preempt_all(kq, state, entry);
	if (entry->migrates != KQ_NO)
		kq_admit_evict(kq, entry->migrates, entry->workload, "FlavorMigration",
			kq_message(kq,
				"Evicted to accommodate a workload (UID: %s) due to migration to more "
				"favorable resource flavor",
				kq->workload[entry->workload].uid));
	requeue(kq, state, entry);
}

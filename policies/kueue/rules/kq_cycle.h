/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_cycle.h - one scheduling cycle: heads are popped, nominated, ordered, processed; and what controllers do
 * between cycles.
 */
#ifndef SL_KUEUE_KQ_CYCLE_H
#define SL_KUEUE_KQ_CYCLE_H

#include "policies/kueue/rules/kq_preempt.h"
#include "policies/kueue/rules/kq_queue.h"
#include "policies/kueue/tas/kq_tas.h"

/* At kq->now. False: no head was popped, and no cycle is counted. Effects are appended. */
bool kq_cycle(struct kq *kq);
void kq_cycle_free(struct kq *kq);
/* Of the last cycle, for recorded cases. */
struct kq_cycle_figures {
	uint32_t admitted, preempted;
	uint32_t *skipped; /* Skipped preemptions by node; valid until the next cycle. */
	/* Assignments made again as their victims were taken, by node: without success, with others, or it
	 * fits once these are gone. */
	uint32_t *recomputed[3];
};
const struct kq_cycle_figures *kq_cycle_figures(const struct kq *kq);

/* An entry of a cycle, for the classical order. */
struct kq_entry_key {
	bool reserved, preemptor;
	uint32_t borrow;
	int64_t priority;
	sl_time time;
	const char *name; /* Ties; NULL: the row decides. */
};
int kq_entry_compare(const struct kq *kq, const struct kq_entry_key *a, const struct kq_entry_key *b);

/* ---- Between cycles (kq_life.c) ----------------------------------------------------------------- */

/* A workload was submitted, or changed. */
void kq_submit(struct kq *kq, uint32_t workload);
/* Its job is done: finished; quota is released, its tree notified. A slice that was replaced
 * (KQ_DECISION_FINISH) holds its quota until this is called for it. */
void kq_finish(struct kq *kq, uint32_t workload, const char *reason);
void kq_delete(struct kq *kq, uint32_t workload); /* Wherever it is. */
/* What the cycle decided could not be written: as if it had not been admitted, and queued again. */
void kq_admission_failed(struct kq *kq, uint32_t workload);
/* Its pods are stopped: an evicted one releases its quota, and is requeued if it may. */
void kq_evicted(struct kq *kq, uint32_t workload);
void kq_pods_ready(struct kq *kq, uint32_t workload, bool ready);
void kq_check_set(
	struct kq *kq, uint32_t workload, uint32_t check, enum kq_check_state state, sl_time retry_after);
void kq_set_active(struct kq *kq, uint32_t workload, bool active);
void kq_host_failed(struct kq *kq, uint32_t host); /* Admitted workloads on it lose their pods there. */
/* One pass of the workload's controller at kq->now: timeouts, backoff, deactivation, stopped queues, checks.
 * The time at which it wants to be called again; SL_NEVER. */
sl_time kq_reconcile(struct kq *kq, uint32_t workload);
/* Of waitForPodsReady: why it is not ready ("WaitForStart", "WaitForRecovery", NULL: it is, or nobody waits),
 * and in how long it is too late (us). */
const char *kq_ready_check(const struct kq *kq, const struct kq_workload *workload, sl_time *recheck);
/* requeueState: whether it was changed. until SL_NONE: nothing is waited for. */
bool kq_set_requeue(struct kq *kq, uint32_t workload, sl_time until, bool count);

#endif

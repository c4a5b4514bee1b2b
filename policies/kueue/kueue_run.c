/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_run.c - the controller: what is due, scheduling cycles, and what was decided, carried out.
 *
 * Without latencies cycles follow one another at one instant until nothing changes; else each takes its time.
 * A head that goes straight back to its queue (StrictFIFO, flavors left to try, victims on their way) would
 * be tried for ever: after as many cycles in a row as there are flavors, and one, without any effect, the
 * scheduler sleeps until something changes. Kueue's goes round every 10 ms then, to the same end.
 */
#include "policies/kueue/kueue.h"
#include "policies/kueue/rules/kq_wait.h"

#include <string.h>

/* ---- Words ------------------------------------------------------------------------------------------- */

static enum sl_reason kueue_run_reason_of(const char *word)
{
	static const struct {
		const char *word;
		enum sl_reason reason;
	} known[] = {
		{ "NoMatchingFlavor", SL_REASON_NO_MATCHING_FLAVOR },
		{ "ExceedsMaxQuota", SL_REASON_EXCEEDS_MAX_QUOTA },
		{ "WaitingForQuota", SL_REASON_WAITING_FOR_QUOTA },
		{ "TopologyPlacementFailed", SL_REASON_TOPOLOGY },
		{ "WaitingForPreemptedWorkloads", SL_REASON_WAITING_FOR_PREEMPTED },
		{ "Misconfigured", SL_REASON_MISCONFIGURED },
		{ "Suspended", SL_REASON_QUEUE_STOPPED },
		{ "PendingEvaluation", SL_REASON_PENDING_EVALUATION },
		{ "WaitingForPodsReady", SL_REASON_WAITING_FOR_PODS_READY },
		{ "AdmissionGated", SL_REASON_SCHEDULING_GATED },
		{ "Inadmissible", SL_REASON_MISCONFIGURED },
	};
	for (size_t i = 0; word && i < SL_LEN(known); i++)
		if (strcmp(known[i].word, word) == 0)
			return known[i].reason;
	return SL_REASON_WAITING_FOR_QUOTA;
}

static enum sl_rule kueue_run_rule_of(const char *word)
{
	static const struct {
		const char *word;
		enum sl_rule rule;
	} known[] = {
		{ "InClusterQueue", SL_RULE_RANK },
		{ "InCohortReclamation", SL_RULE_RECLAIM },
		{ "InCohortReclaimWhileBorrowing", SL_RULE_RECLAIM },
		{ "InCohortFairSharing", SL_RULE_SHARE },
		{ "PodsReadyTimeout", SL_RULE_READY },
		{ "AdmissionCheck", SL_RULE_CHECK },
		{ "ClusterQueueStopped", SL_RULE_STOPPED },
		{ "LocalQueueStopped", SL_RULE_STOPPED },
		{ "NodeFailures", SL_RULE_NODE },
		{ "FlavorMigration", SL_RULE_MIGRATE },
	};
	for (size_t i = 0; word && i < SL_LEN(known); i++)
		if (strcmp(known[i].word, word) == 0)
			return known[i].rule;
	return SL_RULE_LIMIT; /* Deactivated: it ran, or tried to, too long. */
}

/* ---- Turns -------------------------------------------------------------------------------------- */

/* Workloads take turns: one preempts another, which is admitted again before it.
 *
 * Whom a workload may preempt and who is admitted first are different rules of Kueue (borrowing less goes
 * before priority, a lower share before both), so two or three may drive each other out for ever; Kueue does
 * so until one of them ends in its turn (kubernetes-sigs/kueue, pull request 13797). Here a turn may take no
 * time, and none would ever end. So once a job was preempted TURNS_MAX times and nothing has come from
 * outside meanwhile (a job, an end, a node, a command), the scheduler rests as soon as somebody is admitted
 * and nobody is preempted, until something does.
 */
enum {
	TURNS_MAX = 8,      /* Of a preemption; */
	TIMEOUTS_MAX = 100, /* of anything else. */
	TURNS_LAST = 1000   /* Then it rests at once: some cycles both admit and preempt. */
};

void kueue_news(struct kueue *k)
{
	k->news++;
	k->circle = k->rests = false;
}

static void take_turn(struct kueue *k, uint32_t row, bool preempted)
{
	struct kueue_job *job = &k->job[row];
	if (job->turns_news != k->news) {
		job->turns_news = k->news;
		job->turns = 0;
	}
	job->turns++;
	k->preempted |= preempted;
	k->circle |= job->turns >= (preempted ? TURNS_MAX : TIMEOUTS_MAX);
	k->rests |= job->turns >= TURNS_LAST;
}

static void turn_over(struct kueue *k, uint64_t reservations)
{
	if (k->circle && k->reservations > reservations && !k->preempted)
		k->rests = true;
}

/* ---- Jobs --------------------------------------------------------------------------------------- */

void kueue_changed(struct kueue *k) { k->asleep = false; }

enum { RECONCILES_MAX = 8 }; /* At once, each because of the changes by the one before. */

/* Its controller looks at it, and says when it wants to again. */
void kueue_reconcile(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	if (job->workload == KQ_NO || job->stage == KUEUE_AWAY)
		return;
	sl_time next = kq_reconcile(k->kq, job->workload);
	for (int retry = 0; next <= k->now && retry < RECONCILES_MAX; retry++)
		next = kq_reconcile(k->kq, job->workload);
	if (next == SL_NEVER || next == job->reconcile)
		return;
	job->reconcile = next > k->now ? next : k->now + 1;
	kueue_due(k, job->reconcile, KUEUE_DUE_RECONCILE, row);
}

static uint32_t outside(const struct kueue *k, uint32_t workload)
{
	return workload < k->job_of_count ? k->job_of[workload] : UINT32_MAX;
}

static void give_order(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	struct order *order =
		controller_order(&k->engine, k->checkpoint ? ORDER_CHECKPOINT : ORDER_REQUEUE, row);
	if (!order)
		return;
	order->cause.rule = kueue_run_rule_of(job->why);
	order->cause.beneficiary = job->cause == KQ_NO ? CONTROLLER_NOBODY : outside(k, job->cause);
}

static enum sl_reason reason_after(const struct kueue *k, const struct kq_workload *workload)
{
	if (!workload->active)
		return SL_REASON_HELD_ADMIN;
	if (workload->requeue_at != SL_NONE && workload->requeue_at > k->now)
		return SL_REASON_BACKOFF;
	return SL_REASON_PENDING_EVALUATION;
}

/* Its pods are gone: an eviction is complete. */
static void stopped(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	const uint32_t workload = job->workload;
	if (job->stage == KUEUE_PODS || job->stage == KUEUE_RUNS || job->stage == KUEUE_STOPS)
		kueue_pods_stop(k, row);
	if (k->engine.runs[row])
		give_order(k, row);
	kueue_budgets_hold(k, row, false);
	kueue_multi_over(k, row);
	job->stage = KUEUE_WAITS;
	job->stamp++;
	job->evicted = false;
	kq_evicted(k->kq, workload);
	job->cause = KQ_NO;
	controller_reason(&k->engine, row, reason_after(k, &k->kq->workload[workload]));
	kueue_status_changed(k, workload);
	kueue_changed(k);
	kueue_reconcile(k, row);
}

static void kueue_run_evict(struct kueue *k, const struct kq_effect *effect)
{
	const uint32_t row = outside(k, effect->workload);
	struct kueue_job *job = &k->job[row];
	const bool preempted = effect->kind == KQ_DECISION_PREEMPT;
	if (job->evicted || job->stage == KUEUE_AWAY)
		return;
	job->evicted = true;
	job->evictions++;
	job->preemptions += preempted;
	take_turn(k, row, preempted);
	job->cause = effect->cause;
	job->why = effect->reason;
	kueue_note(k, row, KUEUE_EVICTED);
	const sl_time written = kueue_write(k, KUEUE_WORKLOADS);
	if (preempted && written > k->loop_until)
		k->loop_until = written;
	kueue_note_eviction(k, row, preempted ? "Preempted" : effect->reason, effect->reason,
		effect->cause == KQ_NO ? UINT32_MAX : outside(k, effect->cause), effect->message);
	const sl_time at = written + (job->stage == KUEUE_RUNS ? k->grace : 0);
	job->stage = job->stage == KUEUE_RUNS ? KUEUE_STOPS : job->stage;
	if (at <= k->now) {
		stopped(k, row);
		return;
	}
	job->stamp++;
	kueue_due(k, at, KUEUE_DUE_STOPPED, row);
}

/* The API server knows: the job's controller lets it make its pods. */
static void admitted(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	job->admitted = k->now;
	kueue_note(k, row, KUEUE_ADMITTED);
	kueue_budgets_hold(k, row, true);
	kueue_pods_start(k, row);
	kueue_reconcile(k, row);
}

static void admit(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	if (job->stage != KUEUE_WAITS)
		return;
	job->admissions++;
	k->admissions++;
	kueue_status_changed(k, job->workload);
	const sl_time written = kueue_write(k, KUEUE_WORKLOADS);
	if (written <= k->now) {
		admitted(k, row);
		return;
	}
	job->stage = KUEUE_WRITING;
	job->stamp++;
	kueue_due(k, written, KUEUE_DUE_WRITTEN, row);
}

static void reserved(struct kueue *k, uint32_t row)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	k->reservations++;
	kueue_note(k, row, KUEUE_RESERVED);
	kueue_status_changed(k, k->job[row].workload);
	if (!kq_is(&workload->cond[KQ_ADMITTED]) && workload->check_count)
		kueue_checks_begin(k, row);
}

/* Its message changed: in a cycle the scheduling loop writes that itself. */
static void pend(struct kueue *k, uint32_t row)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	if (k->job[row].stage != KUEUE_WAITS)
		return;
	const sl_time written = kueue_write(k, KUEUE_WORKLOADS);
	if (k->in_cycle && written > k->loop_until)
		k->loop_until = written;
	controller_reason(&k->engine, row, kueue_run_reason_of(workload->pending_reason));
}

static void carry_out(struct kueue *k, const struct kq_effect *effect)
{
	const uint32_t row = outside(k, effect->workload);
	if (row == UINT32_MAX)
		return;
	switch (effect->kind) {
	case KQ_DECISION_RESERVE:
		reserved(k, row);
		break;
	case KQ_DECISION_ADMIT:
		admit(k, row);
		break;
	case KQ_DECISION_PREEMPT:
	case KQ_DECISION_EVICT:
		kueue_run_evict(k, effect);
		break;
	case KQ_DECISION_PEND:
		pend(k, row);
		return;
	case KQ_DECISION_DEACTIVATE:
		if (k->job[row].stage == KUEUE_WAITS)
			controller_reason(&k->engine, row, SL_REASON_HELD_ADMIN);
		break;
	case KQ_DECISION_REQUEUE:
		if (k->job[row].stage == KUEUE_WAITS)
			controller_reason(
				&k->engine, row, reason_after(k, &k->kq->workload[effect->workload]));
		break;
	case KQ_DECISION_SKIP:
		return;
	case KQ_DECISION_FINISH:
	case KQ_DECISION_CHECKS_RESET:
		break;
	case KQ_DECISION_REPLACE_NODE:
		k->allocation_retry = true; /* Its pods may go elsewhere. */
		break;
	}
	k->fruitful = true;
}

/* What one brings about comes behind those that are there. */
static void take_effects(struct kueue *k)
{
	struct kq *kq = k->kq;
	for (uint32_t i = 0; i < kq->effect_count && !kq->err.status; i++) {
		const struct kq_effect effect = kq->effect[i];
		carry_out(k, &effect);
	}
	kq->effect_count = 0;
	controller_take_err(&k->engine, &kq->err);
}

/* ---- Events -------------------------------------------------------------------------------------------- */

void kueue_submit(struct kueue *k, uint32_t row)
{
	struct kueue_job *job = &k->job[row];
	kueue_jobs_submit(k, row);
	if (job->workload == KQ_NO)
		return;
	job->stage = KUEUE_WAITS;
	kueue_note(k, row, KUEUE_QUEUED);
	kueue_news(k);
	k->live++;
	if (k->kq->config.afs && k->shares_at == SL_NEVER) /* It waited for others, and nobody was left. */
		k->shares_at = k->now + k->kq->config.afs_interval;
	if (k->kq->workload[job->workload].local == KQ_NO) {
		k->misconfigured++;
		controller_reason(&k->engine, row, SL_REASON_MISCONFIGURED);
	}
	if (!kueue_live(k, row))
		kq_submit(k->kq, job->workload);
	kueue_status_changed(k, job->workload);
	kueue_changed(k);
	kueue_reconcile(k, row);
}

void kueue_over(struct kueue *k, uint32_t row, const char *reason, bool deleted)
{
	struct kueue_job *job = &k->job[row];
	if (job->workload == KQ_NO || job->stage == KUEUE_AWAY)
		return;
	if (job->stage == KUEUE_PODS || job->stage == KUEUE_RUNS || job->stage == KUEUE_STOPS)
		kueue_pods_stop(k, row);
	kueue_budgets_hold(k, row, false);
	kueue_multi_over(k, row);
	job->stage = KUEUE_AWAY;
	job->stamp++;
	kueue_news(k);
	k->live--;
	kueue_status_changed(k, job->workload);
	if (deleted)
		kq_delete(k->kq, job->workload);
	else
		kq_finish(k->kq, job->workload, reason);
	kueue_changed(k);
}

/* Its pods died, and are made again: the workload stays admitted, and is not ready meanwhile. */
void kueue_lost(struct kueue *k, uint32_t row, bool by_model)
{
	struct kueue_job *job = &k->job[row];
	k->engine.reason[row] = SL_REASON_COUNT;
	if (job->stage == KUEUE_STOPS) {
		stopped(k, row);
		return;
	}
	if (job->stage != KUEUE_RUNS && job->stage != KUEUE_PODS)
		return;
	kq_pods_ready(k->kq, job->workload, false);
	if (k->engine.runs[row]) { /* kube-scheduler took a pod away. */
		job->why = "NodeFailures";
		give_order(k, row);
	}
	if (kueue_pods_failed(k, row, by_model)) {
		job->stage = KUEUE_PODS;
		job->stamp++;
	} else {
		kueue_pods_stop(k, row);
		kueue_pods_retry(k, row);
	}
	kueue_changed(k);
	kueue_reconcile(k, row);
}

void kueue_node(struct kueue *k, uint32_t node, bool up)
{
	const uint32_t host = kq_find_host(k->kq, k->cluster->node_name[node]);
	k->up[node] = up;
	k->allocation_retry = true;
	kueue_news(k);
	if (k->binder) {
		k->binder->node(k->binder_state, k->now, node, up);
		k->binder_at = k->now;
	}
	if (host == KQ_NO || k->kq->host[host].ready == up)
		return;
	k->kq->host[host].ready = up;
	if (!up)
		kq_host_failed(k->kq, host);
	(void)kq_hosts_changed(k->kq);
	for (uint32_t i = 0; up && i < k->kq->queue_count; i++)
		kq_queue_notify(k->kq, k->kq->queue[i]);
	kueue_changed(k);
}

/* ---- What is due -------------------------------------------------------------------------------- */

static void sample_shares(struct kueue *k)
{
	kq_afs_sample(k->kq);
	kueue_changed(k);
	if (k->live || k->engine.reported < k->jobs->count)
		k->shares_at = k->now + k->kq->config.afs_interval;
}

static void ready(struct kueue *k, uint32_t row)
{
	kueue_note(k, row, KUEUE_READY);
	kq_pods_ready(k->kq, k->job[row].workload, true);
	kueue_changed(k);
	kueue_reconcile(k, row);
}

static void end_at_limit(struct kueue *k, uint32_t row)
{
	struct order *order = controller_order(&k->engine, ORDER_END, row);
	if (!order)
		return;
	order->state = SL_COMPLETED;
	order->cause.rule = SL_RULE_LIMIT;
	kueue_over(k, row, "DeadlineExceeded", false);
}

static void do_of_job(struct kueue *k, const struct due *entry)
{
	const uint32_t row = entry->row;
	struct kueue_job *job = &k->job[row];
	if (entry->what <= KUEUE_DUE_LIMIT && entry->what != KUEUE_DUE_BEGIN && entry->stamp != job->stamp)
		return;
	if (entry->what == KUEUE_DUE_BEGIN && !job->cancelled)
		kueue_submit(k, row);
	else if (job->stage == KUEUE_AWAY)
		return;
	else if (entry->what == KUEUE_DUE_WRITTEN)
		admitted(k, row);
	else if (entry->what == KUEUE_DUE_STOPPED)
		stopped(k, row);
	else if (entry->what == KUEUE_DUE_READY)
		ready(k, row);
	else if (entry->what == KUEUE_DUE_REVOKE)
		kueue_checks_revoke(k, row);
	else if (entry->what == KUEUE_DUE_LIMIT)
		end_at_limit(k, row);
	else if (entry->what == KUEUE_DUE_CHECK)
		kueue_checks_answer(k, row, entry->at);
	else if (job->reconcile == entry->at) {
		job->reconcile = SL_NEVER;
		kueue_reconcile(k, row);
		kueue_changed(k);
	}
}

static void do_due(struct kueue *k, const struct due *entry)
{
	switch ((enum kueue_due)entry->what) {
	case KUEUE_DUE_BEGIN:
	case KUEUE_DUE_WRITTEN:
	case KUEUE_DUE_STOPPED:
	case KUEUE_DUE_READY:
	case KUEUE_DUE_REVOKE:
	case KUEUE_DUE_LIMIT:
	case KUEUE_DUE_RECONCILE:
	case KUEUE_DUE_CHECK:
		do_of_job(k, entry);
		break;
	case KUEUE_DUE_QUEUES:
		k->queues_at = SL_NEVER;
		(void)kq_queue_wake(k->kq);
		kueue_changed(k);
		break;
	case KUEUE_DUE_COMMAND:
		kueue_commands_run(k);
		break;
	case KUEUE_DUE_SHARES:
		sample_shares(k);
		break;
	case KUEUE_DUE_STATUS:
		kueue_status_written(k, entry->row);
		break;
	case KUEUE_DUE_CYCLE: /* Time has come: no more. */
	case KUEUE_DUE_BINDER:
		break;
	}
}

/* ---- Cycles ------------------------------------------------------------------------------------- */

static uint64_t active_count(const struct kueue *k)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < k->kq->queue_count; i++) {
		const struct kq_queue *queue = k->kq->node[k->kq->queue[i]].queue;
		count += queue ? queue->active_count : 0;
	}
	return count;
}

static uint32_t flavors_most(const struct kueue *k)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < k->kq->node_count; i++)
		for (uint32_t g = 0; g < k->kq->node[i].group_count; g++)
			if (k->kq->node[i].group[g].flavor_count > most)
				most = k->kq->node[i].group[g].flavor_count;
	return most;
}

/* One cycle came to nothing: does the next have anything else to look at? */
static void note_idle(struct kueue *k)
{
	const uint64_t active = active_count(k);
	k->idle = active == k->active_before ? k->idle + 1 : 0;
	k->active_before = active;
	k->asleep = k->idle > flavors_most(k) + 1;
}

enum { BACKOFF_FIRST = 1000, BACKOFF_LAST = 10000 }; /* us: wait.Backoff of the loop (pkg/util/wait). */

static void one_cycle(struct kueue *k)
{
	const uint64_t reservations = k->reservations;
	k->fruitful = k->preempted = false;
	k->loop_until = k->now;
	if (!kq_cycle(k->kq)) {
		k->asleep = true;
		return;
	}
	k->cycles++;
	k->in_cycle = true;
	take_effects(k);
	k->in_cycle = false;
	turn_over(k, reservations);
	if (k->fruitful) {
		k->idle = 0;
		k->active_before = UINT64_MAX;
		k->backoff = 0;
	} else {
		note_idle(k);
		k->backoff = !k->backoff                     ? BACKOFF_FIRST
			     : k->backoff * 2 > BACKOFF_LAST ? BACKOFF_LAST
							     : k->backoff * 2;
	}
	const sl_time taken = k->now + k->cycle + (k->api ? k->backoff : 0);
	k->cycle_at = k->loop_until > taken ? k->loop_until : taken;
}

/* Until nothing changes, or the scheduler is busy. */
static bool run_cycles(struct kueue *k)
{
	bool any = false;
	while (!k->asleep && !k->rests && kueue_goes_on(k) && k->cycle_at <= k->now && kq_any_active(k->kq)) {
		one_cycle(k);
		any = true;
	}
	if (!k->asleep && !k->rests && k->cycle_at > k->now && kq_any_active(k->kq) &&
		k->cycle_due != k->cycle_at) {
		k->cycle_due = k->cycle_at;
		kueue_due(k, k->cycle_at, KUEUE_DUE_CYCLE, UINT32_MAX);
	}
	return any;
}

static bool run_due(struct kueue *k)
{
	struct due entry;
	bool any = false;
	if (k->shares_at <= k->now) {
		k->shares_at = SL_NEVER;
		sample_shares(k);
	}
	while (kueue_goes_on(k) && controller_due_pop(&k->engine, &entry)) {
		do_due(k, &entry);
		take_effects(k);
		any = true;
	}
	return any;
}

void kueue_run(struct kueue *k)
{
	bool retry = true;
	k->kq->now = k->now;
	take_effects(k);
	while (retry && kueue_goes_on(k)) {
		retry = run_due(k);
		kueue_pods_run(k);
		take_effects(k);
		retry = run_cycles(k) || retry;
		retry = kueue_multi_run(k) || retry;
		take_effects(k);
		if (kq_queue_notified(k->kq) && k->queues_at == SL_NEVER) {
			k->queues_at = k->now + k->batch;
			kueue_due(k, k->queues_at, KUEUE_DUE_QUEUES, UINT32_MAX);
		}
		retry = retry || controller_due_next(&k->engine) <= k->now || k->allocation_retry ||
			(k->binder && k->binder_at <= k->now);
	}
	kueue_series_note(k);
}

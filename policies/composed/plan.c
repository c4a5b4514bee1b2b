/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.c - plans: which jobs start now. Each reads like the paper it comes from.
 */
#include "policies/composed/by_lane.h"
#include "policies/composed/composed.h"

/* Starts from the front while it fits; the first that does not. */
static sl_job start_in_order(struct composed *composed, struct sl_pass *pass)
{
	sl_job head = composed_first(composed, pass);
	while (sl_job_is(head) && composed_start(composed, pass, head))
		head = composed_first(composed, pass);
	if (sl_job_is(head)) {
		sl_head_waits(pass, head);
		if (composed->gated)
			(void)gate_opens(composed, pass, head); /* Its reason. */
	}
	return head;
}

static void fcfs_pass(struct composed *composed, struct sl_pass *pass)
{
	if (composed->lanes)
		(void)lanes_start_in_order(composed, pass);
	else
		(void)start_in_order(composed, pass);
}

const struct plan plan_fcfs = {
	.name = "fcfs",
	.summary = "strictly in order: nobody overtakes the first",
	.paper =
		"Schwiegelshohn & Yahyapour, Analysis of first-come-first-serve parallel job scheduling, SODA 1998",
	.takes = TAKES_POWER,
	.reason = SL_REASON_PRIORITY,
	.turns = true,
	.parts = true,
	.lanes = true,
	.pass = fcfs_pass,
};

/* List scheduling: jobs that fit, in order; large jobs may starve. No job delays others, so lanes mean
 * nothing. */
static void greedy_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_set_cause(pass, SL_RULE_FILL, SL_JOB_NONE);
	sl_job job = SL_JOB_NONE;
	while (sl_job_is(job = sl_queue_next_fit(pass, job, NULL)))
		(void)composed_start(composed, pass, job);
}

const struct plan plan_greedy = {
	.name = "greedy",
	.summary = "whoever fits now, in order; promises nothing to anybody",
	.paper =
		"Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17, 1969 (list scheduling)",
	.takes = TAKES_POWER,
	.reason = SL_REASON_RESOURCES,
	.lanes = true,
	.pass = greedy_pass,
};

int head_init(struct composed *composed, const struct sl_setup *setup)
{
	composed->head = sl_ledger_new(setup, "head", HEAD_ROWS * composed->lane_count);
	return SL_OK;
}

void head_set(const struct composed *composed, struct sl_pass *pass, sl_job job, sl_time at)
{
	const int64_t now[HEAD_ROWS] = {
		[HEAD_JOB] = sl_job_is(job) ? (int64_t)job.row + 1 : 0, [HEAD_AT] = at
	};
	const uint32_t first = sl_lane_of(pass, job) * HEAD_ROWS;
	for (uint32_t row = 0; row < HEAD_ROWS; row++)
		sl_ledger_add(pass, composed->head, first + row,
			now[row] - sl_ledger_get(pass, composed->head, first + row));
}

sl_job head_job(const struct composed *composed, const struct sl_pass *pass, uint32_t lane)
{
	const int64_t job = sl_ledger_get(pass, composed->head, lane * HEAD_ROWS + HEAD_JOB);
	return job ? (sl_job){ (uint32_t)(job - 1) } : SL_JOB_NONE;
}

sl_time head_at(const struct composed *composed, const struct sl_pass *pass, sl_job job)
{
	const uint32_t lane = sl_lane_of(pass, job);
	return head_job(composed, pass, lane).row == job.row
		       ? sl_ledger_get(pass, composed->head, lane * HEAD_ROWS + HEAD_AT)
		       : SL_NONE;
}

static int easy_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	if (composed->frozen)
		(void)head_init(composed, setup);
	return composed->fitting ? since_init(composed, setup, err) : SL_OK;
}

/* arrivals=fitting: nothing but submissions, and none of the new jobs could start whatever the order. */
static bool nothing_new_fits(struct composed *composed, struct sl_pass *pass)
{
	bool fits = since_ended(composed, pass) || !since_came(composed, pass);
	sl_job job = SL_JOB_NONE;
	while (!fits && sl_job_is(job = since_next(composed, pass, job)))
		fits = sl_fits(pass, job);
	since_forget(composed, pass);
	return !fits;
}

/* The earliest time by estimates that the head fits, and what it leaves over. */
static struct sl_promise easy_shadow(struct composed *composed, struct sl_pass *pass, sl_job head)
{
	if (!composed->frozen)
		return sl_shadow_with(pass, head, composed->spare);
	const sl_time at = head_at(composed, pass, head);
	if (at != SL_NONE)
		return sl_shadow_at(pass, head, at, composed->spare);
	const struct sl_promise shadow = sl_shadow_with(pass, head, composed->spare);
	head_set(composed, pass, head, shadow.at);
	return shadow;
}

/* Those behind the head of the same lane. Share holders' turns may have changed since. */
static void easy_fill(struct composed *composed, struct sl_pass *pass, sl_job head)
{
	const uint32_t lane = sl_lane_of(pass, head);
	struct sl_promise shadow = easy_shadow(composed, pass, head);
	sl_report_plan(pass, head, shadow.at);
	sl_set_cause(pass, SL_RULE_BACKFILL, head);
	sl_job job = composed->fair_shares ? SL_JOB_NONE : head;
	while (sl_job_is(job = sl_lane_next_fit(pass, lane, job, &shadow)))
		(void)composed_start(composed, pass, job); /* Fits now without delaying the shadow. */
}

/* First each lane up to its head, so that an earlier job of another lane goes before those that overtake. */
static void easy_by_lane(struct composed *composed, struct sl_pass *pass)
{
	const uint32_t waiting = lanes_start_in_order(composed, pass);
	for (uint32_t i = 0; i < waiting && !composed->fill_none; i++) {
		const sl_job head = lanes_waiting(composed, i);
		if (composed->frozen ||
			sl_job_is(sl_lane_next_fit(pass, sl_lane_of(pass, head), SL_JOB_NONE, NULL)))
			easy_fill(composed, pass, head);
	}
}

/* Remembers nothing between passes, unless the shadow is frozen. */
static void easy_pass(struct composed *composed, struct sl_pass *pass)
{
	if (composed->lanes) {
		easy_by_lane(composed, pass);
		return;
	}
	if (composed->fitting && nothing_new_fits(composed, pass))
		return;
	const sl_job head = start_in_order(composed, pass);
	if (!sl_job_is(head) || composed->fill_none || (!composed->frozen && !sl_any_fits(pass)))
		return;
	easy_fill(composed, pass, head);
}

const struct plan plan_easy = {
	.name = "easy",
	.summary = "the first is promised the earliest start; others may overtake if they do not delay it",
	.paper =
		"Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem & Feitelson, IEEE TPDS 12(6), 2001",
	.takes = TAKES_POWER,
	.reason = SL_REASON_PRIORITY,
	.fills = true,
	.turns = true,
	.shadows = true,
	.lanes = true,
	.init = easy_init,
	.pass = easy_pass,
};

static void conservative_pass(struct composed *composed, struct sl_pass *pass)
{
	if (sl_promises_broken(pass))
		sl_promises_drop(pass);
	else
		sl_promises_compress(pass);
	sl_promises_make(pass);
	composed_start_due(composed, pass);
	const sl_job head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_waits(pass, head);
}

const struct plan plan_conservative = {
	.name = "conservative",
	.summary = "everyone is promised a start; others may overtake if they move no promise",
	.paper =
		"Mu'alem & Feitelson, Utilization, predictability, workloads and user runtime estimates in scheduling "
		"the IBM SP2 with backfilling, IEEE TPDS 12(6), 2001",
	.uses = SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.lanes_not = "everyone holds a promise, and nobody waits behind another's",
	.pass = conservative_pass,
};

/* ---- The log's own starts -------------------------------------------------------------------- */

static int recorded_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	(void)composed;
	const struct sl_jobs *jobs = setup->jobs;
	for (uint32_t i = 0; jobs->wait_recorded && i < jobs->count; i++)
		if (jobs->wait_recorded[i] > 0)
			return SL_OK;
	return sl_fail(err, SL_INPUT,
		"the trace records no waits (all are unknown or zero): policy 'recorded' needs a log");
}

static sl_time recorded_start(const struct sl_jobs *jobs, sl_job job)
{
	const sl_time wait = jobs->wait_recorded[job.row];
	return jobs->submit[job.row] + (wait == SL_NONE ? 0 : wait);
}

static double recorded_key(const struct sl_pass *pass, sl_job job)
{
	return (double)recorded_start(sl_jobs_of(pass), job);
}

/* The key is the recorded start, so those that are due stand in front. One that does not fit (the log knew a
 * larger machine, or rounded) waits until it does. */
static void recorded_pass(struct composed *composed, struct sl_pass *pass)
{
	(void)composed;
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	sl_set_cause(pass, SL_RULE_RECORDED, SL_JOB_NONE);
	sl_job job = sl_queue_first(pass);
	while (sl_job_is(job)) {
		const sl_time start = recorded_start(jobs, job);
		if (start > sl_now(pass)) {
			sl_wake(pass, start);
			return;
		}
		if (!sl_start(pass, job) && start == sl_now(pass))
			sl_set_reason(pass, job, SL_REASON_RESOURCES, 0);
		job = sl_queue_after(pass, job);
	}
}

const struct plan plan_recorded = {
	.name = "recorded",
	.summary = "each job when the log says it started: the base line of a comparison",
	.paper = "the trace itself (SWF field 3)",
	.uses = SL_USE_KEYS,
	.reason = SL_REASON_BEGIN_TIME,
	.init = recorded_init,
	.pass = recorded_pass,
	.key = recorded_key,
};

/* ---- Loss system: a job that does not fit at its submission is refused, and not submitted again. ---- */

static void loss_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_job job;
	while (sl_job_is(job = sl_queue_first(pass))) {
		sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
		if (composed_start(composed, pass, job))
			continue;
		sl_set_cause(pass, SL_RULE_LOSS, SL_JOB_NONE);
		if (!sl_cancel(pass, job))
			return;
	}
}

const struct plan plan_loss = {
	.name = "loss",
	.summary = "each starts as it comes, or is cancelled at once: a loss system",
	.paper =
		"Erlang, Solution of some problems in the theory of probabilities of significance in automatic "
		"telephone exchanges, Elektroteknikeren 13, 1917; as in Weng et al., USENIX ATC 2023 (FGD)",
	.reason = SL_REASON_RESOURCES,
	.pass = loss_pass,
};

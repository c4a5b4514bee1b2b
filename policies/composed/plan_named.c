/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_named.c - EASY and conservative as batsched does them, on machines with names.
 *
 * Dutot, Mercier, Poquet & Richard, Batsim: a realistic language-independent
 * resources and jobs management systems simulator, JSSPP 2016; its scheduler
 * batsched, easy_bf and conservative_bf. What is planned holds its very
 * machines, so that a job may find enough of them free and yet no set that
 * stays free for as long as it would run. An entry of the plan is moved only
 * when something ended, one at a time, while the others keep theirs.
 */
#include "policies/composed/composed.h"

/* Of composed->since: what happened after the last pass. */
enum since_row {
	SINCE_ENDED,
	SINCE_FIRST, /* The first submission's row + 1; 0: none. */
	SINCE_LAST,  /* The last one's. */
	SINCE_ROWS
};

static int named_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	composed->since = sl_ledger_new(setup, "since", SINCE_ROWS);
	return SL_OK;
}

static void since_set(struct composed *composed, struct sl_pass *pass, enum since_row row, int64_t value)
{
	sl_ledger_add(pass, composed->since, row, value - sl_ledger_get(pass, composed->since, row));
}

static void named_event(struct composed *composed, struct sl_pass *pass, const struct sl_event *event)
{
	if (event->class != SL_EV_SUBMIT) {
		if (event->class != SL_EV_TIMER)
			since_set(composed, pass, SINCE_ENDED, 1);
		return;
	}
	const int64_t row = (int64_t)event->row + 1;
	if (!sl_ledger_get(pass, composed->since, SINCE_FIRST))
		since_set(composed, pass, SINCE_FIRST, row);
	since_set(composed, pass, SINCE_LAST, row);
}

/* Planned anew at the earliest start that the others leave; true: that is now, and it is started. */
static bool place(struct sl_pass *pass, sl_job job)
{
	const sl_time at = sl_promise_at(pass, job);
	return sl_promise_hold(pass, job, at) && at == sl_now(pass) && sl_start(pass, job);
}

/* The jobs that came since the last pass, and still wait. */
static sl_job next_new(const struct composed *composed, const struct sl_pass *pass, sl_job before)
{
	const int64_t first = sl_ledger_get(pass, composed->since, SINCE_FIRST);
	const int64_t last = sl_ledger_get(pass, composed->since, SINCE_LAST);
	for (int64_t row = sl_job_is(before) ? (int64_t)before.row + 2 : first; first && row <= last; row++)
		if (sl_state_of(pass, (sl_job){ (uint32_t)(row - 1) }) == SL_PENDING)
			return (sl_job){ (uint32_t)(row - 1) };
	return SL_JOB_NONE;
}

/* What waits is looked at anew if something ended, or nothing else explains the pass. */
static bool all_anew(const struct composed *composed, const struct sl_pass *pass)
{
	return sl_ledger_get(pass, composed->since, SINCE_ENDED) ||
	       !sl_ledger_get(pass, composed->since, SINCE_FIRST);
}

static void forget(struct composed *composed, struct sl_pass *pass)
{
	for (enum since_row row = 0; row < SINCE_ROWS; row++)
		since_set(composed, pass, row, 0);
}

/* ---- EASY: the head alone has an entry ---------------------------------------------------- */

/* The first job that does not start now. */
static sl_job place_heads(struct sl_pass *pass)
{
	sl_job head;
	while (sl_job_is(head = sl_queue_first(pass)) && place(pass, head))
		;
	return head;
}

/* Nothing is left of the attempt unless it starts. */
static void try_now(struct sl_pass *pass, sl_job job)
{
	if (!sl_fits(pass, job) || sl_promise_at(pass, job) > sl_now(pass))
		return;
	if (sl_promise_hold(pass, job, sl_now(pass)) && !sl_start(pass, job))
		sl_promise_drop(pass, job);
}

static void easy_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_job head = sl_queue_first(pass);
	const bool planned = sl_job_is(head) && sl_promise_of(pass, head) != SL_NONE;
	if (all_anew(composed, pass) || !planned) {
		head = place_heads(pass);
		sl_job job = sl_job_is(head) ? sl_queue_after(pass, head) : SL_JOB_NONE;
		while (sl_job_is(job)) {
			const sl_job next = sl_queue_after(pass, job);
			try_now(pass, job);
			job = next;
		}
	} else {
		sl_job job = SL_JOB_NONE;
		while (sl_job_is(job = next_new(composed, pass, job)))
			if (job.row != head.row)
				try_now(pass, job);
	}
	if (sl_job_is(head))
		sl_head_waits(pass, head);
	forget(composed, pass);
}

const struct plan plan_easy_named = {
	.name = "easy_named",
	.summary = "EASY as batsched does it: the head's promise holds its very machines",
	.paper = "Dutot, Mercier, Poquet & Richard, Batsim, JSSPP 2016",
	.uses = SL_USE_NODES | SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.own_order = true,
	.init = named_init,
	.event = named_event,
	.pass = easy_pass,
};

/* ---- Conservative: everyone has an entry ---------------------------------------------------- */

static void conservative_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_job job = SL_JOB_NONE;
	if (all_anew(composed, pass)) {
		job = sl_queue_first(pass);
		while (sl_job_is(job)) {
			const sl_job next = sl_queue_after(pass, job);
			(void)place(pass, job);
			job = next;
		}
	} else {
		while (sl_job_is(job = next_new(composed, pass, job)))
			(void)place(pass, job);
	}
	const sl_job head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_waits(pass, head);
	forget(composed, pass);
}

const struct plan plan_conservative_named = {
	.name = "conservative_named",
	.summary = "conservative as batsched does it: each promise holds its very machines",
	.paper = "Dutot, Mercier, Poquet & Richard, Batsim, JSSPP 2016",
	.uses = SL_USE_NODES | SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.own_order = true,
	.init = named_init,
	.event = named_event,
	.pass = conservative_pass,
};

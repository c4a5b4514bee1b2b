/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_named.c - EASY and conservative as batsched does them, on machines with names.
 *
 * Dutot, Mercier, Poquet & Richard, Batsim: a realistic language-independent resources and jobs management
 * systems simulator, JSSPP 2016; its scheduler batsched, easy_bf and conservative_bf. A planned job is
 * assigned its very machines, so that a job may find enough of them free and yet no set that stays free for
 * as long as it would run. An entry of the plan is moved only when something ended, one at a time, while the
 * others keep theirs.
 */
#include "policies/composed/composed.h"

/* Planned anew at the earliest start that the others leave; true: that is now, and it is started. */
static bool plan_named_place(struct sl_pass *pass, sl_job job)
{
	const sl_time at = sl_promise_at(pass, job);
	return sl_promise_set(pass, job, at) && at == sl_now(pass) && sl_start(pass, job);
}

/* Waiting jobs are planned anew if something ended, or nothing else explains the pass. */
static bool all_anew(const struct composed *composed, const struct sl_pass *pass)
{
	return since_ended(composed, pass) || !since_came(composed, pass);
}

/* ---- EASY: the head alone has an entry ---------------------------------------------------- */

/* The first job that does not start now. */
static sl_job place_heads(struct sl_pass *pass)
{
	sl_job head;
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	while (sl_job_is(head = sl_queue_first(pass)) && plan_named_place(pass, head))
		;
	return head;
}

/* Nothing is left of the attempt unless it starts. */
static void try_now(struct sl_pass *pass, sl_job job)
{
	if (!sl_fits(pass, job) || sl_promise_at(pass, job) > sl_now(pass))
		return;
	if (sl_promise_set(pass, job, sl_now(pass)) && !sl_start(pass, job))
		sl_promise_drop(pass, job);
}

static void easy_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_job head = sl_queue_first(pass);
	const bool planned = sl_job_is(head) && sl_promise_of(pass, head) != SL_NONE;
	if (all_anew(composed, pass) || !planned) {
		head = place_heads(pass);
		sl_job job = sl_job_is(head) ? sl_queue_after(pass, head) : SL_JOB_NONE;
		sl_set_cause(pass, SL_RULE_BACKFILL, head);
		while (sl_job_is(job)) {
			const sl_job next = sl_queue_after(pass, job);
			try_now(pass, job);
			job = next;
		}
	} else {
		sl_job job = SL_JOB_NONE;
		sl_set_cause(pass, SL_RULE_BACKFILL, head);
		while (sl_job_is(job = since_next(composed, pass, job)))
			if (job.row != head.row)
				try_now(pass, job);
	}
	if (sl_job_is(head))
		sl_head_waits(pass, head);
	since_forget(composed, pass);
}

const struct plan plan_easy_named = {
	.name = "easy_named",
	.summary = "EASY as batsched does it: the head's promise holds its very machines",
	.paper = "Dutot, Mercier, Poquet & Richard, Batsim, JSSPP 2016",
	.uses = SL_USE_NODES | SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.own_order = true,
	.notes = true,
	.init = since_init,
	.pass = easy_pass,
};

/* ---- Conservative: every job has an entry ---------------------------------------------------- */

static void conservative_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_job job = SL_JOB_NONE;
	sl_set_cause(pass, SL_RULE_PROMISE, SL_JOB_NONE);
	if (all_anew(composed, pass)) {
		job = sl_queue_first(pass);
		while (sl_job_is(job)) {
			const sl_job next = sl_queue_after(pass, job);
			(void)plan_named_place(pass, job);
			job = next;
		}
	} else {
		while (sl_job_is(job = since_next(composed, pass, job)))
			(void)plan_named_place(pass, job);
	}
	const sl_job head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_waits(pass, head);
	since_forget(composed, pass);
}

const struct plan plan_conservative_named = {
	.name = "conservative_named",
	.summary = "conservative as batsched does it: each promise holds its very machines",
	.paper = "Dutot, Mercier, Poquet & Richard, Batsim, JSSPP 2016",
	.uses = SL_USE_NODES | SL_USE_PROMISES,
	.reason = SL_REASON_PRIORITY,
	.own_order = true,
	.notes = true,
	.init = since_init,
	.pass = conservative_pass,
};

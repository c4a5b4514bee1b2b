/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_commit.c - the loop of RLScheduler: the picked job is waited for.
 *
 * Zhang, Dai, He, Bao & Xie, RLScheduler: an automated HPC batch job scheduler
 * using reinforcement learning, SC 2020, as its program does it: the first of
 * the queue is picked, whatever comes later; until it fits others may start
 * (fill), in the order of submission, if they end by their estimates before the
 * time at which it was found to fit when it was picked.
 */
#include "policies/composed/by_lane.h"
#include "policies/composed/composed.h"

static int commit_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	return head_init(composed, setup);
}

/* The one that was picked before and still waits, or else the first. */
static sl_job pick(struct composed *composed, struct sl_pass *pass, uint32_t lane)
{
	sl_job job = head_job(composed, pass, lane);
	if (sl_job_is(job) && sl_waits(pass, job))
		return job;
	job = sl_lane_first(pass, lane);
	if (sl_job_is(job))
		head_set(composed, pass, job, sl_shadow_with(pass, job, SL_SPARE_NONE).at);
	return job;
}

static void plan_commit_fill(struct composed *composed, struct sl_pass *pass, sl_job head)
{
	/* Before that time, not by it. When it has come, none may. */
	const sl_time at = head_at(composed, pass, head) - 1;
	if (composed->fill_none || at <= sl_now(pass) || !sl_any_fits(pass))
		return;
	sl_set_cause(pass, SL_RULE_BACKFILL, head);
	struct sl_promise shadow = sl_shadow_at(pass, head, at, SL_SPARE_NONE);
	sl_job job = SL_JOB_NONE;
	while (sl_job_is(job = sl_lane_next_fit(pass, sl_lane_of(pass, head), job, &shadow)))
		(void)composed_start(composed, pass, job);
}

static void commit_lane(struct composed *composed, struct sl_pass *pass, uint32_t lane)
{
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	for (sl_job head; sl_job_is(head = pick(composed, pass, lane));) {
		if (!composed_start(composed, pass, head)) {
			sl_report_plan(pass, head, head_at(composed, pass, head));
			sl_head_waits(pass, head);
			plan_commit_fill(composed, pass, head);
			return;
		}
	}
}

static void commit_pass(struct composed *composed, struct sl_pass *pass)
{
	lanes_each(composed, pass, commit_lane);
}

const struct plan plan_commit = {
	.name = "commit",
	.summary =
		"the first is waited for, whoever comes later; others may start if they end before it is due",
	.paper =
		"Zhang et al., RLScheduler: an automated HPC batch job scheduler using reinforcement learning, SC 2020",
	.reason = SL_REASON_PRIORITY,
	.fills = true,
	.fills_by_submission = true,
	.lanes = true,
	.init = commit_init,
	.pass = commit_pass,
};

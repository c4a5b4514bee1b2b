/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_share.c - progressive filling: the share holder with the least usage is next, anew after each start.
 */
#include "policies/composed/composed.h"
#include "policies/composed/fair_shares.h"

struct share {
	sl_ledger reported; /* For share_holders_report. */
};

static int share_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	struct share *share = composed->own = sl_alloc(setup->arena, 1, sizeof(*share));
	if (!share)
		return sl_fail_memory(err);
	share->reported = sl_ledger_new(setup, "told", composed->fair_shares->share_holders.count + 1);
	return SL_OK;
}

/* It is its share holder's first, and does not fit. */
static void waits_first(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct share *share = composed->own;
	share_holders_report(
		&composed->fair_shares->share_holders, pass, share->reported, job, SL_REASON_RESOURCES);
}

/* What does not fit now will not later in this pass: such share holders need not be tried again. */
static void bar_those_that_do_not_fit(struct composed *composed, struct sl_pass *pass)
{
	struct share_holders *share_holders = &composed->fair_shares->share_holders;
	for (uint32_t i = 0; i < share_holders->active_count; i++) {
		const sl_job job = share_holders_first(share_holders, pass, share_holders->active[i]);
		if (!sl_job_is(job) || sl_fits(pass, job))
			continue;
		waits_first(composed, pass, job);
		fair_shares_bar(composed->fair_shares, pass, job);
	}
}

static void share_pass(struct composed *composed, struct sl_pass *pass)
{
	const bool all = composed->values[PARAM_BLOCKED].number;
	if (!all)
		bar_those_that_do_not_fit(composed, pass);
	sl_job job;
	sl_set_cause(pass, SL_RULE_SHARE, SL_JOB_NONE);
	while (sl_job_is(job = composed_first(composed, pass))) {
		if (composed_start(composed, pass, job))
			continue;
		waits_first(composed, pass, job);
		if (all)
			return;
		fair_shares_bar(composed->fair_shares, pass, job);
	}
}

const struct plan plan_share = {
	.name = "share",
	.summary = "progressive filling: the party with least starts its first job, anew after each start",
	.paper =
		"Ghodsi et al., Dominant resource fairness: fair allocation of multiple resource types, NSDI 2011, "
		"algorithm 1",
	.reason = SL_REASON_PRIORITY,
	.takes = TAKES(PARAM_BLOCKED) | TAKES_POWER,
	.turns = true,
	.parts = true,
	.lanes_not = "each party has a queue of its own, so say by=partition",
	.init = share_init,
	.pass = share_pass,
};

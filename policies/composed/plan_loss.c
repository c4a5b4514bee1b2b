/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_loss.c - nobody waits: whoever does not fit as he comes is turned away, and does not come back.
 */
#include "policies/composed/composed.h"

static void loss_pass(struct composed *composed, struct sl_pass *pass)
{
	sl_job job;
	while (sl_job_is(job = sl_queue_first(pass))) {
		sl_by(pass, SL_RULE_ORDER, SL_JOB_NONE);
		if (composed_start(composed, pass, job))
			continue;
		sl_by(pass, SL_RULE_LOSS, SL_JOB_NONE);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * told.c - a run is over: the policy tells what it has to say, then each model, in the order in which they
 * are settled.
 */
#include "sim/result/tally.h"
#include "sim/run/models.h"

static int policy_tells(struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	const struct sl_policy *policy = pass->policy;
	if (!policy || !policy->tell)
		return SL_OK;
	tally->model = policy->name;
	tally->policy = true;
	const int status = policy->tell(pass->state, pass, tally, err);
	tally->policy = false;
	return status;
}

int all_told(struct sl_pass *pass, struct sl_result *result, struct sl_err *err)
{
	struct sl_tally tally;
	tally_init(&tally, pass->arena);
	int status = policy_tells(pass, &tally, err);
	if (!status && pass->models)
		status = models_tell(pass, &tally, err);
	if (!status)
		status = tally_lend(&tally, result, err);
	tally_release(&tally);
	return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * question.c - questions of a policy to whoever drives the run: a pass stops at one, open as it is, and goes
 * on when it is answered. Answers are kept, so that a pass that is taken back and made again finds them.
 */
#include <string.h>

#include "sim/run/engine.h"

static bool offer(struct sl_pass *pass, const sl_job *offered, size_t count)
{
	const int status = SL_GROW_MOST(pass->offered, pass->offered_capacity, count, UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return false;
	}
	if (count)
		memcpy(pass->offered, offered, count * sizeof(*offered));
	pass->offered_count = count;
	pass->asks = true;
	return true;
}

bool sl_ask(struct sl_pass *pass, uint64_t number, const sl_job *offered, size_t count, sl_job *answer)
{
	if (number < pass->answer_count) {
		*answer = (sl_job){ pass->answer[number] };
		return true;
	}
	if (number > pass->answer_count)
		pass_failed(pass,
			sl_fail(&pass->err, SL_POLICY, "policy '%s' skips a question", pass->policy->name));
	else if (!pass->options.driven)
		pass_failed(pass,
			sl_fail(&pass->err, SL_USAGE,
				"policy '%s' asks whoever drives the run, and nobody does: drive it from a "
				"program (sl_run_decide, schedlab.SchedlabEnv), or give it recorded choices",
				pass->policy->name));
	else
		(void)offer(pass, offered, count);
	return false;
}

bool sim_asks(const struct sim *sim) { return sim->engine->pass.asks; }

int sim_answer(struct sim *sim, uint32_t job, struct sl_err *err)
{
	struct sl_pass *pass = &sim->engine->pass;
	const int status = SL_GROW(pass->answer, pass->answer_capacity, pass->answer_count + 1, err);
	if (!status)
		pass->answer[pass->answer_count++] = job;
	return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_used.c - who used the machine before the moment: jobs that had ended, as history of the policy.
 *
 * A policy with fair shares begins a future with what was used shortly before (replay.before). Slurm's usage
 * halves in a week by default, so that two weeks are three quarters of all that counts. Policies without fair
 * shares are told nothing: it costs time.
 */
#include <string.h>

#include "cli/forecast/forecast.h"

/* Slurm's own usage (sshare) has all of it already. */
static bool says_usage(const struct forecast_base *base)
{
	for (size_t i = 0; i < base->setting_count; i++)
		if (strncmp(base->setting[i], "cluster.usage=", strlen("cluster.usage=")) == 0)
			return true;
	return false;
}

sl_time forecast_used_for(const struct forecast_question *question)
{
	const sl_time usual = INT64_C(14) * 86400 * SL_SECOND;
	const struct policy_choice *choice = &question->base->choice;
	if (question->base->before != SL_NONE)
		return question->base->before;
	if (strcmp(choice->policy->name, "slurm") == 0)
		return question->log->fair && !says_usage(question->base) ? usual : 0;
	return strstr(choice->text, "fairshare") || strstr(choice->text, "fair_share") ? usual : 0;
}

bool forecast_is_used(const struct forecast_question *question, sl_time used_for, uint32_t learned)
{
	const struct forecast_job *job = &question->learned->job[learned];
	return job->start != SL_NONE && job->end != SL_NONE && job->end > job->start &&
	       job->end <= question->state->now && job->end > question->state->now - used_for;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_state.c - who runs and who waits at a moment, who used the machine before, and what had been
 * learned by then.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast.h"

static bool runs(const struct forecast_job *job, sl_time now)
{
	return job->start != SL_NONE && job->start < now && (job->end == SL_NONE || job->end > now);
}

static bool waits(const struct forecast_job *job, sl_time now)
{
	if (job->start != SL_NONE)
		return job->start >= now;
	return job->cancel != SL_NONE && job->cancel > now;
}

int forecast_state_at(
	struct forecast_state *state, const struct forecast_log *log, sl_time now, struct sl_err *err)
{
	*state = (struct forecast_state){ .now = now };
	state->running = calloc(log->count + 1, sizeof(*state->running));
	state->waiting = calloc(log->count + 1, sizeof(*state->waiting));
	if (!state->running || !state->waiting)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < log->count && log->job[i].submit <= now; i++)
		if (log->job[i].past)
			continue;
		else if (runs(&log->job[i], now))
			state->running[state->running_count++] = i;
		else if (waits(&log->job[i], now))
			state->waiting[state->waiting_count++] = i;
	return SL_OK;
}

void forecast_state_release(struct forecast_state *state)
{
	free(state->running);
	free(state->waiting);
	*state = (struct forecast_state){ 0 };
}

static bool is_hidden(const struct forecast_span *span, sl_time time)
{
	return time != SL_NONE && span->hidden && span->hidden(span->self, time, time + 1);
}

/* When what is known of a job submitted then is over. */
static sl_time known_until(const struct forecast_span *span, sl_time submit)
{
	const sl_time end = span->hidden_from ? span->hidden_from(span->self, submit) : span->until;
	return end < span->until ? end : span->until;
}

/* A job is known by its submission; of what came of it, what came before the next time that is hidden. */
static void take_known(
	struct forecast_learned *learned, const struct forecast_log *log, const struct forecast_span *span)
{
	for (uint32_t i = 0; i < log->count && log->job[i].submit < span->until; i++) {
		struct forecast_job *job = &learned->job[learned->count];
		if (log->job[i].submit < span->from || is_hidden(span, log->job[i].submit))
			continue;
		*job = log->job[i];
		job->known = known_until(span, job->submit);
		learned->of[learned->count++] = i;
		sl_time *const time[] = { &job->start, &job->end, &job->cancel };
		for (size_t k = 0; k < SL_LEN(time); k++)
			if (*time[k] > job->known)
				*time[k] = SL_NONE; /* Nobody knew it then. */
		if (job->start != SL_NONE && job->start - job->submit > learned->wait_most)
			learned->wait_most = job->start - job->submit;
	}
}

int forecast_learn(struct forecast_learned *learned, const struct forecast_log *log,
	const struct forecast_span *span, struct sl_err *err)
{
	*learned = (struct forecast_learned){ .until = span->until };
	learned->job = malloc((log->count + 1) * sizeof(*learned->job));
	learned->of = malloc((log->count + 1) * sizeof(*learned->of));
	if (!learned->job || !learned->of)
		return sl_fail_memory(err);
	take_known(learned, log, span);
	learned->history = forecast_history_new(learned->job, learned->count, span->until, err);
	if (learned->history)
		learned->arrivals = forecast_arrivals_new(learned->job, learned->count, span, err);
	if (learned->arrivals)
		learned->waits = forecast_waits_new(learned->job, learned->count, span->until, err);
	return err->status;
}

void forecast_forget(struct forecast_learned *learned)
{
	forecast_history_free(learned->history);
	forecast_arrivals_free(learned->arrivals);
	forecast_waits_free(learned->waits);
	free(learned->job);
	free(learned->of);
	*learned = (struct forecast_learned){ 0 };
}

/* ---- Who used the machine before it: jobs that had ended, as history of the policy
 * ---------------------------- */

/* Slurm's own usage (sshare) has all of it already. */
static bool says_usage(const struct forecast_base *base)
{
	for (size_t i = 0; i < base->setting_count; i++)
		if (strncmp(base->setting[i], "cluster.usage=", strlen("cluster.usage=")) == 0)
			return true;
	return false;
}

/* A policy with fair shares begins a future with what was used shortly before (replay.before). Slurm's usage
 * halves in a week by default, so that two weeks are three quarters of all that counts. Policies without fair
 * shares are told nothing: it costs time. */
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

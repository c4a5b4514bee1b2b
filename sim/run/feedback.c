/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * feedback.c - submissions that follow the end of another job; see feedback.h.
 */
#include <string.h>

#include "sim/run/pass.h"

static sl_time *copy_times(struct sim *sim, const sl_time *column)
{
	const uint32_t count = sim->jobs->count;
	sl_time *copy = sl_alloc(sim->arena, (size_t)count + 1, sizeof(*copy));
	if (copy && count)
		memcpy(copy, column, count * sizeof(*copy));
	return copy;
}

/* Followers of one job in order of their rows. */
static void make_lists(struct feedback *feedback, const uint32_t *follows, uint32_t count)
{
	memset(feedback->follower, 0xFF, count * sizeof(*feedback->follower));
	for (uint32_t row = count; row-- > 0;) {
		if (follows[row] == UINT32_MAX)
			continue;
		feedback->beside[row] = feedback->follower[follows[row]];
		feedback->follower[follows[row]] = row;
	}
}

int feedback_init(struct sim *sim, struct sl_err *err)
{
	const struct scenario *scenario = sim->scenario;
	const uint32_t count = sim->jobs->count;
	if (!scenario->follows)
		return SL_OK;
	struct feedback *feedback = sl_alloc(sim->arena, 1, sizeof(*feedback));
	if (!feedback)
		return sl_fail_memory(err);
	sim->feedback = feedback;
	feedback->submit = copy_times(sim, scenario->jobs.submit);
	feedback->cancel = scenario->jobs.cancel ? copy_times(sim, scenario->jobs.cancel) : NULL;
	feedback->follower = sl_alloc(sim->arena, (size_t)count + 1, sizeof(*feedback->follower));
	feedback->beside = sl_alloc(sim->arena, (size_t)count + 1, sizeof(*feedback->beside));
	feedback->came = sl_alloc(sim->arena, (size_t)count + 1, sizeof(*feedback->came));
	sim->gated = sl_alloc(sim->arena, (size_t)count + 1, sizeof(*sim->gated));
	if (!feedback->submit || (scenario->jobs.cancel && !feedback->cancel) || !feedback->follower ||
		!feedback->beside || !feedback->came || !sim->gated)
		return sl_fail_memory(err);
	memset(sim->gated, 1, count);
	make_lists(feedback, scenario->follows, count);
	feedback->jobs = scenario->jobs;
	feedback->jobs.submit = feedback->submit;
	feedback->jobs.cancel = feedback->cancel;
	sim->jobs = &feedback->jobs;
	sim->submitted = count;
	return evq_init(&feedback->due, 64, err);
}

/* Without keys the queue is in order of rows, which is that of the recorded submissions. */
int feedback_keys(struct sim *sim, struct sl_err *err)
{
	if (!sim->feedback || sim->uses & SL_USE_KEYS)
		return SL_OK;
	sim->feedback->keys = true;
	sim->uses |= SL_USE_KEYS;
	if (!sim->key)
		sim->key = sl_alloc(sim->arena, (size_t)sim->jobs->count + 1, sizeof(*sim->key));
	return sim->key ? SL_OK : sl_fail_memory(err);
}

void feedback_release(struct feedback *feedback)
{
	if (feedback)
		evq_release(&feedback->due);
}

sl_time feedback_next(struct sim *sim, uint32_t *job)
{
	struct feedback *feedback = sim->feedback;
	const uint32_t *follows = sim->scenario->follows;
	const struct ev *top = evq_top(&feedback->due);
	while (feedback->next < sim->jobs->count &&
		(feedback->came[feedback->next] || follows[feedback->next] != UINT32_MAX))
		feedback->next++;
	const sl_time recorded =
		feedback->next < sim->jobs->count ? feedback->submit[feedback->next] : SL_NEVER;
	*job = feedback->next;
	if (!top || top->time > recorded || (top->time == recorded && top->row > feedback->next))
		return recorded;
	*job = top->row;
	return top->time;
}

bool feedback_comes(struct sim *sim, uint32_t job)
{
	struct feedback *feedback = sim->feedback;
	const struct ev *top = evq_top(&feedback->due);
	if (feedback->came[job])
		return false;
	if (top && top->row == job)
		(void)evq_pop(&feedback->due);
	feedback->came[job] = 1;
	if (feedback->cancel && feedback->cancel[job] != SL_NONE)
		feedback->cancel[job] += sim->now - feedback->submit[job];
	feedback->submit[job] = sim->now;
	if (feedback->keys)
		sim->key[job] = (double)sim->now;
	return true;
}

void feedback_ended(struct sim *sim, uint32_t job)
{
	struct feedback *feedback = sim->feedback;
	for (uint32_t row = feedback->follower[job]; row != UINT32_MAX; row = feedback->beside[row]) {
		feedback->due.seq = row; /* Ties by row. */
		const int status = evq_push(&feedback->due, time_after(sim->now, sim->scenario->think[row]),
			SL_EV_SUBMIT, row, &sim->err);
		if (status)
			pass_failed(sim, status);
	}
}

void feedback_over(struct sim *sim, sl_time last)
{
	struct feedback *feedback = sim->feedback;
	for (uint32_t row = 0; row < sim->jobs->count; row++)
		if (!feedback->came[row] && feedback->submit[row] <= last)
			feedback->submit[row] = last + 1;
}

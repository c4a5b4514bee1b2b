/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * feedback.c - submissions that follow the end of another job; see feedback.h.
 */
#include <string.h>

#include "sim/run/pass.h"

static sl_time *copy_times(struct sl_pass *pass, const sl_time *column)
{
	const uint32_t count = pass->jobs->count;
	sl_time *copy = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*copy));
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

int feedback_init(struct sl_pass *pass, struct sl_err *err)
{
	const struct scenario *scenario = pass->scenario;
	const uint32_t count = pass->jobs->count;
	if (!scenario->follows)
		return SL_OK;
	struct feedback *feedback = sl_alloc(pass->arena, 1, sizeof(*feedback));
	if (!feedback)
		return sl_fail_memory(err);
	pass->feedback = feedback;
	feedback->submit = copy_times(pass, scenario->jobs.submit);
	feedback->cancel = scenario->jobs.cancel ? copy_times(pass, scenario->jobs.cancel) : NULL;
	feedback->follower = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*feedback->follower));
	feedback->beside = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*feedback->beside));
	feedback->came = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*feedback->came));
	pass->gated = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*pass->gated));
	if (!feedback->submit || (scenario->jobs.cancel && !feedback->cancel) || !feedback->follower ||
		!feedback->beside || !feedback->came || !pass->gated)
		return sl_fail_memory(err);
	memset(pass->gated, 1, count);
	make_lists(feedback, scenario->follows, count);
	feedback->jobs = scenario->jobs;
	feedback->jobs.submit = feedback->submit;
	feedback->jobs.cancel = feedback->cancel;
	pass->jobs = &feedback->jobs;
	pass->submitted = count;
	return evq_init(&feedback->due, 64, err);
}

/* Without keys the queue is in order of rows, which is that of the recorded submissions. */
int feedback_keys(struct sl_pass *pass, struct sl_err *err)
{
	if (!pass->feedback || pass->uses & SL_USE_KEYS)
		return SL_OK;
	pass->feedback->keys = true;
	pass->uses |= SL_USE_KEYS;
	if (!pass->key)
		pass->key = sl_alloc(pass->arena, (size_t)pass->jobs->count + 1, sizeof(*pass->key));
	return pass->key ? SL_OK : sl_fail_memory(err);
}

void feedback_release(struct feedback *feedback)
{
	if (feedback)
		evq_release(&feedback->due);
}

sl_time feedback_next(struct sl_pass *pass, uint32_t *job)
{
	struct feedback *feedback = pass->feedback;
	const uint32_t *follows = pass->scenario->follows;
	const struct ev *top = evq_top(&feedback->due);
	while (feedback->next < pass->jobs->count &&
		(feedback->came[feedback->next] || follows[feedback->next] != UINT32_MAX))
		feedback->next++;
	const sl_time recorded =
		feedback->next < pass->jobs->count ? feedback->submit[feedback->next] : SL_NEVER;
	*job = feedback->next;
	if (!top || top->time > recorded || (top->time == recorded && top->row > feedback->next))
		return recorded;
	*job = top->row;
	return top->time;
}

bool feedback_comes(struct sl_pass *pass, uint32_t job)
{
	struct feedback *feedback = pass->feedback;
	const struct ev *top = evq_top(&feedback->due);
	if (feedback->came[job])
		return false;
	if (top && top->row == job)
		(void)evq_pop(&feedback->due);
	feedback->came[job] = 1;
	if (feedback->cancel && feedback->cancel[job] != SL_NONE)
		feedback->cancel[job] += pass->now - feedback->submit[job];
	feedback->submit[job] = pass->now;
	if (feedback->keys)
		pass->key[job] = (double)pass->now;
	return true;
}

void feedback_ended(struct sl_pass *pass, uint32_t job)
{
	struct feedback *feedback = pass->feedback;
	for (uint32_t row = feedback->follower[job]; row != UINT32_MAX; row = feedback->beside[row]) {
		feedback->due.seq = row; /* Ties by row. */
		const int status = evq_push(&feedback->due, time_after(pass->now, pass->scenario->think[row]),
			SL_EV_SUBMIT, row, &pass->err);
		if (status)
			pass_failed(pass, status);
	}
}

void feedback_over(struct sl_pass *pass, sl_time last)
{
	struct feedback *feedback = pass->feedback;
	for (uint32_t row = 0; row < pass->jobs->count; row++)
		if (!feedback->came[row] && feedback->submit[row] <= last)
			feedback->submit[row] = last + 1;
}

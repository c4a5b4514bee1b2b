/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * estimate.c - the runtime that the plan assumes: the user's estimate, the true one, or a prediction.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/composed/composed.h"

/* The truth, as far as the job will be let run. */
static sl_time exact(const struct sl_jobs *jobs, sl_job job)
{
	const sl_time run = jobs->run[job.row];
	return run < jobs->limit[job.row] ? run : jobs->limit[job.row];
}

static void exact_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	(void)composed;
	sl_set_estimate(pass, job, exact(sl_jobs_of(pass), job));
}

/* ---- From a file -------------------------------------------------------------------------- */

static int file_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	(void)composed;
	if (setup->jobs->estimate)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"estimate=file needs the file: --set replay.estimates=FILE (lines of job id and seconds)");
}

static void file_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	(void)composed;
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const sl_time estimate = jobs->estimate[job.row];
	if (estimate > 0 && estimate < jobs->limit[job.row])
		sl_set_estimate(pass, job, estimate);
}

/* Outlived: all that is left to believe is the limit. */
static void to_limit(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	(void)composed;
	sl_set_estimate(pass, job, sl_jobs_of(pass)->limit[job.row]);
}

/* ---- Tsafrir, Etsion & Feitelson, IEEE TPDS 18(6), 2007 ------------------------------------- */

struct user_history {
	int32_t user;
	uint8_t known; /* Terminated jobs, up to 2. */
	sl_time last, before;
};

static int compare_users(const void *a, const void *b)
{
	const int32_t x = ((const struct user_history *)a)->user;
	const int32_t y = ((const struct user_history *)b)->user;
	return (x > y) - (x < y);
}

static struct user_history *history_of(struct composed *composed, int32_t user)
{
	const struct user_history key = { .user = user };
	return bsearch(&key, composed->history, composed->history_count, sizeof(key), compare_users);
}

/* One row a user, by number. */
static int tsafrir_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_jobs *jobs = setup->jobs;
	composed->corrections = sl_alloc(setup->arena, jobs->count, 1);
	struct user_history *all = malloc((jobs->count ? jobs->count : 1) * sizeof(*all));
	if (!all || !composed->corrections) {
		free(all);
		return sl_fail_memory(err);
	}
	for (uint32_t i = 0; i < jobs->count; i++)
		all[i] = (struct user_history){ .user = jobs->user[i] };
	if (jobs->count)
		qsort(all, jobs->count, sizeof(*all), compare_users);
	size_t count = 0;
	for (uint32_t i = 0; i < jobs->count; i++)
		if (!i || all[i].user != all[count - 1].user)
			all[count++] = all[i];
	composed->history = sl_alloc(setup->arena, count ? count : 1, sizeof(*all));
	composed->history_count = count;
	if (composed->history)
		memcpy(composed->history, all, count * sizeof(*all));
	free(all);
	return composed->history ? SL_OK : sl_fail_memory(err);
}

/* The mean of the user's last two terminated jobs in whole seconds, at most the limit; the limit with fewer
 * than two (or no user). */
static void tsafrir_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const struct user_history *history = history_of(composed, jobs->user[job.row]);
	if (jobs->user[job.row] < 0 || !history || history->known < 2)
		return;
	sl_time mean = (history->last + history->before) / 2 / SL_SECOND * SL_SECOND;
	if (mean < SL_SECOND)
		mean = SL_SECOND;
	if (mean < jobs->limit[job.row])
		sl_set_estimate(pass, job, mean);
}

static void tsafrir_ended(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const sl_time start = sl_start_of(pass, job);
	struct user_history *history = history_of(composed, jobs->user[job.row]);
	if (start == SL_NONE || !history)
		return;
	history->before = history->last;
	history->last = sl_now(pass) - start;
	if (history->known < 2)
		history->known++;
}

/* The k-th correction adds its increment to the first prediction, in place of the one before. */
static void tsafrir_expired(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	static const int64_t minutes[] = { 0, 1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000 };
	const sl_time limit = sl_jobs_of(pass)->limit[job.row];
	uint8_t *done = &composed->corrections[job.row];
	const sl_time first = sl_estimate_of(pass, job) - minutes[*done] * 60 * SL_SECOND;
	sl_time next = limit;
	if ((size_t)*done + 1 < SL_LEN(minutes)) {
		++*done;
		next = first + minutes[*done] * 60 * SL_SECOND;
	}
	sl_set_estimate(pass, job, next < limit ? next : limit);
}

#define SL_USE_PREDICTION (SL_USE_ESTIMATES | SL_USE_EXPIRY)

const struct estimate estimates[] = {
	{ .name = "limit", .summary = "what the user asked for" },
	{ .name = "exact",
		.summary = "the run time itself, which no scheduler knows",
		.uses = SL_USE_ESTIMATES,
		.submitted = exact_submitted },
	{ .name = "tsafrir",
		.summary =
			"mean of the user's last two run times, corrected when outlived (Tsafrir et al., TPDS 2007)",
		.uses = SL_USE_PREDICTION,
		.init = tsafrir_init,
		.submitted = tsafrir_submitted,
		.ended = tsafrir_ended,
		.expired = tsafrir_expired },
	{ .name = "file",
		.summary = "predictions from replay.estimates=FILE, the limit when outlived",
		.uses = SL_USE_PREDICTION,
		.init = file_init,
		.submitted = file_submitted,
		.expired = to_limit },
	{ .name = "lua:FILE",
		.summary = "estimate(job, now) of a script; expired(job, now), or the limit, when outlived",
		.uses = SL_USE_PREDICTION,
		.init = scripted_init,
		.submitted = scripted_submitted,
		.expired = scripted_expired },
};

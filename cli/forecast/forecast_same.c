/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_same.c - jobs that the queue of now and --history both have are there once.
 *
 * Numbers that both files have are "history/17" in the further one. The queue's word counts, but where the
 * accounting says that the job ended, with the same start (it was asked later); and where both say the same
 * of a job of squeue's text, which leaves out when it was submitted and what it asks, the accounting's stays.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast.h"

static bool is_live(const struct forecast_job *job)
{
	return job->cancel == SL_NEVER || (job->start != SL_NONE && job->end == SL_NONE);
}

static void leave(struct forecast_job *job) { job->start = job->end = job->cancel = SL_NONE; }

static bool is_near(sl_time a, sl_time b)
{
	const sl_time by = a < b ? b - a : a - b;
	return by <= 2 * SL_SECOND; /* TIME is in whole seconds, and printed a while after it was asked. */
}

/* A job of the history whose own name this is is called that. */
static void take_name(struct forecast_log *log, uint32_t job, const char *name)
{
	struct sl_row_attributes *more = sl_alloc(log->arena, 1, sizeof(*more));
	char *id = sl_strdup(log->arena, name, strlen(name));
	if (!more || !id)
		return; /* It keeps the longer name. */
	*more = *log->row[job].more;
	more->id = id;
	log->row[job].more = more;
}

static void settle(struct forecast_log *log, uint32_t queued, uint32_t known, const char *name, bool poor)
{
	struct forecast_job *now = &log->job[queued], *then = &log->job[known];
	const bool runs = now->start != SL_NONE;
	const bool same_start = runs && then->start != SL_NONE && is_near(now->start, then->start);
	if (!is_live(now)) { /* It is over by the queue's word. */
		if (same_start)
			leave(then);
		return;
	}
	if (!is_live(then)) {
		if (same_start && then->end != SL_NONE)
			leave(now);
		return;
	}
	if (poor && runs == (then->start != SL_NONE)) {
		leave(now);
		take_name(log, known, name);
	} else {
		leave(then);
	}
}

int forecast_same(struct forecast_log *log, bool poor, struct sl_err *err)
{
	struct sl_names *names = sl_names_new(log->arena);
	uint32_t *of = malloc((log->count + 1) * sizeof(*of));
	char text[32];
	int status = names && of ? SL_OK : sl_fail_memory(err);
	for (uint32_t i = 0; i < log->count && !status; i++) {
		const char *name = forecast_job_name(text, log, i);
		if (strchr(name, '/'))
			continue;
		const uint32_t number = sl_names_add(names, name);
		if (number == UINT32_MAX)
			status = sl_fail_memory(err);
		else
			of[number] = i;
	}
	for (uint32_t i = 0; i < log->count && !status; i++) {
		const char *slash = strrchr(forecast_job_name(text, log, i), '/');
		const uint32_t number = slash ? sl_names_find(names, slash + 1) : UINT32_MAX;
		if (number != UINT32_MAX)
			settle(log, of[number], i, slash + 1, poor);
	}
	if (names)
		sl_names_free(names);
	free(of);
	return status;
}

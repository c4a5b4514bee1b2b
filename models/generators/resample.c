/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resample.c - another trace like this one, out of its users.
 *
 * N. Zakay, D. G. Feitelson, "Workload resampling for performance evaluation of parallel job schedulers",
 * ICPE 2013, and Concurrency and Computation 26(12), 2014: the trace is cut into one subtrace a user, and
 * users are drawn with replacement and put in at random weeks, so that each keeps the jobs, their order,
 * their gaps, and the day and hour of each. The load is scaled by the number of users.
 *
 * Here, so that at load 1 the mean over many resamples is the trace's:
 * - Long-term users: as many as the trace has, times the load, are drawn. Each begins at a random week of the
 *   trace, and goes on at the trace's beginning when it comes to the trace's end.
 * - Temporary users, whose jobs all lie within a few weeks: so many are drawn for each week as the trace has
 * a week, times the load, and begin in it. Those that begin before the first week and are still there in it
 *   are drawn too; jobs outside of the weeks that are made are cut off.
 * Numbers of draws that are not whole are rounded up with the odds of their fraction. Weeks are counted from
 * the first submission. Where a user becomes temporary is an assumption, and an option.
 */
#include "models/generators/resample.h"

#include <math.h>
#include <stdlib.h>

/* A user's jobs: member[first .. first + count). */
struct user {
	uint32_t first, count;
	int64_t week, weeks; /* Of its first job, and how many it touches. */
};

struct source {
	const struct resample_trace *trace;
	const struct resample_options *options;
	struct resample *out;
	struct user *user;
	uint32_t *member;
	uint32_t *temporary, *lasting; /* Users. */
	uint32_t *copies;              /* By user. */
	int64_t weeks_most;            /* Of a temporary user. */
};

static int64_t week_of(const struct source *w, uint32_t row)
{
	return (w->trace->submit[row] - w->trace->submit[0]) / RESAMPLE_WEEK;
}

static int source_init(struct source *w, struct sl_err *err)
{
	const struct resample_trace *t = w->trace;
	w->user = calloc(t->users, sizeof(*w->user));
	w->member = calloc(t->count, sizeof(*w->member));
	w->temporary = calloc(t->users, sizeof(*w->temporary));
	w->lasting = calloc(t->users, sizeof(*w->lasting));
	w->copies = calloc(t->users, sizeof(*w->copies));
	if (!w->user || !w->member || !w->temporary || !w->lasting || !w->copies)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < t->count; i++)
		w->user[t->user[i]].count++;
	uint32_t first = 0;
	for (uint32_t u = 0; u < t->users; u++) {
		w->user[u].first = first;
		first += w->user[u].count;
		w->user[u].count = 0;
	}
	for (uint32_t i = 0; i < t->count; i++) {
		struct user *user = &w->user[t->user[i]];
		w->member[user->first + user->count++] = i;
	}
	struct resample *out = w->out;
	for (uint32_t u = 0; u < t->users; u++) {
		struct user *user = &w->user[u];
		if (!user->count)
			continue;
		user->week = week_of(w, w->member[user->first]);
		user->weeks = week_of(w, w->member[user->first + user->count - 1]) - user->week + 1;
		if (user->weeks > w->options->temporary) {
			w->lasting[out->lasting++] = u;
			continue;
		}
		w->temporary[out->temporary++] = u;
		w->weeks_most = user->weeks > w->weeks_most ? user->weeks : w->weeks_most;
	}
	out->trace_weeks = week_of(w, t->count - 1) + 1;
	out->weeks = w->options->weeks ? w->options->weeks : out->trace_weeks;
	return SL_OK;
}

static void source_release(struct source *w)
{
	free(w->user);
	free(w->member);
	free(w->temporary);
	free(w->lasting);
	free(w->copies);
}

/* So many weeks later, if that is within what is made. */
static int resample_put(struct source *w, uint32_t row, int64_t later, uint32_t copy, struct sl_err *err)
{
	enum { MANY = 100000000 };
	struct resample *out = w->out;
	const int64_t week = week_of(w, row) + later;
	if (week < 0 || week >= out->weeks)
		return SL_OK;
	if (out->count == MANY)
		return sl_fail(err, SL_USAGE, "more than %d jobs: give less load, or fewer weeks", MANY);
	if (SL_GROW(out->job, out->capacity, out->count + 1, err))
		return SL_SYSTEM;
	const sl_time submit = w->trace->submit[row] + later * RESAMPLE_WEEK;
	out->job[out->count++] = (struct resample_job){ submit, row, out->instances, copy };
	return SL_OK;
}

/* The user's jobs so many weeks later; of a long-term user, time and again, by the trace's length. */
static int put_user(struct source *w, uint32_t u, int64_t later, bool retry, struct sl_err *err)
{
	const struct user *user = &w->user[u];
	const size_t before = w->out->count;
	int status = SL_OK;
	do {
		for (uint32_t i = 0; i < user->count && !status; i++)
			status = resample_put(w, w->member[user->first + i], later, w->copies[u], err);
		later += w->out->trace_weeks;
	} while (retry && later < w->out->weeks && !status);
	if (w->out->count > before) {
		w->out->instances++;
		w->copies[u]++;
	}
	return status;
}

/* x, or the next whole number with the odds of its fraction. */
static uint64_t whole_drawn(double x, struct sl_rng *rng)
{
	const double below = floor(x);
	return (uint64_t)below + (sl_rng_unit(rng) < x - below);
}

static int draw_lasting(struct source *w, struct sl_err *err)
{
	struct resample *out = w->out;
	struct sl_rng rng = sl_rng_stream(w->options->seed, "models/resample/long-term");
	const uint64_t count = whole_drawn(w->options->load * out->lasting, &rng);
	int status = SL_OK;
	for (uint64_t i = 0; i < count && !status; i++) {
		const uint32_t u = w->lasting[sl_rng_below(&rng, out->lasting)];
		const int64_t from = (int64_t)sl_rng_below(&rng, (uint64_t)out->trace_weeks);
		status = put_user(w, u, -from, true, err);
	}
	return status;
}

static int draw_temporary(struct source *w, struct sl_err *err)
{
	struct resample *out = w->out;
	struct sl_rng rng = sl_rng_stream(w->options->seed, "models/resample/temporary");
	const double a_week = w->options->load * out->temporary / (double)out->trace_weeks;
	int status = SL_OK;
	for (int64_t week = 1 - w->weeks_most; week < out->weeks && out->temporary && !status; week++) {
		const uint64_t count = whole_drawn(a_week, &rng);
		for (uint64_t i = 0; i < count && !status; i++) {
			const uint32_t u = w->temporary[sl_rng_below(&rng, out->temporary)];
			status = put_user(w, u, week - w->user[u].week, false, err);
		}
	}
	return status;
}

static int by_submit(const void *a, const void *b)
{
	const struct resample_job *x = a;
	const struct resample_job *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

int resample_make(struct resample *r, const struct resample_trace *trace,
	const struct resample_options *options, struct sl_err *err)
{
	SL_CHECK(trace->count > 0 && trace->users > 0);
	*r = (struct resample){ 0 };
	struct source w = { .trace = trace, .options = options, .out = r };
	int status = source_init(&w, err);
	if (!status)
		status = draw_lasting(&w, err);
	if (!status)
		status = draw_temporary(&w, err);
	if (!status && !r->count)
		status = sl_fail(err, SL_USAGE, "not one job was drawn: give more load, or more weeks");
	if (!status)
		qsort(r->job, r->count, sizeof(*r->job), by_submit);
	source_release(&w);
	return status;
}

void resample_release(struct resample *r) { free(r->job); }

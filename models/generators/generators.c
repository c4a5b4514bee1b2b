/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generators.c - what generators share: arrivals, users, what users request, and rows.
 *
 * Arrivals are a renewal process with exponential, Weibull, gamma or constant gaps, or a Poisson process
 * whose rate changes by the hour of the week, by thinning (P. A. W. Lewis, G. S. Shedler, "Simulation of
 * nonhomogeneous Poisson processes by thinning", Naval Research Logistics Quarterly 26(3), 1979): candidates
 * at the highest rate, of which each stays with the odds of its hour's rate. Estimates: the f-model of
 * A. W. Mu'alem, D. G. Feitelson (TPDS 12(6), 2001), or a menu of round values. Each quantity draws from a
 * stream of its own: another estimate moves no arrival.
 */
#include "models/generators/generators.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Monday's midnight, as UnixStartTime: the fourth day after 1970-01-01, a Thursday. */
#define MONDAY       INT64_C(345600)
#define GEN_TIME_MAX INT64_C(4000000000000000000)

int64_t gen_number(const struct gen_work *w, size_t param) { return w->values[param].number; }
double gen_real(const struct gen_work *w, size_t param) { return (double)gen_number(w, param) / 1e6; }
bool gen_given(const struct gen_work *w, size_t param) { return w->values[param].text != NULL; }

static struct sl_rng stream_of(const char *name, const char *what, uint64_t seed)
{
	char path[96];
	(void)snprintf(path, sizeof(path), "models/%s/%s", name, what);
	return sl_rng_stream(seed, path);
}

struct sl_rng gen_stream(const struct gen_work *w, const char *what)
{
	return stream_of(w->kind->name, what, w->seed);
}

/* ---- Arrivals ---------------------------------------------------------------------- */

static int cycle_init(struct gen_arrivals *a, const char *day_text, const char *week_text, struct sl_err *err)
{
	int64_t day[GEN_DAY_HOURS];
	int64_t week[GEN_WEEK_DAYS];
	bool good = gen_numbers(day_text, "+", day, GEN_DAY_HOURS) == GEN_DAY_HOURS;
	if (!good)
		return sl_fail(err, SL_USAGE, "'day' of '%s': give 24 numbers with + between them", day_text);
	good = gen_numbers(week_text, "+", week, GEN_WEEK_DAYS) == GEN_WEEK_DAYS;
	if (!good)
		return sl_fail(
			err, SL_USAGE, "'week' of '%s': give 7 numbers with + between them", week_text);
	int64_t total = 0;
	for (size_t h = 0; h < GEN_WEEK_HOURS; h++) {
		const int64_t of_day = day[h % GEN_DAY_HOURS];
		const int64_t of_week = week[h / GEN_DAY_HOURS];
		if (of_day < 0 || of_week < 0 || of_day > 1000 * GEN_MICRO || of_week > 1000 * GEN_MICRO)
			return sl_fail(err, SL_USAGE, "'day' and 'week': give weights from 0 to 1000");
		a->weight[h] = sl_mul_div(of_day, of_week, GEN_MICRO);
		a->heaviest = a->weight[h] > a->heaviest ? a->weight[h] : a->heaviest;
		total += a->weight[h];
	}
	if (!total)
		return sl_fail(err, SL_USAGE, "'day' and 'week': one weight at least must be above 0");
	a->heaviest_of_mean = (double)a->heaviest * GEN_WEEK_HOURS / (double)total;
	return SL_OK;
}

/* gap in microseconds. */
static int gen_arrivals_init(struct gen_arrivals *a, const struct sl_value *values, double gap,
	const char *name, uint64_t seed, struct sl_err *err)
{
	*a = (struct gen_arrivals){ .kind = (enum gen_arrivals_kind)values[GEN_ARRIVALS].number,
		.gap = gap,
		.shape = (double)values[GEN_SHAPE].number / 1e6,
		.rng = stream_of(name, "arrival", seed),
		.thinning = stream_of(name, "thinning", seed) };
	if (a->kind == GEN_CYCLIC)
		return cycle_init(a, values[GEN_DAY].text, values[GEN_WEEK].text, err);
	if (a->kind == GEN_WEIBULL) { /* The mean is scale * Gamma(1 + 1 / shape). */
		gsl_sf_result mean;
		if (gsl_sf_gamma_e(1 + 1 / a->shape, &mean))
			return sl_fail(err, SL_USAGE, "'shape' is too small for Weibull gaps: give more");
		a->scale = floor(1e12 / mean.val + 0.5) / 1e12;
	}
	return SL_OK;
}

/* Microseconds, at the mean rate. */
static double gap_drawn(struct gen_arrivals *a)
{
	switch (a->kind) {
	case GEN_WEIBULL: {
		const double x = gen_exponential(&a->rng);
		return x > 0 ? a->gap * a->scale * sl_exp(fmax(-600, sl_ln(x) / a->shape)) : 0;
	}
	case GEN_GAMMA:
		return gen_gamma(&a->rng, a->shape, a->gap / a->shape);
	case GEN_CONSTANT:
		return a->gap;
	case GEN_POISSON:
	case GEN_CYCLIC:
		break;
	}
	return a->gap * gen_exponential(&a->rng);
}

static sl_time gen_arrivals_next(struct gen_arrivals *a)
{
	const double far = 9e15; /* More than two centuries on: held there. */
	for (;;) {
		double gap = gap_drawn(a);
		if (a->kind == GEN_CYCLIC)
			gap /= a->heaviest_of_mean;
		a->now += (sl_time)floor(gap + 0.5 < far ? gap + 0.5 : far);
		if (a->now > GEN_TIME_MAX)
			a->now = GEN_TIME_MAX;
		if (a->kind != GEN_CYCLIC || a->now == GEN_TIME_MAX)
			return a->now;
		const int64_t hour = a->now / (3600 * SL_SECOND) % GEN_WEEK_HOURS;
		if ((int64_t)sl_rng_below(&a->thinning, (uint64_t)a->heaviest) < a->weight[hour])
			return a->now;
	}
}

static int draw_arrivals(struct gen_work *w, struct sl_err *err)
{
	double gap = (double)gen_number(w, GEN_GAP);
	if (gen_given(w, GEN_LOAD)) {
		__int128 work = 0;
		for (uint32_t i = 0; i < w->count; i++)
			work += (__int128)w->job[i].size * w->job[i].run;
		gap = (double)work / w->count / w->cpus / gen_real(w, GEN_LOAD) * (double)SL_SECOND;
	}
	struct gen_arrivals a;
	const int status = gen_arrivals_init(&a, w->values, gap, w->kind->name, w->seed, err);
	for (uint32_t i = 0; i < w->count && !status; i++)
		w->job[i].submit = gen_arrivals_next(&a);
	if (!status && w->job[w->count - 1].submit == GEN_TIME_MAX)
		return sl_fail(err, SL_USAGE,
			"the last job would come after the end of time: give a shorter 'gap', a higher 'load', or "
			"fewer jobs");
	return status;
}

/* ---- Users, and what they request ---------------------------------------------------- */

static int draw_users(struct gen_work *w, struct sl_err *err)
{
	const uint32_t users = (uint32_t)gen_number(w, GEN_USERS);
	uint64_t *below = calloc(users, sizeof(*below));
	if (!below)
		return sl_fail_memory(err);
	struct sl_rng rng = gen_stream(w, "user");
	gen_zipf(below, users, gen_real(w, GEN_ZIPF));
	for (uint32_t i = 0; i < w->count; i++)
		w->job[i].user = gen_zipf_drawn(below, users, &rng);
	free(below);
	return SL_OK;
}

static int64_t menu_of(int64_t run)
{
	static const int64_t menu[] = { 300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 64800 };
	for (size_t i = 0; i < SL_LEN(menu); i++)
		if (run <= menu[i])
			return menu[i];
	return (run + 86399) / 86400 * 86400;
}

static void draw_estimates(struct gen_work *w)
{
	enum { EXACT, F_MODEL, MENU };
	struct sl_rng rng = gen_stream(w, "estimate");
	const double factor = gen_real(w, GEN_FACTOR);
	for (uint32_t i = 0; i < w->count; i++) {
		struct gen_job *job = &w->job[i];
		job->limit = job->run;
		if (gen_number(w, GEN_ESTIMATES) == F_MODEL)
			job->limit = gen_whole((double)job->run * (1 + sl_rng_unit(&rng) * (factor - 1)));
		else if (gen_number(w, GEN_ESTIMATES) == MENU)
			job->limit = menu_of(job->run);
		job->limit = job->limit < w->run_max ? job->limit : w->run_max;
	}
}

/* ---- Rows ------------------------------------------------------------------------------ */

static int emit_header(const struct gen_work *w, const struct sl_sink *sink, struct sl_err *err)
{
	char jobs[32];
	char cpus[32];
	char start[32];
	*sl_put_i64(jobs, w->count) = '\0';
	*sl_put_i64(cpus, w->cpus) = '\0';
	*sl_put_i64(start, MONDAY) = '\0';
	/* SWF's processors are the GPUs; what a table of GPUs runs on, a cluster file says. */
	const bool processors = !w->kind->gpus || !gen_number(w, GEN_FORMAT);
	const char *const line[][2] = {
		{ "Version", "2.2" },
		{ "Computer", "synthetic" },
		{ "MaxJobs", jobs },
		{ "UnixStartTime", start },
		{ "MaxNodes", processors ? cpus : NULL },
		{ "MaxProcs", processors ? cpus : NULL },
		{ "Note", "zero is a Monday's midnight" },
		{ "Note", w->kind->note[0] },
		{ "Note", w->kind->note[1] },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(line) && !status; i++)
		if (line[i][1] && sink->header)
			status = sink->header(sink->self, line[i][0], line[i][1], NULL, err);
	return status;
}

/* What a table says beyond SWF. */
struct more {
	struct sl_row_attributes more;
	struct sl_row_group group;
	struct sl_job_attributes job;
	struct sl_profile profile;
	char user[32];
};

static void set_more(const struct gen_work *w, const struct gen_job *job, struct more *m)
{
	m->group = (struct sl_row_group){ .tasks = job->size,
		SL_ROW_GROUP_NOTHING,
		.cpus = 1,
		.mem = SL_NONE,
		.gpus = w->kind->gpus ? 1 : SL_NONE };
	m->job = (struct sl_job_attributes){ SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE,
		.state_recorded = (enum sl_state)job->state };
	sl_profile_clear(&m->profile);
	m->profile.parallelism = job->parallelism;
	m->profile.variance = job->variance;
	m->profile.model = w->models ? w->models[job->what] : NULL;
	(void)snprintf(m->user, sizeof(m->user), "user%u", job->user);
	m->more = (struct sl_row_attributes){
		.user = m->user, .group = &m->group, .group_count = 1, .job = &m->job, .profile = &m->profile
	};
}

/* SWF: 1 completed, 0 failed, 5 cancelled. */
static int64_t status_of(uint32_t state)
{
	return state == SL_COMPLETED ? 1 : state == SL_CANCELLED ? 5 : state == SL_FAILED ? 0 : SL_NONE;
}

static int emit_jobs(const struct gen_work *w, const struct sl_sink *sink, struct sl_err *err)
{
	struct more more;
	struct sl_row row = { .more = gen_number(w, GEN_FORMAT) ? &more.more : NULL };
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct gen_job *job = &w->job[i];
		row.line = i + 1;
		row.col[SL_COL_ID] = i + 1;
		row.col[SL_COL_SUBMIT] = (job->submit + SL_SECOND / 2) / SL_SECOND * SL_SECOND;
		row.col[SL_COL_RUN] = job->run * SL_SECOND;
		row.col[SL_COL_LIMIT] = job->limit * SL_SECOND;
		row.col[SL_COL_STATUS] = status_of(job->state);
		if (row.more) {
			set_more(w, job, &more);
		} else {
			row.col[SL_COL_CPUS] = job->size;
			row.col[SL_COL_REQ_CPUS] = job->size;
			row.col[SL_COL_USER] = job->user;
			row.col[SL_COL_QUEUE] = w->kind->queues ? job->what : 0;
		}
		const int status = sink->job(sink->self, &row, err);
		if (status)
			return status;
	}
	return SL_OK;
}

int gen_make_named(const struct gen_kind *kind, const struct sl_value *values, uint64_t seed,
	const struct gen_names *models, const struct sl_sink *sink, struct sl_err *err)
{
	/* Its default is to abort; idempotent, and the only thing shared. */
	gsl_set_error_handler_off();
	struct gen_work w = { .kind = kind,
		.values = values,
		.seed = seed,
		.models = models ? models->name : NULL,
		.model_count = models ? models->count : 0,
		.count = (uint32_t)values[GEN_JOBS].number,
		.cpus = (int32_t)values[GEN_CPUS].number,
		.run_max = values[GEN_MAX_RUN].number / SL_SECOND };
	w.job = calloc(w.count, sizeof(*w.job));
	if (!w.job)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < w.count; i++)
		w.job[i].parallelism = w.job[i].variance = SL_NONE;
	int status = kind->draw(&w, err);
	for (uint32_t i = 0; i < w.count && !status; i++)
		w.job[i].run = w.job[i].run < w.run_max ? w.job[i].run : w.run_max;
	if (!status && !kind->own_arrivals)
		status = draw_arrivals(&w, err);
	if (!status)
		status = draw_users(&w, err);
	if (!status) {
		draw_estimates(&w);
		status = emit_header(&w, sink, err);
	}
	if (!status)
		status = emit_jobs(&w, sink, err);
	free(w.job);
	return status;
}

int gen_make(const struct gen_kind *kind, const struct sl_value *values, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	return gen_make_named(kind, values, seed, NULL, sink, err);
}

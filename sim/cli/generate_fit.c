/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generate_fit.c - schedlab generate fit: the numbers of a model that is like a trace, the line that
 * generates from them, and how near what it generates is.
 *
 * Near: for sizes, run times and gaps, quantiles of both, the distances of Kolmogorov and Smirnov and of
 * Anderson and Darling, and the offered load. No p-values: the numbers are of the same data.
 */
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

#include "models/generators/fit.h"
#include "sim/cli/generate.h"
#include "sim/plugins.h"

enum { SAMPLES = 3 };
static const char *const sample_name[SAMPLES] = { "gap", "size", "run" };

/* Sizes, run times and gaps of a trace, each sorted. */
struct samples {
	double *x[SAMPLES];
	size_t count, capacity;
	double work, span; /* Processor-seconds; seconds. */
	sl_time first, last;
};

struct fitting {
	const struct args *args;
	const struct fit_model *model;
	const struct sl_generator *generator;
	struct sl_value *values;
	uint64_t seed;
	struct scenario scenario;
	struct row_said {
		enum sl_state ends;
		double parallelism, sigma;
	} * said; /* By row of the file, of those that stay. */
	size_t said_count, said_capacity;
	int64_t cpus; /* By the header. */
	struct fit_job *job;
	struct fit_trace trace;
	struct fit_found found;
	struct samples traced, made;
};

/* ---- The trace -------------------------------------------------------------------------------- */

static int on_header(void *self, const char *key, const char *value, struct sl_err *err)
{
	struct fitting *f = self;
	int64_t cpus;
	(void)err;
	if (strcmp(key, "MaxProcs") == 0 || (strcmp(key, "MaxNodes") == 0 && !f->cpus))
		if (sl_get_i64(value, strlen(value), &cpus) && cpus > 0)
			f->cpus = cpus;
	return SL_OK;
}

static enum sl_state ended(const struct sl_row *row)
{
	if (row->more && row->more->job && row->more->job->state_recorded != SL_PENDING)
		return row->more->job->state_recorded;
	const int64_t status = row->col[SL_COL_STATUS];
	return status == 1 ? SL_COMPLETED : status == 0 ? SL_FAILED : status == 5 ? SL_CANCELLED : SL_PENDING;
}

static int on_row(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct fitting *f = self;
	if (gone)
		return SL_OK;
	void *array = f->said;
	const int status =
		grow(&array, &f->said_capacity, sizeof(*f->said), f->said_count + 1, UINT32_MAX, err);
	f->said = array;
	if (status)
		return status;
	const struct sl_profile *profile = row->more ? row->more->profile : NULL;
	const bool says = profile && profile->parallelism >= 0 && profile->variance >= 0;
	f->said[f->said_count++] = (struct row_said){ ended(row),
		says ? (double)profile->parallelism / 1e6 : -1, says ? (double)profile->variance / 1e6 : -1 };
	return SL_OK;
}

/* So that no submission lies before a Monday's midnight that hours are counted from. */
static int64_t clock_of(const struct scenario *s)
{
	enum { THURSDAY = 3, DAY = 86400 }; /* That 1970-01-01 was. */
	const int64_t week = INT64_C(7) * DAY;
	const int64_t first = s->jobs.submit[0] / SL_SECOND;
	int64_t since = s->epoch ? (s->epoch + s->utc_offset + (int64_t)THURSDAY * DAY) % week : 0;
	since += since < 0 ? week : 0;
	return first < 0 ? since + (-first / week + 1) * week : since;
}

static int trace_of(struct fitting *f, struct sl_err *err)
{
	const struct sl_jobs *jobs = &f->scenario.jobs;
	int64_t most = f->cpus;
	f->job = calloc(jobs->count ? jobs->count : 1, sizeof(*f->job));
	if (!f->job)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < jobs->count; i++) {
		const struct row_said *said = &f->said[jobs->place ? jobs->place[i] : i];
		f->job[i] = (struct fit_job){ .submit = jobs->submit[i],
			.run = (jobs->run[i] + SL_SECOND - 1) / SL_SECOND,
			.limit = jobs->limit[i] / SL_SECOND,
			.size = jobs->size[i],
			.ends = said->ends,
			.parallelism = said->parallelism,
			.sigma = said->sigma };
		most = jobs->size[i] > most ? jobs->size[i] : most;
	}
	uint64_t cpus;
	const int status = arg_u64(f->args, "cpus", (uint64_t)most, 1, 10000000, &cpus, err);
	if (status)
		return status;
	if ((int64_t)cpus < most && arg(f->args, "cpus"))
		for (uint32_t i = 0; i < jobs->count; i++)
			if (f->job[i].size > (int64_t)cpus)
				return sl_fail(err, SL_USAGE, "--cpus %s: a job asks %d: give as many",
					arg(f->args, "cpus"), f->job[i].size);
	if (cpus > 10000000)
		return sl_fail(
			err, SL_INPUT, "a machine of more than 10000000 processors: none can be generated");
	f->trace = (struct fit_trace){
		.job = f->job, .count = jobs->count, .cpus = (int32_t)cpus, .clock = clock_of(&f->scenario)
	};
	uint32_t *user = NULL;
	uint32_t users;
	int64_t largest;
	const int numbered = generate_users(jobs, &user, &users, &largest, err);
	for (uint32_t i = 0; i < jobs->count && !numbered; i++)
		f->job[i].user = user[i];
	free(user);
	return numbered;
}

static int trace_read(struct fitting *f, struct sl_err *err)
{
	const struct scenario_watch watch = { f, on_header, on_row };
	const struct scenario_options options = { .trace = f->args->word[1],
		.registry = f->args->registry,
		.strict = arg_flag(f->args, "strict"),
		.any_machine = true,
		.watch = &watch };
	const int status = scenario_load(&f->scenario, &options, err);
	if (status)
		return status;
	talk_oddities(&f->scenario);
	if (f->scenario.jobs.count < 20)
		return sl_fail(err, SL_INPUT, "%s: a fit needs 20 jobs or more, it has %u", f->args->word[1],
			f->scenario.jobs.count);
	return trace_of(f, err);
}

/* ---- What the numbers generate ------------------------------------------------------------------- */

static int sample_add(struct samples *s, sl_time submit, double size, double run, struct sl_err *err)
{
	if (s->count == s->capacity) {
		size_t capacity = s->capacity;
		for (size_t i = 0; i < SAMPLES; i++) {
			void *array = s->x[i];
			capacity = s->capacity;
			const int status =
				grow(&array, &capacity, sizeof(*s->x[i]), s->count + 1, UINT32_MAX, err);
			s->x[i] = array;
			if (status)
				return status;
		}
		s->capacity = capacity;
	}
	if (!s->count)
		s->first = s->last = submit;
	s->x[0][s->count] = (double)(submit - s->last) / 1e6;
	s->x[1][s->count] = size;
	s->x[2][s->count++] = run;
	s->last = submit;
	s->work += size * run;
	return SL_OK;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y); /* Equal ones are alike. */
}

static void samples_end(struct samples *s)
{
	s->span = (double)(s->last - s->first) / 1e6;
	for (size_t i = 0; i < SAMPLES; i++)
		qsort(s->x[i], s->count, sizeof(*s->x[i]), ascending);
}

static int on_made(void *self, const struct sl_row *row, struct sl_err *err)
{
	const struct sl_row_group *group = row->more && row->more->group_count ? row->more->group : NULL;
	const int64_t size = group ? group->tasks : row->col[SL_COL_CPUS];
	return sample_add(self, row->col[SL_COL_SUBMIT], (double)size,
		(double)row->col[SL_COL_RUN] / (double)SL_SECOND, err);
}

static int compare(struct fitting *f, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < f->trace.count && !status; i++)
		status = sample_add(&f->traced, f->job[i].submit, f->job[i].size, (double)f->job[i].run, err);
	const struct sl_sink sink = { .self = &f->made, .job = on_made };
	if (!status)
		status = f->generator->generate(f->values, f->generator->param_count, f->seed, &sink, err);
	if (status)
		return status;
	samples_end(&f->traced);
	samples_end(&f->made);
	return SL_OK;
}

/* ---- Said ------------------------------------------------------------------------------------------ */

static const char *number(char text[32], double x)
{
	*sl_put_micro(text, (int64_t)(x * 1e6 + (x < 0 ? -0.5 : 0.5))) = '\0';
	return text;
}

static const char *rounded(char text[32], double x)
{
	(void)snprintf(text, 32, x < 10 ? "%.3f" : x < 1000 ? "%.1f" : "%.0f", x);
	return text;
}

static void say_quantiles(const struct fitting *f)
{
	static const int percent[] = { 5, 25, 50, 75, 95, 99 };
	char text[32];
	printf("%-14s", "quantiles");
	for (size_t q = 0; q < SL_LEN(percent); q++)
		printf(" %9d%%", percent[q]);
	printf(" %10s %8s %10s\n", "mean", "KS", "AD");
	for (size_t i = 0; i < SAMPLES; i++) {
		for (int which = 0; which < 2; which++) {
			const struct samples *s = which ? &f->made : &f->traced;
			double sum = 0;
			for (size_t k = 0; k < s->count; k++)
				sum += s->x[i][k];
			printf("%-4s %-9s", sample_name[i], which ? "generated" : "trace");
			for (size_t q = 0; q < SL_LEN(percent); q++)
				printf(" %10s",
					rounded(text, s->x[i][(s->count - 1) * (size_t)percent[q] / 100]));
			printf(" %10s", rounded(text, sum / (double)s->count));
			if (which) {
				const struct samples *t = &f->traced;
				printf(" %8.4f", fit_ks(t->x[i], t->count, s->x[i], s->count));
				printf(" %10.2f", fit_ad(t->x[i], t->count, s->x[i], s->count));
			}
			printf("\n");
		}
	}
	printf("jobs: %zu in the trace, %zu generated (seed %llu); KS, AD: distances of these two samples\n",
		f->traced.count, f->made.count, (unsigned long long)f->seed);
	char other[32];
	printf("offered load: %s in the trace, %s generated\n\n",
		rounded(text, f->traced.work / f->traced.span / f->trace.cpus),
		rounded(other, f->made.work / f->made.span / f->trace.cpus));
}

static void say_line(const struct fitting *f)
{
	printf("schedlab generate %s", f->generator->name);
	for (size_t i = 0; i < f->found.count; i++) {
		printf(" --");
		for (const char *p = f->found.param[i].key; *p; p++)
			putchar(*p == '_' ? '-' : *p);
		printf(" %s", f->found.param[i].text);
	}
	printf(" --seed %llu\n", (unsigned long long)f->seed);
}

static void say_found(const struct fitting *f)
{
	char text[32];
	printf("%s: %s\n", f->generator->name, f->model->how);
	printf("of %s: %u jobs, %s days, %d processors or GPUs\n\n", f->args->word[1], f->trace.count,
		number(text, f->traced.span / 86400), f->trace.cpus);
	for (size_t i = 0; i < f->found.count; i++)
		printf("%-14s %s\n", f->found.param[i].key, f->found.param[i].text);
	printf("\n");
	say_quantiles(f);
	say_line(f);
}

/* ---- The command -------------------------------------------------------------------------------------- */

static int choose(struct fitting *f, struct sl_err *err)
{
	const char *name = arg(f->args, "model") ? arg(f->args, "model") : fit_models[0]->generator;
	const struct sl_generator *const *generators = f->args->registry->generators;
	for (size_t i = 0; fit_models[i]; i++)
		if (strcmp(fit_models[i]->generator, name) == 0)
			f->model = fit_models[i];
	for (size_t i = 0; generators[i] && f->model; i++)
		if (strcmp(generators[i]->name, name) == 0)
			f->generator = generators[i];
	return f->generator
		       ? SL_OK
		       : sl_fail(err, SL_USAGE,
				 "no fit for model '%s': give mixture, lublin, downey, jann, gavel or gpu",
				 name);
}

static int values_of(struct fitting *f, struct sl_err *err)
{
	const struct sl_generator *g = f->generator;
	struct sl_arena *arena = f->args->arena;
	f->values = sl_alloc(arena, g->param_count, sizeof(*f->values));
	if (!f->values)
		return sl_fail_memory(err);
	int status = values_parse(f->values, g->params, g->param_count, NULL, g->name, arena, err);
	for (size_t i = 0; i < f->found.count && !status; i++) {
		size_t p = 0;
		while (p < g->param_count && strcmp(g->params[p].key, f->found.param[i].key) != 0)
			p++;
		SL_CHECK(p < g->param_count);
		status = value_set(&f->values[p], &g->params[p], f->found.param[i].text, g->name, arena, err);
	}
	return status;
}

static int fit_all(struct fitting *f, struct sl_err *err)
{
	int status = choose(f, err);
	if (!status)
		status = arg_u64(f->args, "seed", 1, 0, UINT64_MAX, &f->seed, err);
	if (!status)
		status = trace_read(f, err);
	if (!status)
		status = fit_found_init(&f->found, err);
	if (!status)
		status = f->model->fit(&f->trace, &f->found, err);
	if (!status)
		status = values_of(f, err);
	if (!status)
		status = compare(f, err);
	if (status)
		return status;
	if (arg_flag(f->args, "line"))
		say_line(f);
	else
		say_found(f);
	const char *path = arg(f->args, "output");
	return path ? generate_write(f->generator, f->values, f->seed, path, f->args->arena, err) : SL_OK;
}

static int fit_run(const struct args *args, struct sl_err *err)
{
	if (args->word_count != 2)
		return sl_fail(err, SL_USAGE, "give one trace: schedlab generate fit TRACE");
	gsl_set_error_handler_off(); /* Its default is to abort. */
	struct fitting f = { .args = args };
	const int status = fit_all(&f, err);
	scenario_release(&f.scenario);
	fit_found_release(&f.found);
	free(f.said);
	free(f.job);
	for (size_t i = 0; i < SAMPLES; i++) {
		free(f.traced.x[i]);
		free(f.made.x[i]);
	}
	return status;
}

static const struct option_def options[] = {
	{ "model", 0, "MODEL", false, "mixture (default), lublin, downey, jann, gavel or gpu" },
	{ "cpus", 0, "1..10000000", false,
		"processors of the machine, or GPUs; default: as the trace's header says, else the largest job" },
	{ "line", 0, NULL, false, "print nothing but the line that generates" },
	{ OPTION_STRICT },
};

const struct generate_way generate_fit = { "fit", options, SL_LEN(options), fit_run };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.c - what fits have in common: the search, arrivals with their cycle, users, classes of sizes.
 */
#include "models/generators/fit.h"

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is found ------------------------------------------------------------------- */

int fit_found_init(struct fit_found *found, struct sl_err *err)
{
	*found = (struct fit_found){ .space = calloc(FIT_PARAMS, FIT_TEXT) };
	return found->space ? SL_OK : sl_fail_memory(err);
}

void fit_found_release(struct fit_found *found) { free(found->space); }

void fit_say(struct fit_found *found, const char *key, const char *text)
{
	SL_CHECK(found->count < FIT_PARAMS && strlen(text) < FIT_TEXT);
	char *to = found->space + found->count * FIT_TEXT;
	memcpy(to, text, strlen(text) + 1);
	found->param[found->count].key = key;
	found->param[found->count++].text = to;
}

void fit_say_real(struct fit_found *found, const char *key, double value)
{
	char text[32];
	*sl_put_micro(text, (int64_t)floor(value * 1e6 + 0.5)) = '\0';
	fit_say(found, key, text);
}

void fit_say_whole(struct fit_found *found, const char *key, int64_t value)
{
	char text[32];
	*sl_put_i64(text, value) = '\0';
	fit_say(found, key, text);
}

/* ---- The search ------------------------------------------------------------------------ */

struct search {
	fit_function *f;
	void *self;
};

static double fit_at(const gsl_vector *x, void *self)
{
	const struct search *search = self;
	const double value = search->f(gsl_vector_const_ptr(x, 0), search->self);
	return isfinite(value) ? value : 1e300;
}

int fit_minimize(fit_function *f, void *self, double *x, const double *step, size_t n, struct sl_err *err)
{
	enum { STEPS_MAX = 4000 };
	struct search search = { f, self };
	gsl_multimin_function function = { fit_at, n, &search };
	gsl_multimin_fminimizer *s = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
	gsl_vector *from = gsl_vector_alloc(n);
	gsl_vector *steps = gsl_vector_alloc(n);
	int status = SL_OK;
	if (s && from && steps) {
		for (size_t i = 0; i < n; i++) {
			gsl_vector_set(from, i, x[i]);
			gsl_vector_set(steps, i, step[i]);
		}
		(void)gsl_multimin_fminimizer_set(s, &function, from, steps);
		for (int i = 0; i < STEPS_MAX; i++)
			if (gsl_multimin_fminimizer_iterate(s) ||
				gsl_multimin_test_size(gsl_multimin_fminimizer_size(s), 1e-6) == GSL_SUCCESS)
				break;
		for (size_t i = 0; i < n; i++)
			x[i] = gsl_vector_get(s->x, i);
	} else {
		status = sl_fail_memory(err);
	}
	gsl_multimin_fminimizer_free(s);
	gsl_vector_free(from);
	gsl_vector_free(steps);
	return status;
}

/* ---- Arrivals ---------------------------------------------------------------------------- */

enum { DAY = 24, WEEK = 7 };

struct gaps {
	const struct fit_trace *trace;
	double mean; /* Seconds. */
};

/* Seconds; what came at one instant is taken for half a second apart. */
static double gap_of(const struct fit_trace *t, uint32_t i)
{
	return fmax(0.5, (double)(t->job[i + 1].submit - t->job[i].submit) / 1e6);
}

static double weibull_less(const double *x, void *self)
{
	const struct gaps *g = self;
	const double shape = exp(x[0]);
	gsl_sf_result mean;
	if (shape < 0.1 || shape > 100 || gsl_sf_gamma_e(1 + 1 / shape, &mean))
		return HUGE_VAL;
	const double scale = g->mean / mean.val;
	double sum = 0;
	for (uint32_t i = 0; i + 1 < g->trace->count; i++) {
		const double ln = log(gap_of(g->trace, i) / scale);
		sum += log(shape / scale) + (shape - 1) * ln - exp(shape * ln);
	}
	return -sum;
}

static double gamma_less(const double *x, void *self)
{
	const struct gaps *g = self;
	const double shape = exp(x[0]);
	gsl_sf_result ln_gamma;
	if (shape < 0.1 || shape > 100 || gsl_sf_lngamma_e(shape, &ln_gamma))
		return HUGE_VAL;
	const double scale = g->mean / shape;
	double sum = 0;
	for (uint32_t i = 0; i + 1 < g->trace->count; i++) {
		const double gap = gap_of(g->trace, i);
		sum += (shape - 1) * log(gap) - gap / scale - shape * log(scale) - ln_gamma.val;
	}
	return -sum;
}

struct cycle {
	double day[DAY], week[WEEK]; /* Their product: jobs a second. */
	double jobs[WEEK][DAY], seconds[WEEK][DAY];
	double mean; /* Jobs a second, over a week. */
	double likelihood;
};

static void cycle_count(struct cycle *c, const struct fit_trace *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const int64_t hour = (t->job[i].submit / SL_SECOND + t->clock) / 3600;
		c->jobs[hour / DAY % WEEK][hour % DAY]++;
	}
	int64_t from = t->job[0].submit / SL_SECOND + t->clock;
	const int64_t to = t->job[t->count - 1].submit / SL_SECOND + t->clock;
	const int64_t weeks = (to - from) / ((int64_t)WEEK * DAY * 3600); /* Each has all hours. */
	for (size_t h = 0; h < (size_t)WEEK * DAY; h++)
		c->seconds[h / DAY][h % DAY] = 3600 * (double)weeks;
	from += weeks * WEEK * DAY * 3600;
	while (from < to) {
		const int64_t hour = from / 3600;
		const int64_t until = (hour + 1) * 3600 < to ? (hour + 1) * 3600 : to;
		c->seconds[hour / DAY % WEEK][hour % DAY] += (double)(until - from);
		from = until;
	}
}

/* A day or an hour that the trace does not touch, below 0, is like the others on average. */
static void fit_fill(double *factor, size_t count)
{
	double sum = 0;
	double known = 0;
	for (size_t i = 0; i < count; i++) {
		sum += factor[i] >= 0 ? factor[i] : 0;
		known += factor[i] >= 0;
	}
	for (size_t i = 0; i < count; i++)
		if (factor[i] < 0)
			factor[i] = known > 0 ? sum / known : 1;
}

/* The likeliest Poisson process whose rate is a product of hour and day: each factor in turn, until they
 * stand. */
static void cycle_fit(struct cycle *c, const struct fit_trace *t)
{
	cycle_count(c, t);
	for (size_t h = 0; h < DAY; h++)
		c->day[h] = 1;
	for (int round = 0; round < 50; round++) {
		for (size_t d = 0; d < WEEK; d++) {
			double jobs = 0;
			double seconds = 0;
			for (size_t h = 0; h < DAY; h++) {
				jobs += c->jobs[d][h];
				seconds += c->seconds[d][h] * c->day[h];
			}
			c->week[d] = seconds > 0 ? jobs / seconds : -1;
		}
		fit_fill(c->week, WEEK);
		for (size_t h = 0; h < DAY; h++) {
			double jobs = 0;
			double seconds = 0;
			for (size_t d = 0; d < WEEK; d++) {
				jobs += c->jobs[d][h];
				seconds += c->seconds[d][h] * c->week[d];
			}
			c->day[h] = seconds > 0 ? jobs / seconds : -1;
		}
		fit_fill(c->day, DAY);
	}
	for (size_t d = 0; d < WEEK; d++) {
		for (size_t h = 0; h < DAY; h++) {
			const double rate = c->week[d] * c->day[h];
			c->mean += rate / (WEEK * DAY);
			c->likelihood -= rate * c->seconds[d][h];
			if (c->jobs[d][h] > 0)
				c->likelihood += c->jobs[d][h] * log(rate);
		}
	}
}

static void say_weights(struct fit_found *found, const char *key, const double *weight, size_t count)
{
	char text[1024];
	char *p = text;
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += weight[i];
	for (size_t i = 0; i < count; i++) {
		if (i)
			*p++ = '+';
		p = sl_put_micro(p, (int64_t)floor(weight[i] / sum * (double)count * 1e3 + 0.5) * 1000);
	}
	*p = '\0';
	fit_say(found, key, text);
}

int fit_arrivals(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	struct gaps g = { .trace = trace };
	const uint32_t n = trace->count - 1;
	g.mean = (double)(trace->job[n].submit - trace->job[0].submit) / 1e6 / n;
	if (n < 10 || g.mean < 0.001)
		return sl_fail(err, SL_INPUT,
			"%s: a fit needs eleven jobs at several times: give a longer trace", trace->path);
	const double step = 0.3;
	double weibull = log(0.7);
	double gamma = log(0.7);
	int status = fit_minimize(weibull_less, &g, &weibull, &step, 1, err);
	if (!status)
		status = fit_minimize(gamma_less, &g, &gamma, &step, 1, err);
	if (status)
		return status;
	struct cycle cycle = { .mean = 0 };
	cycle_fit(&cycle, trace);
	/* BIC: twice the logarithm of the likelihood, less ln n for each number. */
	const double price = log(n);
	const double score[] = { 2 * n * (-log(g.mean) - 1) - price,
		-2 * weibull_less(&weibull, &g) - 2 * price, -2 * gamma_less(&gamma, &g) - 2 * price,
		2 * cycle.likelihood - (DAY + WEEK - 1) * price };
	static const char *const name[] = { "poisson", "weibull", "gamma", "cyclic" };
	size_t best = 0;
	for (size_t i = 1; i < SL_LEN(score); i++)
		if (score[i] > score[best])
			best = i;
	fit_say(found, "arrivals", name[best]);
	fit_say_real(found, "gap", fmin(365.0 * 86400, fmax(0.001, best == 3 ? 1 / cycle.mean : g.mean)));
	if (best == 1 || best == 2)
		fit_say_real(found, "shape", exp(best == 1 ? weibull : gamma));
	if (best == 3) {
		say_weights(found, "day", cycle.day, DAY);
		say_weights(found, "week", cycle.week, WEEK);
	}
	return SL_OK;
}

/* ---- Users --------------------------------------------------------------------------------- */

struct ranks {
	double *jobs; /* The most active user's first. */
	size_t count;
};

static double zipf_less(const double *x, void *self)
{
	const struct ranks *r = self;
	double total = 0;
	double sum = 0;
	double jobs = 0;
	if (x[0] < 0 || x[0] > 10)
		return HUGE_VAL;
	for (size_t k = 0; k < r->count; k++) {
		total += pow((double)k + 1, -x[0]);
		sum += r->jobs[k] * -x[0] * log((double)k + 1);
		jobs += r->jobs[k];
	}
	return jobs * log(total) - sum;
}

static int descending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x < y) - (x > y); /* Equal ones are alike. */
}

static int fit_ascending(const void *a, const void *b) { return descending(b, a); }

static int fit_users(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < trace->count; i++)
		most = trace->job[i].user > most ? trace->job[i].user : most;
	struct ranks ranks = { calloc((size_t)most + 1, sizeof(double)), (size_t)most + 1 };
	if (!ranks.jobs)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < trace->count; i++)
		ranks.jobs[trace->job[i].user]++;
	qsort(ranks.jobs, ranks.count, sizeof(*ranks.jobs), descending);
	double power = 1;
	const double step = 0.3;
	const int status = fit_minimize(zipf_less, &ranks, &power, &step, 1, err);
	fit_say_whole(found, "users", (int64_t)ranks.count);
	fit_say_real(found, "zipf", ranks.count > 1 ? power : 1);
	free(ranks.jobs);
	return status;
}

/* Of the f-model the ratio's median is (1 + factor) / 2. */
static int fit_factor(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	double *ratio = calloc((size_t)trace->count + 1, sizeof(*ratio));
	size_t count = 0;
	if (!ratio)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < trace->count; i++)
		if (trace->job[i].limit > 0)
			ratio[count++] = (double)trace->job[i].limit / (double)trace->job[i].run;
	qsort(ratio, count, sizeof(*ratio), fit_ascending);
	if (count) {
		fit_say(found, "estimates", "f-model");
		fit_say_real(found, "factor", fmin(1000, fmax(1, 2 * ratio[count / 2] - 1)));
	}
	free(ratio);
	return SL_OK;
}

int fit_common(
	const struct fit_trace *trace, const char *longest, struct fit_found *found, struct sl_err *err)
{
	enum { HOUR = 3600, YEAR = 365 * 86400 }; /* What all generators take. */
	int64_t most = HOUR;
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct fit_job *job = &trace->job[i];
		const int64_t asked = job->limit > job->run ? job->limit : job->run;
		most = asked > most ? asked : most;
	}
	fit_say_whole(found, "jobs", trace->count);
	fit_say_whole(found, "cpus", trace->cpus);
	fit_say_whole(found, longest, most < YEAR ? most : YEAR);
	const int status = fit_users(trace, found, err);
	return status ? status : fit_factor(trace, found, err);
}

/* ---- Classes of sizes -------------------------------------------------------------------------- */

size_t fit_classes(const struct fit_trace *trace, uint32_t least, struct fit_class class[FIT_CLASSES])
{
	struct fit_class all[FIT_CLASSES] = { { 1, 1, 0 } };
	size_t count = 1;
	for (; count < 25; count++)
		all[count] = (struct fit_class){ all[count - 1].to + 1, (int32_t)1 << count, 0 };
	for (uint32_t i = 0; i < trace->count; i++) {
		size_t c = 0;
		while (trace->job[i].size > all[c].to)
			c++;
		all[c].count++;
	}
	size_t made = 0;
	struct fit_class open = { 1, 0, 0 };
	for (size_t c = 0; c < count; c++) {
		open.to = all[c].to;
		open.count += all[c].count;
		if (open.count < least)
			continue;
		class[made++] = open;
		open = (struct fit_class){ all[c].to + 1, 0, 0 };
	}
	if (!made)
		class[made++] = open;
	else
		class[made - 1].count += open.count;
	class[made - 1].to = trace->cpus;
	return made;
}

const struct fit_model *const fit_models[] = { &fit_model_mixture, &fit_model_lublin, &fit_model_downey,
	&fit_model_jann, &fit_model_gavel, &fit_model_gpu, NULL };

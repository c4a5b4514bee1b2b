/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit_models.c - the numbers of downey, jann, gavel and gpu for a trace: moments, and what is likeliest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/generators/fit.h"
#include "models/generators/generators.h"

static int fit_models_ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y); /* Equal ones are alike. */
}

static int fit_start(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	const int status = fit_common(trace, "max_run", found, err);
	return status ? status : fit_arrivals(trace, found, err);
}

/* ---- Downey ------------------------------------------------------------------------------ */

/* Work is run time times the speed-up on the job's size, where the trace says parallelism and variance; else
 * run time times size, as if sigma were 0. b0 and b1 are the line through the distribution function over ln
 * w, by least squares (Downey's own way), of its middle nine tenths. */
static int fit_downey(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	int status = fit_start(t, found, err);
	double *ln = calloc(t->count, sizeof(*ln));
	if (!ln || status) {
		free(ln);
		return status ? status : sl_fail_memory(err);
	}
	double a_min = HUGE_VAL;
	double a_max = 1;
	double sigma_min = HUGE_VAL;
	double sigma_max = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct fit_job *job = &t->job[i];
		const bool says = job->parallelism >= 1 && job->sigma >= 0;
		const double a = says ? job->parallelism : job->size;
		const double sigma = says ? job->sigma : 0;
		ln[i] = log((double)job->run * gen_downey_speedup(job->size, a, sigma));
		a_min = fmin(a_min, a);
		a_max = fmax(a_max, a);
		sigma_min = fmin(sigma_min, sigma);
		sigma_max = fmax(sigma_max, sigma);
	}
	qsort(ln, t->count, sizeof(*ln), fit_models_ascending);
	double n = 0;
	double sum_x = 0;
	double sum_y = 0;
	double sum_xx = 0;
	double sum_xy = 0;
	for (uint32_t i = t->count / 20; i < t->count - t->count / 20; i++) {
		const double y = (i + 0.5) / t->count;
		n++;
		sum_x += ln[i];
		sum_y += y;
		sum_xx += ln[i] * ln[i];
		sum_xy += ln[i] * y;
	}
	free(ln);
	const double b1 = (n * sum_xy - sum_x * sum_y) / (n * sum_xx - sum_x * sum_x);
	const double b0 = (sum_y - b1 * sum_x) / n;
	if (!isfinite(b1) || b1 < 0.001 || b1 > 1000 || b0 < -1000)
		return sl_fail(err, SL_INPUT,
			"%s: jobs have too nearly the same work for a line through them: fit another model",
			t->path);
	fit_say_real(found, "b1", b1);
	fit_say_real(found, "b0", fmin(b0, 1));
	fit_say_real(found, "a_min", fmin(a_min, t->cpus));
	fit_say_real(found, "a_max", fmin(a_max, t->cpus));
	fit_say_real(found, "sigma_min", fmin(sigma_min, 100));
	fit_say_real(found, "sigma_max", fmin(sigma_max, 100));
	return SL_OK;
}

const struct fit_model fit_model_downey = { "downey",
	"work: a line through its distribution over ln w, by least squares", fit_downey };

/* ---- Jann ---------------------------------------------------------------------------------- */

struct moments {
	double n, sum[3];
};

static void moments_add(struct moments *m, double x)
{
	m->n++;
	m->sum[0] += x;
	m->sum[1] += x * x;
	m->sum[2] += x * x * x;
}

/* "mean/cv2/m3", made such that a hyper-Erlang has them: where none has, the third moment is raised. */
static char *put_moments(char *p, const struct moments *m)
{
	const double mean = fmin(fmax(m->sum[0] / m->n, 0.001), 1e9);
	const double cv2 = fmax(m->sum[1] / m->n / mean / mean - 1, 0.01);
	double m3 = m->sum[2] / m->n / (mean * mean * mean);
	struct gen_hyper h;
	for (int i = 0; i < 1000 && !gen_hyper_of_moments(&h, mean, cv2, m3); i++)
		m3 *= 1.02;
	const double x[] = { mean, cv2, m3 * 1.000001 };
	for (size_t i = 0; i < SL_LEN(x); i++) {
		if (i)
			*p++ = '/';
		p = sl_put_micro(p, (int64_t)floor(fmin(x[i], 1e12) * 1e6 + 0.5));
	}
	return p;
}

static char *put_class(char *p, const struct fit_trace *t, const struct fit_class *class)
{
	struct moments gap = { 0 };
	struct moments run = { 0 };
	double before = 0; /* The class begins with the trace. */
	for (uint32_t i = 0; i < t->count; i++) {
		const struct fit_job *job = &t->job[i];
		if (job->size < class->from || job->size > class->to)
			continue;
		const double submit = (double)(job->submit - t->job[0].submit) / 1e6;
		moments_add(&gap, submit - before);
		moments_add(&run, (double)job->run);
		before = submit;
	}
	p = sl_put_i64(p, class->from);
	*p++ = '-';
	p = sl_put_i64(p, class->to);
	*p++ = ':';
	p = put_moments(p, &gap);
	*p++ = '/';
	return put_moments(p, &run);
}

static int fit_jann(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	enum { LEAST = 50 };
	if (t->job[t->count - 1].submit == t->job[0].submit)
		return sl_fail(
			err, SL_INPUT, "%s: a fit needs jobs at several times: give a longer trace", t->path);
	const int status = fit_common(t, "max_run", found, err);
	if (status)
		return status;
	char text[FIT_TEXT];
	char *p = text;
	struct fit_class class[FIT_CLASSES];
	const size_t classes = fit_classes(t, LEAST, class);
	for (size_t c = 0; c < classes; c++) {
		if (c)
			*p++ = '+';
		p = put_class(p, t, &class[c]);
	}
	*p = '\0';
	fit_say(found, "classes", text);
	return SL_OK;
}

const struct fit_model fit_model_jann = { "jann", "by class of sizes, three moments of gaps and run times",
	fit_jann };

/* ---- Gavel ----------------------------------------------------------------------------------- */

/* Two uniform pieces of log10 of the minutes, from the least to the most, that meet at `middle`: the
 * likeliest of a thousand places, the share of the upper being what lies there. */
static void fit_two_allocs(struct fit_found *found, const double *x, size_t n)
{
	const double low = x[0];
	const double high = x[n - 1];
	double best = -HUGE_VAL;
	double middle = low;
	double share = 0;
	size_t below = 0;
	for (int i = 1; i < 1000; i++) {
		const double at = low + (high - low) * i / 1000;
		while (below < n && x[below] < at)
			below++;
		const double p = (double)below / (double)n;
		if (below == 0 || below == n)
			continue;
		const double likelihood = p * log(p / (at - low)) + (1 - p) * log((1 - p) / (high - at));
		if (likelihood > best) {
			best = likelihood;
			middle = at;
			share = 1 - p;
		}
	}
	fit_say_real(found, "from", fmin(7, low));
	fit_say_real(found, "middle", fmin(7, middle));
	fit_say_real(found, "until", fmin(7, high));
	fit_say_real(found, "long", share);
}

static int fit_gavel(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	int status = fit_start(t, found, err);
	double *x = calloc(t->count, sizeof(*x));
	if (!x || status) {
		free(x);
		return status ? status : sl_fail_memory(err);
	}
	int64_t scale[4] = { 0 };
	for (uint32_t i = 0; i < t->count; i++) {
		const int32_t size = t->job[i].size;
		scale[size <= 1 ? 0 : size <= 2 ? 1 : size <= 4 ? 2 : 3]++;
		x[i] = log10((double)t->job[i].run / 60);
	}
	char text[128];
	char *p = text;
	for (size_t i = 0; i < SL_LEN(scale); i++) {
		if (i)
			*p++ = '+';
		p = sl_put_micro(p, sl_mul_div(scale[i], GEN_MICRO, t->count));
	}
	*p = '\0';
	qsort(x, t->count, sizeof(*x), fit_models_ascending);
	fit_say(found, "scale", text);
	fit_two_allocs(found, x, t->count);
	free(x);
	return SL_OK;
}

const struct fit_model fit_model_gavel = { "gavel",
	"sizes rounded up to 1, 2, 4, 8; two uniform pieces of the run time's logarithm, the likeliest",
	fit_gavel };

/* ---- GPU ----------------------------------------------------------------------------------------- */

enum { OUTCOMES = 3 };

static size_t outcome_of(enum sl_state state)
{
	if (state == SL_CANCELLED)
		return 1;
	return state == SL_COMPLETED || state == SL_PENDING ? 0 : 2;
}

/* Lognormal run times with one sigma for all ways to end. */
static void fit_outcomes(const struct fit_trace *t, struct fit_found *found)
{
	double jobs[OUTCOMES] = { 0 };
	double ln[OUTCOMES] = { 0 };
	double square = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const size_t o = outcome_of(t->job[i].ends);
		jobs[o]++;
		ln[o] += log((double)t->job[i].run);
	}
	for (uint32_t i = 0; i < t->count; i++) {
		const size_t o = outcome_of(t->job[i].ends);
		const double off = log((double)t->job[i].run) - ln[o] / jobs[o];
		square += off * off / t->count;
	}
	static const char *const key[] = { "run_completed", "run_cancelled", "run_failed" };
	/* In millionths, rounded such that both are not more than all. */
	const double cancelled = floor(jobs[1] / t->count * 1e6 + 0.5);
	const double failed = fmin(floor(jobs[2] / t->count * 1e6 + 0.5), 1e6 - cancelled);
	fit_say_real(found, "cancelled", cancelled / 1e6);
	fit_say_real(found, "failed", failed / 1e6);
	for (size_t o = 0; o < OUTCOMES; o++)
		if (jobs[o] > 0)
			fit_say_real(found, key[o],
				fmin(3650.0 * 86400, fmax(1, exp(ln[o] / jobs[o] + square / 2))));
	fit_say_real(found, "sigma", fmin(5, sqrt(square)));
}

static int fit_gpu(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	const int status = fit_start(t, found, err);
	double sum = 0;
	int32_t most = 1;
	for (uint32_t i = 0; i < t->count; i++) {
		sum += t->job[i].size;
		most = t->job[i].size > most ? t->job[i].size : most;
	}
	int32_t power = 1;
	while (power < most && power <= t->cpus / 2)
		power *= 2;
	fit_say_real(found, "size_mean", fmin(sum / t->count, power));
	fit_say_whole(found, "size_max", power);
	fit_outcomes(t, found);
	return status;
}

const struct fit_model fit_model_gpu = { "gpu",
	"how jobs end; lognormal run times by that, of one spread; the mean size", fit_gpu };

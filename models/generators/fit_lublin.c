/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit_lublin.c - the numbers of lublin, one class, for a trace.
 *
 * Sizes and run times: the likeliest, by simplex. The daily cycle: likewise, of the jobs by half-hour. Gaps,
 * after each half-hour was scaled as the cycle says: the mean of their logarithm and their own mean, for
 * the logarithm's variance makes the mean three times what logs have. aarr and arar stand in a product: arar
 * stays at its default. The load is said too, which corrects what is left by scaling all submit times.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

#include "models/generators/fit.h"

enum { SLOTS = 48, FIRST = 11, LOOKED_AT = 20000 };

/* ---- Sizes -------------------------------------------------------------------------------- */

struct sizes {
	uint32_t *jobs; /* By size. */
	int32_t *size;  /* Those above 1 that there are. */
	size_t count;
	double serial, uhi;
};

static double uniform(double x, double from, double to)
{
	return to <= from ? x >= to : fmin(1, fmax(0, (x - from) / (to - from)));
}

static double two_stages(double x, const double *p, double uhi)
{
	return p[3] * uniform(x, p[1], p[2]) + (1 - p[3]) * uniform(x, p[2], uhi);
}

/* x: pow2_prob, ulow, umed, uprob. */
static double sizes_less(const double *x, void *self)
{
	const struct sizes *s = self;
	if (x[0] < 0 || x[0] + s->serial > 1 || x[1] < 0 || x[2] < x[1] || s->uhi < x[2] || x[3] < 0 ||
		x[3] > 1)
		return HUGE_VAL;
	double sum = 0;
	for (size_t i = 0; i < s->count; i++) {
		const int32_t n = s->size[i];
		double p = (1 - s->serial - x[0]) *
			   (two_stages(log2(n + 0.5), x, s->uhi) - two_stages(log2(n - 0.5), x, s->uhi));
		const double k = log2(n);
		if ((n & (n - 1)) == 0)
			p += x[0] * (two_stages(k + 0.5, x, s->uhi) - two_stages(k - 0.5, x, s->uhi));
		sum += s->jobs[n] * log(fmax(p, 1e-12));
	}
	return -sum;
}

static int fit_sizes(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	struct sizes s = { .jobs = calloc((size_t)t->cpus + 1, sizeof(uint32_t)),
		.size = calloc(t->count, sizeof(int32_t)) };
	if (!s.jobs || !s.size) {
		free(s.jobs);
		free(s.size);
		return sl_fail_memory(err);
	}
	int32_t most = 1;
	for (uint32_t i = 0; i < t->count; i++) {
		s.jobs[t->job[i].size]++;
		most = t->job[i].size > most ? t->job[i].size : most;
	}
	for (int32_t n = 2; n <= most; n++)
		if (s.jobs[n])
			s.size[s.count++] = n;
	/* A millionth less: uhi must not be above log2(cpus), rounded. */
	s.uhi = floor(log2(most) * 1e6) / 1e6;
	s.serial = (double)s.jobs[1] / t->count;
	double best[4] = { 0 };
	double least = HUGE_VAL;
	int status = SL_OK;
	for (int i = 1; i <= 3 && !status; i++) { /* From three places: it has corners. */
		double x[4] = { 0.7 * (1 - s.serial), fmin(0.8, s.uhi), s.uhi * (0.25 + 0.2 * i), 0.8 };
		const double step[4] = { 0.1, 0.1, 0.3, 0.1 };
		status = fit_minimize(sizes_less, &s, x, step, 4, err);
		const double value = sizes_less(x, &s);
		if (!(value < least) && i > 1)
			continue;
		least = value;
		for (size_t k = 0; k < 4; k++)
			best[k] = x[k];
	}
	free(s.jobs);
	free(s.size);
	fit_say_real(found, "serial_prob", s.serial);
	fit_say_real(found, "pow2_prob", best[0]);
	fit_say_real(found, "ulow", best[1]);
	fit_say_real(found, "umed", best[2]);
	fit_say_real(found, "uhi", s.uhi);
	fit_say_real(found, "uprob", best[3]);
	return status;
}

/* ---- Run times -------------------------------------------------------------------------------- */

struct runs {
	const double *ln, *ln_ln, *size;
	size_t count;
};

/* x: ln a1, ln b1, ln a2, ln b2, pa, pb. */
static double runs_less(const double *x, void *self)
{
	const struct runs *r = self;
	gsl_sf_result g1;
	gsl_sf_result g2;
	const double a1 = exp(x[0]);
	const double b1 = exp(x[1]);
	const double a2 = exp(x[2]);
	const double b2 = exp(x[3]);
	if (a1 < 0.01 || a1 > 9999 || a2 < 0.01 || a2 > 9999 || fabs(x[4]) > 1 || fabs(x[5]) > 10)
		return HUGE_VAL;
	if (a1 * b1 > a2 * b2) /* The first are the short ones. */
		return HUGE_VAL;
	if (gsl_sf_lngamma_e(a1, &g1) || gsl_sf_lngamma_e(a2, &g2))
		return HUGE_VAL;
	const double c1 = -g1.val - a1 * x[1];
	const double c2 = -g2.val - a2 * x[3];
	double sum = 0;
	for (size_t i = 0; i < r->count; i++) {
		const double p = fmin(1, fmax(0, x[4] * r->size[i] + x[5]));
		const double d1 = p > 0 ? p * exp(c1 + (a1 - 1) * r->ln_ln[i] - r->ln[i] / b1) : 0;
		const double d2 = p < 1 ? (1 - p) * exp(c2 + (a2 - 1) * r->ln_ln[i] - r->ln[i] / b2) : 0;
		sum += log(fmax(d1 + d2, 1e-30));
	}
	return -sum;
}

static int fit_runs(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	const uint32_t every = t->count > LOOKED_AT ? t->count / LOOKED_AT : 1;
	const size_t count = t->count / every;
	double *space = calloc(count, 3 * sizeof(*space));
	if (!space)
		return sl_fail_memory(err);
	double widest = 1;
	for (size_t i = 0; i < count; i++) {
		const struct fit_job *job = &t->job[i * every];
		space[i] = log((double)job->run + 0.5); /* It was rounded down. */
		space[count + i] = log(space[i]);
		space[2 * count + i] = job->size;
		widest = fmax(widest, job->size);
	}
	struct runs runs = { space, space + count, space + 2 * count, count };
	double best[6] = { 0 };
	double least = HUGE_VAL;
	int status = SL_OK;
	for (int i = 0; i < 2 && !status; i++) { /* The published numbers, and others between. */
		double x[6] = { log(i ? 8 : 4.2), log(i ? 0.6 : 0.94), log(i ? 60 : 312),
			log(i ? 0.15 : 0.03), -0.7 / widest, 0.7 };
		const double step[6] = { 0.3, 0.3, 0.5, 0.5, 0.2 / widest, 0.1 };
		for (int retry = 0; retry < 2 && !status; retry++)
			status = fit_minimize(runs_less, &runs, x, step, 6, err);
		const double value = runs_less(x, &runs);
		if (!(value < least) && i > 0)
			continue;
		least = value;
		for (size_t k = 0; k < 6; k++)
			best[k] = x[k];
	}
	free(space);
	static const char *const key[] = { "a1", "b1", "a2", "b2" };
	for (size_t k = 0; k < 4; k++)
		fit_say_real(
			found, key[k], fmin(k % 2 ? 100 : 10000, fmax(k % 2 ? 0.0001 : 0.01, exp(best[k]))));
	fit_say_real(found, "pa", best[4]);
	fit_say_real(found, "pb", best[5]);
	return status;
}

/* ---- Arrivals ------------------------------------------------------------------------------------ */

static bool weights(const double *x, double weight[SLOTS])
{
	const double shape = exp(x[0]);
	const double scale = exp(x[1]);
	const double from = gsl_cdf_gamma_P(FIRST - 0.5, shape, scale);
	const double total = gsl_cdf_gamma_P(FIRST + SLOTS - 0.5, shape, scale) - from;
	if (!(total > 0.01) || shape > 5000 || scale > 90)
		return false;
	for (int i = FIRST; i < FIRST + SLOTS; i++) {
		const double p =
			gsl_cdf_gamma_P(i + 0.5, shape, scale) - gsl_cdf_gamma_P(i - 0.5, shape, scale);
		weight[(i - 1) % SLOTS] = fmax(p / total * SLOTS, 1e-9);
	}
	return true;
}

static double cycle_less(const double *x, void *self)
{
	const double *jobs = self;
	double weight[SLOTS];
	double sum = 0;
	if (!weights(x, weight))
		return HUGE_VAL;
	for (size_t i = 0; i < SLOTS; i++)
		sum += jobs[i] * log(weight[i] / SLOTS);
	return -sum;
}

/* The cycle's time that has gone by at a submission, in seconds of the mean rate. */
static double stretched(const double weight[SLOTS], double seconds)
{
	const double day = floor(seconds / 86400);
	const double in_day = seconds - day * 86400;
	double sum = day * 86400;
	size_t slot = 0;
	for (; slot < SLOTS - 1 && in_day >= ((double)slot + 1) * 1800; slot++)
		sum += weight[slot] * 1800;
	return sum + weight[slot] * (in_day - (double)slot * 1800);
}

/* Mean of e^x for a gamma x of this mean and scale, below where lublin draws it again. */
static double gap_mean(double mean, double scale)
{
	enum { STEPS = 2000, LN_GAP_MAX = 13 };
	const double shape = mean / scale;
	const double mode = fmin(LN_GAP_MAX, fmax(0.01, mean - scale));
	double sum = 0;
	double weights = 0;
	for (int i = 0; i < STEPS; i++) {
		const double x = LN_GAP_MAX * (i + 0.5) / STEPS;
		const double weight = exp((shape - 1) * log(x / mode) - (x - mode) / scale);
		sum += weight * exp(x);
		weights += weight;
	}
	return sum / weights;
}

/* The scale with which gaps have their mean, and their logarithm has its own; `other` where none has. */
static double gap_scale(double ln_mean, double mean, double other)
{
	double low = 0.002;
	double high = 3;
	if (gap_mean(ln_mean, low) > mean || gap_mean(ln_mean, high) < mean)
		return other;
	for (int i = 0; i < 50; i++) {
		const double middle = (low + high) / 2;
		if (gap_mean(ln_mean, middle) < mean)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int fit_arrivals_of(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	double jobs[SLOTS] = { 0 };
	double weight[SLOTS];
	for (uint32_t i = 0; i < t->count; i++)
		jobs[(t->job[i].submit / SL_SECOND + t->clock) / 1800 % SLOTS]++;
	double x[2] = { log(8), log(4) };
	const double step[2] = { 0.3, 0.3 };
	const int status = fit_minimize(cycle_less, jobs, x, step, 2, err);
	if (status || !weights(x, weight))
		return status ? status
			      : sl_fail(err, SL_INPUT, "%s: no daily cycle of lublin's goes with it",
					t->path);
	double n = 0;
	double sum = 0;
	double square = 0;
	double gaps = 0;
	double before = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const double now = stretched(weight, (double)t->job[i].submit / 1e6 + (double)t->clock);
		/* What is less than a second apart says little: a second. */
		const double gap = fmax(1, now - before);
		const double ln = log(gap);
		before = now;
		if (i == 0)
			continue;
		n++;
		gaps += gap;
		sum += ln;
		square += ln * ln;
	}
	const double mean = sum / n;
	const double variance = square / n - mean * mean;
	if (!(mean > 0.01) || !(variance > 0.0001))
		return sl_fail(
			err, SL_INPUT, "%s: a fit needs jobs at several times: give a longer trace", t->path);
	const double scale = gap_scale(mean, gaps / n, variance / mean);
	fit_say_real(found, "arar", 1.0225);
	fit_say_real(found, "aarr", fmin(10000, fmax(0.01, mean / scale / 1.0225)));
	fit_say_real(found, "barr", scale);
	fit_say_real(found, "anum", exp(x[0]));
	fit_say_real(found, "bnum", exp(x[1]));
	return SL_OK;
}

/* Offered load, as `generate lublin` takes it: work over machine and time. */
static void say_load(const struct fit_trace *t, struct fit_found *found)
{
	const double range = (double)(t->job[t->count - 1].submit - t->job[0].submit) / 1e6;
	double work = 0;
	for (uint32_t i = 0; i < t->count; i++)
		work += (double)t->job[i].size * (double)t->job[i].run;
	fit_say_real(found, "load", fmin(1000, fmax(0.0001, work / range / t->cpus)));
}

static int fit(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	enum { LEAST = 100 };
	if (trace->count < LEAST)
		return sl_fail(err, SL_INPUT,
			"%s: a fit of lublin needs %d jobs or more, it has %u: give a longer "
			"trace, or fit another model",
			trace->path, LEAST, trace->count);
	int status = fit_common(trace, "max_estimate", found, err);
	if (!status)
		status = fit_sizes(trace, found, err);
	if (!status)
		status = fit_runs(trace, found, err);
	if (!status)
		status = fit_arrivals_of(trace, found, err);
	if (!status)
		say_load(trace, found);
	return status;
}

const struct fit_model fit_model_lublin = { "lublin",
	"sizes, run times, daily cycle: the likeliest, by simplex; gaps by their mean and that of their logarithm",
	fit };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit_em.c - mixtures of lognormal, Weibull and gamma distributions by expectation and maximization, and the
 * generator `mixture` of a trace: for each class of sizes as many parts as pay (BIC), up to two.
 *
 * A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm",
 * Journal of the Royal Statistical Society B 39(1), 1977. In each round a number belongs to a part with the
 * odds of its density there, and each part is fitted to the numbers by these weights: the lognormal by
 * moments of the logarithm, which is likeliest, the others by simplex. Weibull and gamma look at no more than
 * 2 000 numbers, each k-th of the sorted ones.
 */
#include "models/generators/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 300, LOOKED_AT = 2000, LEAST = 50 };

struct em {
	enum fit_family family;
	const double *ln; /* Of the numbers. */
	size_t count;
	double *odds[FIT_PARTS];
	size_t part; /* That the search looks at. */
};

/* ln density of e^ln, as a function of e^ln. */
static double ln_density(enum fit_family family, double a, double b, double ln)
{
	if (family == FIT_LOGNORMAL) {
		const double z = (ln - a) / b;
		return -z * z / 2 - log(b) - ln - 0.91893853320467274;
	}
	const double scaled = ln - log(b);
	if (family == FIT_WEIBULL)
		return log(a / b) + (a - 1) * scaled - exp(a * scaled);
	gsl_sf_result ln_gamma;
	if (gsl_sf_lngamma_e(a, &ln_gamma))
		return -HUGE_VAL;
	return (a - 1) * scaled - exp(scaled) - ln_gamma.val - log(b);
}

/* Odds of each part, and the logarithm of the likelihood. */
static double expect(const struct em *em, const struct fit_mixture *m)
{
	double sum = 0;
	for (size_t i = 0; i < em->count; i++) {
		double ln[FIT_PARTS];
		double most = -HUGE_VAL;
		double total = 0;
		for (size_t k = 0; k < m->parts; k++) {
			ln[k] = log(m->weight[k]) + ln_density(em->family, m->a[k], m->b[k], em->ln[i]);
			most = fmax(most, ln[k]);
		}
		for (size_t k = 0; k < m->parts; k++)
			total += em->odds[k][i] = exp(ln[k] - most);
		for (size_t k = 0; k < m->parts; k++)
			em->odds[k][i] /= total;
		sum += most + log(total);
	}
	return sum;
}

static double part_less(const double *x, void *self)
{
	const struct em *em = self;
	const double a = exp(x[0]);
	if (a < 0.02 || a > 1000)
		return HUGE_VAL;
	double sum = 0;
	for (size_t i = 0; i < em->count; i++)
		sum += em->odds[em->part][i] * ln_density(em->family, a, exp(x[1]), em->ln[i]);
	return -sum;
}

static int maximize(struct em *em, struct fit_mixture *m, struct sl_err *err)
{
	const double narrow = 0.05; /* Of ln: no part falls upon one number. */
	int status = SL_OK;
	for (size_t k = 0; k < m->parts && !status; k++) {
		double weight = 1e-9;
		double mean = 0;
		double square = 0;
		for (size_t i = 0; i < em->count; i++) {
			weight += em->odds[k][i];
			mean += em->odds[k][i] * em->ln[i];
		}
		mean /= weight;
		for (size_t i = 0; i < em->count; i++)
			square += em->odds[k][i] * (em->ln[i] - mean) * (em->ln[i] - mean);
		m->weight[k] = weight / (double)em->count;
		if (em->family == FIT_LOGNORMAL) {
			m->a[k] = mean;
			m->b[k] = fmax(narrow, sqrt(square / weight));
			continue;
		}
		double x[2] = { log(m->a[k]), log(m->b[k]) };
		const double step[2] = { 0.2, 0.2 };
		em->part = k;
		status = fit_minimize(part_less, em, x, step, 2, err);
		m->a[k] = exp(x[0]);
		m->b[k] = exp(x[1]);
	}
	return status;
}

/* The sorted numbers in so many heaps of one size: a part from each. */
static void begin(struct fit_mixture *m, const struct em *em)
{
	for (size_t k = 0; k < m->parts; k++) {
		const size_t from = em->count * k / m->parts;
		const size_t to = em->count * (k + 1) / m->parts;
		double mean = 0;
		double square = 0;
		for (size_t i = from; i < to; i++)
			mean += em->ln[i] / (double)(to - from);
		for (size_t i = from; i < to; i++)
			square += (em->ln[i] - mean) * (em->ln[i] - mean) / (double)(to - from);
		m->weight[k] = 1 / (double)m->parts;
		const double spread = fmax(0.3, sqrt(square));
		m->a[k] = em->family == FIT_LOGNORMAL ? mean : 1 / spread;
		m->b[k] = em->family == FIT_LOGNORMAL ? spread : exp(mean) * spread;
	}
}

int fit_mixture(struct fit_mixture *m, enum fit_family family, size_t parts, const double *x, size_t count,
	struct sl_err *err)
{
	const size_t every = family != FIT_LOGNORMAL && count > LOOKED_AT ? count / LOOKED_AT : 1;
	struct em em = { .family = family, .count = count / every };
	SL_CHECK(parts >= 1 && parts <= FIT_PARTS && count >= parts);
	double *room = calloc(em.count, (1 + parts) * sizeof(*room));
	if (!room)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (size_t i = 0; i < em.count; i++)
		room[i] = log(x[i * every + every / 2]);
	em.ln = room;
	for (size_t k = 0; k < parts; k++)
		em.odds[k] = room + (k + 1) * em.count;
	*m = (struct fit_mixture){ .parts = parts, .likelihood = -HUGE_VAL };
	begin(m, &em);
	int status = SL_OK;
	const int rounds = family == FIT_LOGNORMAL ? ROUNDS_MAX : ROUNDS_MAX / 6;
	for (int i = 0; i < rounds && !status; i++) {
		const double before = m->likelihood;
		m->likelihood = expect(&em, m);
		if (m->likelihood - before < 1e-7 * fabs(m->likelihood))
			break;
		status = maximize(&em, m, err);
	}
	m->likelihood *= (double)every;
	free(room);
	return status;
}

double fit_mixture_cdf(const struct fit_mixture *m, enum fit_family family, double x)
{
	double sum = 0;
	for (size_t k = 0; k < m->parts; k++) {
		const double p = family == FIT_LOGNORMAL ? gsl_cdf_gaussian_P(log(x) - m->a[k], m->b[k])
				 : family == FIT_WEIBULL ? gsl_cdf_weibull_P(x, m->b[k], m->a[k])
							 : gsl_cdf_gamma_P(x, m->a[k], m->b[k]);
		sum += m->weight[k] * p;
	}
	return sum;
}

/* ---- The generator `mixture` ---------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y); /* Equal ones are alike. */
}

static char *put_micro(char *p, double x) { return sl_put_micro(p, (int64_t)floor(x * 1e6 + 0.5)); }

/* "FROM-TO:" */
static char *put_class(char *p, int64_t from, int64_t to)
{
	p = sl_put_i64(p, from);
	if (to != from) {
		*p++ = '-';
		p = sl_put_i64(p, to);
	}
	*p++ = ':';
	return p;
}

/* Run times of one class: one part or two. */
static int class_runs(
	char **p, const struct fit_trace *t, const struct fit_class *class, double *x, struct sl_err *err)
{
	size_t count = 0;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->job[i].size >= class->from && t->job[i].size <= class->to)
			x[count++] = (double)t->job[i].run;
	qsort(x, count, sizeof(*x), ascending);
	struct fit_mixture one = { .likelihood = -HUGE_VAL };
	struct fit_mixture two = { .likelihood = -HUGE_VAL };
	int status = fit_mixture(&one, FIT_LOGNORMAL, 1, x, count, err);
	if (!status && count >= 2)
		status = fit_mixture(&two, FIT_LOGNORMAL, 2, x, count, err);
	if (status)
		return status;
	const bool pays = two.likelihood - one.likelihood > 1.5 * log((double)count);
	const struct fit_mixture *best = pays ? &two : &one;
	*p = put_class(*p, class->from, class->to);
	for (size_t k = 0; k < best->parts; k++) {
		if (k)
			*(*p)++ = '/';
		*p = put_micro(*p, best->weight[k]);
		*(*p)++ = '/';
		*p = put_micro(*p, best->a[k]);
		*(*p)++ = '/';
		*p = put_micro(*p, best->b[k]);
	}
	return status;
}

/* Sizes that a hundredth of the jobs have by themselves; the others by classes of doubling size. */
static int fit_sizes(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	uint32_t *jobs = calloc((size_t)t->cpus + 1, sizeof(*jobs));
	char text[FIT_TEXT];
	char *p = text;
	if (!jobs)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (uint32_t i = 0; i < t->count; i++)
		jobs[t->job[i].size]++;
	for (int32_t from = 1, to = 1; from <= t->cpus;
		from = to + 1, to = to > t->cpus / 2 ? t->cpus : 2 * to) {
		uint64_t others = 0;
		for (int32_t s = from; s <= to; s++) {
			if ((uint64_t)jobs[s] * 100 < t->count && s != from) {
				others += jobs[s];
				continue;
			}
			if (jobs[s]) {
				p = sl_put_i64(put_class(p, s, s), jobs[s]);
				*p++ = '+';
			}
		}
		if (others) {
			p = sl_put_i64(put_class(p, from, to), (int64_t)others);
			*p++ = '+';
		}
	}
	if (p > text)
		p--;
	*p = '\0';
	free(jobs);
	fit_say(found, "sizes", text);
	return SL_OK;
}

static int fit_runs(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	struct fit_class class[FIT_CLASSES];
	char text[FIT_TEXT];
	char *p = text;
	double *x = calloc(t->count, sizeof(*x));
	if (!x)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	const size_t classes = fit_classes(t, LEAST, class);
	int status = SL_OK;
	for (size_t c = 0; c < classes && !status; c++) {
		if (c)
			*p++ = '+';
		status = class_runs(&p, t, &class[c], x, err);
	}
	*p = '\0';
	free(x);
	fit_say(found, "family", "lognormal");
	fit_say(found, "runs", text);
	return status;
}

static int fit(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	int status = fit_common(trace, found, err);
	if (!status)
		status = fit_arrivals(trace, found, err);
	if (!status)
		status = fit_sizes(trace, found, err);
	return status ? status : fit_runs(trace, found, err);
}

const struct fit_model fit_model_mixture = { "mixture",
	"sizes as counted; run times: one or two lognormal parts for each class of sizes", fit };

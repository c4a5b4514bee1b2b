/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit_em.c - mixtures of lognormal, Weibull and gamma distributions by expectation and maximization, and the
 * generator `mixture` of a trace: for each class of sizes as many parts as pay (BIC), up to two, of the
 * family that is likeliest for all.
 *
 * A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm",
 * Journal of the Royal Statistical Society B 39(1), 1977. In each round a number belongs to a part with the
 * odds of its density there, and each part is fitted to the numbers by these weights: the lognormal by
 * moments of the logarithm, which is likeliest; of the others the shape is searched for, and the likeliest
 * scale follows from it. Weibull looks at no more than 4 000 numbers, each k-th of the sorted ones.
 */
#include "models/generators/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 300, LOOKED_AT = 2000, LEAST = 50 };
#define NARROW 0.05 /* Least deviation of ln: no part falls upon one number. */

struct em {
	enum fit_family family;
	const double *ln; /* Of the numbers. */
	size_t count;
	double *odds[FIT_PARTS];
};

/* A part, with what its densities share. */
struct part {
	double a, b, ln_b, fixed;
};

static void part_init(struct part *p, enum fit_family family, const struct fit_mixture *m, size_t k)
{
	*p = (struct part){ .a = m->a[k], .b = m->b[k], .ln_b = log(m->b[k]) };
	gsl_sf_result ln_gamma;
	if (family == FIT_LOGNORMAL)
		p->fixed = -p->ln_b - 0.91893853320467274; /* ln sqrt(2 pi) */
	else if (family == FIT_WEIBULL)
		p->fixed = log(p->a) - p->ln_b;
	else
		p->fixed = gsl_sf_lngamma_e(p->a, &ln_gamma) ? -HUGE_VAL : -ln_gamma.val - p->ln_b;
	p->fixed += log(m->weight[k]);
}

/* ln of the part's weight times its density at e^ln. */
static double ln_density(const struct part *p, enum fit_family family, double ln)
{
	if (family == FIT_LOGNORMAL) {
		const double z = (ln - p->a) / p->b;
		return p->fixed - z * z / 2 - ln;
	}
	const double scaled = ln - p->ln_b;
	return p->fixed + (p->a - 1) * scaled - exp(family == FIT_WEIBULL ? p->a * scaled : scaled);
}

/* Odds of each part (where the caller has an array for them), and the logarithm of the likelihood, of numbers
 * e^ln. */
static double expect(const struct fit_mixture *m, enum fit_family family, const double *ln, size_t count,
	double *const odds[FIT_PARTS])
{
	struct part part[FIT_PARTS];
	double sum = 0;
	for (size_t k = 0; k < m->parts; k++)
		part_init(&part[k], family, m, k);
	for (size_t i = 0; i < count; i++) {
		double p[FIT_PARTS];
		double most = -HUGE_VAL;
		double total = 0;
		for (size_t k = 0; k < m->parts; k++) {
			p[k] = ln_density(&part[k], family, ln[i]);
			most = fmax(most, p[k]);
		}
		for (size_t k = 0; k < m->parts; k++)
			total += p[k] = exp(p[k] - most);
		for (size_t k = 0; k < m->parts && odds; k++)
			odds[k][i] = p[k] / total;
		sum += most + log(total);
	}
	return sum;
}

/* Of one part, by its numbers' weights. */
struct weighted {
	enum fit_family family;
	const double *ln, *odds;
	size_t count;
	double weight, mean_ln, mean, most; /* Of ln, of the numbers; the largest ln. */
};

/* The likeliest scale for a shape: of Weibull (mean of x^a)^(1/a), of gamma mean / a. Its logarithm. */
static double ln_scale(const struct weighted *w, double a)
{
	if (w->family == FIT_GAMMA)
		return log(w->mean / a);
	double sum = 0;
	for (size_t i = 0; i < w->count; i++)
		sum += w->odds[i] * exp(a * (w->ln[i] - w->most));
	return w->most + log(sum / w->weight) / a;
}

/* Less the mean logarithm of the density, at that scale. */
static double shape_less(const double *x, void *self)
{
	const struct weighted *w = self;
	const double a = exp(x[0]);
	gsl_sf_result ln_gamma;
	/* From hardly any number in common to a deviation of ln of about NARROW. */
	if (a < 0.02 || a > (w->family == FIT_WEIBULL ? 1.28 / NARROW : 1 / NARROW / NARROW))
		return HUGE_VAL;
	const double scaled = w->mean_ln - ln_scale(w, a);
	if (w->family == FIT_WEIBULL)
		return -log(a) - a * scaled;
	return gsl_sf_lngamma_e(a, &ln_gamma) ? HUGE_VAL : ln_gamma.val + a - a * scaled;
}

static int maximize(const struct em *em, struct fit_mixture *m, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t k = 0; k < m->parts && !status; k++) {
		struct weighted w = { em->family, em->ln, em->odds[k], em->count, 1e-9, 0, 1e-9,
			em->ln[em->count - 1] };
		double square = 0;
		for (size_t i = 0; i < em->count; i++) {
			w.weight += w.odds[i];
			w.mean_ln += w.odds[i] * w.ln[i];
			w.mean += w.odds[i] * exp(w.ln[i]);
		}
		w.mean_ln /= w.weight;
		w.mean /= w.weight;
		for (size_t i = 0; i < em->count; i++)
			square += w.odds[i] * (w.ln[i] - w.mean_ln) * (w.ln[i] - w.mean_ln);
		m->weight[k] = w.weight / (double)em->count;
		if (em->family == FIT_LOGNORMAL) {
			m->a[k] = w.mean_ln;
			m->b[k] = fmax(NARROW, sqrt(square / w.weight));
			continue;
		}
		double x = log(m->a[k]);
		const double step = 0.2;
		status = fit_minimize(shape_less, &w, &x, &step, 1, err);
		m->a[k] = exp(x);
		m->b[k] = exp(ln_scale(&w, m->a[k]));
	}
	return status;
}

/* The sorted numbers in so many heaps of one size: a part from each. */
static void fit_em_begin(struct fit_mixture *m, const struct em *em)
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
	const size_t every = family == FIT_WEIBULL && count > LOOKED_AT ? count / LOOKED_AT : 1;
	struct em em = { .family = family, .count = count / every };
	SL_CHECK(parts >= 1 && parts <= FIT_PARTS && count >= parts);
	double *space = calloc(em.count * parts + count, sizeof(*space));
	if (!space)
		return sl_fail_memory(err);
	double *ln = space + em.count * parts;
	for (size_t i = 0; i < em.count; i++)
		ln[i] = log(x[i * every + every / 2]);
	em.ln = ln;
	for (size_t k = 0; k < parts; k++)
		em.odds[k] = space + k * em.count;
	*m = (struct fit_mixture){ .parts = parts, .likelihood = -HUGE_VAL };
	fit_em_begin(m, &em);
	int status = SL_OK;
	for (int i = 0; i < ROUNDS_MAX && !status; i++) {
		const double before = m->likelihood;
		m->likelihood = expect(m, family, em.ln, em.count, em.odds);
		if (m->likelihood - before < 1e-7 * fabs(m->likelihood))
			break;
		status = maximize(&em, m, err);
	}
	/* Of all numbers, so that families can be compared. */
	for (size_t i = 0; i < count; i++)
		ln[i] = log(x[i]);
	m->likelihood = expect(m, family, ln, count, NULL);
	free(space);
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

static int fit_em_ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y); /* Equal ones are alike. */
}

static char *fit_em_put_micro(char *p, double x) { return sl_put_micro(p, (int64_t)floor(x * 1e6 + 0.5)); }

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

/* What is said of a family, from text to p, and how well it does. */
struct family {
	enum fit_family family;
	double score;
	char *p;
	char text[FIT_TEXT];
};

/* Run times of one class, in the array x: one part or two, as pays. Adds to the score, which is twice the
 * logarithm of the likelihood, less ln count for each number (BIC). */
static int class_runs(struct family *of, const struct fit_trace *t, const struct fit_class *class, double *x,
	struct sl_err *err)
{
	char **p = &of->p;
	size_t count = 0;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->job[i].size >= class->from && t->job[i].size <= class->to)
			x[count++] = (double)t->job[i].run;
	qsort(x, count, sizeof(*x), fit_em_ascending);
	struct fit_mixture one = { .likelihood = -HUGE_VAL };
	struct fit_mixture two = { .likelihood = -HUGE_VAL };
	int status = fit_mixture(&one, of->family, 1, x, count, err);
	if (!status && count >= 2)
		status = fit_mixture(&two, of->family, 2, x, count, err);
	if (status)
		return status;
	const double price = log((double)count);
	const bool pays = two.likelihood - one.likelihood > 1.5 * price;
	const struct fit_mixture *best = pays ? &two : &one;
	of->score += 2 * best->likelihood - (pays ? 5 : 2) * price;
	*p = put_class(*p, class->from, class->to);
	for (size_t k = 0; k < best->parts; k++) {
		if (k)
			*(*p)++ = '/';
		*p = fit_em_put_micro(*p, best->weight[k]);
		*(*p)++ = '/';
		*p = fit_em_put_micro(*p, best->a[k]);
		*(*p)++ = '/';
		*p = fit_em_put_micro(*p, best->b[k]);
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
		return sl_fail_memory(err);
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

/* Of the three families the one whose parts score best over all classes. */
static int fit_runs(const struct fit_trace *t, struct fit_found *found, struct sl_err *err)
{
	static const char *const name[] = { "lognormal", "weibull", "gamma" };
	struct fit_class class[FIT_CLASSES];
	struct family family[SL_LEN(name)];
	double *x = calloc(t->count, sizeof(*x));
	if (!x)
		return sl_fail_memory(err);
	const size_t classes = fit_classes(t, LEAST, class);
	int status = SL_OK;
	size_t best = 0;
	for (size_t f = 0; f < SL_LEN(name) && !status; f++) {
		struct family *of = &family[f];
		of->family = (enum fit_family)f;
		of->score = 0;
		of->p = of->text;
		for (size_t c = 0; c < classes && !status; c++) {
			if (c)
				*of->p++ = '+';
			status = class_runs(of, t, &class[c], x, err);
		}
		*of->p = '\0';
		best = of->score > family[best].score ? f : best;
	}
	free(x);
	if (status)
		return status;
	fit_say(found, "family", name[best]);
	fit_say(found, "runs", family[best].text);
	return SL_OK;
}

static int fit(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err)
{
	int status = fit_common(trace, "max_run", found, err);
	if (!status)
		status = fit_arrivals(trace, found, err);
	if (!status)
		status = fit_sizes(trace, found, err);
	return status ? status : fit_runs(trace, found, err);
}

const struct fit_model fit_model_mixture = { "mixture",
	"sizes as counted; run times: one or two parts for each class of sizes, of the likeliest family",
	fit };

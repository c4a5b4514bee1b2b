/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.h - the numbers of a model that is like a trace.
 *
 * A fit reads the jobs of a trace and says parameters of a generator, as text. It uses the C library's log
 * and exp and searches by simplex: what it says may differ in the last digits between machines; what is
 * generated from given numbers does not.
 */
#ifndef GENERATORS_FIT_H
#define GENERATORS_FIT_H

#include "sim/plugin.h"

struct fit_job {
	sl_time submit;
	int64_t run, limit; /* Seconds. */
	int32_t size;
	uint32_t user;
	enum sl_state ends;        /* SL_PENDING: not known. */
	double parallelism, sigma; /* Below 0: not known. */
};

struct fit_trace {
	const char *path;          /* What errors call it. */
	const struct fit_job *job; /* By submission. */
	uint32_t count;
	int32_t cpus;
	int64_t clock; /* What a Monday's midnight before zero lies before it, in seconds. */
};

enum { FIT_PARAMS = 64, FIT_TEXT = 4096 };
struct fit_found {
	struct {
		const char *key;
		char *text;
	} param[FIT_PARAMS];
	size_t count;
	char *space; /* FIT_TEXT bytes for each. */
};
int fit_found_init(struct fit_found *found, struct sl_err *err);
void fit_found_release(struct fit_found *found);
void fit_say(struct fit_found *found, const char *key, const char *text);
void fit_say_real(struct fit_found *found, const char *key, double value);
void fit_say_whole(struct fit_found *found, const char *key, int64_t value);

struct fit_model {
	const char *generator;
	const char *how; /* One line. */
	int (*fit)(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err);
};
extern const struct fit_model *const fit_models[]; /* Closed by NULL; the first is the default. */

/* ---- Parts (fit.c) --------------------------------------------------------------------- */

/* x[0 .. n) at the least of f, by Nelder and Mead's simplex, from x with first steps. */
typedef double fit_function(const double *x, void *self);
int fit_minimize(fit_function *f, void *self, double *x, const double *step, size_t n, struct sl_err *err);

/* arrivals, gap, and shape or day and week: what is likeliest, each further number at a price (BIC). */
int fit_arrivals(const struct fit_trace *trace, struct fit_found *found, struct sl_err *err);
/* jobs, cpus, users, zipf, factor, and under the key `longest` the longest run time or limit. */
int fit_common(
	const struct fit_trace *trace, const char *longest, struct fit_found *found, struct sl_err *err);
/* Sizes 1, 2, 3-4, 5-8 ... as far as there are jobs; those with less than `least` jobs go with the next. */
struct fit_class {
	int32_t from, to;
	uint32_t count;
};
enum { FIT_CLASSES = 40 };
size_t fit_classes(const struct fit_trace *trace, uint32_t least, struct fit_class class[FIT_CLASSES]);

/* A mixture of distributions of positive numbers by EM: weights, and for each part a and b as
 * `generate mixture` takes them. Sorted data. The logarithm of the likelihood. */
enum fit_family { FIT_LOGNORMAL, FIT_WEIBULL, FIT_GAMMA };
enum { FIT_PARTS = 4 };
struct fit_mixture {
	size_t parts;
	double weight[FIT_PARTS], a[FIT_PARTS], b[FIT_PARTS];
	double likelihood;
};
int fit_mixture(struct fit_mixture *m, enum fit_family family, size_t parts, const double *x, size_t count,
	struct sl_err *err);
double fit_mixture_cdf(const struct fit_mixture *m, enum fit_family family, double x);

/* ---- Distance (fit_nearest.c) -------------------------------------------------------------- */

/* The largest distance of two samples' distribution functions (Kolmogorov and Smirnov), and Anderson and
 * Darling's of two samples (Scholz and Stephens, JASA 82, 1987, ties in half), which looks at the tails.
 * Sorted.
 */
double fit_ks(const double *x, size_t n, const double *y, size_t m);
double fit_ad(const double *x, size_t n, const double *y, size_t m);
/* One sample against a distribution function. */
typedef double fit_cdf(double x, const void *self);
double fit_ks_cdf(const double *x, size_t n, fit_cdf *cdf, const void *self);
double fit_ad_cdf(const double *x, size_t n, fit_cdf *cdf, const void *self);

extern const struct fit_model fit_model_mixture, fit_model_lublin, fit_model_downey, fit_model_jann,
	fit_model_gavel, fit_model_gpu;

#endif

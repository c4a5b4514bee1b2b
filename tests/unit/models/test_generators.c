/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_generators.c - downey, jann, gavel, gpu and mixture against closed forms, through the interface that
 * `generate` uses, and by hand where the form is small.
 *
 * Seeds are fixed, so nothing here fails by chance; a bound on a mean is five standard deviations of it (one
 * seed in two million would fail), one on a distance of Kolmogorov and Smirnov is what one seed in a million
 * exceeds.
 */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/generators/fit.h"
#include "models/generators/generators.h"
#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"

#define KS_LIMIT 2.70 /* D * sqrt(n): 2 * exp(-2 * 2.7^2) = 9e-7. */

struct one {
	double submit, run, limit, size; /* Seconds. */
	int64_t status, user, queue;
	double parallelism, variance;
	char model[32];
};

struct made {
	struct one *one;
	size_t count, capacity;
	struct sl_arena *arena;
	struct sl_err err;
	int status;
};

static int take(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct made *made = self;
	const int status = SL_GROW_MOST(made->one, made->capacity, made->count + 1, 1 << 24, err);
	if (status)
		return status;
	const struct sl_row_attributes *more = row->more;
	const struct sl_profile *profile = more ? more->profile : NULL;
	struct one *one = &made->one[made->count++];
	*one = (struct one){ .submit = (double)row->col[SL_COL_SUBMIT] / 1e6,
		.run = (double)row->col[SL_COL_RUN] / 1e6,
		.limit = (double)row->col[SL_COL_LIMIT] / 1e6,
		.size = (double)(more ? more->group->tasks : row->col[SL_COL_CPUS]),
		.status = row->col[SL_COL_STATUS],
		.user = row->col[SL_COL_USER],
		.queue = row->col[SL_COL_QUEUE],
		.parallelism = profile ? (double)profile->parallelism / 1e6 : 0,
		.variance = profile ? (double)profile->variance / 1e6 : 0 };
	(void)snprintf(one->model, sizeof(one->model), "%s", profile && profile->model ? profile->model : "");
	return SL_OK;
}

static struct made make(const char *name, const char *text, uint64_t seed)
{
	struct made made = { .arena = sl_arena_new() };
	const struct sl_generator *model = sl_by_name(builtin_registry()->known.generators, name);
	cr_assert_not_null(model);
	struct sl_value *values = sl_alloc(made.arena, model->param_count, sizeof(*values));
	made.status = values_parse(values,
		&(struct param_list){ model->params, model->param_count, model->name, NULL, made.arena },
		text, &made.err);
	const struct sl_sink sink = { .self = &made, .job = take };
	if (!made.status)
		made.status = model->generate(values, model->param_count, seed, &sink, &made.err);
	return made;
}

static void release(struct made *made)
{
	free(made->one);
	sl_arena_free(made->arena);
}

static struct made made_well(const char *name, const char *text)
{
	struct made made = make(name, text, 1);
	cr_assert_eq(made.status, SL_OK, "%s %s: %s", name, text, made.err.text);
	return made;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* ---- Arrivals ---------------------------------------------------------------------- */

static double *gaps_of(const struct made *made)
{
	double *gap = calloc(made->count, sizeof(*gap));
	cr_assert_not_null(gap);
	for (size_t i = 0; i < made->count; i++)
		gap[i] = made->one[i].submit - (i ? made->one[i - 1].submit : 0);
	qsort(gap, made->count, sizeof(*gap), ascending);
	return gap;
}

static double exponential_cdf(double x, const void *self) { return 1 - exp(-x / *(const double *)self); }
/* Shape 0.5: the mean is scale * Gamma(3) = 2 scale. */
static double weibull_cdf(double x, const void *self)
{
	return gsl_cdf_weibull_P(x, *(const double *)self / 2, 0.5);
}
static double gamma_cdf(double x, const void *self)
{
	return gsl_cdf_gamma_P(x, 0.5, *(const double *)self / 0.5);
}

/* Gaps of 10^5 s, of which the rounding to seconds moves the distribution by less than 0.003. */
Test(generators, gaps_have_their_distribution)
{
	static const struct {
		const char *arrivals;
		fit_cdf *cdf;
		double deviation; /* Of one gap, in gaps. */
	} cases[] = { { "poisson", exponential_cdf, 1 }, { "weibull", weibull_cdf, 2.2361 },
		{ "gamma", gamma_cdf, 1.4142 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char text[128];
		const double mean = 100000;
		(void)snprintf(
			text, sizeof(text), "jobs=10000,arrivals=%s,gap=100000,shape=0.5", cases[i].arrivals);
		struct made made = made_well("mixture", text);
		double *gap = gaps_of(&made);
		const double d = fit_ks_cdf(gap, made.count, cases[i].cdf, &mean);
		cr_expect_lt(d, KS_LIMIT / 100 + 0.003, "%s: %g", cases[i].arrivals, d);
		const double off = made.one[made.count - 1].submit / 1e4 / mean - 1;
		cr_expect_lt(fabs(off), 5 * cases[i].deviation / 100, "%s: %g", cases[i].arrivals, off);
		free(gap);
		release(&made);
	}
}

Test(generators, constant_gaps_are_constant)
{
	struct made made = made_well("mixture", "jobs=100,arrivals=constant,gap=90");
	for (size_t i = 0; i < made.count; i++)
		cr_expect_eq(made.one[i].submit, 90.0 * ((double)i + 1));
	release(&made);
}

/* Jobs by hour of the day and by day of the week, as their weights say; a weight of 0 is empty; the mean rate
 * over whole weeks is one job a gap. Each count is binomial: five standard deviations. */
Test(generators, a_cycle_follows_day_and_week)
{
	struct made made = made_well("mixture",
		"jobs=50000,arrivals=cyclic,gap=60,day=0+1+1+1+1+1+1+1+3+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1,"
		"week=2+1+1+1+1+1+0");
	double day[24] = { 0 };
	double week[7] = { 0 };
	double n = 0;
	const double whole = floor(made.one[made.count - 1].submit / 604800) * 604800;
	for (size_t i = 0; i < made.count && made.one[i].submit < whole; i++) {
		const int64_t hour = (int64_t)(made.one[i].submit / 3600);
		day[hour % 24]++;
		week[hour / 24 % 7]++;
		n++;
	}
	for (int h = 0; h < 24; h++) {
		const double p = (h == 0 ? 0 : h == 8 ? 3 : 1) / 25.0;
		cr_expect_leq(fabs(day[h] - p * n), 5 * sqrt(n * p * (1 - p)) + 15, "hour %d: %g", h, day[h]);
	}
	for (int d = 0; d < 7; d++) {
		const double p = (d == 0 ? 2 : d == 6 ? 0 : 1) / 7.0;
		cr_expect_leq(
			fabs(week[d] - p * n), 5 * sqrt(n * p * (1 - p)) + 15, "day %d: %g", d, week[d]);
	}
	cr_expect_leq(fabs(n - whole / 60), 5 * sqrt(n), "%g jobs in %g s", n, whole);
	release(&made);
}

/* Load is work over machine and span; jobs stay as they are, only the times move. */
Test(generators, load_sets_the_gap)
{
	struct made made = made_well("gavel", "jobs=20000,load=0.7,cpus=64,format=swf");
	struct made other = made_well("gavel", "jobs=20000,cpus=64,format=swf");
	double work = 0;
	for (size_t i = 0; i < made.count; i++) {
		work += made.one[i].size * made.one[i].run;
		cr_assert_eq(made.one[i].run, other.one[i].run);
	}
	const double load = work / 64 / made.one[made.count - 1].submit;
	cr_expect_lt(fabs(load / 0.7 - 1), 5 / sqrt(20000), "%g", load);
	release(&made);
	release(&other);
}

/* ---- Streams, users, estimates --------------------------------------------------------- */

/* Another estimate, other users: nothing else moves. The same seed again: nothing at all. */
Test(generators, each_quantity_has_its_stream)
{
	static const char *const name[] = { "downey", "jann", "gavel", "gpu", "mixture" };
	for (size_t m = 0; m < SL_LEN(name); m++) {
		struct made a = made_well(name[m], "jobs=500,format=swf");
		struct made b = made_well(name[m], "jobs=500,format=swf");
		struct made c = made_well(name[m], "jobs=500,format=swf,estimates=menu,users=3");
		struct made d = make(name[m], "jobs=500,format=swf", 2);
		size_t moved = 0;
		size_t less = 0;
		for (size_t i = 0; i < a.count; i++) {
			cr_assert_eq(a.one[i].submit, b.one[i].submit, "%s", name[m]);
			cr_assert_eq(a.one[i].run, b.one[i].run, "%s", name[m]);
			cr_assert_eq(a.one[i].size, b.one[i].size, "%s", name[m]);
			cr_assert_eq(a.one[i].limit, b.one[i].limit, "%s", name[m]);
			cr_assert_eq(a.one[i].user, b.one[i].user, "%s", name[m]);
			cr_assert_eq(a.one[i].submit, c.one[i].submit);
			cr_assert_eq(a.one[i].run, c.one[i].run);
			cr_assert_eq(a.one[i].size, c.one[i].size);
			cr_expect_leq(c.one[i].user, 3);
			moved += a.one[i].run != d.one[i].run;
			less += a.one[i].limit < a.one[i].run || c.one[i].limit < c.one[i].run;
		}
		cr_expect_gt(moved, 450, "%s: another seed", name[m]);
		cr_expect_eq(less, 0, "%s: a limit below the run time", name[m]);
		release(&a);
		release(&b);
		release(&c);
		release(&d);
	}
}

/* The f-model is uniform in [run, factor * run]; the menu is the next value; both end at max_run. */
Test(generators, estimates_are_as_asked)
{
	struct made f = made_well("gavel", "jobs=10000,factor=3,format=swf");
	double sum = 0;
	for (size_t i = 0; i < f.count; i++) {
		const double ratio = f.one[i].limit / f.one[i].run;
		cr_expect(ratio >= 1 && ratio <= 3.0003, "%g", ratio);
		sum += ratio / 10000;
	}
	cr_expect_lt(fabs(sum - 2), 5 * 0.5774 / 100, "%g", sum);
	release(&f);
	struct made menu = made_well("mixture", "jobs=2000,estimates=menu,max_run=20h,runs=1-256:1/9/1");
	for (size_t i = 0; i < menu.count; i++) {
		const double run = menu.one[i].run;
		const double want = run <= 300     ? 300
				    : run <= 900   ? 900
				    : run <= 1800  ? 1800
				    : run <= 3600  ? 3600
				    : run <= 7200  ? 7200
				    : run <= 14400 ? 14400
				    : run <= 28800 ? 28800
				    : run <= 43200 ? 43200
				    : run <= 64800 ? 64800
						   : 72000;
		cr_expect_eq(menu.one[i].limit, want, "%g: %g", run, menu.one[i].limit);
		cr_expect_leq(run, 72000);
	}
	release(&menu);
}

/* ---- Downey -------------------------------------------------------------------------------- */

/* Each term of the formula, worked out: A = 4. */
Test(generators, downeys_speedup_by_hand)
{
	static const struct {
		double n, sigma, speedup;
	} cases[] = {
		{ 1, 0, 1 }, { 3, 0, 3 }, { 4, 0, 4 }, { 9, 0, 4 },   /* None: linear up to A. */
		{ 1, 1, 1 }, { 4, 1, 16 / 5.5 },                      /* 4 * 4 / (4 + 3 / 2) */
		{ 6, 1, 24 / 6.5 }, { 7, 1, 4 }, { 100, 1, 4 },       /* 4 * 6 / (3.5 + 3) */
		{ 1, 2, 1 }, { 5, 2, 3 }, { 10, 2, 4 }, { 11, 2, 4 }, /* 5 * 4 * 3 / (2 * 8 + 4) */
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const double s = gen_downey_speedup(cases[i].n, 4, cases[i].sigma);
		cr_expect_lt(fabs(s - cases[i].speedup), 1e-12, "case %zu: %g", i, s);
	}
}

static double uniform_cdf(double x, const void *self)
{
	const double *range = self;
	return fmin(1, fmax(0, (x - range[0]) / (range[1] - range[0])));
}

/* ln W is uniform between the roots of b0 + b1 ln w, ln A between 0 and ln 64, sigma in [0.5, 1.5]. Run times
 * of a second and more round ln W by little: b0 = -1, b1 = 0.1 is e^10 .. e^20. */
Test(generators, downeys_work_is_log_uniform)
{
	struct made made = made_well("downey",
		"jobs=10000,format=table,cpus=64,b0=-1,b1=0.1,sigma_min=0.5,sigma_max=1.5,max_run=3650d");
	static const double range[3][2] = { { 10, 20 }, { 0, 4.158883083359672 }, { 0.5, 1.5 } };
	double *x[3];
	for (size_t k = 0; k < 3; k++)
		x[k] = calloc(made.count, sizeof(double));
	for (size_t i = 0; i < made.count; i++) {
		const struct one *o = &made.one[i];
		cr_expect_lt(fabs(o->size - o->parallelism), 0.5 + 1e-6);
		x[0][i] = log(o->run * gen_downey_speedup(o->size, o->parallelism, o->variance));
		x[1][i] = log(o->parallelism);
		x[2][i] = o->variance;
	}
	for (size_t k = 0; k < 3; k++) {
		qsort(x[k], made.count, sizeof(double), ascending);
		const double d = fit_ks_cdf(x[k], made.count, uniform_cdf, range[k]);
		cr_expect_lt(d, KS_LIMIT / 100, "%zu: %g", k, d);
		free(x[k]);
	}
	release(&made);
}

/* ---- Hyper-Erlang ----------------------------------------------------------------------------- */

/* The moments of what is found are those asked for: mean, second and third, and the order is the least. */
Test(generators, hyper_erlang_has_its_moments)
{
	static const struct {
		double mean, cv2, m3;
		int order; /* 0: none has them. */
	} cases[] = {
		{ 10, 1, 6, 1 },    /* The exponential itself. */
		{ 100, 4, 60, 1 },  /* 60 / 6 >= (5 / 2)^2 */
		{ 7, 0.5, 3, 2 },   /* An Erlang of order 2: 1 * 2 * 3 / 4 * 2 */
		{ 7, 0.4, 2.6, 3 }, /* cv2 > 1 / 3; m3 >= 1.4^2 * 5 / 4 = 2.45 */
		{ 50, 2, 12.5, 2 }, /* Order 1 needs 9 * 3 / 2, order 2 needs 9 * 4 / 3. */
		{ 50, 2, 8.9, 0 },  /* Below (1 + cv2)^2: no distribution at all. */
		{ 9, 1, 50,
			2 }, /* An exponential's variance, and another third moment: order 1 has only 6. */
		{ 9, 0.5, 30, 3 }, /* Likewise: of order 2 only 3. */
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct gen_hyper h;
		const double mean = cases[i].mean;
		const bool found = gen_hyper_of_moments(&h, mean, cases[i].cv2, cases[i].m3);
		cr_assert_eq(found, cases[i].order > 0, "case %zu", i);
		if (!found)
			continue;
		cr_expect(h.order == cases[i].order, "case %zu: order %d", i, h.order);
		const double n = h.order;
		const double q = 1 - h.p;
		const double m1 = h.p * h.x1 + q * h.x2;
		const double m2 = (h.p * h.x1 * h.x1 + q * h.x2 * h.x2) * (n + 1) / n;
		const double m3 = (h.p * pow(h.x1, 3) + q * pow(h.x2, 3)) * (n + 1) * (n + 2) / n / n;
		cr_expect(h.p >= 0 && h.p <= 1 && h.x1 >= 0 && h.x2 >= h.x1, "case %zu", i);
		cr_expect_lt(fabs(m1 / mean - 1), 1e-9, "case %zu: %g", i, m1);
		cr_expect_lt(fabs(m2 / mean / mean / (1 + cases[i].cv2) - 1), 1e-9, "case %zu: %g", i, m2);
		cr_expect_lt(fabs(m3 / mean / mean / mean / cases[i].m3 - 1), 1e-9, "case %zu: %g", i, m3);
	}
}

static double hyper_cdf(double x, const void *self)
{
	const struct gen_hyper *h = self;
	return h->p * gsl_cdf_gamma_P(x, h->order, h->x1 / h->order) +
	       (1 - h->p) * gsl_cdf_gamma_P(x, h->order, h->x2 / h->order);
}

/* Two classes: sizes in theirs, uniform; run times and gaps of each against the closed form. */
Test(generators, janns_classes_keep_to_themselves)
{
	struct made made = made_well("jann",
		"jobs=20000,cpus=64,max_run=3650d,classes=1:100000/1/6/50000/4/60+9-16:100000/0.4/2.6/90000/0.5/3");
	static const double moments[2][2][3] = { { { 1e5, 1, 6 }, { 5e4, 4, 60 } },
		{ { 1e5, 0.4, 2.6 }, { 9e4, 0.5, 3 } } };
	for (int c = 0; c < 2; c++) {
		double *x[2] = { calloc(made.count, sizeof(double)), calloc(made.count, sizeof(double)) };
		size_t n = 0;
		double before = 0;
		double sizes = 0;
		for (size_t i = 0; i < made.count; i++) {
			const struct one *o = &made.one[i];
			if (o->queue != c)
				continue;
			cr_assert(c ? o->size >= 9 && o->size <= 16 : o->size == 1);
			x[0][n] = o->submit - before;
			x[1][n++] = o->run;
			before = o->submit;
			sizes += o->size;
		}
		for (size_t k = 0; k < 2; k++) {
			struct gen_hyper h;
			const double *m = moments[c][k];
			cr_assert(gen_hyper_of_moments(&h, m[0], m[1], m[2]));
			qsort(x[k], n, sizeof(double), ascending);
			const double d = fit_ks_cdf(x[k], n, hyper_cdf, &h);
			cr_expect_lt(d, KS_LIMIT / sqrt((double)n) + 0.001, "class %d: %g of %zu", c, d, n);
			free(x[k]);
		}
		if (c) /* Uniform on 9 .. 16: mean 12.5, deviation 2.29. */
			cr_expect_lt(fabs(sizes / (double)n - 12.5), 5 * 2.2913 / sqrt((double)n));
	}
	release(&made);
}

/* ---- Gavel, gpu ---------------------------------------------------------------------------------- */

Test(generators, gavels_sizes_and_durations)
{
	struct made made = made_well("gavel", "jobs=20000");
	static const double share[] = { 0.7, 0.1, 0.15, 0.05 };
	double jobs[4] = { 0 };
	double named = 0;
	double *low = calloc(made.count, sizeof(double));
	double *high = calloc(made.count, sizeof(double));
	size_t lows = 0;
	size_t highs = 0;
	for (size_t i = 0; i < made.count; i++) {
		const double ln = log10(made.one[i].run / 60);
		jobs[made.one[i].size == 1 ? 0 : made.one[i].size == 2 ? 1 : made.one[i].size == 4 ? 2 : 3]++;
		named += strcmp(made.one[i].model, "CycleGAN") == 0;
		if (ln < 3)
			low[lows++] = ln;
		else
			high[highs++] = ln;
	}
	for (size_t i = 0; i < 4; i++)
		cr_expect_lt(fabs(jobs[i] / 20000 - share[i]), 5 * sqrt(share[i] * (1 - share[i]) / 20000));
	cr_expect_lt(fabs((double)highs / 20000 - 0.2), 5 * 0.4 / sqrt(20000));
	cr_expect_lt(fabs(named / 20000 - 1 / 7.0), 5 * 0.35 / sqrt(20000));
	qsort(low, lows, sizeof(double), ascending);
	qsort(high, highs, sizeof(double), ascending);
	static const double range[2][2] = { { 1.5, 3 }, { 3, 4 } };
	cr_expect_lt(fit_ks_cdf(low, lows, uniform_cdf, range[0]), KS_LIMIT / sqrt((double)lows));
	cr_expect_lt(fit_ks_cdf(high, highs, uniform_cdf, range[1]), KS_LIMIT / sqrt((double)highs));
	free(low);
	free(high);
	release(&made);
}

/* Of each cluster: how jobs end, the mean size, the mean of ln run by how they end. The means come from the
 * published shares by hand: Philly's completed run 18006 * .321 / .604 on average. */
Test(generators, gpu_ends_as_the_clusters_do)
{
	static const struct {
		const char *name;
		double jobs[3], time[3], run, size;
	} cases[] = {
		{ "philly", { .604, .090, .305 }, { .321, .294, .386 }, 18006, 1.928 },
		{ "helios", { .624, .221, .155 }, { .513, .394, .093 }, 6652, 3.716 },
		{ "seren", { .497, .075, .429 }, { .212, .664, .124 }, 1414, 5.68 },
		{ "kalos", { .541, .062, .397 }, { .313, .607, .080 }, 1260, 26.77 },
	};
	static const int64_t status[] = { 1, 5, 0 };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char text[128];
		(void)snprintf(
			text, sizeof(text), "jobs=40000,cluster=%s,sigma=1,max_run=3650d", cases[i].name);
		struct made made = made_well("gpu", text);
		double jobs[3] = { 0 };
		double ln[3] = { 0 };
		double size = 0;
		double square = 0;
		for (size_t k = 0; k < made.count; k++) {
			const struct one *o = &made.one[k];
			const size_t e = o->status == status[0] ? 0 : o->status == status[1] ? 1 : 2;
			cr_assert_eq(o->status, status[e]);
			jobs[e]++;
			ln[e] += log(o->run);
			size += o->size / 40000;
			square += o->size * o->size / 40000;
		}
		for (size_t e = 0; e < 3; e++) {
			const double p = cases[i].jobs[e];
			const double mean = cases[i].run * cases[i].time[e] / p;
			const double off = ln[e] / jobs[e] - (log(mean) - 0.5);
			cr_expect_lt(fabs(jobs[e] / 40000 - p), 5 * sqrt(p * (1 - p) / 40000) + 0.001,
				"%s %zu", cases[i].name, e);
			cr_expect_lt(
				fabs(off), 5 / sqrt(jobs[e]) + 0.002, "%s %zu: %g", cases[i].name, e, off);
		}
		cr_expect_lt(
			fabs(size - cases[i].size), 5 * sqrt(square / 40000), "%s: %g", cases[i].name, size);
		release(&made);
	}
}

/* No job is larger than the machine, whatever its mean; shares that make up all are taken. */
Test(generators, gpu_fits_the_machine)
{
	struct made made =
		made_well("gpu", "jobs=5000,cpus=48,size_mean=20,cancelled=0.333333,failed=0.666667");
	size_t most = 0;
	for (size_t i = 0; i < made.count; i++) {
		cr_assert_leq(made.one[i].size, 32);
		cr_assert_neq(made.one[i].status, 1);
		most += made.one[i].size == 32;
	}
	cr_expect_gt(most, 1000);
	release(&made);
	made = made_well("gpu", "jobs=1000,cpus=64,size_mean=64"); /* All are the largest. */
	for (size_t i = 0; i < made.count; i++)
		cr_assert_geq(made.one[i].size, 32);
	release(&made);
}

/* ---- Mixture ----------------------------------------------------------------------------------------- */

static double mixture_cdf(double x, const void *self)
{
	static const struct fit_mixture of = {
		.parts = 2, .weight = { 0.25, 0.75 }, .a = { 2, 0.8 }, .b = { 20000, 400000 }
	};
	return fit_mixture_cdf(&of, *(const enum fit_family *)self, x);
}

/* Each family, two parts, against the closed form; sizes by weight, log-uniform within a range. */
Test(generators, mixture_draws_from_each_family)
{
	static const char *const name[] = { "weibull", "gamma" };
	static const enum fit_family family[] = { FIT_WEIBULL, FIT_GAMMA };
	for (size_t i = 0; i < SL_LEN(name); i++) {
		char text[256];
		(void)snprintf(text, sizeof(text),
			"jobs=10000,family=%s,max_run=3650d,sizes=1:1+2-15:3,runs=1-15:0.25/2/20000/0.75/0.8/400000",
			name[i]);
		struct made made = made_well("mixture", text);
		double *x = calloc(made.count, sizeof(double));
		double one = 0;
		double small = 0;
		for (size_t k = 0; k < made.count; k++) {
			x[k] = made.one[k].run;
			one += made.one[k].size == 1;
			small += made.one[k].size >= 2 && made.one[k].size <= 3;
			cr_assert(made.one[k].size <= 15);
		}
		qsort(x, made.count, sizeof(double), ascending);
		cr_expect_lt(fit_ks_cdf(x, made.count, mixture_cdf, &family[i]), KS_LIMIT / 100 + 0.001, "%s",
			name[i]);
		/* 2 and 3 take ln 4 - ln 2 of ln 16 - ln 2: a third. */
		cr_expect_lt(fabs(one / 1e4 - 0.25), 5 * 0.433 / 100);
		cr_expect_lt(fabs(small / 1e4 - 0.25), 5 * 0.433 / 100);
		free(x);
		release(&made);
	}
}

/* ---- What is wrong --------------------------------------------------------------------------------------
 */

Test(generators, wrong_values_say_what_to_do)
{
	static const struct {
		const char *model, *text, *says;
	} cases[] = {
		{ "mixture", "arrivals=cyclic,day=1+2", "give 24 numbers" },
		{ "mixture", "arrivals=cyclic,week=1+2", "give 7 numbers" },
		{ "mixture", "arrivals=cyclic,week=0+0+0+0+0+0+0", "must be above 0" },
		{ "mixture", "sizes=0:1", "'sizes': '0:1' is none" },
		{ "mixture", "sizes=5-3:1", "is none" },
		{ "mixture", "sizes=1:1+x", "'x' is none" },
		{ "mixture", "sizes=300:1", "300 is above 'cpus'" },
		{ "mixture", "sizes=1:0", "above 0" },
		{ "mixture", "runs=1:1/2", "the numbers of 1-1" },
		{ "mixture", "runs=1:1/2/3", "no class for size" },
		{ "mixture", "family=gamma,runs=1-256:1/-2/3", "shapes and scales" },
		{ "mixture", "jobs=300000,gap=365d", "after the end of time" },
		{ "jann", "classes=1:1/2", "of 6" },
		{ "jann", "classes=1:100/2/8/100/1/6", "no hyper-Erlang" },
		{ "jann", "classes=1:0/2/8/100/1/6", "no hyper-Erlang" },
		{ "jann", "classes=1:100/1/6/100/1/6+2:100/1/6/100/1/6+1:50/1/6/50/1/6",
			"1-1 is given twice" },
		{ "jann", "classes=1:1000000000/1000000/9000000000000/100/1/6", "after the end of time" },
		{ "jann", "classes=400:100/1/6/100/1/6", "above 'cpus'" },
		{ "gavel", "scale=1+2", "four weights" },
		{ "gavel", "from=3.5", "must not descend" },
		{ "gavel", "models=A++B", "1 to 64 names" },
		{ "gavel", "cpus=4", "jobs of 8 GPUs, 'cpus' is 4" },
		{ "gpu", "cancelled=0.6,failed=0.6", "more than all" },
		{ "gpu", "cpus=512,size_max=1024", "'size_max' is above 'cpus'" },
		{ "gpu", "cpus=16,cluster=kalos", "above what 'size_max' allows" },
		{ "gpu", "size_mean=30,size_max=16", "above what 'size_max' allows" },
		{ "downey", "a_max=300", "above 'cpus'" },
		{ "downey", "sigma_min=3", "above 'sigma_max'" },
		{ "downey", "b0=-900,b1=0.001", "nearer to the defaults" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct made made = make(cases[i].model, cases[i].text, 1);
		cr_expect_eq(made.status, SL_USAGE, "%s %s", cases[i].model, cases[i].text);
		cr_expect_not_null(
			strstr(made.err.text, cases[i].says), "%s: %s", cases[i].text, made.err.text);
		release(&made);
	}
}

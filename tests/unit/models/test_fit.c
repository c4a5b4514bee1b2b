/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fit.c - fits find the numbers that our own generators were given; distances by hand.
 *
 * Tolerances are stated beside each number: five standard deviations of its estimate, as twenty other seeds
 * showed it at that many jobs (one seed in two million would fail), and the bias that was seen there, which
 * comes of times in whole seconds. Seeds are fixed: nothing fails by chance.
 */
#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/generators/fit.h"
#include "models/generators/generators.h"
#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"

struct traced {
	struct fit_job *job;
	size_t count, capacity;
	struct fit_found found;
	struct sl_err err;
	int status;
};

static int take(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct traced *t = self;
	const int status = SL_GROW_MOST(t->job, t->capacity, t->count + 1, 1 << 24, err);
	if (status)
		return status;
	static const enum sl_state ends[] = { SL_FAILED, SL_COMPLETED, SL_PENDING, SL_PENDING, SL_PENDING,
		SL_CANCELLED };
	const struct sl_profile *p = row->more ? row->more->profile : NULL;
	int64_t user = row->col[SL_COL_USER];
	if (row->more)
		cr_assert(sl_get_i64(row->more->user + 4, strlen(row->more->user) - 4, &user));
	t->job[t->count++] = (struct fit_job){ .submit = row->col[SL_COL_SUBMIT],
		.run = row->col[SL_COL_RUN] / SL_SECOND,
		.limit = row->col[SL_COL_LIMIT] / SL_SECOND,
		.size = (int32_t)(row->more ? row->more->group->tasks : row->col[SL_COL_CPUS]),
		.user = (uint32_t)user - 1,
		.ends = row->col[SL_COL_STATUS] >= 0 ? ends[row->col[SL_COL_STATUS]] : SL_PENDING,
		.parallelism = p && p->parallelism >= 0 ? (double)p->parallelism / 1e6 : -1,
		.sigma = p && p->variance >= 0 ? (double)p->variance / 1e6 : -1 };
	return SL_OK;
}

static struct traced generated(const char *name, const char *text, uint64_t seed)
{
	struct traced t = { 0 };
	struct sl_arena *arena = sl_arena_new();
	const struct sl_generator *model = sl_by_name(builtin_registry()->known.generators, name);
	struct sl_value *values = sl_alloc(arena, model->param_count, sizeof(*values));
	t.status = values_parse(values,
		&(struct param_list){ model->params, model->param_count, name, NULL, arena }, text, &t.err);
	const struct sl_sink sink = { .self = &t, .job = take };
	if (!t.status)
		t.status = model->generate(values, model->param_count, seed, &sink, &t.err);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	sl_arena_free(arena);
	return t;
}

static void fit(struct traced *t, const char *name, int32_t cpus)
{
	const struct fit_trace trace = {
		.path = "a trace", .job = t->job, .count = (uint32_t)t->count, .cpus = cpus
	};
	size_t i = 0;
	while (fit_models[i] && strcmp(fit_models[i]->generator, name) != 0)
		i++;
	cr_assert_not_null(fit_models[i]);
	gsl_set_error_handler_off();
	t->status = fit_found_init(&t->found, &t->err);
	if (!t->status)
		t->status = fit_models[i]->fit(&trace, &t->found, &t->err);
}

static void release(struct traced *t)
{
	fit_found_release(&t->found);
	free(t->job);
}

static const char *text_of(const struct traced *t, const char *key)
{
	for (size_t i = 0; i < t->found.count; i++)
		if (strcmp(t->found.param[i].key, key) == 0)
			return t->found.param[i].text;
	return "";
}

static double number_of(const struct traced *t, const char *key)
{
	int64_t micro;
	const char *text = text_of(t, key);
	cr_assert(sl_get_micro(text, strlen(text), &micro), "%s: '%s'", key, text);
	return (double)micro / 1e6;
}

struct wanted {
	const char *key;
	double value, within;
};

static void expect_all(const struct traced *t, const struct wanted *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const double found = number_of(t, wanted[i].key);
		cr_expect(fabs(found - wanted[i].value) <= wanted[i].within, "%s: %g, not %g", wanted[i].key,
			found, wanted[i].value);
	}
}

/* ---- Models ------------------------------------------------------------------------------ */

Test(fit, recovers_lublin)
{
	struct traced t = generated("lublin", "jobs=20000,cpus=128,estimates=exact,users=40,zipf=1.3", 3);
	fit(&t, "lublin", 128);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	static const struct wanted wanted[] = { { "serial_prob", 0.244, 0.015 }, { "pow2_prob", 0.576, 0.02 },
		{ "ulow", 0.8, 0.075 }, { "umed", 4.5, 0.06 }, { "uhi", 7, 0 }, { "uprob", 0.86, 0.016 },
		{ "a1", 4.2, 0.3 }, { "b1", 0.94, 0.07 }, { "a2", 312, 41 }, { "b2", 0.03, 0.0039 },
		{ "pa", -0.0054, 0.0007 }, { "pb", 0.78, 0.02 }, { "aarr", 10.2303, 1.55 },
		{ "barr", 0.4871, 0.073 }, { "anum", 8.1737, 2 }, { "bnum", 3.9631, 1.15 },
		{ "zipf", 1.3, 0.023 }, { "users", 40, 0 }, { "factor", 1, 0 } };
	expect_all(&t, wanted, SL_LEN(wanted));
	/* The load is the trace's own, and no job is longer than its longest. */
	double work = 0;
	int64_t longest = 0;
	for (size_t i = 0; i < t.count; i++) {
		work += t.job[i].size * (double)t.job[i].run;
		longest = t.job[i].run > longest ? t.job[i].run : longest;
	}
	const double range = (double)(t.job[t.count - 1].submit - t.job[0].submit) / 1e6;
	cr_expect_lt(fabs(number_of(&t, "load") - work / range / 128), 1e-6, "%s", text_of(&t, "load"));
	cr_expect_eq(number_of(&t, "max_estimate"), (double)longest);
	release(&t);
}

Test(fit, recovers_downey)
{
	struct traced t = generated("downey",
		"jobs=10000,format=table,cpus=64,b0=-0.6,b1=0.08,sigma_min=0.5,sigma_max=1.5,gap=900,max_run=3650d",
		3);
	fit(&t, "downey", 64);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	static const struct wanted wanted[] = { { "b0", -0.6, 0.027 }, { "b1", 0.08, 0.0016 },
		{ "gap", 900, 39 }, { "a_min", 1, 0.002 }, { "a_max", 64, 0.13 },
		{ "sigma_min", 0.5, 0.0008 }, { "sigma_max", 1.5, 0.0006 }, { "factor", 5, 0.33 } };
	expect_all(&t, wanted, SL_LEN(wanted));
	cr_expect_str_eq(text_of(&t, "arrivals"), "poisson");
	release(&t);
}

Test(fit, recovers_jann)
{
	struct traced t = generated("jann",
		"jobs=40000,cpus=16,max_run=3650d,classes=1-1:1000/4/60/5000/0.5/3+9-16:3000/0.4/2.6/9000/1/6",
		3);
	fit(&t, "jann", 16);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	struct gen_item item[4];
	const char *wrong;
	cr_assert_eq(gen_items(text_of(&t, "classes"), item, 4, &wrong), 2, "%s", text_of(&t, "classes"));
	/* Means, variances, third moments: of these the last are the least certain. */
	static const double want[2][6] = { { 1000, 4, 60, 5000, 0.5, 3 }, { 3000, 0.4, 2.6, 9000, 1, 6 } };
	static const double within[] = { 0.075, 0.135, 0.25, 0.055, 0.09, 0.19 };
	for (size_t c = 0; c < 2; c++)
		for (size_t i = 0; i < 6; i++) {
			const double found = (double)item[c].number[i] / 1e6;
			cr_expect_lt(
				fabs(found / want[c][i] - 1), within[i], "class %zu, %zu: %g", c, i, found);
		}
	cr_expect_eq(item[0].to, 1);
	cr_expect_eq(item[1].to, 16);
	release(&t);
}

Test(fit, recovers_gavel)
{
	struct traced t = generated("gavel", "jobs=20000,gap=700,format=swf,arrivals=gamma,shape=0.6", 3);
	fit(&t, "gavel", 64);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	static const struct wanted wanted[] = { { "from", 1.5, 0.001 }, { "middle", 3, 0.0015 },
		{ "until", 4, 0.0025 }, { "long", 0.2, 0.015 }, { "gap", 700, 26 }, { "shape", 0.6, 0.032 } };
	expect_all(&t, wanted, SL_LEN(wanted));
	int64_t scale[4];
	static const double share[] = { 0.7, 0.1, 0.15, 0.05 };
	cr_assert_eq(gen_numbers(text_of(&t, "scale"), "+", scale, 4), 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect_lt(fabs((double)scale[i] / 1e6 - share[i]), 0.019, "%zu", i);
	cr_expect_str_eq(text_of(&t, "arrivals"), "gamma");
	release(&t);
}

Test(fit, recovers_gpu_and_its_cycle)
{
	struct traced t = generated("gpu", "jobs=40000,cluster=helios,sigma=1.5,gap=2m", 3);
	fit(&t, "gpu", 1024);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	static const struct wanted wanted[] = { { "cancelled", 0.221, 0.0105 }, { "failed", 0.155, 0.0094 },
		{ "run_completed", 6652 * .513 / .624, 376 }, { "run_cancelled", 6652 * .394 / .221, 1200 },
		{ "run_failed", 6652 * .093 / .155, 422 }, { "sigma", 1.5, 0.031 },
		{ "size_mean", 3.716, 0.57 }, { "gap", 120, 2.7 } };
	expect_all(&t, wanted, SL_LEN(wanted));
	cr_assert_str_eq(text_of(&t, "arrivals"), "cyclic");
	int64_t day[24];
	int64_t week[7];
	cr_assert_eq(gen_numbers(text_of(&t, "day"), "+", day, 24), 24);
	cr_assert_eq(gen_numbers(text_of(&t, "week"), "+", week, 7), 7);
	/* The defaults: twice as much from 8 to 18, and on weekdays; means of 34 / 24 and 12 / 7. */
	for (int h = 0; h < 24; h++)
		cr_expect_lt(fabs((double)day[h] / 1e6 * 34 / 24 - (h >= 8 && h < 18 ? 2 : 1)), 0.22,
			"hour %d", h);
	for (int d = 0; d < 7; d++)
		cr_expect_lt(fabs((double)week[d] / 1e6 * 12 / 7 - (d < 5 ? 2 : 1)), 0.13, "day %d", d);
	release(&t);
}

/* Sizes and their weights; each class's run times, whose two parts are found. */
Test(fit, recovers_mixture)
{
	struct traced t = generated("mixture",
		"jobs=20000,cpus=16,arrivals=weibull,shape=0.7,gap=300,sizes=1:3+8:1,"
		"runs=1:0.3/4/1/0.7/9/0.5+8:1/6/1.2",
		3);
	fit(&t, "mixture", 16);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	static const struct wanted wanted[] = { { "gap", 300, 17 }, { "shape", 0.7, 0.03 } };
	expect_all(&t, wanted, SL_LEN(wanted));
	cr_expect_str_eq(text_of(&t, "arrivals"), "weibull");
	struct gen_item item[4];
	const char *wrong;
	cr_assert_eq(gen_items(text_of(&t, "runs"), item, 4, &wrong), 2, "%s", text_of(&t, "runs"));
	static const double want[2][6] = { { 0.3, 4, 1, 0.7, 9, 0.5 }, { 1, 6, 1.2 } };
	cr_expect_eq(item[0].count, 6);
	cr_expect_eq(item[1].count, 3);
	for (size_t c = 0; c < 2; c++)
		for (size_t i = 0; i < 6; i++)
			cr_expect_lt(fabs((double)item[c].number[i] / 1e6 - want[c][i]), 0.1,
				"class %zu, %zu: %s", c, i, text_of(&t, "runs"));
	cr_assert_eq(gen_items(text_of(&t, "sizes"), item, 4, &wrong), 2, "%s", text_of(&t, "sizes"));
	cr_expect_lt(fabs((double)item[0].number[0] / 1e6 / 20000 - 0.75), 0.016);
	release(&t);
}

/* ---- EM ------------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Two parts of each family, far enough apart to be separated, in 5 000 numbers. Of twenty other seeds five
 * standard deviations were at most 0.03 of a weight, and of a and b these shares; of gamma, 0.02 of bias
 * beside. */
Test(fit, em_finds_both_parts)
{
	enum { N = 5000 };
	static const double want[3][6] = { { 0.4, 3, 0.5, 0.6, 7, 1 }, { 0.4, 1.5, 20, 0.6, 2, 3000 },
		{ 0.4, 2, 10, 0.6, 3, 1000 } };
	static const double within[3][2] = { { 0.017, 0.08 }, { 0.08, 0.08 }, { 0.165, 0.15 } };
	double *x = calloc(N, sizeof(*x));
	gsl_set_error_handler_off();
	for (int f = FIT_LOGNORMAL; f <= FIT_GAMMA; f++) {
		struct sl_rng rng = sl_rng_stream(5, "test/em");
		for (size_t i = 0; i < N; i++) {
			const double *part = &want[f][sl_rng_unit(&rng) < 0.4 ? 0 : 3];
			x[i] = f == FIT_LOGNORMAL ? gen_lognormal(&rng, part[1], part[2])
			       : f == FIT_GAMMA   ? gen_gamma(&rng, part[1], part[2])
						  : part[2] * pow(gen_exponential(&rng), 1 / part[1]);
		}
		qsort(x, N, sizeof(*x), ascending);
		struct fit_mixture m;
		struct sl_err err = { 0 };
		cr_assert_eq(fit_mixture(&m, (enum fit_family)f, 2, x, N, &err), SL_OK);
		for (size_t k = 0; k < 2; k++) {
			cr_expect_lt(fabs(m.weight[k] - want[f][3 * k]), 0.03, "%d: %g", f, m.weight[k]);
			cr_expect_lt(
				fabs(m.a[k] / want[f][3 * k + 1] - 1), within[f][0], "%d: %g", f, m.a[k]);
			cr_expect_lt(
				fabs(m.b[k] / want[f][3 * k + 2] - 1), within[f][1], "%d: %g", f, m.b[k]);
		}
	}
	free(x);
}

/* ---- Distances by hand ------------------------------------------------------------------------ */

static double unit_cdf(double x, const void *self)
{
	(void)self;
	return x;
}

Test(fit, distances_by_hand)
{
	static const double x[] = { 1, 2, 3, 4 };
	static const double y[] = { 3, 4, 5, 6 };
	cr_expect_eq(fit_ks(x, 4, y, 4), 0.5); /* After 2: a half of x, none of y. */
	cr_expect_eq(fit_ks(x, 4, x, 4), 0);
	cr_expect_eq(fit_ks(x, 2, y, 4), 1);
	cr_expect_lt(fabs(fit_ad(x, 4, x, 4)), 1e-12);
	/* 1 against 2: ranks in half are 1/2 and 3/2 of N = 2; (2 * 1/2 - 1/2)^2 / (1/2 * 3/2 - 2 / 4) = 1 at
	 * each; the sum of 2 over n m, times (N - 1) / N. */
	cr_expect_lt(fabs(fit_ad(x, 1, x + 1, 1) - 1), 1e-12);
	static const double u[] = { 0.1, 0.5, 0.6 };
	cr_expect_lt(fabs(fit_ks_cdf(u, 3, unit_cdf, NULL) - 0.4), 1e-12); /* 1 - 0.6 */
	static const double half[] = { 0.5 };
	/* One number at the median: -1 - 2 ln (1 / 2). */
	cr_expect_lt(fabs(fit_ad_cdf(half, 1, unit_cdf, NULL) - (2 * 0.69314718055994531 - 1)), 1e-12);
}

/* Run times of each family, in two classes: it is found, with one part each. */
Test(fit, finds_the_family)
{
	static const char *const family[] = { "lognormal", "weibull", "gamma" };
	static const char *const runs[] = { "1:1/8/1+8:1/9/0.7", "1:1/0.7/9000+8:1/2/20000",
		"1:1/0.6/9000+8:1/4/5000" };
	static const double within[] = { 0.065, 0.1, 0.175 }; /* Of the numbers. */
	for (size_t f = 0; f < SL_LEN(family); f++) {
		char text[256];
		(void)snprintf(text, sizeof(text),
			"jobs=6000,cpus=8,max_run=3650d,sizes=1:1+8:1,family=%s,runs=%s", family[f], runs[f]);
		struct traced t = generated("mixture", text, 3);
		fit(&t, "mixture", 8);
		cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
		cr_expect_str_eq(text_of(&t, "family"), family[f]);
		struct gen_item want[2];
		struct gen_item found[2];
		const char *wrong;
		cr_assert_eq(gen_items(runs[f], want, 2, &wrong), 2);
		cr_assert_eq(gen_items(text_of(&t, "runs"), found, 2, &wrong), 2, "%s", text_of(&t, "runs"));
		for (size_t c = 0; c < 2; c++) {
			cr_expect_eq(found[c].count, 3, "%s: %s", family[f], text_of(&t, "runs"));
			for (size_t i = 1; i < 3; i++)
				cr_expect_lt(fabs((double)found[c].number[i] / (double)want[c].number[i] - 1),
					within[f], "%s: %s", family[f], text_of(&t, "runs"));
		}
		release(&t);
	}
}

/* What a fit says is within what its generator takes: shares that round up both, jobs larger than a power of
 * two of the machine, jobs that know more parallelism than there is machine. */
Test(fit, says_what_can_be_generated)
{
	struct traced t = generated("gpu", "jobs=128,format=swf,arrivals=poisson", 1);
	for (size_t i = 0; i < t.count; i++) {
		t.job[i].ends = i == 5 ? SL_CANCELLED : SL_FAILED;
		t.job[i].size = 100;
		t.job[i].parallelism = 150;
		t.job[i].sigma = 101;
	}
	fit(&t, "gpu", 100);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	/* 1 / 128 = 0.0078125, and the others 0.9921875. */
	cr_expect_str_eq(text_of(&t, "cancelled"), "0.007813");
	cr_expect_str_eq(text_of(&t, "failed"), "0.992187");
	cr_expect_str_eq(text_of(&t, "size_max"), "64");
	cr_expect_str_eq(text_of(&t, "size_mean"), "64");
	fit_found_release(&t.found);
	fit(&t, "downey", 100);
	cr_assert_eq(t.status, SL_OK, "%s", t.err.text);
	cr_expect_str_eq(text_of(&t, "a_min"), "100");
	cr_expect_str_eq(text_of(&t, "sigma_max"), "100");
	release(&t);
}

/* Too little to fit, and jobs at one time: an error, no numbers. */
Test(fit, refuses_what_says_too_little)
{
	static const char *const name[] = { "mixture", "lublin", "downey", "jann", "gavel", "gpu" };
	for (size_t i = 0; i < SL_LEN(name); i++) {
		struct traced t = generated("gavel", "jobs=50,format=swf", 1);
		for (size_t k = 0; k < t.count; k++)
			t.job[k].submit = 0;
		fit(&t, name[i], 64);
		cr_expect_eq(t.status, SL_INPUT, "%s", name[i]);
		cr_expect_not_null(strstr(t.err.text, "a trace: "), "%s", t.err.text);
		release(&t);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_failures_draw.c - failures of nodes as they are drawn: against hand-worked values, closed forms, and
 * what was published of large clusters. No run behind them.
 *
 * Seeds are fixed, so nothing here fails by chance; tests of distribution are bounded so that one seed in a
 * million would fail, each.
 */
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/failures/failures.h"
#include "sim/base/base.h"

#define FALSE_ALARM 1e-6
#define KS_LIMIT    2.70 /* D * sqrt(n) is larger once in a million: 2 * exp(-2 * 2.7^2) = 9e-7. */
#define Z_LIMIT     4.90 /* Two-sided, once in a million. */

enum { MANY = 50000 };

/* A model without a run: causes and repairs as they are by default. */
static struct failures *make(void)
{
	struct sl_arena *arena = sl_arena_new();
	struct failures *f = sl_alloc(arena, 1, sizeof(*f));
	static const struct sl_cluster cluster;
	struct sl_err err = { 0 };
	f->setup = (struct sl_model_setup){ .arena = arena, .cluster = &cluster, .seed = 1 };
	f->options = (struct fail_options){ .repairs = FAIL_REPAIRS_CLASSES, .check = 300 * SL_SECOND };
	cr_assert_eq(failures_causes_make(f, &f->setup, &err), 0, "%s", err.text);
	return f;
}

static void end(struct failures *f) { sl_arena_free(f->setup.arena); }

static struct fail_node node_of(uint32_t number, struct fail_process process)
{
	char name[64];
	snprintf(name, sizeof(name), "models/failures/node/n%" PRIu32, number);
	return (struct fail_node){ .rng = sl_rng_stream(7, name), .process = process };
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* D * sqrt(n) of a sample against a distribution function. */
static double ks(double *sample, size_t n, double (*cdf)(double x))
{
	double d = 0;
	qsort(sample, n, sizeof(*sample), by_size);
	for (size_t i = 0; i < n; i++) {
		const double p = cdf(sample[i]);
		d = fmax(d, fmax((double)(i + 1) / (double)n - p, p - (double)i / (double)n));
	}
	return d * sqrt((double)n);
}

/* ---- By hand ----------------------------------------------------------------------- */

Test(failures_draw, by_hand)
{
	/* -ln(1/2) = 0.693147...; a second of mean. */
	cr_expect_eq(failures_exponential(1e6, 0.5), 693147);
	const struct fail_process exponential = failures_process(1e6, 1), half = failures_process(1e6, 0.5);
	cr_expect_eq(failures_weibull(&exponential, 0.5), 693147);
	/* Gamma(1 + 2) = 2: a scale of half a second, times 0.693147^2 = 0.480453. */
	cr_expect_float_eq(half.scale, 5e5, 1e-6);
	cr_expect_eq(failures_weibull(&half, 0.5), 240227);
	cr_expect_eq(failures_lognormal(1e6, 2, 0.5), 1000000, "the median");
	cr_expect_eq(failures_exponential(1e6, 0), 1, "never at once");
	cr_expect_eq(failures_exponential(0, 0.5), SL_NEVER);
	cr_expect_eq(failures_weibull(&(struct fail_process){ 0, 1 }, 0.5), SL_NEVER);
}

/* The first check that finds it: with 1/2 each, the first for u < 1/2, the second for u < 3/4. */
Test(failures_draw, checks)
{
	cr_expect_eq(failures_checks(0.5, 0.49), 1);
	cr_expect_eq(failures_checks(0.5, 0.51), 2);
	cr_expect_eq(failures_checks(0.5, 0.76), 3);
	cr_expect_eq(failures_checks(1, 0.99), 1);
	cr_expect_eq(failures_checks(0, 0.99), SL_NEVER);
}

Test(failures_draw, hidden_until_a_check)
{
	struct failures *f = make();
	f->options.hidden = f->options.detect = 1;
	struct fail_node node = node_of(1, failures_process(1e9, 1));
	for (int i = 0; i < 1000; i++) {
		const struct fail_event event = failures_next(f, &node, 0);
		cr_expect(event.hidden);
		cr_expect_eq(event.seen % (300 * SL_SECOND), 0, "checks are every five minutes");
		cr_expect(event.seen > event.at && event.seen - event.at <= 300 * SL_SECOND, "the next one");
		cr_expect_eq(failures_after(f, &event), event.seen + event.mend);
	}
	f->options.detect = 0;
	const struct fail_event never = failures_next(f, &node, 0);
	cr_expect_eq(never.seen, SL_NEVER);
	cr_expect_eq(failures_after(f, &never), SL_NEVER);
	end(f);
}

Test(failures_draw, clocks)
{
	struct failures *f = make();
	const struct fail_event event = { .at = 100, .seen = 120, .mend = 50 };
	cr_expect_eq(failures_after(f, &event), 170);
	f->options.clock = FAIL_CLOCK_WALL;
	cr_expect_eq(failures_after(f, &event), 100);
	end(f);
}

/* ---- Distributions --------------------------------------------------------------------- */

static double weibull_07(double x) { return 1 - exp(-pow(x * tgamma(1 + 1 / 0.7), 0.7)); }

Test(failures_draw, weibull)
{
	const double mean_us = 100 * (double)FAIL_HOUR;
	const struct fail_process process = failures_process(mean_us, 0.7);
	struct sl_rng rng = sl_rng_stream(1, "test/weibull");
	double *sample = calloc(MANY, sizeof(*sample));
	cr_assert_not_null(sample);
	double sum = 0;
	for (int i = 0; i < MANY; i++) {
		sample[i] = (double)failures_weibull(&process, sl_rng_unit(&rng)) / mean_us;
		sum += sample[i];
	}
	/* Of mean 1: variance Gamma(1 + 2/k) / Gamma(1 + 1/k)^2 - 1. */
	const double g = tgamma(1 + 1 / 0.7), variance = tgamma(1 + 2 / 0.7) / (g * g) - 1;
	cr_expect_lt(fabs(sum / MANY - 1) / sqrt(variance / MANY), Z_LIMIT, "mean %g", sum / MANY);
	cr_expect_lt(ks(sample, MANY, weibull_07), KS_LIMIT);
	free(sample);
}

static double lognormal_6(double x) { return gsl_cdf_lognormal_P(x, 0, sqrt(2 * log(6))); }

/* Median 1 h, mean 6 h: sigma is sqrt(2 ln 6) = 1.893. */
Test(failures_draw, lognormal)
{
	struct sl_rng rng = sl_rng_stream(1, "test/lognormal");
	double *sample = calloc(MANY, sizeof(*sample));
	cr_assert_not_null(sample);
	double logs = 0;
	for (int i = 0; i < MANY; i++) {
		sample[i] =
			(double)failures_lognormal((double)FAIL_HOUR, sqrt(2 * log(6)), sl_rng_unit(&rng)) /
			(double)FAIL_HOUR;
		logs += log(sample[i]);
	}
	cr_expect_float_eq(sqrt(2 * log(6)), 1.893, 5e-4);
	cr_expect_lt(fabs(logs / MANY) / (1.893 / sqrt(MANY)), Z_LIMIT);
	cr_expect_lt(ks(sample, MANY, lognormal_6), KS_LIMIT);
	free(sample);
}

/* Causes come as often as their counts say; classes of repairs as their shares. */
Test(failures_draw, causes_and_repairs)
{
	struct failures *f = make();
	struct fail_node node = node_of(2, failures_process((double)FAIL_DAY, 1));
	double *count = calloc(f->cause_drawn, sizeof(*count));
	cr_assert_not_null(count);
	double repairs[3] = { 0 };
	for (int i = 0; i < MANY; i++) {
		const struct fail_event event = failures_next(f, &node, 0);
		count[event.cause]++;
		repairs[event.mend == 600 * SL_SECOND ? 0 : event.mend == 4 * FAIL_HOUR ? 1 : 2]++;
	}
	double square = 0, total = 0;
	for (uint32_t i = 0; i < f->cause_drawn; i++)
		total += (double)f->cause[i].share / 1e6;
	cr_expect_eq((int)total, 419, "all causes add up to the interruptions of the table");
	for (uint32_t i = 0; i < f->cause_drawn; i++) {
		const double expected = MANY * (double)f->cause[i].share / 1e6 / total;
		square += (count[i] - expected) * (count[i] - expected) / expected;
	}
	cr_expect_gt(gsl_cdf_chisq_Q(square, f->cause_drawn - 1), FALSE_ALARM);
	const double share[3] = { 0.7, 0.25, 0.05 };
	square = 0;
	for (int i = 0; i < 3; i++)
		square += (repairs[i] - MANY * share[i]) * (repairs[i] - MANY * share[i]) / (MANY * share[i]);
	cr_expect_gt(gsl_cdf_chisq_Q(square, 2), FALSE_ALARM);
	free(count);
	end(f);
}

/* A parameter moves the draws that it says, and no other: the same uniforms go to the same things. */
Test(failures_draw, parameters_move_nothing_else)
{
	struct failures *f = make(), *g = make();
	g->options.hidden = 0.5;
	g->options.detect = 0.3;
	g->options.repairs = FAIL_REPAIRS_FIXED;
	g->options.repair_fixed = FAIL_HOUR;
	struct fail_node a = node_of(3, failures_process((double)FAIL_DAY, 1)), b = a;
	for (int i = 0; i < 1000; i++) {
		const struct fail_event x = failures_next(f, &a, 0), y = failures_next(g, &b, 0);
		cr_assert_eq(x.at, y.at);
		cr_assert_eq(x.cause, y.cause);
		cr_assert_eq(y.mend, FAIL_HOUR);
	}
	end(f);
	end(g);
}

/* ---- What was published -------------------------------------------------------------------- */

/* Failures of so many nodes in so long a time, mended at once. */
static int64_t failures_in(struct failures *f, uint32_t nodes, double per_1000_days, sl_time range)
{
	int64_t count = 0;
	for (uint32_t i = 0; i < nodes; i++) {
		struct fail_node node =
			node_of(i, failures_process(1000.0 * (double)FAIL_DAY / per_1000_days, 1));
		for (sl_time at = 0; at < range; count += at < range)
			at = failures_next(f, &node, at).at;
	}
	return count;
}

/* Llama 3: 419 unexpected interruptions in 54 days of 2 048 nodes of 8 GPUs are 3.79 in 1 000 node-days, one
 * in 3.093 hours, one in 50 677 GPU-hours of a GPU. */
Test(failures_draw, llama3)
{
	struct failures *f = make();
	const double rate = 419 / (2.048 * 54), hours = 54.0 * 24;
	cr_expect_float_eq(rate, 3.79, 0.005);
	cr_expect_float_eq(hours / 419, 3.093, 0.0005);
	cr_expect_float_eq(hours * 16384 / 419, 50677, 1);
	const int64_t count = failures_in(f, 2048, rate, 54 * FAIL_DAY);
	cr_expect_lt(fabs((double)count - 419) / sqrt(419), Z_LIMIT, "%" PRId64 " failures", count);
	end(f);
}

/* RSC-1: 6.50 in 1 000 node-days; jobs of 1 024, 16 384 and 131 072 GPUs are projected to 1 / (nodes * rate)
 * = 28.85, 1.803 and 0.225 hours. */
Test(failures_draw, rsc_projections)
{
	static const struct {
		uint32_t gpus;
		double hours, within;
	} want[] = { { 1024, 28.85, 0.005 }, { 16384, 1.803, 0.0005 }, { 131072, 0.225, 0.0005 } };
	struct failures *f = make();
	for (size_t i = 0; i < SL_LEN(want); i++) {
		const uint32_t nodes = want[i].gpus / 8;
		cr_expect_float_eq(24 * 1000 / (nodes * 6.5), want[i].hours, want[i].within);
		const double expected = 2000; /* Failures. */
		const sl_time range = (sl_time)(want[i].hours * expected * (double)FAIL_HOUR);
		const int64_t count = failures_in(f, nodes, 6.5, range);
		cr_expect_lt(fabs((double)count - expected) / sqrt(expected), Z_LIMIT,
			"%u GPUs: a failure in %g hours", want[i].gpus,
			(double)range / (double)FAIL_HOUR / (double)count);
	}
	end(f);
}

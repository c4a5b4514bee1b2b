/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_stats.c - intervals of differences: published examples and tables, and how often they cover.
 *
 * What covers is measured on seeded draws, so nothing here fails by chance; of
 * 2 000 intervals at 95 %, 93 to 97 of a hundred is four standard errors.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "sim/base/stats.h"

#define SIMILAR(got, want, by) \
	cr_expect(fabs((got) - (want)) <= (by), "%s: %.9g, not %.9g", #got, (double)(got), (double)(want))

/* Darwin's maize, crossed less self-fertilised, in eighths of an inch (Fisher, The Design of Experiments,
 * 1935, section 17: t = 2.148). */
static const double maize[] = { 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48 };

/* Hamilton depression scale, first visit less second (Hollander, Wolfe and Chicken, table 3.1). */
static const double hamilton[] = { 1.83 - .878, .50 - .647, 1.62 - .598, 2.48 - 2.05, 1.68 - 1.06,
	1.88 - 1.29, 1.55 - 1.06, 3.06 - 3.14, 1.30 - 1.29 };

/* R: wilcox.test(x, y, paired = TRUE, alternative = "greater"): V = 40, p = 0.01953; Hollander, Wolfe and
 * Chicken, examples 3.1, 3.3, 3.4: estimate 0.46, interval (.010, .786). */
Test(stats, wilcoxon_of_hamilton)
{
	struct stats_wilcoxon at;
	cr_assert(stats_wilcoxon(hamilton, SL_LEN(hamilton), false, 0.95, &at));
	cr_expect(at.exact);
	SIMILAR(at.p, 2 * 10.0 / 512, 1e-12);
	SIMILAR(at.shift.estimate, 0.46, 1e-9);
	SIMILAR(at.shift.low, 0.010, 1e-9);
	SIMILAR(at.shift.high, 0.786, 1e-9);
}

/* The two negative of Darwin's pairs have ranks 10 and 14: T = 24, p = 0.0413 (exact). */
Test(stats, wilcoxon_of_maize)
{
	struct stats_wilcoxon at;
	cr_assert(stats_wilcoxon(maize, SL_LEN(maize), false, 0.95, &at));
	cr_expect(at.exact);
	SIMILAR(at.p, 0.0413, 5e-5);
}

/* The largest T at which p is 0.05 or less (Wilcoxon's table II as McCornack 1965 has it, exactly), and the
 * next is more. */
Test(stats, wilcoxon_table)
{
	static const unsigned table[][2] = { { 6, 0 }, { 7, 2 }, { 8, 3 }, { 9, 5 }, { 10, 8 }, { 11, 10 },
		{ 12, 13 }, { 13, 17 }, { 14, 21 }, { 15, 25 }, { 16, 29 }, { 17, 34 }, { 18, 40 },
		{ 19, 46 }, { 20, 52 }, { 21, 58 }, { 22, 65 }, { 23, 73 }, { 24, 81 }, { 25, 89 } };
	for (size_t i = 0; i < SL_LEN(table); i++) {
		const unsigned n = table[i][0];
		for (unsigned more = 0; more < 2; more++) {
			double value[25];
			unsigned left = table[i][1] + more; /* The negative ranks add up to it. */
			for (unsigned rank = n; rank > 0; rank--) {
				const bool negative = rank <= left;
				left -= negative ? rank : 0;
				value[rank - 1] = negative ? -(double)rank : rank;
			}
			struct stats_wilcoxon at;
			cr_assert(stats_wilcoxon(value, n, false, 0.95, &at));
			cr_expect((at.p <= 0.05) == !more, "n = %u, T = %u: p = %.5f", n, table[i][1] + more,
				at.p);
			/* The interval and the test are the same statement. */
			cr_expect((at.p <= 0.05) == (at.shift.low > 0), "n = %u: low %g", n, at.shift.low);
		}
	}
}

/* Ties by hand: of 1 1 2 the mid-ranks are 1.5 1.5 3; the 8 sums of positive ranks are 0 1.5 1.5 3 3 4.5 4.5
 * 6. With -1 1 2 it is 4.5: p = 2 * 3 / 8. Zeros say nothing, and of five values no interval is at 95 %. */
Test(stats, wilcoxon_ties_and_zeros)
{
	struct stats_wilcoxon at;
	static const double tied[] = { 0, -1, 1, 0, 2 };
	cr_assert(stats_wilcoxon(tied, 5, false, 0.95, &at));
	SIMILAR(at.p, 0.75, 1e-12);
	cr_expect(!at.shift.method && at.shift.low > at.shift.high);
	SIMILAR(at.shift.estimate, 0.5,
		1e-12); /* Of -1 -.5 -.5 0 0 0 0 .5 .5 .5 .5 1 1 1 1 1.5 2 less two. */
	static const double none[] = { 0, 0, 0, 0, 0, 0, 0 };
	cr_assert(stats_wilcoxon(none, 7, false, 0.95, &at));
	SIMILAR(at.p, 1, 0);
	SIMILAR(at.shift.high, 0, 0);
	cr_expect(!stats_wilcoxon(none, 0, false, 0.95, &at));
}

/* n = 6: P(T = 0) = 1/64, so the interval runs from the least to the greatest; n = 30 is by the normal: C =
 * 232.5 - 1.96 * 48.62 = 137. */
Test(stats, wilcoxon_interval_ends)
{
	struct stats_wilcoxon at;
	double value[30];
	for (unsigned i = 0; i < 30; i++)
		value[i] = (i % 2 ? 1 : -1) * (double)(i + 1) + 0.25;
	cr_assert(stats_wilcoxon(value, 6, false, 0.95, &at));
	SIMILAR(at.shift.low, -4.75, 0);
	SIMILAR(at.shift.high, 6.25, 0);
	cr_assert(stats_wilcoxon(value, 30, false, 0.95, &at));
	cr_expect(!at.exact);
	/* R 4: wilcox.test(v)$p.value with exact = FALSE: V = sum of the even ranks = 240; |240 - 232.5| -
	 * 0.5 = 7; 7 / 48.6184. */
	SIMILAR(at.p, 0.885516, 2e-6);
}

/* Signed ranks 5 6 7 8 9 10 -1 -2 -3 4 11 12 (mean 5.5, squares 287): neighbours' products add up to 0.530488
 * of them, those two apart to less than 0. The variance is 1 + 2 * 0.530488 * 11 / 12 = 1.972561 times 162.5;
 * |72 - 39| - 0.5 = 32.5, over its root 17.904, is 1.81526. One that follows no other has P(T <= 6) = 14 /
 * 4096, twice. */
Test(stats, wilcoxon_of_what_follows)
{
	static const double runs[] = { 5, 6, 7, 8, 9, 10, -1, -2, -3, 4, 11, 12 };
	static const double turns[] = { 5, -6, 7, -8, 9, -10, 1, -2, 3, -4, 11, -12 };
	struct stats_wilcoxon at;
	cr_assert(stats_wilcoxon(runs, SL_LEN(runs), true, 0.95, &at));
	cr_expect(!at.exact);
	SIMILAR(at.p, 0.069482, 2e-6);
	cr_assert(stats_wilcoxon(runs, SL_LEN(runs), false, 0.95, &at));
	cr_expect(at.exact);
	SIMILAR(at.p, 28.0 / 4096, 1e-12);
	cr_assert(stats_wilcoxon(turns, SL_LEN(turns), true, 0.95, &at));
	cr_expect(at.exact); /* What alternates is taken for independent. */
}

/* Holm 1979: the least times n, the next times n - 1 ..., never less than one before. */
Test(stats, holm)
{
	double p[] = { 0.04, 0.01, 0.03, 0.9, 0.01 };
	static const double want[] = { 0.09, 0.05, 0.09, 0.9, 0.05 };
	cr_assert(stats_holm(p, 5));
	for (unsigned i = 0; i < 5; i++)
		SIMILAR(p[i], want[i], 1e-12);
}

/* ---- How often it covers ---------------------------------------------------------------------- */

/* A standard normal, by the sum of twelve. */
static double normal(struct sl_rng *rng)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += sl_rng_unit(rng);
	return sum;
}

enum { DRAWS = 2000 };

static void expect_share(const char *what, unsigned hits, double low, double high)
{
	cr_expect(hits >= low * DRAWS && hits <= high * DRAWS, "%s: %.1f %%", what, 100.0 * hits / DRAWS);
}

Test(stats, coverage_of_small_samples)
{
	struct sl_rng rng = sl_rng_stream(7, "tests/stats/small");
	unsigned shift = 0, alarms = 0;
	for (int i = 0; i < DRAWS; i++) {
		double value[12];
		struct stats_wilcoxon w;
		for (int k = 0; k < 12; k++)
			value[k] = 3 + normal(&rng);
		(void)stats_wilcoxon(value, 12, false, 0.95, &w);
		shift += w.shift.low <= 3 && 3 <= w.shift.high;
		for (int k = 0; k < 12; k++)
			value[k] -= 3;
		(void)stats_wilcoxon(value, 12, false, 0.95, &w);
		alarms += w.p <= 0.05;
	}
	expect_share("Hodges-Lehmann", shift, 0.935, 0.97); /* Exactly 1 - 2 * 101 / 4096 = 0.9507. */
	expect_share("Wilcoxon's false alarms", alarms, 0.03, 0.065);
}

/* Fisher 1935, section 21: of 32 768 ways to give the differences of the maize signs, 863 have a sum of 314
 * or more: p = 0.0527 of both sides. Sizes are counted in parts, so that of those of just 314 some fall
 * short. */
Test(stats, signs_of_darwins_maize)
{
	SIMILAR(stats_signs(maize, SL_LEN(maize), false), 2 * 863.0 / 32768, 0.002);
}

/* By hand: of five alike 2 of 32 ways are as far from 0, of six 2 of 64. One that is larger than all others
 * together decides alone. Of 3, 1, 1, 1, 1, 1 with the 3 against the others the sum is 2: of 64 ways as far
 * or farther are all but those whose sum is 0, which has the 3 against four and one of the others, 2 * 5. */
Test(stats, signs_by_hand)
{
	static const double alike[] = { -1, -1, -1, -1, -1, -1 };
	static const double one[] = { 100, -1, -1, -1, -1, -1, -1, -1 };
	static const double three[] = { 3, -1, -1, -1, -1, -1 };
	static const double nothing_differs[] = { 0, 0, 0 };
	SIMILAR(stats_signs(alike, 5, false), 2.0 / 32, 1e-12);
	SIMILAR(stats_signs(alike, 6, false), 2.0 / 64, 1e-12);
	cr_expect_gt(stats_signs(one, SL_LEN(one), false), 0.9);
	SIMILAR(stats_signs(three, 6, false), (64 - 10) / 64.0, 1e-12);
	cr_expect_eq(stats_signs(nothing_differs, 3, false), 1);
	cr_expect_eq(stats_signs(NULL, 0, false), 1);
}

/* A change of a tenth less in each of eight blocks is told, and its interval is that; of five there is none.
 */
Test(stats, signs_have_an_interval_of_the_ratio)
{
	static const double was[] = { 10, 20, 30, 40, 50, 60, 70, 800 };
	double difference[SL_LEN(was)] = { 0 };
	double low = 0;
	double high = 0;
	for (size_t i = 0; i < SL_LEN(was); i++)
		difference[i] = -was[i] / 10;
	cr_assert(stats_signs_ratio(difference, was, SL_LEN(was), false, 0.95, &low, &high));
	SIMILAR(low, -0.1, 1e-4);
	SIMILAR(high, -0.1, 1e-4);
	cr_expect_not(stats_signs_ratio(difference, was, 5, false, 0.95, &low, &high));
	/* Of differences of both signs 0 is within, and they are not told. */
	for (size_t i = 0; i < SL_LEN(was); i++)
		difference[i] = i % 2 ? 3 : -2;
	cr_assert(stats_signs_ratio(difference, was, SL_LEN(was), false, 0.95, &low, &high));
	cr_expect(low < 0 && high > 0, "%g %g", low, high);
	cr_expect_gt(stats_signs(difference, SL_LEN(was), false), 0.05);
}

/* Blocks of very unequal size (lognormal, 1.5) and nothing to tell: 3 to 6 of a hundred, where the t test by
 * effective numbers tells fewer than one; of a gain of half the size 70 of a hundred and more. */
Test(stats, signs_hold_their_level_where_few_blocks_weigh_most)
{
	enum { LOGS = 2000, BLOCKS = 16 };
	struct sl_rng rng = sl_rng_stream(1, "test");
	unsigned nothing_told = 0;
	unsigned gain_told = 0;
	for (unsigned log = 0; log < LOGS; log++) {
		double nothing_is[BLOCKS] = { 0 };
		double gain[BLOCKS] = { 0 };
		for (unsigned i = 0; i < BLOCKS; i++) {
			double size = -6;
			double chance = -6;
			for (unsigned k = 0; k < 12; k++) {
				size += sl_rng_unit(&rng);
				chance += sl_rng_unit(&rng);
			}
			nothing_is[i] = sl_exp(1.5 * size) * chance;
			gain[i] = sl_exp(1.5 * size) * (chance / 2 - 0.5);
		}
		nothing_told += stats_signs(nothing_is, BLOCKS, false) <= 0.05;
		gain_told += stats_signs(gain, BLOCKS, false) <= 0.05;
	}
	cr_expect(nothing_told >= LOGS * 3 / 100 && nothing_told <= LOGS * 6 / 100, "%u", nothing_told);
	cr_expect_geq(gain_told, LOGS * 7 / 10, "%u", gain_told);
}

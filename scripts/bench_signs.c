/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_signs.c - how often a test of paired differences tells one where there is none: the table of
 * schedlab-statistics(7). usage: bench-signs [DRAWS]
 *
 * Differences are drawn with mean 0: normal; lognormal in size with either sign (symmetric); lognormal less
 * its mean (skewed); and normal, each with 0.4 of the one before (autoregressive). Of each kind and number of
 * spans the share of draws that is told, at 5 %, by the signs (stats_signs) and by the t test of effective
 * numbers (stats_evidence), both for differences that follow each other, as tune has them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/stats.h"

enum { SPANS_MOST = 48 };

static double normal(struct sl_rng *rng)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += sl_rng_unit(rng);
	return sum;
}

static void draw_normal(struct sl_rng *rng, double *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = normal(rng);
}

static void draw_symmetric(struct sl_rng *rng, double *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = sl_exp(1.5 * normal(rng)) * (sl_rng_below(rng, 2) ? 1 : -1);
}

static void draw_skewed(struct sl_rng *rng, double *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = sl_exp(normal(rng)) - sl_exp(0.5);
}

static void draw_together(struct sl_rng *rng, double *to, unsigned n)
{
	double last = normal(rng) / sqrt(1 - 0.4 * 0.4);
	for (unsigned i = 0; i < n; i++)
		to[i] = last = 0.4 * last + normal(rng);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*draw)(struct sl_rng *rng, double *to, unsigned n);
	} kind[] = { { "normal", draw_normal }, { "lognormal (1.5), either sign", draw_symmetric },
		{ "lognormal (1), less its mean", draw_skewed },
		{ "normal, autocorrelation 0.4", draw_together } };
	static const unsigned spans[] = { 8, 12, 16, 24, SPANS_MOST };
	const unsigned draws = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4000;
	printf("| differences | spans | told by signs, %% | by the t test of effective numbers, %% |\n|:--|--:|--:|--:|\n");
	for (size_t k = 0; k < SL_LEN(kind); k++)
		for (size_t s = 0; s < SL_LEN(spans); s++) {
			struct sl_rng rng = sl_rng_stream(spans[s], kind[k].name);
			unsigned signs = 0;
			unsigned by_t = 0;
			for (unsigned i = 0; i < draws; i++) {
				double difference[SPANS_MOST] = { 0 };
				kind[k].draw(&rng, difference, spans[s]);
				const struct stats_evidence evidence =
					stats_evidence(difference, spans[s], true, 0.95);
				signs += stats_signs(difference, spans[s], true) <= 0.05;
				by_t += evidence.t > 0 && stats_significant(difference, spans[s], evidence.t);
			}
			printf("| %s | %u | %.1f | %.1f |\n", kind[k].name, spans[s],
				100.0 * signs / (draws ? draws : 1), 100.0 * by_t / (draws ? draws : 1));
			fflush(stdout);
		}
	return 0;
}

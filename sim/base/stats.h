/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stats.h - the difference between two policies, and its certainty.
 *
 * A sample is one number a seed, a week, or a batch of jobs, never one a job: jobs of one trace wait for each
 * other. Samples are paired: the i-th of two policies is of the same jobs, or the same seed.
 * Nothing here draws by chance. Values that leave it are rounded by the caller (libm differs in the last bit
 * between machines), never compared exactly.
 */
#ifndef SL_STATS_H
#define SL_STATS_H

#include "sim/base/base.h"

struct stats_interval {
	double estimate, low, high;
	unsigned samples;
	const char *method; /* One clause, static: "t". NULL: no interval, low > high. */
};

/* Wilcoxon's signed rank test, two-sided: zeros dropped (Wilcoxon 1945), ties by mid-ranks; exact by counting
 * all 2^n signs up to n = 25, then normal with continuity correction. Estimate and interval: Hodges and
 * Lehmann 1963, the median of Walsh averages and its distribution-free interval (Hollander, Wolfe and Chicken
 * 2014, 3.1-3.3), of all n, zeros too. False: n = 0, more than STATS_SAMPLES_MAX, or no memory. Fewer than 6
 * differences have no interval at 0.95, since no p is below 2 / 2^n: shift.method is NULL, low > high.
 * serial: the differences follow each other, and where signed ranks go together (autocorrelations as in
 * stats_evidence), the variance of their sum is that much larger: p is of the normal distribution then. */
enum { STATS_SAMPLES_MAX = 2000 };
struct stats_wilcoxon {
	double p;
	bool exact;
	struct stats_interval shift;
};
bool stats_wilcoxon(
	const double *difference, unsigned n, bool serial, double level, struct stats_wilcoxon *found);

/* The effective number of n differences, one for each block of jobs or time in its order. What one block
 * adds weighs as Kish 1965, Survey Sampling, 11.7 has it of unequal weights: (sum |d|)^2 / sum d^2 even ones,
 * zeros none; and blocks that go together count for less by the sum of their autocorrelations, up to lag
 * STATS_LAGS or the first that is not positive (Geyer 1992, Practical Markov chain Monte Carlo; Law 2015,
 * 4.4). `t`: the two-sided quantile, at that level, of Student's t with effective - 1 degrees, times the root
 * of `together`: the t test of independent sums of unequal variance is conservative (Bakirov and Szekely
 * 2006; Ibragimov and Mueller 2010). Fewer than STATS_EFFECTIVE_LEAST: t is 0, and nothing is to be said. */
enum { STATS_LAGS = 4, STATS_EFFECTIVE_LEAST = 6 };
struct stats_evidence {
	unsigned blocks, differing;
	double together, effective, t;
};
/* serial: the blocks follow each other. */
struct stats_evidence stats_evidence(const double *difference, unsigned n, bool serial, double level);
/* That the mean of n paired differences is not 0, by their signs: if neither of two is better, each
 * difference is as likely to have the other sign (Fisher 1935, The design of experiments, 21; Pitman 1937).
 * Two-sided, of all 2^n signs those whose sum is as far from 0; sizes are counted in 4 000 parts of their sum
 * and more. Exact at any sizes, where stats_evidence is conservative if few weigh most. serial: the sum has
 * to be farther by the root of `together` of stats_evidence. 1: no memory, or nothing differs. */
double stats_signs(const double *difference, unsigned n, bool serial);
/* Every r for which the signs of x - r y do not say that its mean is not 0, by p <= 1 - level: an interval of
 * sum x / sum y. 0 is not in it exactly where stats_signs of x says so. False: it is not bounded, as of fewer
 * than six at 0.95. */
bool stats_signs_ratio(
	const double *x, const double *y, unsigned n, bool serial, double level, double *low, double *high);
/* Every r for which the mean of x - r y is not significantly different from 0 by that t: an interval of sum x
 * / sum y (Fieller 1954), and with y the weights, of a mean. 0 is in that of x = b - a exactly where 1 is in
 * that of b / a. False: it is not bounded, or n is below 2. */
bool stats_ratio(const double *x, const double *y, unsigned n, double t, double *low, double *high);
/* The mean of x is significantly different from 0 by that t. */
bool stats_significant(const double *x, unsigned n, double t);

/* The mean of n independent values, as above. interval: values that the mean is not significantly different
 * from; low > high: there is none, as too few say something, or all say the same. */
struct stats_evidence stats_mean(
	const double *value, unsigned n, double level, struct stats_interval *interval);

/* Holm 1979: p[i] adjusted in place. False: no memory. */
bool stats_holm(double *p, unsigned n);

#endif

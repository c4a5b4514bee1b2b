/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stats.c - intervals of differences: t, signed ranks, Holm.
 */
#include "sim/base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

enum { EXACT_MAX = 25 };

static double stats_mean_of(const double *value, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += value[i];
	const double mean = sum / (double)n;
	double rest = 0; /* What the sum lost by rounding. */
	for (size_t i = 0; i < n; i++)
		rest += value[i] - mean;
	return mean + rest / (double)n;
}

static struct stats_interval nothing(double estimate, unsigned samples)
{
	return (struct stats_interval){ .estimate = estimate, .low = 1, .high = 0, .samples = samples };
}

/* ---- What goes together ----------------------------------------------------------------------- */

static double autocorrelation(const double *value, unsigned n, unsigned lag)
{
	const double mean = stats_mean_of(value, n);
	double squares = 0;
	double products = 0;
	for (unsigned i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	for (unsigned i = 0; i + lag < n; i++)
		products += (value[i] - mean) * (value[i + lag] - mean);
	return squares > 0 ? products / squares : 0;
}

/* By how much the variance of a sum is larger than of independent ones: 1 or more. */
static double go_together(const double *value, unsigned n)
{
	double together = 1;
	for (unsigned lag = 1; lag <= STATS_LAGS && lag + 1 < n; lag++) {
		const double along = autocorrelation(value, n, lag);
		if (!(along > 0))
			break;
		together += 2 * along * (1 - (double)lag / n);
	}
	return together;
}

/* ---- Signed ranks ----------------------------------------------------------------------------- */

static int compare_double(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The nonzero differences by size, and twice the mid-rank of each, which is whole. */
struct ranks {
	unsigned n;
	double size[STATS_SAMPLES_MAX];
	unsigned twice[STATS_SAMPLES_MAX];
	double signed_rank[STATS_SAMPLES_MAX]; /* Of each difference, in their order; 0 of zeros. */
	uint64_t positive;                     /* Twice the sum of the ranks of the positive. */
	double ties;                           /* Sum of t^3 - t over groups of t equal sizes. */
};

/* Twice the rank of that size, which is among them. */
static unsigned stats_rank_of(const struct ranks *ranks, double size)
{
	unsigned low = 0;
	for (unsigned high = ranks->n; low < high;) {
		const unsigned middle = (low + high) / 2;
		if (ranks->size[middle] < size)
			low = middle + 1;
		else
			high = middle;
	}
	return ranks->twice[low];
}

static void ranks_make(struct ranks *ranks, const double *difference, unsigned n)
{
	*ranks = (struct ranks){ 0 };
	for (unsigned i = 0; i < n; i++)
		if (difference[i] != 0)
			ranks->size[ranks->n++] = fabs(difference[i]);
	qsort(ranks->size, ranks->n, sizeof(*ranks->size), compare_double);
	for (unsigned from = 0, to; from < ranks->n; from = to) {
		for (to = from + 1; to < ranks->n && ranks->size[to] == ranks->size[from]; to++)
			;
		for (unsigned i = from; i < to; i++)
			ranks->twice[i] = from + 1 + to;
		const double t = to - from;
		ranks->ties += t * t * t - t;
	}
	for (unsigned i = 0; i < n; i++) {
		const unsigned twice = difference[i] != 0 ? stats_rank_of(ranks, fabs(difference[i])) : 0;
		ranks->signed_rank[i] = difference[i] < 0 ? -(double)twice : twice;
		ranks->positive += difference[i] > 0 ? twice : 0;
	}
}

/* count[s]: of all 2^n signs, those whose positive ranks add up to s, twice. n <= EXACT_MAX. */
enum { SUMS = EXACT_MAX * (EXACT_MAX + 1) + 1 };
static unsigned count_signs(const unsigned *twice, unsigned n, uint32_t count[SUMS])
{
	unsigned most = 0;
	memset(count, 0, SUMS * sizeof(*count));
	count[0] = 1;
	for (unsigned i = 0; i < n; i++) {
		most += twice[i];
		for (unsigned sum = most; sum >= twice[i]; sum--)
			count[sum] += count[sum - twice[i]];
	}
	return most;
}

static double exact_p(const struct ranks *ranks)
{
	uint32_t count[SUMS];
	uint64_t below = 0;
	const unsigned most = count_signs(ranks->twice, ranks->n, count);
	/* The distribution is symmetric: the smaller tail, doubled. */
	const uint64_t sum = ranks->positive * 2 <= most ? ranks->positive : most - ranks->positive;
	for (unsigned i = 0; i <= sum; i++)
		below += count[i];
	const double p = ldexp((double)below, 1 - (int)ranks->n);
	return p < 1 ? p : 1;
}

static double normal_p(const struct ranks *ranks, double together)
{
	const double n = ranks->n;
	const double spread = sqrt((n * (n + 1) * (2 * n + 1) / 24 - ranks->ties / 48) * together);
	const double off = fabs((double)ranks->positive / 2 - n * (n + 1) / 4);
	const double p = 2 * gsl_cdf_ugaussian_Q((off > 0.5 ? off - 0.5 : 0) / spread);
	return p < 1 ? p : 1;
}

/* The interval's ends are that Walsh average from below and from above, from 1 on; 0: there is none at that
 * level. */
static size_t walsh_end(unsigned n, double level)
{
	const double tail = (1 - level) / 2;
	if (n > EXACT_MAX) {
		const double m = n;
		const double end = m * (m + 1) / 4 -
				   gsl_cdf_ugaussian_Pinv(1 - tail) * sqrt(m * (m + 1) * (2 * m + 1) / 24);
		return end > 0 ? (size_t)end : 0;
	}
	unsigned twice[EXACT_MAX];
	uint32_t count[SUMS];
	for (unsigned i = 0; i < n; i++)
		twice[i] = 2 * (i + 1);
	(void)count_signs(twice, n, count);
	size_t end = 0;
	double below = 0;
	/* The largest with P(T < end) at most the tail. */
	while (end <= (size_t)n * (n + 1) / 2 && ldexp(below + count[2 * end], -(int)n) <= tail)
		below += count[2 * end++];
	return end;
}

static bool walsh(const double *difference, unsigned n, double level, struct stats_interval *shift)
{
	const size_t count = (size_t)n * (n + 1) / 2;
	double *average = calloc(count, sizeof(*average));
	if (!average)
		return false;
	size_t used = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i; k < n; k++)
			average[used++] = (difference[i] + difference[k]) / 2;
	qsort(average, count, sizeof(*average), compare_double);
	const double median = (average[(count - 1) / 2] + average[count / 2]) / 2;
	const size_t end = walsh_end(n, level);
	*shift = nothing(median, n);
	if (end > 0 && end <= count - end + 1) {
		shift->low = average[end - 1];
		shift->high = average[count - end];
		shift->method = "Hodges-Lehmann";
	}
	free(average);
	return true;
}

bool stats_wilcoxon(
	const double *difference, unsigned n, bool serial, double level, struct stats_wilcoxon *found)
{
	if (n == 0 || n > STATS_SAMPLES_MAX)
		return false;
	struct ranks *ranks = malloc(sizeof(*ranks));
	if (!ranks)
		return false;
	ranks_make(ranks, difference, n);
	const double together = serial ? go_together(ranks->signed_rank, n) : 1;
	found->exact = ranks->n <= EXACT_MAX && together <= 1;
	found->p = found->exact ? exact_p(ranks) : normal_p(ranks, together);
	free(ranks);
	return walsh(difference, n, level, &found->shift);
}

/* ---- Blocks that differ by much and by little -------------------------------------------------- */

struct stats_evidence stats_evidence(const double *difference, unsigned n, bool serial, double level)
{
	struct stats_evidence found = { .blocks = n, .together = 1 };
	double most = 0;
	double sum = 0;
	double squares = 0;
	for (unsigned i = 0; i < n; i++)
		most = fabs(difference[i]) > most ? fabs(difference[i]) : most;
	for (unsigned i = 0; i < n && most > 0; i++) {
		const double size = fabs(difference[i]) / most;
		found.differing += difference[i] != 0;
		sum += size;
		squares += size * size;
	}
	if (serial)
		found.together = go_together(difference, n);
	found.effective = squares > 0 ? sum * sum / squares / found.together : 0;
	/* Of even ones, rounding must not take the sixth. */
	if (found.effective * (1 + 1e-12) >= STATS_EFFECTIVE_LEAST)
		found.t = gsl_cdf_tdist_Pinv(0.5 + level / 2, found.effective - 1) * sqrt(found.together);
	return found;
}

/* chance[s]: that the positive sizes add up to s. */
static double signs_beyond(const uint32_t *size, unsigned n, uint32_t total, double far)
{
	double *chance = calloc((size_t)total + 1, sizeof(*chance));
	double beyond = 0;
	uint32_t most = 0;
	if (!chance)
		return 1;
	chance[0] = 1;
	for (unsigned i = 0; i < n; i++) {
		most += size[i];
		for (uint32_t sum = most; sum >= size[i] && size[i]; sum--)
			chance[sum] = (chance[sum] + chance[sum - size[i]]) / 2;
		for (uint32_t sum = 0; sum < size[i]; sum++)
			chance[sum] /= 2;
	}
	for (uint32_t sum = 0; sum <= total; sum++)
		beyond += fabs(2.0 * sum - total) >= far ? chance[sum] : 0;
	free(chance);
	return beyond < 1 ? beyond : 1;
}

double stats_signs(const double *difference, unsigned n, bool serial)
{
	const double parts = 4000 + 10.0 * n;
	uint32_t *size = calloc(n ? n : 1, sizeof(*size));
	double all = 0;
	double sum = 0;
	uint32_t total = 0;
	for (unsigned i = 0; i < n; i++)
		all += fabs(difference[i]);
	for (unsigned i = 0; i < n && size && all > 0; i++) {
		size[i] = (uint32_t)(fabs(difference[i]) / all * parts + 0.5);
		total += size[i];
		sum += difference[i] < 0 ? -(double)size[i] : size[i];
	}
	const double far = fabs(sum) / (serial ? sqrt(go_together(difference, n)) : 1);
	/* What is as far but for rounding is as far. */
	const double p = size && total ? signs_beyond(size, n, total, far - n) : 1;
	free(size);
	return p;
}

struct signs_of {
	const double *x, *y;
	double *difference;
	unsigned n;
	bool serial;
};

static double signs_at(const struct signs_of *of, double r)
{
	for (unsigned i = 0; i < of->n; i++)
		of->difference[i] = of->x[i] - r * of->y[i];
	return stats_signs(of->difference, of->n, of->serial);
}

/* From the estimate outwards, by twice as much each time, then by halves: the last r that is not significant.
 */
static bool signs_end(const struct signs_of *of, double estimate, double step, double most, double *end)
{
	enum { DOUBLINGS = 40, HALVINGS = 24 };
	double inside = estimate;
	double outside = estimate + step;
	for (int i = 0; signs_at(of, outside) > most; i++) {
		if (i == DOUBLINGS)
			return false;
		inside = outside;
		step *= 2;
		outside = estimate + step;
	}
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (inside + outside) / 2;
		if (signs_at(of, middle) > most)
			inside = middle;
		else
			outside = middle;
	}
	*end = inside;
	return true;
}

bool stats_signs_ratio(
	const double *x, const double *y, unsigned n, bool serial, double level, double *low, double *high)
{
	struct signs_of of = { x, y, calloc(n ? n : 1, sizeof(double)), n, serial };
	double sum[] = { 0, 0 };
	for (unsigned i = 0; i < n; i++) {
		sum[0] += x[i];
		sum[1] += y[i];
	}
	const double estimate = sum[1] != 0 ? sum[0] / sum[1] : 0;
	const double step = fabs(estimate) > 0.01 ? fabs(estimate) / 4 : 0.01;
	const double most = (1 - level) * (1 + 1e-9);
	const bool bounded = of.difference && sum[1] > 0 && signs_end(&of, estimate, -step, most, low) &&
			     signs_end(&of, estimate, step, most, high);
	free(of.difference);
	return bounded;
}

bool stats_significant(const double *x, unsigned n, double t)
{
	if (n < 2 || !(t > 0))
		return false;
	const double mean = stats_mean_of(x, n);
	double squares = 0;
	for (unsigned i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return fabs(mean) > t * sqrt(squares / (n - 1) / n);
}

bool stats_ratio(const double *x, const double *y, unsigned n, double t, double *low, double *high)
{
	if (n < 2 || !(t > 0))
		return false;
	const double mean[] = { stats_mean_of(x, n), stats_mean_of(y, n) };
	double xx = 0;
	double yy = 0;
	double xy = 0;
	for (unsigned i = 0; i < n; i++) {
		xx += (x[i] - mean[0]) * (x[i] - mean[0]);
		yy += (y[i] - mean[1]) * (y[i] - mean[1]);
		xy += (x[i] - mean[0]) * (y[i] - mean[1]);
	}
	/* (mean x - r mean y)^2 <= t^2 var(x - r y) / n: a r^2 - 2 b r + c <= 0. */
	const double scale = t * t / (n - 1) / n;
	const double a = mean[1] * mean[1] - scale * yy;
	const double b = mean[0] * mean[1] - scale * xy;
	const double c = mean[0] * mean[0] - scale * xx;
	const double root = b * b - a * c;
	if (!(a > 0) || !(root >= 0))
		return false;
	*low = (b - sqrt(root)) / a;
	*high = (b + sqrt(root)) / a;
	return true;
}

struct stats_evidence stats_mean(
	const double *value, unsigned n, double level, struct stats_interval *interval)
{
	const struct stats_evidence found = stats_evidence(value, n, false, level);
	*interval = nothing(n ? stats_mean_of(value, n) : 0, n);
	if (n < 2 || !(found.t > 0))
		return found;
	const double mean = interval->estimate;
	double squares = 0;
	for (unsigned i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	const double half = found.t * sqrt(squares / (n - 1) / n);
	if (half > fabs(mean) * 1e-9)
		*interval = (struct stats_interval){ mean, mean - half, mean + half, n, "t" };
	return found;
}

/* ---- Several at once ------------------------------------------------------------------------------ */

struct ordered {
	double p;
	unsigned index;
};

static int compare_ordered(const void *a, const void *b)
{
	const struct ordered *x = a;
	const struct ordered *y = b;
	return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->index > y->index) - (x->index < y->index);
}

bool stats_holm(double *p, unsigned n)
{
	struct ordered *ordered = calloc(n ? n : 1, sizeof(*ordered));
	if (!ordered)
		return false;
	for (unsigned i = 0; i < n; i++)
		ordered[i] = (struct ordered){ p[i], i };
	qsort(ordered, n, sizeof(*ordered), compare_ordered);
	double most = 0;
	for (unsigned i = 0; i < n; i++) {
		const double adjusted = ordered[i].p * (n - i);
		most = adjusted > most ? adjusted : most;
		p[ordered[i].index] = most < 1 ? most : 1;
	}
	free(ordered);
	return true;
}

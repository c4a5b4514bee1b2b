/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate_rank.c - Spearman's rank correlation, ties averaged.
 *
 * Ranks are kept as twice the rank less count + 1: whole numbers with the mean 0, so that the three sums are
 * exact. The quotient is one of doubles, by operations that round alike everywhere.
 */
#include <math.h>
#include <stdlib.h>

#include "reports/metrics/calibrate.h"

static int by_value(const void *a, const void *b)
{
	const struct calibrate_rank *x = a;
	const struct calibrate_rank *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void rank(const int64_t *value, size_t count, struct calibrate_rank *order, int64_t *ranks)
{
	for (size_t i = 0; i < count; i++)
		order[i] = (struct calibrate_rank){ value[i], i };
	qsort(order, count, sizeof(*order), by_value);
	for (size_t from = 0; from < count;) {
		size_t end = from;
		while (end < count && order[end].value == order[from].value)
			end++;
		/* Ranks from + 1 to end, in the mean (from + 1 + end) / 2. */
		const int64_t mean = (int64_t)(from + 1 + end) - (int64_t)(count + 1);
		for (size_t i = from; i < end; i++)
			ranks[order[i].at] = mean;
		from = end;
	}
}

int64_t calibrate_spearman(
	const int64_t *x, const int64_t *y, size_t count, struct calibrate_rank *scratch, int64_t *ranks)
{
	int64_t *rank_x = ranks;
	int64_t *rank_y = ranks + count;
	__int128 xx = 0;
	__int128 yy = 0;
	__int128 xy = 0;
	if (count < 2)
		return SL_NONE;
	rank(x, count, scratch, rank_x);
	rank(y, count, scratch, rank_y);
	for (size_t i = 0; i < count; i++) {
		xx += (__int128)rank_x[i] * rank_x[i];
		yy += (__int128)rank_y[i] * rank_y[i];
		xy += (__int128)rank_x[i] * rank_y[i];
	}
	if (!xx || !yy)
		return SL_NONE;
	const double root = sqrt((double)xx) * sqrt((double)yy);
	return (int64_t)floor((double)xy / root * 1e6 + 0.5);
}

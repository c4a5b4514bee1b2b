/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * quantiles.c - quantiles of a sample by rank, bounds on them from few values, and a sample that has given
 * ones.
 */
#include <math.h>

#include "models/forecast/forecast_models.h"

/* The index of the q-quantile among n ascending values. */
static size_t rank_of(size_t n, double q)
{
	const double rank = ceil(q * (double)n - 1e-9);
	const size_t at = rank < 1 ? 1 : (size_t)rank;
	return (at > n ? n : at) - 1;
}

sl_time forecast_quantile(const sl_time *ascending, size_t n, double q)
{
	SL_CHECK(n > 0);
	return ascending[rank_of(n, q)];
}

size_t forecast_bound(size_t n, double q, double confidence)
{
	/* P(Binomial(n, q) < k) = P(the k-th value is at or above the quantile). Terms as logarithms: the
	 * first ones are less than a double can hold. */
	double term = (double)n * log(1 - q);
	double below = 0;
	for (size_t k = 1; k <= n; k++) {
		below += exp(term);
		if (below >= confidence)
			return k;
		term += log((double)(n - k + 1) / (double)k * q / (1 - q));
	}
	return n + 1;
}

void forecast_spread(const sl_time quantile[FORECAST_QUANTILES], size_t n, sl_time *found)
{
	/* Of few values one rank is several quantiles': the inner ones go first. */
	static const int inwards[] = { FORECAST_P10, FORECAST_P90, FORECAST_P50 };
	size_t rank[FORECAST_QUANTILES];
	if (!n)
		return;
	for (int k = 0; k < FORECAST_QUANTILES; k++)
		rank[k] = rank_of(n, forecast_probability[k]);
	for (size_t i = 0; i < n; i++) {
		int above = 0;
		while (above < FORECAST_QUANTILES && rank[above] < i)
			above++;
		if (above == 0 || above == FORECAST_QUANTILES) {
			found[i] = quantile[above ? FORECAST_QUANTILES - 1 : 0];
			continue;
		}
		const size_t from = rank[above - 1];
		const sl_time low = quantile[above - 1];
		found[i] = low + sl_mul_div(quantile[above] - low, (int64_t)(i - from),
					 (int64_t)(rank[above] - from));
	}
	for (size_t i = 0; i < SL_LEN(inwards); i++)
		found[rank[inwards[i]]] = quantile[inwards[i]];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spread.c - a sample of which five quantiles are given: what is drawn from a calibrated forecast.
 */
#include "models/forecast/forecast_models.h"

/* The rank, from 0, that forecast_quantile takes. */
static size_t rank_of(size_t n, double q)
{
	size_t at = 0;
	while (at + 1 < n && (double)(at + 1) < q * (double)n - 1e-9)
		at++;
	return at;
}

void forecast_spread(const sl_time quantile[FORECAST_QUANTILES], size_t n, sl_time *found)
{
	/* Of few values one rank is several quantiles': the inner ones go first. */
	static const int inwards[] = { FORECAST_P10, FORECAST_P90, FORECAST_P50 };
	size_t rank[FORECAST_QUANTILES];
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
	for (size_t i = 0; n && i < SL_LEN(inwards); i++)
		found[rank[inwards[i]]] = quantile[inwards[i]];
}

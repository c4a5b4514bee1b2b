/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_score.c - how good forecasts were: coverage of their intervals, errors of their medians, and the
 * pinball loss of all their quantiles (Koenker and Bassett 1978: what is least at the true quantile).
 */
#include <stdlib.h>

#include "cli/forecast/forecast_backtest.h"

static int by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

static double pinball(const sl_time *said, sl_time actual)
{
	double sum = 0;
	for (int i = 0; i < FORECAST_QUANTILES; i++) {
		const double over = (double)(actual - said[i]) / SL_SECOND;
		sum += over >= 0 ? forecast_probability[i] * over : (forecast_probability[i] - 1) * over;
	}
	return sum / FORECAST_QUANTILES;
}

static void add(
	struct forecast_score *score, const struct forecast_case *is, const sl_time *said, sl_time *error)
{
	const sl_time off = is->actual - said[FORECAST_P50];
	error[score->n++] = off < 0 ? -off : off;
	score->coverage_80 += is->actual >= said[FORECAST_P10] && is->actual <= said[FORECAST_P90];
	score->coverage_90 += is->actual >= said[FORECAST_P5] && is->actual <= said[FORECAST_P95];
	score->within_60s += error[score->n - 1] <= 60 * SL_SECOND;
	score->within_600s += error[score->n - 1] <= 600 * SL_SECOND;
	score->pinball += pinball(said, is->actual);
}

int forecast_score(struct forecast_score *score, const struct forecast_case *cases, size_t count, int who,
	struct sl_err *err)
{
	sl_time *error = malloc((count + 1) * sizeof(*error));
	*score = (struct forecast_score){ 0 };
	if (!error)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++)
		add(score, &cases[i], who == FORECAST_VOICES ? cases[i].calibrated : cases[i].said[who],
			error);
	const double n = score->n ? (double)score->n : 1;
	double *const share[] = { &score->coverage_80, &score->coverage_90, &score->within_60s,
		&score->within_600s, &score->pinball };
	for (size_t i = 0; i < SL_LEN(share); i++)
		*share[i] /= n;
	if (score->n) {
		qsort(error, score->n, sizeof(*error), by_time);
		score->median_abs_error = (double)forecast_quantile(error, score->n, 0.5) / SL_SECOND;
	}
	free(error);
	return SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_backtest.h - a log is gone through, asked at drawn moments, and the answers are scored.
 */
#ifndef SL_CLI_FORECAST_BACKTEST_H
#define SL_CLI_FORECAST_BACKTEST_H

#include "cli/forecast/forecast_parts.h"

struct forecast_score {
	size_t n;
	double coverage_80, coverage_90, within_60s, within_600s; /* Shares. */
	double median_abs_error, pinball;                         /* Seconds. */
};
/* forecast_score.c: of a voice (enum forecast_voice); FORECAST_VOICES: of what is calibrated. */
int forecast_score(struct forecast_score *score, const struct forecast_case *cases, size_t count, int who,
	struct sl_err *err);

int forecast_backtest(struct forecast_base *base, const struct forecast_log *log,
	const struct forecast_ways *ways, struct sl_err *err);

#endif

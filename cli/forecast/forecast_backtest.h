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

/* Cases of moments before that of a question, whose outcome is known by then; to be freed. */
struct forecast_cases {
	struct forecast_case *is;
	size_t count;
};
int forecast_cases_before(struct forecast_cases *cases, const struct forecast_question *question,
	const struct forecast_ways *ways, uint32_t moments, struct sl_err *err);
/* What all say of a job that waits at the question's moment; of the answers the first target counts. */
int forecast_case_of(struct forecast_case *is, const struct forecast_question *question,
	const struct forecast_job *job, const struct forecast_answer *futures,
	const struct forecast_answer *limits, const struct forecast_ways *ways, struct sl_err *err);

#endif

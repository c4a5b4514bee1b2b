/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_calibrate.c - the answer of one moment, calibrated on earlier ones of the same log.
 *
 * The procedure is the backtest's: moments before this one are asked about as if nobody knew more than then,
 * and of the jobs that have started since it is known by how much the quantiles were off. The past is cut
 * into weeks that end now; a moment knows what was over as its week began.
 *
 * The futures stay: of each target their starts are moved, in their order, so that their quantiles are the
 * calibrated ones, and each end by as much. A start that all futures of a known policy have at this very
 * moment is no guess, and stays; so does what was given up before it started.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forecast/forecast_backtest.h"

enum { CASES_LEAST = 40, FUTURES_MOST = 20 };

int forecast_calibrated_begin(struct forecast_calibrated *calibrated,
	const struct forecast_question *question, const struct forecast_ways *ways, struct sl_err *err)
{
	struct forecast_cases cases = { 0 };
	struct forecast_ways less = *ways;
	less.futures = ways->futures < FUTURES_MOST ? ways->futures : FUTURES_MOST;
	*calibrated = (struct forecast_calibrated){ .ways = ways, .moments = ways->calibrate };
	if (!ways->calibrate)
		return SL_OK;
	if (!arg(question->base->args, "ask") && !question->state->waiting_count) {
		calibrated->moments = 0;
		return SL_OK;
	}
	int status = forecast_cases_before(&cases, question, &less, ways->calibrate, err);
	calibrated->past = cases.is;
	calibrated->cases = cases.count;
	if (!status && cases.count >= CASES_LEAST)
		calibrated->calibration =
			forecast_calibration_new(cases.is, cases.count, question->log->simulated, err);
	return err->status ? err->status : status;
}

void forecast_calibrated_end(struct forecast_calibrated *calibrated)
{
	forecast_calibration_free(calibrated->calibration);
	free(calibrated->past);
	*calibrated = (struct forecast_calibrated){ 0 };
}

const char *forecast_calibrated_text(char text[128], const struct forecast_calibrated *calibrated)
{
	if (!calibrated || !calibrated->moments)
		(void)snprintf(text, 128, "not calibrated");
	else if (calibrated->calibration)
		(void)snprintf(text, 128, "calibrated on %zu cases of %u earlier moment%s", calibrated->cases,
			calibrated->moments, calibrated->moments == 1 ? "" : "s");
	else
		(void)snprintf(text, 128,
			"not calibrated: %zu cases of %u earlier moment%s, and %d are needed",
			calibrated->cases, calibrated->moments, calibrated->moments == 1 ? "" : "s",
			CASES_LEAST);
	return text;
}

/* ---- The answer -------------------------------------------------------------------------------------- */

struct moved {
	sl_time start;
	uint32_t future;
};

static int by_start(const void *a, const void *b)
{
	const struct moved *x = a;
	const struct moved *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->future > y->future) - (x->future < y->future);
}

static bool is_certain(const struct forecast_question *question, const struct moved *moved, size_t n)
{
	return question->log->simulated && moved[n - 1].start == question->state->now;
}

/* Of the first target of an answer. */
static int move_starts(const struct forecast_question *question, const struct forecast_case *is,
	struct forecast_answer *answer, struct sl_err *err)
{
	struct moved *moved = malloc((answer->futures + 1) * sizeof(*moved));
	sl_time *found = malloc((answer->futures + 1) * sizeof(*found));
	int status = moved && found ? SL_OK : sl_fail_memory(err);
	size_t n = 0;
	for (uint32_t i = 0; i < answer->futures && !status; i++)
		if (answer->start[i] != SL_NONE)
			moved[n++] = (struct moved){ answer->start[i], i };
	if (!status && n) {
		qsort(moved, n, sizeof(*moved), by_start);
		forecast_spread(is->calibrated, n, found);
	}
	for (size_t i = 0; i < n && !status && !is_certain(question, moved, n); i++) {
		const uint32_t future = moved[i].future;
		if (moved[i].start == SL_NEVER)
			continue;
		const sl_time run = answer->end[future] - answer->start[future];
		answer->start[future] = question->state->now + found[i];
		answer->end[future] = answer->start[future] + run;
	}
	free(moved);
	free(found);
	return status;
}

int forecast_calibrate_answer(const struct forecast_calibrated *calibrated,
	const struct forecast_question *question, struct forecast_answer *answer, struct sl_err *err)
{
	struct forecast_answer limits = { 0 };
	struct forecast_question by_limit = *question;
	if (!calibrated || !calibrated->calibration || !answer->targets)
		return SL_OK;
	by_limit.futures = 1;
	by_limit.by_limit = true;
	by_limit.reasons = false;
	int status = forecast_ask(&limits, &by_limit, err);
	for (uint32_t i = 0; i < answer->targets && !status; i++) {
		const bool asked = question->asked && i + 1 == answer->targets;
		const struct forecast_job *job =
			asked ? question->asked_job : &question->log->job[question->target[i]];
		struct forecast_answer one = *answer, plan = limits;
		struct forecast_case is;
		one.start += (size_t)i * answer->futures;
		one.end += (size_t)i * answer->futures;
		plan.start += i;
		status = forecast_case_of(&is, question, job, &one, &plan, calibrated->ways, err);
		if (!status)
			status = forecast_calibrate(calibrated->calibration, &is, err);
		if (!status)
			status = move_starts(question, &is, &one, err);
	}
	forecast_answer_release(&limits);
	return status;
}

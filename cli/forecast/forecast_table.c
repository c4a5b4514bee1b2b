/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_table.c - the answer as a table for people, or as JSON.
 */
#include <stdlib.h>

#include "cli/forecast/forecast_parts.h"

static int by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

uint32_t forecast_cancelled(const struct forecast_answer *answer, uint32_t target)
{
	uint32_t cancelled = 0;
	for (uint32_t i = 0; i < answer->futures; i++)
		cancelled += answer->start[(size_t)target * answer->futures + i] == SL_NONE;
	return cancelled;
}

bool forecast_range(const struct forecast_answer *answer, const sl_time *of, uint32_t target,
	struct forecast_range *range)
{
	sl_time *sorted = malloc((answer->futures + 1) * sizeof(*sorted));
	size_t n = 0;
	for (uint32_t i = 0; sorted && i < answer->futures; i++) {
		const sl_time time = of[(size_t)target * answer->futures + i];
		if (time != SL_NONE)
			sorted[n++] = time;
	}
	if (n) {
		qsort(sorted, n, sizeof(*sorted), by_time);
		range->p10 = forecast_quantile(sorted, n, 0.1);
		range->p50 = forecast_quantile(sorted, n, 0.5);
		range->p90 = forecast_quantile(sorted, n, 0.9);
	}
	free(sorted);
	return n > 0;
}

/* ---- For people
 * --------------------------------------------------------------------------------------------- */

void forecast_cells(struct screen_table *table, bool known, const struct forecast_range *range, sl_time now)
{
	char text[32];
	const sl_time all[] = { range->p10, range->p50, range->p90 };
	for (size_t i = 0; i < SL_LEN(all); i++)
		screen_cell(table, true, "%s",
			!known               ? "-"
			: all[i] == SL_NEVER ? "later"
					     : screen_duration(text, all[i] - now));
}

static void cell_job(struct screen_table *table, const struct forecast_question *question, uint32_t target)
{
	const struct forecast_log *log = question->log;
	const uint32_t job = question->target[target];
	const struct sl_row *row = &log->row[job];
	const struct forecast_job *is = &log->job[job];
	char text[32];
	screen_cell(table, false, "%s", forecast_job_name(text, log, job));
	if (row->more && row->more->user)
		screen_cell(table, false, "%s", row->more->user);
	else if (row->col[SL_COL_USER] >= 0)
		screen_cell(table, false, "%lld", (long long)row->col[SL_COL_USER]);
	else
		screen_cell(table, false, "-");
	screen_cell(table, true, "%d", is->size);
	screen_cell(table, true, "%s", is->limit ? screen_duration(text, is->limit) : "-");
	screen_cell(table, true, "%s", screen_duration(text, question->state->now - is->submit));
}

static void table_print(const struct forecast_question *question, const struct forecast_answer *answer,
	const struct args *args)
{
	static const char *const heading[] = { "job", "user", "size", "limit", "waited", "starts in: p10",
		"p50", "p90", "ends in: p10", "p50", "p90", "it waits for" };
	struct screen_table *table = screen_table_new(args->arena, SL_LEN(heading));
	if (!table)
		return;
	for (size_t i = 0; i < SL_LEN(heading); i++)
		screen_cell(table, i > 1 && i + 1 < SL_LEN(heading), "%s", heading[i]);
	for (uint32_t i = 0; i < question->targets; i++) {
		struct forecast_range start = { 0 };
		struct forecast_range end = { 0 };
		const bool known = forecast_range(answer, answer->start, i, &start);
		(void)forecast_range(answer, answer->end, i, &end);
		cell_job(table, question, i);
		forecast_cells(table, known, &start, question->state->now);
		forecast_cells(table, known, &end, question->state->now);
		const enum sl_reason reason = answer->reason[i];
		screen_cell(table, false, "%s", reason == SL_REASON_NONE ? "-" : sl_reason_name(reason));
	}
	screen_print(table, stdout);
}

/* ---- JSON
 * ---------------------------------------------------------------------------------------------------- */

/* null: later than was simulated. */
static struct datum datum_time(const char *name, sl_time time)
{
	return datum_micro(name, time == SL_NEVER ? SL_NONE : time);
}

void forecast_range_json(struct json *json, const char *name, bool known, const struct forecast_range *range)
{
	if (!known)
		json_put(json, datum_of(DATUM_NULL, name, NULL, 0));
	else
		json_object(json, name, datum_time("p10", range->p10), datum_time("p50", range->p50),
			datum_time("p90", range->p90));
}

static void job_json(struct json *json, const struct forecast_question *question,
	const struct forecast_answer *answer, uint32_t target)
{
	const struct forecast_log *log = question->log;
	const uint32_t job = question->target[target];
	const struct sl_row *row = &log->row[job];
	const char *user = row->more ? row->more->user : NULL;
	struct forecast_range start = { 0 };
	struct forecast_range end = { 0 };
	char text[32];
	const bool known = forecast_range(answer, answer->start, target, &start);
	(void)forecast_range(answer, answer->end, target, &end);
	json_nest(json, NULL, '{', NULL);
	json_put(json, datum_text("job", forecast_job_name(text, log, job)),
		user ? datum_text("user", user)
		     : datum_whole("user", row->col[SL_COL_USER] < 0 ? SL_NONE : row->col[SL_COL_USER]),
		datum_whole("size", log->job[job].size),
		datum_micro("limit", log->job[job].limit ? log->job[job].limit : SL_NONE),
		datum_micro("submit", log->job[job].submit));
	forecast_range_json(json, "start", known, &start);
	forecast_range_json(json, "end", known, &end);
	json_put(json, datum_count("cancelled", forecast_cancelled(answer, target)),
		datum_text("reason", answer->reason[target] == SL_REASON_NONE
					     ? NULL
					     : sl_reason_name(answer->reason[target])));
	json_close(json);
}

void forecast_head_json(struct json *json, const struct forecast_question *question)
{
	const struct forecast_log *log = question->log;
	json_put(json, datum_text("of", log->name), datum_text("policy", question->base->choice.text),
		datum_micro("now", question->state->now),
		datum_whole("epoch", log->epoch ? log->epoch : SL_NONE),
		datum_count("futures", question->futures), datum_count("seed", question->seed),
		datum_count("history", forecast_history_size(question->learned->history)),
		datum_count("running", question->state->running_count),
		datum_count("waiting", question->state->waiting_count));
	const struct forecast_calibrated *calibrated = question->calibrated;
	if (calibrated && calibrated->calibration)
		json_object(json, "calibrated", datum_count("cases", calibrated->cases),
			datum_count("moments", calibrated->moments),
			datum_text("way", forecast_calibration_way(calibrated->calibration)));
	else
		json_put(json, datum_of(DATUM_NULL, "calibrated", NULL, 0));
}

static int json_print(
	const struct forecast_question *question, const struct forecast_answer *answer, struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	forecast_head_json(&json, question);
	json_nest(&json, "jobs", '[', NULL);
	for (uint32_t i = 0; i < question->targets; i++)
		job_json(&json, question, answer, i);
	json_close(&json);
	return json_finish(&json, SL_OK, err);
}

void forecast_head(const struct forecast_question *question)
{
	char text[32];
	char calibrated[128];
	const struct forecast_state *state = question->state;
	(void)printf("at %s: %u job%s run%s, %u wait%s; %u futures under %s, learned from %zu jobs (%s)\n",
		screen_duration(text, state->now), state->running_count, state->running_count == 1 ? "" : "s",
		state->running_count == 1 ? "s" : "", state->waiting_count,
		state->waiting_count == 1 ? "s" : "", question->futures, question->base->choice.text,
		forecast_history_size(question->learned->history),
		forecast_calibrated_text(calibrated, question->calibrated));
	if (!forecast_history_size(question->learned->history))
		(void)printf(
			"no job that has ended is known: run times are guesses up to each limit, and without one "
			"short; --history FILE says how long jobs run\n");
}

int forecast_print(const struct forecast_question *question, const struct forecast_answer *answer,
	const struct args *args, struct sl_err *err)
{
	if (arg_flag(args, "json"))
		return json_print(question, answer, err);
	forecast_head(question);
	if (question->targets)
		table_print(question, answer, args);
	return SL_OK;
}

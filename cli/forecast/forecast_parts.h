/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_parts.h - what the files of the command share beside the questions: what is printed, asked,
 * scored.
 */
#ifndef SL_CLI_FORECAST_PARTS_H
#define SL_CLI_FORECAST_PARTS_H

#include "cli/base/render.h"
#include "cli/forecast/forecast.h"

/* What the options say. */
struct forecast_ways {
	uint32_t futures;
	uint64_t seed;
	unsigned threads;
	uint32_t calibrate; /* So many earlier moments are asked about; 0: none. */
	sl_time horizon;    /* 0: twice the longest wait of the history, an hour at least, a week at most. */
};
int forecast_ways(struct forecast_ways *ways, const struct args *args, struct sl_err *err);
sl_time forecast_horizon(const struct forecast_ways *ways, const struct forecast_learned *learned);

/* p10, p50 and p90 of a target's starts, or ends; SL_NEVER: later than was simulated. False: it was cancelled
 * in all futures. */
struct forecast_range {
	sl_time p10, p50, p90;
};
bool forecast_range(const struct forecast_answer *answer, const sl_time *of, uint32_t target,
	struct forecast_range *range);
/* In so many futures. */
uint32_t forecast_cancelled(const struct forecast_answer *answer, uint32_t target);

/* forecast_calibrate.c: what earlier moments of the same log say of the futures' quantiles. */
struct forecast_calibrated {
	struct forecast_case *past;
	struct forecast_calibration *calibration; /* NULL: there is none. */
	const struct forecast_ways *ways;
	size_t cases;
	uint32_t moments; /* 0: nobody asked for it, or nobody waits. */
};
int forecast_calibrated_begin(struct forecast_calibrated *calibrated,
	const struct forecast_question *question, const struct forecast_ways *ways, struct sl_err *err);
void forecast_calibrated_end(struct forecast_calibrated *calibrated);
/* Starts become those whose quantiles are calibrated, ends as much later. */
int forecast_calibrate_answer(const struct forecast_calibrated *calibrated,
	const struct forecast_question *question, struct forecast_answer *answer, struct sl_err *err);
/* "calibrated on 312 cases of 24 earlier moments", "not calibrated: ..." */
const char *forecast_calibrated_text(char text[128], const struct forecast_calibrated *calibrated);

/* forecast_table.c */
void forecast_head(const struct forecast_question *question);
void forecast_head_json(struct json *json, const struct forecast_question *question);
void forecast_cells(struct screen_table *table, bool known, const struct forecast_range *range, sl_time now);
void forecast_range_json(struct json *json, const char *name, bool known, const struct forecast_range *range);
int forecast_print(const struct forecast_question *question, const struct forecast_answer *answer,
	const struct args *args, struct sl_err *err);

/* forecast_ask.c: --ask. */
int forecast_requests(const struct forecast_question *question, const struct args *args, struct sl_err *err);

#endif

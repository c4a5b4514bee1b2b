/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedules.h - two schedules of jobs side by side, from runs or from their files.
 */
#ifndef SL_SCHEDULES_H
#define SL_SCHEDULES_H

#include "cli/compare/first_difference.h"

/* When the jobs of a run were submitted, started first, and ended last; in rows. */
struct schedule {
	uint32_t count;
	const char *const *id; /* NULL: numbers: */
	const int64_t *number;
	const char *const *user; /* NULL: */
	const struct sl_jobs *jobs;
	const sl_time *submit, *start, *end;
	const uint8_t *state; /* NULL: not looked at. */
	const sl_time *run;   /* Of a jobs.csv; else NULL: how long it held its allocation; SL_NONE; */
	const int64_t *cpus;  /* and how many. */
};

/* Of a result; all is lent. */
struct schedule schedule_of(const struct sl_result *result);
/* Of the jobs alone. */
struct schedule schedule_of_jobs(const struct sl_jobs *jobs);
/* A jobs.csv read back, into the arena. */
int schedule_read(struct schedule *schedule, const char *path, struct sl_arena *arena, struct sl_err *err);
/* NULL: no memory. */
const char *schedule_id(const struct schedule *schedule, uint32_t row, struct sl_arena *arena);

/* Which rows are the same job. common[side][row]: the same number for both, those that are in both first. */
struct matched {
	uint32_t count;
	const uint32_t *row[2]; /* By common number below count. */
	uint32_t *common[2];
	uint32_t only[2];
};
int schedules_match(
	struct matched *matched, const struct schedule side[2], struct sl_arena *arena, struct sl_err *err);
/* Fills what the difference led to. */
int schedules_led(struct first_difference *found, const struct schedule side[2],
	const struct matched *matched, struct sl_arena *arena, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario.h - files and options become one const world to run policies in.
 *
 * After scenario_load nothing in it changes; any number of runs, on any number
 * of threads, share it. Rows that make no sense were repaired or dropped and
 * counted by cause, each with the line of the first.
 */
#ifndef SL_SCENARIO_H
#define SL_SCENARIO_H

#include "sim/plugins.h"

enum overrun { OVERRUN_RAISE, OVERRUN_EXTEND, OVERRUN_KILL };

/* Settings replay.*, one line each; the table is replay_params (scenario.c). */
extern const struct sl_param replay_params[];
extern const size_t replay_param_count;

struct oddity {
	const char *cause; /* "run time is not positive" */
	bool dropped;      /* Else repaired. */
	uint64_t count;
	uint64_t line; /* Of the first. */
};

struct scenario_input {
	const char *path, *format;
	char sha256[65];
	uint64_t bytes;
};

struct header_line {
	const char *key, *value;
};

struct scenario_options {
	const char *trace;   /* Path, or "-". */
	const char *cluster; /* -c: NULL until nodes are modelled. */
	struct settings *settings;
	const char *from, *to; /* As given: seconds since zero, durations, or dates; NULL. */
	const char *tz;        /* --tz: "+02:00", seconds, or NULL. */
	uint64_t jobs_max;     /* 0: all. */
	bool strict;
};

struct scenario {
	struct sl_arena *arena;
	struct sl_jobs jobs;
	int64_t cpus;
	const char *cpus_from; /* "MaxProcs of the trace", "cluster.cpus" */
	int64_t epoch;         /* Seconds since 1970 of the scenario's zero; 0: unknown. */
	int64_t utc_offset;    /* Seconds; fixed. */
	enum overrun overrun;
	sl_time warmup;          /* SL_NONE: by MSER-5. */
	struct sl_value *replay; /* Effective, as replay_params. */
	struct scenario_input input;
	struct header_line *header;
	size_t header_count;
	struct oddity *oddity; /* In order of first appearance of the cause in the code's table. */
	size_t oddity_count;
	uint64_t rows; /* Lines that were jobs, before dropping. */
};

int scenario_load(struct scenario *scenario, const struct scenario_options *options, struct sl_err *err);
void scenario_release(struct scenario *scenario);

#endif

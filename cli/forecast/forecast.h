/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast.h - when jobs that wait will start and end: many futures of the simulator from a state.
 *
 * A log (forecast_log) is rows with what became of them. At a moment some of its jobs run and some wait
 * (forecast_state). A future is a trace in memory: those that run with a drawn rest, those that wait with a
 * drawn run time, and drawn arrivals (forecast_future.c). All futures run under the policy (forecast_run.c);
 * of each waiting job there are as many starts as futures.
 */
#ifndef SL_CLI_FORECAST_H
#define SL_CLI_FORECAST_H

#include "cli/base/cli.h"
#include "cli/run/run_rerun.h"
#include "models/forecast/forecast_models.h"

/* ---- Where the question comes from (forecast_base.c) ------------------------------------------------- */

struct forecast_base {
	const struct args *args;
	struct sl_arena *arena;
	struct scenario_options options; /* Without settings. */
	const char **setting;            /* replay.*, cluster.*, policy.*, models, bare keys. */
	size_t setting_count;
	const char *policy;
	struct policy_choice choice;
	struct rerun rerun; /* Of a directory. */
	bool is_run;
	const char *history; /* That of setting which --history gives; NULL. */
	sl_time before; /* Jobs that ended so shortly before are told to the policy; SL_NONE: as it needs. */
};
/* path: a trace, or a run's directory. */
int forecast_base_open(
	struct forecast_base *base, const char *path, const struct args *args, struct sl_err *err);
void forecast_base_close(struct forecast_base *base);
/* All settings; those of the trace without --history; or but for those that say which jobs are replayed,
 * which a future says itself. */
enum forecast_part { FORECAST_SET_ALL, FORECAST_SET_TRACE, FORECAST_SET_FUTURE };
int forecast_settings(const struct forecast_base *base, enum forecast_part part, struct settings *settings,
	struct sl_arena *arena, struct sl_err *err);

/* ---- A log and what became of its jobs (forecast_log.c) ---------------------------------------------- */

struct forecast_log {
	struct sl_arena *arena;
	const char *name; /* In messages. */
	struct sl_row *row;
	struct forecast_job *job;
	const char **admitted;     /* By job: its manifest as it runs, for Kueue. NULL: of none. */
	uint32_t count;            /* By submission. */
	const char **key, **value; /* Its header. */
	size_t header_count;
	int64_t epoch, utc_offset;
	int64_t cpus;
	int64_t gpus;
	uint32_t nodes; /* 0: a counted pool. */
	bool fair;      /* The cluster's priorities are by fair shares. */
	bool simulated; /* Starts and ends are the policy's, not the log's. */
	sl_time last;   /* The last thing that is known of it. */
	bool live;      /* Some of its jobs still ran, or waited, then. */
};
/* simulate: its starts are those that the base's policy makes, whatever the log says. */
int forecast_log_open(
	struct forecast_log *log, struct forecast_base *base, bool simulate, struct sl_err *err);
void forecast_log_close(struct forecast_log *log);
/* forecast_same.c: a job of a queue that --history has, too, is there once. poor: of what both know of it,
 * the history says more. */
int forecast_same(struct forecast_log *log, bool poor, struct sl_err *err);
int forecast_log_time(const struct forecast_log *log, const char *what, const char *text, sl_time *time,
	struct sl_err *err);
/* "17", "17_3" */
const char *forecast_job_name(char text[32], const struct forecast_log *log, uint32_t job);

/* ---- A moment (forecast_state.c) ----------------------------------------------------------------------- */

struct forecast_state {
	sl_time now;
	uint32_t *running, *waiting; /* Of the log, by submission. */
	uint32_t running_count, waiting_count;
};
/* Everything at or before `now` is known, but starts at that very time: those jobs wait. */
int forecast_state_at(
	struct forecast_state *state, const struct forecast_log *log, sl_time now, struct sl_err *err);
void forecast_state_release(struct forecast_state *state);

/* ---- Futures (forecast_future.c, forecast_run.c) --------------------------------------------------------
 */

/* What was learned of a log before a time. */
struct forecast_learned {
	struct forecast_history *history;
	struct forecast_arrivals *arrivals;
	struct forecast_waits *waits;
	struct forecast_job *job; /* Of which it was learned, by submission, */
	uint32_t *of;             /* and their places in the log. */
	uint32_t count;
	sl_time until;     /* What came later is not in `job`. */
	sl_time wait_most; /* The longest wait that ended by then. */
};
/* Of the jobs that were submitted in the span's known times, and of what became of them there. */
int forecast_learn(struct forecast_learned *learned, const struct forecast_log *log,
	const struct forecast_span *span, struct sl_err *err);
void forecast_forget(struct forecast_learned *learned);

/* forecast_calibrate.c */
struct forecast_calibrated;

/* A question: one moment, one set of futures. */
struct forecast_question {
	const struct forecast_base *base;
	const struct forecast_log *log;
	const struct forecast_learned *learned;
	const struct forecast_state *state;
	const uint32_t *target; /* Of the log: whose starts are asked; each waits. */
	uint32_t targets;
	const struct sl_row *asked; /* One more, submitted now: the last target. NULL: none. */
	const struct forecast_job *asked_job;
	const struct forecast_job *asked_like; /* It runs as long as this one would, */
	double asked_factor;                   /* times that. */
	sl_time horizon;                       /* Arrivals are drawn for so long. */
	uint32_t futures;
	uint64_t seed;
	unsigned threads;
	bool by_limit; /* Nothing is drawn: all run to their limits, nobody comes. One future. */
	bool reasons;
	const struct forecast_calibrated *calibrated; /* NULL: nothing is said of it. */
};

/* By target and future: [target * futures + future]. SL_NEVER: it had not started when the future was given
 * up; SL_NONE: it was cancelled, and is none of those of which quantiles are. */
struct forecast_answer {
	uint32_t targets, futures;
	sl_time *start, *end;
	enum sl_reason *reason; /* By target; where asked for. */
	uint32_t cut;           /* Futures in which what was asked is cut by its limit. */
};
int forecast_ask(
	struct forecast_answer *answer, const struct forecast_question *question, struct sl_err *err);
void forecast_answer_release(struct forecast_answer *answer);

/* For how long before the moment the policy is told of jobs that had ended, so that its fair
 * shares go on from there; and whether that one of learned->job is such a job. */
sl_time forecast_used_for(const struct forecast_question *question);
bool forecast_is_used(const struct forecast_question *question, sl_time used_for, uint32_t learned);

/* forecast_future.c: one future as rows. */
struct future {
	const struct forecast_question *question;
	uint32_t number;
	struct forecast_arrival *arrival;
	size_t arrival_count;
	sl_time used_for;  /* forecast_used_for; 0: there is no such job. */
	uint32_t *emitted; /* By row that stays: its target; UINT32_MAX: none. */
	uint32_t kept;
	uint32_t waiting; /* So many of those that wait were handed over. */
	uint32_t at;      /* The target of the row that is being handed over. */
	sl_time *run;     /* By target: as drawn. */
	bool cut;         /* What was asked is, by its limit. */
	struct settings settings;
	struct scenario scenario;
	struct sl_arena *arena;
};
int future_load(struct future *future, struct sl_err *err);
void future_release(struct future *future);

#endif

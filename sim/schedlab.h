/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedlab.h - the C library: a session, its scenarios, their runs, their results, driven from a program.
 *
 * In order: sl_session_new, sl_scenario_open, sl_run_new, sl_run_go, sl_run_metric; then sl_run_free,
 * sl_scenario_free, sl_session_free. tests/plugin/drive.c is a program that does it.
 *
 * A function that can fail returns 0 or a negative status (enum sl_status) and says why in err,
 * once: the first failure stays there. A session is filled by one thread; once filled, and a scenario once
 * open, any number of threads may use it. A run is one thread's at a time. What is made later is freed
 * earlier. Times are microseconds, metrics millionths.
 *
 * Link with `pkg-config --cflags --libs schedlab`.
 */
#ifndef SL_SCHEDLAB_H
#define SL_SCHEDLAB_H

#include "plugin.h"

SL_API const char *sl_version(void); /* "0.1.0" */

/* ---- The registry: policies, readers and metrics by name, built in and of plug-ins
 * ------------------------------- */

struct sl_session;
SL_API int sl_session_new(struct sl_session **session, struct sl_err *err);
/* As --plugin FILE.so: its policies, readers and metrics are known from then on, and the path is a policy's
 * name too. Not while scenarios of the session are open. */
SL_API int sl_session_plugin(struct sl_session *session, const char *path, struct sl_err *err);
SL_API void sl_session_free(struct sl_session *session); /* NULL: nothing to do, as below. */

/* ---- Scenarios: a trace on a cluster, constant once open ---------------------------------- */

struct sl_scenario;
/* cluster: as -c, NULL: as the trace says. settings: "KEY=VALUE" as --set takes them, closed by NULL; NULL:
 * none. A policy's parameters are no settings of a scenario: they go into the policy's text. A scenario's own
 * random draws (replay.fill) are by seed 1. */
SL_API int sl_scenario_open(struct sl_scenario **scenario, const struct sl_session *session,
	const char *trace, const char *cluster, const char *const *settings, struct sl_err *err);
SL_API const struct sl_jobs *sl_scenario_jobs(const struct sl_scenario *scenario);
SL_API const struct sl_cluster *sl_scenario_cluster(const struct sl_scenario *scenario);
SL_API void sl_scenario_free(struct sl_scenario *scenario);

/* ---- Runs --------------------------------------------------------------------------------- */

struct sl_run;
enum sl_run_flags {
	SL_RUN_CHECK = 1,  /* As --check: invariants after every event, each pass twice. Slow. */
	SL_RUN_RECORD = 2, /* Usage and reasons too: for usage.csv and reasons.csv. */
};
/* policy: as -p takes it, "easy:fill=shortest"; what its compat implies of the replay must be among the
 * scenario's settings. flags: of enum sl_run_flags, or-ed. */
SL_API int sl_run_new(struct sl_run **run, const struct sl_scenario *scenario, const char *policy,
	uint64_t seed, unsigned flags, struct sl_err *err);
/* To its end; once. */
SL_API int sl_run_go(struct sl_run *run, struct sl_err *err);
/* Several, on that many threads; 0: as many as there are processors. What they find does not depend on it.
 * The status is that of the first that fails; the others go on. */
SL_API int sl_runs_go(struct sl_run *const *runs, size_t count, unsigned threads, struct sl_err *err);
/* From another thread, or from a signal's handler: it ends soon, with SL_INTERRUPTED and a partial result. */
SL_API void sl_run_stop(struct sl_run *run);

/* In steps, in place of sl_run_go: sl_run_begin, then as often as wanted sl_run_until, then sl_run_end. What
 * is advanced in steps is what is advanced at once. SL_USAGE: the run has gone already, or was not begun. */
SL_API int sl_run_begin(struct sl_run *run, struct sl_err *err);
/* Everything at or before that time; SL_NEVER: to its end. A time before now does nothing. */
SL_API int sl_run_until(struct sl_run *run, sl_time until, struct sl_err *err);
/* Under a policy that leaves decisions to the program (agent), sl_run_until stops at each question, within
 * its instant, also for a time before now; sl_run_decide answers, the next sl_run_until goes on. While a
 * question is open, sl_run_state has what the pass has done so far, and sl_run_end fails with SL_USAGE. */
struct sl_question {
	const sl_job *offered; /* In queue order; lent until it is answered. */
	size_t count;
	bool may_wait; /* None of them may be the answer: something else will happen. */
};
SL_API bool sl_run_awaits(struct sl_run *run, struct sl_question *question); /* False: no question is open. */
/* One of those that are offered, or SL_JOB_NONE: none, until something else happens. SL_USAGE: neither; the
 * question stays open. */
SL_API int sl_run_decide(struct sl_run *run, sl_job job, struct sl_err *err);
/* When something happens next; SL_NEVER: never. */
SL_API sl_time sl_run_next(struct sl_run *run);
/* The present, for the reads of plugin.h (sl_now, sl_free, sl_queue_first and their like); NULL unless
 * between sl_run_begin and sl_run_end. */
SL_API const struct sl_pass *sl_run_state(const struct sl_run *run);
/* Closes the run and makes its result, as far as the run has come. */
SL_API int sl_run_end(struct sl_run *run, struct sl_err *err);

/* A column of a run as an array: `count` elements of that type, `stride` bytes from one to the next. Times
 * are microseconds, SL_NONE where there is none. TEXT: `data` is an array of C strings, in UTF-8. */
enum sl_column_type { SL_COLUMN_I64, SL_COLUMN_I32, SL_COLUMN_U32, SL_COLUMN_U8, SL_COLUMN_TEXT };
struct sl_column {
	const void *data;
	size_t count, stride;
	enum sl_column_type type;
};
/* Tables: "jobs" (by row, in order of submission: id, submit, start, end, wait, wait_total, run_time, state
 * ...), "users", "accounts", "partitions" (name: what the numbers of "jobs" stand for, where they are names),
 * "ids", "nodes" (cpus, mem, gpus, and in steps cpus_free ..., 0 of nodes that are down), and, recorded,
 * "usage", "reasons", "attempts". Lent until sl_run_free; while a run is in steps, start, end and state of
 * "jobs" are the present ones, lent until the next step, and the other tables and what is made of ends are
 * not there yet. False: there is no such column, or not yet. SL_NONE in run_time, wait: it never started. */
SL_API bool sl_run_column(struct sl_run *run, const char *table, const char *column, struct sl_column *found);
/* The i-th column of a table; NULL: there are no more. */
SL_API const char *sl_run_column_at(const char *table, size_t i);

/* Starts, ends, states and more as columns by job, and the digest; NULL: it has not run, or failed. Lent
 * until sl_run_free. */
SL_API const struct sl_result *sl_run_result(const struct sl_run *run);
/* Of its applied events, as run.json has it; 0: there is no result. */
SL_API uint64_t sl_run_digest(const struct sl_run *run);
/* By its name in metrics.json; false: there is none of that name. */
SL_API bool sl_run_metric(const struct sl_run *run, const char *name, int64_t *micro);
/* The i-th in the order of metrics.json; NULL: there are no more. */
SL_API const char *sl_run_metric_at(const struct sl_run *run, size_t i, int64_t *micro);
/* One of the files of a run's directory: "jobs.csv". path NULL: stdout. */
SL_API int sl_run_write(const struct sl_run *run, const char *report, const char *path, struct sl_err *err);
SL_API void sl_run_free(struct sl_run *run);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_models.h - what a log teaches about the jobs to come: how long they run, who submits when, how
 * often a waiting job is cancelled, how long similar jobs waited, and how far forecasts of its earlier part
 * were off.
 *
 * Plain data in, draws and quantiles out: no engine, no file. All chance is by stream and job, so that a
 * job's draw in a future does not depend on what else is drawn there (common random numbers).
 */
#ifndef MODELS_FORECAST_H
#define MODELS_FORECAST_H

#include "sim/plugin.h"

/* A job of a log. Names are numbers from 0 on; -1: not known. */
struct forecast_job {
	int64_t id;
	int32_t user, account, partition, name;
	int32_t size;
	sl_time limit; /* 0: none. */
	sl_time submit;
	sl_time start, end; /* SL_NONE: not, or not yet. */
	sl_time cancel;     /* While it waited; SL_NONE: it was not. */
	sl_time known;      /* Of a history: from then on nothing is known of it; 0: as of all. */
	bool past;          /* It is learned from, and neither runs nor waits at any moment. */
};

/* ---- Run times (run_history.c) ---------------------------------------------------------------------- */

/* Groups of similar jobs, from fine to coarse. Of those with a limit in their key run times are as they were,
 * of the others as shares of the limit, where both jobs have one. */
enum forecast_level {
	FORECAST_SAME,            /* user, partition, limit, size, name */
	FORECAST_USER_SIZE,       /* user, partition, limit, size */
	FORECAST_USER_LIMIT,      /* user, limit */
	FORECAST_USER,            /* user */
	FORECAST_PARTITION_LIMIT, /* partition, limit */
	FORECAST_ALL,
	FORECAST_LEVELS
};

struct forecast_history;
/* Of the jobs that had started by then: how long they ran, or, where the end is not known, were seen to run.
 * Only the latest of each group count, the fewer the finer it is. NULL: no memory, as err says. */
struct forecast_history *forecast_history_new(
	const struct forecast_job *job, size_t count, sl_time until, struct sl_err *err);
void forecast_history_free(struct forecast_history *history);
size_t forecast_history_size(const struct forecast_history *history); /* Jobs whose end it knows. */
/* How long the job runs in all, where it has run so long (0: it waits): longer than that. The quantile u of
 * its group's run times beyond `elapsed`, of the finest group with the odds n / (n + 4) where n are beyond,
 * or else of the next coarser: `pick` in [0, 1) says which. Where that is a job whose end is not known, it
 * ran longer than it was seen to, and so again. Beyond all that is known: up to its limit. */
sl_time forecast_run_time(const struct forecast_history *history, const struct forecast_job *job,
	sl_time elapsed, double pick, double u);
/* The longest of the partition's jobs with that limit; where there is none, of all; 0: of no job. */
sl_time forecast_run_longest(const struct forecast_history *history, const struct forecast_job *job);
/* Both drawn: by seed, future and the job's id alone. */
sl_time forecast_run_drawn(const struct forecast_history *history, const struct forecast_job *job,
	sl_time elapsed, uint64_t seed, uint32_t future);
/* When a job that waits now will be cancelled, in that future: a constant hazard, the log's cancellations of
 * waiting jobs in the time that its jobs waited. SL_NONE: never, as the log shows none. */
sl_time forecast_cancel_drawn(const struct forecast_history *history, const struct forecast_job *job,
	sl_time now, uint64_t seed, uint32_t future);

/* ---- Arrivals (arrivals.c) ------------------------------------------------------------------------ */

struct forecast_arrival {
	sl_time submit;
	uint32_t job; /* Of the log. */
};
struct forecast_arrivals;
/* Of which times submissions are known: [from, until), but for what `hidden` says of an interval (NULL:
 * nothing is). */
struct forecast_span {
	sl_time from, until;
	bool (*hidden)(const void *self, sl_time from, sl_time until);
	sl_time (*hidden_from)(
		const void *self, sl_time time); /* The last known time from then on; NULL: the last. */
	const void *self;
};
/* Sessions: submissions of one user less than half an hour apart. Jobs by submission, lent. */
struct forecast_arrivals *forecast_arrivals_new(
	const struct forecast_job *job, size_t count, const struct forecast_span *span, struct sl_err *err);
void forecast_arrivals_free(struct forecast_arrivals *arrivals);
/* Submissions in (now, until), by time, into *drawn (malloc, the caller's): for each hour the sessions that
 * began in the same hour of the same weekday, of one of the last eight weeks drawn by chance; of a log
 * without such an hour, of one of the last fourteen days; else any. Those that begin up to half a day before
 * now go on beyond it. */
int forecast_arrivals_drawn(const struct forecast_arrivals *arrivals, sl_time now, sl_time until,
	uint64_t seed, uint32_t future, struct forecast_arrival **drawn, size_t *count, struct sl_err *err);

/* ---- Waits of before (waits.c) ---------------------------------------------------------------------- */

struct forecast_waits;
/* Of the jobs that had started by then. */
struct forecast_waits *forecast_waits_new(
	const struct forecast_job *job, size_t count, sl_time until, struct sl_err *err);
void forecast_waits_free(struct forecast_waits *waits);
/* p5, p10, p50, p90, p95 of a start, or of whatever is asked. */
enum { FORECAST_P5, FORECAST_P10, FORECAST_P50, FORECAST_P90, FORECAST_P95, FORECAST_QUANTILES };
extern const double forecast_probability[FORECAST_QUANTILES];
/* Of a job that has waited so long: how long it waits in all, by the user's latest 20 waits that were longer;
 * false: there is none. */
bool forecast_waits_user(const struct forecast_waits *waits, const struct forecast_job *job, sl_time waited,
	sl_time wait[FORECAST_QUANTILES]);
/* The same by the latest 1000 jobs of the partition and size class (powers of two), and with bounds on the
 * quantiles in place of them, each right with 95 % (Brevik, Nurmi and Wolski, QBETS: "Predicting bounds on
 * queuing delay for batch-scheduled parallel machines", PPoPP 2006: the order statistic k with
 * P(Binomial(n, q) >= k) at most 5 %). */
bool forecast_waits_similar(const struct forecast_waits *waits, const struct forecast_job *job,
	sl_time waited, sl_time wait[FORECAST_QUANTILES]);
/* The rank, from 1, of the value of n that the q-quantile is below with that confidence; n + 1: none is. */
size_t forecast_bound(size_t n, double q, double confidence);

/* ---- Calibration (conformal.c) ---------------------------------------------------------------------- */

/* Who says how long a job goes on waiting, beside how long it has waited. */
enum forecast_voice {
	FORECAST_FUTURES,
	FORECAST_LIMITS,
	FORECAST_USER_WAITS,
	FORECAST_SIMILAR,
	FORECAST_VOICES
};
/* A job that waited at some moment; times from then on. */
struct forecast_case {
	uint32_t week, moment, job;
	sl_time now;
	sl_time waited; /* By then. */
	sl_time actual; /* How long it went on waiting; SL_NONE: that is asked. */
	sl_time said[FORECAST_VOICES][FORECAST_QUANTILES];
	sl_time calibrated[FORECAST_QUANTILES];
};
struct forecast_calibration;
/* Of cases whose outcome is known, by week; lent. known: the futures are of the policy that decides. NULL: no
 * memory. */
struct forecast_calibration *forecast_calibration_new(
	const struct forecast_case *past, size_t count, bool known, struct sl_err *err);
void forecast_calibration_free(struct forecast_calibration *calibration);
const char *forecast_calibration_way(const struct forecast_calibration *calibration);
/* is->calibrated: quantiles that were right in the cases most like it; of fewer than 40 cases the median by
 * itself, and from now to the latest that anybody says. */
int forecast_calibrate(
	const struct forecast_calibration *calibration, struct forecast_case *is, struct sl_err *err);

/* quantiles.c: ascending values whose quantiles are these, by even steps between, and none beyond p5 and p95.
 */
void forecast_spread(const sl_time quantile[FORECAST_QUANTILES], size_t n, sl_time *found);

/* The q-quantile of ascending values: of n the ceil(q n)-th, and the first at least. */
sl_time forecast_quantile(const sl_time *ascending, size_t n, double q);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate.h - a replay beside its log: when jobs started there and here, and how far the model may be
 * trusted.
 *
 * Only jobs that started in both are compared, and each of them in the same way on both sides:
 *
 *   wait      first start - submission;
 *   eligible  first start - since when it could be considered (begin times, dependencies, holds: sacct's
 *             Eligible); where the log does not say, since its submission;
 *   last      the last attempt's start - when it was put back into the queue (sacct writes its Submit anew).
 *
 * Ranks are of starts and of waits, ties averaged (Spearman). Times are in microseconds.
 */
#ifndef REPORTS_CALIBRATE_H
#define REPORTS_CALIBRATE_H

#include "sim/plugin.h"

/* Why a job is left out. */
enum calibrate_out {
	CALIBRATE_BEFORE,    /* It ran, or waited, when the replay began. */
	CALIBRATE_CUT,       /* It came within replay.warmup or replay.cooldown. */
	CALIBRATE_CANCELLED, /* Cancelled before it started, by the log. */
	CALIBRATE_RETRY,     /* By the log it had been put back, and its last attempt had not started. */
	CALIBRATE_NO_START,  /* The log has no start of it. */
	CALIBRATE_BACKWARDS, /* The log's start lies before its submission. */
	CALIBRATE_NOT_HERE,  /* It did not start in the replay. */
	CALIBRATE_OUT_COUNT
};
extern const char *const calibrate_out_text[CALIBRATE_OUT_COUNT];

enum calibrate_measure { CALIBRATE_WAIT, CALIBRATE_ELIGIBLE, CALIBRATE_LAST, CALIBRATE_MEASURES };
extern const char *const calibrate_measure_name[CALIBRATE_MEASURES];

struct calibrate_side {
	sl_time mean, p50, p95, max; /* Nearest rank. */
};

struct calibrate_both {
	struct calibrate_side recorded, simulated;
};

enum calibrate_kind {
	CALIBRATE_PARTITION,
	CALIBRATE_USER,
	CALIBRATE_ACCOUNT,
	CALIBRATE_QOS,
	CALIBRATE_KINDS
};
extern const char *const calibrate_kind_name[CALIBRATE_KINDS];

/* Jobs of one partition, user...; of their waits. */
struct calibrate_group {
	enum calibrate_kind kind;
	const char *name; /* NULL: a number. */
	int64_t number;
	size_t jobs;
	struct calibrate_both wait;
	/* Of those of its jobs that a second log of the same jobs has started, too: mean waits. */
	size_t jobs_again;
	sl_time mean_shared, mean_again; /* By the log, by the second. */
};

/* From the latest end on the nodes of a job to its start, of jobs that waited then (calibrate_turnover.c). */
struct calibrate_turnover {
	size_t starts; /* How many there are; 0: the rest says nothing. */
	sl_time least, p50, p95;
};

/* How far the model may be trusted. */
enum calibrate_trust {
	CALIBRATE_FEW, /* Too few jobs to tell. */
	CALIBRATE_POOR,
	CALIBRATE_FAIR,
	CALIBRATE_CLOSE
};

/* Bounds of each grade. Bounds of CLOSE are how far one cluster was from itself: two recordings of the same
 * 1680 submissions by a real slurmctld (traces/bundled/slurm-record) differ by 14 % in the mean wait, by 10 %
 * in its 95th percentile, and their ranks correlate by 0.98 (starts) and 0.79 (waits); closer than that
 * cannot be told from chance. FAIR is twice as far: enough to rank policies that differ by more. Means that
 * differ by less than CALIBRATE_GRAIN, the default interval of Slurm's backfill, do not differ. */
#define CALIBRATE_JOBS_LEAST 100
#define CALIBRATE_GRAIN      (30 * SL_SECOND)
struct calibrate_bound {
	int64_t mean, p95;     /* Difference by the recorded one, at most, millionths. */
	int64_t starts, waits; /* Rank correlation, at least, millionths. */
};
extern const struct calibrate_bound calibrate_close, calibrate_fair;

struct calibration {
	size_t total, jobs; /* In the trace; compared. */
	size_t left_out[CALIBRATE_OUT_COUNT];
	size_t requeued; /* Of those compared: several attempts in the log, or */
	size_t requeued_here;
	size_t censored; /* cut by the log's end or their limit: their run times are lower bounds. */
	struct calibrate_both measure[CALIBRATE_MEASURES];
	int64_t starts, waits;  /* Rank correlation, millionths; SL_NONE: of all alike, or fewer than two. */
	size_t within_minute;   /* Waits that differ by a minute at most, */
	size_t within_tenth;    /* and by a tenth of the recorded one, or a minute. */
	size_t sooner, later;   /* Starts more than a minute sooner (later) than recorded. */
	sl_time difference_p50; /* Of simulated - recorded waits. */
	size_t jobs_again;      /* As of a group, of all. */
	sl_time mean_shared, mean_again;
	struct calibrate_group *group; /* Kind by kind, by name. */
	size_t group_count;
	struct calibrate_turnover turnover[2]; /* [0]: by the log, [1]: in the replay, where its places are
						  recorded. */
	enum calibrate_trust trust;
};

/* SL_INPUT: the log has no starts. Freed by calibrate_release. */
int calibrate(struct calibration *all, const struct sl_result *result, struct sl_err *err);
/* With a second log of the same jobs (NULL: none), found by their numbers: how far one machine is from
 * itself. */
int calibrate_with(struct calibration *all, const struct sl_result *result, const struct sl_jobs *again,
	struct sl_err *err);

/* How far the model's mean wait may be from the log's before it waits longer or shorter: the largest of a
 * tenth of it, CALIBRATE_GRAIN, and how far the second log is from it. */
enum { CALIBRATE_GROUP_LEAST = 5 }; /* Jobs, for a group to be told of. */
sl_time calibrate_bound_of(const struct calibrate_group *group);
/* -1: the model waits shorter than the log, 1: longer; 0: within the bound, or too few jobs. */
int calibrate_side_of(const struct calibrate_group *group);
void calibrate_release(struct calibration *all);

/* simulated / recorded - 1, in millionths; 0 where both are 0, INT64_MAX where only the recorded one is. */
int64_t calibrate_difference(sl_time recorded, sl_time simulated);

/* Spearman's coefficient of x and y, in millionths: ranks with ties averaged. SL_NONE: fewer than two, or all
 * of one are alike. scratch: 2 * count. */
struct calibrate_rank {
	int64_t value;
	size_t at;
};
int64_t calibrate_spearman(
	const int64_t *x, const int64_t *y, size_t count, struct calibrate_rank *scratch, int64_t *ranks);

extern const struct sl_metric metrics_of_calibration;
extern const struct sl_report calibration_csv;

#endif

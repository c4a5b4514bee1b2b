/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences_parts.h - what the files of differences.c share: runs as they are kept to be compared.
 *
 * Jobs go by the rows of the first run's table. A job that is not in a run, or did not start there, has no
 * wait in it; only those that have one in every run are compared.
 */
#ifndef SL_DIFFERENCES_PARTS_H
#define SL_DIFFERENCES_PARTS_H

#include "cli/compare/schedules.h"
#include "cli/run/document_run.h"
#include "reports/metrics/metrics.h"
#include "sim/base/stats.h"

enum figure { WAIT, TURNAROUND, SLOWDOWN, BOUNDED };

/* Whole numbers by row, in four bytes each where all are so many units; SL_NONE: it has none. */
struct numbers {
	int32_t *narrow; /* INT32_MIN: none. NULL: wide. */
	int64_t *wide;
	int64_t unit;
};

static inline int64_t number_at(const struct numbers *numbers, uint32_t row)
{
	if (!numbers->narrow)
		return numbers->wide[row];
	return numbers->narrow[row] == INT32_MIN ? SL_NONE : numbers->narrow[row] * numbers->unit;
}

/* Of one run, by its own rows, in microseconds. */
struct series {
	struct sl_arena *arena; /* Of its names. */
	struct schedule jobs;   /* id, number, count: NULL where they are those of the first. */
	int64_t *number;
	struct numbers submit, wait, turnaround, run, cpus; /* submit: as number. */
	uint64_t same;                                      /* Of what the jobs are. */
	const uint32_t *matched; /* By the first's rows: which row is that job; NULL: the same. */
	sl_time from, until;     /* First and last submission. */
	unsigned __int128 held;  /* cpu-microseconds of the jobs that are compared. */
	bool read;               /* From a jobs.csv, which does not say what its metrics leave out. */
	bool partial;
	struct sl_metrics metrics;
};

/* BY_RUN: one number a run. */
enum way { BY_MEAN, BY_QUANTILE, BY_RUN };
struct displayed_way {
	const char *name;
	enum way way;
	enum figure figure;
	unsigned hundredth;           /* 100: the largest. */
	uint8_t covers, ratio_covers; /* docs/VALIDATION.md. */
};
extern const struct displayed_way difference_ways[];
extern const size_t difference_way_count;

struct differences {
	struct sl_arena *arena;
	struct series *series; /* By run. */
	size_t courses, series_capacity;
	uint32_t *common; /* The first's rows that started in all runs, in order. */
	uint32_t common_count;
	uint32_t apart_count; /* Jobs that started in some runs only. */
	bool partial, apart, slower, done;
	const char *words;
	const char *resource; /* What utilizations are of where they would be of several; NULL. */
	sl_time cut_length;   /* In place of batches; or */
	unsigned cut_count;   /* so many; both 0: batches. */
	const char *cut_each;
	const char *why; /* No interval of anything, and no verdict; NULL: there may be. */
	struct sl_difference *list;
	struct sl_certainty *certainty;
	size_t count, capacity, certainty_capacity;
	unsigned threads; /* Pairs at once; 0: one. */
	struct sl_restated *restated;
	size_t restated_count, restated_capacity;
};

/* differences_series.c */
int series_of_result(struct series *series, const struct sl_result *result, const struct sl_metrics *metrics,
	struct sl_err *err);
int series_of_file(struct series *series, const struct schedule *schedule, const struct sl_metrics *metrics,
	struct sl_err *err);
/* What the first run has too is not kept twice. */
void series_share(struct series *series, const struct series *first);
void series_release(struct series *series);
/* Which jobs started in all, what is apart, and the metrics over the common ones where they are not all. */
int courses_align(struct differences *all, struct sl_err *err);
/* A job of the first's rows has that figure in a run: seconds, or a number; NaN: it has none. */
double series_figure(const struct series *series, enum figure figure, uint32_t row);
/* The run's metric as it is compared; NULL: it has none. */
const int64_t *series_metric(const struct differences *all, size_t run, const char *name);

struct reported {
	struct sl_difference difference;
	struct sl_certainty certainty;
};

/* differences_sort.c: a value, and in which block it is. */
struct valued {
	double value;
	uint32_t block;
};
/* Stable, by value; other: as long an array. No value is NaN. */
void valued_sort(struct valued *value, struct valued *other, size_t count);

/* differences_blocks.c: what is said of a run to the first, metric by metric. What several metrics are made
 * of is made once, and kept until one of another figure comes. */
struct pair {
	const struct differences *all;
	size_t run;
	unsigned block_count;
	uint32_t *block; /* Of the i-th common job. */
	const char *why; /* No interval can be made of blocks; NULL: it may be. */
	enum figure figure;
	double *a, *b; /* Of the i-th common job, that figure; NaN: either has none. NULL: none yet. */
	struct valued *value, *other; /* Those of b in ascending order; NULL: not sorted. */
	size_t value_count;
	struct sl_arena *arena; /* Of words. */
};
int pair_begin(struct pair *pair, const struct differences *all, size_t run, struct sl_arena *arena,
	struct sl_err *err);
struct reported pair_reported(struct pair *pair, const struct displayed_way *way, struct sl_err *err);
void pair_end(struct pair *pair);
/* Of n independent samples: a metric of each under the first run, and under another. serial: they follow each
 * other, and may go together. */
struct reported reported_by_samples(const struct differences *all, const double *a, const double *b,
	unsigned n, bool serial, const char *what, struct sl_err *err);
/* The same bits on every machine, though libm's last one is not: seven digits. */
int64_t difference_micro(double value);

#endif

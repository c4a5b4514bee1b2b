/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selector_parts.h - a selector as it was read: what selector.c and selector_value.c share.
 */
#ifndef SL_SELECTOR_PARTS_H
#define SL_SELECTOR_PARTS_H

#include "cli/base/selector.h"

enum { CONDITIONS_MAX = 16, SELECTOR_TEXT_MAX = 4000 };

enum subject {
	SUBJECT_JOB,
	SUBJECT_USER,
	SUBJECT_ACCOUNT,
	SUBJECT_PARTITION,
	SUBJECT_QOS,
	SUBJECT_NAME,
	SUBJECT_STATE,
	SUBJECT_WORDS, /* From here on: numbers. Of things, in millionths; */
	SUBJECT_SIZE = SUBJECT_WORDS,
	SUBJECT_GPUS,
	SUBJECT_CPUS,
	SUBJECT_NODES,
	SUBJECT_MEM,   /* in MiB; */
	SUBJECT_LIMIT, /* times. */
	SUBJECT_RUN_TIME,
	SUBJECT_WAIT,
	SUBJECT_SUBMIT, /* Moments. */
	SUBJECT_START,
	SUBJECT_END,
	SUBJECT_COUNT
};

/* from <= value < to */
struct range {
	int64_t from, to;
	bool dated; /* Bounds are local dates, not times since zero. */
};

struct condition {
	enum subject subject;
	bool not ;
	const char **word; /* Any of these, */
	struct range *range;
	size_t count;
};

/* What a job adds to the figure. */
enum figure {
	FIGURE_NAME, /* Not made of jobs: by its name in metrics.json. */
	FIGURE_JOBS,
	FIGURE_COMPLETED,
	FIGURE_PREEMPTED,
	FIGURE_PREEMPTIONS,
	FIGURE_LOST,
	FIGURE_OVERHEAD,
	FIGURE_SUSPENDED,
	FIGURE_CPU_SECONDS,
	FIGURE_CPU_HOURS,
	FIGURE_GPU_SECONDS,
	FIGURE_GPU_HOURS,
	FIGURE_ALLOCATED,
	FIGURE_ACTIVE,
	FIGURE_IDLE,
	FIGURE_SPREAD, /* From here on each job has a value, of which there is a mean, or quantiles. */
	FIGURE_WAIT = FIGURE_SPREAD,
	FIGURE_WAIT_TOTAL,
	FIGURE_TURNAROUND,
	FIGURE_RUN_TIME,
	FIGURE_SLOWDOWN,
	FIGURE_BOUNDED,
	FIGURE_PER_CPU,
};

struct selector {
	const char *text;
	enum figure figure;
	enum summary_unit unit;
	int better;
	unsigned hundredth; /* 95: p95; 100: max; 0: mean. */
	struct condition condition[CONDITIONS_MAX];
	size_t condition_count;
};

/* selector_value.c: the values of the jobs that have one, in the order of rows: microseconds, or billionths
 * of a slowdown. FIGURE_SPREAD and behind. value: an array for all jobs. */
int selector_spread(const struct selector *selector, const struct scenario *scenario,
	const struct sl_result *result, int64_t *value, size_t *count, struct sl_err *err);
/* What of them is a millionth of the figure. */
unsigned selector_per_micro(const struct selector *selector);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics.h - what the metrics share: exact quotients, nearest-rank quantiles, a job's slowdown.
 *
 * Sums are of integers, in 128 bits; each number that is put is rounded once, half up, from them. Nothing
 * here depends on the order in which equal values were met.
 */
#ifndef REPORTS_METRICS_H
#define REPORTS_METRICS_H

#include "sim/plugin.h"

typedef unsigned __int128 metrics_wide;

enum { METRICS_NANO = 1000000000, METRICS_MICRO = 1000000 };

/* Puts top / bottom in millionths: top * scale / bottom, rounded half up; 0 where bottom is 0. A number
 * beyond 9.2 * 10^12 is left out. scale: 10^6 for a bare ratio, 1 where top is in microseconds. */
void metrics_put(
	struct sl_metrics *metrics, const char *name, metrics_wide top, metrics_wide bottom, uint64_t scale);

/* The number that it puts; INT64_MAX where it would be left out. */
int64_t metrics_ratio_micro(metrics_wide top, metrics_wide bottom, uint64_t scale);

/* The k-th smallest of values (k from 0), none negative. Their order is lost. Linear in count. */
int64_t metrics_select(int64_t *values, size_t count, size_t k);
/* Nearest rank: which k is the q-th hundredth of count > 0. */
size_t metrics_rank(size_t count, unsigned q);

/* Values of which quantiles are wanted. The least possible one (no wait, a slowdown of 1) is what most have,
 * and is only counted. */
struct metrics_values {
	int64_t least;
	size_t least_count;
	int64_t *value; /* The others. */
	size_t count;
};
int metrics_values_make(struct metrics_values *values, uint32_t capacity, int64_t least, struct sl_err *err);
void metrics_values_release(struct metrics_values *values);
static inline void metrics_values_add(struct metrics_values *values, int64_t value)
{
	values->value[values->count] = value;
	values->count += value != values->least;
	values->least_count += value == values->least;
}

struct metrics_quantile {
	const char *name;
	unsigned hundredth; /* 95; 100: the largest. */
};
enum { METRICS_QUANTILES_MAX = 8 };
/* Puts each of them, ascending and at most so many; 0 where there are no values. per_micro: units of a value
 * in a millionth. */
int metrics_put_quantiles(struct sl_metrics *metrics, const struct metrics_values *values,
	const struct metrics_quantile *quantile, size_t count, unsigned per_micro, struct sl_err *err);

/* Jain's index of x, which is used up: (sum x)^2 / (n sum x^2), 1 when all are alike, 1/n when one has it
 * all. Nothing is put where the sum is 0. */
void metrics_put_jain(struct sl_metrics *metrics, const char *name, metrics_wide *x, size_t count);

/* The last submission. */
sl_time metrics_last_submit(const struct sl_result *result);
/* Jobs count from this row on: those that were there when the replay began were submitted before. */
uint32_t metrics_first(const struct sl_result *result);

/* The jobs that metrics of jobs are of: all from metrics_first on, less those that were submitted within
 * replay.warmup of the first submission, or within replay.cooldown of the last one. Neither is cut unless it
 * is set. */
struct metrics_span {
	uint32_t first, until; /* Rows [first, until), and of these */
	bool sieve; /* those alone that were submitted in [from, to]: rows are not in that order. */
	bool cut;   /* Either end is. */
	sl_time from, to;
};
struct metrics_span metrics_span_of(const struct sl_result *result);
/* Of a row in [first, until). */
static inline bool metrics_sieved(
	const struct metrics_span *span, const struct sl_result *result, uint32_t row)
{
	const sl_time submit = result->jobs->submit[row];
	return !span->sieve || (submit >= span->from && submit <= span->to);
}
/* Of any row. */
static inline bool metrics_counted(
	const struct metrics_span *span, const struct sl_result *result, uint32_t row)
{
	return row >= span->first && row < span->until && metrics_sieved(span, result, row);
}

static inline bool metrics_started(const struct sl_result *result, uint32_t row)
{
	return result->start[row] != SL_NONE;
}

/* It started and ended: it has a turnaround. */
static inline bool metrics_ran(const struct sl_result *result, uint32_t row)
{
	return result->start[row] != SL_NONE && result->end[row] != SL_NONE;
}

static inline sl_time metrics_wait(const struct sl_result *result, uint32_t row)
{
	return result->start[row] - result->jobs->submit[row];
}

/* Some job had several attempts, or stood still for a while: columns alone do not say what it held. */
static inline bool metrics_preempted(const struct sl_result *result)
{
	return result->attempt_count || result->suspended;
}

/* How long it held its cpus; of a job that still runs, until the end of the run. It started. */
static inline sl_time metrics_held(const struct sl_result *result, uint32_t row)
{
	if (metrics_preempted(result))
		return sl_run_time_of(result, row);
	const sl_time end = result->end[row];
	return (end != SL_NONE ? end : result->last) - result->start[row];
}

/* The cpus it held, in parts: on a counted pool, its size. */
static inline int64_t metrics_cpus(const struct sl_result *result, uint32_t row)
{
	return result->cpus_held ? sl_cpus_of(result, row) : result->jobs->size[row];
}

/* In how many parts the amounts of cpus and GPUs of the result are counted. */
static inline int64_t metrics_cpu_parts(const struct sl_result *result)
{
	return result->cluster ? sl_parts(result->cluster->cpu_parts) : 1;
}
static inline int64_t metrics_gpu_parts(const struct sl_result *result)
{
	return result->cluster ? sl_parts(result->cluster->gpu_parts) : 1;
}

/* How long it held what it requested between `from` and `to`, over its attempts, less the time that it was
 * suspended, which is spread over each interval. It started. */
sl_time metrics_held_within(const struct sl_result *result, uint32_t row, sl_time from, sl_time to);

/* GPU time, in parts times microseconds: what was held, what of that is of jobs of whose activity the trace
 * reports, and the active part, in millionths of it. */
struct metrics_gpu_time {
	metrics_wide held, known, active;
};
/* Jobs have jobs->gpu_active. */
void metrics_gpu_time_add(struct metrics_gpu_time *time, const struct sl_result *result, uint32_t row);
/* As `active`. */
static inline metrics_wide metrics_gpu_time_idle(const struct metrics_gpu_time *time)
{
	return time->known * METRICS_MICRO - time->active;
}
/* The trace reports the activity of any job. */
bool metrics_tells_active(const struct sl_result *result);

/* top / bottom in billionths, rounded half up; 0 < bottom. */
uint64_t metrics_nano(uint64_t top, uint64_t bottom);

/* max(1, turnaround / max(run, 10 s)) in billionths. */
static inline uint64_t metrics_bounded(sl_time turnaround, sl_time run)
{
	const sl_time least = 10 * SL_SECOND;
	const sl_time over = run > least ? run : least;
	return turnaround <= over ? METRICS_NANO : metrics_nano((uint64_t)turnaround, (uint64_t)over);
}
/* The same of a job that ran. */
uint64_t metrics_bounded_slowdown(const struct sl_result *result, uint32_t row);
/* Without the bound; 0: it ran for no time, and has none. Shared among the job's cpus. */
uint64_t metrics_slowdown(const struct sl_result *result, uint32_t row);
uint64_t metrics_per_cpu_slowdown(const struct sl_result *result, uint32_t row);

/* Numbers that rows carry (user, partition), negative ones left out. */
struct metrics_keys {
	int32_t *key; /* Ascending. */
	size_t count;
	uint32_t *place; /* By number, where it is in key; NULL where numbers are far above those of rows. */
	struct sl_map map; /* Then: places by hash. */
};
int metrics_keys_make(struct metrics_keys *keys, const int32_t *number, uint32_t rows, struct sl_err *err);
void metrics_keys_release(struct metrics_keys *keys);
/* Where a number that some row has is in key, where there is no table. */
uint32_t metrics_keys_search(const struct metrics_keys *keys, int32_t number);

/* Classes of lengths of time, "<5m" to ">=24h": those of limits, and of run times. */
enum { METRICS_LENGTHS = 7 };
unsigned metrics_length(sl_time time);
const char *metrics_length_label(unsigned i);

/* replay.warmup, or from first submit to the submission of the first job that MSER-5 keeps. */
int metrics_warmup(const struct sl_result *result, sl_time *warmup, struct sl_err *err);

extern const struct sl_metric metrics_of_wait, metrics_of_preemption, metrics_of_slowdown, metrics_of_use,
	metrics_of_active, metrics_of_queue, metrics_of_groups, metrics_of_gauges, metrics_of_field;
extern const struct sl_report metrics_idle_gpus, metrics_fairness;

#endif

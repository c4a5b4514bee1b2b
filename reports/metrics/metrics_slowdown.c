/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_slowdown.c - how much longer jobs took than they would have alone.
 *
 * Each job's ratio is rounded to billionths, so that the mean is of integers and has one value.
 */
#include "reports/metrics/metrics.h"

struct sums {
	metrics_wide slowdown, bounded, per_cpu;
	size_t lasting; /* Jobs that ran for more than no time: they have a slowdown. */
};

/* Zotkin and Keleher's: the turnaround shared among the job's cpus, never below 1. */
static uint64_t per_cpu_slowdown(
	uint64_t bounded, sl_time turnaround, sl_time run, int64_t size, int64_t parts)
{
	const sl_time least = 10 * SL_SECOND;
	const sl_time over = run > least ? run : least;
	if (size <= parts) /* A cpu, or a share of one. */
		return bounded;
	const uint64_t shared =
		parts == 1 ? (uint64_t)over * (uint64_t)size : (uint64_t)sl_mul_div(over, size, parts);
	return (uint64_t)turnaround <= shared ? METRICS_NANO : metrics_nano((uint64_t)turnaround, shared);
}

/* Of a job that ran for more than no time. */
static uint64_t slowdown(uint64_t bounded, sl_time turnaround, sl_time run)
{
	const bool same = run >= 10 * SL_SECOND || turnaround == run;
	return same ? bounded : metrics_nano((uint64_t)turnaround, (uint64_t)run);
}

static void metrics_slowdown_add(
	struct sums *sums, struct metrics_values *values, const struct sl_result *result, uint32_t row)
{
	const sl_time turnaround = result->end[row] - result->jobs->submit[row];
	const sl_time run = metrics_held(result, row);
	const uint64_t bounded = metrics_bounded(turnaround, run);
	if (run > 0) {
		sums->slowdown += slowdown(bounded, turnaround, run);
		sums->lasting++;
	}
	sums->bounded += bounded;
	sums->per_cpu += per_cpu_slowdown(
		bounded, turnaround, run, metrics_cpus(result, row), metrics_cpu_parts(result));
	metrics_values_add(values, (int64_t)bounded);
}

uint64_t metrics_slowdown(const struct sl_result *result, uint32_t row)
{
	const sl_time run = metrics_held(result, row);
	return run > 0 ? slowdown(metrics_bounded_slowdown(result, row),
				 result->end[row] - result->jobs->submit[row], run)
		       : 0;
}

uint64_t metrics_per_cpu_slowdown(const struct sl_result *result, uint32_t row)
{
	return per_cpu_slowdown(metrics_bounded_slowdown(result, row),
		result->end[row] - result->jobs->submit[row], metrics_held(result, row),
		metrics_cpus(result, row), metrics_cpu_parts(result));
}

static int metrics_slowdown_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	static const struct metrics_quantile quantile[] = {
		{ "bounded_slowdown.p50", 50 },
		{ "bounded_slowdown.p95", 95 },
		{ "bounded_slowdown.max", 100 },
	};
	struct metrics_values values;
	struct sums sums = { 0 };
	int status = metrics_values_make(&values, result->jobs->count, METRICS_NANO, err);
	if (status)
		return status;
	const struct metrics_span span = metrics_span_of(result);
	for (uint32_t row = span.first; row < span.until; row++)
		if (metrics_ran(result, row) && metrics_sieved(&span, result, row))
			metrics_slowdown_add(&sums, &values, result, row);
	const unsigned per_micro = METRICS_NANO / METRICS_MICRO;
	const metrics_wide units = (metrics_wide)(values.least_count + values.count) * per_micro;
	metrics_put(metrics, "slowdown.mean", sums.slowdown, (metrics_wide)sums.lasting * per_micro, 1);
	metrics_put(metrics, "bounded_slowdown.mean", sums.bounded, units, 1);
	status = metrics_put_quantiles(metrics, &values, quantile, SL_LEN(quantile), per_micro, err);
	metrics_put(metrics, "per_cpu_bounded_slowdown.mean", sums.per_cpu, units, 1);
	metrics_values_release(&values);
	return status;
}

const struct sl_metric metrics_of_slowdown = { SL_ABI_OF(struct sl_metric), "slowdown",
	"slowdown.mean: (wait + run) / run; bounded_slowdown.mean, .p50, .p95, .max: max(1, (wait + run) / "
	"max(run, 10 s)); per_cpu_bounded_slowdown.mean: max(1, (wait + run) / (cpus * max(run, 10 s))); of the "
	"jobs that ended",
	"Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong 1997: Theory and practice in parallel job scheduling; "
	"Zotkin, Keleher 1999: Job-length estimation and performance in backfilling schedulers",
	metrics_slowdown_compute };

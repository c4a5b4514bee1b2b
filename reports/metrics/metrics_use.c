/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_use.c - how much of the machine was used, and how much of it idled while jobs waited.
 *
 * Cpu time is exact: size times microseconds held, in 128 bits.
 */
#include "reports/metrics/metrics.h"

struct window {
	sl_time from, to;
	metrics_wide busy; /* Cpu-microseconds held in it. */
};

static metrics_wide capacity(const struct sl_result *result, const struct window *window)
{
	if (window->to <= window->from)
		return 0; /* An empty window: metrics_put gives 0. */
	return (metrics_wide)result->cpus * (metrics_wide)(window->to - window->from);
}

static void window_add(struct window *window, const struct sl_result *result, uint32_t row)
{
	const sl_time start = result->start[row];
	const sl_time end = start + metrics_held(result, row);
	const sl_time from = start > window->from ? start : window->from;
	const sl_time to = end < window->to ? end : window->to;
	if (to > from)
		window->busy += (metrics_wide)(to - from) * (metrics_wide)result->jobs->size[row];
}

static int compute(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	struct window whole = { result->first, result->last, 0 };
	struct window steady = { 0, jobs->count ? jobs->submit[jobs->count - 1] : 0, 0 };
	const uint32_t first = metrics_first(result);
	sl_time warmup;
	uint64_t completed = 0;
	const int status = metrics_warmup(result, &warmup, err);
	if (status)
		return status;
	steady.from = result->first + warmup;
	for (uint32_t row = 0; row < jobs->count; row++) {
		completed += row >= first && result->state[row] == SL_COMPLETED;
		if (!metrics_started(result, row))
			continue;
		window_add(&whole, result, row);
		window_add(&steady, result, row);
	}
	const metrics_wide full = capacity(result, &whole);
	const sl_time makespan = full ? whole.to - whole.from : 0;

	metrics_put(metrics, "utilization", whole.busy, full, METRICS_MICRO); /* Cpus are all there is. */
	metrics_put(metrics, "utilization.cpus", whole.busy, full, METRICS_MICRO);
	metrics_put(metrics, "utilization.gpus", 0, 0, METRICS_MICRO);
	metrics_put(metrics, "utilization.steady", steady.busy, capacity(result, &steady), METRICS_MICRO);
	metrics_put(metrics, "warmup", (metrics_wide)warmup, 1, 1);
	metrics_put(metrics, "makespan", (metrics_wide)makespan, 1, 1);
	metrics_put(metrics, "throughput", (metrics_wide)completed * 3600 * SL_SECOND, (metrics_wide)makespan,
		METRICS_MICRO);
	metrics_put(metrics, "loss_of_capacity", result->idle_fitting, full, METRICS_MICRO);
	metrics_put(metrics, "loss_of_capacity.wanted", result->idle_wanted, full, METRICS_MICRO);
	return SL_OK;
}

const struct sl_metric metrics_of_use = { SL_ABI_OF(struct sl_metric), "utilization",
	"utilization, .cpus, .gpus: busy cpu-seconds (gpu-seconds) over capacity from first submit to last end; "
	"utilization.steady: the same over [first submit + warmup, last submit]; warmup: seconds; makespan: last "
	"end - first submit, seconds; throughput: completed jobs an hour of makespan; loss_of_capacity: share of "
	"capacity that idled while a waiting job would have fit in what idled; loss_of_capacity.wanted: share "
	"that idled and was asked for, min(idle, cpus asked for by waiting jobs)",
	"Zhang, Franke, Moreira, Sivasubramaniam 2000: Improving parallel job scheduling by combining gang "
	"scheduling and backfilling techniques (loss of capacity); "
	"White 1997: An effective truncation heuristic for bias reduction in simulation output (MSER)",
	compute };

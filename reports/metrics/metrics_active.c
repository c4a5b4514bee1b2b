/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_active.c - of the GPU time that was allocated, how much was active.
 *
 * A trace may say of a job how large a part of the GPU time that it held was active; in the replay it is
 * taken to be active for the same part of whatever it holds there. What of a job is not known is not guessed:
 * the numbers say how much of the time they speak of.
 */
#include "reports/metrics/metrics.h"

static const metrics_wide hour = (metrics_wide)3600 * SL_SECOND;

bool metrics_tells_active(const struct sl_result *result)
{
	const int32_t *active = result->jobs->gpu_active;
	for (uint32_t row = 0; active && row < result->jobs->count; row++)
		if (active[row] >= 0)
			return true;
	return false;
}

void metrics_gpu_time_add(struct metrics_gpu_time *time, const struct sl_result *result, uint32_t row)
{
	if (!metrics_started(result, row) || !result->gpus_held)
		return;
	const int32_t active = result->jobs->gpu_active[row];
	const metrics_wide share = active > 0 ? (uint32_t)active : 0;
	const metrics_wide gpus = (uint64_t)result->gpus_held[row];
	const metrics_wide held =
		gpus * (uint64_t)metrics_held_within(result, row, result->first, result->last);
	time->held += held;
	if (active < 0)
		return;
	time->known += held;
	time->active += held * share;
}

static int metrics_active_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	(void)err;
	if (!metrics_tells_active(result))
		return SL_OK;
	struct metrics_gpu_time time = { 0 };
	for (uint32_t row = 0; row < result->jobs->count; row++)
		metrics_gpu_time_add(&time, result, row);
	const metrics_wide range =
		result->last > result->first ? (metrics_wide)(result->last - result->first) : 0;
	const metrics_wide gpus = result->cluster ? (metrics_wide)result->cluster->gpus : 0;
	const metrics_wide full = gpus * range;
	const metrics_wide parts = (metrics_wide)metrics_gpu_parts(result);
	const metrics_wide hours = hour * parts;
	metrics_put(metrics, "utilization.gpus_active", time.active, full, 1);
	metrics_put(metrics, "utilization.gpus_known", time.known, time.held, METRICS_MICRO);
	metrics_put(metrics, "gpu_hours.allocated", time.held, hours, METRICS_MICRO);
	metrics_put(metrics, "gpu_hours.active", time.active, hours, 1);
	metrics_put(metrics, "gpu_hours.idle", metrics_gpu_time_idle(&time), hours, 1);
	return SL_OK;
}

const struct sl_metric metrics_of_active = { SL_ABI_OF(struct sl_metric), "gpu_hours",
	"where the trace tells of any job how large a part of the GPU time that it held was active: "
	"utilization.gpus_active: active GPU-seconds over capacity, as utilization.gpus; "
	"utilization.gpus_known: share of the allocated GPU time of which it is told; "
	"gpu_hours.allocated: GPU-hours held by all jobs; gpu_hours.active, .idle: of those that it is told of, "
	"the active part and the rest",
	NULL, metrics_active_compute };

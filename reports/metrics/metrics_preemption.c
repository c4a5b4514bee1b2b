/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_preemption.c - how many jobs were preempted, how often, and what it cost.
 */
#include "reports/metrics/metrics.h"

struct preempted {
	uint64_t jobs, times;
	metrics_wide lost, overhead, suspended;
};

static void metrics_preemption_add(struct preempted *sum, const struct sl_result *result, uint32_t row)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, row, &attempt);
	uint64_t times = 0;
	for (size_t i = 0; i < count; i++) {
		times += attempt[i].state == SL_PREEMPTED;
		sum->lost += (uint64_t)attempt[i].lost;
		sum->overhead += (uint64_t)attempt[i].overhead;
	}
	if (!count && result->state[row] == SL_PREEMPTED)
		times = 1;
	sum->jobs += times > 0;
	sum->times += times;
	sum->suspended += (uint64_t)sl_suspended_of(result, row);
}

static int metrics_preemption_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	struct preempted sum = { 0 };
	(void)err;
	const struct metrics_span span = metrics_span_of(result);
	for (uint32_t row = 0; row < result->jobs->count; row++)
		if ((metrics_preempted(result) || result->state[row] == SL_PREEMPTED) &&
			(!span.cut || metrics_counted(&span, result, row)))
			metrics_preemption_add(&sum, result, row);
	metrics_put(metrics, "jobs.preempted", sum.jobs, 1, METRICS_MICRO);
	metrics_put(metrics, "preemptions", sum.times, 1, METRICS_MICRO);
	metrics_put(metrics, "work.lost", sum.lost, 1, 1);
	metrics_put(metrics, "work.overhead", sum.overhead, 1, 1);
	metrics_put(metrics, "suspended.total", sum.suspended, 1, 1);
	return SL_OK;
}

const struct sl_metric metrics_of_preemption = { SL_ABI_OF(struct sl_metric), "preemption",
	"jobs.preempted: jobs that were requeued, checkpointed or cancelled to make room; preemptions: how often; "
	"work.lost: seconds of running that were done again; work.overhead: seconds in which jobs loaded checkpoints (replay.restart); suspended.total: seconds that jobs stood still",
	NULL, metrics_preemption_compute };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_fair.h - by how much a job missed its fair start time, which a run has with replay.metrics=field:
 * see sim/result/fair_start.h.
 */
#ifndef REPORTS_METRICS_FAIR_H
#define REPORTS_METRICS_FAIR_H

#include "reports/metrics/metrics.h"

/* How long the job, which started, waited beyond its fair start time: 0 where it did not. */
static inline sl_time metrics_fair_miss(const struct sl_result *result, uint32_t row)
{
	return result->start[row] > result->fair_start[row] ? result->start[row] - result->fair_start[row]
							    : 0;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_fair.h - fair start times: when a job would have started had nobody passed anybody.
 *
 * At a job's arrival all that is known of the run is taken as it is: which jobs run and for how long they
 * still do, and which wait. Those that wait are then started in the order of their arrival, none before the
 * one ahead of it (no backfilling), with their true run times, and no later job arrives. Where the job itself
 * would start in that schedule is its fair start time; a job that started later was treated unfairly, by so
 * much. Leung, Sabin, Sadayappan 2010: Parallel job scheduling policies to improve fairness: a case study
 * (ICPPW), the hybrid fair start time, here in the order of arrival; after Sabin, Kochhar, Sadayappan 2004:
 * Job fairness in non-preemptive job scheduling (ICPP), whose own is of the same policy without later jobs.
 */
#ifndef REPORTS_METRICS_FAIR_H
#define REPORTS_METRICS_FAIR_H

#include "reports/metrics/metrics.h"

/* Of counted pools without preemption: else nothing says in which order room comes free. */
bool metrics_fair_is_of(const struct sl_result *result);

struct metrics_fair {
	sl_time *start;  /* By row: fair start time; SL_NONE: not looked at (or it can never start). */
	uint32_t stride; /* Every so many-th arrival is looked at: 1, but where queues are very long. */
};
/* SL_SYSTEM: memory. */
int metrics_fair_make(struct metrics_fair *fair, const struct sl_result *result, struct sl_err *err);
void metrics_fair_release(struct metrics_fair *fair);

/* Since when it could have been started: its submission, or when what deferred it was over. */
static inline sl_time metrics_fair_arrival(const struct sl_result *result, uint32_t row)
{
	const sl_time submit = result->jobs->submit[row];
	const sl_time eligible = result->eligible ? result->eligible[row] : submit;
	return eligible != SL_NONE && eligible > submit ? eligible : submit;
}

/* How long the job waited beyond its fair start time: 0 where it did not. */
static inline sl_time metrics_fair_miss(
	const struct metrics_fair *fair, const struct sl_result *result, uint32_t row)
{
	return result->start[row] > fair->start[row] ? result->start[row] - fair->start[row] : 0;
}

/* Rows by arrival, those of one instant in their own order; NULL: memory. The caller frees it. */
uint32_t *metrics_fair_order(const struct sl_result *result);

#endif

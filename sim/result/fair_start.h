/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fair_start.h - fair start times: when a job would have started had nobody who came later been in its way.
 *
 * Two rules (replay.fair_start). Here the one in order: at a job's arrival all that is known of the run is
 * taken as it is: which jobs run and for how long they still do, and which wait. Those that wait are then
 * started in the order of their arrival, none before the one ahead of it (no backfilling), with their true
 * run times, and no later job arrives. Where the job itself would start in that schedule is its fair start
 * time; a job that started later was treated unfairly, by so much. Leung, Sabin, Sadayappan 2010: Parallel
 * job scheduling policies to improve fairness: a case study (ICPPW), the hybrid fair start time, here in the
 * order of arrival. The other (sim/run/fair_runs.c) is of Sabin, Kochhar, Sadayappan 2004: Job fairness in
 * non-preemptive job scheduling (ICPP): no later arriving job should delay an earlier one, so a fair start is
 * that under the same policy, had nobody come later.
 */
#ifndef SL_FAIR_START_H
#define SL_FAIR_START_H

#include "sim/plugin.h"

/* Of counted pools without preemption: else nothing says in which order room comes free. */
bool fair_start_is_of(const struct sl_result *result);
/* By row; SL_NONE: not looked at, or it can never start. Where queues are very long every second, third ...
 * of those that arrived is looked at. SL_SYSTEM: memory. */
int fair_start_in_order(const struct sl_result *result, sl_time *fair, struct sl_err *err);

#endif

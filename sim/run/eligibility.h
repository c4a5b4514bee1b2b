/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eligibility.h - which jobs are eligible: begin times, holds, dependencies, array limits; and deadlines.
 *
 * A submitted job that is not eligible is PENDING, but not in the queue, and no policy gets an event of it.
 * It is released once, at the first instant at which nothing keeps it any more: after the instant's ends and
 * before its pass, first those released by time or other jobs, by row (they were submitted before those of
 * now), then the submissions, then tasks that their array's limit kept, by their index. It gets its place in
 * the queue as if it had been there; preempted jobs are eligible at once.
 *
 * A dependency, once satisfied, stays so, and is checked only when one of those jobs starts or ends. Jobs
 * with the same list share what is known of it.
 *
 * NULL where no job says anything more.
 */
#ifndef SL_ELIGIBILITY_H
#define SL_ELIGIBILITY_H

#include "sim/state/evq.h"

struct sim;
struct eligibility;
struct history_event;

int eligibility_init(struct sim *sim, struct sl_err *err);
void eligibility_release(struct eligibility *eligibility);

/* A job is submitted now: true if nothing keeps it. */
bool eligibility_submit(struct sim *sim, uint32_t job);
/* From now on dependencies and limits of arrays alone keep jobs; false: no job has any. Before the first
 * event. */
bool eligibility_dependencies_alone(struct sim *sim);
/* It enters the queue now. */
void eligibility_enter(struct sim *sim, uint32_t job);
/* It has started for the first time, or ended, whatever its state was. */
void eligibility_started(struct sim *sim, uint32_t job);
void eligibility_ended(struct sim *sim, uint32_t job);

/* When one opens next; SL_NEVER: not by time alone. */
sl_time eligibility_next(const struct sim *sim);
/* The next job released now, before and behind the submissions of the instant; UINT32_MAX: none. */
uint32_t eligibility_pop(struct sim *sim);
uint32_t eligibility_pop_array(struct sim *sim);

/* Its end in state DEADLINE becomes an event; SL_NONE: it has no deadline. */
sl_time eligibility_deadline(const struct sim *sim, uint32_t job);
/* It must not be put back into the queue (sbatch --no-requeue). */
bool eligibility_no_requeue(const struct sim *sim, uint32_t job);

/* replay.start=recorded. Before the history is reported: of jobs submitted by then that do not run, when each
 * was released (SL_NEVER: not yet). `found`: those that run, with their starts in sim->start. */
/* begin_recorded.c: when a job of before the beginning ended by then (replay.before); SL_NONE: it did not. */
sl_time begin_ended(const struct sim *sim, uint32_t job);
int eligibility_take_up(struct sim *sim, sl_time *entered, uint32_t submitted);

/* --check: what kept the job let it in before it started. */
bool eligibility_defer(const struct sim *sim, uint32_t job);

#endif

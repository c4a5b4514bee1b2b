/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gates.h - who may be considered yet: begin times, holds, dependencies, limits of arrays; and deadlines.
 *
 * A submitted job whose gate is closed is PENDING, but not in the queue, and no policy hears of it. Its gate
 * opens once, at the first instant at which nothing keeps it any more: after the instant's ends and before
 * its pass, those that time or other jobs let in by row (they were submitted before whoever is submitted
 * now), then the submissions, then tasks that their array's limit kept, by their index. It takes its place in
 * the queue as if it had been there; preempted jobs are let in without further ado.
 *
 * What a job depends on only ever comes to be, and is looked at when one of those jobs starts or ends, not
 * before. Jobs with the same list share what is known of it.
 *
 * NULL where no job says anything more.
 */
#ifndef SL_GATES_H
#define SL_GATES_H

#include "sim/state/evq.h"

struct sl_pass;
struct gates;
struct past_event;

int gates_init(struct sl_pass *pass, struct sl_err *err);
void gates_release(struct gates *gates);

/* A job is submitted now: true if nothing keeps it. */
bool gates_submit(struct sl_pass *pass, uint32_t job);
/* It enters the queue now. */
void gates_enter(struct sl_pass *pass, uint32_t job);
/* It has started for the first time, or ended, whatever its state was. */
void gates_started(struct sl_pass *pass, uint32_t job);
void gates_ended(struct sl_pass *pass, uint32_t job);

/* When one opens next; SL_NEVER: not by time alone. */
sl_time gates_next(const struct sl_pass *pass);
/* Who is let in now, before and behind the submissions of the instant; UINT32_MAX: nobody. */
uint32_t gates_pop(struct sl_pass *pass);
uint32_t gates_pop_array(struct sl_pass *pass);

/* Its end in state DEADLINE becomes an event; SL_NONE: it has no deadline. */
sl_time gates_deadline(const struct sl_pass *pass, uint32_t job);
/* It must not be put back into the queue (sbatch --no-requeue). */
bool gates_no_requeue(const struct sl_pass *pass, uint32_t job);

/* replay.start=recorded. Before the past is shown: of jobs submitted by then that do not run, when each was
 * let in (SL_NEVER: it is still kept). `found`: those that run, with their starts in pass->start. */
int gates_take_up(struct sl_pass *pass, sl_time *entered, uint32_t submitted);

/* --check: what kept the job let it in before it started. */
bool gates_hold(const struct sl_pass *pass, uint32_t job);

#endif

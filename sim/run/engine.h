/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine.h - the parts of a run: its state (pass.h), the event loop over it, its begin and its handovers.
 */
#ifndef SL_ENGINE_H
#define SL_ENGINE_H

#include "sim/run/pass.h"

struct engine {
	struct sim sim;
	struct sl_arena *arena;
	struct sim_options options;   /* As it began. */
	sl_time reached;              /* Everything up to here has happened; SL_NONE: nothing yet. */
	struct sim_interval *history; /* Those that ended in a handover; and capacity for the present one. */
	size_t history_count, history_capacity;
	bool interrupted;
};

/* sim.c: the loop. */
enum { SIM_ASKS = 1 }; /* A status: the pass stopped at a question. */
int sim_loop(struct sim *sim, sl_time until);
sl_time next_instant(struct sim *sim);
/* usage.c */
void usage_record(struct sim *sim); /* At the end of an instant. */
int usage_result(struct sim *sim, struct sl_result *result);
void integrate(struct sim *sim, sl_time until); /* The values from the last time on. */
void idle_counts(struct sim *sim);              /* What was idle since nothing runs is of the run. */
/* Its user's cancellation becomes an event, and its deadline. */
void cancel_later(struct sim *sim, uint32_t job);

/* begin.c */
int init_policy(struct sim *sim, const struct policy_choice *choice, struct sl_err *err);
void init_queues(struct sim *sim);

/* fair_runs.c: result->fair_start, of a run that is over. SL_INTERRUPTED. */
int fair_starts(struct engine *engine, struct sl_result *result, struct sl_err *err);

/* begin_recorded.c: what ran and waited at scenario->begin. */
int begin_recorded(struct sim *sim);

/* history.c */
/* Reports to the policy what happened up to that time: submissions, ends and cancellations, at their times,
 * and timers as they run out. What it sees of jobs is as it was then; the queue is filled on the way. */
int history_table(struct sim *sim, const struct history_event *event, size_t count, sl_time until);

#endif

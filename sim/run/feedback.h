/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * feedback.h - submissions that follow the end of another job (replay.feedback).
 *
 * A job of which the trace says which job came before it (SWF's field 17) is submitted when that one has
 * ended in this run, plus the think time (field 18), sooner or later than recorded: users wait for their
 * results (Feitelson and Shmueli; Zakay and Feitelson). Its submission is an event of its time like any
 * other, by row among those of one instant. Rows stay where they are; the column `submit` is the run's own,
 * and not in order any more. Until a job is in the queue it counts as not eligible (sim->gated).
 *
 * NULL where no job follows another: submissions come from the job table.
 */
#ifndef SL_FEEDBACK_H
#define SL_FEEDBACK_H

#include "sim/state/evq.h"

struct sim;

struct feedback {
	struct sl_jobs jobs; /* The table with columns of this run: */
	sl_time *submit, *cancel;
	struct evq due;              /* (submission, row) of those whose preceding job has ended. */
	uint32_t *follower, *beside; /* By row: the first that follows it, the next that follows the same. */
	uint8_t *came;               /* By row: it was submitted. */
	uint32_t next;               /* The first row that follows no other, and is not submitted. */
	bool keys;                   /* The queue's keys are the engine's: submissions. */
};

/* Before anything that looks at jobs; and once the policy is known. */
int feedback_init(struct sim *sim, struct sl_err *err);
int feedback_keys(struct sim *sim, struct sl_err *err);
void feedback_release(struct feedback *feedback);
/* When the next one is submitted, and which; SL_NEVER: none, as far as is known. */
sl_time feedback_next(struct sim *sim, uint32_t *job);
/* It is submitted now: false if it had been before. */
bool feedback_comes(struct sim *sim, uint32_t job);
/* It has ended, whatever its state is: who follows it is to come. */
void feedback_ended(struct sim *sim, uint32_t job);
/* The run is over: who never came is as if submitted after it. */
void feedback_over(struct sim *sim, sl_time last);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history.c - the history of a run (journal.c records it), reported to a policy after a handover.
 *
 * A policy learns what it knows of the past (run times of users, usage) from its events. One that takes over
 * gets all of them, in their order and at their times, with the jobs as they were then, and the commands on
 * them (on_history); its own commands do nothing, and it gets no passes. So its keys, estimates and ledgers
 * are what they would be if it had run from the start.
 */
#include "sim/run/engine.h"

/* ---- Estimates that run out ------------------------------------------------------------------ */

static bool comes_before(
	const struct sim *sim, const struct ev *timer, sl_time time, unsigned class, bool expiry)
{
	if (!timer || timer->time > time)
		return false;
	return timer->time < time || class > SL_EV_TIMER || (expiry && sim->scenario->rules.submits_first);
}

/* Timers that come before an event of that class and time. */
static void table_timers(struct sim *sim, sl_time time, unsigned class)
{
	while (!sim->status) {
		const struct ev *own = evq_top(&sim->events);
		const struct ev *expiry = evq_top(sim->expiring);
		const bool own_comes = comes_before(sim, own, time, class, false);
		const bool expiry_comes = comes_before(sim, expiry, time, class, true);
		if (!own_comes && !expiry_comes)
			return;
		const bool first = expiry_comes && (!own_comes || expiry->time <= own->time);
		const struct ev ev = evq_pop(first ? sim->expiring : &sim->events);
		sim->now = ev.time;
		report_policy(sim, &(struct sl_event){ ev.time, SL_EV_TIMER, ev.row });
	}
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void table_ended(struct sim *sim, uint32_t job, enum sl_state state)
{
	if (is_waiting(sim, job))
		queue_take(sim, job);
	sim->end[job] = sim->now;
	sim->job_state[job] = (uint8_t)state;
}

static void table_started(struct sim *sim, uint32_t job)
{
	queue_take(sim, job);
	sim->start[job] = sim->now; /* Of the attempt. */
	sim->job_state[job] = SL_RUNNING;
	history_expires(sim, job);
}

static void table_preempted(struct sim *sim, uint32_t job, enum sl_preempt how)
{
	switch (how) {
	case SL_PREEMPT_REQUEUE:
	case SL_PREEMPT_CHECKPOINT:
		sim->job_state[job] = SL_PENDING;
		queue_put(sim, job);
		break;
	case SL_PREEMPT_SUSPEND:
		sim->job_state[job] = SL_SUSPENDED;
		break;
	case SL_PREEMPT_CANCEL:
	case SL_PREEMPT_COUNT:
		table_ended(sim, job, SL_PREEMPTED);
		break;
	}
}

static void report_command(struct sim *sim, uint32_t job, enum sl_history_command what, enum sl_preempt how)
{
	if (sim->policy->on_history)
		sim->policy->on_history(sim->state, sim, (sl_job){ job }, what, how);
}

/* A model had a job fail, for good or to be requeued. */
static void table_failed(struct sim *sim, const struct history_event *event)
{
	const bool retry = event->class >= DIGEST_REQUEUED;
	const enum sl_state as = (enum sl_state)(event->class - (retry ? DIGEST_REQUEUED : DIGEST_END));
	table_ended(sim, event->row, as);
	report_policy(sim, &(struct sl_event){ sim->now, retry ? SL_EV_MODEL : SL_EV_JOB_END, event->row });
	if (!retry)
		return;
	sim->end[event->row] = SL_NONE;
	sim->job_state[event->row] = SL_PENDING;
	queue_put(sim, event->row);
}

/* What is no event of the loop: the commands of passes. */
static void table_command(struct sim *sim, const struct history_event *event)
{
	enum sl_history_command what = SL_HISTORY_RESIZE;
	enum sl_preempt how = SL_PREEMPT_COUNT;
	if (event->class == SL_EV_CLASS_COUNT) {
		what = SL_HISTORY_START;
		table_started(sim, event->row);
	} else if (event->class < DIGEST_RESUME) {
		what = SL_HISTORY_PREEMPT;
		how = (enum sl_preempt)(event->class - DIGEST_PREEMPT);
		table_preempted(sim, event->row, how);
	} else if (event->class == DIGEST_RESUME) {
		what = SL_HISTORY_RESUME;
		sim->job_state[event->row] = SL_RUNNING;
	}
	report_command(sim, event->row, what, how);
}

/* Submitted, or released later: only then is it reported. */
static void table_submitted(struct sim *sim, uint32_t job, bool gated)
{
	if (is_controlled(sim))
		sim->eligible[job] = sim->now;
	if (!gated) /* It sets key and estimate before the job is queued. */
		report_policy(sim, &(struct sl_event){ sim->now, SL_EV_SUBMIT, job });
	if (sim->submitted <= job)
		sim->submitted = job + 1;
	if (sim->eligibility)
		sim->gated[job] = gated;
	if (!gated)
		queue_put(sim, job);
}

static void table_cancelled(struct sim *sim, uint32_t job, enum sl_state state)
{
	table_ended(sim, job, state);
	if (!is_gated(sim, job))
		report_policy(sim, &(struct sl_event){ sim->now, SL_EV_CANCEL, job });
}

static void table_deferred(struct sim *sim, uint32_t job, bool off)
{
	if (off)
		queue_take(sim, job);
	sim->deferred[job] = off ? SL_NEVER : SL_NONE;
	if (!off)
		queue_put(sim, job);
}

static void history_list(struct sim *sim, const struct history_event *event)
{
	const struct sl_event reported = { event->time, (enum sl_event_class)event->class, event->row };
	sim->now = event->time;
	if (event->class == DIGEST_GATED) {
		table_submitted(sim, event->row, true);
		return;
	}
	if (event->class == DIGEST_DEADLINE) {
		table_cancelled(sim, event->row, SL_DEADLINE);
		return;
	}
	if (event->class >= DIGEST_DRAIN) {
		if (event->class >= DIGEST_DEFERRED)
			table_deferred(sim, event->row, event->class == DIGEST_DEFERRED);
		return;
	}
	if (event->class >= DIGEST_END) {
		table_failed(sim, event);
		return;
	}
	if (event->class >= SL_EV_CLASS_COUNT) {
		table_command(sim, event);
		return;
	}
	switch (reported.class) {
	case SL_EV_SUBMIT:
		table_submitted(sim, event->row, false);
		return;
	case SL_EV_TIMER:
		return; /* Of the policy that was there; this one has its own. */
	case SL_EV_JOB_END:
		table_ended(sim, event->row, SL_COMPLETED);
		break;
	case SL_EV_TIME_LIMIT:
		table_ended(sim, event->row, SL_TIMEOUT);
		break;
	case SL_EV_CANCEL:
		table_cancelled(sim, event->row, SL_CANCELLED);
		return;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
	case SL_EV_RESERVATION:
	case SL_EV_MODEL:
	case SL_EV_CLASS_COUNT:
		break;
	}
	report_policy(sim, &reported);
}

int history_table(struct sim *sim, const struct history_event *event, size_t count, sl_time until)
{
	const sl_time now = sim->now;
	const struct evq events = sim->events;
	struct evq expiring = { 0 };
	sim->events = (struct evq){ 0 }; /* Collects the timers that the policy sets. */
	sim->expiring = &expiring;
	for (size_t i = 0; i < count && !sim->status; i++) {
		table_timers(sim, event[i].time, history_class(event[i].class));
		history_list(sim, &event[i]);
	}
	table_timers(sim, until, SL_EV_CLASS_COUNT);
	struct evq timers = sim->events;
	sim->events = events;
	while (timers.count && !sim->status) { /* Those still to come. */
		const struct ev ev = evq_pop(&timers);
		pass_failed(sim, evq_push(&sim->events, ev.time, SL_EV_TIMER, ev.row, &sim->err));
	}
	evq_release(&timers);
	evq_release(&expiring);
	sim->expiring = NULL;
	sim->now = now;
	return sim->status;
}

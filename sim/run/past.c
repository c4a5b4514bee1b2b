/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * past.c - what happened, noted as it happens, and shown to a policy that comes later.
 *
 * A policy keeps what it knows of the past (run times of users, usage) from the
 * events that it is told. One that takes over is told them all again, in their
 * order and at their times, with the jobs as they were then, and what was done
 * to them (on_past); commands do nothing, passes are not shown. So its keys,
 * estimates and ledgers are what they would be if it had watched.
 */
#include "sim/run/engine.h"

int past_note(struct sl_pass *pass, sl_time at, unsigned class, uint32_t row)
{
	const int status = SL_GROW(pass->past, pass->past_capacity, pass->past_count + 1, &pass->err);
	if (!status)
		pass->past[pass->past_count++] =
			(struct past_event){ .time = at, .row = row, .class = class };
	return status;
}

int past_happens(struct sl_pass *pass, unsigned class, uint32_t row)
{
	if (pass->options.record & SIM_RECORD_WATCHED)
		pass->options.watch->happened(pass->options.watch->self, pass, class, row);
	return pass->options.record & SIM_RECORD_PAST ? past_note(pass, pass->now, class, row) : SL_OK;
}

/* ---- Estimates that run out ------------------------------------------------------------ */

/* As note_overrun: of a job that runs on past it. */
static void expires(struct sl_pass *pass, uint32_t job)
{
	const sl_time estimate = pass->estimate[job];
	if (!(pass->uses & SL_USE_EXPIRY) || estimate >= length_of(pass, job, NULL))
		return;
	const int status = evq_push(
		pass->expiring, time_after(pass->start[job], estimate), SL_EV_TIMER, job, &pass->err);
	if (status)
		pass_failed(pass, status);
}

void past_estimate(struct sl_pass *pass, uint32_t job, sl_time estimate)
{
	SL_CHECK(time_after(pass->start[job], estimate) > pass->now);
	pass->estimate_own[job] = estimate;
	expires(pass, job);
}

static bool comes_before(
	const struct sl_pass *pass, const struct ev *timer, sl_time time, unsigned class, bool expiry)
{
	if (!timer || timer->time > time)
		return false;
	return timer->time < time || class > SL_EV_TIMER || (expiry && pass->scenario->rules.submits_first);
}

/* Timers that come before an event of that class and time. */
static void show_timers(struct sl_pass *pass, sl_time time, unsigned class)
{
	while (!pass->status) {
		const struct ev *own = evq_top(&pass->events);
		const struct ev *expiry = evq_top(pass->expiring);
		const bool own_comes = comes_before(pass, own, time, class, false);
		const bool expiry_comes = comes_before(pass, expiry, time, class, true);
		if (!own_comes && !expiry_comes)
			return;
		const bool first = expiry_comes && (!own_comes || expiry->time <= own->time);
		const struct ev ev = evq_pop(first ? pass->expiring : &pass->events);
		pass->now = ev.time;
		tell_policy(pass, &(struct sl_event){ ev.time, SL_EV_TIMER, ev.row });
	}
}

/* ---- Events ------------------------------------------------------------------------------ */

static void show_ended(struct sl_pass *pass, uint32_t job, enum sl_state state)
{
	if (is_waiting(pass, job))
		queue_take(pass, job);
	pass->end[job] = pass->now;
	pass->job_state[job] = (uint8_t)state;
}

static void show_started(struct sl_pass *pass, uint32_t job)
{
	queue_take(pass, job);
	pass->start[job] = pass->now; /* Of the attempt. */
	pass->job_state[job] = SL_RUNNING;
	expires(pass, job);
}

static void show_preempted(struct sl_pass *pass, uint32_t job, enum sl_preempt how)
{
	switch (how) {
	case SL_PREEMPT_REQUEUE:
	case SL_PREEMPT_CHECKPOINT:
		pass->job_state[job] = SL_PENDING;
		queue_put(pass, job);
		break;
	case SL_PREEMPT_SUSPEND:
		pass->job_state[job] = SL_SUSPENDED;
		break;
	case SL_PREEMPT_CANCEL:
	case SL_PREEMPT_COUNT:
		show_ended(pass, job, SL_PREEMPTED);
		break;
	}
}

static void tell_command(struct sl_pass *pass, uint32_t job, enum sl_past what, enum sl_preempt how)
{
	if (pass->policy->on_past)
		pass->policy->on_past(pass->state, pass, (sl_job){ job }, what, how);
}

/* A model had a job fail, for good or to wait again. */
static void show_failed(struct sl_pass *pass, const struct past_event *event)
{
	const bool again = event->class >= DIGEST_AGAIN;
	const enum sl_state as = (enum sl_state)(event->class - (again ? DIGEST_AGAIN : DIGEST_END));
	show_ended(pass, event->row, as);
	tell_policy(pass, &(struct sl_event){ pass->now, again ? SL_EV_MODEL : SL_EV_JOB_END, event->row });
	if (!again)
		return;
	pass->end[event->row] = SL_NONE;
	pass->job_state[event->row] = SL_PENDING;
	queue_put(pass, event->row);
}

/* What is no event of the loop: the commands of passes. */
static void show_command(struct sl_pass *pass, const struct past_event *event)
{
	enum sl_past what = SL_PAST_RESIZE;
	enum sl_preempt how = SL_PREEMPT_COUNT;
	if (event->class == SL_EV_CLASS_COUNT) {
		what = SL_PAST_START;
		show_started(pass, event->row);
	} else if (event->class < DIGEST_RESUME) {
		what = SL_PAST_PREEMPT;
		how = (enum sl_preempt)(event->class - DIGEST_PREEMPT);
		show_preempted(pass, event->row, how);
	} else if (event->class == DIGEST_RESUME) {
		what = SL_PAST_RESUME;
		pass->job_state[event->row] = SL_RUNNING;
	}
	tell_command(pass, event->row, what, how);
}

/* Submitted, or let in later: only then is it news. */
static void show_submitted(struct sl_pass *pass, uint32_t job, bool gated)
{
	if (!gated) /* It sets key and estimate before the job is queued. */
		tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_SUBMIT, job });
	if (pass->submitted <= job)
		pass->submitted = job + 1;
	if (pass->gates)
		pass->gated[job] = gated;
	if (!gated)
		queue_put(pass, job);
}

static void show_cancelled(struct sl_pass *pass, uint32_t job, enum sl_state state)
{
	show_ended(pass, job, state);
	if (!is_gated(pass, job))
		tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_CANCEL, job });
}

static void show_put_off(struct sl_pass *pass, uint32_t job, bool off)
{
	if (off)
		queue_take(pass, job);
	pass->put_off[job] = off ? SL_NEVER : SL_NONE;
	if (!off)
		queue_put(pass, job);
}

static void show(struct sl_pass *pass, const struct past_event *event)
{
	const struct sl_event told = { event->time, (enum sl_event_class)event->class, event->row };
	pass->now = event->time;
	if (event->class == DIGEST_GATED) {
		show_submitted(pass, event->row, true);
		return;
	}
	if (event->class == DIGEST_DEADLINE) {
		show_cancelled(pass, event->row, SL_DEADLINE);
		return;
	}
	if (event->class >= DIGEST_DRAIN) {
		if (event->class >= DIGEST_PUT_OFF)
			show_put_off(pass, event->row, event->class == DIGEST_PUT_OFF);
		return;
	}
	if (event->class >= DIGEST_END) {
		show_failed(pass, event);
		return;
	}
	if (event->class >= SL_EV_CLASS_COUNT) {
		show_command(pass, event);
		return;
	}
	switch (told.class) {
	case SL_EV_SUBMIT:
		show_submitted(pass, event->row, false);
		return;
	case SL_EV_TIMER:
		return; /* Of the policy that was there; this one has its own. */
	case SL_EV_JOB_END:
		show_ended(pass, event->row, SL_COMPLETED);
		break;
	case SL_EV_TIME_LIMIT:
		show_ended(pass, event->row, SL_TIMEOUT);
		break;
	case SL_EV_CANCEL:
		show_cancelled(pass, event->row, SL_CANCELLED);
		return;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
	case SL_EV_RESERVATION:
	case SL_EV_MODEL:
	case SL_EV_CLASS_COUNT:
		break;
	}
	tell_policy(pass, &told);
}

int past_show(struct sl_pass *pass, const struct past_event *event, size_t count, sl_time until)
{
	const sl_time now = pass->now;
	const struct evq events = pass->events;
	struct evq expiring = { 0 };
	pass->events = (struct evq){ 0 }; /* Takes the timers that the policy asks for. */
	pass->expiring = &expiring;
	for (size_t i = 0; i < count && !pass->status; i++) {
		show_timers(pass, event[i].time, past_class(event[i].class));
		show(pass, &event[i]);
	}
	show_timers(pass, until, SL_EV_CLASS_COUNT);
	struct evq timers = pass->events;
	pass->events = events;
	while (timers.count && !pass->status) { /* Those still to come. */
		const struct ev ev = evq_pop(&timers);
		pass_failed(pass, evq_push(&pass->events, ev.time, SL_EV_TIMER, ev.row, &pass->err));
	}
	evq_release(&timers);
	evq_release(&expiring);
	pass->expiring = NULL;
	pass->now = now;
	return pass->status;
}

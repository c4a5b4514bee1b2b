/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.c - the loop.
 *
 * Instant by instant: the next time at which anything happens is looked for, what idles until then is
 * integrated, the clock goes there. An instant is rounds, until one leaves nothing behind:
 * 1. its events, in the order of their classes: ends, limits, cancellations, submissions and whoever is let
 * in, timers;
 * 2. one pass of the policy, if anything in the round needs one (enum needs_pass);
 * 3. the models are settled: they hear what happened, and rates take effect.
 * Under rules.pass_per_event each event has its pass at once, and 2. is for what is due alone.
 */
#include <stdio.h>

#include "sim/run/models.h"

enum { PASSES_MAX = 1000, REPORT_EVERY = 4096 };

/* ---- Events ---------------------------------------------------------------------------------- */

static void cancel_at(struct sl_pass *pass, uint32_t job, sl_time at)
{
	if (at == SL_NONE)
		return;
	const int status =
		evq_push(&pass->events, at > pass->now ? at : pass->now, SL_EV_CANCEL, job, &pass->err);
	pass_failed(pass, status);
}

void cancel_later(struct sl_pass *pass, uint32_t job)
{
	if (pass->jobs->cancel)
		cancel_at(pass, job, pass->jobs->cancel[job]);
	if (pass->gates)
		cancel_at(pass, job, gates_deadline(pass, job));
	if (room_refuses(pass, job))
		cancel_at(pass, job, pass->now);
}

/* Into the queue. */
static void enter(struct sl_pass *pass, uint32_t job, bool kept)
{
	if (is_controlled(pass))
		pass->eligible[job] = pass->now;
	/* Shown before it is queued: the policy sets its key and estimate now. */
	tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_SUBMIT, job });
	if (job == pass->submitted)
		pass->submitted = job + 1;
	if (pass->gates)
		gates_enter(pass, job);
	else if (pass->feedback)
		pass->gated[job] = 0;
	queue_job(pass, job);
	if (kept || pass->reason_default != pass->reason_first)
		reason_changes(pass, pass->now, job, pass->reason_default, 0);
}

/* Submitted now, or before and let in now. Returns what it is for the digest. */
static unsigned on_submit(struct sl_pass *pass, uint32_t job)
{
	const bool fresh = pass->feedback ? feedback_comes(pass, job) : job == pass->submitted;
	const bool kept = fresh && pass->gates && !gates_submit(pass, job);
	if (!kept)
		enter(pass, job, !fresh);
	else if (!pass->feedback)
		pass->submitted = job + 1;
	if (fresh)
		cancel_later(pass, job);
	return kept ? DIGEST_GATED : SL_EV_SUBMIT;
}

/* Its user's cancellation, not its deadline. */
static bool is_cancelled(const struct sl_pass *pass, uint32_t job)
{
	return pass->jobs->cancel && pass->jobs->cancel[job] != SL_NONE &&
	       pass->jobs->cancel[job] <= pass->now;
}

/* In the queue, or not let in yet. */
static bool is_pending(const struct sl_pass *pass, uint32_t job)
{
	return job < pass->submitted && pass->job_state[job] == SL_PENDING;
}

/* It never could run: told once for all. */
static bool is_refused(struct sl_pass *pass, uint32_t job)
{
	const char *why = pass->start[job] == SL_NONE ? room_refuses(pass, job) : NULL;
	if (why)
		note_refused(pass, job, why);
	return why != NULL;
}

/* Returns what it is for the digest. */
static unsigned on_cancel(struct sl_pass *pass, uint32_t job)
{
	if (!is_pending(pass, job)) {
		end_job(pass, job, SL_CANCELLED);
		return SL_EV_CANCEL;
	}
	const bool cancelled = is_refused(pass, job) || is_cancelled(pass, job);
	if (is_waiting(pass, job))
		unqueue_job(pass, job);
	pass->end[job] = pass->now;
	pass->job_state[job] = cancelled ? SL_CANCELLED : SL_DEADLINE;
	pass->ended++;
	others_hear(pass, job);
	return cancelled ? SL_EV_CANCEL : DIGEST_DEADLINE;
}

/* A deadline is of jobs that have not started. */
static bool still_cancels(const struct sl_pass *pass, uint32_t job)
{
	if (!is_cancelled(pass, job))
		return is_pending(pass, job) && pass->start[job] == SL_NONE;
	return is_running(pass, job) || pass->job_state[job] == SL_SUSPENDED || is_pending(pass, job);
}

/* With models an event is replaced, perhaps by one of the other class at the same time. */
static bool is_cut(const struct sl_pass *pass, const struct ev *ev)
{
	return pass->models && ev->class == SL_EV_TIME_LIMIT;
}

/* False if it was overtaken: the job was cancelled or preempted before its end. */
static bool still_holds(const struct sl_pass *pass, const struct ev *ev)
{
	switch ((enum sl_event_class)ev->class) {
	case SL_EV_JOB_END:
	case SL_EV_TIME_LIMIT:
		return is_running(pass, ev->row) &&
		       (!pass->course || (pass->course[ev->row].due == ev->time &&
						 pass->course[ev->row].cut == is_cut(pass, ev)));
	case SL_EV_CANCEL:
		return still_cancels(pass, ev->row);
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
	case SL_EV_RESERVATION:
	case SL_EV_MODEL:
	case SL_EV_SUBMIT:
	case SL_EV_TIMER:
	case SL_EV_CLASS_COUNT:
		return true;
	}
	return true;
}

static bool apply(struct sl_pass *pass, const struct ev *ev)
{
	unsigned class = ev->class; /* For the digest. */
	if (!still_holds(pass, ev))
		return false;
	switch ((enum sl_event_class)ev->class) {
	case SL_EV_JOB_END:
		end_job(pass, ev->row, SL_COMPLETED);
		break;
	case SL_EV_TIME_LIMIT:
		end_job(pass, ev->row, SL_TIMEOUT);
		break;
	case SL_EV_CANCEL:
		class = on_cancel(pass, ev->row);
		break;
	case SL_EV_SUBMIT:
		class = on_submit(pass, ev->row);
		break;
	case SL_EV_RESERVATION:
		if (!pass->nodes)
			window_edge(pass, ev->row);
		break;
	case SL_EV_TIMER:
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
	case SL_EV_MODEL:
	case SL_EV_CLASS_COUNT:
		break;
	}
	/* When a controller looks again is not what it decides. */
	if (ev->class != SL_EV_TIMER || !is_controlled(pass))
		pass_digest(pass, class, ev->row);
	/* What never was in the queue is nothing to a policy. */
	if (ev->class != SL_EV_SUBMIT && !(ev->class == SL_EV_CANCEL && is_gated(pass, ev->row)))
		tell_policy(pass, &(struct sl_event){ pass->now, (enum sl_event_class)ev->class, ev->row });
	if (pass->options.check)
		check_state(pass);
	return true;
}

/* ---- The events of one instant --------------------------------------------------------------- */

static bool is_end(uint32_t class) { return class == SL_EV_JOB_END || class == SL_EV_TIME_LIMIT; }

/* rules.early: all ends of the instant are taken out, in the order of the starts; what is also expected to
 * end by now is free at once. */
static void gather_ends(struct sl_pass *pass)
{
	pass->ending_count = pass->ending_next = 0;
	const struct ev *top;
	while ((top = evq_top(&pass->events)) && top->time == pass->now && is_end(top->class)) {
		const struct ev ev = evq_pop(&pass->events);
		const int status = SL_GROW_MOST(
			pass->ending, pass->ending_capacity, pass->ending_count + 1, UINT32_MAX, &pass->err);
		if (status) {
			pass_failed(pass, status);
			return;
		}
		size_t place = pass->ending_count++;
		for (; place && pass->ending[place - 1].ev.seq > ev.seq; place--)
			pass->ending[place] = pass->ending[place - 1];
		pass->ending[place] = (struct ending){ ev, false };
	}
	for (size_t i = 0; i < pass->ending_count; i++) {
		struct ending *ending = &pass->ending[i];
		if (!still_holds(pass, &ending->ev) || expected_end(pass, ending->ev.row) > pass->now)
			continue;
		if (pass->models && pass->models->may_hold)
			continue; /* Perhaps it holds on. */
		room_give(pass, ending->ev.row);
		ending->freed = true;
	}
}

/* When the next job is submitted, and which. */
static sl_time submission_next(struct sl_pass *pass, uint32_t *job)
{
	if (pass->feedback)
		return feedback_next(pass, job);
	*job = pass->submitted;
	return *job < pass->jobs->count ? pass->jobs->submit[*job] : SL_NEVER;
}

/* Who is let in now (gates.h), or submitted; UINT32_MAX: nobody. */
static uint32_t let_in(struct sl_pass *pass, uint32_t submit)
{
	const uint32_t job = gates_pop(pass);
	if (job != UINT32_MAX)
		return job;
	return submit != UINT32_MAX ? submit : gates_pop_array(pass);
}

/* The next event at `now`, from the job table or the queues. */
static bool next_event(struct sl_pass *pass, struct ev *ev)
{
	const struct sim_rules *rules = &pass->scenario->rules;
	const struct ev *expiry = evq_top(&pass->expiries);
	const struct ev *top = evq_top(&pass->events);
	uint32_t job;
	const bool submit = submission_next(pass, &job) == pass->now;
	if (expiry && expiry->time == pass->now) {
		*ev = evq_pop(&pass->expiries);
		return true;
	}
	if (submit && rules->submits_first) {
		*ev = (struct ev){ pass->now, 0, SL_EV_SUBMIT, job };
		return true;
	}
	if (pass->ending_next < pass->ending_count) {
		*ev = pass->ending[pass->ending_next].ev;
		return true;
	}
	const bool now = top && top->time == pass->now;
	if (now && top->class < SL_EV_SUBMIT) {
		*ev = evq_pop(&pass->events);
		return true;
	}
	job = submit ? job : UINT32_MAX;
	if (pass->gates)
		job = let_in(pass, job);
	if (job != UINT32_MAX)
		*ev = (struct ev){ pass->now, 0, SL_EV_SUBMIT, job };
	else if (now)
		*ev = evq_pop(&pass->events);
	return now || job != UINT32_MAX;
}

/* One of rules.early's ends was handled. */
static void ending_done(struct sl_pass *pass, const struct ev *ev)
{
	if (pass->ending_next < pass->ending_count && is_end(ev->class) &&
		pass->ending[pass->ending_next].ev.seq == ev->seq)
		pass->ending_next++;
	if (pass->ending_next == pass->ending_count)
		pass->ending_count = pass->ending_next = 0;
}

sl_time next_instant(struct sl_pass *pass)
{
	sl_time next = pass->wake;
	if (pass->models && models_over(pass))
		return SL_NEVER;
	const struct ev *top = evq_top(&pass->events);
	if (top && top->time < next)
		next = top->time;
	top = evq_top(&pass->expiries);
	if (top && top->time < next)
		next = top->time;
	uint32_t job;
	const sl_time submission = submission_next(pass, &job);
	next = submission < next ? submission : next;
	if (pass->gates && gates_next(pass) < next)
		next = gates_next(pass);
	if (pass->uses & SL_USE_PROMISES) {
		sl_time due = promise_next(pass);
		while (due <= pass->now && pass->passes) { /* It had its pass, and was left to wait. */
			(void)evq_pop(&pass->due);
			due = promise_next(pass);
		}
		next = due < next ? due : next;
	}
	return next;
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* The policy's pass, which must close what it opened. */
static void decide(struct sl_pass *pass)
{
	const uint32_t marks = pass->marks;
	pass->policy->pass(pass->state, pass);
	if (pass->marks == marks)
		return;
	pass_failed(pass, sl_fail(&pass->err, SL_POLICY, "policy '%s' left a pass with a mark open",
				  pass->policy->name));
	pass->marks = marks;
}

/* From its beginning, or from a question that is answered now, to its end. */
static int finish_pass(struct sl_pass *pass)
{
	pass->asks = false;
	decide(pass);
	if (pass->asks && !pass->status)
		return SIM_ASKS;
	if (pass->status == SL_INTERRUPTED) /* In the midst of it: as if it had not begun. */
		pass_take_back(pass);
	const int status = pass_commit(pass);
	if (!status && pass->options.check)
		check_state(pass);
	return status;
}

static int run_pass(struct sl_pass *pass)
{
	pass->passes++;
	pass_begin(pass);
	if (pass->options.check) {
		const uint64_t before = check_digest(pass);
		const sl_marked mark = sl_mark(pass);
		decide(pass);
		sl_undo(pass, mark);
		if (!pass->status)
			SL_CHECK(check_digest(pass) == before); /* Undone is as if never done. */
	}
	return finish_pass(pass);
}

static int alternates(struct sl_pass *pass)
{
	char last[200] = "";
	if (pass->head.job != UINT32_MAX)
		(void)snprintf(last, sizeof(last), "; job %lld is first in the queue",
			(long long)pass->jobs->id[pass->head.job]);
	return sl_fail(&pass->err, SL_POLICY,
		"policy '%s' makes events without end at %lld us: %d passes at one instant%s",
		pass->policy->name, (long long)pass->now, PASSES_MAX, last);
}

/* ---- Does this round need a pass? ------------------------------------------------------------ */

/* A policy asked for a pass now, or a promise is due. */
static bool pass_is_due(struct sl_pass *pass)
{
	return pass->wake <= pass->now || (pass->uses & SL_USE_PROMISES && promise_next(pass) <= pass->now);
}

static bool gate_opens(const struct sl_pass *pass) { return pass->gates && gates_next(pass) <= pass->now; }

/* As a round begins: with models an instant may be nobody's but theirs, and then there is no pass. */
static unsigned needs_at_first(struct sl_pass *pass)
{
	if (!pass->models)
		return NEEDS_ROUND;
	const unsigned asked = pass->needs_pass & NEEDS_ASKED;
	return asked | (asked ? NEEDS_MODEL : 0) | (pass_is_due(pass) ? NEEDS_DUE : 0) |
	       (gate_opens(pass) ? NEEDS_OPENING : 0);
}

/* When its events have happened. */
static bool needs_at_last(struct sl_pass *pass)
{
	const unsigned needs = pass->needs_pass;
	if (needs & NEEDS_SERVED || !(needs & NEEDS_CAUSES))
		return false;
	return !(needs & NEEDS_OWN) || pass_is_due(pass);
}

/* rules.pass_per_event, of an event that was applied or not: does it have a pass of its own? An estimate that
 * runs out changes the plan, but has none. */
static bool needs_own(struct sl_pass *pass, const struct ev *ev, bool applied)
{
	if (!pass->scenario->rules.pass_per_event)
		return false;
	const bool own = applied && !(ev->class == SL_EV_TIMER && pass->uses & SL_USE_EXPIRY);
	pass->needs_pass &= ~(unsigned)NEEDS_SERVED;
	pass->needs_pass |= NEEDS_OWN | (own ? NEEDS_SERVED : 0);
	return own;
}

/* ---- An instant ------------------------------------------------------------------------------ */

/* A model's timer: only what comes of it is anything to policies. */
static bool take_timer(struct sl_pass *pass, uint32_t row)
{
	models_timer(pass, row);
	if (pass->options.check)
		check_state(pass);
	if (!(pass->needs_pass & NEEDS_ASKED))
		return false;
	pass->needs_pass |= NEEDS_MODEL;
	return true;
}

/* With models: is the event theirs alone? Their timers are, and an end that one of them holds on to; and an
 * end that was replaced as rates changed is nothing to policies. */
static bool is_of_models(struct sl_pass *pass, const struct ev *ev, bool *applied)
{
	*applied = ev->class == SL_EV_MODEL && take_timer(pass, ev->row);
	if (ev->class == SL_EV_MODEL)
		return true;
	const bool holds = still_holds(pass, ev);
	if (holds && ev->class == SL_EV_JOB_END && models_hold(pass, ev->row))
		return true;
	if (holds || !is_end(ev->class) || !(rates_replaced(pass, ev) || pass->course[ev->row].finished))
		pass->needs_pass |= NEEDS_EVENT;
	return false;
}

/* The events at `now`, each with its pass where it has one of its own. */
static int run_events(struct sl_pass *pass)
{
	struct ev ev;
	while (next_event(pass, &ev)) {
		if (!(++pass->polls % 1024))
			pass_poll(pass);
		bool applied;
		if (!pass->models || !is_of_models(pass, &ev, &applied))
			applied = apply(pass, &ev);
		ending_done(pass, &ev);
		if (!needs_own(pass, &ev, applied))
			continue;
		const int status = pass->status ? pass->status : run_pass(pass);
		if (status)
			return status;
	}
	return pass->status;
}

/* All events at `now`, then the pass if they need one; or the rest of it, from a question on. */
static int run_round(struct sl_pass *pass)
{
	struct sim_instant *in = &pass->instant;
	if (in->at != INSTANT_NEW) { /* The pass that asked goes on. */
		const int status = finish_pass(pass);
		if (status || in->at == INSTANT_PASSED)
			return status;
	} else {
		pass->needs_pass = needs_at_first(pass);
		if (pass->scenario->rules.early)
			gather_ends(pass);
	}
	in->at = INSTANT_EVENTS;
	const int status = run_events(pass);
	if (status)
		return status;
	in->at = INSTANT_PASSED;
	in->needed |= pass->needs_pass & NEEDS_CAUSES;
	return needs_at_last(pass) ? run_pass(pass) : SL_OK;
}

/* The round left more to be done at `now`: events, a wake, a gate, or what the models settle. */
static bool more_happens(struct sl_pass *pass)
{
	const struct ev *top = evq_top(&pass->events);
	return (top && top->time == pass->now) || pass->wake == pass->now || gate_opens(pass) ||
	       (pass->models && models_settle(pass));
}

/* Everything that happens at `now`, round by round, or what is left of it. SIM_ASKS: up to a question. */
static int run_instant(struct sl_pass *pass)
{
	struct sim_instant *in = &pass->instant;
	if (in->at == INSTANT_NEW) {
		*in = (struct sim_instant){ 0 };
		if (pass->nodes)
			nodes_clock(pass->nodes, pass->now);
	}
	do {
		if (in->rounds == PASSES_MAX)
			return alternates(pass);
		const int status = run_round(pass);
		if (status)
			return status;
		in->rounds++;
		in->at = INSTANT_NEW;
	} while (more_happens(pass));
	return pass->status;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void report(struct sl_pass *pass)
{
	struct sim_progress *progress = pass->options.progress;
	if (!progress)
		return;
	atomic_store_explicit(&progress->events, pass->events_applied, memory_order_relaxed);
	atomic_store_explicit(&progress->jobs_ended, pass->ended, memory_order_relaxed);
	atomic_store_explicit(&progress->now, pass->now, memory_order_relaxed);
	atomic_store_explicit(&progress->queued, pass->queue.count, memory_order_relaxed);
}

static void record(struct sl_pass *pass)
{
	if (pass->options.record & SIM_RECORD_USAGE)
		usage_record(pass);
	if (pass->gauge_count)
		gauges_record(pass);
}

/* The instant that stopped at a question, else the next. */
static sl_time loop_next(struct sl_pass *pass)
{
	return pass->instant.at != INSTANT_NEW ? pass->now : next_instant(pass);
}

int sim_loop(struct sl_pass *pass, sl_time until)
{
	if (pass->status) /* It failed before, perhaps inside an instant. */
		return pass->status;
	for (sl_time next; (next = loop_next(pass)) != SL_NEVER && next <= until;) {
		SL_CHECK(next >= pass->now || !pass->passes); /* Time goes on. */
		if (pass->instant.at == INSTANT_NEW)
			integrate(pass, next);
		pass->now = next;
		const int status = run_instant(pass);
		if (status)
			return status;
		if (pass->instant.needed)
			record(pass);
		if (pass->events_applied + pass->passes - pass->reported >= REPORT_EVERY) {
			pass->reported = pass->events_applied + pass->passes;
			report(pass);
		}
		pass_poll(pass); /* At once: policies may have heard of it. */
		if (pass->status)
			return pass->status;
	}
	report(pass);
	return pass->status;
}

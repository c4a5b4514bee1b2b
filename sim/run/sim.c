/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.c - the event loop.
 *
 * Instant by instant: the next time at which anything happens is looked for, what idles until then is
 * integrated, the clock goes there. An instant is rounds, until one leaves nothing behind:
 * 1. its events, in the order of their classes: ends, limits, cancellations, submissions and released jobs,
 * timers;
 * 2. one pass of the policy, if anything in the round needs one (enum needs_pass);
 * 3. the models are settled: they get what happened, and speeds take effect.
 * Under rules.pass_per_event each event has its pass at once, and 2. is for what is due alone.
 */
#include <stdio.h>

#include "sim/run/models.h"
#include "sim/run/plain.h"

enum { PASSES_MAX = 1000, REPORT_EVERY = 4096 };

/* ---- Events ---------------------------------------------------------------------------------- */

static void cancel_at(struct sim *sim, uint32_t job, sl_time at)
{
	if (at == SL_NONE)
		return;
	const int status =
		evq_push(&sim->events, at > sim->now ? at : sim->now, SL_EV_CANCEL, job, &sim->err);
	pass_failed(sim, status);
}

void cancel_later(struct sim *sim, uint32_t job)
{
	if (sim->jobs->cancel)
		cancel_at(sim, job, sim->jobs->cancel[job]);
	if (sim->eligibility)
		cancel_at(sim, job, eligibility_deadline(sim, job));
	if (allocation_refuses(sim, job))
		cancel_at(sim, job, sim->now);
}

/* When that row is submitted. */
SL_INLINED sl_time submit_of(const struct sim *sim, uint32_t job)
{
	return job < sim->jobs->count ? sim->jobs->submit[job] : SL_NEVER;
}

/* Into the queue. */
SL_INLINED void sim_enter(struct sim *sim, uint32_t job, bool kept, const bool plain)
{
	if (!plain && is_controlled(sim))
		sim->eligible[job] = sim->now;
	/* Reported before it is queued: the policy sets its key and estimate now. */
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_SUBMIT, job });
	if (job == sim->submitted)
		sim->submitted = job + 1;
	if (plain)
		sim->submits_at = submit_of(sim, job + 1);
	if (!plain && sim->eligibility)
		eligibility_enter(sim, job);
	else if (!plain && sim->feedback)
		sim->gated[job] = 0;
	if (plain)
		queue_put_of(sim, job, true);
	else
		queue_job(sim, job);
	if (kept || sim->reason_default != sim->reason_first)
		reason_changes(sim, sim->now, job, sim->reason_default, 0);
}

/* Submitted now, or before and released now. Returns its class for the digest. */
SL_INLINED unsigned on_submit(struct sim *sim, uint32_t job, const bool plain)
{
	const bool fresh = !plain && sim->feedback ? feedback_comes(sim, job) : job == sim->submitted;
	const bool kept = !plain && fresh && sim->eligibility && !eligibility_submit(sim, job);
	if (!kept)
		sim_enter(sim, job, !fresh, plain);
	else if (!sim->feedback)
		sim->submitted = job + 1;
	if (fresh && (!plain || sim->jobs->cancel))
		cancel_later(sim, job);
	return kept ? DIGEST_GATED : SL_EV_SUBMIT;
}

/* Its user's cancellation, not its deadline. */
static bool is_cancelled(const struct sim *sim, uint32_t job)
{
	return sim->jobs->cancel && sim->jobs->cancel[job] != SL_NONE && sim->jobs->cancel[job] <= sim->now;
}

/* In the queue, or not eligible yet. */
static bool is_pending(const struct sim *sim, uint32_t job)
{
	return job < sim->submitted && sim->job_state[job] == SL_PENDING;
}

/* It never could run: reported once for all. */
static bool is_refused(struct sim *sim, uint32_t job)
{
	const char *why = sim->start[job] == SL_NONE ? allocation_refuses(sim, job) : NULL;
	if (why)
		note_refused(sim, job, why);
	return why != NULL;
}

/* Returns what it is for the digest. */
static unsigned on_cancel(struct sim *sim, uint32_t job)
{
	if (!is_pending(sim, job)) {
		end_job(sim, job, SL_CANCELLED);
		return SL_EV_CANCEL;
	}
	const bool cancelled = is_refused(sim, job) || is_cancelled(sim, job);
	if (is_waiting(sim, job))
		unqueue_job(sim, job);
	sim->end[job] = sim->now;
	sim->job_state[job] = cancelled ? SL_CANCELLED : SL_DEADLINE;
	sim->ended++;
	others_hear(sim, job);
	return cancelled ? SL_EV_CANCEL : DIGEST_DEADLINE;
}

/* A deadline is of jobs that have not started. */
static bool still_cancels(const struct sim *sim, uint32_t job)
{
	if (!is_cancelled(sim, job))
		return is_pending(sim, job) && sim->start[job] == SL_NONE;
	return is_running(sim, job) || sim->job_state[job] == SL_SUSPENDED || is_pending(sim, job);
}

/* With models an event is replaced, perhaps by one of the other class at the same time. */
static bool is_cut(const struct sim *sim, const struct ev *ev)
{
	return sim->models && ev->class == SL_EV_TIME_LIMIT;
}

/* False if it was overtaken: the job was cancelled or preempted before its end. */
SL_INLINED bool still_holds_of(const struct sim *sim, const struct ev *ev, const bool plain)
{
	switch ((enum sl_event_class)ev->class) {
	case SL_EV_JOB_END:
	case SL_EV_TIME_LIMIT:
		return is_running(sim, ev->row) &&
		       (plain || !sim->progress ||
			       (sim->progress[ev->row].due == ev->time &&
				       sim->progress[ev->row].cut == is_cut(sim, ev)));
	case SL_EV_CANCEL:
		return still_cancels(sim, ev->row);
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

static bool still_holds(const struct sim *sim, const struct ev *ev) { return still_holds_of(sim, ev, false); }

SL_INLINED bool sim_apply(struct sim *sim, const struct ev *ev, const bool plain)
{
	unsigned class = ev->class; /* For the digest. */
	if (!still_holds_of(sim, ev, plain))
		return false;
	switch ((enum sl_event_class)ev->class) {
	case SL_EV_JOB_END:
		end_job_of(sim, ev->row, SL_COMPLETED, plain);
		break;
	case SL_EV_TIME_LIMIT:
		end_job_of(sim, ev->row, SL_TIMEOUT, plain);
		break;
	case SL_EV_CANCEL:
		class = on_cancel(sim, ev->row);
		break;
	case SL_EV_SUBMIT:
		class = on_submit(sim, ev->row, plain);
		break;
	case SL_EV_RESERVATION:
		if (plain || !sim->nodes)
			window_boundary(sim, ev->row);
		break;
	case SL_EV_TIMER:
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
	case SL_EV_MODEL:
	case SL_EV_CLASS_COUNT:
		break;
	}
	/* When a controller looks again is not what it decides. */
	if (plain || ev->class != SL_EV_TIMER || !is_controlled(sim))
		digest_fold_of(sim, class, ev->row, plain);
	/* What never was in the queue is nothing to a policy. */
	if (ev->class != SL_EV_SUBMIT && (plain || !(ev->class == SL_EV_CANCEL && is_gated(sim, ev->row))))
		report_policy(sim, &(struct sl_event){ sim->now, (enum sl_event_class)ev->class, ev->row });
	if (sim->options.check)
		check_state(sim);
	return true;
}

/* ---- The events of one instant --------------------------------------------------------------- */

static bool is_end(uint32_t class) { return class == SL_EV_JOB_END || class == SL_EV_TIME_LIMIT; }

/* rules.early: all ends of the instant are removed, in the order of the starts; what is also expected to
 * end by now is free at once. */
static void gather_ends(struct sim *sim)
{
	sim->ending_count = sim->ending_next = 0;
	const struct ev *top;
	while ((top = evq_top(&sim->events)) && top->time == sim->now && is_end(top->class)) {
		const struct ev ev = evq_pop(&sim->events);
		const int status = SL_GROW_MOST(
			sim->ending, sim->ending_capacity, sim->ending_count + 1, UINT32_MAX, &sim->err);
		if (status) {
			pass_failed(sim, status);
			return;
		}
		size_t place = sim->ending_count++;
		for (; place && sim->ending[place - 1].ev.seq > ev.seq; place--)
			sim->ending[place] = sim->ending[place - 1];
		sim->ending[place] = (struct ending){ ev, false };
	}
	for (size_t i = 0; i < sim->ending_count; i++) {
		struct ending *ending = &sim->ending[i];
		if (!still_holds(sim, &ending->ev) || expected_end(sim, ending->ev.row) > sim->now)
			continue;
		if (sim->models && sim->models->may_hold)
			continue; /* Perhaps a model has it keep its allocation. */
		allocation_release(sim, ending->ev.row);
		ending->freed = true;
	}
}

/* When the next job is submitted, and which. */
SL_INLINED sl_time submission_next(struct sim *sim, uint32_t *job, const bool plain)
{
	if (!plain && sim->feedback)
		return feedback_next(sim, job);
	*job = sim->submitted;
	return plain ? sim->submits_at : submit_of(sim, *job);
}

/* The job released now (eligibility.h), or submitted; UINT32_MAX: none. */
static uint32_t released(struct sim *sim, uint32_t submit)
{
	const uint32_t job = eligibility_pop(sim);
	if (job != UINT32_MAX)
		return job;
	return submit != UINT32_MAX ? submit : eligibility_pop_array(sim);
}

/* The next event at `now`, from the job table or the queues. */
SL_INLINED bool next_event(struct sim *sim, struct ev *ev, const bool plain)
{
	const struct sim_rules *rules = &sim->scenario->rules;
	const struct ev *expiry = plain ? NULL : evq_top(&sim->expiries);
	const struct ev *top = evq_top(&sim->events);
	uint32_t job;
	const bool submit = submission_next(sim, &job, plain) == sim->now;
	if (expiry && expiry->time == sim->now) {
		*ev = evq_pop(&sim->expiries);
		return true;
	}
	if (!plain && submit && rules->submits_first) {
		*ev = (struct ev){ sim->now, 0, SL_EV_SUBMIT, job };
		return true;
	}
	if (!plain && sim->ending_next < sim->ending_count) {
		*ev = sim->ending[sim->ending_next].ev;
		return true;
	}
	const bool now = top && top->time == sim->now;
	if (now && top->class < SL_EV_SUBMIT) {
		*ev = evq_pop(&sim->events);
		return true;
	}
	job = submit ? job : UINT32_MAX;
	if (!plain && sim->eligibility)
		job = released(sim, job);
	if (job != UINT32_MAX)
		*ev = (struct ev){ sim->now, 0, SL_EV_SUBMIT, job };
	else if (now)
		*ev = evq_pop(&sim->events);
	return now || job != UINT32_MAX;
}

/* One of rules.early's ends was handled. */
static void ending_done(struct sim *sim, const struct ev *ev)
{
	if (sim->ending_next < sim->ending_count && is_end(ev->class) &&
		sim->ending[sim->ending_next].ev.seq == ev->seq)
		sim->ending_next++;
	if (sim->ending_next == sim->ending_count)
		sim->ending_count = sim->ending_next = 0;
}

SL_INLINED sl_time next_instant_of(struct sim *sim, const bool plain)
{
	sl_time next = sim->wake;
	if (!plain && sim->models && models_over(sim))
		return SL_NEVER;
	const struct ev *top = evq_top(&sim->events);
	if (top && top->time < next)
		next = top->time;
	top = plain ? NULL : evq_top(&sim->expiries);
	if (top && top->time < next)
		next = top->time;
	uint32_t job;
	const sl_time submission = submission_next(sim, &job, plain);
	next = submission < next ? submission : next;
	if (!plain && sim->eligibility && eligibility_next(sim) < next)
		next = eligibility_next(sim);
	if (!plain && sim->uses & SL_USE_PROMISES) {
		sl_time due = promise_next(sim);
		while (due <= sim->now && sim->passes) { /* It had its pass, and was left to wait. */
			(void)evq_pop(&sim->due);
			due = promise_next(sim);
		}
		next = due < next ? due : next;
	}
	return next;
}

sl_time next_instant(struct sim *sim) { return next_instant_of(sim, false); }

/* ---- A pass ---------------------------------------------------------------------------------- */

static void fail_marked(struct sim *sim, uint32_t marks)
{
	pass_failed(sim,
		sl_fail(&sim->err, SL_POLICY, "policy '%s' left a pass with a mark open", sim->policy->name));
	sim->marks = marks;
}

/* The policy's pass, which must close what it opened. */
SL_INLINED void decide(struct sim *sim)
{
	const uint32_t marks = sim->marks;
	sim->policy->pass(sim->state, sim);
	if (sim->marks == marks)
		return;
	fail_marked(sim, marks);
}

/* From its beginning, or from a question that is answered now, to its end. */
SL_INLINED int finish_pass(struct sim *sim, const bool plain)
{
	sim->asks = false;
	decide(sim);
	if (sim->asks && !sim->status)
		return SIM_ASKS;
	if (sim->status == SL_INTERRUPTED) /* In the midst of it: as if it had not begun. */
		pass_take_back(sim);
	const int status = pass_commit_of(sim, plain);
	if (!status && sim->options.check)
		check_state(sim);
	return status;
}

/* --check: undone is as if never done. */
static void try_pass(struct sim *sim)
{
	const uint64_t before = check_digest(sim);
	const sl_marked mark = sl_mark(sim);
	decide(sim);
	sl_undo(sim, mark);
	if (!sim->status)
		SL_CHECK(check_digest(sim) == before);
}

SL_INLINED int run_pass(struct sim *sim, const bool plain)
{
	sim->passes++;
	pass_begin_of(sim, plain);
	if (sim->options.check)
		try_pass(sim);
	return finish_pass(sim, plain);
}

static int alternates(struct sim *sim)
{
	char last[200] = "";
	if (sim->head.job != UINT32_MAX)
		(void)snprintf(last, sizeof(last), "; job %lld is first in the queue",
			(long long)sim->jobs->id[sim->head.job]);
	return sl_fail(&sim->err, SL_POLICY,
		"policy '%s' makes events without end at %lld us: %d passes at one instant%s",
		sim->policy->name, (long long)sim->now, PASSES_MAX, last);
}

/* ---- Does this round need a pass? ------------------------------------------------------------ */

/* A policy requested a pass now, or a promise is due. */
static bool pass_is_due(struct sim *sim)
{
	return sim->wake <= sim->now || (sim->uses & SL_USE_PROMISES && promise_next(sim) <= sim->now);
}

static bool job_eligibility_opens(const struct sim *sim)
{
	return sim->eligibility && eligibility_next(sim) <= sim->now;
}

/* As a round begins: with models an instant may concern them alone, and then there is no pass. */
SL_INLINED unsigned needs_at_first(struct sim *sim, const bool plain)
{
	if (plain || !sim->models)
		return NEEDS_ROUND;
	const unsigned asked = sim->needs_pass & NEEDS_ASKED;
	return asked | (asked ? NEEDS_MODEL : 0) | (pass_is_due(sim) ? NEEDS_DUE : 0) |
	       (job_eligibility_opens(sim) ? NEEDS_OPENING : 0);
}

/* When its events have happened. */
static bool needs_at_last(struct sim *sim)
{
	const unsigned needs = sim->needs_pass;
	if (needs & NEEDS_SERVED || !(needs & NEEDS_CAUSES))
		return false;
	return !(needs & NEEDS_OWN) || pass_is_due(sim);
}

/* rules.pass_per_event, of an event that was applied or not: does it have a pass of its own? An estimate that
 * runs out changes the plan, but has none. */
static bool needs_own(struct sim *sim, const struct ev *ev, bool applied)
{
	if (!sim->scenario->rules.pass_per_event)
		return false;
	const bool own = applied && !(ev->class == SL_EV_TIMER && sim->uses & SL_USE_EXPIRY);
	sim->needs_pass &= ~(unsigned)NEEDS_SERVED;
	sim->needs_pass |= NEEDS_OWN | (own ? NEEDS_SERVED : 0);
	return own;
}

/* ---- An instant ------------------------------------------------------------------------------ */

/* A model's timer: only what comes of it is anything to policies. */
static bool take_timer(struct sim *sim, uint32_t row)
{
	models_timer(sim, row);
	if (sim->options.check)
		check_state(sim);
	if (!(sim->needs_pass & NEEDS_ASKED))
		return false;
	sim->needs_pass |= NEEDS_MODEL;
	return true;
}

/* With models: is the event theirs alone? Their timers are, and an end that one of them defers; and an
 * end that was replaced as rates changed is nothing to policies. */
static bool is_of_models(struct sim *sim, const struct ev *ev, bool *applied)
{
	*applied = ev->class == SL_EV_MODEL && take_timer(sim, ev->row);
	if (ev->class == SL_EV_MODEL)
		return true;
	const bool holds = still_holds(sim, ev);
	if (holds && ev->class == SL_EV_JOB_END && models_defer(sim, ev->row))
		return true;
	if (holds || !is_end(ev->class) || !(speeds_replaced(sim, ev) || sim->progress[ev->row].finished))
		sim->needs_pass |= NEEDS_EVENT;
	return false;
}

/* The events at `now`, each with its pass where it has one of its own. */
SL_INLINED int run_events(struct sim *sim, const bool plain)
{
	struct ev ev;
	while (next_event(sim, &ev, plain)) {
		if (!(++sim->polls % 1024))
			pass_poll(sim);
		bool applied;
		if (plain || !sim->models || !is_of_models(sim, &ev, &applied))
			applied = sim_apply(sim, &ev, plain);
		if (plain)
			continue;
		ending_done(sim, &ev);
		if (sim->status) /* A policy that hears of it may wait for now, again and again. */
			return sim->status;
		if (!needs_own(sim, &ev, applied))
			continue;
		const int status = run_pass(sim, plain);
		if (status)
			return status;
	}
	return sim->status;
}

/* All events at `now`, then the pass if they need one; or the rest of it, from a question on. */
SL_INLINED int run_round(struct sim *sim, const bool plain)
{
	struct sim_instant *in = &sim->instant;
	if (in->at != INSTANT_NEW) { /* The pass with the question goes on. */
		const int status = finish_pass(sim, plain);
		if (status || in->at == INSTANT_PASSED)
			return status;
	} else {
		sim->needs_pass = needs_at_first(sim, plain);
		if (!plain && sim->scenario->rules.early)
			gather_ends(sim);
	}
	in->at = INSTANT_EVENTS;
	const int status = run_events(sim, plain);
	if (status)
		return status;
	in->at = INSTANT_PASSED;
	in->needed |= sim->needs_pass & NEEDS_CAUSES;
	return plain || needs_at_last(sim) ? run_pass(sim, plain) : SL_OK;
}

/* The round left more to be done at `now`: events, a wake, a released job, or what the models settle. */
SL_INLINED bool more_happens(struct sim *sim, const bool plain)
{
	const struct ev *top = evq_top(&sim->events);
	return (top && top->time == sim->now) || sim->wake == sim->now ||
	       (!plain && (job_eligibility_opens(sim) || (sim->models && models_settle(sim))));
}

/* Everything that happens at `now`, round by round, or what is left of it. SIM_ASKS: up to a question. */
SL_INLINED int run_instant(struct sim *sim, const bool plain)
{
	struct sim_instant *in = &sim->instant;
	if (in->at == INSTANT_NEW) {
		*in = (struct sim_instant){ 0 };
		if (!plain && sim->nodes)
			nodes_clock(sim->nodes, sim->now);
	}
	do {
		if (in->rounds == PASSES_MAX)
			return alternates(sim);
		const int status = run_round(sim, plain);
		if (status)
			return status;
		in->rounds++;
		in->at = INSTANT_NEW;
	} while (more_happens(sim, plain));
	return sim->status;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void sim_report(struct sim *sim)
{
	struct sim_progress *progress = sim->options.progress;
	if (!progress)
		return;
	atomic_store_explicit(&progress->events, sim->events_applied, memory_order_relaxed);
	atomic_store_explicit(&progress->jobs_ended, sim->ended, memory_order_relaxed);
	atomic_store_explicit(&progress->now, sim->now, memory_order_relaxed);
	atomic_store_explicit(&progress->queued, sim->queue.count, memory_order_relaxed);
}

static void record(struct sim *sim)
{
	if (sim->options.record & SIM_RECORD_USAGE)
		usage_record(sim);
	if (sim->gauge_count)
		gauges_record(sim);
}

/* The instant that stopped at a question, else the next. */
SL_INLINED sl_time loop_next(struct sim *sim, const bool plain)
{
	return sim->instant.at != INSTANT_NEW ? sim->now : next_instant_of(sim, plain);
}

SL_INLINED int loop_of(struct sim *sim, sl_time until, const bool plain)
{
	for (sl_time next; (next = loop_next(sim, plain)) != SL_NEVER && next <= until;) {
		SL_CHECK(next >= sim->now || !sim->passes); /* Time goes on. */
		if (sim->instant.at == INSTANT_NEW)
			integrate_of(sim, next, plain);
		sim->now = next;
		const int status = run_instant(sim, plain);
		if (status)
			return status;
		if (sim->instant.needed)
			record(sim);
		if (sim->events_applied + sim->passes - sim->reported >= REPORT_EVERY) {
			sim->reported = sim->events_applied + sim->passes;
			sim_report(sim);
		}
		poll_of(sim); /* At once: policies may have heard of it. */
		if (sim->status)
			return sim->status;
	}
	sim_report(sim);
	return sim->status;
}

static bool is_plain(const struct sim *sim)
{
	const struct sim_rules *rules = &sim->scenario->rules;
	return !sim->nodes && !sim->models && !sim->lanes && !sim->progress && !sim->eligibility &&
	       !sim->feedback && !sim->gated && !sim->deferred &&
	       !(sim->uses & (SL_USE_PROMISES | SL_USE_FILL | SL_USE_CONTROL)) && !rules->early &&
	       !rules->submits_first && !rules->pass_per_event;
}

int sim_loop(struct sim *sim, sl_time until)
{
	if (sim->status) /* It failed before, perhaps inside an instant. */
		return sim->status;
	sim->plain = is_plain(sim);
	sim->submits_at = submit_of(sim, sim->submitted);
	const int status = sim->plain ? loop_of(sim, until, true) : loop_of(sim, until, false);
	sim->plain = false;
	return status;
}

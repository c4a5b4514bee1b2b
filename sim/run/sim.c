/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.c - the loop. At each instant: all events in class order, then one pass, and again while the pass makes
 * events at the same instant.
 */
#include <stdio.h>

#include "sim/run/models.h"

enum { PASSES_MAX = 1000, REPORT_EVERY = 4096 };

/* ---- Events -------------------------------------------------------------------- */

void tell_policy(struct sl_pass *pass, const struct sl_event *event)
{
	if (pass->policy->on_event)
		pass->policy->on_event(pass->state, pass, event);
}

static void cancel_at(struct sl_pass *pass, uint32_t job, sl_time at)
{
	if (at == SL_NONE)
		return;
	const int status =
		evq_push(&pass->events, at > pass->now ? at : pass->now, SL_EV_CANCEL, job, &pass->err);
	if (status)
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

void finish_job(struct sl_pass *pass, uint32_t job, enum sl_event_class class)
{
	end_job(pass, job, class == SL_EV_JOB_END ? SL_COMPLETED : SL_TIMEOUT);
	pass_digest(pass, class, job);
	tell_policy(pass, &(struct sl_event){ pass->now, class, job });
	if (pass->options.check)
		check_state(pass);
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

/* ---- The events of one instant ------------------------------------------------------------ */

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

/* ---- Instants ---------------------------------------------------------------------- */

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

/* rules.pass_per_event: an estimate that runs out changes the plan, but calls for no pass of its own. */
static bool calls_for_pass(const struct sl_pass *pass, const struct ev *ev)
{
	return pass->scenario->rules.pass_per_event &&
	       !(ev->class == SL_EV_TIMER && pass->uses & SL_USE_EXPIRY);
}

/* A policy asked for a pass now, or a promise is due. */
static bool pass_is_due(struct sl_pass *pass)
{
	return pass->wake <= pass->now || (pass->uses & SL_USE_PROMISES && promise_next(pass) <= pass->now);
}

/* With models an instant may be nobody's but theirs: then there is no pass. Something else calls for one? */
static bool is_called(struct sl_pass *pass)
{
	return !pass->models || pass->models->stirred || pass_is_due(pass) ||
	       (pass->gates && gates_next(pass) <= pass->now);
}

/* A model's timer: only what comes of it is anything to policies, and calls for a pass. */
static bool apply_model(struct sl_pass *pass, const struct ev *ev)
{
	models_timer(pass, ev->row);
	if (pass->options.check)
		check_state(pass);
	return pass->models->stirred;
}

/* With models: an event that is theirs, or an end after which one has the job hold on. Any other calls for a
 * pass, unless it is an end that was replaced. */
static bool is_of_models(struct sl_pass *pass, const struct ev *ev, bool *applied, bool *called)
{
	if (ev->class == SL_EV_MODEL) {
		*applied = apply_model(pass, ev);
		*called = *called || *applied;
		return true;
	}
	const bool holds = still_holds(pass, ev);
	if (holds && ev->class == SL_EV_JOB_END && models_hold(pass, ev->row))
		return true;
	if (holds || !is_end(ev->class) || !(rates_replaced(pass, ev) || pass->course[ev->row].finished))
		*called = true;
	return false;
}

/* The events at `now`, each with its pass where it has one. */
static int run_events(struct sl_pass *pass, struct halted *in)
{
	struct ev ev;
	in->at = INSTANT_EVENTS;
	while (next_event(pass, &ev)) {
		bool applied = false;
		if (!(++pass->polls % 1024))
			pass_poll(pass);
		if (!pass->models || !is_of_models(pass, &ev, &applied, &in->called))
			applied = apply(pass, &ev);
		ending_done(pass, &ev);
		in->passed = applied && calls_for_pass(pass, &ev);
		in->quiet = pass->scenario->rules.pass_per_event;
		if (!in->passed)
			continue;
		const int status = pass->status ? pass->status : run_pass(pass);
		if (status)
			return status;
	}
	return pass->status;
}

/* Something is left to be done at `now`. */
static bool goes_on(struct sl_pass *pass, struct halted *in)
{
	in->silent = in->silent && !in->called;
	const struct ev *top = evq_top(&pass->events);
	const bool again = (top && top->time == pass->now) || pass->wake == pass->now ||
			   (pass->gates && gates_next(pass) <= pass->now);
	return again || (pass->models && models_settle(pass, in->silent));
}

/* All events and their pass; or the rest of it, from a question on. */
static int run_round(struct sl_pass *pass, struct halted *in)
{
	int status = in->at == INSTANT_NEW ? SL_OK : finish_pass(pass);
	if (status)
		return status;
	if (in->at == INSTANT_NEW) {
		in->passed = in->quiet = false;
		in->called = is_called(pass);
		if (pass->scenario->rules.early)
			gather_ends(pass);
	}
	if (in->at != INSTANT_PASSED)
		status = run_events(pass, in);
	if (status || in->at == INSTANT_PASSED)
		return status;
	in->at = INSTANT_PASSED;
	const bool due = !in->passed && in->called && (!in->quiet || pass_is_due(pass));
	return due ? run_pass(pass) : SL_OK;
}

/* Everything that happens at `now`, or what is left of it. SIM_ASKS: up to a question. */
static int run_instant(struct sl_pass *pass)
{
	struct halted *in = &pass->instant;
	if (in->at == INSTANT_NEW) {
		*in = (struct halted){ .silent = true };
		if (pass->nodes)
			nodes_clock(pass->nodes, pass->now);
	}
	do {
		if (in->passes == PASSES_MAX)
			return alternates(pass);
		const int status = run_round(pass, in);
		if (status)
			return status;
		in->passes++;
		in->at = INSTANT_NEW;
	} while (goes_on(pass, in));
	return pass->status;
}

static int64_t total_of(const struct sl_pass *pass, uint32_t kind)
{
	return pass->nodes ? nodes_total(pass->nodes, kind) : pass->cluster.cpus;
}

static int64_t busy_of(const struct sl_pass *pass, uint32_t kind)
{
	int64_t closed = pass->nodes ? 0 : pass->cluster.cpus_closed;
	if (pass->models && pass->nodes)
		closed = nodes_shut_free(pass->nodes, kind);
	return total_of(pass, kind) - room_idle(pass, kind) - closed;
}

static int64_t gpus_busy(const struct sl_pass *pass)
{
	int64_t busy = 0;
	for (uint32_t kind = SL_KIND_GPUS; pass->nodes && kind < pass->info->kind_count; kind++)
		busy += busy_of(pass, kind);
	return busy;
}

/* A controller that looks each second finds mostly what was there before. */
static bool is_as_before(const struct sl_pass *pass, const struct sl_usage_point *point)
{
	const struct sl_usage_point *last = pass->usage_count ? &pass->usage[pass->usage_count - 1] : NULL;
	return last && is_controlled(pass) && last->cpus_busy == point->cpus_busy &&
	       last->cpus_queued == point->cpus_queued && last->running == point->running &&
	       last->queued == point->queued && last->gpus_busy == point->gpus_busy &&
	       last->gpus_queued == point->gpus_queued && last->mem_busy == point->mem_busy &&
	       last->nodes_busy == point->nodes_busy && last->suspended == point->suspended;
}

static void record_usage(struct sl_pass *pass)
{
	const struct sl_usage_point point = {
		.at = pass->now,
		.cpus_busy = busy_of(pass, SL_KIND_CPUS),
		.cpus_queued = pass->cpus_queued,
		.running = pass->running,
		.queued = pass->queue.count,
		.gpus_busy = gpus_busy(pass),
		.gpus_queued = pass->gpus_queued,
		.mem_busy = pass->nodes ? busy_of(pass, SL_KIND_MEM) : 0,
		.nodes_busy = pass->nodes ? nodes_busy(pass->nodes) : 0,
		.suspended = pass->suspended,
	};
	if (is_as_before(pass, &point))
		return;
	const int status = SL_GROW(pass->usage, pass->usage_capacity, pass->usage_count + 1, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->usage[pass->usage_count++] = point;
}

/* What is given out more than once is not idle for that. */
static int64_t idle_cpus(const struct sl_pass *pass)
{
	if (pass->overcommit <= 1 || !pass->nodes)
		return room_idle(pass, SL_KIND_CPUS);
	const int64_t idle = pass->cluster.cpus - busy_of(pass, SL_KIND_CPUS);
	return idle > 0 ? idle : 0;
}

void idle_counts(struct sl_pass *pass)
{
	for (size_t i = 0; i < RESOURCES; i++) {
		pass->idle[i].fitting += pass->tail[i].fitting;
		pass->idle[i].wanted += pass->tail[i].wanted;
		pass->tail[i] = (struct idle_sum){ 0 };
	}
}

/* Of GPUs of all types; of memory, where all nodes name theirs. */
static int64_t idle_more(const struct sl_pass *pass, enum resource resource)
{
	int64_t idle = 0;
	if (resource == OF_MEM)
		return pass->info->mem ? room_idle(pass, SL_KIND_MEM) : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < pass->info->kind_count; kind++)
		idle += room_idle(pass, kind);
	return idle;
}

/* What idles until the next instant: some waiting job would have fitted, or at least some would have been
 * used. */
static void integrate_idle(struct sl_pass *pass, uint64_t length)
{
	const int64_t queued[RESOURCES] = { pass->cpus_queued, pass->gpus_queued, pass->mem_queued };
	struct idle_sum *sum = pass->running ? pass->idle : pass->tail;
	int64_t idle[RESOURCES] = { idle_cpus(pass) };
	unsigned set = 0;
	for (enum resource i = OF_CPUS; i < RESOURCES; i++) {
		if (i != OF_CPUS && pass->nodes && queued[i])
			idle[i] = idle_more(pass, i);
		set |= idle[i] > 0 ? 1U << i : 0;
	}
	const unsigned found = !set          ? 0
			       : pass->nodes ? room_fitting(pass, set)
					     : (unsigned)room_any_fits(pass) << OF_CPUS;
	for (enum resource i = OF_CPUS; i < RESOURCES; i++) {
		const int64_t wanted = idle[i] < queued[i] ? idle[i] : queued[i];
		if (!(set >> i & 1))
			continue;
		sum[i].wanted += (unsigned __int128)length * (uint64_t)wanted;
		if (found >> i & 1)
			sum[i].fitting += (unsigned __int128)length * (uint64_t)idle[i];
	}
}

void integrate(struct sl_pass *pass, sl_time until)
{
	if (!pass->passes) {
		pass->accounted = until; /* It begins. */
		return;
	}
	const uint64_t length = (uint64_t)(until - pass->accounted);
	pass->accounted = until;
	if (pass->nodes || pass->course ||
		pass->options.record & SIM_RECORD_PAST) /* Who takes over may preempt. */
		for (uint32_t kind = 0; kind < pass->info->kind_count; kind++)
			pass->busy[kind] += (unsigned __int128)length * (uint64_t)busy_of(pass, kind);
	if (pass->running)
		idle_counts(pass);
	if (pass->queue.count)
		integrate_idle(pass, length);
}

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
		record_usage(pass);
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
		if (!pass->models || !pass->models->silent)
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.c - the loop. At each instant: all events in class order, then one pass, and again while the pass makes
 * events at the same instant.
 */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/pass.h"

enum { PASSES_MAX = 1000, REPORT_EVERY = 4096 };

struct engine {
	struct sl_pass pass;
	struct sl_arena *arena;
};

/* ---- Events -------------------------------------------------------------------- */

static void tell_policy(struct sl_pass *pass, const struct sl_event *event)
{
	if (pass->policy->on_event)
		pass->policy->on_event(pass->state, pass, event);
}

static void on_submit(struct sl_pass *pass, uint32_t job)
{
	/* Shown before it is queued: the policy sets its key and estimate now. */
	tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_SUBMIT, job });
	pass->submitted = job + 1;
	queue_job(pass, job);
	if (pass->jobs->cancel && pass->jobs->cancel[job] != SL_NONE) {
		const sl_time at = pass->jobs->cancel[job];
		const int status = evq_push(
			&pass->events, at > pass->now ? at : pass->now, SL_EV_CANCEL, job, &pass->err);
		if (status)
			pass_failed(pass, status);
	}
}

static void on_cancel(struct sl_pass *pass, uint32_t job)
{
	if (is_waiting(pass, job)) {
		unqueue_job(pass, job);
		pass->end[job] = pass->now;
		pass->job_state[job] = SL_CANCELLED;
		pass->ended++;
	} else if (is_running(pass, job) || pass->job_state[job] == SL_SUSPENDED) {
		end_job(pass, job, SL_CANCELLED);
	}
}

/* False if it was overtaken: the job was cancelled or preempted before its end. */
static bool still_holds(const struct sl_pass *pass, const struct ev *ev)
{
	switch ((enum sl_event_class)ev->class) {
	case SL_EV_JOB_END:
	case SL_EV_TIME_LIMIT:
		return is_running(pass, ev->row) && (!pass->course || pass->course[ev->row].due == ev->time);
	case SL_EV_CANCEL:
		return is_running(pass, ev->row) || pass->job_state[ev->row] == SL_SUSPENDED ||
		       is_waiting(pass, ev->row);
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
		on_cancel(pass, ev->row);
		break;
	case SL_EV_SUBMIT:
		on_submit(pass, ev->row);
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
	pass_digest(pass, ev->class, ev->row);
	if (ev->class != SL_EV_SUBMIT)
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
		const int status = grow((void **)&pass->ending, &pass->ending_capacity, sizeof(*pass->ending),
			pass->ending_count + 1, UINT32_MAX, &pass->err);
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
		room_give(pass, ending->ev.row);
		ending->freed = true;
	}
}

/* The next event at `now`, from the job table or the queues. */
static bool next_event(struct sl_pass *pass, struct ev *ev)
{
	const struct sl_jobs *jobs = pass->jobs;
	const struct sim_rules *rules = &pass->scenario->rules;
	const struct ev *expiry = evq_top(&pass->expiries);
	const struct ev *top = evq_top(&pass->events);
	const bool submit = pass->submitted < jobs->count && jobs->submit[pass->submitted] == pass->now;
	if (expiry && expiry->time == pass->now) {
		*ev = evq_pop(&pass->expiries);
		return true;
	}
	if (submit && rules->submits_first) {
		*ev = (struct ev){ pass->now, 0, SL_EV_SUBMIT, pass->submitted };
		return true;
	}
	if (pass->ending_next < pass->ending_count) {
		*ev = pass->ending[pass->ending_next].ev;
		return true;
	}
	if (top && top->time == pass->now && (!submit || top->class < SL_EV_SUBMIT)) {
		*ev = evq_pop(&pass->events);
		return true;
	}
	*ev = (struct ev){ pass->now, 0, SL_EV_SUBMIT, pass->submitted };
	return submit;
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

static sl_time next_instant(struct sl_pass *pass)
{
	sl_time next = pass->wake;
	const struct ev *top = evq_top(&pass->events);
	if (top && top->time < next)
		next = top->time;
	top = evq_top(&pass->expiries);
	if (top && top->time < next)
		next = top->time;
	if (pass->submitted < pass->jobs->count && pass->jobs->submit[pass->submitted] < next)
		next = pass->jobs->submit[pass->submitted];
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
	decide(pass);
	const int status = pass_commit(pass);
	if (!status && pass->options.check)
		check_state(pass);
	return status;
}

static int alternates(struct sl_pass *pass)
{
	char last[200] = "";
	if (pass->head != UINT32_MAX)
		(void)snprintf(last, sizeof(last), "; job %lld is first in the queue",
			(long long)pass->jobs->id[pass->head]);
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

/* Everything that happens at `now`. */
static int run_instant(struct sl_pass *pass)
{
	bool again = true;
	if (pass->nodes)
		nodes_clock(pass->nodes, pass->now);
	for (int passes = 0; again; passes++) {
		if (passes == PASSES_MAX)
			return alternates(pass);
		struct ev ev;
		bool passed = false;
		bool quiet = false; /* What happened calls for no pass. */
		if (pass->scenario->rules.early)
			gather_ends(pass);
		while (next_event(pass, &ev)) {
			const bool applied = apply(pass, &ev);
			ending_done(pass, &ev);
			passed = applied && calls_for_pass(pass, &ev);
			quiet = pass->scenario->rules.pass_per_event;
			if (passed && (pass->status || run_pass(pass)))
				return pass->status;
		}
		if (pass->status)
			return pass->status;
		if (!passed && (!quiet || pass_is_due(pass)) && run_pass(pass))
			return pass->status;
		const struct ev *top = evq_top(&pass->events);
		again = (top && top->time == pass->now) || pass->wake == pass->now;
	}
	return SL_OK;
}

static int64_t total_of(const struct sl_pass *pass, uint32_t kind)
{
	return pass->nodes ? nodes_total(pass->nodes, kind) : pass->cluster.cpus;
}

static int64_t busy_of(const struct sl_pass *pass, uint32_t kind)
{
	return total_of(pass, kind) - room_idle(pass, kind) - (pass->nodes ? 0 : pass->cluster.cpus_closed);
}

static int64_t gpus_busy(const struct sl_pass *pass)
{
	int64_t busy = 0;
	for (uint32_t kind = SL_KIND_GPUS; pass->nodes && kind < pass->info->kind_count; kind++)
		busy += busy_of(pass, kind);
	return busy;
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
	const int status = grow((void **)&pass->usage, &pass->usage_capacity, sizeof(point),
		pass->usage_count + 1, SIZE_MAX / 64, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->usage[pass->usage_count++] = point;
}

/* Idle cpus until the next instant: some waiting job would have fitted, or at least some would have been
 * used. */
static void integrate(struct sl_pass *pass, sl_time until)
{
	const uint64_t length = (uint64_t)(until - pass->now);
	if (pass->nodes || pass->course)
		for (uint32_t kind = 0; kind < pass->info->kind_count; kind++)
			pass->busy[kind] += (unsigned __int128)length * (uint64_t)busy_of(pass, kind);
	const int64_t idle = room_idle(pass, SL_KIND_CPUS);
	if (!idle || !pass->queue.count)
		return;
	const int64_t wanted = idle < pass->cpus_queued ? idle : pass->cpus_queued;
	pass->idle_wanted += (unsigned __int128)length * (uint64_t)wanted;
	if (room_any_fits(pass))
		pass->idle_fitting += (unsigned __int128)length * (uint64_t)idle;
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

static bool stopped(const struct sl_pass *pass)
{
	return pass->options.stop && atomic_load_explicit(pass->options.stop, memory_order_relaxed);
}

static int loop(struct sl_pass *pass)
{
	uint64_t reported = 0;
	for (sl_time next; (next = next_instant(pass)) != SL_NEVER;) {
		if (pass->passes)
			integrate(pass, next);
		pass->now = next;
		const int status = run_instant(pass);
		if (status)
			return status;
		if (pass->options.record & SIM_RECORD_USAGE)
			record_usage(pass);
		if (pass->events_applied - reported >= REPORT_EVERY) {
			reported = pass->events_applied;
			report(pass);
			if (stopped(pass))
				return sl_fail(
					&pass->err, SL_INTERRUPTED, "interrupted: results are partial");
		}
	}
	report(pass);
	return pass->status;
}

/* ---- Begin and end ------------------------------------------------------------------- */

static int init_columns(struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t count = pass->jobs->count;
	pass->start = sl_alloc(pass->arena, count, sizeof(*pass->start));
	pass->end = sl_alloc(pass->arena, count, sizeof(*pass->end));
	pass->job_state = sl_alloc(pass->arena, count, sizeof(*pass->job_state));
	if (!pass->start || !pass->end || !pass->job_state)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		pass->start[i] = pass->end[i] = SL_NONE;
	return SL_OK;
}

static int init_policy(struct sl_pass *pass, struct sl_err *err)
{
	const struct policy_choice *choice = pass->options.choice;
	const struct sl_setup setup = {
		.arena = pass->arena,
		.jobs = pass->jobs,
		.cpus = pass->cluster.cpus,
		.seed = pass->options.seed,
		.values = choice->values,
		.value_count = choice->value_count,
		.overrun = pass->scenario->overrun,
		.pass = pass,
		.cluster = &pass->scenario->cluster,
	};
	pass->policy = choice->policy;
	const int status = pass->policy->init ? pass->policy->init(&pass->state, &setup, err) : SL_OK;
	if (status)
		return status;
	const int room = pass->status ? pass->status : room_init(pass, err);
	queue_init(&pass->queue, pass->jobs->size, pass->estimate, pass->key);
	queue_init(&pass->fill, pass->jobs->size, pass->estimate, pass->fill_key);
	queue_by_request(&pass->queue, pass->request, pass->request_class);
	queue_by_request(&pass->fill, pass->request, pass->request_class);
	return room;
}

/* The default: the lowest nodes that fit. */
static int64_t score_none(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static const struct sl_placing placing_first = { .name = "first", .score = score_none };

static int init_pass(struct sl_pass *pass, const struct sim_options *options, struct sl_err *err)
{
	const struct scenario *scenario = options->scenario;
	pass->scenario = scenario;
	pass->jobs = &scenario->jobs;
	pass->options = *options;
	pass->cluster = (struct cluster){ .cpus = scenario->cpus, .cpus_free = scenario->cpus };
	pass->info = &scenario->cluster;
	pass->request = scenario->jobs.request;
	pass->requests = scenario->jobs.requests;
	pass->request_count = scenario->jobs.request_count;
	pass->placing = &placing_first;
	pass->run_first = pass->run_last = UINT32_MAX;
	pass->estimate = scenario->jobs.limit;
	pass->reason_default = SL_REASON_PRIORITY;
	pass->settled = SL_NONE;
	pass->head = UINT32_MAX;
	pass->wake = SL_NEVER;
	profile_init(&pass->profile);
	int status = init_columns(pass, err);
	if (!status)
		status = evq_init(&pass->events, 1024, err);
	return status ? status : init_policy(pass, err);
}

/* Stable, by job: they were noted in time order. */
static int sort_reasons(struct sl_pass *pass)
{
	const uint32_t jobs = pass->jobs->count;
	if (!pass->reason_count)
		return SL_OK;
	size_t *place = calloc((size_t)jobs + 1, sizeof(*place));
	struct sl_reason_change *sorted = malloc(pass->reason_count * sizeof(*sorted));
	if (!place || !sorted) {
		free(place);
		free(sorted);
		return sl_fail_memory(&pass->err);
	}
	for (size_t i = 0; i < pass->reason_count; i++)
		place[pass->reason[i].job + 1]++;
	for (uint32_t job = 0; job < jobs; job++)
		place[job + 1] += place[job];
	for (size_t i = 0; i < pass->reason_count; i++)
		sorted[place[pass->reason[i].job]++] = pass->reason[i];
	free(place);
	free(pass->reason);
	pass->reason = sorted;
	return SL_OK;
}

static void fill_result(const struct sl_pass *pass, struct sl_result *result, bool interrupted)
{
	const struct sl_jobs *jobs = pass->jobs;
	sl_time last = interrupted ? pass->now : SL_NONE;
	for (uint32_t i = 0; i < jobs->count; i++)
		last = pass->end[i] > last ? pass->end[i] : last;
	const bool integrated = pass->nodes || pass->course;
	const sl_time first = jobs->count ? jobs->submit[0] : 0;
	*result = (struct sl_result){
		.jobs = jobs,
		.start = pass->start,
		.end = pass->end,
		.state = pass->job_state,
		.cpus = pass->cluster.cpus,
		.reasons = pass->reason,
		.reason_count = pass->reason_count,
		.reason_default = pass->reason_default,
		.usage = pass->usage,
		.usage_count = pass->usage_count,
		.idle_fitting = pass->idle_fitting,
		.idle_wanted = pass->idle_wanted,
		.first = first,
		.last = last > first ? last : first,
		.digest = pass->digest,
		.digests = pass->digests,
		.digest_count = pass->digest_count,
		.events = pass->events_applied,
		.passes = pass->passes,
		.interrupted = interrupted,
		.warmup = pass->scenario->warmup,
		.policy = pass->options.choice->text,
		.cluster = pass->info,
		.nodes_held = pass->nodes_held,
		.cpus_held = pass->cpus_held,
		.gpus_held = pass->gpus_held,
		.attempts = pass->attempt,
		.attempt_count = pass->attempt_count,
		.suspended = pass->suspended_total,
		.busy = integrated ? pass->busy : NULL,
		.place = pass->place,
		.place_first = pass->place_first,
		.place_count = pass->place_count,
	};
}

int sim_run(struct sim *sim, const struct sim_options *options, struct sl_err *err)
{
	*sim = (struct sim){ 0 };
	struct sl_arena *arena = arena_new();
	struct engine *engine = arena ? sl_alloc(arena, 1, sizeof(*engine)) : NULL;
	if (!engine) {
		arena_free(arena);
		return sl_fail_memory(err);
	}
	sim->engine = engine;
	engine->arena = arena;
	engine->pass.arena = arena;
	int status = init_pass(&engine->pass, options, err);
	if (!status)
		status = loop(&engine->pass);
	if (!status || status == SL_INTERRUPTED) {
		int sorted = sort_reasons(&engine->pass);
		if (!sorted)
			sorted = course_results(&engine->pass, &engine->pass.err);
		status = sorted ? sorted : status;
		fill_result(&engine->pass, &sim->result, status == SL_INTERRUPTED);
	}
	if (status && err->status == SL_OK)
		*err = engine->pass.err;
	return status;
}

void sim_release(struct sim *sim)
{
	if (!sim->engine)
		return;
	struct sl_pass *pass = &sim->engine->pass;
	if (pass->policy && pass->policy->release && pass->state)
		pass->policy->release(pass->state);
	queue_release(&pass->queue);
	queue_release(&pass->fill);
	profile_release(&pass->profile);
	evq_release(&pass->events);
	evq_release(&pass->overruns);
	evq_release(&pass->due);
	evq_release(&pass->expiries);
	nodes_free(pass->nodes);
	free(pass->ending);
	free(pass->window);
	free(pass->overdue);
	free(pass->course_kept);
	free(pass->attempt);
	free(pass->unpromised);
	free(pass->place);
	free(pass->freed_kept);
	free(pass->scratch);
	free(pass->action);
	free(pass->ledger);
	free(pass->reason);
	free(pass->usage);
	free(pass->digests);
	arena_free(sim->engine->arena);
	*sim = (struct sim){ 0 };
}

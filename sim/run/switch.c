/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * switch.c - another policy takes over: what runs runs on, everything that was the policy's own is made anew.
 *
 * What is the engine's stays: who runs where and since when, who waits, what is
 * reserved. The policy's are the columns of sl_use, keys and so the order of
 * the queue, estimates and so the expected ends of what runs, ledgers, timers,
 * promises. The new one is shown the past (past.c), and gets a pass at once.
 */
#include <stdlib.h>

#include "sim/run/models.h"

/* What the policy that takes over must not see, or what comes back after it. */
struct aside {
	sl_time *start, *end, *put_off;
	uint8_t *job_state, *gated;
	uint32_t submitted;
	struct course *course;
	sl_time *from; /* Of what runs, by row: where the plan had its end. */
};

/* ---- The old one goes ------------------------------------------------------------------------ */

/* What stands still was stopped for a reason of the old one's, and nobody might have it go on: it waits
 * instead, and keeps its work. */
static int requeue_suspended(struct sl_pass *pass)
{
	pass_begin(pass);
	for (uint32_t job = pass->run_first; job != UINT32_MAX;) {
		const uint32_t next = pass->course[job].next;
		if (pass->job_state[job] == SL_SUSPENDED)
			(void)sl_preempt(pass, (sl_job){ job }, SL_PREEMPT_CHECKPOINT);
		job = next;
	}
	return pass_commit(pass);
}

static bool is_no_timer(void *self, const struct ev *ev)
{
	(void)self;
	return ev->class != SL_EV_TIMER;
}

/* Plans, promises and the queue: nobody stands in them any more. */
static int empty_plan(struct sl_pass *pass, struct aside *aside, struct sl_err *err)
{
	aside->from = calloc((size_t)pass->running + 1, sizeof(*aside->from));
	if (!aside->from)
		return sl_fail_memory(err);
	size_t running = 0;
	for (uint32_t job = 0; job < pass->submitted; job++) {
		if (is_running(pass, job)) {
			aside->from[running++] = room_unplan(pass, job);
		} else if (is_waiting(pass, job)) {
			(void)promise_release(pass, job);
			queue_take(pass, job);
		}
	}
	evq_release(&pass->due);
	evq_release(&pass->overruns);
	evq_release(&pass->expiries);
	evq_keep(&pass->events, is_no_timer, NULL);
	pass->unpromised_count = 0;
	pass->freed = (struct freed){ .count = 0 };
	pass->promises_broken = false;
	return pass->status;
}

static void drop_policy(struct sl_pass *pass)
{
	if (pass->policy->release && pass->state)
		pass->policy->release(pass->state);
	pass->state = NULL;
	queue_release(&pass->queue);
	queue_release(&pass->fill);
	lanes_release(pass);
	pass->key = pass->fill_key = NULL;
	pass->promise = pass->estimate_own = NULL;
	pass->estimate = pass->jobs->limit;
	pass->course = NULL;
	pass->uses = 0;
	pass->ledger_count = 0;
	pass->head.job = UINT32_MAX;
	pass->wake = SL_NEVER;
}

/* ---- The new one comes ----------------------------------------------------------------------- */

static int columns_blank(struct sl_pass *pass, struct aside *aside, struct sl_err *err)
{
	const size_t count = (size_t)pass->jobs->count + 1;
	aside->start = pass->start;
	aside->end = pass->end;
	aside->job_state = pass->job_state;
	aside->submitted = pass->submitted;
	aside->gated = pass->gated;
	aside->put_off = pass->put_off;
	pass->gated = pass->gates ? calloc(count, sizeof(*pass->gated)) : NULL;
	if (aside->put_off)
		pass->put_off = malloc(count * sizeof(*pass->put_off));
	pass->start = malloc(count * sizeof(*pass->start));
	pass->end = malloc(count * sizeof(*pass->end));
	pass->job_state = calloc(count, sizeof(*pass->job_state));
	pass->submitted = 0;
	if (!pass->start || !pass->end || !pass->job_state || (pass->gates && !pass->gated) ||
		(aside->put_off && !pass->put_off))
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++)
		pass->start[i] = pass->end[i] = SL_NONE;
	for (size_t i = 0; pass->put_off && i < count; i++)
		pass->put_off[i] = SL_NONE;
	return SL_OK;
}

static void columns_back(struct sl_pass *pass, const struct aside *aside)
{
	free(pass->start);
	free(pass->end);
	free(pass->job_state);
	free(pass->gated);
	if (aside->put_off)
		free(pass->put_off);
	pass->gated = aside->gated;
	pass->put_off = aside->put_off;
	pass->start = aside->start;
	pass->end = aside->end;
	pass->job_state = aside->job_state;
	pass->submitted = aside->submitted;
}

/* All that happened, with the jobs as they were. */
static int show_past(struct sl_pass *pass, struct aside *aside, struct sl_err *err)
{
	int status = columns_blank(pass, aside, err);
	if (!status)
		status = past_show(pass, pass->past, pass->past_count, pass->now);
	columns_back(pass, aside);
	return status;
}

/* It decided what the engine else does, and knows of what was from its own decisions alone. */
static int fail_controlled(const struct policy_choice *choice, const char *what, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"policy '%s' has the say from a run's beginning to its end, and cannot %s in mid-run: let the run "
		"begin under the policy that is wanted",
		choice->text, what);
}

static int make_policy(
	struct sl_pass *pass, const struct policy_choice *choice, struct aside *aside, struct sl_err *err)
{
	int status = init_policy(pass, choice, err);
	if (!status && is_controlled(pass))
		status = fail_controlled(choice, "take over", err);
	if (!status && pass->uses & SL_USE_NODES && !pass->nodes)
		status = sl_fail(err, SL_USAGE,
			"policy '%s' tells nodes apart, and the run began under one that only counts them: let it begin "
			"under one that does too",
			choice->text);
	if (status)
		return status;
	/* What a checkpoint kept is the engine's, and shortens estimates. */
	const struct sl_setup setup = { .pass = pass };
	if (aside->course)
		status = sl_use(&setup, SL_USE_ESTIMATES, err);
	pass->placing.devices = (pass->uses & SL_USE_DEVICES) != 0;
	pass->placing.amounts = (pass->uses & SL_USE_OWN_DEVICES) != 0;
	if (!status && pass->nodes && !nodes_serve(pass->nodes, &pass->placing))
		status = sl_fail(err, SL_USAGE,
			"policy '%s' tells the GPUs of a node apart, and the run began under one that only counts "
			"them: let it begin under one that does too",
			choice->text);
	if (!status && pass->nodes)
		nodes_set_placing(pass->nodes, &pass->placing);
	if (!status)
		status = gauges_begin(pass, err);
	init_queues(pass);
	return status;
}

/* ---- Courses --------------------------------------------------------------------------------- */

/* Nobody was preempted yet: each that runs, in the order of the starts, runs for the first time. */
static void courses_found(struct sl_pass *pass)
{
	for (size_t i = 0; i < pass->past_count; i++) {
		const struct past_event *event = &pass->past[i];
		if (event->class != SL_EV_CLASS_COUNT)
			continue;
		struct course *course = &pass->course[event->row];
		course->began = course->since = pass->start[event->row];
		course->attempts = 1;
		if (is_running(pass, event->row)) {
			course_due(pass, event->row);
			course_link(pass, event->row, pass->run_last);
		} else {
			course->work = pass->end[event->row] - course->began;
		}
	}
}

/* What was kept needs not be run again. */
static void estimates_shorten(struct sl_pass *pass)
{
	for (uint32_t job = 0; job < pass->submitted; job++) {
		const sl_time kept = pass->course[job].kept;
		if (!kept || pass->end[job] != SL_NONE)
			continue;
		const sl_time load = pass->course[job].load;
		const sl_time left = pass->estimate[job] - kept;
		const bool waits = is_waiting(pass, job);
		if (waits)
			queue_take(pass, job);
		pass->estimate_own[job] = (left > SL_SECOND ? left : SL_SECOND) + load;
		if (waits)
			queue_put(pass, job);
	}
}

static void courses_over(struct sl_pass *pass, const struct aside *aside)
{
	if (aside->course) {
		pass->course = aside->course;
		pass->uses |= SL_USE_PREEMPT;
		estimates_shorten(pass);
	} else if (pass->course) {
		courses_found(pass);
	}
}

/* ---- The plan, by the new estimates ---------------------------------------------------------- */

static sl_time due_of(const struct sl_pass *pass, uint32_t job)
{
	return pass->course ? pass->course[job].due
			    : time_after(pass->start[job], length_of(pass, job, NULL));
}

static int fill_plan(struct sl_pass *pass, const struct aside *aside)
{
	size_t running = 0;
	for (uint32_t job = 0; job < pass->submitted && !pass->status; job++) {
		if (is_running(pass, job)) {
			room_replan(pass, job, aside->from[running++]);
			if (pass->models)
				pass->models->noted[job] = SL_NONE;
			if (expected_end(pass, job) < due_of(pass, job))
				pass_failed(pass, note_overrun(pass, job));
		} else if (is_waiting(pass, job)) {
			if (pass->uses & SL_USE_PROMISES)
				unpromised_put(pass, job);
			reason_changes(pass, pass->now, job, pass->reason_default, 0);
		}
	}
	return pass->status;
}

static int take_over(
	struct sl_pass *pass, const struct policy_choice *choice, struct aside *aside, struct sl_err *err)
{
	int status = make_policy(pass, choice, aside, err);
	struct course *fresh = pass->course;
	pass->course = NULL; /* Not as it is now, while the past is shown. */
	if (!status)
		status = show_past(pass, aside, err);
	pass->course = fresh;
	if (status)
		return status;
	courses_over(pass, aside);
	return fill_plan(pass, aside);
}

/* Up to the time that was advanced to nothing else happened. */
static void settle_clock(struct engine *engine)
{
	struct sl_pass *pass = &engine->pass;
	if (engine->reached != SL_NEVER && engine->reached > pass->now && pass->passes) {
		integrate(pass, engine->reached);
		pass->now = engine->reached;
		if (pass->nodes)
			nodes_clock(pass->nodes, pass->now);
	}
	room_settle(pass);
	if (pass->models)
		models_pass_begins(pass);
}

int sim_switch(struct sim *sim, const struct policy_choice *choice, struct sl_err *err)
{
	struct engine *engine = sim->engine;
	struct sl_pass *pass = &engine->pass;
	size_t count;
	if (policy_same(pass->options.choice, choice)) {
		pass->options.choice = choice; /* Perhaps by another name. */
		return SL_OK;
	}
	if (pass->feedback)
		return sl_fail(err, SL_USAGE,
			"replay.feedback: submissions follow what the policy does, and no other can take over: run it from the beginning");
	SL_CHECK(pass->options.record & SIM_RECORD_PAST);
	if (is_controlled(pass))
		return fail_controlled(pass->options.choice, "be taken over from", err);
	if (!sim_stretches(sim, &count, err))
		return err->status;
	engine->past_count = count;
	struct aside aside = { .course = pass->course };
	settle_clock(engine);
	decisions_drop_plans(pass);
	int status = pass->suspended ? requeue_suspended(pass) : SL_OK;
	if (!status)
		status = empty_plan(pass, &aside, err);
	if (!status) {
		drop_policy(pass);
		status = take_over(pass, choice, &aside, err);
	}
	free(aside.from);
	if (pass->placer)
		pass->placer->forget(pass->placer_state);
	if (pass->nodes)
		nodes_forget(pass->nodes);
	if (!status && pass->passes)
		pass->wake = pass->now;
	if (!status && pass->options.check)
		check_state(pass);
	if (status && err->status == SL_OK)
		*err = pass->err;
	return status;
}

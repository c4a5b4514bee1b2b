/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * handover.c - handover to another policy: running jobs run on, everything that was the policy's own is made
 * again.
 *
 * What is the engine's stays: who runs where and since when, who waits, what is
 * reserved. The policy's are the columns of sl_use, keys and so the order of
 * the queue, estimates and so the expected ends of what runs, ledgers, timers,
 * promises. The new one gets the history (history.c), and a pass at once.
 */
#include <stdlib.h>

#include "sim/run/models.h"

/* State that is hidden from the new policy while it gets the history, and restored afterwards. */
struct aside {
	sl_time *start, *end, *deferred;
	uint8_t *job_state, *gated;
	uint32_t submitted;
	struct progress *progress;
	sl_time *from; /* Of what runs, by row: where the plan had its end. */
};

/* ---- The old one goes ------------------------------------------------------------------------ */

/* A suspended job was suspended by the old policy, and the new one might never resume it: it waits
 * instead, and keeps its work. */
static int requeue_suspended(struct sim *sim)
{
	pass_begin(sim);
	for (uint32_t job = sim->run_first; job != UINT32_MAX;) {
		const uint32_t next = sim->progress[job].next;
		if (sim->job_state[job] == SL_SUSPENDED)
			(void)sl_preempt(sim, (sl_job){ job }, SL_PREEMPT_CHECKPOINT);
		job = next;
	}
	return pass_commit(sim);
}

static bool is_no_timer(void *self, const struct ev *ev)
{
	(void)self;
	return ev->class != SL_EV_TIMER;
}

/* Plans, promises and the queue are emptied. */
static int empty_plan(struct sim *sim, struct aside *aside, struct sl_err *err)
{
	aside->from = calloc((size_t)sim->running + 1, sizeof(*aside->from));
	if (!aside->from)
		return sl_fail_memory(err);
	size_t running = 0;
	for (uint32_t job = 0; job < sim->submitted; job++) {
		if (is_running(sim, job)) {
			aside->from[running++] = allocation_unplan(sim, job);
		} else if (is_waiting(sim, job)) {
			(void)promise_release(sim, job);
			queue_take(sim, job);
		}
	}
	evq_release(&sim->due);
	evq_release(&sim->overruns);
	evq_release(&sim->expiries);
	evq_keep(&sim->events, is_no_timer, NULL);
	sim->unpromised_count = 0;
	sim->freed = (struct freed){ .count = 0 };
	sim->promises_broken = false;
	return sim->status;
}

static void drop_policy(struct sim *sim)
{
	if (sim->policy->release && sim->state)
		sim->policy->release(sim->state);
	sim->state = NULL;
	queue_release(&sim->queue);
	queue_release(&sim->fill);
	lanes_release(sim);
	sim->key = sim->fill_key = NULL;
	sim->promise = sim->estimate_own = NULL;
	sim->estimate = sim->jobs->limit;
	sim->progress = NULL;
	sim->uses = 0;
	sim->ledger_count = 0;
	sim->head.job = UINT32_MAX;
	sim->wake = SL_NEVER;
}

/* ---- The new one comes ----------------------------------------------------------------------- */

static int columns_blank(struct sim *sim, struct aside *aside, struct sl_err *err)
{
	const size_t count = (size_t)sim->jobs->count + 1;
	aside->start = sim->start;
	aside->end = sim->end;
	aside->job_state = sim->job_state;
	aside->submitted = sim->submitted;
	aside->gated = sim->gated;
	aside->deferred = sim->deferred;
	sim->gated = sim->eligibility ? calloc(count, sizeof(*sim->gated)) : NULL;
	if (aside->deferred)
		sim->deferred = malloc(count * sizeof(*sim->deferred));
	sim->start = malloc(count * sizeof(*sim->start));
	sim->end = malloc(count * sizeof(*sim->end));
	sim->job_state = calloc(count, sizeof(*sim->job_state));
	sim->submitted = 0;
	if (!sim->start || !sim->end || !sim->job_state || (sim->eligibility && !sim->gated) ||
		(aside->deferred && !sim->deferred))
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++)
		sim->start[i] = sim->end[i] = SL_NONE;
	for (size_t i = 0; sim->deferred && i < count; i++)
		sim->deferred[i] = SL_NONE;
	return SL_OK;
}

static void columns_back(struct sim *sim, const struct aside *aside)
{
	free(sim->start);
	free(sim->end);
	free(sim->job_state);
	free(sim->gated);
	if (aside->deferred)
		free(sim->deferred);
	sim->gated = aside->gated;
	sim->deferred = aside->deferred;
	sim->start = aside->start;
	sim->end = aside->end;
	sim->job_state = aside->job_state;
	sim->submitted = aside->submitted;
}

/* All that happened, with the jobs as they were. */
static int table_history(struct sim *sim, struct aside *aside, struct sl_err *err)
{
	int status = columns_blank(sim, aside, err);
	if (!status)
		status = history_table(sim, sim->history, sim->history_count, sim->now);
	columns_back(sim, aside);
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
	struct sim *sim, const struct policy_choice *choice, struct aside *aside, struct sl_err *err)
{
	int status = init_policy(sim, choice, err);
	if (!status && is_controlled(sim))
		status = fail_controlled(choice, "take over", err);
	if (!status && sim->uses & SL_USE_NODES && !sim->nodes)
		status = sl_fail(err, SL_USAGE,
			"policy '%s' tells nodes apart, and the run began under one that only counts them: let it begin "
			"under one that does too",
			choice->text);
	if (status)
		return status;
	/* What a checkpoint kept is the engine's, and shortens estimates. */
	const struct sl_setup setup = { .sim = sim };
	if (aside->progress)
		status = sl_use(&setup, SL_USE_ESTIMATES, err);
	sim->scorer.devices = (sim->uses & SL_USE_DEVICES) != 0;
	sim->scorer.amounts = (sim->uses & SL_USE_OWN_DEVICES) != 0;
	if (!status && sim->nodes && !nodes_serve(sim->nodes, &sim->scorer))
		status = sl_fail(err, SL_USAGE,
			"policy '%s' tells the GPUs of a node apart, and the run began under one that only counts "
			"them: let it begin under one that does too",
			choice->text);
	if (!status && sim->nodes)
		nodes_set_scorer(sim->nodes, &sim->scorer);
	if (!status)
		status = gauges_begin(sim, err);
	init_queues(sim);
	return status;
}

/* ---- Progress --------------------------------------------------------------------------------- */

/* No job was preempted yet: each that runs, in the order of the starts, runs for the first time. */
static void courses_found(struct sim *sim)
{
	for (size_t i = 0; i < sim->history_count; i++) {
		const struct history_event *event = &sim->history[i];
		if (event->class != SL_EV_CLASS_COUNT)
			continue;
		struct progress *progress = &sim->progress[event->row];
		progress->began = progress->since = sim->start[event->row];
		progress->attempts = 1;
		if (is_running(sim, event->row)) {
			progress_due(sim, event->row);
			progress_link(sim, event->row, sim->run_last);
		} else {
			progress->work = sim->end[event->row] - progress->began;
		}
	}
}

/* Estimates without the work that a checkpoint kept. */
static void estimates_shorten(struct sim *sim)
{
	for (uint32_t job = 0; job < sim->submitted; job++) {
		const sl_time kept = sim->progress[job].kept;
		if (!kept || sim->end[job] != SL_NONE)
			continue;
		const sl_time load = sim->progress[job].load;
		const sl_time left = sim->estimate[job] - kept;
		const bool waits = is_waiting(sim, job);
		if (waits)
			queue_take(sim, job);
		sim->estimate_own[job] = (left > SL_SECOND ? left : SL_SECOND) + load;
		if (waits)
			queue_put(sim, job);
	}
}

static void courses_over(struct sim *sim, const struct aside *aside)
{
	if (aside->progress) {
		sim->progress = aside->progress;
		sim->uses |= SL_USE_PREEMPT;
		estimates_shorten(sim);
	} else if (sim->progress) {
		courses_found(sim);
	}
}

/* ---- The plan, by the new estimates ---------------------------------------------------------- */

static sl_time due_of(const struct sim *sim, uint32_t job)
{
	return sim->progress ? sim->progress[job].due
			     : time_after(sim->start[job], length_of(sim, job, NULL));
}

static int fill_plan(struct sim *sim, const struct aside *aside)
{
	size_t running = 0;
	for (uint32_t job = 0; job < sim->submitted && !sim->status; job++) {
		if (is_running(sim, job)) {
			allocation_replan(sim, job, aside->from[running++]);
			if (sim->models)
				sim->models->noted[job] = SL_NONE;
			if (expected_end(sim, job) < due_of(sim, job))
				pass_failed(sim, note_overrun(sim, job));
		} else if (is_waiting(sim, job)) {
			if (sim->uses & SL_USE_PROMISES)
				unpromised_put(sim, job);
			reason_changes(sim, sim->now, job, sim->reason_default, 0);
		}
	}
	return sim->status;
}

static int take_over(
	struct sim *sim, const struct policy_choice *choice, struct aside *aside, struct sl_err *err)
{
	int status = make_policy(sim, choice, aside, err);
	struct progress *fresh = sim->progress;
	sim->progress = NULL; /* Not as it is now, while the history is reported. */
	if (!status)
		status = table_history(sim, aside, err);
	sim->progress = fresh;
	if (status)
		return status;
	courses_over(sim, aside);
	return fill_plan(sim, aside);
}

/* Up to the time that was advanced to nothing else happened. */
static void settle_clock(struct engine *engine)
{
	struct sim *sim = &engine->sim;
	if (engine->reached != SL_NEVER && engine->reached > sim->now && sim->passes) {
		integrate(sim, engine->reached);
		sim->now = engine->reached;
		if (sim->nodes)
			nodes_clock(sim->nodes, sim->now);
	}
	allocation_settle(sim);
	if (sim->models)
		models_pass_begins(sim);
}

int sim_handover(struct sim_run *run, const struct policy_choice *choice, struct sl_err *err)
{
	struct engine *engine = run->engine;
	struct sim *sim = &engine->sim;
	size_t count;
	if (policy_same(sim->options.choice, choice)) {
		sim->options.choice = choice; /* Perhaps by another name. */
		return SL_OK;
	}
	if (sim->feedback)
		return sl_fail(err, SL_USAGE,
			"replay.feedback: submissions follow what the policy does, and no other can take over: run it from the beginning");
	SL_CHECK(sim->options.record & SIM_RECORD_HISTORY);
	if (is_controlled(sim))
		return fail_controlled(sim->options.choice, "be taken over from", err);
	if (!sim_intervals(run, &count, err))
		return err->status;
	engine->history_count = count;
	struct aside aside = { .progress = sim->progress };
	settle_clock(engine);
	decisions_drop_plans(sim);
	int status = sim->suspended ? requeue_suspended(sim) : SL_OK;
	if (!status)
		status = empty_plan(sim, &aside, err);
	if (!status) {
		drop_policy(sim);
		status = take_over(sim, choice, &aside, err);
	}
	free(aside.from);
	if (sim->allocator)
		sim->allocator->forget(sim->allocator_state);
	if (sim->nodes)
		nodes_forget(sim->nodes);
	if (!status && sim->passes)
		sim->wake = sim->now;
	if (!status && sim->options.check)
		check_state(sim);
	if (status && err->status == SL_OK)
		*err = sim->err;
	return status;
}

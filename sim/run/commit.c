/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commit.c - a pass begins and is committed, or undone to a mark; and a job that ends between passes.
 *
 * A commit goes through the actions of the pass in their order: events, the digest, reasons and reports to
 * models are made of them here, and nowhere else.
 */
#include "sim/run/models.h"
#include "sim/run/plain.h"

/* ---- Reports to models -------------------------------------------------------------- */

void models_note(struct sim *sim, struct reported reported)
{
	struct models *models = sim->models;
	const int status = SL_GROW_MOST(models->reported, models->reported_capacity,
		models->reported_count + 1, SIZE_MAX / 64, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		models->reported[models->reported_count++] = reported;
}

void models_started(struct sim *sim, uint32_t job, bool fresh)
{
	if (!is_running(sim, job))
		return; /* And left again, in the same pass. */
	if (fresh)
		speeds_reset(sim, job);
	models_note(
		sim, (struct reported){ REPORTED_STARTED, SL_LEFT_END, job, sim->progress[job].attempts });
}

void models_left(struct sim *sim, uint32_t job, enum sl_left how)
{
	if (how != SL_LEFT_SUSPEND)
		sim->models->holds[job] = 0;
	models_note(sim, (struct reported){ REPORTED_LEFT, how, job, 0 });
}

/* ---- Ends between passes --------------------------------------------------------------------- */

void end_job(struct sim *sim, uint32_t job, enum sl_state state)
{
	bool freed = false; /* Before its end was handled: rules.early. */
	for (size_t i = 0; i < sim->ending_count && !freed; i++)
		freed = sim->ending[i].ev.row == job && sim->ending[i].freed;
	if (sim->progress) {
		progress_settle(sim, job);
		if (sim->progress[job].attempts > 1)
			pass_failed(sim, attempt_add(sim, job, &sim->progress[job], state, 0));
		if (sim->progress[job].stopped != SL_NONE) {
			sim->progress[job].suspended += sim->now - sim->progress[job].stopped;
			sim->progress[job].stopped = SL_NONE;
			sim->suspended--;
		}
	}
	if (sim->uses & SL_USE_PROMISES && !freed && sim->job_state[job] == SL_RUNNING)
		freed_until(sim, expected_room(sim, job));
	if (!freed)
		allocation_release(sim, job);
	if (sim->progress) {
		progress_unlink(sim, job);
		sim->progress[job].due = SL_NEVER;
	}
	job_over(sim, job, state);
	if (sim->models)
		models_left(sim, job, SL_LEFT_END);
	others_hear(sim, job);
}

/* ---- Begin ----------------------------------------------------------------------------------- */

void models_pass_begins(struct sim *sim)
{
	struct models *models = sim->models;
	const sl_time next = (sim->now / SL_SECOND + 1) * SL_SECOND;
	sim->needs_pass &= ~(unsigned)NEEDS_ASKED;
	for (uint32_t i = 0; i < models->nodes_unavailable; i++) {
		const uint32_t node = models->unavailable[i];
		if (models->drained[node] || models->expected[node] > sim->now)
			continue;
		models->expected[node] = next;
		nodes_unavailable(sim->nodes, node, next);
		sim->promises_broken = true;
	}
}

void pass_begin(struct sim *sim) { pass_begin_of(sim, false); }

/* ---- Commit ---------------------------------------------------------------------------------- */

static int commit_start(struct sim *sim, uint32_t job)
{
	digest_fold(sim, SL_EV_CLASS_COUNT, job);
	if (sim->progress && sim->progress[job].attempts > 1)
		reason_changes(sim, sim->now, job, SL_REASON_NONE, 0);
	else if (sim->eligibility)
		eligibility_started(sim, job);
	allocation_holds(sim, job);
	allocation_places(sim, job);
	if (sim->models)
		models_started(sim, job, true);
	return note_end(sim, job);
}

static enum sl_left left_by(enum sl_preempt how)
{
	switch (how) {
	case SL_PREEMPT_REQUEUE:
		return SL_LEFT_REQUEUE;
	case SL_PREEMPT_CHECKPOINT:
		return SL_LEFT_CHECKPOINT;
	case SL_PREEMPT_SUSPEND:
		return SL_LEFT_SUSPEND;
	case SL_PREEMPT_CANCEL:
	case SL_PREEMPT_COUNT:
		break;
	}
	return SL_LEFT_END;
}

static int commit_preempt(struct sim *sim, const struct action *action)
{
	const struct progress *before = &sim->progress_kept[action->now].progress;
	const enum sl_preempt how = preempted_how(action);
	digest_fold(sim, DIGEST_PREEMPT + how, action->job);
	if (sim->models)
		models_left(sim, action->job, left_by(how));
	if (how == SL_PREEMPT_SUSPEND)
		return SL_OK;
	const sl_time lost = how == SL_PREEMPT_CHECKPOINT ? 0 : progress_kept_work(sim, action);
	if (how == SL_PREEMPT_CANCEL) {
		sim->ended++;
		others_hear(sim, action->job);
		return before->attempts > 1 ? attempt_add(sim, action->job, before, SL_PREEMPTED, lost)
					    : SL_OK;
	}
	if (before->attempts == 1)
		reason_changes(sim, before->began, action->job, SL_REASON_NONE, 0);
	reason_changes(sim, sim->now, action->job, sim->reason_default, 0);
	return attempt_add(sim, action->job, before, (enum sl_state)(action->was >> 8), lost);
}

void note_refused(struct sim *sim, uint32_t job, const char *why)
{
	sim->refused_last = job;
	sim->refused_last_why = why;
	if (sim->decisions && !sim->refusal)
		sim->refusal = sl_alloc(sim->arena, (size_t)sim->jobs->count + 1, sizeof(*sim->refusal));
	if (sim->refusal)
		sim->refusal[job] = why;
	if (sim->refused++)
		return;
	sim->refused_first = job;
	sim->refused_why = why;
}

static int commit_end(struct sim *sim, const struct action *action)
{
	const struct progress_kept *before = &sim->progress_kept[action->now];
	const enum sl_state state = (enum sl_state)sim->job_state[action->job];
	digest_fold(sim, DIGEST_END + state, action->job);
	sim->ended++;
	if (action->why)
		note_refused(sim, action->job, action->why);
	if (sim->models && before->state != SL_PENDING)
		models_left(sim, action->job, SL_LEFT_END);
	if (before->state == SL_PENDING || before->progress.attempts < 2)
		return SL_OK;
	return attempt_add(sim, action->job, &before->progress, state, 0);
}

int commit_action(struct sim *sim, const struct action *action)
{
	switch (action->kind) {
	case ACTION_START:
		return commit_start(sim, action->job);
	case ACTION_CANCEL:
		digest_fold(sim, SL_EV_CANCEL, action->job);
		sim->ended++;
		others_hear(sim, action->job);
		return SL_OK;
	case ACTION_END:
		return commit_end(sim, action);
	case ACTION_PREEMPT:
		return commit_preempt(sim, action);
	case ACTION_RESUME:
		digest_fold(sim, DIGEST_RESUME, action->job);
		allocation_holds(sim, action->job); /* Suspended as it started, it held none so far. */
		if (sim->models)
			models_started(sim, action->job, true);
		return note_end(sim, action->job);
	case ACTION_RESIZE:
		digest_fold(sim, DIGEST_RESIZE, action->job);
		allocation_holds(sim, action->job);
		if (sim->models)
			models_started(sim, action->job, false);
		return note_end(sim, action->job);
	case ACTION_RESERVE:
		return evq_push(&sim->events, action->was, SL_EV_RESERVATION, action->job, &sim->err);
	case ACTION_REASON:
		reason_changes(sim, sim->now, action->job, (enum sl_reason)(action->now >> 24),
			(uint32_t)action->now & 0xffffff);
		return SL_OK;
	case ACTION_TIMER:
		return evq_push(&sim->events, action->now, SL_EV_TIMER, action->job, &sim->err);
	case ACTION_HEAD:
		/* Displaced and still waiting: it waits for others again. */
		if (action->was != UINT32_MAX && is_waiting(sim, (uint32_t)action->was))
			reason_changes(sim, sim->now, (uint32_t)action->was, sim->reason_default, 0);
		if (action->job != UINT32_MAX && is_waiting(sim, action->job))
			reason_changes(sim, sim->now, action->job, SL_REASON_RESOURCES, 0);
		return SL_OK;
	case ACTION_PROMISE:
	case ACTION_ELIGIBLE:
	case ACTION_WAKE:
	case ACTION_LEDGER:
	case ACTION_FREED:
	case ACTION_PLAN:
		return SL_OK;
	case ACTION_CAUSE: /* Of the actions behind it: for watchers. */
		sim->rule = (uint8_t)action->now;
		sim->beneficiary = action->job;
		return SL_OK;
	}
	return SL_OK;
}

void pass_forgets(struct sim *sim)
{
	if (sim->allocator)
		sim->allocator->forget(sim->allocator_state);
	if (!sim->nodes)
		return;
	nodes_forget(sim->nodes);
	pass_failed(sim, nodes_status(sim->nodes, &sim->err));
}

int pass_commit(struct sim *sim) { return pass_commit_of(sim, false); }

/* ---- Marks ----------------------------------------------------------------------------------- */

sl_marked sl_mark(struct sim *sim)
{
	(void)pass_over(sim);
	return (sl_marked){ .depth = ++sim->marks, .length = (uint32_t)sim->action_count };
}

void pass_take_back(struct sim *sim)
{
	while (sim->action_count)
		undo_action(sim, &sim->action[--sim->action_count]);
}

/* Marks are closed innermost first, each once: a policy that does not ends its run. */
static bool mark_is_last(struct sim *sim, sl_marked mark)
{
	if (mark.depth == sim->marks && mark.depth && mark.length <= sim->action_count)
		return true;
	pass_failed(
		sim, sl_fail(&sim->err, SL_POLICY, "policy '%s' closed a mark that is not the last one open",
			     sim->policy->name));
	return false;
}

void sl_undo(struct sim *sim, sl_marked mark)
{
	if (!mark_is_last(sim, mark))
		return;
	while (sim->action_count > mark.length)
		undo_action(sim, &sim->action[--sim->action_count]);
	sim->marks--;
}

void sl_keep(struct sim *sim, sl_marked mark)
{
	if (mark_is_last(sim, mark))
		sim->marks--;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commit.c - a pass begins and is committed, or taken back to a mark; and a job that ends between passes.
 *
 * A commit goes through the actions of the pass in their order: events, the digest, reasons and what models
 * are to be told are made of them here, and nowhere else.
 */
#include "sim/run/models.h"

/* ---- What models are to be told -------------------------------------------------------------- */

void models_note(struct sl_pass *pass, struct told told)
{
	struct models *models = pass->models;
	const int status = SL_GROW_MOST(
		models->told, models->told_capacity, models->told_count + 1, SIZE_MAX / 64, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		models->told[models->told_count++] = told;
}

void models_started(struct sl_pass *pass, uint32_t job, bool fresh)
{
	if (!is_running(pass, job))
		return; /* And left again, in the same pass. */
	if (fresh)
		rates_reset(pass, job);
	models_note(pass, (struct told){ TOLD_STARTED, SL_LEFT_END, job, pass->course[job].attempts });
}

void models_left(struct sl_pass *pass, uint32_t job, enum sl_left how)
{
	if (how != SL_LEFT_SUSPEND)
		pass->models->holds[job] = 0;
	models_note(pass, (struct told){ TOLD_LEFT, how, job, 0 });
}

/* ---- Ends between passes --------------------------------------------------------------------- */

void end_job(struct sl_pass *pass, uint32_t job, enum sl_state state)
{
	bool freed = false; /* Before its end was handled: rules.early. */
	for (size_t i = 0; i < pass->ending_count && !freed; i++)
		freed = pass->ending[i].ev.row == job && pass->ending[i].freed;
	if (pass->course) {
		course_settle(pass, job);
		if (pass->course[job].attempts > 1)
			pass_failed(pass, attempt_add(pass, job, &pass->course[job], state, 0));
		if (pass->course[job].stopped != SL_NONE) {
			pass->course[job].suspended += pass->now - pass->course[job].stopped;
			pass->course[job].stopped = SL_NONE;
			pass->suspended--;
		}
	}
	if (pass->uses & SL_USE_PROMISES && !freed && pass->job_state[job] == SL_RUNNING)
		freed_until(pass, room_expected(pass, job));
	if (!freed)
		room_give(pass, job);
	if (pass->course) {
		course_unlink(pass, job);
		pass->course[job].due = SL_NEVER;
	}
	if (pass->job_state[job] == SL_RUNNING)
		pass->running--;
	pass->ended++;
	pass->end[job] = pass->now;
	pass->job_state[job] = (uint8_t)state;
	if (pass->models)
		models_left(pass, job, SL_LEFT_END);
	others_hear(pass, job);
}

/* ---- Begin ----------------------------------------------------------------------------------- */

void models_pass_begins(struct sl_pass *pass)
{
	struct models *models = pass->models;
	const sl_time next = (pass->now / SL_SECOND + 1) * SL_SECOND;
	pass->needs_pass &= ~(unsigned)NEEDS_ASKED;
	for (uint32_t i = 0; i < models->nodes_shut; i++) {
		const uint32_t node = models->shut[i];
		if (models->drained[node] || models->expected[node] > pass->now)
			continue;
		models->expected[node] = next;
		nodes_shut(pass->nodes, node, next);
		pass->promises_broken = true;
	}
}

void pass_begin(struct sl_pass *pass)
{
	room_settle(pass);
	if (pass->models)
		models_pass_begins(pass);
	pass->wake = SL_NEVER;
	pass->action_count = pass->freed_kept_count = pass->course_kept_count = 0;
	pass->rule = pass->rule_default;
	pass->whose = UINT32_MAX;
	pass->open = true;
}

/* ---- Commit ---------------------------------------------------------------------------------- */

static int commit_start(struct sl_pass *pass, uint32_t job)
{
	pass_digest(pass, SL_EV_CLASS_COUNT, job);
	if (pass->course && pass->course[job].attempts > 1)
		reason_changes(pass, pass->now, job, SL_REASON_NONE, 0);
	else if (pass->gates)
		gates_started(pass, job);
	room_holds(pass, job);
	room_places(pass, job);
	if (pass->models)
		models_started(pass, job, true);
	return note_end(pass, job);
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

static int commit_preempt(struct sl_pass *pass, const struct action *action)
{
	const struct course *before = &pass->course_kept[action->now].course;
	const enum sl_preempt how = preempted_how(action);
	pass_digest(pass, DIGEST_PREEMPT + how, action->job);
	if (pass->models)
		models_left(pass, action->job, left_by(how));
	if (how == SL_PREEMPT_SUSPEND)
		return SL_OK;
	const sl_time lost = how == SL_PREEMPT_CHECKPOINT ? 0 : course_kept_work(pass, action);
	if (how == SL_PREEMPT_CANCEL) {
		pass->ended++;
		others_hear(pass, action->job);
		return before->attempts > 1 ? attempt_add(pass, action->job, before, SL_PREEMPTED, lost)
					    : SL_OK;
	}
	if (before->attempts == 1)
		reason_changes(pass, before->began, action->job, SL_REASON_NONE, 0);
	reason_changes(pass, pass->now, action->job, pass->reason_default, 0);
	return attempt_add(pass, action->job, before, (enum sl_state)(action->was >> 8), lost);
}

void note_refused(struct sl_pass *pass, uint32_t job, const char *why)
{
	pass->refused_last = job;
	pass->refused_last_why = why;
	if (pass->decisions && !pass->refusal)
		pass->refusal = sl_alloc(pass->arena, (size_t)pass->jobs->count + 1, sizeof(*pass->refusal));
	if (pass->refusal)
		pass->refusal[job] = why;
	if (pass->refused++)
		return;
	pass->refused_first = job;
	pass->refused_why = why;
}

static int commit_end(struct sl_pass *pass, const struct action *action)
{
	const struct course_kept *before = &pass->course_kept[action->now];
	const enum sl_state state = (enum sl_state)pass->job_state[action->job];
	pass_digest(pass, DIGEST_END + state, action->job);
	pass->ended++;
	if (action->why)
		note_refused(pass, action->job, action->why);
	if (pass->models && before->state != SL_PENDING)
		models_left(pass, action->job, SL_LEFT_END);
	if (before->state == SL_PENDING || before->course.attempts < 2)
		return SL_OK;
	return attempt_add(pass, action->job, &before->course, state, 0);
}

static int commit_action(struct sl_pass *pass, const struct action *action)
{
	switch (action->kind) {
	case ACTION_START:
		return commit_start(pass, action->job);
	case ACTION_CANCEL:
		pass_digest(pass, SL_EV_CANCEL, action->job);
		pass->ended++;
		others_hear(pass, action->job);
		return SL_OK;
	case ACTION_END:
		return commit_end(pass, action);
	case ACTION_PREEMPT:
		return commit_preempt(pass, action);
	case ACTION_RESUME:
		pass_digest(pass, DIGEST_RESUME, action->job);
		room_holds(pass, action->job); /* Suspended as it started, it held none so far. */
		if (pass->models)
			models_started(pass, action->job, true);
		return note_end(pass, action->job);
	case ACTION_RESIZE:
		pass_digest(pass, DIGEST_RESIZE, action->job);
		room_holds(pass, action->job);
		if (pass->models)
			models_started(pass, action->job, false);
		return note_end(pass, action->job);
	case ACTION_RESERVE:
		return evq_push(&pass->events, action->was, SL_EV_RESERVATION, action->job, &pass->err);
	case ACTION_REASON:
		reason_changes(pass, pass->now, action->job, (enum sl_reason)(action->now >> 24),
			(uint32_t)action->now & 0xffffff);
		return SL_OK;
	case ACTION_TIMER:
		return evq_push(&pass->events, action->now, SL_EV_TIMER, action->job, &pass->err);
	case ACTION_HEAD:
		/* Displaced and still waiting: it waits for others again. */
		if (action->was != UINT32_MAX && is_waiting(pass, (uint32_t)action->was))
			reason_changes(pass, pass->now, (uint32_t)action->was, pass->reason_default, 0);
		if (action->job != UINT32_MAX && is_waiting(pass, action->job))
			reason_changes(pass, pass->now, action->job, SL_REASON_RESOURCES, 0);
		return SL_OK;
	case ACTION_PROMISE:
	case ACTION_ELIGIBLE:
	case ACTION_WAKE:
	case ACTION_LEDGER:
	case ACTION_FREED:
	case ACTION_PLAN:
		return SL_OK;
	case ACTION_BY: /* Of the actions behind it: for who looks on. */
		pass->rule = (uint8_t)action->now;
		pass->whose = action->job;
		return SL_OK;
	}
	return SL_OK;
}

int pass_commit(struct sl_pass *pass)
{
	pass->rule = pass->rule_default;
	pass->whose = UINT32_MAX;
	for (size_t i = 0; i < pass->action_count && !pass->status; i++)
		pass_failed(pass, commit_action(pass, &pass->action[i]));
	if (pass->decisions)
		decisions_commit(pass);
	const struct sim_watch *watch = pass->options.watch;
	if (watch && watch->passed)
		watch->passed(watch->self, pass);
	pass->action_count = 0;
	pass->open = false;
	if (pass->placer)
		pass->placer->forget(pass->placer_state);
	if (pass->nodes) {
		nodes_forget(pass->nodes);
		pass_failed(pass, nodes_status(pass->nodes, &pass->err));
	}
	return pass->status;
}

/* ---- Marks ----------------------------------------------------------------------------------- */

sl_marked sl_mark(struct sl_pass *pass)
{
	(void)pass_over(pass);
	return (sl_marked){ .depth = ++pass->marks, .length = (uint32_t)pass->action_count };
}

void pass_take_back(struct sl_pass *pass)
{
	while (pass->action_count)
		undo_action(pass, &pass->action[--pass->action_count]);
}

/* Marks are closed innermost first, each once: a policy that does not ends its run. */
static bool mark_is_last(struct sl_pass *pass, sl_marked mark)
{
	if (mark.depth == pass->marks && mark.depth && mark.length <= pass->action_count)
		return true;
	pass_failed(
		pass, sl_fail(&pass->err, SL_POLICY,
			      "policy '%s' closed a mark that is not the last one open", pass->policy->name));
	return false;
}

void sl_undo(struct sl_pass *pass, sl_marked mark)
{
	if (!mark_is_last(pass, mark))
		return;
	while (pass->action_count > mark.length)
		undo_action(pass, &pass->action[--pass->action_count]);
	pass->marks--;
}

void sl_keep(struct sl_pass *pass, sl_marked mark)
{
	if (mark_is_last(pass, mark))
		pass->marks--;
}

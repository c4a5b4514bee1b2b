/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commands.c - what a policy does to jobs in a pass, each with the way to take it back.
 *
 * Undo runs backwards through the actions, so each finds the state as it left it.
 */

#include "sim/run/models.h"

/* ---- Courses before they changed ------------------------------------------------------------- */

/* Its place in course_kept, -1 without courses. */
static int64_t course_keep(struct sl_pass *pass, uint32_t job)
{
	if (!pass->course)
		return -1;
	const int status = SL_GROW_MOST(pass->course_kept, pass->course_kept_capacity,
		pass->course_kept_count + 1, UINT32_MAX, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return -1;
	}
	pass->course_kept[pass->course_kept_count] = (struct course_kept){ .course = pass->course[job],
		.estimate = pass->estimate[job],
		.start = pass->start[job],
		.state = (enum sl_state)pass->job_state[job] };
	return (int64_t)pass->course_kept_count++;
}

static void course_back(struct sl_pass *pass, uint32_t job, int64_t kept)
{
	const struct course_kept *before = &pass->course_kept[kept];
	pass->course[job] = before->course;
	pass->estimate_own[job] = before->estimate;
	pass->start[job] = before->start;
	pass->job_state[job] = (uint8_t)before->state;
	pass->course_kept_count = (size_t)kept;
}

/* The work of the attempt that a preemption ended. */
sl_time course_kept_work(const struct sl_pass *pass, const struct action *action)
{
	const struct course_kept *before = &pass->course_kept[action->now];
	if (pass->models)
		return course_done(pass, action->job, &before->course, before->state == SL_RUNNING, NULL);
	if (before->state != SL_RUNNING)
		return before->course.work;
	const struct sl_group *group =
		before->course.tasks ? pass->requests[pass->request[action->job]].group : NULL;
	const sl_time ran = pass->now - before->course.since - before->course.loading;
	const __int128 length = ran > 0 ? ran : 0;
	return before->course.work + (sl_time)(group ? length * before->course.tasks / group->tasks : length);
}

/* ---- Start ----------------------------------------------------------------------------------- */

static void head_leaves(struct sl_pass *pass, uint32_t job)
{
	struct head *head = lane_head(pass, job);
	if (head->job != job)
		return;
	act(pass, (struct action){
			  .kind = ACTION_HEAD, .job = UINT32_MAX, .was = head->job, .now = head->reason });
	head->job = UINT32_MAX;
}

static bool may_start(struct sl_pass *pass, sl_job job)
{
	return !pass_over(pass) && pass->open && sl_job_is(job) && is_waiting(pass, job.row);
}

static void set_running(struct sl_pass *pass, uint32_t job)
{
	if (pass->start[job] == SL_NONE)
		pass->start[job] = pass->now;
	pass->job_state[job] = SL_RUNNING;
	if (pass->course)
		course_start(pass, job);
}

static void set_waiting(struct sl_pass *pass, uint32_t job, int64_t kept)
{
	if (pass->course) {
		course_unlink(pass, job);
		course_back(pass, job, kept);
		return;
	}
	pass->start[job] = SL_NONE;
	pass->job_state[job] = SL_PENDING;
}

/* Its promise names nodes, and is due. */
static bool is_named(const struct sl_pass *pass, uint32_t job)
{
	return pass->nodes && pass->promise && pass->promise[job] != SL_NONE &&
	       pass->promise[job] <= pass->now;
}

static bool start(struct sl_pass *pass, uint32_t job, const struct where *where)
{
	const int64_t kept = course_keep(pass, job);
	const bool named = !where->piece && !where->holding && !where->tasks && is_named(pass, job);
	if (pass->status)
		return false;
	const sl_time was = named ? pass->promise[job] : promise_release(pass, job);
	set_running(pass, job);
	if (where->tasks) {
		pass->course[job].tasks = where->tasks;
		course_due(pass, job);
	}
	if (!(named ? room_take_promised(pass, job) : room_take(pass, job, where))) {
		set_waiting(pass, job, kept);
		if (!named)
			promise_restore(pass, job, was);
		return false;
	}
	head_leaves(pass, job);
	pass->running++;
	queue_take(pass, job);
	act(pass, (struct action){ .kind = ACTION_START, .job = job, .was = was, .now = kept });
	return true;
}

bool sl_start(struct sl_pass *pass, sl_job job)
{
	if (!may_start(pass, job) ||
		(!pass->nodes && !cluster_fits(&pass->cluster, pass->jobs->size[job.row])))
		return false;
	return start(pass, job.row, &(struct where){ 0 });
}

/* Between which sizes a job of one group may be. */
static bool may_have(const struct sl_pass *pass, sl_job job, uint32_t tasks)
{
	const struct sl_request *request = &pass->requests[pass->request[job.row]];
	return request->group_count == 1 && tasks && tasks >= request->group->tasks_min &&
	       tasks <= request->group->tasks_max;
}

/* Of given amounts: whatever it says of the least. */
static bool may_be_given(const struct sl_pass *pass, sl_job job, uint32_t tasks)
{
	const struct sl_request *request = &pass->requests[pass->request[job.row]];
	return request->group_count == 1 && tasks && tasks <= request->group->tasks_max;
}

bool sl_start_sized(struct sl_pass *pass, sl_job job, uint32_t tasks)
{
	if (!may_start(pass, job) || !pass->nodes || pass->placer || !pass->course ||
		!may_have(pass, job, tasks))
		return false;
	if (tasks == pass->requests[pass->request[job.row]].group->tasks)
		return sl_start(pass, job);
	return start(pass, job.row, &(struct where){ .tasks = tasks });
}

bool sl_start_sized_holding(
	struct sl_pass *pass, sl_job job, const struct sl_holding *holding, size_t count, uint32_t tasks)
{
	if (!may_start(pass, job) || !pass->nodes || pass->placer || !pass->course || !holding || !count ||
		!may_be_given(pass, job, tasks))
		return false;
	const uint32_t asked = pass->requests[pass->request[job.row]].group->tasks;
	return start(pass, job.row,
		&(struct where){ .holding = holding, .count = count, .tasks = tasks == asked ? 0 : tasks });
}

bool sl_start_on(struct sl_pass *pass, sl_job job, const struct sl_piece *piece, size_t count)
{
	const struct where where = { .piece = piece, .count = count };
	return may_start(pass, job) && pass->nodes && !pass->placer && piece && start(pass, job.row, &where);
}

bool sl_start_holding(struct sl_pass *pass, sl_job job, const struct sl_holding *holding, size_t count)
{
	const struct where where = { .holding = holding, .count = count };
	return may_start(pass, job) && pass->nodes && !pass->placer && holding && count &&
	       start(pass, job.row, &where);
}

void sl_promises_start(struct sl_pass *pass)
{
	size_t count = 0;
	while (promise_next(pass) <= pass->now) {
		const struct ev ev = evq_pop(&pass->due);
		const int status = SL_GROW_MOST(
			pass->scratch, pass->scratch_capacity, count + 1, UINT32_MAX, &pass->err);
		if (status) {
			pass_failed(pass, status);
			return;
		}
		pass->scratch[count++] = ev.row;
	}
	(void)sort_rows(pass, pass->scratch, count);
	for (size_t i = 0; i < count; i++)
		if ((!i || pass->scratch[i] != pass->scratch[i - 1]) &&
			!sl_start(pass, (sl_job){ pass->scratch[i] }))
			pass_failed(pass, sl_fail(&pass->err, SL_POLICY,
						  "job %lld does not fit at its promise: the plan was not "
						  "renewed when sl_promises_broken said so",
						  (long long)pass->jobs->id[pass->scratch[i]]));
}

static void undo_start(struct sl_pass *pass, const struct action *action)
{
	room_untake(pass, action->job);
	pass->running--;
	set_waiting(pass, action->job, action->now);
	queue_put(pass, action->job);
	promise_restore(pass, action->job, action->was);
}

/* ---- Cancel ---------------------------------------------------------------------------------- */

bool sl_cancel(struct sl_pass *pass, sl_job job)
{
	if (!may_start(pass, job))
		return false;
	head_leaves(pass, job.row);
	const sl_time was = promise_release(pass, job.row);
	queue_take(pass, job.row);
	pass->end[job.row] = pass->now;
	pass->job_state[job.row] = SL_CANCELLED;
	act(pass, (struct action){ .kind = ACTION_CANCEL, .job = job.row, .was = was });
	return true;
}

static void undo_cancel(struct sl_pass *pass, const struct action *action)
{
	pass->end[action->job] = SL_NONE;
	pass->job_state[action->job] = SL_PENDING;
	queue_put(pass, action->job);
	promise_restore(pass, action->job, action->was);
}

/* ---- Preempt, resume, resize ----------------------------------------------------------------- */

/* Time suspended so far goes to the attempt. */
static void stand_no_more(struct sl_pass *pass, uint32_t job)
{
	struct course *course = &pass->course[job];
	if (course->stopped == SL_NONE)
		return;
	course->suspended += pass->now - course->stopped;
	course->stopped = SL_NONE;
	pass->suspended--;
}

/* What the job was to hold until its expected end is free from now on. */
static void note_freed(struct sl_pass *pass, uint32_t job)
{
	if (!(pass->uses & SL_USE_PROMISES) || pass->job_state[job] != SL_RUNNING)
		return;
	act_freed(pass);
	freed_until(pass, room_expected(pass, job));
}

static void suspend(struct sl_pass *pass, uint32_t job)
{
	note_freed(pass, job);
	room_suspend(pass, job);
	course_settle(pass, job);
	pass->course[job].stopped = pass->now;
	pass->course[job].due = SL_NEVER;
	pass->job_state[job] = SL_SUSPENDED;
	pass->running--;
	pass->suspended++;
}

/* Out of the machine: what it holds, its place among what runs, its attempt. */
static void leave(struct sl_pass *pass, uint32_t job)
{
	const bool running = pass->job_state[job] == SL_RUNNING;
	struct course *course = &pass->course[job];
	note_freed(pass, job);
	room_give(pass, job);
	course_settle(pass, job);
	stand_no_more(pass, job);
	course_unlink(pass, job);
	course->due = SL_NEVER;
	course->suspended_before += course->suspended;
	course->suspended = 0;
	pass->running -= running;
}

static void requeue(struct sl_pass *pass, uint32_t job, bool keep)
{
	struct course *course = &pass->course[job];
	leave(pass, job);
	if (keep)
		course_checkpoint(pass, job);
	course->work = 0;
	course->done_lost += course->done;
	course->done = 0;
	course->done_part = 0;
	pass->job_state[job] = SL_PENDING;
	queue_put(pass, job);
	if (pass->uses & SL_USE_PROMISES)
		unpromised_put(pass, job);
}

static bool is_end(enum sl_state state)
{
	return state < SL_STATE_COUNT && state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

static bool preempt(struct sl_pass *pass, sl_job job, enum sl_preempt how, enum sl_state as)
{
	if (!pass->open || !pass->course || !sl_job_is(job) || how >= SL_PREEMPT_COUNT || pass_over(pass))
		return false;
	const enum sl_state state = sl_state_of(pass, job);
	if (state != SL_RUNNING && (state != SL_SUSPENDED || how == SL_PREEMPT_SUSPEND))
		return false;
	if (how == SL_PREEMPT_SUSPEND && pass->placer)
		return false;
	if (pass->course[job.row].due == pass->now)
		return false; /* It ends at this very instant. */
	const int64_t kept = course_keep(pass, job.row);
	if (kept < 0)
		return false;
	if (how == SL_PREEMPT_REQUEUE && pass->gates && gates_no_requeue(pass, job.row))
		how = SL_PREEMPT_CANCEL;
	if (how == SL_PREEMPT_SUSPEND) {
		suspend(pass, job.row);
	} else if (how == SL_PREEMPT_CANCEL) {
		leave(pass, job.row);
		pass->end[job.row] = pass->now;
		pass->job_state[job.row] = SL_PREEMPTED;
	} else {
		requeue(pass, job.row, how == SL_PREEMPT_CHECKPOINT);
	}
	act(pass,
		(struct action){
			.kind = ACTION_PREEMPT, .job = job.row, .was = preempted_as(how, as), .now = kept });
	return true;
}

bool sl_preempt(struct sl_pass *pass, sl_job job, enum sl_preempt how)
{
	return preempt(pass, job, how, SL_PREEMPTED);
}

bool sl_requeue(struct sl_pass *pass, sl_job job, enum sl_state as)
{
	return is_controlled(pass) && is_end(as) && preempt(pass, job, SL_PREEMPT_REQUEUE, as);
}

/* Undoes leave: its course is as it was already. */
static void rejoin(struct sl_pass *pass, uint32_t job, const struct course_kept *before)
{
	pass->running += before->state == SL_RUNNING;
	pass->suspended += before->state == SL_SUSPENDED;
	course_link(pass, job, before->course.before);
	room_restore(pass, job, false);
}

static void undo_preempt(struct sl_pass *pass, const struct action *action)
{
	const uint32_t job = action->job;
	const enum sl_preempt how = preempted_how(action);
	const struct course_kept before = pass->course_kept[action->now];
	if (how == SL_PREEMPT_REQUEUE || how == SL_PREEMPT_CHECKPOINT) {
		SL_CHECK(!(pass->uses & SL_USE_PROMISES) || pass->promise[job] == SL_NONE);
		queue_take(pass, job);
	}
	course_back(pass, job, action->now);
	pass->end[job] = SL_NONE;
	if (how == SL_PREEMPT_SUSPEND) {
		pass->running++;
		pass->suspended--;
		room_restore(pass, job, true);
		return;
	}
	rejoin(pass, job, &before);
}

/* Something takes room that the promises did not know of. */
static void plan_disturbed(struct sl_pass *pass)
{
	if (!(pass->uses & SL_USE_PROMISES))
		return;
	act_freed(pass);
	pass->promises_broken = true;
}

bool sl_resume(struct sl_pass *pass, sl_job job)
{
	if (!pass->open || !pass->course || !sl_job_is(job) || sl_state_of(pass, job) != SL_SUSPENDED)
		return false;
	const int64_t kept = course_keep(pass, job.row);
	if (kept < 0)
		return false;
	struct course *course = &pass->course[job.row];
	stand_no_more(pass, job.row);
	course->since = course->counted = pass->now;
	course->rate = SL_RATE_ONE;
	course_due(pass, job.row);
	pass->job_state[job.row] = SL_RUNNING;
	if (!room_resume(pass, job.row)) {
		course_back(pass, job.row, kept);
		pass->suspended++;
		return false;
	}
	pass->running++;
	plan_disturbed(pass);
	act(pass, (struct action){ .kind = ACTION_RESUME, .job = job.row, .now = kept });
	return true;
}

static void undo_resume(struct sl_pass *pass, const struct action *action)
{
	room_suspend(pass, action->job);
	course_back(pass, action->job, action->now);
	pass->running--;
	pass->suspended++;
}

static bool may_resize(const struct sl_pass *pass, sl_job job)
{
	return pass->open && pass->course && pass->nodes && !pass->placer && sl_job_is(job) &&
	       sl_state_of(pass, job) == SL_RUNNING && pass->course[job.row].due != pass->now;
}

static bool resized(struct sl_pass *pass, uint32_t job, uint32_t tasks, int64_t kept)
{
	course_settle(pass, job);
	pass->course[job].tasks = tasks;
	course_due(pass, job);
	room_resized(pass, job);
	plan_disturbed(pass);
	act(pass, (struct action){ .kind = ACTION_RESIZE, .job = job, .now = kept });
	return true;
}

bool sl_resize(struct sl_pass *pass, sl_job job, uint32_t tasks)
{
	if (!may_resize(pass, job) || !may_have(pass, job, tasks) || tasks == sl_tasks_of(pass, job))
		return false;
	const int64_t kept = course_keep(pass, job.row);
	return kept >= 0 && nodes_resize(pass->nodes, job.row, tasks) && resized(pass, job.row, tasks, kept);
}

bool sl_resize_holding(
	struct sl_pass *pass, sl_job job, const struct sl_holding *holding, size_t count, uint32_t tasks)
{
	if (!may_resize(pass, job) || !may_be_given(pass, job, tasks) || !holding)
		return false;
	const int64_t kept = course_keep(pass, job.row);
	return kept >= 0 && nodes_resize_holding(pass->nodes, job.row, holding, count) &&
	       resized(pass, job.row, tasks, kept);
}

static void undo_resize(struct sl_pass *pass, const struct action *action)
{
	nodes_resize_undo(pass->nodes, action->job);
	course_back(pass, action->job, action->now);
	room_resized(pass, action->job);
}

bool sl_reserve(struct sl_pass *pass, const struct sl_window *window)
{
	if (!pass->open || window->until <= pass->now || window->from >= window->until)
		return false;
	const sl_time from = window->from > pass->now ? window->from : pass->now;
	if (pass->nodes ? !nodes_window_add(
				  pass->nodes, window->node, window->node_count, from, window->until)
			: !window_add(pass, from, window->until, window->cpus))
		return false;
	const uint32_t row = pass->nodes ? UINT32_MAX : (uint32_t)pass->window_count - 1;
	plan_disturbed(pass);
	act(pass, (struct action){ .kind = ACTION_RESERVE, .job = row, .was = from, .now = window->until });
	return true;
}

static void undo_reserve(struct sl_pass *pass)
{
	if (pass->nodes)
		nodes_window_undo(pass->nodes);
	else
		window_undo(pass);
}

/* ---- SL_USE_CONTROL: ends -------------------------------------------------------------------- */

/* A waiting job; why: it is refused. */
static bool end_waiting(struct sl_pass *pass, uint32_t job, enum sl_state state, const char *why)
{
	const int64_t kept = course_keep(pass, job);
	if (kept < 0)
		return false;
	head_leaves(pass, job);
	const sl_time was = promise_release(pass, job);
	queue_take(pass, job);
	pass->end[job] = pass->now;
	pass->job_state[job] = (uint8_t)state;
	act(pass, (struct action){ .kind = ACTION_END, .job = job, .was = was, .now = kept, .why = why });
	return true;
}

bool sl_refuse(struct sl_pass *pass, sl_job job, const char *why)
{
	SL_CHECK(why);
	return is_controlled(pass) && may_start(pass, job) && end_waiting(pass, job.row, SL_CANCELLED, why);
}

bool sl_end(struct sl_pass *pass, sl_job job, enum sl_state state)
{
	if (!is_controlled(pass) || !pass->open || !sl_job_is(job) || !is_end(state))
		return false;
	if (is_waiting(pass, job.row))
		return end_waiting(pass, job.row, state, NULL);
	const enum sl_state was = sl_state_of(pass, job);
	if (was != SL_RUNNING && was != SL_SUSPENDED)
		return false;
	const int64_t kept = course_keep(pass, job.row);
	if (kept < 0)
		return false;
	leave(pass, job.row);
	pass->end[job.row] = pass->now;
	pass->job_state[job.row] = (uint8_t)state;
	act(pass, (struct action){ .kind = ACTION_END, .job = job.row, .now = kept });
	return true;
}

static void undo_end(struct sl_pass *pass, const struct action *action)
{
	const uint32_t job = action->job;
	const struct course_kept before = pass->course_kept[action->now];
	course_back(pass, job, action->now);
	pass->end[job] = SL_NONE;
	if (before.state == SL_PENDING) {
		queue_put(pass, job);
		promise_restore(pass, job, action->was);
	} else {
		rejoin(pass, job, &before);
	}
}

void sl_set_eligible(struct sl_pass *pass, sl_job job, sl_time at)
{
	if (!is_controlled(pass) || !sl_job_is(job))
		return;
	if (pass->open)
		act(pass, (struct action){
				  .kind = ACTION_ELIGIBLE, .job = job.row, .was = pass->eligible[job.row] });
	pass->eligible[job.row] = at;
}

/* ---- Undo ------------------------------------------------------------------------------------ */

void undo_action(struct sl_pass *pass, const struct action *action)
{
	switch (action->kind) {
	case ACTION_START:
		undo_start(pass, action);
		break;
	case ACTION_CANCEL:
		undo_cancel(pass, action);
		break;
	case ACTION_END:
		undo_end(pass, action);
		break;
	case ACTION_ELIGIBLE:
		pass->eligible[action->job] = action->was;
		break;
	case ACTION_PREEMPT:
		undo_preempt(pass, action);
		break;
	case ACTION_RESUME:
		undo_resume(pass, action);
		break;
	case ACTION_RESIZE:
		undo_resize(pass, action);
		break;
	case ACTION_RESERVE:
		undo_reserve(pass);
		break;
	case ACTION_PROMISE:
		promise_undo(pass, action->job);
		promise_restore(pass, action->job, action->was);
		break;
	case ACTION_HEAD:
		/* One of the two is a job, and says of which lane. */
		*lane_head(pass, action->job != UINT32_MAX ? action->job : (uint32_t)action->was) =
			(struct head){ (uint32_t)action->was, (enum sl_reason)action->now };
		break;
	case ACTION_WAKE:
		pass->wake = action->was;
		break;
	case ACTION_LEDGER:
		pass->ledger[action->job].amount[action->now] = action->was;
		break;
	case ACTION_FREED:
		pass->freed = pass->freed_kept[action->was];
		pass->freed_kept_count = (size_t)action->was;
		pass->promises_broken = action->now;
		break;
	case ACTION_BY:
		by_undo(pass, action);
		break;
	case ACTION_REASON:
		if (action->was & 0xffff)
			lane_head(pass, action->job)->reason = (enum sl_reason)(action->was - 1);
		else if (action->was)
			pass->reason_now[action->job] = (uint8_t)((action->was >> 16) - 1);
		break;
	case ACTION_TIMER:
	case ACTION_PLAN:
		break; /* Nothing but the action itself. */
	}
}

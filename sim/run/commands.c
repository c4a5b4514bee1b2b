/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commands.c - the commands of a policy on jobs in a pass, each with its undo.
 *
 * Undo runs backwards through the actions, so each finds the state as it left it.
 */

#include "sim/run/models.h"
#include "sim/run/plain.h"

/* ---- Progress before it changed ------------------------------------------------------------- */

/* Its place in progress_kept, -1 without progress entries. */
static int64_t progress_keep(struct sim *sim, uint32_t job)
{
	if (!sim->progress)
		return -1;
	const int status = SL_GROW_MOST(sim->progress_kept, sim->progress_kept_capacity,
		sim->progress_kept_count + 1, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return -1;
	}
	sim->progress_kept[sim->progress_kept_count] = (struct progress_kept){ .progress = sim->progress[job],
		.estimate = sim->estimate[job],
		.start = sim->start[job],
		.state = (enum sl_state)sim->job_state[job] };
	return (int64_t)sim->progress_kept_count++;
}

static void progress_back(struct sim *sim, uint32_t job, int64_t kept)
{
	const struct progress_kept *before = &sim->progress_kept[kept];
	sim->progress[job] = before->progress;
	sim->estimate_own[job] = before->estimate;
	sim->start[job] = before->start;
	sim->job_state[job] = (uint8_t)before->state;
	sim->progress_kept_count = (size_t)kept;
}

/* The work of the attempt that a preemption ended. */
sl_time progress_kept_work(const struct sim *sim, const struct action *action)
{
	const struct progress_kept *before = &sim->progress_kept[action->now];
	if (sim->models)
		return progress_done(sim, action->job, &before->progress, before->state == SL_RUNNING, NULL);
	if (before->state != SL_RUNNING)
		return before->progress.work;
	const struct sl_group *group =
		before->progress.tasks ? sim->requests[sim->request[action->job]].group : NULL;
	const sl_time ran = sim->now - before->progress.since - before->progress.loading;
	const __int128 length = ran > 0 ? ran : 0;
	return before->progress.work +
	       (sl_time)(group ? length * before->progress.tasks / group->tasks : length);
}

/* ---- Start ----------------------------------------------------------------------------------- */

static void head_leaves(struct sim *sim, uint32_t job)
{
	struct head *head = lane_head(sim, job);
	if (head->job != job)
		return;
	act(sim, (struct action){
			 .kind = ACTION_HEAD, .job = UINT32_MAX, .was = head->job, .now = head->reason });
	head->job = UINT32_MAX;
}

static bool may_start(struct sim *sim, sl_job job)
{
	return !pass_over(sim) && sim->open && sl_job_is(job) && is_waiting(sim, job.row);
}

/* Most that are tried are too large. (Whoever tries one job after another asks for the next, and that is
 * where a run is stopped.) */
static bool may_start_plain(const struct sim *sim, uint32_t job)
{
	return job < sim->submitted && cluster_fits(&sim->cluster, sim->jobs->size[job]) && !sim->status &&
	       sim->open && sim->job_state[job] == SL_PENDING;
}

SL_INLINED void set_running(struct sim *sim, uint32_t job, const bool plain)
{
	if (sim->start[job] == SL_NONE)
		sim->start[job] = sim->now;
	sim->job_state[job] = SL_RUNNING;
	if (!plain && sim->progress)
		progress_begins(sim, job);
}

SL_INLINED void set_waiting(struct sim *sim, uint32_t job, int64_t kept, const bool plain)
{
	if (!plain && sim->progress) {
		progress_unlink(sim, job);
		progress_back(sim, job, kept);
		return;
	}
	sim->start[job] = SL_NONE;
	sim->job_state[job] = SL_PENDING;
}

/* Its promise names nodes, and is due. */
static bool commands_is_named(const struct sim *sim, uint32_t job)
{
	return sim->nodes && sim->promise && sim->promise[job] != SL_NONE && sim->promise[job] <= sim->now;
}

SL_INLINED bool start_of(struct sim *sim, uint32_t job, const struct where *where, const bool plain)
{
	const int64_t kept = plain ? -1 : progress_keep(sim, job);
	const bool named =
		!plain && !where->alloc && !where->node_alloc && !where->tasks && commands_is_named(sim, job);
	if (sim->status)
		return false;
	const sl_time was = plain ? SL_NONE : named ? sim->promise[job] : promise_release(sim, job);
	set_running(sim, job, plain);
	if (!plain && where->tasks) {
		sim->progress[job].tasks = where->tasks;
		progress_due(sim, job);
	}
	if (!(named ? allocation_take_promised(sim, job) : make_of(sim, job, where, plain))) {
		set_waiting(sim, job, kept, plain);
		if (!plain && !named)
			promise_restore(sim, job, was);
		return false;
	}
	if (!plain || sim->head.job == job)
		head_leaves(sim, job);
	sim->running++;
	queue_take_of(sim, job, plain);
	act(sim, (struct action){ .kind = ACTION_START, .job = job, .was = was, .now = kept });
	return true;
}

static bool commands_start(struct sim *sim, uint32_t job, const struct where *where)
{
	return start_of(sim, job, where, false);
}

/* Apart, so that a refusal saves no registers. */
__attribute__((noinline)) static bool start_plain(struct sim *sim, uint32_t job)
{
	return start_of(sim, job, &(struct where){ 0 }, true);
}

bool sl_start(struct sim *sim, sl_job job)
{
	if (sim->plain)
		return may_start_plain(sim, job.row) && start_plain(sim, job.row);
	if (!may_start(sim, job) || (!sim->nodes && !cluster_fits(&sim->cluster, sim->jobs->size[job.row])))
		return false;
	return commands_start(sim, job.row, &(struct where){ 0 });
}

/* Between which sizes a job of one group may be. */
static bool may_have(const struct sim *sim, sl_job job, uint32_t tasks)
{
	const struct sl_request *request = &sim->requests[sim->request[job.row]];
	return request->group_count == 1 && tasks && tasks >= request->group->tasks_min &&
	       tasks <= request->group->tasks_max;
}

/* With given amounts: whatever its tasks_min. */
static bool may_be_given(const struct sim *sim, sl_job job, uint32_t tasks)
{
	const struct sl_request *request = &sim->requests[sim->request[job.row]];
	return request->group_count == 1 && tasks && tasks <= request->group->tasks_max;
}

bool sl_start_sized(struct sim *sim, sl_job job, uint32_t tasks)
{
	if (!may_start(sim, job) || !sim->nodes || sim->allocator || !sim->progress ||
		!may_have(sim, job, tasks))
		return false;
	if (tasks == sim->requests[sim->request[job.row]].group->tasks)
		return sl_start(sim, job);
	return commands_start(sim, job.row, &(struct where){ .tasks = tasks });
}

bool sl_start_sized_alloc(
	struct sim *sim, sl_job job, const struct sl_node_alloc *node_alloc, size_t count, uint32_t tasks)
{
	if (!may_start(sim, job) || !sim->nodes || sim->allocator || !sim->progress || !node_alloc ||
		!count || !may_be_given(sim, job, tasks))
		return false;
	const uint32_t asked = sim->requests[sim->request[job.row]].group->tasks;
	return commands_start(sim, job.row,
		&(struct where){
			.node_alloc = node_alloc, .count = count, .tasks = tasks == asked ? 0 : tasks });
}

bool sl_start_on(struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count)
{
	const struct where where = { .alloc = alloc, .count = count };
	return may_start(sim, job) && sim->nodes && !sim->allocator && alloc &&
	       commands_start(sim, job.row, &where);
}

/* It began before the run did, and is there once. */
static bool runs_on_at(struct sim *sim, uint32_t job, const struct where *where)
{
	if (!sim->nodes || !where->count || !allocation_found(sim, job, where))
		return false;
	sim->runs_on = UINT32_MAX;
	return true;
}

bool sl_start_alloc(struct sim *sim, sl_job job, const struct sl_node_alloc *node_alloc, size_t count)
{
	const struct where where = { .node_alloc = node_alloc, .count = count };
	if (sl_job_is(job) && job.row == sim->runs_on)
		return runs_on_at(sim, job.row, &where);
	return may_start(sim, job) && sim->nodes && !sim->allocator && node_alloc && count &&
	       commands_start(sim, job.row, &where);
}

void sl_promises_start(struct sim *sim)
{
	size_t count = 0;
	while (promise_next(sim) <= sim->now) {
		const struct ev ev = evq_pop(&sim->due);
		const int status =
			SL_GROW_MOST(sim->scratch, sim->scratch_capacity, count + 1, UINT32_MAX, &sim->err);
		if (status) {
			pass_failed(sim, status);
			return;
		}
		sim->scratch[count++] = ev.row;
	}
	(void)sort_rows(sim, sim->scratch, count);
	for (size_t i = 0; i < count; i++)
		if ((!i || sim->scratch[i] != sim->scratch[i - 1]) &&
			!sl_start(sim, (sl_job){ sim->scratch[i] }))
			pass_failed(sim, sl_fail(&sim->err, SL_POLICY,
						 "job %lld does not fit at its promise: the plan was not "
						 "renewed when sl_promises_broken said so",
						 (long long)sim->jobs->id[sim->scratch[i]]));
}

static void undo_start(struct sim *sim, const struct action *action)
{
	allocation_untake(sim, action->job);
	sim->running--;
	set_waiting(sim, action->job, action->now, false);
	queue_put(sim, action->job);
	promise_restore(sim, action->job, action->was);
}

/* ---- Cancel ---------------------------------------------------------------------------------- */

bool sl_cancel(struct sim *sim, sl_job job)
{
	if (!may_start(sim, job))
		return false;
	head_leaves(sim, job.row);
	const sl_time was = promise_release(sim, job.row);
	queue_take(sim, job.row);
	sim->end[job.row] = sim->now;
	sim->job_state[job.row] = SL_CANCELLED;
	act(sim, (struct action){ .kind = ACTION_CANCEL, .job = job.row, .was = was });
	return true;
}

static void undo_cancel(struct sim *sim, const struct action *action)
{
	sim->end[action->job] = SL_NONE;
	sim->job_state[action->job] = SL_PENDING;
	queue_put(sim, action->job);
	promise_restore(sim, action->job, action->was);
}

/* ---- Preempt, resume, resize ----------------------------------------------------------------- */

/* Time suspended so far goes to the attempt. */
static void stand_no_more(struct sim *sim, uint32_t job)
{
	struct progress *progress = &sim->progress[job];
	if (progress->stopped == SL_NONE)
		return;
	progress->suspended += sim->now - progress->stopped;
	progress->stopped = SL_NONE;
	sim->suspended--;
}

/* The job's allocation until its expected end is free from now on. */
static void note_freed(struct sim *sim, uint32_t job)
{
	if (!(sim->uses & SL_USE_PROMISES) || sim->job_state[job] != SL_RUNNING)
		return;
	act_freed(sim);
	freed_until(sim, expected_room(sim, job));
}

static void suspend(struct sim *sim, uint32_t job)
{
	note_freed(sim, job);
	allocation_suspend(sim, job);
	progress_settle(sim, job);
	sim->progress[job].stopped = sim->now;
	sim->progress[job].due = SL_NEVER;
	sim->job_state[job] = SL_SUSPENDED;
	sim->running--;
	sim->suspended++;
}

/* Leaves the cluster: its allocation, its place among the running jobs, its attempt. */
static void commands_leave(struct sim *sim, uint32_t job)
{
	const bool running = sim->job_state[job] == SL_RUNNING;
	struct progress *progress = &sim->progress[job];
	note_freed(sim, job);
	allocation_release(sim, job);
	progress_settle(sim, job);
	stand_no_more(sim, job);
	progress_unlink(sim, job);
	progress->due = SL_NEVER;
	progress->suspended_before += progress->suspended;
	progress->suspended = 0;
	sim->running -= running;
}

static void requeue(struct sim *sim, uint32_t job, bool keep)
{
	struct progress *progress = &sim->progress[job];
	commands_leave(sim, job);
	if (keep)
		progress_checkpoint(sim, job);
	progress->work = 0;
	progress->done_lost += progress->done;
	progress->done = 0;
	progress->done_part = 0;
	sim->job_state[job] = SL_PENDING;
	queue_put(sim, job);
	if (sim->uses & SL_USE_PROMISES)
		unpromised_put(sim, job);
}

static bool is_end(enum sl_state state)
{
	return state < SL_STATE_COUNT && state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

static bool preempt(struct sim *sim, sl_job job, enum sl_preempt how, enum sl_state as)
{
	if (!sim->open || !sim->progress || !sl_job_is(job) || how >= SL_PREEMPT_COUNT || pass_over(sim))
		return false;
	const enum sl_state state = sl_state_of(sim, job);
	if (state != SL_RUNNING && (state != SL_SUSPENDED || how == SL_PREEMPT_SUSPEND))
		return false;
	if (how == SL_PREEMPT_SUSPEND && sim->allocator)
		return false;
	if (sim->progress[job.row].due == sim->now)
		return false; /* It ends at this very instant. */
	const int64_t kept = progress_keep(sim, job.row);
	if (kept < 0)
		return false;
	if (how == SL_PREEMPT_REQUEUE && sim->eligibility && eligibility_no_requeue(sim, job.row))
		how = SL_PREEMPT_CANCEL;
	if (how == SL_PREEMPT_SUSPEND) {
		suspend(sim, job.row);
	} else if (how == SL_PREEMPT_CANCEL) {
		commands_leave(sim, job.row);
		sim->end[job.row] = sim->now;
		sim->job_state[job.row] = SL_PREEMPTED;
	} else {
		requeue(sim, job.row, how == SL_PREEMPT_CHECKPOINT);
	}
	act(sim, (struct action){
			 .kind = ACTION_PREEMPT, .job = job.row, .was = preempted_as(how, as), .now = kept });
	return true;
}

bool sl_preempt(struct sim *sim, sl_job job, enum sl_preempt how)
{
	return preempt(sim, job, how, SL_PREEMPTED);
}

bool sl_requeue(struct sim *sim, sl_job job, enum sl_state as)
{
	return is_controlled(sim) && is_end(as) && preempt(sim, job, SL_PREEMPT_REQUEUE, as);
}

/* Undoes leave: its progress is as it was already. */
static void rejoin(struct sim *sim, uint32_t job, const struct progress_kept *before)
{
	sim->running += before->state == SL_RUNNING;
	sim->suspended += before->state == SL_SUSPENDED;
	progress_link(sim, job, before->progress.before);
	allocation_restore(sim, job, false);
}

static void undo_preempt(struct sim *sim, const struct action *action)
{
	const uint32_t job = action->job;
	const enum sl_preempt how = preempted_how(action);
	const struct progress_kept before = sim->progress_kept[action->now];
	if (how == SL_PREEMPT_REQUEUE || how == SL_PREEMPT_CHECKPOINT) {
		SL_CHECK(!(sim->uses & SL_USE_PROMISES) || sim->promise[job] == SL_NONE);
		queue_take(sim, job);
	}
	progress_back(sim, job, action->now);
	sim->end[job] = SL_NONE;
	if (how == SL_PREEMPT_SUSPEND) {
		sim->running++;
		sim->suspended--;
		allocation_restore(sim, job, true);
		return;
	}
	rejoin(sim, job, &before);
}

/* Something was allocated that the promises did not count. */
static void plan_disturbed(struct sim *sim)
{
	if (!(sim->uses & SL_USE_PROMISES))
		return;
	act_freed(sim);
	sim->promises_broken = true;
}

bool sl_resume(struct sim *sim, sl_job job)
{
	if (!sim->open || !sim->progress || !sl_job_is(job) || sl_state_of(sim, job) != SL_SUSPENDED)
		return false;
	const int64_t kept = progress_keep(sim, job.row);
	if (kept < 0)
		return false;
	struct progress *progress = &sim->progress[job.row];
	stand_no_more(sim, job.row);
	progress->since = progress->counted = sim->now;
	progress->speed = SL_SPEED_ONE;
	progress_due(sim, job.row);
	sim->job_state[job.row] = SL_RUNNING;
	if (!allocation_resume(sim, job.row)) {
		progress_back(sim, job.row, kept);
		sim->suspended++;
		return false;
	}
	sim->running++;
	plan_disturbed(sim);
	act(sim, (struct action){ .kind = ACTION_RESUME, .job = job.row, .now = kept });
	return true;
}

static void undo_resume(struct sim *sim, const struct action *action)
{
	allocation_suspend(sim, action->job);
	progress_back(sim, action->job, action->now);
	sim->running--;
	sim->suspended++;
}

static bool may_resize(const struct sim *sim, sl_job job)
{
	return sim->open && sim->progress && sim->nodes && !sim->allocator && sl_job_is(job) &&
	       sl_state_of(sim, job) == SL_RUNNING && sim->progress[job.row].due != sim->now;
}

static bool resized(struct sim *sim, uint32_t job, uint32_t tasks, int64_t kept)
{
	progress_settle(sim, job);
	sim->progress[job].tasks = tasks;
	progress_due(sim, job);
	allocation_resized(sim, job);
	plan_disturbed(sim);
	act(sim, (struct action){ .kind = ACTION_RESIZE, .job = job, .now = kept });
	return true;
}

bool sl_resize(struct sim *sim, sl_job job, uint32_t tasks)
{
	if (!may_resize(sim, job) || !may_have(sim, job, tasks) || tasks == sl_tasks_of(sim, job))
		return false;
	const int64_t kept = progress_keep(sim, job.row);
	return kept >= 0 && nodes_resize(sim->nodes, job.row, tasks) && resized(sim, job.row, tasks, kept);
}

/* A job of several groups keeps its speed. */
static bool may_keep(const struct sim *sim, sl_job job, uint32_t tasks)
{
	return !tasks && sim->requests[sim->request[job.row]].group_count > 1;
}

bool sl_resize_alloc(
	struct sim *sim, sl_job job, const struct sl_node_alloc *node_alloc, size_t count, uint32_t tasks)
{
	if (!may_resize(sim, job) || !node_alloc ||
		(!may_keep(sim, job, tasks) && !may_be_given(sim, job, tasks)))
		return false;
	const int64_t kept = progress_keep(sim, job.row);
	return kept >= 0 && nodes_resize_node_alloc(sim->nodes, job.row, node_alloc, count) &&
	       resized(sim, job.row, tasks, kept);
}

static void undo_resize(struct sim *sim, const struct action *action)
{
	nodes_resize_undo(sim->nodes, action->job);
	progress_back(sim, action->job, action->now);
	allocation_resized(sim, action->job);
}

bool sl_reserve(struct sim *sim, const struct sl_window *window)
{
	if (!sim->open || window->until <= sim->now || window->from >= window->until)
		return false;
	const sl_time from = window->from > sim->now ? window->from : sim->now;
	if (sim->nodes ? !nodes_window_add(sim->nodes, window->node, window->node_count, from, window->until)
		       : !window_add(sim, from, window->until, window->cpus))
		return false;
	const uint32_t row = sim->nodes ? UINT32_MAX : (uint32_t)sim->window_count - 1;
	plan_disturbed(sim);
	act(sim, (struct action){ .kind = ACTION_RESERVE, .job = row, .was = from, .now = window->until });
	return true;
}

static void undo_reserve(struct sim *sim)
{
	if (sim->nodes)
		nodes_window_undo(sim->nodes);
	else
		window_undo(sim);
}

/* ---- SL_USE_CONTROL: ends -------------------------------------------------------------------- */

/* A waiting job; why: it is refused. */
static bool end_waiting(struct sim *sim, uint32_t job, enum sl_state state, const char *why)
{
	const int64_t kept = progress_keep(sim, job);
	if (kept < 0)
		return false;
	head_leaves(sim, job);
	const sl_time was = promise_release(sim, job);
	queue_take(sim, job);
	sim->end[job] = sim->now;
	sim->job_state[job] = (uint8_t)state;
	act(sim, (struct action){ .kind = ACTION_END, .job = job, .was = was, .now = kept, .why = why });
	return true;
}

bool sl_refuse(struct sim *sim, sl_job job, const char *why)
{
	SL_CHECK(why);
	return is_controlled(sim) && may_start(sim, job) && end_waiting(sim, job.row, SL_CANCELLED, why);
}

bool sl_end(struct sim *sim, sl_job job, enum sl_state state)
{
	if (!is_controlled(sim) || !sim->open || !sl_job_is(job) || !is_end(state))
		return false;
	if (is_waiting(sim, job.row))
		return end_waiting(sim, job.row, state, NULL);
	const enum sl_state was = sl_state_of(sim, job);
	if (was != SL_RUNNING && was != SL_SUSPENDED)
		return false;
	const int64_t kept = progress_keep(sim, job.row);
	if (kept < 0)
		return false;
	commands_leave(sim, job.row);
	sim->end[job.row] = sim->now;
	sim->job_state[job.row] = (uint8_t)state;
	act(sim, (struct action){ .kind = ACTION_END, .job = job.row, .now = kept });
	return true;
}

static void undo_end(struct sim *sim, const struct action *action)
{
	const uint32_t job = action->job;
	const struct progress_kept before = sim->progress_kept[action->now];
	progress_back(sim, job, action->now);
	sim->end[job] = SL_NONE;
	if (before.state == SL_PENDING) {
		queue_put(sim, job);
		promise_restore(sim, job, action->was);
	} else {
		rejoin(sim, job, &before);
	}
}

void sl_set_eligible(struct sim *sim, sl_job job, sl_time at)
{
	if (!is_controlled(sim) || !sl_job_is(job))
		return;
	if (sim->open)
		act(sim, (struct action){
				 .kind = ACTION_ELIGIBLE, .job = job.row, .was = sim->eligible[job.row] });
	sim->eligible[job.row] = at;
}

/* ---- Undo ------------------------------------------------------------------------------------ */

void undo_action(struct sim *sim, const struct action *action)
{
	switch (action->kind) {
	case ACTION_START:
		undo_start(sim, action);
		break;
	case ACTION_CANCEL:
		undo_cancel(sim, action);
		break;
	case ACTION_END:
		undo_end(sim, action);
		break;
	case ACTION_ELIGIBLE:
		sim->eligible[action->job] = action->was;
		break;
	case ACTION_PREEMPT:
		undo_preempt(sim, action);
		break;
	case ACTION_RESUME:
		undo_resume(sim, action);
		break;
	case ACTION_RESIZE:
		undo_resize(sim, action);
		break;
	case ACTION_RESERVE:
		undo_reserve(sim);
		break;
	case ACTION_PROMISE:
		promise_undo(sim, action->job);
		promise_restore(sim, action->job, action->was);
		break;
	case ACTION_HEAD:
		/* One of the two is a job, and says of which lane. */
		*lane_head(sim, action->job != UINT32_MAX ? action->job : (uint32_t)action->was) =
			(struct head){ (uint32_t)action->was, (enum sl_reason)action->now };
		break;
	case ACTION_WAKE:
		sim->wake = action->was;
		break;
	case ACTION_LEDGER:
		sim->ledger[action->job].amount[action->now] = action->was;
		break;
	case ACTION_FREED:
		sim->freed = sim->freed_kept[action->was];
		sim->freed_kept_count = (size_t)action->was;
		sim->promises_broken = action->now;
		break;
	case ACTION_CAUSE:
		by_undo(sim, action);
		break;
	case ACTION_REASON:
		if (action->was & 0xffff)
			lane_head(sim, action->job)->reason = (enum sl_reason)(action->was - 1);
		else if (action->was)
			sim->reason_now[action->job] = (uint8_t)((action->was >> 16) - 1);
		break;
	case ACTION_TIMER:
	case ACTION_PLAN:
		break; /* Nothing but the action itself. */
	}
}

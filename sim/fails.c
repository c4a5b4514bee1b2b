/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fails.c - what models put an end to: jobs that fail, for good or to wait again, and jobs that are
 * cancelled.
 *
 * All of it happens between passes, at once: the digest has it, the policy is told, and a pass follows. A job
 * that waits again stands in the queue at its old place; of the work of its attempt it keeps the most that
 * any model says, as from a checkpoint: limit and estimate go on from there, less the same share of the time
 * that it ran, and it loads first (replay.restart). Where nothing is kept they are what they were as it
 * started.
 */
#include "sim/models.h"

static void stirred(struct sl_pass *pass)
{
	pass->models->stirred = true;
	if (pass->options.check)
		check_state(pass);
}

static bool holds_room(const struct sl_pass *pass, uint32_t job)
{
	return is_running(pass, job) || pass->job_state[job] == SL_SUSPENDED;
}

/* ---- Failures --------------------------------------------------------------------------------------- */

/* What models keep of the work of this attempt, which is counted up to now. */
static sl_time kept_by_models(struct sl_pass *pass, uint32_t job)
{
	struct models *models = pass->models;
	const sl_time done = pass->course[job].done;
	const uint32_t asker = models->current;
	sl_time kept = 0;
	for (uint32_t i = 0; i < models->count; i++) {
		const struct instance *instance = &models->of[i];
		if (!instance->model->kept)
			continue;
		models->current = i;
		const sl_time said = instance->model->kept(instance->state, pass, (sl_job){ job }, done);
		kept = said > kept ? said : kept;
	}
	models->current = asker;
	return kept < done ? kept : done;
}

/* So much of its work is kept, and as much of the time that its limit and estimate count. */
static void keep_some(struct sl_pass *pass, uint32_t job, sl_time kept)
{
	struct course *course = &pass->course[job];
	const sl_time ran = kept ? (sl_time)((__int128)course->work * kept / course->done) : 0;
	if (kept) {
		const sl_time left = pass->estimate[job] - course->load - ran;
		course->load = restart_cost(pass->scenario, pass->jobs->size[job]);
		pass->estimate_own[job] = (left > SL_SECOND ? left : SL_SECOND) + course->load;
	}
	course->kept += ran;
	course->done_kept += kept;
	course->done_lost += course->done - kept;
	course->done = course->work = 0;
	course->done_part = 0;
}

/* Out of the machine. The attempt is noted while it is known where it was. */
static void leave_for_now(struct sl_pass *pass, uint32_t job, enum sl_state as)
{
	struct course *course = &pass->course[job];
	course_settle(pass, job);
	const sl_time kept = kept_by_models(pass, job);
	if (course->attempts == 1)
		reason_changes(pass, course->began, job, SL_REASON_NONE, 0);
	reason_changes(pass, pass->now, job, pass->reason_default, 0);
	pass_failed(pass, attempt_add(pass, job, course, as, course->done - kept));
	if (pass->uses & SL_USE_PROMISES && is_running(pass, job))
		freed_until(pass, room_expected(pass, job));
	if (course->stopped != SL_NONE) {
		course->suspended += pass->now - course->stopped;
		course->stopped = SL_NONE;
		pass->suspended--;
	}
	room_give(pass, job);
	course_unlink(pass, job);
	pass->running -= is_running(pass, job);
	course->due = SL_NEVER;
	course->suspended_before += course->suspended;
	course->suspended = 0;
	keep_some(pass, job, kept);
	models_left(pass, job, kept ? SL_LEFT_CHECKPOINT : SL_LEFT_REQUEUE);
}

/* The policy hears of it before the job is queued, so that its key and estimate can be set. */
static void fail_again(struct sl_pass *pass, uint32_t job, enum sl_state as)
{
	leave_for_now(pass, job, as);
	pass->job_state[job] = (uint8_t)as;
	pass_digest(pass, DIGEST_AGAIN + as, job);
	tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_MODEL, job });
	pass->job_state[job] = SL_PENDING;
	queue_job(pass, job);
}

static void fail_for_good(struct sl_pass *pass, uint32_t job, enum sl_state as)
{
	end_job(pass, job, as);
	pass_digest(pass, DIGEST_END + as, job);
	tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_JOB_END, job });
}

void sl_model_fail(struct sl_pass *world, sl_job job, enum sl_state as, bool again)
{
	SL_CHECK(as > SL_SUSPENDED && as < SL_STATE_COUNT);
	if (!holds_room(world, job.row))
		return;
	const bool may = again && !(world->gates && gates_no_requeue(world, job.row));
	if (may && !is_controlled(world))
		fail_again(world, job.row, as);
	else
		fail_for_good(world, job.row, as);
	stirred(world);
}

/* ---- Cancellations ----------------------------------------------------------------------------------- */

void sl_model_cancel(struct sl_pass *world, sl_job job)
{
	const uint32_t row = job.row;
	if (row >= world->submitted)
		return;
	if (holds_room(world, row)) {
		end_job(world, row, SL_CANCELLED);
	} else if (world->job_state[row] == SL_PENDING) {
		if (is_waiting(world, row))
			unqueue_job(world, row);
		world->end[row] = world->now;
		world->job_state[row] = SL_CANCELLED;
		world->ended++;
		if (world->gates)
			gates_ended(world, row);
	} else {
		return;
	}
	pass_digest(world, SL_EV_CANCEL, row);
	if (!is_gated(world, row))
		tell_policy(world, &(struct sl_event){ world->now, SL_EV_CANCEL, row });
	stirred(world);
}

/* ---- Nodes ------------------------------------------------------------------------------------------- */

void sl_model_node_down(struct sl_pass *world, uint32_t node, sl_time expected)
{
	(void)world;
	(void)node;
	(void)expected;
}

void sl_model_node_up(struct sl_pass *world, uint32_t node)
{
	(void)world;
	(void)node;
}

void sl_model_node_drain(struct sl_pass *world, uint32_t node, bool drain)
{
	(void)world;
	(void)node;
	(void)drain;
}

bool sl_node_is_up(const struct sl_pass *world, uint32_t node)
{
	return !world->models || !world->models->down[node];
}

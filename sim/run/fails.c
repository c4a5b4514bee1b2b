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
#include "sim/run/models.h"

/* What was done is something to policies. */
static void asks_pass(struct sl_pass *pass)
{
	pass->needs_pass |= NEEDS_ASKED;
	if (pass->options.check)
		check_state(pass);
}

static bool holds_room(const struct sl_pass *pass, uint32_t job)
{
	return is_running(pass, job) || pass->job_state[job] == SL_SUSPENDED;
}

/* ---- Failures -------------------------------------------------------------------------------- */

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

/* Who has the whole say knows whether it may. */
static bool waits_again(struct sl_pass *pass, uint32_t job)
{
	if (!is_controlled(pass))
		return !(pass->gates && gates_no_requeue(pass, job));
	return pass->policy->requeues && pass->policy->requeues(pass->state, pass, (sl_job){ job });
}

void sl_model_fail(struct sl_pass *world, sl_job job, enum sl_state as, bool again)
{
	SL_CHECK(as > SL_SUSPENDED && as < SL_STATE_COUNT);
	if (!holds_room(world, job.row))
		return;
	if (again && waits_again(world, job.row))
		fail_again(world, job.row, as);
	else
		fail_for_good(world, job.row, as);
	asks_pass(world);
}

/* ---- Put off --------------------------------------------------------------------------------- */

static bool put_off_init(struct sl_pass *pass)
{
	const uint32_t count = pass->jobs->count;
	if (pass->put_off)
		return true;
	pass->put_off = sl_alloc(pass->arena, count, sizeof(*pass->put_off));
	if (!pass->put_off) {
		pass_failed(pass, sl_fail_memory(&pass->err));
		return false;
	}
	for (uint32_t job = 0; job < count; job++)
		pass->put_off[job] = SL_NONE;
	return true;
}

void sl_model_hold_until(struct sl_pass *world, sl_job job, sl_time at)
{
	SL_CHECK(job.row < UINT32_C(1) << MODEL_ROW_BITS);
	if (is_controlled(world) || at <= world->now || at == SL_NEVER || !is_waiting(world, job.row) ||
		!put_off_init(world))
		return;
	unqueue_job(world, job.row);
	world->put_off[job.row] = at;
	world->models->put_off++;
	reason_changes(world, world->now, job.row, SL_REASON_BEGIN_TIME, 0);
	pass_digest(world, DIGEST_PUT_OFF, job.row);
	const uint32_t row = (uint32_t)MODEL_NOBODY << MODEL_ROW_BITS | job.row;
	pass_failed(world, evq_push(&world->events, at, SL_EV_MODEL, row, &world->err));
	asks_pass(world);
}

/* Its policy knows it: key and estimate are what they were as it failed. */
void models_let_in(struct sl_pass *pass, uint32_t job)
{
	pass->models->put_off--;
	pass->put_off[job] = SL_NONE;
	if (pass->job_state[job] != SL_PENDING)
		return; /* It was cancelled meanwhile. */
	queue_job(pass, job);
	reason_changes(pass, pass->now, job, pass->reason_default, 0);
	pass_digest(pass, DIGEST_LET_IN, job);
	tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_RESERVATION, UINT32_MAX });
	asks_pass(pass);
}

/* ---- Cancellations --------------------------------------------------------------------------- */

void sl_model_cancel(struct sl_pass *world, sl_job job)
{
	const uint32_t row = job.row;
	if (row >= world->submitted || (world->feedback && !world->feedback->came[row]))
		return;
	if (holds_room(world, row)) {
		end_job(world, row, SL_CANCELLED);
	} else if (world->job_state[row] == SL_PENDING) {
		if (is_waiting(world, row))
			unqueue_job(world, row);
		world->end[row] = world->now;
		world->job_state[row] = SL_CANCELLED;
		world->ended++;
		others_hear(world, row);
	} else {
		return;
	}
	pass_digest(world, SL_EV_CANCEL, row);
	if (!is_gated(world, row))
		tell_policy(world, &(struct sl_event){ world->now, SL_EV_CANCEL, row });
	asks_pass(world);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void note_node(struct sl_pass *pass, uint32_t node, bool up, bool drain)
{
	struct models *models = pass->models;
	const int status = SL_GROW(
		models->node_change, models->node_change_capacity, models->node_change_count + 1, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		models->node_change[models->node_change_count++] =
			(struct sl_node_change){ pass->now, node, up, drain };
}

/* Shut while it is down or drained; by plans, down until it is expected, drained for ever. */
static void shut_or_open(struct sl_pass *pass, uint32_t node)
{
	struct models *models = pass->models;
	const bool shut = models->down[node] || models->drained[node];
	if (shut)
		nodes_shut(pass->nodes, node, models->drained[node] ? SL_NEVER : models->expected[node]);
	else
		nodes_open(pass->nodes, node);
	pass_failed(pass, nodes_status(pass->nodes, &pass->err));
	uint32_t *place = &models->shut_place[node];
	if (shut && !*place) {
		models->shut[models->nodes_shut++] = node;
		*place = models->nodes_shut;
	} else if (!shut && *place) {
		const uint32_t last = models->shut[--models->nodes_shut];
		models->shut[*place - 1] = last;
		models->shut_place[last] = *place;
		*place = 0;
	}
}

void sl_model_node_ready(struct sl_pass *world, uint32_t node, enum sl_ready ready, bool by_this)
{
	if (!world->nodes)
		return;
	SL_CHECK(node < world->info->node_count);
	world->models->ready[node] = (uint8_t)ready;
	nodes_late(world->nodes, node, by_this ? (uint8_t)ready : SL_READY);
	pass_failed(world, nodes_status(world->nodes, &world->err));
}

/* In order of their starts; each one's failing may be told of at once, so the next is looked for anew. */
static uint32_t runs_on(const struct sl_pass *pass, uint32_t node)
{
	uint32_t job = pass->run_first;
	while (job != UINT32_MAX && !nodes_held_on(pass->nodes, job, node).nodes)
		job = pass->course[job].next;
	return job;
}

void sl_model_node_down(struct sl_pass *world, uint32_t node, sl_time expected)
{
	struct models *models = world->models;
	if (!world->nodes)
		return;
	SL_CHECK(node < world->info->node_count);
	const bool first = !models->down[node]++;
	if (first || expected > models->expected[node])
		models->expected[node] = expected > world->now ? expected : world->now;
	for (uint32_t job; first && (job = runs_on(world, node)) != UINT32_MAX && !world->status;)
		sl_model_fail(world, (sl_job){ job }, SL_NODE_FAIL, true);
	shut_or_open(world, node);
	world->promises_broken = true;
	if (!first)
		return;
	note_node(world, node, false, false);
	pass_digest(world, SL_EV_NODE_DOWN, node);
	models_note(world, (struct told){ TOLD_NODE_DOWN, SL_LEFT_END, node, 0 });
	tell_policy(world, &(struct sl_event){ world->now, SL_EV_NODE_DOWN, node });
	asks_pass(world);
}

/* What was not to be had until it was expected is, from now on. */
static void comes_back(struct sl_pass *pass, uint32_t node)
{
	if (pass->uses & SL_USE_PROMISES)
		freed_until(pass, pass->models->drained[node] ? SL_NEVER : pass->models->expected[node]);
}

void sl_model_node_up(struct sl_pass *world, uint32_t node)
{
	struct models *models = world->models;
	if (!world->nodes || !models->down[node] || --models->down[node])
		return;
	if (!models->drained[node])
		comes_back(world, node);
	shut_or_open(world, node);
	note_node(world, node, true, false);
	pass_digest(world, SL_EV_NODE_UP, node);
	models_note(world, (struct told){ TOLD_NODE_UP, SL_LEFT_END, node, 0 });
	tell_policy(world, &(struct sl_event){ world->now, SL_EV_NODE_UP, node });
	asks_pass(world);
}

void sl_model_node_drain(struct sl_pass *world, uint32_t node, bool drain)
{
	struct models *models = world->models;
	if (!world->nodes || (!drain && !models->drained[node]))
		return;
	SL_CHECK(node < world->info->node_count);
	const bool last = models->drained[node] == 1;
	if (!drain && last && !models->down[node])
		comes_back(world, node);
	models->drained[node] += drain ? 1 : UINT32_MAX;
	if (models->drained[node] != (uint32_t)drain)
		return;
	shut_or_open(world, node);
	world->promises_broken |= drain;
	note_node(world, node, !drain, true);
	pass_digest(world, drain ? DIGEST_DRAIN : DIGEST_UNDRAIN, node);
	tell_policy(world, &(struct sl_event){ world->now, drain ? SL_EV_NODE_DOWN : SL_EV_NODE_UP, node });
	asks_pass(world);
}

bool sl_node_is_up(const struct sl_pass *world, uint32_t node)
{
	return !(world->lens && world->lens[node] > 1) && (!world->models || !world->models->down[node]);
}

enum sl_ready sl_node_ready(const struct sl_pass *world, uint32_t node)
{
	return world->models ? (enum sl_ready)world->models->ready[node] : SL_READY;
}

bool sl_node_is_drained(const struct sl_pass *world, uint32_t node)
{
	return (world->lens && world->lens[node]) || (world->models && world->models->drained[node]);
}

void sl_lens(struct sl_pass *pass, const uint8_t *shut) { pass->lens = shut; }

bool sl_holds_on(const struct sl_pass *world, sl_job job, uint32_t node)
{
	return world->nodes && holds_room(world, job.row) &&
	       nodes_held_on(world->nodes, job.row, node).nodes > 0;
}

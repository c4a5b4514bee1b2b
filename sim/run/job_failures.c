/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_failures.c - jobs ended by models: those that fail, for good or to be requeued, and those that are
 * cancelled.
 *
 * All of it happens between passes, at once: the digest has it, the policy gets an event, and a pass follows.
 * A requeued job has its old place in the queue; of the work of its attempt it keeps the most that any model
 * says, as from a checkpoint: limit and estimate go on from there, less the same share of the time that it
 * ran, and it loads first (replay.restart). Where nothing is kept they are what they were as it started.
 */
#include "sim/run/models.h"

/* What was done is something to policies. */
static void asks_pass(struct sim *sim)
{
	sim->needs_pass |= NEEDS_ASKED;
	if (sim->options.check)
		check_state(sim);
}

static bool holds_allocation(const struct sim *sim, uint32_t job)
{
	return is_running(sim, job) || sim->job_state[job] == SL_SUSPENDED;
}

/* ---- Failures -------------------------------------------------------------------------------- */

/* What models keep of the work of this attempt, which is counted up to now. */
static sl_time kept_by_models(struct sim *sim, uint32_t job)
{
	struct models *models = sim->models;
	const sl_time done = sim->progress[job].done;
	const uint32_t asker = models->current;
	sl_time kept = 0;
	for (uint32_t i = 0; i < models->count; i++) {
		const struct instance *instance = &models->of[i];
		if (!instance->model->kept)
			continue;
		models->current = i;
		const sl_time said = instance->model->kept(instance->state, sim, (sl_job){ job }, done);
		kept = said > kept ? said : kept;
	}
	models->current = asker;
	return kept < done ? kept : done;
}

/* So much of its work is kept, and as much of the time that its limit and estimate count. */
static void keep_some(struct sim *sim, uint32_t job, sl_time kept)
{
	struct progress *progress = &sim->progress[job];
	const sl_time ran = kept ? (sl_time)((__int128)progress->work * kept / progress->done) : 0;
	if (kept) {
		const sl_time left = sim->estimate[job] - progress->load - ran;
		progress->load = restart_cost(sim->scenario, sim->jobs->size[job]);
		sim->estimate_own[job] = (left > SL_SECOND ? left : SL_SECOND) + progress->load;
	}
	progress->kept += ran;
	progress->done_kept += kept;
	progress->done_lost += progress->done - kept;
	progress->done = progress->work = 0;
	progress->done_part = 0;
}

/* Out of the machine. The attempt is recorded while its allocation is known. */
static void leave_for_now(struct sim *sim, uint32_t job, enum sl_state as)
{
	struct progress *progress = &sim->progress[job];
	progress_settle(sim, job);
	const sl_time kept = kept_by_models(sim, job);
	if (progress->attempts == 1)
		reason_changes(sim, progress->began, job, SL_REASON_NONE, 0);
	reason_changes(sim, sim->now, job, sim->reason_default, 0);
	pass_failed(sim, attempt_add(sim, job, progress, as, progress->done - kept));
	if (sim->uses & SL_USE_PROMISES && is_running(sim, job))
		freed_until(sim, expected_room(sim, job));
	if (progress->stopped != SL_NONE) {
		progress->suspended += sim->now - progress->stopped;
		progress->stopped = SL_NONE;
		sim->suspended--;
	}
	allocation_release(sim, job);
	progress_unlink(sim, job);
	sim->running -= is_running(sim, job);
	progress->due = SL_NEVER;
	progress->suspended_before += progress->suspended;
	progress->suspended = 0;
	keep_some(sim, job, kept);
	models_left(sim, job, kept ? SL_LEFT_CHECKPOINT : SL_LEFT_REQUEUE);
}

/* The policy gets the event before the job is queued, so that its key and estimate can be set. */
static void fail_requeue(struct sim *sim, uint32_t job, enum sl_state as)
{
	leave_for_now(sim, job, as);
	sim->job_state[job] = (uint8_t)as;
	digest_fold(sim, DIGEST_REQUEUED + as, job);
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_MODEL, job });
	sim->job_state[job] = SL_PENDING;
	queue_job(sim, job);
}

static void fail_for_good(struct sim *sim, uint32_t job, enum sl_state as)
{
	end_job(sim, job, as);
	digest_fold(sim, DIGEST_END + as, job);
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_JOB_END, job });
}

/* Who has the whole say knows whether it may. */
static bool may_requeue(struct sim *sim, uint32_t job)
{
	if (!is_controlled(sim))
		return !(sim->eligibility && eligibility_no_requeue(sim, job));
	return sim->policy->requeues && sim->policy->requeues(sim->state, sim, (sl_job){ job });
}

void sl_model_fail(struct sim *sim, sl_job job, enum sl_state as, bool retry)
{
	SL_CHECK(as > SL_SUSPENDED && as < SL_STATE_COUNT);
	if (!holds_allocation(sim, job.row))
		return;
	if (retry && may_requeue(sim, job.row))
		fail_requeue(sim, job.row, as);
	else
		fail_for_good(sim, job.row, as);
	asks_pass(sim);
}

/* ---- Deferred --------------------------------------------------------------------------------- */

static bool deferred_init(struct sim *sim)
{
	const uint32_t count = sim->jobs->count;
	if (sim->deferred)
		return true;
	sim->deferred = sl_alloc(sim->arena, count, sizeof(*sim->deferred));
	if (!sim->deferred) {
		pass_failed(sim, sl_fail_memory(&sim->err));
		return false;
	}
	for (uint32_t job = 0; job < count; job++)
		sim->deferred[job] = SL_NONE;
	return true;
}

void sl_model_defer_until(struct sim *sim, sl_job job, sl_time at)
{
	SL_CHECK(job.row < UINT32_C(1) << MODEL_ROW_BITS);
	if (is_controlled(sim) || at <= sim->now || at == SL_NEVER || !is_waiting(sim, job.row) ||
		!deferred_init(sim))
		return;
	unqueue_job(sim, job.row);
	sim->deferred[job.row] = at;
	sim->models->deferred++;
	reason_changes(sim, sim->now, job.row, SL_REASON_BEGIN_TIME, 0);
	digest_fold(sim, DIGEST_DEFERRED, job.row);
	const uint32_t row = (uint32_t)MODEL_NOBODY << MODEL_ROW_BITS | job.row;
	pass_failed(sim, evq_push(&sim->events, at, SL_EV_MODEL, row, &sim->err));
	asks_pass(sim);
}

/* Its policy knows it: key and estimate are what they were as it failed. */
void models_released(struct sim *sim, uint32_t job)
{
	sim->models->deferred--;
	sim->deferred[job] = SL_NONE;
	if (sim->job_state[job] != SL_PENDING)
		return; /* It was cancelled meanwhile. */
	queue_job(sim, job);
	reason_changes(sim, sim->now, job, sim->reason_default, 0);
	digest_fold(sim, DIGEST_RELEASED, job);
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_RESERVATION, UINT32_MAX });
	asks_pass(sim);
}

/* ---- Cancellations --------------------------------------------------------------------------- */

void sl_model_cancel(struct sim *sim, sl_job job)
{
	const uint32_t row = job.row;
	if (row >= sim->submitted || (sim->feedback && !sim->feedback->came[row]))
		return;
	if (holds_allocation(sim, row)) {
		end_job(sim, row, SL_CANCELLED);
	} else if (sim->job_state[row] == SL_PENDING) {
		if (is_waiting(sim, row))
			unqueue_job(sim, row);
		sim->end[row] = sim->now;
		sim->job_state[row] = SL_CANCELLED;
		sim->ended++;
		others_hear(sim, row);
	} else {
		return;
	}
	digest_fold(sim, SL_EV_CANCEL, row);
	if (!is_gated(sim, row))
		report_policy(sim, &(struct sl_event){ sim->now, SL_EV_CANCEL, row });
	asks_pass(sim);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void note_node(struct sim *sim, uint32_t node, bool up, bool drain)
{
	struct models *models = sim->models;
	const int status = SL_GROW(
		models->node_change, models->node_change_capacity, models->node_change_count + 1, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		models->node_change[models->node_change_count++] =
			(struct sl_node_change){ sim->now, node, up, drain };
}

/* Unavailable while it is down or drained; for plans, down until it is expected, drained for ever. */
static void unavailable_or_open(struct sim *sim, uint32_t node)
{
	struct models *models = sim->models;
	const bool unavailable = models->down[node] || models->drained[node];
	if (unavailable)
		nodes_unavailable(
			sim->nodes, node, models->drained[node] ? SL_NEVER : models->expected[node]);
	else
		nodes_open(sim->nodes, node);
	pass_failed(sim, nodes_status(sim->nodes, &sim->err));
	uint32_t *place = &models->unavailable_place[node];
	if (unavailable && !*place) {
		models->unavailable[models->nodes_unavailable++] = node;
		*place = models->nodes_unavailable;
	} else if (!unavailable && *place) {
		const uint32_t last = models->unavailable[--models->nodes_unavailable];
		models->unavailable[*place - 1] = last;
		models->unavailable_place[last] = *place;
		*place = 0;
	}
}

void sl_model_node_ready(struct sim *sim, uint32_t node, enum sl_ready ready, bool by_this)
{
	if (!sim->nodes)
		return;
	SL_CHECK(node < sim->info->node_count);
	sim->models->ready[node] = (uint8_t)ready;
	nodes_late(sim->nodes, node, by_this ? (uint8_t)ready : SL_READY);
	pass_failed(sim, nodes_status(sim->nodes, &sim->err));
}

/* In order of their starts; each failure may be reported at once, so the next is searched again. */
static uint32_t runs_on(const struct sim *sim, uint32_t node)
{
	uint32_t job = sim->run_first;
	while (job != UINT32_MAX && !nodes_held_on(sim->nodes, job, node).nodes)
		job = sim->progress[job].next;
	return job;
}

void sl_model_node_down(struct sim *sim, uint32_t node, sl_time expected)
{
	struct models *models = sim->models;
	if (!sim->nodes)
		return;
	SL_CHECK(node < sim->info->node_count);
	const bool first = !models->down[node]++;
	if (first || expected > models->expected[node])
		models->expected[node] = expected > sim->now ? expected : sim->now;
	for (uint32_t job; first && (job = runs_on(sim, node)) != UINT32_MAX && !sim->status;)
		sl_model_fail(sim, (sl_job){ job }, SL_NODE_FAIL, true);
	unavailable_or_open(sim, node);
	sim->promises_broken = true;
	if (!first)
		return;
	note_node(sim, node, false, false);
	digest_fold(sim, SL_EV_NODE_DOWN, node);
	models_note(sim, (struct reported){ REPORTED_NODE_DOWN, SL_LEFT_END, node, 0 });
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_NODE_DOWN, node });
	asks_pass(sim);
}

/* A node that was unavailable until its expected time is available from now on. */
static void comes_back(struct sim *sim, uint32_t node)
{
	if (sim->uses & SL_USE_PROMISES)
		freed_until(sim, sim->models->drained[node] ? SL_NEVER : sim->models->expected[node]);
}

void sl_model_node_up(struct sim *sim, uint32_t node)
{
	struct models *models = sim->models;
	if (!sim->nodes || !models->down[node] || --models->down[node])
		return;
	if (!models->drained[node])
		comes_back(sim, node);
	unavailable_or_open(sim, node);
	note_node(sim, node, true, false);
	digest_fold(sim, SL_EV_NODE_UP, node);
	models_note(sim, (struct reported){ REPORTED_NODE_UP, SL_LEFT_END, node, 0 });
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_NODE_UP, node });
	asks_pass(sim);
}

void sl_model_node_drain(struct sim *sim, uint32_t node, bool drain)
{
	struct models *models = sim->models;
	if (!sim->nodes || (!drain && !models->drained[node]))
		return;
	SL_CHECK(node < sim->info->node_count);
	const bool last = models->drained[node] == 1;
	if (!drain && last && !models->down[node])
		comes_back(sim, node);
	models->drained[node] += drain ? 1 : UINT32_MAX;
	if (models->drained[node] != (uint32_t)drain)
		return;
	unavailable_or_open(sim, node);
	sim->promises_broken |= drain;
	note_node(sim, node, !drain, true);
	digest_fold(sim, drain ? DIGEST_DRAIN : DIGEST_UNDRAIN, node);
	report_policy(sim, &(struct sl_event){ sim->now, drain ? SL_EV_NODE_DOWN : SL_EV_NODE_UP, node });
	asks_pass(sim);
}

bool sl_node_is_up(const struct sim *sim, uint32_t node)
{
	return !(sim->node_mask && sim->node_mask[node] > 1) && (!sim->models || !sim->models->down[node]);
}

enum sl_ready sl_node_ready(const struct sim *sim, uint32_t node)
{
	return sim->models ? (enum sl_ready)sim->models->ready[node] : SL_READY;
}

bool sl_node_is_drained(const struct sim *sim, uint32_t node)
{
	return (sim->node_mask && sim->node_mask[node]) || (sim->models && sim->models->drained[node]);
}

void sl_node_mask(struct sim *sim, const uint8_t *unavailable) { sim->node_mask = unavailable; }

bool sl_holds_on(const struct sim *sim, sl_job job, uint32_t node)
{
	return sim->nodes && holds_allocation(sim, job.row) &&
	       nodes_held_on(sim->nodes, job.row, node).nodes > 0;
}

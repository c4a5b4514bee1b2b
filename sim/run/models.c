/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * models.c - models in a run: how they are made, what is reported to them and when, their calls to each
 * other, and their reports as a run is over.
 */
#include "sim/run/models.h"

#include <stdlib.h>
#include <string.h>

#include "sim/result/tally.h"

/* ---- Begin and end --------------------------------------------------------------------------- */

/* Progress entries, as for policies that preempt; nodes with their names, where a model looks at them. */
int models_query(struct sim *sim, struct sl_err *err)
{
	const struct scenario *scenario = sim->scenario;
	const struct sl_setup setup = { .sim = sim };
	unsigned uses = SL_USE_PREEMPT | SL_USE_ESTIMATES;
	if (!scenario->model_count)
		return SL_OK;
	if (scenario->model_count > MODELS_MAX)
		return sl_fail(err, SL_USAGE, "replay.models: at most %d at a time", MODELS_MAX);
	for (size_t i = 0; i < scenario->model_count; i++) {
		if (scenario->model[i].model->nodes_if_any && scenario->cluster.node_count)
			uses |= SL_USE_NODES;
		if (!scenario->model[i].model->on_nodes)
			continue;
		if (!scenario->cluster.node_count)
			return sl_fail(err, SL_USAGE,
				"model '%s' looks at nodes, and the cluster is a counted pool: give nodes, with "
				"-c CLUSTER",
				scenario->model[i].model->name);
		uses |= SL_USE_NODES;
	}
	sim->courses_lent = !(sim->uses & SL_USE_PREEMPT);
	return sl_use(&setup, uses, err);
}

static int columns_init(struct sim *sim, struct models *models, struct sl_err *err)
{
	const size_t jobs = sim->jobs->count;
	const size_t nodes = sim->info->node_count;
	models->factor = sl_alloc(sim->arena, jobs * models->count, sizeof(*models->factor));
	models->knows = sl_alloc(sim->arena, jobs, sizeof(*models->knows));
	models->holds = sl_alloc(sim->arena, jobs, sizeof(*models->holds));
	models->end_seq = sl_alloc(sim->arena, jobs, sizeof(*models->end_seq));
	models->noted = sl_alloc(sim->arena, jobs, sizeof(*models->noted));
	models->is_changed = sl_alloc(sim->arena, jobs, sizeof(*models->is_changed));
	models->down = sl_alloc(sim->arena, nodes, sizeof(*models->down));
	models->drained = sl_alloc(sim->arena, nodes, sizeof(*models->drained));
	models->ready = sl_alloc(sim->arena, nodes, sizeof(*models->ready));
	models->expected = sl_alloc(sim->arena, nodes, sizeof(*models->expected));
	models->unavailable = sl_alloc(sim->arena, nodes, sizeof(*models->unavailable));
	models->unavailable_place = sl_alloc(sim->arena, nodes, sizeof(*models->unavailable_place));
	if (!models->unavailable || !models->unavailable_place || !models->factor || !models->knows ||
		!models->holds || !models->end_seq || !models->noted || !models->is_changed ||
		!models->down || !models->drained || !models->ready || !models->expected)
		return sl_fail_memory(err);
	for (size_t i = 0; i < jobs * models->count; i++)
		models->factor[i] = SL_SPEED_ONE;
	for (size_t i = 0; i < jobs; i++)
		models->noted[i] = SL_NONE;
	return SL_OK;
}

static int model_init(struct sim *sim, const struct model_choice *choice, struct sl_err *err)
{
	struct models *models = sim->models;
	const struct scenario *scenario = sim->scenario;
	const struct sl_model_setup setup = {
		.arena = sim->arena,
		.jobs = sim->jobs,
		.cluster = &scenario->cluster,
		.seed = sim->options.seed,
		.values = choice->values,
		.value_count = choice->value_count,
		.epoch = scenario->epoch ? scenario->epoch + scenario->utc_offset : 0,
		.sim = sim,
		.csv = choice->csv,
	};
	struct instance *instance = &models->of[models->current];
	instance->model = choice->model;
	models->sizes |= choice->model->sizes;
	models->may_hold |= choice->model->ends != NULL;
	return choice->model->init ? choice->model->init(&instance->state, &setup, err) : SL_OK;
}

const struct sl_value *sl_model_value(const struct sl_model_setup *setup, const char *model, const char *key)
{
	const struct scenario *scenario = setup->sim ? setup->sim->scenario : NULL;
	for (size_t i = 0; scenario && i < scenario->model_count; i++)
		if (strcmp(scenario->model[i].model->name, model) == 0)
			return sl_value_of(scenario->model[i].values, scenario->model[i].value_count, key);
	return NULL;
}

int models_init(struct sim *sim, struct sl_err *err)
{
	const struct scenario *scenario = sim->scenario;
	if (!scenario->model_count)
		return SL_OK;
	struct models *models = sl_alloc(sim->arena, 1, sizeof(*models));
	if (!models)
		return sl_fail_memory(err);
	models->count = (uint32_t)scenario->model_count;
	models->node_alloc = UINT32_MAX;
	int status = columns_init(sim, models, err);
	sim->models = status ? NULL : models;
	for (uint32_t i = 0; i < models->count && !status; i++) {
		models->current = i;
		status = model_init(sim, &scenario->model[i], err);
	}
	return status;
}

void models_begin(struct sim *sim)
{
	struct models *models = sim->models;
	for (uint32_t job = sim->run_first; job != UINT32_MAX; job = sim->progress[job].next)
		models_started(sim, job, true);
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->of[i].model->begin)
			models->of[i].model->begin(models->of[i].state, sim);
	}
}

void models_release(struct sim *sim)
{
	struct models *models = sim->models;
	if (!models)
		return;
	for (uint32_t i = 0; i < models->count; i++)
		if (models->of[i].model && models->of[i].model->release && models->of[i].state)
			models->of[i].model->release(models->of[i].state);
	intset_release(&models->replaced);
	free(models->changed);
	free(models->reported);
	free(models->displayed);
	free(models->node_change);
}

static int models_report(struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct models *models = sim->models;
	const sl_time now = sim->now;
	int status = SL_OK;
	if (models->stopped && models->over != SL_NONE)
		sim->now = models->over;
	for (uint32_t i = 0; i < models->count && !status; i++) {
		models->current = i;
		tally->model = models->of[i].model->name;
		if (models->of[i].model->report)
			status = models->of[i].model->report(models->of[i].state, sim, tally, err);
	}
	sim->now = now;
	return status;
}

static int policy_tells(struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	const struct sl_policy *policy = sim->policy;
	if (!policy || !policy->report)
		return SL_OK;
	tally->model = policy->name;
	tally->policy = true;
	const int status = policy->report(sim->state, sim, tally, err);
	tally->policy = false;
	return status;
}

int all_reported(struct sim *sim, struct sl_result *result, struct sl_err *err)
{
	struct sl_tally tally;
	tally_init(&tally, sim->arena);
	int status = policy_tells(sim, &tally, err);
	if (!status && sim->models)
		status = models_report(sim, &tally, err);
	if (!status)
		status = tally_lend(&tally, result, err);
	tally_release(&tally);
	return status;
}

/* The run's figures are of the time from the first submission to the last end. */
static void add_missing(struct sim *sim, sl_time until)
{
	struct models *models = sim->models;
	for (uint32_t kind = 0; models->missing_counts && kind < sim->info->kind_count; kind++)
		models->missing[kind] += (unsigned __int128)(until - models->missing_since) *
					 (uint64_t)models->missing_now[kind];
	models->missing_since = until;
}

/* An instant is over: so much is missing from now on. */
static void note_missing(struct sim *sim)
{
	struct models *models = sim->models;
	const uint64_t ended = sim->ended + sim->attempt_count;
	if (!models->node_change_count)
		return;
	add_missing(sim, sim->now);
	if (models->ended_before != ended)
		memcpy(models->missing_at_end, models->missing, sizeof(models->missing));
	models->ended_before = ended;
	models->missing_counts = sim->submitted || sim->scenario->begins;
	for (uint32_t kind = 0; kind < sim->info->kind_count; kind++)
		models->missing_now[kind] = nodes_unavailable_free(sim->nodes, kind);
}

static const unsigned __int128 *missing_until(struct sim *sim, sl_time last)
{
	struct models *models = sim->models;
	if (last < models->missing_since)
		return models->missing_at_end;
	add_missing(sim, last);
	return models->missing;
}

/* Work done over the time in which it had its allocation, over all attempts. */
int models_results(struct sim *sim, struct sl_result *result, struct sl_err *err)
{
	const struct models *models = sim->models;
	const uint32_t jobs = sim->jobs->count;
	uint64_t *mean = sl_alloc(sim->arena, jobs, sizeof(*mean));
	if (!mean)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs; job++) {
		const struct progress *progress = &sim->progress[job];
		const sl_time held = sl_run_time_of(result, job);
		const sl_time done =
			progress->done_lost + progress->done_kept + sl_done_of(sim, (sl_job){ job });
		mean[job] =
			held > 0 ? (uint64_t)(((unsigned __int128)(uint64_t)done << 32) / (uint64_t)held) : 0;
	}
	result->speed_mean = mean;
	if (sim->nodes)
		result->missing = missing_until(sim, result->last);
	result->node_change = models->node_change;
	result->node_change_count = models->node_change_count;
	return SL_OK;
}

/* ---- Reports to models ---------------------------------------------------------------------------- */

static void report_started(struct sim *sim, const struct reported *reported)
{
	struct models *models = sim->models;
	const sl_job job = { reported->row };
	for (uint32_t i = 0; i < models->count; i++) {
		/* Perhaps it has left again: by this very report, too. */
		if (!is_running(sim, job.row) || sim->progress[job.row].attempts != reported->attempts)
			return;
		models->current = i;
		models->knows[job.row] |= (uint16_t)(1U << i);
		if (models->of[i].model->started)
			models->of[i].model->started(models->of[i].state, sim, job);
	}
}

static void report_left(struct sim *sim, const struct reported *reported)
{
	struct models *models = sim->models;
	const uint16_t knows = models->knows[reported->row];
	if (reported->how != SL_LEFT_SUSPEND)
		models->knows[reported->row] = 0;
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (knows >> i & 1 && models->of[i].model->left)
			models->of[i].model->left(
				models->of[i].state, sim, (sl_job){ reported->row }, reported->how);
	}
}

static void models_report_node(struct sim *sim, const struct reported *reported)
{
	struct models *models = sim->models;
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->of[i].model->node)
			models->of[i].model->node(
				models->of[i].state, sim, reported->row, reported->what == REPORTED_NODE_UP);
	}
}

/* So many instants in a row at which nothing ran: no waiting job will ever start. */
enum { IDLE_MAX = 1000000 };

/* What a report makes happen is reported behind it. */
static void report_all(struct sim *sim)
{
	struct models *models = sim->models;
	while (models->reported_next < models->reported_count && !sim->status) {
		const struct reported reported = models->reported[models->reported_next++];
		switch (reported.what) {
		case REPORTED_STARTED:
			report_started(sim, &reported);
			break;
		case REPORTED_LEFT:
			report_left(sim, &reported);
			break;
		case REPORTED_NODE_DOWN:
		case REPORTED_NODE_UP:
			models_report_node(sim, &reported);
			break;
		}
	}
	models->reported_next = models->reported_count = 0;
}

static void instant_over(struct sim *sim)
{
	struct models *models = sim->models;
	note_missing(sim);
	models->stalled = models->events_seen == sim->events_applied ? models->stalled + 1 : 0;
	models->events_seen = sim->events_applied;
	if (sim->running || sim->suspended)
		models->idle = 0;
	else if (models->idle < IDLE_MAX)
		models->idle++;
}

bool models_settle(struct sim *sim)
{
	struct models *models = sim->models;
	if (models->stopped) {
		instant_over(sim);
		return false;
	}
	report_all(sim);
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->of[i].model->settle)
			models->of[i].model->settle(models->of[i].state, sim);
	}
	speeds_apply(sim);
	const struct ev *top = evq_top(&sim->events);
	if (models->reported_count || sim->needs_pass & NEEDS_ASKED || (top && top->time <= sim->now))
		return true;
	instant_over(sim);
	return false;
}

/* ---- Timers ---------------------------------------------------------------------------------- */

void sl_model_pass(struct sim *sim) { sim->needs_pass |= NEEDS_ASKED; }

void sl_model_wake(struct sim *sim, sl_time at, uint32_t row)
{
	SL_CHECK(row < UINT32_C(1) << MODEL_ROW_BITS);
	if (at == SL_NEVER || sim->models->stopped)
		return;
	pass_failed(sim, evq_push(&sim->events, at > sim->now ? at : sim->now, SL_EV_MODEL,
				 sim->models->current << MODEL_ROW_BITS | row, &sim->err));
}

void models_timer(struct sim *sim, uint32_t row)
{
	struct models *models = sim->models;
	report_all(sim);
	sim->reported--; /* As if it were an event. */
	if (row >> MODEL_ROW_BITS == MODEL_NOBODY) {
		models_released(sim, row & ((UINT32_C(1) << MODEL_ROW_BITS) - 1));
		return;
	}
	models->current = row >> MODEL_ROW_BITS;
	const struct instance *instance = &models->of[models->current];
	if (instance->model->timer)
		instance->model->timer(instance->state, sim, row & ((UINT32_C(1) << MODEL_ROW_BITS) - 1));
}

static bool is_no_model(void *self, const struct ev *ev)
{
	(void)self;
	return ev->class != SL_EV_MODEL;
}

/* All that is still to happen is of models. */
static bool only_models(struct sim *sim)
{
	uint32_t job;
	const bool comes =
		sim->feedback ? feedback_next(sim, &job) != SL_NEVER : sim->submitted < sim->jobs->count;
	if (comes || sim->running || sim->suspended || sim->wake != SL_NEVER || sim->expiries.count)
		return false;
	if ((sim->eligibility && eligibility_next(sim) != SL_NEVER) ||
		(sim->uses & SL_USE_PROMISES && promise_next(sim) != SL_NEVER))
		return false;
	for (size_t i = 0; i < sim->events.count; i++)
		if (sim->events.heap[i].class != SL_EV_MODEL)
			return false;
	return true;
}

/* So many instants in a row at which nothing happened, and no event is to come: plans that defer what they
 * promise from second to second, behind a job that is held, or a node that is down, for ever. */
enum { STALLED_MAX = 10000 };

static bool is_stalled(const struct sim *sim)
{
	return sim->models->stalled >= STALLED_MAX && !sim->events.count &&
	       sim->submitted == sim->jobs->count;
}

/* Who waits then may still hope for a node to come back. */
static void stop_if_over(struct sim *sim)
{
	struct models *models = sim->models;
	const struct ev *top = evq_top(&sim->events);
	const bool over = sim->ended == sim->jobs->count;
	if (models->stopped || sim->needs_pass & NEEDS_ASKED || models->deferred ||
		(!over && (!top || top->class != SL_EV_MODEL)))
		return;
	if (!over && (!only_models(sim) ||
			     (sim->queue.count && models->nodes_unavailable && models->idle < IDLE_MAX)))
		return;
	models->stopped = true;
	models->over = over ? sim->now : SL_NONE;
	evq_keep(&sim->events, is_no_model, NULL);
}

bool models_over(struct sim *sim)
{
	stop_if_over(sim);
	return is_stalled(sim);
}

/* ---- Work that is done, and held on to ------------------------------------------------------- */

bool models_defer(struct sim *sim, uint32_t job)
{
	struct models *models = sim->models;
	const bool retry = sim->progress[job].finished;
	speeds_done(sim, job);
	if (!models->may_hold || retry)
		return false;
	report_all(sim); /* Models that are called got its start. */
	models->node_alloc = job;
	for (uint32_t i = 0; i < models->count; i++) {
		const struct instance *instance = &models->of[i];
		if (!instance->model->ends)
			continue;
		models->current = i;
		models->holds[job] |= (uint16_t)(1U << i);
		if (!instance->model->ends(instance->state, sim, (sl_job){ job }))
			models->holds[job] &= (uint16_t) ~(1U << i);
	}
	models->node_alloc = UINT32_MAX;
	if (models->holds[job])
		speeds_pause(sim, job);
	return models->holds[job] != 0;
}

static void finish_job(struct sim *sim, uint32_t job)
{
	end_job(sim, job, SL_COMPLETED);
	digest_fold(sim, SL_EV_JOB_END, job);
	report_policy(sim, &(struct sl_event){ sim->now, SL_EV_JOB_END, job });
	if (sim->options.check)
		check_state(sim);
}

void sl_model_finish(struct sim *sim, sl_job job)
{
	struct models *models = sim->models;
	const uint16_t bit = (uint16_t)(1U << models->current);
	if (!is_running(sim, job.row) || !(models->holds[job.row] & bit))
		return;
	models->holds[job.row] &= (uint16_t)~bit;
	if (models->holds[job.row] || models->node_alloc == job.row)
		return;
	sim->needs_pass |= NEEDS_ASKED;
	finish_job(sim, job.row);
}

/* ---- Transfers, predictions, figures --------------------------------------------------------- */

bool sl_model_transfer(struct sim *sim, const struct sl_transfer *transfer)
{
	struct models *models = sim->models;
	const uint32_t asker = models->current;
	struct sl_transfer handed = *transfer;
	handed.asker = asker;
	for (uint32_t i = 0; i < models->count; i++) {
		if (!models->of[i].model->transfer)
			continue;
		models->current = i;
		models->of[i].model->transfer(models->of[i].state, sim, &handed);
		models->current = asker;
		return true;
	}
	return false;
}

void sl_model_transferred(struct sim *sim, const struct sl_transfer *transfer)
{
	struct models *models = sim->models;
	const uint32_t carrier = models->current;
	SL_CHECK(transfer->asker < models->count);
	const struct instance *instance = &models->of[transfer->asker];
	models->current = transfer->asker;
	if (instance->model->transferred)
		instance->model->transferred(instance->state, sim, transfer);
	models->current = carrier;
}

uint64_t sl_predict(struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count)
{
	struct models *models = sim->models;
	uint64_t product = SL_SPEED_ONE;
	if (!models)
		return product;
	const uint32_t asker = models->current;
	for (uint32_t i = 0; i < models->count; i++) {
		const struct instance *instance = &models->of[i];
		if (!instance->model->predict)
			continue;
		models->current = i;
		const uint64_t factor = instance->model->predict(instance->state, sim, job, alloc, count);
		const unsigned __int128 wide = (unsigned __int128)product * factor >> 32;
		product = wide < SL_SPEED_MAX ? (uint64_t)wide : SL_SPEED_MAX;
	}
	models->current = asker;
	return product;
}

uint32_t sl_leaf_of(const struct sim *sim, uint32_t node)
{
	const struct models *models = sim->models;
	for (uint32_t i = 0; models && i < models->count; i++)
		if (models->of[i].model->leaf)
			return models->of[i].model->leaf(models->of[i].state, node);
	return UINT32_MAX;
}

void sl_model_set_figure(struct sim *sim, const char *name, int64_t value)
{
	struct models *models = sim->models;
	size_t i = 0;
	while (i < models->displayed_count && strcmp(models->displayed[i].name, name) != 0)
		i++;
	if (i == models->displayed_count) {
		const int status = SL_GROW(models->displayed, models->displayed_capacity, i + 1, &sim->err);
		const char *kept = status ? NULL : sl_strdup(sim->arena, name, strlen(name));
		if (!kept) {
			pass_failed(sim, status ? status : sl_fail_memory(&sim->err));
			return;
		}
		models->displayed[models->displayed_count++].name = kept;
	}
	models->displayed[i].value = value;
}

int64_t sl_figure_of(const struct sim *sim, const char *name)
{
	const struct models *models = sim->models;
	for (size_t i = 0; models && i < models->displayed_count; i++)
		if (strcmp(models->displayed[i].name, name) == 0)
			return models->displayed[i].value;
	return SL_NONE;
}

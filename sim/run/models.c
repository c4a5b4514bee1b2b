/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * models.c - models in a run: how they are made, who is told what and when, what they tell each other
 * and, as a run is over, of it.
 */
#include "sim/run/models.h"

#include <stdlib.h>
#include <string.h>

#include "sim/result/tally.h"

/* ---- Begin and end --------------------------------------------------------------------------- */

/* Courses, as of policies that preempt; nodes with their names, where a model looks at them. */
int models_ask(struct sl_pass *pass, struct sl_err *err)
{
	const struct scenario *scenario = pass->scenario;
	const struct sl_setup setup = { .pass = pass };
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
	pass->courses_lent = !(pass->uses & SL_USE_PREEMPT);
	return sl_use(&setup, uses, err);
}

static int columns_init(struct sl_pass *pass, struct models *models, struct sl_err *err)
{
	const size_t jobs = pass->jobs->count;
	const size_t nodes = pass->info->node_count;
	models->factor = sl_alloc(pass->arena, jobs * models->count, sizeof(*models->factor));
	models->knows = sl_alloc(pass->arena, jobs, sizeof(*models->knows));
	models->holds = sl_alloc(pass->arena, jobs, sizeof(*models->holds));
	models->end_seq = sl_alloc(pass->arena, jobs, sizeof(*models->end_seq));
	models->noted = sl_alloc(pass->arena, jobs, sizeof(*models->noted));
	models->is_changed = sl_alloc(pass->arena, jobs, sizeof(*models->is_changed));
	models->down = sl_alloc(pass->arena, nodes, sizeof(*models->down));
	models->drained = sl_alloc(pass->arena, nodes, sizeof(*models->drained));
	models->ready = sl_alloc(pass->arena, nodes, sizeof(*models->ready));
	models->expected = sl_alloc(pass->arena, nodes, sizeof(*models->expected));
	models->shut = sl_alloc(pass->arena, nodes, sizeof(*models->shut));
	models->shut_place = sl_alloc(pass->arena, nodes, sizeof(*models->shut_place));
	if (!models->shut || !models->shut_place || !models->factor || !models->knows || !models->holds ||
		!models->end_seq || !models->noted || !models->is_changed || !models->down ||
		!models->drained || !models->ready || !models->expected)
		return sl_fail_memory(err);
	for (size_t i = 0; i < jobs * models->count; i++)
		models->factor[i] = SL_RATE_ONE;
	for (size_t i = 0; i < jobs; i++)
		models->noted[i] = SL_NONE;
	return SL_OK;
}

static int model_init(struct sl_pass *pass, const struct model_choice *choice, struct sl_err *err)
{
	struct models *models = pass->models;
	const struct scenario *scenario = pass->scenario;
	const struct sl_model_setup setup = {
		.arena = pass->arena,
		.jobs = pass->jobs,
		.cluster = &scenario->cluster,
		.seed = pass->options.seed,
		.values = choice->values,
		.value_count = choice->value_count,
		.epoch = scenario->epoch ? scenario->epoch + scenario->utc_offset : 0,
		.world = pass,
		.sheet = choice->sheet,
	};
	struct instance *instance = &models->of[models->current];
	instance->model = choice->model;
	models->sizes |= choice->model->sizes;
	models->may_hold |= choice->model->ends != NULL;
	return choice->model->init ? choice->model->init(&instance->state, &setup, err) : SL_OK;
}

const struct sl_value *sl_model_value(const struct sl_model_setup *setup, const char *model, const char *key)
{
	const struct scenario *scenario = setup->world ? setup->world->scenario : NULL;
	for (size_t i = 0; scenario && i < scenario->model_count; i++)
		if (strcmp(scenario->model[i].model->name, model) == 0)
			return sl_value_of(scenario->model[i].values, scenario->model[i].value_count, key);
	return NULL;
}

int models_init(struct sl_pass *pass, struct sl_err *err)
{
	const struct scenario *scenario = pass->scenario;
	if (!scenario->model_count)
		return SL_OK;
	struct models *models = sl_alloc(pass->arena, 1, sizeof(*models));
	if (!models)
		return sl_fail_memory(err);
	models->count = (uint32_t)scenario->model_count;
	models->holding = UINT32_MAX;
	int status = columns_init(pass, models, err);
	pass->models = status ? NULL : models;
	for (uint32_t i = 0; i < models->count && !status; i++) {
		models->current = i;
		status = model_init(pass, &scenario->model[i], err);
	}
	return status;
}

void models_begin(struct sl_pass *pass)
{
	struct models *models = pass->models;
	for (uint32_t job = pass->run_first; job != UINT32_MAX; job = pass->course[job].next)
		models_started(pass, job, true);
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->of[i].model->begin)
			models->of[i].model->begin(models->of[i].state, pass);
	}
}

void models_release(struct sl_pass *pass)
{
	struct models *models = pass->models;
	if (!models)
		return;
	for (uint32_t i = 0; i < models->count; i++)
		if (models->of[i].model && models->of[i].model->release && models->of[i].state)
			models->of[i].model->release(models->of[i].state);
	intset_release(&models->replaced);
	free(models->changed);
	free(models->told);
	free(models->shown);
	free(models->node_change);
}

static int models_tell(struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct models *models = pass->models;
	const sl_time now = pass->now;
	int status = SL_OK;
	if (models->stopped && models->over != SL_NONE)
		pass->now = models->over;
	for (uint32_t i = 0; i < models->count && !status; i++) {
		models->current = i;
		tally->model = models->of[i].model->name;
		if (models->of[i].model->tell)
			status = models->of[i].model->tell(models->of[i].state, pass, tally, err);
	}
	pass->now = now;
	return status;
}

static int policy_tells(struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	const struct sl_policy *policy = pass->policy;
	if (!policy || !policy->tell)
		return SL_OK;
	tally->model = policy->name;
	tally->policy = true;
	const int status = policy->tell(pass->state, pass, tally, err);
	tally->policy = false;
	return status;
}

int all_told(struct sl_pass *pass, struct sl_result *result, struct sl_err *err)
{
	struct sl_tally tally;
	tally_init(&tally, pass->arena);
	int status = policy_tells(pass, &tally, err);
	if (!status && pass->models)
		status = models_tell(pass, &tally, err);
	if (!status)
		status = tally_lend(&tally, result, err);
	tally_release(&tally);
	return status;
}

/* The run's figures are of the time from the first submission to the last end. */
static void add_missing(struct sl_pass *pass, sl_time until)
{
	struct models *models = pass->models;
	for (uint32_t kind = 0; models->missing_counts && kind < pass->info->kind_count; kind++)
		models->missing[kind] += (unsigned __int128)(until - models->missing_since) *
					 (uint64_t)models->missing_now[kind];
	models->missing_since = until;
}

/* An instant is over: so much is missing from now on. */
static void note_missing(struct sl_pass *pass)
{
	struct models *models = pass->models;
	const uint64_t ended = pass->ended + pass->attempt_count;
	if (!models->node_change_count)
		return;
	add_missing(pass, pass->now);
	if (models->ended_before != ended)
		memcpy(models->missing_at_end, models->missing, sizeof(models->missing));
	models->ended_before = ended;
	models->missing_counts = pass->submitted || pass->scenario->begins;
	for (uint32_t kind = 0; kind < pass->info->kind_count; kind++)
		models->missing_now[kind] = nodes_shut_free(pass->nodes, kind);
}

static const unsigned __int128 *missing_until(struct sl_pass *pass, sl_time last)
{
	struct models *models = pass->models;
	if (last < models->missing_since)
		return models->missing_at_end;
	add_missing(pass, last);
	return models->missing;
}

/* Work done over the time in which it held what it asked for, over all attempts. */
int models_results(struct sl_pass *pass, struct sl_result *result, struct sl_err *err)
{
	const struct models *models = pass->models;
	const uint32_t jobs = pass->jobs->count;
	uint64_t *mean = sl_alloc(pass->arena, jobs, sizeof(*mean));
	if (!mean)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs; job++) {
		const struct course *course = &pass->course[job];
		const sl_time held = sl_run_time_of(result, job);
		const sl_time done =
			course->done_lost + course->done_kept + sl_done_of(pass, (sl_job){ job });
		mean[job] =
			held > 0 ? (uint64_t)(((unsigned __int128)(uint64_t)done << 32) / (uint64_t)held) : 0;
	}
	result->rate_mean = mean;
	if (pass->nodes)
		result->missing = missing_until(pass, result->last);
	result->node_change = models->node_change;
	result->node_change_count = models->node_change_count;
	return SL_OK;
}

/* ---- What is told ---------------------------------------------------------------------------- */

static void tell_started(struct sl_pass *pass, const struct told *told)
{
	struct models *models = pass->models;
	const sl_job job = { told->row };
	for (uint32_t i = 0; i < models->count; i++) {
		/* Perhaps it is gone again: by this very telling, too. */
		if (!is_running(pass, job.row) || pass->course[job.row].attempts != told->attempts)
			return;
		models->current = i;
		models->knows[job.row] |= (uint16_t)(1U << i);
		if (models->of[i].model->started)
			models->of[i].model->started(models->of[i].state, pass, job);
	}
}

static void tell_left(struct sl_pass *pass, const struct told *told)
{
	struct models *models = pass->models;
	const uint16_t knows = models->knows[told->row];
	if (told->how != SL_LEFT_SUSPEND)
		models->knows[told->row] = 0;
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (knows >> i & 1 && models->of[i].model->left)
			models->of[i].model->left(
				models->of[i].state, pass, (sl_job){ told->row }, told->how);
	}
}

static void tell_node(struct sl_pass *pass, const struct told *told)
{
	struct models *models = pass->models;
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->of[i].model->node)
			models->of[i].model->node(
				models->of[i].state, pass, told->row, told->what == TOLD_NODE_UP);
	}
}

/* So many instants in a row at which nothing ran: nobody who waits will ever start. */
enum { IDLE_MAX = 1000000 };

/* What the telling makes happen is told behind it. */
static void tell_all(struct sl_pass *pass)
{
	struct models *models = pass->models;
	while (models->told_next < models->told_count && !pass->status) {
		const struct told told = models->told[models->told_next++];
		switch (told.what) {
		case TOLD_STARTED:
			tell_started(pass, &told);
			break;
		case TOLD_LEFT:
			tell_left(pass, &told);
			break;
		case TOLD_NODE_DOWN:
		case TOLD_NODE_UP:
			tell_node(pass, &told);
			break;
		}
	}
	models->told_next = models->told_count = 0;
}

static void instant_over(struct sl_pass *pass)
{
	struct models *models = pass->models;
	note_missing(pass);
	models->stalled = models->events_seen == pass->events_applied ? models->stalled + 1 : 0;
	models->events_seen = pass->events_applied;
	if (pass->running || pass->suspended)
		models->idle = 0;
	else if (models->idle < IDLE_MAX)
		models->idle++;
}

bool models_settle(struct sl_pass *pass)
{
	struct models *models = pass->models;
	if (models->stopped) {
		instant_over(pass);
		return false;
	}
	tell_all(pass);
	for (uint32_t i = 0; i < models->count; i++) {
		models->current = i;
		if (models->of[i].model->settle)
			models->of[i].model->settle(models->of[i].state, pass);
	}
	rates_apply(pass);
	const struct ev *top = evq_top(&pass->events);
	if (models->told_count || pass->needs_pass & NEEDS_ASKED || (top && top->time <= pass->now))
		return true;
	instant_over(pass);
	return false;
}

/* ---- Timers ---------------------------------------------------------------------------------- */

void sl_model_pass(struct sl_pass *world) { world->needs_pass |= NEEDS_ASKED; }

void sl_model_wake(struct sl_pass *world, sl_time at, uint32_t row)
{
	SL_CHECK(row < UINT32_C(1) << MODEL_ROW_BITS);
	if (at == SL_NEVER || world->models->stopped)
		return;
	pass_failed(world, evq_push(&world->events, at > world->now ? at : world->now, SL_EV_MODEL,
				   world->models->current << MODEL_ROW_BITS | row, &world->err));
}

void models_timer(struct sl_pass *pass, uint32_t row)
{
	struct models *models = pass->models;
	tell_all(pass);
	pass->reported--; /* As if it were an event. */
	if (row >> MODEL_ROW_BITS == MODEL_NOBODY) {
		models_let_in(pass, row & ((UINT32_C(1) << MODEL_ROW_BITS) - 1));
		return;
	}
	models->current = row >> MODEL_ROW_BITS;
	const struct instance *instance = &models->of[models->current];
	if (instance->model->timer)
		instance->model->timer(instance->state, pass, row & ((UINT32_C(1) << MODEL_ROW_BITS) - 1));
}

static bool is_no_model(void *self, const struct ev *ev)
{
	(void)self;
	return ev->class != SL_EV_MODEL;
}

/* All that is still to happen is of models. */
static bool only_models(struct sl_pass *pass)
{
	uint32_t job;
	const bool comes =
		pass->feedback ? feedback_next(pass, &job) != SL_NEVER : pass->submitted < pass->jobs->count;
	if (comes || pass->running || pass->suspended || pass->wake != SL_NEVER || pass->expiries.count)
		return false;
	if ((pass->gates && gates_next(pass) != SL_NEVER) ||
		(pass->uses & SL_USE_PROMISES && promise_next(pass) != SL_NEVER))
		return false;
	for (size_t i = 0; i < pass->events.count; i++)
		if (pass->events.heap[i].class != SL_EV_MODEL)
			return false;
	return true;
}

/* So many instants in a row at which nothing happened, and no event is to come: plans that put off what they
 * promise from second to second, behind a job that is held, or a node that is down, for ever. */
enum { STALLED_MAX = 10000 };

static bool is_stalled(const struct sl_pass *pass)
{
	return pass->models->stalled >= STALLED_MAX && !pass->events.count &&
	       pass->submitted == pass->jobs->count;
}

/* Who waits then may still hope for a node to come back. */
static void stop_if_over(struct sl_pass *pass)
{
	struct models *models = pass->models;
	const struct ev *top = evq_top(&pass->events);
	const bool over = pass->ended == pass->jobs->count;
	if (models->stopped || pass->needs_pass & NEEDS_ASKED || models->put_off ||
		(!over && (!top || top->class != SL_EV_MODEL)))
		return;
	if (!over &&
		(!only_models(pass) || (pass->queue.count && models->nodes_shut && models->idle < IDLE_MAX)))
		return;
	models->stopped = true;
	models->over = over ? pass->now : SL_NONE;
	evq_keep(&pass->events, is_no_model, NULL);
}

bool models_over(struct sl_pass *pass)
{
	stop_if_over(pass);
	return is_stalled(pass);
}

/* ---- Work that is done, and held on to ------------------------------------------------------- */

bool models_hold(struct sl_pass *pass, uint32_t job)
{
	struct models *models = pass->models;
	const bool again = pass->course[job].finished;
	rates_done(pass, job);
	if (!models->may_hold || again)
		return false;
	tell_all(pass); /* Who is asked has heard that it began. */
	models->holding = job;
	for (uint32_t i = 0; i < models->count; i++) {
		const struct instance *instance = &models->of[i];
		if (!instance->model->ends)
			continue;
		models->current = i;
		models->holds[job] |= (uint16_t)(1U << i);
		if (!instance->model->ends(instance->state, pass, (sl_job){ job }))
			models->holds[job] &= (uint16_t) ~(1U << i);
	}
	models->holding = UINT32_MAX;
	if (models->holds[job])
		rates_hold(pass, job);
	return models->holds[job] != 0;
}

static void finish_job(struct sl_pass *pass, uint32_t job)
{
	end_job(pass, job, SL_COMPLETED);
	pass_digest(pass, SL_EV_JOB_END, job);
	tell_policy(pass, &(struct sl_event){ pass->now, SL_EV_JOB_END, job });
	if (pass->options.check)
		check_state(pass);
}

void sl_model_finish(struct sl_pass *world, sl_job job)
{
	struct models *models = world->models;
	const uint16_t bit = (uint16_t)(1U << models->current);
	if (!is_running(world, job.row) || !(models->holds[job.row] & bit))
		return;
	models->holds[job.row] &= (uint16_t)~bit;
	if (models->holds[job.row] || models->holding == job.row)
		return;
	world->needs_pass |= NEEDS_ASKED;
	finish_job(world, job.row);
}

/* ---- Transfers, predictions, figures --------------------------------------------------------- */

bool sl_model_transfer(struct sl_pass *world, const struct sl_transfer *transfer)
{
	struct models *models = world->models;
	const uint32_t asker = models->current;
	struct sl_transfer handed = *transfer;
	handed.asker = asker;
	for (uint32_t i = 0; i < models->count; i++) {
		if (!models->of[i].model->transfer)
			continue;
		models->current = i;
		models->of[i].model->transfer(models->of[i].state, world, &handed);
		models->current = asker;
		return true;
	}
	return false;
}

void sl_model_transferred(struct sl_pass *world, const struct sl_transfer *transfer)
{
	struct models *models = world->models;
	const uint32_t carrier = models->current;
	SL_CHECK(transfer->asker < models->count);
	const struct instance *instance = &models->of[transfer->asker];
	models->current = transfer->asker;
	if (instance->model->transferred)
		instance->model->transferred(instance->state, world, transfer);
	models->current = carrier;
}

uint64_t sl_predict(struct sl_pass *world, sl_job job, const struct sl_piece *piece, size_t count)
{
	struct models *models = world->models;
	uint64_t product = SL_RATE_ONE;
	if (!models)
		return product;
	const uint32_t asker = models->current;
	for (uint32_t i = 0; i < models->count; i++) {
		const struct instance *instance = &models->of[i];
		if (!instance->model->predict)
			continue;
		models->current = i;
		const uint64_t factor = instance->model->predict(instance->state, world, job, piece, count);
		const unsigned __int128 wide = (unsigned __int128)product * factor >> 32;
		product = wide < SL_RATE_MAX ? (uint64_t)wide : SL_RATE_MAX;
	}
	models->current = asker;
	return product;
}

uint32_t sl_leaf_of(const struct sl_pass *world, uint32_t node)
{
	const struct models *models = world->models;
	for (uint32_t i = 0; models && i < models->count; i++)
		if (models->of[i].model->leaf)
			return models->of[i].model->leaf(models->of[i].state, node);
	return UINT32_MAX;
}

void sl_model_show(struct sl_pass *world, const char *name, int64_t value)
{
	struct models *models = world->models;
	size_t i = 0;
	while (i < models->shown_count && strcmp(models->shown[i].name, name) != 0)
		i++;
	if (i == models->shown_count) {
		const int status = SL_GROW(models->shown, models->shown_capacity, i + 1, &world->err);
		const char *kept = status ? NULL : sl_strdup(world->arena, name, strlen(name));
		if (!kept) {
			pass_failed(world, status ? status : sl_fail_memory(&world->err));
			return;
		}
		models->shown[models->shown_count++].name = kept;
	}
	models->shown[i].value = value;
}

int64_t sl_shown_of(const struct sl_pass *world, const char *name)
{
	const struct models *models = world->models;
	for (size_t i = 0; models && i < models->shown_count; i++)
		if (strcmp(models->shown[i].name, name) == 0)
			return models->shown[i].value;
	return SL_NONE;
}

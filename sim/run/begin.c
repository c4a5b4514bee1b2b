/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begin.c - how a run begins, goes on in steps, and ends; and what it leaves.
 */
#include <stdlib.h>

#include "sim/run/models.h"

/* ---- Begin ----------------------------------------------------------------------------------- */

static int init_columns(struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t count = pass->jobs->count;
	pass->start = sl_alloc(pass->arena, count, sizeof(*pass->start));
	pass->end = sl_alloc(pass->arena, count, sizeof(*pass->end));
	pass->job_state = sl_alloc(pass->arena, count, sizeof(*pass->job_state));
	if (!pass->start || !pass->end || !pass->job_state)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		pass->start[i] = pass->end[i] = SL_NONE;
	return SL_OK;
}

/* The default: the lowest nodes that fit. */
static int64_t score_none(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static const struct sl_placing placing_first = {
	.abi = SL_ABI_OF(struct sl_placing), .name = "first", .score = score_none
};

/* SL_USE_CONTROL: nobody is kept from the queue, and the policy says since when a job is eligible. */
static int init_control(struct sl_pass *pass, struct sl_err *err)
{
	const struct scenario *scenario = pass->scenario;
	const uint32_t count = pass->jobs->count;
	if (!is_controlled(pass))
		return scenario->command_count
			       ? sl_fail(err, SL_USAGE,
					 "replay.commands: policy '%s' follows no commands: take one that does "
					 "(slurm)",
					 pass->options.choice->text)
			       : SL_OK;
	if (scenario->begins)
		return sl_fail(err, SL_USAGE,
			"replay.start=recorded: policy '%s' has the say from the beginning, and cannot take over "
			"what ran then: replay.start=empty",
			pass->options.choice->text);
	gates_release(pass->gates);
	pass->gates = NULL;
	if (!pass->feedback)
		pass->gated = NULL;
	if (!pass->eligible)
		pass->eligible = sl_alloc(pass->arena, count, sizeof(*pass->eligible));
	if (!pass->eligible)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < count; job++)
		pass->eligible[job] = SL_NONE;
	return SL_OK;
}

const struct sl_doc *sl_param_doc(const struct sl_setup *setup, const char *key)
{
	const struct policy_choice *choice = setup->pass ? setup->pass->options.choice : NULL;
	const struct policy_file *file = choice ? policy_file_of(choice, key) : NULL;
	return file ? &file->doc : NULL;
}

struct sl_script *sl_param_script(const struct sl_setup *setup, const char *key)
{
	const struct policy_choice *choice = setup->pass ? setup->pass->options.choice : NULL;
	if (!key)
		return choice ? choice->script : NULL;
	const struct policy_file *file = choice ? policy_file_of(choice, key) : NULL;
	return file ? file->script : NULL;
}

int sl_child_values(const struct sl_setup *setup, const struct sl_policy *policy, const char *text,
	const struct sl_value **values, size_t *count, struct sl_err *err)
{
	struct sl_value *made = sl_alloc(setup->arena, policy->param_count + 1, sizeof(*made));
	*values = made;
	*count = policy->param_count;
	if (!made)
		return sl_fail_memory(err);
	const struct policy_choice *choice = setup->pass ? setup->pass->options.choice : NULL;
	const struct registry *registry = choice ? choice->registry : NULL;
	const struct param_list params = { policy->params, policy->param_count, policy->name, registry,
		setup->arena };
	int status = values_parse(made, &params, text, err);
	const struct policy_choice child = {
		.policy = policy, .values = made, .value_count = policy->param_count, .registry = registry
	};
	for (size_t i = 0; i < child.value_count && !status; i++)
		status = value_trusted(&child, i, NULL, err);
	return status;
}

int init_policy(struct sl_pass *pass, const struct policy_choice *choice, struct sl_err *err)
{
	const struct sl_setup setup = {
		.arena = pass->arena,
		.jobs = pass->jobs,
		.cpus = pass->cluster.cpus,
		.seed = pass->options.seed,
		.values = choice->values,
		.value_count = choice->value_count,
		.overrun = pass->scenario->overrun,
		.pass = pass,
		.cluster = &pass->scenario->cluster,
		.epoch = pass->scenario->epoch ? pass->scenario->epoch + pass->scenario->utc_offset : 0,
		.command = pass->scenario->command,
		.command_count = pass->scenario->command_count,
		.registry = choice->registry ? &choice->registry->known : NULL,
	};
	pass->options.choice = choice;
	pass->policy = choice->policy;
	pass->state = NULL;
	placing_release(&pass->placing);
	pass->placing.rule = &placing_first;
	pass->placer_asked = false;
	pass->reason_default = SL_REASON_PRIORITY;
	pass->rule_default = SL_RULE_NONE;
	int status = pass->policy->init ? pass->policy->init(&pass->state, &setup, err) : SL_OK;
	if (!status)
		status = gauges_named(&setup, pass->scenario, err);
	if (!pass->placer_asked)
		room_placer_release(pass);
	if (!status)
		status = init_control(pass, err);
	return status ? status : pass->status;
}

void init_queues(struct sl_pass *pass)
{
	queue_init(&pass->queue, pass->jobs->size, pass->estimate, pass->key);
	queue_init(&pass->fill, pass->jobs->size, pass->estimate, pass->fill_key);
	queue_by_request(&pass->queue, pass->request, pass->request_class);
	queue_by_request(&pass->fill, pass->request, pass->request_class);
	lanes_ready(pass);
}

static int init_pass(struct sl_pass *pass, const struct sim_options *options, struct sl_err *err)
{
	const struct scenario *scenario = options->scenario;
	pass->scenario = scenario;
	pass->jobs = &scenario->jobs;
	pass->options = *options;
	if (options->watch && options->watch->happened)
		pass->options.record |= SIM_RECORD_WATCHED;
	if (options->scenario->filled) /* fill.* and fill.csv are of the course of what is busy. */
		pass->options.record |= SIM_RECORD_USAGE;
	pass->cluster = (struct cluster){ .cpus = scenario->cpus, .cpus_free = scenario->cpus };
	pass->info = &scenario->cluster;
	pass->request = scenario->jobs.request;
	pass->requests = scenario->jobs.requests;
	pass->request_count = scenario->jobs.request_count;
	pass->run_first = pass->run_last = UINT32_MAX;
	pass->estimate = scenario->jobs.limit;
	pass->settled = SL_NONE;
	pass->now = scenario->begins ? scenario->begin : 0;
	pass->head.job = UINT32_MAX;
	pass->wake = SL_NEVER;
	profile_init(&pass->profile);
	int status = init_columns(pass, err);
	if (!status)
		status = evq_init(&pass->events, 1024, err);
	if (!status)
		status = feedback_init(pass, err);
	if (!status)
		status = decisions_init(pass, err);
	if (!status)
		status = gates_init(pass, err);
	if (!status)
		status = init_policy(pass, options->choice, err);
	if (!status)
		status = feedback_keys(pass, err);
	if (!status)
		status = models_ask(pass, err);
	int room = status ? status : room_init(pass, err);
	if (!room)
		room = models_init(pass, err);
	if (!room)
		room = gauges_begin(pass, err);
	init_queues(pass);
	pass->reason_first = pass->reason_default;
	if (!room && scenario->begins) {
		room = begin_recorded(pass);
		if (!room)
			gauges_record(pass);
	}
	if (!room && pass->models)
		models_begin(pass);
	return room ? room : pass->status;
}

/* Stable, by job: they were noted in time order. */
static int sort_reasons(struct sl_pass *pass)
{
	const uint32_t jobs = pass->jobs->count;
	if (!pass->reason_count)
		return SL_OK;
	size_t *place = calloc((size_t)jobs + 1, sizeof(*place));
	struct sl_reason_change *sorted = malloc(pass->reason_count * sizeof(*sorted));
	if (!place || !sorted) {
		free(place);
		free(sorted);
		return sl_fail_memory(&pass->err);
	}
	for (size_t i = 0; i < pass->reason_count; i++)
		place[pass->reason[i].job + 1]++;
	for (uint32_t job = 0; job < jobs; job++)
		place[job + 1] += place[job];
	for (size_t i = 0; i < pass->reason_count; i++)
		sorted[place[pass->reason[i].job]++] = pass->reason[i];
	free(place);
	free(pass->reason);
	pass->reason = sorted;
	return SL_OK;
}

static void fill_result(struct engine *engine, struct sl_result *result, bool stopped)
{
	struct sl_pass *pass = &engine->pass;
	const struct sl_jobs *jobs = pass->jobs;
	sl_time last = engine->interrupted ? pass->now : stopped ? engine->reached : SL_NONE;
	for (uint32_t i = 0; i < jobs->count; i++)
		last = pass->end[i] > last ? pass->end[i] : last;
	for (size_t i = 0; i < pass->attempt_count; i++) /* Who waits for ever since. */
		last = pass->attempt[i].end > last ? pass->attempt[i].end : last;
	if (pass->feedback)
		feedback_over(pass, last == SL_NONE ? pass->now : last);
	if (engine->interrupted || stopped)
		idle_counts(pass);
	const bool integrated = pass->nodes || pass->course;
	const bool begins = pass->scenario->begins;
	sl_time first = begins ? pass->scenario->begin : jobs->count ? jobs->submit[0] : 0;
	for (uint32_t i = 0; pass->feedback && i < jobs->count; i++)
		first = jobs->submit[i] < first ? jobs->submit[i] : first;
	*result = (struct sl_result){
		.jobs = jobs,
		.start = pass->start,
		.end = pass->end,
		.state = pass->job_state,
		.cpus = pass->cluster.cpus,
		.reasons = pass->reason,
		.reason_count = pass->reason_count,
		.reason_default = pass->reason_first,
		.usage = pass->usage,
		.usage_count = pass->usage_count,
		.idle_fitting = pass->idle[OF_CPUS].fitting,
		.idle_wanted = pass->idle[OF_CPUS].wanted,
		.gpus_fitting = pass->idle[OF_GPUS].fitting,
		.gpus_wanted = pass->idle[OF_GPUS].wanted,
		.mem_fitting = pass->idle[OF_MEM].fitting,
		.mem_wanted = pass->idle[OF_MEM].wanted,
		.first = first,
		.last = last > first ? last : first,
		.digest = pass->digest,
		.digests = pass->digests,
		.digest_count = pass->digest_count,
		.events = pass->events_applied,
		.passes = pass->passes,
		.interrupted = engine->interrupted,
		.warmup = pass->scenario->warmup,
		.policy = pass->options.choice->text,
		.cluster = pass->info,
		.nodes_held = pass->nodes_held,
		.cpus_held = pass->cpus_held,
		.gpus_held = pass->gpus_held,
		.attempts = pass->attempt,
		.attempt_count = pass->attempt_count,
		.suspended = pass->suspended_total,
		.busy = integrated ? pass->busy : NULL,
		.place = pass->place,
		.place_first = pass->place_first,
		.place_count = pass->place_count,
		.stopped = stopped,
		.moved = pass->feedback != NULL,
		.unfit = pass->unfit,
		.eligible = pass->eligible,
		.epoch = pass->scenario->epoch,
		.utc_offset = pass->scenario->utc_offset,
		.refused = pass->refused,
		.refused_first = pass->refused_first,
		.refused_why = pass->refused_why,
		.refusal = pass->refusal,
		.remark = pass->remark,
		.remark_count = pass->remark_count,
	};
}

/* The first failure, wherever it was said. */
static int failed(const struct engine *engine, int status, struct sl_err *err)
{
	if (status && err->status == SL_OK)
		*err = engine->pass.err;
	if (status && err->status == SL_OK)
		(void)sl_fail_memory(err); /* Only memory fails without a word. */
	return status;
}

int sim_begin(struct sim *sim, const struct sim_options *options, struct sl_err *err)
{
	*sim = (struct sim){ 0 };
	struct sl_arena *arena = sl_arena_new();
	struct engine *engine = arena ? sl_alloc(arena, 1, sizeof(*engine)) : NULL;
	if (!engine) {
		sl_arena_free(arena);
		(void)sl_fail_memory(err);
		return SL_SYSTEM;
	}
	sim->engine = engine;
	engine->arena = arena;
	engine->options = *options;
	engine->reached = SL_NONE;
	engine->pass.arena = arena;
	return failed(engine, init_pass(&engine->pass, options, err), err);
}

/* ---- On -------------------------------------------------------------------------------------- */

sl_time sim_next(struct sim *sim) { return next_instant(&sim->engine->pass); }

const struct sl_pass *sim_state(const struct sim *sim) { return &sim->engine->pass; }

bool sim_asks(const struct sim *sim) { return sim->engine->pass.asks; }

int sim_answer(struct sim *sim, uint32_t job, struct sl_err *err)
{
	struct sl_pass *pass = &sim->engine->pass;
	const int status =
		SL_GROW_MOST(pass->answer, pass->answer_capacity, pass->answer_count + 1, SIZE_MAX / 64, err);
	if (!status)
		pass->answer[pass->answer_count++] = job;
	return status;
}

int sim_advance(struct sim *sim, sl_time until, struct sl_err *err)
{
	struct engine *engine = sim->engine;
	const int status = sim_loop(&engine->pass, until);
	if (status == SIM_ASKS)
		return SL_OK;
	if (until > engine->reached)
		engine->reached = until;
	engine->interrupted |= status == SL_INTERRUPTED;
	return failed(engine, status, err);
}

const struct sim_stretch *sim_stretches(const struct sim *sim, size_t *count, struct sl_err *err)
{
	struct engine *engine = sim->engine;
	const struct sl_pass *pass = &engine->pass;
	const size_t present = engine->past_count;
	const bool between =
		!engine->interrupted && engine->reached != SL_NEVER && engine->reached > pass->now;
	if (SL_GROW_MOST(engine->past, engine->past_capacity, present + 1, UINT32_MAX, err))
		return NULL;
	engine->past[present] = (struct sim_stretch){
		.choice = pass->options.choice,
		.until = between ? engine->reached : pass->now,
		.digest = pass->digest,
		.events = pass->events_applied,
	};
	*count = present + 1;
	return engine->past;
}

/* ---- End ------------------------------------------------------------------------------------- */

int sim_end(struct sim *sim, struct sl_err *err)
{
	struct engine *engine = sim->engine;
	struct sl_pass *pass = &engine->pass;
	const bool stopped = !engine->interrupted && engine->reached != SL_NEVER && sim_next(sim) != SL_NEVER;
	if (stopped && engine->reached > pass->accounted)
		integrate(pass, engine->reached);
	int status = sort_reasons(pass);
	if (stopped && engine->reached > pass->now)
		pass->now = engine->reached; /* Attempts go on until here. */
	if (!status)
		status = course_results(pass, &pass->err);
	fill_result(engine, &sim->result, stopped);
	if (!status)
		status = reasons_left(pass, !stopped && !engine->interrupted, &sim->result);
	gauges_result(pass, &sim->result);
	decisions_result(pass, &sim->result);
	if (!status && pass->models)
		status = models_results(pass, &sim->result, &pass->err);
	if (!status && (pass->models || pass->policy->tell))
		status = all_told(pass, &sim->result, &pass->err);
	sim->result.interrupted |= status == SL_INTERRUPTED; /* It lacks what was to be told. */
	if (pass->options.check && !status)
		check_charges(&sim->result);
	return failed(engine, status, err);
}

void sim_release(struct sim *sim)
{
	if (!sim->engine)
		return;
	struct sl_pass *pass = &sim->engine->pass;
	if (pass->policy && pass->policy->release && pass->state)
		pass->policy->release(pass->state);
	queue_release(&pass->queue);
	queue_release(&pass->fill);
	lanes_release(pass);
	profile_release(&pass->profile);
	evq_release(&pass->events);
	gates_release(pass->gates);
	feedback_release(pass->feedback);
	evq_release(&pass->overruns);
	evq_release(&pass->due);
	evq_release(&pass->expiries);
	placing_release(&pass->placing);
	room_placer_release(pass);
	nodes_free(pass->nodes);
	models_release(pass);
	gauges_release(pass);
	decisions_release(pass);
	free(pass->ending);
	free(pass->window);
	free(pass->overdue);
	free(pass->course_kept);
	free(pass->attempt);
	free(pass->unpromised);
	free(pass->place);
	free(pass->freed_kept);
	free(pass->scratch);
	free(pass->action);
	free(pass->answer);
	free(pass->offered);
	free(pass->ledger);
	free(pass->reason);
	free(pass->usage);
	free(pass->digests);
	free(pass->past);
	free(sim->engine->past);
	sl_arena_free(sim->engine->arena);
	*sim = (struct sim){ 0 };
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begin.c - how a run begins, goes on in steps, and ends; and how its result is made.
 */
#include <stdlib.h>

#include "sim/run/models.h"

/* ---- Begin ----------------------------------------------------------------------------------- */

static int init_columns(struct sim *sim, struct sl_err *err)
{
	const uint32_t count = sim->jobs->count;
	sim->start = sl_alloc(sim->arena, count, sizeof(*sim->start));
	sim->end = sl_alloc(sim->arena, count, sizeof(*sim->end));
	sim->job_state = sl_alloc(sim->arena, count, sizeof(*sim->job_state));
	if (!sim->start || !sim->end || !sim->job_state)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		sim->start[i] = sim->end[i] = SL_NONE;
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

static const struct sl_node_scorer scorer_first = {
	.abi = SL_ABI_OF(struct sl_node_scorer), .name = "first", .score = score_none
};

/* SL_USE_CONTROL: every job enters the queue, but for what SL_USE_DEPENDENCIES keeps, and the policy says
 * since when it is eligible. */
static int init_control(struct sim *sim, struct sl_err *err)
{
	const struct scenario *scenario = sim->scenario;
	const uint32_t count = sim->jobs->count;
	if (!is_controlled(sim))
		return scenario->command_count
			       ? sl_fail(err, SL_USAGE,
					 "replay.commands: policy '%s' follows no commands: take one that does "
					 "(slurm)",
					 sim->options.choice->text)
			       : SL_OK;
	if (scenario->begins && !sim->policy->on_history)
		return sl_fail(err, SL_USAGE,
			"replay.start=recorded: policy '%s' has the say from the beginning, and cannot take over "
			"what ran then: replay.start=empty",
			sim->options.choice->text);
	const bool depends = sim->uses & SL_USE_DEPENDENCIES && eligibility_dependencies_alone(sim);
	if (!depends) {
		eligibility_release(sim->eligibility);
		sim->eligibility = NULL;
	}
	if (!depends && !sim->feedback)
		sim->gated = NULL;
	if (!sim->eligible)
		sim->eligible = sl_alloc(sim->arena, count, sizeof(*sim->eligible));
	if (!sim->eligible)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < count; job++)
		sim->eligible[job] = SL_NONE;
	return SL_OK;
}

const struct sl_doc *sl_param_doc(const struct sl_setup *setup, const char *key)
{
	const struct policy_choice *choice = setup->sim ? setup->sim->options.choice : NULL;
	const struct policy_file *file = choice ? policy_file_of(choice, key) : NULL;
	return file ? &file->doc : NULL;
}

struct sl_script *sl_param_script(const struct sl_setup *setup, const char *key)
{
	const struct policy_choice *choice = setup->sim ? setup->sim->options.choice : NULL;
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
	const struct policy_choice *choice = setup->sim ? setup->sim->options.choice : NULL;
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

int init_policy(struct sim *sim, const struct policy_choice *choice, struct sl_err *err)
{
	const struct sl_setup setup = {
		.arena = sim->arena,
		.jobs = sim->jobs,
		.cpus = sim->cluster.cpus,
		.seed = sim->options.seed,
		.values = choice->values,
		.value_count = choice->value_count,
		.overrun = sim->scenario->overrun,
		.sim = sim,
		.cluster = &sim->scenario->cluster,
		.epoch = sim->scenario->epoch ? sim->scenario->epoch + sim->scenario->utc_offset : 0,
		.command = sim->scenario->command,
		.command_count = sim->scenario->command_count,
		.registry = choice->registry ? &choice->registry->known : NULL,
		.begin = sim->scenario->begins ? sim->scenario->begin : 0,
	};
	sim->options.choice = choice;
	sim->policy = choice->policy;
	sim->state = NULL;
	scorer_release(&sim->scorer);
	sim->scorer.rule = &scorer_first;
	sim->allocator_asked = false;
	sim->reason_default = SL_REASON_PRIORITY;
	sim->rule_default = SL_RULE_NONE;
	int status = sim->policy->init ? sim->policy->init(&sim->state, &setup, err) : SL_OK;
	if (!status)
		status = gauges_named(&setup, sim->scenario, err);
	if (!sim->allocator_asked)
		allocation_allocator_gone(sim);
	if (!status)
		status = init_control(sim, err);
	return status ? status : sim->status;
}

void init_queues(struct sim *sim)
{
	queue_init(&sim->queue, sim->jobs->size, sim->estimate, sim->key);
	queue_init(&sim->fill, sim->jobs->size, sim->estimate, sim->fill_key);
	queue_by_request(&sim->queue, sim->request, sim->request_class);
	queue_by_request(&sim->fill, sim->request, sim->request_class);
	lanes_ready(sim);
}

static int init_pass(struct sim *sim, const struct sim_options *options, struct sl_err *err)
{
	const struct scenario *scenario = options->scenario;
	sim->scenario = scenario;
	sim->jobs = &scenario->jobs;
	sim->options = *options;
	if (options->watch && options->watch->happened)
		sim->options.record |= SIM_RECORD_WATCHED;
	if (options->scenario->filled) /* fill.* and fill.csv are computed from the series of usage. */
		sim->options.record |= SIM_RECORD_USAGE;
	if (scenario->field_metrics) /* By which rule jobs start is counted. */
		sim->options.record |= SIM_RECORD_DECISIONS;
	sim->cluster = (struct cluster){ .cpus = scenario->cpus, .cpus_free = scenario->cpus };
	sim->info = &scenario->cluster;
	sim->request = scenario->jobs.request;
	sim->requests = scenario->jobs.requests;
	sim->request_count = scenario->jobs.request_count;
	sim->run_first = sim->run_last = UINT32_MAX;
	sim->estimate = scenario->jobs.limit;
	sim->settled = SL_NONE;
	sim->now = scenario->begins ? scenario->begin : 0;
	sim->head.job = sim->runs_on = UINT32_MAX;
	sim->wake = SL_NEVER;
	profile_init(&sim->profile);
	int status = init_columns(sim, err);
	if (!status)
		status = evq_init(&sim->events, 1024, err);
	if (!status)
		status = feedback_init(sim, err);
	if (!status)
		status = decisions_init(sim, err);
	if (!status)
		status = eligibility_init(sim, err);
	if (!status)
		status = init_policy(sim, options->choice, err);
	if (!status)
		status = feedback_keys(sim, err);
	if (!status)
		status = models_query(sim, err);
	int capacity = status ? status : allocation_init(sim, err);
	if (!capacity)
		capacity = models_init(sim, err);
	if (!capacity)
		capacity = gauges_begin(sim, err);
	init_queues(sim);
	sim->reason_first = sim->reason_default;
	if (!capacity && scenario->begins) {
		capacity = begin_recorded(sim);
		if (!capacity)
			gauges_record(sim);
	}
	if (!capacity && sim->models)
		models_begin(sim);
	return capacity ? capacity : sim->status;
}

/* Where each change goes, by job and stable: they were recorded in time order. */
static bool reasons_places(const struct sim *sim, uint32_t *place)
{
	const uint32_t jobs = sim->jobs->count;
	uint32_t *next = calloc((size_t)jobs + 1, sizeof(*next));
	if (!next)
		return false;
	for (size_t i = 0; i < sim->reason_count; i++)
		next[sim->reason[i].job + 1]++;
	for (uint32_t job = 0; job < jobs; job++)
		next[job + 1] += next[job];
	for (size_t i = 0; i < sim->reason_count; i++)
		place[i] = next[sim->reason[i].job]++;
	free(next);
	return true;
}

/* In place, as there is one of them a job or more: each change that stands where another belongs is exchanged
 * for that. */
static int sort_reasons(struct sim *sim)
{
	struct sl_reason_change *reason = sim->reason;
	uint32_t *place = sim->reason_count ? malloc(sim->reason_count * sizeof(*place)) : NULL;
	if (!sim->reason_count)
		return SL_OK;
	if (!place || !reasons_places(sim, place)) {
		free(place);
		return sl_fail_memory(&sim->err);
	}
	for (size_t i = 0; i < sim->reason_count; i++) {
		while (place[i] != i) {
			const uint32_t to = place[i];
			const struct sl_reason_change moved = reason[to];
			reason[to] = reason[i];
			reason[i] = moved;
			place[i] = place[to];
			place[to] = to;
		}
	}
	free(place);
	return SL_OK;
}

static void fill_result(struct engine *engine, struct sl_result *result, bool stopped)
{
	struct sim *sim = &engine->sim;
	const struct sl_jobs *jobs = sim->jobs;
	sl_time last = engine->interrupted ? sim->now : stopped ? engine->reached : SL_NONE;
	for (uint32_t i = 0; i < jobs->count; i++)
		last = sim->end[i] > last ? sim->end[i] : last;
	for (size_t i = 0; i < sim->attempt_count; i++) /* Who waits for ever since. */
		last = sim->attempt[i].end > last ? sim->attempt[i].end : last;
	if (sim->feedback)
		feedback_over(sim, last == SL_NONE ? sim->now : last);
	if (engine->interrupted || stopped)
		idle_counts(sim);
	const bool integrated = sim->nodes || sim->progress;
	const bool begins = sim->scenario->begins;
	sl_time first = begins ? sim->scenario->begin : jobs->count ? jobs->submit[0] : 0;
	for (uint32_t i = 0; sim->feedback && i < jobs->count; i++)
		first = jobs->submit[i] < first ? jobs->submit[i] : first;
	*result = (struct sl_result){
		.jobs = jobs,
		.start = sim->start,
		.end = sim->end,
		.state = sim->job_state,
		.cpus = sim->cluster.cpus,
		.reasons = sim->reason,
		.reason_count = sim->reason_count,
		.reason_default = sim->reason_first,
		.idle_fitting = sim->idle[OF_CPUS].fitting,
		.idle_wanted = sim->idle[OF_CPUS].wanted,
		.gpus_fitting = sim->idle[OF_GPUS].fitting,
		.gpus_wanted = sim->idle[OF_GPUS].wanted,
		.mem_fitting = sim->idle[OF_MEM].fitting,
		.mem_wanted = sim->idle[OF_MEM].wanted,
		.first = first,
		.last = last > first ? last : first,
		.digest = sim->digest,
		.digests = sim->digests,
		.digest_count = sim->digest_count,
		.events = sim->events_applied,
		.passes = sim->passes,
		.interrupted = engine->interrupted,
		.warmup = sim->scenario->warmup,
		.cooldown = sim->scenario->cooldown,
		.field = sim->scenario->field_metrics,
		.policy = sim->options.choice->text,
		.cluster = sim->info,
		.nodes_held = sim->nodes_held,
		.cpus_held = sim->cpus_held,
		.gpus_held = sim->gpus_held,
		.attempts = sim->attempt,
		.attempt_count = sim->attempt_count,
		.suspended = sim->suspended_total,
		.busy = integrated ? sim->busy : NULL,
		.place = sim->place,
		.place_first = sim->place_first,
		.place_count = sim->place_count,
		.stopped = stopped,
		.moved = sim->feedback != NULL,
		.unfit = sim->unfit,
		.eligible = sim->eligible,
		.epoch = sim->scenario->epoch,
		.utc_offset = sim->scenario->utc_offset,
		.time_zone = sim->scenario->time_zone,
		.refused = sim->refused,
		.refused_first = sim->refused_first,
		.refused_why = sim->refused_why,
		.refusal = sim->refusal,
		.warning = sim->warning,
		.warning_count = sim->warning_count,
	};
}

/* The first failure, wherever it was said. */
static int failed(const struct engine *engine, int status, struct sl_err *err)
{
	if (status && err->status == SL_OK)
		*err = engine->sim.err;
	if (status && err->status == SL_OK)
		(void)sl_fail_memory(err); /* Only memory fails without a word. */
	return status;
}

int sim_begin(struct sim_run *run, const struct sim_options *options, struct sl_err *err)
{
	*run = (struct sim_run){ 0 };
	struct sl_arena *arena = sl_arena_new();
	struct engine *engine = arena ? sl_alloc(arena, 1, sizeof(*engine)) : NULL;
	if (!engine) {
		sl_arena_free(arena);
		(void)sl_fail_memory(err);
		return SL_SYSTEM;
	}
	run->engine = engine;
	engine->arena = arena;
	engine->options = *options;
	engine->reached = SL_NONE;
	engine->sim.arena = arena;
	return failed(engine, init_pass(&engine->sim, options, err), err);
}

/* ---- On -------------------------------------------------------------------------------------- */

sl_time sim_next(struct sim_run *run) { return next_instant(&run->engine->sim); }

const struct sim *sim_state(const struct sim_run *run) { return &run->engine->sim; }

bool sim_asks(const struct sim_run *run) { return run->engine->sim.asks; }

int sim_answer(struct sim_run *run, uint32_t job, struct sl_err *err)
{
	struct sim *sim = &run->engine->sim;
	const int status =
		SL_GROW_MOST(sim->answer, sim->answer_capacity, sim->answer_count + 1, SIZE_MAX / 64, err);
	if (!status)
		sim->answer[sim->answer_count++] = job;
	return status;
}

int sim_advance(struct sim_run *run, sl_time until, struct sl_err *err)
{
	struct engine *engine = run->engine;
	const int status = sim_loop(&engine->sim, until);
	if (status == SIM_ASKS)
		return SL_OK;
	if (until > engine->reached)
		engine->reached = until;
	engine->interrupted |= status == SL_INTERRUPTED;
	return failed(engine, status, err);
}

const struct sim_interval *sim_intervals(const struct sim_run *run, size_t *count, struct sl_err *err)
{
	struct engine *engine = run->engine;
	const struct sim *sim = &engine->sim;
	const size_t present = engine->history_count;
	const bool between =
		!engine->interrupted && engine->reached != SL_NEVER && engine->reached > sim->now;
	if (SL_GROW_MOST(engine->history, engine->history_capacity, present + 1, UINT32_MAX, err))
		return NULL;
	engine->history[present] = (struct sim_interval){
		.choice = sim->options.choice,
		.until = between ? engine->reached : sim->now,
		.digest = sim->digest,
		.events = sim->events_applied,
	};
	*count = present + 1;
	return engine->history;
}

/* ---- End ------------------------------------------------------------------------------------- */

int sim_end(struct sim_run *run, struct sl_err *err)
{
	struct engine *engine = run->engine;
	struct sim *sim = &engine->sim;
	const bool stopped = !engine->interrupted && engine->reached != SL_NEVER && sim_next(run) != SL_NEVER;
	if (stopped && engine->reached > sim->accounted)
		integrate(sim, engine->reached);
	int status = sort_reasons(sim);
	if (stopped && engine->reached > sim->now)
		sim->now = engine->reached; /* Attempts go on until here. */
	if (!status)
		status = progress_results(sim, &sim->err);
	fill_result(engine, &run->result, stopped);
	if (!status)
		status = usage_result(sim, &run->result);
	if (!status)
		status = reasons_left(sim, !stopped && !engine->interrupted, &run->result);
	gauges_result(sim, &run->result);
	decisions_result(sim, &run->result);
	if (!status && sim->models)
		status = models_results(sim, &run->result, &sim->err);
	if (!status && (sim->models || sim->policy->report))
		status = all_reported(sim, &run->result, &sim->err);
	if (!status)
		status = fair_starts(engine, &run->result, &sim->err);
	run->result.interrupted |= status == SL_INTERRUPTED; /* The report is incomplete. */
	if (sim->options.check && !status)
		check_charges(&run->result);
	return failed(engine, status, err);
}

void sim_release(struct sim_run *run)
{
	if (!run->engine)
		return;
	struct sim *sim = &run->engine->sim;
	if (sim->policy && sim->policy->release && sim->state)
		sim->policy->release(sim->state);
	queue_release(&sim->queue);
	queue_release(&sim->fill);
	lanes_release(sim);
	profile_release(&sim->profile);
	evq_release(&sim->events);
	eligibility_release(sim->eligibility);
	feedback_release(sim->feedback);
	evq_release(&sim->overruns);
	evq_release(&sim->due);
	evq_release(&sim->expiries);
	scorer_release(&sim->scorer);
	allocation_allocator_gone(sim);
	nodes_free(sim->nodes);
	models_release(sim);
	gauges_release(sim);
	decisions_release(sim);
	free(sim->ending);
	free(sim->window);
	free(sim->overdue);
	free(sim->progress_kept);
	free(sim->attempt);
	free(sim->unpromised);
	free(sim->place);
	free(sim->freed_kept);
	free(sim->scratch);
	free(sim->action);
	free(sim->answer);
	free(sim->offered);
	free(sim->ledger);
	free(sim->reason);
	usage_log_release(&sim->usage_log);
	free(sim->usage);
	free(sim->digests);
	free(sim->history);
	free(run->engine->history);
	sl_arena_free(run->engine->arena);
	*run = (struct sim_run){ 0 };
}

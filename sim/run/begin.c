/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begin.c - how a run begins, in steps or as a whole, and what it leaves.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/models.h"

/* ---- Begin ---------------------------------------------------------------------------- */

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
	int status = values_parse(
		made, policy->params, policy->param_count, text, policy->name, setup->arena, err);
	const struct policy_choice *choice = setup->pass ? setup->pass->options.choice : NULL;
	const struct policy_choice child = { .policy = policy,
		.values = made,
		.value_count = policy->param_count,
		.trust = choice ? choice->trust : NULL };
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

/* ---- On ------------------------------------------------------------------------------------ */

sl_time sim_next(struct sim *sim) { return next_instant(&sim->engine->pass); }

const struct sl_pass *sim_state(const struct sim *sim) { return &sim->engine->pass; }

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

/* ---- As a whole ----------------------------------------------------------------------------- */

static int fail_differs(const struct sl_pass *pass, const struct sim_stretch *was, const uint64_t *digests,
	size_t digest_count, struct sl_err *err)
{
	char where[160] = "";
	char at[48] = "its end";
	size_t same = 0;
	while (same < digest_count && same < pass->digest_count && pass->digests[same] == digests[same])
		same++;
	if (was->until != SL_NEVER)
		memcpy(sl_put_micro(at, was->until), " s", sizeof(" s"));
	if (same < digest_count && same < pass->digest_count)
		(void)snprintf(where, sizeof(where),
			"; the first of the digests after each 65536 events that differs is number %zu: "
			"%016" PRIx64 ", it was %016" PRIx64,
			same + 1, pass->digests[same], digests[same]);
	else if (digest_count)
		(void)snprintf(where, sizeof(where), "; the first %zu events are the same", same << 16);
	return sl_fail(err, SL_DIFFERS,
		"not reproduced: at %s the digest is %016" PRIx64 " after %" PRIu64
		" events, it was %016" PRIx64 " after %" PRIu64 "%s",
		at, pass->digest, pass->events_applied, was->digest, was->events, where);
}

int sim_verify(struct sim *sim, const struct sim_stretch *was, const uint64_t *digests, size_t digest_count,
	struct sl_err *err)
{
	const struct sl_pass *pass = &sim->engine->pass;
	if (pass->digest == was->digest && pass->events_applied == was->events)
		return SL_OK;
	return fail_differs(pass, was, digests, digest_count, err);
}

static const struct policy_choice *choice_after(const struct sim_options *options, size_t stretch)
{
	return stretch + 1 < options->past_count ? options->past[stretch + 1].choice : options->choice;
}

/* Does another policy take over anywhere? Then it is to be told what happened. */
static bool goes_over(const struct sim_options *options)
{
	for (size_t i = 0; i < options->past_count; i++)
		if (!policy_same(options->past[i].choice, choice_after(options, i)))
			return true;
	return false;
}

/* The past, stretch by stretch; then over to what comes after it. */
static int replay(struct sim *sim, const struct sim_options *options, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < options->past_count && !status; i++) {
		const struct sim_stretch *was = &options->past[i];
		status = sim_advance(sim, was->until, err);
		if (!status)
			status = sim_verify(sim, was, options->digests, options->digest_count, err);
		if (!status)
			status = sim_switch(sim, choice_after(options, i), err);
	}
	return status;
}

int sim_run(struct sim *sim, const struct sim_options *options, struct sl_err *err)
{
	struct sim_options first = *options;
	if (options->past_count) {
		first.choice = options->past[0].choice;
		first.record |= goes_over(options) ? SIM_RECORD_PAST : 0;
	}
	int status = sim_begin(sim, &first, err);
	if (status)
		return status;
	status = replay(sim, options, err);
	if (!status)
		status = sim_advance(
			sim, options->scenario->bounded ? options->scenario->until : SL_NEVER, err);
	if (status && status != SL_INTERRUPTED)
		return status;
	const int ended = sim_end(sim, err);
	return ended ? ended : status;
}

int sim_back(struct sim *sim, sl_time until, struct sl_err *err)
{
	const struct engine *was = sim->engine;
	struct sim_options options = was->options;
	struct sim again;
	size_t count = 0;
	while (count < was->past_count && was->past[count].until <= until)
		count++;
	int status = sim_begin(&again, &options, err);
	if (status) {
		sim_release(&again);
		return status;
	}
	for (size_t i = 0; i < count && !status; i++) {
		status = sim_advance(&again, was->past[i].until, err);
		if (!status)
			status = sim_verify(
				&again, &was->past[i], was->pass.digests, was->pass.digest_count, err);
		if (!status)
			status = sim_switch(&again,
				i + 1 < was->past_count ? was->past[i + 1].choice : was->pass.options.choice,
				err);
	}
	if (!status)
		status = sim_advance(&again, until, err);
	const struct sl_pass *now = &again.engine->pass;
	const size_t whole = status ? 0 : now->digest_count;
	if (whole &&
		(whole > was->pass.digest_count || now->digests[whole - 1] != was->pass.digests[whole - 1]))
		status = sl_fail(err, SL_DIFFERS,
			"not reproduced: after %zu events the digest is not what it was", whole << 16);
	if (status) {
		sim_release(&again);
		return status;
	}
	sim_release(sim);
	*sim = again;
	return SL_OK;
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

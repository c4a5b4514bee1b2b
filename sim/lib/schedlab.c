/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedlab.c - the C library (schedlab.h): opaque handles over the registry, scenarios and runs.
 *
 * Runs that go together are in one array, as a runset needs them. Each handle points at its
 * place there; the array goes with the last of them.
 */
#include "sim/lib/builtin.h"
#include "sim/lib/schedlab_parts.h"
#include "sim/run/engine.h"

#include <stdlib.h>
#include <string.h>

#ifndef SL_VERSION
#define SL_VERSION "unknown"
#endif

const char *sl_version(void) { return SL_VERSION; }

/* ---- Sessions ------------------------------------------------------------------------ */

struct sl_session {
	struct registry registry;
};

int sl_session_new(struct sl_session **session, struct sl_err *err)
{
	*session = calloc(1, sizeof(**session));
	if (!*session)
		return sl_fail_memory(err);
	const int status = registry_make(&(*session)->registry, err);
	if (status) {
		free(*session);
		*session = NULL;
	}
	return status;
}

int sl_session_plugin(struct sl_session *session, const char *path, struct sl_err *err)
{
	return registry_add(&session->registry, path, err);
}

void sl_session_free(struct sl_session *session)
{
	if (!session)
		return;
	registry_release(&session->registry);
	free(session);
}

/* ---- Scenarios ------------------------------------------------------------------------- */

struct sl_scenario {
	struct scenario scenario;
	struct sl_arena *arena; /* Of the settings. */
};

static int scenario_fill(struct sl_scenario *scenario, struct scenario_options options,
	const char *const *settings, struct sl_err *err)
{
	scenario->arena = sl_arena_new();
	if (!scenario->arena)
		return sl_fail_memory(err);
	struct settings given = { .arena = scenario->arena };
	for (size_t i = 0; settings && settings[i]; i++) {
		const int status = settings_add(&given, settings[i], err);
		if (status)
			return status;
	}
	options.settings = &given;
	const int status = scenario_load(&scenario->scenario, &options, err);
	return status ? status : settings_check_used(&given, NULL, 0, err);
}

int sl_scenario_open(struct sl_scenario **scenario, const struct sl_session *session, const char *trace,
	const char *cluster, const char *const *settings, struct sl_err *err)
{
	*scenario = calloc(1, sizeof(**scenario));
	if (!*scenario)
		return sl_fail_memory(err);
	const struct scenario_options options = {
		.trace = trace, .cluster = cluster, .registry = &session->registry, .seed = 1
	};
	const int status = scenario_fill(*scenario, options, settings, err);
	if (status) {
		sl_scenario_free(*scenario);
		*scenario = NULL;
	}
	return status;
}

const struct sl_jobs *sl_scenario_jobs(const struct sl_scenario *scenario)
{
	return &scenario->scenario.jobs;
}

const struct sl_cluster *sl_scenario_cluster(const struct sl_scenario *scenario)
{
	return &scenario->scenario.cluster;
}

void sl_scenario_free(struct sl_scenario *scenario)
{
	if (!scenario)
		return;
	if (scenario->scenario.arena)
		scenario_release(&scenario->scenario);
	sl_arena_free(scenario->arena);
	free(scenario);
}

/* ---- Runs -------------------------------------------------------------------------------- */

static struct batch *batch_new(size_t count)
{
	struct batch *batch = count < SIZE_MAX / sizeof(struct run) / 2
				      ? calloc(1, sizeof(*batch) + count * sizeof(struct run))
				      : NULL;
	if (batch)
		batch->users = count;
	return batch;
}

static void batch_leave(struct batch *batch)
{
	if (batch && atomic_fetch_sub(&batch->users, 1) == 1)
		free(batch);
}

/* What the policy's compat implies of the replay must have been a setting when the scenario was opened. */
static int check_implied(
	const struct scenario *scenario, const struct policy_choice *choice, struct sl_err *err)
{
	struct item item;
	for (const char *text = choice->implied; text && item_next(&text, &item);) {
		const struct sl_value *value = sl_value_of(scenario->replay, replay_param_count, item.key);
		if (!value || !value->text || strcmp(value->text, item.value) != 0)
			return sl_fail(err, SL_USAGE,
				"policy '%s' implies replay.%s=%s: open the scenario with that setting",
				choice->text, item.key, item.value);
	}
	return SL_OK;
}

static int run_fill(struct sl_run *run, const struct scenario *scenario, const char *policy,
	const struct sim_options *options, struct sl_err *err)
{
	run->batch = batch_new(1);
	run->arena = sl_arena_new();
	if (!run->batch || !run->arena)
		return sl_fail_memory(err);
	run->run = &run->batch->run[0];
	run->run->scenario = scenario;
	run->run->options = *options;
	run->run->options.stop = &run->stop;
	metrics_init(&run->metrics, run->arena, scenario->registry);
	const int status =
		policy_choose(scenario->registry, &run->run->choice, policy, NULL, run->arena, err);
	return status ? status : check_implied(scenario, &run->run->choice, err);
}

/* NOLINTNEXTLINE(readability-function-size): what a run is made of. */
int sl_run_new(struct sl_run **run, const struct sl_scenario *scenario, const char *policy, uint64_t seed,
	unsigned flags, struct sl_err *err)
{
	*run = calloc(1, sizeof(**run));
	if (!*run)
		return sl_fail_memory(err);
	const struct sim_options options = {
		.seed = seed,
		.check = flags & SL_RUN_CHECK,
		.record = flags & SL_RUN_RECORD ? SIM_RECORD_USAGE | SIM_RECORD_REASONS : 0,
	};
	const int status = run_fill(*run, &scenario->scenario, policy, &options, err);
	if (status) {
		sl_run_free(*run);
		*run = NULL;
	}
	return status;
}

/* All at places of one array, before anything points into it. */
static int schedlab_join(struct sl_run *const *runs, size_t count, struct sl_err *err)
{
	size_t fresh = 0;
	while (fresh < count && !runs[fresh]->gone)
		runs[fresh++]->gone = true;
	struct batch *batch = fresh == count ? batch_new(count) : NULL;
	if (!batch) {
		for (size_t i = 0; i < fresh; i++)
			runs[i]->gone = false;
		return fresh == count ? sl_fail_memory(err)
				      : sl_fail(err, SL_USAGE, "a run goes only once: make a new one");
	}
	for (size_t i = 0; i < count; i++) {
		batch->run[i] = *runs[i]->run;
		batch_leave(runs[i]->batch);
		runs[i]->batch = batch;
		runs[i]->run = &batch->run[i];
	}
	return SL_OK;
}

int sl_runs_go(struct sl_run *const *runs, size_t count, unsigned threads, struct sl_err *err)
{
	if (!count)
		return SL_OK;
	int status = schedlab_join(runs, count, err);
	if (status)
		return status;
	status = runset_run(runs[0]->batch->run, count, threads, NULL, NULL, err);
	for (size_t i = 0; i < count; i++) {
		struct sl_run *run = runs[i];
		const bool over =
			run->run->sim.engine && (!run->run->status || run->run->status == SL_INTERRUPTED);
		if (!over)
			continue;
		const int failed = metrics_compute(&run->metrics, &run->run->sim.result, err);
		run->usable = !failed;
		status = status ? status : failed;
	}
	return status;
}

int sl_run_go(struct sl_run *run, struct sl_err *err) { return sl_runs_go(&run, 1, 1, err); }

/* ---- In steps -------------------------------------------------------------------------------- */

int sl_run_begin(struct sl_run *run, struct sl_err *err)
{
	if (run->gone)
		return sl_fail(err, SL_USAGE, "a run goes only once: make a new one");
	struct run *own = run->run;
	own->options.scenario = own->scenario;
	own->options.choice = &own->choice;
	own->options.driven = true;
	run->gone = true;
	const int status = sim_begin(&own->sim, &own->options, err);
	run->steps = !status;
	return status;
}

static int fail_not_begun(struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "the run is not in steps: begin it with sl_run_begin");
}

int sl_run_until(struct sl_run *run, sl_time until, struct sl_err *err)
{
	const struct scenario *scenario = run->run->scenario;
	if (!run->steps)
		return fail_not_begun(err);
	if (scenario->bounded && until > scenario->until)
		until = scenario->until;
	if (sim_asks(&run->run->sim)) {
		if (!run->answered)
			return SL_OK;
		const sl_time now = run->run->sim.engine->sim.now;
		until = until < now ? now : until;
	}
	run->answered = false;
	return sim_advance(&run->run->sim, until, err);
}

sl_time sl_run_next(struct sl_run *run)
{
	const struct scenario *scenario = run->run->scenario;
	const sl_time next = run->steps ? sim_next(&run->run->sim) : SL_NEVER;
	return scenario->bounded && next > scenario->until ? SL_NEVER : next;
}

const struct sim *sl_run_state(const struct sl_run *run)
{
	return run->steps ? sim_state(&run->run->sim) : NULL;
}

int sl_run_end(struct sl_run *run, struct sl_err *err)
{
	if (!run->steps)
		return fail_not_begun(err);
	if (sim_asks(&run->run->sim))
		return sl_fail(err, SL_USAGE,
			"the run awaits a decision: sl_run_decide, then sl_run_until, come first");
	run->steps = false;
	int status = sim_end(&run->run->sim, err);
	if (!status)
		status = metrics_compute(&run->metrics, &run->run->sim.result, err);
	run->usable = !status;
	return status;
}

bool sl_run_awaits(struct sl_run *run, struct sl_question *question)
{
	if (!run->steps || !sim_asks(&run->run->sim) || run->answered)
		return false;
	struct sim *sim = &run->run->sim.engine->sim;
	*question = (struct sl_question){ sim->offered, sim->offered_count,
		sim->running || next_instant(sim) != SL_NEVER };
	return true;
}

static bool is_offered(const struct sl_question *question, sl_job job)
{
	for (size_t i = 0; i < question->count; i++)
		if (question->offered[i].row == job.row)
			return true;
	return false;
}

int sl_run_decide(struct sl_run *run, sl_job job, struct sl_err *err)
{
	struct sl_question question;
	if (!sl_run_awaits(run, &question))
		return sl_fail(err, SL_USAGE, "the run awaits no decision: go on with sl_run_until");
	if (!sl_job_is(job) && !question.may_wait)
		return sl_fail(
			err, SL_USAGE, "nothing else will happen: one of the offered jobs has to start");
	if (sl_job_is(job) && !is_offered(&question, job))
		return sl_fail(err, SL_USAGE, "the job of row %u is not offered", job.row);
	const int status = sim_answer(&run->run->sim, job.row, err);
	run->answered = !status;
	return status;
}

/* ---- What it leaves --------------------------------------------------------------------------- */

void sl_run_stop(struct sl_run *run) { atomic_store(&run->stop, 1); }

const struct sl_result *sl_run_result(const struct sl_run *run)
{
	return run->usable ? &run->run->sim.result : NULL;
}

uint64_t sl_run_digest(const struct sl_run *run) { return run->usable ? run->run->sim.result.digest : 0; }

bool sl_run_metric(const struct sl_run *run, const char *name, int64_t *micro)
{
	const int64_t *found = metrics_get(&run->metrics, name);
	if (found)
		*micro = *found;
	return found != NULL;
}

const char *sl_run_metric_at(const struct sl_run *run, size_t i, int64_t *micro)
{
	if (i >= run->metrics.count)
		return NULL;
	*micro = run->metrics.row[i].micro;
	return run->metrics.row[i].name;
}

int sl_run_write(const struct sl_run *run, const char *report, const char *path, struct sl_err *err)
{
	if (!run->usable)
		return sl_fail(err, SL_USAGE, "the run has no result: let it go to its end first");
	const struct sl_report *known = sl_by_name(run->run->scenario->registry->known.reports, report);
	if (!known)
		return sl_fail(
			err, SL_USAGE, "unknown report '%s': 'schedlab list reports' shows all", report);
	struct sl_out *out;
	int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	status = known->write(&run->run->sim.result, out, err);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

void sl_run_free(struct sl_run *run)
{
	if (!run)
		return;
	if (run->run)
		sim_release(&run->run->sim);
	metrics_release(&run->metrics);
	batch_leave(run->batch);
	sl_arena_free(run->arena);
	free(run);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fair_runs.c - fair start times under the run's own policy: a run a job, in which nobody comes later.
 *
 * Until the next job comes the two runs are one, so a job that has started by then started fairly. For each
 * other the jobs up to it are replayed from the beginning, as no policy's state is copied: of n jobs up to
 * n * n / 2. No more than runs_jobs are replayed in all; where that does not do, every second, third ... of
 * those that came is looked at.
 */
#include <string.h>

#include "sim/result/fair_start.h"
#include "sim/run/engine.h"

static const uint64_t runs_jobs = (uint64_t)1 << 22;

/* A job's fate is of those before it alone: nothing that is beside the trace acts, and nobody is preempted.
 */
static bool is_causal(const struct engine *engine)
{
	const struct scenario *scenario = engine->sim.scenario;
	const struct sl_jobs *jobs = &scenario->jobs;
	if (scenario->begins || scenario->bounded || scenario->follows || scenario->model_count ||
		scenario->command_count || jobs->gang || jobs->cancel || engine->history_count ||
		engine->options.history_count || engine->sim.attempt_count || engine->sim.suspended_total)
		return false;
	for (uint32_t row = 0; jobs->more_of && row < jobs->count; row++)
		if (jobs->more[jobs->more_of[row]].depend_count)
			return false;
	return true;
}

/* A policy that asks another program, or writes down what it did, is asked once. */
static bool is_closed(const struct policy_choice *choice)
{
	static const char *const outside[] = { "command", "record" };
	for (size_t i = 0; i < choice->value_count; i++)
		for (size_t k = 0; k < SL_LEN(outside); k++)
			if (choice->values[i].text && strcmp(choice->policy->params[i].key, outside[k]) == 0)
				return false;
	return true;
}

static bool needs_run(const struct sl_result *result, uint32_t row)
{
	return row + 1 < result->jobs->count &&
	       (result->start[row] == SL_NONE || result->start[row] >= result->jobs->submit[row + 1]);
}

static uint32_t stride_of(const struct sl_result *result)
{
	uint64_t jobs = 0;
	for (uint32_t row = 0; row < result->jobs->count; row++)
		jobs += needs_run(result, row) ? row + 1 : 0;
	return (uint32_t)(jobs / runs_jobs) + 1;
}

static int fair_of(const struct engine *engine, uint32_t row, sl_time *fair, struct sl_err *err)
{
	struct scenario alone = *engine->sim.scenario;
	struct sim_options options = { .scenario = &alone,
		.choice = engine->options.choice,
		.seed = engine->options.seed,
		.stop = engine->options.stop };
	struct sim_run run;
	alone.jobs.count = row + 1;
	alone.field_metrics = false;
	const int status = sim_run(&run, &options, err);
	*fair = status ? SL_NONE : run.result.start[row];
	sim_release(&run);
	return status;
}

static int fair_by_policy(
	const struct engine *engine, const struct sl_result *result, sl_time *fair, struct sl_err *err)
{
	const uint32_t stride = stride_of(result);
	int status = SL_OK;
	for (uint32_t row = 0; row < result->jobs->count && !status; row++) {
		fair[row] = SL_NONE;
		if (row % stride)
			continue;
		if (needs_run(result, row))
			status = fair_of(engine, row, &fair[row], err);
		else
			fair[row] = result->start[row];
	}
	return status;
}

int fair_starts(struct engine *engine, struct sl_result *result, struct sl_err *err)
{
	const struct scenario *scenario = engine->sim.scenario;
	const bool policy = scenario->fair_by_policy;
	if (!scenario->field_metrics || (policy && (result->interrupted || result->stopped)) ||
		!(policy ? is_causal(engine) && is_closed(engine->options.choice) : fair_start_is_of(result)))
		return SL_OK;
	sl_time *fair = sl_alloc(engine->arena, (size_t)result->jobs->count + 1, sizeof(*fair));
	if (!fair)
		return sl_fail_memory(err);
	const int status =
		policy ? fair_by_policy(engine, result, fair, err) : fair_start_in_order(result, fair, err);
	if (!status)
		result->fair_start = fair;
	return status;
}

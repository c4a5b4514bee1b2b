/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace_run.c - a trace as text, settings and a policy: a run; see trace_run.h.
 */
#include "tests/world/trace_run.h"

#include <stdio.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

int trace_load(struct trace_run *run, const char *text, const char *const *given)
{
	memset(run, 0, sizeof(*run));
	run->settings.arena = sl_arena_new();
	SL_CHECK(run->settings.arena);
	int status = SL_OK;
	for (; *given && !status; given++)
		status = strncmp(*given, "--model ", 8) == 0
				 ? settings_add_model(&run->settings, *given + 8, &run->err)
				 : settings_add(&run->settings, *given, &run->err);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(run->path, text, strlen(text)),
		.settings = &run->settings };
	return status ? status : scenario_load(&run->scenario, &options, &run->err);
}

int trace_run(struct trace_run *run, const char *text, const char *policy, const char *const *given)
{
	int status = trace_load(run, text, given);
	if (!status)
		status = policy_choose(builtin_registry(), &run->choice, policy, &run->settings,
			run->settings.arena, &run->err);
	const struct sim_options options = {
		.scenario = &run->scenario, .choice = &run->choice, .check = true
	};
	return status ? status : sim_run(&run->sim, &options, &run->err);
}

void trace_release(struct trace_run *run)
{
	sim_release(&run->sim);
	if (run->scenario.arena)
		scenario_release(&run->scenario);
	sl_arena_free(run->settings.arena);
}

uint32_t trace_row(const struct trace_run *run, const char *id)
{
	const struct sl_jobs *jobs = &run->scenario.jobs;
	for (uint32_t row = 0; row < jobs->count; row++) {
		char text[32];
		*sl_put_i64(text, jobs->id[row]) = '\0';
		const char *name = jobs->id_name && jobs->id_name[row] ? jobs->id_name[row] : text;
		if (strcmp(name, id) == 0)
			return row;
	}
	return UINT32_MAX;
}

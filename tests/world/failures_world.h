/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_world.h - runs with the model failures, from texts: for tests of it.
 */
#ifndef TESTS_FAILURES_WORLD_H
#define TESTS_FAILURES_WORLD_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/registry/plugins.h"
#include "sim/run/sim.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

struct fw {
	const char *cluster, *jobs; /* Texts. */
	const char *log, *causes;   /* NULL: none. */
	const char *settings[12];   /* Closed by NULL. */
	const char *policy;         /* NULL: "fcfs". */
	uint64_t seed;
	bool unchecked; /* Without --check: it is large. */
	/* The rest is made. */
	struct scenario scenario;
	struct policy_choice choice;
	struct sl_arena *arena;
	struct sim_run sim;
	struct sl_err err;
};

static const char four_nodes[] = "nodes:\n  - name: n\n    count: 4\n    cpus: 8\n    gpus: 8\n";
/* Each of two nodes with all their GPUs. */
#define JOBS_HEAD "job_id,submit,run_time,time_limit,nodes,cpus_per_node,gpus_per_node\n"

static inline int load(struct fw *w)
{
	static struct settings settings;
	char path[4][32], text[200];
	w->arena = sl_arena_new();
	settings = (struct settings){ .arena = w->arena };
	cr_assert_eq(settings_add(&settings, "replay.models=failures", &w->err), SL_OK, "%s", w->err.text);
	if (w->log) {
		snprintf(text, sizeof(text), "failures.log=%s", memfile(path[0], w->log, strlen(w->log)));
		cr_assert_eq(settings_add(&settings, text, &w->err), SL_OK, "%s", w->err.text);
	}
	if (w->causes) {
		snprintf(text, sizeof(text), "failures.causes=%s",
			memfile(path[1], w->causes, strlen(w->causes)));
		cr_assert_eq(settings_add(&settings, text, &w->err), SL_OK, "%s", w->err.text);
	}
	for (size_t i = 0; w->settings[i]; i++)
		cr_assert_eq(settings_add(&settings, w->settings[i], &w->err), SL_OK, "%s", w->err.text);
	cr_assert_eq(policy_choose(builtin_registry(), &w->choice, w->policy ? w->policy : "fcfs", &settings,
			     w->arena, &w->err),
		SL_OK, "%s", w->err.text);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(path[2], w->jobs, strlen(w->jobs)),
		.cluster = memfile(path[3], w->cluster, strlen(w->cluster)),
		.settings = &settings,
		.seed = w->seed,
		.implied = w->choice.implied };
	return scenario_load(&w->scenario, &options, &w->err);
}

static inline int try_run(struct fw *w)
{
	const int status = load(w);
	const struct sim_options options = { .scenario = &w->scenario,
		.choice = &w->choice,
		.seed = w->seed ? w->seed : 1,
		.record = SIM_RECORD_REASONS,
		.check = !w->unchecked };
	return status ? status : sim_run(&w->sim, &options, &w->err);
}

static inline void run(struct fw *w) { cr_assert_eq(try_run(w), SL_OK, "%s", w->err.text); }

static inline void end(struct fw *w)
{
	if (w->sim.engine)
		sim_release(&w->sim);
	scenario_release(&w->scenario);
	sl_arena_free(w->arena);
}

static inline double metric(const struct fw *w, const char *name)
{
	const struct sl_result *result = &w->sim.result;
	for (size_t i = 0; i < result->reported_metric_count; i++)
		if (strcmp(result->reported_metric[i].name, name) == 0)
			return (double)result->reported_metric[i].micro / 1e6;
	return (double)NAN;
}

static inline double column(const struct fw *w, const char *name, uint32_t job)
{
	const struct sl_result *result = &w->sim.result;
	for (size_t i = 0; i < result->reported_column_count; i++)
		if (strcmp(result->reported_column[i].name, name) == 0)
			return (double)result->reported_column[i].micro[job] / 1e6;
	cr_assert_fail("no column %s", name);
	return 0;
}

static inline double ends(const struct fw *w, uint32_t job) { return (double)w->sim.result.end[job] / 1e6; }

#define EXPECT(value, want) \
	cr_expect_float_eq(value, want, 1e-5, #value " is %g, not %g", (double)(value), (double)(want))

#endif

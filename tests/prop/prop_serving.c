/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_serving.c - services on generated loads and small clusters: what was served, summed up second by
 * second from when each replica was ready and gone; ready within running, wanted within its bounds.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/sim.h"
#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

enum { SERVICES = 3, LAST = 2000 };

struct world {
	int64_t min[SERVICES], max[SERVICES];
	char text[8000];
	char trace[32], cluster[32];
	struct scenario scenario;
	struct registry registry;
	struct settings settings;
	struct policy_choice choice;
	struct sim_run sim;
	struct sl_err err;
};

static void put(struct world *w, const char *format, ...) SL_PRINTF(2, 3);
static void put(struct world *w, const char *format, ...)
{
	const size_t len = strlen(w->text);
	va_list args;
	va_start(args, format);
	(void)vsnprintf(w->text + len, sizeof(w->text) - len, format, args);
	va_end(args);
}

/* In whole seconds: a load by the hour, ten times as fast as the day. */
static void service_put(struct world *w, struct sl_rng *rng, int i)
{
	w->min[i] = (int64_t)sl_rng_below(rng, 3);
	w->max[i] = w->min[i] + 1 + (int64_t)sl_rng_below(rng, 8);
	put(w, "  - {name: s%d, tasks: 1, gpus_per_task: %d, until: %d, capacity: 10, min: %d, max: %d,\n", i,
		(int)(1 + sl_rng_below(rng, 2)), LAST, (int)w->min[i], (int)w->max[i]);
	put(w, "     cold_start: %d, load: {step: 1, day: [", (int)sl_rng_below(rng, 90));
	for (int hour = 0; hour < 24; hour++)
		put(w, hour ? ",%d" : "%d", (int)sl_rng_below(rng, 90));
	put(w, "]},\n     autoscaler: {sync: %d, down: {stabilization: %d}}",
		(int)(5 + sl_rng_below(rng, 40)), (int)sl_rng_below(rng, 100));
	const int updates = (int)sl_rng_below(rng, 3);
	for (int k = 0; k < updates; k++)
		put(w, "%s{at: %d, max_surge: %d, max_unavailable: %d}", k ? ", " : ", updates: [",
			300 + k * (int)(1 + sl_rng_below(rng, 800)), (int)(1 + sl_rng_below(rng, 3)),
			(int)sl_rng_below(rng, 3));
	put(w, updates ? "]}\n" : "}\n");
}

static void world_run(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/serving");
	char nodes[100];
	memset(w, 0, sizeof(*w));
	put(w, "services:\n");
	for (int i = 0; i < SERVICES; i++)
		service_put(w, &rng, i);
	const int len = snprintf(nodes, sizeof(nodes), "nodes: [{name: n, count: %d, cpus: 8, gpus: 4}]\n",
		(int)(1 + sl_rng_below(&rng, 6)));
	(void)memfile(w->trace, w->text, strlen(w->text));
	(void)memfile(w->cluster, nodes, (size_t)len);
	cr_assert_eq(registry_make(&w->registry, &w->err), SL_OK);
	w->settings.arena = sl_arena_new();
	cr_assert_eq(settings_add_model(&w->settings, "serving", &w->err), SL_OK);
	const struct scenario_options options = {
		.trace = w->trace, .cluster = w->cluster, .settings = &w->settings, .registry = &w->registry
	};
	cr_assert_eq(scenario_load(&w->scenario, &options, &w->err), SL_OK, "%s\n%s", w->err.text, w->text);
	cr_assert_eq(
		policy_choose(&w->registry, &w->choice, "easy", &w->settings, w->settings.arena, &w->err),
		SL_OK);
	const struct sim_options run = { .scenario = &w->scenario, .choice = &w->choice, .check = true };
	cr_assert_eq(sim_run(&w->sim, &run, &w->err), SL_OK, "%s", w->err.text);
}

static void world_end(struct world *w)
{
	sim_release(&w->sim);
	scenario_release(&w->scenario);
	sl_arena_free(w->settings.arena);
	registry_release(&w->registry);
}

static int64_t reported(const struct world *w, const char *name, int service)
{
	char label[80];
	(void)snprintf(label, sizeof(label), "serving.%s{service=s%d}", name, service);
	for (size_t i = 0; i < w->sim.result.reported_metric_count; i++)
		if (strcmp(w->sim.result.reported_metric[i].name, label) == 0)
			return w->sim.result.reported_metric[i].micro;
	return SL_NONE;
}

/* From when it was ready to its end; all times of these worlds are whole seconds. */
static int64_t ready_at(const struct world *w, const char *family, int64_t second)
{
	const struct sl_result *result = &w->sim.result;
	const struct sl_jobs *jobs = result->jobs;
	const int64_t *ready = result->reported_column[0].micro;
	int64_t count = 0;
	for (uint32_t row = 0; row < jobs->count; row++)
		count += strcmp(jobs->profile[jobs->profile_of[row]].family, family) == 0 &&
			 ready[row] != SL_NONE && ready[row] <= second * SL_SECOND &&
			 result->end[row] > second * SL_SECOND;
	return count;
}

static void compare(const struct world *w, int service, uint64_t seed)
{
	char family[8];
	struct sl_serves serves = { 0 };
	const struct sl_jobs *jobs = w->sim.result.jobs;
	(void)snprintf(family, sizeof(family), "s%d", service);
	for (uint32_t row = 0; row < jobs->count && !serves.until; row++)
		if (strcmp(jobs->profile[jobs->profile_of[row]].family, family) == 0)
			cr_assert_null(sl_serves_read(&serves, jobs->profile[jobs->profile_of[row]].serves));
	if (!serves.until) /* It never had a replica. */
		return;
	int64_t asked = 0;
	int64_t lost = 0;
	const int64_t end = w->sim.result.last / SL_SECOND;
	for (int64_t second = 0; second < end && second < LAST; second++) {
		sl_time until;
		const int64_t load = sl_load_at(&serves, second * SL_SECOND, &until);
		const int64_t could = 10 * SL_SECOND * ready_at(w, family, second);
		asked += load;
		lost += load > could ? load - could : 0;
	}
	sl_serves_release(&serves);
	cr_expect_eq(reported(w, "requests", service), asked, "seed %llu", (unsigned long long)seed);
	cr_expect_eq(reported(w, "unserved", service), lost, "seed %llu: %lld, not %lld",
		(unsigned long long)seed, (long long)reported(w, "unserved", service), (long long)lost);
	cr_expect_leq(reported(w, "wanted.max", service), w->max[service] * SL_SECOND);
	cr_expect_leq(reported(w, "ready.mean", service), reported(w, "running.mean", service));
}

/* By spans; wanted are within their bounds in each, once the first have come. */
static void look_at_table(const struct world *w, uint64_t seed)
{
	const struct sl_report_table *table = &w->sim.result.reported_table[0];
	cr_assert_str_eq(table->name, "serving");
	for (size_t i = 0; i < table->rows; i++) {
		const struct sl_cell *row = &table->cell[i * table->columns];
		const int service = row[0].text[1] - '0';
		cr_expect_leq(row[7].micro, row[6].micro, "seed %llu", (unsigned long long)seed);
		cr_expect_leq(row[4].micro, row[3].micro);
		cr_expect_leq(row[5].micro, w->max[service] * SL_SECOND);
		cr_expect_geq(row[5].micro, w->min[service] * SL_SECOND, "seed %llu: s%d %lld\n%s",
			(unsigned long long)seed, service, (long long)row[5].micro, w->text);
	}
}

Test(serving, what_is_served_is_what_was_ready)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct world *w = malloc(sizeof(*w));
		cr_assert_not_null(w);
		world_run(w, seed);
		for (int i = 0; i < SERVICES; i++)
			compare(w, i, seed);
		look_at_table(w, seed);
		world_end(w);
		free(w);
	}
}

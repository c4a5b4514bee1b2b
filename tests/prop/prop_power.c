/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_power.c - energy over whole runs against a sum over jobs; caps that hold; metering that moves nothing.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "models/power/power.h"
#include "tests/world/node_world.h"

extern const struct sl_model model_power;

/* Nodes of 2 GPUs of no known type: 620 W idle, 300 W more for each GPU that is driven; jobs of GPUs. */
static void random_world(struct node_world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/power");
	*w = (struct node_world){ .nodes = 1 + (uint32_t)sl_rng_below(&rng, 6), .kinds = 3 };
	for (uint32_t i = 0; i < w->nodes; i++) {
		w->amount[i][SL_KIND_CPUS] = 4;
		w->amount[i][SL_KIND_MEM] = SL_MEM_UNBOUNDED;
		w->amount[i][SL_KIND_GPUS] = 2;
	}
	w->count = 1 + (uint32_t)sl_rng_below(&rng, NW_JOBS);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct nw_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, 20);
		job->submit = submit;
		job->run = job->limit = 1 + (int64_t)sl_rng_below(&rng, 50);
		job->group_count = 1;
		const uint32_t tasks = 1 + (uint32_t)sl_rng_below(&rng, 2 * w->nodes);
		job->group[0] = (struct sl_group){ .task = { .cpus = 1, .gpus = 1 },
			.tasks = tasks,
			.tasks_min = tasks,
			.tasks_max = tasks };
	}
}

static int64_t reported(const struct node_world *w, const char *name)
{
	const struct sl_result *result = &w->sim.result;
	for (size_t i = 0; i < result->reported_metric_count; i++)
		if (strcmp(result->reported_metric[i].name, name) == 0)
			return result->reported_metric[i].micro;
	return SL_NONE;
}

static void run_with(struct node_world *w, const char *policy, struct sl_value *value, uint32_t count)
{
	const struct model_choice choice = { .model = &model_power, .values = value, .value_count = count };
	w->model = &choice;
	w->model_count = 1;
	cr_assert_eq(node_world_run(w, policy, true), SL_OK, "%s", w->err.text);
}

static void run(struct node_world *w, const char *policy, const char *mode, int64_t cap)
{
	struct sl_value value[] = { { "intensity", "0.7", 700000 }, { "cap", cap ? "" : NULL, cap },
		{ "cap_mode", mode, mode && strcmp(mode, "admit") == 0 }, { "cap_least", "0.001", 1000 },
		{ "pue", "1", 1000000 } };
	const struct model_choice choice = {
		.model = &model_power, .values = value, .value_count = SL_LEN(value)
	};
	w->model = mode ? &choice : NULL;
	w->model_count = mode != NULL;
	cr_assert_eq(node_world_run(w, policy, true), SL_OK, "%s", w->err.text);
}

/* In whole microwatts and microseconds: all nodes idle, from the first submission to the last end; and each
 * GPU of each job at 0.7 of 300 W while it runs. */
Test(power, energy_is_what_jobs_and_nodes_add_up_to)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct node_world w;
		random_world(&w, seed);
		run(&w, "easy", NULL, 0);
		const uint64_t digest = w.sim.result.digest;
		node_world_release(&w);
		run(&w, "easy", "throttle", 0);
		cr_expect_eq(w.sim.result.digest, digest, "metering moves nothing");
		const struct sl_result *result = &w.sim.result;
		power_sum jobs = 0;
		for (uint32_t i = 0; i < w.count; i++)
			jobs += (power_sum)w.job[i].group[0].tasks * 210 * POWER_UW *
				(uint64_t)(result->end[i] - result->start[i]);
		const power_sum idle =
			(power_sum)w.nodes * 620 * POWER_UW * (uint64_t)(result->last - w.submit[0]);
		cr_expect_eq(reported(&w, "energy.joules"), (int64_t)((jobs + idle) / 1000000), "seed %llu",
			(unsigned long long)seed);
		node_world_release(&w);
	}
}

/* Somewhere between all idle and all driven; under admission at least one job of all nodes fits. */
Test(power, caps_hold)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct node_world w;
		random_world(&w, seed);
		const int64_t idle = w.nodes * 620 * POWER_UW;
		const int64_t cap = idle + w.nodes * (int64_t)(1 + seed % 50) * 10 * POWER_UW;
		run(&w, "easy", "throttle", cap);
		cr_expect(reported(&w, "power.peak") <= cap, "seed %llu", (unsigned long long)seed);
		for (uint32_t i = 0; i < w.count; i++)
			cr_expect_eq(w.sim.result.state[i], SL_COMPLETED);
		node_world_release(&w);
		const int64_t enough = idle + w.nodes * 421 * POWER_UW;
		run(&w, "easy:power=admit", "admit", enough);
		cr_expect(reported(&w, "power.peak") <= enough, "seed %llu", (unsigned long long)seed);
		for (uint32_t i = 0; i < w.count; i++)
			cr_expect_eq(w.sim.result.state[i], SL_COMPLETED);
		node_world_release(&w);
		run(&w, "easy:power=admit", "admit", cap);
		cr_expect(reported(&w, "power.peak") <= cap, "seed %llu", (unsigned long long)seed);
		node_world_release(&w);
	}
}

/* A job stands still until the last of its nodes is up, and no longer than it takes to switch one off and on.
 */
static void expect_whole(struct node_world *w, uint64_t seed, sl_time boot, sl_time shutdown)
{
	const struct sl_result *result = &w->sim.result;
	const sl_time length = result->last - w->submit[0];
	const int64_t off = reported(w, "power.off");
	const int64_t booting = reported(w, "power.booting");
	const int64_t shutting = reported(w, "power.shutting");
	const int64_t by_state = reported(w, "energy.on") + reported(w, "energy.off") +
				 reported(w, "energy.booting") + reported(w, "energy.shutting");
	const int64_t by_use = reported(w, "energy.jobs") + reported(w, "energy.idle");
	const int64_t all = reported(w, "energy.joules");
	cr_expect(all - by_state >= 0 && all - by_state < 4, "seed %llu", (unsigned long long)seed);
	cr_expect(all - by_use >= 0 && all - by_use < 2, "seed %llu", (unsigned long long)seed);
	cr_expect(off >= 0 && off + booting + shutting <= w->nodes * length);
	cr_expect_eq(reported(w, "energy.off"), 15 * off);
	cr_expect_eq(reported(w, "energy.booting"), 500 * booting);
	cr_expect_eq(reported(w, "energy.shutting"), 200 * shutting);
	cr_expect(booting <= reported(w, "power.boots") / 1000000 * boot);
	for (uint32_t i = 0; i < w->count; i++) {
		const sl_time stood = result->end[i] - result->start[i] - w->job[i].run * SL_SECOND;
		cr_expect(stood >= 0 && stood <= boot + shutdown, "seed %llu job %u stood for %lld",
			(unsigned long long)seed, i, (long long)stood);
	}
}

Test(power, nodes_that_are_switched_add_up)
{
	static const char *const policies[] = { "easy", "conservative", "fcfs", "easy:compat=batsched" };
	for (uint64_t seed = 1; seed <= 120; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/power/switched");
		const sl_time boot = (sl_time)sl_rng_below(&rng, 40) * SL_SECOND;
		const sl_time shutdown = (sl_time)sl_rng_below(&rng, 20) * SL_SECOND;
		const sl_time idle = (sl_time)sl_rng_below(&rng, 30) * SL_SECOND;
		const int64_t keep = (int64_t)sl_rng_below(&rng, 3);
		struct sl_value value[] = { { "intensity", "0.7", 700000 }, { "pue", "1", 1000000 },
			{ "off", "15", 15 * POWER_UW }, { "boot", "500", 500 * POWER_UW },
			{ "shutdown", "200", 200 * POWER_UW }, { "boot_time", "", boot },
			{ "shutdown_time", "", shutdown }, { "idle_time", "", idle }, { "keep_on", "", keep },
			{ "prefer", "", (int64_t)sl_rng_below(&rng, 2) } };
		struct node_world w;
		random_world(&w, seed);
		for (uint32_t i = 0; i < w.count; i++) /* What it stands still counts. */
			w.job[i].limit = w.job[i].run + (boot + shutdown) / SL_SECOND;
		run_with(&w, policies[seed % SL_LEN(policies)], value, SL_LEN(value));
		expect_whole(&w, seed, boot, shutdown);
		node_world_release(&w);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_gauges.c - gauges: sums over nodes that follow starts, ends and undo; their series over a run; what is
 * written of it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "sim/nodes/nodes.h"
#include "sim/result/table.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"
#include "tests/world/result.h"
#include "tests/world/world.h"

static unsigned asked; /* How often; a test is a process of its own. */

/* Idle cpus, squared. */
static int64_t idle_of(void *state, const struct sl_node_class *class)
{
	(void)state;
	asked++;
	return class->free[SL_KIND_CPUS] * class->free[SL_KIND_CPUS] * 1000000;
}

/* How many have an idle cpu, less than nothing. */
static int64_t below_of(void *state, const struct sl_node_class *class)
{
	(void)state;
	return class->free[SL_KIND_CPUS] ? -1000000 : 0;
}

static const struct sl_gauge idle = { .abi = SL_ABI_OF(struct sl_gauge), .name = "idle", .of = idle_of };
static const struct sl_gauge below = { .abi = SL_ABI_OF(struct sl_gauge), .name = "below", .of = below_of };

/* ---- Of nodes -------------------------------------------------------------------------------------------
 */

static int64_t alike(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static const struct sl_node_scorer any = { .name = "any", .score = alike };

/* Three nodes of 4 cpus: 48; one cpu less on one: 9 + 16 + 16. */
Test(gauges, follow_starts_and_ends_and_what_is_taken_back)
{
	static const struct sl_node_type type = { .name = "n", .amount = { 4, 8 } };
	static const uint32_t node_type[3] = { 0 };
	static const uint32_t unavailable[] = { 0, 1 };
	static const struct sl_cluster cluster = {
		.node_count = 3, .type_count = 1, .kind_count = 2, .node_type = node_type, .type = &type
	};
	static const struct sl_group group = { .task = { .cpus = 1 }, .tasks = 1 };
	static const struct sl_request request = { .group = &group, .group_count = 1 };
	struct nodes *nodes;
	struct sl_err err = { 0 };
	cr_assert_eq(
		nodes_new(&nodes, &cluster, &request, 1, 4, &(struct scorer){ .rule = &any }, &err), SL_OK);
	nodes_clock(nodes, 0);
	cr_assert(nodes_start(nodes, 0, 0, 10));
	cr_assert(nodes_follow(nodes, &idle, NULL));
	cr_assert(nodes_follow(nodes, &below, NULL));
	cr_expect_eq(nodes_gauge(nodes, 0), 41000000, "it is followed from what runs on");
	cr_expect_eq(nodes_gauge(nodes, 1), -3000000);
	cr_expect_eq(asked, 2, "once a class");
	cr_assert(nodes_start(nodes, 1, 0, 10));
	cr_expect_eq(nodes_gauge(nodes, 0), 36000000, "4 + 16 + 16");
	nodes_start_undo(nodes, 1);
	cr_expect_eq(nodes_gauge(nodes, 0), 41000000);
	nodes_end(nodes, 0);
	cr_expect_eq(nodes_gauge(nodes, 0), 48000000);
	nodes_restore(nodes, 0, 10);
	cr_expect_eq(nodes_gauge(nodes, 0), 41000000);
	cr_expect_eq(asked, 3, "what is there again is known");
	cr_assert(nodes_window_add(nodes, unavailable + 1, 1, 0, 50));
	cr_expect_eq(nodes_gauge(nodes, 0), 41000000, "closed nodes count as they are");
	nodes_check(nodes);
	nodes_free(nodes);
}

/* ---- Of a run --------------------------------------------------------------------------------------------
 */

static int follow_both(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	int status = sl_follow(setup, &idle, err);
	if (!status)
		status = sl_follow(setup, &below, err);
	return status ? status : sl_follow(setup, &idle, err); /* Not twice. */
}

static void pass_greedy(void *state, struct sl_pass *pass)
{
	(void)state;
	for (sl_job job = sl_queue_first(pass), next; sl_job_is(job); job = next) {
		next = sl_queue_after(pass, job);
		const sl_marked mark = sl_mark(pass);
		(void)sl_start(pass, job);
		sl_undo(pass, mark);
		(void)sl_start(pass, job);
	}
}

static const struct sl_policy greedy = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, "greedy-followed",
	.init = follow_both, .pass = pass_greedy };

static struct world w;

static void expect_points(
	const struct sl_gauge_series *series, const struct sl_gauge_point *want, size_t count)
{
	cr_assert_eq(series->count, count, "%s: %zu points", series->gauge->name, series->count);
	for (size_t i = 0; i < count; i++)
		cr_expect(series->point[i].at == want[i].at * SL_SECOND &&
				  series->point[i].value == want[i].value * 1000000,
			"%s at %lld: %lld", series->gauge->name, (long long)series->point[i].at,
			(long long)series->point[i].value);
}

/* Two nodes of 2 cpus; jobs of a cpu: two go on the first node, at 10 one ends and another begins. */
Test(gauges, a_point_for_each_instant_that_changes_it)
{
	static const struct sl_gauge_point idles[] = { { 5, 4 }, { 20, 5 }, { 30, 8 } };
	static const struct sl_gauge_point belows[] = { { 5, -1 }, { 20, -2 } };
	w = (struct world){ .cpus = 4,
		.as_nodes = true,
		.node_cpus = 2,
		.node_mem = 100,
		.count = 3,
		.job = { JOB(5, 5, 5, 1), JOB(5, 15, 15, 1), JOB(10, 20, 20, 1) } };
	cr_assert_eq(world_run_policy(&w, &greedy, true), SL_OK, "%s", w.err.text);
	const struct sl_result *result = &w.sim.result;
	cr_assert_eq(result->gauge_count, 2);
	cr_expect(result->gauge[0].gauge == &idle && result->gauge[1].gauge == &below);
	expect_points(&result->gauge[0], idles, SL_LEN(idles));
	expect_points(&result->gauge[1], belows, SL_LEN(belows));
	world_release(&w);
}

static void pass_first(void *state, struct sl_pass *pass)
{
	(void)state;
	if (sl_now(pass) == 5 * SL_SECOND)
		(void)sl_start(pass, sl_queue_first(pass));
}

static const struct sl_policy first_alone = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, "first-followed",
	.init = follow_both, .pass = pass_first };

/* Two nodes of 2 cpus. At 10 the first ends, and the policy leaves the second waiting; another takes over
 * then (handover), and starts it at once: of that instant only the final value is recorded. */
Test(gauges, of_an_instant_that_is_gone_through_retry_the_last)
{
	static const struct sl_gauge_point idles[] = { { 5, 4 }, { 10, 5 }, { 20, 8 } };
	static const struct policy_choice next = { .policy = &greedy, .text = "greedy", .slug = "greedy" };
	struct sim_options options;
	w = (struct world){ .cpus = 4,
		.as_nodes = true,
		.node_cpus = 2,
		.node_mem = 100,
		.count = 2,
		.instead = &first_alone,
		.job = { JOB(5, 5, 5, 2), JOB(10, 10, 10, 1) } };
	cr_assert_eq(world_open(&w, "fcfs", true, &options), SL_OK);
	options.record |= SIM_RECORD_HISTORY;
	cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK);
	cr_assert_eq(sim_advance(&w.sim, 10 * SL_SECOND, &w.err), SL_OK);
	cr_assert_eq(sim_handover(&w.sim, &next, &w.err), SL_OK);
	cr_assert_eq(sim_advance(&w.sim, SL_NEVER, &w.err), SL_OK);
	cr_assert_eq(sim_end(&w.sim, &w.err), SL_OK);
	expect_points(&w.sim.result.gauge[0], idles, SL_LEN(idles));
	world_release(&w);
}

Test(gauges, want_nodes)
{
	w = (struct world){ .cpus = 6, .count = 1, .job = { JOB(0, 10, 10, 1) } };
	cr_expect_eq(world_run_policy(&w, &greedy, false), SL_USAGE);
	cr_expect_str_eq(
		w.err.text, "gauge 'idle' is of nodes, and cpus are only counted here: give -c CLUSTER");
	world_release(&w);
}

/* ---- By name ------------------------------------------------------------------------------------------ */

static int load(
	struct scenario *scenario, const struct registry *registry, const char *setting, struct sl_err *err)
{
	static const char swf[] = "1 0 0 5 1 -1 -1 1 5 -1 1 1 1 -1 1 -1 -1 -1\n";
	char trace[32];
	struct sl_arena *arena = sl_arena_new();
	struct settings settings = { .arena = arena };
	cr_assert_eq(settings_add(&settings, "cluster.cpus=4", err), SL_OK);
	cr_assert_eq(settings_add(&settings, setting, err), SL_OK);
	const struct scenario_options options = {
		.trace = memfile(trace, swf, sizeof(swf) - 1), .registry = registry, .settings = &settings
	};
	const int status = scenario_load(scenario, &options, err);
	sl_arena_free(arena);
	return status;
}

Test(gauges, of_the_replay_by_name)
{
	static const struct sl_gauge *const known[] = { &idle, &below, NULL };
	struct registry registry = *builtin_registry();
	registry.known.gauges = known;
	struct scenario scenario;
	struct sl_err err = { 0 };
	cr_assert_eq(load(&scenario, &registry, "replay.gauges=below|idle", &err), SL_OK, "%s", err.text);
	cr_assert_eq(scenario.gauge_count, 2);
	cr_expect(scenario.gauge[0] == &below && scenario.gauge[1] == &idle);
	scenario_release(&scenario);
	static const char *const bad[][2] = {
		{ "replay.gauges=idel",
			"replay.gauges: there is no gauge 'idel': did you mean 'idle'? 'schedlab list gauges' shows all" },
		{ "replay.gauges=idle|",
			"replay.gauges: there is no gauge '': 'schedlab list gauges' shows all" },
		{ "replay.gauges=idle|idle|idle|idle|idle",
			"replay.gauges names more than 4: leave some out" },
	};
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		struct sl_err why = { 0 };
		cr_expect_eq(load(&scenario, &registry, bad[i][0], &why), SL_USAGE);
		cr_expect_str_eq(why.text, bad[i][1], "%s", why.text);
		scenario_release(&scenario);
	}
}

/* ---- What is written ------------------------------------------------------------------------------------
 */

static const struct sl_gauge_point of_idle[] = { { 0, 4000000 }, { 10 * SL_SECOND, 1500000 },
	{ 40 * SL_SECOND, 9000000 } };
static const struct sl_gauge_point of_below[] = { { 10 * SL_SECOND, -1 }, { 11 * SL_SECOND, -2000000 } };

/* From 2 to 32 seconds. */
static struct hand *followed(struct sl_gauge_series series[2])
{
	struct hand *hand = hand_new(4);
	series[0] = (struct sl_gauge_series){ &idle, of_idle, SL_LEN(of_idle) };
	series[1] = (struct sl_gauge_series){ &below, of_below, SL_LEN(of_below) };
	hand->result.first = 2 * SL_SECOND;
	hand->result.last = 32 * SL_SECOND;
	hand->result.gauge = series;
	hand->result.gauge_count = 2;
	return hand;
}

static const struct sl_report *report(const char *name)
{
	return sl_by_name(builtin_registry()->known.reports, name);
}

Test(gauges, gauges_csv)
{
	struct sl_gauge_series series[2];
	struct hand *hand = followed(series);
	char path[] = "/tmp/schedlab-test-XXXXXX";
	char text[400] = "";
	struct sl_err err = { 0 };
	struct sl_out *out;
	const int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_expect(report("gauges.csv")->wanted(&hand->result));
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	cr_assert_eq(report("gauges.csv")->write(&hand->result, out, &err), SL_OK);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	(void)close(fd);
	FILE *file = fopen(path, "rb");
	cr_assert_not_null(file);
	cr_assert_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	(void)fclose(file);
	(void)unlink(path);
	cr_expect_str_eq(text,
		"time,gauge,value\n0,idle,4\n10,idle,1.5\n10,below,-0.000001\n11,below,-2\n40,idle,9\n", "%s",
		text);
	hand->result.gauge_count = 0;
	cr_expect_not(report("gauges.csv")->wanted(&hand->result));
	free(hand);
}

static void expect_metric(const struct sl_metrics *metrics, const char *name, int64_t want)
{
	const int64_t *found = metrics_get(metrics, name);
	cr_assert_not_null(found, "%s", name);
	cr_expect_eq(*found, want, "%s: %lld", name, (long long)*found);
}

/* idle: 8 s of 4 and 22 s of 1.5 in 30; below: 1 s of -0.000001 and 21 s of -2 in 22. */
Test(gauges, mean_largest_and_last)
{
	struct sl_gauge_series series[2];
	struct hand *hand = followed(series);
	struct sl_arena *arena = sl_arena_new();
	struct sl_metrics metrics;
	struct sl_err err = { 0 };
	metrics_init(&metrics, arena, builtin_registry());
	cr_assert_eq(metrics_compute(&metrics, &hand->result, &err), SL_OK, "%s", err.text);
	expect_metric(&metrics, "idle.mean", 2166667);
	expect_metric(&metrics, "idle.max", 4000000);
	expect_metric(&metrics, "idle.last", 1500000);
	expect_metric(&metrics, "below.mean", -1909091);
	expect_metric(&metrics, "below.max", -1);
	expect_metric(&metrics, "below.last", -2000000);
	metrics_release(&metrics);
	sl_arena_free(arena);
	free(hand);
}

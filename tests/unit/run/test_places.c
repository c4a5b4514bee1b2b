/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_places.c - the nodes of each attempt of a job, by hand: kept by the engine, drawn in the page. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/ctl_world.h"
#include "tests/world/effort.h"
#include "tests/world/page_read.h"
#include "tests/world/world.h"

/* "0+2", the nodes of an attempt; NULL: of the last start. */
static const char *nodes_of(const struct sl_result *result, uint32_t job, const struct sl_attempt *attempt)
{
	static char text[100];
	const struct sl_allocation placed = sl_allocation_of(result, job, attempt);
	size_t length = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < placed.count && length < sizeof(text); i++)
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s%u", i ? "+" : "", placed.alloc[i].node);
	return text;
}

/* Of its `number`th attempt, from that second to that one. */
static void expect_attempt(const struct world *w, uint32_t job, size_t number, int64_t from, int64_t until,
	const char *nodes, int64_t cpus)
{
	const struct sl_attempt *attempt;
	const struct sl_result *result = &w->sim.result;
	cr_assert_gt(sl_attempts_of(result, job, &attempt), number, "job %u", job + 1);
	attempt += number;
	cr_expect_eq(attempt->start / SL_SECOND, from, "%lld", (long long)(attempt->start / SL_SECOND));
	cr_expect_eq(attempt->end / SL_SECOND, until, "%lld", (long long)(attempt->end / SL_SECOND));
	cr_expect_str_eq(nodes_of(result, job, attempt), nodes);
	cr_expect_eq(attempt->cpus, cpus);
}

/* Job 2 has less to do and gets node 0, job 1 node 1. At 10 job 3 takes node 1 over; at 30 both are free, and
 * job 1, from its checkpoint, gets the lower one: 90 s more. */
static struct world moved(void)
{
	return (struct world){ .cpus = 2,
		.as_nodes = true,
		.count = 3,
		.job = { JOB(0, 100, 100, 1), JOB(0, 30, 30, 1), JOB(10, 20, 20, 1) } };
}

Test(places, a_checkpointed_job_goes_on_elsewhere)
{
	struct world w = moved();
	cr_assert_eq(world_run(&w, "srtf", true), SL_OK, "%s", w.err.text);
	expect_attempt(&w, 0, 0, 0, 10, "1", 1);
	expect_attempt(&w, 0, 1, 30, 120, "0", 1);
	cr_expect_str_eq(nodes_of(&w.sim.result, 0, NULL), "0");
	cr_expect_str_eq(nodes_of(&w.sim.result, 1, NULL), "0");
	cr_assert(world_places_add_up(&w.sim.result, true), "of world %llu", (unsigned long long)w.seed);
	world_release(&w);
}

/* The same of two tasks, of three nodes: it held 1 and 2, and goes on on 0 and 1. */
Test(places, a_job_of_several_nodes)
{
	struct world w = moved();
	w.cpus = 3;
	w.job[0].size = w.job[2].size = 2;
	cr_assert_eq(world_run(&w, "srtf", true), SL_OK, "%s", w.err.text);
	expect_attempt(&w, 0, 0, 0, 10, "1+2", 2);
	expect_attempt(&w, 0, 1, 30, 120, "0+1", 2);
	cr_assert(world_places_add_up(&w.sim.result, true), "of world %llu", (unsigned long long)w.seed);
	world_release(&w);
}

/* Who was not asked for places keeps none. */
Test(places, only_where_recorded)
{
	struct world w = moved();
	struct sim_options options;
	cr_assert_eq(world_open(&w, "srtf", true, &options), SL_OK, "%s", w.err.text);
	options.record = 0;
	cr_assert_eq(sim_run(&w.sim, &options, &w.err), SL_OK, "%s", w.err.text);
	const struct sl_attempt *attempt;
	cr_assert_eq(sl_attempts_of(&w.sim.result, 0, &attempt), 2);
	cr_expect_eq(attempt[0].places, 0);
	cr_expect_eq(sl_allocation_of(&w.sim.result, 0, &attempt[0]).count, 0);
	world_release(&w);
}

/* ---- The page -------------------------------------------------------------------------------------------
 */

static char *page_of(const struct world *w)
{
	static const struct sl_compared compared = { .title = "t" };
	const struct sl_document_options options = { .jobs_max = 100, .runs = 1 };
	const struct sl_document_run reported = { .label = "a", .folder = ".", .result = &w->sim.result };
	struct sl_err err = { 0 };
	char *text = page_written("html", &reported, 1, &compared, &options, &err);
	cr_assert_not_null(text, "%s", err.text);
	return text;
}

static void expect_column(const struct page_read *page, const char *path, const double *want, size_t count)
{
	struct page_column column = page_column(page, page->meta, path);
	cr_expect_eq(column.count, count, "%s: %zu values", path, column.count);
	for (size_t i = 0; i < count && i < column.count; i++)
		cr_expect_eq(column.value[i], want[i], "%s[%zu] is %f", path, i, column.value[i]);
	page_column_free(&column);
}
#define EXPECT(page, path, ...) \
	expect_column(          \
		page, path, (double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double))

Test(places, the_page_draws_each_attempt)
{
	struct world w = moved();
	cr_assert_eq(world_run(&w, "srtf", true), SL_OK, "%s", w.err.text);
	struct page_read page = page_open(page_of(&w));
	EXPECT(&page, "runs.0.rects.job", 0, 1, 2, 0);
	EXPECT(&page, "runs.0.rects.row", 1, 0, 1, 0);
	EXPECT(&page, "runs.0.rects.from", 0, 0, 10, 30);
	EXPECT(&page, "runs.0.rects.span", 10, 30, 20, 90);
	page_unavailable(&page);
	world_release(&w);
}

/* Nodes of one cpu, a cell a second: full or empty, their sum is what was busy. */
Test(places, heat_is_busy_time_under_preemption, .timeout = 60)
{
	uint64_t preempted = 0;
	for (uint64_t seed = 1, seeds = effort_of(25, 100, 100); seed <= seeds; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/places");
		struct world w = {
			.cpus = 2 + (int64_t)sl_rng_below(&rng, 8), .as_nodes = true, .count = 15
		};
		for (uint32_t i = 0; i < w.count; i++) {
			const int64_t run = 1 + (int64_t)sl_rng_below(&rng, 30);
			w.job[i] = (struct world_job)JOB(
				(int64_t)i * 3, run, run, 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w.cpus));
		}
		cr_assert_eq(world_run(&w, "srtf", true), SL_OK, "%s", w.err.text);
		cr_assert(world_places_add_up(&w.sim.result, true), "of world %llu",
			(unsigned long long)w.seed);
		struct page_read page = page_open(page_of(&w));
		struct page_column heat = page_column(&page, page.meta, "runs.0.heat.0.value");
		double sum = 0;
		for (size_t i = 0; i < heat.count; i++)
			sum += heat.value[i] / 255;
		cr_expect_eq(page_number(page.meta, "runs.0.heat.0.step"), 1);
		cr_expect_eq(sum, (double)(int64_t)(w.sim.result.busy[SL_KIND_CPUS] / SL_SECOND), "seed %llu",
			(unsigned long long)seed);
		preempted += w.sim.result.attempt_count;
		page_column_free(&heat);
		page_unavailable(&page);
		world_release(&w);
	}
	cr_expect_gt(preempted, 100);
}

/* ---- Slurm ----------------------------------------------------------------------------------------------
 */

static struct ctl_world slurm;

static void fini(void) { cw_end(&slurm); }

/* n1 goes down at 25, under job 1, which goes back into the queue for 121 s, and gets n2. */
Test(places, slurm_requeues_a_job_onto_another_node, .fini = fini)
{
	slurm = (struct ctl_world){ .conf = CW_BRISK "NodeName=n[1-2] CPUs=4 RealMemory=1000\n"
						     "PartitionName=p Nodes=ALL Default=YES\n",
		.jobs = "1 0 50 -n3 --mem 10 -t 1\n",
		.commands = "25 scontrol update nodename=n1 state=down reason=test\n",
		.check = true };
	cw_run(&slurm);
	const struct sl_result *result = &slurm.sim.result;
	const struct sl_attempt *attempt;
	cr_assert_eq(sl_attempts_of(result, 0, &attempt), 2);
	cr_expect_eq(attempt[0].state, SL_NODE_FAIL);
	cr_expect_str_eq(nodes_of(result, 0, &attempt[0]), "0");
	cr_expect_str_eq(nodes_of(result, 0, &attempt[1]), "1");
	cr_expect_eq(attempt[0].cpus, 3);
}

/* What ran when the replay began, by the log, is somewhere too. */
Test(places, who_ran_at_the_beginning)
{
	static const sl_time ran[] = { 50 * SL_SECOND, SL_NONE };
	struct world w = {
		.cpus = 3, .as_nodes = true, .count = 2, .job = { JOB(0, 100, 100, 2), JOB(60, 30, 30, 1) }
	};
	struct sim_options options;
	cr_assert_eq(world_open(&w, "fcfs", true, &options), SL_OK, "%s", w.err.text);
	w.scenario.begins = true;
	w.scenario.begin = 50 * SL_SECOND;
	w.scenario.jobs.ran = ran;
	cr_assert_eq(sim_run(&w.sim, &options, &w.err), SL_OK, "%s", w.err.text);
	cr_expect_str_eq(nodes_of(&w.sim.result, 0, NULL), "0+1");
	cr_expect_str_eq(nodes_of(&w.sim.result, 1, NULL), "2");
	world_release(&w);
}

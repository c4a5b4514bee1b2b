/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_node_down.c - nodes that go down, are drained and come back: each clause by hand, under --check.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/model_script.h"
#include "tests/world/world.h"

#define S(seconds) ((sl_time)((seconds)*SL_SECOND))

struct example {
	const char *shows;
	const char *policy;
	struct script_step step[6];
	struct world_job job[6]; /* Ended by size 0. Of nodes of one cpu. */
	int64_t start[6];        /* Last starts; -1: never. */
	const char *reported;    /* NULL: not looked at. */
};

static const struct example examples[] = {
	{ "who runs there fails, waits again and starts elsewhere", "fcfs",
		{ { S(2), SCRIPT_DOWN, 0, SL_NEVER } }, { JOB(0, 5, 5, 2) }, { 2 },
		"1s@0 1r@2 1d@2 1s@2 1e@7" },
	{ "who runs elsewhere runs on", "fcfs", { { S(2), SCRIPT_DOWN, 3, SL_NEVER } }, { JOB(0, 5, 5, 2) },
		{ 0 }, "1s@0 4d@2 1e@5" },
	{ "a job that needs all nodes waits until the node is up", "fcfs",
		{ { S(2), SCRIPT_DOWN, 0, SL_NEVER }, { S(9), SCRIPT_UP, 0, 0 } }, { JOB(3, 5, 5, 4) }, { 9 },
		"1d@2 1u@9 1s@9 1e@14" },
	{ "easy: the head's shadow is when the node is expected; job 2 ends by then, job 3 does not", "easy",
		{ { S(2), SCRIPT_DOWN, 0, S(10) }, { S(10), SCRIPT_UP, 0, 0 } },
		{ JOB(3, 5, 5, 4), JOB(3, 7, 7, 1), JOB(3, 8, 8, 1) }, { 10, 3, 15 }, NULL },
	{ "easy: where nobody knows there is no shadow, and both start", "easy",
		{ { S(2), SCRIPT_DOWN, 0, SL_NEVER }, { S(10), SCRIPT_UP, 0, 0 } },
		{ JOB(3, 5, 5, 4), JOB(3, 7, 7, 1), JOB(3, 8, 8, 1) }, { 11, 3, 3 }, NULL },
	{ "easy: not back when expected, it is taken to be at the next second, again and again", "easy",
		{ { S(2), SCRIPT_DOWN, 0, S(6) }, { S(20), SCRIPT_UP, 0, 0 } },
		{ JOB(3, 5, 5, 4), JOB(8, 1, 1, 1), JOB(8, 2, 2, 1) }, { 20, 8, 25 }, NULL },
	{ "taken down twice it has to come up twice", "fcfs",
		{ { S(2), SCRIPT_DOWN, 0, SL_NEVER }, { S(3), SCRIPT_DOWN, 0, SL_NEVER },
			{ S(5), SCRIPT_UP, 0, 0 }, { S(8), SCRIPT_UP, 0, 0 } },
		{ JOB(3, 5, 5, 4) }, { 8 }, "1d@2 1u@8 1s@8 1e@13" },
	{ "drained: what runs there goes on, and nothing new starts", "fcfs",
		{ { S(2), SCRIPT_DRAIN, 0, 0 }, { S(9), SCRIPT_RESUME, 0, 0 } },
		{ JOB(0, 4, 4, 4), JOB(1, 5, 5, 4) }, { 0, 9 }, "1s@0 1e@4 2s@9 2e@14" },
	{ "down and drained: up is not enough", "fcfs",
		{ { S(1), SCRIPT_DRAIN, 0, 0 }, { S(2), SCRIPT_DOWN, 0, S(4) }, { S(4), SCRIPT_UP, 0, 0 },
			{ S(7), SCRIPT_RESUME, 0, 0 } },
		{ JOB(3, 5, 5, 4) }, { 7 }, NULL },
	{ "conservative: the promise for 5 is broken at 4, and remade for 10", "conservative",
		{ { S(4), SCRIPT_DOWN, 3, S(10) }, { S(10), SCRIPT_UP, 3, 0 } },
		{ JOB(0, 5, 5, 3), JOB(1, 5, 5, 4), JOB(1, 6, 6, 1) }, { 0, 10, 15 }, NULL },
	{ "conservative: back before it was expected, promises are compressed", "conservative",
		{ { S(2), SCRIPT_DOWN, 3, S(50) }, { S(10), SCRIPT_UP, 3, 0 } },
		{ JOB(3, 5, 5, 4), JOB(4, 4, 4, 1) }, { 10, 4 }, NULL },
	{ "nobody who waits can start any more: the run ends", "fcfs", { { S(2), SCRIPT_DOWN, 0, SL_NEVER } },
		{ JOB(3, 5, 5, 4) }, { -1 }, "1d@2" },
};

static uint32_t count_of(const struct example *e)
{
	uint32_t count = 0;
	while (count < SL_LEN(e->job) && e->job[count].size)
		count++;
	return count;
}

static size_t steps_of(const struct example *e)
{
	size_t count = 0;
	while (count < SL_LEN(e->step) && e->step[count].at)
		count++;
	return count;
}

static void expect(const struct example *e)
{
	struct script script = { .step = e->step, .count = steps_of(e) };
	struct world w = { .cpus = 4, .as_nodes = true, .count = count_of(e) };
	memcpy(w.job, e->job, sizeof(e->job));
	w.model = script_on(&script);
	w.model_count = 1;
	cr_assert_eq(world_run(&w, e->policy, true), SL_OK, "%s: %s", e->shows, w.err.text);
	for (uint32_t i = 0; i < w.count; i++) {
		const struct sl_attempt *attempt;
		const size_t several = sl_attempts_of(&w.sim.result, i, &attempt);
		const int64_t start = several ? attempt[several - 1].start / SL_SECOND : world_start(&w, i);
		cr_expect_eq(
			start, e->start[i], "%s: job %u started at %lld", e->shows, i + 1, (long long)start);
	}
	if (e->reported)
		cr_expect_str_eq(script.reported, e->reported, "%s: %s", e->shows, script.reported);
	world_release(&w);
}

Test(node_down, each_clause_by_hand)
{
	for (size_t i = 0; i < SL_LEN(examples); i++)
		expect(&examples[i]);
}

/* Of 4 cpus one is missing from 2 to 9, and one more while drained and idle, from 4 on. */
Test(node_down, what_is_missing_is_integrated)
{
	static const struct script_step steps[] = { { S(1), SCRIPT_DRAIN, 1, 0 },
		{ S(2), SCRIPT_DOWN, 3, S(9) }, { S(9), SCRIPT_UP, 3, 0 } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = {
		.cpus = 4, .as_nodes = true, .count = 2, .job = { JOB(0, 4, 4, 2), JOB(0, 12, 12, 1) }
	};
	w.model = script_on(&script);
	w.model_count = 1;
	cr_assert_eq(world_run(&w, "fcfs", true), SL_OK, "%s", w.err.text);
	const struct sl_result *result = &w.sim.result;
	cr_expect_eq((int64_t)result->missing[SL_KIND_CPUS], S(7) + S(8));
	cr_expect_eq((int64_t)result->busy[SL_KIND_CPUS], S(8) + S(12));
	cr_assert_eq(result->node_change_count, 3);
	cr_expect(result->node_change[0].drain && !result->node_change[0].up);
	cr_expect(result->node_change[2].at == S(9) && result->node_change[2].up);
	world_release(&w);
}

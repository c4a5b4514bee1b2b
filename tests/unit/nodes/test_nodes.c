/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_nodes.c - each clause of nodes.h by a small case worked by hand: where tasks go, what fits when, what
 * a backfill check refuses, what is reserved, what is released.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/nodes/nodes.h"

enum { JOBS = 8, MANY = INT16_MAX };

static int64_t lowest(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static int64_t tight(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	return class->free[SL_KIND_CPUS];
}

static int64_t loose(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	return -tight(state, class, group, tasks);
}

static const struct sl_node_scorer first = { .name = "first", .score = lowest };
static const struct sl_node_scorer best = { .name = "best", .score = tight };
static const struct sl_node_scorer singly = { .name = "singly", .one_at_a_time = true, .score = loose };

/* Four nodes of 4 cpus, 8 of memory and 2 a100; two of 8 cpus, unbounded memory, 1 a100 and 4 h100. */
static const struct sl_node_type types[] = {
	{ .name = "small", .amount = { 4, 8, 2, 0 } },
	{ .name = "large", .amount = { 8, INT64_MAX / 4, 1, 4 } },
};
static const uint32_t node_type[] = { 0, 0, 0, 0, 1, 1 };
static const uint32_t window_node[] = { 0, 1 };
static const struct sl_window windows[] = {
	{ .from = 50, .until = 60, .node = window_node, .node_count = 2 }
};
static const struct sl_cluster cluster = {
	.node_count = 6, .type_count = 2, .kind_count = 4, .node_type = node_type, .type = types
};

/* Requests by name; each case takes those that it needs. */
enum {
	ONE_CPU,
	FOUR_CPUS,
	EIGHT_CPUS,
	SIX_TASKS, /* Of 1 cpu. */
	SIX_ON_TWO,
	THREE_ON_ONE,
	TWO_A_NODE, /* Six tasks, at most two on a node. */
	TWELVE,     /* Tasks of 2 cpus, on four nodes at most. */
	WHOLE,      /* Two tasks of 1 cpu, exclusive. */
	GPUS,       /* One task of 2 gpus of any type. */
	H100S,
	FIVE_GPUS, /* Five tasks of 1 gpu. */
	MEMORY,
	PAIR, /* A group of 4 cpus and one of 8. */
	TWIN, /* Two groups of 1 cpu. */
	NONSENSE,
	ELASTIC,
	REQUESTS
};

#define TASKS(count, ...)                     \
	{                                     \
		.tasks = (count), __VA_ARGS__ \
	}
static const struct sl_group groups[REQUESTS][2] = {
	[ONE_CPU] = { TASKS(1, .task = { .cpus = 1 }) },
	[FOUR_CPUS] = { TASKS(1, .task = { .cpus = 4 }) },
	[EIGHT_CPUS] = { TASKS(1, .task = { .cpus = 8 }) },
	[SIX_TASKS] = { TASKS(6, .task = { .cpus = 1 }) },
	[SIX_ON_TWO] = { TASKS(6, .task = { .cpus = 1 }, .nodes_min = 2) },
	[THREE_ON_ONE] = { TASKS(3, .task = { .cpus = 1 }, .nodes_max = 1) },
	[TWO_A_NODE] = { TASKS(6, .task = { .cpus = 1 }, .tasks_per_node = 2) },
	[TWELVE] = { TASKS(12, .task = { .cpus = 2 }, .nodes_max = 4) },
	[WHOLE] = { TASKS(2, .task = { .cpus = 1 }, .exclusive = true) },
	[GPUS] = { TASKS(1, .task = { .gpus = 2 }) },
	[H100S] = { TASKS(1, .task = { .gpus = 1, .gpu_types = 2 }) },
	[FIVE_GPUS] = { TASKS(5, .task = { .gpus = 1 }, .nodes_max = 1) },
	[MEMORY] = { TASKS(1, .task = { .cpus = 1, .mem = 8 }) },
	[PAIR] = { TASKS(1, .task = { .cpus = 4 }), TASKS(1, .task = { .cpus = 8 }) },
	[TWIN] = { TASKS(1, .task = { .cpus = 1 }), TASKS(1, .task = { .cpus = 1 }) },
	[NONSENSE] = { TASKS(1, .task = { .cpus = 1 }, .nodes_min = 2) },
	[ELASTIC] = { TASKS(3, .task = { .cpus = 1 }, .tasks_min = 1, .tasks_max = 9) },
};
static struct sl_request requests[REQUESTS];

static struct nodes *made(const struct sl_node_scorer *scorer, const struct sl_cluster *of)
{
	struct nodes *nodes;
	struct sl_err err = { 0 };
	for (uint32_t i = 0; i < REQUESTS; i++)
		requests[i] =
			(struct sl_request){ .group = groups[i], .group_count = groups[i][1].tasks ? 2 : 1 };
	cr_assert_eq(
		nodes_new(&nodes, of, requests, REQUESTS, JOBS, &(struct scorer){ .rule = scorer }, &err),
		SL_OK);
	nodes_clock(nodes, 0);
	return nodes;
}

/* "0x4 1x2": four tasks on node 0, two on node 1. */
static void on(struct nodes *nodes, uint32_t job, const char *want)
{
	char text[200] = "";
	size_t used = 0;
	const struct sl_node_tasks *alloc;
	const size_t count = nodes_allocs(nodes, job, &alloc);
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%ux%u", i ? " " : "",
			alloc[i].node, alloc[i].tasks);
	cr_expect_str_eq(text, want, "job %u is on '%s', not '%s'", job, text, want);
	nodes_check(nodes);
}

static void starts(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end, const char *want)
{
	cr_expect(nodes_fits(nodes, request, end));
	cr_expect(nodes_start(nodes, job, request, end), "job %u does not start", job);
	on(nodes, job, want);
}

/* ---- Where tasks go ---------------------------------------------------------------------------- */

Test(nodes, tasks_go_to_the_node_with_the_least_score_then_the_lowest)
{
	struct nodes *nodes = made(&best, &cluster);
	starts(nodes, 0, ONE_CPU, 100, "0x1");
	starts(nodes, 1, ONE_CPU, 100, "0x1"); /* The tightest. */
	starts(nodes, 2, FOUR_CPUS, 100, "1x1");
	starts(nodes, 3, SIX_TASKS, 100, "0x2 2x4"); /* What is left of node 0, then a whole one. */
	nodes_free(nodes);
}

Test(nodes, one_at_a_time_asks_the_scores_anew)
{
	struct nodes *nodes = made(&singly, &cluster);
	/* The large ones have most: 8, 8, 7, 7, 6, 6 free before each. */
	starts(nodes, 0, SIX_TASKS, 100, "4x3 5x3");
	starts(nodes, 1, TWO_A_NODE, 100, "0x1 1x1 2x1 3x1 4x1 5x1"); /* 5, 5, then 4 each. */
	nodes_free(nodes);
}

/* The small ones are tighter, but late: the large ones are filled first, then the least late. */
Test(nodes, nodes_that_are_late_go_after_all_others)
{
	struct nodes *nodes = made(&best, &cluster);
	for (uint32_t node = 0; node < 4; node++)
		nodes_late(nodes, node, node == 2 ? 1 : 3);
	starts(nodes, 0, ONE_CPU, 100, "4x1");
	starts(nodes, 1, FOUR_CPUS, 100, "4x1");
	starts(nodes, 2, EIGHT_CPUS, 100, "5x1");
	starts(nodes, 3, FOUR_CPUS, 100, "2x1");
	nodes_late(nodes, 3, 0);
	starts(nodes, 4, FOUR_CPUS, 100, "3x1");
	starts(nodes, 5, SIX_TASKS, 100, "0x3 4x3");
	nodes_free(nodes);
}

/* A node that has to be waited for takes all that it holds before another has to be. */
Test(nodes, one_at_a_time_no_more_nodes_are_late_than_must_be)
{
	struct nodes *nodes = made(&singly, &cluster);
	for (uint32_t node = 0; node < 6; node++)
		nodes_late(nodes, node, 2);
	starts(nodes, 0, SIX_TASKS, 100, "4x6");
	nodes_free(nodes);
}

Test(nodes, another_scorer_scores_anew)
{
	struct nodes *nodes = made(&best, &cluster);
	starts(nodes, 0, ONE_CPU, 100, "0x1");
	cr_expect_eq(nodes_soonest(nodes, ONE_CPU, 1), 0);
	nodes_set_scorer(nodes, &(struct scorer){ .rule = &singly });
	starts(nodes, 1, ONE_CPU, 100, "4x1");
	nodes_free(nodes);
}

Test(nodes, no_more_tasks_on_a_node_than_the_bound)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, TWO_A_NODE, 100, "0x2 1x2 2x2");
	nodes_free(nodes);
}

Test(nodes, enough_tasks_are_left_for_the_nodes_that_there_must_be)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, EIGHT_CPUS, 100, "4x1");
	starts(nodes, 1, SIX_ON_TWO, 100, "0x4 1x2");
	nodes_end(nodes, 1);
	nodes_forget(nodes);
	struct sl_node_tasks one = { 5, 0, 6, 0 };
	cr_expect_not(nodes_start_on(nodes, 2, SIX_ON_TWO, 100, &one, 1), "one node is too few");
	nodes_free(nodes);
}

Test(nodes, where_the_choice_runs_out_of_nodes_the_most_tasks_go_first)
{
	struct nodes *nodes = made(&first, &cluster);
	/* Nodes 0 to 3 hold 8 of the 12 tasks; 4 and 5, and two of the others, all. */
	starts(nodes, 0, TWELVE, 100, "0x2 1x2 4x4 5x4");
	nodes_end(nodes, 0);
	nodes_forget(nodes);
	starts(nodes, 1, FOUR_CPUS, 100, "0x1");
	starts(nodes, 2, EIGHT_CPUS, 100, "4x1");
	cr_expect_not(nodes_fits(nodes, TWELVE, 10), "four nodes hold 10 tasks at most");
	cr_expect_eq(nodes_soonest(nodes, TWELVE, 10), 100);
	nodes_free(nodes);
}

Test(nodes, all_tasks_of_a_job_on_one_node)
{
	struct nodes *nodes = made(&best, &cluster);
	starts(nodes, 0, ONE_CPU, 100, "0x1");
	starts(nodes, 1, ONE_CPU, 100, "0x1");
	starts(nodes, 2, THREE_ON_ONE, 100, "1x3"); /* Node 0 is tighter, but holds two. */
	nodes_free(nodes);
}

Test(nodes, an_exclusive_group_takes_idle_nodes_wholly)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, ONE_CPU, 100, "0x1");
	starts(nodes, 1, WHOLE, 100, "1x2");
	const struct nodes_sum sum = nodes_held(nodes, 1);
	cr_expect(sum.nodes == 1 && sum.cpus == 4 && sum.mem == 8 && sum.gpus == 2);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_CPUS), 3 + 2 * 4 + 2 * 8);
	cr_expect_eq(nodes_busy(nodes), 2);
	starts(nodes, 2, MEMORY, 100, "0x1"); /* Not node 1. */
	nodes_free(nodes);
}

Test(nodes, gpus_of_a_task_are_of_one_type_the_lowest_that_has_enough)
{
	struct nodes *nodes = made(&best, &cluster);
	const struct sl_node_tasks alloc = { 4, 0, 1, 0 };
	cr_expect(nodes_start_on(nodes, 0, GPUS, 100, &alloc, 1)); /* One a100 there: two h100. */
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS), 4 * 2 + 2);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS + 1), 2 + 4);
	starts(nodes, 1, H100S, 100, "4x1");     /* A type that only the large have. */
	starts(nodes, 2, FIVE_GPUS, 100, "5x5"); /* One a100 and four h100: each task its own. */
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS), 4 * 2 + 1);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS + 1), 1);
	nodes_end(nodes, 2);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS + 1), 1 + 4);
	nodes_free(nodes);
}

Test(nodes, unbounded_memory_is_never_used_up)
{
	struct nodes *nodes = made(&best, &cluster);
	for (uint32_t job = 0; job < 4; job++)
		cr_expect(nodes_start(nodes, job, MEMORY, 100)); /* All memory of each small node. */
	starts(nodes, 4, MEMORY, 100, "4x1");
	starts(nodes, 5, MEMORY, 100, "4x1");
	nodes_free(nodes);
}

Test(nodes, groups_go_one_after_another_all_or_none)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, PAIR, 100, "0x1 4x1");
	starts(nodes, 1, TWIN, 100, "1x1 1x1"); /* May share a node. */
	starts(nodes, 2, EIGHT_CPUS, 100, "5x1");
	const uint64_t before = nodes_digest(nodes);
	cr_expect_not(nodes_fits(nodes, PAIR, 10));
	cr_expect_not(nodes_start(nodes, 3, PAIR, 10));
	cr_expect_eq(nodes_digest(nodes), before, "nothing is changed");
	nodes_free(nodes);
}

Test(nodes, what_can_never_run_is_known)
{
	struct nodes *nodes = made(&first, &cluster);
	cr_expect_not(nodes_could_hold(nodes, NONSENSE));
	cr_expect(nodes_could_hold(nodes, TWELVE));
	cr_expect_eq(nodes_soonest(nodes, NONSENSE, 1), SL_NEVER);
	cr_expect_eq(nodes_promise_at(nodes, NONSENSE, 1), SL_NEVER);
	nodes_free(nodes);
}

/* ---- Later --------------------------------------------------------------------------------------- */

Test(nodes, soonest_is_the_first_expected_end_that_does)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, EIGHT_CPUS, 30, "4x1");
	starts(nodes, 1, EIGHT_CPUS, 20, "5x1");
	starts(nodes, 2, SIX_TASKS, 10, "0x4 1x2");
	cr_expect_eq(nodes_soonest(nodes, EIGHT_CPUS, 5), 20);
	cr_expect_eq(nodes_soonest(nodes, FOUR_CPUS, 5), 0);
	cr_expect_eq(nodes_soonest(nodes, TWELVE, 5), 30, "only with both large nodes");
	nodes_move_end(nodes, 1, 40);
	cr_expect_eq(nodes_soonest(nodes, EIGHT_CPUS, 5), 30);
	nodes_end(nodes, 0);
	cr_expect_eq(nodes_soonest(nodes, EIGHT_CPUS, 5), 0);
	nodes_free(nodes);
}

Test(nodes, nothing_runs_into_a_window)
{
	struct sl_cluster with = cluster;
	with.window = windows;
	with.window_count = 1;
	struct nodes *nodes = made(&first, &with);
	cr_expect_eq(nodes_window_next(nodes), 50);
	starts(nodes, 0, FOUR_CPUS, 50, "0x1");
	cr_expect(nodes_start(nodes, 1, FOUR_CPUS, 51));
	on(nodes, 1, "2x1"); /* Not node 1, whose window opens at 50. */
	cr_expect(nodes_start(nodes, 2, FOUR_CPUS, 51) && nodes_start(nodes, 3, EIGHT_CPUS, 90));
	cr_expect(nodes_start(nodes, 4, EIGHT_CPUS, 90));
	cr_expect_not(nodes_fits(nodes, FOUR_CPUS, 51));
	cr_expect(nodes_fits(nodes, FOUR_CPUS, 50));
	cr_expect_eq(nodes_soonest(nodes, FOUR_CPUS, 51), 51, "a node without windows");
	nodes_move_end(nodes, 1, 80);
	nodes_move_end(nodes, 2, 80);
	cr_expect_eq(nodes_soonest(nodes, FOUR_CPUS, 51), 60, "the window's end");
	nodes_clock(nodes, 55);
	cr_expect_eq(nodes_window_next(nodes), 60);
	cr_expect_not(nodes_fits(nodes, ONE_CPU, 1));
	nodes_free(nodes);
}

Test(nodes, a_window_waits_for_what_is_held)
{
	struct nodes *nodes = made(&first, &cluster);
	const uint32_t row[] = { 0, 3 };
	starts(nodes, 0, ONE_CPU, 20, "0x1");
	cr_expect_not(nodes_window_add(nodes, row, 2, 19, 30), "the job is still there");
	cr_expect(nodes_window_add(nodes, row, 2, 20, 30));
	cr_expect(nodes_start(nodes, 1, ONE_CPU, 21));
	on(nodes, 1, "1x1");
	nodes_start_undo(nodes, 1);
	nodes_window_undo(nodes);
	starts(nodes, 1, ONE_CPU, 21, "0x1");
	nodes_free(nodes);
}

/* ---- The head's backfill check
 * -----------------------------------------------------------------------------------
 */

Test(nodes, a_later_job_may_start_where_the_head_still_finds_a_place)
{
	struct nodes *nodes = made(&best, &cluster);
	/* Until 10 one large node is held, until 20 the other. The head of 8 cpus has its shadow at 10, on
	 * node 4. */
	starts(nodes, 0, EIGHT_CPUS, 10, "4x1");
	const struct sl_node_tasks five = { 5, 0, 3, 0 };
	cr_expect(nodes_start_on(nodes, 1, THREE_ON_ONE, 20, &five, 1));
	cr_expect_eq(nodes_soonest(nodes, EIGHT_CPUS, 5), 10);
	nodes_backfill_check(nodes, EIGHT_CPUS, 10, 5, false);
	cr_expect(nodes_backfill_check_allows(nodes, FOUR_CPUS, 50), "on a small node it is not in the way");
	cr_expect(nodes_start(nodes, 2, FOUR_CPUS, 50));
	cr_expect(nodes_backfill_check_allows(nodes, FOUR_CPUS, 50));
	nodes_backfill_check_end(nodes);
	cr_expect(nodes_backfill_check_allows(nodes, FOUR_CPUS, 50));
	nodes_free(nodes);
}

Test(nodes, a_job_on_the_last_node_that_the_head_could_have_may_not)
{
	struct nodes *nodes = made(&best, &cluster);
	/* Node 4 has 5 cpus free now and 8 from 10 on; node 5 is full until 90, the small ones too. */
	const struct sl_node_tasks four = { 4, 0, 3, 0 };
	cr_expect(nodes_start_on(nodes, 0, THREE_ON_ONE, 10, &four, 1));
	for (uint32_t job = 1; job < 5; job++)
		cr_expect(nodes_start(nodes, job, FOUR_CPUS, 90));
	starts(nodes, 5, EIGHT_CPUS, 90, "5x1");
	cr_expect_eq(nodes_soonest(nodes, EIGHT_CPUS, 5), 10);
	for (int named = 0; named < 2; named++) {
		nodes_backfill_check(nodes, EIGHT_CPUS, 10, 5, named);
		cr_expect_not(nodes_backfill_check_allows(nodes, ONE_CPU, 50));
		cr_expect(
			nodes_backfill_check_allows(nodes, H100S, 50), "it asks nothing that the head needs");
	}
	/* A head that needs less leaves free resources beside it. */
	nodes_backfill_check(nodes, SIX_TASKS, 10, 5, false);
	cr_expect(nodes_backfill_check_allows(nodes, TWIN, 50));
	cr_expect_not(nodes_backfill_check_allows(nodes, THREE_ON_ONE, 50));
	nodes_backfill_check(nodes, FOUR_CPUS, SL_NEVER, 5, false);
	cr_expect(nodes_backfill_check_allows(nodes, THREE_ON_ONE, 50),
		"a head that never fits guards nothing");
	nodes_free(nodes);
}

Test(nodes, named_keeps_the_nodes_that_were_chosen)
{
	struct nodes *nodes = made(&best, &cluster);
	/* All small nodes are held: two until 10, two until 90. The head of 4 cpus may have either of nodes 0
	 * and 1 at 10, and is given 0. */
	for (uint32_t job = 0; job < 4; job++)
		cr_expect(nodes_start(nodes, job, FOUR_CPUS, job < 2 ? 10 : 90));
	const struct sl_node_tasks large[] = { { 4, 0, 1, 0 }, { 5, 0, 1, 0 } };
	cr_expect(nodes_start_on(nodes, 4, EIGHT_CPUS, 90, &large[0], 1));
	cr_expect(nodes_start_on(nodes, 5, EIGHT_CPUS, 90, &large[1], 1));
	cr_expect_eq(nodes_soonest(nodes, FOUR_CPUS, 5), 10);
	/* Two cpus come free on node 0 now. */
	nodes_end(nodes, 0);
	const struct sl_node_tasks three = { 0, 0, 3, 0 };
	cr_expect(nodes_start_on(nodes, 0, THREE_ON_ONE, 10, &three, 1));
	nodes_backfill_check(nodes, FOUR_CPUS, 10, 5, false);
	cr_expect(nodes_backfill_check_allows(nodes, ONE_CPU, 50), "node 1 is left");
	nodes_backfill_check(nodes, FOUR_CPUS, 10, 5, true);
	cr_expect_not(nodes_backfill_check_allows(nodes, ONE_CPU, 50), "node 0 was chosen");
	nodes_free(nodes);
}

/* ---- Promises -------------------------------------------------------------------------------------------
 */

Test(nodes, a_promise_lies_beside_what_is_held_and_other_promises)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, EIGHT_CPUS, 30, "4x1");
	starts(nodes, 1, EIGHT_CPUS, 20, "5x1");
	cr_expect_eq(nodes_promise_at(nodes, EIGHT_CPUS, 10), 20);
	cr_expect(nodes_promise(nodes, 2, EIGHT_CPUS, 20, 15)); /* Node 5, [20, 35). */
	cr_expect_eq(nodes_promise_at(nodes, EIGHT_CPUS, 10), 30);
	cr_expect(nodes_promise(nodes, 3, EIGHT_CPUS, 30, 10)); /* Node 4, [30, 40). */
	cr_expect_eq(nodes_promise_at(nodes, EIGHT_CPUS, 10), 35);
	cr_expect_not(nodes_promise(nodes, 4, EIGHT_CPUS, 30, 10));
	nodes_end(nodes, 1);
	cr_expect_eq(nodes_promise_at(nodes, EIGHT_CPUS, 20), 0, "until the promise begins");
	cr_expect_eq(nodes_promise_at(nodes, EIGHT_CPUS, 21), 35, "not into it");
	cr_expect_eq(nodes_promise_at(nodes, THREE_ON_ONE, 99), 0, "small nodes are free");
	const struct sl_node_tasks *alloc;
	cr_expect_eq(nodes_promised(nodes, 3, &alloc), 1);
	cr_expect_eq(alloc->node, 4);
	nodes_free(nodes);
}

Test(nodes, a_promise_is_kept_on_its_nodes_or_not_at_all)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, FOUR_CPUS, 10, "0x1");
	cr_expect(nodes_promise(nodes, 1, FOUR_CPUS, 10, 5));
	const struct sl_node_tasks *alloc;
	cr_expect_eq(nodes_promised(nodes, 1, &alloc), 1);
	cr_expect_eq(alloc->node, 0);
	cr_expect_not(nodes_start_promised(nodes, 1, FOUR_CPUS, 15), "it is still held");
	nodes_end(nodes, 0);
	nodes_clock(nodes, 10);
	const uint64_t before = nodes_digest(nodes);
	cr_expect(nodes_start_promised(nodes, 1, FOUR_CPUS, 15));
	on(nodes, 1, "0x1");
	cr_expect_eq(nodes_promised(nodes, 1, &alloc), 0);
	nodes_start_undo(nodes, 1);
	nodes_promise_restore(nodes, 1);
	cr_expect_eq(nodes_digest(nodes), before);
	nodes_free(nodes);
}

static void promises_soonest(struct nodes *nodes, uint32_t job, uint32_t request, sl_time at, sl_time length)
{
	cr_expect_eq(nodes_promise_at(nodes, request, length), at);
	cr_expect(nodes_promise(nodes, job, request, at, length));
	nodes_promise_settled(nodes, job, true);
	cr_expect_eq(nodes_promise_sooner(nodes, job, request, length, at), at);
}

Test(nodes, a_promise_moves_to_what_a_promised_job_leaves_as_it_starts_early_and_ends_before_its_promise)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, EIGHT_CPUS, 30, "4x1");
	starts(nodes, 1, EIGHT_CPUS, 20, "5x1");
	promises_soonest(nodes, 2, EIGHT_CPUS, 20, 15); /* Node 5, [20, 35). */
	promises_soonest(nodes, 3, EIGHT_CPUS, 30, 25); /* Node 4, [30, 55). */
	promises_soonest(nodes, 4, EIGHT_CPUS, 35, 25); /* Node 5, [35, 60). */
	nodes_end(nodes, 1);
	cr_expect_eq(nodes_promise_sooner(nodes, 3, EIGHT_CPUS, 25, 30), 30, "20 are too few");
	cr_expect_eq(nodes_promise_sooner(nodes, 4, EIGHT_CPUS, 25, 35), 35);
	cr_expect(nodes_start_promised(nodes, 2, EIGHT_CPUS, 9));
	cr_expect_eq(nodes_promise_sooner(nodes, 3, EIGHT_CPUS, 25, 30), 9, "[9, 35)");
	nodes_unpromise(nodes, 3);
	cr_expect(nodes_promise(nodes, 3, EIGHT_CPUS, 9, 25));
	const struct sl_node_tasks *alloc;
	cr_expect_eq(nodes_promised(nodes, 3, &alloc), 1);
	cr_expect_eq(alloc->node, 5);
	nodes_promise_settled(nodes, 3, true);
	cr_expect_eq(nodes_promise_sooner(nodes, 4, EIGHT_CPUS, 25, 35), 30, "where it was");
	nodes_free(nodes);
}

Test(nodes, a_promise_moves_as_a_window_is_taken_back_or_a_node_opens)
{
	static const uint32_t large[] = { 4, 5 };
	struct nodes *nodes = made(&first, &cluster);
	cr_assert(nodes_window_add(nodes, large, 2, 0, 50));
	promises_soonest(nodes, 0, EIGHT_CPUS, 50, 10);
	nodes_window_undo(nodes);
	cr_expect_eq(nodes_promise_sooner(nodes, 0, EIGHT_CPUS, 10, 50), 0);
	nodes_unpromise(nodes, 0);
	nodes_unavailable(nodes, 4, SL_NEVER);
	nodes_unavailable(nodes, 5, 70);
	promises_soonest(nodes, 0, EIGHT_CPUS, 70, 10);
	nodes_open(nodes, 4);
	cr_expect_eq(nodes_promise_sooner(nodes, 0, EIGHT_CPUS, 10, 70), 0);
	nodes_free(nodes);
}

/* ---- Suspended, resized, taken back
 * ------------------------------------------------------------------------ */

Test(nodes, a_suspended_job_keeps_its_memory_and_its_node)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, MEMORY, 100, "0x1");
	nodes_suspend(nodes, 0);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_CPUS), 4 * 4 + 2 * 8);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_MEM), 3 * 8);
	cr_expect_eq(nodes_busy(nodes), 1);
	const struct nodes_sum sum = nodes_held(nodes, 0);
	cr_expect(sum.nodes == 1 && sum.cpus == 0 && sum.mem == 8);
	starts(nodes, 1, FOUR_CPUS, 30, "0x1");
	cr_expect_not(nodes_resume(nodes, 0, 100), "its cpus are not free");
	nodes_check(nodes);
	nodes_end(nodes, 1);
	cr_expect(nodes_resume(nodes, 0, 100));
	cr_expect_eq(nodes_idle(nodes, SL_KIND_CPUS), 3 + 3 * 4 + 2 * 8);
	nodes_free(nodes);
}

Test(nodes, suspended_memory_is_not_expected_back)
{
	struct nodes *nodes = made(&first, &cluster);
	/* Exclusive jobs hold everything; three of four small nodes get suspended, the large ones go on. */
	starts(nodes, 0, MEMORY, 10, "0x1");
	nodes_suspend(nodes, 0);
	starts(nodes, 1, WHOLE, 20, "1x2");
	starts(nodes, 2, WHOLE, 30, "2x2");
	starts(nodes, 3, WHOLE, 40, "3x2");
	starts(nodes, 4, WHOLE, 50, "4x2");
	starts(nodes, 5, WHOLE, 60, "5x2");
	cr_expect_eq(nodes_soonest(nodes, MEMORY, 1), 20);
	cr_expect_eq(nodes_soonest(nodes, WHOLE, 1), 20);
	nodes_free(nodes);
}

Test(nodes, more_tasks_go_to_its_own_nodes_first_fewer_from_the_last)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, ONE_CPU, 100, "0x1");
	starts(nodes, 1, ELASTIC, 100, "0x3");
	nodes_end(nodes, 0);
	nodes_forget(nodes);
	const uint64_t before = nodes_digest(nodes);
	cr_expect(nodes_resize(nodes, 1, 9));
	on(nodes, 1, "0x4 1x4 2x1");
	cr_expect(nodes_resize(nodes, 1, 5));
	on(nodes, 1, "0x4 1x1");
	nodes_resize_undo(nodes, 1);
	on(nodes, 1, "0x4 1x4 2x1");
	nodes_resize_undo(nodes, 1);
	on(nodes, 1, "0x3");
	cr_expect_eq(nodes_digest(nodes), before);
	cr_expect_not(nodes_resize(nodes, 1, MANY), "there is no room");
	cr_expect_eq(nodes_digest(nodes), before);
	nodes_free(nodes);
}

Test(nodes, an_end_is_undone_though_the_job_was_started_retry)
{
	struct nodes *nodes = made(&first, &cluster);
	starts(nodes, 0, ONE_CPU, 100, "0x1");
	starts(nodes, 1, FOUR_CPUS, 100, "1x1");
	const uint64_t before = nodes_digest(nodes);
	nodes_end(nodes, 1);
	nodes_end(nodes, 0);
	starts(nodes, 1, FOUR_CPUS, 60, "0x1"); /* Elsewhere than before. */
	nodes_start_undo(nodes, 1);
	nodes_restore(nodes, 0, 100);
	nodes_restore(nodes, 1, 100);
	on(nodes, 1, "1x1");
	cr_expect_eq(nodes_digest(nodes), before);
	nodes_free(nodes);
}

/* Amounts as given: on node 4 one a100 and two h100 for a job whose request says something else; what is
 * left, refused, undone and restored. */
Test(nodes, a_start_with_amounts)
{
	struct nodes *nodes = made(&first, &cluster);
	static const uint32_t gpus[] = { 1, 2 };
	static const uint32_t many[] = { 2, 0 };
	const struct sl_node_alloc held[] = { { .node = 4, .tasks = 3, .cpus = 5, .mem = 7, .gpus = gpus },
		{ .node = 0, .tasks = 1, .cpus = 1, .mem = 8 } };
	const struct sl_node_alloc too_many = { .node = 5, .cpus = 1, .gpus = many };
	const struct sl_node_alloc twice[] = { { .node = 1, .cpus = 3 }, { .node = 1, .cpus = 2 } };
	const uint64_t before = nodes_digest(nodes);
	cr_expect_not(nodes_start_node_alloc(nodes, 0, ONE_CPU, 100, &too_many, 1));
	cr_expect_not(nodes_start_node_alloc(nodes, 0, ONE_CPU, 100, twice, 2));
	cr_expect_eq(nodes_digest(nodes), before);
	cr_assert(nodes_start_node_alloc(nodes, 0, ONE_CPU, 100, held, 2));
	nodes_check(nodes);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_CPUS), 32 - 6);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS), 10 - 1);
	cr_expect_eq(nodes_idle(nodes, SL_KIND_GPUS + 1), 8 - 2);
	const struct sl_node_tasks *alloc;
	cr_assert_eq(nodes_allocs(nodes, 0, &alloc), 2);
	cr_expect(alloc[1].node == 4 && alloc[1].tasks == 3);
	const struct nodes_sum sum = nodes_held(nodes, 0);
	cr_expect(sum.nodes == 2 && sum.cpus == 6 && sum.mem == 8 &&
		  sum.gpus == 3); /* Memory of 4: no bound. */
	const uint64_t during = nodes_digest(nodes);
	nodes_end(nodes, 0);
	nodes_restore(nodes, 0, 100);
	cr_expect_eq(nodes_digest(nodes), during);
	nodes_start_undo(nodes, 0);
	cr_expect_eq(nodes_digest(nodes), before);
	nodes_free(nodes);
}

/* A window from 50 on is in the way of amounts, too. */
Test(nodes, a_start_with_amounts_keeps_clear_of_windows)
{
	struct sl_cluster closing = cluster;
	closing.window = windows;
	closing.window_count = 1;
	struct nodes *nodes = made(&first, &closing);
	const struct sl_node_alloc held = { .node = 0, .cpus = 1 };
	cr_expect_not(nodes_start_node_alloc(nodes, 0, ONE_CPU, 51, &held, 1));
	cr_expect(nodes_start_node_alloc(nodes, 0, ONE_CPU, 50, &held, 1));
	nodes_free(nodes);
}

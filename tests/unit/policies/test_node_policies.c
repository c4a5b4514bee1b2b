/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_node_policies.c - whole policies on nodes, worked by hand: cases that the slow reference found
 * (prop_node_policies.c), cut down to what matters.
 */
#include <criterion/criterion.h>

#include "tests/world/node_world.h"

#define TASKS(number, each, memory, ...)                                                               \
	{                                                                                              \
		.task = { .cpus = (each), .mem = (memory) }, .tasks = (number), .tasks_min = (number), \
		.tasks_max = (number), ##__VA_ARGS__                                                   \
	}

static void starts(struct node_world *w, const char *policy, const int64_t *want)
{
	cr_assert_eq(node_world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	cr_expect_str_empty(w->wrong, "%s: %s", policy, w->wrong);
	for (uint32_t job = 0; job < w->count; job++)
		cr_expect_eq(node_world_start(w, job), want[job], "%s: job %u started at %lld, not %lld",
			policy, job + 1, (long long)node_world_start(w, job), (long long)want[job]);
	node_world_release(w);
}

/* Both nodes had a window until 7. Then job 1 takes the large node; job 2 waits for both cpus there or one
 * on each until 11; job 3 outlasts that on the small one, and leaves the large one to job 2. */
Test(node_policies, nodes_whose_windows_are_over_count_retry)
{
	struct node_world w = {
		.nodes = 2,
		.kinds = 2,
		.amount = { { 1, 2 }, { 2, 3 } },
		.windows = 1,
		.window = { { 0, 7, 3 } },
		.count = 3,
		.job = { { .submit = 2, .run = 3, .limit = 4, .group_count = 1, .group = { TASKS(1, 2, 2) } },
			{ .submit = 3, .run = 3, .limit = 5, .group_count = 1, .group = { TASKS(2, 1, 0) } },
			{ .submit = 3, .run = 4, .limit = 8, .group_count = 1, .group = { TASKS(1, 1, 0) } } }
	};
	starts(&w, "easy", (int64_t[]){ 7, 10, 7 });
}

/* Node 0 is closed until 5, node 1 from 5 to 10: a cpu is free all the time, but not for 8 seconds on one
 * node before 5. Windows that overlap close each node once. */
Test(node_policies, nodes_of_one_cpu_with_windows_have_names)
{
	struct node_world w = { .nodes = 2,
		.kinds = 2,
		.amount = { { 1, SL_MEM_UNBOUNDED }, { 1, SL_MEM_UNBOUNDED } },
		.windows = 3,
		.window = { { 0, 5, 1 }, { 5, 10, 2 }, { 5, 9, 2 } },
		.count = 1,
		.job = { { .submit = 1,
			.run = 8,
			.limit = 8,
			.group_count = 1,
			.group = { TASKS(1, 1, 0) } } } };
	starts(&w, "fcfs", (int64_t[]){ 5 });
}

/* Job 1 holds the only GPU beyond its limit, and no cpu. Job 2, which was promised 5, is promised the next
 * second instead, and again, until job 1 ends. */
Test(node_policies, a_job_history_its_limit_that_holds_gpus_alone_breaks_promises)
{
	struct node_world w = { .nodes = 2,
		.kinds = 3,
		.amount = { { 1, 1, 1 }, { 1, 1, 0 } },
		.overrun = SL_OVERRUN_EXTEND,
		.count = 2,
		.job = { { .submit = 0,
				 .run = 7,
				 .limit = 5,
				 .group_count = 1,
				 .group = { TASKS(1, 0, 0, .task.gpus = 1) } },
			{ .submit = 1,
				.run = 1,
				.limit = 1,
				.group_count = 1,
				.group = { TASKS(1, 0, 0, .task.gpus = 1) } } } };
	/* A pass at 6, when its promise was due; then it is due at 7. */
	starts(&w, "conservative", (int64_t[]){ 0, 7 });
}

/* One node, two GPUs of type a, one of b. Job 1 holds an a until 2. Job 2, two of a, is promised 2. Job 3
 * takes any and outlasts that: it is promised b, and gets b, though an a is free when it starts. */
Test(node_policies, a_promised_job_starts_on_the_gpus_of_its_promise)
{
	struct node_world w = { .nodes = 1,
		.kinds = 4,
		.amount = { { 4, 4, 2, 1 } },
		.count = 3,
		.job = { { .submit = 0,
				 .run = 2,
				 .limit = 2,
				 .group_count = 1,
				 .group = { TASKS(1, 1, 0, .task.gpus = 1, .task.gpu_types = 1) } },
			{ .submit = 0,
				.run = 3,
				.limit = 3,
				.group_count = 1,
				.group = { TASKS(2, 1, 0, .task.gpus = 1, .task.gpu_types = 1) } },
			{ .submit = 0,
				.run = 6,
				.limit = 6,
				.group_count = 1,
				.group = { TASKS(1, 1, 0, .task.gpus = 1) } } } };
	starts(&w, "conservative", (int64_t[]){ 0, 2, 0 });
}

/* Shortest first. Job 1 runs until 14 by its limit, job 2 is promised 14 to 23, and job 3, short and
 * late, 23. At 13 job 1 ends: job 3 is first, and finds nothing while job 2 holds 14; then job 2 moves to 13.
 * Nothing ends early after that, so job 3 keeps 23, though it could have 22 when job 4 comes. */
Test(node_policies, promises_are_compressed_when_something_ends_early_only)
{
	struct node_world w = { .nodes = 2,
		.kinds = 2,
		.amount = { { 1, 6 }, { 1, 6 } },
		.count = 4,
		.job = {
			{ .submit = 4, .run = 9, .limit = 10, .group_count = 1, .group = { TASKS(1, 1, 1) } },
			{ .submit = 5, .run = 9, .limit = 9, .group_count = 1, .group = { TASKS(2, 1, 1) } },
			{ .submit = 8, .run = 2, .limit = 2, .group_count = 1, .group = { TASKS(2, 1, 1) } },
			{ .submit = 15,
				.run = 1,
				.limit = 30,
				.group_count = 1,
				.group = { TASKS(2, 1, 1) } } } };
	starts(&w, "conservative:order=sjf", (int64_t[]){ 4, 13, 23, 25 });
}

/* Job 1 cannot be placed on idle nodes: its first group goes to the lowest node, and leaves the second too
 * little there. Once job 2 stands on node 0, the first goes to node 1, and all fits: but the head is passed
 * over among the candidates, which come by limit, and waits for the next pass. */
Test(node_policies, the_head_is_passed_over_among_candidates)
{
	struct node_world w = {
		.nodes = 2,
		.kinds = 3,
		.amount = { { 2, 2, 1 }, { 3, 3, 0 } },
		.count = 3,
		.job = { { .submit = 4,
				 .run = 8,
				 .limit = 8,
				 .group_count = 2,
				 .group = { TASKS(1, 2, 2), TASKS(1, 0, 2, .task.gpus = 1) } },
			{ .submit = 7, .run = 5, .limit = 5, .group_count = 1, .group = { TASKS(1, 2, 0) } },
			{ .submit = 9, .run = 1, .limit = 1, .group_count = 1, .group = { TASKS(1, 3, 3) } } }
	};
	/* At 9 it is first in the queue, and fits. Job 3 wants node 1 whole, from 17 on. */
	starts(&w, "easy:fill=shortest", (int64_t[]){ 9, 7, 17 });
}

/* Job 1 holds node 1, for its GPU, until 4; job 2, the head, waits until then for nodes 0 and 1. A job that
 * just outlasts that would go to node 0, in the head's way; but node 0 closes at 6, so job 3, of 10 seconds,
 * goes to node 2. */
Test(node_policies, among_windows_each_length_has_its_own_place)
{
	struct node_world w = { .nodes = 3,
		.kinds = 3,
		.amount = { { 1, 2, 0 }, { 1, 2, 1 }, { 1, 1, 0 } },
		.windows = 1,
		.window = { { 6, 12, 1 } },
		.count = 3,
		.job = { { .submit = 0,
				 .run = 4,
				 .limit = 4,
				 .group_count = 1,
				 .group = { TASKS(1, 1, 0, .task.gpus = 1) } },
			{ .submit = 1, .run = 2, .limit = 2, .group_count = 1, .group = { TASKS(2, 1, 2) } },
			{ .submit = 1,
				.run = 9,
				.limit = 10,
				.group_count = 1,
				.group = { TASKS(1, 1, 1) } } } };
	starts(&w, "easy", (int64_t[]){ 0, 4, 1 });
}

/* nodes_max = 2. By best fit the tight nodes would go first, one task each, and two of them hold too little:
 * so those that take most go first. Without the bound the tight ones do. */
Test(node_policies, fewer_nodes_are_taken_most_tasks_first)
{
	struct node_world w = { .nodes = 4,
		.kinds = 2,
		.amount = { { 3, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } },
		.count = 1,
		.job = { { .run = 1,
			.limit = 1,
			.group_count = 1,
			.group = { TASKS(3, 1, 0, .nodes_max = 2) } } } };
	cr_assert_eq(node_world_run(&w, "fcfs:place=best", true), SL_OK);
	cr_expect_eq(w.alloc_count[0], 1);
	cr_expect_eq(w.alloc[0][0].node, 0);
	node_world_release(&w);
	w.job[0].group[0].nodes_max = 3;
	cr_assert_eq(node_world_run(&w, "fcfs:place=best", true), SL_OK);
	cr_expect_eq(w.alloc_count[0], 3);
	cr_expect_eq(w.alloc[0][0].node, 1);
	node_world_release(&w);
}

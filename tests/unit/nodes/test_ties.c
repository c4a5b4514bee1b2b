/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ties.c - which of several nodes of equal score goes first: ties, islands over several nodes; and that
 * a class of nodes is scored once.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/nodes/nodes.h"

enum { NODES = 6, JOBS = 1000 };

static unsigned asked; /* How often a score was computed; a test is a process of its own. */

static int64_t alike(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	asked++;
	return 0;
}

static int64_t tight(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	asked++;
	return class->free[SL_KIND_CPUS];
}

static const struct sl_node_scorer any = { .name = "any", .score = alike };
static const struct sl_node_scorer best = { .name = "best", .score = tight };
static const struct sl_node_scorer islands = { .name = "islands", .by_island = true, .score = alike };
static const struct sl_node_scorer best_islands = {
	.name = "best islands", .by_island = true, .score = tight
};

/* Six nodes of 4 cpus; by name: 5, 3, 2, 1, 0, 4. Islands: 0 and 1; 2, 3 and 4; 5 is of none. */
static const struct sl_node_type types[] = { { .name = "a", .amount = { 4, 8 }, .island = 1 },
	{ .name = "b", .amount = { 4, 8 }, .island = 2 }, { .name = "c", .amount = { 4, 8 } } };
static const uint32_t node_type[NODES] = { 0, 0, 1, 1, 1, 2 };
static const char *const node_name[NODES] = { "n2", "n10", "n1", "m", "n9", "a" };
static const struct sl_cluster cluster = { .node_count = NODES,
	.type_count = 3,
	.kind_count = 2,
	.node_type = node_type,
	.node_name = node_name,
	.type = types,
	.island_count = 2 };

enum {
	ONE,
	FOUR,
	TWELVE_TWO_EACH,
	PAIR,
	CPU_4,
	CPUS_6,
	CPUS_10,
	CPUS_14,
	CPUS_8_ON_2,
	CPUS_8_ON_4,
	REQUESTS
};
static const struct sl_group groups[REQUESTS][2] = {
	[ONE] = { { .task = { .cpus = 1 }, .tasks = 1 } },
	[FOUR] = { { .task = { .cpus = 4 }, .tasks = 1 } },
	[TWELVE_TWO_EACH] = { { .task = { .cpus = 1 }, .tasks = 6, .tasks_per_node = 2 } },
	[PAIR] = { { .task = { .cpus = 4 }, .tasks = 1 }, { .task = { .cpus = 1 }, .tasks = 1 } },
	[CPU_4] = { { .task = { .cpus = 1 }, .tasks = 4 } },
	[CPUS_6] = { { .task = { .cpus = 1 }, .tasks = 6 } },
	[CPUS_10] = { { .task = { .cpus = 1 }, .tasks = 10 } },
	[CPUS_14] = { { .task = { .cpus = 1 }, .tasks = 14 } },
	[CPUS_8_ON_2] = { { .task = { .cpus = 1 }, .tasks = 8, .nodes_max = 2 } },
	[CPUS_8_ON_4] = { { .task = { .cpus = 1 }, .tasks = 8, .nodes_min = 3 } },
};
static struct sl_request requests[REQUESTS];

static struct nodes *made_of(const struct sl_cluster *of, const struct scorer *scorer)
{
	struct nodes *nodes;
	struct sl_err err = { 0 };
	for (uint32_t i = 0; i < REQUESTS; i++)
		requests[i] =
			(struct sl_request){ .group = groups[i], .group_count = groups[i][1].tasks ? 2 : 1 };
	cr_assert_eq(nodes_new(&nodes, of, requests, REQUESTS, JOBS, scorer, &err), SL_OK);
	nodes_clock(nodes, 0);
	return nodes;
}

static struct nodes *made(const struct scorer *scorer) { return made_of(&cluster, scorer); }

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

static void starts(struct nodes *nodes, uint32_t job, uint32_t request, const char *want)
{
	cr_expect(nodes_fits(nodes, request, 100));
	cr_expect(nodes_start(nodes, job, request, 100), "job %u does not start", job);
	on(nodes, job, want);
}

/* Where the job goes when it is alone; what was tried is taken back. */
static uint32_t goes_to(struct nodes *nodes, uint32_t job, uint32_t request)
{
	const struct sl_node_tasks *alloc;
	cr_assert(nodes_start(nodes, job, request, 100));
	cr_assert_eq(nodes_allocs(nodes, job, &alloc), 1);
	const uint32_t node = alloc->node;
	nodes_start_undo(nodes, job);
	return node;
}

/* ---- By name --------------------------------------------------------------------------------------- */

Test(ties, by_name_the_first_byte_by_byte)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &any, .ties = SL_TIES_NAME });
	static const char *const order[NODES] = { "5x1", "3x1", "2x1", "1x1", "0x1", "4x1" };
	for (uint32_t i = 0; i < NODES; i++)
		starts(nodes, i, FOUR, order[i]); /* a, m, n1, n10, n2, n9 */
	nodes_end(nodes, 2);
	nodes_end(nodes, 5);
	starts(nodes, 6, FOUR, "2x1");
	nodes_free(nodes);
}

Test(ties, by_name_only_where_the_score_is_the_same)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &best, .ties = SL_TIES_NAME });
	const struct sl_node_tasks there = { 4, 0, 1, 0 };
	cr_assert(nodes_start_on(nodes, 0, ONE, 100, &there, 1));
	starts(nodes, 1, ONE, "4x1"); /* The tightest, though last by name. */
	starts(nodes, 2, FOUR, "5x1");
	nodes_free(nodes);
}

Test(ties, by_name_of_several_tasks_and_promises)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &any, .ties = SL_TIES_NAME });
	const struct sl_node_tasks *alloc;
	starts(nodes, 0, TWELVE_TWO_EACH, "2x2 3x2 5x2");
	nodes_end(nodes, 0);
	nodes_forget(nodes);
	for (uint32_t job = 0; job < NODES; job++)
		cr_assert(nodes_start(nodes, job, FOUR, 10));
	cr_expect_eq(nodes_promise_at(nodes, FOUR, 5), 10);
	cr_assert(nodes_promise(nodes, 7, FOUR, 10, 5));
	cr_assert_eq(nodes_promised(nodes, 7, &alloc), 1);
	cr_expect_eq(alloc->node, 5);
	cr_assert(nodes_promise(nodes, 8, CPUS_6, 10, 5));
	cr_assert_eq(nodes_promised(nodes, 8, &alloc), 2);
	cr_expect(alloc[0].node == 2 && alloc[1].node == 3, "%u %u", alloc[0].node, alloc[1].node);
	nodes_free(nodes);
}

Test(ties, another_order_from_now_on)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &any });
	starts(nodes, 0, FOUR, "0x1");
	nodes_set_scorer(nodes, &(struct scorer){ .rule = &any, .ties = SL_TIES_NAME });
	starts(nodes, 1, FOUR, "5x1");
	nodes_set_scorer(nodes, &(struct scorer){ .rule = &any });
	starts(nodes, 2, FOUR, "1x1");
	nodes_free(nodes);
}

/* ---- Shuffled once ------------------------------------------------------------------------------------- */

Test(ties, shuffled_as_the_cluster_says)
{
	static const uint32_t rank[NODES] = { 3, 0, 5, 1, 4, 2 };
	static const char *const order[NODES] = { "1x1", "3x1", "5x1", "0x1", "4x1", "2x1" };
	struct sl_cluster drawn = cluster;
	drawn.node_shuffled = rank;
	struct nodes *nodes = made_of(&drawn, &(struct scorer){ .rule = &any, .ties = SL_TIES_SHUFFLE });
	for (uint32_t i = 0; i < NODES; i++)
		starts(nodes, i, FOUR, order[i]);
	nodes_free(nodes);
}

/* Which node each of six jobs gets, that take a node each. */
static void fill_nodes(uint64_t seed, uint32_t first_job, uint32_t got[NODES])
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &any, .ties = SL_TIES_SHUFFLE, .seed = seed });
	for (uint32_t i = 0; i < NODES; i++) {
		const struct sl_node_tasks *alloc;
		cr_assert(nodes_start(nodes, first_job + i, FOUR, 100));
		cr_assert_eq(nodes_allocs(nodes, first_job + i, &alloc), 1);
		got[i] = alloc->node;
	}
	nodes_free(nodes);
}

/* One order of all nodes for all jobs of a run; over seeds each is first as often. */
Test(ties, shuffled_by_seed_alone)
{
	enum { SEEDS = 600 };
	uint32_t first[NODES] = { 0 };
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint32_t got[NODES];
		uint32_t others[NODES];
		uint32_t all = 0;
		fill_nodes(seed, 0, got);
		fill_nodes(seed, 100, others);
		cr_expect_arr_eq(got, others, sizeof(got), "seed %u: whoever asks", (unsigned)seed);
		for (uint32_t i = 0; i < NODES; i++)
			all |= 1U << got[i];
		cr_expect_eq(all, (1U << NODES) - 1);
		first[got[0]]++;
	}
	for (uint32_t node = 0; node < NODES; node++) /* 100 each; five standard errors are 46. */
		cr_expect(first[node] > 54 && first[node] < 146, "node %u: %u", node, first[node]);
}

/* ---- By chance -------------------------------------------------------------------------------------- */

/* SplitMix64's finalizer, of (seed, job), then of the node. */
static uint64_t mixed(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

static uint32_t least_lot(uint64_t seed, uint32_t job)
{
	uint32_t least = 0;
	uint64_t lot[NODES];
	for (uint32_t node = 0; node < NODES; node++) {
		lot[node] = mixed(
			mixed(mixed(seed) + job + 1) + (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15));
		least = lot[node] < lot[least] ? node : least;
	}
	return least;
}

Test(ties, by_chance_of_seed_job_and_node)
{
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct nodes *nodes =
			made(&(struct scorer){ .rule = &any, .ties = SL_TIES_RANDOM, .seed = seed });
		uint32_t found[NODES] = { 0 };
		for (uint32_t job = 0; job < JOBS; job++) {
			const uint32_t node = goes_to(nodes, job, FOUR);
			cr_expect_eq(node, least_lot(seed, job));
			cr_expect_eq(goes_to(nodes, job, ONE), node, "whatever it asks");
			found[node]++;
		}
		for (uint32_t node = 0; node < NODES; node++) /* 167 each; four standard errors are 47. */
			cr_expect(found[node] > 120 && found[node] < 214, "node %u: %u of 1000", node,
				found[node]);
		nodes_free(nodes);
	}
}

Test(ties, by_chance_whatever_was_tried_before)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &best, .ties = SL_TIES_RANDOM, .seed = 5 });
	const uint32_t first = goes_to(nodes, 7, FOUR);
	for (uint32_t job = 0; job < 6; job++)
		(void)goes_to(nodes, job, FOUR);
	cr_expect_eq(goes_to(nodes, 7, FOUR), first);
	/* Only between nodes of the same score. */
	const struct sl_node_tasks there = { (first + 1) % NODES, 0, 1, 0 };
	cr_assert(nodes_start_on(nodes, 0, ONE, 100, &there, 1));
	cr_expect_eq(goes_to(nodes, 7, ONE), (first + 1) % NODES);
	cr_expect_eq(goes_to(nodes, 7, FOUR), first);
	nodes_free(nodes);
}

/* Four cpus and one: where the four go is by chance, and no order of the nodes is in the way. */
Test(ties, by_chance_what_fits_starts)
{
	for (uint32_t job = 0; job < 20; job++) {
		struct nodes *nodes =
			made(&(struct scorer){ .rule = &any, .ties = SL_TIES_RANDOM, .seed = 9 });
		for (uint32_t k = 0; k < 4; k++)
			cr_assert(nodes_start(nodes, 100 + k, FOUR, 100));
		cr_expect(nodes_fits(nodes, PAIR, 10));
		cr_expect(nodes_start(nodes, job, PAIR, 10));
		nodes_check(nodes);
		nodes_free(nodes);
	}
}

/* ---- Islands ------------------------------------------------------------------------------------------ */

/* 8, 12 and 4 cpus. */
Test(ties, the_island_with_the_least_to_spare)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &islands });
	starts(nodes, 0, CPUS_6, "0x4 1x2"); /* 2 to spare, elsewhere 6. */
	starts(nodes, 1, CPU_4, "5x4");      /* None; island 1 has 2 left. */
	starts(nodes, 2, ONE, "1x1");        /* 1 to spare. */
	starts(nodes, 3, CPUS_10, "2x4 3x4 4x2");
	starts(nodes, 4, ONE, "1x1"); /* None to spare. */
	nodes_free(nodes);
}

Test(ties, islands_that_keep_most_first)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &islands });
	starts(nodes, 0, CPUS_14, "0x2 2x4 3x4 4x4"); /* 12, then 8. */
	nodes_end(nodes, 0);
	nodes_forget(nodes);
	starts(nodes, 1, CPUS_8_ON_2, "0x4 1x4"); /* Two nodes of either hold 8: the island that is first. */
	nodes_end(nodes, 1);
	nodes_forget(nodes);
	starts(nodes, 2, CPUS_8_ON_4, "2x4 3x3 4x1"); /* Only the second has three nodes. */
	nodes_free(nodes);
}

Test(ties, within_an_island_the_score)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &best_islands });
	const struct sl_node_tasks there = { 3, 0, 1, 0 };
	cr_assert(nodes_start_on(nodes, 0, ONE, 100, &there, 1));
	starts(nodes, 1, CPUS_10, "2x4 3x3 4x3"); /* Node 3 first, then 2. */
	nodes_end(nodes, 1);
	nodes_forget(nodes);
	cr_assert(nodes_promise(nodes, 2, CPUS_10, 20, 5));
	const struct sl_node_tasks *alloc;
	cr_assert_eq(nodes_promised(nodes, 2, &alloc), 3);
	cr_expect(alloc[1].node == 3 && alloc[1].tasks == 3, "later, likewise");
	nodes_free(nodes);
}

/* Island 1 has 8 and the nodes of the other 4 + 4 + 4; by name, of two that are alike the other goes first.
 */
Test(ties, of_like_islands_the_first_by_ties)
{
	struct nodes *nodes = made(&(struct scorer){ .rule = &islands, .ties = SL_TIES_NAME });
	starts(nodes, 0, CPUS_8_ON_2, "2x4 3x4"); /* n1 before n2; in it m, n1. */
	nodes_free(nodes);
}

/* ---- What was asked once ---------------------------------------------------------------------------------
 */

#ifndef SL_TINY
Test(ties, a_class_is_worth_what_it_was)
{
	enum { MANY = 100, CPUS = 200 };
	static const struct sl_node_type type = { .name = "n", .amount = { CPUS, 8 } };
	static const uint32_t of_type[MANY] = { 0 };
	static const struct sl_cluster wide = {
		.node_count = MANY, .type_count = 1, .kind_count = 2, .node_type = of_type, .type = &type
	};
	static struct sl_group group[MANY];
	static struct sl_request request[MANY];
	struct nodes *nodes;
	struct sl_err err = { 0 };
	for (uint32_t i = 0; i < MANY; i++) {
		group[i] = (struct sl_group){ .task = { .cpus = 1 + i }, .tasks = 1 };
		request[i] = (struct sl_request){ .group = &group[i], .group_count = 1 };
	}
	cr_assert_eq(nodes_new(&nodes, &wide, request, MANY, JOBS, &(struct scorer){ .rule = &best }, &err),
		SL_OK);
	nodes_clock(nodes, 0);
	for (uint32_t i = 0; i < MANY; i++) /* All are known then, of all classes. */
		cr_assert(nodes_start(nodes, i, i, 100));
	for (uint32_t i = 0; i < MANY; i++) {
		cr_assert(nodes_start(nodes, MANY + i, i, 100));
		asked = 0;
		cr_assert(nodes_start(nodes, 2 * MANY + i, i, 100));
		cr_expect_leq(asked, 1, "request %u: the class that the last start made, not %u", i, asked);
	}
	nodes_check(nodes);
	nodes_free(nodes);
}
#endif

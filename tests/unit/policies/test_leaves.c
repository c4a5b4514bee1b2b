/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_leaves.c - placements by leaf switch: which job gets which nodes, and what is left after undo.
 *
 * Eight nodes of 8 cpus and 4 GPUs, on three leaves: 0 1 2 | 3 4 5 | 6 7.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "policies/place/leaves.h"
#include "sim/base/base.h"

enum { NODES = 8, JOBS = 8, KINDS = 3 };

extern const struct sl_allocator allocator_pack_leaves, allocator_spread_leaves, allocator_contention;

static const uint32_t first_leaf[] = { 0, 1, 2 }, second_leaf[] = { 3, 4, 5 }, third_leaf[] = { 6, 7 };
static const struct sl_switch switches[] = {
	{ .name = "a", .parent = UINT32_MAX, .node = first_leaf, .node_count = 3 },
	{ .name = "b", .parent = UINT32_MAX, .node = second_leaf, .node_count = 3 },
	{ .name = "c", .parent = UINT32_MAX, .node = third_leaf, .node_count = 2 },
};
static const struct sl_node_type types[] = { { .name = "n", .amount = { 8, 64, 4 } } };
static const uint32_t node_type[NODES];
static const char *const kinds[] = { "cpus", "memory", "a100" };
static const struct sl_cluster cluster = { .node_count = NODES,
	.type_count = 1,
	.kind_count = KINDS,
	.node_type = node_type,
	.type = types,
	.kind_name = kinds,
	.sw = switches,
	.switch_count = 3 };

enum { FOUR_NODES, TWO_NODES, ONE_GPU, THREE_NODES, EXCLUSIVE, AT_LEAST_3, AT_MOST_1, TOO_LARGE };
static const struct sl_group groups[] = {
	[FOUR_NODES] = { .task = { .cpus = 1, .mem = 8, .gpus = 4 }, .tasks = 4 },
	[TWO_NODES] = { .task = { .cpus = 1, .mem = 8, .gpus = 4 }, .tasks = 2 },
	[ONE_GPU] = { .task = { .cpus = 1, .mem = 8, .gpus = 1 }, .tasks = 1 },
	[THREE_NODES] = { .task = { .cpus = 1, .mem = 8, .gpus = 4 }, .tasks = 3 },
	[EXCLUSIVE] = { .task = { .cpus = 1, .mem = 8, .gpus = 1 }, .tasks = 1, .exclusive = true },
	[AT_LEAST_3] = { .task = { .cpus = 1, .mem = 8, .gpus = 1 }, .tasks = 3, .nodes_min = 3 },
	[AT_MOST_1] = { .task = { .cpus = 1, .mem = 8, .gpus = 1 }, .tasks = 8, .nodes_max = 1 },
	[TOO_LARGE] = { .task = { .cpus = 1, .mem = 8, .gpus = 4 }, .tasks = 9 },
};

struct fixture {
	struct sl_arena *arena;
	struct sl_request request[SL_LEN(groups)];
	uint32_t of[JOBS]; /* By job: its request. */
	struct sl_jobs jobs;
	const struct sl_allocator *allocator;
	void *state;
};

static void begin(struct fixture *f, const struct sl_allocator *allocator)
{
	struct sl_err err = { 0 };
	*f = (struct fixture){ .arena = sl_arena_new(), .allocator = allocator };
	for (size_t i = 0; i < SL_LEN(groups); i++)
		f->request[i] = (struct sl_request){ .group = &groups[i], .group_count = 1 };
	f->jobs = (struct sl_jobs){
		.count = JOBS, .request = f->of, .requests = f->request, .request_count = SL_LEN(groups)
	};
	const struct sl_setup setup = { .arena = f->arena, .jobs = &f->jobs, .cluster = &cluster };
	cr_assert_eq(allocator->init(&f->state, &setup, &err), SL_OK, "%s", err.text);
}

static void end(struct fixture *f)
{
	f->allocator->release(f->state);
	sl_arena_free(f->arena);
}

/* "0 1 2": the nodes that the job would get; "": none. */
static const char *chosen(struct fixture *f, uint32_t job, uint32_t needs, uint64_t closed)
{
	static char text[64];
	const struct sl_node_alloc *node_alloc;
	f->of[job] = needs;
	const size_t count =
		f->allocator->choose(f->state, (sl_job){ job }, closed ? &closed : NULL, &node_alloc);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const size_t len = strlen(text);
		cr_assert_lt(len + 3, sizeof(text));
		text[len] = i ? ' ' : (char)('0' + node_alloc[i].node);
		text[len + 1] = i ? (char)('0' + node_alloc[i].node) : '\0';
		text[len + 2] = '\0';
	}
	return text;
}

static const char *started(struct fixture *f, uint32_t job, uint32_t needs)
{
	const char *text = chosen(f, job, needs, 0);
	if (*text)
		f->allocator->take(f->state, (sl_job){ job });
	return text;
}

/* The tightest leaf that holds it; of one that none does the roomiest first, the rest where it is tightest.
 */
Test(leaves, pack)
{
	struct fixture f;
	begin(&f, &allocator_pack_leaves);
	cr_expect_str_eq(started(&f, 0, TWO_NODES), "6 7");
	cr_expect_str_eq(started(&f, 1, ONE_GPU), "0");
	cr_expect_str_eq(started(&f, 2, ONE_GPU), "0", "the tightest node of the tightest leaf");
	cr_expect_str_eq(chosen(&f, 3, THREE_NODES, 0), "3 4 5");
	cr_expect_str_eq(chosen(&f, 3, TWO_NODES, 0), "1 2", "leaf a has less left");
	cr_expect_str_eq(chosen(&f, 3, FOUR_NODES, 0), "1 3 4 5", "all of b, and one of a");
	cr_expect_str_eq(chosen(&f, 3, THREE_NODES, UINT64_C(1) << 4), "1 2 3", "node 4 is closed");
	cr_expect_str_eq(chosen(&f, 3, TOO_LARGE, 0), "");
	end(&f);
}

Test(leaves, bounds)
{
	struct fixture f;
	begin(&f, &allocator_pack_leaves);
	cr_expect_str_eq(chosen(&f, 0, AT_LEAST_3, 0), "0 1 2", "three tasks on as many nodes");
	cr_expect_str_eq(chosen(&f, 0, AT_MOST_1, 0), "", "eight GPUs are on no node");
	cr_expect_str_eq(started(&f, 0, EXCLUSIVE), "6");
	const struct sl_node_alloc *node_alloc;
	cr_assert_eq(f.allocator->held(f.state, (sl_job){ 0 }, &node_alloc), 1);
	cr_expect(node_alloc->cpus == 8 && node_alloc->mem == 64 && node_alloc->gpus[0] == 4,
		"all of the node is its own");
	cr_expect_str_eq(started(&f, 1, ONE_GPU), "7", "leaf c is the tightest");
	cr_expect_str_eq(chosen(&f, 2, EXCLUSIVE, 0), "0", "7 is not idle");
	end(&f);
}

/* A node of each leaf in turn, the roomiest leaf first. */
Test(leaves, spread)
{
	struct fixture f;
	begin(&f, &allocator_spread_leaves);
	cr_expect_str_eq(started(&f, 0, THREE_NODES), "0 3 6");
	cr_expect_str_eq(started(&f, 1, TWO_NODES), "1 4");
	cr_expect_str_eq(started(&f, 2, THREE_NODES), "2 5 7");
	cr_expect_str_eq(chosen(&f, 3, ONE_GPU, 0), "");
	end(&f);
}

/* Undone starts and ends leave what was before; what is forgotten stays given. */
Test(leaves, taken_back)
{
	struct fixture f;
	begin(&f, &allocator_pack_leaves);
	const struct sl_allocator *p = f.allocator;
	const struct sl_node_alloc *node_alloc;
	cr_expect_str_eq(started(&f, 0, FOUR_NODES), "0 1 2 6", "all of a, the rest on the tightest");
	p->give(f.state, (sl_job){ 0 });
	cr_expect_str_eq(started(&f, 1, TWO_NODES), "6 7");
	p->untake(f.state, (sl_job){ 1 });
	p->restore(f.state, (sl_job){ 0 });
	cr_expect_eq(p->held(f.state, (sl_job){ 0 }, &node_alloc), 4);
	cr_expect_eq(node_alloc[3].node, 6);
	cr_expect_str_eq(chosen(&f, 1, TWO_NODES, 0), "3 4");
	/* Given, started again elsewhere, and both undone. */
	p->give(f.state, (sl_job){ 0 });
	cr_expect_str_eq(started(&f, 1, ONE_GPU), "6");
	cr_expect_str_eq(started(&f, 0, FOUR_NODES), "0 1 2 7");
	p->untake(f.state, (sl_job){ 0 });
	p->untake(f.state, (sl_job){ 1 });
	p->restore(f.state, (sl_job){ 0 });
	cr_expect_eq(p->held(f.state, (sl_job){ 0 }, &node_alloc), 4);
	cr_expect_eq(node_alloc[3].node, 6);
	p->give(f.state, (sl_job){ 0 });
	p->forget(f.state);
	cr_expect_eq(p->held(f.state, (sl_job){ 0 }, &node_alloc), 0);
	cr_expect_str_eq(chosen(&f, 0, FOUR_NODES, 0), "0 1 2 6");
	end(&f);
}

/* Shares of GPUs, and groups of different tasks, are not for it, and it says so. */
Test(leaves, refused)
{
	static const struct sl_group share = { .task = { .cpus = 1, .gpus = 500 }, .tasks = 1 };
	struct sl_cluster parts = cluster;
	struct sl_err err = { 0 };
	struct fixture f = { .arena = sl_arena_new() };
	parts.gpu_parts = 1000;
	f.request[0] = (struct sl_request){ .group = &share, .group_count = 1 };
	f.jobs = (struct sl_jobs){ .count = 1, .request = f.of, .requests = f.request, .request_count = 1 };
	const struct sl_setup setup = { .arena = f.arena, .jobs = &f.jobs, .cluster = &parts };
	cr_expect_eq(allocator_contention.init(&f.state, &setup, &err), SL_USAGE);
	cr_expect_not_null(strstr(err.text, "shares of GPUs"));
	allocator_contention.release(f.state);
	err = (struct sl_err){ 0 };
	f.request[0].group_count = 2;
	cr_expect_eq(allocator_pack_leaves.init(&f.state, &setup, &err), SL_USAGE);
	cr_expect_not_null(strstr(err.text, "groups of different tasks"));
	sl_arena_free(f.arena);
}

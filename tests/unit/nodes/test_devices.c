/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_devices.c - each clause of how the engine's nodes track their GPUs, by a small case worked by hand:
 * which device a share, a whole GPU, an amount of GPU memory, a MIG profile gets, and what fits when.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/nodes/nodes.h"

enum { JOBS = 12, V100 = SL_KIND_GPUS, A100, KINDS, HALF = 500, GPU = 1000, GIB = 1024 };

static int64_t lowest(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

/* The most is left. */
static int64_t emptiest(void *state, const struct sl_device_pick *pick)
{
	(void)state;
	return -pick->class->device[pick->device];
}

/* The highest slice. */
static int64_t backwards(void *state, const struct sl_device_pick *pick)
{
	(void)state;
	return -(int64_t)pick->slice;
}

/* Nodes on which fewer shares lie. */
static int64_t apart(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	return -class->task_mix[SL_TASK_MIX_SHARE];
}

static const struct sl_node_scorer first = { .name = "first", .score = lowest };
static const struct sl_node_scorer spread = { .name = "spread", .score = lowest, .score_device = emptiest };
static const struct sl_node_scorer last = { .name = "last", .score = lowest, .score_device = backwards };
static const struct sl_node_scorer crowds = { .name = "crowds", .score = apart };
static const struct sl_node_scorer looks = { .name = "looks", .devices = true, .score = lowest };

/* ---- Nodes ------------------------------------------------------------------------------------ */

#define V(which)                                                 \
	{                                                        \
		.kind = V100, .island = (which), .mem = 40 * GIB \
	}
#define A(memory)                                          \
	{                                                  \
		.kind = A100, .mem = (int64_t)(memory)*GIB \
	}
static const struct sl_device two[] = { V(0), V(0) };
static const struct sl_device islands[] = { V(0), V(0), V(0), V(1), V(1), V(1), V(1), V(2) };
static const struct sl_device memories[] = { A(80), A(40), A(0) };
static const struct sl_device divided[] = { { .kind = A100, .mig = 1 }, { .kind = A100, .mig = 1 } };
static const struct sl_device mixed[] = { { .kind = A100, .mig = 1 }, A(40) };
static const struct sl_device kinds[] = { V(0), A(40), A(40) };

enum { TWO, ISLANDS, MEMORIES, DIVIDED, MIXED, KINDS_TWO, UNLISTED, TYPES };
#define LIST(list) .device = (list), .device_count = SL_LEN(list)
static const struct sl_node_type types[TYPES] = {
	[TWO] = { .name = "two", .amount = { 8, 64, 2 * GPU, 0 }, LIST(two) },
	[ISLANDS] = { .name = "islands", .amount = { 8, 64, 8 * GPU, 0 }, LIST(islands) },
	[MEMORIES] = { .name = "memories", .amount = { 8, 64, 0, 3 * GPU }, LIST(memories) },
	[DIVIDED] = { .name = "divided", .amount = { 8, 64, 0, 2 * GPU }, LIST(divided) },
	[MIXED] = { .name = "mixed", .amount = { 8, 64, 0, 2 * GPU }, LIST(mixed) },
	[KINDS_TWO] = { .name = "kinds", .amount = { 8, 64, GPU, 2 * GPU }, LIST(kinds) },
	[UNLISTED] = { .name = "unlisted", .amount = { 64, 64, 40 * GPU, 0 } },
};

/* Of an A100 with 40 GB (NVIDIA MIG user guide): eighths of the memory, and where they may begin. */
enum { G1 = 1, G2, G3, G4, G7, PROFILES = 5 };
static const struct sl_mig_profile fit[PROFILES] = { { "1g.5gb", 1, 0x7f }, { "2g.10gb", 2, 0x15 },
	{ "3g.20gb", 4, 0x11 }, { "4g.20gb", 4, 0x01 }, { "7g.40gb", 8, 0x01 } };

/* ---- Requests ----------------------------------------------------------------------------------- */

enum {
	SHARE,       /* Half a GPU. */
	LARGE_SHARE, /* 0.7 */
	SMALL_SHARE, /* 0.3 */
	SHARES,      /* Three tasks of 0.4. */
	ONE,
	PAIR,
	TRIPLE,
	SIX,
	PAIRS,  /* Two tasks of two. */
	EITHER, /* One a100 or v100. */
	MEM_20,
	MEM_60,
	MEM_V, /* 20 GiB of a v100. */
	P1,
	P2,
	P3,
	P4,
	P7,
	P1S,     /* Seven tasks. */
	WHOLE,   /* The node. */
	ELASTIC, /* Tasks of 0.4, from one to eight. */
	CPU,
	REQUESTS
};
#define ASKS(count, ...)                                  \
	{                                                 \
		.tasks = (count), .task = { __VA_ARGS__ } \
	}
static const struct sl_group groups[REQUESTS] = {
	[SHARE] = ASKS(1, .gpus = HALF),
	[LARGE_SHARE] = ASKS(1, .gpus = 700),
	[SMALL_SHARE] = ASKS(1, .gpus = 300),
	[SHARES] = ASKS(3, .gpus = 400),
	[ONE] = ASKS(1, .gpus = GPU),
	[PAIR] = ASKS(1, .gpus = 2 * GPU),
	[TRIPLE] = ASKS(1, .gpus = 3 * GPU),
	[SIX] = ASKS(1, .gpus = 6 * GPU),
	[PAIRS] = ASKS(2, .gpus = 2 * GPU),
	[EITHER] = ASKS(1, .gpus = 2 * GPU, .gpu_types = 3),
	[MEM_20] = ASKS(1, .gpus = 250, .gpu_mem = 20 * GIB),
	[MEM_60] = ASKS(1, .gpus = 750, .gpu_mem = 60 * GIB),
	[MEM_V] = ASKS(1, .gpus = HALF, .gpu_mem = 20 * GIB, .gpu_types = 1),
	[P1] = ASKS(1, .gpus = 125, .mig = G1),
	[P2] = ASKS(1, .gpus = 250, .mig = G2),
	[P3] = ASKS(1, .gpus = 500, .mig = G3),
	[P4] = ASKS(1, .gpus = 500, .mig = G4),
	[P7] = ASKS(1, .gpus = 1000, .mig = G7),
	[P1S] = ASKS(7, .gpus = 125, .mig = G1),
	[WHOLE] = { .tasks = 1, .task = { .cpus = 1 }, .exclusive = true },
	[ELASTIC] = { .tasks = 3, .task = { .gpus = 400 }, .tasks_min = 1, .tasks_max = 8 },
	[CPU] = ASKS(1, .cpus = 1),
};

/* ---- A cluster --------------------------------------------------------------------------------------- */

struct world {
	struct sl_cluster cluster;
	uint32_t type[3];
	struct sl_request request[REQUESTS];
	struct nodes *nodes;
};

/* Nodes of these types; at most three. */
static void make(struct world *w, const struct sl_node_scorer *scorer, uint32_t count, const uint32_t *type)
{
	static const struct sl_mig_model model = {
		.name = "a100-40gb", .profile = fit, .profile_count = PROFILES
	};
	static const struct sl_mig_model *const models[] = { &model };
	struct sl_err err = { 0 };
	*w = (struct world){ .cluster = { .node_count = count,
				     .type_count = TYPES,
				     .kind_count = KINDS,
				     .type = types,
				     .gpu_parts = GPU,
				     .mig_model = models,
				     .mig_model_count = 1,
				     .mig_profile_count = PROFILES,
				     .mig_fit = fit } };
	memcpy(w->type, type, count * sizeof(*type));
	w->cluster.node_type = w->type;
	for (uint32_t i = 0; i < REQUESTS; i++)
		w->request[i] = (struct sl_request){ .group = &groups[i], .group_count = 1 };
	cr_assert_eq(nodes_new(&w->nodes, &w->cluster, w->request, REQUESTS, JOBS,
			     &(struct scorer){ .rule = scorer }, &err),
		SL_OK);
	nodes_clock(w->nodes, 0);
}

/* "0:3 1:1": devices 0 and 1 of node 0, device 0 of node 1. */
static void on(struct world *w, uint32_t job, const char *want)
{
	char text[200] = "";
	size_t used = 0;
	const struct sl_node_tasks *alloc;
	const size_t count = nodes_allocs(w->nodes, job, &alloc);
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%x", i ? " " : "",
			alloc[i].node, alloc[i].devices);
	cr_expect_str_eq(text, want, "job %u is on '%s', not '%s'", job, text, want);
	nodes_check(w->nodes);
}

static void starts(struct world *w, uint32_t job, uint32_t request, sl_time end, const char *want)
{
	cr_expect(nodes_fits(w->nodes, request, end), "job %u does not fit", job);
	cr_expect(nodes_start(w->nodes, job, request, end), "job %u does not start", job);
	on(w, job, want);
}

static void waits(struct world *w, uint32_t request)
{
	cr_expect(!nodes_fits(w->nodes, request, 1), "request %u fits", request);
	cr_expect(!nodes_start(w->nodes, JOBS - 1, request, 1), "request %u starts", request);
}

/* ---- Shares ------------------------------------------------------------------------------------------ */

Test(devices, a_share_is_never_split_though_the_sum_is_free)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, LARGE_SHARE, 10, "0:1");
	starts(&w, 1, LARGE_SHARE, 10, "0:2"); /* 0.3 and 0.3 are left. */
	cr_expect_eq(nodes_idle(w.nodes, V100), 600);
	waits(&w, SHARE);
	starts(&w, 2, SMALL_SHARE, 10, "0:1");
	starts(&w, 3, SMALL_SHARE, 10, "0:2");
	nodes_free(w.nodes);
}

Test(devices, two_halves_share_a_device_before_a_second_is_opened)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, SHARE, 10, "0:1");
	starts(&w, 1, SHARE, 10, "0:1");
	starts(&w, 2, SHARE, 10, "0:2");
	nodes_end(w.nodes, 0); /* Half is left on each: the lower. */
	starts(&w, 3, SMALL_SHARE, 10, "0:1");
	starts(&w, 4, SHARE, 10, "0:2");
	nodes_free(w.nodes);
}

Test(devices, a_share_goes_where_least_is_left_that_holds_it)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, SMALL_SHARE, 10, "0:1"); /* 0.7 and 1 */
	starts(&w, 1, LARGE_SHARE, 10, "0:1"); /* 0 and 1 */
	starts(&w, 2, LARGE_SHARE, 10, "0:2"); /* 0 and 0.3 */
	nodes_end(w.nodes, 1);                 /* 0.7 and 0.3 */
	starts(&w, 3, SMALL_SHARE, 10, "0:2");
	nodes_free(w.nodes);
}

Test(devices, a_scorer_may_choose_the_device)
{
	struct world w;
	make(&w, &spread, 1, (uint32_t[]){ TWO });
	starts(&w, 0, SHARE, 10, "0:1");
	starts(&w, 1, SMALL_SHARE, 10, "0:2");
	starts(&w, 2, SHARE, 10, "0:2");
	nodes_free(w.nodes);
}

Test(devices, tasks_of_shares_fill_one_device_after_another)
{
	struct world w;
	make(&w, &first, 2, (uint32_t[]){ TWO, TWO });
	starts(&w, 0, SHARES, 10, "0:3");     /* 0.8 and 0.4 */
	starts(&w, 1, SHARES, 10, "0:2 1:1"); /* One more here, two there. */
	struct nodes_sum held = nodes_held(w.nodes, 1);
	cr_expect_eq(held.gpus, 1200);
	cr_expect_eq(nodes_idle(w.nodes, V100), 4000 - 2400);
	nodes_free(w.nodes);
}

/* ---- Whole GPUs -----------------------------------------------------------------------------------------
 */

Test(devices, a_whole_gpu_refuses_a_device_with_a_share_on_it)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, SMALL_SHARE, 10, "0:1");
	waits(&w, PAIR);
	starts(&w, 1, ONE, 10, "0:2");
	waits(&w, ONE); /* 0.7 is no GPU. */
	nodes_end(w.nodes, 0);
	starts(&w, 2, ONE, 10, "0:1");
	nodes_free(w.nodes);
}

Test(devices, a_share_goes_to_a_free_device_last)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, ONE, 10, "0:1");
	starts(&w, 1, SHARE, 10, "0:2");
	nodes_free(w.nodes);
}

/* Islands of 3, 4 and 1 devices: 0-2, 3-6, 7. */
Test(devices, whole_gpus_take_the_island_that_holds_them_with_the_least_to_spare)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ ISLANDS });
	starts(&w, 0, ONE, 10, "0:80");
	starts(&w, 1, PAIR, 10, "0:3");
	starts(&w, 2, PAIR, 10, "0:18"); /* One is left of the first island: the second, the lowest. */
	starts(&w, 3, ONE, 10, "0:4");
	starts(&w, 4, PAIR, 10, "0:60");
	nodes_free(w.nodes);
}

Test(devices, whole_gpus_that_no_island_holds_take_those_with_most_first)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ ISLANDS });
	starts(&w, 0, SIX, 10, "0:7b"); /* Four of the second, two of the first. */
	starts(&w, 1, PAIR, 10, "0:84");
	nodes_free(w.nodes);
}

Test(devices, a_task_s_gpus_are_of_one_type)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ KINDS_TWO });
	starts(&w, 0, EITHER, 10, "0:6");
	cr_expect_eq(nodes_idle(w.nodes, A100), 0);
	waits(&w, EITHER);
	waits(&w, TRIPLE);
	starts(&w, 1, ONE, 10, "0:1");
	nodes_free(w.nodes);
}

Test(devices, nodes_that_list_none_are_counted_and_keep_no_shares)
{
	struct world w;
	make(&w, &first, 2, (uint32_t[]){ UNLISTED, TWO });
	starts(&w, 0, SIX, 10, "0:0");
	cr_expect_eq(nodes_idle(w.nodes, V100), 36 * GPU);
	starts(&w, 1, SHARE, 10, "1:1");
	starts(&w, 2, LARGE_SHARE, 10, "1:2");
	waits(&w, LARGE_SHARE);
	nodes_free(w.nodes);
}

Test(devices, an_exclusive_job_holds_them_all)
{
	struct world w;
	make(&w, &first, 2, (uint32_t[]){ TWO, DIVIDED });
	starts(&w, 0, SHARE, 10, "0:1");
	starts(&w, 1, WHOLE, 10, "1:3");
	cr_expect_eq(nodes_idle(w.nodes, A100), 0);
	waits(&w, P1);
	waits(&w, WHOLE);
	nodes_end(w.nodes, 1);
	starts(&w, 2, P1, 10, "1:1");
	nodes_free(w.nodes);
}

/* ---- GPU memory -------------------------------------------------------------------------------------------
 */

/* Devices of 80 GiB, 40 GiB, and unknown memory. */
Test(devices, memory_is_a_share_of_each_device_by_its_own)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ MEMORIES });
	starts(&w, 0, MEM_20, 10, "0:1"); /* All are as empty: the lowest. A quarter of it. */
	cr_expect_eq(nodes_held(w.nodes, 0).gpus, 250);
	waits(&w, MEM_V);
	starts(&w, 1, MEM_60, 10, "0:1"); /* 0.75 of 80 GiB, and no place on 40. */
	starts(&w, 2, MEM_20, 10, "0:2"); /* Half of 40 GiB. */
	cr_expect_eq(nodes_held(w.nodes, 2).gpus, 500);
	starts(&w, 3, MEM_20, 10, "0:2");
	waits(&w, MEM_20); /* Nobody knows what the third has. */
	starts(&w, 4, ONE, 10, "0:4");
	nodes_free(w.nodes);
}

/* ---- MIG
 * ------------------------------------------------------------------------------------------------------ */

/* The places that are left say where the others lie. */
Test(devices, three_slices_begin_at_0_and_4_only)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ DIVIDED });
	starts(&w, 0, P1, 10, "0:1"); /* Slice 0 of the first. */
	starts(&w, 1, P3, 10, "0:1"); /* 4-7 */
	starts(&w, 2, P3, 10, "0:2");
	starts(&w, 3, P3, 10, "0:2");
	waits(&w, P3); /* Three slices are free, from 1 on. */
	starts(&w, 4, P1, 10, "0:1");
	cr_expect_eq(nodes_idle(w.nodes, A100), 250);
	nodes_free(w.nodes);
}

Test(devices, two_slices_begin_at_0_2_and_4_only)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ MIXED });
	for (uint32_t i = 0; i < 3; i++)
		starts(&w, i, P2, 10, "0:1");
	waits(&w, P2);                /* 6 and 7 are free. */
	starts(&w, 3, P1, 10, "0:1"); /* 6 */
	waits(&w, P1);                /* None begins at 7. */
	nodes_free(w.nodes);
}

Test(devices, four_slices_begin_at_0_only)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ MIXED });
	starts(&w, 0, P4, 10, "0:1");
	waits(&w, P4);
	starts(&w, 1, P3, 10, "0:1"); /* 4-7 */
	nodes_end(w.nodes, 0);
	starts(&w, 2, P4, 10, "0:1");
	nodes_free(w.nodes);
}

Test(devices, seven_slices_need_an_empty_device)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ DIVIDED });
	starts(&w, 0, P1, 10, "0:1");
	starts(&w, 1, P7, 10, "0:2");
	waits(&w, P7);
	nodes_end(w.nodes, 0);
	starts(&w, 2, P7, 10, "0:1");
	nodes_free(w.nodes);
}

Test(devices, a_device_holds_seven_of_one_slice)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ MIXED });
	starts(&w, 0, P1S, 10, "0:1");
	cr_expect_eq(nodes_idle(w.nodes, A100), 1125); /* The eighth, and the other device. */
	cr_expect_eq(nodes_held(w.nodes, 0).gpus, 875);
	waits(&w, P1);
	nodes_free(w.nodes);
}

Test(devices, a_profile_fills_a_device_that_is_begun)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ DIVIDED });
	starts(&w, 0, P3, 10, "0:1");
	starts(&w, 1, P7, 10, "0:2");
	nodes_end(w.nodes, 1);
	starts(&w, 2, P1, 10, "0:1");
	nodes_free(w.nodes);
}

/* Behind is slice 6 for one slice: three slices from 4 on are in its way, and from 0 on are not. */
Test(devices, a_scorer_may_choose_the_slices)
{
	struct world w;
	make(&w, &last, 1, (uint32_t[]){ MIXED });
	starts(&w, 0, P1, 10, "0:1");
	starts(&w, 1, P4, 10, "0:1");
	waits(&w, P3);
	nodes_free(w.nodes);
}

Test(devices, divided_devices_serve_profiles_and_nobody_else)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ MIXED });
	starts(&w, 0, SHARE, 10, "0:2"); /* The first device is divided. */
	waits(&w, ONE);
	waits(&w, LARGE_SHARE);
	nodes_end(w.nodes, 0);
	starts(&w, 1, ONE, 10, "0:2");
	waits(&w, ONE);
	starts(&w, 2, P7, 10, "0:1");
	cr_expect(!nodes_could_hold(w.nodes, PAIR));
	nodes_free(w.nodes);
}

/* ---- Time
 * -------------------------------------------------------------------------------------------------- */

/* Half a GPU is free of each; the pair fits when the later of both shares ends. */
Test(devices, a_shadow_knows_when_a_device_is_whole_retry)
{
	struct world w;
	make(&w, &spread, 1, (uint32_t[]){ TWO });
	starts(&w, 0, SHARE, 20, "0:1");
	starts(&w, 1, SHARE, 30, "0:2");
	cr_expect_eq(nodes_soonest(w.nodes, ONE, 10), 20);
	cr_expect_eq(nodes_soonest(w.nodes, PAIR, 10), 30);
	cr_expect_eq(nodes_soonest(w.nodes, LARGE_SHARE, 10), 20);
	cr_expect_eq(nodes_soonest(w.nodes, SHARE, 10), 0);
	nodes_free(w.nodes);
}

/* The head wants a whole GPU at 20. A small share that outlives that goes where most is left: to device 1,
 * on which a share runs until 30. On device 0 it would be in the way. */
Test(devices, a_guard_asks_for_the_very_device)
{
	struct world w;
	make(&w, &spread, 1, (uint32_t[]){ TWO });
	starts(&w, 0, LARGE_SHARE, 20, "0:1");
	starts(&w, 1, SHARE, 30, "0:2");
	nodes_backfill_check(w.nodes, ONE, 20, 10, false);
	cr_expect(nodes_backfill_check_allows(w.nodes, SMALL_SHARE, 100));
	starts(&w, 2, SMALL_SHARE, 100, "0:2");
	cr_expect(!nodes_backfill_check_allows(w.nodes, SMALL_SHARE, 100)); /* 0.3 against 0.2 */
	nodes_backfill_check_end(w.nodes);
	nodes_free(w.nodes);
}

Test(devices, a_guard_with_a_node_to_spare_asks_nothing)
{
	struct world w;
	make(&w, &first, 2, (uint32_t[]){ TWO, TWO });
	starts(&w, 0, PAIR, 20, "0:3");
	starts(&w, 1, SHARE, 30, "1:1");
	nodes_backfill_check(w.nodes, PAIR, 20, 10, false);
	cr_expect(nodes_backfill_check_allows(w.nodes, ONE, 100));
	cr_expect(nodes_backfill_check_allows(w.nodes, SHARE, 100));
	nodes_backfill_check(w.nodes, PAIRS, 30, 10, false);
	cr_expect(!nodes_backfill_check_allows(w.nodes, ONE, 100));
	nodes_free(w.nodes);
}

Test(devices, promises_keep_their_device)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, ONE, 10, "0:1");
	starts(&w, 1, SHARE, 20, "0:2");
	cr_expect_eq(nodes_promise_at(w.nodes, LARGE_SHARE, 30), 10);
	cr_expect(nodes_promise(w.nodes, 2, LARGE_SHARE, 10, 30));
	cr_expect_eq(nodes_promise_at(w.nodes, ONE, 5), 20);
	nodes_end(w.nodes, 0);
	nodes_clock(w.nodes, 10);
	cr_expect(nodes_start_promised(w.nodes, 2, LARGE_SHARE, 40));
	on(&w, 2, "0:1");
	nodes_free(w.nodes);
}

/* A promise of the whole device meets what runs longer than expected: afterwards all is as it was. */
Test(devices, a_promise_of_slices_may_meet_what_runs_on)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ MIXED });
	starts(&w, 0, P3, 10, "0:1");
	cr_expect(nodes_promise(w.nodes, 1, P7, 10, 10));
	nodes_move_end(w.nodes, 0, 15);                    /* Slices 0-3 are asked for twice from 10 to 15. */
	cr_expect_eq(nodes_promise_at(w.nodes, P3, 5), 0); /* 4-7 until 10. */
	cr_expect_eq(nodes_promise_at(w.nodes, P3, 11), 20);
	cr_expect_eq(nodes_promise_at(w.nodes, P7, 1), 20);
	nodes_free(w.nodes);
}

/* ---- Coming back
 * ------------------------------------------------------------------------------------------- */

Test(devices, what_was_suspended_goes_on_where_it_was)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, ONE, 10, "0:1");
	starts(&w, 1, SHARE, 10, "0:2");
	nodes_suspend(w.nodes, 1);
	on(&w, 1, "0:0");
	starts(&w, 2, LARGE_SHARE, 10, "0:2");
	cr_expect(!nodes_resume(w.nodes, 1, 10));
	nodes_end(w.nodes, 0);
	cr_expect(!nodes_resume(w.nodes, 1, 10)); /* A free device beside it does not help. */
	nodes_end(w.nodes, 2);
	cr_expect(nodes_resume(w.nodes, 1, 10));
	on(&w, 1, "0:2");
	nodes_free(w.nodes);
}

Test(devices, slices_and_memory_come_back_from_suspension)
{
	struct world w;
	make(&w, &first, 2, (uint32_t[]){ MIXED, MEMORIES });
	starts(&w, 0, P3, 10, "0:1");
	starts(&w, 1, P3, 10, "0:1");
	starts(&w, 2, MEM_60, 10, "1:1");
	nodes_suspend(w.nodes, 1);
	nodes_suspend(w.nodes, 2);
	starts(&w, 3, P2, 10, "0:1"); /* At 4. */
	cr_expect(!nodes_resume(w.nodes, 1, 10));
	nodes_end(w.nodes, 3);
	cr_expect(nodes_resume(w.nodes, 1, 10));
	cr_expect(nodes_resume(w.nodes, 2, 10));
	on(&w, 1, "0:1");
	on(&w, 2, "1:1");
	cr_expect_eq(nodes_held(w.nodes, 1).gpus, 500);
	cr_expect_eq(nodes_held(w.nodes, 2).gpus, 750);
	nodes_free(w.nodes);
}

Test(devices, what_ended_is_restored_to_its_device)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, LARGE_SHARE, 10, "0:1");
	starts(&w, 1, LARGE_SHARE, 10, "0:2");
	const uint64_t digest = nodes_digest(w.nodes);
	nodes_end(w.nodes, 1);
	starts(&w, 2, SHARE, 10, "0:2");
	nodes_start_undo(w.nodes, 2);
	nodes_restore(w.nodes, 1, 10);
	on(&w, 1, "0:2");
	cr_expect_eq(nodes_digest(w.nodes), digest);
	nodes_free(w.nodes);
}

Test(devices, a_job_shrinks_from_the_device_it_took_last)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	starts(&w, 0, ELASTIC, 10, "0:3"); /* 0.8 and 0.4 */
	cr_expect(nodes_resize(w.nodes, 0, 2));
	on(&w, 0, "0:1");
	cr_expect(nodes_resize(w.nodes, 0, 4));
	on(&w, 0, "0:3");
	cr_expect(!nodes_resize(w.nodes, 0, 5)); /* 0.2 and 0.2 are left. */
	cr_expect_eq(nodes_idle(w.nodes, V100), 400);
	nodes_resize_undo(w.nodes, 0);
	nodes_resize_undo(w.nodes, 0);
	on(&w, 0, "0:3");
	cr_expect_eq(nodes_idle(w.nodes, V100), 800);
	nodes_free(w.nodes);
}

/* ---- Given amounts, and where they go
 * ----------------------------------------------------------------------- */

Test(devices, a_start_on_named_nodes_gets_what_its_devices_hold)
{
	struct world w;
	make(&w, &first, 2, (uint32_t[]){ TWO, TWO });
	starts(&w, 0, LARGE_SHARE, 10, "0:1");
	starts(&w, 1, LARGE_SHARE, 10, "0:2");
	cr_expect(
		!nodes_start_on(w.nodes, 2, SHARE, 10, &(struct sl_node_tasks){ .node = 0, .tasks = 1 }, 1));
	cr_expect(nodes_start_on(w.nodes, 2, SHARE, 10, &(struct sl_node_tasks){ .node = 1, .tasks = 1 }, 1));
	on(&w, 2, "1:1");
	nodes_free(w.nodes);
}

Test(devices, given_amounts_are_whole_devices_the_lowest_free)
{
	struct world w;
	make(&w, &first, 1, (uint32_t[]){ TWO });
	const uint32_t one[] = { GPU, 0 };
	const uint32_t both[] = { 2 * GPU, 0 };
	const uint32_t part[] = { HALF, 0 };
	const struct sl_node_alloc node_alloc[] = { { .tasks = 1, .gpus = one }, { .tasks = 1, .gpus = both },
		{ .tasks = 1, .gpus = part } };
	starts(&w, 0, SHARE, 10, "0:1");
	cr_expect(!nodes_start_node_alloc(w.nodes, 1, CPU, 10, &node_alloc[1], 1));
	cr_expect(!nodes_start_node_alloc(w.nodes, 1, CPU, 10, &node_alloc[2], 1));
	nodes_check(w.nodes);
	cr_expect(nodes_start_node_alloc(w.nodes, 1, CPU, 10, &node_alloc[0], 1));
	on(&w, 1, "0:2");
	nodes_end(w.nodes, 1);
	on(&w, 0, "0:1");
	nodes_free(w.nodes);
}

Test(devices, scorers_see_which_sorts_of_tasks_a_node_holds)
{
	struct world w;
	make(&w, &crowds, 2, (uint32_t[]){ TWO, TWO });
	starts(&w, 0, SMALL_SHARE, 10, "0:1");
	starts(&w, 1, SMALL_SHARE, 10, "1:1");
	starts(&w, 2, ONE, 10, "0:2"); /* As many shares on each. */
	starts(&w, 3, SMALL_SHARE, 10, "0:1");
	starts(&w, 4, SMALL_SHARE, 10, "1:1");
	nodes_free(w.nodes);
}

/* ---- Whether they are followed at all
 * ------------------------------------------------------------------------- */

static struct nodes *whole_gpus_only(const struct scorer *scorer)
{
	static const uint32_t type[] = { 0 };
	static const struct sl_node_type only[] = {
		{ .name = "two", .amount = { 8, 64, 2 }, LIST(two) },
	};
	static const struct sl_cluster cluster = { .node_count = 1,
		.type_count = 1,
		.kind_count = SL_KIND_GPUS + 1,
		.node_type = type,
		.type = only };
	static const struct sl_group group = ASKS(1, .gpus = 1);
	static const struct sl_request request = { .group = &group, .group_count = 1 };
	struct nodes *nodes;
	struct sl_err err = { 0 };
	cr_assert_eq(nodes_new(&nodes, &cluster, &request, 1, JOBS, scorer, &err), SL_OK);
	nodes_clock(nodes, 0);
	return nodes;
}

Test(devices, they_are_followed_where_somebody_looks)
{
	static const struct {
		struct scorer scorer;
		uint32_t devices; /* Told. */
	} cases[] = {
		{ { .rule = &first }, 0 },
		{ { .rule = &first, .devices = true }, 1 },
		{ { .rule = &looks }, 1 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct nodes *nodes = whole_gpus_only(&cases[i].scorer);
		const struct sl_node_tasks *alloc;
		cr_expect(nodes_start(nodes, 0, 0, 10));
		cr_assert_eq(nodes_allocs(nodes, 0, &alloc), 1);
		cr_expect_eq(alloc->devices, cases[i].devices, "case %zu", i);
		cr_expect_eq(nodes_serve(nodes, &(struct scorer){ .rule = &looks }), cases[i].devices != 0);
		cr_expect(nodes_serve(nodes, &(struct scorer){ .rule = &first }));
		nodes_free(nodes);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_place.c - node scorers for GPU clusters and the fragmentation gauge, by score, worked by hand.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"
#include "sim/plugin.h"

extern const struct sl_node_scorer place_random, place_dotprod, place_gpu_bestfit, place_gpu_packing,
	place_gpu_clustering, place_fgd, place_consolidate, place_island;
extern const struct sl_gauge gauge_fragmentation;

enum { TYPES = 4, DEVICES = 8, REQUESTS = 8, KINDS = SL_KIND_GPUS + 2, PARTS = 1000 };

/* Amounts in thousandths, but for memory. Types of node: 0 has 3 GPUs of the first type and 16 cpus, 1 has 8
 * of the second and 128 cpus, 2 has none and 64 cpus, 3 has one of each type and 16 cpus. */
static const int64_t gpus_of_type[TYPES][2] = { { 3, 0 }, { 0, 8 }, { 0, 0 }, { 1, 1 } };
static const int64_t cpus_of_type[TYPES] = { 16, 128, 64, 16 };

struct asked {
	int64_t cpus, gpus;
	uint32_t tasks, gpu_types;
	uint32_t jobs;
};

struct place_world {
	int64_t parts;
	struct sl_arena *arena;
	struct sl_cluster cluster;
	struct sl_node_type type[TYPES];
	struct sl_device device[TYPES][DEVICES];
	struct sl_group group[REQUESTS];
	struct sl_request request[REQUESTS];
	uint32_t *request_of;
	struct sl_jobs jobs;
	struct sl_setup setup;
	struct sl_err err;
	int64_t free[KINDS], left[DEVICES], task_mix[SL_TASK_MIXES];
};

static void world_nodes(struct place_world *w)
{
	for (uint32_t i = 0; i < TYPES; i++) {
		struct sl_node_type *type = &w->type[i];
		type->amount[SL_KIND_CPUS] = cpus_of_type[i] * w->parts;
		type->amount[SL_KIND_MEM] = SL_MEM_UNBOUNDED;
		type->device = w->device[i];
		for (uint32_t kind = 0; kind < 2; kind++) {
			type->amount[SL_KIND_GPUS + kind] = gpus_of_type[i][kind] * w->parts;
			for (int64_t k = 0; k < gpus_of_type[i][kind]; k++)
				w->device[i][type->device_count++].kind = (uint8_t)(SL_KIND_GPUS + kind);
		}
	}
	w->cluster = (struct sl_cluster){ .type = w->type,
		.type_count = TYPES,
		.kind_count = KINDS,
		.cpu_parts = w->parts,
		.gpu_parts = w->parts };
}

/* As many jobs of each request; the list ends with one of none. */
static void world_jobs(struct place_world *w, const struct asked *asked)
{
	for (uint32_t i = 0; asked && asked[i].jobs; i++) {
		const uint32_t tasks = asked[i].tasks ? asked[i].tasks : 1;
		w->group[i] = (struct sl_group){ .task = { .cpus = asked[i].cpus,
							 .gpus = asked[i].gpus,
							 .gpu_types = asked[i].gpu_types },
			.tasks = tasks };
		w->request[i] = (struct sl_request){ .group = &w->group[i], .group_count = 1 };
		w->request_of =
			realloc(w->request_of, (w->jobs.count + asked[i].jobs) * sizeof(*w->request_of));
		for (uint32_t job = 0; job < asked[i].jobs; job++)
			w->request_of[w->jobs.count++] = i;
		w->jobs.request_count++;
	}
	w->jobs.request = w->request_of;
	w->jobs.requests = w->request;
}

static void world_begin(struct place_world *w, int64_t parts, const struct asked *asked)
{
	w->parts = parts;
	w->arena = sl_arena_new();
	world_nodes(w);
	world_jobs(w, asked);
	w->setup = (struct sl_setup){
		.arena = w->arena, .jobs = &w->jobs, .cluster = &w->cluster, .cpus = 1, .seed = 1
	};
}

static void world_end(struct place_world *w)
{
	sl_arena_free(w->arena);
	free(w->request_of);
}

#define NODE(its_type, its_cpus, ...)                                          \
	{                                                                      \
		.type = (its_type), .cpus = (its_cpus), .gpu = { __VA_ARGS__ } \
	}
#define A_NODE(...) ((struct node)NODE(__VA_ARGS__))

/* What is free on a node: cpus and, device by device, GPUs; in parts. */
struct node {
	uint32_t type;
	int64_t cpus;
	int64_t gpu[DEVICES];
	int64_t task_mix[SL_TASK_MIXES]; /* Not negative. */
	bool blind;                      /* Devices are not followed. */
};

static struct sl_node_class class_of(struct place_world *w, const struct node *node)
{
	const struct sl_node_type *type = &w->type[node->type];
	memset(w->free, 0, sizeof(w->free));
	w->free[SL_KIND_CPUS] = node->cpus;
	w->free[SL_KIND_MEM] = SL_MEM_UNBOUNDED;
	for (uint32_t i = 0; i < type->device_count; i++) {
		w->left[i] = node->gpu[i];
		w->free[type->device[i].kind] += node->gpu[i];
	}
	for (uint32_t i = 0; i < SL_TASK_MIXES; i++)
		w->task_mix[i] = -node->task_mix[i];
	return (struct sl_node_class){ .cluster = &w->cluster,
		.type = node->type,
		.free = w->free,
		.device = node->blind ? NULL : w->left,
		.task_mix = node->blind ? NULL : w->task_mix };
}

static int64_t gauge(struct place_world *w, struct node node)
{
	void *state = NULL;
	cr_assert_eq(gauge_fragmentation.init(&state, &w->setup, &w->err), SL_OK, "%s", w->err.text);
	const struct sl_node_class class = class_of(w, &node);
	return gauge_fragmentation.of(state, &class);
}

static int64_t score_of_tasks(struct place_world *w, const struct sl_node_scorer *scorer, struct node node,
	struct sl_group group, uint32_t tasks)
{
	void *state = NULL;
	if (scorer->init)
		cr_assert_eq(scorer->init(&state, &w->setup, &w->err), SL_OK, "%s", w->err.text);
	const struct sl_node_class class = class_of(w, &node);
	return scorer->score(state, &class, &group, tasks);
}

static int64_t score(struct place_world *w, const struct sl_node_scorer *scorer, struct node node,
	struct sl_task_resources task)
{
	return score_of_tasks(w, scorer, node, (struct sl_group){ .task = task, .tasks = 1 }, 1);
}

static int64_t device_score(struct place_world *w, const struct sl_node_scorer *scorer, struct node node,
	struct sl_task_resources task, uint32_t device)
{
	void *state = NULL;
	cr_assert_eq(scorer->init(&state, &w->setup, &w->err), SL_OK, "%s", w->err.text);
	const struct sl_node_class class = class_of(w, &node);
	const struct sl_group group = { .task = task, .tasks = 1 };
	return scorer->score_device(
		state, &(struct sl_device_pick){ .class = &class, .group = &group, .device = device });
}

static void expect_score(struct place_world *w, const struct sl_node_scorer *scorer, struct node node,
	struct sl_task_resources task, int64_t want)
{
	const int64_t got = score(w, scorer, node, task);
	cr_expect_eq(got, -want, "%s: cpus %lld, gpus %lld on %lld, %lld...: %lld, not %lld", scorer->name,
		(long long)task.cpus, (long long)task.gpus, (long long)node.gpu[0], (long long)node.gpu[1],
		(long long)-got, (long long)want);
}

/* ---- The gauge ---------------------------------------------------------------------------------------- */

/* Of ten tasks six request 4 cpus and 0.3 GPU, three 8 cpus and a GPU, one 8 cpus and two GPUs. */
static const struct asked three[] = { { 4000, 300, 1, 0, 6 }, { 8000, 1000, 1, 0, 3 },
	{ 8000, 2000, 1, 0, 1 }, { 0 } };

Test(place, fragmentation_by_what_requests_cannot_use)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, three);
	static const struct {
		const char *why;
		int64_t want;
		struct node node;
	} cases[] = {
		{ "0.4 is too little for a GPU, 1.4 holds not two: 3 * 0.4 + 1 * 1.4, of 10", 260000,
			NODE(0, 8000, 1000, 400, 0) },
		{ "one cpu less, and all is lost to those that ask 8: 4 * 1.4", 560000,
			NODE(0, 7999, 1000, 400, 0) },
		{ "nobody has the cpus", 1400000, NODE(0, 3999, 1000, 400, 0) },
		{ "two are free: 0.2 is lost to all ten", 200000, NODE(0, 8000, 1000, 200, 1000) },
		{ "0.3 holds the share, and is lost to the others: 4 * 0.3", 120000,
			NODE(0, 8000, 0, 300, 0) },
		{ "0.299 does not", 299000, NODE(0, 8000, 0, 299, 0) },
		{ "all is free", 0, NODE(0, 16000, 1000, 1000, 1000) },
		{ "nothing is free", 0, NODE(0, 16000, 0) },
		{ "no GPUs", 0, NODE(2, 64000, 0) },
		{ "two of different types are not two of one: 1 * 2 of 10", 200000,
			NODE(3, 16000, 1000, 1000) },
		{ "not followed: two whole ones, usable by all", 0,
			{ .type = 0, .cpus = 8000, .gpu = { 1000, 1000, 0 }, .blind = true } },
		{ "not followed: one, of no use to those that ask two", 100000,
			{ .type = 0, .cpus = 8000, .gpu = { 1000, 0, 0 }, .blind = true } },
		{ "not followed, by cpus: 4 * 1", 400000,
			{ .type = 0, .cpus = 4000, .gpu = { 1000, 0, 0 }, .blind = true } },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		cr_expect_eq(gauge(&w, cases[i].node), cases[i].want, "%s: %lld", cases[i].why,
			(long long)gauge(&w, cases[i].node));
	world_end(&w);
}

/* Half request no GPU: to them all that is free is lost. A quarter accepts the second type alone. */
Test(place, fragmentation_of_those_without_gpus_and_of_other_types)
{
	static const struct asked asked[] = { { 1000, 0, 1, 0, 2 }, { 1000, 1000, 1, 0, 1 },
		{ 1000, 1000, 1, 2, 1 }, { 0 } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	cr_expect_eq(gauge(&w, A_NODE(0, 1000, 1000, 1000, 0)), 1500000, "2/4 + 1/4 of 2");
	cr_expect_eq(gauge(&w, A_NODE(1, 1000, 1000, 1000, 0)), 1000000, "2/4 of 2");
	cr_expect_eq(gauge(&w, A_NODE(3, 1000, 1000, 1000)), 1250000, "2/4 of 2, 1/4 of the first");
	world_end(&w);
}

/* 90, 5, 4, 1 of a hundred: the first two are 95. What they leave out is as if it were not there. */
Test(place, typical_requests_are_the_most_frequent_of_95_in_100)
{
	static const struct asked asked[] = { { 1000, 100, 1, 0, 4 }, { 1000, 1000, 90, 0, 1 },
		{ 1000, 2000, 1, 0, 5 }, { 1000, 0, 1, 0, 1 }, { 0 } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	/* 90 use the whole one, 5 nothing: (90 * 0.5 + 5 * 1.5) / 95 */
	cr_expect_eq(gauge(&w, A_NODE(0, 1000, 1000, 500, 0)), 552632);
	world_end(&w);
}

/* 18 and 1 and 1 of twenty: 90 in a hundred are too few, one of the others makes it 95: that of more cpus. */
Test(place, typical_requests_as_frequent_go_by_size)
{
	static const struct asked asked[] = { { 1000, 500, 1, 0, 1 }, { 1000, 1000, 1, 0, 18 },
		{ 2000, 500, 1, 0, 1 }, { 0 } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	cr_expect_eq(gauge(&w, A_NODE(0, 1000, 1000, 0, 0)), 52632, "1 / 19 has too few cpus");
	cr_expect_eq(gauge(&w, A_NODE(0, 2000, 0, 500, 0)), 473684, "18 / 19 of 0.5");
	world_end(&w);
}

/* The same in wholes; two groups of equal requests are one. */
Test(place, fragmentation_in_whole_gpus)
{
	static const struct asked asked[] = { { 4, 1, 1, 0, 1 }, { 4, 1, 2, 0, 1 }, { 8, 2, 1, 0, 1 },
		{ 0 } };
	struct place_world w = { 0 };
	world_begin(&w, 1, asked);
	cr_expect_eq(gauge(&w, A_NODE(0, 8, 1, 0, 0)), 250000);
	cr_expect_eq(
		gauge(&w, (struct node){ .type = 0, .cpus = 8, .gpu = { 1, 0, 0 }, .blind = true }), 250000);
	cr_expect_eq(gauge(&w, A_NODE(0, 4, 1, 1, 0)), 500000, "2 of 2 GPUs to 1 of 4");
	world_end(&w);
}

Test(place, fragmentation_without_jobs_is_none)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	cr_expect_eq(gauge(&w, A_NODE(0, 8000, 1000, 400, 0)), 0);
	world_end(&w);
}

/* As many jobs of each, but of the trace that they were drawn from nine in ten asked the second. */
Test(place, typical_requests_are_those_of_the_trace_that_jobs_were_drawn_from)
{
	static const struct asked asked[] = { { 0, 500, 1, 0, 1 }, { 0, 1000, 1, 0, 1 }, { 0 } };
	static const uint32_t drawn_from[] = { 1, 9 };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 500, 0, 0)), 250000);
	w.jobs.request_drawn_from = drawn_from;
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 500, 0, 0)), 450000);
	world_end(&w);
}

/* 300 requests as frequent, of 1 to 300 cpus: the 256 of most cpus count. */
Test(place, typical_requests_are_256_at_most)
{
	enum { MANY = 300 };
	struct sl_group group[MANY] = { 0 };
	struct sl_request request[MANY];
	uint32_t of[MANY];
	for (uint32_t i = 0; i < MANY; i++) {
		group[i] = (struct sl_group){ .task = { .cpus = i + 1, .gpus = 1 }, .tasks = 1 };
		request[i] = (struct sl_request){ .group = &group[i], .group_count = 1 };
		of[i] = i;
	}
	struct place_world w = { 0 };
	world_begin(&w, 1, NULL);
	w.jobs = (struct sl_jobs){ .count = MANY, .request = of, .requests = request, .request_count = MANY };
	cr_expect_eq(gauge(&w, A_NODE(0, 300, 1, 0, 0)), 0);
	cr_expect_eq(gauge(&w, A_NODE(0, 299, 1, 0, 0)), 3906, "1 / 256");
	cr_expect_eq(gauge(&w, A_NODE(0, 45, 1, 0, 0)), 996094, "255 / 256");
	cr_expect_eq(gauge(&w, A_NODE(0, 44, 1, 0, 0)), 1000000, "45 is the least that counts");
	world_end(&w);
}

/* 10 000 of 40 000 MiB are 0.25 of a GPU, of 30 000 0.334. Where memory is not known it goes nowhere. */
Test(place, fragmentation_by_memory_of_gpus)
{
	static const struct asked asked[] = { { 0, 250, 1, 0, 1 }, { 0 } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	w.group[0].task.gpu_mem = 10000;
	w.device[0][0].mem = 40000;
	w.device[0][1].mem = 30000;
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 250, 334, 0)), 0);
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 249, 333, 0)), 582000);
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 250, 0, 1000)), 1000000);
	const struct node node = NODE(0, 0, 250, 400, 1000);
	/* 1 is lost, and what is taken is not missed; then 0.066 more is. */
	cr_expect_eq(device_score(&w, &place_fgd, node, w.group[0].task, 0), -50);
	cr_expect_eq(device_score(&w, &place_fgd, node, w.group[0].task, 1), -48);
	cr_expect_eq(device_score(&w, &place_fgd, node, w.group[0].task, 2), 0, "not there");
	world_end(&w);
}

/* One device divided in eighths; the first profile takes 4, from the first or the fifth on, the second 1 from
 * any but the last. Other requests have nothing of it. */
Test(place, fragmentation_of_divided_gpus)
{
	static const struct sl_mig_profile fit[] = { { "4", 4, 0x11 }, { "1", 1, 0x7f } };
	static const struct asked asked[] = { { 0, 500, 1, 0, 3 }, { 0, 1000, 1, 0, 1 }, { 0 } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	w.group[0].task.mig = 1;
	w.device[0][0].mig = 1;
	w.cluster.mig_fit = fit;
	w.cluster.mig_model_count = 1;
	w.cluster.mig_profile_count = 2;
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 0xff, 0, 0)), 250000, "to those that ask a whole one: 1 / 4");
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 0xf0, 0, 0)), 125000, "half of it");
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 0x3c, 0, 0)), 500000, "from the third on is no place");
	cr_expect_eq(gauge(&w, A_NODE(0, 0, 0, 1000, 0)), 750000, "profiles lie on divided ones alone");
	/* An eighth at the seventh place costs nobody of profiles anything: F is 5/8/4, then 4/8/4. At the
	 * first place it makes all that is left useless. */
	const struct sl_task_resources one = { .gpus = 125, .mig = 2 };
	const struct node node = NODE(0, 0, 0x4f, 0, 0);
	expect_score(&w, &place_fgd, node, one, 50);
	const struct sl_node_class class = class_of(&w, &node);
	const struct sl_group group = { .task = one, .tasks = 1 };
	void *state = NULL;
	cr_assert_eq(place_fgd.init(&state, &w.setup, &w.err), SL_OK);
	struct sl_device_pick pick = { .class = &class, .group = &group, .slice = 6 };
	cr_expect_eq(place_fgd.score_device(state, &pick), -50, "x = 0.03125");
	pick.slice = 0;
	cr_expect_eq(place_fgd.score_device(state, &pick), -41, "x = 0.15625 - 0.5");
	world_end(&w);
}

/* ---- Fragmentation gradient descent ------------------------------------------------------------------- */

/* Fragments with `three`, by hand, before and after, and floor(100 / (1 + e^(after - before))). */
Test(place, fgd_scores_the_step_of_what_fragments_become_less)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, three);
	static const struct {
		const char *why;
		int64_t want;
		struct sl_task_resources task;
		struct node node;
	} cases[] = {
		{ "on the second 0.1 is left, lost to nine, and 1.1 to one: x = 0.26 - 0.2", 51,
			{ .cpus = 0, .gpus = 300 }, NODE(0, 8000, 1000, 400, 0) },
		{ "that takes the cpus of all others: x = 0.26 - 1.1", 30, { .cpus = 8000, .gpus = 300 },
			NODE(0, 8000, 1000, 400, 0) },
		{ "two are left for those that ask two", 50, { .cpus = 0, .gpus = 1000 },
			NODE(0, 16000, 1000, 1000, 1000) },
		{ "one of two: x = 0 - 1 / 10", 47, { .cpus = 0, .gpus = 1000 },
			NODE(0, 8000, 1000, 1000, 0) },
		{ "both", 50, { .cpus = 0, .gpus = 2000 }, NODE(0, 8000, 1000, 1000, 0) },
		{ "cpus alone: 3 left for those that ask 4, x = 0.26 - 1.4", 24, { .cpus = 5000 },
			NODE(0, 8000, 1000, 400, 0) },
		{ "cpus that nobody misses", 50, { .cpus = 4000 }, NODE(0, 12000, 1000, 400, 0) },
		{ "no GPUs, nothing to lose", 50, { .cpus = 64000 }, NODE(2, 64000, 0) },
		{ "what was lost is used: x = 0.7", 66, { .cpus = 0, .gpus = 700 },
			NODE(0, 3999, 700, 0, 0) },
		{ "all of it: x = 3", 95, { .cpus = 0, .gpus = 3000 }, NODE(0, 3999, 1000, 1000, 1000) },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const int64_t got = -score(&w, &place_fgd, cases[i].node, cases[i].task);
		cr_expect_eq(got, cases[i].want, "%s: %lld", cases[i].why, (long long)got);
	}
	world_end(&w);
}

/* Whole GPUs where devices are not followed score as where they are. */
Test(place, fgd_without_devices)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, three);
	struct node node = NODE(0, 8000, 1000, 1000, 0);
	node.blind = true;
	expect_score(&w, &place_fgd, node, (struct sl_task_resources){ .gpus = 1000 }, 47);
	expect_score(&w, &place_fgd, node, (struct sl_task_resources){ .gpus = 2000 }, 50);
	expect_score(&w, &place_fgd, node, (struct sl_task_resources){ .cpus = 1000 },
		31); /* 4 of 10 lose 2: x = -0.8 */
	world_end(&w);
}

/* On 0.3 of a GPU: the first device would leave 0.7 and 0.4, the second 1 and 0.1. Of two like it the third
 * is no better than the second, and is not taken: the engine goes by the lowest. */
Test(place, fgd_takes_the_device_of_the_highest_step)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, three);
	const struct node node = NODE(0, 8000, 1000, 400, 0);
	const struct sl_task_resources task = { .gpus = 300 };
	cr_expect_eq(device_score(&w, &place_fgd, node, task, 0), -45, "x = 0.26 - 0.44");
	cr_expect_eq(device_score(&w, &place_fgd, node, task, 1), -51, "x = 0.06");
	const struct node like = NODE(0, 8000, 1000, 400, 400);
	cr_expect_eq(
		device_score(&w, &place_fgd, like, task, 1), device_score(&w, &place_fgd, like, task, 2));
	/* 0.399 and 0.4: 0.001 GPU more or less is less than a step. */
	const struct node similar = NODE(0, 8000, 1000, 400, 399);
	cr_expect_eq(device_score(&w, &place_fgd, similar, task, 1),
		device_score(&w, &place_fgd, similar, task, 2));
	world_end(&w);
}

/* Step 50 begins where nothing changes; 51 at ln(51 / 49) = 0.0400 GPU, 49 at -0.0400. One request of one
 * GPU, so that a device of which anything is taken is lost, and what is taken of a lost one is won. */
Test(place, fgd_steps_begin_at_their_logits)
{
	static const struct asked asked[] = { { 0, 1000, 1, 0, 1 }, { 0 } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, asked);
	const struct node lost = NODE(0, 0, 900, 0, 0);
	expect_score(&w, &place_fgd, lost, (struct sl_task_resources){ .gpus = 40 }, 50);
	expect_score(&w, &place_fgd, lost, (struct sl_task_resources){ .gpus = 41 }, 51);
	expect_score(&w, &place_fgd, A_NODE(0, 0, 1000, 0, 0), (struct sl_task_resources){ .gpus = 960 }, 49);
	expect_score(&w, &place_fgd, A_NODE(0, 0, 1000, 0, 0), (struct sl_task_resources){ .gpus = 959 }, 48);
	world_end(&w);
}

/* Devices that differ in memory are looked at one by one, alike ones in one go: the same to whom memory does
 * not matter. Nodes of all sorts, by chance. */
Test(place, fgd_one_by_one_as_in_one_go)
{
	static const struct asked asked[] = { { 1000, 300, 1, 0, 9 }, { 4000, 470, 1, 0, 5 },
		{ 9000, 1000, 1, 0, 8 }, { 2000, 1000, 1, 1, 2 }, { 16000, 2000, 1, 0, 3 },
		{ 40000, 4000, 1, 0, 1 }, { 3000, 0, 1, 0, 2 }, { 0 } };
	static const struct sl_task_resources tasks[] = { { .cpus = 1000, .gpus = 300 },
		{ .cpus = 4000, .gpus = 470 }, { .cpus = 9000, .gpus = 1000 },
		{ .cpus = 16000, .gpus = 2000 }, { .cpus = 3000 } };
	struct place_world alike = { 0 };
	struct place_world apart = { 0 };
	world_begin(&alike, PARTS, asked);
	world_begin(&apart, PARTS, asked);
	apart.device[1][3].mem = 40960;
	struct sl_rng rng = sl_rng_stream(1, "tests/place");
	for (int i = 0; i < 400; i++) {
		struct node node = NODE(1, (int64_t)sl_rng_below(&rng, 60) * 1000, 0);
		for (uint32_t k = 0; k < DEVICES; k++)
			node.gpu[k] = (int64_t[]){ 0, 1000, 1000,
				(int64_t)sl_rng_below(&rng, 1001) }[sl_rng_below(&rng, 4)];
		for (size_t k = 0; k < SL_LEN(tasks); k++)
			cr_assert_eq(score(&alike, &place_fgd, node, tasks[k]),
				score(&apart, &place_fgd, node, tasks[k]), "node %d, task %zu", i, k);
		for (uint32_t k = 0; k < DEVICES; k++)
			cr_assert_eq(device_score(&alike, &place_fgd, node, tasks[1], k),
				device_score(&apart, &place_fgd, node, tasks[1], k), "node %d, device %u", i,
				k);
	}
	world_end(&alike);
	world_end(&apart);
}

/* ---- By vectors: the most of a node is 128 cpus and 8 GPUs -----------------------------------------------
 */

Test(place, bestfit_scores_what_is_left_over)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	/* (8 - 4) / 128 / 2 + (1.4 - 0.3) / 8 / 2 = 0.084: 91.56 is cut off. */
	expect_score(&w, &place_gpu_bestfit, A_NODE(0, 8000, 1000, 400, 0),
		(struct sl_task_resources){ .cpus = 4000, .gpus = 300 }, 91);
	expect_score(&w, &place_gpu_bestfit,
		A_NODE(1, 128000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000),
		(struct sl_task_resources){ .cpus = 0 }, 0);
	expect_score(&w, &place_gpu_bestfit, A_NODE(0, 8000, 1000, 0, 0),
		(struct sl_task_resources){ .cpus = 8000, .gpus = 1000 }, 100);
	/* Cpus alone, on a node without GPUs: 32 / 128 / 2. */
	expect_score(
		&w, &place_gpu_bestfit, A_NODE(2, 64000, 0), (struct sl_task_resources){ .cpus = 32000 }, 87);
	/* Without bound they do not count: 1 / 8 / 2. */
	expect_score(&w, &place_gpu_bestfit, A_NODE(0, SL_MEM_UNBOUNDED, 1000, 0, 0),
		(struct sl_task_resources){ .cpus = 4000 }, 93);
	world_end(&w);
}

Test(place, bestfit_is_the_same_in_wholes)
{
	struct place_world w = { 0 };
	world_begin(&w, 1, NULL);
	expect_score(&w, &place_gpu_bestfit, A_NODE(0, 8, 1, 1, 0),
		(struct sl_task_resources){ .cpus = 4, .gpus = 1 }, 92);
	world_end(&w);
}

Test(place, dotprod_scores_what_fits_least)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	/* 64 / 128 * 32 / 128 + 4 / 8 * 2 / 8 = 0.25, halved: 87.5. */
	expect_score(&w, &place_dotprod, A_NODE(1, 64000, 1000, 1000, 1000, 1000),
		(struct sl_task_resources){ .cpus = 32000, .gpus = 2000 }, 87);
	expect_score(&w, &place_dotprod, A_NODE(1, 128000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000),
		(struct sl_task_resources){ .cpus = 128000, .gpus = 8000 }, 0);
	/* Without GPUs: 64 / 128 * 64 / 128 / 2. */
	expect_score(
		&w, &place_dotprod, A_NODE(2, 64000, 0), (struct sl_task_resources){ .cpus = 64000 }, 87);
	expect_score(&w, &place_dotprod, A_NODE(0, 0, 1000, 0, 0), (struct sl_task_resources){ 0 }, 100);
	world_end(&w);
}

/* ---- By GPUs in use --------------------------------------------------------------------------------------
 */

Test(place, packing_by_three_tiers)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	const struct sl_task_resources share = { .gpus = 300 };
	/* A shared one: 100 - 40 / 10; of several that with the least free; percents, then tenths are cut
	 * off. */
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 400, 0), share, 96);
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 400, 959), share, 96);
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 959, 0, 0), share, 91);
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 960, 0, 0), share, 91);
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 300, 0), share, 97);
	/* Free ones of a node in use: 50 less as many. */
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 299, 0), share, 49);
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 1000, 0),
		(struct sl_task_resources){ .gpus = 2000 }, 48);
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 999, 0),
		(struct sl_task_resources){ .gpus = 1000 }, 49);
	/* Never less than 33. */
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 0, 0),
		(struct sl_task_resources){ .gpus = 20000 }, 33);
	/* A free node: 33 less its GPUs. */
	expect_score(&w, &place_gpu_packing, A_NODE(0, 0, 1000, 1000, 1000), share, 30);
	expect_score(&w, &place_gpu_packing, A_NODE(1, 0, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000),
		share, 25);
	/* No GPUs asked: all are alike. */
	expect_score(&w, &place_gpu_packing, A_NODE(0, 16000, 1000, 400, 0),
		(struct sl_task_resources){ .cpus = 1 }, 0);
	expect_score(&w, &place_gpu_packing, A_NODE(2, 64000, 0), (struct sl_task_resources){ .cpus = 1 }, 0);
	/* A shared one of another type is of no use. */
	expect_score(&w, &place_gpu_packing, A_NODE(3, 0, 400, 1000),
		(struct sl_task_resources){ .gpus = 300, .gpu_types = 2 }, 49);
	world_end(&w);
}

Test(place, packing_without_devices)
{
	struct place_world w = { 0 };
	world_begin(&w, 1, NULL);
	struct node node = NODE(0, 0, 1, 1, 0);
	node.blind = true;
	expect_score(&w, &place_gpu_packing, node, (struct sl_task_resources){ .gpus = 2 }, 48);
	node.gpu[2] = 1;
	expect_score(&w, &place_gpu_packing, node, (struct sl_task_resources){ .gpus = 2 }, 30);
	world_end(&w);
}

/* 25 (8 - free) / 8, cut off, on top of the tier. */
Test(place, clustering_by_four_tiers)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	const struct sl_task_resources share = { .gpus = 300 };
	struct node node = NODE(0, 0, 1000, 400, 0);
	expect_score(&w, &place_gpu_clustering, node, share, 25 + 20); /* Nobody: 25 * 6.6 / 8 = 20.6. */
	node.task_mix[SL_TASK_MIX_SHARE] = 2;
	expect_score(&w, &place_gpu_clustering, node, share, 75 + 20); /* Shares alone. */
	expect_score(&w, &place_gpu_clustering, node, (struct sl_task_resources){ .gpus = 1000 },
		20); /* Others alone. */
	node.task_mix[SL_TASK_MIX_1] = 1;
	expect_score(&w, &place_gpu_clustering, node, share, 50 + 20); /* Both. */
	expect_score(&w, &place_gpu_clustering, node, (struct sl_task_resources){ .gpus = 1000 }, 50 + 20);
	expect_score(&w, &place_gpu_clustering, node, (struct sl_task_resources){ .gpus = 2000 }, 20);
	expect_score(&w, &place_gpu_clustering, node, (struct sl_task_resources){ .cpus = 1000 }, 0);
	world_end(&w);
}

Test(place, clustering_by_how_many_gpus)
{
	static const struct {
		int64_t gpus;
		enum sl_task_mix sort;
	} sorts[] = { { 999, SL_TASK_MIX_SHARE }, { 1000, SL_TASK_MIX_1 }, { 2000, SL_TASK_MIX_2 },
		{ 4000, SL_TASK_MIX_4 }, { 8000, SL_TASK_MIX_8 }, { 3000, SL_TASK_MIX_OTHER },
		{ 16000, SL_TASK_MIX_OTHER } };
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	for (size_t i = 0; i < SL_LEN(sorts); i++) {
		struct node node = NODE(1, 0, 0);
		node.task_mix[sorts[i].sort] = 1;
		expect_score(&w, &place_gpu_clustering, node,
			(struct sl_task_resources){ .gpus = sorts[i].gpus }, 100);
	}
	struct node blind = NODE(0, 0, 1000, 0, 0);
	blind.blind = true;
	expect_score(&w, &place_gpu_clustering, blind, (struct sl_task_resources){ .gpus = 1000 }, 21);
	blind.gpu[1] = blind.gpu[2] = 1000;
	expect_score(&w, &place_gpu_clustering, blind, (struct sl_task_resources){ .gpus = 1000 }, 25 + 15);
	world_end(&w);
}

/* ---- By chance
 * ----------------------------------------------------------------------------------------------- */

/* All nodes are alike. Over many states of a node each of three devices is taken about as often: 1 000 of 3
 * 000, give or take four deviations of sqrt(3000 * 1/3 * 2/3) = 26. */
Test(place, random_takes_any_device)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	const struct sl_task_resources task = { .gpus = 300 };
	uint32_t taken[3] = { 0 };
	for (int64_t cpus = 0; cpus < 3000; cpus++) {
		const struct node node = NODE(0, cpus, 1000, 1000, 1000);
		uint32_t best = 0;
		for (uint32_t i = 1; i < 3; i++)
			if (device_score(&w, &place_random, node, task, i) <
				device_score(&w, &place_random, node, task, best))
				best = i;
		taken[best]++;
	}
	for (uint32_t i = 0; i < 3; i++)
		cr_expect(taken[i] > 896 && taken[i] < 1104, "device %u: %u of 3000", i, taken[i]);
	const struct node node = NODE(0, 7, 1000, 400, 0);
	expect_score(&w, &place_random, node, task, 0);
	const int64_t before = device_score(&w, &place_random, node, task, 1);
	cr_expect_eq(before, device_score(&w, &place_random, node, task, 1), "it is remembered");
	w.setup.seed = 2;
	cr_expect_neq(before, device_score(&w, &place_random, node, task, 1), "another seed");
	world_end(&w);
}

/* ---- Few nodes, few islands -------------------------------------------------------------------------------
 */

/* The order in which nodes would be taken, by score, then by number. */
static void expect_order(struct place_world *w, const struct sl_node_scorer *scorer, const struct node *node,
	struct sl_group group, const uint32_t *tasks, const char *want)
{
	char order[8] = "";
	for (uint32_t rank = 0; rank < 3; rank++) {
		uint32_t best = UINT32_MAX;
		for (uint32_t i = 0; i < 3; i++) {
			if (strchr(order, (char)('a' + i)))
				continue;
			if (best == UINT32_MAX ||
				score_of_tasks(w, scorer, node[i], group, tasks[i]) <
					score_of_tasks(w, scorer, node[best], group, tasks[best]))
				best = i;
		}
		order[rank] = (char)('a' + best);
	}
	cr_expect_str_eq(order, want);
}

#define ALL_FREE 1, 1, 1, 1, 1, 1, 1, 1

Test(place, consolidate_one_node_or_idle_nodes_and_a_rest)
{
	struct place_world w = { 0 };
	world_begin(&w, 1, NULL);
	const struct sl_group four = { .task = { .gpus = 1 }, .tasks = 4 };
	const struct sl_group twelve = { .task = { .gpus = 1 }, .tasks = 12 };
	const struct node free[] = { NODE(1, 128, ALL_FREE), NODE(1, 128, 1, 1, 1, 1, 1),
		NODE(1, 128, 1, 1, 1) };
	/* Of those that hold it the tightest, then what holds less. */
	expect_order(&w, &place_consolidate, free, four, (uint32_t[]){ 4, 4, 3 }, "bac");
	/* The idle one first, as it takes eight; what is left over goes where most is free. */
	expect_order(&w, &place_consolidate, free, twelve, (uint32_t[]){ 8, 5, 3 }, "abc");
	expect_order(&w, &place_consolidate, free, twelve, (uint32_t[]){ 4, 4, 3 }, "abc");
	/* One task of as many GPUs is all of a job. */
	expect_order(&w, &place_consolidate, free, (struct sl_group){ .task = { .gpus = 3 }, .tasks = 1 },
		(uint32_t[]){ 1, 1, 1 }, "cba");
	/* Four GPUs of an idle node of three are no whole node, those of an idle node of eight are. */
	const struct node idle[] = { NODE(0, 16, 1, 1, 0), NODE(0, 16, 1, 1, 1), NODE(1, 128, ALL_FREE) };
	expect_order(&w, &place_consolidate, idle, (struct sl_group){ .task = { .gpus = 2 }, .tasks = 9 },
		(uint32_t[]){ 1, 1, 4 }, "bca");
	world_end(&w);
}

Test(place, consolidate_by_cpus_where_no_gpu_is_asked)
{
	struct place_world w = { 0 };
	world_begin(&w, 1, NULL);
	const struct node free[] = { NODE(1, 128, ALL_FREE), NODE(2, 40, 0), NODE(2, 64, 0) };
	expect_order(&w, &place_consolidate, free, (struct sl_group){ .task = { .cpus = 8 }, .tasks = 4 },
		(uint32_t[]){ 4, 4, 4 }, "bca");
	expect_order(&w, &place_consolidate, free, (struct sl_group){ .task = { .cpus = 8 }, .tasks = 20 },
		(uint32_t[]){ 16, 5, 8 }, "acb");
	world_end(&w);
}

/* The node of 8 GPUs has islands of 4. */
static void two_islands(struct place_world *w)
{
	for (uint32_t i = 0; i < DEVICES; i++)
		w->device[1][i].island = (uint8_t)(i / 4);
}

Test(place, island_most_tasks_then_fewest_islands_then_tightest)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	two_islands(&w);
	const struct sl_group two = { .task = { .gpus = 2000 }, .tasks = 1 };
	const struct node free[] = { NODE(1, 0, 1000, 0, 0, 0, 1000, 0, 0, 0), NODE(1, 0, 1000, 1000, 1000),
		NODE(1, 0, 0, 0, 0, 0, 1000, 0, 0, 1000) };
	/* One has them on two islands; of the others one leaves a GPU over, one none. */
	expect_order(&w, &place_island, free, two, (uint32_t[]){ 1, 1, 1 }, "cba");
	/* Where more tasks go is first all the same. */
	const struct sl_group ones = { .task = { .gpus = 1000 }, .tasks = 3 };
	expect_order(&w, &place_island, free, ones, (uint32_t[]){ 2, 3, 2 }, "bca");
	/* Of five on islands of 4 and 2 the second leaves one over; on 4 and 1 none. */
	const struct sl_group five = { .task = { .gpus = 5000 }, .tasks = 1 };
	const struct node large[] = { NODE(1, 0, 1000, 1000, 1000, 1000, 1000, 1000),
		NODE(1, 0, 1000, 1000, 1000, 1000, 1000, 0),
		NODE(1, 0, 1000, 1000, 1000, 0, 1000, 1000, 1000) };
	expect_order(&w, &place_island, large, five, (uint32_t[]){ 1, 1, 1 }, "bac");
	world_end(&w);
}

/* Shared ones that are tight, then those that are not, then what breaks the smallest island. */
Test(place, island_shares)
{
	struct place_world w = { 0 };
	world_begin(&w, PARTS, NULL);
	two_islands(&w);
	const struct sl_group share = { .task = { .gpus = 300 }, .tasks = 1 };
	const struct node free[] = { NODE(1, 0, 1000, 1000, 0, 0, 0, 900),
		NODE(1, 0, 1000, 400, 0, 0, 0, 200), NODE(1, 0, 1000, 1000, 1000, 0, 0, 1000) };
	expect_order(&w, &place_island, free, share, (uint32_t[]){ 1, 1, 1 }, "bac");
	const struct node whole[] = { NODE(1, 0, 1000, 1000, 1000, 0, 1000, 1000),
		NODE(1, 0, 1000, 1000, 1000, 1000), NODE(1, 0, 1000, 200, 0, 0, 1000, 1000) };
	expect_order(&w, &place_island, whole, share, (uint32_t[]){ 1, 1, 1 }, "cab");
	/* Cpus alone go where the fewest GPUs are free. */
	const struct sl_group cpus = { .task = { .cpus = 1 }, .tasks = 1 };
	expect_order(&w, &place_island, whole, cpus, (uint32_t[]){ 1, 1, 1 }, "cba");
	world_end(&w);
}

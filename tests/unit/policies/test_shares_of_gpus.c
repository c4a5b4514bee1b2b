/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_shares_of_gpus.c - policies where cpus and GPUs are counted in thousandths: what is allocated in
 * wholes, what is charged, and which policies refuse them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/node_world.h"

#define ASKS(number, c, m, g)                                                                               \
	{                                                                                                   \
		.task = { .cpus = (c), .mem = (m), .gpus = (g) }, .tasks = (number), .tasks_min = (number), \
		.tasks_max = (number)                                                                       \
	}
#define NEEDS(at, length, who, ...)                                                                  \
	{                                                                                            \
		.submit = (at), .run = (length), .limit = (length), .user = (who), .group_count = 1, \
		.group = {                                                                           \
			__VA_ARGS__                                                                  \
		}                                                                                    \
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

static void refused(struct node_world *w, const char *policy, int status, const char *why)
{
	cr_expect_eq(node_world_run(w, policy, true), status, "%s", policy);
	cr_expect(strstr(w->err.text, why), "%s: %s", policy, w->err.text);
	node_world_release(w);
}

/*
 * Two GPUs. User 2 runs on half a one, and borrows a whole one; at 10 user 1 requests one and a half. Where
 * these are its quota it gets them, in place of what was borrowed.
 */
static const struct node_world claimed = { .parts = 1000,
	.gpu_parts = 1000,
	.nodes = 1,
	.kinds = 3,
	.amount = { { 8000, SL_MEM_UNBOUNDED, 2000 } },
	.count = 3,
	.job = { NEEDS(0, 100, 2, ASKS(1, 1000, 0, 500)), NEEDS(0, 100, 2, ASKS(1, 1000, 0, 1000)),
		NEEDS(10, 20, 1, ASKS(3, 500, 0, 500)) } };

Test(shares_of_gpus, quotas_are_given_in_wholes)
{
	struct node_world w = claimed;
	starts(&w, "quota:quotas=\"1=1.5,2=0.5\"", (int64_t[]){ 0, 0, 10 });
	w = claimed;
	starts(&w, "quota:quotas=\"1=1.499,2=0.5\"", (int64_t[]){ 0, 0, 100 });
	/* Equal parts are of a GPU each. */
	w = claimed;
	starts(&w, "quota", (int64_t[]){ 0, 0, 100 });
}

Test(shares_of_gpus, quotas_have_bounds)
{
	struct node_world w = claimed;
	refused(&w, "quota:quotas=\"1=1.5,2=1\"", SL_USAGE, "they are 2.5 GPUs in sum, the cluster has 2:");
	w = claimed;
	refused(&w, "quota:quotas=\"1=1.0005\"", SL_USAGE, "whole thousandths of GPUs");
	w = claimed;
	w.parts = w.gpu_parts = 0;
	refused(&w, "quota:quotas=\"1=1.5\"", SL_USAGE, "whole numbers of GPUs");
}

/* The least share goes first, not the first. */
Test(shares_of_gpus, sizes_have_thousandths)
{
	struct node_world w = { .parts = 1000,
		.gpu_parts = 1000,
		.nodes = 1,
		.kinds = 3,
		.amount = { { 1000, SL_MEM_UNBOUNDED, 1000 } },
		.count = 3,
		.job = { NEEDS(0, 10, 1, ASKS(1, 1000, 0, 0)), NEEDS(1, 10, 1, ASKS(1, 1000, 0, 750)),
			NEEDS(2, 10, 1, ASKS(1, 1000, 0, 250)) } };
	starts(&w, "easy:order=smallest", (int64_t[]){ 0, 20, 10 });
}

/* One job runs at a time. User 1 pays a quarter of what user 2 does: after one job of each, two of user 1 go
 * before the second of user 2. */
Test(shares_of_gpus, cost_what_they_are)
{
	struct node_world w = { .parts = 1000,
		.gpu_parts = 1000,
		.nodes = 1,
		.kinds = 3,
		.amount = { { 1000, SL_MEM_UNBOUNDED, 1000 } },
		.count = 5,
		.job = { NEEDS(0, 10, 1, ASKS(1, 1000, 0, 250)), NEEDS(0, 10, 2, ASKS(1, 1000, 0, 1000)),
			NEEDS(0, 10, 2, ASKS(1, 1000, 0, 1000)), NEEDS(0, 10, 1, ASKS(1, 1000, 0, 250)),
			NEEDS(0, 10, 1, ASKS(1, 1000, 0, 250)) } };
	starts(&w, "easy:order=stride,cost=size", (int64_t[]){ 0, 10, 40, 20, 30 });
}

/* At 10 user 2 has used 2.5 cpu-seconds, and user 1 had used 5 before. */
Test(shares_of_gpus, usage_is_of_whole_cpus)
{
	struct node_world w = { .parts = 1000,
		.gpu_parts = 1000,
		.nodes = 1,
		.kinds = 2,
		.amount = { { 1000, 8 } },
		.count = 3,
		.job = { NEEDS(0, 10, 2, ASKS(1, 250, 8, 0)), NEEDS(1, 10, 1, ASKS(1, 250, 8, 0)),
			NEEDS(2, 10, 2, ASKS(1, 250, 8, 0)) } };
	starts(&w, "easy:order=fairshare,half_life=0,initial=\"1=5\"", (int64_t[]){ 0, 20, 10 });
	starts(&w, "easy:order=fairshare,half_life=0,initial=\"1=2\"", (int64_t[]){ 0, 10, 20 });
}

Test(shares_of_gpus, gangs_have_bounds)
{
	struct node_world w = { .parts = 1000,
		.gpu_parts = 1000,
		.nodes = 2,
		.kinds = 3,
		.amount = { { 4000, SL_MEM_UNBOUNDED, 1000 }, { 4000, SL_MEM_UNBOUNDED, 1000 } },
		.count = 2,
		.job = { { .run = 5,
				 .limit = 5,
				 .gang = 1,
				 .group_count = 1,
				 .group = { ASKS(2, 1000, 0, 750) } },
			{ .run = 5,
				.limit = 5,
				.gang = 1,
				.group_count = 1,
				.group = { ASKS(2, 1000, 0, 500) } } } };
	refused(&w, "gang", SL_INPUT, "asks for 2.5 GPUs, the cluster has 2:");
}

/* Slurm's node selection allocates whole cpus and GPUs: each reason why this request is refused is reported.
 */
Test(shares_of_gpus, are_refused_by_slurm)
{
	const struct node_world whole = { .nodes = 1,
		.kinds = 3,
		.amount = { { 4, SL_MEM_UNBOUNDED, 2 } },
		.count = 1,
		.job = { NEEDS(0, 10, 1, ASKS(1, 1, 0, 1)) } };
	struct node_world w = whole;
	w.parts = 1000;
	refused(&w, "easy:place=slurm", SL_USAGE, "place=slurm: some node has");
	w = whole;
	w.job[0].group[0].task.gpu_mem = 5000;
	refused(&w, "easy:place=slurm", SL_USAGE, "memory of a GPU");
	w = whole;
	w.job[0].group[0].task.mig = 1;
	refused(&w, "easy:place=slurm", SL_USAGE, "MIG profile");
}

Test(shares_of_gpus, are_refused_by_slurm_on_any_device)
{
	static const struct sl_device divided = { .kind = SL_KIND_GPUS, .mig = 1 };
	const struct sl_node_type type = { .name = "a", .device = &divided, .device_count = 1 };
	const struct sl_group group = { .task = { .cpus = 1, .gpus = 500 }, .tasks = 1 };
	const struct sl_request request = { .group = &group, .group_count = 1 };
	struct sl_jobs jobs = { .count = 0 };
	struct sl_cluster cluster = { .node_count = 1, .type = &type, .type_count = 1 };
	const struct sl_setup setup = { .jobs = &jobs, .cluster = &cluster, .arena = sl_arena_new() };
	struct sl_err err = { 0 };
	void *state;
	cr_expect_eq(builtin_registry()->known.allocators[0]->init(&state, &setup, &err), SL_USAGE);
	cr_expect(strstr(err.text, "divided by MIG"), "%s", err.text);

	cluster.type_count = 0;
	cluster.gpu_parts = 1000;
	err = (struct sl_err){ 0 };
	cr_expect_eq(builtin_registry()->known.allocators[0]->init(&state, &setup, &err), SL_USAGE);
	cr_expect(strstr(err.text, "counted in thousandths"), "%s", err.text);

	jobs.requests = &request;
	jobs.request_count = 1;
	err = (struct sl_err){ 0 };
	cr_expect_eq(builtin_registry()->known.allocators[0]->init(&state, &setup, &err), SL_USAGE);
	cr_expect(strstr(err.text, "a share of a GPU"), "%s", err.text);
	sl_arena_free(setup.arena);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_lanes.c - queues=partition on partitions that share no nodes: one run of all is what as many runs of
 * one each are. SL_EFFORT=full runs more worlds.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/node_world.h"

enum { PARTS = 3, PART_JOBS = NW_JOBS / PARTS, PART_NODES = 3 };

static uint64_t worlds(uint64_t plain) { return effort_of(plain / 10 + 1, plain, plain * 5); }

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

/* Nodes that are alike, and jobs of which each could run alone on them. */
static void random_part(struct sl_rng *rng, int64_t nodes_max, struct node_world *w)
{
	memset(w, 0, sizeof(*w));
	w->nodes = (uint32_t)(1 + below(rng, nodes_max));
	w->kinds = 3;
	const int64_t cpus = 1 + below(rng, 4);
	const int64_t gpus = below(rng, 4);
	for (uint32_t node = 0; node < w->nodes; node++) {
		w->amount[node][SL_KIND_CPUS] = cpus;
		w->amount[node][SL_KIND_MEM] = 100;
		w->amount[node][SL_KIND_GPUS] = gpus;
	}
	w->count = (uint32_t)(1 + below(rng, PART_JOBS));
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct nw_job *job = &w->job[i];
		submit += below(rng, 8);
		job->submit = submit;
		job->run = 1 + below(rng, 20);
		job->limit = job->run + (below(rng, 2) ? below(rng, 12) : 0);
		job->group_count = 1;
		job->group[0] = (struct sl_group){ .tasks = (uint32_t)(1 + below(rng, w->nodes)),
			.task = { .cpus = 1 + below(rng, cpus), .mem = 1, .gpus = below(rng, gpus + 1) } };
		job->group[0].tasks_min = job->group[0].tasks_max = job->group[0].tasks;
	}
}

/* All parts as one cluster, with a partition and a set of nodes each. from[i]: where job i of the whole is.
 */
static void join(const struct node_world *part, uint32_t parts, struct node_world *all, uint32_t (*from)[2])
{
	uint32_t next[PARTS] = { 0 };
	memset(all, 0, sizeof(*all));
	all->kinds = 3;
	for (uint32_t p = 0; p < parts; p++) {
		all->set_nodes[p + 1] = ((1U << part[p].nodes) - 1) << all->nodes;
		memcpy(all->amount[all->nodes], part[p].amount, part[p].nodes * sizeof(part[p].amount[0]));
		all->nodes += part[p].nodes;
	}
	for (;;) {
		uint32_t first = PARTS;
		for (uint32_t p = 0; p < parts; p++)
			if (next[p] < part[p].count &&
				(first == PARTS ||
					part[p].job[next[p]].submit < part[first].job[next[first]].submit))
				first = p;
		if (first == PARTS)
			return;
		struct nw_job *job = &all->job[all->count];
		*job = part[first].job[next[first]];
		job->partition = (int32_t)first + 1;
		job->group[0].node_set = first + 1;
		from[all->count][0] = first;
		from[all->count][1] = next[first]++;
		all->count++;
	}
}

static void expect_same(const struct node_world *all, uint32_t job, const struct node_world *part,
	uint32_t theirs, const char *policy, uint64_t seed)
{
	cr_assert_eq(node_world_start(all, job), node_world_start(part, theirs),
		"seed %llu, %s: job %u at %lld in one run, at %lld alone", (unsigned long long)seed, policy,
		job + 1, (long long)node_world_start(all, job), (long long)node_world_start(part, theirs));
	cr_assert_eq(node_world_end(all, job), node_world_end(part, theirs),
		"seed %llu, %s: job %u ends at %lld in one run, at %lld alone", (unsigned long long)seed,
		policy, job + 1, (long long)node_world_end(all, job),
		(long long)node_world_end(part, theirs));
}

/* A candidate that may use what is spare may be let through later without any event of its partition: after a
 * start behind it the placing has another place for it. It is then found in the next pass, of which one run
 * of all has more. On one node there is no other place. */
static const struct plan {
	const char *text;
	int64_t nodes_max;
} plans[] = { { "fcfs:", PART_NODES }, { "fcfs:order=sjf,", PART_NODES },
	{ "fcfs:order=sjf,estimate=exact,", PART_NODES }, { "greedy:", PART_NODES },
	{ "easy:spare=none,", PART_NODES }, { "easy:spare=none,fill=shortest,", PART_NODES }, { "easy:", 1 },
	{ "easy:fill=shortest,", 1 }, { "easy:order=saf,spare=named,", 1 }, { "easy:shadow=frozen,", 1 },
	{ "easy:plan=commit,", 1 }, { "easy:plan=commit,order=sjf,fill=shortest,", 1 },
	{ "depth-k:depth=2,", 1 }, { "depth-k:depth=2,fill=shortest,", 1 } };

static void compare(uint64_t seed, const struct plan *plan)
{
	static struct node_world part[PARTS], all;
	uint32_t from[NW_JOBS][2];
	struct sl_rng rng = sl_rng_stream(seed, "tests/lanes");
	const uint32_t parts = (uint32_t)(2 + below(&rng, PARTS - 1));
	char policy[100];
	for (uint32_t p = 0; p < parts; p++)
		random_part(&rng, plan->nodes_max, &part[p]);
	join(part, parts, &all, from);
	all.overrun = seed % 3 ? SL_OVERRUN_RAISE : SL_OVERRUN_KILL;
	(void)snprintf(policy, sizeof(policy), "%squeues=partition", plan->text);
	cr_assert_eq(node_world_run(&all, policy, seed % 20 == 0), SL_OK, "%s: %s", policy, all.err.text);
	(void)snprintf(policy, sizeof(policy), "%squeues=one", plan->text);
	for (uint32_t p = 0; p < parts; p++) {
		part[p].overrun = all.overrun;
		cr_assert_eq(
			node_world_run(&part[p], policy, false), SL_OK, "%s: %s", policy, part[p].err.text);
	}
	for (uint32_t i = 0; i < all.count; i++)
		expect_same(&all, i, &part[from[i][0]], from[i][1], plan->text, seed);
	for (uint32_t p = 0; p < parts; p++)
		node_world_release(&part[p]);
	node_world_release(&all);
}

Test(lanes_apart, one_run_of_all_is_a_run_of_each, .timeout = 600)
{
	for (uint64_t seed = 1; seed <= worlds(400); seed++)
		for (size_t i = 0; i < SL_LEN(plans); i++)
			compare(seed, &plans[i]);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_elastic.c - jobs that shrink, grow, and start smaller (plan elastic), by hand; and their bounds. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/node_world.h"

/* So many nodes of one cpu. */
static struct node_world pool(uint32_t cpus)
{
	struct node_world w = { .nodes = cpus, .kinds = 2 };
	for (uint32_t i = 0; i < cpus; i++) {
		w.amount[i][SL_KIND_CPUS] = 1;
		w.amount[i][SL_KIND_MEM] = SL_MEM_UNBOUNDED;
	}
	return w;
}

static void add(
	struct node_world *w, int64_t submit, int64_t run, uint32_t tasks, uint32_t least, uint32_t most)
{
	struct nw_job *job = &w->job[w->count++];
	*job = (struct nw_job){ .submit = submit, .run = run, .limit = run, .group_count = 1 };
	job->group[0] = (struct sl_group){
		.task = { .cpus = 1 }, .tasks = tasks, .tasks_min = least, .tasks_max = most
	};
}

static void expect(struct node_world *w, const char *policy, const int64_t (*when)[2])
{
	cr_assert_eq(node_world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (uint32_t i = 0; i < w->count; i++) {
		cr_expect_eq(node_world_start(w, i), when[i][0], "%s: job %u starts at %lld, not %lld",
			policy, i + 1, (long long)node_world_start(w, i), (long long)when[i][0]);
		cr_expect_eq(node_world_end(w, i), when[i][1], "%s: job %u ends at %lld, not %lld", policy,
			i + 1, (long long)node_world_end(w, i), (long long)when[i][1]);
	}
	node_world_release(w);
}

/* Alone it has all 8 in place of 4, and works twice as fast. */
Test(elastic, who_is_alone_grows)
{
	struct node_world w = pool(8);
	add(&w, 0, 100, 4, 2, 8);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 50 } });
	expect(&w, "composed:plan=elastic,grow=false", (const int64_t[][2]){ { 0, 100 } });
	expect(&w, "easy", (const int64_t[][2]){ { 0, 100 } });
}

/* From 10 to 40 job 1 has 2 of its 4: 10 s and 15 s of its work are done then, 75 are left. */
Test(elastic, who_can_do_with_less_makes_capacity)
{
	struct node_world w = pool(4);
	add(&w, 0, 100, 4, 2, 4);
	add(&w, 10, 30, 2, 2, 2);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 115 }, { 10, 40 } });
}

/* Job 2 wants 3, and job 1 can give 2: it gives nothing. */
Test(elastic, nobody_shrinks_in_vain)
{
	struct node_world w = pool(4);
	add(&w, 0, 100, 4, 2, 4);
	add(&w, 10, 30, 3, 3, 3);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 100 }, { 100, 130 } });
}

/* Job 3 wants 1: job 2, who started last, gives its 1; job 1 keeps 4. Then job 2 has 2 again. */
Test(elastic, the_latest_started_gives_first_and_no_more_than_is_needed)
{
	struct node_world w = pool(6);
	add(&w, 0, 100, 4, 1, 4);
	add(&w, 0, 100, 2, 1, 2);
	add(&w, 10, 20, 1, 1, 1);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 100 }, { 0, 110 }, { 10, 30 } });
}

/* 2 of 8 are left: half as many as it requests, half as fast. */
Test(elastic, it_starts_smaller)
{
	struct node_world w = pool(8);
	add(&w, 0, 100, 6, 6, 6);
	add(&w, 0, 40, 4, 2, 4);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 100 }, { 0, 80 } });
}

/* Each gets 4 of 8, twice what it requests. */
Test(elastic, idle_cpus_are_shared_equally)
{
	struct node_world w = pool(8);
	add(&w, 0, 100, 2, 1, 8);
	add(&w, 0, 100, 2, 1, 8);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 50 }, { 0, 50 } });
}

/* Whoever waits goes before whoever would grow; who fits beside the head is not kept. */
Test(elastic, candidates_overtake_as_under_easy)
{
	struct node_world w = pool(4);
	add(&w, 0, 100, 3, 3, 3);
	add(&w, 0, 50, 4, 4, 4);
	add(&w, 0, 100, 1, 1, 1);
	expect(&w, "composed:plan=elastic", (const int64_t[][2]){ { 0, 100 }, { 100, 150 }, { 0, 100 } });
}

Test(elastic, growing_means_nothing_elsewhere)
{
	struct node_world w = pool(4);
	add(&w, 0, 10, 1, 1, 1);
	cr_expect_eq(node_world_run(&w, "composed:plan=easy,grow=false", true), SL_USAGE);
	node_world_release(&w);
}

static void any_world(struct node_world *w, uint64_t seed, enum sl_overrun overrun)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/elastic");
	const uint32_t cpus = 1 + (uint32_t)sl_rng_below(&rng, NW_NODES);
	*w = pool(cpus);
	w->overrun = overrun;
	const uint32_t count = 1 + (uint32_t)sl_rng_below(&rng, NW_JOBS);
	int64_t submit = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t tasks = 1 + (uint32_t)sl_rng_below(&rng, cpus);
		const uint32_t least = 1 + (uint32_t)sl_rng_below(&rng, tasks);
		submit += (int64_t)sl_rng_below(&rng, 30);
		add(w, submit, 1 + (int64_t)sl_rng_below(&rng, 60), tasks, least,
			tasks + (uint32_t)sl_rng_below(&rng, 4));
		if (overrun != SL_OVERRUN_RAISE)
			w->job[i].limit = 1 + (int64_t)sl_rng_below(&rng, 60);
	}
}

/* Any scenario: all end, none works faster than its largest size or slower than its least lets it. */
Test(elastic, sizes_stay_within_bounds)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct node_world w;
		any_world(&w, seed, SL_OVERRUN_RAISE);
		cr_assert_eq(node_world_run(&w, "composed:plan=elastic", true), SL_OK, "seed %llu: %s",
			(unsigned long long)seed, w.err.text);
		for (uint32_t i = 0; i < w.count; i++) {
			const struct sl_group *g = &w.job[i].group[0];
			const sl_time length = w.sim.result.end[i] - w.sim.result.start[i];
			const sl_time run = w.job[i].run * SL_SECOND;
			cr_expect(w.sim.result.state[i] == SL_COMPLETED, "seed %llu: job %u",
				(unsigned long long)seed, i + 1);
			cr_expect(length * g->tasks_max >= run * g->tasks &&
					  (length - 64) * g->tasks_min <= run * g->tasks,
				"seed %llu: job %u takes %lld us", (unsigned long long)seed, i + 1,
				(long long)length);
		}
		node_world_release(&w);
	}
}

/* Jobs that run on beyond their limits, or are cut there, while their size changes: the plan knows who is
 * overdue however their work is rounded. */
Test(elastic, overdue_jobs_change_size)
{
	static const enum sl_overrun overruns[] = { SL_OVERRUN_EXTEND, SL_OVERRUN_KILL };
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct node_world w;
		any_world(&w, seed, overruns[seed % 2]);
		cr_assert_eq(node_world_run(&w, "composed:plan=elastic", seed % 4 < 2), SL_OK,
			"seed %llu: %s", (unsigned long long)seed, w.err.text);
		for (uint32_t i = 0; i < w.count; i++)
			cr_expect(w.sim.result.end[i] != SL_NONE, "seed %llu: job %u never ends",
				(unsigned long long)seed, i + 1);
		node_world_release(&w);
	}
}

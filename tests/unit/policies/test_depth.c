/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_depth.c - the plans depth and slack, by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

static void expect_starts(struct world *w, const char *policy, const int64_t *start)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (uint32_t i = 0; i < w->count; i++)
		cr_expect_eq(world_start(w, i), start[i], "%s: job %u at %lld, not %lld", policy, i + 1,
			(long long)world_start(w, i), (long long)start[i]);
	world_release(w);
}
#define EXPECT_STARTS(world, policy, ...) expect_starts(world, policy, (const int64_t[]){ __VA_ARGS__ })

/*
 * Job 2 can have its 3 cpus at 100, job 3 its 4 behind it, at 150. Job 4 (1 cpu, 200 s) fits beside jobs 1
 * and 2, and delays job 3: only if that one has a promise does it wait.
 */
Test(depth, so_many_have_promises)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 3), JOB(1, 50, 50, 3), JOB(2, 50, 50, 4), JOB(3, 200, 200, 1) } };
	EXPECT_STARTS(&w, "easy", 0, 100, 203, 3);
	EXPECT_STARTS(&w, "depth-k:depth=1", 0, 100, 203, 3);
	EXPECT_STARTS(&w, "depth-k:depth=2", 0, 100, 150, 200);
	EXPECT_STARTS(&w, "depth-k", 0, 100, 150, 200);
	EXPECT_STARTS(&w, "conservative", 0, 100, 150, 200);
}

/* The second in the queue starts though the first cannot, and does not count among those with a promise: job
 * 3 starts at 2; of jobs 2 and 4 the second is promised 150, and job 5 would delay it. */
Test(depth, who_can_start_counts_for_none)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 100, 100, 2), JOB(1, 50, 50, 3), JOB(2, 10, 10, 1), JOB(2, 50, 50, 4),
			JOB(3, 200, 200, 1) } };
	EXPECT_STARTS(&w, "depth-k:depth=2", 0, 100, 2, 150, 200);
	EXPECT_STARTS(&w, "depth-k:depth=1", 0, 100, 2, 203, 3);
}

/*
 * Promises are made anew in each pass, in queue order. Job 1 ends at 50 in place of 100. Job 2 (promised 100
 * before) starts; job 3, which had 150 beside job 4, now has 100; and job 4 moves from 100 to behind it,
 * though it had been promised 100: conservative would not move it.
 */
Test(depth, promises_are_made_anew)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 50, 100, 4), JOB(1, 50, 50, 3), JOB(2, 50, 50, 4), JOB(3, 50, 50, 1) } };
	EXPECT_STARTS(&w, "depth-k:depth=9", 0, 50, 100, 50);
}

/* Candidates in an order of their own: of jobs 3 and 4, which both fit beside the promise of job 2, but not
 * beside each other, the shorter one goes. */
Test(depth, candidates_may_have_an_order_of_their_own)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 3), JOB(1, 50, 50, 4), JOB(2, 90, 90, 1), JOB(2, 80, 80, 1) } };
	EXPECT_STARTS(&w, "depth-k:depth=1", 0, 100, 2, 150);
	EXPECT_STARTS(&w, "depth-k:depth=1,fill=shortest", 0, 100, 150, 2);
}

/* Job 2 (100 s) was promised 100. Job 3 fits now, and would have it wait until 152. */
Test(slack, a_promise_may_slip_so_far)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 2), JOB(1, 100, 100, 4), JOB(2, 150, 150, 2) } };
	EXPECT_STARTS(&w, "conservative", 0, 100, 200);
	EXPECT_STARTS(&w, "slack", 0, 152, 2);
	EXPECT_STARTS(&w, "slack:slack=0.52", 0, 152, 2);
	EXPECT_STARTS(&w, "slack:slack=0.51", 0, 100, 200);
	EXPECT_STARTS(&w, "slack:slack=0,slack_time=52", 0, 152, 2);
	EXPECT_STARTS(&w, "slack:slack=0,slack_time=51", 0, 100, 200);
	EXPECT_STARTS(&w, "slack:slack=0.5,slack_time=2", 0, 152, 2);
	EXPECT_STARTS(&w, "slack:slack=0", 0, 100, 200);
}

/* The slack is spent once: job 3 takes 42 of the 60, job 4 would take 21 more. */
Test(slack, is_counted_from_the_first_promise)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 2), JOB(1, 100, 100, 4), JOB(2, 140, 140, 1),
			JOB(3, 160, 160, 1) } };
	EXPECT_STARTS(&w, "slack:slack=0,slack_time=60", 0, 142, 2, 242);
	w.job[3].run = w.job[3].limit = 157;
	EXPECT_STARTS(&w, "slack:slack=0,slack_time=60", 0, 160, 2, 3);
}

/* Jobs 2 and 3 are promised 100. Job 4 would take from job 3 (10 s) what it needs until 153; that is beyond
 * its slack, though not beyond job 2's. With 60 s it is within. */
Test(slack, everyone_has_his_own)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 3), JOB(1, 100, 100, 2), JOB(2, 10, 10, 2), JOB(3, 150, 150, 1) } };
	EXPECT_STARTS(&w, "slack", 0, 100, 100, 110);
	w.job[2].run = w.job[2].limit = 60;
	EXPECT_STARTS(&w, "slack", 0, 100, 153, 3);
}

/* All promises are placed anew, in their order: jobs 2 and 3, promised 100 and 200, move on to 152 and 252.
 */
Test(slack, who_stands_behind_moves_too)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 2), JOB(1, 100, 100, 4), JOB(1, 60, 60, 4), JOB(2, 150, 150, 2) } };
	EXPECT_STARTS(&w, "slack", 0, 152, 252, 2);
	w.job[2].run = w.job[2].limit = 51; /* 252 is beyond 200 + 51. */
	EXPECT_STARTS(&w, "slack", 0, 100, 200, 251);
}

/* With one try a pass, the first candidate, which must not, is all that is looked at. */
Test(slack, tries_are_bounded)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 2), JOB(1, 100, 100, 4), JOB(2, 250, 250, 2),
			JOB(2, 150, 150, 2) } };
	EXPECT_STARTS(&w, "slack:tries=1", 0, 100, 200, 200);
	EXPECT_STARTS(&w, "slack:tries=2", 0, 152, 152 + 100, 2);
}

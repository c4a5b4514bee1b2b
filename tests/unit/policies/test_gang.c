/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_gang.c - gangs that start together, and rows that take turns, by hand. */
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

/* Only one of jobs 2 and 3 fits beside job 1: both wait for 100. What ends by then may go before (job 4),
 * what would take the place of either may not (job 5). */
Test(gang, starts_all_or_none)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 100, 100, 2), JOB(1, 50, 50, 2, .gang = 1), JOB(1, 60, 60, 2, .gang = 1),
			JOB(2, 50, 50, 2), JOB(3, 150, 150, 1) } };
	EXPECT_STARTS(&w, "gang", 0, 100, 100, 2, 150);
	EXPECT_STARTS(&w, "easy", 0, 1, 51, 100, 111);
}

/* Until job 3 comes, job 1 waits for it, and holds up nobody. */
Test(gang, waits_until_it_is_whole)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 50, 50, 2, .gang = 1), JOB(1, 5, 5, 4), JOB(10, 50, 50, 2, .gang = 1) } };
	cr_assert_eq(world_run(&w, "gang", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 0), 10);
	cr_expect_eq(world_start(&w, 1), 1);
	cr_expect_eq(world_start(&w, 2), 10);
	cr_assert_eq(w.sim.result.reason_count, 2);
	cr_expect_eq(w.sim.result.reasons[0].reason, SL_REASON_DEPENDENCY);
	cr_expect_eq(w.sim.result.reasons[0].at, 0);
	cr_expect_eq(w.sim.result.reasons[1].reason, SL_REASON_PRIORITY);
	cr_expect_eq(w.sim.result.reasons[1].at, 10 * SL_SECOND);
	world_release(&w);
}

/* Behind the head (job 2, promised 100) the gang of jobs 3 and 4 ends by then; that of 5 and 6 does not,
 * though job 5 alone would. */
Test(gang, overtakes_as_a_whole)
{
	struct world w = { .cpus = 4,
		.count = 6,
		.job = { JOB(0, 100, 100, 1), JOB(1, 50, 50, 4), JOB(2, 40, 40, 1, .gang = 1),
			JOB(2, 40, 40, 1, .gang = 1), JOB(3, 10, 10, 1, .gang = 2),
			JOB(3, 150, 150, 1, .gang = 2) } };
	EXPECT_STARTS(&w, "gang", 0, 100, 2, 2, 150, 150);
}

/* Jobs of 3 and 2 cpus fit together at 200 only, when job 1 has ended too: not at 100, where either would. */
Test(gang, is_promised_the_time_when_all_fit)
{
	struct world w = { .cpus = 5,
		.count = 6,
		.job = { JOB(0, 200, 200, 1), JOB(0, 100, 100, 2), JOB(0, 20, 20, 2),
			JOB(1, 50, 50, 3, .gang = 3), JOB(1, 50, 50, 2, .gang = 3), JOB(2, 150, 150, 2) } };
	EXPECT_STARTS(&w, "gang", 0, 0, 0, 200, 200, 20);
	w.job[5].run = w.job[5].limit = 181;
	EXPECT_STARTS(&w, "gang", 0, 0, 0, 200, 200, 250);
}

/* A member that its user cancels is waited for no more. */
Test(gang, goes_on_without_who_was_cancelled)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 2), JOB(1, 50, 50, 2, .gang = 1),
			JOB(1, 60, 60, 2, .gang = 1, .cancel = 30), JOB(2, 20, 20, 2) } };
	EXPECT_STARTS(&w, "gang", 0, 30, -1, 2);
}

Test(gang, larger_than_the_cluster_is_refused)
{
	struct world w = {
		.cpus = 4, .count = 2, .job = { JOB(0, 1, 1, 3, .gang = 1), JOB(0, 1, 1, 2, .gang = 1) }
	};
	cr_expect_eq(world_run(&w, "gang", false), SL_INPUT);
	cr_expect(strstr(w.err.text, "asks for 5 cpus, the cluster has 4"), "%s", w.err.text);
	world_release(&w);
}

/* ---- Slices ---------------------------------------------------------------------------------- */

static void expect_ends(struct world *w, const char *policy, const int64_t *end)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (uint32_t i = 0; i < w->count; i++)
		cr_expect_eq(world_end(w, i), end[i], "%s: job %u ended at %lld, not %lld", policy, i + 1,
			(long long)world_end(w, i), (long long)end[i]);
	world_release(w);
}
#define EXPECT_ENDS(world, policy, ...) expect_ends(world, policy, (const int64_t[]){ __VA_ARGS__ })

/* 4 cpus each: job 1 has 0..10 and 20..30, job 2 10..20 and 30..40. */
Test(slices, rows_take_turns)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 20, 20, 4), JOB(0, 20, 20, 4) } };
	EXPECT_STARTS(&w, "slices:quantum=10", 0, 10);
	EXPECT_ENDS(&w, "slices:quantum=10", 30, 40);
	EXPECT_ENDS(&w, "slices", 20, 40); /* In 200 s either is done. */
}

/* First fit: job 3 goes into the row of job 1, job 4 into that of job 2. Without alternates each row has
 * every other quantum: 30 s take until 50 and 60. With them job 3 runs on beside jobs 2 and 4. */
Test(slices, what_a_row_leaves_over_goes_to_others)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 30, 30, 3), JOB(0, 30, 30, 2), JOB(0, 30, 30, 1), JOB(0, 30, 30, 1) } };
	EXPECT_ENDS(&w, "slices:quantum=10,alternate=no", 50, 60, 50, 60);
	EXPECT_ENDS(&w, "slices:quantum=10", 50, 60, 30, 50);
}

/* A job alone is never stopped, nor are two that fit together, and nobody is woken for them. */
Test(slices, nobody_is_stopped_needlessly)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 1000, 1000, 3), JOB(7, 1000, 1000, 1) } };
	cr_assert_eq(world_run(&w, "slices:quantum=10", true), SL_OK);
	cr_expect_eq(world_end(&w, 0), 1000);
	cr_expect_eq(world_end(&w, 1), 1007);
	cr_expect_null(w.sim.result.suspended);
	cr_expect_leq(w.sim.result.passes, 8);
	world_release(&w);
}

/*
 * Row 0: jobs 1 and 2, row 1: job 3. In 10..20 job 3 runs, and job 1 beside it, job 2 does not; in 20..22 the
 * row of job 2 does, and job 3 does not. From 22 on all that is left fits, and runs to its end.
 */
Test(slices, what_fits_together_runs_together)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 100, 100, 2), JOB(0, 12, 12, 2), JOB(0, 100, 100, 2) }
	};
	cr_assert_eq(world_run(&w, "slices:quantum=10", true), SL_OK);
	cr_expect_eq(world_end(&w, 0), 100);
	cr_expect_eq(world_end(&w, 1), 22);
	cr_expect_eq(world_start(&w, 2), 10);
	cr_expect_eq(world_end(&w, 2), 112);
	cr_assert_not_null(w.sim.result.suspended);
	cr_expect_eq(w.sim.result.suspended[0], 0);
	cr_expect_eq(w.sim.result.suspended[1], 10 * SL_SECOND);
	cr_expect_eq(w.sim.result.suspended[2], 2 * SL_SECOND);
	world_release(&w);
}

/* Two rows at most: job 3 waits for one of them, and job 4, which would fit beside job 2, behind it. */
Test(slices, rows_are_bounded)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 20, 20, 4), JOB(0, 20, 20, 3), JOB(1, 20, 20, 4), JOB(2, 5, 5, 1) } };
	/* 1: 0-10, 20-30; 2: 10-20, 30-40; 3 and 4 come in at 30; 4 fits beside 2 and goes with it; 3 at 40.
	 */
	EXPECT_STARTS(&w, "slices:quantum=10,rows=2", 0, 10, 40, 30);
	EXPECT_STARTS(&w, "slices:quantum=10,rows=1", 0, 20, 40, 60);
}

/* A row that comes while another runs alone gets its turn when the other's quantum is over, or at once if it
 * was over before. */
Test(slices, a_new_row_waits_for_the_end_of_a_quantum)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 50, 50, 4), JOB(3, 5, 5, 4) } };
	EXPECT_STARTS(&w, "slices:quantum=10", 0, 10);
	w.job[1].submit = 33;
	EXPECT_STARTS(&w, "slices:quantum=10", 0, 33);
	/* Though the row that is alone was looked at, at 25. */
	w.job[0].size = 3;
	w.job[2] = w.job[1];
	w.job[1] = (struct world_job)JOB(0, 25, 25, 1);
	w.count = 3;
	EXPECT_STARTS(&w, "slices:quantum=10", 0, 0, 33);
}

/*
 * Standing still is not charged. User 1's job runs 0..10 and 20..30, user 2's 10..20 and 30..40. At 20 both
 * have used 40, and the earlier of jobs 3 and 4 gets the third row, and at 25 the other the rest of its turn.
 * At 30, with two rows, user 1 has used 80, and job 4 gets its row. At 21 user 1 holds all and user 2
 * nothing: by drf job 4 goes first, too.
 */
Test(slices, who_stands_still_uses_nothing)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 20, 20, 4, .user = 1), JOB(0, 20, 20, 4, .user = 2),
			JOB(20, 5, 5, 4, .user = 1), JOB(20, 5, 5, 4, .user = 2) } };
	EXPECT_STARTS(&w, "slices:quantum=10,rows=3,order=fairshare,half_life=0", 0, 10, 20, 25);
	EXPECT_STARTS(&w, "slices:quantum=10,rows=2,order=fairshare,half_life=0", 0, 10, 45, 40);
	w.job[2].submit = w.job[3].submit = 21;
	EXPECT_STARTS(&w, "slices:quantum=10,rows=3,order=drf", 0, 10, 45, 40);
}

/* On nodes a row is where jobs fit on their nodes: two nodes of 2 cpus and 2 MiB. Jobs 1 and 2 have a node
 * each, in row 0; job 3 (a node) needs row 1, where it has the other MiB of a node, and job 4 goes beside it.
 */
Test(slices, on_nodes_a_job_stays_where_it_is)
{
	struct world w = { .cpus = 4,
		.as_nodes = true,
		.node_cpus = 2,
		.node_mem = 2,
		.count = 4,
		.job = { JOB(0, 20, 20, 1, .cpus = 2), JOB(0, 20, 20, 1, .cpus = 2),
			JOB(0, 20, 20, 1, .cpus = 2), JOB(0, 20, 20, 1, .cpus = 2) } };
	EXPECT_STARTS(&w, "slices:quantum=10", 0, 0, 10, 10);
	EXPECT_ENDS(&w, "slices:quantum=10", 30, 30, 40, 40);
	/* Memory of who stands still is not free: with 2 MiB each, nobody else's turn can come. */
	for (uint32_t i = 0; i < 4; i++)
		w.job[i].mem = 2;
	EXPECT_STARTS(&w, "slices:quantum=10", 0, 0, 20, 20);
	EXPECT_ENDS(&w, "slices:quantum=10", 20, 20, 40, 40);
}

/* Job 1 goes into a row, and cannot run until the window closes at 60; nothing else happens then. */
Test(slices, a_window_that_closes_lets_its_row_run)
{
	struct sl_window window = { .name = "w", .from = 20 * SL_SECOND, .until = 60 * SL_SECOND, .cpus = 4 };
	struct world w = { .cpus = 4,
		.cluster = { .cpus = 4, .kind_count = 1, .window = &window, .window_count = 1 },
		.count = 2,
		.job = { JOB(0, 30, 30, 4), JOB(1, 10, 10, 4) } };
	EXPECT_STARTS(&w, "slices:quantum=10,rows=1", 60, 90);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_srtf.c - shortest remaining time first, and what it costs to go on from a checkpoint, by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

static const struct sl_attempt *attempt_of(const struct world *w, uint32_t job, size_t number)
{
	static const struct sl_attempt none;
	const struct sl_attempt *attempt;
	const bool had = number < sl_attempts_of(&w->sim.result, job, &attempt);
	cr_expect(had, "job %u has no attempt %zu", job + 1, number);
	return had ? &attempt[number] : &none;
}

static size_t attempts_of(const struct world *w, uint32_t job)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(&w->sim.result, job, &attempt);
	return count ? count : 1;
}

static void run(struct world *w, const char *policy)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
}

static void expect_ends(struct world *w, const char *policy, const int64_t *end)
{
	run(w, policy);
	for (uint32_t i = 0; i < w->count; i++)
		cr_expect_eq(world_end(w, i), end[i], "%s: job %u ends at %lld, not %lld", policy, i + 1,
			(long long)world_end(w, i), (long long)end[i]);
	world_release(w);
}
#define EXPECT_ENDS(world, policy, ...) expect_ends(world, policy, (const int64_t[]){ __VA_ARGS__ })

/* At 10 job 1 has 90 s left, job 2 has 20: it goes first, and job 1 does its 90 s behind it. */
Test(srtf, who_has_less_left_takes_over)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 100, 100, 4), JOB(10, 20, 20, 2) } };
	EXPECT_ENDS(&w, "srtf", 120, 30);
	w.as_nodes = true;
	EXPECT_ENDS(&w, "srtf", 120, 30);
	EXPECT_ENDS(&w, "sjf", 100, 120);
}

/* Strictly less: job 2 wants as long as job 1 still does. */
Test(srtf, as_much_left_is_not_less)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 100, 100, 4), JOB(10, 90, 90, 4) } };
	EXPECT_ENDS(&w, "srtf", 100, 190);
	w.job[1].run = w.job[1].limit = 89;
	EXPECT_ENDS(&w, "srtf", 189, 99);
}

/* Most left first, and nobody for nothing: of jobs 1 (1 cpu) and 2 (3 cpus) job 4 needs job 2's alone. Job 3
 * has least left, and stays. */
Test(srtf, as_few_as_will_do_make_capacity)
{
	struct world w = { .cpus = 5,
		.count = 4,
		.job = { JOB(0, 100, 100, 1), JOB(0, 80, 80, 3), JOB(0, 60, 60, 1), JOB(10, 10, 10, 3) } };
	EXPECT_ENDS(&w, "srtf", 100, 90, 60, 20);
	w.as_nodes = true;
	EXPECT_ENDS(&w, "srtf", 100, 90, 60, 20);
	w.job[3].size = 1;
	EXPECT_ENDS(&w, "srtf", 110, 80, 60, 20);
}

/* At 4 job 3 could have job 1's cpus, not job 2's, who has less left: so nobody is stopped before 8. */
Test(srtf, nobody_is_stopped_unless_the_job_then_fits)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 100, 100, 2), JOB(0, 8, 8, 2), JOB(4, 5, 5, 4) }
	};
	run(&w, "srtf");
	cr_expect_eq(world_start(&w, 2), 8);
	cr_expect_eq(attempts_of(&w, 0), 2);
	cr_expect_eq(attempt_of(&w, 0, 0)->end, 8 * SL_SECOND);
	cr_expect_eq(world_end(&w, 0), 105);
	world_release(&w);
}

/*
 * Job 2 waits for job 1, who has less left. Job 3 fits beside it from 2 on, until job 4 takes over at 3, and
 * from 8 to 10, when job 2 takes over: it has done 3 of its 60 s then. With fill=none it waits behind job 2.
 */
Test(srtf, who_fits_fills_up_behind_the_first)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 10, 10, 3), JOB(1, 50, 50, 4), JOB(2, 60, 60, 1), JOB(3, 5, 5, 1) } };
	EXPECT_ENDS(&w, "srtf", 10, 60, 117, 8);
	EXPECT_ENDS(&w, "srtf:fill=none", 10, 60, 120, 8);
}

/* By the limit job 1 has 190 s left at 10, by its run time 90. */
Test(srtf, what_is_left_is_by_the_estimate)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 100, 200, 4), JOB(10, 95, 95, 4) } };
	EXPECT_ENDS(&w, "srtf", 195, 105);
	EXPECT_ENDS(&w, "srtf:estimate=exact", 100, 195);
}

/* sjf is by the estimate too: job 3 has the shorter limit, job 2 the shorter run time. */
Test(srtf, sjf_by_exact_run_times)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 10, 10, 4), JOB(1, 20, 200, 4), JOB(1, 30, 100, 4) }
	};
	EXPECT_ENDS(&w, "sjf", 10, 60, 40);
	EXPECT_ENDS(&w, "sjf:estimate=exact", 10, 30, 60);
}

/* Job 2 is of another partition, and takes nothing from job 1's queue. */
Test(srtf, a_queue_takes_from_its_own)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 4, .partition = 1), JOB(10, 10, 10, 2, .partition = 2),
			JOB(20, 10, 10, 2, .partition = 1) } };
	EXPECT_ENDS(&w, "srtf", 120, 20, 30);
	EXPECT_ENDS(&w, "srtf:queues=partition", 110, 30, 30);
}

/* ---- The cost of going on --------------------------------------------------------------------------- */

static const struct restart_step five[] = { { 1, 5 * SL_SECOND } };
static const struct restart_step by_size[] = { { 2, 7 * SL_SECOND }, { 4, 30 * SL_SECOND } };

/*
 * Job 1 is stopped at 10 and goes on at 30: it loads for 5 s. At 32 it has 3 s of that left and 90 s to work,
 * job 3 has 10: it is stopped again, has loaded for 2 s, and has to load anew from 42 to 47. It ends at 137,
 * beyond its limit of 100 s, which does not count that.
 */
Test(restart, a_checkpoint_is_loaded_before_work_goes_on)
{
	struct world w = { .cpus = 4,
		.overrun = SL_OVERRUN_KILL,
		.count = 3,
		.job = { JOB(0, 100, 100, 4), JOB(10, 20, 20, 4), JOB(32, 10, 10, 4) },
		.restart = five,
		.restart_count = 1 };
	run(&w, "srtf");
	cr_expect_eq(world_end(&w, 0), 137, "%lld", (long long)world_end(&w, 0));
	cr_expect_eq(w.sim.result.state[0], SL_COMPLETED);
	cr_assert_eq(attempts_of(&w, 0), 3);
	static const sl_time overhead[] = { 0, 2 * SL_SECOND, 5 * SL_SECOND };
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(attempt_of(&w, 0, i)->overhead, overhead[i], "attempt %zu: %lld", i,
			(long long)attempt_of(&w, 0, i)->overhead);
		cr_expect_eq(attempt_of(&w, 0, i)->lost, 0);
	}
	cr_expect_eq(sl_run_time_of(&w.sim.result, 0), 107 * SL_SECOND);
	world_release(&w);
}

/* What it has to load counts among what is left: at 12 job 2 has 50 s and 5 to load, job 3 wants 54. */
Test(restart, what_is_left_counts_the_load)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 60, 60, 4), JOB(10, 2, 2, 4), JOB(10, 54, 54, 4) }
	};
	EXPECT_ENDS(&w, "srtf", 62, 12, 116);
	w.restart = five;
	w.restart_count = 1;
	EXPECT_ENDS(&w, "srtf", 121, 12, 66);
}

/* By size: a job of 1 goes on for nothing, of 3 for 7 s, of 4 for 30 s. */
Test(restart, the_cost_is_by_size)
{
	static const int64_t end[] = { 110, 117, 140 };
	static const int32_t size[] = { 1, 3, 4 };
	for (size_t i = 0; i < SL_LEN(size); i++) {
		struct world w = { .cpus = size[i],
			.count = 2,
			.job = { JOB(0, 100, 100, size[i]), JOB(10, 10, 10, 1) },
			.restart = by_size,
			.restart_count = 2 };
		EXPECT_ENDS(&w, "srtf", end[i], 20);
	}
}

static int hasty_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	*state = sl_alloc(setup->arena, 1, sizeof(bool));
	return *state ? sl_use(setup, SL_USE_PREEMPT, err) : SL_SYSTEM;
}

/* At 0 job 1 is stopped as soon as it has started, and goes on at 10. */
static void hasty_pass(void *state, struct sl_pass *pass)
{
	bool *stopped = state;
	const sl_job first = { 0 };
	if (!*stopped) {
		(void)sl_start(pass, first);
		*stopped = sl_preempt(pass, first, SL_PREEMPT_CHECKPOINT);
	} else if (sl_now(pass) == 10 * SL_SECOND) {
		(void)sl_start(pass, first);
		(void)sl_start(pass, (sl_job){ 1 });
	}
}

/* A job that was stopped before it did any work has nothing to load. */
Test(restart, of_work_alone)
{
	static const struct sl_policy hasty = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, "hasty",
		.init = hasty_init, .pass = hasty_pass };
	struct world w = { .cpus = 4,
		.count = 2,
		.job = { JOB(0, 100, 100, 2), JOB(10, 10, 10, 2) },
		.restart = five,
		.restart_count = 1 };
	cr_assert_eq(world_run_policy(&w, &hasty, false), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_end(&w, 0), 110, "%lld", (long long)world_end(&w, 0));
	world_release(&w);
}

/* Who starts anew, his work being lost, has nothing to load; a borrower that kept it has. */
Test(restart, of_checkpoints_alone)
{
	struct world w = { .cpus = 10,
		.count = 2,
		.job = { JOB(0, 50, 50, 8, .user = 2), JOB(10, 30, 30, 6, .user = 1) },
		.restart = five,
		.restart_count = 1 };
	EXPECT_ENDS(&w, "quota:quotas=\"1=6,2=4\"", 90, 40);
	EXPECT_ENDS(&w, "quota:quotas=\"1=6,2=4\",preempt=checkpoint", 85, 40);
}

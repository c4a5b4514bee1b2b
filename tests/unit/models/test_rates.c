/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_rates.c - jobs at other than full speed, and jobs that fail: each clause by hand, under --check.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/model_script.h"
#include "tests/world/world.h"

#define S(seconds)  ((sl_time)((seconds)*SL_SECOND))
#define RATE(share) ((int64_t)((share) * (double)SL_SPEED_ONE))

static void run(struct world *w, struct script *script, const char *policy)
{
	w->model = script_on(script);
	w->model_count = 1;
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s", w->err.text);
}

static void expect_end(const struct world *w, uint32_t job, sl_time end, enum sl_state state)
{
	const struct sl_result *result = &w->sim.result;
	cr_expect_eq(result->end[job], end, "job %u ended at %lld us, not %lld", job + 1,
		(long long)result->end[job], (long long)end);
	cr_expect_eq(result->state[job], state, "job %u is %s", job + 1,
		sl_state_name((enum sl_state)result->state[job]));
}

/* 1000 s of work: 200 s at 1, 300 s at 1/2, 100 s at 1/4, then 4/5: 200 + 150 + 25, and 625 s at 0.8 take
 * 781.25 s. 0.8 is no multiple of 2^-32: rounded down, the end is a microsecond later. */
Test(rates, changes_settle_and_the_end_moves)
{
	static const struct script_step steps[] = { { S(200), SCRIPT_RATE, 0, RATE(0.5) },
		{ S(500), SCRIPT_RATE, 0, RATE(0.25) }, { S(600), SCRIPT_RATE, 0, RATE(0.8) } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 1000, 2000, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(1381.25) + 1, SL_COMPLETED);
	cr_expect_str_eq(script.reported, "1s@0 1e@1381.250001");
	cr_expect_eq(w.sim.result.speed_mean[0],
		(uint64_t)(((unsigned __int128)S(1000) << 32) / (uint64_t)(S(1381.25) + 1)));
	world_release(&w);
}

Test(rates, zero_holds_and_more_than_one_hastens)
{
	static const struct script_step steps[] = { { S(4), SCRIPT_RATE, 0, 0 },
		{ S(10), SCRIPT_RATE, 0, RATE(2) } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 10, 10, 4), JOB(1, 5, 5, 4) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(13), SL_COMPLETED);
	expect_end(&w, 1, S(18), SL_COMPLETED); /* Its predecessor's old end at 10 was none. */
	world_release(&w);
}

/* A third: 10 s of work take 30 s and the microsecond that 2^-32 is short of. */
Test(rates, ends_are_rounded_up)
{
	struct script script = { .rate_set = true, .rate_first = SL_SPEED_ONE / 3 };
	struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, 10, 40, 1) } };
	run(&w, &script, "fcfs");
	expect_end(&w, 0, S(30) + 1, SL_COMPLETED);
	world_release(&w);
}

/* Slowed to a half, 10 s of work do not fit into a limit of 15 s; of 20 s they just do. */
Test(rates, limits_are_of_time_not_of_work)
{
	struct script script = { .rate_set = true, .rate_first = SL_SPEED_ONE / 2 };
	struct world w = { .cpus = 2,
		.count = 2,
		.overrun = SL_OVERRUN_KILL,
		.job = { JOB(0, 10, 15, 1), JOB(0, 10, 20, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(15), SL_TIMEOUT);
	expect_end(&w, 1, S(20), SL_COMPLETED);
	world_release(&w);
}

/* Held for a while and let go: its end was at 10, is at its limit while it is held, and is at 20 at last. */
Test(rates, an_event_is_replaced_by_one_of_the_other_class)
{
	static const struct script_step steps[] = { { S(2), SCRIPT_RATE, 0, 0 },
		{ S(12), SCRIPT_RATE, 0, RATE(1) } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 2, .count = 1, .overrun = SL_OVERRUN_KILL, .job = { JOB(0, 10, 20, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(20), SL_COMPLETED);
	world_release(&w);
}

/* Its plan goes by its limit, 10: while job 1 runs over, job 3 must end by the next second to overtake job 2.
 */
Test(rates, slowed_jobs_are_overdue)
{
	struct script script = { .rate_set = true, .rate_first = SL_SPEED_ONE / 2 };
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 10, 10, 2), JOB(1, 5, 5, 4), JOB(11, 2, 2, 2) }
	};
	run(&w, &script, "easy");
	cr_expect_eq(world_start(&w, 1), 20);
	cr_expect_eq(world_start(&w, 2), 30);
	world_release(&w);
}

/* What nobody slowed is not touched: job 2's event is as it was. The same rate again is no change. */
Test(rates, others_are_left_alone)
{
	static const struct script_step steps[] = { { S(1), SCRIPT_RATE, 0, RATE(0.5) },
		{ S(2), SCRIPT_RATE, 0, RATE(0.5) }, { S(3), SCRIPT_RATE, 1, RATE(1) } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 2, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(0, 10, 10, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(19), SL_COMPLETED);
	expect_end(&w, 1, S(10), SL_COMPLETED);
	cr_expect_eq(w.sim.result.passes, 3, "%llu passes: of the submission, and of two ends",
		(unsigned long long)w.sim.result.passes);
	world_release(&w);
}

/* ---- Holding on ------------------------------------------------------------------------------------- */

Test(rates, a_job_holds_on_after_its_work)
{
	static const struct script_step steps[] = { { S(14), SCRIPT_FINISH, 0, 0 },
		{ S(25), SCRIPT_FINISH, 1, 0 } };
	struct script script = { .step = steps, .count = SL_LEN(steps), .holds = true };
	struct world w = { .cpus = 1,
		.count = 2,
		.overrun = SL_OVERRUN_KILL,
		.job = { JOB(0, 10, 20, 1), JOB(1, 5, 8, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(14), SL_COMPLETED);
	expect_end(&w, 1, S(22), SL_TIMEOUT); /* Its limit may still cut it. */
	world_release(&w);
}

/* ---- Failures --------------------------------------------------------------------------------------- */

Test(rates, a_job_fails_for_good)
{
	static const struct script_step steps[] = { { S(4), SCRIPT_FAIL, 0, 0 } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 1, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(1, 5, 5, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(4), SL_NODE_FAIL);
	expect_end(&w, 1, S(9), SL_COMPLETED);
	cr_expect_str_eq(script.reported, "1s@0 1e@4 2s@4 2e@9");
	world_release(&w);
}

/* It is first in the queue again, and begins anew. */
Test(rates, a_failed_job_waits_at_its_old_place)
{
	static const struct script_step steps[] = { { S(4), SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 1, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(1, 5, 5, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(14), SL_COMPLETED);
	expect_end(&w, 1, S(19), SL_COMPLETED);
	cr_expect_str_eq(script.reported, "1s@0 1r@4 1s@4 1e@14 2s@14 2e@19");
	const struct sl_attempt *attempt;
	cr_assert_eq(sl_attempts_of(&w.sim.result, 0, &attempt), 2);
	cr_expect_eq(attempt[0].state, SL_NODE_FAIL);
	cr_expect_eq(attempt[0].lost, S(4));
	cr_expect_eq(attempt[1].lost, 0);
	world_release(&w);
}

/* 3 of 4 s are kept, and it takes 2 s to load them: 7 s are left, and its limit of 12 s goes on at 3. */
Test(rates, what_models_keep_is_kept)
{
	static const struct script_step steps[] = { { S(4), SCRIPT_RETRY, 0, 0 } };
	static const struct restart_step restart = { 0, S(2) };
	struct script script = { .step = steps, .count = SL_LEN(steps), .kept = S(3) };
	struct world w = {
		.cpus = 1, .count = 1, .restart = &restart, .restart_count = 1, .job = { JOB(0, 10, 12, 1) }
	};
	run(&w, &script, "easy");
	expect_end(&w, 0, S(13), SL_COMPLETED);
	const struct sl_attempt *attempt;
	cr_assert_eq(sl_attempts_of(&w.sim.result, 0, &attempt), 2);
	cr_expect_eq(attempt[0].lost, S(1));
	cr_expect_eq(attempt[1].overhead, S(2));
	cr_expect_str_eq(script.reported, "1s@0 1c@4 1s@4 1e@13");
	world_release(&w);
}

/* At half speed 2 of 4 s were done; of that 1 s is kept, and with it 2 s of its time: of the limit of 12 s 10
 * are left, in which at half speed 9 s of work cannot be done. */
Test(rates, the_limit_goes_on_from_what_is_kept)
{
	static const struct script_step steps[] = { { S(4), SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps,
		.count = SL_LEN(steps),
		.kept = S(1),
		.rate_set = true,
		.rate_first = SL_SPEED_ONE / 2 };
	struct world w = { .cpus = 1, .count = 1, .overrun = SL_OVERRUN_KILL, .job = { JOB(0, 10, 12, 1) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(14), SL_TIMEOUT);
	world_release(&w);
}

Test(rates, no_requeue_is_for_good)
{
	static const struct script_step steps[] = { { S(4), SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, 10, 10, 1, .no_requeue = true) } };
	run(&w, &script, "easy");
	expect_end(&w, 0, S(4), SL_NODE_FAIL);
	world_release(&w);
}

Test(rates, models_cancel_who_runs_and_who_waits)
{
	static const struct script_step steps[] = { { S(2), SCRIPT_CANCEL, 1, 0 },
		{ S(3), SCRIPT_CANCEL, 0, 0 }, { S(4), SCRIPT_CANCEL, 3, 0 } };
	struct script script = { .step = steps, .count = SL_LEN(steps) };
	struct world w = { .cpus = 1,
		.count = 4,
		.job = {
			JOB(0, 10, 10, 1), JOB(1, 5, 5, 1), JOB(1, 5, 5, 1), JOB(1, 5, 5, 1, .begin = 30) } };
	run(&w, &script, "conservative");
	expect_end(&w, 0, S(3), SL_CANCELLED);
	expect_end(&w, 1, S(2), SL_CANCELLED);
	expect_end(&w, 2, S(8), SL_COMPLETED);
	expect_end(&w, 3, S(4), SL_CANCELLED);
	world_release(&w);
}

/* ---- Time ------------------------------------------------------------------------------------------- */

/* A model that wakes without end ends no run, and makes none longer. */
Test(rates, who_only_wakes_changes_nothing)
{
	struct script script = { .every = S(0.5) };
	struct world w = { .cpus = 1, .count = 2, .job = { JOB(0, 10, 10, 1), JOB(1, 5, 5, 1) } };
	cr_assert_eq(world_run(&w, "easy", true), SL_OK);
	const uint64_t digest = w.sim.result.digest;
	const uint64_t passes = w.sim.result.passes;
	const size_t usage = w.sim.result.usage_count;
	world_release(&w);
	run(&w, &script, "easy");
	cr_expect_eq(w.sim.result.digest, digest);
	cr_expect_eq(w.sim.result.passes, passes);
	cr_expect_eq(w.sim.result.usage_count, usage);
	cr_expect_gt(script.settled, 30);
	world_release(&w);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_engine.c - each clause of the classic rules by a workload small enough to work out on paper. The
 * schedule beside each case says what it tests; breaking the clause breaks the case.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

enum { MAX = 8 };

struct example {
	const char *shows;
	const char *policy;
	int64_t cpus;
	enum sl_overrun overrun;
	struct world_job job[MAX]; /* submit, run, limit, size; ended by size 0. */
	int64_t start[MAX];        /* -1: never. */
	int64_t unit;
};

static const struct example examples[] = {
	{ "fcfs: nobody overtakes, though job 3 would fit", "fcfs", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 2), JOB(1, 10, 10, 4), JOB(2, 1, 1, 1) }, { 0, 10, 20 }, 0 },
	{ "fcfs: of two submitted together, the one that stands first in the file", "fcfs", 4,
		SL_OVERRUN_RAISE, { JOB(0, 5, 5, 4), JOB(1, 5, 5, 4), JOB(1, 1, 1, 4) }, { 0, 5, 10 }, 0 },
	{ "ends before submissions: job 2 finds what job 1 gave back at the same instant", "fcfs", 4,
		SL_OVERRUN_RAISE, { JOB(0, 5, 5, 4), JOB(5, 5, 5, 4) }, { 0, 5 }, 0 },
	{ "one pass for all submissions of an instant: the head is the large one, job 3 may not delay it",
		"easy", 4, SL_OVERRUN_RAISE, { JOB(0, 5, 5, 3), JOB(1, 5, 5, 4), JOB(1, 9, 9, 1) },
		{ 0, 5, 10 }, 0 },
	{ "easy: a job that ends just at the shadow overtakes", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 2), JOB(1, 5, 5, 4), JOB(2, 8, 8, 2) }, { 0, 10, 2 }, 0 },
	{ "easy: a job that ends a second behind the shadow does not", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 2), JOB(1, 5, 5, 4), JOB(2, 9, 9, 2) }, { 0, 10, 15 }, 0 },
	{ "easy: what is spare at the shadow may be used beyond it", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 5, 5, 3), JOB(2, 50, 50, 1) }, { 0, 10, 2 }, 0 },
	{ "easy: what is spare can be used once only: job 4 would take the head's", "easy", 5,
		SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 5, 5, 4), JOB(2, 50, 50, 1), JOB(2, 50, 50, 1) },
		{ 0, 10, 2, 15 }, 0 },
	{ "easy: who ends by the shadow takes nothing off the spare", "easy", 5, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 5, 5, 4), JOB(2, 3, 3, 1), JOB(2, 50, 50, 1) }, { 0, 10, 2, 2 },
		0 },
	{ "easy: the shadow is by limits, so a long limit lets job 3 in", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 5, 20, 2), JOB(1, 5, 5, 4), JOB(2, 15, 15, 2) }, { 0, 17, 2 }, 0 },
	{ "easy: the shadow is made anew: once job 1 has ended early, the head starts at once", "easy", 4,
		SL_OVERRUN_RAISE, { JOB(0, 5, 100, 4), JOB(1, 5, 5, 4) }, { 0, 5 }, 0 },
	{ "easy: only the first is protected: job 3 is overtaken for ever", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 10, 10, 4), JOB(2, 4, 4, 4), JOB(3, 7, 7, 1) }, { 0, 10, 20, 3 },
		0 },
	{ "easy, fill=shortest: among the candidates the shorter limit goes first", "easy:fill=shortest", 4,
		SL_OVERRUN_RAISE, { JOB(0, 10, 10, 3), JOB(1, 5, 5, 4), JOB(1, 8, 8, 1), JOB(1, 2, 2, 1) },
		{ 0, 10, 15, 1 }, 0 },
	{ "easy, fill=queue: the one that came first", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 5, 5, 4), JOB(1, 8, 8, 1), JOB(1, 2, 2, 1) }, { 0, 10, 1, 15 },
		0 },
	{ "an order decides the head too: sjf under easy promises to the shortest", "easy:order=sjf", 4,
		SL_OVERRUN_RAISE, { JOB(0, 10, 10, 4), JOB(1, 9, 9, 4), JOB(2, 3, 3, 4) }, { 0, 13, 10 }, 0 },
	{ "raise: a limit below the run time is raised to it, and job 3 sees it", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 5, 2), JOB(1, 5, 5, 4), JOB(2, 8, 8, 2) }, { 0, 10, 2 }, 0 },
	{ "extend: the limit stays as seen, so the shadow is 5 and job 3 waits", "easy", 4, SL_OVERRUN_EXTEND,
		{ JOB(0, 10, 5, 2), JOB(1, 5, 5, 4), JOB(2, 8, 8, 2) }, { 0, 10, 15 }, 0 },
	{ "extend: past its limit a job is taken to end at the next second: job 3 ends by then", "easy", 4,
		SL_OVERRUN_EXTEND, { JOB(0, 10, 5, 2), JOB(1, 5, 5, 4), JOB(6, 1, 1, 2) }, { 0, 10, 6 }, 0 },
	{ "extend: but job 3 of two seconds does not", "easy", 4, SL_OVERRUN_EXTEND,
		{ JOB(0, 10, 5, 2), JOB(1, 5, 5, 4), JOB(6, 2, 2, 2) }, { 0, 10, 15 }, 0 },
	{ "kill: job 1 is cut at its limit, so job 2 starts then", "fcfs", 4, SL_OVERRUN_KILL,
		{ JOB(0, 10, 5, 4), JOB(1, 5, 5, 4) }, { 0, 5 }, 0 },
	{ "greedy: whoever fits starts, though job 2 waits for ever so", "greedy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 2), JOB(1, 10, 10, 4), JOB(2, 50, 50, 2) }, { 0, 52, 2 }, 0 },
	{ "conservative: job 4 would not delay the head, but job 3: it waits", "conservative", 4,
		SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 10, 10, 4), JOB(2, 10, 10, 3), JOB(3, 19, 19, 1) },
		{ 0, 10, 20, 20 }, 0 },
	{ "conservative: job 4 moves no promise", "conservative", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 10, 10, 3), JOB(1, 10, 10, 4), JOB(2, 10, 10, 3), JOB(3, 7, 7, 1) },
		{ 0, 10, 20, 3 }, 0 },
	{ "conservative: an early end compresses in queue order: job 2 gets the room, job 3 behind it",
		"conservative", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 5, 20, 4), JOB(1, 10, 10, 4), JOB(2, 10, 10, 4) }, { 0, 5, 15 }, 0 },
	{ "conservative: compression may let a later job pass an earlier that does not fit", "conservative",
		4, SL_OVERRUN_RAISE,
		{ JOB(0, 20, 20, 2), JOB(0, 5, 20, 2), JOB(1, 10, 10, 4), JOB(2, 15, 15, 2) },
		{ 0, 0, 20, 5 }, 0 },
	{ "conservative: a promise is kept where nothing else happens then", "conservative", 4,
		SL_OVERRUN_RAISE,
		/* At 4 job 2 ends early: 3 cannot move (4 cpus), 4 (2 cpus, 6 s) moves from 20 to 4 and ends
		   at 10. */
		{ JOB(0, 10, 10, 2), JOB(0, 4, 10, 2), JOB(1, 10, 10, 4), JOB(2, 6, 6, 2) }, { 0, 0, 10, 4 },
		0 },
	{ "fractions of a second are kept: job 3 ends a tenth behind the shadow", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 100, 100, 2), JOB(10, 50, 50, 4), JOB(20, 81, 81, 2) }, { 0, 100, 150 }, 100000 },
	{ "fractions of a second: job 3 ends at it", "easy", 4, SL_OVERRUN_RAISE,
		{ JOB(0, 100, 100, 2), JOB(10, 50, 50, 4), JOB(20, 80, 80, 2) }, { 0, 100, 20 }, 100000 },
	{ "estimate=exact: the shadow is the truth, so job 3 waits", "easy:estimate=exact", 4,
		SL_OVERRUN_RAISE, { JOB(0, 5, 20, 2), JOB(1, 5, 5, 4), JOB(2, 15, 15, 2) }, { 0, 5, 10 }, 0 },
};

static void run_example(const struct example *e)
{
	struct world w = { .cpus = e->cpus, .overrun = e->overrun, .unit = e->unit };
	for (; w.count < MAX && e->job[w.count].size; w.count++)
		w.job[w.count] = e->job[w.count];
	cr_assert_eq(world_run(&w, e->policy, true), SL_OK, "%s: %s", e->shows, w.err.text);
	for (uint32_t i = 0; i < w.count; i++)
		cr_expect_eq(world_start(&w, i), e->start[i], "%s\n  job %u started at %lld, not %lld",
			e->shows, i + 1, (long long)world_start(&w, i), (long long)e->start[i]);
	world_release(&w);
}

Test(engine, schedules_worked_out_by_hand)
{
	for (size_t i = 0; i < SL_LEN(examples); i++)
		run_example(&examples[i]);
}

Test(engine, a_job_that_ends_at_its_limit_is_completed_and_one_cut_at_it_is_not)
{
	struct world w = { .cpus = 4,
		.overrun = SL_OVERRUN_KILL,
		.count = 2,
		.job = { { .run = 5, .limit = 5, .size = 2 }, { .run = 6, .limit = 5, .size = 2 } } };
	cr_assert_eq(world_run(&w, "fcfs", true), SL_OK);
	cr_expect_eq(w.sim.result.state[0], SL_COMPLETED);
	cr_expect_eq(w.sim.result.state[1], SL_TIMEOUT);
	cr_expect_eq(world_end(&w, 1), 5);
	world_release(&w);
}

/* Job 2 gives up waiting at 3, so job 3 becomes the first; job 1 is cancelled while it runs, at 7. */
Test(engine, a_cancelled_job_leaves_the_queue_or_gives_back_what_it_holds)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 10, 10, 4, .cancel = 7), JOB(1, 5, 5, 4, .cancel = 3), JOB(2, 5, 5, 4) } };
	static const char *const policies[] = { "fcfs", "easy", "conservative" };
	for (size_t i = 0; i < SL_LEN(policies); i++) {
		cr_assert_eq(world_run(&w, policies[i], true), SL_OK, "%s", w.err.text);
		cr_expect_eq(w.sim.result.state[0], SL_CANCELLED);
		cr_expect_eq(world_end(&w, 0), 7);
		cr_expect_eq(w.sim.result.state[1], SL_CANCELLED);
		cr_expect_eq(world_start(&w, 1), -1);
		cr_expect_eq(world_end(&w, 1), 3);
		cr_expect_eq(world_start(&w, 2), 7, "%s", policies[i]);
		world_release(&w);
	}
}

/* ---- Reasons --------------------------------------------------------------------- */

struct charge {
	int64_t at;
	uint32_t job;
	enum sl_reason reason;
};

static void expect_reasons(const struct world *w, const struct charge *want, size_t count)
{
	cr_assert_eq(w->sim.result.reason_count, count);
	for (size_t i = 0; i < count; i++) {
		const struct sl_reason_change *got = &w->sim.result.reasons[i];
		cr_expect_eq(got->job, want[i].job, "change %zu", i);
		cr_expect_eq(got->at, want[i].at * SL_SECOND, "change %zu", i);
		cr_expect_eq((enum sl_reason)got->reason, want[i].reason, "change %zu", i);
	}
}

/* The first that does not fit waits for Resources, all behind it for Priority, which is where they began. */
Test(reasons, the_head_waits_for_resources_and_the_rest_for_those_before_them)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 5, 5, 4), JOB(1, 5, 5, 4), JOB(2, 5, 5, 4) }
	};
	static const struct charge want[] = { { 1, 1, SL_REASON_RESOURCES }, { 5, 2, SL_REASON_RESOURCES } };
	cr_assert_eq(world_run(&w, "easy", true), SL_OK);
	cr_expect_eq(w.sim.result.reason_default, SL_REASON_PRIORITY);
	expect_reasons(&w, want, SL_LEN(want));
	world_release(&w);
}

/* Job 3 is shorter: at 2 it takes the head of the queue, and job 2 waits for others again, until job 3
 * starts. */
Test(reasons, a_displaced_head_waits_for_others_retry)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 5, 5, 4), JOB(1, 5, 5, 4), JOB(2, 3, 3, 4) }
	};
	static const struct charge want[] = { { 1, 1, SL_REASON_RESOURCES }, { 2, 1, SL_REASON_PRIORITY },
		{ 5, 1, SL_REASON_RESOURCES }, { 2, 2, SL_REASON_RESOURCES } };
	cr_assert_eq(world_run(&w, "sjf", true), SL_OK);
	expect_reasons(&w, want, SL_LEN(want));
	world_release(&w);
}

/* ---- Usage and idleness ------------------------------------------------------------ */

/* 0-10: 3 of 4 busy, job 2 (4 cpus) waits from 1, job 3 (1 cpu) from 2 under fcfs: one idle cpu would have
 * served it for 8 s; it is wanted from 1 on, 9 s. */
Test(usage, idle_cpus_are_charged_where_a_waiting_job_would_have_fitted)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 10, 10, 3), JOB(1, 10, 10, 4), JOB(2, 1, 1, 1) }
	};
	cr_assert_eq(world_run(&w, "fcfs", true), SL_OK);
	cr_expect_eq((int64_t)w.sim.result.idle_fitting, 8 * SL_SECOND);
	cr_expect_eq((int64_t)w.sim.result.idle_wanted, 9 * SL_SECOND);
	cr_assert_eq(w.sim.result.usage_count, 6); /* 0 1 2 10 20 21 */
	const struct sl_usage_point *point = &w.sim.result.usage[2];
	cr_expect_eq(point->at, 2 * SL_SECOND);
	cr_expect_eq(point->cpus_busy, 3);
	cr_expect_eq(point->cpus_queued, 5);
	cr_expect_eq(point->queued, 2);
	cr_expect_eq(point->running, 1);
	world_release(&w);
}

/* ---- Passes, marks, wakes ------------------------------------------------------------ */

/* A policy of the test's own, through the door that all use. */
static int run_own(struct world *w, const struct sl_policy *policy)
{
	const int status = world_run(w, "fcfs", false);
	cr_assert_eq(status, SL_OK);
	sim_release(&w->sim);
	w->choice.policy = policy;
	w->choice.values = NULL;
	w->choice.value_count = 0;
	const struct sim_options options = {
		.scenario = &w->scenario, .choice = &w->choice, .record = SIM_RECORD_REASONS, .check = true
	};
	return sim_run(&w->sim, &options, &w->err);
}

/* Starts everything under two marks, takes half of it back, then all, then starts in order. */
static void trial_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	const sl_job first = sl_queue_first(pass);
	if (!sl_job_is(first))
		return;
	const sl_marked outer = sl_mark(pass);
	const bool fits = sl_start(pass, first);
	const sl_marked inner = sl_mark(pass);
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job)) {
		(void)sl_start(pass, job);
		sl_set_reason(pass, job, SL_REASON_DEPENDENCY, 0);
	}
	sl_wake(pass, sl_now(pass) + 1);
	sl_undo(pass, inner);
	cr_assert_eq(sl_state_of(pass, first), fits ? SL_RUNNING : SL_PENDING);
	sl_undo(pass, outer);
	cr_assert_eq(sl_state_of(pass, first), SL_PENDING);
	cr_assert_eq(sl_queue_first(pass).row, first.row);
	for (sl_job job = first; sl_job_is(job) && sl_start(pass, job);)
		job = sl_queue_first(pass);
}

static const struct sl_policy trial = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "trial", .pass = trial_pass
};

/* What was tried and taken back leaves no trace: the schedule is strict fcfs, and no reason was noted. */
Test(passes, what_is_undone_was_never_done)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 5, 5, 3), JOB(1, 5, 5, 2), JOB(1, 3, 3, 1), JOB(2, 4, 4, 2) } };
	cr_assert_eq(run_own(&w, &trial), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 1), 5);
	cr_expect_eq(world_start(&w, 2), 5);
	cr_expect_eq(world_start(&w, 3), 8);
	cr_expect_eq(w.sim.result.reason_count, 0);
	world_release(&w);
}

static void restless_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	sl_wake(pass, sl_now(pass));
}

static const struct sl_policy restless = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "restless", .pass = restless_pass
};

Test(passes, a_policy_that_never_rests_ends_its_run)
{
	struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 5, 5, 3) } };
	cr_expect_eq(run_own(&w, &restless), SL_POLICY);
	cr_expect(strstr(w.err.text, "restless") && strstr(w.err.text, "1000 passes"), "%s", w.err.text);
	world_release(&w);
}

static void careless_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	(void)sl_mark(pass);
}

static const struct sl_policy careless = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "careless", .pass = careless_pass
};

static void confused_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	const sl_marked outer = sl_mark(pass);
	const sl_marked inner = sl_mark(pass);
	sl_undo(pass, outer);
	sl_undo(pass, inner);
}

static const struct sl_policy confused = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "confused", .pass = confused_pass
};

Test(passes, marks_are_taken_back_innermost_first)
{
	struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 5, 5, 3) } };
	cr_expect_eq(run_own(&w, &confused), SL_POLICY, "%s", w.err.text);
	world_release(&w);
}

Test(passes, a_policy_that_leaves_a_mark_open_ends_its_run)
{
	struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 5, 5, 3) } };
	cr_expect_eq(run_own(&w, &careless), SL_POLICY, "%s", w.err.text);
	world_release(&w);
}

/* Every tenth second only, as a periodic scheduler would. */
static void periodic_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	if (sl_now(pass) % (10 * SL_SECOND) == 0)
		for (sl_job job = sl_queue_first(pass); sl_job_is(job) && sl_start(pass, job);)
			job = sl_queue_first(pass);
	if (sl_queue_count(pass))
		sl_wake(pass, (sl_now(pass) / (10 * SL_SECOND) + 1) * 10 * SL_SECOND);
}

static const struct sl_policy periodic = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "periodic", .pass = periodic_pass
};

Test(passes, a_policy_is_woken_when_it_asked)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 5, 5, 3), JOB(1, 5, 5, 3), JOB(12, 1, 1, 1) }
	};
	cr_assert_eq(run_own(&w, &periodic), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 0), 0);
	cr_expect_eq(world_start(&w, 1), 10);
	cr_expect_eq(world_start(&w, 2), 20);
	world_release(&w);
}

/* Impossible requests change nothing: too large, started twice, not there. */
static void greedy_twice(void *state, struct sl_pass *pass)
{
	(void)state;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job)) {
		const bool fits = sl_fits(pass, job);
		cr_assert_eq(sl_start(pass, job), fits);
		cr_assert_not(fits && sl_start(pass, job));
	}
	cr_assert_not(sl_start(pass, SL_JOB_NONE));
	cr_assert_not(sl_cancel(pass, SL_JOB_NONE));
}

static const struct sl_policy twice = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "twice", .pass = greedy_twice
};

Test(passes, an_impossible_request_is_refused_and_changes_nothing)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 5, 5, 3), JOB(1, 5, 5, 3), JOB(1, 1, 1, 1) }
	};
	cr_assert_eq(run_own(&w, &twice), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 1), 5);
	cr_expect_eq(world_start(&w, 2), 1);
	world_release(&w);
}

struct counted {
	sl_ledger cpus;
};

static int counted_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	struct counted *counted = sl_alloc(setup->arena, 1, sizeof(*counted));
	counted->cpus = sl_ledger_new(setup, "cpus by user", 4);
	*state = counted;
	return SL_OK;
}

/* Nobody may hold more than two cpus; what is tried beyond is taken back, ledger and all. */
static void counted_pass(void *state, struct sl_pass *pass)
{
	const struct counted *counted = state;
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job)) {
		const uint32_t user = (uint32_t)jobs->user[job.row];
		const sl_marked mark = sl_mark(pass);
		sl_ledger_add(pass, counted->cpus, user, jobs->size[job.row]);
		if (sl_start(pass, job) && sl_ledger_get(pass, counted->cpus, user) <= 2)
			sl_keep(pass, mark);
		else
			sl_undo(pass, mark);
	}
}

static void counted_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	const struct counted *counted = state;
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	if (event->class == SL_EV_JOB_END)
		sl_ledger_add(pass, counted->cpus, (uint32_t)jobs->user[event->row],
			-(int64_t)jobs->size[event->row]);
}

static const struct sl_policy counted = { .abi = SL_ABI_OF(struct sl_policy),
	.name = "counted",
	.init = counted_init,
	.pass = counted_pass,
	.on_event = counted_event };

Test(passes, ledgers_are_taken_back_with_everything_else)
{
	struct world w = { .cpus = 8,
		.count = 4,
		.job = { JOB(0, 5, 5, 2, .user = 1), JOB(0, 5, 5, 1, .user = 1), JOB(0, 5, 5, 2, .user = 2),
			JOB(1, 5, 5, 1, .user = 2) } };
	cr_assert_eq(run_own(&w, &counted), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 0), 0);
	cr_expect_eq(world_start(&w, 1), 5);
	cr_expect_eq(world_start(&w, 2), 0);
	cr_expect_eq(world_start(&w, 3), 5);
	world_release(&w);
}

/* ---- Digest ----------------------------------------------------------------------------- */

static uint64_t digest_of(const struct world_job *job, uint32_t count, int64_t cpus)
{
	struct world w = { .cpus = cpus, .count = count };
	memcpy(w.job, job, count * sizeof(*job));
	cr_assert_eq(world_run(&w, "easy", false), SL_OK);
	const uint64_t digest = w.sim.result.digest;
	world_release(&w);
	return digest;
}

Test(digest, is_the_same_twice_and_moves_with_any_event)
{
	struct world_job job[] = { JOB(0, 5, 5, 3), JOB(1, 5, 5, 3) };
	const uint64_t first = digest_of(job, 2, 4);
	cr_expect_eq(digest_of(job, 2, 4), first);
	job[1].size = 2; /* The same times, another size. */
	cr_expect_neq(digest_of(job, 2, 4), first);
	job[1].size = 3;
	job[1].run = 6;
	job[1].limit = 6;
	cr_expect_neq(digest_of(job, 2, 4), first);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_commands.c - a policy's commands on jobs, clause by clause, by a policy that follows a script.
 */
#include <criterion/criterion.h>

#include "tests/world/world.h"

enum op { OP_START, OP_REQUEUE, OP_CHECKPOINT, OP_SUSPEND, OP_CANCEL, OP_RESUME, OP_RESERVE, OP_UNDONE };

/* At that second, do that to job (from 0); RESERVE: so many cpus from the next second until then. */
struct line {
	int64_t at;
	enum op op;
	uint32_t job;
	bool refused; /* The command must return false. */
	int64_t until;
};

/* The policy's state is const: the script of the test that runs. */
struct script {
	const struct line *line;
	size_t count;
};

static bool obey(struct sl_pass *pass, const struct line *line)
{
	const sl_job job = { line->job };
	switch (line->op) {
	case OP_START:
		return sl_start(pass, job);
	case OP_REQUEUE:
		return sl_preempt(pass, job, SL_PREEMPT_REQUEUE);
	case OP_CHECKPOINT:
		return sl_preempt(pass, job, SL_PREEMPT_CHECKPOINT);
	case OP_SUSPEND:
		return sl_preempt(pass, job, SL_PREEMPT_SUSPEND);
	case OP_CANCEL:
		return sl_preempt(pass, job, SL_PREEMPT_CANCEL);
	case OP_RESUME:
		return sl_resume(pass, job);
	case OP_RESERVE:
		return sl_reserve(pass, &(struct sl_window){ .name = "w",
						.from = sl_now(pass) + SL_SECOND,
						.until = line->until * SL_SECOND,
						.cpus = line->job });
	case OP_UNDONE:
		break;
	}
	return true;
}

static void follow(const struct script *script, struct sl_pass *pass)
{
	for (size_t i = 0; i < script->count; i++) {
		const struct line *line = &script->line[i];
		if (line->at * SL_SECOND > sl_now(pass)) {
			sl_wake(pass, line->at * SL_SECOND);
			return;
		}
		if (line->at * SL_SECOND == sl_now(pass))
			cr_assert_eq(obey(pass, line), !line->refused, "line %zu", i);
	}
}

/* One policy for each test, since a policy has no state but what init finds: here, the script. */
#define SCRIPT(who, ...)                                                                          \
	static const struct line who##_lines[] = { __VA_ARGS__ };                                 \
	static void who##_pass(void *state, struct sl_pass *pass)                                 \
	{                                                                                         \
		(void)state;                                                                      \
		follow(&(struct script){ who##_lines, SL_LEN(who##_lines) }, pass);               \
	}                                                                                         \
	static const struct sl_policy who = { { SL_ABI_VERSION, sizeof(struct sl_policy) }, #who, \
		.init = init, .pass = who##_pass }

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state;
	return sl_use(setup, SL_USE_PREEMPT, err);
}

/* Further members by name. */
#define AT(second, what, which, ...)                                        \
	{                                                                   \
		.at = (second), .op = (what), .job = (which), ##__VA_ARGS__ \
	}

static struct world w;

static void run(const struct sl_policy *policy)
{
	const int status = world_run_policy(&w, policy, true);
	cr_assert_eq(status, SL_OK, "%s", w.err.text);
}

SCRIPT(requeue_script, AT(0, OP_START, 0), AT(30, OP_REQUEUE, 0), AT(30, OP_START, 1), AT(50, OP_START, 0));

/* A requeued job's work is lost: it runs its whole time again. Wait is to the first start, run time both.
 */
Test(commands, requeue_loses_the_work)
{
	w = (struct world){ .cpus = 2, .count = 2, .job = { JOB(0, 100, 100, 2), JOB(10, 20, 20, 2) } };
	run(&requeue_script);
	cr_expect_eq(world_start(&w, 0), 0);
	cr_expect_eq(world_end(&w, 0), 150);
	cr_expect_eq(world_start(&w, 1), 30);
	const struct sl_result *result = &w.sim.result;
	cr_assert_eq(result->attempt_count, 2);
	cr_expect_eq(result->attempts[0].end, 30 * SL_SECOND);
	cr_expect_eq(result->attempts[0].state, SL_PREEMPTED);
	cr_expect_eq(result->attempts[0].lost, 30 * SL_SECOND);
	cr_expect_eq(result->attempts[1].start, 50 * SL_SECOND);
	cr_expect_eq(result->attempts[1].end, 150 * SL_SECOND);
	cr_expect_eq(result->attempts[1].state, SL_COMPLETED);
	/* Busy: 2 cpus from 0 to 150. */
	cr_expect(result->busy[SL_KIND_CPUS] == (unsigned __int128)300 * SL_SECOND);
	world_release(&w);
}

/* It waits from the preemption to its next start: the changes of its reason say so. */
Test(commands, a_requeued_job_waits_retry)
{
	w = (struct world){ .cpus = 2, .count = 2, .job = { JOB(0, 100, 100, 2), JOB(10, 20, 20, 2) } };
	run(&requeue_script);
	const struct sl_result *result = &w.sim.result;
	static const struct {
		int64_t at;
		enum sl_reason reason;
	} want[] = { { 0, SL_REASON_NONE }, { 30, SL_REASON_PRIORITY }, { 50, SL_REASON_NONE } };
	size_t seen = 0;
	for (size_t i = 0; i < result->reason_count && result->reasons[i].job == 0; i++, seen++) {
		cr_assert(seen < SL_LEN(want));
		cr_expect_eq(result->reasons[i].at, want[seen].at * SL_SECOND, "change %zu", i);
		cr_expect_eq(result->reasons[i].reason, want[seen].reason, "change %zu", i);
	}
	cr_expect_eq(seen, SL_LEN(want));
	world_release(&w);
}

SCRIPT(checkpoint_script, AT(0, OP_START, 0), AT(30, OP_CHECKPOINT, 0), AT(30, OP_START, 1),
	AT(50, OP_START, 0));

Test(commands, checkpoint_keeps_the_work)
{
	w = (struct world){ .cpus = 2, .count = 2, .job = { JOB(0, 100, 100, 2), JOB(10, 20, 20, 2) } };
	run(&checkpoint_script);
	cr_expect_eq(world_end(&w, 0), 120); /* 70 s were left. */
	cr_expect_eq(w.sim.result.attempts[0].lost, 0);
	world_release(&w);
}

/* With overrun=kill the limit bounds the work of all attempts: 60 - 30 s were left of it. */
Test(commands, checkpoint_keeps_the_limit_running)
{
	w = (struct world){ .cpus = 2,
		.overrun = SL_OVERRUN_KILL,
		.count = 2,
		.job = { JOB(0, 100, 60, 2), JOB(10, 20, 20, 2) } };
	run(&checkpoint_script);
	cr_expect_eq(world_end(&w, 0), 80);
	cr_expect_eq(w.sim.result.state[0], SL_TIMEOUT);
	world_release(&w);
}

SCRIPT(suspend_script, AT(0, OP_START, 0), AT(30, OP_SUSPEND, 0), AT(30, OP_START, 1),
	AT(40, OP_RESUME, 0, .refused = true), AT(50, OP_RESUME, 0));

/* Suspended, it releases its cpus; it goes on where it stopped, when they are free. */
Test(commands, suspended_jobs_go_on_later)
{
	w = (struct world){ .cpus = 2, .count = 2, .job = { JOB(0, 100, 100, 2), JOB(10, 20, 20, 2) } };
	run(&suspend_script);
	cr_expect_eq(world_end(&w, 0), 120);
	cr_expect_eq(w.sim.result.attempt_count, 0); /* One attempt. */
	cr_assert(w.sim.result.suspended);
	cr_expect_eq(w.sim.result.suspended[0], 20 * SL_SECOND);
	cr_expect_eq(w.sim.result.suspended[1], 0);
	world_release(&w);
}

SCRIPT(cancel_script, AT(0, OP_START, 0), AT(10, OP_CANCEL, 0), AT(10, OP_START, 1),
	AT(20, OP_REQUEUE, 0, .refused = true), AT(20, OP_RESUME, 1, .refused = true));

Test(commands, a_job_that_is_cancelled_for_others_ends_preempted)
{
	w = (struct world){ .cpus = 2, .count = 2, .job = { JOB(0, 100, 100, 2), JOB(10, 20, 20, 2) } };
	run(&cancel_script);
	cr_expect_eq(world_end(&w, 0), 10);
	cr_expect_eq(w.sim.result.state[0], SL_PREEMPTED);
	cr_expect_eq(w.sim.result.state[1], SL_COMPLETED);
	world_release(&w);
}

SCRIPT(reserve_script, AT(0, OP_START, 0), AT(0, OP_RESERVE, 2, .until = 50),
	AT(0, OP_START, 1, .refused = true), AT(50, OP_START, 1));

/* A window of 2 of the 4 cpus: a job of one is beside it, a job of two is not. */
Test(commands, nothing_runs_in_a_window)
{
	w = (struct world){ .cpus = 4, .count = 2, .job = { JOB(0, 100, 100, 1), JOB(0, 20, 20, 2) } };
	run(&reserve_script);
	cr_expect_eq(world_start(&w, 1), 50);
	world_release(&w);
}

SCRIPT(early_window_script, AT(0, OP_RESERVE, 5, .until = 50, .refused = true), AT(0, OP_START, 0),
	AT(0, OP_RESERVE, 2, .until = 50, .refused = true));

Test(commands, a_window_needs_capacity)
{
	w = (struct world){ .cpus = 4, .count = 1, .job = { JOB(0, 10, 10, 3) } };
	run(&early_window_script);
	cr_expect_eq(world_end(&w, 0), 10);
	world_release(&w);
}

/* A window of the cluster: nothing starts that by its limit would run into it, unless it fits beside.
 */
static const struct sl_window window = {
	.name = "maintenance", .from = 100 * SL_SECOND, .until = 200 * SL_SECOND, .cpus = 3
};

static struct world with_window(void)
{
	return (struct world){ .cpus = 4,
		.cluster = { .cpus = 4, .kind_count = 1, .window = &window, .window_count = 1 },
		.count = 4,
		/* Ends before; would run into it; runs beside it; fits behind it. */
		.job = { JOB(0, 90, 100, 4), JOB(1, 50, 60, 2), JOB(2, 500, 500, 1), JOB(3, 10, 200, 4) } };
}

static void expect_starts(const char *policy, const int64_t want[4])
{
	w = with_window();
	cr_assert_eq(world_run(&w, policy, true), SL_OK, "%s: %s", policy, w.err.text);
	for (uint32_t job = 0; job < 4; job++)
		cr_expect_eq(world_start(&w, job), want[job], "%s: job %u started at %lld", policy, job + 1,
			(long long)world_start(&w, job));
	world_release(&w);
}

Test(commands, plans_go_round_windows)
{
	/* Job 1 frees all at 90; job 2 (60 s, 2 cpus) does not fit before 100 and only one cpu is free till
	 * 200. */
	expect_starts("easy", (const int64_t[4]){ 0, 200, 90, 590 });
	expect_starts("conservative", (const int64_t[4]){ 0, 200, 90, 590 });
	expect_starts("fcfs", (const int64_t[4]){ 0, 200, 200, 700 });
	expect_starts("greedy", (const int64_t[4]){ 0, 200, 90, 590 });
}

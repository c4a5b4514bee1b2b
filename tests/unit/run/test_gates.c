/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_gates.c - which jobs are eligible, and from when on: one small case for each clause, worked by hand.
 *
 * Machines fit all jobs unless a case says otherwise, so that a job starts when it becomes eligible.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

#define AFTER(what, row, ...)                                 \
	{                                                     \
		.kind = (what), .job = (row)-1, ##__VA_ARGS__ \
	}
#define DEPENDS(...) .depends = SL_LEN(((struct sl_depend[]){ __VA_ARGS__ })), .depend = { __VA_ARGS__ }
#define NOT_THERE    UINT32_MAX

enum { NEVER = -1, JOBS = 8 };

struct expected {
	int64_t eligible, start, end;
	enum sl_state state;
};

struct gate_case {
	const char *what;
	int64_t cpus;
	const char *policy; /* NULL: fcfs. */
	uint32_t count;
	struct world_job job[JOBS];
	struct expected expected[JOBS];
};

#define RAN(eligible, start, end)                  \
	{                                          \
		eligible, start, end, SL_COMPLETED \
	}
#define WAITS                                   \
	{                                       \
		NEVER, NEVER, NEVER, SL_PENDING \
	}
#define GONE(state, eligible, end)          \
	{                                   \
		eligible, NEVER, end, state \
	}

static struct gate_case cases[] = {
	{ "a begin ahead keeps the job, one that is past does not", 10, NULL, 2,
		{ JOB(0, 10, 10, 1, .begin = 50), JOB(20, 10, 10, 1, .begin = 5) },
		{ RAN(50, 50, 60), RAN(20, 20, 30) } },
	{ "who is kept does not stand in the way, and then takes its old place", 4, NULL, 4,
		/* Job 1 is in front of 3 and 4 when it is released at 30; job 2 runs until 40. */
		{ JOB(0, 10, 10, 4, .begin = 30), JOB(1, 39, 39, 4), JOB(2, 10, 10, 4), JOB(3, 10, 10, 4) },
		{ RAN(30, 40, 50), RAN(1, 1, 40), RAN(2, 50, 60), RAN(3, 60, 70) } },
	{ "held for ever, or until its begin", 10, NULL, 2,
		{ JOB(0, 10, 10, 1, .held = true), JOB(0, 10, 10, 1, .held = true, .begin = 30) },
		{ WAITS, RAN(30, 30, 40) } },
	{ "after: since it started", 4, NULL, 3,
		{ JOB(0, 100, 100, 4), JOB(1, 10, 10, 4),
			JOB(2, 10, 10, 0 + 4, DEPENDS(AFTER(SL_AFTER, 2))) },
		{ RAN(0, 0, 100), RAN(1, 100, 110), RAN(100, 110, 120) } },
	{ "after with a delay, which begins with the start", 10, NULL, 2,
		{ JOB(0, 100, 100, 1), JOB(1, 10, 10, 1, DEPENDS(AFTER(SL_AFTER, 1, .delay = 60))) },
		{ RAN(0, 0, 100), RAN(60, 60, 70) } },
	{ "after: since it was cancelled, if it never started", 4, NULL, 3,
		{ JOB(0, 100, 100, 4), JOB(1, 10, 10, 4, .cancel = 30),
			JOB(2, 10, 10, 4, DEPENDS(AFTER(SL_AFTER, 2, .delay = 5))) },
		{ RAN(0, 0, 100), GONE(SL_CANCELLED, 1, 30), RAN(35, 100, 110) } },
	{ "afterany: however it ended", 10, NULL, 4,
		{ JOB(0, 10, 10, 1), JOB(0, 50, 50, 1, .cancel = 20),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_ANY, 1))),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_ANY, 2, .delay = 3))) },
		{ RAN(0, 0, 10), { 0, 0, 20, SL_CANCELLED }, RAN(10, 10, 15), RAN(23, 23, 28) } },
	{ "afterok: only if it went well, here and in the log", 10, NULL, 6,
		{ JOB(0, 10, 10, 1), JOB(0, 50, 50, 1, .cancel = 20),
			JOB(0, 30, 30, 1, .recorded = SL_FAILED),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_OK, 1))),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_OK, 2))),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_OK, 3))) },
		{ RAN(0, 0, 10), { 0, 0, 20, SL_CANCELLED }, RAN(0, 0, 30), RAN(10, 10, 15), WAITS, WAITS } },
	{ "afternotok: only if it did not", 10, NULL, 6,
		{ JOB(0, 10, 10, 1), JOB(0, 50, 50, 1, .cancel = 20),
			JOB(0, 30, 30, 1, .recorded = SL_TIMEOUT),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_NOTOK, 1))),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_NOTOK, 2))),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_NOTOK, 3))) },
		{ RAN(0, 0, 10), { 0, 0, 20, SL_CANCELLED }, RAN(0, 0, 30), WAITS, RAN(20, 20, 25),
			RAN(30, 30, 35) } },
	{ "aftercorr: the very task", 10, NULL, 4,
		{ JOB(0, 10, 10, 1, .array = 7, .array_task = 1),
			JOB(0, 20, 20, 1, .array = 7, .array_task = 2),
			JOB(1, 5, 5, 1, .array = 8, .array_task = 1, DEPENDS(AFTER(SL_AFTER_CORR, 1))),
			JOB(1, 5, 5, 1, .array = 8, .array_task = 2, DEPENDS(AFTER(SL_AFTER_CORR, 2))) },
		{ RAN(0, 0, 10), RAN(0, 0, 20), RAN(10, 10, 15), RAN(20, 20, 25) } },
	{ "singleton: one of a name and user at a time, in the order of submission", 10, NULL, 5,
		{ JOB(0, 10, 10, 1, .name = "a"), JOB(1, 30, 30, 1, .name = "a"),
			JOB(2, 5, 5, 1, .name = "a", DEPENDS({ .kind = SL_SINGLETON })),
			JOB(3, 5, 5, 1, .name = "a", DEPENDS({ .kind = SL_SINGLETON })),
			JOB(4, 5, 5, 1, .name = "a", .user = 1, DEPENDS({ .kind = SL_SINGLETON })) },
		{ RAN(0, 0, 10), RAN(1, 1, 31), RAN(31, 31, 36), RAN(36, 36, 41), RAN(4, 4, 9) } },
	{ "all of a list", 10, NULL, 3,
		{ JOB(0, 10, 10, 1), JOB(0, 20, 20, 1),
			JOB(1, 5, 5, 1, DEPENDS(AFTER(SL_AFTER_OK, 1), AFTER(SL_AFTER_OK, 2))) },
		{ RAN(0, 0, 10), RAN(0, 0, 20), RAN(20, 20, 25) } },
	{ "any of a list, though another can never be", 10, NULL, 4,
		{ JOB(0, 10, 10, 1, .recorded = SL_FAILED), JOB(0, 20, 20, 1), JOB(0, 30, 30, 1),
			JOB(1, 5, 5, 1,
				DEPENDS(AFTER(SL_AFTER_OK, 1, .or_next = true),
					AFTER(SL_AFTER_OK, 2, .or_next = true), AFTER(SL_AFTER_OK, 3))) },
		{ RAN(0, 0, 10), RAN(0, 0, 20), RAN(0, 0, 30), RAN(20, 20, 25) } },
	{ "any of a list: a later one may bring it nearer", 10, NULL, 3,
		{ JOB(0, 100, 100, 1), JOB(0, 20, 20, 1),
			JOB(1, 5, 5, 1,
				DEPENDS(AFTER(SL_AFTER, 1, .delay = 60, .or_next = true),
					AFTER(SL_AFTER_OK, 2))) },
		{ RAN(0, 0, 100), RAN(0, 0, 20), RAN(20, 20, 25) } },
	{ "a chain in a list is met when all of it are", 10, NULL, 4,
		{ JOB(0, 10, 10, 1), JOB(0, 20, 20, 1), JOB(0, 30, 30, 1),
			JOB(1, 5, 5, 1,
				DEPENDS(AFTER(SL_AFTER_OK, 1, .with_next = true),
					AFTER(SL_AFTER_OK, 2, .or_next = true), AFTER(SL_AFTER_OK, 3))) },
		{ RAN(0, 0, 10), RAN(0, 0, 20), RAN(0, 0, 30), RAN(20, 20, 25) } },
	{ "who is not in the trace is long over; who waits for itself waits for ever", 10, NULL, 3,
		{ JOB(0, 10, 10, 1, DEPENDS({ .kind = SL_AFTER_OK, .job = NOT_THERE })),
			JOB(0, 10, 10, 1, DEPENDS(AFTER(SL_AFTER_OK, 2))),
			JOB(0, 10, 10, 1, DEPENDS({ .kind = SL_AFTER_NOTOK, .job = NOT_THERE })) },
		{ RAN(0, 0, 10), WAITS, RAN(0, 0, 10) } },
	{ "a circle waits for ever, and nobody else does", 10, NULL, 3,
		{ JOB(0, 10, 10, 1, DEPENDS(AFTER(SL_AFTER_OK, 2))),
			JOB(0, 10, 10, 1, DEPENDS(AFTER(SL_AFTER_OK, 1))), JOB(1, 10, 10, 1) },
		{ WAITS, WAITS, RAN(1, 1, 11) } },
	{ "a begin and a dependency: both", 10, NULL, 3,
		{ JOB(0, 10, 10, 1), JOB(0, 5, 5, 1, .begin = 20, DEPENDS(AFTER(SL_AFTER_OK, 1))),
			JOB(0, 5, 5, 1, .begin = 5, DEPENDS(AFTER(SL_AFTER_OK, 1))) },
		{ RAN(0, 0, 10), RAN(20, 20, 25), RAN(10, 10, 15) } },
	{ "ends of an instant come first, then all pass together", 4, "easy", 4,
		/* At 10 job 1 ends, which makes 2 and 3 eligible; 4 is submitted. 2 goes first. */
		{ JOB(0, 10, 10, 4), JOB(1, 10, 10, 4, DEPENDS(AFTER(SL_AFTER_OK, 1))),
			JOB(2, 10, 10, 4, .begin = 10), JOB(10, 10, 10, 4) },
		{ RAN(0, 0, 10), RAN(10, 10, 20), RAN(10, 20, 30), RAN(10, 30, 40) } },
	{ "so many of an array, by their index", 10, NULL, 4,
		{ JOB(0, 10, 10, 1, .array = 7, .array_task = 3, .array_limit = 2),
			JOB(0, 10, 10, 1, .array = 7, .array_task = 1, .array_limit = 2),
			JOB(0, 30, 30, 1, .array = 7, .array_task = 2, .array_limit = 2),
			JOB(0, 10, 10, 1, .array = 7, .array_task = 4, .array_limit = 2) },
		{ RAN(10, 10, 20), RAN(0, 0, 10), RAN(0, 0, 30), RAN(20, 20, 30) } },
	{ "a cancelled task leaves its array room", 1, NULL, 3,
		{ JOB(0, 50, 50, 1, .array = 7, .array_task = 1, .array_limit = 2),
			JOB(0, 10, 10, 1, .array = 7, .array_task = 2, .array_limit = 2, .cancel = 20),
			JOB(0, 10, 10, 1, .array = 7, .array_task = 3, .array_limit = 2) },
		{ RAN(0, 0, 50), GONE(SL_CANCELLED, 0, 20), RAN(20, 50, 60) } },
	{ "cancelled while it was kept", 10, NULL, 2,
		{ JOB(0, 10, 10, 1, .begin = 50, .cancel = 20),
			JOB(0, 10, 10, 1, .held = true, .cancel = 30) },
		{ GONE(SL_CANCELLED, NEVER, 20), GONE(SL_CANCELLED, NEVER, 30) } },
};

static int64_t in_seconds(sl_time time) { return time == SL_NONE ? NEVER : time / SL_SECOND; }

Test(eligibility, by_hand)
{
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct gate_case *given = &cases[i];
		struct world w = { .cpus = given->cpus, .count = given->count };
		memcpy(w.job, given->job, sizeof(given->job));
		cr_assert_eq(world_run(&w, given->policy ? given->policy : "fcfs", true), SL_OK, "%s: %s",
			given->what, w.err.text);
		for (uint32_t job = 0; job < given->count; job++) {
			const struct expected *want = &given->expected[job];
			const struct sl_result *got = &w.sim.result;
			cr_expect_eq(in_seconds(got->eligible[job]), want->eligible,
				"%s: job %u was let in at %lld", given->what, job + 1,
				(long long)in_seconds(got->eligible[job]));
			cr_expect_eq(world_start(&w, job), want->start, "%s: job %u started at %lld",
				given->what, job + 1, (long long)world_start(&w, job));
			cr_expect_eq(world_end(&w, job), want->end, "%s: job %u ended at %lld", given->what,
				job + 1, (long long)world_end(&w, job));
			cr_expect_eq((enum sl_state)got->state[job], want->state, "%s: job %u is %s",
				given->what, job + 1, sl_state_name((enum sl_state)got->state[job]));
		}
		world_release(&w);
	}
}

/* Too late by a microsecond: it may still start at deadline - limit, and then it ends by the deadline. */
Test(eligibility, deadlines)
{
	struct world w = { .cpus = 4,
		.count = 6,
		.job = { JOB(0, 50, 50, 4), JOB(1, 10, 30, 4, .deadline = 60),
			JOB(2, 10, 30, 4, .deadline = 80), JOB(3, 10, 30, 4, .deadline = 70, .time_min = 10),
			JOB(4, 10, 30, 4, .deadline = 20), JOB(5, 10, 10, 4, .deadline = 45, .begin = 90) } };
	static const struct {
		sl_time start, end;
		enum sl_state state;
	} want[] = {
		{ 0, 50 * SL_SECOND, SL_COMPLETED }, { SL_NONE, 30 * SL_SECOND + 1, SL_DEADLINE },
		{ 50 * SL_SECOND, 60 * SL_SECOND, SL_COMPLETED }, /* At the last moment. */
		{ 60 * SL_SECOND, 70 * SL_SECOND, SL_COMPLETED }, /* By its least limit. */
		{ SL_NONE, 4 * SL_SECOND, SL_DEADLINE },          /* From the first. */
		{ SL_NONE, 35 * SL_SECOND + 1, SL_DEADLINE },     /* Though it was kept. */
	};
	cr_assert_eq(world_run(&w, "fcfs", true), SL_OK, "%s", w.err.text);
	for (uint32_t job = 0; job < SL_LEN(want); job++) {
		cr_expect_eq(w.sim.result.start[job], want[job].start, "job %u started", job + 1);
		cr_expect_eq(w.sim.result.end[job], want[job].end, "job %u ended at %lld us", job + 1,
			(long long)w.sim.result.end[job]);
		cr_expect_eq((enum sl_state)w.sim.result.state[job], want[job].state, "job %u", job + 1);
	}
	world_release(&w);
}

/* What is said of each second: reason by reason, in order. */
static void expect_reasons(const struct world *w, uint32_t job, const enum sl_reason *want, size_t count)
{
	const struct sl_result *result = &w->sim.result;
	size_t seen = 0;
	for (size_t i = 0; i < result->reason_count; i++) {
		if (result->reasons[i].job != job)
			continue;
		cr_expect(seen < count && result->reasons[i].reason == want[seen],
			"job %u: reason %zu is %s at %lld", job + 1, seen,
			sl_reason_name((enum sl_reason)result->reasons[i].reason),
			(long long)result->reasons[i].at / SL_SECOND);
		seen++;
	}
	cr_expect_eq(seen, count, "job %u has %zu reasons", job + 1, seen);
}

Test(eligibility, reasons)
{
	struct world w = { .cpus = 4,
		.count = 7,
		.job = { JOB(0, 50, 50, 4, .recorded = SL_FAILED), JOB(1, 5, 5, 4, .begin = 20),
			JOB(1, 5, 5, 4, .held = true, .begin = 30, DEPENDS(AFTER(SL_AFTER_ANY, 1))),
			JOB(1, 5, 5, 4, DEPENDS(AFTER(SL_AFTER_OK, 1))),
			JOB(1, 5, 5, 4, .array = 9, .array_task = 1, .array_limit = 1),
			JOB(1, 5, 5, 4, .array = 9, .array_task = 2, .array_limit = 1),
			JOB(1, 5, 5, 4, .held = true) } };
	cr_assert_eq(world_run(&w, "fcfs", true), SL_OK, "%s", w.err.text);
#define REASONS(job, ...)                                              \
	expect_reasons(&w, (job)-1, (enum sl_reason[]){ __VA_ARGS__ }, \
		sizeof((enum sl_reason[]){ __VA_ARGS__ }) / sizeof(enum sl_reason))
	/* Job 5 is the first that does not fit until 20, when job 2 goes before it. */
	REASONS(2, SL_REASON_BEGIN_TIME, SL_REASON_PRIORITY, SL_REASON_RESOURCES);
	REASONS(3, SL_REASON_HELD, SL_REASON_DEPENDENCY, SL_REASON_PRIORITY, SL_REASON_RESOURCES);
	REASONS(4, SL_REASON_DEPENDENCY, SL_REASON_NEVER);
	REASONS(5, SL_REASON_ARRAY_LIMIT, SL_REASON_PRIORITY, SL_REASON_RESOURCES, SL_REASON_PRIORITY,
		SL_REASON_RESOURCES);
	REASONS(7, SL_REASON_HELD);
	world_release(&w);
}

/* A policy hears of a job when it enters the queue, once, and never of one that does not. */
struct heard {
	uint32_t submits[4], cancels[4];
	sl_time at[4];
};

static int heard_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)err;
	*state = (void *)(uintptr_t)setup->seed; /* The test's own. */
	return SL_OK;
}

static void heard_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct heard *heard = state;
	cr_expect_not(event->class == SL_EV_SUBMIT && sl_waits(pass, (sl_job){ event->row }));
	if (event->class == SL_EV_CANCEL)
		heard->cancels[event->row]++;
	if (event->class != SL_EV_SUBMIT)
		return;
	heard->submits[event->row]++;
	heard->at[event->row] = event->time;
}

static void heard_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	for (uint32_t row = 0; row < 4; row++)
		cr_expect(sl_waits(pass, (sl_job){ row }) || !sl_start(pass, (sl_job){ row }));
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job))
		(void)sl_start(pass, job);
}

Test(eligibility, policies_hear)
{
	static const struct sl_policy policy = { .abi = SL_ABI_OF(struct sl_policy),
		.name = "heard",
		.summary = "",
		.paper = "",
		.init = heard_init,
		.pass = heard_pass,
		.on_event = heard_event };
	struct heard heard = { 0 };
	struct world w = { .cpus = 4,
		.count = 4,
		.seed = (uint64_t)(uintptr_t)&heard,
		.job = { JOB(0, 10, 10, 1), JOB(0, 10, 10, 1, .begin = 20),
			JOB(0, 10, 10, 1, .begin = 20, .cancel = 5),
			JOB(0, 10, 30, 1, .begin = 20, .deadline = 15) } };
	cr_assert_eq(world_run_policy(&w, &policy, false), SL_OK, "%s", w.err.text);
	static const uint32_t submits[] = { 1, 1, 0, 0 };
	for (uint32_t row = 0; row < 4; row++) {
		cr_expect_eq(heard.submits[row], submits[row], "job %u", row + 1);
		cr_expect_eq(heard.cancels[row], 0, "job %u", row + 1);
	}
	cr_expect_eq(heard.at[1], 20 * SL_SECOND);
	world_release(&w);
}

/* Whoever comes last has the machine. */
static int grab_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	*state = NULL;
	return sl_use(setup, SL_USE_PREEMPT, err);
}

static void grab_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	sl_job last = SL_JOB_NONE;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job); job = sl_queue_after(pass, job))
		last = job;
	const sl_job runs = sl_running_first(pass);
	if (sl_job_is(runs) && sl_job_is(last) && runs.row < last.row)
		cr_expect(sl_preempt(pass, runs, SL_PREEMPT_REQUEUE));
	if (sl_job_is(last))
		(void)sl_start(pass, last);
}

/* Job 1 is requeued by 2 and starts anew; 2 is not eligible again when 3 replaces it, and 4 waits for that.
 */
Test(eligibility, no_requeue)
{
	static const struct sl_policy policy = { .abi = SL_ABI_OF(struct sl_policy),
		.name = "grab",
		.summary = "",
		.paper = "",
		.init = grab_init,
		.pass = grab_pass };
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 50, 50, 4), JOB(10, 50, 50, 4, .no_requeue = true), JOB(20, 10, 10, 4),
			JOB(25, 5, 5, 4, DEPENDS(AFTER(SL_AFTER_NOTOK, 2, .delay = 40))) } };
	static const struct {
		int64_t end;
		enum sl_state state;
	} want[] = { { 110 + 5, SL_COMPLETED }, { 20, SL_PREEMPTED }, { 30, SL_COMPLETED },
		{ 65, SL_COMPLETED } };
	cr_assert_eq(world_run_policy(&w, &policy, true), SL_OK, "%s", w.err.text);
	for (uint32_t job = 0; job < w.count; job++) {
		cr_expect_eq(world_end(&w, job), want[job].end, "job %u ended at %lld", job + 1,
			(long long)world_end(&w, job));
		cr_expect_eq((enum sl_state)w.sim.result.state[job], want[job].state, "job %u", job + 1);
	}
	world_release(&w);
}

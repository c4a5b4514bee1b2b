/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_feedback.c - submissions that follow the end of another job: by hand.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/trace_run.h"

/* number, submit, run, size, preceding, think. */
#define SWF(id, at, run, size, before, think) \
#id " " #at " -1 " #run " " #size " -1 -1 " #size " " #run " -1 1 1 1 1 1 1 " #before " " #think "\n"

/* Two cpus. Job 3 waits for 1, job 4 for 2; 5 follows nobody that there is, 6 follows 3 but was sooner. */
static const char trace[] = "; MaxProcs: 2\n" SWF(1, 0, 100, 2, -1, -1) SWF(2, 10, 50, 2, -1, -1) SWF(
	3, 500, 20, 1, 1, 30) SWF(4, 40, 10, 2, 2, 200) SWF(5, 60, 10, 2, 99, 0) SWF(6, 300, 10, 2, 3, -1);

static void expect(const char *how, const char *policy, const int64_t submit[6], const int64_t start[6])
{
	struct trace_run run;
	const char *const given[] = { how, NULL };
	cr_assert_eq(trace_run(&run, trace, policy, given), SL_OK, "%s", run.err.text);
	const struct sl_result *result = &run.sim.result;
	for (uint32_t i = 0; i < 6; i++) {
		const char id[2] = { (char)('1' + i), '\0' };
		const uint32_t row = trace_row(&run, id);
		cr_expect_eq(result->jobs->submit[row], submit[i] * SL_SECOND, "%s: job %s submitted at %lld",
			how, id, (long long)result->jobs->submit[row]);
		cr_expect_eq(result->start[row], start[i] * SL_SECOND, "%s: job %s started at %lld", how, id,
			(long long)result->start[row]);
	}
	trace_release(&run);
}

Test(feedback, none_is_as_recorded)
{
	expect("replay.feedback=none", "fcfs", (const int64_t[]){ 0, 10, 500, 40, 60, 300 },
		(const int64_t[]){ 0, 100, 500, 150, 160, 300 });
}

/* Job 3 comes as 1 ends, at 100, job 4 as 2 ends, at 150; the queue is in the order of these: 5 (60), 3, 4.
 */
Test(feedback, after_the_end)
{
	expect("replay.feedback=after", "fcfs", (const int64_t[]){ 0, 10, 100, 150, 60, 180 },
		(const int64_t[]){ 0, 100, 160, 180, 150, 190 });
}

/* 30 s after 1, at 130; 200 s after 2, at 350; job 6 says no think time: as 3 ends. */
Test(feedback, after_thinking)
{
	expect("replay.feedback=think", "fcfs", (const int64_t[]){ 0, 10, 130, 350, 60, 180 },
		(const int64_t[]){ 0, 100, 160, 350, 150, 180 });
}

/* Shortest first: at 100 job 5 (10 s), then 3 (20 s, from 110 on), which 6 follows (10 s, at 130), before 2
 * (50 s), which 4 follows, at 190. */
Test(feedback, keys_are_of_the_moved_submission)
{
	expect("replay.feedback=after", "sjf", (const int64_t[]){ 0, 10, 100, 190, 60, 130 },
		(const int64_t[]){ 0, 140, 110, 190, 100, 130 });
}

Test(feedback, anomalies_are_counted)
{
	struct trace_run run;
	const char *const given[] = { "replay.feedback=after", NULL };
	cr_assert_eq(trace_load(&run, trace, given), SL_OK, "%s", run.err.text);
	cr_expect_eq(run.scenario.followers, 3);
	uint32_t said = 0;
	for (size_t i = 0; i < run.scenario.anomaly_count; i++)
		said += strstr(run.scenario.anomaly[i].cause, "follows a job that is not in the replay") !=
			NULL;
	cr_expect_eq(said, 1);
	trace_release(&run);
}

/* A circle is broken where it goes down the file. */
Test(feedback, circles)
{
	static const char circle[] =
		"; MaxProcs: 1\n" SWF(1, 0, 10, 1, 2, 0) SWF(2, 0, 10, 1, 1, 0) SWF(3, 5, 10, 1, 3, 0);
	struct trace_run run;
	const char *const given[] = { "replay.feedback=after", NULL };
	cr_assert_eq(trace_run(&run, circle, "fcfs", given), SL_OK, "%s", run.err.text);
	cr_expect_eq(run.scenario.followers, 1);
	cr_expect_eq(run.sim.result.jobs->submit[1], 10 * SL_SECOND);
	cr_expect_eq(run.sim.result.start[2], 10 * SL_SECOND, "submitted before job 2");
	trace_release(&run);
}

Test(feedback, refused)
{
	static const char *const with[] = { "replay.windows=2@0", "replay.fill=2", "replay.start=recorded" };
	for (size_t i = 0; i < SL_LEN(with); i++) {
		struct trace_run run;
		const char *const given[] = { "replay.feedback=after", with[i],
			i == 2 ? "replay.from=1" : NULL, NULL };
		cr_expect_eq(trace_load(&run, trace, given), SL_USAGE, "%s", with[i]);
		cr_expect(strstr(run.err.text, "replay.feedback"), "%s", run.err.text);
		trace_release(&run);
	}
}

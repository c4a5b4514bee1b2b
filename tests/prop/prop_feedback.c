/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_feedback.c - feedback against plain replays: a trace whose submissions are those that a run with
 * feedback came to, replayed as recorded, has the same schedule. Nothing that decides of a job may know that
 * it followed another.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/trace_run.h"

enum { JOBS = 60, CPUS = 8, LINE = 200 };

struct job {
	int64_t submit, run, size, before, think;
};

static void make(struct job job[JOBS], uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "test/feedback");
	int64_t at = 0;
	for (int i = 0; i < JOBS; i++) {
		at += (int64_t)sl_rng_below(&rng, 40);
		job[i] = (struct job){ .submit = at,
			.run = 1 + (int64_t)sl_rng_below(&rng, 100),
			.size = 1 + (int64_t)sl_rng_below(&rng, CPUS),
			.before = i && sl_rng_below(&rng, 3) ? 1 + (int64_t)sl_rng_below(&rng, (uint64_t)i)
							     : -1,
			.think = (int64_t)sl_rng_below(&rng, 50) };
	}
}

static void write_swf(char text[JOBS * LINE], const struct job job[JOBS], bool follows)
{
	size_t len = (size_t)snprintf(text, LINE, "; MaxProcs: %d\n", CPUS);
	for (int i = 0; i < JOBS; i++)
		len += (size_t)snprintf(text + len, LINE,
			"%d %lld -1 %lld %lld -1 -1 %lld %lld -1 1 1 1 1 1 1 %lld %lld\n", i + 1,
			(long long)job[i].submit, (long long)job[i].run, (long long)job[i].size,
			(long long)job[i].size, (long long)job[i].run,
			follows ? (long long)job[i].before : -1LL, follows ? (long long)job[i].think : -1LL);
}

static void check_chains(const struct trace_run *run, const struct job job[JOBS], uint64_t seed)
{
	const struct sl_result *result = &run->sim.result;
	for (uint32_t i = 0; i < JOBS; i++) {
		const int64_t submit = result->jobs->submit[i];
		const int64_t due = job[i].before < 0
					    ? job[i].submit * SL_SECOND
					    : result->end[job[i].before - 1] + job[i].think * SL_SECOND;
		cr_assert_eq(submit, due, "seed %llu: job %u", (unsigned long long)seed, i + 1);
	}
}

Test(feedback_prop, as_if_recorded_so)
{
	static const char *const policies[] = { "fcfs", "easy", "conservative" };
	static char text[JOBS * LINE];
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct job job[JOBS];
		struct trace_run moved;
		struct trace_run plain;
		const char *const given[] = { "replay.feedback=think", NULL };
		const char *const none[] = { NULL };
		const char *policy = policies[seed % SL_LEN(policies)];
		make(job, seed);
		write_swf(text, job, true);
		cr_assert_eq(trace_run(&moved, text, policy, given), SL_OK, "%s", moved.err.text);
		check_chains(&moved, job, seed);
		for (int i = 0; i < JOBS;
			i++) /* Rows are the lines: both were written in order of submission. */
			job[i].submit = moved.sim.result.jobs->submit[i] / SL_SECOND;
		write_swf(text, job, false);
		cr_assert_eq(trace_run(&plain, text, policy, none), SL_OK, "%s", plain.err.text);
		for (uint32_t i = 0; i < JOBS; i++) {
			char id[12];
			(void)snprintf(id, sizeof(id), "%u", i + 1);
			cr_assert_eq(plain.sim.result.start[trace_row(&plain, id)], moved.sim.result.start[i],
				"%s, seed %llu: job %s", policy, (unsigned long long)seed, id);
		}
		trace_release(&moved);
		trace_release(&plain);
	}
}

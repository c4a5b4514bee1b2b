/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_classic.c - the engine against the slow reference: on every tiny workload there is, and on generated
 * ones. SL_EFFORT=full runs all of them; otherwise an even sample, named in the failure.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/reference.h"

static double aged(const struct world_job *job, int64_t limit, int64_t now)
{
	(void)limit;
	return (double)-((now - job->submit) * job->size);
}

static double wfp3(const struct world_job *job, int64_t limit, int64_t now)
{
	const double ratio = (double)(now - job->submit) / (double)limit;
	return -(ratio * ratio * ratio * job->size);
}

static const struct {
	const char *policy;
	struct reference_options options;
	bool in_small; /* Also on every tiny workload. */
} pairs[] = {
	{ "fcfs", { .policy = REFERENCE_FCFS }, true },
	{ "easy", { .policy = REFERENCE_EASY }, true },
	{ "conservative", { .policy = REFERENCE_CONSERVATIVE }, true },
	{ "easy:fill=shortest", { .policy = REFERENCE_EASY, .fill_shortest = true }, false },
	{ "sjf", { .policy = REFERENCE_FCFS, .shortest_first = true }, false },
	{ "easy:order=sjf", { .policy = REFERENCE_EASY, .shortest_first = true }, false },
	{ "conservative:order=sjf", { .policy = REFERENCE_CONSERVATIVE, .shortest_first = true }, false },
	{ "greedy", { .policy = REFERENCE_GREEDY }, false },
	{ "wfp3", { .policy = REFERENCE_FCFS, .score = wfp3 }, false },
	{ "easy:order=wfp3", { .policy = REFERENCE_EASY, .score = wfp3 }, false },
	{ "easy:order=expr:\"-wait * size\"", { .policy = REFERENCE_EASY, .score = aged }, false },
	{ "conservative:order=expr:\"-wait * size\"", { .policy = REFERENCE_CONSERVATIVE, .score = aged },
		false },
	{ "easy:order=expr:\"limit + 0 * user\"", { .policy = REFERENCE_EASY, .shortest_first = true },
		false },
};

static void describe(const struct world *w, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size,
		"%lld cpus, overrun %d, jobs (submit run limit size):", (long long)w->cpus, (int)w->overrun);
	for (uint32_t i = 0; i < w->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " (%lld %lld %lld %d)",
			(long long)w->job[i].submit, (long long)w->job[i].run, (long long)w->job[i].limit,
			(int)w->job[i].size);
}

static bool agrees(struct world *w, size_t pair, bool check, const char *from)
{
	int64_t start[WORLD_JOBS];
	int64_t end[WORLD_JOBS];
	char text[2000];
	reference_run(w, &pairs[pair].options, start, end);
	const int status = world_run(w, pairs[pair].policy, check);
	bool same = status == SL_OK;
	if (!same)
		cr_assert_fail("%s: %s", pairs[pair].policy, w->err.text);
	for (uint32_t i = 0; i < w->count && same; i++) {
		same = world_start(w, i) == start[i] && world_end(w, i) == end[i];
		if (same)
			continue;
		describe(w, text, sizeof(text));
		cr_expect_fail("%s (%s): job %u started at %lld, the reference says %lld\n%s",
			pairs[pair].policy, from, i + 1, (long long)world_start(w, i), (long long)start[i],
			text);
	}
	world_release(w);
	return same;
}

/* Digits of a number in mixed bases name a workload: nothing is left out, and each has a number to report. */
static unsigned digit(uint64_t *number, unsigned base)
{
	const unsigned value = (unsigned)(*number % base);
	*number /= base;
	return value;
}

static bool small_world(struct world *w, uint64_t number, uint32_t count)
{
	*w = (struct world){ .cpus = 3, .count = count };
	for (uint32_t i = 0; i < count; i++) {
		struct world_job *job = &w->job[i];
		job->submit = i ? digit(&number, 3) : 0;
		job->run = 1 + digit(&number, 2);
		job->limit = 1 + digit(&number, 3);
		job->size = 1 + (int32_t)digit(&number, 3);
		if (i && job->submit < w->job[i - 1].submit)
			return false; /* Another number names the sorted one. */
	}
	return true;
}

/* All of them where the number of jobs is at most `all`, else every stride-th: prime to the bases, so that
 * each digit is sampled evenly. */
static void tiny_workloads(enum sl_overrun overrun, uint64_t all)
{
	for (uint32_t count = 1; count <= 4; count++) {
		uint64_t total = 18;
		for (uint32_t i = 1; i < count; i++)
			total *= 54;
		const uint64_t stride = count <= all ? 1 : effort_of(1009, 101, 1);
		for (uint64_t number = 0; number < total; number += stride) {
			struct world w;
			char from[64];
			if (!small_world(&w, number, count))
				continue;
			w.overrun = overrun;
			(void)snprintf(from, sizeof(from), "tiny workload %llu of %u jobs",
				(unsigned long long)number, count);
			for (size_t pair = 0; pair < SL_LEN(pairs); pair++)
				if (pairs[pair].in_small && !agrees(&w, pair, false, from))
					return;
		}
	}
}

Test(classic, every_tiny_workload_agrees_with_the_reference, .timeout = 3600)
{
	tiny_workloads(SL_OVERRUN_RAISE, effort_of(2, 4, 4));
}
Test(classic, tiny_workloads_agree_where_jobs_run_history_their_limits, .timeout = 3600)
{
	tiny_workloads(SL_OVERRUN_EXTEND, effort_of(2, 3, 4));
}
Test(classic, tiny_workloads_agree_where_jobs_are_cut_at_their_limits, .timeout = 3600)
{
	tiny_workloads(SL_OVERRUN_KILL, effort_of(2, 3, 4));
}

/* Swarm: each world draws its own bounds, so that crowded instants, long limits and idle machines all occur.
 */
static void random_world(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/classic");
	*w = (struct world){ .cpus = 1 + (int64_t)sl_rng_below(&rng, 12) };
	w->count = 1 + (uint32_t)sl_rng_below(&rng, 24);
	w->overrun = (enum sl_overrun)sl_rng_below(&rng, SL_OVERRUN_COUNT);
	const uint64_t gap = 1 + sl_rng_below(&rng, 6);
	const uint64_t run = 1 + sl_rng_below(&rng, 20);
	const uint64_t over = 1 + sl_rng_below(&rng, 12);
	const bool exact = sl_rng_below(&rng, 4) == 0;
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, gap);
		job->submit = submit;
		job->run = 1 + (int64_t)sl_rng_below(&rng, run);
		job->limit =
			exact ? job->run
			      : job->run + (int64_t)sl_rng_below(&rng, over) - (int64_t)sl_rng_below(&rng, 3);
		job->limit = job->limit < 1 ? 1 : job->limit;
		job->size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
		job->user = (int32_t)sl_rng_below(&rng, 3);
	}
}

/* The node engine, on nodes of one cpu: what a pool does. Conservative names the nodes that it promises, so
 * it differs. */
Test(classic, nodes_of_one_cpu_do_what_a_pool_does, .timeout = 1200)
{
	const uint64_t worlds = effort_of(150, 2000, 8000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct world w;
		char from[64];
		random_world(&w, seed);
		w.as_nodes = true;
		(void)snprintf(from, sizeof(from), "seed %llu, nodes", (unsigned long long)seed);
		for (size_t pair = 0; pair < SL_LEN(pairs); pair++) {
			if (pairs[pair].options.policy != REFERENCE_CONSERVATIVE &&
				!agrees(&w, pair, seed % 20 == 0, from))
				return;
		}
	}
}

Test(classic, generated_workloads_agree_with_the_reference, .timeout = 1200)
{
	const uint64_t worlds = effort_of(2500, 100000, 500000);
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		struct world w;
		char from[64];
		random_world(&w, seed);
		(void)snprintf(from, sizeof(from), "seed %llu", (unsigned long long)seed);
		for (size_t pair = 0; pair < SL_LEN(pairs); pair++) {
			/* The three classic policies on each, the others on every tenth; all under --check
			 * now and then. */
			if (!pairs[pair].in_small && seed % 10)
				continue;
			if (!agrees(&w, pair, seed % 50 == 0, from))
				return;
		}
	}
}

/* One lane is one queue; but a run with lanes goes through the loop for any run, one without through that for
 * plain ones (sim/run/plain.h). */
Test(classic, the_loop_of_plain_runs_does_what_the_other_does, .timeout = 1200)
{
	const uint64_t worlds = effort_of(500, 10000, 50000);
	static const char *const plain[] = { "fcfs", "easy", "greedy", "sjf", "easy:order=wfp3" };
	static const char *const any[] = { "fcfs:queues=partition", "easy:queues=partition",
		"greedy:queues=partition", "sjf:queues=partition", "easy:order=wfp3,queues=partition" };
	for (uint64_t seed = 1; seed <= worlds; seed++) {
		const size_t policy = seed % SL_LEN(plain);
		struct world a, b;
		random_world(&a, seed);
		for (uint32_t i = 0; i < a.count; i++)
			a.job[i].cancel = (seed + i) % 7 ? 0 : a.job[i].submit + (int64_t)(seed % 11);
		b = a;
		cr_assert_eq(world_run(&a, plain[policy], seed % 10 == 0), SL_OK, "%s", a.err.text);
		cr_assert_eq(world_run(&b, any[policy], seed % 10 == 0), SL_OK, "%s", b.err.text);
		const struct sl_result *x = &a.sim.result;
		const struct sl_result *y = &b.sim.result;
		cr_assert_eq(x->digest, y->digest, "seed %llu, %s", (unsigned long long)seed, plain[policy]);
		cr_assert_eq(x->passes, y->passes);
		cr_assert(x->idle_fitting == y->idle_fitting && x->idle_wanted == y->idle_wanted);
		world_release(&a);
		world_release(&b);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_runai.c - policy runai through the engine, on drawn scenarios: under --check (the engine's books after
 * each event, every pass taken back and done again); nobody starts before it may, GPUs are enough at each
 * instant, all jobs end with their work done, and no GPU that would do for a waiting job is idle.
 *
 * Without files projects are accounts with equal parts of the GPUs (schedlab-runai(7)).
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/memfile.h"
#include "tests/world/trace_run.h"

enum { JOBS = 16, ACCOUNTS = 3, GPUS = 4, ATTEMPTS = 4096 };

static uint64_t runs(void) { return effort_of(20, 120, 2000); }

static const char *const policies[] = { "runai", "runai:resume=restart", "runai:gpu-placement=spread",
	"runai:order=fresh", "runai:search-pods=6", "runai:grace=5", "runai:cycle=10",
	"runai:min-failed-search-backoff=7,max-failed-search-backoff=30" };
enum { AT_ONCE = 4 }; /* So many of them decide all at once. */

/* Times in seconds. */
struct drawn {
	int64_t submit, begin, run, tasks, gpus, account;
};

struct run {
	struct trace_run of;
	struct drawn job[JOBS];
	int64_t nodes;
	uint64_t seed;
	const char *policy;
	char cluster_path[32];
	struct sl_attempt all[ATTEMPTS]; /* Those that hold something, also of jobs of one attempt. */
	uint32_t count;
};

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

static void draw(struct run *run, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/prop_runai");
	int64_t at = 0;
	run->nodes = 1 + below(&rng, 3);
	for (uint32_t i = 0; i < JOBS; i++) {
		at += below(&rng, 3) ? 0 : below(&rng, 30);
		run->job[i] = (struct drawn){ .submit = at,
			.run = 1 + below(&rng, 60),
			.tasks = 1 + below(&rng, below(&rng, 3) ? 1 : run->nodes),
			.gpus = 1 + below(&rng, GPUS),
			.account = below(&rng, ACCOUNTS),
			.begin = below(&rng, 6) ? at : at + below(&rng, 40) };
	}
	run->seed = seed;
	run->policy = policies[seed % SL_LEN(policies)];
}

/* As files; a run of it. */
static int play(struct run *run)
{
	static char trace[4096], cluster[200];
	size_t at = (size_t)snprintf(
		trace, sizeof(trace), "submit,begin,run_time,time_limit,tasks,gpus_per_task,account\n");
	for (uint32_t i = 0; i < JOBS; i++) {
		const struct drawn *job = &run->job[i];
		at += (size_t)snprintf(trace + at, sizeof(trace) - at, "%d,%d,%d,%d,%d,%d,a%d\n",
			(int)job->submit, (int)job->begin, (int)job->run, (int)job->run * 2, (int)job->tasks,
			(int)job->gpus, (int)job->account);
	}
	(void)snprintf(cluster, sizeof(cluster),
		"nodes: [{name: n, count: %d, cpus: 64, memory: 64GiB, gpus: {a100: %d}}]\n", (int)run->nodes,
		GPUS);
	struct trace_run *of = &run->of;
	memset(of, 0, sizeof(*of));
	of->settings.arena = sl_arena_new();
	SL_CHECK(of->settings.arena);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(of->path, trace, at),
		.cluster = memfile(run->cluster_path, cluster, strlen(cluster)),
		.settings = &of->settings };
	int status = scenario_load(&of->scenario, &options, &of->err);
	if (!status)
		status = policy_choose(builtin_registry(), &of->choice, run->policy, &of->settings,
			of->settings.arena, &of->err);
	const struct sim_options how = { .scenario = &of->scenario, .choice = &of->choice, .check = true };
	return status ? status : sim_run(&of->sim, &how, &of->err);
}

/* ---- What was held ---- */

static void gather(struct run *run)
{
	const struct sl_result *result = &run->of.sim.result;
	bool several[JOBS] = { false };
	run->count = 0;
	for (size_t i = 0; i < result->attempt_count; i++) {
		SL_CHECK(run->count + JOBS < ATTEMPTS);
		several[result->attempts[i].job] = true;
		run->all[run->count++] = result->attempts[i];
	}
	for (uint32_t i = 0; i < JOBS; i++)
		if (!several[i])
			run->all[run->count++] = (struct sl_attempt){
				.job = i, .start = result->start[i], .end = result->end[i]
			};
}

static int64_t gpus_of(const struct run *run, uint32_t job)
{
	return run->job[job].gpus * run->job[job].tasks;
}

/* GPUs held from then on, by jobs of one pod: others may lose some of theirs. */
static int64_t held_at(const struct run *run, sl_time at)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < run->count; i++)
		if (run->job[run->all[i].job].tasks == 1 && run->all[i].start <= at && at < run->all[i].end)
			sum += gpus_of(run, run->all[i].job);
	return sum;
}

static bool waits_at(const struct run *run, uint32_t job, sl_time at)
{
	const struct drawn *row = &run->job[job];
	const int64_t from = row->begin > row->submit ? row->begin : row->submit;
	if (at < from * SL_SECOND || at >= run->of.sim.result.end[job])
		return false;
	for (uint32_t i = 0; i < run->count; i++)
		if (run->all[i].job == job && run->all[i].start <= at && at < run->all[i].end)
			return false;
	return true;
}

/* ---- Properties ---- */

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_jobs(const struct run *run)
{
	const struct sl_result *result = &run->of.sim.result;
	const unsigned long long seed = run->seed;
	for (uint32_t i = 0; i < JOBS; i++) {
		const struct drawn *job = &run->job[i];
		const int64_t from = job->begin > job->submit ? job->begin : job->submit;
		sl_time work = 0;
		for (uint32_t k = 0; k < run->count; k++)
			if (run->all[k].job == i)
				work += run->all[k].end - run->all[k].start - run->all[k].lost;
		cr_assert_eq(result->state[i], SL_COMPLETED, "world %llu (%s): job %u", seed, run->policy, i);
		cr_assert_geq(result->start[i], from * SL_SECOND, "world %llu (%s): job %u is early", seed,
			run->policy, i);
		/* One of several pods may be moved: the rest runs on, slower. */
		cr_assert(job->tasks > 1 ? work >= job->run * SL_SECOND : work == job->run * SL_SECOND,
			"world %llu (%s): job %u did %lld us", seed, run->policy, i, (long long)work);
	}
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void check_instant(const struct run *run, sl_time at)
{
	const int64_t all = run->nodes * GPUS, held = held_at(run, at);
	cr_assert_leq(held, all, "world %llu (%s): %lld GPUs at %lld", (unsigned long long)run->seed,
		run->policy, (long long)held, (long long)at);
	if (run->nodes > 1 || run->seed % SL_LEN(policies) >= AT_ONCE)
		return;
	for (uint32_t i = 0; i < JOBS; i++)
		cr_assert(!waits_at(run, i, at) || gpus_of(run, i) > all - held,
			"world %llu (%s): job %u waits at %lld, and %lld GPUs are idle",
			(unsigned long long)run->seed, run->policy, i, (long long)at,
			(long long)(all - held));
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
Test(prop_runai, accounting_capacity_and_work)
{
	static struct run run;
	uint32_t evicted = 0;
	for (uint64_t seed = 1; seed <= runs(); seed++) {
		draw(&run, seed);
		const int status = play(&run);
		cr_assert_eq(status, SL_OK, "world %llu (%s): %s", (unsigned long long)seed, run.policy,
			run.of.err.text);
		gather(&run);
		check_jobs(&run);
		for (uint32_t i = 0; i < run.count; i++) {
			check_instant(&run, run.all[i].start);
			check_instant(&run, run.all[i].end);
			evicted += run.all[i].state == SL_PREEMPTED;
		}
		trace_release(&run.of);
	}
	cr_expect_gt(evicted, runs() / 4, "%u evictions", evicted);
}

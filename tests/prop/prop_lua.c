/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_lua.c - policies and orders in Lua against the built-in ones of the same rule, on generated worlds, of
 * counted cpus and of nodes: every job starts and ends at the same time, under --check too.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/memfile.h"
#include "tests/world/world.h"

#define START_IN_ORDER                                             \
	"  local head = s:first()\n"                               \
	"  while head and s:start(head) do head = s:first() end\n" \
	"  if not head then return end\n"                          \
	"  s:head(head)\n"

#define FCFS "function pass(s)\n" START_IN_ORDER "end\n"
#define EASY                                                                    \
	"function pass(s)\n" START_IN_ORDER "  local shadow = s:shadow(head)\n" \
	"  local job = s:next_fit(head, shadow)\n"                              \
	"  while job do s:start(job) job = s:next_fit(job, shadow) end\n"       \
	"end\n"
/* By visits, not by the index. */
#define GREEDY "function pass(s) for job in s:queue() do s:start(job) end end\n"
#define WFP3                                             \
	"function order(job, now)\n"                     \
	"  local ratio = job.wait / job.limit\n"         \
	"  return -(ratio * ratio * ratio * job.size)\n" \
	"end\n"
#define SJF "function order(job) return job.limit end\n"

/* "%s" stands for the script. */
static const struct {
	const char *built_in, *scripted, *script;
} pairs[] = {
	{ "fcfs", "lua:%s", FCFS },
	{ "easy", "lua:%s", EASY },
	{ "greedy", "lua:%s", GREEDY },
	{ "sjf", "lua:%s", SJF FCFS },
	{ "sjf", "sjf:order=lua:%s", SJF },
	{ "easy:order=sjf", "easy:order=lua:%s", SJF },
	{ "easy:fill=shortest", "easy:fill=lua:%s", "function fill(job) return job.estimate end\n" },
	{ "easy:fill=shortest", "lua:%s", "function fill(job) return job.estimate end\n" EASY },
	{ "wfp3", "lua:%s", WFP3 FCFS },
	{ "easy:order=wfp3", "easy:order=lua:%s", WFP3 },
	{ "conservative", "lua:%s",
		"uses = { 'promises' }\nfunction pass(s) s:promise_all() s:start_due() end\n" },
	{ "easy:estimate=exact", "easy:estimate=lua:%s",
		"clairvoyant = true\nfunction estimate(job) return math.min(job.run, job.limit) end\n" },
};

static void random_world(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/lua");
	*w = (struct world){ .cpus = 1 + (int64_t)sl_rng_below(&rng, 12) };
	w->count = 1 + (uint32_t)sl_rng_below(&rng, 24);
	w->as_nodes = sl_rng_below(&rng, 2);
	w->overrun = (enum sl_overrun)sl_rng_below(&rng, SL_OVERRUN_COUNT);
	const uint64_t gap = 1 + sl_rng_below(&rng, 6);
	const uint64_t run = 1 + sl_rng_below(&rng, 20);
	const uint64_t over = 1 + sl_rng_below(&rng, 12);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, gap);
		job->submit = submit;
		job->run = 1 + (int64_t)sl_rng_below(&rng, run);
		job->limit = job->run + (int64_t)sl_rng_below(&rng, over) - (int64_t)sl_rng_below(&rng, 3);
		job->limit = job->limit < 1 ? 1 : job->limit;
		job->size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
	}
}

struct times {
	int64_t start[WORLD_JOBS], end[WORLD_JOBS];
};

static void times_of(struct world *w, const char *policy, bool check, uint64_t seed, struct times *times)
{
	const int status = world_run(w, policy, check);
	if (status)
		cr_assert_fail("seed %llu, %s: %s", (unsigned long long)seed, policy, w->err.text);
	for (uint32_t i = 0; i < w->count; i++) {
		times->start[i] = world_start(w, i);
		times->end[i] = world_end(w, i);
	}
	world_release(w);
}

Test(lua, scripts_do_what_the_built_in_rule_does, .timeout = 600)
{
	const uint64_t worlds = effort_of(40, 150, 5000);
	for (size_t i = 0; i < SL_LEN(pairs); i++) {
		char path[32];
		char policy[100];
		struct registry registry;
		struct sl_err err = { 0 };
		(void)memfile(path, pairs[i].script, strlen(pairs[i].script));
		const char *gap = strstr(pairs[i].scripted, "%s");
		(void)snprintf(policy, sizeof(policy), "%.*s%s", (int)(gap - pairs[i].scripted),
			pairs[i].scripted, path);
		cr_assert_eq(registry_make(&registry, &err), SL_OK);
		cr_assert_eq(registry_add_policy(&registry, policy, &err), SL_OK, "%s", err.text);
		for (uint64_t seed = 1; seed <= worlds; seed++) {
			struct world w;
			struct times is = { 0 };
			struct times should = { 0 };
			random_world(&w, seed);
			/* A script is woken where a job outlives its estimate, which `exact` never looks at.
			 */
			if (strstr(pairs[i].script, "clairvoyant") && w.overrun == SL_OVERRUN_EXTEND)
				continue;
			times_of(&w, pairs[i].built_in, false, seed, &should);
			random_world(&w, seed);
			w.registry = &registry;
			times_of(&w, policy, seed % 10 == 0, seed, &is);
			cr_assert_arr_eq(is.start, should.start, sizeof(is.start),
				"seed %llu: %s as %s: starts", (unsigned long long)seed, pairs[i].scripted,
				pairs[i].built_in);
			cr_assert_arr_eq(is.end, should.end, sizeof(is.end), "seed %llu: %s as %s: ends",
				(unsigned long long)seed, pairs[i].scripted, pairs[i].built_in);
		}
		registry_release(&registry);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_plans.c - what each plan guarantees, on generated workloads: a policy around the composed one looks on
 * before and after each pass.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/world.h"

extern const struct sl_policy policy_composed;

static uint64_t worlds(uint64_t plain) { return effort_of(plain / 10 + 1, plain, plain * 5); }

struct bounds {
	uint64_t jobs, cpus, gap, run, over;
	bool cancels;
};

static void random_world(struct world *w, uint64_t seed, const struct bounds *bounds)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/plans");
	*w = (struct world){ .cpus = 1 + (int64_t)sl_rng_below(&rng, bounds->cpus) };
	w->count = 1 + (uint32_t)sl_rng_below(&rng, bounds->jobs);
	const uint64_t gap = 1 + sl_rng_below(&rng, bounds->gap);
	const uint64_t run = 1 + sl_rng_below(&rng, bounds->run);
	const uint64_t over = 1 + sl_rng_below(&rng, bounds->over);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, gap);
		job->submit = submit;
		job->run = 1 + (int64_t)sl_rng_below(&rng, run);
		job->limit = job->run + (int64_t)sl_rng_below(&rng, over);
		job->size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
		job->user = (int32_t)sl_rng_below(&rng, 4);
		if (bounds->cancels && sl_rng_below(&rng, 4) == 0)
			job->cancel = submit + 1 + (int64_t)sl_rng_below(&rng, 30);
	}
}

static const struct bounds some = { .jobs = 30, .cpus = 10, .gap = 6, .run = 20, .over = 12 };

static void expect_same_starts(struct world *w, const char *a, const char *b, uint64_t seed)
{
	int64_t start[WORLD_JOBS];
	cr_assert_eq(world_run(w, a, seed % 20 == 0), SL_OK, "%s: %s", a, w->err.text);
	for (uint32_t i = 0; i < w->count; i++)
		start[i] = world_start(w, i);
	world_release(w);
	cr_assert_eq(world_run(w, b, false), SL_OK, "%s: %s", b, w->err.text);
	for (uint32_t i = 0; i < w->count; i++)
		cr_assert_eq(world_start(w, i), start[i],
			"seed %llu: job %u starts at %lld under %s, at %lld under %s",
			(unsigned long long)seed, i + 1, (long long)start[i], a, (long long)world_start(w, i),
			b);
	world_release(w);
}

/* Depth 1 is EASY, whatever the order and whatever runs over; gang without gangs too; slices with one row is
 * fcfs, and so is fairshare among one user. */
Test(plans, some_are_others, .timeout = 600)
{
	static const char *const same[][2] = {
		{ "depth-k:depth=1", "easy" },
		{ "depth-k:depth=1,order=sjf", "easy:order=sjf" },
		{ "depth-k:depth=1,fill=shortest", "easy:fill=shortest" },
		{ "depth-k:depth=1,order=fairshare", "easy:order=fairshare" },
		{ "gang", "easy" },
		{ "gang:order=sjf,fill=shortest", "easy:order=sjf,fill=shortest" },
		{ "slices:rows=1", "fcfs" },
		{ "fairshare:by=account", "easy" },
		{ "drf:by=account,blocked=all", "fcfs" },
		{ "lottery:by=account,plan=easy", "easy" },
		{ "stride:by=account,plan=conservative", "conservative" },
	};
	for (uint64_t seed = 1; seed <= worlds(1500); seed++)
		for (size_t i = 0; i < SL_LEN(same); i++) {
			struct bounds bounds = some;
			struct world w;
			bounds.cancels = seed % 2;
			random_world(&w, seed, &bounds);
			w.overrun = seed % 3 == 0 ? SL_OVERRUN_KILL : SL_OVERRUN_RAISE;
			expect_same_starts(&w, same[i][0], same[i][1], seed);
		}
}

/* ---- Depth ------------------------------------------------------------------------------------- */

enum { HORIZON = 4096 };

/* Second by second; the first `depth` that cannot start hold promises, from nothing in each pass. */
static void depth_reference(const struct world *w, uint32_t depth, int64_t *start)
{
	uint32_t left = w->count;
	for (uint32_t i = 0; i < w->count; i++)
		start[i] = -1;
	for (int64_t now = 0; left; now++) {
		int64_t free[HORIZON];
		for (int64_t t = 0; t < HORIZON; t++)
			free[t] = w->cpus;
		left = 0;
		for (uint32_t i = 0; i < w->count; i++) {
			const struct world_job *job = &w->job[i];
			left += start[i] < 0 || start[i] + job->run > now;
			if (start[i] >= 0 && start[i] + job->run > now)
				for (int64_t t = 0; t < start[i] + job->limit - now; t++)
					free[t] -= job->size;
		}
		uint32_t held = 0;
		for (uint32_t i = 0; i < w->count; i++) {
			const struct world_job *job = &w->job[i];
			if (start[i] >= 0 || job->submit > now)
				continue;
			int64_t at = 0;
			for (int64_t t = 0; t < at + job->limit; t++)
				if (free[t] < job->size)
					at = t + 1;
			if (at && held >= depth)
				continue;
			held += at > 0;
			start[i] = at ? -1 : now;
			for (int64_t t = at; t < at + job->limit; t++)
				free[t] -= job->size;
		}
	}
}

Test(plans, depth_agrees_with_the_reference, .timeout = 600)
{
	for (uint64_t seed = 1; seed <= worlds(400); seed++) {
		const uint32_t depth = 1 + (uint32_t)(seed % 5);
		char policy[64];
		int64_t start[WORLD_JOBS];
		struct world w;
		random_world(&w, seed, &some);
		depth_reference(&w, depth, start);
		(void)snprintf(policy, sizeof(policy), "depth-k:depth=%u", depth);
		cr_assert_eq(world_run(&w, policy, seed % 20 == 0), SL_OK, "%s", w.err.text);
		for (uint32_t i = 0; i < w.count; i++)
			cr_assert_eq(world_start(&w, i), start[i], "seed %llu, %s: job %u at %lld, not %lld",
				(unsigned long long)seed, policy, i + 1, (long long)world_start(&w, i),
				(long long)start[i]);
		world_release(&w);
	}
}

/* ---- Around a policy ------------------------------------------------------------------------------ */

static struct around {
	void (*before)(struct sl_pass *pass);
	void (*after)(struct sl_pass *pass);
	const struct world *w;
	uint64_t seed;
	void *inner;
	sl_time first[WORLD_JOBS]; /* Slack: the first promise. */
	bool was_running[WORLD_JOBS];
	sl_time stopped[WORLD_JOBS];
	int64_t number; /* Of the case. */
} around;

static int around_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	*state = &around;
	for (uint32_t i = 0; i < WORLD_JOBS; i++)
		around.first[i] = around.stopped[i] = SL_NONE;
	return policy_composed.init(&around.inner, setup, err);
}

static void around_pass(void *state, struct sl_pass *pass)
{
	(void)state;
	if (around.before)
		around.before(pass);
	policy_composed.pass(around.inner, pass);
	if (around.after)
		around.after(pass);
}

static void around_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	(void)state;
	policy_composed.on_event(around.inner, pass, event);
}

static const struct sl_policy policy_around = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "around",
	.init = around_init,
	.pass = around_pass,
	.on_event = around_event,
};

static void run_around(struct world *w, const char *policy, uint64_t seed)
{
	around.w = w;
	around.seed = seed;
	w->instead = &policy_around;
	cr_assert_eq(world_run(w, policy, seed % 10 == 0), SL_OK, "seed %llu, %s: %s",
		(unsigned long long)seed, policy, w->err.text);
}

static bool is_waiting(const struct sl_pass *pass, uint32_t job)
{
	return sl_jobs_of(pass)->submit[job] <= sl_now(pass) &&
	       sl_state_of(pass, (sl_job){ job }) == SL_PENDING;
}

/* ---- Slack: nobody starts later than his first promise plus his slack, while estimates are upper bounds ---
 */

/* As the policy is going to make them: orders that change from pass to pass would be others by then. */
static void note_first_promises(struct sl_pass *pass)
{
	const sl_marked mark = sl_mark(pass);
	if (sl_promises_broken(pass))
		sl_promises_drop(pass);
	else
		sl_promises_compress(pass);
	sl_promises_make(pass);
	for (uint32_t i = 0; i < around.w->count; i++)
		if (is_waiting(pass, i) && around.first[i] == SL_NONE)
			around.first[i] = sl_promise_of(pass, (sl_job){ i });
	sl_undo(pass, mark);
}

Test(plans, slack_is_never_exceeded, .timeout = 600)
{
	static const struct {
		const char *policy;
		double factor;
		int64_t extra;
	} cases[] = { { "slack", 1, 0 }, { "slack:slack=0.5", 0.5, 0 }, { "slack:slack=0", 0, 0 },
		{ "slack:slack=0,slack_time=7", 0, 7 }, { "slack:slack=3,order=sjf", 3, 0 },
		{ "slack:slack=2,tries=1,order=saf", 2, 0 }, { "slack:fill=shortest", 1, 0 } };
	around = (struct around){ .before = note_first_promises };
	uint64_t slipped = 0;
	for (uint64_t seed = 1; seed <= worlds(1500); seed++) {
		const size_t i = seed % SL_LEN(cases);
		struct bounds bounds = some;
		struct world w;
		bounds.cancels = seed % 2;
		random_world(&w, seed, &bounds);
		w.overrun = seed % 3 == 0 ? SL_OVERRUN_KILL : SL_OVERRUN_RAISE;
		run_around(&w, cases[i].policy, seed);
		for (uint32_t job = 0; job < w.count; job++) {
			const int64_t first = around.first[job] / SL_SECOND;
			const double bound = (double)first + cases[i].factor * (double)w.job[job].limit +
					     (double)cases[i].extra;
			cr_assert((double)world_start(&w, job) <= bound + 1e-6,
				"seed %llu, %s: job %u, promised %lld, started at %lld",
				(unsigned long long)seed, cases[i].policy, job + 1, (long long)first,
				(long long)world_start(&w, job));
			slipped += world_start(&w, job) > first;
		}
		world_release(&w);
	}
	cr_expect_gt(slipped, 0, "nothing was tested");
}

/* ---- Gangs start together ---------------------------------------------------------------------------- */

Test(plans, gangs_start_in_one_pass_or_not_at_all, .timeout = 600)
{
	static const char *const policies[] = { "gang", "gang:order=sjf", "gang:order=fairshare",
		"gang:fill=shortest", "gang:order=wfp3" };
	for (uint64_t seed = 1; seed <= worlds(1500); seed++) {
		const char *policy = policies[seed % SL_LEN(policies)];
		struct sl_rng rng = sl_rng_stream(seed, "tests/gangs");
		struct world w;
		random_world(&w, seed, &some);
		int64_t asked[6] = { 0 };
		for (uint32_t i = 0; i < w.count; i++) {
			const int32_t gang = (int32_t)sl_rng_below(&rng, 6);
			asked[gang] += w.job[i].size;
			w.job[i].gang = gang && asked[gang] <= w.cpus ? gang : 0;
			asked[gang] -= w.job[i].gang ? 0 : w.job[i].size;
		}
		cr_assert_eq(world_run(&w, policy, seed % 10 == 0), SL_OK, "%s", w.err.text);
		for (uint32_t a = 0; a < w.count; a++) {
			cr_assert_geq(world_start(&w, a), 0, "seed %llu, %s: job %u never starts",
				(unsigned long long)seed, policy, a + 1);
			for (uint32_t b = 0; b < a; b++)
				cr_assert(!w.job[a].gang || w.job[a].gang != w.job[b].gang ||
						  world_start(&w, a) == world_start(&w, b),
					"seed %llu, %s: jobs %u and %u", (unsigned long long)seed, policy,
					b + 1, a + 1);
		}
		world_release(&w);
	}
}

/* ---- Slices: who was stopped goes on when all others have had their turn ----------------------------- */

static void watch_stopped(struct sl_pass *pass)
{
	bool idle = true;
	bool stopped = false;
	for (uint32_t i = 0; i < around.w->count; i++) {
		const bool is = sl_state_of(pass, (sl_job){ i }) == SL_SUSPENDED;
		if (!is)
			around.stopped[i] = SL_NONE;
		else if (around.stopped[i] == SL_NONE)
			around.stopped[i] = sl_now(pass);
		idle &= sl_state_of(pass, (sl_job){ i }) != SL_RUNNING;
		stopped |= is;
		cr_assert(!is || sl_now(pass) - around.stopped[i] <= around.number,
			"seed %llu: job %u stands still since %lld at %lld", (unsigned long long)around.seed,
			i + 1, (long long)around.stopped[i], (long long)sl_now(pass));
		/* With alternates, nobody is stopped who would fit. */
		cr_assert(!is || around.number < 0 || sl_free(pass, SL_KIND_CPUS) < around.w->job[i].size ||
				  around.number % 2,
			"seed %llu: job %u is stopped though it fits", (unsigned long long)around.seed,
			i + 1);
	}
	cr_assert(!stopped || !idle, "seed %llu: nobody runs", (unsigned long long)around.seed);
}

Test(plans, slices_give_everyone_his_turn, .timeout = 600)
{
	around = (struct around){ .after = watch_stopped };
	for (uint64_t seed = 1; seed <= worlds(1500); seed++) {
		const int64_t rows = 1 + (int64_t)(seed % 5);
		const int64_t quantum = 2 + (int64_t)(seed % 7);
		const bool alternate = seed % 3;
		char policy[100];
		struct bounds bounds = some;
		struct world w;
		bounds.cancels = seed % 2;
		random_world(&w, seed, &bounds);
		(void)snprintf(policy, sizeof(policy), "slices:rows=%lld,quantum=%lld,alternate=%s%s",
			(long long)rows, (long long)quantum, alternate ? "yes" : "no",
			seed % 4 ? "" : ",order=fairshare");
		/* Even: alternates. */
		around.number = (rows - 1) * quantum * SL_SECOND + !alternate;
		run_around(&w, policy, seed);
		for (uint32_t i = 0; i < w.count; i++) {
			const sl_time stopped = w.sim.result.suspended ? w.sim.result.suspended[i] : 0;
			cr_assert(w.job[i].cancel || world_end(&w, i) - world_start(&w, i) ==
							     w.job[i].run + stopped / SL_SECOND,
				"seed %llu: job %u", (unsigned long long)seed, i + 1);
		}
		world_release(&w);
	}
}

/* ---- Quotas ----------------------------------------------------------------------------------------------
 */

enum { USERS = 4 };
static int64_t quota[USERS];

static void held_by(const struct sl_pass *pass, int64_t held[USERS])
{
	for (uint32_t i = 0; i < USERS; i++)
		held[i] = 0;
	for (uint32_t i = 0; i < around.w->count; i++)
		if (sl_state_of(pass, (sl_job){ i }) == SL_RUNNING)
			held[around.w->job[i].user] += around.w->job[i].size;
}

static int64_t held_before[USERS];

static void note_running(struct sl_pass *pass)
{
	held_by(pass, held_before);
	for (uint32_t i = 0; i < around.w->count; i++)
		around.was_running[i] = sl_state_of(pass, (sl_job){ i }) == SL_RUNNING;
}

/* Who is first of his party and within its quota does not wait; who was stopped belonged to a party beyond
 * its quota, and somebody within his started; while somebody within waits (without preemption), nobody beyond
 * starts. */
static void check_quotas(struct sl_pass *pass)
{
	int64_t held[USERS];
	bool seen[USERS] = { false };
	bool claimed = false;
	bool within_waits = false;
	held_by(pass, held);
	for (uint32_t i = 0; i < around.w->count; i++) {
		const struct world_job *job = &around.w->job[i];
		if (!is_waiting(pass, i) || seen[job->user])
			continue;
		seen[job->user] = true;
		within_waits |= held[job->user] + job->size <= quota[job->user];
	}
	cr_assert(!within_waits || !around.number, "seed %llu, at %lld: somebody within his quota waits",
		(unsigned long long)around.seed, (long long)sl_now(pass) / 1000000);
	for (uint32_t i = 0; i < around.w->count; i++) {
		const struct world_job *job = &around.w->job[i];
		const bool runs = sl_state_of(pass, (sl_job){ i }) == SL_RUNNING;
		claimed |= runs && !around.was_running[i] && job->size <= quota[job->user];
		cr_assert(!within_waits || !runs || around.was_running[i] || job->size <= quota[job->user],
			"seed %llu: job %u borrows while somebody waits", (unsigned long long)around.seed,
			i + 1);
	}
	for (uint32_t i = 0; i < around.w->count; i++) {
		const int32_t user = around.w->job[i].user;
		if (!around.was_running[i] || !is_waiting(pass, i))
			continue;
		cr_assert(around.number && claimed, "seed %llu: job %u was stopped for nobody",
			(unsigned long long)around.seed, i + 1);
		cr_assert_gt(held_before[user], quota[user], "seed %llu: job %u was stopped within its quota",
			(unsigned long long)around.seed, i + 1);
	}
}

Test(plans, quotas_are_kept, .timeout = 600)
{
	static const char *const how[] = { "requeue", "checkpoint", "none" };
	around = (struct around){ .before = note_running, .after = check_quotas };
	uint64_t stopped = 0;
	for (uint64_t seed = 1; seed <= worlds(3000); seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "tests/quotas");
		struct bounds bounds = some;
		struct world w;
		char policy[200];
		bounds.cancels = seed % 2;
		random_world(&w, seed, &bounds);
		int64_t left = w.cpus;
		for (uint32_t i = 0; i < USERS; i++) {
			quota[i] = (int64_t)sl_rng_below(&rng, (uint64_t)left + 1);
			left -= quota[i];
		}
		around.number = seed % 3 != 2;
		(void)snprintf(policy, sizeof(policy),
			"quota:preempt=%s,quotas=\"0=%lld,1=%lld,2=%lld,3=%lld\"", how[seed % 3],
			(long long)quota[0], (long long)quota[1], (long long)quota[2], (long long)quota[3]);
		run_around(&w, policy, seed);
		stopped += w.sim.result.attempt_count;
		for (uint32_t i = 0; i < w.count; i++)
			cr_assert(world_end(&w, i) >= 0, "seed %llu: job %u never ends",
				(unsigned long long)seed, i + 1);
		world_release(&w);
	}
	cr_expect_gt(stopped, 0, "nobody was ever stopped");
}

/* ---- Parts with each other: everyone ends, and a run is the same with every pass made twice --------------
 */

Test(plans, parts_go_together, .timeout = 600)
{
	static const char *const policies[] = { "fairshare:plan=conservative,half_life=20",
		"fairshare:plan=greedy,half_life=3", "fairshare:plan=easy,half_life=1,initial=\"1=50,2=3\"",
		"drf:plan=easy", "drf:plan=conservative", "drf:plan=depth,depth=3", "stride:plan=easy",
		"stride:plan=slack", "stride:plan=greedy,cost=size", "lottery", "lottery:plan=easy",
		"lottery:plan=fcfs", "lottery:plan=easy,fill=shortest", "fairshare:estimate=tsafrir",
		"depth-k:estimate=tsafrir", "slack:estimate=tsafrir", "slack:order=wfp3",
		"gang:estimate=tsafrir", "slices:order=sjf,quantum=5", "slices:order=stride,quantum=3,rows=3",
		"slices:order=drf,quantum=4,alternate=no", "quota:estimate=exact", "quota",
		"quota:preempt=checkpoint", "quota:preempt=none", "depth-k:fill=shortest" };
	for (uint64_t seed = 1; seed <= worlds(600); seed++)
		for (size_t i = 0; i < SL_LEN(policies); i++) {
			struct bounds bounds = some;
			struct world w;
			int64_t end[WORLD_JOBS];
			uint64_t digest = 0;
			bounds.cancels = seed % 2;
			random_world(&w, seed + i * 1000000, &bounds);
			w.overrun = (enum sl_overrun)(seed % SL_OVERRUN_COUNT);
			for (uint32_t job = 0; w.overrun != SL_OVERRUN_RAISE && job < w.count; job++)
				w.job[job].limit = 1 + (w.job[job].limit * (int64_t)(job % 3 + 1)) / 3;
			for (int check = 0; check < 2; check++) {
				cr_assert_eq(world_run(&w, policies[i], check), SL_OK, "seed %llu, %s: %s",
					(unsigned long long)seed, policies[i], w.err.text);
				for (uint32_t job = 0; job < w.count; job++) {
					cr_assert(world_end(&w, job) >= 0, "seed %llu, %s: job %u never ends",
						(unsigned long long)seed, policies[i], job + 1);
					cr_assert(!check || world_end(&w, job) == end[job],
						"seed %llu, %s: job %u", (unsigned long long)seed,
						policies[i], job + 1);
					end[job] = world_end(&w, job);
				}
				cr_assert(!check || w.sim.result.digest == digest, "seed %llu, %s",
					(unsigned long long)seed, policies[i]);
				digest = w.sim.result.digest;
				world_release(&w);
			}
		}
}

/* A pool as nodes of one cpu: the same starts. Not of slices, where who stands still keeps its nodes' memory,
 * and not where promises name their nodes. */
Test(plans, one_cpu_nodes_are_a_pool, .timeout = 600)
{
	static const char *const policies[] = { "fairshare:half_life=20", "drf", "drf:plan=easy", "stride",
		"lottery", "lottery:plan=easy", "quota", "quota:preempt=checkpoint" };
	for (uint64_t seed = 1; seed <= worlds(300); seed++)
		for (size_t i = 0; i < SL_LEN(policies); i++) {
			struct world w;
			int64_t start[WORLD_JOBS];
			random_world(&w, seed + i * 1000000, &some);
			for (int nodes = 0; nodes < 2; nodes++) {
				w.as_nodes = nodes;
				cr_assert_eq(world_run(&w, policies[i], seed % 20 == 0), SL_OK,
					"seed %llu, %s: %s", (unsigned long long)seed, policies[i],
					w.err.text);
				for (uint32_t job = 0; job < w.count; job++) {
					cr_assert(!nodes || world_start(&w, job) == start[job],
						"seed %llu, %s: job %u starts at %lld, on nodes at %lld",
						(unsigned long long)seed, policies[i], job + 1,
						(long long)start[job], (long long)world_start(&w, job));
					start[job] = world_start(&w, job);
				}
				world_release(&w);
			}
		}
}

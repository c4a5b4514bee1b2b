/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_gates.c - generated jobs with begin times, holds, dependencies, arrays, deadlines and
 * cancellations: against a reference that looks at everything anew in each microsecond; and however a run is
 * cut in pieces, what comes of it is the same. The seed is named in the failure.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/reference.h"

enum { WORLDS = 400, JOBS_MAX = 14, NOT_YET = -1, UNTIL = 1500 };

static int64_t below(struct sl_rng *rng, uint64_t bound) { return (int64_t)sl_rng_below(rng, bound); }
static bool one_in(struct sl_rng *rng, uint64_t n) { return !sl_rng_below(rng, n); }

static void random_depends(struct world_job *job, uint32_t count, struct sl_rng *rng)
{
	static const char *const names[] = { "a", "b" };
	if (one_in(rng, 2))
		job->name = names[below(rng, 2)];
	if (!one_in(rng, 3))
		return;
	job->depends = 1 + (uint32_t)below(rng, 3);
	for (uint32_t i = 0; i < job->depends; i++) {
		struct sl_depend *depend = &job->depend[i];
		*depend = (struct sl_depend){ .kind = (enum sl_depend_kind)below(rng, SL_DEPEND_KINDS),
			.job = one_in(rng, 10) ? UINT32_MAX : (uint32_t)below(rng, count) };
		if (depend->kind != SL_SINGLETON && one_in(rng, 3))
			depend->delay = below(rng, 60);
		if (i + 1 < job->depends && one_in(rng, 2))
			depend->or_next = true;
		else if (i + 1 < job->depends && one_in(rng, 4))
			depend->with_next = true;
	}
}

static void random_world(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/gates");
	*w = (struct world){ .cpus = 2 + below(&rng, 6), .unit = 1, .seed = seed };
	w->count = 2 + (uint32_t)below(&rng, JOBS_MAX - 1);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += below(&rng, 12);
		job->submit = submit;
		job->run = 1 + below(&rng, 40);
		job->limit = job->run + (one_in(&rng, 2) ? below(&rng, 40) : 0);
		job->size = 1 + (int32_t)below(&rng, (uint64_t)w->cpus);
		job->user = (int32_t)below(&rng, 2);
		if (one_in(&rng, 4))
			job->begin = 1 + below(&rng, 150);
		job->held = one_in(&rng, 12);
		if (one_in(&rng, 6))
			job->cancel = submit + 1 + below(&rng, 100);
		if (one_in(&rng, 6))
			job->deadline = submit + 1 + below(&rng, 200);
		if (job->deadline && one_in(&rng, 3))
			job->time_min = 1 + below(&rng, (uint64_t)job->limit);
		if (one_in(&rng, 3)) {
			job->array = 1 + below(&rng, 2);
			job->array_task = below(&rng, 20);
			job->array_limit = job->array; /* All tasks of one have the same. */
		}
		random_depends(job, w->count, &rng);
	}
}

/* ---- The reference ---------------------------------------------------------------------- */

static bool singleton_met(const struct world *w, uint32_t job, int64_t now, const int64_t *end)
{
	for (uint32_t i = 0; i < job; i++)
		if (w->job[job].name && w->job[i].name && strcmp(w->job[i].name, w->job[job].name) == 0 &&
			w->job[i].user == w->job[job].user && (end[i] == NOT_YET || end[i] > now))
			return false;
	return true;
}

static bool met(const struct world *w, uint32_t job, const struct sl_depend *depend, int64_t now,
	const int64_t *start, const int64_t *end)
{
	const uint32_t on = depend->job;
	if (depend->kind == SL_SINGLETON)
		return singleton_met(w, job, now, end);
	if (on == UINT32_MAX)
		return true;
	if (depend->kind == SL_AFTER && start[on] != NOT_YET)
		return start[on] + depend->delay <= now;
	if (end[on] == NOT_YET || end[on] > now || end[on] + depend->delay > now)
		return false;
	const bool well = start[on] != NOT_YET && end[on] - start[on] == w->job[on].run;
	if (depend->kind == SL_AFTER_OK || depend->kind == SL_AFTER_CORR)
		return well;
	return depend->kind != SL_AFTER_NOTOK || !well;
}

/* All clauses, each one of its chains, each all of its links. */
static bool all_met(
	const struct world *w, uint32_t job, int64_t now, const int64_t *start, const int64_t *end)
{
	const struct world_job *of = &w->job[job];
	bool all = true;
	for (uint32_t i = 0; i < of->depends;) {
		bool any = false;
		bool joined = true;
		while (joined) {
			bool chain = true;
			bool more = true;
			for (; more; i++) {
				chain = met(w, job, &of->depend[i], now, start, end) && chain;
				more = of->depend[i].with_next;
			}
			any |= chain;
			joined = of->depend[i - 1].or_next;
		}
		all &= any;
	}
	return all;
}

static bool opens(const struct world *w, uint32_t i, int64_t now, const int64_t *start, const int64_t *end,
	const bool *in)
{
	const struct world_job *job = &w->job[i];
	if (in[i] || end[i] != NOT_YET || job->submit > now || job->begin > now || (job->held && !job->begin))
		return false;
	return all_met(w, i, now, start, end);
}

/* Of its array: who is in and has not ended. */
static bool has_room(const struct world *w, uint32_t job, int64_t now, const int64_t *end, const bool *in)
{
	int64_t inside = 0;
	for (uint32_t i = 0; i < w->count; i++)
		inside +=
			w->job[i].array == w->job[job].array && in[i] && (end[i] == NOT_YET || end[i] > now);
	return !w->job[job].array || inside < w->job[job].array_limit;
}

/* The first that is let in: those of no array, then tasks by index. */
static bool released(const struct world *w, int64_t now, const int64_t *start, const int64_t *end, bool *in)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < w->count; i++) {
		if (!opens(w, i, now, start, end, in) || !has_room(w, i, now, end, in))
			continue;
		if (!w->job[i].array || best == UINT32_MAX ||
			(w->job[best].array && w->job[i].array_task < w->job[best].array_task))
			best = i;
		if (!w->job[i].array)
			break;
	}
	if (best == UINT32_MAX)
		return false;
	in[best] = true;
	return true;
}

/* The first that is cancelled, or cannot make its deadline. */
static bool leaves(
	const struct world *w, int64_t now, const int64_t *limit, const int64_t *start, int64_t *end)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct world_job *job = &w->job[i];
		const bool runs = start[i] != NOT_YET && end[i] > now;
		const bool pending = start[i] == NOT_YET && end[i] == NOT_YET && job->submit <= now;
		const int64_t length = job->time_min ? job->time_min : limit[i];
		const bool late = job->deadline && now + length > job->deadline;
		if ((job->cancel && job->cancel <= now && (runs || pending)) || (late && pending)) {
			end[i] = now;
			return true;
		}
	}
	return false;
}

static bool eligibility(const struct world *w, int64_t now, const int64_t *limit, const int64_t *start,
	int64_t *end, bool *in)
{
	bool changed = false;
	bool retry = true;
	while (retry) {
		retry = false;
		while (released(w, now, start, end, in))
			retry = true;
		retry |= leaves(w, now, limit, start, end);
		changed |= retry;
	}
	return changed;
}

static const struct {
	const char *policy;
	enum reference_policy like;
} pairs[] = {
	{ "fcfs", REFERENCE_FCFS },
	{ "easy", REFERENCE_EASY },
	{ "conservative", REFERENCE_CONSERVATIVE },
	{ "greedy", REFERENCE_GREEDY },
};

Test(prop_eligibility, as_the_reference)
{
	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		struct world w;
		random_world(&w, seed);
		const struct reference_options options = {
			.policy = pairs[seed % SL_LEN(pairs)].like, .eligibility = eligibility, .until = UNTIL
		};
		int64_t start[WORLD_JOBS];
		int64_t end[WORLD_JOBS];
		reference_run(&w, &options, start, end);
		cr_assert_eq(world_run(&w, pairs[seed % SL_LEN(pairs)].policy, true), SL_OK, "seed %llu: %s",
			(unsigned long long)seed, w.err.text);
		for (uint32_t job = 0; job < w.count; job++)
			cr_assert(world_start(&w, job) == start[job] && world_end(&w, job) == end[job],
				"seed %llu, %s, job %u: %lld to %lld, by the reference %lld to %lld",
				(unsigned long long)seed, w.sim.result.policy, job + 1,
				(long long)world_start(&w, job), (long long)world_end(&w, job),
				(long long)start[job], (long long)end[job]);
		world_release(&w);
	}
}

/* ---- The same in pieces, and under every plan ------------------------------------------------ */

static const struct {
	const char *policy;
	bool forgets; /* What it decides follows from who runs and who waits: a switch and back is nothing. */
} plans[] = {
	{ "easy", true },
	{ "greedy", true },
	{ "sjf", true },
	{ "fcfs", true },
	{ "conservative", false },
	{ "slack", false },
	{ "depth-k", false },
	{ "easy++", false },
	{ "fairshare", false },
	{ "quota", false },
};

/* In two pieces, between which (over) another policy takes over and gives back at once. */
static int run_parts(struct world *w, const char *policy, int64_t stop, bool over)
{
	struct sim_options options;
	struct policy_choice other;
	int status = world_open(w, policy, true, &options);
	options.record |= over ? SIM_RECORD_HISTORY : 0;
	if (!status)
		status = world_choose(w, "easy:fill=shortest", &other);
	if (!status)
		status = sim_begin(&w->sim, &options, &w->err);
	if (!status)
		status = sim_advance(&w->sim, stop, &w->err);
	if (!status && over)
		status = sim_handover(&w->sim, &other, &w->err);
	if (!status && over)
		status = sim_handover(&w->sim, &w->choice, &w->err);
	if (!status)
		status = sim_advance(&w->sim, SL_NEVER, &w->err);
	return status ? status : sim_end(&w->sim, &w->err);
}

static bool same(const struct world *a, const struct world *b, bool digests)
{
	const struct sl_result *x = &a->sim.result;
	const struct sl_result *y = &b->sim.result;
	const size_t times = a->count * sizeof(*x->start);
	const bool eligible = (!x->eligible && !y->eligible) || memcmp(x->eligible, y->eligible, times) == 0;
	return (!digests || (x->digest == y->digest && x->reason_count == y->reason_count)) && eligible &&
	       memcmp(x->start, y->start, times) == 0 && memcmp(x->end, y->end, times) == 0 &&
	       memcmp(x->state, y->state, a->count) == 0;
}

Test(prop_eligibility, in_parts)
{
	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		const size_t plan = seed % SL_LEN(plans);
		const bool over = seed / SL_LEN(plans) % 2;
		const char *policy = plans[plan].policy;
		struct world whole;
		struct world parts;
		random_world(&whole, seed);
		whole.as_nodes = seed % 3 == 0;
		parts = whole;
		cr_assert_eq(world_run(&whole, policy, true), SL_OK, "seed %llu, %s: %s",
			(unsigned long long)seed, policy, whole.err.text);
		cr_assert_eq(run_parts(&parts, policy, (int64_t)(seed % 97), over), SL_OK,
			"seed %llu, %s: %s", (unsigned long long)seed, policy, parts.err.text);
		if (!over || plans[plan].forgets)
			cr_assert(same(&whole, &parts, !over), "seed %llu, %s", (unsigned long long)seed,
				policy);
		world_release(&whole);
		world_release(&parts);
	}
}

/* ---- From the middle of a log -------------------------------------------------------------------- */

/* What a log does not tell of those who ended before: how, and how long ago. And it does not say who of an
 * array was let in, so that they come in order. */
static void report_less(struct world *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		for (uint32_t k = 0; k < job->depends; k++) {
			struct sl_depend *depend = &job->depend[k];
			depend->delay = 0;
			if (depend->kind != SL_AFTER && depend->kind != SL_SINGLETON)
				depend->kind = SL_AFTER_ANY;
		}
		if (!job->array)
			continue;
		job->begin = 0;
		job->held = false;
		job->depends = 0;
		job->array_task = i;
	}
}

/* Those that have not ended at that time, with how long they had run; of[i]: which they were. */
static void cut(struct world *w, const struct world *whole, int64_t at, sl_time *ran, uint32_t *of)
{
	uint32_t place[WORLD_JOBS];
	*w = *whole;
	w->count = 0;
	for (uint32_t i = 0; i < whole->count; i++) {
		const int64_t start = world_start(whole, i);
		const int64_t end = world_end(whole, i);
		place[i] = UINT32_MAX;
		if (end != NOT_YET && end <= at && whole->job[i].submit < at)
			continue;
		place[i] = w->count;
		of[w->count] = i;
		ran[w->count] = start != NOT_YET && start < at ? at - start : SL_NONE;
		w->job[w->count++] = whole->job[i];
	}
	for (uint32_t i = 0; i < w->count; i++)
		for (uint32_t k = 0; k < w->job[i].depends; k++) {
			struct sl_depend *depend = &w->job[i].depend[k];
			depend->job = depend->job == UINT32_MAX ? UINT32_MAX : place[depend->job];
		}
}

Test(prop_eligibility, from_the_middle)
{
	for (uint64_t seed = 0; seed < WORLDS; seed++) {
		const char *policy = plans[seed % 4].policy;
		const int64_t at = 1 + (int64_t)(seed % 89);
		struct world whole;
		struct world rest;
		struct sim_options options;
		sl_time ran[WORLD_JOBS];
		uint32_t of[WORLD_JOBS];
		random_world(&whole, seed);
		report_less(&whole);
		whole.as_nodes = seed % 3 == 0;
		cr_assert_eq(world_run(&whole, policy, true), SL_OK, "seed %llu: %s",
			(unsigned long long)seed, whole.err.text);
		cut(&rest, &whole, at, ran, of);
		cr_assert_eq(world_open(&rest, policy, true, &options), SL_OK);
		rest.scenario.begins = true;
		rest.scenario.begin = at;
		rest.scenario.jobs.ran = ran;
		cr_assert_eq(sim_run(&rest.sim, &options, &rest.err), SL_OK, "seed %llu: %s",
			(unsigned long long)seed, rest.err.text);
		for (uint32_t i = 0; i < rest.count; i++)
			cr_assert(world_start(&rest, i) == world_start(&whole, of[i]) &&
					  world_end(&rest, i) == world_end(&whole, of[i]),
				"seed %llu, %s from %lld: job %u ran from %lld to %lld, before %lld to %lld",
				(unsigned long long)seed, policy, (long long)at, of[i] + 1,
				(long long)world_start(&rest, i), (long long)world_end(&rest, i),
				(long long)world_start(&whole, of[i]), (long long)world_end(&whole, of[i]));
		world_release(&whole);
		world_release(&rest);
	}
}

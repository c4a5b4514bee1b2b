/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_srtf.c - shortest remaining time first on counted pools against a slow reference: second by second,
 * from nothing but what each job has done. SL_EFFORT=full runs more worlds.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/world.h"

static uint64_t worlds(uint64_t plain) { return effort_of(plain / 10 + 1, plain, plain * 5); }

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

static void random_world(struct world *w, uint64_t seed, struct restart_step steps[2])
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/srtf");
	*w = (struct world){ .cpus = 1 + below(&rng, 10) };
	w->count = (uint32_t)(1 + below(&rng, 25));
	const int64_t gap = 1 + below(&rng, 8);
	const int64_t run = 1 + below(&rng, 30);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += below(&rng, gap);
		job->submit = submit;
		job->run = job->limit = 1 + below(&rng, run);
		job->size = (int32_t)(1 + below(&rng, w->cpus));
	}
	steps[0] = (struct restart_step){ 1 + below(&rng, 3), below(&rng, 4) * SL_SECOND };
	steps[1] = (struct restart_step){ steps[0].from + 1 + below(&rng, 4), below(&rng, 9) * SL_SECOND };
	w->restart = steps;
	w->restart_count = (size_t)below(&rng, 3);
}

/* ---- The reference --------------------------------------------------------------------------------- */

struct ref_job {
	int64_t left, load; /* Seconds of work, and of loading before it. */
	bool came, runs, done, begun;
	int64_t end;
};

struct ref {
	const struct world *w;
	struct ref_job job[WORLD_JOBS];
	bool strict;
	int64_t now;
};

static int64_t ref_rest(const struct ref *r, uint32_t i) { return r->job[i].left + r->job[i].load; }

static int64_t ref_free(const struct ref *r)
{
	int64_t free = r->w->cpus;
	for (uint32_t i = 0; i < r->w->count; i++)
		free -= r->job[i].runs ? r->w->job[i].size : 0;
	return free;
}

/* Who is first of those that wait and are not passed over; -1: none. */
static int ref_first(const struct ref *r, const bool *passed)
{
	int first = -1;
	for (uint32_t i = 0; i < r->w->count; i++)
		if (r->job[i].came && !r->job[i].runs && !r->job[i].done && !passed[i] &&
			(first < 0 || ref_rest(r, i) < ref_rest(r, (uint32_t)first)))
			first = (int)i;
	return first;
}

/* With most left, and more than the job; -1: none. */
static int ref_victim(const struct ref *r, uint32_t job, const bool *stopped)
{
	int found = -1;
	for (uint32_t i = 0; i < r->w->count; i++)
		if (r->job[i].runs && !stopped[i] && ref_rest(r, i) > ref_rest(r, job) &&
			(found < 0 || ref_rest(r, i) >= ref_rest(r, (uint32_t)found)))
			found = (int)i;
	return found;
}

static void ref_stop(struct ref *r, uint32_t i)
{
	struct ref_job *job = &r->job[i];
	job->runs = false;
	job->begun |= job->left < r->w->job[i].run;
	if (job->begun)
		job->load = restart_cost(&r->w->scenario, r->w->job[i].size) / SL_SECOND;
}

/* Stops as few as will do; false: all are not enough. */
static bool ref_make_capacity(struct ref *r, uint32_t job)
{
	bool stopped[WORLD_JOBS] = { false };
	uint32_t order[WORLD_JOBS];
	uint32_t count = 0;
	int64_t free = ref_free(r);
	while (free < r->w->job[job].size) {
		const int victim = ref_victim(r, job, stopped);
		if (victim < 0)
			return false;
		stopped[victim] = true;
		order[count++] = (uint32_t)victim;
		free += r->w->job[victim].size;
	}
	for (uint32_t i = count; i--;)
		if (free - r->w->job[order[i]].size >= r->w->job[job].size) {
			stopped[order[i]] = false;
			free -= r->w->job[order[i]].size;
		}
	for (uint32_t i = 0; i < r->w->count; i++)
		if (stopped[i])
			ref_stop(r, i);
	return true;
}

/* Behind the first that waits: whoever fits, in order. */
static void ref_fill(struct ref *r, uint32_t head)
{
	bool passed[WORLD_JOBS] = { false };
	passed[head] = true;
	for (int next; (next = ref_first(r, passed)) >= 0;) {
		passed[next] = true;
		if (ref_free(r) >= r->w->job[next].size)
			r->job[next].runs = true;
	}
}

static void ref_schedule(struct ref *r)
{
	const bool passed[WORLD_JOBS] = { false };
	for (int first; (first = ref_first(r, passed)) >= 0;) {
		const uint32_t job = (uint32_t)first;
		if (ref_free(r) >= r->w->job[job].size || ref_make_capacity(r, job)) {
			r->job[job].runs = true;
			continue;
		}
		if (!r->strict)
			ref_fill(r, job);
		return;
	}
}

static void ref_second(struct ref *r)
{
	for (uint32_t i = 0; i < r->w->count; i++) {
		struct ref_job *job = &r->job[i];
		if (!job->runs)
			continue;
		if (job->load)
			job->load--;
		else
			job->left--;
		if (job->left)
			continue;
		job->runs = false;
		job->done = true;
		job->end = r->now + 1;
	}
}

static void ref_run(struct ref *r)
{
	uint32_t left = r->w->count;
	for (uint32_t i = 0; i < r->w->count; i++)
		r->job[i].left = r->w->job[i].run;
	for (r->now = 0; left; r->now++) {
		for (uint32_t i = 0; i < r->w->count; i++)
			r->job[i].came |= r->w->job[i].submit <= r->now;
		ref_schedule(r);
		ref_second(r);
		left = 0;
		for (uint32_t i = 0; i < r->w->count; i++)
			left += !r->job[i].done;
	}
}

Test(srtf_reference, srtf_agrees_with_the_reference, .timeout = 600)
{
	for (uint64_t seed = 1; seed <= worlds(3000); seed++) {
		struct restart_step steps[2];
		struct world w;
		random_world(&w, seed, steps);
		const bool strict = seed % 3 == 0;
		cr_assert_eq(world_run(&w, strict ? "srtf:fill=none" : "srtf", seed % 20 == 0), SL_OK, "%s",
			w.err.text);
		struct ref r = { .w = &w, .strict = strict };
		ref_run(&r);
		for (uint32_t i = 0; i < w.count; i++)
			cr_assert_eq(world_end(&w, i), r.job[i].end,
				"seed %llu: job %u ends at %lld, not %lld", (unsigned long long)seed, i + 1,
				(long long)world_end(&w, i), (long long)r.job[i].end);
		world_release(&w);
	}
}

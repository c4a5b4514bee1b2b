/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_shares.c - orders of parties against a slow, obvious reference, second by second, on generated
 * workloads.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/effort.h"
#include "tests/world/world.h"

enum { SHARE_HOLDERS = 4 };
enum rule { FAIR, DRF, STRIDE };

static const struct {
	const char *policy;
	enum rule rule;
	bool all;    /* One that does not fit stops all. */
	bool shadow; /* Others may start behind it, in the order of parties at the pass's beginning (EASY). */
	bool by_size;
} pairs[] = {
	{ "fairshare:plan=fcfs,half_life=0,weights=\"1=2,2=0.5\"", FAIR, true, false, false },
	{ "fairshare:plan=share,half_life=0,weights=\"1=2,2=0.5\"", FAIR, false, false, false },
	{ "fairshare:plan=greedy,half_life=0,weights=\"1=2,2=0.5\"", FAIR, false, true, false },
	{ "drf:weights=\"1=2,2=0.5\"", DRF, false, false, false },
	{ "drf:plan=fcfs,weights=\"1=2,2=0.5\"", DRF, true, false, false },
	{ "stride:weights=\"1=2,2=0.5\"", STRIDE, false, false, false },
	{ "stride:plan=fcfs,cost=size,weights=\"1=2,2=0.5\"", STRIDE, true, false, true },
};

/* In thousandths; users 0 to 3. */
static const int64_t weight[SHARE_HOLDERS] = { 1000, 2000, 500, 1000 };

struct reference {
	const struct world *w;
	int64_t start[WORLD_JOBS], end[WORLD_JOBS];
	int64_t free, now;
	int64_t used[SHARE_HOLDERS], held[SHARE_HOLDERS];                    /* cpu-seconds, cpus */
	int64_t pass[SHARE_HOLDERS], remain[SHARE_HOLDERS], global, tickets; /* Stride. */
	bool in[SHARE_HOLDERS];
};

static int64_t rounded(int64_t a, int64_t b) { return (a + b / 2) / b; }

static bool waits(const struct reference *r, uint32_t job)
{
	return r->w->job[job].submit <= r->now && r->start[job] < 0;
}

static uint32_t first_of(const struct reference *r, int32_t share_holder)
{
	for (uint32_t job = 0; job < r->w->count; job++)
		if (r->w->job[job].user == share_holder && waits(r, job))
			return job;
	return UINT32_MAX;
}

/* Less, with weight: amount / weight. */
static int compare(const struct reference *r, enum rule rule, int32_t a, int32_t b)
{
	int64_t x = r->pass[a];
	int64_t y = r->pass[b];
	if (rule == FAIR) {
		x = r->used[a] * weight[b];
		y = r->used[b] * weight[a];
	} else if (rule == DRF) {
		x = r->held[a] * weight[b];
		y = r->held[b] * weight[a];
	}
	return (x > y) - (x < y);
}

static void join(struct reference *r, int32_t share_holder)
{
	if (r->in[share_holder])
		return;
	r->in[share_holder] = true;
	r->tickets += weight[share_holder];
	r->pass[share_holder] = r->global + r->remain[share_holder];
}

static void begin(struct reference *r, size_t pair, uint32_t job)
{
	const struct world_job *j = &r->w->job[job];
	const int64_t cost =
		pairs[pair].by_size ? j->size : j->size * (j->limit > j->run ? j->limit : j->run);
	r->start[job] = r->now;
	r->end[job] = r->now + j->run;
	r->free -= j->size;
	r->held[j->user] += j->size;
	r->pass[j->user] += rounded(cost * 1024 * 1000, weight[j->user]);
	r->global += rounded(cost * 1024 * 1000, r->tickets);
	if (first_of(r, j->user) == UINT32_MAX) {
		r->in[j->user] = false;
		r->tickets -= weight[j->user];
		r->remain[j->user] = r->pass[j->user] - r->global;
	}
}

/* The next to be tried: of parties not barred, by value, then by submission. */
static uint32_t next_of(const struct reference *r, enum rule rule, const bool *barred)
{
	uint32_t found = UINT32_MAX;
	for (int32_t share_holder = 0; share_holder < SHARE_HOLDERS; share_holder++) {
		const uint32_t job = barred[share_holder] ? UINT32_MAX : first_of(r, share_holder);
		if (job == UINT32_MAX)
			continue;
		const int order =
			found == UINT32_MAX ? -1 : compare(r, rule, share_holder, r->w->job[found].user);
		if (order < 0 || (order == 0 && job < found))
			found = job;
	}
	return found;
}

/* Greedy: every waiting job in the order of parties as it was at the beginning. */
static void whoever_fits(struct reference *r, size_t pair)
{
	bool tried[WORLD_JOBS] = { false };
	for (;;) {
		uint32_t found = UINT32_MAX;
		for (uint32_t job = 0; job < r->w->count; job++) {
			if (tried[job] || !waits(r, job))
				continue;
			const int order = found == UINT32_MAX
						  ? -1
						  : compare(r, pairs[pair].rule, r->w->job[job].user,
							    r->w->job[found].user);
			if (order < 0)
				found = job;
		}
		if (found == UINT32_MAX)
			return;
		tried[found] = true;
		if (r->w->job[found].size <= r->free)
			begin(r, pair, found);
	}
}

static void reference_pass(struct reference *r, size_t pair)
{
	bool barred[SHARE_HOLDERS] = { false };
	if (pairs[pair].shadow) {
		whoever_fits(r, pair);
		return;
	}
	for (uint32_t job; (job = next_of(r, pairs[pair].rule, barred)) != UINT32_MAX;) {
		if (r->w->job[job].size <= r->free)
			begin(r, pair, job);
		else if (pairs[pair].all)
			return;
		else
			barred[r->w->job[job].user] = true;
	}
}

static void reference_run(struct reference *r, const struct world *w, size_t pair)
{
	*r = (struct reference){ .w = w, .free = w->cpus };
	for (uint32_t job = 0; job < w->count; job++)
		r->start[job] = -1;
	uint32_t ended = 0;
	for (r->now = 0; ended < w->count; r->now++) {
		bool event = false;
		cr_assert_lt(r->now, 100000);
		for (uint32_t job = 0; job < w->count; job++)
			if (r->start[job] >= 0 && r->end[job] == r->now) {
				r->free += w->job[job].size;
				r->held[w->job[job].user] -= w->job[job].size;
				ended++;
				event = true;
			}
		for (uint32_t job = 0; job < w->count; job++)
			if (w->job[job].submit == r->now) {
				join(r, w->job[job].user);
				event = true;
			}
		if (event) /* Usage accrues, and the order changes; but nobody looks before something happens.
			    */
			reference_pass(r, pair);
		for (int32_t share_holder = 0; share_holder < SHARE_HOLDERS; share_holder++)
			r->used[share_holder] += r->held[share_holder];
	}
}

static void random_world(struct world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "tests/shares");
	*w = (struct world){ .cpus = 1 + (int64_t)sl_rng_below(&rng, 8) };
	w->count = 1 + (uint32_t)sl_rng_below(&rng, 40);
	const uint64_t gap = 1 + sl_rng_below(&rng, 5);
	const uint64_t run = 1 + sl_rng_below(&rng, 12);
	int64_t submit = 0;
	for (uint32_t i = 0; i < w->count; i++) {
		struct world_job *job = &w->job[i];
		submit += (int64_t)sl_rng_below(&rng, gap);
		job->submit = submit;
		job->run = 1 + (int64_t)sl_rng_below(&rng, run);
		job->limit = job->run + (int64_t)sl_rng_below(&rng, 3);
		job->size = 1 + (int32_t)sl_rng_below(&rng, (uint64_t)w->cpus);
		job->user = (int32_t)sl_rng_below(&rng, SHARE_HOLDERS);
	}
	/* The weights name users 1 and 2. */
}

Test(fair_shares, generated_workloads_agree_with_the_reference, .timeout = 600)
{
	const uint64_t worlds = effort_of(300, 3000, 12000);
	for (uint64_t seed = 1; seed <= worlds; seed++)
		for (size_t pair = 0; pair < SL_LEN(pairs); pair++) {
			struct world w;
			struct reference r;
			random_world(&w, seed);
			reference_run(&r, &w, pair);
			const int status = world_run(&w, pairs[pair].policy, seed % 20 == 0);
			cr_assert_eq(status, SL_OK, "%s", w.err.text);
			for (uint32_t job = 0; job < w.count; job++)
				cr_assert_eq(world_start(&w, job), r.start[job],
					"seed %llu, %s: job %u starts at %lld, not %lld",
					(unsigned long long)seed, pairs[pair].policy, job + 1,
					(long long)world_start(&w, job), (long long)r.start[job]);
			world_release(&w);
		}
}

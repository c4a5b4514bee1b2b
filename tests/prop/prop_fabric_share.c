/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_fabric_share.c - generated nets and jobs: nothing carries more than it can, every job is held by its
 * cap or by a full link on which nobody is faster, a part solved anew is bit for bit what all solved at once
 * gives, and rows do not matter. Rounding: a link of k jobs may be over by k * 2^-50 of its capacity.
 * SL_EFFORT=full runs more worlds.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "models/fabric/share.h"
#include "tests/world/effort.h"

enum { LINKS = 24, JOBS = 40, USES = 6, STEPS = 60 };

struct job {
	bool here;
	struct fabric_use use[USES];
	uint32_t uses;
	int64_t most;
	struct fabric_speed speed;
};

struct world {
	struct fabric_link link[LINKS];
	uint32_t links;
	struct job job[JOBS];
};

static uint64_t worlds(uint64_t plain) { return effort_of(plain / 10 + 1, plain, plain * 5); }

static int64_t below(struct sl_rng *rng, int64_t bound)
{
	return (int64_t)sl_rng_below(rng, (uint64_t)bound);
}

/* Few sorts of capacity, so that levels are met at once; some odd ones, so that they nearly are. */
static void random_links(struct sl_rng *rng, struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->links = (uint32_t)(1 + below(rng, LINKS));
	for (uint32_t i = 0; i < w->links; i++) {
		if (i & 1 && below(rng, 4)) { /* The other direction of a cable. */
			w->link[i] = w->link[i - 1];
			continue;
		}
		w->link[i].capacity = below(rng, 3) ? 100 * (1 + below(rng, 4)) : 1 + below(rng, 1000);
		w->link[i].never_full = below(rng, 8) == 0;
		if (below(rng, 12) == 0)
			w->link[i].capacity = INT64_MAX;
	}
}

static void random_job(struct sl_rng *rng, const struct world *w, struct job *job)
{
	memset(job, 0, sizeof(*job));
	job->here = true;
	uint32_t link = (uint32_t)below(rng, 4);
	const bool even = below(rng, 4) != 0; /* Both directions alike. */
	for (; job->uses < USES && link < w->links; link += (uint32_t)(1 + below(rng, 8))) {
		job->use[job->uses++] =
			(struct fabric_use){ .link = link & ~(uint32_t)even, .flows = 1 + below(rng, 4) };
		if (!even || link + 1 >= w->links || job->uses == USES)
			continue;
		job->use[job->uses] = job->use[job->uses - 1];
		job->use[job->uses++].link++;
		link |= 1;
	}
	job->most = below(rng, 2) ? 100 : 1 + below(rng, 400);
	job->speed = (struct fabric_speed){ .comp = (double)below(rng, 3),
		.volume = (double)(1 + below(rng, 500)),
		.fixed = (double)below(rng, 2) / 8,
		.overlap = (double)below(rng, 3) / 2,
		.gamma = below(rng, 4) ? 0 : (double)(1 + below(rng, 5)) };
}

static struct fabric_path path_of(const struct job *job)
{
	return (struct fabric_path){ .use = job->use, .uses = job->uses, .flow_rate = job->most };
}

static struct fabric_share *share_of(const struct world *w, enum fabric_contention contention)
{
	struct fabric_share *share = fabric_share_new(w->link, w->links, contention);
	cr_assert(share);
	return share;
}

static void put(struct fabric_share *share, const struct job *job, uint32_t row)
{
	const struct fabric_path path = path_of(job);
	cr_assert(fabric_share_add(share, row, &path, &job->speed));
}

static void ignore(void *self, uint32_t job, const struct fabric_got *got)
{
	(void)self;
	(void)job;
	(void)got;
}

static void solve(struct fabric_share *share)
{
	fabric_share_solve(share, &(struct fabric_listener){ .rate = ignore });
}

/* ---- Against one that is slow and obvious
 * -------------------------------------------------------------------- */

/* Max-min by the definition: raise all, stop whom something stops. */
static void by_the_book(const struct world *w, double *rate)
{
	double left[LINKS];
	bool open[JOBS];
	for (uint32_t i = 0; i < w->links; i++)
		left[i] = (double)w->link[i].capacity;
	for (uint32_t j = 0; j < JOBS; j++)
		open[j] = w->job[j].here;
	for (;;) {
		double flows[LINKS] = { 0 }, level = -1;
		for (uint32_t j = 0; j < JOBS; j++)
			for (uint32_t u = 0; open[j] && u < w->job[j].uses; u++)
				flows[w->job[j].use[u].link] += (double)w->job[j].use[u].flows;
		for (uint32_t i = 0; i < w->links; i++)
			if (flows[i] > 0 && !w->link[i].never_full &&
				(level < 0 || left[i] / flows[i] < level))
				level = left[i] / flows[i];
		for (uint32_t j = 0; j < JOBS; j++)
			if (open[j] && (level < 0 || (double)w->job[j].most < level))
				level = (double)w->job[j].most;
		if (level < 0)
			return;
		bool full[LINKS] = { 0 };
		for (uint32_t i = 0; i < w->links; i++)
			full[i] = flows[i] > 0 && !w->link[i].never_full && left[i] / flows[i] <= level;
		for (uint32_t j = 0; j < JOBS; j++) {
			bool stops = open[j] && (double)w->job[j].most <= level;
			for (uint32_t u = 0; open[j] && u < w->job[j].uses; u++)
				stops |= full[w->job[j].use[u].link];
			if (!stops)
				continue;
			open[j] = false;
			rate[j] = level;
			for (uint32_t u = 0; u < w->job[j].uses; u++)
				left[w->job[j].use[u].link] -= level * (double)w->job[j].use[u].flows;
		}
	}
}

/* No link over what it has; every job at its cap, or on a full link where nobody is faster. */
static void certify(const struct world *w, const struct fabric_share *share, uint64_t world)
{
	double sum[LINKS] = { 0 }, fastest[LINKS] = { 0 };
	for (uint32_t j = 0; j < JOBS; j++)
		for (uint32_t u = 0; w->job[j].here && u < w->job[j].uses; u++) {
			const uint32_t link = w->job[j].use[u].link;
			const double rate = fabric_share_got(share, j).rate;
			sum[link] += rate * (double)w->job[j].use[u].flows;
			fastest[link] = rate > fastest[link] ? rate : fastest[link];
		}
	const double slack = JOBS * 0x1p-50;
	for (uint32_t i = 0; i < w->links; i++)
		cr_assert(w->link[i].never_full || sum[i] <= (double)w->link[i].capacity * (1 + slack),
			"world %llu: link %u carries %.17g of %lld", (unsigned long long)world, i, sum[i],
			(long long)w->link[i].capacity);
	for (uint32_t j = 0; j < JOBS; j++) {
		if (!w->job[j].here)
			continue;
		const double rate = fabric_share_got(share, j).rate;
		bool held = rate == (double)w->job[j].most;
		for (uint32_t u = 0; u < w->job[j].uses; u++) {
			const uint32_t link = w->job[j].use[u].link;
			held |= !w->link[link].never_full &&
				sum[link] >= (double)w->link[link].capacity * (1 - slack) &&
				rate >= fastest[link] * (1 - slack);
		}
		cr_assert(held, "world %llu: nothing holds job %u at %.17g", (unsigned long long)world, j,
			rate);
	}
}

Test(prop_fabric, rates_are_max_min_fair)
{
	for (uint64_t world = 0; world < worlds(3000); world++) {
		struct sl_rng rng = sl_rng_stream(world, "prop/fabric/fair");
		struct world w;
		random_links(&rng, &w);
		struct fabric_share *share = share_of(&w, FABRIC_BACKLOGGED);
		const uint32_t count = (uint32_t)(1 + below(&rng, JOBS));
		for (uint32_t j = 0; j < count; j++) {
			random_job(&rng, &w, &w.job[j]);
			put(share, &w.job[j], j);
		}
		solve(share);
		certify(&w, share, world);
		double rate[JOBS];
		by_the_book(&w, rate);
		for (uint32_t j = 0; j < count; j++)
			cr_assert_float_eq(fabric_share_got(share, j).rate, rate[j], rate[j] * 1e-12,
				"world %llu: job %u has %.17g, not %.17g", (unsigned long long)world, j,
				fabric_share_got(share, j).rate, rate[j]);
		fabric_share_free(share);
	}
}

/* ---- Parts, rows, questions
 * ---------------------------------------------------------------------------------------- */

static bool same(struct fabric_got a, struct fabric_got b)
{
	return memcmp(&a.rate, &b.rate, sizeof(a.rate)) == 0 &&
	       memcmp(&a.slowdown, &b.slowdown, sizeof(a.slowdown)) == 0;
}

/* All jobs at once, in another order and under other rows, give the same bits. Where several links hold a job
 * at once, which of them counts as full may depend on the order: that is told, and moves nothing. */
static void compare(const struct world *w, const struct fabric_share *share,
	enum fabric_contention contention, struct sl_rng *rng, uint64_t world)
{
	struct fabric_share *whole = share_of(w, contention);
	uint32_t row[JOBS];
	for (uint32_t j = 0; j < JOBS; j++)
		row[j] = j;
	for (uint32_t j = JOBS; j-- > 1;) {
		const uint32_t other = (uint32_t)below(rng, (int64_t)j + 1), kept = row[j];
		row[j] = row[other];
		row[other] = kept;
	}
	for (uint32_t i = 0; i < JOBS; i++)
		if (w->job[row[i]].here)
			put(whole, &w->job[row[i]], i);
	solve(whole);
	for (uint32_t i = 0; i < JOBS; i++)
		cr_assert(!w->job[row[i]].here ||
				  same(fabric_share_got(whole, i), fabric_share_got(share, row[i])),
			"world %llu, contention %d: job %u has %.17g, in another order %.17g",
			(unsigned long long)world, (int)contention, row[i],
			fabric_share_got(share, row[i]).rate, fabric_share_got(whole, i).rate);
	fabric_share_free(whole);
}

struct reported {
	bool job[JOBS];
	struct fabric_got before[JOBS];
	const struct world *w;
	uint32_t last;
	bool any;
};

static void note(void *self, uint32_t job, const struct fabric_got *got)
{
	struct reported *reported = self;
	cr_assert(!reported->any || job > reported->last, "jobs are told in order");
	reported->any = true;
	reported->last = job;
	cr_assert(!same(*got, reported->before[job]), "job %u is told of the rate that it had", job);
	reported->before[job] = *got;
	reported->job[job] = true;
}

/* What predict says is what comes of it. */
static void needs(struct fabric_share *share, const struct world *w, struct sl_rng *rng, uint32_t row,
	struct job *with, struct fabric_got *got)
{
	random_job(rng, w, with);
	const struct fabric_path path = path_of(with);
	cr_assert(fabric_share_predict(share, row, &path, &with->speed, got));
}

static void live(uint64_t world, enum fabric_contention contention)
{
	struct sl_rng rng = sl_rng_stream(world, "prop/fabric/parts");
	static struct world w;
	random_links(&rng, &w);
	struct fabric_share *share = share_of(&w, contention);
	struct reported reported = { .w = &w };
	for (int step = 0; step < STEPS; step++) {
		struct fabric_got foreseen = { 0 };
		uint32_t asked = JOBS;
		for (int64_t event = below(&rng, 4); event >= 0; event--) {
			const uint32_t row = (uint32_t)below(&rng, JOBS);
			if (w.job[row].here && below(&rng, 3))
				continue;
			struct job next;
			needs(share, &w, &rng, row, &next, &foreseen);
			if (w.job[row].here)
				fabric_share_remove(share, row);
			asked = JOBS;
			const bool comes = !w.job[row].here || below(&rng, 4) == 0;
			w.job[row].here = false;
			reported.before[row] = (struct fabric_got){ 0 };
			if (!comes)
				continue;
			w.job[row] = next;
			put(share, &next, row);
			asked = row;
		}
		reported.any = false;
		fabric_share_solve(share, &(struct fabric_listener){ .rate = note, .self = &reported });
		for (uint32_t j = 0; j < JOBS; j++)
			cr_assert(!w.job[j].here || same(reported.before[j], fabric_share_got(share, j)));
		cr_assert(asked == JOBS || same(foreseen, reported.before[asked]),
			"world %llu: job %u was to get %.17g", (unsigned long long)world, asked,
			foreseen.rate);
		compare(&w, share, contention, &rng, world);
		if (contention == FABRIC_BACKLOGGED)
			certify(&w, share, world);
	}
	fabric_share_free(share);
}

Test(prop_fabric, a_part_is_what_the_whole_would_be)
{
	for (uint64_t world = 0; world < worlds(150); world++)
		for (int mode = FABRIC_BACKLOGGED; mode <= FABRIC_INTERLEAVED; mode++)
			live(world, (enum fabric_contention)mode);
}

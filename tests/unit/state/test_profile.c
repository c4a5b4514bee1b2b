/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_profile.c - the step function against an array of seconds. */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/state/profile.h"

enum { RANGE = 400 };

struct plain {
	struct profile profile;
	int64_t change[RANGE];
	struct sl_rng rng;
	uint32_t seen;
};

static void add(struct plain *p, sl_time at, int64_t change)
{
	struct sl_err err = { 0 };
	cr_assert_eq(profile_add(&p->profile, at, change, &err), SL_OK);
	p->change[at] += change;
}

static void add_between(struct plain *p, sl_time from, sl_time until, int64_t change)
{
	struct sl_err err = { 0 };
	cr_assert_eq(profile_add_between(&p->profile, from, until, change, &err), SL_OK);
	if (from >= until)
		return;
	p->change[from] += change;
	p->change[until] -= change;
}

static void see_change(void *self, sl_time at, int64_t change)
{
	struct plain *p = self;
	cr_assert(change && p->change[at] == change, "a change is wrong, or left behind");
	p->seen++;
}

/* Exactly the changes that are none of 0, with what is counted beside them. */
static void check_changes(struct plain *p)
{
	uint32_t changes = 0;
	for (sl_time at = 0; at < RANGE; at++)
		changes += p->change[at] != 0;
	p->seen = 0;
	profile_each(&p->profile, see_change, p);
	cr_assert_eq(p->seen, changes);
}

static int64_t value(const struct plain *p, sl_time at)
{
	int64_t sum = 0;
	for (sl_time t = 0; t <= at && t < RANGE; t++)
		sum += p->change[t];
	return sum;
}

static sl_time earliest(const struct plain *p, sl_time now, sl_time latest, int64_t level, sl_time length)
{
	for (sl_time at = now; at < latest; at++) {
		bool good = true;
		for (sl_time t = at; t < at + length && t < latest && good; t++)
			good = value(p, t) >= level;
		if (good)
			return at;
	}
	return latest;
}

static void check_searches(struct plain *p)
{
	const sl_time now = (sl_time)sl_rng_below(&p->rng, RANGE / 2);
	const sl_time until = now + 1 + (sl_time)sl_rng_below(&p->rng, RANGE / 2 - 1);
	const int64_t level = (int64_t)sl_rng_below(&p->rng, 30) - 15;
	const sl_time length = 1 + (sl_time)sl_rng_below(&p->rng, 60);
	cr_assert_eq(profile_value(&p->profile, now), value(p, now));
	cr_assert_eq(profile_earliest(&p->profile, now, until, level, length),
		earliest(p, now, until, level, length));

	sl_time least = RANGE;
	struct profile_span span = { INT64_MAX, INT64_MIN };
	for (sl_time t = until - 1; t >= now; t--) {
		const int64_t v = value(p, t);
		least = t > now && p->change[t] && v >= level ? t : least;
		span.least = v < span.least ? v : span.least;
		span.most = v > span.most ? v : span.most;
	}
	struct profile_point point = { RANGE, 0 };
	const bool found = profile_first_least(&p->profile, now, until, level, &point);
	cr_assert_eq(found, least < RANGE);
	cr_assert(!found || (point.at == least && point.value == value(p, least)));
	const struct profile_span is = profile_span(&p->profile, now, until);
	cr_assert(is.least == span.least && is.most == span.most);

	if (value(p, until) < level)
		return;
	sl_time start = until;
	while (start > now && value(p, start - 1) >= level)
		start--;
	cr_assert_eq(profile_run_start(&p->profile, until, now, level), start);
}

enum { LEVELS = 4 };

struct seen {
	const struct plain *p;
	sl_time until;
	struct seen_level {
		sl_time at, shortest;
		int64_t level;
	} of[LEVELS];
};

static bool suffices(const struct seen *s, uint32_t i, sl_time at)
{
	return value(s->p, at) >= s->of[i].level;
}

/* What is passed over up to there holds no run that was asked for. */
static void pass_to(struct seen *s, uint32_t i, sl_time end)
{
	struct seen_level *of = &s->of[i];
	while (of->at < end) {
		if (!suffices(s, i, of->at)) {
			of->at++;
			continue;
		}
		const sl_time start = of->at;
		while (of->at < RANGE && suffices(s, i, of->at))
			of->at++;
		cr_assert(of->at < RANGE && of->at - start < of->shortest, "a run was passed over");
	}
}

static void see_run(void *self, uint32_t i, sl_time start, sl_time length)
{
	struct seen *s = self;
	struct seen_level *of = &s->of[i];
	pass_to(s, i, start);
	cr_assert_eq(of->at, start);
	cr_assert(start < s->until && suffices(s, i, start) && length >= of->shortest);
	while (of->at < RANGE && suffices(s, i, of->at))
		of->at++;
	cr_assert_eq(length, of->at == RANGE ? SL_NEVER : of->at - start);
}

static void check_runs(struct plain *p)
{
	const sl_time from = (sl_time)sl_rng_below(&p->rng, RANGE / 2);
	const sl_time until = from + 1 + (sl_time)sl_rng_below(&p->rng, RANGE / 2 - 1);
	/* As far back as it may reach, or not at all. */
	const sl_time floor =
		sl_rng_below(&p->rng, 2) ? from : (sl_time)sl_rng_below(&p->rng, (uint64_t)from + 1);
	struct seen s = { .p = p, .until = until };
	int64_t level[LEVELS];
	sl_time shortest[LEVELS];
	for (uint32_t i = 0; i < LEVELS; i++) {
		level[i] = i ? level[i - 1] + 1 + (int64_t)sl_rng_below(&p->rng, 5)
			     : (int64_t)sl_rng_below(&p->rng, 20) - 15;
		shortest[i] = (sl_time)sl_rng_below(&p->rng, 12);
		s.of[i] = (struct seen_level){ from, shortest[i], level[i] };
		while (s.of[i].at > floor && suffices(&s, i, from) && suffices(&s, i, s.of[i].at - 1))
			s.of[i].at--;
	}
	const struct profile_levels levels = { level, shortest, LEVELS, see_run, &s };
	profile_runs(&p->profile, from, until, floor, &levels);
	for (uint32_t i = 0; i < LEVELS; i++)
		pass_to(&s, i, until);
}

static void check_mosts(struct plain *p)
{
	enum { COUNT = 10 };
	const sl_time from = (sl_time)sl_rng_below(&p->rng, RANGE);
	const unsigned shift = (unsigned)sl_rng_below(&p->rng, 7);
	int64_t most[COUNT];
	profile_mosts(&p->profile, from, shift, COUNT, most);
	for (sl_time i = 0; i < COUNT; i++) {
		int64_t greatest = INT64_MIN;
		for (sl_time t = from + (i << shift); t < from + ((i + 1) << shift); t++)
			greatest = value(p, t) > greatest ? value(p, t) : greatest;
		cr_assert_eq(most[i], greatest);
	}
}

Test(profile, agrees_with_an_array_of_seconds, .timeout = 120)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct plain p = { .rng = sl_rng_stream(seed, "tests/profile") };
		profile_init(&p.profile);
		for (int round = 0; round < 1500; round++) {
			const sl_time at = (sl_time)sl_rng_below(&p.rng, RANGE);
			/* Changes are taken back too, so that blocks thin out and join. */
			if (sl_rng_below(&p.rng, 3) == 0 || round > 1000)
				add(&p, at, -p.change[at]);
			else
				add(&p, at, (int64_t)sl_rng_below(&p.rng, 9) - 4);
			/* Around it, near it or far, and often from one change to another. */
			const sl_time until = at + (sl_time)sl_rng_below(&p.rng, round % 2 ? 8 : RANGE) - 2;
			if (until < RANGE && round <= 1000 && sl_rng_below(&p.rng, 2))
				add_between(&p, at, until,
					sl_rng_below(&p.rng, 2) ? -p.change[at]
								: (int64_t)sl_rng_below(&p.rng, 9) - 4);
			if (round % 10 == 0)
				check_changes(&p);
			if (round % 5 == 0) {
				check_searches(&p);
				check_runs(&p);
				check_mosts(&p);
			}
		}
		profile_release(&p.profile);
	}
}

Test(profile, what_cancels_out_leaves_nothing)
{
	struct plain p = { .rng = sl_rng_stream(1, "x") };
	profile_init(&p.profile);
	for (sl_time at = 0; at < RANGE; at++)
		add(&p, at, 3);
	for (sl_time at = 0; at < RANGE; at++)
		add(&p, at, -3);
	struct profile_point point;
	cr_expect_not(profile_first_least(&p.profile, -1, SL_NEVER, INT64_MIN, &point));
	cr_expect_eq(profile_value(&p.profile, RANGE), 0);
	profile_release(&p.profile);
}

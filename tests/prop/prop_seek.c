/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_seek.c - the search for the least points of a grid against all points tried: on grids where what holds
 * goes on holding it finds all of them, on any others what it claims is so.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/seek.h"

enum { POINTS = 4096, TRIALS = 3000 };

struct truth {
	bool holds[POINTS], unbuilt[POINTS];
	size_t asked[POINTS];
	uint64_t draw;
};

static uint64_t draw(struct truth *truth, uint64_t below)
{
	truth->draw = truth->draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (truth->draw >> 33) % below;
}

static int attempt(void *self, struct seek *seek, const size_t *point, size_t count, struct sl_err *err)
{
	struct truth *truth = self;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		truth->asked[point[i]]++;
		seek->state[point[i]] = truth->unbuilt[point[i]] ? SEEK_UNBUILT
					: truth->holds[point[i]] ? SEEK_HOLDS
								 : SEEK_FAILS;
	}
	return SL_OK;
}

/* A grid of random size; what holds does so from some of its points on, or anyhow. */
static void begin(struct seek *seek, struct truth *truth, size_t trial, bool monotone)
{
	struct sl_err err = { 0 };
	*truth = (struct truth){ .draw = trial };
	*seek = (struct seek){ .axes = 1 + draw(truth, 3), .attempt = attempt, .self = truth };
	for (size_t i = 0; i < seek->axes; i++)
		seek->count[i] = 1 + draw(truth, seek->axes == 1 ? 100 : 12);
	cr_assert_eq(seek_make(seek, &err), SL_OK, "%s", err.text);
	const uint64_t rare = 2 + draw(truth, seek->points);
	for (size_t p = 0; p < seek->points; p++) {
		truth->holds[p] = draw(truth, rare) == 0;
		for (size_t axis = 0; axis < seek->axes && monotone; axis++) {
			const size_t before = seek_step(seek, p, axis, -1);
			truth->holds[p] |= before != SIZE_MAX && truth->holds[before];
		}
	}
}

static void go(struct seek *seek, size_t trial)
{
	struct sl_err err = { 0 };
	const struct truth *truth = seek->self;
	size_t asked = 0;
	cr_assert_eq(seek_go(seek, &err), SL_OK, "%s", err.text);
	for (size_t p = 0; p < seek->points; p++) {
		cr_assert_leq(truth->asked[p], 1, "trial %zu: point %zu was tried twice", trial, p);
		asked += truth->asked[p];
	}
	cr_assert_eq(asked, seek->tried, "trial %zu", trial);
}

/* All least points of the truth, and no other. */
static void expect_all(const struct seek *seek, size_t trial)
{
	const struct truth *truth = seek->self;
	size_t found = 0;
	for (size_t p = 0; p < seek->points; p++) {
		bool least = truth->holds[p];
		for (size_t axis = 0; axis < seek->axes; axis++) {
			const size_t before = seek_step(seek, p, axis, -1);
			least &= before == SIZE_MAX || !truth->holds[before];
		}
		if (!least)
			continue;
		cr_assert(found < seek->least_count && seek->least[found] == p, "trial %zu: misses %zu",
			trial, p);
		found++;
	}
	cr_assert_eq(found, seek->least_count, "trial %zu: finds more than there are", trial);
}

Test(seek, finds_all_where_what_holds_goes_on_holding)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct seek seek;
		begin(&seek, &truth, trial, true);
		go(&seek, trial);
		expect_all(&seek, trial);
		for (size_t p = 0; p < seek.points; p++)
			cr_assert_not(seek_breaks(&seek, p), "trial %zu", trial);
		seek_release(&seek);
	}
}

/* Points that cannot be made, at the ends too, say nothing of others: along an axis the first that can be
 * made and holds is found, if there is one. */
Test(seek, looks_past_what_cannot_be_made)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct seek seek;
		size_t first = SIZE_MAX;
		begin(&seek, &truth, trial, true);
		const uint64_t rare = 1 + draw(&truth, 5);
		for (size_t p = 0; p < seek.points; p++) {
			truth.unbuilt[p] = draw(&truth, rare + 1) == 0;
			first = first == SIZE_MAX && truth.holds[p] && !truth.unbuilt[p] ? p : first;
		}
		go(&seek, trial);
		cr_assert_eq(seek.least_count > 0, first != SIZE_MAX, "trial %zu", trial);
		for (size_t i = 0; i < seek.least_count; i++)
			cr_assert_eq(seek.state[seek.least[i]], SEEK_HOLDS, "trial %zu", trial);
		if (seek.axes == 1 && first != SIZE_MAX)
			cr_assert_eq(
				seek.least[0], first, "trial %zu: %zu, not %zu", trial, seek.least[0], first);
		seek_release(&seek);
	}
}

/* On one axis of n points: both ends, three between, then quarters of quarters, and two neighbours a side. */
Test(seek, tries_few)
{
	static struct truth truth;
	for (size_t least = 0; least <= 65; least++) {
		struct sl_err err = { 0 };
		struct seek seek = { .axes = 1, .count = { 65 }, .attempt = attempt, .self = &truth };
		truth = (struct truth){ .draw = 0 };
		for (size_t p = least; p < 65; p++)
			truth.holds[p] = true;
		cr_assert_eq(seek_make(&seek, &err), SL_OK);
		go(&seek, least);
		cr_expect_leq(seek.tried, 15, "%zu tried for %zu", seek.tried, least);
		cr_expect_eq(seek.least_count, least < 65);
		seek_release(&seek);
	}
}

/* On any grid: what it names holds, was tried, and fails one step below, which was tried too. Tried in full,
 * it is the truth, whatever that is. */
Test(seek, claims_nothing_that_is_not_so)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct seek seek;
		begin(&seek, &truth, trial, false);
		go(&seek, trial);
		for (size_t i = 0; i < seek.least_count; i++) {
			cr_assert_eq(seek.state[seek.least[i]], SEEK_HOLDS, "trial %zu", trial);
			for (size_t axis = 0; axis < seek.axes; axis++) {
				const size_t before = seek_step(&seek, seek.least[i], axis, -1);
				cr_assert(before == SIZE_MAX || seek.state[before] == SEEK_FAILS, "trial %zu",
					trial);
			}
		}
		seek_release(&seek);
		begin(&seek, &truth, trial, false);
		seek.exhaustive = true;
		go(&seek, trial);
		cr_assert_eq(seek.tried, seek.points, "trial %zu", trial);
		for (size_t p = 0; p < seek.points; p++)
			cr_assert_eq(seek.state[p] == SEEK_HOLDS, truth.holds[p], "trial %zu", trial);
		seek_release(&seek);
	}
}

/* What is barred is never tried, nor named. */
Test(seek, bars)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct seek seek;
		begin(&seek, &truth, trial, true);
		const size_t most = draw(&truth, 20);
		for (size_t p = 0; p < seek.points; p++) {
			size_t sum = 0;
			for (size_t axis = 0; axis < seek.axes; axis++)
				sum += seek_at(&seek, p, axis);
			if (sum > most) {
				seek.state[p] = SEEK_BARRED;
				truth.holds[p] = false;
			}
		}
		go(&seek, trial);
		expect_all(&seek, trial);
		for (size_t p = 0; p < seek.points; p++)
			cr_assert(seek.state[p] != SEEK_BARRED || !truth.asked[p], "trial %zu", trial);
		seek_release(&seek);
	}
}

/* Names before a range: each has its own least point. */
Test(seek, names_do_not_speak_for_each_other)
{
	static struct truth truth;
	struct sl_err err = { 0 };
	struct seek seek = { .axes = 2,
		.count = { 3, 20 },
		.unordered = { true, false },
		.attempt = attempt,
		.self = &truth };
	static const size_t from[] = { 5, 20, 13 };
	truth = (struct truth){ .draw = 0 };
	for (size_t p = 0; p < 60; p++)
		truth.holds[p] = p % 20 >= from[p / 20];
	cr_assert_eq(seek_make(&seek, &err), SL_OK);
	go(&seek, 0);
	cr_assert_eq(seek.least_count, 2);
	cr_expect_eq(seek.least[0], 5);
	cr_expect_eq(seek.least[1], 53);
	seek_release(&seek);
}

/* It holds at 7 and from 10 on. Bisection ends at 10, and looks at 9 and 8; where these fail narrowly, at 7
 * too. */
Test(seek, goes_on_below_while_it_fails_narrowly)
{
	static struct truth truth;
	for (int near = 0; near < 2; near++) {
		struct sl_err err = { 0 };
		struct seek seek = { .axes = 1, .count = { 13 }, .attempt = attempt, .self = &truth };
		truth = (struct truth){ .holds = { [7] = true, [10] = true, [11] = true, [12] = true } };
		cr_assert_eq(seek_make(&seek, &err), SL_OK);
		seek.near[8] = seek.near[9] = near;
		go(&seek, 0);
		cr_assert_eq(seek.least_count, 1);
		cr_expect_eq(seek.least[0], near ? 7 : 10);
		seek_release(&seek);
	}
}

/* Fails at 7 although 5 holds: said. */
Test(seek, says_what_breaks)
{
	static struct truth truth;
	struct sl_err err = { 0 };
	struct seek seek = { .axes = 1, .count = { 9 }, .attempt = attempt, .self = &truth };
	truth = (struct truth){ .holds = { [5] = true, [6] = true, [8] = true } };
	cr_assert_eq(seek_make(&seek, &err), SL_OK);
	go(&seek, 0);
	cr_assert_eq(seek.least_count, 1);
	cr_expect_eq(seek.least[0], 5);
	for (size_t p = 0; p < 9; p++)
		cr_expect_eq(seek_breaks(&seek, p), p == 7, "%zu", p);
	seek_release(&seek);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_seek.c - the search for the least points of a grid against all points tried: on grids where
 * what holds goes on holding it finds all of them, on any others what it claims is so.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/axis_search.h"

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

static int attempt(
	void *self, struct axis_search *axis_search, const size_t *point, size_t count, struct sl_err *err)
{
	struct truth *truth = self;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		truth->asked[point[i]]++;
		axis_search->state[point[i]] = truth->unbuilt[point[i]] ? AXIS_SEARCH_UNBUILT
					       : truth->holds[point[i]] ? AXIS_SEARCH_HOLDS
									: AXIS_SEARCH_FAILING;
	}
	return SL_OK;
}

/* A grid of random size; what holds does so from some of its points on, or anyhow. */
static void begin(struct axis_search *axis_search, struct truth *truth, size_t trial, bool monotone)
{
	struct sl_err err = { 0 };
	*truth = (struct truth){ .draw = trial };
	*axis_search = (struct axis_search){ .axes = 1 + draw(truth, 3), .attempt = attempt, .self = truth };
	for (size_t i = 0; i < axis_search->axes; i++)
		axis_search->count[i] = 1 + draw(truth, axis_search->axes == 1 ? 100 : 12);
	cr_assert_eq(axis_search_make(axis_search, &err), SL_OK, "%s", err.text);
	const uint64_t rare = 2 + draw(truth, axis_search->points);
	for (size_t p = 0; p < axis_search->points; p++) {
		truth->holds[p] = draw(truth, rare) == 0;
		for (size_t axis = 0; axis < axis_search->axes && monotone; axis++) {
			const size_t before = axis_search_step(axis_search, p, axis, -1);
			truth->holds[p] |= before != SIZE_MAX && truth->holds[before];
		}
	}
}

static void go(struct axis_search *axis_search, size_t trial)
{
	struct sl_err err = { 0 };
	const struct truth *truth = axis_search->self;
	size_t asked = 0;
	cr_assert_eq(axis_search_go(axis_search, &err), SL_OK, "%s", err.text);
	for (size_t p = 0; p < axis_search->points; p++) {
		cr_assert_leq(truth->asked[p], 1, "trial %zu: point %zu was tried twice", trial, p);
		asked += truth->asked[p];
	}
	cr_assert_eq(asked, axis_search->tried, "trial %zu", trial);
}

/* All least points of the truth, and no other. */
static void expect_all(const struct axis_search *axis_search, size_t trial)
{
	const struct truth *truth = axis_search->self;
	size_t found = 0;
	for (size_t p = 0; p < axis_search->points; p++) {
		bool least = truth->holds[p];
		for (size_t axis = 0; axis < axis_search->axes; axis++) {
			const size_t before = axis_search_step(axis_search, p, axis, -1);
			least &= before == SIZE_MAX || !truth->holds[before];
		}
		if (!least)
			continue;
		cr_assert(found < axis_search->least_count && axis_search->least[found] == p,
			"trial %zu: misses %zu", trial, p);
		found++;
	}
	cr_assert_eq(found, axis_search->least_count, "trial %zu: finds more than there are", trial);
}

Test(axis_search, finds_all_where_what_holds_goes_on_node_alloc)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct axis_search axis_search;
		begin(&axis_search, &truth, trial, true);
		go(&axis_search, trial);
		expect_all(&axis_search, trial);
		for (size_t p = 0; p < axis_search.points; p++)
			cr_assert_not(axis_search_breaks(&axis_search, p), "trial %zu", trial);
		axis_search_release(&axis_search);
	}
}

/* Points that cannot be made, at the ends too, say nothing of others: along an axis the first that can be
 * made and holds is found, if there is one. */
Test(axis_search, looks_history_what_cannot_be_made)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct axis_search axis_search;
		size_t first = SIZE_MAX;
		begin(&axis_search, &truth, trial, true);
		const uint64_t rare = 1 + draw(&truth, 5);
		for (size_t p = 0; p < axis_search.points; p++) {
			truth.unbuilt[p] = draw(&truth, rare + 1) == 0;
			first = first == SIZE_MAX && truth.holds[p] && !truth.unbuilt[p] ? p : first;
		}
		go(&axis_search, trial);
		cr_assert_eq(axis_search.least_count > 0, first != SIZE_MAX, "trial %zu", trial);
		for (size_t i = 0; i < axis_search.least_count; i++)
			cr_assert_eq(axis_search.state[axis_search.least[i]], AXIS_SEARCH_HOLDS, "trial %zu",
				trial);
		if (axis_search.axes == 1 && first != SIZE_MAX)
			cr_assert_eq(axis_search.least[0], first, "trial %zu: %zu, not %zu", trial,
				axis_search.least[0], first);
		axis_search_release(&axis_search);
	}
}

/* On one axis of n points: both ends, three between, then quarters of quarters, and two neighbours a side. */
Test(axis_search, tries_few)
{
	static struct truth truth;
	for (size_t least = 0; least <= 65; least++) {
		struct sl_err err = { 0 };
		struct axis_search axis_search = {
			.axes = 1, .count = { 65 }, .attempt = attempt, .self = &truth
		};
		truth = (struct truth){ .draw = 0 };
		for (size_t p = least; p < 65; p++)
			truth.holds[p] = true;
		cr_assert_eq(axis_search_make(&axis_search, &err), SL_OK);
		go(&axis_search, least);
		cr_expect_leq(axis_search.tried, 15, "%zu tried for %zu", axis_search.tried, least);
		cr_expect_eq(axis_search.least_count, least < 65);
		axis_search_release(&axis_search);
	}
}

/* On any grid: what it names holds, was tried, and fails one step below, which was tried too. Tried in full,
 * it is the truth, whatever that is. */
Test(axis_search, claims_nothing_that_is_not_so)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct axis_search axis_search;
		begin(&axis_search, &truth, trial, false);
		go(&axis_search, trial);
		for (size_t i = 0; i < axis_search.least_count; i++) {
			cr_assert_eq(axis_search.state[axis_search.least[i]], AXIS_SEARCH_HOLDS, "trial %zu",
				trial);
			for (size_t axis = 0; axis < axis_search.axes; axis++) {
				const size_t before =
					axis_search_step(&axis_search, axis_search.least[i], axis, -1);
				cr_assert(before == SIZE_MAX ||
						  axis_search.state[before] == AXIS_SEARCH_FAILING,
					"trial %zu", trial);
			}
		}
		axis_search_release(&axis_search);
		begin(&axis_search, &truth, trial, false);
		axis_search.exhaustive = true;
		go(&axis_search, trial);
		cr_assert_eq(axis_search.tried, axis_search.points, "trial %zu", trial);
		for (size_t p = 0; p < axis_search.points; p++)
			cr_assert_eq(axis_search.state[p] == AXIS_SEARCH_HOLDS, truth.holds[p], "trial %zu",
				trial);
		axis_search_release(&axis_search);
	}
}

/* What is barred is never tried, nor named. */
Test(axis_search, bars)
{
	static struct truth truth;
	for (size_t trial = 0; trial < TRIALS; trial++) {
		struct axis_search axis_search;
		begin(&axis_search, &truth, trial, true);
		const size_t most = draw(&truth, 20);
		for (size_t p = 0; p < axis_search.points; p++) {
			size_t sum = 0;
			for (size_t axis = 0; axis < axis_search.axes; axis++)
				sum += axis_search_at(&axis_search, p, axis);
			if (sum > most) {
				axis_search.state[p] = AXIS_SEARCH_BARRED;
				truth.holds[p] = false;
			}
		}
		go(&axis_search, trial);
		expect_all(&axis_search, trial);
		for (size_t p = 0; p < axis_search.points; p++)
			cr_assert(axis_search.state[p] != AXIS_SEARCH_BARRED || !truth.asked[p], "trial %zu",
				trial);
		axis_search_release(&axis_search);
	}
}

/* Names before a range: each has its own least point. */
Test(axis_search, names_do_not_speak_for_each_other)
{
	static struct truth truth;
	struct sl_err err = { 0 };
	struct axis_search axis_search = { .axes = 2,
		.count = { 3, 20 },
		.unordered = { true, false },
		.attempt = attempt,
		.self = &truth };
	static const size_t from[] = { 5, 20, 13 };
	truth = (struct truth){ .draw = 0 };
	for (size_t p = 0; p < 60; p++)
		truth.holds[p] = p % 20 >= from[p / 20];
	cr_assert_eq(axis_search_make(&axis_search, &err), SL_OK);
	go(&axis_search, 0);
	cr_assert_eq(axis_search.least_count, 2);
	cr_expect_eq(axis_search.least[0], 5);
	cr_expect_eq(axis_search.least[1], 53);
	axis_search_release(&axis_search);
}

/* It holds at 7 and from 10 on. Bisection ends at 10, and looks at 9 and 8; where these fail narrowly, at 7
 * too. */
Test(axis_search, goes_on_below_while_it_fails_narrowly)
{
	static struct truth truth;
	for (int similar = 0; similar < 2; similar++) {
		struct sl_err err = { 0 };
		struct axis_search axis_search = {
			.axes = 1, .count = { 13 }, .attempt = attempt, .self = &truth
		};
		truth = (struct truth){ .holds = { [7] = true, [10] = true, [11] = true, [12] = true } };
		cr_assert_eq(axis_search_make(&axis_search, &err), SL_OK);
		axis_search.similar[8] = axis_search.similar[9] = similar;
		go(&axis_search, 0);
		cr_assert_eq(axis_search.least_count, 1);
		cr_expect_eq(axis_search.least[0], similar ? 7 : 10);
		axis_search_release(&axis_search);
	}
}

/* Fails at 7 although 5 holds: said. */
Test(axis_search, says_what_breaks)
{
	static struct truth truth;
	struct sl_err err = { 0 };
	struct axis_search axis_search = { .axes = 1, .count = { 9 }, .attempt = attempt, .self = &truth };
	truth = (struct truth){ .holds = { [5] = true, [6] = true, [8] = true } };
	cr_assert_eq(axis_search_make(&axis_search, &err), SL_OK);
	go(&axis_search, 0);
	cr_assert_eq(axis_search.least_count, 1);
	cr_expect_eq(axis_search.least[0], 5);
	for (size_t p = 0; p < 9; p++)
		cr_expect_eq(axis_search_breaks(&axis_search, p), p == 7, "%zu", p);
	axis_search_release(&axis_search);
}

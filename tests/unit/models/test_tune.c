/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_tune.c - the search on functions of which the best is known, and each clause of the score by hand.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "models/tune/tune_search.h"
#include "tests/world/effort.h"

/* A world: what a candidate has on a span. */
struct world {
	double (*value)(const uint32_t *level, size_t column, uint32_t span);
	uint64_t spans; /* Simulated. */
	uint32_t fails; /* Candidates with this level on axis 0 fail; UINT32_MAX: none. */
};

static int simulate(
	void *self, struct tune_search *search, const struct tune_ask *ask, size_t count, struct sl_err *err)
{
	struct world *world = self;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		struct tune_candidate *candidate = &search->candidate[ask[i].candidate];
		candidate->failed = candidate->level[0] == world->fails;
		world->spans += candidate->failed ? 0 : ask[i].until - ask[i].from;
		for (size_t c = 0; c < search->problem.columns; c++)
			for (uint32_t s = ask[i].from; s < ask[i].until; s++)
				candidate->value[c * search->problem.spans + s] =
					world->value(candidate->level, c, s);
	}
	return SL_OK;
}

static struct tune_search run(const struct tune_problem *problem, struct world *world, struct sl_arena *arena)
{
	struct tune_search search;
	struct sl_err err = { 0 };
	cr_assert_eq(tune_search_run(&search, problem, arena, simulate, world, &err), SL_OK, "%s", err.text);
	cr_assert(problem->every || world->spans <= problem->budget);
	cr_assert(problem->every || world->spans == search.spent);
	return search;
}

/* A bowl with its bottom at (30, 7), higher by a tenth in odd spans; axis 2 matters to nobody. */
static double bowl(const uint32_t *level, size_t column, uint32_t span)
{
	const double x = (double)level[0] - 30;
	const double y = (double)level[1] - 7;
	(void)column;
	return (100 + x * x / 10 + y * y) * (span % 2 ? 1.1 : 1);
}

static const struct tune_problem bowl_problem = {
	.axis = { { 41, 0, false }, { 11, 0, false }, { 5, 2, false } },
	.axes = 3,
	.column = { { TUNE_LESS, 0 } },
	.columns = 1,
	.spans = 12,
	.budget = 12 * 60,
	.seed = 1,
};

Test(tune, a_bowl_s_bottom_is_found_with_less_than_a_thirtieth_of_its_points)
{
	struct sl_arena *arena = sl_arena_new();
	for (uint64_t seed = 1, seeds = effort_of(3, 10, 10); seed <= seeds; seed++) {
		struct world world = { bowl, 0, UINT32_MAX };
		struct tune_problem problem = bowl_problem;
		problem.seed = seed;
		const struct tune_search search = run(&problem, &world, arena);
		const uint32_t *level = search.candidate[search.best].level;
		cr_expect(level[0] >= 28 && level[0] <= 32 && level[1] == 7, "%u %u", level[0], level[1]);
		cr_expect_eq(level[2], 2, "what does not matter stays as it is today");
	}
	sl_arena_free(arena);
}

Test(tune, every_point_is_gone_through_and_the_best_is_exact)
{
	struct sl_arena *arena = sl_arena_new();
	struct world world = { bowl, 0, UINT32_MAX };
	struct tune_problem problem = bowl_problem;
	problem.every = true;
	const struct tune_search search = run(&problem, &world, arena);
	cr_expect_eq(search.count, 41 * 11 * 5);
	cr_expect_eq(world.spans, (uint64_t)41 * 11 * 5 * 12);
	const uint32_t *level = search.candidate[search.best].level;
	cr_expect(level[0] == 30 && level[1] == 7 && level[2] == 2);
	sl_arena_free(arena);
}

/* Words, of which the third is best, on any level of axis 1. */
static double words(const uint32_t *level, size_t column, uint32_t span)
{
	(void)column, (void)span;
	return level[0] == 2 ? 50 : 100 + level[0];
}

Test(tune, of_words_each_is_tried_and_a_candidate_that_fails_is_none)
{
	struct sl_arena *arena = sl_arena_new();
	struct world world = { words, 0, UINT32_MAX };
	const struct tune_problem problem = { .axis = { { 5, 0, true }, { 3, 1, false } },
		.axes = 2,
		.column = { { TUNE_LESS, 0 } },
		.columns = 1,
		.spans = 6,
		.budget = 6 * 20,
		.seed = 3 };
	struct tune_search search = run(&problem, &world, arena);
	cr_expect_eq(search.candidate[search.best].level[0], 2);
	cr_expect_eq(search.candidate[search.best].level[1], 1);
	world = (struct world){ words, 0, 2 };
	search = run(&problem, &world, arena);
	cr_expect_eq(search.best, 0, "today is the best of the others");
	sl_arena_free(arena);
}

/* Column 0 falls with the level, column 1 too. */
static double conflict(const uint32_t *level, size_t column, uint32_t span)
{
	(void)span;
	return column ? 10 - (double)level[0] : 20 - (double)level[0];
}

static double both_ways(const uint32_t *level, size_t column, uint32_t span)
{
	(void)span;
	return column ? 10 + (double)level[0] : 20 - (double)level[0];
}

static struct tune_search one_axis(enum tune_kind kind, double bound, struct sl_arena *arena,
	double (*value)(const uint32_t *, size_t, uint32_t))
{
	struct world world = { value, 0, UINT32_MAX };
	const struct tune_problem problem = { .axis = { { 9, 0, false } },
		.axes = 1,
		.column = { { TUNE_LESS, 0 }, { kind, bound } },
		.columns = 2,
		.spans = 2,
		.every = true };
	return run(&problem, &world, arena);
}

static uint32_t best_level(const struct tune_search *search)
{
	return search->candidate[search->best].level[0];
}

Test(tune, what_must_hold_decides_before_the_goal)
{
	struct sl_arena *arena = sl_arena_new();
	struct tune_search search = one_axis(TUNE_AT_LEAST, 6, arena, conflict);
	cr_expect_eq(best_level(&search), 4, "10 - 4 is 6 still");
	search = one_axis(TUNE_ABOVE, 6, arena, conflict);
	cr_expect_eq(best_level(&search), 3, "6 is not above 6");
	search = one_axis(TUNE_NO_LESS, 0, arena, conflict);
	cr_expect_eq(best_level(&search), 0, "today's is the most");
	search = one_axis(TUNE_AT_MOST, 12, arena, both_ways);
	cr_expect_eq(best_level(&search), 2);
	search = one_axis(TUNE_BELOW, 12, arena, both_ways);
	cr_expect_eq(best_level(&search), 1);
	search = one_axis(TUNE_NO_MORE, 0, arena, both_ways);
	cr_expect_eq(best_level(&search), 0);
	search = one_axis(TUNE_AT_LEAST, 12, arena, conflict);
	cr_expect_eq(best_level(&search), 0, "none holds: today misses by least");
	sl_arena_free(arena);
}

Test(tune, goals_in_conflict_make_a_front)
{
	struct sl_arena *arena = sl_arena_new();
	size_t front[16];
	struct tune_search search = one_axis(TUNE_LESS, 0, arena, both_ways);
	cr_expect_eq(tune_front(&search, front, 16), 9, "none of nine dominates another");
	search = one_axis(TUNE_LESS, 0, arena, conflict);
	cr_expect_eq(tune_front(&search, front, 16), 1);
	cr_expect_eq(search.candidate[front[0]].level[0], 8);
	search = one_axis(TUNE_MORE, 0, arena, both_ways);
	cr_expect_eq(
		tune_front(&search, front, 16), 1, "less of one and more of the other: the last is best");
	cr_expect_eq(search.candidate[front[0]].level[0], 8);
	sl_arena_free(arena);
}

/* Span 1 has no value where the level is odd, and another one where it is not. */
static double gaps(const uint32_t *level, size_t column, uint32_t span)
{
	(void)column;
	return span == 1 ? (level[0] % 2 ? (double)NAN : 1000) : 10 + level[0];
}

Test(tune, means_are_over_spans_that_both_have)
{
	struct sl_arena *arena = sl_arena_new();
	struct world world = { gaps, 0, UINT32_MAX };
	const struct tune_problem problem = { .axis = { { 2, 0, false } },
		.axes = 1,
		.column = { { TUNE_LESS, 0 } },
		.columns = 1,
		.spans = 2,
		.every = true };
	const struct tune_search search = run(&problem, &world, arena);
	cr_expect_float_eq(tune_mean(&search, &search.candidate[0], &search.candidate[0], 0, 2), 505, 1e-9);
	cr_expect_float_eq(tune_mean(&search, &search.candidate[0], &search.candidate[1], 0, 2), 10, 1e-9);
	cr_expect_float_eq(tune_score(&search, &search.candidate[1], 2).loss, 1.1, 1e-9);
	cr_expect_eq(search.best, 0);
	sl_arena_free(arena);
}

/* The best of axis 0 changes with axis 1, so that both have to move together. */
static double valley(const uint32_t *level, size_t column, uint32_t span)
{
	const double x = (double)level[0] - (double)level[1];
	const double y = (double)level[0] - 20;
	(void)column;
	return 100 + 2 * fabs(x) + fabs(y) + (span % 3);
}

Test(tune, a_narrow_valley_is_followed)
{
	struct sl_arena *arena = sl_arena_new();
	const uint64_t seeds = effort_of(3, 10, 10);
	uint64_t near = 0;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct world world = { valley, 0, UINT32_MAX };
		const struct tune_problem problem = { .axis = { { 31, 0, false }, { 31, 0, false } },
			.axes = 2,
			.column = { { TUNE_LESS, 0 } },
			.columns = 1,
			.spans = 9,
			.budget = 9 * 60,
			.seed = seed };
		const struct tune_search search = run(&problem, &world, arena);
		near += tune_mean(&search, &search.candidate[search.best], &search.candidate[0], 0, 9) <=
			101 * 1.05;
	}
	cr_expect_geq(near, seeds - 1);
	sl_arena_free(arena);
}

/* By hand: ln of the loss is a sum, level 1 of axis 0 and level 2 of axis 1 are best, and never together. */
static double sums(const uint32_t *level, size_t column, uint32_t span)
{
	(void)column, (void)span;
	return exp(level[0] == 1 ? 0 : 1) * exp(level[1] == 2 ? 0 : 2);
}

Test(tune, a_surface_foretells_what_was_not_tried)
{
	struct sl_arena *arena = sl_arena_new();
	struct world world = { sums, 0, UINT32_MAX };
	const struct tune_problem problem = { .axis = { { 3, 0, true }, { 3, 0, true } },
		.axes = 2,
		.column = { { TUNE_LESS, 0 } },
		.columns = 1,
		.spans = 2,
		.every = true };
	struct tune_search search = run(&problem, &world, arena);
	struct sl_rng rng = sl_rng_stream(1, "test");
	const double weight[] = { 1 };
	uint32_t level[TUNE_LOWEST_MAX][TUNE_AXES_MAX];
	struct tune_surface *surface = tune_surface_new(&problem, arena);
	cr_expect_eq(
		tune_promising(surface, &search, &rng, weight, true, 1, level, 4), 0, "all nine are known");
	/* Without two, of which (1, 2) is one. */
	size_t kept = 0;
	for (size_t i = 0; i < search.count; i++)
		if (!(search.candidate[i].level[1] == 2 && search.candidate[i].level[0] > 0))
			search.candidate[kept++] = search.candidate[i];
	search.count = kept;
	search.best = 0;
	cr_assert_eq(tune_promising(surface, &search, &rng, weight, true, 1, level, 4), 2);
	cr_expect(level[0][0] == 1 && level[0][1] == 2);
	cr_expect(level[1][0] == 2 && level[1][1] == 2);
	cr_expect_eq(tune_promising(surface, &search, &rng, weight, false, 1, level, 4), 0, "none was begun");
	sl_arena_free(arena);
}

/* The goal falls with the level; what must hold does up to level 12 of 40 alone, and today is level 0. */
static double cliff(const uint32_t *level, size_t column, uint32_t span)
{
	(void)span;
	return column ? 50 - (double)level[0] * 2 : 100 - (double)level[0] + (double)level[1];
}

Test(tune, the_best_is_found_at_the_edge_of_what_must_hold)
{
	struct sl_arena *arena = sl_arena_new();
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct world world = { cliff, 0, UINT32_MAX };
		const struct tune_problem problem = { .axis = { { 41, 0, false }, { 9, 8, false } },
			.axes = 2,
			.column = { { TUNE_LESS, 0 }, { TUNE_AT_LEAST, 26 } },
			.columns = 2,
			.spans = 9,
			.budget = 9 * 30,
			.seed = seed };
		const struct tune_search search = run(&problem, &world, arena);
		const uint32_t *level = search.candidate[search.best].level;
		cr_expect(level[0] >= 11 && level[0] <= 12 && level[1] <= 1, "%u %u", level[0], level[1]);
	}
	sl_arena_free(arena);
}

/* By hand: at most 10; at level 2 it is 12, two tenths too much. */
Test(tune, slack_is_of_the_bound_that_is_missed_most)
{
	struct sl_arena *arena = sl_arena_new();
	struct world world = { both_ways, 0, UINT32_MAX };
	const struct tune_problem problem = { .axis = { { 9, 0, false } },
		.axes = 1,
		.column = { { TUNE_LESS, 0 }, { TUNE_AT_MOST, 10 } },
		.columns = 2,
		.spans = 2,
		.every = true };
	const struct tune_search search = run(&problem, &world, arena);
	cr_expect_float_eq(tune_slack(&search, &search.candidate[0], 2), 0, 1e-9);
	cr_expect_float_eq(tune_slack(&search, &search.candidate[2], 2), 0.2, 1e-9);
	cr_expect_float_eq(tune_score(&search, &search.candidate[2], 2).excess, 0.2, 1e-9);
	sl_arena_free(arena);
}

/* ---- Sums ---------------------------------------------------------------------------------------------- */

static const int64_t upto6[] = { 0, 1, 2, 3, 4, 5, 6 };
static const int64_t some[] = { TUNE_NO_AMOUNT, 2, 4 };

/* By hand: a + b + c = 6 of a 0..6, b 0..6 and c of 2 or 4 (today: no amount): a + b is 4, five ways, or 2,
 * three. The value is least where a and b are alike and c is 4: (1, 1, 4). */
static double alike_two(const uint32_t *level, size_t column, uint32_t span)
{
	const double apart = (double)level[0] - (double)level[1];
	(void)column, (void)span;
	return 100 + apart * apart + (level[2] == 2 ? 0 : 1);
}

static const struct tune_problem sum_problem = {
	.axis = { { 7, 5, false }, { 7, 5, false }, { 3, 0, false } },
	.axes = 3,
	.link = { { .axis = { 0, 1, 2 }, .count = 3, .total = 6 } },
	.links = 1,
	.amount = { upto6, upto6, some },
	.column = { { TUNE_LESS, 0 } },
	.columns = 1,
	.spans = 3,
	.budget = 3 * 9,
	.seed = 1,
};

static bool adds_up(const struct tune_candidate *candidate)
{
	return upto6[candidate->level[0]] + upto6[candidate->level[1]] + 2 * (int64_t)candidate->level[2] ==
	       6;
}

Test(tune, of_a_sum_the_last_is_what_is_left)
{
	uint32_t level[TUNE_AXES_MAX] = { 1, 1, 0 };
	cr_expect(tune_linked(&sum_problem, level));
	cr_expect_eq(level[2], 2, "6 - 1 - 1 is 4");
	level[0] = 3;
	cr_expect(tune_linked(&sum_problem, level));
	cr_expect_eq(level[2], 1, "6 - 3 - 1 is 2");
	level[0] = 0;
	cr_expect_not(tune_linked(&sum_problem, level), "5 is none of its levels");
	level[0] = level[1] = 3;
	cr_expect_not(tune_linked(&sum_problem, level), "nor is 0: today's has no amount");
	cr_expect_eq(tune_points(&sum_problem), 49);
	cr_expect_eq(tune_settings(&sum_problem), 8 + 1, "and today's, which does not add up");
	cr_expect(tune_together(&sum_problem, 0, 2) && tune_together(&sum_problem, 1, 1));
}

Test(tune, links_that_share_an_axis_all_hold_or_none)
{
	struct tune_problem problem = sum_problem;
	problem.axes = 3;
	problem.axis[2] = (struct tune_axis){ 7, 0, false };
	problem.amount[2] = upto6;
	problem.link[0] = (struct tune_link){ .axis = { 0, 1 }, .count = 2, .total = 6 };
	problem.link[1] = (struct tune_link){ .axis = { 1, 2 }, .count = 2, .total = 4 };
	problem.links = 2;
	uint32_t level[TUNE_AXES_MAX] = { 4, 0, 0 };
	cr_expect(tune_linked(&problem, level));
	cr_expect(level[1] == 2 && level[2] == 2);
	cr_expect_not(tune_together(&problem, 0, 2));
	problem.link[1] = (struct tune_link){ .axis = { 2, 1 }, .count = 2, .total = 4 };
	level[2] = 3;
	cr_expect_not(tune_linked(&problem, level), "the second takes from the first what it needs");
}

Test(tune, only_what_adds_up_is_tried)
{
	struct sl_arena *arena = sl_arena_new();
	for (int way = 0; way < 2; way++) {
		struct world world = { alike_two, 0, UINT32_MAX };
		struct tune_problem problem = sum_problem;
		problem.every = way;
		const struct tune_search search = run(&problem, &world, arena);
		const uint32_t *best = search.candidate[search.best].level;
		for (size_t i = 1; i < search.count; i++)
			cr_expect(!search.candidate[i].met || adds_up(&search.candidate[i]));
		cr_expect(
			best[0] == 1 && best[1] == 1 && best[2] == 2, "%u %u %u", best[0], best[1], best[2]);
		cr_expect(!way || search.count == 9);
	}
	sl_arena_free(arena);
}

/* Of a lattice that is too large to be gone through points are drawn: what is drawn adds up, too. Four shares
 * of 60 in ones; the best is (10, 20, 5, 25), and today 15 each. */
static int64_t upto60[61];
static double shares(const uint32_t *level, size_t column, uint32_t span)
{
	static const double best[] = { 10, 20, 5, 25 };
	double sum = 100;
	(void)column, (void)span;
	for (int i = 0; i < 4; i++)
		sum += (level[i] - best[i]) * (level[i] - best[i]);
	return sum;
}

Test(tune, shares_of_a_sum_are_found)
{
	struct sl_arena *arena = sl_arena_new();
	struct world world = { shares, 0, UINT32_MAX };
	struct tune_problem problem = { .axes = 4,
		.link = { { .axis = { 0, 1, 2, 3 }, .count = 4, .total = 60 } },
		.links = 1,
		.column = { { TUNE_LESS, 0 } },
		.columns = 1,
		.spans = 3,
		.budget = 3 * 100,
		.seed = 1 };
	for (int i = 0; i <= 60; i++)
		upto60[i] = i;
	for (int i = 0; i < 4; i++) {
		problem.axis[i] = (struct tune_axis){ 61, 15, false };
		problem.amount[i] = upto60;
	}
	const struct tune_search search = run(&problem, &world, arena);
	for (size_t i = 0; i < search.count; i++) {
		const uint32_t *level = search.candidate[i].level;
		cr_expect_eq(level[0] + level[1] + level[2] + level[3], 60);
	}
	cr_expect_lt(shares(search.candidate[search.best].level, 0, 0), 100 + 24);
	sl_arena_free(arena);
}

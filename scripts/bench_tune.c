/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_tune.c - how often tune's search finds the best of a lattice with a tenth of its runs: no simulator,
 * so that thousands of searches take seconds. usage: bench-tune [SEEDS [FAMILY]]
 *
 * Each family of functions is drawn anew by each seed: axes, today, heights, and what differs between spans.
 * A lattice is gone through whole for its true optimum. Of each family: how many are within 5 %, the mean of
 * how far they are off, the worst. bowl     a rotated parabola with its bottom anywhere pairs    a number for
 * each level of each axis and each pair of levels of two axes words    the same, of axes without an order
 *   quotas   shares that are too small cost much, too large cost others: a kink at each, sums of them matter
 *   plateau  a bowl in wide steps, much of it like today
 *   needle   a bowl, and one place elsewhere that is better by a fifth
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/tune/tune_search.h"

enum { AXES = 5, LEVELS = 12, SPANS = 16, LATTICE_MAX = 1200, LATTICE_LEAST = 150 };

struct function {
	struct tune_problem problem;
	double centre[AXES], scale[AXES], rotate[AXES][AXES], main[AXES][LEVELS],
		pair[AXES][AXES][LEVELS][LEVELS];
	double weight[SPANS], noise, shift[SPANS][AXES];
	double needle[AXES];
	const char *family;
	uint64_t seed;
};

static double unit(struct sl_rng *rng) { return sl_rng_unit(rng); }

static double normal(struct sl_rng *rng)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += unit(rng);
	return sum;
}

static bool is_family(const struct function *function, const char *name)
{
	return strcmp(function->family, name) == 0;
}

static void function_draw(struct function *function, const char *family, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, family);
	*function = (struct function){ .family = family, .seed = seed };
	struct tune_problem *problem = &function->problem;
	do {
		problem->axes = 2 + (size_t)sl_rng_below(&rng, AXES - 1);
		for (size_t a = 0; a < problem->axes; a++) {
			const uint32_t count = 2 + (uint32_t)sl_rng_below(&rng, LEVELS - 1);
			problem->axis[a] = (struct tune_axis){ count, (uint32_t)sl_rng_below(&rng, count),
				is_family(function, "words") };
		}
	} while (tune_points(problem) > LATTICE_MAX || tune_points(problem) < LATTICE_LEAST);
	problem->column[0] = (struct tune_column){ TUNE_LESS, 0 };
	problem->columns = 1;
	problem->spans = SPANS;
	problem->seed = seed;
	problem->budget = tune_points(problem) / 10 * SPANS;
	for (size_t a = 0; a < AXES; a++) {
		function->centre[a] = 2 * unit(&rng) - 1;
		function->needle[a] = 2 * unit(&rng) - 1;
		function->scale[a] = sl_exp(normal(&rng));
		for (size_t b = 0; b < AXES; b++)
			function->rotate[a][b] = (a == b) + 0.4 * normal(&rng);
		for (size_t i = 0; i < LEVELS; i++)
			function->main[a][i] = 0.4 * normal(&rng);
		for (size_t b = 0; b < AXES; b++)
			for (size_t i = 0; i < (size_t)LEVELS * LEVELS; i++)
				function->pair[a][b][i / LEVELS][i % LEVELS] = 0.15 * normal(&rng);
	}
	function->noise = 0.05 + 0.25 * unit(&rng);
	for (size_t s = 0; s < SPANS; s++) {
		function->weight[s] = sl_exp(normal(&rng));
		for (size_t a = 0; a < AXES; a++)
			function->shift[s][a] = 0.2 * normal(&rng);
	}
}

static double at(const struct function *function, const uint32_t *level, size_t a)
{
	return 2.0 * level[a] / (function->problem.axis[a].count - 1) - 1;
}

/* The logarithm of a height: what a span shifts, too. */
static double height(const struct function *function, const uint32_t *level, uint32_t span)
{
	const size_t axes = function->problem.axes;
	double sum = 0;
	if (is_family(function, "pairs") || is_family(function, "words")) {
		for (size_t a = 0; a < axes; a++) {
			sum += function->main[a][level[a]] * (1 + function->shift[span][a]);
			for (size_t b = 0; b < a; b++)
				sum += function->pair[a][b][level[a]][level[b]];
		}
		return sum;
	}
	if (is_family(function, "quotas")) {
		double total = 0;
		for (size_t a = 0; a < axes; a++) {
			const double need = function->centre[a] + function->shift[span][a];
			const double is = at(function, level, a);
			total += is - need;
			sum += function->scale[a] * (is < need ? need - is : 0.1 * (is - need));
		}
		return 0.5 * sum + (total > 0 ? 0.4 * total : 0);
	}
	for (size_t a = 0; a < axes; a++) {
		double along = 0;
		for (size_t b = 0; b < axes; b++)
			along += function->rotate[a][b] * (at(function, level, b) - function->centre[b] -
								  function->shift[span][b] / 2);
		sum += function->scale[a] * along * along;
	}
	sum = 0.6 * sqrt(sum);
	if (is_family(function, "plateau"))
		return 0.3 * floor(sum / 0.3 > 4 ? 4 : sum / 0.3);
	if (is_family(function, "needle")) {
		double far = 0;
		for (size_t a = 0; a < axes; a++)
			far = fabs(at(function, level, a) - function->needle[a]) > far
				      ? fabs(at(function, level, a) - function->needle[a])
				      : far;
		return far < 0.35 ? -0.2 : sum;
	}
	return sum;
}

static double value_at(const struct function *function, const uint32_t *level, uint32_t span)
{
	uint64_t key = function->seed;
	for (size_t a = 0; a < function->problem.axes; a++)
		key = key * 64 + level[a];
	struct sl_rng rng = sl_rng_stream(key * 64 + span, "noise");
	return 1000 * function->weight[span] *
	       sl_exp(height(function, level, span) + function->noise * normal(&rng));
}

static int simulate(
	void *self, struct tune_search *search, const struct tune_ask *ask, size_t count, struct sl_err *err)
{
	const struct function *function = self;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		struct tune_candidate *candidate = &search->candidate[ask[i].candidate];
		for (uint32_t s = ask[i].from; s < ask[i].until; s++)
			candidate->value[s] = value_at(function, candidate->level, s);
	}
	return SL_OK;
}

static double best_of(const struct function *function, const struct tune_problem *problem)
{
	struct sl_arena *arena = sl_arena_new();
	struct tune_search search;
	struct sl_err err = { 0 };
	struct function copy = *function;
	if (!arena || tune_search_run(&search, problem, arena, simulate, &copy, &err) != SL_OK)
		exit(1);
	const struct tune_candidate *best = &search.candidate[search.best];
	const double mean = tune_mean(&search, best, best, 0, SPANS);
	sl_arena_free(arena);
	return mean;
}

static void family_measure(const char *family, uint64_t seeds)
{
	uint64_t within = 0;
	double sum = 0;
	double worst = 0;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct function *function = malloc(sizeof(*function));
		if (!function)
			exit(1);
		function_draw(function, family, seed);
		struct tune_problem whole = function->problem;
		whole.every = true;
		const double off = best_of(function, &function->problem) / best_of(function, &whole) - 1;
		within += off <= 0.05;
		sum += off;
		worst = off > worst ? off : worst;
		free(function);
	}
	printf("%-8s %6.1f %% within 5 %%   mean off %5.2f %%   worst %5.1f %%\n", family,
		100 * (double)within / (double)seeds, 100 * sum / (double)seeds, 100 * worst);
}

int main(int argc, char **argv)
{
	static const char *const families[] = { "bowl", "pairs", "words", "quotas", "plateau", "needle" };
	const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
	for (size_t i = 0; i < SL_LEN(families); i++)
		if (argc < 3 || strcmp(argv[2], families[i]) == 0)
			family_measure(families[i], seeds);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_surface.c - a response surface (Box and Wilson 1951) through what is known, and where it is lowest.
 *
 * The logarithm of the loss is taken for a sum: of an axis of words a number for each word, of an axis with
 * an order a parabola, and of two of these their product. Ridge regression (Hoerl and Kennard 1970), each
 * candidate weighing as many as the spans that it met. Only + - * / and sqrt, and sl_ln: the same everywhere.
 */
#include <math.h>
#include <string.h>

#include "models/tune/tune_search.h"

enum { FEATURES_MAX = 240, POINTS_WHOLE = 50000, POINTS_DRAWN = 5000 };

struct surface {
	const struct tune_problem *problem;
	size_t count;
	double *matrix; /* Normal equations, lower half; then their Cholesky factor. */
	double *beta;
};

static double at_of(const struct tune_axis *axis, uint32_t level)
{
	return axis->count > 1 ? 2.0 * level / (axis->count - 1) - 1 : 0;
}

/* Axes of many words have no features: each word would need its own runs. */
static bool is_left_out(const struct tune_axis *axis)
{
	return axis->unordered && axis->count > TUNE_WORDS_MAX;
}

/* Features of a point, how many. */
static size_t features_of(const struct tune_problem *problem, const uint32_t *level, double x[FEATURES_MAX])
{
	size_t count = 0;
	x[count++] = 1;
	for (size_t a = 0; a < problem->axes; a++) {
		const struct tune_axis *axis = &problem->axis[a];
		const double at = at_of(axis, level[a]);
		if (is_left_out(axis) || count + axis->count + 2 > FEATURES_MAX)
			continue;
		for (uint32_t i = 0; axis->unordered && i < axis->count; i++)
			x[count++] = level[a] == i;
		if (axis->unordered)
			continue;
		x[count++] = at;
		x[count++] = at * at;
	}
	for (size_t a = 0; a < problem->axes; a++)
		for (size_t b = 0; b < a; b++)
			if (!problem->axis[a].unordered && !problem->axis[b].unordered &&
				count < FEATURES_MAX)
				x[count++] = at_of(&problem->axis[a], level[a]) *
					     at_of(&problem->axis[b], level[b]);
	return count;
}

static double height_of(const struct tune_search *search, const struct tune_candidate *candidate)
{
	const struct tune_score score = tune_score(search, candidate, candidate->met);
	const double loss = score.loss > 1e-6 ? score.loss : 1e-6;
	return sl_ln(loss) + 3 * (score.excess < 1 ? score.excess : 1);
}

/* In place; the factor is in the lower half. */
static void factorize(double *matrix, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k <= i; k++) {
			double sum = matrix[i * n + k];
			for (size_t j = 0; j < k; j++)
				sum -= matrix[i * n + j] * matrix[k * n + j];
			matrix[i * n + k] =
				i == k ? sqrt(sum > 1e-12 ? sum : 1e-12) : sum / matrix[k * n + k];
		}
}

static void solve(const double *factor, double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			x[i] -= factor[i * n + k] * x[k];
		x[i] /= factor[i * n + i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			x[i] -= factor[k * n + i] * x[k];
		x[i] /= factor[i * n + i];
	}
}

static bool fit(struct surface *surface, const struct tune_search *search)
{
	double x[FEATURES_MAX] = { 0 };
	const size_t n = features_of(surface->problem, search->candidate[0].level, x);
	surface->count = n;
	surface->matrix = sl_alloc(search->arena, n * n, sizeof(double));
	surface->beta = sl_alloc(search->arena, n, sizeof(double));
	if (!surface->matrix || !surface->beta)
		return false;
	for (size_t c = 0; c < search->count; c++) {
		const struct tune_candidate *candidate = &search->candidate[c];
		if (!candidate->met || candidate->failed)
			continue;
		const double height = height_of(search, candidate);
		(void)features_of(surface->problem, candidate->level, x);
		for (size_t i = 0; i < n; i++) {
			surface->beta[i] += candidate->met * x[i] * height;
			for (size_t k = 0; k <= i; k++)
				surface->matrix[i * n + k] += candidate->met * x[i] * x[k];
		}
	}
	for (size_t i = 0; i < n; i++)
		surface->matrix[i * n + i] += i ? 0.5 : 1e-6;
	factorize(surface->matrix, n);
	solve(surface->matrix, surface->beta, n);
	return true;
}

static double foretold(const struct surface *surface, const uint32_t *level)
{
	double x[FEATURES_MAX] = { 0 };
	double sum = 0;
	(void)features_of(surface->problem, level, x);
	for (size_t i = 0; i < surface->count; i++)
		sum += surface->beta[i] * x[i];
	return sum;
}

/* Kept, if it is among the lowest; the first of those that are as low. */
static size_t keep_lowest(uint32_t (*lowest)[TUNE_AXES_MAX], double *height, size_t count, size_t most,
	const uint32_t *level, double is)
{
	size_t at = count;
	if (count == most && is >= height[count - 1])
		return count;
	while (at > 0 && height[at - 1] > is)
		at--;
	count += count < most;
	for (size_t i = count - 1; i > at; i--) {
		height[i] = height[i - 1];
		memcpy(lowest[i], lowest[i - 1], sizeof(lowest[i]));
	}
	height[at] = is;
	memcpy(lowest[at], level, sizeof(lowest[at]));
	return count;
}

static bool is_known(const struct tune_search *search, const uint32_t *level, uint32_t met)
{
	for (size_t i = 0; i < search->count; i++)
		if ((search->candidate[i].met >= met || search->candidate[i].failed) &&
			memcmp(search->candidate[i].level, level, search->problem.axes * sizeof(*level)) == 0)
			return true;
	return false;
}

static void level_of(const struct tune_problem *problem, uint64_t point, uint32_t *level)
{
	for (size_t a = 0; a < problem->axes; a++) {
		level[a] = (uint32_t)(point % problem->axis[a].count);
		point /= problem->axis[a].count;
	}
}

size_t tune_lowest(const struct tune_search *search, struct sl_rng *rng, uint32_t met,
	uint32_t (*lowest)[TUNE_AXES_MAX], size_t most)
{
	const struct tune_problem *problem = &search->problem;
	struct surface surface = { .problem = problem };
	double height[TUNE_LOWEST_MAX] = { 0 };
	const uint64_t points = tune_points(problem);
	const bool whole = points <= POINTS_WHOLE;
	size_t count = 0;
	if (!fit(&surface, search))
		return 0;
	for (uint64_t i = 0; i < (whole ? points : POINTS_DRAWN); i++) {
		uint32_t level[TUNE_AXES_MAX] = { 0 };
		if (whole)
			level_of(problem, i, level);
		for (size_t a = 0; a < problem->axes && !whole; a++) {
			/* Half of the axes as the best has them, ends of the others as often as what is
			 * between. */
			const uint64_t pick = sl_rng_below(rng, 8);
			const uint32_t top = problem->axis[a].count - 1;
			level[a] = pick < 4    ? search->candidate[search->best].level[a]
				   : pick == 4 ? 0
				   : pick == 5 ? top
					       : (uint32_t)sl_rng_below(rng, (uint64_t)top + 1);
		}
		const double is = foretold(&surface, level);
		if ((count < most || is < height[count - 1]) && !is_known(search, level, met))
			count = keep_lowest(lowest, height, count, most, level, is);
	}
	return count;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * axis_search.c - see axis_search.h.
 *
 * Two sweeps over the grid carry what was tried: `above`, there is a point that holds below or here; `below`,
 * there is one that fails above or here, and that no point which holds lies below of.
 */
#include <stdlib.h>

#include "cli/base/axis_search.h"

enum { LINES_AT_ONCE = 8, SPLIT = 3, EXHAUSTIVE_BATCH = 64, AROUND = 2 };

/* ---- The grid ------------------------------------------------------------------------------------ */

/* From a point to the next along that axis. */
static size_t stride_of(const struct axis_search *axis_search, size_t axis)
{
	size_t stride = 1;
	for (size_t i = axis + 1; i < axis_search->axes; i++)
		stride *= axis_search->count[i];
	return stride;
}

size_t axis_search_at(const struct axis_search *axis_search, size_t point, size_t axis)
{
	return point / stride_of(axis_search, axis) % axis_search->count[axis];
}

size_t axis_search_step(const struct axis_search *axis_search, size_t point, size_t axis, int steps)
{
	const size_t stride = stride_of(axis_search, axis);
	const size_t at = axis_search_at(axis_search, point, axis);
	const size_t far = (size_t)(steps < 0 ? -steps : steps);
	if (steps < 0)
		return at < far ? SIZE_MAX : point - far * stride;
	return at + far >= axis_search->count[axis] ? SIZE_MAX : point + far * stride;
}

int axis_search_make(struct axis_search *axis_search, struct sl_err *err)
{
	SL_CHECK(axis_search->axes >= 1 && axis_search->axes <= AXIS_SEARCH_AXES_MAX);
	axis_search->points = 1;
	for (size_t i = 0; i < axis_search->axes; i++) {
		SL_CHECK(axis_search->count[i] > 0);
		if (axis_search->count[i] > AXIS_SEARCH_POINTS_MAX / axis_search->points)
			return sl_fail(err, SL_USAGE,
				"more than %d points to search: use narrower ranges, or wider steps",
				(int)AXIS_SEARCH_POINTS_MAX);
		axis_search->points *= axis_search->count[i];
	}
	axis_search->state = calloc(axis_search->points, sizeof(*axis_search->state));
	axis_search->similar = calloc(axis_search->points, sizeof(*axis_search->similar));
	axis_search->least = calloc(axis_search->points, sizeof(*axis_search->least));
	axis_search->above = calloc(axis_search->points, sizeof(*axis_search->above));
	axis_search->below = calloc(axis_search->points, sizeof(*axis_search->below));
	axis_search->batch = calloc(axis_search->points, sizeof(*axis_search->batch));
	return axis_search->state && axis_search->similar && axis_search->least && axis_search->above &&
			       axis_search->below && axis_search->batch
		       ? SL_OK
		       : sl_fail_memory(err);
}

void axis_search_release(struct axis_search *axis_search)
{
	free(axis_search->state);
	free(axis_search->similar);
	free(axis_search->least);
	free(axis_search->above);
	free(axis_search->below);
	free(axis_search->batch);
	axis_search->state = NULL;
	axis_search->least = axis_search->batch = NULL;
	axis_search->similar = axis_search->above = axis_search->below = NULL;
}

/* ---- What follows from what was tried --------------------------------------------------------------- */

/* The neighbour, along an axis that has an order. */
static size_t ordered_step(const struct axis_search *axis_search, size_t point, size_t axis, int steps)
{
	return axis_search->unordered[axis] ? SIZE_MAX : axis_search_step(axis_search, point, axis, steps);
}

static void carry(struct axis_search *axis_search)
{
	for (size_t p = 0; p < axis_search->points; p++) {
		bool above = axis_search->state[p] == AXIS_SEARCH_HOLDS;
		for (size_t axis = 0; axis < axis_search->axes && !above; axis++) {
			const size_t before = ordered_step(axis_search, p, axis, -1);
			above = before != SIZE_MAX && axis_search->above[before];
		}
		axis_search->above[p] = above;
	}
	for (size_t p = axis_search->points; p-- > 0;) {
		bool below = axis_search->state[p] == AXIS_SEARCH_FAILING && !axis_search->above[p];
		for (size_t axis = 0; axis < axis_search->axes && !below; axis++) {
			const size_t behind = ordered_step(axis_search, p, axis, 1);
			below = behind != SIZE_MAX && axis_search->below[behind];
		}
		axis_search->below[p] = below;
	}
}

bool axis_search_breaks(const struct axis_search *axis_search, size_t point)
{
	return axis_search->state[point] == AXIS_SEARCH_FAILING && axis_search->above[point];
}

/* Each once, and none that was tried. */
static void want(struct axis_search *axis_search, size_t *wanted, size_t point)
{
	if (point == SIZE_MAX || axis_search->state[point] != AXIS_SEARCH_UNKNOWN)
		return;
	for (size_t i = 0; i < *wanted; i++)
		if (axis_search->batch[i] == point)
			return;
	axis_search->batch[(*wanted)++] = point;
}

/* Points of a line, from one on, of which nothing is known. */
struct gap {
	size_t from, length;
};

/* Lines run along the last axis. */
static struct gap gap_of(const struct axis_search *axis_search, size_t line)
{
	const size_t count = axis_search->count[axis_search->axes - 1];
	const size_t first = line * count;
	size_t holds = 0;
	while (holds < count && axis_search->state[first + holds] != AXIS_SEARCH_BARRED &&
		!axis_search->above[first + holds])
		holds++;
	size_t failing = holds;
	while (failing > 0 && !axis_search->below[first + failing - 1])
		failing--;
	return (struct gap){ first + failing, holds - failing };
}

/* Where no axis has an order each point is for itself. */
static void names(struct axis_search *axis_search, size_t *wanted)
{
	for (size_t p = 0; p < axis_search->points && *wanted < LINES_AT_ONCE; p++)
		if (!axis_search->above[p] && !axis_search->below[p])
			want(axis_search, wanted, p);
}

/* The untried point of a gap that is closest to one of its positions; SIZE_MAX: all were tried. */
static size_t open_similar(const struct axis_search *axis_search, const struct gap *gap, size_t place)
{
	for (size_t far = 0; far < gap->length; far++) {
		if (place + far < gap->length &&
			axis_search->state[gap->from + place + far] == AXIS_SEARCH_UNKNOWN)
			return gap->from + place + far;
		if (far <= place && axis_search->state[gap->from + place - far] == AXIS_SEARCH_UNKNOWN)
			return gap->from + place - far;
	}
	return SIZE_MAX;
}

/* The points that halve the widest gaps, of as many lines as are tried at a time. */
static void halve(struct axis_search *axis_search, size_t *wanted)
{
	const size_t lines = axis_search->points / axis_search->count[axis_search->axes - 1];
	struct gap widest[LINES_AT_ONCE];
	size_t count = 0;
	for (size_t line = 0; line < lines; line++) {
		const struct gap gap = gap_of(axis_search, line);
		size_t at = count;
		while (at > 0 && widest[at - 1].length < gap.length)
			at--;
		if (at == LINES_AT_ONCE || open_similar(axis_search, &gap, 0) == SIZE_MAX)
			continue;
		count += count < LINES_AT_ONCE;
		for (size_t i = count - 1; i > at; i--)
			widest[i] = widest[i - 1];
		widest[at] = gap;
	}
	const size_t split = axis_search->axes == 1 ? SPLIT : 1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 1; k <= split; k++)
			want(axis_search, wanted,
				open_similar(axis_search, &widest[i], widest[i].length * k / (split + 1)));
}

/* It holds, and nothing below it does as far as is known. */
static bool is_least(const struct axis_search *axis_search, size_t point)
{
	bool least = axis_search->state[point] == AXIS_SEARCH_HOLDS;
	for (size_t axis = 0; axis < axis_search->axes && least; axis++) {
		const size_t before = ordered_step(axis_search, point, axis, -1);
		least = before == SIZE_MAX || !axis_search->above[before];
	}
	return least;
}

/* Down from there: until as many in a row fail by far. */
static void below(struct axis_search *axis_search, size_t *wanted, size_t point, size_t axis, int around)
{
	int far = 0;
	for (int steps = 1; far < around; steps++) {
		const size_t other = ordered_step(axis_search, point, axis, -steps);
		if (other == SIZE_MAX)
			return;
		want(axis_search, wanted, other);
		far = axis_search->state[other] == AXIS_SEARCH_FAILING && axis_search->similar[other]
			      ? 0
			      : far + 1;
	}
}

static void neighbours(struct axis_search *axis_search, size_t *wanted)
{
	const int around = axis_search->axes == 1 ? AROUND : 1;
	for (size_t p = 0; p < axis_search->points; p++)
		for (size_t axis = 0; axis < axis_search->axes && is_least(axis_search, p); axis++) {
			below(axis_search, wanted, p, axis, around);
			for (int steps = 1; steps <= around; steps++)
				want(axis_search, wanted, ordered_step(axis_search, p, axis, steps));
		}
}

/* ---- The search -------------------------------------------------------------------------------------- */

static int go(struct axis_search *axis_search, size_t wanted, struct sl_err *err)
{
	const int status =
		axis_search->attempt(axis_search->self, axis_search, axis_search->batch, wanted, err);
	axis_search->tried += wanted;
	for (size_t i = 0; i < wanted && !status; i++)
		SL_CHECK(axis_search->state[axis_search->batch[i]] == AXIS_SEARCH_FAILING ||
			 axis_search->state[axis_search->batch[i]] == AXIS_SEARCH_HOLDS ||
			 axis_search->state[axis_search->batch[i]] == AXIS_SEARCH_UNBUILT);
	carry(axis_search);
	return status;
}

static int all(struct axis_search *axis_search, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t p = 0; p < axis_search->points && !status;) {
		size_t wanted = 0;
		for (; p < axis_search->points && wanted < EXHAUSTIVE_BATCH; p++)
			if (axis_search->state[p] == AXIS_SEARCH_UNKNOWN)
				axis_search->batch[wanted++] = p;
		status = wanted ? go(axis_search, wanted, err) : SL_OK;
	}
	return status;
}

/* The last point that is not barred. */
static size_t last(const struct axis_search *axis_search)
{
	size_t point = axis_search->points;
	while (point > 0 && axis_search->state[point - 1] == AXIS_SEARCH_BARRED)
		point--;
	return point;
}

static void corners(struct axis_search *axis_search, size_t *wanted)
{
	const size_t count = last(axis_search);
	if (!count)
		return;
	want(axis_search, wanted, 0);
	want(axis_search, wanted, count - 1);
	for (size_t k = 1; k <= SPLIT && axis_search->axes == 1; k++)
		want(axis_search, wanted, (count - 1) * k / (SPLIT + 1));
}

int axis_search_go(struct axis_search *axis_search, struct sl_err *err)
{
	size_t wanted = 0;
	int status = SL_OK;
	carry(axis_search);
	if (axis_search->exhaustive)
		status = all(axis_search, err);
	else
		corners(axis_search, &wanted);
	while (wanted && !status) {
		status = go(axis_search, wanted, err);
		wanted = 0;
		if (axis_search->unordered[axis_search->axes - 1])
			names(axis_search, &wanted);
		else
			halve(axis_search, &wanted);
		if (!wanted)
			neighbours(axis_search, &wanted);
	}
	axis_search->least_count = 0;
	for (size_t p = 0; p < axis_search->points; p++)
		if (is_least(axis_search, p))
			axis_search->least[axis_search->least_count++] = p;
	return status;
}

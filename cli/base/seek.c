/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * seek.c - see seek.h.
 *
 * Two sweeps over the grid carry what was tried: `above`, there is a point that holds below or here; `below`,
 * there is one that fails above or here, and that no point which holds lies below of.
 */
#include <stdlib.h>

#include "cli/base/seek.h"

enum { LINES_AT_ONCE = 8, SPLIT = 3, EXHAUSTIVE_BATCH = 64, AROUND = 2 };

/* ---- The grid ------------------------------------------------------------------------------------ */

/* From a point to the next along that axis. */
static size_t stride_of(const struct seek *seek, size_t axis)
{
	size_t stride = 1;
	for (size_t i = axis + 1; i < seek->axes; i++)
		stride *= seek->count[i];
	return stride;
}

size_t seek_at(const struct seek *seek, size_t point, size_t axis)
{
	return point / stride_of(seek, axis) % seek->count[axis];
}

size_t seek_step(const struct seek *seek, size_t point, size_t axis, int steps)
{
	const size_t stride = stride_of(seek, axis);
	const size_t at = seek_at(seek, point, axis);
	const size_t far = (size_t)(steps < 0 ? -steps : steps);
	if (steps < 0)
		return at < far ? SIZE_MAX : point - far * stride;
	return at + far >= seek->count[axis] ? SIZE_MAX : point + far * stride;
}

int seek_make(struct seek *seek, struct sl_err *err)
{
	SL_CHECK(seek->axes >= 1 && seek->axes <= SEEK_AXES_MAX);
	seek->points = 1;
	for (size_t i = 0; i < seek->axes; i++) {
		SL_CHECK(seek->count[i] > 0);
		if (seek->count[i] > SEEK_POINTS_MAX / seek->points)
			return sl_fail(err, SL_USAGE,
				"more than %d points to search: use narrower ranges, or wider steps",
				(int)SEEK_POINTS_MAX);
		seek->points *= seek->count[i];
	}
	seek->state = calloc(seek->points, sizeof(*seek->state));
	seek->near = calloc(seek->points, sizeof(*seek->near));
	seek->least = calloc(seek->points, sizeof(*seek->least));
	seek->above = calloc(seek->points, sizeof(*seek->above));
	seek->below = calloc(seek->points, sizeof(*seek->below));
	seek->batch = calloc(seek->points, sizeof(*seek->batch));
	return seek->state && seek->near && seek->least && seek->above && seek->below && seek->batch
		       ? SL_OK
		       : sl_fail_memory(err);
}

void seek_release(struct seek *seek)
{
	free(seek->state);
	free(seek->near);
	free(seek->least);
	free(seek->above);
	free(seek->below);
	free(seek->batch);
	seek->state = NULL;
	seek->least = seek->batch = NULL;
	seek->near = seek->above = seek->below = NULL;
}

/* ---- What follows from what was tried --------------------------------------------------------------- */

/* The neighbour, along an axis that has an order. */
static size_t ordered_step(const struct seek *seek, size_t point, size_t axis, int steps)
{
	return seek->unordered[axis] ? SIZE_MAX : seek_step(seek, point, axis, steps);
}

static void carry(struct seek *seek)
{
	for (size_t p = 0; p < seek->points; p++) {
		bool above = seek->state[p] == SEEK_HOLDS;
		for (size_t axis = 0; axis < seek->axes && !above; axis++) {
			const size_t before = ordered_step(seek, p, axis, -1);
			above = before != SIZE_MAX && seek->above[before];
		}
		seek->above[p] = above;
	}
	for (size_t p = seek->points; p-- > 0;) {
		bool below = seek->state[p] == SEEK_FAILS && !seek->above[p];
		for (size_t axis = 0; axis < seek->axes && !below; axis++) {
			const size_t behind = ordered_step(seek, p, axis, 1);
			below = behind != SIZE_MAX && seek->below[behind];
		}
		seek->below[p] = below;
	}
}

bool seek_breaks(const struct seek *seek, size_t point)
{
	return seek->state[point] == SEEK_FAILS && seek->above[point];
}

/* Each once, and none that was tried. */
static void want(struct seek *seek, size_t *wanted, size_t point)
{
	if (point == SIZE_MAX || seek->state[point] != SEEK_UNKNOWN)
		return;
	for (size_t i = 0; i < *wanted; i++)
		if (seek->batch[i] == point)
			return;
	seek->batch[(*wanted)++] = point;
}

/* Points of a line, from one on, of which nothing is known. */
struct gap {
	size_t from, length;
};

/* Lines run along the last axis. */
static struct gap gap_of(const struct seek *seek, size_t line)
{
	const size_t count = seek->count[seek->axes - 1];
	const size_t first = line * count;
	size_t holds = 0;
	while (holds < count && seek->state[first + holds] != SEEK_BARRED && !seek->above[first + holds])
		holds++;
	size_t fails = holds;
	while (fails > 0 && !seek->below[first + fails - 1])
		fails--;
	return (struct gap){ first + fails, holds - fails };
}

/* Where no axis has an order each point is for itself. */
static void names(struct seek *seek, size_t *wanted)
{
	for (size_t p = 0; p < seek->points && *wanted < LINES_AT_ONCE; p++)
		if (!seek->above[p] && !seek->below[p])
			want(seek, wanted, p);
}

/* The point of a gap nearest to one of its places that was not tried; SIZE_MAX: all were. */
static size_t open_near(const struct seek *seek, const struct gap *gap, size_t place)
{
	for (size_t far = 0; far < gap->length; far++) {
		if (place + far < gap->length && seek->state[gap->from + place + far] == SEEK_UNKNOWN)
			return gap->from + place + far;
		if (far <= place && seek->state[gap->from + place - far] == SEEK_UNKNOWN)
			return gap->from + place - far;
	}
	return SIZE_MAX;
}

/* The points that halve the widest gaps, of as many lines as are tried at a time. */
static void halve(struct seek *seek, size_t *wanted)
{
	const size_t lines = seek->points / seek->count[seek->axes - 1];
	struct gap widest[LINES_AT_ONCE];
	size_t count = 0;
	for (size_t line = 0; line < lines; line++) {
		const struct gap gap = gap_of(seek, line);
		size_t at = count;
		while (at > 0 && widest[at - 1].length < gap.length)
			at--;
		if (at == LINES_AT_ONCE || open_near(seek, &gap, 0) == SIZE_MAX)
			continue;
		count += count < LINES_AT_ONCE;
		for (size_t i = count - 1; i > at; i--)
			widest[i] = widest[i - 1];
		widest[at] = gap;
	}
	const size_t split = seek->axes == 1 ? SPLIT : 1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 1; k <= split; k++)
			want(seek, wanted, open_near(seek, &widest[i], widest[i].length * k / (split + 1)));
}

/* It holds, and nothing below it does as far as is known. */
static bool is_least(const struct seek *seek, size_t point)
{
	bool least = seek->state[point] == SEEK_HOLDS;
	for (size_t axis = 0; axis < seek->axes && least; axis++) {
		const size_t before = ordered_step(seek, point, axis, -1);
		least = before == SIZE_MAX || !seek->above[before];
	}
	return least;
}

/* Down from there: until as many in a row fail by far. */
static void below(struct seek *seek, size_t *wanted, size_t point, size_t axis, int around)
{
	int far = 0;
	for (int steps = 1; far < around; steps++) {
		const size_t other = ordered_step(seek, point, axis, -steps);
		if (other == SIZE_MAX)
			return;
		want(seek, wanted, other);
		far = seek->state[other] == SEEK_FAILS && seek->near[other] ? 0 : far + 1;
	}
}

static void neighbours(struct seek *seek, size_t *wanted)
{
	const int around = seek->axes == 1 ? AROUND : 1;
	for (size_t p = 0; p < seek->points; p++)
		for (size_t axis = 0; axis < seek->axes && is_least(seek, p); axis++) {
			below(seek, wanted, p, axis, around);
			for (int steps = 1; steps <= around; steps++)
				want(seek, wanted, ordered_step(seek, p, axis, steps));
		}
}

/* ---- The search -------------------------------------------------------------------------------------- */

static int go(struct seek *seek, size_t wanted, struct sl_err *err)
{
	const int status = seek->attempt(seek->self, seek, seek->batch, wanted, err);
	seek->tried += wanted;
	for (size_t i = 0; i < wanted && !status; i++)
		SL_CHECK(seek->state[seek->batch[i]] == SEEK_FAILS ||
			 seek->state[seek->batch[i]] == SEEK_HOLDS ||
			 seek->state[seek->batch[i]] == SEEK_UNBUILT);
	carry(seek);
	return status;
}

static int all(struct seek *seek, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t p = 0; p < seek->points && !status;) {
		size_t wanted = 0;
		for (; p < seek->points && wanted < EXHAUSTIVE_BATCH; p++)
			if (seek->state[p] == SEEK_UNKNOWN)
				seek->batch[wanted++] = p;
		status = wanted ? go(seek, wanted, err) : SL_OK;
	}
	return status;
}

/* The last point that is not barred. */
static size_t last(const struct seek *seek)
{
	size_t point = seek->points;
	while (point > 0 && seek->state[point - 1] == SEEK_BARRED)
		point--;
	return point;
}

static void corners(struct seek *seek, size_t *wanted)
{
	const size_t count = last(seek);
	if (!count)
		return;
	want(seek, wanted, 0);
	want(seek, wanted, count - 1);
	for (size_t k = 1; k <= SPLIT && seek->axes == 1; k++)
		want(seek, wanted, (count - 1) * k / (SPLIT + 1));
}

int seek_go(struct seek *seek, struct sl_err *err)
{
	size_t wanted = 0;
	int status = SL_OK;
	carry(seek);
	if (seek->exhaustive)
		status = all(seek, err);
	else
		corners(seek, &wanted);
	while (wanted && !status) {
		status = go(seek, wanted, err);
		wanted = 0;
		if (seek->unordered[seek->axes - 1])
			names(seek, &wanted);
		else
			halve(seek, &wanted);
		if (!wanted)
			neighbours(seek, &wanted);
	}
	seek->least_count = 0;
	for (size_t p = 0; p < seek->points; p++)
		if (is_least(seek, p))
			seek->least[seek->least_count++] = p;
	return status;
}

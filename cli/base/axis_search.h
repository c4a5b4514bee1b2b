/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * axis_search.h - the least points of a grid at which something holds, with few of them tried.
 *
 * A point is an index along each axis, ascending from what one would like best. Most of what is asked of a
 * cluster holds from some size on; but schedules have anomalies (Graham 1969: more processors may make a list
 * schedule longer), so nothing is taken for granted that the answer rests on:
 *
 *   - the corners, on one axis three points between them too;
 *   - along each line of the last axis the interval between what fails and what holds is halved (on one axis
 *     quartered) until it is one step wide. A point that fails speaks for those below it, one that holds for
 *     those above;
 *   - the neighbours of each answer are tried: the next two above and below on one axis, one along each of
 *     several; below on and on, until as many in a row fail by far. One that holds goes on from there.
 *
 * So each answer holds, and fails one step below along each axis: both were tried. That no smaller one holds
 * further below is an inference unless all were tried; points that fail above one that holds are reported.
 * Which points are tried depends on nothing but what came of those before.
 */
#ifndef SL_AXIS_SEARCH_H
#define SL_AXIS_SEARCH_H

#include "sim/base/base.h"

enum { AXIS_SEARCH_AXES_MAX = 4, AXIS_SEARCH_POINTS_MAX = 1000000 };
/* AXIS_SEARCH_UNBUILT: there is no such point, which says nothing of others. */
enum axis_search_state {
	AXIS_SEARCH_UNKNOWN,
	AXIS_SEARCH_FAILING,
	AXIS_SEARCH_HOLDS,
	AXIS_SEARCH_BARRED,
	AXIS_SEARCH_UNBUILT
};

struct axis_search {
	/* The caller's: */
	size_t axes;
	size_t count[AXIS_SEARCH_AXES_MAX];   /* Points along each; the last one varies fastest. */
	bool unordered[AXIS_SEARCH_AXES_MAX]; /* None of its points speaks for another: all are tried. These
					  axes first. */
	bool exhaustive;                      /* Try all. */
	/* Sets state[point[i]] to AXIS_SEARCH_FAILING, AXIS_SEARCH_HOLDS or AXIS_SEARCH_UNBUILT, and
	 * similar[point[i]], if that fails narrowly. */
	int (*attempt)(void *self, struct axis_search *axis_search, const size_t *point, size_t count,
		struct sl_err *err);
	void *self;
	/* Made by axis_search_make; points may be barred before axis_search_go, and with each those above. */
	size_t points;
	uint8_t *state; /* enum axis_search_state */
	bool *similar;
	/* What was found. */
	size_t tried;
	size_t *least; /* Ascending. */
	size_t least_count;
	bool *above, *below; /* By point: it is above (or is) one that holds; below (or is) one that fails. */
	size_t *batch;       /* Scratch. */
};

/* SL_USAGE: too many points. Freed by axis_search_release. */
int axis_search_make(struct axis_search *axis_search, struct sl_err *err);
int axis_search_go(struct axis_search *axis_search, struct sl_err *err);
void axis_search_release(struct axis_search *axis_search);

size_t axis_search_at(const struct axis_search *axis_search, size_t point, size_t axis);
/* The neighbour that many steps away along the axis; SIZE_MAX: beyond its ends. */
size_t axis_search_step(const struct axis_search *axis_search, size_t point, size_t axis, int steps);
/* It was tried and fails, although one holds that is nowhere above it. */
bool axis_search_breaks(const struct axis_search *axis_search, size_t point);

#endif

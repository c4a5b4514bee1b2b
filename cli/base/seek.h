/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * seek.h - the least points of a grid at which something holds, with few of them tried.
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
 * further below is an inference unless all were tried; points that fail above one that holds are told.
 * Which points are tried depends on nothing but what came of those before.
 */
#ifndef SL_SEEK_H
#define SL_SEEK_H

#include "sim/base/base.h"

enum { SEEK_AXES_MAX = 4, SEEK_POINTS_MAX = 1000000 };
/* SEEK_UNBUILT: there is no such point, which says nothing of others. */
enum seek_state { SEEK_UNKNOWN, SEEK_FAILS, SEEK_HOLDS, SEEK_BARRED, SEEK_UNBUILT };

struct seek {
	/* The caller's: */
	size_t axes;
	size_t count[SEEK_AXES_MAX];   /* Points along each; the last one varies fastest. */
	bool unordered[SEEK_AXES_MAX]; /* None of its points speaks for another: all are tried. These axes
					  first. */
	bool exhaustive;               /* Try all. */
	/* Sets state[point[i]] to SEEK_FAILS, SEEK_HOLDS or SEEK_UNBUILT, and near[point[i]], if that fails
	 * narrowly. */
	int (*attempt)(void *self, struct seek *seek, const size_t *point, size_t count, struct sl_err *err);
	void *self;
	/* Made by seek_make; points may be barred before seek_go, and with each those above. */
	size_t points;
	uint8_t *state; /* enum seek_state */
	bool *near;
	/* What was found. */
	size_t tried;
	size_t *least; /* Ascending. */
	size_t least_count;
	bool *above, *below; /* By point: it is above (or is) one that holds; below (or is) one that fails. */
	size_t *batch;       /* Scratch. */
};

/* SL_USAGE: too many points. Freed by seek_release. */
int seek_make(struct seek *seek, struct sl_err *err);
int seek_go(struct seek *seek, struct sl_err *err);
void seek_release(struct seek *seek);

size_t seek_at(const struct seek *seek, size_t point, size_t axis);
/* The neighbour that many steps away along the axis; SIZE_MAX: beyond its ends. */
size_t seek_step(const struct seek *seek, size_t point, size_t axis, int steps);
/* It was tried and fails, although one holds that is nowhere above it. */
bool seek_breaks(const struct seek *seek, size_t point);

#endif

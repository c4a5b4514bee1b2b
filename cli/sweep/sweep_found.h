/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_found.h - what came of a sweep, as its report reads and prints it.
 */
#ifndef SL_SWEEP_FOUND_H
#define SL_SWEEP_FOUND_H

#include "cli/sweep/sweep.h"
#include "sim/base/stats.h"

enum { FOUND_METRICS_MAX = 20000 };

struct found_value {
	size_t metric; /* Of found.metric. */
	int64_t micro;
};

/* A point that is done. */
struct found_point {
	size_t number;              /* Of the plan. */
	const char *digest, *error; /* NULL: it failed; it did not. */
	struct found_value *value;
	size_t value_count;
};

struct found {
	const struct sweep *sweep;
	struct sl_arena *arena;
	struct found_point *point; /* In the order of the plan. */
	size_t count;
	const char **metric; /* In the order in which points have them. */
	size_t metric_count;
};
/* sweep_report.c: the points that are there. */
int sweep_found_read(struct found *found, const struct sweep *sweep, struct sl_err *err);
const int64_t *found_value(const struct found_point *point, size_t metric); /* NULL: it has none. */

/* sweep_database.c: DIR/runs.db. */
int found_database(const struct found *found, struct sl_err *err);

/* The mean of some points, in the metric's own units. */
struct curve_place {
	unsigned count; /* 0: no point is there. */
	unsigned planned;
	double mean;
	bool has_interval; /* Over seeds, where anything was drawn. */
	struct stats_interval interval;
	struct stats_evidence evidence; /* blocks 0: nothing was drawn. */
};

/* One metric over one factor, a line for each value of another; what else was chosen stands apart. */
struct curves {
	const char *y;
	size_t metric, x, by; /* x: SIZE_MAX: of no factor, one place. */
	size_t xs, lines;
	size_t apart[SWEEP_FACTORS_MAX]; /* Factors. */
	size_t apart_count;
	uint64_t *panel; /* Combinations of their values, by rank. */
	size_t panels;
	struct curve_place *place,
		*difference; /* By panel, then line, then x; differences: to the first line. */
	size_t unlike;       /* Pairs that cannot be compared. */
};
/* sweep_places.c */
int curves_make(struct curves *curves, const struct found *found, struct sl_err *err);
/* The value of the i-th factor that stands apart. */
const char *curves_apart(const struct curves *curves, const struct sweep *sweep, size_t panel, size_t i);
/* line: of all panels' lines, one behind the other. */
static inline struct curve_place *curve_at(const struct curves *curves, size_t x, size_t line)
{
	return &curves->place[line * curves->xs + x];
}
/* sweep_curves.c: DIR/curves.svg. */
int curves_draw(const struct curves *curves, const struct found *found, struct sl_err *err);

#endif

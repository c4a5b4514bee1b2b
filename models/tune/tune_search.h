/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_search.h - which settings to try next, and which are best: a search over a lattice of levels.
 *
 * A candidate has a level on each axis. What comes of it on a span of a log (a week) is a number for each
 * column: a goal, or what must hold. All candidates meet the same spans in the same order, so that any two
 * are compared over those that both have met (common random numbers). A Latin hypercube (McKay, Beckman and
 * Conover 1979) is tried on a third of the spans; then a surface through all that is known says where most
 * improvement is expected (Jones, Schonlau and Welch 1998), of points that are new, which meet a third of the
 * spans, or were begun, which meet the rest.
 *
 * Plain data: no engine, no file. Whoever calls simulates.
 */
#ifndef MODELS_TUNE_SEARCH_H
#define MODELS_TUNE_SEARCH_H

#include "sim/plugin.h"

enum {
	TUNE_AXES_MAX = 16,
	TUNE_COLUMNS_MAX = 12,
	TUNE_SPANS_MAX = 1000,
	TUNE_EVERY_MAX = 100000,
	TUNE_LINKS_MAX = 8
};
static const int64_t TUNE_NO_AMOUNT = INT64_MIN;

struct tune_axis {
	uint32_t count, today; /* Levels, and the one that is now. */
	bool unordered;        /* Words: none is next to another. */
};

/* What is wanted of a column's mean over spans. Relations are to what it is today. */
enum tune_kind {
	TUNE_LESS,
	TUNE_MORE,
	TUNE_AT_MOST,
	TUNE_BELOW,
	TUNE_AT_LEAST,
	TUNE_ABOVE,
	TUNE_NO_MORE,
	TUNE_NO_LESS
};
struct tune_column {
	enum tune_kind kind;
	double bound; /* Of those with one. */
};
static inline bool tune_is_goal(const struct tune_column *column) { return column->kind <= TUNE_MORE; }

/* Amounts of these axes add up to the total: the last has what the others leave over, and what it does not
 * have among its levels is not tried. Today may be otherwise. */
struct tune_link {
	uint32_t axis[TUNE_AXES_MAX];
	size_t count;
	int64_t total;
};

struct tune_problem {
	struct tune_axis axis[TUNE_AXES_MAX];
	size_t axes;
	struct tune_link link[TUNE_LINKS_MAX];
	size_t links;
	const int64_t *amount[TUNE_AXES_MAX]; /* Of levels, where the axis is linked. */
	struct tune_column column[TUNE_COLUMNS_MAX];
	size_t columns;
	uint32_t spans;  /* So many are tuned on. */
	uint64_t budget; /* Spans to be simulated in all: twice `spans` at least. */
	uint64_t seed;   /* Of the design. */
	bool every;      /* No search: each point of the lattice, on all spans. */
};

struct tune_candidate {
	uint32_t level[TUNE_AXES_MAX];
	uint32_t met;  /* So many spans, the first. */
	bool failed;   /* It cannot be simulated. */
	double *value; /* [column * spans + span]; NAN: there is none. */
};

struct tune_search {
	struct tune_problem problem;
	struct sl_arena *arena;
	struct tune_candidate *candidate; /* The first is today. */
	size_t count, capacity;
	uint64_t spent; /* Spans simulated. */
	size_t best;    /* Of candidates. */
};

/* To be simulated: the candidate on spans from .. until. */
struct tune_ask {
	size_t candidate;
	uint32_t from, until;
};
/* Simulates all of them, and fills in value and failed. */
typedef int tune_simulate(
	void *self, struct tune_search *search, const struct tune_ask *ask, size_t count, struct sl_err *err);

/* Runs the search to its end: search->best then is the best of those that met all spans, today where none is
 * better. All that it holds is in the arena. */
int tune_search_run(struct tune_search *search, const struct tune_problem *problem, struct sl_arena *arena,
	tune_simulate *simulate, void *self, struct sl_err *err);

/* ---- tune_links.c ---------------------------------------------------------------------------------- */

/* How many points the lattice has, without axes that are what others leave over; UINT64_MAX: more than can be
 * counted. */
uint64_t tune_points(const struct tune_problem *problem);
/* A point by its number; false: links do not add up there. */
bool tune_point(const struct tune_problem *problem, uint64_t point, uint32_t *level);
/* How many settings there are, today's among them, where they are not very many; 0: links never add up. */
uint64_t tune_settings(const struct tune_problem *problem);
/* Takes the last of each link to what the others leave over; false: that cannot be. */
bool tune_linked(const struct tune_problem *problem, uint32_t *level);
/* Does one not move without the other? */
bool tune_together(const struct tune_problem *problem, size_t a, size_t b);

/* ---- tune_surface.c -------------------------------------------------------------------------------- */

enum { TUNE_LOWEST_MAX = 64 };
struct tune_surface;
struct tune_surface *tune_surface_new(const struct tune_problem *problem, struct sl_arena *arena);
/* Points of which most improvement is expected by a surface through all that is known, for what it costs to
 * go on with them: that were not tried, or not on all spans; at most TUNE_LOWEST_MAX. weight: of goals, by
 * column. begin: new ones may be, and would be tried on `next` spans first. rng: of lattices too large to be
 * gone through. */
size_t tune_promising(struct tune_surface *surface, const struct tune_search *search, struct sl_rng *rng,
	const double *weight, bool begin, uint32_t next, uint32_t (*level)[TUNE_AXES_MAX], size_t most);

/* ---- tune_score.c ---------------------------------------------------------------------------------- */

/* A column's mean over the first spans, where both candidates have a value; NAN: nowhere. */
double tune_mean(const struct tune_search *search, const struct tune_candidate *candidate,
	const struct tune_candidate *beside, size_t column, uint32_t spans);
/* How far beyond what must hold, summed in parts of the bounds; 0: all holds. The loss: the mean over goals
 * of what becomes of today's value 1, less being better. */
struct tune_score {
	double excess, loss;
};
struct tune_score tune_score(
	const struct tune_search *search, const struct tune_candidate *candidate, uint32_t spans);
/* Of a goal, what becomes of 1; the less, the better. */
double tune_loss(const struct tune_search *search, const struct tune_candidate *candidate, size_t column,
	uint32_t spans);
/* By how much of its bound the one of what must hold is missed that is missed most; negative: that much is to
 * spare. */
double tune_slack(const struct tune_search *search, const struct tune_candidate *candidate, uint32_t spans);
/* How many axes are not as today. */
size_t tune_moved(const struct tune_search *search, const struct tune_candidate *candidate);
/* As good in each goal and better in one, and what must hold holds no worse. */
bool tune_dominates(const struct tune_search *search, const struct tune_candidate *a,
	const struct tune_candidate *b, uint32_t spans);
/* Sorts these candidates, the best first, by their first spans; ties: the one that moves less, then the one
 * that came first. */
void tune_rank(const struct tune_search *search, size_t *pool, size_t count, uint32_t spans);
/* Candidates that met all spans and that none dominates, the best first; returns how many. */
size_t tune_front(const struct tune_search *search, size_t *front, size_t most);

#endif

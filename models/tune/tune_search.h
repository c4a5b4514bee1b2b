/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_search.h - which settings to try next, and which are best: a search over a lattice of levels.
 *
 * A candidate has a level on each axis. What comes of it on a span of a log (a week) is a number for each
 * column: a goal, or what must hold. All candidates meet the same spans in the same order, so that any two
 * are compared over those that both have met (common random numbers). A candidate is tried on few spans
 * first, and on more while it is among the best of those beside it: successive halving (Karnin, Koren and
 * Somekh 2013; Jamieson and Talwalkar 2016), from a Latin hypercube (McKay, Beckman and Conover 1979), then
 * about the best by steps along the axes that become shorter (Hooke and Jeeves 1961).
 *
 * Plain data: no engine, no file. Whoever calls simulates.
 */
#ifndef MODELS_TUNE_SEARCH_H
#define MODELS_TUNE_SEARCH_H

#include "sim/plugin.h"

enum { TUNE_AXES_MAX = 16, TUNE_COLUMNS_MAX = 12, TUNE_SPANS_MAX = 1000, TUNE_EVERY_MAX = 100000 };

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

struct tune_problem {
	struct tune_axis axis[TUNE_AXES_MAX];
	size_t axes;
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

/* How many points the lattice has; UINT64_MAX: more than can be counted. */
uint64_t tune_points(const struct tune_problem *problem);

/* ---- tune_surface.c -------------------------------------------------------------------------------- */

/* Points that were not tried on so many spans and of which a surface through those that were foretells the
 * least loss, the least first; at most TUNE_LOWEST_MAX. rng: of lattices too large to be gone through. */
enum { TUNE_LOWEST_MAX = 64, TUNE_WORDS_MAX = 60 /* More of an axis have no features. */ };
size_t tune_lowest(const struct tune_search *search, struct sl_rng *rng, uint32_t met,
	uint32_t (*lowest)[TUNE_AXES_MAX], size_t most);

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

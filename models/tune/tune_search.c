/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_search.c - the search: a design on a third of the spans, then one after the other where most
 * improvement is expected, then what is not needed of the best goes back to what it is today.
 */
#include <math.h>
#include <string.h>

#include "models/tune/tune_search.h"

enum { RUNGS = 3, POOL_MAX = 4096, DESIGN_MAX = 200, BATCH = 2 };

struct searching {
	struct tune_search *search;
	tune_simulate *simulate;
	void *self;
	uint32_t rung[RUNGS]; /* Lengths in spans, the last is all. */
	uint64_t reserve;     /* Spans kept for the end. */
	struct sl_rng rng;
	struct sl_err *err;
	int status;
};

/* ---- Candidates ---------------------------------------------------------------------------------------- */

static size_t find(const struct tune_search *search, const uint32_t *level)
{
	for (size_t i = 0; i < search->count; i++)
		if (memcmp(search->candidate[i].level, level, search->problem.axes * sizeof(*level)) == 0)
			return i;
	return SIZE_MAX;
}

/* SIZE_MAX: no memory. */
static size_t add(struct tune_search *search, const uint32_t *level)
{
	const struct tune_problem *problem = &search->problem;
	const size_t values = problem->columns * problem->spans;
	if (search->count == search->capacity) {
		const size_t capacity = search->capacity ? 2 * search->capacity : 64;
		struct tune_candidate *grown = sl_alloc(search->arena, capacity, sizeof(*grown));
		if (!grown)
			return SIZE_MAX;
		if (search->count)
			memcpy(grown, search->candidate, search->count * sizeof(*grown));
		search->candidate = grown;
		search->capacity = capacity;
	}
	struct tune_candidate *candidate = &search->candidate[search->count];
	*candidate = (struct tune_candidate){ .value = sl_alloc(search->arena, values + 1, sizeof(double)) };
	if (!candidate->value)
		return SIZE_MAX;
	for (size_t i = 0; i < values; i++)
		candidate->value[i] = (double)NAN;
	memcpy(candidate->level, level, problem->axes * sizeof(*level));
	return search->count++;
}

static size_t find_or_add(struct searching *s, const uint32_t *level)
{
	size_t candidate = find(s->search, level);
	if (candidate == SIZE_MAX)
		candidate = add(s->search, level);
	if (candidate == SIZE_MAX)
		s->status = sl_fail_memory(s->err);
	return candidate;
}

/* Into a pool, unless it is there already, or was tried on more than the shortest length: who was dropped
 * after that alone may come back for a reason. */
static void offer(struct searching *s, size_t *pool, size_t *count, uint32_t *level)
{
	if (s->status || *count == POOL_MAX || !tune_linked(&s->search->problem, level))
		return;
	size_t candidate = find(s->search, level);
	if (candidate != SIZE_MAX &&
		(s->search->candidate[candidate].failed || s->search->candidate[candidate].met >= s->rung[1]))
		return;
	for (size_t i = 0; i < *count; i++)
		if (pool[i] == candidate)
			return;
	if (candidate == SIZE_MAX)
		candidate = add(s->search, level);
	if (candidate == SIZE_MAX)
		s->status = sl_fail_memory(s->err);
	else
		pool[(*count)++] = candidate;
}

/* ---- Simulations ------------------------------------------------------------------------------------- */

static uint64_t left(const struct searching *s, uint64_t reserve)
{
	const uint64_t used = s->search->spent + reserve;
	return s->search->problem.budget > used ? s->search->problem.budget - used : 0;
}

/* What is asked for, as far as the budget goes: how many of them. */
static size_t ask_all(struct searching *s, struct tune_ask *ask, size_t count, uint64_t reserve)
{
	struct tune_search *search = s->search;
	uint64_t spans = left(s, reserve);
	size_t asks = 0;
	while (asks < count && !s->status && spans >= ask[asks].until - ask[asks].from) {
		spans -= ask[asks].until - ask[asks].from;
		search->spent += ask[asks].until - ask[asks].from;
		asks++;
	}
	if (!s->status && asks)
		s->status = s->simulate(s->self, search, ask, asks, s->err);
	for (size_t i = 0; i < asks && !s->status; i++) {
		search->candidate[ask[i].candidate].met = ask[i].until;
		/* What was refused was not simulated. */
		if (search->candidate[ask[i].candidate].failed)
			search->spent -= ask[i].until - ask[i].from;
	}
	return s->status ? 0 : asks;
}

/* All of the pool on the first `until` spans, as far as the budget goes: how many of them. */
static size_t meet(struct searching *s, const size_t *pool, size_t count, uint32_t until, uint64_t reserve)
{
	struct tune_ask *ask = sl_alloc(s->search->arena, count + 1, sizeof(*ask));
	size_t asks = 0;
	if (!ask)
		s->status = sl_fail_memory(s->err);
	for (size_t i = 0; i < count && !s->status; i++)
		if (s->search->candidate[pool[i]].met < until)
			ask[asks++] = (struct tune_ask){ pool[i], s->search->candidate[pool[i]].met, until };
	const size_t done = s->status ? 0 : ask_all(s, ask, asks, reserve);
	size_t reached = 0;
	while (reached < count && !s->status && (done == asks || pool[reached] != ask[done].candidate))
		reached++;
	return reached;
}

/* ---- The design ------------------------------------------------------------------------------------------
 */

static void shuffle(struct sl_rng *rng, uint32_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (size_t i = count; i > 1; i--) {
		const size_t k = (size_t)sl_rng_below(rng, i);
		const uint32_t swap = order[i - 1];
		order[i - 1] = order[k];
		order[k] = swap;
	}
}

/* A Latin hypercube of so many: each axis is cut into as many strata, and each stratum is met once. */
static void hypercube(struct searching *s, size_t *pool, size_t *count, size_t size, uint32_t *order)
{
	const struct tune_problem *problem = &s->search->problem;
	for (size_t a = 0; a < problem->axes; a++)
		shuffle(&s->rng, order + a * size, size);
	for (size_t i = 0; i < size && *count < size && !s->status; i++) {
		uint32_t level[TUNE_AXES_MAX] = { 0 };
		for (size_t a = 0; a < problem->axes; a++) {
			const double at = (order[a * size + i] + sl_rng_unit(&s->rng)) / (double)size;
			level[a] = (uint32_t)(at * problem->axis[a].count);
			level[a] = level[a] < problem->axis[a].count ? level[a] : problem->axis[a].count - 1;
		}
		offer(s, pool, count, level);
	}
}

/* Where links drop much of one there are more of them. */
static size_t design(struct searching *s, size_t *pool, size_t size)
{
	enum { HYPERCUBES_MAX = 50 };
	const struct tune_problem *problem = &s->search->problem;
	uint32_t *order = sl_alloc(s->search->arena, size * problem->axes + 1, sizeof(*order));
	size_t count = 0;
	if (!order)
		s->status = sl_fail_memory(s->err);
	for (int i = 0; i < (problem->links ? HYPERCUBES_MAX : 1) && count < size && !s->status; i++)
		hypercube(s, pool, &count, size, order);
	return count;
}

/* ---- One after the other ------------------------------------------------------------------------------- */

/* Of several goals: all alike, and in every other round one of them most (ParEGO, Knowles 2006). */
static void weights_of(const struct tune_search *search, size_t round, double *weight)
{
	size_t goals = 0;
	for (size_t c = 0; c < search->problem.columns; c++)
		goals += tune_is_goal(&search->problem.column[c]);
	const size_t most = round % 2 ? round / 2 % goals : goals;
	for (size_t c = 0, goal = 0; c < search->problem.columns; c++) {
		weight[c] = !tune_is_goal(&search->problem.column[c]) ? 0
			    : most < goals && goal != most            ? 0.1
								      : 1;
		goal += tune_is_goal(&search->problem.column[c]);
	}
}

static void update_best(struct searching *s, size_t candidate)
{
	size_t pair[2] = { s->search->best, candidate };
	if (s->search->candidate[candidate].met < s->search->problem.spans ||
		s->search->candidate[candidate].failed)
		return;
	tune_rank(s->search, pair, 2, s->search->problem.spans);
	s->search->best = pair[0];
}

/* Where most improvement is expected: new points on a third of the spans, those that were begun on the rest.
 * Small batches, since each tells where the next should be. */
static void refine(struct searching *s)
{
	struct tune_search *search = s->search;
	const uint32_t spans = search->problem.spans;
	struct tune_surface *surface = tune_surface_new(&search->problem, search->arena);
	if (!surface)
		s->status = sl_fail_memory(s->err);
	for (size_t round = 0; !s->status; round++) {
		uint32_t level[BATCH][TUNE_AXES_MAX];
		double weight[TUNE_COLUMNS_MAX];
		struct tune_ask ask[BATCH];
		weights_of(search, round, weight);
		/* What is begun has to be finished. */
		const bool begin = left(s, s->reserve) >= (uint64_t)spans + (BATCH - 1) * s->rung[1];
		const size_t found =
			tune_promising(surface, search, &s->rng, weight, begin, s->rung[1], level, BATCH);
		for (size_t i = 0; i < found && !s->status; i++) {
			const size_t candidate = find_or_add(s, level[i]);
			const uint32_t met = s->status ? 0 : search->candidate[candidate].met;
			ask[i] = (struct tune_ask){ candidate, met, met < s->rung[1] ? s->rung[1] : spans };
		}
		const size_t done = s->status ? 0 : ask_all(s, ask, found, s->reserve);
		for (size_t i = 0; i < done; i++)
			update_best(s, ask[i].candidate);
		if (!done)
			return;
	}
}

/* As good as the best so far on so many spans? */
static bool is_as_good(const struct searching *s, size_t candidate, uint32_t spans)
{
	size_t pair[2] = { s->search->best, candidate };
	tune_rank(s->search, pair, 2, spans);
	return pair[0] == candidate;
}

/* What is linked goes together. False: today's does not add up to what it should. */
static bool back_to_today(const struct tune_problem *problem, size_t axis, uint32_t *level)
{
	uint32_t closed[TUNE_AXES_MAX];
	bool all = true;
	for (size_t a = 0; a < problem->axes; a++) {
		level[a] = tune_together(problem, axis, a) ? problem->axis[a].today : level[a];
		all &= level[a] == problem->axis[a].today;
	}
	memcpy(closed, level, sizeof(closed));
	return all ||
	       (tune_linked(problem, closed) && memcmp(closed, level, problem->axes * sizeof(*level)) == 0);
}

/* Axes that are moved and need not be: back, one after the other. What is worse on the first few spans is not
 * simulated on the others. */
static void put_back(struct searching *s)
{
	struct tune_search *search = s->search;
	for (bool again = true; again && !s->status;) {
		again = false;
		for (size_t a = 0; a < search->problem.axes && !s->status; a++) {
			uint32_t level[TUNE_AXES_MAX];
			memcpy(level, search->candidate[search->best].level, sizeof(level));
			if (level[a] == search->problem.axis[a].today)
				continue;
			if (!back_to_today(&search->problem, a, level))
				continue;
			const size_t back = find_or_add(s, level);
			const size_t was = search->best;
			for (size_t r = 0; r < RUNGS && !s->status; r++)
				if (!meet(s, &back, 1, s->rung[r], 0) || !is_as_good(s, back, s->rung[r]))
					break;
			if (!s->status)
				update_best(s, back);
			again |= search->best != was;
		}
	}
}

/* ---- The whole
 * --------------------------------------------------------------------------------------------- */

static void every(struct searching *s)
{
	struct tune_search *search = s->search;
	const uint64_t points = tune_points(&search->problem);
	size_t *pool = sl_alloc(search->arena, (size_t)points + 1, sizeof(*pool));
	uint32_t level[TUNE_AXES_MAX] = { 0 };
	size_t count = 0;
	if (!pool) {
		s->status = sl_fail_memory(s->err);
		return;
	}
	for (uint64_t i = 0; i < points && !s->status; i++) {
		if (!tune_point(&search->problem, i, level))
			continue;
		const bool is_today =
			memcmp(level, search->candidate[0].level, search->problem.axes * sizeof(*level)) == 0;
		const size_t candidate = is_today ? 0 : add(search, level);
		if (candidate == SIZE_MAX)
			s->status = sl_fail_memory(s->err);
		else if (!is_today)
			pool[count++] = candidate;
	}
	count = s->status ? 0 : meet(s, pool, count, search->problem.spans, 0);
	tune_rank(search, pool, count, search->problem.spans);
	if (count)
		update_best(s, pool[0]);
}

/* Three tenths of what may be simulated, each point on a third of the spans; more, up to two thirds, where an
 * axis has more words: of a word that was never tried nothing is foretold. */
static size_t design_size(const struct searching *s)
{
	const struct tune_problem *problem = &s->search->problem;
	const uint64_t points = left(s, s->reserve) / s->rung[1];
	uint64_t words = 0;
	for (size_t a = 0; a < problem->axes; a++)
		if (problem->axis[a].unordered && problem->axis[a].count > words)
			words = problem->axis[a].count;
	uint64_t size = points * 3 / 10;
	size = size >= words ? size : words <= points * 2 / 3 ? words : points * 2 / 3;
	return (size_t)(size < 4 ? 4 : size > DESIGN_MAX ? DESIGN_MAX : size);
}

static void go(struct searching *s)
{
	size_t *pool = sl_alloc(s->search->arena, POOL_MAX, sizeof(*pool));
	if (!pool) {
		s->status = sl_fail_memory(s->err);
		return;
	}
	const size_t drawn = design(s, pool, design_size(s));
	const size_t stay = meet(s, pool, drawn, s->rung[1], s->reserve);
	for (size_t i = 0; i < stay; i++)
		update_best(s, pool[i]);
	refine(s);
	put_back(s);
}

int tune_search_run(struct tune_search *search, const struct tune_problem *problem, struct sl_arena *arena,
	tune_simulate *simulate, void *self, struct sl_err *err)
{
	struct searching s = { .search = search,
		.simulate = simulate,
		.self = self,
		.rng = sl_rng_stream(problem->seed, "tune/design"),
		.err = err };
	uint32_t today[TUNE_AXES_MAX] = { 0 };
	*search = (struct tune_search){ .problem = *problem, .arena = arena };
	if (problem->every)
		search->problem.budget = UINT64_MAX;
	s.rung[2] = problem->spans;
	s.rung[1] = (problem->spans + 2) / 3;
	s.rung[0] = (problem->spans + 8) / 9;
	s.rung[1] = s.rung[1] < s.rung[0] ? s.rung[0] : s.rung[1];
	s.reserve = (uint64_t)problem->axes * s.rung[0] + problem->spans;
	s.reserve = s.reserve < problem->budget / 8 ? s.reserve : problem->budget / 8;
	for (size_t a = 0; a < problem->axes; a++)
		today[a] = problem->axis[a].today;
	size_t first = add(search, today);
	if (first == SIZE_MAX)
		return sl_fail_memory(err);
	(void)meet(&s, &first, 1, problem->spans, 0);
	if (!s.status && search->candidate[0].failed)
		return SL_OK;
	if (!s.status && problem->every)
		every(&s);
	else if (!s.status)
		go(&s);
	return s.status;
}

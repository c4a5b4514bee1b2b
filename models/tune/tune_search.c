/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_search.c - the search: a design that is halved, then steps about the best, then what is not needed of
 * the best goes back to what it is today.
 */
#include <math.h>
#include <string.h>

#include "models/tune/tune_search.h"

enum { RUNGS = 3, POOL_MAX = 4096, OF_DESIGN = 3, OF_PROPOSED = 2 };

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

uint64_t tune_points(const struct tune_problem *problem)
{
	uint64_t points = 1;
	for (size_t a = 0; a < problem->axes; a++) {
		if (points > UINT64_MAX / problem->axis[a].count)
			return UINT64_MAX;
		points *= problem->axis[a].count;
	}
	return points;
}

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

/* Into a pool, unless it is there already, or was tried on more than the shortest length: who was dropped
 * after that alone may come back for a reason. */
static void offer(struct searching *s, size_t *pool, size_t *count, const uint32_t *level)
{
	if (s->status || *count == POOL_MAX)
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

/* All of the pool on the first `until` spans, as far as the budget goes: how many of them. */
static size_t meet(struct searching *s, const size_t *pool, size_t count, uint32_t until, uint64_t reserve)
{
	struct tune_search *search = s->search;
	struct tune_ask *ask = sl_alloc(search->arena, count + 1, sizeof(*ask));
	size_t asks = 0;
	size_t reached = 0;
	uint64_t spans = left(s, reserve);
	if (!ask)
		s->status = sl_fail_memory(s->err);
	for (; reached < count && !s->status; reached++) {
		const uint32_t met = search->candidate[pool[reached]].met;
		if (met >= until)
			continue;
		if (spans < until - met)
			break;
		spans -= until - met;
		search->spent += until - met;
		ask[asks++] = (struct tune_ask){ pool[reached], met, until };
	}
	if (!s->status && asks)
		s->status = s->simulate(s->self, search, ask, asks, s->err);
	for (size_t i = 0; i < asks && !s->status; i++) {
		search->candidate[ask[i].candidate].met = until;
		/* What was refused was not simulated. */
		if (search->candidate[ask[i].candidate].failed)
			search->spent -= until - ask[i].from;
	}
	return s->status ? 0 : reached;
}

/* Who stays goes on to the next length. Those that met all spans, the best first. A design is cut hard, from
 * the shortest length on; what was proposed for a reason begins later, and half of it stays. */
static size_t halve(struct searching *s, size_t *pool, size_t count, size_t first, size_t one_of)
{
	for (size_t r = first; r < RUNGS && count && !s->status; r++) {
		if (r > first && s->rung[r] == s->rung[r - 1])
			continue;
		count = meet(s, pool, count, s->rung[r], s->reserve);
		tune_rank(s->search, pool, count, s->rung[r]);
		while (count && s->search->candidate[pool[count - 1]].failed)
			count--;
		if (r + 1 < RUNGS)
			count = (count + one_of - 1) / one_of;
	}
	return s->status ? 0 : count;
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
static size_t design(struct searching *s, size_t *pool, size_t size)
{
	const struct tune_problem *problem = &s->search->problem;
	uint32_t *order = sl_alloc(s->search->arena, size * problem->axes + 1, sizeof(*order));
	size_t count = 0;
	if (!order)
		s->status = sl_fail_memory(s->err);
	for (size_t a = 0; a < problem->axes && !s->status; a++)
		shuffle(&s->rng, order + a * size, size);
	for (size_t i = 0; i < size && !s->status; i++) {
		uint32_t level[TUNE_AXES_MAX] = { 0 };
		for (size_t a = 0; a < problem->axes; a++) {
			const double at = (order[a * size + i] + sl_rng_unit(&s->rng)) / (double)size;
			level[a] = (uint32_t)(at * problem->axis[a].count);
			level[a] = level[a] < problem->axis[a].count ? level[a] : problem->axis[a].count - 1;
		}
		offer(s, pool, &count, level);
	}
	return count;
}

/* ---- About the best ---------------------------------------------------------------------------------------
 */

static void update_best(struct searching *s, const size_t *pool, size_t count)
{
	size_t pair[2] = { s->search->best, 0 };
	if (!count || s->search->candidate[pool[0]].met < s->search->problem.spans)
		return;
	pair[1] = pool[0];
	tune_rank(s->search, pair, 2, s->search->problem.spans);
	s->search->best = pair[0];
}

/* One axis moved: as it is today, and by the step both ways; many words to any other. step: a part of the
 * axis, in 1024ths. */
static size_t neighbours(struct searching *s, size_t *pool, uint32_t step)
{
	const struct tune_problem *problem = &s->search->problem;
	uint32_t level[TUNE_AXES_MAX];
	size_t count = 0;
	for (size_t a = 0; a < problem->axes; a++) {
		const struct tune_axis *axis = &problem->axis[a];
		memcpy(level, s->search->candidate[s->search->best].level, sizeof(level));
		const uint32_t at = level[a];
		uint32_t by = (uint32_t)((uint64_t)axis->count * step / 1024);
		by = by ? by : 1;
		/* Among few words the surface chooses. */
		for (uint32_t to = 0; axis->unordered && axis->count > TUNE_WORDS_MAX && to < axis->count;
			to++) {
			level[a] = to;
			offer(s, pool, &count, level);
		}
		level[a] = axis->today;
		offer(s, pool, &count, level);
		if (axis->unordered)
			continue;
		level[a] = at >= by ? at - by : 0;
		offer(s, pool, &count, level);
		level[a] = axis->count - 1 - at >= by ? at + by : axis->count - 1;
		offer(s, pool, &count, level);
	}
	return count;
}

/* Where a surface through all that is known is lowest. */
static size_t foretold_best(struct searching *s, size_t *pool, size_t count, size_t most)
{
	uint32_t lowest[TUNE_LOWEST_MAX][TUNE_AXES_MAX];
	most = most < TUNE_LOWEST_MAX ? most : TUNE_LOWEST_MAX;
	const size_t found = tune_lowest(s->search, &s->rng, s->rung[1], lowest, most);
	for (size_t i = 0; i < found; i++)
		offer(s, pool, &count, lowest[i]);
	return count;
}

/* The longest step in levels is 1: it cannot become shorter. */
static bool is_shortest(const struct tune_problem *problem, uint32_t step)
{
	for (size_t a = 0; a < problem->axes; a++)
		if (!problem->axis[a].unordered && (uint64_t)problem->axis[a].count * step / 1024 > 1)
			return false;
	return true;
}

/* Those that were left behind after few spans, the best of them on all: with half of what is left. */
static size_t left_behind(struct searching *s, size_t *pool)
{
	const struct tune_search *search = s->search;
	size_t count = 0;
	for (size_t i = 0; i < search->count && count < POOL_MAX; i++)
		if (search->candidate[i].met < search->problem.spans &&
			search->candidate[i].met >= s->rung[0] && !search->candidate[i].failed)
			pool[count++] = i;
	tune_rank(search, pool, count, s->rung[0]);
	const size_t most = (size_t)(left(s, s->reserve) / 2 / search->problem.spans) + 1;
	count = count < most ? count : most;
	count = meet(s, pool, count, search->problem.spans, s->reserve);
	tune_rank(search, pool, count, search->problem.spans);
	return count;
}

static void refine(struct searching *s, size_t *pool)
{
	uint32_t step = 256;
	while (!s->status && left(s, s->reserve) >= s->rung[0]) {
		const size_t was = s->search->best;
		const uint64_t spent = s->search->spent;
		/* Three eighths of what is left go to where the surface is lowest, by what a batch costs. */
		const uint32_t spans = s->search->problem.spans;
		const uint64_t each = left(s, s->reserve) * 3 / 4 / (s->rung[1] + spans);
		size_t count = foretold_best(s, pool, 0, (size_t)(each < 4 ? 4 : each));
		const size_t lowest = halve(s, pool, count, 1, OF_PROPOSED);
		update_best(s, pool, lowest);
		count = neighbours(s, pool, step);
		size_t stay = halve(s, pool, count, 1, OF_PROPOSED);
		update_best(s, pool, stay);
		if (s->search->spent == spent && is_shortest(&s->search->problem, step)) {
			/* A summit: what was left behind, then elsewhere, with what is left. */
			stay = left_behind(s, pool);
			update_best(s, pool, stay);
			count = (size_t)(left(s, s->reserve) / spans + 1);
			count = s->status ? 0 : design(s, pool, count < POOL_MAX ? count : POOL_MAX);
			stay = halve(s, pool, count, 1, OF_PROPOSED);
			update_best(s, pool, stay);
			if (s->search->spent == spent)
				return;
			step = 512;
		}
		if (s->search->best == was)
			step = step > 1 ? step / 2 : 1;
	}
}

/* Axes that are moved and need not be: back, one after the other. */
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
			level[a] = search->problem.axis[a].today;
			size_t back = find(search, level);
			if (back == SIZE_MAX)
				back = add(search, level);
			if (back == SIZE_MAX) {
				s->status = sl_fail_memory(s->err);
				return;
			}
			const size_t was = search->best;
			if (meet(s, &back, 1, search->problem.spans, 0))
				update_best(s, &back, 1);
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
		uint64_t rest = i;
		for (size_t a = 0; a < search->problem.axes; a++) {
			level[a] = (uint32_t)(rest % search->problem.axis[a].count);
			rest /= search->problem.axis[a].count;
		}
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
	update_best(s, pool, count);
}

static void go(struct searching *s)
{
	const struct tune_problem *problem = &s->search->problem;
	size_t *pool = sl_alloc(s->search->arena, POOL_MAX, sizeof(*pool));
	if (!pool) {
		s->status = sl_fail_memory(s->err);
		return;
	}
	/* Three eighths of the spans for the design: about a quarter of all spans each, by the lengths. */
	const uint64_t half = left(s, s->reserve) * 3 / 8;
	uint64_t size = half * 4 / problem->spans;
	size = size < 4 ? 4 : size > POOL_MAX / 2 ? POOL_MAX / 2 : size;
	const size_t drawn = design(s, pool, (size_t)size);
	const size_t stay = halve(s, pool, drawn, 0, OF_DESIGN);
	update_best(s, pool, stay);
	refine(s, pool);
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
	s.reserve = (uint64_t)problem->axes * problem->spans;
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

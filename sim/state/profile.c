/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile.c - the blocks of profile.h. A change is added to the values behind it in its block and to what
 * comes before each later block: loops over arrays. Blocks are reserved before a change begins.
 */
#include "sim/state/profile.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum { LOOSE_MAX = 8 }; /* Changes after which a block's bounds are found anew. */

struct profile_block {
	uint32_t count;
	uint32_t loose; /* Changes since its bounds were exact; in the list of freed ones: the next. */
	uint32_t drops; /* Changes below zero. Without any the values are sorted too. */
	sl_time at[PROFILE_BLOCK];    /* Behind the count SL_NEVER, for times_before(). */
	int64_t value[PROFILE_BLOCK]; /* From then on, without what comes before the block. */
};

void profile_init(struct profile *p) { *p = (struct profile){ .pool_spare = NONE }; }

void profile_release(struct profile *p)
{
	free(p->first);
	free(p->before);
	free(p->least);
	free(p->most);
	free(p->block);
	free(p->pool);
	profile_init(p);
}

void profile_clear(struct profile *p)
{
	p->count = 0;
	p->pool_used = 0;
	p->pool_spare = NONE;
}

/* ---- Pool ------------------------------------------------------------------------- */

/* For so many blocks more. */
static int profile_grow(struct profile *p, uint32_t more, struct sl_err *err)
{
	int status = SL_OK;
	if (p->count + more > p->capacity) {
		const size_t capacity = p->capacity ? 2 * p->capacity : 4;
		status = SL_RESIZE(p->first, capacity, err);
		if (!status)
			status = SL_RESIZE(p->before, capacity, err);
		if (!status)
			status = SL_RESIZE(p->least, capacity, err);
		if (!status)
			status = SL_RESIZE(p->most, capacity, err);
		if (!status)
			status = SL_RESIZE(p->block, capacity, err);
		if (status)
			return status;
		p->capacity = capacity;
	}
	return SL_GROW_MOST(p->pool, p->pool_capacity, (size_t)p->pool_used + more, NONE - 1, err);
}

static void times_end(struct profile_block *block, uint32_t count)
{
	for (uint32_t i = count; i < PROFILE_BLOCK; i++)
		block->at[i] = SL_NEVER;
}

static inline int profile_reserve(struct profile *p, uint32_t more, struct sl_err *err)
{
	if (p->count + more <= p->capacity && p->pool_used + more <= p->pool_capacity)
		return SL_OK;
	return profile_grow(p, more, err);
}

static uint32_t pool_take(struct profile *p)
{
	uint32_t block = p->pool_spare;
	if (block != NONE)
		p->pool_spare = p->pool[block].loose;
	else
		block = p->pool_used++;
	p->pool[block].count = p->pool[block].drops = 0;
	times_end(&p->pool[block], 0);
	return block;
}

static struct profile_block *block_of(const struct profile *p, uint32_t k) { return &p->pool[p->block[k]]; }

/* Opens place k among the blocks. */
static struct profile_block *blocks_open(struct profile *p, uint32_t k)
{
	const size_t tail = p->count - k;
	memmove(&p->first[k + 1], &p->first[k], tail * sizeof(p->first[0]));
	memmove(&p->before[k + 1], &p->before[k], tail * sizeof(p->before[0]));
	memmove(&p->least[k + 1], &p->least[k], tail * sizeof(p->least[0]));
	memmove(&p->most[k + 1], &p->most[k], tail * sizeof(p->most[0]));
	memmove(&p->block[k + 1], &p->block[k], tail * sizeof(p->block[0]));
	p->count++;
	p->block[k] = pool_take(p);
	return block_of(p, k);
}

static void blocks_close(struct profile *p, uint32_t k)
{
	block_of(p, k)->loose = p->pool_spare;
	p->pool_spare = p->block[k];
	p->count--;
	const size_t tail = p->count - k;
	memmove(&p->first[k], &p->first[k + 1], tail * sizeof(p->first[0]));
	memmove(&p->before[k], &p->before[k + 1], tail * sizeof(p->before[0]));
	memmove(&p->least[k], &p->least[k + 1], tail * sizeof(p->least[0]));
	memmove(&p->most[k], &p->most[k + 1], tail * sizeof(p->most[0]));
	memmove(&p->block[k], &p->block[k + 1], tail * sizeof(p->block[0]));
}

/* ---- Places ----------------------------------------------------------------------- */

/* How many of the sorted times, or values, come before `at`. */
static uint32_t sorted_before(const int64_t *sorted, uint32_t count, int64_t at)
{
	const int64_t *base = sorted;
	for (uint32_t n = count; n > 1;) {
		const uint32_t half = n / 2;
		base = base[half - 1] < at ? base + half : base;
		n -= half;
	}
	return (uint32_t)(base - sorted) + (count && *base < at);
}

/* The block whose range holds the time: the last one that begins no later; the first if none does. */
static uint32_t block_for(const struct profile *p, sl_time at)
{
	if (p->count == 1)
		return 0;
	const uint32_t k = sorted_before(p->first, p->count, at);
	if (k < p->count && p->first[k] == at)
		return k;
	return k ? k - 1 : 0;
}

/* How many of the block's changes come before `at`: always as many steps, none of which has to be foreseen.
 */
static uint32_t times_before(const struct profile_block *block, sl_time at)
{
	const sl_time *base = block->at;
#pragma GCC unroll 8
	for (uint32_t step = PROFILE_BLOCK / 2; step; step /= 2)
		base = base[step - 1] < at ? base + step : base;
	return (uint32_t)(base - block->at) + (*base < at);
}

/* How many of the block's changes come no later than `at`. */
static uint32_t place_behind(const struct profile_block *block, sl_time at)
{
	const uint32_t place = times_before(block, at);
	return place + (place < block->count && block->at[place] == at);
}

static int64_t value_before(const struct profile *p, uint32_t k, uint32_t place)
{
	return p->before[k] + (place ? block_of(p, k)->value[place - 1] : 0);
}

/* ---- Change ------------------------------------------------------------------------- */

static void bounds_find(struct profile *p, uint32_t k)
{
	struct profile_block *block = block_of(p, k);
	int64_t least = INT64_MAX, most = INT64_MIN;
	for (uint32_t i = 0; i < block->count; i++) {
		const int64_t value = block->value[i];
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	p->least[k] = least;
	p->most[k] = most;
	block->loose = 0;
}

/* A single block is never passed over. */
static void bounds_loosen(struct profile *p, uint32_t k, int64_t change)
{
	if (p->count > 1 && ++block_of(p, k)->loose > LOOSE_MAX) {
		bounds_find(p, k);
		return;
	}
	p->least[k] += change < 0 ? change : 0;
	p->most[k] += change > 0 ? change : 0;
}

typedef int64_t values __attribute__((vector_size(32), aligned(8), may_alias));

static void values_add(int64_t *value, uint32_t from, uint32_t count, int64_t change)
{
	for (; from + 4 <= count; from += 4)
		*(values *)&value[from] += change;
	for (; from < count; from++)
		value[from] += change;
}

static int64_t change_at(const struct profile_block *block, uint32_t place)
{
	return block->value[place] - (place ? block->value[place - 1] : 0);
}

static void drops_find(struct profile_block *block)
{
	block->drops = 0;
	for (uint32_t i = 0; i < block->count; i++)
		block->drops += change_at(block, i) < 0;
}

/* Moves all from the place on to the front of the next block, which is empty. */
static void block_split(struct profile *p, uint32_t k, uint32_t place)
{
	struct profile_block *left = block_of(p, k), *right = block_of(p, k + 1);
	const uint32_t moved = left->count - place;
	const int64_t base = left->value[place - 1];
	memcpy(right->at, &left->at[place], moved * sizeof(right->at[0]));
	for (uint32_t i = 0; i < moved; i++)
		right->value[i] = left->value[place + i] - base;
	left->count = place;
	times_end(left, place);
	right->count = moved;
	p->first[k + 1] = right->at[0];
	p->before[k + 1] = p->before[k] + base;
	bounds_find(p, k);
	bounds_find(p, k + 1);
	drops_find(left);
	drops_find(right);
}

/* Joins a thin block with its neighbour. */
static void block_join(struct profile *p, uint32_t k)
{
	if (p->count < 2 || block_of(p, k)->count > PROFILE_BLOCK / 4)
		return;
	k -= k + 1 == p->count;
	struct profile_block *left = block_of(p, k), *right = block_of(p, k + 1);
	if (left->count + right->count > PROFILE_BLOCK * 3 / 4)
		return;
	const int64_t base = p->before[k + 1] - p->before[k];
	memcpy(&left->at[left->count], right->at, right->count * sizeof(left->at[0]));
	for (uint32_t i = 0; i < right->count; i++)
		left->value[left->count + i] = right->value[i] + base;
	left->count += right->count;
	left->drops += right->drops;
	p->first[k] = left->at[0]; /* It may have been empty. */
	blocks_close(p, k + 1);
	bounds_find(p, k);
}

static inline void change_remove(struct profile *p, uint32_t k, uint32_t place)
{
	struct profile_block *block = block_of(p, k);
	block->count--;
	const size_t tail = block->count - place;
	memmove(&block->at[place], &block->at[place + 1], tail * sizeof(block->at[0]));
	memmove(&block->value[place], &block->value[place + 1], tail * sizeof(block->value[0]));
	block->at[block->count] = SL_NEVER;
	if (block->count)
		p->first[k] = block->at[0];
}

/* After something was removed from it. */
static inline void block_thinned(struct profile *p, uint32_t k)
{
	if (block_of(p, k)->count)
		block_join(p, k);
	else
		blocks_close(p, k);
}

static void change_insert(struct profile *p, uint32_t k, uint32_t place, sl_time at)
{
	struct profile_block *block = block_of(p, k);
	const size_t tail = block->count - place;
	memmove(&block->at[place + 1], &block->at[place], tail * sizeof(block->at[0]));
	memmove(&block->value[place + 1], &block->value[place], tail * sizeof(block->value[0]));
	block->at[place] = at;
	block->value[place] = place ? block->value[place - 1] : 0;
	block->count++;
	p->first[k] = block->at[0];
	if (place) /* Else it is 0, and the change is added to it. */
		return;
	p->least[k] = p->least[k] < 0 ? p->least[k] : 0;
	p->most[k] = p->most[k] > 0 ? p->most[k] : 0;
}

struct place {
	uint32_t k, place;
};

/* Where the time's change stands; one of 0 if there was none. */
static inline __attribute__((always_inline)) struct place change_open(struct profile *p, sl_time at)
{
	if (!p->count) {
		(void)blocks_open(p, 0);
		p->before[0] = p->least[0] = p->most[0] = 0;
		block_of(p, 0)->loose = 0;
	}
	struct place here = { .k = block_for(p, at) };
	const struct profile_block *block = block_of(p, here.k);
	here.place = times_before(block, at);
	if (here.place < block->count && block->at[here.place] == at)
		return here;
	if (block->count == PROFILE_BLOCK) {
		(void)blocks_open(p, here.k + 1);
		block_split(p, here.k, PROFILE_BLOCK / 2);
		const bool right = here.place > PROFILE_BLOCK / 2;
		here.k += right;
		here.place -= right ? PROFILE_BLOCK / 2 : 0;
	}
	change_insert(p, here.k, here.place, at);
	return here;
}

/* Of the change that stands there, which becomes so much more. */
static void drops_count(struct profile_block *block, uint32_t place, int64_t more)
{
	const int64_t was = change_at(block, place);
	block->drops += (uint32_t)(was + more < 0) - (uint32_t)(was < 0);
}

int profile_add(struct profile *p, sl_time at, int64_t change, struct sl_err *err)
{
	if (!change)
		return SL_OK;
	const int status = profile_reserve(p, 1, err);
	if (status)
		return status;
	const struct place here = change_open(p, at);
	struct profile_block *block = block_of(p, here.k);
	drops_count(block, here.place, change);
	values_add(block->value, here.place, block->count, change);
	values_add(p->before, here.k + 1, p->count, change);
	bounds_loosen(p, here.k, change);
	if (!change_at(block, here.place)) {
		change_remove(p, here.k, here.place);
		block_thinned(p, here.k);
	}
	return SL_OK;
}

/* Adds to some of a block's values, and widens its bounds by what they are then. */
static void block_add(struct profile *p, uint32_t k, uint32_t from, uint32_t count, int64_t change)
{
	struct profile_block *block = block_of(p, k);
	int64_t least = p->least[k], most = p->most[k];
	for (uint32_t i = from; i < count; i++) {
		const int64_t value = block->value[i] += change;
		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	p->least[k] = least;
	p->most[k] = most;
	if (p->count > 1 && ++block->loose > LOOSE_MAX)
		bounds_find(p, k);
}

int profile_add_between(struct profile *p, sl_time from, sl_time until, int64_t change, struct sl_err *err)
{
	if (!change || from >= until)
		return SL_OK;
	const int status = profile_reserve(p, 2, err);
	if (status)
		return status;
	struct place a = change_open(p, from);
	const struct place b = change_open(p, until);
	if (a.place >= block_of(p, a.k)->count) { /* The second split the block: it lies behind the cut. */
		a.place -= block_of(p, a.k)->count;
		a.k++;
	}
	drops_count(block_of(p, a.k), a.place, change);
	drops_count(block_of(p, b.k), b.place, -change);
	if (a.k == b.k) {
		block_add(p, a.k, a.place, b.place, change);
	} else {
		block_add(p, a.k, a.place, block_of(p, a.k)->count, change);
		values_add(p->before, a.k + 1, b.k + 1, change);
		block_add(p, b.k, b.place, block_of(p, b.k)->count, -change);
	}
	const bool ends = !change_at(block_of(p, b.k), b.place);
	const bool begins = !change_at(block_of(p, a.k), a.place);
	if (ends)
		change_remove(p, b.k, b.place);
	if (begins)
		change_remove(p, a.k, a.place);
	if (ends)
		block_thinned(p, b.k);
	if (begins && (!ends || a.k != b.k))
		block_thinned(p, a.k);
	return SL_OK;
}

/* ---- Questions ------------------------------------------------------------------------ */

int64_t profile_value(const struct profile *p, sl_time at)
{
	if (!p->count)
		return 0;
	const uint32_t k = block_for(p, at);
	return value_before(p, k, place_behind(block_of(p, k), at));
}

/* The first place from `place` on with at least the level; the block's count if there is none. */
static uint32_t first_reaching(const struct profile_block *block, uint32_t place, int64_t level)
{
	if (!block->drops)
		return place + sorted_before(&block->value[place], block->count - place, level);
	while (place < block->count && block->value[place] < level)
		place++;
	return place;
}

static uint32_t first_lacking(const struct profile_block *block, uint32_t place, int64_t level)
{
	while (place < block->count && block->value[place] >= level)
		place++;
	return place;
}

bool profile_first_least(
	const struct profile *p, sl_time after, sl_time until, int64_t level, struct profile_point *found)
{
	if (!p->count)
		return false;
	const uint32_t begin = block_for(p, after);
	for (uint32_t k = begin; k < p->count && p->first[k] < until; k++) {
		if (p->before[k] + p->most[k] < level)
			continue;
		const struct profile_block *block = block_of(p, k);
		const uint32_t place = first_reaching(
			block, k == begin ? place_behind(block, after) : 0, level - p->before[k]);
		if (place == block->count)
			continue;
		*found = (struct profile_point){ block->at[place], p->before[k] + block->value[place] };
		return found->at < until;
	}
	return false;
}

static void span_within(
	const struct profile *p, uint32_t k, uint32_t place, sl_time until, struct profile_span *span)
{
	const struct profile_block *block = block_of(p, k);
	const int64_t before = p->before[k];
	for (; place < block->count && block->at[place] < until; place++) {
		const int64_t value = before + block->value[place];
		span->least = value < span->least ? value : span->least;
		span->most = value > span->most ? value : span->most;
	}
}

struct profile_span profile_span(const struct profile *p, sl_time from, sl_time until)
{
	if (!p->count)
		return (struct profile_span){ 0, 0 };
	uint32_t k = block_for(p, from);
	const uint32_t place = place_behind(block_of(p, k), from);
	const int64_t here = value_before(p, k, place);
	struct profile_span span = { here, here };
	span_within(p, k, place, until, &span);
	while (++k < p->count && p->first[k] < until)
		if (p->before[k] + p->least[k] < span.least || p->before[k] + p->most[k] > span.most)
			span_within(p, k, 0, until, &span);
	return span;
}

/* A walk over runs of values of at least `level`: where it stands. */
struct walk {
	uint32_t k, place;
	int64_t level;
};

/* To the next change from which the level is reached, or (lacks) not reached any more; SL_NEVER: none. */
static sl_time walk_to(const struct profile *p, struct walk *w, bool lacks)
{
	for (; w->k < p->count; w->k++, w->place = 0) {
		const int64_t level = w->level - p->before[w->k];
		if (lacks ? p->least[w->k] >= level : p->most[w->k] < level)
			continue;
		const struct profile_block *block = block_of(p, w->k);
		w->place = lacks ? first_lacking(block, w->place, level)
				 : first_reaching(block, w->place, level);
		if (w->place < block->count)
			return block->at[w->place];
	}
	return SL_NEVER;
}

/* Behind all changes up to `at`; returns the value there. */
static int64_t walk_begin(const struct profile *p, struct walk *w, sl_time at)
{
	if (!p->count)
		return 0;
	w->k = block_for(p, at);
	w->place = place_behind(block_of(p, w->k), at);
	return value_before(p, w->k, w->place);
}

sl_time profile_earliest(const struct profile *p, sl_time now, sl_time latest, int64_t level, sl_time length)
{
	struct walk w = { .level = level };
	sl_time since = walk_begin(p, &w, now) >= level ? now : walk_to(p, &w, false);
	while (since < latest) {
		const sl_time end = walk_to(p, &w, true);
		if (end >= latest || end - since >= length)
			return since;
		since = walk_to(p, &w, false);
	}
	return latest;
}

void profile_mosts(const struct profile *p, sl_time from, unsigned shift, uint32_t count, int64_t *most)
{
	struct walk w = { .k = 0 };
	int64_t value = walk_begin(p, &w, from);
	uint32_t in = 0;
	most[0] = value;
	for (; w.k < p->count; w.k++, w.place = 0) {
		const struct profile_block *block = block_of(p, w.k);
		for (; w.place < block->count; w.place++) {
			const sl_time behind = block->at[w.place] - from, next = behind >> shift;
			while (in < next && in + 1 < count)
				most[++in] = value;
			if (in < next)
				return;
			value = p->before[w.k] + block->value[w.place];
			if (value > most[in] || behind == next << shift)
				most[in] = value;
		}
	}
	while (++in < count)
		most[in] = value;
}

/* Where the run that holds the place's change, or what is before the first one, begins, but not before
 * `floor`. The walk stands there then, to go on with a lower level. */
static sl_time run_start(const struct profile *p, struct walk *w, sl_time floor)
{
	while (p->count) {
		const struct profile_block *block = block_of(p, w->k);
		const int64_t level = w->level - p->before[w->k];
		if (p->least[w->k] >= level)
			w->place = 0;
		while (w->place && block->value[w->place - 1] >= level)
			w->place--;
		if (w->place)
			break;
		if (!w->k) /* At the very beginning the value is 0. */
			return w->level > 0 && block->at[0] > floor ? block->at[0] : floor;
		if (block->at[0] <= floor)
			return floor;
		w->place = block_of(p, --w->k)->count;
	}
	if (!p->count)
		return floor;
	const struct profile_block *block = block_of(p, w->k);
	const sl_time start = w->place < block->count ? block->at[w->place] : p->first[w->k + 1];
	return start > floor ? start : floor;
}

sl_time profile_run_start(const struct profile *p, sl_time at, sl_time floor, int64_t level)
{
	struct walk w = { .level = level };
	(void)walk_begin(p, &w, at);
	return run_start(p, &w, floor);
}

/* Levels that are reached, the lowest so many, and since when. */
struct reached {
	const struct profile_levels *of;
	uint32_t count;
	sl_time since[PROFILE_LEVELS];
};

static void levels_end(struct reached *r, int64_t value, sl_time at)
{
	while (r->count && r->of->level[r->count - 1] > value) {
		const sl_time start = r->since[--r->count];
		const sl_time length = at == SL_NEVER ? SL_NEVER : at - start;
		if (length >= r->of->shortest[r->count])
			r->of->visit(r->of->self, r->count, start, length);
	}
}

static void levels_begin(struct reached *r, int64_t value, sl_time at)
{
	while (r->count < r->of->count && r->of->level[r->count] <= value)
		r->since[r->count++] = at;
}

/* How far the values may fall and rise without a level's end or beginning. */
static struct profile_span levels_hold(const struct reached *r)
{
	return (struct profile_span){ r->count ? r->of->level[r->count - 1] : INT64_MIN,
		r->count < r->of->count ? r->of->level[r->count] - 1 : INT64_MAX };
}

static void levels_walk(const struct profile *p, const struct walk *from, sl_time until, struct reached *r)
{
	struct profile_span hold = levels_hold(r);
	bool late = false; /* What begins now is not asked for. */
	for (uint32_t k = from->k, i = from->place; k < p->count; k++, i = 0) {
		const int64_t before = p->before[k];
		if (before + p->least[k] >= hold.least && (late || before + p->most[k] <= hold.most))
			continue;
		const struct profile_block *block = block_of(p, k);
		for (; i < block->count; i++) {
			const int64_t value = before + block->value[i];
			if (value >= hold.least && value <= hold.most)
				continue;
			late = late || block->at[i] >= until;
			if (value < hold.least)
				levels_end(r, value, block->at[i]);
			else if (!late)
				levels_begin(r, value, block->at[i]);
			if (late && !r->count)
				return;
			hold = levels_hold(r);
			hold.most = late ? INT64_MAX : hold.most;
		}
	}
	levels_end(r, INT64_MIN, SL_NEVER);
}

void profile_runs(const struct profile *p, sl_time from, sl_time until, sl_time floor,
	const struct profile_levels *levels)
{
	struct reached r = { .of = levels, .count = 0 };
	struct walk w = { .k = 0 };
	levels_begin(&r, walk_begin(p, &w, from), from);
	struct walk back = w;
	for (uint32_t i = r.count; i-- && floor < from;) {
		back.level = levels->level[i];
		r.since[i] = run_start(p, &back, floor);
	}
	levels_walk(p, &w, until, &r);
}

void profile_each(const struct profile *p, void (*visit)(void *self, sl_time at, int64_t change), void *self)
{
	for (uint32_t k = 0; k < p->count; k++) {
		const struct profile_block *block = block_of(p, k);
		for (uint32_t i = 0; i < block->count; i++)
			visit(self, block->at[i], change_at(block, i));
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile.h - what will be free over future time: a step function.
 *
 * Kept as the values from each change on, in sorted arrays of bounded length: one as long as there are few,
 * then one behind another, beside each what comes before it and within which bounds its values lie, so that
 * what cannot hold the answer is passed over. Values are relative: add what is free now. Changes that cancel
 * out leave nothing behind.
 */
#ifndef SL_PROFILE_H
#define SL_PROFILE_H

#include "sim/base/base.h"

enum { PROFILE_BLOCK = SL_OR_TINY(64, 4) };

struct profile_block;

struct profile {
	uint32_t count;  /* Blocks in use, in order of time; by each: */
	sl_time *first;  /* its first change, */
	int64_t *before; /* the value before that, */
	int64_t *least;  /* and bounds of its values, from `before` on: never too narrow. */
	int64_t *most;
	uint32_t *block; /* Where it lies in the pool. */
	size_t capacity; /* Of these. */
	struct profile_block *pool;
	size_t pool_capacity;
	uint32_t pool_used, pool_spare; /* High-water mark; head of the list of freed ones. */
};

/* The step function from `at` on, until the next change. */
struct profile_point {
	sl_time at;
	int64_t value;
};

void profile_init(struct profile *p);
void profile_release(struct profile *p);
void profile_clear(struct profile *p);

/* From `at` on, `change` more. */
int profile_add(struct profile *p, sl_time at, int64_t change, struct sl_err *err);
/* Within [from, until). */
int profile_add_between(struct profile *p, sl_time from, sl_time until, int64_t change, struct sl_err *err);

/* The value at that time: the sum of all changes no later. */
int64_t profile_value(const struct profile *p, sl_time at);
/* The first change after `after` and before `until` from which the value is at least (below: less than)
 * `level`. */
bool profile_first_least(
	const struct profile *p, sl_time after, sl_time until, int64_t level, struct profile_point *found);
/* The least and the greatest value within [from, until). */
struct profile_span {
	int64_t least, most;
};
struct profile_span profile_span(const struct profile *p, sl_time from, sl_time until);
/* The greatest value within each of the next `count` intervals of 2^shift from `from` on. */
void profile_mosts(const struct profile *p, sl_time from, unsigned shift, uint32_t count, int64_t *most);
/* The earliest time from `now` on, but no later than `latest`, from which the value stays at least `level`
 * for `length`, or until `latest`. */
sl_time profile_earliest(const struct profile *p, sl_time now, sl_time latest, int64_t level, sl_time length);
/* Where the run of values of at least `level` that holds `at` begins, but not before `floor`. */
sl_time profile_run_start(const struct profile *p, sl_time at, sl_time floor, int64_t level);

/* By each of the levels, which grow: each run of values of at least so much that meets [from, until) and is
 * no shorter than `shortest`; each level's in order. The first begins where it does, but not before `floor`,
 * which is no later than `from`; the last may have no end (SL_NEVER). The profile is walked once for all
 * levels. */
enum { PROFILE_LEVELS = 64 };
struct profile_levels {
	const int64_t *level;
	const sl_time *shortest;
	uint32_t count; /* Up to PROFILE_LEVELS. */
	void (*visit)(void *self, uint32_t level, sl_time start, sl_time length);
	void *self;
};
void profile_runs(const struct profile *p, sl_time from, sl_time until, sl_time floor,
	const struct profile_levels *levels);

/* For digests of state: each change in order. */
void profile_each(const struct profile *p, void (*visit)(void *self, sl_time at, int64_t change), void *self);

#endif

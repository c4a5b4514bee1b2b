/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile.h - what will be free over future time: a step function.
 *
 * Kept as changes at instants, in a B+ tree by time; beside each child stand
 * the sum of its changes and the least and greatest partial sum, so that the
 * first time with enough (or too little) is found in logarithmic time, however
 * many running jobs and promises the future holds. Values are relative: add
 * what is free now. Changes that cancel out leave nothing behind.
 */
#ifndef SL_PROFILE_H
#define SL_PROFILE_H

#include "sim/base/base.h"

enum { PROFILE_LEAF = SL_OR_TINY(32, 4), PROFILE_WAYS = SL_OR_TINY(16, 4) };

struct profile_leaf;
struct profile_inner;

struct profile {
	struct profile_leaf *leaf;
	struct profile_inner *inner;
	size_t leaf_capacity, inner_capacity;
	uint32_t leaf_used, inner_used;   /* High-water marks of the pools. */
	uint32_t leaf_spare, inner_spare; /* Heads of the lists of freed ones. */
	uint32_t root, depth;
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

/* The value at that time: the sum of all changes no later. */
int64_t profile_value(const struct profile *p, sl_time at);
/* The first change after `after` and before `until` from which the value is at least (below: less than)
 * `level`. */
bool profile_first_least(
	const struct profile *p, sl_time after, sl_time until, int64_t level, struct profile_point *found);
/* The greatest value at a change in (after, until), INT64_MIN if there is none. */
int64_t profile_max(const struct profile *p, sl_time after, sl_time until);
/* The earliest time from `now` on, but no later than `latest`, from which the value stays at least `level`
 * for `length`, or until `latest`. One walk, which skips what is all above or all below. */
sl_time profile_earliest(const struct profile *p, sl_time now, sl_time latest, int64_t level, sl_time length);
/* Where the run of values of at least `level` that holds `at` begins, but not before `floor`. */
sl_time profile_run_start(const struct profile *p, sl_time at, sl_time floor, int64_t level);

/* Each run of values of at least `level` that begins in [from, until), in order; the first begins at `from`
 * if the value suffices there, the last may have no end (SL_NEVER). One walk. */
void profile_runs(const struct profile *p, sl_time from, sl_time until, int64_t level,
	void (*visit)(void *self, sl_time start, sl_time end), void *self);

/* For digests of state: each change in order. */
void profile_each(const struct profile *p, void (*visit)(void *self, sl_time at, int64_t change), void *self);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row.h - a row of a trace on its way into the job table: read, change, judge, intern, keep.
 *
 * The walk is on_job in row_read.c. Each stage works on the output of the one before, and knows nothing of
 * later ones.
 */
#ifndef SL_SCENARIO_ROW_H
#define SL_SCENARIO_ROW_H

#include "sim/scenario/scenario_parts.h"

/* Read, and changed (changes_apply puts another row in its place). */
struct row_read {
	const struct sl_row *row;
	int64_t id;    /* Of a name, one of its own below zero; SL_NONE: unknown. */
	bool repeated; /* A row before had it. */
};

/* Judged. */
struct row_judged {
	const struct sl_row *row; /* As read, or `timed`. */
	int64_t id;
	enum cause dropped; /* CAUSE_COUNT: it stays; then: */
	enum cause anomaly; /* what was amiss with it; CAUSE_COUNT: nothing, */
	bool stays;
	bool selected;       /* it is replayed, */
	struct desc desc;    /* with its request, */
	int64_t run;         /* so long, */
	int64_t limit;       /* and this limit. */
	struct sl_row timed; /* With the limit of its partition, where it says none. */
};

/* Interned. */
struct row_interned {
	int32_t user, account, partition, gang; /* -1: none. */
	int32_t request;                        /* -1: none, on a counted pool. */
	int32_t more;                           /* 0: it says nothing of itself. */
	int32_t profile;                        /* 0: none. */
	sl_time cancel;                         /* SL_NONE: it was not cancelled. */
};

/* A number of SWF as columns have it: none below zero. */
static inline int32_t narrow(int64_t value) { return value < 0 || value > INT32_MAX ? -1 : (int32_t)value; }

/* Who runs over his limit, and who has none, so that plans know his end exactly: counted by limits_count. */
static inline enum limit_kind limit_kind(sl_time limit, sl_time run)
{
	return limit <= 0 ? LIMIT_NONE : limit < run ? LIMIT_OVER : LIMIT_KEPT;
}

/* row_plain.c: all stages at once, of a row that nothing is amiss with. False: it is not such, and nothing
 * was done. */
bool row_plain(struct loading *loading, const struct sl_row *row);
/* At the first job: whether any row can be. */
void plain_settle(struct loading *loading);

int row_judge(
	struct loading *loading, const struct row_read *read, struct row_judged *judged, struct sl_err *err);
int row_intern(struct loading *loading, const struct row_judged *judged, struct row_interned *interned,
	struct sl_err *err);
int row_keep(struct loading *loading, const struct row_judged *judged, const struct row_interned *interned,
	struct sl_err *err);

/* scenario_attributes.c: its cancellation, and what it says of itself. */
int more_intern(
	struct loading *loading, const struct sl_row *row, struct row_interned *interned, struct sl_err *err);
/* scenario_profile.c: its profile; gpus: of its request, in thousandths. */
int profile_intern(
	struct loading *loading, const struct sl_row *row, int64_t gpus, int32_t *number, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * columns.h - the job table while it is filled: one growing array for each column.
 *
 * Those up to COLUMN_ROWS grow together, row by row, in the file's order; the
 * others are made once all rows are in. After columns_sort rows are in
 * (submit, place in the file) order.
 */
#ifndef SL_COLUMNS_H
#define SL_COLUMNS_H

#include "sim/base/base.h"

enum column {
	COLUMN_ID,
	COLUMN_SUBMIT,
	COLUMN_RUN,
	COLUMN_LIMIT,
	COLUMN_WAIT,
	COLUMN_CANCEL,
	COLUMN_PREV,
	COLUMN_THINK,
	COLUMN_SIZE,
	COLUMN_USER,
	COLUMN_ACCOUNT,
	COLUMN_PARTITION,
	COLUMN_REQUEST,
	COLUMN_GANG,
	COLUMN_MORE,
	COLUMN_GPU_ACTIVE,
	COLUMN_PROFILE,
	COLUMN_LIMIT_KIND, /* enum limit_kind; where some is not kept. */
	COLUMN_ROWS,
	COLUMN_PLACE = COLUMN_ROWS,
	COLUMN_ESTIMATE,
	COLUMN_RAN,
	COLUMN_ID_NAME,
	COLUMN_COUNT
};

struct columns {
	void *at[COLUMN_COUNT]; /* NULL: has none. From size to place 32 bits, the others 64. */
	size_t capacity;
	uint32_t count;
	bool unsorted; /* Some row was submitted before the one above it. */
};

static inline int64_t *column_i64(const struct columns *columns, enum column which)
{
	return columns->at[which];
}
static inline int32_t *column_i32(const struct columns *columns, enum column which)
{
	return columns->at[which];
}

/* What a row's own limit was: -1 or LIMIT_KEPT, unless the run time is over it or stands for it. */
enum limit_kind { LIMIT_KEPT, LIMIT_OVER, LIMIT_NONE };

/* Capacity for so many rows, more than there are. */
int columns_expect(struct columns *columns, size_t rows, struct sl_err *err);
/* Capacity for one more row. */
int columns_reserve(struct columns *columns, struct sl_err *err);
/* Wait, cancel, the preceding job, think time, request, gang, more, GPU activity, profile and kind of limit
 * are made at the first row that has one; rows before have none (SL_NONE, -1; of more and profile, 0). */
int columns_want(struct columns *columns, enum column which, struct sl_err *err);
/* A further column, zeroed. */
int columns_add(struct columns *columns, enum column which, struct sl_err *err);
/* By (submit, row); the place column then says where each was. Nothing happens to rows in order. */
int columns_sort(struct columns *columns, struct sl_err *err);
/* Only these rows stay; places become ranks among them. */
int columns_slice(struct columns *columns, uint32_t first, uint32_t count, struct sl_err *err);
/* Likewise of those that it says, which is queried once of each, before the row moves. */
int columns_keep(
	struct columns *columns, bool (*stays)(void *self, uint32_t row), void *self, struct sl_err *err);
/* The rows are these, in this order; one may come several times. No place column is left. */
int columns_gather(struct columns *columns, const uint32_t *rows, uint32_t count, struct sl_err *err);
void columns_drop(struct columns *columns, enum column which);
void columns_lend(const struct columns *columns, struct sl_jobs *jobs);
void columns_free(struct columns *columns);

#endif

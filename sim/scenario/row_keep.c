/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_keep.c - the last stage of a row: it becomes the next job of the table.
 *
 * In:  struct row_judged (what it is replayed as) and struct row_interned (its names, request, profile and
 * the rest, as numbers). Out: one more row in each column there is, and in those that it is the first to
 * need.
 */
#include "sim/scenario/row.h"

/* How active its GPUs were; a share beyond one is one. -1: nobody says. */
static int32_t gpu_active(const struct sl_row *row)
{
	const int64_t *active = row->more ? row->more->gpu_active : NULL;
	const int64_t most = SL_SECOND; /* A million of millionths. */
	if (!active || *active < 0)
		return -1;
	return (int32_t)(*active < most ? *active : most);
}

/* Of replay.feedback: the job that it follows, and how long after. */
static int keep_previous(struct loading *loading, const int64_t *col, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const uint32_t at = columns->count - 1;
	const sl_time most = INT64_MAX / 4;
	int status = columns_want(columns, COLUMN_PREV, err);
	if (!status)
		status = columns_want(columns, COLUMN_THINK, err);
	if (status)
		return status;
	const sl_time think = col[SL_COL_THINK] < most ? col[SL_COL_THINK] : most;
	column_i64(columns, COLUMN_PREV)[at] = col[SL_COL_PREV];
	column_i64(columns, COLUMN_THINK)[at] = think;
	loading->run_total += think > 0 ? think : 0;
	return SL_OK;
}

/* A column that is made at the first row that has something to say: `none` is what the others have. */
static inline int keep_if(
	struct columns *columns, enum column which, int32_t value, int32_t none, struct sl_err *err)
{
	const int status = value == none || columns->at[which] ? SL_OK : columns_want(columns, which, err);
	if (!status && columns->at[which])
		column_i32(columns, which)[columns->count - 1] = value;
	return status;
}

static inline int keep_time_if(struct columns *columns, enum column which, sl_time value, struct sl_err *err)
{
	const int status = value == SL_NONE || columns->at[which] ? SL_OK : columns_want(columns, which, err);
	if (!status && columns->at[which])
		column_i64(columns, which)[columns->count - 1] = value;
	return status;
}

/* What rows say that say more than SWF can, and of others that are beside such. */
static int keep_said(struct loading *loading, const struct row_judged *judged,
	const struct row_interned *interned, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	int status = keep_if(columns, COLUMN_GPU_ACTIVE, gpu_active(judged->row), -1, err);
	if (!status)
		status = keep_time_if(columns, COLUMN_CANCEL, interned->cancel, err);
	if (!status)
		status = keep_if(columns, COLUMN_MORE, interned->more, 0, err);
	if (!status)
		status = keep_if(columns, COLUMN_PROFILE, interned->profile, 0, err);
	loading->said = true;
	return status ? status : keep_if(columns, COLUMN_GANG, interned->gang, -1, err);
}

/* Columns that not all traces have. */
static int keep_more(struct loading *loading, const struct row_judged *judged,
	const struct row_interned *interned, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	int status = keep_time_if(columns, COLUMN_WAIT, judged->row->col[SL_COL_WAIT], err);
	if (!status && loading->scenario->replay[REPLAY_FEEDBACK].number)
		status = keep_previous(loading, judged->row->col, err);
	if (!status && interned->request >= 0)
		status = keep_if(columns, COLUMN_REQUEST, interned->request, -1, err);
	if (!status)
		status = keep_if(columns, COLUMN_LIMIT_KIND,
			(int32_t)limit_kind(judged->row->col[SL_COL_LIMIT], judged->run), LIMIT_KEPT, err);
	if (!status && (judged->row->more || loading->said || interned->profile))
		status = keep_said(loading, judged, interned, err);
	return status;
}

int row_keep(struct loading *loading, const struct row_judged *judged, const struct row_interned *interned,
	struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const sl_time submit = judged->row->col[SL_COL_SUBMIT];
	const int status = columns_reserve(columns, err);
	if (status)
		return status;
	const uint32_t at = columns->count++;
	columns->unsorted |= submit < loading->kept_last;
	loading->kept_last = submit;
	loading->run_total += judged->run;
	loading->waits |= judged->row->col[SL_COL_WAIT] > 0;
	column_i64(columns, COLUMN_ID)[at] = judged->id;
	column_i64(columns, COLUMN_SUBMIT)[at] = submit;
	column_i64(columns, COLUMN_RUN)[at] = judged->run;
	column_i64(columns, COLUMN_LIMIT)[at] = judged->limit;
	column_i32(columns, COLUMN_SIZE)[at] = judged->desc.size;
	column_i32(columns, COLUMN_USER)[at] = interned->user;
	column_i32(columns, COLUMN_ACCOUNT)[at] = interned->account;
	column_i32(columns, COLUMN_PARTITION)[at] = interned->partition;
	return keep_more(loading, judged, interned, err);
}

/* ---- Of the table ---------------------------------------------------------------------------- */

/* Once it is settled who is replayed. */
void limits_count(struct scenario *scenario)
{
	struct columns *columns = scenario->columns;
	const int32_t *kind = column_i32(columns, COLUMN_LIMIT_KIND);
	for (uint32_t row = 0; kind && row < columns->count; row++) {
		scenario->limits_over += kind[row] == LIMIT_OVER;
		scenario->limits_none += kind[row] == LIMIT_NONE;
	}
}

bool scenario_exceeds_limit(const struct scenario *scenario, uint32_t row)
{
	const int32_t *kind = column_i32(scenario->columns, COLUMN_LIMIT_KIND);
	return kind && kind[row] == LIMIT_OVER;
}

bool scenario_had_no_limit(const struct scenario *scenario, uint32_t row)
{
	const int32_t *kind = column_i32(scenario->columns, COLUMN_LIMIT_KIND);
	return kind && kind[row] == LIMIT_NONE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_plain.c - the short way of a plain row: all stages at once.
 *
 * Nearly all rows of a log in SWF say nothing beyond its fields, are in order, and nothing is amiss with
 * them; and most replays have a counted pool, change nothing and select by time alone. Such a row needs no
 * stage to look at it: it is kept as row_judge.c, row_intern.c and row_keep.c would keep it. Of all others
 * nothing is done here.
 */
#include <stdatomic.h>

#include "sim/scenario/row.h"

void plain_settle(struct loading *loading)
{
	const struct scenario *scenario = loading->scenario;
	const struct scenario_options *options = loading->options;
	loading->plain = (struct plain_rows){
		.any = !options->watch && !loading->changing && !loading->profile_rule && !loading->dated &&
		       !scenario->cluster.node_count && !scenario->replay[REPLAY_FEEDBACK].number &&
		       scenario->replay[REPLAY_SIZE].number == SIZE_REQUESTED,
		.raise = scenario->overrun == SL_OVERRUN_RAISE,
		.cpus = scenario->cpus ? scenario->cpus : INT32_MAX,
		.stop = options->stop,
	};
}

/* Is nothing amiss with the row, and does it say no more than SWF can? Unknown is less than zero. */
static inline bool is_plain(const struct loading *loading, const struct sl_row *row)
{
	const sl_time submit = row->col[SL_COL_SUBMIT];
	return loading->plain.any && !row->more && !loading->said && row->line != loading->repair_line &&
	       row->line >= loading->line_last && row->col[SL_COL_ID] > loading->id_last &&
	       !loading->seen.capacity && row->col[SL_COL_RUN] > 0 && submit >= loading->submit_last &&
	       submit >= loading->kept_last && submit >= loading->from && submit < loading->to &&
	       submit != SL_NONE;
}

/* Are there columns for what the row says? */
static inline bool has_columns(const struct columns *columns, sl_time wait, enum limit_kind kind)
{
	return columns->count < columns->capacity && (wait == SL_NONE || columns->at[COLUMN_WAIT]) &&
	       (kind == LIMIT_KEPT || columns->at[COLUMN_LIMIT_KIND]);
}

bool row_plain(struct loading *loading, const struct sl_row *row)
{
	struct columns *columns = loading->scenario->columns;
	const struct plain_rows *plain = &loading->plain;
	const int64_t *col = row->col;
	const int64_t size = col[SL_COL_REQ_CPUS] > 0 ? col[SL_COL_REQ_CPUS] : col[SL_COL_CPUS];
	const sl_time run = col[SL_COL_RUN];
	const sl_time wait = col[SL_COL_WAIT];
	const enum limit_kind kind = limit_kind(col[SL_COL_LIMIT], run);
	if (!is_plain(loading, row) || size <= 0 || size > plain->cpus || !has_columns(columns, wait, kind) ||
		(plain->stop && atomic_load_explicit(plain->stop, memory_order_relaxed)))
		return false;
	const int64_t asked = kind == LIMIT_NONE ? run : col[SL_COL_LIMIT];
	const sl_time limit = asked < SL_TIME_MOST ? asked : SL_TIME_MOST;
	const uint32_t at = columns->count++;
	loading->scenario->rows++;
	loading->id_last = col[SL_COL_ID];
	loading->line_last = row->line;
	loading->submit_last = loading->kept_last = col[SL_COL_SUBMIT];
	loading->run_total += run;
	loading->waits |= wait > 0;
	loading->waits_of_any |= wait > 0;
	column_i64(columns, COLUMN_ID)[at] = col[SL_COL_ID];
	column_i64(columns, COLUMN_SUBMIT)[at] = col[SL_COL_SUBMIT];
	column_i64(columns, COLUMN_RUN)[at] = run;
	column_i64(columns, COLUMN_LIMIT)[at] = plain->raise && limit < run ? run : limit;
	column_i32(columns, COLUMN_SIZE)[at] = (int32_t)size;
	column_i32(columns, COLUMN_USER)[at] = narrow(col[SL_COL_USER]);
	column_i32(columns, COLUMN_ACCOUNT)[at] = narrow(col[SL_COL_GROUP]);
	column_i32(columns, COLUMN_PARTITION)[at] = narrow(col[SL_COL_PARTITION]);
	if (columns->at[COLUMN_WAIT])
		column_i64(columns, COLUMN_WAIT)[at] = wait;
	if (columns->at[COLUMN_LIMIT_KIND])
		column_i32(columns, COLUMN_LIMIT_KIND)[at] = (int32_t)kind;
	return true;
}

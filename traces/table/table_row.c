/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_row.c - a line's cells as numbers, times and names.
 *
 * An empty cell is not known, and so is a negative number. Text where a number is due is an error, with its
 * place.
 */
#include <string.h>
#include <strings.h>

#include "traces/table/job_table.h"

const char *table_cell(const struct table *t, enum table_column column)
{
	const int at = t->at[column];
	if (at < 0 || (size_t)at >= t->fields.count)
		return NULL;
	const char *text = t->fields.text + t->fields.at[at];
	return *text ? text : NULL;
}

int table_fail_cell(struct table *t, enum table_column column, const char *wanted)
{
	enum { DISPLAYED = 32 };
	const struct sl_place at = table_place(t, (size_t)t->at[column]);
	const char *cell = table_cell(t, column);
	char text[DISPLAYED + 1];
	size_t len = 0;
	for (; cell && cell[len] && len < DISPLAYED; len++)
		text[len] = (char)(cell[len] >= ' ' && cell[len] <= '~' ? cell[len] : '?');
	text[len] = '\0';
	return sl_fail_at(t->err, &at,
		"column '%s' must be %s, not '%s%s'; leave it empty where it is not known",
		table_column_name(column), wanted, text, cell && cell[len] ? "..." : "");
}

/* ---- Times -------------------------------------------------------------------------------- */

int table_duration_in(struct table *t, enum table_column column, int64_t *value)
{
	const char *cell = table_cell(t, column);
	*value = SL_NONE;
	if (!cell)
		return SL_OK;
	if (column == TABLE_TIME_LIMIT &&
		(strcmp(cell, "UNLIMITED") == 0 || strcmp(cell, "Partition_Limit") == 0))
		return SL_OK;
	if (!sl_get_duration(cell, strlen(cell), value))
		return table_fail_cell(t, column, "seconds, or a duration such as 90m or 1-12:00:00");
	if (*value < 0)
		*value = SL_NONE;
	return SL_OK;
}

/* Seconds from the trace's zero, or a date; all of the file's as its first submit. */
int table_point_in(struct table *t, enum table_column column, int64_t *value)
{
	const char *cell = table_cell(t, column);
	*value = SL_NONE;
	if (!cell) {
		t->dated_known = true;
		return SL_OK;
	}
	sl_time date = SL_NONE;
	const bool is_date = sl_get_date(cell, strlen(cell), &date);
	if (!t->dated_known && column == TABLE_SUBMIT) {
		t->dated_known = true;
		t->dated = is_date;
		const int status = is_date && t->sink->dated ? t->sink->dated(t->sink->self, t->err) : SL_OK;
		if (status)
			return status;
	}
	if (t->dated) {
		*value = date;
		return is_date ? SL_OK
			       : table_fail_cell(t, column,
					 "a date such as 2024-12-31T23:59:59, as the first submit is");
	}
	if (is_date || !sl_get_micro(cell, strlen(cell), value))
		return table_fail_cell(t, column,
			t->begun ? "a number of seconds, as the first submit is"
				 : "a number of seconds, or a date such as 2024-12-31T23:59:59");
	return SL_OK;
}

static int64_t difference(int64_t later, int64_t earlier)
{
	int64_t between;
	if (later == SL_NONE || earlier == SL_NONE || __builtin_sub_overflow(later, earlier, &between))
		return SL_NONE;
	return between < 0 ? SL_NONE : between;
}

static int table_row_times_in(struct table *t, struct sl_row *row)
{
	int64_t start;
	int64_t end;
	int status = table_point_in(t, TABLE_SUBMIT, &row->col[SL_COL_SUBMIT]);
	if (!status)
		status = table_point_in(t, TABLE_START, &start);
	if (!status)
		status = table_point_in(t, TABLE_END, &end);
	if (!status)
		status = table_duration_in(t, TABLE_WAIT, &row->col[SL_COL_WAIT]);
	if (!status)
		status = table_duration_in(t, TABLE_RUN_TIME, &row->col[SL_COL_RUN]);
	if (!status)
		status = table_duration_in(t, TABLE_TIME_LIMIT, &row->col[SL_COL_LIMIT]);
	if (status)
		return status;
	if (t->at[TABLE_WAIT] < 0)
		row->col[SL_COL_WAIT] = difference(start, row->col[SL_COL_SUBMIT]);
	if (t->at[TABLE_RUN_TIME] < 0)
		row->col[SL_COL_RUN] = difference(end, start);
	return SL_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* A whole number as it is written: no sign, no zero before it. */
static bool plain_number(const char *text, int64_t max, int64_t *value)
{
	const size_t len = strlen(text);
	return text[0] >= '0' && text[0] <= '9' && (text[0] != '0' || len == 1) &&
	       sl_get_i64(text, len, value) && *value <= max;
}

/* A number in the column, or a name beside it; -1 is neither. */
static void name_in(
	const struct table *t, enum table_column column, int64_t max, int64_t *number, const char **name)
{
	const char *cell = table_cell(t, column);
	if (cell && !plain_number(cell, max, number) && strcmp(cell, "-1") != 0)
		*name = cell;
}

static int64_t status_of(const char *text)
{
	static const struct {
		const char *word;
		int64_t number; /* SWF's. */
	} words[] = { { "COMPLETED", 1 }, { "FAILED", 0 }, { "TIMEOUT", 0 }, { "NODE_FAIL", 0 },
		{ "OUT_OF_MEMORY", 0 }, { "DEADLINE", 0 }, { "BOOT_FAIL", 0 }, { "PREEMPTED", 0 },
		{ "CANCELLED", 5 } };
	int64_t number;
	if (plain_number(text, INT32_MAX, &number))
		return number;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strncasecmp(text, words[i].word, strlen(words[i].word)) == 0) /* "CANCELLED by 0" */
			return words[i].number;
	return SL_NONE;
}

/* Of the GPU time that it held, from 0 to 1. */
static int active_in(struct table *t, struct sl_row_attributes *more)
{
	const char *cell = table_cell(t, TABLE_GPU_ACTIVE);
	t->gpu_active = SL_NONE;
	more->gpu_active = &t->gpu_active;
	if (!cell)
		return SL_OK;
	if (!sl_get_micro(cell, strlen(cell), &t->gpu_active) || t->gpu_active > SL_SECOND)
		return table_fail_cell(t, TABLE_GPU_ACTIVE, "a number from 0 to 1");
	if (t->gpu_active < 0)
		t->gpu_active = SL_NONE;
	return SL_OK;
}

int table_job_in(struct table *t, struct sl_row *row, struct sl_row_attributes *more)
{
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row->col[i] = SL_NONE;
	*more = (struct sl_row_attributes){ 0 };
	row->line = t->row_line;
	t->number++;
	if (t->at[TABLE_JOB_ID] < 0)
		row->col[SL_COL_ID] = t->number;
	else
		name_in(t, TABLE_JOB_ID, INT64_MAX, &row->col[SL_COL_ID], &more->id);
	name_in(t, TABLE_USER, INT32_MAX, &row->col[SL_COL_USER], &more->user);
	name_in(t, TABLE_ACCOUNT, INT32_MAX, &row->col[SL_COL_GROUP], &more->account);
	name_in(t, TABLE_PARTITION, INT32_MAX, &row->col[SL_COL_PARTITION], &more->partition);
	more->gang = table_cell(t, TABLE_GANG);
	const char *status = table_cell(t, TABLE_STATUS);
	if (status)
		row->col[SL_COL_STATUS] = status_of(status);
	int result = table_row_times_in(t, row);
	if (!result && t->says_gpus)
		result = active_in(t, more);
	if (!result && t->says_more)
		result = table_more_in(t, more);
	return result || !t->says_profile ? result : table_profile_in(t, &t->held.profile, more);
}

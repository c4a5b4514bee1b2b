/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_read.c - the walk of a row through its stages, and the first of them: what a reader reports.
 *
 * A reader calls the sink for each job of a trace. The row then goes straight on:
 *
 *   read    row_read.c        its number, and whether a row before had it
 *   change  scenario_change.c replay.drop, replay.change: the row as it would have been
 *   judge   row_judge.c       valid, repaired or dropped, with the cause; is it selected?
 *   intern  row_intern.c      names become numbers, requests and profiles are shared
 *   keep    row_keep.c        one more row of the job table
 *
 * A row that nothing is amiss with goes through all at once (row_plain.c).
 *
 * What comes in and goes out of each is a struct of row.h. A row that is dropped, or is not selected, stops
 * behind the judging. A row is counted under one cause, so rows are the jobs that stay, those dropped, and
 * those not selected. Whether an id was seen costs one comparison while ids ascend; at the first that does
 * not, a set of all ids so far is made.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/row.h"

/* ---- Ids ------------------------------------------------------------------------------------- */

static int unkept_add(struct loading *loading, int64_t id, struct sl_err *err)
{
	const int status = SL_GROW(loading->unkept, loading->unkept_capacity, loading->unkept_count + 1, err);
	if (!status)
		loading->unkept[loading->unkept_count++] = id;
	return status;
}

static int seen_build(struct loading *loading, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	const int64_t *id = column_i64(columns, COLUMN_ID);
	bool fresh;
	int status = intset_reserve(
		&loading->seen, (size_t)columns->count + loading->unkept_count + columns->count / 4, err);
	for (uint32_t row = 0; row < columns->count && !status; row++)
		status = intset_add(&loading->seen, id[row], &fresh, err);
	for (size_t i = 0; i < loading->unkept_count && !status; i++)
		status = intset_add(&loading->seen, loading->unkept[i], &fresh, err);
	return status;
}

int rows_know_ids(struct loading *loading, struct sl_err *err)
{
	return loading->seen.capacity ? SL_OK : seen_build(loading, err);
}

/* An id that does not ascend, or any one after the first such. */
static int id_check(struct loading *loading, int64_t id, bool *repeated, struct sl_err *err)
{
	bool fresh;
	int status = loading->seen.capacity ? SL_OK : seen_build(loading, err);
	if (!status)
		status = intset_add(&loading->seen, id, &fresh, err);
	*repeated = !status && !fresh;
	return status;
}

/* The row's number; of a name, one of its own below zero. */
static int row_read_id_of(struct loading *loading, const struct sl_row *row, int64_t *id, struct sl_err *err)
{
	const char *name = row->more ? row->more->id : NULL;
	uint32_t index;
	*id = row->col[SL_COL_ID];
	if (!name)
		return SL_OK;
	const int status = names_add(
		&loading->names[NAMED_ID], loading->scenario->arena, name, strlen(name), &index, err);
	*id = -1 - (int64_t)index;
	return status;
}

/* ---- Read ------------------------------------------------------------------------------------ */

static int read_first(struct loading *loading, struct sl_err *err)
{
	const int status = loading_settle(loading, err);
	if (!status)
		plain_settle(loading);
	return status;
}

/* In:  the reader's row. Out: struct row_read. */
static int row_read(
	struct loading *loading, const struct sl_row *row, struct row_read *read, struct sl_err *err)
{
	*read = (struct row_read){ .row = row };
	int status = loading->settled ? SL_OK : read_first(loading, err);
	if (!status)
		status = row_read_id_of(loading, row, &read->id, err);
	if (status)
		return status;
	loading->scenario->rows++;
	if (read->id > loading->id_last && !loading->seen.capacity)
		loading->id_last = read->id;
	else if (read->id != SL_NONE)
		status = id_check(loading, read->id, &read->repeated, err);
	if (status)
		return status;
	if (loading->options->stop && atomic_load_explicit(loading->options->stop, memory_order_relaxed))
		return sl_fail(err, SL_INTERRUPTED, "%s: interrupted while it was read", loading->file);
	const sl_time submit = row->col[SL_COL_SUBMIT];
	if (loading->dated && submit != SL_NONE && submit < loading->submit_first)
		loading->submit_first = submit;
	return SL_OK;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* The verdict is counted, under one cause, and reported to a watcher. */
static int count_judged(struct loading *loading, const struct row_read *read, const struct row_judged *judged,
	struct sl_err *err)
{
	const struct scenario_watch *watch = loading->options->watch;
	const struct sl_place at = { loading->file, read->row->line, 0 };
	const enum cause cause = judged->stays ? judged->anomaly : judged->dropped;
	if (cause < CAUSE_COUNT) {
		const int status = cause_count(loading, cause, &at, err);
		if (status)
			return status;
	}
	if (!watch || !watch->row)
		return SL_OK;
	const char *gone = judged->selected ? NULL : "not selected";
	return watch->row(watch->self, read->row, judged->stays ? gone : cause_text(loading, cause), err);
}

/* It stops here: while ids ascend, a later row may still have the same. */
static int row_stops(struct loading *loading, const struct row_judged *judged, struct sl_err *err)
{
	const int64_t id = judged->id;
	const bool ascends = id != SL_NONE && id == loading->id_last && !loading->seen.capacity;
	loading->outside += judged->stays;
	return ascends ? unkept_add(loading, id, err) : SL_OK;
}

/* The stages of a row, in their order. */
static int row_walk(struct loading *loading, const struct sl_row *row, struct sl_err *err)
{
	struct row_read read;
	struct row_judged judged;
	struct row_interned interned;
	int status = row_read(loading, row, &read, err);
	if (!status && loading->changing)
		status = changes_apply(loading, &read.row, read.id, err);
	if (!status)
		status = row_judge(loading, &read, &judged, err);
	if (!status)
		status = count_judged(loading, &read, &judged, err);
	if (status)
		return status;
	if (!judged.stays || !judged.selected)
		return row_stops(loading, &judged, err);
	status = row_intern(loading, &judged, &interned, err);
	return status ? status : row_keep(loading, &judged, &interned, err);
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	return row_plain(self, row) ? SL_OK : row_walk(self, row, err);
}

/* ---- What else a reader says ----------------------------------------------------------------- */

static int on_anomaly(void *self, const char *text, const struct sl_place *at, struct sl_err *err)
{
	struct loading *loading = self;
	enum cause cause;
	const int status = cause_named(loading, text, at, &cause, err);
	if (status)
		return status;
	if (loading->options->strict || cause_drops(cause)) {
		loading->scenario->rows++;
		return cause_count(loading, cause, at, err);
	}
	loading->repair = cause;
	loading->repair_line = at->line;
	return SL_OK;
}

static int row_read_on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	struct loading *loading = self;
	struct scenario *scenario = loading->scenario;
	const struct scenario_watch *watch = loading->options->watch;
	const int status = watch && watch->header ? watch->header(watch->self, key, value, err) : SL_OK;
	if (status || !*key)
		return status;
	if (scenario->header_count == loading->header_capacity) {
		const size_t capacity = loading->header_capacity ? 2 * loading->header_capacity : 32;
		struct header_line *header = sl_alloc(scenario->arena, capacity, sizeof(*header));
		if (!header)
			return sl_fail_memory(err);
		if (scenario->header_count)
			memcpy(header, scenario->header, scenario->header_count * sizeof(*header));
		scenario->header = header;
		loading->header_capacity = capacity;
	}
	struct header_line *line = &scenario->header[scenario->header_count];
	line->key = sl_strdup(scenario->arena, key, strlen(key));
	line->value = sl_strdup(scenario->arena, value, strlen(value));
	if (!line->key || !line->value)
		return sl_fail_memory(err);
	scenario->header_count++;
	return SL_OK;
}

static int on_dated(void *self, struct sl_err *err)
{
	struct loading *loading = self;
	(void)err;
	SL_CHECK(!loading->settled);
	loading->dated = true;
	return SL_OK;
}

static int on_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	enum { SAID_MAX = 64 };
	(void)at;
	struct scenario *scenario = ((struct loading *)self)->scenario;
	if (!scenario->ignored)
		scenario->ignored = sl_alloc(scenario->arena, SAID_MAX, sizeof(*scenario->ignored));
	const char *copy = sl_strdup(scenario->arena, what, strlen(what));
	if (!scenario->ignored || !copy)
		return sl_fail_memory(err);
	if (scenario->ignored_count < SAID_MAX)
		scenario->ignored[scenario->ignored_count++] = copy;
	return SL_OK;
}

static int on_file(void *self, struct sl_input *in, struct sl_err *err)
{
	struct loading *loading = self;
	return side_add(&loading->files, loading->scenario, loading->scenario->input.path, "trace", in, err);
}

static int row_read_on_setting(void *self, const struct sl_setting *setting, struct sl_err *err)
{
	const struct scenario_watch *watch = ((struct loading *)self)->options->watch;
	return watch->setting(watch->self, setting, err);
}

struct sl_sink rows_sink(struct loading *loading)
{
	const struct scenario_watch *watch = loading->options->watch;
	return (struct sl_sink){ loading, on_job, row_read_on_header, on_anomaly, on_dated, on_ignored,
		on_file, watch && watch->setting ? row_read_on_setting : NULL };
}

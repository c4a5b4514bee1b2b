/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_with.c - the rows of further traces join the replay (replay.with).
 *
 * Dates are aligned where both the trace and the further file are dated; else both begin at 0: what is dated
 * counts from its first submission on (to the second), and an undated file beside a dated trace begins with
 * that trace's first day and second. A file whose ids clash with those before has all of its own known as
 * NAME/ID, NAME its name without folder and end. Users, accounts and partitions of the same number or name
 * are the same; arrays are never. Each file is read twice: to see its first submission and whether ids clash,
 * and to read its rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

/* One further file. */
struct with {
	struct loading *loading;
	struct sl_sink to; /* Where rows go. */
	bool dated, clashes;
	sl_time first; /* Submission; INT64_MAX: none yet. */
	sl_time by;    /* Its times go so much later. */
	uint32_t number;
	char stem[STEM_MAX + 1];
};

/* ---- The first time ------------------------------------------------------------------------ */

static bool is_known(const struct loading *loading, const struct sl_row *row)
{
	const char *name = row->more ? row->more->id : NULL;
	if (name)
		return names_find(&loading->names[NAMED_ID], name, strlen(name)) != UINT32_MAX;
	const int64_t id = row->col[SL_COL_ID];
	return id != SL_NONE && intset_has(&loading->seen, id);
}

static int look_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct with *with = self;
	(void)err;
	const sl_time submit = row->col[SL_COL_SUBMIT];
	if (submit != SL_NONE && submit < with->first)
		with->first = submit;
	with->clashes = with->clashes || is_known(with->loading, row);
	return SL_OK;
}

static int look_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)key;
	(void)value;
	(void)at;
	(void)err;
	return SL_OK;
}

static int look_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)cause;
	(void)at;
	(void)err;
	return SL_OK;
}

static int look_dated(void *self, struct sl_err *err)
{
	struct with *with = self;
	(void)err;
	with->dated = true;
	return SL_OK;
}

/* ---- The second ------------------------------------------------------------------------------- */

static void scenario_with_move(sl_time *time, sl_time by)
{
	if (*time != SL_NONE && __builtin_add_overflow(*time, by, time))
		*time = SL_NONE;
}

/* "\001NAME\001afterok:5": of which file the ids are, see scenario_attributes.c. */
static char *dependency_of(const struct with *with, const char *text)
{
	const size_t capacity = strlen(text) + STEM_MAX + 40;
	char *marked = malloc(capacity);
	if (marked)
		(void)snprintf(marked, capacity, "\001%s\001%lld\001%s", with->clashes ? with->stem : "",
			(long long)with->number, text);
	return marked;
}

static char *scenario_with_id_of(const struct with *with, const struct sl_row *row)
{
	const char *name = row->more ? row->more->id : NULL;
	const size_t capacity = (name ? strlen(name) : 0) + STEM_MAX + 40;
	char *id = malloc(capacity);
	if (id && name)
		(void)snprintf(id, capacity, "%s/%s", with->stem, name);
	else if (id)
		(void)snprintf(id, capacity, "%s/%lld", with->stem, (long long)row->col[SL_COL_ID]);
	return id;
}

/* The row as it joins: later, and under other names. */
static int take_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	const struct with *with = self;
	struct sl_row moved = *row;
	struct sl_row_attributes more = row->more ? *row->more : (struct sl_row_attributes){ 0 };
	struct sl_job_attributes job = more.job ? *more.job : (struct sl_job_attributes){ 0 };
	const bool names = with->clashes && (more.id || row->col[SL_COL_ID] != SL_NONE);
	const bool depends = more.job && job.dependency;
	char *id = names ? scenario_with_id_of(with, row) : NULL;
	char *dependency = depends ? dependency_of(with, job.dependency) : NULL;
	int status = (names && !id) || (depends && !dependency) ? sl_fail_memory(err) : SL_OK;
	scenario_with_move(&moved.col[SL_COL_SUBMIT], with->by);
	scenario_with_move(&job.begin, with->by);
	scenario_with_move(&job.deadline, with->by);
	scenario_with_move(&job.start_recorded, with->by);
	scenario_with_move(&job.end_recorded, with->by);
	if (more.cancel)
		scenario_with_move(&more.cancel, with->by);
	if (more.job && job.array != SL_NONE)
		job.array += with->number * WITH_ARRAYS;
	job.dependency = dependency;
	more.id = names ? id : more.id;
	more.job = more.job ? &job : NULL;
	moved.more = row->more || names ? &more : NULL;
	if (!status)
		status = with->to.job(with->to.self, &moved, err);
	free(id);
	free(dependency);
	return status;
}

static int take_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	const struct with *with = self;
	return with->to.anomaly(with->to.self, cause, at, err);
}

static int take_ignored(void *self, const char *what, const struct sl_place *at, struct sl_err *err)
{
	const struct with *with = self;
	return with->to.ignored(with->to.self, what, at, err);
}

static int take_file(void *self, struct sl_input *in, struct sl_err *err)
{
	const struct with *with = self;
	return with->to.file(with->to.self, in, err);
}

/* ---- A file --------------------------------------------------------------------------------------- */

static int file_read(struct with *with, const char *path, bool take, struct sl_err *err)
{
	struct loading *loading = with->loading;
	struct sl_input *in;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	const struct sl_sink look = { with, look_job, look_header, look_anomaly, look_dated, NULL, NULL,
		NULL };
	const struct sl_sink rows = { with, take_job, look_header, take_anomaly, look_dated, take_ignored,
		take_file, NULL };
	const struct sl_reader *reader = NULL;
	const char *own = loading->file;
	loading->file = sl_input_name(in);
	status = reader_choose(loading->scenario->registry, &reader, in, err);
	if (!status)
		status = reader->read(in, take ? &rows : &look, err);
	if (!status && take)
		status = side_add(&loading->files, loading->scenario, "", reader->name, in, err);
	loading->file = own;
	sl_input_close(in);
	return status;
}

static void stem_of(char stem[STEM_MAX + 1], const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strcspn(name, ".");
	len = len < STEM_MAX ? len : STEM_MAX;
	for (size_t i = 0; i < len; i++) /* What parts dependencies is no part of a name. */
		stem[i] = (char)(strchr(",?:+( ", name[i]) ? '_' : name[i]);
	stem[len] = '\0';
}

static sl_time to_the_second(sl_time time)
{
	const sl_time second = time / SL_SECOND;
	return (second - (second * SL_SECOND > time)) * SL_SECOND;
}

static int scenario_with_join(struct loading *loading, const char *path, uint32_t number, struct sl_err *err)
{
	struct with with = {
		.loading = loading, .to = rows_sink(loading), .first = INT64_MAX, .number = number
	};
	if (strcmp(path, "-") == 0)
		return sl_fail(err, SL_USAGE,
			"replay.with: a further trace is read twice, standard input cannot be: give a file");
	stem_of(with.stem, path);
	int status = rows_know_ids(loading, err);
	if (!status)
		status = file_read(&with, path, false, err);
	if (status || with.first == INT64_MAX)
		return status;
	if (with.dated && !loading->dated)
		with.by = -to_the_second(with.first);
	else if (!with.dated && loading->dated)
		with.by = loading->submit_first == INT64_MAX ? 0 : to_the_second(loading->submit_first);
	loading->line_last = 0;
	loading->submit_last = INT64_MIN;
	loading->repair_line = 0;
	return file_read(&with, path, true, err);
}

int with_read(struct loading *loading, struct sl_err *err)
{
	const char *text = loading->scenario->replay[REPLAY_WITH].text;
	int status = SL_OK;
	for (uint32_t number = 1; text && *text && !status; number++) {
		const size_t len = strcspn(text, ",");
		char *path = sl_strdup(loading->scenario->arena, text, len);
		if (!path)
			return sl_fail_memory(err);
		if (!len || number > WITH_MAX)
			return sl_fail(
				err, SL_USAGE, "replay.with must be 1 to %d files apart by commas", WITH_MAX);
		status = scenario_with_join(loading, path, number, err);
		text += len + (text[len] == ',');
	}
	return status;
}

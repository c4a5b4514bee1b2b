/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_side.c - columns of the job table from files of their own.
 *
 * A line is "job number, seconds"; blank lines and those that begin with '#'
 * say nothing. Jobs that a file does not name keep the column's default; lines of jobs that are not in the
 * replay are skipped; of two for one job the later holds.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

enum { SIDE_FILES_MAX = 1000000 };

static const struct side {
	int setting;
	enum column column;
	int64_t least;  /* In us. */
	const char *of; /* What the seconds are, for messages. */
} sides[] = {
	{ REPLAY_ESTIMATES, COLUMN_ESTIMATE, 1, "estimate of a run time" },
	{ REPLAY_CANCELS, COLUMN_CANCEL, 0, "time from the submission to the cancellation" },
};

struct id_row {
	int64_t id;
	uint32_t row;
};

static int compare_ids(const void *a, const void *b)
{
	const struct id_row *x = a;
	const struct id_row *y = b;
	return (x->id > y->id) - (x->id < y->id); /* Ids are unique. */
}

static int index_ids(const struct columns *columns, struct id_row **index, struct sl_err *err)
{
	*index = malloc(columns->count * sizeof(**index));
	if (!*index)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < columns->count; row++)
		(*index)[row] = (struct id_row){ column_i64(columns, COLUMN_ID)[row], row };
	qsort(*index, columns->count, sizeof(**index), compare_ids);
	return SL_OK;
}

/* The next word of the line at *p, cut at blanks and commas. */
static size_t word_at(const char **p, const char *end)
{
	while (*p < end && strchr(" \t\r,", **p))
		++*p;
	const char *word = *p;
	while (word < end && !strchr(" \t\r,", *word))
		word++;
	return (size_t)(word - *p);
}

/* Where the lines of a side file go. */
struct side_into {
	struct columns *columns;
	const struct id_row *index;
	const struct side *side;
	const struct names *ids; /* Of jobs that have names. */
};

/* True if the word is a job's number, or the name of one. */
static bool scenario_side_id_of(const struct side_into *into, const char *word, size_t len, int64_t *id)
{
	const uint32_t name = names_find(into->ids, word, len);
	if (name != UINT32_MAX)
		*id = -1 - (int64_t)name;
	else if (!sl_get_i64(word, len, id))
		*id = SL_NONE;
	return *id != SL_NONE || into->ids->count; /* Names of other jobs are no error. */
}

static int side_line(const struct side_into *into, const char *p, const char *end, const struct sl_place *at,
	struct sl_err *err)
{
	const struct side *side = into->side;
	size_t len = word_at(&p, end);
	if (!len || *p == '#')
		return SL_OK;
	struct id_row want = { 0 };
	if (!scenario_side_id_of(into, p, len, &want.id))
		return sl_fail_at(err, at, "'%.*s' is not a job number: a line is JOB,SECONDS",
			(int)(len < 32 ? len : 32), p);
	p += len;
	len = word_at(&p, end);
	sl_time time;
	if (!len || !sl_get_micro(p, len, &time) || time < side->least)
		return sl_fail_at(err, at, "'%.*s' is no %s in seconds: a line is JOB,SECONDS",
			(int)(len < 32 ? len : 32), p, side->of);
	/* Without jobs there is no index. */
	const struct id_row *found = !into->index ? NULL
						  : bsearch(&want, into->index, into->columns->count,
							    sizeof(*into->index), compare_ids);
	if (!found)
		return SL_OK;
	const sl_time submit = column_i64(into->columns, COLUMN_SUBMIT)[found->row];
	const bool after = side->column == COLUMN_CANCEL;
	if (after && time > INT64_MAX / 2 - submit)
		return sl_fail_at(err, at, "the %s is out of range", side->of);
	column_i64(into->columns, side->column)[found->row] = after ? submit + time : time;
	return SL_OK;
}

static int side_lines(const struct side_into *into, struct sl_input *in, struct sl_err *err)
{
	struct sl_place at = { sl_input_name(in), 0, 0 };
	const char *p, *end;
	int status;
	while ((status = sl_input_next(in, &p, &end, err)) > 0) {
		while (p < end) {
			const char *newline = memchr(p, '\n', (size_t)(end - p) + 1);
			at.line++;
			status = side_line(into, p, newline, &at, err);
			if (status)
				return status;
			p = newline + 1;
		}
	}
	return status;
}

/* Of an estimate: the limit. */
static void side_default(struct columns *columns, const struct side *side)
{
	int64_t *column = column_i64(columns, side->column);
	for (uint32_t row = 0; row < columns->count; row++)
		column[row] = column_i64(columns, COLUMN_LIMIT)[row];
}

static int side_read(
	struct loading *loading, const struct id_row *index, const struct side *side, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const char *path = scenario->replay[side->setting].text;
	struct columns *columns = scenario->columns;
	struct sl_input *in;
	/* Cancellations of the trace stay, but for those of jobs that the file names. */
	const bool cancels = side->column == COLUMN_CANCEL;
	int status =
		cancels ? columns_want(columns, side->column, err) : columns_add(columns, side->column, err);
	if (!status)
		status = sl_input_open(&in, path, err);
	if (status)
		return status;
	if (!cancels)
		side_default(columns, side);
	status = side_lines(&(struct side_into){ columns, index, side, &loading->names[NAMED_ID] }, in, err);
	if (!status) {
		struct scenario_input *input = &scenario->side[scenario->side_count++];
		*input = (struct scenario_input){ .path = path,
			.format = "job,seconds",
			.packing = sl_input_packing(in),
			.bytes = sl_input_bytes(in) };
		memcpy(input->sha256, sl_input_sha256(in), sizeof(input->sha256));
	}
	sl_input_close(in);
	return status;
}

int side_add(struct side_files *files, const struct scenario *scenario, const char *own, const char *format,
	struct sl_input *in, struct sl_err *err)
{
	const char *path = sl_input_name(in);
	bool known = strcmp(own, path) == 0;
	for (size_t i = 0; i < files->count && !known; i++)
		known = strcmp(files->item[i].path, path) == 0;
	if (known)
		return SL_OK;
	const int status = SL_GROW_MOST(files->item, files->capacity, files->count + 1, SIDE_FILES_MAX, err);
	if (status)
		return status;
	struct scenario_input *kept = &files->item[files->count];
	*kept = (struct scenario_input){ .path = sl_strdup(scenario->arena, path, strlen(path)),
		.format = format,
		.packing = sl_input_packing(in), /* A constant. */
		.bytes = sl_input_bytes(in) };
	if (!kept->path)
		return sl_fail_memory(err);
	memcpy(kept->sha256, sl_input_sha256(in), sizeof(kept->sha256));
	files->count++;
	return SL_OK;
}

int side_load(struct loading *loading, struct sl_err *err)
{
	static const struct side_files none;
	const struct side_files *of_cluster = machine_files(loading);
	const struct side_files *lists[] = { of_cluster ? of_cluster : &none, &loading->files,
		&loading->sheets };
	struct scenario *scenario = loading->scenario;
	struct id_row *index = NULL;
	int status = SL_OK;
	size_t count = SL_LEN(sides) + 1;
	for (size_t i = 0; i < SL_LEN(lists); i++)
		count += lists[i]->count;
	scenario->side = sl_alloc(scenario->arena, count, sizeof(*scenario->side));
	if (!scenario->side)
		return sl_fail_memory(err);
	for (size_t i = 0; i < SL_LEN(lists); i++)
		for (size_t k = 0; k < lists[i]->count; k++)
			scenario->side[scenario->side_count++] = lists[i]->item[k];
	for (size_t i = 0; i < SL_LEN(sides) && !status; i++) {
		if (!scenario->replay[sides[i].setting].text)
			continue;
		if (!index)
			status = index_ids(scenario->columns, &index, err);
		if (!status)
			status = side_read(loading, index, &sides[i], err);
	}
	free(index);
	if (!status && scenario->replay[REPLAY_COMMANDS].text)
		status = commands_load(loading, &scenario->side[scenario->side_count++], err);
	return status;
}

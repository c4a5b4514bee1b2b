/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_read.c - the reader: comments, header, jobs; and jobs of several lines.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/table/job_table.h"

static const char short_row[] = "fewer fields than columns";
static const char long_row[] = "more fields than columns";

static int odd(struct table *t, const char *cause)
{
	const struct sl_place at = { t->file, t->row_line, 1 };
	return t->sink->anomaly(t->sink->self, cause, &at, t->err);
}

/* ---- Jobs -------------------------------------------------------------------------------------- */

static int emit(struct table *t, struct table_job *job)
{
	if (!job->whole)
		return SL_OK;
	job->whole = false;
	job->more.group = job->group;
	job->row.more = &job->more;
	return t->sink->job(t->sink->self, &job->row, t->err);
}

static int group_add(struct table *t, struct table_job *job)
{
	if (SL_GROW(job->group, job->group_capacity, job->more.group_count + 1, t->err))
		return SL_SYSTEM;
	const int status = table_group_in(t, &job->group[job->more.group_count]);
	job->more.group_count += !status;
	return status;
}

int table_job_begin(struct table *t)
{
	struct table_job *job = &t->held;
	int status = table_job_in(t, &job->row, &job->more);
	if (!status)
		status = group_add(t, job);
	if (status)
		return status;
	job->whole = true;
	t->begun = true;
	if (t->at[TABLE_GROUP] < 0)
		return emit(t, job);
	const struct table_fields fields = job->fields;
	job->fields = t->fields;
	t->fields = fields;
	return SL_OK;
}

/* The id as it is written, in the first line's fields. */
static const char *held_id(const struct table *t)
{
	const struct table_fields *fields = &t->held.fields;
	const int at = t->at[TABLE_JOB_ID];
	return at >= 0 && (size_t)at < fields->count ? fields->text + fields->at[at] : "";
}

/* Of a line of a further group: right below its job's others, in order. */
static int job_continue(struct table *t, int64_t group)
{
	const struct table_job *job = &t->held;
	const char *id = table_cell(t, TABLE_JOB_ID);
	const bool same = job->whole && id && strcmp(id, held_id(t)) == 0;
	if (!same || group != (int64_t)job->more.group_count || group > TABLE_GROUPS_MAX)
		return table_fail_cell(t, TABLE_GROUP,
			"0 on a job's first line, and 1, 2, ... (at most 1000) on those right below it");
	return group_add(t, &t->held);
}

static int data_row(struct table *t)
{
	int64_t group = 0;
	const char *cell = table_cell(t, TABLE_GROUP);
	if (cell && (!sl_get_i64(cell, strlen(cell), &group) || group < 0))
		return table_fail_cell(t, TABLE_GROUP, "a whole number");
	int status = group ? SL_OK : emit(t, &t->held); /* Before a word is said of this one. */
	if (!status && t->fields.count < t->header_count)
		return odd(t, short_row);
	if (!status && t->fields.count > t->header_count)
		status = odd(t, long_row);
	if (status)
		return status;
	return group ? job_continue(t, group) : table_job_begin(t);
}

int table_row(struct table *t)
{
	if (t->header_seen)
		return data_row(t);
	t->header_seen = true;
	return table_header(t);
}

/* ---- Comments -------------------------------------------------------------------------------------- */

static bool table_read_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* "# Label: value" before the header line, as SWF has them behind a semicolon. */
static int comment_in(struct table *t, const char *p, const char *end)
{
	enum { LONGEST = 4095 };
	char key[LONGEST + 1];
	char value[LONGEST + 1];
	const struct sl_place at = { t->file, ++t->line_number, 1 };
	while (end > p && table_read_is_blank(end[-1]))
		end--;
	while (p < end && table_read_is_blank(*p))
		p++;
	size_t len = 0;
	while (p + len < end && p[len] != ':' && p[len] > ' ' && p[len] <= '~' && len < LONGEST)
		len++;
	if (p + len == end || p[len] != ':')
		len = 0;
	memcpy(key, p, len);
	key[len] = '\0';
	p += len ? len + 1 : 0;
	while (p < end && table_read_is_blank(*p))
		p++;
	const size_t width = end - p < LONGEST ? (size_t)(end - p) : LONGEST;
	memcpy(value, p, width);
	value[width] = '\0';
	return t->sink->header(t->sink->self, key, value, &at, t->err);
}

/* ---- The reader -------------------------------------------------------------------------------------- */

static int table_read_lines_in(struct table *t, const char *p, const char *end)
{
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline + 1 : end + 1; /* The last line has one too. */
		const bool comment = !t->header_seen && !t->row_open && *p == '#';
		const int status = comment ? comment_in(t, p + 1, stop) : table_csv_line(t, p, stop);
		if (status)
			return status;
		p = stop;
	}
	return SL_OK;
}

static int table_read_all(struct table *t, struct sl_input *in)
{
	const char *text;
	const char *end;
	int status;
	while ((status = sl_input_next(in, &text, &end, t->err)) > 0) {
		status = table_read_lines_in(t, text, end);
		if (status)
			return status;
	}
	if (!status)
		status = table_csv_end(t);
	if (!status)
		status = emit(t, &t->held);
	if (!status && !t->begun)
		status = sl_fail(
			t->err, SL_INPUT, "%s: has no jobs, only a header: give a trace with jobs", t->file);
	return status;
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->type_count; i++)
		free(t->type[i]);
	free(t->type);
	free(t->fields.text);
	free(t->fields.at);
	free(t->held.fields.text);
	free(t->held.fields.at);
	free(t->held.group);
}

static int table_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct table t = { .sink = sink, .err = err, .file = sl_input_name(in) };
	int status = table_csv_begin(&t);
	if (!status) {
		status = table_read_all(&t, in);
		csv_free(&t.csv);
	}
	table_free(&t);
	return status;
}

/* Columns of a header line that are known; needed: those that every trace has. */
static size_t columns_known(const char *p, const char *end, unsigned *needed)
{
	size_t known = 0;
	bool start = false;
	bool finish = false;
	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;
		const char *last = stop;
		while (p < last && (table_read_is_blank(*p) || *p == '"'))
			p++;
		while (last > p && (table_read_is_blank(last[-1]) || last[-1] == '"'))
			last--;
		const enum table_column column = table_column_of(p, (size_t)(last - p));
		known += column < TABLE_UNKNOWN;
		*needed += column == TABLE_SUBMIT || column == TABLE_RUN_TIME;
		start |= column == TABLE_START;
		finish |= column == TABLE_END;
		p = stop + 1;
	}
	*needed += start && finish;
	return known;
}

static int table_sniff(const char *text, size_t len)
{
	const char *end = text + len;
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		const char *first = p;
		while (first < stop && table_read_is_blank(*first))
			first++;
		p = stop + 1;
		if (first == stop || *first == '#')
			continue;
		unsigned needed = 0;
		const size_t known = columns_known(first, stop, &needed);
		if (!memchr(first, ',', (size_t)(stop - first)))
			return 0;
		if (needed >= 2)
			return 90;
		return needed || known >= 2 ? 30 : 0; /* Something is missing: the reader says what. */
	}
	return 0;
}

const struct sl_reader table_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "table",
	.summary = "CSV with a header line: one line a job, columns by name",
	.sniff = table_sniff,
	.read = table_read,
};

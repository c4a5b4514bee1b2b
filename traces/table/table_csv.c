/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_csv.c - fields and rows, by libcsv in its strict mode.
 *
 * libcsv reports no positions, and passes over empty lines in silence. So it is fed line by line, the numbers
 * of lines are ours, and where a field stands is found by walking its line again, when somebody asks.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/table/job_table.h"

static bool capacity_for(struct table_fields *fields, size_t len)
{
	if (SL_GROW(fields->text, fields->capacity, fields->len + len, NULL))
		return false;
	if (SL_GROW(fields->at, fields->at_capacity, fields->count + 1, NULL))
		return false;
	return true;
}

int table_field_add(struct table *t, const char *text, size_t len)
{
	struct table_fields *fields = &t->fields;
	const struct sl_place at = { t->file, t->row_line, 0 };
	if (fields->count == TABLE_FIELDS_MAX)
		return sl_fail_at(
			t->err, &at, "more than %d fields in a row: is it a table?", TABLE_FIELDS_MAX);
	if (len && memchr(text, '\0', len))
		return sl_fail_at(
			t->err, &at, "field %zu has a zero byte in it: remove it", fields->count + 1);
	if (!capacity_for(fields, len + 1))
		return sl_fail_memory(t->err);
	fields->at[fields->count++] = (uint32_t)fields->len;
	if (len)
		memcpy(fields->text + fields->len, text, len);
	fields->len += len;
	fields->text[fields->len++] = '\0';
	return SL_OK;
}

static void table_csv_on_field(void *text, size_t len, void *self)
{
	struct table *t = self;
	if (!t->status)
		t->status = table_field_add(t, text, len);
}

static void table_csv_on_row(int end, void *self)
{
	struct table *t = self;
	(void)end;
	t->row_said = true;
	if (!t->status)
		t->status = table_row(t);
	t->fields.count = t->fields.len = 0;
}

int table_csv_begin(struct table *t)
{
	return csv_init(&t->csv, CSV_STRICT | CSV_STRICT_FINI) ? sl_fail_memory(t->err) : SL_OK;
}

static bool table_csv_is_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p == end;
}

static int fail_csv(struct table *t, size_t parsed)
{
	const struct sl_place at = { t->file, t->line_number, (uint32_t)parsed + 1 };
	if (csv_error(&t->csv) == CSV_ENOMEM || csv_error(&t->csv) == CSV_ETOOBIG)
		return sl_fail_memory(t->err);
	return sl_fail_at(t->err, &at,
		"not CSV: a quote in the middle of a field: put quotes around all of it, and double those within");
}

int table_csv_line(struct table *t, const char *line, const char *end)
{
	const size_t len = (size_t)(end - line);
	t->line = line;
	t->line_end = end;
	t->line_number++;
	if (!t->row_open) {
		t->row_line = t->line_number;
		t->row_bytes = 0;
		if (table_csv_is_blank(line, end))
			return SL_OK;
	}
	t->row_bytes += len;
	if (t->row_bytes > TABLE_ROW_MAX) {
		const struct sl_place at = { t->file, t->row_line, 0 };
		return sl_fail_at(
			t->err, &at, "the row that begins here is longer than 1 MiB: is a quote not closed?");
	}
	t->row_said = false;
	const size_t parsed = csv_parse(&t->csv, line, len, table_csv_on_field, table_csv_on_row, t);
	t->row_open = !t->row_said;
	if (t->status)
		return t->status;
	return parsed == len ? SL_OK : fail_csv(t, parsed);
}

int table_csv_end(struct table *t)
{
	const struct sl_place at = { t->file, t->row_line, 0 };
	t->row_said = false;
	if (csv_fini(&t->csv, table_csv_on_field, table_csv_on_row, t) && !t->status)
		t->status =
			sl_fail_at(t->err, &at, "not CSV: a quote in the row that begins here is not closed");
	return t->status;
}

struct sl_place table_place(const struct table *t, size_t field)
{
	if (t->place)
		return t->place[field];
	if (t->row_line != t->line_number)
		return (struct sl_place){ t->file, t->row_line, 0 };
	const char *p = t->line;
	bool quoted = false;
	for (; p < t->line_end && field; p++) {
		quoted ^= *p == '"';
		field -= *p == ',' && !quoted;
	}
	while (p < t->line_end && (*p == ' ' || *p == '\t'))
		p++;
	return (struct sl_place){ t->file, t->line_number, (uint32_t)(p - t->line) + 1 };
}

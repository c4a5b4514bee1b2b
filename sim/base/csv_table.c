/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv_table.c - CSV files (RFC 4180) by libcsv in its strict mode.
 *
 * libcsv reports no line numbers, and skips empty lines silently: it is fed line by line, and lines are
 * counted here. Lines that begin with '#' above the header line are comments. Where the header line has '|'
 * and no ',', fields are divided by '|' (as Slurm's commands print them with -P).
 */
#include "sim/base/csv_table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <csv.h>

const struct sl_csv_table *sl_csv_table_of(const struct sl_model_setup *setup, const char *key)
{
	for (size_t i = 0; setup->csv && i < setup->value_count; i++)
		if (strcmp(setup->values[i].key, key) == 0)
			return setup->csv[i];
	return NULL;
}

uint32_t sl_csv_column(const struct sl_csv_table *csv, const char *name)
{
	for (uint32_t i = 0; i < csv->columns; i++)
		if (strcasecmp(csv->column[i], name) == 0)
			return i;
	return UINT32_MAX;
}

struct sl_place sl_csv_place(const struct sl_csv_table *csv, uint32_t row, uint32_t column)
{
	(void)column; /* Cells are known by their line. */
	return (struct sl_place){ .file = csv->file, .line = csv->line[row] };
}

/* ---- Reading -------------------------------------------------------------------------- */

struct reading {
	struct csv_parser csv;
	struct sl_arena *arena;
	struct sl_err *err;
	const char *file;
	int status;          /* Why it stopped. */
	uint64_t line, from; /* The line that is being parted, and where its row began. */
	size_t row_bytes;    /* Of the row so far. */
	bool open, said;     /* A row goes on; one came to its end. */
	bool header;         /* It was read. */
	uint32_t fields;     /* Of the row. */
	uint32_t columns;
	const char **cell; /* Of all rows, the header first. */
	size_t count, capacity;
	uint64_t *row_line;
	size_t rows, rows_capacity;
};

static int csv_table_fail(struct reading *r, const char *what)
{
	const struct sl_place at = { r->file, r->from, 0 };
	return sl_fail_at(r->err, &at, "%s", what);
}

static void csv_table_on_field(void *text, size_t len, void *self)
{
	struct reading *r = self;
	if (r->status)
		return;
	if (r->fields == CSV_COLUMNS_MAX)
		r->status = csv_table_fail(r, "more than 1000 fields in a row: is it a table?");
	else if (len && memchr(text, '\0', len))
		r->status = csv_table_fail(r, "a field has a zero byte in it: remove it");
	if (!r->status)
		r->status = SL_GROW_MOST(r->cell, r->capacity, r->count + 1, CSV_CELLS_MAX, r->err);
	if (r->status)
		return;
	r->cell[r->count] = sl_strdup(r->arena, len ? text : "", len);
	if (!r->cell[r->count++])
		r->status = sl_fail_memory(r->err);
	r->fields++;
}

/* Every column has a name, and no two the same. */
static int check_header(struct reading *r)
{
	for (uint32_t i = 0; i < r->fields; i++) {
		const struct sl_place at = { r->file, r->from, 0 };
		if (!r->cell[i][0])
			return sl_fail_at(r->err, &at, "column %u has no name: name it", i + 1);
		for (uint32_t k = 0; k < i; k++)
			if (strcasecmp(r->cell[i], r->cell[k]) == 0)
				return sl_fail_at(
					r->err, &at, "column '%.60s' stands twice: remove one", r->cell[i]);
	}
	r->columns = r->fields;
	r->header = true;
	return SL_OK;
}

static int check_row(struct reading *r)
{
	const struct sl_place at = { r->file, r->from, 0 };
	if (r->fields != r->columns)
		return sl_fail_at(r->err, &at, "has %u fields, and the header %u: give each its cell",
			r->fields, r->columns);
	if (r->rows == CSV_ROWS_MAX)
		return csv_table_fail(r, "more than 4194304 rows: give fewer");
	const int status = SL_GROW_MOST(r->row_line, r->rows_capacity, r->rows + 1, CSV_ROWS_MAX, r->err);
	if (!status)
		r->row_line[r->rows++] = r->from;
	return status;
}

static void csv_table_on_row(int end, void *self)
{
	struct reading *r = self;
	(void)end;
	r->said = true;
	if (!r->status)
		r->status = r->header ? check_row(r) : check_header(r);
	r->fields = 0;
}

static bool csv_table_is_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p == end;
}

static int csv_table_line_in(struct reading *r, const char *line, const char *end)
{
	const size_t len = (size_t)(end - line);
	r->line++;
	if (!r->open) {
		r->from = r->line;
		r->row_bytes = 0;
		if (csv_table_is_blank(line, end) || (!r->header && *line == '#'))
			return SL_OK;
	}
	if (!r->header && !memchr(line, ',', len) && memchr(line, '|', len))
		csv_set_delim(&r->csv, '|');
	r->row_bytes += len;
	if (r->row_bytes > CSV_ROW_BYTES)
		return csv_table_fail(
			r, "the row that begins here is longer than 1 MiB: is a quote not closed?");
	r->said = false;
	const size_t parsed = csv_parse(&r->csv, line, len, csv_table_on_field, csv_table_on_row, r);
	r->open = !r->said;
	if (r->status || parsed == len)
		return r->status;
	const struct sl_place at = { r->file, r->line, (uint32_t)parsed + 1 };
	if (csv_error(&r->csv) != CSV_EPARSE)
		return sl_fail_memory(r->err);
	return sl_fail_at(r->err, &at,
		"not CSV: a quote in the middle of a field: put quotes around all of it, and double those "
		"within");
}

static int csv_table_lines_in(struct reading *r, struct sl_input *in)
{
	const char *p;
	const char *end;
	int status;
	while ((status = sl_input_next(in, &p, &end, r->err)) > 0)
		while (p < end) {
			const char *newline = memchr(p, '\n', (size_t)(end - p));
			const char *stop = newline ? newline + 1 : end + 1; /* The last line has one too. */
			status = csv_table_line_in(r, p, stop);
			if (status)
				return status;
			p = stop;
		}
	if (status)
		return status;
	r->said = false;
	if (csv_fini(&r->csv, csv_table_on_field, csv_table_on_row, r) && !r->status)
		r->status = csv_table_fail(r, "not CSV: a quote in the row that begins here is not closed");
	if (!r->status && !r->header)
		r->status =
			sl_fail(r->err, SL_INPUT, "%s: is empty: give a line with names of columns", r->file);
	return r->status;
}

static int csv_table_keep(struct reading *r, const struct sl_csv_table **csv)
{
	struct sl_csv_table *kept = sl_alloc(r->arena, 1, sizeof(*kept));
	const char **cell = sl_alloc(r->arena, r->count + 1, sizeof(*cell));
	uint64_t *line = sl_alloc(r->arena, r->rows + 1, sizeof(*line));
	const char *file = sl_strdup(r->arena, r->file, strlen(r->file));
	if (!kept || !cell || !line || !file)
		return sl_fail_memory(r->err);
	memcpy(cell, r->cell, r->count * sizeof(*cell));
	if (r->rows)
		memcpy(line, r->row_line, r->rows * sizeof(*line));
	*kept = (struct sl_csv_table){ .file = file,
		.columns = r->columns,
		.rows = (uint32_t)r->rows,
		.column = cell,
		.cell = cell + r->columns,
		.line = line };
	*csv = kept;
	return SL_OK;
}

int csv_read(const struct sl_csv_table **csv, struct sl_input *in, struct sl_arena *arena, struct sl_err *err)
{
	struct reading r = { .arena = arena, .err = err, .file = sl_input_name(in) };
	if (csv_init(&r.csv, CSV_STRICT | CSV_STRICT_FINI))
		return sl_fail_memory(err);
	int status = csv_table_lines_in(&r, in);
	csv_free(&r.csv);
	if (!status)
		status = csv_table_keep(&r, csv);
	free(r.cell);
	free(r.row_line);
	return status;
}

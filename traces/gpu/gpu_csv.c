/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu_csv.c - fields, header and rows, by libcsv in its strict mode.
 *
 * libcsv reports no positions, and passes over empty lines in silence. So it is fed line by line, the numbers
 * of lines are ours, and where a field stands is found by walking its line again, when somebody asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/gpu/gpu.h"

static struct sl_place row_place(const struct gpu_csv *csv)
{
	return (struct sl_place){ csv->file, csv->row_line, 0 };
}

const char *gpu_field(const struct gpu_csv *csv, size_t field) { return csv->text + csv->field[field]; }

int gpu_odd(struct gpu_csv *csv, const char *cause)
{
	const struct sl_place at = row_place(csv);
	return csv->sink ? csv->sink->anomaly(csv->sink->self, cause, &at, csv->err) : SL_OK;
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Blanks around a name, and its case, do not count. */
static bool same_name(const char *name, const char *text, size_t len)
{
	while (len && (*text == ' ' || *text == '\t' || *text == '"')) {
		text++;
		len--;
	}
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t' || text[len - 1] == '\r' ||
			      text[len - 1] == '"'))
		len--;
	return strlen(name) == len && strncasecmp(name, text, len) == 0;
}

static const struct gpu_column *gpu_csv_column_of(
	const struct gpu_format *format, const char *text, size_t len)
{
	for (size_t i = 0; i < format->count; i++)
		if (same_name(format->column[i].name, text, len))
			return &format->column[i];
	return NULL;
}

/* What nothing models is reported, once: of a cluster's file as a setting. */
static int report_unused(struct gpu_csv *csv, const char *name)
{
	char what[GPU_NAME_MAX + 16] = "column '";
	size_t len = strlen(what);
	const struct sl_place at = row_place(csv);
	for (size_t i = 0; name[i] && i < GPU_NAME_MAX; i++)
		what[len++] = (char)(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
	what[len++] = '\'';
	what[len] = '\0';
	if (csv->machine && csv->machine->setting)
		return csv->machine->setting(csv->machine->self,
			&(struct sl_setting){ .kind = "cluster",
				.name = "",
				.key = what,
				.value = "",
				.at = at,
				.coverage = SL_IGNORED },
			csv->err);
	return csv->sink && csv->sink->ignored ? csv->sink->ignored(csv->sink->self, what, &at, csv->err)
					       : SL_OK;
}

static int gpu_csv_take_name(struct gpu_csv *csv, size_t field)
{
	const char *name = gpu_field(csv, field);
	const struct gpu_column *column = gpu_csv_column_of(csv->format, name, strlen(name));
	const struct sl_place at = row_place(csv);
	if (!column)
		return *name && !csv->format->open ? report_unused(csv, name) : SL_OK;
	if (column->use == GPU_DERIVED)
		return SL_OK;
	SL_CHECK(column->use < GPU_COLUMNS_MAX);
	if (csv->at[column->use] >= 0)
		return sl_fail_at(csv->err, &at, "column '%.60s' stands twice: remove one", column->name);
	csv->at[column->use] = (int)field;
	return SL_OK;
}

static int check_needed(struct gpu_csv *csv)
{
	const struct sl_place at = row_place(csv);
	for (size_t i = 0; i < csv->format->count; i++) {
		const struct gpu_column *column = &csv->format->column[i];
		if (column->needed && column->use != GPU_DERIVED && csv->at[column->use] < 0)
			return sl_fail_at(csv->err, &at,
				"the header has no column '%s', as %s has: see schedlab-trace(5)",
				column->name, csv->format->name);
	}
	return SL_OK;
}

static void columns_in_order(struct gpu_csv *csv)
{
	csv->header_count = csv->format->count;
	for (size_t i = 0; i < csv->format->count; i++)
		if (csv->format->column[i].use != GPU_DERIVED)
			csv->at[csv->format->column[i].use] = (int)i;
}

static int header_row(struct gpu_csv *csv)
{
	int status = SL_OK;
	csv->header_count = csv->count;
	for (size_t i = 0; i < GPU_COLUMNS_MAX; i++)
		csv->at[i] = -1;
	for (size_t i = 0; i < csv->count && !status; i++)
		status = gpu_csv_take_name(csv, i);
	if (!status)
		status = check_needed(csv);
	return status || !csv->head ? status : csv->head(csv, csv->self);
}

static bool has_column(const struct gpu_column *column, const char *p, const char *end)
{
	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;
		if (same_name(column->name, p, (size_t)(stop - p)))
			return true;
		p = stop + 1;
	}
	return false;
}

int gpu_sniff(const struct gpu_format *format, const char *text, size_t len)
{
	const char *newline = memchr(text, '\n', len);
	const char *end = newline ? newline : text + len;
	for (size_t i = 0; i < format->count; i++)
		if (format->column[i].needed && !has_column(&format->column[i], text, end))
			return 0;
	return 97;
}

/* ---- Rows --------------------------------------------------------------------------------------- */

static int data_row(struct gpu_csv *csv)
{
	const struct sl_place at = row_place(csv);
	if (csv->count < csv->header_count && csv->whole)
		return sl_fail_at(csv->err, &at, "fewer fields than columns: %zu of %zu", csv->count,
			csv->header_count);
	if (csv->count < csv->header_count)
		return gpu_odd(csv, "fewer fields than columns");
	const int status = csv->count > csv->header_count ? gpu_odd(csv, "more fields than columns") : SL_OK;
	return status ? status : csv->row(csv, csv->self);
}

static int any_row(struct gpu_csv *csv)
{
	if (csv->header_seen)
		return data_row(csv);
	csv->header_seen = true;
	const char *first = gpu_field(csv, 0);
	if (!csv->format->bare || same_name(csv->format->column[0].name, first, strlen(first)))
		return header_row(csv);
	if (!csv->header_count)
		columns_in_order(csv);
	return data_row(csv);
}

static void gpu_csv_on_field(void *text, size_t len, void *self)
{
	struct gpu_csv *csv = self;
	const struct sl_place at = row_place(csv);
	if (csv->status)
		return;
	if (csv->count == GPU_FIELDS_MAX)
		csv->status = sl_fail_at(
			csv->err, &at, "more than %d fields in a row: is it a table?", GPU_FIELDS_MAX);
	else if (len && memchr(text, '\0', len))
		csv->status = sl_fail_at(
			csv->err, &at, "field %zu has a zero byte in it: remove it", csv->count + 1);
	else if (SL_GROW(csv->text, csv->text_capacity, csv->text_len + len + 1, NULL))
		csv->status = sl_fail_memory(csv->err);
	if (csv->status)
		return;
	csv->field[csv->count++] = (uint32_t)csv->text_len;
	if (len)
		memcpy(csv->text + csv->text_len, text, len);
	csv->text_len += len;
	csv->text[csv->text_len++] = '\0';
}

static void gpu_csv_on_row(int end, void *self)
{
	struct gpu_csv *csv = self;
	(void)end;
	csv->row_said = true;
	if (!csv->status)
		csv->status = any_row(csv);
	csv->count = csv->text_len = 0;
}

static bool gpu_csv_is_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p == end;
}

static int fail_csv(struct gpu_csv *csv, size_t parsed)
{
	const struct sl_place at = { csv->file, csv->line_number, (uint32_t)parsed + 1 };
	if (csv_error(&csv->csv) == CSV_ENOMEM || csv_error(&csv->csv) == CSV_ETOOBIG)
		return sl_fail_memory(csv->err);
	return sl_fail_at(csv->err, &at,
		"not CSV: a quote in the middle of a field: put quotes around all of it, and double those within");
}

static int gpu_csv_line_in(struct gpu_csv *csv, const char *line, const char *end)
{
	const size_t len = (size_t)(end - line);
	csv->line = line;
	csv->line_end = end;
	csv->line_number++;
	if (!csv->row_open) {
		csv->row_line = csv->line_number;
		csv->row_bytes = 0;
		if (gpu_csv_is_blank(line, end))
			return SL_OK;
	}
	csv->row_bytes += len;
	const struct sl_place at = row_place(csv);
	if (csv->row_bytes > GPU_ROW_MAX)
		return sl_fail_at(csv->err, &at,
			"the row that begins here is longer than 1 MiB: is a quote not closed?");
	csv->row_said = false;
	const size_t parsed = csv_parse(&csv->csv, line, len, gpu_csv_on_field, gpu_csv_on_row, csv);
	csv->row_open = !csv->row_said;
	if (csv->status)
		return csv->status;
	return parsed == len ? SL_OK : fail_csv(csv, parsed);
}

static int gpu_csv_lines_in(struct gpu_csv *csv, const char *p, const char *end)
{
	int status = SL_OK;
	while (p < end && !status) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline + 1 : end;
		status = gpu_csv_line_in(csv, p, stop);
		p = stop;
	}
	return status;
}

/* ---- A reading --------------------------------------------------------------------------------------- */

static int reading_begin(struct gpu_csv *csv)
{
	if (!csv->header_count) /* Else they are known from elsewhere. */
		for (size_t i = 0; i < GPU_COLUMNS_MAX; i++)
			csv->at[i] = -1;
	return csv_init(&csv->csv, CSV_STRICT | CSV_STRICT_FINI) ? sl_fail_memory(csv->err) : SL_OK;
}

static int reading_end(struct gpu_csv *csv, int status)
{
	if (!status && csv_fini(&csv->csv, gpu_csv_on_field, gpu_csv_on_row, csv) && !csv->status) {
		const struct sl_place at = row_place(csv);
		status = sl_fail_at(
			csv->err, &at, "not CSV: a quote in the row that begins here is not closed");
	}
	if (!status)
		status = csv->status;
	csv_free(&csv->csv);
	free(csv->text);
	const struct gpu_csv was = *csv;
	*csv = (struct gpu_csv){ .format = was.format,
		.file = was.file,
		.sink = was.sink,
		.machine = was.machine,
		.err = was.err,
		.self = was.self,
		.whole = was.whole,
		.head = was.head,
		.row = was.row };
	return status;
}

int gpu_csv_read(struct gpu_csv *csv, struct sl_input *in)
{
	const char *text;
	const char *end;
	int status = reading_begin(csv);
	if (status)
		return status;
	while ((status = sl_input_next(in, &text, &end, csv->err)) > 0) {
		/* The last line may lack its newline: *end is one, then. */
		const char *stop = end[-1] == '\n' ? end : end + 1;
		status = gpu_csv_lines_in(csv, text, stop);
		if (status)
			break;
	}
	return reading_end(csv, status);
}

int gpu_csv_text(struct gpu_csv *csv, const char *text, const char *end)
{
	int status = reading_begin(csv);
	if (status)
		return status;
	status = gpu_csv_lines_in(csv, text, end);
	return reading_end(csv, status);
}

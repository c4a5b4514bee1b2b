/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pai.c - Alibaba's PAI (cluster-trace-gpu-v2020; Weng et al., MLaaS in the Wild, NSDI '22):
 * pai_job_table.csv with pai_task_table.csv beside it, both without header lines.
 *
 * start_time of a job is its submission. It starts with its first task, all tasks at once, as the published
 * simulator schedules them, and ends with the job. A job that still runs is cut at the last time that the
 * table knows. Where pai_sensor_table.csv is there too, it says how much of what a job holds of GPUs is
 * active.
 */
#include <string.h>

#include "traces/gpu/gpu.h"

enum { JOB, INSTANCE, USER, STATUS, START, END };

static const struct gpu_column columns[] = {
	{ "job_name", JOB, true },
	{ "inst_id", GPU_DERIVED, false },
	{ "user", USER, true },
	{ "status", STATUS, true },
	{ "start_time", START, true },
	{ "end_time", END, true },
};
static const struct gpu_format format = { "PAI's table of jobs", columns, SL_LEN(columns), true, false };

struct reading {
	struct pai_tasks *tasks;
	sl_time last;
};

static int last_in(struct gpu_csv *csv, void *self)
{
	struct reading *r = self;
	sl_time start;
	sl_time end;
	int status = gpu_time(csv, START, SL_SECOND, &start);
	if (!status)
		status = gpu_time(csv, END, SL_SECOND, &end);
	if (status)
		return status;
	r->last = start > r->last ? start : r->last;
	r->last = end > r->last ? end : r->last;
	return SL_OK;
}

static int pai_row_in(struct gpu_csv *csv, void *self)
{
	const struct reading *reading = self;
	struct gpu_row r;
	struct pai_asked asked;
	sl_time submit;
	sl_time end;
	enum sl_state state;
	const char *job = gpu_cell(csv, JOB);
	gpu_row_clear(&r, csv->row_line);
	gpu_row_id(&r, job, csv->row_line);
	int status = gpu_time(csv, START, SL_SECOND, &submit);
	if (!status)
		status = gpu_time(csv, END, SL_SECOND, &end);
	if (!status)
		status = gpu_state(csv, STATUS, &state);
	if (status)
		return status;
	status = pai_tasks_of(reading->tasks, job ? job : "", &asked, csv->err);
	if (status)
		return status;
	r.more.group = asked.group_count ? asked.group : NULL;
	r.more.group_count = asked.group_count;
	r.more.gpu_active = asked.active >= 0 ? &asked.active : NULL;
	r.group.tasks = 0; /* A job without tasks requests nothing, and is counted so. */
	const bool over = state != SL_RUNNING && state != SL_PENDING;
	gpu_row_times(&r, submit, asked.start, end == SL_NONE && over ? asked.end : end, reading->last);
	gpu_row_state(&r, state);
	r.more.user = gpu_cell(csv, USER);
	return gpu_row_report(&r, csv->sink, csv->err);
}

/* The columns by pai_job_table.header, if that is there; else in the order in which they were published. */
static int columns_beside(struct gpu_csv *csv, const char *file)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = pai_beside(file, "pai_job_table.header", &in, csv->err);
	if (status || !in)
		return status;
	status = sl_input_all(in, &text, &end, csv->err);
	const size_t len = status ? 0 : strcspn(text, "\r\n");
	for (size_t i = 0; i < GPU_COLUMNS_MAX; i++)
		csv->at[i] = -1;
	for (size_t p = 0; p < len; p++) {
		const size_t width = strcspn(text + p, ",\r\n");
		for (size_t i = 0; i < SL_LEN(columns); i++)
			if (strlen(columns[i].name) == width &&
				memcmp(columns[i].name, text + p, width) == 0 &&
				columns[i].use != GPU_DERIVED)
				csv->at[columns[i].use] = (int)csv->header_count;
		csv->header_count++;
		p += width;
	}
	for (size_t i = 0; i < SL_LEN(columns) && !status; i++)
		if (columns[i].needed && csv->at[columns[i].use] < 0)
			status = sl_fail(csv->err, SL_INPUT, "%s: has no column '%s': remove it, or mend it",
				sl_input_name(in), columns[i].name);
	sl_input_close(in);
	return status;
}

static int read_text(struct reading *r, const char *file, const char *text, const char *end,
	const struct sl_sink *sink, struct sl_err *err)
{
	struct gpu_csv csv = { .format = &format, .file = file, .err = err, .self = r, .row = last_in };
	int status = columns_beside(&csv, file);
	if (!status)
		status = gpu_csv_text(&csv, text, end);
	csv.sink = sink;
	csv.row = pai_row_in;
	if (!status)
		status = columns_beside(&csv, file);
	return status ? status : gpu_csv_text(&csv, text, end);
}

static int pai_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	const char *text;
	const char *end;
	const char *file = sl_input_name(in);
	struct reading r = { 0 };
	int status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = pai_tasks_read(&r.tasks, file, sink, err);
	if (!status)
		status = read_text(&r, file, text, end, sink, err);
	pai_tasks_free(r.tasks);
	return status;
}

static const char *field_end(const char *p, const char *end)
{
	const char *comma = memchr(p, ',', (size_t)(end - p));
	return comma ? comma : end;
}

/* A word of the table's, between numbers that are and names. */
static bool bare_row(const char *p, const char *end)
{
	static const char *const words[] = { "Running", "Terminated", "Failed", "Waiting" };
	size_t field = 0;
	bool status = false;
	for (; p <= end; field++) {
		const char *stop = field_end(p, end);
		const size_t len = (size_t)(stop - p);
		int64_t number;
		for (size_t i = 0; i < SL_LEN(words) && field == STATUS; i++)
			status |= strlen(words[i]) == len && memcmp(words[i], p, len) == 0;
		if (field >= START && len && !sl_get_micro(p, len, &number))
			return false;
		p = stop + 1;
	}
	return status && field == SL_LEN(columns);
}

static int pai_sniff(const char *text, size_t len)
{
	const char *newline = memchr(text, '\n', len);
	const char *end = newline ? newline : text + len;
	while (end > text && end[-1] == '\r')
		end--;
	if (gpu_sniff(&format, text, len))
		return 97;
	return bare_row(text, end) ? 96 : 0;
}

const struct sl_reader pai_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "pai",
	.summary = "Alibaba's PAI of 2020: pai_job_table.csv, and tasks beside it (not tried on real files)",
	.sniff = pai_sniff,
	.read = pai_read,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_csv.c - CSVs made of Slurm's accounting: NREL's Eagle, and the workloads of UB's Slurm simulator.
 *
 * libcsv parts the fields, in its strict mode; the header's names say which export it is and what each holds.
 * A cell becomes what sacct would have written, in its units.
 */
#include <csv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/sacct.h"

enum unit {
	AS_IS,
	SECONDS_LIMIT, /* As a time limit. */
	MINUTES_LIMIT,
	ZERO_SECONDS, /* From the trace's zero. */
	TOTAL_MEMORY, /* MiB of all nodes; 0: none was requested. */
	NODE_MEMORY,  /* MiB of a node, or of a cpu; likewise. */
	GPU_COUNT,
	PER_CPU,    /* 1: the memory is of a cpu. */
	RUN_SECONDS /* -1: up to its limit. */
};

static const struct {
	const char *name;
	uint8_t column, unit;
} columns[] = {
	/* Eagle. */
	{ "job_id", SACCT_JOBIDRAW, AS_IS },
	{ "user", SACCT_USER, AS_IS },
	{ "account", SACCT_ACCOUNT, AS_IS },
	{ "partition", SACCT_PARTITION, AS_IS },
	{ "qos", SACCT_QOS, AS_IS },
	{ "wallclock_req", SACCT_TIMELIMIT, SECONDS_LIMIT },
	{ "nodes_req", SACCT_REQNODES, AS_IS },
	{ "processors_req", SACCT_REQCPUS, AS_IS },
	{ "gpus_req", SACCT_REQTRES, GPU_COUNT },
	{ "mem_req", SACCT_REQMEM, TOTAL_MEMORY },
	{ "submit_time", SACCT_SUBMIT, AS_IS },
	{ "start_time", SACCT_START, AS_IS },
	{ "end_time", SACCT_END, AS_IS },
	{ "run_time", SACCT_ELAPSEDRAW, AS_IS },
	{ "state", SACCT_STATE, AS_IS },
	{ "name", SACCT_JOBNAME, AS_IS },
	{ "submit_line", SACCT_SUBMITLINE, AS_IS },
	/* The simulator's jobs. */
	{ "dt", SACCT_SUBMIT, ZERO_SECONDS },
	{ "wall_time", SACCT_ELAPSEDRAW, RUN_SECONDS },
	{ "wall_limit", SACCT_TIMELIMIT, MINUTES_LIMIT },
	{ "n_tasks", SACCT_TASKS, AS_IS },
	{ "ntasks_per_node", SACCT_TASKS_PER_NODE, AS_IS },
	{ "constraint", SACCT_CONSTRAINTS, AS_IS },
	{ "mem", SACCT_REQMEM, NODE_MEMORY },
	{ "gres", SACCT_GRES, AS_IS },
	/* Those of its R tools. */
	{ "sim_job_id", SACCT_JOBIDRAW, AS_IS },
	{ "sim_submit", SACCT_SUBMIT, AS_IS },
	{ "sim_wclimit", SACCT_TIMELIMIT, MINUTES_LIMIT },
	{ "sim_duration", SACCT_ELAPSEDRAW, RUN_SECONDS },
	{ "sim_tasks", SACCT_TASKS, AS_IS },
	{ "sim_tasks_per_node", SACCT_TASKS_PER_NODE, AS_IS },
	{ "sim_cpus_per_task", SACCT_CPUS_PER_TASK, AS_IS },
	{ "sim_username", SACCT_USER, AS_IS },
	{ "sim_qosname", SACCT_QOS, AS_IS },
	{ "sim_partition", SACCT_PARTITION, AS_IS },
	{ "sim_account", SACCT_ACCOUNT, AS_IS },
	{ "sim_req_mem", SACCT_REQMEM, NODE_MEMORY },
	{ "sim_req_mem_per_cpu", SACCT_OTHER, PER_CPU },
	{ "sim_features", SACCT_CONSTRAINTS, AS_IS },
	{ "sim_gres", SACCT_GRES, AS_IS },
	{ "sim_shared", SACCT_SHARED, AS_IS },
	{ "sim_dependency", SACCT_DEPENDENCY, AS_IS },
};

enum { COLUMNS_MAX = 200, NOT_USED = 255 };

struct reading {
	struct sacct s;
	struct csv_parser csv;
	uint64_t line_number, row_line;
	size_t row_bytes;
	bool row_open, row_said, header_seen, per_cpu, to_limit, headless;
	int status;
	uint8_t known[COLUMNS_MAX]; /* Of columns[]; NOT_USED. */
	size_t count, field;
	struct sacct_cells cells;
	struct sacct_text text; /* Of the row. */
};

/* ---- Cells ---------------------------------------------------------------------------------- */

static const char *with(struct reading *r, const char *before, const char *text, const char *behind)
{
	if (!before || !text)
		return NULL;
	const size_t capacity = strlen(before) + strlen(text) + strlen(behind) + 1;
	char *p = sacct_text_reserve(&r->text, capacity);
	if (p)
		(void)snprintf(p, capacity, "%s%s%s", before, text, behind);
	return p;
}

/* A whole number that R or pandas may have written with ".0"; anything else as it is. */
static const char *sacct_csv_whole(struct reading *r, const char *text)
{
	int64_t micro;
	if (!sl_get_micro(text, strlen(text), &micro) || micro < 0 || micro % 1000000)
		return text;
	char number[32];
	*sl_put_i64(number, micro / 1000000) = '\0';
	return with(r, "", number, "");
}

static const char *converted(struct reading *r, enum unit unit, const char *text)
{
	switch (unit) {
	case SECONDS_LIMIT:
		return with(r, "00:00:", sacct_csv_whole(r, text), "");
	case MINUTES_LIMIT:
		return with(r, "00:", sacct_csv_whole(r, text), ":00");
	case ZERO_SECONDS:
		r->s.relative = true;
		return text;
	case TOTAL_MEMORY:
	case NODE_MEMORY:
		text = sacct_csv_whole(r, text);
		return strcmp(text, "0") == 0 ? NULL : with(r, "", text, unit == NODE_MEMORY ? "Mn" : "M");
	case GPU_COUNT:
		text = sacct_csv_whole(r, text);
		return strcmp(text, "0") == 0 ? NULL : with(r, "gres/gpu=", text, "");
	case PER_CPU:
		r->per_cpu = strcmp(text, "1") == 0;
		return NULL;
	case RUN_SECONDS:
		r->to_limit = strcmp(text, "-1") == 0;
		return r->to_limit ? NULL : text;
	case AS_IS:
		break;
	}
	return text;
}

static void cell_in(struct reading *r, size_t field, const char *text)
{
	const uint8_t known = r->known[field];
	if (known == NOT_USED || !*text || strcmp(text, "NA") == 0)
		return;
	text = sacct_keep(&r->text, text, strlen(text));
	if (text)
		text = converted(r, columns[known].unit, text);
	if (text && columns[known].column < SACCT_COLUMNS)
		r->cells.cell[columns[known].column] = (struct sacct_cell){ text, strlen(text) };
}

/* What follows from several cells: of which unit the memory is, and how many cpus are requested. */
static void cells_end(struct reading *r)
{
	struct sacct_cell *cell = r->cells.cell;
	if (cell[SACCT_REQMEM].p && r->per_cpu) {
		cell[SACCT_REQMEM].len--;
		const char *text =
			with(r, sacct_keep(&r->text, cell[SACCT_REQMEM].p, cell[SACCT_REQMEM].len), "c", "");
		cell[SACCT_REQMEM] = (struct sacct_cell){ text, text ? strlen(text) : 0 };
	}
	if (r->to_limit && cell[SACCT_TIMELIMIT].p) {
		static const char timeout[] = "TIMEOUT";
		cell[SACCT_ELAPSED] = cell[SACCT_TIMELIMIT];
		cell[SACCT_STATE] = (struct sacct_cell){ timeout, sizeof(timeout) - 1 };
	}
	const int64_t tasks = sacct_number(&cell[SACCT_TASKS]);
	const int64_t each = sacct_number(&cell[SACCT_CPUS_PER_TASK]);
	int64_t cpus;
	if (tasks > 0 && !__builtin_mul_overflow(tasks, each > 0 ? each : 1, &cpus)) {
		char number[32];
		*sl_put_i64(number, cpus) = '\0';
		const char *text = with(r, "", number, "");
		cell[SACCT_REQCPUS] = (struct sacct_cell){ text, text ? strlen(text) : 0 };
	}
}

/* ---- Rows -------------------------------------------------------------------------------------- */

/* The simulator also writes lines that look like SWF, with texts among the numbers and no header. */
static int fail_headless(struct reading *r, const char *text)
{
	const struct sl_place at = { r->s.file, r->row_line, 0 };
	return sl_fail_at(r->s.err, &at,
		"field %zu is text, '%.32s', in a column of numbers: this is neither SWF nor an export with a "
		"header line",
		r->field + 1, text);
}

static void header_field(struct reading *r, const char *text)
{
	const struct sl_place at = { r->s.file, r->row_line, 0 };
	int64_t number;
	char what[80];
	const bool is_number = sl_get_micro(text, strlen(text), &number);
	r->headless |= !r->field && is_number;
	if (r->headless && *text && !is_number) {
		r->status = fail_headless(r, text);
		return;
	}
	r->known[r->field] = NOT_USED;
	for (size_t i = 0; i < SL_LEN(columns); i++)
		if (strcmp(columns[i].name, text) == 0)
			r->known[r->field] = (uint8_t)i;
	if (r->known[r->field] != NOT_USED || !*text || !r->s.sink->ignored)
		return;
	(void)snprintf(what, sizeof(what), "column '%.40s'", text);
	r->status = r->s.sink->ignored(r->s.sink->self, what, &at, r->s.err);
}

static void sacct_csv_on_field(void *text, size_t len, void *self)
{
	struct reading *r = self;
	const struct sl_place at = { r->s.file, r->row_line, 0 };
	if (r->status)
		return;
	if (r->field == COLUMNS_MAX || (len && memchr(text, '\0', len))) {
		r->status = sl_fail_at(r->s.err, &at,
			r->field == COLUMNS_MAX ? "more than 200 fields in a row"
						: "a field has a zero byte in it");
		return;
	}
	const char *cell = len ? sacct_keep(&r->text, text, len) : "";
	if (!cell)
		r->text.failed = true;
	else if (!r->header_seen)
		header_field(r, cell);
	else if (r->field < r->count)
		cell_in(r, r->field, cell);
	r->field++;
}

static int data_row(struct reading *r)
{
	r->cells.line = r->row_line;
	if (r->field < r->count)
		return sacct_drop(&r->s, "fewer fields than columns", r->row_line);
	r->cells.repair = r->field > r->count ? "more fields than columns" : NULL;
	cells_end(r);
	if (r->text.failed)
		return sl_fail_memory(r->s.err);
	return sacct_record(&r->s, &r->cells);
}

static void sacct_csv_on_row(int end, void *self)
{
	struct reading *r = self;
	(void)end;
	r->row_said = true;
	if (!r->status && !r->header_seen) {
		const struct sl_place at = { r->s.file, r->row_line, 0 };
		r->header_seen = true;
		r->count = r->field;
		if (r->headless)
			r->status = sl_fail_at(
				r->s.err, &at, "no header line: its names say what each column is");
	} else if (!r->status) {
		r->status = data_row(r);
	}
	r->field = 0;
	r->per_cpu = r->to_limit = false;
	memset(r->cells.cell, 0, sizeof(r->cells.cell));
	sacct_text_clear(&r->text);
}

static int sacct_csv_line_in(struct reading *r, const char *line, const char *end)
{
	const size_t len = (size_t)(end - line);
	r->line_number++;
	if (!r->row_open) {
		r->row_line = r->line_number;
		r->row_bytes = 0;
		if (len == 1 || (len == 2 && *line == '\r'))
			return SL_OK;
	}
	const struct sl_place at = { r->s.file, r->row_line, 0 };
	r->row_bytes += len;
	if (r->row_bytes > SACCT_ROW_MAX)
		return sl_fail_at(r->s.err, &at,
			"the row that begins here is longer than 1 MiB: is a quote not closed?");
	r->row_said = false;
	const size_t parsed = csv_parse(&r->csv, line, len, sacct_csv_on_field, sacct_csv_on_row, r);
	r->row_open = !r->row_said;
	if (r->status || parsed == len)
		return r->status;
	const struct sl_place here = { r->s.file, r->line_number, (uint32_t)parsed + 1 };
	return sl_fail_at(r->s.err, &here, "not CSV: a quote in the middle of a field");
}

/* ---- The reader ----------------------------------------------------------------------------------- */

static unsigned char delimiter_of(const char *p, const char *end)
{
	const char *stop = sacct_line_end(p, end);
	return memchr(p, ';', (size_t)(stop - p)) ? ';' : ',';
}

static int sacct_csv_read_all(struct reading *r, struct sl_input *in)
{
	const char *text;
	const char *end;
	int status;
	while ((status = sl_input_next(in, &text, &end, r->s.err)) > 0) {
		if (!r->line_number)
			csv_set_delim(&r->csv, delimiter_of(text, end));
		for (const char *p = text; p < end;) {
			const char *stop = sacct_line_end(p, end) + 1; /* The last line has one too. */
			status = sacct_csv_line_in(r, p, stop);
			if (status)
				return status;
			p = stop;
		}
	}
	if (!status && csv_fini(&r->csv, sacct_csv_on_field, sacct_csv_on_row, r) && !r->status) {
		const struct sl_place at = { r->s.file, r->row_line, 0 };
		return sl_fail_at(
			r->s.err, &at, "not CSV: a quote in the row that begins here is not closed");
	}
	status = status ? status : r->status;
	return status ? status : sacct_end(&r->s);
}

static int csv_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct reading *r = calloc(1, sizeof(*r));
	if (!r)
		return sl_fail_memory(err);
	int status = sacct_begin(&r->s, sl_input_name(in), sink, err);
	r->s.tasks_repeat = true;
	if (!status && csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI))
		status = sl_fail_memory(err);
	else if (!status) {
		status = sacct_csv_read_all(r, in);
		csv_free(&r->csv);
	}
	sacct_release(&r->s);
	sacct_text_free(&r->text);
	free(r);
	return status;
}

/* Names that only these exports have. */
static int csv_sniff(const char *text, size_t len)
{
	static const char *const sets[][3] = {
		{ "wallclock_req", "processors_req", "submit_time" },
		{ "wall_limit", "n_tasks", "ntasks_per_node" },
		{ "sim_submit", "sim_wclimit", "sim_duration" },
	};
	const char *end = sacct_line_end(text, text + len);
	size_t semicolons = 0;
	for (const char *p = text; p < end; p++)
		semicolons += *p == ';';
	if (semicolons >= 17 && *text >= '0' && *text <= '9') /* The reader says what is wrong with it. */
		return 20;
	for (size_t i = 0; i < SL_LEN(sets); i++) {
		size_t found = 0;
		for (size_t k = 0; k < SL_LEN(sets[i]); k++)
			found += memmem(text, (size_t)(end - text), sets[i][k], strlen(sets[i][k])) != NULL;
		if (found == SL_LEN(sets[i]))
			return 95;
	}
	return 0;
}

const struct sl_reader slurm_csv_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "slurm-csv",
	.summary = "CSVs of Slurm's accounting: NREL's Eagle, UB's Slurm simulator",
	.sniff = csv_sniff,
	.read = csv_read,
};

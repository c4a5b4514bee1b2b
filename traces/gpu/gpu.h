/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu.h - traces and node lists of GPU clusters, as their publishers gave them out; see schedlab-trace(5).
 *
 * Nearly all are CSV. libcsv parts the fields (gpu_csv.c), a format's table says what its columns are, and
 * cells become numbers and times (gpu_cells.c). A reader fills a struct gpu_row, which goes to the sink
 * (gpu_row.c). Times are microseconds, of the file's zero or of 1970, as the format has it.
 */
#ifndef TRACES_GPU_H
#define TRACES_GPU_H

#include <csv.h>

#include "sim/plugin.h"

enum {
	GPU_COLUMNS_MAX = 32,  /* That a format uses. */
	GPU_FIELDS_MAX = 1000, /* In a row. */
	GPU_ROW_MAX = 1 << 20, /* Bytes. */
	GPU_TASKS_MAX = 1 << 24,
	GPU_NAME_MAX = 63,
	GPU_DERIVED = 255 /* Use of a column that follows from others. */
};
#define GPU_SECONDS_MAX (INT64_MAX / 8) /* No time is later, so that differences do not overflow. */

struct gpu_column {
	const char *name;
	uint8_t use; /* The reader's number for it, below GPU_COLUMNS_MAX; or GPU_DERIVED. */
	bool needed; /* Of a derived one: the format is recognised by it, that is all. */
};

struct gpu_format {
	const char *name; /* "a list of openb pods", for messages. */
	const struct gpu_column *column;
	size_t count;
	bool bare; /* It may lack its header line; then columns come in this order. */
	bool open; /* Columns beyond these are the reader's own matter. */
};

/* One reading of one file. The reader sets what stands first, the rest zero. */
struct gpu_csv {
	const struct gpu_format *format;
	const char *file;
	const struct sl_sink *sink;            /* Either of these two, */
	const struct sl_cluster_sink *machine; /* or none: nothing is reported. */
	struct sl_err *err;
	void *self;
	bool whole;                                   /* A row that lacks fields is an error, not counted. */
	int (*head)(struct gpu_csv *csv, void *self); /* Of the header line; NULL: nothing to do. */
	int (*row)(struct gpu_csv *csv, void *self);

	struct csv_parser csv;
	int status;
	const char *line, *line_end; /* Of the physical line that is being parted. */
	uint64_t line_number, row_line;
	size_t row_bytes;
	bool row_open, row_said, header_seen;
	int at[GPU_COLUMNS_MAX]; /* By use; -1: not in the file. */
	size_t header_count;
	char *text; /* Of the row's fields, each closed by a zero. */
	size_t text_len, text_capacity;
	uint32_t field[GPU_FIELDS_MAX]; /* Where each begins. */
	size_t count;
	int64_t zone; /* Seconds ahead of UTC that dates were first given in; */
	bool zoned;   /* one was. */
};

/* ---- gpu_csv.c ---------------------------------------------------------------------------------- */

/* All rows of the input, or of a text (text[end - text] is a zero); *csv is as before, then. */
int gpu_csv_read(struct gpu_csv *csv, struct sl_input *in);
int gpu_csv_text(struct gpu_csv *csv, const char *text, const char *end);
/* How sure that the text begins with the format's header: 97 or 0. */
int gpu_sniff(const struct gpu_format *format, const char *text, size_t len);
/* What is wrong with the row is counted; `cause` is one that is known. */
int gpu_odd(struct gpu_csv *csv, const char *cause);
/* A name on the header line. */
const char *gpu_field(const struct gpu_csv *csv, size_t field);

/* ---- gpu_cells.c: by the column's use ----------------------------------------------------------- */

/* NULL: empty, or one of the words for that ("nan", "None"...), or the file has no such column. */
const char *gpu_cell(const struct gpu_csv *csv, int use);
int gpu_fail_cell(struct gpu_csv *csv, int use, const char *wanted);
/* The number times `scale`, rounded up; SL_NONE: empty, or negative, which is an error in a list of nodes. */
int gpu_scaled(struct gpu_csv *csv, int use, int64_t scale, int64_t *value);
/* A whole number; a fraction is rounded up, and counted. */
int gpu_count(struct gpu_csv *csv, int use, int64_t *value);
/* Units of so many microseconds. */
int gpu_time(struct gpu_csv *csv, int use, int64_t unit, sl_time *value);
/* YYYY-MM-DD hh:mm:ss, with or without a zone behind it. */
int gpu_date(struct gpu_csv *csv, int use, sl_time *value);
/* Of words that schedulers have for it; SL_PENDING: none, or not known. */
int gpu_state(struct gpu_csv *csv, int use, enum sl_state *state);
enum sl_state gpu_state_of(const char *word, bool *known);

/* ---- gpu_row.c ---------------------------------------------------------------------------------- */

struct gpu_row {
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_row_group group; /* The only one, but for more.group. */
	struct sl_job_attributes job;
	char word[32]; /* An id that the file has not. */
};

void gpu_row_clear(struct gpu_row *r, uint64_t line);
/* A number, or a name; NULL: the row's number in the file. */
void gpu_row_id(struct gpu_row *r, const char *text, uint64_t number);
/* SL_NONE: not known. Who ended and never started was cancelled while it waited; who started and did not end
 * ran until the log's end, `last` (SL_NONE: not known), and is censored. */
void gpu_row_times(struct gpu_row *r, sl_time submit, sl_time start, sl_time end, sl_time last);
void gpu_row_state(struct gpu_row *r, enum sl_state state);
/* A job of so many in all, on so many nodes if that is known, memory in MiB of a node: one task a node where
 * they share evenly, else one a GPU (or cpu). */
void gpu_row_total(struct gpu_row *r, int64_t nodes, int64_t cpus, int64_t gpus, int64_t mem);
/* Thousandths are wholes where they can be. */
void gpu_group_reduce(struct sl_row_group *group);
int gpu_row_report(struct gpu_row *r, const struct sl_sink *sink, struct sl_err *err);

/* ---- pai_tasks.c: the table of tasks beside the jobs -------------------------------------------- */

struct pai_tasks;
/* What a job requests: its groups are valid until the next question. */
struct pai_asked {
	const struct sl_row_group *group;
	size_t group_count; /* 0: it has no task that requests anything. */
	sl_time start, end; /* Of the first and the last task; SL_NONE: of none. */
	int64_t active;     /* Of its GPUs, in millionths; -1: not known. */
};
int pai_tasks_read(
	struct pai_tasks **tasks, const char *jobs_file, const struct sl_sink *sink, struct sl_err *err);
void pai_tasks_free(struct pai_tasks *tasks);
int pai_tasks_of(struct pai_tasks *tasks, const char *job, struct pai_asked *asked, struct sl_err *err);
/* A file in the same folder, plain or packed; *in is NULL if there is none. */
int pai_beside(const char *file, const char *name, struct sl_input **in, struct sl_err *err);

#endif

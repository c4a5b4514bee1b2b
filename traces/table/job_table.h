/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_table.h - job traces in CSV with a header line: columns by name, in any order; see schedlab-trace(5).
 *
 * libcsv parts the fields (table_csv.c), the header's names say what each is (table_columns.c), and a line
 * becomes a row (table_row.c) with what the job requests (table_desc.c). Where several lines are one job, a
 * row waits until the next job begins (table_read.c).
 */
#ifndef TRACES_JOB_TABLE_H
#define TRACES_JOB_TABLE_H

#include <csv.h>

#include "sim/plugin.h"

enum table_column {
	TABLE_JOB_ID,
	TABLE_USER,
	TABLE_ACCOUNT,
	TABLE_PARTITION,
	TABLE_SUBMIT,
	TABLE_START,
	TABLE_END,
	TABLE_WAIT,
	TABLE_RUN_TIME,
	TABLE_TIME_LIMIT,
	TABLE_STATUS,
	TABLE_GANG,
	/* What it says of itself: table_job.c. */
	TABLE_NAME,
	TABLE_QOS,
	TABLE_NICE,
	TABLE_BEGIN,
	TABLE_DEADLINE,
	TABLE_DEPENDENCY,
	TABLE_ARRAY,
	TABLE_ARRAY_TASK,
	TABLE_ARRAY_LIMIT,
	TABLE_HOLD,
	TABLE_REQUEUE,
	TABLE_TIME_MIN,
	TABLE_CANCEL,
	TABLE_QUEUE,
	TABLE_NAMESPACE,
	TABLE_PRIORITY,
	TABLE_CENSORED,
	TABLE_GPU_ACTIVE,
	TABLE_GROUP,
	/* From here on, what a group requests: numbers, but for the type. */
	TABLE_TASKS,
	TABLE_CPUS_PER_TASK,
	TABLE_MEM_PER_TASK,
	TABLE_GPUS_PER_TASK,
	TABLE_TASKS_PER_NODE,
	TABLE_TASKS_MIN,
	TABLE_TASKS_MAX,
	TABLE_NODES,
	TABLE_CPUS_PER_NODE,
	TABLE_MEM_PER_NODE,
	TABLE_GPUS_PER_NODE,
	TABLE_CPUS,
	TABLE_GPUS,
	TABLE_MEMORY,
	TABLE_NODES_MIN,
	TABLE_NODES_MAX,
	TABLE_GPU_TYPE,
	TABLE_EXCLUSIVE,
	TABLE_GPU_MEMORY,
	TABLE_MIG,
	TABLE_COLUMNS,
	TABLE_PASSED_OVER = TABLE_COLUMNS, /* Of our own jobs.csv: follows from the others. */
	TABLE_UNKNOWN
};

/* Cpus and GPUs of a row may be counted in thousandths. */
enum { TABLE_PARTS = 1000 };
enum { TABLE_FIELDS_MAX = 1000, TABLE_ROW_MAX = 1 << 20, TABLE_GROUPS_MAX = 1000, TABLE_TYPES_MAX = 1000 };

/* The fields of a line: texts one after another, each closed by a zero. */
struct table_fields {
	char *text;
	size_t len, capacity;
	uint32_t *at; /* Where each begins. */
	size_t count, at_capacity;
};

/* A job while its lines come. */
struct table_job {
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_row_group *group;
	size_t group_capacity;
	struct table_fields fields; /* What more points into. */
	struct sl_profile profile;
	bool whole; /* There is one. */
};

struct table {
	struct csv_parser csv;
	const struct sl_sink *sink;
	struct sl_err *err;
	const char *file;
	int status; /* Why reading stopped. */

	const char *line; /* The physical line that is being parted, from `line` to `line_end`; */
	const char *line_end;
	uint64_t line_number, row_line; /* its number, and where the row began. */
	size_t row_bytes;               /* Of the row so far, if it goes on over lines. */
	bool row_open, row_said;

	bool header_seen, begun;
	size_t header_count;                /* Columns of the file. */
	int at[TABLE_COLUMNS];              /* Where each stands; -1: not in the file. */
	bool dated, dated_known;            /* The first submit was a date. */
	int64_t number;                     /* Of the next job, where the file does not number them. */
	struct table_fields fields;         /* Of the line that was parted last. */
	struct table_job held;              /* Waits for further groups. */
	struct sl_job_attributes job;       /* Of the job whose line came last, */
	bool says_more;                     /* if the file has any column of it. */
	bool says_gpus;                     /* It has one of GPUs' memory, profiles or activity. */
	int profile_at[SL_PROFILE_COLUMNS]; /* Where each column of profiles stands; -1: not in the file. */
	bool says_profile;                  /* It has one. */
	int64_t gpu_active;                 /* Of the job whose line came last; SL_NONE: not known. */
	char **type;                        /* Of GPUs, and profiles, that outlive their line. */
	size_t type_count, type_capacity;
	const struct sl_place
		*place; /* Where each field stands, of rows from elsewhere; NULL: in the line. */
};

/* table_columns.c */
enum table_column table_column_of(const char *name, size_t len);
const char *table_column_name(enum table_column column);
/* The header line's fields. */
int table_header(struct table *t);

/* table_csv.c: parts what it is fed, line by line, and calls table_row for each row. */
int table_csv_begin(struct table *t);
int table_csv_line(struct table *t, const char *line, const char *end);
int table_csv_end(struct table *t);
/* Where a field of the row stands; column 0 where the row goes over several lines. */
struct sl_place table_place(const struct table *t, size_t field);

/* One more field of the row. */
int table_field_add(struct table *t, const char *text, size_t len);

/* table_read.c: a row of the file, header included. */
int table_row(struct table *t);
/* A job's first line. Its texts stay for as long as further groups may come. */
int table_job_begin(struct table *t);
void table_free(struct table *t);

/* table_job.c: what the job says of itself, if the file has any column of that. */
int table_more_in(struct table *t, struct sl_row_attributes *more);
/* A cell of such a column: a number or a text; a time is `time`. */
struct table_value {
	const char *text;
	int64_t number; /* SL_NONE: none. */
	bool time;
};
struct table_value table_more_of(const struct sl_row_attributes *more, enum table_column column);
static inline bool table_is_more(enum table_column column)
{
	return column >= TABLE_NAME && column <= TABLE_CENSORED;
}

/* table_profile.c: what the job does while it runs; of a held one, texts of its fields. */
int table_profile_in(struct table *t, struct sl_profile *profile, struct sl_row_attributes *more);

/* table_desc.c: one of 0, 1, true, false, yes, no; *known: the cell is not empty. */
int table_bool_in(struct table *t, enum table_column column, bool *value, bool *known);

/* table_row.c */
/* A time or a duration; SL_NONE: the cell is empty. */
int table_point_in(struct table *t, enum table_column column, int64_t *value);
int table_duration_in(struct table *t, enum table_column column, int64_t *value);
/* The cell's text; NULL where it is empty or the file has no such column. */
const char *table_cell(const struct table *t, enum table_column column);
int table_fail_cell(struct table *t, enum table_column column, const char *wanted);
/* All but what it requests. Texts are of t->fields. */
int table_job_in(struct table *t, struct sl_row *row, struct sl_row_attributes *more);

/* table_desc.c */
int table_group_in(struct table *t, struct sl_row_group *group);

/* table_slurm.c: what was requested of Slurm as a group; the GPUs' type is the group's. */
struct table_gpus {
	char type[64];
	size_t items;
};
void table_group_of(const struct sl_job_desc *desc, struct sl_row_group *group, struct table_gpus *gpus);

extern const struct sl_reader table_reader;
extern const struct sl_writer table_writer;

#endif

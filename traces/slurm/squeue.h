/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * squeue.h - Slurm's queue as people see it: the text of squeue, and that of scontrol show job.
 *
 * Both bring a job into one record of cells as they were printed (squeue_table.c, squeue_scontrol.c);
 * squeue_record.c makes of it the cells of an accounting record, from where on all is as with sacct
 * (sacct.h). Of a job that waits the start is a forecast, of one that runs the end: neither is taken.
 */
#ifndef TRACES_SLURM_SQUEUE_H
#define TRACES_SLURM_SQUEUE_H

#include "traces/slurm/sacct.h"

/* Columns beside those of enum sacct_column. */
enum squeue_column {
	SQUEUE_LEFT = SACCT_COLUMNS, /* Of its limit. */
	SQUEUE_PENDING,              /* How long it has waited: seconds. */
	SQUEUE_NODES_OR_REASON,      /* "n[1-2]", "(Priority)" */
	SQUEUE_ARRAY,
	SQUEUE_TASK,     /* "4", "4-9%2" */
	SQUEUE_THROTTLE, /* How many tasks of its array may run at a time. */
	SQUEUE_HET,
	SQUEUE_OFFSET,
	SQUEUE_MEM_NODE, /* "4G" */
	SQUEUE_MEM_CPU,
	SQUEUE_MEM,  /* Of squeue, which does not say of which of both. */
	SQUEUE_TRES, /* Asked, or got, as it waits or runs. */
	SQUEUE_COLUMNS,
	SQUEUE_OTHER = SQUEUE_COLUMNS
};

struct squeue_record {
	struct sacct_cell cell[SQUEUE_COLUMNS];
	uint64_t line;
	const char *repair; /* What was mended of it; NULL: nothing. */
};

struct squeue_limit {
	int64_t array, tasks;
};

struct squeue {
	struct sacct s;
	struct sacct_text text; /* Of the record at hand. */
	sl_time moment;         /* When it was printed; SL_NONE: nobody says. */
	uint64_t running, waiting;
	uint64_t unsaid_dependency, unsaid_begin; /* Jobs that wait for what is not said. */
	struct squeue_limit *limit;               /* Of arrays, by their numbers once all are noted. */
	size_t limits, limit_capacity;
};

/* squeue_record.c */
int squeue_begin(struct squeue *queue, const char *file, const struct sl_sink *sink, struct sl_err *err);
int squeue_put(struct squeue *queue, struct squeue_record *record);
void squeue_release(struct squeue *queue);
/* The limit of an array stands with its tasks that wait ("7_[4-9%2]"), and is of those that run too: all
 * records are looked at before the first is put. */
int squeue_limit_note(struct squeue *queue, const struct squeue_record *record);
void squeue_limits_noted(struct squeue *queue);
/* Once, of what the file does not say. */
int squeue_say(struct squeue *queue, const char *format, ...) SL_PRINTF(2, 3);
/* A state's full name, of "PD", "R" or "PENDING"; NULL: none. */
const char *squeue_state(const struct sacct_cell *cell);
bool squeue_is_none(const struct sacct_cell *cell);

/* A line such as date prints, squeue -l and sinfo -l above their table: "Sun Nov 29 18:50:03 2026", with a
 * zone or in the order of another place, or "2026-11-29T18:50:03". */
bool squeue_date(const char *p, const char *end, sl_time *moment);

extern const struct sl_reader squeue_reader, scontrol_jobs_reader;

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct.h - Slurm's accounting as traces: sacct -P, sacct --json, and CSVs of exports; see schedlab-trace(5).
 *
 * Each reader brings a record into the same cells, texts by column (sacct_scan.c, sacct_json.c, sacct_csv.c);
 * from there on all is one: cells become a job (sacct_job.c), with what it requests (sacct_desc.c), and
 * records of one job, its components or its attempts, become one row (sacct_merge.c).
 */
#ifndef TRACES_SLURM_SACCT_H
#define TRACES_SLURM_SACCT_H

#include <string.h>
#include <strings.h>

#include "sim/plugin.h"
#include "traces/slurm/options.h"

enum sacct_column {
	SACCT_JOBID,
	SACCT_JOBIDRAW,
	SACCT_USER,
	SACCT_UID,
	SACCT_ACCOUNT,
	SACCT_PARTITION,
	SACCT_QOS,
	SACCT_QOSREQ, /* As requested, from 24.11 on. */
	SACCT_SUBMIT,
	SACCT_ELIGIBLE,
	SACCT_START,
	SACCT_END,
	SACCT_ELAPSED,
	SACCT_ELAPSEDRAW,
	SACCT_SUSPENDED,
	SACCT_TIMELIMIT,
	SACCT_TIMELIMITRAW,
	SACCT_STATE,
	SACCT_EXITCODE,
	SACCT_REASON,
	SACCT_NNODES,
	SACCT_REQNODES,
	SACCT_NCPUS,
	SACCT_REQCPUS,
	SACCT_REQMEM,
	SACCT_REQTRES,
	SACCT_ALLOCTRES,
	SACCT_NODELIST,
	SACCT_CONSTRAINTS,
	SACCT_RESERVATION,
	SACCT_DEPENDENCY,
	SACCT_JOBNAME,
	SACCT_SUBMITLINE,
	SACCT_CLUSTER,
	/* Of other exports: what sacct says in no column of its own. */
	SACCT_TASKS,
	SACCT_TASKS_PER_NODE,
	SACCT_CPUS_PER_TASK,
	SACCT_GRES,
	SACCT_SHARED,
	SACCT_COLUMNS,
	SACCT_OTHER = SACCT_COLUMNS
};

/* What a column holds, to find where a row with too many fields goes wrong. */
enum sacct_kind {
	SACCT_ANY,
	SACCT_TEXT, /* Anything, separators too. */
	SACCT_NUMBER,
	SACCT_DATE,
	SACCT_DURATION,
	SACCT_ID,
	SACCT_STATE_WORD,
	SACCT_TRES
};

struct sacct_cell {
	const char *p; /* NULL: the file has no such column, or it is empty. */
	size_t len;
};

struct sacct_cells {
	struct sacct_cell cell[SACCT_COLUMNS];
	uint64_t line;
	const char *repair;  /* What was mended of it; NULL: nothing. */
	int64_t array_limit; /* Of its array, said elsewhere than in its own cells; 0: it is not. */
};

enum {
	SACCT_FIELDS_MAX = 1000,
	SACCT_ROW_MAX = 1 << 20,
	SACCT_EXCESS_MAX = 100,   /* Fields that a row may have too many. */
	SACCT_TASKS_MAX = 100000, /* Of one record of an array. */
	SACCT_TASKS_OF_FILE_MAX = 4000000,
	SACCT_HELD_MAX = 8192 /* Jobs put by until their next attempt comes: some 5 KB each. */
};

/* Texts that live as long as a job: chunks, of which the first stays. */
struct sacct_chunk;
struct sacct_text {
	struct sacct_chunk *chunk; /* The newest. */
	bool failed;               /* Memory was out. */
};
char *sacct_text_reserve(struct sacct_text *text, size_t len); /* Never NULL unless failed. */
const char *sacct_keep(struct sacct_text *text, const char *p, size_t len);
void sacct_text_clear(struct sacct_text *text);
void sacct_text_free(struct sacct_text *text);
/* Texts of from live on with to. */
void sacct_text_join(struct sacct_text *to, struct sacct_text *from);

/* A job while its records come. */
struct sacct_job {
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_job_attributes job;
	struct sl_job_desc *desc; /* SLURM_COMPONENTS_MAX */
	struct sacct_text text;
	const char *tasks; /* A record of many tasks: "5-9%2"; NULL: of one. */
	int64_t id;        /* JobIDRaw, or of a component the whole job's; SL_NONE: not a number. */
	int64_t component; /* -1: of none. */
	uint8_t number[SLURM_COMPONENTS_MAX]; /* Of each of desc, if it has components. */
	const char *repair;                   /* What was mended, reported with the job; NULL: nothing. */
	bool whole;                           /* There is one. */
	bool resizing;                        /* It goes on in the next record. */
	bool retry; /* It ended so that it may have come back: another record of it may follow. */
};

/* A file's reading. */
struct sacct {
	const struct sl_sink *sink;
	struct sl_err *err;
	const char *file;
	struct sacct_job job, next;
	struct sl_job_desc *spare; /* What a line of options is read into: SLURM_COMPONENTS_MAX. */
	uint64_t steps;            /* Passed over. */
	uint64_t daylight;         /* Rows whose times and Elapsed differ by an hour. */
	uint64_t unknown, unread;  /* Options. */
	char unknown_first[40], unread_first[40];
	uint64_t dropped[SLURM_DROPPED_MAX]; /* Jobs that say an option that is not followed. */
	uint64_t elsewhere;                  /* Jobs of another cluster than the first one's. */
	char cluster[64];
	uint64_t expanded; /* Tasks of arrays so far. */
	sl_time day;       /* Of the date that was read last, and its text. */
	char day_text[10];
	bool begun; /* A job or a cause was reported. */
	/* Several lines of one number are tasks of an array, whose indices were left out. */
	bool tasks_repeat;
	struct {
		int64_t id;
		uint32_t count; /* Lines that had it. */
	} recent[64];
	uint32_t recent_next;
	struct sacct_held *held; /* Jobs whose next attempt may come further down. */
	bool relative;           /* Times are seconds from the trace's zero. */
	bool dated;              /* The sink has the report that they are not. */
};

/* sacct_columns.c: all columns, closed by one without a name. */
struct sacct_name {
	const char *name;
	int width;      /* As sacct shows it; negative: to the left. 0: sacct 22.05 has no such column. */
	uint8_t column; /* enum sacct_column */
	uint8_t kind;   /* enum sacct_kind */
};
extern const struct sacct_name sacct_names[];
/* In any case; the closing one: there is none. */
const struct sacct_name *sacct_name_of(const char *name, size_t len);

/* The fields of a row: count + 1 places where they begin, the last a separator behind the end. */
struct sacct_fields {
	const char *const *at;
	size_t count, separator;
};
/* sacct_repair.c: which field of a row with too many is the first of each column. False: it is not
 * known. */
bool sacct_repair(const uint8_t *kind, const uint8_t *cost, size_t columns, const struct sacct_fields *field,
	uint32_t *first);
/* How readily a text column holds separators; less: more readily. */
uint8_t sacct_cost(unsigned column);
bool sacct_fits(enum sacct_kind kind, const char *p, size_t len);

/* The newline, or the end. */
static inline const char *sacct_line_end(const char *p, const char *end)
{
	const char *newline = memchr(p, '\n', (size_t)(end - p));
	return newline ? newline : end;
}

/* sacct_values.c */
bool sacct_date(struct sacct *s, const struct sacct_cell *cell, sl_time *value);
bool sacct_duration(const struct sacct_cell *cell, sl_time *value);
static inline bool sacct_is(const struct sacct_cell *cell, const char *word)
{
	const size_t len = strlen(word);
	return cell->p && cell->len == len && strncasecmp(cell->p, word, len) == 0;
}
int64_t sacct_number(const struct sacct_cell *cell);

struct sacct_state {
	const char *name;
	enum sl_state state;
	int8_t status; /* SWF's; -1: none. */
	bool ended, runs, retry;
};
/* NULL: it is no state's. */
const struct sacct_state *sacct_state_of(const struct sacct_cell *cell);

/* The job's number: "123", "123_4", "123_[5-9%2]", "123+1", "123.batch". */
struct sacct_id {
	int64_t id;
	int64_t array, task, component; /* -1 */
	struct sacct_cell tasks;
	bool step;
};
bool sacct_id_of(const struct sacct_cell *cell, struct sacct_id *id);

/* Of a TRES string "billing=8,cpu=8,gres/gpu:a100=2,mem=5G,node=1". Nothing said: SL_NONE. */
struct sacct_tres {
	int64_t cpu, mem, node;
	int64_t gpu; /* Those of no type among them. */
	struct {
		struct sacct_cell name; /* Behind "gres/": "gpu:a100", "mps"; "license/": its name. */
		int64_t count;
		bool license;
	} item[32];
	size_t item_count;
	bool unread; /* Something in it is no name=number. */
};
/* Returns it. */
const struct sacct_tres *sacct_tres_of(const struct sacct_cell *cell, struct sacct_tres *tres);

/* sacct_desc.c: what the line of options says, and the columns where it is silent. */
int sacct_desc_in(struct sacct *s, struct sacct_job *job, const struct sacct_cells *cells);

extern const char sacct_unreadable[]; /* A cause: a field that is taken for not known. */

/* sacct_job.c: a record becomes s->next; *take: it is one of a job. */
int sacct_job_in(struct sacct *s, const struct sacct_cells *cells, bool *take);
int sacct_drop(struct sacct *s, const char *cause, uint64_t line);

/* sacct_held.c: jobs that were preempted or requeued, until their next record comes. They are found by
 * number, and leave in the order in which they came. */
int sacct_held_begin(struct sacct *s);
void sacct_held_release(struct sacct *s);
bool sacct_held_full(const struct sacct *s);
/* s->job goes there; nothing is left in its place. */
int sacct_held_put(struct sacct *s);
/* That number's becomes s->job, in which nothing is. False: there is none. */
bool sacct_held_take(struct sacct *s, int64_t id);
/* The one that has been there longest becomes s->job. False: there is none left. */
bool sacct_held_oldest(struct sacct *s);

/* sacct_merge.c */
int sacct_begin(struct sacct *s, const char *file, const struct sl_sink *sink, struct sl_err *err);
int sacct_record(struct sacct *s, const struct sacct_cells *cells);
int sacct_end(struct sacct *s);
void sacct_release(struct sacct *s);

extern const struct sl_reader sacct_reader, sacct_json_reader, slurm_csv_reader;
extern const struct sl_writer sacct_writer;

#endif

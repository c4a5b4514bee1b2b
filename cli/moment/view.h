/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view.h - a run at a moment, shown in the columns and options of Slurm's own commands.
 *
 * A view replays the run that a directory (or a snapshot) describes up to the
 * moment, and reads what is there then. Each command is a table of options, a
 * table of fields, and a loop over lines; formats are parsed and printed here.
 */
#ifndef SL_VIEW_H
#define SL_VIEW_H

#include "cli/base/cli.h"
#include "cli/run/again.h"

/* ---- The moment -------------------------------------------------------------------------- */

/* A node's state as Slurm packs it: a base, and flags above it, by which lists are sorted. */
enum view_state {
	VIEW_DOWN = 1,
	VIEW_IDLE = 2,
	VIEW_ALLOCATED = 3,
	VIEW_MIXED = 5,
	VIEW_FUTURE = 6,
	VIEW_BASE = 0xf,
	VIEW_RESERVED = 0x20,
	VIEW_DRAIN = 0x200,
	VIEW_SILENT = 0x800, /* It does not answer. */
	VIEW_POWERED_DOWN = 0x1000,
	VIEW_FAIL = 0x2000,
	VIEW_POWERING_UP = 0x4000,
	VIEW_MAINT = 0x8000,
	VIEW_POWERING_DOWN = 0x40000,
	VIEW_PLANNED = 1 << 21
};

struct view_node {
	uint32_t state;     /* enum view_state */
	bool busy;          /* Somebody holds something of it. */
	const char *reason; /* Why an operator set it so; NULL: not said. */
	int64_t cpus, cpus_busy, mem, mem_busy, gpus, gpus_busy;
};

/* One of the cluster's, or the whole cluster where it has none. */
struct view_partition {
	const char *name;
	const struct sl_partition *spec; /* NULL: the whole cluster. */
	const uint32_t *node;
	uint32_t node_count;
	bool is_default;
};

/* On which nodes a job is, or was last. */
struct view_place {
	const struct sl_piece *piece;
	size_t count;
};

struct view_reservation {
	const char *name, *partition, *flags, *users, *accounts, *licenses, *features; /* NULL: not said. */
	sl_time from, until; /* until: SL_NEVER: without end. */
	const uint32_t *node;
	uint32_t node_count;
	int64_t cpus; /* Of a counted pool. */
};

/* What the policy tells of a job that the engine does not know. */
struct view_told {
	bool known;
	const char *partition;             /* It runs in; NULL: it does not. */
	sl_time limit;                     /* SL_NEVER: none. */
	sl_time boots;                     /* It has its nodes, which boot, since then; SL_NONE. */
	sl_time submit, eligible, accrues; /* SL_NONE: it has not. */
	int64_t billing;                   /* -1: not said. */
};

/* What the policy tells of its own figures, row after row. */
enum view_tables {
	VIEW_TABLE_JOBS,
	VIEW_TABLE_WEIGHTS,
	VIEW_TABLE_SHARES,
	VIEW_TABLE_PLANS,
	VIEW_TABLE_NODES,
	VIEW_TABLE_RESERVATIONS,
	VIEW_TABLE_PARTITIONS,
	VIEW_TABLES
};
struct view_table {
	bool known; /* It has such a table. */
	const char **column;
	size_t column_count, row_count, capacity;
	struct sl_figure *figure; /* By row. */
};

struct view {
	struct sl_arena *arena;
	struct again again; /* Its arena is `arena`. */
	const struct scenario *scenario;
	struct sim sim;
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	const struct sl_result *result;
	sl_time now;
	bool at_end;        /* Nobody said when: the run's end. */
	uint32_t submitted; /* Rows below are there. */
	struct view_place *place;
	sl_time *promise; /* By job: its planned start, SL_NONE; NULL: nobody has any. */
	struct view_place *planned;
	uint32_t *priority;     /* By job: larger first. */
	struct view_node *node; /* On a counted pool each cpu is one, without a name. */
	uint32_t node_count;
	struct view_partition *partition;
	uint32_t partition_count;
	struct view_reservation *reservation; /* Those to come and those that are. */
	uint32_t reservation_count;
	struct view_told *told; /* By job; NULL: nothing is told. */
	struct view_table table[VIEW_TABLES];
};

/* at: as --at takes it; NULL: the run's end, if that will do (else SL_USAGE). */
int view_open(struct view *view, const char *path, const char *at, bool end_will_do,
	struct registry *registry, struct sl_err *err);
/* The same of a run that view->again describes already, loaded: up to then. */
int view_stand(struct view *view, sl_time until, struct sl_err *err);
void view_close(struct view *view);
/* What a job that runs holds of a node: the members *_busy. */
void view_holds(const struct view *view, uint32_t job, uint32_t node, struct view_node *held);

/* view_table.c. All tables of the policy, while the run is not ended; `at`: the moment. */
int view_take_tables(struct view *view, sl_time at, struct sl_err *err);
/* One of them, by its name; known stays false where the policy has no such table. */
/* Of what a policy tells of a node, in sinfo's words: "idle~". */
uint32_t view_node_state(const char *text);
int view_take_table(struct sl_arena *arena, struct sl_pass *pass, sl_time at, const char *name,
	struct view_table *table, struct sl_err *err);
/* A figure of a row; NaN or "" where the table has no such column, or there is none. */
double table_number(const struct view_table *table, size_t row, const char *column);
const char *table_text(const struct view_table *table, size_t row, const char *column);

/* view_told.c: what the tables say of jobs, nodes, reservations and partitions, in place of what is derived
 * from the engine. Once at, and the rest of the view, are known. */
int view_take_told(struct view *view, struct sl_err *err);
int view_take_reservations(struct view *view, struct sl_err *err);

/* A time as people write it to Slurm and to us: a date, seconds, a duration. */
bool view_time(const struct view *view, const char *text, sl_time *time);

/* ---- Text ---------------------------------------------------------------------------------- */

/* A growing text; what has no memory left is cut. */
struct cell {
	char *text;
	size_t len, capacity;
};
void cell_put(struct cell *cell, const char *format, ...) SL_PRINTF(2, 3);
void cell_clear(struct cell *cell);
void cell_free(struct cell *cell);

/* "2:00", "1-00:00:00": as squeue and sinfo write seconds; full: "00:02:00", as sacct and scontrol do. */
void put_span(struct cell *cell, int64_t seconds, bool full);
void put_date(struct cell *cell, const struct view *view, sl_time time);
/* "Fri Nov 20 11:24:00 2026", above long lists. */
void print_date(const struct view *view);
/* MiB: "4000M", "4G", as squeue and scontrol do. */
void put_mem(struct cell *cell, int64_t mib);
int64_t seconds_of(sl_time time); /* Whole ones, downwards. */
void put_nodes(struct cell *cell, const struct view *view, const uint32_t *node, size_t count);
void put_place(struct cell *cell, const struct view *view, struct view_place place);
void put_node_state(struct cell *cell, uint32_t state, bool compact);
void put_gres(struct cell *cell, const struct view *view, uint32_t node, bool used);
void put_features(struct cell *cell, const struct view *view, uint32_t node);
const struct sl_hardware *view_hardware(const struct view *view, uint32_t node); /* NULL: not said. */
uint32_t view_cores(const struct view *view, uint32_t node);                     /* Of a socket. */
/* Amounts as the engine counts them, to be printed. */
struct amount view_cpus(const struct view *view, int64_t cpus);
struct amount view_gpus(const struct view *view, int64_t gpus);

/* ---- Jobs ------------------------------------------------------------------------------------- */

const struct sl_job_more *view_more(const struct view *view, uint32_t job);   /* NULL: nothing more. */
const struct sl_request *view_request(const struct view *view, uint32_t job); /* NULL: so many cpus. */
const struct sl_ask *view_ask(const struct view *view, uint32_t job);         /* NULL: not Slurm's words. */
void put_user(struct cell *cell, const struct view *view, uint32_t job, const char *none);
void put_account(struct cell *cell, const struct view *view, uint32_t job, const char *none);
void put_partition(struct cell *cell, const struct view *view, uint32_t job);
void put_job_id(struct cell *cell, const struct view *view, uint32_t job); /* "7", "5_2" */
void put_job_raw(struct cell *cell, const struct view *view, uint32_t job);
int64_t view_array(const struct view *view, uint32_t job);       /* SL_NONE: of none. */
enum sl_state view_state(const struct view *view, uint32_t job); /* RUNNING, too, while its nodes boot. */
sl_time view_limit(const struct view *view, uint32_t job);       /* As it is by now. */
/* When it was submitted (last), when it became eligible, and began to gather age. */
sl_time view_submit(const struct view *view, uint32_t job);
sl_time view_eligible(const struct view *view, uint32_t job);
sl_time view_accrues(const struct view *view, uint32_t job);
const char *view_state_word(const struct view *view, uint32_t job, bool brief); /* "CF", "CONFIGURING" */
enum sl_reason view_reason(const struct view *view, uint32_t job);
int view_state_rank(enum sl_state state);                  /* Slurm's number, by which lists are sorted. */
bool view_state_is(enum sl_state state, const char *word); /* "PD", "pending" */
bool view_state_known(const char *word);
bool view_ended(const struct view *view, uint32_t job);
sl_time view_start(const struct view *view, uint32_t job); /* SL_NONE: it has not. */
sl_time view_ran(const struct view *view, uint32_t job);   /* So far, without what it was suspended. */
/* In parts, as all amounts here: what it holds or held; what it asks, if it has not started. */
int64_t view_job_cpus(const struct view *view, uint32_t job);
int64_t view_cpus_asked(const struct view *view, uint32_t job);
/* Tasks as they were asked, not as the engine groups them: there, tasks that share a core are one. */
int64_t view_tasks_asked(const struct sl_ask *ask);
int64_t view_job_nodes(const struct view *view, uint32_t job);
int64_t view_mem_asked(const struct view *view, uint32_t job);
bool view_is_mem_a_cpu(const struct view *view, uint32_t job); /* Asked so for each cpu. */
/* "cpu=2,mem=4G,node=1,billing=2,gres/gpu=1"; sorted: by name, as sacct does. */
void put_tres(struct cell *cell, const struct view *view, uint32_t job, bool sorted);
void put_tres_wanted(struct cell *cell, const struct view *view, uint32_t job); /* As it asks, sorted. */
void put_tres_per_node(struct cell *cell, const struct view *view, uint32_t job, const char *none);
/* What a job was asked for in memory: "4G" of a node, or a cpu. */
void put_min_mem(struct cell *cell, const struct view *view, uint32_t job);
void put_limit(struct cell *cell, const struct view *view, uint32_t job, bool full);
sl_time view_limit_end(const struct view *view, uint32_t job); /* Of a running one, by its limit. */

/* ---- Lists: what -j, -u, -p and their like select ---------------------------------------------- */

struct view_list {
	const char **item;
	size_t count; /* 0: everything. */
};
int view_list(struct view_list *list, const char *text, struct sl_arena *arena, struct sl_err *err);
bool list_has(const struct view_list *list, const char *word); /* True of an empty one. */
bool list_has_job(const struct view_list *list, const struct view *view, uint32_t job);
bool list_has_state(const struct view_list *list, enum sl_state state);
bool list_has_cell(const struct view_list *list, struct cell *cell);
/* Node rows of a list of hosts, as flags by node; NULL where text is. */
int view_hosts(const struct view *view, const char *text, bool **flags, struct sl_err *err);

/* ---- Formats ------------------------------------------------------------------------------------- */

/* One field of a command: what -o calls it, what -O calls it, and who writes it. */
struct view_field {
	char letter;      /* 0: it has none. */
	const char *name; /* NULL: it has none. */
	const char *heading;
	void (*put)(struct cell *cell, const struct view *view,
		const void *line); /* NULL: nothing of it is known. */
	int kind;                  /* The command's own. */
};

enum { VIEW_COLUMNS_MAX = 256 };
struct view_column {
	const struct view_field *field;
	int width;
	bool right;
	const char *suffix;
	size_t suffix_len;
};
struct view_format {
	const char *head; /* In front of the first column. */
	size_t head_len;
	struct view_column column[VIEW_COLUMNS_MAX];
	size_t count;
};

/* tool: for messages, as the real one would say it; what it does not know is said and left out. fields end in
 * one with neither letter nor name. */
int format_short(struct view_format *format, const char *text, const struct view_field *fields,
	const char *tool, struct sl_err *err);
int format_long(struct view_format *format, const char *text, const struct view_field *fields,
	const char *tool, struct sl_err *err);
void format_heading(const struct view_format *format);
void format_line(const struct view_format *format, const struct view *view, const void *line);

/* ---- Commands ---------------------------------------------------------------------------------------- */

/* What a view is called with. argv[0] is the command's name; what comes before a view is known (--at, the
 * directory) is taken out. */
struct view_call {
	int argc;
	char **argv;
	const char *run, *at; /* NULL: not given. */
	struct registry *registry;
	struct sl_arena *arena;
	const struct view *open; /* It is open already, and is taken over; NULL: `run` will be. */
	bool *taken;             /* With open: set once it was; who opened it closes it otherwise. */
};
int view_squeue(const struct view_call *call, struct sl_err *err);
int view_sinfo(const struct view_call *call, struct sl_err *err);
int view_sacct(const struct view_call *call, struct sl_err *err);
int view_scontrol(const struct view_call *call, struct sl_err *err);
int view_sprio(const struct view_call *call, struct sl_err *err);
int view_sshare(const struct view_call *call, struct sl_err *err);

/* Exit 1 with a line as the real command would say it; the text may be empty: it was said. */
int view_refuse(const char *tool, struct sl_err *err, const char *format, ...) SL_PRINTF(3, 4);
/* The next option by getopt_long's rules; -1 at the end, '?' after a refusal was said. */
struct option;
int view_option(const struct view_call *call, const char *letters, const struct option *longs);
int view_bad_option(const char *tool, struct sl_err *err);
int call_open(struct view *view, const struct view_call *call, bool end_will_do, struct sl_err *err);

#endif

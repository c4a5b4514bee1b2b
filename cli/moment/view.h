/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view.h - a run at a moment, in the columns and with the options of Slurm's own commands.
 *
 * A view replays the run that a directory (or a snapshot) describes up to the moment, and reads what is there
 * then. Each command is a table of options, a table of fields, and a loop over lines; formats are parsed and
 * printed here.
 */
#ifndef SL_VIEW_H
#define SL_VIEW_H

#include <stddef.h>

#include "cli/base/cli.h"
#include "cli/run/run_rerun.h"

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
	bool busy;          /* Some job has resources of it. */
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
	const struct sl_node_tasks *alloc;
	size_t count;
};

struct view_reservation {
	const char *name, *partition, *flags, *users, *accounts, *licenses, *features; /* NULL: not said. */
	sl_time from, until; /* until: SL_NEVER: without end. */
	const uint32_t *node;
	uint32_t node_count;
	int64_t cpus; /* Of a counted pool. */
};

/* What the policy reports of a job that the engine does not know. */
struct view_reported {
	bool known;
	const char *partition;             /* It runs in; NULL: it does not. */
	const char *qos;                   /* It runs with; NULL: not reported. */
	sl_time limit;                     /* SL_NEVER: none. */
	sl_time boots;                     /* It has its nodes, which boot, since then; SL_NONE. */
	sl_time submit, eligible, accrues; /* SL_NONE: it has not. */
	int64_t billing;                   /* -1: not said. */
};

/* The policy's own figures, row after row. */
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
	struct rerun rerun; /* Its arena is `arena`. */
	const struct scenario *scenario;
	struct sim_run sim;
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
	struct view_reported *reported; /* By job; NULL: nothing is reported. */
	struct view_table table[VIEW_TABLES];
};

/* at: as of --at; NULL: the run's end, if that will do (else SL_USAGE). */
int view_open(struct view *view, const char *path, const char *at, bool end_will_do,
	struct registry *registry, struct sl_err *err);
/* The same of a run that view->rerun describes already, loaded: up to then. */
int view_stand(struct view *view, sl_time until, struct sl_err *err);
void view_close(struct view *view);
/* What running jobs have allocated of a node: the members *_busy. */
void view_holds(const struct view *view, uint32_t job, uint32_t node, struct view_node *held);

/* view_table.c. All tables of the policy, while the run is not ended; `at`: the moment. */
int view_take_tables(struct view *view, sl_time at, struct sl_err *err);
/* One of them, by its name; known stays false where the policy has no such table. */
/* Of a node's state as a policy reports it, in sinfo's words: "idle~". */
uint32_t view_node_state(const char *text);
int view_take_table(struct sl_arena *arena, struct sl_pass *pass, sl_time at, const char *name,
	struct view_table *table, struct sl_err *err);
/* A figure of a row; NaN or "" where the table has no such column, or there is none. */
double table_number(const struct view_table *table, size_t row, const char *column);
bool table_has(const struct view_table *table, const char *column);
size_t table_row_of(const struct view_table *table, uint32_t job); /* The first; row_count: none. */
const char *table_text(const struct view_table *table, size_t row, const char *column);

/* view_reported.c: what the tables say of jobs, nodes, reservations and partitions, in place of what is
 * derived from the engine. Once at, and the rest of the view, are known. */
int view_take_reported(struct view *view, struct sl_err *err);
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
void put_range(struct cell *cell, int64_t seconds, bool full);
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
/* With one of each where nothing is said, and no name. */
struct sl_hardware view_hardware(const struct view *view, uint32_t node);
uint32_t view_cores(const struct view *view, uint32_t node);          /* Of a socket. */
bool rows_have(const uint32_t *row, uint32_t count, uint32_t wanted); /* Ascending ones. */
/* Amounts as the engine counts them, to be printed. */
struct amount view_cpus(const struct view *view, int64_t cpus);
struct amount view_gpus(const struct view *view, int64_t gpus);

/* ---- Jobs ------------------------------------------------------------------------------------- */

const struct sl_job_attributes *view_more(const struct view *view, uint32_t job); /* Never NULL. */
const struct sl_request *view_request(const struct view *view, uint32_t job);     /* NULL: so many cpus. */
const struct sl_job_desc *view_desc(const struct view *view, uint32_t job); /* NULL: not Slurm's words. */
void put_user(struct cell *cell, const struct view *view, uint32_t job, const char *none);
void put_account(struct cell *cell, const struct view *view, uint32_t job, const char *none);
void put_partition(struct cell *cell, const struct view *view, uint32_t job);
void put_job_id(struct cell *cell, const struct view *view, uint32_t job); /* "7", "5_2" */
/* That it runs or ran with; else what it asked for, or NULL. */
const char *view_qos(const struct view *view, uint32_t job);
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
/* In parts, as all amounts here: what it was allocated; what it requests, if it has not started. */
int64_t view_job_cpus(const struct view *view, uint32_t job);
int64_t view_cpus_asked(const struct view *view, uint32_t job);
/* Tasks as they were asked, not as the engine groups them: there, tasks that share a core are one. */
int64_t view_tasks_asked(const struct sl_job_desc *desc);
int64_t view_job_nodes(const struct view *view, uint32_t job);
int64_t view_mem_asked(const struct view *view, uint32_t job);
bool view_is_mem_a_cpu(const struct view *view, uint32_t job); /* Asked so for each cpu. */
/* "cpu=2,mem=4G,node=1,billing=2,gres/gpu=1"; sorted: by name, as sacct does. */
void put_tres(struct cell *cell, const struct view *view, uint32_t job, bool sorted);
void put_tres_wanted(struct cell *cell, const struct view *view, uint32_t job); /* As it requests, sorted. */
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
bool view_on_hosts(const bool *flags, struct view_place place); /* True where there are no flags. */

/* ---- Formats ------------------------------------------------------------------------------------- */

/* What a field writes of a line, which is of the command's own kind. */
typedef void view_put(struct cell *cell, const struct view *view, const void *line);
#define VIEW_FIELD(name)                                                                     \
	static void name(struct cell *cell, __attribute__((unused)) const struct view *view, \
		__attribute__((unused)) const void *line)

/* One field of a command: what -o calls it, what -O calls it, and who writes it. */
struct view_field {
	char letter;      /* 0: it has none. */
	const char *name; /* NULL: it has none. */
	const char *heading;
	view_put *put; /* NULL: nothing of it is known. */
	int kind;      /* The command's own. */
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

/* Columns by name, as sacct and sshare have them: "jobid%20,state", any beginning of a name. */
struct view_named {
	const char *name;
	int width; /* Negative: to the left. */
	view_put *put;
	bool number; /* It is not cut. */
};
enum { VIEW_NAMED_MAX = 400 };
struct view_names {
	const char *tool;
	const char *delimiter; /* NULL: '|' */
	char parsable;         /* 0: in columns; 'p': a delimiter behind each cell, 'P': between them. */
	bool lenient;          /* A width that is none is as by default; a heading is cut as its column is. */
	const struct view_named *field;
	size_t field_count, count;
	struct {
		const struct view_named *field;
		int width;
	} column[VIEW_NAMED_MAX];
};
int names_take(struct view_names *names, const char *text, struct sl_err *err);
void names_heading(const struct view_names *names);
/* The cell is scratch. */
void names_line(const struct view_names *names, const struct view *view, const void *line, struct cell *cell);

/* ---- Order --------------------------------------------------------------------------------------------- */

struct view_key {
	char letter;
	bool down, listed; /* listed: '#': as a file lists them. */
};
/* What a line has of a key: a text, or numbers. none: it is as good as any. */
struct view_value {
	const char *text;
	int64_t whole;
	double real;
	bool none;
};
enum { VIEW_KEYS_MAX = 16 };
struct view_order {
	struct view_key key[VIEW_KEYS_MAX];
	size_t count;
	const struct view *view;
	const struct view_field *fields;
	/* False: by the text of its field. */
	bool (*number)(const struct view *view, const void *line, const struct view_key *key,
		struct view_value *value);
	int (*tie)(const struct view *view, const void *a, const void *b);
};
/* "P,t,-p", apart by these characters. */
int order_take(
	struct view_order *order, const char *text, const char *apart, const char *tool, struct sl_err *err);
int order_lines(const struct view_order *order, void *line, size_t count, size_t size, struct sl_err *err);

/* ---- Commands ---------------------------------------------------------------------------------------- */

/* What a view is called with. argv[0] is the command's name; what comes before a view is known (--at, the
 * directory) is removed. */
struct view_call {
	int argc;
	char **argv;
	const char *run, *at; /* NULL: not given. */
	struct registry *registry;
	struct sl_arena *arena;
	const struct view *open; /* It is open already, and is moved from here; NULL: `run` will be. */
	bool *taken;             /* With open: set once it was; who opened it closes it otherwise. */
};
int view_squeue(const struct view_call *call, struct sl_err *err);
int view_sinfo(const struct view_call *call, struct sl_err *err);
int view_sacct(const struct view_call *call, struct sl_err *err);
int view_scontrol(const struct view_call *call, struct sl_err *err);
int view_sprio(const struct view_call *call, struct sl_err *err);
int view_sshare(const struct view_call *call, struct sl_err *err);

/* cmd_view.c: all of them, closed by one without a name. */
struct view_command {
	const char *name;
	int (*run)(const struct view_call *call, struct sl_err *err);
};
extern const struct view_command view_commands[];
const struct view_command *view_find(const char *name); /* NULL: it is none. */
const char *env_value(const char *name);                /* Of the environment; NULL: none, or empty. */

/* Exit 1 with a line as the real command would say it; the text may be empty: it was said. */
int view_refuse(const char *tool, struct sl_err *err, const char *format, ...) SL_PRINTF(3, 4);
int call_open(struct view *view, const struct view_call *call, bool end_will_do, struct sl_err *err);

/* ---- Options: all that is known of one stands in its line of the command's table ----------------------- */

enum view_takes {
	VIEW_SKIPS,       /* It is known, and passed over; */
	VIEW_SKIPS_VALUE, /* and its arguments. */
	VIEW_HELPS,
	VIEW_LISTS_FIELDS,
	VIEW_SAYS_VERSION,
	VIEW_FLAG, /* A bool becomes true. */
	VIEW_MARK, /* A char becomes its letter: of several the last counts. */
	VIEW_CALL, /* `then` alone says what it does. */
	VIEW_TEXT, /* A text is its value. */
	VIEW_LIST, /* A struct view_list is what its value lists. */
	VIEW_JOBS, /* The same; the list may be the first word behind the options: "-j 7". */
};
struct view_option {
	const char *name; /* NULL: a letter alone. */
	char letter;      /* 0: a name alone. */
	enum view_takes takes;
	size_t at;     /* Of what it sets, in the command's own struct. */
	view_put *put; /* Of a list: the field that has to stand in it; NULL: the command looks itself. */
	int (*then)(void *self, const char *value, struct sl_err *err); /* Once it is set; may be NULL. */
};
/* For rows { OPT_FLAG("long", 'l', long_list) }. VIEW_SELF: the command's struct, which begins with a struct
 * view. */
#define OPT_SKIP(name, letter)                name, letter, VIEW_SKIPS, 0, NULL, NULL
#define OPT_SKIP_VALUE(name, letter)          name, letter, VIEW_SKIPS_VALUE, 0, NULL, NULL
#define OPT_HELP(name, letter)                name, letter, VIEW_HELPS, 0, NULL, NULL
#define OPT_FIELDS(name, letter)              name, letter, VIEW_LISTS_FIELDS, 0, NULL, NULL
#define OPT_VERSION                           "version", 'V', VIEW_SAYS_VERSION, 0, NULL, NULL
#define OPT_CALL(name, letter, then)          name, letter, VIEW_CALL, 0, NULL, then
#define OPT_FLAG(name, letter, at)            name, letter, VIEW_FLAG, offsetof(VIEW_SELF, at), NULL, NULL
#define OPT_MARK(name, letter, at)            name, letter, VIEW_MARK, offsetof(VIEW_SELF, at), NULL, NULL
#define OPT_TEXT(name, letter, at)            name, letter, VIEW_TEXT, offsetof(VIEW_SELF, at), NULL, NULL
#define OPT_JOBS(name, letter, at)            name, letter, VIEW_JOBS, offsetof(VIEW_SELF, at), NULL, NULL
#define OPT_LIST(name, letter, at, put, then) name, letter, VIEW_LIST, offsetof(VIEW_SELF, at), put, then

struct view_tool {
	const char *name, *help;
	const char *stray; /* Behind the refusal of a word that is no option; NULL: such a word is nothing. */
	const struct view_option *option;
	size_t option_count;
	void (*help_format)(void);
	int (*show)(void *self, const struct view_call *call, struct sl_err *err);
};
/* Reads the words by getopt_long's rules, prints, and closes the view. self: VIEW_SELF. */
int view_run(const struct view_tool *tool, void *self, const struct view_call *call, struct sl_err *err);
/* What the lists of the options name, by their fields; self's view is open. The cell is scratch. */
bool view_selects(const struct view_tool *tool, const void *self, const void *line, struct cell *cell);

#endif

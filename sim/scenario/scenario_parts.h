/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_parts.h - a scenario while it is loaded: what scenario*.c alone share.
 */
#ifndef SL_SCENARIO_PARTS_H
#define SL_SCENARIO_PARTS_H

#include "sim/base/columns.h"
#include "sim/base/intset.h"
#include "sim/base/names.h"
#include "sim/scenario/scenario.h"

/* Which fields of the trace say how large a job is, in the order of replay.size. */
enum { SIZE_REQUESTED, SIZE_ALLOCATED, SIZE_LARGER };

/* Whether submissions follow the ends of other jobs, in the order of replay.feedback. */
enum { FEEDBACK_NONE, FEEDBACK_AFTER, FEEDBACK_THINK };

/* Why a row was repaired or dropped. */
enum cause {
	CAUSE_FEW,
	CAUSE_MANY,
	CAUSE_SHORT,
	CAUSE_LONG,
	CAUSE_FRACTION,
	CAUSE_UNREADABLE,
	CAUSE_PROFILE,
	CAUSE_SURPLUS,
	CAUSE_MENDED,
	CAUSE_STATE,
	CAUSE_ARRAY,
	CAUSE_ARRAY_CUT,
	CAUSE_NO_ID,
	CAUSE_REPEATED,
	CAUSE_PARTIAL,
	CAUSE_NO_SUBMIT,
	CAUSE_RUN,
	CAUSE_SIZE,
	CAUSE_GPU_PARTS,
	CAUSE_BOUNDS,
	CAUSE_LACKS,
	CAUSE_LARGE,
	CAUSE_PARTITION,
	CAUSE_PARTITION_DOWN,
	CAUSE_TIME,
	CAUSE_NODE_COUNT,
	CAUSE_UNKNOWN_NODE,
	CAUSE_FEATURE,
	CAUSE_RESERVATION,
	CAUSE_SET,
	CAUSE_DOWN,
	CAUSE_SETS,
	CAUSE_NO_RUN,
	CAUSE_ORDER,
	CAUSE_DEPENDENCY,
	CAUSE_UNKNOWN_JOB,
	CAUSE_NOT_BEFORE,
	CAUSE_LATER,
	CAUSE_LEFT_OUT,
	CAUSE_CHANGED,
	CAUSE_OWN, /* The first of those that readers of plug-ins name: */
	CAUSES_OWN = 8,
	CAUSE_COUNT = CAUSE_OWN + CAUSES_OWN
};

struct tally {
	uint64_t count, line; /* line: of the first. */
};

/* Amounts of cpus and GPUs are counted in thousandths while a scenario is loaded, but those of a counted
 * pool; parts_settle makes wholes of them again where nothing is less than one. */
enum { PARTS = 1000 };

/* Further files that were read, each once. */
struct side_files {
	struct scenario_input *item;
	size_t count, capacity;
};

struct machine;  /* scenario_machine.h */
struct requests; /* scenario_request.c */
struct mores;    /* scenario_attributes.c */
struct changing; /* scenario_change.c */
struct profiles; /* scenario_profile.c */
struct profile_rule;

/* Columns in which names may replace numbers. */
enum named { NAMED_USER, NAMED_ACCOUNT, NAMED_PARTITION, NAMED_GANG, NAMED_ID, NAMED_COUNT };

/* What decides for a whole trace whether a row may be plain. */
struct plain_rows {
	bool any;
	bool raise;   /* Limits are raised to the run time. */
	int64_t cpus; /* The largest job. */
	const _Atomic int *stop;
};

struct loading {
	struct scenario *scenario;
	const struct scenario_options *options;
	const char *file;
	bool settled;     /* The first job was read: cluster, dates and selection are fixed. */
	int64_t cpus_set; /* cluster.cpus, or 0. */
	size_t header_capacity;
	sl_time from, to; /* Selected: [from, to). */
	uint64_t outside; /* Rows that were not. */
	struct tally tally[CAUSE_COUNT];
	const char *cause_own[CAUSES_OWN]; /* From CAUSE_OWN on; NULL: no more. */
	enum cause repair;                 /* The reader's, of line repair_line; counted if the row stays. */
	uint64_t repair_line;
	uint64_t line_last;  /* The furthest so far. */
	sl_time submit_last; /* Of the line before, */
	sl_time kept_last;   /* and of the last that stayed. */
	__int128 run_total;
	int64_t id_last; /* Ids ascend so far, unless `seen` is in use. */
	struct intset seen;
	int64_t *unkept; /* Ids of rows that did not stay, while ids ascend. */
	size_t unkept_count, unkept_capacity;
	bool waits;        /* Some recorded wait is positive, */
	bool waits_of_any; /* perhaps of a job that did not stay. */
	bool dated;        /* Submits count from 1970 until all are read. */
	sl_time submit_first;
	struct names names[NAMED_COUNT]; /* Empty: all are bare numbers. */
	bool said;                       /* Some row that stayed said more than SWF can. */
	struct sl_cluster_setting *cluster_setting;
	size_t cluster_setting_count;
	const char *objects;       /* cluster.objects: manifests beside the cluster; NULL: none. */
	struct side_files files;   /* That the trace's reader read too. */
	struct machine *machine;   /* NULL: no cluster file. */
	struct requests *requests; /* NULL: none was made. */
	struct mores *mores;       /* NULL: no row says anything more. */
	struct changing *changing; /* NULL: the trace as it is. */
	struct side_files sheets;  /* That models and replay.profile were given. */
	const struct sl_csv_table *profile_csv;
	const struct profile_rule *profile_rule; /* Of it; NULL: there is none. */
	size_t profile_rule_count;
	const struct run_times *run_times; /* scenario_run_times.c; NULL: none are given. */
	uint64_t run_unknown;              /* Jobs of manifests that nobody said that of: dropped. */
	struct profiles *profiles;         /* NULL: no row says anything. */
	struct plain_rows plain;           /* From the first job on. */
};

/* A row's request in sum: cpus and GPUs in thousandths, on a counted pool too. */
struct desc {
	int64_t cpus, mem, gpus;
	int32_t size;
	sl_time limit; /* Where the row has none; 0: not known. */
	bool rounded;  /* The pool allocates whole cpus: more than it requests. */
};

/* row_read.c: the sink for the rows of a trace, which go through all stages (row.h). */
struct sl_sink rows_sink(struct loading *loading);
/* All ids so far are in `seen` from now on. */
int rows_know_ids(struct loading *loading, struct sl_err *err);

/* scenario_clean.c: causes, by the text that readers name them by; counted, or an error if --strict. */
int cause_named(struct loading *loading, const char *text, const struct sl_place *at, enum cause *cause,
	struct sl_err *err);
const char *cause_text(const struct loading *loading, enum cause cause);
bool cause_drops(enum cause cause);
int cause_count(struct loading *loading, enum cause cause, const struct sl_place *at, struct sl_err *err);
int cleaning_finish(struct loading *loading, struct sl_err *err);
int cleaning_fail_nothing(const struct loading *loading, struct sl_err *err);
/* A job that stays is repaired after all: counted, and an error if --strict. */
int cleaning_repair(struct loading *loading, enum cause cause, uint64_t line, struct sl_err *err);

/* So many jobs of the replay, for that cause, on purpose: never an error. */
void cleaning_report(struct loading *loading, enum cause cause, uint64_t count, uint64_t line);

/* scenario_time.c: at the first job; and from and to, once zero is known. */
int loading_settle(struct loading *loading, struct sl_err *err);
int settle_selection(struct loading *loading, struct sl_err *err);
int time_zone(const char *text, int64_t *offset, struct sl_err *err);
/* Seconds, a duration or a date, in the scenario's time. what: "replay.from", for messages. */
int time_point(const struct scenario *scenario, const char *what, const char *text, sl_time *time,
	struct sl_err *err);

/* scenario_settings.c: as given; some are invalid together, or alone. */
int settings_take(struct loading *loading, struct sl_err *err);
int settings_agree(const struct loading *loading, struct sl_err *err);
/* "1024@0,5000", once the rows are sorted. */
int windows_parse(struct scenario *scenario, const char *text, struct sl_err *err);

/* scenario_begin.c, for replay.start=recorded: is this row of a job that by the log ran or waited at
 * replay.from? */
bool begin_reaches(const struct loading *loading, sl_time submit, sl_time wait, sl_time run, sl_time limit);
/* row_keep.c: once it is settled who is replayed. */
void limits_count(struct scenario *scenario);

/* Once the dates are known: only those and the selected ones stay. */
int begin_select(struct loading *loading, struct sl_err *err);
/* Once all rows are in: where runs begin, and who ran then for how long. */
int begin_make(struct loading *loading, struct sl_err *err);

/* scenario_side.c: columns from files of their own, "job number, seconds" a line. */
int side_load(struct loading *loading, struct sl_err *err);
/* One more file, unless it is `own` or there already. */
int side_add(struct side_files *files, const struct scenario *scenario, const char *own, const char *format,
	struct sl_input *in, struct sl_err *err);

/* scenario_run_times.c: replay.run_times, as it was read. How long a row runs that does not say it; SL_NONE:
 * no line is of it. */
int run_times_take(struct loading *loading, const struct sl_csv_table *csv, struct sl_err *err);
sl_time run_times_of(const struct loading *loading, const struct sl_row *row);

/* scenario_commands.c: replay.commands, which is given; input: the file read. */
int commands_load(struct loading *loading, struct scenario_input *input, struct sl_err *err);

/* scenario_cluster.c: a cluster file, but for its windows; */
int machine_load(struct loading *loading, const char *path, struct sl_err *err);
/* scenario_reservations.c: and those, once the trace's zero is known. */
int machine_finish(struct machine *machine, struct sl_err *err);
void machine_free(struct machine *machine);
/* scenario_cluster.c: a release of Slurm that the trace says (SLURM_VERSION among its headers) is the
 * cluster's, where its files say none. */
int release_take(struct scenario *scenario, struct sl_err *err);
/* Further files of the cluster; NULL: there is none. */
const struct side_files *machine_files(const struct loading *loading);
/* Once all rows are in: whether cpus and GPUs are counted in parts, and their amounts as they will be. */
int parts_settle(struct loading *loading, struct sl_err *err);

/* scenario_request.c: why the row's request can never fit on the cluster (CAUSE_COUNT: it can); cpus: of a
 * row that says nothing more. */
int desc_judge(struct loading *loading, const struct sl_row *row, int64_t cpus, struct desc *desc,
	enum cause *cause, struct sl_err *err);
/* On nodes: the number of the request that was judged last, which fits. */
int desc_intern(struct loading *loading, const struct desc *desc, int32_t *request, struct sl_err *err);
int requests_lend(const struct loading *loading, struct sl_jobs *jobs, struct sl_err *err);
/* Whether some request is for less than a whole cpu or GPU; and all of them, in coarser parts. */
void requests_parts(const struct requests *requests, bool *cpus, bool *gpus);
void requests_narrow(const struct requests *requests, int64_t cpus, int64_t gpus);
void requests_free(struct requests *requests);

/* scenario_change.c: replay.drop and replay.change. The row as it is to be from here on, lent until the next;
 */
int changes_parse(struct loading *loading, struct sl_err *err);
int changes_apply(struct loading *loading, const struct sl_row **row, int64_t id, struct sl_err *err);
/* and once rows are in order and scaled: those that are left out go. */
int changes_finish(struct loading *loading, struct sl_err *err);
void changes_free(struct changing *changing);

/* scenario_attributes.c: all times of what was kept, by so much; and those of one row. */
void more_shift(const struct loading *loading, sl_time by);
void more_move(const struct loading *loading, uint32_t row, sl_time by);
/* The latest time that a job waits for, no less than `last`. */
sl_time more_last(const struct loading *loading, sl_time last);
/* Dependencies as rows, once these are final. */
int more_lend(struct loading *loading, struct sl_jobs *jobs, struct sl_err *err);
void more_free(struct mores *mores);

/* scenario_models.c: the models that are on, their parameters and files, once the cluster is known. */
int models_load(struct loading *loading, struct sl_err *err);

/* scenario_profile.c: the rules of replay.profile, of its sheet. */
int profile_rules(struct loading *loading, struct sl_err *err);
int profiles_lend(struct loading *loading, struct sl_jobs *jobs, struct sl_err *err);
void profiles_free(struct profiles *profiles);

/* scenario_with.c: rows of further traces, behind the trace's own. */
int with_read(struct loading *loading, struct sl_err *err);

/* Arrays of a further trace are numbered from its own so-manyth on; ids of one that clashes begin with its
 * name. */
#define WITH_ARRAYS (INT64_C(1) << 40)
enum { WITH_MAX = 100 }; /* Files of replay.with. */
enum { STEM_MAX = 100 };

/* scenario_feedback.c: replay.feedback, once rows are final. */
int feedback_make(struct loading *loading, struct sl_err *err);

/* scenario_fill.c: replay.fill, once requests are final. */
int fill_make(struct loading *loading, struct sl_err *err);

/* scenario_go.c: Go's math/rand, for workloads as programs in Go drew them. */
enum { GO_LAGS = 607 };
struct go_rand {
	uint64_t state[GO_LAGS];
	uint32_t tap, feed;
};
void go_seed(struct go_rand *go, uint64_t seed);
uint64_t go_next(struct go_rand *go);                          /* Int63 */
uint32_t go_below(struct go_rand *go, uint32_t bound);         /* Intn */
uint32_t go_below_shuffle(struct go_rand *go, uint32_t bound); /* As Shuffle draws. */

/* row_intern.c: the tables of names and the ids' names, for the sorted columns. */
int names_lend(const struct loading *loading, struct sl_jobs *jobs, struct sl_err *err);

#endif

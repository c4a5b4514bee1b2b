/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.h - what the files of schedlab compare share: a row a policy, and how it is printed.
 */
#ifndef SL_COMPARE_H
#define SL_COMPARE_H

#include "cli/base/cli.h"
#include "cli/base/render.h"
#include "cli/compare/first_difference.h"
#include "cli/run/document_run.h"

struct compared_row {
	const char *label; /* Of its line: the policy, or "easy on small.yaml" where clusters differ. */
	const char *policy, *cluster;
	const char *input; /* sha256 of the trace, or NULL where unknown. */
	struct sl_metrics metrics;
	uint64_t digest; /* Of its run, where it is one. */
	bool partial;
};

struct row_over; /* cmd_compare.c: of a row whose run is over. */

struct comparison {
	const struct args *args;
	const struct summary_metric *column; /* Of the table. */
	struct windows *windows;             /* By row, if each is of several windows. */
	size_t each;                         /* Runs of a row. */
	struct run
		*run; /* By row; the result of one in which every job started may be gone. NULL: all are. */
	const char *resource; /* Of which utilizations are, where they would be of several; NULL. */
	bool samples_apart;   /* Of some seed or log, other jobs ran in some rows. */
	struct replication *replication; /* By seed, then by row; NULL: each row is one run. */
	char *const *log;                /* Of several traces, in place of seeds, or NULL. */
	const char **log_sha256;         /* Of each; NULL: it came from stdin. */
	struct compared_row *row;
	size_t count;
	struct outdir *dir;    /* NULL: nothing is written. */
	struct sl_err failure; /* Of a row or its files: worse than an interruption. */

	/* To the first row, of those after it: by row, then by metric. */
	struct sl_compared reported;
	const struct compared_parting
		*parting; /* Of directories, by row from the second on; NULL: of a trace. */
	struct differences *differences;

	const struct sl_document *document; /* The report; NULL: the page, where any is written. */
	const char *chart;                  /* Of its options. */
	void *report;
	struct row_over *over; /* By row; NULL: none is over. */

	/* What else is reported on stdout, before the table and after it, or (json not NULL) as further
	 * members of the object; NULL: nothing. Runs have their results then, unless they are of several
	 * windows or seeds. */
	void (*heading)(void *self);
	void (*table)(const struct comparison *all, void *self); /* In place of ours; NULL: ours. */
	int (*files)(const struct comparison *all, void *self, struct sl_err *err); /* More of them; NULL. */
	/* Of --dry-run: what a row has over the first; NULL: rows have no names of their own. */
	const char *(*named)(void *self, size_t row);
	bool labels; /* Metrics with labels in any case. */
	bool lean;   /* Hooks do not look at results. */
	bool same;   /* --reps was refused: nothing is drawn. */
	int (*more)(void *self, struct json *json, struct sl_err *err);
	/* Of several seeds or logs: is the k-th known already, so that it is not run? Then its rows, whose
	 * metrics are empty, are filled in. And what is to be kept of each that was run to its end. NULL: all
	 * are run. With them rows have no folders of their own. */
	int (*recall)(void *self, size_t k, struct replication *row, bool *known, struct sl_err *err);
	int (*keep)(void *self, size_t k, const struct replication *row, struct sl_err *err);
	void *self;
};

/* Where a run parts from the first. */
struct compared_parting {
	bool known;
	struct first_difference is;
	const char *why; /* They were not rerun; NULL: they were. */
};

/* compare_replications.c: --reps. */
struct replication {
	uint64_t seed, digest;
	uint32_t compared; /* Jobs that ran in all rows of its seed, of which the metrics are then. */
	bool apart;        /* Others ran in some of them. */
	struct sl_metrics metrics;
};
/* runs: those of each row with the first seed; each scenario that draws is read anew for each seed by
 * `replica`. Fills rows, replications and differences. */
struct replications {
	struct comparison *all;
	const struct run *row;
	unsigned threads;
	const struct scenario *(*replica)(void *self, size_t row, size_t seed, struct sl_err *err);
	void *self;
};
int compare_replications(const struct replications *of, struct sl_err *err);
int replications_csv(const struct comparison *all, struct sl_err *err);

/* cmd_compare.c: the runs of all rows, prepared and with their rows begun; then their table and files.
 * repeated: NULL: each row is one run. The caller frees the runs, and calls compare_end, which frees
 * all->differences too. */
int compare_runs(struct comparison *all, struct run *runs, struct replications *repeated, struct sl_err *err);
/* Frees the rows' metrics and what was made of them, the differences, and the report. */
void compare_end(struct comparison *all);
/* What distinguishes a row from others; cluster: how the column is to read, NULL: so many cpus. */
/* The same of the policies, clusters and traces of all->args, from the line on. */
int compare_traces(struct comparison *all, struct sl_err *err);
/* What is said of row b's metric to row a's where only these two are compared. *found false: nothing. Within
 * a hook. */
struct compared_pair {
	const struct comparison *all;
	size_t a, b;
	const char *metric;
};
int compare_between(struct compared_pair *pair, struct sl_difference *said, struct sl_certainty *certainty,
	bool *found, struct sl_err *err);
int compare_row_begin(struct compared_row *row, const struct run *run, const char *label, const char *cluster,
	const struct args *args);
/* --reps over all->count rows; several: each has run with each seed then. */
int compare_repeat(
	struct comparison *all, struct run *runs, struct replications *repeated, struct sl_err *err);

/* compare_table.c: the table, or with --json one object, on stdout. */
int compare_show(const struct comparison *all, struct sl_err *err);
/* Its object, committed; what is said of a row's metric to the first's (NULL: nothing); how intervals were
 * found. */
int compare_json(const struct comparison *all, struct sl_out *out, struct sl_err *err);
const struct sl_difference *compare_difference(const struct comparison *all, size_t row, const char *metric);
/* NULL: nothing is known. */
const struct sl_certainty *compare_certainty(const struct comparison *all, size_t row, const char *metric);
/* Once all rows are there: what is said of them, and their metrics as they are compared; the table has a
 * column for each count of jobs that did not run to their end. */
int compare_report(struct comparison *all, struct sl_err *err);
void compare_methods(const struct comparison *all);
/* compare.csv and differences.csv of the directory. */
int compare_files(const struct comparison *all, struct sl_err *err);
/* compare_jobs.c: the metrics of a row that are of jobs over those that ran in all, as far as they are not
 * of these already; of a run (NULL: its result is gone) only those that are restated. */
int compare_rows_common(struct comparison *all, struct sl_err *err);
/* Of several seeds, logs or windows, before they are compared: utilizations are all of one resource. */
void compare_samples_resource(struct comparison *all);
/* run: NULL: its result is gone for good; one that was released is made again. */
int compare_over_common(struct sl_metrics *metrics, struct run *run, const struct differences *differences,
	size_t row, const struct args *args, struct sl_err *err);
void compare_restate(struct sl_metrics *metrics, const struct sl_restated *as);
/* compare_samples.c: --blocks, or the same in a record. SL_USAGE: it is none. */
int samples_cut(struct differences *differences, const char *blocks, struct sl_err *err);
/* Hashes the logs; SL_USAGE: one is there twice, and would count as two samples. */
int samples_logs(struct comparison *all, struct sl_err *err);
/* What the samples are, into the directory's record. */
void samples_record(struct outdir *dir, const struct comparison *all);
/* Runs are reread from their folders, `word`, the first being what others are compared with: samples are what
 * the record of its comparison says. Before the first run is added. */
int samples_follow(struct differences *differences, const char *const *word, size_t count,
	struct sl_arena *arena, struct sl_err *err);
/* compare_directories.c: a file that is one JSON object; the caller frees it. */
int json_read(const char *path, struct sl_doc *doc, struct sl_err *err);
/* DIR DIR... */
int compare_directories(struct comparison *all, struct sl_err *err);

#endif

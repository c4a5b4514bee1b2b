/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study.h - a paper's evaluation: one file of traces x clusters x policies x seeds, one folder.
 *
 * The file is a sweep's (schedlab-sweep(5)) with a purpose. Its policies are compared as `schedlab compare`
 * does, on each combination of all else that it varies but the seed: a panel, which is a column of the
 * study's table. Whatever the file names is copied into the folder first, and the runs read it from there:
 * the folder is all that it takes to make it again.
 */
#ifndef SL_STUDY_H
#define SL_STUDY_H

#include "cli/compare/compare.h"
#include "cli/sweep/sweep.h"

#define STUDY_SCHEMA       "schedlab.study/1"
#define STUDY_POINT_SCHEMA "schedlab.study-point/1"
#define STUDY_SPEC         "study.json" /* The file, with the paths of its copies. */
#define STUDY_BUNDLE       "bundle.tar.zst"
#define STUDY_INPUTS       "inputs"
#define STUDY_POINTS       "points" /* While it is made: what is done of it. */
#define STUDY_RUNS         "runs"   /* Folders of comparisons: of each panel, and */
#define STUDY_SEEDS        "seeds"  /* over its seeds. */

enum { STUDY_ROWS_MAX = 64, STUDY_NAME = 80 };

/* Of a policy in a panel, of one metric. */
struct study_cell {
	int64_t micro;
	bool has, best; /* best: a test at 5 % tells it from each other policy of the panel, and it is better.
			 */
	bool compared;  /* There is a difference to the first policy: */
	int64_t difference, low, high; /* low > high: it has no interval. */
	int sure;                      /* -1, 1: it is less, more. */
};

/* Mean wait of the jobs of one class of size and run time, of the first seed. */
struct study_wait {
	const char *size, *run;
	int64_t jobs, wait; /* In millionths. */
};

struct study_row {
	const char *label;       /* The policy. */
	struct study_cell *cell; /* By metric of the table. */
	struct study_wait *wait;
	size_t waits;
};

/* What of a trace is not replayed, or not as it stands there. */
struct study_counts {
	uint64_t rows, replayed, dropped, repaired, left_out;
	uint64_t over, none,
		raised;     /* Run times beyond their limits; jobs without one; limits made longer. */
	uint64_t estimates; /* Jobs whose limit a file of predictions replaced. */
	const char *why_dropped, *why_repaired;
};

struct study_panel {
	char name[STUDY_NAME]; /* Of its folder: "1-lublin". */
	const char *title;     /* "lublin, big.yaml, replay.load=0.8": what distinguishes it. */
	struct point point;    /* Of its first policy and seed. */
	const char **policy;   /* As the file has them. */
	size_t policies;
	struct study_row *row;
	size_t rows;
	size_t samples;    /* Seeds that count: 1 where nothing is drawn. */
	const char *apart; /* Why no policy is better: not the same jobs ran. NULL. */
	struct study_counts counts;
};

struct study {
	const struct args *args;
	struct sweep sweep;
	const struct sl_metric_info *metric; /* Of the table. */
	size_t metrics;
	struct study_panel *panel;
	size_t panels;
	struct sl_arena *arena;
};

/* study_inputs.c: in the spec's folder, what it names is copied below `dir`, and the spec's words become the
 * copies' paths from there. */
int study_take_inputs(struct study *study, const char *dir, struct sl_err *err);
/* The spec of all that, in the working folder. */
int study_write_spec(const struct study *study, struct sl_err *err);

/* study_panel.c: in the study's folder. */
int study_panels(struct study *study, struct sl_err *err);
/* The two agree in all but policy and seed. */
bool study_is_of_panel(const struct study *study, const struct point *a, const struct point *b);
int study_run(struct study *study, struct study_panel *panel, struct sl_err *err);

/* study_points.c: in the study's folder, what is done of it while the rest is not: a panel's rows and counts,
 * from its runs (kind STUDY_RUNS; first: the comparison, whose rows are the first seed's sample) or over its
 * seeds; and the rows of one seed. *known false: it is to be done. */
int study_keep_panel(const struct study *study, const struct study_panel *panel, const char *kind,
	const struct comparison *first, struct sl_err *err);
int study_recall_panel(const struct study *study, struct study_panel *panel, const char *kind, bool *known,
	struct sl_err *err);
int study_keep_seed(const struct study *study, const struct study_panel *panel, size_t seed,
	const struct replication *row, size_t rows, const struct args *args, struct sl_err *err);
int study_recall_seed(const struct study *study, const struct study_panel *panel, size_t seed,
	struct replication *row, size_t rows, bool *known, struct sl_err *err);

/* study_figures.c: the page of a comparison, and beside it figures whose names begin with `chart` of its
 * options: "figures/1-lublin-". */
extern const struct sl_document study_document;
const char *study_chart(size_t i); /* NULL: there are no more. */

/* study_tables.c: table.csv, table.md, table.tex, exclusions.csv, waits.csv; index.html. */
int study_write_tables(const struct study *study, struct sl_err *err);
int study_write_page(const struct study *study, struct sl_err *err);
/* "mean wait (s)" */
const char *study_heading(const struct study *study, size_t metric);
/* A cell's value as tables show it; "": it has none. */
const char *study_value(
	char text[48], const struct study *study, const struct study_cell *cell, size_t metric);
extern const char study_bold[]; /* What bold says. */

#endif

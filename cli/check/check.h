/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.h - schedlab check: a baseline's cases rerun, and what is reported of each.
 *
 * check_run.c runs, check_judge.c compares, check_decisions.c names the first decision that differs,
 * check_update.c writes what was found into the baseline, check_text.c and check_files.c report it. Items are
 * in the order of the baseline, whatever the threads did.
 */
#ifndef SL_CHECK_H
#define SL_CHECK_H

#include "cli/base/cli.h"
#include "sim/base/names.h"
#include "sim/result/baseline.h"

enum check_status {
	CHECK_OK,       /* As it was, or within its bounds. */
	CHECK_MOVED,    /* It passes, and is not what it was. */
	CHECK_IMPROVED, /* It passes, and is better. */
	CHECK_NEW,      /* There was nothing to compare with: --update. */
	CHECK_WARN,
	CHECK_FAIL,
	CHECK_CHANGED, /* Inputs: nothing was compared. */
	CHECK_UNSTABLE /* Two runs of the same differ. */
};

/* One thing that is checked: a case's inputs, its decisions, a metric, or that its jobs still run. */
enum check_what { CHECK_INPUTS, CHECK_DECISIONS, CHECK_METRIC, CHECK_JOBS };
struct check_item {
	enum check_what what;
	enum check_status status;
	const struct baseline_case *of;
	const struct baseline_metric *metric;
	const char *name;     /* "wait.p95{user=3}", "decisions", "inputs" */
	struct sl_place at;   /* Where the baseline says it. */
	bool has_was, has_is; /* Of metrics: */
	int64_t was, is;
	uint32_t both;      /* The jobs of two runs that the metric is of; 0: each run's own. */
	const char *tol;    /* NULL: none. */
	const char *detail; /* A clause more, or NULL: the first divergence; the interval; what changed. */
	bool tested;        /* By Wilcoxon's test, over a family: */
	double p, holm;
};

#define CHECK_NONE INT64_MIN

/* By whom (user, account, ...) the impact of a configuration is reported. */
enum impact_kind { IMPACT_USER, IMPACT_ACCOUNT, IMPACT_PARTITION, IMPACT_SIZE, IMPACT_KINDS };
struct check_jobs;
struct check_impact;

/* What a run came to. */
struct check_found {
	uint64_t digest, events;
	uint64_t *digests;
	size_t digest_count;
	int64_t *value; /* By metric of its case (CHECK_NONE: it has none any more); of those that stand for
			   several: */
	struct check_many {
		size_t metric;
		const char *name;
		int64_t micro;
	} * many; /* in order of the metrics, then as the run has them. */
	size_t many_count;
	char trace_sha256[65], cluster_sha256[65];
	char cluster_read[65]; /* What was read of it, whatever the bytes. */
	const char **side_sha256;
	size_t side_count, cluster_sides; /* The first of these are the cluster's. */
	struct check_jobs *jobs;          /* With --against: who ran, and when. */
	int64_t count[BASELINE_COUNTS];
	bool unstable;
	struct check_decisions *decisions; /* NULL: not recorded. */
};

struct check_case {
	const struct baseline_case *of;
	struct check_found *found; /* By run. */
	size_t runs;
	bool done, changed;
	/* --against: what the case names is not the configuration that its values are of, so these are the
	 * base. */
	bool away;
	const char *what_changed;
	char generated_sha256[65]; /* Of several generated traces. */
	const char *divergence;    /* The first, in words; NULL: none, or not looked for. */
	size_t diverged;           /* In which run. */
};

struct check {
	const struct args *args;
	struct sl_arena *arena;
	struct baseline baseline;
	struct check_case *item; /* By case of the baseline; of those that were asked for, done is set. */
	unsigned threads;
	bool twice, update, quiet, keep_decisions, on_improvement;
	/* --against, --git: the runs of one configuration are the baseline of those of another. */
	bool against, based;                      /* based: the first are made. */
	const char **cluster_was;                 /* By case, where it is not what the case names; */
	const char *cluster_is;                   /* of all; NULL: what the case names. */
	const char *displayed_was, *displayed_is; /* For people. */
	const char *scratch;                      /* A folder that goes at the end; NULL: none. */
	struct check_case *base;                  /* As item. */
	struct names group[IMPACT_KINDS];
	struct check_impact *impact; /* By case. */
	bool reported_uncounted;
	int home; /* The folder that the program was called in; that of the baseline while inputs are read. */
	struct check_record *record; /* Decisions kept beside the baseline; NULL: none. */
	struct check_item *reported;
	size_t reported_count, reported_capacity;
	size_t passed, failed, warned, better;
	struct sl_err err;
};

/* check_run.c: the cases that are wanted. */
int check_runs(struct check *check, struct sl_err *err);
bool check_wants(const struct check *check, const struct baseline_case *of);

/* check_judge.c: items, in order. */
int check_judge(struct check *check, struct sl_err *err);
const char *check_status_name(enum check_status status);
struct check_item *check_item_new(
	struct check *check, enum check_what what, const struct baseline_case *of, struct sl_err *err);
/* In the arena; NULL: no memory. */
const char *check_text(struct check *check, const char *format, ...) SL_PRINTF(2, 3);
/* Was it named, so that it may be beyond its tolerance (--accept)? */
bool check_accepted(const struct check *check, const char *name);
/* Of a metric over the runs of a family, rounded half up; CHECK_NONE: some run has none. */
int64_t check_mean(const struct check_case *found, size_t metric);
/* The exit status of it all. */
int check_outcome(const struct check *check);

/* check_jobs.c: whether as many jobs run and complete. */
void check_counts_take(const struct run *run, int64_t count[BASELINE_COUNTS]);
/* Over the runs of a case. */
int64_t check_count(const struct check_case *found, enum baseline_count which);
int check_judge_jobs(struct check *check, size_t which, struct sl_err *err);
/* Other jobs run than before, as far as that can be known: nothing is better then. */
bool check_jobs_differ(const struct check *check, const struct baseline_case *of);

/* check_decisions.c */
struct check_decisions;
/* Of a run that recorded them, in the arena. NULL: too many, or no memory. */
struct check_decisions *check_decisions_of(const struct sl_result *result, struct sl_arena *arena);
/* SL_OK without one there. */
int check_record_read(struct check *check, struct sl_err *err);
int check_record_write(struct check *check, struct sl_err *err);
/* Those of the runs that were just made, in place of the file's. */
int check_record_take(struct check *check, struct sl_err *err);
/* In words, the first decision that differs in the new run; result with reasons, decisions and places
 * recorded.
 */
const char *check_divergence(const struct check *check, const struct baseline_case *of, size_t run,
	const struct sl_result *result);

/* check_update.c */
int check_update(struct check *check, struct sl_err *err);
/* A baseline out of the line, without values: it becomes a file by check_update. */
int check_init(struct check *check, struct sl_err *err);

/* check_against.c: which configurations; the runs just made become what the next are compared with. */
int check_against_begin(struct check *check, struct sl_err *err);
int check_against_adopt(struct check *check, struct sl_err *err);
/* The metrics of the base's runs of a case as the baseline's. */
int check_against_adopt_metrics(struct check *check, size_t which, struct sl_err *err);
void check_against_end(struct check *check);

/* check_impact.c: who ran, of a result; in the arena. */
int check_jobs_take(
	struct check *check, const struct sl_result *result, struct check_jobs **to, struct sl_err *err);
/* The same jobs in the same rows. */
bool check_jobs_alike(const struct check_jobs *a, const struct check_jobs *b);

/* check_text.c: for people, for GitHub, as Markdown. */
void check_print(const struct check *check, FILE *file);
void check_github(const struct check *check, FILE *file);
void check_markdown(const struct check *check, struct sl_out *out);
/* Text as Markdown that means nothing; as a cell, with its bar. Return how many bytes it was. */
size_t check_put_inert(struct sl_out *out, const char *text);
size_t check_put_cell(struct sl_out *out, const char *text);
/* A value as people read it: "21,720 s". */
const char *check_value(char buffer[64], const char *name, int64_t micro);
/* "+2.2 %", or the difference where that is none. */
const char *check_change(char buffer[64], const struct check_item *item);

/* check_files.c: for programs. */
void check_json(const struct check *check, struct sl_out *out);
void check_junit(const struct check *check, struct sl_out *out);
void check_tap(const struct check *check, struct sl_out *out);

#endif

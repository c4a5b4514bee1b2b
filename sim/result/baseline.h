/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline.h - a baseline: runs, and their results; read with the place of each value, rewritten with the
 * values alone changed.
 *
 * A case is one run, or a family of them (one a seed, or one a trace), under one policy. Its `result` holds
 * the digests, its metrics what they were and how far they may move. The file is JSON (schedlab-baseline(5));
 * all that people wrote into it stays as it is when values are written: edits are cut into its text.
 */
#ifndef SL_BASELINE_H
#define SL_BASELINE_H

#include "sim/base/base.h"
#include "sim/result/tolerance.h"

#define BASELINE_SCHEMA "schedlab.baseline/1"

/* Bounds: the file, cases of it, metrics of one, runs of a family, settings of a case. */
enum {
	BASELINE_BYTES_MAX = 16 << 20,
	BASELINE_CASES_MAX = 10000,
	BASELINE_METRICS_MAX = 100000,
	BASELINE_FAMILY_MAX = 10000,
	BASELINE_SETTINGS_MAX = 1000,
	BASELINE_DIGESTS_MAX = 1 << 16
};

/* A part of the text. until 0: it is not there. */
struct baseline_range {
	size_t key, from, until;
};

struct baseline_texts {
	const char **text;
	size_t count;
	struct baseline_range range;
};
struct baseline_digests {
	uint64_t *digest;
	size_t count;
	struct baseline_range range;
};

struct baseline_metric {
	const char *name; /* "wait.p95{user=*}": of each user. */
	bool many;        /* It ends in {key=*}. */
	bool empty;       /* Nothing stands between its brackets. */
	struct baseline_range range, value, each_range;
	bool has_value;
	int64_t value_micro;
	int64_t *each; /* Of a family, by run. */
	size_t each_count;
	int better; /* Of the sign that is better: as written, else as known by name, else 0. */
	const char *tol_text;
	struct tolerance tol;
	bool wilcoxon;
	double alpha; /* 0.05 */
};

/* What became of the jobs, over all runs of a case. */
enum baseline_count {
	COUNT_TOTAL,    /* Jobs that were replayed; */
	COUNT_LEFT_OUT, /* beside them those that the cluster has no place for. */
	COUNT_REFUSED,
	COUNT_NEVER_STARTED,
	COUNT_STARTED,
	COUNT_COMPLETED,
	COUNT_CUT,
	COUNT_LOST,
	COUNT_UNFINISHED,
	BASELINE_COUNTS
};
struct baseline_counts {
	int64_t count[BASELINE_COUNTS];
	struct baseline_range range;
};
/* As it stands in the file: "never_started". */
const char *baseline_count_name(enum baseline_count which);

struct baseline_case {
	const char *id;
	struct baseline_range range, id_range;
	struct baseline_texts trace; /* One, or the traces of a family, or none: */
	const char *generate;        /* a model and its options. */
	const char *cluster, *policy, *from, *to, *tz;
	struct baseline_range generate_range, cluster_range, policy_range, metrics_range;
	struct baseline_texts set;
	uint64_t *seed; /* At least one. */
	size_t seed_count;
	uint64_t jobs_max;
	bool exact; /* Another digest fails, even where the metrics are as they should. */
	/* What was found. */
	struct baseline_texts trace_sha256, cluster_sha256, side_sha256;
	struct baseline_texts cluster_read; /* A hash of what was read of the cluster, whatever its bytes. */
	struct baseline_digests result, digests; /* Of each run; after each 2^16 events of a single one. */
	struct baseline_counts counts;           /* range.until 0: an earlier baseline has none. */
	struct baseline_metric *metric;
	size_t metric_count;
	size_t input_end; /* Behind its last member that says what is run. */
};

struct baseline {
	const char *file;
	const char *text; /* In the arena. */
	size_t len;
	const size_t *line; /* Where each line begins. */
	size_t line_count;
	struct baseline_case *item;
	size_t count;
	struct sl_arena *arena; /* Lent. */
	bool packed;            /* The file: by zstd, say. */
};

/* text[len] is a zero; lent. SL_INPUT, with file:line:column. */
int baseline_parse(struct baseline *baseline, const char *file, const char *text, size_t len,
	struct sl_arena *arena, struct sl_err *err);
int baseline_read(struct baseline *baseline, const char *path, struct sl_arena *arena, struct sl_err *err);
struct sl_place baseline_place(const struct baseline *baseline, size_t at);

/* How many runs a case is. */
size_t baseline_runs(const struct baseline_case *item);

/* What is known of a metric by its name: the unit ("s", "share", ... or ""), and which sign is better. */
struct metric_known {
	const char *begins;
	const char *unit;
	int better;
};
const struct metric_known *metric_known(const char *name); /* NULL: nothing is. */

/* ---- Writing ------------------------------------------------------------------------------ */

/* Something else at that place of the text. */
struct baseline_edit {
	size_t at, len;
	const char *text;
	size_t order; /* Of two at one place. */
};
struct baseline_edits {
	struct baseline_edit *edit;
	size_t count, capacity;
	struct sl_arena *arena;
	bool failed;
};
/* What was found of a run, into the text: values of keys that are there are replaced, others are added. texts
 * are JSON. Each at most once a key. */
void baseline_put_value(struct baseline_edits *edits, const struct baseline_metric *metric, const char *value,
	const char *each);
void baseline_put_key(struct baseline_edits *edits, const struct baseline *baseline,
	const struct baseline_case *item, const char *key, const struct baseline_range *range,
	const char *json);
/* All of the text, edited. NULL: no memory. */
char *baseline_edited(const struct baseline *baseline, struct baseline_edits *edits, size_t *len);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune.h - which settings? Searched on some spans of a log, judged on others that were never looked at.
 *
 * A knob is a setting, the policy, or a value of a file of the user's, with the levels that it may have. The
 * search (models/tune) says which candidates are to be simulated on which spans; each such run is a point of
 * a sweep, a file named by its content, so that a search that was killed goes on where it was. The winner is
 * chosen by the spans tuned on alone, and only then simulated on the others.
 */
#ifndef SL_CLI_TUNE_H
#define SL_CLI_TUNE_H

#include "cli/base/cli.h"
#include "cli/base/render.h"
#include "cli/base/selector.h"
#include "models/tune/tune_search.h"

/* ---- What may move (tune_knobs.c, tune_files.c) ------------------------------------------------------ */

/* Where a value stands in a file: bytes that are replaced by before, the value, after. */
struct file_place {
	size_t at, len;
	const char *before, *after;
	const char *today; /* NULL: it is not there. */
};

enum file_where { FILE_IS_CLUSTER, FILE_IN_CLUSTER, FILE_IN_POLICY, FILE_IN_SETTING };
struct tuned_file {
	const char *name; /* As the knob has it; */
	const char *path; /* and where it is. */
	const char *text;
	size_t len;
	enum file_where where;
	size_t setting; /* Of the settings that name files, which. */
};

enum knob_kind { KNOB_SETTING, KNOB_POLICY, KNOB_FILE };
struct knob {
	const char *name; /* "policy.bf_window", "slurm.conf:PriorityWeightAge" */
	enum knob_kind kind;
	const char **value; /* By level; NULL: today's, which is not known. */
	uint32_t count, today;
	bool unordered;
	size_t file; /* Of a file's. */
	struct file_place place;
};

/* ---- The whole ----------------------------------------------------------------------------------------- */

/* A goal, or what must hold: a column of the search. */
struct wanted {
	const char *text; /* "minimize wait.mean" */
	const char *metric;
	const struct selector *selector;
	bool implied;       /* That no fewer jobs complete; nobody asked. */
	const char *option; /* Of the line, and which of them. */
	size_t number;
};

struct tune_span {
	sl_time from, until; /* Of the trace's own time. */
};

/* Of a column, beside today, over spans that were judged. */
struct judged_column {
	double today, is;   /* Means; NAN: there is none. */
	unsigned spans;     /* With both. */
	unsigned differing; /* Of these; of fewer than six nothing is told. */
	bool bounded, told; /* It has an interval; 0 is outside. */
	double low, high;   /* Of the change, in parts of today's. */
};

/* A candidate on the spans that were judged. */
struct judged {
	size_t candidate;
	struct judged_column column[TUNE_COLUMNS_MAX];
	bool failed;
};

/* A user's, account's or partition's jobs, on the spans that were judged. */
struct gainer {
	const char *kind, *name;
	double jobs, was, is; /* Mean waits in seconds. */
};

enum { TUNE_DIFFERING_LEAST = 6 };
enum { FRONT_MAX = 12, GAINERS_MAX = 36 };
enum tune_verdict { TUNE_BETTER, TUNE_NO_BETTER, TUNE_TRADE, TUNE_WORSE, TUNE_NOTHING_FOUND };

struct tune {
	const struct args *args;
	struct sl_arena *arena;
	const char *dir, *trace, *cluster, *policy;
	const char **setting; /* "replay.load=1.1", "model=..." */
	size_t setting_count;
	struct knob knob[TUNE_AXES_MAX];
	struct tuned_file *file;
	size_t files;
	struct wanted wanted[TUNE_COLUMNS_MAX];
	struct tune_problem problem;
	struct tune_span *span;
	size_t spans; /* Tuned on and judged; behind them one of the log's first second, to try values on. */
	uint32_t *order; /* Those tuned on, as they are met. */
	sl_time warm;
	uint64_t seed, seeds;     /* The first, and how many: each span is run with each of them. */
	struct scenario scenario; /* Of the whole log. */
	struct policy_choice choice;
	bool loaded;
	bool silent; /* Of what cannot be simulated. */

	struct tune_search search;
	struct judged *front; /* The first is the winner. */
	size_t front_count;
	struct judged back[TUNE_AXES_MAX]; /* The winner with that knob as today, beside the winner. */
	struct gainer gainer[GAINERS_MAX];
	size_t gainers;
	size_t groups; /* Asked about. */
	enum tune_verdict verdict;
};

/* tune_spec.c: --spec FILE as options of the line. */
int tune_spec_take(struct args *args, const char *path, struct sl_err *err);
/* The same of its text, which ends in '\0'. */
int tune_spec_parse(struct args *args, const char *path, const char *text, size_t len, struct sl_err *err);
/* Where an option of the file of --spec stands, before what is wrong with it: the i-th of that name;
 * SIZE_MAX: the last. Returns the status. */
int tune_option_said(const struct args *args, const char *name, size_t i, struct sl_err *err);
/* tune_base.c: the log, today's settings, goals, spans, knobs. */
int tune_open(struct tune *tune, struct sl_err *err);
void tune_close(struct tune *tune);

/* tune_knobs.c */
/* "KEY=VALUE" of that key, each with or without "policy.". */
bool setting_is(const char *setting, const char *key);
int knobs_read(struct tune *tune, struct sl_err *err);
/* tune_sums.c: --link 'A+B=12', of knobs that were read. */
int sums_read(struct tune *tune, struct sl_err *err);
/* "policy.bf_window=60" for people; NULL: today's, not known. */
const char *knob_value(const struct knob *knob, uint32_t level);
/* tune_files.c: the file of a knob "FILE:WORDS", and where its value stands. */
int knob_file(struct tune *tune, struct knob *knob, struct sl_err *err);
/* A file's text with the knobs at these levels. */
char *file_edited(const struct tune *tune, size_t file, const uint32_t *level);
bool file_moves(const struct tune *tune, size_t file, const uint32_t *level);
/* What a candidate runs on: names of changed copies, made below DIR/files, in place of the user's. */
struct candidate_text {
	const char *cluster, *policy, *settings; /* The last in lines. */
};
int candidate_text(const struct tune *tune, const uint32_t *level, struct candidate_text *text,
	struct sl_arena *arena, struct sl_err *err);
/* tune_place.c, tune_place_yaml.c: where that value stands in a file of Slurm's, or of YAML. words: "A/B/C".
 */
int place_conf(struct file_place *place, const struct tuned_file *file, const char *words,
	struct sl_arena *arena, struct sl_err *err);
int place_yaml(struct file_place *place, const struct tuned_file *file, const char *words,
	struct sl_arena *arena, struct sl_err *err);

enum { PLACE_WORDS_MAX = 8 };
struct words {
	const char *word[PLACE_WORDS_MAX];
	size_t len[PLACE_WORDS_MAX];
	size_t count;
};
int words_split(struct words *words, const struct tuned_file *file, const char *text, struct sl_err *err);
/* A value that is there; one that is not, put in before `at`. */
int keep_place(struct file_place *place, const struct tuned_file *file, size_t at, size_t len,
	struct sl_arena *arena, struct sl_err *err);
int new_place(struct file_place *place, size_t at, const char *before, struct sl_err *err);

/* tune_check.c: today's settings have what is wanted; names and values that may move are such. */
int knobs_check(struct tune *tune, struct sl_err *err);

/* tune_points.c */
struct simulated {
	const uint32_t *level;
	size_t span;
	double *value; /* By metric; NAN. */
	bool failed;
	const char *why; /* It failed. */
};
/* Each as a point of a sweep in DIR. */
int simulate_points(struct tune *tune, struct simulated *simulated, size_t count, const char *const *metric,
	size_t metrics, struct sl_err *err);
/* A time as settings have it. */
const char *span_time(char text[40], sl_time time);

/* tune_judge.c: the search, then what it found on the other spans. */
int tune_go(struct tune *tune, struct sl_err *err);
/* Does what must hold hold on the spans judged? */
bool judged_holds(const struct tune *tune, const struct judged *judged, size_t column);

/* tune_print.c, tune_json.c, tune_patch.c, tune_page.c */
int tune_print(const struct tune *tune, struct sl_err *err);
int tune_json(const struct tune *tune, struct sl_err *err);
/* The change of the user's files as a unified diff; NULL: no memory; "": none is changed. */
char *tune_patch(const struct tune *tune, const uint32_t *level);
/* DIR/change.patch, DIR/tune.html. */
int tune_files_write(const struct tune *tune, struct sl_err *err);
int tune_page(const struct tune *tune, struct sl_err *err);
/* The line that asks the same again; a run of the winner on all of the log. */
void tune_put_line(const struct tune *tune, FILE *file);
int tune_put_run(const struct tune *tune, const uint32_t *level, FILE *file, struct sl_err *err);
const char *change_text(char text[32], double today, double is);
/* Candidates that met a span. */
size_t tune_tried(const struct tune *tune);
const char *verdict_word(enum tune_verdict verdict);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli.h - the program: the only room that prints, exits, reads clock or environment.
 *
 * One file per command. A command has a table of options; parsing, --help, the man page check and bash
 * completion all read that table.
 */
#ifndef SL_CLI_H
#define SL_CLI_H

#include <stdatomic.h>
#include <stdio.h>

#include "sim/runset.h"
#include "sim/table.h"

struct option_def {
	const char *name;    /* "set" for --set; */
	char letter;         /* 'p', or 0 */
	const char *value;   /* "KEY=VALUE" in help; NULL: a flag. */
	bool repeats;        /* May be given more than once. */
	const char *help;    /* One or more lines. */
};

/* What was given: values in order. */
struct given {
	const struct option_def *def;
	const char *value; /* NULL for a flag. */
};

struct args {
	const struct command *command;
	struct given *given;
	size_t given_count;
	char **word; /* Operands. */
	size_t word_count;
	struct sl_arena *arena;
};

const char *arg(const struct args *args, const char *name);           /* The last value, or NULL. */
bool arg_flag(const struct args *args, const char *name);
const char *arg_at(const struct args *args, const char *name, size_t i); /* The i-th of a repeated one, or NULL. */
/* A whole number option within bounds; fallback where absent. */
int arg_u64(const struct args *args, const char *name, uint64_t fallback, uint64_t min, uint64_t max, uint64_t *value,
	struct sl_err *err);

struct command {
	const char *name;
	const char *usage;   /* "run TRACE [options]" */
	const char *summary; /* One line. */
	const char *detail;  /* Paragraphs and examples for --help. */
	const struct option_def *options;
	size_t option_count;
	size_t words_min, words_max;
	int (*run)(const struct args *args, struct sl_err *err); /* 0 or a negative status. */
};

extern const struct command cmd_run, cmd_compare, cmd_inspect, cmd_convert, cmd_generate, cmd_list, cmd_version;

extern _Atomic int cli_stop; /* Set by SIGINT and SIGTERM. The one writable global of this room. */

/* Talk, on stderr: "schedlab: text". */
void talk(const char *format, ...) SL_PRINTF(1, 2);
/* One line on what was repaired and dropped, if anything was. */
void talk_oddities(const struct scenario *scenario);

/* Scenario options that run, compare and inspect share. */
int scenario_from_args(struct scenario *scenario, const struct args *args, struct settings *settings,
	struct sl_err *err);

/* progress.c: a bar on a terminal, nothing elsewhere. Starts a thread that reads, and joins it. */
struct progress_bar;
struct progress_bar *progress_start(struct run *runs, size_t count);
void progress_stop(struct progress_bar *bar);

/* outdir.c: a run directory, which appears whole or not at all. */
struct outdir;
/* Refuses (SL_USAGE) a directory that holds anything but a run (or comparison) of the same identity, unless force. identity: a text of
 * inputs and settings, hashed into run.json. */
int outdir_open(struct outdir **dir, const char *path, const char *identity, bool force, struct sl_err *err);
/* jobs.csv, metrics.json ... of one run, under dir/sub (sub NULL: dir itself). only: NULL, or names as --only gives them. */
int outdir_run(struct outdir *dir, const char *sub, const struct run *run, const char *only, struct sl_err *err);
int outdir_file(struct outdir *dir, const char *name, struct sl_out **out, struct sl_err *err);
int outdir_commit(struct outdir *dir, struct sl_err *err);
void outdir_abandon(struct outdir *dir);
/* The text that identity is made of. */
char *run_identity(const struct run *run, struct sl_arena *arena);
/* run.json, complete. */
void run_json(struct sl_out *out, const struct run *run, const char *only);

/* screen.c: tables and bars for people. Widths in characters; cells are UTF-8. */
struct screen_table;
struct screen_table *screen_table_new(struct sl_arena *arena, size_t columns);
void screen_cell(struct screen_table *table, bool right, const char *format, ...) SL_PRINTF(3, 4);
void screen_print(const struct screen_table *table, FILE *file);
/* "1:02:03", "3 d 04:00": seconds for people. */
const char *screen_duration(char buffer[32], sl_time time);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dry_run.h - --dry-run: what a command would read, run and write, reported on stdout, one line each, or with
 * --json as one object that is alike for all commands.
 *
 * A command checks all that it would check anyway, reports, and ends before it runs or writes anything. What
 * cannot be known without a run (how many points a search simulates) is reported as a bound.
 *
 * In order: dry_begin; what there is, in any order; dry_end.
 */
#ifndef SL_DRY_RUN_H
#define SL_DRY_RUN_H

#include "cli/base/cli.h"

enum dry_what { DRY_READ, DRY_RUN, DRY_WRITE, DRY_FACT };

struct dry_item {
	enum dry_what what;
	const char *text; /* The file; of a fact its name in JSON, "points". */
	const struct run *run;
	const char *name;   /* Of the run; NULL: it has none. Of a fact: its text, "points of the grid". */
	const char *detail; /* What is else to say of a run: what it has over a base. NULL. */
	uint64_t number;    /* Of a run: how often. Of a fact: it. */
	const char *word;   /* Of a fact that is no number; NULL. */
	struct dry_item *next;
};

struct dry_run {
	const struct args *args;
	struct dry_item *first, **last;
	bool failed; /* No memory: dry_end says so. */
};

void dry_begin(struct dry_run *dry, const struct args *args);
/* A file that is read; of one that was reported, nothing more. NULL: none. */
void dry_read(struct dry_run *dry, const char *path);
/* A run, and the files that it is made of. Lent until dry_end. times: with so many seeds. */
void dry_add(
	struct dry_run *dry, const struct run *run, const char *name, const char *detail, uint64_t times);
void dry_write(struct dry_run *dry, const char *path); /* NULL: nothing. */
/* "points": 12, printed as "points of the grid: 12". */
void dry_count(struct dry_run *dry, const char *key, const char *reported, uint64_t number);
void dry_word(struct dry_run *dry, const char *key, const char *reported, const char *word);
int dry_end(struct dry_run *dry, struct sl_err *err);

/* Could a file of that name be written (SL_SYSTEM, SL_USAGE)? NULL and "-" could. */
int dry_file_check(const char *path, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab.h - exercises whose answers are checked: a key beside a lab says how each is found, a student's answers
 * are compared with what is found now, on the student's own workload. schedlab-labs(5).
 */
#ifndef SL_LAB_H
#define SL_LAB_H

#include "cli/base/cli.h"
#include "cli/base/selector.h"

enum { LAB_QUESTIONS_MAX = 200, LAB_FILES_MAX = 50, LAB_SECRET_MAX = 4096 };

/* A file that is made for each student, with the student's own seed. */
struct lab_file {
	const char *name, *generate; /* "mine.swf", "lublin --jobs 500 --cpus 64" */
	uint64_t line;
};

enum lab_kind {
	LAB_VALUE,    /* One number, or one of several that will do. */
	LAB_WORD,     /* A choice, a job, a list of names. */
	LAB_SCHEDULE, /* A file with job_id,start: as the run has it. */
	LAB_BEATS,    /* A policy of the student's, that does better than a bound. */
	LAB_TEXT      /* Read by the teacher: only that it is there. */
};

struct lab_question {
	const char *name;
	enum lab_kind kind;
	const char *word;         /* LAB_WORD, or a fixed value: the right answer. */
	const char *run, *other;  /* Words of `schedlab run`; other: less, or over, or against which. */
	bool over;                /* The ratio of the two; else their difference. */
	const char *metric;       /* A selector of the run; */
	const char *job, *column; /* or a column of jobs.csv of one job. */
	const char *within;       /* A tolerance, "±1%". */
	const char *why;          /* Told with a wrong answer; NULL: nothing. */
	int64_t points;           /* Default 1. */
	struct sl_place at;
};

struct lab {
	const char *folder, *title;
	const char **copy; /* Files of a handout, as they are. */
	size_t copy_count;
	struct lab_file *make;
	size_t make_count;
	struct lab_question *question;
	size_t question_count;
	struct sl_arena *arena;
	struct registry *registry;
	uint64_t seed;
	char work[4096]; /* Where files of this seed are. */
};

/* lab_key.c: FOLDER/key.yaml. */
int lab_read(struct lab *lab, const char *folder, struct sl_arena *arena, struct sl_err *err);
/* Its text; path: for errors. */
int lab_parse(struct lab *lab, const char *path, const char *text, size_t len, struct sl_arena *arena,
	struct sl_err *err);
/* The seed of a student: the first 31 bits of HMAC-SHA256(secret, id). */
int lab_seed(const char *secret_file, const char *student, uint64_t *seed, struct sl_err *err);

/* lab_find.c: what is right. */
/* Makes the files of lab->seed in lab->work. */
int lab_make(struct lab *lab, struct sl_err *err);
int lab_value(
	struct lab *lab, const struct lab_question *question, int64_t *micro, bool *time, struct sl_err *err);
/* LAB_BEATS: under the student's policy, and the bound. */
int lab_beats(struct lab *lab, const struct lab_question *question, const char *policy, int64_t *is,
	int64_t *bound, struct sl_err *err);
/* LAB_SCHEDULE: *wrong NULL: all jobs start as in the run; else in words which does not. */
int lab_schedule(struct lab *lab, const struct lab_question *question, const char *path, const char **wrong,
	struct sl_err *err);

/* check_lab.c: schedlab check LAB --student ANSWERS, --handout DIR, --grade FOLDER. */
bool lab_asked(const struct args *args);
int check_lab(const struct args *args, struct sl_err *err);

#endif

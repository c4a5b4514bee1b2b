/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow.h - workflow files in between: from a document to rows of the table of jobs; see
 * schedlab-workflow(5).
 *
 * A file has workflows, each of stages, each of copies. What a stage requests is said by columns of the
 * table, and read as the table reads its cells. Instances come in the order of their times; within one,
 * stages and copies as in the file.
 */
#ifndef TRACES_WORKFLOW_H
#define TRACES_WORKFLOW_H

#include "traces/table/job_table.h"

enum {
	WORKFLOW_MAX = 10000,
	WORKFLOW_STAGES_MAX = 10000,  /* Of one workflow. */
	WORKFLOW_COPIES_MAX = 100000, /* Of one stage. */
	WORKFLOW_JOBS_MAX = 1000000,  /* Of a file. */
	WORKFLOW_LISTED_MAX = 10000,  /* Trials of a search, one by one. */
	WORKFLOW_SPACE_MAX = 64,      /* Parameters of a search. */
	WORKFLOW_NAME_MAX = 63,
	WORKFLOW_TEXT_MAX = 4096 /* Of what is written into a cell. */
};

struct workflow_stage {
	const struct sl_doc_node *map;
	const char *name;
	const struct sl_doc_node *needs, *search; /* NULL: none. */
	uint32_t copies, at_most;                 /* at_most 0: as many as fit. */
	bool array;                               /* It says how many copies: they are an array. */
};

struct workflow {
	const struct sl_doc_node *map;
	const char *name;
	struct workflow_stage *stage;
	uint32_t stage_count;
	uint32_t jobs; /* Of one instance. */
	bool numbered; /* It says how often it comes: instances are numbered from 1. */
};

struct workflow_instance {
	sl_time at;
	uint32_t workflow, number;
};

struct workflow_file {
	struct table t;
	struct sl_doc doc;
	struct sl_err *err;
	struct workflow *workflow;
	uint32_t count;
	struct workflow_instance *instance;
	size_t instance_count, instance_capacity;
	struct sl_place place[TABLE_FIELDS_MAX]; /* Of the cells of the row that is being made. */
	int64_t arrays;                          /* Numbers given to arrays. */
	uint64_t jobs;
};

/* workflow.c: what is written, and messages about it. */
const char *workflow_text(const struct workflow_file *w, const struct sl_doc_node *node);
const char *workflow_key(const struct workflow_file *w, const struct sl_doc_node *node);
int workflow_fail(const struct workflow_file *w, const struct sl_doc_node *node, const char *wanted);
int workflow_number(const struct workflow_file *w, const struct sl_doc_node *node, int64_t min, int64_t max,
	int64_t *value);
int workflow_time(
	const struct workflow_file *w, const struct sl_doc_node *node, sl_time least, sl_time *value);
int workflow_list(const struct workflow_file *w, const struct sl_doc_node *node, const char *wanted);
bool workflow_is(const struct workflow_file *w, const struct sl_doc_node *node, const char *key);
/* A name: letters, digits, '.', '_', '-'. */
int workflow_name(const struct workflow_file *w, const struct sl_doc_node *node, const char **name);

/* workflow_times.c: when its instances come. */
int workflow_times(struct workflow_file *w, uint32_t number);

/* workflow_row.c: the document of such a file, of which `t` and its file's name are known. */
int workflow_doc_read(struct workflow_file *w, struct sl_input *in, struct sl_err *err);
/* Is this the first word that is not blank and in no comment? As a reader's sniff. */
int workflow_begins(const char *text, size_t len, const char *word);
int workflow_rows(struct workflow_file *w, const struct workflow_instance *instance);
/* A cell of that column, unless it has one already; of a profile's column by its number. */
int workflow_cell(
	struct workflow_file *w, enum table_column column, const char *text, const struct sl_doc_node *at);
int workflow_profile_cell(
	struct workflow_file *w, uint32_t column, const char *text, const struct sl_doc_node *at);
/* Members of a map that are columns. own: keys that are not. */
int workflow_cells(struct workflow_file *w, const struct sl_doc_node *map, const char *const *own);

/* workflow_search.c: how many trials a search has; */
int workflow_trials(const struct workflow_file *w, const struct sl_doc_node *search, uint32_t *trials);
/* the cells of one. whole: "train-1.tune". */
int workflow_trial(
	struct workflow_file *w, const struct workflow_stage *stage, const char *whole, uint32_t trial);

extern const struct sl_reader workflow_reader;

#endif

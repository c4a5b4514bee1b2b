/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_reading.h - what the files runai_read*.c share while they read: values of a document with their
 * places, and the config that grows.
 *
 * A reader's functions do nothing once something failed; the caller looks at err at the end.
 */
#ifndef SL_RUNAI_READING_H
#define SL_RUNAI_READING_H

#include "policies/runai/runai_read.h"

/* Bits of what a queue's source said of itself; the rest has defaults once all is read. */
enum { RUNAI_SAID_QUOTA = 1, RUNAI_SAID_LIMIT = 2, RUNAI_SAID_WEIGHT = 4 };

/* A queue while it is read. */
struct runai_draft {
	const char *parent;   /* By name; NULL: none was given. */
	bool of_file, of_kai; /* The projects file, KAI's objects. */
	bool is_department;
	bool types_said;
	double weight; /* over-quota: NUMBER; below 0: not said. */
	bool time_said[RUNAI_TYPES], idle_said[RUNAI_TYPES], group_said[RUNAI_TYPES];
	sl_time time; /* creationTimestamp */
};

struct runai_reading {
	struct runai_config *config;
	struct sl_arena *arena;
	struct sl_err *err;
	struct runai_draft *draft;           /* By queue. */
	struct runai_map_rule *map, *listed; /* Rules, and those of projects' lists, which come after them. */
	uint32_t map_count, listed_count;
	struct runai_type_rule *type;
	uint32_t type_count;
	struct runai_class *class;
	struct kai_topology *topology;
	struct runai_note *note;
	struct runai_pool all; /* What applies to all pools that have no settings of their own. */
	const char *fallback;  /* Of the map, by name. */
	struct sl_place fallback_at;
	struct sl_place projects_at; /* Of the projects file. */
	bool has_file;
};

static inline struct runai_reading *runai_of(struct sl_at at) { return at.self; }

/* ---- runai_doc.c ------------------------------------------------------------------------------------- */

struct sl_at runai_doc(struct runai_reading *r, const struct sl_doc *doc, const struct sl_doc_node *node);
bool runai_failed(const struct runai_reading *r);
void runai_note(struct sl_at at, const char *format, ...) SL_PRINTF(2, 3);
/* Memory for one more behind count of them: the array, or a larger one; NULL: no memory. */
void *runai_grow(struct runai_reading *r, void *array, uint32_t count, size_t size);
void *runai_headroom(struct runai_reading *r, size_t count, size_t size);
const char *runai_copy(struct runai_reading *r, const char *text);

bool runai_is_text(struct sl_at at);
bool runai_is_list(struct sl_at at);
const char *runai_text(struct sl_at at); /* The arena's; NULL: not there. */
const char *runai_name(struct sl_at at, const char *key);
double runai_real(struct sl_at at, double fallback); /* Not negative. */
/* "90", "1.5h", "3d", "1h30m", "1w2d" */
sl_time runai_time(struct sl_at at, sl_time fallback);
sl_time runai_seconds(struct sl_at at, sl_time fallback); /* A bare number of seconds. */
/* Amounts of the projects file: GPUs and cpus as numbers, memory as 64Gi; "unlimited" and -1. */
int64_t runai_amount(struct sl_at at, enum kai_res res, int64_t fallback);
/* Those of KAI's Queue: GPUs, thousandths of a cpu, 10^6 bytes; -1 unlimited. */
int64_t runai_kai_amount(struct sl_at at, enum kai_res res, int64_t fallback);
/* A list of texts, or one text. */
const char *const *runai_texts(struct sl_at at, uint32_t *count, uint32_t max);

/* ---- runai_read.c ------------------------------------------------------------------------------------ */

/* A new one of that name; KAI_NO: it was there (an error, unless it was only named), or no memory. */
uint32_t runai_new_queue(struct sl_at at, const char *name);
uint32_t runai_new_pool(struct sl_at at, const char *name);
/* The pool of that name, or a new one; KAI_NO: failed. */
uint32_t runai_pool(struct sl_at at, const char *name);
/* The share of a pool, made where there is none; NULL: failed. Pointers hold until the next is made. */
struct runai_share *runai_share_in(struct runai_reading *r, uint32_t queue, uint32_t pool);

/* ---- runai_read_file.c, runai_read_queue.c, runai_read_shard.c, runai_read_rules.c ------------------- */

void runai_read_file(struct sl_at root);
void runai_read_kai_queue(struct sl_at at, const struct sl_object *object);
void runai_read_project(struct sl_at at, const struct sl_object *object);
void runai_read_department(struct sl_at at, const struct sl_object *object);
void runai_read_shard(struct sl_at at, const struct sl_object *object);
void runai_read_kai_config(struct sl_at at, const struct sl_object *object);
/* spec of a SchedulingShard, or `scheduler:` of the projects file. */
void runai_read_scheduler(struct sl_at spec, struct runai_pool *pool);
void runai_read_match(struct sl_at at, struct runai_match *match);
void runai_read_map(struct sl_at at);
void runai_read_types(struct sl_at at);
int runai_type_of(const char *text); /* Of a word; RUNAI_TYPES: interactive, both build types; -1. */

#endif

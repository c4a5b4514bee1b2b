/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_case.h - a recorded case of KAI (schema kai-cases/1): its world, and its texts.
 */
#ifndef SL_RUNAI_CASE_H
#define SL_RUNAI_CASE_H

#include "policies/runai/rules/kai_solve.h"

/* What the case said of a job. */
struct runai_given {
	sl_time started, stale_since;
};

struct runai_case {
	struct sl_arena *arena; /* Of the case. */
	const struct sl_doc *doc;
	const struct sl_doc_node *root, *expect;
	const char *id, *kind;
	struct kai *kai;           /* Of a schedule: its world, sealed. Else empty. */
	struct runai_given *given; /* By row of the job, of a schedule. */
	bool verbose;
	char why[4000];
};

/* NULL: passed; else why not, in c->why or a constant. */
const char *ra_fail(struct runai_case *c, const char *format, ...) SL_PRINTF(2, 3);
const char *ra_schedule(struct runai_case *c);
/* runai_units.c: all other kinds. */
const char *ra_unit(struct runai_case *c);

/* Members of the document. A member that is null is absent. */
const struct sl_doc_node *ra_get(const struct runai_case *c, const struct sl_doc_node *map, const char *key);
const struct sl_doc_node *ra_first(
	const struct runai_case *c, const struct sl_doc_node *list); /* NULL: none */
const struct sl_doc_node *ra_next(const struct runai_case *c, const struct sl_doc_node *node);
const char *ra_key(const struct runai_case *c, const struct sl_doc_node *node);  /* Of a map's member. */
const char *ra_text(const struct runai_case *c, const struct sl_doc_node *node); /* NULL: no text. */
const char *ra_str(
	const struct runai_case *c, const struct sl_doc_node *map, const char *key, const char *fallback);
double ra_real(const struct runai_case *c, const struct sl_doc_node *map, const char *key, double fallback);
int64_t ra_int(const struct runai_case *c, const struct sl_doc_node *map, const char *key, int64_t fallback);
bool ra_bool(const struct runai_case *c, const struct sl_doc_node *map, const char *key, bool fallback);
sl_time ra_seconds(
	const struct runai_case *c, const struct sl_doc_node *map, const char *key, sl_time fallback);
/* An amount of that resource; -1: KAI_UNLIMITED; in units of kai.h. */
int64_t ra_amount(const struct runai_case *c, const struct sl_doc_node *map, const char *key,
	enum kai_res res, int64_t fallback);
const char *ra_res_key(enum kai_res res); /* "cpu_milli", "memory_bytes", "gpu" */
struct kai_vec ra_vec(const struct runai_case *c, const struct sl_doc_node *map); /* Absent ones are 0. */

/* A queue of the case as a row: parent (made if it is not there), priority, age, and by resource quota,
 * limit, weight; also fair_share, allocated, allocated_non_preemptible, request, usage where they are said.
 */
uint32_t ra_queue(struct runai_case *c, const struct sl_doc_node *node);

enum kai_state ra_state_of(const char *name);
const char *ra_state_name(int64_t state);

/* runai_case.c: the world of a schedule. */
void ra_build(struct runai_case *c);

#endif

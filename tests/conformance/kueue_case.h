/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_case.h - a recorded case of Kueue (schema kueue-cases/1): its world, and its texts.
 */
#ifndef SL_KUEUE_CASE_H
#define SL_KUEUE_CASE_H

#include "policies/kueue/rules/kq_cycle.h"

struct kueue_case {
	struct sl_arena *arena; /* Of the case. */
	const struct sl_doc *doc;
	const struct sl_doc_node *root, *given, *input, *expect; /* NULL: absent. */
	const char *id, *op;
	struct kq *kq; /* Of `given`, sealed; given.usage is counted. */
	struct kq_scratch *scratch;
	char why[2000];
};

/* NULL: passed; else why not, in c->why or a constant. */
typedef const char *kueue_op(struct kueue_case *c);
const char *kc_fail(struct kueue_case *c, const char *format, ...) SL_PRINTF(2, 3);

/* Members of the document. A member that is null is absent. */
const struct sl_doc_node *kc_get(const struct kueue_case *c, const struct sl_doc_node *map, const char *key);
const struct sl_doc_node *kc_first(
	const struct kueue_case *c, const struct sl_doc_node *list); /* NULL: none */
const struct sl_doc_node *kc_next(const struct kueue_case *c, const struct sl_doc_node *node);
const char *kc_key(const struct kueue_case *c, const struct sl_doc_node *node); /* Of a map's member. */
const char *kc_text(
	const struct kueue_case *c, const struct sl_doc_node *node); /* NULL: absent, or no text. */
/* Of a map's member; the fallback where it is absent. */
const char *kc_str(
	const struct kueue_case *c, const struct sl_doc_node *map, const char *key, const char *fallback);
int64_t kc_int(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, int64_t fallback);
bool kc_bool(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, bool fallback);
double kc_real(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, double fallback);
sl_time kc_time(const struct kueue_case *c, const struct sl_doc_node *map, const char *key, sl_time fallback);
bool kc_requires(const struct kueue_case *c, const char *what); /* Among the case's `requires`. */
int64_t kc_amount(const struct kueue_case *c, const struct sl_doc_node *node); /* "unlimited" too. */
struct kq_amounts kc_amounts(struct kueue_case *c, const struct sl_doc_node *map);
struct sl_labels kc_labels(struct kueue_case *c, const struct sl_doc_node *map);

/* A workload of the schema, as a row of the world; in no queue. */
uint32_t kc_workload(struct kueue_case *c, const struct sl_doc_node *node);
void kc_podsets(struct kueue_case *c, uint32_t workload, const struct sl_doc_node *list);
/* "space/name"; KQ_NO: there is none. */
uint32_t kc_find_workload(const struct kueue_case *c, const char *key);
void kc_workload_key(const struct kueue_case *c, uint32_t workload, char key[512]);
struct kq_placement *kc_placement(
	struct kueue_case *c, const struct sl_doc_node *node); /* kq_placement_free */

/* kueue_case.c: the world of c->given and c->input. */
void kc_build(struct kueue_case *c);

/* The ops. */
kueue_op op_available, op_dominant_resource_share, op_queue_head, op_heads, op_queue_order_timestamp,
	op_requeue, op_queue_ops, op_requeue_cohort_tree, op_backoff_expired;
kueue_op op_assign_flavors, op_podset_search, op_total_requests, op_limit_reclaimable,
	op_compare_flavor_modes, op_reserve;
kueue_op op_preemption_targets, op_order_candidates;
kueue_op op_tas_place, op_tas_sort_domains;
kueue_op op_schedule_cycle, op_two_phase_schedule, op_order_entries, op_reconcile_workload,
	op_pods_ready_check, op_set_requeue_state, op_cluster_queue_status;

#endif

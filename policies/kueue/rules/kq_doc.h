/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_doc.h - the fields of an object as its manifest has them: texts, numbers, quantities, words, with the
 * place in the file for what is wrong.
 *
 * A reader's functions do nothing once something failed: the first failure is the world's (kq->err), and the
 * caller looks at it at the end.
 */
#ifndef SL_KUEUE_KQ_DOC_H
#define SL_KUEUE_KQ_DOC_H

#include "policies/kueue/rules/kq.h"

/* A value of a manifest; node NULL: it is not there. */
struct kq_at {
	struct kq *kq;
	const struct sl_doc *doc;
	const struct sl_doc_node *node;
};

struct kq_at kq_doc_of(struct kq *kq, const struct sl_object *object);
/* The member at a path of keys, "spec.preemption.withinClusterQueue". A text in the way is an error. */
struct kq_at kq_doc_get(struct kq_at at, const char *path);
/* Members of a map or list in turn; node NULL: there are no more. */
struct kq_at kq_doc_first(struct kq_at at);
struct kq_at kq_doc_next(struct kq_at at);
uint32_t kq_doc_count(struct kq_at at);
bool kq_doc_is_null(struct kq_at at); /* Not there, or `null`. */

const char *kq_doc_key(struct kq_at at);  /* Of a map's member: lent. */
const char *kq_doc_text(struct kq_at at); /* Interned; NULL: not there, or null. */
/* Interned; a failure if it is not there. */
const char *kq_doc_name(struct kq_at at, const char *path);
int64_t kq_doc_int(struct kq_at at, int64_t fallback, int64_t min, int64_t max);
double kq_doc_weight(struct kq_at at, double fallback); /* A quantity, not negative. */
bool kq_doc_bool(struct kq_at at, bool fallback);
/* A quantity of that resource; fallback: it is not there. Not negative. */
int64_t kq_doc_amount(struct kq_at at, const char *resource, int64_t fallback);
sl_time kq_doc_duration(struct kq_at at, sl_time fallback); /* "1h30m", "90s" */
/* One of the words, as its index; fallback: it is not there. words ends in NULL. */
int kq_doc_word(struct kq_at at, const char *const *words, int fallback);
struct sl_labels kq_doc_labels(struct kq_at at);
struct sl_taints kq_doc_taints(struct kq_at at);
struct sl_tolerations kq_doc_tolerations(struct kq_at at);
/* null: nothing; {}: everything. */
struct sl_label_selector kq_doc_selector(struct kq_at at);
/* What is wrong with the value, at its place (of its key, where it has one). */
int kq_doc_fail(struct kq_at at, const char *format, ...) SL_PRINTF(2, 3);

#endif

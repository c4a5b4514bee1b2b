/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_doc.h - the fields of an object (sim/plugin/value.h) that are Kueue's: quantities, durations, labels.
 * Texts belong to kq; the first failure is kept in kq->err.
 */
#ifndef SL_KUEUE_KQ_DOC_H
#define SL_KUEUE_KQ_DOC_H

#include "policies/kueue/rules/kq.h"

struct sl_at kq_doc_of(struct kq *kq, const struct sl_object *object);
const char *kq_doc_text(struct sl_at at); /* Interned; NULL: not there, or null. */
/* Interned; a failure if it is not there. */
const char *kq_doc_name(struct sl_at at, const char *path);
double kq_doc_weight(struct sl_at at, double fallback); /* A quantity, not negative. */
/* A quantity of that resource; fallback: it is not there. Not negative. */
int64_t kq_doc_amount(struct sl_at at, const char *resource, int64_t fallback);
sl_time kq_doc_duration(struct sl_at at, sl_time fallback); /* "1h30m", "90s" */
struct sl_labels kq_doc_labels(struct sl_at at);
struct sl_taints kq_doc_taints(struct sl_at at);
struct sl_tolerations kq_doc_tolerations(struct sl_at at);
/* null: nothing; {}: everything. */
struct sl_label_selector kq_doc_selector(struct sl_at at);

#endif

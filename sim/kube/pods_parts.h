/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_parts.h - objects of Kubernetes while they are read: what pods_doc.c, pods_spec.c,
 * pods_affinity.c, pods_kinds.c, pods_lws.c and pods_groups.c share.
 *
 * The first failure stays, and all that follows it reads as if nothing was said: the reader checks `status`
 * once, at the end. A value of null counts as not said.
 */
#ifndef SL_PODS_PARTS_H
#define SL_PODS_PARTS_H

#include "sim/base/base.h"

/* Bounds of what is read: pods of a podset, entries of a list. */
enum { PODS_MAX = 10000000, PODS_LIST_MAX = 4096 };

struct pods_reading {
	struct sl_arena *arena;
	const struct sl_doc *doc;
	struct sl_err *err;
	int status;
};

/* ---- pods_doc.c: values ---------------------------------------------------------------------- */

/* A member that is a map, a list; NULL: there is none. */
const struct sl_doc_node *pods_map(struct pods_reading *r, const struct sl_doc_node *map, const char *key);
const struct sl_doc_node *pods_list(struct pods_reading *r, const struct sl_doc_node *map, const char *key);
/* A member's text; NULL: there is none. Lent by the document. */
const char *pods_text(struct pods_reading *r, const struct sl_doc_node *map, const char *key);
int64_t pods_number(struct pods_reading *r, const struct sl_doc_node *map, const char *key, int64_t otherwise,
	int64_t min, int64_t max);
bool pods_flag(struct pods_reading *r, const struct sl_doc_node *map, const char *key);
/* All of a list's texts. */
const char *const *pods_texts(struct pods_reading *r, const struct sl_doc_node *list, uint32_t *count);
/* Zeroed; NULL, and out of memory, or nothing is wanted. */
void *pods_alloc(struct pods_reading *r, size_t count, size_t size);
size_t pods_count(const struct sl_doc_node *list);
const struct sl_doc_node *pods_first(const struct pods_reading *r, const struct sl_doc_node *list);
int pods_fail(struct pods_reading *r, const struct sl_doc_node *node, const char *format, ...)
	SL_PRINTF(3, 4);

struct sl_labels pods_labels(struct pods_reading *r, const struct sl_doc_node *map);
struct sl_label_term pods_expressions(struct pods_reading *r, const struct sl_doc_node *list);
/* NULL selects nothing. */
struct sl_label_selector pods_selector(struct pods_reading *r, const struct sl_doc_node *map);
struct sl_tolerations pods_tolerations(struct pods_reading *r, const struct sl_doc_node *list);
struct sl_amounts pods_amounts(struct pods_reading *r, const struct sl_doc_node *map);

/* What kube-scheduler's scores take for a container that does not say what it requests of cpu and memory, in
 * thousandths and bytes (pkg/scheduler/util/pod_resources.go). */
#define POD_CPU_UNASKED INT64_C(100)
#define POD_MEM_UNASKED (INT64_C(200) << 20)

/* ---- pods_amounts.c: the requests of one pod over all its containers --------------------------------- */

void pods_request(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset);
bool pods_is_sidecar(struct pods_reading *r, const struct sl_doc_node *container); /* Of an init container. */

/* ---- pods_containers.c: each by itself, where one requests a resource of some domain ------------------ */

void pods_containers(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset);

/* ---- pods_pod_affinity.c: affinity, spread ----------------------------------------------------------- */

void pods_pod_affinity(struct pods_reading *r, const struct sl_doc_node *spec, struct sl_podset *podset);

/* ---- pods_spec.c: a pod template ------------------------------------------------------------- */

/* template: with metadata and spec, as a Pod has them too. */
void pods_template(struct pods_reading *r, const struct sl_doc_node *template, struct sl_podset *podset);
/* Space for so many, all unset; NULL: none are wanted, or it failed. */
struct sl_podset *pods_podsets(struct pods_reading *r, struct sl_pods *pods, size_t count);
/* ---- pods_lws.c ------------------------------------------------------------------------------ */

void pods_lws(struct pods_reading *r, const struct sl_doc_node *object, struct sl_pods *pods);
/* With the label `key`, and, where a topology is asked for, in one of its domains with all of the same value,
 * where none of another is. */
void pods_alone_in(struct pods_reading *r, struct sl_podset *podset, const char *topology, const char *key,
	const char *value);

#endif

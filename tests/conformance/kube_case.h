/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_case.h - a recorded world of kube-scheduler (schedlab/kube-recorded/1), and what policy kube did in
 * it.
 *
 * The rules of policies/kube are driven step by step: pods go and come as in the world, and as many cycles
 * are run as were recorded. Cluster and pods are read as a user's files are.
 */
#ifndef SL_KUBE_CASE_H
#define SL_KUBE_CASE_H

#include "policies/kube/kube.h"
#include "tests/conformance/rerun.h"

/* What is said of a cycle, each as text; "" where nothing is. They are compared in this order. */
enum told_part {
	TOLD_POD,
	TOLD_RESULT,
	TOLD_START,  /* The node where the search began: of some worlds. */
	TOLD_NODES,  /* "feasible of evaluated" */
	TOLD_FILTER, /* "n1=!NodeAffinity n2=NodeResourcesFit:cpu,pods" */
	TOLD_SCORES, /* "n1=NodeResourcesFit:80,TaintToleration:300 n2=..." */
	TOLD_NODE,
	TOLD_VICTIMS,
	TOLD_NOMINATED,
	TOLD_PARTS
};
struct told {
	char *part[TOLD_PARTS];
};
struct told_list {
	struct told *at;
	size_t count, capacity;
};

struct kube_case {
	struct sl_doc doc;
	const struct sl_doc_node *root, *step;
	const struct sl_doc_node *claims; /* As they were last told; NULL: there are none. */
	const char *name, *kind;
	struct rerun run;
	struct kube k;
	struct sl_pods **pods;           /* By job, NULL: it was not created yet. */
	struct sl_map by_name;           /* Jobs. */
	struct told_list recorded, ours; /* Of the step. */
	struct told now;                 /* Our cycle under way. */
	bool repeats;                    /* Of the step cycles were left out that are as one before. */
	size_t cycles;                   /* Of ours in the step, all. */
	char differs[96];                /* A kind of difference, */
	char *why;                       /* and all about it. */
};

/* kube_case.c: NULL: the same; else c->differs, or why it cannot be run. */
const char *kube_case_run(struct kube_case *c, const char *text, size_t len);
void kube_case_release(struct kube_case *c);

/* kube_told.c */
void told_add(char **part, const char *format, ...) SL_PRINTF(2, 3);
void told_recorded(struct kube_case *c, const struct sl_doc_node *cycles);
extern const struct kube_watch told_watch; /* Its self: a case. */
void told_sort(char **part);               /* Its words. */
void told_clear(struct told_list *list);
void told_free(struct told *told);
const char *told_part_name(enum told_part part);
const char *told_pod_name(const struct kube_case *c, uint32_t pod);
bool told_same(const char *a, const char *b); /* NULL is "". */

/* kube_claims.c: devices that claims have; the texts are the caller's to free. */
bool claims_same(struct kube_case *c, const struct sl_doc_node *claims, char **theirs, char **ours);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_argo.h - a Workflow of Argo while it becomes steps: what kube_argo.c, kube_argo_loop.c,
 * kube_argo_pod.c and kube_argo_text.c share.
 *
 * A template is read anew for each call of it, with its parameters in the place of {{...}}; what is not known
 * before the workflow runs stays as it is, and is an error only in what is read.
 */
#ifndef SL_KUBE_ARGO_H
#define SL_KUBE_ARGO_H

#include "traces/kube/kube_steps.h"

enum {
	ARGO_DEPTH_MAX = 24,
	ARGO_PARAMS_MAX = 1000,
	ARGO_ITEMS_MAX = KUBE_STEPS_MAX,
	ARGO_CALLS_MAX = 1000000,
	ARGO_WAITS_MAX = 5000000,
	ARGO_TEXT_MAX = 8 << 20,  /* Bytes of one template with its parameters in it, */
	ARGO_KEPT_MAX = 256 << 20 /* of all parameters. */
};
#define ARGO_FILLED_MAX (UINT64_C(16) << 30) /* Of all templates, as often as they are called. */

struct argo_params {
	const char **name, **value; /* "inputs.parameters.x", "item.key", "workflow.name". */
	size_t count, name_capacity, value_capacity;
};

/* What a step waits for: the end of another, or the submission (NULL), and so long. */
struct argo_after {
	const struct kube_step *step;
	sl_time delay;
};
struct argo_afters {
	struct argo_after *at;
	size_t count, capacity;
};

struct argo {
	const struct sl_object *object,
		*base;    /* The Workflow; the WorkflowTemplate that it is made of, or NULL. */
	const char *name; /* As its jobs are called: of one with a generateName, with its number. */
	const struct kube_owners *owners;
	struct kube_steps *steps;
	struct sl_arena *arena; /* Of texts. */
	struct argo_params global;
	struct kube_times times;
	int64_t most;            /* parallelism; 0: any number. */
	unsigned depth, chained; /* Of templates in each other; of tasks that wait for others to be made. */
	size_t calls, waits;     /* Of templates; of steps for others. */
	uint64_t kept, filled;   /* Bytes: of parameters; of texts with these in them. */
	struct sl_place place;   /* Of the template that is read. */
	struct sl_err *err;
};

/* One call of a template: by whom, and in what. */
struct argo_call {
	const struct sl_object *owner; /* Whose templates it means. */
	const struct sl_doc *doc;      /* Of the step or task, filled. */
	const struct sl_doc_node *node;
	const char *id;
	const struct argo_afters *after;
};

/* One step or task of the call's, as often as it loops; ends: of all of these. */
int argo_call_in(struct argo *w, const struct argo_call *outer, const struct sl_doc_node *node,
	const struct argo_afters *after, struct argo_afters *ends);
int argo_after_all(struct argo *w, struct argo_afters *to, const struct argo_afters *from);
int argo_check_names(const struct argo *w, const char *const *name, size_t count);
int argo_fail(const struct argo *w, const char *format, ...) SL_PRINTF(2, 3);
/* A member of the Workflow's spec, else of its WorkflowTemplate's; doc: whose. NULL: of neither. */
const struct sl_doc_node *argo_spec(const struct argo *w, const char *key, const struct sl_doc **doc);

/* ---- kube_argo_dag.c ---------------------------------------------------------------------------------- */

int argo_dag(struct argo *w, const struct argo_call *call, const struct sl_doc_node *body,
	struct argo_afters *ends);

/* ---- kube_argo_text.c ------------------------------------------------------------------------------ */

int argo_param(
	struct argo *w, struct argo_params *params, const char *prefix, const char *name, const char *value);
void argo_params_release(struct argo_params *params);
/* In all texts of a JSON: of `params`, then of the workflow. */
int argo_fill(struct argo *w, const struct argo_params *params, const struct manifest_text *from,
	struct manifest_text *to);
/* A node of a document as a document of its own, filled. Released whatever happens. */
int argo_read(struct argo *w, const struct argo_params *params, const struct sl_doc *doc,
	const struct sl_doc_node *node, struct sl_doc *to);
/* A text, or JSON, in the arena; NULL: out of memory. */
const char *argo_value(struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *node);
/* A whole number from 0; absent: `otherwise`. */
int argo_number(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *map,
	const char *key, int64_t otherwise, int64_t *number);

/* ---- kube_argo_loop.c: withItems, withSequence
 * --------------------------------------------------------- */

struct argo_loop {
	bool loops;                             /* Else it is once, with nothing to fill in. */
	const struct sl_doc_node *items, *next; /* next: the item of the next time. */
	int64_t from, by;
	size_t count;
};
int argo_loop_of(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *call,
	struct argo_loop *loop);
/* The parameters of the next time. */
int argo_loop_next(
	struct argo *w, struct argo_loop *loop, const struct sl_doc *doc, struct argo_params *params);

/* ---- kube_argo_pod.c: a pod -------------------------------------------------------------------------
 */

bool argo_is_pod(const struct sl_doc *doc, const struct sl_doc_node *template);
/* One step more, that comes after those. */
int argo_pod(struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *template, const char *id,
	const struct argo_afters *after, const struct kube_step **step);

#endif

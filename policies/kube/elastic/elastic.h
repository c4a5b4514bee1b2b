/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic.h - nodes that come and go: what cluster-autoscaler and Karpenter have in common. Private to
 * policies/kube/elastic.
 *
 * A pool is a NodeGroup (cluster-autoscaler) or a NodePool (Karpenter). Its nodes are nodes of the cluster,
 * and each is absent, ordered (it comes at a time), there, or leaving: tainted, and gone once it is drained.
 * What either program would find is tried on the pods as they stand, and taken back (elastic_try.c); what it
 * does goes through elastic_nodes.c, which alone moves a node from one state to the next, evicts, and counts
 * hours and money.
 */
#ifndef KUBE_ELASTIC_H
#define KUBE_ELASTIC_H

#include "policies/kube/kube.h"

enum { ELASTIC_PODS_MAX = 5000 };    /* Pods that one scan looks at. */
enum { ELASTIC_EXPIRED_MAX = 1000 }; /* So often a job's pods begin anew. */
#define ELASTIC_GAVE_UP UINT64_MAX
#define ELASTIC_MILLION INT64_C(1000000)

enum elastic_state { ELASTIC_ABSENT, ELASTIC_ORDERED, ELASTIC_THERE, ELASTIC_LEAVING };

struct elastic_node {
	uint32_t pool;  /* KUBE_NO: nobody's, it is always there. */
	uint32_t offer; /* Of a NodePool: what it is an instance of; KUBE_NO. */
	enum elastic_state state;
	bool template; /* Made of a template: absent at first. */
	bool keep;     /* Its annotations say that it is not to be removed. */
	int64_t price; /* Millionths of the currency, an hour. */
	sl_time made;  /* When it was ordered; 0: it was there at the beginning. */
	sl_time came;  /* Since when it is there. */
	sl_time at;    /* Ordered: it comes then; leaving: it is drained from then on. SL_NEVER: not yet. */
	sl_time until; /* Leaving: then its pods go, whatever speaks against it. */
	uint32_t command;   /* Of Karpenter, that it is of: 1 + its row; 0: none. */
	const char *reason; /* Why it leaves. */
	bool expired;       /* It leaves as it is too old. */
	/* cluster-autoscaler's: */
	sl_time unneeded;   /* Since when; SL_NONE: it is needed. */
	sl_time recheck;    /* It could not be removed: not looked at before. */
	uint64_t rechecked; /* The stamp then. */
	/* Karpenter's: */
	sl_time event;  /* The last time that a pod came to it or left. */
	uint32_t first; /* Its pods as they were seen last. */
	int64_t pods;
	sl_time drifted;  /* Since when; SL_NONE: it is not. */
	const char *hash; /* karpenter.sh/nodepool-hash; NULL. */
};

struct elastic_pool {
	const char *name;
	bool karpenter;
	uint32_t *node;
	uint32_t nodes, node_capacity, there, ordered; /* there: those that leave too. */
	int64_t provisioning;                          /* us from the order until it is there. */
	/* Figures. */
	unsigned __int128 node_us, price_us; /* Nodes there, and their prices, integrated. */
	uint64_t ups, downs, failed, evicted;
};

struct elastic_event { /* A line of elastic.csv. */
	sl_time at;
	const char *what;
	uint32_t node, job; /* job: KUBE_NO: none. */
	const char *why;
};

struct elastic_move {
	enum { ELASTIC_PLACED, ELASTIC_LIFTED, ELASTIC_SHOWN, ELASTIC_HIDDEN } what;
	uint32_t row, node, gpu_kind; /* row: a pod, or a node. */
};

struct elastic_ca;
struct elastic_karpenter;

struct kube_scaler {
	struct kube *k;
	struct elastic_node *node; /* By node. */
	struct elastic_pool *pool;
	uint32_t pools;
	const char *currency;      /* NULL: none is named. */
	uint32_t *by_rank;         /* Nodes by name. */
	struct elastic_move *move; /* What is tried, and not taken back yet. */
	size_t moves, move_capacity;
	struct elastic_event *event;
	size_t events, event_capacity;
	bool evicted;                        /* Somebody, since the scheduler ran last. */
	uint64_t budgets_at;                 /* The stamp when budgets were counted. */
	struct elastic_ca *ca;               /* NULL: there is no NodeGroup. */
	struct elastic_karpenter *karpenter; /* NULL: there is no NodePool. */
	int64_t epoch;                       /* Seconds since 1970 of time 0. */
	uint64_t *expired;     /* By job: its pods that expired nodes evicted; ELASTIC_GAVE_UP. */
	struct sl_setup setup; /* For sl_warning. */
};

/* ---- elastic_nodes.c: nodes from one state to the next ---------------------------------------- */

uint32_t elastic_find(const struct kube_scaler *s, const char *name, size_t len); /* KUBE_NO: no such node. */
void elastic_order(struct kube_scaler *s, uint32_t node, sl_time comes);
void elastic_cancel(struct kube_scaler *s, uint32_t node); /* It was ordered, and never came. */
void elastic_leave(struct kube_scaler *s, uint32_t node, sl_time drain, sl_time until, const char *reason);
void elastic_stay(struct kube_scaler *s, uint32_t node); /* It leaves no more. */
void elastic_evict(struct kube_scaler *s, uint32_t pod);
/* Of a node that is too old. A job that outlives each of its nodes would begin anew for ever: after
 * ELASTIC_EXPIRED_MAX times for each pod they are not made anew, and this is said (kube_scale_gave_up). */
void elastic_expire(struct kube_scaler *s, uint32_t pod);
void elastic_gone(struct kube_scaler *s, uint32_t node); /* It is empty, and leaves now. */
/* What is to be known of all that happened: it differs after anything did. */
uint64_t elastic_stamp(const struct kube_scaler *s);
void elastic_note(struct kube_scaler *s, const char *what, uint32_t node, uint32_t job, const char *why);

/* ---- elastic_try.c: on the pods as they stand, and taken back --------------------------------- */

bool elastic_fits(struct kube_scaler *s, uint32_t pod, uint32_t node);
bool elastic_place(struct kube_scaler *s, uint32_t pod, uint32_t node); /* If it fits. */
void elastic_lift(struct kube_scaler *s, uint32_t pod);                 /* Off its node. */
void elastic_show(struct kube_scaler *s, uint32_t node);                /* As if it were there; */
void elastic_hide(struct kube_scaler *s, uint32_t node);                /* as if it were not. */
void elastic_undo(struct kube_scaler *s, size_t mark);                  /* To a former s->moves. */

/* ---- elastic_pods.c: pods as autoscalers see them ---------------------------------------------- */

/* Those that are unschedulable, of that priority or higher; in `pod`, of ELASTIC_PODS_MAX. */
uint32_t elastic_pending(const struct kube_scaler *s, int64_t priority, uint32_t *pod);
const char *elastic_annotation(const struct kube_scaler *s, uint32_t pod, const char *key); /* NULL. */
/* PodDisruptionBudgets allow that all pods of the node go now. */
bool elastic_budgets_allow(struct kube_scaler *s, uint32_t node);
bool elastic_budget_allows(struct kube_scaler *s, uint32_t pod);
/* It would not come again: a bare Pod, without a controller. */
bool elastic_is_bare(const struct kube_scaler *s, uint32_t pod);
/* It has an emptyDir or hostPath that the annotation does not name. */
bool elastic_has_local_storage(const struct kube_scaler *s, uint32_t pod);

/* ---- elastic_flags.c ---------------------------------------------------------------------------- */

enum elastic_flag_kind { ELASTIC_TIME, ELASTIC_INT, ELASTIC_SHARE, ELASTIC_BOOL, ELASTIC_WORD };
struct elastic_flag {
	const char *name; /* "scan-interval" */
	enum elastic_flag_kind kind;
	int64_t *value;    /* Shares in millionths. */
	const char **word; /* Of the last two kinds. */
};
/* Flags of a program: of AutoscalerFlags of that name, and of a Deployment that runs it. Those that are not
 * in the table are said once. each: of --nodes, one after another; NULL. */
int elastic_flags_read(struct kube *k, const struct sl_setup *setup, const char *program,
	const struct elastic_flag *flag, size_t count,
	int (*each)(void *self, const char *text, const struct sl_place *at, struct sl_err *err), void *self,
	struct sl_err *err);
/* Values of an object: a duration ("10m", "Never": SL_NEVER, where that may be). */
int elastic_time(
	const struct sl_object *object, const char *path, bool never, sl_time *value, struct sl_err *err);
int elastic_provisioning(const struct sl_object *object, sl_time *value, struct sl_err *err);
int elastic_spec(const struct sl_object *object, struct sl_err *err); /* It is a map. */
int elastic_currency(struct kube_scaler *s, const struct sl_object *object, struct sl_err *err);
int elastic_micro(const struct sl_object *object, const char *path, int64_t *value, struct sl_err *err);

/* ---- cluster-autoscaler: ca_groups.c, ca_up.c, ca_expander.c, ca_down.c ----------------------- */

int elastic_ca_make(struct kube_scaler *s, const struct sl_setup *setup, struct sl_err *err);
sl_time elastic_ca_run(struct kube_scaler *s); /* When it is to run next. */

/* ---- Karpenter ----------------------------------------------------------------------------------- */

int elastic_karpenter_make(struct kube_scaler *s, const struct sl_setup *setup, struct sl_err *err);
sl_time elastic_karpenter_run(struct kube_scaler *s);
void elastic_karpenter_free(struct kube_scaler *s);
void elastic_karpenter_came(struct kube_scaler *s, uint32_t node);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kube.h - Kubernetes objects: labels, selectors, taints, pods, and binders, which bind pods to nodes. */
#ifndef SL_PLUGIN_KUBE_H
#define SL_PLUGIN_KUBE_H

#include "cluster.h"
#include "job.h"
#include "place.h"
#include "yaml.h"

struct sl_setup;
struct sl_tally;

/* An object of a manifest, as it was written: `node` of its document is the whole of it. */
struct sl_object {
	const char *kind, *version;   /* "ClusterQueue", "kueue.x-k8s.io/v1beta2" */
	const char *namespace, *name; /* namespace "": none. */
	const struct sl_doc *doc;
	const struct sl_doc_node *node;
};

struct sl_label {
	const char *key, *value;
};
struct sl_labels {
	const struct sl_label *at; /* By key. */
	uint32_t count;
};
enum sl_label_op {
	SL_LABEL_IN,
	SL_LABEL_NOT_IN,
	SL_LABEL_EXISTS,
	SL_LABEL_NOT_EXISTS,
	SL_LABEL_GT,
	SL_LABEL_LT,
	SL_LABEL_OP_INVALID
};
struct sl_label_expr {
	const char *key;
	enum sl_label_op op;
	const char *const *value;
	uint32_t count;
};
/* Expressions all of which have to hold. */
struct sl_label_term {
	const struct sl_label_expr *expr;
	uint32_t count;
	int32_t weight; /* Of a preferred one. */
	uint32_t field_count;
	const struct sl_label_expr *field; /* matchFields, metadata.name alone: of the node's name. */
};
/* Labels and expressions; neither: everything, unless `nothing`. */
struct sl_label_selector {
	bool nothing;
	struct sl_labels labels;
	struct sl_label_term term;
};
enum sl_taint_effect { SL_NO_SCHEDULE, SL_NO_EXECUTE, SL_PREFER_NO_SCHEDULE, SL_ANY_EFFECT };
struct sl_taint {
	const char *key, *value; /* value "": none. */
	enum sl_taint_effect effect;
};
struct sl_toleration {
	const char *key, *value; /* key "", with exists: any. */
	bool exists;             /* Operator Exists; else Equal. */
	enum sl_taint_effect effect;
};
struct sl_taints {
	const struct sl_taint *at;
	uint32_t count;
};
struct sl_tolerations {
	const struct sl_toleration *at;
	uint32_t count;
};
SL_API const char *sl_label_of(const struct sl_labels *labels, const char *key); /* NULL: there is none. */
/* As Kubernetes matches: NotIn and DoesNotExist hold where the key is missing. */
SL_API bool sl_label_expr_holds(const struct sl_label_expr *expr, const struct sl_labels *labels);
SL_API bool sl_label_term_holds(const struct sl_label_term *term, const struct sl_labels *labels);
/* Of node affinity: labels and fields; neither: no node. */
SL_API bool sl_node_term_holds(
	const struct sl_label_term *term, const struct sl_labels *labels, const char *node_name);
SL_API bool sl_label_selects(const struct sl_label_selector *selector, const struct sl_labels *labels);
SL_API bool sl_tolerates(const struct sl_tolerations *tolerations, const struct sl_taint *taint);

/* A quantity ("500m", "1.5Gi", "1e3", "2") in thousandths, exactly or rounded up as Kubernetes does; beyond
 * 64 bits: INT64_MAX. False: it is none. */
SL_API bool sl_get_quantity(const char *text, size_t len, int64_t *thousandths);
/* The same of a resource's amount: cpu in thousandths, all else in units, rounded up. */
SL_API bool sl_get_amount(const char *resource, const char *text, size_t len, int64_t *amount);

/* So much of a resource by its Kubernetes name: "cpu" in thousandths, the rest in units. */
struct sl_amount {
	const char *resource;
	int64_t amount;
};
struct sl_amounts {
	const struct sl_amount *at; /* By name. */
	uint32_t count;
};

/* Kueue's topology request (Topology Aware Scheduling), of annotations or of a Workload. */
enum { SL_POD_SLICES_MAX = 8 };
struct sl_pod_topology {
	bool given;
	const char *required, *preferred;
	bool unconstrained;
	struct {
		const char *level;
		int64_t size;
	} slice[SL_POD_SLICES_MAX]; /* Outermost first. */
	uint32_t slice_count;
	const char *group; /* podSetGroupName */
	const char *pod_index_label, *sub_group_index_label;
	int64_t sub_group_count;
};
struct sl_pod_spread {
	const char *key; /* topologyKey */
	int64_t max_skew, min_domains;
	bool hard;         /* DoNotSchedule */
	bool any_affinity; /* nodeAffinityPolicy Ignore: nodes count that its affinity rules out; */
	bool minds_taints; /* nodeTaintsPolicy Honor: those with taints that it does not tolerate do not. */
	struct sl_label_selector pods; /* With matchLabelKeys. */
};
struct sl_pod_affinity { /* podAffinity, podAntiAffinity */
	const char *key;
	struct sl_label_selector pods; /* With matchLabelKeys and mismatchLabelKeys. */
	int32_t weight;                /* 0: required. */
	bool anti;
	struct sl_label_selector spaces; /* namespaceSelector, beside those listed; both missing: its own. */
	const char *const *namespace;
	uint32_t namespace_count;
};
struct sl_pod_claim {
	const char *name;             /* In the pod. */
	const char *claim, *template; /* One of them; NULL. */
};

/* A container that requests by itself; init containers stand first. */
struct sl_pod_container {
	struct sl_amounts request; /* With limits where it requests nothing. */
	bool ends;                 /* An init container that is no sidecar. */
};

struct sl_pod_port {               /* hostPort */
	const char *ip, *protocol; /* "0.0.0.0": any. */
	int64_t port;
};

/* Equal pods of one job. */
struct sl_podset {
	const char *name;         /* "main", "leader", "worker" */
	int64_t count, min_count; /* min_count 0: not said. */
	struct sl_labels labels, annotations, node_selector;
	struct sl_amounts request; /* Of one pod, as Kubernetes adds containers, init containers, overhead. */
	bool exceeds_limits;       /* Some request is above its limit. */
	/* What kube-scheduler's scores count beside `request`, as containers do not say it, in thousandths
	 * and bytes: on a node that has such a pod; and of the pod that is scored, for which NodeResourcesFit
	 * leaves requests of the pod as a whole (spec.resources) out: it may be below 0. */
	int64_t cpu_unasked, mem_unasked, cpu_fit, mem_fit;
	const struct sl_pod_port *port;
	const char *const *image;                         /* Of all its containers and image volumes; */
	uint32_t port_count, image_count, containers_all; /* init containers are containers. */
	struct sl_tolerations tolerations;
	const struct sl_label_term *required, *preferred; /* Node affinity: one of the required. */
	uint32_t required_count, preferred_count;
	const struct sl_pod_spread *spread;
	const struct sl_pod_affinity *pod_affinity;
	const struct sl_pod_claim *claim;
	uint32_t spread_count, pod_affinity_count, claim_count;
	struct sl_pod_topology topology;
	const char *priority_class; /* Of the pods; NULL: none. */
	int64_t priority;           /* SL_NONE: not said. */
	bool never_preempts;        /* preemptionPolicy Never */
	const char *node;           /* nodeName; NULL: none. */
	const char *scheduler;      /* NULL: the default one. */
	const char *pod_group;      /* Gang: its PodGroup; NULL: none. */
	bool in_scheduling_group;   /* It is of scheduling.k8s.io (spec.schedulingGroup), not of a label. */
	/* Where its pods differ by labels and affinity (sub-groups): these in turn, in its place. */
	const struct sl_podset *part;
	uint32_t part_count;
	const struct sl_pod_container
		*container; /* Of pods that request a resource of some domain; else none. */
	uint32_t containers;
};
/* When one of its pods is lost, which are recreated: all, if all of them ran, else that one; all; that one.
 */
enum sl_pods_restart { SL_RESTART_STARTED, SL_RESTART_ALL, SL_RESTART_ONE };
struct sl_pods {
	const char *kind; /* "Job", "JobSet", "LeaderWorkerSet", "Workload", "Pod"; "": of no manifest. */
	const char *uid;  /* NULL: not said. */
	const char *priority_class; /* kueue.x-k8s.io/priority-class, or of the Workload; NULL: none. */
	struct sl_labels labels, annotations; /* Of the object. */
	const struct sl_podset *podset;
	uint32_t count;
	const struct sl_doc *doc; /* NULL: of no manifest. Its root is the object. */
	enum sl_pods_restart restart;
	bool leader_first; /* Its workers come once the leader is ready. */
};
/* Values of an object: NULL is an empty one, a selector of nothing. Texts are lent by the document. */
SL_API int sl_doc_labels(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_labels *labels, struct sl_err *err);
SL_API int sl_doc_selector(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_label_selector *selector, struct sl_err *err);
SL_API int sl_doc_taints(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_taints *taints, struct sl_err *err);
SL_API int sl_doc_tolerations(struct sl_arena *arena, const struct sl_doc *doc,
	const struct sl_doc_node *node, struct sl_tolerations *tolerations, struct sl_err *err);
SL_API int sl_doc_amounts(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_amounts *amounts, struct sl_err *err);

/* Has an object of this kind pods? And reads the pods of one that has; texts are lent by the document. */
SL_API bool sl_pods_has(const char *kind);
SL_API int sl_pods_read(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *object,
	struct sl_pods *pods, struct sl_err *err);
/* A job's pods and their requests: of its manifest, or else its groups, each a podset ("cpu", "memory",
 * "nvidia.com/gpu").
 */
SL_API const struct sl_pods *sl_pods_of(struct sl_arena *arena, const struct sl_jobs *jobs,
	const struct sl_cluster *cluster, uint32_t job, struct sl_err *err);

/* Binds pods to nodes one by one, for policies that admit whole jobs (the registry's binders). It does
 * accounting of its own, and acts at events, outside passes. Its configuration is among the cluster's
 * objects. */
struct sl_podset_assignment {              /* Of one podset of a job. */
	int64_t count;                     /* So many pods of it. */
	struct sl_labels labels;           /* Nodes must have these too. */
	struct sl_tolerations tolerations; /* Besides its own. */
	const uint32_t *node;              /* By pod, the node that it is assigned to; NULL: any. */
};
enum sl_bound_what {
	SL_BOUND_ALL,  /* All its pods have nodes: sl_binder.where. */
	SL_BOUND_LOST, /* A pod lost its node (preempted by the job `cause`, or the node is gone): all are
			  removed and added again, unless of SL_RESTART_ONE. */
	SL_BOUND_STUCK /* A pod of it is unschedulable: sl_binder.why. */
};
struct sl_bound {
	enum sl_bound_what what;
	sl_job job, cause;
};
/* Classes of ProvisioningRequests: check-capacity, that with noRetry, best-effort-atomic-scale-up. */
enum sl_provision { SL_PROVISION_CHECK, SL_PROVISION_ONCE, SL_PROVISION_ATOMIC };

struct sl_binder {
	struct sl_abi abi;
	const char *name; /* "kube" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* The job's pods are created now (assignment: by podset; NULL: all, on any node); lent until removed.
	 */
	void (*add)(void *state, sl_time now, sl_job job, const struct sl_pods *pods,
		const struct sl_podset_assignment *assignment);
	void (*remove)(void *state, sl_time now, sl_job job);
	void (*node)(void *state, sl_time now, uint32_t node, bool up);
	/* Binds what can be bound by now. Returns when it is to be run again; SL_NEVER: not unless something
	 * happens. */
	sl_time (*run)(void *state, sl_time now);
	/* The outcomes, one at a time; false: there are no more. */
	bool (*next)(void *state, struct sl_bound *bound);
	/* Its pods' node allocations, lent until the next call. */
	size_t (*where)(void *state, sl_job job, const struct sl_node_alloc **node_alloc);
	const char *(*why)(void *state, sl_job job); /* "0/12 nodes are available: ..."; NULL. */
	union {
		int (*report)(void *state, struct sl_tally *tally, struct sl_err *err);
		/* Deprecated: its name up to ABI 4. */
		int (*tell)(void *state, struct sl_tally *tally, struct sl_err *err);
	};
	/* The job's pods failed on their nodes. True: they are restarted there, or one of them moves to
	 * another node (SL_RESTART_ONE), and SL_BOUND_ALL follows; false: the caller has to remove and add
	 * them. */
	bool (*fail)(void *state, sl_time now, sl_job job);
	/* Optional. A ProvisioningRequest for the job's pods, which are not there yet (assignment as in add):
	 * is there capacity for all of them, or (SL_PROVISION_ATOMIC) can nodes be ordered that have it? Then
	 * they are. Returns SL_NONE: yes; SL_NEVER: no, and that was all (SL_PROVISION_ONCE); else when to
	 * ask again. */
	sl_time (*provision)(void *state, sl_time now, sl_job job, const struct sl_pods *pods,
		const struct sl_podset_assignment *assignment, enum sl_provision how);
};

/* ---- Schedules (sim/kube/cron.c) ------------------------------------------------------------------- */

enum { SL_CRON_FIELDS = 5 }; /* Minute, hour, day of the month, month, day of the week. */
struct sl_cron {
	uint64_t on[SL_CRON_FIELDS]; /* Bit by number. */
	bool any[SL_CRON_FIELDS];    /* "*" */
};
/* "0 8 * * mon-fri", "@daily". False: it is no schedule. */
SL_API bool sl_cron_read(const char *text, struct sl_cron *cron);
/* Minutes and days since 1970-01-01 00:00, 0 or more. */
SL_API bool sl_cron_hits(const struct sl_cron *cron, int64_t minute);
SL_API bool sl_cron_on_day(const struct sl_cron *cron, int64_t days); /* It may hit on that day. */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube.h - kube-scheduler v1.36 as rules over plain data: nodes, pods, a queue, and one scheduling cycle at a
 * time. Private to policies/kube.
 *
 * It acts at events, not in passes: pods are added and removed, nodes come and go, and kube_run does all that
 * the scheduler would have done by then. Scheduling itself takes no time. Amounts are those of Kubernetes:
 * cpu in thousandths, memory in bytes, pods and all else in units. Every choice ends in a row number.
 *
 * https://kubernetes.io/docs/concepts/scheduling-eviction/ and kubernetes/kubernetes, pkg/scheduler, v1.36.
 */
#ifndef KUBE_H
#define KUBE_H

#include "sim/plugin.h"

enum { KUBE_RES_MAX = 32, KUBE_RES_CPU = 0, KUBE_RES_MEM, KUBE_RES_FIRST };
#define KUBE_NO UINT32_MAX

/* Plugins, as filters in the order in which they are asked. */
enum kube_plugin {
	KUBE_UNSCHEDULABLE,
	KUBE_NODE_NAME,
	KUBE_TAINTS,
	KUBE_AFFINITY,
	KUBE_PORTS,
	KUBE_FIT,
	KUBE_SPREAD,
	KUBE_POD_AFFINITY, /* InterPodAffinity */
	KUBE_DRA,          /* DynamicResources */
	KUBE_GANG,
	KUBE_BALANCED,
	KUBE_IMAGES,
	KUBE_GROUP_PODS, /* PodGroupPodsCount: it scores placements. */
	KUBE_PLUGINS
};

/* Why a node will not do. Those up to KUBE_WHY_RESOLVABLE cannot be helped by preemption. */
enum kube_why {
	KUBE_FITS,
	KUBE_WHY_UNSCHEDULABLE,
	KUBE_WHY_NAME,
	KUBE_WHY_TAINT,
	KUBE_WHY_AFFINITY,
	KUBE_WHY_UNNAMED, /* All terms of its affinity name nodes, and not this one: it is not looked at. */
	KUBE_WHY_SPREAD_LABEL,
	KUBE_WHY_POD_AFFINITY,
	KUBE_WHY_DRA,       /* kube_dra_why says what. */
	KUBE_WHY_ERROR,     /* So that no other node is tried. */
	KUBE_WHY_TOO_LARGE, /* A resource: more than the node has at all. */
	KUBE_WHY_RESOLVABLE,
	KUBE_WHY_PORTS = KUBE_WHY_RESOLVABLE,
	KUBE_WHY_PODS,
	KUBE_WHY_SPREAD,
	KUBE_WHY_ANTI,
	KUBE_WHY_EXISTING_ANTI,
	KUBE_WHY_RESOURCE, /* kube.node_res says which. */
	KUBE_WHYS
};

enum kube_strategy { KUBE_LEAST, KUBE_MOST, KUBE_RATIO };
enum { KUBE_SHAPE_MAX = 16, KUBE_SCORED_MAX = 8, KUBE_PROFILES_MAX = 8 };

/* A scheduler by name, with the weights of its plugins. */
struct kube_profile {
	const char *name;
	int64_t weight[KUBE_PLUGINS]; /* 0: it does not score. */
	bool filters[KUBE_PLUGINS];
	bool preempts;
	int64_t percentage; /* percentageOfNodesToScore; 0: by the number of nodes. */
	enum kube_strategy strategy;
	struct {
		const char *resource;
		int64_t weight;
	} scored[KUBE_SCORED_MAX],
		balanced[KUBE_SCORED_MAX], /* NodeResourcesFit's and BalancedAllocation's. */
		placed[KUBE_SCORED_MAX];   /* NodeResourcesFit's for placements; none: `scored`. */
	uint32_t scored_count, balanced_count, placed_count;
	enum kube_strategy placement_strategy;
	uint32_t scored_as[KUBE_SCORED_MAX],
		balanced_as[KUBE_SCORED_MAX]; /* Their numbers; KUBE_NO: not known. */
	struct {
		int64_t utilization, score; /* 0..100, 0..10 */
	} shape[KUBE_SHAPE_MAX];
	uint32_t shape_count;
	int64_t hard_affinity; /* hardPodAffinityWeight */
	bool own_wishes;       /* ignorePreferredTermsOfExistingPods */
};

/* Feature gates that decide, as bits; all are off by default. */
enum kube_gate {
	KUBE_GATE_WORKLOAD = 1, /* GenericWorkload */
	KUBE_GATE_GANG = 2,
	KUBE_GATE_TOPOLOGY = 4,  /* TopologyAwareWorkloadScheduling */
	KUBE_GATE_PREEMPTION = 8 /* WorkloadAwarePreemption */
};
enum kube_gang { KUBE_GANG_AUTO, KUBE_GANG_OFF, KUBE_GANG_JOB };
enum kube_ties { KUBE_TIES_NAME, KUBE_TIES_RANDOM };

struct kube_options {
	enum kube_gang gang;
	enum kube_ties ties;
	bool permit;        /* A gang's pods wait on their nodes for the others, one by one. */
	uint32_t gates;     /* enum kube_gate */
	bool balanced_old;  /* NodeResourcesBalancedAllocation as before 1.35. */
	bool backoff_waits; /* backoffQ is not popped while activeQ is empty. */
	bool autoscale;
	bool afresh;    /* Every search looks at every node, whatever is known of it; */
	bool singly;    /* so, and each pod is tried by itself, even where equal ones failed; */
	uint32_t tries; /* so often at one instant, in which no time goes by. */
	sl_time permit_timeout, flush;
};

/* Equal pods: what the rules look at. */
struct kube_spec {
	const struct sl_podset *podset;
	const char *namespace;
	int64_t request[KUBE_RES_MAX];
	int64_t cpu_scored, mem_scored; /* As scores count it, on a node; */
	int64_t cpu_fit, mem_fit;       /* of the pod itself. */
	int64_t priority;
	const struct kube_profile *profile;
	struct sl_labels assignment;
	struct sl_tolerations assignment_tolerations;
	bool never_preempts;    /* preemptionPolicy Never, of its own or of its class. */
	const uint8_t *named;   /* By node: that its affinity names; NULL: it names none. */
	bool plain;             /* Nothing but resources decides where it may go. */
	bool pod_affinity_hard; /* It has required anti-affinity; */
	bool pod_affinity_any;  /* any affinity at all. */
	uint32_t sort;          /* Of kube_view.c; KUBE_NO: other pods matter to it, or it names nodes. */
	uint32_t like;          /* Plain ones of equal requests; KUBE_NO: not plain. */
	uint32_t gpu_types;     /* As sl_task_resources has it, of a job without a manifest. */
	uint32_t gpu;           /* The number of its GPU resource; KUBE_NO: none. */
	uint32_t gang;          /* KUBE_NO: none. */
	uint32_t claims;        /* 1 + a row of kube_dra.asked; 0: none. */
};

enum kube_pod_state {
	KUBE_POD_GONE,
	KUBE_POD_ACTIVE,
	KUBE_POD_BACKOFF,
	KUBE_POD_ERROR,  /* It backs off since its attempt ended in an error. */
	KUBE_POD_PARKED, /* Unschedulable; */
	KUBE_POD_ALIKE,  /* so with others of equal requests. */
	KUBE_POD_BEHIND, /* It goes with another of its gang, which stands in the queue for all. */
	KUBE_POD_GATED,  /* Fewer of its gang are there than it needs. */
	KUBE_POD_WAITS,  /* On its node, for the others of its gang. */
	KUBE_POD_BOUND
};

struct kube_pod {
	/* What queues ask for comes first. */
	int64_t priority;              /* Its spec's. */
	sl_time entered, ready, bound; /* ready: its backoff's end. */
	sl_time window;                /* The second of it. */
	uint64_t order; /* Of entries and bindings, of all pods: what came earlier within an instant. */
	uint32_t spec;
	uint32_t place; /* In its heap. */
	enum kube_pod_state state;
	uint32_t failed_by;  /* Plugins, as bits. */
	uint64_t failed_at;  /* kube.version then. */
	uint32_t attempts;   /* That ended otherwise than in an error; */
	uint32_t errors;     /* those that did, one after another. */
	uint32_t failed_now; /* So often at the instant at which it failed last. */
	uint32_t job, index; /* index: among the podset's. */
	uint32_t node;       /* Where it is, or KUBE_NO. */
	uint32_t must;       /* Where it must go, or KUBE_NO. */
	uint32_t nominated;  /* Its nominatedNodeName: where it preempted, or KUBE_NO. */
	bool beside;         /* Another is tried beside it there. */
	sl_time created;
	uint64_t first_active;      /* Of entries: when it came to activeQ first; 0: it did not yet. */
	uint32_t set;               /* Of those alike, that it was in last; KUBE_NO. */
	uint32_t retries;           /* The set's, when it came. */
	uint32_t next, before;      /* On its node. */
	uint32_t gpu_kind;          /* Of the node's, that it has. */
	struct kube_grants *grants; /* Devices of its own claims, or NULL. */
};

/* Of amounts of several nodes: those without a bound (2^58 bytes where no memory is named) add up to more
 * than there are numbers. */
static inline int64_t kube_sum(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

struct kube_node {
	const char *name;
	struct sl_labels labels;
	struct sl_taints taints;
	int64_t alloc[KUBE_RES_MAX], used[KUBE_RES_MAX];
	int64_t cpu_scored, mem_scored; /* Used, as scores count it. */
	int64_t pods_max, pods;
	uint32_t first;                  /* Its pods. */
	uint32_t rank;                   /* By name. */
	uint32_t pod_affinity_pods;      /* Pods with any affinity. */
	uint32_t nominees;               /* Pods nominated to it. */
	bool up, there;                  /* there: exists. */
	bool unschedulable;              /* By its object; */
	bool cordoned;                   /* drained by an operator; */
	bool leaving;                    /* about to be removed by an autoscaler. */
	uint32_t gpu_used[SL_KINDS_MAX]; /* By kind. */
};

struct kube_gang_state {
	const char *name, *namespace;
	uint32_t job; /* Of a job without a PodGroup; KUBE_NO. */
	int64_t min;
	uint32_t pods; /* That are there. */
	uint32_t placed;
	bool together; /* One of its pods stands in the queue for all of them. */
	/* All of them back off as long as can be, and have failed together again. What became of each then is
	 * as this says: `room` of them first, in the order of rows, then `popped`, then the others. */
	bool folded, folds; /* folds: it will, the next time. */
	uint32_t room, popped, bits;
	uint64_t order;                 /* kube.entries before. */
	sl_time until;                  /* Of permits; SL_NEVER. */
	uint32_t rounds;                /* Permits that ended in a row with nothing else happening, */
	uint64_t rounds_at;             /* since that of kube.outside. */
	struct kube_workload *workload; /* It is of scheduling.k8s.io; NULL: it is not. */
};

/* A label's values as numbers, by node. */
struct kube_key {
	const char *key;
	uint32_t *domain; /* KUBE_NO: without. */
	uint32_t count;
};

struct kube_job {
	const struct sl_pods *pods;
	uint32_t first, count; /* Pods, in a row. */
	uint32_t bound;
	uint32_t gang;              /* 1 + its own; 0: none. */
	bool there, reported, lost; /* lost: it is to be removed by the policy that added it. */
	bool moved;                 /* It lost a pod to an autoscaler. */
	char *why;
	uint32_t stuck; /* The pod that `why` is of. */
};

struct kube_heap {
	uint32_t *pod;
	size_t count, capacity;
};

struct kube_like {
	int64_t request[KUBE_RES_MAX];
	int64_t priority;
	bool failed;
	size_t failed_at; /* In `freed`: nodes before it need not be filtered again. */
};

/* Unschedulable pods of equal requests and attempts. */
struct kube_alike {
	struct kube_heap pods;
	uint32_t retries; /* Of all of them together, */
	sl_time retried;  /* the last one; */
	uint64_t version; /* kube.version then. */
	sl_time failed;   /* When one of them failed last. */
	uint32_t last;    /* Highest row among them. */
	uint32_t ahead;   /* Its first, where that is to be tried; KUBE_NO. */
	bool mixed;       /* Their order is not that of rows. */
	bool due;         /* To be tried again. */
	bool listed;
};

/* A pod left a node, or what it was nominated to; came; a node came. */
enum kube_change { KUBE_POD_LEFT, KUBE_POD_CAME, KUBE_NODE_CAME, KUBE_NOMINEE_LEFT };

struct kube_space { /* Namespace */
	const char *name;
	struct sl_labels labels;
};

struct kube_budget { /* PodDisruptionBudget */
	const char *namespace;
	struct sl_label_selector pods;
	int64_t min_available, max_unavailable; /* SL_NONE: not said; below 0: percents, negative. */
	int64_t allowed;                        /* Disruptions, as counted last. */
};

struct kube;
/* Who looks on as pods are tried. Of a cycle that is over k->found, k->looked_at, k->began and k->node_why
 * say how it went; nodes are those that were feasible, k->score by these. */
struct kube_watch {
	void *self;
	void (*scored)(void *self, const struct kube *k, enum kube_plugin plugin, int64_t weight,
		const uint32_t *node, size_t count);
	void (*evicted)(void *self, const struct kube *k, uint32_t pod);
	void (*bound)(void *self, const struct kube *k, uint32_t pod);
	void (*tried)(void *self, const struct kube *k, uint32_t pod);
	void (*tried_gang)(void *self, const struct kube *k, uint32_t first); /* Its whole gang was tried. */
};

/* Pods whose nodes go by the same requests, selectors, affinity, and tolerations. */
struct kube_sort {
	uint32_t spec; /* The first of them. */
	uint32_t view; /* That it had last. */
};

/* Of a sort of pods: places of `visit` whose nodes would take one more, and what they score. */
struct kube_view {
	uint32_t sort;     /* KUBE_NO: nobody's. */
	uint32_t count;    /* Of nodes that would take one. */
	uint64_t changes;  /* kube.changes that it knows of, */
	uint64_t states;   /* and kube.states. */
	uint64_t *open;    /* By place, as bits: those that the node itself does not rule out; */
	uint64_t *takes;   /* of these, those that have room. */
	uint32_t refusals; /* Plugins that refuse where there is no room anywhere, as bits. */
	int32_t *score;    /* By place, of a pod that counts for so much; below 0: not known. */
	int64_t cpu_fit, mem_fit;
};

struct kube_scaler;
struct kube_dra;
struct kube_grants;

struct kube {
	struct sl_arena *arena;
	const struct sl_pass *hears; /* Of the event being handled; NULL: none. */
	const struct sl_cluster *cluster;
	const struct sl_jobs *jobs;
	uint64_t seed;
	sl_time now;
	struct sl_err err; /* The first failure. */
	struct kube_options options;

	const char *resource[KUBE_RES_MAX];
	uint32_t resources;
	struct kube_profile profile[KUBE_PROFILES_MAX];
	uint32_t profiles;

	struct kube_node *node;
	uint32_t nodes;
	int64_t free[KUBE_RES_MAX]; /* On all nodes together, whether they are up or not. */
	uint32_t *visit; /* Nodes in the order in which they are visited: of each zone one in turn. */
	uint32_t visits; /* So many: all, but while a placement is tried. */
	const uint8_t *placement; /* By node: it is of the placement that is tried; NULL: all are. */
	uint32_t start;           /* The next cycle begins at this place of it. */
	uint32_t *place;          /* By node: where it stands there. */
	bool shunned;             /* Some node has a taint PreferNoSchedule. */
	uint32_t *changed;        /* Nodes, the last so many changes in turn; */
	uint64_t changes, changes_kept;
	uint64_t states; /* how often it was whether a node takes pods at all. */
	struct kube_sort *sort;
	size_t sorts, sort_capacity;
	struct sl_map sort_map;
	struct kube_view *view;
	uint32_t views, view_next; /* view_next: the next to be given to another sort. */
	struct kube_key **key;     /* Each stays where it is. */
	uint32_t keys;
	size_t key_capacity;

	struct kube_spec *spec;
	size_t specs, spec_capacity;
	struct kube_like *like;
	size_t likes, like_capacity;
	struct sl_map like_map;
	struct kube_pod *pod;
	size_t pods, pod_capacity;
	struct kube_job *job; /* By job. */
	struct kube_gang_state *gang;
	size_t gangs, gang_capacity;
	struct sl_map group_map; /* Those of scheduling.k8s.io, by name. */
	struct kube_budget *budget;
	uint32_t budgets;
	struct kube_image *image;
	size_t images, image_capacity;
	struct kube_space *space;
	uint32_t spaces;

	struct kube_heap active, backoff, errors; /* errors: those that back off since an error. */
	uint32_t *parked; /* In order of parking; pods that left it stand there until it is swept. */
	size_t parked_count, parked_capacity;
	struct kube_alike *alike;
	size_t alike_capacity;
	uint32_t *listed; /* Of those, where pods are. */
	size_t listed_count, listed_capacity;
	bool alike_due;  /* Of some. */
	uint32_t *freed; /* Nodes on which something was freed, or that came. */
	size_t freed_count, freed_room;
	uint64_t entries;
	uint64_t version;  /* Of the cluster state: goes up as anything changes. */
	uint64_t outside;  /* The same, but for permits that end, and what comes of them. */
	uint32_t *nominee; /* Nominated pods: they preempted somewhere. */
	size_t nominees, nominee_capacity;
	struct {
		uint32_t node, spec;
		enum kube_change change;
	} * evicted; /* What went in this cycle: pods that were preempted, and nominations. */
	size_t evicted_count, evicted_capacity;
	/* Victims of a group's pods stand where they are until its cycle ends, as its snapshot has them. */
	bool defers;
	struct {
		uint32_t pod, cause;
	} * doomed;
	size_t doomed_count, doomed_capacity;
	uint32_t pod_affinity_pods, pod_affinity_hard_pods; /* Assigned, with affinity. */
	struct {
		int64_t priority;
		uint64_t pods;
	} * level; /* Assigned pods by priority, ascending. */
	size_t levels, level_capacity;

	struct sl_bound *reported; /* What came of it. */
	size_t reported_count, reported_next, reported_capacity;

	/* Of one cycle. */
	uint8_t *node_why;  /* By node: enum kube_why. */
	uint64_t *node_res; /* By node: the resources that lack, as bits; KUBE_RES_MAX: pods. */
	uint32_t *feasible;
	int64_t *score, *total;
	size_t found;                   /* Nodes that are feasible, */
	uint32_t looked_at;             /* of so many, */
	uint32_t began;                 /* from this place of `visit` on. */
	bool failed;                    /* It ended in an error. */
	bool group_failed;              /* So did that of a whole group. */
	bool unseen;                    /* node_why is of another cycle: all nodes refused the pod, */
	uint32_t refusals;              /* by these plugins. */
	const struct kube_watch *watch; /* NULL: nobody. */
	struct sl_node_alloc *node_alloc;
	size_t node_alloc_capacity;
	uint32_t *node_alloc_gpus;
	struct kube_scaler *scaler;
	struct kube_dra *dra; /* NULL: no object is of dynamic resource allocation. */
	bool claims_freed;    /* By a pod that left, of which nobody has heard yet. */
	bool trying;          /* Pods are moved to see what would come of it: devices stay with them. */
	struct kube_rollouts *rollouts; /* NULL: there are none. */

	/* Figures. */
	uint64_t attempts, preempted, cycles_failed;
};

/* kube_make.c: the cluster state from a cluster and its objects. */
int kube_make(
	struct kube *k, const struct sl_setup *setup, const struct kube_options *options, struct sl_err *err);
void kube_free(struct kube *k);
uint32_t kube_resource(struct kube *k, const char *name);      /* Its number; KUBE_NO: too many. */
void kube_number_scored(struct kube *k);                       /* Resources that profiles score. */
struct kube_key *kube_key_of(struct kube *k, const char *key); /* NULL: no memory. */

/* kube_doc.c: values of objects. */
const char *kube_text(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path);
int kube_int(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path, int64_t *value,
	struct sl_err *err);

/* kube_config.c: KubeSchedulerConfiguration. */
const char *kube_plugin_name(enum kube_plugin plugin);
void kube_profile_default(struct kube_profile *profile);
int kube_configure(struct kube *k, struct sl_err *err);
/* Its priority, and whether it may preempt: of the pod, its class, the default class, or its job. */
void kube_take_priority(
	const struct kube *k, const struct sl_podset *podset, int64_t of_job, struct kube_spec *spec);

/* kube_images.c: those that a node's object lists; sorted once all are there. */
int kube_images_of(struct kube *k, const struct sl_object *object, uint32_t node, struct sl_err *err);
void kube_images_sort(struct kube *k);
int64_t kube_images_score(const struct kube *k, const struct kube_spec *spec, uint32_t node);

/* kube_feature_gates.c: as --feature-gates has them, "NAME=true,NAME=false" (or + between): what is not
 * modelled, and would decide, is refused. bits: enum kube_gate, of those that are on. */
int kube_gates_check(const char *text, uint32_t *bits, struct sl_err *err);

/* kube_pods.c: pods, and their resources on nodes. */
void kube_add(struct kube *k, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *assignment);
void kube_remove(struct kube *k, sl_time now, sl_job job);
void kube_node(struct kube *k, sl_time now, uint32_t node, bool up);
void kube_take(struct kube *k, uint32_t pod, uint32_t node);  /* It is assumed there. */
void kube_give(struct kube *k, uint32_t pod);                 /* No more; no event. */
void kube_lose(struct kube *k, uint32_t job, uint32_t cause); /* It lost a pod. */
/* Its containers failed, and no node did. False: its pods are to be removed and added again. */
bool kube_fail(struct kube *k, sl_time now, sl_job job);
void kube_report(struct kube *k, enum sl_bound_what what, uint32_t job, uint32_t cause);
size_t kube_where(struct kube *k, sl_job job, const struct sl_node_alloc **node_alloc);

void kube_nominate(struct kube *k, uint32_t pod, uint32_t node); /* KUBE_NO: no more. */
/* Others mind its nomination no more, while it is tried; it still tries that node first itself. */
void kube_nominee_popped(struct kube *k, uint32_t pod);

/* kube_queue.c */
void kube_queue_add(struct kube *k, uint32_t pod);
void kube_queue_open(struct kube *k, uint32_t pod); /* It was gated; it entered when it came. */
void kube_queue_drop(struct kube *k, uint32_t pod);
uint32_t kube_queue_pop(struct kube *k); /* KUBE_NO: none. */
void kube_queue_park(struct kube *k, uint32_t pod, uint32_t failed_by);
/* It failed with others of its gang; one of them is to stand for all: whatever wakes it wakes them. */
void kube_queue_park_behind(struct kube *k, uint32_t pod, uint32_t failed_by);
void kube_queue_stand(struct kube *k, uint32_t pod);
/* The same, of a gang all of whose pods back off as long as can be. */
void kube_queue_fold(struct kube *k, uint32_t popped, uint32_t room, uint32_t bits);
void kube_queue_unfold(struct kube *k, uint32_t gang);
void kube_queue_part(struct kube *k); /* Who stands for others backs off: each by itself again. */
void kube_queue_error(struct kube *k, uint32_t pod);
/* Something happened on a node (with that pod's spec; KUBE_NO): pods that it may help are queued again. */
void kube_queue_changed(struct kube *k, enum kube_change change, uint32_t node, uint32_t spec);
void kube_queue_freed(struct kube *k, uint32_t node); /* Something there; no event. */
/* Permits of its gang ended so often in a row that they would for ever: until anything else happens nothing
 * wakes it, and a run in which nobody can do anything else ends. */
enum { KUBE_ROUNDS_MAX = 100 };
bool kube_queue_rests(const struct kube *k, const struct kube_pod *pod);
sl_time kube_queue_next(const struct kube *k);
void kube_queue_due(struct kube *k);
sl_time kube_backoff(uint32_t attempts);
void kube_queue_back_off(struct kube_pod *pod); /* Since it entered. */

void kube_queue_wake(struct kube *k, uint32_t pod);
typedef bool kube_order(const struct kube *k, uint32_t a, uint32_t b);
bool kube_heap_push(struct kube *k, struct kube_heap *heap, uint32_t pod, kube_order *before);
void kube_heap_take_out(struct kube *k, struct kube_heap *heap, size_t at, kube_order *before);
void kube_heap_renew(struct kube *k, struct kube_heap *heap, kube_order *before);

/* kube_alike.c: unschedulable pods of equal requests, tried together. */
bool kube_alike_park(struct kube *k, uint32_t pod);  /* False: it is not such a pod. */
void kube_alike_drop(struct kube *k, uint32_t pod);  /* It is no more. */
void kube_alike_tried(struct kube *k, uint32_t pod); /* It left the queue to be tried. */
void kube_alike_changed(struct kube *k);             /* A pod went, or a node came. */
void kube_alike_settle(struct kube *k);              /* Before the next is tried. */
sl_time kube_alike_next(const struct kube *k);
void kube_alike_flush(struct kube *k);
void kube_alike_free(struct kube *k);

/* kube_view.c: for pods of a sort, the nodes that would take one more. */
void kube_node_changed(struct kube *k, uint32_t node); /* What it has left, or whether it takes pods. */
uint32_t kube_sort_of(struct kube *k, const struct kube_spec *spec); /* Of the spec that is added. */
int kube_views_make(struct kube *k, struct sl_err *err);
void kube_views_free(struct kube *k);
struct kube_view *kube_view_of(
	struct kube *k, uint32_t pod); /* NULL: other pods matter to it, or no memory. */
bool kube_view_takes(struct kube *k, const struct kube_view *view, uint32_t pod, uint32_t node);
bool kube_view_any(struct kube *k, const struct kube_view *view, uint32_t pod);
/* As a search over all nodes finds them, into k->feasible. */
size_t kube_view_search(struct kube *k, const struct kube_view *view, uint32_t pod, int64_t wanted);
uint64_t kube_view_room(const struct kube *k, const struct kube_view *view,
	uint64_t most); /* For so many of its pods; at most `most`. */
void kube_view_scores(struct kube *k, struct kube_view *view, const struct kube_spec *spec,
	const uint32_t *node, size_t count);

/* kube_filter.c, kube_affinity.c */
struct kube_pod_affinity;
struct kube_cycle { /* What is counted once for a pod. */
	uint32_t pod;
	struct kube_pod_affinity *pod_affinity; /* NULL: no other pods matter to it. */
	bool nominees;                          /* Others' nominations are minded. */
	bool apart;                             /* InterPodAffinity is not asked. */
};
bool kube_ports_meet(const struct sl_podset *a, const struct sl_podset *b); /* Host ports that both want. */
bool kube_pod_affinity_shuns(
	const struct kube *k, const struct kube_spec *spec, const struct kube_spec *other);
bool kube_pod_affinity_wants(const struct kube *k, const struct kube_spec *spec,
	const struct kube_spec *other, bool anti, bool hint);
enum kube_why kube_filter(struct kube *k, const struct kube_cycle *cycle, uint32_t node);
/* What the node itself says, whatever stands there. */
enum kube_why kube_keeps_off(
	const struct kube *k, const struct kube_spec *spec, uint32_t must, uint32_t node);
bool kube_node_suits(
	const struct kube *k, const struct kube_spec *spec, uint32_t node); /* Selector, affinity. */
bool kube_taints_keep_off(const struct kube_spec *spec, const struct kube_node *node);
int64_t kube_wanted(const struct kube_profile *profile, int64_t nodes); /* numFeasibleNodesToFind */

/* kube_affinity.c: of spreading and of affinity between pods. NULL: neither is in play. */
struct kube_pod_affinity *kube_pod_affinity_new(struct kube *k, uint32_t pod);
void kube_pod_affinity_free(struct kube_pod_affinity *pod_affinity);
/* It has terms, or some pod that stands wants none like it. */
bool kube_pod_affinity_matters(const struct kube_pod_affinity *pod_affinity);
enum kube_why kube_pod_affinity_spread(
	struct kube *k, const struct kube_pod_affinity *pod_affinity, uint32_t node);
enum kube_why kube_pod_affinity_filter(
	struct kube *k, const struct kube_pod_affinity *pod_affinity, uint32_t node);
void kube_pod_affinity_score_spread(
	struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t *score);
void kube_pod_affinity_score(
	struct kube *k, uint32_t pod, const uint32_t *node, size_t count, int64_t *score);

/* kube_score.c: the best of the feasible nodes; view: of the pod's sort, or NULL. */
uint32_t kube_choose(
	struct kube *k, uint32_t pod, struct kube_view *view, const uint32_t *node, size_t count);
/* What the pod itself and the node's amounts say is all that tells nodes apart: */
bool kube_scores_simply(const struct kube *k, const struct kube_spec *spec);
/* then this does, whichever other nodes there are. */
int64_t kube_simple_score(const struct kube *k, const struct kube_spec *spec, const struct kube_node *node);
int64_t kube_score_fit(const struct kube_spec *spec, const struct kube_node *node);
/* NodeResourcesFit of a placement: by resource, what is requested on its nodes with the group, and what they
 * have. */
int64_t kube_score_placement(
	const struct kube *k, const struct kube_profile *profile, const int64_t *asked, const int64_t *has);
int64_t kube_score_balanced(const struct kube *k, const struct kube_spec *spec, const struct kube_node *node);

/* kube_preempt.c */
void kube_budgets_count(struct kube *k); /* How many disruptions each allows now. */
bool kube_budget_covers(const struct kube *k, const struct kube_budget *budget, uint32_t pod);
int64_t kube_lowest(const struct kube *k); /* The lowest priority assigned; INT64_MAX: none is. */
void kube_gone(
	struct kube *k, uint32_t node, uint32_t spec, enum kube_change change); /* Told as the cycle ends. */
bool kube_preempt(struct kube *k, uint32_t pod); /* Victims were evicted, and the pod is nominated. */
void kube_preempt_evict(struct kube *k, uint32_t pod, uint32_t cause);

/* kube_cycle.c */
sl_time kube_run(struct kube *k, sl_time now);
enum kube_plugin kube_plugin_of(enum kube_why why); /* Which filter says so. */
bool kube_try_next(struct kube *k); /* One cycle, as kube_run does them; false: nothing is to be tried. */
const char *kube_why(struct kube *k, sl_job job);
/* Steps of a cycle, for workload/: where the pod would go (KUBE_NO: nowhere), and what follows. */
uint32_t kube_cycle_find(struct kube *k, uint32_t pod);
uint32_t kube_cycle_failed_by(const struct kube *k);
void kube_cycle_bind(struct kube *k, uint32_t pod); /* It is assumed on its node. */
void kube_cycle_tell_evicted(struct kube *k);

/* elastic/elastic.c: nodes that autoscalers add and remove. */
int kube_scale_make(struct kube *k, const struct sl_setup *setup, struct sl_err *err);
void kube_scale_free(struct kube *k);
/* As sl_binder.provision. */
sl_time kube_scale_provision(struct kube *k, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *assignment, enum sl_provision how);
/* The job's pods are not made anew any more: its nodes expire before it ends, always. */
bool kube_scale_gave_up(const struct kube *k, uint32_t job);
bool kube_scale_ready(struct kube *k);               /* Nodes that were ordered came. */
sl_time kube_scale_run(struct kube *k, bool *again); /* again: there is more for the scheduler now. */
int kube_scale_report(struct kube *k, struct sl_tally *tally, struct sl_err *err);

/* kube_rollout.c: rolling updates, by commands. */
struct kube_rollouts;
int kube_rollouts_make(struct kube *k, const struct sl_setup *setup, struct sl_err *err);
uint32_t kube_rollout_next(struct kube *k, sl_time now); /* A group to be made anew; KUBE_NO. */
void kube_rollout_started(struct kube *k, uint32_t job); /* At k->now. */
sl_time kube_rollout_due(const struct kube *k);          /* When there may be a next one; SL_NEVER. */

/* kube_binder.c: what a policy's parameters say; those that it does not have, as by default. */
int kube_take_options(struct kube_options *options, const struct sl_setup *setup, struct sl_err *err);
int kube_report_figures(struct kube *k, struct sl_tally *tally, struct sl_err *err);

#endif

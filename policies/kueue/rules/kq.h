/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq.h - Kueue, as rules over plain data: flavors, cluster queues, cohorts, workloads, their quota and
 * places. It knows no engine: time is handed in, what it decides is handed out (struct kq_effect). kueue.c
 * stands between it and the engine, tests/conformance/kueue_*.c between it and recorded cases.
 *
 * Rules: Kueue v0.20 development (commit ff69552e, API kueue.x-k8s.io/v1beta2); each file names what it
 * follows. Where Kueue leaves a tie to the order of a Go map, names decide, byte by byte, then rows.
 *
 * Rows of the arrays are handles; KQ_NO is none. Amounts are whole: cpu in thousandths, the rest in units
 * (bytes, counts); KQ_UNLIMITED absorbs. Texts are interned (kq_text): equal texts are the same pointer.
 */
#ifndef SL_KUEUE_KQ_H
#define SL_KUEUE_KQ_H

#include "sim/plugin.h"

#define KQ_NO        UINT32_MAX
#define KQ_UNLIMITED INT64_MAX
#define KQ_NO_LIMIT  INT64_C(-1) /* No borrowing or lending limit is set. */

/* Bounds of what is read. */
enum {
	KQ_FLAVORS_MAX = 4096,
	KQ_RESOURCES_MAX = 1024,
	KQ_TREE_MAX = 1 << 20,
	KQ_CELLS_MAX = 1 << 26,
	KQ_ROWS_MAX = 1 << 28
};

/* Saturating: KQ_UNLIMITED plus or minus anything stays so. */
int64_t kq_add(int64_t a, int64_t b);
int64_t kq_sub(int64_t a, int64_t b);
int64_t kq_mul(int64_t a, int64_t b);

/* ---- What is configured ------------------------------------------------------------------------- */

enum kq_strategy { KQ_BEST_EFFORT_FIFO, KQ_STRICT_FIFO };
enum kq_stop { KQ_STOP_NONE, KQ_HOLD, KQ_HOLD_AND_DRAIN };
enum kq_within { KQ_NEVER, KQ_LOWER_PRIORITY, KQ_LOWER_OR_NEWER_EQUAL, KQ_ANY }; /* Who may be preempted. */
enum kq_preference { KQ_BORROWING_OVER_PREEMPTION, KQ_PREEMPTION_OVER_BORROWING };

struct kq_flavor {
	const char *name;
	struct sl_labels labels;
	struct sl_taints taints;
	struct sl_tolerations tolerations;
	uint32_t topology;     /* KQ_NO: none. */
	bool exists;           /* Queues may name what is not there. */
	bool topology_missing; /* It names a topology that does not exist. */
};

enum { KQ_LEVELS_MAX = 16 };
struct kq_topology {
	const char *name;
	const char *level[KQ_LEVELS_MAX]; /* Keys of labels, coarse to fine. */
	uint32_t level_count;
	bool exists;
};

/* A node of the cluster, as topology-aware scheduling sees it. */
struct kq_amount {
	uint32_t resource;
	int64_t amount;
};
struct kq_amounts {
	struct kq_amount *at; /* Each resource once. */
	uint32_t count;
};
struct kq_host {
	const char *name;
	struct sl_labels labels;
	struct sl_taints taints;
	struct kq_amounts allocatable;
	int64_t *foreign; /* By resource: of pods that are not admitted with a topology; resource_sealed
			     long. */
	bool ready, unschedulable;
};

/* Quota of one flavor and resource in a queue or cohort. */
struct kq_quota {
	uint32_t resource;
	int64_t nominal, borrowing, lending; /* KQ_NO_LIMIT */
};
struct kq_group_flavor {
	uint32_t flavor;
	const struct kq_quota *quota;
	uint32_t count;
};
/* A resource group: flavors in the order in which they are tried. */
struct kq_group {
	const uint32_t *resource;
	uint32_t resource_count;
	const struct kq_group_flavor *flavor;
	uint32_t flavor_count;
};

enum kq_check_kind { KQ_CHECK_OTHER, KQ_CHECK_PROVISIONING, KQ_CHECK_MULTIKUEUE };
/* An AdmissionCheck. */
struct kq_check {
	const char *name;
	enum kq_check_kind kind;
	bool exists, active;
	const char *parameters; /* The name of what it is configured with; NULL: nothing. */
};
struct kq_queue_check {
	uint32_t check;
	const uint32_t *flavor; /* For these alone; */
	uint32_t flavor_count;
	bool all_flavors; /* or for all. */
};

struct kq_queue; /* kq_queue.h: what waits there. */

/* A node of the quota tree: a ClusterQueue or a Cohort. */
struct kq_node {
	const char *name;
	bool is_queue;
	bool exists;     /* Cohorts that are only named exist, without quota. Of queues: it is configured. */
	uint32_t parent; /* KQ_NO: a root. */
	const char *parent_name; /* NULL: none. */
	const uint32_t *child;   /* By name; queues after cohorts. Made by kq_seal. */
	uint32_t child_count;
	uint32_t root;   /* Itself, if it has no parent. */
	uint32_t height; /* Of a cohort, over its children that are members. */
	bool cycle;      /* Its cohorts go in a circle. */
	double weight;   /* Fair sharing; a sum of its decimal digits, not computed. */
	const struct kq_group *group;
	uint32_t group_count;

	/* Of queues. */
	enum kq_strategy strategy;
	enum kq_stop stop;
	bool terminating;
	struct sl_label_selector namespaces;
	bool borrow_next, preempt_next; /* whenCanBorrow, whenCanPreempt: TryNextFlavor. */
	enum kq_preference preference;
	enum kq_within within, reclaim; /* Of the queue's own, of the cohort's. */
	bool reclaim_unset;             /* Nothing was said: as Never, but where Kueue tells these apart. */
	enum kq_within borrow_within;   /* borrowWithinCohort; KQ_NEVER: absent. */
	bool has_threshold;
	int32_t threshold;      /* maxPriorityThreshold */
	bool usage_based;       /* admissionMode UsageBasedAdmissionFairSharing */
	bool ignore_undeclared; /* quotaCheckStrategy IgnoreUndeclared */
	const struct kq_queue_check *check;
	uint32_t check_count;
	bool concurrent;             /* concurrentAdmissionPolicy is set; */
	const char *concurrent_mode; /* its migration mode; NULL: its default. */
	const char *concurrent_last; /* lastAcceptableFlavorName; empty: any. */
	bool active;                 /* Made by kq_seal, with why not: */
	const char *inactive_reason, *inactive_message;
	uint64_t generation; /* Of what is allocatable: kq_assign.c. */
	struct kq_queue *queue;
	uint32_t *holder; /* Workloads that hold its quota, in the order in which they came to. */
	uint32_t holder_count, holder_capacity;
};

struct kq_local_queue {
	const char *name, *namespace;
	uint32_t queue; /* KQ_NO: it names one that does not exist. */
	const char *queue_name;
	enum kq_stop stop;
	double weight;
	/* Admission fair sharing, by resource: consumption in natural units; whole requests of which a part
	 * is a pending penalty (kq_afs.c). */
	double *used, *penalty; /* resource_sealed long. */
	sl_time used_at;
	bool exists;
};

struct kq_namespace {
	const char *name;
	struct sl_labels labels;
};

/* ---- Workloads ---------------------------------------------------------------------------------- */

enum { KQ_SLICE_LAYERS_MAX = 8 };
struct kq_slice {
	const char *level;
	int64_t size;
};
struct kq_topology_request {
	bool given; /* Else it requests none, unless its queue implies it. */
	const char *required, *preferred;
	bool unconstrained;
	struct kq_slice slice[KQ_SLICE_LAYERS_MAX]; /* Outermost first. */
	uint32_t slice_count;
	const char *pod_index_label, *sub_group_index_label;
	int64_t sub_group_count;
};

/* So many pods in the domain with these values of the levels. */
struct kq_domain_count {
	const char *value[KQ_LEVELS_MAX];
	int64_t count;
};
struct kq_placement {
	const char *level[KQ_LEVELS_MAX]; /* Of a topology by hosts: that one alone. */
	uint32_t level_count;
	struct kq_domain_count *domain; /* By values. */
	uint32_t count;
};

struct kq_podset {
	const char *name;
	int64_t count;
	int64_t min_count;         /* 0: not said. */
	struct kq_amounts request; /* Of one pod, for quota: after transformations. */
	struct kq_amounts pod;     /* Of one pod as it stands in its spec; at NULL: the same. */
	struct sl_labels node_selector;
	struct sl_tolerations tolerations;
	const struct sl_label_term *required,
		*preferred; /* Node affinity: one of the required has to hold. */
	uint32_t required_count, preferred_count;
	struct kq_topology_request topology;
	const char *group;                 /* podSetGroupName; NULL: alone. */
	bool exceeds_limits;               /* Requests above limits: never admitted. */
	int64_t reclaimable;               /* Pods that are done. */
	const struct kq_placement *before; /* Of the slice that it replaces; NULL. */
};

enum kq_cond_type {
	KQ_QUOTA_RESERVED,
	KQ_ADMITTED,
	KQ_PODS_READY,
	KQ_EVICTED,
	KQ_PREEMPTED,
	KQ_REQUEUED,
	KQ_FINISHED,
	KQ_DEACTIVATION_TARGET,
	KQ_BLOCKED_ON_GATES,
	KQ_COND_COUNT
};
enum kq_cond_status { KQ_ABSENT, KQ_FALSE, KQ_TRUE, KQ_UNKNOWN };
struct kq_cond {
	enum kq_cond_status status;
	const char *reason, *message; /* NULL: none. */
	sl_time at;
};
const char *kq_cond_name(enum kq_cond_type type);
bool kq_is(const struct kq_cond *cond); /* KQ_TRUE */

/* One podset of an admission: amounts are of all its pods. */
struct kq_admitted_flavor {
	uint32_t resource, flavor;
	int64_t amount;
};
struct kq_admitted_podset {
	const char *name;
	struct kq_admitted_flavor *flavor; /* By resource; flavor KQ_NO: used without one. */
	uint32_t flavor_count;
	int64_t count;
	struct kq_placement *placement; /* NULL: none, or */
	bool delayed;                   /* it comes later. */
};
struct kq_admission {
	uint32_t queue; /* ClusterQueue; KQ_NO: one that does not exist. */
	const char *queue_name;
	struct kq_admitted_podset *podset;
	uint32_t podset_count;
};

enum kq_check_state { KQ_CHECK_PENDING, KQ_CHECK_READY, KQ_CHECK_RETRY, KQ_CHECK_REJECTED };
struct kq_workload_check {
	uint32_t check;
	enum kq_check_state state;
	sl_time at;          /* Of the last change. */
	sl_time retry_after; /* After `at`; 0: at once. */
	uint32_t attempts;   /* That failed (ProvisioningRequest). */
};

struct kq_progress;   /* kq_assign.h: flavors that were tried. */
struct kq_usage_cell; /* kq_quota.h */

struct kq_workload {
	const char *name, *namespace, *uid; /* "" where nothing is said. */
	const char *queue_name;
	uint32_t local; /* KQ_NO: its LocalQueue does not exist. */
	int64_t priority, boost;
	bool has_boost;
	sl_time created;             /* SL_NONE: before all that have a time. */
	bool active;                 /* spec.active */
	bool deleted, on_hold, gone; /* gone: its row is free. */
	struct kq_podset *podset;
	uint32_t podset_count;
	struct kq_cond cond[KQ_COND_COUNT];
	struct kq_admission *admission; /* NULL: none. */
	struct kq_workload_check *check;
	uint32_t check_count;
	int64_t requeue_count;
	sl_time requeue_at;    /* SL_NONE: none. */
	sl_time max_execution; /* 0: none; before: of earlier admissions. */
	sl_time executed;
	struct sl_labels annotations, labels;
	const char *refused;          /* Why it is in no queue, whatever it names; NULL. */
	const char *const *unhealthy; /* Names of hosts. */
	uint32_t unhealthy_count;
	const char *owner_kind, *owner_uid; /* NULL: none. */
	bool gated;                         /* A preemption gate is closed. */
	uint32_t replaces;                  /* Elastic: the slice that it replaces; KQ_NO. */
	const char *pending_reason,
		*pending_message; /* Why it waits, in Kueue's words; NULL: nothing was said. */

	/* The scheduler's. */
	uint64_t hash; /* Of its shape: kq_queue.c. */
	struct kq_progress *progress;
	bool holds;                 /* It is among its queue's holders, and its quota is counted: */
	struct kq_usage_cell *used; /* so much; made as it comes to hold. */
	uint32_t used_count;
	uint32_t holder; /* Its place among its queue's holders. */
	uint8_t queued;  /* enum of kq_queue.h: where it waits. */
	uint32_t heap_at;
	uint64_t order;       /* Of reservation: later ones have more. */
	bool out;             /* Counted out for a while, and no candidate (kq_process.c). */
	bool taken;           /* A victim of this cycle. */
	bool unready;         /* It counts in kq_unready. */
	uint32_t row_outside; /* The engine's row; the core does not look. */
};

/* ---- Configuration of the controller ------------------------------------------------------------ */

/* Feature gates, with Kueue's names and the defaults of the commit. X(name, default) */
/* clang-format off */
#define KQ_GATES(X) \
	X(PrioritySortingWithinCohort, true) \
	X(PartialAdmission, true) \
	X(FlavorFungibility, true) \
	X(ReclaimablePods, true) \
	X(FairSharingPreemptWithinNominal, true) \
	X(FairSharingPrioritizeNonBorrowing, true) \
	X(SchedulingEquivalenceHashing, true) \
	X(RecomputeAssignmentUponPreemptionTargetsOverlap, true) \
	X(FlavorFungibilityPreserveScanProgress, true) \
	X(TopologyAwareScheduling, true) \
	X(TASProfileMixed, true) \
	X(TASMultiLayerTopology, true) \
	X(TASRecomputeAssignmentWithinSchedulingCycle, true) \
	X(TASFailedNodeReplacement, true) \
	X(TASFailedNodeReplacementFailFast, true) \
	X(TASHandleOverlappingFlavors, true) \
	X(SkipReassignmentForPodOwnedWorkloads, true) \
	X(AdmissionFairSharing, true) \
	X(UnadmittedWorkloadsObservability, true) \
	X(ElasticJobsViaWorkloadSlices, true) \
	X(KueueDRAIntegration, true) \
	X(KueueDRAIntegrationExtendedResource, true) \
	X(KueueDRAIntegrationPartitionableDevices, true) \
	X(KueueDRAIntegrationConsumableCapacity, false) \
	X(KueueDRAIntegrationPrioritizedList, false) \
	X(PriorityBoost, false) \
	X(PrioritizePreemptorWorkloads, false) \
	X(TASBalancedPlacement, false) \
	X(TASRespectNodeAffinityPreferred, false) \
	X(ConcurrentAdmission, false) \
	X(MultiKueueOrchestratedPreemption, false) \
	X(ElasticJobsViaWorkloadSlicesWithTAS, false) \
	X(SchedulerLibraryIntegration, false) \
	X(VectorizedResourceRequests, true) \
	X(SchedulingEquivalenceHashingIgnorePodSetName, true) \
	X(QuotaCheckStrategy, true) \
	X(AdmissionGatedBy, true) \
	X(WorkloadPriorityClassDefaulting, true) \
	X(KueueDRARejectWorkloadsWhenDRADisabled, true) \
	X(ReservedResourceNameValidation, true) \
	X(MultiKueue, true) \
	X(MultiKueueIncrementalDispatcherConfig, true) \
	X(MultiKueueIncrementalDispatcherRespectConfigOrder, true) \
	X(DisableWaitForPodsReady, false) \
	X(FairSharingReevaluatePreemptionCandidates, false)
/* clang-format on */
enum kq_gate {
#define KQ_GATE_ENTRY(name, on) KQ_GATE_##name,
	KQ_GATES(KQ_GATE_ENTRY)
#undef KQ_GATE_ENTRY
		KQ_GATE_COUNT
};
/* The most similar gate of Kueue's, if that is none (*known); NULL: none is similar. */
const char *kq_gate_similar(const char *name, bool *known);
enum kq_gate kq_gate_find(const char *name); /* KQ_GATE_COUNT: there is none of that name. */
/* Of a gate that is not among KQ_GATES: why it cannot be set so; NULL: nothing here depends on it. */
const char *kq_gate_refused(const char *name, bool on);
struct kq;
/* Why a workload waits, or its older word where UnadmittedWorkloadsObservability is off. */
const char *kq_told(const struct kq *kq, const char *reason, const char *older);

enum kq_dispatch { KQ_ALL_AT_ONCE, KQ_INCREMENTAL }; /* MultiKueue's. */
enum kq_fair_strategy { KQ_LESS_OR_EQUAL_FINAL, KQ_LESS_INITIAL };

struct kq_config {
	bool gate[KQ_GATE_COUNT];
	bool fair_sharing;
	enum kq_fair_strategy fair[2];
	uint32_t fair_count;
	bool afs; /* admissionFairSharing is configured; times in us. */
	sl_time afs_half_life, afs_interval;
	const struct sl_label *afs_weight; /* Resource, decimal. */
	uint32_t afs_weight_count;
	bool wait_ready; /* waitForPodsReady */
	bool block_admission;
	sl_time ready_timeout, recovery_timeout; /* SL_NONE: none. */
	sl_time backoff_base, backoff_max;
	int64_t backoff_limit;     /* -1: none. */
	bool by_creation;          /* requeuingStrategy.timestamp: Creation; else Eviction. */
	enum kq_dispatch dispatch; /* multiKueue.dispatcherName */
	uint32_t dispatch_step;    /* multiKueue.incrementalDispatcherConfig.stepSize */
	sl_time worker_lost;       /* multiKueue.workerLostTimeout */
};
void kq_config_default(struct kq_config *config);

/* ---- The cluster state (Kueue: cache, queue manager and scheduler) ------------------------------ */

/* What was decided, in order: for whoever carries it out. */
enum kq_effect_kind {
	KQ_DECISION_RESERVE, /* Quota is reserved (cond, admission are set). */
	KQ_DECISION_ADMIT,   /* It is admitted: its job may start. */
	KQ_DECISION_PREEMPT, /* It is to be preempted for `cause`: evicted, and counts until kq_evicted. */
	KQ_DECISION_EVICT,   /* It is evicted for another reason; likewise. */
	KQ_DECISION_PEND,    /* It waits, and why: pending_reason. */
	KQ_DECISION_SKIP,    /* It would have been admitted, or preempted, but no more: message. */
	KQ_DECISION_DEACTIVATE,
	KQ_DECISION_FINISH,
	KQ_DECISION_REQUEUE,
	KQ_DECISION_CHECKS_RESET,
	KQ_DECISION_REPLACE_NODE, /* Another placement of an admitted one. */
};
struct kq_effect {
	enum kq_effect_kind kind;
	uint32_t workload, cause; /* KQ_NO */
	const char *reason;       /* Kueue's word: "QuotaReserved", "InCohortReclamation"... */
	const char *message;      /* NULL: none. Valid until the effects are cleared. */
};

struct kq_tas; /* kq_tas.h */

struct kq {
	struct sl_arena *arena; /* Of what stays. */
	struct kq_config config;
	struct sl_err err; /* The first failure; err.status 0: none. */
	sl_time now;
	bool (*stopping)(const void *self); /* Nobody waits for what comes of it any more; NULL: they do. */
	const void *stopping_of;

	const char **resource;                      /* Names; KQ_PODS, KQ_CPU, KQ_MEMORY first. */
	uint32_t resource_count, resource_capacity; /* Arrays by resource hold resource_sealed amounts. */
	struct kq_flavor *flavor;
	uint32_t flavor_count, flavor_capacity;
	struct kq_topology *topology;
	uint32_t topology_count, topology_capacity;
	struct kq_host *host;
	uint32_t host_count, host_capacity;
	struct kq_node *node; /* Queues and cohorts. */
	uint32_t node_count, node_capacity;
	struct kq_local_queue *local;
	uint32_t local_count, local_capacity;
	struct kq_namespace *namespace;
	uint32_t namespace_count, namespace_capacity;
	struct kq_check *check;
	uint32_t check_count, check_capacity;
	struct kq_workload *workload;
	uint32_t workload_count, workload_capacity;

	/* Made by kq_seal: pairs of flavor and resource that any quota names ("FR"), by (flavor, resource),
	 * and dense arrays [node * fr_count + fr]. */
	struct kq_fr {
		uint32_t flavor, resource;
	} * fr;
	uint32_t fr_count;
	uint32_t *fr_of;                         /* [flavor * resource_sealed + resource]; KQ_NO: kq_fr() */
	uint32_t flavor_sealed, resource_sealed; /* How many there were. */
	int64_t *nominal, *borrowing, *lending;  /* KQ_NO_LIMIT */
	int64_t *subtree;                        /* S: subtree quota. */
	int64_t *usage;                          /* U. Journalled. */
	uint32_t *queue;                         /* The queues among the nodes, by name. */
	uint32_t queue_count;

	/* Cells and what was in them, since the first open mark. */
	struct kq_change {
		int64_t *cell;
		int64_t old;
	} * journal;
	size_t journal_count, journal_capacity;
	uint32_t marks; /* Open. */

	struct kq_effect *effect;
	uint32_t effect_count, effect_capacity;
	struct kq_tas *tas;
	uint64_t cycles;            /* That popped at least one head. */
	uint64_t orders;            /* Of reservations so far. */
	struct kq_names *names;     /* kq_names.c */
	struct kq_scratch *scratch; /* Of kq_hold and its like. */
	void *state[8];             /* Of parts that keep something between cycles, by enum kq_part. */
};
enum { KQ_PODS, KQ_CPU, KQ_MEMORY };
enum kq_part {
	KQ_PART_QUEUE,
	KQ_PART_ASSIGN,
	KQ_PART_PREEMPT,
	KQ_PART_CYCLE,
	KQ_PART_LIFE,
	KQ_PART_MULTI,
	KQ_PART_QUOTA,
};

int kq_names_make(struct kq *kq);
void kq_names_free(struct kq *kq);
static inline bool kq_goes_on(const struct kq *kq)
{
	return !kq->err.status && !(kq->stopping && kq->stopping(kq->stopping_of));
}

/* kq_instance.c. NULL: no memory. */
struct kq *kq_new(struct sl_arena *arena);
void kq_free(struct kq *kq); /* What is not in the arena. */
int kq_fail(struct kq *kq, int status, const char *format, ...) SL_PRINTF(3, 4);
const char *kq_text(struct kq *kq, const char *text);     /* "" for NULL. */
void *kq_alloc(struct kq *kq, size_t count, size_t size); /* Of the arena, zeroed; sets kq->err if out. */
/* By name; made where there is none of that name yet (exists stays false). */
uint32_t kq_resource(struct kq *kq, const char *name);
uint32_t kq_flavor(struct kq *kq, const char *name);
uint32_t kq_topology(struct kq *kq, const char *name);
uint32_t kq_cohort(struct kq *kq, const char *name);
uint32_t kq_cluster_queue(struct kq *kq, const char *name);
uint32_t kq_local_queue(struct kq *kq, const char *namespace, const char *name);
uint32_t kq_check(struct kq *kq, const char *name);
uint32_t kq_namespace(struct kq *kq, const char *name);
uint32_t kq_host(struct kq *kq, const char *name);
/* Only if there is one: KQ_NO else. */
uint32_t kq_find_queue(const struct kq *kq, const char *name);
uint32_t kq_find_local(const struct kq *kq, const char *namespace, const char *name);
uint32_t kq_find_namespace(const struct kq *kq, const char *name);
uint32_t kq_find_host(const struct kq *kq, const char *name);
/* An empty one, active, of no queue. */
uint32_t kq_workload(struct kq *kq, const char *namespace, const char *name);
/* A sorted, unique copy; amounts of the same resource are added. */
struct kq_amounts kq_amounts(struct kq *kq, const struct kq_amount *at, uint32_t count);
int64_t kq_amount_of(const struct kq_amounts *amounts, uint32_t resource); /* 0: none. */
/* Another admission in its place, copied deep; NULL: none. Frees the old one. Counts nothing. */
void kq_set_admission(struct kq *kq, uint32_t workload, const struct kq_admission *admission);
struct kq_admission *kq_admission_copy(const struct kq_admission *admission); /* NULL: no memory. */
void kq_admission_free(struct kq_admission *admission);
void kq_placement_free(struct kq_placement *placement);
void kq_set_cond(struct kq *kq, uint32_t workload, enum kq_cond_type type, enum kq_cond_status status,
	const char *reason, const char *message, sl_time at);
void kq_decision(struct kq *kq, enum kq_effect_kind kind, uint32_t workload, uint32_t cause,
	const char *reason, const char *message);
/* After what is configured was made or changed: trees, heights, activity, dense arrays; usage is counted anew
 * from the workloads that hold quota (KQ_QUOTA_RESERVED true, with an admission). */
int kq_seal(struct kq *kq);
/* Hosts came, went, or changed, and nothing else: the topologies, with what holders use there, anew. */
int kq_hosts_changed(struct kq *kq);
/* Status of one queue, by itself: made by kq_seal too. */
void kq_queue_status(struct kq *kq, uint32_t queue);

/* Everything in a workload's place that counts as usage. */
typedef size_t kq_marked;
kq_marked kq_mark(struct kq *kq);
void kq_undo(struct kq *kq, kq_marked mark); /* Cells as they were at the mark. */
void kq_keep(struct kq *kq, kq_marked mark);
void kq_write(struct kq *kq, int64_t *cell, int64_t value); /* Journalled if a mark is open. */
/* Adds the usage of the workload's admission, or removes it: quota, topology domains, its queue's holders. */
void kq_hold(struct kq *kq, uint32_t workload);
void kq_release(struct kq *kq, uint32_t workload);
/* The same of usage alone, for simulations under a mark: holders stay. */
void kq_count_in(struct kq *kq, uint32_t workload);
void kq_count_out(struct kq *kq, uint32_t workload);
/* Its requests have changed (reclaimable pods): it is counted anew. */
void kq_recount(struct kq *kq, uint32_t workload);

/* KQ_NO: no quota names them. */
static inline uint32_t kq_fr(const struct kq *kq, uint32_t flavor, uint32_t resource)
{
	return flavor < kq->flavor_sealed && resource < kq->resource_sealed
		       ? kq->fr_of[flavor * kq->resource_sealed + resource]
		       : KQ_NO;
}

#endif

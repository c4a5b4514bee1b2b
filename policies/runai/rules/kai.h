/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai.h - the KAI scheduler (Run:AI's, open), as rules over plain data: nodes with GPUs, a tree of queues,
 * jobs of tasks. It knows no engine: time is an argument, decisions are returned (struct kai_effect).
 * runai.c stands between it and the engine, tests/conformance/runai_*.c between it and recorded cases.
 *
 * Rules: kai-scheduler/KAI-Scheduler, commit d5bc503a; each file names what it follows. Run:AI's words: a
 * project is a leaf queue, a department a queue above it, a workload a job, a node pool (KAI:
 * SchedulingShard) a struct kai of its own. Where KAI leaves a tie to the order of a Go map, names decide,
 * byte by byte, then rows.
 *
 * Rows of the arrays are handles; KAI_NO is none. Amounts are whole: thousandths of a cpu, bytes, and
 * KAI_GPU-ths of a GPU (so that three tenths and a tenth are four tenths). KAI_UNLIMITED absorbs.
 * Texts are interned (kai_text): equal texts are the same pointer.
 */
#ifndef SL_RUNAI_KAI_H
#define SL_RUNAI_KAI_H

#include "sim/plugin.h"

#define KAI_NO        UINT32_MAX
#define KAI_UNLIMITED INT64_MAX
#define KAI_GPU       INT64_C(1000000000) /* One GPU, as an amount. */

/* Bounds of what is read. */
enum {
	KAI_DEVICES_MAX = 64, /* GPUs of a node that a task takes shares of. */
	KAI_LEVELS_MAX = 16,  /* Of a topology. */
	KAI_DEPTH_MAX = 32,   /* Of the tree of queues. */
	KAI_ROWS_MAX = 1 << 28
};

/* What quotas are of. */
enum kai_res { KAI_CPU, KAI_MEM, KAI_GPUS, KAI_RES };
struct kai_vec {
	int64_t at[KAI_RES];
};
/* Saturating: KAI_UNLIMITED plus or minus anything stays so. */
int64_t kai_add(int64_t a, int64_t b);
int64_t kai_sub(int64_t a, int64_t b);

/* ---- Queues ---- */

struct kai_queue {
	const char *name;
	uint32_t parent;       /* KAI_NO: a root. */
	const uint32_t *child; /* By row; made by kai_seal. */
	uint32_t child_count, depth;
	int64_t priority;       /* Default 100. */
	int64_t created;        /* Smaller is older; only the order counts. */
	struct kai_vec quota;   /* "Deserved". KAI_UNLIMITED; nothing said: 0. */
	struct kai_vec limit;   /* KAI_UNLIMITED: none. */
	double weight[KAI_RES]; /* Over-quota weight; 0: never a surplus. */
	double usage[KAI_RES];  /* Past usage, as a share of the cluster (time-based fair share); 0. */
	sl_time preempt_min, reclaim_min; /* preemptMinRuntime, reclaimMinRuntime; SL_NONE: not said. */
	/* Accounting. Of all below it. */
	struct kai_vec request;      /* What its jobs have allocated (as charged where they are) and request
					(pending: of the least device); journalled. */
	struct kai_vec fair;         /* Fair share, made by kai_open; KAI_UNLIMITED where all is its. */
	struct kai_vec allocated;    /* Now; journalled. */
	struct kai_vec allocated_np; /* Of it, of jobs that are not preemptible; journalled. */
	uint32_t row_outside;        /* The caller's; the core does not look. */
};

/* ---- Nodes ---- */

enum kai_mig { KAI_MIG_NONE, KAI_MIG_SINGLE, KAI_MIG_MIXED };
/* A GPU of a node that is shared, or was. Memory in MiB. */
struct kai_shared {
	int64_t allocated; /* By all that are on it, also those on their way out; not by those on their way
			      in. */
	int64_t releasing; /* Of it, on its way out. */
	int64_t pipelined; /* On its way in. */
	int64_t members, pipelined_members;
	int64_t device;    /* The caller's number of the GPU, once it is known; -1. The core only keeps it. */
	const char *label; /* In recorded cases; NULL. */
};
/* What is free, or is to become free, in whole devices. */
struct kai_free {
	int64_t cpu, mem, pods, gpus;
};
struct kai_node {
	const char *name;
	struct sl_labels labels;
	int64_t cpu, mem, pods, gpus; /* Allocatable. */
	int64_t gpu_mem;              /* Of a device, MiB. */
	enum kai_mig mig;
	int64_t *mig_count;     /* Of each profile (kai.mig), or NULL. */
	bool ready, cpu_worker; /* cpu_worker: has no GPUs. */
	/* Accounting, journalled: kai_node.c. */
	struct kai_free idle, releasing; /* A device that is shared is neither; one all of whose shares are on
					    their way out counts as one that is. */
	int64_t *mig_idle, *mig_releasing;
	struct kai_shared *shared; /* Rows stay where they are (the journal points at them): kai_node_clear
				      allocates as many as there can be; one without members is used again. */
	uint32_t shared_count, shared_capacity;
	uint32_t row_outside;
};

struct kai_topology {
	const char *name;
	const char *level[KAI_LEVELS_MAX]; /* Keys of labels, coarse to fine. */
	uint32_t level_count;
};

/* ---- Jobs ---- */

enum { KAI_SEARCHES = 3 }; /* Actions that look for victims: consolidation, reclaim, preempt. */

enum kai_state {
	KAI_PENDING,
	KAI_GATED,
	KAI_ALLOCATED,
	KAI_PIPELINED, /* Starts where and when what is releasing has gone. */
	KAI_BINDING,
	KAI_BOUND,
	KAI_RUNNING,
	KAI_RELEASING,
	KAI_STUCK, /* stuck_in_releasing */
	KAI_SUCCEEDED,
	KAI_FAILED,
	KAI_UNKNOWN,
	KAI_DELETED,
	KAI_STATES
};
static inline bool kai_active_used(uint32_t state) { return state >= KAI_ALLOCATED && state <= KAI_STUCK; }
static inline bool kai_active_allocated(uint32_t state)
{
	return state >= KAI_ALLOCATED && state <= KAI_RUNNING;
}

enum kai_gpu_kind { KAI_NO_GPU, KAI_WHOLE, KAI_FRACTION, KAI_MEMORY, KAI_MIG_PROFILES };
struct kai_profiles {
	uint32_t profile; /* Of kai.mig. */
	int64_t count;
};
/* What a task requests; tasks that request the same share one row. */
struct kai_request {
	int64_t cpu, mem;
	enum kai_gpu_kind kind;
	int64_t gpus;     /* WHOLE: devices. FRACTION, MEMORY: of so many devices (1). */
	int64_t fraction; /* FRACTION: of each, an amount below KAI_GPU. */
	int64_t gpu_mem;  /* MEMORY: MiB of each. */
	const struct kai_profiles *profile;
	uint32_t profile_count;
	bool best_effort;        /* It takes a pod's slot and nothing else. */
	const uint64_t *allowed; /* Bits of nodes that will do (labels, taints, affinity); NULL: all. */
	/* kai_place.c, journalled: so many (nowhere_count, or more) did not fit when kai.freed was this. */
	int64_t nowhere, nowhere_count;
};

/* A node of a job's tree: a set of groups, or (leaf) of pods. Row 0 of a job's is the root, a set; a job
 * without a tree has one pod set, "default", below it. Parents come before children. */
struct kai_group {
	const char *name;
	uint32_t parent; /* Row within the job; KAI_NO: the root. */
	bool leaf;
	uint32_t min;                 /* Of a set: minSubGroup; KAI_NO: all. Of pods: minMember. */
	uint32_t topology;            /* KAI_NO: no constraint, else at least one of */
	uint32_t required, preferred; /* its levels; KAI_NO. Rows that are not there: it is on no node. */
	int64_t count[KAI_STATES]; /* Tasks by state, journalled: of a leaf; of the root: all of the job. */
	uint32_t request;          /* Of a leaf: what all its tasks request; KAI_NO: not all the same. */
	uint32_t met, unmet;       /* Memory of kai_order_gang.c. */
};

struct kai_job;
struct kai_task {
	uint32_t job, group; /* group: row within the job. */
	uint32_t request;
	const char *uid; /* Last tie, as text. */
	bool has_order;
	int64_t order; /* Of its label: higher first; those with one before those without. */
	int64_t created;
	/* Journalled. */
	int64_t state; /* enum kai_state */
	int64_t node;  /* Where it is, or goes (pipelined); -1. */
	int64_t from;  /* Moved: where it is still, on its way out; -1. */
	int64_t kept;  /* It was pipelined there, was evicted before it started, and goes elsewhere: what was
			  reserved for it is still counted there, as releasing, until the session is over; -1.
			*/
	int64_t *shared, *from_shared,
		*kept_shared; /* Of a share of GPUs: rows of the nodes' shared, request.gpus of them. */
	int64_t evicted;      /* In this session: 1 by a simulation that is not settled, 2 for good. */
	int64_t before;       /* Releasing, or moved: the state it was evicted in. */
	int64_t retry;        /* 1: it was evicted from a place where it was only to start. */
	int64_t counted;      /* 1: it is in what its queues have allocated. */
	uint32_t nominated;   /* The node it was to start on later, as the last session left it; KAI_NO. */
	uint32_t row_outside;
};

struct kai_job {
	const char *name;
	uint32_t queue; /* KAI_NO: there is none of that name. */
	int64_t priority;
	bool preemptible;
	bool deleted; /* What is evicted of it goes for good. */
	bool ready;   /* Nothing keeps it from being looked at. */
	bool gone;    /* Its row is free. */
	bool unsure;  /* It is in kai.unsure. */
	sl_time created;
	sl_time started;     /* Since its gang fully started; SL_NONE. */
	sl_time stale_since; /* SL_NONE: it is not stale. */
	sl_time grace;       /* Of staleness, its own; SL_NONE: the default; below 0: never. */
	sl_time delay;       /* preemptionDelay; 0: none. */
	sl_time evicted_at;  /* Last eviction; SL_NONE. */
	struct kai_backoff {
		sl_time until, wait; /* Not searched for until then; the last wait. 0: none. */
		uint64_t failed;     /* kai.version as it found nothing. */
	} backoff[KAI_SEARCHES];     /* By action, from KAI_CONSOLIDATION. */
	struct kai_group *group;
	uint32_t group_count;
	uint32_t task, task_count; /* Its tasks stand together, in task order (kai_seal_job). */
	uint64_t signature;        /* Of its constraints: kai_signature. */
	uint32_t nominated;        /* Memory for others. */
	uint32_t row_outside;
	/* Why it waits: the last that was said. */
	uint32_t why; /* enum kai_why */
	uint32_t why_queue;
	enum kai_res why_res;
	int64_t why_a, why_b, why_c; /* Figures: requested, allocated, bound. */
};

/* KAI's reasons. */
enum kai_why {
	KAI_WHY_NONE,
	KAI_OVER_LIMIT,        /* OverLimit: why_queue, why_res, requested, allocated, limit. */
	KAI_NP_OVER_QUOTA,     /* NonPreemptibleOverQuota: likewise, allocated to non-preemptible, quota. */
	KAI_DELAY_NOT_ELAPSED, /* PreemptionDelayNotElapsed */
	KAI_QUEUE_DOES_NOT_EXIST,
	KAI_POD_ERRORS, /* PodSchedulingErrors: no node for a task. why_a: tasks that have one, why_b: the
			   minimum of the pod set of the one that has none, why_c: its row in the job.
			   What lacks where: kai_lacking. */
	KAI_TOPOLOGY,   /* It fits in no domain. */
	KAI_NOT_READY   /* Too few of its pods are there. */
};

/* ---- Settings of the scheduler ---- */

enum kai_action { KAI_ALLOCATE, KAI_CONSOLIDATION, KAI_RECLAIM, KAI_PREEMPT, KAI_STALE, KAI_ACTIONS };
enum kai_placement { KAI_BINPACK, KAI_SPREAD, KAI_PLAIN };
enum kai_plugin {                  /* Bits; KAI_ALL_PLUGINS by default. */
	KAI_PLUGIN_PROPORTION = 1, /* Fair share, checks of limit and quota. */
	KAI_PLUGIN_PRIORITY = 2,   /* Order of jobs. */
	KAI_PLUGIN_ELASTIC = 4,
	KAI_PLUGIN_NODEPLACEMENT = 8,
	KAI_PLUGIN_GPUPACK = 16,
	KAI_PLUGIN_GPUSPREAD = 32,
	KAI_PLUGIN_NODEAVAILABILITY = 64,
	KAI_PLUGIN_RESOURCETYPE = 128,
	KAI_PLUGIN_GPUSHARING = 256, /* gpusharingorder */
	KAI_PLUGIN_TOPOLOGY = 512,
	KAI_PLUGIN_MINRUNTIME = 1024,
	KAI_PLUGIN_TASKORDER = 2048,
	KAI_PLUGIN_SUBGROUPORDER = 4096,
	KAI_PLUGIN_NOMINATED = 8192,
	KAI_ALL_PLUGINS = (1 << 14) - 1
};
struct kai_config {
	enum kai_action action[KAI_ACTIONS]; /* In order. */
	uint32_t action_count;
	uint32_t depth[KAI_ACTIONS]; /* So many jobs of a queue are looked at; 0: all. */
	enum kai_placement gpu_placement, cpu_placement;
	enum kai_placement gpu_order; /* KAI_BINPACK: the fullest device first. */
	uint32_t plugins;
	bool consolidating_reclaim; /* allowConsolidatingReclaim (true) */
	int64_t consolidation_max;  /* maxNumberConsolidationPreemptees; -1: no bound; 0: no consolidation. */
	bool signatures;            /* useSchedulingSignatures */
	bool fresh_order;           /* Queues are sorted anew before each choice; else KAI's lazy heaps. */
	bool priority_reclaim; /* queuePriorityInQuotaReclaim (later than the commit above): kai_share.c. */
	bool gpu_workers_only; /* Total of GPUs: of nodes that are GPU workers alone. */
	double saturation;     /* reclaimerUtilizationMultiplier, 1 or more. */
	double k;              /* kValue of time-based fair share, 1. */
	bool remainders_by_group; /* Fair shares: what rounding kept back of a priority goes out before lower
				     ones are served (KAI of 2026-10, commit a1481143), not after all. */
	sl_time staleness;        /* defaultStalenessGracePeriod, 60 s; below 0: never. */
	bool reclaim_by_queue;    /* reclaimResolveMethod queue; else lca. */
	sl_time preempt_min, reclaim_min; /* Defaults, 0. */
	bool keep_open;  /* kai_session leaves what kai_close takes back: recorded cases look at it. */
	bool exhaustive; /* Sets of victims that cannot do are simulated too: to compare. */
	bool stepwise;   /* Nothing is found out ahead by rehearsal, dismissal, or the order of buckets: to
			    compare, also what is counted. */
	/* A search for victims is given up (KAI has wall-clock budgets): so many sets were simulated for the
	 * job in this action, or so many pods placed in sets that failed; the same for all jobs of the action
	 * together, with a quarter more pods. 0: no bound. */
	uint64_t scenarios_max, pods_max;
	/* By action, from KAI_CONSOLIDATION: minFailedSearchBackoff, maxFailedSearchBackoff: a job whose
	 * search found nothing is not searched for in that action for so long, twice as long each time. 0:
	 * none. */
	sl_time backoff_min[KAI_SEARCHES], backoff_max[KAI_SEARCHES];
};
/* KAI allows a job's search 4 minutes (maxJobSearchDuration), an action 5. Its benchmark of many reclaims, on
 * 500 nodes, takes 165.61 s for 4,000 jobs, each of which places itself and one victim (its pull request
 * 1809): 48 pods a second. */
enum { KAI_PODS_MAX = 4 * 60 * 48 };
/* KAI's defaults, production: signatures on, 16 for consolidation. */
void kai_config_default(struct kai_config *config);

/* ---- What it decided ---- */

enum kai_effect_kind {
	KAI_BIND,     /* task starts at node now. */
	KAI_PIPELINE, /* task will start at node. */
	KAI_EVICT     /* task has to leave node. */
};
struct kai_effect {
	enum kai_effect_kind kind;
	uint32_t task, node;
	enum kai_action action;
	uint32_t cause; /* EVICT: the job for which; KAI_NO. */
	bool moved;     /* EVICT: it is pipelined elsewhere. */
	bool early;     /* EVICT: it never started at node; only what was kept for it there is given up. */
};

/* Jobs of which some pods wait; of which some are allocated, bound or run. */
enum kai_list { KAI_WAITING, KAI_ACTIVE, KAI_LISTS };

/* What has names of its own. */
enum kai_named { KAI_NAMED_QUEUE, KAI_NAMED_NODE, KAI_NAMED_TOPOLOGY, KAI_NAMED_MIG, KAI_NAMEDS };

struct kai_change {
	int64_t *cell;
	int64_t old;
};

struct kai {
	struct sl_arena *arena;
	struct sl_err err; /* The first that went wrong (memory). */
	struct kai_config config;
	sl_time now;
	struct kai_queue *queue;
	uint32_t queue_count, queue_capacity;
	const uint32_t *root; /* Queues without a parent, by row; of kai_seal. */
	uint32_t root_count;
	struct kai_node *node;
	uint32_t node_count, node_capacity;
	int64_t *node_version,
		node_clock; /* By node: another one with each change of its accounting; journalled.
			     */
	int64_t *gpus_free; /* By node: whole devices that are idle or releasing, close together; journalled.
			     */
	const uint32_t *node_by_name; /* Rows of nodes; of kai_seal. */
	uint32_t *node_rank;          /* The reverse. */
	size_t node_words;            /* Words of a set of nodes, in bits. */
	struct kai_topology *topology;
	uint32_t topology_count, topology_capacity;
	const char **mig; /* Names of profiles. */
	uint32_t mig_count, mig_capacity;
	struct kai_request *request;
	uint32_t request_count, request_capacity;
	struct kai_task *task;
	uint32_t task_count, task_capacity;
	struct kai_job *job;
	uint32_t job_count, job_capacity;
	uint32_t *free_job; /* Rows that are free. */
	uint32_t free_job_count, free_job_capacity;
	/* Of the cluster; made by kai_open. */
	struct kai_vec total;
	int64_t gpu_mem_least, gpu_mem_most; /* MiB of a device, nodes of at most 100 passed over; 0: none. */
	/* What it decided in this session. */
	struct kai_effect *effect;
	uint32_t effect_count, effect_capacity;
	uint64_t scenarios;              /* Simulated in this session. */
	uint64_t searches, searches_cut; /* Of all sessions: jobs for which sets were simulated; given up. */
	uint64_t *list[KAI_LISTS];       /* kai_lists.c: bits of jobs. */
	uint64_t *sure[KAI_LISTS];       /* Of them those that are known to be right. */
	size_t list_words;
	bool total_known;
	uint32_t *unsure; /* Gangs that may be stale: some of their pods came or went since the last check. */
	uint32_t unsure_count, unsure_capacity;
	/* The caller's; NULL. True: it wants to end: no further search. */
	bool (*stopping)(const void *of);
	const void *stopping_of;
	/* Searches that failed fail again as long as this stays: kai_bounds.c. Grows with each session,
	 * unless nothing has changed since but that what the last one bound runs (unchanged: the caller says
	 * so), and with all that is decided in one. */
	uint64_t version;
	bool unchanged;
	int64_t freed; /* Grows whenever resources of a node are freed; not journalled. */
	/* Marks. */
	struct kai_change *journal;
	size_t journal_count, journal_capacity;
	uint32_t marks;
	struct sl_names *names;
	struct kai_rows {
		uint32_t *row; /* By number of the name; KAI_NO: none. */
		uint32_t capacity;
	} rows[KAI_NAMEDS];
	uint32_t *block[32]; /* kai_jobs.c: free blocks of 1, 2, 4... tasks. */
	uint32_t block_count[32], block_capacity[32];
	struct sl_map request_map;
	uint32_t *sealed;              /* Children of queues, roots, orders of nodes. */
	struct kai_stock *stock;       /* kai_stock.c; of kai_seal. */
	struct kai_topo_state *topo;   /* kai_topo.c; NULL. */
	struct kai_order_state *order; /* kai_order.c */
	struct kai_solve_state *solve; /* kai_solver.c */
	struct kai_share_state *share; /* kai_share.c */
};

/* kai_instance.c: struct kai is built, sealed, changed. Functions that make something return its row, or
 * KAI_NO (kai.err is set). */
struct kai *kai_new(struct sl_arena *arena);
void kai_free(struct kai *kai);
int kai_fail(struct kai *kai, int status, const char *format, ...) SL_PRINTF(3, 4);
const char *kai_text(struct kai *kai, const char *text); /* NULL stays NULL. */
uint32_t kai_queue(struct kai *kai, const char *name);   /* Found, or made: nothing guaranteed, no limit. */
uint32_t kai_find_queue(const struct kai *kai, const char *name);
uint32_t kai_node(struct kai *kai, const char *name); /* Likewise. */
uint32_t kai_find_node(const struct kai *kai, const char *name);
uint32_t kai_topology(struct kai *kai, const char *name);
uint32_t kai_find_topology(const struct kai *kai, const char *name);
uint32_t kai_mig_profile(struct kai *kai, const char *name);
uint32_t kai_request(struct kai *kai, const struct kai_request *request); /* Found, or made; copied. */
/* A job with `tasks` pending tasks (their request, uid and group are set by the caller) and `groups` groups
 * (likewise; 0: a root and "default" of minMember `tasks`, which all tasks are in). Rows of old ones are used
 * again. */
uint32_t kai_job(struct kai *kai, const char *name, uint32_t tasks, uint32_t groups);
/* After the tasks of a new job are set, in whatever order: sorted into task order, counted, signed; those
 * with a state and node are counted at nodes and queues. */
int kai_seal_job(struct kai *kai, uint32_t job);
/* It is over: its allocation is released, its row is free. Not within a session. */
void kai_drop_job(struct kai *kai, uint32_t job);
/* After queues, nodes and topologies are made or changed: trees, depths, orders, sets of nodes; the
 * accounting is made anew from the tasks. SL_INPUT: queues go in a circle. */
int kai_seal(struct kai *kai);
/* It is ready for pods now, or is not. */
void kai_node_ready(struct kai *kai, uint32_t node, bool ready);
/* kai_lists.c: the first job of a list from a row on; KAI_NO: no more. */
uint32_t kai_list_next(struct kai *kai, enum kai_list list, uint32_t from);
/* Parts of the above. */
bool kai_lists_grow(struct kai *kai);
void kai_list_note(struct kai *kai, uint32_t job, enum kai_state state); /* A pod of its comes into it. */
void kai_count_request(struct kai *kai, uint32_t task, int sign);
void kai_note_stale(struct kai *kai, uint32_t task); /* kai_stale.c: a pod of its job comes, or goes. */
void kai_recount_task(struct kai *kai, uint32_t task);
bool kai_stock_seal(struct kai *kai); /* False: no memory. */
void kai_topo_seal(struct kai *kai);
void kai_share_seal(struct kai *kai);
void kai_jobs_free(struct kai *kai);
void kai_stock_free(struct kai *kai);
void kai_topo_free(struct kai *kai);
void kai_order_free(struct kai *kai);
void kai_solve_free(struct kai *kai);
void kai_share_free(struct kai *kai);

typedef struct kai_marked {
	size_t journal;
	uint32_t effect;
} kai_marked;
kai_marked kai_mark(struct kai *kai);
void kai_undo(
	struct kai *kai, kai_marked mark); /* All cells as they were at the mark; effects since are gone. */
void kai_keep(struct kai *kai, kai_marked mark);
void kai_write(struct kai *kai, int64_t *cell, int64_t value); /* Journalled if a mark is open. */
void kai_decision(struct kai *kai, const struct kai_effect *effect);

/* kai_accounting.c: a task goes from one state and place to another, and everything that counts it follows:
 * nodes, queues up to the root, its group. All journalled. allocate: pending (or gated) -> KAI_ALLOCATED at
 * node; shared: rows of the node's shared GPUs for a task that requests shares, else NULL. KAI_BINDING and
 * what follows count alike. pipeline: pending or releasing -> KAI_PIPELINED at node. One that was releasing
 * stays on its node, on its way out (from). evict: active -> KAI_RELEASING where it is. One that was
 * pipelined is releasing where it was to start (as KAI has it: nothing of it runs there; what it was kept is
 * both taken from idle and releasing). unevict: a releasing task (or one pipelined elsewhere) runs on where
 * it is, or is to start there again. Queues: active-allocated tasks, pipelined ones too, are in allocated;
 * what an amount is charged with: kai_charge. */
void kai_allocate_task(struct kai *kai, uint32_t task, uint32_t node, const uint32_t *shared);
void kai_bind_task(struct kai *kai, uint32_t task); /* Allocated -> KAI_BINDING. */
void kai_pipeline_task(struct kai *kai, uint32_t task, uint32_t node, const uint32_t *shared);
void kai_evict_task(struct kai *kai, uint32_t task);
void kai_unevict_task(struct kai *kai, uint32_t task);
void kai_forget_kept(struct kai *kai, uint32_t task); /* What was kept for it at `kept` is so no longer. */
/* From outside a session: its state, and its place, are this now. */
void kai_set_task(
	struct kai *kai, uint32_t task, enum kai_state state, uint32_t node, const uint32_t *shared);
/* What a queue is charged for it: where it stands if it has a node (memory: whole hundredths of the device,
 * rounded up), else of the smallest device of the cluster. */
struct kai_vec kai_charge(const struct kai *kai, uint32_t task);
struct kai_vec kai_charge_on(const struct kai *kai, uint32_t task, uint32_t node);
/* For checks of limit and quota: of the largest device. */
struct kai_vec kai_charge_least(const struct kai *kai, uint32_t task);
/* What such a task is charged before it has a node: of the smallest device. */
struct kai_vec kai_charge_request(const struct kai *kai, uint32_t request);

/* GPUs that a MIG profile is charged: 3 of "3g.20gb". */
int64_t kai_slices(const char *profile);

/* A name's end for texts: "gpu", "cpu", "memory". */
const char *kai_res_name(enum kai_res res);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read.h - who may use what: departments, projects and queues, node pools, and which job is whose and
 * of what type, as the operator's files say.
 *
 * Three sources, one struct: a projects file of our own (schedlab-projects(5)), Run:AI's Project and
 * Department objects, and KAI's Queue, SchedulingShard, Config and Topology objects. A department is a queue
 * with queues below it, a project one without; names are of all of them together.
 *
 * Errors are reported at file:line:column. What is followed otherwise than a reader might expect is a
 * note. All texts are the arena's.
 */
#ifndef SL_RUNAI_READ_H
#define SL_RUNAI_READ_H

#include "policies/runai/rules/kai.h"
#include "policies/runai/rules/kai_share.h"

enum {
	RUNAI_QUEUES_MAX = 100000,
	RUNAI_POOLS_MAX = 64,
	RUNAI_RULES_MAX = 10000,
	RUNAI_NODE_TYPES_MAX = 256,
	RUNAI_NAME_MAX = 255
};

/* Types of workload, by priority: KAI's classes train, build-preemptible, build and inference. */
enum runai_type { RUNAI_TRAIN, RUNAI_BUILD_PREEMPTIBLE, RUNAI_BUILD, RUNAI_INFERENCE, RUNAI_TYPES };
const char *runai_type_name(enum runai_type type);
int64_t runai_type_priority(enum runai_type type); /* 50, 75, 100, 125 */
/* KAI: what has a priority of 100 or more is not preempted, unless it says so. */
static inline bool runai_preemptible(int64_t priority) { return priority < 100; }

/* What a queue is due of a pool. Amounts as in kai.h. */
struct runai_share {
	struct kai_vec quota, limit; /* KAI_UNLIMITED */
	double weight[KAI_RES];      /* Over quota; 0: never. */
	bool over_quota;             /* false: nothing beyond the quota, which is the limit then. */
	uint8_t said[KAI_RES];       /* The reader's. */
};
struct runai_pool_share {
	uint32_t pool;
	struct runai_share share;
};

struct runai_queue {
	const char *name;
	const char *display;           /* displayName; its name. */
	uint32_t parent;               /* KAI_NO: a root. */
	uint32_t children;             /* So many below it; 0: jobs may be its. */
	int64_t priority;              /* 100 */
	int64_t created;               /* Order: of their times where all have one, else of the files. */
	struct runai_share share;      /* Of pool "default". */
	struct runai_pool_share *pool; /* Of others that it names; */
	uint32_t pool_count;
	struct runai_share elsewhere;     /* of those that it does not. */
	sl_time preempt_min, reclaim_min; /* SL_NONE: not said. */
	/* Of projects; a department's hold for its projects that do not say. */
	uint32_t types;                  /* Bits 1 << enum runai_type; all. */
	sl_time time_limit[RUNAI_TYPES]; /* From its start (of each attempt); SL_NONE: none. */
	sl_time idle_limit[RUNAI_TYPES]; /* Of time in which its GPUs are idle; SL_NONE: none. */
	/* Node groups: values of the label config.group_label, one of which its node must have; count 0:
	 * any node. */
	const char *const *group[RUNAI_TYPES];
	uint32_t group_count[RUNAI_TYPES];
	const uint32_t *order; /* Its node pools, in the order in which they are tried; count 0: all. */
	uint32_t order_count;
	struct sl_place at;
	bool implied; /* It is only named as a parent. */
	bool orphan;  /* Of KAI: the parent that it names is not there, and its jobs wait for ever. */
};

/* Nodes with this label; row 0 is "default": all that are in no other. */
struct runai_pool {
	const char *name;
	const char *key, *value;              /* NULL: of default. */
	struct kai_config config;             /* Its SchedulingShard, or the whole file's. */
	bool usage;                           /* Time-based fair share, */
	struct kai_usage_config usage_config; /* start: microseconds since 1970, UTC; epoch_s is not set. */
	bool own;                             /* The reader's: it has settings of its own. */
};

/* Texts that may have '*' and '?'; NULL: any. A bound SL_NONE: none. */
struct runai_match {
	const char *user, *account, *partition, *queue, *namespace, *name, *qos;
	int64_t gpus_min, gpus_max;   /* Of the whole job, thousandths. */
	sl_time limit_min, limit_max; /* Its time limit; a job without one has an endless one. */
};
struct runai_map_rule {
	struct runai_match match;
	uint32_t queue;
};
struct runai_type_rule {
	struct runai_match match;
	enum runai_type type;
	int8_t preemptible; /* 1, 0; -1: as its type. */
	int64_t priority;   /* SL_NONE: of its type. */
};
/* PriorityClass objects and `priorities:` of the file; the four types are always there. */
struct runai_class {
	const char *name;
	int64_t value;
};
enum runai_by {
	RUNAI_BY_NONE,
	RUNAI_BY_ACCOUNT,
	RUNAI_BY_PARTITION,
	RUNAI_BY_USER,
	RUNAI_BY_QUEUE,
	RUNAI_BYS
};

struct runai_note {
	const char *text;
	struct sl_place at;
};

struct runai_config {
	bool given;             /* Some file said something of queues. */
	struct sl_names *names; /* Of queues: their rows. */
	struct runai_queue *queue;
	uint32_t queue_count;
	struct runai_pool *pool; /* At least "default". */
	uint32_t pool_count;
	const struct kai_topology *topology; /* kai.scheduler's. */
	uint32_t topology_count;
	const char *pool_label;  /* nodePoolLabelKey: "kai.scheduler/node-pool" */
	const char *group_label; /* "run.ai/type" */
	/* Which job is whose, in this order: its own label or queue; rules; by; default. */
	const struct runai_map_rule *map; /* Rules, then the lists of projects: */
	uint32_t map_count, listed_from;
	/* of these by name, "u" user, "a" account or "p" partition before it: the first rule; and those that
	 * are patterns. */
	struct sl_names *listed;
	const uint32_t *listed_rule, *listed_pattern;
	uint32_t listed_patterns;
	enum runai_by cause; /* The project has the name of that. */
	uint32_t fallback;   /* KAI_NO: such jobs have no queue, and wait for ever. */
	bool has_fallback;
	/* Of what type: its own class or word; rules; default. */
	const struct runai_type_rule *type;
	uint32_t type_count;
	enum runai_type type_default; /* Train */
	const struct runai_class *class;
	uint32_t class_count;
	int64_t class_default; /* Of a global default; SL_NONE. */
	const struct runai_note *note;
	uint32_t note_count;
};

/* All of it. doc: of `projects=`, whose root is the file; NULL: none. pass->cluster's objects. */
int runai_read(struct runai_config *config, struct sl_arena *arena, const struct sl_doc *doc,
	const struct sl_object *object, uint32_t count, struct sl_err *err);
void runai_release(struct runai_config *config);
/* KAI_NO: there is none. */
uint32_t runai_find_queue(const struct runai_config *config, const char *name);
uint32_t runai_find_pool(const struct runai_config *config, const char *name);
/* What the queue is due of a pool. */
const struct runai_share *runai_share_of(const struct runai_queue *queue, uint32_t pool);
/* The pool of a node by its labels. */
uint32_t runai_pool_of(const struct runai_config *config, const struct sl_labels *labels);
/* A node's labels, with that of node types: where it has none it is its type of GPU (NULL: it has none). */
struct sl_labels runai_node_labels(const struct runai_config *config, struct sl_arena *arena,
	const struct sl_labels *labels, const char *gpu_type);
/* A node that a project's jobs of this type may use. */
bool runai_group_holds(const struct runai_config *config, const struct runai_queue *queue,
	enum runai_type type, const struct sl_labels *labels);

/* runai_read_shard.c: what follows of where GPUs and cpus are spread. */
void runai_follow_strategy(struct kai_config *config);

/* ---- runai_read_job.c: what a job says, and what it comes to ------------------------------------ */

enum runai_mapped {
	RUNAI_MAPPED_OWN, /* Its label, or queue, or namespace. */
	RUNAI_MAPPED_RULE,
	RUNAI_MAPPED_BY,
	RUNAI_MAPPED_DEFAULT,
	RUNAI_MAPPED_NONE, /* There is no such project: it waits for ever (QueueDoesNotExist). */
	RUNAI_MAPPEDS
};
const char *runai_mapped_name(enum runai_mapped how);

/* A sub-group: of a PodGroup (parents before children), or none. */
struct runai_group {
	const char *name;
	uint32_t parent; /* KAI_NO: below the job itself. */
	bool leaf;       /* It has pods. */
	uint32_t min;    /* minMember of one with pods; of others minSubGroup, KAI_NO: all. */
	const char *topology, *required, *preferred; /* NULL */
};
/* GPUs as Run:AI and KAI have them, of one pod of a podset. */
struct runai_gpus {
	enum kai_gpu_kind kind;
	int64_t gpus;     /* Devices. */
	int64_t fraction; /* Of each, an amount below KAI_GPU. */
	int64_t memory;   /* Of each, MiB. */
};
struct runai_job {
	uint32_t queue;         /* KAI_NO: none: RUNAI_MAPPED_NONE. */
	const char *queue_name; /* As it was requested; NULL. */
	enum runai_mapped mapped;
	enum runai_type type; /* A class of another name is of the type whose priority is next below. */
	int64_t priority;
	bool preemptible;
	bool allowed; /* Its project takes jobs of this type. */
	bool gang;    /* min says how many; else one pod is enough. */
	uint32_t min; /* minMember of the whole job; KAI_NO: all its pods. Of one with sub-groups minSubGroup.
		       */
	const struct runai_group *group;
	uint32_t group_count;
	uint32_t *group_of;                          /* By podset: of `group`; KAI_NO. */
	const char *topology, *required, *preferred; /* Of the whole job; NULL. */
	const uint32_t *pool; /* Node pools it requests, in order; NULL: its project's. */
	uint32_t pool_count;
	sl_time delay; /* preemption delay; 0. */
	sl_time grace; /* Of staleness; SL_NONE: the default. */
	const char *user;
};
/* job: a row. pods: of sl_pods_of, or NULL of a plain job. Texts and arrays are the arena's, of pods, or of
 * the trace. */
int runai_job_read(const struct runai_config *config, struct sl_arena *arena, const struct sl_jobs *jobs,
	uint32_t job, const struct sl_cluster *cluster, const struct sl_pods *pods, struct runai_job *said,
	struct sl_err *err);
/* gpu-fraction, gpu-memory, gpu-fraction-num-devices of its pods; else its request of whole GPUs. */
int runai_gpus_read(const struct sl_podset *podset, struct runai_gpus *gpus, const struct sl_doc *doc,
	struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster.h - nodes, GPUs and MIG, partitions, switches, licenses, reservations, and the settings of a
 * cluster. */
#ifndef SL_PLUGIN_CLUSTER_H
#define SL_PLUGIN_CLUSTER_H

#include "base.h"

struct sl_object;
struct sl_nodes_spec;

typedef struct {
	uint32_t row;
} sl_node;

/* Kinds of resource: cpus and GPUs in parts (sl_cluster.cpu_parts, gpu_parts: wholes, or thousandths where
 * the files speak of less), memory in MiB; one kind for each type of GPU that the cluster has. */
enum { SL_KIND_CPUS, SL_KIND_MEM, SL_KIND_GPUS, SL_KINDS_MAX = 34, SL_GPU_TYPES_MAX = SL_KINDS_MAX - 2 };

/* The memory of a node that names none: more than any request. */
#define SL_MEM_UNBOUNDED (INT64_C(1) << 38)

enum { SL_CORES_MAX = 1024 }; /* Of one node, numbered socket by socket. */
enum { SL_DEVICES_MAX = 32 }; /* GPUs of one node, where each is tracked by itself. */

/* One GPU of a node. */
struct sl_device {
	uint8_t kind;   /* SL_KIND_GPUS and on. */
	uint8_t island; /* NVLink: of the node's islands; those of one island are at the least distance. */
	uint8_t mig;    /* Is divided: 1 + its model, of sl_cluster.mig_model; 0: it is not. */
	int64_t mem;    /* MiB; 0: not known. */
};

/* How a GPU is divided by MIG: eighths of its memory in a row; a profile occupies some, from a legal start
 * on.
 */
enum { SL_MIG_SLICES = 8 };
struct sl_mig_profile {
	const char *name; /* "3g.20gb" */
	uint8_t slices;   /* Eighths of the memory. */
	uint8_t starts;   /* Bit i: it may begin at slice i. */
};
struct sl_mig_model {
	struct sl_abi abi;
	const char *name;   /* "a100-40gb" */
	const char *source; /* The document that lists the legal starts. */
	int64_t mem;        /* MiB of the whole device. */
	const struct sl_mig_profile *profile;
	size_t profile_count;
};

/* What a node has beside cpus and memory: devices, or units of something. */
struct sl_gres {
	const char *name;      /* "gpu", "mps", "bandwidth" */
	const char *type;      /* "a100"; NULL: of none. */
	int64_t count;         /* Devices, or units. */
	const uint64_t *cores; /* The nearest cores, SL_CORES_MAX bits; NULL: all are at the same distance. */
	const char *nic;       /* The nearest; NULL: not known. */
	int64_t mem;           /* MiB of one device; 0: not known. */
	bool no_consume;       /* Jobs that request it consume nothing. */
	/* Of GPUs: */
	uint32_t island; /* Devices of one NVLink island; 0: all of the node are one island. */
	const char *mig; /* Divided, as this model says ("a100-40gb"); NULL: not. */
};

/* What an operator has set a node to; whether it is idle, mixed or allocated follows from what runs. */
enum sl_node_state {
	SL_NODE_UP,
	SL_NODE_DRAIN, /* Running jobs go on, nothing new starts. */
	SL_NODE_DOWN,
	SL_NODE_MAINT,
	SL_NODE_POWERED_DOWN,
	SL_NODE_PLANNED, /* Planned for a waiting job: as UP here. */
	SL_NODE_FUTURE,  /* Not there yet. */
	SL_NODE_STATES
};

/* How a node is built, as its operator says. */
struct sl_hardware {
	uint32_t boards, sockets; /* Sockets in all, */
	uint32_t cores, threads;  /* cores of a socket, threads of a core. */
	uint32_t cores_kept;      /* Not for jobs (CoreSpecCount). */
	enum sl_node_state state; /* At the beginning. */
	const char *state_reason; /* NULL: none was given. */
	int64_t mem_kept; /* MiB not for jobs (MemSpecLimit); already subtracted from the node's memory. */
	int64_t tmp_disk; /* MiB */
	int64_t weight;   /* Nodes of the least weight go first. */
	const char *const *feature;
	const struct sl_gres
		*gres; /* GPUs too; one entry for each group of devices that differ in anything. */
	uint32_t feature_count, gres_count;
};

/* Nodes that are alike when idle. */
struct sl_node_type {
	const char *name;
	int64_t amount[SL_KINDS_MAX];       /* Of each kind, the first kind_count of the cluster. */
	const struct sl_hardware *hardware; /* NULL: nothing is said of it: one socket, one thread a core. */
	const struct sl_device
		*device; /* Its GPUs, kind by kind; NULL: it has none, or more than are tracked. */
	uint32_t device_count;
	uint32_t island; /* An NVLink island over several nodes: its number from 1; 0: none. */
};

/* A set of nodes that jobs are bound to: those of a partition, of a constraint, of a list. */
struct sl_node_set {
	const uint64_t *types; /* Bit i: nodes of type i. Nodes of one type are in the same sets. */
	uint32_t node_count;
};

enum sl_partition_state { SL_PARTITION_UP, SL_PARTITION_DOWN, SL_PARTITION_DRAIN, SL_PARTITION_INACTIVE };

/* Whether jobs share allocated resources (Slurm's OverSubscribe). */
enum sl_share { SL_SHARE_NO, SL_SHARE_YES, SL_SHARE_FORCE, SL_SHARE_EXCLUSIVE };

/* Nodes under common limits; partitions may overlap. SL_NONE: not said. Memory in MiB. What is not here is in
 * the settings of kind "partition". */
struct sl_partition {
	const char *name;
	const char *nodes;              /* As the file lists them: "n[1-4]", "ALL"; NULL: none. */
	sl_time max_time, default_time; /* SL_NEVER: without limit. */
	int64_t nodes_min, nodes_max;   /* Of one job. */
	int64_t cpus_per_node_max;      /* Of one job. */
	int64_t mem_per_node, mem_per_cpu, mem_per_gpu, cpus_per_gpu; /* Where the job does not say. */
	int64_t mem_per_node_max, mem_per_cpu_max;
	int64_t tier, job_factor; /* PriorityTier, PriorityJobFactor. */
	int64_t shares;           /* Of SL_SHARE_FORCE and _YES: so many jobs to a resource. */
	enum sl_share share;
	enum sl_partition_state state;
	bool is_default, hidden, root_only, exclusive_user;
	bool least_loaded; /* LLN */
	uint32_t node_set; /* The engine's, of sl_cluster.node_set. */
};
/* In an initializer: no limits, and no defaults for jobs. */
/* For initializers: a partition without limits. */
#define SL_PARTITION_UNBOUNDED                                                                     \
	.max_time = SL_NEVER, .default_time = SL_NONE, .nodes_min = SL_NONE, .nodes_max = SL_NONE, \
	.cpus_per_node_max = SL_NONE, .mem_per_node = SL_NONE, .mem_per_cpu = SL_NONE,             \
	.mem_per_gpu = SL_NONE, .cpus_per_gpu = SL_NONE, .mem_per_node_max = SL_NONE,              \
	.mem_per_cpu_max = SL_NONE

/* For initializers of those that say nothing; tier, job_factor and shares are the maker's. */
/* How far a setting of a file is modelled. */
enum sl_coverage { SL_MODELLED, SL_APPROXIMATED, SL_IGNORED, SL_UNKNOWN_KEY, SL_COVERAGE_COUNT };

/* A line of configuration, as given: for policies, which read there what has no member elsewhere, and for
 * reports.
 */
struct sl_setting {
	const char *kind; /* "cluster", "node", "partition", "gres", "switch", "reservation", "qos",
			   * "association", "usage", ... */
	const char *name; /* The object it belongs to: "debug"; "" of the cluster. */
	const char *key, *value;
	struct sl_place at;
	enum sl_coverage coverage;
	const char *note; /* Approximated: how; ignored: what that changes; NULL: nothing to say. */
	/* Policies that follow it so far, "slurm, hybrid, place=slurm" (a parameter's value); others ignore
	 * it, or, where ", *" ends the list, follow it as far as the note says. NULL: it holds whatever
	 * policy runs. */
	const char *by;
};

/* A switch and what is below it. Leaves name nodes, others switches. */
struct sl_switch {
	const char *name;
	const char *nodes, *switches; /* As listed; NULL: none. */
	int64_t speed;                /* As listed; 0: not said. */
	/* The engine's: */
	uint32_t parent;      /* UINT32_MAX: on top. */
	uint32_t level;       /* 0: a leaf. */
	const uint32_t *node; /* All below it, ascending. */
	uint32_t node_count;
};

/* How the switches are to be read. */
enum sl_topology { SL_TOPOLOGY_NONE, SL_TOPOLOGY_TREE, SL_TOPOLOGY_BLOCK };

struct sl_license {
	const char *name;
	int64_t total;
};

/* What is allocated to a job that requests cpus (Slurm's SelectType). */
enum sl_select {
	SL_SELECT_OURS,   /* What it requests. */
	SL_SELECT_CORES,  /* Slurm's cons_tres (cons_res): by cores. */
	SL_SELECT_LINEAR, /* Whole nodes. */
};

/* Kinds of reservations and outages. */
enum sl_window_kind { SL_WINDOW_RESERVED, SL_WINDOW_MAINT, SL_WINDOW_OUTAGE, SL_WINDOW_STATE };

/* A reservation or outage: no job runs there but those that request it by name, of its users and accounts. */
struct sl_window {
	const char *name;
	sl_time from, until;
	int64_t cpus;         /* Of a counted pool; 0 on nodes: */
	const uint32_t *node; /* ascending */
	uint32_t node_count;
	enum sl_window_kind kind;
	const char *users, *accounts, *flags; /* As listed; NULL: none. */
};

struct sl_object;
struct sl_labels;

struct sl_cluster {
	const char *name;
	int64_t cpus, mem, gpus; /* Of the whole cluster; mem 0: some node names none. */
	uint32_t node_count;     /* 0: a counted pool of cpus. */
	uint32_t type_count, kind_count, window_count;
	const uint32_t *node_type;       /* By node. */
	const char *const *node_name;    /* By node. */
	const struct sl_node_type *type; /* Nodes of one type are alike, windows included. */
	const char *const *kind_name;    /* "cpus", "memory", then the types of GPU. */
	const struct sl_window *window;  /* By (from, row). */
	/* Of an operator's files; 0 and NULL elsewhere. */
	const struct sl_partition *partition;
	const struct sl_node_set *node_set; /* 0: all nodes. */
	const struct sl_setting *setting;   /* In the order of the files. */
	const struct sl_switch *sw;
	const struct sl_license *license;
	uint32_t partition_count, node_set_count, setting_count, switch_count, license_count;
	enum sl_select select;
	enum sl_topology topology;
	bool mem_counts; /* Memory is allocated (CR_..._Memory), too. */
	/* So many parts are one cpu, one GPU: 1000 where something has or requests less than a whole, else 1
	 * or 0: see sl_parts. */
	int64_t cpu_parts, gpu_parts;
	/* GPUs divided by MIG: the models there are (devices name them by 1 + index), and how a profile that
	 * jobs request (sl_task_resources.mig, 1 + index) fits on each: mig_fit[profile * mig_model_count +
	 * model], 0 slices: not at all. */
	const struct sl_mig_model *const *mig_model;
	const struct sl_mig_profile *mig_fit;
	uint32_t mig_model_count, mig_profile_count;
	uint32_t island_count; /* Islands over several nodes. */
	/* By node: its place in the order of SL_TIES_SHUFFLE; NULL: the engine draws one. */
	const uint32_t *node_shuffled;
	/* Kubernetes objects of the files, in their order; nodes among them. */
	const struct sl_object *object;
	uint32_t object_count;
	const struct sl_labels *node_labels; /* By node; NULL: none has any. */
};

static inline int64_t sl_parts(int64_t parts) { return parts > 1 ? parts : 1; }

/* An amount that is counted in parts, as a decimal of wholes: of 1000, 2500 is "2.5". As sl_put_micro. */
static inline char *sl_put_parts(char *p, int64_t amount, int64_t parts)
{
	return parts > 1 ? sl_put_micro(p, sl_mul_div(amount, 1000000, parts)) : sl_put_i64(p, amount);
}

/* A setting's value; NULL: it was not given. The last one given counts. Keys and names in any case. */
SL_API const char *sl_setting_of(
	const struct sl_cluster *cluster, const char *kind, const char *name, const char *key);

/* ---- Node types that are known by name --------------------------------------------------- */

/* A node as it is sold, for cluster files: "type: dgx-a100". */
struct sl_node_model {
	struct sl_abi abi;
	const char *name;                 /* "dgx-a100" */
	const char *summary;              /* One line, with its NICs. */
	const char *source;               /* Of the figures, and which of them are assumed. */
	const struct sl_nodes_spec *node; /* One node, without a name. */
};

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugin.h - the door: everything that a policy, reader, model, metric or
 * report sees of the engine. Built-in plug-ins include this and nothing else.
 *
 * Time is whole microseconds. Rows of the job table are typed handles. What is
 * lent as a const pointer is lent for the call. A function that the world can
 * fail returns 0 or a negative status and says why, once, in `err`.
 */
#ifndef SL_PLUGIN_H
#define SL_PLUGIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_ABI_MAJOR           5
#define SL_ABI_MINOR           0
#define SL_API                 __attribute__((visibility("default")))
#define SL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define SL_LEN(array)          (sizeof(array) / sizeof((array)[0]))

/* Every vtable begins with this; members are only appended, an absent tail means the default. Other structs
 * have no size in them: where one that is lent in arrays or made by plug-ins grows, or a function takes other
 * arguments, the major number goes up, and plug-ins of before are refused. 2: shares of GPUs; 2.1: tables of
 * a policy's own figures. 3: models, and what jobs do while they run.
 * 4: Kubernetes' objects; 4.2: scripts; 4.3: questions to whoever drives the run.
 * 5: who follows a setting, why a job is left at a run's end, how sure a difference is, nodes that must boot.
 */
struct sl_abi {
	uint32_t version; /* SL_ABI_VERSION when the plug-in was built. */
	uint32_t size;    /* sizeof of the whole vtable then. */
};
#define SL_ABI_VERSION ((SL_ABI_MAJOR << 16) | SL_ABI_MINOR)
#define SL_ABI_OF(type)                      \
	{                                    \
		SL_ABI_VERSION, sizeof(type) \
	}

/* ---- Time ---------------------------------------------------------------- */

typedef int64_t sl_time; /* Microseconds since the scenario's zero. */
#define SL_SECOND INT64_C(1000000)
#define SL_NEVER  INT64_MAX /* Later than any event. */
#define SL_NONE   INT64_MIN /* Not known, or never happened. */

/* ---- Errors: of the world, of ours --------------------------------------- */

/* Negative statuses; the program's exit code is the status, positive. */
enum sl_status {
	SL_OK = 0,
	SL_CHECK_FAILED = -1,
	SL_USAGE = -2,        /* Unknown option, policy, parameter; a directory of something else. */
	SL_INPUT = -3,        /* Bad input. */
	SL_BASELINE = -4,     /* A baseline that does not match its inputs. */
	SL_DIFFERS = -5,      /* Not reproducible. */
	SL_SYSTEM = -6,       /* Cannot write, no memory. */
	SL_POLICY = -7,       /* A policy broke its contract. */
	SL_INTERNAL = -70,    /* An invariant of ours is broken. */
	SL_INTERRUPTED = -130 /* Partial results, marked. */
};

/* The first failure wins; untouched on success, so that calls chain. */
struct sl_err {
	int status;
	char text[1000];
};

/* A place in an input file, for messages. line and column count from 1; 0 leaves them out. */
struct sl_place {
	const char *file;
	uint64_t line;
	uint32_t column;
};

/* Each returns its status. Messages: lower case, no full stop, subject quoted, and what to do. */
SL_API int sl_fail(struct sl_err *err, int status, const char *format, ...) SL_PRINTF(3, 4);
SL_API int sl_fail_at(struct sl_err *err, const struct sl_place *at, const char *format, ...) SL_PRINTF(3, 4);
/* As errno says: "cannot open 'x.swf': No such file or directory". */
SL_API int sl_fail_sys(struct sl_err *err, int status, const char *verb, const char *path);

/* A broken invariant of ours stops the program, in every build. */
#define SL_CHECK(claim) ((claim) ? (void)0 : sl_check_failed(#claim, __FILE__, __LINE__))
SL_API _Noreturn void sl_check_failed(const char *claim, const char *file, int line);

/* ---- Text: numbers out, numbers in, named values -------------------------- */

/* Each writes at p (room for 32 bytes) and returns the end; no locale, no terminating zero. */
SL_API char *sl_put_i64(char *p, int64_t value);
/* value / 10^6 with at most six decimals and no trailing zeros: times as seconds, ratios. */
SL_API char *sl_put_micro(char *p, int64_t value);

/* A decimal ("12", "-3.25", "1e3") times 10^6, exactly, or rounded half up beyond six decimals.
 * All of text[0..len) must be the number. False: not a number, or out of range. */
SL_API bool sl_get_micro(const char *text, size_t len, int64_t *value);
SL_API bool sl_get_i64(const char *text, size_t len, int64_t *value);
/* A duration: seconds ("90", "1.5"), suffixed ("36h", "3d", "15m", "10s", "2w") or Slurm's
 * ([days-]hours:minutes:seconds). False as above. */
SL_API bool sl_get_duration(const char *text, size_t len, sl_time *value);
/* YYYY-MM-DD[THH:MM[:SS[.ffffff]]] (or a blank for the T): microseconds since 1970 of its own clock. */
SL_API bool sl_get_date(const char *text, size_t len, sl_time *value);
/* A size of memory in MiB: a bare number, or one with K, M, G, T or P (KB, KiB...), all powers of 1024. What
 * is less than a MiB is rounded up or down. False: not such a size, or negative. */
SL_API bool sl_get_memory(const char *text, size_t len, bool up, int64_t *mib);

/* a * b / c, rounded half up, c > 0, through 128 bits. */
SL_API int64_t sl_mul_div(int64_t a, int64_t b, int64_t c);

/* The known word nearest to what was written, for "did you mean"; NULL: none is near. known ends in NULL. */
SL_API const char *sl_nearest(const char *text, const char *const *known);

/* Parameters of a plug-in, one line each: parsing, help, man pages and `list` read this. Of a policy's CHOICE
 * or TEXT a choice "lua:FILE" takes a text "lua:" and a path: a script, read before the run
 * (sl_param_script). */
enum sl_param_kind {
	SL_PARAM_INT,
	SL_PARAM_REAL,
	SL_PARAM_TIME,
	SL_PARAM_BOOL,
	SL_PARAM_CHOICE,
	SL_PARAM_TEXT,
	SL_PARAM_SHEET, /* The path of a CSV file, read before the run: sl_sheet_of. Models only. */
	SL_PARAM_DOC /* The path of a YAML or JSON file, read before the run: sl_param_doc. Policies only. */
};

struct sl_param {
	const char *key;
	enum sl_param_kind kind;
	const char *fallback; /* As text; NULL: has no default and may be absent. */
	const char *choices;  /* SL_PARAM_CHOICE: "a|b|c". Others: bounds for help, "0..1". */
	const char *help;     /* One line, with the unit. */
	int64_t min, max;     /* SL_PARAM_INT as is, REAL and TIME in millionths; both 0: unbounded. */
};

/* One setting as given, checked against its sl_param. */
struct sl_value {
	const char *key;
	const char *text; /* As given, or the default; NULL if absent. */
	int64_t number;   /* INT as is; REAL, TIME in millionths; BOOL 0/1; CHOICE: index in choices. */
};
SL_API const struct sl_value *sl_value_of(const struct sl_value *values, size_t count, const char *key);

/* ---- Memory: an arena that goes with its owner ---------------------------- */

struct sl_arena; /* Zeroed blocks, freed together. */
struct sl_setup;
struct sl_holding;
struct sl_tally;
/* For readers, which get none; NULL when memory is out. */
SL_API struct sl_arena *sl_arena_new(void);
SL_API void sl_arena_free(struct sl_arena *arena);
/* Aligned to 64 bytes when size >= 64, else 16. NULL when memory is out. */
SL_API void *sl_alloc(struct sl_arena *arena, size_t count, size_t size);
SL_API char *sl_strdup(struct sl_arena *arena, const char *text, size_t len);

/* Texts numbered by first appearance, from 0; equal texts are the same pointer. They live in the arena. */
struct sl_names;
SL_API struct sl_names *sl_names_new(struct sl_arena *arena); /* NULL: no memory. */
SL_API void sl_names_free(struct sl_names *names);
/* The number of the text, made if it is not there; UINT32_MAX: no memory. */
SL_API uint32_t sl_names_add(struct sl_names *names, const char *text);
SL_API uint32_t sl_names_find(const struct sl_names *names, const char *text); /* UINT32_MAX: none. */
SL_API const char *sl_names_text(const struct sl_names *names, uint32_t number);

/* ---- Chance: streams named by path ---------------------------------------- */

/* Counter-based: draw i of a stream is a function of (seed, name, i) alone, so that
 * one more stream moves no other. */
struct sl_rng {
	uint64_t key[2];
	uint64_t counter;
};
SL_API struct sl_rng sl_rng_stream(uint64_t seed, const char *name);
SL_API uint64_t sl_rng_u64(struct sl_rng *rng);
/* Uniform in [0, bound), without bias; bound > 0. */
SL_API uint64_t sl_rng_below(struct sl_rng *rng, uint64_t bound);
/* Uniform in [0, 1), 53 bits. */
SL_API double sl_rng_unit(struct sl_rng *rng);

/* ---- The cluster ----------------------------------------------------------- */

typedef struct {
	uint32_t row;
} sl_node;

/* Kinds of resource: cpus and GPUs in parts (sl_cluster.cpu_parts, gpu_parts: wholes, or thousandths where
 * the files speak of less), memory in MiB; one kind for each type of GPU that the cluster has. */
enum { SL_KIND_CPUS, SL_KIND_MEM, SL_KIND_GPUS, SL_KINDS_MAX = 34, SL_GPU_TYPES_MAX = SL_KINDS_MAX - 2 };

/* The memory of a node that names none: more than anyone asks for. */
#define SL_MEM_UNBOUNDED (INT64_C(1) << 38)

enum { SL_CORES_MAX = 1024 }; /* Of one node, numbered socket by socket. */
enum { SL_DEVICES_MAX = 32 }; /* GPUs of one node, where each is followed by itself. */

/* One GPU of a node. */
struct sl_device {
	uint8_t kind;   /* SL_KIND_GPUS and on. */
	uint8_t island; /* NVLink: of the node's islands; those of one island are as near as can be. */
	uint8_t mig;    /* Is divided: 1 + its model, of sl_cluster.mig_model; 0: it is not. */
	int64_t mem;    /* MiB; 0: not known. */
};

/* How a GPU is divided by MIG: eighths of its memory in a row; a profile takes some, from a legal place on.
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
	const char *source; /* Where the places are written down. */
	int64_t mem;        /* MiB of the whole device. */
	const struct sl_mig_profile *profile;
	size_t profile_count;
};

/* What a node has beside cpus and memory: devices, or units of something. */
struct sl_gres {
	const char *name;      /* "gpu", "mps", "bandwidth" */
	const char *type;      /* "a100"; NULL: of none. */
	int64_t count;         /* Devices, or units. */
	const uint64_t *cores; /* The nearest, SL_CORES_MAX bits; NULL: all are as near. */
	const char *nic;       /* The nearest; NULL: not known. */
	int64_t mem;           /* MiB of one device; 0: not known. */
	bool no_consume;       /* Jobs that ask for it use nothing up. */
	/* Of GPUs: */
	uint32_t island; /* Devices of one NVLink island; 0: all of the node are near each other. */
	const char *mig; /* Divided, as this model says ("a100-40gb"); NULL: not. */
};

/* What an operator has set a node to; whether it is idle, mixed or allocated follows from what runs. */
enum sl_node_state {
	SL_NODE_UP,
	SL_NODE_DRAIN, /* What runs there goes on, nothing new starts. */
	SL_NODE_DOWN,
	SL_NODE_MAINT,
	SL_NODE_POWERED_DOWN,
	SL_NODE_PLANNED, /* Kept for a waiting job: up for us. */
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
	int64_t mem_kept;         /* MiB not for jobs (MemSpecLimit); already taken off the node's memory. */
	int64_t tmp_disk;         /* MiB */
	int64_t weight;           /* Nodes of the least weight go first. */
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
		*device; /* Its GPUs, kind by kind; NULL: it has none, or more than are followed. */
	uint32_t device_count;
	uint32_t island; /* An NVLink island over several nodes: its number from 1; 0: none. */
};

/* A set of nodes that jobs are bound to: those of a partition, of a constraint, of a list. */
struct sl_node_set {
	const uint64_t *types; /* Bit i: nodes of type i. Nodes of one type are in the same sets. */
	uint32_t node_count;
};

enum sl_partition_state { SL_PARTITION_UP, SL_PARTITION_DOWN, SL_PARTITION_DRAIN, SL_PARTITION_INACTIVE };

/* Whether jobs share what they hold (Slurm's OverSubscribe). */
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

/* How far what a file says is followed. */
enum sl_coverage { SL_MODELLED, SL_APPROXIMATED, SL_IGNORED, SL_UNKNOWN_KEY, SL_COVERAGE_COUNT };

/* A line of configuration, as given: for policies, which find there what nothing else types, and to be told
 * of.
 */
struct sl_setting {
	const char *kind; /* "cluster", "node", "partition", "gres", "switch", "reservation", "qos",
			   * "association", "usage", ... */
	const char *name; /* Whose: "debug"; "" of the cluster. */
	const char *key, *value;
	struct sl_place at;
	enum sl_coverage coverage;
	const char *note; /* Approximated: how; ignored: what that changes; NULL: nothing to say. */
	/* Policies that follow it so far, "slurm, hybrid, place=slurm" (a parameter's value); others ignore
	 * it, or, where ", *" ends the list, follow it as far as the note says. NULL: it holds whatever
	 * policy runs. */
	const char *by;
};

/* A switch, with what hangs on it. Leaves name nodes, others switches. */
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

/* What the operator's files give out: what a job gets when it asks for cpus. */
enum sl_select {
	SL_SELECT_OURS,   /* What it asks. */
	SL_SELECT_CORES,  /* Slurm's cons_tres (cons_res): by cores. */
	SL_SELECT_LINEAR, /* Whole nodes. */
};

/* Why nothing runs on nodes for a time. */
enum sl_window_kind { SL_WINDOW_RESERVED, SL_WINDOW_MAINT, SL_WINDOW_OUTAGE, SL_WINDOW_STATE };

/* An operator's window: nobody's job runs there, but jobs that ask for it by name, of those it is for. */
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
	bool mem_counts; /* Memory is given out (CR_..._Memory), too. */
	/* So many parts are one cpu, one GPU: 1000 where something has or asks less than a whole, else 1 or
	 * 0: see sl_parts. */
	int64_t cpu_parts, gpu_parts;
	/* GPUs divided by MIG: the models there are (devices name them by 1 + index), and how a profile that
	 * jobs ask (sl_demand.mig, 1 + index) lies on each: mig_fit[profile * mig_model_count + model], 0
	 * slices: not at all. */
	const struct sl_mig_model *const *mig_model;
	const struct sl_mig_profile *mig_fit;
	uint32_t mig_model_count, mig_profile_count;
	uint32_t island_count; /* Islands over several nodes. */
	/* By node: its place in the order of SL_TIES_SHUFFLE; NULL: the engine draws one. */
	const uint32_t *node_shuffled;
	/* What the files say in Kubernetes' words, in their order; nodes among them. */
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

/* ---- Lists of hosts: "dgx[0180-0189,0200],login" ----------------------------- */

enum { SL_HOSTS_MAX = 10000000, SL_HOST_NAME_MAX = 63 };

/* How many names the list has, repeated ones counted; negative: it is none, or has more than SL_HOSTS_MAX, as
 * err says. at: of its first character; NULL: no place is named. */
SL_API int64_t sl_hosts_count(const char *text, size_t len, const struct sl_place *at, struct sl_err *err);
/* Each name in turn, as written. A nonzero return ends it and is returned. */
SL_API int sl_hosts_each(const char *text, size_t len, const struct sl_place *at, struct sl_err *err,
	int (*each)(void *self, const char *name, size_t len), void *self);
/* The names, in this order, as one list: neighbours in number are joined ("n[1-3,7],m"). Returns the length
 * (without the zero), and writes at most size bytes of it, zero included. */
SL_API size_t sl_hosts_fold(const char *const *name, size_t count, char *text, size_t size);

/* ---- What jobs ask ------------------------------------------------------------ */

enum sl_exclusive { SL_EXCLUSIVE_NO, SL_EXCLUSIVE_NODE, SL_EXCLUSIVE_USER, SL_EXCLUSIVE_MCS };

/* What a job asks, as its submitter wrote it to Slurm: sbatch(1). Numbers: SL_NONE, texts: NULL where nothing
 * was written. Memory in MiB, 0: all of the node's. Of a request that jobs share, texts are the same pointers
 * where they are equal. */
struct sl_ask {
	int64_t nodes_min, nodes_max;
	int64_t tasks, tasks_per_node, tasks_per_socket, tasks_per_core, tasks_per_gpu;
	int64_t cpus_per_task, cpus_per_gpu, cpus_min; /* cpus_min: of a node (--mincpus). */
	int64_t sockets_per_node, cores_per_socket, threads_per_core;
	int64_t mem_per_node, mem_per_cpu, mem_per_gpu, tmp;
	int64_t switches;      /* At most so many leaf switches, */
	sl_time switches_wait; /* for which it waits so long. */
	const char *partition; /* Several: "a,b". */
	const char *gres;      /* Of a node: "gpu:a100:2,mps:50". */
	const char *gpus, *gpus_per_node, *gpus_per_socket, *gpus_per_task; /* "2", "a100:2" */
	const char *gres_flags, *constraint, *nodelist, *exclude, *distribution;
	const char *licenses, *reservation;
	enum sl_exclusive exclusive;
	bool oversubscribe, overcommit, contiguous, spread, use_min_nodes, no_multithread;
};
/* Nothing is asked. */
SL_API void sl_ask_clear(struct sl_ask *ask);

/* What one task asks. Of GPUs whole devices (a multiple of gpu_parts), or a share of one device: thousandths,
 * memory, or a MIG profile, which only divided devices have. gpus is then what it is counted as: of memory
 * the least share that it is of any device that will do, of a profile its eighths of the device. */
struct sl_demand {
	int64_t cpus, mem, gpus;
	uint32_t gpu_types; /* Bit i: kind SL_KIND_GPUS + i will do; 0: any type. */
	uint32_t mig;       /* 1 + index of the profile; 0: none. */
	int64_t gpu_mem;    /* MiB of one device; 0: it does not say. */
};

/* Equal tasks, which start together with the job's other groups or not at all. */
struct sl_group {
	struct sl_demand task;
	uint32_t tasks;
	uint32_t tasks_min, tasks_max; /* Between which sl_resize may move it. */
	uint32_t tasks_per_node;       /* At most so many on one node; 0: as many as fit. */
	uint32_t nodes_min, nodes_max; /* 0: no bound. */
	bool exclusive;                /* Its nodes are its own, and count as wholly held. */
	uint32_t node_set;             /* Of the cluster: it goes to no others. 0: to any. */
	/* Windows of that reservation do not stop the request of which this is the first group: the number of
	 * the first of its name among the cluster's windows, and 1. 0: all windows do. */
	uint32_t reservation;
	/* replay.impossible=keep: why the engine starts it nowhere, an enum sl_reason, the same of all
	 * groups. 0: it may start. A policy that gives out nodes itself (sl_start_holding) goes by its own
	 * books. */
	uint32_t never;
};

/* What a job asks; jobs that ask the same share one. */
struct sl_request {
	const struct sl_group *group;
	uint32_t group_count;
	int64_t cpus, mem, gpus;  /* Of all tasks. */
	const struct sl_ask *ask; /* As written, by group; NULL: it was asked in groups. */
};

/* So many tasks of one group on one node. */
struct sl_piece {
	uint32_t node;
	uint16_t group;
	uint32_t tasks;
	uint32_t devices; /* Told: bit i: (some of) GPU i of the node. 0: devices are not followed. Not asked.
			   */
};

/* What a job gets on one node, in amounts: where a policy decides itself what a request comes to. */
struct sl_holding {
	uint32_t node, tasks; /* tasks: told in reports; of group 0. */
	int64_t cpus, mem;    /* MiB; of a node without bound none is counted. */
	const uint32_t *gpus; /* By type of GPU, the cluster's kind_count - SL_KIND_GPUS; NULL: none. */
};

/* Sorts of GPU tasks that a node may hold, counted for placings that like to keep them apart. */
enum sl_crowd { SL_CROWD_SHARE, SL_CROWD_1, SL_CROWD_2, SL_CROWD_4, SL_CROWD_8, SL_CROWD_OTHER, SL_CROWDS };

/* Nodes of one type of which the same is free: what a placing chooses from. */
struct sl_node_class {
	const struct sl_cluster *cluster;
	uint32_t type;
	const int64_t *free; /* By kind; SL_MEM_UNBOUNDED and more: unbounded. */
	/* Where devices are followed, else NULL: of each device of the type what is free, in gpu_parts; of a
	 * divided one a bit for each free slice. */
	const int64_t *device;
	const int64_t
		*crowd; /* enum sl_crowd: how many tasks of each sort it holds, negative. NULL: as above. */
};

/* What of so many tasks of a group goes on which of a node's devices: not more than one task at a time. */
struct sl_device_pick {
	const struct sl_node_class *class;
	const struct sl_group *group;
	uint32_t device; /* Would do. */
	uint32_t slice;  /* Of a divided one: from there on. */
};

struct sl_setup;
struct sl_err;

/* On which nodes a job's tasks go. Nodes are taken one after another: of those that hold a task, the one with
 * the least score, ties as sl_ties says; it gets as many tasks as fit. */
struct sl_placing {
	struct sl_abi abi;
	const char *name;
	const char *summary;
	const char *paper;
	bool one_at_a_time; /* One task to a node, then the scores are asked anew. */
	bool devices;       /* It looks at devices: they are followed, if the nodes have any. */
	bool by_island;     /* First the island over several nodes that holds the job with the least to spare,
			     * else those with most; in a node likewise. */
	/* NULL: there is no state. */
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* tasks: how many of the group's would go there. A function of these alone: it is remembered. */
	int64_t (*score)(
		void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks);
	/* On which device a share of a GPU goes: the least, ties the lowest device. NULL: where least is
	 * left. */
	int64_t (*score_device)(void *state, const struct sl_device_pick *pick);
	bool at_random; /* Of nodes that it likes as well any goes, whatever ties are asked for. */
};

/* Which of several nodes of the same score goes first. */
enum sl_ties {
	SL_TIES_INDEX,  /* The lowest, in the order of the file. */
	SL_TIES_NAME,   /* The first by name, byte by byte: Kubernetes' choice where it was made reproducible.
			 */
	SL_TIES_RANDOM, /* Any: kube-scheduler. By seed, job and node. */
	SL_TIES_SHUFFLE /* The first in an order of all nodes that is drawn once a run. */
};

/* Something that every node has by its state, summed over all nodes and followed over time. */
struct sl_gauge {
	struct sl_abi abi;
	const char *name; /* "fragmentation" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	int64_t (*of)(void *state, const struct sl_node_class *class); /* It is remembered. */
	bool of_fills; /* Followed where a cluster is filled (replay.fill), unless replay.gauges names others.
			*/
};

/* ---- Jobs ------------------------------------------------------------------ */

typedef struct {
	uint32_t row;
} sl_job;
#define SL_JOB_NONE ((sl_job){ UINT32_MAX })
static inline bool sl_job_is(sl_job job) { return job.row != UINT32_MAX; }

/* A placement with a memory of its own, of cores and devices: Slurm's. It decides what a job gets where, in
 * place of a placing; whether it may fit, and when, is asked of requests as ever, so what is chosen is never
 * more than is free. It is told of all that the engine gives out and takes back, in that order. */
struct sl_placer {
	struct sl_abi abi;
	const char *name; /* "slurm" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* What the job would get now, lent until the next call; 0: it cannot start now. Nodes of `closed` (a
	 * bit for each node; NULL: none) are not to be had. */
	size_t (*choose)(void *state, sl_job job, const uint64_t *closed, const struct sl_holding **holding);
	void (*take)(void *state, sl_job job);    /* What was chosen last is its own from now on. */
	void (*untake)(void *state, sl_job job);  /* Undoes a take. */
	void (*give)(void *state, sl_job job);    /* It ended, or makes room. */
	void (*restore)(void *state, sl_job job); /* Undoes its last give that is not undone. */
	void (*forget)(void *state);              /* What was given stays given. */
	/* What a running job has, lent until the next call: for --check, which compares it with the engine's
	 * books. NULL: that is not compared. */
	size_t (*held)(void *state, sl_job job, const struct sl_holding **holding);
	/* Why the job could not even run alone, in the scheduler's words, a constant; NULL: it could. Such a
	 * job is refused: it is cancelled as it is submitted. */
	const char *(*refuses)(void *state, sl_job job);
};

enum sl_state {
	SL_PENDING, /* Also: not yet submitted. */
	SL_RUNNING,
	SL_SUSPENDED,
	SL_COMPLETED,
	SL_FAILED,
	SL_TIMEOUT,
	SL_CANCELLED,
	SL_NODE_FAIL,
	SL_PREEMPTED,
	SL_OUT_OF_MEMORY,
	SL_DEADLINE,
	SL_BOOT_FAIL,
	SL_STATE_COUNT
};
SL_API const char *sl_state_name(enum sl_state state);

/* Why a job waits: Slurm's words where Slurm has one. Of those that any policy may give:
 * PRIORITY others go first; RESOURCES it is first, and does not fit; BEGIN_TIME not before its recorded or
 * requested time; QUOTA its account (or user, or whoever has a quota) is beyond what is guaranteed; NEVER
 * what it depends on can no longer be; ARRAY_LIMIT so many tasks of its array run as may. The others are
 * Slurm's, but for CONFIGURING (its state CF, in which it gives no reason): its nodes boot. The engine gives
 * BAD_CONSTRAINTS where no policy says anything of its own of a job that the cluster can never hold, and LEFT
 * of the first in the queue, for which there is room: as a run is over, or where somebody outside chooses.
 * X(name, word) */
/* clang-format off */
#define SL_REASONS(X) \
	X(NONE, "None") \
	X(PRIORITY, "Priority") \
	X(RESOURCES, "Resources") \
	X(BEGIN_TIME, "BeginTime") \
	X(DEPENDENCY, "Dependency") \
	X(QUOTA, "Quota") \
	X(NEVER, "DependencyNeverSatisfied") \
	X(ARRAY_LIMIT, "JobArrayTaskLimit") \
	X(HELD, "JobHeldUser") \
	X(HELD_ADMIN, "JobHeldAdmin") \
	X(REQUEUED_HELD, "job_requeued_in_held_state") \
	X(LICENSES, "Licenses") \
	X(PARTITION_NODES, "PartitionNodeLimit") \
	X(PARTITION_TIME, "PartitionTimeLimit") \
	X(PARTITION_DOWN, "PartitionDown") \
	X(PARTITION_INACTIVE, "PartitionInactive") \
	X(PARTITION_CONFIG, "PartitionConfig") \
	X(ACCOUNT, "AccountNotAllowed") \
	X(QOS, "QOSNotAllowed") \
	X(RESERVATION, "Reservation") \
	X(RESERVATION_DELETED, "ReservationDeleted") \
	X(NODES_NOT_AVAIL, "ReqNodeNotAvail") \
	X(NODES_RESERVED, "ReqNodeNotAvail,_May_be_reserved_for_other_job") \
	X(NODES_MAINT, "ReqNodeNotAvail,_Reserved_for_maintenance") \
	X(NODES_DOWN, "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions") \
	X(BAD_CONSTRAINTS, "BadConstraints") \
	X(DEADLINE, "DeadLine") \
	X(NODE_DOWN, "NodeDown") \
	X(INVALID_ACCOUNT, "InvalidAccount") \
	X(INVALID_QOS, "InvalidQOS") \
	X(QOS_USAGE, "QOSUsageThreshold") \
	X(ASSOC_GRP_CPU, "AssocGrpCpuLimit") \
	X(ASSOC_GRP_MEM, "AssocGrpMemLimit") \
	X(ASSOC_GRP_NODE, "AssocGrpNodeLimit") \
	X(ASSOC_GRP_GRES, "AssocGrpGRES") \
	X(ASSOC_GRP_LICENSE, "AssocGrpLicense") \
	X(ASSOC_GRP_BILLING, "AssocGrpBilling") \
	X(ASSOC_GRP_CPU_MINS, "AssocGrpCPUMinutesLimit") \
	X(ASSOC_GRP_MEM_MINS, "AssocGrpMemMinutes") \
	X(ASSOC_GRP_NODE_MINS, "AssocGrpNodeMinutes") \
	X(ASSOC_GRP_GRES_MINS, "AssocGrpGRESMinutes") \
	X(ASSOC_GRP_LICENSE_MINS, "AssocGrpLicenseMinutes") \
	X(ASSOC_GRP_BILLING_MINS, "AssocGrpBillingMinutes") \
	X(ASSOC_GRP_CPU_RUN_MINS, "AssocGrpCPURunMinutesLimit") \
	X(ASSOC_GRP_MEM_RUN_MINS, "AssocGrpMemRunMinutes") \
	X(ASSOC_GRP_NODE_RUN_MINS, "AssocGrpNodeRunMinutes") \
	X(ASSOC_GRP_GRES_RUN_MINS, "AssocGrpGRESRunMinutes") \
	X(ASSOC_GRP_LICENSE_RUN_MINS, "AssocGrpLicenseRunMinutes") \
	X(ASSOC_GRP_BILLING_RUN_MINS, "AssocGrpBillingRunMinutes") \
	X(ASSOC_MAX_CPU_JOB, "AssocMaxCpuPerJobLimit") \
	X(ASSOC_MAX_MEM_JOB, "AssocMaxMemPerJob") \
	X(ASSOC_MAX_NODE_JOB, "AssocMaxNodePerJobLimit") \
	X(ASSOC_MAX_GRES_JOB, "AssocMaxGRESPerJob") \
	X(ASSOC_MAX_LICENSE_JOB, "AssocMaxLicensePerJob") \
	X(ASSOC_MAX_BILLING_JOB, "AssocMaxBillingPerJob") \
	X(ASSOC_MAX_CPU_NODE, "AssocMaxCpuPerNode") \
	X(ASSOC_MAX_MEM_NODE, "AssocMaxMemPerNode") \
	X(ASSOC_MAX_GRES_NODE, "AssocMaxGRESPerNode") \
	X(ASSOC_MAX_CPU_MINS_JOB, "AssocMaxCpuMinutesPerJobLimit") \
	X(ASSOC_MAX_MEM_MINS_JOB, "AssocMaxMemMinutesPerJob") \
	X(ASSOC_MAX_NODE_MINS_JOB, "AssocMaxNodeMinutesPerJob") \
	X(ASSOC_MAX_GRES_MINS_JOB, "AssocMaxGRESMinutesPerJob") \
	X(ASSOC_MAX_LICENSE_MINS_JOB, "AssocMaxLicenseMinutesPerJob") \
	X(ASSOC_MAX_BILLING_MINS_JOB, "AssocMaxBillingMinutesPerJob") \
	X(ASSOC_GRP_JOBS, "AssocGrpJobsLimit") \
	X(ASSOC_GRP_SUBMIT, "AssocGrpSubmitJobsLimit") \
	X(ASSOC_GRP_WALL, "AssocGrpWallLimit") \
	X(ASSOC_MAX_WALL, "AssocMaxWallDurationPerJobLimit") \
	X(ASSOC_MAX_JOBS, "AssocMaxJobsLimit") \
	X(ASSOC_MAX_SUBMIT, "AssocMaxSubmitJobLimit") \
	X(QOS_GRP_CPU, "QOSGrpCpuLimit") \
	X(QOS_GRP_MEM, "QOSGrpMemLimit") \
	X(QOS_GRP_NODE, "QOSGrpNodeLimit") \
	X(QOS_GRP_GRES, "QOSGrpGRES") \
	X(QOS_GRP_LICENSE, "QOSGrpLicense") \
	X(QOS_GRP_BILLING, "QOSGrpBilling") \
	X(QOS_GRP_CPU_MINS, "QOSGrpCPUMinutesLimit") \
	X(QOS_GRP_MEM_MINS, "QOSGrpMemMinutes") \
	X(QOS_GRP_NODE_MINS, "QOSGrpNodeMinutes") \
	X(QOS_GRP_GRES_MINS, "QOSGrpGRESMinutes") \
	X(QOS_GRP_LICENSE_MINS, "QOSGrpLicenseMinutes") \
	X(QOS_GRP_BILLING_MINS, "QOSGrpBillingMinutes") \
	X(QOS_GRP_CPU_RUN_MINS, "QOSGrpCPURunMinutesLimit") \
	X(QOS_GRP_MEM_RUN_MINS, "QOSGrpMemRunMinutes") \
	X(QOS_GRP_NODE_RUN_MINS, "QOSGrpNodeRunMinutes") \
	X(QOS_GRP_GRES_RUN_MINS, "QOSGrpGRESRunMinutes") \
	X(QOS_GRP_LICENSE_RUN_MINS, "QOSGrpLicenseRunMinutes") \
	X(QOS_GRP_BILLING_RUN_MINS, "QOSGrpBillingRunMinutes") \
	X(QOS_MAX_CPU_JOB, "QOSMaxCpuPerJobLimit") \
	X(QOS_MAX_MEM_JOB, "QOSMaxMemPerJob") \
	X(QOS_MAX_NODE_JOB, "QOSMaxNodePerJobLimit") \
	X(QOS_MAX_GRES_JOB, "QOSMaxGRESPerJob") \
	X(QOS_MAX_LICENSE_JOB, "QOSMaxLicensePerJob") \
	X(QOS_MAX_BILLING_JOB, "QOSMaxBillingPerJob") \
	X(QOS_MAX_CPU_NODE, "QOSMaxCpuPerNode") \
	X(QOS_MAX_MEM_NODE, "QOSMaxMemPerNode") \
	X(QOS_MAX_GRES_NODE, "QOSMaxGRESPerNode") \
	X(QOS_MAX_CPU_MINS_JOB, "QOSMaxCpuMinutesPerJobLimit") \
	X(QOS_MAX_MEM_MINS_JOB, "QOSMaxMemMinutesPerJob") \
	X(QOS_MAX_NODE_MINS_JOB, "QOSMaxNodeMinutesPerJob") \
	X(QOS_MAX_GRES_MINS_JOB, "QOSMaxGRESMinutesPerJob") \
	X(QOS_MAX_LICENSE_MINS_JOB, "QOSMaxLicenseMinutesPerJob") \
	X(QOS_MAX_BILLING_MINS_JOB, "QOSMaxBillingMinutesPerJob") \
	X(QOS_GRP_JOBS, "QOSGrpJobsLimit") \
	X(QOS_GRP_SUBMIT, "QOSGrpSubmitJobsLimit") \
	X(QOS_GRP_WALL, "QOSGrpWallLimit") \
	X(QOS_MAX_WALL, "QOSMaxWallDurationPerJobLimit") \
	X(QOS_MAX_CPU_USER, "QOSMaxCpuPerUserLimit") \
	X(QOS_MAX_MEM_USER, "QOSMaxMemoryPerUser") \
	X(QOS_MAX_NODE_USER, "QOSMaxNodePerUserLimit") \
	X(QOS_MAX_GRES_USER, "QOSMaxGRESPerUser") \
	X(QOS_MAX_LICENSE_USER, "QOSMaxLicensePerUser") \
	X(QOS_MAX_BILLING_USER, "QOSMaxBillingPerUser") \
	X(QOS_MAX_CPU_ACCOUNT, "MaxCpuPerAccount") \
	X(QOS_MAX_MEM_ACCOUNT, "MaxMemoryPerAccount") \
	X(QOS_MAX_NODE_ACCOUNT, "MaxNodePerAccount") \
	X(QOS_MAX_GRES_ACCOUNT, "MaxGRESPerAccount") \
	X(QOS_MAX_LICENSE_ACCOUNT, "MaxLicensePerAccount") \
	X(QOS_MAX_BILLING_ACCOUNT, "MaxBillingPerAccount") \
	X(QOS_MIN_CPU, "QOSMinCpuNotSatisfied") \
	X(QOS_MIN_MEM, "QOSMinMemory") \
	X(QOS_MIN_NODE, "QOSMinNode") \
	X(QOS_MIN_GRES, "QOSMinGRES") \
	X(QOS_MIN_LICENSE, "QOSMinLicense") \
	X(QOS_MIN_BILLING, "QOSMinBilling") \
	X(QOS_MAX_JOBS_USER, "QOSMaxJobsPerUserLimit") \
	X(QOS_MAX_SUBMIT_USER, "QOSMaxSubmitJobPerUserLimit") \
	X(QOS_MAX_JOBS_ACCOUNT, "MaxJobsPerAccount") \
	X(QOS_MAX_SUBMIT_ACCOUNT, "MaxSubmitJobsPerAccount") \
	X(ASSOC_MAX_BILLING_NODE, "AssocMaxBillingPerNode") \
	X(ASSOC_MAX_UNKNOWN_NODE, "AssocMaxUnknownPerNode") \
	X(QOS_MAX_BILLING_NODE, "QOSMaxBillingPerNode") \
	X(QOS_MAX_UNKNOWN_NODE, "QOSMaxUnknownPerNode") \
	X(CONFIGURING, "Configuring") \
	X(POWER, "PowerNotAvail") \
	X(NO_MATCHING_FLAVOR, "NoMatchingFlavor") \
	X(EXCEEDS_MAX_QUOTA, "ExceedsMaxQuota") \
	X(WAITING_FOR_QUOTA, "WaitingForQuota") \
	X(TOPOLOGY, "TopologyPlacementFailed") \
	X(WAITING_FOR_PREEMPTED, "WaitingForPreemptedWorkloads") \
	X(MISCONFIGURED, "Misconfigured") \
	X(QUEUE_STOPPED, "Suspended") \
	X(PENDING_EVALUATION, "PendingEvaluation") \
	X(WAITING_FOR_PODS_READY, "WaitingForPodsReady") \
	X(ADMISSION_CHECKS, "WaitingForAdmissionChecks") \
	X(BACKOFF, "BackoffRequeue") \
	X(UNSCHEDULABLE, "Unschedulable") \
	X(SCHEDULING_GATED, "SchedulingGated") \
	X(OVER_LIMIT, "OverLimit") \
	X(NP_OVER_QUOTA, "NonPreemptibleOverQuota") \
	X(PREEMPTION_DELAY, "PreemptionDelayNotElapsed") \
	X(QUEUE_DOES_NOT_EXIST, "QueueDoesNotExist") \
	X(POD_ERRORS, "PodSchedulingErrors") \
	X(LEFT, "LeftByPolicy")
/* clang-format on */
enum sl_reason {
#define SL_REASON_ENTRY(name, word) SL_REASON_##name,
	SL_REASONS(SL_REASON_ENTRY)
#undef SL_REASON_ENTRY
		SL_REASON_COUNT
};
SL_API const char *sl_reason_name(enum sl_reason reason);
/* What it means for the job, in plain words, as a clause after "it waited because": "other jobs are before it
 * in the queue". Every reason has one. */
SL_API const char *sl_reason_words(enum sl_reason reason);

/* What a replay does with a job whose run time is longer than its limit (replay.overrun). */
enum sl_overrun {
	SL_OVERRUN_RAISE,  /* The limit was raised to the run time when the trace was loaded. */
	SL_OVERRUN_EXTEND, /* The limit stays as seen, the job runs on. */
	SL_OVERRUN_KILL,   /* The job is cut at its limit. */
	SL_OVERRUN_COUNT
};

/* The trace as the engine runs it: rows in (submit, place in the file) order; never written after loading. */
struct sl_jobs {
	uint32_t count;
	const int64_t *id;
	const sl_time *submit;
	const sl_time
		*run; /* How long it would run if let. Only a clairvoyant policy reads it, and says so. */
	const sl_time *limit; /* As the policy sees it (after replay.overrun=raise). */
	const int32_t
		*size; /* SWF: tasks = cpus. Others: gpus of a job that asks any, else cpus; at least 1. */
	const int32_t *user, *account,
		*partition;           /* -1: unknown. SWF: the bare numbers of fields 12, 13, 16. */
	const sl_time *wait_recorded; /* SL_NONE where the log has none; NULL: in no row. */
	const sl_time *estimate;      /* Predictions from a file (replay.estimates); NULL: none. */
	const sl_time
		*cancel; /* When its user cancels it, waiting or running; SL_NONE: never; NULL: no job. */
	const uint32_t *place; /* place[row]: the row's rank in the file among these, a permutation; NULL: the
				* file was in order. */
	/* On nodes; both NULL and 0 on a counted pool. */
	const uint32_t *request; /* By job: of `requests`. */
	const struct sl_request *requests;
	uint32_t request_count;
	/* NULL: bare numbers. Else user, account and partition are indices into these, in order of first
	 * appearance; ids are by row, NULL for those that are numbers. */
	const char *const *id_name, *const *user_name, *const *account_name, *const *partition_name;
	uint32_t user_count, account_count, partition_count; /* 0 without names. */
	const int32_t *gang; /* Jobs of one gang start together; -1: of none; NULL: no job. */
	const sl_time *ran;  /* How long it had run when the replay began; SL_NONE: it had not. NULL: no job
			      * had. Its start lies before the replay's first event. */
	/* By job: of `more`; 0: it says nothing more. NULL: no job does. */
	const uint32_t *more_of;
	const struct sl_job_more *more;
	uint32_t more_count;
	const int32_t *gpu_active; /* Of the GPU time that it holds, how much it is active, in millionths; -1:
				    * not known. NULL: of no job. */
	/* By request: how many jobs asked for it before replay.fill drew jobs again or left some out. NULL:
	 * it did not, and those that there are did. */
	const uint32_t *request_drawn_from;
	uint32_t row_first; /* Of a part of a trace (replay.windows): rows that `more` names (dependencies)
			     * count from so many before the first. */
	/* By job: of `profile`; 0: nothing is said. NULL: of no job. */
	const uint32_t *profile_of;
	const struct sl_profile *profile;
	uint32_t profile_count;
};

/* What has to be before a job may start. */
enum sl_depend_kind {
	SL_AFTER,       /* It has started (or was cancelled), `delay` ago. */
	SL_AFTER_ANY,   /* It has ended. */
	SL_AFTER_OK,    /* It has COMPLETED; */
	SL_AFTER_NOTOK, /* it has ended otherwise. */
	SL_AFTER_CORR,  /* The task of that array with the same index has COMPLETED. */
	SL_SINGLETON,   /* No job of the same name and user that was submitted before it is left. */
	SL_DEPEND_KINDS
};
struct sl_depend {
	enum sl_depend_kind kind;
	uint32_t job; /* UINT32_MAX: not in the trace: taken to be long over, as this wants it. */
	sl_time delay;
	bool or_next;   /* This or the next ("?"). */
	bool with_next; /* This and the next are one of them: tasks of one array. */
};

/* What a job says of itself beyond size and time, and what the log says of it. Texts: NULL, numbers: SL_NONE
 * where nothing is said. */
struct sl_job_more {
	const char *name, *qos, *dependency, *exit_code, *nodes_recorded, *submit_line;
	sl_time begin;    /* Not before then. */
	sl_time deadline; /* Ended by then, or not started at all. */
	sl_time time_min; /* It would do with a limit as short as this. */
	int64_t nice;
	int64_t array, array_task; /* The array's number and its own index. */
	int64_t array_limit;       /* At most so many of the array run at a time. */
	sl_time start_recorded, end_recorded;
	int64_t attempts_recorded;    /* Of which the log tells. */
	enum sl_state state_recorded; /* SL_PENDING: not known. */
	int8_t requeue;               /* 1, 0; -1: not said. */
	bool held;     /* By user or operator, at submission, until `begin` (SL_NONE: for ever). */
	bool censored; /* Cut by its limit or the log's end: it would have run on for nobody knows how long.
			*/
	/* The engine's: */
	const struct sl_depend *depend;
	uint32_t depend_count;
	/* Of the log again, as lengths; 0 where there is nothing to say. start_recorded, end_recorded are
	 * those of the last of several attempts: */
	sl_time earlier_recorded;        /* so long before that start, the first attempt started; */
	sl_time held_before_recorded;    /* the attempts before it held nodes so long; */
	sl_time requeued_after_recorded; /* it was put back into the queue so long after its submission. */
	sl_time eligible_after_recorded; /* From its submission until the first attempt could be considered.
					  */
	/* Of a Kubernetes cluster: */
	const char *space;    /* Its namespace. */
	const char *queue;    /* Its LocalQueue. */
	const char *manifest; /* The object as its submitter wrote it, in JSON: for sl_pods_of. Jobs that
			       * wrote the same share it. */
	int64_t priority;     /* Of its class; higher is more. */
};

/* ---- What jobs do while they run ----------------------------------------------- */

/* Who sends what to whom in an iteration. */
enum sl_pattern {
	SL_PATTERN_NONE,
	SL_PATTERN_RING,  /* All-reduce: a ring over all ranks, */
	SL_PATTERN_TREE,  /* a double binary tree, */
	SL_PATTERN_HIER,  /* within each node over NVLink, then a ring over nodes. */
	SL_PATTERN_RS_AG, /* Reduce-scatter, then all-gather: as a ring. */
	SL_PATTERN_ALLTOALL,
	SL_PATTERN_NEIGHBOUR, /* With its neighbours on a line, a plane, in space. */
	SL_PATTERN_BROADCAST,
	SL_PATTERN_SERVER, /* All with one parameter server. */
	SL_PATTERN_COUNT
};

/* How a job's size may change. */
enum sl_elastic {
	SL_RIGID,
	SL_MOLDABLE,  /* The scheduler chooses as it starts, */
	SL_MALLEABLE, /* and at any time. */
	SL_EVOLVING,  /* The job asks for another, at its own times. */
	SL_ELASTIC_COUNT
};

/* What a job does while it runs, for models; jobs that do the same share one. Numbers: SL_NONE, texts: NULL
 * where nothing is said. Bytes are bytes, shares are millionths. */
struct sl_profile {
	/* Iterations: time is the traced run time, whatever one iteration takes. */
	int64_t comp;    /* Nanoseconds of compute an iteration, on the GPUs of the trace. */
	int64_t bytes;   /* That a rank sends an iteration (of a collective: its buffer). */
	int64_t pattern; /* enum sl_pattern */
	int64_t dims;    /* SL_PATTERN_NEIGHBOUR: 1 to 3. */
	int64_t overlap; /* Of the compute, how much communication may hide behind; or */
	int64_t gamma;   /* Pollux: T = (comp^g + comm^g)^(1/g), in millionths. */
	int64_t sens;    /* In place of comp and bytes: communication's share of an iteration. */
	/* Files. */
	const char *fs;              /* The file system; NULL: the first. */
	int64_t read, write;         /* Before it begins, and after it is done; of all its nodes together. */
	int64_t read_each;           /* In each iteration, streamed. */
	const char *dataset, *image; /* Which a node may keep from the job before. */
	int64_t dataset_bytes, image_bytes; /* Read by each of its nodes. */
	/* Checkpoints. */
	int64_t checkpoint;       /* Bytes of one, of all its nodes together. */
	sl_time checkpoint_every; /* Of work between two; 0: never; SL_NONE: as the model says. */
	sl_time checkpoint_cost;  /* In place of bytes: so long it stands still. */
	int64_t checkpoint_async; /* 1: it goes on meanwhile. */
	/* Speed by size and by GPU. */
	const char *model;             /* Its row in tables of throughputs: "ResNet-18". */
	int64_t serial;                /* Amdahl: the share of its work that is serial. */
	int64_t parallelism, variance; /* Downey: A, sigma; millionths. */
	int64_t elastic;               /* enum sl_elastic */
	const char *evolves;           /* "600:8,1800:4": after so many seconds of work, so many tasks. */
	/* Power. */
	int64_t intensity; /* How hard it drives its GPUs (of a job without: its cpus). */
	/* Families and services. */
	const char *family; /* Trials of one search, replicas of one service; */
	int64_t member;     /* its number there, from 0. */
	int64_t score;      /* Of a trial, as it ends: millionths; less is better. */
	int64_t score_from; /* As it begins. */
	sl_time score_time; /* What it lacks halves in so long a time of work. */
	const char *serves; /* Of a replica: what its service is, for sl_serves_read. */
	sl_time since;      /* It was submitted so long after the service began. */
	int64_t retires;    /* The member that is cancelled once this one is ready. */
};
/* Nothing is said. */
SL_API void sl_profile_clear(struct sl_profile *profile);
/* Its members as columns of tables, by number; see schedlab-models(7). NULL, UINT32_MAX: there is none. */
enum { SL_PROFILE_COLUMNS = 34 };
SL_API const char *sl_profile_column(uint32_t column);
SL_API uint32_t sl_profile_find(const char *name, size_t len);
SL_API bool sl_profile_is_text(uint32_t column);
SL_API bool sl_profile_says(const struct sl_profile *profile, uint32_t column);
/* A cell of that column; a text is lent. NULL: it is taken; else what it must be, for messages. */
SL_API const char *sl_profile_take(struct sl_profile *profile, uint32_t column, const char *text);
/* The cell as it is read, into buffer where it is a number; NULL: nothing is said. */
SL_API const char *sl_profile_put(const struct sl_profile *profile, uint32_t column, char buffer[40]);
/* What `evolves` says: after so much work, in the job's run time as traced, so many tasks are asked for. */
enum { SL_EVOLVES_MAX = 256 };
struct sl_evolution {
	sl_time work;
	uint32_t tasks;
};
/* "600:8,1800:4", ascending: how many; -1: it is no such list. */
SL_API int sl_evolves_read(const char *text, struct sl_evolution step[SL_EVOLVES_MAX]);
/* What is asked for by so much work, 0: nothing yet. *next: the work at which more is, SL_NEVER. */
SL_API uint32_t sl_evolves_by(const struct sl_evolution *step, int count, sl_time work, sl_time *next);
/* What the profile does not say, as the weaker one says it. */
SL_API void sl_profile_over(struct sl_profile *profile, const struct sl_profile *weaker);

/* A service as its replicas name it (sl_profile.serves): keys with values, separated by ';'. Times are
 * seconds since it began, loads requests a second:
 *
 *   capacity=12;cold=90;until=86400;points=0:5,60:7.5      each so long after the one before
 *   capacity=12;cold=90;until=86400;step=60;phase=0;day=1,2,...;week=1,1,1,1,1,0.5,0.5
 *
 * Of a day's 24 hours the load goes straight from one to the next, and holds for a step; a day of the week
 * multiplies it. phase: the time of the week as the service began, from Monday's midnight. */
enum { SL_SERVES_TEXT_MAX = 60000, SL_SERVES_POINTS_MAX = 20000 };
struct sl_load_point {
	sl_time at;
	int64_t load; /* Millionths of a request a second. */
};
struct sl_serves {
	int64_t capacity;    /* Of one replica: millionths of a request a second. */
	sl_time cold, until; /* Time until it is ready; how long the service lasts. */
	struct sl_load_point *point;
	uint32_t points; /* 0: by day and week. */
	sl_time step, phase;
	int64_t day[24], week[7]; /* Millionths. */
};
/* NULL: it is read; else what is wrong with it. Released whatever happens. */
SL_API const char *sl_serves_read(struct sl_serves *serves, const char *text);
SL_API void sl_serves_release(struct sl_serves *serves);
/* The load so long after it began, in millionths, and until when it stays. */
SL_API int64_t sl_load_at(const struct sl_serves *serves, sl_time at, sl_time *until);

/* ---- Readers ---------------------------------------------------------------- */

/* What a line of a trace may say. The fields of SWF, in its order, in our units. */
enum sl_col {
	SL_COL_ID,        /* 1 */
	SL_COL_SUBMIT,    /* 2, us */
	SL_COL_WAIT,      /* 3, us */
	SL_COL_RUN,       /* 4, us */
	SL_COL_CPUS,      /* 5, allocated */
	SL_COL_CPU_TIME,  /* 6, us a cpu */
	SL_COL_MEM,       /* 7, KB a cpu */
	SL_COL_REQ_CPUS,  /* 8 */
	SL_COL_LIMIT,     /* 9, us */
	SL_COL_REQ_MEM,   /* 10, KB a cpu */
	SL_COL_STATUS,    /* 11 */
	SL_COL_USER,      /* 12 */
	SL_COL_GROUP,     /* 13 */
	SL_COL_APP,       /* 14 */
	SL_COL_QUEUE,     /* 15 */
	SL_COL_PARTITION, /* 16 */
	SL_COL_PREV,      /* 17 */
	SL_COL_THINK,     /* 18, us */
	SL_COL_COUNT
};

/* One group of a job; SL_NONE and NULL where the file says nothing. */
struct sl_row_group {
	int64_t tasks, tasks_min, tasks_max, tasks_per_node, nodes_min, nodes_max;
	int64_t cpus, mem, gpus; /* Of one task; memory in MiB. */
	const char *gpu_type;    /* "a100", or several: "a100|h100". */
	bool exclusive;
	uint32_t parts;  /* cpus and gpus are counted in so-manieths: 0 and 1: wholes, 1000: thousandths. */
	int64_t gpu_mem; /* MiB of one device, in place of gpus; 0 and SL_NONE: not said. */
	const char *mig; /* "3g.20gb", in place of gpus; NULL: none. */
};

/* What a row may say beyond SWF's fields. */
struct sl_row_more {
	const char *id;                         /* As spelled, where it is no number. */
	const char *user, *account, *partition; /* Names, in place of the numbers; NULL: unknown. */
	const char *gang;
	const struct sl_row_group *group;
	size_t group_count; /* 0: size tasks of one cpu. */
	/* In place of groups, as written to Slurm; several: the components of a heterogeneous job. */
	const struct sl_ask *ask;
	size_t ask_count;
	/* As of sl_job_more, whose engine's members stay 0; times as of submit. NULL: nothing. */
	const struct sl_job_more *job;
	sl_time cancel; /* When its user cancelled it, as of submit, waiting or running; 0 and SL_NONE: never.
			 */
	const int64_t *gpu_active; /* Of the GPU time that it held, how much it was active, in millionths;
				    * NULL: not known. */
	const struct sl_profile *profile; /* NULL: nothing is said. */
};

struct sl_row {
	int64_t col[SL_COL_COUNT]; /* SL_NONE where the file says unknown. */
	uint64_t line;             /* From 1. */
	const struct sl_row_more
		*more; /* NULL: nothing more. Lent for the call, with all that it points to. */
};

struct sl_input;

/* Where a reader puts what it reads. A nonzero return is passed on at once. */
struct sl_sink {
	void *self;
	int (*job)(void *self, const struct sl_row *row, struct sl_err *err);
	/* A header line "key: value", in file order, keys as the file spells them; the key is "" for a
	 * comment without one, whose text is the value. */
	int (*header)(void *self, const char *key, const char *value, const struct sl_place *at,
		struct sl_err *err);
	/* A line that reads but makes no sense: cause is a short constant ("fewer than 18 fields").
	 * Returns nonzero under --strict. */
	int (*oddity)(void *self, const char *cause, const struct sl_place *at, struct sl_err *err);
	/* Either may be NULL in what a reader is handed. Before the first job, of a reader whose times are
	 * dates: submits are microseconds since 1970 by the log's own clock, and zero will be the first. */
	int (*dated)(void *self, struct sl_err *err);
	/* What the file has and nothing here models ("column 'gpu_util'"): said once, never an error. */
	int (*ignored)(void *self, const char *what, const struct sl_place *at, struct sl_err *err);
	/* A further file that was read: its hash goes into what identifies a run. Before it is closed, at its
	 * end. May be NULL. */
	int (*file)(void *self, struct sl_input *in, struct sl_err *err);
};

/* Text of one input, decompressed by content (gzip, zstd, xz), read once, forward. */
SL_API int sl_input_open(struct sl_input **in, const char *path, struct sl_err *err); /* "-": stdin */
/* Where a file is that another one names: from the root, or from that one's folder. What a file names is
 * found by this alone: of files that a bundle has it stays in the bundle. False: it does not fit. */
SL_API bool sl_path_beside(char *path, size_t room, const char *file, const char *name);
SL_API void sl_input_close(struct sl_input *in);
SL_API const char *sl_input_name(const struct sl_input *in);
/* The next run of whole lines, [*text, *end); the last may lack its newline, and **end is one then. *text
 * is followed by at least 64 readable bytes after *end. Returns 1; 0 at the end; negative on failure (a
 * truncated stream, a line over 1 MiB). Lent until the next call. */
SL_API int sl_input_next(struct sl_input *in, const char **text, const char **end, struct sl_err *err);
/* The same bytes will be returned again by the next sl_input_next. */
SL_API void sl_input_again(struct sl_input *in);
/* The first bytes, for sniffing the format; whoever reads next begins with them too. A line may be cut.
 * Returns as sl_input_next. */
SL_API int sl_input_peek(struct sl_input *in, const char **text, const char **end, struct sl_err *err);
/* All of it at once, in place of sl_input_next, for formats that have no lines: up to 1 GiB; **end is a zero.
 * Lent until the input is closed. 0, or negative. */
SL_API int sl_input_all(struct sl_input *in, const char **text, const char **end, struct sl_err *err);
SL_API const char *sl_input_packing(const struct sl_input *in); /* "gzip", "zstd", "xz", "none" */
SL_API uint64_t sl_input_size(const struct sl_input *in);       /* Of the file as stored; 0: not known. */
SL_API uint64_t sl_input_bytes(const struct sl_input *in);      /* Of the file, consumed so far. */
SL_API const char *sl_input_sha256(struct sl_input *in); /* Of the file's bytes as stored; after the end. */

struct sl_reader {
	struct sl_abi abi;
	const char *name;    /* "swf" */
	const char *summary; /* One line, for `list`. */
	/* How sure that these first bytes are of its format: 0 no .. 100 yes. */
	int (*sniff)(const char *text, size_t len);
	int (*read)(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err);
};

/* ---- Clusters from files --------------------------------------------------------- */

/* Nodes that are alike: "n", count 3 are n1, n2, n3; "n", count 1 is n. */
struct sl_nodes_spec {
	const char *name;
	int64_t count;
	int64_t cpus, mem; /* MiB; SL_NONE: unbounded. */
	struct {
		const char *type; /* "gpu" where the file names none. */
		int64_t count;
	} gpu[8];
	size_t gpu_count;
	/* The names, in place of name and count: "dgx[0180-0189]". name is then what the entry is called by.
	 */
	const char *hosts;
	/* How they are built; NULL: not said. GPUs of its gres are not in gpu[] again. */
	const struct sl_hardware *hardware;
	uint32_t parts;  /* cpus are counted in so-manieths; 0 and 1: wholes. */
	uint32_t island; /* So many nodes in a row share an NVLink island; 0: each node has its own. */
};

struct sl_window_spec {
	const char *name;
	const char *nodes; /* Names as in the file ("n[1-4],m7", or the name of an entry); NULL: cpus of a
			      pool. */
	int64_t cpus;
	/* As replay.from takes times; until or, NULL there, the duration `length`. Without any: always. */
	const char *from, *until, *length;
	enum sl_window_kind kind;
	const char *users, *accounts, *flags; /* Flags DAILY, WEEKLY, WEEKDAY, WEEKEND, HOURLY repeat it. */
};

/* The whole cluster. */
struct sl_cluster_spec {
	enum sl_select select;
	enum sl_topology topology;
	bool mem_counts;
};

struct sl_doc;

struct sl_cluster_sink {
	void *self;
	int (*name)(void *self, const char *name, struct sl_err *err);
	int (*pool)(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err); /* Counted. */
	int (*nodes)(
		void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err);
	int (*window)(
		void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err);
	/* Any of these may be NULL in what a reader is handed. The engine's members of the structs are 0. */
	int (*whole)(void *self, const struct sl_cluster_spec *spec, struct sl_err *err);
	int (*partition)(
		void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err);
	int (*sw)(void *self, const struct sl_switch *spec, const struct sl_place *at, struct sl_err *err);
	int (*license)(
		void *self, const struct sl_license *spec, const struct sl_place *at, struct sl_err *err);
	int (*setting)(void *self, const struct sl_setting *setting, struct sl_err *err);
	/* A further file that was read: its hash goes into what identifies a run. Before it is closed, at its
	 * end. */
	int (*file)(void *self, struct sl_input *in, struct sl_err *err);
	/* Objects of Kubernetes, in the order of the file, all of this document. What is in it is taken over,
	 * whatever happens: it is empty then. */
	int (*objects)(void *self, struct sl_doc *doc, const struct sl_object *object, size_t count,
		struct sl_err *err);
};

/* A setting under "cluster." that the reader is to apply while it reads, in this order. */
struct sl_cluster_setting {
	const char
		*key; /* Without "cluster.": "nodes[gpu].count", with "+" or "-" behind it for += and -=. */
	const char *value;
	bool *used; /* Set when it was. */
};

struct sl_cluster_reader {
	struct sl_abi abi;
	const char *name; /* "yaml" */
	const char *summary;
	/* How sure that this is of its kind, by path and first bytes (none of a folder): 0..100. */
	int (*sniff)(const char *path, const char *text, size_t len);
	/* in: NULL for a folder. */
	int (*read)(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
		size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err);
};

/* ---- Documents: YAML and JSON with places ------------------------------------------------------------ */

/* A tree of texts, maps and lists in one array; indices, not pointers. Node 0 is the root, and nobody's
 * child. No key stands twice in a map; aliases are refused. */
enum sl_doc_kind { SL_DOC_TEXT, SL_DOC_MAP, SL_DOC_LIST };

/* Bounds of what is read: text of a file, values and levels of a document, members of a map. */
enum { SL_DOC_BYTES_MAX = 1 << 26, SL_DOC_NODES_MAX = 1 << 22, SL_DOC_DEPTH_MAX = 32, SL_DOC_KEYS_MAX = 256 };

struct sl_doc_node {
	enum sl_doc_kind kind;
	uint32_t line, column; /* From 1. */
	uint32_t text;         /* Of a text: where it begins in doc->text; it ends in a zero. */
	uint32_t key;          /* Of a map's member: likewise, */
	uint32_t key_line, key_column;
	uint32_t first, last, next; /* Members of a map or list, and the next of the same; 0: none. */
	uint32_t count;             /* Of members. */
};

struct sl_doc {
	const char *file; /* Lent. */
	struct sl_doc_node *node;
	size_t count, capacity;
	char *text;
	size_t text_len, text_capacity;
	uint32_t open[SL_DOC_DEPTH_MAX]; /* Maps and lists that are being filled. */
	uint32_t depth;
	struct sl_doc_node key; /* The next member's key, line and column, if has_key. */
	bool has_key;
};

SL_API const struct sl_doc_node *sl_doc_child(
	const struct sl_doc *doc, const struct sl_doc_node *parent); /* NULL: empty. */
SL_API const struct sl_doc_node *sl_doc_next(
	const struct sl_doc *doc, const struct sl_doc_node *node); /* NULL: the last. */
/* The member of that key; NULL: it has none, is no map, or is NULL. */
SL_API const struct sl_doc_node *sl_doc_member(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key);
SL_API struct sl_place sl_doc_place(const struct sl_doc *doc, const struct sl_doc_node *node);
SL_API struct sl_place sl_doc_key_place(const struct sl_doc *doc, const struct sl_doc_node *node);
SL_API void sl_doc_release(struct sl_doc *doc);

/* Into a zeroed document with its file's name; text[len] is a zero. Released whatever happens. */
SL_API int sl_doc_read_json(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);
SL_API int sl_doc_read_yaml(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);
/* Several documents: the root is a list of them; one of nothing but comments is an empty text. */
SL_API int sl_doc_read_yamls(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);

/* ---- Kubernetes: objects, labels, pods -------------------------------------------------------------------
 */

/* An object of a manifest, as it was written: `node` of its document is the whole of it. */
struct sl_object {
	const char *kind, *version; /* "ClusterQueue", "kueue.x-k8s.io/v1beta2" */
	const char *space, *name;   /* space "": none. */
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
	bool of_fields; /* matchFields, metadata.name alone: expressions are of the node's name. */
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

/* Kueue's request for a place in a topology, of annotations or of a Workload. */
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
	bool hard; /* DoNotSchedule */
	struct sl_label_selector pods;
};
struct sl_pod_near { /* podAffinity, podAntiAffinity */
	const char *key;
	struct sl_label_selector pods;
	int32_t weight; /* 0: required. */
	bool anti;
	bool all_spaces; /* namespaceSelector {}; else those listed, or its own. */
	const char *const *space;
	uint32_t space_count;
};
struct sl_pod_claim {
	const char *name;             /* In the pod. */
	const char *claim, *template; /* One of them; NULL. */
};

/* Equal pods of one job. */
struct sl_podset {
	const char *name;         /* "main", "leader", "worker" */
	int64_t count, min_count; /* min_count 0: not said. */
	struct sl_labels labels, annotations, node_selector;
	struct sl_amounts request; /* Of one pod, as Kubernetes adds containers, init containers, overhead. */
	bool exceeds_limits;       /* Some request is above its limit. */
	struct sl_tolerations tolerations;
	const struct sl_label_term *required, *preferred; /* Node affinity: one of the required. */
	uint32_t required_count, preferred_count;
	const struct sl_pod_spread *spread;
	const struct sl_pod_near *near;
	const struct sl_pod_claim *claim;
	uint32_t spread_count, near_count, claim_count;
	struct sl_pod_topology topology;
	const char *priority_class; /* Of the pods; NULL: none. */
	int64_t priority;           /* SL_NONE: not said. */
	bool never_preempts;        /* preemptionPolicy Never */
	const char *node;           /* nodeName; NULL: none. */
	const char *scheduler;      /* NULL: the default one. */
	const char *pod_group;      /* Gang: its PodGroup; NULL: none. */
	/* Where its pods differ by labels and affinity (sub-groups): these in turn, in its place. */
	const struct sl_podset *part;
	uint32_t part_count;
};
/* When one of its pods is lost, which are made anew: all, if all of them ran, else that one; all; that one.
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

/* Has an object of this kind pods? And those of one that has; texts are lent by the document. */
SL_API bool sl_pods_has(const char *kind);
SL_API int sl_pods_read(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *object,
	struct sl_pods *pods, struct sl_err *err);
/* What a job's pods ask: its manifest, or else its groups, each a podset ("cpu", "memory", "nvidia.com/gpu").
 */
SL_API const struct sl_pods *sl_pods_of(struct sl_arena *arena, const struct sl_jobs *jobs,
	const struct sl_cluster *cluster, uint32_t job, struct sl_err *err);

/* Puts pods on nodes one by one, for policies that admit whole jobs (sl_binders[]). It keeps books of its
 * own, and acts at events, outside passes. Its configuration is among the cluster's objects. */
struct sl_pods_pin {                       /* Of one podset of a job. */
	int64_t count;                     /* So many pods of it. */
	struct sl_labels labels;           /* Nodes must have these too. */
	struct sl_tolerations tolerations; /* Besides its own. */
	const uint32_t *node;              /* By pod, where it must go; NULL: anywhere. */
};
enum sl_bound_what {
	SL_BOUND_ALL,  /* All its pods have nodes: sl_binder.where. */
	SL_BOUND_LOST, /* One of them was taken off its node (preempted by `by`, or the node is gone): all are
			* removed and added again, unless of SL_RESTART_ONE. */
	SL_BOUND_STUCK /* A pod of it found no node: sl_binder.why. */
};
struct sl_bound {
	enum sl_bound_what what;
	sl_job job, by;
};
struct sl_binder {
	struct sl_abi abi;
	const char *name; /* "kube" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* The job's pods are there from now on (pin: by podset; NULL: all, anywhere); lent until removed. */
	void (*add)(void *state, sl_time now, sl_job job, const struct sl_pods *pods,
		const struct sl_pods_pin *pin);
	void (*remove)(void *state, sl_time now, sl_job job);
	void (*node)(void *state, sl_time now, uint32_t node, bool up);
	/* All that it does by now; when it wants to be run again, SL_NEVER: not unless something happens. */
	sl_time (*run)(void *state, sl_time now);
	/* What came of it, one at a time. */
	bool (*next)(void *state, struct sl_bound *bound);
	/* Where its pods are, lent until the next call. */
	size_t (*where)(void *state, sl_job job, const struct sl_holding **holding);
	const char *(*why)(void *state, sl_job job); /* "0/12 nodes are available: ..."; NULL. */
	int (*tell)(void *state, struct sl_tally *tally, struct sl_err *err);
	/* The job's pods failed where they are. True: they are started again there, or one of them is on its
	 * way to another node (SL_RESTART_ONE), and SL_BOUND_ALL follows; false: remove and add them. */
	bool (*fail)(void *state, sl_time now, sl_job job);
};
SL_API extern const struct sl_binder *const sl_binders[]; /* Closed by NULL. */

/* ---- Output -------------------------------------------------------------------- */

/* A file that appears whole or not at all: written beside its name, renamed by sl_out_commit. */
struct sl_out;
/* path NULL or "-": stdout. */
SL_API int sl_out_open(struct sl_out **out, const char *path, struct sl_err *err);
/* Room for at least `room` bytes (at most 64 KiB) at the returned place; say with sl_out_advance how
 * far was written. Never NULL: after a write error bytes go nowhere and commit says why. */
SL_API char *sl_out_room(struct sl_out *out, size_t room);
SL_API void sl_out_advance(struct sl_out *out, const char *end);
SL_API void sl_out_text(struct sl_out *out, const char *text);
SL_API void sl_out_printf(struct sl_out *out, const char *format, ...) SL_PRINTF(2, 3);
/* text as a JSON string, with quotes. */
SL_API void sl_out_json(struct sl_out *out, const char *text);
/* text as a field of CSV (RFC 4180), in quotes where it needs them. Control bytes but ends of lines and tabs
 * are escapes (sl_inert), and what a spreadsheet would compute ("=1+1") has a ' before it; numbers have none.
 */
SL_API void sl_out_csv(struct sl_out *out, const char *text);
/* The next character of a text from data as it may be shown to people: what a terminal would obey, or what is
 * no UTF-8, as an escape ("\x1b", "\n", "\u202e"), closed by a zero; its length. *at is behind it. */
#define SL_INERT_ROOM 8
SL_API size_t sl_inert(const char **at, char shown[SL_INERT_ROOM]);
SL_API int sl_out_commit(struct sl_out *out, struct sl_err *err); /* Frees it, whatever happens. */
SL_API void sl_out_abandon(struct sl_out *out);                   /* Frees it; the file does not appear. */

struct sl_writer {
	struct sl_abi abi;
	const char *name; /* "swf" */
	const char *summary;
	/* header: lines "key: value" to open with, NULL-ended pairs. */
	int (*begin)(struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err);
	int (*job)(struct sl_out *out, const struct sl_row *row, struct sl_err *err);
	bool names; /* It writes names; else rows have numbers in their place. */
	/* In place of begin, of a trace each of whose rows has more->job; else none has. NULL: there is
	 * nothing to write of that. */
	int (*begin_more)(
		struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err);
	bool dates; /* It writes dates: submits and all times as of submit are microseconds since 1970. */
	/* In place of both, of a trace each of whose rows has more->gpu_active (SL_NONE: not known), so that
	 * its groups may ask memory or profiles of GPUs; else none has. says_more: each has more->job too.
	 * NULL: there is nothing to write of that. */
	int (*begin_gpus)(struct sl_out *out, const char *const (*header)[2], size_t count, bool says_more,
		struct sl_err *err);
	/* In place of all three, of a trace each of whose rows has more->profile; else none has. NULL: there
	 * is nothing to write of that. */
	int (*begin_profile)(struct sl_out *out, const char *const (*header)[2], size_t count, bool says_gpus,
		bool says_more, struct sl_err *err);
};

/* ---- Workload models --------------------------------------------------------- */

struct sl_generator {
	struct sl_abi abi;
	const char *name; /* "lublin" */
	const char *summary;
	const char *paper;
	const struct sl_param *params;
	size_t param_count;
	/* Emits header lines, then jobs in submit order. Same values, same bytes, anywhere. */
	int (*generate)(const struct sl_value *values, size_t count, uint64_t seed,
		const struct sl_sink *sink, struct sl_err *err);
};

/* ---- Policies ------------------------------------------------------------------ */

struct sl_pass; /* One scheduling pass: what the policy may see and do, at one instant. */

enum sl_event_class { /* In the order of one instant. */
	SL_EV_JOB_END,
	SL_EV_TIME_LIMIT,
	SL_EV_NODE_DOWN,   /* Or it is drained: sl_node_is_up, sl_node_is_drained; */
	SL_EV_NODE_UP,     /* or it is not any more. */
	SL_EV_RESERVATION, /* A window's edge; row UINT32_MAX: a job that was put off is in the queue again.
			    */
	SL_EV_MODEL, /* To policies: the job (row) failed, in the state that it shows, and waits from now on.
		      */
	SL_EV_SUBMIT,
	SL_EV_CANCEL,
	SL_EV_TIMER, /* A policy's: row is what it gave sl_wake_event. */
	SL_EV_CLASS_COUNT
};

struct sl_event {
	sl_time time;
	enum sl_event_class class;
	uint32_t row;
};

/* What a policy is made with; lent for init. */
struct sl_setup {
	struct sl_arena *arena; /* Goes with the run. */
	const struct sl_jobs *jobs;
	int64_t cpus; /* Of the cluster. */
	uint64_t seed;
	const struct sl_value *values;
	size_t value_count;
	enum sl_overrun overrun; /* What the replay does with a job past its limit. */
	struct sl_pass *pass;    /* For sl_use and its like. */
	const struct sl_cluster *cluster;
	int64_t epoch; /* Seconds since 1970 of time 0, by the log's clock; 0: not known. */
	const struct sl_command *command; /* replay.commands, by time, then as in the file. */
	size_t command_count;
	/* By job: it is another policy's, and this one is never told of it. NULL: all are this one's. */
	const uint8_t *foreign;
	/* By node: shown as drained from the beginning (sl_lens). NULL: none is. */
	const uint8_t *shut;
};

/* The file of a parameter of kind SL_PARAM_DOC, lent for the run; NULL: none was given. */
SL_API const struct sl_doc *sl_param_doc(const struct sl_setup *setup, const char *key);

/* What an operator did at a time, in the words of the shell: "scontrol hold 17". */
struct sl_command {
	sl_time at;
	const char *text;
	struct sl_place where;
};
/* The words of such a text, between blanks; 0: there are none, more than room, or no memory. */
SL_API uint32_t sl_words(struct sl_arena *arena, const char *text, const char **word, uint32_t room);

/* What a policy needs beyond the queue in submit order; asked for in init, so that memory comes before the
 * run. */
enum sl_use {
	SL_USE_KEYS = 1,      /* sl_set_key */
	SL_USE_FILL = 2,      /* sl_set_fill_key: candidates in an order of their own */
	SL_USE_ESTIMATES = 4, /* sl_set_estimate */
	SL_USE_PROMISES = 8,  /* sl_promises_make and its like */
	SL_USE_EXPIRY = 16,   /* on_event(SL_EV_TIMER, job) when a running job outlives its estimate */
	SL_USE_PREEMPT = 32,  /* sl_preempt, sl_resume, sl_resize, sl_running_first and their like */
	SL_USE_DEVICES = 128, /* Devices of nodes are followed one by one, even if nobody asks for a share. */
	SL_USE_CONTROL = 256, /* The policy has the say in what the engine else sees to: every job enters the
			       * queue as it is submitted (begin times, holds, dependencies, limits of arrays
			       * and deadlines keep nobody), no limit ends a job (sl_end does), partitions,
			       * windows and states of nodes keep no job off nodes. For sl_start_holding. */
	SL_USE_NODES = 64, /* A counted pool becomes nodes of one cpu, numbered from 0; such nodes keep their
			      names. */
	SL_USE_REASONS = 512,     /* sl_reason_of */
	SL_USE_OWN_DEVICES = 1024 /* The policy follows the GPUs of nodes by itself: the engine counts
				   * amounts. For sl_start_holding. */
};

/* What a value of the parameter `compat` sets, of the policy ("plan=commit") and of the replay
 * ("replay.passes=event"): weaker than whatever is given, stronger than a preset. */
struct sl_compat {
	const char *value; /* "pyss" */
	const char *when; /* "plan=easy,fill=queue": only if these have these values without it; NULL: always.
			   * The first that holds counts. */
	const char *settings;
};

/* What becomes of a running (or suspended) job that makes room (SL_USE_PREEMPT). */
enum sl_preempt {
	SL_PREEMPT_REQUEUE,    /* Back into the queue at its old place; what it did is lost. */
	SL_PREEMPT_CHECKPOINT, /* Back into the queue; its work, limit and estimate go on from there. To load
				* it takes as long as replay.restart says, which its limit does not count, and
				* its estimate does. */
	SL_PREEMPT_SUSPEND, /* It gives up cpus and GPUs, keeps its nodes and their memory, and stands still.
			     */
	SL_PREEMPT_CANCEL,  /* It ends, PREEMPTED. */
	SL_PREEMPT_COUNT
};

/* A table of a policy's own figures, told row by row, each row's figures in the order of the columns' names.
 * All is lent for the call. */
struct sl_figure {
	const char *text; /* NULL: it is the number. */
	double number;    /* NaN: there is none. */
};
struct sl_show {
	void *self;
	/* A nonzero return ends it, and is passed on. */
	int (*row)(void *self, const char *const *column, const struct sl_figure *figure, size_t count);
};

/* Commands of the past. */
enum sl_past { SL_PAST_START, SL_PAST_PREEMPT, SL_PAST_RESUME, SL_PAST_RESIZE };

struct sl_policy {
	struct sl_abi abi;
	const char *name;
	const char *summary;
	const char *paper; /* Where the rule comes from. */
	const struct sl_param *params;
	size_t param_count;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	/* Once at each instant, after its last event, until nothing more happens at it. */
	void (*pass)(void *state, struct sl_pass *pass);
	/* Optional. A submission is shown before the job is queued, so that its key and estimate can be set.
	 * A policy that takes over in mid-run is first told all that happened before, each at its time, with
	 * the jobs as they were then; passes it is not shown (but see on_past). */
	void (*on_event)(void *state, struct sl_pass *pass, const struct sl_event *event);
	void (*release)(void *state);   /* Optional: what is not in the arena. */
	const struct sl_compat *compat; /* What its parameter `compat` implies, closed by a NULL value. */
	/* Optional. While it is told the past: what whoever planned then did, and when (sl_now). For a policy
	 * that keeps account of its own starts. how: of SL_PAST_PREEMPT. */
	void (*on_past)(
		void *state, struct sl_pass *pass, sl_job job, enum sl_past what, enum sl_preempt how);
	/* Optional. A table of its own figures, for views, by that name: "jobs", "shares"... `at`: now, or
	 * later while nothing happens. Nothing that it decides is another afterwards. SL_USAGE: it has no
	 * such table (err is left as it is). */
	int (*show)(void *state, struct sl_pass *pass, sl_time at, const char *what,
		const struct sl_show *show, struct sl_err *err);
	/* Optional. Those that it may give, closed by SL_REASON_COUNT; NULL: any. The engine gives others to
	 * jobs that it keeps from the queue. */
	const enum sl_reason *reasons;
	/* Optional, with SL_USE_CONTROL. A model has it fail now: does it wait again? on_event is told of
	 * SL_EV_MODEL then, else of its end. NULL: it does not. */
	bool (*requeues)(void *state, struct sl_pass *pass, sl_job job);
	/* Optional. The run is over: metrics, columns of jobs, tables, as models tell. */
	int (*tell)(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);
	/* Optional. Keys of its parameters, apart by commas, whose values are programs that it runs, and
	 * files that it writes: they are not taken from a file that the user does not trust. */
	const char *runs, *writes;
};

/* A name for -p that stands for a policy with some parameters set. */
struct sl_preset {
	const char *name;
	const char *policy;
	const char *settings; /* "order=sjf,plan=fcfs" */
	const char *summary;
	const char *paper;
};

/* For policies made of others, which they find in sl_policies[], hand copies of their own setup, and tell of
 * what concerns these. In init: a policy's parameters from "key=value,..." (NULL: its defaults), one value
 * for each. They go with the run. */
SL_API int sl_child_values(const struct sl_setup *setup, const struct sl_policy *policy, const char *text,
	const struct sl_value **values, size_t *count, struct sl_err *err);
/* From now on nodes are shown as these bytes say, one for each: 1 as drained (sl_node_is_drained), 2 as down
 * too (sl_node_is_up), besides those that are; 0 as they are. NULL: all as they are. Lent until the next
 * call. */
SL_API void sl_lens(struct sl_pass *pass, const uint8_t *shut);

/* In init: of enum sl_use, or-ed. */
SL_API int sl_use(const struct sl_setup *setup, unsigned what, struct sl_err *err);
/* In init: why a job waits, from its submission until a pass says otherwise. Default: Priority. */
SL_API void sl_default_reason(const struct sl_setup *setup, enum sl_reason reason);
/* In init: by which rule (SL_RULES) the commands of a pass are until sl_by says otherwise. Default: none. */
SL_API void sl_default_rule(const struct sl_setup *setup, unsigned rule);
/* In init: a sentence that the user is told of, on stderr and in reports; copied. Of more than SL_REMARKS_MAX
 * the rest is left out. */
enum { SL_REMARKS_MAX = 20 };
SL_API void sl_remark(const struct sl_setup *setup, const char *text);
/* In init: how nodes are chosen. Default: the lowest that fit. The placing is lent for the run, and its state
 * made and released with the run. */
SL_API int sl_set_placing(const struct sl_setup *setup, const struct sl_placing *placing, enum sl_ties ties,
	struct sl_err *err);
/* In init: followed over time (SL_USE_NODES' pools have no state worth following). Lent for the run. At most
 * SL_GAUGES_MAX; one that is followed already is not followed twice. */
enum { SL_GAUGES_MAX = 4 };
SL_API int sl_follow(const struct sl_setup *setup, const struct sl_gauge *gauge, struct sl_err *err);

/* In init, with SL_USE_CONTROL: cores and devices of a node are given out up to so many times. */
SL_API int sl_overcommit(const struct sl_setup *setup, uint32_t times, struct sl_err *err);

/* In init, in place of a placing (sl_placers[] has those that are built in). Jobs under it are not suspended
 * or resized, and no nodes are promised. SL_USAGE: there are no nodes, or jobs run already under another. */
SL_API int sl_set_placer(const struct sl_setup *setup, const struct sl_placer *placer, struct sl_err *err);

/* Reads. */
SL_API sl_time sl_now(const struct sl_pass *pass);
/* The run is to end with this instant, which nobody will take for whole: who looks for long may give up. */
SL_API bool sl_stopping(const struct sl_pass *pass);
SL_API const struct sl_jobs *sl_jobs_of(const struct sl_pass *pass);
SL_API enum sl_state sl_state_of(const struct sl_pass *pass, sl_job job);
/* It is in the queue. A PENDING job that is not may not be considered yet (or was not even submitted): it has
 * a begin, depends on others, is held, or is one task too many of its array. on_event(SL_EV_SUBMIT) comes
 * when it enters the queue, perhaps behind jobs that were submitted later; of a job that never does, none
 * comes. */
SL_API bool sl_waits(const struct sl_pass *pass, sl_job job);
/* SL_USE_REASONS: why it waits, as sl_set_reason last said; the default if nothing was said. */
SL_API enum sl_reason sl_reason_of(const struct sl_pass *pass, sl_job job);
SL_API sl_time sl_start_of(const struct sl_pass *pass, sl_job job);
SL_API sl_time sl_estimate_of(const struct sl_pass *pass, sl_job job);
SL_API uint32_t sl_queue_count(const struct sl_pass *pass);
SL_API sl_job sl_queue_first(const struct sl_pass *pass);
SL_API sl_job sl_queue_after(const struct sl_pass *pass, sl_job job);
/* Idle now, of one kind (SL_KIND_CPUS for a counted pool). */
SL_API int64_t sl_free(const struct sl_pass *pass, uint32_t kind);
SL_API const struct sl_cluster *sl_cluster_of(const struct sl_pass *pass);
/* SL_USE_PREEMPT: what runs or is suspended, in order of its latest start. */
SL_API sl_job sl_running_first(const struct sl_pass *pass);
SL_API sl_job sl_running_next(const struct sl_pass *pass, sl_job job);
SL_API sl_job sl_running_last(const struct sl_pass *pass);
SL_API sl_job sl_running_before(const struct sl_pass *pass, sl_job job);
/* When a running job is taken to end by its estimate. */
SL_API sl_time sl_expected_end(const struct sl_pass *pass, sl_job job);
/* Work done so far that would be kept by a checkpoint now, in microseconds of running at full size. */
SL_API sl_time sl_work_of(const struct sl_pass *pass, sl_job job);
/* What its estimate would be after a checkpoint now: what it has left, and what it takes to load that. */
SL_API sl_time sl_estimate_kept(const struct sl_pass *pass, sl_job job);
/* Where a running job is: its pieces, lent until something starts or ends. 0: it does not run, or on a
 * counted pool. */
SL_API size_t sl_pieces_of(const struct sl_pass *pass, sl_job job, const struct sl_piece **piece);
/* Tasks held now by the first group (its elastic size); 0 if it does not run. */
SL_API uint32_t sl_tasks_of(const struct sl_pass *pass, sl_job job);
/* What a job asks of one kind (GPUs of any type: SL_KIND_GPUS); on a counted pool its size in cpus. */
SL_API int64_t sl_asks(const struct sl_pass *pass, sl_job job, uint32_t kind);
/* True if the job fits now beside all that runs. */
SL_API bool sl_fits(struct sl_pass *pass, sl_job job);
/* False if no waiting job can fit now: O(1), may be true without need. */
SL_API bool sl_any_fits(struct sl_pass *pass);

/* A waiting job's planned start, and what it leaves over then. */
struct sl_promise {
	sl_job job;
	sl_time at;    /* SL_NEVER: not while what runs now goes on. */
	int64_t spare; /* Cpus free at `at` beside the job; sl_queue_next_fit takes from it. On nodes: 1,
			* unless nothing is. */
};
/* How much of what is left over at a shadow others may use. */
enum sl_spare {
	SL_SPARE_COUNT, /* As long as the shadow's job still has a placement then. */
	SL_SPARE_NAMED, /* Not the nodes that were chosen for it; on a counted pool as above. */
	SL_SPARE_NONE,  /* Nothing: who starts must end by then. */
	SL_SPARE_MODES
};
/* The earliest time at which the job fits by the estimates of what runs now (EASY's shadow). */
SL_API struct sl_promise sl_shadow(struct sl_pass *pass, sl_job job);
SL_API struct sl_promise sl_shadow_with(struct sl_pass *pass, sl_job job, enum sl_spare spare);
/* The same job's shadow as it was found before. Nobody ends by a time of the past: then only what is spare
 * now may be used, and on nodes nothing. */
SL_API struct sl_promise sl_shadow_at(struct sl_pass *pass, sl_job job, sl_time at, enum sl_spare spare);
/* The first job behind `after` in queue order (SL_JOB_NONE: from the front) that fits now and does not delay
 * the shadow: it ends by then, or uses no more than is spare then, which is taken off the spare. Meant to be
 * started. With a fill order, candidates come in that order: `after` the shadow's own job means from its
 * front, and that job is passed over. shadow may be NULL. */
SL_API sl_job sl_queue_next_fit(struct sl_pass *pass, sl_job after, struct sl_promise *shadow);

/* Commands. An impossible request returns false and changes nothing. */
SL_API bool sl_start(struct sl_pass *pass, sl_job job);
/* On these nodes. Groups' tasks, per-node bounds and what is free must agree. */
SL_API bool sl_start_on(struct sl_pass *pass, sl_job job, const struct sl_piece *piece, size_t count);
/* With these amounts, whatever its request says; each node once. What is not free cannot be given. */
SL_API bool sl_start_holding(
	struct sl_pass *pass, sl_job job, const struct sl_holding *holding, size_t count);
SL_API bool sl_cancel(struct sl_pass *pass, sl_job job);
/* SL_USE_CONTROL. It ends now, running, suspended or waiting, in that state (not PENDING, RUNNING,
 * SUSPENDED). */
SL_API bool sl_end(struct sl_pass *pass, sl_job job, enum sl_state state);
/* SL_USE_CONTROL. As sl_preempt with SL_PREEMPT_REQUEUE, whatever its submitter said of that, and the attempt
 * ends in that state (NODE_FAIL...). */
SL_API bool sl_requeue(struct sl_pass *pass, sl_job job, enum sl_state as);
/* A waiting job is turned down, as at submission: it ends CANCELLED, and is counted among the refused. why is
 * a constant, or the arena's. */
SL_API bool sl_refuse(struct sl_pass *pass, sl_job job, const char *why);
/* Since when it could be considered, as told in the results; else since its submission. */
SL_API void sl_set_eligible(struct sl_pass *pass, sl_job job, sl_time at);
/* How many passes there have been, this one counted; the same in each run of a pass. */
SL_API uint64_t sl_pass_number(const struct sl_pass *pass);

/* A failure of the policy's own (no memory, an invariant of its own): the run ends with it. In a pass or in
 * on_event; the first one counts. */
SL_API void sl_fail_run(struct sl_pass *pass, const struct sl_err *err);
/* A line for whoever looks on at the run, if somebody does; it decides nothing. */
SL_API void sl_say(const struct sl_pass *pass, const char *text);
/* In a pass: which of these jobs? Asks whoever drives the run (sl_run_decide). number: of the question, from
 * 0, as the policy counts them: in a ledger, so that a pass that is taken back asks the same again. True:
 * answered, SL_JOB_NONE: none of them. False: not yet; the policy returns at once, what it did in the pass
 * stays, and `pass` is called once more when the answer is there. The run fails if nobody drives it. */
SL_API bool sl_ask(
	struct sl_pass *pass, uint64_t number, const sl_job *offered, size_t count, sl_job *answer);

/* SL_USE_PREEMPT. */
SL_API bool sl_preempt(struct sl_pass *pass, sl_job job, enum sl_preempt how);
/* A suspended job goes on where it was, if there is room for it there. */
SL_API bool sl_resume(struct sl_pass *pass, sl_job job);
/* A running elastic job (one group with tasks_min < tasks_max) gets so many tasks. It then runs tasks /
 * (tasks asked for) times as fast. */
SL_API bool sl_resize(struct sl_pass *pass, sl_job job, uint32_t tasks);
/* As sl_start, with so many tasks, within the same bounds: of a waiting job that sl_resize could move. */
SL_API bool sl_start_sized(struct sl_pass *pass, sl_job job, uint32_t tasks);
/* The same with given amounts on given nodes: as sl_start_holding, with so many tasks; and of a running job,
 * which has these amounts from now on in place of those it had. At least one task, whatever its least. Where
 * the engine follows devices it chooses them anew. */
SL_API bool sl_start_sized_holding(
	struct sl_pass *pass, sl_job job, const struct sl_holding *holding, size_t count, uint32_t tasks);
SL_API bool sl_resize_holding(
	struct sl_pass *pass, sl_job job, const struct sl_holding *holding, size_t count, uint32_t tasks);

/* A window for the operator: so many cpus of a counted pool, or these nodes, from then until then. Nothing is
 * started that by its estimate would run into it. False if what runs would, or it lies in the past. */
SL_API bool sl_reserve(struct sl_pass *pass, const struct sl_window *window);
/* Waiting behind the queue's order is the default reason; the first that does not fit is the head. */
SL_API void sl_head_waits(struct sl_pass *pass, sl_job job);
/* The same where somebody outside chose: what fits was left by him (LeftByPolicy). */
SL_API void sl_head_left(struct sl_pass *pass, sl_job job);
SL_API void sl_set_reason(struct sl_pass *pass, sl_job job, enum sl_reason reason, uint32_t detail);
/* Place in the queue: lower first, ties by row. Default 0. In on_event of its submission, or while it runs,
 * for when it is preempted. */
SL_API void sl_set_key(struct sl_pass *pass, sl_job job, double key);
/* Place among the candidates behind the head, likewise. */
SL_API void sl_set_fill_key(struct sl_pass *pass, sl_job job, double key);
/* Every waiting job's key anew: for orders that depend on the wait. Before any command of the pass. */
SL_API void sl_queue_rekey(
	struct sl_pass *pass, double (*key)(void *state, struct sl_pass *pass, sl_job job), void *state);
/* How long the plan takes the job to run, from its start. Default: its limit. */
SL_API void sl_set_estimate(struct sl_pass *pass, sl_job job, sl_time estimate);
SL_API void sl_wake(struct sl_pass *pass, sl_time at);                     /* A pass at that time. */
SL_API void sl_wake_event(struct sl_pass *pass, sl_time at, uint32_t row); /* on_event(SL_EV_TIMER) too. */

/* Lanes: several queues, so that who is first in one keeps nobody of another waiting. All that wait are in
 * the queue as before (sl_queue_first and its like), and each in one lane, in the same order. What it costs
 * grows with who waits, not with the number of lanes. In init: so many; without it there is one, lane 0. */
SL_API int sl_lanes(const struct sl_setup *setup, uint32_t count, struct sl_err *err);
/* In on_event of its submission only; default 0. sl_head_waits goes by it: each lane has a head. */
SL_API void sl_set_lane(struct sl_pass *pass, sl_job job, uint32_t lane);
SL_API uint32_t sl_lane_of(const struct sl_pass *pass, sl_job job);
/* The next lane behind that one (UINT32_MAX: the first) in which somebody waits; UINT32_MAX: none. */
SL_API uint32_t sl_lane_next(const struct sl_pass *pass, uint32_t after);
SL_API uint32_t sl_lane_count(const struct sl_pass *pass, uint32_t lane);
SL_API sl_job sl_lane_first(const struct sl_pass *pass, uint32_t lane);
SL_API sl_job sl_lane_after(const struct sl_pass *pass, uint32_t lane, sl_job job);
/* As sl_queue_next_fit, of one lane. */
SL_API sl_job sl_lane_next_fit(struct sl_pass *pass, uint32_t lane, sl_job after, struct sl_promise *shadow);
/* Which of two waiting jobs is before the other in the queue's order, whatever their lanes. */
SL_API bool sl_queue_before(const struct sl_pass *pass, sl_job a, sl_job b);

/* Plans in which waiting jobs hold promises (conservative). A pass comes when a promise is due. */
/* The job's promise, SL_NONE without one. */
SL_API sl_time sl_promise_of(const struct sl_pass *pass, sl_job job);
/* Each waiting job without a promise, in queue order, gets one: the earliest start that moves no other. */
SL_API void sl_promises_make(struct sl_pass *pass);
/* In queue order, each promise is released and remade at the earliest start that the others leave. Nothing
 * happens unless something was freed before its time since the last call. */
SL_API void sl_promises_compress(struct sl_pass *pass);
/* What runs was found to run on past its estimate: promises may not hold, and need a new plan. */
SL_API bool sl_promises_broken(const struct sl_pass *pass);
SL_API void sl_promises_drop(struct sl_pass *pass);
/* Starts each job whose promise is now, in queue order. */
SL_API void sl_promises_start(struct sl_pass *pass);
/* One at a time, for plans of another kind. The earliest start beside what runs, all windows and all promises
 * but its own; SL_NEVER: none. */
SL_API sl_time sl_promise_at(struct sl_pass *pass, sl_job job);
/* Promises it that start, in place of the one it held. False: it does not fit then, and holds what it held.
 */
SL_API bool sl_promise_hold(struct sl_pass *pass, sl_job job, sl_time at);
SL_API void sl_promise_drop(struct sl_pass *pass, sl_job job);

/* Try and take back: nested, in time proportional to what was touched. */
typedef struct {
	uint32_t depth;
	uint32_t length;
} sl_marked;
SL_API sl_marked sl_mark(struct sl_pass *pass);
SL_API void sl_undo(struct sl_pass *pass, sl_marked mark); /* Back to the mark, which is gone with it. */
SL_API void sl_keep(struct sl_pass *pass, sl_marked mark); /* The mark goes, the commands stay. */

/* Ledgers: counters journalled with everything else (usage, quotas). Made in init, so rows are known. */
typedef struct {
	uint32_t index;
} sl_ledger;
SL_API sl_ledger sl_ledger_new(const struct sl_setup *setup, const char *name, uint32_t rows);
SL_API int64_t sl_ledger_get(const struct sl_pass *pass, sl_ledger ledger, uint32_t row);
SL_API void sl_ledger_add(struct sl_pass *pass, sl_ledger ledger, uint32_t row, int64_t amount);

/* ---- Scripts: policies, and parts of them, in another language ---------------------------------------- */

/* A script, and the files beside it that it uses: read and hashed when the policy is chosen, const from then
 * on. Threads share it. */
struct sl_script;
SL_API const char *sl_script_path(const struct sl_script *script); /* As it was given, for messages. */
struct sl_scripting;
SL_API const struct sl_scripting *sl_script_language(const struct sl_script *script);
/* Where a file of its folder is ("util.lua"), for messages; the arena's. NULL: no memory. */
SL_API const char *sl_script_beside(const struct sl_script *script, const char *name, struct sl_arena *arena);
/* The text of a file of its folder; name NULL: the script's own. While it is loaded a file is read when it is
 * first asked for; later there are only those. SL_INPUT: it cannot be read, or was not read then. */
SL_API int sl_script_text(
	struct sl_script *script, const char *name, const char **text, size_t *len, struct sl_err *err);
/* While it is loaded: whoever waits for it wants it to end, as sl_stopping says of a run. What goes on for
 * long asks now and then, and fails with SL_INTERRUPTED. */
SL_API bool sl_script_stopping(struct sl_script *script);
/* In init: that of a parameter; key NULL: of the policy itself. NULL: none was given. */
SL_API struct sl_script *sl_param_script(const struct sl_setup *setup, const char *key);

/* What a script's function returned. */
enum sl_answer_kind { SL_ANSWER_NONE, SL_ANSWER_BOOL, SL_ANSWER_NUMBER };
struct sl_answer {
	enum sl_answer_kind kind;
	bool yes;      /* Of a BOOL. */
	double key;    /* Of a NUMBER, for sl_set_key: its millionths, a whole number. */
	int64_t micro; /* The same, at most +-INT64_MAX. */
};

/* A language of scripts. */
struct sl_scripting {
	struct sl_abi abi;
	const char *name;   /* "lua": order=lua:FILE */
	const char *ending; /* ".lua": -p FILE.lua */
	const char *summary;
	/* As it is chosen: is it in order? What it needs of its folder is read. policy: where it is a whole
	 * one, its vtable, in the arena; NULL: a part is wanted. SL_INPUT, with its file and line. */
	int (*load)(struct sl_script *script, const struct sl_policy **policy, struct sl_arena *arena,
		struct sl_err *err);
	/* In a policy's init: the script, to be called in this run. */
	int (*open)(void **self, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err);
	void (*close)(void *self);
	/* How many arguments that function names; -1: the script has none of that name. */
	int (*takes)(void *self, const char *function);
	/* Calls it with the job and the time in seconds. The answer is of one of `kinds` (a bit for each enum
	 * sl_answer_kind), and the same to the same question. False: it failed, and the run fails with it
	 * (sl_fail_run). */
	bool (*ask)(void *self, struct sl_pass *pass, const char *function, sl_job job, unsigned kinds,
		struct sl_answer *answer);
	/* Likewise, if it has that function, which returns nothing. */
	bool (*told)(void *self, struct sl_pass *pass, const char *function, sl_job job);
};

/* ---- Why: told by policies, recorded where somebody asked for it ---------------------------------- */

/* By which rule a policy did something: X(name, word, words), the words as a clause after the job ("job 7
 * started: ..."). */
/* clang-format off */
#define SL_RULES(X) \
	X(NONE, "none", "its policy does not say by which rule") \
	X(ORDER, "order", "its turn had come in the order of the queue") \
	X(FILL, "fill", "it fitted, whoever stood before it") \
	X(BACKFILL, "backfill", "it fitted without delaying any start that was planned for others") \
	X(PROMISE, "promise", "the time that it was promised had come") \
	X(SHARE, "share", "its party was furthest below its share") \
	X(QUOTA, "quota", "its party was within its quota") \
	X(BORROW, "borrow", "its party borrowed what others left idle") \
	X(SLICE, "slice", "its turn in the rotation had come, or was over") \
	X(RANK, "rank", "another of higher rank needed the room") \
	X(RECLAIM, "reclaim", "the owner of the quota claimed it back") \
	X(OPERATOR, "operator", "an operator's command said so") \
	X(WINDOW, "window", "a reservation or outage began, or its own was over") \
	X(DEADLINE, "deadline", "its deadline could not be met any more") \
	X(LIMIT, "limit", "its time limit was over") \
	X(SLACK, "slack", "it fitted, and no promise slipped beyond its slack") \
	X(LESS_LEFT, "less_left", "another had less left to run") \
	X(RECORDED, "recorded", "the log says so") \
	X(LOSS, "loss", "there was no room as it came, and nobody waits") \
	X(REFUSED, "refused", "what it asked for is refused") \
	X(NEVER, "never", "what it depends on can no longer be") \
	X(NODE, "node", "its nodes failed, or were taken out of service") \
	X(ADMIT, "admit", "its queue admitted it within its quota") \
	X(READY, "ready", "its pods were not ready in time") \
	X(CHECK, "check", "an admission check said so") \
	X(STOPPED, "stopped", "its queue was stopped") \
	X(MIGRATE, "migrate", "a flavor that is tried before had room again")
/* clang-format on */
enum sl_rule {
#define SL_RULE_ENTRY(name, word, words) SL_RULE_##name,
	SL_RULES(SL_RULE_ENTRY)
#undef SL_RULE_ENTRY
		SL_RULE_COUNT
};
SL_API const char *sl_rule_name(enum sl_rule rule);
SL_API const char *sl_rule_words(enum sl_rule rule);
/* The commands that follow in this pass are by that rule, on behalf of that job (the head that a backfilled
 * one does not delay, the one that a preempted one makes room for); SL_JOB_NONE: nobody's. A pass begins with
 * sl_default_rule's, and sl_undo goes back to what was said before the mark. Costs nothing where nobody
 * asked. */
SL_API void sl_by(struct sl_pass *pass, enum sl_rule rule, sl_job whose);
/* The policy plans that waiting job's start for then (SL_NONE: no more), without a promise in the engine's
 * books: a shadow, an entry of a backfill map; SL_NEVER is none. Of what is told of a job in one pass the
 * last holds, until it starts, another is told, or it is first in the queue no more (sl_head_waits);
 * sl_tell_plan(pass, SL_JOB_NONE, SL_NONE): all that was told before is void. Promises that outlive a pass
 * are taken note of without it. */
SL_API void sl_tell_plan(struct sl_pass *pass, sl_job job, sl_time start);

/* ---- Models: what makes run times other than traced ------------------------------------- */

/* A model is turned on by name (--model fabric:contention=meanfield). It is told what happens to jobs, once
 * that is settled, and may slow them down, hold them, take nodes down. Jobs run at the product of what the
 * models say of each: 1 is SL_RATE_ONE. A model sees what is; a policy never sees rates that are to come. */

#define SL_RATE_ONE (UINT64_C(1) << 32)
#define SL_RATE_MAX (UINT64_C(1) << 52)

/* A CSV file of a parameter of kind SL_PARAM_SHEET: cells by row, then column, as text; lent for the run. */
struct sl_sheet {
	const char *file;
	uint32_t columns, rows; /* Without the line of names. */
	const char *const *column;
	const char *const *cell;
	const uint64_t *line; /* By row. */
};
/* NULL: none was given. A column's number by its name (in any case), UINT32_MAX: there is none. */
struct sl_model_setup;
SL_API const struct sl_sheet *sl_sheet_of(const struct sl_model_setup *setup, const char *key);
SL_API uint32_t sl_sheet_column(const struct sl_sheet *sheet, const char *name);
SL_API struct sl_place sl_sheet_place(const struct sl_sheet *sheet, uint32_t row, uint32_t column);
/* A parameter of another model that is on in this run, as it is in force; NULL: it is off, or has no such
 * one. */
SL_API const struct sl_value *sl_model_value(
	const struct sl_model_setup *setup, const char *model, const char *key);

struct sl_model_setup {
	struct sl_arena *arena; /* Goes with the run. */
	const struct sl_jobs *jobs;
	const struct sl_cluster
		*cluster; /* Its settings of kind `name` are the model's section in the file. */
	uint64_t seed;
	const struct sl_value *values;
	size_t value_count;
	int64_t epoch;                       /* As of sl_setup. */
	struct sl_pass *world;               /* For the functions below. */
	const struct sl_sheet *const *sheet; /* By value: of sl_sheet_of. NULL: it has none. */
};

/* How a job left what it held. */
enum sl_left {
	SL_LEFT_END,        /* For good. */
	SL_LEFT_REQUEUE,    /* Back into the queue, */
	SL_LEFT_CHECKPOINT, /* with its work; */
	SL_LEFT_SUSPEND     /* it stands still on its nodes, until `started` again. */
};

/* What a job moves to or from a file system. */
enum sl_transfer_kind { SL_TRANSFER_READ, SL_TRANSFER_WRITE };
struct sl_transfer {
	sl_job job;
	enum sl_transfer_kind kind;
	const char *fs; /* NULL: the job's. */
	int64_t bytes;  /* Of all its nodes together. */
	uint32_t token; /* Whose it is is known: given back. */
	uint32_t asker; /* The engine's: kept as it is by whoever carries it out. */
};

/* All but init are optional. What is told comes in the order in which it happened, after the instant's events
 * and passes as far as they have gone; a job that starts and leaves within one pass is not told of. */
struct sl_model {
	struct sl_abi abi;
	const char *name; /* "fabric" */
	const char *summary;
	const char *paper;
	const struct sl_param *params;
	size_t param_count;
	bool on_nodes; /* It makes no sense on a counted pool: SL_USAGE there. */
	int (*init)(void **state, const struct sl_model_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* Once, before the first event. */
	void (*begin)(void *state, struct sl_pass *world);
	/* It started (or was resumed, or another size came in force): sl_pieces_of says where it is. */
	void (*started)(void *state, struct sl_pass *world, sl_job job);
	/* It holds nothing any more (SL_LEFT_SUSPEND: no cpus and GPUs). Where it was is not known any more.
	 */
	void (*left)(void *state, struct sl_pass *world, sl_job job, enum sl_left how);
	/* sl_model_wake's time has come. */
	void (*timer)(void *state, struct sl_pass *world, uint32_t row);
	/* Once all of an instant is told: here rates are computed, once for all that changed. Models are
	 * settled in the order of their names in sl_models[]. */
	void (*settle)(void *state, struct sl_pass *world);
	/* All its work is done. True: it goes on holding what it has, until sl_model_finish. */
	bool (*ends)(void *state, struct sl_pass *world, sl_job job);
	/* It fails now: of so much work in this attempt (us), what is kept? The most of all models counts. */
	sl_time (*kept)(void *state, struct sl_pass *world, sl_job job, sl_time work);
	/* Carries transfers out, for whichever model asks; the first in sl_models[] that has it does. */
	void (*transfer)(void *state, struct sl_pass *world, const struct sl_transfer *transfer);
	/* One that this model asked for is over. */
	void (*transferred)(void *state, struct sl_pass *world, const struct sl_transfer *transfer);
	/* At which rate would it run there, beside what runs now? Nothing changes by the question. */
	uint64_t (*predict)(
		void *state, struct sl_pass *world, sl_job job, const struct sl_piece *piece, size_t count);
	/* A node went down, or came up: by whichever model. */
	void (*node)(void *state, struct sl_pass *world, uint32_t node, bool up);
	/* The run is over: metrics, columns of jobs, tables. */
	int (*tell)(void *state, struct sl_pass *world, struct sl_tally *tally, struct sl_err *err);
	/* Work is counted by what this model says of a job's size: the engine's own proportion does not
	 * count.
	 */
	bool sizes;
	/* A job that it was told of works at another rate from now on, through whichever model: it may set a
	 * wake, no more. */
	void (*rated)(void *state, struct sl_pass *world, sl_job job);
	/* It looks at nodes where there are any: nodes of one cpu are not counted as a pool. */
	bool nodes_if_any;
	/* The number of the leaf switch that a node hangs on, one for all nodes of a leaf: for placings. */
	uint32_t (*leaf)(void *state, uint32_t node);
};
SL_API extern const struct sl_model *const sl_models[]; /* Closed by NULL. */

/* For models, in any of their functions but init, kept and predict; each knows whose call it is. */
SL_API void sl_model_wake(struct sl_pass *world, sl_time at, uint32_t row); /* row < 2^28 */
/* How fast a running job works, as far as this model goes: 0 holds it. SL_RATE_ONE at each start, and as it
 * is resumed; another size leaves it. At most SL_RATE_MAX, as is the product. */
SL_API void sl_model_rate(struct sl_pass *world, sl_job job, uint64_t rate);
SL_API uint64_t sl_rate_of(const struct sl_pass *world, sl_job job); /* Of all models together. */
/* Of all models but the asking one, and of one that counts by size only whether it holds the job: how much of
 * its time it works, at most SL_RATE_ONE. */
SL_API uint64_t sl_model_works(const struct sl_pass *world, sl_job job);
SL_API void sl_model_finish(struct sl_pass *world, sl_job job); /* After `ends`. */
/* Work of this attempt, to the microsecond, rounded down; and kept from those before. */
SL_API sl_time sl_done_of(const struct sl_pass *world, sl_job job);
SL_API sl_time sl_kept_of(const struct sl_pass *world, sl_job job);
/* When its work of this attempt comes to so much, at its rate and size of now: SL_NEVER while it is held, or
 * does not run. A rate that is set at this instant is in force, and `rated` told, once all are settled. */
SL_API sl_time sl_reaches(const struct sl_pass *world, sl_job job, sl_time work);
/* Jobs on it fail (sl_model_fail, NODE_FAIL, requeued if they may be), nothing starts there until it is up.
 * expected: when the operator expects it back, for plans; SL_NEVER: nobody knows. Counted: taken down
 * twice it has to come up twice. */
SL_API void sl_model_node_down(struct sl_pass *world, uint32_t node, sl_time expected);
SL_API void sl_model_node_up(struct sl_pass *world, uint32_t node);
/* Nothing new starts there (true), what runs goes on. Counted likewise. */
SL_API void sl_model_node_drain(struct sl_pass *world, uint32_t node, bool drain);
/* How soon a node could work; all are at SL_READY at first. Each can be had nevertheless: what the wait costs
 * is the model's to say. by_this: nodes go by it before the placing's score, the least first. */
enum sl_ready { SL_READY, SL_READY_BOOTS, SL_READY_OFF, SL_READY_GOES_OFF };
SL_API void sl_model_node_ready(struct sl_pass *world, uint32_t node, enum sl_ready ready, bool by_this);
SL_API enum sl_ready sl_node_ready(const struct sl_pass *world, uint32_t node);
SL_API bool sl_node_is_up(const struct sl_pass *world, uint32_t node);
/* It holds something there, running or suspended. */
SL_API bool sl_holds_on(const struct sl_pass *world, sl_job job, uint32_t node);
SL_API bool sl_node_is_drained(const struct sl_pass *world, uint32_t node);
/* A running job ends now in that state; again: it goes back into the queue if it may (a limit on attempts is
 * the caller's), with the work that models keep. */
SL_API void sl_model_fail(struct sl_pass *world, sl_job job, enum sl_state as, bool again);
/* One that has just failed and waits is not considered before then (BeginTime). Not with SL_USE_CONTROL: the
 * policy has delays of its own. */
SL_API void sl_model_hold_until(struct sl_pass *world, sl_job job, sl_time at);
/* A waiting or running job is cancelled. */
SL_API void sl_model_cancel(struct sl_pass *world, sl_job job);
/* False: no model carries transfers. Else `transferred` is called, at another instant or this one. */
SL_API bool sl_model_transfer(struct sl_pass *world, const struct sl_transfer *transfer);
/* For the model that carries transfers: this one, as it was handed over, is through. */
SL_API void sl_model_transferred(struct sl_pass *world, const struct sl_transfer *transfer);
/* What all models predict together; for placings of policies too. SL_RATE_ONE without models. */
SL_API uint64_t sl_predict(struct sl_pass *world, sl_job job, const struct sl_piece *piece, size_t count);
/* The leaf of a node, as the first model says that knows; UINT32_MAX: none does. Not before all are made. */
SL_API uint32_t sl_leaf_of(const struct sl_pass *world, uint32_t node);
/* Policies are to look again, at this instant: what they are shown has changed for the better. */
SL_API void sl_model_pass(struct sl_pass *world);
/* A figure that all may see, policies too ("price", "carbon", "power"), in millionths, by name. SL_NONE:
 * there is none. */
SL_API void sl_model_show(struct sl_pass *world, const char *name, int64_t value);
SL_API int64_t sl_shown_of(const struct sl_pass *world, const char *name);

/* What a model tells as the run is over. Texts are lent for the run, columns by job row; millionths;
 * SL_NONE: an empty field. */
SL_API int sl_tell_metric(struct sl_tally *tally, const char *name, int64_t micro, struct sl_err *err);
SL_API int sl_tell_job_column(
	struct sl_tally *tally, const char *name, const int64_t *micro, struct sl_err *err);
/* A file NAME.csv in the run's directory: rows of cells, each a text, or (NULL) a number in millionths. */
struct sl_cell {
	const char *text;
	int64_t micro;
};
SL_API int sl_tell_table(struct sl_tally *tally, const char *name, const char *const *column,
	uint32_t columns, const struct sl_cell *cell, size_t rows, struct sl_err *err);

/* What was told, in the order of telling. */
struct sl_told_column {
	const char *name;
	const int64_t *micro;
};
struct sl_told_table {
	const char *name;
	const char *const *column;
	uint32_t columns;
	const struct sl_cell *cell;
	size_t rows;
};

/* ---- Results -------------------------------------------------------------------- */

/* What was done to a job, or planned for it; of one pass, in the order of its commands, then those plans that
 * are other than before. A start ends a plan, without a word. Where a job ends by itself, or is cancelled by
 * its user, nobody decided. */
enum sl_did { SL_DID_START, SL_DID_PREEMPT, SL_DID_RESUME, SL_DID_RESIZE, SL_DID_END, SL_DID_PLAN };
struct sl_decision {
	sl_time at;
	uint32_t job, whose; /* whose: of sl_by, or UINT32_MAX. */
	uint8_t did;         /* enum sl_did */
	uint8_t rule;        /* enum sl_rule */
	uint8_t how;         /* Of a preemption: enum sl_preempt; of an end: enum sl_state. */
	sl_time start;       /* SL_DID_PLAN: the planned start, SL_NONE: none any more. */
};

/* One change of a job's reason; those of one job are in time order. */
struct sl_reason_change {
	sl_time at;
	uint32_t job;
	uint32_t detail : 24;
	uint32_t reason : 8; /* enum sl_reason */
};

/* What holds from `at` until the next point. */
struct sl_usage_point {
	sl_time at;
	int64_t cpus_busy;
	int64_t cpus_queued; /* Asked for by the waiting jobs. */
	uint32_t running, queued;
	int64_t gpus_busy, gpus_queued, mem_busy; /* On nodes. */
	uint32_t nodes_busy;                      /* With anything running. */
	uint32_t suspended;                       /* Jobs. */
};

/* What a gauge showed from `at` on. */
struct sl_gauge_point {
	sl_time at;
	int64_t value;
};

/* A gauge's course over a run, from its first event on; one point at a time at most. */
struct sl_gauge_course {
	const struct sl_gauge *gauge;
	const struct sl_gauge_point *point;
	size_t count;
};

/* A stretch of a job that had several: from a start to an end, a preemption, or the end of the run. */
struct sl_attempt {
	uint32_t job;
	uint32_t state; /* enum sl_state: how it ended; PREEMPTED: requeued or checkpointed. */
	sl_time start, end;
	sl_time suspended; /* Of end - start. */
	sl_time lost;      /* Work that was not kept. */
	sl_time overhead;  /* In which it loaded a checkpoint (replay.restart): held, and no work. */
	/* On nodes, if recorded: where it began, `places` pieces of result.place from `place` on, and the
	 * largest that it held. 0: nowhere, as it lasted no time. */
	size_t place;
	uint32_t places;
	int64_t cpus, gpus;
};

/* A metric as documents show it. */
struct sl_named {
	const char *name; /* As in metrics.json. */
	int64_t micro;
};

/* A finished (or interrupted) run, lent to metrics and writers. Sums that need the run's course are
 * integrated in the engine; everything else is derived from the columns. */
struct sl_result {
	const struct sl_jobs *jobs;
	const sl_time *start; /* SL_NONE: never. */
	const sl_time *end;
	const uint8_t *state;                   /* enum sl_state */
	int64_t cpus;                           /* Of the cluster. */
	const struct sl_reason_change *reasons; /* Sorted by (job, at); empty unless recorded. */
	size_t reason_count;
	enum sl_reason reason_default; /* From submit to the first change. */
	const struct sl_usage_point *usage;
	size_t usage_count;
	/* Integrals over the run, in cpu-microseconds: idle while some waiting job would have fit in what was
	 * idle (loss of capacity), and min(idle, queued). */
	unsigned __int128 idle_fitting, idle_wanted;
	sl_time first, last; /* First submit (or replay.from, if jobs ran or waited then), last end (or where
			      * it was interrupted or stopped). */
	uint64_t digest;
	const uint64_t *digests; /* After every 2^16 events. */
	size_t digest_count;
	uint64_t events, passes;
	bool interrupted;
	sl_time warmup; /* replay.warmup, or SL_NONE: by MSER-5. */
	const char *policy;
	const struct sl_cluster *cluster;
	/* By job, the largest held; NULL on a counted pool: size cpus on size nodes. */
	const int32_t *nodes_held;
	const int64_t *cpus_held, *gpus_held;
	/* Sorted by (job, start); jobs of one attempt are not among them. Suspended time of those in
	 * `suspended`, NULL: no job was. */
	const struct sl_attempt *attempts;
	size_t attempt_count;
	const sl_time *suspended;
	/* Busy, integrated over the run by kind: unit-microseconds. NULL on a counted pool: from the columns.
	 */
	const unsigned __int128 *busy;
	/* On nodes, if recorded: where each job started last, place_count[job] pieces from place_first[job]
	 * on. */
	const struct sl_piece *place;
	const size_t *place_first;
	const uint32_t *place_count;
	bool stopped;   /* On request, at `last`: jobs may still wait or run. */
	uint32_t unfit; /* Jobs that ran when the replay began, by the log, but did not fit: they waited. */
	const sl_time *eligible; /* Since when it could be considered; SL_NONE: never. NULL: of all, since
				  * their submission. */
	int64_t epoch;           /* Seconds since 1970 of time 0; 0: not known. */
	int64_t utc_offset;      /* Seconds that the log's clock is ahead of that. */
	uint32_t refused;        /* Jobs that a placer refused, cancelled as they were submitted; */
	uint32_t refused_first;  /* the first of them, */
	const char *refused_why; /* and why. */
	const struct sl_gauge_course *gauge; /* Those that were followed. */
	uint32_t gauge_count;
	bool calibrate;                     /* To be compared with what the log records. */
	const struct sl_decision *decision; /* In order of time; empty unless recorded. */
	size_t decision_count;
	/* Of models. */
	const struct sl_named *told_metric;
	size_t told_metric_count;
	const struct sl_told_column *told_column;
	size_t told_column_count;
	const struct sl_told_table *told_table;
	size_t told_table_count;
	const struct sl_node_change *node_change; /* In order of time. */
	size_t node_change_count;
	const uint64_t *rate_mean; /* By job: work done over time held; NULL: no model was on. */
	/* Free on nodes that were down or drained, by kind, integrated from `first` to `last`: what is
	 * available is the whole less this. NULL: no model was on, or on a counted pool. */
	const unsigned __int128 *missing;
	/* jobs->submit is of this run (replay.feedback): rows are not in its order. */
	bool moved;
	const char *const *remark; /* Of its policies, as they began (sl_remark). */
	uint32_t remark_count;
	/* By job, where reasons are recorded: what keeps it as the run is over (1 + enum sl_reason), 0: it
	 * does not wait then. NULL: nobody does, or the run did not come to its end. */
	const uint8_t *left;
	uint32_t never, never_first; /* Jobs that wait for what the cluster, as it is, cannot give; the first
					of them. */
	const char *const
		*refusal; /* By job: why it was refused (NULL: it was not), with decisions; else NULL. */
	/* As idle_fitting and idle_wanted, of GPUs, and of memory where all nodes name theirs (in
	 * MiB-microseconds), for waiting jobs that ask for some. */
	unsigned __int128 gpus_fitting, gpus_wanted, mem_fitting, mem_wanted;
	enum sl_reason never_why; /* Of all of them; SL_REASON_NONE: of some another than of others. */
};

/* A node went down (or was drained), or came up. */
struct sl_node_change {
	sl_time at;
	uint32_t node;
	bool up, drain;
};

/* A job's attempts, if it had several: how many, and the first. Else 0. */
SL_API size_t sl_attempts_of(const struct sl_result *result, uint32_t job, const struct sl_attempt **attempt);
/* Where an attempt was (NULL: the job's last start), and the largest held there; count 0: not recorded, or it
 * lasted no time. */
struct sl_placed {
	const struct sl_piece *piece;
	uint32_t count;
	int64_t cpus, gpus;
};
SL_API struct sl_placed sl_placed_of(
	const struct sl_result *result, uint32_t job, const struct sl_attempt *attempt);
/* The stretches in which it waited, from 0 on: from its submission to its first start (its end, or that of
 * the run), and from an attempt's end to the next one's start. False: there are no further ones. */
SL_API bool sl_wait_span(
	const struct sl_result *result, uint32_t job, size_t index, sl_time *from, sl_time *until);
SL_API sl_time sl_wait_total_of(const struct sl_result *result, uint32_t job);
/* What its waiting is charged to, with SIM_RECORD_REASONS: stretches in order of time, which fill those of
 * sl_wait_span without gap or overlap, so that they add up to sl_wait_total_of. Two that touch are of
 * different reasons, unless it ran between them for no time at all. None is empty, but for the last of a job
 * that still waits as the run is over: where it waited for no time, or what keeps it then is not what kept it
 * before. */
struct sl_charge {
	sl_time from, until;
	enum sl_reason reason;
	uint32_t detail;
};
/* What it was charged to last; of a job that waits as the run is over, what keeps it then. */
SL_API enum sl_reason sl_reason_last(const struct sl_result *result, uint32_t job);
/* Where one is with a job's charges; its members are sl_charge_next's. */
struct sl_charging {
	const struct sl_result *result;
	uint32_t job;
	bool inside;         /* A stretch of waiting; */
	bool said, over;     /* Some has been told; all. */
	size_t span, change; /* the next one; the next change of reason. */
	struct sl_charge now;
};
SL_API struct sl_charging sl_charges_of(const struct sl_result *result, uint32_t job);
/* False: there are no more. */
SL_API bool sl_charge_next(struct sl_charging *charging, struct sl_charge *charge);
/* Its state, to be told: of a job that ran to its end, as the log says that it ended (FAILED, CANCELLED,
 * TIMEOUT...), where it says. */
SL_API enum sl_state sl_state_told(const struct sl_result *result, uint32_t job);
/* How long it held what it asked for, over all attempts, less the time it was suspended. */
SL_API sl_time sl_run_time_of(const struct sl_result *result, uint32_t job);
SL_API sl_time sl_suspended_of(const struct sl_result *result, uint32_t job);
/* The most cpus and GPUs it held; of one that never started, what it asks. */
SL_API int64_t sl_cpus_of(const struct sl_result *result, uint32_t job);
SL_API int64_t sl_gpus_of(const struct sl_result *result, uint32_t job);

/* Flat, named numbers, in millionths: "wait.mean", "wait.p95{size=1}". */
struct sl_metrics;
SL_API void sl_metric_put(struct sl_metrics *metrics, const char *name, int64_t value_micro);

struct sl_metric {
	struct sl_abi abi;
	const char *name;    /* Of the family: "wait" */
	const char *summary; /* Names, units, formula, in one paragraph, for the man page. */
	const char *paper;
	int (*compute)(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err);
};

/* A file of a run's directory. */
struct sl_report {
	struct sl_abi abi;
	const char *name; /* "jobs.csv" */
	const char *summary;
	int (*write)(const struct sl_result *result, struct sl_out *out, struct sl_err *err);
	/* Whether there is anything to write; NULL: always. */
	bool (*wanted)(const struct sl_result *result);
	bool on_request;      /* Written only where it is asked for (--only), */
	const char *asked_as; /* by this name; NULL: by its own without its end. */
};

/* ---- Documents: files about one run or several, side by side -------------------------------------- */

struct sl_fact {
	const char *key, *value;
};

/* One run, told to a document; lent for the call. */
struct sl_told {
	const char *label;  /* Tells it from the others: the policy as it was named, "easy on small.yaml". */
	const char *folder; /* Where its files are beside the document ("2-easy"); NULL: nowhere. */
	const struct sl_result *result; /* With usage, reasons and places recorded. */
	const struct sl_fact *fact; /* What it was made from: "trace", "trace_sha256", "cluster", "policy",
				     * "seed", "digest", "version", "policy.fill", "replay.overrun", ... */
	size_t fact_count;
	const char *const *warning; /* Sentences on what was repaired, dropped, approximated, left out. */
	size_t warning_count;
	const struct sl_named *metric; /* In the order of metrics.json. */
	size_t metric_count;
	bool partial; /* Interrupted, or stopped: it covers another span than a whole one. */
};

/* What each of `count` accounts, users or partitions (by: "account"...) is entitled to, of the whole, where
 * somebody said: the shares of the cluster's accounts, the quotas or weights of the policy; negative: nobody
 * did. Returns the sentence that says who said, ""; NULL: no memory. */
SL_API const char *sl_entitled(
	const struct sl_told *told, const char *by, const char *const *name, uint32_t count, double *share);

/* A metric's difference to the first run's, with its interval; in the metric's unit, millionths. */
struct sl_difference {
	const char *metric;
	uint32_t run;                /* Of the runs told, from 1 on. */
	int64_t estimate, low, high; /* low > high: no interval, and `method` says why. */
	uint32_t samples;            /* Of what it is computed from: batches, seeds, weeks. */
	const char *method;          /* "paired t over 20 batches of jobs", one clause. */
};

/* A metric as tables show it. */
struct sl_shown {
	const char *name, *heading, *title; /* "wait.mean", "mean wait", what it is in a few words. */
	const char *unit;                   /* "s", "share", "count", "number", "per hour" */
	int better;                         /* Of the sign that is better; 0: neither. */
};

/* How sure that difference is. Effective: so many independent differences of equal size would tell as much;
 * below six there is neither interval nor verdict. */
struct sl_certainty {
	bool known;                    /* Of metrics that are told by blocks. */
	uint32_t blocks, differing;    /* Batches, weeks, logs; those of which anything differs. */
	int64_t effective;             /* Millionths. */
	int64_t ratio_low, ratio_high; /* Of the change as a share of the first's value, millionths, from -1
					* on; low > high: no interval. */
	uint8_t covers, ratio_covers;  /* Of a hundred logs in how many the interval holds what many logs
					* have together, at least, as measured; 0: no interval, or
					* nobody measured it. */
	int8_t sure;                   /* -1, 1: it is less, more; 0: it cannot be told, or must not be. */
	bool tested, exact;            /* p: Wilcoxon's signed ranks; by counting all signs. */
	double p;
};

/* A run's metric as it is compared: over the jobs that ran in all runs, where others differ. */
struct sl_restated {
	const char *metric;
	uint32_t run;
	int64_t micro;
};

struct sl_compared {
	const char *title;
	const struct sl_shown *shown;
	size_t shown_count;
	const struct sl_difference *difference;
	size_t difference_count;
	const struct sl_certainty *certainty; /* By difference; NULL: nothing is known of any. */
	const struct sl_restated *restated;   /* In place of what runs were told with. */
	size_t restated_count;
	const char
		*apart; /* Other jobs ran in some runs: the sentence, and no run is better; NULL: the same. */
};

struct sl_document_options {
	uint64_t jobs_max;      /* Jobs told one by one, over all runs; the others are in sums alone. */
	const char *chart;      /* Which chart, of a document that is one; NULL: its default. */
	uint32_t width, height; /* In pixels, of one that is a picture; 0: its default. */
	uint32_t runs;          /* How many will be told; 0: not known. */
};

/* open, add for each run as it is over (nothing of it is kept), write, close. Same runs, same bytes. */
struct sl_document {
	struct sl_abi abi;
	const char *name; /* "html": --format */
	const char *summary;
	const char *file;          /* "report.html": its name where nobody gives one. */
	const char *const *charts; /* What options.chart may be, closed by NULL; NULL: it is not one. */
	bool binary;               /* Not for a terminal. */
	int (*open)(void **self, const struct sl_document_options *options, struct sl_err *err);
	int (*add)(void *self, const struct sl_told *told, struct sl_err *err);
	int (*write)(void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err);
	void (*close)(void *self);
};

/* ---- Registries, one an array closed by NULL, in each plug-in folder ------------------ */

SL_API extern const struct sl_policy *const sl_policies[];
SL_API extern const struct sl_preset sl_presets[]; /* Closed by a NULL name. */
SL_API extern const struct sl_placing *const sl_placings[];
SL_API extern const struct sl_gauge *const sl_gauges[];
SL_API extern const struct sl_placer *const sl_placers[];
SL_API extern const struct sl_reader *const sl_readers[];
SL_API extern const struct sl_writer *const sl_writers[];
SL_API extern const struct sl_generator *const sl_generators[];
SL_API extern const struct sl_metric *const sl_metric_list[];
SL_API extern const struct sl_report *const sl_reports[];
SL_API extern const struct sl_document *const sl_documents[];
SL_API extern const struct sl_cluster_reader *const sl_cluster_readers[];
SL_API extern const struct sl_scripting *const sl_scriptings[];

/* ---- Plug-ins from outside ------------------------------------------------------------- */

/* A .so exports one symbol, `sl_plugin`, of this type. Arrays as above, closed by NULL; NULL: none. */
struct sl_plugin {
	struct sl_abi abi;
	const char *name;
	const struct sl_policy *const *policies; /* The first is what `-p path.so` means. */
	const struct sl_reader *const *readers;
	const struct sl_generator *const *generators;
	const struct sl_metric *const *metrics;
	const struct sl_cluster_reader *const *cluster_readers;
	const struct sl_model *const *models;
};

/* ---- Node types that are known by name --------------------------------------------------- */

/* A node as it is sold, for cluster files: "type: dgx-a100". */
struct sl_node_model {
	struct sl_abi abi;
	const char *name;                 /* "dgx-a100" */
	const char *summary;              /* One line, with its NICs. */
	const char *source;               /* Of the figures, and which of them are assumed. */
	const struct sl_nodes_spec *node; /* One node, without a name. */
};

SL_API extern const struct sl_node_model *const sl_node_models[]; /* Closed by NULL. */
SL_API extern const struct sl_mig_model *const sl_mig_models[];   /* Closed by NULL. */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_parts.h - what the parts of the node selection share: the nodes as
 * they are built and used, a request made of what a job wrote, and what of a
 * node is usable for a request.
 */
#ifndef POLICIES_SLURM_SELECT_PARTS_H
#define POLICIES_SLURM_SELECT_PARTS_H

#include "policies/slurm/select/select.h"

#include <string.h>

enum {
	SEL_WORDS = SL_CORES_MAX / 64,
	SEL_SOCKETS = 16,             /* Of one node. */
	SEL_GRES = SELECT_GRES_KINDS, /* Names of gres, and requests of one job. */
	SEL_GROUPS = 16,              /* Of devices that differ, on one node. */
	SEL_DEVICES = 64,             /* Of one name, on one node. */
	SEL_FEATURES = 64,            /* In one constraint. */
	SEL_TYPES = 64,               /* Of gres, in all. */
};

/* Releases whose rules differ from those of the one before (numbered as the controller numbers them). */
enum sel_version {
	SEL_22_05 = 2205,
	SEL_23_02 = 2302,
	SEL_23_11 = 2311,
	SEL_24_05 = 2405,
	SEL_24_11 = 2411,
	SEL_25_05 = 2505,
	SEL_25_11 = 2511,
	SEL_26_05 = 2605
};

#define SEL_INFINITE INT64_C(1000000000)

static inline bool bit_test(const uint64_t *set, uint32_t i) { return set[i / 64] >> (i % 64) & 1; }
static inline void bit_set(uint64_t *set, uint32_t i) { set[i / 64] |= UINT64_C(1) << (i % 64); }
static inline void bit_clear(uint64_t *set, uint32_t i) { set[i / 64] &= ~(UINT64_C(1) << (i % 64)); }
static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t bits_of(uint64_t word) { return select_popcount(word); }
/* Bits from..until-1. */
int64_t bit_count_range(const uint64_t *set, uint32_t from, uint32_t until);
void bit_clear_range(uint64_t *set, uint32_t from, uint32_t until);
bool bits_within(const uint64_t *inner, const uint64_t *outer, size_t words);
int64_t bits_count(const uint64_t *set, size_t words);
/* The last of bits from..until-1; UINT32_MAX: none. */
uint32_t bits_last(const uint64_t *set, uint32_t from, uint32_t until);
/* The first at or after `from`; UINT32_MAX: none. */
uint32_t bits_next(const uint64_t *set, size_t words, uint32_t from);

/* Devices, or units, of a name that differ in nothing. */
struct sel_group {
	uint32_t name, type; /* type: UINT32_MAX: of none. */
	int64_t count;
	uint64_t devices; /* 0: units. */
	uint64_t sockets; /* The local ones. */
	bool adjacent_all, no_consume;
};

/* How nodes of one type are built. */
struct sel_shape {
	uint32_t sockets, cores, threads; /* Cores of a socket, cpus of a core. */
	uint32_t core_count, words;
	int64_t cpus, mem, weight, tmp;
	const char *const *feature;
	uint32_t feature_count, group_count;
	struct sel_group group[SEL_GROUPS];
	int64_t gres_count[SEL_GRES];    /* By name. */
	uint32_t device_count[SEL_GRES]; /* 0: units. */
	bool device_types[SEL_GRES];     /* Some of them have a type. */
	bool shared[SEL_GRES];           /* Units of GPUs: mps, shard. */
	uint64_t *typed;                 /* Its devices by name and, of SEL_TYPES, type. */
	uint64_t spec[SEL_WORDS];        /* Cores not for jobs. */
};

struct sel_node {
	uint32_t shape, core_at; /* Its words of used cores. */
	uint32_t rank;
	uint32_t reserved, one_row; /* Allocations that want it for themselves, or for their partition. */
	uint32_t jobs;
	bool twice; /* Two of them have had a core in common. */
	int64_t mem_used;
	struct select_node_alloc *first;
	uint64_t changed; /* When, by select.change. */
	uint64_t devices_used[SEL_GRES];
	int64_t gres_used[SEL_GRES];
};

/* Rows as they are once jobs have left them, one after another, under a mark: those who ask in a pass mostly
 * take the same ones away. A state is what is left of the one before without one more allocation; at 0
 * nothing has been undone or can be. */
struct sel_row_states {
	struct sel_row_state {
		const struct select_alloc *gone; /* From the state before, */
		uint32_t next, first;            /* which may be without others instead; states behind it. */
		uint32_t from, until;            /* Of row: where the others are. */
	} * state;
	struct sel_row {
		struct select_alloc *alloc;
		uint64_t start; /* Its first core, by which they are put into rows. */
		uint64_t mask;  /* All of its cores, if they are in the word of the first; else 0. */
		uint32_t row;
		uint32_t to; /* Scratch. */
	} * row;             /* Of a state in that order. */
	uint32_t count, capacity, row_count, row_capacity;
	uint32_t at; /* The present one; SEL_NO_STATE: none of these. */
	bool stale;  /* The allocations do not have its rows yet (sel_rows_look). */
};
#define SEL_NO_STATE UINT32_MAX

struct sel_partition {
	uint64_t *nodes;
	int64_t cpus_per_node_max, nodes_max;
	int64_t cpus_per_socket_max; /* MaxCPUsPerSocket, of 23.02; SL_NONE: not set. */
	int64_t tier, rows;          /* rows: without that of select.qos_row. */
	uint32_t topology;           /* Of select.topology, from 25.05 on. */
	uint32_t rank;               /* Among select.by_tier. */
	int64_t *row_cores;          /* Scratch of select_rows.c, by row. */
	uint32_t *row_at, *row_place;
	uint64_t *row_met;
	struct sel_row_states row_states;
	bool force, shares, exclusive, exclusive_user, exclusive_topo, least_loaded, preempt_off;
	bool by_socket, by_core, by_mem; /* Its SelectTypeParameters. */
	struct select_alloc *first;      /* In force. */
};

/* How tasks are laid over sockets. */
enum sel_layout { SEL_LAYOUT_DEFAULT, SEL_LAYOUT_BLOCK, SEL_LAYOUT_CYCLIC };

struct sel_gres_request {
	uint32_t name, type;
	int64_t per_job, per_node, per_socket, per_task;
	int64_t cpus_per, mem_per, tasks_per;
	int64_t cpus_default, mem_default;
};

enum sel_join { SEL_AND, SEL_OR, SEL_XOR, SEL_XAND };
struct sel_feature {
	const char *name;
	size_t len;
	int64_t count;
	enum sel_join join; /* With the next. */
	uint32_t paren;
};

/* A job's request in the selection's terms, after sbatch's and slurmctld's defaults. */
struct sel_request {
	struct sl_job_desc desc; /* The key, with: */
	uint32_t partition;
	const char *never; /* Not NULL: refused at once. */
	int64_t nodes_min, nodes_max, nodes_want;
	int64_t tasks;                                                           /* 0: not set. */
	int64_t cpus_per_task, tasks_per_node, tasks_per_socket, tasks_per_core; /* 0: not set. */
	int64_t sockets_per_node, cores_per_socket, threads_per_core;            /* 0: not set. */
	int64_t cpus_min;                                                        /* Of the job. */
	int64_t node_cpus_min;                                                   /* Of each node. */
	int64_t node_cpus_asked;
	int64_t mem;
	bool mem_per_cpu, mem_said;
	bool mem_over; /* Beyond MaxMemPerNode. */
	uint8_t whole;
	int8_t share;    /* 1: --oversubscribe; 0: none; -1: not set. */
	bool whole_topo; /* Nobody else is in the blocks that it is in. */
	bool overcommit, contiguous, spread, enforce_binding, cpus_per_task_said, plane;
	int64_t plane_size, switches;
	sl_time switches_wait;
	enum sel_layout layout;
	struct sel_gres_request gres[SEL_GRES];
	uint32_t gres_count;
	int64_t gres_node_cpus, gres_job_cpus; /* What cpus-per-gpu makes the least. */
	struct sel_feature feature[SEL_FEATURES];
	uint32_t feature_count;
	uint64_t *candidates; /* Of the partition: built large enough, not excluded, with the features. */
	uint64_t *required;   /* NULL: none. */
	int32_t ever;         /* -1: not yet tried; else enum select_answer of SELECT_EVER. */
	const char *ever_why;
	struct sel_index *index[2];
	struct sel_later *later;
	uint64_t *could_nodes; /* Of the last select_could, under these settings; NULL: none yet. */
	uint64_t could_settings;
	bool could;
	int8_t ones; /* select_ones.c: 1: it takes one cpu of a node; -1: not; 0: not yet known. */
	/* Of the last select_place beside what runs that was decided by the indices. */
	uint64_t *placed_nodes; /* On these, */
	uint64_t placed_change, placed_settings;
	enum select_answer placed;
	struct select_alloc *placed_at; /* NULL: nowhere. */
};

/* What a node has of one requested gres for this job. */
struct sel_sock {
	int64_t total, total_before, any, node_max;
	uint64_t any_bits;
	int64_t by_socket[SEL_SOCKETS];
	uint64_t by_socket_bits[SEL_SOCKETS];
	bool sockets_known; /* by_socket counts. */
	bool topology;      /* Devices are picked one by one. */
};

/* What of a node is usable for a request. */
struct sel_avail {
	bool usable; /* False: nothing else is set. */
	int64_t cpus, cpus_max, gpus, gres_cores, resources;
	int64_t tasks_most; /* Of which it has cores and devices. */
	uint64_t weight;
};

enum sel_topology_kind { SEL_FLAT, SEL_TREE, SEL_BLOCK, SEL_RING };

/* One topology: of its switches, blocks or rings. */
struct sel_topology {
	const char *name; /* Of topology.yaml; NULL: the cluster's. */
	enum sel_topology_kind kind;
	uint32_t count; /* Of sw. */
	const struct sl_switch *sw;
	uint64_t **nodes;      /* By switch: those below it, and a set of them for a selection. */
	int64_t *distance;     /* Between two switches; SEL_INFINITE: not joined. */
	int64_t block_base;    /* Of blocks: nodes of a base block. */
	uint32_t block_levels; /* Bit i: 2^i of them are joined. */
};

struct select {
	const struct sl_cluster *cluster;
	struct sl_arena *arena;
	uint32_t node_count, shape_count, partition_count, gres_name_count, type_count;
	size_t words;
	struct sel_shape *shape;
	struct sel_node *node;
	struct sel_partition *partition;
	uint32_t *by_tier;           /* Partitions, the highest tier first. */
	uint64_t *idle;              /* Nodes without jobs. */
	uint64_t *used;              /* Cores in use by anyone, by node. */
	int64_t cpus, threads_least; /* Of all nodes; of a core of any. */
	size_t core_words;
	const char *gres_name[SEL_GRES];
	uint32_t gpu, *by_name; /* gpu: among the names; by_name: nodes, sorted. */
	const char *type_name[SEL_TYPES];
	int version; /* Of slurmctld: enum sel_version. */
	/* Settings. */
	bool linear, cr_mem, cr_core, cr_socket, cr_lln, one_task_per_core, block_cores;
	bool pack_serial, busy_nodes, gang, preempt_by_partition, preempt_by_qos, topo_optional;
	bool spread_shares; /* LL_SHARED_GRES, of 23.02. */
	bool any_shares;    /* Some partition has several rows. */
	bool qos_row;       /* Each partition has a row more, for jobs that suspend others by their QOS. */
	int64_t window_linear;
	int64_t kill_wait;
	/* Requests met. */
	struct sel_request **request;
	uint32_t request_count, request_capacity;
	struct sl_map request_map;
	struct sel_request *request_met[64]; /* Last, by where the description is. */
	/* Scratch of a node selection. */
	struct sel_avail *avail;
	uint64_t *map;      /* Cores usable, by node; */
	uint64_t *map_copy; /* before the first try. */
	struct sel_sock *sock;
	size_t sock_capacity;
	int64_t *usable; /* cpus by node */
	struct sel_run *run;
	uint64_t *set[9];    /* Of nodes. */
	int64_t *share_used; /* Units of shared gres used, by node and device. NULL: none has any. */
	struct select_alloc *out;
	size_t out_size;
	struct select_alloc *made; /* By select_make, until the next. */
	const char *why;
	bool plain;
	const uint64_t *kept; /* Cores that are not for who asks; NULL: none. The indices rest meanwhile. */
	bool kept_plain;      /* What plain was before. */
	const struct select_kept_gres *kept_gres;
	uint32_t kept_gres_count;
	uint64_t settings;                     /* Counts changes of ranks and of what partitions allow. */
	uint64_t change;                       /* Counts changes of nodes... */
	uint32_t *change_log, change_capacity; /* ...of which the last change_capacity are here... */
	uint64_t *change_was;                  /* ...with the node's change before; */
	uint64_t change_least;                 /* none before this one is. */
	uint64_t change_stays;                 /* After the last change that is not undone. */
	uint64_t change_marked;                /* At the outermost mark. */
	/* The journal. */
	struct sel_action {
		struct select_alloc *alloc;
		uint8_t kind;
		uint32_t rows_from;  /* Of row_log: in which rows all of the partition were. */
		uint32_t rows_state; /* And its row_states.at. */
	} * action;
	uint32_t action_count, action_capacity, marks;
	struct sel_row *row_log;
	struct sel_row *row_scratch;
	uint32_t rows_stale;    /* Partitions of which allocations do not have their rows. */
	uint64_t rows_met;      /* Counts searches for a row. */
	uint64_t *row_used;     /* Scratch: cores by row, while all of a partition are put into rows; */
	uint32_t row_used_rows; /* of so many. */
	uint32_t row_log_count, row_log_capacity, row_scratch_capacity;
	struct select_alloc *free_list[48];
	struct sel_index **indices;
	uint32_t index_count;
	uint64_t index_clock;
	uint64_t listed;                /* Allocations in force with an end; */
	uint64_t listing, listing_seen; /* lists of ends met; the outlook's number of the last. */
	struct sel_later **laters;      /* select_later.c */
	uint32_t later_count;
	struct sel_aside *aside; /* Its nodes as they will be. */
	uint32_t *order;         /* In which they were chosen. */
	uint32_t aside_capacity;
	uint32_t whole_holds;   /* Allocations of whole nodes in force. */
	uint32_t topo_holds;    /* Allocations in force that have their blocks to themselves. */
	uint32_t user_holds;    /* Allocations of --exclusive=user in force. */
	uint32_t stopped_holds; /* Allocations in force that are suspended. */
	uint32_t ranked;        /* Nodes of a rank but 0. */
	bool ones;              /* All nodes are alike, of one cpu: select_ones.c. */
	struct sel_stretch *stretch;
	struct sel_ends *ends;
	bool gres_adjacent;            /* Some devices are local to some sockets only. */
	struct sel_topology *topology; /* The first is the cluster's; of topology.yaml all follow. */
	uint32_t topology_count;
};

static inline const struct sel_shape *shape_of(const struct select *s, uint32_t node)
{
	return &s->shape[s->node[node].shape];
}
/* Until 25.05 there is one for all partitions. */
static inline const struct sel_topology *sel_topology_of(const struct select *s, uint32_t partition)
{
	return &s->topology[s->version >= SEL_25_05 ? s->partition[partition].topology : 0];
}
static inline uint64_t *map_of(struct select *s, uint32_t node) { return s->map + s->node[node].core_at; }
static inline struct sel_sock *sock_of(
	const struct select *s, const struct sel_request *q, uint32_t node, uint32_t g)
{
	return &s->sock[(size_t)node * q->gres_count + g];
}

/* One test of a request against a view of the cluster. */
struct sel_test {
	struct select *s;
	struct sel_request *q;
	const struct select_job *job;
	enum select_mode mode;
	bool ever; /* What runs is not there. */
	bool first_pass;
	bool best_switch;
	bool count_row; /* MaxCPUsPerNode counts what the partition uses. */
	int64_t nodes_min, nodes_max, nodes_want;
	int64_t cpus_min;
	const uint64_t *required;     /* NULL: none. */
	uint64_t *nodes;              /* In: candidates; out: chosen. */
	int64_t gres_total[SEL_GRES]; /* Of what is asked for the job as a whole, so far. */
	int64_t nodes_left;           /* Of the least that it needs. */
	bool given;                   /* What nodes offer is in select.usable already. */
	uint32_t *order;              /* Nodes as they are chosen, from the first on; NULL: not kept. */
	uint32_t order_count;
};

/* A node as it is, while it is tested as it will be when jobs have ended. */
struct sel_aside {
	struct sel_node node;
	uint64_t used[SEL_WORDS];
	struct select_node_alloc *node_alloc[64];
	uint32_t count, at;
	sl_time until;
};

/* Which jobs may share an allocation's nodes: all, those of partitions that do not share cores, none. */
enum { SEL_USE_AVAILABLE, SEL_USE_ONE_ROW, SEL_USE_RESERVED };

/* select.c: whether a node is in question at all, beside what runs there. */
bool sel_node_may(const struct sel_test *t, uint32_t node);
/* The available cores of a node into its map: all, or the free ones. False: it is wanted whole and is
 * not. */
bool sel_view_cores(struct sel_test *t, uint32_t node, bool free_only);
/* Whether it must fit with every core free as well. */
bool sel_tries_idle(const struct sel_test *t);
/* select_rows.c: rows of a partition: how many jobs share a core. */
static inline uint32_t sel_rows(const struct select *s, uint32_t partition)
{
	return (uint32_t)(s->partition[partition].rows + s->qos_row);
}
bool sel_rows_make(struct select *s, uint32_t partition);
bool sel_rows_note(struct select *s, uint32_t partition); /* For undo. False: no memory. */
void sel_rows_back(struct select *s, const struct sel_action *action);
void sel_rows_stay(struct select *s, uint32_t partition); /* What was done under marks is not undone. */
void sel_rows_add(struct select *s, struct select_alloc *alloc);
void sel_rows_look(struct select *s); /* Before select_alloc.row is read: jobs that leave change it lazily. */
bool sel_rows_without(struct select *s, const struct select_alloc *gone); /* False: no memory. */
/* select_aside.c */
/* A copy that is not in force, until it is dropped. NULL: no memory. */
struct select_alloc *sel_copy(struct select *s, const struct select_alloc *from);
void sel_drop(struct select *s, struct select_alloc *a);
uint8_t sel_use_of(const struct select *s, const struct sel_request *q);
/* Ends of what runs, as the outlook has them. */
void sel_keep_ends(struct select *s, const struct select_outlook *outlook);
/* The node without those that end by then, until it is put back. False: too many are on it; nothing changed.
 */
bool sel_keep_aside(struct select *s, uint32_t node, sl_time until, struct sel_aside *aside);
void sel_keep_back(struct select *s, const struct sel_aside *aside);
/* select_desc.c */
struct sel_request *sel_request_of(struct select *s, const struct select_job *job);
/* Names that are no nodes are missing; the others are set. */
int sel_node_list(const struct select *s, const char *text, uint64_t *set, bool *missing);
bool sel_shape_has(const struct sel_shape *shape, const struct sel_feature *feature);

/* select_avail.c */
int64_t sel_cpus_per_core(const struct select *s, const struct sel_request *q, const struct sel_shape *shape);
/* Cores in map_of(node) are those available; unusable ones are removed. */
void sel_avail_node(struct sel_test *t, uint32_t node);
/* Again, with what is known of the other nodes: how many cpus it would offer. */
int64_t sel_cores(struct sel_test *t, uint32_t node);
int64_t sel_cpus_to_use(
	struct sel_test *t, uint32_t node, int64_t cpus, int64_t cpus_left, int64_t nodes_left);

/* select_kept.c: of the devices of that kind those that are kept from the job. */
uint64_t sel_kept_devices(const struct sel_test *t, uint32_t node, const struct sel_gres_request *r);
/* And of so many units those that are left to it. */
int64_t sel_kept_units(
	const struct sel_test *t, uint32_t node, const struct sel_gres_request *r, int64_t count);
/* select_gres.c */
bool sel_sock_build(struct sel_test *t, uint32_t node, uint64_t *cores, uint64_t *sockets_required);
bool sel_sock_usable(struct sel_test *t, uint32_t node, int64_t mem, int64_t cpus, int64_t *adjacent);
void sel_sock_cores(struct sel_test *t, uint32_t node, int64_t *cpus, int64_t *tasks_min, int64_t *tasks_max,
	int64_t *cores_min);
bool sel_gres_pick(struct sel_test *t, struct select_alloc *alloc, struct select_gres *gres);
bool sel_gres_per_job(const struct sel_request *q);
bool sel_gres_enough(const struct sel_test *t);
void sel_gres_add(struct sel_test *t, uint32_t node, int64_t *cpus, int64_t cpus_min);
/* So many tasks and no more have devices of the node. */
void sel_gres_trim(struct sel_test *t, uint32_t node, int64_t *tasks);
int64_t sel_tasks_by_gres(const struct select *s, const struct sel_request *q, uint32_t node);

/* select_pick.c */
void sel_trim_to_cores(struct sel_test *t);
bool sel_choose(struct sel_test *t);
void sel_bound_by_tasks(struct sel_test *t);
/* It can have one node only, and any will do that is enough. */
bool sel_wants_one(const struct sel_test *t);
bool sel_choose_given(struct sel_test *t); /* By consecutive best fit, once. */
/* The least and most tasks that the node would get. */
void sel_task_range(const struct sel_test *t, uint32_t node, int64_t *least, int64_t *most);
bool sel_enough_nodes(const struct sel_test *t, int64_t have, int64_t left);
/* select_topo.c */
bool sel_eval_tree(struct sel_test *t);
/* select_block.c: the same for topology/block. */
bool sel_eval_block(struct sel_test *t);
/* Blocks that are others' to themselves, or have others, if it wants them to itself, are left out. */
void sel_leave_blocks(const struct sel_test *t, uint64_t *from);
int sel_topo_make(struct select *s, struct sl_err *err);
/* Its sets of nodes, once its switches are known; of a tree the distances. */
int sel_topo_finish(struct select *s, struct sel_topology *topo, struct sl_err *err);
/* BlockSizes; NULL: not said. */
void sel_block_sizes(struct sel_topology *topo, const char *text);
/* select_ring.c: the same for topology/ring. */
bool sel_eval_ring(struct sel_test *t);
/* select_topologies.c: those of topology.yaml, behind the first. */
int sel_topologies_read(struct select *s, struct sl_err *err);
/* That of a partition; NULL: it names none. */
uint32_t sel_topologies_find(const struct select *s, const char *name);
/* select_linear.c */
bool sel_linear(struct sel_test *t);
/* select_dist.c: cpus of the node allocations, then their cores. */
bool sel_distribute(struct sel_test *t, struct select_alloc *alloc, int64_t cpus_asked, uint64_t *cores[],
	const int64_t *task_limit, const int64_t *gres_cpus);

/* select_fast.c: 1 nodes found, 0 there are none, -1: not decided here. */
int sel_fast(struct sel_test *t, const uint64_t *available);
/* The changes from there on are undone: what was seen of them is looked at again. */
void sel_fast_undone(struct select *s, uint64_t from);
void sel_later_undone(struct select *s, uint64_t from);
/* What was seen then can be brought up to date by the log of changes. */
static inline bool sel_can_follow(const struct select *s, uint64_t seen)
{
	return s->change - seen <= s->change_capacity && seen >= s->change_least;
}
/* It requests nothing but what is said of single nodes. */
bool sel_is_simple(const struct sel_test *t);
/* Bounds of nodes as the choice among them has them. */
void sel_bound_nodes(struct sel_test *t);
/* It needs nodes_min nodes that each offer it something, at least. */
bool sel_is_by_node(const struct sel_test *t);
/* Whatever a node offers, it is the job's share of one of nodes_min nodes at least. */
bool sel_is_even(const struct sel_test *t);
/* What a node would offer now, of all cores or of the free ones: usable cpus; its weight is in select.avail.
 */
int32_t sel_gives(struct sel_test *t, uint32_t node, bool free_only);

/* select_ones.c: the same of nodes of one cpu. */
bool sel_ones_made(const struct select *s);
int sel_ones(struct sel_test *t, const uint64_t *available);
/* 1: t->nodes are the job's, when *last has ended, or, if that is NULL, now; 0: never; -1: not decided here.
 */
int sel_ones_when(struct sel_test *t, const uint64_t *available, const struct select_outlook *outlook,
	const struct select_running **last);

/* select_later.c: when enough of what runs has ended. 1 nodes found, *last being the last to end; 0: never;
 * -1: not decided here. */
int sel_later(struct sel_test *t, const uint64_t *available, const struct select_outlook *outlook,
	const struct select_running **last);
struct sel_batch {
	size_t next;    /* Of what runs. */
	int64_t closes; /* Seconds since 1970; 0: not yet set. */
	int64_t window;
};
/* Passes over a batch without removing it: its last job that touches those nodes. SIZE_MAX: there is none. */
size_t sel_pass_batch(
	struct sel_batch *b, const struct select *s, const struct select_outlook *o, const uint64_t *nodes);
bool sel_touches(const struct select_alloc *a, const uint64_t *nodes);
/* From that one on, the first of those within that touches the nodes; o->within: none. */
size_t sel_next_touching(const struct select_outlook *o, size_t from, const uint64_t *nodes);
int64_t sel_seconds(const struct select_running *r, int64_t epoch);
bool sel_allocate(struct sel_test *t);

#endif

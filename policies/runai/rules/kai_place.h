/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_place.h - which node, and which GPUs of it: filters, scores, shared GPUs, MIG, gangs that start
 * together, and topologies. (KAI: plugins predicates, nodeplacement, gpupack, gpuspread, gpusharingorder,
 * nodeavailability, resourcetype, nominatednode, topology; actions/common/allocate.)
 */
#ifndef SL_RUNAI_KAI_PLACE_H
#define SL_RUNAI_KAI_PLACE_H

#include "policies/runai/rules/kai.h"

/* A set of nodes in bits (kai.node_words); NULL: all. */
typedef const uint64_t *kai_nodes;

/* The first of a set from a row on; node_count: no more. */
static inline uint32_t kai_next_node(const struct kai *kai, kai_nodes nodes, uint32_t from)
{
	enum { BITS = 64 };
	if (!nodes || from >= kai->node_count)
		return from < kai->node_count ? from : kai->node_count;
	size_t word = from / BITS;
	uint64_t bits = nodes[word] & ~UINT64_C(0) << from % BITS;
	while (!bits && ++word < kai->node_words)
		bits = nodes[word];
	return bits ? (uint32_t)(word * BITS) + (uint32_t)__builtin_ctzll(bits) : kai->node_count;
}

/* kai_stock.c: which nodes have how much free. */
enum {
	KAI_BUCKETS = 18
}; /* So many whole GPUs, idle or releasing; the first: none or fewer; the last: more. */
struct kai_stock {
	uint64_t *bits; /* By bucket, `words` each: nodes in bits, by rank. */
	size_t words;
	uint32_t count[KAI_BUCKETS];
	uint8_t *bucket;               /* By node. */
	uint32_t idle[KAI_BUCKETS];    /* Nodes with so many that are idle; */
	uint8_t *idle_bucket;          /* by node. */
	struct kai_vec *free;          /* By node: kai_node_free. */
	struct kai_vec all, with_gpus; /* Sums: of all; of those that have GPUs free. */
	uint64_t *any;                 /* The latter, by row. */
	uint64_t *shares;              /* A share of a GPU may fit there; by row. */
	uint32_t *changed, changed_count;
	uint8_t *is_changed; /* By node: it is in the list. */
};
/* The node has to be looked at again. */
static inline void kai_stock_note(struct kai *kai, uint32_t row)
{
	struct kai_stock *stock = kai->stock;
	if (stock->is_changed[row])
		return;
	stock->is_changed[row] = 1;
	stock->changed[stock->changed_count++] = row;
}
void kai_stock_renew(struct kai *kai);
/* As it is now. */
static inline const struct kai_stock *kai_stock(struct kai *kai)
{
	if (kai->stock->changed_count)
		kai_stock_renew(kai);
	return kai->stock;
}
/* Nodes from a bucket on, those of a bucket by name; of one that is as it is now. KAI_NO: no more. */
struct kai_stock_walk {
	uint32_t bucket, rank;
};
uint32_t kai_stock_next(const struct kai *kai, struct kai_stock_walk *walk);
/* The first bucket of those that have so many GPUs; all buckets for none. */
static inline struct kai_stock_walk kai_stock_from(int64_t gpus)
{
	return (struct kai_stock_walk){ gpus <= 0                ? 0
					: gpus < KAI_BUCKETS - 1 ? (uint32_t)gpus
								 : KAI_BUCKETS - 1,
		0 };
}
/* What a node has free, and what is to become free, by resource. */
struct kai_vec kai_node_free(const struct kai *kai, const struct kai_node *node);

/* A chunk of a job, all or nothing: on success its tasks are counted as allocated, or pipelined (the caller
 * holds a mark, and undoes it); else nothing is changed and why is said in the job. pipeline_only: nothing
 * starts now (the simulations of the solver). Checks of quota and limit are the caller's for the chunk; those
 * that depend on the node (memory of GPUs) are looked at here. */
struct kai_place_how {
	kai_nodes among;
	bool pipeline_only;
};
bool kai_place_chunk(
	struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count, const struct kai_place_how *how);

/* One task: which of the nodes is best; KAI_NO: none. now: it fits on what is idle, and shared GPUs have
 * capacity now (else it is to be pipelined). shared: rows, request.gpus of them. */
struct kai_spot {
	uint32_t node;
	bool now;
	bool gated; /* Some node would do, but for a limit or a quota. */
	uint32_t shared[KAI_DEVICES_MAX];
};
bool kai_best_spot(
	struct kai *kai, uint32_t task, kai_nodes among, const double *extra, struct kai_spot *spot);
/* So many tasks of that request fit on no node, and nothing was released since. Journalled: what was noted
 * after a mark is forgotten with what was allocated after it. */
bool kai_nowhere(const struct kai *kai, uint32_t request, uint32_t count);
void kai_note_nowhere(struct kai *kai, uint32_t request, uint32_t count);
/* It fits there, on what is idle and releasing; now: on what is idle. */
bool kai_fits(const struct kai *kai, uint32_t task, uint32_t node, bool *now);

/* What keeps a task from a node, in bits. KAI names all resources that lack; what else is wrong it names only
 * where none does. */
enum kai_lack {
	KAI_LACKS_GPUS = 1,
	KAI_LACKS_GPU_MEMORY = 2, /* More of one device than it has. */
	KAI_LACKS_MIG = 4,        /* Instances of a profile. */
	KAI_LACKS_CPU = 8,
	KAI_LACKS_MEM = 16,
	KAI_LACKS_PODS = 32,
	KAI_LACKS_QUOTA = 64, /* A limit, or a quota, as charged with this node's devices. */
	KAI_LACKS_KIND = 128, /* MIG requested of a node without, or the reverse. */
	KAI_LACKS_READY = 256,
	KAI_LACKS_ALLOWED = 512, /* Affinity, taints. */
	KAI_LACKS_WORKER = 1024, /* Nodes are for GPU tasks, or for others, alone. */
	KAI_LACK_BITS = 11
};
/* For explanations: on how many nodes (of `among`) which bit is wrong now, by number of the bit. Returns how
 * many nodes there are. */
uint32_t kai_lacking(struct kai *kai, uint32_t task, kai_nodes among, uint32_t count[KAI_LACK_BITS]);
/* KAI's words for a bit: "node(s) didn't have enough resources: GPUs". */
const char *kai_lack_text(enum kai_lack lack);

/* A task looked at once, for many nodes (kai_fit.c). */
struct kai_look {
	const struct kai *kai;
	const struct kai_request *needs;
	const struct kai_job *job;
	uint32_t task;
	int64_t cpu, mem, whole; /* whole: GPUs. */
	bool shares, gpu;        /* Of GPUs; any kind of GPU. */
	bool gate_known, gate_open;
	int64_t gate_mem; /* Of which device the check is known. */
};
struct kai_look kai_look_at(const struct kai *kai, uint32_t task);
uint32_t kai_lacks(struct kai_look *look, const struct kai_node *node); /* Bits; 0: it fits. */
/* What is idle would do (of shared GPUs, what is on its way out too: KAI's score of availability). */
bool kai_is_idle(const struct kai_look *look, const struct kai_node *node);
/* GPUs in use whose share it could have, now or later. */
bool kai_share_fits(const struct kai_shared *gpu, int64_t need, int64_t device);
/* Which devices it takes there: rows into shared, request.gpus of them. False: too few. now: all have
 * capacity already. fresh: how many are not shared yet. */
struct kai_devices {
	uint32_t row[KAI_DEVICES_MAX];
	uint32_t fresh;
	bool now;
};
bool kai_choose_devices(
	const struct kai_look *look, const struct kai_node *node, struct kai_devices *devices);

/* kai_topo.c: the domains of a topology in which a set of pods may be allocated, best first. Without a
 * constraint of its own (or tasks, or the plugin) the one domain is `among`. False: there is none, and why is
 * said in the job. Calls nest: the last made is freed first; `among` has to stand until then. */
struct kai_set {
	uint32_t job, group;  /* group: a row of the job's. */
	const uint32_t *task; /* Those to place below it. */
	uint32_t count;
	kai_nodes among;
	bool quiet; /* It says nothing: a simulation. */
};
struct kai_domains {
	uint32_t count;
	const double *node_score; /* By node: what preference adds, 0..10 (times 100 000 in the sum). NULL:
				     nothing is preferred here; then what a set above prefers holds on. */
	uint32_t depth;           /* Where kai_topo.c keeps the rest. */
};
bool kai_topo_domains(struct kai *kai, const struct kai_set *set, struct kai_domains *domains);
/* The nodes of one, those of `among` alone; valid until the next call for these domains. NULL: all. */
kai_nodes kai_topo_nodes(struct kai *kai, const struct kai_domains *domains, uint32_t which);
void kai_domains_free(struct kai *kai, struct kai_domains *domains);

/* kai_node.c: accounting of a node, called by kai_accounting.c alone. shared NULL, or a row below 0: no
 * device is counted. */
void kai_node_add(
	struct kai *kai, uint32_t node, uint32_t task, enum kai_state state, const uint32_t *shared);
void kai_node_remove(
	struct kai *kai, uint32_t node, uint32_t task, enum kai_state state, const int64_t *shared);
/* A row of the node's shared GPUs for a new one (its device comes out of what is idle, or of what is
 * releasing for a task that is pipelined). KAI_NO: all that there can be are in use. */
uint32_t kai_shared_row(struct kai *kai, uint32_t node);
/* The same in two steps: the first that is free at `from` or behind (KAI_NO), and that it is taken. */
uint32_t kai_shared_free(const struct kai_node *node, uint32_t from);
void kai_shared_take(struct kai *kai, struct kai_node *node, uint32_t row);
bool kai_shared_in_use(const struct kai_shared *gpu);
void kai_node_changed(struct kai *kai, uint32_t node); /* Its accounting changed. */
void kai_node_clear(struct kai *kai, uint32_t node);   /* As if nothing were there. */
/* The node has so many instances of a profile (of kai_mig_profile). */
bool kai_node_profile(struct kai *kai, uint32_t node, uint32_t profile, int64_t count);
/* kai_mig_profile made one more: counts of nodes that have any are as long as kai.mig. */
bool kai_node_new_profile(struct kai *kai);
/* Of a device, MiB; 100 where it is not known. */
int64_t kai_device_mem(const struct kai_node *node);
/* What a share takes of one device there, MiB; and in hundredths of the device, rounded up. In doubles, as
 * KAI computes: 55 of 100 MiB are 56 hundredths. */
int64_t kai_share_mem(const struct kai_node *node, const struct kai_request *request);
int64_t kai_share_hundredths(const struct kai_node *node, const struct kai_request *request);
int64_t kai_hundredths(int64_t mem, int64_t device);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.h - which nodes, cores, memory and devices a job gets: the node
 * selection of slurmctld (select/cons_tres and select/linear).
 *
 * A struct select is made from a const cluster and keeps what the running jobs are allocated. select_place
 * tests, select_take allocates and select_give releases; between select_mark and select_undo every change
 * can be undone, in time proportional to what was touched. It knows nothing of time but the order of
 * expected ends passed to select_will_run.
 *
 * Nodes are numbered as the cluster numbers them; a set of nodes is an array of
 * select_node_words() words. All memory is the arena's.
 */
#ifndef POLICIES_SLURM_SELECT_H
#define POLICIES_SLURM_SELECT_H

#include "sim/plugin.h"

/* How many bits are set. The compiler's own is a call where the processor is not known to have it. */
static inline uint32_t select_popcount(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

struct select;

/* The requesting job. Its strings are compared by address: they stay as they are while the select lives. */
struct select_job {
	const struct sl_job_desc *desc;
	uint32_t partition; /* Row of the cluster's; its first, if the cluster has none. */
	int32_t user;       /* For --exclusive=user; -1: none. */
	sl_time waited;     /* How long it has waited for its switches (--switches) already. */
	bool over_qos; /* By its QOS it goes on top of others, which are suspended: the extra row is its. */
	uint32_t alternative; /* Of a constraint "[a|b]" the one that is tried, from 1 on; 0: each in turn. */
};

enum select_mode {
	SELECT_NOW,   /* Start it: beside what runs. */
	SELECT_LATER, /* Predict: as NOW, but busy nodes are preferred where the settings say so. */
	SELECT_EVER,  /* On the idle cluster: what is refused at submission fails this. */
};

enum select_answer { SELECT_FITS, SELECT_BUSY, SELECT_NEVER };

/* What a job has of one node. */
struct select_gres {
	uint64_t devices; /* Bit i: device i, as the node's devices of that name are numbered. */
	int64_t count;    /* Devices, or units. */
};

struct select_node_alloc {
	uint32_t node;
	uint32_t tasks;
	int64_t cpus;                   /* Of whole cores: with two threads, twice the cores. */
	int64_t mem;                    /* MiB */
	const uint64_t *cores;          /* Bit i: core i, socket by socket. */
	const struct select_gres *gres; /* By name of gres (select_gres_name); NULL: none. */
	/* The select's: which other jobs are on the node. */
	struct select_alloc *owner;
	struct select_node_alloc *next, **link;
};

struct select_alloc {
	uint32_t node_count;
	uint32_t partition;
	int32_t user;
	int64_t cpus;
	struct select_node_alloc *node_alloc; /* By node, ascending. */
	/* The select's: */
	uint8_t whole;   /* enum sl_exclusive */
	bool whole_topo; /* Its blocks are its own. */
	uint8_t use;     /* Whether it shares its nodes with jobs of other partitions, or with any. */
	bool stopped;    /* Keeps memory and devices, but no cores. */
	bool held;       /* In force. */
	uint32_t row;    /* Of its partition, where cores are shared: select_row(). */
	int64_t cores;   /* Of all its nodes. */
	uint32_t size;   /* Of its block of memory. */
	struct select_alloc *next, **link; /* Of its partition. */
	sl_time end;                       /* By its limit; SL_NEVER: not known. */
	uint64_t listing;                  /* Of which list of ends it was one last. */
	struct select_alloc *next_free;
};

/* A running job, for what will be. */
struct select_running {
	struct select_alloc *alloc;
	sl_time end;  /* By its limit. */
	uint32_t row; /* The caller's. */
};

/* A running job that may be preempted for the requesting one. */
struct select_preempted {
	struct select_alloc *alloc;
	bool stays; /* Suspended: its memory and devices are not available. */
};

/* What is known when it is asked what will be. */
struct select_outlook {
	const struct select_running *running; /* Sorted by end; without those that can be preempted. */
	size_t running_count;
	sl_time now;
	int64_t epoch;                            /* Of the scenario's zero, in seconds since 1970. */
	const struct select_preempted *preempted; /* Gone, for a start now and for one later; NULL: none. */
	size_t preempted_count;
	size_t candidate_count; /* The caller's: how many could be preempted, those of mode OFF counted. */
	uint64_t listing;       /* The same number: the same running, in the same order; 0: not known. */
	bool told; /* Their ends are those that were told (select_tell_end), and no others are. */
	/* will_run_data of 24.11 and after: those that end before `from` are gone, and the job is tried then;
	 * none that ends after `until` is removed (SL_NEVER: any may be). Not windowed: from now on, any. */
	bool windowed;
	sl_time from, until;
	/* 25.05 and after: those on other nodes are not among the running. */
	bool nearby;
	size_t gone, within; /* select_will_run's own: so many end before `from`, and by `until`. */
};

/* NULL: no memory, or the cluster is none of nodes; err says which. */
struct select *select_new(const struct sl_cluster *cluster, struct sl_arena *arena, struct sl_err *err);

/* Whose rules hold: of that release of slurmctld, 2411 for 24.11. At first 2205. */
void select_set_version(struct select *select, int version);

size_t select_node_words(const struct select *select);
/* The nodes of a partition. */
const uint64_t *select_partition_nodes(const struct select *select, uint32_t partition);
/* Nodes without any job. */
const uint64_t *select_idle(const struct select *select);
/* How many allocations in force have whole nodes. */
uint32_t select_whole_count(const struct select *select);
uint32_t select_gres_count(const struct select *select);
const char *select_gres_name(const struct select *select, uint32_t gres);
int64_t select_threads_per_core(const struct select *select, uint32_t node);
uint32_t select_core_count(const struct select *select, uint32_t node);
uint32_t select_cores_per_socket(const struct select *select, uint32_t node);
/* A set of cores has so many words, those of a node from there on. */
size_t select_core_words(const struct select *select);
uint32_t select_core_at(const struct select *select, uint32_t node);
/* Those that no job gets (CoreSpecCount, CpuSpecList) are added to a set. */
void select_add_spec(const struct select *select, uint64_t *cores);
/* Cores that are kept from whoever asks, beside what runs, until the next call; NULL: none (slurmctld's
 * exc_core_bitmap). */
void select_keep_cores(struct select *select, const uint64_t *cores);

/* Devices or units of one kind that are kept as cores are (gres_list_exc): from who asks for exactly that
 * kind, a type or none. */
struct select_kept_gres {
	uint32_t name, type;               /* The select's. */
	const struct select_gres *of_node; /* By node. */
	bool own; /* Of these and no others it has, who asks for that kind (gres_list_inc). */
};
enum { SELECT_GRES_KINDS = 8 }; /* That a request may have. */
/* So many kinds, lent as kept cores are, and gone with them: a kind may be among them more than once. */
void select_keep_gres(struct select *select, const struct select_kept_gres *gres, uint32_t count);
/* What an allocation has of each kind that the job asks for, at most capacity, in the arena: how many. */
uint32_t select_kept_of(struct select *select, const struct select_job *job, const struct select_alloc *alloc,
	struct select_kept_gres *gres, uint32_t capacity);

/* Powered-down and such: nodes of a higher rank go after all others. 0 at first. */
void select_set_rank(struct select *select, uint32_t node, uint32_t rank);

/* The partition's MaxNodes is another from now on; SL_NONE: none. */
void select_set_nodes_max(struct select *select, uint32_t partition, int64_t nodes_max);

/* Where the job would go, on nodes of `available` (NULL: all of its partition). out is valid until the next
 * call; NULL: only the answer is wanted. NEVER: it does not even fit on the idle cluster; why says so. */
enum select_answer select_place(struct select *select, const struct select_job *job,
	const uint64_t *available, enum select_mode mode, const struct select_alloc **out);
/* The blocks that those nodes are in are added, if the job is to have them to itself
 * (topology_g_whole_topo()). */
void select_whole_topo(struct select *select, const struct select_job *job, uint64_t *nodes);
/* How many alternatives its constraint has ("[a|b]": all its nodes have one of them); 0: it is none such. */
uint32_t select_alternatives(struct select *select, const struct select_job *job);
/* Whether it would fit on those nodes if no other job were there. */
bool select_could(struct select *select, const struct select_job *job, const uint64_t *available);
/* Why the last answer was not FITS: a constant, in Slurm's words. */
const char *select_why(const struct select *select);
/* The same, without the indices: slow, and what they are tested against. */
void select_plain(struct select *select, bool plain);

/* The end of an allocation in force, by its limit. */
void select_tell_end(struct select *select, struct select_alloc *alloc, sl_time end);

/* In force from now on; a copy is made and returned. NULL: no memory. */
struct select_alloc *select_take(struct select *select, const struct select_alloc *alloc);
/* No more. The copy goes, unless a mark is open. */
void select_give(struct select *select, struct select_alloc *alloc);
/* Its cores go (suspended by hand: jobs that gang scheduling suspends keep them), or come back; memory and
 * devices stay. */
void select_stop(struct select *select, struct select_alloc *alloc, bool stopped);

/* An allocation as recorded: node allocations are set, cpus and totals follow. For select_take; valid until
 * the next call. */
struct select_alloc *select_make(struct select *select, const struct select_job *job,
	const struct select_node_alloc *node_alloc, uint32_t count);

/* Nested. */
uint32_t select_mark(struct select *select);
void select_undo(struct select *select, uint32_t mark);
uint32_t select_row(struct select *s, const struct select_alloc *alloc);
void select_keep(struct select *select, uint32_t mark);

/* The job's request in all, as slurmctld counts it before it has anything. Memory in MiB. */
struct select_wants {
	int64_t nodes_min, nodes_max; /* nodes_max 0: not set. */
	int64_t tasks, cpus;          /* The least of the job; tasks 0: not set. */
	int64_t mem;                  /* 0: not set, or all that its nodes have. */
	bool mem_over;                /* Of a node it wants more than MaxMemPerNode: its partition starts it
				       * nowhere, as long as it has that limit. */
	const char *never;            /* Not NULL: the request makes no sense, and why: a constant. */
};
void select_wants(struct select *select, const struct select_job *job, struct select_wants *out);
/* What any allocation of the job has of that gres, wherever it goes; -1: that depends. */
int64_t select_sure_gres(struct select *select, const struct select_job *job, uint32_t gres);
/* Devices or units of that gres (select_gres_name), of that type or, with NULL, of any. */
int64_t select_wants_gres(
	struct select *select, const struct select_job *job, uint32_t gres, const char *type);
/* What an allocation has of it. */
int64_t select_holds_gres(
	const struct select *select, const struct select_alloc *alloc, uint32_t gres, const char *type);

/* When and where the job could start if all that runs ends at its limit, as slurmctld predicts it: beside
 * all; then without those that would be preempted for it: now as well; then by removing running jobs in
 * batches, which close at multiples of 30 s since 1970. SL_NEVER: not even then. nodes: select_node_words()
 * words, or NULL. */
sl_time select_will_run(struct select *select, const struct select_job *job, const uint64_t *available,
	const struct select_outlook *outlook, uint64_t *nodes);

#endif

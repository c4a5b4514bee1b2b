/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.h - on which nodes and devices a job goes: node scorers (placings), allocators (placers), gauges. */
#ifndef SL_PLUGIN_PLACE_H
#define SL_PLUGIN_PLACE_H

#include "cluster.h"
#include "job.h"
#include "request.h"

struct sl_setup;

/* So many tasks of one group on one node. */
struct sl_node_tasks {
	uint32_t node;
	uint16_t group;
	uint32_t tasks;
	uint32_t devices; /* Told: bit i: (some of) GPU i of the node. 0: devices are not followed. Not asked.
			   */
};

/* What a job gets on one node, in amounts: where a policy decides itself what a request comes to. */
struct sl_node_alloc {
	uint32_t node, tasks; /* tasks: told in reports; of group 0. */
	int64_t cpus, mem;    /* MiB; of a node without bound none is counted. */
	const uint32_t *gpus; /* By type of GPU, the cluster's kind_count - SL_KIND_GPUS; NULL: none. */
};

/* Sorts of GPU tasks that a node may hold, counted for placings that like to keep them apart. */
enum sl_task_mix {
	SL_TASK_MIX_SHARE,
	SL_TASK_MIX_1,
	SL_TASK_MIX_2,
	SL_TASK_MIX_4,
	SL_TASK_MIX_8,
	SL_TASK_MIX_OTHER,
	SL_TASK_MIXES
};

/* Nodes of one type of which the same is free: what a placing chooses from. */
struct sl_node_class {
	const struct sl_cluster *cluster;
	uint32_t type;
	const int64_t *free; /* By kind; SL_MEM_UNBOUNDED and more: unbounded. */
	/* Where devices are followed, else NULL: of each device of the type what is free, in gpu_parts; of a
	 * divided one a bit for each free slice. */
	const int64_t *device;
	const int64_t *task_mix; /* enum sl_task_mix: how many tasks of each sort it holds, negative. NULL: as
				    above. */
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
struct sl_node_scorer {
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

/* A placement with a memory of its own, of cores and devices: Slurm's. It decides what a job gets where, in
 * place of a placing; whether it may fit, and when, is asked of requests as ever, so what is chosen is never
 * more than is free. It is told of all that the engine gives out and takes back, in that order. */
struct sl_allocator {
	struct sl_abi abi;
	const char *name; /* "slurm" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* What the job would get now, lent until the next call; 0: it cannot start now. Nodes of `closed` (a
	 * bit for each node; NULL: none) are not to be had. */
	size_t (*choose)(
		void *state, sl_job job, const uint64_t *closed, const struct sl_node_alloc **node_alloc);
	void (*take)(void *state, sl_job job);    /* What was chosen last is its own from now on. */
	void (*untake)(void *state, sl_job job);  /* Undoes a take. */
	void (*give)(void *state, sl_job job);    /* It ended, or makes room. */
	void (*restore)(void *state, sl_job job); /* Undoes its last give that is not undone. */
	void (*forget)(void *state);              /* What was given stays given. */
	/* What a running job has, lent until the next call: for --check, which compares it with the engine's
	 * books. NULL: that is not compared. */
	size_t (*held)(void *state, sl_job job, const struct sl_node_alloc **node_alloc);
	/* Why the job could not even run alone, in the scheduler's words, a constant; NULL: it could. Such a
	 * job is refused: it is cancelled as it is submitted. */
	const char *(*refuses)(void *state, sl_job job);
};

#endif

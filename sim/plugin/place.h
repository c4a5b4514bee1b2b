/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.h - on which nodes and devices a job is placed: node scorers, allocators (both place=NAME), gauges.
 */
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
	uint32_t devices; /* Output only: bit i: (some of) GPU i of the node. 0: devices are not tracked.
			   */
};

/* A job's allocation on one node, in amounts: where a policy decides itself what a request comes to. */
struct sl_node_alloc {
	uint32_t node, tasks; /* tasks: for reports; of group 0. */
	int64_t cpus, mem;    /* MiB; of a node with unbounded memory none is counted. */
	const uint32_t *gpus; /* By type of GPU, the cluster's kind_count - SL_KIND_GPUS; NULL: none. */
};

/* Task mix: GPU tasks on a node by size, counted for scorers that keep sizes apart. */
enum sl_task_mix {
	SL_TASK_MIX_SHARE,
	SL_TASK_MIX_1,
	SL_TASK_MIX_2,
	SL_TASK_MIX_4,
	SL_TASK_MIX_8,
	SL_TASK_MIX_OTHER,
	SL_TASK_MIXES
};

/* Nodes of one type with the same free resources: what a node scorer chooses from. */
struct sl_node_class {
	const struct sl_cluster *cluster;
	uint32_t type;
	const int64_t *free; /* By kind; SL_MEM_UNBOUNDED and more: unbounded. */
	/* Where devices are tracked, else NULL: what is free of each device of the type, in gpu_parts; of a
	 * MIG-divided one a bit for each free slice. */
	const int64_t *device;
	const int64_t *task_mix; /* enum sl_task_mix: how many tasks of each size run there, negative. NULL:
				    as above. */
};

/* A candidate device for one task of a group on a node. */
struct sl_device_pick {
	const struct sl_node_class *class;
	const struct sl_group *group;
	uint32_t device; /* Index of a device on which the task fits. */
	uint32_t slice;  /* Of a divided one: from there on. */
};

struct sl_setup;
struct sl_err;

/* A node scorer: on which nodes a job's tasks go. Nodes are chosen one after another: of those on which a
 * task fits, the one with the least score, ties by sl_ties; it gets as many tasks as fit. */
struct sl_node_scorer {
	struct sl_abi abi;
	const char *name;
	const char *summary;
	const char *paper;
	bool one_at_a_time; /* One task to a node, then scores are computed again. */
	bool devices;       /* It reads devices: they are tracked, if the nodes have any. */
	bool by_island;     /* First the NVLink island over several nodes on which the job fits with the least
			       left over, else those with most free; within a node likewise. */
	/* NULL: there is no state. */
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* tasks: how many of the group's would go there. A pure function of its arguments: results are
	 * cached. */
	int64_t (*score)(
		void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks);
	/* On which device a share of a GPU goes: least score, ties to the lowest device. NULL: best fit, the
	 * device with least free. */
	int64_t (*score_device)(void *state, const struct sl_device_pick *pick);
	bool at_random; /* Ties are always broken at random, whatever sl_ties says. */
};

/* Which of several nodes of the same score goes first. */
enum sl_ties {
	SL_TIES_INDEX,  /* The lowest, in the order of the file. */
	SL_TIES_NAME,   /* The first by name, byte by byte: Kubernetes' choice where it was made reproducible.
			 */
	SL_TIES_RANDOM, /* Any: kube-scheduler. By seed, job and node. */
	SL_TIES_SHUFFLE /* The first in an order of all nodes that is drawn once a run. */
};

/* A quantity of each node's state, summed over all nodes and recorded over time. */
struct sl_gauge {
	struct sl_abi abi;
	const char *name; /* "fragmentation" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	int64_t (*of)(void *state, const struct sl_node_class *class); /* A pure function: cached. */
	bool of_fills; /* Recorded where a cluster is filled (replay.fill), unless replay.gauges names others.
			*/
};

/* An allocator with state of its own, of cores and devices: Slurm's select plugin. It decides a job's
 * allocation in place of a node scorer. Whether and when a job may fit is still decided by its request, so it
 * must never choose more than is free. It is called for every allocation and release of the engine, in that
 * order. */
struct sl_allocator {
	struct sl_abi abi;
	const char *name; /* "slurm" */
	const char *summary;
	const char *paper;
	int (*init)(void **state, const struct sl_setup *setup, struct sl_err *err);
	void (*release)(void *state);
	/* What the job would get now, lent until the next call; 0: it cannot start now. Nodes of `closed` (a
	 * bit for each node; NULL: none) are unavailable. */
	size_t (*choose)(
		void *state, sl_job job, const uint64_t *closed, const struct sl_node_alloc **node_alloc);
	void (*take)(void *state, sl_job job);    /* Allocates what was chosen last. */
	void (*untake)(void *state, sl_job job);  /* Undoes an allocation. */
	void (*give)(void *state, sl_job job);    /* Releases: it ended, or was preempted. */
	void (*restore)(void *state, sl_job job); /* Undoes its last release that is not undone. */
	void (*forget)(void *state);              /* Releases so far are final. */
	/* What a running job has, lent until the next call: for --check, which compares it with the engine's
	 * accounting. NULL: that is not compared. */
	size_t (*held)(void *state, sl_job job, const struct sl_node_alloc **node_alloc);
	/* Why the job could not run even on an empty cluster, in the scheduler's words, a constant; NULL: it
	 * could. Such a job is refused: CANCELLED at submission. */
	const char *(*refuses)(void *state, sl_job job);
	/* Are all jobs of that request the same to it? The engine then remembers by request that `choose`
	 * found nothing, until an allocation, a release or an unavailable node changes that. NULL: each job
	 * is asked.
	 */
	bool (*alike)(void *state, uint32_t request);
};

#endif

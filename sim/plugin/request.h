/* SPDX-License-Identifier: GPL-3.0-or-later */
/* request.h - a job's request: tasks, cpus, memory, GPUs, nodes; as a Slurm job description, and as the
 * engine counts it. */
#ifndef SL_PLUGIN_REQUEST_H
#define SL_PLUGIN_REQUEST_H

#include "base.h"

enum sl_exclusive {
	SL_EXCLUSIVE_NO,
	SL_EXCLUSIVE_NODE,
	SL_EXCLUSIVE_USER,
	SL_EXCLUSIVE_MCS,
	SL_EXCLUSIVE_TOPO /* Whole nodes, and no other job in the segment of the topology that they are in. */
};

/* A job description as submitted to Slurm: the options of sbatch(1). Numbers: SL_NONE, texts: NULL where
 * nothing was written. Memory in MiB, 0: all of the node's. Of a request that jobs share, texts are the same
 * pointers where they are equal. */
struct sl_job_desc {
	int64_t nodes_min, nodes_max;
	int64_t tasks, tasks_per_node, tasks_per_socket, tasks_per_core, tasks_per_gpu;
	int64_t cpus_per_task, cpus_per_gpu, cpus_min; /* cpus_min: of a node (--mincpus). */
	int64_t sockets_per_node, cores_per_socket, threads_per_core;
	int64_t mem_per_node, mem_per_cpu, mem_per_gpu, tmp;
	int64_t segment;       /* Nodes of a segment: each is under one block of the topology. */
	int64_t switches;      /* At most so many leaf switches, */
	sl_time switches_wait; /* for which it waits so long. */
	const char *partition; /* Several: "a,b". */
	const char *gres;      /* Of a node: "gpu:a100:2,mps:50". */
	const char *gpus, *gpus_per_node, *gpus_per_socket, *gpus_per_task; /* "2", "a100:2" */
	const char *gres_per_task; /* Devices other than GPUs, of --tres-per-task: "mps:50". */
	const char *node_sizes;    /* A list of --nodes, as written: "1,4,8", "2-8:2"; NULL: any from
				    * nodes_min to nodes_max will do. */
	const char *prefer;        /* Features, as constraint has them: wanted, not needed. */
	const char *extra;         /* What it asks of its nodes' Extra: "rack=3&hot!=yes". */
	const char *gres_flags, *constraint, *nodelist, *exclude, *distribution;
	const char *licenses, *reservation;
	/* Of a further component of a heterogeneous job, where they are not those of the job; NULL, SL_NONE:
	 * the job's. limit: SL_NEVER: without. */
	const char *account, *qos;
	sl_time limit, time_min;
	enum sl_exclusive exclusive;
	bool oversubscribe, overcommit, contiguous, spread, use_min_nodes, no_multithread;
};
/* Nothing is requested. */
SL_API void sl_job_desc_clear(struct sl_job_desc *desc);

/* The resources of one task. Of GPUs whole devices (a multiple of gpu_parts), or a share of one device:
 * thousandths, memory, or a MIG profile, which only divided devices have. gpus is then what it is counted as:
 * of memory the least share that it is of any device that will do, of a profile its eighths of the device. */
struct sl_task_resources {
	int64_t cpus, mem, gpus;
	uint32_t gpu_types; /* Bit i: kind SL_KIND_GPUS + i will do; 0: any type. */
	uint32_t mig;       /* 1 + index of the profile; 0: none. */
	int64_t gpu_mem;    /* MiB of one device; 0: it does not say. */
};

/* Equal tasks, which start together with the job's other groups or not at all. */
struct sl_group {
	struct sl_task_resources task;
	uint32_t tasks;
	uint32_t tasks_min, tasks_max; /* The bounds of sl_resize. */
	uint32_t tasks_per_node;       /* At most so many on one node; 0: as many as fit. */
	uint32_t nodes_min, nodes_max; /* 0: no bound. */
	bool exclusive;                /* Its nodes are its own, and count as wholly allocated. */
	uint32_t node_set;             /* Of the cluster: it goes to no others. 0: to any. */
	/* Windows of that reservation are open to the request of which this is the first group: the number of
	 * the first of its name among the cluster's windows, and 1. 0: all windows do. */
	uint32_t reservation;
	/* replay.impossible=keep: why the engine starts it nowhere, an enum sl_reason, the same of all
	 * groups. 0: it may start. A policy that allocates nodes itself (sl_start_alloc) goes by its own
	 * accounting. */
	uint32_t never;
};

/* A job's request; jobs with equal requests share one. */
struct sl_request {
	const struct sl_group *group;
	uint32_t group_count;
	int64_t cpus, mem, gpus;        /* Of all tasks. */
	const struct sl_job_desc *desc; /* As written, by group; NULL: it was requested in groups. */
};

#endif

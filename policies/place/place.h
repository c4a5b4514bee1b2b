/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.h - shared by node scorers of GPU clusters: a task's GPU request, and the free devices of a node for
 * it.
 */
#ifndef SL_PLACE_H
#define SL_PLACE_H

#include "sim/plugin.h"

/* Scores of the FGD artifact are whole numbers of 0 to 100, as of all Kubernetes' plug-ins, and most is best.
 */
enum { PLACE_SCORE_MAX = 100 };

#define UNBOUNDED SL_MEM_UNBOUNDED

static inline bool place_kind_will_do(const struct sl_task_resources *task, uint32_t kind)
{
	return !task->gpu_types || task->gpu_types >> (kind - SL_KIND_GPUS) & 1;
}

static inline int64_t place_gpu_parts(const struct sl_node_class *class)
{
	return sl_parts(class->cluster->gpu_parts);
}

static inline uint32_t place_bits(uint64_t mask)
{
	uint32_t count = 0;
	for (; mask; mask &= mask - 1)
		count++;
	return count;
}

/* All nodes are alike: of node scorers that leave it to ties. */
int64_t place_score_none(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks);

/* A task that requests one device, or a share of one. */
bool place_asks_some(const struct sl_task_resources *task, int64_t parts);

/* The devices of its request: whole ones, or 1 for a share. */
uint32_t place_asks_devices(const struct sl_task_resources *task, int64_t parts);

/* Its request of that device, in parts; negative: that device is not for it. Not of divided ones. */
int64_t place_share_of(const struct sl_task_resources *task, const struct sl_device *device, int64_t parts);

/* The places of a profile on a device of which these slices are free: bit i: it can begin there. */
uint32_t place_starts(const struct sl_cluster *cluster, uint32_t mig, const struct sl_device *device,
	uint32_t free, uint32_t *slices);

/* What is free of a device, in parts: of a divided one its free eighths. Devices must be followed. */
int64_t place_free_of(const struct sl_node_class *class, uint32_t device);

/* Could the task have that device, or its share of it? */
bool place_holds(const struct sl_node_class *class, const struct sl_task_resources *task, uint32_t device);

/* GPUs of the node that are free, in parts, of all types. */
int64_t place_gpus_free(const struct sl_node_class *class);

/* GPUs that the node has, in parts, of all types. */
int64_t place_gpus_of(const struct sl_cluster *cluster, uint32_t type);

/* The most that a node of the cluster has, where that has a bound: cpus; GPUs of all types. */
struct place_largest {
	int64_t cpus, gpus;
};
/* For node scorers with no other state. */
int place_largest_init(void **state, const struct sl_setup *setup, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fragments.h - how much of the free GPUs the jobs of a trace could not use: Weng, Yang, Yu, Wang, Tang,
 * Yang & Zhang, "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient
 * Descent", USENIX ATC 2023, section 3.2.
 *
 * Typical requests: what one task requests of cpus and GPUs (memory counts for nothing, as in the paper's
 * artifact), the most frequent first, until they are 95 % of all tasks of the trace (of that which
 * replay.fill drew from, where it did). On a node, free GPU capacity is a fragment for a typical request
 *   - wholly, if the request has no GPU, or does not fit the node: too few cpus, too few devices of a
 *     type that will do of which enough is free;
 *   - else so far as it lies on devices that are too small for the request, or of another type.
 * The node's fragmentation is the mean over the typical requests, by how frequent they are.
 *
 * Devices count one by one for all requests of one device, so that the free part of a device counts as
 * usable by a weight that depends on the node's cpus and on that free part alone: a table lookup. Requests
 * of several devices depend on how many are wholly free: another table.
 */
#ifndef SL_FRAGMENTS_H
#define SL_FRAGMENTS_H

#include "policies/place/place.h"

enum {
	TYPICAL_PERCENT = 95,
	TYPICAL_MAX = 256, /* No more than that many: the most frequent count. */
	FREE_MAX = 256     /* Of divided devices: masks of eighths. */
};

/* Task resources, as far as they matter here. */
struct typical {
	int64_t cpus;
	int64_t gpus;    /* Of one device, in parts: whole ones, or what it is counted as. */
	int64_t gpu_mem; /* As sl_task_resources. */
	uint32_t devices, gpu_types, mig;
	int64_t tasks; /* How many tasks request it. */
};

/* Devices that are alike. */
struct model {
	struct sl_device device;
	uint16_t *column; /* By what is free of it (parts, or a mask): of weight. */
	uint32_t columns;
	int64_t *weight;    /* [row][column]: tasks of requests that fit it, of one device. */
	int64_t *weight_of; /* [row][devices]: tasks of requests of 2 to so many whole devices. */
};

struct fragments {
	const struct sl_cluster *cluster;
	int64_t parts;
	int64_t total; /* Of tasks of typical requests. */
	struct typical *typical;
	uint32_t typical_count;
	int64_t *cpus; /* Of typical requests: each amount once, ascending. */
	uint32_t cpus_count;
	uint32_t row_step; /* The largest power of two that is not more than that, or 1. */
	struct model *model;
	uint32_t model_count;
	bool *alike;                /* By type: its devices are of one model, and undivided. */
	const uint32_t **model_of;  /* By type: of each device; NULL: devices are not listed. */
	const uint32_t *kind_model; /* By kind: of its devices where they are not listed. */
};

int fragments_make(struct fragments *f, const struct sl_setup *setup, struct sl_err *err);

/* Weights of a device, by its column; tasks of requests of several devices, by how many are wholly free. */
static inline const int64_t *model_weights(const struct model *model, uint32_t row)
{
	return &model->weight[(size_t)row * model->columns];
}
static inline const int64_t *model_several(const struct model *model, uint32_t row)
{
	return &model->weight_of[(size_t)row * (SL_DEVICES_MAX + 1)];
}

/* A node's cpus, as a row of the tables: how many of the amounts are not more than that. */
uint32_t fragments_row(const struct fragments *f, int64_t cpus);

/* Of a node with the cpus of that row, whatever the class has; in parts of a GPU times `total`. */
int64_t fragments_of(const struct fragments *f, const struct sl_node_class *class, uint32_t row);

/* Likewise, if so much were free of one device, all else as it is. */
struct device_left {
	uint32_t device;
	int64_t left;
	int64_t otherwise; /* fragments_of it as it is, in that row. */
};
int64_t fragments_with(const struct fragments *f, const struct sl_node_class *class, uint32_t row,
	const struct device_left *then);

#endif

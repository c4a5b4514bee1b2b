/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_alloc.h - what the node selection allocates, in the engine's amounts.
 */
#ifndef POLICIES_SLURM_NODE_ALLOC_H
#define POLICIES_SLURM_NODE_ALLOC_H

#include "policies/slurm/select/select.h"

/* Which of the selection's gres are GPUs, and how many types of them the cluster has. */
struct node_alloc_gpus {
	const struct sl_cluster *cluster;
	uint32_t gres; /* UINT32_MAX: none. */
	uint32_t types;
};

struct node_alloc_gpus node_alloc_gpus_of(const struct sl_cluster *cluster, const struct select *select);
/* The GPUs of a node allocation into gpus[types], by type, as the cluster's kinds count them. */
void node_alloc_count(
	const struct node_alloc_gpus *of, const struct select_node_alloc *node_alloc, uint32_t *gpus);

#endif

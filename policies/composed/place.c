/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.c - placings: how nodes are chosen. Each scores a node; the least goes first, then the lowest node.
 */
#include "policies/composed/composed.h"

#define UNBOUNDED SL_MEM_UNBOUNDED
#define ONE       (INT64_C(1) << 20)

/* Of one kind, the most that a node of the cluster has. */
static int64_t largest(const struct sl_cluster *cluster, uint32_t kind)
{
	int64_t most = 0;
	for (uint32_t type = 0; type < cluster->type_count; type++) {
		const int64_t amount = cluster->type[type].amount[kind];
		most = amount < UNBOUNDED && amount > most ? amount : most;
	}
	return most;
}

/* What is free, each kind as a share of the largest node's, summed: in units of 2^-20. What the task takes
 * comes off every node alike, so the order by what is left over is the same. */
static int64_t spare(const struct sl_node_class *class)
{
	int64_t sum = 0;
	for (uint32_t kind = 0; kind < class->cluster->kind_count; kind++) {
		const int64_t most = largest(class->cluster, kind);
		if (most && class->free[kind] < UNBOUNDED)
			sum += sl_mul_div(class->free[kind], ONE, most);
	}
	return sum;
}

static int64_t score_first(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static int64_t score_best(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)group;
	(void)tasks;
	return spare(class);
}

static int64_t score_worst(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)group;
	(void)tasks;
	return -spare(class);
}

/* A sum of shares is at most 2^26: 64 kinds of 2^20. */
static int64_t score_pack(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)group;
	return spare(class) - (int64_t)tasks * (ONE << 6);
}

/* As the operator weighs them; who says nothing of his nodes weighs them alike. */
static int64_t score_weight(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	const struct sl_hardware *hardware = class->cluster->type[class->type].hardware;
	(void)group;
	(void)tasks;
	return hardware ? hardware->weight : 0;
}

const struct sl_placing placings[] = {
	{ "first", "the lowest node that holds a task", "first fit", false, score_first },
	{ "best", "the node with the least left over: tight nodes first",
		"BestFit of Weng et al., Beware of Fragmentation, USENIX ATC 2023", false, score_best },
	{ "worst", "the node with the most left over", "worst fit", false, score_worst },
	{ "pack", "the fewest nodes: where most tasks go, then the least left over", "Slurm's default, pack",
		false, score_pack },
	{ "spread", "one task at a time, to the node with the most left over",
		"Slurm's --spread-job; Kubernetes' LeastAllocated", true, score_worst },
	{ "weight", "the node of the least weight, as its operator says; then the lowest",
		"Slurm's Weight of nodes", false, score_weight },
};
const size_t placing_count = SL_LEN(placings);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_nodes.c - placings by what is free on a node. Each scores a node; the least goes first.
 */
#include "policies/place/place.h"

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

/* All are alike: ties decide. */
int64_t place_score_none(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)class;
	(void)group;
	(void)tasks;
	return 0;
}

static int64_t score_best(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	return spare(class);
}

static int64_t score_worst(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	(void)tasks;
	return -spare(class);
}

/* A sum of shares is at most 2^26: 64 kinds of 2^20. */
static int64_t score_pack(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)group;
	return spare(class) - (int64_t)tasks * (ONE << 6);
}

/* As the operator weighs them; who says nothing of his nodes weighs them alike. */
static int64_t score_weight(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	const struct sl_hardware *hardware = class->cluster->type[class->type].hardware;
	(void)group;
	(void)tasks;
	return hardware ? hardware->weight : 0;
}

const struct sl_placing place_first = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "first",
	.summary = "the lowest node that holds a task",
	.paper = "first fit",
	.score = place_score_none,
};

const struct sl_placing place_best = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "best",
	.summary = "the node with the least left over: tight nodes first",
	.paper = "best fit",
	.score = score_best,
};

const struct sl_placing place_worst = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "worst",
	.summary = "the node with the most left over",
	.paper = "worst fit",
	.score = score_worst,
};

const struct sl_placing place_pack = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "pack",
	.summary = "the fewest nodes: where most tasks go, then the least left over",
	.paper = "Slurm's default, pack",
	.score = score_pack,
};

const struct sl_placing place_spread = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "spread",
	.summary = "one task at a time, to the node with the most left over",
	.paper = "Slurm's --spread-job; Kubernetes' LeastAllocated",
	.one_at_a_time = true,
	.score = score_worst,
};

const struct sl_placing place_weight = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "weight",
	.summary = "the node of the least weight, as its operator says; then the lowest",
	.paper = "Slurm's Weight of nodes",
	.score = score_weight,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_nodes.c - node scorers by what is free on a node, of each kind and as vectors. Each scores a node;
 * the least goes first.
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

/* What is free, each kind as a share of the largest node's, summed: in units of 2^-20. The task's request
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

/* As the operator weighs them; without a word they weigh alike. */
static int64_t score_weight(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	const struct sl_hardware *hardware = class->cluster->type[class->type].hardware;
	(void)group;
	(void)tasks;
	return hardware ? hardware->weight : 0;
}

const struct sl_node_scorer place_first = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "first",
	.summary = "the lowest node that holds a task",
	.paper = "first fit",
	.score = place_score_none,
};

const struct sl_node_scorer place_best = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "best",
	.summary = "the node with the least left over: tight nodes first",
	.paper = "best fit",
	.score = score_best,
};

const struct sl_node_scorer place_worst = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "worst",
	.summary = "the node with the most left over",
	.paper = "worst fit",
	.score = score_worst,
};

const struct sl_node_scorer place_pack = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "pack",
	.summary = "the fewest nodes: where most tasks go, then the least left over",
	.paper = "Slurm's default, pack",
	.score = score_pack,
};

const struct sl_node_scorer place_spread = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "spread",
	.summary = "one task at a time, to the node with the most left over",
	.paper = "Slurm's --spread-job; Kubernetes' LeastAllocated",
	.one_at_a_time = true,
	.score = score_worst,
};

const struct sl_node_scorer place_weight = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "weight",
	.summary = "the node of the least weight, as its operator says; then the lowest",
	.paper = "Slurm's Weight of nodes",
	.score = score_weight,
};

/* ---- Node scorers that see a node as cpus and GPUs, all of its GPUs together, each as a part of
 * the most that a node of the cluster has: the baselines BestFit and DotProd of Weng et al., USENIX ATC
 * 2023, as in the paper's artifact. Scores are whole numbers of 0 to 100, cut off, so that many nodes are
 * alike. Memory does not count, nor which GPUs are free. A share goes to the device with the least free that
 * fits it. What has no bound does not count either.
 */

/* A part of the most; the artifact's order of operations is kept, so that the cut falls alike. */
static double place_nodes_part(int64_t amount, int64_t most)
{
	return most > 0 && amount < UNBOUNDED ? (double)amount / (double)most : 0;
}

/* (1 - sum 1/2 (free - requested) / most) * 100. Kubernetes then normalises the scores of a decision to
 * 0..100, which keeps their order. */
static int64_t score_gpu_bestfit(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)tasks; /* One at a time. */
	const struct place_largest *most = state;
	const int64_t cpus = class->free[SL_KIND_CPUS];
	double left = 0;
	left += place_nodes_part(cpus < UNBOUNDED ? cpus - group->task.cpus : cpus, most->cpus) * 0.5;
	left += place_nodes_part(place_gpus_free(class) - group->task.gpus, most->gpus) * 0.5;
	return -(int64_t)((1.0 - left) * PLACE_SCORE_MAX);
}

/* (1 - sum free / most * asked / most / 2) * 100: Tetris' alignment, upside down. */
static int64_t score_dotprod(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)tasks; /* One at a time. */
	const struct place_largest *most = state;
	double product = 0;
	product += place_nodes_part(class->free[SL_KIND_CPUS], most->cpus) *
		   place_nodes_part(group->task.cpus, most->cpus);
	product += place_nodes_part(place_gpus_free(class), most->gpus) *
		   place_nodes_part(group->task.gpus, most->gpus);
	return -(int64_t)((1.0 - product / 2) * PLACE_SCORE_MAX);
}

const struct sl_node_scorer place_gpu_bestfit = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "gpu_bestfit",
	.summary =
		"one task at a time, to the node with the least cpus and GPUs left over, in steps of a hundredth",
	.paper = "BestFit of Weng et al., USENIX ATC 2023; Panigrahy et al., MSR 2011",
	.one_at_a_time = true,
	.init = place_largest_init,
	.score = score_gpu_bestfit,
};

const struct sl_node_scorer place_dotprod = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "dotprod",
	.summary =
		"one task at a time, to the node whose free cpus and GPUs times those asked are least, in steps of a hundredth",
	.paper = "DotProd of Weng et al., USENIX ATC 2023, after Grandl et al., SIGCOMM 2014",
	.one_at_a_time = true,
	.init = place_largest_init,
	.score = score_dotprod,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_vectors.c - placings that see a node as cpus and GPUs, all of its GPUs together, each as a part of
 * the most that a node of the cluster has: the baselines BestFit and DotProd of Weng et al., USENIX ATC 2023,
 * as in the paper's artifact. Scores are whole numbers of 0 to 100, cut off, so that many nodes are alike.
 * Memory does not count, nor which GPUs are free. A share goes to the device with the least free that holds
 * it. What has no bound does not count either.
 */
#include "policies/place/place.h"

/* A part of the most; the artifact's order of operations is kept, so that the cut falls alike. */
static double part(int64_t amount, int64_t most)
{
	return most > 0 && amount < UNBOUNDED ? (double)amount / (double)most : 0;
}

/* (1 - sum 1/2 (free - asked) / most) * 100. Kubernetes then stretches the scores of a decision to 0..100,
 * which keeps their order. */
static int64_t score_gpu_bestfit(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)tasks; /* One at a time. */
	const struct place_largest *most = state;
	const int64_t cpus = class->free[SL_KIND_CPUS];
	double left = 0;
	left += part(cpus < UNBOUNDED ? cpus - group->task.cpus : cpus, most->cpus) * 0.5;
	left += part(place_gpus_free(class) - group->task.gpus, most->gpus) * 0.5;
	return -(int64_t)((1.0 - left) * PLACE_SCORE_MAX);
}

/* (1 - sum free / most * asked / most / 2) * 100: Tetris' alignment, upside down. */
static int64_t score_dotprod(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)tasks; /* One at a time. */
	const struct place_largest *most = state;
	double product = 0;
	product += part(class->free[SL_KIND_CPUS], most->cpus) * part(group->task.cpus, most->cpus);
	product += part(place_gpus_free(class), most->gpus) * part(group->task.gpus, most->gpus);
	return -(int64_t)((1.0 - product / 2) * PLACE_SCORE_MAX);
}

const struct sl_placing place_gpu_bestfit = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "gpu_bestfit",
	.summary =
		"one task at a time, to the node with the least cpus and GPUs left over, in steps of a hundredth",
	.paper = "BestFit of Weng et al., USENIX ATC 2023; Panigrahy et al., MSR 2011",
	.one_at_a_time = true,
	.init = place_largest_init,
	.score = score_gpu_bestfit,
};

const struct sl_placing place_dotprod = {
	.abi = SL_ABI_OF(struct sl_placing),
	.name = "dotprod",
	.summary =
		"one task at a time, to the node whose free cpus and GPUs times those asked are least, in steps of a hundredth",
	.paper = "DotProd of Weng et al., USENIX ATC 2023, after Grandl et al., SIGCOMM 2014",
	.one_at_a_time = true,
	.init = place_largest_init,
	.score = score_dotprod,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_gpus.c - node scorers by which GPUs of a node are in use: the baselines GpuPacking, GpuClustering
 * and Random of Weng et al., USENIX ATC 2023, as in the paper's artifact. Scores are whole numbers of 0 to
 * 100. For tasks without GPUs all nodes are alike. Random apart, a share goes to the device with the
 * least free that fits it.
 */
#include "policies/place/place.h"

/* ---- Packing -------------------------------------------------------------------------------------- */

enum { USED_NODE = PLACE_SCORE_MAX / 2, FREE_NODE = PLACE_SCORE_MAX / 3, PERCENT = 100 };

static int64_t at_least(int64_t value, int64_t bound) { return value > bound ? value : bound; }

/* Of a node that is used: the device with the least free that fits a share; negative: none does. */
static int64_t tightest(const struct sl_node_class *class, const struct sl_task_resources *task)
{
	int64_t least = -1;
	for (uint32_t i = 0; i < class->cluster->type[class->type].device_count; i++) {
		if (!place_holds(class, task, i))
			continue;
		const int64_t free = place_free_of(class, i);
		least = least < 0 || free < least ? free : least;
	}
	return least;
}

/* Wholly free devices, in parts. */
static int64_t gpus_whole(const struct sl_node_class *class, int64_t parts)
{
	if (!class->device)
		return place_gpus_free(class);
	int64_t sum = 0;
	for (uint32_t i = 0; i < class->cluster->type[class->type].device_count; i++)
		sum += place_free_of(class, i) == parts ? parts : 0;
	return sum;
}

/* In this order: a device that is shared already, the less of it free the better; free devices of a node that
 * is used, few; a node all of whose devices are free, of few. */
static int64_t score_gpu_packing(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	(void)tasks; /* One at a time. */
	const int64_t parts = place_gpu_parts(class);
	const uint32_t devices = place_asks_devices(&group->task, parts);
	if (!devices)
		return 0;
	const int64_t whole = gpus_whole(class, parts);
	if (whole == place_gpus_of(class->cluster, class->type))
		return -at_least(FREE_NODE - whole / parts, 0);
	const bool some = class->device && place_asks_some(&group->task, parts);
	const int64_t free = some ? tightest(class, &group->task) : parts;
	if (free == parts)
		return -at_least(USED_NODE - (int64_t)devices, FREE_NODE);
	return free < 0 ? 0 : -at_least(PLACE_SCORE_MAX - free * PERCENT / parts / 10, USED_NODE);
}

/* ---- Clustering ------------------------------------------------------------------------------------- */

static enum sl_task_mix task_mix_of(const struct sl_task_resources *task, int64_t parts)
{
	if (place_asks_some(task, parts))
		return SL_TASK_MIX_SHARE;
	switch (place_asks_devices(task, parts)) {
	case 1:
		return SL_TASK_MIX_1;
	case 2:
		return SL_TASK_MIX_2;
	case 4:
		return SL_TASK_MIX_4;
	case 8:
		return SL_TASK_MIX_8;
	default:
		return SL_TASK_MIX_OTHER;
	}
}

/* In this order: nodes with tasks of this sort alone, of this sort among others, without GPU tasks, of other
 * sorts alone; among those the fewest free GPUs. Where sorts are not known, a node of which GPUs are in use
 * has others. */
static int64_t score_gpu_clustering(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)tasks; /* One at a time. */
	const struct place_largest *most = state;
	const int64_t parts = place_gpu_parts(class);
	if (!place_asks_devices(&group->task, parts) || !most->gpus)
		return 0;
	const int64_t free = place_gpus_free(class);
	uint32_t sorts = !class->task_mix && free < place_gpus_of(class->cluster, class->type);
	for (uint32_t sort = 0; class->task_mix && sort < SL_TASK_MIXES; sort++)
		sorts += class->task_mix[sort] < 0;
	const bool own = class->task_mix && class->task_mix[task_mix_of(&group->task, parts)] < 0;
	const int64_t quarter = PLACE_SCORE_MAX / 4;
	const int64_t tier = own ? (sorts == 1 ? 3 : 2) : (sorts ? 0 : 1);
	return -(quarter * tier + quarter * (most->gpus - free) / most->gpus);
}

/* ---- Random ----------------------------------------------------------------------------------------- */

struct chance {
	uint64_t seed;
};

static int random_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct chance *chance = sl_alloc(setup->arena, 1, sizeof(*chance));
	if (!chance)
		return sl_fail_memory(err);
	struct sl_rng rng = sl_rng_stream(setup->seed, "policies/place/random");
	chance->seed = sl_rng_u64(&rng);
	*state = chance;
	return SL_OK;
}

/* Steele, Lea & Flood, OOPSLA 2014: the finalizer of SplitMix64. */
static uint64_t mixed(uint64_t hash, uint64_t value)
{
	hash = hash * UINT64_C(0x9e3779b97f4a7c15) + value + UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 31;
}

/* Any device that fits it: by a hash of the seed, what the node has free, the request, and the device. */
static int64_t device_random(void *state, const struct sl_device_pick *pick)
{
	const struct sl_node_class *class = pick->class;
	const struct sl_task_resources *task = &pick->group->task;
	uint64_t hash = mixed(((const struct chance *)state)->seed, class->type);
	for (uint32_t kind = 0; kind < class->cluster->kind_count; kind++)
		hash = mixed(hash, (uint64_t) class->free[kind]);
	for (uint32_t i = 0; i < class->cluster->type[class->type].device_count; i++)
		hash = mixed(hash, (uint64_t) class->device[i]);
	hash = mixed(mixed(mixed(hash, (uint64_t)task->cpus), (uint64_t)task->mem), (uint64_t)task->gpus);
	return (int64_t)(mixed(mixed(hash, pick->device), pick->slice) >> 1);
}

const struct sl_node_scorer place_gpu_packing = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "gpu_packing",
	.summary =
		"one task at a time, to shared GPUs first, then free ones of nodes in use, then idle nodes",
	.paper = "GpuPacking of Weng et al., USENIX ATC 2023",
	.one_at_a_time = true,
	.devices = true,
	.score = score_gpu_packing,
};

const struct sl_node_scorer place_gpu_clustering = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "gpu_clustering",
	.summary = "one task at a time, to nodes that hold tasks of as many GPUs",
	.paper = "GpuClustering of Weng et al., USENIX ATC 2023, after Xiao et al. (Gandiva), OSDI 2018",
	.one_at_a_time = true,
	.devices = true,
	.init = place_largest_init,
	.score = score_gpu_clustering,
};

const struct sl_node_scorer place_random = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "random",
	.summary =
		"any node that holds a task, and any of its GPUs that holds a share: ties are always random",
	.paper = "Random of Weng et al., USENIX ATC 2023",
	.init = random_init,
	.score = place_score_none,
	.score_device = device_random,
	.at_random = true,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_consolidate.c - node scorers that keep a job on few nodes, and on few islands of a node.
 *
 * Consolidate is the placement of Hu, Sun, Yan, Wen & Zhang, "Characterization and Prediction of Deep
 * Learning Workloads in Large-Scale GPU Datacenters" (Helios), SC 2021, as in the paper's artifact. A job of
 * at most as many GPUs as a node has goes to one node, that with the fewest free GPUs that fits it; a larger
 * one to idle nodes, wholly, and what is left over of it to one node, that with the most free GPUs. A node
 * scorer chooses among nodes, and makes no job wait: a job that should rather wait than be scattered
 * requests nodes_max.
 */
#include "policies/place/place.h"

enum { NODE_BITS = 20, TASK_BITS = 40 };

static int64_t tier(int64_t value, int bits) { return value * (INT64_C(1) << bits); }

/* What counts of a node: GPUs where some are asked, else cpus. */
static int64_t free_that_counts(const struct sl_node_class *class, const struct sl_group *group)
{
	const int64_t cpus = class->free[SL_KIND_CPUS];
	if (place_asks_devices(&group->task, place_gpu_parts(class)))
		return place_gpus_free(class);
	return cpus < UNBOUNDED ? cpus : UNBOUNDED;
}

static bool is_idle(const struct sl_node_class *class, const struct sl_group *group)
{
	const struct sl_node_type *type = &class->cluster->type[class->type];
	const bool gpus = place_asks_devices(&group->task, place_gpu_parts(class));
	return gpus ? place_gpus_free(class) == place_gpus_of(class->cluster, class->type)
		    : class->free[SL_KIND_CPUS] == type->amount[SL_KIND_CPUS];
}

/* Does what goes there leave less than a task free on it? */
static bool is_whole(const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	const bool gpus = place_asks_devices(&group->task, place_gpu_parts(class));
	const int64_t each = gpus ? group->task.gpus : group->task.cpus;
	return is_idle(class, group) && free_that_counts(class, group) - each * (int64_t)tasks < each;
}

/* All of the job: the tightest first. Idle nodes that it fills. What is left over of it: the most free first.
 */
static int64_t score_consolidate(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	const int64_t free = free_that_counts(class, group);
	if (tasks >= group->tasks)
		return free - tier(2, TASK_BITS);
	if (is_whole(class, group, tasks))
		return -tier(1, TASK_BITS);
	return -free;
}

/* ---- Islands --------------------------------------------------------------------------------- */

/* By island, the wholly free devices that will do. Islands are numbered by 8 bits. */
struct islands {
	uint16_t whole[UINT8_MAX + 1];
	uint32_t count; /* Up to the last. */
};

static void islands_of(
	struct islands *islands, const struct sl_node_class *class, const struct sl_task_resources *task)
{
	const struct sl_node_type *type = &class->cluster->type[class->type];
	*islands = (struct islands){ 0 };
	for (uint32_t i = 0; i < type->device_count; i++) {
		const struct sl_device *device = &type->device[i];
		if (device->mig || !place_kind_will_do(task, device->kind) ||
			class->device[i] != place_gpu_parts(class))
			continue;
		islands->whole[device->island]++;
		islands->count = device->island >= islands->count ? device->island + 1U : islands->count;
	}
}

/* The island with the fewest that fits so many; else with the most. UINT32_MAX: none has any. */
static uint32_t island_for(const struct islands *islands, uint32_t devices)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < islands->count; i++) {
		const uint32_t whole = islands->whole[i];
		if (!whole)
			continue;
		const uint32_t so_far = best == UINT32_MAX ? 0 : islands->whole[best];
		const bool better = so_far >= devices ? whole >= devices && whole < so_far : whole > so_far;
		best = better ? i : best;
	}
	return best;
}

/* How many islands so many devices need, and what is left of the last. */
static int64_t cost_of_islands(struct islands *islands, uint32_t devices)
{
	int64_t cost = 0;
	while (devices) {
		const uint32_t island = island_for(islands, devices);
		if (island == UINT32_MAX)
			return tier(UINT8_MAX + 1, NODE_BITS); /* Not on this node. */
		const uint32_t whole = islands->whole[island];
		const uint32_t taken = whole < devices ? whole : devices;
		cost += tier(1, NODE_BITS) + (whole - taken);
		islands->whole[island] = 0;
		devices -= taken;
	}
	return cost;
}

/* A share goes to a device that is shared already, the less of it free the better; else it breaks the
 * smallest island. */
static int64_t cost_of_share(
	const struct sl_node_class *class, const struct sl_group *group, const struct islands *islands)
{
	const int64_t parts = place_gpu_parts(class);
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < class->cluster->type[class->type].device_count; i++) {
		if (!place_holds(class, &group->task, i))
			continue;
		const int64_t free = place_free_of(class, i);
		least = free < least && (free < parts || class->cluster->type[class->type].device[i].mig)
				? free
				: least;
	}
	const uint32_t island = island_for(islands, 1);
	if (least < INT64_MAX)
		return least;
	return tier(1, NODE_BITS) + (island == UINT32_MAX ? 0 : islands->whole[island]);
}

/* Most tasks first, so that jobs stay on few nodes; then the fewest islands; then the tightest. Where devices
 * are not followed, or none is asked, the fewest free GPUs. */
static int64_t score_island(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state;
	const int64_t parts = place_gpu_parts(class);
	const uint32_t devices = place_asks_devices(&group->task, parts);
	const int64_t nodes = -tier(tasks, TASK_BITS);
	if (!devices || !class->device)
		return nodes + place_gpus_free(class) / parts;
	struct islands islands;
	islands_of(&islands, class, &group->task);
	if (place_asks_some(&group->task, parts))
		return nodes + cost_of_share(class, group, &islands);
	return nodes + cost_of_islands(&islands, devices * tasks);
}

const struct sl_node_scorer place_consolidate = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "consolidate",
	.summary =
		"one node, the tightest that holds all of the job; larger jobs wholly idle nodes, then one for the rest",
	.paper = "Hu et al. (Helios), SC 2021",
	.score = score_consolidate,
};

const struct sl_node_scorer place_island = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "island",
	.summary =
		"the fewest nodes, and on them the fewest NVLink islands, the tightest that hold the tasks",
	.paper = "best fit over islands; after Zhao et al. (HiveD), OSDI 2020",
	.devices = true,
	.by_island = true,
	.score = score_island,
};

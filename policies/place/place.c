/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.c - a task's GPU request, and the free devices of a node for it.
 */
#include "policies/place/place.h"

bool place_asks_some(const struct sl_task_resources *task, int64_t parts)
{
	return task->mig || task->gpu_mem > 0 || (task->gpus > 0 && task->gpus < parts);
}

uint32_t place_asks_devices(const struct sl_task_resources *task, int64_t parts)
{
	if (place_asks_some(task, parts))
		return 1;
	return task->gpus > 0 ? (uint32_t)(task->gpus / parts) : 0;
}

int64_t place_share_of(const struct sl_task_resources *task, const struct sl_device *device, int64_t parts)
{
	if (task->mig || device->mig || !place_kind_will_do(task, device->kind))
		return -1;
	if (task->gpu_mem > 0) {
		const bool holds = device->mem >= task->gpu_mem; /* Nor where its memory is not known. */
		return holds ? (int64_t)(((__int128)parts * task->gpu_mem + device->mem - 1) / device->mem)
			     : -1;
	}
	return task->gpus < parts ? task->gpus : parts;
}

uint32_t place_starts(const struct sl_cluster *cluster, uint32_t mig, const struct sl_device *device,
	uint32_t free, uint32_t *slices)
{
	if (!mig || !device->mig)
		return 0;
	const struct sl_mig_profile *fit =
		&cluster->mig_fit[(size_t)(mig - 1) * cluster->mig_model_count + device->mig - 1];
	*slices = fit->slices;
	uint32_t starts = 0;
	for (uint32_t i = 0; fit->slices && i + fit->slices <= SL_MIG_SLICES; i++) {
		const uint32_t run = ((1U << fit->slices) - 1) << i;
		starts |= fit->starts >> i & 1 && (free & run) == run ? 1U << i : 0;
	}
	return starts;
}

int64_t place_free_of(const struct sl_node_class *class, uint32_t device)
{
	const int64_t free = class->device[device];
	const bool divided = class->cluster->type[class->type].device[device].mig != 0;
	return divided ? place_bits((uint64_t)free) * place_gpu_parts(class) / SL_MIG_SLICES : free;
}

bool place_holds(const struct sl_node_class *class, const struct sl_task_resources *task, uint32_t device)
{
	const struct sl_device *what = &class->cluster->type[class->type].device[device];
	const int64_t parts = place_gpu_parts(class);
	uint32_t slices;
	if (task->mig)
		return place_kind_will_do(task, what->kind) &&
		       place_starts(
			       class->cluster, task->mig, what, (uint32_t) class->device[device], &slices);
	const int64_t share = place_share_of(task, what, parts);
	return share >= 0 && class->device[device] >= share;
}

int64_t place_gpus_free(const struct sl_node_class *class)
{
	int64_t sum = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < class->cluster->kind_count; kind++)
		sum += class->free[kind];
	return sum;
}

int64_t place_gpus_of(const struct sl_cluster *cluster, uint32_t type)
{
	int64_t sum = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		sum += cluster->type[type].amount[kind];
	return sum;
}

int place_largest_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct place_largest *largest = sl_alloc(setup->arena, 1, sizeof(*largest));
	if (!largest)
		return sl_fail_memory(err);
	const struct sl_cluster *cluster = setup->cluster;
	for (uint32_t type = 0; type < cluster->type_count; type++) {
		const int64_t cpus = cluster->type[type].amount[SL_KIND_CPUS];
		const int64_t gpus = place_gpus_of(cluster, type);
		largest->cpus = cpus < UNBOUNDED && cpus > largest->cpus ? cpus : largest->cpus;
		largest->gpus = gpus > largest->gpus ? gpus : largest->gpus;
	}
	*state = largest;
	return SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * asks.c - requests that were not written for Slurm, as job descriptions of Slurm's.
 */
#include "policies/slurm/select/asks.h"

#include <stdio.h>
#include <string.h>

static int64_t asks_bound(uint32_t value) { return value ? value : SL_NONE; }

/* "2" GPUs, or "a100:2"; of several types the first. */
static const char *gpus_text(
	const struct sl_cluster *cluster, struct sl_arena *arena, const struct sl_task_resources *task)
{
	char text[80];
	if (!task->gpus)
		return NULL;
	int len;
	if (task->gpu_types)
		len = snprintf(text, sizeof(text), "%s:%lld",
			cluster->kind_name[SL_KIND_GPUS + __builtin_ctz(task->gpu_types)],
			(long long)task->gpus);
	else
		len = snprintf(text, sizeof(text), "%lld", (long long)task->gpus);
	return sl_strdup(arena, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

/* A group in Slurm's words. A task's memory becomes that of a cpu, rounded up. */
static bool desc_of_group(const struct sl_cluster *cluster, struct sl_arena *arena,
	const struct sl_group *group, struct sl_job_desc *desc)
{
	sl_job_desc_clear(desc);
	desc->tasks = group->tasks;
	desc->cpus_per_task = group->task.cpus > 0 ? group->task.cpus : 1;
	desc->nodes_min = asks_bound(group->nodes_min);
	desc->nodes_max = asks_bound(group->nodes_max);
	desc->tasks_per_node = asks_bound(group->tasks_per_node);
	if (group->task.mem)
		desc->mem_per_cpu = (group->task.mem + desc->cpus_per_task - 1) / desc->cpus_per_task;
	desc->gpus_per_task = gpus_text(cluster, arena, &group->task);
	desc->exclusive = group->exclusive ? SL_EXCLUSIVE_NODE : SL_EXCLUSIVE_NO;
	return !group->task.gpus || desc->gpus_per_task;
}

int slurm_asks_make(const struct sl_cluster *cluster, const struct sl_jobs *jobs, struct sl_arena *arena,
	uint32_t components_max, const struct sl_job_desc *const **desc, struct sl_err *err)
{
	const struct sl_job_desc **of =
		sl_alloc(arena, jobs->request_count + 1, sizeof(struct sl_job_desc *));
	*desc = of;
	if (!of)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < jobs->request_count; i++) {
		const struct sl_request *request = &jobs->requests[i];
		if (request->group_count > components_max)
			return sl_fail(err, SL_INPUT,
				"a job has %u groups, and in Slurm's words it can have at most %u components",
				request->group_count, components_max);
		of[i] = request->desc;
		if (request->desc)
			continue;
		struct sl_job_desc *made = sl_alloc(arena, request->group_count, sizeof(*made));
		of[i] = made;
		for (uint32_t k = 0; k < request->group_count; k++)
			if (!made || !desc_of_group(cluster, arena, &request->group[k], &made[k]))
				return sl_fail_memory(err);
	}
	return SL_OK;
}

const char *slurm_not_whole(const struct sl_cluster *cluster, const struct sl_jobs *jobs)
{
	if (cluster->cpu_parts > 1)
		return "some node has, or some job asks for, a part of a cpu";
	for (uint32_t i = 0; i < jobs->request_count; i++)
		for (uint32_t k = 0; k < jobs->requests[i].group_count; k++) {
			const struct sl_task_resources *task = &jobs->requests[i].group[k].task;
			if (task->mig)
				return "some job asks for a MIG profile";
			if (task->gpu_mem)
				return "some job asks for memory of a GPU";
			if (task->gpus % sl_parts(cluster->gpu_parts))
				return "some job asks for a share of a GPU";
		}
	for (uint32_t i = 0; i < cluster->type_count; i++)
		for (uint32_t k = 0; k < cluster->type[i].device_count; k++)
			if (cluster->type[i].device[k].mig)
				return "some node has GPUs divided by MIG";
	return cluster->gpu_parts > 1 ? "GPUs are counted in thousandths" : NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_whole.c - a cluster and jobs in whole cpus and GPUs; see ctl_whole.h.
 */
#include "policies/slurm/control/ctl_whole.h"

static bool in_parts(const struct sl_cluster *cluster)
{
	return cluster->cpu_parts > 1 || cluster->gpu_parts > 1;
}

static const char *type_not_whole(const struct sl_cluster *cluster, const struct sl_node_type *type)
{
	if (type->amount[SL_KIND_CPUS] % sl_parts(cluster->cpu_parts))
		return "some node has, or some job asks for, a part of a cpu";
	for (uint32_t i = 0; i < type->device_count; i++)
		if (type->device[i].mig)
			return "some node has GPUs divided by MIG";
	return NULL;
}

static const char *task_not_whole(const struct sl_cluster *cluster, const struct sl_task_resources *task)
{
	if (task->cpus % sl_parts(cluster->cpu_parts))
		return "some node has, or some job asks for, a part of a cpu";
	if (task->mig)
		return "some job asks for a MIG profile";
	if (task->gpu_mem)
		return "some job asks for memory of a GPU";
	return task->gpus % sl_parts(cluster->gpu_parts) ? "some job asks for a share of a GPU" : NULL;
}

static const char *request_not_whole(const struct sl_cluster *cluster, const struct sl_request *request)
{
	const char *why = NULL;
	for (uint32_t k = 0; k < request->group_count && !why; k++)
		why = task_not_whole(cluster, &request->group[k].task);
	return why;
}

const char *ctl_not_whole(const struct sl_setup *setup)
{
	const struct sl_cluster *cluster = setup->cluster;
	const struct sl_jobs *jobs = setup->jobs;
	const char *why = NULL;
	for (uint32_t row = 0; row < jobs->count && jobs->request && !why; row++)
		if (!setup->foreign || !setup->foreign[row])
			why = request_not_whole(cluster, &jobs->requests[jobs->request[row]]);
	for (uint32_t node = 0; node < cluster->node_count && !why; node++)
		if (!setup->unavailable || !setup->unavailable[node])
			why = type_not_whole(cluster, &cluster->type[cluster->node_type[node]]);
	return why;
}

const struct sl_cluster *ctl_whole_cluster(const struct sl_setup *setup)
{
	const struct sl_cluster *from = setup->cluster;
	if (!in_parts(from))
		return from;
	struct sl_cluster *cluster = sl_alloc(setup->arena, 1, sizeof(*cluster));
	struct sl_node_type *type = sl_alloc(setup->arena, from->type_count, sizeof(*type));
	if (!cluster || !type)
		return NULL;
	*cluster = *from;
	cluster->type = type;
	cluster->cpu_parts = cluster->gpu_parts = 1;
	cluster->cpus = cluster->gpus = 0;
	for (uint32_t i = 0; i < from->type_count; i++) {
		type[i] = from->type[i];
		type[i].amount[SL_KIND_CPUS] /= sl_parts(from->cpu_parts);
		for (uint32_t kind = SL_KIND_GPUS; kind < from->kind_count; kind++)
			type[i].amount[kind] /= sl_parts(from->gpu_parts);
	}
	for (uint32_t node = 0; node < from->node_count; node++) {
		const struct sl_node_type *of = &type[from->node_type[node]];
		cluster->cpus += of->amount[SL_KIND_CPUS];
		for (uint32_t kind = SL_KIND_GPUS; kind < from->kind_count; kind++)
			cluster->gpus += of->amount[kind];
	}
	return cluster;
}

static int64_t rounded_up(int64_t amount, int64_t unit) { return (amount + unit - 1) / unit; }

static bool narrow(const struct sl_setup *setup, const struct sl_request *from, struct sl_request *request)
{
	const int64_t cpus = sl_parts(setup->cluster->cpu_parts);
	const int64_t gpus = sl_parts(setup->cluster->gpu_parts);
	struct sl_group *group = sl_alloc(setup->arena, from->group_count, sizeof(*group));
	*request = *from;
	request->group = group;
	request->cpus = rounded_up(from->cpus, cpus);
	request->gpus = rounded_up(from->gpus, gpus);
	for (uint32_t k = 0; group && k < from->group_count; k++) {
		group[k] = from->group[k];
		group[k].task.cpus = rounded_up(group[k].task.cpus, cpus);
		group[k].task.gpus = rounded_up(group[k].task.gpus, gpus);
	}
	return group != NULL;
}

const struct sl_jobs *ctl_whole_jobs(const struct sl_setup *setup)
{
	const struct sl_jobs *from = setup->jobs;
	if (!in_parts(setup->cluster))
		return from;
	struct sl_jobs *jobs = sl_alloc(setup->arena, 1, sizeof(*jobs));
	struct sl_request *request =
		sl_alloc(setup->arena, (size_t)from->request_count + 1, sizeof(*request));
	if (!jobs || !request)
		return NULL;
	*jobs = *from;
	jobs->requests = request;
	for (uint32_t i = 0; i < from->request_count; i++)
		if (!narrow(setup, &from->requests[i], &request[i]))
			return NULL;
	return jobs;
}

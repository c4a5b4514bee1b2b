/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid_need.c - jobs that wait for nodes, and which nodes would help.
 *
 * By amounts alone: a node helps a job if a task of each of its groups fits it when it is empty, and, of
 * Slurm's jobs, if it is in the job's partition. Selectors, taints and features are ignored: a side that
 * gets a node in vain has it idle, and it goes back.
 */
#include "policies/hybrid/hybrid.h"

#include <string.h>
#include <strings.h>

/* ---- What fits ------------------------------------------------------------------------------- */

static int64_t hybrid_need_gpus_of(
	const struct sl_cluster *cluster, const struct sl_node_type *type, uint32_t types)
{
	int64_t sum = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		sum += !types || (types >> (kind - SL_KIND_GPUS) & 1) ? type->amount[kind] : 0;
	return sum;
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Tasks of a group on an empty node of that type. */
static int64_t tasks_on(
	const struct sl_cluster *cluster, const struct sl_node_type *type, const struct sl_group *group)
{
	const struct sl_task_resources *task = &group->task;
	int64_t tasks = group->tasks_per_node ? group->tasks_per_node : group->tasks;
	if (task->cpus)
		tasks = lesser(tasks, type->amount[SL_KIND_CPUS] / task->cpus);
	if (task->mem && type->amount[SL_KIND_MEM] < SL_MEM_UNBOUNDED)
		tasks = lesser(tasks, type->amount[SL_KIND_MEM] / task->mem);
	if (task->gpus)
		tasks = lesser(tasks, hybrid_need_gpus_of(cluster, type, task->gpu_types) / task->gpus);
	return tasks;
}

static uint32_t nodes_for(
	const struct sl_cluster *cluster, const struct sl_node_type *type, const struct sl_request *request)
{
	int64_t nodes = 0;
	for (uint32_t k = 0; k < request->group_count; k++) {
		const struct sl_group *group = &request->group[k];
		const int64_t tasks = tasks_on(cluster, type, group);
		if (tasks < 1)
			return 0;
		const int64_t wanted = (group->tasks + tasks - 1) / tasks;
		nodes += wanted > group->nodes_min ? wanted : group->nodes_min;
	}
	return nodes < 1 ? 1 : nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

/* ---- Partitions of Slurm --------------------------------------------------------------------- */

static uint32_t find_partition(const struct sl_cluster *cluster, const char *name)
{
	for (uint32_t i = 0; i < cluster->partition_count; i++)
		if (strcasecmp(cluster->partition[i].name, name) == 0)
			return i;
	return UINT32_MAX;
}

static int make_partitions(struct hybrid *h, struct sl_err *err)
{
	h->part_names = h->jobs->partition_name ? h->jobs->partition_count : 0;
	h->part_of = sl_alloc(h->arena, (size_t)h->part_names + 1, sizeof(*h->part_of));
	if (!h->part_of)
		return sl_fail_memory(err);
	h->part_default = UINT32_MAX;
	for (uint32_t i = 0; i < h->cluster->partition_count; i++)
		if (h->cluster->partition[i].is_default)
			h->part_default = i;
	for (uint32_t i = 0; i < h->part_names; i++)
		h->part_of[i] = find_partition(h->cluster, h->jobs->partition_name[i]);
	return SL_OK;
}

/* Nodes of that type are in the job's partition; without partitions all are. */
static bool in_partition(const struct hybrid *h, uint32_t job, uint32_t type)
{
	const int32_t its = h->jobs->partition[job];
	uint32_t part = h->part_default;
	if (!h->cluster->partition_count)
		return true;
	if (its >= 0 && (uint32_t)its < h->part_names && h->part_of[its] != UINT32_MAX)
		part = h->part_of[its];
	if (part == UINT32_MAX)
		return false;
	const uint32_t set = h->cluster->partition[part].node_set;
	return !set || (h->cluster->node_set[set].types[type / 64] >> (type % 64) & 1);
}

/* ---- Of a job -------------------------------------------------------------------------------- */

int hybrid_need_make(struct hybrid *h, struct sl_err *err)
{
	const size_t requests = (size_t)h->jobs->request_count + 1;
	h->needs = sl_alloc(h->arena, requests * (h->cluster->type_count + 1), sizeof(*h->needs));
	h->needs_known = sl_alloc(h->arena, requests, sizeof(*h->needs_known));
	h->seen = sl_alloc(h->arena, requests, sizeof(*h->seen));
	h->priority = sl_alloc(h->arena, (size_t)h->jobs->count + 1, sizeof(*h->priority));
	if (!h->needs || !h->needs_known || !h->seen || !h->priority)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < h->jobs->count; row++)
		h->priority[row] = SL_NONE;
	return make_partitions(h, err);
}

uint32_t hybrid_needs(struct hybrid *h, uint32_t job, uint32_t type)
{
	const uint32_t request = h->jobs->request ? h->jobs->request[job] : 0;
	uint32_t *needs = &h->needs[(size_t)request * h->cluster->type_count];
	if (!h->jobs->request || (h->side[job] == HYBRID_SLURM && !in_partition(h, job, type)))
		return 0;
	for (uint32_t t = 0; !h->needs_known[request] && t < h->cluster->type_count; t++)
		needs[t] = nodes_for(h->cluster, &h->cluster->type[t], &h->jobs->requests[request]);
	h->needs_known[request] = true;
	return needs[type];
}

bool hybrid_waits_for_nodes(const struct sl_pass *pass, sl_job job)
{
	static const bool helps[SL_REASON_COUNT] = { [SL_REASON_RESOURCES] = true,
		[SL_REASON_PRIORITY] = true,
		[SL_REASON_NODES_NOT_AVAIL] = true,
		[SL_REASON_NODES_DOWN] = true,
		[SL_REASON_UNSCHEDULABLE] = true,
		[SL_REASON_TOPOLOGY] = true };
	return helps[sl_reason_of(pass, job)];
}

/* ---- Priority of pods ------------------------------------------------------------------------ */

/* The value of the PriorityClass of that name; NULL: of the one that is the global default. */
static bool class_value(const struct sl_cluster *cluster, const char *name, int64_t *value)
{
	for (uint32_t i = 0; i < cluster->object_count; i++) {
		const struct sl_object *object = &cluster->object[i];
		const struct sl_doc_node *at = sl_doc_member(object->doc, object->node, "value");
		const struct sl_doc_node *usual = sl_doc_member(object->doc, object->node, "globalDefault");
		if (strcmp(object->kind, "PriorityClass") != 0 || !at || at->kind != SL_DOC_TEXT)
			continue;
		const bool is_usual = usual && usual->kind == SL_DOC_TEXT &&
				      strcmp(object->doc->text + usual->text, "true") == 0;
		const char *text = object->doc->text + at->text;
		if (name ? strcmp(object->name, name) == 0 : is_usual)
			return sl_get_i64(text, strlen(text), value);
	}
	return false;
}

static int64_t find_priority(struct hybrid *h, uint32_t job)
{
	const struct sl_jobs *jobs = h->jobs;
	const struct sl_job_attributes *more =
		jobs->more_of && jobs->more_of[job] ? &jobs->more[jobs->more_of[job]] : NULL;
	int64_t value = 0;
	if (more && more->manifest) {
		const struct sl_pods *pods = sl_pods_of(h->arena, jobs, h->cluster, job, &h->err);
		if (!pods)
			h->err.status = h->err.status ? h->err.status : SL_SYSTEM;
		for (uint32_t i = 0; pods && i < pods->count; i++) {
			if (pods->podset[i].priority_class &&
				class_value(h->cluster, pods->podset[i].priority_class, &value))
				return value;
			if (pods->podset[i].priority != SL_NONE)
				return pods->podset[i].priority;
		}
	}
	if (more && more->priority != SL_NONE)
		return more->priority;
	return class_value(h->cluster, NULL, &value) ? value : 0;
}

int64_t hybrid_priority(struct hybrid *h, uint32_t job)
{
	if (h->priority[job] == SL_NONE)
		h->priority[job] = find_priority(h, job);
	return h->priority[job];
}

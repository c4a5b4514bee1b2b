/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_groups.c - a job's podsets: of its manifest, or of its groups.
 *
 * A job without a manifest has a podset for each group, of as many pods as it has tasks, which request "cpu",
 * "memory" and "nvidia.com/gpu"; shares of GPUs are rounded up. Where a task wants one type of GPU, and a
 * ResourceFlavor of the cluster (else a node) has a label with that value, its pods select that label.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/doc.h"
#include "sim/kube/pods_parts.h"

#define MIB (INT64_C(1) << 20)

/* ---- Of groups -------------------------------------------------------------------------------------- */

/* The label that says so: of the first flavor in the order of the files. */
static const char *pods_groups_key_of(const struct sl_cluster *cluster, const char *value)
{
	for (uint32_t i = 0; i < cluster->object_count; i++) {
		const struct sl_object *object = &cluster->object[i];
		if (strcmp(object->kind, "ResourceFlavor") != 0)
			continue;
		const struct sl_doc_node *labels = sl_doc_member(
			object->doc, sl_doc_member(object->doc, object->node, "spec"), "nodeLabels");
		for (const struct sl_doc_node *node = labels ? sl_doc_child(object->doc, labels) : NULL; node;
			node = sl_doc_next(object->doc, node))
			if (node->kind == SL_DOC_TEXT && strcmp(object->doc->text + node->text, value) == 0)
				return object->doc->text + node->key;
	}
	for (uint32_t i = 0; cluster->node_labels && i < cluster->node_count; i++)
		for (uint32_t k = 0; k < cluster->node_labels[i].count; k++)
			if (strcmp(cluster->node_labels[i].at[k].value, value) == 0)
				return cluster->node_labels[i].at[k].key;
	return NULL;
}

/* A task that wants one type of GPU, and no other. */
static int select_type(struct sl_arena *arena, const struct sl_cluster *cluster,
	const struct sl_task_resources *task, struct sl_podset *podset, struct sl_err *err)
{
	const uint32_t types = task->gpu_types;
	uint32_t type = 0;
	if (!task->gpus || !types || (types & (types - 1)))
		return SL_OK;
	while (!(types >> type & 1))
		type++;
	const char *value =
		SL_KIND_GPUS + type < cluster->kind_count ? cluster->kind_name[SL_KIND_GPUS + type] : "gpu";
	const char *key = strcmp(value, "gpu") != 0 ? pods_groups_key_of(cluster, value) : NULL;
	struct sl_label *label = key ? sl_alloc(arena, 1, sizeof(*label)) : NULL;
	if (key && !label)
		return sl_fail_memory(err);
	if (label) {
		*label = (struct sl_label){ key, value };
		podset->node_selector = (struct sl_labels){ label, 1 };
	}
	return SL_OK;
}

static int group_as_pods(struct sl_arena *arena, const struct sl_cluster *cluster,
	const struct sl_group *group, struct sl_podset *podset, struct sl_err *err)
{
	struct sl_amount *amount = sl_alloc(arena, 3, sizeof(*amount));
	const int64_t cpu_parts = sl_parts(cluster->cpu_parts);
	const int64_t gpu_parts = sl_parts(cluster->gpu_parts);
	uint32_t count = 0;
	if (!amount)
		return sl_fail_memory(err);
	if (group->task.cpus)
		amount[count++] = (struct sl_amount){ "cpu", group->task.cpus * (1000 / cpu_parts) };
	const bool says_mem = group->task.mem > 0 && group->task.mem < SL_MEM_UNBOUNDED;
	if (says_mem)
		amount[count++] = (struct sl_amount){ "memory", group->task.mem * MIB };
	if (group->task.gpus)
		amount[count++] = (struct sl_amount){ "nvidia.com/gpu",
			(group->task.gpus + gpu_parts - 1) / gpu_parts };
	podset->cpu_unasked = podset->cpu_fit = group->task.cpus ? 0 : POD_CPU_UNASKED;
	podset->mem_unasked = podset->mem_fit = says_mem ? 0 : POD_MEM_UNASKED;
	podset->request = (struct sl_amounts){ amount, count };
	podset->count = group->tasks;
	podset->min_count = group->tasks_min && group->tasks_min < group->tasks ? group->tasks_min : 0;
	return select_type(arena, cluster, &group->task, podset, err);
}

static int name_podset(
	struct sl_arena *arena, uint32_t index, uint32_t count, struct sl_podset *podset, struct sl_err *err)
{
	char text[32];
	podset->priority = SL_NONE;
	podset->name = "main";
	if (count == 1)
		return SL_OK;
	const int len = snprintf(text, sizeof(text), "group-%u", index + 1);
	podset->name = sl_strdup(arena, text, (size_t)len);
	return podset->name ? SL_OK : sl_fail_memory(err);
}

static int pods_of_groups(struct sl_arena *arena, const struct sl_jobs *jobs,
	const struct sl_cluster *cluster, uint32_t job, struct sl_pods *pods, struct sl_err *err)
{
	/* On a counted pool a job is tasks of one cpu. */
	const struct sl_group pool = { .task = { .cpus = sl_parts(cluster->cpu_parts) },
		.tasks = jobs->request ? 0 : (uint32_t)jobs->size[job] };
	const struct sl_request *request = jobs->request ? &jobs->requests[jobs->request[job]] : NULL;
	const uint32_t count = request ? request->group_count : 1;
	struct sl_podset *podset = sl_alloc(arena, count, sizeof(*podset));
	int status = podset ? SL_OK : sl_fail_memory(err);
	for (uint32_t i = 0; i < count && !status; i++) {
		status = name_podset(arena, i, count, &podset[i], err);
		if (!status)
			status = group_as_pods(
				arena, cluster, request ? &request->group[i] : &pool, &podset[i], err);
	}
	*pods = (struct sl_pods){ .kind = "", .podset = podset, .count = count };
	return status;
}

/* ---- Of a manifest ------------------------------------------------------------------------------------ */

static int read_manifest(struct sl_arena *arena, const char *manifest, const char *name, struct sl_doc *kept,
	struct sl_err *err)
{
	struct sl_doc doc = { .file = name };
	int status = sl_doc_read_json(&doc, manifest, strlen(manifest), err);
	if (!status && (!doc.count || doc.node[0].kind != SL_DOC_MAP))
		status = sl_fail(err, SL_INPUT, "%s: must be one object in braces", name);
	if (!status)
		status = sl_doc_keep(arena, &doc, kept, err);
	sl_doc_release(&doc);
	return status;
}

static int of_manifest(struct sl_arena *arena, const struct sl_jobs *jobs, uint32_t job, const char *manifest,
	struct sl_pods *pods, struct sl_err *err)
{
	char name[100];
	struct sl_doc *kept = sl_alloc(arena, 1, sizeof(*kept));
	const char *id = jobs->id_name ? jobs->id_name[job] : NULL;
	if (!kept)
		return sl_fail_memory(err);
	if (id)
		(void)snprintf(name, sizeof(name), "manifest of job %.60s", id);
	else
		(void)snprintf(name, sizeof(name), "manifest of job %lld", (long long)jobs->id[job]);
	int status = read_manifest(arena, manifest, name, kept, err);
	if (!status)
		status = sl_pods_read(arena, kept, &kept->node[0], pods, err);
	return status;
}

const struct sl_pods *sl_pods_of(struct sl_arena *arena, const struct sl_jobs *jobs,
	const struct sl_cluster *cluster, uint32_t job, struct sl_err *err)
{
	const struct sl_job_attributes *more = jobs->more_of ? &jobs->more[jobs->more_of[job]] : NULL;
	struct sl_pods *pods = sl_alloc(arena, 1, sizeof(*pods));
	if (!pods)
		return (void)sl_fail_memory(err), NULL;
	const int status = more && more->manifest ? of_manifest(arena, jobs, job, more->manifest, pods, err)
						  : pods_of_groups(arena, jobs, cluster, job, pods, err);
	return status ? NULL : pods;
}

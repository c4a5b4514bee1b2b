/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_instance.c - instances of KAI: the nodes of a pool, and every queue with its quota there.
 */
#include "policies/runai/runai.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

/* ---- Nodes ---- */

/* Amounts of cpus and memory without bound are large enough for any job. */
#define PLENTY (INT64_C(1) << 50)

static const struct sl_labels *labels_of(const struct runai *r, uint32_t node)
{
	static const struct sl_labels none = { NULL, 0 };
	return r->cluster->node_labels ? &r->cluster->node_labels[node] : &none;
}

/* The one kind of GPU that a node has; 0: none. */
static int runai_instance_kind_of(
	const struct runai *r, const struct sl_node_type *type, uint8_t *kind, struct sl_err *err)
{
	*kind = 0;
	for (uint32_t k = SL_KIND_GPUS; k < r->cluster->kind_count; k++) {
		if (!type->amount[k])
			continue;
		if (*kind)
			return sl_fail(err, SL_INPUT,
				"policy 'runai': nodes of type '%s' have GPUs of several types, which KAI does not "
				"tell apart on a node: list them as nodes of their own",
				type->name);
		*kind = (uint8_t)k;
	}
	return SL_OK;
}

static int64_t device_mem(const struct sl_node_type *type)
{
	int64_t least = 0;
	for (uint32_t i = 0; type->device && i < type->device_count; i++)
		if (type->device[i].mem > 0 && (!least || type->device[i].mem < least))
			least = type->device[i].mem;
	return least;
}

static int add_node(struct runai *r, uint32_t node, struct sl_err *err)
{
	const struct sl_cluster *cluster = r->cluster;
	const struct sl_node_type *type = &cluster->type[cluster->node_type[node]];
	const int64_t cpus = type->amount[SL_KIND_CPUS], mem = type->amount[SL_KIND_MEM];
	const int status = runai_instance_kind_of(r, type, &r->node_kind[node], err);
	if (status)
		return status;
	const struct sl_labels labels = runai_node_labels(&r->config, r->arena, labels_of(r, node),
		r->node_kind[node] ? cluster->kind_name[r->node_kind[node]] : NULL);
	const uint32_t pool = runai_pool_of(&r->config, &labels);
	struct kai *kai = r->instance[pool].kai;
	const uint32_t row = kai_node(kai, cluster->node_name[node]);
	if (row == KAI_NO)
		return sl_fail_memory(err);
	struct kai_node *to = &kai->node[row];
	to->labels = labels;
	to->cpu = cpus / sl_parts(cluster->cpu_parts) * 1000 +
		  cpus % sl_parts(cluster->cpu_parts) * 1000 / sl_parts(cluster->cpu_parts);
	to->mem = mem >= SL_MEM_UNBOUNDED ? PLENTY : mem * MIB;
	to->gpus = r->node_kind[node] ? type->amount[r->node_kind[node]] / sl_parts(cluster->gpu_parts) : 0;
	to->gpu_mem = device_mem(type);
	to->cpu_worker = to->gpus == 0;
	to->row_outside = node;
	r->node_instance[node] = pool;
	r->node_row[node] = row;
	return SL_OK;
}

/* ---- Queues ---- */

static int add_queues(struct runai *r, struct runai_instance *instance, struct sl_err *err)
{
	struct kai *kai = instance->kai;
	for (uint32_t i = 0; i < r->config.queue_count; i++)
		if (kai_queue(kai, r->config.queue[i].name) != i)
			return sl_fail(
				err, SL_INPUT, "two queues have the name '%s'", r->config.queue[i].name);
	for (uint32_t i = 0; i < r->config.queue_count; i++) {
		const struct runai_queue *from = &r->config.queue[i];
		const struct runai_share *share = runai_share_of(from, instance->pool);
		struct kai_queue *to = &kai->queue[i];
		to->parent = from->parent;
		to->priority = from->priority;
		to->created = from->created;
		to->quota = share->quota;
		to->limit = share->limit;
		memcpy(to->weight, share->weight, sizeof(to->weight));
		to->preempt_min = from->preempt_min;
		to->reclaim_min = from->reclaim_min;
		to->row_outside = i;
	}
	return SL_OK;
}

static int add_topologies(struct runai *r, struct kai *kai, struct sl_err *err)
{
	for (uint32_t i = 0; i < r->config.topology_count; i++) {
		const struct kai_topology *from = &r->config.topology[i];
		const uint32_t row = kai_topology(kai, from->name);
		if (row == KAI_NO)
			return sl_fail_memory(err);
		kai->topology[row].level_count = from->level_count;
		for (uint32_t k = 0; k < from->level_count; k++)
			kai->topology[row].level[k] = kai_text(kai, from->level[k]);
	}
	return SL_OK;
}

/* ---- Instances ---- */

static int open_instance(struct runai *r, uint32_t pool, struct sl_err *err)
{
	struct runai_instance *instance = &r->instance[pool];
	instance->pool = pool;
	instance->changed = 1; /* Nobody was there. */
	instance->kai = kai_new(r->arena);
	if (!instance->kai)
		return sl_fail_memory(err);
	instance->kai->config = r->config.pool[pool].config;
	if (r->config.pool[pool].usage)
		instance->usage_config = &r->config.pool[pool].usage_config;
	const int status = add_queues(r, instance, err);
	return status ? status : add_topologies(r, instance->kai, err);
}

/* Windows begin by the log's clock; without one tumbling ones do at time 0, and cron takes that for 1970. */
static int make_usage(struct runai_instance *instance, int64_t epoch, struct sl_err *err)
{
	struct kai_usage_config config = *instance->usage_config;
	config.epoch_s = epoch;
	config.start = epoch ? config.start - epoch * SL_SECOND : 0;
	instance->usage = kai_usage_new(instance->kai, &config);
	if (!instance->usage)
		*err = instance->kai->err;
	return err->status;
}

static int seal_instance(struct runai_instance *instance, int64_t epoch, struct sl_err *err)
{
	if (kai_seal(instance->kai) != 0) {
		*err = instance->kai->err;
		return err->status;
	}
	return instance->usage_config ? make_usage(instance, epoch, err) : SL_OK;
}

int runai_instances_make(struct runai *r, const struct sl_setup *setup, struct sl_err *err)
{
	const uint32_t nodes = r->cluster->node_count;
	r->instance_count = r->config.pool_count;
	r->instance = sl_alloc(r->arena, r->instance_count, sizeof(*r->instance));
	r->node_instance = sl_alloc(r->arena, (size_t)nodes + 1, sizeof(*r->node_instance));
	r->node_row = sl_alloc(r->arena, (size_t)nodes + 1, sizeof(*r->node_row));
	r->node_kind = sl_alloc(r->arena, (size_t)nodes + 1, sizeof(*r->node_kind));
	if (!r->instance || !r->node_instance || !r->node_row || !r->node_kind)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t i = 0; !status && i < r->instance_count; i++)
		status = open_instance(r, i, err);
	for (uint32_t node = 0; !status && node < nodes; node++) {
		status = add_node(r, node, err);
		if (!status && setup->unavailable && setup->unavailable[node])
			r->instance[r->node_instance[node]].kai->node[r->node_row[node]].ready = false;
	}
	if (!status)
		status = runai_nodes_read(r, err);
	for (uint32_t i = 0; !status && i < r->instance_count; i++)
		status = seal_instance(&r->instance[i], setup->epoch, err);
	return status;
}

void runai_instances_release(struct runai *r)
{
	for (uint32_t i = 0; r->instance && i < r->instance_count; i++) {
		kai_usage_free(r->instance[i].usage);
		kai_free(r->instance[i].kai);
	}
}

/* ---- Without a file ---- */

static struct runai_queue *default_queue(
	struct runai *r, struct runai_queue *queue, const char *name, uint32_t parent, int64_t created)
{
	*queue = (struct runai_queue){ .name = name,
		.display = name,
		.parent = parent,
		.priority = 100,
		.created = created,
		.preempt_min = SL_NONE,
		.reclaim_min = SL_NONE,
		.types = (1U << RUNAI_TYPES) - 1 };
	for (int i = 0; i < KAI_RES; i++) {
		queue->share.quota.at[i] = queue->share.limit.at[i] = KAI_UNLIMITED;
		queue->share.weight[i] = 1;
	}
	queue->share.over_quota = true;
	queue->elsewhere = queue->share;
	for (int i = 0; i < RUNAI_TYPES; i++)
		queue->time_limit[i] = queue->idle_limit[i] = SL_NONE;
	(void)r;
	return queue;
}

struct owners {
	const int32_t *of; /* By job; -1: unknown. */
	const char *const *name;
	uint32_t count;
	enum runai_by cause;
};

static uint32_t count_owners(const struct runai *r, const int32_t *of)
{
	int32_t most = -1;
	for (uint32_t i = 0; of && i < r->jobs->count; i++)
		most = of[i] > most ? of[i] : most;
	return most < 0 ? 0 : (uint32_t)most + 1;
}

/* The first by which the trace distinguishes users. */
static struct owners find_owners(const struct runai *r)
{
	const struct sl_jobs *jobs = r->jobs;
	const struct owners all[] = {
		{ jobs->account, jobs->account_name, jobs->account_count, RUNAI_BY_ACCOUNT },
		{ jobs->partition, jobs->partition_name, jobs->partition_count, RUNAI_BY_PARTITION },
		{ jobs->user, jobs->user_name, jobs->user_count, RUNAI_BY_USER },
	};
	for (size_t i = 0; i < SL_LEN(all); i++) {
		struct owners found = all[i];
		if (!found.name)
			found.count = count_owners(r, found.of);
		if (found.count > 1 || (i + 1 == SL_LEN(all) && found.count))
			return found;
	}
	return (struct owners){ NULL, NULL, 0, RUNAI_BY_NONE };
}

int runai_default_projects(struct runai *r, struct sl_err *err)
{
	const struct owners owners = find_owners(r);
	const uint32_t projects = owners.count ? owners.count : 1;
	if (projects > RUNAI_QUEUES_MAX)
		return sl_fail(err, SL_USAGE,
			"policy 'runai': the trace has %u parties: say in projects=FILE whose jobs belong together",
			projects);
	struct runai_queue *queue = sl_alloc(r->arena, (size_t)projects + 1, sizeof(*queue));
	if (!queue)
		return sl_fail_memory(err);
	const int64_t gpus = r->cluster->gpus / sl_parts(r->cluster->gpu_parts) * KAI_GPU;
	(void)default_queue(r, &queue[0], "default-department", KAI_NO, 0);
	queue[0].children = projects;
	if (sl_names_add(r->config.names, queue[0].name) != 0)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < projects; i++) {
		char number[24];
		(void)snprintf(number, sizeof(number), "%u", i);
		const char *text = !owners.count ? "default" : owners.name ? owners.name[i] : number;
		const char *name = sl_strdup(r->arena, text, strlen(text));
		if (!name || sl_names_add(r->config.names, name) != i + 1)
			return sl_fail_memory(err);
		struct runai_queue *project = default_queue(r, &queue[i + 1], name, 0, i + 1);
		project->share.quota.at[KAI_GPUS] = gpus / projects;
		project->share.weight[KAI_GPUS] = 1;
		project->elsewhere = project->share;
	}
	r->config.queue = queue;
	r->config.queue_count = projects + 1;
	r->config.cause = owners.cause;
	r->config.fallback = owners.count ? KAI_NO : 1;
	r->config.has_fallback = !owners.count;
	return SL_OK;
}

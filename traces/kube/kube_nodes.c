/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_nodes.c - Node objects as nodes; without any, one node as large as all quotas together.
 *
 * Of a Node: status.allocatable (cpu, memory, GPUs by the names of NVIDIA's and AMD's device plugins, their
 * type by the label that these plugins' feature discovery sets), spec.unschedulable (drained) and the
 * condition Ready (down unless True). The rest, labels and taints too, policies read in the object.
 */
#include "traces/kube/manifests.h"

#include <stdio.h>
#include <string.h>

/* Of the node that stands for quotas: so much at most, where they are unlimited or absurd. */
enum { QUOTA_CPUS_MAX = 250000, QUOTA_GPUS_MAX = 100000 };
#define MIB           (INT64_C(1) << 20)
#define QUOTA_MEM_MAX (INT64_C(1) << 36) /* MiB: 64 PiB. */

static const struct {
	const char *resource, *label, *type; /* type: where the label is not there. */
} gpus[] = {
	{ "nvidia.com/gpu", "nvidia.com/gpu.product", "gpu" },
	{ "amd.com/gpu", "amd.com/gpu.product-name", "amd" },
};

struct reporting {
	struct sl_arena *arena;
	const struct sl_cluster_sink *sink;
	struct sl_err *err;
	uint32_t nodes;
};

/* 0: there is none of it. */
static int64_t kube_nodes_amount_of(const struct sl_amounts *amounts, const char *resource)
{
	for (uint32_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->at[i].resource, resource) == 0)
			return amounts->at[i].amount;
	return 0;
}

/* ---- Nodes ------------------------------------------------------------------------------------------ */

/* Ready is missing in what was written by hand: up. */
static bool is_ready(const struct sl_object *object)
{
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *list = KUBE_AT(doc, object->node, "status", "conditions");
	for (const struct sl_doc_node *node = list ? sl_doc_child(doc, list) : NULL; node;
		node = sl_doc_next(doc, node)) {
		const char *type = manifest_text(doc, sl_doc_member(doc, node, "type"));
		const char *status = manifest_text(doc, sl_doc_member(doc, node, "status"));
		if (type && strcmp(type, "Ready") == 0)
			return status && strcmp(status, "True") == 0;
	}
	return true;
}

static bool is_unavailable(const struct sl_object *object)
{
	const char *text =
		manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "unschedulable"));
	return text && strcmp(text, "true") == 0;
}

static void kube_nodes_gpus_of(
	const struct sl_object *object, const struct sl_amounts *has, struct sl_nodes_spec *spec)
{
	for (size_t i = 0; i < SL_LEN(gpus); i++) {
		const int64_t count = kube_nodes_amount_of(has, gpus[i].resource);
		const char *type = manifest_text(
			object->doc, KUBE_AT(object->doc, object->node, "metadata", "labels", gpus[i].label));
		if (count <= 0)
			continue;
		spec->gpu[spec->gpu_count].type = type ? type : gpus[i].type;
		spec->gpu[spec->gpu_count++].count = count;
	}
}

/* MiB of one of its GPUs, as GPU feature discovery labels it; 0: not said. */
static int64_t gpu_mem_of(const struct sl_object *object)
{
	static const char key[] = "nvidia.com/gpu.memory";
	const char *text =
		manifest_text(object->doc, KUBE_AT(object->doc, object->node, "metadata", "labels", key));
	int64_t mem = 0;
	return text && sl_get_i64(text, strlen(text), &mem) && mem > 0 && mem < INT32_MAX ? mem : 0;
}

/* With their memory GPUs are devices of its hardware. */
static void devices_of(
	struct sl_nodes_spec *spec, int64_t mem, struct sl_hardware *hardware, struct sl_gres *gres)
{
	if (!mem || spec->gpu_count != 1)
		return;
	*gres = (struct sl_gres){
		.name = "gpu", .type = spec->gpu[0].type, .count = spec->gpu[0].count, .mem = mem
	};
	hardware->gres = gres;
	hardware->gres_count = 1;
	spec->gpu_count = 0;
}

static int node_in(struct reporting *t, const struct sl_object *object)
{
	enum { NAME_MAX_HERE = 63 };
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	const struct sl_doc_node *allocatable = KUBE_AT(object->doc, object->node, "status", "allocatable");
	if (!allocatable)
		allocatable = KUBE_AT(object->doc, object->node, "status", "capacity");
	struct sl_amounts has;
	const int status = sl_doc_amounts(t->arena, object->doc, allocatable, &has, t->err);
	if (status)
		return status;
	const int64_t cpus = kube_nodes_amount_of(&has, "cpu");
	const int64_t mem = kube_nodes_amount_of(&has, "memory");
	if (!*object->name || strlen(object->name) > NAME_MAX_HERE)
		return sl_fail_at(t->err, &at, "the Node needs a name of 1 to %d letters", NAME_MAX_HERE);
	if (cpus < 1)
		return sl_fail_at(
			t->err, &at, "Node '%s' has no cpus: give status.allocatable", object->name);
	if (cpus / 1000 > KUBE_NODE_AMOUNT_MAX ||
		kube_nodes_amount_of(&has, gpus[0].resource) > KUBE_NODE_AMOUNT_MAX ||
		kube_nodes_amount_of(&has, gpus[1].resource) > KUBE_NODE_AMOUNT_MAX)
		return sl_fail_at(t->err, &at,
			"Node '%s' has more than %d cpus or GPUs: mend status.allocatable", object->name,
			KUBE_NODE_AMOUNT_MAX);
	struct sl_gres gres;
	struct sl_hardware hardware = { .boards = 1,
		.sockets = 1,
		.cores = (uint32_t)((cpus < INT32_MAX ? cpus : INT32_MAX) + 999) / 1000,
		.threads = 1,
		.weight = 1,
		.state = !is_ready(object)        ? SL_NODE_DOWN
			 : is_unavailable(object) ? SL_NODE_DRAIN
						  : SL_NODE_UP,
		.state_reason = !is_ready(object)        ? "not ready"
				: is_unavailable(object) ? "unschedulable"
							 : NULL };
	struct sl_nodes_spec spec = { .name = object->name,
		.count = 1,
		.cpus = cpus % 1000 ? cpus : cpus / 1000,
		.parts = cpus % 1000 ? 1000 : 1,
		.mem = mem ? (mem / MIB < QUOTA_MEM_MAX ? mem / MIB : QUOTA_MEM_MAX) : SL_NONE,
		.hardware = &hardware };
	kube_nodes_gpus_of(object, &has, &spec);
	devices_of(&spec, gpu_mem_of(object), &hardware, &gres);
	t->nodes++;
	return t->sink->nodes(t->sink->self, &spec, &at, t->err);
}

/* ---- Quotas ------------------------------------------------------------------------------------------- */

struct quotas {
	int64_t cpus, mem, gpus[SL_LEN(gpus)]; /* cpu in thousandths, memory in bytes. */
	bool mem_said;
};

static void kube_nodes_add(int64_t *sum, int64_t more)
{
	*sum = *sum > INT64_MAX - more ? INT64_MAX : *sum + more;
}

static int quota_in(const struct reporting *t, const struct sl_object *object, const struct sl_doc_node *node,
	struct quotas *sum)
{
	const struct sl_doc *doc = object->doc;
	const char *name = manifest_text(doc, sl_doc_member(doc, node, "name"));
	const struct sl_doc_node *at = sl_doc_member(doc, node, "nominalQuota");
	const char *text = manifest_text(doc, at);
	int64_t amount = 0;
	if (!name || !text)
		return SL_OK;
	if (!sl_get_amount(name, text, strlen(text), &amount)) {
		const struct sl_place place = sl_doc_place(doc, at);
		return sl_fail_at(t->err, &place,
			"'nominalQuota' must be a quantity that is not negative, like 8, 500m or 1.5Gi, not '%.40s'",
			text);
	}
	if (strcmp(name, "cpu") == 0)
		kube_nodes_add(&sum->cpus, amount);
	if (strcmp(name, "memory") == 0) {
		kube_nodes_add(&sum->mem, amount);
		sum->mem_said = true;
	}
	for (size_t i = 0; i < SL_LEN(gpus); i++)
		if (strcmp(name, gpus[i].resource) == 0)
			kube_nodes_add(&sum->gpus[i], amount);
	return SL_OK;
}

static const struct sl_doc_node *first(const struct sl_doc *doc, const struct sl_doc_node *list)
{
	return list && list->kind == SL_DOC_LIST ? sl_doc_child(doc, list) : NULL;
}

/* Of a ClusterQueue or Cohort: resourceGroups[].flavors[].resources[]. */
static int quotas_of(const struct reporting *t, const struct sl_object *object, struct quotas *sum)
{
	const struct sl_doc *doc = object->doc;
	int status = SL_OK;
	for (const struct sl_doc_node *group =
			first(doc, KUBE_AT(doc, object->node, "spec", "resourceGroups"));
		group; group = sl_doc_next(doc, group))
		for (const struct sl_doc_node *flavor = first(doc, sl_doc_member(doc, group, "flavors"));
			flavor; flavor = sl_doc_next(doc, flavor))
			for (const struct sl_doc_node *node =
					first(doc, sl_doc_member(doc, flavor, "resources"));
				node && !status; node = sl_doc_next(doc, node))
				status = quota_in(t, object, node, sum);
	return status;
}

static int64_t kube_nodes_within(int64_t amount, int64_t least, int64_t most)
{
	return amount < least ? least : amount > most ? most : amount;
}

/* No queue has more quota than the sum, and all of it may be lent: one node that has it all. */
static int quotas_report(struct reporting *t, const struct quotas *sum, const char *path)
{
	static const struct sl_hardware hardware = {
		.boards = 1, .sockets = 1, .cores = 1, .threads = 1, .weight = 1
	};
	const struct sl_place at = { path, 0, 0 };
	struct sl_nodes_spec spec = { .name = "quota",
		.count = 1,
		.cpus = kube_nodes_within(sum->cpus / 1000 + (sum->cpus % 1000 > 0), 1, QUOTA_CPUS_MAX),
		.mem = sum->mem_said ? kube_nodes_within(sum->mem / MIB, 1, QUOTA_MEM_MAX) : SL_NONE,
		.hardware = &hardware };
	for (size_t i = 0; i < SL_LEN(gpus); i++)
		if (sum->gpus[i]) {
			spec.gpu[spec.gpu_count].type = gpus[i].type;
			spec.gpu[spec.gpu_count++].count = kube_nodes_within(sum->gpus[i], 1, QUOTA_GPUS_MAX);
		}
	const struct sl_setting setting = { "object", "quota", "Node", "1", at, SL_APPROXIMATED,
		"there is no Node: one node as large as all quotas together stands for them", NULL };
	const int status = t->sink->setting ? t->sink->setting(t->sink->self, &setting, t->err) : SL_OK;
	return status ? status : t->sink->nodes(t->sink->self, &spec, &at, t->err);
}

int kube_nodes_report(struct sl_arena *arena, const struct sl_object *object, size_t count, const char *path,
	const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct reporting t = { arena, sink, err, 0 };
	struct quotas sum = { 0 };
	bool queues = false;
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++) {
		if (strcmp(object[i].kind, "Node") == 0)
			status = node_in(&t, &object[i]);
		if (strcmp(object[i].kind, "ClusterQueue") != 0 && strcmp(object[i].kind, "Cohort") != 0)
			continue;
		queues = true;
		if (!status)
			status = quotas_of(&t, &object[i], &sum);
	}
	if (status || t.nodes)
		return status;
	if (!queues && !sink->whole) /* Beside a cluster that has its nodes: configuration alone will do. */
		return SL_OK;
	if (!queues)
		return sl_fail(err, SL_INPUT,
			"%s: has neither a Node nor a ClusterQueue: give nodes, or quotas", path);
	return quotas_report(&t, &sum, path);
}

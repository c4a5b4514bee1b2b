/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_nodes.c - what Kubernetes says of nodes: taints, how many pods they take, and GPUs divided by MIG.
 *
 * A scheduler of Kubernetes does not divide GPUs: it finds so many of each profile. They are what a Node
 * object has allocatable (nvidia.com/mig-3g.20gb), else what GPU feature discovery labels nodes with
 * (nvidia.com/mig-3g.20gb.count). nvidia.com/mig.strategy: with single the profiles go by the name of whole
 * GPUs, and KAI offers such nodes to tasks of whole GPUs alone; with mixed to tasks that request profiles.
 */
#include "policies/runai/rules/kai_place.h"
#include "policies/runai/runai.h"

#include <stdio.h>
#include <string.h>

#define MIG_PREFIX "nvidia.com/mig-"
enum { PODS_MAX = 1 << 20, MIG_MAX = 1 << 16 };

static struct kai_node *node_of(const struct runai *r, uint32_t node)
{
	return &r->instance[r->node_instance[node]].kai->node[r->node_row[node]];
}

/* ---- MIG ---- */

static int add_profile(
	struct runai *r, uint32_t node, const char *name, size_t len, int64_t count, struct sl_err *err)
{
	struct kai *kai = r->instance[r->node_instance[node]].kai;
	const char *text = sl_strdup(r->arena, name, len);
	const uint32_t profile = text ? kai_mig_profile(kai, text) : KAI_NO;
	if (profile == KAI_NO || !kai_node_profile(kai, r->node_row[node], profile, count))
		return sl_fail_memory(err);
	struct kai_node *to = node_of(r, node);
	if (count > 0) {
		to->mig = KAI_MIG_MIXED;
		to->cpu_worker = false;
		to->gpus = 0; /* Those that are left whole are not seen. */
	}
	return SL_OK;
}

static bool is_divided(const struct sl_node_type *type)
{
	for (uint32_t i = 0; type->device && i < type->device_count; i++)
		if (type->device[i].mig)
			return true;
	return false;
}

static int read_labels(struct runai *r, uint32_t node, struct sl_err *err)
{
	static const char end[] = ".count";
	const struct sl_labels labels = node_of(r, node)->labels;
	int status = SL_OK;
	for (uint32_t i = 0; i < labels.count && !status; i++) {
		const char *key = labels.at[i].key;
		const size_t len = strlen(key), prefix = strlen(MIG_PREFIX), tail = strlen(end);
		int64_t count = 0;
		if (len <= prefix + tail || strncmp(key, MIG_PREFIX, prefix) != 0 ||
			strcmp(key + len - tail, end) != 0)
			continue;
		if (!sl_get_i64(labels.at[i].value, strlen(labels.at[i].value), &count) || count < 0 ||
			count > MIG_MAX)
			return sl_fail(err, SL_INPUT,
				"node '%s': the label %s is '%.40s', and must be a number",
				r->cluster->node_name[node], key, labels.at[i].value);
		status = add_profile(r, node, key + prefix, len - prefix - tail, count, err);
	}
	const char *strategy = sl_label_of(&labels, "nvidia.com/mig.strategy");
	struct kai_node *to = node_of(r, node);
	if (!status && strategy && strcmp(strategy, "single") == 0 && to->mig == KAI_MIG_NONE)
		to->mig = KAI_MIG_SINGLE;
	return status;
}

/* So many of the engine's parts of a GPU are one of this profile; 0: the node's GPUs are not divided there.
 */
int64_t runai_mig_parts(const struct runai *r, uint32_t node, const char *profile)
{
	const struct sl_cluster *cluster = r->cluster;
	const struct sl_node_type *type = &cluster->type[cluster->node_type[node]];
	for (uint32_t i = 0; type->device && i < type->device_count; i++) {
		if (!type->device[i].mig)
			continue;
		const struct sl_mig_model *model = cluster->mig_model[type->device[i].mig - 1];
		for (uint32_t k = 0; k < model->profile_count; k++)
			if (strcmp(model->profile[k].name, profile) == 0)
				return sl_parts(cluster->gpu_parts) * model->profile[k].slices / 8;
	}
	return 0;
}

/* ---- Node objects ---- */

static const struct sl_doc_node *member(const struct sl_object *object, const char *first, const char *second)
{
	const struct sl_doc_node *node = sl_doc_member(object->doc, object->node, first);
	return node ? sl_doc_member(object->doc, node, second) : NULL;
}

static int read_allocatable(
	struct runai *r, uint32_t node, const struct sl_object *object, struct sl_err *err)
{
	const struct sl_doc_node *at = member(object, "status", "allocatable");
	struct sl_amounts has;
	if (!at)
		at = member(object, "status", "capacity");
	int status = sl_doc_amounts(r->arena, object->doc, at, &has, err);
	for (uint32_t i = 0; !status && i < has.count; i++) {
		const char *name = has.at[i].resource;
		const int64_t amount = has.at[i].amount;
		if (strcmp(name, "pods") == 0)
			node_of(r, node)->pods = amount < 0 ? 0 : amount > PODS_MAX ? PODS_MAX : amount;
		else if (strncmp(name, MIG_PREFIX, strlen(MIG_PREFIX)) == 0)
			status = add_profile(r, node, name + strlen(MIG_PREFIX),
				strlen(name) - strlen(MIG_PREFIX),
				amount < 0         ? 0
				: amount > MIG_MAX ? MIG_MAX
						   : amount,
				err);
	}
	return status;
}

static int read_node(struct runai *r, uint32_t node, const struct sl_object *object, struct sl_err *err)
{
	const int status = read_allocatable(r, node, object, err);
	return status ? status
		      : sl_doc_taints(r->arena, object->doc, member(object, "spec", "taints"),
				&r->node_taints[node], err);
}

static int read_objects(struct runai *r, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < r->cluster->object_count && !status; i++) {
		const struct sl_object *object = &r->cluster->object[i];
		if (strcmp(object->kind, "Node") != 0)
			continue;
		for (uint32_t w = 0; w < r->instance_count && !status; w++) {
			const uint32_t row = kai_find_node(r->instance[w].kai, object->name);
			if (row != KAI_NO)
				status = read_node(r, r->instance[w].kai->node[row].row_outside, object, err);
		}
	}
	return status;
}

int runai_nodes_read(struct runai *r, struct sl_err *err)
{
	int status = SL_OK;
	r->node_taints = sl_alloc(r->arena, (size_t)r->cluster->node_count + 1, sizeof(*r->node_taints));
	if (!r->node_taints)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < r->cluster->node_count && !status; node++)
		status = read_labels(r, node, err);
	if (!status)
		status = read_objects(r, err);
	for (uint32_t node = 0; node < r->cluster->node_count && !status; node++)
		if (node_of(r, node)->mig == KAI_MIG_NONE &&
			is_divided(&r->cluster->type[r->cluster->node_type[node]]))
			return sl_fail(err, SL_INPUT,
				"policy 'runai': GPUs of node '%s' are divided by MIG, and KAI has to find how many "
				"there are of each profile: give cluster.objects with a Node object of it that has " MIG_PREFIX
				"3g.20gb and its like allocatable",
				r->cluster->node_name[node]);
	return status;
}

/* ---- Where a pod may go ---- */

bool runai_node_takes(const struct runai *r, uint32_t node, const struct sl_podset *podset)
{
	const struct sl_taints *taints = &r->node_taints[node];
	if (podset->node && strcmp(podset->node, r->cluster->node_name[node]) != 0)
		return false;
	for (uint32_t i = 0; i < taints->count; i++)
		if (taints->at[i].effect != SL_PREFER_NO_SCHEDULE &&
			!sl_tolerates(&podset->tolerations, &taints->at[i]))
			return false;
	return true;
}

/* ---- MIG profiles that a pod requests ---- */

int runai_needs_mig(
	struct runai *r, struct kai *kai, const struct sl_podset *podset, struct kai_request *needs)
{
	struct kai_profiles *profile = sl_alloc(r->arena, podset->request.count + 1U, sizeof(*profile));
	uint32_t count = 0;
	for (uint32_t i = 0; profile && i < podset->request.count; i++) {
		const struct sl_amount *amount = &podset->request.at[i];
		if (strncmp(amount->resource, MIG_PREFIX, strlen(MIG_PREFIX)) != 0 || amount->amount <= 0)
			continue;
		const uint32_t row = kai_mig_profile(kai, amount->resource + strlen(MIG_PREFIX));
		if (row == KAI_NO)
			return SL_SYSTEM;
		profile[count++] = (struct kai_profiles){ row, amount->amount };
	}
	needs->gpus = 0;
	needs->profile = profile;
	needs->profile_count = count;
	return profile ? SL_OK : SL_SYSTEM;
}

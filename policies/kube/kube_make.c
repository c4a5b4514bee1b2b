/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_make.c - kube-scheduler's cluster state from a cluster and its objects: nodes, resources, label
 * values, budgets.
 *
 * A node has what the cluster says, unless an object of kind Node says what is allocatable. Where nothing
 * says how many pods it runs, it is 110, the kubelet's default (maxPods).
 */
#include "policies/kube/kube_dra.h"
#include "policies/kube/workload/kube_workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PODS_MAX = 110 };
#define MIB     (INT64_C(1) << 20)
#define MEM_ALL (INT64_C(1) << 58) /* Of a node that names no memory. */

static uint32_t number_of(const struct kube *k, const char *name)
{
	for (uint32_t i = 0; i < k->resources; i++)
		if (strcmp(k->resource[i], name) == 0)
			return i;
	return KUBE_NO;
}

uint32_t kube_resource(struct kube *k, const char *name)
{
	const uint32_t known = number_of(k, name);
	if (known != KUBE_NO || k->resources == KUBE_RES_MAX)
		return known;
	k->resource[k->resources++] = name;
	kube_number_scored(k);
	return k->resources - 1;
}

void kube_number_scored(struct kube *k)
{
	for (uint32_t i = 0; i < k->profiles; i++) {
		struct kube_profile *profile = &k->profile[i];
		for (uint32_t at = 0; at < profile->scored_count; at++)
			profile->scored_as[at] = number_of(k, profile->scored[at].resource);
		for (uint32_t at = 0; at < profile->balanced_count; at++)
			profile->balanced_as[at] = number_of(k, profile->balanced[at].resource);
	}
}

/* ---- Label values as numbers ----------------------------------------------------------------- */

struct value_at {
	const char *value;
	uint32_t node;
};

static int kube_make_by_value(const void *a, const void *b)
{
	const struct value_at *x = a, *y = b;
	const int order = strcmp(x->value, y->value);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static bool number_values(struct kube *k, struct kube_key *key)
{
	struct value_at *list = calloc((size_t)k->nodes + 1, sizeof(*list));
	key->domain = calloc((size_t)k->nodes + 1, sizeof(*key->domain));
	size_t count = 0;
	for (uint32_t i = 0; list && key->domain && i < k->nodes; i++) {
		const char *value = sl_label_of(&k->node[i].labels, key->key);
		key->domain[i] = KUBE_NO;
		if (value)
			list[count++] = (struct value_at){ value, i };
	}
	if (!list || !key->domain) {
		free(list);
		return false;
	}
	qsort(list, count, sizeof(*list), kube_make_by_value);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(list[i].value, list[i - 1].value) != 0)
			key->count++;
		key->domain[list[i].node] = key->count - 1;
	}
	free(list);
	return true;
}

struct kube_key *kube_key_of(struct kube *k, const char *name)
{
	for (uint32_t i = 0; i < k->keys; i++)
		if (strcmp(k->key[i]->key, name) == 0)
			return k->key[i];
	if (SL_GROW(k->key, k->key_capacity, k->keys + 1, &k->err))
		return NULL;
	struct kube_key *key = sl_alloc(k->arena, 1, sizeof(*key));
	if (key)
		key->key = name;
	if (!key || !number_values(k, key)) {
		free(key ? key->domain : NULL);
		(void)sl_fail_memory(&k->err);
		return NULL;
	}
	k->key[k->keys++] = key;
	return key;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static void take_type(struct kube *k, struct kube_node *node, const struct sl_node_type *type)
{
	const struct sl_cluster *cluster = k->cluster;
	const int64_t mem = type->amount[SL_KIND_MEM];
	int64_t gpus = 0;
	node->alloc[KUBE_RES_CPU] =
		sl_mul_div(type->amount[SL_KIND_CPUS], 1000, sl_parts(cluster->cpu_parts));
	node->alloc[KUBE_RES_MEM] = mem >= SL_MEM_UNBOUNDED ? MEM_ALL : mem * MIB;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		gpus += type->amount[kind] / sl_parts(cluster->gpu_parts);
	const uint32_t gpu = kube_resource(k, "nvidia.com/gpu");
	node->alloc[gpu] = gpus;
}

/* Where it is not there. False: no memory. */
static bool add_label(struct kube *k, struct sl_labels *labels, const char *key, const char *value)
{
	if (sl_label_of(labels, key))
		return true;
	struct sl_label *made = sl_alloc(k->arena, labels->count + 1, sizeof(*made));
	if (!made)
		return false;
	uint32_t at = 0;
	while (at < labels->count && strcmp(labels->at[at].key, key) < 0)
		at++;
	for (uint32_t i = 0; i < labels->count; i++)
		made[i + (i >= at)] = labels->at[i];
	made[at] = (struct sl_label){ key, value };
	*labels = (struct sl_labels){ made, labels->count + 1 };
	return true;
}

static int make_nodes(struct kube *k, struct sl_err *err)
{
	const struct sl_cluster *cluster = k->cluster;
	const bool pool = cluster->node_count == 0;
	k->nodes = pool ? (uint32_t)cluster->cpus : cluster->node_count;
	k->node = sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*k->node));
	if (!k->node)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < k->nodes; i++) {
		struct kube_node *node = &k->node[i];
		char name[24];
		node->up = node->there = true;
		node->first = KUBE_NO;
		node->pods_max = PODS_MAX;
		if (pool) {
			*sl_put_i64(name, i) = '\0';
			node->name = sl_strdup(k->arena, name, strlen(name));
			node->alloc[KUBE_RES_CPU] = 1000;
			node->alloc[KUBE_RES_MEM] = MEM_ALL;
		} else {
			node->name = cluster->node_name[i];
			if (cluster->node_labels)
				node->labels = cluster->node_labels[i];
			take_type(k, node, &cluster->type[cluster->node_type[i]]);
		}
		if (!node->name || !add_label(k, &node->labels, "kubernetes.io/hostname", node->name))
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* ---- The order in which they are visited ------------------------------------------------------ */

/* Zones in the order in which they first come, each as a number; nodes without one are a zone too. */
static uint32_t zone_of(const struct kube *k, uint32_t node, const char **zone, uint32_t *zones)
{
	const struct sl_labels *labels = &k->node[node].labels;
	const char *region = sl_label_of(labels, "topology.kubernetes.io/region");
	const char *name = sl_label_of(labels, "topology.kubernetes.io/zone");
	uint32_t at = 0;
	region = region ? region : "";
	name = name ? name : "";
	while (at < *zones && (strcmp(zone[2 * at], region) != 0 || strcmp(zone[2 * at + 1], name) != 0))
		at++;
	if (at == *zones) {
		zone[2 * at] = region;
		zone[2 * at + 1] = name;
		++*zones;
	}
	return at;
}

/* One node of each zone in turn (pkg/scheduler/backend/cache/node_tree.go). */
static int order_nodes(struct kube *k, struct sl_err *err)
{
	const size_t room = (size_t)k->nodes + 1;
	const char **zone = calloc(2 * room, sizeof(*zone));
	uint32_t *of = calloc(room, sizeof(*of)), *next = calloc(room, sizeof(*next)), zones = 0, count = 0;
	k->visit = sl_alloc(k->arena, room, sizeof(*k->visit));
	const int status = zone && of && next && k->visit ? SL_OK : sl_fail_memory(err);
	for (uint32_t i = 0; !status && i < k->nodes; i++)
		of[i] = zone_of(k, i, zone, &zones);
	for (uint32_t at = 0; !status && count < k->nodes; at = (at + 1) % zones) {
		while (next[at] < k->nodes && of[next[at]] != at)
			next[at]++;
		if (next[at] < k->nodes)
			k->visit[count++] = next[at]++;
	}
	k->visits = count;
	free(zone);
	free(of);
	free(next);
	return status;
}

struct named {
	const char *name;
	uint32_t node;
};

static int kube_make_by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* What is allocatable, as its object says. */
static int take_amounts(struct kube *k, struct kube_node *node, const struct sl_object *object,
	const struct sl_doc_node *map, struct sl_err *err)
{
	SL_DOC_EACH (at, object->doc, map) {
		const char *name = object->doc->text + at->key;
		const char *text = at->kind == SL_DOC_TEXT ? object->doc->text + at->text : "";
		const struct sl_place place = sl_doc_place(object->doc, at);
		int64_t amount;
		if (!sl_get_amount(name, text, strlen(text), &amount))
			return sl_fail_at(err, &place, "'%s' is not an amount of %s", text, name);
		if (strcmp(name, "pods") == 0) {
			node->pods_max = amount;
			continue;
		}
		const uint32_t resource = kube_resource(k, name);
		if (resource == KUBE_NO)
			return sl_fail_at(
				err, &place, "there are more than %d kinds of resource", KUBE_RES_MAX);
		node->alloc[resource] = amount;
	}
	return SL_OK;
}

static int take_node(
	struct kube *k, struct kube_node *node, const struct sl_object *object, struct sl_err *err)
{
	const char *unschedulable = kube_text(object->doc, object->node, "spec.unschedulable");
	const struct sl_doc_node *amounts = sl_doc_at(object->doc, object->node, "status.allocatable");
	if (!amounts)
		amounts = sl_doc_at(object->doc, object->node, "status.capacity");
	node->unschedulable = unschedulable && strcmp(unschedulable, "true") == 0;
	int status = sl_doc_taints(k->arena, object->doc, sl_doc_at(object->doc, object->node, "spec.taints"),
		&node->taints, err);
	if (!status && amounts && amounts->kind == SL_DOC_MAP)
		status = take_amounts(k, node, object, amounts, err);
	if (!status)
		status = kube_images_of(k, object, (uint32_t)(node - k->node), err);
	return status;
}

/* By name: their ranks, and their objects. */
static int name_nodes(struct kube *k, struct sl_err *err)
{
	struct named *list = calloc((size_t)k->nodes + 1, sizeof(*list));
	int status = list ? SL_OK : sl_fail_memory(err);
	for (uint32_t i = 0; list && i < k->nodes; i++)
		list[i] = (struct named){ k->node[i].name, i };
	if (list)
		qsort(list, k->nodes, sizeof(*list), kube_make_by_name);
	for (uint32_t i = 0; list && i < k->nodes; i++)
		k->node[list[i].node].rank = i;
	for (uint32_t i = 0; list && !status && i < k->cluster->object_count; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		const struct named key = { object->name, 0 };
		if (strcmp(object->kind, "Node") != 0)
			continue;
		uint32_t low = 0, high = k->nodes;
		while (low < high) {
			const uint32_t half = low + (high - low) / 2;
			if (strcmp(list[half].name, key.name) < 0)
				low = half + 1;
			else
				high = half;
		}
		if (low < k->nodes && strcmp(list[low].name, key.name) == 0)
			status = take_node(k, &k->node[list[low].node], object, err);
	}
	free(list);
	kube_images_sort(k);
	return status;
}

/* ---- PodDisruptionBudgets -------------------------------------------------------------------- */

/* "30%": -30 - 1; SL_NONE: not set. */
static int take_share(const struct sl_object *object, const char *path, int64_t *value, struct sl_err *err)
{
	const struct sl_doc_node *at = sl_doc_at(object->doc, object->node, path);
	*value = SL_NONE;
	if (!at)
		return SL_OK;
	const char *text = at->kind == SL_DOC_TEXT ? object->doc->text + at->text : "";
	const size_t len = strlen(text);
	const bool percent = len && text[len - 1] == '%';
	const struct sl_place place = sl_doc_place(object->doc, at);
	if (!sl_get_i64(text, len - percent, value) || *value < 0 || (percent && *value > 100))
		return sl_fail_at(err, &place, "'%s' has to be a number of pods, or percents", text);
	if (percent)
		*value = -*value - 1;
	return SL_OK;
}

static int make_budgets(struct kube *k, struct sl_err *err)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		count += strcmp(k->cluster->object[i].kind, "PodDisruptionBudget") == 0;
	k->budget = sl_alloc(k->arena, count + 1, sizeof(*k->budget));
	if (!k->budget)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < k->cluster->object_count; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		if (strcmp(object->kind, "PodDisruptionBudget") != 0)
			continue;
		struct kube_budget *budget = &k->budget[k->budgets++];
		budget->namespace = *object->namespace ? object->namespace : "default";
		int status = take_share(object, "spec.minAvailable", &budget->min_available, err);
		if (!status)
			status = take_share(object, "spec.maxUnavailable", &budget->max_unavailable, err);
		if (!status)
			status = sl_doc_selector(k->arena, object->doc,
				sl_doc_at(object->doc, object->node, "spec.selector"), &budget->pods, err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- Namespaces ------------------------------------------------------------------------------ */

/* Each has its own name as a label, as the API server writes it. */
static int make_spaces(struct kube *k, struct sl_err *err)
{
	static const char own[] = "kubernetes.io/metadata.name";
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		count += strcmp(k->cluster->object[i].kind, "Namespace") == 0;
	k->space = sl_alloc(k->arena, count + 1, sizeof(*k->space));
	if (!k->space)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < k->cluster->object_count; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		if (strcmp(object->kind, "Namespace") != 0)
			continue;
		struct kube_space *space = &k->space[k->spaces++];
		space->name = object->name;
		const int status = sl_doc_labels(k->arena, object->doc,
			sl_doc_at(object->doc, object->node, "metadata.labels"), &space->labels, err);
		if (status)
			return status;
		if (!add_label(k, &space->labels, own, space->name))
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int kube_make_room(struct kube *k, struct sl_err *err)
{
	const size_t nodes = (size_t)k->nodes + 1;
	const uint32_t kinds =
		k->cluster->kind_count > SL_KIND_GPUS ? k->cluster->kind_count - SL_KIND_GPUS : 1;
	k->job = sl_alloc(k->arena, (size_t)k->jobs->count + 1, sizeof(*k->job));
	k->node_why = sl_alloc(k->arena, nodes, sizeof(*k->node_why));
	k->node_res = sl_alloc(k->arena, nodes, sizeof(*k->node_res));
	k->feasible = sl_alloc(k->arena, nodes, sizeof(*k->feasible));
	k->score = sl_alloc(k->arena, nodes, sizeof(*k->score));
	k->total = sl_alloc(k->arena, nodes, sizeof(*k->total));
	k->node_alloc_gpus = sl_alloc(k->arena, nodes * kinds, sizeof(*k->node_alloc_gpus));
	if (!k->job || !k->node_why || !k->node_res || !k->feasible || !k->score || !k->total ||
		!k->node_alloc_gpus)
		return sl_fail_memory(err);
	return SL_OK;
}

int kube_make(
	struct kube *k, const struct sl_setup *setup, const struct kube_options *options, struct sl_err *err)
{
	memset(k, 0, sizeof(*k));
	k->arena = setup->arena;
	k->cluster = setup->cluster;
	k->jobs = setup->jobs;
	k->seed = setup->seed;
	k->options = *options;
	(void)kube_resource(k, "cpu");
	(void)kube_resource(k, "memory");
	int status = make_nodes(k, err);
	if (!status)
		status = order_nodes(k, err);
	if (!status)
		status = name_nodes(k, err);
	if (!status)
		status = make_budgets(k, err);
	if (!status)
		status = make_spaces(k, err);
	if (!status)
		status = kube_dra_make(k, err);
	for (uint32_t i = 0; i < k->nodes; i++)
		for (uint32_t at = 0; at < KUBE_RES_MAX; at++)
			k->free[at] += k->node[i].alloc[at] < MEM_ALL / k->nodes ? k->node[i].alloc[at]
										 : MEM_ALL / k->nodes;
	if (!status)
		status = kube_configure(k, err);
	if (!status)
		status = kube_make_room(k, err);
	if (!status)
		status = kube_views_make(k, err);
	if (!status && options->autoscale)
		status = kube_scale_make(k, setup, err);
	return status;
}

void kube_free(struct kube *k)
{
	for (uint32_t i = 0; i < k->keys; i++)
		free(k->key[i]->domain);
	for (uint32_t i = 0; k->job && i < k->jobs->count; i++)
		free(k->job[i].why);
	for (size_t i = 0; i < k->pods; i++)
		free(k->pod[i].grants);
	kube_dra_free(k);
	kube_scale_free(k);
	free(k->key);
	free(k->spec);
	free(k->image);
	free(k->like);
	sl_map_free(&k->like_map);
	free(k->pod);
	kube_workload_free(k);
	free(k->gang);
	free(k->active.pod);
	free(k->backoff.pod);
	free(k->errors.pod);
	free(k->parked);
	kube_alike_free(k);
	kube_views_free(k);
	free(k->sort);
	sl_map_free(&k->sort_map);
	free(k->freed);
	free(k->level);
	free(k->nominee);
	free(k->evicted);
	free(k->doomed);
	free(k->reported);
	free(k->node_alloc);
}

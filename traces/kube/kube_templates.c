/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_templates.c - Node objects of nodes that are not there yet, but may come: those of a NodeGroup's
 * template, and those that a NodePool of Karpenter may launch of the InstanceTypes.
 *
 * The engine's nodes are given once and for all, so each node that may ever be there at a time is one. The
 * annotation schedlab/template says of which NodeGroup or NodePool it is; labels are those that the node
 * would bear: of the pool's template, of the instance type, and of its offering (zone, capacity type). Which
 * types a pool may launch: those whose labels all its requirements hold of (sigs.k8s.io/karpenter,
 * pkg/scheduling/requirements.go); a requirement on a key that no type has is a label of the user's own, of
 * its first value.
 */
#include "traces/kube/manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 200, SLOTS_MAX = 50000, SLOTS_DEFAULT = 20, SLOT_NAME_MAX = 63, REQUIREMENTS_MAX = 100 };

struct made {
	struct sl_arena *arena;
	const struct sl_object *object;
	size_t count;
	struct manifest_text text;
	int64_t nodes;
	struct sl_err *err;
};

struct bearing { /* What all nodes of one sort bear. */
	struct sl_label label[LABELS_MAX];
	uint32_t labels;
	const char *of; /* The NodeGroup or NodePool. */
	const struct sl_doc *doc, *type_doc;
	const struct sl_doc_node *annotations, *taints, *allocatable;
};

static int bear(struct bearing *bearing, const char *key, const char *value)
{
	uint32_t at = 0;
	while (at < bearing->labels && strcmp(bearing->label[at].key, key) != 0)
		at++;
	if (at == LABELS_MAX)
		return SL_INPUT;
	bearing->label[at] = (struct sl_label){ key, value };
	bearing->labels += at == bearing->labels;
	return SL_OK;
}

static int bear_all(struct bearing *bearing, const struct sl_doc *doc, const struct sl_doc_node *map)
{
	int status = SL_OK;
	SL_DOC_EACH (at, doc, map)
		if (at->kind == SL_DOC_TEXT && !status)
			status = bear(bearing, doc->text + at->key, doc->text + at->text);
	return status;
}

/* ---- Text ------------------------------------------------------------------------------------------ */

static void say(struct made *made, const char *text) { kube_put(&made->text, text, strlen(text)); }

static void say_pair(struct made *made, const char *key, const char *value, bool first)
{
	say(made, first ? "" : ",");
	kube_put_string(&made->text, key);
	say(made, ":");
	kube_put_string(&made->text, value);
}

static void say_annotations(struct made *made, const struct bearing *bearing)
{
	say(made, "},\"annotations\":{");
	say_pair(made, "schedlab/template", bearing->of, true);
	SL_DOC_EACH (at, bearing->doc, bearing->annotations)
		if (at->kind == SL_DOC_TEXT)
			say_pair(made, bearing->doc->text + at->key, bearing->doc->text + at->text, false);
	say(made, "}}");
}

static void say_node(struct made *made, const struct bearing *bearing, const char *name)
{
	say(made, made->nodes++ ? "," : "");
	say(made, "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":");
	kube_put_string(&made->text, name);
	say(made, ",\"labels\":{");
	for (uint32_t i = 0; i < bearing->labels; i++)
		say_pair(made, bearing->label[i].key, bearing->label[i].value, i == 0);
	say_annotations(made, bearing);
	if (bearing->taints) {
		say(made, ",\"spec\":{\"taints\":");
		kube_put_object(&made->text, bearing->doc, bearing->taints);
		say(made, "}");
	}
	say(made, ",\"status\":{\"allocatable\":");
	kube_put_object(&made->text, bearing->type_doc, bearing->allocatable);
	say(made, "}}");
}

/* stem-1, stem-2...; at: whose they are. */
static int say_nodes(struct made *made, const struct bearing *bearing, const char *stem, int64_t count,
	const struct sl_place *at)
{
	char name[2 * SLOT_NAME_MAX];
	if (count > SLOTS_MAX - made->nodes)
		return sl_fail_at(made->err, at,
			"more than %d nodes may come in all: lower max, limits, or spec.nodes of InstanceTypes",
			SLOTS_MAX);
	for (int64_t i = 1; i <= count; i++) {
		if (snprintf(name, sizeof(name), "%s-%lld", stem, (long long)i) > SLOT_NAME_MAX)
			return sl_fail_at(made->err, at,
				"a node would be called '%s', more than %d letters: shorten the names", name,
				SLOT_NAME_MAX);
		say_node(made, bearing, name);
	}
	return SL_OK;
}

static int too_many_labels(struct made *made, const struct sl_place *at)
{
	return sl_fail_at(made->err, at, "its nodes would bear more than %d labels", LABELS_MAX);
}

static int number_at(struct made *made, const struct sl_doc *doc, const struct sl_doc_node *at,
	int64_t fallback, int64_t *value)
{
	const char *text = manifest_text(doc, at);
	*value = fallback;
	if (!at || (text && sl_get_i64(text, strlen(text), value) && *value >= 0))
		return SL_OK;
	const struct sl_place place = sl_doc_place(doc, at);
	return sl_fail_at(made->err, &place, "'%.40s' has to be a whole number, 0 or more", text ? text : "");
}

/* A node of it will be a Node: what is wrong is said where it stands. */
static int check_allocatable(struct made *made, const struct sl_doc *doc, const struct sl_doc_node *map)
{
	struct sl_amounts has;
	int64_t cpus = 0;
	const struct sl_place at = sl_doc_place(doc, map);
	const int status = sl_doc_amounts(made->arena, doc, map, &has, made->err);
	for (uint32_t i = 0; !status && i < has.count; i++)
		if (strcmp(has.at[i].resource, "cpu") == 0)
			cpus = has.at[i].amount;
	if (status || (cpus > 0 && cpus / 1000 <= KUBE_NODE_AMOUNT_MAX))
		return status;
	return sl_fail_at(made->err, &at, "a node has 'cpu', more than 0 and at most %d: mend allocatable",
		KUBE_NODE_AMOUNT_MAX);
}

/* ---- NodeGroups -------------------------------------------------------------------------------------- */

static int group_in(struct made *made, const struct sl_object *object)
{
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *template = KUBE_AT(doc, object->node, "spec", "template");
	const struct sl_place at = sl_doc_place(doc, object->node);
	struct bearing bearing = { .of = object->name, .doc = doc, .type_doc = doc };
	int64_t max = 0;
	if (!template)
		return SL_OK;
	if (KUBE_AT(doc, object->node, "spec", "nodes"))
		return sl_fail_at(
			made->err, &at, "a NodeGroup has spec.nodes or spec.template, not both: remove one");
	bearing.annotations = KUBE_AT(doc, template, "metadata", "annotations");
	bearing.taints = KUBE_AT(doc, template, "spec", "taints");
	bearing.allocatable = KUBE_AT(doc, template, "status", "allocatable");
	if (!bearing.allocatable)
		bearing.allocatable = KUBE_AT(doc, template, "status", "capacity");
	if (!bearing.allocatable || bearing.allocatable->kind != SL_DOC_MAP)
		return sl_fail_at(made->err, &at, "NodeGroup '%s': give spec.template.status.allocatable",
			object->name);
	int status = check_allocatable(made, doc, bearing.allocatable);
	if (!status)
		status = number_at(made, doc, KUBE_AT(doc, object->node, "spec", "max"), -1, &max);
	if (!status && max < 0)
		return sl_fail_at(made->err, &at,
			"NodeGroup '%s' has a template: give spec.max, how many nodes", object->name);
	if (!status && bear_all(&bearing, doc, KUBE_AT(doc, template, "metadata", "labels")))
		status = too_many_labels(made, &at);
	return status ? status : say_nodes(made, &bearing, object->name, max, &at);
}

/* ---- NodePools --------------------------------------------------------------------------------------- */

struct types {
	const struct sl_object *object;
	const struct sl_doc_node *list;
	int64_t nodes; /* Of one offering in one pool. */
};

static const char *const operators[] = { "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt" };

/* Has any type, or any node, that label by itself? */
static bool is_known(const struct types *types, const char *key)
{
	static const char *const own[] = { "node.kubernetes.io/instance-type", "kubernetes.io/arch",
		"kubernetes.io/os", "topology.kubernetes.io/zone", "karpenter.sh/capacity-type",
		"karpenter.sh/nodepool" };
	for (size_t i = 0; i < SL_LEN(own); i++)
		if (strcmp(own[i], key) == 0)
			return true;
	SL_DOC_EACH (type, types->object->doc, types->list)
		if (sl_doc_member(types->object->doc, sl_doc_member(types->object->doc, type, "labels"), key))
			return true;
	return false;
}

static int requirement_in(struct made *made, const struct sl_object *pool, const struct sl_doc_node *node,
	struct sl_label_expr *expr)
{
	const struct sl_doc *doc = pool->doc;
	const char *key = manifest_text(doc, sl_doc_member(doc, node, "key"));
	const char *word = manifest_text(doc, sl_doc_member(doc, node, "operator"));
	const struct sl_doc_node *values = sl_doc_member(doc, node, "values");
	const struct sl_place at = sl_doc_place(doc, node);
	size_t op = 0;
	while (word && op < SL_LEN(operators) && strcmp(operators[op], word) != 0)
		op++;
	if (!key || !word || op == SL_LEN(operators))
		return sl_fail_at(made->err, &at,
			"a requirement has a key and an operator: In, NotIn, Exists, DoesNotExist, Gt or Lt");
	const char **value = sl_alloc(made->arena, values ? values->count + 1 : 1, sizeof(*value));
	if (!value)
		return sl_fail_memory(made->err);
	*expr = (struct sl_label_expr){ .key = key, .op = (enum sl_label_op)op, .value = value };
	SL_DOC_EACH (one, doc, values)
		if (one->kind == SL_DOC_TEXT)
			value[expr->count++] = doc->text + one->text;
	if ((op == SL_LABEL_IN || op >= SL_LABEL_GT) && !expr->count)
		return sl_fail_at(made->err, &at, "operator %s needs values", word);
	return SL_OK;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct sl_label *)a)->key, ((const struct sl_label *)b)->key);
}

static bool all_hold(const struct bearing *bearing, const struct sl_label_expr *expr, uint32_t count)
{
	const struct sl_labels labels = { bearing->label, bearing->labels };
	for (uint32_t i = 0; i < count; i++)
		if (!sl_label_expr_holds(&expr[i], &labels))
			return false;
	return true;
}

/* As many as one of the limits allows of this type; limits.nodes counts nodes. */
static int within_limits(struct made *made, const struct sl_object *pool, const struct types *types,
	const struct sl_doc_node *type, int64_t *count)
{
	const struct sl_doc *doc = types->object->doc;
	const struct sl_doc_node *capacity = sl_doc_member(doc, type, "capacity");
	const struct sl_doc_node *limits = KUBE_AT(pool->doc, pool->node, "spec", "limits");
	struct sl_amounts has, limit;
	if (!capacity)
		capacity = sl_doc_member(doc, type, "allocatable");
	int status = sl_doc_amounts(made->arena, doc, capacity, &has, made->err);
	if (!status)
		status = sl_doc_amounts(made->arena, pool->doc, limits, &limit, made->err);
	for (uint32_t i = 0; !status && i < limit.count; i++) {
		int64_t each = strcmp(limit.at[i].resource, "nodes") == 0;
		for (uint32_t j = 0; j < has.count; j++)
			if (strcmp(has.at[j].resource, limit.at[i].resource) == 0)
				each = has.at[j].amount;
		if (each > 0 && limit.at[i].amount / each < *count)
			*count = limit.at[i].amount / each;
	}
	return status;
}

static int offering_in(struct made *made, const struct sl_object *pool, const struct types *types,
	const struct sl_doc_node *type, const struct sl_doc_node *offering, struct bearing bearing,
	const struct sl_label_expr *expr, uint32_t exprs)
{
	const struct sl_doc *doc = types->object->doc;
	const struct sl_place at = sl_doc_place(doc, offering);
	const char *name = manifest_text(doc, sl_doc_member(doc, type, "name"));
	const char *zone = manifest_text(doc, sl_doc_member(doc, offering, "zone"));
	const char *capacity = manifest_text(doc, sl_doc_member(doc, offering, "capacityType"));
	char stem[2 * SLOT_NAME_MAX];
	int64_t available, count = types->nodes;
	capacity = capacity ? capacity : "on-demand";
	if ((zone && bear(&bearing, "topology.kubernetes.io/zone", zone)) ||
		bear(&bearing, "karpenter.sh/capacity-type", capacity))
		return too_many_labels(made, &at);
	for (uint32_t i = 0; i < exprs; i++)
		if (expr[i].op == SL_LABEL_IN && !is_known(types, expr[i].key) &&
			bear(&bearing, expr[i].key, expr[i].value[0]))
			return too_many_labels(made, &at);
	qsort(bearing.label, bearing.labels, sizeof(*bearing.label), compare_keys);
	if (!all_hold(&bearing, expr, exprs))
		return SL_OK;
	int status = number_at(made, doc, sl_doc_member(doc, offering, "available"), count, &available);
	count = available < count ? available : count;
	if (!status)
		status = within_limits(made, pool, types, type, &count);
	(void)snprintf(stem, sizeof(stem), "%.40s-%.40s%s%.20s-%.10s", pool->name, name, zone ? "-" : "",
		zone ? zone : "", capacity);
	return status ? status : say_nodes(made, &bearing, stem, count, &at);
}

static int type_in(struct made *made, const struct sl_object *pool, const struct types *types,
	const struct sl_doc_node *type, const struct sl_label_expr *expr, uint32_t exprs)
{
	const struct sl_doc *doc = types->object->doc;
	const struct sl_place at = sl_doc_place(doc, type);
	const char *name = manifest_text(doc, sl_doc_member(doc, type, "name"));
	const struct sl_doc_node *template = KUBE_AT(pool->doc, pool->node, "spec", "template");
	struct bearing bearing = { .of = pool->name, .doc = pool->doc, .type_doc = doc };
	bearing.annotations = KUBE_AT(pool->doc, template, "metadata", "annotations");
	bearing.taints = KUBE_AT(pool->doc, template, "spec", "taints");
	bearing.allocatable = sl_doc_member(doc, type, "allocatable");
	if (!name || !bearing.allocatable || bearing.allocatable->kind != SL_DOC_MAP)
		return sl_fail_at(made->err, &at,
			"an instance type has a name and allocatable: {cpu: ..., memory: ...}");
	if (bear(&bearing, "kubernetes.io/arch", "amd64") || bear(&bearing, "kubernetes.io/os", "linux") ||
		bear_all(&bearing, doc, sl_doc_member(doc, type, "labels")) ||
		bear_all(&bearing, pool->doc, KUBE_AT(pool->doc, template, "metadata", "labels")) ||
		bear(&bearing, "node.kubernetes.io/instance-type", name) ||
		bear(&bearing, "karpenter.sh/nodepool", pool->name))
		return too_many_labels(made, &at);
	int status = check_allocatable(made, doc, bearing.allocatable);
	SL_DOC_EACH (offering, doc, sl_doc_member(doc, type, "offerings"))
		if (!status)
			status = offering_in(made, pool, types, type, offering, bearing, expr, exprs);
	return status;
}

static int pool_in(struct made *made, const struct sl_object *pool, const struct types *types)
{
	const struct sl_doc_node *list =
		KUBE_AT(pool->doc, pool->node, "spec", "template", "spec", "requirements");
	const struct sl_place at = sl_doc_place(pool->doc, pool->node);
	struct sl_label_expr expr[REQUIREMENTS_MAX];
	uint32_t exprs = 0;
	int status = SL_OK;
	if (!types->object)
		return sl_fail_at(made->err, &at,
			"NodePool '%s': which instance types there are, and what they cost, is not known: give an "
			"object of kind InstanceTypes (schedlab/v1)",
			pool->name);
	SL_DOC_EACH (one, pool->doc, list) {
		if (exprs == REQUIREMENTS_MAX)
			return sl_fail_at(made->err, &at, "more than %d requirements", REQUIREMENTS_MAX);
		if (!status)
			status = requirement_in(made, pool, one, &expr[exprs++]);
	}
	SL_DOC_EACH (type, types->object->doc, types->list)
		if (!status)
			status = type_in(made, pool, types, type, expr, exprs);
	return status;
}

static int types_find(struct made *made, struct types *types)
{
	*types = (struct types){ .nodes = SLOTS_DEFAULT };
	for (size_t i = 0; i < made->count; i++) {
		const struct sl_object *object = &made->object[i];
		if (strcmp(object->kind, "InstanceTypes") != 0)
			continue;
		const struct sl_place at = sl_doc_place(object->doc, object->node);
		if (types->object)
			return sl_fail_at(
				made->err, &at, "InstanceTypes stand twice: put all types into one");
		types->object = object;
		types->list = KUBE_AT(object->doc, object->node, "spec", "types");
		const int status = number_at(made, object->doc,
			KUBE_AT(object->doc, object->node, "spec", "nodes"), SLOTS_DEFAULT, &types->nodes);
		if (status)
			return status;
	}
	return SL_OK;
}

int kube_templates_make(struct sl_arena *arena, const struct sl_object *object, size_t count,
	struct kube_file *file, struct sl_err *err)
{
	struct made made = { .arena = arena, .object = object, .count = count, .err = err };
	struct types types;
	int status = types_find(&made, &types);
	say(&made, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[");
	for (size_t i = 0; i < count && !status; i++) {
		if (strcmp(object[i].kind, "NodeGroup") == 0)
			status = group_in(&made, &object[i]);
		else if (strcmp(object[i].kind, "NodePool") == 0)
			status = pool_in(&made, &object[i], &types);
	}
	say(&made, "]}");
	if (!status && made.text.failed)
		status = sl_fail_memory(err);
	if (!status && made.nodes)
		status = kube_text_read(made.text.text, made.text.len, "templates", file, err);
	free(made.text.text);
	return status;
}

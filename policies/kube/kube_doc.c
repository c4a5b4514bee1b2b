/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_doc.c - values out of objects of Kubernetes, by dotted path.
 */
#include "policies/kube/kube.h"

#include <stdlib.h>
#include <string.h>

static const struct sl_doc_node *member(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key, size_t len)
{
	if (!map || map->kind != SL_DOC_MAP)
		return NULL;
	for (const struct sl_doc_node *at = sl_doc_child(doc, map); at; at = sl_doc_next(doc, at)) {
		const char *name = doc->text + at->key;
		if (strncmp(name, key, len) == 0 && !name[len])
			return at;
	}
	return NULL;
}

const struct sl_doc_node *kube_get(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path)
{
	while (map && *path) {
		const size_t len = strcspn(path, ".");
		map = member(doc, map, path, len);
		path += len + (path[len] == '.');
	}
	return map;
}

const char *kube_text(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path)
{
	const struct sl_doc_node *at = kube_get(doc, map, path);
	return at && at->kind == SL_DOC_TEXT ? doc->text + at->text : NULL;
}

int kube_int(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path, int64_t *value,
	struct sl_err *err)
{
	const struct sl_doc_node *at = kube_get(doc, map, path);
	if (!at)
		return SL_OK;
	const char *text = at->kind == SL_DOC_TEXT ? doc->text + at->text : "";
	if (sl_get_i64(text, strlen(text), value))
		return SL_OK;
	const struct sl_place place = sl_doc_place(doc, at);
	return sl_fail_at(err, &place, "'%s' has to be a whole number, not '%s'", path, text);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct sl_label *)a)->key, ((const struct sl_label *)b)->key);
}

struct sl_labels kube_labels(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *map)
{
	struct sl_labels labels = { NULL, 0 };
	if (!map || map->kind != SL_DOC_MAP || !map->count)
		return labels;
	struct sl_label *made = sl_alloc(arena, map->count, sizeof(*made));
	if (!made)
		return labels;
	for (const struct sl_doc_node *at = sl_doc_child(doc, map); at; at = sl_doc_next(doc, at))
		if (at->kind == SL_DOC_TEXT)
			made[labels.count++] = (struct sl_label){ doc->text + at->key, doc->text + at->text };
	qsort(made, labels.count, sizeof(*made), by_key); /* No key stands twice in a map. */
	labels.at = made;
	return labels;
}

static enum sl_label_op op_of(const char *text)
{
	static const char *const name[] = { [SL_LABEL_IN] = "In",
		[SL_LABEL_NOT_IN] = "NotIn",
		[SL_LABEL_EXISTS] = "Exists",
		[SL_LABEL_NOT_EXISTS] = "DoesNotExist",
		[SL_LABEL_GT] = "Gt",
		[SL_LABEL_LT] = "Lt" };
	for (size_t i = 0; text && i < SL_LEN(name); i++)
		if (strcmp(name[i], text) == 0)
			return (enum sl_label_op)i;
	return SL_LABEL_OP_INVALID;
}

static int take_expr(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *map,
	struct sl_label_expr *expr, struct sl_err *err)
{
	const struct sl_doc_node *values = kube_get(doc, map, "values");
	expr->key = kube_text(doc, map, "key");
	expr->op = op_of(kube_text(doc, map, "operator"));
	if (!expr->key || expr->op == SL_LABEL_OP_INVALID) {
		const struct sl_place place = sl_doc_place(doc, map);
		return sl_fail_at(err, &place,
			"an expression has a 'key' and an 'operator' of In, NotIn, Exists, DoesNotExist");
	}
	if (!values || values->kind != SL_DOC_LIST)
		return SL_OK;
	const char **value = sl_alloc(arena, values->count + 1, sizeof(*value));
	if (!value)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (const struct sl_doc_node *at = sl_doc_child(doc, values); at; at = sl_doc_next(doc, at))
		if (at->kind == SL_DOC_TEXT)
			value[expr->count++] = doc->text + at->text;
	expr->value = value;
	return SL_OK;
}

int kube_selector(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *map,
	struct sl_label_selector *selector, struct sl_err *err)
{
	memset(selector, 0, sizeof(*selector));
	selector->nothing = !map;
	selector->labels = kube_labels(arena, doc, kube_get(doc, map, "matchLabels"));
	const struct sl_doc_node *list = kube_get(doc, map, "matchExpressions");
	if (!list || list->kind != SL_DOC_LIST || !list->count)
		return SL_OK;
	struct sl_label_expr *expr = sl_alloc(arena, list->count, sizeof(*expr));
	if (!expr)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	int status = SL_OK;
	for (const struct sl_doc_node *at = sl_doc_child(doc, list); at && !status; at = sl_doc_next(doc, at))
		status = take_expr(arena, doc, at, &expr[selector->term.count++], err);
	selector->term.expr = expr;
	return status;
}

static bool effect_of(const char *text, enum sl_taint_effect *effect)
{
	static const char *const name[] = { [SL_NO_SCHEDULE] = "NoSchedule",
		[SL_NO_EXECUTE] = "NoExecute",
		[SL_PREFER_NO_SCHEDULE] = "PreferNoSchedule" };
	for (size_t i = 0; text && i < SL_LEN(name); i++) {
		if (strcmp(name[i], text) != 0)
			continue;
		*effect = (enum sl_taint_effect)i;
		return true;
	}
	return false;
}

int kube_taints(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *list,
	struct sl_taints *taints, struct sl_err *err)
{
	if (!list || list->kind != SL_DOC_LIST || !list->count)
		return SL_OK;
	struct sl_taint *made = sl_alloc(arena, list->count, sizeof(*made));
	if (!made)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (const struct sl_doc_node *at = sl_doc_child(doc, list); at; at = sl_doc_next(doc, at)) {
		struct sl_taint *taint = &made[taints->count++];
		const char *value = kube_text(doc, at, "value");
		taint->key = kube_text(doc, at, "key");
		taint->value = value ? value : "";
		if (taint->key && effect_of(kube_text(doc, at, "effect"), &taint->effect))
			continue;
		const struct sl_place place = sl_doc_place(doc, at);
		return sl_fail_at(err, &place,
			"a taint has a 'key' and an 'effect': NoSchedule, PreferNoSchedule or NoExecute");
	}
	taints->at = made;
	return SL_OK;
}

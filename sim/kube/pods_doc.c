/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pods_doc.c - values of Kubernetes' objects: texts, numbers, labels, selectors, taints, amounts.
 *
 * As the API takes them, see pods_parts.h: https://kubernetes.io/docs/reference/kubernetes-api/.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kube/pods_parts.h"

int pods_fail(struct pods_reading *r, const struct sl_doc_node *node, const char *format, ...)
{
	char text[400];
	va_list rest;
	if (r->status)
		return r->status;
	va_start(rest, format);
	(void)vsnprintf(text, sizeof(text), format, rest);
	va_end(rest);
	const struct sl_place at = sl_doc_place(r->doc, node);
	r->status = sl_fail_at(r->err, &at, "%s", text);
	return r->status;
}

void *pods_alloc(struct pods_reading *r, size_t count, size_t size)
{
	if (r->status || !count)
		return NULL;
	void *block = sl_alloc(r->arena, count, size);
	if (!block)
		r->status = sl_fail_memory(r->err);
	return block;
}

static const char *pods_doc_text_at(const struct pods_reading *r, const struct sl_doc_node *node)
{
	return r->doc->text + node->text;
}

static const char *key_at(const struct pods_reading *r, const struct sl_doc_node *node)
{
	return r->doc->text + node->key;
}

/* "", "~" and "null" are written for nothing. */
static bool is_null(const struct pods_reading *r, const struct sl_doc_node *node)
{
	const char *text = node->kind == SL_DOC_TEXT ? pods_doc_text_at(r, node) : "-";
	return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

/* map may be NULL; NULL: it has no such member. */
static const struct sl_doc_node *pods_in(
	const struct pods_reading *r, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = r->status ? NULL : sl_doc_member(r->doc, map, key);
	return node && !is_null(r, node) ? node : NULL;
}

static const struct sl_doc_node *of_kind(struct pods_reading *r, const struct sl_doc_node *map,
	const char *key, enum sl_doc_kind kind, const char *what)
{
	const struct sl_doc_node *node = pods_in(r, map, key);
	if (node && node->kind != kind)
		pods_fail(r, node, "'%s' must be %s", key, what);
	return r->status ? NULL : node;
}

const struct sl_doc_node *pods_map(struct pods_reading *r, const struct sl_doc_node *map, const char *key)
{
	return of_kind(r, map, key, SL_DOC_MAP, "a map");
}

const struct sl_doc_node *pods_list(struct pods_reading *r, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = of_kind(r, map, key, SL_DOC_LIST, "a list");
	if (node && node->count > PODS_LIST_MAX)
		pods_fail(r, node, "'%s' has more than %d entries", key, PODS_LIST_MAX);
	return r->status ? NULL : node;
}

const char *pods_text(struct pods_reading *r, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = of_kind(r, map, key, SL_DOC_TEXT, "a text");
	return node ? pods_doc_text_at(r, node) : NULL;
}

int64_t pods_number(struct pods_reading *r, const struct sl_doc_node *map, const char *key, int64_t otherwise,
	int64_t min, int64_t max)
{
	int64_t number = otherwise;
	const struct sl_doc_node *node = of_kind(r, map, key, SL_DOC_TEXT, "a number");
	if (!node)
		return otherwise;
	const char *text = pods_doc_text_at(r, node);
	if (!sl_get_i64(text, strlen(text), &number) || number < min || number > max)
		pods_fail(r, node, "'%s' must be a whole number from %lld to %lld, not '%.40s'", key,
			(long long)min, (long long)max, text);
	return r->status ? otherwise : number;
}

bool pods_flag(struct pods_reading *r, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = of_kind(r, map, key, SL_DOC_TEXT, "true or false");
	if (!node)
		return false;
	const bool yes = strcmp(pods_doc_text_at(r, node), "true") == 0;
	if (!yes && strcmp(pods_doc_text_at(r, node), "false") != 0)
		pods_fail(r, node, "'%s' must be true or false, not '%.40s'", key, pods_doc_text_at(r, node));
	return yes;
}

size_t pods_count(const struct sl_doc_node *list) { return list ? list->count : 0; }

const struct sl_doc_node *pods_first(const struct pods_reading *r, const struct sl_doc_node *list)
{
	return list && !r->status ? sl_doc_child(r->doc, list) : NULL;
}

const char *const *pods_texts(struct pods_reading *r, const struct sl_doc_node *list, uint32_t *count)
{
	const char **text = pods_alloc(r, pods_count(list), sizeof(*text));
	*count = 0;
	for (const struct sl_doc_node *node = text ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		if (node->kind != SL_DOC_TEXT)
			pods_fail(r, node, "an entry must be a text");
		else
			text[(*count)++] = pods_doc_text_at(r, node);
	}
	return text;
}

/* ---- Labels -------------------------------------------------------------------------------------- */

/* No key stands twice in a document's map. */
static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct sl_label *)a)->key, ((const struct sl_label *)b)->key);
}

struct sl_labels pods_labels(struct pods_reading *r, const struct sl_doc_node *map)
{
	struct sl_label *label = pods_alloc(r, pods_count(map), sizeof(*label));
	uint32_t count = 0;
	for (const struct sl_doc_node *node = label ? pods_first(r, map) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		if (node->kind != SL_DOC_TEXT)
			pods_fail(r, node, "'%s' must be a text", key_at(r, node));
		else
			label[count++] = (struct sl_label){ key_at(r, node), pods_doc_text_at(r, node) };
	}
	if (count)
		qsort(label, count, sizeof(*label), compare_labels);
	return (struct sl_labels){ label, count };
}

static enum sl_label_op operator_of(const char *word)
{
	static const char *const words[] = { [SL_LABEL_IN] = "In",
		[SL_LABEL_NOT_IN] = "NotIn",
		[SL_LABEL_EXISTS] = "Exists",
		[SL_LABEL_NOT_EXISTS] = "DoesNotExist",
		[SL_LABEL_GT] = "Gt",
		[SL_LABEL_LT] = "Lt" };
	for (size_t i = 0; word && i < SL_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum sl_label_op)i;
	return SL_LABEL_OP_INVALID;
}

struct sl_label_term pods_expressions(struct pods_reading *r, const struct sl_doc_node *list)
{
	struct sl_label_expr *expr = pods_alloc(r, pods_count(list), sizeof(*expr));
	uint32_t count = 0;
	for (const struct sl_doc_node *node = expr ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		const char *key = pods_text(r, node, "key");
		if (!key)
			pods_fail(r, node, "an expression needs a 'key'");
		expr[count].key = key;
		expr[count].op = operator_of(pods_text(r, node, "operator"));
		expr[count].value = pods_texts(r, pods_list(r, node, "values"), &expr[count].count);
		count++;
	}
	return (struct sl_label_term){ .expr = expr, .count = r->status ? 0 : count };
}

struct sl_label_selector pods_selector(struct pods_reading *r, const struct sl_doc_node *map)
{
	struct sl_label_selector selector = { .nothing = !map };
	selector.labels = pods_labels(r, pods_map(r, map, "matchLabels"));
	selector.term = pods_expressions(r, pods_list(r, map, "matchExpressions"));
	return selector;
}

/* ---- Taints ---------------------------------------------------------------------------------------- */

static enum sl_taint_effect effect_of(struct pods_reading *r, const struct sl_doc_node *node)
{
	static const char *const words[] = { [SL_NO_SCHEDULE] = "NoSchedule",
		[SL_NO_EXECUTE] = "NoExecute",
		[SL_PREFER_NO_SCHEDULE] = "PreferNoSchedule" };
	const char *word = pods_text(r, node, "effect");
	for (size_t i = 0; word && i < SL_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum sl_taint_effect)i;
	if (word)
		pods_fail(r, node, "'effect' must be NoSchedule, NoExecute or PreferNoSchedule, not '%.40s'",
			word);
	return SL_ANY_EFFECT;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

static struct sl_taints pods_taints(struct pods_reading *r, const struct sl_doc_node *list)
{
	struct sl_taint *taint = pods_alloc(r, pods_count(list), sizeof(*taint));
	uint32_t count = 0;
	for (const struct sl_doc_node *node = taint ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		const enum sl_taint_effect effect = effect_of(r, node);
		const char *key = pods_text(r, node, "key");
		if (!key || effect == SL_ANY_EFFECT)
			pods_fail(r, node, "a taint needs a 'key' and an 'effect'");
		taint[count++] = (struct sl_taint){ key, or_empty(pods_text(r, node, "value")), effect };
	}
	return (struct sl_taints){ taint, r->status ? 0 : count };
}

struct sl_tolerations pods_tolerations(struct pods_reading *r, const struct sl_doc_node *list)
{
	struct sl_toleration *one = pods_alloc(r, pods_count(list), sizeof(*one));
	uint32_t count = 0;
	for (const struct sl_doc_node *node = one ? pods_first(r, list) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		const char *how = pods_text(r, node, "operator");
		if (how && strcmp(how, "Exists") != 0 && strcmp(how, "Equal") != 0)
			pods_fail(r, node, "'operator' must be Exists or Equal, not '%.40s'", how);
		one[count++] = (struct sl_toleration){ or_empty(pods_text(r, node, "key")),
			or_empty(pods_text(r, node, "value")), how && strcmp(how, "Exists") == 0,
			effect_of(r, node) };
	}
	return (struct sl_tolerations){ one, r->status ? 0 : count };
}

/* ---- Amounts ----------------------------------------------------------------------------------------- */

static int compare_amounts(const void *a, const void *b)
{
	return strcmp(((const struct sl_amount *)a)->resource, ((const struct sl_amount *)b)->resource);
}

struct sl_amounts pods_amounts(struct pods_reading *r, const struct sl_doc_node *map)
{
	struct sl_amount *amount = pods_alloc(r, pods_count(map), sizeof(*amount));
	uint32_t count = 0;
	for (const struct sl_doc_node *node = amount ? pods_first(r, map) : NULL; node && !r->status;
		node = sl_doc_next(r->doc, node)) {
		const char *text = node->kind == SL_DOC_TEXT ? pods_doc_text_at(r, node) : "";
		int64_t value = 0;
		if (!sl_get_amount(key_at(r, node), text, strlen(text), &value))
			pods_fail(r, node,
				"'%.60s' must be a quantity that is not negative, like 500m, 2 or 1.5Gi, not '%.40s'",
				key_at(r, node), text);
		amount[count++] = (struct sl_amount){ key_at(r, node), value };
	}
	if (count)
		qsort(amount, count, sizeof(*amount), compare_amounts);
	return (struct sl_amounts){ amount, r->status ? 0 : count };
}

/* ---- For others ---------------------------------------------------------------------------------------- */

int sl_doc_labels(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_labels *labels, struct sl_err *err)
{
	struct pods_reading r = { arena, doc, err, 0 };
	*labels = pods_labels(&r, node);
	return r.status;
}

int sl_doc_selector(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_label_selector *selector, struct sl_err *err)
{
	struct pods_reading r = { arena, doc, err, 0 };
	*selector = pods_selector(&r, node);
	return r.status;
}

int sl_doc_taints(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_taints *taints, struct sl_err *err)
{
	struct pods_reading r = { arena, doc, err, 0 };
	*taints = pods_taints(&r, node);
	return r.status;
}

int sl_doc_tolerations(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_tolerations *tolerations, struct sl_err *err)
{
	struct pods_reading r = { arena, doc, err, 0 };
	*tolerations = pods_tolerations(&r, node);
	return r.status;
}

int sl_doc_amounts(struct sl_arena *arena, const struct sl_doc *doc, const struct sl_doc_node *node,
	struct sl_amounts *amounts, struct sl_err *err)
{
	struct pods_reading r = { arena, doc, err, 0 };
	*amounts = pods_amounts(&r, node);
	return r.status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doc.c - a document while it is filled, and ways through it; see doc.h.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/doc.h"

/* ---- Filling ----------------------------------------------------------------------------- */

/* *offset: where the text begins among all texts. They are no longer than the file. */
static int keep_text(struct sl_doc *doc, const char *text, size_t len, uint32_t *offset, struct sl_err *err)
{
	if (SL_GROW(doc->text, doc->text_capacity, doc->text_len + len + 1, err))
		return SL_SYSTEM;
	*offset = (uint32_t)doc->text_len;
	if (len)
		memcpy(doc->text + doc->text_len, text, len);
	doc->text_len += len;
	doc->text[doc->text_len++] = '\0';
	return SL_OK;
}

/* Puts a node into what is open. */
static int put_node(struct sl_doc *doc, struct sl_doc_node node, struct sl_err *err)
{
	if (doc->count == SL_DOC_NODES_MAX)
		return sl_fail(err, SL_INPUT, "%s: more than %d values: split the file", doc->file,
			SL_DOC_NODES_MAX);
	if (SL_GROW(doc->node, doc->capacity, doc->count + 1, err))
		return SL_SYSTEM;
	const uint32_t index = (uint32_t)doc->count++;
	if (doc->has_key) {
		node.key = doc->key.key;
		node.key_line = doc->key.key_line;
		node.key_column = doc->key.key_column;
		node.key_from = doc->key.key_from;
		doc->has_key = false;
	}
	doc->node[index] = node;
	if (!doc->depth)
		return SL_OK;
	struct sl_doc_node *parent = &doc->node[doc->open[doc->depth - 1]];
	if (parent->last)
		doc->node[parent->last].next = index;
	else
		parent->first = index;
	parent->last = index;
	parent->count++;
	return SL_OK;
}

int sl_doc_open(struct sl_doc *doc, enum sl_doc_kind kind, uint32_t line, uint32_t column, struct sl_err *err)
{
	const struct sl_place at = { doc->file, line, column };
	if (doc->depth == SL_DOC_DEPTH_MAX)
		return sl_fail_at(err, &at, "is nested deeper than %d levels", SL_DOC_DEPTH_MAX);
	const uint32_t index = (uint32_t)doc->count;
	const int status =
		put_node(doc, (struct sl_doc_node){ .kind = kind, .line = line, .column = column }, err);
	if (!status)
		doc->open[doc->depth++] = index;
	return status;
}

void sl_doc_close(struct sl_doc *doc)
{
	SL_CHECK(doc->depth);
	doc->depth--;
}

bool sl_doc_wants_key(const struct sl_doc *doc)
{
	return doc->depth && doc->node[doc->open[doc->depth - 1]].kind == SL_DOC_MAP && !doc->has_key;
}

int sl_doc_key(
	struct sl_doc *doc, const char *text, size_t len, const struct sl_place *at, struct sl_err *err)
{
	enum { DISPLAYED = 40 };
	SL_CHECK(sl_doc_wants_key(doc));
	const struct sl_doc_node *map = &doc->node[doc->open[doc->depth - 1]];
	const int displayed = (int)(len < DISPLAYED ? len : DISPLAYED);
	SL_DOC_EACH (node, doc, doc->loose ? NULL : map)
		if (strlen(doc->text + node->key) == len && memcmp(doc->text + node->key, text, len) == 0)
			return sl_fail_at(err, at, "key '%.*s' stands twice, first on line %u: remove one",
				displayed, text, node->key_line);
	if (map->count == SL_DOC_KEYS_MAX && !doc->loose)
		return sl_fail_at(err, at, "more than %d keys in one map: split it", SL_DOC_KEYS_MAX);
	doc->key = (struct sl_doc_node){ .key_line = (uint32_t)at->line, .key_column = at->column };
	doc->has_key = true;
	return keep_text(doc, text, len, &doc->key.key, err);
}

int sl_doc_text(
	struct sl_doc *doc, const char *text, size_t len, const struct sl_place *at, struct sl_err *err)
{
	struct sl_doc_node node = { .kind = SL_DOC_TEXT, .line = (uint32_t)at->line, .column = at->column };
	if (memchr(text, '\0', len))
		return sl_fail_at(err, at, "the text has a zero byte in it: remove it");
	const int status = keep_text(doc, text, len, &node.text, err);
	return status ? status : put_node(doc, node, err);
}

/* ---- Reading ----------------------------------------------------------------------------- */

const struct sl_doc_node *sl_doc_child(const struct sl_doc *doc, const struct sl_doc_node *parent)
{
	return parent->first ? &doc->node[parent->first] : NULL;
}

const struct sl_doc_node *sl_doc_next(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return node->next ? &doc->node[node->next] : NULL;
}

const struct sl_doc_node *sl_doc_at(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path)
{
	while (map && *path) {
		const size_t len = strcspn(path, ".");
		const struct sl_doc_node *node = map->kind == SL_DOC_MAP ? sl_doc_child(doc, map) : NULL;
		while (node && (strncmp(doc->text + node->key, path, len) != 0 || doc->text[node->key + len]))
			node = sl_doc_next(doc, node);
		map = node;
		path += len + (path[len] == '.');
	}
	return map;
}

const struct sl_doc_node *sl_doc_member(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	SL_DOC_EACH (node, doc, map && map->kind == SL_DOC_MAP ? map : NULL)
		if (strcmp(doc->text + node->key, key) == 0)
			return node;
	return NULL;
}

const char *sl_doc_word(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return node && node->kind == SL_DOC_TEXT ? doc->text + node->text : NULL;
}

const char *sl_doc_string(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return node && node->quoted ? sl_doc_word(doc, node) : NULL;
}

const char *sl_doc_key_of(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return doc->text + node->key;
}

bool sl_doc_is(const struct sl_doc *doc, const struct sl_doc_node *node, const char *word)
{
	const char *text = node && !node->quoted ? sl_doc_word(doc, node) : NULL;
	return text && strcmp(text, word) == 0;
}

bool sl_doc_number(const struct sl_doc *doc, const struct sl_doc_node *node, double *value)
{
	const char *text = node && !node->quoted ? sl_doc_word(doc, node) : NULL;
	int64_t number;
	if (text && sl_get_i64(text, strlen(text), &number)) {
		*value = (double)number;
		return true;
	}
	if (!text || !sl_get_micro(text, strlen(text), &number))
		return false;
	*value = (double)number / 1e6;
	return true;
}

struct sl_place sl_doc_place(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return (struct sl_place){ doc->file, node->line, node->column };
}

struct sl_place sl_doc_key_place(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return (struct sl_place){ doc->file, node->key_line, node->key_column };
}

void sl_doc_release(struct sl_doc *doc)
{
	free(doc->node);
	free(doc->text);
	*doc = (struct sl_doc){ 0 };
}

int doc_read_any(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err)
{
	const char *first = text + strspn(text, " \t\r\n");
	return *first == '{' || *first == '[' ? sl_doc_read_json(doc, text, len, err)
					      : sl_doc_read_yaml(doc, text, len, err);
}

int doc_read_record(struct sl_doc *doc, const char *path, size_t most, const char *larger, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	*doc = (struct sl_doc){ .file = path, .loose = true };
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status && (size_t)(end - text) > most)
		status = sl_fail(err, SL_INPUT, "%s: %s", path, larger);
	if (!status)
		status = sl_doc_read_json(doc, text, (size_t)(end - text), err);
	sl_input_close(in);
	return status;
}

int sl_doc_keep(struct sl_arena *arena, const struct sl_doc *from, struct sl_doc *kept, struct sl_err *err)
{
	*kept = (struct sl_doc){ .file = sl_strdup(arena, from->file, strlen(from->file)),
		.count = from->count,
		.text_len = from->text_len };
	kept->node = sl_alloc(arena, from->count + 1, sizeof(*kept->node));
	kept->text = sl_alloc(arena, from->text_len + 1, 1);
	if (!kept->file || !kept->node || !kept->text)
		return sl_fail_memory(err);
	if (from->count)
		memcpy(kept->node, from->node, from->count * sizeof(*kept->node));
	if (from->text_len)
		memcpy(kept->text, from->text, from->text_len);
	return SL_OK;
}

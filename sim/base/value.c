/* SPDX-License-Identifier: GPL-3.0-or-later */
/* value.c - the fields of an object, see sim/plugin/value.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/plugin.h"

enum { LISTED_MAX = 300 };

static struct sl_at moved(struct sl_at at, const struct sl_doc_node *node)
{
	at.node = at.err->status ? NULL : node;
	return at;
}

int sl_at_fail(struct sl_at at, const char *format, ...)
{
	char text[600];
	va_list args;
	if (at.err->status)
		return at.err->status;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!at.node)
		return sl_fail(at.err, SL_INPUT, "%s: %s", at.doc ? at.doc->file : "?", text);
	const struct sl_place place = sl_doc_place(at.doc, at.node);
	return sl_fail_at(at.err, &place, "%s", text);
}

bool sl_at_is_null(struct sl_at at)
{
	const char *text = at.node ? sl_doc_word(at.doc, at.node) : "";
	return text && (!*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0);
}

const char *sl_at_key(struct sl_at at) { return sl_doc_key_of(at.doc, at.node); }

static struct sl_at member(struct sl_at at, const char *key, size_t len)
{
	if (sl_at_is_null(at) || at.err->status)
		return moved(at, NULL);
	if (at.node->kind != SL_DOC_MAP) {
		(void)sl_at_fail(at, "fields are wanted here ('%.*s'), as \"key: value\"", (int)len, key);
		return moved(at, NULL);
	}
	SL_DOC_EACH (node, at.doc, at.node) {
		const char *name = sl_doc_key_of(at.doc, node);
		if (strncmp(name, key, len) == 0 && !name[len])
			return moved(at, node);
	}
	return moved(at, NULL);
}

struct sl_at sl_at_get(struct sl_at at, const char *path)
{
	while (at.node && *path) {
		const size_t len = strcspn(path, ".");
		at = member(at, path, len);
		path += len + (path[len] == '.');
	}
	return at;
}

struct sl_at sl_at_first(struct sl_at at)
{
	if (sl_at_is_null(at) || at.err->status)
		return moved(at, NULL);
	if (at.node->kind == SL_DOC_TEXT)
		(void)sl_at_fail(
			at, "a list or fields are wanted here, not '%.80s'", sl_doc_word(at.doc, at.node));
	return moved(at, sl_doc_child(at.doc, at.node));
}

struct sl_at sl_at_next(struct sl_at at) { return moved(at, sl_doc_next(at.doc, at.node)); }

uint32_t sl_at_count(struct sl_at at)
{
	return sl_at_is_null(at) || at.node->kind == SL_DOC_TEXT ? 0 : at.node->count;
}

const char *sl_at_text(struct sl_at at)
{
	if (sl_at_is_null(at) || at.err->status)
		return NULL;
	if (at.node->kind != SL_DOC_TEXT)
		(void)sl_at_fail(at, "a text or number is wanted here");
	return sl_doc_word(at.doc, at.node);
}

int64_t sl_at_int(struct sl_at at, int64_t fallback, int64_t min, int64_t max)
{
	const char *text = sl_at_text(at);
	int64_t value = 0;
	if (!text)
		return fallback;
	if (sl_get_i64(text, strlen(text), &value) && value >= min && value <= max)
		return value;
	(void)sl_at_fail(
		at, "'%.80s' is not a whole number from %lld to %lld", text, (long long)min, (long long)max);
	return fallback;
}

static int index_of(const char *const *words, const char *text)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0)
			return i;
	return -1;
}

static const char *listed(const char *const *words, char text[LISTED_MAX])
{
	size_t len = 0;
	*text = '\0';
	for (size_t i = 0; words[i] && len < LISTED_MAX; i++)
		len += (size_t)snprintf(text + len, LISTED_MAX - len, "%s%s", i ? ", " : "", words[i]);
	return text;
}

int sl_at_word(struct sl_at at, const char *const *words, int fallback)
{
	char known[LISTED_MAX];
	const char *text = sl_at_text(at);
	const int index = text ? index_of(words, text) : fallback;
	if (!text || index >= 0)
		return index;
	(void)sl_at_fail(at, "'%.80s' is none of %s", text, listed(words, known));
	return fallback;
}

bool sl_at_bool(struct sl_at at, bool fallback)
{
	static const char *const words[] = { "false", "true", NULL };
	return sl_at_word(at, words, fallback) == 1;
}

void sl_at_keys(struct sl_at at, const char *const *keys)
{
	char known[LISTED_MAX];
	if (sl_at_is_null(at) || at.err->status)
		return;
	if (at.node->kind != SL_DOC_MAP) {
		(void)sl_at_fail(at, "fields are wanted here: %s", listed(keys, known));
		return;
	}
	SL_AT_EACH (one, at) {
		if (index_of(keys, sl_at_key(one)) >= 0)
			continue;
		const struct sl_place place = sl_doc_key_place(at.doc, one.node);
		(void)sl_fail_at(at.err, &place, "unknown key '%.60s': write one of %s", sl_at_key(one),
			listed(keys, known));
	}
}

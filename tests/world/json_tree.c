/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_tree.c - see json_tree.h: one block of memory, whose first node is the root. */
#include "tests/world/json_tree.h"

#include <stdlib.h>
#include <string.h>

static struct json *at(struct json *node, uint32_t index) { return index ? &node[index] : NULL; }

struct json *json_parse(const char *text)
{
	struct sl_doc doc = { .file = "", .loose = true };
	struct sl_err err = { 0 };
	struct json *node = NULL;
	if (!sl_doc_read_json(&doc, text, strlen(text), &err))
		node = calloc(1, doc.count * sizeof(*node) + doc.text_len);
	char *texts = node ? (char *)&node[doc.count] : NULL;
	if (node)
		memcpy(texts, doc.text, doc.text_len);
	for (size_t i = 0; node && i < doc.count; i++) {
		const struct sl_doc_node *is = &doc.node[i];
		node[i] = (struct json){ .kind = is->kind,
			.quoted = is->quoted,
			.key = is->key_line ? texts + is->key : NULL,
			.text = is->kind == SL_DOC_TEXT ? texts + is->text : NULL,
			.child = at(node, is->first),
			.next = at(node, is->next) };
		(void)sl_doc_number(&doc, is, &node[i].number);
	}
	sl_doc_release(&doc);
	return node;
}

void json_free(struct json *root) { free(root); }

const struct json *json_member(const struct json *map, const char *key)
{
	const struct json *item = json_is_map(map) ? map->child : NULL;
	while (item && strcmp(item->key, key) != 0)
		item = item->next;
	return item;
}

const struct json *json_item(const struct json *list, int index)
{
	const struct json *item = list ? list->child : NULL;
	while (item && index-- > 0)
		item = item->next;
	return item;
}

int json_count(const struct json *list)
{
	int count = 0;
	const struct json *item;
	JSON_EACH (item, list)
		count++;
	return count;
}

static bool is(const struct json *json, const char *word)
{
	return json && json->text && !json->quoted && strcmp(json->text, word) == 0;
}

bool json_is_map(const struct json *json) { return json && json->kind == SL_DOC_MAP; }
bool json_is_list(const struct json *json) { return json && json->kind == SL_DOC_LIST; }
bool json_is_text(const struct json *json) { return json && json->quoted; }
bool json_is_null(const struct json *json) { return is(json, "null"); }
bool json_is_true(const struct json *json) { return is(json, "true"); }
bool json_is_false(const struct json *json) { return is(json, "false"); }

bool json_is_number(const struct json *json)
{
	return json && json->text && !json->quoted && strchr("-0123456789", json->text[0]);
}

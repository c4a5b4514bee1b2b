/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_tree.h - a JSON text as nodes with pointers, for tests that walk through much of it. */
#ifndef TESTS_WORLD_JSON_TREE_H
#define TESTS_WORLD_JSON_TREE_H

#include "sim/plugin.h"

struct json {
	enum sl_doc_kind kind;
	bool quoted;
	const char *key;  /* Of a map's member; else NULL. */
	const char *text; /* Of a text, a number or a word. */
	double number;    /* Of a number. */
	struct json *child, *next;
};

struct json *json_parse(const char *text); /* NULL: it is none. */
void json_free(struct json *root);

/* Of NULL: NULL, 0, false. */
const struct json *json_member(const struct json *map, const char *key);
const struct json *json_item(const struct json *list, int index);
int json_count(const struct json *list);
bool json_is_map(const struct json *json);
bool json_is_list(const struct json *json);
bool json_is_text(const struct json *json);
bool json_is_number(const struct json *json);
bool json_is_null(const struct json *json);
bool json_is_true(const struct json *json);
bool json_is_false(const struct json *json);

#define JSON_EACH(item, list) for ((item) = (list) ? (list)->child : NULL; (item); (item) = (item)->next)

#endif

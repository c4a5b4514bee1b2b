/* SPDX-License-Identifier: GPL-3.0-or-later */
/* yaml.h - YAML and JSON as trees in which each value has its line and column. */
#ifndef SL_PLUGIN_YAML_H
#define SL_PLUGIN_YAML_H

#include "base.h"

/* A tree of texts, maps and lists in one array; indices, not pointers. Node 0 is the root, and no node's
 * child. Aliases are refused, and keys that stand twice in a map. */
enum sl_doc_kind { SL_DOC_TEXT, SL_DOC_MAP, SL_DOC_LIST };

/* Bounds of what is read: text of a file, values and levels of a document, members of a map. */
enum { SL_DOC_BYTES_MAX = 1 << 26, SL_DOC_NODES_MAX = 1 << 22, SL_DOC_DEPTH_MAX = 32, SL_DOC_KEYS_MAX = 256 };

struct sl_doc_node {
	enum sl_doc_kind kind;
	bool quoted;           /* A text in quotes: no number, no true, false or null. */
	uint32_t line, column; /* From 1. */
	uint32_t text;         /* Of a text: where it begins in doc->text; it ends in a zero. */
	uint32_t key;          /* Of a map's member: likewise, */
	uint32_t key_line, key_column;
	uint32_t first, last, next; /* Members of a map or list, and the next of the same; 0: none. */
	uint32_t count;             /* Of members. */
	uint32_t key_from, from,
		until; /* Of JSON: where key and value begin, and the value ends, in bytes. */
};

struct sl_doc {
	const char *file; /* Lent. */
	bool loose;       /* A key may stand twice, and a map may have any number: who reads sees to it. */
	struct sl_doc_node *node;
	size_t count, capacity;
	char *text;
	size_t text_len, text_capacity;
	uint32_t open[SL_DOC_DEPTH_MAX]; /* Maps and lists that are being filled. */
	uint32_t depth;
	struct sl_doc_node key; /* The next member's key, line and column, if has_key. */
	bool has_key;
};

SL_API const struct sl_doc_node *sl_doc_child(
	const struct sl_doc *doc, const struct sl_doc_node *parent); /* NULL: empty. */
SL_API const struct sl_doc_node *sl_doc_next(
	const struct sl_doc *doc, const struct sl_doc_node *node); /* NULL: the last. */
/* The member of that key; NULL: it has none, is no map, or is NULL. */
SL_API const struct sl_doc_node *sl_doc_member(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key);
/* The member at a path of keys, "spec.template.metadata". */
SL_API const struct sl_doc_node *sl_doc_at(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *path);
/* Of a node that is not there (NULL) they say what they say of another kind: NULL, false. */
SL_API const char *sl_doc_word(const struct sl_doc *doc, const struct sl_doc_node *node);   /* Of any text. */
SL_API const char *sl_doc_string(const struct sl_doc *doc, const struct sl_doc_node *node); /* In quotes. */
/* A bare word: "true", "null". */
SL_API bool sl_doc_is(const struct sl_doc *doc, const struct sl_doc_node *node, const char *word);
SL_API bool sl_doc_number(
	const struct sl_doc *doc, const struct sl_doc_node *node, double *value);           /* Bare. */
SL_API const char *sl_doc_key_of(const struct sl_doc *doc, const struct sl_doc_node *node); /* Of a member. */
/* Each member of a map or list; of NULL, none. */
#define SL_DOC_EACH(item, doc, of)                                                           \
	for (const struct sl_doc_node *item = (of) ? sl_doc_child((doc), (of)) : NULL; item; \
		item = sl_doc_next((doc), item))
SL_API struct sl_place sl_doc_place(const struct sl_doc *doc, const struct sl_doc_node *node);
SL_API struct sl_place sl_doc_key_place(const struct sl_doc *doc, const struct sl_doc_node *node);
SL_API void sl_doc_release(struct sl_doc *doc);

/* Into a zeroed document with its file's name; text[len] is a zero. Released whatever happens. */
SL_API int sl_doc_read_json(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);
SL_API int sl_doc_read_yaml(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);
/* Several documents: the root is a list of them; one of nothing but comments is an empty text. */
SL_API int sl_doc_read_yamls(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_file.h - our cluster file, in between: a document with the place of each word, from YAML or JSON.
 *
 * A document is a tree of texts, maps and lists in one array; indices, not pointers, so that it may grow.
 * Index 0 is the root, and nobody's child. What a map may hold is the schema's matter (cluster_file.c), that
 * no key stands twice is the document's.
 */
#ifndef TRACES_CLUSTER_FILE_H
#define TRACES_CLUSTER_FILE_H

#include "sim/plugin.h"

enum doc_kind { DOC_TEXT, DOC_MAP, DOC_LIST };

/* Bounds of what is read: text of a file, values and levels of a document, members of a map. */
enum { DOC_BYTES_MAX = 1 << 26, DOC_NODES_MAX = 1 << 22, DOC_DEPTH_MAX = 16, DOC_KEYS_MAX = 256 };

struct doc_node {
	enum doc_kind kind;
	uint32_t line, column; /* From 1. */
	uint32_t text;         /* Of a text: where it begins in doc->text; it ends in a zero. */
	uint32_t key;          /* Of a map's member: likewise, */
	uint32_t key_line, key_column;
	uint32_t first, last, next; /* Members of a map or list, and the next of the same; 0: none. */
	uint32_t count;             /* Of members. */
};

struct doc {
	const char *file; /* Lent. */
	struct doc_node *node;
	size_t count, capacity;
	char *text;
	size_t text_len, text_capacity;
	uint32_t open[DOC_DEPTH_MAX]; /* Maps and lists that are being filled. */
	uint32_t depth;
	struct doc_node key; /* The next member's key, line and column, if has_key. */
	bool has_key;
};

/* Filling: each puts a node into what is open; doc_key comes before a member of a map. Places from 1. */
int doc_open(struct doc *doc, enum doc_kind kind, uint32_t line, uint32_t column, struct sl_err *err);
void doc_close(struct doc *doc);
int doc_key(struct doc *doc, const char *text, size_t len, const struct sl_place *at, struct sl_err *err);
int doc_text(struct doc *doc, const char *text, size_t len, const struct sl_place *at, struct sl_err *err);
/* True if a key is due here, and not a value. */
bool doc_wants_key(const struct doc *doc);

const struct doc_node *doc_child(const struct doc *doc, const struct doc_node *parent); /* NULL: empty. */
const struct doc_node *doc_next(const struct doc *doc, const struct doc_node *node);    /* NULL: the last. */
struct sl_place doc_place(const struct doc *doc, const struct doc_node *node);
struct sl_place doc_key_place(const struct doc *doc, const struct doc_node *node);
void doc_release(struct doc *doc);

/* text[len] is a zero. */
int doc_read_json(struct doc *doc, const char *text, size_t len, struct sl_err *err);
int doc_read_yaml(struct doc *doc, const char *text, size_t len, struct sl_err *err);

/* ---- The schema's numbers ------------------------------------------------------------------ */

enum amount { AMOUNT_COUNT, AMOUNT_CPUS, AMOUNT_MEMORY, AMOUNT_GPUS, AMOUNTS };

/* A whole number, or a size of memory, within the amount's bounds. */
bool amount_read(enum amount which, const char *text, int64_t *value);
bool amount_within(enum amount which, int64_t value);
/* "a whole number from 0 to 10000000", for messages. */
const char *amount_text(enum amount which);

/* ---- Settings ------------------------------------------------------------------------------ */

struct cluster_settings {
	const struct sl_cluster_setting *item;
	size_t count;
};

/* Those for this entry, in order, over what the file says. */
int settings_for_entry(
	const struct cluster_settings *settings, struct sl_nodes_spec *spec, struct sl_err *err);
/* "cpus", for a counted pool. */
int settings_for_pool(const struct cluster_settings *settings, int64_t *cpus, struct sl_err *err);
/* What no entry of these names took, or does not go with nodes at all, is an error. names ends in NULL. */
int settings_all_used(
	const struct cluster_settings *settings, bool pool, const char *const *names, struct sl_err *err);

extern const struct sl_cluster_reader cluster_yaml, cluster_json;

#endif

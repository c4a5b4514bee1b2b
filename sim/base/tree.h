/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - a JSON text of ours read back: cJSON's tree, and where in the text each of its values stands.
 *
 * cJSON keeps no places and makes doubles of numbers; both are found in the
 * text, by a walk along the tree. For records, not for bulk.
 */
#ifndef SL_TREE_H
#define SL_TREE_H

#include <cjson/cJSON.h>

#include "sim/base/base.h"

struct tree {
	const char *file; /* For messages. */
	const char *text; /* Lent, with a zero behind it. */
	size_t len;
	cJSON *root;
};

/* SL_INPUT with file:line:column where the text is no JSON. */
int tree_parse(struct tree *tree, const char *file, const char *text, size_t len, struct sl_err *err);
void tree_release(struct tree *tree);
struct sl_place tree_place(const struct tree *tree, const cJSON *value);

/* Where the text of a value begins and ends, and that of its key, of a member (else `from`). */
struct tree_span {
	const cJSON *value;
	size_t key, from, until;
};
/* Those of all values, in one walk, inner ones before what holds them. */
void tree_each(const struct tree *tree, void (*each)(void *self, const struct tree_span *span), void *self);

/* One key of an object: what takes its value. */
struct tree_key {
	const char *name;
	bool optional;
	int (*take)(void *self, const cJSON *value, struct sl_err *err);
};
/* Each key once, none that is not in the table, all that are not optional. what: names the object. */
int tree_object(const struct tree *tree, const cJSON *object, const char *what, const struct tree_key *key,
	size_t count, void *self, struct sl_err *err);

/* Each fails at the value's place if it is something else. */
int tree_text(const struct tree *tree, const cJSON *value, struct sl_arena *arena, const char **text,
	struct sl_err *err);
int tree_i64(const struct tree *tree, const cJSON *value, int64_t min, int64_t *number, struct sl_err *err);
int tree_micro(const struct tree *tree, const cJSON *value, int64_t *micro, struct sl_err *err);
/* "0123456789abcdef" */
int tree_hex(const struct tree *tree, const cJSON *value, uint64_t *number, struct sl_err *err);
/* The number of an array's items; fails if it is none, or longer than that. */
int tree_count(const struct tree *tree, const cJSON *array, size_t most, size_t *count, struct sl_err *err);

#endif

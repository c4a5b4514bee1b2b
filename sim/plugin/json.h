/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - a walk through JSON text (RFC 8259), value by value, forward.
 *
 * Nothing is built: a workload of a million jobs needs no tree, numbers keep
 * all their digits, and errors are reported with line and column. What a
 * caller does not want it skips, and skipping checks as much as reading does.
 * A value on the way may be read as a tree (yaml.h).
 */
#ifndef SL_PLUGIN_JSON_H
#define SL_PLUGIN_JSON_H

#include "base.h"

struct sl_doc;

/* A place in the text, of a walk. Copied to come back to it. */
struct sl_json {
	const char *p;
	const char *text, *end; /* *end is a zero. */
	const char *file;
	struct sl_err *err;
	bool failed;
	bool document;       /* One value, and all of it is looked at: what is wrong begins "not JSON". */
	const char *counted; /* Lines and columns up to here were counted: */
	uint64_t line;       /* from 1, */
	uint32_t column;     /* likewise, in characters. */
};

/* A string between its quotes, or a number. */
struct sl_json_word {
	const char *p; /* NULL: it was neither. */
	size_t len;
	bool string, escaped;
};

SL_API void sl_json_begin(
	struct sl_json *json, const char *file, const char *text, const char *end, struct sl_err *err);
/* Line and column of a place of the text, quickly if it is not before the last one queried. */
SL_API struct sl_place sl_json_place(struct sl_json *json, const char *p);
/* Fails the walk, at p. Returns the status. */
SL_API int sl_json_fail(struct sl_json *json, const char *p, const char *format, ...) SL_PRINTF(3, 4);

/* The first character of the value that comes next: '{', '[', '"', '-' or a digit, 't', 'f', 'n'; 0: failed.
 */
SL_API char sl_json_peek(struct sl_json *json);
/* Opens what sl_json_peek saw. */
SL_API void sl_json_open(struct sl_json *json);
/* The next member of an open object, up to its value; false at the closing brace, and on failure. */
SL_API bool sl_json_member(struct sl_json *json, struct sl_json_word *key, bool *first);
/* The next element of an open array; false at the closing bracket, and on failure. */
SL_API bool sl_json_element(struct sl_json *json, bool *first);
/* A string or a number; anything else is skipped, and p is NULL. */
SL_API struct sl_json_word sl_json_take(struct sl_json *json);
SL_API void sl_json_skip(struct sl_json *json);
/* The value that comes next, whatever it is, in place of what the tree was: its memory is reused. */
SL_API int sl_json_tree(struct sl_json *json, struct sl_doc *doc);
/* Nothing but blanks may follow. */
SL_API void sl_json_end(struct sl_json *json);

SL_API bool sl_json_is(const struct sl_json_word *word, const char *text);
/* The word without escapes, closed by a zero. False: failed, it holds a zero or is too long. */
SL_API bool sl_json_text(struct sl_json *json, const struct sl_json_word *word, char *to, size_t capacity);

#endif

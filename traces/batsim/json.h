/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - a walk through JSON text (RFC 8259), value by value, forward.
 *
 * Nothing is built: a workload of a million jobs needs no tree, numbers keep
 * all their digits, and what is wrong is told with its line and column. What a
 * caller does not want it skips, and skipping checks as much as reading does.
 */
#ifndef SL_BATSIM_JSON_H
#define SL_BATSIM_JSON_H

#include "sim/plugin.h"

/* A place in the text, of a walk. Copied to come back to it. */
struct json {
	const char *p;
	const char *text, *end; /* *end is a zero. */
	const char *file;
	struct sl_err *err;
	bool failed;
	const char *counted; /* Newlines up to here were counted: */
	uint64_t line;       /* the line, from 1, */
	const char *line_at; /* and where it begins. */
};

/* A string between its quotes, or a number. */
struct json_word {
	const char *p; /* NULL: it was neither. */
	size_t len;
	bool string, escaped;
};

void json_begin(struct json *json, const char *file, const char *text, const char *end, struct sl_err *err);
/* Line and column of a place of the text, no place before the last asked for. */
struct sl_place json_place(struct json *json, const char *p);
/* Fails the walk, at p. Returns the status. */
int json_fail(struct json *json, const char *p, const char *format, ...) SL_PRINTF(3, 4);

/* The first character of the value that comes next: '{', '[', '"', '-' or a digit, 't', 'f', 'n'; 0: failed.
 */
char json_peek(struct json *json);
/* Opens what json_peek saw. */
void json_open(struct json *json);
/* The next member of an open object, up to its value; false at the closing brace, and on failure. */
bool json_member(struct json *json, struct json_word *key, bool *first);
/* The next element of an open array; false at the closing bracket, and on failure. */
bool json_element(struct json *json, bool *first);
/* A string or a number; anything else is skipped, and p is NULL. */
struct json_word json_word(struct json *json);
void json_skip(struct json *json);
/* Nothing but blanks may follow. */
void json_end(struct json *json);

bool json_is(const struct json_word *word, const char *text);
/* The word without escapes, closed by a zero. False: failed, it holds a zero or is too long. */
bool json_text(struct json *json, const struct json_word *word, char *to, size_t room);

#endif

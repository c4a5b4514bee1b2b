/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_write.h - one JSON object (RFC 8259) on its way out, member by member.
 *
 * Whoever writes says what is in it; commas, quotes and line ends are put here. Names that are no UTF-8 are
 * taken as Latin-1, byte by byte (sl_out_json). Keys stand as they are: they are ours, and need no escape.
 *
 * In order: json_out_begin; members; json_out_end, or json_out_abandon where the command failed.
 */
#ifndef SL_JSON_WRITE_H
#define SL_JSON_WRITE_H

#include "cli/base/cli.h"

enum { JSON_DEPTH_MAX = 30 };

struct json {
	struct sl_out *out;
	unsigned depth;                /* Objects and arrays that are open, the outermost included. */
	bool some[JSON_DEPTH_MAX + 1]; /* By depth: there is a member already. */
	char close[JSON_DEPTH_MAX + 1];
};

/* The object on stdout. */
int json_out_begin(struct json *json, struct sl_err *err);
/* key NULL: the next of an array. */
void json_out_object(struct json *json, const char *key);
void json_out_array(struct json *json, const char *key);
void json_out_close(struct json *json);                                   /* What was opened last. */
void json_out_text(struct json *json, const char *key, const char *text); /* NULL: null. */
void json_out_count(struct json *json, const char *key, uint64_t count);
/* A number of millionths, seconds of a time for instance; SL_NONE: null. */
void json_out_micro(struct json *json, const char *key, int64_t micro);
void json_out_flag(struct json *json, const char *key, bool flag);
/* A file that is there: its name, sha256 and bytes as "file", "sha256", "bytes". "-": its name alone. */
int json_out_file(struct json *json, const char *path, struct sl_err *err);
/* What of a scenario was dropped and repaired, by cause: "dropped", "repaired", "causes". */
int json_out_end(struct json *json, struct sl_err *err);
void json_out_abandon(struct json *json);
/* status as it is, with the object written or not as it says. */
int json_out_finish(struct json *json, int status, struct sl_err *err);

/* --json prints on stdout what is told of a file: SL_USAGE where the file itself would go there. */
int json_out_apart(const struct args *args, const char *path, struct sl_err *err);

#endif

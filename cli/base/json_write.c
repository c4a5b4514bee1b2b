/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_write.c - one JSON object (RFC 8259) on its way out, member by member.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/base/json_write.h"

/* Members of the outer two levels have lines of their own; what is deeper stands in one. */
enum { LINES_DEPTH = 2 };

static void begin_member(struct json *json, const char *key)
{
	if (json->some[json->depth])
		sl_out_text(json->out, ",");
	json->some[json->depth] = true;
	if (json->depth <= LINES_DEPTH) {
		sl_out_text(json->out, "\n");
		for (unsigned i = 0; i < json->depth; i++)
			sl_out_text(json->out, "  ");
	} else {
		sl_out_text(json->out, " ");
	}
	if (key)
		sl_out_printf(json->out, "\"%s\": ", key);
}

static void open_one(struct json *json, char open, char close)
{
	SL_CHECK(json->depth < JSON_DEPTH_MAX);
	sl_out_printf(json->out, "%c", open);
	json->depth++;
	json->some[json->depth] = false;
	json->close[json->depth] = close;
}

/* The same into what is there already; json_out_close ends it. */
static void json_out_in(struct json *json, struct sl_out *out)
{
	*json = (struct json){ .out = out };
	open_one(json, '{', '}');
}

int json_out_begin(struct json *json, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	*json = (struct json){ .out = NULL };
	if (!status)
		json_out_in(json, out);
	return status;
}

void json_out_object(struct json *json, const char *key)
{
	begin_member(json, key);
	open_one(json, '{', '}');
}

void json_out_array(struct json *json, const char *key)
{
	begin_member(json, key);
	open_one(json, '[', ']');
}

void json_out_close(struct json *json)
{
	SL_CHECK(json->depth > 0);
	const bool some = json->some[json->depth];
	if (some && json->depth <= LINES_DEPTH) {
		sl_out_text(json->out, "\n");
		for (unsigned i = 1; i < json->depth; i++)
			sl_out_text(json->out, "  ");
	} else if (some) {
		sl_out_text(json->out, " ");
	}
	sl_out_printf(json->out, "%c", json->close[json->depth]);
	json->depth--;
}

void json_out_text(struct json *json, const char *key, const char *text)
{
	begin_member(json, key);
	if (text)
		sl_out_json(json->out, text);
	else
		sl_out_text(json->out, "null");
}

void json_out_count(struct json *json, const char *key, uint64_t count)
{
	begin_member(json, key);
	sl_out_printf(json->out, "%" PRIu64, count);
}

void json_out_micro(struct json *json, const char *key, int64_t micro)
{
	begin_member(json, key);
	if (micro == SL_NONE) {
		sl_out_text(json->out, "null");
		return;
	}
	char *room = sl_out_room(json->out, 32);
	sl_out_advance(json->out, sl_put_micro(room, micro));
}

void json_out_flag(struct json *json, const char *key, bool flag)
{
	begin_member(json, key);
	sl_out_text(json->out, flag ? "true" : "false");
}

int json_out_file(struct json *json, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	json_out_text(json, "file", path);
	if (strcmp(path, "-") == 0)
		return SL_OK;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	while ((status = sl_input_next(in, &text, &end, err)) > 0)
		;
	if (!status) {
		json_out_text(json, "sha256", sl_input_sha256(in));
		json_out_count(json, "bytes", sl_input_bytes(in));
	}
	sl_input_close(in);
	return status;
}

int json_out_end(struct json *json, struct sl_err *err)
{
	while (json->depth)
		json_out_close(json);
	sl_out_text(json->out, "\n");
	struct sl_out *out = json->out;
	json->out = NULL;
	return sl_out_commit(out, err);
}

void json_out_abandon(struct json *json)
{
	sl_out_abandon(json->out);
	json->out = NULL;
}

int json_out_finish(struct json *json, int status, struct sl_err *err)
{
	if (!status)
		return json_out_end(json, err);
	json_out_abandon(json);
	return status;
}

int json_out_apart(const struct args *args, const char *path, struct sl_err *err)
{
	if (!arg_flag(args, "json") || arg_flag(args, "dry-run") || (path && strcmp(path, "-") != 0))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"--json tells on standard output of the file that is written, which would be there too: name a file");
}

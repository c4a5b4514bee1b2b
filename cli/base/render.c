/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render.c - named values as members of JSON and as rows of CSV; rows of tables for people.
 */
#include "cli/base/render.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON ---------------------------------------------------------------------------------------------- */

const struct json_form json_one_line = { " ", ", ", " ", false };
const struct json_form json_tight = { "", ", ", "", false };
const struct json_form json_open_lines = { " ", ",\n", " ", false };
const struct json_form json_lines_0 = { "\n", ",\n", "\n", false };
const struct json_form json_lines_2 = { "\n  ", ",\n  ", "\n", false };
const struct json_form json_lines_4 = { "\n    ", ",\n    ", "\n  ", false };

static void render_put_micro(struct sl_out *out, int64_t micro)
{
	sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), micro));
}

struct sl_out *json_raw(struct json *json, const char *name)
{
	struct json_level *level = &json->level[json->depth];
	if (json->indent >= 0)
		sl_out_printf(json->out, "%s\n%*s", level->some ? "," : "", json->indent, "");
	else
		sl_out_text(json->out, level->some ? level->form->between : level->form->first);
	level->some = true;
	json->indent = -1;
	if (name) {
		sl_out_json(json->out, name);
		sl_out_text(json->out, ": ");
	}
	return json->out;
}

static void level_open(struct json *json, char open, const struct json_form *form)
{
	SL_CHECK(json->depth < JSON_DEPTH_MAX);
	sl_out_printf(json->out, "%c", open);
	json->depth++;
	if (!form)
		form = json->depth == 1 ? &json_lines_2 : json->depth == 2 ? &json_lines_4 : &json_one_line;
	json->level[json->depth] = (struct json_level){ form, false, open == '{' ? '}' : ']' };
}

void json_start_in(struct json *json, struct sl_out *out, const struct json_form *form)
{
	*json = (struct json){ .out = out, .indent = -1 };
	level_open(json, '{', form);
}

int json_start(struct json *json, const struct json_form *form, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	*json = (struct json){ .out = NULL };
	if (!status)
		json_start_in(json, out, form);
	return status;
}

void json_nest(struct json *json, const char *name, char open, const struct json_form *form)
{
	(void)json_raw(json, name);
	level_open(json, open, form);
}

void json_close(struct json *json)
{
	SL_CHECK(json->depth > 0);
	const struct json_level *level = &json->level[json->depth--];
	if (level->some || level->form->always)
		sl_out_text(json->out, level->form->last);
	sl_out_printf(json->out, "%c", level->close);
}

void json_line(struct json *json, int indent) { json->indent = indent; }

void datum_put(struct sl_out *out, const struct datum *datum)
{
	switch (datum->kind) {
	case DATUM_TEXT:
	case DATUM_QUOTED:
	case DATUM_VERBATIM:
		sl_out_json(out, datum->text);
		break;
	case DATUM_PLAIN:
		sl_out_text(out, datum->text);
		break;
	case DATUM_COUNT:
		sl_out_printf(out, "%" PRIu64, (uint64_t)datum->number);
		break;
	case DATUM_WHOLE:
		sl_out_printf(out, "%" PRId64, datum->number);
		break;
	case DATUM_MICRO:
		render_put_micro(out, datum->number);
		break;
	case DATUM_FLAG:
		sl_out_text(out, datum->number ? "true" : "false");
		break;
	case DATUM_DIGEST:
		sl_out_printf(out, "\"%016" PRIx64 "\"", (uint64_t)datum->number);
		break;
	case DATUM_NULL:
	case DATUM_ABSENT:
	case DATUM_LINE:
	case DATUM_END:
		sl_out_text(out, "null");
		break;
	}
}

void json_data(struct json *json, const struct datum *datum)
{
	for (; datum->kind != DATUM_END; datum++)
		if (datum->kind == DATUM_LINE)
			json_line(json, (int)datum->number);
		else if (datum->kind != DATUM_ABSENT)
			datum_put(json_raw(json, datum->name), datum);
}

void json_object_of(struct json *json, const char *name, const struct datum *datum)
{
	json_nest(json, name, '{', &json_one_line);
	json_data(json, datum);
	json_close(json);
}

void json_texts(struct json *json, const char *name, const char *const *text, size_t count)
{
	json_nest(json, name, '[', &json_tight);
	for (size_t i = 0; i < count; i++)
		json_put(json, datum_text(NULL, text[i]));
	json_close(json);
}

int json_file(struct json *json, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	json_put(json, datum_text("file", path));
	if (strcmp(path, "-") == 0)
		return SL_OK;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	while ((status = sl_input_next(in, &text, &end, err)) > 0)
		;
	if (!status)
		json_put(json, datum_text("sha256", sl_input_sha256(in)),
			datum_count("bytes", sl_input_bytes(in)));
	sl_input_close(in);
	return status;
}

int json_finish(struct json *json, int status, struct sl_err *err)
{
	struct sl_out *out = json->out;
	if (status) {
		sl_out_abandon(out);
		return status;
	}
	while (json->depth)
		json_close(json);
	sl_out_text(out, "\n");
	json->out = NULL;
	return sl_out_commit(out, err);
}

int json_file_reported(const char *path, const struct datum *datum, struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_data(&json, datum);
	return json_finish(&json, json_file(&json, path, err), err);
}

int json_apart(const struct args *args, const char *path, struct sl_err *err)
{
	if (!arg_flag(args, "json") || arg_flag(args, "dry-run") || (path && strcmp(path, "-") != 0))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"--json tells on standard output of the file that is written, which would be there too: name a file");
}

/* ---- CSV ----------------------------------------------------------------------------------------------- */

static void put_quoted(struct sl_out *out, const char *text)
{
	sl_out_text(out, "\"");
	for (; *text; text++)
		sl_out_printf(out, *text == '"' ? "\"%c" : "%c", *text);
	sl_out_text(out, "\"");
}

void csv_data(struct sl_out *out, bool more, const struct datum *datum)
{
	for (; datum->kind != DATUM_END; datum++, more = true) {
		sl_out_text(out, more ? "," : "");
		if (datum->kind == DATUM_TEXT)
			sl_out_csv(out, datum->text);
		else if (datum->kind == DATUM_QUOTED ||
			 (datum->kind == DATUM_VERBATIM && strpbrk(datum->text, ",\"\n\r")))
			put_quoted(out, datum->text);
		else if (datum->kind == DATUM_VERBATIM)
			sl_out_text(out, datum->text);
		else if (datum->kind == DATUM_FLAG)
			sl_out_text(out, datum->number ? "1" : "0");
		else if (datum->kind == DATUM_DIGEST)
			sl_out_printf(out, "%016" PRIx64, (uint64_t)datum->number);
		else if (datum->kind != DATUM_ABSENT && datum->kind != DATUM_NULL)
			datum_put(out, datum);
	}
}

void csv_metrics(struct sl_out *out, const struct sl_metrics *names, const struct sl_metrics *metrics)
{
	for (size_t i = 0; i < names->count; i++) {
		const int64_t *value = metrics_get(metrics, names->row[i].name);
		csv_more(out, datum_micro(NULL, value ? *value : SL_NONE));
	}
}

void csv_metric_names(struct sl_out *out, const struct sl_metrics *names)
{
	for (size_t i = 0; i < names->count; i++)
		csv_more(out, datum_text(NULL, names->row[i].name));
}

/* ---- For people ---------------------------------------------------------------------------------------- */

void screen_row(struct screen_table *table, const char *align, ...)
{
	va_list args;
	va_start(args, align);
	for (; *align; align++)
		screen_cell(table, *align == 'r', "%s", va_arg(args, const char *));
	va_end(args);
}

void screen_blanks(struct screen_table *table, size_t count)
{
	while (count--)
		screen_cell(table, false, "%s", "");
}

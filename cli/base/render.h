/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render.h - results on their way out: named values as members of JSON (RFC 8259), as rows of CSV (RFC 4180);
 * for people there are the tables of screen.c, whose rows are written here as well.
 *
 * Whoever writes says what is there; commas, quotes, ends of lines, and how a missing value is written, are
 * decided here. Names that are no UTF-8 are read as Latin-1, byte by byte (sl_out_json).
 *
 * In order: json_start; json_put and json_nest ... json_close; json_finish.
 */
#ifndef SL_RENDER_H
#define SL_RENDER_H

#include "cli/base/cli.h"

enum datum_kind {
	DATUM_END,    /* Closes a list. */
	DATUM_ABSENT, /* JSON: no such member; CSV: empty. So are those without a value, but for JSON's null.
		       */
	DATUM_NULL,   /* JSON: null. */
	DATUM_TEXT,   /* CSV: as sl_out_csv has it. */
	DATUM_QUOTED, /* Likewise; CSV: in quotes in any case, and nothing else is changed. */
	DATUM_VERBATIM, /* Likewise; CSV: in quotes where it needs them. */
	DATUM_PLAIN,    /* A text that stands as it is: a number, true. */
	DATUM_COUNT,
	DATUM_WHOLE,
	DATUM_MICRO, /* Millionths: seconds of a time, for instance. */
	DATUM_FLAG,  /* CSV: 1, 0. */
	DATUM_DIGEST,
	DATUM_LINE, /* JSON: what follows begins a line, so far in. */
};

struct datum {
	enum datum_kind kind;
	const char *name; /* Of JSON; NULL: the next of an array. CSV has none. */
	const char *text;
	int64_t number;
};

static inline struct datum datum_of(enum datum_kind kind, const char *name, const char *text, int64_t number)
{
	return (struct datum){ kind, name, text, number };
}

/* NULL: null. */
static inline struct datum datum_text(const char *name, const char *text)
{
	return datum_of(text ? DATUM_TEXT : DATUM_NULL, name, text, 0);
}

/* NULL: absent. */
static inline struct datum datum_given(const char *name, const char *text)
{
	return datum_of(text ? DATUM_TEXT : DATUM_ABSENT, name, text, 0);
}

static inline struct datum datum_plain(const char *name, const char *text)
{
	return datum_of(DATUM_PLAIN, name, text, 0);
}

static inline struct datum datum_count(const char *name, uint64_t count)
{
	return datum_of(DATUM_COUNT, name, NULL, (int64_t)count);
}

/* SL_NONE: null. */
static inline struct datum datum_whole(const char *name, int64_t number)
{
	return datum_of(number == SL_NONE ? DATUM_NULL : DATUM_WHOLE, name, NULL, number);
}

/* SL_NONE: null. */
static inline struct datum datum_micro(const char *name, int64_t micro)
{
	return datum_of(micro == SL_NONE ? DATUM_NULL : DATUM_MICRO, name, NULL, micro);
}

static inline struct datum datum_flag(const char *name, bool flag)
{
	return datum_of(DATUM_FLAG, name, NULL, flag);
}

static inline struct datum datum_digest(const char *name, uint64_t digest)
{
	return datum_of(DATUM_DIGEST, name, NULL, (int64_t)digest);
}

static inline struct datum datum_line(int indent) { return datum_of(DATUM_LINE, NULL, NULL, indent); }

/* Absent, unless. */
static inline struct datum datum_if(bool there, struct datum datum)
{
	return there ? datum : datum_of(DATUM_ABSENT, datum.name, NULL, 0);
}

#define DATA(...) ((const struct datum[]){ __VA_ARGS__, { .kind = DATUM_END } })

/* As a value of JSON. */
void datum_put(struct sl_out *out, const struct datum *datum);

/* ---- JSON ---------------------------------------------------------------------------------------------- */

enum { JSON_DEPTH_MAX = 30 };

/* What stands before the first member of an object or array, between two, and behind the last. */
struct json_form {
	const char *first, *between, *last;
	bool always; /* last, even if there is no member. */
};

extern const struct json_form json_one_line;   /* { a, b } */
extern const struct json_form json_tight;      /* {a, b} */
extern const struct json_form json_open_lines; /* { a, b }, with lines between. */
/* A line each, so far in; what closes them stands further out by two. */
extern const struct json_form json_lines_0, json_lines_2, json_lines_4;

struct json {
	struct sl_out *out;
	unsigned depth; /* Objects and arrays that are open, the outermost included. */
	struct json_level {
		const struct json_form *form;
		bool some; /* There is a member already. */
		char close;
	} level[JSON_DEPTH_MAX + 1];
	int indent; /* Of the next member, which begins a line; -1: as the form has it. */
};

/* One object on stdout. form NULL, here and below: members of the outer two levels have lines of their own.
 */
int json_start(struct json *json, const struct json_form *form, struct sl_err *err);
/* The same into what is there already; json_close ends it. */
void json_start_in(struct json *json, struct sl_out *out, const struct json_form *form);
#define json_put(json, ...) json_data(json, DATA(__VA_ARGS__))
void json_data(struct json *json, const struct datum *datum);
/* open: '{' or '['. name NULL: the next of an array. */
void json_nest(struct json *json, const char *name, char open, const struct json_form *form);
void json_close(struct json *json); /* What was opened last. */
/* An object in one line. */
#define json_object(json, name, ...) json_object_of(json, name, DATA(__VA_ARGS__))
void json_object_of(struct json *json, const char *name, const struct datum *datum);
/* A member whose value the caller writes. */
struct sl_out *json_raw(struct json *json, const char *name);
void json_line(struct json *json, int indent); /* As DATUM_LINE. */
/* An array of texts, in one line. */
void json_texts(struct json *json, const char *name, const char *const *text, size_t count);
/* A file that is there: its name, sha256 and bytes as "file", "sha256", "bytes". "-": its name alone. */
int json_file(struct json *json, const char *path, struct sl_err *err);
/* An object on stdout that describes a file: these values, then those of json_file. */
#define json_of_file(path, err, ...) json_file_reported(path, DATA(__VA_ARGS__), err)
int json_file_reported(const char *path, const struct datum *datum, struct sl_err *err);
/* Closes what is open and commits; where status says that it went wrong already, drops it. */
int json_finish(struct json *json, int status, struct sl_err *err);

/* --json prints on stdout what is reported of a file: SL_USAGE where the file itself would go there. */
int json_apart(const struct args *args, const char *path, struct sl_err *err);

/* ---- CSV ----------------------------------------------------------------------------------------------- */

/* A row, or its beginning; more of it; the end of a line is the caller's. */
#define csv_begin(out, ...) csv_data(out, false, DATA(__VA_ARGS__))
#define csv_more(out, ...)  csv_data(out, true, DATA(__VA_ARGS__))
void csv_data(struct sl_out *out, bool more, const struct datum *datum);
/* More of a row: the values of the metrics that `names` has, or these names. */
void csv_metrics(struct sl_out *out, const struct sl_metrics *names, const struct sl_metrics *metrics);
void csv_metric_names(struct sl_out *out, const struct sl_metrics *names);

/* ---- For people ---------------------------------------------------------------------------------------- */

/* Cells of a table, texts all: 'l' and 'r' in align is where each stands. */
void screen_row(struct screen_table *table, const char *align, ...);
/* So many empty ones. */
void screen_blanks(struct screen_table *table, size_t count);

#endif

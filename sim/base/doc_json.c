/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doc_json.c - JSON (RFC 8259) into a document.
 *
 * A scanner of our own, because each word's place is wanted and no library of C keeps it. Numbers, true,
 * false and null are kept as they are spelled.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/doc.h"

struct json {
	struct sl_doc *doc;
	const char *p; /* The text ends in a zero, which nothing passes. */
	const char *end;
	const char *line_start;
	uint32_t line;
	const char *seen; /* Up to here columns are counted: lines may be as long as the file. */
	uint32_t column;
	char *scratch; /* As long as the text: what a string says. */
	struct sl_err *err;
};

/* Columns are of characters. p ascends. */
static struct sl_place place_at(struct json *json, const char *p)
{
	if (json->seen < json->line_start) {
		json->seen = json->line_start;
		json->column = 1;
	}
	for (; json->seen < p; json->seen++)
		json->column += ((unsigned char)*json->seen & 0xC0) != 0x80;
	return (struct sl_place){ json->doc->file, json->line, json->column };
}

static int fail_here(struct json *json, const char *wanted)
{
	const struct sl_place at = place_at(json, json->p);
	const unsigned char c = (unsigned char)*json->p;
	if (json->p == json->end)
		return sl_fail_at(json->err, &at, "not JSON: ends where %s is due", wanted);
	if (c < ' ' || c > '~')
		return sl_fail_at(json->err, &at, "not JSON: %s is due, not byte 0x%02x", wanted, c);
	return sl_fail_at(json->err, &at, "not JSON: %s is due, not '%c'", wanted, c);
}

static void skip_space(struct json *json)
{
	for (;; json->p++) {
		if (*json->p == '\n') {
			json->line++;
			json->line_start = json->p + 1;
		} else if (*json->p != ' ' && *json->p != '\t' && *json->p != '\r') {
			return;
		}
	}
}

/* ---- Strings ----------------------------------------------------------------------------- */

static bool hex4(const char *p, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++) {
		const char c = p[i];
		uint32_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (uint32_t)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'F')
			digit = (uint32_t)(c - 'A') + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

static char *put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
		return out;
	}
	if (c < 0x800) {
		*out++ = (char)(0xC0 | c >> 6);
	} else if (c < 0x10000) {
		*out++ = (char)(0xE0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
	} else {
		*out++ = (char)(0xF0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3F));
		*out++ = (char)(0x80 | (c >> 6 & 0x3F));
	}
	*out++ = (char)(0x80 | (c & 0x3F));
	return out;
}

/* Behind "\u": one character, of two halves where it takes them. */
static int unicode(struct json *json, char **out)
{
	uint32_t c;
	uint32_t low;
	if (!hex4(json->p, &c))
		return fail_here(json, "four hexadecimal digits");
	if (c >= 0xD800 && c < 0xDC00 && json->p[4] == '\\' && json->p[5] == 'u' && hex4(json->p + 6, &low) &&
		low >= 0xDC00 && low < 0xE000) {
		json->p += 6;
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
	}
	if (!c || (c >= 0xD800 && c < 0xE000))
		return fail_here(json, "a character (not a zero, not half of a pair)");
	json->p += 4;
	*out = put_utf8(*out, c);
	return SL_OK;
}

static int escape(struct json *json, char **out)
{
	static const char letter[] = "\"\\/bfnrt";
	static const char means[] = "\"\\/\b\f\n\r\t";
	if (*json->p == 'u') {
		json->p++;
		return unicode(json, out);
	}
	const char *at = *json->p ? strchr(letter, *json->p) : NULL;
	if (!at)
		return fail_here(json, "an escape (one of \"\\/bfnrtu)");
	*(*out)++ = means[at - letter];
	json->p++;
	return SL_OK;
}

/* At the opening quote; what it says is scratch[0..*len). */
static int string_in(struct json *json, size_t *len)
{
	char *out = json->scratch;
	json->p++;
	while (*json->p != '"') {
		if ((unsigned char)*json->p < ' ') /* The end, too. */
			return fail_here(json, "the closing quote of the string");
		if (*json->p != '\\') {
			*out++ = *json->p++;
			continue;
		}
		json->p++;
		const int status = escape(json, &out);
		if (status)
			return status;
	}
	json->p++;
	*len = (size_t)(out - json->scratch);
	return SL_OK;
}

/* ---- Values -------------------------------------------------------------------------------- */

static const char *digits(const char *p)
{
	while (*p >= '0' && *p <= '9')
		p++;
	return p;
}

/* The end of the number at p; NULL if it is none. */
static const char *number_end(const char *p)
{
	p += *p == '-';
	const char *whole = digits(p);
	if (whole == p || (*p == '0' && whole > p + 1))
		return NULL;
	p = whole;
	if (*p == '.') {
		whole = digits(p + 1);
		if (whole == p + 1)
			return NULL;
		p = whole;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		whole = digits(p);
		return whole == p ? NULL : whole;
	}
	return p;
}

static const char *word_end(const char *p)
{
	static const char *const word[] = { "true", "false", "null" };
	for (size_t i = 0; i < SL_LEN(word); i++)
		if (strncmp(p, word[i], strlen(word[i])) == 0)
			return p + strlen(word[i]);
	return NULL;
}

static int scalar_in(struct json *json)
{
	const struct sl_place at = place_at(json, json->p);
	if (*json->p == '"') {
		size_t len = 0;
		const int status = string_in(json, &len);
		return status ? status : sl_doc_text(json->doc, json->scratch, len, &at, json->err);
	}
	const char *end = number_end(json->p);
	if (!end)
		end = word_end(json->p);
	if (!end)
		return fail_here(json, "a value");
	const char *from = json->p;
	json->p = end;
	return sl_doc_text(json->doc, from, (size_t)(end - from), &at, json->err);
}

static int key_in(struct json *json)
{
	const struct sl_place at = place_at(json, json->p);
	size_t len = 0;
	if (*json->p != '"')
		return fail_here(json, "a key in quotes");
	int status = string_in(json, &len);
	if (!status)
		status = sl_doc_key(json->doc, json->scratch, len, &at, json->err);
	if (status)
		return status;
	skip_space(json);
	if (*json->p != ':')
		return fail_here(json, "':'");
	json->p++;
	skip_space(json);
	return SL_OK;
}

static char closing(const struct json *json)
{
	const struct sl_doc *doc = json->doc;
	return doc->node[doc->open[doc->depth - 1]].kind == SL_DOC_MAP ? '}' : ']';
}

/* Behind a value: closes what it was the last of. */
static int after_value(struct json *json)
{
	while (json->doc->depth) {
		skip_space(json);
		if (*json->p == ',') {
			json->p++;
			return SL_OK;
		}
		if (*json->p != closing(json))
			return fail_here(json, closing(json) == '}' ? "',' or '}'" : "',' or ']'");
		json->p++;
		sl_doc_close(json->doc);
	}
	return SL_OK;
}

/* A key if one is due, and a value; of a map or list only its beginning, unless it is empty. */
static int step(struct json *json)
{
	skip_space(json);
	int status = sl_doc_wants_key(json->doc) ? key_in(json) : SL_OK;
	if (status)
		return status;
	if (*json->p != '{' && *json->p != '[') {
		status = scalar_in(json);
		return status ? status : after_value(json);
	}
	const struct sl_place at = place_at(json, json->p);
	status = sl_doc_open(json->doc, *json->p++ == '{' ? SL_DOC_MAP : SL_DOC_LIST, (uint32_t)at.line,
		at.column, json->err);
	if (status)
		return status;
	skip_space(json);
	if (*json->p != closing(json))
		return SL_OK;
	json->p++;
	sl_doc_close(json->doc);
	return after_value(json);
}

int sl_doc_read_json(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err)
{
	char *scratch = malloc(len + 1);
	if (!scratch)
		return sl_fail_memory(err);
	struct json json = { doc, text, text + len, text, 1, text, 1, scratch, err };
	int status;
	do
		status = step(&json);
	while (!status && doc->depth);
	if (!status)
		skip_space(&json);
	if (!status && json.p != json.end)
		status = fail_here(&json, "the end");
	free(scratch);
	return status;
}

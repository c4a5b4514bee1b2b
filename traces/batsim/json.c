/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.c - see json.h. */
#include "traces/batsim/json.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

void json_begin(struct json *json, const char *file, const char *text, const char *end, struct sl_err *err)
{
	*json = (struct json){ text, text, end, file, err, false, text, 1, text };
}

struct sl_place json_place(struct json *json, const char *p)
{
	if (p < json->counted) { /* Back: from the beginning. */
		json->counted = json->line_at = json->text;
		json->line = 1;
	}
	const char *newline;
	while ((newline = memchr(json->counted, '\n', (size_t)(p - json->counted)))) {
		json->line++;
		json->counted = json->line_at = newline + 1;
	}
	json->counted = p;
	const size_t column = (size_t)(p - json->line_at) + 1;
	return (struct sl_place){ json->file, json->line, column < UINT32_MAX ? (uint32_t)column : 0 };
}

int json_fail(struct json *json, const char *p, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (json->failed)
		return json->err->status;
	json->failed = true;
	const struct sl_place at = json_place(json, p);
	return sl_fail_at(json->err, &at, "%s", text);
}

static char blanks(struct json *json)
{
	while (json->p < json->end &&
		(*json->p == ' ' || *json->p == '\n' || *json->p == '\t' || *json->p == '\r'))
		json->p++;
	return *json->p; /* A zero at the end. */
}

static void fail_here(struct json *json, const char *wanted)
{
	if (json->p >= json->end)
		(void)json_fail(
			json, json->p, "the text ends where %s should be: is the file whole?", wanted);
	else if (*json->p > ' ' && *json->p <= '~')
		(void)json_fail(json, json->p, "'%c' stands where %s should be", *json->p, wanted);
	else
		(void)json_fail(json, json->p, "a byte 0x%02x stands where %s should be",
			(unsigned)(unsigned char)*json->p, wanted);
}

static bool take(struct json *json, char c, const char *wanted)
{
	if (json->failed)
		return false;
	if (blanks(json) != c || json->p >= json->end) {
		fail_here(json, wanted);
		return false;
	}
	json->p++;
	return true;
}

char json_peek(struct json *json)
{
	if (json->failed)
		return '\0';
	const char c = blanks(json);
	if (c && strchr("{[\"-0123456789tfn", c))
		return c;
	fail_here(json, "a value");
	return '\0';
}

void json_open(struct json *json) { json->p++; }

/* ---- Words ------------------------------------------------------------------------------ */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* Behind the backslash; false if it is none of JSON's escapes. */
static bool escape(struct json *json)
{
	if (json->p >= json->end)
		return false;
	const char c = *json->p++;
	if (c != 'u')
		return c && strchr("\"\\/bfnrt", c);
	for (int i = 0; i < 4; i++)
		if (json->p >= json->end || !is_hex(*json->p++))
			return false;
	return true;
}

/* Behind the opening quote. */
static struct json_word string(struct json *json)
{
	struct json_word word = { .p = json->p, .string = true };
	const char *quote = json->p - 1;
	while (json->p < json->end && *json->p != '"') {
		const char c = *json->p++;
		if ((unsigned char)c < ' ') {
			(void)json_fail(json, json->p - 1,
				"a string holds a byte 0x%02x: write it as \\u%04x",
				(unsigned)(unsigned char)c, (unsigned)(unsigned char)c);
			return (struct json_word){ 0 };
		}
		word.escaped |= c == '\\';
		if (c == '\\' && !escape(json)) {
			(void)json_fail(json, json->p - 1, "a backslash begins no escape that JSON has");
			return (struct json_word){ 0 };
		}
	}
	word.len = (size_t)(json->p - word.p);
	if (json->p < json->end) {
		json->p++;
		return word;
	}
	(void)json_fail(json, quote, "a string is not closed: is the file whole?");
	return (struct json_word){ 0 };
}

static void digits(struct json *json, const char *wanted)
{
	if (json->p >= json->end || !is_digit(*json->p))
		fail_here(json, wanted);
	while (json->p < json->end && is_digit(*json->p))
		json->p++;
}

static struct json_word number(struct json *json)
{
	struct json_word word = { .p = json->p };
	json->p += *json->p == '-';
	if (json->p < json->end && *json->p == '0')
		json->p++; /* No digit may follow it. */
	else
		digits(json, "a digit");
	if (json->p < json->end && *json->p == '.') {
		json->p++;
		digits(json, "a digit");
	}
	if (json->p < json->end && (*json->p == 'e' || *json->p == 'E')) {
		json->p++;
		json->p += json->p < json->end && (*json->p == '-' || *json->p == '+');
		digits(json, "a digit");
	}
	word.len = (size_t)(json->p - word.p);
	return json->failed ? (struct json_word){ 0 } : word;
}

static void literal(struct json *json)
{
	static const char *const words[] = { "true", "false", "null" };
	for (size_t i = 0; i < SL_LEN(words); i++) {
		const size_t len = strlen(words[i]);
		if ((size_t)(json->end - json->p) >= len && memcmp(json->p, words[i], len) == 0) {
			json->p += len;
			return;
		}
	}
	fail_here(json, "a value");
}

struct json_word json_word(struct json *json)
{
	const char c = json_peek(json);
	if (c == '"') {
		json->p++;
		return string(json);
	}
	if (c == '-' || is_digit(c))
		return number(json);
	json_skip(json);
	return (struct json_word){ 0 };
}

/* ---- Objects and arrays -------------------------------------------------------------------- */

/* False at the closing bracket. */
static bool next(struct json *json, char close, bool *first, const char *wanted)
{
	if (json->failed)
		return false;
	if (blanks(json) == close) {
		json->p++;
		return false;
	}
	if (!*first && !take(json, ',', wanted))
		return false;
	*first = false;
	return true;
}

bool json_member(struct json *json, struct json_word *key, bool *first)
{
	if (!next(json, '}', first, "',' or '}'") || !take(json, '"', "a key in quotes"))
		return false;
	*key = string(json);
	return take(json, ':', "':'");
}

bool json_element(struct json *json, bool *first) { return next(json, ']', first, "',' or ']'"); }

/* A value of one piece, or the opening of one of several: then *open says how it will close. */
static void skip_piece(struct json *json, char *close)
{
	const char c = json_peek(json);
	*close = '\0';
	if (c == '{' || c == '[') {
		json->p++;
		*close = c == '{' ? '}' : ']';
	} else if (c == '"' || c == '-' || is_digit(c)) {
		(void)json_word(json);
	} else if (c) {
		literal(json);
	}
}

void json_skip(struct json *json)
{
	char close[DEPTH_MAX];
	bool first[DEPTH_MAX];
	struct json_word key;
	size_t depth = 0;
	do {
		if (depth && !(close[depth - 1] == '}' ? json_member(json, &key, &first[depth - 1])
						       : json_element(json, &first[depth - 1]))) {
			depth--;
			continue;
		}
		if (depth == DEPTH_MAX) {
			(void)json_fail(json, json->p, "values are nested more than %d deep", DEPTH_MAX);
			return;
		}
		first[depth] = true;
		skip_piece(json, &close[depth]);
		depth += close[depth] != '\0';
	} while (depth && !json->failed);
}

void json_end(struct json *json)
{
	if (!json->failed && (blanks(json) || json->p < json->end))
		fail_here(json, "the end of the text");
}

/* ---- Strings --------------------------------------------------------------------------------- */

bool json_is(const struct json_word *word, const char *text)
{
	return word->p && word->string && strlen(text) == word->len && memcmp(word->p, text, word->len) == 0;
}

static unsigned hex4(const char *p)
{
	unsigned value = 0;
	for (int i = 0; i < 4; i++)
		value = value * 16 + (unsigned)(is_digit(p[i]) ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
	return value;
}

/* As UTF-8; half a surrogate pair becomes U+FFFD. */
static char *put_code(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* \uXXXX, or two of them that are a pair; *p stands behind the u. */
static unsigned code_at(const char **p, const char *end)
{
	unsigned code = hex4(*p);
	*p += 4;
	if (code < 0xd800 || code > 0xdfff)
		return code;
	if (code < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u') {
		const unsigned low = hex4(*p + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*p += 6;
			return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return 0xfffd;
}

bool json_text(struct json *json, const struct json_word *word, char *to, size_t room)
{
	static const char plain[] = "\"\\/bfnrt";
	static const char meant[] = "\"\\/\b\f\n\r\t";
	if (word->len >= room) {
		(void)json_fail(json, word->p, "a name is longer than %zu bytes", room - 1);
		return false;
	}
	const char *end = word->p + word->len;
	for (const char *p = word->p; p < end;) {
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		p += 2;
		unsigned code = 1;
		if (p[-1] == 'u')
			to = put_code(to, code = code_at(&p, end)); /* No longer than its escape. */
		else
			*to++ = meant[strchr(plain, p[-1]) - plain];
		if (!code) {
			(void)json_fail(json, word->p, "a name holds \\u0000: leave it out");
			return false;
		}
	}
	*to = '\0';
	return true;
}

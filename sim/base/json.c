/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.c - a walk through JSON text, see sim/plugin/json.h; and a tree of what comes next on it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/doc.h"

enum { DEPTH_MAX = 64 };

void sl_json_begin(
	struct sl_json *json, const char *file, const char *text, const char *end, struct sl_err *err)
{
	*json = (struct sl_json){ .p = text,
		.text = text,
		.end = end,
		.file = file,
		.err = err,
		.counted = text,
		.line = 1,
		.column = 1 };
}

/* A byte is counted once, as places ascend: lines may be as long as the file. */
struct sl_place sl_json_place(struct sl_json *json, const char *p)
{
	if (p < json->counted) { /* Back: from the beginning. */
		json->counted = json->text;
		json->line = json->column = 1;
	}
	const char *newline;
	while ((newline = memchr(json->counted, '\n', (size_t)(p - json->counted)))) {
		json->line++;
		json->column = 1;
		json->counted = newline + 1;
	}
	uint32_t column = json->column;
	for (const char *at = json->counted; at < p; at++)
		column += ((unsigned char)*at & 0xC0) != 0x80;
	json->counted = p;
	json->column = column;
	return (struct sl_place){ json->file, json->line, column };
}

int sl_json_fail(struct sl_json *json, const char *p, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (json->failed)
		return json->err->status;
	json->failed = true;
	const struct sl_place at = sl_json_place(json, p);
	return sl_fail_at(json->err, &at, "%s", text);
}

static char blanks(struct sl_json *json)
{
	while (json->p < json->end &&
		(*json->p == ' ' || *json->p == '\n' || *json->p == '\t' || *json->p == '\r'))
		json->p++;
	return *json->p; /* A zero at the end. */
}

static int fail_due(struct sl_json *json, const char *p, const char *wanted)
{
	const unsigned char c = (unsigned char)*p;
	if (p == json->end)
		return json->document
			       ? sl_json_fail(json, p, "not JSON: ends where %s is due", wanted)
			       : sl_json_fail(json, p, "the text ends where %s should be: is the file whole?",
					 wanted);
	if (c > ' ' && c <= '~')
		return json->document ? sl_json_fail(json, p, "not JSON: %s is due, not '%c'", wanted, c)
				      : sl_json_fail(json, p, "'%c' stands where %s should be", c, wanted);
	return json->document ? sl_json_fail(json, p, "not JSON: %s is due, not byte 0x%02x", wanted, c)
			      : sl_json_fail(json, p, "a byte 0x%02x stands where %s should be", c, wanted);
}

static void fail_here(struct sl_json *json, const char *wanted) { (void)fail_due(json, json->p, wanted); }

static bool json_take(struct sl_json *json, char c, const char *wanted)
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

char sl_json_peek(struct sl_json *json)
{
	if (json->failed)
		return '\0';
	const char c = blanks(json);
	if (c && strchr("{[\"-0123456789tfn", c))
		return c;
	fail_here(json, "a value");
	return '\0';
}

void sl_json_open(struct sl_json *json) { json->p++; }

/* ---- Words ------------------------------------------------------------------------------ */

static bool is_hex(char c) { return sl_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* Behind the backslash; false if it is none of JSON's escapes. */
static bool escape(struct sl_json *json)
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
static struct sl_json_word string(struct sl_json *json)
{
	struct sl_json_word word = { .p = json->p, .string = true };
	const char *quote = json->p - 1;
	while (json->p < json->end && *json->p != '"') {
		const char c = *json->p++;
		if ((unsigned char)c < ' ') {
			(void)sl_json_fail(json, json->p - 1,
				"a string holds a byte 0x%02x: write it as \\u%04x",
				(unsigned)(unsigned char)c, (unsigned)(unsigned char)c);
			return (struct sl_json_word){ 0 };
		}
		word.escaped |= c == '\\';
		if (c == '\\' && !escape(json)) {
			(void)sl_json_fail(json, json->p - 1, "a backslash begins no escape that JSON has");
			return (struct sl_json_word){ 0 };
		}
	}
	word.len = (size_t)(json->p - word.p);
	if (json->p < json->end) {
		json->p++;
		return word;
	}
	(void)sl_json_fail(json, quote, "a string is not closed: is the file whole?");
	return (struct sl_json_word){ 0 };
}

static void json_digits(struct sl_json *json, const char *wanted)
{
	if (json->p >= json->end || !sl_is_digit(*json->p))
		fail_here(json, wanted);
	while (json->p < json->end && sl_is_digit(*json->p))
		json->p++;
}

static struct sl_json_word json_number(struct sl_json *json)
{
	struct sl_json_word word = { .p = json->p };
	json->p += *json->p == '-';
	if (json->p < json->end && *json->p == '0')
		json->p++; /* No digit may follow it. */
	else
		json_digits(json, "a digit");
	if (json->p < json->end && *json->p == '.') {
		json->p++;
		json_digits(json, "a digit");
	}
	if (json->p < json->end && (*json->p == 'e' || *json->p == 'E')) {
		json->p++;
		json->p += json->p < json->end && (*json->p == '-' || *json->p == '+');
		json_digits(json, "a digit");
	}
	word.len = (size_t)(json->p - word.p);
	return json->failed ? (struct sl_json_word){ 0 } : word;
}

static void literal(struct sl_json *json)
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

struct sl_json_word sl_json_take(struct sl_json *json)
{
	const char c = sl_json_peek(json);
	if (c == '"') {
		json->p++;
		return string(json);
	}
	if (c == '-' || sl_is_digit(c))
		return json_number(json);
	sl_json_skip(json);
	return (struct sl_json_word){ 0 };
}

/* ---- Objects and arrays -------------------------------------------------------------------- */

/* False at the closing bracket. */
static bool json_next(struct sl_json *json, char close, bool *first, const char *wanted)
{
	if (json->failed)
		return false;
	if (blanks(json) == close) {
		json->p++;
		return false;
	}
	if (!*first && !json_take(json, ',', wanted))
		return false;
	*first = false;
	return true;
}

bool sl_json_member(struct sl_json *json, struct sl_json_word *key, bool *first)
{
	if (!json_next(json, '}', first, "',' or '}'") || !json_take(json, '"', "a key in quotes"))
		return false;
	*key = string(json);
	return json_take(json, ':', "':'");
}

bool sl_json_element(struct sl_json *json, bool *first) { return json_next(json, ']', first, "',' or ']'"); }

/* A scalar, or the opening of a list or map: then *open says how it will close. */
static void skip_part(struct sl_json *json, char *close)
{
	const char c = sl_json_peek(json);
	*close = '\0';
	if (c == '{' || c == '[') {
		json->p++;
		*close = c == '{' ? '}' : ']';
	} else if (c == '"' || c == '-' || sl_is_digit(c)) {
		(void)sl_json_take(json);
	} else if (c) {
		literal(json);
	}
}

void sl_json_skip(struct sl_json *json)
{
	char close[DEPTH_MAX];
	bool first[DEPTH_MAX];
	struct sl_json_word key;
	size_t depth = 0;
	do {
		if (depth && !(close[depth - 1] == '}' ? sl_json_member(json, &key, &first[depth - 1])
						       : sl_json_element(json, &first[depth - 1]))) {
			depth--;
			continue;
		}
		if (depth == DEPTH_MAX) {
			(void)sl_json_fail(json, json->p, "values are nested more than %d deep", DEPTH_MAX);
			return;
		}
		first[depth] = true;
		skip_part(json, &close[depth]);
		depth += close[depth] != '\0';
	} while (depth && !json->failed);
}

void sl_json_end(struct sl_json *json)
{
	if (!json->failed && (blanks(json) || json->p < json->end))
		fail_here(json, json->document ? "the end" : "the end of the text");
}

/* ---- Strings --------------------------------------------------------------------------------- */

bool sl_json_is(const struct sl_json_word *word, const char *text)
{
	return word->p && word->string && strlen(text) == word->len && memcmp(word->p, text, word->len) == 0;
}

static unsigned hex4(const char *p)
{
	unsigned value = 0;
	for (int i = 0; i < 4; i++)
		value = value * 16 + (unsigned)(sl_is_digit(p[i]) ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
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

/* \uXXXX, or two of them that are a pair; *p stands behind the u. Half a pair is itself. */
static unsigned code_at(const char **p, const char *end)
{
	unsigned code = hex4(*p);
	*p += 4;
	if (code < 0xd800 || code > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return code;
	const unsigned low = hex4(*p + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return code;
	*p += 6;
	return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

/* What the word means, at `to`, which it is no longer than; its end. NULL: failed. */
static char *plain_of(struct sl_json *json, const struct sl_json_word *word, char *to)
{
	static const char plain[] = "\"\\/bfnrt";
	static const char meant[] = "\"\\/\b\f\n\r\t";
	const char *end = word->p + word->len;
	for (const char *p = word->p; p < end;) {
		if (*p != '\\') {
			*to++ = *p++;
			continue;
		}
		p += 2;
		if (p[-1] != 'u') {
			*to++ = meant[strchr(plain, p[-1]) - plain];
			continue;
		}
		const char *digits = p;
		const unsigned code = code_at(&p, end);
		const bool half = code >= 0xd800 && code <= 0xdfff;
		if (json->document && (!code || half)) {
			(void)fail_due(json, digits, "a character (not a zero, not half of a pair)");
			return NULL;
		}
		if (!code) {
			(void)sl_json_fail(json, word->p, "a name holds \\u0000: leave it out");
			return NULL;
		}
		to = put_code(to, half ? 0xfffd : code);
	}
	return to;
}

bool sl_json_text(struct sl_json *json, const struct sl_json_word *word, char *to, size_t capacity)
{
	if (word->len >= capacity) {
		(void)sl_json_fail(json, word->p, "a name is longer than %zu bytes", capacity - 1);
		return false;
	}
	char *end = plain_of(json, word, to);
	if (end)
		*end = '\0';
	return end != NULL;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* What the word means, lent until the next; *len of it. NULL: failed. */
static const char *meaning(struct sl_json *json, const struct sl_json_word *word, char **scratch, size_t *len)
{
	*len = word->len;
	if (!word->escaped)
		return word->p;
	free(*scratch);
	*scratch = malloc(word->len + 1);
	if (!*scratch) {
		json->failed = true;
		(void)sl_fail(json->err, SL_SYSTEM, "%s: out of memory", json->file);
		return NULL;
	}
	const char *end = plain_of(json, word, *scratch);
	*len = end ? (size_t)(end - *scratch) : 0;
	return end ? *scratch : NULL;
}

static int key_in(struct sl_json *json, struct sl_doc *doc, const struct sl_json_word *key, char **scratch)
{
	size_t len;
	const char *text = meaning(json, key, scratch, &len);
	if (!text)
		return json->err->status;
	const struct sl_place at = sl_json_place(json, key->p - 1);
	const int status = sl_doc_key(doc, text, len, &at, json->err);
	doc->key.key_from = (uint32_t)(key->p - 1 - json->text);
	return status;
}

/* A value; of a map or list only its beginning. */
static int value_in(struct sl_json *json, struct sl_doc *doc, char **scratch)
{
	const char c = sl_json_peek(json);
	const char *from = json->p;
	if (!c)
		return json->err->status;
	const struct sl_place at = sl_json_place(json, from);
	int status = SL_OK;
	if (c == '{' || c == '[') {
		json->p++;
		status = sl_doc_open(
			doc, c == '{' ? SL_DOC_MAP : SL_DOC_LIST, (uint32_t)at.line, at.column, json->err);
	} else if (c == 't' || c == 'f' || c == 'n') {
		literal(json);
		status = json->failed ? json->err->status
				      : sl_doc_text(doc, from, (size_t)(json->p - from), &at, json->err);
	} else {
		const struct sl_json_word word = sl_json_take(json);
		size_t len;
		const char *text = word.p ? meaning(json, &word, scratch, &len) : NULL;
		status = text ? sl_doc_text(doc, text, len, &at, json->err) : json->err->status;
	}
	if (status)
		return status;
	struct sl_doc_node *node = &doc->node[doc->count - 1];
	node->quoted = c == '"';
	node->from = (uint32_t)(from - json->text);
	node->until = (uint32_t)(json->p - json->text);
	return SL_OK;
}

/* The next value of what is open, or the end of that. */
static int step_in(struct sl_json *json, struct sl_doc *doc, bool *first, char **scratch)
{
	struct sl_doc_node *in = &doc->node[doc->open[doc->depth - 1]];
	struct sl_json_word key;
	const bool map = in->kind == SL_DOC_MAP;
	if (map ? sl_json_member(json, &key, first) : sl_json_element(json, first)) {
		const int status = map ? key_in(json, doc, &key, scratch) : SL_OK;
		return status ? status : value_in(json, doc, scratch);
	}
	if (json->failed)
		return json->err->status;
	in->until = (uint32_t)(json->p - json->text);
	sl_doc_close(doc);
	return SL_OK;
}

int sl_json_tree(struct sl_json *json, struct sl_doc *doc)
{
	bool first[SL_DOC_DEPTH_MAX + 1];
	char *scratch = NULL;
	doc->count = doc->text_len = doc->depth = 0;
	doc->has_key = false;
	first[1] = true;
	int status = value_in(json, doc, &scratch);
	while (!status && doc->depth) {
		const uint32_t depth = doc->depth;
		status = step_in(json, doc, &first[depth], &scratch);
		if (doc->depth > depth)
			first[doc->depth] = true;
	}
	json->failed |= status != SL_OK;
	free(scratch);
	return status;
}

int sl_doc_read_json(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err)
{
	struct sl_json json;
	sl_json_begin(&json, doc->file, text, text + len, err);
	json.document = true;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		json.p = json.counted = text + 3; /* A byte order mark. */
	const int status = sl_json_tree(&json, doc);
	if (!status)
		sl_json_end(&json);
	return json.failed ? err->status : status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.c - see tree.h. The walk goes over the text once, in step with the tree.
 */
#include "sim/base/tree.h"

#include <math.h>
#include <string.h>

/* Up to here a double holds each whole number: no need to look into the text. */
#define EXACT 0x1p53

static const char behind[] = ",]} \t\r\n"; /* What ends a number or a word. */

static struct sl_place place_at(const struct tree *tree, const char *at)
{
	struct sl_place place = { tree->file, 1, 1 };
	for (const char *p = tree->text; p < at; p++) {
		place.column++;
		if (*p == '\n') {
			place.line++;
			place.column = 1;
		}
	}
	return place;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int tree_parse(struct tree *tree, const char *file, const char *text, size_t len, struct sl_err *err)
{
	const char *end = text;
	*tree = (struct tree){ file, text, len, NULL };
	/* cJSON takes any control character for a blank, and a zero for a part of a text. */
	size_t plain = 0;
	while (plain < len && ((unsigned char)text[plain] >= ' ' || is_blank(text[plain])))
		plain++;
	if (plain < len)
		end = text + plain;
	else
		tree->root = cJSON_ParseWithLengthOpts(text, len, &end, 0);
	while (tree->root && end < text + len && strchr(" \t\r\n", *end) && *end)
		end++;
	if (tree->root && end == text + len)
		return SL_OK;
	const struct sl_place at = place_at(tree, end < text + len ? end : text + len);
	tree_release(tree);
	return sl_fail_at(err, &at, "is not JSON here: give a file as it was written");
}

void tree_release(struct tree *tree)
{
	cJSON_Delete(tree->root);
	tree->root = NULL;
}

/* ---- Places -------------------------------------------------------------------------- */

static const char *over_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/* p: at its first quote. */
static const char *over_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	return *p ? p + 1 : p;
}

static bool walk(const char **p, const cJSON *value, const cJSON *wanted);

static bool walk_items(const char **p, const cJSON *value, const cJSON *wanted)
{
	const cJSON *item;
	*p = over_blanks(*p + 1);
	cJSON_ArrayForEach(item, value)
	{
		if (cJSON_IsObject(value))
			*p = over_blanks(over_string(over_blanks(*p))) + 1; /* The key and its colon. */
		if (walk(p, item, wanted))
			return true;
		*p = over_blanks(*p) + 1; /* A comma, or the end. */
	}
	*p += !value->child;
	return false;
}

/* Moves on to the wanted one, or over the value. The text is known to be the tree's: no end of it comes by
 * surprise. Depth is bounded by cJSON's. */
static bool walk(const char **p, const cJSON *value, const cJSON *wanted)
{
	*p = over_blanks(*p);
	if (value == wanted)
		return true;
	if (cJSON_IsArray(value) || cJSON_IsObject(value))
		return walk_items(p, value, wanted);
	*p = cJSON_IsString(value) ? over_string(*p) : *p + strcspn(*p, behind);
	return false;
}

/* Where the value begins. */
static const char *text_of(const struct tree *tree, const cJSON *value)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *text = tree->text;
	SL_CHECK(text);
	if (strncmp(text, mark, 3) == 0)
		text += 3;
	return walk(&text, tree->root, value) ? text : tree->text;
}

struct sl_place tree_place(const struct tree *tree, const cJSON *value)
{
	return place_at(tree, text_of(tree, value));
}

struct each {
	void (*call)(void *self, const struct tree_span *span);
	void *self;
	const char *text;
};

static void each_value(const struct each *each, const char **p, const cJSON *value, const char *key)
{
	*p = over_blanks(*p);
	const char *from = *p;
	if (cJSON_IsArray(value) || cJSON_IsObject(value)) {
		const cJSON *item;
		*p = over_blanks(*p + 1);
		cJSON_ArrayForEach(item, value)
		{
			const char *name = NULL;
			if (cJSON_IsObject(value)) {
				name = over_blanks(*p);
				*p = over_blanks(over_string(name)) + 1; /* And its colon. */
			}
			each_value(each, p, item, name);
			*p = over_blanks(*p) + 1; /* A comma, or the end. */
		}
		*p += !value->child;
	} else {
		*p = cJSON_IsString(value) ? over_string(*p) : *p + strcspn(*p, behind);
	}
	const struct tree_span span = { value, (size_t)((key ? key : from) - each->text),
		(size_t)(from - each->text), (size_t)(*p - each->text) };
	each->call(each->self, &span);
}

void tree_each(const struct tree *tree, void (*each)(void *self, const struct tree_span *span), void *self)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *text = tree->text;
	const struct each what = { each, self, text };
	text += strncmp(text, mark, 3) == 0 ? 3 : 0;
	each_value(&what, &text, tree->root, NULL);
}

static int fail_value(const struct tree *tree, const cJSON *value, const char *wanted, struct sl_err *err)
{
	const struct sl_place at = tree_place(tree, value);
	return sl_fail_at(err, &at, "%s%s%s is not %s", value->string ? "'" : "",
		value->string ? value->string : "this", value->string ? "'" : "", wanted);
}

/* ---- Values --------------------------------------------------------------------------- */

int tree_text(const struct tree *tree, const cJSON *value, struct sl_arena *arena, const char **text,
	struct sl_err *err)
{
	if (!cJSON_IsString(value))
		return fail_value(tree, value, "a text", err);
	*text = sl_strdup(arena, value->valuestring, strlen(value->valuestring));
	return *text ? SL_OK : sl_fail_memory(err);
}

int tree_i64(const struct tree *tree, const cJSON *value, int64_t min, int64_t *number, struct sl_err *err)
{
	if (cJSON_IsNumber(value) && fabs(value->valuedouble) < EXACT &&
		floor(value->valuedouble) >= value->valuedouble) {
		*number = (int64_t)value->valuedouble;
	} else {
		const char *text = text_of(tree, value);
		if (!cJSON_IsNumber(value) || !sl_get_i64(text, strcspn(text, behind), number))
			*number = INT64_MIN;
	}
	if (*number >= min && *number > INT64_MIN)
		return SL_OK;
	return fail_value(tree, value, min < 0 ? "a whole number" : "a whole number, zero or more", err);
}

int tree_micro(const struct tree *tree, const cJSON *value, int64_t *micro, struct sl_err *err)
{
	if (cJSON_IsNumber(value) && fabs(value->valuedouble) * 1e6 < EXACT / 2) {
		*micro = (int64_t)floor(value->valuedouble * 1e6 + 0.5);
		return SL_OK;
	}
	const char *text = text_of(tree, value);
	if (cJSON_IsNumber(value) && sl_get_micro(text, strcspn(text, behind), micro))
		return SL_OK;
	return fail_value(tree, value, "a number of seconds", err);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int tree_hex(const struct tree *tree, const cJSON *value, uint64_t *number, struct sl_err *err)
{
	const char *text = cJSON_IsString(value) ? value->valuestring : "";
	bool good = strlen(text) == 16;
	*number = 0;
	for (; *text && good; text++) {
		good = digit_of(*text) >= 0;
		*number = *number << 4 | (uint64_t)(good ? digit_of(*text) : 0);
	}
	return good ? SL_OK : fail_value(tree, value, "a digest of 16 hexadecimal digits", err);
}

int tree_count(const struct tree *tree, const cJSON *array, size_t most, size_t *count, struct sl_err *err)
{
	const cJSON *item;
	*count = 0;
	if (!cJSON_IsArray(array))
		return fail_value(tree, array, "an array", err);
	cJSON_ArrayForEach(item, array)++ *count;
	return *count <= most ? SL_OK : fail_value(tree, array, "an array as short as it must be", err);
}

/* ---- Objects ----------------------------------------------------------------------------- */

static size_t key_find(const struct tree_key *key, size_t count, const char *name)
{
	size_t i = 0;
	while (i < count && strcmp(key[i].name, name) != 0)
		i++;
	return i;
}

/* NOLINTNEXTLINE(readability-function-size): an object, its table, and who takes the values. */
int tree_object(const struct tree *tree, const cJSON *object, const char *what, const struct tree_key *key,
	size_t count, void *self, struct sl_err *err)
{
	const cJSON *value;
	uint64_t seen = 0;
	SL_CHECK(count <= 64);
	if (!cJSON_IsObject(object))
		return fail_value(tree, object, what, err);
	cJSON_ArrayForEach(value, object)
	{
		const size_t i = key_find(key, count, value->string);
		if (i == count || seen >> i & 1) {
			const struct sl_place at = tree_place(tree, value);
			return sl_fail_at(err, &at, "'%.40s' is %s %s: give a file as it was written",
				value->string, i == count ? "no key of" : "there twice in", what);
		}
		seen |= UINT64_C(1) << i;
		const int status = key[i].take(self, value, err);
		if (status)
			return status;
	}
	size_t lacks = 0;
	while (lacks < count && (key[lacks].optional || seen >> lacks & 1))
		lacks++;
	if (lacks == count)
		return SL_OK;
	const struct sl_place at = tree_place(tree, object);
	return sl_fail_at(err, &at, "%s has no '%s': give a file as it was written", what, key[lacks].name);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema.c - maps of a file by tables of their keys, see sim/plugin/schema.h: reading, and the texts of
 * values.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"
#include "sim/plugin.h"

enum { MILLI = 1000 };

/* ---- Keys ------------------------------------------------------------------------------------ */

size_t sl_schema_find(const struct sl_schema *schema, const char *key, size_t len)
{
	size_t i = 0;
	while (i < schema->count &&
		(strlen(schema->field[i].key) != len || memcmp(schema->field[i].key, key, len) != 0))
		i++;
	return i;
}

const char *sl_schema_similar(const struct sl_schema *schema, const char *key)
{
	const char *known[SL_FIELDS_MAX + 1] = { NULL };
	SL_CHECK(schema->count <= SL_FIELDS_MAX);
	for (size_t i = 0; i < schema->count; i++)
		known[i] = schema->field[i].key;
	return sl_nearest(key, known);
}

const char *sl_schema_keys(const struct sl_schema *schema, char *text, size_t capacity)
{
	size_t len = 0;
	*text = '\0';
	for (size_t i = 0; i < schema->count && len < capacity; i++)
		len += (size_t)snprintf(
			text + len, capacity - len, "%s%s", i ? ", " : "", schema->field[i].key);
	return text;
}

/* ---- Values, wherever they stand ---------------------------------------------------------------- */

/* The members of structs are reached as bytes: that is what a table of offsets is. */

static const char *schema_text_at(const struct sl_field *field, const void *base)
{
	const char *text;
	memcpy(&text, (const char *)base + field->at, sizeof(text));
	return text;
}

static bool is_text(enum sl_field_kind kind)
{
	return kind == SL_FIELD_WORD || kind == SL_FIELD_TEXT || kind == SL_FIELD_ANY;
}

static bool schema_is_number(enum sl_field_kind kind)
{
	return kind >= SL_FIELD_COUNT && kind <= SL_FIELD_CHOICE;
}

int64_t sl_field_number(const struct sl_field *field, const void *base)
{
	const char *from = (const char *)base + field->at;
	int64_t wide;
	uint32_t narrow;
	bool flag;
	if (field->kind == SL_FIELD_U32 || field->kind == SL_FIELD_CHOICE) {
		memcpy(&narrow, from, sizeof(narrow));
		return narrow;
	}
	if (field->kind == SL_FIELD_BOOL) {
		memcpy(&flag, from, sizeof(flag));
		return flag;
	}
	memcpy(&wide, from, sizeof(wide));
	return wide;
}

void sl_field_set_number(const struct sl_field *field, void *base, int64_t number)
{
	char *to = (char *)base + field->at;
	const uint32_t narrow = (uint32_t)number;
	const bool flag = number != 0;
	if (field->kind == SL_FIELD_U32 || field->kind == SL_FIELD_CHOICE)
		memcpy(to, &narrow, sizeof(narrow));
	else if (field->kind == SL_FIELD_BOOL)
		memcpy(to, &flag, sizeof(flag));
	else
		memcpy(to, &number, sizeof(number));
}

void sl_schema_clear(const struct sl_schema *schema, void *base)
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct sl_field *field = &schema->field[i];
		if (is_text(field->kind))
			memset((char *)base + field->at, 0, sizeof(const char *));
		else if (schema_is_number(field->kind))
			sl_field_set_number(field, base, field->unset);
	}
}

bool sl_field_is_set(const struct sl_field *field, const void *base)
{
	if (is_text(field->kind))
		return schema_text_at(field, base) != NULL;
	return schema_is_number(field->kind) &&
	       (field->needed || sl_field_number(field, base) != field->unset);
}

/* ---- Reading ---------------------------------------------------------------------------------- */

static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

bool sl_is_word(const char *text)
{
	const size_t len = strspn(text, word_letters);
	return len && len <= SL_FIELD_WORD_MAX && !text[len];
}

static bool schema_is_plain(const char *text)
{
	size_t len = 0;
	while ((unsigned char)text[len] >= ' ' && text[len] != 0x7F)
		len++;
	return len && !text[len];
}

static bool choice_read(const char *const *choice, const char *text, int64_t *number)
{
	size_t i = 0;
	while (choice[i] && strcmp(choice[i], text) != 0)
		i++;
	*number = (int64_t)i;
	return choice[i] != NULL;
}

static bool is_endless(const struct sl_field *field, const char *text)
{
	return field->max == INT64_MAX && strcmp(text, "unlimited") == 0;
}

bool sl_field_fits(const struct sl_field *field, int64_t number)
{
	return number >= field->min && number <= field->max;
}

/* Three decimals, and no more. */
static bool milli_read(const char *text, size_t len, int64_t *number)
{
	int64_t micro;
	if (!sl_get_micro(text, len, &micro) || micro % 1000)
		return false;
	*number = micro / 1000;
	return true;
}

static bool hex_read(const char *text, int64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t value = 0;
	for (size_t i = 0; i < 16; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
		if (!digit)
			return false;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	memcpy(number, &value, sizeof(value));
	return !text[16];
}

static bool number_read(const struct sl_field *field, const char *text, int64_t *number)
{
	static const char *const yes_no[] = { "false", "true", "no", "yes", NULL };
	const size_t len = strlen(text);
	*number = INT64_MAX;
	switch (field->kind) {
	case SL_FIELD_COUNT:
	case SL_FIELD_U32:
		return is_endless(field, text) ||
		       (sl_get_i64(text, len, number) && sl_field_fits(field, *number));
	case SL_FIELD_MILLI:
		return milli_read(text, len, number) && sl_field_fits(field, *number);
	case SL_FIELD_MICRO:
		return sl_get_micro(text, len, number);
	case SL_FIELD_HEX:
		return hex_read(text, number);
	case SL_FIELD_MEMORY:
		return is_endless(field, text) ||
		       (sl_get_memory(text, len, false, number) && sl_field_fits(field, *number));
	case SL_FIELD_TIME:
		return is_endless(field, text) ||
		       (sl_get_duration(text, len, number) && sl_field_fits(field, *number));
	case SL_FIELD_BOOL:
		if (!choice_read(yes_no, text, number))
			return false;
		*number &= 1;
		return true;
	case SL_FIELD_CHOICE:
		return choice_read(field->choice, text, number);
	case SL_FIELD_OTHER:
	case SL_FIELD_TAKE:
	case SL_FIELD_WORD:
	case SL_FIELD_TEXT:
	case SL_FIELD_ANY:
	case SL_FIELD_MAP:
	case SL_FIELD_LIST:
		break;
	}
	return false;
}

bool sl_field_read(const struct sl_field *field, const char *text, void *base)
{
	int64_t number;
	if (!is_text(field->kind)) {
		if (!number_read(field, text, &number))
			return false;
		sl_field_set_number(field, base, number);
		return true;
	}
	if ((field->kind == SL_FIELD_WORD && !sl_is_word(text)) ||
		(field->kind == SL_FIELD_TEXT && !schema_is_plain(text)))
		return false;
	memcpy((char *)base + field->at, &text, sizeof(text));
	return true;
}

const char *sl_field_wanted(const struct sl_field *field, char buffer[SL_FIELD_WANTED_MAX])
{
	const bool endless = field->max == INT64_MAX;
	size_t len = 0;
	switch (field->kind) {
	case SL_FIELD_COUNT:
	case SL_FIELD_U32:
		len = (size_t)snprintf(
			buffer, SL_FIELD_WANTED_MAX, "a whole number from %lld", (long long)field->min);
		if (endless)
			(void)snprintf(buffer + len, SL_FIELD_WANTED_MAX - len, ", or unlimited");
		else
			(void)snprintf(
				buffer + len, SL_FIELD_WANTED_MAX - len, " to %lld", (long long)field->max);
		return buffer;
	case SL_FIELD_MILLI:
		(void)snprintf(buffer, SL_FIELD_WANTED_MAX,
			"a number from 0.001 to %lld, with at most three decimals",
			(long long)(field->max / MILLI));
		return buffer;
	case SL_FIELD_MEMORY:
		return endless ? "a size such as 4GiB (a bare number is MiB), or unlimited"
			       : "a size such as 192GiB (a bare number is MiB), up to 128 PiB";
	case SL_FIELD_TIME:
		return "a duration such as 90, 36h or 3d, or unlimited";
	case SL_FIELD_BOOL:
		return "true or false";
	case SL_FIELD_CHOICE:
		len = (size_t)snprintf(buffer, SL_FIELD_WANTED_MAX, "one of");
		for (size_t i = 0; field->choice[i]; i++)
			len += (size_t)snprintf(buffer + len, SL_FIELD_WANTED_MAX - len, "%s %s",
				i ? "," : "", field->choice[i]);
		return buffer;
	case SL_FIELD_WORD:
		return "a word of letters, digits, '.', '_' and '-', at most 63";
	case SL_FIELD_MICRO:
		return "a number of seconds";
	case SL_FIELD_HEX:
		return "a digest of 16 hexadecimal digits";
	case SL_FIELD_LIST:
		return "an array";
	case SL_FIELD_OTHER:
	case SL_FIELD_TAKE:
	case SL_FIELD_TEXT:
	case SL_FIELD_ANY:
	case SL_FIELD_MAP:
		break;
	}
	return "a text";
}

/* ---- Maps --------------------------------------------------------------------------------------- */

int sl_schema_fail_at(
	const struct sl_schema_reading *r, const struct sl_doc_node *node, const char *format, ...)
{
	char text[700];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const struct sl_place at = sl_doc_place(r->doc, node);
	return sl_fail_at(r->err, &at, "%s", text);
}

int sl_schema_fail_key(
	const struct sl_schema_reading *r, const struct sl_doc_node *node, const char *format, ...)
{
	char text[700];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const struct sl_place at = sl_doc_key_place(r->doc, node);
	return sl_fail_at(r->err, &at, "%s", text);
}

int sl_schema_fail_record(const struct sl_schema_reading *r, enum sl_schema_wrong wrong,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what)
{
	static const char remedy[] = "give a file as it was written";
	const char *key = node->key_line ? sl_doc_key_of(r->doc, node) : "this";
	const char *mark = node->key_line ? "'" : "";
	if (wrong == SL_SCHEMA_UNKNOWN)
		return sl_schema_fail_at(r, node, "'%.40s' is no key of %s: %s", key, schema->have, remedy);
	if (wrong == SL_SCHEMA_TWICE)
		return sl_schema_fail_at(
			r, node, "'%.40s' is there twice in %s: %s", key, schema->have, remedy);
	if (wrong == SL_SCHEMA_LACKS)
		return sl_schema_fail_at(r, node, "%s has no '%s': %s", schema->have, what, remedy);
	return sl_schema_fail_at(
		r, node, "%s%s%s is not %s", mark, key, mark, wrong == SL_SCHEMA_VALUE ? what : schema->have);
}

static int fail_value(const struct sl_schema_reading *r, const struct sl_schema *schema,
	const struct sl_field *field, const struct sl_doc_node *node)
{
	char wanted[SL_FIELD_WANTED_MAX];
	const bool whole = r->strict && field->kind == SL_FIELD_COUNT && field->max == INT64_MAX;
	return r->fail(r, SL_SCHEMA_VALUE, schema, node,
		whole ? field->min < 0 ? "a whole number" : "a whole number, zero or more"
		      : sl_field_wanted(field, wanted));
}

int sl_field_list(const struct sl_schema_reading *r, const struct sl_schema *schema,
	const struct sl_field *field, const struct sl_doc_node *list, void *base)
{
	if (list->kind != SL_DOC_LIST)
		return fail_value(r, schema, field, list);
	if ((int64_t)list->count > field->max)
		return r->fail(r, SL_SCHEMA_VALUE, schema, list, "an array as short as it must be");
	char *item = sl_alloc(r->arena, (size_t)list->count + 1, field->size);
	const size_t count = list->count;
	int status = item ? SL_OK : sl_fail_memory(r->err);
	memcpy((char *)base + field->at, &item, sizeof(item));
	memcpy((char *)base + field->count, &count, sizeof(count));
	SL_DOC_EACH (node, r->doc, status ? NULL : list) {
		status = sl_field_value(r, schema, field->each, node, item);
		item += field->size;
		if (status)
			return status;
	}
	return status;
}

/* JSON knows no whole numbers: 1e3 is one. */
static bool value_read(
	const struct sl_schema_reading *r, const struct sl_field *field, const char *text, void *base)
{
	int64_t micro;
	if (sl_field_read(field, text, base))
		return true;
	if (!r->strict || field->kind != SL_FIELD_COUNT || !sl_get_micro(text, strlen(text), &micro) ||
		micro % SL_SECOND || !sl_field_fits(field, micro / SL_SECOND))
		return false;
	sl_field_set_number(field, base, micro / SL_SECOND);
	return true;
}

int sl_field_value(const struct sl_schema_reading *r, const struct sl_schema *schema,
	const struct sl_field *field, const struct sl_doc_node *node, void *base)
{
	const char *text = sl_doc_word(r->doc, node);
	const bool quoted = is_text(field->kind) || field->kind == SL_FIELD_HEX;
	if (field->kind == SL_FIELD_OTHER || (field->null && sl_doc_is(r->doc, node, "null")))
		return SL_OK;
	if (field->kind == SL_FIELD_TAKE)
		return field->take(r, node, (char *)base + field->at);
	if (field->kind == SL_FIELD_MAP)
		return sl_schema_read(r, node, field->of, NULL, (char *)base + field->at);
	if (field->kind == SL_FIELD_LIST)
		return sl_field_list(r, schema, field, node, base);
	if (!text || (r->strict && node->quoted != quoted) || !value_read(r, field, text, base))
		return fail_value(r, schema, field, node);
	if (!r->arena || !is_text(field->kind))
		return SL_OK;
	text = sl_strdup(r->arena, text, strlen(text));
	memcpy((char *)base + field->at, &text, sizeof(text));
	return text ? SL_OK : sl_fail_memory(r->err);
}

static int check_needed(const struct sl_schema_reading *r, const struct sl_schema *schema,
	const struct sl_doc_node *map, uint64_t seen)
{
	for (size_t i = 0; i < schema->count; i++)
		if (schema->field[i].needed && !(seen >> i & 1))
			return r->fail(r, SL_SCHEMA_LACKS, schema, map, schema->field[i].key);
	return SL_OK;
}

int sl_schema_read(const struct sl_schema_reading *r, const struct sl_doc_node *map,
	const struct sl_schema *schema, const struct sl_doc_node **into, void *base)
{
	uint64_t seen = 0;
	int status = SL_OK;
	for (size_t i = 0; into && i < schema->count; i++)
		into[i] = NULL;
	if (map->kind != SL_DOC_MAP)
		return r->fail(r, SL_SCHEMA_NO_MAP, schema, map, NULL);
	SL_DOC_EACH (node, r->doc, map) {
		const char *key = sl_doc_key_of(r->doc, node);
		const size_t i = sl_schema_find(schema, key, strlen(key));
		if (i == schema->count)
			status = r->fail(r, SL_SCHEMA_UNKNOWN, schema, node, NULL);
		else if (seen >> i & 1)
			status = r->fail(r, SL_SCHEMA_TWICE, schema, node, NULL);
		else if (base)
			status = sl_field_value(r, schema, &schema->field[i], node, base);
		if (status)
			return status;
		if (i < schema->count && into)
			into[i] = node;
		seen |= i < schema->count ? UINT64_C(1) << i : 0;
	}
	status = base ? check_needed(r, schema, map, seen) : SL_OK;
	return status || !schema->check || !base ? status : schema->check(r, map, base);
}

/* ---- Writing ---------------------------------------------------------------------------------- */

/* In the largest of the units that leaves a whole number. */
static const char *in_units(char buffer[SL_FIELD_TEXT_MAX], int64_t number, const int64_t *unit,
	const char *const *name, size_t count)
{
	size_t i = 0;
	while (i + 1 < count && (number == 0 || number % unit[i] != 0))
		i++;
	(void)snprintf(buffer, SL_FIELD_TEXT_MAX, "%lld%s", (long long)(number / unit[i]), name[i]);
	return buffer;
}

static const char *memory_text(char buffer[SL_FIELD_TEXT_MAX], int64_t mib)
{
	static const int64_t unit[] = { 1 << 20, 1 << 10, 1 };
	static const char *const name[] = { "TiB", "GiB", "MiB" };
	return in_units(buffer, mib, unit, name, SL_LEN(unit));
}

static const char *time_text(char buffer[SL_FIELD_TEXT_MAX], sl_time time)
{
	static const int64_t unit[] = { 86400 * SL_SECOND, 3600 * SL_SECOND, 60 * SL_SECOND, SL_SECOND };
	static const char *const name[] = { "d", "h", "m", "s" };
	if (time % SL_SECOND == 0)
		return in_units(buffer, time, unit, name, SL_LEN(unit));
	*sl_put_micro(buffer, time) = '\0';
	return buffer;
}

const char *sl_field_text(const struct sl_field *field, const void *base, char buffer[SL_FIELD_TEXT_MAX])
{
	return is_text(field->kind) ? schema_text_at(field, base)
				    : sl_field_number_text(field, sl_field_number(field, base), buffer);
}

const char *sl_field_number_text(const struct sl_field *field, int64_t number, char buffer[SL_FIELD_TEXT_MAX])
{
	if (field->kind == SL_FIELD_BOOL)
		return number ? "true" : "false";
	if (field->kind == SL_FIELD_CHOICE)
		return field->choice[number];
	if (field->kind == SL_FIELD_MILLI) {
		*sl_put_micro(buffer, number * 1000) = '\0';
		return buffer;
	}
	if (field->max == INT64_MAX && number == INT64_MAX)
		return "unlimited";
	if (field->kind == SL_FIELD_MEMORY)
		return memory_text(buffer, number);
	if (field->kind == SL_FIELD_TIME)
		return time_text(buffer, number);
	*sl_put_i64(buffer, number) = '\0';
	return buffer;
}

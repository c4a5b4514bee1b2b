/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_lines.c - lines of keys and values, and what a key of them is worth.
 *
 * Of a key given twice the last counts; what a line does not say its DEFAULT says, the newest first.
 */
#include <stdio.h>
#include <string.h>

#include "traces/slurm/conf.h"

enum { DEFAULTS_MAX = 1000 };

struct conf_line *conf_line_new(struct conf *conf, struct conf_lines *lines, enum conf_kind kind)
{
	if (SL_GROW(lines->line, lines->capacity, lines->count + 1, NULL)) {
		conf->mem.failed = true;
		return NULL;
	}
	struct conf_line *line = &lines->line[lines->count++];
	*line = (struct conf_line){ .kind = kind };
	return line;
}

static struct conf_pair *pair_new(struct conf *conf, struct conf_line *line)
{
	if (line->count == line->capacity) {
		const uint32_t capacity = line->capacity ? line->capacity * 2 : 8;
		struct conf_pair *pair = conf_alloc(&conf->mem, capacity, sizeof(*pair));
		if (!pair)
			return NULL;
		if (line->count)
			memcpy(pair, line->pair, line->count * sizeof(*pair));
		line->pair = pair;
		line->capacity = capacity;
	}
	return &line->pair[line->count++];
}

bool conf_pair_add(
	struct conf *conf, struct conf_lines *lines, struct conf_line *line, const struct conf_pair *pair)
{
	if (!pair->key || !pair->value)
		return false;
	if (++lines->pairs > CONF_PAIRS_MAX) {
		(void)sl_fail_at(conf->err, &pair->at, "more than %d keys in all: no cluster has so many",
			CONF_PAIRS_MAX);
		return false;
	}
	struct conf_pair *added = pair_new(conf, line);
	if (!added)
		return false;
	*added = *pair;
	return true;
}

const struct conf_pair *conf_pair_own(const struct conf_line *line, const char *key)
{
	for (uint32_t i = line->count; i-- > 0;)
		if (conf_same(line->pair[i].key, key))
			return &line->pair[i];
	return NULL;
}

const struct conf_pair *conf_pair_of(const struct conf_line *line, const char *key)
{
	const struct conf_pair *pair = NULL;
	for (; line && !pair; line = line->fallback)
		pair = conf_pair_own(line, key);
	return pair;
}

const char *conf_value_of(const struct conf_line *line, const char *key)
{
	const struct conf_pair *pair = conf_pair_of(line, key);
	return pair ? pair->value : NULL;
}

const struct conf_pair *conf_global(const struct conf *conf, const char *key)
{
	const struct conf_pair *pair = NULL;
	for (size_t i = conf->lines.count; i-- > 0 && !pair;)
		if (conf->lines.line[i].kind == CONF_CLUSTER)
			pair = conf_pair_own(&conf->lines.line[i], key);
	return pair;
}

struct sl_place conf_at(const struct conf_pair *pair)
{
	struct sl_place at = pair->at;
	if (pair->column)
		at.column = pair->column;
	return at;
}

int conf_fail(const struct conf *conf, const struct conf_pair *pair, const char *format, ...)
{
	char text[600];
	const struct sl_place at = conf_at(pair);
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sl_fail_at(conf->err, &at, "%s", text);
}

bool conf_is_default(const struct conf_line *line)
{
	return line->count && conf_same(line->pair[0].value, "DEFAULT") &&
	       (line->kind == CONF_NODE || line->kind == CONF_PARTITION || line->kind == CONF_DOWN);
}

int conf_defaults(struct conf *conf, enum conf_kind kind)
{
	const struct conf_line *fallback = NULL;
	size_t count = 0;
	for (size_t i = 0; i < conf->lines.count; i++) {
		struct conf_line *line = &conf->lines.line[i];
		if (line->kind != kind)
			continue;
		line->fallback = fallback;
		if (!conf_is_default(line))
			continue;
		if (++count > DEFAULTS_MAX)
			return conf_fail(conf, line->pair, "more than %d lines of defaults", DEFAULTS_MAX);
		fallback = line;
	}
	return SL_OK;
}

int conf_patch(struct conf *conf, struct conf_line *line, const char *key, const char *value)
{
	static const struct sl_place at = { "--set", 0, 0 };
	for (uint32_t i = line->count; i-- > 0;) {
		struct conf_pair *pair = &line->pair[i];
		if (!conf_same(pair->key, key))
			continue;
		*pair = (struct conf_pair){ .key = pair->key, .value = value, .at = at };
		return SL_OK;
	}
	const char *name = conf_strdup(&conf->mem, key, strlen(key));
	const struct conf_pair pair = { .key = name, .value = value, .at = at };
	return conf_pair_add(conf, &conf->lines, line, &pair) ? SL_OK : sl_fail_memory(conf->err);
}

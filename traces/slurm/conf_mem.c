/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_mem.c - memory that goes at once, and remembers that it was out; small things of text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/slurm/conf.h"

void *conf_alloc(struct conf_mem *mem, size_t count, size_t size)
{
	if (!mem->arena)
		mem->arena = sl_arena_new();
	void *block = mem->arena ? sl_alloc(mem->arena, count, size) : NULL;
	mem->failed |= !block;
	return block;
}

void conf_mem_release(struct conf_mem *mem)
{
	sl_arena_free(mem->arena);
	mem->arena = NULL;
}

char *conf_strdup(struct conf_mem *mem, const char *text, size_t len)
{
	char *copy = conf_alloc(mem, len + 1, 1);
	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *conf_printf(struct conf_mem *mem, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = NULL;
	const int len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0) {
		mem->failed = true;
		return NULL;
	}
	char *copy = conf_strdup(mem, text, (size_t)len);
	free(text);
	return copy;
}

bool conf_same(const char *a, const char *b) { return a && b && strcasecmp(a, b) == 0; }

bool conf_begins(const char *text, const char *word) { return strncasecmp(text, word, strlen(word)) == 0; }

static bool conf_mem_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

const char *conf_part(const char **text, const char *separators, size_t *len)
{
	const char *p = *text;
	if (!p)
		return NULL;
	const size_t range = strcspn(p, separators);
	const char *end = p + range;
	*text = *end ? end + 1 : NULL;
	while (p < end && conf_mem_is_blank(*p))
		p++;
	while (end > p && conf_mem_is_blank(end[-1]))
		end--;
	*len = (size_t)(end - p);
	return p;
}

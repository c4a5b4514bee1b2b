/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_mem.c - memory that goes at once, and small things of text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/slurm/conf.h"

enum { CHUNK = 1 << 16, ALIGN = 16 };

struct conf_chunk {
	struct conf_chunk *before;
	size_t size;
	_Alignas(ALIGN) char bytes[];
};

void *conf_alloc(struct conf_mem *mem, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / 2 / size) {
		mem->failed = true;
		return NULL;
	}
	const size_t wanted = (count * size + ALIGN - 1) / ALIGN * ALIGN;
	if (wanted > mem->size - mem->used) {
		const size_t room = wanted > CHUNK ? wanted : CHUNK;
		struct conf_chunk *chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk) {
			mem->failed = true;
			return NULL;
		}
		chunk->before = mem->chunk;
		chunk->size = room;
		mem->chunk = chunk;
		mem->used = 0;
		mem->size = room;
	}
	void *block = mem->chunk ? mem->chunk->bytes + mem->used : NULL;
	mem->used += wanted;
	return block;
}

void conf_mem_release(struct conf_mem *mem)
{
	while (mem->chunk) {
		struct conf_chunk *before = mem->chunk->before;
		free(mem->chunk);
		mem->chunk = before;
	}
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

bool conf_grow(void *array, size_t size, size_t count, size_t *capacity)
{
	void *old;
	if (count < *capacity)
		return true;
	memcpy(&old, array, sizeof(void *));
	const size_t more = *capacity ? *capacity * 2 : 16;
	void *larger = more > SIZE_MAX / size ? NULL : realloc(old, more * size);
	if (!larger)
		return false;
	memcpy(array, &larger, sizeof(void *));
	*capacity = more;
	return true;
}

bool conf_same(const char *a, const char *b) { return a && b && strcasecmp(a, b) == 0; }

bool conf_begins(const char *text, const char *word) { return strncasecmp(text, word, strlen(word)) == 0; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

const char *conf_piece(const char **text, const char *separators, size_t *len)
{
	const char *p = *text;
	if (!p)
		return NULL;
	const size_t span = strcspn(p, separators);
	const char *end = p + span;
	*text = *end ? end + 1 : NULL;
	while (p < end && is_blank(*p))
		p++;
	while (end > p && is_blank(end[-1]))
		end--;
	*len = (size_t)(end - p);
	return p;
}

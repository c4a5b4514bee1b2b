/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base.c - errors (the first wins), broken invariants (the program stops), memory.
 */
#include "sim/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sl_fail(struct sl_err *err, int status, const char *format, ...)
{
	if (!err || err->status != SL_OK)
		return status;
	err->status = status;
	va_list args;
	va_start(args, format);
	(void)vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return status;
}

int sl_fail_at(struct sl_err *err, const struct sl_place *at, const char *format, ...)
{
	char where[64] = "";
	if (at->line && at->column)
		(void)snprintf(where, sizeof(where), ":%llu:%u", (unsigned long long)at->line, at->column);
	else if (at->line)
		(void)snprintf(where, sizeof(where), ":%llu", (unsigned long long)at->line);

	char text[sizeof(err->text)];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sl_fail(err, SL_INPUT, "%s%s: %s", at->file, where, text);
}

int sl_fail_sys(struct sl_err *err, int status, const char *verb, const char *path)
{
	const int number = errno;
	char text[128];
	/* The GNU one: returns the text, which need not be in the buffer, and is safe among threads. */
	return sl_fail(err, status, "cannot %s '%s': %s", verb, path, strerror_r(number, text, sizeof(text)));
}

void sl_check_failed(const char *claim, const char *file, int line)
{
	(void)fprintf(stderr, "schedlab: broken invariant at %s:%d: %s\n", file, line, claim);
	(void)fflush(stderr);
	_Exit(-SL_INTERNAL);
}

/* Blocks of at least 64 KiB, each beginning with this. Zeroed by the system (calloc). */
struct block {
	struct block *next;
	size_t used, size;
};
struct sl_arena {
	struct block *first;
};

enum { BLOCK = 64 * 1024, BLOCK_HEAD = 64 };

struct sl_arena *sl_arena_new(void) { return calloc(1, sizeof(struct sl_arena)); }

void sl_arena_free(struct sl_arena *arena)
{
	if (!arena)
		return;
	for (struct block *block = arena->first; block;) {
		struct block *next = block->next;
		free(block);
		block = next;
	}
	free(arena);
}

static struct block *block_new(struct sl_arena *arena, size_t size)
{
	const size_t want = size > BLOCK ? size : BLOCK;
	/* 64 bytes of slack, so that the first place can be aligned to a cache line. */
	if (want > SIZE_MAX - BLOCK_HEAD - 64)
		return NULL;
	struct block *block = calloc(1, want + BLOCK_HEAD + 64);
	if (!block)
		return NULL;
	const size_t odd = (size_t)((uintptr_t)block % 64);
	block->used = BLOCK_HEAD + (odd ? 64 - odd : 0);
	block->size = want + BLOCK_HEAD + 64;
	/* A large block goes behind the first, which may have space left. */
	if (arena->first && size > BLOCK) {
		block->next = arena->first->next;
		arena->first->next = block;
	} else {
		block->next = arena->first;
		arena->first = block;
	}
	return block;
}

void *sl_alloc(struct sl_arena *arena, size_t count, size_t size)
{
	if (size && count > (SIZE_MAX / 2) / size)
		return NULL;
	const size_t bytes = count && size ? count * size : 1;
	const size_t align = bytes >= 64 ? 64 : 16;
	struct block *block = arena->first;
	size_t odd = block ? (size_t)(((uintptr_t)block + block->used) % align) : 0;
	size_t place = block ? block->used + (odd ? align - odd : 0) : 0;
	if (!block || place > block->size || bytes > block->size - place) {
		block = block_new(arena, bytes);
		if (!block)
			return NULL;
		place = block->used;
	}
	block->used = place + bytes;
	return (char *)block + place;
}

char *sl_strdup(struct sl_arena *arena, const char *text, size_t len)
{
	char *copy = sl_alloc(arena, len + 1, 1);
	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *text_vmade(struct sl_arena *arena, const char *format, va_list args)
{
	va_list retry;
	va_copy(retry, args);
	const int len = vsnprintf(NULL, 0, format, retry);
	va_end(retry);
	char *text = len < 0 ? NULL : sl_alloc(arena, (size_t)len + 1, 1);
	if (text)
		(void)vsnprintf(text, (size_t)len + 1, format, args);
	return text;
}

char *text_made(struct sl_arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = text_vmade(arena, format, args);
	va_end(args);
	return text;
}

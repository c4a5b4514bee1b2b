/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_scratch.c - zeroed blocks that go together: of one cycle, of one question. What was got is used again.
 */
#include "policies/kueue/rules/kq_assign.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, ALIGN = 16 };

struct chunk {
	struct chunk *next;
	size_t size;
	_Alignas(ALIGN) char space[];
};

struct kq_scratch {
	struct chunk *first, *now; /* now: NULL: none is used. */
	size_t used;               /* Of it. */
};

struct kq_scratch *kq_scratch_new(void) { return calloc(1, sizeof(struct kq_scratch)); }

void kq_scratch_reset(struct kq_scratch *scratch)
{
	scratch->now = scratch->first;
	scratch->used = 0;
}

void kq_scratch_free(struct kq_scratch *scratch)
{
	for (struct chunk *chunk = scratch ? scratch->first : NULL, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(scratch);
}

/* The next chunk with so many bytes free, behind the one in use; those that are too small stay unused. */
static bool advance(struct kq_scratch *scratch, size_t bytes)
{
	struct chunk **link = scratch->now ? &scratch->now->next : &scratch->first;
	while (*link && (*link)->size < bytes)
		link = &(*link)->next;
	if (!*link) {
		const size_t size = bytes > CHUNK ? bytes : CHUNK;
		struct chunk *chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return false;
		chunk->next = NULL;
		chunk->size = size;
		*link = chunk;
	}
	scratch->now = *link;
	scratch->used = 0;
	return true;
}

void *kq_scratch_alloc(struct kq *kq, struct kq_scratch *scratch, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / 2 / size)
		return (void)sl_fail_memory(&kq->err), NULL;
	const size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
	if ((!scratch->now || scratch->now->size - scratch->used < bytes) && !advance(scratch, bytes))
		return (void)sl_fail_memory(&kq->err), NULL;
	void *space = scratch->now->space + scratch->used;
	scratch->used += bytes;
	return memset(space, 0, bytes);
}

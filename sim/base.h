/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base.h - errors and the arena, from the inside.
 */
#ifndef SL_BASE_H
#define SL_BASE_H

#include "sim/plugin.h"

int sl_vfail(struct sl_err *err, int status, const char *format, va_list args) SL_PRINTF(3, 0);

/* Out of memory, said once, the same everywhere. Here, so that a compiler and a checker see that it never
 * returns SL_OK. */
static inline int sl_fail_memory(struct sl_err *err)
{
	(void)sl_fail(err, SL_SYSTEM,
		"out of memory: use a machine with more, or fewer jobs (--jobs N) or threads (-j 1)");
	return SL_SYSTEM;
}

struct sl_arena *arena_new(void); /* NULL when memory is out. */
void arena_free(struct sl_arena *arena);

/* A build with -DSL_TINY has nodes and lists as small as they go, so that small tests split, join and
 * overflow them. */
#ifdef SL_TINY
#define SL_OR_TINY(size, tiny) (tiny)
#else
#define SL_OR_TINY(size, tiny) (size)
#endif

/* Growable arrays: doubles, and moves pages instead of copying them. 0, or SL_SYSTEM. A new capacity that
 * would pass `max` elements fails too: every size read from a file has a bound. */
int grow_more(void **array, size_t *capacity, size_t element, size_t wanted, size_t max, struct sl_err *err);
static inline int grow(
	void **array, size_t *capacity, size_t element, size_t wanted, size_t max, struct sl_err *err)
{
	return wanted <= *capacity ? SL_OK : grow_more(array, capacity, element, wanted, max, err);
}

#endif

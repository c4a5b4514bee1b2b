/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base.h - errors and the arena, from the inside.
 */
#ifndef SL_BASE_H
#define SL_BASE_H

#include "sim/plugin.h"

/* As printf has it, in the arena; NULL: no memory. */
char *text_made(struct sl_arena *arena, const char *format, ...) SL_PRINTF(2, 3);
char *text_vmade(struct sl_arena *arena, const char *format, va_list args) SL_PRINTF(2, 0);

/* What is longer counts as this, 73 000 years: no sum of a time of a run and a limit passes what a time
 * can hold, so that adding the two needs no check. */
#define SL_TIME_MOST (INT64_MAX / 4)

/* nearest.c */
/* The known name nearest to `name`, or NULL if none is near: for "did you mean". */
const char *nearest(const char *name, const char *(*at)(const void *list, size_t i), const void *list);

/* beside.c. What begins a path of a tree that nothing leads out of; where below it names from the root are.
 */
#define PATH_CLOSED ".//"
#define PATH_ROOTED "inputs/root"
bool path_is_closed(const char *path);
/* From the root, or up beyond where it begins. */
bool path_leads_out(const char *path);
/* Without "//", "." and ".." from that place on, where it stops going up; its length. */
size_t path_clean(char *path, size_t from);

/* A build with -DSL_TINY has nodes and lists as small as they go, so that small tests split, join and
 * overflow them. */
#ifdef SL_TINY
#define SL_OR_TINY(size, tiny) (tiny)
#else
#define SL_OR_TINY(size, tiny) (size)
#endif

#endif

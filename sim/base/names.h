/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.h - texts numbered by first appearance. Nothing depends on the order of the table behind it.
 */
#ifndef SL_NAMES_H
#define SL_NAMES_H

#include "sim/base/base.h"

struct names {
	const char **text; /* By number; the texts live in the arena. */
	struct sl_map map; /* Of their numbers. */
	size_t capacity;
	uint32_t count;
	uint32_t recent[16]; /* 1 + the number found last of those that look alike; 0: none was. */
};

/* The number of the text, which is new if it was not seen before. At most INT32_MAX of them. */
int names_add(struct names *names, struct sl_arena *arena, const char *text, size_t len, uint32_t *number,
	struct sl_err *err);
/* UINT32_MAX: not seen. */
uint32_t names_find(const struct names *names, const char *text, size_t len);
void names_release(struct names *names);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * intset.h - a set of numbers. Its order cannot be read, so no result depends on it.
 *
 * SL_NONE cannot be a member. At most two thirds full, so a look-up is short.
 */
#ifndef SL_INTSET_H
#define SL_INTSET_H

#include "sim/base/base.h"

struct intset {
	int64_t *slot; /* SL_NONE: free. */
	size_t count, capacity;
};

/* Capacity for so many members without growing. */
int intset_reserve(struct intset *set, size_t members, struct sl_err *err);
/* *fresh: it was not in yet. */
int intset_add(struct intset *set, int64_t member, bool *fresh, struct sl_err *err);
bool intset_has(const struct intset *set, int64_t member);
void intset_release(struct intset *set);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * intset.c - open addressing, linear steps; capacity is a power of two.
 */
#include "sim/base/intset.h"

#include <stdlib.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014): neighbours land far apart. */
static size_t hash(int64_t member)
{
	uint64_t x = (uint64_t)member;
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (size_t)(x ^ (x >> 31));
}

/* Where the member is, or would be. */
static size_t intset_find(const struct intset *set, int64_t member)
{
	size_t at = hash(member) & (set->capacity - 1);
	while (set->slot[at] != SL_NONE && set->slot[at] != member)
		at = (at + 1) & (set->capacity - 1);
	return at;
}

int intset_reserve(struct intset *set, size_t members, struct sl_err *err)
{
	size_t capacity = set->capacity ? set->capacity : 64;
	while (capacity / 3 * 2 < members) {
		if (capacity > SIZE_MAX / 4 / sizeof(int64_t))
			return sl_fail_memory(err);
		capacity *= 2;
	}
	if (capacity == set->capacity)
		return SL_OK;
	struct intset larger = { malloc(capacity * sizeof(int64_t)), set->count, capacity };
	if (!larger.slot)
		return sl_fail_memory(err);
	for (size_t i = 0; i < capacity; i++)
		larger.slot[i] = SL_NONE;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->slot[i] != SL_NONE)
			larger.slot[intset_find(&larger, set->slot[i])] = set->slot[i];
	free(set->slot);
	*set = larger;
	return SL_OK;
}

int intset_add(struct intset *set, int64_t member, bool *fresh, struct sl_err *err)
{
	SL_CHECK(member != SL_NONE);
	const int status = intset_reserve(set, set->count + 1, err);
	if (status)
		return status;
	int64_t *slot = &set->slot[intset_find(set, member)];
	*fresh = *slot != member;
	*slot = member;
	set->count += *fresh;
	return SL_OK;
}

bool intset_has(const struct intset *set, int64_t member)
{
	return set->capacity && member != SL_NONE && set->slot[intset_find(set, member)] == member;
}

void intset_release(struct intset *set)
{
	free(set->slot);
	*set = (struct intset){ 0 };
}

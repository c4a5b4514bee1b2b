/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * containers.c - arrays that grow by doubling, and maps by open addressing with linear steps.
 */
#include "sim/base/base.h"

#include <stdlib.h>
#include <string.h>

/* ---- Arrays that grow ---------------------------------------------------------------------- */

/* Owners have capacities of 32 bits, or a size_t. */
static size_t capacity_of(const void *capacity, size_t width)
{
	uint32_t narrow;
	size_t wide = 0;
	if (width == sizeof(narrow)) {
		memcpy(&narrow, capacity, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, capacity, sizeof(wide));
	return wide;
}

static void capacity_set(void *capacity, size_t width, size_t value)
{
	const uint32_t narrow = (uint32_t)value;
	memcpy(capacity, width == sizeof(narrow) ? (const void *)&narrow : &value, width);
}

/* The next capacity; its status, where `wanted` elements are more than there may be. Of 32 bits at most half
 * of what can be counted, so that one more than a capacity never comes out as 0. */
static int larger(size_t *capacity, size_t size, size_t width, size_t wanted, size_t most, struct sl_err *err)
{
	if (wanted > most)
		return sl_fail(err, SL_INPUT, "more than %zu rows: split the input", most);
	const size_t bytes_most = SIZE_MAX / 4 / size;
	const size_t possible = width == sizeof(uint32_t) && INT32_MAX < bytes_most ? INT32_MAX : bytes_most;
	if (wanted > possible)
		return sl_fail_memory(err);
	const size_t limit = most < possible ? most : possible;
	size_t next = *capacity ? *capacity : size < 16 ? 64 / size : 4; /* A line of cache. */
	while (next < wanted)
		next *= 2;
	*capacity = next < limit ? next : limit;
	return SL_OK;
}

int sl_array_resize(void *array, size_t size, size_t count, struct sl_err *err)
{
	void *block;
	memcpy(&block, array, sizeof(block));
	block = count <= SIZE_MAX / 4 / size ? realloc(block, count ? count * size : 1) : NULL;
	if (!block)
		return sl_fail_memory(err);
	memcpy(array, &block, sizeof(block));
	return SL_OK;
}

int sl_array_grow(void *array, size_t size, void *capacity, size_t width, size_t wanted, size_t most,
	struct sl_err *err)
{
	size_t next = capacity_of(capacity, width);
	int status = larger(&next, size, width, wanted, most, err);
	if (!status)
		status = sl_array_resize(array, size, next, err);
	if (!status)
		capacity_set(capacity, width, next);
	return status;
}

int sl_array_grow_zeroed(
	void *array, size_t size, void *capacity, size_t width, size_t wanted, struct sl_err *err)
{
	char *grown;
	const size_t before = capacity_of(capacity, width);
	const int status = sl_array_grow(array, size, capacity, width, wanted, SIZE_MAX, err);
	if (status)
		return status;
	memcpy(&grown, array, sizeof(grown));
	memset(grown + before * size, 0, (capacity_of(capacity, width) - before) * size);
	return SL_OK;
}

int sl_array_grow_in(struct sl_arena *arena, void *array, size_t size, void *capacity, size_t width,
	size_t wanted, struct sl_err *err)
{
	void *old;
	const size_t before = capacity_of(capacity, width);
	size_t next = before;
	const int status = larger(&next, size, width, wanted, SIZE_MAX, err);
	if (status)
		return status;
	void *moved = sl_alloc(arena, next, size);
	if (!moved)
		return sl_fail_memory(err);
	memcpy(&old, array, sizeof(old));
	if (before)
		memcpy(moved, old, before * size);
	memcpy(array, &moved, sizeof(moved));
	capacity_set(capacity, width, next);
	return SL_OK;
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* The half of a hash that a slot keeps, which says where to begin as well: so slots move without their keys.
 */
static uint64_t half_of(uint64_t hash) { return (hash ^ hash >> 32) & UINT32_MAX; }

static void containers_put(struct sl_map *map, uint64_t entry)
{
	size_t at = (size_t)(entry >> 32) & (map->slots - 1);
	while (map->slot[at])
		at = (at + 1) & (map->slots - 1);
	map->slot[at] = entry;
}

int sl_map_add(struct sl_map *map, uint64_t hash, uint32_t number, struct sl_err *err)
{
	SL_CHECK(number < UINT32_MAX);
	if (map->count * 2 >= map->slots) {
		struct sl_map wider = *map;
		wider.slots = map->slots ? map->slots * 2 : 64;
		wider.slot = map->arena ? sl_alloc(map->arena, wider.slots, sizeof(*wider.slot))
					: calloc(wider.slots, sizeof(*wider.slot));
		if (!wider.slot)
			return sl_fail_memory(err);
		for (size_t i = 0; i < map->slots; i++)
			if (map->slot[i])
				containers_put(&wider, map->slot[i]);
		if (!map->arena)
			free(map->slot);
		*map = wider;
	}
	containers_put(map, half_of(hash) << 32 | (number + 1));
	map->count++;
	return SL_OK;
}

uint32_t sl_map_next(const struct sl_map *map, uint64_t hash, size_t *step)
{
	const uint64_t half = half_of(hash);
	while (map->slots) {
		const uint64_t entry = map->slot[((size_t)half + *step) & (map->slots - 1)];
		if (!entry)
			break;
		++*step;
		if (entry >> 32 == half)
			return (uint32_t)entry - 1;
	}
	return UINT32_MAX;
}

void sl_map_clear(struct sl_map *map)
{
	if (map->count)
		memset(map->slot, 0, map->slots * sizeof(*map->slot));
	map->count = 0;
}

void sl_map_free(struct sl_map *map)
{
	free(map->slot);
	*map = (struct sl_map){ 0 };
}

/* Eight bytes at a time: multiply, fold. */
uint64_t sl_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const char *at = bytes;
	uint64_t word = 0;
	hash = sl_hash(hash, count);
	for (; count >= sizeof(word); at += sizeof(word), count -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = sl_hash(hash, word);
	}
	word = 0;
	if (count) /* Of nothing there may be no place either. */
		memcpy(&word, at, count);
	return sl_hash(hash, word);
}

uint64_t sl_hash_text(uint64_t hash, const char *text) { return sl_hash_bytes(hash, text, strlen(text)); }

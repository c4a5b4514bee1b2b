/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_keys.c - rows by a number that they carry, the numbers in ascending order.
 *
 * A hash table finds a number's place among those seen; its order reaches nobody, since the numbers are
 * sorted at the end.
 */
#include "reports/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

/* slot[]: place + 1 of a key, 0: free. Twice as many slots as keys, a power of two. */
struct seen {
	uint32_t *slot;
	int32_t *key;
	size_t slots, count;
};

static size_t hash(int32_t key, size_t slots)
{
	return (size_t)((uint64_t)(uint32_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (slots - 1);
}

static size_t slot_of(const struct seen *seen, int32_t key)
{
	size_t i = hash(key, seen->slots);
	while (seen->slot[i] && seen->key[seen->slot[i] - 1] != key)
		i = (i + 1) & (seen->slots - 1);
	return i;
}

static bool seen_grow(struct seen *seen)
{
	const size_t slots = seen->slots ? seen->slots * 2 : 256;
	int32_t *key = realloc(seen->key, slots / 2 * sizeof(*key));
	if (!key)
		return false;
	seen->key = key;
	free(seen->slot);
	seen->slots = slots;
	seen->slot = calloc(slots, sizeof(*seen->slot));
	if (!seen->slot)
		return false;
	for (size_t i = 0; i < seen->count; i++)
		seen->slot[slot_of(seen, key[i])] = (uint32_t)i + 1;
	return true;
}

static bool seen_place(struct seen *seen, int32_t key, uint32_t *place)
{
	if (seen->count == seen->slots / 2 && !seen_grow(seen))
		return false;
	const size_t i = slot_of(seen, key);
	if (!seen->slot[i]) {
		seen->key[seen->count++] = key;
		seen->slot[i] = (uint32_t)seen->count;
	}
	*place = seen->slot[i] - 1;
	return true;
}

static int by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a;
	const int32_t y = *(const int32_t *)b;
	return (x > y) - (x < y); /* Keys differ. */
}

/* Sorts the keys, and turns the places of rows into those in the new order. */
static bool sort_keys(struct metrics_keys *keys, const struct seen *seen, uint32_t rows)
{
	uint32_t *moved = calloc(seen->count + 1, sizeof(*moved));
	keys->key = malloc((seen->count + 1) * sizeof(*keys->key));
	if (!moved || !keys->key) {
		free(moved);
		return false;
	}
	keys->count = seen->count;
	if (seen->count) {
		memcpy(keys->key, seen->key, seen->count * sizeof(*keys->key));
		qsort(keys->key, keys->count, sizeof(*keys->key), by_number);
	}
	for (size_t i = 0; i < keys->count; i++)
		moved[seen->slot[slot_of(seen, keys->key[i])] - 1] = (uint32_t)i;
	for (uint32_t row = 0; row < rows; row++)
		if (keys->index[row] != UINT32_MAX)
			keys->index[row] = moved[keys->index[row]];
	free(moved);
	return true;
}

int metrics_keys_make(struct metrics_keys *keys, const int32_t *number, uint32_t rows, struct sl_err *err)
{
	struct seen seen = { 0 };
	bool whole = true;
	keys->key = NULL;
	keys->count = 0;
	for (uint32_t row = 0; whole && row < rows; row++) {
		keys->index[row] = UINT32_MAX;
		if (number[row] >= 0)
			whole = seen_place(&seen, number[row], &keys->index[row]);
	}
	whole = whole && sort_keys(keys, &seen, rows);
	free(seen.slot);
	free(seen.key);
	if (whole)
		return SL_OK;
	metrics_keys_release(keys);
	return metrics_no_memory(err);
}

void metrics_keys_release(struct metrics_keys *keys)
{
	free(keys->key);
	keys->key = NULL;
	keys->count = 0;
}

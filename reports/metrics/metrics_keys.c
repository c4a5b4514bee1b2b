/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_keys.c - rows by a number that they carry, the numbers in ascending order.
 */
#include "reports/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

struct seen {
	int32_t *key; /* By place: in order of appearance. */
	struct sl_map map;
	uint32_t count, capacity;
};

static uint64_t metrics_keys_hash_of(int32_t key) { return sl_hash(0, (uint64_t)key); }

/* UINT32_MAX: not seen. */
static uint32_t metrics_keys_find(const struct seen *seen, int32_t key)
{
	const uint64_t hash = metrics_keys_hash_of(key);
	uint32_t place;
	SL_MAP_EACH(&seen->map, hash, place)
	if (seen->key[place] == key)
		break;
	return place;
}

static bool seen_place(struct seen *seen, int32_t key, uint32_t *place)
{
	*place = metrics_keys_find(seen, key);
	if (*place != UINT32_MAX)
		return true;
	if (SL_GROW(seen->key, seen->capacity, seen->count + 1, NULL) ||
		sl_map_add(&seen->map, metrics_keys_hash_of(key), seen->count, NULL))
		return false;
	*place = seen->count;
	seen->key[seen->count++] = key;
	return true;
}

static int metrics_keys_by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a;
	const int32_t y = *(const int32_t *)b;
	return (x > y) - (x < y); /* Keys differ. */
}

/* Sorts the keys, and turns the places of rows into those in the new order. */
static bool sort_keys(struct metrics_keys *keys, const struct seen *seen, uint32_t rows)
{
	uint32_t *moved = calloc((size_t)seen->count + 1, sizeof(*moved));
	keys->key = malloc(((size_t)seen->count + 1) * sizeof(*keys->key));
	if (!moved || !keys->key) {
		free(moved);
		return false;
	}
	keys->count = seen->count;
	if (seen->count) {
		memcpy(keys->key, seen->key, seen->count * sizeof(*keys->key));
		qsort(keys->key, keys->count, sizeof(*keys->key), metrics_keys_by_number);
	}
	for (size_t i = 0; i < keys->count; i++)
		moved[metrics_keys_find(seen, keys->key[i])] = (uint32_t)i;
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
	sl_map_free(&seen.map);
	free(seen.key);
	if (whole)
		return SL_OK;
	metrics_keys_release(keys);
	return sl_fail_memory(err);
}

void metrics_keys_release(struct metrics_keys *keys)
{
	free(keys->key);
	keys->key = NULL;
	keys->count = 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_keys.c - numbers that rows carry, in ascending order.
 *
 * Most logs number users from 0 on: then a table by number says where each is. Numbers that are far above
 * those of rows are hashed.
 */
#include "reports/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

/* A table may be so much longer than there are rows. */
enum { TABLE_ROWS = 4, TABLE_LEAST = 1024 };

static uint64_t metrics_keys_hash_of(int32_t key) { return sl_hash(0, (uint64_t)key); }

/* The place of a key in an array of them; UINT32_MAX: it is not there. */
static uint32_t place_of(const struct sl_map *map, const int32_t *key, int32_t number)
{
	const uint64_t hash = metrics_keys_hash_of(number);
	uint32_t place;
	SL_MAP_EACH(map, hash, place)
	if (key[place] == number)
		break;
	return place;
}

uint32_t metrics_keys_search(const struct metrics_keys *keys, int32_t number)
{
	return place_of(&keys->map, keys->key, number);
}

static bool make_table(struct metrics_keys *keys, const int32_t *number, uint32_t rows, size_t length)
{
	keys->place = calloc(length + 1, sizeof(*keys->place));
	for (uint32_t row = 0; keys->place && row < rows; row++)
		if (number[row] >= 0)
			keys->place[number[row]] = 1;
	for (size_t i = 0; keys->place && i < length; i++)
		keys->count += keys->place[i];
	keys->key = malloc((keys->count + 1) * sizeof(*keys->key));
	if (!keys->place || !keys->key)
		return false;
	uint32_t put = 0;
	for (size_t i = 0; i < length; i++) {
		if (!keys->place[i])
			continue;
		keys->key[put] = (int32_t)i;
		keys->place[i] = put++;
	}
	return true;
}

static int metrics_keys_by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a;
	const int32_t y = *(const int32_t *)b;
	return (x > y) - (x < y); /* Keys differ. */
}

static bool make_map(struct metrics_keys *keys, const int32_t *number, uint32_t rows)
{
	struct sl_map seen = { 0 };
	size_t capacity = 0;
	bool whole = true;
	for (uint32_t row = 0; whole && row < rows; row++) {
		if (number[row] < 0 || place_of(&seen, keys->key, number[row]) != UINT32_MAX)
			continue;
		whole = !SL_GROW(keys->key, capacity, keys->count + 1, NULL) &&
			!sl_map_add(&seen, metrics_keys_hash_of(number[row]), (uint32_t)keys->count, NULL);
		if (whole)
			keys->key[keys->count++] = number[row];
	}
	sl_map_free(&seen);
	if (keys->count)
		qsort(keys->key, keys->count, sizeof(*keys->key), metrics_keys_by_number);
	for (size_t i = 0; whole && i < keys->count; i++)
		whole = !sl_map_add(&keys->map, metrics_keys_hash_of(keys->key[i]), (uint32_t)i, NULL);
	return whole;
}

int metrics_keys_make(struct metrics_keys *keys, const int32_t *number, uint32_t rows, struct sl_err *err)
{
	int32_t most = -1;
	*keys = (struct metrics_keys){ 0 };
	for (uint32_t row = 0; row < rows; row++)
		most = number[row] > most ? number[row] : most;
	const size_t length = (size_t)(most + INT64_C(1));
	const bool near = length <= (size_t)rows * TABLE_ROWS + TABLE_LEAST;
	if (near ? make_table(keys, number, rows, length) : make_map(keys, number, rows))
		return SL_OK;
	metrics_keys_release(keys);
	return sl_fail_memory(err);
}

void metrics_keys_release(struct metrics_keys *keys)
{
	free(keys->key);
	free(keys->place);
	sl_map_free(&keys->map);
	*keys = (struct metrics_keys){ 0 };
}

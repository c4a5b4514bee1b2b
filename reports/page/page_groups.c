/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_groups.c - sorting, and rows by user, account, partition, QOS and type of GPU.
 *
 * Groups are numbered by first appearance, so that their numbers are small where a trace's own are not.
 */
#include "reports/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 11, DIGITS = 6, RADIX = 1 << BITS };

/* By one digit. place: of each, how many there are. */
static void keys_move(
	const struct page_key *from, struct page_key *to, size_t count, unsigned shift, uint32_t place[RADIX])
{
	uint32_t sum = 0;
	for (size_t k = 0; k < RADIX; k++) {
		const uint32_t there = place[k];
		place[k] = sum;
		sum += there;
	}
	for (size_t i = 0; i < count; i++)
		to[place[from[i].key >> shift & (RADIX - 1)]++] = from[i];
}

/* By digits from the lowest on; those that are alike in all keys cost a look. */
void page_sort(struct page_key *key, struct page_key *other, size_t count)
{
	uint32_t place[DIGITS][RADIX] = { 0 };
	struct page_key *from = key;
	struct page_key *to = other;
	for (size_t i = 0; i < count; i++)
		for (unsigned d = 0; d < DIGITS; d++)
			place[d][key[i].key >> (BITS * d) & (RADIX - 1)]++;
	for (unsigned d = 0; d < DIGITS && count; d++) {
		if (place[d][from[0].key >> (BITS * d) & (RADIX - 1)] == count)
			continue;
		keys_move(from, to, count, BITS * d, place[d]);
		struct page_key *swap = from;
		from = to;
		to = swap;
	}
	if (from != key && count)
		memcpy(key, from, count * sizeof(*key));
}

void page_sort_rows(uint64_t *key, uint64_t *other, size_t count)
{
	enum { HALF = 3 };
	uint32_t place[HALF][RADIX] = { 0 };
	uint64_t *from = key;
	uint64_t *to = other;
	for (size_t i = 0; i < count; i++)
		for (unsigned d = 0; d < HALF; d++)
			place[d][key[i] >> (32 + BITS * d) & (RADIX - 1)]++;
	for (unsigned d = 0; d < HALF && count; d++) {
		const unsigned shift = 32 + BITS * d;
		uint32_t sum = 0;
		if (place[d][from[0] >> shift & (RADIX - 1)] == count)
			continue;
		for (size_t k = 0; k < RADIX; k++) {
			const uint32_t there = place[d][k];
			place[d][k] = sum;
			sum += there;
		}
		for (size_t i = 0; i < count; i++)
			to[place[d][from[i] >> shift & (RADIX - 1)]++] = from[i];
		uint64_t *swap = from;
		from = to;
		to = swap;
	}
	if (from != key && count)
		memcpy(key, from, count * sizeof(*key));
}

uint64_t *page_shorter(uint64_t *key, size_t count)
{
	uint64_t *shorter = realloc(key, (count + 1) * sizeof(*key));
	return shorter ? shorter : key;
}

/* ---- Groups of numbers ------------------------------------------------------------------------ */

/* From a number by row (negative: none) to one by first appearance; number[] by group. */
static uint32_t by_appearance(struct page_run *run, uint32_t *of, const int32_t *value, int32_t *number)
{
	const uint32_t rows = run->total;
	uint64_t *key = page_alloc(run->page, 2 * (size_t)rows, sizeof(*key));
	uint32_t *first = page_alloc(run->page, rows, sizeof(*first));
	uint32_t count = 0;
	if (key && first) {
		for (uint32_t row = 0; row < rows; row++)
			key[row] = page_row_key((uint32_t)value[row], row);
		page_sort_rows(key, key + rows, rows);
		for (uint32_t i = 0; i < rows; i++) /* By row, the first row of its like. */
			first[(uint32_t)key[i]] = i && key[i] >> 32 == key[i - 1] >> 32
							  ? first[(uint32_t)key[i - 1]]
							  : (uint32_t)key[i];
		for (uint32_t row = 0; row < rows; row++) {
			if (value[row] < 0) {
				of[row] = UINT32_MAX;
			} else if (first[row] == row) {
				number[count] = value[row];
				of[row] = count++;
			} else {
				of[row] = of[first[row]];
			}
		}
	}
	free(first);
	free(key);
	return count;
}

static void group_numbers(
	struct page_run *run, struct page_groups *groups, const int32_t *value, const char *const *name)
{
	const uint32_t rows = run->total;
	int32_t *number = page_alloc(run->page, rows, sizeof(*number));
	groups->of = page_alloc(run->page, rows, sizeof(*groups->of));
	if (number && groups->of)
		groups->count = by_appearance(run, groups->of, value, number);
	groups->name = page_alloc(run->page, groups->count, sizeof(*groups->name));
	groups->number = page_alloc(run->page, name ? 0 : groups->count, sizeof(*groups->number));
	for (uint32_t i = 0; number && i < groups->count && groups->name && groups->number; i++) {
		if (!name)
			(void)snprintf(groups->number[i], sizeof(groups->number[i]), "%d", (int)number[i]);
		groups->name[i] = name ? name[number[i]] : groups->number[i];
	}
	free(number);
}

/* ---- Groups of words --------------------------------------------------------------------------- */

/* word: of a row, NULL: none. */
static void group_words(struct page_run *run, struct page_groups *groups,
	const char *(*word)(const struct page_run *run, uint32_t row))
{
	struct sl_map map = { 0 };
	groups->of = page_alloc(run->page, run->total, sizeof(*groups->of));
	groups->name = page_alloc(run->page, run->total, sizeof(*groups->name));
	for (uint32_t row = 0; row < run->total && groups->of && groups->name; row++) {
		const char *text = word(run, row);
		groups->of[row] = UINT32_MAX;
		if (!text)
			continue;
		const uint64_t hash = sl_hash_text(0, text);
		uint32_t *of = &groups->of[row];
		SL_MAP_EACH(&map, hash, *of)
		if (strcmp(groups->name[*of], text) == 0)
			break;
		if (*of == UINT32_MAX) {
			run->page->failed |= sl_map_add(&map, hash, groups->count, NULL) != SL_OK;
			*of = groups->count;
			groups->name[groups->count++] = text;
		}
	}
	sl_map_free(&map);
}

static const char *qos_of(const struct page_run *run, uint32_t row)
{
	return run->jobs->more[run->jobs->more_of[row]].qos;
}

/* Which types would do: "a100", "a100|h100", "any"; NULL: it requests no GPU. */
static void gpu_type_of(
	const struct page_run *run, const struct sl_request *request, char *text, size_t capacity)
{
	const struct sl_cluster *cluster = run->cluster;
	uint32_t types = 0;
	bool any = false;
	size_t length = 0;
	for (uint32_t g = 0; g < request->group_count; g++) {
		any = any || (request->group[g].task.gpus && !request->group[g].task.gpu_types);
		types |= request->group[g].task.gpus ? request->group[g].task.gpu_types : 0;
	}
	text[0] = '\0';
	if (any && cluster->kind_count - SL_KIND_GPUS == 1)
		types |= 1;
	else if (any)
		length = (size_t)snprintf(text, capacity, "any");
	for (uint32_t i = 0; i + SL_KIND_GPUS < cluster->kind_count && length < capacity; i++)
		if (types >> i & 1)
			length += (size_t)snprintf(text + length, capacity - length, "%s%s",
				length ? "|" : "", cluster->kind_name[SL_KIND_GPUS + i]);
}

/* By request, which jobs share: groups of equal texts, numbered by request, then by first appearance. */
static void group_gpu_types(struct page_run *run, struct page_groups *groups)
{
	enum { CAPACITY = 200 };
	const struct sl_jobs *jobs = run->jobs;
	const uint32_t requests = jobs->request_count;
	uint32_t *same = page_alloc(run->page, requests, sizeof(*same));
	int32_t *value = page_alloc(run->page, run->total, sizeof(*value));
	char(*text)[CAPACITY] = page_alloc(run->page, requests, sizeof(*text));
	const char **name = page_alloc(run->page, requests, sizeof(*name));
	if (same && value && text && name) {
		uint32_t kinds = 0;
		for (uint32_t r = 0; r < requests; r++) {
			gpu_type_of(run, &jobs->requests[r], text[kinds], CAPACITY);
			uint32_t k = 0;
			while (k < kinds && strcmp(text[k], text[kinds]) != 0)
				k++;
			same[r] = k;
			if (k == kinds)
				name[kinds] = text[kinds];
			kinds += k == kinds;
		}
		for (uint32_t row = 0; row < run->total; row++) {
			const uint32_t k = same[jobs->request[row]];
			value[row] = *text[k] ? (int32_t)k : -1;
		}
		group_numbers(run, groups, value, name);
		/* The texts go: the names are kept with the groups. */
		groups->number = (free(groups->number), page_alloc(run->page, groups->count, CAPACITY));
		for (uint32_t i = 0; i < groups->count && groups->number; i++) {
			char *kept = (char *)groups->number + (size_t)i * CAPACITY;
			memcpy(kept, groups->name[i], CAPACITY);
			groups->name[i] = kept;
		}
	}
	free(name);
	free(text);
	free(value);
	free(same);
}

static bool any_qos(const struct sl_jobs *jobs)
{
	for (uint32_t i = 0; jobs->more_of && i < jobs->more_count; i++)
		if (jobs->more[i].qos)
			return true;
	return false;
}

void page_groups_make(struct page_run *run)
{
	const struct sl_jobs *jobs = run->jobs;
	group_numbers(run, &run->by[PAGE_USER], jobs->user, jobs->user_name);
	group_numbers(run, &run->by[PAGE_ACCOUNT], jobs->account, jobs->account_name);
	group_numbers(run, &run->by[PAGE_PARTITION], jobs->partition, jobs->partition_name);
	if (any_qos(jobs))
		group_words(run, &run->by[PAGE_QOS], qos_of);
	if (run->cluster && run->cluster->gpus && jobs->request)
		group_gpu_types(run, &run->by[PAGE_GPU_TYPE]);
}

void page_groups_free(struct page_run *run)
{
	for (size_t i = 0; i < PAGE_BYS; i++) {
		free(run->by[i].of);
		free(run->by[i].name);
		free(run->by[i].number);
		run->by[i] = (struct page_groups){ 0 };
	}
}

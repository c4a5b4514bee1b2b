/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_log.c - points of usage, kept in a few bytes each.
 *
 * A packed block is, field by field: what the first point has (8 bytes), how many bytes each takes, and those
 * bytes, one point after another. Times are differences from the first, in whole seconds where all are.
 */
#include "sim/result/usage_log.h"

#include <endian.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8, FIELD_HEAD = WORD + 1, IN_SECONDS = 0x80 };

/* A block with nothing saved; values are written and read as whole words, so that there is one beyond. */
enum { BLOCK_MOST = USAGE_FIELDS * (FIELD_HEAD + SL_USAGE_BLOCK * WORD) + WORD };

int usage_log_init(struct sl_usage_log *log, bool on_nodes, struct sl_err *err)
{
	*log = (struct sl_usage_log){ .fields = on_nodes ? USAGE_FIELDS : USAGE_ON_POOLS };
	log->open = calloc(log->fields, sizeof(*log->open));
	return log->open ? SL_OK : sl_fail_memory(err);
}

void usage_log_release(struct sl_usage_log *log)
{
	free(log->open);
	free(log->bytes);
	free(log->begins);
	*log = (struct sl_usage_log){ 0 };
}

bool usage_log_repeats(const struct sl_usage_log *log, const struct sl_usage_point *point)
{
	int64_t(*const open)[SL_USAGE_BLOCK] = log->open;
	const size_t at = (log->count - 1) % SL_USAGE_BLOCK; /* What was packed still stands there. */
	if (open[USAGE_CPUS_BUSY][at] != point->cpus_busy ||
		open[USAGE_CPUS_QUEUED][at] != point->cpus_queued ||
		open[USAGE_RUNNING][at] != point->running || open[USAGE_QUEUED][at] != point->queued ||
		open[USAGE_SUSPENDED][at] != point->suspended)
		return false;
	return log->fields < USAGE_FIELDS || (open[USAGE_GPUS_BUSY][at] == point->gpus_busy &&
						     open[USAGE_GPUS_QUEUED][at] == point->gpus_queued &&
						     open[USAGE_MEM_BUSY][at] == point->mem_busy &&
						     open[USAGE_NODES_BUSY][at] == point->nodes_busy);
}

/* ---- Packing ------------------------------------------------------------------------------------ */

static void word_put(unsigned char *p, uint64_t value)
{
	const uint64_t bytes = htole64(value);
	memcpy(p, &bytes, sizeof(bytes));
}

static uint64_t word_get(const unsigned char *p)
{
	uint64_t bytes;
	memcpy(&bytes, p, sizeof(bytes));
	return le64toh(bytes);
}

/* What a field's values are apart from the first, into `apart`; all its bits together are returned. */
static uint64_t differences(const int64_t *field, uint64_t apart[SL_USAGE_BLOCK])
{
	uint64_t all = 0;
	for (size_t i = 0; i < SL_USAGE_BLOCK; i++) {
		apart[i] = (uint64_t)field[i] ^ (uint64_t)field[0];
		all |= apart[i];
	}
	return all;
}

static uint64_t time_differences(const int64_t *at, uint64_t apart[SL_USAGE_BLOCK], bool *in_seconds)
{
	uint64_t all = 0;
	uint64_t rest = 0;
	for (size_t i = 0; i < SL_USAGE_BLOCK; i++) {
		const uint64_t since = (uint64_t)at[i] - (uint64_t)at[0];
		apart[i] = since / SL_SECOND;
		rest |= since - apart[i] * SL_SECOND;
		all |= apart[i];
	}
	*in_seconds = !rest;
	if (!rest)
		return all;
	all = 0;
	for (size_t i = 0; i < SL_USAGE_BLOCK; i++)
		all |= apart[i] = (uint64_t)at[i] - (uint64_t)at[0];
	return all;
}

int usage_log_pack(struct sl_usage_log *log, struct sl_err *err)
{
	const size_t block = log->count / SL_USAGE_BLOCK - 1;
	int status = SL_GROW(log->begins, log->block_capacity, block + 1, err);
	if (!status)
		status = SL_GROW(log->bytes, log->capacity, log->length + BLOCK_MOST, err);
	if (status)
		return status;
	unsigned char *p = log->bytes + log->length;
	log->begins[block] = log->length;
	for (unsigned field = 0; field < log->fields; field++) {
		uint64_t apart[SL_USAGE_BLOCK];
		bool in_seconds = false;
		const uint64_t all = field == USAGE_AT
					     ? time_differences(log->open[field], apart, &in_seconds)
					     : differences(log->open[field], apart);
		const size_t width = all ? (64 - (size_t)__builtin_clzll(all) + 7) / 8 : 0;
		word_put(p, (uint64_t)log->open[field][0]);
		p[WORD] = (unsigned char)(width | (in_seconds ? IN_SECONDS : 0U));
		p += FIELD_HEAD;
		for (size_t i = 0; width && i < SL_USAGE_BLOCK; i++, p += width)
			word_put(p, apart[i]);
	}
	log->length = (size_t)(p - log->bytes);
	return SL_OK;
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Where a field stands in a point; the narrow ones are uint32_t. */
static const struct place {
	size_t offset;
	bool narrow;
} places[USAGE_FIELDS] = {
	[USAGE_AT] = { offsetof(struct sl_usage_point, at), false },
	[USAGE_CPUS_BUSY] = { offsetof(struct sl_usage_point, cpus_busy), false },
	[USAGE_CPUS_QUEUED] = { offsetof(struct sl_usage_point, cpus_queued), false },
	[USAGE_RUNNING] = { offsetof(struct sl_usage_point, running), true },
	[USAGE_QUEUED] = { offsetof(struct sl_usage_point, queued), true },
	[USAGE_SUSPENDED] = { offsetof(struct sl_usage_point, suspended), true },
	[USAGE_GPUS_BUSY] = { offsetof(struct sl_usage_point, gpus_busy), false },
	[USAGE_GPUS_QUEUED] = { offsetof(struct sl_usage_point, gpus_queued), false },
	[USAGE_MEM_BUSY] = { offsetof(struct sl_usage_point, mem_busy), false },
	[USAGE_NODES_BUSY] = { offsetof(struct sl_usage_point, nodes_busy), true },
};

static void place_put(struct sl_usage_point *point, const struct place *place, uint64_t value)
{
	char *to = (char *)point + place->offset;
	const uint32_t low = (uint32_t)value;
	if (place->narrow)
		memcpy(to, &low, sizeof(low));
	else
		memcpy(to, &value, sizeof(value));
}

static void read_open(const struct sl_usage_log *log, struct sl_usage_point *point, size_t count)
{
	for (unsigned field = 0; field < log->fields; field++)
		for (size_t i = 0; i < count; i++)
			place_put(&point[i], &places[field], (uint64_t)log->open[field][i]);
}

size_t usage_log_read(
	const struct sl_usage_log *log, size_t block, struct sl_usage_point point[SL_USAGE_BLOCK])
{
	const size_t whole = log->count / SL_USAGE_BLOCK;
	const size_t count = block < whole ? SL_USAGE_BLOCK : log->count % SL_USAGE_BLOCK;
	memset(point, 0, count * sizeof(*point));
	if (block >= whole) {
		read_open(log, point, count);
		return count;
	}
	const unsigned char *p = log->bytes + log->begins[block];
	for (unsigned field = 0; field < log->fields; field++) {
		const struct place place = places[field];
		const uint64_t first = word_get(p);
		const size_t width = p[WORD] & ~(unsigned)IN_SECONDS;
		const uint64_t unit = p[WORD] & IN_SECONDS ? SL_SECOND : 1;
		const uint64_t mask = width ? UINT64_MAX >> (64 - 8 * width) : 0;
		p += FIELD_HEAD;
		for (size_t i = 0; field == USAGE_AT && i < count; i++, p += width)
			point[i].at = (sl_time)(first + (word_get(p) & mask) * unit);
		for (size_t i = 0; field != USAGE_AT && i < count; i++, p += width)
			place_put(&point[i], &place, first ^ (word_get(p) & mask));
	}
	return count;
}

struct sl_usage_point *usage_log_points(const struct sl_usage_log *log)
{
	const size_t blocks = (log->count + SL_USAGE_BLOCK - 1) / SL_USAGE_BLOCK;
	struct sl_usage_point *point = log->count ? malloc(log->count * sizeof(*point)) : NULL;
	for (size_t block = 0; point && block < blocks; block++)
		(void)usage_log_read(log, block, point + block * SL_USAGE_BLOCK);
	return point;
}

void sl_usage_load(struct sl_usage_reader *reader, size_t index)
{
	const size_t block = index / SL_USAGE_BLOCK;
	reader->first = block * SL_USAGE_BLOCK;
	reader->count = usage_log_read(reader->result->usage_log, block, reader->block);
}

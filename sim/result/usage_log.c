/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_log.c - points of usage, kept in a few bytes each.
 *
 * A packed block is, field by field: what the first point has (8 bytes), how many bytes each takes, and those
 * bytes, one point after another. Times are differences from the first, in whole seconds where all are.
 */
#include "sim/result/usage_log.h"

#include <endian.h>
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
static uint64_t differences(const int64_t *restrict field, uint64_t *restrict apart)
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

static void point_set(struct sl_usage_point *point, enum usage_field field, uint64_t value)
{
	switch (field) {
	case USAGE_AT:
		point->at = (sl_time)value;
		return;
	case USAGE_CPUS_BUSY:
		point->cpus_busy = (int64_t)value;
		return;
	case USAGE_CPUS_QUEUED:
		point->cpus_queued = (int64_t)value;
		return;
	case USAGE_RUNNING:
		point->running = (uint32_t)value;
		return;
	case USAGE_QUEUED:
		point->queued = (uint32_t)value;
		return;
	case USAGE_SUSPENDED:
		point->suspended = (uint32_t)value;
		return;
	case USAGE_GPUS_BUSY:
		point->gpus_busy = (int64_t)value;
		return;
	case USAGE_GPUS_QUEUED:
		point->gpus_queued = (int64_t)value;
		return;
	case USAGE_MEM_BUSY:
		point->mem_busy = (int64_t)value;
		return;
	case USAGE_NODES_BUSY:
		point->nodes_busy = (uint32_t)value;
		return;
	case USAGE_FIELDS:
		break;
	}
}

static inline __attribute__((always_inline)) void field_read(
	struct sl_usage_point *point, enum usage_field field, const unsigned char *p, size_t width)
{
	const uint64_t first = word_get(p - FIELD_HEAD);
	const uint64_t mask = width ? UINT64_MAX >> (64 - 8 * width) : 0;
	for (size_t i = 0; i < SL_USAGE_BLOCK; i++, p += width)
		point_set(&point[i], field, first ^ (word_get(p) & mask));
}

static void times_read(struct sl_usage_point *point, const unsigned char *p, size_t width, sl_time unit)
{
	const uint64_t first = word_get(p - FIELD_HEAD);
	const uint64_t mask = width ? UINT64_MAX >> (64 - 8 * width) : 0;
	for (size_t i = 0; i < SL_USAGE_BLOCK; i++, p += width)
		point[i].at = (sl_time)(first + (word_get(p) & mask) * (uint64_t)unit);
}

/* What changes on a counted pool has loops of its own: the compiler knows where they write. */
static void field_read_any(
	struct sl_usage_point *point, enum usage_field field, const unsigned char *p, size_t width)
{
	if (field == USAGE_CPUS_BUSY)
		field_read(point, USAGE_CPUS_BUSY, p, width);
	else if (field == USAGE_CPUS_QUEUED)
		field_read(point, USAGE_CPUS_QUEUED, p, width);
	else if (field == USAGE_RUNNING)
		field_read(point, USAGE_RUNNING, p, width);
	else if (field == USAGE_QUEUED)
		field_read(point, USAGE_QUEUED, p, width);
	else
		field_read(point, field, p, width);
}

size_t usage_log_read(
	const struct sl_usage_log *log, size_t block, struct sl_usage_point point[SL_USAGE_BLOCK])
{
	const size_t whole = log->count / SL_USAGE_BLOCK;
	const size_t count = block < whole ? SL_USAGE_BLOCK : log->count % SL_USAGE_BLOCK;
	memset(point, 0, count * sizeof(*point));
	for (unsigned field = 0; block >= whole && field < log->fields; field++)
		for (size_t i = 0; i < count; i++)
			point_set(&point[i], (enum usage_field)field, (uint64_t)log->open[field][i]);
	const unsigned char *p = block < whole ? log->bytes + log->begins[block] : NULL;
	for (unsigned field = 0; p && field < log->fields; field++) {
		const size_t width = p[WORD] & ~(unsigned)IN_SECONDS;
		const sl_time unit = p[WORD] & IN_SECONDS ? SL_SECOND : 1;
		const bool zero = !width && !word_get(p);
		p += FIELD_HEAD;
		if (field == USAGE_AT)
			times_read(point, p, width, unit);
		else if (!zero)
			field_read_any(point, (enum usage_field)field, p, width);
		p += width * SL_USAGE_BLOCK;
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage_report.c - what storage reports at the end of the run, and what it counts for that on the way.
 *
 * Bytes are reported in GB (10^9): sums of them are beyond what a metric in millionths of a byte could hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/storage/storage.h"

static int storage_report_by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y; /* Equal ones are the same. */
}

/* Of staging times: mean and nearest rank 95. */
static int report_wait(struct storage *storage, struct sl_tally *tally, struct sl_err *err)
{
	int64_t *wait = sl_alloc(storage->arena, (size_t)storage->jobs->count + 1, sizeof(*wait));
	if (!wait)
		return sl_fail_memory(err);
	uint32_t count = 0;
	__int128 sum = 0;
	for (uint32_t i = 0; i < storage->jobs->count; i++) {
		uint32_t row;
		const struct sl_profile *profile = storage_profile(storage, i, &row);
		if (!storage->job[i].clients || !profile)
			continue;
		wait[count] = storage->job[i].in + storage->job[i].out;
		sum += wait[count++];
	}
	qsort(wait, count, sizeof(*wait), storage_report_by_value);
	const uint32_t rank = (uint32_t)(((uint64_t)count * 95 + 99) / 100);
	int status = sl_report_metric(tally, "storage.wait.mean",
		count ? (int64_t)((2 * sum + count) / (2 * (__int128)count)) : 0, err);
	if (!status)
		status = sl_report_metric(tally, "storage.wait.p95", count ? wait[rank - 1] : 0, err);
	return status;
}

static int64_t bounded(__int128 value) { return value < INT64_MAX ? (int64_t)value : INT64_MAX; }

static int report_system(
	struct storage *storage, struct sl_tally *tally, uint32_t system, sl_time range, struct sl_err *err)
{
	static const char *const way[] = { "read", "written" };
	static const char *const share[] = { "read_load", "write_load" };
	const struct storage_system *of = &storage->system[system];
	int status = SL_OK;
	for (int i = 0; i < 2 && !status; i++) {
		char name[160];
		const __int128 moved = storage->moved[i][system];
		(void)snprintf(name, sizeof(name), "storage.%s_gb{fs=%.80s}", way[i], of->name);
		char *lasting = sl_strdup(storage->arena, name, strlen(name));
		if (!lasting)
			return sl_fail_memory(err);
		status = sl_report_metric(tally, lasting, bounded(moved / 1000), err);
		const int64_t capacity = of->capacity[of->half ? 0 : i];
		if (status || capacity == STORAGE_UNBOUNDED)
			continue;
		(void)snprintf(name, sizeof(name), "storage.%s{fs=%.80s}", share[i], of->name);
		lasting = sl_strdup(storage->arena, name, strlen(name));
		if (!lasting)
			return sl_fail_memory(err);
		const __int128 could = (__int128)capacity * range;
		const __int128 micro = could ? moved * SL_SECOND * SL_SECOND / could : 0;
		status = sl_report_metric(tally, lasting, bounded(micro), err);
	}
	return status;
}

static int report_caches(struct storage *storage, struct sl_tally *tally, struct sl_err *err)
{
	const int64_t ratio =
		storage->asked
			? (int64_t)((2 * storage->found * SL_SECOND + storage->asked) / (2 * storage->asked))
			: 0;
	int status = sl_report_metric(tally, "storage.cache_hits", ratio, err);
	if (!status)
		status =
			sl_report_metric(tally, "storage.cold_starts", storage->cold_starts * SL_SECOND, err);
	if (!status)
		status = sl_report_metric(tally, "storage.no_access", storage->no_access * SL_SECOND, err);
	return status;
}

static int report_columns(struct storage *storage, struct sl_tally *tally, struct sl_err *err)
{
	int64_t *column[3];
	for (size_t i = 0; i < SL_LEN(column); i++) {
		column[i] = sl_alloc(storage->arena, (size_t)storage->jobs->count + 1, sizeof(*column[i]));
		if (!column[i])
			return sl_fail_memory(err);
	}
	for (uint32_t i = 0; i < storage->jobs->count; i++) {
		const struct storage_job *job = &storage->job[i];
		column[0][i] = job->clients ? job->in : SL_NONE;
		column[1][i] = job->clients ? job->out : SL_NONE;
		column[2][i] = job->clients ? job->cold : SL_NONE;
	}
	int status = sl_report_job_column(tally, "stage_in", column[0], err);
	if (!status)
		status = sl_report_job_column(tally, "stage_out", column[1], err);
	return status ? status : sl_report_job_column(tally, "cold_start", column[2], err);
}

enum { COLUMNS = 5 };

/* Intervals in which nothing moved have no row, those of one rate in a row have one. GB/s: bytes * 10^6 us /
 * (10^9 * width), in millionths. */
static int report_load(struct storage *storage, struct sl_tally *tally, sl_time now, struct sl_err *err)
{
	static const char *const names[COLUMNS] = { "from", "to", "fs", "way", "gb_per_s" };
	static const char *const ways[] = { "read", "write" };
	const size_t most = (size_t)2 * storage->system_count * STORAGE_RANGES;
	struct sl_cell *cell = sl_alloc(storage->arena, most * COLUMNS, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	size_t rows = 0;
	for (uint32_t i = 0; i < 2 * storage->system_count; i++) {
		const struct storage_load *load = &storage->load[i];
		const size_t first = rows;
		for (uint32_t k = 0; k < load->used; k++) {
			if (!load->bytes[k])
				continue;
			const sl_time from = load->zero + k * load->width, end = from + load->width;
			const sl_time to = end < now ? end : now;
			const int64_t rate = sl_mul_div(load->bytes[k], 1000, to > from ? to - from : 1);
			if (first < rows && cell[COLUMNS * rows - 4].micro == from &&
				cell[COLUMNS * rows - 1].micro == rate) {
				cell[COLUMNS * rows - 4].micro = to; /* As before. */
				continue;
			}
			struct sl_cell *row = &cell[COLUMNS * rows++];
			row[0].micro = from;
			row[1].micro = to;
			row[2].text = storage->system[i / 2].name;
			row[3].text = ways[i % 2];
			row[4].micro = rate;
		}
	}
	return sl_report_add_table(tally, "storage", names, COLUMNS, cell, rows, err);
}

int storage_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	struct storage *storage = state;
	const sl_time now = sl_now(sim);
	int status = report_wait(storage, tally, err);
	for (uint32_t i = 0; i < storage->system_count && !status; i++)
		status = report_system(storage, tally, i, now - storage->began, err);
	if (!status)
		status = report_caches(storage, tally, err);
	if (!status)
		status = report_columns(storage, tally, err);
	return status ? status : report_load(storage, tally, now, err);
}

/* ---- How much was moved when, in a bounded number of rows.
 *
 * Intervals of equal length, a second at first. A rate is constant between two settlements, so its bytes are
 * laid over the intervals in proportion to time, by differences of rounded sums: none is lost. Once the last
 * interval is over, neighbours are joined, and intervals are twice as long.
 */

void storage_load_init(struct storage_load *load, sl_time zero)
{
	*load = (struct storage_load){ .zero = zero, .width = SL_SECOND };
}

/* No more than fits. */
static void gain(int64_t *sum, int64_t bytes) { *sum = *sum < INT64_MAX - bytes ? *sum + bytes : INT64_MAX; }

static void halve(struct storage_load *load)
{
	for (uint32_t i = 0; i < STORAGE_RANGES / 2; i++) {
		load->bytes[i] = load->bytes[2 * (size_t)i];
		gain(&load->bytes[i], load->bytes[2 * (size_t)i + 1]);
	}
	for (uint32_t i = STORAGE_RANGES / 2; i < STORAGE_RANGES; i++)
		load->bytes[i] = 0;
	load->width *= 2;
	load->used = (load->used + 1) / 2;
}

void storage_load_add(struct storage_load *load, sl_time from, sl_time until, int64_t bytes)
{
	SL_CHECK(from >= load->zero && until > from);
	while ((until - load->zero - 1) / load->width >= STORAGE_RANGES)
		halve(load);
	int64_t reported = 0;
	for (sl_time at = from; at < until;) {
		const uint32_t range = (uint32_t)((at - load->zero) / load->width);
		const sl_time end = load->zero + (range + 1) * load->width;
		at = end < until ? end : until;
		const int64_t sum = (int64_t)((__int128)bytes * (at - from) / (until - from));
		gain(&load->bytes[range], sum - reported);
		reported = sum;
		if (range >= load->used)
			load->used = range + 1;
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_run_times.c - how long jobs run of which their trace does not say it, by name: replay.run_times.
 *
 * A CSV file with columns job (or job_id, name) and run_time: what somebody wrote, or the jobs.csv of a run,
 * or a history. A job runs as long as the line of its name says; else as the first line does whose name is a
 * pattern that fits; else as those of its stem did, the name without what a controller put behind its last
 * dash ("nightly-29123456", "train-7x2kf"). Of several lines the median holds, of an even number the lower.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

struct run_time {
	const char *name; /* Lent by the table; of a stem its first `len` letters. */
	size_t len;
	sl_time time;
	uint32_t row;
};
struct run_times {
	struct run_time *name, *stem; /* By name, then time. */
	struct run_time *pattern;     /* As in the file. */
	size_t names, stems, patterns;
};

/* Of "train-7x2kf" 5: what stands behind the last dash has a digit, or is as long as generated names are. */
static size_t stem_of(const char *name)
{
	enum { GENERATED = 5 };
	const char *dash = strrchr(name, '-');
	const size_t whole = strlen(name);
	if (!dash || dash == name)
		return whole;
	const bool digit = strpbrk(dash, "0123456789") != NULL;
	return digit || strlen(dash + 1) == GENERATED ? (size_t)(dash - name) : whole;
}

static int compare_names(const struct run_time *x, const char *name, size_t len)
{
	const int order = memcmp(x->name, name, x->len < len ? x->len : len);
	return order ? order : (x->len > len) - (x->len < len);
}

static int compare_times(const void *a, const void *b)
{
	const struct run_time *x = a, *y = b;
	const int order = compare_names(x, y->name, y->len);
	if (order)
		return order;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The median of those of the name; SL_NONE: there are none. */
static sl_time median_of(const struct run_time *list, size_t count, const char *name, size_t len)
{
	size_t low = 0, high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare_names(&list[middle], name, len) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	size_t end = low;
	while (end < count && compare_names(&list[end], name, len) == 0)
		end++;
	return end > low ? list[low + (end - low - 1) / 2].time : SL_NONE;
}

static uint32_t column_of(const struct sl_csv_table *csv, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		for (uint32_t column = 0; column < csv->columns; column++)
			if (strcasecmp(csv->column[column], names[i]) == 0)
				return column;
	return UINT32_MAX;
}

/* Lines without a time, or with 0, as of jobs that never ended, say nothing. */
static int line_in(struct run_times *times, const struct sl_csv_table *csv, uint32_t row, uint32_t job,
	uint32_t time, struct sl_err *err)
{
	const char *name = csv->cell[(size_t)row * csv->columns + job];
	const char *text = csv->cell[(size_t)row * csv->columns + time];
	const struct sl_place at = { csv->file, csv->line[row], 0 };
	struct run_time line = { name, strlen(name), 0, row };
	if (!*name || !*text)
		return SL_OK;
	if (!sl_get_duration(text, strlen(text), &line.time) || line.time < 0)
		return sl_fail_at(err, &at,
			"'%.40s' is no run time: give seconds or a duration, as 90, 15m or 2h", text);
	if (!line.time)
		return SL_OK;
	if (strpbrk(name, "*?[")) {
		times->pattern[times->patterns++] = line;
		return SL_OK;
	}
	times->name[times->names++] = line;
	line.len = stem_of(name);
	times->stem[times->stems++] = line;
	return SL_OK;
}

int run_times_take(struct loading *loading, const struct sl_csv_table *csv, struct sl_err *err)
{
	static const char *const jobs[] = { "job", "job_id", "name", NULL };
	static const char *const runs[] = { "run_time", NULL };
	struct sl_arena *arena = loading->scenario->arena;
	struct run_times *times = sl_alloc(arena, 1, sizeof(*times));
	const uint32_t job = column_of(csv, jobs);
	const uint32_t run = column_of(csv, runs);
	if (job == UINT32_MAX || run == UINT32_MAX) {
		const struct sl_place at = { csv->file, csv->rows ? csv->line[0] - 1 : 1, 0 };
		return sl_fail_at(err, &at,
			"needs columns 'job' (or job_id, name) and 'run_time', as jobs.csv of a run has them");
	}
	if (!times)
		return sl_fail_memory(err);
	struct run_time **lists[] = { &times->name, &times->stem, &times->pattern };
	for (size_t i = 0; i < SL_LEN(lists); i++)
		if (!(*lists[i] = sl_alloc(arena, (size_t)csv->rows + 1, sizeof(struct run_time))))
			return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t row = 0; row < csv->rows && !status; row++)
		status = line_in(times, csv, row, job, run, err);
	qsort(times->name, times->names, sizeof(*times->name), compare_times);
	qsort(times->stem, times->stems, sizeof(*times->stem), compare_times);
	loading->run_times = times;
	return status;
}

sl_time run_times_of(const struct loading *loading, const struct sl_row *row)
{
	const struct run_times *times = loading->run_times;
	char number[32];
	const char *name = row->more ? row->more->id : NULL;
	if (!times || (!name && row->col[SL_COL_ID] == SL_NONE))
		return SL_NONE;
	if (!name) {
		*sl_put_i64(number, row->col[SL_COL_ID]) = '\0';
		name = number;
	}
	const sl_time exact = median_of(times->name, times->names, name, strlen(name));
	if (exact != SL_NONE)
		return exact;
	for (size_t i = 0; i < times->patterns; i++)
		if (fnmatch(times->pattern[i].name, name, 0) == 0)
			return times->pattern[i].time;
	return median_of(times->stem, times->stems, name, stem_of(name));
}

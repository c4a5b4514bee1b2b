/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu_cells.c - cells as numbers, times and states. Text where a number is due is an error, with its place.
 */
#include <string.h>
#include <strings.h>

#include "traces/gpu/gpu.h"

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasecmp(text, *words) == 0)
			return true;
	return false;
}

/* As pandas and Python write what is not there. */
static bool is_nothing(const char *text)
{
	static const char *const words[] = { "nan", "NaT", "None", "null", "<NA>", NULL };
	return !*text || is_one_of(text, words);
}

const char *gpu_cell(const struct gpu_csv *csv, int use)
{
	const int at = csv->at[use];
	if (at < 0 || (size_t)at >= csv->count)
		return NULL;
	const char *text = gpu_field(csv, (size_t)at);
	return is_nothing(text) ? NULL : text;
}

/* Where a field of the row stands; column 0 where the row goes over several lines. */
static struct sl_place gpu_cells_place_of(const struct gpu_csv *csv, size_t field)
{
	if (csv->line_number != csv->row_line)
		return (struct sl_place){ csv->file, csv->row_line, 0 };
	const char *p = csv->line;
	bool quoted = false;
	for (; p < csv->line_end && field; p++) {
		quoted ^= *p == '"';
		field -= *p == ',' && !quoted;
	}
	while (p < csv->line_end && (*p == ' ' || *p == '\t'))
		p++;
	return (struct sl_place){ csv->file, csv->row_line, (uint32_t)(p - csv->line) + 1 };
}

static const char *column_name(const struct gpu_csv *csv, int use)
{
	for (size_t i = 0; i < csv->format->count; i++)
		if (csv->format->column[i].use == use)
			return csv->format->column[i].name;
	return "?";
}

int gpu_fail_cell(struct gpu_csv *csv, int use, const char *wanted)
{
	enum { DISPLAYED = 32 };
	const struct sl_place at = gpu_cells_place_of(csv, (size_t)csv->at[use]);
	const char *cell = gpu_cell(csv, use);
	char text[DISPLAYED + 1];
	size_t len = 0;
	for (; cell && cell[len] && len < DISPLAYED; len++)
		text[len] = (char)(cell[len] >= ' ' && cell[len] <= '~' ? cell[len] : '?');
	text[len] = '\0';
	return sl_fail_at(csv->err, &at, "column '%s' must be %s, not '%s%s'", column_name(csv, use), wanted,
		text, cell && cell[len] ? "..." : "");
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* Exact to millionths, and no larger than counts may be. */
static int gpu_cells_number_in(struct gpu_csv *csv, int use, int64_t *micro)
{
	const char *cell = gpu_cell(csv, use);
	*micro = SL_NONE;
	if (!cell)
		return SL_OK;
	while (*cell == ' ')
		cell++;
	if (!sl_get_micro(cell, strlen(cell), micro) || *micro > GPU_SECONDS_MAX || *micro < -GPU_SECONDS_MAX)
		return gpu_fail_cell(csv, use, "a number");
	return SL_OK;
}

int gpu_scaled(struct gpu_csv *csv, int use, int64_t scale, int64_t *value)
{
	enum { MICRO = 1000000 };
	int64_t micro;
	const int status = gpu_cells_number_in(csv, use, &micro);
	*value = SL_NONE;
	/* Of a job it is not known, then; of a machine nothing else would say so. */
	if (!status && micro != SL_NONE && micro < 0 && csv->machine)
		return gpu_fail_cell(csv, use, "a number from 0 on");
	if (status || micro < 0)
		return status;
	const __int128 product = (__int128)micro * scale;
	if (product > (__int128)INT32_MAX * 1000 * MICRO)
		return gpu_fail_cell(csv, use, "a number that a computer can have");
	*value = (int64_t)(product / MICRO) + (product % MICRO != 0);
	return SL_OK;
}

int gpu_count(struct gpu_csv *csv, int use, int64_t *value)
{
	int64_t thousandths;
	int status = gpu_scaled(csv, use, 1000, &thousandths);
	if (!status)
		status = gpu_scaled(csv, use, 1, value);
	if (!status && *value != SL_NONE && *value > INT32_MAX)
		status = gpu_fail_cell(csv, use, "a whole number up to 2147483647");
	if (status || *value == SL_NONE || thousandths % 1000 == 0)
		return status;
	return gpu_odd(csv, "fractional count rounded up");
}

int gpu_time(struct gpu_csv *csv, int use, int64_t unit, sl_time *value)
{
	int64_t micro;
	const int status = gpu_cells_number_in(csv, use, &micro);
	*value = SL_NONE;
	if (status || micro == SL_NONE)
		return status;
	const __int128 time = (__int128)micro * unit / SL_SECOND;
	if (time > GPU_SECONDS_MAX || time < -GPU_SECONDS_MAX)
		return gpu_fail_cell(csv, use, "a time of less than 30 000 years");
	*value = (sl_time)time;
	return SL_OK;
}

/* ---- Dates ---------------------------------------------------------------------------------- */

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* "+08:00" or "Z" at the end, in seconds; *len is less that. False: there is none. */
static bool zone_of(const char *text, size_t *len, int64_t *zone)
{
	enum { OFFSET = 6, DATE_LEAST = 16 };
	*zone = 0;
	if (*len > DATE_LEAST && text[*len - 1] == 'Z') {
		*len -= 1;
		return true;
	}
	if (*len < DATE_LEAST + OFFSET)
		return false;
	const char *p = text + *len - OFFSET;
	if ((*p != '+' && *p != '-') || p[3] != ':' || !digit(p[1]) || !digit(p[2]) || !digit(p[4]) ||
		!digit(p[5]))
		return false;
	const int64_t minutes = ((p[1] - '0') * 10 + p[2] - '0') * 60 + (p[4] - '0') * 10 + p[5] - '0';
	*zone = (*p == '-' ? -minutes : minutes) * 60;
	*len -= OFFSET;
	return true;
}

/* The log's clock is that of its first date: others are as this clock would show them. */
int gpu_date(struct gpu_csv *csv, int use, sl_time *value)
{
	const char *cell = gpu_cell(csv, use);
	int64_t zone;
	*value = SL_NONE;
	if (!cell)
		return SL_OK;
	size_t len = strlen(cell);
	const bool zoned = zone_of(cell, &len, &zone);
	if (!sl_get_date(cell, len, value))
		return gpu_fail_cell(csv, use, "a date such as 2017-10-07 01:12:09");
	if (zoned && !csv->zoned) {
		csv->zone = zone;
		csv->zoned = true;
	}
	if (zoned)
		*value += (csv->zone - zone) * SL_SECOND;
	return SL_OK;
}

/* ---- States ----------------------------------------------------------------------------------- */

enum sl_state gpu_state_of(const char *word, bool *known)
{
	static const struct {
		const char *word;
		enum sl_state state;
	} words[] = { { "COMPLETED", SL_COMPLETED }, { "Pass", SL_COMPLETED }, { "Succeeded", SL_COMPLETED },
		{ "Terminated", SL_COMPLETED }, { "FAILED", SL_FAILED }, { "CANCELLED", SL_CANCELLED },
		{ "Killed", SL_CANCELLED }, { "TIMEOUT", SL_TIMEOUT }, { "NODE_FAIL", SL_NODE_FAIL },
		{ "OUT_OF_MEMORY", SL_OUT_OF_MEMORY }, { "PREEMPTED", SL_PREEMPTED },
		{ "RUNNING", SL_RUNNING }, { "SUSPENDED", SL_SUSPENDED }, { "PENDING", SL_PENDING },
		{ "Waiting", SL_PENDING }, { "Unknown", SL_PENDING } };
	*known = true;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(words[i].word, word) == 0)
			return words[i].state;
	*known = false;
	return SL_PENDING;
}

int gpu_state(struct gpu_csv *csv, int use, enum sl_state *state)
{
	const char *cell = gpu_cell(csv, use);
	bool known = true;
	*state = cell ? gpu_state_of(cell, &known) : SL_PENDING;
	return known ? SL_OK : gpu_odd(csv, "unreadable optional field");
}

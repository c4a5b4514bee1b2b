/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_windows.c - stretches of a trace, each run on its own (replay.windows).
 *
 * "1024@1981,2756": 1024 jobs from row 1981 on, and from row 2756 on, counted
 * from 0 in the order of submission, after cleaning. They may overlap. A window
 * is a scenario that lends its columns from the whole one's.
 */
#include <string.h>

#include "sim/scenario/scenario_parts.h"

enum { WINDOWS_MAX = 10000 };

static int fail_form(const char *text, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"replay.windows='%.60s' is not N@i,j,...: write it like 1024@0,5000 (jobs, and where each begins)",
		text);
}

/* A whole number from 0 to max at *p, cut at `stop` or the end. */
static bool number_at(const char **p, char stop, int64_t *number)
{
	const char *end = strchrnul(*p, stop);
	const char *from = *p;
	*p = *end ? end + 1 : end;
	return end - from <= 10 && sl_get_i64(from, (size_t)(end - from), number) && *number >= 0 &&
	       *number < UINT32_MAX;
}

int windows_parse(struct scenario *scenario, const char *text, struct sl_err *err)
{
	const uint32_t count = scenario->columns->count;
	const char *p = text;
	int64_t size;
	int64_t from;
	size_t most = 1;
	for (const char *comma = text; (comma = strchr(comma, ',')); comma++)
		most++;
	if (!strchr(text, '@') || !number_at(&p, '@', &size) || !size || !*p)
		return fail_form(text, err);
	if (most > WINDOWS_MAX)
		return sl_fail(
			err, SL_USAGE, "replay.windows has %zu windows: give at most %d", most, WINDOWS_MAX);
	uint32_t *window = sl_alloc(scenario->arena, most, sizeof(*window));
	if (!window)
		return sl_fail_memory(err);
	for (size_t i = 0; i < most; i++) {
		if (!number_at(&p, ',', &from))
			return fail_form(text, err);
		if (from + size > count)
			return sl_fail(err, SL_USAGE,
				"replay.windows: %lld jobs from number %lld on are more than there are: %u, counted from 0",
				(long long)size, (long long)from, count);
		window[i] = (uint32_t)from;
	}
	scenario->window = window;
	scenario->window_count = most;
	scenario->window_size = (uint32_t)size;
	return SL_OK;
}

/* From a row on, where there is a column. */
#define LENT(column, row)                  \
	do {                               \
		if (column)                \
			(column) += (row); \
	} while (0)

struct scenario scenario_window(const struct scenario *whole, size_t index)
{
	struct scenario window = *whole;
	struct sl_jobs *jobs = &window.jobs;
	const uint32_t row = whole->window[index];
	jobs->count = whole->window_size;
	jobs->place = NULL; /* Rows are written in the order of submission. */
	LENT(jobs->id, row);
	LENT(jobs->submit, row);
	LENT(jobs->run, row);
	LENT(jobs->limit, row);
	LENT(jobs->size, row);
	LENT(jobs->user, row);
	LENT(jobs->account, row);
	LENT(jobs->partition, row);
	LENT(jobs->wait_recorded, row);
	LENT(jobs->estimate, row);
	LENT(jobs->cancel, row);
	LENT(jobs->request, row);
	LENT(jobs->id_name, row);
	LENT(jobs->gang, row);
	LENT(jobs->ran, row);
	LENT(jobs->more_of, row);
	LENT(jobs->profile_of, row);
	LENT(jobs->gpu_active, row);
	window.row_first = jobs->row_first = row;
	window.window = &whole->window[index];
	window.window_count = 0;
	window.rows = jobs->count;
	return window;
}

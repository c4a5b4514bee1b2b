/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_columns.c - jobs one by one, as columns.
 */
#include "reports/page/page.h"

#include <stdlib.h>

enum { INTEGER = PAGE_DELTA | PAGE_SPLIT };
static const uint32_t never = UINT32_MAX;

/* A column under way: a value for each kept job. */
struct column {
	struct page_run *run;
	struct page_text *json;
	uint32_t *value;
};

/* Absent where all say the same as nothing: `silent`. */
static void page_columns_put_here(
	struct column *column, const char *name, uint32_t unresponsive, unsigned coding)
{
	const struct page_run *run = column->run;
	for (uint32_t i = 0; i < run->kept; i++)
		if (column->value[i] != unresponsive) {
			page_member(
				run->page, column->json, name, PAGE_U32 | coding, column->value, run->kept);
			return;
		}
}

static uint32_t length(const struct page_run *run, sl_time from, sl_time until)
{
	const int64_t ticks = (int64_t)page_ticks(run, until) - page_ticks(run, from);
	return ticks < 0 ? 0 : (uint32_t)ticks;
}

/* As long a time in ticks: a duration, rounded up to what is not less. */
static uint32_t duration(const struct page_run *run, sl_time time)
{
	if (time < 0 || time >= SL_NEVER)
		return never;
	const sl_time ticks = time / run->tick + (time % run->tick != 0);
	return ticks < never ? (uint32_t)ticks : never;
}

/* ---- Each column's value of a row ------------------------------------------------------------- */

static uint32_t wait_of(const struct page_run *run, uint32_t row)
{
	const sl_time start = run->result->start[row];
	return start == SL_NONE ? never : length(run, run->jobs->submit[row], start);
}

static uint32_t range_of(const struct page_run *run, uint32_t row)
{
	const sl_time start = run->result->start[row];
	const sl_time end = run->result->end[row];
	return start == SL_NONE || end == SL_NONE ? never : length(run, start, end);
}

static uint32_t page_columns_run_of(const struct page_run *run, uint32_t row)
{
	const struct sl_attempt *attempt;
	const bool suspended = run->result->suspended && run->result->suspended[row];
	if (!sl_attempts_of(run->result, row, &attempt) && !suspended)
		return range_of(run, row);
	return duration(run, sl_run_time_of(run->result, row));
}

static uint32_t wait_total_of(const struct page_run *run, uint32_t row)
{
	sl_time from;
	sl_time until;
	uint32_t total = 0;
	for (size_t i = 0; sl_wait_interval(run->result, row, i, &from, &until); i++) {
		total += length(run, from, until);
		if (!run->result->attempt_count)
			break;
	}
	return total;
}

static uint32_t page_columns_limit_of(const struct page_run *run, uint32_t row)
{
	return duration(run, run->jobs->limit[row]);
}

static uint32_t eligible_of(const struct page_run *run, uint32_t row)
{
	const sl_time *eligible = run->result->eligible;
	if (!eligible)
		return 0;
	return eligible[row] == SL_NONE ? never : length(run, run->jobs->submit[row], eligible[row]);
}

static uint32_t amount(int64_t value) { return value < 0 ? 0 : value < never ? (uint32_t)value : never - 1; }

static uint32_t page_columns_cpus_of(const struct page_run *run, uint32_t row)
{
	return amount(sl_cpus_of(run->result, row));
}

static uint32_t page_columns_gpus_of(const struct page_run *run, uint32_t row)
{
	return amount(sl_gpus_of(run->result, row));
}

static uint32_t page_columns_nodes_of(const struct page_run *run, uint32_t row)
{
	return run->result->nodes_held ? amount(run->result->nodes_held[row]) : 0;
}

static uint32_t attempts_of(const struct page_run *run, uint32_t row)
{
	const struct sl_attempt *attempt;
	const size_t several = sl_attempts_of(run->result, row, &attempt);
	return several ? (uint32_t)several : run->result->start[row] != SL_NONE;
}

/* ---- Names ------------------------------------------------------------------------------------- */

/* Ids that are numbers, as whole ones where they are short. */
static void put_numbered(struct page_run *run, struct page_text *json)
{
	double *wide = page_alloc(run->page, run->kept, sizeof(*wide));
	int32_t *narrow = page_alloc(run->page, run->kept, sizeof(*narrow));
	bool fits = true;
	for (uint32_t i = 0; wide && narrow && i < run->kept; i++) {
		const int64_t id = run->jobs->id[run->row_kept[i]];
		fits = fits && id >= INT32_MIN && id <= INT32_MAX;
		narrow[i] = fits ? (int32_t)id : 0;
		wide[i] = (double)id;
	}
	if (wide && narrow && fits)
		page_member(run->page, json, "id", PAGE_I32 | INTEGER, narrow, run->kept);
	else if (wide && narrow)
		page_member(run->page, json, "id", PAGE_F64 | PAGE_SPLIT, wide, run->kept);
	free(narrow);
	free(wide);
}

/* Up to there a double is each whole number. */
static const int64_t EXACT = INT64_C(1) << 53;

/* As texts, where one is, or is longer than a number of a browser's. */
static void put_ids(struct page_run *run, struct page_text *json, struct page_text *names)
{
	const struct sl_jobs *jobs = run->jobs;
	bool named = false;
	for (uint32_t row = 0; row < run->total && !named; row++)
		named = (jobs->id_name && jobs->id_name[row]) || jobs->id[row] > EXACT ||
			jobs->id[row] < -EXACT;
	if (!named) {
		put_numbered(run, json);
		return;
	}
	struct page_text list = { 0 };
	for (uint32_t i = 0; i < run->kept; i++) {
		const uint32_t row = run->row_kept[i];
		page_put(&list, i ? ",\n" : "[");
		if (jobs->id_name && jobs->id_name[row]) {
			page_json(&list, jobs->id_name[row]);
		} else {
			page_put(&list, "\"");
			page_i64(&list, jobs->id[row]);
			page_put(&list, "\"");
		}
	}
	page_put(&list, "]");
	run->page->failed = run->page->failed || list.failed;
	page_member(run->page, names, "ids", PAGE_JSON, list.data, list.length);
	page_text_free(&list);
}

static void page_columns_put_group(struct page_run *run, struct column *column, struct page_text *names,
	const struct page_groups *groups, const char *const name[2])
{
	if (!groups->count || !groups->of || !groups->name)
		return;
	for (uint32_t i = 0; i < run->kept; i++)
		column->value[i] = groups->of[run->row_kept[i]];
	page_columns_put_here(column, name[0], never, PAGE_SPLIT);
	struct page_text list = { 0 };
	for (uint32_t i = 0; i < groups->count; i++) {
		page_put(&list, i ? ",\n" : "[");
		page_json(&list, groups->name[i]);
	}
	page_put(&list, "]");
	run->page->failed = run->page->failed || list.failed;
	page_member(run->page, names, name[1], PAGE_JSON, list.data, list.length);
	page_text_free(&list);
}

/* ---- All --------------------------------------------------------------------------------------- */

static void put_numbers(struct page_run *run, struct column *column)
{
	static const struct {
		const char *name;
		uint32_t (*of)(const struct page_run *run, uint32_t row);
		uint32_t unresponsive;
		unsigned coding;
	} known[] = {
		{ "wait", wait_of, 0, PAGE_SPLIT },
		{ "span", range_of, 0, PAGE_SPLIT },
		{ "run", page_columns_run_of, 0, PAGE_SPLIT },
		{ "limit", page_columns_limit_of, UINT32_MAX, PAGE_SPLIT },
		{ "wait_total", wait_total_of, 0, PAGE_SPLIT },
		{ "eligible", eligible_of, 0, PAGE_SPLIT },
		{ "cpus", page_columns_cpus_of, 0, PAGE_SPLIT },
		{ "gpus", page_columns_gpus_of, 0, PAGE_SPLIT },
		{ "nodes", page_columns_nodes_of, 0, PAGE_SPLIT },
		{ "attempts", attempts_of, 1, PAGE_SPLIT },
	};
	for (size_t c = 0; c < SL_LEN(known); c++) {
		for (uint32_t i = 0; i < run->kept; i++)
			column->value[i] = known[c].of(run, run->row_kept[i]);
		page_columns_put_here(column, known[c].name, known[c].unresponsive, known[c].coding);
	}
}

static void put_submits(struct page_run *run, struct column *column)
{
	int32_t *submit = page_alloc(run->page, run->kept, sizeof(*submit));
	for (uint32_t i = 0; submit && i < run->kept; i++)
		submit[i] = page_ticks(run, run->jobs->submit[run->row_kept[i]]);
	if (submit)
		page_member(run->page, column->json, "submit", PAGE_I32 | INTEGER, submit, run->kept);
	free(submit);
}

static void put_states(struct page_run *run, struct column *column)
{
	uint8_t *state = page_alloc(run->page, run->kept, sizeof(*state));
	for (uint32_t i = 0; state && i < run->kept; i++)
		state[i] = (uint8_t)sl_state_reported(run->result, run->row_kept[i]);
	if (state)
		page_member(run->page, column->json, "state", PAGE_U8, state, run->kept);
	free(state);
}

void page_columns_put(struct page_run *run)
{
	static const char *const names_of[][2] = { { "user", "users" }, { "account", "accounts" },
		{ "partition", "partitions" }, { "qos", "qos" } };
	struct page_text columns = { 0 };
	struct page_text names = { 0 };
	struct column column = { run, &columns, page_alloc(run->page, run->kept, sizeof(*column.value)) };
	page_put(&columns, "{");
	page_put(&names, "{");
	put_submits(run, &column);
	put_ids(run, &columns, &names);
	if (column.value)
		put_numbers(run, &column);
	put_states(run, &column);
	for (size_t i = 0; i < SL_LEN(names_of) && column.value; i++)
		page_columns_put_group(run, &column, &names, &run->by[i], names_of[i]);
	page_put(&columns, "}");
	page_put(&names, "}");
	page_name(run->json, "columns");
	page_bytes(run->json, columns.data, columns.length);
	page_name(run->json, "names");
	page_bytes(run->json, names.data, names.length);
	run->page->failed = run->page->failed || columns.failed || names.failed;
	page_text_free(&columns);
	page_text_free(&names);
	free(column.value);
}

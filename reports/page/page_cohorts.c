/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_cohorts.c - quotas of a tree of queues over time, and evictions, as a policy reported them in its
 * tables "cohorts" (schedlab-kueue(7)) or "projects" (schedlab-runai(7)), and "evictions". A run without them
 * says nothing here.
 */
#include "reports/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 2000, POINTS_MAX = 400000, CELL_POINTS_MAX = 4000, EVICTIONS_MAX = 20000 };
/* Of both: when, of which cell (flavor: of projects their pool), and then its values. */
enum { AT, NODE, KIND, PARENT, FLAVOR, RESOURCE, VALUES, VALUES_MAX = 8, COLUMNS = VALUES + VALUES_MAX };
enum { EVICTION_COLUMNS = 10 };

struct form {
	const char *table;
	const char *column[COLUMNS]; /* NULL: no more. */
	const char *eviction[EVICTION_COLUMNS];
};
static const struct form forms[] = {
	{ "cohorts",
		{ "at", "node", "kind", "parent", "flavor", "resource", "nominal", "quota", "used",
			"borrowed", "lent" },
		{ "at", "job_id", "by", "reason", "cause", "queue", "by_queue" } },
	{ "projects",
		{ "at", "project", "kind", "parent", "pool", "resource", "quota", "entitled", "in_quota",
			"over_quota", "lent", "waiting" },
		{ "at", "job_id", "by", "project", "by_project", "action", "reason", "gpus", "ran_for",
			"work" } },
};

struct series {
	struct page_run *run;
	const struct form *form;
	const struct sl_report_table *table;
	uint32_t column[COLUMNS];
	uint32_t *row; /* Rows of the table, by cell, in each by time. */
	uint32_t most; /* Points of a cell. */
	bool joined;
};

static const struct sl_report_table *find_table(const struct page_run *run, const char *name)
{
	for (size_t i = 0; i < run->result->reported_table_count; i++)
		if (strcmp(run->result->reported_table[i].name, name) == 0)
			return &run->result->reported_table[i];
	return NULL;
}

static uint32_t count_names(const char *const *name, uint32_t most)
{
	uint32_t count = 0;
	while (count < most && name[count])
		count++;
	return count;
}

static bool find_columns(
	const struct sl_report_table *table, const char *const *name, uint32_t count, uint32_t *column)
{
	for (uint32_t i = 0; i < count; i++) {
		column[i] = 0;
		while (column[i] < table->columns && strcmp(table->column[column[i]], name[i]) != 0)
			column[i]++;
		if (column[i] == table->columns)
			return false;
	}
	return true;
}

static const struct sl_cell *cell_of(const struct series *all, uint32_t row, uint32_t column)
{
	return &all->table->cell[(size_t)row * all->table->columns + all->column[column]];
}

static const char *page_cohorts_text_of(const struct sl_cell *cell) { return cell->text ? cell->text : ""; }

/* ---- Rows by cell ------------------------------------------------------------------------------------ */

static bool is_same_cell(const struct series *all, uint32_t x, uint32_t y)
{
	return strcmp(page_cohorts_text_of(cell_of(all, x, NODE)),
		       page_cohorts_text_of(cell_of(all, y, NODE))) == 0 &&
	       strcmp(page_cohorts_text_of(cell_of(all, x, KIND)),
		       page_cohorts_text_of(cell_of(all, y, KIND))) == 0 &&
	       strcmp(page_cohorts_text_of(cell_of(all, x, FLAVOR)),
		       page_cohorts_text_of(cell_of(all, y, FLAVOR))) == 0 &&
	       strcmp(page_cohorts_text_of(cell_of(all, x, RESOURCE)),
		       page_cohorts_text_of(cell_of(all, y, RESOURCE))) == 0;
}

static int by_cell(const void *a, const void *b, void *self)
{
	static const int column[] = { NODE, KIND, FLAVOR, RESOURCE };
	const struct series *all = self;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = 0;
	for (size_t i = 0; i < SL_LEN(column) && !order; i++)
		order = strcmp(page_cohorts_text_of(cell_of(all, x, (uint32_t)column[i])),
			page_cohorts_text_of(cell_of(all, y, (uint32_t)column[i])));
	return order ? order : (x > y) - (x < y);
}

/* ---- One cell ------------------------------------------------------------------------------------------ */

/* Of equal intervals of time the last state, where there are more changes than are drawn. */
static uint32_t thin(struct series *all, const uint32_t *row, uint32_t count, uint32_t *kept)
{
	const struct page_run *run = all->run;
	const int64_t length = (int64_t)run->last - run->first + 1;
	const bool joined = count > all->most;
	uint32_t points = 0;
	int64_t before = -1;
	for (uint32_t i = 0; i < count; i++) {
		const int64_t tick = page_ticks(run, cell_of(all, row[i], AT)->micro);
		const int64_t range = joined ? (tick - run->first) * all->most / length : tick - run->first;
		if (points && range == before)
			points--;
		kept[points++] = row[i];
		before = range;
	}
	all->joined = all->joined || joined;
	return points;
}

/* An empty field is an amount without a bound. */
static double page_cohorts_value_of(const struct series *all, uint32_t row, uint32_t column)
{
	const int64_t micro = cell_of(all, row, column)->micro;
	return micro == SL_NONE ? (double)NAN : (double)micro / 1e6;
}

static void put_cell(struct series *all, const uint32_t *row, uint32_t count)
{
	static const char *const words[] = { "node", "kind", "parent", "flavor", "resource" };
	struct page *page = all->run->page;
	struct page_text *json = all->run->json;
	uint32_t *kept = page_alloc(page, count, sizeof(*kept));
	int32_t *time = page_alloc(page, count, sizeof(*time));
	double *value = page_alloc(page, count, sizeof(*value));
	if (kept && time && value) {
		const uint32_t points = thin(all, row, count, kept);
		page_put(json, "{");
		for (uint32_t i = 0; i < SL_LEN(words); i++) {
			page_name(json, words[i]);
			page_json(json, page_cohorts_text_of(cell_of(all, row[0], NODE + i)));
		}
		for (uint32_t i = 0; i < points; i++)
			time[i] = page_ticks(all->run, cell_of(all, kept[i], AT)->micro);
		page_member(page, json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, time, points);
		for (uint32_t k = VALUES; k < count_names(all->form->column, COLUMNS); k++) {
			for (uint32_t i = 0; i < points; i++)
				value[i] = page_cohorts_value_of(all, kept[i], k);
			page_member(page, json, all->form->column[k], PAGE_F64 | PAGE_SPLIT, value, points);
		}
		page_put(json, "}");
	}
	free(value);
	free(time);
	free(kept);
}

static void put_cells(struct series *all, uint32_t rows)
{
	struct page_text *json = all->run->json;
	uint32_t cells = 0, put = 0;
	for (uint32_t i = 0; i < rows; i++)
		cells += i == 0 || !is_same_cell(all, all->row[i - 1], all->row[i]);
	const uint32_t shown = cells < CELLS_MAX ? cells : CELLS_MAX;
	all->most = shown && POINTS_MAX / shown < CELL_POINTS_MAX ? POINTS_MAX / shown : CELL_POINTS_MAX;
	page_put(json, "\"cells\":[");
	for (uint32_t i = 0, end; i < rows && put < shown; i = end) {
		for (end = i + 1; end < rows && is_same_cell(all, all->row[i], all->row[end]);)
			end++;
		page_put(json, put++ ? ",\n" : "");
		put_cell(all, all->row + i, end - i);
	}
	page_put(json, "],\"rule\":\"");
	if (shown < cells)
		page_format(
			json, "Of %u queues and resources the first %u are shown, by name. ", cells, shown);
	if (all->joined)
		page_format(json, "Of many changes the last in each of %u equal spans of time is shown.",
			all->most);
	page_put(json, "\"");
}

/* ---- Evictions ----------------------------------------------------------------------------------------- */

static void put_reported(struct page_text *list, const struct sl_cell *cell)
{
	char number[40];
	*sl_put_micro(number, cell->micro) = '\0';
	page_json(list, cell->text ? cell->text : number);
}

static void put_evictions(const struct series *series)
{
	struct page_run *run = series->run;
	const char *const *name = series->form->eviction;
	const uint32_t columns = count_names(name, EVICTION_COLUMNS);
	struct series all = { .run = run, .table = find_table(run, "evictions") };
	uint32_t count = 0;
	if (all.table && find_columns(all.table, name, columns, all.column))
		count = all.table->rows < EVICTIONS_MAX ? (uint32_t)all.table->rows : EVICTIONS_MAX;
	page_put(run->json, ",\"evictions\":{");
	page_format(run->json, "\"total\":%zu,\"count\":%u", count ? all.table->rows : (size_t)0, count);
	int32_t *time = page_alloc(run->page, count, sizeof(*time));
	for (uint32_t i = 0; time && i < count; i++)
		time[i] = page_ticks(run, cell_of(&all, i, 0)->micro);
	if (time)
		page_member(run->page, run->json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, time, count);
	free(time);
	for (uint32_t k = 1; k < columns; k++) {
		struct page_text list = { 0 };
		page_put(&list, "[");
		for (uint32_t i = 0; i < count; i++) {
			page_put(&list, i ? "," : "");
			put_reported(&list, cell_of(&all, i, k));
		}
		page_put(&list, "]");
		run->page->failed = run->page->failed || list.failed;
		if (!list.failed)
			page_member(run->page, run->json, name[k], PAGE_JSON, list.data, list.length);
		page_text_free(&list);
	}
	page_put(run->json, "}");
}

static void page_cohorts_put_series(struct series *all)
{
	const uint32_t rows = (uint32_t)all->table->rows;
	struct page_run *run = all->run;
	all->row = page_alloc(run->page, rows, sizeof(*all->row));
	if (!all->row)
		return;
	for (uint32_t i = 0; i < rows; i++)
		all->row[i] = i;
	qsort_r(all->row, rows, sizeof(*all->row), by_cell, all);
	run->page->cohorts = true;
	page_format(run->json, ",\"%s\":{", all->form->table);
	put_cells(all, rows);
	put_evictions(all);
	page_put(run->json, "}");
	free(all->row);
}

void page_cohorts_put(struct page_run *run)
{
	for (size_t i = 0; i < SL_LEN(forms); i++) {
		struct series all = {
			.run = run, .form = &forms[i], .table = find_table(run, forms[i].table)
		};
		if (all.table && all.table->rows && all.table->rows <= UINT32_MAX &&
			find_columns(all.table, forms[i].column, count_names(forms[i].column, COLUMNS),
				all.column))
			page_cohorts_put_series(&all);
	}
}

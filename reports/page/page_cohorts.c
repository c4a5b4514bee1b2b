/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_cohorts.c - quotas over time, as a policy with cohorts tells them: the tables cohorts, lent,
 * evictions.
 */
#include "reports/page/page.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 400, POINTS_MAX = 200000, EVICTIONS_MAX = 5000 };

/* A node of the tree, a flavor and a resource: its first row of cohorts. */
struct item {
	const struct sl_cell *first;
	size_t begin, end; /* Its rows, of `order` of the table that is looked at. */
};

/* A table's rows, item by item, each in order of time. */
struct rows {
	const struct sl_told_table *table;
	uint32_t *of;    /* By row: its item; ITEMS_MAX: of none. */
	uint32_t *order; /* Rows. */
	size_t count;    /* That are looked at. */
};

static const struct sl_told_table *table_of(const struct page_run *run, const char *name)
{
	for (size_t i = 0; i < run->result->told_table_count; i++)
		if (strcmp(run->result->told_table[i].name, name) == 0)
			return &run->result->told_table[i];
	return NULL;
}

enum { AT, NODE, KIND, PARENT, FLAVOR, RESOURCE, NOMINAL, QUOTA, BORROWED, USED, COHORT_COLUMNS };
enum { LENT_AT, LENT_NODE, LENT_FLAVOR, LENT_RESOURCE, LENT_LENT, LENT_COLUMNS };

static bool same_text(const char *a, const char *b) { return a == b || strcmp(a, b) == 0; }

/* Names stand in both tables; a queue and a cohort of one name are told apart by where the row is. */
static size_t find_item(const struct item *item, size_t count, const char *node, const char *kind,
	const char *flavor, const char *resource)
{
	size_t i = 0;
	while (i < count && !(same_text(item[i].first[NODE].text, node) &&
				    same_text(item[i].first[RESOURCE].text, resource) &&
				    same_text(item[i].first[FLAVOR].text, flavor) &&
				    (!kind || same_text(item[i].first[KIND].text, kind))))
		i++;
	return i;
}

static size_t find_items(struct rows *rows, struct item *item)
{
	size_t count = 0;
	for (size_t row = 0; row < rows->count; row++) {
		const struct sl_cell *cell = &rows->table->cell[row * rows->table->columns];
		const size_t i = find_item(item, count, cell[NODE].text, cell[KIND].text, cell[FLAVOR].text,
			cell[RESOURCE].text);
		if (i == count && count < ITEMS_MAX)
			item[count++].first = cell;
		rows->of[row] = (uint32_t)(i < count ? i : ITEMS_MAX);
	}
	return count;
}

static void find_lent(struct rows *rows, const struct item *item, size_t count)
{
	for (size_t row = 0; row < rows->count; row++) {
		const struct sl_cell *cell = &rows->table->cell[row * rows->table->columns];
		const size_t i = find_item(item, count, cell[LENT_NODE].text, NULL, cell[LENT_FLAVOR].text,
			cell[LENT_RESOURCE].text);
		rows->of[row] = (uint32_t)(i < count ? i : ITEMS_MAX);
	}
}

static void order_rows(struct rows *rows, struct item *item, size_t count)
{
	size_t place[ITEMS_MAX + 2] = { 0 };
	for (size_t row = 0; row < rows->count; row++)
		place[rows->of[row] + 1]++;
	for (size_t i = 0; i < ITEMS_MAX; i++)
		place[i + 1] += place[i];
	for (size_t i = 0; i < count; i++) {
		item[i].begin = place[i];
		item[i].end = place[i + 1];
	}
	for (size_t row = 0; row < rows->count; row++)
		if (rows->of[row] < ITEMS_MAX)
			rows->order[place[rows->of[row]]++] = (uint32_t)row;
}

static bool rows_make(struct page_run *run, struct rows *rows, const struct sl_told_table *table)
{
	rows->table = table;
	rows->count = !table ? 0 : table->rows < POINTS_MAX ? table->rows : POINTS_MAX;
	rows->of = page_alloc(run->page, rows->count, sizeof(*rows->of));
	rows->order = page_alloc(run->page, rows->count, sizeof(*rows->order));
	return rows->of && rows->order;
}

static void rows_free(struct rows *rows)
{
	free(rows->of);
	free(rows->order);
}

static void put_column(
	struct page_run *run, struct page_text *json, const char *name, const int64_t *micro, size_t count)
{
	double *value = page_alloc(run->page, count, sizeof(*value));
	for (size_t i = 0; value && i < count; i++)
		value[i] = (double)micro[i] / 1e6;
	if (value)
		page_member(run->page, json, name, PAGE_F64, value, count);
	free(value);
}

static void put_times(
	struct page_run *run, struct page_text *json, const char *name, const int64_t *at, size_t count)
{
	int32_t *time = page_alloc(run->page, count, sizeof(*time));
	for (size_t i = 0; time && i < count; i++)
		time[i] = page_ticks(run, at[i]);
	if (time)
		page_member(run->page, json, name, PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, time, count);
	free(time);
}

static const int64_t *values_of(const struct rows *rows, const struct item *item, int column, int64_t *room)
{
	for (size_t i = item->begin; i < item->end; i++)
		room[i - item->begin] =
			rows->table->cell[rows->order[i] * (size_t)rows->table->columns + (size_t)column]
				.micro;
	return room;
}

static void put_points(struct page_run *run, struct page_text *json, const struct rows *rows,
	const struct item *item, int64_t *room)
{
	const size_t count = item->end - item->begin;
	put_times(run, json, "time", values_of(rows, item, AT, room), count);
	put_column(run, json, "nominal", values_of(rows, item, NOMINAL, room), count);
	put_column(run, json, "quota", values_of(rows, item, QUOTA, room), count);
	put_column(run, json, "borrowed", values_of(rows, item, BORROWED, room), count);
	put_column(run, json, "used", values_of(rows, item, USED, room), count);
}

static void put_lent(struct page_run *run, struct page_text *json, const struct rows *rows,
	const struct item *item, int64_t *room)
{
	const size_t count = item->end - item->begin;
	put_times(run, json, "lent_time", values_of(rows, item, LENT_AT, room), count);
	put_column(run, json, "lent", values_of(rows, item, LENT_LENT, room), count);
}

static void put_word(struct page_text *json, const char *name, const char *word)
{
	page_name(json, name);
	page_json(json, word);
}

static void put_evictions(struct page_run *run, struct page_text *json, const struct sl_told_table *table)
{
	struct page_text text = { 0 };
	page_put(&text, "[");
	for (size_t row = 0; row < table->rows && row < EVICTIONS_MAX; row++) {
		const struct sl_cell *cell = &table->cell[row * table->columns];
		page_put(&text, row ? ",[" : "[");
		page_micro(&text, cell[0].micro);
		for (uint32_t c = 1; c < table->columns; c++) {
			page_put(&text, ",");
			if (cell[c].text)
				page_json(&text, cell[c].text);
			else
				page_micro(&text, cell[c].micro);
		}
		page_put(&text, "]");
	}
	page_put(&text, "]");
	page_member(run->page, json, "evictions", PAGE_JSON, text.data, text.length);
	page_name(json, "evicted");
	page_i64(json, (int64_t)table->rows);
	run->page->failed = run->page->failed || text.failed;
	page_text_free(&text);
}

static void put_items(struct page_run *run, struct page_text *json, struct rows *cohorts, struct rows *lent)
{
	const size_t most = cohorts->count > lent->count ? cohorts->count : lent->count;
	struct item *item = page_alloc(run->page, ITEMS_MAX, sizeof(*item));
	struct item *lends = page_alloc(run->page, ITEMS_MAX, sizeof(*lends));
	int64_t *room = page_alloc(run->page, most, sizeof(*room));
	const size_t count = item && lends && room ? find_items(cohorts, item) : 0;
	if (count) {
		order_rows(cohorts, item, count);
		memcpy(lends, item, count * sizeof(*lends));
		find_lent(lent, lends, count);
		order_rows(lent, lends, count);
	}
	for (size_t i = 0; i < count; i++) {
		page_put(json, i ? ",{" : "{");
		put_word(json, "node", item[i].first[NODE].text);
		put_word(json, "kind", item[i].first[KIND].text);
		put_word(json, "parent", item[i].first[PARENT].text);
		put_word(json, "flavor", item[i].first[FLAVOR].text);
		put_word(json, "resource", item[i].first[RESOURCE].text);
		put_points(run, json, cohorts, &item[i], room);
		if (lends[i].end > lends[i].begin)
			put_lent(run, json, lent, &lends[i], room);
		page_put(json, "}");
	}
	free(room);
	free(lends);
	free(item);
}

void page_cohorts_put(struct page_run *run)
{
	const struct sl_told_table *evictions = table_of(run, "evictions");
	const struct sl_told_table *told = table_of(run, "lent");
	struct rows cohorts = { 0 }, lent = { 0 };
	struct page_text json = { 0 };
	const struct sl_told_table *of = table_of(run, "cohorts");
	if (!of || of->columns != COHORT_COLUMNS || (told && told->columns != LENT_COLUMNS))
		return;
	page_put(&json, "{");
	page_name(&json, "item");
	page_put(&json, "[");
	if (rows_make(run, &cohorts, of) && rows_make(run, &lent, told))
		put_items(run, &json, &cohorts, &lent);
	page_put(&json, "]");
	if (evictions)
		put_evictions(run, &json, evictions);
	page_put(&json, "}");
	page_name(run->json, "cohorts");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	rows_free(&cohorts);
	rows_free(&lent);
}

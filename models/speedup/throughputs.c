/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * throughputs.c - steps a second as somebody measured them: by model, type of GPU, size, and how far spread.
 *
 * The columns follow what Gavel publishes of its measurements (Narayanan et al., OSDI 2020,
 * simulation_throughputs.json): there more GPUs are sometimes slower, and that is kept.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "models/speedup/speedup.h"

enum { COL_MODEL, COL_TYPE, COL_GPUS, COL_STEPS, COL_NEEDED };

static const char *cell(const struct sl_csv_table *csv, uint32_t row, uint32_t column)
{
	return csv->cell[(size_t)row * csv->columns + column];
}

static int compare_texts(const char *a, const char *b)
{
	const int order = strcasecmp(a, b);
	return (order > 0) - (order < 0);
}

/* All but the steps: two rows of one place are an error. */
static int compare_rows(const void *a, const void *b)
{
	const struct throughput *x = a;
	const struct throughput *y = b;
	int order = compare_texts(x->model, y->model);
	if (!order)
		order = compare_texts(x->type, y->type);
	if (!order)
		order = (x->spread > y->spread) - (x->spread < y->spread);
	return order ? order : (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static bool read_count(const char *text, int64_t least, int64_t *value)
{
	return sl_get_i64(text, strlen(text), value) && *value >= least && *value <= INT64_C(1000000);
}

static int fail_cell(
	const struct sl_csv_table *csv, uint32_t row, uint32_t column, const char *wanted, struct sl_err *err)
{
	const struct sl_place at = sl_csv_place(csv, row, column);
	return sl_fail_at(err, &at, "%s '%s' is not %s", csv->column[column], cell(csv, row, column), wanted);
}

static int read_spread(const struct sl_csv_table *csv, uint32_t row, uint32_t nodes, uint32_t consolidated,
	int64_t *spread, struct sl_err *err)
{
	*spread = 0;
	if (nodes != UINT32_MAX && !read_count(cell(csv, row, nodes), 1, spread))
		return fail_cell(csv, row, nodes, "a number of nodes", err);
	if (nodes != UINT32_MAX || consolidated == UINT32_MAX)
		return SL_OK;
	if (!read_count(cell(csv, row, consolidated), 0, spread) || *spread > 1)
		return fail_cell(csv, row, consolidated, "1 or 0", err);
	*spread = !*spread;
	return SL_OK;
}

static int read_row(struct throughput *to, const struct sl_csv_table *csv, uint32_t row,
	const uint32_t *column, struct sl_err *err)
{
	to->model = cell(csv, row, column[COL_MODEL]);
	to->type = cell(csv, row, column[COL_TYPE]);
	if (!*to->model)
		return fail_cell(csv, row, column[COL_MODEL], "the name of a model", err);
	if (!read_count(cell(csv, row, column[COL_GPUS]), 1, &to->gpus))
		return fail_cell(csv, row, column[COL_GPUS], "a number of GPUs, from 1 to 1000000", err);
	const char *text = cell(csv, row, column[COL_STEPS]);
	int64_t micro;
	if (!sl_get_micro(text, strlen(text), &micro) || micro <= 0)
		return fail_cell(csv, row, column[COL_STEPS], "a positive number of steps a second", err);
	to->steps = (double)micro / 1e6;
	return SL_OK;
}

static int find_columns(const struct sl_csv_table *csv, uint32_t *column, struct sl_err *err)
{
	static const char *const needed[COL_NEEDED] = { "model", "gpu_type", "gpus", "steps_per_s" };
	for (uint32_t i = 0; i < COL_NEEDED; i++) {
		column[i] = sl_csv_column(csv, needed[i]);
		const struct sl_place at = { .file = csv->file, .line = 1 };
		if (column[i] == UINT32_MAX)
			return sl_fail_at(err, &at,
				"there is no column '%s': a table of throughputs has model, gpu_type, gpus, "
				"steps_per_s, and may have nodes or consolidated",
				needed[i]);
	}
	return SL_OK;
}

int throughputs_read(
	struct throughputs *table, const struct sl_csv_table *csv, struct sl_arena *arena, struct sl_err *err)
{
	uint32_t column[COL_NEEDED] = { 0 };
	int status = find_columns(csv, column, err);
	if (status)
		return status;
	const struct sl_place top = { .file = csv->file, .line = 1 };
	if (csv->rows > SPEEDUP_ROWS_MAX)
		return sl_fail_at(err, &top, "more than %d rows", (int)SPEEDUP_ROWS_MAX);
	const uint32_t nodes = sl_csv_column(csv, "nodes");
	const uint32_t consolidated = sl_csv_column(csv, "consolidated");
	if (nodes != UINT32_MAX && consolidated != UINT32_MAX)
		return sl_fail_at(
			err, &top, "both nodes and consolidated say how far a job is spread: keep one");
	table->by_nodes = nodes != UINT32_MAX;
	table->row = sl_alloc(arena, (size_t)csv->rows + 1, sizeof(*table->row));
	if (!table->row)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < csv->rows && !status; i++) {
		status = read_row(&table->row[i], csv, i, column, err);
		if (!status)
			status = read_spread(csv, i, nodes, consolidated, &table->row[i].spread, err);
	}
	if (status)
		return status;
	table->count = csv->rows;
	qsort(table->row, table->count, sizeof(*table->row), compare_rows);
	for (size_t i = 1; i < table->count; i++)
		if (compare_rows(&table->row[i - 1], &table->row[i]) == 0)
			return sl_fail_at(err, &top, "%s on %lld x %s is there twice: keep one of the rows",
				table->row[i].model, (long long)table->row[i].gpus, table->row[i].type);
	return SL_OK;
}

/* The first row that is not before this place. */
static size_t throughputs_find(const struct throughputs *table, const struct throughput *wanted)
{
	size_t low = 0;
	size_t high = table->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare_rows(&table->row[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rows [first, end) are of one model, type and spread. */
static double between(const struct throughput *row, size_t first, size_t end, double gpus)
{
	size_t i = first;
	while (i < end && (double)row[i].gpus < gpus)
		i++;
	if (i == end)
		return row[end - 1].steps;
	if ((double)row[i].gpus == gpus || i == first)
		return row[i].steps * (gpus / (double)row[i].gpus);
	const double part = (gpus - (double)row[i - 1].gpus) / (double)(row[i].gpus - row[i - 1].gpus);
	return row[i - 1].steps + (row[i].steps - row[i - 1].steps) * part;
}

double throughput_of(
	const struct throughputs *table, const char *model, const char *type, int64_t spread, double gpus)
{
	struct throughput wanted = { .model = model, .type = type, .spread = INT64_MIN };
	const size_t first = throughputs_find(table, &wanted);
	wanted.spread = INT64_MAX;
	const size_t end = throughputs_find(table, &wanted);
	if (first == end)
		return 0;
	wanted.spread = spread;
	wanted.gpus = INT64_MAX;
	const size_t after =
		throughputs_find(table, &wanted); /* Behind the largest spread that is not above. */
	wanted.spread = table->row[after > first ? after - 1 : first].spread;
	wanted.gpus = INT64_MIN;
	const size_t from = throughputs_find(table, &wanted);
	wanted.gpus = INT64_MAX;
	return between(table->row, from, throughputs_find(table, &wanted), gpus);
}

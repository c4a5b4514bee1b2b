/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally.c - what policies and models report as a run is over: metrics, columns of jobs, tables.
 */
#include "sim/result/tally.h"

#include <stdlib.h>
#include <string.h>

void tally_init(struct sl_tally *tally, struct sl_arena *arena)
{
	*tally = (struct sl_tally){ .arena = arena };
}

void tally_release(struct sl_tally *tally)
{
	names_release(&tally->metrics);
	names_release(&tally->columns);
	names_release(&tally->tables);
	free(tally->metric);
	free(tally->column);
	free(tally->table);
	*tally = (struct sl_tally){ .arena = tally->arena };
}

/* Letters, digits, '_', '.' and '-'; of metrics with labels behind it: "x.y{node=n1}". */
static bool name_good(const char *name, bool labels)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	const size_t len = strspn(name, letters);
	const size_t whole = strlen(name);
	if (!len || whole > TALLY_NAME_MAX)
		return false;
	if (!name[len])
		return true;
	return labels && name[len] == '{' && name[whole - 1] == '}' && !strpbrk(name, "\"\\\n\r\t");
}

static const char *teller(const struct sl_tally *tally) { return tally->model ? tally->model : "?"; }

static int tally_take_name(const struct sl_tally *tally, struct names *names, const char *what,
	const char *name, uint32_t *number, struct sl_err *err)
{
	const uint32_t before = names->count;
	if (!name || !name_good(name, names == &tally->metrics))
		return sl_fail(err, SL_USAGE,
			"%s '%s' tells a %s called '%.80s': a name has letters, digits, '_', '.' and '-'",
			tally->policy ? "policy" : "model", teller(tally), what, name ? name : "");
	const int status = names_add(names, tally->arena, name, strlen(name), number, err);
	if (status || names->count > before)
		return status;
	return sl_fail(err, SL_USAGE, "%s '%s' tells a %s called '%.80s', which was told before: rename it",
		tally->policy ? "policy" : "model", teller(tally), what, name);
}

int sl_report_metric(struct sl_tally *tally, const char *name, int64_t micro, struct sl_err *err)
{
	uint32_t number = 0;
	int status = tally_take_name(tally, &tally->metrics, "metric", name, &number, err);
	if (!status)
		status = SL_GROW_MOST(
			tally->metric, tally->metric_capacity, (size_t)number + 1, TALLY_METRICS_MAX, err);
	if (!status)
		tally->metric[number] = micro;
	return status;
}

int sl_report_job_column(struct sl_tally *tally, const char *name, const int64_t *micro, struct sl_err *err)
{
	uint32_t number = 0;
	int status = tally_take_name(tally, &tally->columns, "column of jobs", name, &number, err);
	if (!status)
		status = SL_GROW_MOST(
			tally->column, tally->column_capacity, (size_t)number + 1, TALLY_COLUMNS_MAX, err);
	if (!status)
		tally->column[number] = micro;
	return status;
}

/* NOLINTNEXTLINE(readability-function-size): what a table is made of. */
int sl_report_add_table(struct sl_tally *tally, const char *name, const char *const *column, uint32_t columns,
	const struct sl_cell *cell, size_t rows, struct sl_err *err)
{
	uint32_t number = 0;
	int status = tally_take_name(tally, &tally->tables, "table", name, &number, err);
	if (!status)
		status = SL_GROW_MOST(
			tally->table, tally->table_capacity, (size_t)number + 1, TALLY_TABLES_MAX, err);
	if (!status)
		tally->table[number] = (struct sl_report_table){
			.name = tally->tables.text[number],
			.column = column,
			.columns = columns,
			.cell = cell,
			.rows = rows,
		};
	return status;
}

int tally_lend(const struct sl_tally *tally, struct sl_result *result, struct sl_err *err)
{
	const size_t metrics = tally->metrics.count;
	const size_t columns = tally->columns.count;
	const size_t tables = tally->tables.count;
	struct sl_named *metric = sl_alloc(tally->arena, metrics + 1, sizeof(*metric));
	struct sl_report_column *column = sl_alloc(tally->arena, columns + 1, sizeof(*column));
	struct sl_report_table *table = sl_alloc(tally->arena, tables + 1, sizeof(*table));
	if (!metric || !column || !table)
		return sl_fail_memory(err);
	for (size_t i = 0; i < metrics; i++)
		metric[i] = (struct sl_named){ tally->metrics.text[i], tally->metric[i] };
	for (size_t i = 0; i < columns; i++)
		column[i] = (struct sl_report_column){ tally->columns.text[i], tally->column[i] };
	if (tables)
		memcpy(table, tally->table, tables * sizeof(*table));
	result->reported_metric = metric;
	result->reported_metric_count = metrics;
	result->reported_column = column;
	result->reported_column_count = columns;
	result->reported_table = table;
	result->reported_table_count = tables;
	return SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_table.c - tables of a policy's own figures (sl_policy.show), kept for a view.
 */
#include <math.h>
#include <string.h>

#include "cli/moment/view.h"
#include "sim/run/engine.h"

struct taking {
	struct sl_arena *arena;
	struct view_table *table;
};

static int take_columns(struct taking *taking, const char *const *column, size_t count)
{
	struct view_table *table = taking->table;
	table->column = sl_alloc(taking->arena, count + 1, sizeof(*table->column));
	if (!table->column)
		return SL_SYSTEM;
	for (size_t i = 0; i < count; i++) {
		table->column[i] = sl_strdup(taking->arena, column[i], strlen(column[i]));
		if (!table->column[i])
			return SL_SYSTEM;
	}
	table->column_count = count;
	return SL_OK;
}

static int take_row(void *self, const char *const *column, const struct sl_figure *figure, size_t count)
{
	enum { FIRST = 64 };
	struct taking *taking = self;
	struct view_table *table = taking->table;
	const int status = table->column ? SL_OK : take_columns(taking, column, count);
	if (status)
		return status;
	if (SL_GROW_IN(taking->arena, table->figure, table->capacity, (table->row_count + 1) * count, NULL))
		return SL_SYSTEM;
	struct sl_figure *to = table->figure + table->row_count++ * count;
	for (size_t i = 0; i < count; i++) {
		to[i] = figure[i];
		if (figure[i].text)
			to[i].text = sl_strdup(taking->arena, figure[i].text, strlen(figure[i].text));
		if (figure[i].text && !to[i].text)
			return SL_SYSTEM;
	}
	return SL_OK;
}

/* Priorities as the policy has them, in place of those by the queue's order. */
static void take_priorities(struct view *view)
{
	const struct view_table *table = &view->table[VIEW_TABLE_JOBS];
	for (size_t row = 0; row < table->row_count; row++) {
		const double job = table_number(table, row, "job");
		const double priority = table_number(table, row, "priority");
		if (job >= 0 && job < view->jobs->count && priority >= 0 && priority <= UINT32_MAX)
			view->priority[(uint32_t)job] = (uint32_t)priority;
	}
}

int view_take_table(struct sl_arena *arena, struct sl_pass *pass, sl_time at, const char *name,
	struct view_table *table, struct sl_err *err)
{
	struct taking taking = { arena, table };
	const struct sl_table_sink show = { &taking, take_row };
	const int status =
		pass->policy->table ? pass->policy->table(pass->state, pass, at, name, &show, err) : SL_USAGE;
	table->known = !status;
	if (status && status != SL_USAGE)
		return err->status ? err->status : sl_fail_memory(err);
	return SL_OK;
}

int view_take_tables(struct view *view, sl_time at, struct sl_err *err)
{
	static const char *const name[VIEW_TABLES] = { "jobs", "weights", "shares", "plans", "nodes",
		"reservations", "partitions" };
	struct sl_pass *pass = &view->sim.engine->sim;
	int status = SL_OK;
	for (size_t i = 0; i < VIEW_TABLES && !status; i++)
		status = view_take_table(view->arena, pass, at, name[i], &view->table[i], err);
	if (!status)
		take_priorities(view);
	return status;
}

static const struct sl_figure *figure_of(const struct view_table *table, size_t row, const char *column)
{
	for (size_t i = 0; row < table->row_count && i < table->column_count; i++)
		if (strcmp(table->column[i], column) == 0)
			return &table->figure[row * table->column_count + i];
	return NULL;
}

double table_number(const struct view_table *table, size_t row, const char *column)
{
	const struct sl_figure *figure = figure_of(table, row, column);
	return figure ? figure->number : (double)NAN;
}

const char *table_text(const struct view_table *table, size_t row, const char *column)
{
	const struct sl_figure *figure = figure_of(table, row, column);
	return figure && figure->text ? figure->text : "";
}

bool table_has(const struct view_table *table, const char *column)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (strcmp(table->column[i], column) == 0)
			return true;
	return false;
}

size_t table_row_of(const struct view_table *table, uint32_t job)
{
	size_t row = 0;
	while (row < table->row_count && !(table_number(table, row, "job") == (double)job))
		row++;
	return row;
}

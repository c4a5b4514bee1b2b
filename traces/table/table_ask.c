/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_ask.c - what a line asks, in one of three ways: by task, by node, or in total.
 *
 * By node is one task a node. In total, a job is as many tasks as it asks GPUs, or else cpus, each with its
 * share; with nodes too, and if they share evenly, one task a node.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/table/job_table.h"

/* Asked numbers by column, SL_NONE where the cell is empty. */
struct asked {
	int64_t of[TABLE_COLUMNS];
};

static const enum table_column by_task[] = { TABLE_TASKS, TABLE_CPUS_PER_TASK, TABLE_MEM_PER_TASK,
	TABLE_GPUS_PER_TASK, TABLE_TASKS_PER_NODE, TABLE_TASKS_MIN, TABLE_TASKS_MAX };
static const enum table_column by_node[] = { TABLE_CPUS_PER_NODE, TABLE_MEM_PER_NODE, TABLE_GPUS_PER_NODE };
static const enum table_column in_total[] = { TABLE_CPUS, TABLE_GPUS, TABLE_MEMORY };

static const struct way {
	const enum table_column *column;
	size_t count;
} ways[] = {
	{ by_task, SL_LEN(by_task) },
	{ by_node, SL_LEN(by_node) },
	{ in_total, SL_LEN(in_total) },
};
enum { BY_TASK, BY_NODE, IN_TOTAL, NO_WAY };

/* ---- Cells ---------------------------------------------------------------------------------- */

static int note_fraction(struct table *t, enum table_column column)
{
	const struct sl_place at = table_place(t, (size_t)t->at[column]);
	return t->sink->oddity(t->sink->self, "fractional count rounded up", &at, t->err);
}

static int count_in(struct table *t, enum table_column column, int64_t *value)
{
	const char *cell = table_cell(t, column);
	int64_t micro;
	*value = SL_NONE;
	if (!cell)
		return SL_OK;
	if (!sl_get_micro(cell, strlen(cell), &micro) || micro > INT32_MAX * INT64_C(1000000))
		return table_fail_cell(t, column, "a whole number up to 2147483647");
	if (micro < 0)
		return SL_OK;
	*value = micro / 1000000 + (micro % 1000000 != 0);
	return micro % 1000000 ? note_fraction(t, column) : SL_OK;
}

static bool is_memory(enum table_column column)
{
	return column == TABLE_MEM_PER_TASK || column == TABLE_MEM_PER_NODE || column == TABLE_MEMORY;
}

static int memory_in(struct table *t, enum table_column column, int64_t *value)
{
	const char *cell = table_cell(t, column);
	*value = SL_NONE;
	if (!cell || cell[0] == '-')
		return SL_OK;
	if (!sl_get_memory(cell, strlen(cell), true, value) || *value > SL_MEM_UNBOUNDED)
		return table_fail_cell(t, column, "a size of memory such as 16GiB (a bare number is MiB)");
	return SL_OK;
}

int table_bool_in(struct table *t, enum table_column column, bool *value, bool *known)
{
	static const struct {
		const char *word;
		bool means;
	} words[] = { { "1", true }, { "0", false }, { "true", true }, { "false", false }, { "yes", true },
		{ "no", false } };
	const char *cell = table_cell(t, column);
	*value = false;
	*known = cell != NULL;
	if (!cell)
		return SL_OK;
	for (size_t i = 0; i < SL_LEN(words); i++) {
		if (strcasecmp(cell, words[i].word) != 0)
			continue;
		*value = words[i].means;
		return SL_OK;
	}
	return table_fail_cell(t, column, "one of 0, 1, true, false, yes and no");
}

static int asked_in(struct table *t, struct asked *asked)
{
	for (enum table_column column = TABLE_TASKS; column < TABLE_GPU_TYPE; column++) {
		const int status = is_memory(column) ? memory_in(t, column, &asked->of[column])
						     : count_in(t, column, &asked->of[column]);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- Which way --------------------------------------------------------------------------------- */

/* The first cell of that way that says something; a total of nothing says nothing beside another way. */
static enum table_column first_of(const struct asked *asked, size_t way, bool zeros)
{
	for (size_t i = 0; i < ways[way].count; i++) {
		const int64_t value = asked->of[ways[way].column[i]];
		if (value > 0 || (value == 0 && zeros))
			return ways[way].column[i];
	}
	return TABLE_COLUMNS;
}

static int way_of(struct table *t, const struct asked *asked, size_t *way)
{
	enum table_column first = TABLE_COLUMNS;
	*way = NO_WAY;
	for (size_t i = 0; i < SL_LEN(ways); i++) {
		const enum table_column column = first_of(asked, i, i != IN_TOTAL || *way == NO_WAY);
		if (column == TABLE_COLUMNS)
			continue;
		if (*way != NO_WAY) {
			const struct sl_place at = table_place(t, (size_t)t->at[column]);
			return sl_fail_at(t->err, &at,
				"asks in two ways, by '%s' and by '%s': leave one of them empty, see "
				"schedlab-trace(5)",
				table_column_name(first), table_column_name(column));
		}
		*way = i;
		first = column;
	}
	return SL_OK;
}

/* ---- As tasks -------------------------------------------------------------------------------------- */

static int64_t known(int64_t value, int64_t otherwise) { return value == SL_NONE ? otherwise : value; }

static int64_t share(int64_t total, int64_t parts) { return total / parts + (total % parts != 0); }

/* A task that asks a GPU and says nothing of cpus asks none. */
static int64_t cpus_or(int64_t cpus, int64_t gpus) { return known(cpus, gpus > 0 ? 0 : 1); }

static void tasks_by_task(const struct asked *asked, struct sl_row_group *g)
{
	const int64_t *of = asked->of;
	const int64_t per_node = known(of[TABLE_TASKS_PER_NODE], 1);
	g->tasks = of[TABLE_TASKS];
	if (g->tasks == SL_NONE)
		g->tasks = known(of[TABLE_NODES], 1) * per_node;
	g->gpus = of[TABLE_GPUS_PER_TASK];
	g->cpus = cpus_or(of[TABLE_CPUS_PER_TASK], g->gpus);
	g->mem = of[TABLE_MEM_PER_TASK];
	g->tasks_per_node = of[TABLE_TASKS_PER_NODE];
	g->tasks_min = of[TABLE_TASKS_MIN];
	g->tasks_max = of[TABLE_TASKS_MAX];
	g->nodes_min = g->nodes_max = of[TABLE_NODES];
}

static void tasks_by_node(const struct asked *asked, struct sl_row_group *g)
{
	const int64_t *of = asked->of;
	g->tasks = known(of[TABLE_NODES], 1);
	g->tasks_per_node = 1;
	g->gpus = of[TABLE_GPUS_PER_NODE];
	g->cpus = cpus_or(of[TABLE_CPUS_PER_NODE], g->gpus);
	g->mem = of[TABLE_MEM_PER_NODE];
}

static void tasks_in_total(const struct asked *asked, struct sl_row_group *g)
{
	const int64_t *of = asked->of;
	const int64_t nodes = of[TABLE_NODES];
	const int64_t gpus = known(of[TABLE_GPUS], 0);
	const int64_t cpus = cpus_or(of[TABLE_CPUS], gpus);
	const int64_t mem = known(of[TABLE_MEMORY], 0);
	const bool even = nodes > 0 && cpus % nodes == 0 && gpus % nodes == 0;
	g->tasks = even ? nodes : gpus ? gpus : cpus;
	if (even)
		g->tasks_per_node = 1;
	else
		g->nodes_min = g->nodes_max = nodes;
	if (g->tasks <= 0) /* Makes no sense, and is said so. */
		return;
	g->gpus = share(gpus, g->tasks);
	g->cpus = share(cpus, g->tasks);
	g->mem = share(mem, g->tasks);
}

/* Nodes and nothing more: all of each. */
static void tasks_of_nodes(const struct asked *asked, struct sl_row_group *g)
{
	g->tasks = known(asked->of[TABLE_NODES], 1);
	g->cpus = 1;
	if (asked->of[TABLE_NODES] == SL_NONE)
		return;
	g->tasks_per_node = 1;
	g->exclusive = true;
}

/* A text that outlives its line. */
static int keep_type(struct table *t, const char *text, const char **kept)
{
	for (size_t i = 0; i < t->type_count; i++) {
		if (strcmp(t->type[i], text) != 0)
			continue;
		*kept = t->type[i];
		return SL_OK;
	}
	if (t->type_count == TABLE_TYPES_MAX)
		return table_fail_cell(t, TABLE_GPU_TYPE, "one of at most 1000 types");
	if (!t->type)
		t->type = calloc(TABLE_TYPES_MAX, sizeof(*t->type));
	char *copy = t->type ? strdup(text) : NULL;
	if (!copy)
		return sl_fail(t->err, SL_SYSTEM, "%s: out of memory", t->file);
	t->type[t->type_count++] = copy;
	*kept = copy;
	return SL_OK;
}

int table_group_in(struct table *t, struct sl_row_group *g)
{
	struct asked asked;
	size_t way;
	bool exclusive;
	bool said;
	*g = (struct sl_row_group){ .tasks_min = SL_NONE,
		.tasks_max = SL_NONE,
		.tasks_per_node = SL_NONE,
		.nodes_min = SL_NONE,
		.nodes_max = SL_NONE,
		.mem = SL_NONE,
		.gpus = SL_NONE };
	int status = asked_in(t, &asked);
	if (!status)
		status = way_of(t, &asked, &way);
	if (!status)
		status = table_bool_in(t, TABLE_EXCLUSIVE, &exclusive, &said);
	if (status)
		return status;
	if (way == BY_TASK)
		tasks_by_task(&asked, g);
	else if (way == BY_NODE)
		tasks_by_node(&asked, g);
	else if (way == IN_TOTAL)
		tasks_in_total(&asked, g);
	else
		tasks_of_nodes(&asked, g);
	g->exclusive |= exclusive;
	g->nodes_min = known(asked.of[TABLE_NODES_MIN], g->nodes_min);
	g->nodes_max = known(asked.of[TABLE_NODES_MAX], g->nodes_max);
	const char *type = table_cell(t, TABLE_GPU_TYPE);
	return type ? keep_type(t, type, &g->gpu_type) : SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_desc.c - what a line requests, in one of three ways: by task, by node, or in total.
 *
 * By node is one task a node. In total, a job is as many tasks as it requests GPUs, or else cpus, each with
 * its share; with nodes too, and if they share evenly, one task a node. Less than a GPU is one task.
 *
 * Cpus and GPUs are thousandths here; a row counts in them if something in it is no whole number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/table/job_table.h"

/* Requested numbers by column, SL_NONE where the cell is empty. */
struct asked {
	int64_t of[TABLE_COLUMNS];
	int64_t gpu_mem;
	const char *mig;
	bool one_gpu; /* Memory or a profile of one, in place of GPUs. */
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
	return t->sink->anomaly(t->sink->self, "fractional count rounded up", &at, t->err);
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

static bool is_gpus(enum table_column column)
{
	return column == TABLE_GPUS_PER_TASK || column == TABLE_GPUS_PER_NODE || column == TABLE_GPUS;
}

static bool is_parts(enum table_column column)
{
	return is_gpus(column) || column == TABLE_CPUS_PER_TASK || column == TABLE_CPUS_PER_NODE ||
	       column == TABLE_CPUS;
}

static int fail_gpus(struct table *t, enum table_column column, int64_t parts)
{
	char wanted[120];
	const int64_t below = parts / TABLE_PARTS;
	(void)snprintf(wanted, sizeof(wanted),
		"a whole number of GPUs, or less than one: ask %lld or %lld of them", (long long)below,
		(long long)below + 1);
	return table_fail_cell(t, column, wanted);
}

/* Cpus and GPUs: thousandths; what is finer is rounded up. */
static int parts_in(struct table *t, enum table_column column, int64_t *value)
{
	const char *cell = table_cell(t, column);
	const int64_t unit = INT64_C(1000000) / TABLE_PARTS;
	int64_t micro;
	*value = SL_NONE;
	if (!cell)
		return SL_OK;
	if (!sl_get_micro(cell, strlen(cell), &micro) || micro > INT32_MAX * INT64_C(1000000))
		return table_fail_cell(t, column, "a number up to 2147483647");
	if (micro < 0)
		return SL_OK;
	*value = micro / unit + (micro % unit != 0);
	if (is_gpus(column) && *value > TABLE_PARTS && *value % TABLE_PARTS)
		return fail_gpus(t, column, *value);
	return micro % unit ? note_fraction(t, column) : SL_OK;
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
		const int status = is_memory(column)  ? memory_in(t, column, &asked->of[column])
				   : is_parts(column) ? parts_in(t, column, &asked->of[column])
						      : count_in(t, column, &asked->of[column]);
		if (status)
			return status;
	}
	return SL_OK;
}

static int fail_two_ways(struct table *t, enum table_column first, enum table_column second)
{
	const struct sl_place at = table_place(t, (size_t)t->at[second]);
	return sl_fail_at(t->err, &at,
		"asks in two ways, by '%s' and by '%s': leave one of them empty, see schedlab-trace(5)",
		table_column_name(first), table_column_name(second));
}

/* One GPU's memory or profile, which no GPUs stand beside. */
static int one_gpu_in(struct table *t, struct asked *asked)
{
	static const enum table_column others[] = { TABLE_GPUS_PER_TASK, TABLE_GPUS_PER_NODE, TABLE_GPUS };
	const int status = memory_in(t, TABLE_GPU_MEMORY, &asked->gpu_mem);
	if (status)
		return status;
	asked->mig = table_cell(t, TABLE_MIG);
	asked->one_gpu = asked->gpu_mem > 0 || asked->mig;
	if (asked->gpu_mem > 0 && asked->mig)
		return fail_two_ways(t, TABLE_GPU_MEMORY, TABLE_MIG);
	for (size_t i = 0; asked->one_gpu && i < SL_LEN(others); i++)
		if (asked->of[others[i]] > 0)
			return fail_two_ways(t, others[i], asked->mig ? TABLE_MIG : TABLE_GPU_MEMORY);
	return SL_OK;
}

/* ---- Which way --------------------------------------------------------------------------------- */

/* The first cell of that way that says something; a total of nothing says nothing beside another way. */
static enum table_column table_desc_first_of(const struct asked *asked, size_t way, bool zeros)
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
		const enum table_column column =
			table_desc_first_of(asked, i, i != IN_TOTAL || *way == NO_WAY);
		if (column == TABLE_COLUMNS)
			continue;
		if (*way != NO_WAY)
			return fail_two_ways(t, first, column);
		*way = i;
		first = column;
	}
	return SL_OK;
}

/* ---- As tasks -------------------------------------------------------------------------------------- */

static int64_t table_desc_known(int64_t value, int64_t otherwise)
{
	return value == SL_NONE ? otherwise : value;
}

static int64_t table_desc_share(int64_t total, int64_t parts) { return total / parts + (total % parts != 0); }

/* A task that requests a GPU and says nothing of cpus requests none. */
static int64_t cpus_or(int64_t cpus, int64_t gpus, const struct asked *asked)
{
	return table_desc_known(cpus, gpus > 0 || asked->one_gpu ? 0 : TABLE_PARTS);
}

static void tasks_by_task(const struct asked *asked, struct sl_row_group *g)
{
	const int64_t *of = asked->of;
	const int64_t per_node = table_desc_known(of[TABLE_TASKS_PER_NODE], 1);
	g->tasks = of[TABLE_TASKS];
	if (g->tasks == SL_NONE)
		g->tasks = table_desc_known(of[TABLE_NODES], 1) * per_node;
	g->gpus = of[TABLE_GPUS_PER_TASK];
	g->cpus = cpus_or(of[TABLE_CPUS_PER_TASK], g->gpus, asked);
	g->mem = of[TABLE_MEM_PER_TASK];
	g->tasks_per_node = of[TABLE_TASKS_PER_NODE];
	g->tasks_min = of[TABLE_TASKS_MIN];
	g->tasks_max = of[TABLE_TASKS_MAX];
	g->nodes_min = g->nodes_max = of[TABLE_NODES];
}

static void tasks_by_node(const struct asked *asked, struct sl_row_group *g)
{
	const int64_t *of = asked->of;
	g->tasks = table_desc_known(of[TABLE_NODES], 1);
	g->tasks_per_node = 1;
	g->gpus = of[TABLE_GPUS_PER_NODE];
	g->cpus = cpus_or(of[TABLE_CPUS_PER_NODE], g->gpus, asked);
	g->mem = of[TABLE_MEM_PER_NODE];
}

static void tasks_in_total(const struct asked *asked, struct sl_row_group *g)
{
	const int64_t *of = asked->of;
	const int64_t nodes = of[TABLE_NODES];
	const int64_t gpus = table_desc_known(of[TABLE_GPUS], 0);
	const int64_t cpus = cpus_or(of[TABLE_CPUS], gpus, asked);
	const int64_t mem = table_desc_known(of[TABLE_MEMORY], 0);
	const bool one = asked->one_gpu || (gpus > 0 && gpus < TABLE_PARTS);
	/* Wholes are parted as wholes. */
	const int64_t unit = cpus % TABLE_PARTS ? 1 : TABLE_PARTS;
	const bool even = nodes > 0 && cpus / unit % nodes == 0 && gpus / TABLE_PARTS % nodes == 0;
	const int64_t tasks = table_desc_share(gpus ? gpus : cpus, TABLE_PARTS);
	if (one ? nodes == 1 : even)
		g->tasks = nodes;
	else
		g->tasks = one ? 1 : tasks;
	if (one ? nodes == 1 : even)
		g->tasks_per_node = 1;
	else
		g->nodes_min = g->nodes_max = nodes;
	if (g->tasks <= 0) /* Makes no sense, and is said so. */
		return;
	g->gpus = table_desc_share(gpus, g->tasks);
	g->cpus = table_desc_share(cpus / unit, g->tasks) * unit;
	g->mem = table_desc_share(mem, g->tasks);
}

/* Nodes and nothing more: all of each. With a GPU's memory or profile: that of each. */
static void tasks_of_nodes(const struct asked *asked, struct sl_row_group *g)
{
	g->tasks = table_desc_known(asked->of[TABLE_NODES], 1);
	g->cpus = cpus_or(SL_NONE, 0, asked);
	if (asked->of[TABLE_NODES] == SL_NONE)
		return;
	g->tasks_per_node = 1;
	g->exclusive = !asked->one_gpu;
}

/* A text that outlives its line. */
static int keep_type(struct table *t, enum table_column column, const char **kept)
{
	const char *text = table_cell(t, column);
	if (!text)
		return SL_OK;
	for (size_t i = 0; i < t->type_count; i++) {
		if (strcmp(t->type[i], text) != 0)
			continue;
		*kept = t->type[i];
		return SL_OK;
	}
	if (t->type_count == TABLE_TYPES_MAX)
		return table_fail_cell(t, column, "one of at most 1000 types");
	if (!t->type)
		t->type = calloc(TABLE_TYPES_MAX, sizeof(*t->type));
	char *copy = t->type ? strdup(text) : NULL;
	if (!copy)
		return sl_fail_memory(t->err);
	t->type[t->type_count++] = copy;
	*kept = copy;
	return SL_OK;
}

/* Wholes are said as such. */
static void settle_parts(struct sl_row_group *g)
{
	const bool whole = table_desc_known(g->cpus, 0) % TABLE_PARTS == 0 &&
			   table_desc_known(g->gpus, 0) % TABLE_PARTS == 0;
	g->parts = whole ? 0 : TABLE_PARTS;
	if (whole && g->cpus != SL_NONE)
		g->cpus /= TABLE_PARTS;
	if (whole && g->gpus != SL_NONE)
		g->gpus /= TABLE_PARTS;
}

int table_group_in(struct table *t, struct sl_row_group *g)
{
	struct asked asked;
	size_t way;
	bool exclusive;
	bool said;
	*g = (struct sl_row_group){ SL_ROW_GROUP_NOTHING, .mem = SL_NONE, .gpus = SL_NONE };
	int status = asked_in(t, &asked);
	if (!status)
		status = one_gpu_in(t, &asked);
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
	g->nodes_min = table_desc_known(asked.of[TABLE_NODES_MIN], g->nodes_min);
	g->nodes_max = table_desc_known(asked.of[TABLE_NODES_MAX], g->nodes_max);
	g->gpu_mem = table_desc_known(asked.gpu_mem, 0);
	settle_parts(g);
	status = keep_type(t, TABLE_GPU_TYPE, &g->gpu_type);
	return status ? status : keep_type(t, TABLE_MIG, &g->mig);
}

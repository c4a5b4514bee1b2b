/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_instance.c - struct kai: rows by name, marks, decisions.
 */
#include "policies/runai/rules/kai_solve.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kai_fail(struct kai *kai, int status, const char *format, ...)
{
	char text[sizeof(kai->err.text)];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return kai->err.status ? kai->err.status : sl_fail(&kai->err, status, "%s", text);
}

/* Memory for one more row; zeroed. NULL: no memory. */
#define MORE(kai, what)                                                                             \
	row_attributes((kai), (void **)&(kai)->what, &(kai)->what##_count, &(kai)->what##_capacity, \
		sizeof(*(kai)->what))
static void *row_attributes(struct kai *kai, void **array, uint32_t *count, uint32_t *capacity, size_t size)
{
	if (*count == *capacity &&
		sl_array_grow(array, size, capacity, sizeof(*capacity), *count + 1, KAI_ROWS_MAX, &kai->err))
		return NULL;
	return memset((char *)*array + (size_t)(*count)++ * size, 0, size);
}

/* ---- Rows by name ---- */

const char *kai_text(struct kai *kai, const char *text)
{
	if (!text)
		return NULL;
	const uint32_t number = sl_names_add(kai->names, text);
	if (number != KAI_NO)
		return sl_names_text(kai->names, number);
	return (void)sl_fail_memory(&kai->err), "";
}

/* The row of that kind by that name: KAI_NO if there is none yet. NULL: no memory. */
static uint32_t *kai_instance_row_of(struct kai *kai, enum kai_named kind, const char *name)
{
	struct kai_rows *rows = &kai->rows[kind];
	const uint32_t number = sl_names_add(kai->names, name);
	if (number == KAI_NO)
		return (void)sl_fail_memory(&kai->err), NULL;
	const uint32_t before = rows->capacity;
	if (SL_GROW(rows->row, rows->capacity, number + 1, &kai->err))
		return NULL;
	for (uint32_t i = before; i < rows->capacity; i++)
		rows->row[i] = KAI_NO;
	return &rows->row[number];
}

static uint32_t kai_instance_find(const struct kai *kai, enum kai_named kind, const char *name)
{
	const uint32_t number = sl_names_find(kai->names, name);
	return number < kai->rows[kind].capacity ? kai->rows[kind].row[number] : KAI_NO;
}

uint32_t kai_find_queue(const struct kai *kai, const char *name)
{
	return kai_instance_find(kai, KAI_NAMED_QUEUE, name);
}
uint32_t kai_find_node(const struct kai *kai, const char *name)
{
	return kai_instance_find(kai, KAI_NAMED_NODE, name);
}
uint32_t kai_find_topology(const struct kai *kai, const char *name)
{
	return kai_instance_find(kai, KAI_NAMED_TOPOLOGY, name);
}

uint32_t kai_queue(struct kai *kai, const char *name)
{
	uint32_t *row = kai_instance_row_of(kai, KAI_NAMED_QUEUE, name);
	if (!row || *row != KAI_NO)
		return row ? *row : KAI_NO;
	struct kai_queue *queue = MORE(kai, queue);
	if (!queue)
		return KAI_NO;
	*queue = (struct kai_queue){ .name = kai_text(kai, name),
		.parent = KAI_NO,
		.priority = 100,
		.created = kai->queue_count,
		.limit = { { KAI_UNLIMITED, KAI_UNLIMITED, KAI_UNLIMITED } },
		.weight = { 1, 1, 1 },
		.preempt_min = SL_NONE,
		.reclaim_min = SL_NONE,
		.row_outside = KAI_NO };
	return *row = kai->queue_count - 1;
}

uint32_t kai_node(struct kai *kai, const char *name)
{
	uint32_t *row = kai_instance_row_of(kai, KAI_NAMED_NODE, name);
	if (!row || *row != KAI_NO)
		return row ? *row : KAI_NO;
	struct kai_node *node = MORE(kai, node);
	if (!node)
		return KAI_NO;
	*node = (struct kai_node){
		.name = kai_text(kai, name), .pods = 110, .ready = true, .row_outside = KAI_NO
	};
	return *row = kai->node_count - 1;
}

uint32_t kai_topology(struct kai *kai, const char *name)
{
	uint32_t *row = kai_instance_row_of(kai, KAI_NAMED_TOPOLOGY, name);
	if (!row || *row != KAI_NO)
		return row ? *row : KAI_NO;
	struct kai_topology *topology = MORE(kai, topology);
	if (!topology)
		return KAI_NO;
	topology->name = kai_text(kai, name);
	return *row = kai->topology_count - 1;
}

uint32_t kai_mig_profile(struct kai *kai, const char *name)
{
	uint32_t *row = kai_instance_row_of(kai, KAI_NAMED_MIG, name);
	if (!row || *row != KAI_NO)
		return row ? *row : KAI_NO;
	const char **profile = MORE(kai, mig);
	if (!profile)
		return KAI_NO;
	*profile = kai_text(kai, name);
	if (!kai_node_new_profile(kai))
		return KAI_NO;
	return *row = kai->mig_count - 1;
}

/* ---- Marks ---- */

kai_marked kai_mark(struct kai *kai)
{
	kai->marks++;
	return (kai_marked){ kai->journal_count, kai->effect_count };
}

void kai_undo(struct kai *kai, kai_marked mark)
{
	while (kai->journal_count > mark.journal) {
		const struct kai_change *change = &kai->journal[--kai->journal_count];
		*change->cell = change->old;
		/* Each change of a node writes its version. */
		const uintptr_t at = (uintptr_t)change->cell - (uintptr_t)kai->node_version;
		if (at < kai->node_count * sizeof(*kai->node_version))
			kai_stock_note(kai, (uint32_t)(at / sizeof(*kai->node_version)));
	}
	kai->effect_count = mark.effect;
	kai->marks--;
}

void kai_keep(struct kai *kai, kai_marked mark)
{
	(void)mark;
	if (--kai->marks == 0)
		kai->journal_count = 0;
}

void kai_write(struct kai *kai, int64_t *cell, int64_t value)
{
	if (*cell == value)
		return;
	if (kai->marks) {
		if (SL_GROW(kai->journal, kai->journal_capacity, kai->journal_count + 1, &kai->err))
			return;
		kai->journal[kai->journal_count++] = (struct kai_change){ cell, *cell };
	}
	*cell = value;
}

void kai_decision(struct kai *kai, const struct kai_effect *effect)
{
	struct kai_effect *made = MORE(kai, effect);
	if (made)
		*made = *effect;
}

/* ---- Amounts ---- */

int64_t kai_add(int64_t a, int64_t b)
{
	int64_t sum;
	if (a == KAI_UNLIMITED || b == KAI_UNLIMITED)
		return KAI_UNLIMITED;
	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? KAI_UNLIMITED : INT64_MIN;
	return sum;
}

int64_t kai_sub(int64_t a, int64_t b)
{
	int64_t rest;
	if (a == KAI_UNLIMITED)
		return KAI_UNLIMITED;
	if (__builtin_sub_overflow(a, b, &rest))
		return a > 0 ? KAI_UNLIMITED : INT64_MIN;
	return rest;
}

const char *kai_res_name(enum kai_res res)
{
	static const char *const name[KAI_RES] = { "cpu", "memory", "gpu" };
	return name[res];
}

/* ---- Made, and gone ---- */

void kai_config_default(struct kai_config *config)
{
	*config = (struct kai_config){
		.action = { KAI_ALLOCATE, KAI_CONSOLIDATION, KAI_RECLAIM, KAI_PREEMPT, KAI_STALE },
		.action_count = KAI_ACTIONS,
		.gpu_placement = KAI_BINPACK,
		.cpu_placement = KAI_BINPACK,
		.gpu_order = KAI_BINPACK,
		.plugins = KAI_ALL_PLUGINS,
		.consolidating_reclaim = true,
		.consolidation_max = 16,
		.signatures = true,
		.saturation = 1,
		.k = 1,
		.staleness = 60 * SL_SECOND,
		.pods_max = KAI_PODS_MAX,
	};
}

struct kai *kai_new(struct sl_arena *arena)
{
	struct kai *kai = calloc(1, sizeof(*kai));
	if (!kai)
		return NULL;
	kai->arena = arena;
	kai->version = 1; /* Of no search: 0. */
	kai_config_default(&kai->config);
	kai->names = sl_names_new(arena);
	if (!kai->names)
		return free(kai), NULL;
	return kai;
}

void kai_free(struct kai *kai)
{
	if (!kai)
		return;
	kai_stock_free(kai);
	kai_topo_free(kai);
	kai_order_free(kai);
	kai_solve_free(kai);
	kai_share_free(kai);
	for (uint32_t i = 0; i < kai->node_count; i++) {
		free(kai->node[i].mig_count);
		free(kai->node[i].mig_idle);
		free(kai->node[i].mig_releasing);
		free(kai->node[i].shared);
	}
	for (uint32_t i = 0; i < KAI_NAMEDS; i++)
		free(kai->rows[i].row);
	kai_jobs_free(kai);
	free(kai->sealed);
	free(kai->gpus_free);
	free(kai->node_version);
	free(kai->queue);
	free(kai->node);
	free(kai->topology);
	free(kai->mig);
	free(kai->effect);
	free(kai->unsure);
	free(kai->journal);
	sl_names_free(kai->names);
	free(kai);
}

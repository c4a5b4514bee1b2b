/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leaves_accounting.c - free resources of each node, by kind, as jobs allocate and release them; and which
 * nodes are on a leaf.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/place/leaves.h"

/* ---- Leaves -------------------------------------------------------------------------------------------- */

static uint32_t leaves_by_number(struct leaves *l)
{
	const char *text = sl_setting_of(l->cluster, "fabric", "", "nodes_per_leaf");
	int64_t each = 16;
	if (text && (!sl_get_i64(text, strlen(text), &each) || each < 1))
		each = 16; /* A scenario with a fabric gets the error. */
	uint32_t count = 0;
	for (uint32_t node = 0; node < l->cluster->node_count; node++) {
		l->leaf[node] = (uint32_t)(node / each);
		count = l->leaf[node] + 1;
	}
	return count;
}

/* Nodes below no leaf have one of their own. */
static uint32_t leaves_by_switch(struct leaves *l)
{
	const struct sl_cluster *cluster = l->cluster;
	uint32_t count = 0;
	for (uint32_t node = 0; node < cluster->node_count; node++)
		l->leaf[node] = UINT32_MAX;
	for (uint32_t i = 0; i < cluster->switch_count; i++) {
		bool any = false;
		for (uint32_t k = 0; cluster->sw[i].level == 0 && k < cluster->sw[i].node_count; k++)
			if (l->leaf[cluster->sw[i].node[k]] == UINT32_MAX) {
				l->leaf[cluster->sw[i].node[k]] = count;
				any = true;
			}
		count += any;
	}
	for (uint32_t node = 0; node < cluster->node_count; node++)
		if (l->leaf[node] == UINT32_MAX)
			l->leaf[node] = count++;
	return count;
}

struct numbered {
	uint32_t leaf, node;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	return x->leaf != y->leaf ? (x->leaf > y->leaf) - (x->leaf < y->leaf)
				  : (x->node > y->node) - (x->node < y->node);
}

/* As a model numbers them, without gaps. 0: none knows. */
static uint32_t leaves_by_model(struct leaves *l)
{
	const uint32_t nodes = l->cluster->node_count;
	if (!l->sim || sl_leaf_of(l->sim, 0) == UINT32_MAX)
		return 0;
	struct numbered *all = malloc(nodes * sizeof(*all));
	SL_CHECK(all); /* Some bytes for each node. */
	for (uint32_t node = 0; node < nodes; node++)
		all[node] = (struct numbered){ sl_leaf_of(l->sim, node), node };
	qsort(all, nodes, sizeof(*all), compare_numbered);
	uint32_t count = 0;
	for (uint32_t i = 0; i < nodes; i++) {
		count += i && all[i].leaf != all[i - 1].leaf;
		l->leaf[all[i].node] = count;
	}
	free(all);
	return count + 1;
}

void leaves_know(struct leaves *l)
{
	const uint32_t nodes = l->cluster->node_count;
	if (l->leaf_count)
		return;
	l->leaf_count = leaves_by_model(l);
	if (!l->leaf_count)
		l->leaf_count = l->cluster->switch_count ? leaves_by_switch(l) : leaves_by_number(l);
	uint32_t *next = l->first + 1; /* next[leaf + 1] counts, and becomes first[leaf + 1]. */
	for (uint32_t node = 0; node < nodes; node++)
		l->first[l->leaf[node] + 1]++;
	for (uint32_t leaf = 0; leaf < l->leaf_count; leaf++)
		l->first[leaf + 1] += l->first[leaf];
	for (uint32_t leaf = l->leaf_count; leaf-- > 0;)
		next[leaf] = l->first[leaf];
	for (uint32_t node = 0; node < nodes; node++)
		l->by_leaf[next[l->leaf[node]]++] = node;
	l->first[0] = 0;
}

/* ---- Amounts ------------------------------------------------------------------------------------------- */

static const struct sl_node_type *type_of(const struct leaves *l, uint32_t node)
{
	return &l->cluster->type[l->cluster->node_type[node]];
}

static bool is_idle(const struct leaves *l, uint32_t node)
{
	for (uint32_t kind = 0; kind < l->kinds; kind++)
		if (l->free[(size_t)node * l->kinds + kind] != type_of(l, node)->amount[kind])
			return false;
	return true;
}

uint32_t leaves_fit(const struct leaves *l, uint32_t node, const struct sl_group *group)
{
	const int64_t *free = &l->free[(size_t)node * l->kinds];
	const struct sl_task_resources *task = &group->task;
	int64_t fit = group->tasks, gpus = 0;
	if (group->exclusive && !is_idle(l, node))
		return 0;
	if (task->cpus > 0 && free[SL_KIND_CPUS] / task->cpus < fit)
		fit = free[SL_KIND_CPUS] / task->cpus;
	if (task->mem > 0 && free[SL_KIND_MEM] / task->mem < fit)
		fit = free[SL_KIND_MEM] / task->mem;
	if (task->gpus <= 0)
		return (uint32_t)fit;
	for (uint32_t kind = SL_KIND_GPUS; kind < l->kinds; kind++)
		gpus += place_kind_will_do(task, kind) ? free[kind] / task->gpus : 0;
	return (uint32_t)(gpus < fit ? gpus : fit);
}

bool leaves_amounts(
	const struct leaves *l, uint32_t node, const struct sl_group *group, uint32_t tasks, int64_t *amount)
{
	const int64_t *free = &l->free[(size_t)node * l->kinds];
	const struct sl_task_resources *task = &group->task;
	if (group->exclusive && !is_idle(l, node))
		return false;
	memset(amount, 0, l->kinds * sizeof(*amount));
	amount[SL_KIND_CPUS] = task->cpus * tasks;
	amount[SL_KIND_MEM] = free[SL_KIND_MEM] < SL_MEM_UNBOUNDED ? task->mem * tasks : 0;
	if (amount[SL_KIND_CPUS] > free[SL_KIND_CPUS] || amount[SL_KIND_MEM] > free[SL_KIND_MEM])
		return false;
	/* A task's GPUs are of one type. */
	uint32_t left = task->gpus > 0 ? tasks : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < l->kinds && left; kind++) {
		if (!place_kind_will_do(task, kind))
			continue;
		const int64_t fit = free[kind] / task->gpus;
		const uint32_t here = fit < (int64_t)left ? (uint32_t)fit : left;
		amount[kind] = task->gpus * here;
		left -= here;
	}
	for (uint32_t kind = 0; kind < l->kinds && group->exclusive; kind++)
		amount[kind] = free[kind] < SL_MEM_UNBOUNDED ? free[kind] : 0;
	return !left;
}

/* What is without bound stays so. */
static void leaves_accounting_move(int64_t *free, int64_t amount)
{
	*free += *free < SL_MEM_UNBOUNDED ? amount : 0;
}

static void move_amounts(struct leaves *l, const struct leaves_held *held, int64_t sign)
{
	for (uint32_t i = 0; i < held->count; i++) {
		const struct sl_node_alloc *h = &held->node_alloc[i];
		int64_t *free = &l->free[(size_t)h->node * l->kinds];
		leaves_accounting_move(&free[SL_KIND_CPUS], sign * h->cpus);
		leaves_accounting_move(&free[SL_KIND_MEM], sign * h->mem);
		for (uint32_t type = 0; type < l->types; type++)
			leaves_accounting_move(&free[SL_KIND_GPUS + type], sign * h->gpus[type]);
		if (held->crosses)
			l->across[l->leaf[h->node]] -= (uint32_t)sign;
	}
}

/* ---- Allocating and releasing ---------------------------------------------------------------- */

/* The last choice, in one block: the node allocations, then the GPUs of each. */
static struct leaves_held *held_new(const struct leaves *l)
{
	const size_t gpus = (size_t)l->allocs * l->types * sizeof(uint32_t);
	struct leaves_held *held = malloc(sizeof(*held) + l->allocs * sizeof(struct sl_node_alloc) + gpus);
	SL_CHECK(held); /* Some bytes for each node of a job. */
	uint32_t *gpu = (uint32_t *)(void *)&held->node_alloc[l->allocs];
	held->below = NULL;
	held->count = l->allocs;
	held->crosses = false;
	for (uint32_t i = 0; i < l->allocs; i++) {
		held->node_alloc[i] = l->node_alloc[i];
		for (uint32_t type = 0; type < l->types; type++)
			gpu[i * l->types + type] = l->node_alloc[i].gpus[type];
		held->node_alloc[i].gpus = &gpu[(size_t)i * l->types];
		held->crosses |= l->leaf[l->node_alloc[i].node] != l->leaf[l->node_alloc[0].node];
	}
	return held;
}

void leaves_take(void *state, sl_job job)
{
	struct leaves *l = state;
	SL_CHECK(!l->now[job.row]);
	l->now[job.row] = held_new(l);
	move_amounts(l, l->now[job.row], -1);
}

void leaves_untake(void *state, sl_job job)
{
	struct leaves *l = state;
	struct leaves_held *held = l->now[job.row];
	if (!held)
		return;
	move_amounts(l, held, 1);
	l->now[job.row] = NULL;
	free(held);
}

void leaves_give(void *state, sl_job job)
{
	struct leaves *l = state;
	struct leaves_held *held = l->now[job.row];
	if (!held)
		return;
	move_amounts(l, held, 1);
	l->now[job.row] = NULL;
	if (!l->given[job.row])
		l->gave[l->gave_count++] = job.row;
	held->below = l->given[job.row];
	l->given[job.row] = held;
}

void leaves_restore(void *state, sl_job job)
{
	struct leaves *l = state;
	struct leaves_held *held = l->given[job.row];
	if (!held)
		return;
	l->given[job.row] = held->below;
	held->below = NULL;
	l->now[job.row] = held;
	move_amounts(l, held, -1);
	for (size_t i = 0; i < l->gave_count && !l->given[job.row]; i++)
		if (l->gave[i] == job.row)
			l->gave[i--] = l->gave[--l->gave_count];
}

static void leaves_accounting_drop(struct leaves_held **list)
{
	while (*list) {
		struct leaves_held *below = (*list)->below;
		free(*list);
		*list = below;
	}
}

void leaves_forget(void *state)
{
	struct leaves *l = state;
	for (size_t i = 0; i < l->gave_count; i++)
		leaves_accounting_drop(&l->given[l->gave[i]]);
	l->gave_count = 0;
}

size_t leaves_held_by(void *state, sl_job job, const struct sl_node_alloc **node_alloc)
{
	const struct leaves *l = state;
	const struct leaves_held *held = l->now[job.row];
	*node_alloc = held ? held->node_alloc : NULL;
	return held ? held->count : 0;
}

void leaves_release(void *state)
{
	struct leaves *l = state;
	if (!l)
		return; /* It was never made. */
	leaves_forget(l);
	for (uint32_t job = 0; job < l->jobs->count; job++)
		leaves_accounting_drop(&l->now[job]);
}

/* ---- Beginning ----------------------------------------------------------------------------------------- */

static int refuse_asks(const struct leaves *l, struct sl_err *err)
{
	const int64_t parts = sl_parts(l->cluster->gpu_parts);
	for (uint32_t i = 0; i < l->jobs->request_count; i++) {
		const struct sl_request *request = &l->jobs->requests[i];
		if (request->group_count > 1)
			return sl_fail(err, SL_USAGE,
				"jobs have groups of different tasks, which a placement by leaves does not place: take place=pack or spread");
		if (request->group_count && place_asks_some(&request->group[0].task, parts))
			return sl_fail(err, SL_USAGE,
				"jobs ask for shares of GPUs, which a placement by leaves does not give: take place=pack, spread or fgd");
	}
	return SL_OK;
}

int leaves_new(struct leaves **made, const struct sl_setup *setup, unsigned ways, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	const uint32_t nodes = cluster->node_count, jobs = setup->jobs->count;
	struct sl_arena *arena = setup->arena;
	struct leaves *l = sl_alloc(arena, 1, sizeof(*l));
	if (!l)
		return sl_fail_memory(err);
	l->cluster = cluster;
	l->jobs = setup->jobs;
	l->sim = setup->sim;
	l->arena = arena;
	l->ways = ways;
	l->kinds = cluster->kind_count;
	l->types = l->kinds - SL_KIND_GPUS;
	const int status = refuse_asks(l, err);
	if (status)
		return status;
	/* There are at most as many leaves as nodes. */
	l->leaf = sl_alloc(arena, nodes, sizeof(*l->leaf));
	l->first = sl_alloc(arena, (size_t)nodes + 2, sizeof(*l->first));
	l->by_leaf = sl_alloc(arena, nodes, sizeof(*l->by_leaf));
	l->free = sl_alloc(arena, (size_t)nodes * l->kinds, sizeof(*l->free));
	l->across = sl_alloc(arena, nodes, sizeof(*l->across));
	l->now = sl_alloc(arena, jobs + 1, sizeof(struct leaves_held *));
	l->given = sl_alloc(arena, jobs + 1, sizeof(struct leaves_held *));
	l->gave = sl_alloc(arena, jobs + 1, sizeof(*l->gave));
	l->holds = sl_alloc(arena, nodes, sizeof(*l->holds));
	l->sum = sl_alloc(arena, nodes, sizeof(*l->sum));
	l->order = sl_alloc(arena, nodes, sizeof(*l->order));
	l->within = sl_alloc(arena, nodes, sizeof(*l->within));
	l->next = sl_alloc(arena, nodes, sizeof(*l->next));
	l->rank = sl_alloc(arena, nodes, sizeof(*l->rank));
	l->amount = sl_alloc(arena, l->kinds, sizeof(*l->amount));
	l->alloc = sl_alloc(arena, nodes, sizeof(*l->alloc));
	l->best = sl_alloc(arena, nodes, sizeof(*l->best));
	l->node_alloc = sl_alloc(arena, nodes, sizeof(*l->node_alloc));
	l->gpus = sl_alloc(arena, (size_t)nodes * l->types + 1, sizeof(*l->gpus));
	if (!l->leaf || !l->first || !l->by_leaf || !l->free || !l->across || !l->now || !l->given ||
		!l->gave || !l->holds || !l->sum || !l->order || !l->within || !l->next || !l->rank ||
		!l->amount || !l->alloc || !l->best || !l->node_alloc || !l->gpus)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < nodes; node++)
		for (uint32_t kind = 0; kind < l->kinds; kind++)
			l->free[(size_t)node * l->kinds + kind] = type_of(l, node)->amount[kind];
	*made = l;
	return SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_holding.c - starts with given amounts on given nodes, for policies that decide themselves what a
 * request comes to. They end, move and come back like any other.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

const uint64_t *nodes_closed(struct nodes *nodes, uint32_t request, sl_time length)
{
	const size_t words = (nodes->count + 63) / 64;
	if ((!nodes->windows_live && !nodes->shut) || failed(nodes))
		return NULL;
	if (!nodes->closed)
		nodes->closed = malloc(words * sizeof(*nodes->closed));
	if (!nodes->closed) {
		(void)sl_fail_memory(&nodes->err);
		return NULL;
	}
	memset(nodes->closed, 0, words * sizeof(*nodes->closed));
	for (uint32_t row = 0; row < nodes->count; row++)
		if (nodes_is_shut(nodes, row) ||
			!open_for(nodes, nodes->node[row].windows, length, exempt_of(nodes, request)))
			nodes->closed[row / 64] |= UINT64_C(1) << (row % 64);
	return nodes->closed;
}

static int64_t gpus_of(const struct sl_holding *holding, uint32_t kind)
{
	return holding->gpus ? holding->gpus[kind - SL_KIND_GPUS] : 0;
}

/* Is it free there, and no window in the way? */
static bool goes(
	const struct nodes *nodes, uint32_t request, const struct sl_holding *holding, sl_time length)
{
	if (holding->node >= nodes->count || holding->cpus < 0 || holding->mem < 0)
		return false;
	const struct node *node = &nodes->node[holding->node];
	const int64_t *free = free_of(nodes, node->class);
	bool good = !node->whole && open_for(nodes, node->windows, length, exempt_of(nodes, request)) &&
		    holding->cpus <= free[SL_KIND_CPUS] && holding->mem <= free[SL_KIND_MEM];
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		good = good && gpus_of(holding, kind) <= free[kind];
	return good;
}

/* An edge for each type of GPU, and at least one: the first holds cpus, memory and tasks too. Where devices
 * are followed the lowest that are wholly free; false: there are too few. */
static bool take(struct nodes *nodes, const struct sl_holding *holding, struct chain *chain)
{
	const uint32_t type = type_of(nodes, holding->node);
	const int64_t *amount = nodes->cluster->type[type].amount;
	struct edge *edge = &nodes->edge[edge_new(nodes, chain)];
	bool good = true;
	edge->flags = EDGE_GIVEN;
	edge->node = holding->node;
	edge->tasks = holding->tasks;
	edge->cpus = (int32_t)(amount[SL_KIND_CPUS] < UNBOUNDED ? holding->cpus : 0);
	edge->mem = amount[SL_KIND_MEM] < UNBOUNDED ? holding->mem : 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++) {
		if (!gpus_of(holding, kind))
			continue;
		if (edge->gpus) {
			edge_take(nodes, edge);
			edge = &nodes->edge[edge_new(nodes, chain)];
			edge->flags = EDGE_GIVEN;
			edge->node = holding->node;
		}
		edge->gpus = (int32_t)gpus_of(holding, kind);
		edge->kind = (uint8_t)kind;
		if (!devices_lowest(nodes, type, free_of(nodes, nodes->node[holding->node].class), edge)) {
			edge->gpus = 0;
			edge->devices = 0;
			good = false;
		}
	}
	edge_take(nodes, edge);
	return good;
}

/* All of it, or nothing. */
static bool take_all(struct nodes *nodes, uint32_t request, sl_time end, const struct sl_holding *holding,
	size_t count, struct chain *chain)
{
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		good = goes(nodes, request, &holding[i], length_until(nodes, end));
		good = good && take(nodes, &holding[i], chain);
	}
	if (!good && !failed(nodes))
		place_undo(nodes, *chain);
	return good;
}

bool nodes_start_holding(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_holding *holding, size_t count)
{
	struct chain chain = CHAIN_NONE;
	return !failed(nodes) && edges_reserve(nodes, count * nodes->kinds) &&
	       take_all(nodes, request, end, holding, count, &chain) &&
	       hold_begins(nodes, job, request, chain, end);
}

bool nodes_resize_holding(struct nodes *nodes, uint32_t job, const struct sl_holding *holding, size_t count)
{
	struct chain chain = CHAIN_NONE;
	if (failed(nodes) || !nodes->job_hold[job] || !count || !edges_reserve(nodes, count * nodes->kinds))
		return false;
	const uint32_t old = nodes->job_hold[job] - 1;
	const uint32_t request = nodes->edge[old].request;
	const sl_time end = nodes->edge[old].at;
	if (nodes->edge[old].flags & EDGE_SUSPENDED)
		return false;
	hold_leaves(nodes, old, false);
	if (!take_all(nodes, request, end, holding, count, &chain)) {
		if (!failed(nodes))
			hold_leaves(nodes, old, true);
		return false;
	}
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		edge_link(nodes, i, end);
	hold_new(nodes, request, chain);
	nodes->job_hold[job] = chain.first + 1;
	return keep(nodes, KEPT_RESIZE, job, old);
}

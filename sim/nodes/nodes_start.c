/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_start.c - commands: a job starts where the placing puts it, on given nodes, or with given amounts, is
 * suspended and resumed, and ends; each with what undoes it.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

/* ---- Starts ---------------------------------------------------------------------------------- */

bool nodes_start(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end)
{
	struct chain chain;
	return place_now_for(nodes, job, request, length_until(nodes, end), &chain) &&
	       hold_begins(nodes, job, request, chain, end);
}

/* The pieces that were taken are the request's: all tasks, and its bounds on nodes. */
static bool pieces_agree(struct nodes *nodes, uint32_t request, struct chain chain)
{
	const struct sl_piece *piece;
	const size_t count = pieces_of(nodes, chain, &piece);
	const struct sl_request *asked = &nodes->requests[request];
	for (uint32_t i = 0; i < asked->group_count; i++) {
		const struct sl_group *group = &asked->group[i];
		uint64_t tasks = 0;
		uint32_t used = 0;
		for (size_t k = 0; k < count; k++) {
			if (piece[k].group != i)
				continue;
			if (piece[k].tasks > group_bound(group))
				return false;
			tasks += piece[k].tasks;
			used++;
		}
		if (tasks != group->tasks || used < group->nodes_min ||
			(group->nodes_max && used > group->nodes_max))
			return false;
	}
	return true;
}

static bool piece_goes(const struct nodes *nodes, const struct sl_request *asked,
	const struct sl_piece *piece, sl_time length)
{
	if (piece->node >= nodes->count || piece->group >= asked->group_count || !piece->tasks)
		return false;
	const struct node *node = &nodes->node[piece->node];
	return open_for(nodes, node->windows, length, asked->group[0].reservation) &&
	       tasks_on(nodes, &asked->group[piece->group], piece->tasks, type_of(nodes, piece->node),
		       free_of(nodes, node->class), status_of(node->holds, node->whole)) == piece->tasks;
}

bool nodes_start_on(struct nodes *nodes, uint32_t job, uint32_t request, sl_time end,
	const struct sl_piece *piece, size_t count)
{
	const struct sl_request *asked = &nodes->requests[request];
	struct chain chain = CHAIN_NONE;
	if (failed(nodes) || nodes->shape[request].kind == SHAPE_NEVER)
		return false;
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		good = piece_goes(nodes, asked, &piece[i], length_until(nodes, end)) &&
		       edges_reserve(nodes, load_edges(nodes, &asked->group[piece[i].group], piece[i].tasks));
		if (!good)
			break;
		const struct load load = { &asked->group[piece[i].group], piece[i].node, piece[i].tasks,
			piece[i].group };
		node_spends(nodes, &load, &chain);
	}
	if (good && pieces_agree(nodes, request, chain))
		return hold_begins(nodes, job, request, chain, end);
	if (!failed(nodes))
		place_undo(nodes, chain);
	return false;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

void nodes_start_undo(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t hold = hold_of(nodes, job);
	hold_leaves(nodes, hold, false);
	hold_free(nodes, hold);
	nodes->job_hold[job] = 0;
}

void nodes_end(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t hold = hold_of(nodes, job);
	hold_leaves(nodes, hold, false);
	nodes->job_hold[job] = 0;
	(void)keep(nodes, KEPT_END, job, hold);
}

void nodes_restore(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return;
	SL_CHECK(!nodes->job_hold[job]);
	const uint32_t hold = kept_take(nodes, KEPT_END, job);
	nodes->job_hold[job] = hold + 1;
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more) {
		edge_take(nodes, &nodes->edge[i]);
		edge_link(nodes, i, nodes->edge[i].flags & EDGE_SUSPENDED ? SL_NEVER : end);
	}
}

void nodes_forget(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->kept_count; i++)
		hold_free(nodes, nodes->kept[i].hold);
	nodes->kept_count = 0;
}

void nodes_move_end(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return;
	for (uint32_t i = hold_of(nodes, job); i != NONE; i = nodes->edge[i].more) {
		edge_unlink(nodes, i);
		edge_link(nodes, i, end);
	}
}

/* ---- Suspension ------------------------------------------------------------------------------ */

static void edge_shrinks(struct nodes *nodes, uint32_t index)
{
	struct edge *edge = &nodes->edge[index];
	const int64_t mem = nodes->cluster->type[type_of(nodes, edge->node)].amount[SL_KIND_MEM];
	edge_unlink(nodes, index);
	edge_give(nodes, edge);
	if (!(edge->flags & EDGE_GIVEN))
		edge->cpus = edge->gpus = 0;
	if (edge->flags & EDGE_WHOLE)
		edge->mem = mem < UNBOUNDED ? mem : 0;
	edge->flags = EDGE_SUSPENDED | (edge->flags & (EDGE_SLICES | EDGE_GIVEN));
	edge_take(nodes, edge);
	edge_link(nodes, index, SL_NEVER);
}

/* Nobody else runs on its node. */
static bool is_alone(const struct nodes *nodes, const struct edge *edge)
{
	for (uint32_t i = nodes->node[edge->node].first; i != NONE; i = nodes->edge[i].next) {
		const struct edge *other = &nodes->edge[i];
		if (!(other->flags & (EDGE_PROMISE | EDGE_SUSPENDED | EDGE_SHUT)) &&
			other->hold != edge->hold)
			return false;
	}
	return true;
}

/* As it was before it was suspended; false if that is not free. */
static bool edge_grows(struct nodes *nodes, uint32_t index, const struct sl_group *group, sl_time end)
{
	struct edge *edge = &nodes->edge[index];
	const int64_t cpus = nodes->cluster->type[type_of(nodes, edge->node)].amount[SL_KIND_CPUS];
	const struct edge was = *edge;
	edge_give(nodes, edge);
	edge->flags &= (uint8_t)~EDGE_SUSPENDED;
	const bool exclusive = group->exclusive && !(edge->flags & EDGE_GIVEN);
	if (exclusive) {
		edge->flags |= EDGE_WHOLE;
		edge->mem = 0;
	} else if (!(edge->flags & EDGE_GIVEN)) {
		edge->cpus =
			(int32_t)(cpus < UNBOUNDED && group->task.cpus > 0 ? edge->tasks * group->task.cpus
									   : 0);
		edge->gpus = group->task.gpus > 0 ? device_gpus(nodes, &group->task, edge) : 0;
	}
	const bool fits = edge_fits(nodes, edge) && (!exclusive || is_alone(nodes, edge));
	if (!fits)
		*edge = was;
	edge_take(nodes, edge);
	if (fits) {
		edge_unlink(nodes, index);
		edge_link(nodes, index, end);
	}
	return fits;
}

void nodes_suspend(struct nodes *nodes, uint32_t job)
{
	if (failed(nodes))
		return;
	const uint32_t hold = hold_of(nodes, job);
	SL_CHECK(!(nodes->edge[hold].flags & EDGE_SUSPENDED));
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		edge_shrinks(nodes, i);
}

/* All edges or none. */
static bool hold_grows(struct nodes *nodes, uint32_t hold, sl_time end)
{
	const struct sl_group *group = nodes->requests[nodes->edge[hold].request].group;
	uint32_t i = hold;
	while (i != NONE && edge_grows(nodes, i, &group[nodes->edge[i].group], end))
		i = nodes->edge[i].more;
	for (uint32_t k = hold; i != NONE && k != i; k = nodes->edge[k].more)
		edge_shrinks(nodes, k);
	return i == NONE;
}

bool nodes_resume(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (failed(nodes))
		return false;
	const uint32_t hold = hold_of(nodes, job);
	SL_CHECK(nodes->edge[hold].flags & EDGE_SUSPENDED);
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more)
		if (nodes_is_shut(nodes, nodes->edge[i].node) ||
			!open_for(nodes, nodes->node[nodes->edge[i].node].windows, length_until(nodes, end),
				exempt_of(nodes, nodes->edge[hold].request)))
			return false;
	return hold_grows(nodes, hold, end);
}

void nodes_suspend_undo(struct nodes *nodes, uint32_t job, sl_time end)
{
	if (!failed(nodes))
		SL_CHECK(hold_grows(nodes, hold_of(nodes, job), end));
}

/* ---- With given amounts on given nodes, for policies that decide themselves what a request comes to ---- */

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
	return hold_replaced(nodes, job, chain);
}

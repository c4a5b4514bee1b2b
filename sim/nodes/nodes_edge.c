/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_edge.c - the store, at its top: edges in their nodes' lists, what is free on a node at a time; edges
 * and holds are taken off nodes and given back.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- A node at a time ------------------------------------------------------------------------ */

void moment_now(const struct nodes *nodes, uint32_t row, struct moment *m)
{
	const struct node *node = &nodes->node[row];
	const int64_t *free = free_of(nodes, node->class);
	m->free[SL_KIND_CPUS] = free[SL_KIND_CPUS];
	m->free[SL_KIND_MEM] = free[SL_KIND_MEM];
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds; kind++)
		m->free[kind] = free[kind];
	for (uint32_t i = nodes->kinds; i < nodes->width; i++)
		m->free[i] = free[i];
	m->holds = node->holds;
	m->whole = node->whole;
}

bool lacks(const struct nodes *nodes, uint32_t type, const int64_t *free)
{
	for (uint32_t kind = 0; kind < nodes->kinds; kind++)
		if (free[kind] < 0)
			return true;
	return nodes->devices && devices_lack(nodes, type, free);
}

void moment_apply(const struct nodes *nodes, const struct edge *edge, bool back, struct moment *m)
{
	const int64_t sign = ((edge->flags & EDGE_BEGIN) != 0) == back ? 1 : -1;
	m->holds -= (uint32_t)sign;
	if (!(edge->flags & (EDGE_WHOLE | EDGE_SHUT))) {
		amounts_apply(nodes, edge, sign, m->free);
		return;
	}
	m->whole -= (uint32_t)sign;
	if (edge->flags & EDGE_SHUT) { /* It holds nothing. */
		m->holds += (uint32_t)sign;
		return;
	}
	const int64_t *amount = nodes->cluster->type[type_of(nodes, edge->node)].amount;
	for (uint32_t kind = 0; kind < nodes->kinds; kind++)
		if (amount[kind] < UNBOUNDED)
			m->free[kind] += sign * amount[kind];
	if (nodes->devices)
		devices_whole(nodes, type_of(nodes, edge->node), sign, m->free);
}

void moment_at(const struct nodes *nodes, uint32_t row, sl_time at, struct moment *m)
{
	moment_now(nodes, row, m);
	for (uint32_t i = nodes->node[row].first; i != NONE && nodes->edge[i].at <= at;
		i = nodes->edge[i].next)
		if (!(nodes->edge[i].flags & EDGE_PROMISE))
			moment_apply(nodes, &nodes->edge[i], false, m);
}

/* All that happens at one time, from edge `i` on; returns the edge behind. */
static uint32_t apply_instant(const struct nodes *nodes, uint32_t i, bool promises, struct moment *m)
{
	const sl_time at = nodes->edge[i].at;
	for (; i != NONE && nodes->edge[i].at == at; i = nodes->edge[i].next)
		if (promises || !(nodes->edge[i].flags & EDGE_PROMISE))
			moment_apply(nodes, &nodes->edge[i], false, m);
	return i;
}

enum node_status span_of(const struct nodes *nodes, uint32_t row, const struct span *span, int64_t *free)
{
	const bool promises = span->promises;
	struct moment m;
	moment_now(nodes, row, &m);
	uint32_t i = nodes->node[row].first;
	while (i != NONE && nodes->edge[i].at <= span->from)
		i = apply_instant(nodes, i, promises, &m);
	memcpy(free, m.free, nodes->width * sizeof(*free));
	bool held = m.holds;
	bool whole = m.whole;
	while (promises && i != NONE && nodes->edge[i].at < span->until) {
		i = apply_instant(nodes, i, true, &m);
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			free[kind] = m.free[kind] < free[kind] ? m.free[kind] : free[kind];
		if (nodes->devices)
			devices_least(nodes, type_of(nodes, row), m.free, free);
		held |= m.holds != 0;
		whole |= m.whole != 0;
	}
	if (nodes->devices)
		devices_sum(nodes, type_of(nodes, row), free);
	if (nodes->windows_live && nodes->node[row].windows &&
		span->until > horizon_of(nodes, nodes->node[row].windows, span->from, span->exempt))
		return NODE_WHOLE;
	return status_of(held, whole);
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* What lies ahead of the node is another from now on. */
static void node_changed(struct nodes *nodes, uint32_t node)
{
	nodes->version++;
	nodes->log[nodes->log_count++ % LOG] = node;
	if (nodes->node[node].changed)
		return;
	nodes->node[node].changed = true;
	nodes->changed[nodes->changed_count++] = node;
	if (nodes->least) /* It will be written to soon. */
		__builtin_prefetch(&nodes->least[(size_t)node * nodes->columns], 1);
}

void node_renewed(struct nodes *nodes, uint32_t row)
{
	struct moment m;
	moment_now(nodes, row, &m);
	node_moves(nodes, row, m.free);
	node_changed(nodes, row);
}

/* What lies ahead is followed without promises. */
static void edge_changed(struct nodes *nodes, const struct edge *edge)
{
	if (edge->flags & EDGE_PROMISE)
		nodes->version++;
	else
		node_changed(nodes, edge->node);
}

void edge_link(struct nodes *nodes, uint32_t index, sl_time at)
{
	struct edge *edge = &nodes->edge[index];
	struct node *node = &nodes->node[edge->node];
	SL_CHECK(!(edge->flags & EDGE_LINKED));
	edge->at = at;
	edge->flags |= EDGE_LINKED;
	uint32_t before = node->last;
	while (before != NONE && nodes->edge[before].at > at)
		before = nodes->edge[before].before;
	edge->before = before;
	edge->next = before == NONE ? node->first : nodes->edge[before].next;
	*(before == NONE ? &node->first : &nodes->edge[before].next) = index;
	*(edge->next == NONE ? &node->last : &nodes->edge[edge->next].before) = index;
	edge_changed(nodes, edge);
}

void edge_unlink(struct nodes *nodes, uint32_t index)
{
	struct edge *edge = &nodes->edge[index];
	struct node *node = &nodes->node[edge->node];
	SL_CHECK(edge->flags & EDGE_LINKED);
	edge->flags &= (uint8_t)~EDGE_LINKED;
	*(edge->before == NONE ? &node->first : &nodes->edge[edge->before].next) = edge->next;
	*(edge->next == NONE ? &node->last : &nodes->edge[edge->next].before) = edge->before;
	edge_changed(nodes, edge);
}

/* ---- Taking and giving ----------------------------------------------------------------------- */

static struct edge *edge_of(struct nodes *nodes, const struct load *load, uint32_t tasks, struct chain *chain)
{
	struct edge *edge = &nodes->edge[edge_new(nodes, chain)];
	edge->node = load->node;
	edge->group = load->index;
	edge->tasks = tasks;
	return edge;
}

void edges_spend(struct nodes *nodes, const struct load *load, int64_t *free, struct chain *chain)
{
	const struct sl_demand *task = &load->group->task;
	const int64_t *amount = nodes->cluster->type[type_of(nodes, load->node)].amount;
	if (load->group->exclusive) {
		edge_of(nodes, load, load->tasks, chain)->flags = EDGE_WHOLE;
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			free[kind] = amount[kind] < UNBOUNDED ? 0 : free[kind];
		if (nodes->devices)
			memset(&free[nodes->kinds], 0, nodes->devices * sizeof(*free));
		return;
	}
	if (nodes->devices && task->gpus > 0) {
		devices_spend(nodes, load, free, chain);
		return;
	}
	uint32_t left = load->tasks;
	for (uint32_t kind = SL_KIND_GPUS; left; kind++) {
		uint32_t here = left;
		if (task->gpus > 0) {
			SL_CHECK(kind < nodes->kinds); /* More tasks than fit. */
			here = kind_will_do(task, kind) ? share_of(left, free[kind], task->gpus) : 0;
		}
		if (!here)
			continue;
		struct edge *edge = edge_of(nodes, load, here, chain);
		edge->cpus =
			(int32_t)(amount[SL_KIND_CPUS] < UNBOUNDED && task->cpus > 0 ? here * task->cpus : 0);
		edge->mem = amount[SL_KIND_MEM] < UNBOUNDED && task->mem > 0 ? here * task->mem : 0;
		edge->gpus = (int32_t)(task->gpus > 0 ? here * task->gpus : 0);
		edge->kind = (uint8_t)(edge->gpus ? kind : 0);
		free[SL_KIND_CPUS] -= edge->cpus;
		free[SL_KIND_MEM] -= edge->mem;
		if (edge->gpus)
			free[kind] -= edge->gpus;
		left -= here;
	}
}

static void node_becomes(struct nodes *nodes, uint32_t row, const struct moment *m)
{
	struct node *node = &nodes->node[row];
	const int64_t *free = free_of(nodes, node->class);
	int64_t *idle = nodes_is_shut(nodes, row) ? nodes->shut_free : nodes->idle;
	if (nodes->devices)
		SL_CHECK(!devices_lack(nodes, type_of(nodes, row), m->free));
	for (uint32_t kind = 0; kind < nodes->kinds; kind++) {
		SL_CHECK(m->free[kind] >= 0); /* Given out twice. */
		idle[kind] += m->free[kind] - free[kind];
	}
	nodes->busy = nodes->busy + (m->holds != 0) - (node->holds != 0);
	node->holds = m->holds;
	node->whole = m->whole;
	node_moves(nodes, row, m->free);
}

void node_spends(struct nodes *nodes, const struct load *load, struct chain *chain)
{
	struct moment m;
	moment_now(nodes, load->node, &m);
	const uint32_t last = chain->last;
	edges_spend(nodes, load, m.free, chain);
	for (uint32_t i = last == NONE ? chain->first : nodes->edge[last].more; i != NONE;
		i = nodes->edge[i].more)
		m.holds++;
	m.whole += load->group->exclusive;
	node_becomes(nodes, load->node, &m);
}

void edge_take(struct nodes *nodes, const struct edge *edge)
{
	struct moment m;
	moment_now(nodes, edge->node, &m);
	moment_apply(nodes, edge, true, &m);
	node_becomes(nodes, edge->node, &m);
}

void edge_give(struct nodes *nodes, const struct edge *edge)
{
	struct moment m;
	moment_now(nodes, edge->node, &m);
	moment_apply(nodes, edge, false, &m);
	node_becomes(nodes, edge->node, &m);
}

bool edge_fits(const struct nodes *nodes, const struct edge *edge)
{
	struct moment m;
	moment_now(nodes, edge->node, &m);
	if (m.whole > nodes_is_shut(nodes, edge->node)) /* What comes back to a shut node was there before. */
		return false;
	moment_apply(nodes, edge, true, &m);
	return !lacks(nodes, type_of(nodes, edge->node), m.free);
}

/* ---- Holds of jobs --------------------------------------------------------------------------- */

/* What was taken becomes the job's. */
bool hold_begins(struct nodes *nodes, uint32_t job, uint32_t request, struct chain chain, sl_time end)
{
	SL_CHECK(!nodes->job_hold[job]);
	hold_new(nodes, request, chain);
	nodes->job_hold[job] = chain.first + 1;
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		edge_link(nodes, i, end);
	return !failed(nodes);
}

sl_time length_until(const struct nodes *nodes, sl_time end)
{
	sl_time length;
	return end == SL_NEVER || __builtin_sub_overflow(end, nodes->now, &length) ? SL_NEVER : length;
}

void hold_leaves(struct nodes *nodes, uint32_t hold, bool back)
{
	for (uint32_t i = hold; i != NONE; i = nodes->edge[i].more) {
		if (back) {
			edge_take(nodes, &nodes->edge[i]);
			edge_link(nodes, i, nodes->edge[i].at);
		} else {
			edge_unlink(nodes, i);
			edge_give(nodes, &nodes->edge[i]);
		}
	}
}

/* What was taken in place of what the job has, which is kept for undo. */
bool hold_replaced(struct nodes *nodes, uint32_t job, struct chain chain)
{
	const uint32_t old = hold_of(nodes, job);
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		edge_link(nodes, i, nodes->edge[old].at);
	hold_new(nodes, nodes->edge[old].request, chain);
	nodes->job_hold[job] = chain.first + 1;
	return keep(nodes, KEPT_RESIZE, job, old);
}

void place_undo(struct nodes *nodes, struct chain chain)
{
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		edge_give(nodes, &nodes->edge[i]);
	chain_free(nodes, chain);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_edge.c - edges in their nodes' lists, what is free on a node at a time, and holds with their edges.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- A node at a time --------------------------------------------------------------------- */

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

/* ---- Edges ------------------------------------------------------------------------------------ */

void *lines_new(size_t count, size_t size)
{
	const size_t line = 64;
	if (!count || count > SIZE_MAX / 2 / size)
		return NULL;
	const size_t bytes = (count * size + line - 1) / line * line;
	void *made = aligned_alloc(line, bytes);
	return made ? memset(made, 0, bytes) : NULL;
}

bool edges_reserve(struct nodes *nodes, size_t more)
{
	const size_t wanted = nodes->edge_used + more;
	if (failed(nodes))
		return false;
	if (wanted <= nodes->edge_capacity)
		return true;
	size_t capacity = nodes->edge_capacity ? nodes->edge_capacity : SL_OR_TINY(256, 4);
	while (capacity < wanted)
		capacity *= 2;
	struct edge *edge = capacity < NONE ? lines_new(capacity, sizeof(*edge)) : NULL;
	if (!edge)
		return sl_fail_memory(&nodes->err) == SL_OK;
	if (nodes->edge_used)
		memcpy(edge, nodes->edge, nodes->edge_used * sizeof(*edge));
	free(nodes->edge);
	nodes->edge = edge;
	nodes->edge_capacity = capacity;
	return true;
}

/* There is room: see edges_reserve. */
uint32_t edge_new(struct nodes *nodes, struct chain *chain)
{
	uint32_t index = nodes->edge_spare;
	if (index != NONE)
		nodes->edge_spare = nodes->edge[index].more;
	else
		index = nodes->edge_used++;
	SL_CHECK(index < nodes->edge_capacity);
	nodes->edge[index] = (struct edge){ .next = NONE, .before = NONE, .more = NONE };
	if (chain->last == NONE)
		chain->first = index;
	else
		nodes->edge[chain->last].more = index;
	chain->last = index;
	return index;
}

void chain_free(struct nodes *nodes, struct chain chain)
{
	if (chain.first == NONE)
		return;
	nodes->edge[chain.last].more = nodes->edge_spare;
	nodes->edge_spare = chain.first;
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

/* ---- Taking and giving --------------------------------------------------------------------------- */

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

/* ---- Holds ------------------------------------------------------------------------------------------ */

void hold_new(struct nodes *nodes, uint32_t request, struct chain chain)
{
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more)
		nodes->edge[i].hold = chain.first;
	nodes->edge[chain.first].last = chain.last;
	nodes->edge[chain.first].request = request;
}

void hold_free(struct nodes *nodes, uint32_t hold) { chain_free(nodes, chain_of(nodes, hold)); }

bool keep(struct nodes *nodes, enum kept_what what, uint32_t job, uint32_t hold)
{
	if (SL_GROW(nodes->kept, nodes->kept_capacity, nodes->kept_count + 1, &nodes->err))
		return false;
	nodes->kept[nodes->kept_count].what = what;
	nodes->kept[nodes->kept_count].job = job;
	nodes->kept[nodes->kept_count++].hold = hold;
	return true;
}

/* The last that was kept of the job: commands are taken back last first, so it is near the end. */
uint32_t kept_take(struct nodes *nodes, enum kept_what what, uint32_t job)
{
	size_t i = nodes->kept_count;
	while (i && (nodes->kept[i - 1].job != job || nodes->kept[i - 1].what != what))
		i--;
	SL_CHECK(i); /* Nothing was given back. */
	const uint32_t hold = nodes->kept[i - 1].hold;
	nodes->kept_count--;
	memmove(&nodes->kept[i - 1], &nodes->kept[i], (nodes->kept_count - i + 1) * sizeof(*nodes->kept));
	return hold;
}

/* ---- Pieces ------------------------------------------------------------------------------------------- */

static bool piece_before(const struct sl_piece *a, const struct sl_piece *b)
{
	return a->node != b->node ? a->node < b->node : a->group < b->group;
}

static int piece_compare(const void *a, const void *b)
{
	return piece_before(a, b) ? -1 : piece_before(b, a);
}

size_t pieces_of(struct nodes *nodes, struct chain chain, const struct sl_piece **piece)
{
	size_t count = 0;
	bool sorted = true;
	for (uint32_t i = chain.first; i != NONE; i = nodes->edge[i].more) {
		const struct edge *edge = &nodes->edge[i];
		if (edge->flags & EDGE_BEGIN)
			continue;
		if (SL_GROW(nodes->piece, nodes->piece_capacity, count + 1, &nodes->err))
			return 0;
		nodes->piece[count] = (struct sl_piece){ .node = edge->node,
			.group = edge->group,
			.tasks = edge->tasks,
			.devices = devices_of(nodes, edge) };
		sorted &= !count || !piece_before(&nodes->piece[count], &nodes->piece[count - 1]);
		count++;
	}
	if (!sorted) /* What compares equal is joined. */
		qsort(nodes->piece, count, sizeof(*nodes->piece), piece_compare);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		const struct sl_piece here = nodes->piece[i];
		if (kept && !piece_before(&nodes->piece[kept - 1], &here))
			nodes->piece[kept - 1].tasks += here.tasks;
		else
			nodes->piece[kept++] = here;
		nodes->piece[kept - 1].devices |= here.devices;
	}
	*piece = nodes->piece;
	return kept;
}

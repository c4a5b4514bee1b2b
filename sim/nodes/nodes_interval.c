/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_interval.c - the store, at its top: intervals in their nodes' lists, what is free on a node at a
 * time; allocating and releasing.
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
	m->allocations = node->allocations;
	m->whole = node->whole;
}

bool lacks(const struct nodes *nodes, uint32_t type, const int64_t *free)
{
	for (uint32_t kind = 0; kind < nodes->kinds; kind++)
		if (free[kind] < 0)
			return true;
	return nodes->devices && devices_lack(nodes, type, free);
}

void moment_apply(const struct nodes *nodes, const struct interval *interval, bool back, struct moment *m)
{
	const int64_t sign = ((interval->flags & INTERVAL_BEGIN) != 0) == back ? 1 : -1;
	m->allocations -= (uint32_t)sign;
	if (!(interval->flags & (INTERVAL_WHOLE | INTERVAL_UNAVAILABLE))) {
		amounts_apply(nodes, interval, sign, m->free);
		return;
	}
	m->whole -= (uint32_t)sign;
	if (interval->flags & INTERVAL_UNAVAILABLE) { /* It has no resources. */
		m->allocations += (uint32_t)sign;
		return;
	}
	const int64_t *amount = nodes->cluster->type[type_of(nodes, interval->node)].amount;
	for (uint32_t kind = 0; kind < nodes->kinds; kind++)
		if (amount[kind] < UNBOUNDED)
			m->free[kind] += sign * amount[kind];
	if (nodes->devices)
		devices_whole(nodes, type_of(nodes, interval->node), sign, m->free);
}

void moment_at(const struct nodes *nodes, uint32_t row, sl_time at, struct moment *m)
{
	moment_now(nodes, row, m);
	for (uint32_t i = nodes->node[row].first; i != NONE && nodes->interval[i].at <= at;
		i = nodes->interval[i].next)
		if (!(nodes->interval[i].flags & INTERVAL_PROMISE))
			moment_apply(nodes, &nodes->interval[i], false, m);
}

/* All that happens at one time, from interval `i` on; returns the interval behind. */
static uint32_t apply_instant(const struct nodes *nodes, uint32_t i, bool promises, struct moment *m)
{
	const sl_time at = nodes->interval[i].at;
	for (; i != NONE && nodes->interval[i].at == at; i = nodes->interval[i].next)
		if (promises || !(nodes->interval[i].flags & INTERVAL_PROMISE))
			moment_apply(nodes, &nodes->interval[i], false, m);
	return i;
}

enum node_status free_window_of(
	const struct nodes *nodes, uint32_t row, const struct free_window *free_window, int64_t *free)
{
	const bool promises = free_window->promises;
	struct moment m;
	moment_now(nodes, row, &m);
	uint32_t i = nodes->node[row].first;
	while (i != NONE && nodes->interval[i].at <= free_window->from)
		i = apply_instant(nodes, i, promises, &m);
	memcpy(free, m.free, nodes->width * sizeof(*free));
	bool held = m.allocations;
	bool whole = m.whole;
	while (promises && i != NONE && nodes->interval[i].at < free_window->until) {
		i = apply_instant(nodes, i, true, &m);
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			free[kind] = m.free[kind] < free[kind] ? m.free[kind] : free[kind];
		if (nodes->devices)
			devices_least(nodes, type_of(nodes, row), m.free, free);
		held |= m.allocations != 0;
		whole |= m.whole != 0;
	}
	if (nodes->devices)
		devices_sum(nodes, type_of(nodes, row), free);
	if (nodes->windows_live && nodes->node[row].windows &&
		free_window->until >
			horizon_of(nodes, nodes->node[row].windows, free_window->from, free_window->exempt))
		return NODE_WHOLE;
	return status_of(held, whole);
}

/* ---- Intervals ----------------------------------------------------------------------------------- */

/* The node's future changes. */
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
	node_freed(nodes, row);
}

/* The cached future is without promises. */
static void interval_changed(struct nodes *nodes, const struct interval *interval)
{
	if (interval->flags & INTERVAL_PROMISE)
		nodes->version++;
	else
		node_changed(nodes, interval->node);
}

void interval_link(struct nodes *nodes, uint32_t index, sl_time at)
{
	struct interval *interval = &nodes->interval[index];
	struct node *node = &nodes->node[interval->node];
	SL_CHECK(!(interval->flags & INTERVAL_LINKED));
	interval->at = at;
	interval->flags |= INTERVAL_LINKED;
	uint32_t before = node->last;
	while (before != NONE && nodes->interval[before].at > at)
		before = nodes->interval[before].before;
	interval->before = before;
	interval->next = before == NONE ? node->first : nodes->interval[before].next;
	*(before == NONE ? &node->first : &nodes->interval[before].next) = index;
	*(interval->next == NONE ? &node->last : &nodes->interval[interval->next].before) = index;
	interval_changed(nodes, interval);
}

void interval_unlink(struct nodes *nodes, uint32_t index)
{
	struct interval *interval = &nodes->interval[index];
	struct node *node = &nodes->node[interval->node];
	SL_CHECK(interval->flags & INTERVAL_LINKED);
	interval->flags &= (uint8_t)~INTERVAL_LINKED;
	/* What had ended by now, as planned, frees nothing. */
	if (nodes->sooner && !(interval->flags & INTERVAL_BEGIN) && interval->at > nodes->now)
		sooner_freed(nodes, interval->node);
	*(interval->before == NONE ? &node->first : &nodes->interval[interval->before].next) = interval->next;
	*(interval->next == NONE ? &node->last : &nodes->interval[interval->next].before) = interval->before;
	interval_changed(nodes, interval);
}

/* ---- Allocating and releasing ----------------------------------------------------------------------- */

static struct interval *interval_of(
	struct nodes *nodes, const struct load *load, uint32_t tasks, struct chain *chain)
{
	struct interval *interval = &nodes->interval[interval_new(nodes, chain)];
	interval->node = load->node;
	interval->group = load->index;
	interval->tasks = tasks;
	return interval;
}

void intervals_spend(struct nodes *nodes, const struct load *load, int64_t *free, struct chain *chain)
{
	const struct sl_task_resources *task = &load->group->task;
	const int64_t *amount = nodes->cluster->type[type_of(nodes, load->node)].amount;
	if (load->group->exclusive) {
		interval_of(nodes, load, load->tasks, chain)->flags = INTERVAL_WHOLE;
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
		struct interval *interval = interval_of(nodes, load, here, chain);
		interval->cpus =
			(int32_t)(amount[SL_KIND_CPUS] < UNBOUNDED && task->cpus > 0 ? here * task->cpus : 0);
		interval->mem = amount[SL_KIND_MEM] < UNBOUNDED && task->mem > 0 ? here * task->mem : 0;
		interval->gpus = (int32_t)(task->gpus > 0 ? here * task->gpus : 0);
		interval->kind = (uint8_t)(interval->gpus ? kind : 0);
		free[SL_KIND_CPUS] -= interval->cpus;
		free[SL_KIND_MEM] -= interval->mem;
		if (interval->gpus)
			free[kind] -= interval->gpus;
		left -= here;
	}
}

static void node_becomes(struct nodes *nodes, uint32_t row, const struct moment *m)
{
	struct node *node = &nodes->node[row];
	const int64_t *free = free_of(nodes, node->class);
	int64_t *idle = nodes_is_unavailable(nodes, row) ? nodes->unavailable_free : nodes->idle;
	if (nodes->devices)
		SL_CHECK(!devices_lack(nodes, type_of(nodes, row), m->free));
	for (uint32_t kind = 0; kind < nodes->kinds; kind++) {
		SL_CHECK(m->free[kind] >= 0); /* Allocated twice. */
		idle[kind] += m->free[kind] - free[kind];
	}
	nodes->busy = nodes->busy + (m->allocations != 0) - (node->allocations != 0);
	node->allocations = m->allocations;
	node->whole = m->whole;
	node_moves(nodes, row, m->free);
}

void node_spends(struct nodes *nodes, const struct load *load, struct chain *chain)
{
	struct moment m;
	moment_now(nodes, load->node, &m);
	const uint32_t last = chain->last;
	intervals_spend(nodes, load, m.free, chain);
	for (uint32_t i = last == NONE ? chain->first : nodes->interval[last].more; i != NONE;
		i = nodes->interval[i].more)
		m.allocations++;
	m.whole += load->group->exclusive;
	node_becomes(nodes, load->node, &m);
}

void interval_take(struct nodes *nodes, const struct interval *interval)
{
	struct moment m;
	moment_now(nodes, interval->node, &m);
	moment_apply(nodes, interval, true, &m);
	node_becomes(nodes, interval->node, &m);
}

void interval_give(struct nodes *nodes, const struct interval *interval)
{
	struct moment m;
	moment_now(nodes, interval->node, &m);
	moment_apply(nodes, interval, false, &m);
	node_becomes(nodes, interval->node, &m);
}

bool interval_fits(const struct nodes *nodes, const struct interval *interval)
{
	struct moment m;
	moment_now(nodes, interval->node, &m);
	if (m.whole > nodes_is_unavailable(nodes,
			      interval->node)) /* What is released on an unavailable node was there before. */
		return false;
	moment_apply(nodes, interval, true, &m);
	return !lacks(nodes, type_of(nodes, interval->node), m.free);
}

/* ---- Allocations of jobs --------------------------------------------------------------------------- */

/* What was allocated becomes the job's. */
bool allocation_begins(struct nodes *nodes, uint32_t job, uint32_t request, struct chain chain, sl_time end)
{
	SL_CHECK(!nodes->job_allocation[job]);
	allocation_new(nodes, request, chain);
	nodes->job_allocation[job] = chain.first + 1;
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more)
		interval_link(nodes, i, end);
	return !failed(nodes);
}

sl_time length_until(const struct nodes *nodes, sl_time end)
{
	sl_time length;
	return end == SL_NEVER || __builtin_sub_overflow(end, nodes->now, &length) ? SL_NEVER : length;
}

void allocation_leaves(struct nodes *nodes, uint32_t allocation, bool back)
{
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more) {
		if (back) {
			interval_take(nodes, &nodes->interval[i]);
			interval_link(nodes, i, nodes->interval[i].at);
		} else {
			interval_unlink(nodes, i);
			interval_give(nodes, &nodes->interval[i]);
		}
	}
}

/* What was allocated replaces the job's allocation, which is kept for undo. */
bool allocation_replaced(struct nodes *nodes, uint32_t job, struct chain chain)
{
	const uint32_t old = allocation_of(nodes, job);
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more)
		interval_link(nodes, i, nodes->interval[old].at);
	allocation_new(nodes, nodes->interval[old].request, chain);
	nodes->job_allocation[job] = chain.first + 1;
	return keep(nodes, KEPT_RESIZE, job, old);
}

void place_undo(struct nodes *nodes, struct chain chain)
{
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more)
		interval_give(nodes, &nodes->interval[i]);
	chain_free(nodes, chain);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_check.c - for --check: everything counted again, and a digest of what undo must restore.
 */
#include "sim/nodes/nodes_parts.h"

/* Free resources, and those that all intervals of running jobs release, add up to the node. */
static void node_check(const struct nodes *nodes, uint32_t row)
{
	const struct node *node = &nodes->node[row];
	struct moment m;
	moment_now(nodes, row, &m);
	uint32_t before = NONE;
	for (uint32_t i = node->first; i != NONE; i = nodes->interval[i].next) {
		const struct interval *interval = &nodes->interval[i];
		SL_CHECK(interval->flags & INTERVAL_LINKED && interval->node == row &&
			 interval->before == before);
		SL_CHECK(before == NONE || nodes->interval[before].at <= interval->at);
		if (!(interval->flags & INTERVAL_PROMISE))
			moment_apply(nodes, interval, false, &m);
		before = i;
	}
	SL_CHECK(node->last == before);
	SL_CHECK(!m.allocations && !m.whole);
	const int64_t *empty = empty_of(nodes, type_of(nodes, row));
	for (uint32_t i = 0; i < nodes->width; i++)
		SL_CHECK(m.free[i] == empty[i]);
}

static void allocation_check(const struct nodes *nodes, uint32_t allocation, bool promise)
{
	uint32_t last = NONE;
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more) {
		const struct interval *interval = &nodes->interval[i];
		SL_CHECK(interval->flags & INTERVAL_LINKED && interval->allocation == allocation);
		SL_CHECK(((interval->flags & INTERVAL_PROMISE) != 0) == promise);
		SL_CHECK(interval->at == nodes->interval[allocation].at || interval->flags & INTERVAL_BEGIN);
		SL_CHECK(interval->at == SL_NEVER || !(interval->flags & INTERVAL_SUSPENDED));
		last = i;
	}
	SL_CHECK(nodes->interval[allocation].last == last);
}

static void sums_check(const struct nodes *nodes)
{
	int64_t idle[SL_KINDS_MAX] = { 0 };
	int64_t unavailable[SL_KINDS_MAX] = { 0 };
	uint32_t busy = 0;
	for (uint32_t row = 0; row < nodes->count; row++) {
		struct moment m;
		moment_now(nodes, row, &m);
		busy += m.allocations != 0;
		if (nodes->devices)
			devices_check(nodes, type_of(nodes, row), m.free);
		for (uint32_t kind = 0; kind < nodes->kinds; kind++)
			if (nodes->cluster->type[type_of(nodes, row)].amount[kind] < UNBOUNDED)
				(nodes_is_unavailable(nodes, row) ? unavailable : idle)[kind] += m.free[kind];
	}
	SL_CHECK(busy == nodes->busy);
	for (uint32_t kind = 0; kind < nodes->kinds; kind++)
		SL_CHECK(idle[kind] == nodes->idle[kind] &&
			 unavailable[kind] == nodes->unavailable_free[kind]);
}

void nodes_check(struct nodes *nodes)
{
	if (failed(nodes))
		return;
	for (uint32_t row = 0; row < nodes->count; row++)
		node_check(nodes, row);
	for (uint32_t job = 0; job < nodes->job_count; job++) {
		if (nodes->job_allocation[job])
			allocation_check(nodes, nodes->job_allocation[job] - 1, false);
		if (nodes->job_promise[job])
			allocation_check(nodes, nodes->job_promise[job] - 1, true);
	}
	sums_check(nodes);
	classes_check(nodes);
	ahead_check(nodes);
	gauges_check(nodes);
}

/* ---- Digest ---------------------------------------------------------------------------------- */

static uint64_t folded(uint64_t h, int64_t value)
{
	const unsigned __int128 product = (unsigned __int128)(h ^ UINT64_C(0x9e3779b97f4a7c15)) *
					  ((uint64_t)value ^ UINT64_C(0xd6e8feb86659fd93));
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t allocation_digest(const struct nodes *nodes, uint64_t h, uint32_t job, uint32_t allocation)
{
	h = folded(h, job);
	h = folded(h, nodes->interval[allocation].request);
	for (uint32_t i = allocation; i != NONE; i = nodes->interval[i].more) {
		const struct interval *interval = &nodes->interval[i];
		h = folded(h, interval->at);
		h = folded(h, interval->node);
		h = folded(h, interval->cpus);
		h = folded(h, interval->mem);
		h = folded(h, interval->gpus);
		h = folded(h, (int64_t)interval->tasks << 32 | (int64_t)interval->group << 16 |
				      interval->kind << 8 | interval->flags);
		h = nodes->devices ? folded(h, interval->devices) : h;
	}
	return h;
}

uint64_t nodes_digest(struct nodes *nodes)
{
	uint64_t h = folded(1, nodes->now);
	for (uint32_t row = 0; row < nodes->count; row++) {
		struct moment m;
		moment_now(nodes, row, &m);
		h = folded(h, (int64_t)m.allocations << 32 | m.whole);
		for (uint32_t i = 0; i < nodes->width; i++)
			h = folded(h, m.free[i]);
		for (uint32_t set = nodes->node[row].windows; set; set = nodes->set[set].parent)
			h = folded(h, nodes->set[set].window);
	}
	for (uint32_t job = 0; job < nodes->job_count; job++) {
		if (nodes->job_allocation[job])
			h = allocation_digest(nodes, h, job, nodes->job_allocation[job] - 1);
		if (nodes->job_promise[job])
			h = allocation_digest(nodes, folded(h, 1), job, nodes->job_promise[job] - 1);
	}
	for (uint32_t i = 0; i < nodes->window_count; i++)
		h = folded(folded(h, nodes->window[i].from), nodes->window[i].until);
	return h;
}

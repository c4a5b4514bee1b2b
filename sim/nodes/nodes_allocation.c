/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_allocation.c - the store, at the bottom: intervals from a pool, chains of them, the allocations that
 * they form, and those that were released and can be restored.
 *
 * Nothing here knows what is free: an interval is allocated on a node, and released, in nodes_interval.c.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Intervals ----------------------------------------------------------------------------------- */

void *lines_new(size_t count, size_t size)
{
	const size_t line = 64;
	if (!count || count > SIZE_MAX / 2 / size)
		return NULL;
	const size_t bytes = (count * size + line - 1) / line * line;
	void *made = aligned_alloc(line, bytes);
	return made ? memset(made, 0, bytes) : NULL;
}

bool intervals_reserve(struct nodes *nodes, size_t more)
{
	const size_t wanted = nodes->interval_used + more;
	if (failed(nodes))
		return false;
	if (wanted <= nodes->interval_capacity)
		return true;
	size_t capacity = nodes->interval_capacity ? nodes->interval_capacity : SL_OR_TINY(256, 4);
	while (capacity < wanted)
		capacity *= 2;
	struct interval *interval = capacity < NONE ? lines_new(capacity, sizeof(*interval)) : NULL;
	if (!interval)
		return sl_fail_memory(&nodes->err) == SL_OK;
	if (nodes->interval_used)
		memcpy(interval, nodes->interval, nodes->interval_used * sizeof(*interval));
	free(nodes->interval);
	nodes->interval = interval;
	nodes->interval_capacity = capacity;
	return true;
}

/* The capacity is there: see intervals_reserve. */
uint32_t interval_new(struct nodes *nodes, struct chain *chain)
{
	uint32_t index = nodes->interval_spare;
	if (index != NONE)
		nodes->interval_spare = nodes->interval[index].more;
	else
		index = nodes->interval_used++;
	SL_CHECK(index < nodes->interval_capacity);
	nodes->interval[index] = (struct interval){ .next = NONE, .before = NONE, .more = NONE };
	if (chain->last == NONE)
		chain->first = index;
	else
		nodes->interval[chain->last].more = index;
	chain->last = index;
	return index;
}

void chain_free(struct nodes *nodes, struct chain chain)
{
	if (chain.first == NONE)
		return;
	nodes->interval[chain.last].more = nodes->interval_spare;
	nodes->interval_spare = chain.first;
}

/* ---- Allocations ----------------------------------------------------------------------------------- */

/* How many intervals there are from this one on. */
size_t chain_length(const struct nodes *nodes, uint32_t first)
{
	size_t count = 0;
	for (uint32_t i = first; i != NONE; i = nodes->interval[i].more)
		count++;
	return count;
}

void allocation_new(struct nodes *nodes, uint32_t request, struct chain chain)
{
	for (uint32_t i = chain.first; i != NONE; i = nodes->interval[i].more)
		nodes->interval[i].allocation = chain.first;
	nodes->interval[chain.first].last = chain.last;
	nodes->interval[chain.first].request = request;
}

void allocation_free(struct nodes *nodes, uint32_t allocation)
{
	chain_free(nodes, chain_of(nodes, allocation));
}

bool keep(struct nodes *nodes, enum kept_what what, uint32_t job, uint32_t allocation)
{
	if (SL_GROW_MOST(
		    nodes->kept, nodes->kept_capacity, nodes->kept_count + 1, SIZE_MAX / 64, &nodes->err))
		return false;
	nodes->kept[nodes->kept_count].what = what;
	nodes->kept[nodes->kept_count].job = job;
	nodes->kept[nodes->kept_count++].allocation = allocation;
	return true;
}

/* The last that was kept of the job: commands are undone last first, so it is near the end. */
uint32_t kept_take(struct nodes *nodes, enum kept_what what, uint32_t job)
{
	size_t i = nodes->kept_count;
	while (i && (nodes->kept[i - 1].job != job || nodes->kept[i - 1].what != what))
		i--;
	SL_CHECK(i); /* Nothing was released. */
	const uint32_t allocation = nodes->kept[i - 1].allocation;
	nodes->kept_count--;
	memmove(&nodes->kept[i - 1], &nodes->kept[i], (nodes->kept_count - i + 1) * sizeof(*nodes->kept));
	return allocation;
}

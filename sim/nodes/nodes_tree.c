/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_tree.c - future capacity for requests that need one node: a tree over the nodes of the earliest time
 * at which it fits on each, as allocations end.
 *
 * All cached requests share the tree, each a column of it, since a node that
 * changes changes for all: what is next to be looked at lies side by side.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

/* ---- Keeping it ------------------------------------------------------------------------------ */

/* Of these cache entries, in one walk over the node's intervals. */
void unit_times(
	const struct nodes *nodes, const uint32_t *cache_entry, uint32_t count, uint32_t row, sl_time *time)
{
	const struct node *node = &nodes->node[row];
	const uint32_t *units = &nodes->class_units[(size_t)node->class * CACHE_ENTRIES];
	uint32_t wait[CACHE_ENTRIES] = { 0 }; /* Which of them do not fit yet. */
	uint32_t waiting = 0;
	for (uint32_t i = 0; i < count; i++) {
		time[i] = units[cache_entry[i]] ? ALWAYS : SL_NEVER;
		wait[waiting] = i;
		waiting += !units[cache_entry[i]];
	}
	if (!waiting)
		return;
	struct moment m;
	moment_now(nodes, row, &m);
	for (uint32_t next = node->first; next != NONE && waiting;) {
		const struct interval *interval = &nodes->interval[next];
		const sl_time at = interval->at;
		if (at == SL_NEVER)
			return;
		if (!(interval->flags & INTERVAL_PROMISE))
			moment_apply(nodes, interval, false, &m);
		next = interval->next;
		if (next != NONE && nodes->interval[next].at == at)
			continue;
		uint32_t still = 0;
		for (uint32_t k = 0; k < waiting; k++) {
			const uint32_t request = nodes->cache_entry[cache_entry[wait[k]]].request;
			const bool fits =
				units_on(nodes, &nodes->shape[request], nodes->requests[request].group,
					type_of(nodes, row), m.free, status_of(m.allocations, m.whole));
			if (fits)
				time[wait[k]] = at;
			else
				wait[still++] = wait[k];
		}
		waiting = still;
	}
}

static sl_time least_below(const struct nodes *nodes, uint32_t cache_entry, uint32_t level, uint32_t index)
{
	const uint32_t first = index * WAYS;
	const uint32_t left = nodes->level_count[level - 1] - first;
	const uint32_t count = left < WAYS ? left : WAYS;
	const sl_time *time = &column(nodes, cache_entry, level - 1)[(size_t)first * nodes->columns];
	sl_time least = *time;
	for (uint32_t i = 1; i < count; i++) {
		time += nodes->columns;
		least = *time < least ? *time : least;
	}
	return least;
}

void tree_update(const struct nodes *nodes, uint32_t cache_entry, uint32_t row, sl_time time)
{
	sl_time *leaf = &column(nodes, cache_entry, 0)[(size_t)row * nodes->columns];
	sl_time was = *leaf;
	*leaf = time;
	uint32_t index = row;
	for (uint32_t level = 1; level < nodes->levels && was != time; level++) {
		index /= WAYS;
		sl_time *here = &column(nodes, cache_entry, level)[(size_t)index * nodes->columns];
		const sl_time before = *here;
		if (time < before)
			*here = time;
		else if (was == before)
			*here = time = least_below(nodes, cache_entry, level, index);
		else
			return; /* Neither was it the least, nor is it now. */
		was = before;
	}
}

/* More columns: the others are recomputed when queried. */
static bool tree_widen(struct nodes *nodes)
{
	const uint32_t step = SL_OR_TINY(8, 1);
	free(nodes->least);
	nodes->columns = (nodes->cache_entries + step - 1) / step * step;
	nodes->least = lines_new((size_t)nodes->level_all * nodes->columns, sizeof(*nodes->least));
	for (uint32_t i = 0; i < nodes->cache_entries; i++)
		if (nodes->shape[nodes->cache_entry[i].request].kind == SHAPE_UNIT)
			nodes->cache_entry[i].ahead = false;
	return nodes->least || sl_fail_memory(&nodes->err) == SL_OK;
}

bool tree_build(struct nodes *nodes, uint32_t cache_entry)
{
	if (cache_entry >= nodes->columns && !tree_widen(nodes))
		return false;
	for (uint32_t row = 0; row < nodes->count; row++)
		unit_times(nodes, &cache_entry, 1, row,
			&column(nodes, cache_entry, 0)[(size_t)row * nodes->columns]);
	for (uint32_t level = 1; level < nodes->levels; level++)
		for (uint32_t i = 0; i < nodes->level_count[level]; i++)
			column(nodes, cache_entry, level)[(size_t)i * nodes->columns] =
				least_below(nodes, cache_entry, level, i);
	return true;
}

void tree_check(const struct nodes *nodes, uint32_t cache_entry)
{
	for (uint32_t row = 0; row < nodes->count; row++) {
		sl_time time;
		unit_times(nodes, &cache_entry, 1, row, &time);
		SL_CHECK(least_at(nodes, cache_entry, 0, row) == time);
	}
	for (uint32_t level = 1; level < nodes->levels; level++)
		for (uint32_t i = 0; i < nodes->level_count[level]; i++)
			SL_CHECK(least_at(nodes, cache_entry, level, i) ==
				 least_below(nodes, cache_entry, level, i));
}

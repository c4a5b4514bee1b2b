/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_unavailable.c - commands: nodes on which nothing starts, for as long as they are unavailable: down,
 * or drained.
 *
 * An unavailable node has one interval more, as if it were allocated to an exclusive job until then, but
 * without resources: searches of the future and classes see it as wholly allocated, and running jobs run on.
 * What is free on it is not idle; it is counted apart.
 *
 * A node may be late instead: it can be allocated, but after those that are ready at once.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

/* What is free there goes from one count to the other. */
static void count_over(struct nodes *nodes, uint32_t row, int64_t *from, int64_t *to)
{
	const int64_t *free = free_of(nodes, nodes->node[row].class);
	const int64_t *amount = nodes->cluster->type[type_of(nodes, row)].amount;
	for (uint32_t kind = 0; kind < nodes->kinds; kind++) {
		if (amount[kind] >= UNBOUNDED)
			continue;
		from[kind] -= free[kind];
		to[kind] += free[kind];
	}
}

static bool unavailable_init(struct nodes *nodes)
{
	if (!nodes->unavailable)
		nodes->unavailable = calloc(nodes->count, sizeof(*nodes->unavailable));
	if (!nodes->unavailable)
		(void)sl_fail_memory(&nodes->err);
	return nodes->unavailable != NULL;
}

void nodes_unavailable(struct nodes *nodes, uint32_t row, sl_time until)
{
	if (failed(nodes) || !unavailable_init(nodes))
		return;
	if (nodes->unavailable[row]) {
		const uint32_t index = nodes->unavailable[row] - 1;
		if (nodes->interval[index].at == until)
			return;
		interval_unlink(nodes, index);
		interval_link(nodes, index, until);
		return;
	}
	struct chain chain = CHAIN_NONE;
	if (!intervals_reserve(nodes, 1))
		return;
	const uint32_t index = interval_new(nodes, &chain);
	nodes->interval[index].node = row;
	nodes->interval[index].flags = INTERVAL_UNAVAILABLE;
	allocation_new(nodes, 0, chain);
	interval_link(nodes, index, until);
	count_over(nodes, row, nodes->idle, nodes->unavailable_free);
	nodes->unavailable[row] = index + 1;
	nodes->node[row].whole++;
	node_renewed(nodes, row);
}

void nodes_open(struct nodes *nodes, uint32_t row)
{
	if (failed(nodes) || !nodes_is_unavailable(nodes, row))
		return;
	const uint32_t index = nodes->unavailable[row] - 1;
	interval_unlink(nodes, index);
	chain_free(nodes, (struct chain){ index, index });
	count_over(nodes, row, nodes->unavailable_free, nodes->idle);
	nodes->unavailable[row] = 0;
	nodes->node[row].whole--;
	node_renewed(nodes, row);
}

void nodes_late(struct nodes *nodes, uint32_t row, uint8_t late)
{
	struct node *node = &nodes->node[row];
	SL_CHECK(late < NODES_LATE);
	if (failed(nodes) || node->late == late)
		return;
	nodes->late_count += late != 0;
	nodes->late_count -= node->late != 0;
	node->late = late;
	node_renewed(nodes, row);
}

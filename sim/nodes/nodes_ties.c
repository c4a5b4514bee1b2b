/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_ties.c - the store: which of several nodes of the same score goes first: the lowest, the first by
 * name, any, or the first in an order that is drawn once a run.
 *
 * Any: the one with the least of a hash of seed, job and node. Nothing is
 * drawn, so that neither the order of questions nor undo can change it.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

struct named {
	const char *name;
	uint32_t row;
};

static int named_compare(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int rank_by_name(struct nodes *nodes)
{
	struct named *named = malloc(nodes->count * sizeof(*named));
	if (!named)
		return sl_fail_memory(&nodes->err);
	for (uint32_t row = 0; row < nodes->count; row++)
		named[row] = (struct named){ nodes->cluster->node_name[row], row };
	qsort(named, nodes->count, sizeof(*named), named_compare);
	for (uint32_t i = 0; i < nodes->count; i++)
		nodes->rank[named[i].row] = i;
	free(named);
	return SL_OK;
}

static void rank_by_lot(struct nodes *nodes)
{
	struct sl_rng rng = sl_rng_stream(nodes->scorer.seed, "nodes/ties");
	for (uint32_t row = 0; row < nodes->count; row++) {
		const uint32_t other = (uint32_t)sl_rng_below(&rng, (uint64_t)row + 1);
		nodes->rank[row] = nodes->rank[other];
		nodes->rank[other] = row;
	}
}

int ties_init(struct nodes *nodes)
{
	const bool by_name = nodes->scorer.ties == SL_TIES_NAME && nodes->cluster->node_name;
	const bool by_lot = nodes->scorer.ties == SL_TIES_SHUFFLE;
	free(nodes->rank);
	nodes->rank = NULL;
	ties_for(nodes, NONE);
	if (!by_name && !by_lot)
		return SL_OK;
	nodes->rank = malloc(nodes->count * sizeof(*nodes->rank));
	if (!nodes->rank)
		return sl_fail_memory(&nodes->err);
	if (by_name)
		return rank_by_name(nodes);
	if (nodes->cluster->node_shuffled)
		memcpy(nodes->rank, nodes->cluster->node_shuffled, nodes->count * sizeof(*nodes->rank));
	else
		rank_by_lot(nodes);
	return SL_OK;
}

void ties_for(struct nodes *nodes, uint32_t job)
{
	if (by_chance(nodes))
		nodes->lot = mixed(mixed(nodes->scorer.seed) + job + 1);
}

void nodes_for(struct nodes *nodes, uint32_t job) { nodes->asker = job; }

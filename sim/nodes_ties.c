/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_ties.c - which of several nodes of the same score goes first: the lowest, the first by name, the
 * first in an order by chance that is the same for all jobs, or any.
 *
 * Any: the one with the least of a hash of seed, job and node. Nothing is
 * drawn, so that neither the order of questions nor undo can change it.
 */
#include "sim/nodes_parts.h"

#include <stdlib.h>
#include <string.h>

struct named {
	const char *name;
	uint64_t lot; /* Without names. */
	uint32_t row;
};

static int named_compare(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	const int order = x->name ? strcmp(x->name, y->name) : (x->lot > y->lot) - (x->lot < y->lot);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

int ties_init(struct nodes *nodes)
{
	free(nodes->rank);
	nodes->rank = NULL;
	ties_for(nodes, NONE);
	const bool shuffled = nodes->placing.ties == SL_TIES_SHUFFLED;
	const bool by_name = nodes->placing.ties == SL_TIES_NAME && nodes->cluster->node_name;
	if (!shuffled && !by_name)
		return SL_OK;
	struct named *named = malloc(nodes->count * sizeof(*named));
	nodes->rank = malloc(nodes->count * sizeof(*nodes->rank));
	if (!named || !nodes->rank) {
		free(named);
		return sl_fail_memory(&nodes->err);
	}
	for (uint32_t row = 0; row < nodes->count; row++)
		named[row] = (struct named){ by_name ? nodes->cluster->node_name[row] : NULL,
			mixed(mixed(nodes->placing.seed) + row + 1), row };
	qsort(named, nodes->count, sizeof(*named), named_compare);
	for (uint32_t i = 0; i < nodes->count; i++)
		nodes->rank[named[i].row] = i;
	free(named);
	return SL_OK;
}

void ties_for(struct nodes *nodes, uint32_t job)
{
	if (by_chance(nodes))
		nodes->lot = mixed(mixed(nodes->placing.seed) + job + 1);
}

void nodes_for(struct nodes *nodes, uint32_t job) { nodes->asker = job; }

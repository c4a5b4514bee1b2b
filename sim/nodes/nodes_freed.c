/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_freed.c - the nodes in the order in which something was last freed on them, now or later: what a
 * promise that was the soonest once could move to since then.
 *
 * Kept from the first question on (nodes_sooner.c): whoever asks none pays nothing.
 */
#include "sim/nodes/nodes_parts.h"

#include <stdlib.h>

void sooner_freed(struct nodes *nodes, uint32_t row)
{
	struct sooner *sooner = nodes->sooner;
	struct freed_node *node = &sooner->node[row];
	if (sooner->quiet)
		return;
	node->at = ++sooner->count;
	node->question = 0;
	if (sooner->newest == row)
		return;
	sooner->node[node->newer].older = node->older;
	if (node->older != NONE)
		sooner->node[node->older].newer = node->newer;
	node->older = sooner->newest;
	node->newer = NONE;
	sooner->node[sooner->newest].newer = row;
	sooner->newest = row;
}

bool sooner_init(struct nodes *nodes)
{
	if (nodes->sooner)
		return true;
	struct sooner *sooner = calloc(1, sizeof(*sooner));
	nodes->sooner = sooner;
	if (sooner) {
		sooner->node = malloc(nodes->count * sizeof(*sooner->node));
		sooner->settled = calloc(nodes->job_count ? nodes->job_count : 1, sizeof(*sooner->settled));
	}
	if (!sooner || !sooner->node || !sooner->settled) {
		(void)sl_fail_memory(&nodes->err);
		sooner_free(nodes);
		return false;
	}
	sooner->count = 1;
	sooner->mover = NONE;
	for (uint32_t row = 0; row < nodes->count; row++)
		sooner->node[row] = (struct freed_node){ .at = 1,
			.newer = row ? row - 1 : NONE,
			.older = row + 1 < nodes->count ? row + 1 : NONE };
	return true;
}

void sooner_free(struct nodes *nodes)
{
	if (!nodes->sooner)
		return;
	free(nodes->sooner->node);
	free(nodes->sooner->settled);
	free(nodes->sooner);
	nodes->sooner = NULL;
}

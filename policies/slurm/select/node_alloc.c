/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_alloc.c - what the node selection allocates, in the engine's amounts; see node_alloc.h.
 */
#include "policies/slurm/select/node_alloc.h"

#include <string.h>

struct node_alloc_gpus node_alloc_gpus_of(const struct sl_cluster *cluster, const struct select *select)
{
	struct node_alloc_gpus of = { cluster, UINT32_MAX, cluster->kind_count - SL_KIND_GPUS };
	for (uint32_t i = 0; i < select_gres_count(select); i++)
		if (strcmp(select_gres_name(select, i), "gpu") == 0)
			of.gres = i;
	return of;
}

void node_alloc_count(
	const struct node_alloc_gpus *of, const struct select_node_alloc *node_alloc, uint32_t *gpus)
{
	const struct sl_cluster *cluster = of->cluster;
	memset(gpus, 0, of->types * sizeof(*gpus));
	const struct sl_hardware *hardware = cluster->type[cluster->node_type[node_alloc->node]].hardware;
	if (of->gres == UINT32_MAX || !node_alloc->gres || !hardware)
		return;
	const uint64_t devices = node_alloc->gres[of->gres].devices;
	uint32_t device = 0;
	for (uint32_t i = 0; i < hardware->gres_count; i++) {
		const struct sl_gres *gres = &hardware->gres[i];
		if (strcmp(gres->name, "gpu") != 0)
			continue;
		const char *name = gres->type ? gres->type : "gpu";
		uint32_t type = 0;
		while (type < of->types && strcmp(cluster->kind_name[SL_KIND_GPUS + type], name) != 0)
			type++;
		for (int64_t k = 0; k < gres->count && device < 64; k++, device++)
			if (type < of->types)
				gpus[type] += (uint32_t)(devices >> device & 1);
	}
}

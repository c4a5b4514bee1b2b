/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_alloc.h - allocations as scontrol -d shows them: "n[2-3] cpu=3 mem=100 gpu:1(IDX:0);n4 cpu=2-3
 * mem=100".
 */
#ifndef SL_SLURM_ALLOC_H
#define SL_SLURM_ALLOC_H

#include "policies/slurm/select/select.h"

/* Whose nodes and devices are meant. */
struct slurm_machine {
	const struct sl_cluster *cluster;
	struct select *select;
	struct sl_arena *arena;
	struct select_node_alloc *node_alloc; /* Room for every node: what was read last, by node. */
};

/* How many pieces; 0: it cannot be read. */
uint32_t slurm_alloc_read(struct slurm_machine *m, const char *text);
/* One piece after the other, whatever fits into room. */
void slurm_alloc_put(const struct slurm_machine *m, const struct select_node_alloc *node_alloc,
	uint32_t count, char *text, size_t capacity);
bool slurm_alloc_same(const struct slurm_machine *m, const struct select_node_alloc *a, uint32_t a_count,
	const struct select_node_alloc *b, uint32_t b_count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_seal.c - after what is configured has changed: the tree of queues, nodes by name, and all accounting
 * anew.
 */
#include "policies/runai/rules/kai_solve.h"

#include <stdlib.h>
#include <string.h>

/* Depths, and that they go in no circle. */
static int deepen(struct kai *kai)
{
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		uint32_t depth = 0;
		for (uint32_t at = kai->queue[i].parent; at != KAI_NO; at = kai->queue[at].parent)
			if (++depth > KAI_DEPTH_MAX)
				return kai_fail(kai, SL_INPUT,
					"queue '%s': more than %d queues are above it, or they go in a circle",
					kai->queue[i].name, KAI_DEPTH_MAX);
		kai->queue[i].depth = depth;
	}
	return 0;
}

/* Children stand together, by row. */
static void adopt(struct kai *kai, uint32_t *headroom)
{
	uint32_t *at = headroom;
	for (uint32_t parent = 0; parent <= kai->queue_count; parent++) {
		const uint32_t of = parent < kai->queue_count ? parent : KAI_NO;
		uint32_t *first = at;
		if (of != KAI_NO && kai->queue[of].child_count == 0)
			continue;
		for (uint32_t i = 0; i < kai->queue_count; i++)
			if (kai->queue[i].parent == of)
				*at++ = i;
		if (of != KAI_NO) {
			kai->queue[of].child = first;
		} else {
			kai->root = first;
			kai->root_count = (uint32_t)(at - first);
		}
	}
}

static void count_children(struct kai *kai)
{
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		kai->queue[i].child = NULL;
		kai->queue[i].child_count = 0;
	}
	for (uint32_t i = 0; i < kai->queue_count; i++)
		if (kai->queue[i].parent != KAI_NO)
			kai->queue[kai->queue[i].parent].child_count++;
}

struct named {
	const char *name;
	uint32_t row;
};

static int kai_seal_by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int rank_nodes(struct kai *kai, uint32_t *cause, uint32_t *rank)
{
	struct named *named = calloc((size_t)kai->node_count + 1, sizeof(*named));
	if (!named)
		return sl_fail_memory(&kai->err);
	for (uint32_t i = 0; i < kai->node_count; i++)
		named[i] = (struct named){ kai->node[i].name, i };
	qsort(named, kai->node_count, sizeof(*named), kai_seal_by_name);
	for (uint32_t i = 0; i < kai->node_count; i++) {
		cause[i] = named[i].row;
		rank[named[i].row] = i;
	}
	free(named);
	kai->node_by_name = cause;
	kai->node_rank = rank;
	kai->node_words = ((size_t)kai->node_count + 63) / 64;
	return 0;
}

enum { UNKNOWN_MEMORY = 100 }; /* MiB: a label of at most that says nothing. */

static void device_memory(struct kai *kai)
{
	kai->gpu_mem_least = kai->gpu_mem_most = 0;
	for (uint32_t i = 0; i < kai->node_count; i++) {
		const int64_t mem = kai->node[i].gpu_mem;
		if (mem <= UNKNOWN_MEMORY)
			continue;
		if (!kai->gpu_mem_least || mem < kai->gpu_mem_least)
			kai->gpu_mem_least = mem;
		if (mem > kai->gpu_mem_most)
			kai->gpu_mem_most = mem;
	}
	if (!kai->gpu_mem_least)
		kai->gpu_mem_least = kai->gpu_mem_most = UNKNOWN_MEMORY;
}

/* What tasks hold and request, into empty accounting. */
static void recount(struct kai *kai)
{
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		struct kai_queue *queue = &kai->queue[i];
		queue->request = queue->allocated = queue->allocated_np = (struct kai_vec){ 0 };
	}
	for (uint32_t i = 0; i < kai->node_count; i++)
		kai_node_clear(kai, i);
	for (uint32_t i = 0; i < kai->job_count; i++) {
		const struct kai_job *job = &kai->job[i];
		for (uint32_t k = 0; k < job->task_count; k++)
			kai_recount_task(kai, job->task + k);
	}
}

static bool make_rows(struct kai *kai)
{
	free(kai->gpus_free);
	free(kai->node_version);
	kai->gpus_free = calloc((size_t)kai->node_count + 1, sizeof(*kai->gpus_free));
	kai->node_version = calloc((size_t)kai->node_count + 1, sizeof(*kai->node_version));
	return kai->gpus_free && kai->node_version;
}

int kai_seal(struct kai *kai)
{
	uint32_t *headroom =
		calloc((size_t)kai->queue_count + 2 * (size_t)kai->node_count + 1, sizeof(*headroom));
	if (!headroom)
		return sl_fail_memory(&kai->err);
	free(kai->sealed);
	kai->sealed = headroom;
	if (!make_rows(kai))
		return sl_fail_memory(&kai->err);
	if (deepen(kai) != 0 || rank_nodes(kai, headroom + kai->queue_count,
					headroom + kai->queue_count + kai->node_count) != 0)
		return kai->err.status;
	if (!kai_stock_seal(kai))
		return kai->err.status;
	kai->total_known = false;
	count_children(kai);
	adopt(kai, headroom);
	device_memory(kai);
	recount(kai);
	kai_topo_seal(kai);
	kai_share_seal(kai);
	return kai->err.status;
}

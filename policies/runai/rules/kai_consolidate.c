/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_consolidate.c - the action consolidation: jobs are moved so that one more fits; nobody loses its place.
 * (KAI: actions/consolidation.) Of a bounded number of candidates KAI takes any; here the oldest, by name.
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

struct aged {
	sl_time created;
	const char *name;
	uint32_t job;
};

static int by_age(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;
	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->job > y->job) - (x->job < y->job);
}

/* The oldest of them, in order: maxNumberConsolidationPreemptees, and one (KAI counts so). */
static bool cut(struct kai *kai, struct kai_rows_list *list)
{
	const int64_t most = kai->config.consolidation_max;
	if (most < 0 || list->count <= (uint64_t)most + 1)
		return true;
	const uint32_t headroom = (uint32_t)most + 1;
	struct aged *aged = calloc(headroom, sizeof(*aged));
	uint32_t count = 0;
	if (!aged)
		return (void)sl_fail_memory(&kai->err), false;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct kai_job *job = &kai->job[list->row[i]];
		const struct aged one = { job->created, job->name, list->row[i] };
		if (count == headroom && by_age(&one, &aged[count - 1]) > 0)
			continue;
		uint32_t at = count < headroom ? count++ : count - 1;
		for (; at && by_age(&one, &aged[at - 1]) < 0; at--)
			aged[at] = aged[at - 1];
		aged[at] = one;
	}
	list->count = count;
	for (uint32_t i = 0; i < count; i++)
		list->row[i] = aged[i].job;
	free(aged);
	return true;
}

static bool candidates(struct kai *kai, const struct kai_aim *aim, struct kai_rows_list *list)
{
	for (uint32_t i = 0; (i = kai_list_next(kai, KAI_ACTIVE, i)) != KAI_NO; i++) {
		const struct kai_job *job = &kai->job[i];
		if (i == aim->job || !job->preemptible)
			continue;
		if (!kai_rows_add(kai, list, i))
			return false;
	}
	return list->count > 0 && cut(kai, list);
}

static bool accept(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs,
	const uint32_t *task, uint32_t count)
{
	(void)aim;
	(void)needs;
	for (uint32_t i = 0; i < count; i++)
		if (!kai_active_allocated((uint32_t)kai->task[task[i]].state))
			return false;
	return true;
}

/* The cluster has as many GPUs free as the job requests, and limits allow it: as each victim must be
 * allocated again, moves leave both as they are. */
static bool enough(struct kai *kai, uint32_t job)
{
	struct kai_rows_list *chunk = &kai->solve->chunk;
	if (!kai_rows_chunk(kai, chunk, job))
		return false;
	const struct kai_vec needs = kai_chunk_needs(kai, chunk->row, chunk->count, true);
	return needs.at[KAI_GPUS] <= kai_stock(kai)->all.at[KAI_GPUS] &&
	       (kai->config.exhaustive || !kai_over_limit(kai, kai->job[job].queue, &needs, NULL));
}

void kai_act_consolidate(struct kai *kai)
{
	if (kai->config.consolidation_max != 0)
		kai_search_for_all(kai, &(struct kai_search_for){ .aim = { .action = KAI_CONSOLIDATION,
									  .candidates = candidates,
									  .accept = accept,
									  .keeps_all = true },
						.preemptible_only = true,
						.may = enough });
}

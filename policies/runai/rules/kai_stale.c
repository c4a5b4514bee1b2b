/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stale.c - the action stalegangeviction: a gang that lost too many of its pods leaves, once it has been
 * so for its grace. (KAI: actions/stalegangeviction.) Looked at are gangs that changed, and those that are
 * stale.
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>

/* A job of one pod that needs no more is never stale. What a simulation takes back was noted in vain. */
void kai_note_stale(struct kai *kai, uint32_t task)
{
	const uint32_t row = kai->task[task].job;
	struct kai_job *job = &kai->job[row];
	if (job->unsure || (job->task_count < 2 && job->group[kai->task[task].group].min < 2))
		return;
	if (SL_GROW(kai->unsure, kai->unsure_capacity, kai->unsure_count + 1, &kai->err))
		return;
	kai->unsure[kai->unsure_count++] = row;
	job->unsure = true;
}

static void kai_stale_evict(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	kai_evict_task(kai, task);
	kai_write(kai, &row->evicted, 2);
	(void)kai_rows_add(kai, &kai->solve->settled, task);
	kai_write(kai, &kai->job[row->job].evicted_at, kai->now);
	kai_decision(kai, &(struct kai_effect){ .kind = KAI_EVICT,
				  .task = task,
				  .node = (uint32_t)row->node,
				  .action = KAI_STALE,
				  .cause = KAI_NO,
				  .early = row->retry != 0 });
}

static void visit(struct kai *kai, struct kai_job *job)
{
	if (job->stale_since == SL_NONE)
		kai_write(kai, &job->stale_since, kai->now);
	const sl_time grace = job->grace != SL_NONE ? job->grace : kai->config.staleness;
	if (grace < 0 || kai->now - job->stale_since < grace)
		return;
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai_active_allocated((uint32_t)kai->task[job->task + i].state))
			kai_stale_evict(kai, job->task + i);
}

static int by_row(const void *a, const void *b)
{
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

void kai_act_stale(struct kai *kai)
{
	if (!kai_solve_state(kai))
		return;
	const uint32_t count = kai->unsure_count;
	if (count > 1)
		qsort(kai->unsure, count, sizeof(*kai->unsure), by_row);
	uint32_t kept = 0, last = KAI_NO;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t row = kai->unsure[i];
		struct kai_job *job = &kai->job[row];
		if (job->gone || row == last)
			continue;
		last = row;
		const bool stale = kai_stale(kai, row);
		if (stale)
			visit(kai, job);
		else if (job->stale_since != SL_NONE)
			kai_write(kai, &job->stale_since, SL_NONE);
		job->unsure = stale || kai->marks; /* What may be taken back is looked at again. */
		if (job->unsure)
			kai->unsure[kept++] = row;
	}
	kai->unsure_count = kept;
}

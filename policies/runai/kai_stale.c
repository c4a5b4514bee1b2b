/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stale.c - the action stalegangeviction: a gang that lost too many of its pods leaves, once it has been
 * so for its grace. (KAI: actions/stalegangeviction.)
 */
#include "policies/runai/kai_solve_parts.h"

/* Below 0: never. */
static sl_time grace_of(const struct kai *kai, const struct kai_job *job)
{
	return job->grace != SL_NONE ? job->grace : kai->config.staleness;
}

static void evict(struct kai *kai, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	kai_evict_task(kai, task);
	kai_write(kai, &row->evicted, 2);
	(void)kai_rows_add(kai, &kai->solve->settled, task);
	kai_write(kai, &kai->job[row->job].evicted_at, kai->now);
	kai_did(kai, &(struct kai_effect){ .kind = KAI_EVICT,
			     .task = task,
			     .node = (uint32_t)row->node,
			     .action = KAI_STALE,
			     .by = KAI_NO,
			     .early = row->again != 0 });
}

static void visit(struct kai *kai, struct kai_job *job)
{
	if (job->stale_since == SL_NONE)
		kai_write(kai, &job->stale_since, kai->now);
	const sl_time grace = grace_of(kai, job);
	if (grace < 0 || kai->now - job->stale_since < grace)
		return;
	for (uint32_t i = 0; i < job->task_count; i++)
		if (kai_active_allocated((uint32_t)kai->task[job->task + i].state))
			evict(kai, job->task + i);
}

void kai_act_stale(struct kai *kai)
{
	if (!kai_solve_state(kai))
		return;
	for (uint32_t i = 0; i < kai->job_count; i++) {
		struct kai_job *job = &kai->job[i];
		if (job->gone)
			continue;
		if (kai_stale(kai, i))
			visit(kai, job);
		else if (job->stale_since != SL_NONE)
			kai_write(kai, &job->stale_since, SL_NONE);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_preempt.c - the action preempt: within a leaf queue, a job takes the place of jobs of lower priority.
 * (KAI: actions/preempt, plugins/minruntime.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

static bool is_protected(const struct kai *kai, uint32_t victim)
{
	return (kai->config.plugins & KAI_PLUGIN_MINRUNTIME) &&
	       kai_protected(kai, victim, kai_preempt_min(kai, kai->job[victim].queue));
}

static bool candidates(struct kai *kai, const struct kai_aim *aim, struct kai_rows_list *list)
{
	const struct kai_job *own = &kai->job[aim->job];
	for (uint32_t i = 0; (i = kai_list_next(kai, KAI_ACTIVE, i)) != KAI_NO; i++) {
		const struct kai_job *job = &kai->job[i];
		if (i == aim->job || job->queue != own->queue || !job->preemptible ||
			job->priority >= own->priority)
			continue;
		if (!kai_elastic(kai, i) && is_protected(kai, i))
			continue;
		if (!kai_rows_add(kai, list, i))
			return false;
	}
	return list->count > 0;
}

static bool accept(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs,
	const uint32_t *task, uint32_t count)
{
	uint32_t before = KAI_NO;
	(void)aim;
	(void)needs;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t victim = kai->task[task[i]].job;
		if (victim == before)
			continue;
		before = victim;
		if (kai_elastic(kai, victim) && is_protected(kai, victim) &&
			!kai_keeps_minimum(kai, task, count, victim))
			return false;
	}
	return true;
}

/* A job that may not be preempted has to fit within its queues' quotas. */
static bool within_quota(struct kai *kai, uint32_t job)
{
	struct kai_rows_list *chunk = &kai->solve->chunk;
	if (kai->job[job].preemptible || !(kai->config.plugins & KAI_PLUGIN_PROPORTION))
		return true;
	if (!kai_rows_chunk(kai, chunk, job))
		return false;
	const struct kai_vec needs = kai_chunk_needs(kai, chunk->row, chunk->count, true);
	return !kai_np_over_quota(kai, kai->job[job].queue, &needs, NULL);
}

void kai_act_preempt(struct kai *kai)
{
	kai_search_for_all(
		kai, &(struct kai_search_for){
			     .aim = { .action = KAI_PREEMPT, .candidates = candidates, .accept = accept },
			     .by_queue = true,
			     .may = within_quota });
}

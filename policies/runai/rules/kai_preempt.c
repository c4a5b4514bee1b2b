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

static bool accept(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *ask,
	const uint32_t *task, uint32_t count)
{
	uint32_t before = KAI_NO;
	(void)aim;
	(void)ask;
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
	if (SL_GROW(chunk->row, chunk->capacity, kai->job[job].task_count + 1, &kai->err))
		return false;
	chunk->count = kai_next_chunk(kai, job, chunk->row);
	const struct kai_vec ask = kai_chunk_ask(kai, chunk->row, chunk->count, true);
	return !kai_np_over_quota(kai, kai->job[job].queue, &ask, NULL);
}

void kai_act_preempt(struct kai *kai)
{
	if (!kai_lane_of_pending(kai, KAI_PREEMPT, false))
		return;
	struct kai_solve_state *state = kai->solve;
	kai_failed_clear(&state->failed);
	for (uint32_t job; (job = kai_lane_pop(kai, state->jobs)) != KAI_NO && !kai->err.status;) {
		const uint32_t leaf = kai->job[job].queue;
		const struct kai_aim aim = {
			.action = KAI_PREEMPT, .job = job, .candidates = candidates, .accept = accept
		};
		if (kai_delayed(kai, job) || kai_backs_off(kai, KAI_PREEMPT, job))
			continue;
		if (kai->config.signatures && !kai_is_easier(kai, &state->failed, leaf, job))
			continue;
		if (!within_quota(kai, job) || !kai_solve(kai, &aim))
			kai_failed_add(kai, &state->failed, leaf, job);
	}
}

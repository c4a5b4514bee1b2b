/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_allocate.c - the action allocate: the best job's next chunk, on what is idle or about to be. Nobody is
 * evicted; a job that does not fit is out for the session. (KAI: actions/allocate.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

static bool any_pipelined(const struct kai *kai, const uint32_t *task, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (kai->task[task[i]].state == KAI_PIPELINED)
			return true;
	return false;
}

static bool any_allocated(const struct kai_job *job)
{
	int64_t count = 0;
	for (int s = KAI_ALLOCATED; s <= KAI_RUNNING; s++)
		count += job->group[0].count[s];
	return count > 0;
}

static bool attempt(struct kai *kai, uint32_t job, struct kai_rows_list *chunk)
{
	const struct kai_place_how how = { 0 };
	const bool before = any_allocated(&kai->job[job]);
	if (chunk->count == 0 || !kai_gates(kai, job, chunk->row, chunk->count, true) ||
		!kai_place_chunk(kai, job, chunk->row, chunk->count, &how))
		return false;
	if (!before && !any_pipelined(kai, chunk->row, chunk->count))
		kai->job[job].started = kai->now;
	return true;
}

void kai_act_allocate(struct kai *kai)
{
	if (!kai_lane_of_pending(kai, KAI_ALLOCATE, false))
		return;
	struct kai_solve_state *state = kai->solve;
	for (uint32_t job; (job = kai_lane_pop(kai, state->jobs)) != KAI_NO;) {
		struct kai_rows_list *chunk = &state->chunk;
		if (SL_GROW(chunk->row, chunk->capacity, kai->job[job].task_count + 1, &kai->err))
			return;
		chunk->count = kai_next_chunk(kai, job, chunk->row);
		const kai_marked mark = kai_mark(kai);
		if (!attempt(kai, job, chunk)) {
			kai_undo(kai, mark);
			continue;
		}
		kai_commit_placed(kai, chunk->row, chunk->count);
		kai_keep(kai, mark);
		if (kai->job[job].group[0].count[KAI_PENDING] > 0)
			kai_lane_push(kai, state->jobs, job);
	}
}

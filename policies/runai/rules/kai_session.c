/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_session.c - a session: shares, then actions; what was allocated is committed. (KAI:
 * framework/session.go, statement.go.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

bool kai_rows_add(struct kai *kai, struct kai_rows_list *list, uint32_t row)
{
	if (SL_GROW(list->row, list->capacity, list->count + 1, &kai->err))
		return false;
	list->row[list->count++] = row;
	return true;
}

struct kai_solve_state *kai_solve_state(struct kai *kai)
{
	if (!kai->solve)
		kai->solve = calloc(1, sizeof(*kai->solve));
	if (!kai->solve)
		(void)sl_fail_memory(&kai->err);
	return kai->solve;
}

static void free_list(struct kai_rows_list *list)
{
	free(list->row);
	*list = (struct kai_rows_list){ 0 };
}

void kai_solve_free(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (!state)
		return;
	kai_lane_free(state->jobs);
	kai_lane_free(state->victims);
	kai_replay_free(state->replay);
	free_list(&state->settled);
	free_list(&state->candidate);
	free_list(&state->chunk);
	free_list(&state->scratch);
	kai_victims_free(&state->recorded);
	kai_victims_free(&state->gathered);
	kai_victims_free(&state->chosen);
	kai_victims_free(&state->found);
	free(state->stamp_task);
	free(state->stamp_job);
	free(state->stamp_node);
	free(state->base);
	free(state->feasible);
	free(state->nodes);
	free(state->tried);
	sl_map_free(&state->tried_map);
	free(state->failed.at);
	sl_map_free(&state->failed.map);
	free(state->allocated);
	free(state->allocated_np);
	free(state->unit);
	free(state->left);
	free(state->freed_at);
	free(state->gathered_at);
	free(state->domain_of);
	free(state->domain);
	free(state->touches.link);
	free(state->touches.node);
	free(state->touches.job);
	free(state->ranked);
	free(state->moved);
	free(state->freed_gpus);
	free(state->headroom);
	free_list(&state->touched);
	free_list(&state->gathered_nodes);
	free(state);
	kai->solve = NULL;
}

/* ---- Eligibility, limit and quota ---- */

bool kai_eligible(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	return !row->gone && row->ready && row->queue != KAI_NO && row->group[0].count[KAI_PENDING] > 0 &&
	       kai_gang_possible(kai, job);
}

static void blocked(struct kai_job *job, enum kai_why why, const struct kai_blocked *how)
{
	job->why = why;
	job->why_queue = how->queue;
	job->why_res = how->res;
	job->why_a = how->requested;
	job->why_b = how->allocated;
	job->why_c = how->bound;
}

bool kai_gates(struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count, bool report)
{
	struct kai_job *row = &kai->job[job];
	struct kai_blocked how;
	if (!(kai->config.plugins & KAI_PLUGIN_PROPORTION))
		return true;
	const struct kai_vec needs = kai_chunk_needs(kai, task, count, true);
	if (kai_over_limit(kai, row->queue, &needs, &how)) {
		if (report)
			blocked(row, KAI_OVER_LIMIT, &how);
		return false;
	}
	if (!row->preemptible && kai_np_over_quota(kai, row->queue, &needs, &how)) {
		if (report)
			blocked(row, KAI_NP_OVER_QUOTA, &how);
		return false;
	}
	return true;
}

/* ---- The session ---- */

void kai_commit_placed(struct kai *kai, const uint32_t *task, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_task *row = &kai->task[task[i]];
		kai->version++;
		struct kai_effect effect = { .task = task[i], .cause = KAI_NO };
		if (row->state == KAI_ALLOCATED) {
			effect.kind = KAI_BIND;
			kai_bind_task(kai, task[i]);
		} else if (row->state == KAI_PIPELINED) {
			effect.kind = KAI_PIPELINE;
		} else {
			continue;
		}
		effect.node = (uint32_t)row->node;
		kai_decision(kai, &effect);
	}
}

void kai_open(struct kai *kai)
{
	struct kai_solve_state *state = kai_solve_state(kai);
	if (!state)
		return;
	for (uint32_t i = 0; i < state->settled.count; i++)
		if (state->settled.row[i] < kai->task_count)
			kai->task[state->settled.row[i]].evicted = 0;
	state->settled.count = 0;
	state->left_count = 0;
	kai->effect_count = 0;
	kai->version += !kai->unchanged;
	kai->unchanged = false;
	kai->scenarios = 0;
	if (kai->config.plugins & KAI_PLUGIN_PROPORTION)
		kai_open_shares(kai);
}

void kai_run(struct kai *kai, enum kai_action action)
{
	switch (action) {
	case KAI_ALLOCATE:
		kai_act_allocate(kai);
		break;
	case KAI_CONSOLIDATION:
		kai_act_consolidate(kai);
		break;
	case KAI_RECLAIM:
		kai_act_reclaim(kai);
		break;
	case KAI_PREEMPT:
		kai_act_preempt(kai);
		break;
	case KAI_STALE:
		kai_act_stale(kai);
		break;
	case KAI_ACTIONS:
		break;
	}
}

int kai_session(struct kai *kai)
{
	kai_open(kai);
	for (uint32_t i = 0; i < kai->config.action_count && !kai->err.status; i++)
		kai_run(kai, kai->config.action[i]);
	if (!kai->config.keep_open)
		kai_close(kai);
	return kai->err.status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_simulate.c - would it work? Victims are evicted, then the job and the victims are allocated anew in the
 * order of their queues, on what is Idle or Releasing. The job has to fit; victims that fit again are moved,
 * or run on where they were. (KAI: actions/common/action.go, solvers/by_pod_solver.go.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sets by stamp ---- */

/* Rows as long as there are tasks, jobs, nodes; nothing is stamped. */
static bool stamps(struct kai *kai, struct kai_solve_state *state)
{
	const struct {
		uint32_t **stamp, *have, need;
	} all[] = { { &state->stamp_task, &state->stamp_tasks, kai->task_count },
		{ &state->stamp_job, &state->stamp_jobs, kai->job_count },
		{ &state->stamp_node, &state->stamp_nodes, kai->node_count } };
	for (size_t i = 0; i < SL_LEN(all); i++) {
		if (*all[i].have >= all[i].need && *all[i].stamp)
			continue;
		if (SL_RESIZE(*all[i].stamp, (size_t)all[i].need + 1, &kai->err))
			return false;
		memset(*all[i].stamp + *all[i].have, 0,
			((size_t)all[i].need + 1 - *all[i].have) * sizeof(**all[i].stamp));
		*all[i].have = all[i].need;
	}
	state->stamp++;
	return true;
}

/* ---- The walk ---- */

static void kai_simulate_evict(struct kai *kai, const struct kai_victims *victims)
{
	struct kai_solve_state *state = kai->solve;
	for (uint32_t i = 0; i < victims->task.count; i++) {
		const struct kai_task *task = &kai->task[victims->task.row[i]];
		if (task->state == KAI_RELEASING || task->node < 0)
			continue;
		state->nodes[task->node / 64] |= UINT64_C(1) << task->node % 64;
		kai_evict_task(kai, victims->task.row[i]);
	}
}

/* The victims, and the job that is to start; how many. */
static uint32_t kai_simulate_fill(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	uint32_t count = 1;
	kai_replay_clear(state->replay);
	state->stamp_job[aim->job] = state->stamp;
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->batch_count; i++) {
			const uint32_t job = sets[s]->batch[i].job;
			if (state->stamp_job[job] == state->stamp)
				continue;
			state->stamp_job[job] = state->stamp;
			kai_replay_push(kai, state->replay, job);
			count++;
		}
	kai_replay_push_part(kai, state->replay, aim->job, needs);
	return count;
}

/* A victim finds a place again, or not. */
static bool place_victim(struct kai *kai, uint32_t job, const struct kai_place_how *how)
{
	struct kai_rows_list *headroom = &kai->solve->scratch;
	if (!kai_rows_chunk(kai, headroom, job))
		return false;
	if (headroom->count)
		(void)(kai_gates(kai, job, headroom->row, headroom->count, false) &&
			kai_place_chunk(kai, job, headroom->row, headroom->count, how));
	return true;
}

static bool walk(struct kai *kai, const struct kai_aim *aim, uint32_t tasks)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_place_how how = { .among = state->nodes, .pipeline_only = true };
	const struct kai_vec needs = kai_chunk_needs(kai, state->chunk.row, tasks, false);
	uint32_t left = kai_simulate_fill(kai, aim, &needs);
	bool done = false;
	for (uint32_t job; left && (job = kai_replay_pop(kai, state->replay)) != KAI_NO;) {
		left--;
		if (job != aim->job) {
			if (!place_victim(kai, job, &how))
				return false;
			continue;
		}
		if (!kai_gates(kai, job, state->chunk.row, tasks, false) ||
			!kai_place_chunk(kai, job, state->chunk.row, tasks, &how))
			return false;
		done = true;
	}
	return done;
}

/* ---- What it came to ---- */

/* All that was evicted, together; each task once. */
static bool kai_simulate_gather(struct kai *kai, struct kai_rows_list *all)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	all->count = 0;
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->task.count; i++) {
			const uint32_t task = sets[s]->task.row[i];
			if (state->stamp_task[task] == state->stamp)
				continue;
			state->stamp_task[task] = state->stamp;
			if (!kai_rows_add(kai, all, task))
				return false;
		}
	return true;
}

static bool lost_or_moved(const struct kai_task *task)
{
	return task->state == KAI_RELEASING || task->state == KAI_PIPELINED || task->state == KAI_PENDING;
}

/* Batches of which something was lost or moved, whole, into state.found. */
static bool keep_found(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	kai_victims_clear(&state->found);
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->batch_count; i++) {
			const struct kai_batch *batch = &sets[s]->batch[i];
			const uint32_t *task = sets[s]->task.row + batch->first;
			bool any = false;
			for (uint32_t k = 0; k < batch->count && !any; k++)
				any = lost_or_moved(&kai->task[task[k]]);
			if (any && !kai_victims_add(kai, &state->found, batch->job, task, batch->count))
				return false;
		}
	return true;
}

/* Who waits is looked up before the first simulation of an action. */
static bool replay_ready(struct kai *kai, struct kai_solve_state *state)
{
	if (!state->replay)
		state->replay = kai_replay_new(kai);
	if (state->replay && !state->replay_known)
		kai_replay_open(kai, state->replay);
	state->replay_known = state->replay != NULL;
	return state->replay_known && !kai->err.status;
}

void kai_simulated(struct kai *kai, const struct kai_aim *aim)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	kai_replay_changed(kai, state->replay, aim->job);
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->batch_count; i++)
			kai_replay_changed(kai, state->replay, sets[s]->batch[i].job);
}

static bool works(struct kai *kai, const struct kai_aim *aim, uint32_t tasks, kai_marked *mark)
{
	struct kai_solve_state *state = kai->solve;
	struct kai_rows_list *all = &state->scratch;
	const struct kai_vec needs = kai_chunk_needs(kai, state->chunk.row, tasks, false);
	*mark = kai_mark(kai);
	kai_simulate_evict(kai, &state->recorded);
	kai_simulate_evict(kai, &state->chosen);
	if (walk(kai, aim, tasks) && kai_simulate_gather(kai, all) &&
		aim->accept(kai, aim, &needs, all->row, all->count) && keep_found(kai))
		return true;
	kai_undo(kai, *mark);
	return false;
}

bool kai_simulate(struct kai *kai, const struct kai_aim *aim, uint32_t tasks, kai_marked *mark)
{
	struct kai_solve_state *state = kai->solve;
	if (state->recorded.task.count + state->chosen.task.count == 0 || !stamps(kai, state))
		return false;
	if (!replay_ready(kai, state))
		return false;
	kai->scenarios++;
	state->sets++;
	memcpy(state->nodes, state->feasible, kai->node_words * sizeof(*state->nodes));
	if (!kai_rehearsal_fails(kai, aim, tasks) && works(kai, aim, tasks, mark))
		return true;
	kai_bounds_failed(kai, (uint64_t)state->recorded.task.count + state->chosen.task.count + tasks);
	return false;
}

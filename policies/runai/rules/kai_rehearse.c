/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_rehearse.c - a simulation that is going to fail is found out without it. Most sets of victims fail:
 * they take their places again before the job's turn comes. Where only amounts matter (jobs of one kind of
 * tasks, which request whole GPUs or none, and lose all of them or nothing) the walk of kai_simulate.c is
 * gone through with nothing but what nodes and queues have; tasks stay as they are, and nothing is written to
 * the journal. What does not fail here is simulated.
 */
#include "policies/runai/rules/kai_solve_parts.h"

/* ---- Jobs of which amounts are all that counts ---- */

static bool whole_or_none(const struct kai_request *needs)
{
	return needs->kind == KAI_WHOLE || needs->kind == KAI_NO_GPU;
}

static bool is_flat(const struct kai_job *job)
{
	enum { FLAT = 2 };
	return job->group_count == FLAT && job->group[1].leaf &&
	       (job->group[0].min == KAI_NO || job->group[0].min <= 1) && job->group[0].topology == KAI_NO &&
	       job->group[1].topology == KAI_NO;
}

static bool plain_aim(const struct kai *kai, uint32_t job, uint32_t tasks)
{
	const uint32_t *task = kai->solve->chunk.row;
	if (!is_flat(&kai->job[job]))
		return false;
	for (uint32_t i = 0; i < tasks; i++)
		if (!whole_or_none(&kai->request[kai->task[task[i]].request]))
			return false;
	return true;
}

/* All of it runs, and all of it goes. */
static bool plain_victim(const struct kai *kai, const struct kai_batch *batch)
{
	const struct kai_job *job = &kai->job[batch->job];
	return is_flat(job) && job->group[1].request != KAI_NO &&
	       whole_or_none(&kai->request[job->group[1].request]) && job->group[1].min == job->task_count &&
	       batch->count == job->task_count && job->group[0].count[KAI_RUNNING] == job->task_count;
}

static bool is_plain(const struct kai *kai, const struct kai_aim *aim, uint32_t tasks)
{
	const struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	if (kai->config.stepwise || !plain_aim(kai, aim->job, tasks))
		return false;
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->batch_count; i++)
			if (!plain_victim(kai, &sets[s]->batch[i]))
				return false;
	return true;
}

/* ---- Amounts ---- */

/* The task leaves the node some day (sign 1), or comes there (-1). */
static void shift(struct kai *kai, uint32_t task, uint32_t row, int64_t sign)
{
	const struct kai_job *job = &kai->job[kai->task[task].job];
	const struct kai_request *needs = &kai->request[kai->task[task].request];
	struct kai_free *free = &kai->node[row].releasing;
	const struct kai_vec held = kai_charge_on(kai, task, row);
	free->pods += sign;
	free->cpu += needs->best_effort ? 0 : sign * needs->cpu;
	free->mem += needs->best_effort ? 0 : sign * needs->mem;
	if (needs->kind == KAI_WHOLE && !needs->best_effort) {
		free->gpus += sign * needs->gpus;
		kai->gpus_free[row] += sign * needs->gpus;
	}
	kai_stock_note(kai, row);
	for (uint32_t at = job->queue; at != KAI_NO; at = kai->queue[at].parent)
		for (int r = 0; r < KAI_RES; r++) {
			kai->queue[at].allocated.at[r] -= sign * held.at[r];
			if (!job->preemptible)
				kai->queue[at].allocated_np.at[r] -= sign * held.at[r];
		}
}

static bool move(struct kai *kai, uint32_t task, uint32_t node, int64_t sign)
{
	struct kai_solve_state *state = kai->solve;
	if (SL_GROW(state->moved, state->moved_capacity, state->moved_count + 1, &kai->err))
		return false;
	state->moved[state->moved_count++] = (struct kai_moved){ task, node, sign };
	shift(kai, task, node, sign);
	return true;
}

static void move_back(struct kai *kai, uint32_t from)
{
	struct kai_solve_state *state = kai->solve;
	while (state->moved_count > from) {
		const struct kai_moved *last = &state->moved[--state->moved_count];
		shift(kai, last->task, last->node, -last->sign);
	}
}

/* ---- The walk ---- */

static bool place(struct kai *kai, uint32_t job, const uint32_t *task, uint32_t count)
{
	struct kai_solve_state *state = kai->solve;
	const uint32_t from = state->moved_count;
	bool placed = kai_gates(kai, job, task, count, false);
	for (uint32_t i = 0; i < count && placed; i++) {
		struct kai_spot spot;
		placed = kai_best_spot(kai, task[i], state->nodes, NULL, &spot) &&
			 move(kai, task[i], spot.node, -1);
	}
	if (!placed)
		move_back(kai, from);
	return placed;
}

static bool place_again(struct kai *kai, uint32_t job)
{
	struct kai_rows_list *tasks = &kai->solve->scratch;
	tasks->count = 0;
	for (uint32_t i = 0; i < kai->job[job].task_count; i++)
		if (!kai_rows_add(kai, tasks, kai->job[job].task + i))
			return false;
	return place(kai, job, tasks->row, tasks->count);
}

/* Victims leave, and stand in line; how many. */
static uint32_t leave(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	uint32_t count = 0;
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->batch_count; i++) {
			const uint32_t job = sets[s]->batch[i].job, first = kai->job[job].task;
			if (state->stamp_job[job] == state->stamp)
				continue;
			state->stamp_job[job] = state->stamp;
			for (uint32_t t = first; t < first + kai->job[job].task_count; t++) {
				const uint32_t node = (uint32_t)kai->task[t].node;
				state->nodes[node / 64] |= UINT64_C(1) << node % 64;
				if (!move(kai, t, node, 1))
					return count;
			}
			count++;
		}
	return count;
}

/* Only now that all have left: who is where in line hangs on what queues hold. */
static void line_up(struct kai *kai, const struct kai_aim *aim, uint32_t tasks)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	const struct kai_vec needs = kai_chunk_needs(kai, state->chunk.row, tasks, false);
	kai_replay_clear(state->replay);
	state->stamp++;
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->batch_count; i++) {
			const uint32_t job = sets[s]->batch[i].job;
			if (state->stamp_job[job] == state->stamp)
				continue;
			state->stamp_job[job] = state->stamp;
			kai_replay_push_whole(kai, state->replay, job);
		}
	kai_replay_push_part(kai, state->replay, aim->job, &needs);
}

/* True: the job found no place, or one did that may not be lost. */
static bool walk_fails(struct kai *kai, const struct kai_aim *aim, uint32_t tasks, uint32_t victims)
{
	struct kai_solve_state *state = kai->solve;
	bool done = false;
	uint32_t left = victims + 1;
	for (uint32_t job; left && (job = kai_replay_pop(kai, state->replay)) != KAI_NO; left--) {
		if (job == aim->job) {
			if (!place(kai, job, state->chunk.row, tasks))
				return true;
			done = true;
			if (!aim->keeps_all)
				return false;
		} else if (!place_again(kai, job) && aim->keeps_all) {
			return true;
		}
	}
	return !done;
}

bool kai_rehearsal_fails(struct kai *kai, const struct kai_aim *aim, uint32_t tasks)
{
	struct kai_solve_state *state = kai->solve;
	if (!is_plain(kai, aim, tasks))
		return false;
	state->stamp++;
	const uint32_t victims = leave(kai);
	line_up(kai, aim, tasks);
	const bool fails = walk_fails(kai, aim, tasks, victims);
	move_back(kai, 0);
	state->stamp++;
	return fails && !kai->err.status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_leftover.c - what KAI leaves behind. A job that the solver found victims for is not started if its gang
 * is not whole then (a tree that needs some of its sets only: the minimum of each pod set is checked). KAI
 * neither commits nor discards what it simulated for it (solvers/job_solver.go, actions/reclaim): nothing is
 * evicted or bound, and the jobs that come after it in the session find victims Releasing and tasks
 * Pipelined.
 *
 * So it is here, as cases recorded of KAI show; at the end of the session it is undone. So are allocations of
 * pipelined tasks that were evicted before they started: KAI has those as releasing there.
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>

static bool kai_leftover_leave(struct kai *kai, uint32_t task, int64_t state)
{
	struct kai_solve_state *solve = kai->solve;
	if (SL_GROW(solve->left, solve->left_capacity, solve->left_count + 1, &kai->err))
		return false;
	solve->left[solve->left_count++] = (struct kai_leftover){ task, state, kai->effect_count };
	return true;
}

void kai_leave_simulated(struct kai *kai, uint32_t tasks)
{
	struct kai_solve_state *solve = kai->solve;
	const struct kai_victims *sets[] = { &solve->recorded, &solve->chosen };
	for (uint32_t i = 0; i < tasks; i++)
		if (kai->task[solve->chunk.row[i]].evicted == 0 &&
			!kai_leftover_leave(kai, solve->chunk.row[i], KAI_PENDING))
			return;
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->task.count; i++) {
			const uint32_t task = sets[s]->task.row[i];
			const struct kai_task *row = &kai->task[task];
			if (row->evicted == 1 &&
				!kai_leftover_leave(kai, task, row->retry ? KAI_PIPELINED : row->before))
				return;
		}
}

/* What was decided of it since: the engine has it, and so it stays. */
static bool was_reported(const struct kai *kai, const struct kai_leftover *left)
{
	bool reported = false;
	for (uint32_t i = left->effect; i < kai->effect_count; i++) {
		const struct kai_effect *effect = &kai->effect[i];
		if (effect->task != left->task)
			continue;
		if (effect->kind == KAI_EVICT && !effect->early)
			return true;
		reported = effect->kind != KAI_EVICT && left->state == KAI_PENDING;
	}
	return reported;
}

static void take_back(struct kai *kai, const struct kai_leftover *left)
{
	const struct kai_task *row = &kai->task[left->task];
	const bool moved = row->from >= 0;
	const int64_t node = moved ? row->from : row->node, *rows = moved ? row->from_shared : row->shared;
	enum kai_state state = (enum kai_state)left->state;
	uint32_t shared[KAI_DEVICES_MAX];
	for (int64_t i = 0; rows && i < kai->request[row->request].gpus; i++)
		shared[i] = (uint32_t)rows[i];
	if (state == KAI_PIPELINED)
		state = moved ? KAI_RELEASING : KAI_PENDING;
	const bool placed = state != KAI_PENDING && node >= 0;
	kai_set_task(
		kai, left->task, state, placed ? (uint32_t)node : KAI_NO, placed && rows ? shared : NULL);
}

void kai_close(struct kai *kai)
{
	struct kai_solve_state *solve = kai->solve;
	if (!solve)
		return;
	for (uint32_t i = solve->left_count; i > 0; i--)
		if (!was_reported(kai, &solve->left[i - 1]))
			take_back(kai, &solve->left[i - 1]);
	solve->left_count = 0;
	for (uint32_t i = 0; i < solve->settled.count; i++) {
		const uint32_t task = solve->settled.row[i];
		kai_forget_kept(kai, task);
		if (kai->task[task].state == KAI_RELEASING && kai->task[task].retry)
			take_back(kai, &(struct kai_leftover){ task, KAI_PIPELINED, 0 });
	}
}

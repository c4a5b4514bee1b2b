/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_hopeless.c - what cannot be is not tried. Sets of victims that leave too little room for the tasks of
 * the job are passed over (KAI: accumulated_scenario_filters; those count GPUs, here each node is looked at),
 * and a job for which all candidates together do not leave enough is not looked at further.
 *
 * Tasks that ask whole GPUs, or none, and all the same: so many fit on a node as its scarcest resource
 * allows. Of others nothing is said here.
 */
#include "policies/runai/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

/* What the task's end would free there, at most: of a share, its devices whole. */
static void free_task(const struct kai *kai, uint32_t task, struct kai_free *free)
{
	const struct kai_request *ask = &kai->request[kai->task[task].request];
	free->pods++;
	if (ask->best_effort)
		return;
	free->cpu += ask->cpu;
	free->mem += ask->mem;
	if (ask->kind == KAI_WHOLE || ask->kind == KAI_FRACTION || ask->kind == KAI_MEMORY)
		free->gpus += ask->gpus;
}

static int64_t times(int64_t free, int64_t ask, int64_t most)
{
	if (ask <= 0)
		return most;
	if (free < ask)
		return 0;
	return free / ask < most ? free / ask : most;
}

/* So many such tasks the node has room for, with what is freed. */
static int64_t fit(
	const struct kai *kai, const struct kai_request *ask, uint32_t row, const struct kai_free *freed)
{
	const struct kai_node *node = &kai->node[row];
	if (!node->ready || (ask->allowed && !(ask->allowed[row / 64] >> row % 64 & 1)))
		return 0;
	int64_t most = node->idle.pods + node->releasing.pods + freed->pods;
	most = most > 0 ? most : 0;
	if (ask->best_effort)
		return most;
	most = times(node->idle.cpu + node->releasing.cpu + freed->cpu, ask->cpu, most);
	most = times(node->idle.mem + node->releasing.mem + freed->mem, ask->mem, most);
	return times(node->idle.gpus + node->releasing.gpus + freed->gpus, ask->gpus, most);
}

/* The request of all tasks of the chunk; NULL: they differ, or are of another kind. */
static const struct kai_request *same_ask(const struct kai *kai)
{
	const struct kai_rows_list *chunk = &kai->solve->chunk;
	const uint32_t request = kai->task[chunk->row[0]].request;
	const struct kai_request *ask = &kai->request[request];
	if (kai->config.exhaustive)
		return NULL;
	for (uint32_t i = 1; i < chunk->count; i++)
		if (kai->task[chunk->row[i]].request != request)
			return NULL;
	return ask->kind == KAI_WHOLE || ask->kind == KAI_NO_GPU ? ask : NULL;
}

static bool in(const uint64_t *nodes, uint32_t row) { return nodes[row / 64] >> row % 64 & 1; }

bool kai_fit_open(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (state->freed_nodes < kai->node_count || !state->freed_at) {
		struct kai_free *more =
			realloc(state->freed_at, ((size_t)kai->node_count + 1) * sizeof(*more));
		if (!more)
			return (void)kai_fail(kai, SL_SYSTEM, "out of memory"), false;
		state->freed_at = more;
		state->freed_nodes = kai->node_count;
	}
	state->same_ask = same_ask(kai);
	return true;
}

void kai_fit_probe(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	state->base_fit = 0;
	for (uint32_t i = 0; state->same_ask && i < kai->node_count; i++)
		if (in(state->feasible, i))
			state->base_fit += fit(kai, state->same_ask, i, &(struct kai_free){ 0 });
}

/* A task that leaves: its node is one that more fit on. Nodes that are new are put into scratch. */
static void free_at(struct kai *kai, uint32_t task)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_task *row = &kai->task[task];
	if (row->node < 0 || row->state == KAI_RELEASING)
		return;
	struct kai_free *freed = &state->freed_at[row->node];
	if (state->stamp_node[row->node] != state->stamp) {
		state->stamp_node[row->node] = state->stamp;
		*freed = (struct kai_free){ 0 };
		(void)kai_rows_add(kai, &state->touched, (uint32_t)row->node);
	}
	free_task(kai, task, freed);
}

static void free_all(struct kai *kai, const struct kai_rows_list *tasks)
{
	for (uint32_t i = 0; i < tasks->count; i++)
		free_at(kai, tasks->row[i]);
}

bool kai_set_fits(struct kai *kai, uint32_t tasks)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_request *ask = state->same_ask;
	if (!ask)
		return true;
	state->stamp++;
	state->touched.count = 0;
	free_all(kai, &state->recorded.task);
	free_all(kai, &state->chosen.task);
	int64_t count = state->base_fit;
	for (uint32_t i = 0; i < state->touched.count && count < tasks; i++) {
		const uint32_t node = state->touched.row[i];
		count += fit(kai, ask, node, &state->freed_at[node]);
		if (in(state->feasible, node))
			count -= fit(kai, ask, node, &(struct kai_free){ 0 });
	}
	return count >= tasks;
}

bool kai_all_fit(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_request *ask = state->same_ask;
	if (!ask)
		return true;
	memset(state->freed_at, 0, kai->node_count * sizeof(*state->freed_at));
	for (uint32_t i = 0; i < state->candidate.count; i++) {
		const struct kai_job *job = &kai->job[state->candidate.row[i]];
		for (uint32_t t = job->task; t < job->task + job->task_count; t++)
			if (kai->task[t].node >= 0 && kai->task[t].state != KAI_RELEASING)
				free_task(kai, t, &state->freed_at[kai->task[t].node]);
	}
	int64_t count = 0;
	for (uint32_t i = 0; i < kai->node_count && count < state->chunk.count; i++)
		count += fit(kai, ask, i, &state->freed_at[i]);
	return count >= state->chunk.count;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_solver.c - whose eviction lets a job start: for more and more of its tasks (1, 2, 4... then between),
 * each time with the victims that sufficed for fewer; then for all of them. (KAI: solvers/job_solver.go.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sets that failed ---- */

static uint64_t mix(uint64_t word)
{
	word = (word ^ word >> 31) * UINT64_C(0x7fb5d329728ea185);
	word = (word ^ word >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return word ^ word >> 33;
}

/* Of the set, in whatever order. */
static uint64_t kai_solver_hash_of(const struct kai_solve_state *state, uint32_t tasks)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < state->recorded.task.count; i++)
		sum += mix(state->recorded.task.row[i] + UINT64_C(1));
	for (uint32_t i = 0; i < state->chosen.task.count; i++)
		sum += mix(state->chosen.task.row[i] + UINT64_C(1));
	return mix(sum ^ mix(tasks)) | 1;
}

static bool was_tried(const struct kai_solve_state *state, uint64_t hash)
{
	uint32_t i;
	SL_MAP_EACH(&state->tried_map, hash, i)
	if (state->tried[i] == hash)
		return true;
	return false;
}

static void note_tried(struct kai *kai, struct kai_solve_state *state, uint64_t hash)
{
	if (!SL_GROW(state->tried, state->tried_capacity, state->tried_count + 1, &kai->err) &&
		!sl_map_add(&state->tried_map, hash, state->tried_count, &kai->err))
		state->tried[state->tried_count++] = hash;
}

static void forget_tried(struct kai_solve_state *state)
{
	sl_map_clear(&state->tried_map);
	state->tried_count = 0;
}

/* ---- Nodes ---- */

static bool wants_gpus(const struct kai *kai, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	for (uint32_t i = 0; i < row->task_count; i++)
		if (kai->request[kai->task[row->task + i].request].kind == KAI_NO_GPU)
			return false;
	return true;
}

static bool node_sets(struct kai *kai, struct kai_solve_state *state)
{
	if (state->words >= kai->node_words && state->base && state->stamp_nodes >= kai->node_count)
		return true;
	free(state->base);
	free(state->feasible);
	free(state->nodes);
	state->words = kai->node_words;
	state->base = calloc(state->words + 1, sizeof(*state->base));
	state->feasible = calloc(state->words + 1, sizeof(*state->feasible));
	state->nodes = calloc(state->words + 1, sizeof(*state->nodes));
	if (!state->base || !state->feasible || !state->nodes)
		return (void)sl_fail_memory(&kai->err), false;
	if (SL_RESIZE(state->stamp_node, (size_t)kai->node_count + 1, &kai->err))
		return false;
	memset(state->stamp_node, 0, ((size_t)kai->node_count + 1) * sizeof(*state->stamp_node));
	state->stamp_nodes = kai->node_count;
	return true;
}

/* Those with GPUs that are free, or about to be; all for a job with tasks that want none. */
static void base_nodes(struct kai *kai, struct kai_solve_state *state, uint32_t job)
{
	const struct kai_stock *stock = kai_stock(kai);
	const size_t size = kai->node_words * sizeof(*state->base);
	state->gpus_alone = wants_gpus(kai, job);
	if (state->gpus_alone) {
		memcpy(state->base, stock->any, size);
		return;
	}
	memset(state->base, 0xff, size);
	if (kai->node_count % 64)
		state->base[kai->node_words - 1] = (UINT64_C(1) << kai->node_count % 64) - 1;
}

/* And those of victims that are recorded. */
static void probe_nodes(struct kai *kai, struct kai_solve_state *state)
{
	const struct kai_stock *stock = kai_stock(kai);
	memcpy(state->feasible, state->base, kai->node_words * sizeof(*state->base));
	state->base_free = state->gpus_alone ? stock->with_gpus : stock->all;
	for (uint32_t i = 0; i < state->recorded.task.count; i++) {
		const int64_t node = kai->task[state->recorded.task.row[i]].node;
		if (node < 0 || state->feasible[node / 64] >> node % 64 & 1)
			continue;
		state->feasible[node / 64] |= UINT64_C(1) << node % 64;
		for (int r = 0; r < KAI_RES; r++)
			state->base_free.at[r] += stock->free[node].at[r];
	}
	kai_fit_probe(kai);
}

/* ---- Probes ---- */

/* True: found, the mark is open. */
static bool probe(struct kai *kai, const struct kai_aim *aim, enum kai_generator generator, uint32_t tasks,
	kai_marked *mark)
{
	struct kai_solve_state *state = kai->solve;
	struct kai_scenarios scenarios;
	bool found = false;
	probe_nodes(kai, state);
	if (!kai_scenarios_open(kai, aim, generator, tasks, &scenarios))
		return false;
	while (!found && kai_scenarios_next(&scenarios)) {
		const uint64_t hash = kai_solver_hash_of(state, tasks);
		if (was_tried(state, hash))
			continue;
		if (kai_bounds_reached(kai))
			break;
		found = kai_simulate(kai, aim, tasks, mark);
		if (!found)
			note_tried(kai, state, hash);
	}
	kai_scenarios_close(&scenarios);
	return found && !kai->err.status;
}

static bool is_hopeless(struct kai *kai, const struct kai_aim *aim, uint32_t tasks)
{
	const struct kai_vec needs = kai_chunk_needs(kai, kai->solve->chunk.row, tasks, false);
	return aim->hopeless && aim->hopeless(kai, aim, &needs);
}

/* The victims that sufficed are recorded. */
static void record(struct kai_solve_state *state)
{
	const struct kai_victims old = state->recorded;
	state->recorded = state->found;
	state->found = old;
}

static bool try_probe(
	struct kai *kai, const struct kai_aim *aim, enum kai_generator generator, uint32_t tasks)
{
	kai_marked mark;
	if (kai->solve->cut || is_hopeless(kai, aim, tasks) || !probe(kai, aim, generator, tasks, &mark))
		return false;
	kai_undo(kai, mark);
	record(kai->solve);
	return true;
}

/* For how many of the first of so many tasks there are victims. */
static uint32_t most_tasks(
	struct kai *kai, const struct kai_aim *aim, enum kai_generator generator, uint32_t count)
{
	uint32_t good = 0, tasks = 1, bad;
	while (try_probe(kai, aim, generator, tasks)) {
		good = tasks;
		if (good == count)
			return count;
		tasks = tasks * 2 < count ? tasks * 2 : count;
	}
	for (bad = tasks; bad - good > 1 && !kai->err.status;) {
		const uint32_t middle = good + (bad - good) / 2;
		if (try_probe(kai, aim, generator, middle))
			good = middle;
		else
			bad = middle;
	}
	return good;
}

/* ---- It is so ---- */

static void kai_solver_settle(struct kai *kai, const struct kai_aim *aim, uint32_t task)
{
	struct kai_task *row = &kai->task[task];
	struct kai_job *job = &kai->job[row->job];
	const bool moved = row->state == KAI_PIPELINED;
	if (row->evicted != 1 || (row->state != KAI_RELEASING && !moved))
		return;
	const int64_t other = row->retry ? row->kept : row->from;
	const int64_t place = moved && other >= 0 ? other : row->node;
	job->evicted_at = kai->now;
	kai_decision(kai, &(struct kai_effect){ .kind = KAI_EVICT,
				  .task = task,
				  .node = (uint32_t)place,
				  .action = aim->action,
				  .cause = aim->job,
				  .moved = moved,
				  .early = row->retry != 0 });
	kai_write(kai, &row->evicted, 2);
	(void)kai_rows_add(kai, &kai->solve->settled, task);
	if (moved)
		kai_decision(kai, &(struct kai_effect){ .kind = KAI_PIPELINE,
					  .task = task,
					  .node = (uint32_t)row->node,
					  .action = aim->action,
					  .cause = KAI_NO });
}

static void commit(struct kai *kai, const struct kai_aim *aim, uint32_t count)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_victims *sets[] = { &state->recorded, &state->chosen };
	for (size_t s = 0; s < SL_LEN(sets); s++)
		for (uint32_t i = 0; i < sets[s]->task.count; i++)
			kai_solver_settle(kai, aim, sets[s]->task.row[i]);
	kai_commit_placed(kai, state->chunk.row, count);
}

static int64_t active_of(const struct kai_job *job)
{
	int64_t count = 0;
	for (int s = KAI_ALLOCATED; s <= KAI_STUCK; s++)
		count += job->group[0].count[s];
	return count;
}

static bool solve_by(
	struct kai *kai, const struct kai_aim *aim, enum kai_generator generator, uint32_t count, bool *over)
{
	const int64_t before = active_of(&kai->job[aim->job]);
	kai_marked mark;
	kai_victims_clear(&kai->solve->recorded);
	if (most_tasks(kai, aim, generator, count) == 0 || !probe(kai, aim, generator, count, &mark))
		return false;
	*over = true;
	if (!kai_gang_satisfied(kai, aim->job) || active_of(&kai->job[aim->job]) <= before) {
		kai->version++;
		kai_leave_simulated(kai, count);
		kai_simulated(kai, aim);
		kai_keep(kai, mark);
		return false;
	}
	commit(kai, aim, count);
	kai_simulated(kai, aim);
	kai_keep(kai, mark);
	return true;
}

static bool search(struct kai *kai, const struct kai_aim *aim)
{
	struct kai_solve_state *state = kai->solve;
	struct kai_rows_list *chunk = &state->chunk;
	if (!kai_rows_chunk(kai, chunk, aim->job) || !node_sets(kai, state) || !chunk->count)
		return false;
	state->candidate.count = 0;
	if (!aim->candidates(kai, aim, &state->candidate))
		return false;
	if (!kai_fit_open(kai) || !kai_all_fit(kai) || is_hopeless(kai, aim, chunk->count))
		return false;
	base_nodes(kai, state, aim->job);
	forget_tried(state);
	bool solved = false, over = false;
	for (int g = 0; g < KAI_GENERATORS && !over && !kai->err.status; g++)
		solved = solve_by(kai, aim, (enum kai_generator)g, chunk->count, &over);
	return solved;
}

bool kai_solve(struct kai *kai, const struct kai_aim *aim)
{
	if (!kai_solve_state(kai))
		return false;
	if (kai_known_to_fail(kai, aim->action, aim->job))
		return false;
	kai_bounds_job(kai);
	const bool found = !kai_bounds_reached(kai) && search(kai, aim);
	kai_searched(kai, aim->action, aim->job, found);
	return found;
}

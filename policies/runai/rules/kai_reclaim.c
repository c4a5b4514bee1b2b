/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_reclaim.c - the action reclaim: a job below its queue's fair share takes back from other queues. (KAI:
 * actions/reclaim, plugins/proportion, plugins/minruntime.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Who may be a victim ---- */

static bool protected_from(const struct kai *kai, uint32_t leaf, uint32_t victim)
{
	return (kai->config.plugins & KAI_PLUGIN_MINRUNTIME) &&
	       kai_protected(kai, victim, kai_reclaim_min(kai, leaf, kai->job[victim].queue));
}

/* Of a leaf: whether its jobs may be victims, and how long they are left alone. */
struct leaf_rule {
	uint32_t leaf;
	bool open;
	sl_time least;
};

static struct leaf_rule kai_reclaim_rule_of(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, uint32_t victim)
{
	const uint32_t plugins = kai->config.plugins;
	return (struct leaf_rule){ .leaf = victim,
		.open = !(plugins & KAI_PLUGIN_PROPORTION) || kai_victim_leaf(kai, leaf, needs, victim),
		.least = plugins & KAI_PLUGIN_MINRUNTIME ? kai_reclaim_min(kai, leaf, victim) : 0 };
}

static bool candidates(struct kai *kai, const struct kai_aim *aim, struct kai_rows_list *list)
{
	struct leaf_rule rule = { .leaf = KAI_NO };
	const uint32_t leaf = kai->job[aim->job].queue;
	const struct kai_vec needs =
		kai_chunk_needs(kai, kai->solve->chunk.row, kai->solve->chunk.count, false);
	for (uint32_t i = 0; (i = kai_list_next(kai, KAI_ACTIVE, i)) != KAI_NO; i++) {
		const struct kai_job *job = &kai->job[i];
		if (job->queue == KAI_NO || job->queue == leaf || !job->preemptible)
			continue;
		if (job->queue != rule.leaf)
			rule = kai_reclaim_rule_of(kai, leaf, &needs, job->queue);
		if (!rule.open || (kai_protected(kai, i, rule.least) && !kai_elastic(kai, i)))
			continue;
		if (!kai_rows_add(kai, list, i))
			return false;
	}
	return list->count > 0;
}

/* ---- What they lose ---- */

static bool add_unit(struct kai *kai, uint32_t leaf, const struct kai_vec *needs)
{
	struct kai_solve_state *state = kai->solve;
	if (SL_GROW(state->unit, state->unit_capacity, state->unit_count + 1, &kai->err))
		return false;
	state->unit[state->unit_count++] = (struct kai_unit){ leaf, *needs };
	return true;
}

/* It counts as lost: it found no other place, or that does not help. */
static bool counts(const struct kai *kai, const struct kai_task *task)
{
	return !kai->config.consolidating_reclaim || !kai_active_allocated((uint32_t)task->state);
}

/* Of one job: tasks above the minimum of their pods one by one, then the rest as one. Its tasks stand
 * together. */
static bool add_units(struct kai *kai, const uint32_t *task, uint32_t count)
{
	const struct kai_job *job = &kai->job[kai->task[task[0]].job];
	struct kai_vec core = { 0 };
	bool any = false, ok = true;
	for (uint32_t i = 0; i < count && ok; i++) {
		const struct kai_task *row = &kai->task[task[i]];
		uint32_t before = 0;
		for (uint32_t k = 0; k < i; k++)
			before += kai->task[task[k]].group == row->group;
		if (!counts(kai, row))
			continue;
		const struct kai_vec held = kai_charge(kai, task[i]);
		if (before >= job->group[row->group].min) {
			ok = add_unit(kai, job->queue, &held);
			continue;
		}
		any = true;
		for (int r = 0; r < KAI_RES; r++)
			core.at[r] += held.at[r];
	}
	return ok && (!any || add_unit(kai, job->queue, &core));
}

struct victim {
	int64_t created;
	uint32_t leaf, job, task, at;
};

/* Queues by age; jobs as they came; tasks in their order. */
static int by_leaf(const void *a, const void *b)
{
	const struct victim *x = a, *y = b;
	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

static bool make_units(struct kai *kai, const uint32_t *task, uint32_t count)
{
	struct kai_solve_state *state = kai->solve;
	struct victim *victim = calloc((size_t)count + 1, sizeof(*victim));
	uint32_t *row = calloc((size_t)count + 1, sizeof(*row));
	bool ok = victim && row;
	state->unit_count = 0;
	state->stamp++;
	for (uint32_t i = 0; ok && i < count; i++) {
		const uint32_t job = kai->task[task[i]].job, leaf = kai->job[job].queue;
		uint32_t at = i;
		for (uint32_t k = 0; k < i && at == i; k++)
			if (victim[k].job == job)
				at = victim[k].at;
		victim[i] = (struct victim){ kai->queue[leaf].created, leaf, job, task[i], at };
	}
	if (ok)
		qsort(victim, count, sizeof(*victim), by_leaf);
	for (uint32_t i = 0; ok && i < count; i++)
		row[i] = victim[i].task;
	for (uint32_t i = 0, end; ok && i < count; i = end) {
		for (end = i + 1; end < count && victim[end].job == victim[i].job;)
			end++;
		ok = add_units(kai, row + i, end - i);
	}
	free(victim);
	free(row);
	return ok;
}

static bool accept(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs,
	const uint32_t *task, uint32_t count)
{
	const struct kai_solve_state *state = kai->solve;
	const struct kai_job *job = &kai->job[aim->job];
	const struct kai_taker taker = { job->queue, job->preemptible, needs, state->allocated,
		state->allocated_np };
	uint32_t before = KAI_NO;
	if ((kai->config.plugins & KAI_PLUGIN_PROPORTION) &&
		(!make_units(kai, task, count) ||
			!kai_reclaimable(kai, &taker, state->unit, state->unit_count)))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t victim = kai->task[task[i]].job;
		if (victim == before)
			continue;
		before = victim;
		if (kai_elastic(kai, victim) && protected_from(kai, job->queue, victim) &&
			!kai_keeps_minimum(kai, task, count, victim))
			return false;
	}
	return true;
}

/* ---- What they may lose at most ---- */

/* Of a queue: what its candidates hold of GPUs, the most that goes at once, and whether any of it may go. */
struct kai_headroom {
	int64_t held, unit;
	uint32_t solution; /* All of it is of this one. */
	bool open;
};

/* Even the smallest loss of this leaf is refused. With victims closer to the reclaimer than that, it is open.
 */
static bool refused(const struct kai *kai, const struct kai_taker *taker, uint32_t leaf, uint32_t deepest)
{
	const struct kai_unit least = { .leaf = leaf };
	return kai->queue[kai_loser(kai, taker->leaf, leaf)].depth == deepest &&
	       !kai_reclaimable(kai, taker, &least, 1);
}

/* As units go one by one while the queue is over its share or its quota: all that is over, and less than one
 * more. Of what is over in other resources no bound is known. */
static int64_t most_lost(const struct kai *kai, uint32_t row)
{
	const struct kai_headroom *headroom = &kai->solve->headroom[row];
	const struct kai_queue *queue = &kai->queue[row];
	int64_t over = 0;
	for (int r = 0; r < KAI_RES; r++) {
		const int64_t share = kai_allocatable(queue, (enum kai_res)r), quota = queue->quota.at[r];
		over = kai->solve->allocated[row].at[r] - (share < quota ? share : quota);
		if (r != KAI_GPUS && over > 0)
			return headroom->held;
	}
	if (over <= 0)
		return 0;
	return over + headroom->unit - 1 < headroom->held ? over + headroom->unit - 1 : headroom->held;
}

static int64_t held_by(const struct kai *kai, const struct kai_job *job)
{
	int64_t held = 0;
	for (uint32_t t = job->task; t < job->task + job->task_count; t++)
		if (kai->task[t].counted)
			held += kai_charge(kai, t).at[KAI_GPUS];
	return held;
}

static bool kai_reclaim_make_room(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (state->headroom_count < kai->queue_count) {
		free(state->headroom);
		state->headroom = calloc(kai->queue_count, sizeof(*state->headroom));
		state->headroom_count = state->headroom ? kai->queue_count : 0;
	}
	return state->headroom || sl_fail_memory(&kai->err) == 0;
}

/* What candidates hold, by the queue that would lose it; the deepest of these queues. */
static uint32_t kai_reclaim_hold(struct kai *kai, uint32_t leaf)
{
	struct kai_solve_state *state = kai->solve;
	uint32_t deepest = 0;
	state->stamp++;
	for (uint32_t i = 0; i < state->candidate.count; i++) {
		const struct kai_job *job = &kai->job[state->candidate.row[i]];
		const uint32_t loser = kai_loser(kai, leaf, job->queue);
		struct kai_headroom *headroom = &state->headroom[loser];
		const int64_t held = held_by(kai, job);
		if (headroom->solution != state->stamp)
			*headroom = (struct kai_headroom){ .solution = state->stamp };
		headroom->held += held;
		headroom->unit = held > headroom->unit ? held : headroom->unit;
		deepest = kai->queue[loser].depth > deepest ? kai->queue[loser].depth : deepest;
	}
	return deepest;
}

/* GPUs that candidates may lose, all together. */
static int64_t all_lost(struct kai *kai, const struct kai_taker *taker)
{
	struct kai_solve_state *state = kai->solve;
	const uint32_t deepest = kai_reclaim_hold(kai, taker->leaf);
	uint32_t before = KAI_NO;
	int64_t sum = 0;
	for (uint32_t i = 0; i < state->candidate.count; i++) {
		const uint32_t leaf = kai->job[state->candidate.row[i]].queue;
		if (leaf == before)
			continue;
		before = leaf;
		const uint32_t loser = kai_loser(kai, taker->leaf, leaf);
		struct kai_headroom *headroom = &state->headroom[loser];
		if (headroom->open || refused(kai, taker, leaf, deepest))
			continue;
		headroom->open = true;
		sum = kai_add(sum, most_lost(kai, loser));
	}
	return sum;
}

/* A share is charged more than the memory it takes, by less than a hundredth of a device. What the job's
 * tasks are charged so; below 0: some request memory, or MIG, of which too little is known. */
static int64_t slack_of(const struct kai *kai)
{
	const struct kai_rows_list *chunk = &kai->solve->chunk;
	enum { HUNDREDTHS = 100 };
	int64_t slack = 0;
	for (uint32_t i = 0; i < chunk->count; i++) {
		const struct kai_request *needs = &kai->request[kai->task[chunk->row[i]].request];
		if (needs->kind == KAI_FRACTION)
			slack += needs->gpus * (KAI_GPU / HUNDREDTHS);
		else if (needs->kind != KAI_WHOLE && needs->kind != KAI_NO_GPU)
			return -1;
	}
	return slack;
}

/* What is free, and all that may be lost, is less than what is requested. */
static bool hopeless(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *needs)
{
	const struct kai_solve_state *state = kai->solve;
	const struct kai_job *job = &kai->job[aim->job];
	const struct kai_taker taker = { job->queue, job->preemptible, needs, state->allocated,
		state->allocated_np };
	const int64_t slack = slack_of(kai);
	int64_t need = needs->at[KAI_GPUS] - slack;
	if (!(kai->config.plugins & KAI_PLUGIN_PROPORTION) || kai->config.priority_reclaim ||
		kai->config.exhaustive || slack < 0 || need <= 0)
		return false;
	need -= kai_stock(kai)->all.at[KAI_GPUS];
	return need > 0 && kai_reclaim_make_room(kai) && need > all_lost(kai, &taker);
}

/* ---- The action ---- */

static bool remember_accounting(struct kai *kai, uint32_t job)
{
	(void)job;
	struct kai_solve_state *state = kai->solve;
	if (state->allocated_count < kai->queue_count) {
		free(state->allocated);
		free(state->allocated_np);
		state->allocated = calloc(kai->queue_count, sizeof(*state->allocated));
		state->allocated_np = calloc(kai->queue_count, sizeof(*state->allocated_np));
		state->allocated_count = kai->queue_count;
	}
	if (!state->allocated || !state->allocated_np)
		return (void)sl_fail_memory(&kai->err), false;
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		state->allocated[i] = kai->queue[i].allocated;
		state->allocated_np[i] = kai->queue[i].allocated_np;
	}
	return true;
}

/* Its next chunk may be taken from others; false: not that, or there is none. */
static bool lets(struct kai *kai, uint32_t job)
{
	struct kai_rows_list *chunk = &kai->solve->chunk;
	if (!kai_rows_chunk(kai, chunk, job) || !chunk->count)
		return false;
	const struct kai_vec needs = kai_chunk_needs(kai, chunk->row, chunk->count, false);
	return !(kai->config.plugins & KAI_PLUGIN_PROPORTION) ||
	       kai_may_reclaim(kai, kai->job[job].queue, &needs, kai->job[job].preemptible);
}

void kai_act_reclaim(struct kai *kai)
{
	kai_search_for_all(kai, &(struct kai_search_for){ .aim = { .action = KAI_RECLAIM,
								  .candidates = candidates,
								  .accept = accept,
								  .hopeless = hopeless },
					.by_queue = true,
					.lets = lets,
					.may = remember_accounting });
}

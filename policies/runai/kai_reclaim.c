/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_reclaim.c - the action reclaim: a job below its queue's fair share takes back from other queues. (KAI:
 * actions/reclaim, plugins/proportion, plugins/minruntime.)
 */
#include "policies/runai/kai_solve_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Who may be a victim ---- */

static bool active(const struct kai_job *job)
{
	for (int s = KAI_ALLOCATED; s <= KAI_RUNNING; s++)
		if (job->group[0].count[s] > 0)
			return true;
	return false;
}

static bool protected_from(const struct kai *kai, uint32_t leaf, uint32_t victim)
{
	return (kai->config.plugins & KAI_PLUGIN_MINRUNTIME) &&
	       kai_protected(kai, victim, kai_reclaim_min(kai, leaf, kai->job[victim].queue));
}

static bool candidates(struct kai *kai, const struct kai_aim *aim, struct kai_rows_list *list)
{
	const uint32_t leaf = kai->job[aim->job].queue;
	const struct kai_vec ask = kai_chunk_ask(kai, kai->solve->chunk.row, kai->solve->chunk.count, false);
	for (uint32_t i = 0; i < kai->job_count; i++) {
		const struct kai_job *job = &kai->job[i];
		if (job->gone || job->queue == KAI_NO || job->queue == leaf || !job->preemptible ||
			!active(job))
			continue;
		if ((kai->config.plugins & KAI_PLUGIN_PROPORTION) &&
			!kai_victim_leaf(kai, leaf, &ask, job->queue))
			continue;
		if (!kai_elastic(kai, i) && protected_from(kai, leaf, i))
			continue;
		if (!kai_rows_add(kai, list, i))
			return false;
	}
	return list->count > 0;
}

/* ---- What they lose ---- */

static bool add_unit(struct kai *kai, uint32_t leaf, const struct kai_vec *ask)
{
	struct kai_solve_state *state = kai->solve;
	struct kai_unit *more =
		kai_more(kai, state->unit, &state->unit_capacity, state->unit_count + 1, sizeof(*more));
	if (!more)
		return false;
	state->unit = more;
	more[state->unit_count++] = (struct kai_unit){ leaf, *ask };
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

static bool accept(struct kai *kai, const struct kai_aim *aim, const struct kai_vec *ask,
	const uint32_t *task, uint32_t count)
{
	const struct kai_solve_state *state = kai->solve;
	const struct kai_job *job = &kai->job[aim->job];
	const struct kai_taker taker = { job->queue, job->preemptible, ask, state->allocated,
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

/* ---- The action ---- */

static bool remember_books(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	if (state->allocated_count < kai->queue_count) {
		free(state->allocated);
		free(state->allocated_np);
		state->allocated = calloc(kai->queue_count, sizeof(*state->allocated));
		state->allocated_np = calloc(kai->queue_count, sizeof(*state->allocated_np));
		state->allocated_count = kai->queue_count;
	}
	if (!state->allocated || !state->allocated_np)
		return (void)kai_fail(kai, SL_SYSTEM, "out of memory"), false;
	for (uint32_t i = 0; i < kai->queue_count; i++) {
		state->allocated[i] = kai->queue[i].allocated;
		state->allocated_np[i] = kai->queue[i].allocated_np;
	}
	return true;
}

/* What its next chunk asks; false: there is none. */
static bool ask_of(struct kai *kai, uint32_t job, struct kai_vec *ask)
{
	struct kai_rows_list *chunk = &kai->solve->chunk;
	uint32_t *more =
		kai_more(kai, chunk->row, &chunk->capacity, kai->job[job].task_count + 1, sizeof(*more));
	if (!more)
		return false;
	chunk->row = more;
	chunk->count = kai_next_chunk(kai, job, chunk->row);
	*ask = kai_chunk_ask(kai, chunk->row, chunk->count, false);
	return chunk->count > 0;
}

void kai_act_reclaim(struct kai *kai)
{
	const struct kai_config *config = &kai->config;
	if (!kai_lane_of_pending(kai, KAI_RECLAIM, false))
		return;
	struct kai_solve_state *state = kai->solve;
	kai_failed_clear(&state->failed);
	for (uint32_t job; (job = kai_lane_pop(kai, state->jobs)) != KAI_NO && !kai->err.status;) {
		const uint32_t leaf = kai->job[job].queue;
		struct kai_vec ask;
		if (kai_delayed(kai, job) || !ask_of(kai, job, &ask))
			continue;
		if ((config->plugins & KAI_PLUGIN_PROPORTION) &&
			!kai_may_reclaim(kai, leaf, &ask, kai->job[job].preemptible))
			continue;
		if (config->signatures && !kai_is_easier(kai, &state->failed, leaf, job))
			continue;
		const struct kai_aim aim = {
			.action = KAI_RECLAIM, .job = job, .candidates = candidates, .accept = accept
		};
		if (!remember_books(kai))
			return;
		if (!kai_solve(kai, &aim))
			kai_failed_add(kai, &state->failed, leaf, job);
	}
}

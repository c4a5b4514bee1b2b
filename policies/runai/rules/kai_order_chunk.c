/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order_chunk.c - what a job places next, all or nothing. (KAI: api/podgroup_info/allocation_info.)
 *
 * Of pods: what is missing to the minimum, or, with that, one. Of a set that has too few children with their
 * minimum: what is missing in its first children, as many as it needs; else the first child that places
 * something.
 */
#include "policies/runai/rules/kai_order_parts.h"

/* Tasks evicted by the simulation that goes on are allocated again: they are counted one by one. */
static int64_t evicted_of(const struct kai *kai, const struct kai_job *job, uint32_t group)
{
	int64_t count = 0;
	if (!job->group[group].count[KAI_RELEASING])
		return 0;
	for (uint32_t i = 0; i < job->task_count; i++) {
		const struct kai_task *task = &kai->task[job->task + i];
		count += task->group == group && task->state == KAI_RELEASING && kai_is_placeable(task);
	}
	return count;
}

/* So many tasks of these pods. */
static int64_t pods_take(const struct kai *kai, const struct kai_job *job, uint32_t group)
{
	const struct kai_group *pods = &job->group[group];
	const int64_t there = pods->count[KAI_PENDING] + evicted_of(kai, job, group);
	const int64_t active = kai_count_active(pods);
	const int64_t want = active >= pods->min ? 1 : pods->min - active;
	return want < there ? want : there;
}

/* What the set takes of its children, which stand in order. */
static int64_t set_take(struct kai *kai, uint32_t set)
{
	const struct kai_order_state *state = kai->order;
	const struct kai_branch *branch = &state->branch[set];
	const uint32_t *child = &state->child[branch->first];
	int64_t sum = 0;
	if (kai_branch_met(branch)) {
		for (uint32_t i = 0; i < branch->children && !sum; i++)
			sum = state->branch[child[i]].size;
		return sum;
	}
	for (uint32_t i = 0; i < branch->children && i < branch->min; i++)
		if (!kai_branch_met(&state->branch[child[i]]))
			sum += state->branch[child[i]].size;
	return sum;
}

/* From the leaves up: who has its minimum, and what it would place. */
static void size_tree(struct kai *kai, const struct kai_job *job)
{
	struct kai_branch *branch = kai->order->branch;
	for (uint32_t i = job->group_count; i-- > 0;) {
		const struct kai_group *group = &job->group[i];
		if (group->leaf) {
			branch[i].count = kai_count_active(group);
			branch[i].min = group->min;
			branch[i].size = pods_take(kai, job, i);
		} else {
			branch[i].min = kai_set_min(group, branch[i].children);
			kai_tree_sort(kai, job, i);
			branch[i].size = set_take(kai, i);
		}
		if (i && kai_branch_met(&branch[i]))
			branch[group->parent].count++;
	}
}

/* The children of a set that it takes from, on the stack, the first on top. */
static uint32_t push_taken(struct kai *kai, uint32_t set, uint32_t depth)
{
	struct kai_order_state *state = kai->order;
	const struct kai_branch *branch = &state->branch[set];
	const uint32_t *child = &state->child[branch->first];
	const uint32_t bottom = depth;
	for (uint32_t i = 0; i < branch->children; i++) {
		const struct kai_branch *of = &state->branch[child[i]];
		const bool met = kai_branch_met(branch);
		if (!of->size || (!met && (i >= branch->min || kai_branch_met(of))))
			continue;
		state->stack[depth++] = child[i];
		if (met)
			break;
	}
	for (uint32_t i = bottom, j = depth; i + 1 < j; i++) {
		const uint32_t swap = state->stack[i];
		state->stack[i] = state->stack[--j];
		state->stack[j] = swap;
	}
	return depth;
}

/* One pod set, and a root that needs no more than that. */
static bool is_flat(const struct kai_job *job)
{
	enum { FLAT = 2 };
	return job->group_count == FLAT && job->group[1].leaf &&
	       (job->group[0].min == KAI_NO || job->group[0].min <= 1);
}

bool kai_plain_chunk(const struct kai *kai, uint32_t row, uint32_t *request, uint32_t *take)
{
	const struct kai_job *job = &kai->job[row];
	if (!is_flat(job) || job->group[1].request == KAI_NO)
		return false;
	*request = job->group[1].request;
	*take = (uint32_t)pods_take(kai, job, 1);
	return true;
}

/* What the next chunk takes of each pod set, in order, in kai->order->part. */
static uint32_t kai_plan_chunk(struct kai *kai, uint32_t row)
{
	const struct kai_job *job = &kai->job[row];
	if (!kai_order_capacity(kai, row))
		return 0;
	struct kai_order_state *state = kai->order;
	if (is_flat(job)) {
		state->part[0] = (struct kai_part){ 1, (uint32_t)pods_take(kai, job, 1) };
		return state->part[0].take > 0;
	}
	kai_tree_link(kai, job);
	size_tree(kai, job);
	uint32_t count = 0, depth = 0;
	state->stack[depth++] = 0;
	while (depth) {
		const uint32_t at = state->stack[--depth];
		if (job->group[at].leaf)
			state->part[count++] = (struct kai_part){ at, (uint32_t)state->branch[at].size };
		else
			depth = push_taken(kai, at, depth);
	}
	return count;
}

/* The first placeable tasks of each part, in the order of the parts. */
static uint32_t list_tasks(struct kai *kai, const struct kai_job *job, uint32_t parts, uint32_t *task)
{
	struct kai_order_state *state = kai->order;
	uint32_t total = 0, found = 0;
	for (uint32_t i = 0; i < job->group_count; i++)
		state->filled[i] = KAI_NO;
	for (uint32_t i = 0; i < parts; i++) {
		state->filled[state->part[i].group] = i;
		state->stack[i] = total; /* Where its next goes. */
		total += state->part[i].take;
	}
	for (uint32_t i = 0; i < job->task_count && found < total; i++) {
		const struct kai_task *of = &kai->task[job->task + i];
		const uint32_t part = state->filled[of->group];
		if (part == KAI_NO || !state->part[part].take || !kai_is_placeable(of))
			continue;
		state->part[part].take--;
		task[state->stack[part]++] = job->task + i;
		found++;
	}
	return found;
}

uint32_t kai_next_chunk(struct kai *kai, uint32_t job, uint32_t *task)
{
	const uint32_t parts = kai_plan_chunk(kai, job);
	return list_tasks(kai, &kai->job[job], parts, task);
}

/* ---- What it is charged ---- */

static void kai_order_chunk_add(struct kai_vec *sum, const struct kai_vec *vec, int64_t times)
{
	for (int i = 0; i < KAI_RES; i++)
		sum->at[i] += times * vec->at[i];
}

struct kai_vec kai_chunk_needs(const struct kai *kai, const uint32_t *task, uint32_t count, bool least)
{
	struct kai_vec sum = { 0 };
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_vec one = least ? kai_charge_least(kai, task[i])
						 : kai_charge_request(kai, kai->task[task[i]].request);
		kai_order_chunk_add(&sum, &one, 1);
	}
	return sum;
}

/* The first placeable tasks of a pod set whose tasks differ in their requests. */
static void add_part(
	const struct kai *kai, const struct kai_job *job, const struct kai_part *part, struct kai_vec *sum)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < job->task_count && found < part->take; i++) {
		const struct kai_task *of = &kai->task[job->task + i];
		if (of->group != part->group || !kai_is_placeable(of))
			continue;
		const struct kai_vec one = kai_charge_request(kai, of->request);
		kai_order_chunk_add(sum, &one, 1);
		found++;
	}
}

struct kai_vec kai_plain_needs(const struct kai *kai, uint32_t request, uint32_t take)
{
	struct kai_vec sum = { 0 };
	const struct kai_vec one = kai_charge_request(kai, request);
	kai_order_chunk_add(&sum, &one, take);
	return sum;
}

struct kai_vec kai_next_needs(struct kai *kai, uint32_t row)
{
	const struct kai_job *job = &kai->job[row];
	const uint32_t parts = kai_plan_chunk(kai, row);
	struct kai_vec sum = { 0 };
	for (uint32_t i = 0; i < parts; i++) {
		const struct kai_part *part = &kai->order->part[i];
		const uint32_t request = job->group[part->group].request;
		if (request == KAI_NO) {
			add_part(kai, job, part, &sum);
			continue;
		}
		const struct kai_vec one = kai_plain_needs(kai, request, part->take);
		kai_order_chunk_add(&sum, &one, 1);
	}
	return sum;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order_evict.c - what of a job is evicted next. (KAI: api/podgroup_info/eviction_info.)
 *
 * One task of pods that have more than their minimum, of the sub-group that is last in order; if there is
 * none below, and a set has more children with their minimum than it needs, its last child, whole; else all.
 * Tasks go the other way round: the last first.
 */
#include "policies/runai/rules/kai_order_parts.h"

#include <string.h>

/* Active tasks by pod set, without those that are gone. */
static void count_leaves(struct kai *kai, const struct kai_job *job, const uint8_t *gone)
{
	struct kai_branch *branch = kai->order->branch;
	for (uint32_t i = 0; i < job->group_count; i++)
		if (job->group[i].leaf)
			branch[i].size = kai_count_active(&job->group[i]);
	for (uint32_t i = 0; gone && i < job->task_count; i++) {
		const struct kai_task *task = &kai->task[job->task + i];
		branch[task->group].size -= gone[i] && kai_active_allocated((uint32_t)task->state);
	}
}

/* What is evicted of a set short of all: of its last child that has something to spare, or its last child. */
static void pick_of_set(struct kai *kai, struct kai_branch *set)
{
	const struct kai_order_state *state = kai->order;
	const uint32_t *child = &state->child[set->first];
	if (!set->count)
		return;
	for (uint32_t i = set->children; set->surplus && i-- > 0 && set->pick == KAI_NO;) {
		set->pick = state->branch[child[i]].pick;
		set->whole = state->branch[child[i]].whole;
	}
	if (set->count <= set->min || set->pick != KAI_NO)
		return;
	for (uint32_t i = set->children; i-- > 0 && set->pick == KAI_NO;)
		if (state->branch[child[i]].size)
			set->pick = child[i];
	set->whole = true;
}

static void pick_tree(struct kai *kai, const struct kai_job *job)
{
	struct kai_branch *branch = kai->order->branch;
	for (uint32_t i = job->group_count; i-- > 0;) {
		const struct kai_group *group = &job->group[i];
		struct kai_branch *at = &branch[i];
		at->pick = KAI_NO;
		if (group->leaf) {
			at->count = at->size;
			at->min = group->min;
			at->surplus = at->count > at->min;
			at->pick = at->surplus ? i : KAI_NO;
		} else {
			at->min = kai_set_min(group, at->children);
			at->surplus |= at->count > at->min;
			kai_tree_sort(kai, job, i);
			pick_of_set(kai, at);
		}
		if (!i)
			continue;
		branch[group->parent].count += kai_branch_met(at);
		branch[group->parent].size += at->size;
		branch[group->parent].surplus |= at->surplus;
	}
}

/* The last task of a leaf, or all below a group, the last first. */
static uint32_t list_picked(struct kai *kai, const struct kai_job *job, const uint8_t *gone, uint32_t *task)
{
	struct kai_order_state *state = kai->order;
	const uint32_t pick = state->branch[0].pick != KAI_NO ? state->branch[0].pick : 0;
	const bool one = job->group[pick].leaf && !state->branch[0].whole;
	for (uint32_t i = 0; i < job->group_count; i++)
		state->filled[i] = i == pick || (i && state->filled[job->group[i].parent]);
	uint32_t count = 0;
	for (uint32_t i = job->task_count; i-- > 0 && !(one && count);) {
		const struct kai_task *of = &kai->task[job->task + i];
		if (state->filled[of->group] && kai_active_allocated((uint32_t)of->state) &&
			!(gone && gone[i]))
			task[count++] = job->task + i;
	}
	return count;
}

uint32_t kai_eviction_chunk(struct kai *kai, uint32_t row, const uint8_t *gone, uint32_t *task, bool *more)
{
	const struct kai_job *job = &kai->job[row];
	*more = false;
	if (!kai_order_capacity(kai, row))
		return 0;
	kai_tree_link(kai, job);
	count_leaves(kai, job, gone);
	pick_tree(kai, job);
	const uint32_t count = list_picked(kai, job, gone, task);
	*more = count < (uint64_t)kai->order->branch[0].size;
	return count;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_order_tree.c - the tree of a job's groups: children together, and in the order of sub-groups. (KAI:
 * plugin subgrouporder.)
 *
 * One without its minimum goes before one that has it; of those that have it the one with less of its
 * minimum, twice, thrice... over; what needs nothing (minimum 0) is last, the one with fewer first; then the
 * name.
 */
#include "policies/runai/rules/kai_order_parts.h"

#include <stdlib.h>
#include <string.h>

bool kai_order_capacity(struct kai *kai, uint32_t job)
{
	const uint32_t groups = kai->job[job].group_count;
	if (!kai->order)
		kai->order = calloc(1, sizeof(*kai->order));
	struct kai_order_state *state = kai->order;
	if (!state)
		return (void)sl_fail_memory(&kai->err), false;
	if (groups <= state->capacity)
		return true;
	const uint32_t headroom = groups * 2;
	if (SL_RESIZE(state->branch, headroom, &kai->err) || SL_RESIZE(state->child, headroom, &kai->err) ||
		SL_RESIZE(state->kin, headroom, &kai->err) || SL_RESIZE(state->stack, headroom, &kai->err) ||
		SL_RESIZE(state->part, headroom, &kai->err) || SL_RESIZE(state->filled, headroom, &kai->err))
		return false;
	state->capacity = headroom;
	return true;
}

void kai_order_free(struct kai *kai)
{
	struct kai_order_state *state = kai->order;
	if (!state)
		return;
	free(state->branch);
	free(state->child);
	free(state->kin);
	free(state->stack);
	free(state->part);
	free(state->filled);
	free(state);
	kai->order = NULL;
}

void kai_tree_link(struct kai *kai, const struct kai_job *job)
{
	struct kai_order_state *state = kai->order;
	memset(state->branch, 0, job->group_count * sizeof(*state->branch));
	for (uint32_t i = 1; i < job->group_count; i++)
		state->branch[job->group[i].parent].children++;
	uint32_t first = 0;
	for (uint32_t i = 0; i < job->group_count; i++) {
		state->branch[i].first = first;
		first += state->branch[i].children;
		state->filled[i] = 0;
	}
	for (uint32_t i = 1; i < job->group_count; i++) {
		const uint32_t parent = job->group[i].parent;
		state->child[state->branch[parent].first + state->filled[parent]++] = i;
	}
}

static int by_count(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_kin(const void *left, const void *right)
{
	const struct kai_kin *a = left, *b = right;
	const bool a_met = a->count >= a->min, b_met = b->count >= b->min;
	int order = a_met - b_met;
	if (!order && a_met)
		order = (a->min == 0) - (b->min == 0);
	if (!order && a_met)
		order = a->min ? by_count(a->count * b->min, b->count * a->min)
			       : by_count(a->count, b->count);
	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : by_count(a->row, b->row);
}

void kai_tree_sort(struct kai *kai, const struct kai_job *job, uint32_t set)
{
	const struct kai_order_state *state = kai->order;
	const struct kai_branch *branch = &state->branch[set];
	const bool by_minimum = kai->config.plugins & KAI_PLUGIN_SUBGROUPORDER;
	uint32_t *child = &state->child[branch->first];
	if (branch->children < 2)
		return;
	for (uint32_t i = 0; i < branch->children; i++) {
		const struct kai_branch *of = &state->branch[child[i]];
		state->kin[i] = (struct kai_kin){ by_minimum ? of->count : 0, by_minimum ? of->min : 1,
			job->group[child[i]].name, child[i] };
	}
	qsort(state->kin, branch->children, sizeof(*state->kin), compare_kin);
	for (uint32_t i = 0; i < branch->children; i++)
		child[i] = state->kin[i].row;
}

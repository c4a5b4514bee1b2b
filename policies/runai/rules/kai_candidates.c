/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_candidates.c - which jobs an action looks at. (KAI: actions/utils/input_jobs.go, plugins/minruntime,
 * and the preemption delay.)
 */
#include "policies/runai/rules/kai_solve_parts.h"

bool kai_lane_of_pending(struct kai *kai, enum kai_action action, bool preemptible_only)
{
	struct kai_solve_state *state = kai_solve_state(kai);
	const uint32_t depth = kai->config.depth[action];
	if (!state)
		return false;
	if (state->jobs)
		kai_lane_clear(state->jobs, KAI_NEXT, depth);
	else
		state->jobs = kai_lane_new(kai, KAI_NEXT, depth);
	state->replay_known = false;
	kai_bounds_open(kai);
	for (uint32_t i = 0; state->jobs && (i = kai_list_next(kai, KAI_WAITING, i)) != KAI_NO; i++)
		if (kai_eligible(kai, i) && (!preemptible_only || kai->job[i].preemptible))
			kai_lane_push(kai, state->jobs, i);
	return state->jobs && !kai->err.status;
}

bool kai_rows_chunk(struct kai *kai, struct kai_rows_list *list, uint32_t job)
{
	if (SL_GROW(list->row, list->capacity, kai->job[job].task_count + 1, &kai->err))
		return false;
	list->count = kai_next_chunk(kai, job, list->row);
	return true;
}

/* The job that failed, and the leaf it counts for; KAI_NO: for all. */
struct failed_there {
	uint32_t job, leaf;
};

/* As kai_is_easier, of jobs of one task. With one of more tasks among them none is passed over yet: if it
 * fails in between, who has fewer tasks is easier than that. Nor those of a leaf that it does not count for:
 * it was the last of its own. */
static enum kai_stay may_be_easier(const struct kai *kai, uint32_t job, const void *of)
{
	const struct failed_there *there = of;
	const struct kai_job *row = &kai->job[job], *failed = &kai->job[there->job];
	if (there->leaf != KAI_NO && row->queue != there->leaf)
		return KAI_NONE_GOES;
	if (row->signature != failed->signature)
		return KAI_STAYS;
	if (row->task_count != 1)
		return KAI_NONE_GOES;
	const uint32_t mine = kai->task[row->task].request, others = kai->task[failed->task].request;
	return row->delay > 0 || (mine != others && kai_requests_less(kai, mine, others)) ? KAI_STAYS
											  : KAI_GOES;
}

/* Those who wait with it, and would be passed over in their turn: it failed, and they request no less. */
static void dismiss(struct kai *kai, uint32_t leaf, uint32_t job)
{
	struct kai_solve_state *state = kai->solve;
	if (kai->config.signatures && !kai->config.stepwise && kai->job[job].task_count == 1 &&
		kai_failed_most(&state->failed, leaf, kai->job[job].signature) == job)
		kai_lane_prune(kai, state->jobs, may_be_easier, &(struct failed_there){ job, leaf });
}

void kai_search_for_all(struct kai *kai, const struct kai_search_for *how)
{
	struct kai_aim aim = how->aim;
	if (!kai_lane_of_pending(kai, aim.action, how->preemptible_only))
		return;
	struct kai_solve_state *state = kai->solve;
	kai_failed_clear(&state->failed);
	for (; (aim.job = kai_lane_pop(kai, state->jobs)) != KAI_NO && !kai->err.status;) {
		const uint32_t leaf = how->by_queue ? kai->job[aim.job].queue : KAI_NO;
		if (kai_delayed(kai, aim.job) || kai_backs_off(kai, aim.action, aim.job) ||
			(how->lets && !how->lets(kai, aim.job)))
			continue;
		if (kai->config.signatures && !kai_is_easier(kai, &state->failed, leaf, aim.job))
			continue;
		if (how->may(kai, aim.job) && kai_solve(kai, &aim))
			continue;
		kai_failed_add(kai, &state->failed, leaf, aim.job);
		dismiss(kai, leaf, aim.job);
	}
}

/* Until then it may start on what is free, and have nobody evicted: since it was made, or last evicted. */
bool kai_delayed(struct kai *kai, uint32_t job)
{
	struct kai_job *row = &kai->job[job];
	const sl_time since =
		row->evicted_at != SL_NONE && row->evicted_at > row->created ? row->evicted_at : row->created;
	if (row->delay <= 0 || kai->now >= since + row->delay)
		return false;
	row->why = KAI_DELAY_NOT_ELAPSED;
	row->why_a = since + row->delay;
	return true;
}

bool kai_keeps_minimum(struct kai *kai, const uint32_t *task, uint32_t count, uint32_t job)
{
	const struct kai_job *row = &kai->job[job];
	for (uint32_t g = 0; g < row->group_count; g++) {
		const struct kai_group *group = &row->group[g];
		int64_t lost = 0, active = 0;
		if (!group->leaf)
			continue;
		for (uint32_t i = 0; i < count; i++)
			lost += kai->task[task[i]].job == job && kai->task[task[i]].group == g;
		for (int s = KAI_ALLOCATED; s <= KAI_STUCK; s++)
			active += group->count[s];
		if (lost && active - lost < group->min)
			return false;
	}
	return true;
}

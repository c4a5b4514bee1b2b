/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_gates.c - whether a queue is over its limit or quota, whatever is free; and minimum runtimes.
 *
 * Rules: KAI, pkg/scheduler/plugins/proportion/capacity_policy (limits; what is not preemptible stays within
 * the quota, at every level) and pkg/scheduler/plugins/minruntime (resolver.go).
 */
#include "policies/runai/rules/kai_share.h"

/* ---- Limit and quota ---- */

/* The first resource of those requested that would go beyond, of that queue; KAI_RES: none. */
static int beyond(const struct kai_vec *held, const struct kai_vec *needs, const struct kai_vec *bound)
{
	for (int res = 0; res < KAI_RES; res++)
		if (needs->at[res] > 0 && kai_add(held->at[res], needs->at[res]) > bound->at[res])
			return res;
	return KAI_RES;
}

static bool kai_gates_reported(uint32_t queue, int res, const struct kai_vec *held,
	const struct kai_vec *needs, const struct kai_vec *bound, struct kai_blocked *how)
{
	if (how)
		*how = (struct kai_blocked){ queue, (enum kai_res)res, needs->at[res], held->at[res],
			bound->at[res] };
	return true;
}

/* Of the leaf or a queue above it. */
static bool any_beyond(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, bool np, struct kai_blocked *how)
{
	if (!(kai->config.plugins & KAI_PLUGIN_PROPORTION))
		return false;
	for (uint32_t at = leaf; at != KAI_NO; at = kai->queue[at].parent) {
		const struct kai_queue *queue = &kai->queue[at];
		const struct kai_vec *held = np ? &queue->allocated_np : &queue->allocated;
		const struct kai_vec *bound = np ? &queue->quota : &queue->limit;
		const int res = beyond(held, needs, bound);
		if (res != KAI_RES)
			return kai_gates_reported(at, res, held, needs, bound, how);
	}
	return false;
}

bool kai_over_limit(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, struct kai_blocked *how)
{
	return any_beyond(kai, leaf, needs, false, how);
}

bool kai_np_over_quota(
	const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, struct kai_blocked *how)
{
	return any_beyond(kai, leaf, needs, true, how);
}

/* ---- Minimum run times ---- */

sl_time kai_preempt_min(const struct kai *kai, uint32_t victim_leaf)
{
	for (uint32_t at = victim_leaf; at != KAI_NO; at = kai->queue[at].parent)
		if (kai->queue[at].preempt_min != SL_NONE)
			return kai->queue[at].preempt_min;
	return kai->config.preempt_min;
}

/* The victim's ancestor just below where both come together (itself, if the reclaimer's is at or below it).
 */
static uint32_t below_common(const struct kai *kai, uint32_t reclaimer, uint32_t victim)
{
	uint32_t at = victim;
	while (kai->queue[reclaimer].depth > kai->queue[at].depth)
		reclaimer = kai->queue[reclaimer].parent;
	while (kai->queue[at].depth > kai->queue[reclaimer].depth) {
		if (kai->queue[at].parent == reclaimer)
			return at;
		at = kai->queue[at].parent;
	}
	while (at != reclaimer && kai->queue[at].parent != kai->queue[reclaimer].parent) {
		at = kai->queue[at].parent;
		reclaimer = kai->queue[reclaimer].parent;
	}
	return at;
}

sl_time kai_reclaim_min(const struct kai *kai, uint32_t reclaimer_leaf, uint32_t victim_leaf)
{
	uint32_t at =
		kai->config.reclaim_by_queue ? victim_leaf : below_common(kai, reclaimer_leaf, victim_leaf);
	for (; at != KAI_NO; at = kai->queue[at].parent)
		if (kai->queue[at].reclaim_min != SL_NONE)
			return kai->queue[at].reclaim_min;
	return kai->config.reclaim_min;
}

bool kai_protected(const struct kai *kai, uint32_t job, sl_time least)
{
	const sl_time started = kai->job[job].started;
	return started != SL_NONE && kai->now - started < least;
}

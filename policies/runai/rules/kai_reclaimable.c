/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_reclaimable.c - which queue may reclaim from which: the test before a reclaim, the candidate victims,
 * and whether the scenario of a simulation is accepted.
 *
 * Rules: KAI, pkg/scheduler/plugins/proportion/reclaimable and its strategies. Two leaves are compared as
 * their ancestors that differ first: projects of two departments as the departments.
 *
 * config.priority_reclaim is queuePriorityInQuotaReclaim of KAI's pull request 2104 (2026-09, off by
 * default): a queue within its quota may also reclaim what another one of strictly lower priority holds
 * within its own. The priorities compared are those of the pair of ancestors, and the order of queues looks
 * at them first where both are within quota.
 */
#include "policies/runai/rules/kai_share.h"

#include <math.h>

static struct kai_vec plus(const struct kai_vec *a, const struct kai_vec *b)
{
	struct kai_vec sum;
	for (int res = 0; res < KAI_RES; res++)
		sum.at[res] = kai_add(a->at[res], b->at[res]);
	return sum;
}

/* In every resource; unlimited is more than anything. */
static bool kai_reclaimable_within(const struct kai_vec *amount, const struct kai_vec *bound)
{
	for (int res = 0; res < KAI_RES; res++)
		if (amount->at[res] > bound->at[res])
			return false;
	return true;
}

static bool kai_reclaimable_fits(
	const struct kai_vec *held, const struct kai_vec *needs, const struct kai_vec *bound)
{
	const struct kai_vec both = plus(held, needs);
	return kai_reclaimable_within(&both, bound);
}

/* ---- The pair that is compared ---- */

struct pair {
	uint32_t reclaimer, victim;
};

static struct pair pair_of(const struct kai *kai, uint32_t reclaimer, uint32_t victim)
{
	const struct kai_queue *queue = kai->queue;
	while (queue[reclaimer].depth > queue[victim].depth)
		reclaimer = queue[reclaimer].parent;
	while (queue[victim].depth > queue[reclaimer].depth)
		victim = queue[victim].parent;
	while (queue[reclaimer].parent != queue[victim].parent) {
		reclaimer = queue[reclaimer].parent;
		victim = queue[victim].parent;
	}
	return (struct pair){ reclaimer, victim };
}

uint32_t kai_loser(const struct kai *kai, uint32_t leaf, uint32_t victim)
{
	return pair_of(kai, leaf, victim).victim;
}

/* ---- Strategies ---- */

bool kai_maintains_fair_share(const struct kai_queue *victim, const struct kai_vec *remaining)
{
	for (int res = 0; res < KAI_RES; res++)
		if (remaining->at[res] > kai_allocatable(victim, (enum kai_res)res))
			return true;
	return false;
}

bool kai_guarantees_quota(const struct kai_queue *reclaimer, const struct kai_vec *allocated,
	const struct kai_vec *needs, const struct kai_queue *victim, const struct kai_vec *remaining)
{
	return kai_reclaimable_fits(allocated, needs, &reclaimer->quota) &&
	       !kai_reclaimable_within(remaining, &victim->quota);
}

bool kai_takes_by_priority(const struct kai *kai, const struct kai_queue *reclaimer,
	const struct kai_vec *allocated, const struct kai_vec *needs, const struct kai_queue *victim)
{
	return kai->config.priority_reclaim && reclaimer->priority > victim->priority &&
	       kai_reclaimable_fits(allocated, needs, &reclaimer->quota);
}

/* ---- Before a simulation ---- */

bool kai_may_reclaim(const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, bool preemptible)
{
	const struct kai_queue *queue = &kai->queue[leaf];
	if (!kai_reclaimable_fits(&queue->allocated, needs, &queue->fair))
		return false;
	return preemptible || kai_reclaimable_fits(&queue->allocated_np, needs, &queue->quota);
}

/* Of what is requested, something is over the victim's quota, or nothing is under it (at it: what runs there
 * may fit elsewhere). */
static bool may_lose(const struct kai_queue *victim, const struct kai_vec *needs)
{
	bool under = false;
	for (int res = 0; res < KAI_RES; res++) {
		const int64_t quota = victim->quota.at[res], held = victim->allocated.at[res];
		if (needs->at[res] <= 0 || quota == KAI_UNLIMITED)
			continue;
		if (held > quota)
			return true;
		under = under || held < quota;
	}
	return !under;
}

bool kai_victim_leaf(const struct kai *kai, uint32_t leaf, const struct kai_vec *needs, uint32_t victim)
{
	const struct pair pair = pair_of(kai, leaf, victim);
	const struct kai_queue *taker = &kai->queue[pair.reclaimer], *loser = &kai->queue[pair.victim];
	if (!kai_reclaimable_fits(&taker->allocated, needs, &taker->quota))
		return kai_maintains_fair_share(loser, &loser->allocated);
	if (kai_takes_by_priority(kai, taker, &taker->allocated, needs, loser))
		return true;
	return may_lose(loser, needs);
}

/* ---- After one ---- */

static uint8_t positive(const struct kai_vec *vec)
{
	uint8_t bits = 0;
	for (int res = 0; res < KAI_RES; res++)
		if (vec->at[res] > 0)
			bits |= (uint8_t)(1U << res);
	return bits;
}

/* What the queue has left, from now on kept in the array. */
static struct kai_vec *remaining_of(const struct kai *kai, const struct kai_vec *allocated, uint32_t queue)
{
	struct kai_share_state *state = kai->share;
	if (!state->involved[queue]) {
		state->involved[queue] = KAI_LOSES;
		state->remaining[queue] = allocated[queue];
		state->touched[state->touched_count++] = queue;
	}
	return &state->remaining[queue];
}

static void forget(const struct kai *kai)
{
	struct kai_share_state *state = kai->share;
	while (state->touched_count)
		state->involved[state->touched[--state->touched_count]] = 0;
}

static void lose(const struct kai *kai, const struct kai_vec *allocated, const struct kai_unit *unit)
{
	const uint8_t bits = positive(&unit->needs);
	for (uint32_t at = unit->leaf; at != KAI_NO; at = kai->queue[at].parent) {
		struct kai_vec *remaining = remaining_of(kai, allocated, at);
		for (int res = 0; res < KAI_RES; res++)
			remaining->at[res] = kai_sub(remaining->at[res], unit->needs.at[res]);
		kai->share->involved[at] |= bits;
	}
}

/* Each unit may be taken, as things stand before it is. */
static bool units_may_go(
	const struct kai *kai, const struct kai_taker *taker, const struct kai_unit *unit, uint32_t count)
{
	struct pair pair = { KAI_NO, KAI_NO };
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || unit[i].leaf != unit[i - 1].leaf)
			pair = pair_of(kai, taker->leaf, unit[i].leaf);
		const struct kai_queue *ours = &kai->queue[pair.reclaimer], *loser = &kai->queue[pair.victim];
		const struct kai_vec *held = &taker->allocated[pair.reclaimer];
		const struct kai_vec *remaining = remaining_of(kai, taker->allocated, pair.victim);
		if (!kai_maintains_fair_share(loser, remaining) &&
			!kai_guarantees_quota(ours, held, taker->needs, loser, remaining) &&
			!kai_takes_by_priority(kai, ours, held, taker->needs, loser))
			return false;
		lose(kai, taker->allocated, &unit[i]);
	}
	return true;
}

/* Allocated to fair share. */
static double saturation(int64_t allocated, int64_t fair)
{
	if (fair == KAI_UNLIMITED)
		return 0;
	if (fair == 0)
		return allocated > 0 ? HUGE_VAL : 0;
	return (double)allocated / (double)fair;
}

/* The reclaimer, with what it reclaims, does not come out fuller than a sibling that loses. */
static bool stays_below(const struct kai *kai, const struct kai_queue *taker, const struct kai_vec *after,
	uint32_t sibling, uint8_t bits)
{
	const struct kai_share_state *state = kai->share;
	const struct kai_queue *loser = &kai->queue[sibling];
	bits |= state->involved[sibling];
	for (int res = 0; res < KAI_RES; res++) {
		const int64_t fair = loser->fair.at[res];
		if (!(bits & 1U << res) || fair <= 0 || fair == KAI_UNLIMITED)
			continue;
		const double ours = saturation(after->at[res], taker->fair.at[res]);
		const double theirs = saturation(state->remaining[sibling].at[res], fair);
		if (ours > 1 && ours * kai->config.saturation >= theirs)
			return false;
	}
	return true;
}

static bool within_bounds(const struct kai *kai, const struct kai_taker *taker)
{
	const struct kai_share_state *state = kai->share;
	const uint8_t bits = positive(taker->needs);
	for (uint32_t at = taker->leaf; at != KAI_NO; at = kai->queue[at].parent) {
		const struct kai_queue *ours = &kai->queue[at];
		const struct kai_vec *held =
			state->involved[at] ? &state->remaining[at] : &taker->allocated[at];
		const struct kai_vec after = plus(held, taker->needs);
		for (uint32_t i = 0; i < state->touched_count; i++) {
			const uint32_t sibling = state->touched[i];
			if (sibling != at && kai->queue[sibling].parent == ours->parent &&
				!stays_below(kai, ours, &after, sibling, bits))
				return false;
		}
		if (!taker->preemptible &&
			!kai_reclaimable_fits(&taker->allocated_np[at], taker->needs, &ours->quota))
			return false;
	}
	return true;
}

bool kai_reclaimable(
	const struct kai *kai, const struct kai_taker *taker, const struct kai_unit *unit, uint32_t count)
{
	const bool may = units_may_go(kai, taker, unit, count) && within_bounds(kai, taker);
	forget(kai);
	return may;
}

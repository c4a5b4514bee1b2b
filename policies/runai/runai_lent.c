/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_lent.c - whose idle quota is it that others use? KAI keeps no such account; this is a rule of ours.
 *
 * Level by level, from the roots: what siblings hold beyond their quotas, and what the queue above them lends
 * to others, is charged to those siblings that hold less than their quota, in proportion to what each leaves
 * idle, and to no more than that. What is left is of nobody's quota at this level: of the queue above, of
 * what that was lent, or of GPUs that are in no quota. So where quotas add up to those of the queue above and
 * in the end to the cluster, all that is lent is all that is held over quota.
 *
 * An unlimited quota is never exceeded, and leaves nothing idle.
 */
#include "policies/runai/runai.h"

struct lending {
	const struct kai *kai;
	const int64_t *quota, *used;
	int64_t *lent;
};

static int64_t idle_of(const struct lending *all, uint32_t queue)
{
	const int64_t quota = all->quota[queue], used = all->used[queue];
	return quota == KAI_UNLIMITED || quota <= used ? 0 : quota - used;
}

static int64_t over_of(const struct lending *all, uint32_t queue)
{
	const int64_t quota = all->quota[queue], used = all->used[queue];
	return quota == KAI_UNLIMITED || quota >= used ? 0 : used - quota;
}

/* In whole units; those that are left over one each, to the first. */
static void divide(
	const struct lending *all, const uint32_t *sibling, uint32_t count, int64_t idle, int64_t amount)
{
	int64_t left = amount;
	for (uint32_t i = 0; i < count; i++) {
		const __int128 part = (__int128)amount * idle_of(all, sibling[i]) / (idle ? idle : 1);
		all->lent[sibling[i]] = (int64_t)part;
		left -= (int64_t)part;
	}
	for (uint32_t i = 0; i < count && left > 0; i++)
		if (all->lent[sibling[i]] < idle_of(all, sibling[i])) {
			all->lent[sibling[i]]++;
			left--;
		}
}

/* outside: what the queue above lends. */
static void lend_among(const struct lending *all, const uint32_t *sibling, uint32_t count, int64_t outside)
{
	int64_t idle = 0, wanted = outside;
	for (uint32_t i = 0; i < count; i++) {
		idle = kai_add(idle, idle_of(all, sibling[i]));
		wanted = kai_add(wanted, over_of(all, sibling[i]));
	}
	divide(all, sibling, count, idle, wanted < idle ? wanted : idle);
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_queue *queue = &all->kai->queue[sibling[i]];
		if (queue->child_count)
			lend_among(all, queue->child, queue->child_count, all->lent[sibling[i]]);
	}
}

void runai_lend(const struct kai *kai, const int64_t *quota, const int64_t *used, int64_t *lent)
{
	const struct lending all = { kai, quota, used, lent };
	for (uint32_t i = 0; i < kai->queue_count; i++)
		lent[i] = 0; /* Of all, be they in no tree. */
	lend_among(&all, kai->root, kai->root_count, 0);
}

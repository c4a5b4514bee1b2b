/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tournament.c - the order of a cycle's entries with fair sharing.
 *
 * Rules: KEP-1714 (fair sharing, admission) and KEP-79 (hierarchical cohorts), by the scheduler's code
 * (fair_sharing_iterator.go) at the commit that kq.h names. Kueue leaves the order over trees to a map; here
 * they go by the names of their roots, one after the other: no tree's entries change the shares of another.
 */
#include "policies/kueue/rules/kq_fair_order.h"

#include <stdlib.h>
#include <string.h>

struct kq_fair_order {
	const struct kq_fair_entry *entry;
	uint32_t *first; /* By node: of its entries the one that stands for it; KQ_NO. */
	uint32_t *after; /* By entry: who stands for its queue after it. */
	uint32_t *left;  /* By node: entries in its subtree. */
	uint32_t *root;  /* Trees, by name. */
	uint32_t root_count, root_at;
};

/* Who stands for a child of a cohort, and how the child would be with it. */
struct contender {
	uint32_t entry;
	bool borrows; /* In a cell that the entry requests. */
	struct kq_share share;
};

/* ---- Made once ---- */

struct tree {
	const char *name;
	uint32_t root;
	bool is_queue;
};

static int kq_tournament_by_name(const void *left, const void *right)
{
	const struct tree *a = left, *b = right;
	const int order = strcmp(a->name, b->name);
	if (order)
		return order;
	if (a->is_queue != b->is_queue)
		return a->is_queue ? 1 : -1;
	return (a->root > b->root) - (a->root < b->root);
}

/* root: as many as there are entries. */
static void list_trees(const struct kq *kq, struct kq_fair_order *order, struct tree *tree, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct kq_node *root = &kq->node[kq->node[order->entry[i].queue].root];
		tree[i] = (struct tree){ root->name, kq->node[order->entry[i].queue].root, root->is_queue };
	}
	if (count)
		qsort(tree, count, sizeof(*tree), kq_tournament_by_name);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || tree[i].root != tree[i - 1].root)
			order->root[order->root_count++] = tree[i].root;
}

/* Several of one queue (a second pass has more than its head) stand in the classical order. */
static void put_entry(const struct kq *kq, struct kq_fair_order *order, uint32_t entry)
{
	uint32_t *link = &order->first[order->entry[entry].queue];
	while (*link != KQ_NO &&
		kq_entry_compare(kq, &order->entry[*link].key, &order->entry[entry].key) <= 0)
		link = &order->after[*link];
	order->after[entry] = *link;
	*link = entry;
	for (uint32_t n = order->entry[entry].queue; n != KQ_NO; n = kq_quota_parent(kq, n))
		order->left[n]++;
}

struct kq_fair_order *kq_fair_order(
	struct kq *kq, struct kq_scratch *scratch, const struct kq_fair_entry *entry, uint32_t count)
{
	struct kq_fair_order *order = kq_scratch_alloc(kq, scratch, 1, sizeof(*order));
	struct tree *tree = kq_scratch_alloc(kq, scratch, count, sizeof(*tree));
	if (!order || !tree)
		return NULL;
	order->entry = entry;
	order->first = kq_scratch_alloc(kq, scratch, kq->node_count, sizeof(*order->first));
	order->left = kq_scratch_alloc(kq, scratch, kq->node_count, sizeof(*order->left));
	order->after = kq_scratch_alloc(kq, scratch, count, sizeof(*order->after));
	order->root = kq_scratch_alloc(kq, scratch, count, sizeof(*order->root));
	if (!order->first || !order->left || !order->after || !order->root)
		return NULL;
	for (uint32_t n = 0; n < kq->node_count; n++)
		order->first[n] = KQ_NO;
	for (uint32_t i = 0; i < count; i++)
		put_entry(kq, order, i);
	list_trees(kq, order, tree, count);
	return order;
}

/* ---- The tournament ---- */

static struct contender contender_of(
	struct kq *kq, const struct kq_fair_order *order, uint32_t child, uint32_t entry)
{
	const struct kq_fair_entry *one = &order->entry[entry];
	struct contender made = { .entry = entry };
	const kq_marked mark = kq_mark(kq);
	for (uint32_t i = 0; i < one->usage_count; i++)
		kq_usage_add(kq, one->queue, one->usage[i].fr, one->usage[i].amount);
	made.share = kq_share_of(kq, child, NULL, 0);
	made.borrows = kq_share_borrows_on(kq, child, one->usage, one->usage_count);
	kq_undo(kq, mark);
	return made;
}

static bool kq_tournament_before(const struct kq *kq, const struct kq_fair_order *order,
	const struct contender *a, const struct contender *b)
{
	const struct kq_entry_key *left = &order->entry[a->entry].key, *right = &order->entry[b->entry].key;
	const bool *gate = kq->config.gate;
	if (gate[KQ_GATE_PrioritizePreemptorWorkloads] && left->preemptor != right->preemptor)
		return left->preemptor;
	if (gate[KQ_GATE_FairSharingPrioritizeNonBorrowing] && a->borrows != b->borrows)
		return b->borrows;
	const int share = kq_share_compare(&a->share, &b->share);
	if (share)
		return share < 0;
	if (gate[KQ_GATE_PrioritySortingWithinCohort] && left->priority != right->priority)
		return left->priority > right->priority;
	if (left->time != right->time)
		return left->time < right->time;
	const int name = strcmp(left->name, right->name);
	return name ? name < 0 : a->entry < b->entry;
}

/* The best of a cohort's children, each of which has found its own first. */
static uint32_t winner_of(struct kq *kq, const struct kq_fair_order *order, uint32_t node)
{
	struct contender best = { .entry = KQ_NO };
	if (kq->node[node].is_queue)
		return order->first[node];
	for (uint32_t i = 0; i < kq->node[node].child_count; i++) {
		const uint32_t child = kq->node[node].child[i];
		if (!order->left[child])
			continue;
		const struct contender next = contender_of(kq, order, child, winner_of(kq, order, child));
		if (best.entry == KQ_NO || kq_tournament_before(kq, order, &next, &best))
			best = next;
	}
	return best.entry;
}

uint32_t kq_fair_next(struct kq *kq, struct kq_fair_order *order)
{
	while (order->root_at < order->root_count && !order->left[order->root[order->root_at]])
		order->root_at++;
	if (order->root_at == order->root_count)
		return KQ_NO;
	const uint32_t entry = winner_of(kq, order, order->root[order->root_at]);
	const uint32_t queue = order->entry[entry].queue;
	order->first[queue] = order->after[entry];
	for (uint32_t n = queue; n != KQ_NO; n = kq_quota_parent(kq, n))
		order->left[n]--;
	return entry;
}

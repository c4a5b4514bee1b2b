/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_quota.c - the quota tree: what may leave a subtree, what is available in it, who borrows.
 *
 * Rules: Kueue's hierarchical cohorts (pkg/cache/scheduler, resource_node.go and its clients, at the commit
 * that kq.h names). Each question walks from a node to its root once. Nodes whose cohorts go in a circle
 * stand alone: nothing passes between them.
 */
#include "policies/kueue/rules/kq_quota.h"

#include <stdlib.h>

static size_t cell_of(const struct kq *kq, uint32_t node, uint32_t fr)
{
	return (size_t)node * kq->fr_count + fr;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

uint32_t kq_quota_parent(const struct kq *kq, uint32_t node)
{
	return kq->node[node].cycle ? KQ_NO : kq->node[node].parent;
}

/* ---- At the present usage ---- */

int64_t kq_guaranteed(const struct kq *kq, uint32_t node, uint32_t fr)
{
	const size_t at = cell_of(kq, node, fr);
	return kq->lending[at] == KQ_NO_LIMIT ? 0 : larger(0, kq_sub(kq->subtree[at], kq->lending[at]));
}

int64_t kq_local_free(const struct kq *kq, uint32_t node, uint32_t fr)
{
	const int64_t guaranteed = kq_guaranteed(kq, node, fr);
	return larger(0, kq_sub(guaranteed, kq->usage[cell_of(kq, node, fr)]));
}

/* How much more of its parent's capacity a node with a borrowing limit may take. */
static int64_t borrowing_left(const struct kq *kq, uint32_t node, uint32_t fr)
{
	const size_t at = cell_of(kq, node, fr);
	const int64_t guaranteed = kq_guaranteed(kq, node, fr);
	const int64_t stored = kq_sub(kq->subtree[at], guaranteed);
	const int64_t used = larger(0, kq_sub(kq->usage[at], guaranteed));
	return kq_add(kq_sub(stored, used), kq->borrowing[at]);
}

/* available(n) = free(n) + min(left(n), available(parent)): with what lies above a node as x, what the start
 * has is sum + min(cap, x). */
int64_t kq_available(const struct kq *kq, uint32_t node, uint32_t fr)
{
	int64_t sum = 0, cap = KQ_UNLIMITED;
	for (uint32_t n = node;; n = kq->node[n].parent) {
		const size_t at = cell_of(kq, n, fr);
		if (kq_quota_parent(kq, n) == KQ_NO)
			return kq_add(sum, smaller(cap, kq_sub(kq->subtree[at], kq->usage[at])));
		const int64_t own = kq_local_free(kq, n, fr);
		if (own == KQ_UNLIMITED) /* Whatever lies above adds nothing. */
			return kq_add(sum, cap);
		sum = kq_add(sum, own);
		cap = kq_sub(cap, own);
		if (kq->borrowing[at] != KQ_NO_LIMIT)
			cap = smaller(cap, borrowing_left(kq, n, fr));
	}
}

void kq_usage_add(struct kq *kq, uint32_t node, uint32_t fr, int64_t amount)
{
	for (uint32_t n = node; n != KQ_NO && amount > 0; n = kq_quota_parent(kq, n)) {
		int64_t *usage = &kq->usage[cell_of(kq, n, fr)];
		const int64_t own = kq_local_free(kq, n, fr);
		kq_write(kq, usage, kq_add(*usage, amount));
		amount = kq_sub(amount, own);
	}
}

void kq_usage_remove(struct kq *kq, uint32_t node, uint32_t fr, int64_t amount)
{
	for (uint32_t n = node; n != KQ_NO && amount > 0; n = kq_quota_parent(kq, n)) {
		int64_t *usage = &kq->usage[cell_of(kq, n, fr)];
		const int64_t above = kq_sub(*usage, kq_guaranteed(kq, n, fr));
		kq_write(kq, usage, kq_sub(*usage, amount));
		amount = smaller(amount, above);
	}
}

bool kq_borrows(const struct kq *kq, uint32_t node, uint32_t fr)
{
	const size_t at = cell_of(kq, node, fr);
	return kq->usage[at] > (kq->node[node].is_queue ? kq->nominal[at] : kq->subtree[at]);
}

uint32_t kq_borrow_height(const struct kq *kq, uint32_t queue, uint32_t fr, int64_t amount, bool *reclaim)
{
	const size_t own = cell_of(kq, queue, fr);
	uint32_t n = kq_quota_parent(kq, queue);
	*reclaim = n != KQ_NO;
	if (n == KQ_NO || kq_add(kq->usage[own], amount) <= kq->nominal[own])
		return 0;
	int64_t rest = kq_sub(amount, kq_local_free(kq, queue, fr));
	for (;; n = kq->node[n].parent) {
		const size_t at = cell_of(kq, n, fr);
		const bool root = kq_quota_parent(kq, n) == KQ_NO;
		*reclaim = !root;
		if (root || kq_add(kq->usage[at], rest) <= kq->subtree[at])
			return kq->node[n].height;
		rest = kq_sub(rest, kq_local_free(kq, n, fr));
	}
}

/* ---- What the quotas alone say, made once ---- */

/* Children before parents: order is node_count long. False: no memory. */
static bool bottom_up(const struct kq *kq, uint32_t *order)
{
	uint32_t *below = calloc((size_t)kq->node_count + 1, sizeof(*below)); /* Children not yet in order. */
	uint32_t count = 0;
	if (!below)
		return false;
	for (uint32_t n = 0; n < kq->node_count; n++)
		if (kq_quota_parent(kq, n) != KQ_NO)
			below[kq->node[n].parent]++;
	for (uint32_t n = 0; n < kq->node_count; n++)
		if (below[n] == 0)
			order[count++] = n;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t parent = kq_quota_parent(kq, order[i]);
		if (parent != KQ_NO && --below[parent] == 0)
			order[count++] = parent;
	}
	free(below);
	SL_CHECK(count == kq->node_count); /* A circle that nobody marked. */
	return true;
}

static void make_subtree(struct kq *kq, uint32_t n)
{
	const uint32_t parent = kq_quota_parent(kq, n);
	for (uint32_t fr = 0; parent != KQ_NO && fr < kq->fr_count; fr++) {
		int64_t *to = &kq->subtree[cell_of(kq, parent, fr)];
		*to = kq_add(*to, kq_sub(kq->subtree[cell_of(kq, n, fr)], kq_guaranteed(kq, n, fr)));
	}
}

static void make_potential(struct kq *kq, struct kq_quota_made *made, uint32_t n)
{
	const uint32_t parent = kq_quota_parent(kq, n);
	for (uint32_t fr = 0; fr < kq->fr_count; fr++) {
		const size_t at = cell_of(kq, n, fr);
		int64_t most = kq->subtree[at];
		if (parent != KQ_NO) {
			most = kq_add(kq_guaranteed(kq, n, fr), made->potential[cell_of(kq, parent, fr)]);
			if (kq->borrowing[at] != KQ_NO_LIMIT)
				most = smaller(most, kq_add(kq->subtree[at], kq->borrowing[at]));
		}
		made->potential[at] = most;
	}
}

void kq_quota_free(struct kq *kq)
{
	struct kq_quota_made *made = kq->state[KQ_PART_QUOTA];
	if (made) {
		free(made->potential);
		free(made->lendable);
		free(made->quoted);
		free(made->by_resource);
	}
	free(made);
	kq->state[KQ_PART_QUOTA] = NULL;
}

static struct kq_quota_made *kq_quota_make_room(const struct kq *kq)
{
	struct kq_quota_made *made = calloc(1, sizeof(*made));
	const size_t cells = (size_t)kq->node_count * kq->fr_count + 1;
	if (!made)
		return NULL;
	made->potential = calloc(cells, sizeof(*made->potential));
	made->lendable = calloc(cells, sizeof(*made->lendable));
	made->quoted = calloc(cells, sizeof(*made->quoted));
	made->by_resource = calloc((size_t)kq->fr_count + 1, sizeof(*made->by_resource));
	return made;
}

void kq_quota_subtrees(struct kq *kq)
{
	kq_quota_free(kq);
	uint32_t *order = calloc((size_t)kq->node_count + 1, sizeof(*order));
	struct kq_quota_made *made = kq->state[KQ_PART_QUOTA] = kq_quota_make_room(kq);
	if (!order || !made || !made->potential || !made->lendable || !made->quoted || !made->by_resource ||
		!bottom_up(kq, order)) {
		free(order);
		kq_quota_free(kq);
		(void)sl_fail_memory(&kq->err);
		return;
	}
	for (size_t i = 0; i < (size_t)kq->node_count * kq->fr_count; i++)
		kq->subtree[i] = kq->nominal[i];
	for (uint32_t i = 0; i < kq->node_count; i++)
		make_subtree(kq, order[i]);
	for (uint32_t i = kq->node_count; i-- > 0;)
		make_potential(kq, made, order[i]);
	kq_share_made(kq, made, order);
	free(order);
}

int64_t kq_potential(const struct kq *kq, uint32_t node, uint32_t fr)
{
	const struct kq_quota_made *made = kq->state[KQ_PART_QUOTA];
	return made ? made->potential[cell_of(kq, node, fr)] : 0;
}

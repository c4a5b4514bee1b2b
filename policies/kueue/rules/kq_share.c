/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_share.c - dominant resource share: how far a ClusterQueue or cohort is above its own quota, weighted.
 *
 * Ghodsi et al., Dominant Resource Fairness (NSDI 2011), as Kueue has it (pkg/cache/scheduler,
 * fair_sharing.go, dominantResourceShare): what a node borrows of a resource, over all flavors, in
 * thousandths of what its parent could have of it with nothing running.
 */
#include "policies/kueue/rules/kq_quota.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Made once from the quotas ---- */

struct named_cell {
	const char *resource;
	uint32_t fr;
};

static int kq_share_by_name(const void *a, const void *b)
{
	const struct named_cell *left = a, *right = b;
	const int order = strcmp(left->resource, right->resource);
	return order ? order : (left->fr > right->fr) - (left->fr < right->fr);
}

static bool sort_cells(const struct kq *kq, struct kq_quota_made *made)
{
	struct named_cell *cell = calloc((size_t)kq->fr_count + 1, sizeof(*cell));
	if (!cell)
		return false;
	for (uint32_t fr = 0; fr < kq->fr_count; fr++)
		cell[fr] = (struct named_cell){ kq->resource[kq->fr[fr].resource], fr };
	qsort(cell, kq->fr_count, sizeof(*cell), kq_share_by_name);
	for (uint32_t i = 0; i < kq->fr_count; i++)
		made->by_resource[i] = cell[i].fr;
	free(cell);
	return true;
}

/* The end of the run of cells of one resource that begins at `from`. */
static uint32_t run_end(const struct kq *kq, const struct kq_quota_made *made, uint32_t from)
{
	uint32_t to = from;
	while (to < kq->fr_count &&
		kq->fr[made->by_resource[to]].resource == kq->fr[made->by_resource[from]].resource)
		to++;
	return to;
}

static void mark_quoted(const struct kq *kq, struct kq_quota_made *made, uint32_t n)
{
	uint8_t *quoted = &made->quoted[(size_t)n * kq->fr_count];
	for (uint32_t g = 0; g < kq->node[n].group_count; g++)
		for (uint32_t f = 0; f < kq->node[n].group[g].flavor_count; f++) {
			const struct kq_group_flavor *flavor = &kq->node[n].group[g].flavor[f];
			for (uint32_t q = 0; q < flavor->count; q++) {
				const uint32_t fr = kq_fr(kq, flavor->flavor, flavor->quota[q].resource);
				if (fr != KQ_NO)
					quoted[fr] = 1;
			}
		}
	const uint32_t parent = kq_quota_parent(kq, n);
	for (uint32_t fr = 0; parent != KQ_NO && fr < kq->fr_count; fr++)
		made->quoted[(size_t)parent * kq->fr_count + fr] |= quoted[fr];
}

/* Each cell of a node has the sum over all flavors of its resource. */
static void make_lendable(const struct kq *kq, struct kq_quota_made *made, uint32_t n)
{
	const int64_t *potential = &made->potential[(size_t)n * kq->fr_count];
	int64_t *lendable = &made->lendable[(size_t)n * kq->fr_count];
	for (uint32_t from = 0, to; from < kq->fr_count; from = to) {
		int64_t sum = 0;
		to = run_end(kq, made, from);
		for (uint32_t i = from; i < to; i++)
			sum = kq_add(sum, potential[made->by_resource[i]]);
		for (uint32_t i = from; i < to; i++)
			lendable[made->by_resource[i]] = sum;
	}
}

void kq_share_made(struct kq *kq, struct kq_quota_made *made, const uint32_t *bottom_up)
{
	if (!sort_cells(kq, made)) {
		(void)sl_fail_memory(&kq->err);
		return;
	}
	for (uint32_t i = 0; i < kq->node_count; i++)
		mark_quoted(kq, made, bottom_up[i]);
	for (uint32_t n = 0; n < kq->node_count; n++)
		make_lendable(kq, made, n);
}

/* ---- Queries ---- */

struct extra {
	const struct kq_usage_cell *at;
	uint32_t count;
};

static int64_t extra_of(struct extra extra, uint32_t fr)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < extra.count; i++)
		if (extra.at[i].fr == fr)
			sum = kq_add(sum, extra.at[i].amount);
	return sum;
}

/* Of one resource: what is borrowed over its flavors. Cells that no quota of the subtree names do not count.
 */
static int64_t borrowed(
	const struct kq *kq, uint32_t node, const uint32_t *fr, uint32_t fr_count, struct extra extra)
{
	const struct kq_quota_made *made = kq->state[KQ_PART_QUOTA];
	int64_t sum = 0;
	for (uint32_t i = 0; i < fr_count; i++) {
		const size_t at = (size_t)node * kq->fr_count + fr[i];
		if (!made->quoted[at])
			continue;
		const int64_t used = kq_add(extra_of(extra, fr[i]), kq->usage[at]);
		const int64_t above = kq_sub(used, kq->subtree[at]);
		if (above > 0)
			sum = kq_add(sum, above);
	}
	return sum;
}

struct kq_share kq_share_of(
	const struct kq *kq, uint32_t node, const struct kq_usage_cell *extra, uint32_t extra_count)
{
	const struct kq_quota_made *made = kq->state[KQ_PART_QUOTA];
	const uint32_t parent = kq_quota_parent(kq, node);
	struct kq_share share = { .resource = KQ_NO };
	if (parent == KQ_NO || !made)
		return share;
	for (uint32_t from = 0, to; from < kq->fr_count; from = to) {
		to = run_end(kq, made, from);
		const uint32_t *fr = &made->by_resource[from];
		const int64_t above = borrowed(kq, node, fr, to - from, (struct extra){ extra, extra_count });
		if (above <= 0)
			continue;
		share.borrowing = true;
		const int64_t lendable = made->lendable[(size_t)parent * kq->fr_count + *fr];
		if (lendable <= 0)
			continue;
		/* Resources come by name: of equals the first stays. */
		const double ratio = (double)above * 1000.0 / (double)lendable;
		if (ratio > share.ratio) {
			share.ratio = ratio;
			share.resource = kq->fr[*fr].resource;
		}
	}
	const double weight = kq->node[node].weight;
	/* Who borrows only what nobody lends has no share, whatever its weight. */
	share.zero_weight = share.ratio > 0.0 && !(weight > 0.0);
	share.share = share.zero_weight ? (double)INFINITY : share.ratio > 0.0 ? share.ratio / weight : 0.0;
	return share;
}

bool kq_share_borrows_on(
	const struct kq *kq, uint32_t node, const struct kq_usage_cell *asked, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (asked[i].amount > 0 && borrowed(kq, node, &asked[i].fr, 1, (struct extra){ NULL, 0 }) > 0)
			return true;
	return false;
}

int kq_share_compare(const struct kq_share *a, const struct kq_share *b)
{
	if (a->zero_weight != b->zero_weight)
		return a->zero_weight ? 1 : -1;
	const double left = a->zero_weight ? a->ratio : a->share;
	const double right = a->zero_weight ? b->ratio : b->share;
	return (left > right) - (left < right);
}

int64_t kq_share_reported(const struct kq_share *share)
{
	if (share->zero_weight || share->share >= 0x1p63)
		return INT64_MAX;
	return (int64_t)ceil(share->share);
}

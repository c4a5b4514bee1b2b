/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_quota.h - the quota tree: what is available, who borrows, how far above its share a node of it is.
 *
 * "Cell" is a pair (flavor, resource), `fr` of struct kq. All is of the present usage, marks included.
 */
#ifndef SL_KUEUE_KQ_QUOTA_H
#define SL_KUEUE_KQ_QUOTA_H

#include "policies/kueue/rules/kq.h"

/* What the quotas alone say, at state[KQ_PART_QUOTA]; arrays [node * fr_count + fr]. */
struct kq_quota_made {
	int64_t *potential;
	int64_t *lendable; /* Of the cell's resource, over all flavors: what the node could have at most. */
	uint8_t *quoted;   /* Whether the node, or one below it, has a quota for the cell: a flavor may be
			    * listed without any. */
	uint32_t *by_resource; /* Cells by (name of resource, cell). */
};

/* Of kq_seal: kq->subtree, from the quotas of all nodes, and what can be said from these alone. */
void kq_quota_subtrees(struct kq *kq);
void kq_share_made(struct kq *kq, struct kq_quota_made *made, const uint32_t *bottom_up);
void kq_quota_free(struct kq *kq);
/* KQ_NO: none, or its cohorts go in a circle. */
uint32_t kq_quota_parent(const struct kq *kq, uint32_t node);
int64_t kq_guaranteed(const struct kq *kq, uint32_t node, uint32_t fr);
int64_t kq_local_free(const struct kq *kq, uint32_t node, uint32_t fr);
/* May be negative; of queues callers take 0 then. */
int64_t kq_available(const struct kq *kq, uint32_t node, uint32_t fr);
/* With nothing running. */
int64_t kq_potential(const struct kq *kq, uint32_t node, uint32_t fr);
void kq_usage_add(struct kq *kq, uint32_t node, uint32_t fr, int64_t amount);
void kq_usage_remove(struct kq *kq, uint32_t node, uint32_t fr, int64_t amount);
/* Of a queue: U > N; of a cohort: U > S. */
bool kq_borrows(const struct kq *kq, uint32_t node, uint32_t fr);
/* The height up to which so much more would borrow; *reclaim: it may be found below the root by reclaiming.
 */
uint32_t kq_borrow_height(const struct kq *kq, uint32_t queue, uint32_t fr, int64_t amount, bool *reclaim);

/* Dominant resource share of a node below its parent. */
struct kq_share {
	bool borrowing;
	bool zero_weight;  /* And a ratio: above all that are not; compared by `ratio`. */
	double ratio;      /* Unweighted, in thousandths; */
	double share;      /* over the weight. */
	uint32_t resource; /* The dominant one; KQ_NO: none. */
};
struct kq_usage_cell {
	uint32_t fr;
	int64_t amount;
};
/* With so much more there. */
struct kq_share kq_share_of(
	const struct kq *kq, uint32_t node, const struct kq_usage_cell *extra, uint32_t extra_count);
/* It borrows of a cell of which some is asked. */
bool kq_share_borrows_on(
	const struct kq *kq, uint32_t node, const struct kq_usage_cell *asked, uint32_t count);
int kq_share_compare(const struct kq_share *a, const struct kq_share *b); /* As strcmp. */
int64_t kq_share_reported(const struct kq_share *share); /* Rounded up; INT64_MAX of a zero weight. */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_preempt.h - which workloads are preempted (Kueue: targets), by classical preemption and by fair sharing.
 */
#ifndef SL_KUEUE_KQ_PREEMPT_H
#define SL_KUEUE_KQ_PREEMPT_H

#include "policies/kueue/rules/kq_assign.h"

struct kq_victim {
	uint32_t workload;
	const char *reason; /* "InClusterQueue", "InCohortReclamation", "InCohortReclaimWhileBorrowing",
			     * "InCohortFairSharing" */
};
struct kq_victims {
	struct kq_victim *at;
	uint32_t count;
};
/* For the cells of the assignment that need preemption. Usage is unchanged afterwards. `fits` is called
 * besides the test of quota (of topology), with the victims so far gone; NULL: quota alone. */
struct kq_preempt_options {
	bool (*fits)(void *self, struct kq *kq);
	void *self;
};
struct kq_victims kq_victims_of(struct kq *kq, struct kq_scratch *scratch,
	const struct kq_assignment *assignment, const struct kq_preempt_options *options);
/* A kq_oracle; self: struct kq_scratch. */
enum kq_grain kq_preempt_oracle(void *self, struct kq *kq, uint32_t workload, uint32_t queue, uint32_t fr,
	int64_t amount, uint32_t *borrow);
/* Candidates in the order in which they would go; queue: the preemptor's. */
void kq_candidates_sort(struct kq *kq, uint32_t queue, uint32_t *workload, uint32_t count);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_small.h - small Kueue states, made by hand: cohorts, queues, quotas, workloads.
 *
 * Quotas that are given one by one become a resource group each. A queue "q" has the LocalQueue "q" in
 * namespace "ns". Times are in seconds.
 */
#ifndef TESTS_KQ_SMALL_H
#define TESTS_KQ_SMALL_H

#include "policies/kueue/rules/kq_queue.h"
#include "policies/kueue/rules/kq_quota.h"

struct kq_small {
	struct sl_arena *arena;
	struct kq *kq;
};

struct kq_small kq_small_open(void);
void kq_small_close(struct kq_small *w);
/* parent NULL: a root. */
uint32_t kq_small_cohort(struct kq_small *w, const char *name, const char *parent);
uint32_t kq_small_queue(struct kq_small *w, const char *name, const char *cohort);
/* borrowing, lending: KQ_NO_LIMIT. */
void kq_small_quota(struct kq_small *w, uint32_t node, const char *flavor, const char *resource,
	int64_t nominal, int64_t borrowing, int64_t lending);
void kq_small_seal(struct kq_small *w);
uint32_t kq_small_fr(struct kq_small *w, const char *flavor, const char *resource);
/* One podset "main" of one pod that requests so much cpu; not in its queue yet. */
uint32_t kq_small_workload(
	struct kq_small *w, const char *queue, const char *name, int64_t priority, int64_t created_s);
void kq_small_needs(struct kq_small *w, uint32_t workload, const char *resource, int64_t amount);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign.h - which flavors a workload would get, and how: fitting, by preemption, not at all.
 */
#ifndef SL_KUEUE_KQ_ASSIGN_H
#define SL_KUEUE_KQ_ASSIGN_H

#include "policies/kueue/kq_quota.h"

/* Of one flavor and resource, worst first. */
enum kq_grain { KQ_GRAIN_NO_FIT, KQ_GRAIN_NO_CANDIDATES, KQ_GRAIN_PREEMPT, KQ_GRAIN_RECLAIM, KQ_GRAIN_FIT };
/* As seen outside. */
enum kq_mode { KQ_NO_FIT, KQ_PREEMPT, KQ_DEFERRED_FIT, KQ_FIT };

struct kq_pick {
	uint32_t resource, flavor; /* flavor KQ_NO: needs none (a zero request). */
	enum kq_mode mode;
	int32_t tried; /* The last index looked at; -1: it was the last flavor. */
	uint32_t borrow;
};
/* A flavor that was looked at, for explaining. */
struct kq_attempt {
	uint32_t flavor;
	enum kq_mode mode;
	uint32_t borrow;
	const char *reason, *message; /* Of KQ_NO_FIT: "ExceedsMaxQuota"...; NULL. */
};
struct kq_podset_assignment {
	uint32_t podset;
	int64_t count;
	struct kq_amounts requests; /* Of so many pods, `pods` with them if the queue counts these. */
	struct kq_pick *pick;
	uint32_t pick_count;
	enum kq_mode mode;
	const char *const *reason; /* Why not, in plain words. */
	uint32_t reason_count;
	struct kq_attempt *attempt;
	uint32_t attempt_count;
	struct kq_placement *placement; /* The cycle's; NULL. */
	bool delayed;
	bool fixed; /* No flavor could be found: later podsets were not tried. */
};
struct kq_assignment {
	uint32_t workload, queue;
	struct kq_podset_assignment *podset;
	uint32_t podset_count;
	enum kq_mode mode; /* The worst of all. */
	uint32_t borrow;   /* The highest of all. */
	struct kq_usage_cell *usage;
	uint32_t usage_count;
	const char *pending_reason; /* NULL: none. "NoMatchingFlavor"... */
	const char *message;
	uint32_t last_flavor_group; /* kq_assign.c's. */
	bool pending_flavors;       /* Flavors are left to be tried. */
};
/* Assignments live in an arena of the cycle, which goes with it. */
struct kq_scratch; /* Zeroed blocks, freed together. */
struct kq_scratch *kq_scratch_new(void);
void kq_scratch_reset(struct kq_scratch *scratch);
void kq_scratch_free(struct kq_scratch *scratch);
void *kq_scratch_room(struct kq *kq, struct kq_scratch *scratch, size_t count, size_t size);

/* Whether victims can be found for one cell and amount, as the victim search says; *borrow: the height once
 * they were gone. KQ_GRAIN_NO_CANDIDATES, _PREEMPT (one in the same queue), _RECLAIM. */
typedef enum kq_grain kq_oracle(void *self, struct kq *kq, uint32_t workload, uint32_t queue, uint32_t fr,
	int64_t amount, uint32_t *borrow);

struct kq_assign_options {
	kq_oracle *oracle;
	void *oracle_self;
	const int64_t *count;               /* By podset, in place of its own (partial admission); NULL. */
	const struct kq_assignment *pinned; /* Flavors may be no others; NULL. */
	bool forget;                        /* Flavors tried before do not count. */
};
/* NULL: the world failed. Quota alone: topology is put to it by kq_tas_assign. */
struct kq_assignment *kq_assign(struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t queue,
	const struct kq_assign_options *options);
/* Is (mode, borrow) a strictly better than b for that queue? */
bool kq_grain_better(
	const struct kq_node *queue, enum kq_grain a, uint32_t a_borrow, enum kq_grain b, uint32_t b_borrow);
/* What was tried is remembered, for the next time. */
void kq_assign_remember(struct kq *kq, const struct kq_assignment *assignment);
void kq_assign_forget(struct kq *kq, uint32_t workload);
/* Partial admission: the smallest index that `fits`, counts in `count`; false: none. */
bool kq_partial_search(const struct kq_podset *podset, uint32_t podset_count, int64_t *count,
	bool (*fits)(void *self, const int64_t *count), void *self);
/* What a podset asks while it waits, or while it is admitted: totals. */
struct kq_amounts kq_podset_pending(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset, int64_t count);
struct kq_amounts kq_podset_admitted(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset);
int64_t kq_reclaimable_limited(const struct kq_podset *podset, int64_t reclaimable);
/* kq->admission of the workload as cells, reclaimable pods off. */
uint32_t kq_workload_usage(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, struct kq_usage_cell **cell);
/* The admission that an assignment comes to; owned by the caller (kq_admission_free). */
struct kq_admission *kq_assignment_admission(struct kq *kq, const struct kq_assignment *assignment);
/* Capacity kept for a blocked head, by cell of its usage: specification 4.7. */
void kq_reserve(struct kq *kq, const struct kq_assignment *assignment, struct kq_usage_cell *reserved);

#endif

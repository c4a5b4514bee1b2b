/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign.h - which flavors a workload would get, and how: fitting, by preemption, not at all.
 */
#ifndef SL_KUEUE_KQ_ASSIGN_H
#define SL_KUEUE_KQ_ASSIGN_H

#include "policies/kueue/rules/kq_quota.h"

/* Of one flavor and resource, worst first. */
enum kq_grain { KQ_GRAIN_NO_FIT, KQ_GRAIN_NO_CANDIDATES, KQ_GRAIN_PREEMPT, KQ_GRAIN_RECLAIM, KQ_GRAIN_FIT };
/* As seen outside. */
enum kq_mode { KQ_NO_FIT, KQ_PREEMPT, KQ_DEFERRED_FIT, KQ_FIT };

struct kq_pick {
	uint32_t resource, flavor; /* By resource's name. Requests that need no flavor have none here. */
	enum kq_mode mode;
	int32_t tried; /* The last index looked at; -1: it was the last flavor. */
	uint32_t borrow;
};
/* Why not, as numbers: kq_assign_message says it in Kueue's words. */
enum kq_why_kind {
	KQ_WHY_TEXT,       /* As `text` says. */
	KQ_WHY_UNDECLARED, /* The queue has no quota for the resource. */
	KQ_WHY_NOT_THERE,  /* The flavor does not exist. */
	KQ_WHY_PINNED,     /* Another flavor was chosen before, in this cycle. */
	KQ_WHY_VARIANT,    /* The workload is allowed other flavors only. */
	KQ_WHY_TAINT,      /* a: which of the flavor's. */
	KQ_WHY_AFFINITY,   /* Node selector or affinity. */
	KQ_WHY_EXPRESSION, /* An expression of the affinity is none. */
	KQ_WHY_REPLACED,   /* a: the flavor of the slice that it replaces. */
	KQ_WHY_MAXIMUM,    /* a: earlier podsets, b: this one, c: at most. */
	KQ_WHY_UNUSED      /* a: so much more is needed. */
};
struct kq_why {
	enum kq_why_kind kind;
	uint32_t resource, flavor;
	int64_t a, b, c;
	const char *text;
};
/* A flavor that was looked at, for explaining. */
struct kq_attempt {
	uint32_t flavor, group; /* group: of the queue's resource groups. */
	enum kq_mode mode;
	uint32_t borrow;
	const char *reason; /* Of KQ_NO_FIT: "ExceedsMaxQuota"...; NULL. */
};
struct kq_podset_assignment {
	uint32_t podset;
	int64_t count;
	struct kq_amounts requests; /* Of so many pods, `pods` with them if the queue counts these. */
	struct kq_pick *pick;
	uint32_t pick_count;
	enum kq_mode mode;
	const struct kq_why *why; /* None: it fits. Podsets of one group share these, */
	uint32_t why_count;
	struct kq_attempt *attempt; /* and these. */
	uint32_t attempt_count;
	struct kq_placement *placement; /* The cycle's; NULL. Of an admitted workload: as it is. */
	bool delayed;
	bool failed; /* No flavor could be found: later podsets were not tried, and are not here. */
};
struct kq_assignment {
	uint32_t workload, queue;
	struct kq_podset_assignment *podset; /* Groups in the order of their first podset. */
	uint32_t podset_count;
	enum kq_mode mode; /* The worst of all. */
	uint32_t borrow;   /* The highest of all. */
	struct kq_usage_cell *usage;
	uint32_t usage_count;
	const char *pending_reason; /* Of KQ_NO_FIT: "NoMatchingFlavor"...; NULL: none. */
	bool pending_flavors;       /* Flavors are left to be tried. */
	uint64_t cycle, generation; /* As of when it was made: kq_assign_remember. */
};
/* Assignments live in an arena of the cycle, which goes with it. */
struct kq_scratch; /* Zeroed blocks, freed together. */
struct kq_scratch *kq_scratch_new(void);
void kq_scratch_reset(struct kq_scratch *scratch);
void kq_scratch_free(struct kq_scratch *scratch);
void *kq_scratch_alloc(struct kq *kq, struct kq_scratch *scratch, size_t count, size_t size);

/* ---- Requests (kq_requests.c) ------------------------------------------------------------------- */

/* Configuration's resources.transformations and excludeResourcePrefixes. */
struct kq_output {
	uint32_t resource;
	int64_t factor; /* Of it for one unit of the input, in thousandths of its unit; negative: an
			   allowance. */
};
struct kq_transform {
	uint32_t input;
	bool replace;      /* The input itself is left out; else it stays (Retain). */
	uint32_t multiply; /* Outputs are also multiplied by this resource's request; KQ_NO. */
	const struct kq_output *output;
	uint32_t count;
};
struct kq_transforms {
	const struct kq_transform *at;
	uint32_t count;
	const char *const *exclude; /* Prefixes of resources that do not count. */
	uint32_t exclude_count;
};
/* What one pod counts for quota, from what its spec requests; in kq->arena. */
struct kq_amounts kq_transformed(
	struct kq *kq, const struct kq_transforms *transforms, const struct kq_amounts *pod);
/* Pods that are neither done nor left out: the count of a podset that waits. */
int64_t kq_podset_count(const struct kq *kq, const struct kq_podset *podset);

/* ---- Flavors ------------------------------------------------------------------------------------ */

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
/* NULL: kq->err is set. Quota alone: topology is put to it by kq_tas_assign. A workload that has an
 * admission keeps its flavors (second pass). */
struct kq_assignment *kq_assign(struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t queue,
	const struct kq_assign_options *options);
/* Is (mode, borrow) a strictly better than b for that queue? */
bool kq_grain_better(
	const struct kq_node *queue, enum kq_grain a, uint32_t a_borrow, enum kq_grain b, uint32_t b_borrow);
/* One more reason for a podset of it (an index into its podsets), which then is of a mode no better. */
void kq_assign_because(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment,
	uint32_t podset, enum kq_mode mode, const char *text);
/* Modes of the podsets were changed: that of the whole, and pending_reason, anew. */
void kq_assign_resolve(struct kq *kq, struct kq_assignment *assignment);
/* Why it does not fit, in Kueue's words; valid as long as the scratch. "": it fits. */
const char *kq_assign_message(
	struct kq *kq, struct kq_scratch *scratch, const struct kq_assignment *assignment);
/* An amount as Kubernetes writes it: "1500m", "2Gi". */
void kq_quantity(uint32_t resource, int64_t amount, char text[32]);

/* What was tried is remembered, for the next time; it is valid as long as the workload has this shape, and
 * either the next cycle is the next one, or nothing has changed for its queue (kq_node.generation). With
 * FlavorFungibilityPreserveScanProgress off whoever updates a queued workload forgets it besides. */
struct kq_progress {
	uint64_t cycle, generation, hash; /* As of the attempt. */
	uint32_t count, capacity;
	struct kq_tried {
		uint32_t podset, resource;
		int32_t tried; /* The next attempt begins behind it. */
	} at[];                /* None whose last flavor was tried. */
};
void kq_assign_remember(struct kq *kq, const struct kq_assignment *assignment);
/* One entry of it, by hand; the record's cycle, generation and hash are those of now. */
void kq_assign_note(struct kq *kq, uint32_t workload, uint32_t podset, uint32_t resource, int32_t tried);
bool kq_pending_flavors(const struct kq_workload *workload); /* Some are left to be tried. */
void kq_assign_forget(struct kq *kq, uint32_t workload);
/* Partial admission: the smallest index that `fits`, counts in `count`; false: none. */
bool kq_partial_search(const struct kq_podset *podset, uint32_t podset_count, int64_t *count,
	bool (*fits)(void *self, const int64_t *count), void *self);
/* What a podset requests while it is pending (count -1: as many as kq_podset_count), or while it is admitted:
 * totals, without `pods` of its own. */
struct kq_amounts kq_podset_pending(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset, int64_t count);
struct kq_amounts kq_podset_admitted(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset);
/* Pods that count of an admitted podset; 0: it is not in the admission. */
int64_t kq_admitted_count(const struct kq *kq, uint32_t workload, uint32_t podset);
int64_t kq_reclaimable_limited(const struct kq_podset *podset, int64_t reclaimable);
/* kq->admission of the workload as cells, reclaimable pods off. */
uint32_t kq_workload_usage(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, struct kq_usage_cell **cell);
/* The admission that an assignment comes to; owned by the caller (kq_admission_free). NULL: kq->err is set.
 */
struct kq_admission *kq_assignment_admission(struct kq *kq, const struct kq_assignment *assignment);
/* Capacity kept for a blocked head, by cell of its usage: specification 4.7. */
void kq_reserve(struct kq *kq, const struct kq_assignment *assignment, struct kq_usage_cell *reserved);

#endif

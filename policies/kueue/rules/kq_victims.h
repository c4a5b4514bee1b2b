/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_victims.h - one search for victims: what is requested, who is a candidate, who went so far. Of
 * kq_preempt.c, kq_preempt_fair.c and kq_candidates.c alone.
 *
 * A search changes usage under a mark of kq_search_victims, which is undone at its end.
 */
#ifndef SL_KUEUE_KQ_VICTIMS_H
#define SL_KUEUE_KQ_VICTIMS_H

#include "policies/kueue/rules/kq_preempt.h"

enum kq_class {
	KQ_CLASS_OWN,             /* In the preemptor's queue. */
	KQ_CLASS_HIERARCHICAL,    /* The preemptor is nearer to the quota that it uses. */
	KQ_CLASS_NO_BORROW,       /* Only if the preemptor does not borrow in the end. */
	KQ_CLASS_WHILE_BORROWING, /* Even then: borrowWithinCohort. */
};
struct kq_candidate {
	uint32_t workload;
	uint32_t common; /* The lowest cohort above both queues, where it was met; KQ_NO: not known. */
	enum kq_class class;
};
struct kq_candidates {
	struct kq_candidate *at; /* malloc */
	uint32_t count, capacity;
};

struct kq_search {
	struct kq *kq;
	uint32_t workload, queue;          /* The preemptor's. */
	const uint32_t *need;              /* Cells in which somebody has to go; each once. */
	const struct kq_usage_cell *needs; /* What it requests in all. */
	uint32_t need_count, needs_count;
	const struct kq_preempt_options *options; /* NULL: quota alone. */
	struct kq_victims gone;                   /* So far; malloc. */
	uint32_t gone_capacity;
};

/* kq_candidates.c */
uint32_t kq_held_of(const struct kq *kq, uint32_t workload); /* Of its admission; KQ_NO. */
/* Holders of a queue that may go. */
void kq_candidates_of(const struct kq_search *search, uint32_t queue, uint32_t common, bool advantage,
	struct kq_candidates *list);
void kq_candidates_order(struct kq *kq, uint32_t queue, struct kq_candidate *at, uint32_t count);
/* Two candidates of different queues, without admission fair sharing: as strcmp. */
int kq_candidate_compare(const struct kq *kq, uint32_t queue, uint32_t a, uint32_t b);

/* kq_preempt.c: usage without so many that are gone. */
bool kq_search_fits(const struct kq_search *search, bool borrow);
void kq_search_take(struct kq_search *search, uint32_t workload, const char *reason);
void kq_search_give_back(struct kq_search *search, bool borrow);
/* kq_preempt_fair.c: false: it does not fit even so. */
bool kq_search_fair(struct kq_search *search);

#endif

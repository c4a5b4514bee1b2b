/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign_parts.h - what the files of flavor assignment share: one workload's assignment under way.
 */
#ifndef SL_KUEUE_KQ_ASSIGN_PARTS_H
#define SL_KUEUE_KQ_ASSIGN_PARTS_H

#include "policies/kueue/tas/kq_tas.h"

/* Kueue's reasons. */
extern const char *const kq_no_matching_flavor, *const kq_exceeds_max_quota, *const kq_waiting_for_quota;
const char *kq_worse_reason(const char *a, const char *b); /* The more severe; a of two that are as severe. */

struct kq_scan {
	struct kq *kq;
	struct kq_scratch *scratch;
	const struct kq_workload *workload;
	uint32_t workload_row, queue_row;
	const struct kq_node *queue;
	const struct kq_assign_options *options;
	struct kq_assignment *made;
	bool resume;       /* Flavors tried before count. */
	uint32_t replaces; /* The slice that it replaces; KQ_NO. */
};

/* Podsets that get their flavors together: made->podset[first] and those behind it. */
struct kq_together {
	uint32_t first, count;
	struct kq_amounts requests; /* Of all of them. */
	uint32_t *group;            /* By request: its resource group in the queue; KQ_NO: none. */
	struct kq_pick *pick;       /* By request; flavor KQ_NO: not decided. */
	struct kq_pick *trial;      /* Of one flavor that is looked at. */
	struct kq_why *why;
	uint32_t why_count, why_capacity;
	struct kq_attempt *attempt;
	uint32_t attempt_count, attempt_capacity;
	bool failed;
};

/* One more reason. */
void kq_scan_because(struct kq_scan *scan, struct kq_together *together, struct kq_why why);
/* Whether the flavor suits the podsets, quota apart; a reason is noted if not. *broken: an affinity cannot be
 * understood, and no other flavor is looked at. */
bool kq_flavor_suits(struct kq_scan *scan, struct kq_together *together, uint32_t flavor, bool *broken);
/* Flavors for all requests in the resource group of one of them. False: none. */
bool kq_scan_group(struct kq_scan *scan, struct kq_together *together, uint32_t request);
/* The next index to try of a podset's resource. */
uint32_t kq_next_flavor(const struct kq_workload *workload, uint32_t podset, uint32_t resource);
/* Whether what was tried before still counts. */
bool kq_progress_holds(const struct kq *kq, const struct kq_workload *workload, const struct kq_node *queue);

#endif

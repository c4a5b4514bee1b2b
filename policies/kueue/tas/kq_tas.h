/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas.h - topology-aware scheduling: which domains of a topology the pods of a workload go to.
 */
#ifndef SL_KUEUE_KQ_TAS_H
#define SL_KUEUE_KQ_TAS_H

#include "policies/kueue/rules/kq_assign.h"

/* Of kq_seal: the domains of each flavor with a topology, from the hosts. */
void kq_tas_seal(struct kq *kq);
void kq_tas_free(struct kq *kq);
/* The placement's usage at its domains, journalled. */
void kq_tas_add(struct kq *kq, uint32_t workload);
void kq_tas_remove(struct kq *kq, uint32_t workload);
/* Of an assignment that is not yet an admission (of this cycle). */
void kq_tas_add_assignment(struct kq *kq, const struct kq_assignment *assignment);
/* Whether the assignment's placement fits in the topology: the test of a cycle, by podset and domain,
 * without `pods`. */
bool kq_tas_still_fits(struct kq *kq, const struct kq_assignment *assignment);

/* Does the queue's every flavor have a topology? Then podsets request one without saying so. */
bool kq_tas_only(const struct kq *kq, uint32_t queue);
bool kq_tas_requested(const struct kq *kq, uint32_t workload);
/* A podset and a flavor: NULL if they agree, else why not (5.2, 11.1). */
const char *kq_tas_mismatch(
	const struct kq *kq, uint32_t queue, const struct kq_podset *podset, uint32_t flavor);
/* Where the podsets of an assignment go, by the flavors that it picked; into its podsets. empty: as if
 * nothing ran. False: not all have a place, only those before *failed; *why in plain words. */
bool kq_tas_place(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment, bool empty,
	const char **why, uint32_t *failed);
/* After quota was assigned (11.7): places, or modes are made worse. */
void kq_tas_assign(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment);

/* For recorded cases: domains in the order in which they would be chosen. */
struct kq_tas_domain {
	uint32_t row; /* The caller's. */
	const char *const *value;
	uint32_t value_count;
	int64_t pods, pods_with_leader, slices, slices_with_leader;
	int64_t leader, affinity;
};
void kq_tas_sort(struct kq_tas_domain *domain, uint32_t count, bool unconstrained, bool with_leader,
	bool by_affinity, bool mixed);

#endif

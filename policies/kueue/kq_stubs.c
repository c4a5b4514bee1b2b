/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_stubs.c - what is not there yet: goes as it comes.
 */
#include "policies/kueue/kq_cycle.h"

#define WEAK __attribute__((weak))

WEAK void kq_tas_seal(struct kq *kq) { (void)kq; }

WEAK void kq_tas_free(struct kq *kq) { (void)kq; }

WEAK void kq_tas_add(struct kq *kq, uint32_t workload)
{
	(void)kq;
	(void)workload;
}

WEAK void kq_tas_remove(struct kq *kq, uint32_t workload)
{
	(void)kq;
	(void)workload;
}

WEAK void kq_tas_add_assignment(struct kq *kq, const struct kq_assignment *assignment)
{
	(void)kq;
	(void)assignment;
}

WEAK bool kq_tas_still_fits(struct kq *kq, const struct kq_assignment *assignment)
{
	(void)kq;
	(void)assignment;
	return 0;
}

WEAK bool kq_tas_only(const struct kq *kq, uint32_t queue)
{
	(void)kq;
	(void)queue;
	return 0;
}

WEAK bool kq_tas_requested(const struct kq *kq, uint32_t workload)
{
	(void)kq;
	(void)workload;
	return 0;
}

WEAK const char *kq_tas_mismatch(
	const struct kq *kq, uint32_t queue, const struct kq_podset *podset, uint32_t flavor)
{
	(void)kq;
	(void)queue;
	(void)podset;
	(void)flavor;
	return NULL;
}

WEAK bool kq_tas_place(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment,
	bool empty, const char **why, uint32_t *failed)
{
	(void)kq;
	(void)scratch;
	(void)assignment;
	(void)empty;
	(void)why;
	(void)failed;
	return 0;
}

WEAK void kq_tas_assign(struct kq *kq, struct kq_scratch *scratch, struct kq_assignment *assignment)
{
	(void)kq;
	(void)scratch;
	(void)assignment;
}

WEAK struct kq_placement *kq_tas_replace(
	struct kq *kq, struct kq_scratch *scratch, uint32_t workload, uint32_t podset, const char **why)
{
	(void)kq;
	(void)scratch;
	(void)workload;
	(void)podset;
	(void)why;
	return NULL;
}

WEAK void kq_tas_sort(struct kq_tas_domain *domain, uint32_t count, bool unconstrained, bool with_leader,
	bool by_affinity, bool mixed)
{
	(void)domain;
	(void)count;
	(void)unconstrained;
	(void)with_leader;
	(void)by_affinity;
	(void)mixed;
}

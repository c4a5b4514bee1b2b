/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_world.h - small clusters for tests of topology-aware scheduling: hosts by topology domain, podsets,
 * and placements as text ("x1:2 x3:1", podsets apart by " | ", "-" where there is none).
 */
#ifndef SL_TESTS_KQ_TAS_INSTANCE_H
#define SL_TESTS_KQ_TAS_INSTANCE_H

#include "policies/kueue/rules/kq_cycle.h"

enum { TAS_PODSETS = 4 };
struct tas_instance {
	struct sl_arena *arena;
	struct kq *kq;
	struct kq_scratch *scratch;
	uint32_t topology, flavor, queue;
	struct kq_podset_assignment podset[TAS_PODSETS];
	struct kq_pick pick[TAS_PODSETS];
	struct kq_assignment assignment; /* Of the last placement. */
	const char *why;
	char text[4096];
};

/* levels: keys apart by spaces; "host" is kubernetes.io/hostname. */
void tas_begin(struct tas_instance *instance, const char *levels);
void tas_end(struct tas_instance *instance);
/* place: values of the levels, apart by spaces; the last names the host. cpus: whole ones. */
struct kq_host *tas_host(struct tas_instance *instance, const char *place, int64_t cpus, int64_t pods);
uint32_t tas_flavor(struct tas_instance *instance, const char *name); /* Another of the same topology. */
void tas_seal(struct tas_instance *instance);
struct kq_amounts tas_cpus(struct tas_instance *instance, int64_t thousandths);
/* Copied; every podset requests what its topology says. */
uint32_t tas_workload(struct tas_instance *instance, const struct kq_podset *podset, uint32_t count);
const char *tas_place(struct tas_instance *instance, uint32_t workload, bool empty);
const char *tas_text(struct tas_instance *instance, const struct kq_placement *placement);
/* The last placement is admitted: its usage counts. */
void tas_admit(struct tas_instance *instance, uint32_t workload);
void tas_leave(struct tas_instance *instance, uint32_t workload);

#endif

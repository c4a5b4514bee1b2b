/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_victims_world.h - small Kueue states for tests of preemption: queues, cohorts, and which workloads use
 * how much of them.
 *
 * Amounts are of the resource "cpu" in flavor "f", unless one says another. Names are UIDs too.
 */
#ifndef SL_TEST_KQ_VICTIMS_INSTANCE_H
#define SL_TEST_KQ_VICTIMS_INSTANCE_H

#include "policies/kueue/rules/kq_preempt.h"
#include "policies/kueue/rules/kq_queue.h"

struct ks_instance {
	struct sl_arena *arena;
	struct kq *kq;
	struct kq_scratch *scratch;
	sl_time clock; /* Of what is made next: each a second later. */
	char reported[512];
};

void ks_begin(struct ks_instance *w);
void ks_end(struct ks_instance *w);
/* A queue that lets nobody be preempted; parent NULL: no cohort. */
uint32_t ks_queue(struct ks_instance *w, const char *name, const char *parent, int64_t nominal);
uint32_t ks_cohort(struct ks_instance *w, const char *name, const char *parent, int64_t nominal);
/* Of another flavor or resource too; limits: KQ_NO_LIMIT. Again: another quota of the same. */
void ks_quota(
	struct ks_instance *w, uint32_t node, const char *flavor, const char *resource, int64_t nominal);
void ks_limits(struct ks_instance *w, uint32_t node, int64_t borrowing, int64_t lending); /* Of cpu, in f. */
void ks_seal(struct ks_instance *w);
/* A workload that uses so much; made before the seal. */
uint32_t ks_holds(struct ks_instance *w, const char *name, uint32_t queue, int64_t priority, int64_t cpu);
uint32_t ks_holds_of(struct ks_instance *w, const char *name, uint32_t queue, int64_t priority,
	const char *flavor, int64_t cpu);
/* One that waits. */
uint32_t ks_waits(struct ks_instance *w, const char *name, int64_t priority);
uint32_t ks_cell(const struct ks_instance *w, const char *flavor, const char *resource);
/* Victims for so much more in a queue, as "name reason, name reason", in order; usage is compared before and
 * after. */
struct kq_victims ks_find(struct ks_instance *w, uint32_t workload, uint32_t queue, int64_t cpu,
	const struct kq_preempt_options *options);
const char *ks_victims(struct ks_instance *w, uint32_t workload, uint32_t queue, int64_t cpu);
const char *ks_report(struct ks_instance *w, const struct kq_victims *victims);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_world.h - small Kueue states, one line an object, to be worked by hand.
 */
#ifndef SL_TESTS_KUEUE_INSTANCE_H
#define SL_TESTS_KUEUE_INSTANCE_H

#include "policies/kueue/tas/kq_tas.h"

struct kueue_instance {
	struct sl_arena *arena;
	struct kq *kq;
	struct kq_scratch *scratch;
	uint32_t workload, queue; /* The first of each: those that assignment is tested with. */
};

void kueue_make(struct kueue_instance *w);
void kueue_release(struct kueue_instance *w);
/* A cluster queue of a cohort (NULL: none), as Kueue has it by default. */
struct kq_node *kueue_queue(struct kueue_instance *w, const char *name, const char *cohort);
struct kq_node *kueue_cohort(struct kueue_instance *w, const char *name, const char *parent);
/* One more resource group: "cpu pods" and "one 4000+1000 10, two 5000 0, three": quota by resource, with a
 * borrowing limit behind +, "-" for none; flavors are made. */
void kueue_group(struct kueue_instance *w, struct kq_node *node, const char *resources, const char *flavors);
/* One more workload of no queue; one more podset of it, requesting "cpu 1000, memory 5" a pod. */
uint32_t kueue_workload(struct kueue_instance *w, const char *name);
struct kq_podset *kueue_podset(
	struct kueue_instance *w, uint32_t workload, const char *name, int64_t count, const char *requests);
/* It is admitted with "cpu one 4000, memory one 5" for its first podset, of so many pods. */
void kueue_keep(struct kueue_instance *w, uint32_t workload, const struct kq_node *queue, int64_t count,
	const char *usage);
void kueue_seal(struct kueue_instance *w);
/* So much is used already. */
void kueue_use(struct kueue_instance *w, const char *queue, const char *flavor, const char *resource,
	int64_t amount);
uint32_t kueue_fr(struct kueue_instance *w, const char *flavor, const char *resource);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_victims_world.c - small Kueue states for tests of preemption.
 */
#include "tests/world/kq_victims_world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"

void ks_begin(struct ks_instance *w)
{
	*w = (struct ks_instance){ .arena = sl_arena_new() };
	cr_assert(w->arena);
	w->kq = kq_new(w->arena);
	w->scratch = kq_scratch_new();
	cr_assert(w->kq && w->scratch);
	(void)kq_flavor(w->kq, "f");
	w->kq->flavor[0].exists = true;
}

void ks_end(struct ks_instance *w)
{
	cr_expect_eq(w->kq->err.status, 0, "%s", w->kq->err.text);
	kq_scratch_free(w->scratch);
	kq_free(w->kq);
	sl_arena_free(w->arena);
}

enum { QUOTAS_MAX = 8 };

/* One group; flavors and their quotas are appended, so they are written through the const of the model. */
void ks_quota(struct ks_instance *w, uint32_t node, const char *flavor, const char *resource, int64_t nominal)
{
	const uint32_t f = kq_flavor(w->kq, flavor), r = kq_resource(w->kq, resource);
	struct kq_node *to = &w->kq->node[node];
	w->kq->flavor[f].exists = true;
	if (!to->group) {
		struct kq_group *group = kq_alloc(w->kq, 1, sizeof(*group));
		cr_assert(group);
		group->flavor = kq_alloc(w->kq, QUOTAS_MAX, sizeof(*group->flavor));
		group->resource = kq_alloc(w->kq, QUOTAS_MAX, sizeof(*group->resource));
		to->group = group;
		to->group_count = 1;
	}
	struct kq_group *group = (struct kq_group *)(uintptr_t)to->group;
	struct kq_group_flavor *flavors = (struct kq_group_flavor *)(uintptr_t)group->flavor;
	uint32_t *resources = (uint32_t *)(uintptr_t)group->resource;
	uint32_t at = 0, known = 0, q = 0;
	while (known < group->resource_count && resources[known] != r)
		known++;
	if (known == group->resource_count)
		resources[group->resource_count++] = r;
	while (at < group->flavor_count && flavors[at].flavor != f)
		at++;
	if (at == group->flavor_count)
		flavors[group->flavor_count++] = (struct kq_group_flavor){ f,
			kq_alloc(w->kq, QUOTAS_MAX, sizeof(struct kq_quota)), 0 };
	struct kq_quota *quota = (struct kq_quota *)(uintptr_t)flavors[at].quota;
	while (q < flavors[at].count && quota[q].resource != r)
		q++;
	if (q == flavors[at].count)
		flavors[at].count++;
	quota[q] = (struct kq_quota){ r, nominal, KQ_NO_LIMIT, KQ_NO_LIMIT };
}

void ks_limits(struct ks_instance *w, uint32_t node, int64_t borrowing, int64_t lending)
{
	struct kq_quota *quota = (struct kq_quota *)(uintptr_t)w->kq->node[node].group->flavor[0].quota;
	quota->borrowing = borrowing;
	quota->lending = lending;
}

uint32_t ks_queue(struct ks_instance *w, const char *name, const char *parent, int64_t nominal)
{
	const uint32_t row = kq_cluster_queue(w->kq, name);
	struct kq_node *queue = &w->kq->node[row];
	queue->exists = true;
	queue->parent_name = parent ? kq_text(w->kq, parent) : NULL;
	queue->weight = 1;
	ks_quota(w, row, "f", "cpu", nominal);
	return row;
}

uint32_t ks_cohort(struct ks_instance *w, const char *name, const char *parent, int64_t nominal)
{
	const uint32_t row = kq_cohort(w->kq, name);
	struct kq_node *cohort = &w->kq->node[row];
	cohort->exists = true;
	cohort->parent_name = parent ? kq_text(w->kq, parent) : NULL;
	cohort->weight = 1;
	ks_quota(w, row, "f", "cpu", nominal);
	return row;
}

void ks_seal(struct ks_instance *w)
{
	cr_assert_eq(kq_seal(w->kq), 0, "%s", w->kq->err.text);
	w->kq->now = w->clock;
}

uint32_t ks_waits(struct ks_instance *w, const char *name, int64_t priority)
{
	const uint32_t row = kq_workload(w->kq, "", name);
	struct kq_workload *made = &w->kq->workload[row];
	made->uid = kq_text(w->kq, name);
	made->queue_name = "";
	made->priority = priority;
	made->created = w->clock += SL_SECOND;
	return row;
}

uint32_t ks_holds_of(struct ks_instance *w, const char *name, uint32_t queue, int64_t priority,
	const char *flavor, int64_t cpu)
{
	const uint32_t row = ks_waits(w, name, priority);
	struct kq_admitted_flavor used = { KQ_CPU, kq_flavor(w->kq, flavor), cpu };
	struct kq_admitted_podset podset = {
		.name = kq_text(w->kq, "main"), .flavor = &used, .flavor_count = 1, .count = 1
	};
	struct kq_admission admission = {
		.queue = queue, .queue_name = w->kq->node[queue].name, .podset = &podset, .podset_count = 1
	};
	struct kq_amount amount = { KQ_CPU, cpu };
	struct kq_podset *asked = kq_alloc(w->kq, 1, sizeof(*asked));
	cr_assert(asked);
	*asked = (struct kq_podset){
		.name = podset.name, .count = 1, .request = kq_amounts(w->kq, &amount, 1)
	};
	w->kq->workload[row].podset = asked;
	w->kq->workload[row].podset_count = 1;
	kq_set_admission(w->kq, row, &admission);
	kq_set_cond(w->kq, row, KQ_QUOTA_RESERVED, KQ_TRUE, "QuotaReserved", NULL, w->clock);
	return row;
}

uint32_t ks_holds(struct ks_instance *w, const char *name, uint32_t queue, int64_t priority, int64_t cpu)
{
	return ks_holds_of(w, name, queue, priority, "f", cpu);
}

uint32_t ks_cell(const struct ks_instance *w, const char *flavor, const char *resource)
{
	return kq_fr(w->kq, kq_flavor(w->kq, flavor), kq_resource(w->kq, resource));
}

struct kq_victims ks_find(struct ks_instance *w, uint32_t workload, uint32_t queue, int64_t cpu,
	const struct kq_preempt_options *options)
{
	struct kq *kq = w->kq;
	struct kq_amount amount = { KQ_CPU, cpu };
	struct kq_pick pick = { .resource = KQ_CPU, .flavor = 0, .mode = KQ_PREEMPT };
	struct kq_podset_assignment podset = {
		.count = 1, .requests = { &amount, 1 }, .pick = &pick, .pick_count = 1, .mode = KQ_PREEMPT
	};
	const struct kq_assignment assignment = {
		.workload = workload, .queue = queue, .podset = &podset, .podset_count = 1, .mode = KQ_PREEMPT
	};
	const size_t size = (size_t)kq->node_count * kq->fr_count * sizeof(*kq->usage);
	int64_t *before = kq_alloc(kq, 1, size);
	cr_assert(before);
	memcpy(before, kq->usage, size);
	const struct kq_victims found = kq_victims_of(kq, w->scratch, &assignment, options);
	cr_expect_eq(memcmp(before, kq->usage, size), 0, "the books are as they were");
	cr_expect_eq(kq->marks, 0);
	cr_expect_eq(kq->journal_count, 0);
	return found;
}

const char *ks_report(struct ks_instance *w, const struct kq_victims *victims)
{
	size_t at = 0;
	w->reported[0] = 0;
	for (uint32_t i = 0; i < victims->count && at < sizeof(w->reported); i++) {
		const int got = snprintf(w->reported + at, sizeof(w->reported) - at, "%s%s %s", i ? ", " : "",
			w->kq->workload[victims->at[i].workload].name, victims->at[i].reason);
		at += got > 0 ? (size_t)got : 0;
	}
	return w->reported;
}

const char *ks_victims(struct ks_instance *w, uint32_t workload, uint32_t queue, int64_t cpu)
{
	const struct kq_victims found = ks_find(w, workload, queue, cpu, NULL);
	return ks_report(w, &found);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_small.c - small Kueue states, made by hand.
 */
#include "tests/world/kq_small.h"

#include <criterion/criterion.h>

#include "sim/base/base.h"

struct kq_small kq_small_open(void)
{
	struct kq_small w = { .arena = sl_arena_new() };
	w.kq = w.arena ? kq_new(w.arena) : NULL;
	cr_assert(w.kq != NULL, "no memory");
	return w;
}

void kq_small_close(struct kq_small *w)
{
	kq_free(w->kq);
	sl_arena_free(w->arena);
}

uint32_t kq_small_cohort(struct kq_small *w, const char *name, const char *parent)
{
	const uint32_t row = kq_cohort(w->kq, name);
	w->kq->node[row].parent_name = parent ? kq_text(w->kq, parent) : NULL;
	return row;
}

uint32_t kq_small_queue(struct kq_small *w, const char *name, const char *cohort)
{
	const uint32_t row = kq_cluster_queue(w->kq, name), local = kq_local_queue(w->kq, "ns", name);
	struct kq_node *queue = &w->kq->node[row];
	queue->exists = true;
	queue->namespaces.nothing = false;
	queue->parent_name = cohort ? kq_text(w->kq, cohort) : NULL;
	w->kq->local[local].exists = true;
	w->kq->local[local].queue = row;
	w->kq->local[local].used = kq_alloc(w->kq, KQ_RESOURCES_MAX, sizeof(double));
	w->kq->local[local].penalty = kq_alloc(w->kq, KQ_RESOURCES_MAX, sizeof(double));
	return row;
}

void kq_small_quota(struct kq_small *w, uint32_t node, const char *flavor, const char *resource,
	int64_t nominal, int64_t borrowing, int64_t lending)
{
	struct kq *kq = w->kq;
	struct kq_quota *quota = kq_alloc(kq, 1, sizeof(*quota));
	struct kq_group_flavor *one = kq_alloc(kq, 1, sizeof(*one));
	uint32_t *covered = kq_alloc(kq, 1, sizeof(*covered));
	const uint32_t count = kq->node[node].group_count;
	struct kq_group *group = kq_alloc(kq, count + 1, sizeof(*group));
	cr_assert(quota && one && covered && group, "no memory");
	*covered = kq_resource(kq, resource);
	*quota = (struct kq_quota){ *covered, nominal, borrowing, lending };
	*one = (struct kq_group_flavor){ kq_flavor(kq, flavor), quota, 1 };
	kq->flavor[one->flavor].exists = true;
	for (uint32_t i = 0; i < count; i++)
		group[i] = kq->node[node].group[i];
	group[count] = (struct kq_group){ covered, 1, one, 1 };
	kq->node[node].group = group;
	kq->node[node].group_count = count + 1;
}

void kq_small_seal(struct kq_small *w) { cr_assert_eq(kq_seal(w->kq), 0, "%s", w->kq->err.text); }

uint32_t kq_small_fr(struct kq_small *w, const char *flavor, const char *resource)
{
	const uint32_t fr = kq_fr(w->kq, kq_flavor(w->kq, flavor), kq_resource(w->kq, resource));
	cr_assert_neq(fr, KQ_NO, "no quota of %s %s", flavor, resource);
	return fr;
}

uint32_t kq_small_workload(
	struct kq_small *w, const char *queue, const char *name, int64_t priority, int64_t created_s)
{
	const uint32_t row = kq_workload(w->kq, "ns", name);
	struct kq_podset *podset = kq_alloc(w->kq, 1, sizeof(*podset));
	cr_assert_not_null(podset);
	*podset = (struct kq_podset){ .name = kq_text(w->kq, "main"), .count = 1 };
	struct kq_workload *made = &w->kq->workload[row];
	made->queue_name = kq_text(w->kq, queue);
	made->local = kq_find_local(w->kq, "ns", queue);
	made->priority = priority;
	made->created = created_s * SL_SECOND;
	made->podset = podset;
	made->podset_count = 1;
	return row;
}

void kq_small_needs(struct kq_small *w, uint32_t workload, const char *resource, int64_t amount)
{
	const struct kq_amount one = { kq_resource(w->kq, resource), amount };
	w->kq->workload[workload].podset[0].request = kq_amounts(w->kq, &one, 1);
}

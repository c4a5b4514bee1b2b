/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_seal.c - what is configured, made ready: the tree, its heights, its quotas as dense arrays.
 */
#include "policies/kueue/rules/kq_cycle.h"

#include <stdlib.h>
#include <string.h>

/* ---- Cells -------------------------------------------------------------------------------------- */

static int add_fr(struct kq *kq, uint32_t flavor, uint32_t resource)
{
	uint32_t *of = &kq->fr_of[flavor * kq->resource_sealed + resource];
	if (*of == KQ_NO)
		*of = kq->fr_count++;
	return 0;
}

static void fr_of_groups(struct kq *kq)
{
	for (uint32_t n = 0; n < kq->node_count; n++)
		for (uint32_t g = 0; g < kq->node[n].group_count; g++)
			for (uint32_t f = 0; f < kq->node[n].group[g].flavor_count; f++) {
				const struct kq_group_flavor *flavor = &kq->node[n].group[g].flavor[f];
				for (uint32_t q = 0; q < flavor->count; q++)
					(void)add_fr(kq, flavor->flavor, flavor->quota[q].resource);
			}
}

static void fr_of_admissions(struct kq *kq)
{
	for (uint32_t w = 0; w < kq->workload_count; w++) {
		const struct kq_admission *admission = kq->workload[w].admission;
		for (uint32_t p = 0; admission && p < admission->podset_count; p++)
			for (uint32_t f = 0; f < admission->podset[p].flavor_count; f++) {
				const struct kq_admitted_flavor *flavor = &admission->podset[p].flavor[f];
				if (flavor->flavor != KQ_NO)
					(void)add_fr(kq, flavor->flavor, flavor->resource);
			}
	}
}

static int make_cells(struct kq *kq)
{
	kq->flavor_sealed = kq->flavor_count;
	kq->resource_sealed = kq->resource_count;
	const size_t pairs = (size_t)kq->flavor_sealed * kq->resource_sealed;
	kq->fr_of = malloc((pairs + 1) * sizeof(*kq->fr_of));
	if (!kq->fr_of)
		return sl_fail_memory(&kq->err);
	memset(kq->fr_of, 0xff, (pairs + 1) * sizeof(*kq->fr_of));
	kq->fr_count = 0;
	fr_of_groups(kq);
	fr_of_admissions(kq);
	kq->fr = calloc(kq->fr_count + 1, sizeof(*kq->fr));
	if (!kq->fr)
		return sl_fail_memory(&kq->err);
	uint32_t count = 0;
	for (uint32_t f = 0; f < kq->flavor_sealed; f++)
		for (uint32_t r = 0; r < kq->resource_sealed; r++)
			if (kq->fr_of[f * kq->resource_sealed + r] != KQ_NO) {
				kq->fr_of[f * kq->resource_sealed + r] = count;
				kq->fr[count].flavor = f;
				kq->fr[count++].resource = r;
			}
	return 0;
}

static int64_t *cells(struct kq *kq, int64_t value)
{
	const size_t count = (size_t)kq->node_count * kq->fr_count;
	int64_t *made = malloc((count + 1) * sizeof(*made));
	if (!made)
		(void)sl_fail_memory(&kq->err);
	for (size_t i = 0; made && i < count; i++)
		made[i] = value;
	return made;
}

static void quotas_of(struct kq *kq, uint32_t n, const struct kq_group *group)
{
	for (uint32_t f = 0; f < group->flavor_count; f++)
		for (uint32_t q = 0; q < group->flavor[f].count; q++) {
			const struct kq_quota *quota = &group->flavor[f].quota[q];
			const size_t at = (size_t)n * kq->fr_count +
					  kq_fr(kq, group->flavor[f].flavor, quota->resource);
			kq->nominal[at] = quota->nominal;
			kq->borrowing[at] = quota->borrowing;
			kq->lending[at] = quota->lending;
		}
}

static int make_quotas(struct kq *kq)
{
	if ((uint64_t)kq->node_count * kq->fr_count > KQ_CELLS_MAX)
		return kq_fail(kq, SL_INPUT,
			"more than %d quotas: too many flavors and resources for the queues", KQ_CELLS_MAX);
	kq->nominal = cells(kq, 0);
	kq->borrowing = cells(kq, KQ_NO_LIMIT);
	kq->lending = cells(kq, KQ_NO_LIMIT);
	kq->subtree = cells(kq, 0);
	kq->usage = cells(kq, 0);
	if (kq->err.status)
		return kq->err.status;
	for (uint32_t n = 0; n < kq->node_count; n++)
		for (uint32_t g = 0; g < kq->node[n].group_count; g++)
			quotas_of(kq, n, &kq->node[n].group[g]);
	return 0;
}

/* ---- The tree ----------------------------------------------------------------------------------- */

static void find_root(struct kq *kq, uint32_t n)
{
	uint32_t root = n, steps = 0;
	while (kq->node[root].parent != KQ_NO && steps++ <= kq->node_count)
		root = kq->node[root].parent;
	kq->node[n].cycle = steps > kq->node_count;
	kq->node[n].root = kq->node[n].cycle ? n : root;
}

struct named {
	const char *name;
	uint32_t row;
	bool is_queue;
};

static int kq_seal_by_name(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	if (left->is_queue != right->is_queue)
		return left->is_queue ? 1 : -1;
	const int order = strcmp(left->name, right->name);
	return order ? order : (left->row > right->row) - (left->row < right->row);
}

static struct named *kq_seal_names_of(struct kq *kq)
{
	struct named *named = malloc((kq->node_count + 1) * sizeof(*named));
	if (!named)
		return sl_fail_memory(&kq->err), NULL;
	for (uint32_t n = 0; n < kq->node_count; n++)
		named[n] = (struct named){ kq->node[n].name, n, kq->node[n].is_queue };
	if (kq->node_count)
		qsort(named, kq->node_count, sizeof(*named), kq_seal_by_name);
	return named;
}

static int make_children(struct kq *kq, const struct named *named)
{
	kq->queue = malloc((kq->node_count + 1) * sizeof(*kq->queue));
	if (!kq->queue)
		return sl_fail_memory(&kq->err);
	kq->queue_count = 0;
	for (uint32_t n = 0; n < kq->node_count; n++)
		kq->node[n].child_count = 0;
	for (uint32_t n = 0; n < kq->node_count; n++)
		if (kq->node[n].parent != KQ_NO && (kq->node[n].exists || !kq->node[n].is_queue))
			kq->node[kq->node[n].parent].child_count++;
	for (uint32_t n = 0; n < kq->node_count; n++) {
		kq->node[n].child = kq_alloc(kq, kq->node[n].child_count, sizeof(uint32_t));
		if (!kq->node[n].child)
			return kq->err.status;
		kq->node[n].child_count = 0;
	}
	for (uint32_t i = 0; i < kq->node_count; i++) {
		const uint32_t n = named[i].row;
		if (kq->node[n].is_queue && !kq->node[n].exists)
			continue;
		if (kq->node[n].is_queue)
			kq->queue[kq->queue_count++] = n;
		if (kq->node[n].parent == KQ_NO)
			continue;
		struct kq_node *parent = &kq->node[kq->node[n].parent];
		((uint32_t *)(uintptr_t)parent->child)[parent->child_count++] = n;
	}
	return 0;
}

/* Over members: queues that are not active are none (SPEC2-4). Cohorts in a circle have none. */
static uint32_t height_of(struct kq *kq, uint32_t n, uint32_t depth)
{
	struct kq_node *node = &kq->node[n];
	uint32_t height = 0;
	for (uint32_t i = 0; !node->cycle && depth <= kq->node_count && i < node->child_count; i++) {
		const struct kq_node *child = &kq->node[node->child[i]];
		if (child->is_queue && !child->active)
			continue;
		const uint32_t below = child->is_queue ? 0 : height_of(kq, node->child[i], depth + 1);
		if (below + 1 > height)
			height = below + 1;
	}
	node->height = height;
	return height;
}

static int make_tree(struct kq *kq)
{
	for (uint32_t n = 0; n < kq->node_count; n++) {
		const char *name = kq->node[n].parent_name;
		const uint32_t parent = name && *name ? kq_cohort(kq, name) : KQ_NO;
		kq->node[n].parent = parent;
	}
	struct named *named = kq_seal_names_of(kq);
	if (!named)
		return kq->err.status;
	const int status = make_children(kq, named);
	free(named);
	for (uint32_t n = 0; n < kq->node_count; n++)
		find_root(kq, n);
	return status;
}

int kq_seal(struct kq *kq)
{
	free(kq->fr);
	free(kq->fr_of);
	free(kq->nominal);
	free(kq->borrowing);
	free(kq->lending);
	free(kq->subtree);
	free(kq->usage);
	free(kq->queue);
	kq->fr = NULL;
	kq->fr_of = NULL;
	kq->nominal = kq->borrowing = kq->lending = kq->subtree = kq->usage = NULL;
	kq->queue = NULL;
	if (!kq->scratch)
		kq->scratch = kq_scratch_new();
	if (make_tree(kq) != 0 || make_cells(kq) != 0 || make_quotas(kq) != 0)
		return kq->err.status;
	for (uint32_t i = 0; i < kq->queue_count; i++)
		kq_queue_status(kq, kq->queue[i]);
	for (uint32_t n = 0; n < kq->node_count; n++)
		if (!kq->node[n].is_queue && kq->node[n].parent == KQ_NO)
			(void)height_of(kq, n, 0);
	kq_quota_subtrees(kq);
	kq_tas_seal(kq);
	for (uint32_t w = 0; w < kq->workload_count; w++) {
		struct kq_workload *row = &kq->workload[w];
		if (row->holds) {
			row->holds = false;
			kq->node[row->admission->queue].holder_count = 0;
		}
	}
	for (uint32_t w = 0; w < kq->workload_count; w++) {
		struct kq_workload *row = &kq->workload[w];
		if (!row->gone && row->admission && kq_is(&row->cond[KQ_QUOTA_RESERVED]) &&
			!kq_is(&row->cond[KQ_FINISHED])) {
			const uint64_t order = row->order;
			kq_hold(kq, w);
			row->order = order ? order : row->order; /* Its reservation keeps its time. */
		}
	}
	return kq->err.status;
}

int kq_hosts_changed(struct kq *kq)
{
	kq_tas_seal(kq);
	for (uint32_t i = 0; i < kq->queue_count; i++) {
		const struct kq_node *queue = &kq->node[kq->queue[i]];
		for (uint32_t j = 0; j < queue->holder_count; j++)
			kq_tas_add(kq, queue->holder[j]);
	}
	return kq->err.status;
}

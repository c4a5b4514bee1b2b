/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_variant.c - concurrent admission: variants of one parent, each for a flavor of its own; a more favoured
 * one evicts a less favoured one. Follows Kueue's scheduler (feature gate ConcurrentAdmission).
 */
#include "policies/kueue/rules/kq_entry.h"

#include <string.h>

/* Favour is the order of flavors in the queue's first group. KQ_NO: it is no variant. */
static uint32_t favour(const struct kq *kq, const struct kq_workload *row, uint32_t queue)
{
	const struct kq_node *node = &kq->node[queue];
	const char *name = sl_label_of(&row->annotations, "kueue.x-k8s.io/workload-allowed-resource-flavors");
	if (!name || !node->group_count || !row->owner_kind || strcmp(row->owner_kind, "Workload") != 0)
		return KQ_NO;
	for (uint32_t i = 0; i < node->group[0].flavor_count; i++)
		if (strcmp(kq->flavor[node->group[0].flavor[i].flavor].name, name) == 0)
			return i;
	return KQ_NO;
}

uint32_t kq_variant_admitted(const struct kq *kq, uint32_t workload, uint32_t queue, bool better)
{
	const struct kq_workload *row = &kq->workload[workload];
	const uint32_t own = favour(kq, row, queue);
	uint32_t found = KQ_NO;
	if (!kq->config.gate[KQ_GATE_ConcurrentAdmission] || own == KQ_NO)
		return KQ_NO;
	for (uint32_t i = 0; i < kq->node[queue].holder_count; i++) {
		const uint32_t other = kq->node[queue].holder[i];
		const struct kq_workload *its = &kq->workload[other];
		if (other == workload || !its->owner_uid || strcmp(its->owner_uid, row->owner_uid) != 0 ||
			!kq_is(&its->cond[KQ_ADMITTED]))
			continue;
		const uint32_t rank = favour(kq, its, queue);
		if (rank != KQ_NO && (better ? rank < own : rank > own) && other < found)
			found = other; /* The first row of several: Kueue takes any. */
	}
	return found;
}

bool kq_migration_allowed(const struct kq *kq, uint32_t workload, uint32_t queue)
{
	const struct kq_node *node = &kq->node[queue];
	if (!node->concurrent || !node->concurrent_last || !node->concurrent_last[0])
		return true;
	const uint32_t own = favour(kq, &kq->workload[workload], queue);
	for (uint32_t i = 0; i < node->group[0].flavor_count; i++)
		if (strcmp(kq->flavor[node->group[0].flavor[i].flavor].name, node->concurrent_last) == 0)
			return own != KQ_NO && own <= i;
	return own != KQ_NO;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_partial.c - partial admission: with how many pods, between their minimum and all of them, the podsets of
 * a workload fit.
 *
 * Each podset is reduced by the same part of what it can: floor(d * i / D) of its d = count - minimum, for
 * one i between 0 and D, the sum of all d. The smallest i is searched for by halving, as if counts that fit
 * stayed fitting when they are made smaller. Rules: Kueue's PodSetReducer (pkg/scheduler/flavorassigner,
 * podset_reducer.go; KEP-420).
 */
#include "policies/kueue/rules/kq_assign.h"

static int64_t spare(const struct kq_podset *podset)
{
	return podset->min_count > 0 && podset->min_count < podset->count ? podset->count - podset->min_count
									  : 0;
}

static void counts_at(
	const struct kq_podset *podset, uint32_t podset_count, uint64_t i, uint64_t total, int64_t *count)
{
	for (uint32_t p = 0; p < podset_count; p++) {
		const unsigned __int128 part = (unsigned __int128)(uint64_t)spare(&podset[p]) * i;
		count[p] = podset[p].count - (int64_t)(part / total);
	}
}

bool kq_partial_search(const struct kq_podset *podset, uint32_t podset_count, int64_t *count,
	bool (*fits)(void *self, const int64_t *count), void *self)
{
	uint64_t total = 0;
	for (uint32_t p = 0; p < podset_count; p++)
		total += (uint64_t)spare(&podset[p]);
	if (!total)
		return false;
	uint64_t low = 0, high = total + 1;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		counts_at(podset, podset_count, middle, total, count);
		if (fits(self, count))
			high = middle;
		else
			low = middle + 1;
	}
	if (low > total)
		return false;
	counts_at(podset, podset_count, low, total, count);
	return true;
}

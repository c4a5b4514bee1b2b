/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_assign_out.c - what comes of an assignment: the admission, and quota that is kept for one that is
 * blocked.
 */
#include "policies/kueue/rules/kq_assign.h"

#include <stdlib.h>

static bool fill_podset(const struct kq *kq, const struct kq_assignment *assignment, uint32_t p,
	struct kq_admitted_podset *to)
{
	const struct kq_podset_assignment *from = &assignment->podset[p];
	*to = (struct kq_admitted_podset){
		.name = kq->workload[assignment->workload].podset[from->podset].name,
		.count = from->count,
		.placement = from->placement,
		.delayed = from->delayed
	};
	to->flavor = calloc((size_t)from->pick_count + 1, sizeof(*to->flavor));
	for (uint32_t i = 0; to->flavor && i < from->pick_count; i++)
		to->flavor[to->flavor_count++] = (struct kq_admitted_flavor){ from->pick[i].resource,
			from->pick[i].flavor, kq_amount_of(&from->requests, from->pick[i].resource) };
	return to->flavor != NULL;
}

/* In the order of the workload's podsets. */
struct kq_admission *kq_assignment_admission(struct kq *kq, const struct kq_assignment *assignment)
{
	struct kq_admission made = { .queue = assignment->queue,
		.queue_name = kq->node[assignment->queue].name };
	made.podset = calloc((size_t)assignment->podset_count + 1, sizeof(*made.podset));
	bool ok = made.podset != NULL;
	for (uint32_t row = 0; ok && made.podset_count < assignment->podset_count; row++)
		for (uint32_t p = 0; ok && p < assignment->podset_count; p++)
			if (assignment->podset[p].podset == row)
				ok = fill_podset(kq, assignment, p, &made.podset[made.podset_count++]);
	struct kq_admission *copy = ok ? kq_admission_copy(&made) : NULL;
	for (uint32_t p = 0; p < made.podset_count; p++)
		free(made.podset[p].flavor);
	free(made.podset);
	if (!copy)
		(void)sl_fail_memory(&kq->err);
	return copy;
}

static int64_t kq_assign_out_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A queue that may always take its quota back keeps nothing. */
void kq_reserve(struct kq *kq, const struct kq_assignment *assignment, struct kq_usage_cell *reserved)
{
	for (uint32_t i = 0; i < assignment->usage_count; i++) {
		const struct kq_usage_cell *cell = &assignment->usage[i];
		const size_t at = (size_t)assignment->queue * kq->fr_count + cell->fr;
		reserved[i] = *cell;
		if (assignment->mode != KQ_PREEMPT)
			continue;
		if (kq->node[assignment->queue].reclaim == KQ_ANY) {
			reserved[i].amount = 0;
		} else if (assignment->borrow > 0) {
			if (kq->borrowing[at] != KQ_NO_LIMIT)
				reserved[i].amount = kq_assign_out_least(cell->amount,
					kq_sub(kq_add(kq->nominal[at], kq->borrowing[at]), kq->usage[at]));
		} else {
			const int64_t own =
				kq_assign_out_least(cell->amount, kq_sub(kq->nominal[at], kq->usage[at]));
			reserved[i].amount = own > 0 ? own : 0;
		}
	}
}

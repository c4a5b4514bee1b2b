/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_fair_order.h - with fair sharing: which entry of a cycle is processed next.
 *
 * At every cohort, bottom up, the nominees of its children meet; the winner of the root is next. What was
 * processed in between counts, so the next one is chosen once usage is updated.
 */
#ifndef SL_KUEUE_KQ_FAIR_ORDER_H
#define SL_KUEUE_KQ_FAIR_ORDER_H

#include "policies/kueue/rules/kq_cycle.h"

struct kq_fair_entry {
	struct kq_entry_key key;
	uint32_t queue;
	const struct kq_usage_cell *usage; /* What it would use; none in a second pass. */
	uint32_t usage_count;
};
struct kq_fair_order;
/* Of so many entries, which are valid until the scratch is reset. NULL: kq->err is set. */
struct kq_fair_order *kq_fair_order(
	struct kq *kq, struct kq_scratch *scratch, const struct kq_fair_entry *entry, uint32_t count);
/* Its row among the entries, each once; KQ_NO: none is left. Usage is unchanged afterwards. */
uint32_t kq_fair_next(struct kq *kq, struct kq_fair_order *order);

#endif

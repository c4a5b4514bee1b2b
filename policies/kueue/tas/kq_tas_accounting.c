/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_accounting.c - usage of leaves, in cells that kq_undo takes back, with a log of the rows that
 * changed.
 */
#include "policies/kueue/tas/kq_tas_parts.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_KEPT = 4096 }; /* Between marks the log begins anew beyond so many, or 8 a row. */

void kq_accounting_init(struct kq *kq, struct kq_accounting *accounting, uint32_t rows, uint32_t resources)
{
	*accounting = (struct kq_accounting){ .row_count = rows, .resource_count = resources, .epoch = 1 };
	accounting->used = calloc((size_t)rows * resources + 1, sizeof(*accounting->used));
	accounting->step = calloc(64, sizeof(*accounting->step));
	accounting->step_capacity = 64;
	accounting->step_count = 1; /* Step 0 is the beginning. */
	if (!accounting->used || !accounting->step)
		(void)sl_fail_memory(&kq->err);
}

void kq_accounting_release(struct kq_accounting *accounting)
{
	free(accounting->used);
	free(accounting->step);
}

static bool step_capacity(struct kq *kq, struct kq_accounting *accounting)
{
	if (kq->marks == 0 && accounting->step_count > STEPS_KEPT &&
		accounting->step_count / 8 > accounting->row_count) {
		accounting->epoch++;
		accounting->step_count = 1;
		accounting->stamp = 0;
	}
	return !SL_GROW(accounting->step, accounting->step_capacity, accounting->step_count + 1, &kq->err);
}

/* A row's capacity has changed. */
static void kq_accounting_touch(struct kq *kq, struct kq_accounting *accounting, uint32_t row)
{
	if (!step_capacity(kq, accounting))
		return;
	accounting->step[accounting->step_count] = (struct kq_step){ (uint32_t)accounting->stamp, row };
	kq_write(kq, &accounting->stamp, (int64_t)accounting->step_count++);
}

/* Amounts of resources that no host was known to have when kq was sealed count for nothing: no pod that
 * requests them fits. */
void kq_accounting_add(struct kq *kq, struct kq_accounting *accounting, uint32_t row,
	const struct kq_amounts *request, int64_t count, int sign)
{
	int64_t *used = &accounting->used[(size_t)row * accounting->resource_count];
	for (uint32_t i = 0; i < request->count; i++) {
		const uint32_t r = request->at[i].resource;
		if (r >= accounting->resource_count || request->at[i].amount <= 0)
			continue;
		const int64_t amount = kq_mul(request->at[i].amount, count);
		kq_write(kq, &used[r], sign > 0 ? kq_add(used[r], amount) : kq_sub(used[r], amount));
	}
	kq_write(kq, &used[KQ_PODS], used[KQ_PODS] + sign * count);
	kq_accounting_touch(kq, accounting, row);
}

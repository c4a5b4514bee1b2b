/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_tas_books.c - usage of leaves, in cells that kq_undo takes back, with a log of the rows that changed.
 */
#include "policies/kueue/rules/kq_tas_parts.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_KEPT = 4096 }; /* Between marks the log begins anew beyond so many, or 8 a row. */

void kq_books_init(struct kq *kq, struct kq_books *books, uint32_t rows, uint32_t resources)
{
	*books = (struct kq_books){ .row_count = rows, .resource_count = resources, .epoch = 1 };
	books->used = calloc((size_t)rows * resources + 1, sizeof(*books->used));
	books->step = calloc(64, sizeof(*books->step));
	books->step_capacity = 64;
	books->step_count = 1; /* Step 0 is the beginning. */
	if (!books->used || !books->step)
		(void)sl_fail_memory(&kq->err);
}

void kq_books_release(struct kq_books *books)
{
	free(books->used);
	free(books->step);
}

static bool step_room(struct kq *kq, struct kq_books *books)
{
	if (kq->marks == 0 && books->step_count > STEPS_KEPT && books->step_count / 8 > books->row_count) {
		books->epoch++;
		books->step_count = 1;
		books->stamp = 0;
	}
	return !SL_GROW(books->step, books->step_capacity, books->step_count + 1, &kq->err);
}

/* A row's capacity has changed. */
static void kq_books_touch(struct kq *kq, struct kq_books *books, uint32_t row)
{
	if (!step_room(kq, books))
		return;
	books->step[books->step_count] = (struct kq_step){ (uint32_t)books->stamp, row };
	kq_write(kq, &books->stamp, (int64_t)books->step_count++);
}

/* Amounts of resources that no host was known to have when the world was sealed count for nothing: no pod
 * that asks them has a place. */
void kq_books_add(struct kq *kq, struct kq_books *books, uint32_t row, const struct kq_amounts *request,
	int64_t count, int sign)
{
	int64_t *used = &books->used[(size_t)row * books->resource_count];
	for (uint32_t i = 0; i < request->count; i++) {
		const uint32_t r = request->at[i].resource;
		if (r >= books->resource_count || request->at[i].amount <= 0)
			continue;
		const int64_t amount = kq_mul(request->at[i].amount, count);
		kq_write(kq, &used[r], sign > 0 ? kq_add(used[r], amount) : kq_sub(used[r], amount));
	}
	kq_write(kq, &used[KQ_PODS], used[KQ_PODS] + sign * count);
	kq_books_touch(kq, books, row);
}

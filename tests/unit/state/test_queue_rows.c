/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_queue_rows.c - the tree over row numbers against a plain list, over several levels of nodes. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim/state/queue_rows.h"

enum { ROWS = 70000, SPAN = 20000 }; /* More than one level holds; and how many wait at most. */

struct world {
	struct queue_rows rows;
	int32_t size[ROWS];
	sl_time length[ROWS];
	bool waits[ROWS];
	uint32_t from, end; /* Rows outside do not wait. */
	struct sl_rng rng;
	struct rows_search search;
};

static struct world *make(uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));
	cr_assert_not_null(w);
	w->rng = sl_rng_stream(seed, "tests/queue_rows");
	for (uint32_t i = 0; i < ROWS; i++) {
		w->size[i] = 1 + (int32_t)sl_rng_below(
					 &w->rng, UINT64_C(1) << sl_rng_below(&w->rng, i < 20000 ? 6 : 12));
		w->length[i] = 1 + (sl_time)sl_rng_below(&w->rng, 1000 * SL_SECOND);
	}
	return w;
}

static void drop(struct world *w)
{
	rows_release(&w->rows);
	free(w);
}

static void add(struct world *w, uint32_t row)
{
	struct sl_err err = { 0 };
	cr_assert_eq(rows_reserve(&w->rows, row, &err), SL_OK);
	rows_add(&w->rows, row, w->size[row], (int32_t)(w->length[row] / SL_SECOND));
	w->waits[row] = true;
}

static void take(struct world *w, uint32_t row)
{
	rows_remove(&w->rows, row);
	w->waits[row] = false;
}

static bool passes(const struct world *w, uint32_t row)
{
	const struct rows_search *s = &w->search;
	return w->waits[row] && w->size[row] <= s->free &&
	       (w->length[row] <= s->capacity || w->size[row] <= s->spare);
}

/* As windows do: not every job that fits. */
static bool passes_odd(void *self, uint32_t row) { return row % 3 && passes(self, row); }

static uint32_t obvious(const struct world *w, uint32_t from, bool odd)
{
	for (uint32_t row = from > w->from ? from : w->from; row < w->end; row++)
		if (passes(w, row) && (!odd || row % 3))
			return row;
	return UINT32_MAX;
}

/* What small searches find among few short jobs, and now and then everything. */
static void ask(struct world *w)
{
	const int32_t free = (int32_t)sl_rng_below(&w->rng, UINT64_C(1) << sl_rng_below(&w->rng, 13));
	const sl_time capacity = (sl_time)sl_rng_below(&w->rng, UINT64_C(1) << sl_rng_below(&w->rng, 30)) - 1;
	const bool odd = sl_rng_below(&w->rng, 4) == 0;
	const int32_t spare = (int32_t)sl_rng_below(&w->rng, (uint64_t)free / 8 + 1);
	w->search = (struct rows_search){ .free = free,
		.spare = spare,
		.class_free = rows_class(&w->rows, free),
		.class_spare = rows_class(&w->rows, spare),
		.seconds = capacity < 0 ? -1 : (int32_t)(capacity / SL_SECOND),
		.capacity = capacity,
		.length = w->length,
		.passes = odd ? passes_odd : NULL,
		.self = w };
	const uint32_t from = w->from + (uint32_t)sl_rng_below(&w->rng, w->end - w->from + 1);
	const uint32_t got = rows_next(&w->rows, from, &w->search);
	cr_assert_eq(got, obvious(w, from, odd), "from %u: %u, not %u", from, got, obvious(w, from, odd));
	if (got != UINT32_MAX && sl_rng_below(&w->rng, 2))
		take(w, got);
}

static void check_order(const struct world *w)
{
	uint64_t classes = 0;
	uint32_t row = rows_after(&w->rows, 0);
	cr_assert(row == UINT32_MAX || row == w->rows.front);
	for (uint32_t i = w->from; i < w->end; i++) {
		if (!w->waits[i])
			continue;
		cr_assert_eq(row, i);
		row = rows_after(&w->rows, i + 1);
		classes |= UINT64_C(1) << queue_class(w->size[i]);
	}
	cr_assert_eq(row, UINT32_MAX);
	cr_assert_eq(w->rows.classes, classes);
}

static void step(struct world *w)
{
	for (int i = 0; i < 40 && w->end < ROWS; i++)
		if (sl_rng_below(&w->rng, 4))
			add(w, w->end++);
		else
			w->end++; /* Never submitted. */
	for (; w->from + SPAN < w->end; w->from++)
		if (w->waits[w->from])
			take(w, w->from);
	const uint32_t row = w->from + (uint32_t)sl_rng_below(&w->rng, w->end - w->from);
	if (w->waits[row])
		take(w, row);
	else
		add(w, row); /* As a job does that is preempted. */
	for (int i = 0; i < 8; i++)
		ask(w);
}

Test(queue_rows, finds_what_a_plain_list_finds, .timeout = 120)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct world *w = make(seed);
		for (int round = 0; round < 2200; round++) {
			step(w);
			if (round % 200 == 0)
				check_order(w);
		}
		cr_assert_gt(w->rows.levels, 1);
		drop(w);
	}
}

Test(queue_rows, keeps_only_the_chunks_in_which_a_job_waits)
{
	struct world *w = make(9);
	w->end = ROWS;
	for (uint32_t row = 0; row < ROWS; row++)
		add(w, row);
	for (uint32_t row = 0; row < ROWS; row++)
		if (row != 5 * ROWS_CHUNK + 7)
			take(w, row);
	uint32_t chunks = 0;
	for (size_t i = 0; i < w->rows.chunk_capacity; i++)
		chunks += w->rows.chunk[i] != NULL;
	cr_expect_eq(chunks, 2); /* And the last. */
	cr_expect_eq(w->rows.front, 5 * ROWS_CHUNK + 7);
	check_order(w);
	for (uint32_t row = 3; row < ROWS; row += 1000)
		add(w, row);
	check_order(w);
	for (int i = 0; i < 200; i++)
		ask(w);
	drop(w);
}

Test(queue_rows, one_that_comes_before_all_others_is_the_first)
{
	struct world *w = make(10);
	w->end = 50000;
	add(w, 40000);
	cr_expect_eq(w->rows.front, 40000);
	add(w, 3);
	cr_expect_eq(w->rows.front, 3);
	take(w, 3);
	cr_expect_eq(w->rows.front, 40000);
	take(w, 40000);
	cr_expect_eq(w->rows.classes, 0);
	add(w, 41000);
	cr_expect_eq(w->rows.front, 41000);
	check_order(w);
	drop(w);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_evq.c - the order of events is (time, class, seq), and nothing else. */
#include <criterion/criterion.h>

#include "sim/state/evq.h"

static struct evq empty(void)
{
	struct evq q;
	struct sl_err err = { 0 };
	cr_assert_eq(evq_init(&q, 1, &err), SL_OK);
	return q;
}

static void push(struct evq *q, sl_time time, enum sl_event_class class, uint32_t row)
{
	struct sl_err err = { 0 };
	cr_assert_eq(evq_push(q, time, class, row, &err), SL_OK);
}

Test(evq, an_end_comes_before_a_submission_and_a_timer_last)
{
	struct evq q = empty();
	push(&q, 5, SL_EV_TIMER, 1);
	push(&q, 5, SL_EV_CANCEL, 2);
	push(&q, 5, SL_EV_TIME_LIMIT, 3);
	push(&q, 5, SL_EV_JOB_END, 4);
	push(&q, 4, SL_EV_TIMER, 5);
	static const uint32_t want[] = { 5, 4, 3, 2, 1 };
	for (size_t i = 0; i < SL_LEN(want); i++)
		cr_expect_eq(evq_pop(&q).row, want[i], "event %zu", i);
	cr_expect_null(evq_top(&q));
	evq_release(&q);
}

Test(evq, what_was_pushed_first_comes_first_within_a_class)
{
	struct evq q = empty();
	for (uint32_t i = 0; i < 100; i++)
		push(&q, 7, SL_EV_JOB_END, i);
	for (uint32_t i = 0; i < 100; i++)
		cr_expect_eq(evq_pop(&q).row, i);
	evq_release(&q);
}

Test(evq, ten_thousand_random_events_come_out_sorted)
{
	struct evq q = empty();
	struct sl_rng rng = sl_rng_stream(1, "tests/evq");
	for (uint32_t i = 0; i < 10000; i++)
		push(&q, (sl_time)sl_rng_below(&rng, 300),
			(enum sl_event_class)sl_rng_below(&rng, SL_EV_CLASS_COUNT), i);
	struct ev last = evq_pop(&q);
	while (q.count) {
		const struct ev next = evq_pop(&q);
		const bool sorted =
			last.time < next.time || (last.time == next.time && last.class < next.class) ||
			(last.time == next.time && last.class == next.class && last.seq < next.seq);
		cr_assert(sorted, "row %u came before row %u", last.row, next.row);
		last = next;
	}
	evq_release(&q);
}

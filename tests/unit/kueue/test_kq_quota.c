/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_quota.c - Kueue's quota tree, clause by clause, on trees worked by hand: what may leave a subtree,
 * what is available, who borrows and how high, dominant resource shares.
 */
#include <criterion/criterion.h>

#include "tests/world/kq_small.h"

enum { NONE = -1 }; /* No limit. */

#define OF(array, node) w.kq->array[(size_t)(node)*w.kq->fr_count + fr]

/* co: 3 of its own; a: 10, of which 6 may be lent, and 5 borrowed; b: 20. */
struct pair {
	struct kq_small w;
	uint32_t co, a, b, fr;
};

static struct pair pair_open(void)
{
	struct pair p = { .w = kq_small_open() };
	p.co = kq_small_cohort(&p.w, "co", NULL);
	p.a = kq_small_queue(&p.w, "a", "co");
	p.b = kq_small_queue(&p.w, "b", "co");
	kq_small_quota(&p.w, p.co, "f", "gpu", 3, NONE, NONE);
	kq_small_quota(&p.w, p.a, "f", "gpu", 10, 5, 6);
	kq_small_quota(&p.w, p.b, "f", "gpu", 20, NONE, NONE);
	kq_small_seal(&p.w);
	p.fr = kq_small_fr(&p.w, "f", "gpu");
	return p;
}

Test(kq_quota, subtree_quota_is_what_children_may_lend)
{
	struct pair p = pair_open();
	struct kq_small w = p.w;
	const uint32_t fr = p.fr;
	cr_expect_eq(kq_guaranteed(w.kq, p.a, fr), 4, "10 less the 6 that may be lent");
	cr_expect_eq(kq_guaranteed(w.kq, p.b, fr), 0, "no lending limit: all may be lent");
	cr_expect_eq(OF(subtree, p.a), 10);
	cr_expect_eq(OF(subtree, p.co), 3 + 6 + 20);
	kq_small_close(&w);
}

Test(kq_quota, usage_bubbles_up_beyond_the_guaranteed)
{
	struct pair p = pair_open();
	struct kq_small w = p.w;
	const uint32_t fr = p.fr;
	kq_usage_add(w.kq, p.a, fr, 3);
	cr_expect_eq(OF(usage, p.co), 0, "within the guaranteed 4");
	cr_expect_eq(kq_local_free(w.kq, p.a, fr), 1);
	kq_usage_add(w.kq, p.a, fr, 4);
	cr_expect_eq(OF(usage, p.a), 7);
	cr_expect_eq(OF(usage, p.co), 3, "7 less 4");
	cr_expect_eq(kq_local_free(w.kq, p.a, fr), 0);
	kq_usage_remove(w.kq, p.a, fr, 5);
	cr_expect_eq(OF(usage, p.a), 2);
	cr_expect_eq(OF(usage, p.co), 0, "only the 3 that were there go");
	kq_small_close(&w);
}

Test(kq_quota, available_is_own_and_the_parents_up_to_the_limit)
{
	struct pair p = pair_open();
	struct kq_small w = p.w;
	const uint32_t fr = p.fr;
	cr_expect_eq(kq_available(w.kq, p.a, fr), 15, "10 and 5 borrowed, of 33");
	cr_expect_eq(kq_available(w.kq, p.b, fr), 29, "a's guaranteed 4 stay with it");
	kq_usage_add(w.kq, p.b, fr, 25);
	cr_expect_eq(kq_available(w.kq, p.a, fr), 4 + 4, "its own, and what is left of 29");
	cr_expect_eq(kq_potential(w.kq, p.a, fr), 15, "with nothing running");
	cr_expect_eq(kq_potential(w.kq, p.b, fr), 29);
	kq_usage_add(w.kq, p.a, fr, 7);
	cr_expect_eq(kq_available(w.kq, p.a, fr), 1, "3 of the parent's are taken");
	kq_usage_add(w.kq, p.a, fr, 3);
	cr_expect_eq(kq_available(w.kq, p.a, fr), -2, "more than there is");
	kq_small_close(&w);
}

Test(kq_quota, borrowing_is_above_the_nominal_of_queues_and_the_subtree_of_cohorts)
{
	struct pair p = pair_open();
	struct kq_small w = p.w;
	kq_usage_add(w.kq, p.a, p.fr, 10);
	cr_expect_not(kq_borrows(w.kq, p.a, p.fr));
	kq_usage_add(w.kq, p.a, p.fr, 1);
	cr_expect(kq_borrows(w.kq, p.a, p.fr));
	kq_usage_add(w.kq, p.b, p.fr, 22);
	cr_expect_not(kq_borrows(w.kq, p.co, p.fr), "7 and 22 are the 29 that it has");
	kq_usage_add(w.kq, p.b, p.fr, 1);
	cr_expect(kq_borrows(w.kq, p.co, p.fr));
	kq_small_close(&w);
}

Test(kq_quota, undone_under_a_mark)
{
	struct pair p = pair_open();
	struct kq_small w = p.w;
	const uint32_t fr = p.fr;
	kq_usage_add(w.kq, p.a, fr, 5);
	const kq_marked mark = kq_mark(w.kq);
	kq_usage_add(w.kq, p.a, fr, 5);
	kq_usage_remove(w.kq, p.a, fr, 7);
	kq_undo(w.kq, mark);
	cr_expect_eq(OF(usage, p.a), 5);
	cr_expect_eq(OF(usage, p.co), 1);
	kq_small_close(&w);
}

Test(kq_quota, limits_of_a_cohort_keep_between_it_and_its_parent_and_a_roots_do_nothing)
{
	struct kq_small w = kq_small_open();
	const uint32_t root = kq_small_cohort(&w, "root", NULL), mid = kq_small_cohort(&w, "mid", "root");
	const uint32_t a = kq_small_queue(&w, "a", "mid"), b = kq_small_queue(&w, "b", "root");
	kq_small_quota(&w, root, "f", "cpu", 10, 0, 0);
	kq_small_quota(&w, mid, "f", "cpu", 4, 3, 2);
	kq_small_quota(&w, a, "f", "cpu", 6, NONE, NONE);
	kq_small_quota(&w, b, "f", "cpu", 0, NONE, NONE);
	kq_small_seal(&w);
	const uint32_t fr = kq_small_fr(&w, "f", "cpu");
	cr_expect_eq(OF(subtree, mid), 10);
	cr_expect_eq(OF(subtree, root), 12, "10, and 2 of mid's 10");
	cr_expect_eq(kq_available(w.kq, a, fr), 13, "mid's 10 and 3");
	cr_expect_eq(kq_available(w.kq, b, fr), 12);
	kq_usage_add(w.kq, a, fr, 9);
	cr_expect_eq(OF(usage, mid), 9);
	cr_expect_eq(OF(usage, root), 1, "mid keeps 8 for itself");
	cr_expect_eq(kq_available(w.kq, a, fr), 4);
	kq_small_close(&w);
}

Test(kq_quota, unlimited_absorbs)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "co", NULL);
	const uint32_t a = kq_small_queue(&w, "a", "co"), b = kq_small_queue(&w, "b", "co");
	kq_small_quota(&w, a, "f", "cpu", KQ_UNLIMITED, NONE, NONE);
	kq_small_quota(&w, b, "f", "cpu", 5, 7, NONE);
	kq_small_seal(&w);
	const uint32_t fr = kq_small_fr(&w, "f", "cpu");
	kq_usage_add(w.kq, a, fr, 1000);
	cr_expect_eq(kq_available(w.kq, a, fr), KQ_UNLIMITED);
	cr_expect_eq(kq_available(w.kq, b, fr), 12);
	kq_small_close(&w);
}

Test(kq_quota, what_is_guaranteed_without_end_needs_no_parent)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "root", NULL);
	const uint32_t mid = kq_small_cohort(&w, "mid", "root"), a = kq_small_queue(&w, "a", "mid");
	kq_small_quota(&w, mid, "f", "cpu", KQ_UNLIMITED, NONE, 4);
	kq_small_quota(&w, a, "f", "cpu", 3, 5, 1);
	kq_small_seal(&w);
	const uint32_t fr = kq_small_fr(&w, "f", "cpu");
	cr_expect_eq(kq_available(w.kq, a, fr), 8, "its borrowing limit holds all the same");
	kq_small_close(&w);
}

/* ---- How high one borrows ---- */

/* top: 100 of its own > mid > a: 10; mid also has b: 10, side (under top) has c: 10. */
struct tall {
	struct kq_small w;
	uint32_t a, b, c, fr;
};

static struct tall tall_open(bool stop_all_of_mid)
{
	struct tall t = { .w = kq_small_open() };
	const uint32_t top = kq_small_cohort(&t.w, "top", NULL);
	(void)kq_small_cohort(&t.w, "mid", "top");
	(void)kq_small_cohort(&t.w, "side", "top");
	t.a = kq_small_queue(&t.w, "a", "mid");
	t.b = kq_small_queue(&t.w, "b", "mid");
	t.c = kq_small_queue(&t.w, "c", "side");
	kq_small_quota(&t.w, top, "f", "cpu", 100, NONE, NONE);
	kq_small_quota(&t.w, t.a, "f", "cpu", 10, NONE, NONE);
	kq_small_quota(&t.w, t.b, "f", "cpu", 10, NONE, NONE);
	kq_small_quota(&t.w, t.c, "f", "cpu", 10, NONE, NONE);
	if (stop_all_of_mid)
		t.w.kq->node[t.a].stop = t.w.kq->node[t.b].stop = KQ_HOLD;
	kq_small_seal(&t.w);
	t.fr = kq_small_fr(&t.w, "f", "cpu");
	return t;
}

Test(kq_quota, borrow_height_is_that_of_the_lowest_cohort_that_has_capacity)
{
	static const struct {
		int64_t amount;
		uint32_t height;
		bool reclaim;
	} cases[] = {
		{ 10, 0, true },   /* Within nominal, in a cohort. */
		{ 11, 1, true },   /* mid has 20. */
		{ 20, 1, true },   /* All of it. */
		{ 21, 2, false },  /* top, the root. */
		{ 130, 2, false }, /* All there is. */
		{ 131, 2, false }, /* Nobody has that: the root's height. */
	};
	struct tall t = tall_open(false);
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		bool reclaim = !cases[i].reclaim;
		cr_expect_eq(kq_borrow_height(t.w.kq, t.a, t.fr, cases[i].amount, &reclaim), cases[i].height,
			"%lld", (long long)cases[i].amount);
		cr_expect_eq(reclaim, cases[i].reclaim, "%lld", (long long)cases[i].amount);
	}
	kq_small_close(&t.w);
}

Test(kq_quota, what_is_running_raises_the_height)
{
	struct tall t = tall_open(false);
	bool reclaim;
	kq_usage_add(t.w.kq, t.b, t.fr, 15);
	cr_expect_eq(kq_borrow_height(t.w.kq, t.a, t.fr, 5, &reclaim), 0, "its nominal is its own");
	cr_expect_eq(kq_borrow_height(t.w.kq, t.a, t.fr, 11, &reclaim), 2, "15 and 11 are more than 20");
	kq_small_close(&t.w);
}

Test(kq_quota, on_the_way_up_what_a_level_keeps_is_taken_off)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "top", NULL);
	const uint32_t mid = kq_small_cohort(&w, "mid", "top");
	const uint32_t a = kq_small_queue(&w, "a", "mid"), c = kq_small_queue(&w, "c", "top");
	kq_small_quota(&w, mid, "f", "cpu", 6, NONE, 0);
	kq_small_quota(&w, a, "f", "cpu", 2, NONE, 0);
	kq_small_quota(&w, c, "f", "cpu", 4, NONE, NONE);
	kq_small_seal(&w);
	const uint32_t fr = kq_small_fr(&w, "f", "cpu");
	bool reclaim;
	cr_expect_eq(kq_borrow_height(w.kq, a, fr, 8, &reclaim), 1, "2 are its own: 6 of mid's 6");
	cr_expect(reclaim);
	cr_expect_eq(kq_borrow_height(w.kq, a, fr, 12, &reclaim), 2, "and 4 of top's 4");
	cr_expect_not(reclaim);
	kq_small_close(&w);
}

Test(kq_quota, queues_that_are_not_active_do_not_count_for_height)
{
	struct tall t = tall_open(true);
	bool reclaim;
	cr_expect_eq(kq_borrow_height(t.w.kq, t.c, t.fr, 11, &reclaim), 2, "mid is a child of top still");
	cr_expect_eq(kq_borrow_height(t.w.kq, t.a, t.fr, 11, &reclaim), 0, "mid has no member: height 0");
	cr_expect_eq(t.w.kq->subtree[(size_t)t.w.kq->node[t.a].root * t.w.kq->fr_count + t.fr], 130,
		"their quota stays");
	kq_small_close(&t.w);
}

Test(kq_quota, without_a_cohort_nothing_is_borrowed)
{
	struct kq_small w = kq_small_open();
	const uint32_t a = kq_small_queue(&w, "a", NULL);
	kq_small_quota(&w, a, "f", "cpu", 3, NONE, NONE);
	kq_small_seal(&w);
	bool reclaim = true;
	cr_expect_eq(kq_borrow_height(w.kq, a, kq_small_fr(&w, "f", "cpu"), 9, &reclaim), 0);
	cr_expect_not(reclaim);
	kq_small_close(&w);
}

Test(kq_quota, cohorts_in_a_circle_lend_nothing)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "one", "two");
	const uint32_t two = kq_small_cohort(&w, "two", "one"), a = kq_small_queue(&w, "a", "one");
	kq_small_quota(&w, two, "f", "cpu", 50, NONE, NONE);
	kq_small_quota(&w, a, "f", "cpu", 3, NONE, NONE);
	kq_small_seal(&w);
	const uint32_t fr = kq_small_fr(&w, "f", "cpu");
	kq_usage_add(w.kq, a, fr, 2);
	cr_expect_eq(kq_available(w.kq, a, fr), 1);
	cr_expect_eq(kq_potential(w.kq, a, fr), 3);
	cr_expect_eq(kq_quota_parent(w.kq, a), KQ_NO);
	kq_small_close(&w);
}

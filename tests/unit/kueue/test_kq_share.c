/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_share.c - dominant resource shares, clause by clause, worked by hand.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kq_small.h"

enum { NONE = -1 };

/* Cohort co. a: gpu 4 of flavor f and 4 of g, cpu 10; b lends gpu 12 (f), cpu 30. So of gpu 20 could be had,
 * of cpu 40. */
struct two {
	struct kq_small w;
	uint32_t co, a, b, f, g, cpu;
};

static struct two two_open(double weight)
{
	struct two t = { .w = kq_small_open() };
	t.co = kq_small_cohort(&t.w, "co", NULL);
	t.a = kq_small_queue(&t.w, "a", "co");
	t.b = kq_small_queue(&t.w, "b", "co");
	kq_small_quota(&t.w, t.a, "f", "gpu", 4, NONE, NONE);
	kq_small_quota(&t.w, t.a, "g", "gpu", 4, NONE, NONE);
	kq_small_quota(&t.w, t.a, "f", "cpu", 10, NONE, NONE);
	kq_small_quota(&t.w, t.b, "f", "gpu", 12, NONE, NONE);
	kq_small_quota(&t.w, t.b, "f", "cpu", 30, NONE, NONE);
	t.w.kq->node[t.a].weight = weight;
	kq_small_seal(&t.w);
	t.f = kq_small_fr(&t.w, "f", "gpu");
	t.g = kq_small_fr(&t.w, "g", "gpu");
	t.cpu = kq_small_fr(&t.w, "f", "cpu");
	return t;
}

static const char *dominant(const struct two *t, const struct kq_share *share)
{
	return share->resource == KQ_NO ? "" : t->w.kq->resource[share->resource];
}

Test(kq_share, what_is_borrowed_of_a_resource_is_summed_over_flavors)
{
	struct two t = two_open(1);
	kq_usage_add(t.w.kq, t.a, t.f, 6);
	kq_usage_add(t.w.kq, t.a, t.g, 5);
	struct kq_share share = kq_share_of(t.w.kq, t.a, NULL, 0);
	cr_expect_eq(kq_share_reported(&share), 150, "2 and 1 of 20: not what f and g lend by themselves");
	cr_expect_str_eq(dominant(&t, &share), "gpu");
	kq_usage_remove(t.w.kq, t.a, t.g, 5);
	share = kq_share_of(t.w.kq, t.a, NULL, 0);
	cr_expect_eq(kq_share_reported(&share), 100, "what is free of g makes up for nothing of f");
	kq_small_close(&t.w);
}

Test(kq_share, the_largest_ratio_counts_and_of_equals_the_first_by_name)
{
	struct two t = two_open(1);
	kq_usage_add(t.w.kq, t.a, t.f, 6);    /* 2 of 20 */
	kq_usage_add(t.w.kq, t.a, t.cpu, 14); /* 4 of 40 */
	struct kq_share share = kq_share_of(t.w.kq, t.a, NULL, 0);
	cr_expect_str_eq(dominant(&t, &share), "cpu");
	kq_usage_add(t.w.kq, t.a, t.f, 1);
	share = kq_share_of(t.w.kq, t.a, NULL, 0);
	cr_expect_str_eq(dominant(&t, &share), "gpu");
	cr_expect_eq(kq_share_reported(&share), 150);
	kq_small_close(&t.w);
}

Test(kq_share, more_is_taken_as_if_it_ran)
{
	struct two t = two_open(1);
	const struct kq_usage_cell extra[] = { { t.f, 5 }, { t.f, 1 } };
	const struct kq_share share = kq_share_of(t.w.kq, t.a, extra, 2);
	cr_expect_eq(kq_share_reported(&share), 100, "6 less 4");
	cr_expect(share.borrowing);
	kq_small_close(&t.w);
}

Test(kq_share, it_is_divided_by_the_weight_and_reported_rounded_up)
{
	struct two t = two_open(3);
	kq_usage_add(t.w.kq, t.a, t.f, 6);
	const struct kq_share share = kq_share_of(t.w.kq, t.a, NULL, 0);
	cr_expect_eq(kq_share_reported(&share), 34, "100 over 3");
	cr_expect_float_eq(share.ratio, 100.0, 1e-12);
	kq_small_close(&t.w);
}

Test(kq_share, roots_and_who_stays_within_have_none)
{
	struct two t = two_open(0);
	kq_usage_add(t.w.kq, t.a, t.f, 4);
	struct kq_share share = kq_share_of(t.w.kq, t.a, NULL, 0);
	cr_expect_eq(kq_share_reported(&share), 0);
	cr_expect_not(share.borrowing);
	cr_expect_not(share.zero_weight, "it borrows nothing");
	kq_usage_add(t.w.kq, t.b, t.f, 100);
	share = kq_share_of(t.w.kq, t.co, NULL, 0);
	cr_expect_eq(kq_share_reported(&share), 0, "above its quota, but a root");
	kq_small_close(&t.w);
}

Test(kq_share, weight_zero_is_above_all_and_compared_unweighted)
{
	struct two t = two_open(0);
	kq_usage_add(t.w.kq, t.a, t.f, 6);
	const struct kq_share low = kq_share_of(t.w.kq, t.a, NULL, 0);
	kq_usage_add(t.w.kq, t.a, t.f, 6);
	const struct kq_share high = kq_share_of(t.w.kq, t.a, NULL, 0);
	const struct kq_share weighed = { .borrowing = true, .ratio = 900, .share = 900 };
	cr_expect_eq(kq_share_reported(&low), INT64_MAX);
	cr_expect(kq_share_compare(&low, &weighed) > 0);
	cr_expect(kq_share_compare(&weighed, &low) < 0);
	cr_expect(kq_share_compare(&low, &high) < 0);
	cr_expect_eq(kq_share_compare(&high, &high), 0);
	kq_small_close(&t.w);
}

Test(kq_share, between_weights_the_quotient_decides)
{
	const struct kq_share a = { .borrowing = true, .ratio = 300, .share = 100 };
	const struct kq_share b = { .borrowing = true, .ratio = 200, .share = 200 };
	cr_expect(kq_share_compare(&a, &b) < 0);
}

Test(kq_share, who_borrows_what_nobody_lends_borrows_but_has_no_share)
{
	struct kq_small w = kq_small_open();
	(void)kq_small_cohort(&w, "co", NULL);
	const uint32_t a = kq_small_queue(&w, "a", "co");
	kq_small_quota(&w, a, "f", "gpu", 0, NONE, NONE);
	w.kq->node[a].weight = 0;
	kq_small_seal(&w);
	kq_usage_add(w.kq, a, kq_small_fr(&w, "f", "gpu"), 2);
	const struct kq_share share = kq_share_of(w.kq, a, NULL, 0);
	cr_expect(share.borrowing);
	cr_expect_eq(kq_share_reported(&share), 0);
	cr_expect_eq(share.resource, KQ_NO);
	kq_small_close(&w);
}

Test(kq_share, cells_that_no_quota_of_the_subtree_names_do_not_count)
{
	struct kq_small w = kq_small_open();
	const uint32_t co = kq_small_cohort(&w, "co", NULL), a = kq_small_queue(&w, "a", "co");
	kq_small_quota(&w, co, "f", "gpu", 8, NONE, NONE);
	kq_small_quota(&w, a, "f", "cpu", 8, NONE, NONE);
	kq_small_seal(&w);
	kq_usage_add(w.kq, a, kq_small_fr(&w, "f", "gpu"), 4);
	const struct kq_share share = kq_share_of(w.kq, a, NULL, 0);
	cr_expect_not(share.borrowing);
	kq_small_close(&w);
}

/* Below a root with 10 more, mid may borrow 2 of these: its queues could have 4 + 2. */
Test(kq_share, what_could_be_had_is_the_parents_with_its_limits)
{
	struct kq_small w = kq_small_open();
	const uint32_t root = kq_small_cohort(&w, "root", NULL), mid = kq_small_cohort(&w, "mid", "root");
	const uint32_t a = kq_small_queue(&w, "a", "mid");
	kq_small_quota(&w, root, "f", "gpu", 10, NONE, NONE);
	kq_small_quota(&w, mid, "f", "gpu", 4, 2, NONE);
	kq_small_quota(&w, a, "f", "gpu", 0, NONE, NONE);
	kq_small_seal(&w);
	kq_usage_add(w.kq, a, kq_small_fr(&w, "f", "gpu"), 3);
	const struct kq_share share = kq_share_of(w.kq, a, NULL, 0);
	cr_expect_eq(kq_share_reported(&share), 500, "3 of 6");
	kq_small_close(&w);
}

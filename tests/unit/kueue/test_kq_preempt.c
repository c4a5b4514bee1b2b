/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_preempt.c - Kueue's classical preemption, clause by clause: who may go, who goes first, who may
 * stay after all.
 */
#include <criterion/criterion.h>

#include "tests/world/kq_victims_world.h"

static struct ks_instance w;

static struct kq_node *node(uint32_t row) { return &w.kq->node[row]; }

static void within(uint32_t queue, enum kq_within within, enum kq_within reclaim)
{
	node(queue)->within = within;
	node(queue)->reclaim = reclaim;
}

/* ---- Policies ---- */

Test(kq_preempt, in_the_own_queue)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 4);
	const uint32_t old = ks_waits(&w, "old", 1);
	(void)ks_holds(&w, "low", a, 0, 2);
	(void)ks_holds(&w, "same", a, 1, 2);
	const uint32_t new = ks_waits(&w, "new", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, old, a, 2), "", "Never");
	within(a, KQ_LOWER_PRIORITY, KQ_NEVER);
	cr_expect_str_eq(ks_victims(&w, old, a, 2), "low InClusterQueue");
	cr_expect_str_eq(ks_victims(&w, old, a, 4), "", "the other has the same priority");
	within(a, KQ_LOWER_OR_NEWER_EQUAL, KQ_NEVER);
	cr_expect_str_eq(ks_victims(&w, old, a, 4), "low InClusterQueue, same InClusterQueue");
	cr_expect_str_eq(ks_victims(&w, new, a, 4), "", "it is newer itself");
	ks_end(&w);
}

Test(kq_preempt, in_other_queues)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	(void)ks_holds(&w, "b1", b, 0, 4);
	(void)ks_holds(&w, "b2", b, 5, 4);
	const uint32_t high = ks_waits(&w, "high", 1), low = ks_waits(&w, "low", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, high, a, 4), "", "Never");
	within(a, KQ_NEVER, KQ_LOWER_PRIORITY);
	cr_expect_str_eq(ks_victims(&w, high, a, 4), "b1 InCohortReclamation");
	cr_expect_str_eq(ks_victims(&w, low, a, 4), "");
	within(a, KQ_NEVER, KQ_ANY);
	cr_expect_str_eq(ks_victims(&w, low, a, 4), "b1 InCohortReclamation");
	node(b)->active = false;
	cr_expect_str_eq(ks_victims(&w, low, a, 4), "", "a queue that is not active is no member");
	ks_end(&w);
}

Test(kq_preempt, only_who_uses_what_is_needed)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 4);
	ks_quota(&w, a, "g", "cpu", 4);
	within(a, KQ_LOWER_PRIORITY, KQ_NEVER);
	(void)ks_holds_of(&w, "in g", a, -1, "g", 4);
	(void)ks_holds_of(&w, "in f", a, 0, "f", 4);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "in f InClusterQueue");
	ks_end(&w);
}

/* b is within its quota, c is not. */
Test(kq_preempt, only_from_above_the_quota)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	const uint32_t c = ks_queue(&w, "c", "co", 0);
	within(a, KQ_NEVER, KQ_ANY);
	(void)ks_holds(&w, "b1", b, -5, 2);
	(void)ks_holds(&w, "c1", c, 5, 6);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "c1 InCohortReclamation");
	ks_end(&w);
}

/* b is 4 above its 4: the two that came last suffice, and more it does not give. */
Test(kq_preempt, only_down_to_the_quota)
{
	static const char *const name[] = { "b1", "b2", "b3", "b4" };
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	within(a, KQ_NEVER, KQ_ANY);
	for (uint32_t i = 0; i < SL_LEN(name); i++)
		(void)ks_holds(&w, name[i], b, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "b4 InCohortReclamation, b3 InCohortReclamation");
	cr_expect_str_eq(ks_victims(&w, in, a, 6), "");
	ks_end(&w);
}

/* ---- Cohorts and borrowing ---- */

/* The quota is the middle cohort's: what others use of it is taken back whatever the priority. */
Test(kq_preempt, who_is_nearer_to_the_quota)
{
	ks_begin(&w);
	(void)ks_cohort(&w, "root", NULL, 0);
	(void)ks_cohort(&w, "mid", "root", 4);
	const uint32_t q = ks_queue(&w, "q", "mid", 0), o = ks_queue(&w, "o", "root", 0);
	within(q, KQ_NEVER, KQ_ANY);
	(void)ks_holds(&w, "o1", o, 5, 4);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, q, 4), "o1 InCohortReclamation", "%s", w.reported);
	ks_end(&w);
}

/* 2 of the 4 come from what q never lends; the other 2 fit the middle cohort's quota. */
Test(kq_preempt, what_is_left_for_the_cohort)
{
	ks_begin(&w);
	(void)ks_cohort(&w, "root", NULL, 0);
	(void)ks_cohort(&w, "mid", "root", 2);
	const uint32_t q = ks_queue(&w, "q", "mid", 2), o = ks_queue(&w, "o", "root", 0);
	ks_limits(&w, q, KQ_NO_LIMIT, 0);
	within(q, KQ_NEVER, KQ_ANY);
	(void)ks_holds(&w, "o1", o, 5, 2);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, q, 4), "o1 InCohortReclamation");
	ks_end(&w);
}

/* b is 2 above its quota, c is 4: b gives one, though its others have a lower priority than c's. */
Test(kq_preempt, each_queue_down_to_its_quota)
{
	static const char *const name[] = { "b1", "b2", "b3", "c1", "c2", "c3" };
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 6), b = ks_queue(&w, "b", "co", 4);
	const uint32_t c = ks_queue(&w, "c", "co", 2);
	within(a, KQ_NEVER, KQ_ANY);
	for (uint32_t i = 0; i < SL_LEN(name); i++)
		(void)ks_holds(&w, name[i], i < 3 ? b : c, i < 3 ? -1 : 0, 2);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 6),
		"b3 InCohortReclamation, c3 InCohortReclamation, c2 InCohortReclamation");
	ks_end(&w);
}

/* More is used than there is (a quota was cut). a is at its nominal quota, so c is not asked at all. */
Test(kq_preempt, at_nominal_others_are_not_asked)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), c = ks_queue(&w, "c", "co", 0);
	within(a, KQ_LOWER_PRIORITY, KQ_ANY);
	const uint32_t a1 = ks_holds(&w, "a1", a, 0, 4);
	(void)ks_holds(&w, "c1", c, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "");
	kq_release(w.kq, a1);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "c1 InCohortReclamation");
	ks_end(&w);
}

/* Without borrowing first: b2 and a1. With it a2 and a1, as others may not be asked then. */
Test(kq_preempt, without_borrowing_first)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 2);
	const uint32_t c = ks_queue(&w, "c", "co", 4);
	within(a, KQ_LOWER_PRIORITY, KQ_ANY);
	(void)ks_holds(&w, "a1", a, 0, 2);
	(void)ks_holds(&w, "a2", a, 0, 1);
	(void)ks_holds(&w, "b1", b, 0, 2);
	(void)ks_holds(&w, "b2", b, 0, 1);
	(void)ks_holds(&w, "c1", c, 0, 4);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 3), "b2 InCohortReclamation, a1 InClusterQueue");
	ks_end(&w);
}

/* Its cohort is the root, and the root's quota is nobody's: it would borrow. */
Test(kq_preempt, while_borrowing)
{
	ks_begin(&w);
	(void)ks_cohort(&w, "root", NULL, 4);
	const uint32_t q = ks_queue(&w, "q", "root", 0), o = ks_queue(&w, "o", "root", 0);
	within(q, KQ_NEVER, KQ_ANY);
	(void)ks_holds(&w, "o1", o, -1, 4);
	const uint32_t in = ks_waits(&w, "in", 0), same = ks_waits(&w, "same", -1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, q, 4), "", "borrowWithinCohort is absent");
	node(q)->borrow_within = KQ_LOWER_PRIORITY;
	cr_expect_str_eq(ks_victims(&w, in, q, 4), "o1 InCohortReclaimWhileBorrowing");
	cr_expect_str_eq(ks_victims(&w, same, q, 4), "", "not lower");
	node(q)->has_threshold = true;
	node(q)->threshold = -1;
	cr_expect_str_eq(ks_victims(&w, in, q, 4), "o1 InCohortReclaimWhileBorrowing");
	node(q)->threshold = -2;
	cr_expect_str_eq(ks_victims(&w, in, q, 4), "", "above the threshold");
	ks_end(&w);
}

/* The lower cohort is above its quota too, and is passed by when its parent is visited. */
Test(kq_preempt, nobody_twice)
{
	ks_begin(&w);
	(void)ks_cohort(&w, "root", NULL, 4);
	(void)ks_cohort(&w, "low", "root", 0);
	const uint32_t q = ks_queue(&w, "q", "low", 0), s = ks_queue(&w, "s", "low", 0);
	within(q, KQ_NEVER, KQ_ANY);
	node(q)->borrow_within = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "s1", s, 0, 2);
	(void)ks_holds(&w, "s2", s, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, q, 4),
		"s2 InCohortReclaimWhileBorrowing, s1 InCohortReclaimWhileBorrowing");
	ks_end(&w);
}

/* a uses 2 of its 4 and requests 4: once a1 is gone it does not borrow, and b, at 6 of 4, has to give 2. */
Test(kq_preempt, if_it_does_not_borrow_in_the_end)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	within(a, KQ_LOWER_PRIORITY, KQ_ANY);
	(void)ks_holds(&w, "a1", a, 0, 2);
	(void)ks_holds(&w, "b1", b, 0, 3);
	(void)ks_holds(&w, "b2", b, 0, 3);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "b2 InCohortReclamation, a1 InClusterQueue");
	within(a, KQ_NEVER, KQ_ANY);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "", "it would borrow");
	ks_end(&w);
}

/* A queue at its nominal quota borrows whatever it gets: others give nothing unless that is allowed. */
Test(kq_preempt, at_nominal_only_with_borrowing)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 2);
	const uint32_t c = ks_queue(&w, "c", "co", 0);
	within(a, KQ_LOWER_PRIORITY, KQ_ANY);
	(void)ks_holds(&w, "a1", a, 0, 2);
	(void)ks_holds(&w, "a2", a, 0, 2);
	(void)ks_holds(&w, "c1", c, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	(void)b;
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "a2 InClusterQueue");
	node(a)->borrow_within = KQ_LOWER_PRIORITY;
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "c1 InCohortReclaimWhileBorrowing");
	ks_end(&w);
}

/* ---- Order and give-back ---- */

Test(kq_preempt, candidates_in_order)
{
	static const char *const want[] = { "evicted own", "other high", "lowest", "late", "early", "twin 1",
		"twin 2" };
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 9), b = ks_queue(&w, "b", "co", 9);
	uint32_t row[SL_LEN(want)];
	row[0] = ks_holds(&w, "early", a, 0, 1);
	row[1] = ks_holds(&w, "late", a, 0, 1);
	row[2] = ks_holds(&w, "lowest", a, -1, 1);
	row[3] = ks_holds(&w, "other high", b, 9, 1);
	row[4] = ks_holds(&w, "evicted own", a, 5, 1);
	row[5] = ks_holds(&w, "twin 2", a, 1, 1);
	row[6] = ks_holds(&w, "twin 1", a, 1, 1);
	w.kq->workload[row[6]].cond[KQ_QUOTA_RESERVED].at = w.kq->workload[row[5]].cond[KQ_QUOTA_RESERVED].at;
	ks_seal(&w);
	kq_set_cond(w.kq, row[4], KQ_EVICTED, KQ_TRUE, "Preempted", NULL, w.clock);
	kq_candidates_sort(w.kq, a, row, SL_LEN(want));
	for (uint32_t i = 0; i < SL_LEN(want); i++)
		cr_expect_str_eq(w.kq->workload[row[i]].name, want[i], "place %u", i);
	ks_end(&w);
}

/* Evicted ones go first even if others would have come before them. */
Test(kq_preempt, evicted_first)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 0);
	within(a, KQ_LOWER_PRIORITY, KQ_ANY);
	const uint32_t own = ks_holds(&w, "own", a, 0, 2);
	(void)ks_holds(&w, "other", b, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "other InCohortReclamation");
	kq_set_cond(w.kq, own, KQ_EVICTED, KQ_TRUE, "Preempted", NULL, w.clock);
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "own InClusterQueue");
	ks_end(&w);
}

/* 3 + 1 + 3 + 3 for 9: the one of 1 may stay, and the last takes its place in the list. */
Test(kq_preempt, who_can_be_spared_stays)
{
	static const int64_t cpu[] = { 3, 1, 3, 3 };
	static const char *const name[] = { "v1", "v2", "v3", "v4" };
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 10);
	within(a, KQ_LOWER_PRIORITY, KQ_NEVER);
	for (uint32_t i = 0; i < SL_LEN(cpu); i++)
		(void)ks_holds(&w, name[i], a, (int64_t)i, cpu[i]);
	const uint32_t in = ks_waits(&w, "in", 9);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 9), "v1 InClusterQueue, v4 InClusterQueue, v3 InClusterQueue");
	ks_end(&w);
}

struct limit {
	uint32_t queue, fr;
	int64_t most;
};

static bool below(void *self, struct kq *kq)
{
	const struct limit *limit = self;
	return kq->usage[(size_t)limit->queue * kq->fr_count + limit->fr] <= limit->most;
}

/* Quota is content with one of 2; the other test wants no more than 4 to stay. */
Test(kq_preempt, another_test_besides_quota)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 8);
	within(a, KQ_LOWER_PRIORITY, KQ_NEVER);
	(void)ks_holds(&w, "v1", a, 0, 2);
	(void)ks_holds(&w, "v2", a, 1, 2);
	(void)ks_holds(&w, "v3", a, 2, 4);
	const uint32_t in = ks_waits(&w, "in", 9);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "v1 InClusterQueue");
	struct limit limit = { a, ks_cell(&w, "f", "cpu"), 4 };
	const struct kq_preempt_options options = { below, &limit };
	struct kq_victims found = ks_find(&w, in, a, 2, &options);
	cr_expect_str_eq(ks_report(&w, &found), "v1 InClusterQueue, v2 InClusterQueue");
	limit.most = -1;
	found = ks_find(&w, in, a, 2, &options);
	cr_expect_eq(found.count, 0);
	ks_end(&w);
}

/* ---- What is asked ---- */

/* `pods` make a cell needed, but are not asked for: who holds these alone may stay. */
Test(kq_preempt, pods_are_not_asked_for)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 4);
	ks_quota(&w, a, "f", "pods", 1);
	within(a, KQ_LOWER_PRIORITY, KQ_NEVER);
	(void)ks_holds(&w, "cpu", a, 1, 4);
	const uint32_t pod = ks_holds(&w, "pod", a, 0, 1);
	w.kq->workload[pod].admission->podset[0].flavor[0].resource = KQ_PODS;
	const uint32_t in = ks_waits(&w, "in", 9);
	ks_seal(&w);
	struct kq_amount amount[] = { { KQ_CPU, 4 }, { KQ_PODS, 1 } };
	struct kq_pick pick[] = { { .resource = KQ_CPU, .mode = KQ_PREEMPT },
		{ .resource = KQ_PODS, .mode = KQ_PREEMPT } };
	struct kq_podset_assignment podset = {
		.count = 1, .requests = { amount, 2 }, .pick = pick, .pick_count = 2
	};
	const struct kq_assignment assignment = {
		.workload = in, .queue = a, .podset = &podset, .podset_count = 1
	};
	const struct kq_victims found = kq_victims_of(w.kq, w.scratch, &assignment, NULL);
	cr_expect_str_eq(ks_report(&w, &found), "cpu InClusterQueue");
	ks_end(&w);
}

/* a: 4 of its own, b: at 8 of 4. */
Test(kq_preempt, the_oracle)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	within(a, KQ_LOWER_PRIORITY, KQ_ANY);
	const uint32_t b1 = ks_holds(&w, "b1", b, 0, 4);
	(void)ks_holds(&w, "b2", b, 0, 4);
	const uint32_t in = ks_waits(&w, "in", 9);
	ks_seal(&w);
	const uint32_t fr = ks_cell(&w, "f", "cpu");
	uint32_t borrow = 9;
	cr_expect_eq(kq_preempt_oracle(w.scratch, w.kq, in, a, fr, 4, &borrow), KQ_GRAIN_RECLAIM);
	cr_expect_eq(borrow, 0);
	cr_expect_eq(kq_preempt_oracle(w.scratch, w.kq, in, a, fr, 6, &borrow), KQ_GRAIN_NO_CANDIDATES);
	cr_expect_eq(borrow, 1, "it would borrow in its cohort");
	node(b)->within = KQ_LOWER_PRIORITY;
	cr_expect_eq(kq_preempt_oracle(w.scratch, w.kq, in, b, fr, 4, &borrow), KQ_GRAIN_PREEMPT);
	cr_expect_eq(borrow, 1, "4 of b's are left, and 4 more come");
	kq_release(w.kq, b1);
	cr_expect_eq(kq_preempt_oracle(w.scratch, w.kq, in, b, fr, 8, &borrow), KQ_GRAIN_PREEMPT);
	cr_expect_eq(borrow, 1);
	ks_end(&w);
}

/* Once s1 is gone the middle cohort's quota suffices: height 1, not the root's 2. */
Test(kq_preempt, the_oracles_height_is_without_victims)
{
	ks_begin(&w);
	(void)ks_cohort(&w, "root", NULL, 4);
	(void)ks_cohort(&w, "mid", "root", 4);
	const uint32_t q = ks_queue(&w, "q", "mid", 0), s = ks_queue(&w, "s", "mid", 0);
	const uint32_t x = ks_queue(&w, "x", "root", 0);
	within(q, KQ_NEVER, KQ_ANY);
	node(q)->borrow_within = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "s1", s, 0, 4);
	(void)ks_holds(&w, "x1", x, 9, 4);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	uint32_t borrow = 9;
	cr_expect_eq(kq_preempt_oracle(w.scratch, w.kq, in, q, ks_cell(&w, "f", "cpu"), 4, &borrow),
		KQ_GRAIN_RECLAIM);
	cr_expect_eq(borrow, 1);
	ks_end(&w);
}

/* ---- Admission fair sharing ---- */

Test(kq_preempt, the_local_queue_that_used_more)
{
	ks_begin(&w);
	const uint32_t a = ks_queue(&w, "a", NULL, 9);
	node(a)->usage_based = true;
	const uint32_t busy = kq_local_queue(w.kq, "", "busy"), idle = kq_local_queue(w.kq, "", "idle");
	for (uint32_t i = 0; i < w.kq->local_count; i++) {
		w.kq->local[i].used = kq_alloc(w.kq, KQ_RESOURCES_MAX, sizeof(double));
		w.kq->local[i].penalty = kq_alloc(w.kq, KQ_RESOURCES_MAX, sizeof(double));
	}
	w.kq->local[busy].used[KQ_CPU] = 2;
	w.kq->local[idle].used[KQ_CPU] = 1;
	uint32_t row[] = { ks_holds(&w, "idle low", a, 0, 1), ks_holds(&w, "busy high", a, 5, 1),
		ks_holds(&w, "busy low", a, 1, 1) };
	for (uint32_t i = 0; i < SL_LEN(row); i++) {
		w.kq->workload[row[i]].local = i ? busy : idle;
		w.kq->workload[row[i]].queue_name = i ? "busy" : "idle";
	}
	ks_seal(&w);
	kq_candidates_sort(w.kq, a, row, SL_LEN(row));
	cr_expect_str_eq(w.kq->workload[row[0]].name, "idle low", "it is off: lower priority");
	w.kq->config.afs = true;
	kq_candidates_sort(w.kq, a, row, SL_LEN(row));
	cr_expect_str_eq(w.kq->workload[row[0]].name, "busy low");
	cr_expect_str_eq(w.kq->workload[row[1]].name, "busy high");
	cr_expect_str_eq(w.kq->workload[row[2]].name, "idle low");
	ks_end(&w);
}

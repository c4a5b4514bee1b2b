/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_preempt_fair.c - Kueue's preemption by fair sharing, clause by clause. Shares are given in
 * thousandths of what is lendable.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/kq_victims_world.h"

static struct ks_instance w;

static struct kq_node *node(uint32_t row) { return &w.kq->node[row]; }

static void begin(void)
{
	ks_begin(&w);
	w.kq->config.fair_sharing = true;
}

/* So many of a cpu each: name1, name2... */
static void holds_ones(uint32_t queue, const char *name, uint32_t count)
{
	for (uint32_t i = 1; i <= count; i++) {
		char text[16];
		(void)snprintf(text, sizeof(text), "%s%u", name, i);
		(void)ks_holds(&w, text, queue, 0, 1);
	}
}

/* b is at 222, c at 111: b gives one, and both are at 111; c's next one came later, so c gives one and
 * borrows no more; then b. */
Test(kq_preempt_fair, the_highest_share_gives)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 3), b = ks_queue(&w, "b", "co", 3);
	const uint32_t c = ks_queue(&w, "c", "co", 3);
	node(a)->reclaim = KQ_ANY;
	holds_ones(b, "b", 5);
	holds_ones(c, "c", 4);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 3),
		"b5 InCohortReclamation, c4 InCohortReclamation, b4 InCohortReclamation", "%s", w.reported);
	w.kq->config.gate[KQ_GATE_FairSharingPreemptWithinNominal] = false;
	cr_expect_str_eq(ks_victims(&w, in, a, 3),
		"b5 InCohortFairSharing, c4 InCohortFairSharing, b4 InCohortFairSharing");
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "", "111 is not less than 111");
	ks_end(&w);
}

/* a is at its 3, b at 6 of 3 of 9. One more: 111 against 222 afterwards. Two more: the first is 222 against
 * 222, the second is 222 against 111; and 222 is not less than 222. */
Test(kq_preempt_fair, not_above_the_final_share)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 3), b = ks_queue(&w, "b", "co", 3);
	(void)ks_queue(&w, "c", "co", 3);
	node(a)->reclaim = KQ_ANY;
	(void)ks_holds(&w, "a1", a, 0, 3);
	holds_ones(b, "b", 6);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 1), "b6 InCohortFairSharing");
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "");
	ks_end(&w);
}

/* b has two of 3: without one it is at 0, below a's 222; but 222 is less than its 333 before. */
Test(kq_preempt_fair, below_the_initial_share)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 3), b = ks_queue(&w, "b", "co", 3);
	(void)ks_queue(&w, "c", "co", 3);
	node(a)->reclaim = KQ_ANY;
	(void)ks_holds(&w, "a1", a, 0, 3);
	(void)ks_holds(&w, "b1", b, 0, 3);
	(void)ks_holds(&w, "b2", b, 0, 3);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "b2 InCohortFairSharing");
	cr_expect_str_eq(ks_victims(&w, in, a, 3), "", "333 is not less than 333");
	w.kq->config.fair_count = 1;
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "");
	w.kq->config.fair[0] = KQ_LESS_INITIAL;
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "b2 InCohortFairSharing");
	cr_expect_str_eq(ks_victims(&w, in, a, 3), "");
	ks_end(&w);
}

/* Each queue is tried once by the second strategy: a requests 7 of b's 9 and would get 3. */
Test(kq_preempt_fair, the_second_strategy_takes_one)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 0), b = ks_queue(&w, "b", "co", 0);
	(void)ks_cohort(&w, "co", NULL, 9);
	node(a)->reclaim = KQ_ANY;
	(void)ks_holds(&w, "b1", b, 0, 3);
	(void)ks_holds(&w, "b2", b, 0, 3);
	(void)ks_holds(&w, "b3", b, 0, 3);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 7), "", "777 against 1000: one is taken, not three");
	cr_expect_str_eq(ks_victims(&w, in, a, 3), "b3 InCohortFairSharing");
	ks_end(&w);
}

Test(kq_preempt_fair, without_weight)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 3), b = ks_queue(&w, "b", "co", 3);
	node(a)->reclaim = KQ_ANY;
	node(a)->weight = 0;
	(void)ks_holds(&w, "a1", a, 0, 2);
	(void)ks_holds(&w, "b1", b, 0, 2);
	(void)ks_holds(&w, "b2", b, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(
		ks_victims(&w, in, a, 1), "b2 InCohortReclamation", "within nominal that is no matter");
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "", "an infinite share");
	node(b)->weight = 0;
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "", "166 is above b's 0");
	node(a)->weight = 1;
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "b2 InCohortFairSharing", "166 is less than infinite");
	ks_end(&w);
}

/* a itself has the highest share: it gives from its own. */
Test(kq_preempt_fair, the_own_queue)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 0), b = ks_queue(&w, "b", "co", 9);
	node(a)->reclaim = KQ_ANY;
	node(a)->within = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "a1", a, 0, 6);
	(void)ks_holds(&w, "b1", b, 0, 3);
	const uint32_t in = ks_waits(&w, "in", 9);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 6), "a1 InClusterQueue");
	ks_end(&w);
}

Test(kq_preempt_fair, a_queue_without_cohort)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", NULL, 4);
	node(a)->within = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "a1", a, 0, 2);
	(void)ks_holds(&w, "a2", a, 1, 2);
	const uint32_t in = ks_waits(&w, "in", 9);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "a1 InClusterQueue");
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "a1 InClusterQueue, a2 InClusterQueue");
	cr_expect_str_eq(ks_victims(&w, in, a, 5), "");
	ks_end(&w);
}

/* Both are at 500. b's candidate came later, but a cohort goes before a queue. */
Test(kq_preempt_fair, a_cohort_before_a_queue)
{
	begin();
	(void)ks_cohort(&w, "root", NULL, 4);
	(void)ks_cohort(&w, "mid", "root", 0);
	const uint32_t a = ks_queue(&w, "a", "root", 2), x = ks_queue(&w, "x", "mid", 0);
	const uint32_t b = ks_queue(&w, "b", "root", 0);
	node(a)->reclaim = KQ_ANY;
	(void)ks_holds(&w, "x1", x, 0, 3);
	(void)ks_holds(&w, "b1", b, 0, 3);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 1), "x1 InCohortReclamation");
	ks_end(&w);
}

/* Left as a whole is at 500 with the request, right at 333: a's own share does not matter. */
Test(kq_preempt_fair, shares_below_the_common_cohort)
{
	begin();
	(void)ks_cohort(&w, "root", NULL, 4);
	(void)ks_cohort(&w, "left", "root", 0);
	(void)ks_cohort(&w, "right", "root", 0);
	const uint32_t a = ks_queue(&w, "a", "left", 2), l = ks_queue(&w, "l", "left", 0);
	const uint32_t x = ks_queue(&w, "x", "right", 0);
	node(a)->reclaim = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "l1", l, 5, 4);
	(void)ks_holds(&w, "x1", x, -1, 1);
	(void)ks_holds(&w, "x2", x, -1, 1);
	const uint32_t in = ks_waits(&w, "in", 0), high = ks_waits(&w, "high", 9);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 1), "x2 InCohortReclamation");
	w.kq->config.gate[KQ_GATE_FairSharingPreemptWithinNominal] = false;
	cr_expect_str_eq(ks_victims(&w, in, a, 1), "");
	cr_expect_str_eq(ks_victims(&w, high, a, 1), "l1 InCohortFairSharing", "below the left one it does");
	ks_end(&w);
}

/* 1 + 4 for 4: the first is spared. */
Test(kq_preempt_fair, who_can_be_spared_stays)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 5), b = ks_queue(&w, "b", "co", 0);
	node(a)->reclaim = KQ_ANY;
	(void)ks_holds(&w, "b1", b, 1, 4);
	(void)ks_holds(&w, "b2", b, 0, 1);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 4), "b1 InCohortReclamation");
	ks_end(&w);
}

/* 111 against b's 111 afterwards, by the first strategy alone. */
Test(kq_preempt_fair, as_much_as_the_final_share)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 3), b = ks_queue(&w, "b", "co", 3);
	const uint32_t c = ks_queue(&w, "c", "co", 3);
	node(a)->reclaim = KQ_ANY;
	w.kq->config.fair_count = 1;
	(void)ks_holds(&w, "a1", a, 0, 3);
	(void)ks_holds(&w, "c1", c, 0, 1);
	holds_ones(b, "b", 5);
	const uint32_t in = ks_waits(&w, "in", 0);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 1), "b5 InCohortFairSharing");
	ks_end(&w);
}

/* Left is within its quota even with the request, but a may not borrow: it has to give itself. */
Test(kq_preempt_fair, below_a_cohort_that_does_not_borrow)
{
	begin();
	(void)ks_cohort(&w, "root", NULL, 0);
	(void)ks_cohort(&w, "left", "root", 0);
	const uint32_t a = ks_queue(&w, "a", "left", 2);
	(void)ks_queue(&w, "l", "left", 2);
	ks_limits(&w, a, 0, KQ_NO_LIMIT);
	node(a)->within = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "a1", a, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	cr_expect_str_eq(ks_victims(&w, in, a, 2), "a1 InClusterQueue");
	ks_end(&w);
}

/* a is at 4 of 4, b at 8 of 4 of 12. Three more: b's share without one of its twos is 2, below a's 3; with
 * a's own of lower priority gone a's is 1, and they pass. */
Test(kq_preempt_fair, once_its_own_are_gone_others_pass)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	(void)ks_cohort(&w, "co", NULL, 4);
	node(a)->reclaim = KQ_ANY;
	node(a)->within = KQ_LOWER_PRIORITY;
	(void)ks_holds(&w, "low", a, 0, 2);
	(void)ks_holds(&w, "same", a, 1, 2);
	for (int i = 0; i < 4; i++)
		(void)ks_holds(&w, i == 3 ? "last" : i == 2 ? "third" : i ? "second" : "first", b, 0, 2);
	const uint32_t in = ks_waits(&w, "in", 1);
	ks_seal(&w);
	w.kq->config.fair_count = 1;
	cr_expect_str_eq(ks_victims(&w, in, a, 3), "");
	w.kq->config.gate[KQ_GATE_FairSharingReevaluatePreemptionCandidates] = true;
	cr_expect_str_eq(
		ks_victims(&w, in, a, 3), "low InClusterQueue, last InCohortFairSharing", "%s", w.reported);
	ks_end(&w);
}

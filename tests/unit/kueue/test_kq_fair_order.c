/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_fair_order.c - the tournament over a cycle's entries with fair sharing, clause by clause.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "policies/kueue/rules/kq_fair_order.h"
#include "tests/world/kq_victims_world.h"

static struct ks_instance w;

enum { ENTRIES_MAX = 8 };
static struct kq_fair_entry entry[ENTRIES_MAX];
static struct kq_usage_cell usage[ENTRIES_MAX];
static uint32_t entry_count;

static void begin(void)
{
	ks_begin(&w);
	w.kq->config.fair_sharing = true;
	entry_count = 0;
}

static struct kq_fair_entry *enters(const char *name, uint32_t queue, const char *flavor, int64_t cpu)
{
	struct kq_fair_entry *made = &entry[entry_count];
	usage[entry_count] = (struct kq_usage_cell){ ks_cell(&w, flavor, "cpu"), cpu };
	*made = (struct kq_fair_entry){ .key = { .name = name, .time = entry_count },
		.queue = queue,
		.usage = &usage[entry_count],
		.usage_count = 1 };
	entry_count++;
	return made;
}

/* All in order; with `count`, what is next is counted in before the one after it is asked for. */
static const char *in_order(bool count)
{
	static char reported[256];
	size_t at = 0;
	reported[0] = 0;
	const kq_marked mark = kq_mark(w.kq);
	struct kq_fair_order *order = kq_fair_order(w.kq, w.scratch, entry, entry_count);
	cr_assert(order);
	for (uint32_t next; (next = kq_fair_next(w.kq, order)) != KQ_NO;) {
		const int got = snprintf(
			reported + at, sizeof(reported) - at, "%s%s", at ? " " : "", entry[next].key.name);
		at += got > 0 ? (size_t)got : 0;
		if (count)
			kq_usage_add(
				w.kq, entry[next].queue, entry[next].usage->fr, entry[next].usage->amount);
	}
	kq_undo(w.kq, mark);
	return reported;
}

Test(kq_fair_order, who_does_not_borrow_first)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	ks_quota(&w, a, "g", "cpu", 0);
	ks_quota(&w, b, "g", "cpu", 8);
	(void)ks_holds_of(&w, "much", a, 0, "g", 6);
	(void)ks_holds(&w, "full", b, 0, 4);
	ks_seal(&w);
	(void)enters("of-b", b, "f", 1);
	(void)enters("of-a", a, "f", 1);
	cr_expect_str_eq(in_order(false), "of-a of-b", "a borrows, but of what it does not ask");
	w.kq->config.gate[KQ_GATE_FairSharingPrioritizeNonBorrowing] = false;
	cr_expect_str_eq(in_order(false), "of-b of-a", "a has the larger share");
	ks_end(&w);
}

Test(kq_fair_order, who_asks_nothing_of_what_is_borrowed_does_not_borrow)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 8);
	(void)ks_holds(&w, "much", a, 0, 6);
	(void)ks_holds(&w, "some", b, 0, 4);
	ks_seal(&w);
	(void)enters("of-b", b, "f", 5);
	(void)enters("of-a", a, "f", 0);
	cr_expect_str_eq(in_order(false), "of-a of-b", "a borrows 2, b would borrow 1");
	w.kq->config.gate[KQ_GATE_FairSharingPrioritizeNonBorrowing] = false;
	cr_expect_str_eq(in_order(false), "of-b of-a");
	ks_end(&w);
}

Test(kq_fair_order, share_then_priority_then_time)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 0), b = ks_queue(&w, "b", "co", 0);
	const uint32_t c = ks_queue(&w, "c", "co", 0), d = ks_queue(&w, "d", "co", 0);
	(void)ks_cohort(&w, "co", NULL, 20);
	ks_seal(&w);
	enters("heavy", a, "f", 3)->key.priority = 9;
	(void)enters("late", b, "f", 2);
	enters("early", c, "f", 2)->key.time = -1;
	enters("high", d, "f", 2)->key.priority = 1;
	cr_expect_str_eq(in_order(false), "high early late heavy");
	w.kq->config.gate[KQ_GATE_PrioritySortingWithinCohort] = false;
	cr_expect_str_eq(in_order(false), "early late high heavy");
	entry[0].key.preemptor = true;
	w.kq->config.gate[KQ_GATE_PrioritizePreemptorWorkloads] = true;
	cr_expect_str_eq(in_order(false), "heavy early late high");
	ks_end(&w);
}

/* Weight 2 halves a share. */
Test(kq_fair_order, shares_are_over_weights)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 0), b = ks_queue(&w, "b", "co", 0);
	(void)ks_cohort(&w, "co", NULL, 20);
	w.kq->node[b].weight = 2;
	ks_seal(&w);
	(void)enters("two", a, "f", 2);
	(void)enters("three", b, "f", 3);
	cr_expect_str_eq(in_order(false), "three two");
	ks_end(&w);
}

/* Left is at 4. Below it left2 comes first, and brings it to 5; right1 brings right to 3, and is next. With
 * that counted in right2 would bring right to 7, above left's 5 and 6. */
Test(kq_fair_order, from_below)
{
	begin();
	(void)ks_cohort(&w, "root", NULL, 20);
	(void)ks_cohort(&w, "left", "root", 0);
	(void)ks_cohort(&w, "right", "root", 0);
	const uint32_t l1 = ks_queue(&w, "l1", "left", 0), l2 = ks_queue(&w, "l2", "left", 0);
	const uint32_t r1 = ks_queue(&w, "r1", "right", 0), r2 = ks_queue(&w, "r2", "right", 0);
	(void)ks_holds(&w, "before", l1, 0, 4);
	ks_seal(&w);
	(void)enters("left1", l1, "f", 1);
	(void)enters("left2", l2, "f", 1);
	(void)enters("right1", r1, "f", 3);
	(void)enters("right2", r2, "f", 4);
	cr_expect_str_eq(in_order(true), "right1 left2 left1 right2");
	cr_expect_str_eq(in_order(false), "right1 right2 left2 left1", "as if nothing were processed");
	ks_end(&w);
}

/* A second pass stands for its queue before the head. */
Test(kq_fair_order, several_of_a_queue)
{
	begin();
	const uint32_t a = ks_queue(&w, "a", "co", 4), b = ks_queue(&w, "b", "co", 4);
	ks_seal(&w);
	enters("head", a, "f", 1)->key.priority = 9;
	struct kq_fair_entry *second = enters("second", a, "f", 0);
	second->usage_count = 0;
	second->key.reserved = true;
	enters("other", b, "f", 1)->key.priority = 5;
	cr_expect_str_eq(in_order(false), "other second head");
	const struct kq_fair_entry head = entry[0];
	entry[0] = entry[1];
	entry[1] = head;
	cr_expect_str_eq(in_order(false), "other second head");
	ks_end(&w);
}

Test(kq_fair_order, trees_by_name)
{
	begin();
	const uint32_t lone = ks_queue(&w, "m", NULL, 4);
	const uint32_t z = ks_queue(&w, "a", "z", 4), b = ks_queue(&w, "y", "b", 4);
	ks_seal(&w);
	(void)enters("of-z", z, "f", 1);
	(void)enters("lone", lone, "f", 1);
	(void)enters("of-b", b, "f", 1);
	cr_expect_str_eq(in_order(false), "of-b lone of-z");
	entry_count = 0;
	cr_expect_str_eq(in_order(false), "");
	ks_end(&w);
}

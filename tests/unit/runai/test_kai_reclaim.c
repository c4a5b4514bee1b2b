/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_reclaim.c - checks of limit and quota, and which queue may reclaim from which, worked by hand.
 */
#include <criterion/criterion.h>

#include "tests/world/kai_small.h"

enum { QUEUES = 16 };

/* Departments a and b; projects a1, a2 and b1 (of b), b2. All is GPUs; figures in whole ones. */
struct accounting {
	struct kai_small w;
	struct kai *kai;
	uint32_t a, b, a1, a2, b1, b2;
	struct kai_vec allocated[QUEUES], np[QUEUES];
};

static struct accounting accounting_open(void)
{
	struct accounting s = { .w = kai_small_open() };
	s.kai = s.w.kai;
	s.a = kai_small_queue(&s.w, "a", NULL, 0, -1, 1);
	s.b = kai_small_queue(&s.w, "b", NULL, 0, -1, 1);
	s.a1 = kai_small_queue(&s.w, "a1", "a", 0, -1, 1);
	s.a2 = kai_small_queue(&s.w, "a2", "a", 0, -1, 1);
	s.b1 = kai_small_queue(&s.w, "b1", "b", 0, -1, 1);
	s.b2 = kai_small_queue(&s.w, "b2", "b", 0, -1, 1);
	kai_small_seal(&s.w);
	for (uint32_t i = 0; i < s.kai->queue_count; i++)
		s.kai->queue[i].fair = (struct kai_vec){ { KAI_UNLIMITED, KAI_UNLIMITED, 0 } };
	return s;
}

static void set(struct accounting *s, uint32_t queue, int64_t quota, int64_t fair, int64_t allocated)
{
	struct kai_queue *q = &s->kai->queue[queue];
	q->quota.at[KAI_GPUS] = quota * KAI_GPU;
	q->fair.at[KAI_GPUS] = fair * KAI_GPU;
	q->allocated.at[KAI_GPUS] = allocated * KAI_GPU;
}

static struct kai_vec desc(int64_t gpus) { return (struct kai_vec){ { 0, 0, gpus * KAI_GPU } }; }

/* Of those leaves, units of so many GPUs each; ended by 0. */
static bool may(struct accounting *s, uint32_t leaf, int64_t gpus, bool preemptible, uint32_t victim,
	const int64_t *units)
{
	struct kai_unit unit[8];
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->kai->queue_count; i++) {
		s->allocated[i] = s->kai->queue[i].allocated;
		s->np[i] = s->kai->queue[i].allocated_np;
	}
	for (; units[count]; count++)
		unit[count] = (struct kai_unit){ victim, desc(units[count]) };
	const struct kai_vec wanted = desc(gpus);
	const struct kai_taker taker = { leaf, preemptible, &wanted, s->allocated, s->np };
	return kai_reclaimable(s->kai, &taker, unit, count);
}

/* ---- Gates ---- */

Test(kai_reclaim, no_job_goes_beyond_a_limit_above_it)
{
	struct accounting s = accounting_open();
	struct kai_blocked how;
	struct kai_vec wanted = desc(2);
	s.kai->queue[s.a1].allocated = desc(3);
	s.kai->queue[s.a].allocated = desc(6);
	cr_expect_not(kai_over_limit(s.kai, s.a1, &wanted, NULL));
	s.kai->queue[s.a1].limit.at[KAI_GPUS] = 5 * KAI_GPU;
	cr_expect_not(kai_over_limit(s.kai, s.a1, &wanted, NULL), "just so");
	s.kai->queue[s.a].limit.at[KAI_GPUS] = 7 * KAI_GPU;
	cr_assert(kai_over_limit(s.kai, s.a1, &wanted, &how));
	cr_expect_eq(how.queue, s.a);
	cr_expect_eq(how.res, KAI_GPUS);
	cr_expect_eq(how.requested, 2 * KAI_GPU);
	cr_expect_eq(how.allocated, 6 * KAI_GPU);
	cr_expect_eq(how.bound, 7 * KAI_GPU);
	s.kai->queue[s.a1].limit.at[KAI_CPU] = 5;
	wanted.at[KAI_CPU] = 6;
	cr_assert(kai_over_limit(s.kai, s.a1, &wanted, &how));
	cr_expect(how.queue == s.a1 && how.res == KAI_CPU, "the leaf first");
	s.kai->queue[s.a1].allocated.at[KAI_CPU] = 7;
	wanted = desc(0);
	cr_expect_not(kai_over_limit(s.kai, s.a1, &wanted, NULL), "what is not asked is not looked at");
	wanted = desc(2);
	s.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_PROPORTION;
	cr_expect_not(kai_over_limit(s.kai, s.a1, &wanted, NULL));
	kai_small_close(&s.w);
}

Test(kai_reclaim, what_is_not_preemptible_stays_within_quotas)
{
	struct accounting s = accounting_open();
	struct kai_blocked how;
	const struct kai_vec wanted = desc(2);
	set(&s, s.a1, 3, 0, 9); /* Preemptible jobs do not count. */
	set(&s, s.a, 5, 0, 9);
	s.kai->queue[s.a1].allocated_np = desc(1);
	s.kai->queue[s.a].allocated_np = desc(3);
	cr_expect_not(kai_np_over_quota(s.kai, s.a1, &wanted, &how));
	s.kai->queue[s.a].allocated_np = desc(4);
	cr_assert(kai_np_over_quota(s.kai, s.a1, &wanted, &how));
	cr_expect_eq(how.queue, s.a);
	cr_expect_eq(how.allocated, 4 * KAI_GPU);
	cr_expect_eq(how.bound, 5 * KAI_GPU);
	s.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_PROPORTION;
	cr_expect_not(kai_np_over_quota(s.kai, s.a1, &wanted, &how));
	kai_small_close(&s.w);
}

/* ---- Before a simulation ---- */

Test(kai_reclaim, only_within_its_fair_share)
{
	struct accounting s = accounting_open();
	struct kai_vec wanted = desc(2);
	set(&s, s.a1, 0, 4, 2);
	cr_expect(kai_may_reclaim(s.kai, s.a1, &wanted, true));
	set(&s, s.a1, 9, 4, 3);
	cr_expect_not(kai_may_reclaim(s.kai, s.a1, &wanted, true), "the quota does not help");
	set(&s, s.a1, 0, 4, 2);
	s.kai->queue[s.a1].fair.at[KAI_CPU] = 1;
	s.kai->queue[s.a1].allocated.at[KAI_CPU] = 2;
	cr_expect_not(kai_may_reclaim(s.kai, s.a1, &wanted, true), "in all resources, asked or not");
	kai_small_close(&s.w);
}

Test(kai_reclaim, not_preemptible_only_within_its_quota)
{
	struct accounting s = accounting_open();
	struct kai_vec wanted = desc(2);
	set(&s, s.a1, 3, 9, 5);
	cr_expect(kai_may_reclaim(s.kai, s.a1, &wanted, false), "of which none is not preemptible");
	s.kai->queue[s.a1].allocated_np = desc(2);
	cr_expect_not(kai_may_reclaim(s.kai, s.a1, &wanted, false));
	cr_expect(kai_may_reclaim(s.kai, s.a1, &wanted, true));
	kai_small_close(&s.w);
}

Test(kai_reclaim, victims_are_looked_at_as_their_departments)
{
	struct accounting s = accounting_open();
	const struct kai_vec wanted = desc(2);
	/* a is within its quota: b has to be over its own, or at it. */
	set(&s, s.a, 4, 4, 2);
	set(&s, s.b, 3, 3, 4);
	set(&s, s.b1, 9, 9, 1);
	cr_expect(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1), "the project is within its quota: no matter");
	set(&s, s.b, 4, 4, 4);
	cr_expect(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1), "exactly at quota");
	set(&s, s.b, 5, 5, 4);
	set(&s, s.b1, 0, 0, 4);
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1), "under quota, though the project is over");
	s.kai->queue[s.b].quota.at[KAI_GPUS] = KAI_UNLIMITED;
	cr_expect(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1), "an unlimited quota is not looked at");
	/* Siblings: their own figures. */
	set(&s, s.a1, 2, 2, 0);
	set(&s, s.a2, 2, 2, 1);
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &wanted, s.a2));
	kai_small_close(&s.w);
}

Test(kai_reclaim, one_resource_over_quota_is_enough)
{
	struct accounting s = accounting_open();
	const struct kai_vec both = { { 10, 0, KAI_GPU } }, gpus = desc(1);
	set(&s, s.a, 4, 4, 2);
	set(&s, s.b, 5, 5, 4);
	s.kai->queue[s.b].quota.at[KAI_CPU] = 1;
	s.kai->queue[s.b].allocated.at[KAI_CPU] = 2;
	cr_expect(kai_victim_leaf(s.kai, s.a1, &both, s.b1));
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &gpus, s.b1), "one that is asked");
	kai_small_close(&s.w);
}

Test(kai_reclaim, over_its_quota_it_looks_at_what_is_over_its_share)
{
	struct accounting s = accounting_open();
	const struct kai_vec wanted = desc(2);
	set(&s, s.a, 3, 9, 2);
	set(&s, s.b, 3, 5, 5);
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1), "over quota, not over its share");
	set(&s, s.b, 3, 5, 6);
	cr_expect(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1));
	kai_small_close(&s.w);
}

/* ---- After one ---- */

Test(kai_reclaim, as_long_as_the_victim_is_over_its_share)
{
	/* b has 6 of 4. */
	struct accounting s = accounting_open();
	set(&s, s.a, 1, 4, 2);
	set(&s, s.a1, 0, 4, 2);
	set(&s, s.b, 1, 4, 6);
	cr_expect(may(&s, s.a1, 2, true, s.b1, (int64_t[]){ 1, 1, 0 }));
	cr_expect_not(may(&s, s.a1, 2, true, s.b1, (int64_t[]){ 1, 1, 1, 0 }), "it is at its share by then");
	cr_expect(may(&s, s.a1, 2, true, s.b1, (int64_t[]){ 1, 5, 0 }), "a unit may go below it");
	kai_small_close(&s.w);
}

Test(kai_reclaim, or_as_long_as_it_is_over_its_quota_and_the_other_is_not)
{
	/* b has 6, less than its share, but a quota of 4. */
	struct accounting s = accounting_open();
	set(&s, s.a, 4, 4, 2);
	set(&s, s.b, 4, 8, 6);
	cr_expect(may(&s, s.a1, 2, true, s.b1, (int64_t[]){ 1, 1, 0 }));
	cr_expect_not(may(&s, s.a1, 2, true, s.b1, (int64_t[]){ 1, 1, 1, 0 }));
	cr_expect_not(may(&s, s.a1, 3, true, s.b1, (int64_t[]){ 1, 1, 1, 0 }), "a would be over its own");
	kai_small_close(&s.w);
}

Test(kai_reclaim, departments_saturation)
{
	/* a would have 6 of 4 (1.5); b keeps 7 of 5 (1.4): no. The leaf is within its share. */
	struct accounting s = accounting_open();
	set(&s, s.a, 0, 4, 5);
	set(&s, s.a1, 0, 3, 0);
	set(&s, s.b, 0, 5, 8);
	cr_expect_not(may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }));
	set(&s, s.b, 0, 4, 7);
	cr_expect_not(may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }), "as full is too full");
	set(&s, s.b, 0, 4, 8);
	cr_expect(may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }), "1.5 to 1.75");
	s.kai->config.saturation = 1.2;
	cr_expect_not(may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }), "1.8 to 1.75");
	set(&s, s.a, 0, 6, 5);
	cr_expect(may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }), "at most at its share: no matter");
	s.kai->config.saturation = 1;
	set(&s, s.a, 0, 0, 5);
	cr_expect_not(may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }), "something of nothing is too much");
	set(&s, s.b, 0, 0, 8);
	cr_expect(
		may(&s, s.a1, 1, true, s.b1, (int64_t[]){ 1, 0 }), "a loser without a share is not compared");
	kai_small_close(&s.w);
}

Test(kai_reclaim, what_the_own_department_loses_makes_capacity)
{
	/* a has 4 of 4; a2 gives one back, so that a stays at its share. */
	struct accounting s = accounting_open();
	set(&s, s.a, 4, 4, 4);
	set(&s, s.a1, 1, 1, 0);
	set(&s, s.a2, 0, 3, 4);
	cr_expect(may(&s, s.a1, 1, true, s.a2, (int64_t[]){ 1, 0 }));
	set(&s, s.a2, 4, 4, 4);
	cr_expect_not(may(&s, s.a1, 1, true, s.a2, (int64_t[]){ 1, 0 }));
	kai_small_close(&s.w);
}

Test(kai_reclaim, units_of_several_leaves_come_off_their_departments)
{
	/* b has 6 of 4: one of b1 and one of b2, then it is at its share. */
	struct accounting s = accounting_open();
	set(&s, s.a, 1, 9, 2);
	set(&s, s.b, 1, 4, 6);
	set(&s, s.b1, 9, 9, 3);
	set(&s, s.b2, 9, 9, 3);
	const struct kai_unit unit[] = { { s.b1, desc(1) }, { s.b2, desc(1) }, { s.b2, desc(1) } };
	struct kai_vec allocated[QUEUES];
	for (uint32_t i = 0; i < s.kai->queue_count; i++)
		allocated[i] = s.kai->queue[i].allocated;
	const struct kai_vec wanted = desc(2);
	const struct kai_taker taker = { s.a1, true, &wanted, allocated, s.np };
	cr_expect(kai_reclaimable(s.kai, &taker, unit, 2));
	cr_expect_not(kai_reclaimable(s.kai, &taker, unit, 3));
	allocated[s.b] = desc(7);
	cr_expect(kai_reclaimable(s.kai, &taker, unit, 3),
		"as it was when the solution began, not as the books are");
	kai_small_close(&s.w);
}

Test(kai_reclaim, not_preemptible_at_every_level)
{
	struct accounting s = accounting_open();
	set(&s, s.a, 3, 9, 2);
	set(&s, s.a1, 9, 9, 2);
	set(&s, s.b, 0, 0, 6);
	s.kai->queue[s.a].allocated_np = desc(2);
	cr_expect_not(may(&s, s.a1, 2, false, s.b1, (int64_t[]){ 1, 0 }));
	cr_expect(may(&s, s.a1, 1, false, s.b1, (int64_t[]){ 1, 0 }));
	cr_expect(may(&s, s.a1, 2, true, s.b1, (int64_t[]){ 1, 0 }));
	kai_small_close(&s.w);
}

Test(kai_reclaim, by_priority_within_quota_if_so_configured)
{
	/* Pull request 2104: b is within its quota, and of lower priority. */
	struct accounting s = accounting_open();
	struct kai_vec wanted = desc(2);
	set(&s, s.a, 4, 4, 2);
	set(&s, s.b, 6, 6, 5);
	s.kai->queue[s.a].priority = 101;
	s.kai->queue[s.b1].priority = 900; /* The pair's count. */
	const int64_t units[] = { 1, 1, 0 };
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1));
	cr_expect_not(may(&s, s.a1, 2, true, s.b1, units));
	s.kai->config.priority_reclaim = true;
	cr_expect(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1));
	cr_expect(may(&s, s.a1, 2, true, s.b1, units));
	cr_expect_not(may(&s, s.a1, 3, true, s.b1, units), "a goes over its quota");
	wanted = desc(3);
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1));
	wanted = desc(2);
	s.kai->queue[s.b].priority = 101;
	cr_expect_not(kai_victim_leaf(s.kai, s.a1, &wanted, s.b1), "strictly lower");
	cr_expect_not(may(&s, s.a1, 2, true, s.b1, units));
	kai_small_close(&s.w);
}

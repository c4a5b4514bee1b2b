/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_min_runtime.c - for how long a job is left alone, worked by hand.
 */
#include <criterion/criterion.h>

#include "tests/world/kai_small.h"

/* a over a1, over a11; and a2; b over b1. Below "default", unless they are made roots. */
struct tree {
	struct kai_small w;
	struct kai *kai;
	uint32_t a, a1, a11, a2, b, b1;
};

static struct tree tree_open(bool roots)
{
	struct tree t = { .w = kai_small_open() };
	t.kai = t.w.kai;
	t.a = kai_small_queue(&t.w, "a", NULL, 0, -1, 1);
	t.a1 = kai_small_queue(&t.w, "a1", "a", 0, -1, 1);
	t.a11 = kai_small_queue(&t.w, "a11", "a1", 0, -1, 1);
	t.a2 = kai_small_queue(&t.w, "a2", "a", 0, -1, 1);
	t.b = kai_small_queue(&t.w, "b", NULL, 0, -1, 1);
	t.b1 = kai_small_queue(&t.w, "b1", "b", 0, -1, 1);
	if (roots)
		t.kai->queue[t.a].parent = t.kai->queue[t.b].parent = KAI_NO;
	kai_small_seal(&t.w);
	t.kai->config.preempt_min = 1;
	t.kai->config.reclaim_min = 2;
	return t;
}

Test(kai_min_runtime, preempt_from_the_leaf_upwards)
{
	struct tree t = tree_open(false);
	cr_expect_eq(kai_preempt_min(t.kai, t.a11), 1, "the default");
	t.kai->queue[t.a].preempt_min = 10;
	cr_expect_eq(kai_preempt_min(t.kai, t.a11), 10);
	t.kai->queue[t.a11].preempt_min = 0;
	cr_expect_eq(kai_preempt_min(t.kai, t.a11), 0, "nothing, but said");
	kai_small_close(&t.w);
}

Test(kai_min_runtime, reclaim_from_below_the_common_ancestor_upwards)
{
	struct tree t = tree_open(false);
	t.kai->queue[t.a11].reclaim_min = 11;
	t.kai->queue[t.a1].reclaim_min = 12;
	t.kai->queue[t.a].reclaim_min = 13;
	t.kai->queue[0].reclaim_min = 14;
	cr_expect_eq(kai_reclaim_min(t.kai, t.b1, t.a11), 13, "below default");
	cr_expect_eq(kai_reclaim_min(t.kai, t.a2, t.a11), 12, "below a");
	cr_expect_eq(kai_reclaim_min(t.kai, t.a11, t.a11), 11, "the same leaf");
	cr_expect_eq(kai_reclaim_min(t.kai, t.a11, t.b1), 14, "b says nothing");
	t.kai->queue[t.a1].reclaim_min = SL_NONE;
	cr_expect_eq(kai_reclaim_min(t.kai, t.a2, t.a11), 13, "upwards, not downwards");
	t.kai->config.reclaim_by_queue = true;
	cr_expect_eq(kai_reclaim_min(t.kai, t.b1, t.a11), 11, "from the leaf");
	cr_expect_eq(kai_reclaim_min(t.kai, t.a11, t.b1), 14);
	kai_small_close(&t.w);
}

Test(kai_min_runtime, one_above_the_other)
{
	struct tree t = tree_open(false);
	t.kai->queue[t.a11].reclaim_min = 11;
	t.kai->queue[t.a1].reclaim_min = 12;
	t.kai->queue[t.a].reclaim_min = 13;
	cr_expect_eq(kai_reclaim_min(t.kai, t.a, t.a11), 12, "a step down from a");
	cr_expect_eq(kai_reclaim_min(t.kai, t.a11, t.a), 13, "itself");
	kai_small_close(&t.w);
}

Test(kai_min_runtime, roots_are_siblings)
{
	struct tree t = tree_open(true);
	t.kai->queue[t.a11].reclaim_min = 11;
	cr_expect_eq(kai_reclaim_min(t.kai, t.b1, t.a11), 2, "the root says nothing: the default");
	t.kai->queue[t.a].reclaim_min = 13;
	cr_expect_eq(kai_reclaim_min(t.kai, t.b1, t.a11), 13);
	kai_small_close(&t.w);
}

Test(kai_min_runtime, protected_until_then)
{
	struct tree t = tree_open(false);
	const uint32_t job = kai_small_job(&t.w, "j", "b1", 50, 1, 1, 100);
	t.kai->job[job].started = t.kai->now - 60 * SL_SECOND;
	cr_expect(kai_protected(t.kai, job, 61 * SL_SECOND));
	cr_expect_not(kai_protected(t.kai, job, 60 * SL_SECOND), "to the instant");
	t.kai->job[job].started = SL_NONE;
	cr_expect_not(kai_protected(t.kai, job, 61 * SL_SECOND), "it has not started");
	kai_small_enter(&t.w, job);
	kai_small_close(&t.w);
}

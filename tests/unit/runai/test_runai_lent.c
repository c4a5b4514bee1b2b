/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_runai_lent.c - which project's idle quota others use: the rule of runai_lent.c, clause by clause, by
 * hand; and on drawn trees what has to hold whatever the rule.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "policies/runai/runai.h"
#include "sim/base/base.h"
#include "tests/world/kai_small.h"

enum { QUEUES = 16, WORLDS = 2000 };

/* By row: quota, used, and what is lent of it. */
struct lent {
	struct kai_small w;
	int64_t quota[QUEUES], used[QUEUES], lent[QUEUES];
};

/* NOLINTNEXTLINE(readability-function-size): asserts are long when they are written out. */
static void put(struct lent *l, const char *name, int64_t quota, int64_t used)
{
	const uint32_t row = kai_find_queue(l->w.kai, name);
	cr_assert_lt(row, QUEUES);
	l->quota[row] = quota;
	l->used[row] = used;
}

static int64_t lent_of(const struct lent *l, const char *name)
{
	return l->lent[kai_find_queue(l->w.kai, name)];
}

/* The root "default" is unlimited; two departments, of two projects and one. */
static struct lent departments(void)
{
	struct lent l = { .w = kai_small_open() };
	kai_small_queue(&l.w, "research", NULL, 400, -1, 1);
	kai_small_queue(&l.w, "product", NULL, 400, -1, 1);
	kai_small_queue(&l.w, "vision", "research", 300, -1, 1);
	kai_small_queue(&l.w, "speech", "research", 100, -1, 1);
	kai_small_queue(&l.w, "search", "product", 400, -1, 1);
	kai_small_seal(&l.w);
	put(&l, "default", KAI_UNLIMITED, 8);
	put(&l, "research", 4, 8);
	put(&l, "product", 4, 0);
	put(&l, "vision", 3, 0);
	put(&l, "speech", 1, 8);
	put(&l, "search", 4, 0);
	return l;
}

Test(runai_lent, siblings_first_then_what_the_department_was_lent)
{
	struct lent l = departments();
	runai_lend(l.w.kai, l.quota, l.used, l.lent);
	cr_expect_eq(lent_of(&l, "product"), 4, "research is 4 over");
	cr_expect_eq(lent_of(&l, "search"), 4, "what its department lends is its own");
	cr_expect_eq(lent_of(&l, "vision"), 3, "of the 7 that speech is over, its sibling's 3");
	cr_expect_eq(lent_of(&l, "speech"), 0);
	cr_expect_eq(lent_of(&l, "research"), 0);
	cr_expect_eq(lent_of(&l, "default"), 0, "an unlimited quota leaves nothing idle");
	kai_small_close(&l.w);
}

Test(runai_lent, in_proportion_to_what_is_idle)
{
	struct lent l = departments();
	/* Product uses 6 of 4: research lends 2 of its 4; vision leaves 3 idle, speech 1. */
	put(&l, "research", 4, 0);
	put(&l, "speech", 1, 0);
	put(&l, "product", 4, 6);
	put(&l, "search", 4, 6);
	runai_lend(l.w.kai, l.quota, l.used, l.lent);
	cr_expect_eq(lent_of(&l, "research"), 2);
	cr_expect_eq(lent_of(&l, "vision"), 2, "1.5: the unit that is left over goes to the first");
	cr_expect_eq(lent_of(&l, "speech"), 0, "0.5");
	kai_small_close(&l.w);
}

Test(runai_lent, nobodys_quota_is_not_lent)
{
	struct lent l = departments();
	/* Quotas of 3 and 0 in a department of 4: one GPU is in no project's quota. */
	put(&l, "speech", 0, 4);
	put(&l, "research", 4, 4);
	put(&l, "vision", 3, 0);
	runai_lend(l.w.kai, l.quota, l.used, l.lent);
	cr_expect_eq(lent_of(&l, "vision"), 3);
	cr_expect_eq(lent_of(&l, "product"), 0, "research is within its own");
	kai_small_close(&l.w);
}

/* ---- Whatever is drawn ---- */

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Of siblings: nobody lends more than it leaves idle; together they lend what they are over, and what the
 * queue above lends, or all that is idle. */
/* NOLINTNEXTLINE(readability-function-size): as above. */
static void check_level(const struct lent *l, const uint32_t *child, uint32_t count, int64_t outside)
{
	int64_t idle = 0, over = outside, lent = 0;
	for (uint32_t i = 0; i < count; i++) {
		const int64_t quota = l->quota[child[i]], used = l->used[child[i]];
		if (quota != KAI_UNLIMITED) {
			idle += most(quota - used, 0);
			over += most(used - quota, 0);
		}
		lent += l->lent[child[i]];
		cr_assert_geq(l->lent[child[i]], 0);
		cr_assert_leq(l->lent[child[i]], quota == KAI_UNLIMITED ? 0 : most(quota - used, 0));
		check_level(l, l->w.kai->queue[child[i]].child, l->w.kai->queue[child[i]].child_count,
			l->lent[child[i]]);
	}
	cr_assert_eq(lent, count ? (idle < over ? idle : over) : 0);
}

Test(runai_lent, accounting_balance_in_drawn_trees)
{
	struct sl_rng rng = sl_rng_stream(1, "tests/runai_lent");
	for (int instance = 0; instance < WORLDS; instance++) {
		struct lent l = { .w = kai_small_open() };
		char name[8], parent[8];
		for (uint32_t i = 0; i < QUEUES - 1; i++) {
			const uint64_t above = i ? sl_rng_below(&rng, 2 * (uint64_t)i) : 0;
			(void)snprintf(name, sizeof(name), "q%u", i);
			(void)snprintf(parent, sizeof(parent), "q%u", (unsigned)above);
			kai_small_queue(&l.w, name, i && above < i ? parent : NULL, 0, -1, 1);
		}
		kai_small_seal(&l.w);
		for (uint32_t i = 0; i < l.w.kai->queue_count; i++) {
			l.quota[i] = sl_rng_below(&rng, 8) ? (int64_t)sl_rng_below(&rng, 9) : KAI_UNLIMITED;
			l.used[i] = (int64_t)sl_rng_below(&rng, 12);
		}
		runai_lend(l.w.kai, l.quota, l.used, l.lent);
		check_level(&l, l.w.kai->root, l.w.kai->root_count, 0);
		kai_small_close(&l.w);
	}
}

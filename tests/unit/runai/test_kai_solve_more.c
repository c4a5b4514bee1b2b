/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_solve_more.c - consolidation, allocate, and what spares the solver work: signatures, and sets that
 * cannot do. Small cases worked by hand. (KAI: actions/consolidation, allocate, common/solvers,
 * common/minimal_job_comparison.)
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policies/runai/rules/kai_solve_parts.h"
#include "tests/world/kai_small.h"

static struct kai_small w;

static void end(void) { kai_small_close(&w); }

TestSuite(kai_solve_more, .fini = end);

static void open_instance(int64_t n0, int64_t n1, int64_t quota)
{
	enum { HUNDRED = 100 };
	w = kai_small_open();
	(void)kai_small_queue(&w, "a", NULL, quota * HUNDRED, -1, 1);
	(void)kai_small_queue(&w, "b", NULL, quota * HUNDRED, -1, 1);
	(void)kai_small_node(&w, "n0", n0);
	(void)kai_small_node(&w, "n1", n1);
	kai_small_seal(&w);
}

static uint32_t runs(const char *name, int64_t priority, int64_t gpus, const char *node, int64_t age_s)
{
	const uint32_t job = kai_small_job(&w, name, "a", priority, 1, gpus, age_s);
	kai_small_run(&w, job, node, KAI_NO, age_s);
	return job;
}

static uint32_t waits(const char *name, int64_t priority, uint32_t tasks, int64_t gpus)
{
	const uint32_t job = kai_small_job(&w, name, "a", priority, tasks, gpus, 10);
	kai_small_enter(&w, job);
	return job;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void act(enum kai_action action)
{
	w.kai->config.action[0] = action;
	w.kai->config.action_count = 1;
	const int status = kai_session(w.kai);
	cr_assert(status == 0);
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void expect(uint32_t job, const char *want, const char *clause)
{
	const char *got = kai_small_reported(&w, job);
	const bool same = strcmp(got, want) == 0;
	cr_expect(same, "%s: %s: %s, expected %s", clause, w.kai->job[job].name, got, want);
}

/* ---- Consolidation ---- */

Test(kai_solve_more, the_newest_is_moved)
{
	open_instance(2, 2, 4);
	const uint32_t old = runs("old", 50, 1, "n0", 300), new = runs("new", 50, 1, "n1", 200);
	const uint32_t big = waits("big", 50, 1, 2);
	act(KAI_CONSOLIDATION);
	expect(old, "r@n0", "it stays");
	expect(new, "l@n0", "beside the old one");
	expect(big, "l@n1", "two at once");
}

Test(kai_solve_more, nobody_loses_its_place)
{
	open_instance(2, 1, 4);
	const uint32_t x = runs("x", 50, 1, "n0", 300), y = runs("y", 50, 1, "n0", 200);
	const uint32_t big = waits("big", 75, 1, 2);
	act(KAI_CONSOLIDATION);
	expect(x, "r@n0", "one place is free, not two");
	expect(y, "r@n0", "one place is free, not two");
	expect(big, "p", "so it waits");
}

Test(kai_solve_more, only_what_may_be_preempted_is_consolidated_for)
{
	open_instance(2, 2, 4);
	(void)runs("x", 50, 1, "n0", 300);
	(void)runs("y", 50, 1, "n1", 200);
	const uint32_t big = waits("big", 100, 1, 2);
	act(KAI_CONSOLIDATION);
	expect(big, "p", "it may not be preempted");
}

/* One and one more candidate, the oldest: the newest, whose move would help, is not looked at. */
Test(kai_solve_more, so_many_candidates)
{
	open_instance(2, 2, 8);
	(void)runs("x", 50, 0, "n0", 300);
	(void)runs("y", 50, 0, "n0", 250);
	(void)runs("stays", 100, 1, "n0", 300);
	const uint32_t moves = runs("moves", 50, 1, "n1", 200), big = waits("big", 50, 1, 2);
	w.kai->config.consolidation_max = 0;
	act(KAI_CONSOLIDATION);
	expect(big, "p", "0: there is no consolidation");
	w.kai->config.consolidation_max = 1;
	act(KAI_CONSOLIDATION);
	expect(big, "p", "two candidates");
	w.kai->config.consolidation_max = 2;
	act(KAI_CONSOLIDATION);
	expect(moves, "l@n0", "three");
	expect(big, "l@n1", "three");
}

Test(kai_solve_more, limits_keep_for_consolidation)
{
	open_instance(2, 2, 4);
	const uint32_t new = runs("new", 50, 1, "n1", 200), big = waits("big", 50, 1, 2);
	(void)runs("old", 50, 1, "n0", 300);
	w.kai->queue[kai_find_queue(w.kai, "a")].limit.at[KAI_GPUS] = 3 * KAI_GPU;
	act(KAI_CONSOLIDATION);
	expect(big, "p", "two run, two more are four");
	expect(new, "r@n1", "nothing moves for it");
	cr_expect_eq(w.kai->scenarios, 0);
	w.kai->queue[kai_find_queue(w.kai, "a")].limit.at[KAI_GPUS] = 4 * KAI_GPU;
	act(KAI_CONSOLIDATION);
	expect(big, "l@n1", "four may run");
}

/* ---- Allocate ---- */

Test(kai_solve_more, allocate_evicts_nobody)
{
	open_instance(2, 0, 4);
	const uint32_t held = runs("h", 50, 1, "n0", 100);
	const uint32_t big = waits("big", 90, 1, 2), small = waits("small", 60, 1, 1);
	act(KAI_ALLOCATE);
	expect(big, "p", "it does not fit");
	expect(small, "b@n0", "the next one has its turn");
	expect(held, "r@n0", "whoever runs, runs on");
	cr_assert_eq(w.kai->effect_count, 1);
	cr_expect_eq(w.kai->effect[0].kind, KAI_BIND);
	cr_expect_eq(w.kai->job[small].started, w.kai->now);
}

Test(kai_solve_more, eligibility_of_limit_and_quota)
{
	open_instance(4, 0, 1);
	struct kai_queue *queue = &w.kai->queue[kai_find_queue(w.kai, "a")];
	const uint32_t two = waits("two", 100, 1, 2), three = waits("three", 50, 1, 3);
	queue->limit.at[KAI_GPUS] = 2 * KAI_GPU;
	act(KAI_ALLOCATE);
	expect(two, "p", "not preemptible, beyond the quota");
	cr_expect_eq(w.kai->job[two].why, KAI_NP_OVER_QUOTA);
	cr_expect_eq(w.kai->job[two].why_c, KAI_GPU);
	expect(three, "p", "beyond the limit");
	cr_expect_eq(w.kai->job[three].why, KAI_OVER_LIMIT);
	cr_expect_eq(w.kai->job[three].why_a, 3 * KAI_GPU);
	cr_expect_eq(w.kai->job[three].why_c, 2 * KAI_GPU);
}

Test(kai_solve_more, a_gang_first_then_one_by_one)
{
	open_instance(3, 0, 4);
	const uint32_t elastic = kai_small_job(&w, "e", "a", 50, 4, 1, 10);
	kai_small_min(&w, elastic, 2);
	kai_small_enter(&w, elastic);
	act(KAI_ALLOCATE);
	expect(elastic, "b@n0 b@n0 b@n0 p", "its minimum, and one more, as far as there is room");
}

/* ---- What is not tried ---- */

Test(kai_solve_more, a_job_like_one_that_failed_has_to_be_easier)
{
	open_instance(1, 0, 4);
	struct kai_failed failed = { 0 };
	const uint32_t one = waits("one", 50, 2, 2), like = waits("like", 50, 2, 2),
		       fewer = waits("fewer", 50, 1, 2), smaller = waits("smaller", 50, 2, 1),
		       other = waits("other", 60, 2, 2);
	cr_expect(kai_is_easier(w.kai, &failed, 7, one), "nothing failed");
	kai_failed_add(w.kai, &failed, 7, one);
	cr_expect_not(kai_is_easier(w.kai, &failed, 7, like), "the same");
	cr_expect(kai_is_easier(w.kai, &failed, 7, fewer), "fewer tasks");
	cr_expect(kai_is_easier(w.kai, &failed, 7, smaller), "smaller tasks");
	cr_expect(kai_is_easier(w.kai, &failed, 7, other), "another priority");
	cr_expect(kai_is_easier(w.kai, &failed, 8, like), "another queue");
	kai_failed_add(w.kai, &failed, 7, smaller);
	cr_expect_not(kai_is_easier(w.kai, &failed, 7, smaller), "the easiest that failed counts");
	kai_failed_clear(&failed);
	cr_expect(kai_is_easier(w.kai, &failed, 7, like), "forgotten");
	free(failed.at);
	sl_map_free(&failed.map);
}

/* Two nodes, on each one that may be preempted and one that may not: no set makes two free on a node. */
Test(kai_solve_more, sets_that_leave_too_little_on_a_node_are_not_tried)
{
	open_instance(2, 2, 4);
	(void)runs("x", 50, 1, "n0", 300);
	(void)runs("y", 50, 1, "n1", 300);
	const uint32_t fixed = runs("s", 100, 1, "n0", 300);
	(void)runs("t", 100, 1, "n1", 300);
	const uint32_t big = waits("big", 75, 1, 2);
	act(KAI_PREEMPT);
	expect(big, "p", "one of two on each");
	cr_expect_eq(w.kai->scenarios, 0, "nothing is simulated");
	kai_set_task(w.kai, w.kai->job[fixed].task, KAI_SUCCEEDED, KAI_NO, NULL);
	act(KAI_PREEMPT);
	expect(big, "l@n0", "two on n0 now");
}

/* a may lose what is over its quota of 1 alone: one of two GPUs, not both. */
Test(kai_solve_more, more_than_queues_may_lose_is_not_tried)
{
	open_instance(1, 1, 1);
	(void)runs("x", 50, 1, "n0", 300);
	(void)runs("y", 50, 1, "n1", 200);
	w.kai->queue[kai_find_queue(w.kai, "b")].quota.at[KAI_GPUS] = 2 * KAI_GPU;
	const uint32_t gang = kai_small_job(&w, "gang", "b", 50, 2, 1, 10);
	kai_small_enter(&w, gang);
	act(KAI_RECLAIM);
	expect(gang, "p p", "one too many");
	cr_expect_eq(w.kai->scenarios, 0, "nothing is simulated");
	const uint32_t one = kai_small_job(&w, "one", "b", 50, 1, 1, 5);
	kai_small_enter(&w, one);
	act(KAI_RECLAIM);
	expect(one, "l@n1", "what a has too much");
}

/* The last of its queue fails: that counts for its queue, not for the only one that is left. */
Test(kai_solve_more, a_failure_counts_for_its_own_queue)
{
	open_instance(1, 0, 1);
	const uint32_t victim = kai_small_job(&w, "victim", "b", 50, 1, 1, 100);
	kai_small_run(&w, victim, "n0", KAI_NO, 100);
	const uint32_t first = waits("first", 75, 1, 1);
	const uint32_t other = kai_small_job(&w, "other", "b", 75, 1, 1, 10);
	kai_small_enter(&w, other);
	w.kai->config.signatures = true;
	act(KAI_PREEMPT);
	expect(first, "p", "nobody of its queue runs");
	expect(other, "l@n0", "it comes in place of a job of its queue");
	expect(victim, "x@n0", "of lower priority");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_solve.c - a job's victims: consolidation, reclaim and preempt in small cases worked by hand, a
 * clause each. (KAI: actions/consolidation, reclaim, preempt, common/solvers.)
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kai_small.h"

static struct kai_small w;

static void end(void) { kai_small_close(&w); }

TestSuite(kai_solve, .fini = end);

/* Two nodes of so many GPUs; queues "a" and "b", quotas in GPUs. */
static void open_instance(int64_t n0, int64_t n1, int64_t a, int64_t b)
{
	enum { HUNDRED = 100 };
	w = kai_small_open();
	(void)kai_small_queue(&w, "a", NULL, a * HUNDRED, -1, 1);
	(void)kai_small_queue(&w, "b", NULL, b * HUNDRED, -1, 1);
	(void)kai_small_node(&w, "n0", n0);
	(void)kai_small_node(&w, "n1", n1);
	kai_small_seal(&w);
}

static uint32_t runs(const char *name, const char *queue, int64_t priority, int64_t gpus, const char *node)
{
	static const int64_t started = 500;
	const uint32_t job = kai_small_job(&w, name, queue, priority, 1, gpus, started);
	kai_small_run(&w, job, node, KAI_NO, started);
	return job;
}

static uint32_t waits(
	const char *name, const char *queue, int64_t priority, uint32_t tasks, int64_t gpus, int64_t age_s)
{
	const uint32_t job = kai_small_job(&w, name, queue, priority, tasks, gpus, age_s);
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

/* ---- Reclaim ---- */

Test(kai_solve, reclaim_takes_the_newest_until_shares_are_fair)
{
	open_instance(4, 0, 2, 2);
	uint32_t held[4];
	const char *const name[] = { "h0", "h1", "h2", "h3" };
	for (int i = 0; i < 4; i++) {
		held[i] = kai_small_job(&w, name[i], "a", 50, 1, 1, 400 - 100 * i);
		kai_small_run(&w, held[i], "n0", KAI_NO, 60);
	}
	const uint32_t first = waits("p0", "b", 50, 1, 1, 30), second = waits("p1", "b", 50, 1, 1, 20),
		       third = waits("p2", "b", 50, 1, 1, 10);
	act(KAI_RECLAIM);
	expect(held[0], "r@n0", "the oldest");
	expect(held[1], "r@n0", "the second");
	expect(held[2], "x@n0", "the third: b has its quota then");
	expect(held[3], "x@n0", "the newest");
	expect(first, "l@n0", "what is below its share");
	expect(second, "l@n0", "and still is");
	expect(third, "p", "what would be over it");
	cr_assert_eq(w.kai->effect_count, 4, "an eviction, then a start, of each");
	cr_expect_eq(w.kai->effect[0].kind, KAI_EVICT);
	cr_expect_eq(w.kai->effect[0].task, w.kai->job[held[3]].task);
	cr_expect_eq(w.kai->effect[0].cause, first);
	cr_expect_eq(w.kai->effect[1].kind, KAI_PIPELINE);
	cr_expect_eq(w.kai->effect[1].task, w.kai->job[first].task);
}

Test(kai_solve, what_may_not_be_preempted_stays)
{
	open_instance(2, 0, 1, 1);
	const uint32_t held = runs("h", "a", 100, 2, "n0"), wants = waits("p", "b", 50, 1, 1, 10);
	act(KAI_RECLAIM);
	expect(held, "r@n0", "a job that may not be preempted");
	expect(wants, "p", "so nobody makes room");
	cr_expect_eq(w.kai->effect_count, 0);
}

/* b has its quota only if a's job, within its own, fits elsewhere. */
static void crowd(uint32_t *held, uint32_t *wants)
{
	open_instance(2, 1, 1, 2);
	*held = runs("h", "a", 50, 1, "n0");
	*wants = waits("p", "b", 50, 1, 2, 10);
	act(KAI_RECLAIM);
}

Test(kai_solve, a_victim_that_finds_capacity_is_moved)
{
	uint32_t held, wants;
	crowd(&held, &wants);
	expect(held, "l@n1", "it starts elsewhere");
	expect(wants, "l@n0", "its place is taken");
	cr_assert_eq(w.kai->effect_count, 3);
	cr_expect(w.kai->effect[0].moved);
	cr_expect_eq(w.kai->effect[0].node, kai_find_node(w.kai, "n0"), "it leaves where it ran");
	cr_expect_eq(w.kai->job[held].evicted_at, w.kai->now, "a move is an eviction");
}

Test(kai_solve, moves_count_as_losses_if_reported_so)
{
	open_instance(2, 1, 1, 2);
	const uint32_t held = runs("h", "a", 50, 1, "n0"), wants = waits("p", "b", 50, 1, 2, 10);
	w.kai->config.consolidating_reclaim = false;
	act(KAI_RECLAIM);
	expect(held, "r@n0", "a has no more than its quota");
	expect(wants, "p", "so nothing happens");
}

Test(kai_solve, a_gang_is_whole_or_absent)
{
	open_instance(2, 0, 0, 3);
	const uint32_t held = runs("h", "a", 50, 1, "n0"), other = runs("o", "a", 100, 1, "n0");
	const uint32_t gang = waits("g", "b", 50, 2, 1, 10);
	act(KAI_RECLAIM);
	expect(gang, "p p", "room for one of two");
	expect(held, "r@n0", "nobody leaves for half a gang");
	expect(other, "r@n0", "it may not");
	cr_expect_eq(w.kai->effect_count, 0);
}

Test(kai_solve, a_gang_over_two_nodes)
{
	open_instance(2, 2, 0, 4);
	const uint32_t h0 = runs("h0", "a", 50, 2, "n0"), h1 = runs("h1", "a", 50, 2, "n1");
	const uint32_t gang = waits("g", "b", 50, 2, 2, 10);
	act(KAI_RECLAIM);
	expect(gang, "l@n0 l@n1", "one on each");
	expect(h0, "x@n0", "all of n0");
	expect(h1, "x@n1", "all of n1");
}

Test(kai_solve, elastic_jobs_are_trimmed)
{
	open_instance(3, 0, 1, 2);
	const uint32_t elastic = kai_small_job(&w, "e", "a", 50, 3, 1, 100);
	kai_small_min(&w, elastic, 1);
	kai_small_run(&w, elastic, "n0", KAI_NO, 100);
	const uint32_t first = waits("p0", "b", 50, 1, 1, 20);
	act(KAI_RECLAIM);
	expect(elastic, "r@n0 r@n0 x@n0", "one task for one");
	expect(first, "l@n0", "in its place");
	cr_expect_eq(w.kai->effect_count, 2);
}

Test(kai_solve, an_eviction_that_is_settled_is_final)
{
	open_instance(2, 0, 0, 2);
	const uint32_t held = runs("h", "a", 50, 2, "n0");
	const uint32_t wants = waits("p", "b", 50, 1, 1, 10);
	uint32_t capacity[1];
	w.kai->config.keep_open = true;
	act(KAI_RECLAIM);
	expect(held, "x@n0", "it makes room");
	expect(wants, "l@n0", "for this one");
	cr_expect_eq(w.kai->task[w.kai->job[held].task].evicted, 2);
	cr_expect_eq(kai_next_chunk(w.kai, held, capacity), 0, "it is not placed again in this session");
}

/* ---- Preempt ---- */

Test(kai_solve, preempt_looks_at_lower_priority_in_the_same_queue)
{
	open_instance(1, 1, 1, 1);
	const uint32_t same = runs("same", "a", 50, 1, "n0"), other = runs("other", "b", 40, 1, "n1");
	const uint32_t equal = waits("equal", "a", 50, 1, 1, 20);
	act(KAI_PREEMPT);
	expect(same, "r@n0", "equal priority");
	expect(equal, "p", "nobody is lower");
	const uint32_t higher = waits("higher", "a", 60, 1, 1, 10);
	act(KAI_PREEMPT);
	expect(same, "x@n0", "lower priority");
	expect(other, "r@n1", "lower still, of another queue");
	expect(higher, "l@n0", "higher priority");
}

Test(kai_solve, preempt_for_good_only_within_the_quota)
{
	open_instance(2, 0, 1, 1);
	const uint32_t held = runs("h", "a", 50, 2, "n0"), wants = waits("p", "a", 100, 1, 2, 10);
	act(KAI_PREEMPT);
	expect(wants, "p", "it may not be preempted and asks more than a's quota");
	expect(held, "r@n0", "so nobody leaves");
	const uint32_t fits = waits("f", "a", 100, 1, 1, 5);
	act(KAI_PREEMPT);
	expect(fits, "l@n0", "it asks no more");
	expect(held, "x@n0", "a job leaves whole");
}

Test(kai_solve, jobs_that_just_started_are_left_alone)
{
	enum { LEAST = 600 };
	open_instance(2, 0, 2, 0);
	const uint32_t held = runs("h", "a", 50, 2, "n0"), wants = waits("p", "a", 60, 1, 1, 10);
	w.kai->queue[kai_find_queue(w.kai, "a")].preempt_min = LEAST * SL_SECOND;
	act(KAI_PREEMPT);
	expect(held, "r@n0", "500 of 600 seconds");
	w.kai->now += 100 * SL_SECOND;
	act(KAI_PREEMPT);
	expect(held, "x@n0", "600 seconds");
	expect(wants, "l@n0", "room at last");
}

Test(kai_solve, elastic_jobs_that_just_started_keep_their_minimum)
{
	enum { LEAST = 600 };
	open_instance(2, 0, 2, 0);
	const uint32_t elastic = kai_small_job(&w, "e", "a", 50, 2, 1, 100);
	kai_small_min(&w, elastic, 1);
	kai_small_run(&w, elastic, "n0", KAI_NO, 100);
	w.kai->queue[kai_find_queue(w.kai, "a")].preempt_min = LEAST * SL_SECOND;
	const uint32_t both = waits("two", "a", 60, 1, 2, 20);
	act(KAI_PREEMPT);
	expect(elastic, "r@n0 r@n0", "it would lose both");
	expect(both, "p", "so nothing");
	const uint32_t one = waits("one", "a", 60, 1, 1, 10);
	act(KAI_PREEMPT);
	expect(elastic, "r@n0 x@n0", "the one above its minimum goes");
	expect(one, "l@n0", "in its place");
}

Test(kai_solve, a_delay_has_to_be_over)
{
	open_instance(1, 0, 1, 0);
	const uint32_t held = runs("h", "a", 50, 1, "n0"), wants = waits("p", "a", 60, 1, 1, 10);
	w.kai->job[wants].delay = 30 * SL_SECOND;
	act(KAI_PREEMPT);
	expect(wants, "p", "10 of 30 seconds");
	cr_expect_eq(w.kai->job[wants].why, KAI_DELAY_NOT_ELAPSED);
	w.kai->now += 20 * SL_SECOND - 1;
	act(KAI_PREEMPT);
	expect(held, "r@n0", "a microsecond before");
	w.kai->now++;
	act(KAI_PREEMPT);
	expect(held, "x@n0", "30 seconds");
}

Test(kai_solve, a_place_is_given_up_before_anything_started_there)
{
	open_instance(1, 0, 1, 0);
	const uint32_t held = runs("h", "a", 75, 1, "n0"), low = waits("l", "a", 50, 1, 1, 20),
		       high = waits("p", "a", 60, 1, 1, 10);
	kai_set_task(w.kai, w.kai->job[held].task, KAI_RELEASING, kai_find_node(w.kai, "n0"), NULL);
	kai_open(w.kai);
	kai_pipeline_task(w.kai, w.kai->job[low].task, kai_find_node(w.kai, "n0"), NULL);
	kai_run(w.kai, KAI_PREEMPT);
	expect(low, "x@n0", "as KAI has it");
	expect(high, "l@n0", "it is to start there");
	cr_assert_eq(w.kai->effect_count, 2);
	cr_expect(w.kai->effect[0].early, "nothing has to be stopped");
	cr_expect_eq(w.kai->node[0].idle.gpus, -1);
	cr_expect_eq(w.kai->node[0].releasing.gpus, 1);
	kai_close(w.kai);
	expect(low, "p", "it waits");
	cr_expect_eq(w.kai->node[0].idle.gpus, 0);
	cr_expect_eq(w.kai->node[0].releasing.gpus, 0);
}

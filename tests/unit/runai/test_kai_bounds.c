/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_bounds.c - when a search for victims is given up, when it is not repeated, and when it is taken up
 * again. One case, worked by hand: two nodes of two GPUs, on each a job of one GPU that may run nowhere else.
 * A job of two GPUs could start if one of them were moved; none can be. Sets that are simulated are the newer
 * one, the older one and both: 2, 2 and 3 pods with the job's own. (KAI: solvers/search_budget.go,
 * failed_search_backoff.go.)
 */
#include <criterion/criterion.h>

#include "policies/runai/rules/kai_solve_parts.h"
#include "tests/world/kai_small.h"

static struct kai_small w;
static const uint64_t first_node = 1, second_node = 2;

static void end(void) { kai_small_close(&w); }

static uint32_t stays(const char *name, const char *node, const uint64_t *allowed, int64_t age_s)
{
	const uint32_t job = kai_small_job(&w, name, "a", 50, 1, 1, age_s);
	struct kai_task *task = &w.kai->task[w.kai->job[job].task];
	struct kai_request desc = w.kai->request[task->request];
	desc.allowed = allowed;
	const uint32_t request = kai_request(w.kai, &desc);
	w.kai->task[w.kai->job[job].task].request = request;
	kai_small_run(&w, job, node, KAI_NO, age_s);
	return job;
}

static uint32_t waits(const char *name)
{
	const uint32_t job = kai_small_job(&w, name, "a", 50, 1, 2, 10);
	kai_small_enter(&w, job);
	return job;
}

static void begin(void)
{
	w = kai_small_open();
	(void)kai_small_queue(&w, "a", NULL, 400, -1, 1);
	(void)kai_small_node(&w, "n0", 2);
	(void)kai_small_node(&w, "n1", 2);
	kai_small_seal(&w);
	(void)stays("x", "n0", &first_node, 300);
	(void)stays("y", "n1", &second_node, 200);
	w.kai->config.action[0] = KAI_CONSOLIDATION;
	w.kai->config.action_count = 1;
	w.kai->config.signatures = false;
}

TestSuite(kai_bounds, .init = begin, .fini = end);

/* Sets simulated in a session. NOLINTNEXTLINE(readability-function-size): the macro nests. */
static uint64_t sets(int64_t at_s)
{
	w.kai->now = at_s * SL_SECOND;
	cr_assert(kai_session(w.kai) == 0);
	return w.kai->scenarios;
}

Test(kai_bounds, so_many_sets_for_a_job)
{
	(void)waits("big");
	cr_expect_eq(sets(1000), 3, "all");
	cr_expect_eq(w.kai->searches, 1);
	cr_expect_eq(w.kai->searches_cut, 0);
	w.kai->config.scenarios_max = 2;
	cr_expect_eq(sets(1001), 2);
	cr_expect_eq(w.kai->searches_cut, 1);
	(void)waits("other");
	cr_expect_eq(sets(1002), 4, "for each");
}

Test(kai_bounds, so_many_pods_for_a_job)
{
	(void)waits("big");
	w.kai->config.pods_max = 4;
	cr_expect_eq(sets(1000), 2, "2 + 2 pods");
	w.kai->config.pods_max = 5;
	cr_expect_eq(sets(1001), 3, "the last begins at 4");
	cr_expect_eq(w.kai->searches_cut, 1);
}

/* 5 pods for all: two sets for the first, one for the second, none for the third. */
Test(kai_bounds, and_a_quarter_more_for_all)
{
	(void)waits("big");
	(void)waits("other");
	(void)waits("third");
	w.kai->config.pods_max = 4;
	cr_expect_eq(sets(1000), 3);
	cr_expect_eq(w.kai->searches_cut, 3);
	cr_expect_eq(w.kai->searches, 2, "nothing was tried for the third");
	cr_expect_eq(sets(1001), 3, "each session anew");
	w.kai->config.pods_max = 8;
	cr_expect_eq(
		sets(1002), 5, "2 + 2 + 3 pods for the first, and of 10 for all two sets for the second");
}

/* Of 50 s: since it was made, at 100, or last evicted, at 120. */
Test(kai_bounds, a_delay_begins_anew_with_an_eviction)
{
	const uint32_t job = waits("big");
	w.kai->job[job].created = 100 * SL_SECOND;
	w.kai->job[job].delay = 50 * SL_SECOND;
	w.kai->now = 149 * SL_SECOND;
	cr_expect(kai_delayed(w.kai, job));
	w.kai->job[job].evicted_at = 120 * SL_SECOND;
	w.kai->now = 169 * SL_SECOND;
	cr_expect(kai_delayed(w.kai, job));
	w.kai->now = 170 * SL_SECOND;
	cr_expect_not(kai_delayed(w.kai, job));
	w.kai->job[job].evicted_at = 90 * SL_SECOND;
	w.kai->now = 149 * SL_SECOND;
	cr_expect(kai_delayed(w.kai, job), "what is older does not count");
}

Test(kai_bounds, not_retry_if_nothing_has_changed)
{
	const uint32_t big = waits("big");
	cr_expect_eq(sets(1000), 3);
	w.kai->unchanged = true;
	cr_expect_eq(sets(1000), 0, "so said");
	cr_expect_eq(sets(1000), 3, "not said");
	w.kai->unchanged = true;
	(void)waits("other");
	cr_expect_eq(sets(1000), 3, "of the other, which was not searched for");
	cr_expect_eq(w.kai->job[big].group[0].count[KAI_PENDING], 1);
}

/* From 10 s, doubled, at most 25 s. */
Test(kai_bounds, backoff)
{
	const uint32_t big = waits("big");
	const int at = 0; /* Consolidation is the first. */
	w.kai->config.backoff_min[at] = 10 * SL_SECOND;
	w.kai->config.backoff_max[at] = 25 * SL_SECOND;
	static const struct {
		int64_t at_s;
		uint64_t sets;
	} want[] = { { 1000, 3 }, { 1009, 0 }, { 1010, 3 }, { 1029, 0 }, { 1030, 3 }, { 1054, 0 },
		{ 1055, 3 }, { 1079, 0 }, { 1080, 3 } };
	for (size_t i = 0; i < SL_LEN(want); i++)
		cr_expect_eq(sets(want[i].at_s), want[i].sets, "at %lld", (long long)want[i].at_s);
	w.kai->request[w.kai->task[w.kai->job[0].task].request].allowed = NULL; /* x may be moved. */
	cr_expect_eq(sets(1104), 0, "nobody asks");
	cr_expect(sets(1105) > 0);
	cr_expect_eq(w.kai->job[big].group[0].count[KAI_PIPELINED], 1, "it starts on n0");
	cr_expect_eq(w.kai->job[big].backoff[at].until, 0, "a search that found something ends it");
}

Test(kai_bounds, a_search_that_was_given_up_is_no_failure)
{
	(void)waits("big");
	w.kai->config.backoff_min[0] = 10 * SL_SECOND;
	w.kai->config.scenarios_max = 1;
	cr_expect_eq(sets(1000), 1);
	cr_expect_eq(sets(1001), 1);
	w.kai->config.scenarios_max = 0;
	cr_expect_eq(sets(1002), 3);
	cr_expect_eq(sets(1003), 0);
}

static uint32_t asked;

static bool at_the_third(const void *of)
{
	(void)of;
	return ++asked > 2;
}

Test(kai_bounds, whoever_wants_to_end_is_heard)
{
	asked = 0;
	(void)waits("big");
	w.kai->config.pods_max = 0;
	w.kai->stopping = at_the_third;
	cr_expect_eq(sets(1000), 1, "asked before the search, before its first set and before its second");
	cr_expect_eq(w.kai->searches_cut, 1);
	w.kai->stopping = NULL;
	cr_expect_eq(sets(1001), 3);
}

/* ---- Lists ---- */

Test(kai_bounds, lists_follow_what_is_undone)
{
	const uint32_t big = waits("big");
	cr_expect_eq(kai_list_next(w.kai, KAI_WAITING, 0), big);
	cr_expect_eq(kai_list_next(w.kai, KAI_WAITING, big + 1), KAI_NO);
	const kai_marked mark = kai_mark(w.kai);
	kai_evict_task(w.kai, w.kai->job[0].task);
	kai_pipeline_task(w.kai, w.kai->job[big].task, 0, NULL);
	cr_expect_eq(kai_list_next(w.kai, KAI_WAITING, 0), KAI_NO);
	cr_expect_eq(kai_list_next(w.kai, KAI_ACTIVE, 0), 1, "the first leaves");
	kai_undo(w.kai, mark);
	cr_expect_eq(kai_list_next(w.kai, KAI_WAITING, 0), big);
	cr_expect_eq(kai_list_next(w.kai, KAI_ACTIVE, 0), 0);
	kai_drop_job(w.kai, 0);
	cr_expect_eq(kai_list_next(w.kai, KAI_ACTIVE, 0), 1);
}

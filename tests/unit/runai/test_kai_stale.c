/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_stale.c - gangs that lost too many of their pods: when they leave, and what of them (KAI:
 * actions/stalegangeviction). The gang has three pods of a GPU each and needs all, unless said; it is 1 000
 * s.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kai_small.h"

enum { PODS = 3, GRACE = 60 };

static struct kai_small w;
static uint32_t gang;

static void end(void) { kai_small_close(&w); }

TestSuite(kai_stale, .fini = end);

static struct kai_job *job(void) { return &w.kai->job[gang]; }

static void set(uint32_t pod, enum kai_state state)
{
	kai_set_task(w.kai, job()->task + pod, state,
		kai_active_used(state) ? kai_find_node(w.kai, "n0") : KAI_NO, NULL);
}

/* All run; then the last one fails. since: so many seconds ago it was found stale; below 0: not yet. */
static void lost_one(int64_t since)
{
	w = kai_small_open();
	(void)kai_small_queue(&w, "a", NULL, 800, -1, 1);
	(void)kai_small_node(&w, "n0", 8);
	kai_small_seal(&w);
	gang = kai_small_job(&w, "gang", "a", 50, PODS, 1, 100);
	kai_small_run(&w, gang, "n0", KAI_NO, 100);
	set(2, KAI_FAILED);
	job()->stale_since = since >= 0 ? w.kai->now - since * SL_SECOND : SL_NONE;
}

static void act(void)
{
	kai_open(w.kai);
	kai_run(w.kai, KAI_STALE);
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void expect(const char *want, const char *clause)
{
	act();
	const char *got = kai_small_reported(&w, gang);
	const bool same = strcmp(got, want) == 0;
	cr_expect(same, "%s: %s, expected %s", clause, got, want);
}

#define RUNS   "r@n0 r@n0 f"
#define LEAVES "x@n0 x@n0 f"

Test(kai_stale, grace_begins_when_it_is_seen)
{
	lost_one(-1);
	expect(RUNS, "it is seen now");
	cr_expect_eq(job()->stale_since, w.kai->now);
	w.kai->now += GRACE * SL_SECOND - 1;
	expect(RUNS, "a microsecond before the end of its grace");
	w.kai->now++;
	expect(LEAVES, "at its end");
}

Test(kai_stale, what_is_reported)
{
	lost_one(GRACE);
	act();
	cr_assert_eq(w.kai->effect_count, 2);
	const struct kai_effect *first = &w.kai->effect[0];
	cr_expect_eq(first->kind, KAI_EVICT);
	cr_expect_eq(first->task, job()->task);
	cr_expect_eq(first->node, kai_find_node(w.kai, "n0"));
	cr_expect_eq(first->action, KAI_STALE);
	cr_expect_eq(first->cause, KAI_NO, "for nobody");
	cr_expect_not(first->moved);
	cr_expect_eq(job()->evicted_at, w.kai->now, "its delay begins anew");
	cr_expect_eq(w.kai->queue[job()->queue].allocated.at[KAI_GPUS], 0, "its queue has none of it");
	act();
	cr_expect_eq(w.kai->effect_count, 0, "those on their way out are not told again");
}

Test(kai_stale, whole_retry)
{
	lost_one(GRACE);
	set(2, KAI_RUNNING);
	expect("r@n0 r@n0 r@n0", "it is whole");
	cr_expect_eq(job()->stale_since, SL_NONE, "and forgiven");
	set(2, KAI_FAILED);
	expect(RUNS, "the grace begins anew");
}

Test(kai_stale, enough_pods)
{
	lost_one(GRACE);
	kai_small_min(&w, gang, 2);
	expect(RUNS, "two are all that it needs");
	kai_small_min(&w, gang, PODS);
	set(2, KAI_SUCCEEDED);
	expect("r@n0 r@n0 s", "a gang of which a pod succeeded is ending, not stale");
	set(2, KAI_RELEASING);
	expect("r@n0 r@n0 x@n0", "one on its way out is still there");
	for (uint32_t i = 0; i < PODS; i++)
		set(i, KAI_PENDING);
	expect("p p p", "nothing of it is there");
	cr_expect_eq(job()->stale_since, SL_NONE);
}

Test(kai_stale, its_own_grace_before_the_default)
{
	lost_one(GRACE);
	job()->grace = (GRACE + 1) * SL_SECOND;
	expect(RUNS, "longer than the default");
	job()->grace = -1;
	expect(RUNS, "never");
	w.kai->config.staleness = -1;
	job()->grace = SL_NONE;
	expect(RUNS, "never, by default");
	job()->grace = 0;
	expect(LEAVES, "at once");
}

Test(kai_stale, none_at_all)
{
	lost_one(-1);
	w.kai->config.staleness = 0;
	expect(LEAVES, "no grace: as soon as it is seen");
}

Test(kai_stale, pods_that_were_to_start)
{
	lost_one(GRACE);
	set(1, KAI_PENDING);
	kai_pipeline_task(w.kai, job()->task + 1, kai_find_node(w.kai, "n0"), NULL);
	expect("x@n0 x@n0 f", "one that runs leaves, one that was to start gives up its place");
	cr_assert_eq(w.kai->effect_count, 2);
	cr_expect_not(w.kai->effect[0].early);
	cr_expect(w.kai->effect[1].early, "it never ran there");
	kai_close(w.kai);
	cr_expect_str_eq(kai_small_reported(&w, gang), "x@n0 p f", "and waits again");
}

Test(kai_stale, sub_groups_each)
{
	lost_one(GRACE);
	const uint32_t tree = kai_job(w.kai, "tree", 4, 3);
	w.kai->job[tree].queue = kai_find_queue(w.kai, "a");
	for (uint32_t i = 1; i <= 2; i++)
		w.kai->job[tree].group[i].min = i == 1 ? 2 : 1;
	for (uint32_t i = 0; i < 4; i++) {
		struct kai_task *task = &w.kai->task[w.kai->job[tree].task + i];
		task->group = i < 3 ? 1 : 2;
		task->request = w.kai->task[job()->task].request;
	}
	kai_small_run(&w, tree, "n0", KAI_NO, 100);
	w.kai->job[tree].stale_since = w.kai->now - GRACE * SL_SECOND;
	gang = tree;
	set(0, KAI_FAILED);
	expect("f r@n0 r@n0 r@n0", "the first group has two of its three left, and needs two");
	set(0, KAI_RUNNING);
	set(3, KAI_FAILED);
	job()->stale_since = w.kai->now - GRACE * SL_SECOND;
	expect("x@n0 x@n0 x@n0 f", "the other has lost its only one: all leave");
}

Test(kai_stale, gangs_that_changed_are_looked_at)
{
	lost_one(-1);
	cr_expect_eq(w.kai->unsure_count, 1);
	act();
	cr_expect_eq(w.kai->unsure_count, 1, "it is stale: it is looked at again");
	set(2, KAI_RUNNING);
	act();
	cr_expect_eq(w.kai->unsure_count, 0, "it is whole, and nothing changes");
	const kai_marked mark = kai_mark(w.kai);
	set(2, KAI_FAILED);
	act();
	kai_undo(w.kai, mark);
	cr_expect_eq(job()->stale_since, SL_NONE, "what was found in a simulation is taken back");
	cr_expect_eq(w.kai->unsure_count, 1, "it is looked at once more");
	act();
	cr_expect_eq(w.kai->unsure_count, 0);
	const uint32_t one = kai_small_job(&w, "one", "a", 50, 1, 1, 10);
	kai_small_run(&w, one, "n0", KAI_NO, 10);
	cr_expect_eq(w.kai->unsure_count, 0, "a single pod is all that there can be");
	const uint32_t retry = kai_small_job(&w, "again", "a", 50, 2, 1, 10);
	kai_small_run(&w, retry, "n0", KAI_NO, 10);
	kai_drop_job(w.kai, retry);
	act();
	cr_expect_eq(w.kai->unsure_count, 0, "a job that is over is not");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_lane.c - jobs in order of their queues, worked by hand: lazy heaps and fresh ones, victims, caps.
 * (KAI: actions/utils/job_order_by_queue, actions/common/action.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kai_small.h"

enum { NAMES = 256 };

/* Shares are set by hand: each queue may have ten GPUs, guaranteed none. Of cpu and memory there is enough.
 */
static void report_shares(struct kai_small *w)
{
	for (uint32_t i = 0; i < w->kai->queue_count; i++)
		w->kai->queue[i].fair.at[KAI_GPUS] = 10 * KAI_GPU;
	for (int i = 0; i < KAI_RES; i++)
		w->kai->total.at[i] = INT64_C(1) << 50;
}

static uint32_t pending(struct kai_small *w, const char *name, const char *queue, int64_t gpus, int64_t age_s)
{
	const uint32_t row = kai_small_job(w, name, queue, 50, 1, gpus, age_s);
	kai_small_enter(w, row);
	return row;
}

/* Runs, and counts in its queues. */
static uint32_t running(
	struct kai_small *w, const char *name, const char *queue, uint32_t tasks, uint32_t min, int64_t age_s)
{
	const uint32_t row = kai_small_job(w, name, queue, 50, tasks, 1, age_s);
	kai_small_min(w, row, min);
	kai_small_run(w, row, "n0", KAI_NO, 1);
	return row;
}

/* All that are left, in order. */
static const char *drain(struct kai_small *w, struct kai_lane *lane)
{
	static char text[NAMES];
	size_t len = 0;
	text[0] = 0;
	for (uint32_t job; (job = kai_lane_pop(w->kai, lane)) != KAI_NO;)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s", len ? " " : "", w->kai->job[job].name);
	return text;
}

/* Two departments, one of which has two projects. */
static struct kai_small open_two(void)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 100);
	(void)kai_small_queue(&w, "d1", NULL, 0, -1, 1);
	(void)kai_small_queue(&w, "d2", NULL, 0, -1, 1);
	(void)kai_small_queue(&w, "p1", "d1", 0, -1, 1);
	(void)kai_small_queue(&w, "p2", "d1", 0, -1, 1);
	(void)kai_small_queue(&w, "q", "d2", 0, -1, 1);
	kai_small_seal(&w);
	report_shares(&w);
	return w;
}

static const char *served(bool fresh)
{
	struct kai_small w = open_two();
	static char text[NAMES];
	w.kai->config.fresh_order = fresh;
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 0);
	kai_lane_push(w.kai, lane, pending(&w, "p1-small", "p1", 1, 9));
	kai_lane_push(w.kai, lane, pending(&w, "p1-large", "p1", 8, 8));
	kai_lane_push(w.kai, lane, pending(&w, "p2-mid", "p2", 2, 9));
	kai_lane_push(w.kai, lane, pending(&w, "q-mid", "q", 4, 9));
	(void)snprintf(text, sizeof(text), "%s", drain(&w, lane));
	cr_expect(kai_lane_empty(lane));
	kai_lane_free(lane);
	kai_small_close(&w);
	return text;
}

Test(kai_lane, a_department_is_seen_by_the_project_that_was_served_last)
{
	/* p1-small is first, 1/10. Then d1 is seen by p1, which requests 8/10, though p2 requests 2/10: d2
	 * goes. */
	cr_expect_str_eq(served(false), "p1-small q-mid p2-mid p1-large");
	cr_expect_str_eq(served(true), "p1-small p2-mid q-mid p1-large");
}

Test(kai_lane, a_leaf_goes_by_priority_and_age_others_by_what_they_desc)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 0);
	cr_expect(kai_lane_empty(lane));
	cr_expect_eq(kai_lane_pop(w.kai, lane), KAI_NO);
	const uint32_t young = pending(&w, "young", "q", 1, 1), old = pending(&w, "old", "q", 9, 5);
	const uint32_t best = pending(&w, "best", "q", 9, 1), other = pending(&w, "other", "p1", 5, 1);
	w.kai->job[best].priority = 51;
	kai_lane_push(w.kai, lane, young);
	kai_lane_push(w.kai, lane, other);
	kai_lane_push(w.kai, lane, old);
	kai_lane_push(w.kai, lane, best);
	cr_expect_str_eq(drain(&w, lane), "other best old young");
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, jobs_without_a_queue_or_of_a_department_are_passed_over)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 0);
	const uint32_t lost = pending(&w, "lost", "q", 1, 1);
	w.kai->job[lost].queue = KAI_NO;
	kai_lane_push(w.kai, lane, lost);
	kai_lane_push(w.kai, lane, pending(&w, "high", "d1", 1, 1));
	cr_expect(kai_lane_empty(lane));
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, what_changes_off_the_path_is_seen_late)
{
	struct kai_small w = open_two();
	for (int fresh = 0; fresh < 2; fresh++) {
		w.kai->config.fresh_order = fresh;
		struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 0);
		kai_lane_push(w.kai, lane, pending(&w, "p1-a", "p1", 1, 9));
		kai_lane_push(w.kai, lane, pending(&w, "p1-b", "p1", 1, 8));
		kai_lane_push(w.kai, lane, pending(&w, "p2-a", "p2", 2, 9));
		cr_expect_eq(w.kai->job[kai_lane_pop(w.kai, lane)].created, w.kai->now - 9 * SL_SECOND);
		/* p2, where nothing was popped, is over its share now; p1 is flagged and comes down only if
		 * p2 is before it. */
		const uint32_t p2 = kai_find_queue(w.kai, "p2");
		w.kai->queue[p2].allocated.at[KAI_GPUS] = 9 * KAI_GPU;
		cr_expect_str_eq(drain(&w, lane), "p1-b p2-a");
		w.kai->queue[p2].allocated.at[KAI_GPUS] = 0;
		kai_lane_free(lane);
	}
	kai_small_close(&w);
}

Test(kai_lane, a_job_that_comes_back_stands_by_what_it_has_become)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 0);
	const uint32_t grown = kai_small_job(&w, "grown", "q", 50, 3, 1, 9);
	kai_small_min(&w, grown, 1);
	kai_small_enter(&w, grown);
	kai_lane_push(w.kai, lane, grown);
	kai_lane_push(w.kai, lane, pending(&w, "young", "q", 1, 1));
	cr_expect_eq(kai_lane_pop(w.kai, lane), grown);
	kai_allocate_task(w.kai, w.kai->job[grown].task, 0, NULL);
	kai_lane_push(w.kai, lane, grown);
	cr_expect_str_eq(drain(&w, lane), "young grown", "with its minimum it is behind what has none");
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, a_part_of_a_job_has_nothing_yet_and_asks_what_is_said)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 0);
	const uint32_t grown = running(&w, "grown", "q", 3, 1, 9);
	const struct kai_vec desc = { { 0, 0, 9 * KAI_GPU } };
	kai_lane_push_part(w.kai, lane, grown, &desc);
	kai_lane_push(w.kai, lane, pending(&w, "q-young", "q", 1, 1));
	kai_lane_push(w.kai, lane, pending(&w, "other", "p1", 8, 1));
	/* q: 3 and 9 of 10, then 3 and 1; p1: 8 of 10. */
	cr_expect_str_eq(drain(&w, lane), "other grown q-young");
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, a_cap_drops_the_last_of_the_array)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_NEXT, 2);
	kai_lane_push(w.kai, lane, pending(&w, "a", "q", 1, 3));
	kai_lane_push(w.kai, lane, pending(&w, "b", "q", 1, 2));
	kai_lane_push(w.kai, lane, pending(&w, "c", "q", 1, 1));
	kai_lane_push(w.kai, lane, pending(&w, "d", "q", 1, 4)); /* Rises to the top; a sinks to the end. */
	kai_lane_push(w.kai, lane, pending(&w, "other", "p1", 9, 4));
	cr_expect_str_eq(drain(&w, lane), "d b other", "not the worst: as KAI's");
	kai_lane_clear(lane, KAI_NEXT, 0);
	cr_expect(kai_lane_empty(lane));
	kai_lane_free(lane);
	kai_small_close(&w);
}

/* ---- Victims ---- */

Test(kai_lane, victims_go_the_other_way_round)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_VICTIMS, 0);
	const uint32_t old = running(&w, "old", "q", 1, 1, 9), young = running(&w, "young", "q", 1, 1, 2);
	const uint32_t high = running(&w, "high", "q", 1, 1, 1),
		       elastic = running(&w, "elastic", "q", 2, 1, 9);
	w.kai->job[high].priority = 51;
	kai_lane_push(w.kai, lane, old);
	kai_lane_push(w.kai, lane, high);
	kai_lane_push(w.kai, lane, elastic);
	kai_lane_push(w.kai, lane, young);
	cr_expect_str_eq(drain(&w, lane), "elastic young old high");
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, what_was_popped_of_a_queue_counts_as_taken)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_VICTIMS, 0);
	kai_lane_push(w.kai, lane, running(&w, "q-old", "q", 2, 2, 9));
	kai_lane_push(w.kai, lane, running(&w, "q-young", "q", 4, 4, 1));
	kai_lane_push(w.kai, lane, running(&w, "p1-old", "p1", 2, 2, 9));
	kai_lane_push(w.kai, lane, running(&w, "p1-young", "p1", 1, 1, 1));
	/* Left with the next victim gone too: q 2, p1 2: equal; without any: q 6, p1 3: q goes. Then q 0,
	 * p1 2. Then q 0, p1 0; without: q. */
	cr_expect_str_eq(drain(&w, lane), "q-young p1-young q-old p1-old");
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, a_job_taken_in_part_comes_back_with_the_rest)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_VICTIMS, 0);
	const uint32_t job = running(&w, "job", "q", 3, 1, 9);
	const uint32_t at_minimum = running(&w, "at-minimum", "q", 1, 1, 20);
	kai_lane_push(w.kai, lane, job);
	kai_lane_push(w.kai, lane, at_minimum);
	uint32_t task[3];
	bool more = false;
	for (uint32_t left = 3; left > 1; left--) {
		cr_expect_eq(kai_lane_pop(w.kai, lane), job, "%u left", left);
		const uint32_t count = kai_eviction_chunk(w.kai, job, kai_lane_gone(lane, job), task, &more);
		cr_expect_eq(count, 1);
		cr_expect_eq(task[0], w.kai->job[job].task + left - 1);
		cr_expect(more);
		kai_lane_push_rest(w.kai, lane, job, task, count);
	}
	cr_expect_eq(kai_lane_pop(w.kai, lane), job, "of its minimum, and younger than the other");
	const uint32_t count = kai_eviction_chunk(w.kai, job, kai_lane_gone(lane, job), task, &more);
	cr_expect_eq(count, 1);
	cr_expect_not(more);
	kai_lane_push_rest(w.kai, lane, job, task, count);
	cr_expect_str_eq(drain(&w, lane), "at-minimum", "nothing of it is left");
	kai_lane_clear(lane, KAI_VICTIMS, 0);
	cr_expect_null(kai_lane_gone(lane, job));
	kai_lane_free(lane);
	kai_small_close(&w);
}

Test(kai_lane, each_alloc_of_a_job_counts_all_that_was_left_of_it)
{
	struct kai_small w = open_two();
	struct kai_lane *lane = kai_lane_new(w.kai, KAI_VICTIMS, 0);
	/* q holds 4 and 3, p1 1 and 2. */
	const uint32_t job = running(&w, "job", "q", 4, 1, 9);
	kai_lane_push(w.kai, lane, job);
	kai_lane_push(w.kai, lane, running(&w, "p1-a", "p1", 1, 1, 1));
	kai_lane_push(w.kai, lane, running(&w, "p1-b", "p1", 2, 2, 9));
	kai_lane_push(w.kai, lane, running(&w, "q-big", "q", 3, 3, 10));
	uint32_t task[4];
	bool more = false;
	/* 7 - 4 = 3 of q, 3 - 1 = 2 of p1. */
	cr_expect_eq(kai_lane_pop(w.kai, lane), job);
	const uint32_t count = kai_eviction_chunk(w.kai, job, NULL, task, &more);
	kai_lane_push_rest(w.kai, lane, job, task, count);
	/* 7 - 4 - 3 = 0 of q, 2 of p1; had one task been counted: 7 - 1 - 3 = 3. Then nothing of both (no
	 * share is below 0), and q holds more as it is. */
	cr_expect_str_eq(drain(&w, lane), "p1-a job q-big p1-b");
	kai_lane_free(lane);
	kai_small_close(&w);
}

/* ---- The replay of a simulation ---- */

/* p1: a job of 8 GPUs waits before one that was evicted; q: one that was evicted, of 4. */
static void replay_two(bool waiting, uint32_t first, uint32_t second)
{
	struct kai_small w = open_two();
	if (waiting)
		(void)pending(&w, "large", "p1", 8, 9);
	const uint32_t job[] = { running(&w, "p1-a", "p1", 1, 1, 8), running(&w, "q-a", "q", 4, 4, 9) };
	struct kai_replay *replay = kai_replay_new(w.kai);
	kai_replay_open(w.kai, replay);
	for (int round = 0; round < 2; round++) {
		const kai_marked mark = kai_mark(w.kai);
		kai_replay_clear(replay);
		for (int i = 0; i < 2; i++) {
			for (uint32_t k = 0; k < w.kai->job[job[i]].task_count; k++)
				kai_evict_task(w.kai, w.kai->job[job[i]].task + k);
			kai_replay_push(w.kai, replay, job[i]);
		}
		cr_expect_eq(kai_replay_pop(w.kai, replay), job[first]);
		cr_expect_eq(kai_replay_pop(w.kai, replay), job[second]);
		cr_expect_eq(kai_replay_pop(w.kai, replay), KAI_NO, "who only waits is not placed");
		kai_undo(w.kai, mark);
	}
	kai_replay_free(replay);
	kai_small_close(&w);
}

Test(kai_replay, a_job_that_only_waits_holds_up_its_queue)
{
	replay_two(false, 0, 1); /* 1/10 before 4/10 */
	replay_two(true, 1, 0);  /* 4/10 before 8/10, behind which p1-a stands */
}

Test(kai_replay, what_was_settled_waits_no_longer)
{
	struct kai_small w = open_two();
	const uint32_t large = pending(&w, "large", "p1", 8, 9), small = pending(&w, "small", "p1", 1, 8);
	const uint32_t other = pending(&w, "other", "q", 4, 9);
	const struct kai_vec one = { { 0, 0, KAI_GPU } }, four = { { 0, 0, 4 * KAI_GPU } };
	struct kai_replay *replay = kai_replay_new(w.kai);
	kai_replay_open(w.kai, replay);
	kai_replay_push(w.kai, replay, small);
	kai_replay_push_part(w.kai, replay, other, &four);
	cr_expect_eq(kai_replay_pop(w.kai, replay), other, "large is before small");
	kai_pipeline_task(w.kai, w.kai->job[large].task, 0, NULL);
	kai_replay_changed(w.kai, replay, large);
	w.kai->queue[kai_find_queue(w.kai, "p1")].allocated = (struct kai_vec){ 0 };
	w.kai->queue[kai_find_queue(w.kai, "d1")].allocated = (struct kai_vec){ 0 };
	kai_replay_clear(replay);
	kai_replay_push_part(w.kai, replay, small, &one);
	kai_replay_push(w.kai, replay, other);
	cr_expect_eq(kai_replay_pop(w.kai, replay), small);
	kai_replay_free(replay);
	kai_small_close(&w);
}

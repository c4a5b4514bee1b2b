/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_order_chunk.c - what a job allocates next, and what of it goes first: flat jobs and trees of
 * sub-groups, worked by hand. (KAI: api/podgroup_info, plugin subgrouporder.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kai_small.h"

enum { TASKS_MAX = 32 };

static struct kai_small open_instance(void)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 1000);
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	kai_small_seal(&w);
	return w;
}

/* A group: name, row of what it is below, its minimum (-1: all); pods: how many tasks, how many of them run.
 */
struct sketch {
	const char *name;
	uint32_t parent;
	int64_t min;
	bool leaf;
	uint32_t tasks, active;
};

/* Tasks are named by their pod set: "a0", "a1"... */
static uint32_t draw(struct kai_small *w, const char *name, const struct sketch *sketch, uint32_t groups)
{
	uint32_t tasks = 0;
	for (uint32_t i = 0; i < groups; i++)
		tasks += sketch[i].tasks;
	const uint32_t row = kai_job(w->kai, name, tasks, groups);
	struct kai_job *job = &w->kai->job[row];
	job->queue = kai_find_queue(w->kai, "q");
	const struct kai_request one = { .cpu = 1, .mem = 1, .kind = KAI_WHOLE, .gpus = 1 };
	const uint32_t request = kai_request(w->kai, &one);
	uint32_t at = job->task;
	for (uint32_t i = 0; i < groups; i++) {
		job->group[i].name = kai_text(w->kai, sketch[i].name);
		job->group[i].parent = i ? sketch[i].parent : KAI_NO;
		job->group[i].leaf = sketch[i].leaf;
		job->group[i].min = sketch[i].min < 0 ? KAI_NO : (uint32_t)sketch[i].min;
		for (uint32_t k = 0; k < sketch[i].tasks; k++, at++) {
			char uid[16];
			(void)snprintf(uid, sizeof(uid), "%s%u", sketch[i].name, k);
			w->kai->task[at].uid = kai_text(w->kai, uid);
			w->kai->task[at].group = i;
			w->kai->task[at].request = request;
			w->kai->task[at].state = k < sketch[i].active ? KAI_RUNNING : KAI_PENDING;
		}
	}
	cr_assert(kai_seal_job(w->kai, row) == 0);
	for (uint32_t i = 0; i < tasks; i++)
		if (w->kai->task[job->task + i].state == KAI_RUNNING)
			kai_set_task(w->kai, job->task + i, KAI_RUNNING, 0, NULL);
	return row;
}

static const char *spell(const struct kai_small *w, const uint32_t *task, uint32_t count)
{
	static char text[TASKS_MAX * 8];
	size_t len = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < count; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%s", i ? " " : "", w->kai->task[task[i]].uid);
	return text;
}

static const char *next(struct kai_small *w, uint32_t job)
{
	uint32_t task[TASKS_MAX];
	return spell(w, task, kai_next_chunk(w->kai, job, task));
}

static const char *evicted(struct kai_small *w, uint32_t job, const uint8_t *gone)
{
	static char text[TASKS_MAX * 8 + 4];
	uint32_t task[TASKS_MAX];
	bool more = false;
	const uint32_t count = kai_eviction_chunk(w->kai, job, gone, task, &more);
	(void)snprintf(text, sizeof(text), "%s%s", spell(w, task, count), more ? " +" : "");
	return text;
}

/* ---- One pod set ---- */

Test(kai_chunk, what_is_missing_to_the_minimum_then_one_by_one)
{
	struct kai_small w = open_instance();
	const struct sketch none[] = { { "", 0, -1, false, 0, 0 }, { "a", 0, 3, true, 5, 0 } };
	const struct sketch some[] = { { "", 0, -1, false, 0, 0 }, { "b", 0, 3, true, 5, 1 } };
	const struct sketch full[] = { { "", 0, -1, false, 0, 0 }, { "c", 0, 3, true, 5, 3 } };
	const struct sketch done[] = { { "", 0, -1, false, 0, 0 }, { "d", 0, 3, true, 3, 3 } };
	const struct sketch few[] = { { "", 0, -1, false, 0, 0 }, { "e", 0, 3, true, 2, 0 } };
	cr_expect_str_eq(next(&w, draw(&w, "a", none, 2)), "a0 a1 a2");
	cr_expect_str_eq(next(&w, draw(&w, "b", some, 2)), "b1 b2");
	cr_expect_str_eq(next(&w, draw(&w, "c", full, 2)), "c3");
	cr_expect_str_eq(next(&w, draw(&w, "d", done, 2)), "");
	cr_expect_str_eq(next(&w, draw(&w, "e", few, 2)), "e0 e1", "what there is");
	kai_small_close(&w);
}

Test(kai_chunk, what_a_simulation_evicted_is_placed_retry_what_was_settled_is_not)
{
	struct kai_small w = open_instance();
	const struct sketch full[] = { { "", 0, -1, false, 0, 0 }, { "c", 0, 3, true, 3, 3 } };
	const uint32_t job = draw(&w, "c", full, 2), task = w.kai->job[job].task;
	kai_evict_task(w.kai, task + 1);
	cr_expect_str_eq(next(&w, job), "c1");
	w.kai->task[task + 1].evicted = 2;
	cr_expect_str_eq(next(&w, job), "");
	kai_small_close(&w);
}

Test(kai_chunk, its_charge_is_the_sum_wherever_tasks_are)
{
	struct kai_small w = open_instance();
	const uint32_t row = kai_small_job(&w, "m", "q", 50, 3, 0, 1);
	kai_small_memory(&w, row, 33, 2); /* Of 100 MiB: 2 x 0.33 */
	kai_small_min(&w, row, 2);
	kai_small_enter(&w, row);
	uint32_t task[3];
	const uint32_t count = kai_next_chunk(w.kai, row, task);
	cr_expect_eq(count, 2);
	const struct kai_vec desc = kai_chunk_needs(w.kai, task, count, false);
	cr_expect_eq(desc.at[KAI_CPU], 2000);
	cr_expect_eq(desc.at[KAI_GPUS], KAI_GPU / 100 * 33 * 4);
	kai_small_close(&w);
}

/* ---- Trees ---- */

Test(kai_chunk, a_set_that_needs_all_takes_from_all_that_lack_in_order_of_names)
{
	struct kai_small w = open_instance();
	const struct sketch tree[] = { { "", 0, -1, false, 0, 0 }, { "b", 0, 2, true, 3, 0 },
		{ "a", 0, 1, true, 2, 0 }, { "c", 0, 1, true, 2, 1 } };
	cr_expect_str_eq(next(&w, draw(&w, "t", tree, 4)), "a0 b0 b1", "c has its minimum");
	kai_small_close(&w);
}

Test(kai_chunk, a_set_that_needs_some_takes_from_so_many)
{
	struct kai_small w = open_instance();
	const struct sketch tree[] = { { "", 0, 2, false, 0, 0 }, { "a", 0, 1, true, 2, 0 },
		{ "b", 0, 2, true, 2, 0 }, { "c", 0, 1, true, 2, 0 } };
	cr_expect_str_eq(next(&w, draw(&w, "t", tree, 4)), "a0 b0 b1");
	kai_small_close(&w);
}

Test(kai_chunk, a_set_with_its_minimum_grows_one_child_at_a_time)
{
	struct kai_small w = open_instance();
	/* a and b have 2 and 3 of 1; d lacks and goes first; without it b is behind a, and c (minimum 0)
	 * last. */
	const struct sketch lack[] = { { "", 0, 2, false, 0, 0 }, { "a", 0, 1, true, 4, 2 },
		{ "b", 0, 1, true, 4, 3 }, { "d", 0, 2, true, 3, 0 } };
	cr_expect_str_eq(next(&w, draw(&w, "t", lack, 4)), "d0 d1");
	const struct sketch ratio[] = { { "", 0, -1, false, 0, 0 }, { "c", 0, 0, true, 4, 0 },
		{ "a", 0, 1, true, 4, 3 }, { "b", 0, 2, true, 8, 5 } };
	cr_expect_str_eq(next(&w, draw(&w, "u", ratio, 4)), "b5", "5 of 2 is less than 3 of 1");
	const struct sketch full[] = { { "", 0, -1, false, 0, 0 }, { "c", 0, 0, true, 4, 1 },
		{ "a", 0, 1, true, 3, 3 }, { "b", 0, 0, true, 8, 0 } };
	cr_expect_str_eq(next(&w, draw(&w, "v", full, 4)), "b0", "of minimum 0: the one with fewer");
	kai_small_close(&w);
}

Test(kai_chunk, sub_groups_go_by_name_without_the_plugin)
{
	struct kai_small w = open_instance();
	const struct sketch lack[] = { { "", 0, 1, false, 0, 0 }, { "a", 0, 1, true, 4, 2 },
		{ "d", 0, 2, true, 3, 0 } };
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_SUBGROUPORDER;
	cr_expect_str_eq(next(&w, draw(&w, "t", lack, 3)), "a2");
	kai_small_close(&w);
}

Test(kai_chunk, sets_below_sets)
{
	struct kai_small w = open_instance();
	/* root needs x and y; x needs one of its two; y all. */
	const struct sketch tree[] = { { "", 0, -1, false, 0, 0 }, { "x", 0, 1, false, 0, 0 },
		{ "y", 0, -1, false, 0, 0 }, { "a", 1, 1, true, 1, 0 }, { "b", 1, 1, true, 1, 0 },
		{ "c", 2, 1, true, 1, 0 }, { "d", 2, 1, true, 1, 0 } };
	cr_expect_str_eq(next(&w, draw(&w, "t", tree, 7)), "a0 c0 d0");
	struct sketch half[SL_LEN(tree)];
	memcpy(half, tree, sizeof(tree));
	half[5].active = 1;
	cr_expect_str_eq(next(&w, draw(&w, "u", half, 7)), "a0 d0");
	half[3].active = 1;
	cr_expect_str_eq(next(&w, draw(&w, "v", half, 7)), "d0", "x has its minimum");
	half[6].active = 1;
	cr_expect_str_eq(next(&w, draw(&w, "w", half, 7)), "b0");
	kai_small_close(&w);
}

/* ---- Gangs ---- */

Test(kai_gang, possible_by_the_tree_running_by_every_pod_set)
{
	struct kai_small w = open_instance();
	const struct sketch tree[] = { { "", 0, 1, false, 0, 0 }, { "a", 0, 2, true, 2, 2 },
		{ "b", 0, 3, true, 2, 0 } };
	const uint32_t job = draw(&w, "t", tree, 3), task = w.kai->job[job].task;
	cr_expect(kai_gang_possible(w.kai, job), "a has 2 of 2, one child is enough");
	cr_expect_not(kai_gang_satisfied(w.kai, job), "b has 0 of 3");
	cr_expect(kai_stale(w.kai, job));
	w.kai->job[job].group[0].min = KAI_NO;
	cr_expect_not(kai_gang_possible(w.kai, job), "all are needed");
	w.kai->job[job].group[2].min = 0;
	cr_expect(kai_gang_satisfied(w.kai, job));
	cr_expect_not(kai_stale(w.kai, job));
	kai_evict_task(w.kai, task);
	cr_expect(kai_gang_satisfied(w.kai, job), "what is leaving still counts");
	cr_expect_not(kai_gang_possible(w.kai, job), "but it is not alive");
	kai_small_close(&w);
}

Test(kai_gang, gated_tasks_are_not_there_succeeded_ones_make_no_job_stale)
{
	struct kai_small w = open_instance();
	const struct sketch flat[] = { { "", 0, -1, false, 0, 0 }, { "a", 0, 2, true, 3, 1 } };
	const uint32_t job = draw(&w, "t", flat, 2), task = w.kai->job[job].task;
	cr_expect(kai_gang_possible(w.kai, job));
	kai_set_task(w.kai, task + 1, KAI_GATED, KAI_NO, NULL);
	cr_expect(kai_gang_possible(w.kai, job));
	kai_set_task(w.kai, task + 2, KAI_GATED, KAI_NO, NULL);
	cr_expect_not(kai_gang_possible(w.kai, job));
	cr_expect(kai_stale(w.kai, job));
	kai_set_task(w.kai, task + 2, KAI_SUCCEEDED, KAI_NO, NULL);
	cr_expect_not(kai_stale(w.kai, job));
	kai_set_task(w.kai, task + 2, KAI_FAILED, KAI_NO, NULL);
	kai_set_task(w.kai, task, KAI_FAILED, KAI_NO, NULL);
	cr_expect_not(kai_stale(w.kai, job), "nothing of it is active");
	kai_small_close(&w);
}

Test(kai_gang, elastic_is_what_has_more_tasks_than_it_needs)
{
	struct kai_small w = open_instance();
	const struct sketch rigid[] = { { "", 0, -1, false, 0, 0 }, { "a", 0, 2, true, 2, 0 },
		{ "b", 0, 1, true, 1, 0 } };
	const struct sketch loose[] = { { "", 0, -1, false, 0, 0 }, { "a", 0, 2, true, 2, 0 },
		{ "b", 0, 0, true, 1, 0 } };
	cr_expect_not(kai_elastic(w.kai, draw(&w, "t", rigid, 3)));
	cr_expect(kai_elastic(w.kai, draw(&w, "u", loose, 3)));
	kai_small_close(&w);
}

/* ---- What is evicted ---- */

Test(kai_evict, what_is_above_the_minimum_one_by_one_then_all)
{
	struct kai_small w = open_instance();
	const struct sketch flat[] = { { "", 0, -1, false, 0, 0 }, { "a", 0, 2, true, 5, 4 } };
	const uint32_t job = draw(&w, "t", flat, 2);
	uint8_t gone[5] = { 0 };
	cr_expect_str_eq(evicted(&w, job, NULL), "a3 +");
	gone[3] = 1;
	cr_expect_str_eq(evicted(&w, job, gone), "a2 +");
	gone[2] = 1;
	cr_expect_str_eq(evicted(&w, job, gone), "a1 a0");
	gone[1] = gone[0] = 1;
	cr_expect_str_eq(evicted(&w, job, gone), "");
	kai_small_close(&w);
}

Test(kai_evict, of_the_sub_group_that_is_last_in_order)
{
	struct kai_small w = open_instance();
	/* a has 3 of 1, b 4 of 2, c 2 of 2. */
	const struct sketch tree[] = { { "", 0, -1, false, 0, 0 }, { "a", 0, 1, true, 3, 3 },
		{ "b", 0, 2, true, 4, 4 }, { "c", 0, 2, true, 2, 2 } };
	const uint32_t job = draw(&w, "t", tree, 4);
	uint8_t gone[9] = { 0 };
	cr_expect_str_eq(evicted(&w, job, NULL), "a2 +");
	gone[2] = 1; /* Now both have twice their minimum: the later name. */
	cr_expect_str_eq(evicted(&w, job, gone), "b3 +");
	kai_small_close(&w);
}

Test(kai_evict, a_whole_child_that_is_not_needed_then_all)
{
	struct kai_small w = open_instance();
	const struct sketch tree[] = { { "", 0, 1, false, 0, 0 }, { "a", 0, 2, true, 2, 2 },
		{ "b", 0, 2, true, 2, 2 } };
	const uint32_t job = draw(&w, "t", tree, 3);
	uint8_t gone[4] = { 0 };
	cr_expect_str_eq(evicted(&w, job, NULL), "b1 b0 +");
	gone[2] = gone[3] = 1;
	cr_expect_str_eq(evicted(&w, job, gone), "a1 a0");
	kai_small_close(&w);
}

Test(kai_evict, what_is_above_a_minimum_deep_down_goes_before_whole_children)
{
	struct kai_small w = open_instance();
	/* Two of the sets, x, y and z, are needed; a, in x, has one more than it needs. */
	const struct sketch tree[] = { { "", 0, 2, false, 0, 0 }, { "x", 0, -1, false, 0, 0 },
		{ "y", 0, -1, false, 0, 0 }, { "z", 0, -1, false, 0, 0 }, { "a", 1, 1, true, 2, 2 },
		{ "b", 2, 1, true, 1, 1 }, { "c", 3, 1, true, 1, 1 } };
	const uint32_t job = draw(&w, "t", tree, 7);
	uint8_t gone[4] = { 0 };
	cr_expect_str_eq(evicted(&w, job, NULL), "a1 +");
	gone[1] = 1;
	cr_expect_str_eq(evicted(&w, job, gone), "c0 +");
	gone[3] = 1;
	/* z lacks now: none is more than two. */
	cr_expect_str_eq(evicted(&w, job, gone), "b0 a0");
	kai_small_close(&w);
}

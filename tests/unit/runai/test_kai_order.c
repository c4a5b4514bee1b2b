/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_order.c - which of two queues, jobs, tasks KAI takes first, step by step. (KAI: plugins
 * proportion/queue_order, priority, elastic, taskorder.)
 *
 * Queue a is to win by the step in question alone: what stands before it is equal, and b wins all that comes
 * after.
 */
#include <criterion/criterion.h>

#include "tests/world/kai_small.h"

#define UNIT INT64_C(1000000)
static struct kai_vec all(int64_t units)
{
	return (struct kai_vec){ { units * UNIT, units * UNIT, units * UNIT } };
}

/* Two queues, set by hand. */
struct pair {
	struct kai_small w;
	struct kai *kai;
	struct kai_queue *a, *b;
	struct kai_vec desc_a, desc_b;
};

/* Of all three resources: fair share, what is allocated, what the next job requests. b is the older. */
static void report(struct kai_queue *queue, struct kai_vec *desc, int64_t fair, int64_t held, int64_t next)
{
	queue->quota = all(0);
	queue->fair = all(fair);
	queue->allocated = all(held);
	*desc = all(next);
}

static struct pair open_pair(void)
{
	struct pair p = { .w = kai_small_open() };
	p.kai = p.w.kai;
	const uint32_t a = kai_small_queue(&p.w, "a", NULL, 0, -1, 1);
	const uint32_t b = kai_small_queue(&p.w, "b", NULL, 0, -1, 1);
	kai_small_seal(&p.w);
	p.a = &p.kai->queue[a];
	p.b = &p.kai->queue[b];
	p.kai->total = all(100);
	p.a->created = 2;
	p.b->created = 1;
	report(p.a, &p.desc_a, 8, 2, 1);
	report(p.b, &p.desc_b, 8, 2, 1);
	return p;
}

static int compare(const struct pair *p)
{
	const struct kai_standing left = { p->a, &p->desc_a, NULL }, right = { p->b, &p->desc_b, NULL };
	const int there = kai_compare_queues(p->kai, &left, &right);
	const int back = kai_compare_queues(p->kai, &right, &left);
	cr_expect_eq(there<0, back> 0, "the other way round is the reverse");
	return there < 0 ? -1 : 1;
}

enum { A_FIRST = -1, B_FIRST = 1 };

Test(kai_order, queue_step_8_the_older)
{
	struct pair p = open_pair();
	cr_expect_eq(compare(&p), B_FIRST);
	p.a->created = 0;
	cr_expect_eq(compare(&p), A_FIRST);
	p.b->created = 0;
	cr_expect_eq(compare(&p), A_FIRST, "of one age: by name");
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_7_what_may_have_less)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 4, 2, 1); /* 3/4, 2/4 */
	report(p.b, &p.desc_b, 8, 4, 2); /* 6/8, 4/8 */
	cr_expect_eq(compare(&p), A_FIRST);
	/* Less of one thing and more of another is neither. */
	p.a->fair.at[KAI_CPU] = all(16).at[KAI_CPU];
	p.a->allocated.at[KAI_CPU] = all(8).at[KAI_CPU];
	p.desc_a.at[KAI_CPU] = all(4).at[KAI_CPU];
	cr_expect_eq(compare(&p), B_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_6_the_smaller_share_without_the_job)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 8, 1, 3); /* 4/8, 1/8 */
	report(p.b, &p.desc_b, 4, 1, 1); /* 2/4, 1/4; it may have less */
	cr_expect_eq(compare(&p), A_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_5_the_smaller_share_with_the_job)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 8, 2, 1); /* 3/8, 2/8 */
	report(p.b, &p.desc_b, 4, 0, 2); /* 2/4, 0 */
	cr_expect_eq(compare(&p), A_FIRST);
	/* The greatest of the three counts. */
	p.desc_a.at[KAI_MEM] += 2 * UNIT; /* 5/8 */
	cr_expect_eq(compare(&p), B_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_5_of_no_bound_is_of_the_cluster)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 8, 50, 0);
	p.a->fair = all(60);
	for (int i = 0; i < KAI_RES; i++)
		p.a->quota.at[i] = KAI_UNLIMITED;
	report(p.b, &p.desc_b, 8, 2, 1); /* 3/8 against 50/100 */
	for (int i = 0; i < KAI_RES; i++)
		p.b->quota.at[i] = 3 * UNIT; /* Both keep within their quota. */
	cr_expect_eq(compare(&p), B_FIRST);
	p.kai->total = all(1000);
	cr_expect_eq(compare(&p), A_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_4_what_has_no_share_is_last)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 8, 2, 1);
	report(p.b, &p.desc_b, 8, 0, 1); /* 1/8; and a millionth of a GPU, a thousandfold: 1/1000. */
	p.b->fair.at[KAI_GPUS] = 0;
	p.desc_b.at[KAI_GPUS] = KAI_GPU / 1000000;
	cr_expect_eq(compare(&p), A_FIRST);
	p.desc_b.at[KAI_GPUS] = 0;
	cr_expect_eq(compare(&p), B_FIRST, "it holds none");
	/* In step 5 alone it would be first: with a's share as bad, b's thousandfold is small. */
	p.desc_b.at[KAI_GPUS] = KAI_GPU / 1000000;
	p.a->fair.at[KAI_GPUS] = 0;
	p.a->allocated.at[KAI_GPUS] = 0;
	p.desc_a.at[KAI_GPUS] = KAI_GPU;
	cr_expect_eq(compare(&p), B_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_3_priority)
{
	struct pair p = open_pair();
	p.a->priority = 101;
	p.a->fair.at[KAI_GPUS] = 0; /* Last by step 4. */
	p.a->allocated.at[KAI_GPUS] = 0;
	cr_expect_eq(compare(&p), A_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_2_within_its_quota)
{
	struct pair p = open_pair();
	p.a->quota = all(3); /* 2 held, 1 asked. */
	p.b->priority = 101;
	cr_expect_eq(compare(&p), A_FIRST);
	p.a->quota.at[KAI_MEM]--;
	cr_expect_eq(compare(&p), B_FIRST, "in all three");
	kai_small_close(&p.w);
}

Test(kai_order, queue_step_1_more_than_its_fair_share_of_all_three)
{
	struct pair p = open_pair();
	report(p.b, &p.desc_b, 1, 2, 1);
	p.b->quota = all(3);
	p.a->allocated = all(4); /* Over its quota, but within its fair share. */
	cr_expect_eq(compare(&p), A_FIRST);
	p.b->fair.at[KAI_CPU] = p.b->allocated.at[KAI_CPU];
	cr_expect_eq(compare(&p), B_FIRST, "of two only");
	kai_small_close(&p.w);
}

Test(kai_order, queue_priority_within_quotas_comes_before_all_on_resources)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 1, 2, 1); /* Over its fair share. */
	p.a->quota = p.b->quota = all(3);
	p.a->priority = 101;
	cr_expect_eq(compare(&p), B_FIRST);
	p.kai->config.priority_reclaim = true;
	cr_expect_eq(compare(&p), A_FIRST);
	p.b->quota = all(2);
	cr_expect_eq(compare(&p), B_FIRST, "only if both keep within their quotas");
	kai_small_close(&p.w);
}

Test(kai_order, queues_are_by_age_without_the_plugin)
{
	struct pair p = open_pair();
	p.a->priority = 101;
	p.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_PROPORTION;
	cr_expect_eq(compare(&p), B_FIRST);
	kai_small_close(&p.w);
}

Test(kai_order, victims_are_taken_off_the_share)
{
	struct pair p = open_pair();
	report(p.a, &p.desc_a, 8, 6, 0);
	report(p.b, &p.desc_b, 8, 4, 0);
	const struct kai_vec taken = all(3);
	const struct kai_rival left = { (uint32_t)(p.a - p.kai->queue), NULL, &taken };
	const struct kai_rival right = { (uint32_t)(p.b - p.kai->queue), NULL, NULL };
	cr_expect(kai_queue_first(p.kai, &left, &right), "3/8 before 4/8");
	const struct kai_rival whole = { left.queue, NULL, NULL };
	cr_expect_not(kai_queue_first(p.kai, &whole, &right), "6/8");
	kai_small_close(&p.w);
}

/* ---- Jobs ---- */

/* A job of so many tasks, so many of which are needed and run. */
static uint32_t job(struct kai_small *w, const char *name, uint32_t tasks, uint32_t min, uint32_t active)
{
	const uint32_t row = kai_small_job(w, name, "q", 50, tasks, 1, 10);
	kai_small_min(w, row, min);
	kai_small_enter(w, row);
	for (uint32_t i = 0; i < active; i++)
		kai_set_task(w->kai, w->kai->job[row].task + i, KAI_RUNNING, 0, NULL);
	return row;
}

static struct kai_small open_one(void)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 100);
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	kai_small_seal(&w);
	return w;
}

Test(kai_order, jobs_by_priority_growth_age_name)
{
	struct kai_small w = open_one();
	const uint32_t above = job(&w, "above", 4, 2, 3), at = job(&w, "at", 4, 2, 2);
	const uint32_t below = job(&w, "below", 4, 2, 1), twin = job(&w, "below-2", 4, 2, 0);
	const uint32_t best = kai_small_job(&w, "best", "q", 51, 1, 1, 1);
	kai_small_enter(&w, best);
	w.kai->job[below].created += 1; /* Younger. */
	const uint32_t want[] = { best, twin, below, at, above };
	for (size_t i = 0; i + 1 < SL_LEN(want); i++) {
		cr_expect_lt(kai_compare_jobs(w.kai, want[i], want[i + 1]), 0, "place %zu", i);
		cr_expect_gt(kai_compare_jobs(w.kai, want[i + 1], want[i]), 0, "place %zu", i);
	}
	w.kai->job[below].created -= 1;
	cr_expect_lt(kai_compare_jobs(w.kai, below, twin), 0, "by name");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_ELASTIC;
	w.kai->job[above].created -= 1;
	cr_expect_lt(kai_compare_jobs(w.kai, above, below), 0, "without elastic: by age");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_PRIORITY;
	cr_expect_lt(kai_compare_jobs(w.kai, above, best), 0, "without priority: by age");
	kai_small_close(&w);
}

/* ---- Tasks ---- */

Test(kai_order, tasks_by_label_age_uid)
{
	struct kai_small w = open_one();
	const uint32_t row = kai_small_job(&w, "j", "q", 50, 12, 1, 10);
	struct kai_task *task = &w.kai->task[w.kai->job[row].task];
	task[3].has_order = task[4].has_order = true;
	task[3].order = -7;
	task[4].order = 2;
	task[5].created = -1;
	kai_small_enter(&w, row); /* Sorts them. */
	static const char *const want[] = { "j-4", "j-3", "j-5", "j-0", "j-1", "j-10", "j-11", "j-2" };
	for (size_t i = 0; i < SL_LEN(want); i++)
		cr_expect_str_eq(task[i].uid, want[i], "place %zu", i);
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_TASKORDER;
	const uint32_t first = w.kai->job[row].task;
	cr_expect_gt(kai_compare_tasks(w.kai, first, first + 2), 0, "without the plugin: by age");
	kai_small_close(&w);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_share.c - fair shares as KAI divides them, clause by clause, worked by hand.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/world/kai_small.h"

enum { MANY = 100, CLAIMS = 4 };

/* One of a row of siblings; equally old. */
static struct kai_claim claim(const char *name, double quota, double weight, double request)
{
	return (struct kai_claim){ .name = name,
		.priority = 100,
		.quota = quota,
		.limit = HUGE_VAL,
		.weight = weight,
		.request = request };
}

static double divide(struct kai_claim *claims, uint32_t count, double total)
{
	uint32_t capacity[CLAIMS];
	const struct kai_division how = { .k = 1 };
	return kai_divide(claims, count, total, &how, capacity);
}

Test(kai_share, idle_gpus_go_by_weight)
{
	/* Run:AI's guide: quotas 3 and 1, both over quota: 75 % and 25 % of the idle GPUs. */
	struct kai_claim c[] = { claim("a", 3, 3, MANY), claim("b", 1, 1, MANY) };
	cr_expect_eq(divide(c, 2, 8), 0);
	cr_expect_eq(c[0].fair, 6);
	cr_expect_eq(c[1].fair, 2);
}

Test(kai_share, quotas_are_given_even_if_there_is_not_as_much)
{
	struct kai_claim c[] = { claim("a", 3, 1, MANY), claim("b", 3, 1, 2), claim("c", 0, 1, MANY) };
	cr_expect_eq(divide(c, 3, 4), 0);
	cr_expect_eq(c[0].fair, 3);
	cr_expect_eq(c[1].fair, 2, "as far as it asks");
	cr_expect_eq(c[2].fair, 0);
}

Test(kai_share, an_unlimited_quota_is_the_total)
{
	struct kai_claim c[] = { claim("a", HUGE_VAL, 0, MANY), claim("b", 1, 1, 5) };
	cr_expect_eq(divide(c, 2, 7), 0);
	cr_expect_eq(c[0].fair, 7);
	cr_expect_eq(c[1].fair, 1);
}

Test(kai_share, nothing_over_quota_without_weight)
{
	struct kai_claim c[] = { claim("a", 1, 0, MANY) };
	cr_expect_eq(divide(c, 1, 8), 7, "even if it is alone");
	cr_expect_eq(c[0].fair, 1);
}

Test(kai_share, whole_units_and_the_rest_to_the_older)
{
	/* One GPU is left: half of it each is none, and none. */
	struct kai_claim c[] = { claim("b", 2, 1, MANY), claim("a", 2, 1, MANY) };
	c[1].created = 1;
	cr_expect_eq(divide(c, 2, 5), 0);
	cr_expect_eq(c[0].fair, 3);
	cr_expect_eq(c[1].fair, 2);
}

Test(kai_share, the_larger_rest_is_first)
{
	/* 4 by 1 to 2: 1.33 and 2.67. */
	struct kai_claim c[] = { claim("a", 0, 1, MANY), claim("b", 0, 2, MANY) };
	cr_expect_eq(divide(c, 2, 4), 0);
	cr_expect_eq(c[0].fair, 1);
	cr_expect_eq(c[1].fair, 3);
}

Test(kai_share, part_of_a_gpu_only_to_who_is_served_in_full)
{
	struct kai_claim c[] = { claim("a", 0, 1, 1.5), claim("b", 0, 1, MANY) };
	cr_expect_eq(divide(c, 2, 4), 0);
	cr_expect_eq(c[0].fair, 1.5);
	/* Two, and of what a left: round two gives floor(0.5) = 0, the rest gives it back. */
	cr_expect_eq(c[1].fair, 2.5);
}

Test(kai_share, a_rest_may_be_more_than_is_asked)
{
	/* Slices of 0.5 for 0.6: nobody is served; the older one gets the GPU. */
	struct kai_claim c[] = { claim("a", 0, 1, 0.6), claim("b", 0, 1, 0.6) };
	cr_expect_eq(divide(c, 2, 1), 0);
	cr_expect_eq(c[0].fair, 1);
	cr_expect_eq(c[1].fair, 0);
}

Test(kai_share, what_one_does_not_need_goes_round_retry)
{
	/* 3 each; a takes 1; the other 2 go to b and c, and so c is served in full. */
	struct kai_claim c[] = { claim("a", 0, 1, 1), claim("b", 0, 1, MANY), claim("c", 0, 1, 4) };
	cr_expect_eq(divide(c, 3, 9), 0);
	cr_expect_eq(c[0].fair, 1);
	cr_expect_eq(c[1].fair, 4);
	cr_expect_eq(c[2].fair, 4);
}

Test(kai_share, who_is_served_later_has_no_rest)
{
	/* 2.5 each: a takes 1, b has 2 and a rest of 0.5, and so has c; 2.5 are left, 1.25 each: b is served
	 * in full and its rest is forgotten, c has 3; then the 0.5 that is left. */
	struct kai_claim c[] = { claim("a", 0, 1, 1), claim("b", 0, 1, 3), claim("c", 0, 1, MANY) };
	cr_expect_eq(divide(c, 3, 7.5), 0);
	cr_expect_eq(c[0].fair, 1);
	cr_expect_eq(c[1].fair, 3);
	cr_expect_eq(c[2].fair, 3.5);
}

Test(kai_share, not_beyond_the_limit)
{
	struct kai_claim c[] = { claim("a", 3, 1, MANY), claim("b", 1, 1, MANY) };
	c[0].limit = 2;
	c[1].limit = 4;
	cr_expect_eq(divide(c, 2, 10), 4);
	cr_expect_eq(c[0].fair, 2, "less than its quota");
	cr_expect_eq(c[1].fair, 4);
}

Test(kai_share, higher_priority_has_the_surplus_but_not_the_quota)
{
	struct kai_claim c[] = { claim("a", 2, 1, 6), claim("b", 2, MANY, 6) };
	c[0].priority = 101;
	cr_expect_eq(divide(c, 2, 7), 0);
	cr_expect_eq(c[0].fair, 5);
	cr_expect_eq(c[1].fair, 2);
}

Test(kai_share, rests_are_given_after_all_priorities_or_after_each)
{
	for (int by_group = 0; by_group < 2; by_group++) {
		struct kai_claim c[] = { claim("a", 0, 1, MANY), claim("b", 0, 1, MANY),
			claim("c", 0, 1, 1) };
		c[2].priority = 1;
		uint32_t capacity[CLAIMS];
		const struct kai_division how = { .k = 1, .remainders_by_group = by_group };
		cr_expect_eq(kai_divide(c, 3, 3, &how, capacity), 0);
		cr_expect_eq(c[0].fair, by_group ? 2 : 1);
		cr_expect_eq(c[1].fair, 1);
		cr_expect_eq(c[2].fair, by_group ? 0 : 1);
	}
}

Test(kai_share, history_usage_lowers_the_weight)
{
	/* 1/2 + k (1/2 - usage), of 9: 0.5 to 1, so 3 and 6; with k 0 one each way; below 0 is 0. */
	static const struct {
		double k, usage, first, second;
	} with[] = { { 1, 0.5, 3, 6 }, { 0, 0.5, 5, 4 }, { 1, 2, 0, 9 }, { 3, 0.5, 2, 7 } };
	for (size_t i = 0; i < SL_LEN(with); i++) {
		struct kai_claim c[] = { claim("a", 0, 1, MANY), claim("b", 0, 1, MANY) };
		uint32_t capacity[CLAIMS];
		c[0].usage = with[i].usage;
		const struct kai_division how = { .k = with[i].k };
		cr_expect_eq(kai_divide(c, 2, 9, &how, capacity), 0);
		cr_expect_eq(c[0].fair, with[i].first, "%zu: %g", i, c[0].fair);
		cr_expect_eq(c[1].fair, with[i].second, "%zu: %g", i, c[1].fair);
	}
}

Test(kai_share, history_usage_does_not_touch_the_quota)
{
	struct kai_claim c[] = { claim("a", 3, 1, MANY), claim("b", 1, 1, 1) };
	c[0].usage = 5;
	cr_expect_eq(divide(c, 2, 6), 2, "its weight is 0 now, and there is nobody else");
	cr_expect_eq(c[0].fair, 3);
	cr_expect_eq(c[1].fair, 1);
}

Test(kai_share, the_surplus_alone)
{
	struct kai_claim c[] = { claim("a", 3, 1, 5) };
	uint32_t capacity[CLAIMS];
	const struct kai_division how = { .k = 1, .surplus_only = true };
	c[0].fair = 3;
	cr_expect_eq(kai_divide(c, 1, 4, &how, capacity), 2);
	cr_expect_eq(c[0].fair, 5);
}

Test(kai_share, order_of_siblings)
{
	struct kai_claim a = claim("a", 0, 1, 1), b = claim("b", 0, 1, 1);
	cr_expect_lt(kai_compare_claims(&a, &b), 0, "name");
	a.created = 1;
	cr_expect_gt(kai_compare_claims(&a, &b), 0, "age before name");
	a.priority = 101;
	cr_expect_lt(kai_compare_claims(&a, &b), 0, "priority before age");
	b = a;
	b.row = 1;
	cr_expect_lt(kai_compare_claims(&a, &b), 0, "row");
}

/* ---- The tree ---- */

static int64_t gpus(const struct kai_small *w, uint32_t queue)
{
	return w->kai->queue[queue].fair.at[KAI_GPUS] * 100 / KAI_GPU;
}

Test(kai_share, departments_before_projects)
{
	/* 12 GPUs. d1 has 3 and d2 1, the other 8 half and half: 7 and 5; so each project, whatever its own
	 * quota. */
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 8);
	(void)kai_small_node(&w, "n1", 4);
	const uint32_t d1 = kai_small_queue(&w, "d1", NULL, 300, -1, 1);
	const uint32_t d2 = kai_small_queue(&w, "d2", NULL, 100, -1, 1);
	const uint32_t q1 = kai_small_queue(&w, "q1", "d1", 200, -1, 1);
	const uint32_t q2 = kai_small_queue(&w, "q2", "d2", 200, -1, 1);
	const uint32_t q3 = kai_small_queue(&w, "q3", "d2", 0, -1, 1);
	kai_small_seal(&w);
	kai_small_enter(&w, kai_small_job(&w, "j1", "q1", 50, 20, 1, 0));
	kai_small_enter(&w, kai_small_job(&w, "j2", "q2", 50, 20, 1, 0));
	kai_small_enter(&w, kai_small_job(&w, "j3", "q3", 50, 1, 1, 0));
	kai_open_shares(w.kai);
	cr_expect_eq(w.kai->queue[0].fair.at[KAI_GPUS], 12 * KAI_GPU);
	cr_expect_eq(gpus(&w, d1), 700);
	cr_expect_eq(gpus(&w, d2), 500);
	cr_expect_eq(gpus(&w, q1), 700);
	cr_expect_eq(gpus(&w, q2), 400);
	cr_expect_eq(gpus(&w, q3), 100);
	cr_expect_eq(w.kai->queue[q1].fair.at[KAI_CPU], 20000, "each resource by itself");
	kai_small_close(&w);
}

Test(kai_share, a_department_that_promises_too_much)
{
	/* d2 has 1 of 4 GPUs, but its project was promised 2: nobody scales it down. */
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 4);
	(void)kai_small_queue(&w, "d1", NULL, 300, -1, 1);
	const uint32_t d2 = kai_small_queue(&w, "d2", NULL, 100, -1, 1);
	(void)kai_small_queue(&w, "q1", "d1", 200, -1, 1);
	const uint32_t q2 = kai_small_queue(&w, "q2", "d2", 200, -1, 1);
	kai_small_seal(&w);
	kai_small_enter(&w, kai_small_job(&w, "j1", "q1", 50, 20, 1, 0));
	kai_small_enter(&w, kai_small_job(&w, "j2", "q2", 50, 20, 1, 0));
	kai_open_shares(w.kai);
	cr_expect_eq(gpus(&w, d2), 100);
	cr_expect_eq(gpus(&w, q2), 200);
	kai_small_close(&w);
}

Test(kai_share, total_is_of_ready_nodes)
{
	struct kai_small w = kai_small_open();
	const uint32_t n0 = kai_small_node(&w, "n0", 8), n1 = kai_small_node(&w, "n1", 4);
	const uint32_t profile = kai_mig_profile(w.kai, "3g.20gb");
	const uint32_t n2 = kai_small_node(&w, "n2", 0);
	int64_t instances[] = { 2 };
	kai_small_seal(&w);
	cr_expect_eq(profile, 0);
	w.kai->node[n2].mig_count = instances;
	w.kai->node[n1].ready = false;
	struct kai_vec total = kai_total(w.kai);
	cr_expect_eq(total.at[KAI_GPUS], 14 * KAI_GPU, "a 3g instance is three GPUs");
	cr_expect_eq(total.at[KAI_CPU], 2 * w.kai->node[n0].cpu);
	w.kai->config.gpu_workers_only = true;
	w.kai->node[n0].cpu_worker = true;
	total = kai_total(w.kai);
	cr_expect_eq(total.at[KAI_GPUS], 6 * KAI_GPU);
	cr_expect_eq(total.at[KAI_CPU], 2 * w.kai->node[n0].cpu);
	w.kai->node[n2].mig_count = NULL;
	kai_small_close(&w);
}

/* ---- What queues request ---- */

static int64_t asked(const struct kai_small *w, const char *queue)
{
	return w->kai->queue[kai_find_queue(w->kai, queue)].request.at[KAI_GPUS] * 100 / KAI_GPU;
}

Test(kai_share, requests_are_of_what_is_allocated_or_pending)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 8);
	(void)kai_small_queue(&w, "d", NULL, 0, -1, 1);
	(void)kai_small_queue(&w, "q", "d", 0, -1, 1);
	kai_small_seal(&w);
	const uint32_t job = kai_small_job(&w, "j", "q", 50, 2, 2, 0);
	kai_small_enter(&w, job);
	const uint32_t task = w.kai->job[job].task;
	static const struct {
		enum kai_state state;
		int64_t asked;
	} states[] = { { KAI_PENDING, 400 }, { KAI_GATED, 200 }, { KAI_ALLOCATED, 400 },
		{ KAI_PIPELINED, 200 }, { KAI_BINDING, 400 }, { KAI_BOUND, 400 }, { KAI_RUNNING, 400 },
		{ KAI_RELEASING, 200 }, { KAI_SUCCEEDED, 200 } };
	for (size_t i = 0; i < SL_LEN(states); i++) {
		kai_set_task(w.kai, task, states[i].state,
			kai_active_used(states[i].state) ? kai_find_node(w.kai, "n0") : KAI_NO, NULL);
		cr_expect_eq(asked(&w, "q"), states[i].asked, "state %d", (int)states[i].state);
		cr_expect_eq(asked(&w, "d"), states[i].asked, "state %d", (int)states[i].state);
		kai_small_seal(&w);
		cr_expect_eq(asked(&w, "q"), states[i].asked, "counted anew, state %d", (int)states[i].state);
	}
	kai_drop_job(w.kai, job);
	cr_expect_eq(asked(&w, "default"), 0);
	kai_small_close(&w);
}

/* Two tasks of nearly all cpus that there can be: their sum is the most there is, and not less than nothing.
 */
Test(kai_share, requests_without_a_bound_add_up_to_the_most_there_is)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_node(&w, "n0", 1);
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	kai_small_seal(&w);
	const uint32_t job = kai_small_job(&w, "j", "q", 50, 2, 0, 0);
	w.kai->request[w.kai->task[w.kai->job[job].task].request].cpu = INT64_MAX - 1;
	kai_small_enter(&w, job);
	cr_expect_eq(w.kai->queue[kai_find_queue(w.kai, "q")].request.at[KAI_CPU], INT64_MAX);
	kai_small_close(&w);
}

Test(kai_share, memory_is_asked_of_the_least_device_until_it_is_placed)
{
	struct kai_small w = kai_small_open();
	const uint32_t n0 = kai_small_node(&w, "n0", 1), n1 = kai_small_node(&w, "n1", 1);
	w.kai->node[n0].gpu_mem = 400;
	w.kai->node[n1].gpu_mem = 1000;
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	kai_small_seal(&w);
	const uint32_t job = kai_small_job(&w, "j", "q", 50, 1, 1, 0);
	kai_small_memory(&w, job, 101, 1);
	kai_small_enter(&w, job);
	const uint32_t task = w.kai->job[job].task, row = 0;
	const int64_t *request = &w.kai->queue[kai_find_queue(w.kai, "q")].request.at[KAI_GPUS];
	cr_expect_eq(*request, 252500000, "101 of 400 MiB");
	kai_set_task(w.kai, task, KAI_RUNNING, n1, &row);
	cr_expect_eq(*request, 110000000, "101 of 1 000 MiB, rounded up to hundredths");
	const kai_marked mark = kai_mark(w.kai);
	kai_evict_task(w.kai, task);
	cr_expect_eq(*request, 0);
	kai_unevict_task(w.kai, task);
	cr_expect_eq(*request, 110000000);
	kai_undo(w.kai, mark);
	kai_small_seal(&w);
	cr_expect_eq(*request, 110000000, "counted anew");
	kai_set_task(w.kai, task, KAI_PENDING, KAI_NO, NULL);
	cr_expect_eq(*request, 252500000);
	kai_small_close(&w);
}

Test(kai_share, allocatable)
{
	static const struct {
		int64_t quota, fair, limit, allocatable;
	} rows[] = { { 3, 5, KAI_UNLIMITED, 5 }, { 6, 5, KAI_UNLIMITED, 6 }, { 3, 5, 4, 4 },
		{ KAI_UNLIMITED, 5, 7, 7 }, { KAI_UNLIMITED, 5, KAI_UNLIMITED, KAI_UNLIMITED } };
	for (size_t i = 0; i < SL_LEN(rows); i++) {
		struct kai_queue queue = { 0 };
		queue.quota.at[KAI_MEM] = rows[i].quota;
		queue.fair.at[KAI_MEM] = rows[i].fair;
		queue.limit.at[KAI_MEM] = rows[i].limit;
		cr_expect_eq(kai_allocatable(&queue, KAI_MEM), rows[i].allocatable, "row %zu", i);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kueue.c - the policy kueue between engine and rules: its agenda, its writes to the API server, its
 * rules of which workload goes to which queue.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "policies/kueue/kueue.h"
#include "sim/base/base.h"

struct bench {
	struct sl_arena *arena;
	struct sl_jobs jobs;
	struct kueue_job job[4];
	struct kueue *k;
};

static struct bench bench_open(void)
{
	struct bench bench = { .arena = sl_arena_new() };
	bench.k = sl_alloc(bench.arena, 1, sizeof(*bench.k));
	bench.k->arena = bench.arena;
	return bench;
}

static void bench_close(struct bench *bench)
{
	controller_release(&bench->k->engine);
	sl_arena_free(bench->arena);
}

/* By time; of one time, in the order of entry; what is overdue is due now. */
Test(kueue, agenda_in_order)
{
	struct bench bench = bench_open();
	struct kueue *k = bench.k;
	static const struct {
		sl_time at;
		uint32_t row;
	} put[] = { { 30, 1 }, { 10, 2 }, { 20, 3 }, { 10, 4 }, { 5, 5 }, { 30, 6 }, { SL_NEVER, 7 } };
	static const uint32_t want[] = { 5, 2, 4, 3, 1, 6 };
	struct due entry;
	k->jobs = &bench.jobs;
	k->engine.now = 8;
	for (size_t i = 0; i < SL_LEN(put); i++)
		kueue_due(k, put[i].at, KUEUE_DUE_CYCLE, put[i].row);
	cr_expect_eq(controller_due_next(&k->engine), 8, "what is past is due now");
	k->engine.now = 9;
	cr_assert(controller_due_pop(&k->engine, &entry) && entry.row == want[0]);
	cr_expect(!controller_due_pop(&k->engine, &entry), "not yet");
	k->engine.now = 30;
	for (size_t i = 1; i < SL_LEN(want); i++) {
		cr_assert(controller_due_pop(&k->engine, &entry), "%zu", i);
		cr_expect_eq(entry.row, want[i], "%zu: %u", i, entry.row);
	}
	cr_expect(!controller_due_pop(&k->engine, &entry) && controller_due_next(&k->engine) == SL_NEVER);
	bench_close(&bench);
}

/* 2 writes at once, then one each half second; a bucket that was left alone is full again, and no fuller. */
Test(kueue, writes_through_a_bucket)
{
	struct bench bench = bench_open();
	struct kueue *k = bench.k;
	static const struct {
		sl_time now_ms, through_ms;
	} want[] = { { 0, 0 }, { 0, 0 }, { 0, 500 }, { 0, 1000 }, { 100, 1500 }, { 60000, 60000 },
		{ 60000, 60000 }, { 60000, 60500 } };
	k->api = true;
	k->qps = k->burst = 2;
	for (size_t i = 0; i < SL_LEN(want); i++) {
		k->now = want[i].now_ms * 1000;
		cr_expect_eq(kueue_write(k, KUEUE_WORKLOADS), want[i].through_ms * 1000, "write %zu", i);
	}
	cr_expect_eq(k->writes, SL_LEN(want));
	cr_expect_eq(kueue_write(k, KUEUE_QUEUES), k->now, "another kind has its own bucket");
	cr_expect_eq(kueue_write(k, KUEUE_LOCALS), k->now, "and so has each");
	k->api = false;
	cr_expect_eq(kueue_write(k, KUEUE_WORKLOADS), k->now, "without latencies at once");
	bench_close(&bench);
}

Test(kueue, rules_of_map)
{
	struct bench bench = bench_open();
	struct kueue *k = bench.k;
	struct sl_err err = { 0 };
	cr_assert_eq(kueue_rules_make(k, "account:physics=ns/q1;partition:gpu=other/q2", &err), SL_OK);
	cr_assert_eq(k->rule_count, 2);
	cr_expect_eq(k->rule[0].cause, KUEUE_BY_ACCOUNT);
	cr_expect_str_eq(k->rule[0].value, "physics");
	cr_expect_str_eq(k->rule[0].namespace, "ns");
	cr_expect_str_eq(k->rule[1].queue, "q2");
	static const char *const wrong[] = { "physics=ns/q", "account:physics", "account:physics=q",
		"qos:x=ns/q" };
	for (size_t i = 0; i < SL_LEN(wrong); i++) {
		err = (struct sl_err){ 0 };
		cr_expect_eq(kueue_rules_make(k, wrong[i], &err), SL_USAGE, "%s", wrong[i]);
		cr_expect(strstr(err.text, "is no rule of map"), "%s", err.text);
	}
	bench_close(&bench);
}

/* The resource may have a slash, and the amount stands behind the last colon. */
Test(kueue, budgets_of_checks)
{
	struct bench bench = bench_open();
	struct kueue *k = bench.k;
	struct sl_err err = { 0 };
	k->kq = kq_new(bench.arena);
	const uint32_t paid = kq_check(k->kq, "paid");
	k->kq->check[paid].exists = true;
	cr_assert_eq(kueue_budgets_make(k, "paid:nvidia.com/gpu:2/30d;paid:cpu:1/1h", &err), SL_OK, "%s",
		err.text);
	cr_expect_eq(k->budget_count, 2);
	static const char *const wrong[] = { "paid:cpu:1", "paid:cpu/1h", "paid:cpu:x/1h", "paid:cpu:1/0s",
		"paid:cpu:-1/1h", "free:cpu:1/1h" };
	for (size_t i = 0; i < SL_LEN(wrong); i++) {
		err = (struct sl_err){ 0 };
		k->budget_count = 0;
		cr_expect_eq(kueue_budgets_make(k, wrong[i], &err), SL_USAGE, "%s", wrong[i]);
		cr_expect(
			strstr(err.text, i + 1 < SL_LEN(wrong) ? "is no budget" : "no AdmissionCheck 'free'"),
			"%s", err.text);
	}
	kq_free(k->kq);
	bench_close(&bench);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_composed.c - orders, expressions, estimates and the recorded schedule, by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/world.h"

/* One cpu, four jobs behind a first that runs until 100: they then go one by one, in the order's order. */
static void expect_order(const char *policy, const uint32_t order[4])
{
	struct world w = { .cpus = 8,
		.count = 5,
		.job = { JOB(0, 100, 100, 8, .user = 1), JOB(10, 4, 4, 8, .user = 4),
			JOB(20, 100, 100, 5, .user = 3), JOB(30, 9, 9, 6, .user = 2),
			JOB(40, 25, 25, 7, .user = 1) } };
	cr_assert_eq(world_run(&w, policy, true), SL_OK, "%s: %s", policy, w.err.text);
	for (size_t i = 1; i < 4; i++)
		cr_expect_lt(world_start(&w, order[i - 1]), world_start(&w, order[i]),
			"%s: job %u before job %u", policy, order[i - 1] + 1, order[i] + 1);
	world_release(&w);
}

/*
 * job  submit  r   n   r*n  r/n    w (at 100)   (w/r)^3 n       w / (log2(n) r)
 *  2     10    4   8   32   0.5    90           91125           7.5
 *  3     20   100  5   500  20     80           2.6             0.34
 *  4     30    9   6   54   1.5    70           2823            3.0
 *  5     40    25  7   175  3.6    60           96.8            0.85
 */
Test(orders, are_as_their_formulas_say)
{
	static const struct {
		const char *policy;
		uint32_t order[4];
	} cases[] = {
		{ "fcfs", { 1, 2, 3, 4 } },
		{ "sjf", { 1, 3, 4, 2 } },
		{ "ljf", { 2, 4, 3, 1 } },
		{ "smallest", { 2, 3, 4, 1 } },
		{ "largest", { 1, 4, 3, 2 } },
		{ "saf", { 1, 3, 4, 2 } },
		{ "laf", { 2, 4, 3, 1 } },
		{ "srf", { 1, 3, 4, 2 } },
		{ "wfp3", { 1, 3, 4, 2 } },
		{ "unicep", { 1, 3, 4, 2 } },
		{ "composed:plan=fcfs,order=expr:\"user\"", { 4, 3, 2, 1 } },
		{ "composed:plan=fcfs,order=expr:\"-submit\"", { 4, 3, 2, 1 } },
		{ "composed:plan=fcfs,order=expr:\"max(size, 6) - min(limit, 1) * 2\"", { 2, 3, 4, 1 } },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		expect_order(cases[i].policy, cases[i].order);
}

/*
 * F1: log10(r) n + 870 log10(s): 2: 4.8 + 870; 3: 10 + 1131.9; 4: 5.7 + 1285.1; 5: 9.8 + 1393.8: by
 * submission. With submissions at 10 and 11 the rest decides: r=1000, n=8 (24 + 870) against r=1, n=1 (0 +
 * 906).
 */
Test(orders, f1_weighs_size_and_age)
{
	struct world w = { .cpus = 8,
		.count = 4,
		.job = { JOB(0, 100, 100, 8), JOB(10, 1000, 1000, 8), JOB(11, 1, 1, 8), JOB(11, 1, 1, 1) } };
	cr_assert_eq(world_run(&w, "f1", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 1), 100);
	cr_expect_eq(world_start(&w, 2), 1100);
	world_release(&w);
	/* F4: r sqrt(n) + 530000 log10(s): 2828 + 530000 against 2.8 + 551938: still by submission; but with
	 * r of 100000 s: 282842 + 530000. */
	w.job[1].run = w.job[1].limit = 100000;
	cr_assert_eq(world_run(&w, "f4", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 3), 100);
	cr_expect_eq(world_start(&w, 2), 101);
	cr_expect_eq(world_start(&w, 1), 102);
	world_release(&w);
}

Test(orders, a_wrong_expression_says_where)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "composed:order=expr:\"sise + 1\"", "column 1" },
		{ "composed:order=expr:\"size + \"", "ends too soon" },
		{ "composed:order=expr:\"size 3\"", "column 6" },
		{ "composed:order=expr:\"max(size)\"", "','" },
		{ "composed:order=expr:\"(size\"", "')'" },
		{ "composed:order=expr:\"1e99\"", "out of range" },
		{ "composed:order=expr:\"((((((((((((((((((((((((((((((((((size))))))))))))))))))))))))))))))))))\"",
			"too deeply" },
		{ "composed:order=nothing", "unknown order 'nothing'" },
		{ "conservative:fill=shortest", "plan=easy" },
		{ "easy:fill=wfp3", "depends on the wait" },
		{ "easy:estimate=file", "replay.estimates" },
		{ "recorded:order=sjf", "an order of its own" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, 1, 1, 1) } };
		cr_expect_eq(world_run(&w, cases[i].text, false), SL_USAGE, "%s", cases[i].text);
		cr_expect(strstr(w.err.text, cases[i].says), "%s: %s", cases[i].text, w.err.text);
		world_release(&w);
	}
}

/* -2^2 is -4; 2^3^2 is 2^9; 6/3/2 is 1; spaces do not matter. The smaller score goes first. */
Test(orders, expressions_bind_as_in_mathematics)
{
	static const char *const first_is_3[] = {
		"-2^2 * (size - 7)", /* -4 and 0: job 3 (size 8) scores -4. */
		"(2^3^2 - 511) * (7 - size)", "6/3/2*(0-size)", "  abs( 7-size ) *-1", "log2(size) * -1",
		"sqrt(size) - size",
		"(size - 8) / (size - 8) * -1 + 0 * size", /* 0/0 goes last: job 2 scores -1. */
	};
	for (size_t i = 0; i < SL_LEN(first_is_3); i++) {
		char text[200];
		struct world w = {
			.cpus = 8, .count = 3, .job = { JOB(0, 9, 9, 8), JOB(1, 9, 9, 7), JOB(2, 9, 9, 8) }
		};
		(void)snprintf(text, sizeof(text), "composed:plan=fcfs,order=expr:\"%s\"", first_is_3[i]);
		cr_assert_eq(world_run(&w, text, true), SL_OK, "%s", w.err.text);
		const bool last = i + 1 == SL_LEN(first_is_3);
		cr_expect_eq(world_start(&w, last ? 1 : 2), 9, "%s", first_is_3[i]);
		world_release(&w);
	}
}

/*
 * User 1's first two jobs ran 10 and 21 s: his third (limit 1000) is predicted 15 s (31 / 2, rounded down).
 * It runs 100 s: at 15 it is corrected to 15 + 60 = 75, at 75 to 15 + 300 = 315. Job 4 (all cpus) has its
 * shadow there, and what may start in front of it shows where the plan believes that end to be.
 */
Test(estimates, tsafrir_predicts_by_the_last_two_and_corrects_step_by_step)
{
	struct world w = { .cpus = 4,
		.count = 8,
		.job = {
			JOB(0, 10, 1000, 1, .user = 1), JOB(0, 21, 1000, 1, .user = 1),
			JOB(100, 100, 1000, 2, .user = 1), /* 100..200, predicted 115 */
			JOB(101, 5, 5, 4, .user = 2),      /* The head. */
			JOB(102, 13, 13, 1, .user = 3),    /* By 115: starts. */
			JOB(103, 13, 13, 1, .user = 4), /* By 116: does not; from 115 on the shadow is 175. */
			JOB(176, 200, 200, 1, .user = 5), /* From 175 on the shadow is 415: starts. */
			JOB(177, 300, 300, 1, .user = 6), /* Not by 415: waits for the head. */
		} };
	cr_assert_eq(world_run(&w, "easy:estimate=tsafrir", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 4), 102);
	cr_expect_eq(world_start(&w, 5), 115, "job 6 started at %lld", (long long)world_start(&w, 5));
	cr_expect_eq(world_start(&w, 6), 176);
	cr_expect_gt(world_start(&w, 7), world_start(&w, 3));
	world_release(&w);
}

/* With one terminated job of the user there is no prediction: the limit (1000) is believed, and job 3 fits
 * before. */
Test(estimates, tsafrir_needs_two_jobs)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 10, 1000, 1, .user = 1), JOB(20, 30, 1000, 2, .user = 1),
			JOB(21, 5, 5, 4, .user = 2), JOB(22, 900, 900, 1, .user = 3) } };
	cr_assert_eq(world_run(&w, "easy:estimate=tsafrir", true), SL_OK);
	cr_expect_eq(world_start(&w, 3), 22);
	world_release(&w);
}

/* From a file: 10 s are believed, then, outlived, the limit. */
Test(estimates, a_prediction_from_a_file_gives_way_to_the_limit)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 50, 100, 2, .estimate = 10), JOB(1, 5, 5, 4), JOB(2, 20, 20, 1),
			JOB(12, 80, 80, 1) } };
	cr_assert_eq(world_run(&w, "easy:estimate=file", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 2), 10, "job 3 started at %lld", (long long)world_start(&w, 2));
	cr_expect_eq(world_start(&w, 3), 12);
	world_release(&w);
}

/* As recorded, though job 3 overtook; what does not fit here waits until it does. */
Test(recorded, starts_each_job_when_the_log_says)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 10, 10, 3, .wait = 2), JOB(1, 10, 10, 4, .wait = 20),
			JOB(2, 4, 4, 1, .wait = 1), JOB(3, 4, 4, 2, .wait = 1) } };
	cr_assert_eq(world_run(&w, "recorded", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 0), 2);
	cr_expect_eq(world_start(&w, 2), 3);
	cr_expect_eq(world_start(&w, 3), 12);
	cr_expect_eq(world_start(&w, 1), 21);
	world_release(&w);
}

Test(recorded, needs_a_log_that_knows_its_waits)
{
	struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 10, 10, 3) } };
	cr_expect_eq(world_run(&w, "recorded", false), SL_INPUT);
	world_release(&w);
}

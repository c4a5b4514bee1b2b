/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_shares.c - orders by share holder, by hand: fairshare, drf, lottery, stride, and the plan share. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/world.h"

/* The jobs start in this order, one after the other; rows from 0. */
static void expect_sequence(struct world *w, const char *policy, const uint32_t *row, size_t count)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (size_t i = 1; i < count; i++)
		cr_expect_lt(world_start(w, row[i - 1]), world_start(w, row[i]),
			"%s: job %u (at %lld) before job %u (at %lld)", policy, row[i - 1] + 1,
			(long long)world_start(w, row[i - 1]), row[i] + 1, (long long)world_start(w, row[i]));
	world_release(w);
}
#define EXPECT_SEQUENCE(world, policy, ...)                               \
	expect_sequence(world, policy, (const uint32_t[]){ __VA_ARGS__ }, \
		SL_LEN(((const uint32_t[]){ __VA_ARGS__ })))

static const char *const plans[] = { "fcfs", "easy", "conservative", "share", "greedy" };

/* User 1 used 4 cpus for 100 s, user 2 nothing: job 3 goes before job 2, whatever the plan. */
Test(fairshare, who_used_less_goes_first)
{
	for (size_t i = 0; i < SL_LEN(plans); i++) {
		char policy[64];
		struct world w = { .cpus = 4,
			.count = 3,
			.job = { JOB(0, 100, 100, 4, .user = 1), JOB(1, 10, 10, 4, .user = 1),
				JOB(2, 10, 10, 4, .user = 2) } };
		(void)snprintf(policy, sizeof(policy), "fairshare:plan=%s", plans[i]);
		if (strcmp(plans[i], "conservative") != 0) /* It keeps what it promised before. */
			EXPECT_SEQUENCE(&w, policy, 0, 2, 1);
	}
}

/* At 100 user 1's running job has used 200, user 2's ended one 100: what runs counts up to now. */
Test(fairshare, usage_counts_as_it_accrues)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 1000, 1000, 2, .user = 1), JOB(0, 50, 50, 2, .user = 2),
			JOB(50, 50, 50, 2, .user = 3), JOB(60, 10, 10, 2, .user = 1),
			JOB(61, 10, 10, 2, .user = 2) } };
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0", 4, 3);
}

/* 400 of user 1 over 3 is less than 200 of user 2 over 1; by the bare usage it is not. Then 400 / 2 against
 * 200: a tie, and the order of submission decides. */
Test(fairshare, usage_is_divided_by_weight)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 4, .user = 1), JOB(1, 50, 50, 4, .user = 2),
			JOB(110, 10, 10, 4, .user = 2), JOB(111, 10, 10, 4, .user = 1) } };
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0", 2, 3);
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0,weights=\"1=3\"", 3, 2);
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0,weights=\"*=0.5,1=1.5\"", 3, 2);
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0,weights=\"1=2\"", 2, 3);
}

/*
 * User 1 has 4 cpus over 0..100, user 2 over 100..100+x. With a half-life of 100 s, at 100+x, the first is
 * worth (1 - 1/2) 2^(-x/100), the second 1 - 2^(-x/100): equal where 2^(-x/100) is 2/3, at x = 58.496. With
 * 80 s: (1 - 2^-1.25) y = 1 - y, y = 0.63309, x = 52.76. What follows halves both alike, over one half-life
 * and over twenty.
 */
Test(fairshare, usage_decays_by_half_in_a_half_life)
{
	static const int64_t gaps[] = { 0, 90, 150, 1000, 1500 };
	static const struct {
		const char *policy;
		int64_t less;
	} cases[] = { { "fairshare:half_life=100", 58 }, { "fairshare:half_life=80", 52 } };
	for (size_t i = 0; i < SL_LEN(gaps) * SL_LEN(cases) * 2; i++) {
		const size_t which = i / 2 % SL_LEN(cases);
		const int64_t x = cases[which].less + (int64_t)(i % 2);
		const int64_t block = 100 + x + gaps[i / 2 / SL_LEN(cases)];
		struct world w = { .cpus = 4,
			.count = 5,
			.job = { JOB(0, 100, 100, 4, .user = 1), JOB(0, x, x, 4, .user = 2),
				JOB(block, 10, 10, 4, .user = 3), JOB(block + 1, 5, 5, 4, .user = 1),
				JOB(block + 1, 5, 5, 4, .user = 2) } };
		if (i % 2)
			EXPECT_SEQUENCE(&w, cases[which].policy, 3, 4);
		else
			EXPECT_SEQUENCE(&w, cases[which].policy, 4, 3);
		EXPECT_SEQUENCE(&w, "fairshare:half_life=0", 4, 3);
	}
}

/* Initial usage: 100 of user 1, who is first in the queue; it halves each 10 s, so that by 100 it is worth
 * 0.1, and user 2's 1 cpu-second of 98..99 counts more. */
Test(fairshare, begins_with_what_was_used_before)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 4, .user = 3), JOB(1, 10, 10, 4, .user = 1),
			JOB(2, 10, 10, 4, .user = 2) } };
	EXPECT_SEQUENCE(&w, "fairshare", 1, 2);
	EXPECT_SEQUENCE(&w, "fairshare:initial=\"1=100\"", 2, 1);
	w.job[0] = (struct world_job)JOB(0, 99, 99, 3, .user = 3);
	w.job[1] = (struct world_job)JOB(1, 10, 10, 4, .user = 2);
	w.job[2] = (struct world_job)JOB(2, 10, 10, 4, .user = 1);
	w.job[3] = (struct world_job)JOB(98, 1, 1, 1, .user = 2);
	w.count = 4;
	EXPECT_SEQUENCE(&w, "fairshare:initial=\"1=100\",half_life=10", 3, 2, 1);
	EXPECT_SEQUENCE(&w, "fairshare:initial=\"1=100\",half_life=0", 3, 1, 2);
}

/* By account and by partition: the users are all different and say nothing. */
Test(fairshare, shares_between_what_by_says)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 4, .user = 1, .account = 7, .partition = 1),
			JOB(1, 10, 10, 4, .user = 2, .account = 7, .partition = 2),
			JOB(2, 10, 10, 4, .user = 1, .account = 8, .partition = 1) } };
	EXPECT_SEQUENCE(&w, "fairshare:by=account", 0, 2, 1);
	EXPECT_SEQUENCE(&w, "fairshare:by=partition", 0, 1, 2);
	EXPECT_SEQUENCE(&w, "fairshare:by=user", 0, 1, 2);
}

/* The candidates behind the head come in the share holders' order too: 1 cpu is free at 20 beside job 1; the
 * head (job 3, of user 3) needs 4; of the two that would fit, that of user 4 goes, as user 2 has used
 * something.
 */
Test(fairshare, candidates_come_in_the_order_of_share_holders)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 100, 100, 3, .user = 1), JOB(0, 20, 20, 1, .user = 2),
			JOB(1, 10, 10, 4, .user = 3), JOB(2, 10, 10, 1, .user = 2),
			JOB(3, 10, 10, 1, .user = 4) } };
	EXPECT_SEQUENCE(&w, "fairshare", 4, 3);
	cr_assert_eq(world_run(&w, "fairshare", true), SL_OK);
	cr_expect_eq(world_start(&w, 4), 20);
	cr_expect_eq(world_start(&w, 3), 30);
	cr_expect_eq(world_start(&w, 2), 100);
	world_release(&w);
}

/*
 * 12 cpus; user 1 has jobs of 1 cpu, user 2 of 3, all at once. Shares in cpus: 1:1, 2:3, 1:2, 1:3, then a tie
 * (3 and 3), which the earlier job has, 1:4, 2:6, 1:5, 1:6: full.
 */
Test(drf, fills_progressively)
{
	struct world w = { .cpus = 12, .count = 13 };
	for (uint32_t i = 0; i < 13; i++)
		w.job[i] = (struct world_job)JOB(0, 100, 100, i < 8 ? 1 : 3, .user = i < 8 ? 1 : 2);
	static const char *const policies[] = { "drf", "drf:plan=easy", "drf:plan=fcfs", "drf:blocked=all" };
	for (size_t i = 0; i < SL_LEN(policies); i++) {
		cr_assert_eq(world_run(&w, policies[i], true), SL_OK, "%s", w.err.text);
		uint32_t started[2] = { 0 };
		for (uint32_t row = 0; row < 13; row++)
			started[row >= 8] += world_start(&w, row) == 0;
		cr_expect_eq(started[0], 6, "%s: %u of user 1", policies[i], started[0]);
		cr_expect_eq(started[1], 2, "%s: %u of user 2", policies[i], started[1]);
		world_release(&w);
	}
	/* With weight 3, 3 cpus of user 2 are as 1 of user 1: 1:1, 2:3 (a tie at each step), 1:2, 2:6, 1:3,
	 * 2:9. */
	cr_assert_eq(world_run(&w, "drf:weights=\"2=3\"", true), SL_OK);
	for (uint32_t row = 0; row < 13; row++)
		cr_expect_eq(world_start(&w, row) == 0, row < 3 || (row >= 8 && row < 11), "row %u", row);
	world_release(&w);
}

/* The example of the paper: 9 cpus and 18 GB; tasks of user 1 request 1 cpu and 4 GB, those of user 2 for 3
 * cpus and 1 GB. User 1 gets three of them (12 GB), user 2 two (6 cpus): two thirds of what dominates. */
Test(drf, shares_what_dominates)
{
	struct world w = { .cpus = 9, .as_nodes = true, .node_cpus = 9, .node_mem = 18, .count = 12 };
	for (uint32_t i = 0; i < 12; i++)
		w.job[i] = i % 2 ? (struct world_job)JOB(0, 10, 10, 1, .user = 1, .mem = 4)
				 : (struct world_job)JOB(0, 10, 10, 1, .user = 2, .cpus = 3);
	cr_assert_eq(world_run(&w, "drf", true), SL_OK, "%s", w.err.text);
	uint32_t started[2] = { 0 };
	for (uint32_t i = 0; i < 12; i++)
		started[i % 2] += world_start(&w, i) == 0;
	cr_expect_eq(started[1], 3);
	cr_expect_eq(started[0], 2);
	world_release(&w);
}

/* User 1 used 1 of 10 cpus and half of the memory for 10 s, user 2 4 cpus: by cpus user 1 goes first, by what
 * dominates user 2. */
Test(fairshare, may_charge_what_dominates)
{
	struct world w = { .cpus = 10,
		.as_nodes = true,
		.node_cpus = 10,
		.node_mem = 100,
		.count = 4,
		.job = { JOB(0, 10, 10, 1, .user = 1, .mem = 50), JOB(0, 10, 10, 4, .user = 2),
			JOB(1, 10, 10, 10, .user = 2), JOB(2, 10, 10, 10, .user = 1) } };
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0", 3, 2);
	EXPECT_SEQUENCE(&w, "fairshare:half_life=0,charge=dominant", 2, 3);
}

/* What is released counts no more: user 1's job has ended, user 2's runs. */
Test(drf, counts_what_is_held_now)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 50, 50, 3, .user = 1), JOB(0, 500, 500, 1, .user = 2),
			JOB(50, 50, 50, 3, .user = 3), JOB(60, 10, 10, 3, .user = 2),
			JOB(61, 10, 10, 3, .user = 1) } };
	EXPECT_SEQUENCE(&w, "drf", 4, 3);
}

/* Job 2 (user 1, 4 cpus) does not fit beside job 1: its user waits for it, others go on; or all do. */
Test(share, a_job_that_does_not_fit_blocks_its_share_holder_or_all)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 10, 10, 2, .user = 3), JOB(1, 10, 10, 4, .user = 1),
			JOB(1, 5, 5, 1, .user = 1), JOB(2, 4, 4, 2, .user = 2),
			JOB(3, 4, 4, 2, .user = 2) } };
	cr_assert_eq(world_run(&w, "drf", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 3), 2);
	cr_expect_eq(world_start(&w, 4), 6);
	cr_expect_eq(world_start(&w, 1), 10);
	cr_expect_eq(world_start(&w, 2), 20);
	world_release(&w);
	cr_assert_eq(world_run(&w, "drf:blocked=all", true), SL_OK);
	cr_expect_eq(world_start(&w, 1), 10);
	cr_expect_eq(world_start(&w, 3), 20);
	world_release(&w);
}

/* A job that is first of its share holder and does not fit waits for Resources, from when it is first, and
 * said once. */
Test(share, the_first_of_each_share_holder_waits_for_resources)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 10, 10, 4, .user = 1), JOB(1, 10, 10, 3, .user = 1),
			JOB(2, 10, 10, 3, .user = 1), JOB(3, 10, 10, 3, .user = 2),
			JOB(4, 1, 1, 1, .user = 3) } };
	cr_assert_eq(world_run(&w, "drf", true), SL_OK);
	static const struct {
		int64_t at;
		uint32_t job;
	} changes[] = { { 1, 1 }, { 10, 2 }, { 3, 3 }, { 4, 4 } };
	const struct sl_result *result = &w.sim.result;
	cr_assert_eq(result->reason_count, 4, "%zu changes", result->reason_count);
	cr_expect_eq(world_start(&w, 1), 10);
	cr_expect_eq(world_start(&w, 2), 20);
	for (size_t i = 0; i < 4; i++) {
		cr_expect_eq(result->reasons[i].job, changes[i].job);
		cr_expect_eq(result->reasons[i].reason, SL_REASON_RESOURCES);
		cr_expect_eq(result->reasons[i].at, changes[i].at * SL_SECOND);
	}
	world_release(&w);
}

/*
 * One cpu, tickets 3 to 1, all there at the beginning. Strides (of 1024) 341 and 1024: user 1 341, user 2
 * 1024, user 1 682, 1023, 1364, user 2 2048, user 1 1705, 2046, 2387, user 2.
 */
Test(stride, starts_in_proportion_to_tickets)
{
	struct world w = { .cpus = 1, .count = 16 };
	for (uint32_t i = 0; i < 16; i++)
		w.job[i] = (struct world_job)JOB(0, 1, 1, 1, .user = i < 8 ? 1 : 2);
	EXPECT_SEQUENCE(&w, "stride:weights=\"1=3\"", 0, 8, 1, 2, 3, 9, 4, 5, 6, 10);
	EXPECT_SEQUENCE(&w, "stride:weights=\"1=3\",plan=easy", 0, 8, 1, 2, 3, 9, 4, 5, 6, 10);
}

/* User 1's jobs cost 2 cpus times 3 s, user 2's 1 times 2 (1.5 s rounded up): 6 against 2. By size: 2 against
 * 1. */
Test(stride, charges_the_expected_work)
{
	struct world w = { .cpus = 2, .count = 12, .unit = SL_SECOND / 2 };
	for (uint32_t i = 0; i < 12; i++)
		w.job[i] = i < 6 ? (struct world_job)JOB(0, 2, 6, 2, .user = 1)
				 : (struct world_job)JOB(0, 2, 3, 1, .user = 2);
	w.cpus = 2;
	/* With blocked=all nobody of user 2 slips in beside: 1 (6), 2 (2) and 2 (4) together, 2 (6), 1 at the
	 * tie... */
	cr_assert_eq(world_run(&w, "stride:blocked=all", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 0), 0);
	cr_expect_eq(world_start(&w, 6), 2);
	cr_expect_eq(world_start(&w, 7), 2);
	cr_expect_eq(world_start(&w, 8), 4);
	cr_expect_eq(world_start(&w, 1), 6);
	world_release(&w);
	/* By size: 1 (2), 2 (1), 2 (2), tie: 1 (4), 2 (3), 2 (4). */
	cr_assert_eq(world_run(&w, "stride:blocked=all,cost=size", true), SL_OK);
	cr_expect_eq(world_start(&w, 7), 2);
	cr_expect_eq(world_start(&w, 1), 4);
	cr_expect_eq(world_start(&w, 8), 6);
	world_release(&w);
}

/* User 1 has run alone for 10 s; user 2 comes, at the global pass: they take turns, and user 2 does not catch
 * up. */
Test(stride, a_newcomer_starts_at_the_global_pass)
{
	struct world w = { .cpus = 1, .count = 26 };
	for (uint32_t i = 0; i < 20; i++)
		w.job[i] = (struct world_job)JOB(0, 1, 1, 1, .user = 1);
	for (uint32_t i = 20; i < 26; i++)
		w.job[i] = (struct world_job)JOB(10, 1, 1, 1, .user = 2);
	EXPECT_SEQUENCE(&w, "stride", 9, 10, 20, 11, 21, 12, 22, 13, 23);
}

/*
 * Who leaves keeps its lead. At 0: user 1's job of 5 s (pass 5, global 2.5 with two equal tickets), and it
 * leaves, 2.5 ahead. User 2's ones go on, each 1 s, moving its pass and the global one alike, by 1. At 7 user
 * 1 comes again, 2.5 ahead of the global pass of 4.5 (after starts at 5 and 6), at 7; user 2, at 2, goes
 * first until its pass is 7.
 */
Test(stride, who_comes_retry_is_as_far_ahead_as_it_left)
{
	struct world w = { .cpus = 1, .count = 13 };
	w.job[0] = (struct world_job)JOB(0, 5, 5, 1, .user = 1);
	for (uint32_t i = 1; i < 12; i++)
		w.job[i] = (struct world_job)JOB(0, 1, 1, 1, .user = 2);
	w.job[12] = (struct world_job)JOB(7, 1, 1, 1, .user = 1);
	cr_assert_eq(world_run(&w, "stride", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 12), 13, "at %lld", (long long)world_start(&w, 12));
	world_release(&w);
}

/* Of the first 20 starts of one cpu, with tickets 4 to 1, some 16 are user 1's; as many under --check, which
 * makes every pass twice; and one by one no other than without. */
Test(lottery, draws_in_proportion_to_tickets_and_the_same_twice)
{
	int64_t start[50];
	for (int check = 0; check < 2; check++) {
		struct world w = { .cpus = 1, .count = 50 };
		for (uint32_t i = 0; i < 50; i++)
			w.job[i] = (struct world_job)JOB(0, 1, 1, 1, .user = i < 25 ? 1 : 2);
		cr_assert_eq(world_run(&w, "lottery:weights=\"1=4\"", check), SL_OK, "%s", w.err.text);
		uint32_t early = 0;
		for (uint32_t i = 0; i < 50; i++) {
			early += i < 25 && world_start(&w, i) < 20;
			if (check)
				cr_expect_eq(world_start(&w, i), start[i], "job %u", i + 1);
			start[i] = world_start(&w, i);
		}
		cr_expect(early >= 12 && early <= 19, "%u of user 1", early);
		world_release(&w);
	}
}

/* Under fcfs who was drawn is waited for: either the large job of user 2 is, and no other starts before it
 * could, or user 1's go until it is drawn. */
Test(lottery, who_was_drawn_is_waited_for)
{
	struct world w = { .cpus = 2, .count = 30 };
	w.job[0] = (struct world_job)JOB(0, 2, 2, 2, .user = 2);
	for (uint32_t i = 1; i < 30; i++)
		w.job[i] = (struct world_job)JOB(0, 3 + (i & 1), 4, 1, .user = 1);
	cr_assert_eq(world_run(&w, "lottery:plan=fcfs", true), SL_OK, "%s", w.err.text);
	cr_expect_lt(world_start(&w, 0), 40, "drawn, and kept waiting for");
	world_release(&w);
}

Test(shares, what_cannot_be_is_refused)
{
	static const struct {
		const char *policy, *says;
	} cases[] = {
		{ "fairshare:weights=\"1\"", "must be NAME=NUMBER" },
		{ "fairshare:weights=\"1=0\"", "not 0" },
		{ "fairshare:weights=\"=1\"", "must be NAME=NUMBER" },
		{ "fairshare:weights=\"alice=1\"", "in this trace they are numbers" },
		{ "fairshare:weights=\"1=1,1=2\"", "there twice" },
		{ "fairshare:by=account,weights=\"bob=1\"", "no account" },
		{ "fairshare:initial=\"1=-4\"", "initial: '1=-4'" },
		{ "fairshare:half_life=-1", "must be within" },
		{ "easy:half_life=1d", "half_life=1d means nothing under order=fcfs, plan=easy" },
		{ "drf:initial=\"1=4\"", "means nothing under order=drf" },
		{ "easy:by=account", "means nothing" },
		{ "composed:plan=share", "goes by parties" },
		{ "lottery:plan=conservative", "use plan=share, fcfs or easy" },
		{ "recorded:order=drf", "an order of its own" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, 1, 1, 1, .wait = 1, .user = 1) } };
		cr_expect_eq(world_run(&w, cases[i].policy, false), SL_USAGE, "%s", cases[i].policy);
		cr_expect(strstr(w.err.text, cases[i].says), "%s: %s", cases[i].policy, w.err.text);
		world_release(&w);
	}
}

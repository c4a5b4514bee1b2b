/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_quota.c - guaranteed shares, lent and claimed, by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/world.h"

static uint32_t attempts_of(const struct world *w, uint32_t job)
{
	uint32_t count = 0;
	for (size_t i = 0; i < w->sim.result.attempt_count; i++)
		count += w->sim.result.attempts[i].job == job;
	return count ? count : 1;
}

static void expect_starts(struct world *w, const char *policy, const int64_t *start)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (uint32_t i = 0; i < w->count; i++)
		cr_expect_eq(world_start(w, i), start[i], "%s: job %u at %lld, not %lld", policy, i + 1,
			(long long)world_start(w, i), (long long)start[i]);
	world_release(w);
}
#define EXPECT_STARTS(world, policy, ...) expect_starts(world, policy, (const int64_t[]){ __VA_ARGS__ })

/*
 * User 2 has 4 of 10 cpus (job 1), and borrows 4 and 2 more (jobs 2 and 3). At 10 user 1 claims 3 of its 6:
 * of the borrowers the youngest (job 3) is not enough, jobs 3 and 2 are more than enough, and job 3 is
 * spared. Job 2 starts again when 4 are idle: at 40.
 */
static const struct world claimed = { .cpus = 10,
	.count = 4,
	.job = { JOB(0, 100, 100, 4, .user = 2), JOB(0, 50, 50, 4, .user = 2), JOB(0, 100, 100, 2, .user = 2),
		JOB(10, 30, 30, 3, .user = 1) } };

Test(quota, a_claim_stops_as_few_borrowers_as_will_do)
{
	struct world w = claimed;
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=6,2=4\"", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 3), 10);
	cr_expect_eq(attempts_of(&w, 0), 1);
	cr_expect_eq(attempts_of(&w, 1), 2);
	cr_expect_eq(attempts_of(&w, 2), 1);
	cr_expect_eq(world_end(&w, 1), 90, "at %lld",
		(long long)world_end(&w, 1)); /* 40 + 50: its work is lost. */
	cr_expect_eq(world_end(&w, 2), 100);
	world_release(&w);
}

Test(quota, a_checkpoint_keeps_what_a_borrower_decision)
{
	struct world w = claimed;
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=6,2=4\",preempt=checkpoint", true), SL_OK);
	cr_expect_eq(
		world_end(&w, 1), 80, "at %lld", (long long)world_end(&w, 1)); /* 10 of 50 s were done. */
	world_release(&w);
}

/* Without preemption the claim waits, and while it does nobody borrows: not job 5, which would fit at 11.
 * With it, job 5 stands behind job 3, which was stopped. */
Test(quota, without_preemption_a_claim_stops_borrowing)
{
	struct world w = claimed;
	w.job[1].size = 3; /* 1 cpu is idle. */
	w.job[4] = (struct world_job)JOB(11, 5, 5, 1, .user = 2);
	w.count = 5;
	EXPECT_STARTS(&w, "quota:quotas=\"1=6,2=4\",preempt=none", 0, 0, 0, 50, 50);
	EXPECT_STARTS(&w, "quota:quotas=\"1=6,2=4\"", 0, 0, 0, 10, 40);
}

/* Beyond all quotas nothing is reclaimed: user 1's second job would be the seventh cpu, and waits. */
Test(quota, only_what_is_within_quota_claims)
{
	struct world w = claimed;
	w.job[4] = (struct world_job)JOB(12, 5, 5, 4, .user = 1);
	w.count = 5;
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=6,2=4\"", true), SL_OK);
	cr_expect_eq(world_start(&w, 4), 40);
	cr_expect_eq(attempts_of(&w, 2), 1);
	size_t quota = 0;
	for (size_t i = 0; i < w.sim.result.reason_count; i++)
		quota += w.sim.result.reasons[i].job == 4 &&
			 w.sim.result.reasons[i].reason == SL_REASON_QUOTA &&
			 w.sim.result.reasons[i].at == 12 * SL_SECOND;
	cr_expect_eq(quota, 1);
	world_release(&w);
}

/*
 * 8 idle cpus of a user that is away; users 1 and 2 (quotas 3 and 1, with jobs of 1 cpu): what each holds
 * over its quota decides, so that of 12 cpus they get 9 and 3.
 */
Test(quota, what_is_idle_is_lent_in_proportion_to_quota)
{
	struct world w = { .cpus = 12, .count = 24 };
	for (uint32_t i = 0; i < 24; i++)
		w.job[i] = (struct world_job)JOB(0, 10, 10, 1, .user = i % 2 ? 1 : 2);
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=3,2=1,7=8\"", true), SL_OK, "%s", w.err.text);
	uint32_t held[2] = { 0 };
	for (uint32_t i = 0; i < 24; i++)
		held[i % 2] += world_start(&w, i) == 0;
	cr_expect_eq(held[1], 9, "%u", held[1]);
	cr_expect_eq(held[0], 3, "%u", held[0]);
	world_release(&w);
}

/* Who is most beyond its quota pays: users 2 and 3 (quota 2 each) have borrowed 2 and 3 (jobs 2 and 4, the
 * older one). */
Test(quota, the_share_holder_most_beyond_pays_first)
{
	struct world w = { .cpus = 9,
		.count = 5,
		.job = { JOB(0, 100, 100, 2, .user = 2), JOB(1, 100, 100, 2, .user = 3),
			JOB(2, 100, 100, 3, .user = 3), JOB(3, 100, 100, 2, .user = 2),
			JOB(10, 30, 30, 2, .user = 1) } };
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=5,2=2,3=2\"", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 4), 10);
	cr_expect_eq(attempts_of(&w, 2), 2);
	cr_expect_eq(attempts_of(&w, 3), 1);
	world_release(&w);
}

/* Of one share holder the youngest pays: job 3, not job 2. */
Test(quota, the_youngest_borrower_pays_first)
{
	struct world w = { .cpus = 6,
		.count = 4,
		.job = { JOB(0, 100, 100, 2, .user = 2), JOB(1, 100, 100, 2, .user = 2),
			JOB(2, 100, 100, 2, .user = 2), JOB(10, 30, 30, 2, .user = 1) } };
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=4,2=2\"", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(attempts_of(&w, 1), 1);
	cr_expect_eq(attempts_of(&w, 2), 2);
	world_release(&w);
}

/* At 5 job 1, within user 2's quota, ends: job 2, which borrowed, is within it from then on; at 10 user 1 has
 * job 3 stopped, not job 2, though both are user 2's and job 2 is no younger. */
Test(quota, a_borrower_takes_over_what_its_own_share_holder_gives_back)
{
	struct world w = { .cpus = 6,
		.count = 4,
		.job = { JOB(0, 5, 5, 2, .user = 2), JOB(0, 100, 100, 2, .user = 2),
			JOB(0, 100, 100, 2, .user = 2), JOB(10, 30, 30, 4, .user = 1) } };
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=4,2=2\"", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 3), 10);
	cr_expect_eq(attempts_of(&w, 1), 1);
	cr_expect_eq(attempts_of(&w, 2), 2);
	world_release(&w);
}

/* Larger than its quota, a job only borrows: it starts when 8 are idle, and goes when its own user claims. */
Test(quota, a_job_larger_than_its_quota_borrows)
{
	struct world w = { .cpus = 10,
		.count = 3,
		.job = { JOB(0, 20, 20, 3, .user = 1), JOB(1, 100, 100, 8, .user = 2),
			JOB(30, 5, 5, 4, .user = 2) } };
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=6,2=4\"", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 1), 20);
	cr_expect_eq(world_start(&w, 2), 30);
	cr_expect_eq(attempts_of(&w, 1), 2);
	cr_expect_eq(world_end(&w, 1), 135);
	world_release(&w);
}

/* On nodes with GPUs quotas are of GPUs: 2 nodes of 4. User 2 borrows 3 beyond its 4; user 1 claims 4, on one
 * node: of user 2's borrowers (jobs 2 and 3) both have to go. A job without GPUs is within any quota. */
Test(quota, is_of_gpus_where_there_are_any)
{
	struct world w = { .cpus = 16,
		.as_nodes = true,
		.node_cpus = 8,
		.node_mem = 8,
		.node_gpus = 4,
		.count = 5,
		.job = { JOB(0, 100, 100, 1, .user = 2, .gpus = 4), JOB(0, 100, 100, 1, .user = 2, .gpus = 2),
			JOB(0, 100, 100, 1, .user = 2, .gpus = 1), JOB(10, 20, 20, 1, .user = 1, .gpus = 4),
			JOB(11, 5, 5, 3, .user = 3) } };
	cr_assert_eq(world_run(&w, "quota:quotas=\"1=4,2=4\"", true), SL_OK, "%s", w.err.text);
	cr_expect_eq(world_start(&w, 3), 10);
	cr_expect_eq(world_start(&w, 4), 11);
	cr_expect_eq(attempts_of(&w, 0), 1);
	cr_expect_eq(attempts_of(&w, 1), 2);
	cr_expect_eq(attempts_of(&w, 2), 2);
	cr_expect_eq(world_end(&w, 1), 130);
	world_release(&w);
}

/* By default all have the same: 5 each of 10; by account, the users do not count. */
Test(quota, is_shared_equally_between_what_by_says)
{
	struct world w = { .cpus = 10,
		.count = 4,
		.job = { JOB(0, 50, 50, 5, .user = 1, .account = 3),
			JOB(0, 50, 50, 5, .user = 2, .account = 3), JOB(10, 5, 5, 5, .user = 1, .account = 4),
			JOB(11, 5, 5, 1, .user = 2, .account = 4) } };
	EXPECT_STARTS(&w, "quota:by=account", 0, 0, 10, 15);
	EXPECT_STARTS(&w, "quota", 0, 0, 50, 50);
}

Test(quota, what_cannot_be_is_refused)
{
	static const struct {
		const char *policy, *says;
	} cases[] = {
		{ "quota:quotas=\"1=3,2=2\"", "they are 5 cpus in sum, the cluster has 4" },
		{ "quota:quotas=\"*=5\"", "in sum" },
		{ "quota:quotas=\"1=0.5\"", "fraction" },
		{ "quota:quotas=\"1=-1\"", "must be NAME=NUMBER" },
		{ "quota:order=sjf", "an order of its own" },
		{ "quota:weights=\"1=2\"", "means nothing" },
		{ "easy:quotas=\"1=2\"", "means nothing" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct world w = { .cpus = 4, .count = 1, .job = { JOB(0, 1, 1, 1, .user = 1) } };
		cr_expect_eq(world_run(&w, cases[i].policy, false), SL_USAGE, "%s", cases[i].policy);
		cr_expect(strstr(w.err.text, cases[i].says), "%s: %s", cases[i].policy, w.err.text);
		world_release(&w);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_search.c - searches: scores, rungs and medians by hand; runs under each rule by hand; and asynchronous
 * halving against a slow obvious one on generated trials.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "models/search/search.h"
#include "tests/world/trace_run.h"

static struct sl_profile curve(int64_t score, int64_t from, int64_t seconds)
{
	struct sl_profile profile;
	sl_profile_clear(&profile);
	profile.score = score;
	profile.score_from = from;
	profile.score_time = seconds * SL_SECOND;
	return profile;
}

/* 1 at first, 0.2 at last: what it lacks (0.8) halves in 100 s. */
Test(search, scores)
{
	const struct sl_profile profile = curve(200000, 1000000, 100);
	cr_expect_eq(search_score(&profile, 0), 1000000);
	cr_expect_eq(search_score(&profile, 100 * SL_SECOND), 600000);
	cr_expect_eq(search_score(&profile, 200 * SL_SECOND), 400000);
	cr_expect_eq(search_reaches(&profile, 600000, 1000 * SL_SECOND), 100 * SL_SECOND - 180,
		"the least work that rounds to it");
	cr_expect_eq(search_reaches(&profile, 199999, 1000 * SL_SECOND), SL_NEVER);
	cr_expect_eq(search_reaches(&profile, 1000000, 1000 * SL_SECOND), 0);
	const struct sl_profile flat = curve(300000, SL_NONE, 0);
	cr_expect_eq(search_score(&flat, 5), 300000);
}

Test(search, rungs)
{
	const struct search_rule halving = { SEARCH_ASHA, 3, 10, SL_NONE };
	const struct search_rule steps = { SEARCH_MEDIAN, 3, 10, SL_NONE };
	cr_expect_eq(search_rung(&halving, 0), 10);
	cr_expect_eq(search_rung(&halving, 3), 270);
	cr_expect_eq(search_rung(&halving, 60), SL_NEVER);
	cr_expect_eq(search_rung(&steps, 3), 40);
	cr_expect_eq(search_keep(2, 3), 1);
	cr_expect_eq(search_keep(8, 3), 2);
	cr_expect_eq(search_median((int64_t[]){ 5, 1, 3 }, 3), 3);
	cr_expect_eq(search_median((int64_t[]){ 5, 1, 3, 9 }, 4), 4);
}

Test(search, rules_in_families)
{
	struct sl_err err = { 0 };
	struct search_rule rule = { SEARCH_NONE, 3, SL_NONE, SL_NONE };
	cr_assert_eq(search_rule_of("t rule=sha eta=4 rung=10m target=-0.5", &rule, &err), SL_OK);
	cr_expect(rule.kind == SEARCH_SHA && rule.eta == 4 && rule.rung == 600 * SL_SECOND &&
		  rule.target == -500000);
	static const char *const bad[] = { "t rule=best", "t eta=1", "t what=1", "t rule",
		"t rule=first rung=1" };
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		struct search_rule fresh = { SEARCH_NONE, 3, SL_NONE, SL_NONE };
		memset(&err, 0, sizeof(err));
		cr_expect_eq(search_rule_of(bad[i], &fresh, &err), SL_INPUT, "%s", bad[i]);
	}
}

/* ---- Runs --------------------------------------------------------------------------------- */

#define TRIALS "submit,run_time,cpus,job_id,family,member,score\n"

static void expect_ends(
	const char *text, const char *cpus, const char *model, const int64_t *end, uint32_t count)
{
	struct trace_run run;
	const char *const given[] = { cpus, model, NULL };
	cr_assert_eq(trace_run(&run, text, "fcfs", given), SL_OK, "%s", run.err.text);
	for (uint32_t row = 0; row < count; row++) {
		const int64_t want = end[row] < 0 ? -end[row] : end[row];
		cr_expect_eq(run.sim.result.end[row], want * SL_SECOND, "%s: job %u ended at %lld", model,
			row + 1, (long long)run.sim.result.end[row]);
		cr_expect_eq(run.sim.result.state[row], end[row] < 0 ? SL_CANCELLED : SL_COMPLETED,
			"%s: job %u", model, row + 1);
	}
	trace_release(&run);
}

/* Scores 4, 1, 3, 2 (in tenths), in turn on one cpu, 100 s each; rungs at 10, 20, 40, 80. */
static const char four[] =
	TRIALS "0,100,1,1,t,0,0.4\n0,100,1,2,t,1,0.1\n0,100,1,3,t,2,0.3\n0,100,1,4,t,3,0.2\n";

/* Ended: -x: cancelled at x. Job 1 is alone on each rung, job 2 better; job 3 is the second of three, of whom
 * one may go on (3 / 2 = 1): out at 10 s; job 4 is the second of four, of whom two may: on to 20, where it is
 * the second of three. */
Test(search, asha)
{
	expect_ends(four, "cluster.cpus=1", "--model search:rule=asha,eta=2,rung=10",
		(const int64_t[]){ 100, 200, -210, -230 }, 4);
}

/* All at once: at 10 s the best two of four, at 20 one of two; ties of time in the order of rows. */
Test(search, sha)
{
	expect_ends(four, "cluster.cpus=4", "--model search:rule=sha,eta=2,rung=10",
		(const int64_t[]){ -10, 100, -10, -20 }, 4);
}

/* In turn: the rung of 10 s is full as job 4 comes to it, at 310 s: the others have ended, and it is the
 * second: on. Of those that were kept, 1 and 3 are out of it; of 2 and 4, at 20 s, one. */
Test(search, sha_waits_for_all)
{
	expect_ends(four, "cluster.cpus=1", "--model search:rule=sha,eta=2,rung=10",
		(const int64_t[]){ 100, 200, 300, -320 }, 4);
}

/* Only job 1 (0.4) and job 2 (0.1) have completed when job 3 comes to its first step: the median of 0.4 and
 * 0.1 is 0.25, 0.3 is worse: out. Job 4, 0.2, is not. Job 2 is better than job 1 alone. */
Test(search, median)
{
	expect_ends(four, "cluster.cpus=1", "--model search:rule=median,rung=10",
		(const int64_t[]){ 100, 200, -210, 310 }, 4);
}

/* Job 2 has its target from the beginning: as it starts, at 100 s, all are stopped, itself too. A target that
 * nobody comes to stops nobody. */
Test(search, first)
{
	expect_ends(four, "cluster.cpus=1", "--model search:rule=first,target=0.3",
		(const int64_t[]){ 100, -100, -100, -100 }, 4);
	expect_ends(four, "cluster.cpus=2", "--model search:rule=first,target=0.05",
		(const int64_t[]){ 100, 100, 200, 200 }, 4);
}

/* A score that falls from 1 to 0 and halves each 10 s is 0.25 after 20 s, but for what rounds to it. One that
 * is submitted later is cancelled as it comes. */
Test(search, first_by_its_curve)
{
	static const char text[] = "submit,run_time,cpus,job_id,family,score,score_from,score_time\n"
				   "0,100,1,1,t,0,1,10\n0,100,1,2,t,0.5,,\n30,5,1,3,t,0.5,,\n";
	static const char *const given[] = { "cluster.cpus=3", "--model search:rule=first,target=0.25",
		NULL };
	struct trace_run run;
	cr_assert_eq(trace_run(&run, text, "fcfs", given), SL_OK, "%s", run.err.text);
	const struct sl_result *result = &run.sim.result;
	for (uint32_t row = 0; row < 3; row++)
		cr_expect_eq(result->state[row], SL_CANCELLED, "job %u", row + 1);
	cr_expect(result->end[0] == result->end[1] && result->end[0] > 20 * SL_SECOND - 100 &&
		  result->end[0] <= 20 * SL_SECOND);
	cr_expect_eq(result->end[2], 30 * SL_SECOND);
	trace_release(&run);
}

/* Families are apart, and who has no score is in none. */
Test(search, families)
{
	static const char text[] =
		TRIALS "0,100,1,1,a,0,0.4\n0,100,1,2,a,1,0.1\n0,100,1,3,b,0,0.9\n0,100,1,4,a,3,\n";
	expect_ends(text, "cluster.cpus=4", "--model search:rule=sha,eta=2,rung=10",
		(const int64_t[]){ -10, 100, 100, 100 }, 4);
}

/* ---- Asynchronous halving, the slow way ------------------------------------------------------ */

enum { MANY = 40, CPUS = 5, RUNG = 10, ETA = 3, RUN = 300 };

/* Second by second: trials take cpus in order, and at each rung are ranked among all that came there so far.
 */
static void slow(const int64_t score[MANY], int64_t end[MANY])
{
	int64_t work[MANY] = { 0 };
	bool over[MANY] = { false };
	int64_t came[MANY][8];
	memset(came, 0, sizeof(came));
	for (int64_t now = 0;; now++) {
		bool any = false;
		/* Of one instant: ends first, then rungs by row. */
		for (int i = 0; i < MANY; i++)
			if (!over[i] && work[i] == RUN) {
				over[i] = true;
				end[i] = now;
			}
		for (int i = 0; i < MANY; i++) {
			int64_t at = RUNG;
			int k = 0;
			for (; at < work[i]; at *= ETA)
				k++;
			if (over[i] || !work[i] || at != work[i] || at >= RUN)
				continue;
			int reached = 1;
			int better = 0;
			for (int j = 0; j < MANY; j++) {
				if (j == i || !came[j][k])
					continue;
				reached++;
				better += score[j] < score[i] || (score[j] == score[i] && j < i);
			}
			came[i][k] = 1;
			if (better >= (reached / ETA > 1 ? reached / ETA : 1)) {
				over[i] = true;
				end[i] = -now;
			}
		}
		int busy = 0;
		for (int i = 0; i < MANY && busy < CPUS; i++)
			if (!over[i]) {
				work[i]++;
				busy++;
				any = true;
			}
		if (!any)
			return;
	}
}

Test(search, asha_as_the_slow_one)
{
	static char text[MANY * 60];
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "test/search");
		int64_t score[MANY];
		int64_t end[MANY];
		size_t len = (size_t)snprintf(text, sizeof(text), "%s", TRIALS);
		for (int i = 0; i < MANY; i++) {
			score[i] = (int64_t)sl_rng_below(&rng, 30);
			len += (size_t)snprintf(text + len, sizeof(text) - len, "0,%d,1,%d,t,%d,%lld\n", RUN,
				i + 1, i, (long long)score[i]);
		}
		slow(score, end);
		expect_ends(text, "cluster.cpus=5", "--model search:rule=asha,eta=3,rung=10", end, MANY);
	}
}

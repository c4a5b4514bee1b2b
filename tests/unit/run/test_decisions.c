/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_decisions.c - the decisions that policies report: by which rule, for which beneficiary, and what they
 * plan; by hand. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/engine.h"
#include "tests/world/world.h"

/* "100 start 2 order; ": jobs from 1, the beneficiary in brackets, a plan's time behind it. */
static void put(char *text, size_t capacity, const struct sl_decision *d)
{
	static const char *const decision[] = { "start", "preempt", "resume", "resize", "end", "plan" };
	const size_t used = strlen(text);
	char beneficiary[16] = "";
	char start[24] = "";
	if (d->beneficiary != UINT32_MAX)
		(void)snprintf(beneficiary, sizeof(beneficiary), "(%u)", d->beneficiary + 1);
	if (d->decision == SL_DECISION_PLAN && d->start != SL_NONE)
		(void)snprintf(start, sizeof(start), " %" PRId64, d->start / SL_SECOND);
	(void)snprintf(text + used, capacity - used, "%" PRId64 " %s %u%s%s%s; ", d->at / SL_SECOND,
		decision[d->decision], d->job + 1, d->decision == SL_DECISION_PLAN ? "" : " ",
		d->decision == SL_DECISION_PLAN ? (*start ? start : " none")
						: sl_rule_name((enum sl_rule)d->rule),
		beneficiary);
}

static int run(struct world *w, const char *policy, bool check, unsigned record)
{
	struct sim_options options;
	int status = world_open(w, policy, check, &options);
	options.record = record;
	if (!status)
		status = sim_run(&w->sim, &options, &w->err);
	return status;
}

static void expect_reported(struct world *w, const char *policy, const char *want)
{
	char text[1000] = "";
	for (int check = 0; check < 2; check++) {
		*text = '\0';
		cr_assert_eq(
			run(w, policy, check, SIM_RECORD_DECISIONS), SL_OK, "%s: %s", policy, w->err.text);
		for (size_t i = 0; i < w->sim.result.decision_count; i++)
			put(text, sizeof(text), &w->sim.result.decision[i]);
		world_release(w);
		cr_expect_str_eq(text, want, "%s%s:\n%s\nnot\n%s", policy, check ? ", each pass twice" : "",
			text, want);
	}
}

/* Job 2 needs all four until 100; job 3 ends by then, job 4 does not and waits behind it. */
Test(decisions, easy_tells_whose_start_it_keeps)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 3), JOB(1, 50, 50, 4), JOB(2, 50, 50, 1), JOB(3, 200, 200, 1) } };
	expect_reported(&w, "easy",
		"0 start 1 order; 2 start 3 backfill(2); 2 plan 2 100; 100 start 2 order; 150 start 4 order; ");
	expect_reported(
		&w, "fcfs", "0 start 1 order; 100 start 2 order; 150 start 3 order; 150 start 4 order; ");
	expect_reported(&w, "greedy", "0 start 1 fill; 2 start 3 fill; 52 start 4 fill; 252 start 2 fill; ");
}

/* Job 2 is promised 100, job 3 150. Job 1 ends at 60: both move, job 2 so that it starts at once, which is
 * no plan any more. */
Test(decisions, promises_are_reported_when_they_are_made_and_moved)
{
	struct world w = {
		.cpus = 4, .count = 3, .job = { JOB(0, 60, 100, 4), JOB(1, 50, 50, 4), JOB(2, 50, 50, 4) }
	};
	expect_reported(&w, "conservative",
		"0 start 1 promise; 1 plan 2 100; 2 plan 3 150; 60 start 2 promise; 60 plan 3 110; "
		"110 start 3 promise; ");
}

/* Reservations of depth-k are made and dropped within a pass: what it reports of them holds until the next.
 */
Test(decisions, depth_tells_all_that_it_plans)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 3), JOB(1, 50, 50, 3), JOB(2, 50, 50, 4), JOB(3, 10, 10, 1) } };
	expect_reported(&w, "depth-k:depth=2",
		"0 start 1 order; 3 start 4 backfill(2); 3 plan 2 100; 3 plan 3 150; 100 start 2 order; "
		"150 start 3 order; ");
}

/* Job 3 takes 42 s of job 2's slack: its promise moves with it. */
Test(decisions, slack_moves_promises)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 2), JOB(1, 100, 100, 4), JOB(2, 140, 140, 1) } };
	expect_reported(&w, "slack",
		"0 start 1 promise; 1 plan 2 100; 2 start 3 slack(2); 2 plan 2 142; 142 start 2 promise; ");
}

/* Who has less left takes from who has most, and says for whom. */
Test(decisions, who_makes_capacity_says_for_whom)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 100, 100, 4), JOB(10, 20, 20, 4) } };
	expect_reported(&w, "srtf",
		"0 start 1 order; 10 preempt 1 less_left(2); 10 start 2 order; 30 start 1 order; ");
}

/* User 2's quota of 2 is claimed back from user 1, who borrowed it. */
Test(decisions, quota_is_lent_and_claimed_back)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 100, 100, 2, .user = 1), JOB(1, 100, 100, 2, .user = 1),
			JOB(10, 20, 20, 2, .user = 2) } };
	expect_reported(&w, "quota:by=user,quotas=\"1=2,2=2\"",
		"0 start 1 quota; 1 start 2 borrow; 10 preempt 2 reclaim(3); 10 start 3 quota; 30 start 2 borrow; ");
}

/* Two jobs of all cpus take turns of 60 s. */
Test(decisions, turns_are_slices)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 90, 90, 4), JOB(0, 30, 30, 4) } };
	expect_reported(&w, "slices:quantum=60",
		"0 start 1 slice; 60 preempt 1 slice; 60 start 2 slice; 90 resume 1 slice; ");
}

Test(decisions, who_does_not_fit_is_turned_away)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 90, 90, 3), JOB(1, 30, 30, 2) } };
	expect_reported(&w, "loss", "0 start 1 order; 1 end 2 loss; ");
}

Test(decisions, share_holders_have_their_turn)
{
	struct world w = { .cpus = 4,
		.count = 3,
		.job = { JOB(0, 90, 90, 4, .user = 1), JOB(1, 30, 30, 4, .user = 1),
			JOB(2, 30, 30, 4, .user = 2) } };
	expect_reported(
		&w, "fairshare:by=user,plan=share", "0 start 1 share; 90 start 3 share; 120 start 2 share; ");
}

/* Job 2 was first, until job 3, which is shorter, took its place: nothing is planned for job 2 any more. */
Test(decisions, who_is_first_no_more_has_no_plan)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 100, 100, 3), JOB(1, 50, 50, 4), JOB(2, 1, 1, 1), JOB(10, 20, 20, 4),
			JOB(11, 5, 5, 1) } };
	expect_reported(&w, "easy:order=sjf",
		"0 start 1 order; 2 start 3 order; 11 start 5 order; 100 start 4 order; 120 start 2 order; ");
	w.job[2] = (struct world_job)JOB(2, 60, 60, 1);
	w.job[4] = (struct world_job)JOB(62, 30, 30, 1);
	expect_reported(&w, "easy:order=sjf",
		"0 start 1 order; 2 start 3 backfill(2); 2 plan 2 100; 10 plan 2 none; 62 start 5 backfill(4); "
		"62 plan 4 100; 100 start 4 order; 120 start 2 order; ");
}

/* ---- Any policy --------------------------------------------------------------------------------------- */

static void make_mixed(struct world *w)
{
	*w = (struct world){ .cpus = 8, .as_nodes = false };
	for (uint32_t i = 0; i < 40; i++) {
		const uint32_t x = i * 2654435761U >> 16;
		w->job[i] = (struct world_job)JOB(i * 7, 20 + x % 190, 30 + x % 230, 1 + (int32_t)(x % 8),
			.user = 1 + (int32_t)(x % 3), .account = 1 + (int32_t)(x % 2),
			.partition = 1 + (int32_t)(x % 2), .wait = i * 30);
		if (w->job[i].limit < w->job[i].run)
			w->job[i].limit = w->job[i].run;
	}
	w->count = 40;
}

static const char *const policies[] = { "fcfs", "greedy", "easy", "easy++", "conservative", "depth-k",
	"slack", "sjf", "wfp3", "f1", "fairshare", "fairshare:plan=easy", "drf", "lottery", "stride",
	"quota:by=user,quotas=\"1=4,2=2,3=2\"", "srtf", "srtf:fill=none", "gang", "slices", "loss",
	"recorded", "slurm", "composed:plan=commit", "easy:queues=partition", "depth-k:queues=partition",
	"composed:plan=easy_named", "composed:plan=conservative_named", "fairshare:plan=conservative" };

/* Each start has its rule; reporting changes no decision; nothing is reported that is not requested. */
Test(decisions, every_policy_says_why)
{
	for (size_t i = 0; i < SL_LEN(policies); i++) {
		struct world w;
		make_mixed(&w);
		cr_assert_eq(run(&w, policies[i], false, 0), SL_OK, "%s: %s", policies[i], w.err.text);
		const uint64_t digest = w.sim.result.digest;
		cr_expect_eq(w.sim.result.decision_count, 0, "%s", policies[i]);
		world_release(&w);
		make_mixed(&w);
		cr_assert_eq(run(&w, policies[i], true, SIM_RECORD_DECISIONS | SIM_RECORD_REASONS), SL_OK,
			"%s: %s", policies[i], w.err.text);
		const struct sl_result *result = &w.sim.result;
		uint32_t starts = 0;
		uint32_t started = 0;
		cr_expect_eq(result->digest, digest, "%s decides otherwise", policies[i]);
		for (size_t k = 0; k < result->decision_count; k++) {
			const struct sl_decision *d = &result->decision[k];
			starts += d->decision == SL_DECISION_START;
			cr_expect(d->decision == SL_DECISION_PLAN || d->rule != SL_RULE_NONE,
				"%s: job %u, at %" PRId64, policies[i], d->job + 1, d->at / SL_SECOND);
			cr_expect(d->beneficiary != d->job, "%s: job %u for itself", policies[i], d->job + 1);
		}
		for (uint32_t job = 0; job < w.count; job++) {
			const struct sl_attempt *attempt;
			const size_t attempts = sl_attempts_of(result, job, &attempt);
			started += attempts ? (uint32_t)attempts : result->start[job] != SL_NONE;
		}
		cr_expect_eq(starts, started, "%s: %u starts are told of %u", policies[i], starts, started);
		world_release(&w);
	}
}

/* Another policy takes over: nothing is planned by the first any more. */
Test(decisions, plans_go_with_their_policy)
{
	struct world w = { .cpus = 4, .count = 2, .job = { JOB(0, 100, 100, 4), JOB(1, 50, 50, 4) } };
	struct sim_options options;
	struct policy_choice other;
	char text[400] = "";
	cr_assert_eq(world_open(&w, "conservative", true, &options), SL_OK, "%s", w.err.text);
	cr_assert_eq(world_choose(&w, "fcfs", &other), SL_OK, "%s", w.err.text);
	options.record = SIM_RECORD_DECISIONS | SIM_RECORD_HISTORY;
	cr_assert_eq(sim_begin(&w.sim, &options, &w.err), SL_OK, "%s", w.err.text);
	cr_assert_eq(sim_advance(&w.sim, 10 * SL_SECOND, &w.err), SL_OK, "%s", w.err.text);
	cr_assert_eq(sim_handover(&w.sim, &other, &w.err), SL_OK, "%s", w.err.text);
	cr_assert_eq(sim_advance(&w.sim, SL_NEVER, &w.err), SL_OK, "%s", w.err.text);
	cr_assert_eq(sim_end(&w.sim, &w.err), SL_OK, "%s", w.err.text);
	for (size_t i = 0; i < w.sim.result.decision_count; i++)
		put(text, sizeof(text), &w.sim.result.decision[i]);
	cr_expect_str_eq(text, "0 start 1 promise; 1 plan 2 100; 10 plan 2 none; 100 start 2 order; ");
	world_release(&w);
}

/* ---- Words -------------------------------------------------------------------------------------------- */

/* A clause: no capital, no full stop, printable ASCII, of a length that a line takes. */
static void expect_clause(const char *word, const char *words)
{
	const size_t len = strlen(words);
	cr_expect(len > 10 && len < 150, "%s: %zu characters", word, len);
	cr_expect(words[0] >= 'a' && words[0] <= 'z' && words[len - 1] != '.' && !strstr(words, "  "),
		"%s: %s", word, words);
	for (size_t i = 0; i < len; i++)
		cr_expect(words[i] >= ' ' && words[i] <= '~', "%s", word);
}

Test(words, every_reason_and_rule_has_some)
{
	for (unsigned i = 0; i < SL_REASON_COUNT; i++)
		expect_clause(sl_reason_name((enum sl_reason)i), sl_reason_words((enum sl_reason)i));
	for (unsigned i = 0; i < SL_RULE_COUNT; i++)
		expect_clause(sl_rule_name((enum sl_rule)i), sl_rule_words((enum sl_rule)i));
}

/* Two reasons of one sentence would be one, but for those that Slurm has twice. */
Test(words, every_reason_has_its_own)
{
	for (unsigned i = 0; i < SL_REASON_COUNT; i++)
		for (unsigned k = i + 1; k < SL_REASON_COUNT; k++)
			cr_expect_str_neq(sl_reason_words((enum sl_reason)i),
				sl_reason_words((enum sl_reason)k), "%s and %s",
				sl_reason_name((enum sl_reason)i), sl_reason_name((enum sl_reason)k));
	cr_expect_str_eq(sl_reason_words(SL_REASON_ASSOC_GRP_MEM),
		"its account's jobs together held all the memory that they may, or would with this one");
	cr_expect_str_eq(sl_reason_words(SL_REASON_QOS_MAX_GRES_MINS_JOB),
		"by its time limit it would use more minutes of GPUs or other generic resources than its quality "
		"of service lets one job");
}

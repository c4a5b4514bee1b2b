/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_calibrate.c - a replay compared with its log: ranks, which jobs are compared, the three ways to wait,
 * groups, the verdict.
 */
#include <criterion/criterion.h>

#include "reports/metrics/calibrate.h"
#include "tests/world/result.h"

static int64_t spearman(const int64_t *x, const int64_t *y, size_t count)
{
	struct calibrate_rank scratch[16];
	int64_t ranks[32];
	return calibrate_spearman(x, y, count, scratch, ranks);
}

Test(calibrate, ranks_by_hand)
{
	static const int64_t up[] = { 10, 20, 30, 40 };
	static const int64_t down[] = { 4, 3, 2, 1 };
	static const int64_t swapped[] = { 1, 3, 2, 4 };
	static const int64_t alike[] = { 7, 7, 7, 7 };
	cr_expect_eq(spearman(up, up, 4), 1000000);
	cr_expect_eq(spearman(up, down, 4), -1000000);
	cr_expect_eq(spearman(up, swapped, 4), 800000); /* 1 - 6 * 2 / (4 * 15) */
	cr_expect_eq(spearman(up, alike, 4), SL_NONE);
	cr_expect_eq(spearman(up, up, 1), SL_NONE);
}

/* x: ranks 1, 2.5, 2.5, 4, 5; y: 2, 1, 3.5, 3.5, 5. Less their mean 3: -2 -.5 -.5 1 2 and -1 -2 .5 .5 2;
 * products 2 + 1 - .25 + .5 + 4 = 7.25; squares 9.5 and 9.5: 7.25 / 9.5. */
Test(calibrate, ranks_with_ties)
{
	static const int64_t x[] = { 1, 2, 2, 3, 4 };
	static const int64_t y[] = { -5, -9, 0, 0, 8 };
	cr_expect_eq(spearman(x, y, 5), 763158);
}

Test(calibrate, differences)
{
	cr_expect_eq(calibrate_difference(100, 103), 30000);
	cr_expect_eq(calibrate_difference(100, 97), -30000);
	cr_expect_eq(calibrate_difference(3, 4), 333333);
	cr_expect_eq(calibrate_difference(3, 1), -666667);
	cr_expect_eq(calibrate_difference(0, 0), 0);
	cr_expect_eq(calibrate_difference(0, 5), INT64_MAX);
}

/* ---- A result, and what its log says --------------------------------------------------------- */

struct log {
	struct hand *hand;
	struct sl_job_attributes more[400];
	uint32_t more_of[400];
	sl_time waits[400], eligible[400];
};

static struct log *log_new(void)
{
	struct log *log = calloc(1, sizeof(*log));
	cr_assert(log);
	log->hand = hand_new(8);
	log->hand->jobs.more = log->more;
	log->hand->jobs.more_of = log->more_of;
	log->hand->result.eligible = log->eligible;
	return log;
}

static void log_free(struct log *log)
{
	free(log->hand);
	free(log);
}

/* Submitted, started here; started by the log (-1: not). Seconds. */
static struct sl_job_attributes *add(
	struct log *log, int64_t submit, int64_t start, int64_t recorded, int32_t user)
{
	const uint32_t row = log->hand->jobs.count;
	hand_add(log->hand, (struct hand_job){ submit, start, start < 0 ? -1 : start + 10, 1, 60, user,
				    user % 2, start < 0 ? SL_PENDING : SL_COMPLETED });
	log->more_of[row] = row + 1;
	log->eligible[row] = submit * SL_SECOND;
	log->more[row + 1] = (struct sl_job_attributes){ .start_recorded = hand_time(recorded),
		.end_recorded = SL_NONE,
		.attempts_recorded = recorded >= 0,
		.state_recorded = recorded >= 0 ? SL_COMPLETED : SL_PENDING };
	log->hand->jobs.more_count = row + 2;
	return &log->more[row + 1];
}

static struct calibration take(struct log *log)
{
	struct calibration all;
	struct sl_err err = { 0 };
	cr_assert_eq(calibrate(&all, &log->hand->result, &err), SL_OK, "%s", err.text);
	return all;
}

Test(calibrate, who_is_compared)
{
	struct log *log = log_new();
	(void)add(log, 0, 10, 5, 1);
	add(log, 1, 10, -1, 1)->state_recorded = SL_CANCELLED;
	(void)add(log, 2, 10, -1, 1);
	(void)add(log, 3, 10, 1, 1); /* Started before it was submitted. */
	(void)add(log, 4, -1, 9, 1);
	add(log, 5, 10, -1, 1)->attempts_recorded = 1; /* Its last attempt is to come. */
	struct calibration all = take(log);
	static const size_t want[CALIBRATE_OUT_COUNT] = { [CALIBRATE_CANCELLED] = 1,
		[CALIBRATE_NO_START] = 1,
		[CALIBRATE_BACKWARDS] = 1,
		[CALIBRATE_NOT_HERE] = 1,
		[CALIBRATE_RETRY] = 1 };
	cr_expect_eq(all.total, 6);
	cr_expect_eq(all.jobs, 1);
	for (size_t i = 0; i < CALIBRATE_OUT_COUNT; i++)
		cr_expect_eq(all.left_out[i], want[i], "%s: %zu", calibrate_out_text[i], all.left_out[i]);
	cr_expect_eq(all.trust, CALIBRATE_FEW);
	calibrate_release(&all);
	log_free(log);
}

Test(calibrate, a_log_without_starts_is_refused)
{
	struct log *log = log_new();
	struct calibration all;
	struct sl_err err = { 0 };
	(void)add(log, 0, 10, -1, 1);
	cr_expect_eq(calibrate(&all, &log->hand->result, &err), SL_INPUT);
	log_free(log);
}

/* SWF says a wait, and nothing else. */
Test(calibrate, waits_of_a_log)
{
	struct log *log = log_new();
	(void)add(log, 0, 40, -1, 1);
	(void)add(log, 5, 45, -1, 1);
	log->more_of[0] = log->more_of[1] = 0;
	log->hand->jobs.wait_recorded = log->waits;
	log->waits[0] = 30 * SL_SECOND;
	log->waits[1] = SL_NONE;
	struct calibration all = take(log);
	cr_expect_eq(all.jobs, 1);
	cr_expect_eq(all.measure[CALIBRATE_WAIT].recorded.mean, 30 * SL_SECOND);
	cr_expect_eq(all.measure[CALIBRATE_WAIT].simulated.mean, 40 * SL_SECOND);
	calibrate_release(&all);
	log_free(log);
}

/* By the log: submitted at 100, eligible at 130, started at 150, requeued at 200, started again at 400. Here:
 * eligible at 120, started at 140, requeued at 160, started again at 300. */
Test(calibrate, attempts_and_eligibility)
{
	struct log *log = log_new();
	struct sl_job_attributes *more = add(log, 100, 140, 400, 1);
	more->attempts_recorded = 2;
	more->earlier_recorded = 250 * SL_SECOND;
	more->requeued_after_recorded = 100 * SL_SECOND;
	more->eligible_after_recorded = 30 * SL_SECOND;
	log->eligible[0] = 120 * SL_SECOND;
	const struct sl_attempt attempts[] = {
		{ .job = 0, .start = 140 * SL_SECOND, .end = 160 * SL_SECOND, .state = SL_PREEMPTED },
		{ .job = 0, .start = 300 * SL_SECOND, .end = 310 * SL_SECOND, .state = SL_COMPLETED },
	};
	log->hand->result.attempts = attempts;
	log->hand->result.attempt_count = 2;
	struct calibration all = take(log);
	static const int64_t want[CALIBRATE_MEASURES][2] = { { 50, 40 }, { 20, 20 }, { 200, 140 } };
	for (size_t i = 0; i < CALIBRATE_MEASURES; i++) {
		cr_expect_eq(all.measure[i].recorded.mean, want[i][0] * SL_SECOND, "%s",
			calibrate_measure_name[i]);
		cr_expect_eq(all.measure[i].simulated.mean, want[i][1] * SL_SECOND, "%s",
			calibrate_measure_name[i]);
	}
	cr_expect_eq(all.requeued, 1);
	cr_expect_eq(all.requeued_here, 1);
	calibrate_release(&all);
	log_free(log);
}

Test(calibrate, shares_and_percentiles)
{
	struct log *log = log_new();
	(void)add(log, 0, 100, 40, 1);    /* 60 s later: within a minute. */
	(void)add(log, 0, 1000, 1061, 1); /* 61 s sooner; within a tenth. */
	(void)add(log, 0, 500, 700, 2);   /* 200 s sooner. */
	(void)add(log, 0, 900, 800, 2);   /* 100 s later. */
	struct calibration all = take(log);
	const struct calibrate_both *wait = &all.measure[CALIBRATE_WAIT];
	cr_expect_eq(all.within_minute, 1);
	cr_expect_eq(all.within_tenth, 2);
	cr_expect_eq(all.sooner, 2);
	cr_expect_eq(all.later, 1);
	cr_expect_eq(all.difference_p50, -61 * SL_SECOND);  /* The second of -200, -61, 60, 100. */
	cr_expect_eq(wait->recorded.p50, 700 * SL_SECOND);  /* The second of four; */
	cr_expect_eq(wait->recorded.p95, 1061 * SL_SECOND); /* the fourth. */
	cr_expect_eq(wait->simulated.p50, 500 * SL_SECOND);
	cr_expect_eq(wait->recorded.mean, INT64_C(650250000));
	calibrate_release(&all);
	log_free(log);
}

Test(calibrate, groups)
{
	static const char *const user[] = { "zoe", "ann", "bob" };
	struct log *log = log_new();
	add(log, 0, 10, 20, 0)->qos = "low";
	add(log, 0, 30, 40, 1)->qos = "high";
	add(log, 0, 50, 60, 1)->qos = "low";
	(void)add(log, 0, 70, 80, -1);
	log->hand->jobs.user_name = user;
	struct calibration all = take(log);
	static const struct {
		enum calibrate_kind kind;
		const char *name;
		int64_t number;
		size_t jobs;
		int64_t recorded;
	} want[] = {
		{ CALIBRATE_PARTITION, NULL, 0, 1, 20 }, /* By number; the fourth's is unknown. */
		{ CALIBRATE_PARTITION, NULL, 1, 2, 50 },
		{ CALIBRATE_USER, "ann", 1, 2, 50 }, /* By name. */
		{ CALIBRATE_USER, "zoe", 0, 1, 20 },
		{ CALIBRATE_QOS, "high", 0, 1, 40 },
		{ CALIBRATE_QOS, "low", 0, 2, 40 },
	};
	size_t at = 0;
	for (size_t i = 0; i < all.group_count; i++) {
		const struct calibrate_group *group = &all.group[i];
		if (group->kind == CALIBRATE_ACCOUNT)
			continue;
		cr_assert_lt(at, SL_LEN(want));
		cr_expect_eq(group->kind, want[at].kind);
		if (want[at].name)
			cr_expect_str_eq(group->name, want[at].name);
		else
			cr_expect_eq(group->number, want[at].number);
		cr_expect_eq(group->jobs, want[at].jobs, "group %zu has %zu jobs", at, group->jobs);
		cr_expect_eq(group->wait.recorded.mean, want[at].recorded * SL_SECOND);
		at++;
	}
	cr_expect_eq(at, SL_LEN(want));
	calibrate_release(&all);
	log_free(log);
}

/* 200 jobs whose recorded waits are 1000 s, 1010 s...; here they are so many percent longer. */
static enum calibrate_trust trust_of(int64_t percent, bool turned)
{
	struct log *log = log_new();
	for (int64_t i = 0; i < 200; i++) {
		const int64_t recorded = 1000 + 10 * i;
		const int64_t here = 1000 + 10 * (turned ? 199 - i : i);
		(void)add(log, 0, here * (100 + percent) / 100, recorded, 1);
	}
	struct calibration all = take(log);
	const enum calibrate_trust trust = all.trust;
	calibrate_release(&all);
	log_free(log);
	return trust;
}

Test(calibrate, verdicts)
{
	cr_expect_eq(trust_of(0, false), CALIBRATE_CLOSE);
	cr_expect_eq(trust_of(15, false), CALIBRATE_CLOSE);
	cr_expect_eq(trust_of(-14, false), CALIBRATE_CLOSE);
	cr_expect_eq(trust_of(17, false), CALIBRATE_FAIR);
	cr_expect_eq(trust_of(29, false), CALIBRATE_FAIR);
	cr_expect_eq(trust_of(40, false), CALIBRATE_POOR);
	cr_expect_eq(trust_of(0, true), CALIBRATE_POOR); /* The right numbers of the wrong jobs. */
}

/* ---- How soon nodes are taken again --------------------------------------------------------------- */

enum { TURNS = 7 };

/* Submitted, by the log on those nodes from start to end; here on one node from `here` on, for 10 s. */
static const struct turn {
	int64_t submit, start, end;
	const char *nodes;
	int64_t here;
	uint32_t node;
} turns[TURNS] = {
	{ 0, 0, 100, "n1", 0, 0 },        /* Nothing ended before. */
	{ 0, 0, 50, "n2", 0, 1 },         /* Likewise. */
	{ 5, 103, 200, "n[1-2]", 12, 0 }, /* n1 is the last to be free: 3 s, here 2. */
	{ 210, 215, 300, "n2", 215, 1 },  /* It came when n2 was free: not counted. */
	{ 150, 201, 290, "n1", 151, 0 },  /* 1 s; here it came later than the end. */
	{ 7, 400, 410, "n9,n1", 20, 1 },  /* n1 has been free since 290; n9 is none. Here behind 10: 10 s. */
	{ 8, 301, 301, "n2", 30, 1 },     /* It took no time. Here at once behind 30. */
};

static void turn_add(struct log *log, const struct turn *turn)
{
	struct sl_job_attributes *more = add(log, turn->submit, turn->here, turn->start, 1);
	more->end_recorded = turn->end * SL_SECOND;
	more->nodes_recorded = turn->nodes;
}

Test(calibrate, turnover)
{
	static const char *const names[] = { "n1", "n2" };
	const struct sl_cluster cluster = { .node_count = 2, .node_name = names };
	struct log *log = log_new();
	struct sl_node_tasks place[TURNS] = { { 0 } };
	size_t first[TURNS];
	uint32_t count[TURNS];
	for (size_t i = 0; i < TURNS; i++) {
		turn_add(log, &turns[i]);
		place[i].node = turns[i].node;
		first[i] = i;
		count[i] = 1;
	}
	struct sl_result *result = &log->hand->result;
	result->cluster = &cluster;
	result->place = place;
	result->place_first = first;
	result->place_count = count;
	struct calibration all = take(log);
	cr_expect_eq(all.turnover[0].starts, 3); /* 3, 1 and 110 s. */
	cr_expect_eq(all.turnover[0].least, 1 * SL_SECOND);
	cr_expect_eq(all.turnover[0].p50, 3 * SL_SECOND);
	cr_expect_eq(all.turnover[0].p95, 110 * SL_SECOND);
	cr_expect_eq(all.turnover[1].starts, 3); /* 2, 10 and 0 s. */
	cr_expect_eq(all.turnover[1].least, 0);
	cr_expect_eq(all.turnover[1].p50, 2 * SL_SECOND);
	calibrate_release(&all);
	result->place = NULL;
	all = take(log);
	cr_expect_eq(all.turnover[0].starts, 3);
	cr_expect_eq(all.turnover[1].starts, 0);
	calibrate_release(&all);
	log_free(log);
}

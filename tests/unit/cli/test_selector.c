/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_selector.c - figures of some of a run's jobs, worked by hand, and compared with metrics.json's own;
 * bounds on them; and texts that are no selector.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/selector.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

/* On four cpus. Waits 0 90 80 100 and never; bounded slowdowns 1 3.25 8.5 6; cpu time 400 80 5 80. */
static const struct hand_job five[] = {
	{ 0, 0, 100, 4, 200, 1, 0, SL_COMPLETED },
	{ 10, 100, 140, 2, 300, 2, 0, SL_TIMEOUT },
	{ 20, 100, 105, 1, 10, 1, -1, SL_COMPLETED },
	{ 40, 140, 160, 4, 20, -1, 3, SL_FAILED },
	{ 50, -1, 120, 4, 86400, 2, 3, SL_CANCELLED },
};

static struct hand *hand_of_five(void)
{
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(five); i++)
		hand_add(hand, five[i]);
	hand->result.last = 160 * SL_SECOND;
	return hand;
}

/* "absent": known is false. */
static void value_text(char text[64], const char *selector, const struct hand *hand,
	const struct scenario *scenario, const struct sl_metrics *metrics)
{
	const struct scenario plain = { .registry = builtin_registry() };
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	const struct selector *parsed;
	int64_t micro;
	bool known;
	scenario = scenario ? scenario : &plain;
	cr_assert_eq(selector_parse(&parsed, selector, arena, &err), SL_OK, "%s: %s", selector, err.text);
	cr_assert_eq(selector_value(parsed, scenario, &hand->result, metrics, &micro, &known, &err), SL_OK,
		"%s: %s", selector, err.text);
	(void)snprintf(text, 64, "absent");
	if (known)
		*sl_put_micro(text, micro) = '\0';
	sl_arena_free(arena);
}

struct expected {
	const char *selector, *value;
};

static void expect(const struct hand *hand, const struct expected *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[64];
		value_text(text, want[i].selector, hand, NULL, NULL);
		cr_expect_str_eq(
			text, want[i].value, "%s: %s, not %s", want[i].selector, text, want[i].value);
	}
}

Test(selector, figures_are_as_worked_by_hand)
{
	static const struct expected want[] = {
		{ "jobs.total", "5" },
		{ "jobs{user=1}", "2" },
		{ "jobs.completed{user=1|2}", "2" },
		{ "jobs.total{state=TIMEOUT}", "1" },
		{ "jobs.total{state=NODE_FAIL}", "0" },     /* A count of none is known; */
		{ "wait.mean{state=NODE_FAIL}", "absent" }, /* a mean of none is not, */
		{ "wait.p95{state=CANCELLED}", "absent" },  /* nor that of who never started. */
		{ "wait.mean", "67.5" },
		{ "wait.mean{user=1}", "40" },
		{ "wait.p50{user=1|2}", "80" },
		{ "wait.p30", "80" }, /* ceil(0.3 * 4): the second of 0 80 90 100. */
		{ "wait.p25", "0" },
		{ "wait.max{user!=1}", "100" }, /* Who has no user is not 1. */
		{ "wait.mean{user=1,partition=0}", "0" },
		{ "wait_total.mean{size>=2}", "63.333333" },
		{ "turnaround.mean{size>=2}", "116.666667" }, /* 100 130 120 */
		{ "turnaround.p95", "130" },
		{ "run_time.max{user=1|2}", "100" },
		{ "slowdown.mean{user=1}", "9" }, /* 1 and 85/5 */
		{ "bounded_slowdown.mean{size=4-7}", "3.5" },
		{ "bounded_slowdown.p95{user=2}", "3.25" },
		{ "per_cpu_bounded_slowdown.mean{size=4}", "1.25" }, /* 1 and 120 / (4 * 20) */
		{ "cpu_seconds{user=1}", "405" },
		{ "cpu_hours{user=1}", "0.1125" },
		{ "gpu_hours", "absent" }, /* A counted pool has none. */
		{ "suspended.total{user=1}", "0" },
		{ "preemptions", "0" },
	};
	struct hand *hand = hand_of_five();
	expect(hand, want, SL_LEN(want));
	free(hand);
}

/* Method: how many jobs there are, at the edge of each bound. */
Test(selector, conditions_keep_to_their_boundary)
{
	static const struct expected want[] = {
		{ "jobs{size>2}", "3" },
		{ "jobs{size>=2}", "4" },
		{ "jobs{size<2}", "1" },
		{ "jobs{size<=2}", "2" },
		{ "jobs{size=1|4}", "4" },
		{ "jobs{size!=1|4}", "1" },
		{ "jobs{size=1-2}", "2" },     /* Of counts both ends are in it; */
		{ "jobs{limit=20-300}", "2" }, /* of times the second is not. */
		{ "jobs{limit=20s-301s}", "3" },
		{ "jobs{limit=5m-30m}", "1" },
		{ "jobs{limit=<5m}", "3" },
		{ "jobs{limit=>=24h}", "1" },
		{ "jobs{limit=1-00:00:00}", "1" },
		{ "jobs{limit>=1-00:00:00}", "1" },
		{ "jobs{limit=3m-1-00:00:00}", "2" },
		{ "jobs{wait>=80}", "3" }, /* Who never started has no wait, */
		{ "jobs{wait!=80}", "4" }, /* and none that is 80. */
		{ "jobs{wait<1h}", "4" },
		{ "jobs{run_time=40}", "1" },
		{ "jobs{submit>=20}", "3" },
		{ "jobs{submit<+20}", "2" },
		{ "jobs{start>=0,end<=105}", "2" },
		{ "jobs{gpus=0,mem=0,cpus>=4,nodes>=4}", "3" }, /* Cpus are nodes there. */
		{ "jobs{job=2|4}", "2" },
		{ "jobs{ job = 2 | 4 , user != 2 }", "1" },
		{ "jobs{user=\\2}", "2" },
		{ "jobs{account=1}", "0" },
		{ "jobs{account!=1}", "5" },
		{ "jobs{partition=3,state=FAILED|CANCELLED}", "2" },
		{ "jobs{qos=high}", "0" },
		{ "jobs{name!=a\\|b\\}\\ c}", "5" },
	};
	struct hand *hand = hand_of_five();
	expect(hand, want, SL_LEN(want));
	free(hand);
}

/* Method: one job is submitted at 2001-09-09T01:46:50 local time, ten seconds after zero. */
Test(selector, dates_are_the_scenarios)
{
	const struct scenario scenario = { .epoch = 999996400, .utc_offset = 3600 };
	struct hand *hand = hand_of_five();
	char text[64];
	value_text(text, "jobs{submit>=2001-09-09T01:46:50}", hand, &scenario, NULL);
	cr_expect_str_eq(text, "4");
	value_text(text, "jobs{submit>=2001-09-09T01:46:51}", hand, &scenario, NULL);
	cr_expect_str_eq(text, "3");

	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	const struct selector *selector;
	int64_t micro;
	bool known;
	cr_assert_eq(selector_parse(&selector, "jobs{start<2001-01-01}", arena, &err), SL_OK);
	cr_expect_eq(selector_value(selector, NULL, &hand->result, NULL, &micro, &known, &err), SL_USAGE,
		"no epoch");
	sl_arena_free(arena);
	free(hand);
}

/* Method: every name of metrics.json, made of jobs or not, is a selector of the same value, labels too. Among
 * 20 000 jobs of all sorts some groups are large. */
Test(selector, metrics_of_the_same_jobs_are_the_same_numbers)
{
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct hand *hand = hand_new(64);
	struct sl_metrics metrics;
	uint64_t draw = 1;
	size_t compared = 0;
	for (int64_t i = 0; i < RESULT_JOBS; i++) {
		draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const int64_t any = (int64_t)(draw >> 33);
		const int64_t start = any % 50 ? i + any % 9999 : -1;
		hand_add(hand, (struct hand_job){ i, start, start < 0 ? -1 : start + any % 7000,
				       (int32_t)(1 + any % 64), 1 + any % 100000, (int32_t)(any % 12),
				       (int32_t)(any % 3 - 1), start < 0 ? SL_PENDING : SL_COMPLETED });
	}
	metrics_init(&metrics, arena, builtin_registry());
	cr_assert_eq(metrics_compute(&metrics, &hand->result, &err), SL_OK, "%s", err.text);
	for (size_t i = 0; i < metrics.count; i++) {
		char text[64], want[64];
		value_text(text, metrics.row[i].name, hand, NULL, i % 2 ? &metrics : NULL);
		*sl_put_micro(want, metrics.row[i].micro) = '\0';
		cr_expect_str_eq(text, want, "%s: %s, not %s", metrics.row[i].name, text, want);
		compared++;
	}
	cr_expect_gt(compared, 100);
	metrics_release(&metrics);
	sl_arena_free(arena);
	free(hand);
}

enum waits { ALIKE, RISING, IN_TURN };

/* Waits of so many jobs: those of a batch (of ten) are alike. */
static struct hand *hand_of_batches(int64_t jobs, enum waits waits)
{
	struct hand *hand = hand_new(64);
	for (int64_t i = 0; i < jobs; i++) {
		/* 7 goes through all of twenty. */
		const int64_t wait = waits == ALIKE ? 10 : (waits == RISING ? i / 20 : i / 10 * 7 % 20) * 100;
		hand_add(hand, (struct hand_job){ i, i + wait, i + wait + 50, 1, 100, 1, 0, SL_COMPLETED });
	}
	return hand;
}

static bool interval(const char *text, int64_t jobs, enum waits waits, int64_t *low, int64_t *high)
{
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct hand *hand = hand_of_batches(jobs, waits);
	const struct selector *selector;
	cr_assert_eq(selector_parse(&selector, text, arena, &err), SL_OK, "%s", err.text);
	cr_assert_eq(
		selector_interval(selector, NULL, &hand->result, low, high, &err), SL_OK, "%s", err.text);
	sl_arena_free(arena);
	free(hand);
	const bool made = *low <= *high;
	*low /= SL_SECOND;
	*high /= SL_SECOND;
	return made;
}

/* Method: jobs that are alike have no spread to be measured; waits that only rise correlate so much that 40
 * batches are worth two; of batches that take turns the mean, 950 s, is known to 2.04 * 585 / sqrt(40) s on
 * each side, some 190, and the median to a few batches. */
Test(selector, intervals_are_of_batches)
{
	int64_t low, high;
	cr_expect_not(interval("wait.mean", 400, ALIKE, &low, &high));
	cr_expect_not(interval("wait.p95", 400, ALIKE, &low, &high));
	cr_expect_not(interval("wait.mean", 400, RISING, &low, &high));
	cr_assert(interval("wait.mean", 400, IN_TURN, &low, &high));
	cr_expect(low > 700 && low < 820, "%lld", (long long)low);
	cr_expect(high > 1080 && high < 1200, "%lld", (long long)high);
	cr_assert(interval("wait.p50", 400, IN_TURN, &low, &high));
	cr_expect(low > 300 && low < 900 && high > 1000 && high < 1600, "%lld %lld", (long long)low,
		(long long)high);
	cr_expect_eq(low % 100, 0, "a wait that occurred");
	cr_expect_not(interval("wait.max", 400, IN_TURN, &low, &high), "the largest of one run");
	cr_expect_not(interval("wait.mean", 199, IN_TURN, &low, &high), "too few");
	cr_expect_not(interval("cpu_seconds", 400, IN_TURN, &low, &high), "a sum");
	cr_expect_not(interval("utilization", 400, IN_TURN, &low, &high), "no job's");
}

static int parsed(const char *text, bool bound, struct sl_err *err)
{
	struct sl_arena *arena = sl_arena_new();
	const struct selector *selector;
	struct threshold threshold;
	*err = (struct sl_err){ 0 };
	const int status = bound ? threshold_parse(&threshold, text, arena, err)
				 : selector_parse(&selector, text, arena, err);
	sl_arena_free(arena);
	return status;
}

Test(selector, what_is_none_is_reported_with_its_place)
{
	static const struct {
		const char *text, *said;
		bool bound;
	} row[] = {
		{ "", "character 1: this is no metric", false },
		{ "{user=a}", "character 1: this is no metric", false },
		{ "wait.mean{user}", "character 15: 'user' is not compared", false },
		{ "wait.mean{user=}", "character 16: a value is missing", false },
		{ "wait.mean{user=a|}", "character 18: a value is missing", false },
		{ "wait.mean{user>a}", "'user' is not compared like that: give = or !=", false },
		{ "wait.mean{usr=a}",
			"character 11: 'usr' is not what jobs are chosen by: did you mean 'user'?", false },
		{ "wait.mean{state=TIMOUT}", "did you mean 'TIMEOUT'?", false },
		{ "wait.mean{gpus>=many}",
			"character 17: this is not what it is compared with: give a number", false },
		{ "wait.mean{gpus=8-4}", "give a number", false },
		{ "wait.mean{limit>4x}", "give a time", false },
		{ "wait.mean{mem>=4x}", "give a size", false },
		{ "wait.mean{submit=5}", "give <, <=, > or >=", false },
		{ "wait.mean{user=a", "a '}' behind the conditions", false },
		{ "wait.mean{user=a}x", "nothing behind the '}'", false },
		{ "wait.mean{user=a b}", "a '}' behind the conditions", false },
		{ "wait.mean < 4h", "character 1: this is no metric", false },
		{ "wait.mean<4h", "without a bound", false },
		{ "wait.mean", "character 10: a bound is missing", true },
		{ "wait.mean{user=a}", "a bound is missing", true },
		{ "wait.mean < x", "character 13: a number is missing", true },
		{ "wait.mean +5%", "against the value before", true },
		{ "jobs.total < 4h", "this is a time, and the metric is none", true },
	};
	struct sl_err err;
	for (size_t i = 0; i < SL_LEN(row); i++) {
		cr_expect_eq(parsed(row[i].text, row[i].bound, &err), SL_USAGE, "%s", row[i].text);
		cr_expect(strstr(err.text, row[i].said), "%s: %s", row[i].text, err.text);
	}
	cr_expect_eq(parsed("wait.p100{user=a}", false, &err), SL_OK, "a name that no run has");
}

Test(selector, bounds_are_met_and_how_far)
{
	static const struct {
		const char *text;
		int64_t value, margin; /* Seconds. */
		bool met;
	} row[] = {
		{ "wait.p95{gpus>=8} < 4h", 14399, 1, true },
		{ "wait.p95{gpus>=8}<4h", 14400, 0, false },
		{ "wait.p95<=4h", 14400, 0, true },
		{ "wait.p95{user=a\\}b} < 1-00:00:00", 86401, -1, false },
		{ "throughput > 5", 8, 3, true },
		{ "throughput >= 5", 4, -1, false },
		{ "wait.p95 \xe2\x89\xa4 4h", 14401, -1, false },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct sl_err err = { 0 };
		struct sl_arena *arena = sl_arena_new();
		struct threshold threshold;
		int64_t margin;
		cr_assert_eq(threshold_parse(&threshold, row[i].text, arena, &err), SL_OK, "%s: %s",
			row[i].text, err.text);
		cr_expect_eq(
			threshold_met(&threshold, row[i].value * SL_SECOND), row[i].met, "%s", row[i].text);
		cr_expect(threshold_margin(&threshold, row[i].value * SL_SECOND, &margin));
		cr_expect_eq(margin, row[i].margin * SL_SECOND, "%s", row[i].text);
		sl_arena_free(arena);
	}
}

/* A range has no one margin. */
Test(selector, ranges_are_met)
{
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct threshold threshold;
	int64_t margin;
	cr_assert_eq(threshold_parse(&threshold, "wait.mean 1h..2h", arena, &err), SL_OK, "%s", err.text);
	cr_expect(threshold_met(&threshold, 3600 * SL_SECOND));
	cr_expect_not(threshold_met(&threshold, 7201 * SL_SECOND));
	cr_expect_not(threshold_margin(&threshold, 3600 * SL_SECOND, &margin));
	sl_arena_free(arena);
}

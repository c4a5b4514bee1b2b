/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_tolerance.c - each form of a tolerance, both ways, at its bound and one millionth beyond it.
 */
#include <criterion/criterion.h>

#include "sim/result/tolerance.h"

#define M INT64_C(1000000)

static struct tolerance parsed(const char *text)
{
	struct tolerance tolerance;
	struct tol_wrong wrong;
	cr_assert(tolerance_parse(&tolerance, text, &wrong), "'%s': at %zu: %s", text, wrong.at, wrong.why);
	return tolerance;
}

static enum verdict judged(const char *text, int64_t was, int64_t is)
{
	const struct tolerance tolerance = parsed(text);
	const struct tol_move move = { was, is, is - was, is - was };
	return tolerance_judge(&tolerance, &move);
}

static const char *const verdicts[] = { "pass", "warn", "fail", "zero" };

/* Method: for each form the last value that passes, and the first that does not. Values are millionths. */
Test(tolerance, forms)
{
	static const struct {
		const char *text;
		int64_t was, is;
		enum verdict verdict;
	} cases[] = {
		{ "=", 5 * M, 5 * M, VERDICT_PASS },
		{ "=", 5 * M, 5 * M + 1, VERDICT_FAIL },
		{ "=", 5 * M, 5 * M - 1, VERDICT_FAIL },
		{ "\xc2\xb1"
		  "2",
			10 * M, 12 * M, VERDICT_PASS },
		{ "\xc2\xb1"
		  "2",
			10 * M, 12 * M + 1, VERDICT_FAIL },
		{ "+-2", 10 * M, 8 * M, VERDICT_PASS },
		{ "+/-2", 10 * M, 8 * M - 1, VERDICT_FAIL },
		{ "+-10%", 10 * M, 11 * M, VERDICT_PASS },
		{ "+-10%", 10 * M, 9 * M - 1, VERDICT_FAIL },
		{ "+-10%", -10 * M, -11 * M, VERDICT_PASS }, /* Of its size. */
		{ "+-10%", -10 * M, -11 * M - 1, VERDICT_FAIL },
		{ "+5%", 100 * M, 105 * M, VERDICT_PASS },
		{ "+5%", 100 * M, 105 * M + 1, VERDICT_FAIL },
		{ "+5%", 100 * M, 1, VERDICT_PASS }, /* The other way any distance. */
		{ "-1%", 100 * M, 99 * M, VERDICT_PASS },
		{ "-1%", 100 * M, 99 * M - 1, VERDICT_FAIL },
		{ "-1%", 100 * M, 500 * M, VERDICT_PASS },
		{ "+0.1", 1 * M, 1100000, VERDICT_PASS },
		{ "+0.1", 1 * M, 1100001, VERDICT_FAIL },
		{ "-4h", 20000 * M, 5600 * M, VERDICT_PASS },
		{ "-4h", 20000 * M, 5600 * M - 1, VERDICT_FAIL },
		{ "1..2", 0, 1 * M, VERDICT_PASS },
		{ "1..2", 0, 2 * M, VERDICT_PASS },
		{ "1 .. 2", 0, 2 * M + 1, VERDICT_FAIL },
		{ "1..2", 0, 1 * M - 1, VERDICT_FAIL },
		{ "-1..1", 0, -1 * M, VERDICT_PASS },
		{ "-2..-1", 0, -1 * M + 1, VERDICT_FAIL },
		{ "80%..90%", 0, 850000, VERDICT_PASS },
		{ "80%..90%", 0, 900001, VERDICT_FAIL },
		{ "1h..2h", 0, 3600 * M, VERDICT_PASS },
		{ "<= 4h", 0, 14400 * M, VERDICT_PASS },
		{ "<=4h", 0, 14400 * M + 1, VERDICT_FAIL },
		{ "< 4", 0, 4 * M - 1, VERDICT_PASS },
		{ "< 4", 0, 4 * M, VERDICT_FAIL },
		{ ">= 80%", 0, 800000, VERDICT_PASS },
		{ ">= 80%", 0, 799999, VERDICT_FAIL },
		{ "> -3", 0, -3 * M, VERDICT_FAIL },
		{ "\xe2\x89\xa4 1-00:00:00", 0, 86400 * M, VERDICT_PASS },
		{ "+2% or +0.1", M, 1100000, VERDICT_PASS },
		{ "+2% or +0.1", M, 1100001, VERDICT_FAIL },
		{ "+2% and <= 5", 5 * M, 5 * M + 1, VERDICT_FAIL },
		{ "+2% and <= 5", 4 * M, 4 * M + 80000, VERDICT_PASS },
		{ "= or <= 1 and >= 0", 5 * M, 5 * M, VERDICT_PASS }, /* "and" binds closer. */
		{ "warn +2%", 100 * M, 102 * M, VERDICT_PASS },
		{ "warn +2%", 100 * M, 103 * M, VERDICT_WARN },
		{ "+5% and warn +2%", 100 * M, 103 * M, VERDICT_WARN },
		{ "+5% and warn +2%", 100 * M, 106 * M, VERDICT_FAIL },
		{ "+5% and warn +2% or +4", 100 * M, 104 * M, VERDICT_PASS }, /* warn takes all behind it. */
		/* Of 0 no percentage is anything: what else there is decides. */
		{ "+2%", 0, 0, VERDICT_ZERO },
		{ "+2% or +0.1", 0, 100000, VERDICT_PASS },
		{ "+2% or +0.1", 0, 100001, VERDICT_FAIL },
		{ "+2% and <= 5", 0, 1, VERDICT_ZERO },
		{ "+2% and <= 5", 0, 6 * M, VERDICT_FAIL },
		/* The largest there are. */
		{ "+1%", INT64_MAX / 2, INT64_MAX / 2, VERDICT_PASS },
		{ "+900000%", INT64_MAX / 2, INT64_MAX, VERDICT_PASS },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		cr_expect_eq(judged(cases[i].text, cases[i].was, cases[i].is), cases[i].verdict,
			"'%s' of %lld, now %lld: not %s", cases[i].text, (long long)cases[i].was,
			(long long)cases[i].is, verdicts[cases[i].verdict]);
}

/* Goal: what is no tolerance is refused where it goes wrong. */
Test(tolerance, refused)
{
	static const struct {
		const char *text;
		size_t at;
	} cases[] = { { "", 0 }, { "5", 1 }, { "5%", 2 }, { "+", 1 }, { "+x", 1 }, { "+5q", 1 },
		{ "+5% or", 6 }, { "+5% +2%", 4 }, { "1..", 3 }, { "2..1", 4 }, { "<=", 2 }, { "<= or", 3 },
		{ "+4h%", 3 }, { "warn", 4 }, { "or +5%", 0 }, { "+5..6", 2 }, { "= =", 2 }, { "about 5", 0 },
		{ "+1e30", 1 }, { "<> 5", 1 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct tolerance tolerance;
		struct tol_wrong wrong;
		cr_expect(!tolerance_parse(&tolerance, cases[i].text, &wrong), "'%s'", cases[i].text);
		cr_expect_eq(wrong.at, cases[i].at, "'%s': at %zu, not %zu: %s", cases[i].text, wrong.at,
			cases[i].at, wrong.why);
		cr_expect(wrong.why && *wrong.why);
	}
	char text[TOL_TEXT_MAX + 2];
	struct tolerance tolerance;
	struct tol_wrong wrong;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = "warn "[i % 5];
	text[sizeof(text) - 1] = '\0';
	cr_expect(!tolerance_parse(&tolerance, text, &wrong));
	text[TOL_TEXT_MAX] = '\0';
	cr_expect(!tolerance_parse(&tolerance, text, &wrong), "a row of words without an end");
}

Test(tolerance, which_way)
{
	const struct tolerance rise = parsed("+5% or <= 3");
	const struct tolerance fall = parsed("-5%");
	const struct tolerance bound = parsed("<= 3h");
	cr_expect(tolerance_backward(&rise, 1) && !tolerance_backward(&rise, -1) &&
		  !tolerance_backward(&rise, 0));
	cr_expect(tolerance_backward(&fall, -1) && !tolerance_backward(&fall, 1));
	cr_expect(!tolerance_backward(&bound, 1) && !tolerance_backward(&bound, -1));
	cr_expect_eq(tolerance_better(&rise), -1);
	cr_expect_eq(tolerance_better(&fall), 1);
	cr_expect_eq(tolerance_better(&bound), 0);
	cr_expect(tolerance_relative(&rise) && !tolerance_relative(&bound));
	cr_expect(tolerance_timed(&bound) && !tolerance_timed(&rise));
}

/* Goal: of a family the interval as a whole must lie beyond. Method: one that touches the margin with its
 * near end. */
Test(tolerance, intervals)
{
	static const struct {
		const char *text;
		int64_t low, high;
		enum verdict verdict;
	} cases[] = {
		{ "+5", 5 * M, 9 * M, VERDICT_PASS }, { "+5", 5 * M + 1, 9 * M, VERDICT_FAIL },
		{ "-5", -9 * M, -5 * M, VERDICT_PASS }, { "-5", -9 * M, -5 * M - 1, VERDICT_FAIL },
		{ "+-5", -9 * M, -5 * M - 1, VERDICT_FAIL }, { "+-5", -9 * M, 9 * M, VERDICT_PASS },
		{ "=", -1, 1, VERDICT_PASS }, { "=", 1, 2, VERDICT_FAIL },
		{ "+5%", 5 * M + 1, 9 * M, VERDICT_FAIL }, /* Of 100. */
		{ "<= 107", 1 * M, 9 * M, VERDICT_PASS },
		{ "<= 106", 1 * M, 9 * M, VERDICT_FAIL }, /* Bounds are of the mean. */
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct tolerance tolerance = parsed(cases[i].text);
		const struct tol_move move = { 100 * M, 107 * M, cases[i].low, cases[i].high };
		cr_expect_eq(
			tolerance_judge(&tolerance, &move), cases[i].verdict, "%zu: '%s'", i, cases[i].text);
	}
}

/* 0.01 of rising beyond 5, 0.2 beyond anything else; falling: 0.5. */
static double reported_p(void *self, int64_t margin, bool rise)
{
	(void)self;
	if (!rise)
		return 0.5;
	return margin == 5 * M ? 0.01 : 0.2;
}

Test(tolerance, p_of_parts)
{
	static const struct {
		const char *text;
		double p;
	} cases[] = { { "+5", 0.01 }, { "+6", 0.2 }, { "-5", 0.5 }, { "+-5", 0.01 }, { "+5 or +6", 0.2 },
		{ "+5 and +6", 0.01 }, { "+5 and <= 200", 0.01 }, { "+6 and <= 1", 0 }, { "+5 or <= 200", 1 },
		{ "warn +5", 0.01 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct tolerance tolerance = parsed(cases[i].text);
		const struct tol_move move = { 100 * M, 107 * M, 6 * M, 8 * M };
		cr_expect_float_eq(tolerance_p(&tolerance, &move, reported_p, NULL), cases[i].p, 1e-12,
			"'%s'", cases[i].text);
	}
}

/* The p of what is beyond a margin: less, where the margin is less. */
static double beyond(void *self, int64_t margin, bool rise)
{
	(void)self;
	return rise && margin < 4 * M ? 0.001 : 0.04;
}

/* Goal: a failure has the p of what fails, not the smaller one of a warning beside it; a warning has its own.
 */
Test(tolerance, p_of_a_warning)
{
	const struct tolerance both = parsed("+5% and warn +2%");
	const struct tolerance warns = parsed("warn +2%");
	const struct tol_move fails = { 100 * M, 107 * M, 6 * M, 8 * M };
	const struct tol_move moved = { 100 * M, 104 * M, 3 * M, 5 * M };
	cr_expect_eq(tolerance_p(&both, &fails, beyond, NULL), 0.04);
	cr_expect_eq(tolerance_p(&both, &moved, beyond, NULL), 0.001);
	cr_expect_eq(tolerance_p(&warns, &fails, beyond, NULL), 0.001);
}

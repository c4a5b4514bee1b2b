/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_text.c - numbers out and in, to the last digit, at the ends of their range.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"

/* Whole numbers: every count of digits, and both ends. */
Test(text, put_i64)
{
	static const int64_t value[] = { 0, 7, 10, 99, 100, 12345, -1, -10, INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < SL_LEN(value); i++) {
		char got[32];
		char want[32];
		*sl_put_i64(got, value[i]) = '\0';
		(void)snprintf(want, sizeof(want), "%" PRId64, value[i]);
		cr_expect_str_eq(got, want);
	}
}

/* Millionths: bare when whole, no trailing zeros, the sign of what is below one. */
Test(text, put_micro)
{
	static const struct {
		int64_t value;
		const char *want;
	} cases[] = {
		{ 0, "0" },
		{ 1000000, "1" },
		{ 1500000, "1.5" },
		{ 1, "0.000001" },
		{ -1, "-0.000001" },
		{ -2250000, "-2.25" },
		{ 3683850413, "3683.850413" },
		{ 100100, "0.1001" },
		{ INT64_MAX, "9223372036854.775807" },
		{ INT64_MIN, "-9223372036854.775808" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char got[32];
		*sl_put_micro(got, cases[i].value) = '\0';
		cr_expect_str_eq(got, cases[i].want);
	}
}

/* A decimal is read exactly; beyond six decimals half goes up, in magnitude; what is no number is refused. */
Test(text, get_micro)
{
	static const struct {
		const char *text;
		int64_t want; /* SL_NONE: refused. */
	} cases[] = {
		{ "0", 0 },
		{ "12", 12000000 },
		{ "+12", 12000000 },
		{ "-3.25", -3250000 },
		{ ".5", 500000 },
		{ "5.", 5000000 },
		{ "1e3", 1000000000 },
		{ "1.5E-3", 1500 },
		{ "0.0000005", 1 },
		{ "0.00000049999", 0 },
		{ "-0.0000005", -1 },
		{ "1e-400", 0 },
		{ "999999999999", INT64_C(999999999999000000) },
		{ "1000000000000", INT64_C(1000000000000000000) },
		{ "9999999999999", SL_NONE },
		{ "0000000000000000007", 7000000 },
		{ "9223372036854.775807", INT64_MAX },
		{ "9223372036854.775808", SL_NONE },
		{ "1e13", SL_NONE },
		{ "", SL_NONE },
		{ "-", SL_NONE },
		{ ".", SL_NONE },
		{ "1e", SL_NONE },
		{ "1x", SL_NONE },
		{ "0x10", SL_NONE },
		{ "nan", SL_NONE },
		{ "inf", SL_NONE },
		{ " 1", SL_NONE },
		{ "1,5", SL_NONE },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		int64_t got = SL_NONE;
		const bool good = sl_get_micro(cases[i].text, strlen(cases[i].text), &got);
		cr_expect_eq(good, cases[i].want != SL_NONE, "'%s'", cases[i].text);
		if (good)
			cr_expect_eq(got, cases[i].want, "'%s': %" PRId64, cases[i].text, got);
	}
}

/* Memory in MiB, rounded up or down; what is refused leaves the number as it was. */
Test(text, get_memory)
{
	static const struct {
		const char *text;
		int64_t up, down; /* -7: refused. */
	} cases[] = {
		{ "16G", 16384, 16384 },
		{ "1K", 1, 0 },
		{ "1025K", 2, 1 },
		{ "2.5G", 2560, 2560 },
		{ "0.1M", 1, 0 },
		{ "7", 7, 7 },
		{ "5 G", 5120, 5120 },
		{ "4GiB", 4096, 4096 },
		{ "3tb", 3145728, 3145728 },
		{ "8000000000P", INT64_C(8589934592000000000), INT64_C(8589934592000000000) },
		{ "9000000000P", INT64_MAX, INT64_MAX },
		{ "16X", -7, -7 },
		{ "-1G", -7, -7 },
		{ "G", -7, -7 },
		{ "", -7, -7 },
		{ "1e3M", 1000, 1000 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		int64_t up = -7;
		int64_t down = -7;
		const size_t len = strlen(cases[i].text);
		cr_expect_eq(sl_get_memory(cases[i].text, len, true, &up), cases[i].up != -7, "'%s'",
			cases[i].text);
		(void)sl_get_memory(cases[i].text, len, false, &down);
		cr_expect_eq(up, cases[i].up, "'%s' is %" PRId64 " rounded up", cases[i].text, up);
		cr_expect_eq(down, cases[i].down, "'%s' is %" PRId64 " rounded down", cases[i].text, down);
	}
}

Test(text, get_i64)
{
	static const struct {
		const char *text;
		int64_t want; /* SL_NONE: refused. */
	} cases[] = {
		{ "0", 0 },
		{ "-17", -17 },
		{ "+17", 17 },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775808", SL_NONE },
		{ "-9223372036854775807", -INT64_MAX },
		{ "99999999999999999999", SL_NONE },
		{ "1.0", SL_NONE },
		{ "", SL_NONE },
		{ "-", SL_NONE },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		int64_t got = SL_NONE;
		const bool good = sl_get_i64(cases[i].text, strlen(cases[i].text), &got);
		cr_expect_eq(good, cases[i].want != SL_NONE, "'%s'", cases[i].text);
		if (good)
			cr_expect_eq(got, cases[i].want, "'%s'", cases[i].text);
	}
}

/* Seconds, with a unit, and as Slurm writes them. */
Test(text, get_duration)
{
	static const struct {
		const char *text;
		int64_t want_s; /* -1: refused. */
	} cases[] = {
		{ "90", 90 },
		{ "15m", 900 },
		{ "36h", 129600 },
		{ "1.5h", 5400 },
		{ "3d", 259200 },
		{ "2w", 1209600 },
		{ "10s", 10 },
		{ "02:30", 150 },
		{ "01:00:00", 3600 },
		{ "1-12:00:00", 129600 },
		{ "1-12:30", 131400 },
		{ "", -1 },
		{ "h", -1 },
		{ "1y", -1 },
		{ "1:2:3:4", -1 },
		{ "-1:00", -1 },
		{ "1--1:00:00", -1 },
		{ "99999999999w", -1 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		sl_time got = -1;
		const bool good = sl_get_duration(cases[i].text, strlen(cases[i].text), &got);
		cr_expect_eq(good, cases[i].want_s >= 0, "'%s'", cases[i].text);
		if (good)
			cr_expect_eq(got, cases[i].want_s * SL_SECOND, "'%s': %" PRId64, cases[i].text, got);
	}
}

/* Half goes up, towards plus infinity, and the product may pass 64 bits. */
Test(text, mul_div)
{
	cr_expect_eq(sl_mul_div(7, 1, 2), 4);
	cr_expect_eq(sl_mul_div(-7, 1, 2), -3);
	cr_expect_eq(sl_mul_div(1, 1, 3), 0);
	cr_expect_eq(sl_mul_div(2, 1, 3), 1);
	cr_expect_eq(sl_mul_div(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
	cr_expect_eq(sl_mul_div(INT64_MIN + 1, 1000000, 1000000), INT64_MIN + 1);
}

/* Each state and reason has a name, and no two the same, but that Slurm has one word for all who are beyond a
 * quota of cpus. */
Test(text, names)
{
	for (int i = 0; i < SL_STATE_COUNT; i++)
		for (int j = 0; j < i; j++)
			cr_expect_str_neq(sl_state_name((enum sl_state)i), sl_state_name((enum sl_state)j));
	for (int i = 0; i < SL_REASON_COUNT; i++)
		for (int j = 0; j < i; j++)
			cr_expect((i == SL_REASON_ASSOC_GRP_CPU && j == SL_REASON_QUOTA) ||
					  strcmp(sl_reason_name((enum sl_reason)i),
						  sl_reason_name((enum sl_reason)j)) != 0,
				"%s", sl_reason_name((enum sl_reason)i));
}

/* The first failure wins: status and text are those of the first. */
Test(text, first_failure_wins)
{
	struct sl_err err = { 0 };
	const struct sl_place at = { "x.swf", 2, 7 };
	cr_expect_eq(sl_fail_at(&err, &at, "field %d is not a number", 4), SL_INPUT);
	cr_expect_eq(sl_fail(&err, SL_USAGE, "something else"), SL_USAGE);
	cr_expect_eq(err.status, SL_INPUT);
	cr_expect_str_eq(err.text, "x.swf:2:7: field 4 is not a number");
}

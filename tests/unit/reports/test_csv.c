/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_csv.c - fields put by tables against sl_put_i64, sl_put_micro and sl_put_parts: all magnitudes, both
 * signs, what is next to powers of ten.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "reports/csv/csv.h"

static struct csv_numbers numbers;

/* The field in [field, end) is the text in [text, text_end), and a comma. */
static void expect(int64_t value, const char *field, const char *end, const char *text, const char *text_end)
{
	const size_t length = (size_t)(text_end - text);
	cr_assert_eq(end - field, text_end - text + 1, "%lld: '%.*s', not '%.*s,'", (long long)value,
		(int)(end - field), field, (int)length, text);
	cr_assert(memcmp(field, text, length) == 0 && field[length] == ',', "%lld: '%.*s', not '%.*s,'",
		(long long)value, (int)(end - field), field, (int)length, text);
}

static void try_value(int64_t value)
{
	char field[2 * CSV_NUMBER];
	char text[2 * CSV_NUMBER];
	expect(value, field, csv_field(field, &numbers, value), text, sl_put_i64(text, value));
	expect(value, field, csv_field_parts(field, &numbers, value, 1), text, sl_put_i64(text, value));
	expect(value, field, csv_field_micro(field, &numbers, value), text, sl_put_micro(text, value));
	if (value >= 0)
		expect(value, field, csv_field_ratio(field, &numbers, value), text,
			sl_put_micro(text, value));
	if (value >= 0 && value < INT64_MAX / SL_SECOND)
		expect(value, field, csv_field_parts(field, &numbers, value, 1000), text,
			sl_put_parts(text, value, 1000));
}

Test(csv, fields_are_those_of_the_slow_writers)
{
	struct sl_rng rng = sl_rng_stream(3, "csv");
	csv_numbers_make(&numbers);
	for (int64_t i = 0; i < 20000; i++)
		try_value(i);
	for (uint64_t power = 1; power <= UINT64_C(1000000000000000000); power *= 10)
		for (int64_t beside = -3; beside <= 3; beside++) {
			try_value((int64_t)power + beside);
			try_value(-(int64_t)power - beside);
			try_value((int64_t)power * 5 + beside);
		}
	for (int i = 0; i < 300000; i++) {
		const int64_t value = (int64_t)(sl_rng_u64(&rng) >> (1 + sl_rng_below(&rng, 63)));
		try_value(value);
		try_value(-value);
		if (value < INT64_MAX / SL_SECOND)
			try_value(value * SL_SECOND);
	}
	try_value(INT64_MAX);
	try_value(INT64_MIN + 1);
}

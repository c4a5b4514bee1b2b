/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sheet.c - CSV files for models: cells and their lines, quotes, comments, and what mistakes say.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/base/csv_table.h"
#include "tests/world/memfile.h"

struct read {
	const struct sl_csv_table *csv;
	struct sl_arena *arena;
	struct sl_err err;
};

static int csv_of(struct read *read, const char *text)
{
	char path[32];
	struct sl_input *in;
	*read = (struct read){ .arena = sl_arena_new() };
	(void)memfile(path, text, strlen(text));
	cr_assert_eq(sl_input_open(&in, path, &read->err), SL_OK);
	const int status = csv_read(&read->csv, in, read->arena, &read->err);
	sl_input_close(in);
	return status;
}

Test(csv, cells_and_lines)
{
	struct read read;
	cr_assert_eq(csv_of(&read, "# prices\nTime,Price\n\n0,1.5\n60,\"2,\"\"x\"\"\"\n\"a\nb\",3"), SL_OK,
		"%s", read.err.text);
	const struct sl_csv_table *csv = read.csv;
	cr_assert_eq(csv->columns, 2);
	cr_assert_eq(csv->rows, 3);
	cr_expect_eq(sl_csv_column(csv, "price"), 1, "names in any case");
	cr_expect_eq(sl_csv_column(csv, "cost"), UINT32_MAX);
	cr_expect_str_eq(csv->cell[1], "1.5");
	cr_expect_str_eq(csv->cell[3], "2,\"x\"");
	cr_expect_str_eq(csv->cell[4], "a\nb");
	cr_expect_str_eq(csv->cell[5], "3", "the last line needs no end");
	cr_expect_eq(sl_csv_place(csv, 0, 1).line, 4, "blank lines are counted");
	cr_expect_eq(sl_csv_place(csv, 2, 1).line, 6, "where the row begins");
	sl_arena_free(read.arena);
}

Test(csv, mistakes)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "# only a comment\n", "is empty: give a line with names of columns" },
		{ "a,b\n1\n", ":2: has 1 fields, and the header 2" },
		{ "a,b\n1,2,3\n", ":2: has 3 fields, and the header 2" },
		{ "a,A\n", ":1: column 'A' stands twice" },
		{ "a,\n", ":1: column 2 has no name" },
		{ "a\n1\"2\n", ":2:2: not CSV: a quote in the middle of a field" },
		{ "a\n\"1\n", ":2: not CSV: a quote in the row that begins here is not closed" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct read read;
		cr_expect_eq(csv_of(&read, cases[i].text), SL_INPUT, "case %zu", i);
		cr_expect(strstr(read.err.text, cases[i].says), "case %zu: '%s' lacks '%s'", i, read.err.text,
			cases[i].says);
		sl_arena_free(read.arena);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_inert.c - text from data made safe to print, and as a field of CSV.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/out.h"

static const struct {
	const char *text, *displayed;
} cases[] = {
	{ "plain, with blanks: \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		"plain, with blanks: \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "\x1b]0;t\x07", "\\x1b]0;t\\x07" },
	{ "a\nb\tc\rd", "a\\nb\\tc\\rd" },
	{ "\x7f", "\\x7f" },
	{ "\xc2\x9bm\xc2\xa0", "\\u009bm\xc2\xa0" }, /* C1, also as UTF-8; a no-break space is a blank. */
	{ "\x9b\xff\xc3", "\\x9b\\xff\\xc3" },       /* No UTF-8, and one that is cut off. */
	{ "\xc0\x9b", "\\xc0\\x9b" },                /* Overlong. */
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },       /* A surrogate. */
	{ "\xe2\x80\xae\xe2\x81\xa6", "\\u202e\\u2066" },           /* U+202E, U+2066 */
	{ "\xe2\x80\xaf\xe2\x81\xaa", "\xe2\x80\xaf\xe2\x81\xaa" }, /* Their neighbours are none. */
	{ "\xe2\x80\xa8", "\\u2028" },
	{ "", "" },
};

Test(inert, what_a_terminal_would_obey_is_displayed)
{
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char made[200] = "";
		for (const char *at = cases[i].text; *at;) {
			char displayed[SL_INERT_SIZE];
			const size_t len = sl_inert(&at, displayed);
			cr_expect_eq(strlen(displayed), len);
			(void)strncat(made, displayed, sizeof(made) - strlen(made) - 1);
		}
		cr_expect_str_eq(made, cases[i].displayed, "case %zu: %s", i, made);
	}
}

Test(inert, fields_of_csv)
{
	static const struct {
		const char *text, *field;
	} field[] = {
		{ "plain", "plain" },
		{ "a,b", "\"a,b\"" },
		{ "a\"b", "\"a\"\"b\"" },
		{ "a\nb", "\"a\nb\"" },
		{ "\x1b[2J", "\\x1b[2J" },
		{ "a\rb", "a\\rb" },
		{ "=1+1", "'=1+1" },
		{ "@a", "'@a" },
		{ "-12.5", "-12.5" },
		{ "+3", "+3" },
		{ "-", "-" },
		{ "-rf", "'-rf" },
		{ "=a,b", "\"'=a,b\"" },
		{ "", "" },
		{ "\xff", "\\xff" },
	};
	for (size_t i = 0; i < SL_LEN(field); i++) {
		char path[] = "/tmp/inert-XXXXXX";
		char read[100] = "";
		struct sl_err err = { 0 };
		struct sl_out *out;
		const int fd = mkstemp(path);
		cr_assert(fd >= 0);
		cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
		sl_out_csv(out, field[i].text);
		cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
		FILE *file = fopen(path, "r");
		cr_assert(file);
		(void)!fread(read, 1, sizeof(read) - 1, file);
		(void)fclose(file);
		(void)close(fd);
		(void)remove(path);
		cr_expect_str_eq(read, field[i].field, "case %zu", i);
	}
}

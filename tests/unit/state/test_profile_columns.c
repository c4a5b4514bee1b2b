/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_profile_columns.c - what jobs do while they run, as cells: units, bounds, and back to text.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/plugin.h"

static uint32_t column(const char *name)
{
	const uint32_t found = sl_profile_find(name, strlen(name));
	cr_assert_neq(found, UINT32_MAX, "%s", name);
	return found;
}

Test(profile_columns, cells_and_back)
{
	static const struct {
		const char *name, *text, *back;
	} cases[] = {
		{ "comp", "0.125", "0.125" },
		{ "comp", "0.0000000014", "0.000000001" }, /* Nanoseconds, rounded. */
		{ "comp", "0.0000000015", "0.000000002" },
		{ "comp", "3", "3" },
		{ "comm_bytes", "25000000", "25000000" },
		{ "comm_bytes", "25MB", "25000000" }, /* Powers of 1000... */
		{ "comm_bytes", "25M", "25000000" },
		{ "comm_bytes", "1.5k", "1500" },
		{ "comm_bytes", "24MiB", "25165824" }, /* ...and of 1024. */
		{ "comm_bytes", "1Gi", "1073741824" },
		{ "comm_bytes", "0.4", "0" },
		{ "comm_bytes", "0.5", "1" },
		{ "comm_bytes", "2TB", "2000000000000" },
		{ "comm_bytes", "1PiB", "1125899906842624" },
		{ "pattern", "RS_AG", "rs_ag" },
		{ "dims", "3", "3" },
		{ "overlap", "0.75", "0.75" },
		{ "gamma", "2.5", "2.5" },
		{ "checkpoint_every", "90m", "5400" },
		{ "checkpoint_async", "true", "1" },
		{ "model", "ResNet-50", "ResNet-50" },
		{ "elastic", "evolving", "evolving" },
		{ "score", "-1.25", "-1.25" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_profile profile;
		char buffer[40];
		const uint32_t at = column(cases[i].name);
		sl_profile_clear(&profile);
		cr_expect_not(sl_profile_says(&profile, at));
		cr_expect_null(sl_profile_put(&profile, at, buffer));
		const char *wanted = sl_profile_take(&profile, at, cases[i].text);
		cr_assert_null(wanted, "case %zu: %s", i, wanted);
		cr_expect_str_eq(sl_profile_put(&profile, at, buffer), cases[i].back, "case %zu", i);
	}
}

Test(profile_columns, refused)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "comp", "-1" },
		{ "comp", "1e3" },
		{ "comp", "" },
		{ "comp", "." },
		{ "comp", "9300000000" }, /* More nanoseconds than 63 bits hold. */
		{ "comm_bytes", "-1" },
		{ "comm_bytes", "B" },
		{ "comm_bytes", "1iB" },
		{ "comm_bytes", "1X" },
		{ "comm_bytes", "2000000P" },
		{ "pattern", "star" },
		{ "dims", "0" },
		{ "dims", "4" },
		{ "overlap", "1.1" },
		{ "overlap", "-0.1" },
		{ "gamma", "0.9" },
		{ "parallelism", "0" },
		{ "checkpoint_every", "-1" },
		{ "checkpoint_async", "2" },
		{ "member", "-1" },
		{ "model", "a\tb" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_profile profile;
		sl_profile_clear(&profile);
		const uint32_t at = column(cases[i].name);
		cr_expect_not_null(sl_profile_take(&profile, at, cases[i].text), "case %zu", i);
		cr_expect_not(sl_profile_says(&profile, at), "case %zu", i);
	}
}

Test(profile_columns, every_column_once_and_filled_in)
{
	struct sl_profile profile;
	struct sl_profile weaker;
	sl_profile_clear(&profile);
	sl_profile_clear(&weaker);
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		cr_expect_eq(column(sl_profile_column(i)), i, "%s", sl_profile_column(i));
	cr_expect_null(sl_profile_column(SL_PROFILE_COLUMNS));
	(void)sl_profile_take(&profile, column("overlap"), "0.5");
	(void)sl_profile_take(&weaker, column("overlap"), "0.25");
	(void)sl_profile_take(&weaker, column("image"), "pytorch");
	sl_profile_over(&profile, &weaker);
	cr_expect_eq(profile.overlap, 500000, "what it says stays");
	cr_expect_str_eq(profile.image, "pytorch");
	cr_expect_eq(profile.comp, SL_NONE);
}

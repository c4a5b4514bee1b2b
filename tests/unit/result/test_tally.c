/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_tally.c - what models report: kept in order, each name once, names as files and tables take them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/result/tally.h"

Test(tally, reported_in_order_and_once)
{
	static const char *const column[] = { "node", "hours" };
	static const int64_t of_jobs[] = { 1, SL_NONE };
	static const struct sl_cell cell[] = { { "n1", 0 }, { NULL, 1500000 } };
	struct sl_err err = { 0 };
	struct sl_result result = { 0 };
	struct sl_tally tally;
	char name[16] = "b.second";
	tally_init(&tally, sl_arena_new());
	tally.model = "toy";
	cr_expect_eq(sl_report_metric(&tally, "z.first", 5, &err), SL_OK);
	cr_expect_eq(sl_report_metric(&tally, name, 6, &err), SL_OK);
	name[0] = 'x'; /* Names are copied. */
	cr_expect_eq(sl_report_metric(&tally, "energy{node=n 1}", 7, &err), SL_OK);
	cr_expect_eq(sl_report_job_column(&tally, "rate", of_jobs, &err), SL_OK);
	cr_expect_eq(sl_report_add_table(&tally, "rate", column, 2, cell, 1, &err), SL_OK, "of another kind");
	cr_assert_eq(tally_lend(&tally, &result, &err), SL_OK);
	cr_assert_eq(result.reported_metric_count, 3);
	cr_expect_str_eq(result.reported_metric[0].name, "z.first");
	cr_expect_str_eq(result.reported_metric[1].name, "b.second");
	cr_expect_eq(result.reported_metric[2].micro, 7);
	cr_expect_eq(result.reported_column_count, 1);
	cr_expect_eq(result.reported_column[0].micro, of_jobs);
	cr_expect_str_eq(result.reported_table[0].name, "rate");
	cr_expect_eq(sl_report_metric(&tally, "z.first", 5, &err), SL_USAGE);
	cr_expect(strstr(err.text, "model 'toy' tells a metric called 'z.first', which was told before"));
	struct sl_err bad = { 0 };
	cr_expect_eq(sl_report_add_table(&tally, "../x", column, 2, cell, 1, &bad), SL_USAGE);
	cr_expect_eq(sl_report_job_column(&tally, "a,b", of_jobs, &bad), SL_USAGE);
	cr_expect_eq(sl_report_add_table(&tally, "t{a=b}", column, 2, cell, 1, &bad), SL_USAGE);
	tally_release(&tally);
	sl_arena_free(tally.arena);
}

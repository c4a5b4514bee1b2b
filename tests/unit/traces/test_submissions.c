/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_submissions.c - lines that were typed, as a trace: columns, tasks of arrays, relative times, what is
 * refused.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/heard.h"

#define HEAD "# schedlab submissions 1\n# UnixStartTime: 1000\n"

static void expect(const char *log, const char *want)
{
	static struct heard h;
	cr_assert_eq(heard_of(&h, log), SL_OK, "%s\nof\n%s", h.err.text, log);
	cr_expect_str_eq(h.text, want, "heard:\n%s\nwant:\n%s", h.text, want);
}

static void refuse(const char *row, const char *want)
{
	static struct heard h;
	char log[400];
	(void)snprintf(log, sizeof(log), HEAD "%s\n", row);
	cr_assert_eq(heard_of(&h, log), SL_INPUT, "%s", log);
	cr_expect(strstr(h.err.text, want), "%s\nof\n%s", h.err.text, log);
}

Test(submissions, rows)
{
	expect(HEAD "17\t-\t5.5\t300\t-\tann\tsbatch -N 2 --time=1:00 --begin=now+60 x.sh\n",
		"2#UnixStartTime=1000\n3: 17 @5.5 run 300 limit 60 cpus 1 u=ann PENDING begin=65.5 [ N2]");
	expect(HEAD "18\t18_3\t6\t60\t70\tbob\tsbatch -n4 --array=3-4%1 x.sh\n",
		"2#UnixStartTime=1000\n3: 18 @6 run 60 limit 4.611686018e+12 cpus 4 u=bob cancel 70 PENDING array=18_3%1 [ n4]");
}

Test(submissions, refused)
{
	refuse("x\t-\t0\t1\t-\tu\tsbatch", ":3:1: no job's number: 'x'");
	refuse("1\t-\t-1\t1\t-\tu\tsbatch", ":3:1: no time of submission: '-1'");
	refuse("1\t-\t0\t\t-\tu\tsbatch", ":3:1: no run time: ''");
	refuse("1\t-\t0\t1\tx\tu\tsbatch", ":3:1: no time of cancellation: 'x'");
	refuse("1\t-\t0\t1\t-\t\tsbatch", ":3:1: no user's name: ''");
	refuse("1\t7\t0\t1\t-\tu\tsbatch", ":3:1: no task of an array: '7'");
	refuse("1\t-\t0\t1\t-", ":3:1: fewer than 7 columns");
	refuse("1\t-\t0\t1\t-\tu\tls", "'ls' is not sbatch, srun or salloc");
}

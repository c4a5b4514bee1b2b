/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_with.c - rows of further traces: their times, ids, dependencies and arrays.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/memfile.h"
#include "tests/world/trace_run.h"

#define HEAD "submit,run_time,cpus,job_id\n"
static const char plain[] = HEAD "0,100,1,1\n50,10,1,2\n";
static const char dated[] = HEAD "2024-01-01T00:00:10,100,1,1\n2024-01-01T00:01:00,10,1,2\n";
static const char later[] = HEAD "2024-01-01T00:02:10,10,1,8\n";

static int load(struct trace_run *run, const char *text, const char *with, const char *more)
{
	char path[32];
	char set[80];
	(void)snprintf(set, sizeof(set), "replay.with=%s", memfile(path, with, strlen(with)));
	const char *const given[] = { "cluster.cpus=4", set, more, NULL };
	return trace_run(run, text, "fcfs", given);
}

static void expect_submits(const char *text, const char *with, const int64_t *submit, uint32_t count)
{
	struct trace_run run;
	cr_assert_eq(load(&run, text, with, NULL), SL_OK, "%s", run.err.text);
	cr_assert_eq(run.scenario.jobs.count, count);
	for (uint32_t row = 0; row < count; row++)
		cr_expect_eq(run.scenario.jobs.submit[row], submit[row] * SL_SECOND, "row %u: %lld", row,
			(long long)run.scenario.jobs.submit[row]);
	trace_release(&run);
}

Test(with, zeros)
{
	expect_submits(plain, plain, (const int64_t[]){ 0, 0, 50, 50 }, 4);
	expect_submits(dated, later, (const int64_t[]){ 0, 50, 120 }, 3);
	expect_submits(later, dated, (const int64_t[]){ 0, 50, 120 }, 3);
	expect_submits(plain, dated, (const int64_t[]){ 0, 0, 50, 50 }, 4);
	expect_submits(dated, plain, (const int64_t[]){ 0, 0, 50, 50 }, 4);
}

/* A file whose ids clash has all of them under its own name; another keeps its ids. */
Test(with, ids)
{
	struct trace_run run;
	cr_assert_eq(load(&run, plain, plain, NULL), SL_OK, "%s", run.err.text);
	uint32_t named = 0;
	for (uint32_t row = 0; row < 4; row++) {
		const char *name = run.scenario.jobs.id_name[row];
		named += name && strchr(name, '/') != NULL;
	}
	cr_expect_eq(named, 2);
	trace_release(&run);
	cr_assert_eq(load(&run, dated, later, NULL), SL_OK, "%s", run.err.text);
	cr_expect_neq(trace_row(&run, "8"), UINT32_MAX);
	trace_release(&run);
}

/* "afterok:1" means the file's own job 1; an array of the same number is another one. */
Test(with, dependencies_and_arrays_are_the_files_own)
{
	static const char first[] = "submit,run_time,cpus,job_id,dependency,array,array_task\n"
				    "0,1000,1,1,,,\n0,10,1,2,,7,0\n0,20,1,3,,7,1\n";
	static const char second[] = "submit,run_time,cpus,job_id,dependency,array,array_task\n"
				     "0,10,1,1,,,\n0,5,1,5,afterok:1,,\n0,30,1,6,,7,0\n0,1,1,9,afterok:7,,\n";
	struct trace_run run;
	cr_assert_eq(load(&run, first, second, "cluster.cpus=8"), SL_OK, "%s", run.err.text);
	int64_t start[7] = { 0 };
	for (uint32_t row = 0; row < 7; row++)
		start[row] = run.sim.result.start[row] / SL_SECOND;
	cr_expect_eq(start[4], 10, "after its own job 1, not the one of 1000 s");
	cr_expect_eq(start[6], 30, "after its own array 7");
	trace_release(&run);
}

Test(with, refused)
{
	static const char *const cases[][2] = {
		{ "replay.with=-", "standard input cannot" },
		{ "replay.with=,x", "files apart by commas" },
		{ "replay.with=/none.swf", "/none.swf" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct trace_run run;
		const char *const given[] = { "cluster.cpus=4", cases[i][0], NULL };
		cr_expect_neq(trace_load(&run, plain, given), SL_OK);
		cr_expect(strstr(run.err.text, cases[i][1]), "%s", run.err.text);
		trace_release(&run);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_workflow.c - workflow files: rows, dependencies and times by hand, mistakes by their words; and what
 * is reported of workflows, by hand and on generated graphs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/trace_run.h"

static const char *const eight[] = { "cluster.cpus=8", NULL };

static sl_time start_of(const struct trace_run *run, const char *id)
{
	const uint32_t row = trace_row(run, id);
	cr_assert_neq(row, UINT32_MAX, "no job %s", id);
	return run->sim.result.start[row] / SL_SECOND;
}

/* prep 0-100; shard, two at a time: 0-10, 1-... 100-110, 110-120; check waits 30 s for its own shard; end for
 * all. */
Test(workflow, stages)
{
	static const char text[] =
		"workflows:\n"
		"  - name: w\n"
		"    user: ann\n"
		"    stages:\n"
		"      - {name: prep, run_time: 100, cpus: 2}\n"
		"      - {name: shard, needs: prep, count: 3, at_most: 2, run_time: 10, cpus: 1}\n"
		"      - name: check\n"
		"        needs: [{stage: shard, match: same, delay: 30}]\n"
		"        count: 3\n"
		"        run_time: 5\n"
		"        cpus: 1\n"
		"      - {name: end, needs: [check, {stage: shard, when: any}], run_time: 1, cpus: 8}\n"
		"      - {name: never, needs: {stage: prep, when: notok}, run_time: 1, cpus: 1}\n";
	struct trace_run run;
	cr_assert_eq(trace_run(&run, text, "fcfs", eight), SL_OK, "%s", run.err.text);
	static const struct {
		const char *id;
		int64_t start;
	} want[] = { { "w.prep.0", 0 }, { "w.shard.0", 100 }, { "w.shard.1", 100 }, { "w.shard.2", 110 },
		{ "w.check.0", 140 }, { "w.check.1", 140 }, { "w.check.2", 150 }, { "w.end.0", 155 } };
	for (size_t i = 0; i < SL_LEN(want); i++)
		cr_expect_eq(start_of(&run, want[i].id), want[i].start, "%s at %lld", want[i].id,
			(long long)start_of(&run, want[i].id));
	cr_expect_eq(run.sim.result.state[trace_row(&run, "w.never.0")], SL_PENDING);
	cr_expect_str_eq(run.scenario.jobs.user_name[0], "ann");
	trace_release(&run);
}

Test(workflow, instances)
{
	static const char text[] =
		"workflows:\n"
		"  - {name: b, every: 1m, instances: 3, start: 10, stages: [{name: s, run_time: 1}]}\n"
		"  - {name: a, at: [5, 70], stages: [{name: s, run_time: 1}]}\n"
		"  - {name: c, poisson: 100, instances: 2000, seed: 3, stages: [{name: s, run_time: 1}]}\n";
	struct trace_run run;
	cr_assert_eq(trace_load(&run, text, eight), SL_OK, "%s", run.err.text);
	const struct sl_jobs *jobs = &run.scenario.jobs;
	cr_assert_eq(jobs->count, 2005);
	static const struct {
		const char *id;
		int64_t submit;
	} want[] = { { "a-1.s.0", 5 }, { "b-1.s.0", 10 }, { "a-2.s.0", 70 }, { "b-2.s.0", 70 },
		{ "b-3.s.0", 130 } };
	for (size_t i = 0; i < SL_LEN(want); i++)
		cr_expect_eq(jobs->submit[trace_row(&run, want[i].id)], want[i].submit * SL_SECOND, "%s",
			want[i].id);
	/* Mean of 2000 exponential gaps of 100 s: 100 within 4 standard errors of 2.24. */
	const double mean = (double)jobs->submit[trace_row(&run, "c-2000.s.0")] / 2000 / (double)SL_SECOND;
	cr_expect(mean > 91 && mean < 109, "%g", mean);
	trace_release(&run);
}

Test(workflow, trials)
{
	static const char text[] =
		"workflows:\n"
		"  - name: w\n"
		"    stages:\n"
		"      - name: grid\n"
		"        run_time: 10\n"
		"        search: {draw: grid, space: {a: [1, 2], b: [x, y, z]}, score: 0.5, rule: asha, rung: 5}\n"
		"      - name: listed\n"
		"        run_time: 10\n"
		"        search: {trials: [{score: 0.1}, {score: 0.2, run_time: 20}]}\n"
		"      - name: drawn\n"
		"        run_time: 10\n"
		"        search: {trials: 50, space: {lr: {from: 0.001, to: 0.1, log: yes}}, "
		"score: {from: 0.1, to: 0.2}, score_time: {from: 5, to: 6}}\n";
	struct trace_run run;
	cr_assert_eq(trace_load(&run, text, eight), SL_OK, "%s", run.err.text);
	const struct sl_jobs *jobs = &run.scenario.jobs;
	cr_assert_eq(jobs->count, 58);
	const uint32_t fourth = trace_row(&run, "w.grid.3");
	cr_expect_str_eq(
		jobs->more[jobs->more_of[fourth]].name, "a=2 b=y", "the first parameter goes round first");
	cr_expect_str_eq(jobs->profile[jobs->profile_of[fourth]].family, "w.grid rule=asha rung=5");
	cr_expect_eq(jobs->profile[jobs->profile_of[fourth]].member, 3);
	cr_expect_eq(
		jobs->run[trace_row(&run, "w.listed.1")], 20 * SL_SECOND, "its own wins over the stage's");
	for (uint32_t row = 8; row < 58; row++) {
		const struct sl_profile *profile = &jobs->profile[jobs->profile_of[row]];
		cr_expect(profile->score >= 100000 && profile->score <= 200000);
		cr_expect(profile->score_time >= 5 * SL_SECOND && profile->score_time <= 6 * SL_SECOND);
	}
	trace_release(&run);
}

Test(workflow, mistakes)
{
#define ONE(stage) "workflows:\n - name: w\n   stages:\n    - {" stage "}\n"
	static const char *const cases[][2] = {
		{ "workflows: []\n", ":1:12: must be a list of workflows" },
		{ "workflows:\n - stages: [{name: a, run_time: 1}]\n",
			":2:4: a workflow needs 'name' and 'stages'" },
		{ ONE("run_time: 1"), ":4:7: a stage without a name" },
		{ ONE("name: a"), ":4:7: stage 'a' does not say its 'run_time'" },
		{ ONE("name: a, run_time: soon"), ":4:27: column 'run_time' must be seconds" },
		{ ONE("name: a, run_time: 1, cpu: 3"), ":4:30: 'cpu' cannot be said here" },
		{ ONE("name: a, run_time: 1, submit: 3"), "'submit' cannot be said here" },
		{ ONE("name: a, run_time: 1, count: 0"), "must be a whole number from 1 to 100000, not '0'" },
		{ ONE("name: a, run_time: 1, needs: b"), "needs 'b', which does not stand before it" },
		{ ONE("name: a, run_time: 1, needs: a"), "needs 'a', which does not stand before it" },
		{ ONE("name: a, run_time: 1, search: {rule: asha}"), "a search with 'trials'" },
		{ ONE("name: a, run_time: 1, search: {trial: 3}"),
			"a search has no 'trial', did you mean 'trials'" },
		{ ONE("name: a, run_time: 1, comp: x"), "column 'comp' must be" },
		{ "workflows:\n - name: w\n   every: 5\n   stages: [{name: a, run_time: 1}]\n", "instances" },
		{ "workflows:\n - name: w\n   at: 5\n   every: 5\n   stages: [{name: a, run_time: 1}]\n",
			"leave one" },
		{ ONE("name: a, run_time: 1}\n    - {name: a, run_time: 1"),
			":5:7: 'a' has a name that another has too" },
		{ ONE("name: a, run_time: 1}\n    - {name: b, run_time: 1, count: 2, needs: {stage: a, match: same}"),
			"match: same needs as many copies" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct trace_run run;
		cr_expect_eq(trace_load(&run, cases[i][0], eight), SL_INPUT, "%s", cases[i][0]);
		cr_expect(strstr(run.err.text, cases[i][1]), "%s\n%s", cases[i][0], run.err.text);
		trace_release(&run);
	}
}

/* ---- What is reported --------------------------------------------------------------------------- */

static int64_t reported(const struct trace_run *run, const char *column, size_t row)
{
	const struct sl_report_table *table = &run->sim.result.reported_table[0];
	cr_assert(run->sim.result.reported_table_count && strcmp(table->name, "workflows") == 0);
	for (uint32_t i = 0; i < table->columns; i++)
		if (strcmp(table->column[i], column) == 0)
			return table->cell[row * table->columns + i].micro;
	cr_assert_fail("no column %s", column);
	return 0;
}

/* a 0-10, b (8 cpus) behind x: 50-70, not 10-30: 40 s of waiting on the path a, b; alone 30 s. */
Test(workflow, critical_path)
{
	static const char text[] = "submit,run_time,cpus,job_id,dependency\n"
				   "0,50,4,x,\n0,10,1,a,\n0,20,8,b,afterok:a\n0,5,1,c,afterok:a\n";
	static const char *const given[] = { "cluster.cpus=8", "--model workflow", NULL };
	struct trace_run run;
	cr_assert_eq(trace_run(&run, text, "fcfs", given), SL_OK, "%s", run.err.text);
	cr_expect_eq(run.sim.result.reported_table[0].rows, 1);
	cr_expect_eq(reported(&run, "jobs", 0), 3 * SL_SECOND);
	cr_expect_eq(reported(&run, "makespan", 0), 75 * SL_SECOND, "c waits behind b under fcfs");
	cr_expect_eq(reported(&run, "critical_path", 0), 30 * SL_SECOND);
	cr_expect_eq(reported(&run, "slowdown", 0), 2500000);
	cr_expect_eq(reported(&run, "path_wait", 0), 60 * SL_SECOND, "a, then c from 10 to 70");
	trace_release(&run);
}

enum { JOBS = 40 };

/* Generated graphs: no job starts before what it needs has ended, and no makespan is below its critical path.
 */
Test(workflow, bounds)
{
	static char text[JOBS * 200];
	static const char *const given[] = { "cluster.cpus=8", "--model workflow", NULL };
	static const char *const policies[] = { "fcfs", "easy", "conservative", "sjf" };
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct sl_rng rng = sl_rng_stream(seed, "test/workflow");
		uint32_t need[JOBS][3];
		size_t len = (size_t)snprintf(text, sizeof(text), "submit,run_time,cpus,job_id,dependency\n");
		for (uint32_t i = 0; i < JOBS; i++) {
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%u,%u,%u,%u,", i,
				1 + (unsigned)sl_rng_below(&rng, 60), 1 + (unsigned)sl_rng_below(&rng, 8),
				i + 1);
			const uint32_t needs = i ? (uint32_t)sl_rng_below(&rng, 3) : 0;
			for (uint32_t k = 0; k < 3; k++) {
				need[i][k] = k < needs ? (uint32_t)sl_rng_below(&rng, i) : UINT32_MAX;
				if (k < needs)
					len += (size_t)snprintf(text + len, sizeof(text) - len, "%s:%u",
						k ? "" : "afterok", need[i][k] + 1);
			}
			len += (size_t)snprintf(text + len, sizeof(text) - len, "\n");
		}
		struct trace_run run;
		cr_assert_eq(trace_run(&run, text, policies[seed % 4], given), SL_OK, "%s", run.err.text);
		const struct sl_result *result = &run.sim.result;
		for (uint32_t i = 0; i < JOBS; i++)
			for (uint32_t k = 0; k < 3; k++)
				if (need[i][k] != UINT32_MAX)
					cr_assert_geq(result->start[i], result->end[need[i][k]], "seed %llu",
						(unsigned long long)seed);
		for (size_t i = 0; i < result->reported_table[0].rows; i++)
			cr_assert(reported(&run, "makespan", i) >= reported(&run, "critical_path", i) &&
					  reported(&run, "path_wait", i) >= 0,
				"seed %llu", (unsigned long long)seed);
		trace_release(&run);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_compat.c - other simulators' rules, clause by clause: what compat implies, what overrides it, and what
 * each rule does to a handful of jobs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"
#include "tests/world/world.h"

/* ---- What is implied, and what wins ------------------------------------------------------------ */

struct chosen {
	struct sl_arena *arena;
	struct settings settings;
	struct policy_choice choice;
	struct sl_err err;
};

static int choose(struct chosen *c, const char *policy, const char *setting)
{
	*c = (struct chosen){ .arena = sl_arena_new() };
	c->settings.arena = c->arena;
	if (setting)
		cr_assert_eq(settings_add(&c->settings, setting, &c->err), SL_OK);
	return policy_choose(builtin_registry(), &c->choice, policy, &c->settings, c->arena, &c->err);
}

static const char *value(const struct chosen *c, const char *key)
{
	return sl_value_of(c->choice.values, c->choice.value_count, key)->text;
}

Test(compat, implies_settings_of_the_policy_and_of_the_replay)
{
	struct chosen c;
	cr_assert_eq(choose(&c, "easy:compat=frozen", NULL), SL_OK, "%s", c.err.text);
	cr_expect_str_eq(value(&c, "shadow"), "frozen");
	cr_expect_str_eq(value(&c, "spare"), "none");
	cr_expect_str_eq(c.choice.implied, "events=finish_first,passes=instant,overrun=kill");
	sl_arena_free(c.arena);
	cr_assert_eq(choose(&c, "easy", NULL), SL_OK);
	cr_expect_null(c.choice.compat);
	cr_expect_null(c.choice.implied);
	sl_arena_free(c.arena);
}

Test(compat, is_stronger_than_a_preset_and_weaker_than_what_is_given)
{
	static const struct {
		const char *policy, *setting, *key, *want;
	} cases[] = {
		{ "sjf:compat=rlscheduler", NULL, "plan", "commit" },
		{ "sjf:compat=rlscheduler", NULL, "fill", "none" },
		{ "easy:compat=rlscheduler", NULL, "fill", "queue" }, /* What it is of is EASY's to say. */
		{ "sjf:compat=rlscheduler,wait=right", NULL, "wait", "right" },
		{ "sjf:wait=right,compat=rlscheduler", NULL, "wait", "right" },
		{ "easy:compat=frozen", "spare=count", "spare", "count" },
		{ "easy", "policy.compat=frozen", "shadow", "frozen" },
		{ "easy:compat=none", "policy.compat=frozen", "shadow", "fresh" },
		{ "easy:compat=batsched", NULL, "plan", "easy_named" },
		{ "conservative:compat=batsched", NULL, "plan", "conservative_named" },
		{ "easy:compat=pyss", NULL, "arrivals", "fitting" },
		{ "easy:compat=pyss,fill=shortest", NULL, "arrivals", "all" },
		{ "conservative:compat=pyss", NULL, "arrivals", "all" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct chosen c;
		cr_assert_eq(choose(&c, cases[i].policy, cases[i].setting), SL_OK, "%s", c.err.text);
		cr_expect_str_eq(value(&c, cases[i].key), cases[i].want, "%s: %s=%s", cases[i].policy,
			cases[i].key, value(&c, cases[i].key));
		sl_arena_free(c.arena);
	}
}

Test(compat, is_refused_where_it_means_nothing)
{
	static const char *const cases[][2] = {
		{ "greedy:compat=frozen", "compat=frozen means nothing under plan=greedy" },
		{ "conservative:compat=rlscheduler", "compat=rlscheduler means nothing under" },
		{ "easy:compat=other", "none|pyss|frozen|batsched|rlscheduler" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct chosen c;
		cr_expect_eq(choose(&c, cases[i][0], NULL), SL_USAGE);
		cr_expect_not_null(strstr(c.err.text, cases[i][1]), "%s", c.err.text);
		sl_arena_free(c.arena);
	}
}

/* Not of the choice, which knows no plan yet, but of the run. */
static void expect_refused(const char *policy, const char *why)
{
	struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, 1, 1, 1) } };
	cr_expect_eq(world_run(&w, policy, true), SL_USAGE, "%s", policy);
	cr_expect_not_null(strstr(w.err.text, why), "%s: %s", policy, w.err.text);
	world_release(&w);
}

Test(compat, parts_that_do_not_go_together_are_refused)
{
	expect_refused("conservative:shadow=frozen", "shadow=frozen means nothing under plan=conservative");
	expect_refused("fcfs:spare=none", "spare=none means nothing under plan=fcfs");
	expect_refused("fcfs:arrivals=fitting", "arrivals=fitting means nothing under plan=fcfs");
	expect_refused("fcfs:fill=shortest", "fill=shortest means nothing under plan=fcfs");
	expect_refused("composed:plan=easy_named,order=sjf", "order=sjf means nothing under plan=easy_named");
}

/* ---- Loading ------------------------------------------------------------------------------------- */

struct loaded {
	struct sl_arena *arena;
	struct settings settings;
	struct scenario scenario;
	struct sl_err err;
};

static int load(struct loaded *l, const char *text, const char *implied, const char *setting)
{
	char path[32];
	*l = (struct loaded){ .arena = sl_arena_new() };
	l->settings.arena = l->arena;
	if (setting)
		cr_assert_eq(settings_add(&l->settings, setting, &l->err), SL_OK);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(path, text, strlen(text)),
		.settings = &l->settings,
		.implied = implied };
	return scenario_load(&l->scenario, &options, &l->err);
}

static void unload(struct loaded *l)
{
	scenario_release(&l->scenario);
	sl_arena_free(l->arena);
}

/* Allocated 4 and requested 2; allocated 3 and unknown; unknown and requested 5. Job 4 did not say how long
 * it ran.
 */
static const char trace[] = "; MaxProcs: 8\n"
			    "1 0 0 10 4 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"
			    "2 5 0 10 3 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1\n"
			    "3 6 0 30 -1 -1 -1 5 20 -1 1 1 1 1 1 1 -1 -1\n"
			    "4 7 0 -1 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
			    "5 8 0 -1 1 -1 -1 1 40 -1 1 1 1 1 1 1 -1 -1\n";

Test(rules, come_from_settings_and_those_win_over_what_is_implied)
{
	struct loaded l;
	cr_assert_eq(load(&l, trace, NULL, NULL), SL_OK, "%s", l.err.text);
	cr_expect(!l.scenario.rules.pass_per_event && !l.scenario.rules.submits_first &&
		  !l.scenario.rules.early);
	unload(&l);
	cr_assert_eq(load(&l, trace, "passes=event,events=submit_first,early=true", "replay.passes=instant"),
		SL_OK, "%s", l.err.text);
	cr_expect(
		!l.scenario.rules.pass_per_event && l.scenario.rules.submits_first && l.scenario.rules.early);
	unload(&l);
}

Test(rules, sizes_come_from_the_field_that_is_chosen)
{
	static const struct {
		const char *setting;
		int32_t size[3];
	} cases[] = {
		{ "size=requested", { 2, 3, 5 } },
		{ "size=allocated", { 4, 3, 5 } },
		{ "size=larger", { 4, 3, 5 } },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l;
		cr_assert_eq(load(&l, trace, NULL, cases[i].setting), SL_OK, "%s", l.err.text);
		cr_expect_eq(l.scenario.jobs.count, 3, "unknown run times are dropped");
		for (size_t job = 0; job < 3; job++)
			cr_expect_eq(l.scenario.jobs.size[job], cases[i].size[job], "%s: job %zu",
				cases[i].setting, job + 1);
		unload(&l);
	}
}

Test(rules, larger_is_the_larger_also_where_more_was_asked)
{
	struct loaded l;
	cr_assert_eq(
		load(&l, "; MaxProcs: 8\n1 0 0 10 4 -1 -1 6 20 -1 1 1 1 1 1 1 -1 -1\n", NULL, "size=larger"),
		SL_OK);
	cr_expect_eq(l.scenario.jobs.size[0], 6);
	unload(&l);
}

Test(rules, an_unknown_run_time_may_be_given)
{
	struct loaded l;
	cr_assert_eq(load(&l, trace, "overrun=extend", "run_unknown=10"), SL_OK, "%s", l.err.text);
	cr_assert_eq(l.scenario.jobs.count, 5);
	cr_expect_eq(l.scenario.jobs.run[3], 10 * SL_SECOND);
	cr_expect_eq(l.scenario.jobs.limit[3], 1, "it asked for nothing");
	cr_expect_eq(l.scenario.jobs.limit[4], 40 * SL_SECOND);
	cr_expect_eq(l.scenario.anomaly_count, 1);
	cr_expect(!l.scenario.anomaly[0].dropped && l.scenario.anomaly[0].count == 2);
	unload(&l);
	cr_assert_eq(load(&l, trace, "overrun=kill", "run_unknown=10"), SL_OK);
	cr_expect_eq(l.scenario.jobs.limit[3], 10 * SL_SECOND, "which is no reason to cut it");
	unload(&l);
}

Test(windows, are_stretches_of_the_sorted_trace)
{
	struct loaded l;
	cr_assert_eq(load(&l, trace, NULL, "windows=2@1,0"), SL_OK, "%s", l.err.text);
	cr_assert_eq(l.scenario.window_count, 2);
	const struct scenario second = scenario_window(&l.scenario, 1);
	const struct scenario first = scenario_window(&l.scenario, 0);
	cr_expect_eq(first.jobs.count, 2);
	cr_expect_eq(first.jobs.id[0], 2);
	cr_expect_eq(first.jobs.submit[1], 6 * SL_SECOND);
	cr_expect_eq(first.jobs.run[1], 30 * SL_SECOND);
	cr_expect_eq(first.jobs.size[1], 5);
	cr_expect_eq(second.jobs.id[0], 1);
	cr_expect_eq(second.window_count, 0);
	unload(&l);
}

Test(windows, that_cannot_be_are_refused)
{
	static const char *const cases[][2] = {
		{ "windows=2", "is not N@i,j" },
		{ "windows=0@0", "is not N@i,j" },
		{ "windows=2@", "is not N@i,j" },
		{ "windows=2@0,", "is not N@i,j" },
		{ "windows=2@-1", "is not N@i,j" },
		{ "windows=a@0", "is not N@i,j" },
		{ "windows=2@1@0", "is not N@i,j" },
		{ "windows=2@2", "2 jobs from number 2 on are more than there are: 3, counted from 0" },
		{ "windows=99999999999@0", "is not N@i,j" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct loaded l;
		cr_expect_eq(load(&l, trace, NULL, cases[i][0]), SL_USAGE, "%s", cases[i][0]);
		cr_expect_not_null(strstr(l.err.text, cases[i][1]), "%s: %s", cases[i][0], l.err.text);
		sl_arena_free(l.arena);
	}
}

/* ---- Rules of one instant ------------------------------------------------------------------------- */

static void expect_starts(struct world *w, const char *policy, const int64_t *want)
{
	cr_assert_eq(world_run(w, policy, true), SL_OK, "%s: %s", policy, w->err.text);
	for (uint32_t job = 0; job < w->count; job++)
		cr_expect_eq(world_start(w, job), want[job], "%s: job %u started at %lld", policy, job + 1,
			(long long)world_start(w, job));
	world_release(w);
}

/* Shortest first on one cpu: who has come when the pass is made decides. */
Test(rules, a_pass_after_each_event_knows_no_later_submission)
{
	struct world w = { .cpus = 1, .count = 2, .job = { JOB(0, 100, 100, 1), JOB(0, 10, 10, 1) } };
	expect_starts(&w, "sjf", (const int64_t[]){ 10, 0 });
	w.rules.pass_per_event = true;
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 100 });
}

Test(rules, submissions_may_come_before_ends)
{
	struct world w = { .cpus = 1,
		.count = 3,
		.rules = { .pass_per_event = true },
		.job = { JOB(0, 10, 10, 1), JOB(5, 100, 100, 1), JOB(10, 20, 20, 1) } };
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 10, 110 });
	w.rules.submits_first = true;
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 30, 10 });
}

/* Jobs 2 and 3 come as job 1 ends: if what it holds is free at once, job 2 does not wait for job 3 to come.
 */
Test(rules, what_ends_as_estimated_may_be_free_before_its_end)
{
	struct world w = { .cpus = 1,
		.count = 3,
		.rules = { .pass_per_event = true, .submits_first = true },
		.job = { JOB(0, 10, 10, 1), JOB(10, 100, 100, 1), JOB(10, 20, 20, 1) } };
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 30, 10 });
	w.rules.early = true;
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 10, 110 });
	w.job[0].limit = 11; /* It is not known to end now. */
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 30, 10 });
}

/* Job 1's estimate runs out at 50. From then on the head is expected at 200, and job 3 would end before; but
 * nobody looks until job 4 comes. */
Test(rules, an_estimate_that_runs_out_makes_no_pass_of_its_own)
{
	struct world w = { .cpus = 10,
		.count = 4,
		.job = { JOB(0, 100, 200, 6, .estimate = 50), JOB(1, 10, 10, 10), JOB(2, 60, 60, 4),
			JOB(70, 10, 10, 10) } };
	expect_starts(&w, "easy:estimate=file", (const int64_t[]){ 0, 110, 50, 120 });
	w.rules.pass_per_event = w.rules.submits_first = true;
	expect_starts(&w, "easy:estimate=file", (const int64_t[]){ 0, 130, 70, 140 });
}

/* As above: with arrivals=fitting job 4 makes nobody look either, unless it could start itself. */
Test(rules, a_submission_that_does_not_fit_may_make_no_pass)
{
	struct world w = { .cpus = 10,
		.count = 4,
		.rules = { .pass_per_event = true, .submits_first = true },
		.job = { JOB(0, 100, 200, 6, .estimate = 50), JOB(1, 10, 10, 10), JOB(2, 60, 60, 4),
			JOB(70, 10, 10, 10) } };
	expect_starts(&w, "easy:estimate=file,arrivals=fitting", (const int64_t[]){ 0, 100, 110, 170 });
	w.job[3].size = 4;
	expect_starts(&w, "easy:estimate=file,arrivals=fitting", (const int64_t[]){ 0, 130, 70, 100 });
}

/* One pass an event, ends first, and an estimate that runs out with a submission: the pass knows of both. */
Test(rules, estimates_run_out_before_any_pass_of_their_instant)
{
	struct world w = { .cpus = 10,
		.count = 3,
		.rules = { .pass_per_event = true },
		.job = { JOB(0, 100, 200, 6, .estimate = 50), JOB(1, 10, 10, 10), JOB(50, 60, 60, 4) } };
	expect_starts(&w, "easy:estimate=file", (const int64_t[]){ 0, 110, 50 });
}

/* ---- Parts ------------------------------------------------------------------------------------------ */

/* The head is promised 200 by limits; job 2 ends at 50, after which it could start at 100. */
Test(shadow, frozen_is_as_it_was_when_the_head_became_it)
{
	struct world w = { .cpus = 10,
		.count = 4,
		.job = { JOB(0, 100, 100, 6), JOB(0, 50, 200, 4), JOB(1, 100, 100, 10),
			JOB(60, 120, 120, 4) } };
	expect_starts(&w, "easy", (const int64_t[]){ 0, 0, 100, 200 });
	expect_starts(&w, "easy:shadow=frozen", (const int64_t[]){ 0, 0, 180, 60 });
	w.job[3].run = w.job[3].limit = 141; /* Past it. */
	expect_starts(&w, "easy:shadow=frozen", (const int64_t[]){ 0, 0, 100, 200 });
}

/* The shadow is the head's: with the next head it is found anew. */
Test(shadow, frozen_belongs_to_one_head)
{
	struct world w = { .cpus = 10,
		.count = 4,
		.job = { JOB(0, 10, 10, 10), JOB(1, 100, 100, 6), JOB(2, 100, 100, 10), JOB(3, 99, 99, 4) } };
	expect_starts(&w, "easy:shadow=frozen,spare=none", (const int64_t[]){ 0, 10, 110, 10 });
	w.job[3].run = w.job[3].limit = 101;
	expect_starts(&w, "easy:shadow=frozen,spare=none", (const int64_t[]){ 0, 10, 110, 210 });
}

Test(shadow, nothing_may_be_spare)
{
	struct world w = { .cpus = 10,
		.count = 3,
		.job = { JOB(0, 100, 100, 6), JOB(1, 100, 100, 8), JOB(2, 500, 500, 2) } };
	expect_starts(&w, "easy", (const int64_t[]){ 0, 100, 2 });
	expect_starts(&w, "easy:spare=none", (const int64_t[]){ 0, 100, 100 });
	w.job[2].run = w.job[2].limit = 98;
	expect_starts(&w, "easy:spare=none", (const int64_t[]){ 0, 100, 2 });
	expect_starts(&w, "easy:fill=none", (const int64_t[]){ 0, 100, 100 });
}

Test(commit, who_is_picked_is_not_overtaken)
{
	struct world w = { .cpus = 10,
		.count = 3,
		.job = { JOB(0, 100, 100, 10), JOB(10, 50, 50, 10), JOB(20, 10, 10, 10) } };
	expect_starts(&w, "sjf", (const int64_t[]){ 0, 110, 100 });
	expect_starts(&w, "sjf:plan=commit", (const int64_t[]){ 0, 100, 150 });
}

/* Job 2 is due at 100 when it is picked: others must end before, not by, that. */
Test(commit, others_fill_if_they_end_before)
{
	struct world w = { .cpus = 10,
		.count = 3,
		.job = { JOB(0, 100, 100, 6), JOB(1, 100, 100, 10), JOB(2, 97, 97, 4) } };
	expect_starts(&w, "sjf:plan=commit", (const int64_t[]){ 0, 100, 2 });
	expect_starts(&w, "sjf:plan=commit,fill=none", (const int64_t[]){ 0, 100, 200 });
	w.job[2].run = w.job[2].limit = 98;
	expect_starts(&w, "sjf:plan=commit", (const int64_t[]){ 0, 100, 200 });
}

/* Job 1 ends at 50 of 100: the time at which job 3 was due stays 100, and so may job 4 start. */
Test(commit, when_it_is_due_is_found_once)
{
	struct world w = { .cpus = 10,
		.count = 4,
		.job = { JOB(0, 50, 100, 4), JOB(0, 80, 90, 4), JOB(1, 10, 10, 10), JOB(55, 44, 44, 4) } };
	expect_starts(&w, "easy:plan=commit", (const int64_t[]){ 0, 0, 99, 55 });
}

/* The queue has the longest first; what fills does not. */
Test(commit, others_fill_in_the_order_of_submission)
{
	struct world w = { .cpus = 10,
		.count = 5,
		.job = { JOB(0, 200, 200, 6), JOB(0, 50, 50, 4), JOB(1, 5, 5, 10), JOB(2, 10, 10, 4),
			JOB(3, 100, 100, 4) } };
	expect_starts(&w, "ljf:plan=commit", (const int64_t[]){ 0, 0, 200, 50, 60 });
}

/*
 * With 1 + s in place of the wait (see test_composed.c for the wait itself):
 * job  s   r    n   ((1+s)/r)^3 n   (1+s)/(log2(n) r)
 *  2   10  4    8   166             0.92
 *  3   20  100  5   0.05            0.09
 *  4   30  9    6   245             1.33
 *  5   40  25   7   31              0.58
 */
Test(commit, published_waits_put_the_long_and_old_first)
{
	static const uint32_t order[] = { 2, 4, 1, 3 };
	static const char *const policies[] = { "wfp3:wait=published", "unicep:wait=published" };
	for (size_t p = 0; p < SL_LEN(policies); p++) {
		struct world w = { .cpus = 8,
			.count = 5,
			.job = { JOB(0, 100, 100, 8), JOB(10, 4, 4, 8), JOB(20, 100, 100, 5),
				JOB(30, 9, 9, 6), JOB(40, 25, 25, 7) } };
		cr_assert_eq(world_run(&w, policies[p], true), SL_OK, "%s", w.err.text);
		for (size_t i = 1; i < SL_LEN(order); i++)
			cr_expect_lt(world_start(&w, order[i - 1]), world_start(&w, order[i]), "%s: %zu",
				policies[p], i);
		world_release(&w);
	}
}

/*
 * Machine 0 is free from 1 on, 1 and 2 until 50, 3 until 100. Job 4 is planned for 50, on 0 and 1; so nobody
 * may use 0 for longer, though one of three will be spare.
 */
Test(named, what_is_planned_holds_its_very_machines)
{
	static const struct {
		const char *policy;
		int64_t start;
	} cases[] = {
		{ "easy", 3 },
		{ "conservative", 3 },
		{ "easy:compat=batsched", 50 },
		{ "conservative:compat=batsched", 50 },
	};
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 1, 1, 1), JOB(0, 50, 50, 2), JOB(0, 100, 100, 1), JOB(2, 10, 10, 2),
			JOB(3, 500, 500, 1) } };
	for (size_t i = 0; i < SL_LEN(cases); i++)
		expect_starts(&w, cases[i].policy, (const int64_t[]){ 0, 0, 0, 50, cases[i].start });
	w.job[4].run = w.job[4].limit = 47; /* Not for longer. */
	expect_starts(&w, "easy:compat=batsched", (const int64_t[]){ 0, 0, 0, 50, 3 });
	expect_starts(&w, "conservative:compat=batsched", (const int64_t[]){ 0, 0, 0, 50, 3 });
}

/* When a job ends before its limit the head is planned anew, and so is who stands behind it. */
Test(named, plans_are_made_anew_when_something_ended)
{
	struct world w = { .cpus = 4,
		.count = 4,
		.job = { JOB(0, 20, 100, 3), JOB(1, 10, 10, 4), JOB(2, 30, 30, 2), JOB(3, 5, 5, 1) } };
	expect_starts(&w, "easy:compat=batsched", (const int64_t[]){ 0, 20, 30, 3 });
	expect_starts(&w, "conservative:compat=batsched", (const int64_t[]){ 0, 20, 30, 3 });
}

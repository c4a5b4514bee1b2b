/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_change.c - replay.drop and replay.change: clauses into other jobs, and what is wrong with a clause.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

static const char trace[] = "; MaxProcs: 8\n"
			    "1 0 -1 100 3 -1 -1 3 200 -1 1 1 1 -1 1 1 -1 -1\n"
			    "2 10 -1 50 4 -1 -1 4 80 -1 0 2 1 -1 1 2 -1 -1\n"
			    "3 20 -1 60 1 -1 -1 1 60 -1 1 1 2 -1 1 1 -1 -1\n";

/* Settings outlive their test, each of which is a process of its own. */
static int load(struct scenario *scenario, const char *setting, struct sl_err *err)
{
	static struct settings settings;
	static char path[32];
	settings = (struct settings){ .arena = sl_arena_new() };
	*err = (struct sl_err){ 0 };
	cr_assert_eq(settings_add(&settings, setting, err), SL_OK, "%s: %s", setting, err->text);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = memfile(path, trace, strlen(trace)),
		.settings = &settings };
	const int status = scenario_load(scenario, &options, err);
	if (status)
		sl_arena_free(settings.arena);
	return status;
}

/* The numbers of the jobs that stay. */
Test(change, who_is_left_out)
{
	static const struct {
		const char *setting, *left;
	} row[] = {
		{ "replay.drop=user=1", "2" },
		{ "replay.drop=job=1|3", "2" },
		{ "replay.drop= job=1 ; ; state=FAILED ;", "3" },
		{ "replay.drop=job=\\1", "2 3" }, /* What needs no '\\' may have one. */
		{ "replay.drop=job=9\\;|1", "2 3" },
		{ "replay.drop=job=9\\||1|2", "3" },
		{ "replay.drop=cut=yes", "1 2" }, /* Job 3 ran for its limit; no row records TIMEOUT. */
		{ "replay.drop=cut=no", "3" },
		{ "replay.drop=after=10", "1 2" },           /* Later than that: at it is not. */
		{ "replay.drop=user=1,after=0", "1 2" },     /* All have to hold; */
		{ "replay.drop=user=1,after=0;job=2", "1" }, /* each clause by itself. */
		{ "replay.drop=job=1;after=20", "2 3" },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct scenario scenario;
		struct sl_err err;
		char left[32] = "";
		cr_assert_eq(
			load(&scenario, row[i].setting, &err), SL_OK, "%s: %s", row[i].setting, err.text);
		for (uint32_t job = 0; job < scenario.jobs.count; job++)
			(void)snprintf(left + strlen(left), sizeof(left) - strlen(left), "%s%d",
				job ? " " : "", (int)scenario.jobs.id[job]);
		cr_expect_str_eq(left, row[i].left, "%s: %s", row[i].setting, left);
		scenario_release(&scenario);
	}
}

/* Of job 1, which ran for 100 s under a limit of 200 s on 3 cpus. */
Test(change, what_is_otherwise)
{
	static const struct {
		const char *setting;
		int64_t limit, run, size;
	} row[] = {
		{ "replay.change=job=1 limit=150", 150, 100, 3 },
		{ "replay.change=job=1 limit*0.75 cpus=5", 150, 100, 5 },
		{ "replay.change=user=1 limit*2; job=1 limit*2 run*0.5", 800, 50, 3 },
		{ "replay.change=job=1\tlimit=2:30 \t tasks=2", 150, 100, 2 },
		{ "replay.change=state=COMPLETED limit=0:02:30;job=2 cpus=1", 150, 100, 3 },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct scenario scenario;
		struct sl_err err;
		cr_assert_eq(
			load(&scenario, row[i].setting, &err), SL_OK, "%s: %s", row[i].setting, err.text);
		cr_expect_eq(scenario.jobs.limit[0], row[i].limit * SL_SECOND, "%s", row[i].setting);
		cr_expect_eq(scenario.jobs.run[0], row[i].run * SL_SECOND, "%s", row[i].setting);
		cr_expect_eq(scenario.jobs.size[0], row[i].size, "%s", row[i].setting);
		scenario_release(&scenario);
	}
}

/* Submissions of 0, 10 and 20 s: those later than 10 s come twice as often, half as often. */
Test(change, load_after_a_time)
{
	static const struct {
		const char *setting;
		int64_t second, third;
	} row[] = {
		{ "replay.load_after=2@10", 10, 15 },
		{ "replay.load_after=0.5@10", 10, 30 },
		{ "replay.load_after=2@0:00:04", 7, 12 },
		{ "replay.load_after=2@30", 10, 20 },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct scenario scenario;
		struct sl_err err;
		cr_assert_eq(
			load(&scenario, row[i].setting, &err), SL_OK, "%s: %s", row[i].setting, err.text);
		cr_expect_eq(scenario.jobs.submit[0], 0);
		cr_expect_eq(scenario.jobs.submit[1], row[i].second * SL_SECOND, "%s", row[i].setting);
		cr_expect_eq(scenario.jobs.submit[2], row[i].third * SL_SECOND, "%s", row[i].setting);
		scenario_release(&scenario);
	}
}

Test(change, what_is_refused)
{
	static const struct {
		const char *setting, *says;
	} row[] = {
		{ "replay.drop=;;", "says nothing" },
		{ "replay.drop=after=x", "not a time" },
		{ "replay.drop=after=1|2", "one in a clause and with one time" },
		{ "replay.change=after=1 limit=3", "is for replay.drop" },
		{ "replay.load_after=2", "give a factor" },
		{ "replay.load_after=0@5", "give a factor" },
		{ "replay.load_after=2@x", "not a time" },
		{ "replay.drop=job", "'job' has no value" },
		{ "replay.drop=jop=1", "did you mean 'job'" },
		{ "replay.drop=job=", "'job=' has no value" },
		{ "replay.drop=job=1|", "'job=' has no value" },
		{ "replay.drop=job=1,", "'' is not what jobs are chosen by" },
		{ "replay.drop=job=1 limit=3", "is too much" },
		{ "replay.drop=user=1,partition=2", "at once" }, /* Partition 2 has user 2 alone. */
		{ "replay.drop=job=4", "the nearest is 3" },
		{ "replay.drop=user=9", "no job of the trace has user '9'" },
		{ "replay.change=job=1", "changes nothing" },
		{ "replay.change=job=1 limit", "'limit' has no value" },
		{ "replay.change=job=1 limits=3", "did you mean 'limit'" },
		{ "replay.change=job=1 limit=0", "cannot be '0'" },
		{ "replay.change=job=1 limit*0", "a factor" },
		{ "replay.change=job=1 cpus*2", "nothing that has a factor" },
		{ "replay.change=job=1 cpus=0", "a whole number" },
		{ "replay.change=job=1 mem=99999999P", "a size such as 16G" },
		{ "replay.change=job=1 limit*1000 limit*1000 limit*1000 limit*1000",
			"longer than time is counted" },
		{ "replay.change=job=1 run*1000 run*1000 run*1000 run*1000", "longer than time is counted" },
		{ "replay.change=job=1 hold=perhaps", "yes or no" },
		{ "replay.change=job=1 nodes=2", "give cpus=N" },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct scenario scenario;
		struct sl_err err;
		cr_assert_eq(
			load(&scenario, row[i].setting, &err), SL_USAGE, "%s: %s", row[i].setting, err.text);
		cr_expect(strstr(err.text, row[i].says), "%s: %s", row[i].setting, err.text);
	}
}

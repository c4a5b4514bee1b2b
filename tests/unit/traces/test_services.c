/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_services.c - services files: the autoscaler step by step, updates, loads, and where a file is wrong.
 *
 * What is expected follows by hand from Kubernetes' algorithm as described in services_scale.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/registry/plugins.h"
#include "tests/world/memfile.h"
#include "traces/table/services.h"

/* ---- The autoscaler ------------------------------------------------------------------------------ */

/* So many replicas at 10 requests a second each; a step says the load at a time, and how many there are then.
 */
struct step {
	int64_t at, load, wanted; /* s, requests a second */
};

static void steps(const struct scale_options *options, int64_t now, const struct step *step, size_t count)
{
	struct scale scale = { .options = options };
	for (size_t i = 0; i < count; i++) {
		int64_t wanted;
		cr_assert(scale_step(&scale, step[i].at * SL_SECOND, step[i].load * SL_SECOND, now, &wanted));
		cr_expect_eq(wanted, step[i].wanted, "at %lld: %lld, not %lld", (long long)step[i].at,
			(long long)wanted, (long long)step[i].wanted);
		now = wanted;
	}
	scale_release(&scale);
}

static struct scale_options by_ten(void)
{
	struct scale_options options;
	scale_defaults(&options);
	options.per_replica = 10 * SL_SECOND;
	options.min = 1;
	options.max = 100;
	return options;
}

/* 10 replicas hold 100: 90 to 110 changes nothing, 111 needs 12. */
Test(services, within_the_tolerance_nothing_changes)
{
	struct scale_options options = by_ten();
	options.down.stabilization = 0;
	const struct step step[] = { { 15, 110, 10 }, { 30, 90, 10 }, { 45, 111, 12 }, { 60, 107, 11 },
		{ 75, 98, 10 }, { 90, 89, 9 } };
	steps(&options, 10, step, SL_LEN(step));
	options.tolerance = 0;
	const struct step exact[] = { { 15, 110, 11 }, { 30, 101, 11 }, { 45, 100, 10 } };
	steps(&options, 10, exact, SL_LEN(exact));
}

/* In 15 s 4 more, or twice as many, whichever is more; what changed exactly 15 s ago is over. */
Test(services, up_by_four_or_by_as_many_as_there_are)
{
	const struct scale_options options = by_ten();
	const struct step step[] = { { 15, 500, 5 }, { 30, 500, 10 }, { 45, 500, 20 }, { 60, 500, 40 },
		{ 75, 500, 50 } };
	steps(&options, 1, step, SL_LEN(step));
}

/* Every 5 s: within 15 s of the first change no more than 4, or as many, are added to what there was. */
Test(services, a_period_counts_what_was_added_in_it)
{
	const struct scale_options options = by_ten();
	const struct step step[] = { { 5, 500, 6 }, { 10, 500, 6 }, { 15, 500, 6 }, { 20, 500, 12 },
		{ 25, 500, 12 } };
	steps(&options, 2, step, SL_LEN(step));
}

/* The most of the last 300 s counts, and the first time how many there were. */
Test(services, down_after_the_window)
{
	const struct scale_options options = by_ten();
	const struct step step[] = { { 15, 20, 8 }, { 165, 50, 8 }, { 314, 20, 8 }, { 315, 20, 5 },
		{ 464, 20, 5 }, { 465, 20, 2 } };
	steps(&options, 8, step, SL_LEN(step));
}

/* Up only to the least of the last 60 s. */
Test(services, up_after_a_window)
{
	struct scale_options options = by_ten();
	options.up.stabilization = 60 * SL_SECOND;
	const struct step step[] = { { 15, 50, 2 }, { 30, 50, 2 }, { 74, 60, 2 }, { 75, 60, 5 },
		{ 90, 60, 6 } };
	steps(&options, 2, step, SL_LEN(step));
}

/* 10 % of 25 in 60 s: 25 * 90 / 100 is 22. The least change of both policies; none where it is disabled. */
Test(services, down_by_policies)
{
	struct scale_options options = by_ten();
	options.down = (struct scale_rules){ .policies = 2,
		.policy = { { true, 10, 60 * SL_SECOND }, { false, 1, 60 * SL_SECOND } } };
	const struct step most[] = { { 60, 10, 22 }, { 90, 10, 22 }, { 120, 10, 19 } };
	steps(&options, 25, most, SL_LEN(most));
	options.down.select = SCALE_MIN;
	const struct step least[] = { { 60, 10, 24 }, { 90, 10, 24 }, { 120, 10, 23 } };
	steps(&options, 25, least, SL_LEN(least));
	options.down.select = SCALE_DISABLED;
	const struct step none[] = { { 60, 10, 25 }, { 120, 1000, 50 } };
	steps(&options, 25, none, SL_LEN(none));
}

/* 3 * 150 / 100 is rounded up. */
Test(services, percents_up_are_rounded_up)
{
	struct scale_options options = by_ten();
	options.up = (struct scale_rules){ .policies = 1, .policy = { { true, 50, 15 * SL_SECOND } } };
	const struct step step[] = { { 15, 500, 5 }, { 30, 500, 8 } };
	steps(&options, 3, step, SL_LEN(step));
}

Test(services, bounds_hold)
{
	struct scale_options options = by_ten();
	options.min = 2;
	options.max = 4;
	options.down.stabilization = 0;
	const struct step step[] = { { 15, 500, 4 }, { 30, 0, 2 } };
	steps(&options, 3, step, SL_LEN(step));
	options.min = 0;
	const struct step zero[] = { { 15, 0, 0 }, { 30, 0, 0 }, { 45, 1, 1 } };
	steps(&options, 3, zero, SL_LEN(zero));
}

/* ---- Loads ------------------------------------------------------------------------------------------ */

Test(services, loads_of_points_and_days)
{
	struct sl_serves s;
	sl_time until;
	cr_assert_null(sl_serves_read(&s, "capacity=2.5;cold=9;until=100;points=0:5,60:7.5,1:0"));
	cr_expect_eq(s.capacity, 2500000);
	cr_expect_eq(s.cold, 9 * SL_SECOND);
	cr_expect_eq(sl_load_at(&s, 59999999, &until), 5000000);
	cr_expect_eq(until, 60 * SL_SECOND);
	cr_expect_eq(sl_load_at(&s, 60 * SL_SECOND, &until), 7500000);
	cr_expect_eq(sl_load_at(&s, 61 * SL_SECOND, &until), 0);
	cr_expect_eq(until, SL_NEVER);
	sl_serves_release(&s);
	/* From 100 at 0 h to 160 at 1 h in steps of 600 s: 110 from 600 s on; half of that on Tuesdays. */
	cr_assert_null(sl_serves_read(&s,
		"capacity=1;until=1;step=600;day=100,160,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,40;"
		"week=1,0.5,1,1,1,1,1"));
	cr_expect_eq(sl_load_at(&s, 599 * SL_SECOND, &until), 100000000);
	cr_expect_eq(until, 600 * SL_SECOND);
	cr_expect_eq(sl_load_at(&s, 601 * SL_SECOND, &until), 110000000);
	cr_expect_eq(sl_load_at(&s, 84600 * SL_SECOND, &until), 70000000);
	cr_expect_eq(sl_load_at(&s, 86400 * SL_SECOND, &until), 50000000);
	s.phase = 86300 * SL_SECOND;
	cr_expect_eq(sl_load_at(&s, 50 * SL_SECOND, &until), 90000000);
	cr_expect_eq(until, 100 * SL_SECOND);
	sl_serves_release(&s);
}

Test(services, texts_that_say_no_service)
{
	static const char *const texts[] = { "", "capacity=1", "capacity=1;until=5",
		"capacity=1;until=5;points=1:1", "capacity=0;until=5;points=0:1",
		"capacity=1;until=5;points=0:1,0:2",
		"capacity=1;until=5;points=", "capacity=1;until=5;points=0:1;day=1",
		"capacity=1;until=5;points=0:1;what=1", "capacity=1;until=5;points=0:1;points=0:1",
		"capacity=1;until=5;points=0:1 ", "capacity=1;until=5;day=1,2;points=0:1" };
	for (size_t i = 0; i < SL_LEN(texts); i++) {
		struct sl_serves s;
		cr_expect_not_null(sl_serves_read(&s, texts[i]), "%s", texts[i]);
		sl_serves_release(&s);
	}
}

/* ---- Files -------------------------------------------------------------------------------------------- */

struct heard {
	char text[4000];
	size_t len;
};

/* "chat.0 0-100": submitted and cancelled; whom it waits for, whom it retires. */
static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	struct heard *heard = self;
	const struct sl_row_attributes *more = row->more;
	cr_expect_eq(row->col[SL_COL_SUBMIT] + row->col[SL_COL_RUN], 1000 * SL_SECOND);
	heard->len += (size_t)snprintf(heard->text + heard->len, sizeof(heard->text) - heard->len,
		"%s %lld-%lld", more->id, (long long)(row->col[SL_COL_SUBMIT] / SL_SECOND),
		(long long)(more->cancel / SL_SECOND));
	if (more->job->dependency)
		heard->len += (size_t)snprintf(heard->text + heard->len, sizeof(heard->text) - heard->len,
			" %s", more->job->dependency);
	if (more->profile->retires != SL_NONE)
		heard->len += (size_t)snprintf(heard->text + heard->len, sizeof(heard->text) - heard->len,
			" x%lld", (long long)more->profile->retires);
	heard->text[heard->len++] = '\n';
	heard->text[heard->len] = '\0';
	cr_assert(heard->len < 3900);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)at;
	cr_expect(false, "%s", cause);
	return sl_fail(err, SL_INPUT, "%s", cause);
}

static void read_text(const char *text, struct heard *heard, struct sl_err *err)
{
	char path[32];
	struct sl_input *in;
	const struct sl_sink sink = { .self = heard, .job = on_job, .anomaly = on_anomaly };
	*heard = (struct heard){ .len = 0 };
	*err = (struct sl_err){ 0 };
	cr_assert_eq(sl_input_open(&in, memfile(path, text, strlen(text)), err), SL_OK, "%s", err->text);
	cr_expect_eq(services_reader.read(in, &sink, err), err->status);
	sl_input_close(in);
}

static void expect_rows(const char *text, const char *rows)
{
	struct heard heard;
	struct sl_err err;
	read_text(text, &heard, &err);
	cr_assert_eq(err.status, SL_OK, "%s", err.text);
	cr_expect_str_eq(heard.text, rows);
}

/* 32 requests a second at 8 for each replica are 4; of 3 where 1 is enough, the newest go after 300 s. */
Test(services, replicas_come_and_go_with_the_load)
{
	expect_rows("services:\n"
		    "  - {name: chat, load: 32, capacity: 10, target: 0.8, until: 1000, initial: 2}\n",
		"chat.0 0-1000\nchat.1 0-1000\nchat.2 15-1000\nchat.3 15-1000\n");
	expect_rows("services:\n"
		    "  - {name: chat, load: {day: [8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8]},\n"
		    "     capacity: 8, until: 1000, initial: 3}\n",
		"chat.0 0-1000\nchat.1 0-315\nchat.2 0-315\n");
}

/* 4 replicas, one more and one less at a time: old 3 goes at once, 4 and 5 come; 6 comes as 2 has gone (once
 * 4 is ready), 7 as 1 has (5 is). */
Test(services, an_update_goes_in_waves)
{
	expect_rows("services:\n"
		    "  - {name: a, load: 4, capacity: 1, until: 1000, initial: 4,\n"
		    "     updates: [{at: 500, max_surge: 1, max_unavailable: 1}]}\n",
		"a.0 0-1000\na.1 0-1000\na.2 0-1000\na.3 0-500\n"
		"a.4 500-1000 x2\na.5 500-1000 x1\na.6 500-1000 afterany:a.2 x0\na.7 500-1000 afterany:a.1\n");
	/* None less, half more: 2 come, each later one for one that went. */
	expect_rows("services:\n"
		    "  - {name: a, load: 3, capacity: 1, until: 1000, initial: 3,\n"
		    "     updates: [{at: 500, max_surge: 50%, max_unavailable: 0}]}\n",
		"a.0 0-1000\na.1 0-1000\na.2 0-1000\n"
		"a.3 500-1000 x2\na.4 500-1000 x1\na.5 500-1000 afterany:a.2 x0\n");
	/* 25 % of one is none, 0 % too: then one may lack. */
	expect_rows("services:\n"
		    "  - {name: a, load: 1, capacity: 1, until: 1000, initial: 1,\n"
		    "     updates: [{at: 500, max_surge: 0, max_unavailable: 25%}]}\n",
		"a.0 0-500\na.1 500-1000\n");
}

/* 2 replicas from 300 s on: of the new ones the second goes, and with it whom it was to retire. */
Test(services, fewer_while_an_update_goes_on)
{
	expect_rows("services:\n"
		    "  - {name: a, load: 1, capacity: 1, until: 1000, initial: 2,\n"
		    "     updates: [{at: 100, max_surge: 1, max_unavailable: 0}]}\n",
		"a.0 0-315\na.1 0-1000\na.2 100-1000 x1\na.3 100-315 afterany:a.1 x0\n");
}

Test(services, files_that_are_wrong)
{
	static const char *const texts[][2] = {
		{ "services: 5\n", ":1:11: must be a list of services, not '5'" },
		{ "services:\n  - {name: a, load: 1, capacity: 1}\n", ":2:5: a service needs" },
		{ "services:\n  - {name: a, load: 1, capacity: 1, until: 9, gpu: 1}\n",
			":2:47: unknown key 'gpu'" },
		{ "services:\n  - {name: a, load: 1, capacity: 1, until: 9, submit: 1}\n",
			"'submit' follows from the service" },
		{ "services:\n  - {name: a, load: {mean: 1, amplitude: 2}, capacity: 1, until: 9}\n",
			"'amplitude' is larger than 'mean'" },
		{ "services:\n  - {name: a, load: 1, capacity: 0, until: 9}\n", ":2:34: must be a number" },
		{ "services:\n  - {name: a, load: 1, capacity: 1, until: 9, min: 3, max: 2}\n",
			"must have min <= initial <= max" },
		{ "services:\n  - {name: a, load: 1, capacity: 1, until: 9, autoscaler: {sink: 3}}\n",
			"unknown key 'sink'" },
		{ "services:\n  - {name: a, load: 1, capacity: 1, until: 9, updates: [{at: 9}]}\n",
			"an update needs 'at'" },
		{ "services:\n  - {name: a, load: 1, capacity: 1, until: 9,\n"
		  "     updates: [{at: 5, max_surge: 0, max_unavailable: 0}]}\n",
			":3:16: 'max_surge' and 'max_unavailable' are both 0" },
	};
	for (size_t i = 0; i < SL_LEN(texts); i++) {
		struct heard heard;
		struct sl_err err;
		read_text(texts[i][0], &heard, &err);
		cr_expect_eq(err.status, SL_INPUT, "%s", texts[i][0]);
		cr_expect_not_null(strstr(err.text, texts[i][1]), "%s: %s", texts[i][1], err.text);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_whatif_ranges.c - what a search varies: ranges, steps, factors, units, their order, and what they buy.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/whatif/whatif_search.h"

static int parse(struct axis *axis, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	*err = (struct sl_err){ 0 };
	return axis_parse(axis, "--vary", text, arena, err);
}

static const char *joined(char text[400], const struct axis *axis)
{
	*text = '\0';
	for (size_t i = 0; i < axis->count; i++) {
		const size_t used = strlen(text);
		(void)snprintf(text + used, 400 - used, "%s%s", i ? " " : "", axis->value[i]);
	}
	return text;
}

Test(whatif_ranges, values_in_the_order_that_is_wanted)
{
	static const struct {
		const char *text, *values;
		bool falls, unordered;
	} row[] = {
		{ "a=0..4", "0 1 2 3 4", false, false },
		{ "a=0..9:4", "0 4 8", false, false }, /* As far as the steps lead. */
		{ "a=60..180:60,300", "60 120 180 300", false, false },
		{ "a=1,2,5", "1 2 5", false, false },
		{ "a=4..1", "4 3 2 1", true, false },
		{ "a=0.8..1.2:0.1", "0.8 0.9 1 1.1 1.2", false, false },
		{ "a=1..10:x2", "1 2 4 8", false, false },
		{ "a=2..10:x1.5", "2 3 5 8", false, false }, /* 4.5 and 7.5 are rounded. */
		{ "a=0.5..2:x2", "0.5 1 2", false, false },
		{ "a=30m..2h:30m", "1800s 3600s 5400s 7200s", false, false },
		{ "a=1h..3h", "1h 2h 3h", false, false },
		{ "a=1d..3d:1", "1d 2d 3d", false, false },
		{ "a=0..2h:1h", "0h 1h 2h", false, false },
		{ "a=7", "7", false, false },
		{ "order=fcfs,sjf", "fcfs sjf", false, true },
		{ "a=1,5,2", "1 5 2", false, true },
		/* Most taken away is wanted, and most load. */
		{ "cluster.nodes[x].count-=0..3", "3 2 1 0", true, false },
		{ "cluster.nodes[x].count-=3..0", "3 2 1 0", true, false },
		{ "replay.load=1..1.2:0.1", "1.2 1.1 1", true, false },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct sl_arena *arena = sl_arena_new();
		struct axis axis;
		struct sl_err err;
		char text[400];
		cr_assert_eq(parse(&axis, row[i].text, arena, &err), SL_OK, "%s: %s", row[i].text, err.text);
		cr_expect_str_eq(joined(text, &axis), row[i].values, "%s: %s", row[i].text, text);
		cr_expect_eq(axis.falls, row[i].falls, "%s", row[i].text);
		cr_expect_eq(axis.unordered, row[i].unordered, "%s", row[i].text);
		sl_arena_free(arena);
	}
}

Test(whatif_ranges, what_is_none_is_refused)
{
	static const struct {
		const char *text, *said;
	} row[] = {
		{ "a", "is not KEY=RANGE" },
		{ "=1..2", "is not KEY=RANGE" },
		{ "a=", "is empty" },
		{ "a=1,,2", "is empty" },
		{ "a=1..", "no range of numbers" },
		{ "a=x..y", "no range of numbers" },
		{ "a=1..5:0", "no step that leads on" },
		{ "a=1..5:-1", "no step that leads on" },
		{ "a=1..5:", "no step that leads on" },
		{ "a=-1..5", "is out of range" },
		{ "a=1..5:x1", "no factor above 1" },
		{ "a=0..5:x2", "no factor above 1" },
		{ "a=1..5h", "has a unit at one end alone" },
		{ "a=1..5:1h", "has a unit in its step alone" },
		{ "a=1,2,1", "stands twice" },
		{ "a=0..99999", "more than 10000 values" },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		struct sl_arena *arena = sl_arena_new();
		struct axis axis;
		struct sl_err err;
		cr_expect_eq(parse(&axis, row[i].text, arena, &err), SL_USAGE, "%s", row[i].text);
		cr_expect(strstr(err.text, row[i].said), "%s: %s", row[i].text, err.text);
		sl_arena_free(arena);
	}
}

Test(whatif_ranges, what_they_buy)
{
	struct sl_arena *arena = sl_arena_new();
	struct axis axis;
	struct sl_err err;
	cr_assert_eq(parse(&axis, "cluster.nodes[h100].count+=2..4:2", arena, &err), SL_OK);
	cr_expect_str_eq(axis.bought, "h100");
	cr_expect_eq(axis.units[0], 2);
	cr_expect_eq(axis.units[1], 4);
	cr_expect_str_eq(axis.name, "nodes[h100].count+");

	cr_assert_eq(parse(&axis, "cluster.nodes[h100].count-=0..2", arena, &err), SL_OK);
	cr_expect_eq(axis.units[0], -2); /* Of the first value, 2. */

	cr_assert_eq(parse(&axis, "cluster.cpus+=0..16:8", arena, &err), SL_OK);
	cr_assert_eq(axis_pool(&axis, 100, arena, &err), SL_OK);
	cr_expect_str_eq(axis.bought, "cpus");
	cr_expect_str_eq(axis.key, "cluster.cpus=");
	cr_expect_str_eq(axis.value[2], "16");
	cr_expect_str_eq(axis.given[2], "116");

	cr_assert_eq(
		parse(&axis, "cluster.conf.SchedulerParameters=bf_window=60..120:60", arena, &err), SL_OK);
	cr_expect_str_eq(axis.key, "cluster.conf.SchedulerParameters=bf_window=");
	cr_assert_eq(parse(&axis, "replay.drop=user=a,user=b", arena, &err), SL_OK);
	cr_expect_str_eq(axis.key, "replay.drop=");
	cr_expect_str_eq(axis.value[1], "user=b");

	cr_assert_eq(parse(&axis, "cluster.nodes[h100].memory=1..2", arena, &err), SL_OK);
	cr_expect_null(axis.bought);

	static const char list[] = "a=0..2,b=0..4";
	cr_assert_eq(axis_buy(&axis, list, 6, arena, &err), SL_OK);
	cr_expect_str_eq(axis.key, "cluster.nodes[a].count+=");
	cr_expect_eq(axis.count, 3);
	cr_expect_eq(axis_buy(&axis, "a", 1, arena, &err), SL_USAGE);
	sl_arena_free(arena);
}

/* Means over seeds: of three there is no interval; of seven of 10, 20, ... 70 s they are worth 5.6 even ones,
 * and of 40 +- 1 ... 3 s 6.98: t of 5.98 degrees, 2.449, times 2.160 / sqrt(7). */
Test(whatif_ranges, figures_over_seeds)
{
	const int64_t value[] = { 10 * SL_SECOND, 20 * SL_SECOND, 60 * SL_SECOND };
	bool known[] = { true, true, true };
	const struct figure figure = figure_of(value, known, 3);
	cr_expect(figure.known);
	cr_expect_eq(figure.mean, 30 * SL_SECOND);
	cr_expect_gt(figure.low, figure.high, "three tell too little");
	int64_t seven[7];
	bool all[7];
	for (int64_t i = 0; i < 7; i++) {
		seven[i] = (10 + 10 * i) * SL_SECOND;
		all[i] = true;
	}
	const struct figure uneven = figure_of(seven, all, 7);
	cr_expect_gt(uneven.low, uneven.high, "seven, of which some are small");
	for (int64_t i = 0; i < 7; i++)
		seven[i] = (37 + i) * SL_SECOND;
	const struct figure even = figure_of(seven, all, 7);
	cr_expect_eq(even.mean, 40 * SL_SECOND);
	cr_expect_lt(llabs(even.low - 38 * SL_SECOND), SL_SECOND / 50);
	cr_expect_lt(llabs(even.high - 42 * SL_SECOND), SL_SECOND / 50);
	const struct figure one = figure_of(value, known, 1);
	cr_expect_gt(one.low, one.high, "one has no interval");
	known[1] = false;
	cr_expect_not(figure_of(value, known, 3).known);
}

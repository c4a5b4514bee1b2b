/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_why.c - to what each second of waiting is charged under the composed policy, by hand. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/run/engine.h"
#include "tests/world/world.h"

/* "2 1 Resources 90 Priority": jobs from 1, each reason from when it holds. */
static const char *charged(const struct sl_result *result)
{
	static char text[2000];
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t job = 0; job < result->jobs->count; job++) {
		struct sl_charging charging = sl_charges_of(result, job);
		struct sl_charge charge;
		for (bool first = true; sl_charge_next(&charging, &charge); first = false) {
			if (first)
				used += (size_t)snprintf(
					text + used, sizeof(text) - used, "%s%u", used ? "; " : "", job + 1);
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %" PRId64 " %s",
				charge.from / SL_SECOND, sl_reason_name(charge.reason));
		}
	}
	return text;
}

/* --check runs each pass twice: nothing of the first may be left. */
static void expect_charged(struct world *w, const char *policy, const char *want)
{
	for (int check = 0; check < 2; check++) {
		struct sim_options options;
		int status = world_open(w, policy, check, &options);
		options.record = SIM_RECORD_REASONS;
		if (!status)
			status = sim_run(&w->sim, &options, &w->err);
		cr_assert_eq(status, SL_OK, "%s: %s", policy, w->err.text);
		const char *got = charged(&w->sim.result);
		cr_expect_str_eq(got, want, "%s:\n%s\nnot\n%s", policy, got, want);
		world_release(w);
	}
}

#define RESERVED "ReqNodeNotAvail,_May_be_reserved_for_other_job"
#define MAINT    "ReqNodeNotAvail,_Reserved_for_maintenance"
#define OUTAGE   "ReqNodeNotAvail"

/* ---- Windows of a pool ----------------------------------------------------------------------------------
 */

static struct sl_window window = {
	.name = "w", .from = 100 * SL_SECOND, .until = 200 * SL_SECOND, .cpus = 3
};

/* Job 1 has all until 90. Job 2 (2 cpus, 60 s) is first: then it would run into the window, of which it needs
 * a cpu. Job 3 runs beside it, 90-590. Job 4 wants all, and is first from 200 on, when there are no windows
 * any more. */
static struct world with_window(enum sl_window_kind kind)
{
	window.kind = kind;
	return (struct world){ .cpus = 4,
		.cluster = { .cpus = 4, .kind_count = 1, .window = &window, .window_count = 1 },
		.count = 4,
		.job = { JOB(0, 90, 100, 4), JOB(1, 50, 60, 2), JOB(2, 500, 500, 1), JOB(3, 10, 200, 4) } };
}

Test(why, the_first_that_a_window_alone_keeps)
{
	struct world w = with_window(SL_WINDOW_MAINT);
	expect_charged(&w, "easy", "2 1 Resources 90 " MAINT "; 3 2 Priority; 4 3 Priority 200 Resources");
	w = with_window(SL_WINDOW_RESERVED);
	expect_charged(&w, "conservative",
		"2 1 Resources 90 " RESERVED "; 3 2 Priority; 4 3 Priority 200 Resources");
	w = with_window(SL_WINDOW_OUTAGE);
	expect_charged(&w, "fcfs", "2 1 Resources 90 " OUTAGE "; 3 2 Priority; 4 3 Priority 200 Resources");
}

/* A window of one cpu, 100-200. Until 150 job 1 has the others: job 2 would not fit without the window
 * either. From then on it is the window. */
Test(why, capacity_that_is_missing_without_the_window_too)
{
	window.kind = SL_WINDOW_MAINT;
	window.cpus = 1;
	struct world w = { .cpus = 4,
		.cluster = { .cpus = 4, .kind_count = 1, .window = &window, .window_count = 1 },
		.count = 2,
		.job = { JOB(0, 150, 150, 3), JOB(1, 60, 60, 4) } };
	expect_charged(&w, "easy", "2 1 Resources 150 " MAINT);
	window.cpus = 3;
}

/* Job 2 is kept by the window until job 3, which is shorter, goes before it; and again when that one runs. */
Test(why, who_is_first_no_more_waits_for_others)
{
	window.kind = SL_WINDOW_MAINT;
	struct world w = { .cpus = 4,
		.cluster = { .cpus = 4, .kind_count = 1, .window = &window, .window_count = 1 },
		.count = 4,
		.job = { JOB(0, 30, 30, 3), JOB(1, 120, 120, 2), JOB(40, 70, 70, 2), JOB(50, 10, 10, 1) } };
	expect_charged(&w, "fcfs:order=sjf", "2 1 Resources 30 " MAINT " 40 Priority; 3 40 " MAINT);
}

/* ---- Lanes ------------------------------------------------------------------------------------------------
 */

/* Jobs 2 and 4 are first of their partitions, 3 and 5 behind them. */
Test(why, the_first_of_each_partition)
{
	struct world w = { .cpus = 4,
		.count = 5,
		.job = { JOB(0, 100, 100, 4, .partition = 1), JOB(1, 50, 50, 4, .partition = 1),
			JOB(2, 50, 50, 4, .partition = 1), JOB(3, 50, 50, 4, .partition = 2),
			JOB(4, 50, 50, 4, .partition = 2) } };
	expect_charged(&w, "easy:queues=partition",
		"2 1 Resources; 3 2 Priority 100 Resources; 4 3 Resources; 5 4 Priority 200 Resources");
	expect_charged(&w, "easy",
		"2 1 Resources; 3 2 Priority 100 Resources; 4 3 Priority 150 Resources; 5 4 Priority 200 Resources");
}

/* ---- Nodes ------------------------------------------------------------------------------------------------
 */

/* Two nodes of 4 cpus, one with 3 of them in use, one with 2: 3 cpus are free, but no task of 3 has a place.
 */
Test(why, cpus_enough_but_not_on_one_node)
{
	struct world w = { .cpus = 8,
		.as_nodes = true,
		.node_cpus = 4,
		.count = 4,
		.job = { JOB(0, 100, 100, 1, .cpus = 3), JOB(1, 80, 80, 1, .cpus = 2),
			JOB(2, 50, 50, 1, .cpus = 3), JOB(3, 500, 500, 1, .cpus = 4) } };
	expect_charged(&w, "easy", "3 2 Resources; 4 3 Priority 81 Resources");
}

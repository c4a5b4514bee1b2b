/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_metrics.c - metrics against numbers worked by hand, and quantiles against sorting.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "sim/result/fair_start.h"
#include "sim/result/table.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

struct table {
	struct sl_metrics metrics;
	struct sl_arena *arena;
};

static void compute(struct table *table, struct hand *hand, bool plain)
{
	struct sl_err err = { 0 };
	table->arena = sl_arena_new();
	hand->result.fair_start = NULL;
	if (hand->result.field) { /* As the engine leaves it. */
		sl_time *fair = sl_alloc(table->arena, hand->result.jobs->count + 1, sizeof(*fair));
		cr_assert_eq(fair_start_in_order(&hand->result, fair, &err), SL_OK, "%s", err.text);
		hand->result.fair_start = fair;
	}
	metrics_init(&table->metrics, table->arena, builtin_registry());
	table->metrics.plain = plain;
	cr_assert_eq(metrics_compute(&table->metrics, &hand->result, &err), SL_OK, "%s", err.text);
}

static void release(struct table *table)
{
	metrics_release(&table->metrics);
	sl_arena_free(table->arena);
}

struct expected {
	const char *name, *value;
};

static void expect(const struct table *table, const struct expected *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[40] = "absent";
		const int64_t *value = metrics_get(&table->metrics, want[i].name);
		if (value)
			*sl_put_micro(text, *value) = '\0';
		cr_expect_str_eq(text, want[i].value, "%s: %s, not %s", want[i].name, text, want[i].value);
	}
}

/* Four jobs on four cpus. Waits 0 90 80 100; bounded slowdowns 1 3.25 8.5 6; cpu time 400 80 5 80. */
static const struct hand_job four[] = {
	{ 0, 0, 100, 4, 200, 1, 0, SL_COMPLETED },
	{ 10, 100, 140, 2, 300, 2, 0, SL_COMPLETED },
	{ 20, 100, 105, 1, 10, 1, -1, SL_COMPLETED }, /* Shorter than 10 s: the bound counts. */
	{ 40, 140, 160, 4, 20, -1, 3, SL_COMPLETED },
};

static struct hand *of_jobs(int64_t cpus, const struct hand_job *job, size_t count)
{
	struct hand *hand = hand_new(cpus);
	for (size_t i = 0; i < count; i++)
		hand_add(hand, job[i]);
	return hand;
}

Test(metrics, of_four_jobs_are_as_worked_by_hand)
{
	static const struct expected want[] = {
		{ "jobs.total", "4" }, { "jobs.completed", "4" }, { "wait.mean", "67.5" },
		{ "wait.p50", "80" }, /* Nearest rank: the second of four, nothing between. */
		{ "wait.p90", "100" }, { "wait.p95", "100" }, { "wait.p99", "100" }, { "wait.max", "100" },
		{ "turnaround.mean", "108.75" }, { "turnaround.p95", "130" }, { "slowdown.mean", "6.8125" },
		{ "bounded_slowdown.mean", "4.6875" }, { "bounded_slowdown.p50", "3.25" },
		{ "bounded_slowdown.p95", "8.5" }, { "bounded_slowdown.max", "8.5" },
		{ "per_cpu_bounded_slowdown.mean", "3.15625" }, /* 1 1.625 8.5 1.5 */
		{ "utilization", "0.882813" },                  /* 565 of 640: 0.8828125, half up. */
		{ "utilization.cpus", "0.882813" }, { "utilization.gpus", "0" },
		{ "utilization.steady", "1" }, /* Until the last submission, at 40. */
		{ "warmup", "0" },             /* Not one batch of five. */
		{ "makespan", "160" }, { "throughput", "90" },
		{ "loss_of_capacity", "0.0625" },                                   /* 40 of 640, as given. */
		{ "loss_of_capacity.wanted", "0.125" }, { "queue.mean", "1.6875" }, /* 270 s waited in 160. */
		{ "queue.max", "3" },                                               /* From 40 to 100. */
		{ "backlog.mean", "392.5" },     /* (90*600 + 80*10 + 100*80) / 160 */
		{ "jain.slowdown", "0.966038" }, /* 8^2 / (2 (4.75^2 + 3.25^2)) */
		{ "jain.share", "0.690113" },    /* 485^2 / (2 (405^2 + 80^2)) */
	};
	struct hand *hand = of_jobs(4, four, SL_LEN(four));
	struct table table;
	hand->result.idle_fitting = (unsigned __int128)40 * SL_SECOND;
	hand->result.idle_wanted = (unsigned __int128)80 * SL_SECOND;
	compute(&table, hand, false);
	expect(&table, want, SL_LEN(want));
	release(&table);
	free(hand);
}

Test(metrics, of_groups_are_as_worked_by_hand)
{
	static const struct expected want[] = {
		{ "jobs{size=1}", "1" },
		{ "cpu_seconds{size=1}", "5" },
		{ "jobs{size=2-3}", "1" },
		{ "jobs{size=4-7}", "2" },
		{ "cpu_seconds{size=4-7}", "480" },
		{ "wait.mean{size=4-7}", "50" },
		{ "wait.p95{size=4-7}", "100" },
		{ "bounded_slowdown.mean{size=4-7}", "3.5" },
		{ "jobs{size=8-15}", "absent" },
		{ "jobs{limit=<5m}", "3" },
		{ "jobs{limit=5m-30m}", "1" }, /* 300 s: bounds belong above. */
		{ "wait.mean{user=1}", "40" },
		{ "wait.p95{user=1}", "80" },
		{ "cpu_seconds{user=2}", "80" },
		{ "jobs{user=-1}", "absent" }, /* The unknown are no group. */
		{ "jobs{partition=0}", "2" },
		{ "jobs{partition=3}", "1" },
		{ "bounded_slowdown.mean{partition=3}", "6" },
	};
	static const char *const order[] = { "size=1", "size=2-3", "size=4-7", "limit=<5m", "limit=5m-30m",
		"user=1", "user=2", "partition=0", "partition=3" };
	struct hand *hand = of_jobs(4, four, SL_LEN(four));
	struct table table;
	compute(&table, hand, false);
	expect(&table, want, SL_LEN(want));
	size_t group = 0;
	for (size_t i = 0; i < table.metrics.count; i++) {
		char name[64];
		if (group < SL_LEN(order))
			(void)snprintf(name, sizeof(name), "jobs{%s}", order[group]);
		group += group < SL_LEN(order) && strcmp(table.metrics.row[i].name, name) == 0;
	}
	cr_expect_eq(group, SL_LEN(order), "groups are out of order at %zu", group);
	release(&table);
	free(hand);
}

Test(metrics, plain_tables_leave_the_labelled_out)
{
	struct hand *hand = of_jobs(4, four, SL_LEN(four));
	struct table table;
	compute(&table, hand, true);
	cr_expect_not_null(metrics_get(&table.metrics, "wait.mean"));
	for (size_t i = 0; i < table.metrics.count; i++)
		cr_expect_null(strchr(table.metrics.row[i].name, '{'), "%s", table.metrics.row[i].name);
	release(&table);
	free(hand);
}

/* Stopped at 100: one ended, one runs since 20, one waits since 30, one is cancelled, one was still to come.
 */
static const struct hand_job stopped[] = {
	{ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED },
	{ 10, 20, -1, 2, 500, 1, 0, SL_RUNNING },
	{ 30, -1, -1, 1, 40, 1, 0, SL_PENDING },
	{ 40, -1, 60, 1, 40, 1, 0, SL_CANCELLED },
	{ 200, -1, -1, 1, 40, 1, 0, SL_PENDING },
};

Test(metrics, of_a_stopped_run_count_what_happened)
{
	static const struct expected want[] = {
		{ "jobs.total", "5" },
		{ "jobs.completed", "1" },
		{ "wait.mean", "5" }, /* 0 and 10: the others have not started. */
		{ "wait.max", "10" },
		{ "turnaround.mean", "20" }, /* Of the one that ended. */
		{ "bounded_slowdown.mean", "1" },
		{ "utilization", "1" },    /* 2 cpus * (20 + 80) of 2 * 100. */
		{ "makespan", "100" },     /* Until it was stopped. */
		{ "queue.mean", "1" },     /* 10 + 70 + 20 of 100. */
		{ "queue.max", "2" },      /* From 40 to 60. */
		{ "backlog.mean", "136" }, /* (10*1000 + 70*40 + 20*40) / 100 */
		{ "throughput", "36" },
		{ "cpu_seconds{user=1}", "200" },
		{ "jobs{user=1}", "5" },
	};
	struct hand *hand = of_jobs(2, stopped, SL_LEN(stopped));
	struct table table;
	hand->result.last = 100 * SL_SECOND;
	hand->result.interrupted = true;
	compute(&table, hand, false);
	expect(&table, want, SL_LEN(want));
	release(&table);
	free(hand);
}

Test(metrics, of_no_job_and_of_no_time_are_zero)
{
	static const struct hand_job one[] = { { 5, -1, -1, 1, 10, -1, -1, SL_PENDING } };
	static const struct expected want[] = {
		{ "wait.mean", "0" }, { "wait.p95", "0" }, { "bounded_slowdown.mean", "0" },
		{ "utilization", "0" }, { "utilization.steady", "0" }, { "throughput", "0" },
		{ "queue.mean", "0" }, { "jain.slowdown", "absent" }, /* No user is known. */
	};
	for (size_t count = 0; count <= SL_LEN(one); count++) {
		struct hand *hand = of_jobs(2, one, count);
		struct table table;
		hand->result.last = hand->result.first;
		compute(&table, hand, false);
		expect(&table, want, SL_LEN(want));
		release(&table);
		free(hand);
	}
}

/* A job every 10 s; the waits of a batch of five sum up to five times its mean. */
static struct hand *of_batches(const int64_t *mean, size_t count)
{
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < 5 * count; i++) {
		const int64_t submit = 1000 + 10 * (int64_t)i;
		const int64_t wait = mean[i / 5] + (int64_t)(i % 5) - 2;
		hand_add(hand, (struct hand_job){ submit, submit + wait, submit + wait + 5, 1, 5, -1, -1,
				       SL_COMPLETED });
	}
	return hand;
}

/* Batches that differ from the rest are cut, the fewest of equal choices, and never more than half. */
Test(metrics, warmup_is_by_mser_5)
{
	static const struct {
		int64_t mean[6];
		const char *warmup;
	} cases[] = {
		{ { 50, 10, 10, 10, 10, 10 }, "50" },  /* d = 1, 2, 3 leave no error: the least. */
		{ { 50, 40, 10, 10, 10, 10 }, "100" }, /* d = 2 */
		{ { 10, 10, 10, 10, 10, 10 }, "0" },
		{ { 2, 2, 4, 4, 6, 6 }, "100" }, /* Errors for d = 0..3: 0.444 0.448 0.25 0.296 */
		/* Errors for d = 0..3: 3.70 4.8 6.25 7.41; d = 4 would leave none, but is over half. */
		{ { 12, 12, 12, 12, 2, 2 }, "0" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct expected want = { "warmup", cases[i].warmup };
		struct hand *hand = of_batches(cases[i].mean, 6);
		struct table table;
		compute(&table, hand, true);
		expect(&table, &want, 1);
		release(&table);
		free(hand);
	}
}

/* replay.warmup is used as it is; the window of utilization.steady begins there and ends at the last submit.
 */
Test(metrics, warmup_given_moves_the_steady_window)
{
	static const struct hand_job job[] = {
		{ 0, 0, 50, 1, 50, -1, -1, SL_COMPLETED },
		{ 40, 60, 100, 2, 50, -1, -1, SL_COMPLETED },
		{ 80, 100, 110, 2, 50, -1, -1, SL_COMPLETED },
	};
	static const struct expected want[] = {
		{ "warmup", "30" }, { "utilization.steady", "0.6" }, /* [30, 80): 20 + 2 * 20 of 2 * 50. */
	};
	struct hand *hand = of_jobs(2, job, SL_LEN(job));
	struct table table;
	hand->result.warmup = 30 * SL_SECOND;
	compute(&table, hand, true);
	expect(&table, want, SL_LEN(want));
	release(&table);
	free(hand);
}

/* Of four jobs submitted at 0 10 20 40, a warm-up of 10 s keeps those from 10 on, a cool-down of 10 s those
 * until 30: waits 90 80, turnarounds 130 85, bounded slowdowns 3.25 8.5. What is of the machine stays of all.
 * With rows that are not in the order of submission it is the same. */
Test(metrics, warmup_and_cooldown_cut_every_metric_of_jobs)
{
	static const struct expected want[] = {
		{ "jobs.total", "2" }, { "jobs.completed", "2" }, { "jobs.left_out", "2" },
		{ "wait.mean", "85" }, { "wait.p50", "80" }, { "wait.max", "90" },
		{ "wait_total.mean", "85" }, { "turnaround.mean", "107.5" }, { "turnaround.p95", "130" },
		{ "slowdown.mean", "10.125" }, { "bounded_slowdown.mean", "5.875" },
		{ "bounded_slowdown.max", "8.5" },
		{ "per_cpu_bounded_slowdown.mean", "5.0625" }, /* 1.625 8.5 */
		{ "jobs{size=4-7}", "absent" }, { "jobs{size=2-3}", "1" }, { "cpu_seconds{size=1}", "5" },
		{ "wait.p95{size=1}", "80" }, { "jobs{user=1}", "1" }, { "wait.mean{user=2}", "90" },
		{ "jain.slowdown", "0.833585" }, /* 11.75^2 / (2 (3.25^2 + 8.5^2)) */
		{ "utilization", "0.882813" }, { "queue.mean", "1.6875" }, { "throughput", "90" },
		{ "utilization.steady", "1" }, /* [10, 30): job 1 alone. */
	};
	for (int moved = 0; moved < 2; moved++) {
		struct hand *hand = of_jobs(4, four, SL_LEN(four));
		struct table table;
		hand->result.warmup = 10 * SL_SECOND;
		hand->result.cooldown = 10 * SL_SECOND;
		hand->result.moved = moved;
		compute(&table, hand, false);
		expect(&table, want, SL_LEN(want));
		release(&table);
		free(hand);
	}
}

/* Job 3 is started before job 2, which it delays until 120. */
static const struct hand_job overtaken[] = {
	{ 0, 0, 100, 3, 200, 1, -1, SL_COMPLETED },
	{ 10, 120, 220, 4, 200, 1, -1, SL_COMPLETED },
	{ 20, 20, 120, 1, 200, 2, -1, SL_COMPLETED },
};

/* Fair starts: 0; 100, as job 1 ends (20 s missed); 200, behind job 2. Areas 300 400 100, turnarounds 100 210
 * 100. */
Test(metrics, of_the_field_are_as_worked_by_hand)
{
	static const struct expected want[] = {
		{ "turnaround.area_weighted", "155" }, /* (30000 + 84000 + 10000) / 800 */
		{ "slowdown.area_weighted", "1.55" },  /* (300 + 840 + 100) / 800 */
		{ "starts.backfilled", "0.333333" },   /* By the rules of the decisions. */
		{ "starts.overtaking", "0.333333" },   /* Job 3: job 2 waited. */
		{ "fair_start.jobs", "3" },
		{ "fair_start.late", "0.333333" },
		{ "fair_start.miss.mean", "6.666667" },
		{ "fair_start.miss.mean{user=1}", "10" },
		{ "fair_start.miss.mean{user=2}", "0" },
		{ "jobs{size=2-3,run=<5m}", "1" },
		{ "wait.mean{size=4-7,run=<5m}", "110" },
		{ "wait.mean{size=1,run=<5m}", "0" },
	};
	static const struct expected none[] = { { "turnaround.area_weighted", "absent" },
		{ "fair_start.late", "absent" }, { "jobs{size=2-3,run=<5m}", "absent" } };
	static const struct sl_decision decision[] = {
		{ .at = 0, .job = 0, .decision = SL_DECISION_START, .rule = SL_RULE_ORDER },
		{ .at = 20,
			.job = 2,
			.beneficiary = 1,
			.decision = SL_DECISION_START,
			.rule = SL_RULE_BACKFILL },
		{ .at = 120, .job = 1, .decision = SL_DECISION_START, .rule = SL_RULE_ORDER },
	};
	struct hand *hand = of_jobs(4, overtaken, SL_LEN(overtaken));
	struct table table;
	hand->result.decision = decision;
	hand->result.decision_count = SL_LEN(decision);
	compute(&table, hand, false);
	expect(&table, none, SL_LEN(none));
	release(&table);
	hand->result.field = true;
	compute(&table, hand, false);
	expect(&table, want, SL_LEN(want));
	release(&table);
	free(hand);
}

/* Who is cancelled as it comes or while it waits, who comes later, and who is too large for the machine: job
 * 2 waits for job 1 alone, since job 3 is never there when it could start, and job 4 can never be. Two of one
 * instant stand in their own order: job 6 behind job 5. */
Test(metrics, fair_starts_know_who_is_in_the_queue)
{
	static const struct hand_job job[] = {
		{ 0, 0, 100, 4, 200, 1, -1, SL_COMPLETED },
		{ 10, 150, 160, 4, 200, 1, -1, SL_COMPLETED }, /* Fair: 100. */
		{ 20, -1, 30, 4, 200, 2, -1, SL_CANCELLED }, { 30, -1, -1, 8, 200, 2, -1, SL_PENDING },
		{ 40, 160, 170, 2, 200, 3, -1, SL_COMPLETED }, /* Fair: 110, as job 2's 10 s are over. */
		{ 40, 100, 150, 3, 200, 3, -1, SL_COMPLETED }, /* Fair: 120, with 2 of 4 cpus free before. */
	};
	static const struct expected want[] = {
		{ "fair_start.jobs", "4" }, { "fair_start.late", "0.5" },
		{ "fair_start.miss.mean", "25" }, /* 0 50 50 0 */
		{ "fair_start.miss.mean{user=3}", "25" },
		{ "starts.overtaking", "0.5" }, /* Jobs 5 and 6: job 4 waits on. */
	};
	struct hand *hand = of_jobs(4, job, SL_LEN(job));
	struct table table;
	hand->result.field = true;
	compute(&table, hand, false);
	expect(&table, want, SL_LEN(want));
	release(&table);
	free(hand);
}

static int ascending(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t ranked(const int64_t *sorted, size_t count, size_t hundredth)
{
	return sorted[(count * hundredth + 99) / 100 - 1];
}

/* Waits of every magnitude, many equal, at each of many counts: quantiles are those of the sorted waits. */
Test(metrics, quantiles_are_those_of_sorting)
{
	static const size_t counts[] = { 1, 2, 3, 16, 17, 19, 20, 21, 100, 101, 999, 5000, 20000 };
	struct sl_rng rng = sl_rng_stream(7, "tests/metrics/quantiles");
	for (size_t c = 0; c < SL_LEN(counts); c++) {
		struct hand *hand = hand_new(4);
		int64_t *wait = calloc(counts[c], sizeof(*wait));
		for (size_t i = 0; i < counts[c]; i++) {
			hand_add(hand, (struct hand_job){ 0, 0, 0, 4, 60, 7, -1, SL_COMPLETED });
			wait[i] = (int64_t)(sl_rng_u64(&rng) >> (23 + sl_rng_below(&rng, 41)));
			wait[i] = sl_rng_below(&rng, 3) ? wait[i] : wait[i / 2];
			hand->start[i] = wait[i];
			hand->end[i] = wait[i] + SL_SECOND;
			hand->result.last =
				hand->end[i] > hand->result.last ? hand->end[i] : hand->result.last;
		}
		struct table table;
		compute(&table, hand, false);
		qsort(wait, counts[c], sizeof(*wait), ascending);
		static const struct {
			const char *name;
			size_t hundredth;
		} quantile[] = { { "wait.p50", 50 }, { "wait.p90", 90 }, { "wait.p95", 95 },
			{ "wait.p99", 99 }, { "wait.max", 100 }, { "wait.p95{user=7}", 95 },
			{ "wait.p95{size=4-7}", 95 } };
		for (size_t i = 0; i < SL_LEN(quantile); i++) {
			const int64_t *value = metrics_get(&table.metrics, quantile[i].name);
			cr_assert_not_null(value);
			cr_expect_eq(*value, ranked(wait, counts[c], quantile[i].hundredth), "%s of %zu",
				quantile[i].name, counts[c]);
		}
		release(&table);
		free(wait);
		free(hand);
	}
}

/* queue.max against counting at every submission. */
Test(metrics, longest_queue_is_that_of_counting)
{
	struct sl_rng rng = sl_rng_stream(7, "tests/metrics/queue");
	for (int round = 0; round < 200; round++) {
		struct hand *hand = hand_new(4);
		const uint32_t count = 1 + (uint32_t)sl_rng_below(&rng, 60);
		int64_t submit = 0;
		for (uint32_t i = 0; i < count; i++) {
			submit += (int64_t)sl_rng_below(&rng, 4);
			const int64_t start =
				submit + (int64_t)sl_rng_below(&rng, 1 + sl_rng_below(&rng, 40));
			hand_add(hand,
				(struct hand_job){ submit, start, start + 3, 1, 9, -1, -1, SL_COMPLETED });
		}
		int64_t most = 0;
		for (uint32_t i = 0; i < count; i++) {
			int64_t waiting = 0;
			for (uint32_t k = 0; k < count; k++)
				waiting += hand->submit[k] <= hand->submit[i] &&
					   hand->start[k] > hand->submit[i];
			most = waiting > most ? waiting : most;
		}
		struct table table;
		compute(&table, hand, true);
		cr_expect_eq(*metrics_get(&table.metrics, "queue.max"), most * 1000000, "round %d", round);
		release(&table);
		free(hand);
	}
}

/* A number that millionths cannot hold has no line; a wrong one would be worse. */
Test(metrics, beyond_range_are_left_out)
{
	static const struct hand_job huge[] = { { 0, 0, 100000, INT32_MAX, 100000, 1, -1, SL_COMPLETED } };
	struct hand *hand = of_jobs(INT32_MAX, huge, 1);
	struct table table;
	compute(&table, hand, false);
	cr_expect_null(metrics_get(&table.metrics, "cpu_seconds{user=1}"));
	cr_expect_not_null(metrics_get(&table.metrics, "jobs{user=1}"));
	cr_expect_eq(*metrics_get(&table.metrics, "utilization"), 1000000);
	release(&table);
	free(hand);
}

/* Below 10 s of run time the bound is what counts, and nothing is better than 1; billionths are rounded half
 * up before millionths are. */
Test(metrics, bounded_slowdown_is_at_least_one)
{
	static const struct {
		int64_t wait, run; /* Microseconds. */
		const char *bounded;
	} cases[] = {
		{ 0, 2000000, "1" }, { 8000000, 2000000, "1" },
		{ 8000005, 2000000, "1.000001" },      /* 1.0000005 */
		{ 998, 2000000000, "1" },              /* 1.000000499 */
		{ 999, 2000000000, "1.000001" },       /* 1.0000004995: 500 billionths. */
		{ 9989, 20000000000, "1" },            /* 1.00000049945: 499 billionths. */
		{ 9990, 20000000000, "1.000001" },     /* 1.0000004995: 500 billionths. */
		{ 2 * 20000000001, 20000000001, "3" }, /* Past 64 bits, not in whole seconds. */
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct expected want = { "bounded_slowdown.mean", cases[i].bounded };
		struct hand *hand = hand_new(4);
		hand_add(hand, (struct hand_job){ 0, 0, 0, 1, 9, -1, -1, SL_COMPLETED });
		hand->start[0] = cases[i].wait;
		hand->end[0] = cases[i].wait + cases[i].run;
		struct table table;
		compute(&table, hand, true);
		expect(&table, &want, 1);
		release(&table);
		free(hand);
	}
}

/* Users of many numbers, met in no order, come out ascending, each once. */
Test(metrics, users_are_in_ascending_order)
{
	struct sl_rng rng = sl_rng_stream(7, "tests/metrics/users");
	struct hand *hand = hand_new(4);
	for (int i = 0; i < 3000; i++) {
		const int32_t user = (int32_t)(sl_rng_below(&rng, 900) * sl_rng_below(&rng, 2000000));
		hand_add(hand, (struct hand_job){ i, i, i + 1, 1, 1, user, -1, SL_COMPLETED });
	}
	struct table table;
	compute(&table, hand, false);
	int64_t before = -1;
	int64_t jobs = 0;
	for (size_t i = 0; i < table.metrics.count; i++) {
		const struct metric_row *row = &table.metrics.row[i];
		int64_t user;
		if (strncmp(row->name, "jobs{user=", 10) != 0)
			continue;
		cr_assert(sl_get_i64(row->name + 10, strlen(row->name) - 11, &user));
		cr_expect_gt(user, before);
		before = user;
		int64_t own = 0;
		for (uint32_t k = 0; k < hand->jobs.count; k++)
			own += hand->user[k] == user;
		cr_expect_eq(row->micro, own * 1000000, "%s", row->name);
		jobs += own;
	}
	cr_expect_eq(jobs, 3000);
	release(&table);
	free(hand);
}

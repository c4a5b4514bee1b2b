/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_checkpoint_runs.c - runs with checkpoints and failures: by hand, and against the closed form of the
 * expected time.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/world/model_script.h"
#include "tests/world/world.h"

extern const struct sl_model model_checkpoint;

enum { VALUES = 8 };

struct given {
	const char *key;
	int64_t number;
};

/* The model with these parameters; the others as they are by default. */
static struct model_choice checkpoints(
	struct sl_value values[VALUES], const struct given *given, size_t count)
{
	cr_assert_eq(model_checkpoint.param_count, VALUES);
	for (size_t i = 0; i < VALUES; i++) {
		const struct sl_param *param = &model_checkpoint.params[i];
		values[i] = (struct sl_value){ .key = param->key };
		if (strcmp(param->key, "node_rate") == 0)
			values[i] = (struct sl_value){ .key = param->key, .text = "1", .number = SL_SECOND };
		for (size_t k = 0; k < count; k++)
			if (strcmp(given[k].key, param->key) == 0)
				values[i] = (struct sl_value){
					.key = param->key, .text = "", .number = given[k].number
				};
	}
	return (struct model_choice){ .model = &model_checkpoint, .values = values, .value_count = VALUES };
}

static sl_time run(
	struct script *script, const struct given *given, size_t count, int64_t seconds, bool check)
{
	struct sl_value values[VALUES];
	const struct model_choice choice[2] = { *script_on(script), checkpoints(values, given, count) };
	struct world w = { .cpus = 1, .count = 1, .job = { JOB(0, seconds, 1000000000, 1) } };
	w.model = choice;
	w.model_count = 2;
	cr_assert_eq(world_run(&w, "fcfs", check), SL_OK, "%s", w.err.text);
	cr_expect_eq(w.sim.result.state[0], SL_COMPLETED);
	const sl_time end = w.sim.result.end[0];
	world_release(&w);
	return end;
}

/* 3 is interval=every. */
static const struct given each_300[] = { { "interval", 3 }, { "every", 300 * SL_SECOND },
	{ "cost", 10 * SL_SECOND }, { "restart", 50 * SL_SECOND } };

/* 1000 s of work: checkpoints of 10 s after 300, 600 and 900. */
Test(checkpoint_runs, it_stands_still_while_it_writes)
{
	struct script script = { .step = NULL };
	cr_expect_eq(run(&script, each_300, 4, 1000, true), 1030 * SL_SECOND);
	cr_expect_eq(run(&script, each_300, 4, 300, true), 300 * SL_SECOND, "none as it ends");
}

/* At 700 s 680 were done, and 600 are kept. 50 s restart, 300 of work, 10 for the next checkpoint, 100 of
 * work: 1160 s. */
Test(checkpoint_runs, it_goes_on_from_the_last_completed)
{
	static const struct script_step steps[] = { { 700 * SL_SECOND, SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps, .count = 1 };
	cr_expect_eq(run(&script, each_300, 4, 1000, true), 1160 * SL_SECOND);
}

/* At 615 s the second was not complete: 300 are kept. 50, 300, 10, 300, 10, 100: 1385 s. */
Test(checkpoint_runs, one_under_way_keeps_nothing)
{
	static const struct script_step steps[] = { { 615 * SL_SECOND, SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps, .count = 1 };
	cr_expect_eq(
		run(&script, each_300, 4, 1000, true), (615 + 50 + 300 + 10 + 300 + 10 + 100) * SL_SECOND);
}

/* Meanwhile: work goes on. The second began at 600 and ended at 610; from 612 on, 600 are kept. */
Test(checkpoint_runs, one_written_meanwhile_keeps_the_work_of_its_beginning)
{
	static const struct given async[] = { { "interval", 3 }, { "every", 300 * SL_SECOND },
		{ "cost", 10 * SL_SECOND }, { "async", 1 } };
	static const struct script_step late[] = { { 612 * SL_SECOND, SCRIPT_RETRY, 0, 0 } };
	static const struct script_step early[] = { { 608 * SL_SECOND, SCRIPT_RETRY, 0, 0 } };
	struct script none = { .step = NULL }, after = { .step = late, .count = 1 },
		      before = { .step = early, .count = 1 };
	cr_expect_eq(run(&none, async, 4, 1000, true), 1000 * SL_SECOND);
	cr_expect_eq(run(&after, async, 4, 1000, true), (612 + 400) * SL_SECOND);
	cr_expect_eq(run(&before, async, 4, 1000, true), (608 + 700) * SL_SECOND);
}

/* A job at half speed writes by its work: after 600 s of time; one that is held is looked at, and not sooner.
 */
Test(checkpoint_runs, the_interval_is_of_work)
{
	static const struct script_step steps[] = { { 1000 * SL_SECOND, SCRIPT_RATE, 0, 0 },
		{ 1100 * SL_SECOND, SCRIPT_RATE, 0, (int64_t)SL_SPEED_ONE } };
	struct script script = {
		.step = steps, .count = 2, .rate_set = true, .rate_first = SL_SPEED_ONE / 2
	};
	/* 600 s: 300 of work; 610 to 1000: 195; 1100 + 105: 600; 10, 300, 10, 100. */
	cr_expect_eq(run(&script, each_300, 4, 1000, true), (1205 + 10 + 300 + 10 + 100) * SL_SECOND);
}

/* At twice the speed from 100 s on: 300 s of work at 200 s, 600 at 360, 900 at 520; 1000 at 580. */
Test(checkpoint_runs, a_fast_job_writes_by_its_work)
{
	static const struct script_step steps[] = { { 100 * SL_SECOND, SCRIPT_RATE, 0,
		2 * (int64_t)SL_SPEED_ONE } };
	static const struct script_step fails[] = { { 100 * SL_SECOND, SCRIPT_RATE, 0,
							    2 * (int64_t)SL_SPEED_ONE },
		{ 211 * SL_SECOND, SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps, .count = 1 }, retry = { .step = fails, .count = 2 };
	cr_expect_eq(run(&script, each_300, 4, 1000, true), 580 * SL_SECOND);
	/* At 211 s the first is complete, since 210: 700 are left, at full speed, and two checkpoints. */
	cr_expect_eq(run(&retry, each_300, 4, 1000, true), (211 + 50 + 700 + 20) * SL_SECOND);
}

/* preempt=pays is of preemptions: as above, a failure's restart costs what it cost. */
Test(checkpoint_runs, a_failure_pays_for_no_checkpoint)
{
	static const struct given pays[] = { { "interval", 3 }, { "every", 300 * SL_SECOND },
		{ "cost", 10 * SL_SECOND }, { "restart", 50 * SL_SECOND }, { "preempt", 1 } };
	static const struct script_step steps[] = { { 700 * SL_SECOND, SCRIPT_RETRY, 0, 0 } };
	struct script script = { .step = steps, .count = 1 };
	cr_expect_eq(run(&script, pays, 5, 1000, true), 1160 * SL_SECOND);
}

/* ---- The closed form --------------------------------------------------------------------- */

/* Daly 2006: E[wall] / W of segments of work tau, checkpoints of C, restarts of R, lives of mean M. */
static double daly_ratio(double c, double m, double r, double tau)
{
	return m * exp(r / m) * (exp((tau + c) / m) - 1) / tau;
}

Test(checkpoint_runs, the_expected_time_has_its_least_similar_dalys_interval)
{
	const double m = 11135.08;
	cr_expect_float_eq(daly_ratio(60, m, 300, 600), 1.16420, 5e-6);
	cr_expect_float_eq(daly_ratio(60, m, 300, 1116.29), 1.14177, 5e-6);
	cr_expect_float_eq(daly_ratio(60, m, 300, 7200), 1.46066, 5e-6);
}

enum { SEGMENTS = 10, FAILURES = 400 };

/* One run with lives drawn from the seed. */
static double drawn_run(uint64_t seed, double m, const struct given *given, int64_t tau)
{
	struct script_step steps[FAILURES];
	struct sl_rng rng = sl_rng_stream(seed, "tests/checkpoint/lives");
	sl_time at = 0;
	for (int i = 0; i < FAILURES; i++) {
		at += 1 + (sl_time)(-m * log(1 - sl_rng_unit(&rng)) * SL_SECOND);
		steps[i] = (struct script_step){ at, SCRIPT_RETRY, 0, 0 };
	}
	struct script script = { .step = steps, .count = FAILURES };
	const sl_time end = run(&script, given, 4, SEGMENTS * tau, false);
	cr_assert_lt(end, at, "it outlives the lives that were drawn");
	return (double)end / SL_SECOND;
}

/* The last segment writes none, so the mean is M e^(R/M) [(n - 1)(e^((tau + C)/M) - 1) + e^(tau/M) - 1].
 * Seeds are fixed; of all seeds, one in a thousand sets would be 3.29 standard errors off, by chance. */
static void expect_mean(int64_t tau, int runs)
{
	const double m = 11135.08, c = 60, r = 300, t = (double)tau;
	const struct given given[] = { { "interval", 3 }, { "every", tau * SL_SECOND },
		{ "cost", 60 * SL_SECOND }, { "restart", 300 * SL_SECOND } };
	const double expected = m * exp(r / m) * ((SEGMENTS - 1) * (exp((t + c) / m) - 1) + exp(t / m) - 1);
	double sum = 0, squares = 0;
	for (int i = 0; i < runs; i++) {
		const double wall = drawn_run((uint64_t)i + 1, m, given, tau);
		sum += wall;
		squares += wall * wall;
	}
	const double mean = sum / runs, error = sqrt((squares / runs - mean * mean) / (runs - 1));
	cr_log_info("tau %lld s, %d runs: off by %+.4f %%, standard error %.4f %%", (long long)tau, runs,
		100 * (mean / expected - 1), 100 * error / expected);
	cr_expect_lt(fabs(mean - expected), 3.29 * error,
		"tau %lld: mean %.1f s, expected %.1f s, error %.1f s", (long long)tau, mean, expected,
		error);
}

Test(checkpoint_runs, means_are_those_of_the_closed_form)
{
	expect_mean(600, 1000);
	expect_mean(1116, 1000);
	expect_mean(7200, 1000);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_forecast.c - what a log teaches, by hand: each clause of run times, arrivals, waits and calibration.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "models/forecast/forecast_models.h"

#define HOUR (3600 * SL_SECOND)
#define WEEK (168 * HOUR)

/* Jobs one after the other, each submitted and started at once. */
static struct forecast_job job_of(int64_t id, int32_t user, int64_t run_s, int64_t limit_s)
{
	const sl_time submit = id * 1000 * SL_SECOND;
	return (struct forecast_job){ .id = id,
		.user = user,
		.account = -1,
		.partition = -1,
		.name = -1,
		.size = 1,
		.limit = limit_s * SL_SECOND,
		.submit = submit,
		.start = submit,
		.end = submit + run_s * SL_SECOND,
		.cancel = SL_NONE };
}

static struct forecast_history *history_of(const struct forecast_job *job, size_t count, sl_time until)
{
	struct sl_err err = { 0 };
	struct forecast_history *history = forecast_history_new(job, count, until, &err);
	cr_assert(history, "%s", err.text);
	return history;
}

static int64_t seconds(const struct forecast_history *history, const struct forecast_job *job,
	int64_t elapsed_s, double pick, double u)
{
	return forecast_run_time(history, job, elapsed_s * SL_SECOND, pick, u) / SL_SECOND;
}

Test(forecast, run_times_are_those_beyond_what_it_ran)
{
	const struct forecast_job log[] = { job_of(1, 7, 10, 100), job_of(2, 7, 20, 100),
		job_of(3, 7, 30, 100), job_of(4, 7, 40, 100) };
	const struct forecast_job asked = job_of(5, 7, 0, 100);
	struct forecast_history *history = history_of(log, 4, SL_NEVER);
	cr_expect_eq(forecast_history_size(history), 4);
	cr_expect_eq(seconds(history, &asked, 0, 0, 0), 10);
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.99), 40);
	cr_expect_eq(seconds(history, &asked, 25, 0, 0), 30, "the two that ran longer are left");
	cr_expect_eq(seconds(history, &asked, 25, 0, 0.5), 40);
	/* Nobody ran longer than 45 s: anything up to the limit, a minute at least. */
	cr_expect_eq(seconds(history, &asked, 45, 0, 0.5), 75);
	forecast_history_free(history);
}

/* Three ended after 10, 20 and 30 s. One was seen to run 25 s: it ran longer than that, as the one of 30 s
 * did. */
Test(forecast, a_job_whose_end_is_not_known_ran_longer)
{
	struct forecast_job log[] = { job_of(1, 7, 10, 100), job_of(2, 7, 20, 100), job_of(3, 7, 30, 100),
		job_of(4, 7, 25, 100) };
	const struct forecast_job asked = job_of(5, 7, 0, 100);
	const sl_time until = log[3].end;
	log[3].end = SL_NONE;
	struct forecast_history *history = history_of(log, 4, until);
	cr_expect_eq(forecast_history_size(history), 3);
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.49), 20);
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.51), 30, "the one of 25 s");
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.76), 30);
	cr_expect_eq(seconds(history, &asked, 25, 0, 0), 30, "it has itself not run longer");
	forecast_history_free(history);
	/* Seen for 45 s, longer than any: up to a minute more, and of u, 7/8, half is left. */
	history = history_of(log, 4, until + 20 * SL_SECOND);
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.875), 45 + 60 / 2);
	forecast_history_free(history);
	/* It did end, and nobody knows: what is not known from then on counts as seen until then. */
	log[3].end = log[3].submit + 25 * SL_SECOND;
	log[3].known = log[3].submit + 15 * SL_SECOND;
	history = history_of(log, 4, SL_NEVER);
	cr_expect_eq(forecast_history_size(history), 3);
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.3), 20, "15 s, and longer: 20 or 30");
	cr_expect_eq(seconds(history, &asked, 0, 0, 0.45), 30);
	forecast_history_free(history);
}

Test(forecast, the_longest_of_the_partition)
{
	struct forecast_job log[] = { job_of(1, 7, 10, 0), job_of(2, 8, 40, 0), job_of(3, 9, 90, 0) };
	const struct forecast_job asked = job_of(5, 7, 0, 0);
	struct forecast_job other = asked;
	log[2].partition = 1;
	other.partition = 2;
	struct forecast_history *history = history_of(log, 3, SL_NEVER);
	cr_expect_eq(forecast_run_longest(history, &asked), 40 * SL_SECOND, "whoever's");
	cr_expect_eq(forecast_run_longest(history, &other), 90 * SL_SECOND, "of all, as there is none");
	forecast_history_free(history);
	history = history_of(log, 0, SL_NEVER);
	cr_expect_eq(forecast_run_longest(history, &asked), 0);
	forecast_history_free(history);
}

Test(forecast, what_had_not_ended_by_then_is_not_known)
{
	const struct forecast_job log[] = { job_of(1, 7, 10, 100), job_of(2, 7, 50, 100) };
	struct forecast_history *history = history_of(log, 2, 2049 * SL_SECOND);
	cr_expect_eq(forecast_history_size(history), 1, "job 2 ends at 2050 s");
	forecast_history_free(history);
	history = history_of(log, 2, 2050 * SL_SECOND);
	cr_expect_eq(forecast_history_size(history), 2);
	forecast_history_free(history);
}

/* Four jobs of the user: with the odds 4 / 8 they are drawn from, else the next coarser. At each of the four
 * levels of the user they are the same; at that of all, user 8's come in, as shares of their limits: 100 of
 * 100 s. */
Test(forecast, small_groups_are_shrunk_towards_coarser_ones)
{
	struct forecast_job log[8];
	for (int i = 0; i < 4; i++) {
		log[i] = job_of(i + 1, 7, 10, 100);
		log[4 + i] = job_of(i + 5, 8, 100, 200);
	}
	const struct forecast_job asked = job_of(9, 7, 0, 100);
	struct forecast_history *history = history_of(log, 8, SL_NEVER);
	cr_expect_eq(seconds(history, &asked, 0, 0.49, 0.99), 10);
	cr_expect_eq(seconds(history, &asked, 0, 0.93, 0.99), 10, "1/2 + 1/4 + 1/8 + 1/16 is 0.9375");
	cr_expect_eq(seconds(history, &asked, 0, 0.999, 0.99), 50, "half of the limit, as of user 8");
	/* Another limit: the user's as shares of it with the odds of 4 / 8. */
	const struct forecast_job longer = job_of(10, 7, 0, 1000);
	cr_expect_eq(seconds(history, &longer, 0, 0.49, 0.99), 100);
	/* A stranger with that limit: of those with it. */
	const struct forecast_job stranger = job_of(11, 9, 0, 200);
	cr_expect_eq(seconds(history, &stranger, 0, 0.49, 0.99), 100);
	forecast_history_free(history);
}

Test(forecast, a_draw_is_of_seed_future_and_job_alone)
{
	struct forecast_job log[50];
	for (int i = 0; i < 50; i++)
		log[i] = job_of(i + 1, 7, 10 + i, 100);
	struct forecast_history *history = history_of(log, 50, SL_NEVER);
	const struct forecast_job a = job_of(60, 7, 0, 100);
	const struct forecast_job b = job_of(61, 7, 0, 100);
	const sl_time first = forecast_run_drawn(history, &a, 0, 1, 3);
	int differ = 0;
	for (uint32_t future = 0; future < 20; future++)
		differ += forecast_run_drawn(history, &b, 0, 1, future) !=
			  forecast_run_drawn(history, &a, 0, 1, future);
	cr_expect_gt(differ, 10, "jobs are drawn apart");
	cr_expect_eq(forecast_run_drawn(history, &a, 0, 1, 3), first, "whatever was drawn between");
	forecast_history_free(history);
}

static sl_time spread(const struct forecast_history *history)
{
	enum { DRAWS = 999 };
	const struct forecast_job asked = job_of(5000, 7, 0, 1000);
	sl_time low = 0;
	sl_time high = 0;
	for (int i = 0; i < DRAWS; i++) {
		low += forecast_run_time(history, &asked, 0, (i % 37) / 37.0, 0.1);
		high += forecast_run_time(history, &asked, 0, (i % 37) / 37.0, 0.9);
	}
	return (high - low) / DRAWS;
}

/* A user whose jobs run 100 s among others that run anything up to their limit: the more is known of him, the
 * less those count. */
Test(forecast, more_history_never_widens_the_mean_interval)
{
	struct forecast_job log[400];
	struct sl_rng rng = sl_rng_stream(1, "test");
	for (int i = 0; i < 400; i++)
		log[i] = i % 2 ? job_of(i + 1, 7, 100, 1000)
			       : job_of(i + 1, 8, 1 + (int64_t)sl_rng_below(&rng, 999), 1000);
	sl_time before = SL_NEVER;
	for (size_t known = 4; known <= 400; known *= 10) {
		struct forecast_history *history = history_of(log, known, SL_NEVER);
		const sl_time now = spread(history);
		cr_expect_lt(now, before, "with %zu jobs %lld s", known, (long long)(now / SL_SECOND));
		before = now + SL_SECOND;
		forecast_history_free(history);
	}
}

Test(forecast, waiting_jobs_are_cancelled_as_often_as_before)
{
	struct forecast_job log[2] = { job_of(1, 7, 10, 100), job_of(2, 7, 10, 100) };
	log[0].start = log[0].submit + 600 * SL_SECOND;
	log[0].end = log[0].start + SL_SECOND;
	struct forecast_history *history = history_of(log, 2, SL_NEVER);
	cr_expect_eq(forecast_cancel_drawn(history, &log[0], 0, 1, 0), SL_NONE, "nobody was");
	forecast_history_free(history);
	log[1].start = log[1].end = SL_NONE;
	log[1].cancel = log[1].submit + 400 * SL_SECOND;
	history = history_of(log, 2, 10000 * SL_SECOND);
	double sum = 0;
	for (uint32_t future = 0; future < 2000; future++)
		sum += (double)forecast_cancel_drawn(history, &log[0], 0, 1, future) / SL_SECOND;
	cr_expect_float_eq(sum / 2000, 1000, 5 * 1000 / 44.7, "one in 1000 s of waiting");
	forecast_history_free(history);
}

/* ---- Arrivals
 * ---------------------------------------------------------------------------------------------------- */

static size_t arrivals_of(const struct forecast_job *log, size_t count, sl_time until, sl_time now,
	sl_time to, uint32_t future, struct forecast_arrival **drawn)
{
	struct sl_err err = { 0 };
	const struct forecast_span span = { 0, until, NULL, NULL, NULL };
	struct forecast_arrivals *arrivals = forecast_arrivals_new(log, count, &span, &err);
	size_t found = 0;
	cr_assert(arrivals);
	cr_assert_eq(forecast_arrivals_drawn(arrivals, now, to, 1, future, drawn, &found, &err), SL_OK);
	forecast_arrivals_free(arrivals);
	return found;
}

/* Each week at hour 30 a user submits two jobs ten minutes apart; at hour 31 another, in one week alone. */
Test(forecast, sessions_come_whole_and_at_their_hour)
{
	struct forecast_job log[17];
	size_t count = 0;
	for (int week = 0; week < 4; week++)
		for (int i = 0; i < 2; i++) {
			log[count] = job_of((int64_t)count, 7, 60, 100);
			log[count++].submit = week * WEEK + 30 * HOUR + i * 600 * SL_SECOND;
		}
	for (uint32_t future = 0; future < 20; future++) {
		struct forecast_arrival *drawn;
		const size_t n = arrivals_of(log, count, 4 * WEEK, 4 * WEEK, 5 * WEEK, future, &drawn);
		cr_assert_eq(n, 2, "future %u: %zu jobs", future, n);
		cr_expect_eq(drawn[0].submit, 4 * WEEK + 30 * HOUR);
		cr_expect_eq(drawn[1].submit, drawn[0].submit + 600 * SL_SECOND);
		cr_expect_eq(drawn[1].job, drawn[0].job + 1, "of one session");
		free(drawn);
		/* In the middle of the session, what is to come of it comes. */
		const sl_time now = 4 * WEEK + 30 * HOUR + 300 * SL_SECOND;
		cr_expect_leq(arrivals_of(log, count, 4 * WEEK, now, 5 * WEEK, future, &drawn), 1);
		free(drawn);
	}
}

static bool second_week(const void *self, sl_time from, sl_time until)
{
	(void)self;
	return until > WEEK && from < 2 * WEEK;
}

Test(forecast, hidden_times_are_not_drawn_from)
{
	struct sl_err err = { 0 };
	struct forecast_job log[4];
	for (int week = 0; week < 4; week++) {
		log[week] = job_of(week, week, 60, 100);
		log[week].submit = week * WEEK + 30 * HOUR;
	}
	const struct forecast_span span = { 0, 4 * WEEK, second_week, NULL, NULL };
	struct forecast_arrivals *arrivals = forecast_arrivals_new(log, 4, &span, &err);
	for (uint32_t future = 0; future < 50; future++) {
		struct forecast_arrival *drawn;
		size_t n;
		cr_assert_eq(
			forecast_arrivals_drawn(arrivals, 4 * WEEK, 5 * WEEK, 1, future, &drawn, &n, &err),
			SL_OK);
		cr_assert_eq(n, 1);
		cr_expect_neq(drawn[0].job, 1);
		free(drawn);
	}
	forecast_arrivals_free(arrivals);
}

/* ---- Waits
 * ----------------------------------------------------------------------------------------------------------
 */

/* Of 59 values the largest is the 95 % bound on the 0.95 quantile: 1 - 0.95^59 is 0.9515, and 0.95^58 leaves
 * less. */
Test(forecast, bounds_on_quantiles_are_binomial)
{
	cr_expect_eq(forecast_bound(59, 0.95, 0.95), 59);
	cr_expect_eq(forecast_bound(58, 0.95, 0.95), 59, "no value is");
	cr_expect_eq(forecast_bound(100, 0.5, 0.95), 59);
	cr_expect_eq(forecast_bound(1000, 0.95, 0.95), 962, "though 0.05^1000 is no double");
	cr_expect_eq(forecast_bound(1000, 0.90, 0.95), 916);
}

Test(forecast, waits_of_the_user_that_were_longer)
{
	struct sl_err err = { 0 };
	struct forecast_job log[4];
	sl_time wait[FORECAST_QUANTILES];
	for (int i = 0; i < 4; i++) {
		log[i] = job_of(i + 1, i == 3 ? 8 : 7, 10, 100);
		log[i].start = log[i].submit + (i + 1) * 60 * SL_SECOND;
	}
	struct forecast_waits *waits = forecast_waits_new(log, 4, SL_NEVER, &err);
	cr_assert(forecast_waits_user(waits, &log[0], 60 * SL_SECOND, wait));
	cr_expect_eq(wait[FORECAST_P50], 120 * SL_SECOND, "of 120 and 180 s");
	cr_expect_eq(wait[FORECAST_P95], 180 * SL_SECOND);
	cr_expect_not(forecast_waits_user(waits, &log[0], 180 * SL_SECOND, wait));
	cr_assert(forecast_waits_similar(waits, &log[0], 0, wait));
	cr_expect_eq(wait[FORECAST_P50], 120 * SL_SECOND, "of all four");
	cr_expect_eq(wait[FORECAST_P95], 240 * SL_SECOND, "no bound: the longest");
	forecast_waits_free(waits);
}

/* ---- Calibration
 * ------------------------------------------------------------------------------------------------------ */

static struct forecast_case case_of(uint32_t week, int64_t futures_s, int64_t actual_s)
{
	struct forecast_case is = { .week = week, .waited = 60 * SL_SECOND, .actual = actual_s * SL_SECOND };
	for (int i = 0; i < FORECAST_QUANTILES; i++)
		is.said[FORECAST_FUTURES][i] = futures_s * SL_SECOND;
	return is;
}

/* What came was twice what the futures said (a minute more each, as factors count). */
Test(forecast, calibration_finds_the_factor)
{
	struct sl_err err = { 0 };
	struct forecast_case past[200];
	for (int i = 0; i < 200; i++)
		past[i] = case_of((uint32_t)i / 20, 100 * (i % 20 + 1) - 60, 200 * (i % 20 + 1) - 60);
	struct forecast_calibration *calibration = forecast_calibration_new(past, 200, true, &err);
	cr_assert(calibration);
	struct forecast_case is = case_of(11, 940, 0);
	cr_assert_eq(forecast_calibrate(calibration, &is, &err), SL_OK);
	for (int i = 0; i < FORECAST_QUANTILES; i++)
		cr_expect_leq(llabs(is.calibrated[i] / SL_SECOND - 1940), 1, "%lld",
			(long long)(is.calibrated[i] / SL_SECOND));
	forecast_calibration_free(calibration);
	/* Of few cases nothing is learned. */
	calibration = forecast_calibration_new(past, 39, true, &err);
	cr_assert_eq(forecast_calibrate(calibration, &is, &err), SL_OK);
	cr_expect_eq(is.calibrated[FORECAST_P50], 940 * SL_SECOND);
	forecast_calibration_free(calibration);
	/* Nor how well it would have done, of a single week. */
	for (int i = 0; i < 50; i++)
		past[i] = case_of(0, 940, 1940);
	calibration = forecast_calibration_new(past, 50, true, &err);
	cr_assert(calibration);
	forecast_calibration_free(calibration);
}

/* In each of five weeks what came was a tenth more or less than the futures said, in turn: no factor is
 * better, and none is applied. */
Test(forecast, the_median_stays_where_nothing_is_clearly_better)
{
	struct sl_err err = { 0 };
	struct forecast_case past[200];
	for (int i = 0; i < 200; i++)
		past[i] = case_of((uint32_t)i / 40, 940, (i / 40 % 2 ? 1100 : 900) - 60);
	struct forecast_calibration *calibration = forecast_calibration_new(past, 200, true, &err);
	cr_assert(calibration);
	struct forecast_case is = case_of(6, 940, 0);
	cr_assert_eq(forecast_calibrate(calibration, &is, &err), SL_OK);
	cr_expect_eq(is.calibrated[FORECAST_P50], 940 * SL_SECOND);
	cr_expect_leq(is.calibrated[FORECAST_P5], 840 * SL_SECOND);
	cr_expect_geq(is.calibrated[FORECAST_P95], 1040 * SL_SECOND);
	forecast_calibration_free(calibration);
}

/* Where the policy is not known, the geometric mean of what futures, user and similar waits say, a minute
 * more each: 1 000, 8 000 and 27 000 s make 6 000. */
Test(forecast, of_a_policy_that_is_not_known_forecasts_are_combined)
{
	struct sl_err err = { 0 };
	struct forecast_case is = case_of(6, 940, 0);
	struct forecast_calibration *calibration = forecast_calibration_new(&is, 0, false, &err);
	cr_assert(calibration);
	is.said[FORECAST_USER_WAITS][FORECAST_P50] = 7940 * SL_SECOND;
	is.said[FORECAST_SIMILAR][FORECAST_P50] = 26940 * SL_SECOND;
	is.said[FORECAST_LIMITS][FORECAST_P50] = 1;
	cr_assert_eq(forecast_calibrate(calibration, &is, &err), SL_OK);
	cr_expect_leq(llabs(is.calibrated[FORECAST_P50] - 5940 * SL_SECOND), SL_SECOND);
	cr_expect_geq(is.calibrated[FORECAST_P95], is.calibrated[FORECAST_P50]);
	forecast_calibration_free(calibration);
}

/* Twice as much came, each week. Of three weeks that is not believed of the median, and of one week nothing
 * is of the interval: that reaches from now to the latest that anybody says. */
Test(forecast, of_few_weeks_little_is_known)
{
	struct sl_err err = { 0 };
	struct forecast_case past[200];
	struct forecast_case is = case_of(6, 940, 0);
	is.said[FORECAST_USER_WAITS][FORECAST_P95] = 9000 * SL_SECOND;
	for (int i = 0; i < 200; i++)
		past[i] = case_of((uint32_t)i / 40, 940 + i / 40, 1940 + i % 3);
	for (size_t weeks = 1; weeks <= 4; weeks++) {
		struct forecast_calibration *calibration =
			forecast_calibration_new(past, 40 * weeks, true, &err);
		cr_assert(calibration);
		cr_assert_eq(forecast_calibrate(calibration, &is, &err), SL_OK);
		cr_expect_eq(is.calibrated[FORECAST_P50] == 940 * SL_SECOND, weeks < 4, "%zu weeks", weeks);
		cr_expect_eq(is.calibrated[FORECAST_P5] == 0, weeks == 1, "%zu weeks", weeks);
		cr_expect_eq(is.calibrated[FORECAST_P95] == 9000 * SL_SECOND, weeks == 1, "%zu weeks", weeks);
		cr_expect_geq(is.calibrated[FORECAST_P95], 1940 * SL_SECOND, "%zu weeks", weeks);
		forecast_calibration_free(calibration);
	}
}

/* How well it would have done is asked of the weeks before a case's own alone: each week's factor is another
 * one (1 or 8, and a tenth more of every second case), known within the week, and never by the one before it.
 * So the intervals are far wider than the tenth that cases of one week differ by. */
Test(forecast, a_week_is_judged_by_those_before_it)
{
	struct sl_err err = { 0 };
	struct forecast_case past[400];
	for (int i = 0; i < 400; i++) {
		const int week = i / 40;
		const int64_t said = 10000 << week;
		past[i] = case_of(
			(uint32_t)week, said - 60, said * (week % 2 ? 8 : 1) * (i % 2 ? 11 : 10) / 10 - 60);
	}
	struct forecast_calibration *calibration = forecast_calibration_new(past, 400, true, &err);
	cr_assert(calibration);
	struct forecast_case is = case_of(10, (10000 << 8) - 60, 0);
	cr_assert_eq(forecast_calibrate(calibration, &is, &err), SL_OK);
	/* What the futures say stays the median: the other weeks' factor is no better. Of such a case eight
	 * times as much came every second week, and intervals reach that. */
	cr_expect_eq(is.calibrated[FORECAST_P50], is.said[FORECAST_FUTURES][FORECAST_P50]);
	cr_expect_gt(is.calibrated[FORECAST_P95], 8 * is.said[FORECAST_FUTURES][FORECAST_P50]);
	forecast_calibration_free(calibration);
}

/* Ten values with p5 0, p10 10, p50 50, p90 90, p95 100: by rank the 1st is p10 (and p5), the 5th p50, the
 * 9th p90, the 10th p95; even steps between. Their quantiles are those again; of one value it is the median.
 */
Test(forecast, a_sample_with_these_quantiles)
{
	static const sl_time quantile[] = { 0, 10, 50, 90, 100 };
	static const sl_time want[] = { 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
	sl_time found[100];
	forecast_spread(quantile, 10, found);
	for (size_t i = 0; i < 10; i++)
		cr_expect_eq(found[i], want[i], "value %zu is %lld", i, (long long)found[i]);
	for (size_t n = 20; n <= 100; n += 40) {
		forecast_spread(quantile, n, found);
		for (int k = 0; k < FORECAST_QUANTILES; k++)
			cr_expect_eq(forecast_quantile(found, n, forecast_probability[k]), quantile[k],
				"of %zu, quantile %d", n, k);
	}
	forecast_spread(quantile, 1, found);
	cr_expect_eq(found[0], 50);
	forecast_spread(quantile, 0, found);
}

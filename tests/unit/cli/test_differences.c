/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_differences.c - what may be said of two runs over one trace: of results made by hand.
 *
 * Jobs are submitted a minute apart, and run for 100 s. Waits are chosen so that
 * batch means are known; what should come out is worked by hand beside it.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/run/document_run.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/result.h"

struct taken {
	struct sl_arena *arena;
	struct differences *all;
	const struct sl_difference *said;
	const struct sl_certainty *known;
	size_t count;
};

static struct taken begin(void)
{
	struct taken taken = { .arena = sl_arena_new() };
	taken.all = differences_new(taken.arena);
	return taken;
}

static void end(struct taken *taken)
{
	differences_free(taken->all);
	sl_arena_free(taken->arena);
}

/* A run of so many jobs with these waits, and the metrics that a run has. */
static void take(
	struct taken *taken, size_t run, uint32_t jobs, int64_t (*wait)(uint32_t job), int64_t warmup)
{
	struct hand *hand = hand_new(1000);
	struct sl_metrics metrics;
	struct sl_err err = { 0 };
	__int128 sum = 0;
	for (uint32_t i = 0; i < jobs; i++) {
		const int64_t submit = 60 * (int64_t)i;
		const int64_t start = submit + wait(i);
		hand_add(hand, (struct hand_job){ submit, start, start + 100, 1, 100, 1, 1, SL_COMPLETED });
		sum += wait(i);
	}
	metrics_init(&metrics, taken->arena, builtin_registry());
	sl_metric_put(&metrics, "wait.mean", (int64_t)(sum * 1000000 / jobs));
	sl_metric_put(&metrics, "turnaround.mean", (int64_t)(sum * 1000000 / jobs) + 100000000);
	sl_metric_put(&metrics, "wait.p95", 1000000);
	sl_metric_put(&metrics, "wait.max", (int64_t)run * 7000000);
	sl_metric_put(&metrics, "makespan", 5000000);
	sl_metric_put(&metrics, "warmup", warmup * 1000000);
	cr_assert_eq(differences_take(taken->all, run, &hand->result, &metrics, &err), SL_OK, "%s", err.text);
	metrics_release(&metrics);
	free(hand);
}

/* The place in the list, or its length. */
static size_t place_of(struct taken *taken, const char *metric)
{
	size_t i = 0;
	struct sl_err err = { 0 };
	cr_assert_eq(differences_finish(taken->all, &err), SL_OK, "%s", err.text);
	const struct sl_compared reported = differences_reported(taken->all);
	taken->said = reported.difference;
	taken->known = reported.certainty;
	taken->count = reported.difference_count;
	while (i < taken->count && strcmp(taken->said[i].metric, metric) != 0)
		i++;
	return i;
}

static const struct sl_difference *find(struct taken *taken, const char *metric)
{
	const size_t place = place_of(taken, metric);
	cr_assert(place < taken->count, "nothing is said of %s", metric);
	return &taken->said[place];
}

static int64_t always_1000(uint32_t job)
{
	(void)job;
	return 1000;
}
/* Of 400 jobs in batches of 20: 10 batches of 800 and 10 of 1000, one after the other in turn. */
static int64_t in_turn(uint32_t job) { return job / 20 % 2 ? 1000 : 800; }
static int64_t by_tens(uint32_t job) { return job / 10 % 2 ? 3000 : 1000; }
static int64_t half_by_tens(uint32_t job) { return by_tens(job) / 2; }
static int64_t rising(uint32_t job) { return 1000 + (int64_t)job; }

static const struct sl_certainty *known(struct taken *taken, const char *metric)
{
	const size_t place = place_of(taken, metric);
	return &taken->known[place];
}

/* Of 400 jobs 40 batches of 10: differences 0, 0, -2000, -2000 in turn. Twenty differ by as much, so they are
 * worth 20 (neighbours go together at lag 1, not at lag 2 and beyond: 1 + 2 r (1 - 1 / 40), r = 0 to 0.03).
 */
Test(differences, batches_and_their_own_differences)
{
	struct taken taken = begin();
	take(&taken, 0, 400, always_1000, 0);
	take(&taken, 1, 400, in_turn, 0);
	const struct sl_difference *said = find(&taken, "wait.mean");
	const struct sl_certainty *sure = known(&taken, "wait.mean");
	cr_expect_eq(said->run, 1);
	cr_expect_eq(said->samples, 40);
	cr_expect_eq(said->estimate, -100000000);
	cr_expect(sure->known && sure->blocks == 40 && sure->differing == 20);
	cr_expect(sure->effective <= 20000000 && sure->effective > 18000000, "%lld",
		(long long)sure->effective);
	cr_expect(said->low < -100000000 && said->high > -100000000 && said->high < 0);
	cr_expect_eq(sure->sure, -1);
	cr_expect_str_eq(said->method, "t over 40 batches of jobs");
	/* The first waits are all alike: the ratio is the difference over them. */
	cr_expect(llabs((long long)(sure->ratio_low * 1000 - said->low)) < 1000);
	cr_expect(llabs((long long)(sure->ratio_high * 1000 - said->high)) < 1000);
	end(&taken);
}

/* Half of each wait, however much waits differ: the ratio is sure, the difference is not. */
Test(differences, ratio)
{
	struct taken taken = begin();
	take(&taken, 0, 400, by_tens, 0);
	take(&taken, 1, 400, half_by_tens, 0);
	const struct sl_difference *said = find(&taken, "wait.mean");
	const struct sl_certainty *sure = known(&taken, "wait.mean");
	cr_expect(said->estimate == -1000000000);
	cr_expect(said->low < -1100000000 && said->high > -900000000);
	cr_expect(sure->ratio_low > sure->ratio_high); /* Half in each batch: no spread to measure. */
	end(&taken);
}

static int64_t one_otherwise(uint32_t job) { return job == 200 ? 10 : 1000; }
static int64_t burst(uint32_t job) { return job >= 200 && job < 240 ? 10 : 1000; }
static int64_t unlike(uint32_t job) { return 1000 - (job % 50 ? 0 : 1 << job / 50); }

/* One of 40 batches differs, or four, or eight by amounts that double: too few, and the words say so. */
Test(differences, too_few_of_them_differ)
{
	static const struct {
		int64_t (*wait)(uint32_t job);
		const char *method;
	} cases[] = { { one_otherwise, "no interval: 1 of 40 batches of jobs differs" },
		{ burst, "no interval: 4 of 40 batches of jobs differ" },
		{ unlike, "no interval: 8 of 40 batches of jobs differ, by so unlike amounts that they tell "
			  "what 2.9 even ones would" } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct taken taken = begin();
		take(&taken, 0, 400, always_1000, 0);
		take(&taken, 1, 400, cases[i].wait, 0);
		const struct sl_difference *said = find(&taken, "wait.mean");
		cr_expect(said->low > said->high);
		cr_expect_str_eq(said->method, cases[i].method);
		cr_expect_eq(known(&taken, "wait.mean")->sure, 0);
		end(&taken);
	}
}

/* Runs take as long in both: wait and turnaround differ by the same, job by job. */
Test(differences, one_variable_has_one_interval)
{
	struct taken taken = begin();
	take(&taken, 0, 400, rising, 0);
	take(&taken, 1, 400, in_turn, 0);
	const struct sl_difference *wait = find(&taken, "wait.mean");
	const struct sl_difference *turnaround = find(&taken, "turnaround.mean");
	cr_expect(wait->low == turnaround->low && wait->high == turnaround->high);
	end(&taken);
}

/* Waits that rise: batches go together, and are worth fewer. */
Test(differences, batches_that_go_together)
{
	struct taken taken = begin();
	take(&taken, 0, 400, always_1000, 0);
	take(&taken, 1, 400, rising, 0);
	const struct sl_certainty *sure = known(&taken, "wait.mean");
	cr_expect(sure->differing == 40 && sure->effective < 6000000);
	end(&taken);
}

/* The 95th percentile is a second, as the metrics say: as many are beyond it in both. One number a run has no
 * interval. */
Test(differences, quantiles_and_single_numbers)
{
	struct taken taken = begin();
	take(&taken, 0, 400, rising, 0);
	take(&taken, 1, 400, in_turn, 0);
	const struct sl_difference *p95 = find(&taken, "wait.p95");
	cr_expect(p95->low > p95->high && strstr(p95->method, "0 of 40"), "%s", p95->method);
	const struct sl_difference *most = find(&taken, "wait.max");
	cr_expect(most->low > most->high && most->estimate == 7000000 && most->samples == 1);
	cr_expect(strstr(most->method, "one number a run"));
	end(&taken);
}

Test(differences, too_few_and_other_jobs)
{
	struct taken taken = begin();
	take(&taken, 0, 199, always_1000, 0);
	take(&taken, 1, 199, in_turn, 0);
	const struct sl_difference *said = find(&taken, "wait.mean");
	cr_expect(said->low > said->high && strstr(said->method, "fewer than 200 jobs"));
	end(&taken);
	/* A job more in the second: 400 are compared, and neither is better. */
	taken = begin();
	take(&taken, 0, 400, always_1000, 0);
	take(&taken, 1, 401, in_turn, 0);
	said = find(&taken, "wait.mean");
	cr_expect_eq(said->estimate, -100000000);
	cr_expect(said->low <= said->high && known(&taken, "wait.mean")->sure == 0);
	const struct sl_compared reported = differences_reported(taken.all);
	cr_expect(reported.apart &&
		  strstr(reported.apart, "over the 400 jobs that ran in all; 1 ran in some only"));
	end(&taken);
}

/* An interrupted run covers another span: nothing is said. */
Test(differences, partial)
{
	struct taken taken = begin();
	struct hand *hand = hand_new(10);
	struct sl_metrics metrics;
	struct sl_err err = { 0 };
	metrics_init(&metrics, taken.arena, builtin_registry());
	take(&taken, 0, 400, always_1000, 0);
	hand->result.interrupted = true;
	cr_assert_eq(differences_take(taken.all, 1, &hand->result, &metrics, &err), SL_OK);
	cr_expect_eq(place_of(&taken, "wait.mean"), 0);
	cr_expect_eq(taken.count, 0);
	free(hand);
	end(&taken);
}

/* Ten spans of 40 jobs: -4000 in each, so p = 2 / 2^10, and the difference is sure. */
Test(differences, blocks)
{
	struct taken taken = begin();
	differences_cut(taken.all, 2400 * SL_SECOND, 0, "spans");
	take(&taken, 0, 400, always_1000, 0);
	take(&taken, 1, 400, in_turn, 0);
	const struct sl_difference *said = find(&taken, "wait.mean");
	const struct sl_certainty *sure = known(&taken, "wait.mean");
	cr_expect_eq(said->samples, 10);
	cr_expect(said->estimate == -100000000 && said->low > said->high); /* Of equal ones. */
	cr_expect_str_eq(said->method, "no interval, as all samples say the same");
	cr_expect(sure->tested && sure->exact && fabs(sure->p - 2.0 / 1024) < 1e-12);
	cr_expect(sure->effective == 10000000 && sure->sure == 0);
	end(&taken);
}

/* ---- Of any runs ---------------------------------------------------------------------------------- */

/* Runs of the same jobs that nobody scheduled: waits of many sizes, often none; jobs that never start, that
 * do not end, that were there before the time that counts. */
static struct hand *generated(uint64_t seed, unsigned run)
{
	struct hand *hand = hand_new(64);
	struct sl_rng jobs = sl_rng_stream(seed, "tests/differences/jobs");
	struct sl_rng rng = sl_rng_stream(seed, run ? "tests/differences/b" : "tests/differences/a");
	const uint32_t count = 210 + (uint32_t)sl_rng_below(&jobs, 240);
	const int64_t busy = 1 + (int64_t)sl_rng_below(&rng, 5000);
	const uint64_t waiting = sl_rng_below(&rng, 4);
	int64_t submit = 0;
	for (uint32_t i = 0; i < count; i++) {
		submit += (int64_t)sl_rng_below(&jobs, 400);
		const int64_t length = (int64_t)sl_rng_below(&jobs, 900);
		const double part = sl_rng_unit(&rng);
		const bool waits = sl_rng_below(&rng, 4) < waiting;
		const int64_t start = submit + (waits ? (int64_t)((double)busy * part * part * part) : 0);
		const uint64_t fate = sl_rng_below(&rng, 50);
		hand_add(hand,
			(struct hand_job){ submit, fate == 0 ? -1 : start, fate < 2 ? -1 : start + length,
				1 + (int32_t)sl_rng_below(&jobs, 8), 900, 1, 1,
				fate == 0  ? SL_PENDING
				: fate < 2 ? SL_RUNNING
					   : SL_COMPLETED });
	}
	hand->result.first = hand->submit[sl_rng_below(&jobs, 20)];
	return hand;
}

static void hold(const struct sl_difference *said, const struct sl_certainty *sure,
	const struct sl_compared *reported, const struct sl_metrics metrics[2], uint64_t seed)
{
	cr_expect(sure->ratio_low > sure->ratio_high || sure->ratio_low >= -1000000);
	cr_expect(!sure->sure || said->low > 0 || said->high < 0, "%s of %" PRIu64, said->metric, seed);
	for (size_t i = 0; i < reported->restated_count; i++)
		if (strcmp(reported->restated[i].metric, said->metric) == 0)
			return; /* Of other jobs than the metrics. */
	const int64_t *a = metrics_get(&metrics[0], said->metric);
	const int64_t *b = metrics_get(&metrics[1], said->metric);
	cr_expect(a && b && said->estimate == *b - *a, "%s of %" PRIu64, said->metric, seed);
	cr_expect(said->low > said->high || (said->low <= said->estimate && said->estimate <= said->high),
		"%s of %" PRIu64 ": %" PRId64 " [%" PRId64 ", %" PRId64 "]", said->metric, seed,
		said->estimate, said->low, said->high);
}

/* Each estimate is the difference of the metrics, and in its interval: of batches, and of blocks of time. */
Test(differences, estimates_are_of_the_metrics_and_in_their_intervals)
{
	struct sl_err err = { 0 };
	unsigned intervals = 0;
	const uint64_t seeds = effort_of(16, 120, 120);
	for (uint64_t seed = 0; seed < seeds; seed++) {
		struct taken taken = begin();
		struct sl_metrics metrics[2];
		if (seed % 2)
			differences_cut(taken.all, seed % 4 == 1 ? 3600 * SL_SECOND : 0, 9, "spans");
		for (unsigned run = 0; run < 2; run++) {
			struct hand *hand = generated(seed, run);
			metrics_init(&metrics[run], taken.arena, builtin_registry());
			cr_assert_eq(metrics_compute(&metrics[run], &hand->result, &err), SL_OK);
			cr_assert_eq(
				differences_take(taken.all, run, &hand->result, &metrics[run], &err), SL_OK);
			free(hand);
		}
		(void)place_of(&taken, "");
		for (size_t i = 0; i < taken.count; i++) {
			const struct sl_compared reported = differences_reported(taken.all);
			hold(&taken.said[i], &taken.known[i], &reported, metrics, seed);
			intervals += taken.said[i].low <= taken.said[i].high;
		}
		metrics_release(&metrics[0]);
		metrics_release(&metrics[1]);
		end(&taken);
	}
	cr_expect(intervals > 2 * seeds, "%u", intervals);
}

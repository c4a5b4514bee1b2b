/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences.c - what may be said of the differences of several runs over one trace, or over several seeds,
 * windows or traces each.
 *
 * Nothing is said before all runs are over: what is compared are the jobs that ran in all of them. Each
 * estimate is the difference of the two metrics as they are printed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/differences_parts.h"

const struct displayed_way difference_ways[] = {
	{ "wait.mean", BY_MEAN, WAIT, 0, 50, 80 },
	{ "wait.p50", BY_QUANTILE, WAIT, 50, 0, 80 },
	{ "wait.p90", BY_QUANTILE, WAIT, 90, 0, 80 },
	{ "wait.p95", BY_QUANTILE, WAIT, 95, 0, 80 },
	{ "wait.p99", BY_QUANTILE, WAIT, 99, 0, 80 },
	{ "wait.max", BY_RUN, WAIT, 100, 0, 0 },
	{ "turnaround.mean", BY_MEAN, TURNAROUND, 0, 50, 80 },
	{ "turnaround.p95", BY_QUANTILE, TURNAROUND, 95, 0, 80 },
	{ "slowdown.mean", BY_MEAN, SLOWDOWN, 0, 0, 30 },
	{ "bounded_slowdown.mean", BY_MEAN, BOUNDED, 0, 20, 30 },
	{ "bounded_slowdown.p50", BY_QUANTILE, BOUNDED, 50, 0, 70 },
	{ "bounded_slowdown.p95", BY_QUANTILE, BOUNDED, 95, 10, 70 },
	{ "bounded_slowdown.max", BY_RUN, BOUNDED, 100, 0, 0 },
	{ "utilization", BY_RUN, WAIT, 0, 0, 0 },
	{ "utilization.cpus", BY_RUN, WAIT, 0, 0, 0 },
	{ "utilization.gpus", BY_RUN, WAIT, 0, 0, 0 },
	{ "utilization.steady", BY_RUN, WAIT, 0, 0, 0 },
	{ "loss_of_capacity", BY_RUN, WAIT, 0, 0, 0 },
	{ "queue.mean", BY_RUN, WAIT, 0, 0, 0 },
	{ "queue.max", BY_RUN, WAIT, 0, 0, 0 },
	{ "throughput", BY_RUN, WAIT, 0, 0, 0 },
	{ "makespan", BY_RUN, WAIT, 0, 0, 0 },
	{ "jobs.completed", BY_RUN, WAIT, 0, 0, 0 },
};
const size_t difference_way_count = SL_LEN(difference_ways);

const char *const compared_counts[] = { "jobs.total", "jobs.refused", "jobs.never_started", "jobs.cut",
	"jobs.lost", "jobs.unfinished", NULL };

struct differences *differences_new(struct sl_arena *arena)
{
	struct differences *all = calloc(1, sizeof(*all));
	if (all)
		all->arena = arena;
	return all;
}

void differences_free(struct differences *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->courses; i++)
		series_release(&all->series[i]);
	free(all->series);
	free(all->list);
	free(all->certainty);
	free(all->restated);
	free(all);
}

void differences_cut(struct differences *all, sl_time length, unsigned count, const char *each)
{
	all->cut_length = length;
	all->cut_count = count;
	all->cut_each = each;
}

void differences_on_threads(struct differences *all, unsigned threads) { all->threads = threads; }

void differences_untold(struct differences *all, const char *why) { all->why = why; }

/* ---- Runs --------------------------------------------------------------------------------------- */

/* All that there is of it goes with the others, whatever the status. */
static int series_put(struct differences *all, struct series *series, int status, struct sl_err *err)
{
	if (SL_GROW_MOST(all->series, all->series_capacity, all->courses + 1, UINT32_MAX, err)) {
		series_release(series);
		return err->status;
	}
	if (!status && all->courses)
		series_share(series, &all->series[0]);
	all->series[all->courses++] = *series;
	return status;
}

struct series *differences_prepare(
	const struct sl_result *result, const struct sl_metrics *metrics, struct sl_err *err)
{
	struct series *series = calloc(1, sizeof(*series));
	if (!series) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	if (result->interrupted)
		series->partial = true;
	else if (series_of_result(series, result, metrics, err)) {
		differences_drop(series);
		return NULL;
	}
	return series;
}

void differences_drop(struct series *series)
{
	if (series)
		series_release(series);
	free(series);
}

int differences_add(struct differences *all, size_t run, struct series *series, struct sl_err *err)
{
	all->partial |= series->partial;
	if (all->partial) {
		differences_drop(series);
		return SL_OK;
	}
	SL_CHECK(run == all->courses); /* In their order. */
	const int status = series_put(all, series, SL_OK, err);
	free(series);
	return status;
}

int differences_take(struct differences *all, size_t run, const struct sl_result *result,
	const struct sl_metrics *metrics, struct sl_err *err)
{
	struct series *series = differences_prepare(result, metrics, err);
	return series ? differences_add(all, run, series, err) : err->status;
}

/* Of means over windows there are no jobs. */
static int differences_take_metrics(
	struct differences *all, const struct sl_metrics *metrics, struct sl_err *err)
{
	sl_time none = 0;
	const struct schedule nobody = { .submit = &none };
	struct series series;
	return series_put(all, &series, series_of_file(&series, &nobody, metrics, err), err);
}

int differences_take_file(
	struct differences *all, const char *path, const struct sl_metrics *metrics, struct sl_err *err)
{
	struct schedule schedule = { 0 };
	struct series series;
	int status = schedule_read(&schedule, path, all->arena, err);
	if (status && status != SL_SYSTEM && status != SL_INTERRUPTED && all->why) {
		*err = (struct sl_err){ 0 };
		return differences_take_metrics(all, metrics, err);
	}
	if (status)
		return status;
	return series_put(all, &series, series_of_file(&series, &schedule, metrics, err), err);
}

static int differences_put(
	struct differences *all, struct reported reported, const char *metric, size_t run, struct sl_err *err)
{
	int status = SL_GROW_MOST(all->list, all->capacity, all->count + 1, UINT32_MAX, err);
	if (!status)
		status = SL_GROW_MOST(
			all->certainty, all->certainty_capacity, all->count + 1, UINT32_MAX, err);
	if (status)
		return status;
	reported.difference.metric = metric;
	reported.difference.run = (uint32_t)run;
	all->list[all->count] = reported.difference;
	all->certainty[all->count++] = reported.certainty;
	return SL_OK;
}

/* ---- Pairs ---------------------------------------------------------------------------------------- */

/* A run to the first: what is said of it is found apart from the others, on any thread. */
struct found {
	struct reported *reported; /* By way; a metric of NULL: nothing is said. */
	struct sl_arena *arena;
	struct sl_err err;
};

static void pair_find(const struct differences *all, size_t run, struct found *found)
{
	struct pair pair;
	if (pair_begin(&pair, all, run, found->arena, &found->err))
		return;
	for (size_t i = 0; i < SL_LEN(difference_ways) && !found->err.status; i++) {
		const struct displayed_way *way = &difference_ways[i];
		const int64_t *a = series_metric(all, 0, way->name);
		const int64_t *b = series_metric(all, run, way->name);
		if (!a || !b || (*a == 0 && *b == 0))
			continue;
		found->reported[i] = pair_reported(&pair, way, &found->err);
		found->reported[i].difference.metric = way->name;
	}
	pair_end(&pair);
}

struct pairs {
	const struct differences *all;
	struct found *found; /* By run. */
	_Atomic size_t next;
};

static void *pairs_work(void *self)
{
	struct pairs *pairs = self;
	size_t run;
	while ((run = atomic_fetch_add(&pairs->next, 1)) < pairs->all->courses)
		pair_find(pairs->all, run, &pairs->found[run]);
	return NULL;
}

/* This thread, and others beside it. */
static void pairs_go(struct pairs *pairs)
{
	enum { MOST = 64 };
	pthread_t thread[MOST];
	size_t wanted = pairs->all->threads ? pairs->all->threads : 1;
	size_t started = 0;
	wanted = wanted < pairs->all->courses - 1 ? wanted : pairs->all->courses - 1;
	wanted = wanted < MOST ? wanted : MOST;
	while (started + 1 < wanted && pthread_create(&thread[started], NULL, pairs_work, pairs) == 0)
		started++;
	(void)pairs_work(pairs);
	for (size_t i = 0; i < started; i++)
		(void)pthread_join(thread[i], NULL);
}

/* Words are kept as long as all the rest. */
static int pair_put(struct differences *all, size_t run, const struct found *found, struct sl_err *err)
{
	if (found->err.status)
		return sl_fail(err, found->err.status, "%s", found->err.text);
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(difference_ways) && !status; i++) {
		struct reported reported = found->reported[i];
		if (!reported.difference.metric)
			continue;
		const char *method = reported.difference.method;
		reported.difference.method = sl_strdup(all->arena, method, strlen(method));
		status = reported.difference.method
				 ? differences_put(all, reported, difference_ways[i].name, run, err)
				 : sl_fail_memory(err);
	}
	return status;
}

static int pairs_put(struct differences *all, struct sl_err *err)
{
	struct pairs pairs = {
		.all = all, .found = calloc(all->courses + 1, sizeof(*pairs.found)), .next = 1
	};
	int status = pairs.found ? SL_OK : sl_fail_memory(err);
	for (size_t run = 1; pairs.found && run < all->courses; run++) {
		struct found *found = &pairs.found[run];
		found->arena = sl_arena_new();
		found->reported = calloc(SL_LEN(difference_ways), sizeof(*found->reported));
		if (!found->arena || !found->reported)
			status = sl_fail_memory(err);
	}
	if (!status && all->courses > 1)
		pairs_go(&pairs);
	for (size_t run = 1; pairs.found && run < all->courses; run++) {
		if (!status)
			status = pair_put(all, run, &pairs.found[run], err);
		if (pairs.found[run].arena)
			sl_arena_free(pairs.found[run].arena);
		free(pairs.found[run].reported);
	}
	free(pairs.found);
	return status;
}

int differences_align(struct differences *all, struct sl_err *err)
{
	if (all->done || all->partial || all->courses < 2)
		return SL_OK;
	all->done = true;
	return courses_align(all, err);
}

uint32_t differences_common(const struct differences *all, uint32_t *apart)
{
	*apart = all ? all->apart_count : 0;
	return all ? all->common_count : 0;
}

void differences_mark_common(const struct differences *all, size_t run, bool *common)
{
	const uint32_t *matched = all->series[run].matched;
	for (uint32_t i = 0; i < all->common_count; i++)
		common[matched ? matched[all->common[i]] : all->common[i]] = true;
}

int differences_finish(struct differences *all, struct sl_err *err)
{
	if (all->done)
		return SL_OK;
	int status = differences_align(all, err);
	return !status && all->done ? pairs_put(all, err) : status;
}

/* NOLINTNEXTLINE(readability-function-size): which, and what comes of it. */
static int pair_look(const struct differences *all, struct series *series, const char *metric,
	struct sl_difference *said, struct sl_certainty *certainty, bool *found, struct sl_err *err)
{
	struct differences pair = { .arena = all->arena,
		.series = series,
		.courses = 2,
		.cut_length = all->cut_length,
		.cut_count = all->cut_count,
		.cut_each = all->cut_each,
		.why = all->why };
	const int status = differences_finish(&pair, err);
	for (size_t i = 0; i < pair.count && !status && !*found; i++) {
		if (strcmp(pair.list[i].metric, metric) != 0)
			continue;
		*said = pair.list[i];
		*certainty = pair.certainty[i];
		*found = true;
	}
	free(pair.list);
	free(pair.certainty);
	free(pair.restated);
	return status;
}

/* NOLINTNEXTLINE(readability-function-size): which, and what comes of it. */
int differences_pair(const struct differences *all, size_t run, const char *metric,
	struct sl_difference *said, struct sl_certainty *certainty, bool *found, struct sl_err *err)
{
	*found = false;
	if (!all->done || run >= all->courses)
		return SL_OK;
	struct series series[] = { all->series[0], all->series[run] }; /* Lent. */
	return pair_look(all, series, metric, said, certainty, found, err);
}

/* NOLINTNEXTLINE(readability-function-size): which, and what comes of it. */
int differences_between(const struct differences *all, size_t a, size_t b, const char *metric,
	struct sl_difference *said, struct sl_certainty *certainty, bool *found, struct sl_err *err)
{
	*found = false;
	if (!all->done || a >= all->courses || b >= all->courses || a == b)
		return SL_OK;
	/* What the jobs are is kept with the first run alone. */
	struct series series[] = { all->series[a], all->series[b] };
	if (series[0].same != all->series[0].same || series[1].same != all->series[0].same)
		return SL_OK;
	series[0].jobs = all->series[0].jobs;
	series[0].number = all->series[0].number;
	series[0].submit = all->series[0].submit;
	return pair_look(all, series, metric, said, certainty, found, err);
}

/* ---- Independent samples -------------------------------------------------------------------------- */

/* One metric of one run. value: an array for two of each. */
static int put_samples(struct differences *all, const struct difference_samples *samples, size_t run,
	const char *metric, double *value, struct sl_err *err)
{
	double *const of[] = { value, value + samples->each };
	unsigned count = 0;
	bool any = false;
	for (size_t i = 0; i < samples->each; i++) {
		const int64_t *a = metrics_get(samples->of(samples->self, 0, i), metric);
		const int64_t *b = metrics_get(samples->of(samples->self, run, i), metric);
		if (!a || !b)
			continue;
		any |= *a || *b;
		of[0][count] = (double)*a / 1e6;
		of[1][count++] = (double)*b / 1e6;
	}
	const int64_t *a = metrics_get(samples->means(samples->self, 0), metric);
	const int64_t *b = metrics_get(samples->means(samples->self, run), metric);
	if (!any || count < 2 || !a || !b)
		return SL_OK;
	struct reported reported =
		reported_by_samples(all, of[0], of[1], count, samples->serial, samples->what, err);
	reported.difference.estimate = *b - *a;
	if (all->apart)
		reported.certainty.sure = 0;
	return err->status ? err->status : differences_put(all, reported, metric, run, err);
}

/* What became of the jobs, in any sample. */
static void samples_apart(struct differences *all, const struct difference_samples *samples)
{
	for (size_t run = 1; run < samples->runs; run++)
		for (size_t i = 0; i < samples->each; i++)
			for (size_t k = 0; compared_counts[k]; k++) {
				const int64_t *a =
					metrics_get(samples->of(samples->self, 0, i), compared_counts[k]);
				const int64_t *b =
					metrics_get(samples->of(samples->self, run, i), compared_counts[k]);
				all->apart |= (a ? *a : 0) != (b ? *b : 0);
			}
	all->apart |= samples->apart;
	if (samples->apart)
		all->words =
			"waits, turnarounds and slowdowns are over the jobs that ran in all runs of the same log "
			"or seed; others ran in some only, so no run is better than another";
	else if (all->apart)
		all->words = "not as many jobs ran and ended alike in all runs, so no run is better than "
			     "another";
}

int differences_samples(struct differences *all, const struct difference_samples *samples, struct sl_err *err)
{
	double *value = malloc((2 * samples->each + 1) * sizeof(*value));
	int status = value ? SL_OK : sl_fail_memory(err);
	samples_apart(all, samples);
	for (size_t run = 1; run < samples->runs && !status; run++)
		for (size_t i = 0; i < SL_LEN(difference_ways) && !status; i++)
			status = put_samples(all, samples, run, difference_ways[i].name, value, err);
	free(value);
	return status;
}

/* ---- What was found ------------------------------------------------------------------------------- */

struct sl_compared differences_reported(const struct differences *all)
{
	if (!all || all->partial)
		return (struct sl_compared){ 0 };
	return (struct sl_compared){ .difference = all->list,
		.difference_count = all->count,
		.certainty = all->certainty,
		.restated = all->restated,
		.restated_count = all->restated_count,
		.apart = all->words };
}

bool differences_slower(const struct differences *all, size_t run)
{
	if (!all || run >= all->courses || !all->done)
		return false;
	for (size_t i = 0; i < all->courses; i++)
		if (all->series[i].held < all->series[run].held)
			return true;
	return false;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_field.c - further metrics of papers on parallel job scheduling, with replay.metrics=field: weighted
 * by area, shares of starts out of order, fair start times, waits by size and run time.
 *
 * A job's area is what it held: its cpus times its run time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "reports/metrics/metrics_fair.h"

/* ---- By area ------------------------------------------------------------------------------------ */

static metrics_wide metrics_area(const struct sl_result *result, uint32_t row)
{
	return (metrics_wide)(uint64_t)metrics_held(result, row) * (uint64_t)metrics_cpus(result, row);
}

static unsigned wide_bits(metrics_wide value)
{
	unsigned bits = 0;
	for (; value; value >>= 1)
		bits++;
	return bits;
}

static void put_weighted(
	const struct sl_result *result, const struct metrics_span *span, struct sl_metrics *metrics)
{
	metrics_wide area = 0;
	metrics_wide held = 0;
	metrics_wide taken = 0;
	uint64_t most = 0;
	for (uint32_t row = span->first; row < span->until; row++) {
		if (!metrics_ran(result, row) || !metrics_sieved(span, result, row))
			continue;
		const uint64_t turnaround = (uint64_t)(result->end[row] - result->jobs->submit[row]);
		const uint64_t cpus = (uint64_t)metrics_cpus(result, row);
		area += metrics_area(result, row);
		taken += (metrics_wide)turnaround * cpus;
		most = turnaround > most ? turnaround : most;
	}
	/* Low bits of the turnarounds go where the sum would overflow. */
	const unsigned bits = wide_bits(area) + wide_bits(most);
	const unsigned drop = bits > 126 ? bits - 126 : 0;
	for (uint32_t row = span->first; row < span->until; row++)
		if (metrics_ran(result, row) && metrics_sieved(span, result, row))
			held += metrics_area(result, row) *
				((uint64_t)(result->end[row] - result->jobs->submit[row]) >> drop);
	if (!area)
		return;
	metrics_put(metrics, "turnaround.area_weighted", held, area, (uint64_t)1 << (drop < 20 ? drop : 20));
	metrics_put(metrics, "slowdown.area_weighted", taken, area, METRICS_MICRO);
}

/* ---- Starts out of order -------------------------------------------------------------------------- */

/* By what the policy said of its starts; of a policy that says nothing of any, nothing is put. */
static void put_backfilled(
	const struct sl_result *result, const struct metrics_span *span, struct sl_metrics *metrics)
{
	uint64_t starts = 0;
	uint64_t backfilled = 0;
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sl_decision *decision = &result->decision[i];
		if (decision->decision != SL_DECISION_START || decision->rule == SL_RULE_NONE ||
			!metrics_counted(span, result, decision->job))
			continue;
		starts++;
		backfilled += decision->rule == SL_RULE_BACKFILL || decision->rule == SL_RULE_SLACK;
	}
	if (starts)
		metrics_put(metrics, "starts.backfilled", backfilled, starts, METRICS_MICRO);
}

/* Since when it could have been started: its submission, or when what deferred it was over. */
static sl_time arrival_of(const struct sl_result *result, uint32_t row)
{
	const sl_time submit = result->jobs->submit[row];
	const sl_time eligible = result->eligible ? result->eligible[row] : submit;
	return eligible != SL_NONE && eligible > submit ? eligible : submit;
}

struct arrival {
	sl_time at;
	uint32_t row;
};

static int by_arrival(const void *a, const void *b)
{
	const struct arrival *x = a;
	const struct arrival *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Rows by arrival, those of one instant in their own order; NULL: memory. The caller frees it. */
static struct arrival *arrivals_of(const struct sl_result *result)
{
	const uint32_t count = result->jobs->count;
	struct arrival *arrival = malloc(((size_t)count + 1) * sizeof(*arrival));
	for (uint32_t row = 0; arrival && row < count; row++)
		arrival[row] = (struct arrival){ arrival_of(result, row), row };
	if (arrival)
		qsort(arrival, count, sizeof(*arrival), by_arrival);
	return arrival;
}

static sl_time leaves(const struct sl_result *result, uint32_t row)
{
	if (metrics_started(result, row))
		return result->start[row];
	return result->end[row] != SL_NONE ? result->end[row] : INT64_MAX;
}

static int put_overtaking(const struct sl_result *result, const struct metrics_span *span,
	struct sl_metrics *metrics, struct sl_err *err)
{
	struct arrival *order = arrivals_of(result);
	uint64_t starts = 0;
	uint64_t overtaking = 0;
	sl_time latest = INT64_MIN; /* Until then, one that arrived before waits; */
	sl_time level = INT64_MIN;  /* the same with those of the same instant, */
	sl_time instant = INT64_MIN;
	if (!order)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < result->jobs->count; i++) {
		const uint32_t row = order[i].row;
		if (order[i].at != instant)
			latest = level;
		instant = order[i].at;
		level = leaves(result, row) > level ? leaves(result, row) : level;
		if (!metrics_started(result, row) || !metrics_counted(span, result, row))
			continue;
		starts++;
		overtaking += latest > result->start[row];
	}
	free(order);
	metrics_put(metrics, "starts.overtaking", overtaking, starts, METRICS_MICRO);
	return SL_OK;
}

/* ---- Fair start times ------------------------------------------------------------------------------- */

struct missed {
	uint64_t jobs, late;
	metrics_wide by;
};

static void missed_add(struct missed *missed, const struct sl_result *result, uint32_t row)
{
	const sl_time miss = metrics_fair_miss(result, row);
	missed->jobs++;
	missed->late += miss > 0;
	missed->by += (uint64_t)miss;
}

static bool is_looked_at(const struct sl_result *result, const struct metrics_span *span, uint32_t row)
{
	return metrics_started(result, row) && result->fair_start[row] != SL_NONE &&
	       metrics_counted(span, result, row);
}

static int put_users_missed(const struct sl_result *result, const struct metrics_span *span,
	struct sl_metrics *metrics, struct sl_err *err)
{
	const struct sl_jobs *jobs = result->jobs;
	struct metrics_keys keys;
	if (!jobs->user)
		return SL_OK;
	const int status = metrics_keys_make(&keys, jobs->user, jobs->count, err);
	struct missed *user = status ? NULL : calloc(keys.count + 1, sizeof(*user));
	for (uint32_t row = 0; user && row < jobs->count; row++)
		if (jobs->user[row] >= 0 && is_looked_at(result, span, row))
			missed_add(&user[keys.place ? keys.place[jobs->user[row]]
						    : metrics_keys_search(&keys, jobs->user[row])],
				result, row);
	for (size_t i = 0; user && i < keys.count; i++) {
		char name[400];
		if (!user[i].jobs)
			continue;
		const int32_t id = keys.key[i];
		if (jobs->user_name)
			(void)snprintf(
				name, sizeof(name), "fair_start.miss.mean{user=%.240s}", jobs->user_name[id]);
		else
			(void)snprintf(name, sizeof(name), "fair_start.miss.mean{user=%d}", (int)id);
		metrics_put(metrics, name, user[i].by, user[i].jobs, 1);
	}
	const bool whole = user != NULL;
	free(user);
	if (!status)
		metrics_keys_release(&keys);
	return status || whole ? status : sl_fail_memory(err);
}

static int put_fair(const struct sl_result *result, const struct metrics_span *span,
	struct sl_metrics *metrics, struct sl_err *err)
{
	struct missed all = { 0 };
	if (!result->fair_start)
		return SL_OK;
	for (uint32_t row = span->first; row < span->until; row++)
		if (is_looked_at(result, span, row))
			missed_add(&all, result, row);
	metrics_put(metrics, "fair_start.jobs", all.jobs, 1, METRICS_MICRO);
	metrics_put(metrics, "fair_start.late", all.late, all.jobs, METRICS_MICRO);
	metrics_put(metrics, "fair_start.miss.mean", all.by, all.jobs, 1);
	return put_users_missed(result, span, metrics, err);
}

/* ---- Waits by size and run time --------------------------------------------------------------------- */

enum { SIZES = 31 };

struct waits_cell {
	uint64_t jobs;
	metrics_wide wait;
};

static void put_cell(struct sl_metrics *metrics, const char *name, unsigned size, unsigned run,
	metrics_wide top, uint64_t bottom)
{
	char sizes[40] = "1";
	char whole[120];
	const uint64_t from = UINT64_C(1) << size;
	if (from > 1)
		(void)snprintf(sizes, sizeof(sizes), "%llu-%llu", (unsigned long long)from,
			(unsigned long long)(2 * from - 1));
	(void)snprintf(whole, sizeof(whole), "%s{size=%s,run=%s}", name, sizes, metrics_length_label(run));
	metrics_put(metrics, whole, top, bottom, 1);
}

static void put_table(
	const struct sl_result *result, const struct metrics_span *span, struct sl_metrics *metrics)
{
	struct waits_cell cell[SIZES][METRICS_LENGTHS] = { 0 };
	for (uint32_t row = span->first; row < span->until; row++) {
		if (!metrics_ran(result, row) || !metrics_sieved(span, result, row))
			continue;
		const uint32_t size = (uint32_t)result->jobs->size[row] | 1;
		struct waits_cell *at =
			&cell[31 - __builtin_clz(size)][metrics_length(metrics_held(result, row))];
		at->jobs++;
		at->wait += (uint64_t)metrics_wait(result, row);
	}
	for (unsigned size = 0; size < SIZES; size++)
		for (unsigned run = 0; run < METRICS_LENGTHS; run++) {
			const struct waits_cell *at = &cell[size][run];
			if (!at->jobs)
				continue;
			put_cell(metrics, "jobs", size, run, (metrics_wide)at->jobs * METRICS_MICRO, 1);
			put_cell(metrics, "wait.mean", size, run, at->wait, at->jobs);
		}
}

static int metrics_field_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	if (!result->field)
		return SL_OK;
	const struct metrics_span span = metrics_span_of(result);
	put_weighted(result, &span, metrics);
	put_backfilled(result, &span, metrics);
	int status = put_overtaking(result, &span, metrics, err);
	if (!status)
		status = put_fair(result, &span, metrics, err);
	if (!status)
		put_table(result, &span, metrics);
	return status;
}

const struct sl_metric metrics_of_field = { SL_ABI_OF(struct sl_metric), "field",
	"with replay.metrics=field: turnaround.area_weighted: sum of area * turnaround over sum of area, area being a "
	"job's cpus * run time (AWRT), seconds; slowdown.area_weighted: sum of area * slowdown over sum of area, "
	"which is sum of cpus * turnaround over sum of cpus * run time; starts.backfilled: share of starts that the "
	"policy made by the rule backfill or slack; starts.overtaking: share of the jobs that started while one that "
	"had arrived before still waited; fair_start.late: share of the jobs that started later than their fair start "
	"time: (replay.fair_start=order) at a job's arrival, what waits is started in the order of arrival with no "
	"backfilling, true run times and no later arrivals; (=policy) its start under the policy without later "
	"arrivals; fair_start.miss.mean: by how many seconds, 0 of those that did not; also {user=ID}; "
	"fair_start.jobs: those looked at; without preemption, and in order on a counted pool; jobs{size=S,run=R}, "
	"wait.mean{size=S,run=R}: of the jobs that ended, by cpus and run time",
	"Schwiegelshohn, Yahyapour 2000: Fairness in parallel job scheduling (response weighted by resource "
	"consumption); Ernemann, Hamscher, Yahyapour 2004: Benefits of global Grid computing for job scheduling "
	"(weighted slowdown); Mu'alem, Feitelson 2001: Utilization, predictability, workloads, and user runtime "
	"estimates in scheduling the IBM SP2 with backfilling; Sabin, Kochhar, Sadayappan 2004: Job fairness in "
	"non-preemptive job scheduling; Leung, Sabin, Sadayappan 2010: Parallel job scheduling policies to improve "
	"fairness: a case study",
	metrics_field_compute };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibrate.c - see calibrate.h: who is compared, waits on both sides, their rank correlation, and the
 * verdict.
 */
#include "reports/metrics/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/metrics/calibrate_parts.h"
#include "reports/metrics/metrics.h"

const char *const calibrate_out_text[CALIBRATE_OUT_COUNT] = {
	[CALIBRATE_BEFORE] = "ran or waited when the replay began",
	[CALIBRATE_CUT] = "came within the warm-up or cool-down",
	[CALIBRATE_CANCELLED] = "cancelled before a start was recorded",
	[CALIBRATE_RETRY] = "waited to run again when the log ended",
	[CALIBRATE_NO_START] = "no start recorded",
	[CALIBRATE_BACKWARDS] = "recorded start before submission",
	[CALIBRATE_NOT_HERE] = "did not start in the replay",
};

const char *const calibrate_measure_name[CALIBRATE_MEASURES] = { "wait", "eligible", "last" };

const struct calibrate_bound calibrate_close = { 150000, 150000, 950000, 600000 };
const struct calibrate_bound calibrate_fair = { 300000, 300000, 900000, 300000 };

enum { WHOLE = 1000000 };

/* ---- Who is compared --------------------------------------------------------------------- */

const struct sl_job_attributes *calibrate_more_of(const struct sl_jobs *jobs, uint32_t row)
{
	const uint32_t index = jobs->more_of ? jobs->more_of[row] : 0;
	return index ? &jobs->more[index] : NULL;
}

/* When its first attempt started, by the log; SL_NONE: it does not say. */
static sl_time recorded_start(const struct sl_jobs *jobs, uint32_t row)
{
	const struct sl_job_attributes *more = calibrate_more_of(jobs, row);
	if (more && more->start_recorded != SL_NONE)
		return more->start_recorded - more->earlier_recorded;
	const sl_time wait = jobs->wait_recorded ? jobs->wait_recorded[row] : SL_NONE;
	return wait == SL_NONE ? SL_NONE : jobs->submit[row] + wait;
}

static bool is_out(struct calibration *all, enum calibrate_out why)
{
	all->left_out[why]++;
	return true;
}

static bool left_out(struct calibration *all, const struct sl_result *result, const struct metrics_span *span,
	uint32_t row)
{
	const struct sl_jobs *jobs = result->jobs;
	const struct sl_job_attributes *more = calibrate_more_of(jobs, row);
	const sl_time start = recorded_start(jobs, row);
	if (row < metrics_first(result))
		return is_out(all, CALIBRATE_BEFORE);
	if (span->cut && !metrics_counted(span, result, row))
		return is_out(all, CALIBRATE_CUT);
	if (start == SL_NONE && more && (more->attempts_recorded > 0 || more->held_before_recorded > 0))
		return is_out(all, CALIBRATE_RETRY);
	if (start == SL_NONE && more && more->state_recorded == SL_CANCELLED)
		return is_out(all, CALIBRATE_CANCELLED);
	if (start == SL_NONE)
		return is_out(all, CALIBRATE_NO_START);
	if (start < jobs->submit[row])
		return is_out(all, CALIBRATE_BACKWARDS);
	if (!metrics_started(result, row))
		return is_out(all, CALIBRATE_NOT_HERE);
	return false;
}

static sl_time or_zero(sl_time time) { return time > 0 ? time : 0; }

/* The last attempt's wait in the replay. */
static sl_time simulated_last(const struct sl_result *result, uint32_t row)
{
	const struct sl_attempt *attempt;
	const size_t count = sl_attempts_of(result, row, &attempt);
	return count > 1 ? or_zero(attempt[count - 1].start - attempt[count - 2].end)
			 : metrics_wait(result, row);
}

static void take_measures(struct calibrate_job *job, const struct sl_result *result, uint32_t row)
{
	const struct sl_jobs *jobs = result->jobs;
	const struct sl_job_attributes *more = calibrate_more_of(jobs, row);
	const sl_time submit = jobs->submit[row];
	const sl_time recorded = recorded_start(jobs, row);
	const sl_time eligible =
		result->eligible && result->eligible[row] != SL_NONE ? result->eligible[row] : submit;
	job->row = row;
	job->start[0] = recorded;
	job->start[1] = result->start[row];
	for (unsigned side = 0; side < 2; side++)
		job->time[CALIBRATE_WAIT][side] = job->start[side] - submit;
	job->time[CALIBRATE_ELIGIBLE][0] =
		or_zero(recorded - submit - (more ? more->eligible_after_recorded : 0));
	/* Put back, it is eligible anew: then that is not of its first attempt. */
	job->time[CALIBRATE_ELIGIBLE][1] =
		eligible <= result->start[row] ? result->start[row] - eligible : result->start[row] - submit;
	job->time[CALIBRATE_LAST][0] =
		more && more->start_recorded != SL_NONE
			? or_zero(more->start_recorded - submit - more->requeued_after_recorded)
			: recorded - submit;
	job->time[CALIBRATE_LAST][1] = simulated_last(result, row);
}

/* ---- The second log ------------------------------------------------------------------------- */

struct numbered {
	int64_t id;
	uint32_t row;
};

static int by_id(const void *a, const void *b)
{
	const struct numbered *x = a;
	const struct numbered *y = b;
	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->row > y->row) - (x->row < y->row);
}

/* Jobs of the second log by their numbers; of one number the first counts. */
static int take_again(struct calibrate_job *job, size_t count, const struct sl_jobs *jobs,
	const struct sl_jobs *again, struct sl_err *err)
{
	struct numbered *list = again ? calloc(again->count + 1, sizeof(*list)) : NULL;
	for (size_t i = 0; i < count; i++)
		job[i].again = SL_NONE;
	if (!again)
		return SL_OK;
	if (!list)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < again->count; row++)
		list[row] = (struct numbered){ again->id[row], row };
	qsort(list, again->count, sizeof(*list), by_id);
	for (size_t i = 0; i < count; i++) {
		const struct numbered key = { jobs->id[job[i].row], 0 };
		size_t low = 0;
		size_t high = again->count;
		while (low < high) {
			const size_t middle = (low + high) / 2;
			*(by_id(&list[middle], &key) < 0 ? &low : &high) =
				by_id(&list[middle], &key) < 0 ? middle + 1 : middle;
		}
		if (low == again->count || list[low].id != key.id)
			continue;
		const sl_time start = recorded_start(again, list[low].row);
		if (start != SL_NONE && start >= again->submit[list[low].row])
			job[i].again = start - again->submit[list[low].row];
	}
	free(list);
	return SL_OK;
}

size_t calibrate_again_of(
	const struct calibrate_job *const *job, size_t count, sl_time *shared, sl_time *again)
{
	metrics_wide sum[2] = { 0, 0 };
	size_t both = 0;
	for (size_t i = 0; i < count; i++) {
		if (job[i]->again == SL_NONE)
			continue;
		both++;
		sum[0] += (uint64_t)job[i]->time[CALIBRATE_WAIT][0];
		sum[1] += (uint64_t)job[i]->again;
	}
	*shared = both ? metrics_ratio_micro(sum[0], both, 1) : 0;
	*again = both ? metrics_ratio_micro(sum[1], both, 1) : 0;
	return both;
}

sl_time calibrate_bound_of(const struct calibrate_group *group)
{
	const sl_time tenth = group->wait.recorded.mean / 10;
	const sl_time apart = group->mean_again - group->mean_shared;
	const sl_time spread = apart < 0 ? -apart : apart;
	const sl_time bound = tenth > CALIBRATE_GRAIN ? tenth : CALIBRATE_GRAIN;
	return spread > bound ? spread : bound;
}

int calibrate_side_of(const struct calibrate_group *group)
{
	const sl_time apart = group->wait.simulated.mean - group->wait.recorded.mean;
	const sl_time bound = calibrate_bound_of(group);
	if (group->jobs < CALIBRATE_GROUP_LEAST)
		return 0;
	return (apart > bound) - (apart < -bound);
}

static void calibrate_take(
	struct calibration *all, struct calibrate_job *job, const struct sl_result *result, uint32_t row)
{
	const struct sl_job_attributes *more = calibrate_more_of(result->jobs, row);
	const struct sl_attempt *attempt;
	take_measures(job, result, row);
	const sl_time minute = 60 * SL_SECOND;
	const sl_time wait = job->time[CALIBRATE_WAIT][0];
	const sl_time apart = job->time[CALIBRATE_WAIT][1] - wait;
	const sl_time size = apart < 0 ? -apart : apart;
	all->jobs++;
	all->requeued += more && more->attempts_recorded > 1;
	all->requeued_here += sl_attempts_of(result, row, &attempt) > 1;
	all->censored += more && more->censored;
	all->within_minute += size <= minute;
	all->within_tenth += size <= minute || size <= wait / 10;
	all->sooner += apart < -minute;
	all->later += apart > minute;
}

/* ---- Numbers ----------------------------------------------------------------------------------- */

static struct calibrate_side side_of(int64_t *value, size_t count)
{
	struct calibrate_side side = { 0, 0, 0, 0 };
	metrics_wide sum = 0;
	if (!count)
		return side;
	for (size_t i = 0; i < count; i++)
		sum += (uint64_t)value[i];
	side.mean = metrics_ratio_micro(sum, count, 1);
	side.p50 = metrics_select(value, count, metrics_rank(count, 50));
	side.p95 = metrics_select(value, count, metrics_rank(count, 95));
	side.max = metrics_select(value, count, count - 1);
	return side;
}

struct calibrate_both calibrate_both_of(
	const struct calibrate_job *const *job, size_t count, enum calibrate_measure which, int64_t *scratch)
{
	struct calibrate_side side[2];
	for (unsigned k = 0; k < 2; k++) {
		for (size_t i = 0; i < count; i++)
			scratch[i] = job[i]->time[which][k];
		side[k] = side_of(scratch, count);
	}
	return (struct calibrate_both){ side[0], side[1] };
}

int64_t calibrate_difference(sl_time recorded, sl_time simulated)
{
	if (recorded == simulated)
		return 0;
	if (recorded <= 0)
		return INT64_MAX;
	const __int128 twice = 2 * (__int128)(simulated - recorded) * WHOLE;
	const __int128 half = twice < 0 ? -(__int128)recorded : (__int128)recorded;
	return (int64_t)((twice + half) / (2 * (__int128)recorded));
}

static int calibrate_by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y); /* Equal ones are the same number. */
}

static void differences(struct calibration *all, const struct calibrate_job *job, int64_t *scratch)
{
	for (size_t i = 0; i < all->jobs; i++)
		scratch[i] = job[i].time[CALIBRATE_WAIT][1] - job[i].time[CALIBRATE_WAIT][0];
	qsort(scratch, all->jobs, sizeof(*scratch),
		calibrate_by_number); /* Some are negative: not metrics_select's. */
	all->difference_p50 = all->jobs ? scratch[metrics_rank(all->jobs, 50)] : 0;
}

/* ---- The verdict ----------------------------------------------------------------------------------- */

static bool is_similar(sl_time recorded, sl_time simulated, int64_t bound)
{
	const sl_time apart = simulated > recorded ? simulated - recorded : recorded - simulated;
	const int64_t by = calibrate_difference(recorded, simulated);
	return apart <= CALIBRATE_GRAIN || (by <= bound && by >= -bound);
}

static bool is_within(const struct calibration *all, const struct calibrate_bound *bound)
{
	const struct calibrate_both *wait = &all->measure[CALIBRATE_WAIT];
	return is_similar(wait->recorded.mean, wait->simulated.mean, bound->mean) &&
	       is_similar(wait->recorded.p95, wait->simulated.p95, bound->p95) &&
	       (all->starts == SL_NONE || all->starts >= bound->starts) &&
	       (all->waits == SL_NONE || all->waits >= bound->waits || wait->recorded.p95 <= CALIBRATE_GRAIN);
}

static enum calibrate_trust calibrate_judge(const struct calibration *all)
{
	if (all->jobs < CALIBRATE_JOBS_LEAST)
		return CALIBRATE_FEW;
	if (is_within(all, &calibrate_close))
		return CALIBRATE_CLOSE;
	return is_within(all, &calibrate_fair) ? CALIBRATE_FAIR : CALIBRATE_POOR;
}

/* ---- All ------------------------------------------------------------------------------------------- */

struct capacity {
	struct calibrate_job *job;
	const struct calibrate_job **some;
	int64_t *x, *y;
	struct calibrate_rank *rank;
	int64_t *ranks;
};

static void capacity_free(const struct capacity *capacity)
{
	free(capacity->job);
	free(capacity->some);
	free(capacity->x);
	free(capacity->y);
	free(capacity->rank);
	free(capacity->ranks);
}

static bool capacity_make(struct capacity *capacity, size_t count)
{
	*capacity = (struct capacity){
		.job = calloc(count + 1, sizeof(*capacity->job)),
		.some = calloc(count + 1, sizeof(const struct calibrate_job *)),
		.x = calloc(count + 1, sizeof(*capacity->x)),
		.y = calloc(count + 1, sizeof(*capacity->y)),
		.rank = calloc(count + 1, sizeof(*capacity->rank)),
		.ranks = calloc(2 * count + 1, sizeof(*capacity->ranks)),
	};
	return capacity->job && capacity->some && capacity->x && capacity->y && capacity->rank &&
	       capacity->ranks;
}

static void correlate(struct calibration *all, const struct capacity *capacity)
{
	for (size_t i = 0; i < all->jobs; i++) {
		capacity->x[i] = capacity->job[i].start[0];
		capacity->y[i] = capacity->job[i].start[1];
	}
	all->starts =
		calibrate_spearman(capacity->x, capacity->y, all->jobs, capacity->rank, capacity->ranks);
	for (size_t i = 0; i < all->jobs; i++) {
		capacity->x[i] = capacity->job[i].time[CALIBRATE_WAIT][0];
		capacity->y[i] = capacity->job[i].time[CALIBRATE_WAIT][1];
	}
	all->waits = calibrate_spearman(capacity->x, capacity->y, all->jobs, capacity->rank, capacity->ranks);
}

static int calibrate_compute(struct calibration *all, const struct capacity *capacity,
	const struct sl_result *result, const struct sl_jobs *again, struct sl_err *err)
{
	const struct metrics_span span = metrics_span_of(result);
	for (uint32_t row = 0; row < result->jobs->count; row++)
		if (!left_out(all, result, &span, row))
			calibrate_take(all, &capacity->job[all->jobs], result, row);
	const size_t unrecorded = all->left_out[CALIBRATE_NO_START] + all->left_out[CALIBRATE_CANCELLED];
	if (!all->jobs && unrecorded == all->total)
		return sl_fail(err, SL_INPUT,
			"the log records no starts, so there is nothing to compare with: leave out --calibrate");
	const int status = take_again(capacity->job, all->jobs, result->jobs, again, err);
	if (status)
		return status;
	for (size_t i = 0; i < all->jobs; i++)
		capacity->some[i] = &capacity->job[i];
	all->jobs_again = calibrate_again_of(capacity->some, all->jobs, &all->mean_shared, &all->mean_again);
	if (again && !all->jobs_again)
		return sl_fail(err, SL_INPUT,
			"the second log has none of the jobs that started: give one of the same jobs, with their numbers");
	for (unsigned which = 0; which < CALIBRATE_MEASURES; which++)
		all->measure[which] = calibrate_both_of(capacity->some, all->jobs, which, capacity->x);
	correlate(all, capacity);
	differences(all, capacity->job, capacity->x);
	all->trust = calibrate_judge(all);
	const int turned = calibrate_turnovers(all, result, err);
	return turned ? turned : calibrate_groups(all, result->jobs, capacity->some, capacity->x, err);
}

int calibrate(struct calibration *all, const struct sl_result *result, struct sl_err *err)
{
	return calibrate_with(all, result, NULL, err);
}

int calibrate_with(struct calibration *all, const struct sl_result *result, const struct sl_jobs *again,
	struct sl_err *err)
{
	struct capacity capacity;
	*all = (struct calibration){ .total = result->jobs->count, .starts = SL_NONE, .waits = SL_NONE };
	const int status = capacity_make(&capacity, result->jobs->count)
				   ? calibrate_compute(all, &capacity, result, again, err)
				   : sl_fail_memory(err);
	capacity_free(&capacity);
	if (status)
		calibrate_release(all);
	return status;
}

void calibrate_release(struct calibration *all)
{
	free(all->group);
	all->group = NULL;
	all->group_count = 0;
}

/* ---- Spearman's rank correlation, ties averaged.
 *
 * Ranks are kept as twice the rank less count + 1: whole numbers with the mean 0, so that the three sums are
 * exact. The quotient is one of doubles, by operations that round alike everywhere.
 */

static int calibrate_by_value(const void *a, const void *b)
{
	const struct calibrate_rank *x = a;
	const struct calibrate_rank *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void calibrate_rank_here(
	const int64_t *value, size_t count, struct calibrate_rank *order, int64_t *ranks)
{
	for (size_t i = 0; i < count; i++)
		order[i] = (struct calibrate_rank){ value[i], i };
	qsort(order, count, sizeof(*order), calibrate_by_value);
	for (size_t from = 0; from < count;) {
		size_t end = from;
		while (end < count && order[end].value == order[from].value)
			end++;
		/* Ranks from + 1 to end, in the mean (from + 1 + end) / 2. */
		const int64_t mean = (int64_t)(from + 1 + end) - (int64_t)(count + 1);
		for (size_t i = from; i < end; i++)
			ranks[order[i].at] = mean;
		from = end;
	}
}

int64_t calibrate_spearman(
	const int64_t *x, const int64_t *y, size_t count, struct calibrate_rank *scratch, int64_t *ranks)
{
	int64_t *rank_x = ranks;
	int64_t *rank_y = ranks + count;
	__int128 xx = 0;
	__int128 yy = 0;
	__int128 xy = 0;
	if (count < 2)
		return SL_NONE;
	calibrate_rank_here(x, count, scratch, rank_x);
	calibrate_rank_here(y, count, scratch, rank_y);
	for (size_t i = 0; i < count; i++) {
		xx += (__int128)rank_x[i] * rank_x[i];
		yy += (__int128)rank_y[i] * rank_y[i];
		xy += (__int128)rank_x[i] * rank_y[i];
	}
	if (!xx || !yy)
		return SL_NONE;
	const double root = sqrt((double)xx) * sqrt((double)yy);
	return (int64_t)floor((double)xy / root * 1e6 + 0.5);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fairness_csv.c - fairness.csv: who was treated unfairly, and when: a line for each period and user.
 *
 * Periods are of equal length from the first submission on: the shortest of an hour, a day, a week and 28
 * days of which a run has at most a hundred. A job belongs to that in which it was submitted.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "reports/metrics/metrics_fair.h"

enum { PERIODS_MOST = 100 };

struct told {
	uint32_t period, row;
	int32_t user;
};

static int by_period(const void *a, const void *b)
{
	const struct told *x = a;
	const struct told *y = b;
	if (x->period != y->period)
		return x->period < y->period ? -1 : 1;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static sl_time period_of(const struct sl_result *result)
{
	static const int64_t hours[] = { 1, 24, 7 * 24, 28 * 24 };
	const sl_time range = metrics_last_submit(result) - result->first;
	size_t i = 0;
	while (i + 1 < SL_LEN(hours) && range / (hours[i] * 3600 * SL_SECOND) >= PERIODS_MOST)
		i++;
	return hours[i] * 3600 * SL_SECOND;
}

static size_t told_list(struct told *told, const struct sl_result *result, sl_time period)
{
	const struct metrics_span span = metrics_span_of(result);
	size_t count = 0;
	for (uint32_t row = span.first; row < span.until; row++) {
		if (!metrics_ran(result, row) || result->fair_start[row] == SL_NONE ||
			!metrics_sieved(&span, result, row))
			continue;
		told[count++] = (struct told){ .row = row,
			.period = (uint32_t)((result->jobs->submit[row] - result->first) / period),
			.user = result->jobs->user ? result->jobs->user[row] : -1 };
	}
	qsort(told, count, sizeof(*told), by_period);
	return count;
}

static void fairness_put(struct sl_out *out, metrics_wide top, metrics_wide bottom, uint64_t scale)
{
	sl_out_text(out, ",");
	sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), metrics_ratio_micro(top, bottom, scale)));
}

/* Of one user in one period. */
static void put_told(struct sl_out *out, const struct sl_result *result, const struct told *told,
	size_t count, sl_time period)
{
	metrics_wide miss = 0;
	metrics_wide wait = 0;
	metrics_wide slowdown = 0;
	uint64_t late = 0;
	for (size_t i = 0; i < count; i++) {
		const sl_time by = metrics_fair_miss(result, told[i].row);
		late += by > 0;
		miss += (uint64_t)by;
		wait += (uint64_t)metrics_wait(result, told[i].row);
		slowdown += metrics_bounded_slowdown(result, told[i].row);
	}
	sl_out_advance(
		out, sl_put_micro(sl_out_reserve(out, 32), result->first + (sl_time)told->period * period));
	sl_out_text(out, ",");
	if (told->user >= 0 && result->jobs->user_name)
		sl_out_csv(out, result->jobs->user_name[told->user]);
	else if (told->user >= 0)
		sl_out_printf(out, "%" PRId32, told->user);
	sl_out_printf(out, ",%zu", count);
	fairness_put(out, late, count, METRICS_MICRO);
	fairness_put(out, miss, count, 1);
	fairness_put(out, wait, count, 1);
	fairness_put(out, slowdown, (metrics_wide)count * (METRICS_NANO / METRICS_MICRO), 1);
	sl_out_text(out, "\n");
}

static int write_fairness(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	const sl_time period = period_of(result);
	struct told *told = malloc(((size_t)result->jobs->count + 1) * sizeof(*told));
	if (!told)
		return sl_fail_memory(err);
	sl_out_text(out, "from,user,jobs,late,miss_mean,wait_mean,bounded_slowdown_mean\n");
	const size_t count = told_list(told, result, period);
	for (size_t i = 0, end = 0; i < count; i = end) {
		while (end < count && told[end].period == told[i].period && told[end].user == told[i].user)
			end++;
		put_told(out, result, &told[i], end - i, period);
	}
	free(told);
	return SL_OK;
}

static bool fairness_wanted(const struct sl_result *result) { return result->field && result->fair_start; }

const struct sl_report metrics_fairness = { .abi = SL_ABI_OF(struct sl_report),
	.name = "fairness.csv",
	.summary =
		"with replay.metrics=field: starts later than fair, waits and slowdowns by user and period",
	.write = write_fairness,
	.wanted = fairness_wanted };

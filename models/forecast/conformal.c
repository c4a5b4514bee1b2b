/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conformal.c - quantiles that were right before: conformal quantile regression with nearest cases.
 *
 * Futures are as good as the policy is known, the machine, and the users. What is left over shows in the
 * past: of each quantile that was said, by what factor the truth was off. Among the cases most like the one
 * that is asked about, the quantile q of those factors makes of what is said a quantile that holds with q
 * (Romano, Patterson and Candes, "Conformalized quantile regression", NeurIPS 2019; by neighbourhoods, as
 * Guan, "Localized conformal prediction", Biometrika 110(1), 2023). With n cases it is the ceil(q (n +
 * 1))-th, which holds for any distribution if cases are exchangeable; jobs that wait together are not quite.
 *
 * Which voice the factors are of, and by what cases are alike, is one of a few ways: the one whose medians
 * were off least when each week was forecast from those before it. There, too, is seen how much wider than
 * that intervals must be to hold in a week that was not looked at: by how much each had to be stretched
 * around its median, as logarithms, to reach the truth (the score of split conformal prediction); a little
 * more than their level of those scores is taken, and never less than one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/forecast/forecast_models.h"

enum { FEATURES = FORECAST_VOICES + 1, CASES_LEAST = 40, NEAREST_LEAST = 40, JUDGED_MOST = 300 };

/* A minute more or less is no factor. */
#define OFFSET (60.0 * SL_SECOND)

enum base { BASE_FUTURES, BASE_SIMILAR, BASE_BLEND, BASE_NONE };
enum {
	LIKE_FUTURES = 1 << FORECAST_FUTURES,
	LIKE_SIMILAR = 1 << FORECAST_SIMILAR,
	LIKE_ALL = (1 << FEATURES) - 1
};

static const struct way {
	const char *name;
	enum base base;
	unsigned like;    /* Bits of features. */
	unsigned nearest; /* In hundredths of the cases. */
} ways[] = {
	{ "futures", BASE_FUTURES, LIKE_FUTURES, 25 },
	{ "futures, near", BASE_FUTURES, LIKE_FUTURES, 10 },
	{ "futures, alike in all", BASE_FUTURES, LIKE_ALL, 20 },
	{ "futures and similar waits", BASE_BLEND, LIKE_ALL, 20 },
	{ "similar waits", BASE_SIMILAR, LIKE_SIMILAR, 25 },
	{ "cases alike in all", BASE_NONE, LIKE_ALL, 20 },
	{ "cases alike in all, near", BASE_NONE, LIKE_ALL, 8 },
};

struct forecast_calibration {
	const struct forecast_case *past;
	size_t count;
	const struct way *way;
	double (*feature)[FEATURES];   /* By case. */
	double stretch_80, stretch_90; /* Of intervals around their medians, */
	sl_time most;                  /* but not beyond the longest that a job went on waiting. */
};

static double log_of(double time) { return log((time > 0 ? time : 0) + OFFSET); }

static void features_of(const struct forecast_case *is, double feature[FEATURES])
{
	for (int i = 0; i < FORECAST_VOICES; i++)
		feature[i] = log_of((double)is->said[i][FORECAST_P50]);
	feature[FORECAST_VOICES] = log_of((double)is->waited);
}

/* What is said of a quantile, as a logarithm. */
static double base_of(const struct forecast_case *is, enum base base, int quantile)
{
	const double futures = log_of((double)is->said[FORECAST_FUTURES][quantile]);
	const double similar = log_of((double)is->said[FORECAST_SIMILAR][quantile]);
	switch (base) {
	case BASE_FUTURES:
		return futures;
	case BASE_SIMILAR:
		return similar;
	case BASE_BLEND:
		return (futures + similar) / 2;
	case BASE_NONE:
	default:
		return 0;
	}
}

struct near {
	double far;
	uint32_t at;
};

static int by_distance(const void *a, const void *b)
{
	const struct near *x = a;
	const struct near *y = b;
	if (x->far != y->far)
		return x->far < y->far ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int by_number(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Room for one calibration. */
struct work {
	struct near *near;
	double *factor;
};

/* Which cases are not looked at: of the case's own week; and of later ones, where there are enough before. */
enum leave { LEAVE_NONE, LEAVE_WEEK, LEAVE_LATER };

static bool is_left(enum leave leave, uint32_t past, uint32_t week)
{
	return leave == LEAVE_WEEK ? past == week : leave == LEAVE_LATER && past >= week;
}

/* Those most like it: how many. */
static size_t nearest(const struct forecast_calibration *of, const struct forecast_case *is,
	const struct way *way, enum leave leave, struct near *near)
{
	double own[FEATURES];
	size_t n = 0;
	features_of(is, own);
	for (size_t i = 0; i < of->count; i++) {
		double far = 0;
		if (is_left(leave, of->past[i].week, is->week))
			continue;
		for (int k = 0; k < FEATURES; k++)
			if (way->like >> k & 1)
				far += (of->feature[i][k] - own[k]) * (of->feature[i][k] - own[k]);
		near[n++] = (struct near){ far, (uint32_t)i };
	}
	qsort(near, n, sizeof(*near), by_distance);
	const size_t wanted = n * way->nearest / 100;
	const size_t least = wanted > NEAREST_LEAST ? wanted : NEAREST_LEAST;
	return least < n ? least : n;
}

/* Of no case: what is said stays. */
static double factor_of(const double *ascending, size_t n, double q)
{
	if (!n)
		return 0;
	const double rank = ceil(q * ((double)n + 1) - 1e-9);
	const size_t at = rank < 1 ? 1 : rank > (double)n ? n : (size_t)rank;
	return ascending[at - 1];
}

static int by_time(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

static void calibrate(const struct forecast_calibration *of, const struct forecast_case *is,
	const struct way *way, enum leave leave, struct work *work, sl_time found[FORECAST_QUANTILES])
{
	const size_t n = nearest(of, is, way, leave, work->near);
	for (int k = 0; k < FORECAST_QUANTILES; k++) {
		for (size_t i = 0; i < n; i++) {
			const struct forecast_case *past = &of->past[work->near[i].at];
			work->factor[i] = log_of((double)past->actual) - base_of(past, way->base, k);
		}
		qsort(work->factor, n, sizeof(*work->factor), by_number);
		const double time =
			exp(base_of(is, way->base, k) + factor_of(work->factor, n, forecast_probability[k])) -
			OFFSET;
		found[k] = time > 0 ? (sl_time)time : 0;
	}
	qsort(found, FORECAST_QUANTILES, sizeof(*found), by_time);
}

/* What came of forecasting each week from those before it; from all others, where those are too few. */
struct judged {
	size_t n;
	sl_time off[JUDGED_MOST + 1]; /* Of medians. */
	double need_80[JUDGED_MOST + 1], need_90[JUDGED_MOST + 1];
};

/* By what the interval must be stretched around its median to reach the truth. */
static double needed(const sl_time found[FORECAST_QUANTILES], int low, int high, sl_time actual)
{
	const double most = 10;
	const double middle = log_of((double)found[FORECAST_P50]);
	const double off = log_of((double)actual) - middle;
	const double side = (off < 0 ? log_of((double)found[low]) : log_of((double)found[high])) - middle;
	if (off == 0)
		return 0;
	return side == 0 || off / side > most ? most : off / side;
}

static void judge(const struct forecast_calibration *of, const struct way *way, struct work *work,
	struct judged *judged)
{
	const size_t step = of->count / JUDGED_MOST + 1;
	size_t before = 0; /* Cases of earlier weeks: they come in order. */
	judged->n = 0;
	for (size_t i = 0; i < of->count; i += step) {
		sl_time found[FORECAST_QUANTILES];
		const sl_time actual = of->past[i].actual;
		while (of->past[before].week < of->past[i].week)
			before++;
		calibrate(
			of, &of->past[i], way, before < CASES_LEAST ? LEAVE_WEEK : LEAVE_LATER, work, found);
		const sl_time by = found[FORECAST_P50] - actual;
		judged->off[judged->n] = by < 0 ? -by : by;
		judged->need_80[judged->n] = needed(found, FORECAST_P10, FORECAST_P90, actual);
		judged->need_90[judged->n++] = needed(found, FORECAST_P5, FORECAST_P95, actual);
	}
	qsort(judged->off, judged->n, sizeof(*judged->off), by_time);
	qsort(judged->need_80, judged->n, sizeof(*judged->need_80), by_number);
	qsort(judged->need_90, judged->n, sizeof(*judged->need_90), by_number);
}

static sl_time stretched(sl_time time, sl_time median, double by, sl_time most)
{
	const double middle = log_of((double)median);
	const double to = exp(middle + by * (log_of((double)time) - middle)) - OFFSET;
	return to <= 0 ? 0 : to < (double)most ? (sl_time)to : most > time ? most : time;
}

static void stretch(const struct forecast_calibration *of, sl_time found[FORECAST_QUANTILES])
{
	const double by[FORECAST_QUANTILES] = { of->stretch_90, of->stretch_80, 1, of->stretch_80,
		of->stretch_90 };
	for (int k = 0; k < FORECAST_QUANTILES; k++)
		if (by[k] > 1)
			found[k] = stretched(found[k], found[FORECAST_P50], by[k], of->most);
	qsort(found, FORECAST_QUANTILES, sizeof(*found), by_time);
}

static int work_begin(struct work *work, size_t count, struct sl_err *err)
{
	work->near = malloc((count + 1) * sizeof(*work->near));
	work->factor = malloc((count + 1) * sizeof(*work->factor));
	return work->near && work->factor ? SL_OK : sl_fail_memory(err);
}

static void work_end(struct work *work)
{
	free(work->near);
	free(work->factor);
}

static int choose_way(struct forecast_calibration *of, struct sl_err *err)
{
	const double level_80 = 0.82;
	const double level_90 = 0.92;
	struct work work;
	struct judged *judged = malloc(sizeof(*judged));
	int status = work_begin(&work, of->count, err);
	if (!status && !judged)
		status = sl_fail_memory(err);
	sl_time least = SL_NEVER;
	for (size_t i = 0; i < SL_LEN(ways) && !status && of->count >= CASES_LEAST; i++) {
		judge(of, &ways[i], &work, judged);
		const sl_time by = forecast_quantile(judged->off, judged->n, 0.5);
		if (by >= least)
			continue;
		least = by;
		of->way = &ways[i];
		of->stretch_80 = factor_of(judged->need_80, judged->n, level_80);
		of->stretch_90 = factor_of(judged->need_90, judged->n, level_90);
	}
	work_end(&work);
	free(judged);
	return status;
}

struct forecast_calibration *forecast_calibration_new(
	const struct forecast_case *past, size_t count, struct sl_err *err)
{
	struct forecast_calibration *of = calloc(1, sizeof(*of));
	if (of) {
		*of = (struct forecast_calibration){ past, count, &ways[0], NULL, 1, 1, 0 };
		of->feature = malloc((count + 1) * sizeof(*of->feature));
	}
	if (!of || !of->feature) {
		(void)sl_fail_memory(err);
		forecast_calibration_free(of);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		features_of(&past[i], of->feature[i]);
		of->most = past[i].actual > of->most ? past[i].actual : of->most;
	}
	if (choose_way(of, err) == SL_OK)
		return of;
	forecast_calibration_free(of);
	return NULL;
}

void forecast_calibration_free(struct forecast_calibration *calibration)
{
	if (calibration)
		free(calibration->feature);
	free(calibration);
}

const char *forecast_calibration_way(const struct forecast_calibration *calibration)
{
	return calibration->count < CASES_LEAST ? "nothing" : calibration->way->name;
}

/* Nothing is known of how good anybody is: from now to the latest that anybody says. */
static void widest(struct forecast_case *is)
{
	is->calibrated[FORECAST_P5] = is->calibrated[FORECAST_P10] = 0;
	for (int i = 0; i < FORECAST_VOICES; i++)
		for (int k = FORECAST_P90; k <= FORECAST_P95; k++)
			if (is->said[i][k] > is->calibrated[k])
				is->calibrated[k] = is->said[i][k];
}

int forecast_calibrate(
	const struct forecast_calibration *calibration, struct forecast_case *is, struct sl_err *err)
{
	struct work work;
	memcpy(is->calibrated, is->said[FORECAST_FUTURES], sizeof(is->calibrated));
	if (calibration->count < CASES_LEAST) {
		widest(is);
		return SL_OK;
	}
	const int status = work_begin(&work, calibration->count, err);
	if (!status) {
		calibrate(calibration, is, calibration->way, LEAVE_NONE, &work, is->calibrated);
		stretch(calibration, is->calibrated);
	}
	work_end(&work);
	return status;
}

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
 * were off least when each week was forecast from those before it. By itself the median is what
 * the futures say, where they are of the policy that decides; where that is not known, the geometric mean of
 * theirs, the user's waits' and similar jobs' (combined forecasts are better than most single ones: Bates and
 * Granger, "The combination of forecasts", Operational Research Quarterly 20(4), 1969). Another voice, or a
 * way, takes its place that was off less in those weeks by more than one standard error of the weeks'
 * differences (the rule of one standard error of Breiman, Friedman, Olshen and Stone, "Classification and
 * regression trees", 1984: what is simplest of those that are about as good).
 *
 * There, too, is seen how much wider than that intervals must be to hold in a week that was not looked at: by
 * how much each had to be stretched around its median, as logarithms, to reach the truth (the score of split
 * conformal prediction). What is taken is never less than one, and their level in a sample to which one more
 * week is added that needs more than any: cases of one week are alike, so that it is weeks that are
 * exchangeable (Dunn, Wasserman and Ramdas, "Distribution-free prediction sets for two-layer hierarchical
 * models", JASA 118, 2023). Of a single week an interval reaches at least from now to the latest that
 * anybody says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/forecast/forecast_models.h"

enum {
	FEATURES = FORECAST_VOICES + 1,
	CASES_LEAST = 40,
	NEAREST_LEAST = 40,
	JUDGED_MOST = 300,
	WEEKS_POINT = 4,   /* Of fewer the median stays what it is by itself, */
	WEEKS_INTERVAL = 2 /* and an interval reaches from now to the latest that anybody says. */
};

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
	const struct way *way;         /* Of all quantiles but the median: */
	size_t point;                  /* that is of this candidate. */
	uint32_t weeks;                /* That were forecast from those before. */
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

/* What came of forecasting cases of each week from those before it; from all others, where those are too few.
 */
struct judged {
	size_t n;
	uint32_t at[JUDGED_MOST + 1]; /* Of the past. */
	sl_time found[SL_LEN(ways)][JUDGED_MOST + 1][FORECAST_QUANTILES];
	double need_80[JUDGED_MOST + 1], need_90[JUDGED_MOST + 1];
};

static void judge(const struct forecast_calibration *of, struct work *work, struct judged *judged)
{
	const size_t step = of->count / JUDGED_MOST + 1;
	size_t before = 0; /* Cases of earlier weeks: they come in order. */
	judged->n = 0;
	for (size_t i = 0; i < of->count; i += step) {
		while (of->past[before].week < of->past[i].week)
			before++;
		const enum leave leave = before < CASES_LEAST ? LEAVE_WEEK : LEAVE_LATER;
		for (size_t k = 0; k < SL_LEN(ways); k++)
			calibrate(of, &of->past[i], &ways[k], leave, work, judged->found[k][judged->n]);
		judged->at[judged->n++] = (uint32_t)i;
	}
}

/* ---- The median ------------------------------------------------------------------------------------- */

/* Candidates: what each voice says, as it is; a mean of theirs; then the median of each way. */
enum { POINT_MEAN = FORECAST_VOICES, POINT_WAYS, POINTS = POINT_WAYS + SL_LEN(ways) };

/* Of the futures and of waits before, as logarithms. */
static sl_time mean_of(const struct forecast_case *is)
{
	const double sum = log_of((double)is->said[FORECAST_FUTURES][FORECAST_P50]) +
			   log_of((double)is->said[FORECAST_USER_WAITS][FORECAST_P50]) +
			   log_of((double)is->said[FORECAST_SIMILAR][FORECAST_P50]);
	const double time = exp(sum / 3) - OFFSET;
	return time > 0 ? (sl_time)time : 0;
}

/* Of those that are not ways'. */
static sl_time point_said(const struct forecast_case *is, size_t point)
{
	return point == POINT_MEAN ? mean_of(is) : is->said[point][FORECAST_P50];
}

static sl_time point_of(
	const struct forecast_calibration *of, const struct judged *judged, size_t i, size_t point)
{
	return point < POINT_WAYS ? point_said(&of->past[judged->at[i]], point)
				  : judged->found[point - POINT_WAYS][i][FORECAST_P50];
}

/* The median of absolute errors of each week's judged cases, as logarithms: how many weeks. */
static size_t errors_of(
	const struct forecast_calibration *of, const struct judged *judged, size_t point, double *error)
{
	sl_time off[JUDGED_MOST + 1];
	size_t weeks = 0;
	for (size_t i = 0; i < judged->n;) {
		const uint32_t week = of->past[judged->at[i]].week;
		size_t n = 0;
		for (; i < judged->n && of->past[judged->at[i]].week == week; i++) {
			const sl_time by = point_of(of, judged, i, point) - of->past[judged->at[i]].actual;
			off[n++] = by < 0 ? -by : by;
		}
		qsort(off, n, sizeof(*off), by_time);
		error[weeks++] = log_of((double)forecast_quantile(off, n, 0.5));
	}
	return weeks;
}

static double sum_of(const double *value, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

/* By how many standard errors of the weeks' differences the first is less than the second. */
static double better_by(const double *error, const double *than, size_t weeks)
{
	double squares = 0;
	const double n = (double)weeks;
	const double sum = sum_of(than, weeks) - sum_of(error, weeks);
	for (size_t i = 0; i < weeks; i++)
		squares += (than[i] - error[i] - sum / n) * (than[i] - error[i] - sum / n);
	if (squares > 0)
		return sum / n / sqrt(squares / (n - 1) / n);
	return sum > 0 ? HUGE_VAL : 0;
}

/* What it is by itself, but where another was off less by more than a standard error. */
static size_t choose_point(const struct forecast_calibration *of, const struct judged *judged)
{
	double own[JUDGED_MOST + 1];
	double other[JUDGED_MOST + 1];
	size_t best = of->point;
	double least = 0;
	const size_t weeks = errors_of(of, judged, of->point, own);
	for (size_t i = 0; i < POINTS && weeks >= WEEKS_POINT; i++) {
		(void)errors_of(of, judged, i, other);
		const double sum = sum_of(other, weeks);
		if (better_by(other, own, weeks) > 1 && (best == of->point || sum < least)) {
			least = sum;
			best = i;
		}
	}
	return best;
}

/* ---- Intervals -------------------------------------------------------------------------------------- */

/* The chosen median among the way's other quantiles: none of those is beyond it. */
static void with_point(sl_time found[FORECAST_QUANTILES], sl_time point)
{
	for (int k = 0; k < FORECAST_QUANTILES; k++)
		if (k == FORECAST_P50 || (k < FORECAST_P50 ? found[k] > point : found[k] < point))
			found[k] = point;
}

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

/* Of the judged cases, as if one more week of them had needed more than any. */
static double level_of(double *need, size_t n, uint32_t weeks, double level)
{
	qsort(need, n, sizeof(*need), by_number);
	return n ? factor_of(need, n, level + (1 - level) / (weeks + 1)) : 1;
}

static void judge_needs(struct forecast_calibration *of, struct judged *judged)
{
	of->weeks = 0;
	for (size_t i = 0; i < judged->n; i++) {
		const sl_time *found = judged->found[of->way - ways][i];
		const struct forecast_case *is = &of->past[judged->at[i]];
		of->weeks += !i || is->week != of->past[judged->at[i - 1]].week;
		judged->need_80[i] = needed(found, FORECAST_P10, FORECAST_P90, is->actual);
		judged->need_90[i] = needed(found, FORECAST_P5, FORECAST_P95, is->actual);
	}
	of->stretch_80 = level_of(judged->need_80, judged->n, of->weeks, 0.8);
	of->stretch_90 = level_of(judged->need_90, judged->n, of->weeks, 0.9);
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

/* The way whose medians are off least. */
static const struct way *choose_way(const struct forecast_calibration *of, const struct judged *judged)
{
	sl_time off[JUDGED_MOST + 1];
	sl_time least = SL_NEVER;
	const struct way *best = &ways[0];
	for (size_t k = 0; k < SL_LEN(ways) && judged->n; k++) {
		for (size_t i = 0; i < judged->n; i++) {
			const sl_time by = judged->found[k][i][FORECAST_P50] - of->past[judged->at[i]].actual;
			off[i] = by < 0 ? -by : by;
		}
		qsort(off, judged->n, sizeof(*off), by_time);
		const sl_time by = forecast_quantile(off, judged->n, 0.5);
		if (by < least) {
			least = by;
			best = &ways[k];
		}
	}
	return best;
}

static int choose(struct forecast_calibration *of, struct sl_err *err)
{
	struct work work;
	struct judged *judged = malloc(sizeof(*judged));
	int status = work_begin(&work, of->count, err);
	if (!status && !judged)
		status = sl_fail_memory(err);
	if (!status && of->count >= CASES_LEAST) {
		judge(of, &work, judged);
		of->way = choose_way(of, judged);
		of->point = choose_point(of, judged);
		judge_needs(of, judged);
	}
	work_end(&work);
	free(judged);
	return status;
}

struct forecast_calibration *forecast_calibration_new(
	const struct forecast_case *past, size_t count, bool known, struct sl_err *err)
{
	struct forecast_calibration *of = calloc(1, sizeof(*of));
	if (of) {
		*of = (struct forecast_calibration){ .past = past,
			.count = count,
			.way = &ways[0],
			.point = known ? (size_t)FORECAST_FUTURES : (size_t)POINT_MEAN,
			.stretch_80 = 1,
			.stretch_90 = 1 };
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
	if (choose(of, err) == SL_OK)
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

/* Little is known of how good anybody is: from now to the latest that anybody says, at least. */
static void widest(struct forecast_case *is)
{
	is->calibrated[FORECAST_P5] = is->calibrated[FORECAST_P10] = 0;
	for (int i = 0; i < FORECAST_VOICES; i++)
		for (int k = FORECAST_P90; k <= FORECAST_P95; k++)
			if (is->said[i][k] > is->calibrated[k])
				is->calibrated[k] = is->said[i][k];
}

static sl_time point_now(
	const struct forecast_calibration *of, const struct forecast_case *is, struct work *work)
{
	sl_time found[FORECAST_QUANTILES];
	if (of->point < POINT_WAYS)
		return point_said(is, of->point);
	calibrate(of, is, &ways[of->point - POINT_WAYS], LEAVE_NONE, work, found);
	return found[FORECAST_P50];
}

int forecast_calibrate(
	const struct forecast_calibration *calibration, struct forecast_case *is, struct sl_err *err)
{
	struct work work;
	memcpy(is->calibrated, is->said[FORECAST_FUTURES], sizeof(is->calibrated));
	if (calibration->count < CASES_LEAST) {
		with_point(is->calibrated, point_said(is, calibration->point));
		widest(is);
		return SL_OK;
	}
	const int status = work_begin(&work, calibration->count, err);
	if (!status) {
		calibrate(calibration, is, calibration->way, LEAVE_NONE, &work, is->calibrated);
		stretch(calibration, is->calibrated);
		with_point(is->calibrated, point_now(calibration, is, &work));
		if (calibration->weeks < WEEKS_INTERVAL)
			widest(is);
	}
	work_end(&work);
	return status;
}

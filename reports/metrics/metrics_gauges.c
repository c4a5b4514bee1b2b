/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics_gauges.c - what the gauges that are followed came to: mean over time, largest, last.
 */
#include "reports/metrics/metrics.h"

#include <stdio.h>

struct sums {
	__int128 area; /* Millionths times microseconds, over `length`. */
	sl_time length;
	int64_t max, last;
};

/* What counts is what is reported from the first submission up to the last end. Before its first point it
 * counts for nothing: it was not followed. */
static struct sums sums_of(const struct sl_result *result, const struct sl_gauge_series *series)
{
	struct sums sums = { .max = series->point[0].value, .last = series->point[0].value };
	for (size_t i = 0; i < series->count; i++) {
		const struct sl_gauge_point *point = &series->point[i];
		if (i && point->at > result->last)
			break;
		const sl_time next = i + 1 < series->count ? point[1].at : result->last;
		const sl_time until = next < result->last ? next : result->last;
		const sl_time from = point->at > result->first ? point->at : result->first;
		if (until > from) {
			sums.area += (__int128)(until - from) * point->value;
			sums.length += until - from;
		}
		sums.max = point->value > sums.max ? point->value : sums.max;
		sums.last = point->value;
	}
	return sums;
}

/* Rounded half up, below zero too. */
static int64_t metrics_gauges_mean_of(const struct sums *sums)
{
	if (!sums->length)
		return sums->last;
	const __int128 twice = 2 * sums->area + sums->length;
	const __int128 by = 2 * (__int128)sums->length;
	const __int128 whole = twice / by;
	return (int64_t)(whole - (twice % by < 0));
}

static void metrics_gauges_put(struct sl_metrics *metrics, const char *gauge, const char *what, int64_t value)
{
	char name[200];
	(void)snprintf(name, sizeof(name), "%.150s.%s", gauge, what);
	sl_metric_put(metrics, name, value);
}

static int metrics_gauges_compute(
	const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	(void)err;
	for (uint32_t i = 0; i < result->gauge_count; i++) {
		const struct sl_gauge_series *series = &result->gauge[i];
		if (!series->count)
			continue;
		const struct sums sums = sums_of(result, series);
		metrics_gauges_put(metrics, series->gauge->name, "mean", metrics_gauges_mean_of(&sums));
		metrics_gauges_put(metrics, series->gauge->name, "max", sums.max);
		metrics_gauges_put(metrics, series->gauge->name, "last", sums.last);
	}
	return SL_OK;
}

const struct sl_metric metrics_of_gauges = { SL_ABI_OF(struct sl_metric), "gauges",
	"NAME.mean, NAME.max, NAME.last: of each gauge that is followed (replay.gauges, or by the policy), its mean "
	"over the time from the first submission to the last end, weighted by time, its largest value, and the "
	"last.",
	NULL, metrics_gauges_compute };

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill.c - the series of a cluster that is filled, fill.csv and the metrics of it; see fill.h.
 */
#include "reports/fill/fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MICRO = 1000000, PERCENT = 100, PERCENT_MAX = 10000000 };

/* Where the walk over the submissions is, in what the engine recorded. */
struct walk {
	const struct sl_result *result;
	const struct sl_gauge_series *gauge; /* NULL: not followed. */
	size_t usage, point;
	int64_t busy; /* GPUs, from the points of usage before `usage`. */
	int64_t asked;
	struct sl_usage_reader reader;
};

static int64_t asks(const struct sl_result *result, uint32_t row)
{
	const struct sl_jobs *jobs = result->jobs;
	return jobs->requests[jobs->request[row]].gpus;
}

/* a / b to the nearest whole number, halves to even. */
static int64_t nearest(__int128 a, __int128 b)
{
	const int64_t down = (int64_t)(a / b);
	const __int128 rest = 2 * (a % b);
	return down + (rest > b || (rest == b && down % 2 != 0));
}

static int64_t percent_of(const struct fill_series *series, int64_t asked)
{
	return nearest((__int128)asked * PERCENT, series->gpus);
}

static const struct sl_gauge_series *gauge_of(const struct sl_result *result)
{
	for (uint32_t i = 0; i < result->gauge_count; i++)
		if (strcmp(result->gauge[i].gauge->name, "fragmentation") == 0)
			return &result->gauge[i];
	return NULL;
}

/* What was busy after everything that happened at that time. */
static int64_t busy_at(struct walk *walk, sl_time at)
{
	const struct sl_result *result = walk->result;
	for (; walk->usage < result->usage_count; walk->usage++) {
		const struct sl_usage_point *point = sl_usage_at(&walk->reader, walk->usage);
		if (point->at > at)
			break;
		walk->busy = point->gpus_busy;
	}
	return walk->busy;
}

static int64_t fragmented_at(struct walk *walk, sl_time at)
{
	const struct sl_gauge_series *gauge = walk->gauge;
	while (gauge && walk->point < gauge->count && gauge->point[walk->point].at <= at)
		walk->point++;
	return gauge && walk->point ? gauge->point[walk->point - 1].value : 0;
}

static void add_event(struct fill_series *series, struct walk *walk, uint32_t row)
{
	const sl_time at = walk->result->jobs->submit[row];
	walk->asked += asks(walk->result, row);
	struct fill_events *events = &series->at[percent_of(series, walk->asked)];
	const int64_t busy = busy_at(walk, at);
	const int64_t fragmented = fragmented_at(walk, at);
	const __int128 free = (__int128)(series->gpus - busy) * MICRO; /* Over parts: as fragmented is. */
	events->count++;
	events->allocated += busy;
	events->fragmented += fragmented;
	if (free > 0)
		events->ratio += nearest((__int128)fragmented * series->parts * PERCENT * MICRO, free);
}

int fill_series(struct fill_series *series, const struct sl_result *result, struct sl_err *err)
{
	const struct sl_cluster *cluster = result->cluster;
	struct walk walk = { .result = result, .reader = { .result = result }, .gauge = gauge_of(result) };
	*series = (struct fill_series){ .gauged = walk.gauge };
	if (!cluster || !cluster->node_count || !cluster->gpus || !result->jobs->request)
		return sl_fail(err, SL_INPUT, "fill.csv is of GPUs, and the cluster has none: leave it out");
	series->gpus = cluster->gpus;
	series->parts = sl_parts(cluster->gpu_parts);
	__int128 asked = 0;
	for (uint32_t row = 0; row < result->jobs->count; row++)
		asked += asks(result, row);
	if (asked * PERCENT / series->gpus > PERCENT_MAX)
		return sl_fail(err, SL_INPUT,
			"fill.csv: jobs ask more than %d times the cluster's GPUs: leave it out",
			PERCENT_MAX / PERCENT);
	series->count = (size_t)percent_of(series, (int64_t)asked) + 1;
	series->at = calloc(series->count, sizeof(*series->at));
	if (!series->at)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < result->jobs->count; row++)
		add_event(series, &walk, row);
	return SL_OK;
}

void fill_release(struct fill_series *series) { free(series->at); }

/* A percentage that was passed over takes the events of its neighbours. */
static struct fill_events events_of(const struct fill_series *series, size_t percent)
{
	if (percent >= series->count || series->at[percent].count)
		return percent < series->count ? series->at[percent] : (struct fill_events){ 0 };
	struct fill_events both = percent ? series->at[percent - 1] : (struct fill_events){ 0 };
	if (percent + 1 < series->count) {
		both.count += series->at[percent + 1].count;
		both.allocated += series->at[percent + 1].allocated;
		both.fragmented += series->at[percent + 1].fragmented;
		both.ratio += series->at[percent + 1].ratio;
	}
	return both;
}

struct fill_row fill_row(const struct fill_series *series, size_t percent)
{
	const struct fill_events events = events_of(series, percent);
	if (!events.count)
		return (struct fill_row){ .known = false };
	const __int128 whole = (__int128)events.count * series->gpus;
	return (struct fill_row){
		.known = true,
		.allocated = nearest(events.allocated * PERCENT * MICRO, whole),
		.fragmented = nearest(events.fragmented * series->parts * PERCENT, whole),
		.ratio = nearest(events.ratio, events.count),
	};
}

/* ---- Fill.csv: a line for each percentage of the GPUs that was requested so far, from 0 on. ---- */

static char *fill_put_micro(char *p, int64_t value)
{
	*p++ = ',';
	return sl_put_micro(p, value);
}

static void put_row(struct sl_out *out, const struct fill_series *series, size_t percent)
{
	enum { CAPACITY = 160 };
	const struct fill_row row = fill_row(series, percent);
	if (!row.known)
		return;
	char *p = sl_put_i64(sl_out_reserve(out, CAPACITY), (int64_t)percent);
	p = fill_put_micro(p, row.allocated);
	if (series->gauged) {
		p = fill_put_micro(p, row.fragmented);
		p = fill_put_micro(p, row.ratio);
	} else {
		*p++ = ',';
		*p++ = ',';
	}
	*p++ = '\n';
	sl_out_advance(out, p);
}

static int write_fill(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct fill_series series;
	const int status = fill_series(&series, result, err);
	if (status)
		return status;
	sl_out_text(out, "requested_percent,allocated_percent,fragmented_percent,fragmented_ratio\n");
	for (size_t percent = 0; percent < series.count; percent++)
		put_row(out, &series, percent);
	fill_release(&series);
	return SL_OK;
}

const struct sl_report fill_csv = { SL_ABI_OF(struct sl_report), "fill.csv",
	"GPUs allocated and fragmented, by how many were asked so far", write_fill, fill_was_asked, false,
	NULL };

/* ---- Fill.csv's figures at each tenth percentage. ---- */

static void fill_put(struct sl_metrics *metrics, const char *what, size_t percent, int64_t value)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "fill.%s{at=%zu}", what, percent);
	sl_metric_put(metrics, name, value);
}

static int fill_compute(const struct sl_result *result, struct sl_metrics *metrics, struct sl_err *err)
{
	enum { STEP = 10 };
	struct fill_series series;
	if (!fill_was_asked(result))
		return SL_OK;
	const int status = fill_series(&series, result, err);
	for (size_t percent = STEP; !status && percent < series.count; percent += STEP) {
		const struct fill_row row = fill_row(&series, percent);
		if (!row.known)
			continue;
		fill_put(metrics, "allocated", percent, row.allocated);
		if (!series.gauged)
			continue;
		fill_put(metrics, "fragmented", percent, row.fragmented);
		fill_put(metrics, "fragmented_ratio", percent, row.ratio);
	}
	if (!status)
		fill_release(&series);
	return status;
}

const struct sl_metric metrics_of_fill = { SL_ABI_OF(struct sl_metric), "fill",
	"with replay.fill, at each tenth percent: fill.allocated{at=K}: percent of all GPUs that are allocated when "
	"what jobs asked so far, rounded, is K percent of them, in the mean over the submissions of which that is so; "
	"with the gauge fragmentation followed, fill.fragmented{at=K}: percent of all GPUs that are fragmented then, "
	"and fill.fragmented_ratio{at=K}: of the free ones",
	"Weng et al. 2023: Beware of fragmentation: scheduling GPU-sharing workloads with fragmentation gradient "
	"descent (USENIX ATC)",
	fill_compute };

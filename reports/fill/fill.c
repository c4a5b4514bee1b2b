/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fill.c - the course of a cluster that is filled; see fill.h.
 */
#include "reports/fill/fill.h"

#include <stdlib.h>
#include <string.h>

enum { MICRO = 1000000, PERCENT = 100, PERCENT_MAX = 10000000 };

/* Where the walk over the submissions is, in what the engine recorded. */
struct walk {
	const struct sl_result *result;
	const struct sl_gauge_course *gauge; /* NULL: not followed. */
	size_t usage, point;
	int64_t asked;
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

static int64_t percent_of(const struct fill_course *course, int64_t asked)
{
	return nearest((__int128)asked * PERCENT, course->gpus);
}

static const struct sl_gauge_course *gauge_of(const struct sl_result *result)
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
	while (walk->usage < result->usage_count && result->usage[walk->usage].at <= at)
		walk->usage++;
	return walk->usage ? result->usage[walk->usage - 1].gpus_busy : 0;
}

static int64_t fragmented_at(struct walk *walk, sl_time at)
{
	const struct sl_gauge_course *gauge = walk->gauge;
	while (gauge && walk->point < gauge->count && gauge->point[walk->point].at <= at)
		walk->point++;
	return gauge && walk->point ? gauge->point[walk->point - 1].value : 0;
}

static void add_event(struct fill_course *course, struct walk *walk, uint32_t row)
{
	const sl_time at = walk->result->jobs->submit[row];
	walk->asked += asks(walk->result, row);
	struct fill_events *events = &course->at[percent_of(course, walk->asked)];
	const int64_t busy = busy_at(walk, at);
	const int64_t fragmented = fragmented_at(walk, at);
	const __int128 free = (__int128)(course->gpus - busy) * MICRO; /* Over parts: as fragmented is. */
	events->count++;
	events->allocated += busy;
	events->fragmented += fragmented;
	if (free > 0)
		events->ratio += nearest((__int128)fragmented * course->parts * PERCENT * MICRO, free);
}

int fill_course(struct fill_course *course, const struct sl_result *result, struct sl_err *err)
{
	const struct sl_cluster *cluster = result->cluster;
	struct walk walk = { .result = result, .gauge = gauge_of(result) };
	*course = (struct fill_course){ .gauged = walk.gauge };
	if (!cluster || !cluster->node_count || !cluster->gpus || !result->jobs->request)
		return sl_fail(err, SL_INPUT, "fill.csv is of GPUs, and the cluster has none: leave it out");
	course->gpus = cluster->gpus;
	course->parts = sl_parts(cluster->gpu_parts);
	__int128 asked = 0;
	for (uint32_t row = 0; row < result->jobs->count; row++)
		asked += asks(result, row);
	if (asked * PERCENT / course->gpus > PERCENT_MAX)
		return sl_fail(err, SL_INPUT,
			"fill.csv: jobs ask more than %d times the cluster's GPUs: leave it out",
			PERCENT_MAX / PERCENT);
	course->count = (size_t)percent_of(course, (int64_t)asked) + 1;
	course->at = calloc(course->count, sizeof(*course->at));
	if (!course->at)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (uint32_t row = 0; row < result->jobs->count; row++)
		add_event(course, &walk, row);
	return SL_OK;
}

void fill_release(struct fill_course *course) { free(course->at); }

/* A percentage that was passed over takes the events of its neighbours. */
static struct fill_events events_of(const struct fill_course *course, size_t percent)
{
	if (percent >= course->count || course->at[percent].count)
		return percent < course->count ? course->at[percent] : (struct fill_events){ 0 };
	struct fill_events both = percent ? course->at[percent - 1] : (struct fill_events){ 0 };
	if (percent + 1 < course->count) {
		both.count += course->at[percent + 1].count;
		both.allocated += course->at[percent + 1].allocated;
		both.fragmented += course->at[percent + 1].fragmented;
		both.ratio += course->at[percent + 1].ratio;
	}
	return both;
}

struct fill_row fill_row(const struct fill_course *course, size_t percent)
{
	const struct fill_events events = events_of(course, percent);
	if (!events.count)
		return (struct fill_row){ .known = false };
	const __int128 whole = (__int128)events.count * course->gpus;
	return (struct fill_row){
		.known = true,
		.allocated = nearest(events.allocated * PERCENT * MICRO, whole),
		.fragmented = nearest(events.fragmented * course->parts * PERCENT, whole),
		.ratio = nearest(events.ratio, events.count),
	};
}

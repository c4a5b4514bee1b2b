/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_use.c - what was busy and what waited over time, and gauges, as steps.
 *
 * A line on a screen shows some thousand points. Where there are many more, time is cut into bins of equal
 * width, and a point is the mean over its bin, weighed by time, in integers until the last division; the peak
 * stands beside it.
 */
#include "reports/page/page.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS_MAX = 20000, BINS = 10000 };

/* A series of steps: values by measure, each holding from its time on. */
struct series {
	struct page_run *run;
	size_t count;
	const sl_time *at; /* Ascending; of like ones the last holds. */
	int32_t *time;     /* Of each bin or step that is put. */
	int64_t *value;    /* By step, of one measure. */
	size_t *bin_first; /* NULL: not joined. */
	size_t put;        /* Steps that are put. */
	int64_t step;
};

/* Of bin b, the mean by time and the peak of what holds in it. */
static float page_use_mean_of(const struct series *series, size_t b, int64_t *peak)
{
	const int64_t from = series->time[b];
	const int64_t until = b + 1 < series->put ? series->time[b + 1] : (int64_t)series->run->last;
	__int128 sum = 0;
	int64_t now = from;
	*peak = 0;
	for (size_t i = series->bin_first[b]; i < series->count; i++) {
		int64_t next = i + 1 < series->count ? page_ticks(series->run, series->at[i + 1]) : until;
		if (next > until)
			next = until;
		if (next > now) {
			sum += (__int128)series->value[i] * (next - now);
			*peak = series->value[i] > *peak ? series->value[i] : *peak;
			now = next;
		}
		if (now >= until)
			break;
	}
	return until > from ? (float)((double)sum / (double)(until - from)) : 0;
}

static bool all_zero(const struct series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (series->value[i])
			return false;
	return true;
}

static uint32_t in_32(int64_t value)
{
	return value < 0 ? 0 : value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static bool all_short(const struct series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (series->value[i] > UINT32_MAX)
			return false;
	return true;
}

static void put_whole(
	const struct series *series, struct page_text *json, const char *name, const int64_t *value)
{
	struct page *page = series->run->page;
	const bool is_short = all_short(series); /* MiB of many nodes may not be. */
	uint32_t *narrow = page_alloc(page, series->put, sizeof(*narrow));
	double *wide = page_alloc(page, series->put, sizeof(*wide));
	for (size_t i = 0; narrow && wide && i < series->put; i++) {
		narrow[i] = in_32(value[i]);
		wide[i] = (double)value[i];
	}
	if (narrow && wide && is_short)
		page_member(page, json, name, PAGE_U32 | PAGE_DELTA | PAGE_SPLIT, narrow, series->put);
	else if (narrow && wide)
		page_member(page, json, name, PAGE_F64 | PAGE_SPLIT, wide, series->put);
	free(narrow);
	free(wide);
}

/* series->value, under that name. */
static void put_measure(struct series *series, struct page_text *json, const char *name)
{
	struct page *page = series->run->page;
	float *mean = page_alloc(page, series->put, sizeof(*mean));
	int64_t *value = page_alloc(page, series->put, sizeof(*value));
	char peak[40];
	(void)snprintf(peak, sizeof(peak), "%s_max", name);
	if (mean && value && !all_zero(series)) {
		size_t put = 0;
		for (size_t i = 0; !series->bin_first && i < series->count; i++)
			if (i + 1 == series->count ||
				series->time[put] != page_ticks(series->run, series->at[i + 1]))
				value[put++] = series->value[i];
		for (size_t b = 0; series->bin_first && b < series->put; b++) {
			int64_t most;
			mean[b] = page_use_mean_of(series, b, &most);
			value[b] = most;
		}
		if (series->bin_first)
			page_member(page, json, name, PAGE_F32 | PAGE_SPLIT, mean, series->put);
		put_whole(series, json, series->bin_first ? peak : name, value);
	}
	free(mean);
	free(value);
}

/* The steps that are put: those that hold for at least a tick, or bins. */
static void cut(struct series *series)
{
	struct page_run *run = series->run;
	series->time = page_alloc(run->page, series->count + BINS + 1, sizeof(*series->time));
	series->value = page_alloc(run->page, series->count, sizeof(*series->value));
	if (!series->time || !series->value)
		return;
	for (size_t i = 0; i < series->count; i++) {
		const int32_t time = page_ticks(run, series->at[i]);
		if (i + 1 == series->count || time != page_ticks(run, series->at[i + 1]))
			series->time[series->put++] = time;
	}
	if (series->put <= STEPS_MAX)
		return;
	const int64_t range = (int64_t)run->last - series->time[0];
	series->bin_first = page_alloc(run->page, BINS, sizeof(*series->bin_first));
	if (!series->bin_first)
		return;
	const int64_t from = series->time[0];
	series->step = range / BINS + 1;
	series->put = 0;
	for (size_t i = 0; series->put < BINS && from + (int64_t)series->put * series->step < run->last;
		series->put++) {
		const int64_t time = from + (int64_t)series->put * series->step;
		while (i + 1 < series->count && page_ticks(run, series->at[i + 1]) <= time)
			i++;
		series->time[series->put] = (int32_t)time;
		series->bin_first[series->put] = i;
	}
}

static void series_free(struct series *series)
{
	free(series->time);
	free(series->value);
	free(series->bin_first);
}

/* ---- Usage --------------------------------------------------------------------------------------- */

enum measure { CPUS, GPUS, NODES, MEM, RUNNING, QUEUED, SUSPENDED, CPUS_QUEUED, GPUS_QUEUED, MEASURES };

static int64_t measure_of(const struct sl_usage_point *point, enum measure measure)
{
	switch (measure) {
	case CPUS:
		return point->cpus_busy;
	case GPUS:
		return point->gpus_busy;
	case NODES:
		return point->nodes_busy;
	case MEM:
		return point->mem_busy;
	case RUNNING:
		return point->running;
	case QUEUED:
		return point->queued;
	case SUSPENDED:
		return point->suspended;
	case CPUS_QUEUED:
		return point->cpus_queued;
	case GPUS_QUEUED:
		return point->gpus_queued;
	case MEASURES:
		break;
	}
	return 0;
}

static void put_rule(struct page_text *json, const struct series *series)
{
	page_name(json, "use_rule");
	if (!series->bin_first) {
		page_put(json, "\"\"");
		return;
	}
	char step[32];
	*sl_put_micro(step, series->step * series->run->tick) = '\0';
	page_format(json,
		"\"Too many steps to draw one by one: each point is the mean over %s s, weighed by time; the peak "
		"within is kept beside it.\"",
		step);
}

static void put_usage(struct page_run *run)
{
	static const char *const name[] = { "cpus", "gpus", "nodes", "mem", "running", "queued", "suspended",
		"cpus_queued", "gpus_queued" };
	const struct sl_result *result = run->result;
	struct page_text json = { 0 };
	sl_time *at = page_alloc(run->page, result->usage_count, sizeof(*at));
	struct series series = { .run = run, .count = result->usage_count, .at = at };
	struct sl_usage_reader reader = { .result = result };
	page_name(run->json, "use");
	page_put(&json, "{");
	for (size_t i = 0; at && i < series.count; i++)
		at[i] = sl_usage_at(&reader, i)->at;
	if (at)
		cut(&series);
	if (series.time && series.value) {
		page_member(run->page, &json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, series.time,
			series.put);
		for (unsigned m = 0; m < MEASURES; m++) {
			for (size_t i = 0; i < series.count; i++)
				series.value[i] = measure_of(sl_usage_at(&reader, i), (enum measure)m);
			put_measure(&series, &json, name[m]);
		}
	}
	page_put(&json, "}");
	page_bytes(run->json, json.data, json.length);
	put_rule(run->json, &series);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	series_free(&series);
	free(at);
}

/* ---- Gauges --------------------------------------------------------------------------------------- */

static void put_gauge(struct page_run *run, const struct sl_gauge_series *gauge)
{
	sl_time *at = page_alloc(run->page, gauge->count, sizeof(*at));
	struct series series = { .run = run, .count = gauge->count, .at = at };
	for (size_t i = 0; at && i < series.count; i++)
		at[i] = gauge->point[i].at;
	if (at)
		cut(&series);
	double *value = page_alloc(run->page, series.put, sizeof(*value));
	struct page_text json = { 0 };
	page_put(&json, "{");
	page_name(&json, "name");
	page_json(&json, gauge->gauge->name);
	page_name(&json, "title");
	page_json(&json, gauge->gauge->summary);
	if (series.time && series.value && value) {
		size_t put = 0;
		for (size_t i = 0; i < series.count; i++)
			series.value[i] = gauge->point[i].value;
		for (size_t i = 0; !series.bin_first && i < series.count; i++)
			if (i + 1 == series.count || series.time[put] != page_ticks(run, at[i + 1]))
				value[put++] = (double)series.value[i] / 1e6;
		int64_t peak;
		for (size_t b = 0; series.bin_first && b < series.put; b++)
			value[b] = (double)page_use_mean_of(&series, b, &peak) / 1e6;
		page_member(run->page, &json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, series.time,
			series.put);
		page_member(run->page, &json, "value", PAGE_F64 | PAGE_SPLIT, value, series.put);
	}
	page_put(&json, "}");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	series_free(&series);
	free(value);
	free(at);
}

void page_use_put(struct page_run *run)
{
	put_usage(run);
	page_name(run->json, "gauges");
	page_put(run->json, "[");
	for (uint32_t i = 0; i < run->result->gauge_count; i++) {
		page_put(run->json, i ? "," : "");
		put_gauge(run, &run->result->gauge[i]);
	}
	page_put(run->json, "]");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_use.c - what was busy and what waited over time, and gauges, as steps.
 *
 * A line on a screen shows some thousand points. Where there are many more, time is cut into bins of equal
 * width, and a point is the mean over its bin, weighed by time, in integers until the last division; the peak
 * stands beside it. A run's points are gone through twice, and none of them is kept.
 */
#include "reports/page/page.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS_MAX = 20000, BINS = 10000 };

enum measure { CPUS, GPUS, NODES, MEM, RUNNING, QUEUED, SUSPENDED, CPUS_QUEUED, GPUS_QUEUED, MEASURES };

/* A point: its values hold from its time on. */
struct point {
	sl_time at;
	int64_t value[MEASURES];
};

/* A series of points, in order of time; of those of one tick the last holds. */
struct series {
	struct page_run *run;
	size_t count;
	unsigned measures;
	void (*read)(struct series *series, size_t index, struct point *point);
	sl_time (*when)(struct series *series, size_t index);
	struct sl_usage_reader usage;
	const struct sl_gauge_series *gauge;

	size_t put;    /* Bins or steps that are put; */
	int32_t *time; /* of each, when it begins; */
	int64_t step;  /* ticks of a bin; 0: each step by itself. */
	/* By measure, then by what is put: its value, of a bin the peak; and of bins the value times ticks.
	 */
	int64_t *value;
	__int128 *sum;
	bool used[MEASURES], wide[MEASURES]; /* Some value is not 0; some does not fit in 32 bits. */
};

/* ---- Which steps are put ------------------------------------------------------------------------- */

/* Those that hold for at least a tick; time: of the first STEPS_MAX of them. */
static size_t steps_find(struct series *series, int32_t *time)
{
	size_t put = 0;
	int32_t now = 0;
	for (size_t i = 0; i < series->count; i++) {
		const int32_t next = page_ticks(series->run, series->when(series, i));
		if (i && next == now)
			continue;
		if (put < STEPS_MAX)
			time[put] = next;
		put++;
		now = next;
	}
	return put;
}

static void bins_make(struct series *series)
{
	const int64_t from = series->time[0];
	const int64_t last = series->run->last;
	series->step = (last - from) / BINS + 1;
	series->put = 0;
	for (; series->put < BINS && from + (int64_t)series->put * series->step < last; series->put++)
		series->time[series->put] = (int32_t)(from + (int64_t)series->put * series->step);
}

/* ---- What they say ------------------------------------------------------------------------------- */

/* Between two ticks, into the bins that are there. */
static void bins_add(struct series *series, const struct point *point, int64_t from, int64_t until)
{
	const int64_t first = series->time[0];
	while (from < until) {
		const size_t bin = (size_t)((from - first) / series->step);
		if (bin >= series->put)
			return;
		const int64_t end =
			bin + 1 < series->put ? series->time[bin + 1] : (int64_t)series->run->last;
		const int64_t range = (end < until ? end : until) - from;
		if (range <= 0)
			return;
		for (unsigned m = 0; m < series->measures; m++) {
			const size_t at = (size_t)m * series->put + bin;
			const int64_t value = point->value[m];
			if (!value)
				continue;
			series->sum[at] += (__int128)value * range;
			series->value[at] = value > series->value[at] ? value : series->value[at];
		}
		from += range;
	}
}

/* It holds until then, in ticks. */
static void value_take(struct series *series, const struct point *point, int32_t until, size_t *put)
{
	const int32_t from = page_ticks(series->run, point->at);
	for (unsigned m = 0; m < series->measures; m++) {
		series->used[m] |= point->value[m] != 0;
		series->wide[m] |= point->value[m] > UINT32_MAX;
	}
	if (series->step) {
		bins_add(series, point, from, until);
		return;
	}
	for (unsigned m = 0; m < series->measures && *put < series->put; m++)
		series->value[m * series->put + *put] = point->value[m];
	*put += from != until;
}

static void values_find(struct series *series)
{
	struct point point[2];
	size_t put = 0;
	if (series->count)
		series->read(series, 0, &point[0]);
	for (size_t i = 0; i + 1 < series->count; i++) {
		series->read(series, i + 1, &point[(i + 1) % 2]);
		value_take(series, &point[i % 2], page_ticks(series->run, point[(i + 1) % 2].at), &put);
	}
	if (series->count)
		value_take(series, &point[(series->count - 1) % 2], series->run->last, &put);
}

/* False: no memory. */
static bool series_make(struct series *series)
{
	struct page *page = series->run->page;
	series->time = page_alloc(page, STEPS_MAX, sizeof(*series->time));
	if (!series->time)
		return false;
	series->put = steps_find(series, series->time);
	if (series->put > STEPS_MAX)
		bins_make(series);
	series->value = page_alloc(page, series->put * series->measures, sizeof(*series->value));
	series->sum =
		page_alloc(page, series->step ? series->put * series->measures : 0, sizeof(*series->sum));
	if (!series->value || !series->sum)
		return false;
	values_find(series);
	return true;
}

static void series_free(struct series *series)
{
	free(series->time);
	free(series->value);
	free(series->sum);
}

/* Over bin b. */
static float page_use_mean_of(const struct series *series, unsigned measure, size_t b)
{
	const int64_t from = series->time[b];
	const int64_t until = b + 1 < series->put ? series->time[b + 1] : (int64_t)series->run->last;
	const __int128 sum = series->sum[measure * series->put + b];
	return until > from ? (float)((double)sum / (double)(until - from)) : 0;
}

/* ---- Usage --------------------------------------------------------------------------------------- */

static uint32_t in_32(int64_t value)
{
	return value < 0 ? 0 : value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* MiB of many nodes may be wide. */
static void put_whole(const struct series *series, struct page_text *json, const char *name, unsigned measure)
{
	struct page *page = series->run->page;
	const int64_t *value = series->value + measure * series->put;
	uint32_t *narrow = page_alloc(page, series->put, sizeof(*narrow));
	double *wide = page_alloc(page, series->put, sizeof(*wide));
	for (size_t i = 0; narrow && wide && i < series->put; i++) {
		narrow[i] = in_32(value[i]);
		wide[i] = (double)value[i];
	}
	if (narrow && wide && !series->wide[measure])
		page_member(page, json, name, PAGE_U32 | PAGE_DELTA | PAGE_SPLIT, narrow, series->put);
	else if (narrow && wide)
		page_member(page, json, name, PAGE_F64 | PAGE_SPLIT, wide, series->put);
	free(narrow);
	free(wide);
}

static void put_measure(struct series *series, struct page_text *json, const char *name, unsigned measure)
{
	struct page *page = series->run->page;
	char peak[40];
	if (!series->used[measure])
		return;
	float *mean = page_alloc(page, series->put, sizeof(*mean));
	(void)snprintf(peak, sizeof(peak), "%s_max", name);
	for (size_t b = 0; mean && series->step && b < series->put; b++)
		mean[b] = page_use_mean_of(series, measure, b);
	if (mean && series->step)
		page_member(page, json, name, PAGE_F32 | PAGE_SPLIT, mean, series->put);
	if (mean)
		put_whole(series, json, series->step ? peak : name, measure);
	free(mean);
}

static sl_time usage_when(struct series *series, size_t index)
{
	return sl_usage_at(&series->usage, index)->at;
}

static void read_usage(struct series *series, size_t index, struct point *point)
{
	const struct sl_usage_point *usage = sl_usage_at(&series->usage, index);
	*point = (struct point){ .at = usage->at,
		.value = { [CPUS] = usage->cpus_busy,
			[GPUS] = usage->gpus_busy,
			[NODES] = usage->nodes_busy,
			[MEM] = usage->mem_busy,
			[RUNNING] = usage->running,
			[QUEUED] = usage->queued,
			[SUSPENDED] = usage->suspended,
			[CPUS_QUEUED] = usage->cpus_queued,
			[GPUS_QUEUED] = usage->gpus_queued } };
}

static void put_rule(struct page_text *json, const struct series *series)
{
	page_name(json, "use_rule");
	if (!series->step) {
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
	struct page_text json = { 0 };
	struct series series = { .run = run,
		.count = run->result->usage_count,
		.measures = MEASURES,
		.read = read_usage,
		.when = usage_when,
		.usage = { .result = run->result } };
	page_name(run->json, "use");
	page_put(&json, "{");
	if (series_make(&series)) {
		page_member(run->page, &json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, series.time,
			series.put);
		for (unsigned m = 0; m < MEASURES; m++)
			put_measure(&series, &json, name[m], m);
	}
	page_put(&json, "}");
	page_bytes(run->json, json.data, json.length);
	put_rule(run->json, &series);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	series_free(&series);
}

/* ---- Gauges --------------------------------------------------------------------------------------- */

static sl_time gauge_when(struct series *series, size_t index) { return series->gauge->point[index].at; }

static void read_gauge(struct series *series, size_t index, struct point *point)
{
	point->at = series->gauge->point[index].at;
	point->value[0] = series->gauge->point[index].value;
}

static void put_gauge(struct page_run *run, const struct sl_gauge_series *gauge)
{
	struct series series = { .run = run,
		.count = gauge->count,
		.measures = 1,
		.read = read_gauge,
		.when = gauge_when,
		.gauge = gauge };
	const bool made = series_make(&series);
	double *value = page_alloc(run->page, series.put, sizeof(*value));
	struct page_text json = { 0 };
	page_put(&json, "{");
	page_name(&json, "name");
	page_json(&json, gauge->gauge->name);
	page_name(&json, "title");
	page_json(&json, gauge->gauge->summary);
	if (made && value) {
		for (size_t b = 0; b < series.put; b++)
			value[b] = (series.step ? (double)page_use_mean_of(&series, 0, b)
						: (double)series.value[b]) /
				   1e6;
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

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

/* A course of steps: values by measure, each holding from its time on. */
struct course {
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
static float mean_of(const struct course *course, size_t b, int64_t *peak)
{
	const int64_t from = course->time[b];
	const int64_t until = b + 1 < course->put ? course->time[b + 1] : (int64_t)course->run->last;
	__int128 sum = 0;
	int64_t now = from;
	*peak = 0;
	for (size_t i = course->bin_first[b]; i < course->count; i++) {
		int64_t next = i + 1 < course->count ? page_ticks(course->run, course->at[i + 1]) : until;
		if (next > until)
			next = until;
		if (next > now) {
			sum += (__int128)course->value[i] * (next - now);
			*peak = course->value[i] > *peak ? course->value[i] : *peak;
			now = next;
		}
		if (now >= until)
			break;
	}
	return until > from ? (float)((double)sum / (double)(until - from)) : 0;
}

static bool all_zero(const struct course *course)
{
	for (size_t i = 0; i < course->count; i++)
		if (course->value[i])
			return false;
	return true;
}

static uint32_t in_32(int64_t value)
{
	return value < 0 ? 0 : value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static bool all_short(const struct course *course)
{
	for (size_t i = 0; i < course->count; i++)
		if (course->value[i] > UINT32_MAX)
			return false;
	return true;
}

static void put_whole(
	const struct course *course, struct page_text *json, const char *name, const int64_t *value)
{
	struct page *page = course->run->page;
	const bool is_short = all_short(course); /* MiB of many nodes may not be. */
	uint32_t *narrow = page_alloc(page, course->put, sizeof(*narrow));
	double *wide = page_alloc(page, course->put, sizeof(*wide));
	for (size_t i = 0; narrow && wide && i < course->put; i++) {
		narrow[i] = in_32(value[i]);
		wide[i] = (double)value[i];
	}
	if (narrow && wide && is_short)
		page_member(page, json, name, PAGE_U32 | PAGE_DELTA | PAGE_SPLIT, narrow, course->put);
	else if (narrow && wide)
		page_member(page, json, name, PAGE_F64 | PAGE_SPLIT, wide, course->put);
	free(narrow);
	free(wide);
}

/* course->value, under that name. */
static void put_measure(struct course *course, struct page_text *json, const char *name)
{
	struct page *page = course->run->page;
	float *mean = page_alloc(page, course->put, sizeof(*mean));
	int64_t *value = page_alloc(page, course->put, sizeof(*value));
	char peak[40];
	(void)snprintf(peak, sizeof(peak), "%s_max", name);
	if (mean && value && !all_zero(course)) {
		size_t put = 0;
		for (size_t i = 0; !course->bin_first && i < course->count; i++)
			if (i + 1 == course->count ||
				course->time[put] != page_ticks(course->run, course->at[i + 1]))
				value[put++] = course->value[i];
		for (size_t b = 0; course->bin_first && b < course->put; b++) {
			int64_t most;
			mean[b] = mean_of(course, b, &most);
			value[b] = most;
		}
		if (course->bin_first)
			page_member(page, json, name, PAGE_F32 | PAGE_SPLIT, mean, course->put);
		put_whole(course, json, course->bin_first ? peak : name, value);
	}
	free(mean);
	free(value);
}

/* The steps that are put: those that hold for at least a tick, or bins. */
static void cut(struct course *course)
{
	struct page_run *run = course->run;
	course->time = page_alloc(run->page, course->count + BINS + 1, sizeof(*course->time));
	course->value = page_alloc(run->page, course->count, sizeof(*course->value));
	if (!course->time || !course->value)
		return;
	for (size_t i = 0; i < course->count; i++) {
		const int32_t time = page_ticks(run, course->at[i]);
		if (i + 1 == course->count || time != page_ticks(run, course->at[i + 1]))
			course->time[course->put++] = time;
	}
	if (course->put <= STEPS_MAX)
		return;
	const int64_t span = (int64_t)run->last - course->time[0];
	course->bin_first = page_alloc(run->page, BINS, sizeof(*course->bin_first));
	if (!course->bin_first)
		return;
	const int64_t from = course->time[0];
	course->step = span / BINS + 1;
	course->put = 0;
	for (size_t i = 0; course->put < BINS && from + (int64_t)course->put * course->step < run->last;
		course->put++) {
		const int64_t time = from + (int64_t)course->put * course->step;
		while (i + 1 < course->count && page_ticks(run, course->at[i + 1]) <= time)
			i++;
		course->time[course->put] = (int32_t)time;
		course->bin_first[course->put] = i;
	}
}

static void course_free(struct course *course)
{
	free(course->time);
	free(course->value);
	free(course->bin_first);
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

static void put_rule(struct page_text *json, const struct course *course)
{
	page_name(json, "use_rule");
	if (!course->bin_first) {
		page_put(json, "\"\"");
		return;
	}
	char step[32];
	*sl_put_micro(step, course->step * course->run->tick) = '\0';
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
	struct course course = { .run = run, .count = result->usage_count, .at = at };
	page_name(run->json, "use");
	page_put(&json, "{");
	for (size_t i = 0; at && i < course.count; i++)
		at[i] = result->usage[i].at;
	if (at)
		cut(&course);
	if (course.time && course.value) {
		page_member(run->page, &json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, course.time,
			course.put);
		for (unsigned m = 0; m < MEASURES; m++) {
			for (size_t i = 0; i < course.count; i++)
				course.value[i] = measure_of(&result->usage[i], (enum measure)m);
			put_measure(&course, &json, name[m]);
		}
	}
	page_put(&json, "}");
	page_bytes(run->json, json.data, json.length);
	put_rule(run->json, &course);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	course_free(&course);
	free(at);
}

/* ---- Gauges --------------------------------------------------------------------------------------- */

static void put_gauge(struct page_run *run, const struct sl_gauge_course *gauge)
{
	sl_time *at = page_alloc(run->page, gauge->count, sizeof(*at));
	struct course course = { .run = run, .count = gauge->count, .at = at };
	for (size_t i = 0; at && i < course.count; i++)
		at[i] = gauge->point[i].at;
	if (at)
		cut(&course);
	double *value = page_alloc(run->page, course.put, sizeof(*value));
	struct page_text json = { 0 };
	page_put(&json, "{");
	page_name(&json, "name");
	page_json(&json, gauge->gauge->name);
	page_name(&json, "title");
	page_json(&json, gauge->gauge->summary);
	if (course.time && course.value && value) {
		size_t put = 0;
		for (size_t i = 0; i < course.count; i++)
			course.value[i] = gauge->point[i].value;
		for (size_t i = 0; !course.bin_first && i < course.count; i++)
			if (i + 1 == course.count || course.time[put] != page_ticks(run, at[i + 1]))
				value[put++] = (double)course.value[i] / 1e6;
		int64_t peak;
		for (size_t b = 0; course.bin_first && b < course.put; b++)
			value[b] = (double)mean_of(&course, b, &peak) / 1e6;
		page_member(run->page, &json, "time", PAGE_I32 | PAGE_DELTA | PAGE_SPLIT, course.time,
			course.put);
		page_member(run->page, &json, "value", PAGE_F64 | PAGE_SPLIT, value, course.put);
	}
	page_put(&json, "}");
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	course_free(&course);
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

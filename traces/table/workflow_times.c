/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workflow_times.c - when the instances of a workflow come: at given times, one after each gap, or as a
 * Poisson process, whose gaps are exponential.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/table/workflow.h"

/* What a workflow says of its instances; NULL: nothing. */
struct times {
	const struct sl_doc_node *at, *every, *poisson, *instances, *seed, *start;
};

static int instance_add(struct workflow_file *w, uint32_t workflow, uint32_t number, sl_time at)
{
	const struct sl_place place = sl_doc_place(&w->doc, w->workflow[workflow].map);
	w->jobs += w->workflow[workflow].jobs;
	if (w->jobs > WORKFLOW_JOBS_MAX)
		return sl_fail_at(
			w->err, &place, "more than %d jobs in all: split the file", WORKFLOW_JOBS_MAX);
	if (SL_GROW(w->instance, w->instance_capacity, w->instance_count + 1, w->err))
		return SL_SYSTEM;
	w->instance[w->instance_count++] = (struct workflow_instance){ at, workflow, number };
	return SL_OK;
}

/* One time, or a list of them. */
static int times_given(struct workflow_file *w, uint32_t workflow, const struct sl_doc_node *at)
{
	sl_time time;
	int status = SL_OK;
	if (at->kind == SL_DOC_TEXT) {
		status = workflow_time(w, at, 0, &time);
		return status ? status : instance_add(w, workflow, 1, time);
	}
	uint32_t number = 1;
	status = workflow_list(w, at, "a time, or a list of times");
	if (status)
		return status;
	w->workflow[workflow].numbered = true;
	for (const struct sl_doc_node *node = sl_doc_child(&w->doc, at); node && !status;
		node = sl_doc_next(&w->doc, node)) {
		status = workflow_time(w, node, 0, &time);
		if (!status)
			status = instance_add(w, workflow, number++, time);
	}
	return status;
}

/* An exponential gap in whole microseconds: what a last bit of log1p would change is rounded away. */
static sl_time gap(struct sl_rng *rng, sl_time mean)
{
	return (sl_time)floor(-log1p(-sl_rng_unit(rng)) * (double)mean + 0.5);
}

static int times_made(struct workflow_file *w, uint32_t workflow, const struct times *times)
{
	char name[WORKFLOW_NAME_MAX + 40];
	int64_t count = 0;
	int64_t seed = 1;
	sl_time between = 0;
	sl_time at = 0;
	const struct sl_doc_node *process = times->every ? times->every : times->poisson;
	if (!times->instances)
		return workflow_fail(w, w->workflow[workflow].map,
			"a workflow with 'instances' beside 'every' and 'poisson'");
	int status = workflow_number(w, times->instances, 1, WORKFLOW_JOBS_MAX, &count);
	if (!status)
		status = workflow_time(w, process, 1, &between);
	if (!status && times->start)
		status = workflow_time(w, times->start, 0, &at);
	if (!status && times->seed)
		status = workflow_number(w, times->seed, 0, INT64_MAX, &seed);
	(void)snprintf(name, sizeof(name), "models/workflow/%s/arrivals", w->workflow[workflow].name);
	struct sl_rng rng = sl_rng_stream((uint64_t)seed, name);
	w->workflow[workflow].numbered = true;
	for (int64_t i = 0; i < count && !status; i++) {
		if (times->poisson)
			at += gap(&rng, between);
		if (at > INT64_MAX / 8)
			return workflow_fail(w, process, "a gap that ends within 36 000 years");
		status = instance_add(w, workflow, (uint32_t)i + 1, at);
		if (times->every)
			at += between;
	}
	return status;
}

int workflow_times(struct workflow_file *w, uint32_t number)
{
	struct times times = { 0 };
	const struct {
		const char *key;
		const struct sl_doc_node **node;
	} keys[] = {
		{ "at", &times.at },
		{ "every", &times.every },
		{ "poisson", &times.poisson },
		{ "instances", &times.instances },
		{ "seed", &times.seed },
		{ "start", &times.start },
	};
	const struct sl_doc_node *map = w->workflow[number].map;
	SL_DOC_EACH (node, &w->doc, map)
		for (size_t i = 0; i < SL_LEN(keys); i++)
			if (workflow_is(w, node, keys[i].key))
				*keys[i].node = node;
	const int ways = (times.at != NULL) + (times.every != NULL) + (times.poisson != NULL);
	const struct sl_place place = sl_doc_place(&w->doc, map);
	if (ways > 1)
		return sl_fail_at(w->err, &place,
			"workflow '%s' has several of 'at', 'every' and 'poisson': leave one",
			w->workflow[number].name);
	if (times.every || times.poisson)
		return times_made(w, number, &times);
	if (times.instances || times.start)
		return sl_fail_at(w->err, &place,
			"workflow '%s' has 'instances' or 'start' alone: give 'every' or 'poisson' too",
			w->workflow[number].name);
	return times.at ? times_given(w, number, times.at) : instance_add(w, number, 1, 0);
}

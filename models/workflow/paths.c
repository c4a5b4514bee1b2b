/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paths.c - critical paths, in topological order (Kahn, CACM 1962).
 */
#include <stdlib.h>
#include <string.h>

#include "models/workflow/workflow_model.h"

/* What a job waits for; count 0: nothing. */
static uint32_t workflow_depends(const struct sl_jobs *jobs, uint32_t row, const struct sl_depend **depend)
{
	if (!jobs->more_of || !jobs->more_of[row])
		return 0;
	const struct sl_job_attributes *more = &jobs->more[jobs->more_of[row]];
	*depend = more->depend;
	return more->depend_count;
}

/* Rows beyond the run are none. */
static uint32_t workflow_row(const struct sl_jobs *jobs, const struct sl_depend *depend)
{
	const bool within = depend->kind != SL_SINGLETON && depend->job != UINT32_MAX &&
			    depend->job >= jobs->row_first && depend->job - jobs->row_first < jobs->count;
	return within ? depend->job - jobs->row_first : UINT32_MAX;
}

static uint32_t root_of(struct workflow_job *job, uint32_t row)
{
	while (job[row].of != row) {
		job[row].of = job[job[row].of].of;
		row = job[row].of;
	}
	return row;
}

/* The lower row is the root. */
static void unite(struct workflow_job *job, uint32_t a, uint32_t b)
{
	const uint32_t x = root_of(job, a);
	const uint32_t y = root_of(job, b);
	if (x < y)
		job[y].of = x;
	else
		job[x].of = y;
}

static sl_time paths_later(sl_time a, sl_time b) { return a > b ? a : b; }

/* All of a chain of tasks ("with_next"); *item: its first, then that of the next. */
static sl_time chain_met(const struct workflows *w, const struct sl_depend *depend, uint32_t count,
	uint32_t *item, workflow_end end_of, uint32_t *by)
{
	sl_time met = INT64_MIN + 1;
	bool more = true;
	for (; more && *item < count; ++*item) {
		const uint32_t row = workflow_row(w->jobs, &depend[*item]);
		more = depend[*item].with_next;
		if (row == UINT32_MAX)
			continue;
		const sl_time end = end_of(w, row, depend[*item].kind == SL_AFTER);
		const sl_time at = end == SL_NEVER ? SL_NEVER : end + depend[*item].delay;
		if (at > met) {
			met = at;
			*by = row;
		}
	}
	return met;
}

sl_time workflow_ready(const struct workflows *w, uint32_t row, workflow_end end_of, uint32_t *by)
{
	const struct sl_depend *depend = NULL;
	const uint32_t count = workflow_depends(w->jobs, row, &depend);
	sl_time ready = w->jobs->submit[row];
	*by = UINT32_MAX;
	if (count)
		ready = paths_later(ready, w->jobs->more[w->jobs->more_of[row]].begin);
	for (uint32_t item = 0; item < count;) {
		sl_time clause = SL_NEVER; /* The first of its alternatives that is met. */
		uint32_t clause_by = UINT32_MAX;
		bool first = true;
		do {
			uint32_t chain_by = UINT32_MAX;
			const sl_time met = chain_met(w, depend, count, &item, end_of, &chain_by);
			if (first || met < clause) {
				clause = met;
				clause_by = chain_by;
			}
			first = false;
		} while (item < count && depend[item - 1].or_next);
		if (clause > ready) {
			ready = clause;
			*by = clause_by;
		}
	}
	return ready;
}

static sl_time end_at_best(const struct workflows *w, uint32_t row, bool start)
{
	const sl_time ends = w->job[row].ends;
	return start ? ends - w->jobs->run[row] : ends;
}

/* Rows in the order in which they could end; followers: by row, those that wait for it. */
static void walk(struct workflows *w, const size_t *first, const uint32_t *follower, uint32_t *order)
{
	const struct sl_jobs *jobs = w->jobs;
	uint32_t count = 0;
	uint32_t by;
	for (uint32_t row = 0; row < jobs->count; row++)
		if (!w->job[row].unmet)
			order[count++] = row;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t row = order[i];
		w->job[row].ends = workflow_ready(w, row, end_at_best, &by) + jobs->run[row];
		for (size_t k = first[row]; k < first[row + 1]; k++)
			if (!--w->job[follower[k]].unmet)
				order[count++] = follower[k];
	}
}

static void boundaries_in(struct workflows *w, size_t *first, uint32_t *follower)
{
	const struct sl_jobs *jobs = w->jobs;
	const struct sl_depend *depend = NULL;
	for (uint32_t row = 0; row < jobs->count; row++) {
		const uint32_t count = workflow_depends(jobs, row, &depend);
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t other = workflow_row(jobs, &depend[i]);
			if (other == UINT32_MAX)
				continue;
			if (follower) {
				follower[first[other]++] = row;
				w->job[row].unmet++;
				unite(w->job, row, other);
			} else {
				first[other + 1]++;
			}
		}
	}
}

int workflow_paths(struct workflows *w, struct sl_err *err)
{
	const uint32_t count = w->jobs->count;
	size_t *first = calloc((size_t)count + 2, sizeof(*first));
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
	uint32_t *follower = NULL;
	if (first && order) {
		boundaries_in(w, first, NULL);
		for (uint32_t row = 0; row < count; row++)
			first[row + 1] += first[row];
		follower = calloc(first[count] + 1, sizeof(*follower));
	}
	if (follower) {
		boundaries_in(w, first, follower); /* Each now is where the next one begins. */
		memmove(first + 1, first, count * sizeof(*first));
		first[0] = 0;
		walk(w, first, follower, order);
		for (uint32_t row = 0; row < count; row++)
			w->job[row].of = root_of(w->job, row);
	}
	const bool capacity = follower != NULL;
	free(first);
	free(order);
	free(follower);
	return capacity ? SL_OK : sl_fail_memory(err);
}

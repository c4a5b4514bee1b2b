/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reference.c - see reference.h. Everything is counted anew whenever it is needed. */
#include "tests/world/reference.h"

#define NOT_YET (-1)

struct ref {
	const struct world *world;
	const struct reference_options *options;
	int64_t now;
	int64_t limit[WORLD_JOBS], promise[WORLD_JOBS];
	int64_t *start, *end;
	bool in[WORLD_JOBS];
	bool retry; /* Not the first pass of its second. */
};

static bool submitted(const struct ref *r, uint32_t i)
{
	return r->options->eligibility ? r->in[i] : r->world->job[i].submit <= r->now;
}
static bool waiting(const struct ref *r, uint32_t i)
{
	return submitted(r, i) && r->start[i] == NOT_YET && r->end[i] == NOT_YET;
}
static bool running(const struct ref *r, uint32_t i) { return r->start[i] != NOT_YET && r->end[i] > r->now; }

static int64_t free_now(const struct ref *r)
{
	int64_t cpus = r->world->cpus;
	for (uint32_t i = 0; i < r->world->count; i++)
		cpus -= running(r, i) ? r->world->job[i].size : 0;
	return cpus;
}

/* When the scheduler thinks a running job ends: a job beyond its limit, at the next second. */
static int64_t expected_end(const struct ref *r, uint32_t i)
{
	const int64_t end = r->start[i] + r->limit[i];
	return end > r->now ? end : r->now + 1;
}

static void start(struct ref *r, uint32_t i)
{
	int64_t length = r->world->job[i].run;
	if (r->world->overrun == SL_OVERRUN_KILL && r->limit[i] < length)
		length = r->limit[i];
	r->start[i] = r->now;
	r->end[i] = r->now + length;
}

static double score(const struct ref *r, bool by_limit, uint32_t i)
{
	if (by_limit)
		return (double)r->limit[i];
	return r->options->score ? r->options->score(&r->world->job[i], r->limit[i], r->now) : 0;
}

/* The waiting jobs, lowest score first, ties by place. */
static uint32_t in_order(const struct ref *r, bool by_limit, uint32_t *row)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < r->world->count; i++) {
		if (!waiting(r, i))
			continue;
		uint32_t place = count++;
		for (; place && score(r, by_limit, row[place - 1]) > score(r, by_limit, i); place--)
			row[place] = row[place - 1];
		row[place] = i;
	}
	return count;
}

static void pass_easy(struct ref *r)
{
	uint32_t row[WORLD_JOBS];
	uint32_t count = in_order(r, r->options->shortest_first, row);
	uint32_t first = 0;
	while (first < count && r->world->job[row[first]].size <= free_now(r))
		start(r, row[first++]);
	if (first == count || r->options->policy == REFERENCE_FCFS)
		return;

	/* The shadow: second by second, until enough has ended. */
	const uint32_t head = row[first];
	int64_t shadow = r->now;
	int64_t free = 0;
	for (free = free_now(r); free < r->world->job[head].size; shadow++) {
		free = free_now(r);
		for (uint32_t i = 0; i < r->world->count; i++)
			free += running(r, i) && expected_end(r, i) <= shadow + 1 ? r->world->job[i].size : 0;
	}
	int64_t spare = free - r->world->job[head].size;

	count = in_order(r, r->options->fill_shortest || r->options->shortest_first, row);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t job = row[i];
		const int64_t size = r->world->job[job].size;
		if (job == head || size > free_now(r))
			continue;
		if (r->now + r->limit[job] <= shadow) {
			start(r, job);
		} else if (size <= spare) {
			spare -= size;
			start(r, job);
		}
	}
}

static void pass_greedy(struct ref *r)
{
	uint32_t row[WORLD_JOBS];
	const uint32_t count = in_order(r, r->options->shortest_first, row);
	for (uint32_t i = 0; i < count; i++)
		if (r->world->job[row[i]].size <= free_now(r))
			start(r, row[i]);
}

/* Free at a second to come, if all runs to its limit and all reservations but one are kept. */
static int64_t free_then(const struct ref *r, int64_t then, uint32_t but)
{
	int64_t cpus = r->world->cpus;
	for (uint32_t i = 0; i < r->world->count; i++) {
		if (running(r, i) && expected_end(r, i) > then)
			cpus -= r->world->job[i].size;
		else if (i != but && waiting(r, i) && r->promise[i] != NOT_YET && r->promise[i] <= then &&
			 then < r->promise[i] + r->limit[i])
			cpus -= r->world->job[i].size;
	}
	return cpus;
}

static int64_t earliest(const struct ref *r, uint32_t job)
{
	for (int64_t at = r->now;; at++) {
		bool fits = true;
		for (int64_t then = at; then < at + r->limit[job] && fits; then++)
			fits = free_then(r, then, job) >= r->world->job[job].size;
		if (fits)
			return at;
	}
}

static bool ended_early(const struct ref *r)
{
	for (uint32_t i = 0; i < r->world->count && !r->retry; i++)
		if (r->end[i] == r->now && (r->start[i] == NOT_YET ? r->promise[i] != NOT_YET
								   : r->end[i] < r->start[i] + r->limit[i]))
			return true;
	return false;
}

static bool overdue(const struct ref *r)
{
	for (uint32_t i = 0; i < r->world->count; i++)
		if (running(r, i) && r->start[i] + r->limit[i] <= r->now)
			return true;
	return false;
}

static void pass_conservative(struct ref *r)
{
	uint32_t row[WORLD_JOBS];
	const uint32_t count = in_order(r, r->options->shortest_first, row);
	if (overdue(r))
		for (uint32_t i = 0; i < count; i++)
			r->promise[row[i]] = NOT_YET;
	else if (ended_early(r))
		for (uint32_t i = 0; i < count; i++)
			if (r->promise[row[i]] != NOT_YET)
				r->promise[row[i]] = earliest(r, row[i]);
	for (uint32_t i = 0; i < count; i++)
		if (r->promise[row[i]] == NOT_YET)
			r->promise[row[i]] = earliest(r, row[i]);
	for (uint32_t i = 0; i < count; i++)
		if (r->promise[row[i]] == r->now)
			start(r, row[i]);
}

/* The next second at which something happens. */
static int64_t next_second(const struct ref *r)
{
	int64_t next = INT64_MAX;
	if (r->options->eligibility)
		return r->now < r->options->until ? r->now + 1 : INT64_MAX;
	for (uint32_t i = 0; i < r->world->count; i++) {
		int64_t at = INT64_MAX;
		if (!submitted(r, i))
			at = r->world->job[i].submit;
		else if (running(r, i))
			at = r->end[i];
		else if (waiting(r, i) && r->promise[i] != NOT_YET)
			at = r->promise[i];
		next = at < next ? at : next;
	}
	return next;
}

static void pass(struct ref *r)
{
	switch (r->options->policy) {
	case REFERENCE_FCFS:
	case REFERENCE_EASY:
		pass_easy(r);
		break;
	case REFERENCE_CONSERVATIVE:
		pass_conservative(r);
		break;
	case REFERENCE_GREEDY:
		pass_greedy(r);
		break;
	case REFERENCE_COUNT:
		break;
	}
}

static bool look(struct ref *r)
{
	return r->options->eligibility &&
	       r->options->eligibility(r->world, r->now, r->limit, r->start, r->end, r->in);
}

void reference_run(
	const struct world *world, const struct reference_options *options, int64_t *start_s, int64_t *end_s)
{
	struct ref r = { .world = world, .options = options, .now = -1, .start = start_s, .end = end_s };
	for (uint32_t i = 0; i < world->count; i++) {
		const struct world_job *job = &world->job[i];
		r.limit[i] = job->limit ? job->limit : job->run;
		if (world->overrun == SL_OVERRUN_RAISE && r.limit[i] < job->run)
			r.limit[i] = job->run;
		r.promise[i] = start_s[i] = end_s[i] = NOT_YET;
	}
	while ((r.now = next_second(&r)) != INT64_MAX) {
		(void)look(&r);
		r.retry = false;
		do {
			pass(&r);
			r.retry = true;
		} while (look(&r));
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reference.h - a slow, obvious scheduler: the classic rules as one would
 * explain them on paper, second by second, from the list of jobs alone. It
 * shares no code with the engine.
 */
#ifndef SL_TEST_REFERENCE_H
#define SL_TEST_REFERENCE_H

#include "tests/world/world.h"

enum reference_policy {
	REFERENCE_FCFS,
	REFERENCE_EASY,
	REFERENCE_CONSERVATIVE,
	REFERENCE_GREEDY,
	REFERENCE_COUNT
};

struct reference_options {
	enum reference_policy policy;
	bool fill_shortest;  /* EASY: candidates by limit. */
	bool shortest_first; /* The whole queue by limit. */
	/* The whole queue by a score that may change with time; NULL: none. */
	double (*score)(const struct world_job *job, int64_t limit, int64_t now);
	/* Who is in the queue (or was) and who leaves it unstarted, looked at in every second up to `until`,
	 * and after each pass: `in` is filled, ends of cancelled jobs are set. True if anything changed.
	 * NULL: all are in from their submission. */
	bool (*eligibility)(const struct world *world, int64_t now, const int64_t *limit,
		const int64_t *start, int64_t *end, bool *in);
	int64_t until;
};

/* Fills start[] and end[] in seconds for the scenario's jobs (its limits as after `raise`). */
void reference_run(
	const struct world *world, const struct reference_options *options, int64_t *start, int64_t *end);

#endif

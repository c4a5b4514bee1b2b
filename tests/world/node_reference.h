/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_reference.h - a slow, obvious scheduler on nodes: DESIGN's rules second
 * by second, everything counted anew from the list of jobs whenever it is
 * needed. It shares no code with the engine.
 */
#ifndef SL_TEST_NODE_REFERENCE_H
#define SL_TEST_NODE_REFERENCE_H

#include "tests/world/node_world.h"

enum nr_plan { NR_FCFS, NR_GREEDY, NR_EASY, NR_CONSERVATIVE };
enum nr_place { NR_FIRST, NR_BEST, NR_WORST, NR_PACK, NR_SPREAD, NR_PLACES };

struct nr_options {
	enum nr_plan plan;
	enum sl_spare spare;
	enum nr_place place;
	bool shortest_first; /* The whole queue by limit. */
	bool fill_shortest;  /* EASY: candidates by limit. */
};

/* A node allocation. */
struct nr_alloc {
	uint32_t node, group, tasks;
	bool whole;
	int64_t amount[NW_KINDS];
};

struct nr_placement {
	uint32_t count;
	struct nr_alloc alloc[NW_PARTS];
};

struct nr_result {
	int64_t start[NW_JOBS], end[NW_JOBS]; /* -1: never. */
	struct nr_placement held[NW_JOBS];
};

void node_reference_run(
	const struct node_world *world, const struct nr_options *options, struct nr_result *result);
/* Could the job ever be placed, on an idle cluster? */
bool node_reference_could_run(const struct node_world *world, uint32_t job, enum nr_place place);
/* Could the group ever be placed, on an idle cluster? */
bool node_reference_could_keep(const struct node_world *world, const struct sl_group *group);

#endif

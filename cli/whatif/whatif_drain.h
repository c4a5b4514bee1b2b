/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_drain.h - what the search for a time to drain nodes, and its report share.
 */
#ifndef SL_WHATIF_DRAIN_H
#define SL_WHATIF_DRAIN_H

#include "cli/whatif/whatif_parts.h"

enum drain_way { DRAIN_WAIT, DRAIN_KILL, DRAIN_WAYS };
enum { DRAIN_METRICS = 2, DRAIN_BATCH_MAX = 8 };
extern const char *const drain_metrics[DRAIN_METRICS]; /* "wait.mean", "wait.p95" */

/* An attempt of a job that is allocated some of the nodes, in the reference. */
struct stay {
	uint32_t job;
	sl_time start, end;  /* SL_NEVER: it does not end. */
	int64_t here, whole; /* Of the resource: on these nodes, in all; in the cluster's parts. */
};

/* A moment, a way, and what came of it. Amounts are parts of the resource times microseconds. */
struct drain_plan {
	sl_time at;
	enum drain_way way;
	sl_time free;  /* When the last job left: work on the nodes begins. */
	sl_time until; /* They are back. */
	bool settled;
	int rounds;
	uint32_t killed;
	__int128 lost, idle, waited, cost; /* waited: microseconds, less the reference's. */
	int64_t metric[DRAIN_METRICS];     /* As drain_metrics. */
};

struct drain {
	struct base *base;
	const struct args *args;
	struct sl_arena *arena;
	struct replica replica; /* The reference. */
	const struct scenario *scenario;
	struct node_rows rows;
	bool gpus; /* The resource is GPUs, else cpus. */
	int64_t capacity, parts;
	sl_time at, within, length;
	int64_t weight; /* Of an hour of waiting, in hours of the resource, millionths. */
	size_t most;    /* Moments that are simulated, at most. */
	unsigned threads;
	struct stay *stay;
	size_t stay_count;
	sl_time last;   /* Of the reference's ends. */
	size_t moments; /* All there are. */
	struct drain_plan *plan;
	size_t plan_count, runs;
	__int128 lost, waited; /* Of the reference. */
	int64_t metric[DRAIN_METRICS];
};

/* whatif_drain_report.c: the best, those beside it in time, and the first; --json: all. */
int drain_report(const struct drain *drain, struct sl_err *err);

#endif

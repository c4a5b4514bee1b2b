/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_scenario.h - small scenarios that are drawn: a function of (seed, number), written as files that any
 * command reads.
 *
 * Each has a shape, by turns; a shape is one line of a table in random_scenario.c.
 */
#ifndef SL_RANDOM_SCENARIO_H
#define SL_RANDOM_SCENARIO_H

#include "sim/base/base.h"

enum { RANDOM_SCENARIO_JOBS = 120, RANDOM_SCENARIO_NODE_TYPES = 3 };

struct random_scenario_job {
	int64_t submit, run, limit; /* Seconds. */
	int64_t cancel;             /* After the submission; -1: never. */
	int64_t wait;               /* Recorded. */
	int64_t cpus, user, account, partition;
};

struct random_scenario {
	char name[32]; /* "007-burst" */
	int64_t cpus;
	struct {
		int64_t count, cpus;
	} nodes[RANDOM_SCENARIO_NODE_TYPES];
	size_t node_types;   /* 0: a counted pool. */
	const char *overrun; /* replay.overrun */
	bool cancels;        /* Some job has one. */
	uint32_t count;
	struct random_scenario_job job[RANDOM_SCENARIO_JOBS];
};

/* Number counts from 1. */
void random_scenario_make(struct random_scenario *random_scenario, uint64_t seed, uint64_t number);
/* How a scenario is rewritten so that nothing should change. */
enum random_scenario_twist {
	RANDOM_SCENARIO_PLAIN,
	RANDOM_SCENARIO_LATER,   /* All submissions ten days later. */
	RANDOM_SCENARIO_RENAMED, /* Other numbers of jobs, users, accounts and partitions. */
};
/* A trace; and, where there are any, its cancellations. */
int random_scenario_write(const struct random_scenario *random_scenario, enum random_scenario_twist twist,
	const struct sl_writer *swf, const char *trace, const char *cancels, struct sl_err *err);
/* The nodes, where there are any. */
int random_scenario_write_cluster(
	const struct random_scenario *random_scenario, const char *path, struct sl_err *err);

#endif

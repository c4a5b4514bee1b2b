/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * world.h - small scenarios for tests, without files: jobs in, a run out.
 */
#ifndef SL_TEST_WORLD_H
#define SL_TEST_WORLD_H

#include "sim/run/sim.h"

enum { WORLD_JOBS = 64, WORLD_NODES = 64, WORLD_DEPENDS = 8 };

/* Times in seconds unless a unit is set. */
struct world_job {
	int64_t submit, run, limit;
	int32_t size, user;
	int64_t cancel;                   /* 0: never. */
	int64_t wait;                     /* Recorded. */
	int64_t estimate;                 /* From a file; 0: none. */
	int32_t account, partition, gang; /* 0: none. */
	int64_t cpus, mem, gpus;          /* Of one task, on nodes; 0: 1, 1 and none. */
	/* What it says of itself: times in the scenario's unit, 0: nothing. */
	int64_t begin, deadline, time_min, array, array_task, array_limit;
	const char *name;
	bool held, no_requeue;
	enum sl_state recorded;
	struct sl_depend depend[WORLD_DEPENDS]; /* Delays in the unit; of `depends`. */
	uint32_t depends;
};

/* In seconds; further members by name. */
#define JOB(at, length, bound, cpus, ...)                                                        \
	{                                                                                        \
		.submit = (at), .run = (length), .limit = (bound), .size = (cpus), ##__VA_ARGS__ \
	}

struct world {
	int64_t cpus;
	enum sl_overrun overrun;
	uint32_t count;
	struct world_job job[WORLD_JOBS];
	int64_t unit;              /* Microseconds; 0: a second. */
	struct sl_cluster cluster; /* cpus 0: a pool of `cpus`. */
	struct sim_rules rules;
	uint64_t seed;
	const struct restart_step *restart; /* What it costs to go on from a checkpoint. */
	size_t restart_count;
	bool as_nodes; /* The pool as nodes of one cpu and 1 MiB, or: */
	int64_t node_cpus, node_mem, node_gpus;

	const struct model_choice *model; /* Models that are on. */
	size_t model_count;

	const struct registry *registry; /* Whose policies are known; NULL: the built-in ones. */
	const struct sl_policy *instead; /* Run in place of the policy named, with its parameters; NULL. */

	/* The rest belongs to world_run. */
	int64_t id[WORLD_JOBS];
	sl_time submit[WORLD_JOBS], run[WORLD_JOBS], limit[WORLD_JOBS], cancel[WORLD_JOBS], wait[WORLD_JOBS],
		estimate[WORLD_JOBS];
	int32_t size[WORLD_JOBS], user[WORLD_JOBS], account[WORLD_JOBS], partition[WORLD_JOBS],
		gang[WORLD_JOBS];
	uint32_t more_of[WORLD_JOBS];
	struct sl_job_attributes more[WORLD_JOBS + 1];
	struct sl_depend depend[WORLD_JOBS][WORLD_DEPENDS];
	uint32_t request[WORLD_JOBS], node_type[WORLD_NODES];
	struct sl_request asked[WORLD_JOBS];
	struct sl_group group[WORLD_JOBS];
	struct sl_node_type type;
	struct scenario scenario;
	struct policy_choice choice;
	struct sl_arena *arena;
	struct sim_run sim;
	struct sl_err err;
};

/* Runs a policy as -p would name it, under --check if `check`; jobs must be in submit order. Returns the
 * status. */
int world_run(struct world *world, const char *policy, bool check);
/* Runs a policy of the test's own. */
int world_run_policy(struct world *world, const struct sl_policy *policy, bool check);
/* In steps: all that world_run does before sim_run, whose options these are; and a further policy. */
int world_open(struct world *world, const char *policy, bool check, struct sim_options *options);
int world_choose(struct world *world, const char *policy, struct policy_choice *choice);
void world_release(struct world *world);
/* On nodes: the allocation of each attempt, times how long it ran, sums to the busy time; and, as_asked, the
 * same by the request on each of its nodes. Not where jobs are resized. */
bool world_places_add_up(const struct sl_result *result, bool as_asked);
/* In the scenario's unit; -1: never. */
int64_t world_start(const struct world *world, uint32_t job);
int64_t world_end(const struct world *world, uint32_t job);

#endif

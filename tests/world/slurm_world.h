/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_world.h - small clusters under slurmctld, drawn by a seed, as files of a user: slurm.conf, gres.conf,
 * sacctmgr's tables, sacct's, and what operators did; and, beside them, what was drawn, for checks.
 */
#ifndef SL_TEST_SLURM_WORLD_H
#define SL_TEST_SLURM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SW_NODES = 6,
	SW_JOBS = 48,
	SW_QOS = 4,
	SW_USERS = 4,
	SW_COMMANDS = 24,
	SW_PARTS = 3,
	SW_NONE = 1 << 20
};

enum sw_preempt { SW_NO_PREEMPT, SW_BY_PART, SW_BY_QOS, SW_GANG };

struct sw_node {
	uint32_t cpus;
	int64_t mem;
	uint32_t gpus;
};

struct sw_qos { /* SW_NONE: no limit */
	int64_t grp_cpus, grp_jobs, user_cpus, user_jobs, job_cpus;
};

enum sw_depend { SW_FREE, SW_AFTER, SW_AFTER_ANY, SW_AFTER_OK, SW_AFTER_NOTOK };

struct sw_job {
	int64_t submit, run, limit_min; /* run: seconds, as long as nobody ends it. */
	uint32_t user, qos;
	int64_t begin; /* Seconds after the start; 0: none. */
	enum sw_depend depend;
	uint32_t on;         /* That job. */
	uint32_t array;      /* The first task's job; SW_NONE. */
	uint32_t array_most; /* %n; 0: none. */
	int64_t licenses;
};

enum sw_verb { SW_OTHER, SW_DRAIN, SW_DOWN, SW_RESUME };

struct sw_command {
	int64_t at;
	enum sw_verb verb;
	uint32_t node;
};

struct slurm_world {
	char folder[32];
	struct sw_node node[SW_NODES];
	uint32_t node_count;
	enum sw_preempt preempt;
	bool accounting, memory, power, changes; /* changes: operators alter, suspend or requeue jobs. */
	bool starves;                            /* Some jobs starve behind others. */
	int64_t shares;                          /* OverSubscribe=FORCE:so many, at most; 1: none. */
	int64_t licenses;
	struct sw_qos qos[SW_QOS];
	int64_t assoc_jobs[SW_USERS];
	struct sw_job job[SW_JOBS];
	uint32_t job_count;
	struct sw_command command[SW_COMMANDS];
	uint32_t command_count;
	uint64_t seed;
};

/* When operators set all right, and when they end what is left. */
enum { SW_BACK = 1500, SW_OVER = 6000 };

/* Seconds since 1970 of the first job's submission. */
#define SW_ZERO INT64_C(1704067200)

/* The files are in world->folder from now on; those of the scenario before are gone. */
void slurm_world_draw(struct slurm_world *world, uint64_t seed);
/* Removes the files. */
void slurm_world_clear(struct slurm_world *world);

#endif

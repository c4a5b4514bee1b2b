/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_case.h - a scenario recorded from a real slurmctld: its cluster, its jobs, and where each ran.
 */
#ifndef SL_SLURM_CASE_H
#define SL_SLURM_CASE_H

#include "policies/slurm/select.h"
#include "sim/base.h"

struct slurm_job {
	const char *id, *user;
	const char *dependency; /* NULL: none. */
	const char *partitions; /* NULL: the default one. */
	int64_t submit;         /* s */
	int64_t limit;          /* s, what plans are made with (--time-min). */
	int32_t user_row;
	struct sl_ask ask;
};

/* One row of expected.csv. */
struct slurm_row {
	const struct slurm_job *job;
	const char *id, *partition, *state, *reasons, *alloc;
	int64_t row_id, eligible, start, end; /* SL_NONE: none. */
	uint32_t line;
};

/* A job's priority from a time on, as trace.csv saw it. */
struct slurm_priority {
	const struct slurm_job *job;
	int64_t at_ms, priority;
};

struct slurm_case {
	struct sl_arena *arena;
	const char *name;
	struct sl_cluster cluster;
	const struct slurm_job *job;
	size_t job_count;
	struct slurm_row *row; /* By start, then as in the file. */
	size_t row_count;
	struct slurm_priority *priority;
	size_t priority_count;
};

/* Of the folder of scenario.json. Negative: it is none, as err says. The arena owns it all. */
int slurm_case_read(struct slurm_case *c, struct sl_arena *arena, const char *scenario, struct sl_err *err);

#endif

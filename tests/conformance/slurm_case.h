/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_case.h - a scenario recorded from a real slurmctld: its cluster, its jobs, and where each ran.
 */
#ifndef SL_SLURM_CASE_H
#define SL_SLURM_CASE_H

#include "policies/slurm/select/select.h"
#include "sim/base/base.h"
#include "tests/world/json_tree.h"

struct slurm_job {
	const char *id, *user;
	const char *dependency; /* NULL: none. */
	const char *partitions; /* NULL: the default one. */
	int64_t submit;         /* s */
	int64_t limit;          /* s, what plans are made with (--time-min). */
	int32_t user_row;
	bool hetero; /* It has several components, which its row of expected.csv has together. */
	struct sl_job_desc desc;
};

/* One row of expected.csv. */
struct slurm_row {
	const struct slurm_job *job;
	const char *id, *partition, *state, *nodes, *reasons, *alloc;
	/* SL_NONE: none. start: when its nodes were allocated, which is before it starts if they have to
	 * boot. */
	int64_t row_id, eligible, start, end;
	int64_t submit, started; /* As recorded. */
	int64_t attempt;         /* From 0 on. */
	uint32_t line;
};

/* Nodes that jobs may not use over a time: out of service, or, with a name, a reservation. */
struct slurm_window {
	int64_t from, until;
	const char *name;  /* NULL: of no reservation. */
	const char *nodes; /* NULL: so many of a partition's: */
	uint32_t node_count;
	const char *partition; /* NULL: the default one. */
	uint64_t *set;         /* Once known. */
};

/* A partition's MaxNodes from a time on; SL_NONE: none. */
struct slurm_bound {
	int64_t at;
	const char *partition;
	int64_t nodes_max;
};

/* A job's priority from a time on, as trace.csv saw it. */
struct slurm_priority {
	const struct slurm_job *job;
	int64_t at_ms, priority;
};

struct slurm_case {
	struct sl_arena *arena;
	const char *name;
	const char *version; /* Of the Slurm that was recorded: "24.11". */
	struct sl_cluster cluster;
	const struct slurm_job *job;
	size_t job_count;
	struct slurm_row *row; /* By start, then as in the file. */
	size_t row_count;
	struct slurm_priority *priority;
	size_t priority_count;
	struct slurm_window *window;
	size_t window_count;
	const struct slurm_bound *bound; /* By time. */
	size_t bound_count;
	int64_t suspend_time; /* Idle nodes power down after so long; SL_NONE: never. */
};

/* Of the folder of scenario.json. Negative: it is none, as err says. The arena owns it all. */
/* Of scenario.json; captures: captures.txt, or NULL. */
void slurm_events_read(struct slurm_case *c, const struct json *events, const char *captures);
int slurm_case_read(struct slurm_case *c, struct sl_arena *arena, const char *scenario, struct sl_err *err);
/* As it was recorded once more: of expected-2.csv and trace-2.csv. */
int slurm_case_read_second(
	struct slurm_case *c, struct sl_arena *arena, const char *scenario, struct sl_err *err);

#endif

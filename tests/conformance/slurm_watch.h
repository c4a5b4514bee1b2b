/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_watch.h - a run of the policy `slurm`, looked at after each instant as the recording rig looked at a
 * real slurmctld: what each job is, why it waits, and what it got.
 */
#ifndef SL_SLURM_WATCH_H
#define SL_SLURM_WATCH_H

#include "tests/conformance/rerun.h"
#include "tests/conformance/slurm_files.h"

struct slurm_attempt {
	int64_t start, end; /* Seconds after the scenario's time 0; end SL_NONE: it goes on. */
	const char *alloc;  /* As slurm_alloc.h has it. */
};

struct slurm_wait {
	enum sl_reason reason;
	int64_t from, until;
};

struct slurm_series {
	char id[40];       /* Of the trace. */
	const char *state; /* "PENDING"..., "REJECTED" */
	struct slurm_attempt *attempt;
	size_t attempt_count;
	struct slurm_wait *wait; /* Reasons between instants; */
	size_t wait_count;
	/* and each that it was given, within a second, too: SL_REASON_... bit by bit. */
	uint64_t had[(SL_REASON_COUNT + 63) / 64];
};

struct slurm_watch {
	struct rerun run;
	struct slurm_series *series; /* By row of the trace. */
	size_t series_count;
};

/* forced NULL: the controller decides by itself. 0, or why it could not be run: run.err. */
struct slurm_forced;
int slurm_watch_run(struct slurm_watch *watch, const struct slurm_files *files, int64_t phase,
	struct slurm_forced *forced);
void slurm_watch_release(struct slurm_watch *watch);
/* NULL: the run has none of that name. */
const struct slurm_series *slurm_series_of(const struct slurm_watch *watch, const char *id);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_files.h - a recorded scenario as the files that a user would have: slurm.conf, gres.conf,
 * topology.conf, what sacctmgr shows, the trace as `sacct -P` prints it, and what the operator did.
 *
 * What scenario.json leaves out is what the recording rig had (scripts/slurm-rig).
 */
#ifndef SL_SLURM_FILES_H
#define SL_SLURM_FILES_H

#include <stdio.h>

#include "tests/conformance/slurm_case.h"

enum {
	/* Seconds since 1970 of a scenario's time 0: a midnight of UTC. */
	SLURM_T0 = 1704067200
};

struct slurm_files {
	char folder[200];    /* Of all that follows; slurm_files_remove takes it away. */
	char trace[260];     /* sacct.txt */
	bool accounts;       /* accounts.txt, qos.txt are there; */
	bool commands;       /* commands.txt is. */
	char policy[100];    /* "slurm:version=24.11,boot=20" */
	bool every_pass;     /* Set before: passes that find nothing changed are made, too. */
	const char *version; /* Set before: the rules of that release; NULL: of the recorded one. */
	int64_t until;       /* Seconds after time 0: the recording went on so long at most. */
};

struct slurm_timing;
int slurm_files_write(struct slurm_files *files, const struct slurm_case *c, const char *scenario,
	const struct slurm_timing *timing, struct sl_err *err);
void slurm_files_remove(const struct slurm_files *files);

/* slurm_jobs.c: the trace and the commands. */
int slurm_jobs_write(struct slurm_files *files, const struct slurm_case *c, const struct json *json,
	const struct slurm_timing *timing);

/* By what name the trace has the job or task of a row of expected.csv: "7", "7_3". */
void slurm_trace_id(const struct slurm_case *c, const struct slurm_row *row, char *id, size_t size);

/* A file of JSON; NULL: it is none. */
struct json *slurm_parsed(const char *path, struct sl_err *err);

/* For both. A value as slurm.conf or a command line has it; false: it is not to be there. */
bool slurm_value(const struct json *value, char *text, size_t size);
FILE *slurm_file_new(const struct slurm_files *files, const char *name);

#endif

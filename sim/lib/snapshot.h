/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.h - a run up to a time, as a recipe: inputs with hashes, settings, policies, and the digest of its
 * events.
 *
 * It holds no state: a run that goes on from it is rerun to its time, the digest is compared, and it goes on.
 * A run with handovers has an interval for each policy. Files are JSON: the schema below, one version;
 * another is refused.
 */
#ifndef SL_SNAPSHOT_H
#define SL_SNAPSHOT_H

#include "sim/run/sim.h"

#define SNAPSHOT_SCHEMA "schedlab.snapshot/1"

struct snapshot_input {
	const char *path, *sha256;
	bool named;    /* Of a plug-in: what it has is known by name, not by the path alone. */
	uint64_t line; /* Of a plug-in: where the file names it; 0: not known. */
};

struct snapshot_interval {
	const char *policy; /* As the user named it. */
	const char **value; /* "policy.order=sjf": all of them, as they were in effect. */
	size_t value_count;
	uint64_t line, values_line; /* Where the file names its policy, and its values; 0: not known. */
	sl_time until;
	uint64_t digest, events;
};

struct snapshot {
	const char *file;             /* Its path. */
	const char *version;          /* Of the schedlab that wrote it. */
	bool closed;                  /* What it names is below the working folder, or refused. */
	struct snapshot_input *input; /* The trace, then side files. */
	size_t input_count;
	struct snapshot_input cluster;      /* path NULL: none. */
	struct snapshot_input *policy_file; /* Of the policies' parameters, and of those that are scripts. */
	size_t policy_file_count;
	struct snapshot_input *plugin; /* To be loaded before its policies are named, or the trace read. */
	size_t plugin_count;
	const char *tz; /* NULL: not given. */
	uint64_t jobs_max, seed;
	const char **setting; /* "replay.load=1.2", "cluster.cpus=8": as they were in effect. */
	size_t setting_count;
	struct snapshot_interval *interval; /* At least one. */
	size_t interval_count;
	uint64_t *digests; /* After each 2^16 events. */
	size_t digest_count;
};

/* Of a run in steps, or one that has ended, stopped, or was interrupted. */
int snapshot_write(struct sl_out *out, const struct sim_run *run, struct sl_err *err);
/* SL_INPUT, with file:line:column. All that it holds is in the arena. */
int snapshot_read(struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err);

/* What the scenario is made of, and its settings. A file that is not where it was is looked for from the
 * snapshot's own folder. */
/* Would anything be executed that the user does not trust (trust.h)? SL_USAGE then. To be asked before the
 * next: nothing has run yet. */
int snapshot_trusted(const struct snapshot *snapshot, const struct registry *registry, struct sl_err *err);
/* Loads its plug-ins; SL_BASELINE if one is not what it was. */
int snapshot_plugins(const struct snapshot *snapshot, struct registry *registry, struct sl_err *err);
int snapshot_scenario(const struct snapshot *snapshot, struct scenario_options *options,
	struct settings *settings, struct sl_err *err);
/* Where that input is now: as it was named, or from a folder above the snapshot. NULL: err says why. */
const char *snapshot_input_path(const struct snapshot *snapshot, const struct snapshot_input *input,
	struct sl_arena *arena, struct sl_err *err);
/* SL_BASELINE if the scenario was made of other files. */
int snapshot_check(const struct snapshot *snapshot, const struct scenario *scenario, struct sl_err *err);
/* The history that sim_run is to replay. */
int snapshot_history(const struct snapshot *snapshot, struct sim_options *options,
	const struct registry *registry, struct sl_arena *arena, struct sl_err *err);
/* Would that setting, of a run that goes on under the policy, change what was before? */
bool snapshot_fixes(const char *key, const struct sl_policy *policy);

#endif

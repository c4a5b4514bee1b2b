/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif.h - a base (a run's directory, or a trace with options), and what would have been under other
 * settings: replicas, each a list of settings over the base's, rerun and put beside it.
 *
 * In order: base_open; then, for as many replicas as wanted, replicas_run; base_close.
 */
#ifndef SL_WHATIF_H
#define SL_WHATIF_H

#include "cli/base/cli.h"
#include "cli/base/selector.h"
#include "cli/run/run_rerun.h"

/* What differs from the base: "cluster.nodes[gpu].count+=8", "policy.bf_window=2880",
 * "replay.drop=user=alice".
 */
struct replica {
	const char *name;    /* "A"; the base: "base". */
	const char *policy;  /* NULL: the base's, with its parameters. */
	const char *cluster; /* A file; NULL: the base's. */
	const char *
		*setting; /* In order, over the base's: of two with one key the last applies, but cluster.*
			     are all applied, and replay.drop and replay.change are added to the base's. */
	size_t setting_count;
	uint64_t seed_more; /* Seeds after the base's: 0, 1, ... */
};

/* A replica's run, with its result; replica_run_release frees it. */
struct replica_run {
	const struct scenario *scenario; /* The base's to free: replicas that read the same share one. */
	struct run run;
	struct sl_metrics metrics; /* With labels. */
	int status;                /* 0 (or SL_INTERRUPTED: partial), or why there is no result. */
	struct sl_err err;
};

struct base;
/* The one operand: a run's directory (or a snapshot), or a trace; options -c, -p, --base, --seed, --from ...
 * A directory's inputs have to be there as they were (SL_BASELINE). Frees itself on failure. */
int base_open(struct base **base, const struct args *args, struct sl_err *err);
/* One line on what the base is, and what was repaired. */
void base_talk(const struct base *base);
/* The replica's scenario and policy, nothing run: run->run is ready for runset_run. SL_USAGE, SL_INPUT. */
int replica_prepare(
	struct base *base, const struct replica *replica, struct replica_run *run, struct sl_err *err);
/* Any number on that many threads (0: as many as there are processors), in slot order. A replica that fails
 * has its status; the return is 0 unless nothing could be run at all, or it was interrupted. record: of enum
 * sim_record. */
int replicas_run(struct base *base, const struct replica *replica, struct replica_run *run, size_t count,
	unsigned threads, unsigned record, struct sl_err *err);
void replica_run_release(struct base *base, struct replica_run *run);
void base_close(struct base *base);

/* whatif_search.c: --until and --vary; whatif_curve.c: --head-room, --price. Reported on stdout. */
int whatif_search(struct base *base, const struct args *args, struct sl_err *err);
/* whatif_drain.c: --drain NODES --within TIME. */
int whatif_drain(struct base *base, const struct args *args, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif.h - a base (a run's directory, or a trace with options), and what would have been under other
 * settings: worlds, each a list of settings over the base's, run again and put beside it.
 *
 * In order: base_open; then, for as many worlds as wanted, world_run; base_close.
 */
#ifndef SL_WHATIF_H
#define SL_WHATIF_H

#include "sim/cli/again.h"
#include "sim/cli/cli.h"
#include "sim/cli/selector.h"

/* What differs from the base: "cluster.nodes[gpu].count+=8", "policy.bf_window=2880",
 * "replay.drop=user=alice".
 */
struct world {
	const char *name;     /* "A"; the base: "base". */
	const char *policy;   /* NULL: the base's. */
	const char *cluster;  /* A file; NULL: the base's. */
	const char **setting; /* In order, over the base's. */
	size_t setting_count;
};

/* A world's run, with its result; world_release frees it. */
struct world_run {
	struct scenario scenario;
	struct policy_choice choice;
	struct run run;
	struct sl_metrics metrics;
	int status; /* 0, or why there is no result. */
	struct sl_err err;
};

struct base;
int base_open(struct base **base, const struct args *args, struct sl_err *err);
/* Any number on that many threads (0: as many as there are processors), in slot order. A world that fails has
 * its status; the return is 0 unless nothing could be run at all, or it was interrupted. */
int worlds_run(struct base *base, const struct world *world, struct world_run *run, size_t count,
	unsigned threads, struct sl_err *err);
void world_release(struct world_run *run);
void base_close(struct base *base);

/* whatif_search.c: --until and --vary; whatif_curve.c: --head-room, --price. Told on stdout. */
int whatif_search(struct base *base, const struct args *args, struct sl_err *err);
/* whatif_drain.c: --drain NODES --within TIME. */
int whatif_drain(struct base *base, const struct args *args, struct sl_err *err);

#endif

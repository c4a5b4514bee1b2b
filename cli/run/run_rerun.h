/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_rerun.h - a rerun of the run that a directory (or a snapshot) describes.
 *
 * Resume is replay: whoever wants to know more of a run than its files say (views, the report page, explain,
 * the first difference) reruns it from run.json, with more recorded, and the digests are compared on the way.
 *
 * In order: rerun_open, rerun_load, rerun_begin or rerun_run; rerun_close. What rerun_change adds between
 * open and load makes it another run: what would have been, had that been so.
 */
#ifndef SL_RERUN_H
#define SL_RERUN_H

#include "sim/lib/snapshot.h"
#include "sim/run/sim.h"

struct rerun {
	struct sl_arena *arena;    /* Its own. */
	struct registry *registry; /* Lent. */
	struct snapshot snapshot;
	struct settings settings;
	struct scenario scenario;      /* After rerun_load. */
	struct sim_options recipe;     /* Its history: an interval for each policy that it was under. */
	bool changed;                  /* Another run: no digest is compared. */
	struct sim_progress *progress; /* Told of how far it is; the caller's. May be NULL. */
	size_t interval;               /* Of the recipe's history, while it is made. */
};

/* path: a run's directory (run_find.h), its run.json, or a snapshot. Reads that file alone. What fails leaves
 * something for rerun_close. */
int rerun_open(struct rerun *rerun, const char *path, struct registry *registry, struct sl_err *err);
/* One more setting, as --set takes it, over those of the run: "replay.change=job=17 limit=8h",
 * "policy.order=sjf". */
int rerun_change(struct rerun *rerun, const char *setting, struct sl_err *err);
/* Reads the inputs. SL_BASELINE: they are not there as they were. */
int rerun_load(struct rerun *rerun, struct sl_err *err);
/* Opens and loads a run under one policy, and gives its settings as "KEY=VALUE", closed by nothing, and its
 * other options: what a command asks that begins with another run's recipe. SL_USAGE: it went over to another
 * policy; `command` says who asks. Texts are in the arena of `texts`. */
struct rerun_texts {
	struct sl_arena *arena;
	const char **item;
	size_t count;
};
int rerun_recipe(struct rerun *rerun, const char *path, struct registry *registry, const char *command,
	struct scenario_options *options, struct rerun_texts *texts, struct sl_err *err);
/* From its beginning to that time (SL_NEVER: to its end), through its policies, digests compared
 * (SL_DIFFERS). record: of enum sim_record. sim_advance, sim_end, sim_release are the caller's. */
int rerun_begin(struct rerun *rerun, struct sim_run *sim, unsigned record, sl_time until, struct sl_err *err);
/* The same in steps: nothing has happened yet; everything at or before that time has. */
int rerun_start(struct rerun *rerun, struct sim_run *sim, unsigned record, struct sl_err *err);
int rerun_advance(struct rerun *rerun, struct sim_run *sim, sl_time until, struct sl_err *err);
/* The whole of it, with its result, compared with what it was. */
int rerun_run(struct rerun *rerun, struct sim_run *sim, unsigned record, struct sl_err *err);
/* After sim_end: SL_DIFFERS, where digests after each 2^16 events are not those of the file. */
int rerun_compare(const struct rerun *rerun, const struct sl_result *result, struct sl_err *err);
void rerun_close(struct rerun *rerun);

/* run_recipe.c: a run.json as the recipe that it is. path: of the file. */
int run_recipe(struct snapshot *snapshot, const char *path, struct sl_arena *arena, struct sl_err *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep.h - many runs of one experiment: traces x clusters x policies x settings x seeds.
 *
 * A spec (schedlab-sweep(5)) is a list of factors. A plan is its points, in the order of the factors, the
 * last one fastest. A point's id is the SHA-256 of what it is made of: its content. What came of it is one
 * file, DIR/points/ID.json, written beside and renamed into place: it is there whole, or not.
 *
 * Whoever is to do a point claims it first: DIR/claims/ID.G, made by link(2), which one of all who try gets,
 * on any file system that several machines share. G counts claims whose owners are gone: no claim is ever
 * removed but by its owner.
 */
#ifndef SL_SWEEP_H
#define SL_SWEEP_H

#include "cli/base/cli.h"
#include "cli/base/render.h"
#include "cli/base/selector.h"

#define SWEEP_SCHEMA "schedlab.sweep/1"
#define POINT_SCHEMA "schedlab.point/1"

enum { SWEEP_TABLE_MAX = 50 };
enum { SWEEP_VALUES_MAX = 100000, SWEEP_FACTORS_MAX = 16, SWEEP_POINTS_MAX = 2000000, POINT_ID = 64 };

/* The name of a factor whose values are settings, a line each, as --set takes them: schedlab tune has it. */
#define SWEEP_SETS "--set"

/* One thing that varies. Its name is a column: "trace", "cluster", "policy", "replay.load", "seed". */
struct factor {
	const char *name;
	const char **value; /* As written; ranges are written out. */
	size_t count;
	uint32_t line, column;
};

/* A trace: a file, or words of `schedlab generate`, drawn with the point's seed unless it names one. */
struct sweep_trace {
	const char *name;
	const char *file, *generate; /* One of the two. */
	bool seeded;                 /* generate has its own --seed. */
	char sha256[65];             /* Of the file. */
};

/* Points that are left out (or alone kept): where all of these are so. */
struct sweep_rule {
	const char *factor[SWEEP_FACTORS_MAX];
	const char *value[SWEEP_FACTORS_MAX];
	size_t count;
};

struct sweep_spec {
	const char *file;
	const char *name;
	struct sweep_trace *trace;
	size_t trace_count;
	struct factor *factor; /* trace, cluster (if any), settings, policy, seed. */
	size_t factor_count;
	size_t trace_at, cluster_at, policy_at, seed_at; /* Of factors; SIZE_MAX: there is none. */
	struct sweep_rule *exclude, *include;
	size_t exclude_count, include_count;
	const char **metric; /* Selectors beside the metrics without labels. */
	size_t metric_count;
	const char *jobs, *from, *to, *tz; /* NULL: not said. */
	sl_time warm;                      /* Metrics are of jobs submitted so long after replay.from. */
	const char *x, *y, *by;            /* What `sweep report` draws; NULL: not said. */
	const char *purpose;               /* Of `study`: what it is to show; NULL: not said. */
	const char **table;                /* Of `study`: metrics of its table, by name. */
	size_t table_count;
	bool labels; /* Metrics with labels are kept too. */
};

struct point {
	uint32_t value[SWEEP_FACTORS_MAX]; /* By factor. */
	char id[POINT_ID + 1];
};

struct sweep {
	const struct args *args;
	struct sl_arena *arena;
	struct registry *registry;
	struct sweep_spec spec;
	struct point *point;
	size_t count;
	const char *dir;       /* Absolute; NULL: none yet. */
	const char *dir_name;  /* As the line has it. */
	const char *spec_path; /* Absolute. */
	const char *spec_name; /* As the line has it. */
	const char *folder;    /* What the spec names is looked for from there. */
	bool silent;           /* Nothing is said of how far it is: it is a part of something. */
};

/* sweep_spec.c. All that it holds is in the arena. SL_INPUT with places. */
int sweep_spec_read(struct sweep_spec *spec, const char *path, struct sl_arena *arena, struct sl_err *err);
/* The same of text that is there. */
int sweep_spec_parse(struct sweep_spec *spec, const char *file, const char *text, size_t len,
	struct sl_arena *arena, struct sl_err *err);
/* "0.5..1:0.1", "1..20": written out, ends included, exactly (in millionths); false: it is no range. */
int sweep_range(const char *text, const char ***value, size_t *count, struct sl_arena *arena, bool *is,
	struct sl_err *err);

/* sweep_plan.c: makes the points, without their ids; then hashes inputs, and makes those. */
int sweep_points(struct sweep *sweep, struct sl_err *err);
int sweep_plan(struct sweep *sweep, struct sl_err *err);
/* Of points that there are: their ids. */
int sweep_name(struct sweep *sweep, struct sl_err *err);
/* A point as one line of JSON, without its end. */
void point_json(const struct sweep *sweep, size_t number, struct json *json);
/* A line for each, into out. */
void points_json(const struct sweep *sweep, struct sl_out *out);
const char *point_value(const struct sweep *sweep, const struct point *point, size_t factor);

/* cmd_sweep.c: would a point execute what the user has not asked for (trust.h)? Is each policy one? Before
 * anything is read, made or claimed, in the spec's folder. */
int sweep_trusted(const struct sweep *sweep, struct sl_err *err);
int sweep_policies_check(const struct sweep *sweep, struct sl_err *err);

/* sweep_claim.c */
enum claimed { CLAIM_MINE, CLAIM_DONE, CLAIM_TAKEN };
struct claim {
	char path[4096]; /* To be removed where the point could not be done. */
	char gone[160];  /* Whose it was that is gone; "": nobody's. */
};
/* Of the point's file and claim. SL_SYSTEM. */
int claim_take(const struct sweep *sweep, const struct point *point, struct claim *claim, enum claimed *is,
	struct sl_err *err);
void claim_drop(const struct claim *claim);
/* Says that the owner lives; call it now and then while a claim is held. */
void claim_touch(const struct claim *claim);
/* Of those who work on other machines: not heard of for so long, they are gone. */
enum { CLAIM_LEASE_S = 180 };
/* How many points are being done just now. */
size_t claims_living(const struct sweep *sweep);
/* All claims of a point. */
void claims_forget(const struct sweep *sweep, const struct point *point);
/* Claims of points that were done long ago. */
void claims_tidy(const struct sweep *sweep);

/* sweep_work.c: does points until there is none left to do: those of its part first, then others'. */
struct sweep_work {
	struct sweep *sweep;
	size_t part, parts;
	int reported; /* A pipe: one byte a point done ('.'), failed ('!'); -1: nobody listens. */
	_Atomic uint64_t
		*at; /* The number of the point that is in work, and 1; 0: none. NULL: nobody asks. */
};
int sweep_work(const struct sweep_work *work, struct sl_err *err);
/* Writes a point down as failed. */
int sweep_point_failed(
	const struct sweep *sweep, size_t number, const struct sl_err *why, struct sl_err *err);

/* sweep_dir.c: a sweep's directory: sweep.json, spec, plan.jsonl, points, claims, traces. */
/* Which file and folder are meant by SPEC or DIR; *dir: set where it was DIR, absolute. SL_USAGE. */
int sweep_find(struct sweep *sweep, const char *word, struct sl_err *err);
/* Begins the directory, or goes on in it. SL_USAGE: it is of another spec; SL_BASELINE: an input changed. */
int sweep_open(struct sweep *sweep, bool force, struct sl_err *err);
/* The ids that the directory has, in place of those that the inputs give now. */
int sweep_recall(struct sweep *sweep, struct sl_err *err);

/* sweep_run.c: workers, their progress. */
int sweep_run(struct sweep *sweep, struct sl_err *err);
int sweep_status(const struct sweep *sweep);
/* What sweep_run would do: how many points there are, and are left. */
int sweep_dry(const struct sweep *sweep, struct sl_err *err);
/* Which part of how many this process does: --shard, or what the engine that started it says. */
int sweep_part(const struct args *args, size_t *part, size_t *parts, struct sl_err *err);

/* sweep_emit.c: a script or manifest for another engine, on stdout. */
int sweep_emit(const struct sweep *sweep, const char *engine, struct sl_err *err);

/* sweep_report.c: points.csv, runs.db, the curves. */
int sweep_report(struct sweep *sweep, struct sl_err *err);

const char *sweep_engine_at(size_t i); /* What --emit may name, for completion; NULL behind the last. */

#endif

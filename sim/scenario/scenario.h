/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario.h - a scenario: files and options become one const input of runs.
 *
 * After scenario_load nothing in it changes; any number of runs, on any number
 * of threads, share it. Rows that make no sense were repaired or dropped and
 * counted by cause, each with the line of the first.
 */
#ifndef SL_SCENARIO_H
#define SL_SCENARIO_H

#include "sim/registry/plugins.h"
#include "sim/registry/replay_params.h"

struct anomaly {
	const char *cause; /* "run time is not positive" */
	bool dropped;      /* Else repaired. */
	bool asked;        /* By replay.drop or replay.change: no anomaly. */
	bool barred;       /* The cluster is the cause: the job may fit on another one. */
	uint64_t count;
	uint64_t line; /* Of the first. */
};

struct scenario_input {
	const char *path, *format;
	const char *packing; /* "gzip", "zstd", "xz", "none" */
	char sha256[65];
	uint64_t bytes;
};

struct header_line {
	const char *key, *value;
};

/* Someone who looks on while the trace is read. Any function may be NULL. */
struct scenario_watch {
	void *self;
	int (*header)(void *self, const char *key, const char *value, struct sl_err *err);
	/* gone: why the row will not be in the replay, or NULL. */
	int (*row)(void *self, const struct sl_row *row, const char *gone, struct sl_err *err);
	int (*setting)(void *self, const struct sl_setting *setting, struct sl_err *err); /* As of sl_sink. */
};

/* Rows from memory, in place of a file: hands each to the sink, as a reader does. */
struct scenario_source {
	void *self;
	size_t rows; /* About so many. */
	int (*read)(void *self, const struct sl_sink *sink, struct sl_err *err);
};

struct scenario_options {
	const char *trace; /* Path, or "-". */
	const struct scenario_source
		*source;     /* NULL: the file is read. Else `trace` is a name in messages. */
	const char *cluster; /* -c: a cluster file; NULL: as the trace's header says. */
	struct settings *settings;
	const struct registry *registry; /* NULL: what is built in. Lent to the scenario. */
	const char *implied; /* Of the replay, by the policy's compat: "passes=event,...", weaker than any
				setting. NULL: nothing. */
	const char *from, *to, *until; /* As given: seconds since zero, durations, or dates; NULL. */
	const char *tz;                /* --tz: "+02:00", seconds, or NULL. */
	uint64_t jobs_max;             /* 0: all. */
	uint64_t seed;                 /* Of the run: replay.fill draws by it. */
	bool strict;
	bool any_machine; /* Where the size of the cluster is not known, cpus is 0: to inspect, not to run.
			   */
	bool identify;    /* scenario.cluster_read is wanted. */
	const struct scenario_watch *watch; /* NULL: no watcher. */
	const _Atomic int *stop;            /* Nonzero: SL_INTERRUPTED soon. NULL: never. */
};

/* The time to resume from a checkpoint: from that size on, so long. */
struct restart_step {
	int64_t from;
	sl_time cost;
};

/* A model that is on, and its parameters. */
struct model_choice {
	const struct sl_model *model;
	struct sl_value *values; /* One for each of its params, in their order; effective. */
	size_t value_count;
	const struct sl_csv_table *const *csv; /* By param: of those of kind SL_PARAM_CSV; else NULL. */
};

struct scenario {
	struct sl_arena *arena;
	const struct registry *registry; /* Lent. */
	struct sl_jobs jobs;
	int64_t cpus;              /* Of the whole cluster. */
	struct sl_cluster cluster; /* node_count 0: a counted pool. */
	struct sim_rules {
		bool pass_per_event; /* replay.passes=event */
		bool submits_first;  /* replay.events=submit_first: before the ends of the same instant. */
		bool early; /* replay.early=1: what ends now by its estimate is free before its end is
			       handled. */
	} rules;
	const struct restart_step *restart; /* replay.restart, sizes ascending. */
	size_t restart_count;
	uint32_t window_size; /* replay.windows: each of so many jobs, from these rows on; */
	const uint32_t *window;
	size_t window_count;
	const char *cpus_from; /* "MaxProcs of the trace", "cluster.cpus" */
	int64_t epoch;         /* Seconds since 1970 of the scenario's zero; 0: unknown. */
	int64_t utc_offset;    /* Seconds; fixed. */
	const char *time_zone; /* TimeZoneString of the trace, unless --tz is given; NULL: it names none. */
	bool dated;            /* The trace's times are dates. */
	enum sl_overrun overrun;
	/* Of the jobs that are replayed: how many run longer than their limit in the trace, and
	 * how many have none, so that their run times stand for it and plans know their ends exactly. */
	uint32_t limits_over, limits_none; /* scenario_had_no_limit: which. */
	bool bounded;                      /* replay.until: runs stop after everything at or before that. */
	sl_time until;
	bool begins;       /* replay.start=recorded: runs begin at that time, with what ran and waited then */
	sl_time begin;     /* (jobs.ran); jobs submitted before are reported as history. */
	const char *tz;    /* As given, or NULL; */
	uint64_t jobs_max; /* 0: all. */
	sl_time warmup;    /* SL_NONE: by MSER-5. */
	sl_time cooldown;
	bool field_metrics;                          /* replay.metrics=field. */
	bool fair_by_policy;                         /* replay.fair_start=policy. */
	struct sl_value *replay;                     /* Effective, as replay_params. */
	const struct sl_gauge *gauge[SL_GAUGES_MAX]; /* replay.gauges: recorded under any policy. */
	uint32_t gauge_count;
	struct scenario_input input;
	struct scenario_input cluster_input; /* path NULL: none. */
	char cluster_read[65]; /* A hash of what was read of its files, settings applied, whatever their
				  comments and order; empty: none was wanted. */
	const char **cluster_setting; /* "nodes[gpu].count+=8", as given, in order. */
	size_t cluster_setting_count;
	const char **ignored; /* What the trace has and nothing models: "column 'gpu_util'". */
	size_t ignored_count;
	struct scenario_input *side; /* Further files: replay.estimates, replay.cancels, replay.commands. */
	size_t side_count;
	const struct sl_command *command; /* replay.commands, by time, then as in the file. */
	size_t command_count;
	struct header_line *header;
	size_t header_count;
	struct anomaly *anomaly; /* Those that came up, in the order of the table in scenario.c. */
	size_t anomaly_count;
	uint64_t rows;                    /* Lines that were jobs, before dropping. */
	struct columns *columns;          /* What `jobs` lends: owned. */
	struct sl_job_attributes *more;   /* The same. */
	const struct model_choice *model; /* replay.models, in the order of the registry. */
	size_t model_count;
	/* replay.fill: jobs that were drawn once more, and left out; the GPUs requested by all, in the
	 * cluster's parts. */
	bool filled;
	uint32_t fill_drawn, fill_removed;
	int64_t fill_asked;
	/* replay.feedback, by row: the preceding job's row (UINT32_MAX: none), and how long after its end it
	 * is submitted. NULL: submissions are as recorded. */
	const uint32_t *follows;
	const sl_time *think;
	uint32_t followers;
	uint32_t
		row_first; /* Of a window, in the whole: what jobs.more calls so many rows more than it is. */
};

int scenario_load(struct scenario *scenario, const struct scenario_options *options, struct sl_err *err);
/* By its row: the log has no limit, so that its run time stands for it. */
bool scenario_exceeds_limit(const struct scenario *scenario, uint32_t row); /* By the log. */
bool scenario_had_no_limit(const struct scenario *scenario, uint32_t row);
void scenario_release(struct scenario *scenario);

/* How long a job of that size (sl_jobs.size) loads a checkpoint. */
sl_time restart_cost(const struct scenario *scenario, int64_t size);

/* The jobs of one window as a scenario of their own, lent from the whole: never released. */
struct scenario scenario_window(const struct scenario *whole, size_t index);

#endif

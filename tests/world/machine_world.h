/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * machine_world.h - an operator's cluster and jobs' requests, for tests: reported to the sinks as a reader of
 * configuration files and one of job logs would.
 */
#ifndef SL_TEST_MACHINE_WORLD_H
#define SL_TEST_MACHINE_WORLD_H

#include "sim/scenario/scenario.h"

/* What the readers are to say; a test is a process of its own, and has one. */
struct machine_world {
	int (*cluster)(const struct sl_cluster_sink *sink, struct sl_err *err);
	const struct sl_row *row;
	size_t row_count;
	bool dated;          /* Times are dates, as of 1970. */
	bool no_file;        /* The cluster is a folder. */
	const char *implied; /* Of the replay, by a policy: "impossible=keep"; NULL: nothing. */
	struct scenario_watch watch;
	/* What comes of it: */
	struct scenario scenario;
	struct sl_err err;
	char why[40][120]; /* By row: why it is not in the replay; "": it is. */
	size_t rows_seen;
};

/* The status of loading it. */
int machine_world_load(struct machine_world *world);
/* Runs it; start: in seconds, by row of the scenario; -1: never. */
int machine_world_run(struct machine_world *world, const char *policy, int64_t *start);
void machine_world_release(struct machine_world *world);

/* A node of so many cpus and MiB, by a list of names. */
int mw_nodes(const struct sl_cluster_sink *sink, const char *hosts, int64_t cpus, int64_t mem,
	const struct sl_hardware *hardware, struct sl_err *err);
int mw_partition(const struct sl_cluster_sink *sink, const struct sl_partition *like, struct sl_err *err);
/* Nothing said but its name and nodes. */
struct sl_partition mw_part(const char *name, const char *nodes);
/* Job number `id`, submitted at `submit` seconds, running 100 s with a limit of 200 s, with that request. */
struct sl_row mw_row(
	int64_t id, int64_t submit, struct sl_row_attributes *more, const struct sl_job_desc *desc);
/* The names of the nodes in a set, between blanks. */
const char *mw_set(const struct sl_cluster *cluster, uint32_t set, char *text, size_t size);

#endif

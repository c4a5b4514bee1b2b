/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.h - the model fabric from inside: the jobs that are on it, what they and the links come to.
 *
 * The net says where a job's flows go, the share how fast they are; here that becomes an iteration's time,
 * and the job's rate: reference / time. Integrals are of integers: bytes a second over microseconds.
 */
#ifndef MODELS_FABRIC_MODEL_H
#define MODELS_FABRIC_MODEL_H

#include "models/fabric/share.h"

/* What a reference of T is taken of. */
enum fabric_reference {
	FABRIC_PLACED, /* The job where it is, alone on the fabric: only others slow it. */
	FABRIC_PACKED  /* The job on as few nodes as hold it, side by side where that is best, alone. */
};

/* With FABRIC_PACKED: no job is faster than so many times its traced speed. */
#define FABRIC_RATE_MOST (4 * SL_SPEED_ONE)

/* How a link was loaded. */
struct fabric_load {
	int64_t now, peak; /* Bytes a second. */
	__int128 sum;      /* Of now, over microseconds. */
	sl_time since;
	sl_time full_since, full_time; /* SL_NONE: it limits nobody. */
};

/* A job that is on the fabric, by its slot in the share. */
struct fabric_client {
	struct fabric_speed speed;
	double reference; /* Seconds of an iteration. */
	int64_t load;     /* Bytes a second of each flow, over whole iterations. */
	uint64_t rate;    /* As the engine knows it; 0: it has to be reported to the engine. */
	sl_time since;
};

/* The best that a job of this shape reaches on nodes side by side. */
struct fabric_packed {
	enum sl_pattern pattern;
	uint32_t dims, nodes, ranks, each;
	double volume, inside, latency, rate; /* Of the path there; rate: alone. */
};

struct fabric_model {
	struct fabric_net *net;
	struct fabric_share *share;
	const struct fabric_link *link;
	uint32_t links;
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	enum fabric_contention contention;
	enum fabric_reference reference;
	enum sl_pattern pattern; /* Of multi-node jobs of which nothing is said, */
	double sens;             /* and communication's share of their iterations; 0: they are not on it. */
	struct fabric_load *load;
	struct fabric_client *client;
	uint32_t clients;
	struct fabric_spot *spot;
	uint32_t spots;
	struct fabric_packed *packed;
	uint32_t packed_count, packed_max;
	struct sim *sim; /* Of the call. */
	/* By job, over all attempts on the fabric, us: held, and worked at the fabric's rate. Each sum is of
	 * whole microseconds, rounded down where the rate changed. */
	sl_time *held, *worked;
	sl_time first, last; /* When somebody first was on it, and when one last left. */
	uint32_t on_it, on_it_most;
	bool failed; /* No memory: reported as the run ends. */
	struct sl_arena *arena;
};

/* ---- Jobs: job.c ------------------------------------------------------------------------------------- */

/* What it does in an iteration; false: it is not on the fabric, wherever it is. */
struct fabric_says {
	enum sl_pattern pattern;
	uint32_t dims;
	double comp, bytes, overlap, gamma;
	double sens; /* > 0: in place of comp and bytes. */
};
bool fabric_says_of(const struct fabric_model *m, sl_job job, struct fabric_says *says);
/* Its nodes and their ranks; 0: it stays in one node, or no memory (m->failed). */
uint32_t fabric_spots_of(struct fabric_model *m, sl_job job, const struct sl_node_tasks *alloc, size_t count);
/* Where its flows go from the nodes of m->spot, its speed there, and its reference. False: no memory. */
struct fabric_there {
	struct fabric_path path; /* Valid until the next question. */
	struct fabric_speed speed;
	double reference; /* Seconds of an iteration. */
};
bool fabric_job_on(struct fabric_model *m, sl_job job, const struct fabric_says *says, uint32_t spots,
	struct fabric_there *there);

/* ---- Links: fabric.c ---------------------------------------------------------------------------- */

void fabric_load_full(struct fabric_load *load, sl_time now, bool full);
/* Up to now. */
void fabric_load_close(struct fabric_load *load, sl_time now);

/* ---- The end: fabric_reported.c ----------------------------------------------------------------- */

int fabric_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);

#endif

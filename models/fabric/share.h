/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share.h - how fast jobs are that share links, and how fast they work for it.
 *
 * A job is one variable: all its flows run at one rate, and it has n of them on a link. Nothing here depends
 * on the order in which jobs came, nor on their rows: sums over jobs are of integers, and jobs that reach
 * the same rate are settled together. What is computed for the part that an event touched is therefore, bit
 * for bit, what all jobs together would give.
 */
#ifndef MODELS_FABRIC_SHARE_H
#define MODELS_FABRIC_SHARE_H

#include "models/fabric/fabric.h"

/* ---- Speed: fabric_speed.c. One iteration of a job. ---------------------------------------------- */

struct fabric_speed {
	double comp;    /* Seconds of compute. */
	double volume;  /* Bytes that each of its flows carries; */
	double fixed;   /* seconds of communication that no link changes: latency, and inside of nodes. */
	double overlap; /* 0..1: of the compute, how much communication may hide behind. */
	double gamma;   /* At least 1: (comp^g + comm^g)^(1/g) in place of overlap. 0: overlap. */
};

/* Seconds: of communication, and of a whole iteration, with flows of `rate` bytes a second. */
double fabric_speed_comm(const struct fabric_speed *speed, double rate);
double fabric_speed_time(const struct fabric_speed *speed, double rate);
/* reference / time as a rate of sl_model_speed, rounded up to 2^-32, at most `most`: so an end that is a
 * whole microsecond is not a microsecond late. */
uint64_t fabric_speed_rate(double reference, double time, uint64_t most);

/* ---- Share: share*.c ------------------------------------------------------------------------------- */

enum fabric_contention {
	FABRIC_BACKLOGGED, /* All communicate all the time: max-min fair rates. */
	FABRIC_MEANFIELD,  /* Of the others, each counts for the share of time in which it communicates. */
	FABRIC_INTERLEAVED /* Jobs take turns as well as can be: a link slows nobody below its capacity. */
};

/* What a job gets. An iteration takes `slowdown` times what it takes with flows of that rate. */
struct fabric_got {
	double rate;     /* Bytes a second of each of its flows. */
	double slowdown; /* 1, but for FABRIC_INTERLEAVED. */
};

struct fabric_share;

/* NULL: no memory. */
struct fabric_share *fabric_share_new(
	const struct fabric_link *link, uint32_t links, enum fabric_contention contention);
void fabric_share_free(struct fabric_share *share);
/* The rate of a job's flows where no other job is: by its NICs, and by links that it fills alone. */
double fabric_share_alone(const struct fabric_share *share, const struct fabric_path *path);
/* A job comes, with its flows, or goes; nothing is computed yet. False: no memory. */
bool fabric_share_add(struct fabric_share *share, uint32_t job, const struct fabric_path *path,
	const struct fabric_speed *speed);
void fabric_share_remove(struct fabric_share *share, uint32_t job);

struct fabric_listener {
	/* In order of rows: jobs that came, and those of which the rate is another than it was. */
	void (*rate)(void *self, uint32_t job, const struct fabric_got *got);
	/* A link began to limit some job, or limits none any more; NULL: nobody asks. */
	void (*full)(void *self, uint32_t link, bool full);
	void *self;
};
/* Computes what changed since. */
void fabric_share_solve(struct fabric_share *share, const struct fabric_listener *listener);
/* What a job would get with these flows, beside all that is there; one that is there already moves. Nothing
 * changes. False: no memory. */
bool fabric_share_predict(struct fabric_share *share, uint32_t job, const struct fabric_path *path,
	const struct fabric_speed *speed, struct fabric_got *got);

/* A number of each job that is there, below the most that were there at once; UINT32_MAX: it is not. */
uint32_t fabric_share_slot(const struct fabric_share *share, uint32_t job);
struct fabric_got fabric_share_got(const struct fabric_share *share, uint32_t job); /* As last solved. */
/* Its flows, as added; valid until the next call that adds. */
const struct fabric_use *fabric_share_uses(const struct fabric_share *share, uint32_t job, uint32_t *uses);

bool fabric_share_is_full(const struct fabric_share *share, uint32_t link); /* It limits some job. */

/* Work that was done: how often something was computed, over how many jobs and links. */
struct fabric_effort {
	uint64_t solves, jobs, links;
	uint32_t jobs_most;
};
struct fabric_effort fabric_share_effort(const struct fabric_share *share);

#endif

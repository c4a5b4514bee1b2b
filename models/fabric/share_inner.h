/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share_inner.h - what the files of the share know of each other: jobs, links, and the part to be solved.
 *
 * A link is active while the most rate that its jobs could use of it together is more than it has; others
 * limit nobody and are left out. A job's flows stand side by side in a pool; each is tied into the list of
 * its link, so that both coming and going cost what the job uses.
 *
 * The two directions of a cable are mostly used alike. Neighbours in the table of the same capacity are
 * twins; while every job has as many flows on one as on the other, the second says nothing that the first
 * does not, and is left out.
 */
#ifndef MODELS_FABRIC_SHARE_INNER_H
#define MODELS_FABRIC_SHARE_INNER_H

#include "models/fabric/share.h"

#define SHARE_NOT UINT32_MAX
enum { SHARE_CLASSES = 32 };

/* A flow's place in the list of its link. */
struct share_tie {
	uint32_t next, before; /* Of the pool; SHARE_NOT: none. */
	uint32_t slot;
};

struct share_job {
	uint32_t row, first, uses; /* Its flows: pool[first..first + uses). */
	uint32_t mark;             /* Of the part that is solved, if it is the epoch; */
	uint32_t step, steps;      /* there, what it does to links. */
	bool here, fixed;
	double cap; /* Its rate alone. */
	int64_t cap_up;
	struct fabric_got got, fresh; /* got.rate 0: nothing yet. */
	int64_t load;                 /* Bytes a second that a flow carries over a whole iteration alone. */
	int64_t duty;                 /* Share of its time in which it communicates, in 2^-32. */
	struct fabric_speed speed;
};

struct share_link {
	double capacity;
	__int128 bound, wanted; /* Bytes a second: what it has, and the most that its jobs could use. */
	uint32_t head;          /* Of its list of flows. */
	uint32_t mark, part;    /* Of the part that is solved, if mark is the epoch: its number there. */
	uint32_t twin;          /* The other one; SHARE_NOT: none. */
	uint32_t uneven;        /* Of a second twin: jobs that do not use both alike. */
	bool never, dirty, full, fresh_full;
};

/* A link of the part. */
struct share_active {
	uint32_t link;
	uint32_t place; /* In the heap; SHARE_NOT: not there. */
	bool full;
	/* Of progressive filling: what is left, for how many flows, and of those settled in this round. */
	double left;
	int64_t open, fixing;
	__int128 sum; /* Of the other modes: what its jobs weigh, in 2^-32 of a flow, or could use, in bytes a
			 second. */
};

/* A flow of a job of the part, on a link of the part. */
struct share_step {
	uint32_t link; /* By its number in the part. */
	int64_t flows;
};

struct share_level {
	double level;
	uint32_t row; /* A job's slot; a link's number in the part. */
};

struct fabric_share {
	enum fabric_contention contention;
	uint32_t links;
	struct share_link *link;
	bool *active;      /* By link: it may be full, and is no second of twins. */
	uint32_t *slot_of; /* By row. */
	uint32_t rows;
	struct share_job *job;
	uint32_t slots, slots_max, *free_slot, free_slots;
	struct fabric_use *use;
	struct share_tie *tie;
	uint32_t pool, pool_max;
	uint32_t free_block[SHARE_CLASSES]; /* Blocks of 2^i flows, linked by tie.next. */
	uint32_t epoch;
	uint32_t *dirty, dirties; /* Links that lost a job while they were active. */
	uint32_t *seed, seeds, seeds_max;
	/* The part that is solved. */
	uint32_t *part, parts; /* Jobs, by slot; */
	struct share_active *part_link;
	uint32_t part_links;     /* links that are active; */
	struct share_step *step; /* what jobs do to links, job by job. */
	uint32_t steps;
	struct share_level *link_heap, *job_heap;
	uint32_t link_heaped, job_heaped;
	uint32_t *touched, touches; /* Links, in a round. */
	uint32_t *row_changed;
	struct fabric_effort effort;
};

/* Each computes `fresh` of the part's jobs and `full` of its links. */
void share_fill(struct fabric_share *share);
void share_meanfield(struct fabric_share *share);
void share_interleave(struct fabric_share *share);

#endif

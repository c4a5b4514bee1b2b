/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_bf.h - the backfill's plan: consecutive slots of time with the nodes that may be used in each
 * (CLAUSES.md 3).
 */
#ifndef POLICIES_SLURM_CTL_BF_H
#define POLICIES_SLURM_CTL_BF_H

#include "policies/slurm/control/ctl_place.h"

/* [begin, end). They touch, in the order of next; index 0 is the first, and ends the list where it is next.
 */
struct ctl_slot {
	ctl_time begin, end;
	uint64_t *nodes;
	int64_t *licenses; /* By licence: how many are left. */
	uint32_t next;
};

struct ctl_slots {
	struct ctl *c;
	size_t words;
	struct ctl_slot *slot;
	uint64_t *asked; /* What ctl_slots_and was given. */
	uint32_t count;  /* Ever made in this pass: what bf_node_space_size bounds. */
	uint32_t capacity;
	ctl_time window_end;
	/* Time alone changes nothing that was read of the plan before then. */
	ctl_time still_until;
};

/* The last component of a heterogeneous job that is planned in a partition (deadlock_job_struct_t). */
struct ctl_het_late {
	const struct ctl_het *het;
	uint32_t part;
	ctl_time start;
};

struct ctl_bf {
	struct ctl_slots slots;
	/* By job: what this pass plans for it; CTL_NONE: nothing yet. */
	ctl_time *planned;
	/* By user, partition, both, association: how many of theirs were tried. */
	uint32_t *by_user, *by_part, *by_user_part, *by_assoc;
	uint32_t *reserved;     /* By partition: reservations of the pass. */
	uint32_t first_planned; /* The first job of this pass that could not start; CTL_NO_ROW: none yet. */
	int64_t tries, started;
	bool owners;          /* Some partition, or some job, has nodes for one user alone. */
	ctl_time still_until; /* A pass over the same state would do the same before then. */
	/* ctl_het_bf.c's, of this pass: heterogeneous jobs, in the order in which they were met; where they
	 * are planned, the latest first; and sets of nodes. */
	struct ctl_het **het;
	struct ctl_het_late *late;
	uint32_t het_count, late_count;
	size_t late_capacity;
	uint64_t *het_nodes, *het_used;
	/* For benchmarks: */
	uint64_t passes, tests, slots_made, jobs_looked;
};

/* Minutes up to so many that a job which starts now may run on its nodes before the plan has others there. */
int64_t ctl_bf_stretched(struct ctl *c, const struct ctl_job *job, int64_t minutes);

/* ---- ctl_het_bf.c */
int ctl_het_bf_make(struct ctl *c, struct sl_err *err);
void ctl_het_pass_begin(struct ctl *c); /* Before the queue is sorted. */
void ctl_het_pass_end(struct ctl *c);   /* Those that can, start. */
/* A component is looked at. *from: it starts no sooner; false: another component has no place. */
bool ctl_het_enter(struct ctl *c, struct ctl_job *job, ctl_time *from);
/* It could start at that time, for so many minutes, on so many nodes. */
void ctl_het_planned(struct ctl *c, struct ctl_job *job, ctl_time at, int64_t minutes, int64_t nodes);
void ctl_het_try(struct ctl *c, const struct ctl_job *job); /* bf_hetjob_immediate */
/* _het_job_deadlock_test(): with that start it would wait for a job that waits for it. */
bool ctl_het_deadlocks(struct ctl *c, const struct ctl_job *job, ctl_time at);

/* One slot from now to the end of the window, of these nodes. False: no memory. */
bool ctl_slots_begin(struct ctl_slots *s, ctl_time now, ctl_time window_end, const uint64_t *nodes);
/* Removes from nodes what any slot over [start, end] lacks. Returns when to try again: when the first slot
 * that goes beyond start ends, and the next has nodes that it has not; from 24.11 on else when the second
 * slot behind end ends, unless it is the last; CTL_NEVER: never. */
ctl_time ctl_slots_and(struct ctl_slots *s, ctl_time start, ctl_time end, ctl_time now, uint64_t *nodes);
/* Some slot between them lacks one of the nodes. */
bool ctl_slots_overlap(const struct ctl_slots *s, ctl_time start, ctl_time end, const uint64_t *nodes);
/* The nodes (and licences: by licence; NULL: none) are in use from start to end. */
bool ctl_slots_take(
	struct ctl_slots *s, ctl_time start, ctl_time end, const uint64_t *nodes, const int64_t *licenses);
/* When the last slot over [start, end] ends that lacks some of those licences; CTL_NONE: none does. */
ctl_time ctl_slots_licensed(const struct ctl_slots *s, ctl_time start, ctl_time end, const int64_t *licenses);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv.h - advance reservations, as slurmctld keeps them: shared by the files ctl_resv*.c.
 *
 * One that was deleted keeps its row, so that rows in jobs stay what they were.
 */
#ifndef POLICIES_SLURM_CTL_RESV_H
#define POLICIES_SLURM_CTL_RESV_H

#include "policies/slurm/control/ctl_bits.h"

enum resv_flag {
	RESV_MAINT = 1 << 0,
	RESV_IGNORE_JOBS = 1 << 1,
	RESV_FLEX = 1 << 2,
	RESV_HOURLY = 1 << 3,
	RESV_DAILY = 1 << 4,
	RESV_WEEKDAY = 1 << 5,
	RESV_WEEKEND = 1 << 6,
	RESV_WEEKLY = 1 << 7,
	RESV_OVERLAP = 1 << 8,
	RESV_ANY_NODES = 1 << 9,
	RESV_PURGE_COMP = 1 << 10,
	RESV_REPLACE = 1 << 11,
	RESV_REPLACE_DOWN = 1 << 12,
	RESV_STATIC = 1 << 13,
	RESV_TIME_FLOAT = 1 << 14,
	RESV_NO_HOLD = 1 << 15,
	RESV_PART_NODES = 1 << 16,
	RESV_SPEC_NODES = 1 << 17,
	RESV_ALL_NODES = 1 << 18,
	RESV_FIRST_CORES = 1 << 19,
	RESV_MAGNETIC = 1 << 20,
	RESV_REPEATS = RESV_HOURLY | RESV_DAILY | RESV_WEEKDAY | RESV_WEEKEND | RESV_WEEKLY
};

enum {
	RESV_YEAR = 365 * 24 * 60 * 60, /* Slurm's "for ever", seconds. */
	RESV_PURGE = 300                /* PURGE_COMP without a time. */
};
#define RESV_FAR (INT64_MAX / 4) /* The end of one without end: sums with it stay times. */

struct resv {
	const char *name;
	unsigned flags;
	ctl_time start, end; /* TIME_FLOAT: start is so many seconds ahead of now. */
	int64_t duration;    /* Minutes; CTL_NONE: it has an end instead; CTL_NEVER: without end. */
	uint64_t *nodes;     /* NULL: none (ANY_NODES). */
	uint64_t *cores;     /* Of them, by CoreCnt (a set of select_core_words); NULL: they are its whole. */
	struct select_kept_gres *gres; /* Of their nodes, by TRES. */
	uint32_t gres_count;
	uint32_t node_count;
	uint32_t part;                                      /* Its nodes are of; CTL_NO_ROW: not set. */
	const char *users, *accounts, *licenses, *features; /* As in the file; NULL: none. */
	const char *groups;                                 /* Whose members are its users. */
	const char *parts, *qos;                            /* AllowedPartitions, QOS. */
	int64_t purge;                                      /* Seconds without jobs, of PURGE_COMP. */
	int64_t max_start_delay;                            /* Seconds. Reported, not modelled. */
	ctl_time idle_since;                                /* Of PURGE_COMP; CTL_NONE. */
	bool began, ended, over; /* began, over: as the look each 5 s has seen it. */
	bool deleted;
};

struct ctl_resvs {
	struct resv *item;
	uint32_t count, capacity;
	uint32_t live;   /* Not deleted. */
	uint32_t made;   /* For generated names. */
	uint64_t *a, *b; /* Scratch. */
	uint64_t *kept;  /* ctl_resv_cores; */
	bool keeps;      /* if it says any. */
	struct select_kept_gres *kept_gres;
	uint32_t kept_gres_count, kept_gres_capacity;
	size_t words;
	uint64_t nodes_checked; /* node_changes, when nodes were last replaced. */
	ctl_time looked;        /* The last tick of 30 s that was made. */
	int64_t over_run;       /* ResvOverRun, seconds. */
};

/* A reservation's node request, for resv_pick. */
struct resv_want {
	unsigned flags;
	ctl_time start, end;
	uint32_t nodes;
	const char *features;
	const uint32_t *cores; /* CoreCnt, */
	uint32_t core_counts;  /* so many numbers; 0: not said. */
	/* TRES=gres/...: whole nodes, if neither is said, nor cores. */
	const char *gpus, *gres; /* Of all, as --gpus; of each node, as --gres. NULL: none. */
	bool per_node;           /* TRESPerNode: cores are of each node, too. */
};

enum { RESV_CORE_COUNTS = 256 };

/* What a reservation has of its nodes (resv_pick_cores). */
struct resv_parts {
	uint64_t *nodes, *cores;       /* cores: a set of select_core_words. */
	struct select_kept_gres *gres; /* SELECT_GRES_KINDS */
	uint32_t gres_count;
};

/* ctl_resv.c, ctl_resv_make.c */
struct resv *resv_named(const struct ctl *c, const char *name, size_t len); /* NULL: none. */
bool resv_users_mixed(const char *list); /* Some with a minus, some without. */
/* The job has started in it: of REPLACE its nodes go to it, and others come in their place
 * (job_claim_resv()). */
void ctl_resv_claim(struct ctl *c, const struct ctl_job *job);
/* When it is in force, seen from now (_get_rel_start_end()). */
void resv_range(const struct ctl *c, const struct resv *r, ctl_time *start, ctl_time *end);
struct resv *resv_new(struct ctl *c); /* NULL: no memory. */
unsigned resv_flags_of(const char *text, size_t len, int64_t *purge);
void resv_flags_put(
	unsigned flags, char *text, size_t size); /* "MAINT,SPEC_NODES"; what does not fit is cut. */
/* What runs or is suspended in it. */
uint32_t resv_running(const struct ctl *c, const struct resv *r);

/* ctl_resv_time.c */
/* One that repeats goes on to its next time once it is over (_advance_resv_time()). False: it does not
 * repeat. */
bool resv_advance(const struct ctl *c, struct resv *r);
void resv_delete(struct ctl *c, struct resv *r);
/* Nodes that are down or drained (REPLACE: or busy) are replaced, where there are others
 * (_validate_node_choice()). */
void resv_nodes_renew(struct ctl *c, struct resv *r);

/* Nodes of reservations that are in force are flagged, for reports. */
void resv_table(struct ctl *c);

/* ctl_resv_pick.c */
/* Nodes for a reservation out of set (in/out), slurmctld's _select_nodes(). False: none are available. */
bool resv_pick(struct ctl *c, const struct resv_want *want, uint64_t *set);
/* The same by CoreCnt and GRES: its parts of nodes of the set parts->nodes (select's resv_test()). listed:
 * that is the set of Nodes=, all of which are to be its. */
bool resv_pick_cores(struct ctl *c, const struct resv_want *want, bool listed, struct resv_parts *parts);
/* It would overlap another one, by _resv_overlap(). self: not this one; NULL: none. */
bool resv_overlaps(
	const struct ctl *c, const struct resv_want *want, const uint64_t *nodes, const struct resv *self);
/* Jobs run there beyond its start; name: those in it do not matter; NULL. */
bool resv_meets_jobs(
	const struct ctl *c, const struct resv_want *want, const uint64_t *nodes, const struct resv *self);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_node.h - slurmctld's node state beside what runs there: shared by ctl_node and ctl_power.
 */
#ifndef POLICIES_SLURM_CTL_NODE_H
#define POLICIES_SLURM_CTL_NODE_H

#include "policies/slurm/control/ctl.h"

/* As an operator set it. */
enum node_flag {
	NODE_DOWN = 1,
	NODE_DRAIN = 2,
	NODE_FAIL = 4,
	NODE_OUT = 8,    /* FUTURE, or in maintenance from the beginning: not there. */
	NODE_MAINT = 16, /* A reservation for maintenance has begun; */
	NODE_RESV = 32,  /* any reservation. Both are only reported. */
	NODE_UP_ASKED = 64,
	NODE_DOWN_ASKED = 128 /* To be powered up, down, whatever its idle time. */
};

enum node_power { POWER_ON, POWER_GOING_DOWN, POWER_OFF, POWER_BOOTING };

struct ctl_node {
	unsigned flags;
	enum node_power power;
	uint32_t jobs;        /* Jobs allocated some of it. */
	uint32_t completing;  /* Jobs that have ended, and whose epilog is not done. */
	int64_t cpus;         /* Allocated to them. */
	uint32_t outages;     /* Of the files and of models, in force: down, */
	uint32_t closures;    /* and drained. */
	bool failed, kept;    /* A model has it down, drained: counted there too. */
	ctl_time idle_since;  /* last_busy; CTL_NONE: does not count. */
	ctl_time power_asked; /* When its power down, or its boot, was ordered. */
	ctl_time boots;       /* POWER_BOOTING: up then. */
	ctl_time returns;     /* Down, by itself up again then; CTL_NEVER. */
	const char *reason;
};

/* A window that begins or ends. */
struct node_interval {
	ctl_time at;
	uint32_t window;
	bool begins;
};

struct ctl_nodes {
	struct ctl_node *node;
	uint64_t *avail, *up;
	uint64_t *scratch;
	size_t words;
	struct node_interval *interval;
	size_t interval_count, interval_done;
	int64_t return_to_service; /* ReturnToService: 0, 1, 2. */
	int64_t ping;              /* Seconds; 0: never. */
	ctl_time returns;          /* The first of those. */
};

/* No job is on it, nor leaves it (idle_node_bitmap). */
static inline bool node_is_idle(const struct ctl_node *node) { return !node->jobs && !node->completing; }
/* avail and up follow from the node's state; pending jobs see a change. */
void node_settle(struct ctl *c, uint32_t node);
/* Jobs on these nodes end, or go back into the queue (kill_running_job_by_node_name()). True: there were
 * some. */
bool node_fail_jobs(struct ctl *c, const uint64_t *nodes);
/* The names of a list into set; "ALL": all. False: one of them is no node (the others are set). */
bool node_list(const struct ctl *c, const char *text, size_t len, uint64_t *set);
/* slurm.conf's number; text that is none, or not set: otherwise. "INFINITE" and "UNLIMITED": CTL_NEVER. */
int64_t node_conf_number(const struct ctl *c, const char *key, int64_t otherwise);
/* ctl_power.c is to look at the nodes: something has changed (last_node_update). */
void power_note(struct ctl *c);

#endif

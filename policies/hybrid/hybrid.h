/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid.h - the policy `hybrid`: Slurm and Kubernetes on one pool of nodes, each with its own real policy.
 *
 * Each job is one side's, for good; each node is one side's at a time. A side never gets events of the
 * other's jobs, and the other's nodes are masked for it as drained. A node changes sides only while it is
 * empty: it is unavailable on both for a time between. What is counted here (busy nodes, waiting jobs) is
 * read anew in each pass from the engine, so that a rerun pass counts the same.
 */
#ifndef POLICIES_HYBRID_H
#define POLICIES_HYBRID_H

#include "sim/plugin.h"

enum hybrid_side { HYBRID_SLURM, HYBRID_KUBE, HYBRID_SIDES };
enum hybrid_share { HYBRID_STATIC, HYBRID_MOVE, HYBRID_PODS };

enum hybrid_phase {
	HYBRID_HERE,
	HYBRID_DRAINING, /* Unavailable, and not empty yet. */
	HYBRID_MOVING    /* Unavailable on both sides until `ready`. */
};

struct hybrid_node {
	uint8_t owner, home; /* Its side, and the one at the beginning. */
	uint8_t phase;
	bool busy;
	sl_time idle_since;  /* SL_NONE: busy. */
	sl_time ready, kill; /* Of a move: then it is the other's; then its jobs are requeued. SL_NEVER. */
	size_t move;         /* Its latest row of moves. */
};

struct hybrid_move {
	sl_time at, left, came; /* Decided; empty and off; the other's. SL_NONE: not yet. */
	uint32_t node;
	uint8_t from;
	const char *why;
};

/* What a side is at, from one pass to the next. */
struct hybrid_state {
	uint32_t nodes, busy, waiting,
		idle_wanted; /* idle_wanted: idle, and of use to jobs that wait on the other side. */
};

struct hybrid_point {
	sl_time at;
	uint8_t side;
	struct hybrid_state state;
};

struct hybrid_child {
	const struct sl_policy *policy;
	void *state;
	uint8_t *unavailable; /* By node, as sl_node_mask reads it. */
};

struct hybrid {
	struct sl_arena *arena;
	const struct sl_cluster *cluster;
	const struct sl_jobs *jobs;
	struct hybrid_child child[HYBRID_SIDES];
	uint8_t *side;    /* By job: enum hybrid_side. */
	uint8_t *foreign; /* By job, of Slurm; kept for the run. */
	uint8_t *native;  /* By job, of Kubernetes. */
	struct hybrid_node *node;
	struct hybrid_move *move;
	size_t move_count, move_capacity;

	/* Parameters. */
	enum hybrid_share share;
	sl_time every, idle_for, delay, grace, boot, stop, series_every;
	int64_t min[HYBRID_SIDES];
	bool drain, evict_busy;
	int64_t pods_priority;

	/* What fits where, of empty nodes: by request and type of node, nodes of that type a job needs; 0: it
	 * cannot be there. Made when it is asked for first; needs_known by request. */
	uint32_t *needs;
	bool *needs_known;
	int64_t *priority; /* By job of Kubernetes; SL_NONE: not looked up yet. */
	uint32_t *part_of; /* By the trace's partition: the cluster's, or UINT32_MAX. */
	uint32_t part_default, part_names;

	/* Jobs of Kubernetes that came at this instant, for the pass of that number. */
	uint32_t *fresh;
	size_t fresh_count, fresh_capacity;
	uint64_t fresh_pass;

	sl_time armed; /* The next look of its own; SL_NEVER: none. */
	sl_time *first_start;
	sl_time counted; /* Until then sums are complete. SL_NONE: nothing was. */
	struct hybrid_state now[HYBRID_SIDES];
	uint32_t moving;
	/* Sums, node-microseconds. */
	__int128 held_us[HYBRID_SIDES], busy_us[HYBRID_SIDES], wanted_us[HYBRID_SIDES], moving_us;
	__int128 cpus_us[HYBRID_SIDES],
		cpus_busy_us[HYBRID_SIDES]; /* cpu-microseconds, in the engine's parts. */
	int64_t cpus[HYBRID_SIDES], cpus_busy[HYBRID_SIDES];
	struct hybrid_point *point;
	size_t point_count, point_capacity;
	sl_time point_next[HYBRID_SIDES];
	struct hybrid_state point_last[HYBRID_SIDES];
	bool *type_idle; /* Scratch, by type. */
	uint32_t *idle_of, *pick;
	uint32_t *seen, stamp; /* By request. */
	struct sl_err err;
};

/* The child gets the event, under its node mask. */
void hybrid_report_child(
	struct hybrid *h, struct sl_pass *pass, enum hybrid_side side, const struct sl_event *event);

/* ---- hybrid_sides.c: the side of a job, of a node -------------------------------------------- */

struct hybrid_rules {
	const char *partitions, *accounts, *users; /* Kubernetes', "a,b"; NULL. */
	const char *slurm_nodes, *kube_nodes;      /* Lists of hosts; NULL. */
};
int hybrid_sides_jobs(struct hybrid *h, const struct hybrid_rules *rules, struct sl_err *err);
int hybrid_sides_nodes(struct hybrid *h, const struct hybrid_rules *rules, struct sl_err *err);

/* ---- hybrid_need.c: jobs that wait for nodes, and which would help --------------------------- */

int hybrid_need_make(struct hybrid *h, struct sl_err *err);
/* Nodes of that type that the job needs when they are empty; 0: it cannot run there. */
uint32_t hybrid_needs(struct hybrid *h, uint32_t job, uint32_t type);
/* It waits, and for nodes: not for quota, a time, an operator. */
bool hybrid_waits_for_nodes(const struct sl_pass *pass, sl_job job);
int64_t hybrid_priority(struct hybrid *h, uint32_t job);

/* ---- hybrid_share.c: nodes that change sides ------------------------------------------------- */

/* What is due by now, and the rule's look at both queues. The time of the next; SL_NEVER: not unless
 * something happens. */
sl_time hybrid_share_look(struct hybrid *h, struct sl_pass *pass, sl_time now);
/* When to look after something has happened. */
sl_time hybrid_share_after(const struct hybrid *h, sl_time now);

/* ---- hybrid_series.c: what is counted, and reported ------------------------------------------ */

void hybrid_count(struct hybrid *h, struct sl_pass *pass);
int hybrid_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err);

#endif

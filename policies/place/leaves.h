/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leaves.h - placements by leaf switch: what is free of each node, and which nodes a job could have.
 *
 * The leaves are those of the model that knows of any (fabric); without one, of the cluster's switches;
 * without any, nodes_per_leaf nodes in a row, as the cluster's section "fabric" says (default 16).
 */
#ifndef SL_LEAVES_H
#define SL_LEAVES_H

#include "policies/place/place.h"

/* For sorting: the least goes first, ties the lowest row. */
struct ranked {
	uint64_t first, second;
	uint32_t row;
};

/* A job's allocation, and below it what it had before and may get back. */
struct leaves_held {
	struct leaves_held *below;
	uint32_t count;
	bool crosses; /* It is on several leaves. */
	struct sl_node_alloc node_alloc[];
};

enum leaves_way { LEAVES_BEST, LEAVES_FEWEST, LEAVES_NODES, LEAVES_QUIET, LEAVES_SPREAD, LEAVES_WAYS };

struct leaves {
	const struct sl_cluster *cluster;
	const struct sl_jobs *jobs;
	struct sl_pass *sim;
	struct sl_arena *arena;
	unsigned ways; /* Bit i: enum leaves_way. */
	uint32_t leaf_count, kinds, types;
	uint32_t *leaf;  /* By node. */
	uint32_t *first; /* By leaf: its nodes are by_leaf[first[leaf]] to by_leaf[first[leaf + 1]],
			    ascending. */
	uint32_t *by_leaf;
	int64_t *free;                     /* By node, kind. */
	uint32_t *across;                  /* By leaf: nodes of jobs that cross leaves. */
	struct leaves_held **now, **given; /* By job. */
	uint32_t *gave;                    /* Jobs with an entry in `given`. */
	size_t gave_count;
	/* Of the question: */
	const struct sl_group *group;
	uint32_t most;    /* Tasks on one node. */
	uint32_t *holds;  /* By node: tasks of the group that would fit. */
	uint64_t *sum;    /* By leaf: tasks that fit its nodes. */
	uint32_t *order;  /* Of leaves. */
	uint32_t *within; /* As by_leaf, in the order in which nodes of a leaf are chosen. */
	uint32_t *next;   /* By leaf: the next of these. */
	struct ranked *rank;
	int64_t *amount; /* By kind. */
	struct sl_node_tasks *alloc, *best;
	uint32_t allocs, leaves_used, left;
	struct sl_node_alloc *node_alloc;
	uint32_t *gpus; /* By node allocation and type. */
};

/* Accounting (leaves_accounting.c). */
int leaves_new(struct leaves **made, const struct sl_setup *setup, unsigned ways, struct sl_err *err);
void leaves_release(void *state);
/* Nodes of each leaf: models are made after allocators, so read at the first request. */
void leaves_know(struct leaves *l);
void leaves_take(void *state, sl_job job);
void leaves_untake(void *state, sl_job job);
void leaves_give(void *state, sl_job job);
void leaves_restore(void *state, sl_job job);
void leaves_forget(void *state);
size_t leaves_held_by(void *state, sl_job job, const struct sl_node_alloc **node_alloc);
/* How many tasks of the group fit on the node by themselves. */
uint32_t leaves_fit(const struct leaves *l, uint32_t node, const struct sl_group *group);
/* What so many tasks of a group need of a node, by kind into amount[]; false: it has not so much free. */
bool leaves_amounts(
	const struct leaves *l, uint32_t node, const struct sl_group *group, uint32_t tasks, int64_t *amount);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_world.h - small clusters of nodes for tests, without files: node types, windows and jobs of task
 * groups in, a run and the nodes that each job was allocated out.
 */
#ifndef SL_TEST_NODE_WORLD_H
#define SL_TEST_NODE_WORLD_H

#include "sim/run/sim.h"

enum {
	NW_NODES = 12,
	NW_KINDS = 5,
	NW_WINDOWS = 4,
	NW_JOBS = 24,
	NW_GROUPS = 3,
	NW_PARTS = 64,
	NW_SETS = 4,
	NW_DEVICES = 16, /* Of a node at most. */
	NW_PROFILES = 3
};

struct nw_alloc {
	uint32_t node, group, tasks;
};

/* Times in seconds. */
struct nw_job {
	int64_t submit, run, limit;
	int32_t user;
	int32_t partition; /* 0: none. */
	uint32_t gang;     /* Jobs of one gang start together; 0: of none. */
	uint32_t group_count;
	struct sl_group group[NW_GROUPS];
};

struct nw_window {
	int64_t from, until;
	uint32_t nodes; /* Bit i: node i. */
};

struct node_world {
	uint32_t nodes, kinds; /* kinds: cpus, memory, types of GPU. */
	int64_t amount[NW_NODES][NW_KINDS];
	uint32_t windows;
	struct nw_window window[NW_WINDOWS];
	uint32_t set_nodes[NW_SETS]; /* Bit i: node i; the first of them is not looked at: all. */
	uint32_t count;
	struct nw_job job[NW_JOBS];
	enum sl_overrun overrun;
	int64_t unit;     /* Microseconds in the scenario's second; 0: a million. */
	int64_t offset;   /* Added to every time. */
	int64_t id_first; /* Ids go down from there; 0: up from 1. */
	bool spare_type;  /* One more type, of which there is a node, behind all others, which no job can use.
			   */
	bool types_apart; /* Like nodes are of different types all the same. */
	int64_t gpu_parts; /* Of GPUs there are so many of these, and each is listed. 0: they are counted. */
	bool divided;      /* The last GPU of each type is, of those that are listed. */
	int64_t parts;     /* Of cpus likewise; 0: wholes. */
	const struct model_choice *model; /* That are on. */
	size_t model_count;
	const struct sl_profile *profile; /* Of job i: profile[i + 1]; NULL: no job has one. */

	/* The rest belongs to node_world_run. */
	int64_t id[NW_JOBS];
	sl_time submit[NW_JOBS], run[NW_JOBS], limit[NW_JOBS], wait[NW_JOBS];
	int32_t size[NW_JOBS], none[NW_JOBS], partition[NW_JOBS], user[NW_JOBS], gang[NW_JOBS];
	uint32_t profile_of[NW_JOBS], request[NW_JOBS], node_type[NW_NODES + 1];
	struct sl_request asked[NW_JOBS];
	struct sl_node_type type[NW_NODES + 1];
	struct sl_device device[NW_NODES][NW_DEVICES];
	struct sl_window sl_window[NW_WINDOWS];
	uint32_t window_node[NW_WINDOWS][NW_NODES];
	uint64_t set_types[NW_SETS];
	struct sl_node_set node_set[NW_SETS];
	struct scenario scenario;
	struct policy_choice choice;
	struct nw_watch {
		struct sl_policy policy; /* The chosen one, */
		const struct sl_policy *inner;
		struct node_world *world;
	} watch;                       /* watched. */
	uint32_t alloc_count[NW_JOBS]; /* Each job's allocation at its start, by (node, group). */
	struct nw_alloc alloc[NW_JOBS][NW_PARTS];
	char wrong[200]; /* What an audit after each pass found first; "": nothing. */
	struct sl_arena *arena;
	struct sim_run sim;
	struct sl_err err;
};

/* Runs a policy as -p would name it; jobs must be in submit order. Returns the status. */
int node_world_run(struct node_world *world, const char *policy, bool check);
void node_world_release(struct node_world *world);
/* By the engine's nodes: could the job ever run? */
bool node_world_could_keep(struct node_world *world, uint32_t job);
/* In the scenario's seconds; -1: never. */
int64_t node_world_start(const struct node_world *world, uint32_t job);
int64_t node_world_end(const struct node_world *world, uint32_t job);
/* As a C initializer would have it, close enough to be typed in. */
void node_world_describe(const struct node_world *world, char *text, size_t size);

#endif

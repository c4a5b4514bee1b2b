/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * net.h - a net from inside: a forest of switches over the nodes, what joins its tops, and its links.
 *
 * Whatever the topology, nodes stand in one order (`position`) in which those below any switch are
 * neighbours. The nodes of a job, sorted by it, are then an interval below each switch that it uses, and all
 * that a switch asks of a pattern is how many flows leave an interval, and how many enter.
 */
#ifndef MODELS_FABRIC_NET_H
#define MODELS_FABRIC_NET_H

#include "models/fabric/fabric.h"

#define NET_NONE UINT32_MAX

enum { NET_LEVELS_MAX = 8, NET_STATIC_NODES = 4096, NET_LINKS_MAX = 4 << 20 };

enum net_topology {
	NET_TREE,
	NET_XGFT,
	NET_FAT_TREE,
	NET_RAIL,
	NET_DRAGONFLY,
	NET_DRAGONFLY_PLUS,
	NET_SWITCHES,
	NET_TOPOLOGIES
};

enum net_routing { NET_ADAPTIVE, NET_DMODK, NET_MINIMAL, NET_VALIANT };

/* A list of numbers in millionths, level by level, from the leaves upwards. */
struct net_list {
	int64_t micro[NET_LEVELS_MAX];
	uint32_t count;
};

/* What the cluster's file and the model's parameters say. Rates are bytes a second, of one cable, after what
 * protocols take; 0: not said; INT64_MAX: without bound. */
struct net_config {
	enum net_topology topology;
	enum net_routing routing;
	bool routed; /* Somebody said how. */
	int64_t rate, uplink_rate, nvlink;
	int64_t nics;       /* Of a node; 0: by its type. */
	int64_t efficiency; /* Millionths. */
	int64_t nodes_per_leaf, levels, segments;
	struct net_list groups, up_cables, oversubscription;
	struct net_list xgft_m, xgft_w, xgft_p;
	int64_t k;                                          /* Of a k-ary fat tree. */
	int64_t leaves_per_su, radix;                       /* Of rails. */
	int64_t hosts, routers, globals, groups_of, spines; /* Of dragonflies: p, a, h, g; leaf and spine. */
	double alpha_net, alpha_nvlink, hop;                /* Seconds. */
	bool chain;                                         /* Broadcasts go from node to node. */
};

/* What the cluster's file says last, as of sl_setting_of, with its place; NULL: nothing. */
const struct sl_setting *net_setting(
	const struct sl_cluster *cluster, const char *kind, const char *name, const char *key);
int net_config_read(struct net_config *config, const struct sl_model_setup *setup, struct sl_err *err);
/* A rate by name or number ("NDR", "400 Gb/s", "infinite"), of a cable, before protocols. False: it is none.
 */
bool net_rate_of(const char *text, int64_t *bytes);

/* A switch, or what is pooled to act as one. */
struct net_switch {
	char *name;
	uint32_t parent;   /* NET_NONE: on top. */
	uint32_t level;    /* 1: of leaves; above all that hang on it. */
	uint32_t up, down; /* Its links: what leaves, what enters; NET_NONE: nothing limits that. */
	uint32_t local;    /* A group of a dragonfly: between its routers. */
	uint32_t group;    /* Its number among the groups. */
	int64_t below;     /* Bytes a second of all NICs below it. */
	int64_t down_sum;  /* Of all that hangs on it; */
	int64_t missing;   /* of that, what its cables are for, and nothing hangs there. */
};

/* NICs and NVLink of a type of node. */
struct net_nics {
	uint32_t count;
	int64_t rate;   /* Of one; bytes a second. */
	int64_t nvlink; /* Of a GPU, in one direction; 0: not known, and no time. */
};

/* An interval of a job's nodes, [from, until), below a switch. */
struct net_segment {
	uint32_t where, from, until;
};

struct fabric_net {
	struct net_config config;
	const struct sl_cluster *cluster;
	struct sl_arena *arena;
	struct net_nics *nics; /* By type of node. */
	uint32_t nodes;
	uint32_t *leaf;     /* By node: its switch; NET_NONE: on top of all. */
	uint32_t *position; /* By node. */
	struct net_switch *sw;
	uint32_t switches, levels;
	struct fabric_link *link;
	uint32_t links, links_capacity;
	/* Dragonflies: the level of groups, and the first link of pairs (from * group_count + to); 0: trees.
	 */
	uint32_t group_level, group_count, pair_first;
	/* Static routes: the first cable of a level, upwards; those downwards follow. Bytes of one cable. */
	uint32_t xgft_levels;
	uint32_t xgft_m[NET_LEVELS_MAX], xgft_w[NET_LEVELS_MAX], xgft_p[NET_LEVELS_MAX];
	uint32_t cable_first[NET_LEVELS_MAX], cable_count[NET_LEVELS_MAX];
	/* Of the job that is asked about, by its nodes in the net's order. */
	struct fabric_spot *spot;
	uint64_t *rank; /* The first of its ranks; one more entry. */
	uint32_t *parent[2], *child[2][2];
	uint32_t spots, rails;
	struct net_segment *segment, *next;
	uint32_t dims, dim[3];
	enum sl_pattern pattern;
	int64_t *count; /* Static routes, by link. */
	struct fabric_use *use;
	uint32_t uses, uses_capacity;
};

/* ---- Building ------------------------------------------------------------------------------------------ */

int net_make_room(struct fabric_net *net, uint32_t switches, uint32_t links, struct sl_err *err);
/* Both directions of what joins something with what is above; the first of the two is returned. */
uint32_t net_link_pair(struct fabric_net *net, const char *name, uint32_t level, int64_t capacity);
uint32_t net_link_add(
	struct fabric_net *net, const char *name, const char *end, uint32_t level, int64_t capacity);
/* Those of a node, which come first of all links, in order; returns what it sends at most. */
int64_t net_node_links(struct fabric_net *net, uint32_t node);
/* Sums without overflow: INT64_MAX is without bound. */
int64_t net_sum(int64_t a, int64_t b);
int64_t net_times(int64_t rate, int64_t count);
/* A divided by millionths. */
int64_t net_divide(int64_t rate, int64_t micro);
int64_t net_uplink_rate(const struct fabric_net *net);

/* Levels of equal switches: fanout[i] of level i + 1; the last level is one switch. cables[i]: of a switch of
 * that level upwards; 0: by oversubscription. */
struct net_shape {
	uint32_t levels;
	uint64_t fanout[NET_LEVELS_MAX];
	uint64_t cables[NET_LEVELS_MAX];
	const char *word[NET_LEVELS_MAX]; /* What a switch of it is called. */
};
int net_shape_build(struct fabric_net *net, const struct net_shape *shape, struct sl_err *err);

int net_tree_build(struct fabric_net *net, struct sl_err *err);
int net_xgft_build(struct fabric_net *net, struct sl_err *err);
int net_rail_build(struct fabric_net *net, struct sl_err *err);
int net_switches_build(struct fabric_net *net, struct sl_err *err);
int net_dragonfly_build(struct fabric_net *net, struct sl_err *err);

/* Switches of rails over so many units; spines and cores as ports allow. */
struct net_rail_counts {
	uint64_t leaves, spines, cores, node_cables, leaf_cables, spine_cables;
};
bool net_rail_counts(struct net_rail_counts *counts, uint64_t units, uint64_t nodes_per_unit,
	uint64_t leaves_per_unit, uint64_t radix);

/* ---- Flows --------------------------------------------------------------------------------------------- */

/* Flows from the nodes of one interval to those of another, which it does not meet. */
int64_t net_between(const struct fabric_net *net, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end);
int64_t net_out(const struct fabric_net *net, uint32_t from, uint32_t until);
int64_t net_in(const struct fabric_net *net, uint32_t from, uint32_t until);
/* What the pattern needs to know of this job: its trees, its grid. */
void net_pattern_begin(struct fabric_net *net, const struct fabric_needs *needs);
/* Sides as equal as they can be, whose product is `ranks`, falling. */
void net_grid_of(uint64_t ranks, uint32_t dims, uint32_t *side);
/* What the steps cost: volume, inside, latency. */
void net_cost(const struct fabric_net *net, struct fabric_path *path);

#endif

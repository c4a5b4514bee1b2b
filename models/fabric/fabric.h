/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric.h - the fabric in two halves: where the flows of a job go (net), and how fast that is (share).
 *
 * A net is a table of directed links. Of a job on some nodes it says which links its flows cross, how many on
 * each: all flows of a job run at the same rate, so a job is one variable. What is shared between jobs is
 * then a problem of max-min fairness over (link, flows) rows, whatever the topology was: share.h.
 */
#ifndef MODELS_FABRIC_H
#define MODELS_FABRIC_H

#include "sim/plugin.h"

/* ---- Net: net*.c, and flows*.c ------------------------------------------------------------------- */

/* Parameters of the net, for the model's table. None has a fallback: what is not given here is looked for in
 * the cluster's section "fabric", and only then the default of the help holds. */
#define FABRIC_TEXT(word, allowed, words)                                                   \
	{                                                                                   \
		.key = (word), .kind = SL_PARAM_TEXT, .choices = (allowed), .help = (words) \
	}
/* clang-format off */
#define FABRIC_NET_PARAMS \
	FABRIC_TEXT("topology", "tree|xgft|fat_tree|rail|dragonfly|dragonfly_plus|switches", \
		"how switches are joined; default: as the cluster's file draws them, else a tree"), \
	FABRIC_TEXT("routing", "adaptive|dmodk|minimal|valiant", \
		"cables of a switch are one (adaptive), or each flow has its own (dmodk: xgft, fat_tree); of dragonflies minimal, or by way of any group (valiant)"), \
	FABRIC_TEXT("rate", "EDR..XDR, Gb/s, GB/s or infinite", \
		"of a NIC and its cable; default: by the GPUs of the node, else EDR"), \
	FABRIC_TEXT("nics", "1..64", "of a node; default: those that its GPUs name, else 1"), \
	FABRIC_TEXT("efficiency", "0..1", "what protocols leave of a rate; default 0.97 (assumed)"), \
	FABRIC_TEXT("nvlink", "Gb/s, GB/s or infinite", \
		"what collectives get of a GPU's NVLink, in one direction; default: by the GPU, 0.8 of its peak (assumed)"), \
	FABRIC_TEXT("levels", "1..7", "tree: of switches, with the one on top; default 2"), \
	FABRIC_TEXT("nodes_per_leaf", "1..65536", "tree: default 16; rail: nodes of a scalable unit, default 32"), \
	FABRIC_TEXT("switches_per_group", "4/2/...", \
		"tree of more than two levels: switches under one of the next, from the leaves on"), \
	FABRIC_TEXT("oversubscription", "2:1/1:1/...", \
		"tree, rail, dragonfly_plus, switches: what comes from below over what goes up, from the leaves on; the last counts for those above; default 1:1"), \
	FABRIC_TEXT("up_cables", "4/8/...", "tree: cables upwards of a switch, in place of oversubscription"), \
	FABRIC_TEXT("uplink_rate", "EDR..XDR, Gb/s, GB/s or infinite", "of a cable between switches; default: rate, else EDR"), \
	FABRIC_TEXT("xgft", "h;m1/m2..;w1/w2..;p1/p2..", \
		"height; children, parents, and parallel cables by level (default 1)"), \
	FABRIC_TEXT("k", "2..512", "fat_tree: ports of a switch; k^3/4 nodes"), \
	FABRIC_TEXT("leaves_per_su", "1..64", "rail: leaves of a scalable unit, one for each NIC of a node; default 8"), \
	FABRIC_TEXT("radix", "2..1024", "rail: ports of a switch, for counts of spines and cores; default 64"), \
	FABRIC_TEXT("hosts", "1..1024", "dragonfly: p, nodes of a router; dragonfly_plus: of a leaf"), \
	FABRIC_TEXT("routers", "1..1024", "dragonfly: a, routers of a group; dragonfly_plus: leaves"), \
	FABRIC_TEXT("globals", "1..1024", "dragonfly: h, global cables of a router; dragonfly_plus: of a spine"), \
	FABRIC_TEXT("groups", "1..1024", "dragonfly: g, at most a*h + 1; default: as many as the nodes need"), \
	FABRIC_TEXT("spines", "1..1024", "dragonfly_plus: of a group; default: as many as leaves"), \
	FABRIC_TEXT("alpha", "us", "a step over the network; default 14 (NCCL's model)"), \
	FABRIC_TEXT("alpha_nvlink", "us", "a step within a node; default 3.4 (NCCL's model)"), \
	FABRIC_TEXT("hop", "us", "each switch of a step beyond the first; default 0.13 (assumed)"), \
	FABRIC_TEXT("broadcast", "flat|chain", \
		"the first node sends to each other one (default), or each to the next, in segments"), \
	FABRIC_TEXT("segments", "1..1000000", "of a broadcast=chain; default 16 (assumed)")
/* clang-format on */

struct fabric_link {
	int64_t capacity; /* Bytes a second; INT64_MAX: without bound. */
	int64_t latency;  /* ns */
	const char *name; /* "leaf3:up" */
	uint32_t level;   /* 0: of a node. */
	/* No job nor all jobs together can saturate it: the share leaves it out. */
	bool never_full;
};

struct fabric_net;

/* By the cluster's settings of kind "fabric" (or its switches), over which the model's parameters go. */
int fabric_net_new(struct fabric_net **net, const struct sl_model_setup *setup, struct sl_err *err);
void fabric_net_free(struct fabric_net *net);
uint32_t fabric_net_links(const struct fabric_net *net, const struct fabric_link **link);

/* A number of the leaf that a node hangs on; a node below none has one of its own. */
uint32_t fabric_net_leaf(const struct fabric_net *net, uint32_t node);

/* So many of a job's ranks (GPUs; tasks of a job without) on a node; nodes ascend. */
struct fabric_spot {
	uint32_t node, ranks;
};

struct fabric_needs {
	enum sl_pattern pattern;
	uint32_t dims; /* SL_PATTERN_NEIGHBOUR */
	const struct fabric_spot *spot;
	uint32_t spots;
};

struct fabric_use {
	uint32_t link;
	int64_t flows; /* Of the job, on that link: > 0. */
};

/* Where a job's flows go, and how much each carries for a byte of the profile's. Valid until the next call.
 */
struct fabric_path {
	const struct fabric_use *use; /* Ascending by link; a job that stays in its node uses none. */
	uint32_t uses;
	uint32_t nodes, ranks; /* In all. */
	uint32_t ranks_most;   /* On one node. */
	uint32_t rails;        /* NICs of a node that it uses. */
	int64_t flow_rate;     /* No flow is faster: bytes a second, by the NICs alone. */
	double volume;         /* Bytes that a flow carries, for each byte of sl_profile.bytes. */
	double inside;  /* Seconds in which nodes are busy within themselves (NVLink), for each byte; */
	double latency; /* seconds for all steps of one iteration. */
};

/* 0; SL_SYSTEM: no memory. */
int fabric_flows(struct fabric_net *net, const struct fabric_needs *needs, struct fabric_path *path);

#endif

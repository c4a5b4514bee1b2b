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

/* So many of a job's ranks (GPUs; tasks of a job without) on a node; nodes ascend. */
struct fabric_spot {
	uint32_t node, ranks;
};

struct fabric_ask {
	enum sl_pattern pattern;
	uint32_t dims; /* SL_PATTERN_NEIGHBOUR */
	const struct fabric_spot *spot;
	uint32_t spots;
};

struct fabric_use {
	uint32_t link;
	int64_t flows; /* Of the job, on that link: > 0. */
};

/* Where a job's flows go, and how much each carries for a byte of the profile's. Lent until the next call. */
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
int fabric_flows(struct fabric_net *net, const struct fabric_ask *ask, struct fabric_path *path);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flows_cost.c - what an iteration costs beside the rate of its flows: volume, time within nodes, latencies.
 *
 * The model of latencies and bytes: Hockney; the collectives as in Thakur, Rabenseifner & Gropp, IJHPCA
 * 19(1), 2005. With p ranks on n nodes, at most g on one, R rails, M bytes: ring all-reduce (and
 * reduce-scatter, then all-gather) 2(p-1) steps of M/p; hierarchical 2(g-1)/g M over NVLink, then a ring over
 * nodes; double tree M up and M down; all-to-all p-1 steps of M/p. NVLink is busy beside the network only
 * where it is a phase of its own: a flat ring runs at the rate of its slowest link.
 */
#include "models/fabric/net.h"

/* The slowest NVLink among its nodes; 0: not known, and it takes no time. */
static double nvlink_of(const struct fabric_net *net)
{
	int64_t least = 0;
	for (uint32_t i = 0; i < net->spots; i++) {
		const int64_t nvlink = net->nics[net->cluster->node_type[net->spot[i].node]].nvlink;
		if (nvlink && nvlink < INT64_MAX && (!least || nvlink < least))
			least = nvlink;
	}
	return (double)least;
}

static double per_byte(double share, double bytes_a_second)
{
	return bytes_a_second > 0 ? share / bytes_a_second : 0;
}

/* Further switches that a step crosses, up and down: by the height of what joins all of its nodes. */
static uint32_t further_hops(const struct fabric_net *net)
{
	if (net->config.routing == NET_DMODK) {
		uint32_t a = net->spot[0].node, b = net->spot[net->spots - 1].node, level = 0;
		for (; a != b; level++) {
			a /= net->xgft_m[level];
			b /= net->xgft_m[level];
		}
		return level ? 2 * (level - 1) : 0;
	}
	/* Nodes are in order: the first and the last stand furthest apart. */
	uint32_t a = net->leaf[net->spot[0].node], b = net->leaf[net->spot[net->spots - 1].node], level = 0;
	while (a != b && (a != NET_NONE || b != NET_NONE)) {
		const bool lower = b == NET_NONE || (a != NET_NONE && net->sw[a].level <= net->sw[b].level);
		uint32_t *climb = lower ? &a : &b;
		level = net->sw[*climb].level > level ? net->sw[*climb].level : level;
		*climb = net->sw[*climb].parent;
	}
	return 2 * level;
}

static uint32_t log2_down(uint32_t n)
{
	uint32_t log = 0;
	for (; n > 1; n /= 2)
		log++;
	return log;
}

/* All ranks on one node. */
static void cost_inside(const struct fabric_net *net, struct fabric_path *path, double nvlink, double step)
{
	const double g = path->ranks_most;
	if (path->ranks_most < 2)
		return;
	path->inside = per_byte(2 * (g - 1) / g, nvlink);
	path->latency = 2 * (g - 1) * step;
	if (net->pattern == SL_PATTERN_ALLTOALL) {
		path->inside = per_byte((g - 1) / g, nvlink);
		path->latency = (g - 1) * step;
	}
	if (net->pattern == SL_PATTERN_NEIGHBOUR || net->pattern == SL_PATTERN_BROADCAST) {
		path->inside = per_byte(1, nvlink);
		path->latency = (net->pattern == SL_PATTERN_NEIGHBOUR ? net->dims : 1) * step;
	}
}

/* Pairs of ranks of the two nodes that have most. */
static double most_of_a_pair(const struct fabric_net *net)
{
	uint64_t most = 0, second = 0;
	for (uint32_t i = 0; i < net->spots; i++) {
		const uint64_t ranks = net->rank[i + 1] - net->rank[i];
		second = ranks > most ? most : ranks > second ? ranks : second;
		most = ranks > most ? ranks : most;
	}
	return (double)most * (double)second;
}

void net_cost(const struct fabric_net *net, struct fabric_path *path)
{
	const struct net_config *config = &net->config;
	const double nvlink = nvlink_of(net), step = config->alpha_nvlink;
	if (path->nodes < 2) {
		cost_inside(net, path, nvlink, step);
		return;
	}
	const double far = config->alpha_net + further_hops(net) * config->hop;
	const double p = path->ranks, n = path->nodes, g = path->ranks_most, rails = path->rails;
	const double segments = (double)config->segments;
	const double local = 2 * (g - 1) / g; /* A reduction within nodes, and a broadcast of its result. */
	switch (net->pattern) {
	case SL_PATTERN_RING:
	case SL_PATTERN_RS_AG:
		path->volume = 2 * (p - 1) / p / rails;
		path->latency = 2 * (n - 1) * far + 2 * (p - n) * step;
		break;
	case SL_PATTERN_TREE: /* Within nodes its branches are chains (NCCL's model). */
		path->volume = 1 / (2 * rails);
		path->latency = 2 * log2_down(path->nodes) * far + 2 * (g - 1) * step;
		break;
	case SL_PATTERN_HIER:
		path->volume = 2 * (n - 1) / n / rails;
		path->inside = per_byte(local, nvlink);
		path->latency = 2 * (n - 1) * far + 2 * (g - 1) * step;
		break;
	case SL_PATTERN_ALLTOALL:
		path->volume = most_of_a_pair(net) / p;
		path->inside = per_byte((g - 1) / p, nvlink);
		path->latency = (p - g) * far + (g - 1) * step;
		break;
	case SL_PATTERN_NEIGHBOUR:
		path->volume = 1.0 / (2 * net->dims);
		path->latency = net->dims * far;
		break;
	case SL_PATTERN_BROADCAST:
		path->volume = config->chain ? (n - 2 + segments) / segments : 1;
		path->inside = g > 1 ? per_byte(1, nvlink) : 0;
		path->latency = (config->chain ? n - 2 + segments : 1) * far + (g > 1 ? step : 0);
		break;
	case SL_PATTERN_SERVER: /* All push, then all pull. */
		path->volume = 2;
		path->inside = per_byte(local, nvlink);
		path->latency = 2 * far + 2 * (g - 1) * step;
		break;
	case SL_PATTERN_NONE:
	case SL_PATTERN_COUNT:
		break;
	}
}

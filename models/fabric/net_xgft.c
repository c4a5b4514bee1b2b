/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * net_xgft.c - extended generalised fat trees, and k-ary fat trees as a case of them; single cables.
 *
 * XGFT(h; m1..mh; w1..wh) is Öhring, Ibel, Das & Kumar, "On generalized fat trees", IPPS 1995: a switch of
 * level l has m_l children, and what is on level l has w_(l+1) parents, here each by p_(l+1) parallel cables.
 * A k-ary fat tree (Al-Fares, Loukissas & Vahdat, SIGCOMM 2008) is XGFT(3; k/2,k/2,k; 1,k/2,k/2); several
 * NICs of a node are as many such trees. Pooled, the w1..wl switches of level l over the same nodes are one.
 */
#include <stdio.h>
#include <string.h>

#include "models/fabric/net.h"

static int sizes_of_fat_tree(struct fabric_net *net, struct sl_err *err)
{
	const int64_t k = net->config.k;
	if (k < 2 || k % 2)
		return sl_fail(
			err, SL_USAGE, "fabric: a fat tree is built of switches of k ports, k even: give k");
	net->xgft_levels = 3;
	for (uint32_t i = 0; i < 3; i++) {
		net->xgft_m[i] = (uint32_t)(i < 2 ? k / 2 : k);
		net->xgft_w[i] = (uint32_t)(i ? k / 2 : 1);
		net->xgft_p[i] = net->nics[0].count;
	}
	return SL_OK;
}

static int sizes_of_xgft(struct fabric_net *net, struct sl_err *err)
{
	const struct net_config *config = &net->config;
	if (!config->xgft_m.count)
		return sl_fail(
			err, SL_USAGE, "fabric: topology=xgft needs its sizes, as in xgft='2;4/4;1/2'");
	net->xgft_levels = config->xgft_m.count;
	for (uint32_t i = 0; i < net->xgft_levels; i++) {
		net->xgft_m[i] = (uint32_t)config->xgft_m.micro[i];
		net->xgft_w[i] = (uint32_t)config->xgft_w.micro[i];
		net->xgft_p[i] = (uint32_t)config->xgft_p.micro[i];
	}
	/* The cables of a node are its NICs. */
	const uint64_t nics = (uint64_t)net->xgft_w[0] * net->xgft_p[0];
	for (uint32_t type = 0; type < net->cluster->type_count && nics <= 64; type++)
		if (!config->nics)
			net->nics[type].count = (uint32_t)nics;
	if (nics > 64 || (config->nics && (uint64_t)config->nics != nics))
		return sl_fail(err, SL_USAGE,
			"fabric: in this tree a node has w1 * p1 = %llu cables, and nics is %d: they are the same",
			(unsigned long long)nics, (int)config->nics);
	return SL_OK;
}

static int node_counts_fit(const struct fabric_net *net, struct sl_err *err)
{
	uint64_t hosts = 1, paths = 1;
	for (uint32_t i = 0; i < net->xgft_levels; i++) {
		hosts *= net->xgft_m[i];
		paths *= (uint64_t)net->xgft_w[i] * net->xgft_p[i];
		if (hosts > SL_HOSTS_MAX || paths > NET_LINKS_MAX)
			return sl_fail(err, SL_USAGE,
				"fabric: this tree is too large: more than %d nodes or paths", SL_HOSTS_MAX);
	}
	if (net->nodes > hosts)
		return sl_fail(err, SL_USAGE,
			"fabric: this tree has room for %llu nodes, the cluster has %u: give a larger one",
			(unsigned long long)hosts, net->nodes);
	for (uint32_t type = 1; type < net->cluster->type_count; type++)
		if (net->nics[type].count != net->nics[0].count)
			return sl_fail(err, SL_USAGE,
				"fabric: nodes '%s' and '%s' differ in NICs, and in this tree none may: give nics",
				net->cluster->type[0].name, net->cluster->type[type].name);
	return SL_OK;
}

/* What stands on level i under one parent's subtree, to the side: w1 * .. * wi. */
static uint32_t beside(const struct fabric_net *net, uint32_t level)
{
	uint32_t product = 1;
	for (uint32_t i = 0; i < level; i++)
		product *= net->xgft_w[i];
	return product;
}

static int cables_build(struct fabric_net *net, struct sl_err *err)
{
	if (net->nodes > NET_STATIC_NODES)
		return sl_fail(err, SL_USAGE,
			"fabric: routing=dmodk follows each flow over its cables, which is for at most %d nodes; the cluster has %u: use routing=adaptive",
			NET_STATIC_NODES, net->nodes);
	uint64_t hosts = 1, links = 0;
	for (uint32_t i = 0; i < net->xgft_levels; i++)
		hosts *= net->xgft_m[i];
	uint64_t subtrees = hosts;
	for (uint32_t level = 0; level < net->xgft_levels; level++) {
		const uint64_t cables =
			subtrees * beside(net, level) * net->xgft_w[level] * net->xgft_p[level];
		if (links + 2 * cables > NET_LINKS_MAX)
			return sl_fail(err, SL_USAGE,
				"fabric: routing=dmodk: more than %d cables: use routing=adaptive",
				NET_LINKS_MAX);
		net->cable_first[level] = (uint32_t)links;
		net->cable_count[level] = (uint32_t)cables;
		links += 2 * cables;
		subtrees /= net->xgft_m[level];
	}
	int status = net_make_room(net, 0, (uint32_t)links, err);
	for (uint32_t level = 0; level < net->xgft_levels && !status; level++)
		for (uint32_t i = 0; i < 2 * net->cable_count[level]; i++) {
			char name[64];
			const bool down = i >= net->cable_count[level];
			const uint32_t cable = down ? i - net->cable_count[level] : i;
			(void)snprintf(name, sizeof(name), "level%u:cable%u", level, cable);
			net_link_add(net, name, down ? "down" : "up", level,
				level ? net_uplink_rate(net) : net->nics[0].rate);
		}
	return status;
}

int net_xgft_build(struct fabric_net *net, struct sl_err *err)
{
	int status = net->config.topology == NET_XGFT ? sizes_of_xgft(net, err) : sizes_of_fat_tree(net, err);
	status = status ? status : node_counts_fit(net, err);
	if (status)
		return status;
	if (net->config.routing == NET_DMODK) {
		for (uint32_t node = 0; node < net->nodes; node++) {
			net->position[node] = node;
			net->leaf[node] = node / net->xgft_m[0];
		}
		return cables_build(net, err);
	}
	static const char *const words[NET_LEVELS_MAX] = { "leaf", "pod", "block", "hall", "part", "side",
		"top", "all" };
	struct net_shape shape = { .levels = net->xgft_levels };
	for (uint32_t i = 0; i < net->xgft_levels; i++) {
		shape.word[i] = words[i];
		shape.fanout[i] = net->xgft_m[i];
		if (i)
			shape.cables[i] = (uint64_t)beside(net, i) * net->xgft_w[i] * net->xgft_p[i];
	}
	return net_shape_build(net, &shape, err);
}

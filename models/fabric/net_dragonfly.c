/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * net_dragonfly.c - groups that are all joined: dragonfly, and dragonfly+.
 *
 * Dragonfly(p, a, h, g): Kim, Dally, Scott & Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology",
 * ISCA 2008: p nodes a router, a routers a group, h global cables a router, at most a*h + 1 groups; balanced
 * is a = 2p = 2h. Dragonfly+: Shpiner et al., HiPINEB 2017: a group is leaves and spines, each leaf joined to
 * each spine, and global cables are the spines'. Here the local cables of a group are pooled (of a dragonfly
 * a*(a-1), each flow crossing one where it begins, and one where it ends, unless its router is the same; of a
 * dragonfly+ those of a leaf), and so are the floor(a*h / (g-1)) cables between two groups. Valiant's routing
 * goes by way of any other group: the global cables of a group are one pool, of which half is left for what
 * passes through; its further local hop is not charged. Several NICs of a node are as many such networks.
 */
#include <stdio.h>
#include <string.h>

#include "models/fabric/net.h"

struct dragonfly {
	uint32_t hosts, routers, globals, groups, spines;
	bool plus;
};

static uint64_t nodes_of_balanced(uint64_t p) { return p * 2 * p * (2 * p * p + 1); }

static int sizes_of(struct dragonfly *d, const struct fabric_net *net, struct sl_err *err)
{
	const struct net_config *config = &net->config;
	uint64_t p = config->hosts ? (uint64_t)config->hosts : 1;
	while (!config->hosts && nodes_of_balanced(p) < net->nodes)
		p++;
	d->plus = config->topology == NET_DRAGONFLY_PLUS;
	d->hosts = (uint32_t)p;
	d->routers = (uint32_t)(config->routers ? config->routers : 2 * (int64_t)d->hosts);
	d->globals = (uint32_t)(config->globals ? config->globals : d->hosts);
	d->spines = (uint32_t)(config->spines ? config->spines : d->routers);
	const uint64_t cables = (uint64_t)(d->plus ? d->spines : d->routers) * d->globals;
	const uint64_t size = (uint64_t)d->hosts * d->routers;
	const uint64_t needed = (net->nodes + size - 1) / size;
	const uint64_t groups = config->groups_of ? (uint64_t)config->groups_of : needed;
	if (groups > cables + 1)
		return sl_fail(err, SL_USAGE,
			"fabric: a group of this dragonfly has %llu global cables, and reaches as many others: %llu groups are too many",
			(unsigned long long)cables, (unsigned long long)groups);
	const uint64_t capacity = groups * size;
	if (groups < needed)
		return sl_fail(err, SL_USAGE,
			"fabric: this dragonfly has room for %llu nodes, the cluster has %u: give more hosts, routers or groups",
			(unsigned long long)capacity, net->nodes);
	d->groups = (uint32_t)groups;
	return SL_OK;
}

static int name_it(
	struct fabric_net *net, uint32_t index, const char *word, uint32_t number, struct sl_err *err)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "%s%u", word, number);
	net->sw[index].name = sl_strdup(net->arena, name, strlen(name));
	return net->sw[index].name ? SL_OK : sl_fail_memory(err);
}

/* Routers first, then groups; nodes below each. */
static int switches_build(struct fabric_net *net, const struct dragonfly *d, struct sl_err *err)
{
	const uint32_t routers = d->groups * d->routers;
	int status = SL_OK;
	for (uint32_t i = 0; i < net->switches && !status; i++) {
		const bool group = i >= routers;
		net->sw[i] = (struct net_switch){ .level = group ? 2 : 1,
			.parent = group ? NET_NONE : routers + i / d->routers,
			.up = NET_NONE,
			.down = NET_NONE,
			.local = NET_NONE,
			.group = group ? i - routers : 0 };
		const char *word = group ? "group" : d->plus ? "leaf" : "router";
		status = name_it(net, i, word, group ? i - routers : i, err);
	}
	for (uint32_t node = 0; node < net->nodes && !status; node++) {
		struct net_switch *router = &net->sw[node / d->hosts];
		const int64_t capacity = net_node_links(net, node);
		net->position[node] = node;
		net->leaf[node] = node / d->hosts;
		router->below = net_sum(router->below, capacity);
		net->sw[router->parent].below = net_sum(net->sw[router->parent].below, capacity);
	}
	return status;
}

static int64_t cables(const struct fabric_net *net, uint64_t count)
{
	return net_times(net_uplink_rate(net), (int64_t)(count * net->nics[0].count));
}

static void links_within(struct fabric_net *net, const struct dragonfly *d)
{
	const struct net_list *over = &net->config.oversubscription;
	for (uint32_t i = 0; i < d->groups * d->routers && d->plus; i++) {
		struct net_switch *leaf = &net->sw[i];
		const int64_t capacity =
			over->count ? net_divide(leaf->below, over->micro[0]) : cables(net, d->spines);
		leaf->up = net_link_pair(net, leaf->name, 1, capacity);
		leaf->down = leaf->up + 1;
		net->link[leaf->up].never_full = leaf->below <= capacity;
		net->link[leaf->down].never_full = leaf->below <= capacity;
	}
	for (uint32_t i = d->groups * d->routers; i < net->switches && !d->plus && d->routers > 1; i++) {
		struct net_switch *group = &net->sw[i];
		const int64_t capacity = cables(net, (uint64_t)d->routers * (d->routers - 1));
		group->local = net_link_add(net, group->name, "local", 1, capacity);
		/* What leaves its nodes, and what enters, may both cross it. */
		net->link[group->local].never_full = net_times(group->below, 2) <= capacity;
	}
}

static void links_between(struct fabric_net *net, const struct dragonfly *d)
{
	const uint64_t globals = (uint64_t)(d->plus ? d->spines : d->routers) * d->globals;
	const struct net_switch *group = &net->sw[(size_t)d->groups * d->routers];
	net->group_level = 2;
	net->group_count = d->groups;
	net->pair_first = net->links;
	if (net->config.routing == NET_VALIANT) {
		const int64_t all = cables(net, globals);
		const int64_t capacity = all == INT64_MAX ? all : all / 2;
		for (uint32_t i = 0; i < d->groups; i++) {
			const uint32_t out = net_link_pair(net, group[i].name, 2, capacity);
			net->link[out].never_full = group[i].below <= capacity;
			net->link[out + 1].never_full = group[i].below <= capacity;
		}
		return;
	}
	const uint64_t each = d->groups > 1 ? globals / (d->groups - 1) : 0;
	for (uint32_t from = 0; from < d->groups; from++)
		for (uint32_t to = 0; to < d->groups; to++) {
			const int64_t capacity = from == to ? INT64_MAX : cables(net, each);
			const int64_t a = group[from].below, b = group[to].below;
			const uint32_t link =
				net_link_add(net, group[from].name, group[to].name, 2, capacity);
			net->link[link].never_full = (a < b ? a : b) <= capacity;
		}
}

int net_dragonfly_build(struct fabric_net *net, struct sl_err *err)
{
	struct dragonfly d = { 0 };
	int status = sizes_of(&d, net, err);
	if (status)
		return status;
	const uint64_t pairs = (uint64_t)d.groups * d.groups;
	const uint64_t links = 2 * (uint64_t)net->nodes + 2 * (uint64_t)d.groups * (d.routers + 1) + pairs +
			       2 * (uint64_t)d.groups;
	const uint64_t switches = (uint64_t)d.groups * (d.routers + 1);
	if (links > NET_LINKS_MAX)
		return sl_fail(err, SL_USAGE,
			"fabric: this dragonfly has more than %d links: give a smaller one", NET_LINKS_MAX);
	net->levels = 2;
	status = net_make_room(net, (uint32_t)switches, (uint32_t)links, err);
	status = status ? status : switches_build(net, &d, err);
	if (status)
		return status;
	links_within(net, &d);
	links_between(net, &d);
	return SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * net.c - a net is made: NICs of nodes by what is known of their type, then the switches, by topology.
 *
 * A node has as many NICs as its GPUs name as nearest to them, else one. Their rate is that of the systems
 * that NVIDIA sold with these GPUs (data sheets of DGX-1, DGX A100, DGX H100, DGX B200): V100 EDR, A100 HDR,
 * H100 and B200 NDR; any other node is assumed to have EDR. NVLink: 300, 600, 900 and 1800 GB/s a GPU, both
 * directions together (same data sheets), of which collectives are assumed to get 0.8 in each direction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/fabric/net.h"

#define MICRO INT64_C(1000000)
#define GBIT  INT64_C(125000000) /* Bytes a second. */
#define GB    INT64_C(1000000000)

static const struct {
	const char *gpu; /* In the name of its kind. */
	int64_t rate, nvlink;
} known[] = {
	{ "v100", 100 * GBIT, 120 * GB },
	{ "a100", 200 * GBIT, 240 * GB },
	{ "h100", 400 * GBIT, 360 * GB },
	{ "h200", 400 * GBIT, 360 * GB },
	{ "b200", 400 * GBIT, 720 * GB },
};

int64_t net_sum(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

int64_t net_times(int64_t rate, int64_t count) { return rate > INT64_MAX / count ? INT64_MAX : rate * count; }

int64_t net_divide(int64_t rate, int64_t micro)
{
	if (rate == INT64_MAX)
		return rate;
	const __int128 part = ((__int128)rate * MICRO + micro / 2) / micro;
	return part >= INT64_MAX ? INT64_MAX : part < 1 ? 1 : (int64_t)part;
}

static int64_t after_protocols(const struct net_config *config, int64_t rate)
{
	return rate == INT64_MAX ? rate : sl_mul_div(rate, config->efficiency, MICRO);
}

int64_t net_uplink_rate(const struct fabric_net *net)
{
	const struct net_config *config = &net->config;
	const int64_t rate = config->uplink_rate ? config->uplink_rate : config->rate;
	if (rate)
		return after_protocols(config, rate);
	return net->cluster->type_count ? net->nics[0].rate : after_protocols(config, 100 * GBIT);
}

static int64_t net_node_capacity(const struct fabric_net *net, uint32_t node)
{
	const struct net_nics *nics = &net->nics[net->cluster->node_type[node]];
	return net_times(nics->rate, nics->count);
}

/* Different names of NICs among its GPUs. */
static uint32_t nics_named(const struct sl_hardware *hardware)
{
	uint32_t count = 0;
	for (uint32_t i = 0; hardware && i < hardware->gres_count; i++) {
		const char *name = hardware->gres[i].nic;
		bool fresh = name != NULL;
		for (uint32_t k = 0; k < i && fresh; k++)
			fresh = !hardware->gres[k].nic || strcmp(hardware->gres[k].nic, name) != 0;
		count += fresh;
	}
	return count;
}

/* What the cluster's file says of these nodes themselves, over all else. */
static int nics_said(
	struct net_nics *nics, const struct sl_cluster *cluster, const char *type, struct sl_err *err)
{
	const struct sl_setting *count = net_setting(cluster, "node", type, "nics");
	const struct sl_setting *rate = net_setting(cluster, "node", type, "nic_rate");
	const struct sl_setting *nvlink = net_setting(cluster, "node", type, "nvlink");
	int64_t number = 1;
	if (count && (!sl_get_i64(count->value, strlen(count->value), &number) || number < 1 || number > 64))
		return sl_fail_at(
			err, &count->at, "nodes '%s': nics are 1 to 64, not '%s'", type, count->value);
	if (count)
		nics->count = (uint32_t)number;
	if (rate && !net_rate_of(rate->value, &nics->rate))
		return sl_fail_at(err, &rate->at,
			"nodes '%s': nic_rate is EDR to XDR or a number of Gb/s, not '%s'", type,
			rate->value);
	if (nvlink && !net_rate_of(nvlink->value, &nics->nvlink))
		return sl_fail_at(err, &nvlink->at, "nodes '%s': nvlink is a number of GB/s, not '%s'", type,
			nvlink->value);
	return SL_OK;
}

static struct net_nics nics_of(
	const struct net_config *config, const struct sl_cluster *cluster, uint32_t type)
{
	struct net_nics nics = { .count = nics_named(cluster->type[type].hardware), .rate = 100 * GBIT };
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		for (size_t i = 0; i < SL_LEN(known) && cluster->type[type].amount[kind] > 0; i++)
			if (strstr(cluster->kind_name[kind], known[i].gpu)) {
				nics.rate = known[i].rate;
				nics.nvlink = known[i].nvlink;
			}
	nics.count = nics.count ? nics.count : 1;
	nics.count = config->nics ? (uint32_t)config->nics : nics.count;
	nics.rate = config->rate ? config->rate : nics.rate;
	nics.nvlink = config->nvlink ? config->nvlink : nics.nvlink;
	return nics;
}

int net_make_room(struct fabric_net *net, uint32_t switches, uint32_t links, struct sl_err *err)
{
	if (links > NET_LINKS_MAX)
		return sl_fail(err, SL_USAGE, "fabric: %u links are more than %d: give a smaller topology",
			links, NET_LINKS_MAX);
	net->sw = sl_alloc(net->arena, switches ? switches : 1, sizeof(*net->sw));
	net->link = sl_alloc(net->arena, links ? links : 1, sizeof(*net->link));
	net->switches = switches;
	net->links_capacity = links;
	return net->sw && net->link ? SL_OK : sl_fail_memory(err);
}

uint32_t net_link_add(
	struct fabric_net *net, const char *name, const char *end, uint32_t level, int64_t capacity)
{
	char text[160];
	(void)snprintf(text, sizeof(text), "%.120s:%s", name, end);
	SL_CHECK(net->links < net->links_capacity);
	struct fabric_link *link = &net->link[net->links];
	link->name = sl_strdup(net->arena, text, strlen(text)); /* NULL is seen at the end. */
	link->capacity = capacity;
	link->level = level;
	link->latency = (int64_t)(net->config.hop * 1e9 + 0.5);
	link->never_full = capacity == INT64_MAX;
	return net->links++;
}

uint32_t net_link_pair(struct fabric_net *net, const char *name, uint32_t level, int64_t capacity)
{
	const uint32_t up = net_link_add(net, name, "up", level, capacity);
	net_link_add(net, name, "down", level, capacity);
	return up;
}

int64_t net_node_links(struct fabric_net *net, uint32_t node)
{
	const char *const *names = net->cluster->node_name;
	const int64_t capacity = net_node_capacity(net, node);
	char name[32];
	(void)snprintf(name, sizeof(name), "node%u", node);
	net_link_pair(net, names ? names[node] : name, 0, capacity);
	return capacity;
}

static int make_scratch(struct fabric_net *net, struct sl_err *err)
{
	struct sl_arena *arena = net->arena;
	const uint32_t most = net->nodes + 1;
	net->spot = sl_alloc(arena, most, sizeof(*net->spot));
	net->rank = sl_alloc(arena, most + 1, sizeof(*net->rank));
	net->segment = sl_alloc(arena, most, sizeof(*net->segment));
	net->next = sl_alloc(arena, most, sizeof(*net->next));
	bool made = net->spot && net->rank && net->segment && net->next;
	for (int tree = 0; tree < 2; tree++) {
		net->parent[tree] = sl_alloc(arena, most, sizeof(uint32_t));
		net->child[tree][0] = sl_alloc(arena, most, sizeof(uint32_t));
		net->child[tree][1] = sl_alloc(arena, most, sizeof(uint32_t));
		made = made && net->parent[tree] && net->child[tree][0] && net->child[tree][1];
	}
	if (net->config.routing == NET_DMODK) {
		net->count = sl_alloc(arena, net->links ? net->links : 1, sizeof(*net->count));
		made = made && net->count;
	}
	for (uint32_t i = 0; i < net->links && made; i++)
		made = net->link[i].name != NULL;
	return made ? SL_OK : sl_fail_memory(err);
}

static int (*const builders[NET_TOPOLOGIES])(struct fabric_net *net, struct sl_err *err) = {
	[NET_TREE] = net_tree_build,
	[NET_XGFT] = net_xgft_build,
	[NET_FAT_TREE] = net_xgft_build,
	[NET_RAIL] = net_rail_build,
	[NET_DRAGONFLY] = net_dragonfly_build,
	[NET_DRAGONFLY_PLUS] = net_dragonfly_build,
	[NET_SWITCHES] = net_switches_build,
};

int fabric_net_new(struct fabric_net **made, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	if (!cluster->node_count)
		return sl_fail(err, SL_USAGE, "fabric: a fabric joins nodes: give some, with -c CLUSTER");
	struct fabric_net *net = sl_alloc(setup->arena, 1, sizeof(*net));
	if (!net)
		return sl_fail_memory(err);
	int status = net_config_read(&net->config, setup, err);
	if (status)
		return status;
	net->arena = setup->arena;
	net->cluster = cluster;
	net->nodes = cluster->node_count;
	net->nics = sl_alloc(setup->arena, cluster->type_count + 1, sizeof(*net->nics));
	net->leaf = sl_alloc(setup->arena, net->nodes, sizeof(*net->leaf));
	net->position = sl_alloc(setup->arena, net->nodes, sizeof(*net->position));
	if (!net->nics || !net->leaf || !net->position)
		return sl_fail_memory(err);
	for (uint32_t type = 0; type < cluster->type_count && !status; type++) {
		net->nics[type] = nics_of(&net->config, cluster, type);
		status = nics_said(&net->nics[type], cluster, cluster->type[type].name, err);
		net->nics[type].rate = after_protocols(&net->config, net->nics[type].rate);
	}
	status = status ? status : builders[net->config.topology](net, err);
	status = status ? status : make_scratch(net, err);
	if (!status)
		*made = net;
	return status;
}

void fabric_net_free(struct fabric_net *net)
{
	if (net)
		free(net->use);
}

uint32_t fabric_net_links(const struct fabric_net *net, const struct fabric_link **link)
{
	*link = net->link;
	return net->links;
}

uint32_t fabric_net_leaf(const struct fabric_net *net, uint32_t node)
{
	return net->leaf[node] != NET_NONE ? net->leaf[node] : net->switches + node;
}

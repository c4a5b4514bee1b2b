/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * net_tree.c - trees of switches: of equal ones level by level, rails, and those that a cluster's file draws.
 *
 * The cables of a switch to what is above are one pooled link in each direction: what adaptive routing
 * reaches at best. Oversubscription of a level is what comes from below over what goes up. Rails: NVIDIA DGX
 * SuperPOD Reference Architecture (H100): NIC r of each node of a scalable unit has a leaf of its own, and
 * NVLink carries what changes rails, so a job in one unit crosses leaves alone. The leaves of a unit are
 * pooled: a job that uses fewer GPUs of a node than it has rails uses any.
 */
#include <stdio.h>
#include <string.h>

#include "models/fabric/net.h"

#define MICRO INT64_C(1000000)

/* What goes up of a level, from what comes from below; the last ratio given counts for all above. */
static int64_t up_of(const struct net_config *config, uint32_t level, int64_t below)
{
	const struct net_list *over = &config->oversubscription;
	if (!over->count)
		return below;
	const uint32_t index = level - 1 < over->count ? level - 1 : over->count - 1;
	return net_divide(below, over->micro[index]);
}

/* What hangs on a switch, by its NICs and by its links. */
static void sum_below(struct fabric_net *net, uint32_t index, int64_t nics, int64_t up)
{
	struct net_switch *sw = &net->sw[index];
	sw->below = net_sum(sw->below, nics);
	sw->down_sum = net_sum(sw->down_sum, up);
}

static void links_of_nodes(struct fabric_net *net)
{
	for (uint32_t node = 0; node < net->nodes; node++) {
		const int64_t capacity = net_node_links(net, node);
		if (net->leaf[node] != NET_NONE)
			sum_below(net, net->leaf[node], capacity, capacity);
	}
}

static void link_of_switch(struct fabric_net *net, uint32_t index, int64_t capacity)
{
	struct net_switch *sw = &net->sw[index];
	sw->up = net_link_pair(net, sw->name, sw->level, capacity);
	sw->down = sw->up + 1;
	for (uint32_t end = sw->up; end <= sw->down; end++)
		net->link[end].never_full = sw->below <= capacity;
}

int net_shape_build(struct fabric_net *net, const struct net_shape *shape, struct sl_err *err)
{
	uint64_t count[NET_LEVELS_MAX] = { 0 }, before = net->nodes, all = 0;
	for (uint32_t i = 0; i < shape->levels; i++) {
		count[i] = i + 1 == shape->levels ? 1 : (before + shape->fanout[i] - 1) / shape->fanout[i];
		before = count[i];
		all += count[i];
	}
	int status = net_make_room(net, (uint32_t)all, 2 * (net->nodes + (uint32_t)all), err);
	if (status)
		return status;
	net->levels = shape->levels;
	uint32_t first = 0;
	for (uint32_t level = 1; level <= shape->levels; level++) {
		const uint32_t next = first + (uint32_t)count[level - 1];
		for (uint32_t i = first; i < next; i++) {
			char name[64];
			const bool top = level == shape->levels;
			(void)snprintf(name, sizeof(name), "%s%u", shape->word[level - 1], i - first);
			net->sw[i] = (struct net_switch){ .name = sl_strdup(net->arena, name, strlen(name)),
				.level = level,
				.parent =
					top ? NET_NONE
					    : next + (level + 1 == shape->levels
								     ? 0
								     : (i - first) / (uint32_t)shape
											     ->fanout[level]),
				.up = NET_NONE,
				.down = NET_NONE,
				.local = NET_NONE };
			if (!net->sw[i].name)
				return sl_fail_memory(err);
		}
		first = next;
	}
	for (uint32_t node = 0; node < net->nodes; node++) {
		net->position[node] = node;
		net->leaf[node] = shape->levels == 1 ? 0 : node / (uint32_t)shape->fanout[0];
	}
	links_of_nodes(net);
	first = 0;
	for (uint32_t level = 1; level < shape->levels; level++) {
		/* A switch is bought for all that may hang on it: the last of a level, which has less, has
		 * the cables of the first. */
		const int64_t full = up_of(&net->config, level, net->sw[first].down_sum);
		for (uint32_t i = 0; i < count[level - 1]; i++) {
			struct net_switch *sw = &net->sw[first + i];
			const bool last = i + 1 == count[level - 1];
			int64_t capacity = up_of(&net->config, level, sw->down_sum);
			if (shape->cables[level])
				capacity = net_times(net_uplink_rate(net), (int64_t)shape->cables[level]);
			else if (last && capacity < full)
				capacity = full;
			link_of_switch(net, first + i, capacity);
			sum_below(net, sw->parent, sw->below, capacity);
		}
		first += (uint32_t)count[level - 1];
	}
	return SL_OK;
}

int net_tree_build(struct fabric_net *net, struct sl_err *err)
{
	static const char *const words[NET_LEVELS_MAX] = { "leaf", "spine", "core" };
	const struct net_config *config = &net->config;
	struct net_shape shape = { .levels = (uint32_t)config->levels };
	shape.fanout[0] = (uint64_t)config->nodes_per_leaf;
	const uint32_t between = config->levels > 2 ? shape.levels - 2 : 0;
	if (config->groups.count != between)
		return sl_fail(err, SL_USAGE,
			"fabric: a tree of %d levels takes switches_per_group for %u of them, as in '4/2', from the leaves on, not for %u: give as many, or levels",
			(int)config->levels, between, config->groups.count);
	if (config->up_cables.count >= shape.levels && config->up_cables.count)
		return sl_fail(err, SL_USAGE,
			"fabric: a tree of %d levels has up_cables for %u of them at most, not for %u: what is on top has none",
			(int)config->levels, shape.levels - 1, config->up_cables.count);
	for (uint32_t i = 0; i < shape.levels; i++) {
		shape.word[i] = words[i] ? words[i] : "switch";
		if (i && i + 1 < shape.levels)
			shape.fanout[i] = (uint64_t)(config->groups.micro[i - 1] / MICRO);
		if (i && i - 1 < config->up_cables.count)
			shape.cables[i] = (uint64_t)(config->up_cables.micro[i - 1] / MICRO);
	}
	return net_shape_build(net, &shape, err);
}

/* ---- Rails --------------------------------------------------------------------------------------------- */

bool net_rail_counts(struct net_rail_counts *counts, uint64_t units, uint64_t nodes_per_unit,
	uint64_t leaves_per_unit, uint64_t radix)
{
	const uint64_t half = radix / 2;
	*counts = (struct net_rail_counts){ .leaves = units * leaves_per_unit };
	counts->node_cables = units * nodes_per_unit * leaves_per_unit;
	if (nodes_per_unit > half)
		return false; /* A leaf has as many ports down as up. */
	if (counts->leaves <= 1)
		return true;
	counts->leaf_cables = counts->leaves * nodes_per_unit;
	if (counts->leaves <= radix) { /* Each spine reaches each leaf. */
		counts->spines = (counts->leaf_cables + radix - 1) / radix;
		return true;
	}
	counts->spines = (counts->leaf_cables + half - 1) / half;
	counts->spine_cables = counts->spines * half;
	counts->cores = (counts->spine_cables + radix - 1) / radix;
	return counts->leaves <= radix * half;
}

int net_rail_build(struct fabric_net *net, struct sl_err *err)
{
	const struct net_config *config = &net->config;
	for (uint32_t type = 0; type < net->cluster->type_count; type++)
		if (net->nics[type].count > (uint64_t)config->leaves_per_su)
			return sl_fail(err, SL_USAGE,
				"fabric: nodes '%s' have %u NICs, and a scalable unit has %d leaves, one a rail: give leaves_per_su or nics",
				net->cluster->type[type].name, net->nics[type].count,
				(int)config->leaves_per_su);
	const uint64_t units =
		(net->nodes + (uint64_t)config->nodes_per_leaf - 1) / (uint64_t)config->nodes_per_leaf;
	struct net_rail_counts counts;
	if (!net_rail_counts(&counts, units, (uint64_t)config->nodes_per_leaf,
		    (uint64_t)config->leaves_per_su, (uint64_t)config->radix))
		return sl_fail(err, SL_USAGE,
			"fabric: rails of %llu units of %d nodes need switches of more than %d ports: give radix or nodes_per_leaf",
			(unsigned long long)units, (int)config->nodes_per_leaf, (int)config->radix);
	const struct net_shape shape = {
		.levels = 2, .fanout = { (uint64_t)config->nodes_per_leaf }, .word = { "unit", "spines" }
	};
	return net_shape_build(net, &shape, err);
}

/* ---- As the cluster's file draws them ------------------------------------------------------------------ */

/* Below each switch nodes get neighbouring positions: leaves in the order of a walk down from the tops. */
static void walk(struct fabric_net *net, uint32_t *place, bool *placed)
{
	const struct sl_cluster *cluster = net->cluster;
	uint32_t *first = place; /* By switch: the next position below it. */
	uint32_t next = 0;
	for (uint32_t i = 0; i < net->switches; i++)
		if (cluster->sw[i].parent == UINT32_MAX) {
			first[i] = next;
			next += cluster->sw[i].node_count;
		}
	for (uint32_t level = net->levels; level-- > 0;)
		for (uint32_t i = 0; i < net->switches; i++) {
			const struct sl_switch *sw = &cluster->sw[i];
			if (sw->level != level)
				continue;
			if (sw->parent != UINT32_MAX) {
				first[i] = first[sw->parent];
				first[sw->parent] += sw->node_count;
			}
		}
	for (uint32_t i = 0; i < net->switches; i++) {
		const struct sl_switch *sw = &cluster->sw[i];
		for (uint32_t k = 0; sw->level == 0 && k < sw->node_count; k++)
			if (!placed[sw->node[k]]) {
				net->position[sw->node[k]] = first[i]++;
				net->leaf[sw->node[k]] = i;
				placed[sw->node[k]] = true;
			}
	}
	for (uint32_t node = 0; node < net->nodes; node++)
		if (!placed[node])
			net->position[node] = next++;
}

/* What the file says of a switch's cables: "uplinks" and "rate" of the section, of that name, or LinkSpeed.
 */
static int cables_of(const struct fabric_net *net, uint32_t index, int64_t *capacity, struct sl_err *err)
{
	const struct sl_switch *sw = &net->cluster->sw[index];
	const struct sl_setting *uplinks = net_setting(net->cluster, "fabric", sw->name, "uplinks");
	const struct sl_setting *rate = net_setting(net->cluster, "fabric", sw->name, "rate");
	int64_t cables = 1, bytes = net_uplink_rate(net);
	*capacity = 0;
	if (!uplinks && !rate && sw->speed <= 0)
		return SL_OK;
	if (uplinks && (!sl_get_i64(uplinks->value, strlen(uplinks->value), &cables) || cables < 1 ||
			       cables > 65536))
		return sl_fail_at(err, &uplinks->at,
			"fabric: uplinks of switch '%s' are 1 to 65536, not '%s'", sw->name, uplinks->value);
	if (rate && !net_rate_of(rate->value, &bytes))
		return sl_fail_at(err, &rate->at,
			"fabric: rate of switch '%s' is EDR to XDR or a number of Gb/s, not '%s'", sw->name,
			rate->value);
	if (!rate && sw->speed > 0)
		bytes = net_times(MICRO * 125, sw->speed < MICRO ? sw->speed : MICRO);
	if (bytes < INT64_MAX && (rate || sw->speed > 0))
		bytes = sl_mul_div(bytes, net->config.efficiency, MICRO);
	*capacity = net_times(bytes, cables);
	return SL_OK;
}

int net_switches_build(struct fabric_net *net, struct sl_err *err)
{
	const struct sl_cluster *cluster = net->cluster;
	if (!cluster->switch_count)
		return sl_fail(err, SL_USAGE,
			"fabric: topology=switches, and the cluster's files name none: give switches, a topology.conf, or another topology");
	int status = net_make_room(net, cluster->switch_count, 2 * (net->nodes + cluster->switch_count), err);
	uint32_t *place = sl_alloc(net->arena, cluster->switch_count, sizeof(*place));
	bool *placed = sl_alloc(net->arena, net->nodes, sizeof(*placed));
	if (status || !place || !placed)
		return status ? status : sl_fail_memory(err);
	net->switches = cluster->switch_count;
	for (uint32_t i = 0; i < net->switches; i++) {
		const struct sl_switch *sw = &cluster->sw[i];
		net->sw[i] = (struct net_switch){ .parent = sw->parent,
			.level = sw->level + 1,
			.up = NET_NONE,
			.down = NET_NONE,
			.local = NET_NONE,
			.name = sl_strdup(net->arena, sw->name, strlen(sw->name)) };
		if (!net->sw[i].name)
			return sl_fail_memory(err);
		net->levels = net->sw[i].level > net->levels ? net->sw[i].level : net->levels;
	}
	for (uint32_t node = 0; node < net->nodes; node++)
		net->leaf[node] = NET_NONE;
	walk(net, place, placed);
	links_of_nodes(net);
	for (uint32_t level = 1; level <= net->levels; level++)
		for (uint32_t i = 0; i < net->switches; i++) {
			struct net_switch *sw = &net->sw[i];
			int64_t capacity;
			if (sw->level != level || sw->parent == NET_NONE)
				continue;
			status = cables_of(net, i, &capacity, err);
			if (status)
				return status;
			capacity = capacity ? capacity : up_of(&net->config, level, sw->down_sum);
			link_of_switch(net, i, capacity);
			sum_below(net, sw->parent, sw->below, capacity);
		}
	return SL_OK;
}

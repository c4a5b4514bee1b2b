/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flows.c - which links the flows of a job cross, and how many each.
 *
 * All flows of a synchronous job run at one rate, so a job is one variable with a count at each link. Over
 * pooled switches a count is what leaves, or enters, the interval of the job's nodes below the switch: the
 * work is by switches and nodes that it uses, not by flows. Over single cables (D-mod-k) each flow is
 * followed: at level l upwards by the port floor(dst / (w1 .. wl)) mod (w_(l+1) p_(l+1)), downwards the child
 * is given, and of parallel cables it is that of src mod p, as SimGrid's FatTreeZone does; each NIC of a node
 * counts as a host of its own, which sends to the same NIC of others.
 */
#include <stdlib.h>
#include <string.h>

#include "models/fabric/net.h"

static bool net_use_add(struct fabric_net *net, uint32_t link, int64_t flows)
{
	if (link == NET_NONE || flows <= 0)
		return true;
	if (SL_GROW(net->use, net->uses_capacity, net->uses + 1, NULL))
		return false;
	net->use[net->uses++] = (struct fabric_use){ link, flows };
	return true;
}

/* ---- Pooled -------------------------------------------------------------------------------------------- */

/* The pair of groups, or the pools of each. */
static bool flows_of_groups(struct fabric_net *net, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct net_segment *from = &net->segment[i];
		const uint32_t g = net->sw[from->where].group;
		if (net->config.routing == NET_VALIANT) {
			const uint32_t out = net->pair_first + 2 * g;
			if (!net_use_add(net, out, net_out(net, from->from, from->until)) ||
				!net_use_add(net, out + 1, net_in(net, from->from, from->until)))
				return false;
			continue;
		}
		for (uint32_t k = 0; k < count; k++) {
			const struct net_segment *to = &net->segment[k];
			const uint32_t link =
				net->pair_first + g * net->group_count + net->sw[to->where].group;
			if (i != k && !net_use_add(net, link,
					      net_between(net, from->from, from->until, to->from, to->until)))
				return false;
		}
	}
	return true;
}

/* Within a group: each flow at the router where it leaves, and, from outside, where it enters the group. */
static bool flows_within_group(struct fabric_net *net, const struct net_segment *segment)
{
	const struct net_switch *sw = &net->sw[segment->where];
	if (sw->local == NET_NONE)
		return true;
	int64_t flows = net_in(net, segment->from, segment->until);
	for (uint32_t i = segment->from; i < segment->until;) {
		const uint32_t router = net->leaf[net->spot[i].node];
		uint32_t until = i + 1;
		while (until < segment->until && net->leaf[net->spot[until].node] == router)
			until++;
		flows += net_out(net, i, until);
		i = until;
	}
	return net_use_add(net, sw->local, flows);
}

/* Neighbours below the same switch become one. */
static uint32_t join_segments(struct fabric_net *net, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct net_segment *last = kept ? &net->segment[kept - 1] : NULL;
		if (last && last->where != NET_NONE && last->where == net->segment[i].where)
			last->until = net->segment[i].until;
		else
			net->segment[kept++] = net->segment[i];
	}
	return kept;
}

static bool net_flows_pooled(struct fabric_net *net)
{
	uint32_t count = net->spots;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t node = net->spot[i].node;
		net->segment[i] = (struct net_segment){ net->leaf[node], i, i + 1 };
		if (!net_use_add(net, 2 * node, net_out(net, i, i + 1)) ||
			!net_use_add(net, 2 * node + 1, net_in(net, i, i + 1)))
			return false;
	}
	for (uint32_t level = 1; level <= net->levels; level++) {
		count = join_segments(net, count);
		if (count == 1 && !net->group_level)
			return true; /* All of it is below one switch. */
		for (uint32_t i = 0; i < count; i++) {
			struct net_segment *segment = &net->segment[i];
			const struct net_switch *sw =
				segment->where == NET_NONE ? NULL : &net->sw[segment->where];
			if (!sw || sw->level != level)
				continue;
			if (level == net->group_level) {
				if (!flows_within_group(net, segment))
					return false;
				continue;
			}
			if (sw->up != NET_NONE &&
				(!net_use_add(net, sw->up, net_out(net, segment->from, segment->until)) ||
					!net_use_add(
						net, sw->down, net_in(net, segment->from, segment->until))))
				return false;
			segment->where = sw->parent;
		}
	}
	return !net->group_level || flows_of_groups(net, count);
}

/* ---- Single cables ------------------------------------------------------------------------------------- */

struct route {
	uint32_t src, dst; /* Hosts. */
	uint64_t from, to; /* Of their NICs. */
	int64_t flows;
};

static void flows_follow(struct fabric_net *net, const struct route *route)
{
	uint64_t up = route->src, down = route->dst; /* Subtrees. */
	uint64_t place = 0, beside = 1;              /* Within one: w1 .. wl to the side. */
	uint32_t top = 0;
	uint64_t beside_of[NET_LEVELS_MAX + 1];
	while (up != down) {
		const uint64_t w = net->xgft_w[top], p = net->xgft_p[top];
		const uint64_t port = route->to / beside % (w * p);
		const uint64_t cable = (up * beside + place) * w * p + port;
		net->count[net->cable_first[top] + cable] += route->flows;
		beside_of[top] = beside;
		place += port % w * beside;
		beside *= w;
		up /= net->xgft_m[top];
		down /= net->xgft_m[top];
		top++;
	}
	uint64_t subtree[NET_LEVELS_MAX + 1];
	subtree[0] = route->dst;
	for (uint32_t level = 0; level + 1 < top; level++)
		subtree[level + 1] = subtree[level] / net->xgft_m[level];
	while (top-- > 0) {
		const uint64_t w = net->xgft_w[top], p = net->xgft_p[top];
		const uint64_t child = place % beside_of[top], label = place / beside_of[top];
		const uint64_t lane = route->from % p;
		const uint64_t cable = (subtree[top] * beside_of[top] + child) * w * p + label + lane * w;
		net->count[net->cable_first[top] + net->cable_count[top] + cable] += route->flows;
		place = child;
	}
}

/* The flows from one node of the job to another, NIC by NIC; what is left over is on NICs that go by the
 * pair, so that a node of many partners uses all of its own. */
static void follow_pair(struct fabric_net *net, uint32_t i, uint32_t k)
{
	const uint32_t nics = net->nics[0].count;
	const int64_t flows = net_between(net, i, i + 1, k, k + 1);
	for (uint32_t n = 0; n < nics && flows; n++) {
		const uint64_t nic = (i + k + n) % nics;
		const struct route route = { .src = net->spot[i].node,
			.dst = net->spot[k].node,
			.from = (uint64_t)net->spot[i].node * nics + nic,
			.to = (uint64_t)net->spot[k].node * nics + nic,
			.flows = flows / nics + (n < flows % nics) };
		if (route.flows)
			flows_follow(net, &route);
	}
}

static bool net_flows_static(struct fabric_net *net)
{
	memset(net->count, 0, net->links * sizeof(*net->count));
	for (uint32_t i = 0; i < net->spots; i++)
		for (uint32_t k = 0; k < net->spots; k++)
			if (i != k)
				follow_pair(net, i, k);
	for (uint32_t link = 0; link < net->links; link++)
		if (!net_use_add(net, link, net->count[link]))
			return false;
	return true;
}

/* ---- A job --------------------------------------------------------------------------------------------- */

static int compare_links(const void *a, const void *b)
{
	const struct fabric_use *x = a, *y = b; /* A link is there once. */
	return (x->link > y->link) - (x->link < y->link);
}

static int compare_keys(const void *a, const void *b)
{
	const struct net_segment *x = a, *y = b;
	return x->where != y->where ? (x->where > y->where) - (x->where < y->where)
				    : (x->from > y->from) - (x->from < y->from);
}

/* The nodes in the net's order. */
static void sort_spots(struct fabric_net *net, const struct fabric_needs *needs)
{
	bool sorted = true;
	for (uint32_t i = 0; i < needs->spots; i++) {
		net->next[i] = (struct net_segment){ net->position[needs->spot[i].node], i, i };
		sorted = sorted && (!i || net->next[i - 1].where < net->next[i].where);
	}
	if (!sorted)
		qsort(net->next, needs->spots, sizeof(*net->next), compare_keys);
	net->spots = needs->spots;
	net->rank[0] = 0;
	for (uint32_t i = 0; i < needs->spots; i++) {
		net->spot[i] = needs->spot[net->next[i].from];
		net->rank[i + 1] = net->rank[i] + (net->spot[i].ranks ? net->spot[i].ranks : 1);
	}
}

static const struct net_nics *nics_of(const struct fabric_net *net, uint32_t spot)
{
	return &net->nics[net->cluster->node_type[net->spot[spot].node]];
}

static uint32_t rails_of(const struct fabric_net *net, uint32_t spot)
{
	const uint64_t ranks = net->rank[spot + 1] - net->rank[spot];
	return ranks < nics_of(net, spot)->count ? (uint32_t)ranks : nics_of(net, spot)->count;
}

/* What the NICs of its nodes let through, shared among all flows of a node. */
static int64_t rate_by_nics(const struct fabric_net *net)
{
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < net->spots; i++) {
		const int64_t out = net_out(net, i, i + 1), in = net_in(net, i, i + 1);
		const int64_t flows = out > in ? out : in;
		const int64_t all = net_times(nics_of(net, i)->rate, rails_of(net, i));
		const int64_t rate = flows > 0 && all < INT64_MAX ? all / flows : INT64_MAX;
		least = rate < least ? rate : least;
	}
	return least > 0 ? least : 1;
}

int fabric_flows(struct fabric_net *net, const struct fabric_needs *needs, struct fabric_path *path)
{
	SL_CHECK(needs->spots <= net->nodes);
	net->uses = 0;
	*path = (struct fabric_path){ .nodes = needs->spots, .flow_rate = INT64_MAX };
	sort_spots(net, needs);
	for (uint32_t i = 0; i < net->spots; i++) {
		const uint32_t ranks = (uint32_t)(net->rank[i + 1] - net->rank[i]);
		const uint32_t rails = rails_of(net, i);
		path->ranks += ranks;
		path->ranks_most = ranks > path->ranks_most ? ranks : path->ranks_most;
		path->rails = !path->rails || rails < path->rails ? rails : path->rails;
	}
	net->rails = path->rails;
	if (needs->pattern == SL_PATTERN_NONE || !needs->spots)
		return SL_OK;
	net_pattern_begin(net, needs);
	net_cost(net, path);
	if (net->spots < 2)
		return SL_OK;
	path->flow_rate = rate_by_nics(net);
	if (!(net->config.routing == NET_DMODK ? net_flows_static(net) : net_flows_pooled(net)))
		return SL_SYSTEM;
	qsort(net->use, net->uses, sizeof(*net->use), compare_links);
	path->use = net->use;
	path->uses = net->uses;
	return SL_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flows_pattern.c - who sends to whom: counts of flows between intervals of a job's nodes, by pattern.
 *
 * Rings, trees and hierarchical all-reduce run once over each rail that all nodes have. The double binary
 * tree is that of NCCL (github.com/NVIDIA/nccl, src/graph/trees.cc; Sanders, Speck & Träff, Parallel
 * Computing 35(12), 2009): each tree carries half of the data, up for the reduction and down again.
 * Neighbours on a line, a plane or in space: ranks in row order on a grid with sides as equal as can be,
 * without wrapping around. All-to-all: a flow for each pair of nodes, which carries
 * what the ranks of the two exchange; where nodes differ, as much as between the two with most ranks.
 * Broadcast: from the first node, flat to each other one, or as a chain. Parameter server: on the first node,
 * a flow each way to each other node.
 */
#include "models/fabric/net.h"

/* ---- The double tree ----------------------------------------------------------------------------------- */

/* The parent in NCCL's tree, in which every second rank is a leaf. */
static uint32_t tree_parent(uint32_t count, uint32_t rank)
{
	if (!rank)
		return NET_NONE;
	const uint32_t bit = rank & (~rank + 1);
	const uint64_t up = (uint64_t)(rank ^ bit) | (uint64_t)bit << 1;
	return up < count ? (uint32_t)up : rank ^ bit;
}

/* Of the second tree: the mirror image for an even number, else moved on by one. */
static uint32_t second_parent(uint32_t count, uint32_t rank)
{
	const uint32_t image = count % 2 ? (rank + count - 1) % count : count - 1 - rank;
	const uint32_t parent = tree_parent(count, image);
	if (parent == NET_NONE)
		return NET_NONE;
	return count % 2 ? (parent + 1) % count : count - 1 - parent;
}

static void make_trees(struct fabric_net *net)
{
	const uint32_t count = net->spots;
	for (int tree = 0; tree < 2; tree++) {
		for (uint32_t i = 0; i < count; i++)
			net->child[tree][0][i] = net->child[tree][1][i] = NET_NONE;
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t parent = tree ? second_parent(count, i) : tree_parent(count, i);
			net->parent[tree][i] = parent;
			if (parent == NET_NONE)
				continue;
			uint32_t *first = &net->child[tree][0][parent];
			uint32_t *slot = *first == NET_NONE ? first : &net->child[tree][1][parent];
			SL_CHECK(*slot == NET_NONE);
			*slot = i;
		}
	}
}

static bool inside(uint32_t i, uint32_t from, uint32_t until) { return i >= from && i < until; }

static int64_t between_trees(
	const struct fabric_net *net, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
	int64_t flows = 0;
	for (int tree = 0; tree < 2; tree++)
		for (uint32_t i = a; i < a_end; i++) {
			flows += inside(net->parent[tree][i], b, b_end);
			flows += inside(net->child[tree][0][i], b, b_end);
			flows += inside(net->child[tree][1][i], b, b_end);
		}
	return flows * net->rails;
}

/* ---- Grids --------------------------------------------------------------------------------------------- */

static bool is_side(uint64_t factor, uint64_t ranks, uint32_t left)
{
	return (left == 2 ? factor * factor : factor * factor * factor) >= ranks;
}

void net_grid_of(uint64_t ranks, uint32_t dims, uint32_t *side)
{
	SL_CHECK(ranks > 0);
	for (uint32_t d = 0; d < dims; d++) {
		/* The least factor that is not below the root of what is left, for the sides that are left.
		 */
		const uint32_t left = dims - d;
		uint64_t best = ranks;
		for (uint64_t f = 1; left > 1 && f * f <= ranks; f++) {
			if (ranks % f)
				continue;
			best = ranks / f < best && is_side(ranks / f, ranks, left) ? ranks / f : best;
			best = f < best && is_side(f, ranks, left) ? f : best;
		}
		side[d] = (uint32_t)best;
		SL_CHECK(best > 0);
		ranks /= best;
	}
}

/* Of the ranks below `until`, those that are not the last of their row of that side: rank / stride mod side.
 */
static uint64_t with_next(uint64_t until, uint64_t stride, uint64_t side)
{
	const uint64_t row = stride * side, rest = until % row, most = stride * (side - 1);
	return until / row * most + (rest < most ? rest : most);
}

static int64_t between_neighbours(
	const struct fabric_net *net, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
	const uint64_t from = net->rank[a], until = net->rank[a_end];
	const uint64_t low = net->rank[b], high = net->rank[b_end];
	int64_t flows = 0;
	uint64_t stride = 1;
	for (uint32_t d = net->dims; d-- > 0;) {
		const uint64_t side = net->dim[d];
		/* To the next one: rank r of [from, until), r + stride of [low, high). */
		uint64_t first = low > stride ? low - stride : 0, last = high > stride ? high - stride : 0;
		first = first > from ? first : from;
		last = last < until ? last : until;
		if (first < last)
			flows += (int64_t)(with_next(last, stride, side) - with_next(first, stride, side));
		/* To the one before: rank r of [low, high), r + stride of [from, until). */
		first = from > stride ? from - stride : 0;
		last = until > stride ? until - stride : 0;
		first = first > low ? first : low;
		last = last < high ? last : high;
		if (first < last)
			flows += (int64_t)(with_next(last, stride, side) - with_next(first, stride, side));
		stride *= side;
	}
	return flows;
}

/* ---- All patterns -------------------------------------------------------------------------------------- */

int64_t net_between(const struct fabric_net *net, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
	if (a == a_end || b == b_end)
		return 0;
	const int64_t nodes_a = a_end - a, nodes_b = b_end - b;
	switch (net->pattern) {
	case SL_PATTERN_RING:
	case SL_PATTERN_RS_AG:
	case SL_PATTERN_HIER:
		return inside(a_end % net->spots, b, b_end) ? net->rails : 0;
	case SL_PATTERN_TREE:
		return between_trees(net, a, a_end, b, b_end);
	case SL_PATTERN_ALLTOALL:
		return nodes_a * nodes_b;
	case SL_PATTERN_NEIGHBOUR:
		return between_neighbours(net, a, a_end, b, b_end);
	case SL_PATTERN_BROADCAST:
		if (net->config.chain)
			return inside(a_end, b, b_end);
		return a == 0 ? nodes_b : 0;
	case SL_PATTERN_SERVER:
		return a == 0 ? nodes_b : b == 0 ? nodes_a : 0;
	case SL_PATTERN_NONE:
	case SL_PATTERN_COUNT:
		break;
	}
	return 0;
}

int64_t net_out(const struct fabric_net *net, uint32_t from, uint32_t until)
{
	return net_between(net, from, until, 0, from) + net_between(net, from, until, until, net->spots);
}

int64_t net_in(const struct fabric_net *net, uint32_t from, uint32_t until)
{
	return net_between(net, 0, from, from, until) + net_between(net, until, net->spots, from, until);
}

void net_pattern_begin(struct fabric_net *net, const struct fabric_needs *needs)
{
	net->pattern = needs->pattern;
	if (needs->pattern == SL_PATTERN_TREE)
		make_trees(net);
	if (needs->pattern == SL_PATTERN_NEIGHBOUR) {
		net->dims = needs->dims < 1 ? 1 : needs->dims > 3 ? 3 : needs->dims;
		net_grid_of(net->rank[net->spots], net->dims, net->dim);
	}
}

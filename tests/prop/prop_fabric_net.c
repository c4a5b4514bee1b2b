/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_fabric_net.c - flows over links, against a slow reference: each flow of a job by itself, followed from
 * node to node, over random forests of switches, placements and patterns; and single cables against pools.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/fabric_world.h"

enum { ROUNDS = 400, NODES = 40, SWITCHES = 24 };

struct drawn {
	struct fabric_world world;
	struct sl_switch sw[SWITCHES];
	uint32_t below[SWITCHES][NODES];
	uint32_t parent[SWITCHES], leaf[NODES];
	uint32_t nodes, switches;
	struct fabric_spot spot[NODES];
	uint32_t spots;
	uint64_t ranks;
	uint32_t rank_spot[NODES * 8]; /* By rank in the net's order. */
	int64_t flows[NODES][NODES];   /* By spot in the net's order. */
};

static uint32_t below(struct sl_rng *rng, uint32_t bound) { return (uint32_t)sl_rng_below(rng, bound); }

/* Leaves with nodes in any order, then switches above, until one or two are left. */
static void draw_switches(struct drawn *d, struct sl_rng *rng)
{
	const uint32_t leaves = 1 + below(rng, 8);
	uint32_t first = 0, count = leaves;
	memset(d->sw, 0, sizeof(d->sw));
	for (uint32_t node = 0; node < d->nodes; node++)
		d->leaf[node] = below(rng, leaves);
	d->switches = leaves;
	for (uint32_t i = 0; i < SWITCHES; i++)
		d->parent[i] = UINT32_MAX;
	while (count > 2) {
		const uint32_t above = 1 + below(rng, count / 2);
		for (uint32_t i = 0; i < above; i++)
			d->sw[d->switches + i].level = d->sw[first].level + 1;
		for (uint32_t i = first; i < first + count; i++)
			d->parent[i] = d->switches + below(rng, above);
		first += count;
		count = above;
		d->switches += above;
	}
	for (uint32_t node = 0; node < d->nodes; node++)
		for (uint32_t s = d->leaf[node]; s != UINT32_MAX; s = d->parent[s])
			d->below[s][d->sw[s].node_count++] = node;
	for (uint32_t i = 0; i < d->switches; i++) {
		d->sw[i].name = "s";
		d->sw[i].parent = d->parent[i];
		d->sw[i].node = d->below[i];
	}
}

static void draw_spots(struct drawn *d, struct sl_rng *rng)
{
	d->spots = 0;
	for (uint32_t node = 0; node < d->nodes; node++)
		if (below(rng, 3))
			d->spot[d->spots++] = (struct fabric_spot){ node, 1 + below(rng, 6) };
}

/* ---- Each flow by itself ---- */

/* The net's order of the spots, by position. */
static void order_spots(struct drawn *d, uint32_t *order)
{
	for (uint32_t i = 0; i < d->spots; i++) {
		uint32_t k = i;
		for (; k && d->world.net->position[d->spot[order[k - 1]].node] >
				    d->world.net->position[d->spot[i].node];
			k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	d->ranks = 0;
	for (uint32_t i = 0; i < d->spots; i++)
		for (uint32_t k = 0; k < d->spot[order[i]].ranks; k++)
			d->rank_spot[d->ranks++] = i;
}

static void flow(struct drawn *d, uint32_t from, uint32_t to, int64_t count)
{
	if (from != to)
		d->flows[from][to] += count;
}

/* The in-order binary tree by its definition: parent of a rank with lowest bit b. */
static uint32_t parent_of(uint32_t count, uint32_t rank)
{
	uint32_t bit = 1;
	while (!(rank & bit))
		bit *= 2;
	const uint32_t up = (rank - bit) | (2 * bit);
	return up < count ? up : rank - bit;
}

static void each_flow(struct drawn *d, enum sl_pattern pattern, uint32_t dims, bool chain, uint32_t rails)
{
	const uint32_t k = d->spots;
	const uint32_t p = (uint32_t)d->ranks;
	uint32_t side[3] = { 1, 1, 1 };
	memset(d->flows, 0, sizeof(d->flows));
	if (pattern == SL_PATTERN_NEIGHBOUR)
		net_grid_of(d->ranks, dims, side);
	for (uint32_t i = 0; i < k; i++) {
		if (pattern == SL_PATTERN_RING || pattern == SL_PATTERN_HIER || pattern == SL_PATTERN_RS_AG)
			flow(d, i, (i + 1) % k, rails);
		if (pattern == SL_PATTERN_BROADCAST && i > 0)
			flow(d, chain ? i - 1 : 0, i, 1);
		for (uint32_t to = 0; to < k && pattern == SL_PATTERN_ALLTOALL; to++)
			flow(d, i, to, 1);
		if (pattern == SL_PATTERN_SERVER) {
			flow(d, 0, i, 1);
			flow(d, i, 0, 1);
		}
		if (pattern == SL_PATTERN_TREE && i > 0) {
			const uint32_t up = parent_of(k, i);
			const uint32_t a = k % 2 ? (i + 1) % k : k - 1 - i;
			const uint32_t b = k % 2 ? (up + 1) % k : k - 1 - up;
			flow(d, i, up, rails);
			flow(d, up, i, rails);
			flow(d, a, b, rails);
			flow(d, b, a, rails);
		}
	}
	for (uint32_t a = 0; a < p; a++)
		for (uint32_t b = 0; b < p; b++) {
			if (pattern != SL_PATTERN_NEIGHBOUR)
				continue;
			/* Row order: the last side runs fastest. */
			uint32_t x = a, y = b, apart = 0;
			for (uint32_t s = dims; s-- > 0;) {
				const uint32_t u = x % side[s], v = y % side[s];
				apart += u > v ? u - v : v - u;
				x /= side[s];
				y /= side[s];
			}
			if (apart == 1)
				flow(d, d->rank_spot[a], d->rank_spot[b], 1);
		}
}

static bool is_below(const struct drawn *d, uint32_t node, uint32_t sw)
{
	for (uint32_t s = d->leaf[node]; s != UINT32_MAX; s = d->parent[s])
		if (s == sw)
			return true;
	return false;
}

static int64_t use_of(const struct fabric_path *path, uint32_t link)
{
	for (uint32_t i = 0; i < path->uses; i++)
		if (path->use[i].link == link)
			return path->use[i].flows;
	return 0;
}

static void compare(struct drawn *d, const struct fabric_path *path, const uint32_t *order, const char *what)
{
	int64_t up = 0, down = 0;
	for (uint32_t i = 0; i < d->spots; i++) {
		int64_t out = 0, in = 0;
		for (uint32_t k = 0; k < d->spots; k++) {
			out += d->flows[i][k];
			in += d->flows[k][i];
		}
		const uint32_t node = d->spot[order[i]].node;
		cr_assert_eq(use_of(path, 2 * node), out, "%s: node %u sends %lld, not %lld", what, node,
			(long long)use_of(path, 2 * node), (long long)out);
		cr_assert_eq(use_of(path, 2 * node + 1), in, "%s: node %u gets", what, node);
		up += use_of(path, 2 * node);
		down += use_of(path, 2 * node + 1);
	}
	cr_assert_eq(up, down, "%s: what is sent arrives", what);
	for (uint32_t s = 0; s < d->switches; s++) {
		int64_t out = 0, in = 0;
		if (d->parent[s] == UINT32_MAX)
			continue;
		for (uint32_t i = 0; i < d->spots; i++)
			for (uint32_t k = 0; k < d->spots; k++) {
				const bool from = is_below(d, d->spot[order[i]].node, s);
				const bool to = is_below(d, d->spot[order[k]].node, s);
				out += from && !to ? d->flows[i][k] : 0;
				in += to && !from ? d->flows[i][k] : 0;
			}
		cr_assert_eq(use_of(path, d->world.net->sw[s].up), out, "%s: up of switch %u", what, s);
		cr_assert_eq(use_of(path, d->world.net->sw[s].down), in, "%s: down of switch %u", what, s);
	}
}

Test(prop_fabric_net, pooled_counts_are_those_of_each_flow)
{
	struct drawn *d = calloc(1, sizeof(*d));
	cr_assert_not_null(d);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct sl_rng rng = sl_rng_stream(round, "tests/prop_fabric");
		d->nodes = 2 + below(&rng, NODES - 2);
		draw_switches(d, &rng);
		draw_spots(d, &rng);
		if (d->spots < 2)
			continue;
		memset(&d->world, 0, sizeof(d->world));
		d->world.type.name = "n";
		d->world.cluster = (struct sl_cluster){ .node_count = d->nodes,
			.type_count = 1,
			.kind_count = 2,
			.node_type = d->world.node_type,
			.type = &d->world.type,
			.sw = d->sw,
			.switch_count = d->switches };
		const bool chain = round % 2;
		cr_assert_eq(fabric_world_over(&d->world, chain ? "nics=4 broadcast=chain" : "nics=4"), SL_OK,
			"%s", d->world.err.text);
		for (uint32_t pattern = SL_PATTERN_RING; pattern < SL_PATTERN_COUNT; pattern++) {
			const uint32_t dims = 1 + below(&rng, 3);
			const struct fabric_needs needs = { .pattern = (enum sl_pattern)pattern,
				.dims = dims,
				.spot = d->spot,
				.spots = d->spots };
			struct fabric_path path;
			uint32_t order[NODES];
			char what[80];
			cr_assert_eq(fabric_flows(d->world.net, &needs, &path), SL_OK);
			order_spots(d, order);
			each_flow(d, needs.pattern, dims, chain, path.rails);
			(void)snprintf(
				what, sizeof(what), "round %u, pattern %u, %u-D", round, pattern, dims);
			cr_assert_eq(path.ranks, d->ranks);
			compare(d, &path, order, what);
		}
		fabric_world_free(&d->world);
	}
	free(d);
}

/* ---- Cables and pools ---- */

/* The time of one byte a flow, alone: pools are the ideal of what single cables reach. */
Test(prop_fabric_net, single_cables_are_never_better_than_pools)
{
	static const char *const trees[] = { "topology=xgft xgft=2;4/4;1/2",
		"topology=xgft xgft=2;4/5;1/2;1/2", "topology=xgft xgft=3;2/3/4;1/2/2",
		"topology=fat_tree k=4", "topology=xgft xgft=3;3/2/3;2/2/1;1/1/2" };
	static const uint32_t nodes[] = { 16, 20, 24, 16, 18 };
	struct fabric_world *pooled = malloc(sizeof(*pooled)), *cables = malloc(sizeof(*cables));
	cr_assert(pooled && cables);
	for (uint32_t round = 0; round < ROUNDS / 4; round++) {
		struct sl_rng rng = sl_rng_stream(round, "tests/prop_fabric/cables");
		const uint32_t tree = below(&rng, SL_LEN(trees));
		char text[120];
		struct fabric_spot spot[NODES];
		uint32_t spots = 0;
		cr_assert_eq(
			fabric_world_make(pooled, nodes[tree], trees[tree]), SL_OK, "%s", pooled->err.text);
		(void)snprintf(text, sizeof(text), "%s routing=dmodk", trees[tree]);
		cr_assert_eq(fabric_world_make(cables, nodes[tree], text), SL_OK, "%s", cables->err.text);
		for (uint32_t node = 0; node < nodes[tree]; node++)
			if (below(&rng, 2))
				spot[spots++] = (struct fabric_spot){ node, 1 + below(&rng, 3) };
		for (uint32_t pattern = SL_PATTERN_RING; pattern < SL_PATTERN_COUNT; pattern++) {
			const struct fabric_needs needs = {
				.pattern = (enum sl_pattern)pattern, .dims = 2, .spot = spot, .spots = spots
			};
			struct fabric_path ideal, real;
			cr_assert_eq(fabric_flows(pooled->net, &needs, &ideal), SL_OK);
			cr_assert_eq(fabric_flows(cables->net, &needs, &real), SL_OK);
			const double a = fabric_alone(pooled, &ideal), b = fabric_alone(cables, &real);
			cr_assert_leq(b, a * (1 + 1e-12), "%s, pattern %u: %g over cables, %g over pools",
				text, pattern, b, a);
			/* Cables of a level carry, together, what its pools do. */
			const struct fabric_link *link;
			const uint32_t links = fabric_net_links(cables->net, &link);
			int64_t up[8] = { 0 }, down[8] = { 0 };
			for (uint32_t i = 0; i < real.uses; i++) {
				cr_assert_lt(real.use[i].link, links);
				const size_t len = strlen(link[real.use[i].link].name);
				const bool is_up = strcmp(link[real.use[i].link].name + len - 2, "up") == 0;
				(is_up ? up : down)[link[real.use[i].link].level] += real.use[i].flows;
			}
			int64_t pools[8] = { 0 };
			const struct fabric_link *pool;
			fabric_net_links(pooled->net, &pool);
			for (uint32_t i = 0; i < ideal.uses; i++)
				if (ideal.use[i].link % 2 == 0)
					pools[pool[ideal.use[i].link].level] += ideal.use[i].flows;
			for (int level = 0; level < 8; level++)
				cr_assert(up[level] == down[level] && up[level] == pools[level],
					"%s, pattern %u, level %d: %lld up, %lld down, pools %lld", text,
					pattern, level, (long long)up[level], (long long)down[level],
					(long long)pools[level]);
		}
		fabric_world_free(pooled);
		fabric_world_free(cables);
	}
	free(pooled);
	free(cables);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fabric_net.c - fabrics by hand: links of each topology, where flows go, what steps cost.
 *
 * Rates are in GB/s and small numbers, so that each figure can be counted on a drawing.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/fabric_world.h"

#define GB 1e9

static void similar(double is, double wanted, const char *what)
{
	cr_assert_lt(
		fabs(is - wanted), 1e-9 * fabs(wanted) + 1e-15, "%s: %.12g, not %.12g", what, is, wanted);
}

static struct fabric_world *made(uint32_t nodes, const char *parameters)
{
	struct fabric_world *w = malloc(sizeof(*w));
	cr_assert_not_null(w);
	cr_assert_eq(fabric_world_make(w, nodes, parameters), SL_OK, "%s: %s", parameters, w->err.text);
	return w;
}

static void unmake(struct fabric_world *w)
{
	fabric_world_free(w);
	free(w);
}

static void refused(uint32_t nodes, const char *parameters, const char *wanted)
{
	struct fabric_world *w = malloc(sizeof(*w));
	cr_assert_not_null(w);
	const int status = fabric_world_make(w, nodes, parameters);
	cr_expect_eq(status, SL_USAGE, "%s: status %d", parameters, status);
	cr_expect_not_null(
		strstr(w->err.text, wanted), "%s: '%s' has no '%s'", parameters, w->err.text, wanted);
	unmake(w);
}

/* ---- Rates and lists ---- */

Test(fabric_net, rates)
{
	static const struct {
		const char *text;
		int64_t bytes; /* 0: refused. */
	} cases[] = {
		{ "EDR", 12500000000 },
		{ "hdr", 25000000000 },
		{ "HDR100", 12500000000 },
		{ "NDR200", 25000000000 },
		{ "NDR", 50000000000 },
		{ "XDR", 100000000000 },
		{ "100", 12500000000 },
		{ "100 Gb/s", 12500000000 },
		{ "12.5GB/s", 12500000000 },
		{ "infinite", INT64_MAX },
		{ "0", 0 },
		{ "fast", 0 },
		{ "10 furlongs", 0 },
		{ "", 0 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		int64_t bytes = 0;
		const bool read = net_rate_of(cases[i].text, &bytes);
		cr_expect_eq(read ? bytes : 0, cases[i].bytes, "%s: %lld", cases[i].text, (long long)bytes);
	}
}

/* 8 nodes of 1 x 12.5, 4 a leaf, 4:1: 50 comes from below, 12.5 goes up. */
Test(fabric_net, tree_oversubscribed)
{
	struct fabric_world *w = made(8, "topology=tree nodes_per_leaf=4 rate=EDR oversubscription=4:1");
	cr_expect_eq(fabric_link_named(w, "node7:up")->capacity, 12500000000);
	cr_expect_eq(fabric_link_named(w, "leaf0:up")->capacity, 12500000000);
	cr_expect_eq(fabric_link_named(w, "leaf1:down")->capacity, 12500000000);
	cr_expect_not(fabric_link_named(w, "leaf0:up")->never_full);
	unmake(w);
	/* 1:1 can never be full, and what protocols take, they take everywhere. */
	w = made(8, "topology=tree nodes_per_leaf=4 rate=EDR efficiency=0.5");
	cr_expect_eq(fabric_link_named(w, "leaf0:up")->capacity, 25000000000);
	cr_expect(fabric_link_named(w, "leaf0:up")->never_full);
	unmake(w);
	/* The last leaf has 2 nodes, and the cables of the others: 2:1 of 4 is 25, which 2 nodes cannot fill.
	 */
	w = made(6, "topology=tree nodes_per_leaf=4 rate=EDR oversubscription=2");
	cr_expect_eq(fabric_link_named(w, "leaf1:up")->capacity, 25000000000);
	cr_expect(fabric_link_named(w, "leaf1:up")->never_full);
	cr_expect_not(fabric_link_named(w, "leaf0:up")->never_full);
	unmake(w);
	/* Three levels, by cables: 3 of 25 from a leaf, 4 from a spine. */
	w = made(16,
		"topology=tree levels=3 nodes_per_leaf=4 switches_per_group=2 rate=EDR uplink_rate=HDR up_cables=3/4");
	cr_expect_eq(fabric_link_named(w, "leaf3:up")->capacity, 75000000000);
	cr_expect_eq(fabric_link_named(w, "spine1:up")->capacity, 100000000000);
	cr_expect_eq(fabric_link_named(w, "spine1:up")->level, 2);
	unmake(w);
}

Test(fabric_net, infinite)
{
	struct fabric_world *w = made(8, "topology=tree nodes_per_leaf=4 rate=infinite oversubscription=4");
	const struct fabric_path path = fabric_row(w, SL_PATTERN_ALLTOALL, 0, 8, 1);
	const struct fabric_link *link;
	const uint32_t links = fabric_net_links(w->net, &link);
	for (uint32_t i = 0; i < links; i++)
		cr_expect(link[i].never_full && link[i].capacity == INT64_MAX, "%s", link[i].name);
	cr_expect_eq(path.flow_rate, INT64_MAX);
	unmake(w);
}

/* ---- T1, T2: collectives alone ---- */

static double time_alone(
	struct fabric_world *w, enum sl_pattern pattern, uint32_t nodes, uint32_t ranks, double bytes)
{
	const struct fabric_path path = fabric_row(w, pattern, 0, nodes, ranks);
	const double rate = nodes > 1 ? fabric_alone(w, &path) : 1;
	return bytes * path.volume / rate + bytes * path.inside + path.latency;
}

Test(fabric_net, t1_ring)
{
	struct fabric_world *w = made(4, "topology=tree rate=EDR alpha=5");
	similar(time_alone(w, SL_PATTERN_RING, 4, 1, GB), 0.12003, "ring of 4");
	similar(time_alone(w, SL_PATTERN_RS_AG, 4, 1, GB), 0.12003, "reduce-scatter, all-gather");
	unmake(w);
}

Test(fabric_net, t2_hierarchical)
{
	struct fabric_world *w = made(4, "topology=tree rate=HDR nics=8 nvlink=240GB/s");
	similar(time_alone(w, SL_PATTERN_HIER, 4, 8, 1.4 * GB), 0.020839933333333, "8 NICs");
	unmake(w);
	w = made(4, "topology=tree rate=HDR nics=1 nvlink=240GB/s");
	similar(time_alone(w, SL_PATTERN_HIER, 4, 8, 1.4 * GB), 0.094339933333333, "one NIC");
	unmake(w);
	/* A flat ring of 32, each step over the network. */
	w = made(32, "topology=tree rate=EDR");
	similar(time_alone(w, SL_PATTERN_RING, 32, 1, 1.4 * GB), 0.217868, "flat ring of 32");
	unmake(w);
}

/* 2 M / B by a double tree, 2 log2 steps: 4 nodes, B 12.5: 0.16 s for 1 GB. */
Test(fabric_net, tree_pattern_alone)
{
	struct fabric_world *w = made(4, "topology=tree rate=EDR alpha=5");
	const struct fabric_path path = fabric_row(w, SL_PATTERN_TREE, 0, 4, 1);
	/* 0-2, 2-1, 2-3; and its mirror image 3-1, 1-2, 1-0. Node 1: 1 edge and 3. */
	cr_expect_eq(fabric_flows_on(w, &path, "node1:up"), 4);
	cr_expect_eq(fabric_flows_on(w, &path, "node0:up"), 2);
	similar(time_alone(w, SL_PATTERN_TREE, 4, 1, GB), 0.16 + 4 * 5e-6, "double tree");
	unmake(w);
}

/* On one node, over NVLink alone: 2 * 7/8 M / 240 GB/s, 14 steps of 3.4 us. */
Test(fabric_net, one_node)
{
	struct fabric_world *w = made(4, "topology=tree rate=EDR nvlink=240GB/s");
	const struct fabric_path path = fabric_row(w, SL_PATTERN_HIER, 1, 1, 8);
	cr_expect_eq(path.uses, 0);
	similar(time_alone(w, SL_PATTERN_HIER, 1, 8, GB), 1.75 / 240 + 14 * 3.4e-6, "one node");
	unmake(w);
}

/* Beyond a leaf, each step has two switches more. */
Test(fabric_net, hops)
{
	struct fabric_world *w = made(8, "topology=tree nodes_per_leaf=4 rate=EDR alpha=5 hop=0.5");
	similar(fabric_row(w, SL_PATTERN_RING, 0, 4, 1).latency, 6 * 5e-6, "a leaf");
	similar(fabric_row(w, SL_PATTERN_RING, 0, 8, 1).latency, 14 * 6e-6, "two leaves");
	unmake(w);
}

/* ---- T10 ---- */

Test(fabric_net, t10_alltoall)
{
	struct fabric_world *w = made(8, "topology=tree nodes_per_leaf=4 rate=EDR oversubscription=2");
	struct fabric_path path = fabric_row(w, SL_PATTERN_ALLTOALL, 0, 8, 1);
	cr_expect_eq(fabric_flows_on(w, &path, "leaf0:up"), 16);
	cr_expect_eq(fabric_flows_on(w, &path, "node3:down"), 7);
	similar(fabric_alone(w, &path), 1.5625 * GB, "2:1");
	similar(0.8 * GB * path.volume / fabric_alone(w, &path), 0.064, "100 MB a pair");
	unmake(w);
	w = made(8, "topology=tree nodes_per_leaf=4 rate=EDR");
	path = fabric_row(w, SL_PATTERN_ALLTOALL, 0, 8, 1);
	similar(0.8 * GB * path.volume / fabric_alone(w, &path), 0.056, "1:1");
	unmake(w);
}

/* 8 ranks a node are still one flow for each pair of nodes, of 64 times what a pair of ranks has. Of nodes
 * with 4, 2 and 2 ranks each carries what the first two exchange. */
Test(fabric_net, alltoall_of_ranks)
{
	struct fabric_world *w = made(8, "topology=tree nodes_per_leaf=4 rate=EDR");
	struct fabric_path path = fabric_row(w, SL_PATTERN_ALLTOALL, 0, 8, 8);
	cr_expect_eq(fabric_flows_on(w, &path, "node3:up"), 7);
	similar(path.volume, 1, "64 / 64");
	const struct fabric_spot spot[] = { { 0, 4 }, { 1, 2 }, { 2, 2 } };
	const struct fabric_needs needs = { .pattern = SL_PATTERN_ALLTOALL, .spot = spot, .spots = 3 };
	cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
	cr_expect_eq(fabric_flows_on(w, &path, "node0:up"), 2);
	cr_expect_eq(fabric_flows_on(w, &path, "node1:up"), 2);
	similar(path.volume, 1, "8 / 8");
	unmake(w);
}

/* ---- T6 ---- */

static double rate_of_two(const char *parameters, uint32_t a, uint32_t b)
{
	struct fabric_world *w = made(16, parameters);
	const struct fabric_link *link;
	const uint32_t links = fabric_net_links(w->net, &link);
	int64_t *flows = calloc(links, sizeof(*flows));
	cr_assert_not_null(flows);
	/* Broadcasts to one other node: a flow from 0 to a, one from 1 to b. */
	const struct fabric_spot spot[2][2] = { { { 0, 1 }, { a, 1 } }, { { 1, 1 }, { b, 1 } } };
	for (int job = 0; job < 2; job++) {
		const struct fabric_needs needs = {
			.pattern = SL_PATTERN_BROADCAST, .spot = spot[job], .spots = 2
		};
		struct fabric_path path;
		cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
		for (uint32_t i = 0; i < path.uses; i++)
			flows[path.use[i].link] += path.use[i].flows;
	}
	double least = 1e18;
	for (uint32_t i = 0; i < links; i++)
		if (flows[i] && (double)link[i].capacity / (double)flows[i] < least)
			least = (double)link[i].capacity / (double)flows[i];
	free(flows);
	unmake(w);
	return least / GB;
}

Test(fabric_net, t6_dmodk)
{
	similar(rate_of_two("topology=xgft xgft=2;4/4;1/2 rate=EDR routing=dmodk", 4, 6), 6.25,
		"both by port 0");
	similar(rate_of_two("topology=xgft xgft=2;4/4;1/2 rate=EDR routing=dmodk", 4, 5), 12.5,
		"ports 0 and 1");
	similar(rate_of_two("topology=xgft xgft=2;4/4;1/2 rate=EDR", 4, 6), 12.5, "pooled");
}

/* Downwards, of two parallel cables it is that of src mod 2. */
Test(fabric_net, dmodk_parallel)
{
	similar(rate_of_two("topology=xgft xgft=2;4/4;1/1;1/2 rate=EDR routing=dmodk", 4, 6), 6.25,
		"up by dst");
	similar(rate_of_two("topology=xgft xgft=2;4/4;1/1;1/2 rate=EDR routing=dmodk", 4, 5), 12.5,
		"up and down");
}

/* k = 4: 16 nodes, pods of 4; 2 cables up a leaf, 4 a pod. */
/* Two NICs a node, each a host of its own. Node 0 sends to 2 and 3 over the top: with its NIC 1 to NIC 1 of
 * node 2, with its NIC 0 to NIC 0 of node 3, so that no cable has both: up they go by hosts 5 and 6, down by
 * hosts 1 and 0. */
Test(fabric_net, dmodk_nics)
{
	struct fabric_world *w = made(4, "topology=xgft xgft=2;2/2;1/1;2/2 rate=EDR routing=dmodk");
	const struct fabric_spot spot[] = { { 0, 2 }, { 2, 2 }, { 3, 2 } };
	const struct fabric_needs needs = { .pattern = SL_PATTERN_BROADCAST, .spot = spot, .spots = 3 };
	struct fabric_path path;
	cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
	static const char *const cable[] = { "level0:cable0:up", "level0:cable1:up", "level1:cable0:up",
		"level1:cable1:up", "level1:cable2:down", "level1:cable3:down", "level0:cable5:down",
		"level0:cable6:down" };
	for (size_t i = 0; i < SL_LEN(cable); i++)
		cr_expect_eq(fabric_flows_on(w, &path, cable[i]), 1, "%s: %lld", cable[i],
			(long long)fabric_flows_on(w, &path, cable[i]));
	/* All to all: of its three flows a node has two on one NIC, one on the other. */
	path = fabric_row(w, SL_PATTERN_ALLTOALL, 0, 4, 2);
	cr_expect_eq(fabric_flows_on(w, &path, "level0:cable0:up"), 1);
	cr_expect_eq(fabric_flows_on(w, &path, "level0:cable1:up"), 2);
	unmake(w);
}

Test(fabric_net, fat_tree)
{
	struct fabric_world *w = made(16, "topology=fat_tree k=4 rate=EDR");
	cr_expect_eq(fabric_link_named(w, "leaf7:up")->capacity, 25000000000);
	cr_expect_eq(fabric_link_named(w, "pod3:up")->capacity, 50000000000);
	cr_expect(fabric_link_named(w, "pod3:up")->never_full);
	unmake(w);
	refused(17, "topology=fat_tree k=4", "room for 16 nodes");
	refused(16, "topology=fat_tree k=3", "k even");
	refused(4, "topology=xgft", "needs its sizes");
	refused(4, "topology=xgft xgft=2;4/4;1", "its height");
	refused(4, "topology=xgft xgft=2;4/4;1/2 nics=2", "they are the same");
	refused(4, "topology=tree routing=dmodk", "use xgft or fat_tree");
	refused(4, "topology=tree routing=valiant", "give adaptive or dmodk");
	refused(4, "topology=tree levels=3", "switches_per_group");
	refused(4, "topology=tree rate=slow", "is not a rate");
	refused(4, "topology=ring", "schedlab-fabric(7)");
	refused(4, "topology=switches", "name none");
	refused(4200, "topology=xgft xgft=1;4200;1 routing=dmodk", "at most 4096 nodes");
}

/* ---- Rails: the counts of NVIDIA's tables of the SuperPOD (H100). ---- */

Test(fabric_net, rails)
{
	static const struct {
		uint64_t units, leaves, spines, cores, node, leaf, spine;
	} rows[] = {
		{ 2, 16, 8, 0, 512, 512, 0 },
		{ 4, 32, 16, 0, 1024, 1024, 0 },
		{ 8, 64, 32, 0, 2048, 2048, 0 },
		{ 16, 128, 128, 64, 4096, 4096, 4096 },
		{ 32, 256, 256, 128, 8192, 8192, 8192 },
		{ 64, 512, 512, 256, 16384, 16384, 16384 },
	};
	for (size_t i = 0; i < SL_LEN(rows); i++) {
		struct net_rail_counts c;
		cr_expect(net_rail_counts(&c, rows[i].units, 32, 8, 64));
		cr_expect(c.leaves == rows[i].leaves && c.spines == rows[i].spines &&
				  c.cores == rows[i].cores && c.node_cables == rows[i].node &&
				  c.leaf_cables == rows[i].leaf && c.spine_cables == rows[i].spine,
			"%llu units", (unsigned long long)rows[i].units);
	}
	struct net_rail_counts c;
	cr_expect_not(net_rail_counts(&c, 2, 33, 8, 64), "33 nodes and 64 ports");
	struct fabric_world *w = made(64, "topology=rail rate=NDR nics=8");
	cr_expect_eq(fabric_link_named(w, "unit1:up")->capacity, INT64_C(32) * 8 * 50000000000);
	cr_expect(fabric_link_named(w, "unit1:up")->never_full);
	/* Within a unit no spine is crossed; over two, once each way for each rail. */
	struct fabric_path path = fabric_row(w, SL_PATTERN_HIER, 0, 32, 8);
	cr_expect_eq(fabric_flows_on(w, &path, "unit0:up"), 0);
	path = fabric_row(w, SL_PATTERN_HIER, 16, 32, 8);
	cr_expect_eq(fabric_flows_on(w, &path, "unit0:up"), 8);
	cr_expect_eq(fabric_flows_on(w, &path, "unit1:down"), 8);
	unmake(w);
	refused(64, "topology=rail nics=9", "one a rail");
}

/* ---- T12 ---- */

/* 8 nodes of one group, each with one flow to the other group: rank r to r + 8 is a plane of 2 rows. */
static struct fabric_path across(struct fabric_world *w)
{
	static struct fabric_spot spot[16];
	static struct fabric_path path;
	for (uint32_t i = 0; i < 16; i++)
		spot[i] = (struct fabric_spot){ i, 1 };
	const struct fabric_needs needs = { .pattern = SL_PATTERN_SERVER, .spot = spot, .spots = 16 };
	cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
	return path;
}

Test(fabric_net, t12_dragonfly)
{
	static const char sizes[] = "topology=dragonfly hosts=2 routers=4 globals=2 groups=9 rate=HDR";
	struct fabric_world *w = made(72, sizes);
	cr_expect_eq(fabric_link_named(w, "group0:group1")->capacity, 25000000000, "one cable");
	cr_expect_eq(fabric_link_named(w, "group0:local")->capacity, INT64_C(12) * 25000000000);
	const struct fabric_path path = across(w);
	/* 8 of the 15 others are in the other group: each gets 25/8 of the one cable. */
	cr_expect_eq(fabric_flows_on(w, &path, "group0:group1"), 8);
	similar((double)fabric_link_named(w, "group0:group1")->capacity / 8, 3.125 * GB, "minimal");
	/* Local, at home: 14 flows leave the server's router and 14 come back; 6 other nodes' 2 each; from
	 * group 1 there come 8 in. What leaves for group 1 is among the 14. */
	cr_expect_eq(fabric_flows_on(w, &path, "group0:local"), 14 + 6 + 8);
	cr_expect_eq(fabric_flows_on(w, &path, "group1:local"), 8 + 8);
	unmake(w);
	char text[120];
	snprintf(text, sizeof(text), "%s routing=valiant", sizes);
	w = made(72, text);
	const struct fabric_path by_any = across(w);
	cr_expect_eq(fabric_flows_on(w, &by_any, "group0:up"), 8);
	similar((double)fabric_link_named(w, "group0:up")->capacity / 8, 12.5 * GB, "Valiant");
	unmake(w);
	refused(73, sizes, "room for 72 nodes");
	refused(72, "topology=dragonfly hosts=2 routers=4 globals=2 groups=10", "10 groups are too many");
	refused(72, "topology=dragonfly routing=adaptive", "give minimal or valiant");
}

/* Groups of 2 leaves, 2 nodes each, and 2 spines, 1 global cable each: up to 3 groups. */
Test(fabric_net, dragonfly_plus)
{
	struct fabric_world *w =
		made(12, "topology=dragonfly_plus hosts=2 routers=2 spines=2 globals=1 groups=3 rate=EDR");
	cr_expect_eq(fabric_link_named(w, "leaf0:up")->capacity, 25000000000);
	cr_expect(fabric_link_named(w, "leaf0:up")->never_full);
	cr_expect_eq(fabric_link_named(w, "group2:group0")->capacity, 12500000000);
	const struct fabric_path path = fabric_row(w, SL_PATTERN_RING, 0, 8, 1);
	cr_expect_eq(fabric_flows_on(w, &path, "leaf1:up"), 1);
	cr_expect_eq(fabric_flows_on(w, &path, "group0:group1"), 1);
	cr_expect_eq(fabric_flows_on(w, &path, "group1:group0"), 1);
	unmake(w);
}

/* ---- Patterns ---- */

/* 6 nodes, 3 a leaf, the job on 1 to 4: 2 below each leaf. */
Test(fabric_net, patterns_on_two_leaves)
{
	struct fabric_world *w = made(6, "topology=tree nodes_per_leaf=3 rate=EDR oversubscription=3");
	static const struct {
		enum sl_pattern pattern;
		int64_t up0, down0; /* Of leaf0; leaf1 is the other way round. */
	} cases[] = {
		{ SL_PATTERN_NONE, 0, 0 },
		{ SL_PATTERN_RING, 1, 1 },
		{ SL_PATTERN_HIER, 1, 1 },
		{ SL_PATTERN_RS_AG, 1, 1 },
		/* 0-2, 2-1, 2-3 and 3-1, 1-2, 1-0: 0-2, 2-1; 3-1, 1-2 are cut. */
		{ SL_PATTERN_TREE, 4, 4 },
		{ SL_PATTERN_ALLTOALL, 4, 4 },
		{ SL_PATTERN_NEIGHBOUR, 1, 1 },
		{ SL_PATTERN_BROADCAST, 2, 0 },
		{ SL_PATTERN_SERVER, 2, 2 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct fabric_path path = fabric_row(w, cases[i].pattern, 1, 4, 1);
		cr_expect_eq(fabric_flows_on(w, &path, "leaf0:up"), cases[i].up0, "pattern %zu", i);
		cr_expect_eq(fabric_flows_on(w, &path, "leaf0:down"), cases[i].down0, "pattern %zu", i);
		cr_expect_eq(fabric_flows_on(w, &path, "leaf1:up"), cases[i].down0, "pattern %zu", i);
		cr_expect_eq(fabric_flows_on(w, &path, "leaf1:down"), cases[i].up0, "pattern %zu", i);
		for (uint32_t k = 1; k < path.uses; k++)
			cr_expect_lt(path.use[k - 1].link, path.use[k].link);
	}
	unmake(w);
	w = made(6, "topology=tree nodes_per_leaf=3 rate=EDR broadcast=chain segments=4");
	const struct fabric_path path = fabric_row(w, SL_PATTERN_BROADCAST, 1, 4, 1);
	cr_expect_eq(fabric_flows_on(w, &path, "leaf0:up"), 1);
	cr_expect_eq(fabric_flows_on(w, &path, "leaf0:down"), 0);
	similar(path.volume, 6.0 / 4, "4 - 2 + 4 steps of a quarter");
	unmake(w);
}

/* Rails are those that all of its nodes have; a node with fewer ranks has fewer. */
Test(fabric_net, rails_used)
{
	struct fabric_world *w = made(4, "topology=tree nodes_per_leaf=2 rate=EDR nics=4 oversubscription=8");
	const struct fabric_spot spot[] = { { 1, 4 }, { 2, 2 } };
	const struct fabric_needs needs = { .pattern = SL_PATTERN_HIER, .spot = spot, .spots = 2 };
	struct fabric_path path;
	cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
	cr_expect(path.rails == 2 && path.ranks == 6 && path.ranks_most == 4 && path.nodes == 2);
	cr_expect_eq(path.flow_rate, 12500000000);
	cr_expect_eq(fabric_flows_on(w, &path, "leaf0:up"), 2);
	similar(path.volume, 0.5, "2 * 1/2 over 2 rails");
	unmake(w);
}

Test(fabric_net, grids)
{
	static const struct {
		uint64_t ranks;
		uint32_t dims, side[3];
	} cases[] = {
		{ 12, 2, { 4, 3 } },
		{ 16, 2, { 4, 4 } },
		{ 7, 2, { 7, 1 } },
		{ 8, 3, { 2, 2, 2 } },
		{ 24, 3, { 3, 4, 2 } },
		{ 5, 1, { 5 } },
		{ 1, 3, { 1, 1, 1 } },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		uint32_t side[3] = { 0 };
		net_grid_of(cases[i].ranks, cases[i].dims, side);
		for (uint32_t d = 0; d < cases[i].dims; d++)
			cr_expect_eq(side[d], cases[i].side[d], "case %zu, side %u: %u", i, d, side[d]);
	}
}

/* ---- Switches of a cluster's file ---- */

/* Leaf a has nodes 0 and 3, leaf b 1 and 2: below neither are they neighbours in number. */
Test(fabric_net, switches)
{
	static const uint32_t of_a[] = { 0, 3 }, of_b[] = { 1, 2 }, all[] = { 0, 1, 2, 3 };
	static const struct sl_switch sw[] = {
		{ .name = "a", .parent = 2, .level = 0, .node = of_a, .node_count = 2 },
		{ .name = "b", .parent = 2, .level = 0, .node = of_b, .node_count = 2, .speed = 40 },
		{ .name = "top", .parent = UINT32_MAX, .level = 1, .node = all, .node_count = 4 },
	};
	static const struct sl_setting setting[] = {
		{ .kind = "fabric", .name = "a", .key = "uplinks", .value = "3" },
	};
	struct fabric_world *w = calloc(1, sizeof(*w));
	cr_assert_not_null(w);
	w->type.name = "n";
	w->cluster = (struct sl_cluster){ .node_count = 4,
		.type_count = 1,
		.kind_count = 2,
		.node_type = w->node_type,
		.type = &w->type,
		.sw = sw,
		.switch_count = 3,
		.setting = setting,
		.setting_count = 1 };
	cr_assert_eq(fabric_world_over(w, "rate=EDR"), SL_OK, "%s", w->err.text);
	cr_expect_eq(fabric_link_named(w, "a:up")->capacity, INT64_C(3) * 12500000000);
	cr_expect_eq(fabric_link_named(w, "b:up")->capacity, 5000000000, "LinkSpeed 40 Gb/s");
	const struct fabric_spot spot[] = { { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 } };
	const struct fabric_needs needs = { .pattern = SL_PATTERN_RING, .spot = spot, .spots = 4 };
	struct fabric_path path;
	cr_assert_eq(fabric_flows(w->net, &needs, &path), SL_OK);
	/* 0, 3, then 1, 2: once there, once back. */
	cr_expect_eq(fabric_flows_on(w, &path, "a:up"), 1);
	cr_expect_eq(fabric_flows_on(w, &path, "b:up"), 1);
	const struct fabric_spot pair[] = { { 0, 1 }, { 3, 1 } };
	const struct fabric_needs two = { .pattern = SL_PATTERN_RING, .spot = pair, .spots = 2 };
	cr_assert_eq(fabric_flows(w->net, &two, &path), SL_OK);
	cr_expect_eq(fabric_flows_on(w, &path, "a:up"), 0);
	unmake(w);
}

/* What nothing could be made of, in place of a default in silence. */
Test(fabric_net, refused_trees)
{
	refused(4, "topology=tree up_cables=0.5", "whole numbers");
	refused(4, "topology=tree up_cables=1/2", "up_cables for 1 of them");
	refused(4, "topology=tree switches_per_group=2", "switches_per_group for 0 of them");
	refused(4, "topology=tree levels=3", "switches_per_group for 1 of them");
	refused(4, "topology=tree levels=3 switches_per_group=1.5", "whole numbers");
	refused(4, "topology=tree efficiency=1.1", "within its bounds");
	refused(4, "topology=tree oversubscription=1/1/1/1/1/1/1/1/1", "a list of positive numbers");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_select_topologies.c - topology.yaml as the node selection has it: one topology for each partition, and
 * rings. Rules: select_topologies.c, select_ring.c. Nodes have four cores.
 */
#include <criterion/criterion.h>

#include "tests/world/select_world.h"

static struct select_world w;

static void fini(void) { sw_end(&w); }

static void said(const char *name, const char *key, const char *value)
{
	w.setting[w.cluster.setting_count++] =
		(struct sl_setting){ .kind = "topology", .name = name, .key = key, .value = value };
}

static void of_partition(const char *name, const char *topology)
{
	(void)sw_partition(&w, name, NULL);
	w.setting[w.cluster.setting_count++] = (struct sl_setting){
		.kind = "partition", .name = name, .key = "Topology", .value = topology
	};
}

static struct sl_job_desc *nodes(int64_t count)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->nodes_min = desc->nodes_max = count;
	return desc;
}

static void hold(const char *nodelist, int64_t tasks)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = tasks;
	desc->nodelist = nodelist;
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

#define expect(partition, place)                                            \
	do {                                                                \
		const char *has = sw_place(&w, partition, 0);               \
		cr_expect_str_eq(has, place, "line %d: %s", __LINE__, has); \
	} while (0)

/* ---- One for each partition --------------------------------------------------------------------------- */

/* p: without a topology; 1: two leaves of four under a top; 2: four blocks of two; 3: one that there is not.
 */
static void several(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 8, 1, 4, 1, 4000);
	said("t", "Type", "tree");
	said("t", "Switch", "top children=s[1-2]");
	said("t", "Switch", "s1 nodes=n[1-4]");
	said("t", "Switch", "s2 nodes=n[5-8]");
	said("b", "Type", "block");
	said("b", "BlockSizes", "2,4");
	said("b", "Block", "b1 nodes=n[1-2]");
	said("b", "Block", "b2 nodes=n[3-4]");
	said("b", "Block", "b3 nodes=n[5-6]");
	said("b", "Block", "b4 nodes=n[7-8]");
	of_partition("tree", "t");
	of_partition("block", "b");
	of_partition("none", "x");
	sw_ready(&w);
	select_set_version(w.select, version);
}

Test(select_topologies, each_partition_goes_by_its_own, .fini = fini)
{
	several(2505);
	hold("n2", 4);
	nodes(2);
	expect(0, "n3:0 n4:0"); /* The run behind n2: both runs suffice with any two. */
	expect(1, "n1:0 n3:0"); /* The leaf with fewer left. */
	expect(2, "n7:0 n8:0"); /* The last block that has two. */
	expect(3, "n3:0 n4:0");
}

Test(select_topologies, before_25_05_the_clusters_holds_for_all, .fini = fini)
{
	several(2411);
	hold("n2", 4);
	nodes(2);
	expect(1, "n3:0 n4:0");
	expect(2, "n3:0 n4:0");
}

Test(select_topologies, a_tree_joins_its_leaves, .fini = fini)
{
	several(2505);
	hold("n2", 4);
	nodes(5); /* s2 wholly, then s1. */
	expect(1, "n1:0 n5:0 n6:0 n7:0 n8:0");
}

Test(select_topologies, the_default_is_for_partitions_that_name_none, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 4, 1, 4, 1, 4000);
	said("f", "Type", "flat");
	said("b", "Type", "block");
	said("b", "BlockSizes", "2");
	said("b", "Block", "b1 nodes=n[1-2]");
	said("b", "Block", "b2 nodes=n[3-4]");
	said("b", "Default", "true");
	of_partition("flat", "f");
	sw_ready(&w);
	select_set_version(w.select, 2505);
	nodes(2);
	expect(0, "n3:0 n4:0");
	expect(1, "n1:0 n2:0");
}

/* ---- Rings -------------------------------------------------------------------------------------------- */

static void rings(int version)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 9, 1, 4, 1, 4000);
	said("r", "Type", "ring");
	said("r", "Ring", "r1 nodes=n[1,3,5,2,4]");
	said("r", "Ring", "r2 nodes=n[6-9]");
	said("r", "Default", "true");
	sw_ready(&w);
	select_set_version(w.select, version);
}

/* The ring with the fewest left; from its first node on. */
Test(select_topologies, neighbours_of_the_fullest_ring, .fini = fini)
{
	rings(2605);
	nodes(2);
	expect(0, "n6:0 n7:0");
	hold("n1", 4);
	hold("n5", 4);
	nodes(2); /* r1 has three left; its end is beside its beginning, but n1 is taken: n2 and n4. */
	expect(0, "n2:0 n4:0");
	nodes(3);
	expect(0, "n6:0 n7:0 n8:0");
	nodes(5);
	expect(0, "busy");
}

Test(select_topologies, a_ring_is_closed, .fini = fini)
{
	rings(2605);
	hold("n7", 4);
	hold("n[1-5]", 20);
	nodes(3); /* n8, n9, and n6 beside it. */
	expect(0, "n6:0 n8:0 n9:0");
}

Test(select_topologies, before_26_05_rings_are_not_known, .fini = fini)
{
	rings(2511);
	hold("n1", 4);
	nodes(2);
	expect(0, "n2:0 n3:0");
}

/* Segments are of different rings. */
Test(select_topologies, segments_of_rings, .fini = fini)
{
	rings(2605);
	nodes(4)->segment = 2;
	expect(0, "n1:0 n3:0 n6:0 n7:0");
	nodes(6)->segment = 2;
	expect(0, "never");
	nodes(3)->segment = 2;
	expect(0, "never");
}

Test(select_topologies, required_nodes_of_a_ring_are_all_it_has, .fini = fini)
{
	rings(2605);
	nodes(2)->nodelist = "n[2,4]";
	expect(0, "n2:0 n4:0");
	nodes(2)->nodelist = "n[1,2]"; /* No neighbours. */
	expect(0, "never");
	nodes(2)->nodelist = "n1";
	expect(0, "never");
}

/* The lightest stretch, whichever ring has fewer left. */
Test(select_topologies, light_stretches_go_first, .fini = fini)
{
	sw_begin(&w);
	(void)sw_nodes(&w, 2, 1, 4, 1, 4000);
	(void)sw_nodes(&w, 6, 1, 4, 1, 4000);
	w.hardware[0].weight = 5;
	said("r", "Type", "ring");
	said("r", "Ring", "r1 nodes=n[1-3]");
	said("r", "Ring", "r2 nodes=n[4-8]");
	said("r", "Default", "true");
	sw_ready(&w);
	select_set_version(w.select, 2605);
	nodes(2);
	expect(0, "n4:0 n5:0");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_select_block.c - topology/block: which blocks a job's nodes are of, on blocks of four nodes of four
 * cores. Rules: select_block.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/world/select_world.h"

static struct select_world w;

static void fini(void) { sw_end(&w); }

/* So many blocks b1, b2, ...; sizes NULL: no BlockSizes. */
static void blocks(uint32_t count, const char *sizes)
{
	static char name[8][16];
	sw_begin(&w);
	(void)sw_nodes(&w, 4 * count, 1, 4, 1, 4000);
	for (uint32_t i = 0; i < count; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "b%u", i + 1);
		sw_leaf(&w, name[i], 4 * i + 1, 4 * i + 4);
	}
	w.cluster.topology = SL_TOPOLOGY_BLOCK;
	if (sizes)
		w.setting[w.cluster.setting_count++] = (struct sl_setting){
			.kind = "switch", .name = sizes, .key = "BlockSizes", .value = sizes
		};
}

static void hold(const char *node)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = 4;
	desc->nodelist = node;
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

static struct sl_job_desc *nodes(int64_t count)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->nodes_min = desc->nodes_max = count;
	return desc;
}

#define expect(place)                                                         \
	do {                                                                  \
		const char *said = sw_place(&w, 0, 0);                        \
		cr_expect_str_eq(said, place, "line %d: %s", __LINE__, said); \
	} while (0)

Test(select_block, the_block_with_the_fewest_nodes_that_are_enough_the_last_of_equal_ones, .fini = fini)
{
	blocks(4, "4,8");
	sw_ready(&w);
	nodes(2);
	expect("n13:0 n14:0");
	hold("n6");
	hold("n7");
	hold("n8");
	nodes(1);
	expect("n5:0");
	nodes(2);
	expect("n13:0 n14:0");
	hold("n13");
	nodes(2);
	expect("n14:0 n15:0");
}

Test(select_block, a_job_larger_than_a_block_goes_into_joined_ones, .fini = fini)
{
	blocks(4, "4,8");
	sw_ready(&w);
	nodes(6); /* Of b3 and b4: b4 wholly, then two of b3. */
	expect("n9:0 n10:0 n13:0 n14:0 n15:0 n16:0");
	hold("n9");
	nodes(8); /* b3 and b4 have seven left; b1 and b2 are joined, b2 and b3 are not. */
	expect("n1:0 n2:0 n3:0 n4:0 n5:0 n6:0 n7:0 n8:0");
	hold("n1");
	nodes(8);
	expect("busy");
	nodes(9); /* No size is enough: of all blocks b4 and b2, which are whole, and the last with one node
		     more. */
	expect("n5:0 n6:0 n7:0 n8:0 n10:0 n13:0 n14:0 n15:0 n16:0");
}

Test(select_block, sizes_that_are_not_joined_are_passed_over, .fini = fini)
{
	blocks(4, "4,16");
	sw_ready(&w);
	hold("n8");
	hold("n12");
	hold("n16");
	nodes(5); /* Two base blocks at most, of all four: b1 is the fullest. */
	expect("n1:0 n2:0 n3:0 n4:0 n13:0");
	hold("n1");
	nodes(7);
	expect("busy");
	nodes(6);
	expect("n9:0 n10:0 n11:0 n13:0 n14:0 n15:0");
}

Test(select_block, as_few_of_the_smaller_blocks_as_can_be, .fini = fini)
{
	blocks(6, "4,8");
	sw_ready(&w);
	for (uint32_t i = 21; i <= 24; i++) {
		static char name[4][16];
		(void)snprintf(name[i - 21], sizeof(name[0]), "n%u", i);
		hold(name[i - 21]);
	}
	/* b4, the last of the pairs that have eight; b3, of the same pair; then b5, of the pair with fewer
	 * left. */
	nodes(9);
	expect("n9:0 n10:0 n11:0 n12:0 n13:0 n14:0 n15:0 n16:0 n17:0");
}

Test(select_block, without_sizes_blocks_are_joined_by_twos, .fini = fini)
{
	blocks(4, NULL);
	sw_ready(&w);
	hold("n5");
	nodes(7); /* b1 and b2 have just as many. */
	expect("n1:0 n2:0 n3:0 n4:0 n6:0 n7:0 n8:0");
	nodes(8);
	expect("n9:0 n10:0 n11:0 n12:0 n13:0 n14:0 n15:0 n16:0");
	hold("n16");
	nodes(8);
	expect("busy");
}

Test(select_block, required_nodes_say_which_block, .fini = fini)
{
	blocks(4, "4,8");
	sw_ready(&w);
	nodes(2)->nodelist = "n3";
	expect("n1:0 n3:0");
	nodes(2)->nodelist = "n[3,6]"; /* A job of two nodes is of one block. */
	expect("never");
	nodes(5)->nodelist = "n[3,6]";
	expect("n3:0 n5:0 n6:0 n7:0 n8:0");
}

Test(select_block, light_nodes_go_first, .fini = fini)
{
	blocks(2, "4,8");
	w.hardware[0].weight = 5;
	(void)sw_nodes(&w, 4, 1, 4, 1, 4000); /* A third block, which is lighter. */
	sw_leaf(&w, "b3", 9, 12);
	w.cluster.topology = SL_TOPOLOGY_BLOCK;
	sw_ready(&w);
	nodes(2);
	expect("n9:0 n10:0");
	hold("n9");
	hold("n10");
	hold("n11");
	nodes(2);
	expect("n5:0 n6:0");
}

/* ---- --segment, --exclusive=topo: of 24.05 ----------------------------------------------------------- */

static void blocks_since(uint32_t count, const char *sizes, int version)
{
	blocks(count, sizes);
	sw_ready(&w);
	select_set_version(w.select, version);
}

static void segments(int64_t count, int64_t segment) { nodes(count)->segment = segment; }

Test(select_block, before_24_05_segments_are_not_known, .fini = fini)
{
	blocks_since(3, "4", 2311);
	hold("n9");
	segments(4, 2);
	expect("n5:0 n6:0 n7:0 n8:0");
}

/* Each of two nodes goes into the block with the fewest left that are enough, the last of equal ones: b3,
 * which then has one left, so b2. */
Test(select_block, segments_are_laid_out_one_by_one, .fini = fini)
{
	blocks_since(3, "4", 2405);
	hold("n9");
	segments(4, 2);
	expect("n5:0 n6:0 n10:0 n11:0");
	segments(6, 3); /* b3 has three, then b2. */
	expect("n5:0 n6:0 n7:0 n10:0 n11:0 n12:0");
	segments(8, 4); /* b3 has no four. */
	expect("n1:0 n2:0 n3:0 n4:0 n5:0 n6:0 n7:0 n8:0");
	segments(12, 4);
	expect("busy");
}

Test(select_block, a_segment_divides_the_job_and_is_within_a_block, .fini = fini)
{
	blocks_since(4, "4,8", 2405);
	segments(5, 2);
	expect("never");
	segments(8, 8);
	expect("never");
	segments(2, 2);
	w.desc.nodelist = "n3";
	expect("n1:0 n3:0");
	segments(4, 2);
	w.desc.nodelist = "n3";
	expect("never");
}

/* A job of two tasks a node: each segment needs its share of the cpus. */
Test(select_block, segments_share_the_cpus, .fini = fini)
{
	blocks_since(2, "4", 2405);
	segments(4, 2);
	w.desc.tasks = 8;
	expect("n5:0-1 n6:0-1 n7:0-1 n8:0-1");
}

static void take_topo(const char *node, enum sl_exclusive exclusive)
{
	struct sl_job_desc *desc = sw_desc(&w);
	desc->tasks = 1;
	desc->nodelist = node;
	desc->exclusive = exclusive;
	cr_assert(sw_take(&w, 0, 0), "the test's own world is full");
}

Test(select_block, exclusive_topo_has_its_block_to_itself, .fini = fini)
{
	blocks_since(2, "4", 2405);
	take_topo("n5", SL_EXCLUSIVE_NO);
	sw_desc(&w)->tasks = 1;
	w.desc.exclusive = SL_EXCLUSIVE_TOPO; /* Nobody is in b1; of its node it has one core. */
	expect("n1:0");
	take_topo("n2", SL_EXCLUSIVE_TOPO);
	sw_desc(&w)->tasks = 1; /* Others are kept off b1. */
	expect("n5:1");
	sw_desc(&w)->tasks = 1;
	w.desc.exclusive = SL_EXCLUSIVE_TOPO;
	expect("busy");
}

Test(select_block, before_24_05_exclusive_topo_is_whole_nodes, .fini = fini)
{
	blocks_since(1, "4", 2311);
	take_topo("n1", SL_EXCLUSIVE_TOPO);
	sw_desc(&w)->tasks = 1;
	expect("n2:0");
}

Test(select_block, exclusive_topo_of_a_partition, .fini = fini)
{
	blocks(2, "4");
	(void)sw_partition(&w, "alone", NULL);
	w.setting[w.cluster.setting_count++] = (struct sl_setting){
		.kind = "partition", .name = "alone", .key = "ExclusiveTopo", .value = "YES"
	};
	sw_ready(&w);
	select_set_version(w.select, 2405);
	take_topo("n5", SL_EXCLUSIVE_NO);
	sw_desc(&w)->tasks = 1;
	cr_expect_str_eq(sw_place(&w, 1, 0), "n1:0");
}

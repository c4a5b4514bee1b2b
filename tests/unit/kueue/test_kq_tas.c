/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_tas.c - topology-aware scheduling: which hosts count, which domains are assigned. Small clusters by
 * hand, a clause each (KEP-2724); cpus are whole, pods request one each unless said.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kq_tas_world.h"

static struct tas_instance instance;

static void end(void) { tas_end(&instance); }

TestSuite(kq_tas, .fini = end);

/* A podset of `count` pods of a cpu each. */
static struct kq_podset pods(int64_t count, struct kq_topology_request topology)
{
	topology.given = topology.given || topology.required || topology.preferred ||
			 topology.unconstrained || topology.slice_count > 0;
	return (struct kq_podset){
		.count = count, .request = tas_cpus(&instance, 1000), .topology = topology
	};
}

#define REQUIRED(key)  ((struct kq_topology_request){ .required = (key) })
#define PREFERRED(key) ((struct kq_topology_request){ .preferred = (key) })
#define ANYWHERE       ((struct kq_topology_request){ .unconstrained = true })

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void expect(const struct kq_podset *podset, uint32_t count, const char *want, const char *clause)
{
	const char *got = tas_place(&instance, tas_workload(&instance, podset, count), false);
	const bool same = strcmp(got, want) == 0;
	const char *why = instance.why ? instance.why : "";
	cr_expect(same, "%s: %s, expected %s (%s)", clause, got, want, why);
}

static void expect_one(struct kq_podset podset, const char *want, const char *clause)
{
	expect(&podset, 1, want, clause);
}

/* Two racks of a block and one of another; rooms 3 and 1, 2 and 2, 4. */
static void three_racks(void)
{
	tas_begin(&instance, "block rack host");
	tas_host(&instance, "b1 r1 x1", 3, 10);
	tas_host(&instance, "b1 r1 x2", 1, 10);
	tas_host(&instance, "b1 r2 x3", 2, 10);
	tas_host(&instance, "b1 r2 x4", 2, 10);
	tas_host(&instance, "b2 r3 x5", 4, 10);
	tas_seal(&instance);
}

Test(kq_tas, required_stays_in_one_domain)
{
	three_racks();
	expect_one(pods(4, REQUIRED("rack")), "x1:3 x2:1", "r1, r2, r3 hold 4 each: the first by values");
	expect_one(pods(5, REQUIRED("rack")), "-", "no rack holds 5");
	expect_one(pods(5, REQUIRED("block")), "x1:3 x3:2",
		"b1: its racks are equal; of r2 the first host that holds the rest");
	expect_one(pods(3, REQUIRED("kubernetes.io/hostname")), "x1:3", "the smallest host that holds 3");
	expect_one(pods(1, REQUIRED("kubernetes.io/hostname")), "x2:1", "the smallest host that holds 1");
}

Test(kq_tas, preferred_goes_up_and_spreads_at_the_top)
{
	three_racks();
	expect_one(pods(4, PREFERRED("rack")), "x1:3 x2:1", "as required, where it fits");
	expect_one(pods(6, PREFERRED("rack")), "x1:3 x2:1 x3:2",
		"one block up: b1, all of r1, then the first host of r2 that holds the rest");
}

Test(kq_tas, preferred_takes_several_at_the_top)
{
	three_racks();
	expect_one(pods(9, PREFERRED("rack")), "x1:3 x3:2 x5:4",
		"both blocks, and of all their hosts those with the most room first");
	expect_one(pods(13, PREFERRED("rack")), "-", "there are 12 cpus");
}

Test(kq_tas, unconstrained_takes_the_least_free)
{
	three_racks();
	expect_one(pods(2, ANYWHERE), "x3:2", "the first of the smallest that hold everything");
	expect_one(pods(5, ANYWHERE), "x2:1 x3:2 x4:2", "nobody holds 5: the smallest first");
	instance.kq->config.gate[KQ_GATE_TASProfileMixed] = false;
	expect_one(pods(5, ANYWHERE), "x2:1 x5:4", "without the gate: the largest first, the last one tight");
}

Test(kq_tas, implied_is_unconstrained)
{
	three_racks();
	struct kq_podset podset = pods(2, (struct kq_topology_request){ .given = false });
	expect(&podset, 1, "x3:2", "a queue of topologies alone");
}

Test(kq_tas, hosts_that_count)
{
	static const struct sl_taint taint = { "gpu", "yes", SL_NO_SCHEDULE };
	static const struct sl_taint soft = { "gpu", "yes", SL_PREFER_NO_SCHEDULE };
	static const struct sl_toleration exists = { "gpu", "", true, SL_ANY_EFFECT };
	static const struct sl_label wanted = { "zone", "z1" };
	tas_begin(&instance, "rack host");
	tas_host(&instance, "r1 x1", 9, 10)->ready = false;
	tas_host(&instance, "r1 x2", 8, 10)->unschedulable = true;
	tas_host(&instance, "r1 x3", 7, 10)->taints = (struct sl_taints){ &taint, 1 };
	tas_host(&instance, "r1 x4", 6, 10)->labels.count = 1; /* No host name. */
	tas_host(&instance, "r1 x5", 5, 10)->taints = (struct sl_taints){ &soft, 1 };
	tas_host(&instance, "r1 x6", 4, 3);
	tas_seal(&instance);
	expect_one(pods(6, REQUIRED("kubernetes.io/hostname")), "-", "x1 to x4 do not count");
	expect_one(pods(5, REQUIRED("kubernetes.io/hostname")), "x5:5", "a soft taint keeps nobody away");
	expect_one(pods(4, REQUIRED("kubernetes.io/hostname")), "x5:4", "x6 has room for 3 pods only");
	struct kq_podset podset = pods(6, REQUIRED("kubernetes.io/hostname"));
	podset.tolerations = (struct sl_tolerations){ &exists, 1 };
	expect(&podset, 1, "x3:6", "tolerated");
	podset = pods(1, REQUIRED("rack"));
	podset.node_selector = (struct sl_labels){ &wanted, 1 };
	expect(&podset, 1, "-", "no host has the selector's label");
	instance.kq->flavor[instance.flavor].tolerations = (struct sl_tolerations){ &exists, 1 };
	tas_seal(&instance);
	expect_one(pods(6, REQUIRED("kubernetes.io/hostname")), "x3:6", "tolerated by the flavor");
}

Test(kq_tas, foreign_pods_take_capacity)
{
	static int64_t foreign[16] = { [KQ_PODS] = 1, [KQ_CPU] = 1500 };
	tas_begin(&instance, "host");
	tas_host(&instance, "x1", 4, 10)->foreign = foreign;
	tas_seal(&instance);
	expect_one(pods(2, REQUIRED("kubernetes.io/hostname")), "x1:2", "2.5 cpus are left");
	expect_one(pods(3, REQUIRED("kubernetes.io/hostname")), "-", "2.5 cpus are left");
}

Test(kq_tas, coarse_leaves_add_up_and_look_at_no_taints)
{
	static const struct sl_taint taint = { "gpu", "yes", SL_NO_SCHEDULE };
	tas_begin(&instance, "block rack");
	tas_host(&instance, "b1 r1 x1", 2, 10)->taints = (struct sl_taints){ &taint, 1 };
	tas_host(&instance, "b1 r1 x2", 2, 10);
	tas_seal(&instance);
	expect_one(pods(4, REQUIRED("rack")), "b1/r1:4", "all levels are named");
}

Test(kq_tas, slices_stay_together)
{
	three_racks();
	struct kq_topology_request request = REQUIRED("block");
	request.slice[request.slice_count++] = (struct kq_slice){ "kubernetes.io/hostname", 2 };
	expect_one(pods(6, request), "x1:2 x3:2 x4:2", "hosts of b1 hold 1, 0, 1, 1 slices of two");
	expect_one(pods(8, request), "-", "no block holds 4 slices");
	request.slice[0].size = 0;
	expect_one(pods(2, request), "-", "no size");
	request.slice[0] = (struct kq_slice){ "row", 2 };
	expect_one(pods(2, request), "-", "no such level");
	request = REQUIRED("rack");
	request.slice[request.slice_count++] = (struct kq_slice){ "block", 2 };
	expect_one(pods(2, request), "-", "slices above the podset's own level");
}

Test(kq_tas, slices_alone_begin_at_the_top)
{
	three_racks();
	struct kq_topology_request request = { .slice = { { "rack", 4 } }, .slice_count = 1 };
	expect_one(pods(4, request), "x5:4", "b2 is the smallest block with one slice");
	expect_one(pods(12, request), "x1:3 x2:1 x3:2 x4:2 x5:4", "every rack holds one");
}

Test(kq_tas, inner_slices_round_down)
{
	three_racks();
	struct kq_topology_request request = { .required = "block",
		.slice = { { "rack", 4 }, { "kubernetes.io/hostname", 2 } },
		.slice_count = 2 };
	expect_one(pods(4, request), "x5:4", "r3: 2 + 2");
	expect_one(pods(8, request), "-", "r1 has one pair of hosts only: 2 of 4");
	request.slice[1].size = 3;
	expect_one(pods(4, request), "-", "3 does not divide 4");
	request.slice[1] = (struct kq_slice){ "rack", 2 };
	expect_one(pods(4, request), "-", "the inner one is not below");
}

/* A leader of 2 cpus with workers of 1. */
static void leader_and(struct kq_podset podset[2], int64_t workers, struct kq_topology_request request)
{
	podset[0] = pods(1, request);
	podset[0].name = "leader";
	podset[0].request = tas_cpus(&instance, 2000);
	podset[1] = pods(workers, request);
	podset[1].name = "workers";
	podset[0].group = podset[1].group = "g";
}

Test(kq_tas, a_group_is_placed_together)
{
	struct kq_podset podset[2];
	three_racks();
	leader_and(podset, 2, REQUIRED("rack"));
	expect(podset, 2, "x1:1 | x1:1 x2:1", "r1 holds 4 less 2; its host x1 the leader");
	leader_and(podset, 3, REQUIRED("rack"));
	expect(podset, 2, "- | -", "5 cpus fit no rack");
	leader_and(podset, 2, REQUIRED("kubernetes.io/hostname"));
	expect(podset, 2, "x5:1 | x5:2", "only x5 holds both");
	podset[0].group = NULL;
	expect(podset, 2, "x1:1 | x3:2", "alone, each takes the tightest host that there is");
}

Test(kq_tas, podsets_see_what_those_before_take)
{
	three_racks();
	struct kq_podset podset[2] = { pods(4, REQUIRED("kubernetes.io/hostname")),
		pods(4, REQUIRED("kubernetes.io/hostname")) };
	podset[1].name = "second";
	expect(podset, 2, "x5:4 | -", "only x5 holds four");
	podset[1].count = 3;
	expect(podset, 2, "x5:4 | x1:3", "the second takes what is left");
	expect(podset, 1, "x5:4", "and nothing stays taken");
}

Test(kq_tas, preferred_affinity_goes_before_capacity)
{
	static const char *const last[] = { "x5" };
	static const struct sl_label_expr is_x5 = { "kubernetes.io/hostname", SL_LABEL_IN, last, 1 };
	static const struct sl_label_term term = { .expr = &is_x5, .count = 1, .weight = 10 };
	three_racks();
	struct kq_podset podset = pods(1, PREFERRED("kubernetes.io/hostname"));
	podset.preferred = &term;
	podset.preferred_count = 1;
	expect(&podset, 1, "x2:1", "the gate is off: the tightest");
	instance.kq->config.gate[KQ_GATE_TASRespectNodeAffinityPreferred] = true;
	expect(&podset, 1, "x5:1", "the preferred host, though it has more room");
	podset.count = 5;
	expect(&podset, 1, "x2:1 x5:4", "the preferred one first, then the tightest for the rest");
}

Test(kq_tas, required_affinity_is_of_nodes)
{
	static const char *const last[] = { "x5" };
	static const struct sl_label_expr by_field = { "metadata.name", SL_LABEL_IN, last, 1 };
	static const struct sl_label_term term = { .field = &by_field, .field_count = 1 },
					  none = { .expr = &by_field };
	three_racks();
	struct kq_podset podset = pods(1, REQUIRED("rack"));
	podset.required = &term;
	podset.required_count = 1;
	expect(&podset, 1, "x5:1", "the field is the node's name");
	podset.required = &none;
	expect(&podset, 1, "-", "a term without expressions matches nothing");
}

Test(kq_tas, balanced_levels_out)
{
	tas_begin(&instance, "rack host");
	tas_host(&instance, "r1 x1", 6, 20);
	tas_host(&instance, "r1 x2", 5, 20);
	tas_host(&instance, "r1 x3", 3, 20);
	tas_seal(&instance);
	expect_one(pods(8, PREFERRED("rack")), "x1:6 x3:2", "off: the most first, the last one tight");
	instance.kq->config.gate[KQ_GATE_TASBalancedPlacement] = true;
	expect_one(pods(8, PREFERRED("rack")), "x1:4 x2:4",
		"two hosts suffice, so each can have 4: x3, which cannot, is left out");
	expect_one(pods(8, REQUIRED("rack")), "x1:6 x3:2", "required is not balanced");
}

Test(kq_tas, balanced_takes_the_set_with_the_least_to_spare)
{
	tas_begin(&instance, "rack host");
	tas_host(&instance, "r1 x1", 7, 20);
	tas_host(&instance, "r1 x2", 6, 20);
	tas_host(&instance, "r1 x3", 5, 20);
	tas_seal(&instance);
	instance.kq->config.gate[KQ_GATE_TASBalancedPlacement] = true;
	expect_one(
		pods(10, PREFERRED("rack")), "x2:5 x3:5", "two of five each: 6 + 5 spares less than 7 + 6");
}

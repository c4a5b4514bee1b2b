/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_workload.c - PodGroups of scheduling.k8s.io: gangs, placements, preemption: small cases worked by
 * hand.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/kube/workload/kube_workload.h"
#include "tests/world/kube_world.h"

#define ONE       KUBE_ASKS("1", "1Gi")
#define IN(group) "\"schedulingGroup\":{\"podGroupName\":\"" #group "\"},"
#define RANKED(n) "\"priority\":" #n ","
#define GANG_OF(name, count)                                                                          \
	"apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: " #name "}\nspec: " \
	"{schedulingPolicy: {gang: {minCount: " #count "}}"
#define GATES_GANG (KUBE_GATE_WORKLOAD | KUBE_GATE_GANG)

static sl_time runs(struct kube_test *test, int64_t second) { return kube_run(&test->k, second * SL_SECOND); }

static sl_job pod_of(struct kube_test *test, int64_t second, const char *spec)
{
	return kube_test_pod(test, second * SL_SECOND, "", spec);
}

static uint32_t at(const struct kube_test *test, sl_job job) { return kube_test_at(test, job, 0); }

/* One more cycle: who has nodes then. */
static uint64_t cycles(struct kube_test *test)
{
	uint64_t count = 0;
	while (kube_try_next(&test->k))
		count++;
	return count;
}

Test(kube_workload, waits_until_min_count_are_there_bound_ones_too)
{
	struct kube_test test = { .cpus = 2,
		.gib = 8,
		.nodes = 1,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	const sl_job one = pod_of(&test, 0, IN(g) ONE);
	runs(&test, 0);
	cr_expect_eq(test.k.attempts, 0);
	const sl_job two = pod_of(&test, 1, IN(g) ONE);
	runs(&test, 1);
	cr_expect(at(&test, one) && at(&test, two));
	kube_remove(&test.k, 2 * SL_SECOND, one);
	const sl_job three = pod_of(&test, 3, IN(g) ONE); /* With `two` there are two. */
	runs(&test, 3);
	cr_expect_neq(at(&test, three), 0);
	kube_test_close(&test);
}

/* Of three cpus one is free for `one`, and none for `large`, so both are parked; nothing leaves a node. The
 * pod that comes at 100 is tried with them all the same: two of them suffice. */
Test(kube_workload, those_that_are_parked_are_tried_with_one_that_comes)
{
	struct kube_test test = { .cpus = 3,
		.gib = 8,
		.nodes = 1,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG, .flush = 300 * SL_SECOND } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, ONE);
	runs(&test, 0);
	const sl_job one = pod_of(&test, 1, IN(g) ONE);
	const sl_job large = pod_of(&test, 1, IN(g) KUBE_ASKS("3", "1Gi"));
	runs(&test, 1);
	cr_expect(!at(&test, one) && !at(&test, large));
	cr_expect_eq(test.k.pod[test.k.job[one.row].first].state, KUBE_POD_PARKED);
	const sl_job more = pod_of(&test, 100, IN(g) ONE);
	runs(&test, 100);
	cr_expect(at(&test, one) && at(&test, more) && !at(&test, large));
	kube_test_close(&test);
}

Test(kube_workload, without_its_gate_or_its_object)
{
	struct kube_test test = { .cpus = 1, .gib = 8, .nodes = 2, .objects = GANG_OF(g, 2) "}\n" };
	kube_test_open(&test); /* Gates off: the scheduler knows no groups. */
	const sl_job alone = pod_of(&test, 0, IN(g) ONE);
	runs(&test, 0);
	cr_expect_neq(at(&test, alone), 0);
	kube_test_close(&test);
	struct kube_test gone = { .cpus = 1, .gib = 8, .nodes = 2, .options = { .gates = GATES_GANG } };
	kube_test_open(&gone); /* Its PodGroup is not there. */
	const sl_job waits = pod_of(&gone, 0, IN(g) ONE);
	runs(&gone, 0);
	cr_expect_eq(at(&gone, waits), 0);
	kube_test_close(&gone);
	struct kube_test generic = {
		.cpus = 1, .gib = 8, .nodes = 2, .options = { .gates = KUBE_GATE_WORKLOAD }
	};
	kube_test_open(&generic); /* Nobody minds that without GangScheduling. */
	const sl_job goes = pod_of(&generic, 0, IN(g) ONE);
	runs(&generic, 0);
	cr_expect_neq(at(&generic, goes), 0);
	kube_test_close(&generic);
}

/* Three of four fit, and three suffice: three are bound. Of three, two fit: none is. */
Test(kube_workload, binds_all_that_fit_once_enough_do)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 3,
		.objects = GANG_OF(g, 2) "}\n---\n" GANG_OF(h, 3) "}\n",
		.options = { .gates = GATES_GANG } };
	sl_job g[4], h[3];
	kube_test_open(&test);
	for (int i = 0; i < 4; i++)
		g[i] = pod_of(&test, 0, IN(g) ONE);
	runs(&test, 0);
	uint32_t bound = 0;
	for (int i = 0; i < 4; i++)
		bound += at(&test, g[i]) != 0;
	cr_expect_eq(bound, 3); /* More than minCount. */
	kube_test_close(&test);

	test = (struct kube_test){ .cpus = 1,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(h, 3) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	for (int i = 0; i < 3; i++)
		h[i] = pod_of(&test, 0, IN(h) ONE);
	const sl_job other = pod_of(&test, 0, ONE);
	runs(&test, 0);
	for (int i = 0; i < 3; i++)
		cr_expect_eq(at(&test, h[i]), 0);
	cr_expect_neq(at(&test, other), 0); /* It holds nothing meanwhile. */
	kube_test_close(&test);
}

/* Of policy basic one that fits suffices, and is tried with the others. */
Test(kube_workload, basic_has_no_minimum)
{
	static const char objects[] =
		"kind: PodGroup\nmetadata: {name: g}\nspec: {schedulingPolicy: {basic: {}}}\n";
	struct kube_test test = {
		.cpus = 1, .gib = 8, .nodes = 1, .objects = objects, .options = { .gates = GATES_GANG }
	};
	kube_test_open(&test);
	const sl_job one = pod_of(&test, 0, IN(g) ONE), two = pod_of(&test, 0, IN(g) ONE);
	cr_expect(kube_try_next(&test.k));
	cr_expect_eq(test.k.attempts, 2); /* Both, in one cycle. */
	cr_expect_eq(at(&test, one), 1);
	cr_expect_eq(at(&test, two), 0);
	kube_test_close(&test);
}

/* minCount 3 on three nodes of one cpu, the third pod asks 2: it completes the count, so it is tried first.
 * On nodes of 2, 2, 1 cpus it then has a whole one. */
Test(kube_workload, the_pod_that_completes_the_count_goes_first)
{
	struct kube_test test = { .cpus = 2,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(g, 3) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	const sl_job one = pod_of(&test, 0, IN(g) ONE), two = pod_of(&test, 0, IN(g) ONE);
	const sl_job last = pod_of(&test, 0, IN(g) KUBE_ASKS("2", "1Gi"));
	runs(&test,
		0); /* In the order in which they came `one` and `two` would spread, and `last` not fit. */
	cr_expect_eq(at(&test, last), 1);
	cr_expect_eq(at(&test, one), 2);
	cr_expect_eq(at(&test, two), 2);
	kube_test_close(&test);
}

/* Who was tried in vain backs off and is popped again, with no event; who had a node waits for the end of an
 * error's backoff, unless another of its group is popped. */
Test(kube_workload, groups_come_back_without_an_event)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 1,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG, .singly = true } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, IN(g) ONE);
	(void)pod_of(&test, 0, IN(g) ONE);
	cr_expect_eq(cycles(&test), 3); /* As often as is tried in one instant. */
	cr_expect_eq(test.k.backoff.count, 1);
	cr_expect_eq(test.k.errors.count, 1);
	kube_test_close(&test);
}

/* A node of 1: a pod of priority 1 makes way for the gang of 9; all of the gang wait where they are
 * nominated, and go there in the next cycle. */
Test(kube_workload, a_gang_preempts_pod_by_pod_and_waits)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	const sl_job low = pod_of(&test, 0, RANKED(1) ONE);
	runs(&test, 0);
	const sl_job a = pod_of(&test, 1, IN(g) RANKED(9) ONE), b = pod_of(&test, 1, IN(g) RANKED(9) ONE);
	test.k.now = SL_SECOND;
	cr_expect(kube_try_next(&test.k));
	cr_expect_eq(at(&test, low), 0);
	cr_expect_eq(at(&test, a), 0);
	cr_expect_eq(test.k.nominees, 2); /* The one that had a free node, too. */
	runs(&test, 1);
	cr_expect(at(&test, a) && at(&test, b));
	kube_test_close(&test);
}

/* Victims go, though the group fails in the end. */
Test(kube_workload, victims_go_for_nothing)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 1,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, RANKED(1) ONE);
	runs(&test, 0);
	(void)pod_of(&test, 1, IN(g) RANKED(9) ONE);
	(void)pod_of(&test, 1, IN(g) RANKED(9) ONE);
	test.k.now = SL_SECOND;
	cr_expect(kube_try_next(&test.k));
	cr_expect_eq(test.k.preempted, 1);
	cr_expect_eq(test.k.nominees, 0);
	kube_test_close(&test);
}

/* n1 has Z of 1 cpu and priority 1, A and B of half a cpu and 5; n2 has C of 2 cpus and 5; B came last. The
 * first of the gang evicts Z. That counts on its node until the cycle is over: the second would have to evict
 * B with it, and takes C's node; without Z it would be B, who came later than C. */
Test(kube_workload, victims_count_until_the_cycle_is_over)
{
	struct kube_test test = { .cpus = 2,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, "\"nodeName\":\"n1\"," RANKED(1) ONE);
	(void)pod_of(&test, 0, "\"nodeName\":\"n1\"," RANKED(5) KUBE_ASKS("500m", "1Gi"));
	runs(&test, 0);
	(void)pod_of(&test, 1, "\"nodeName\":\"n2\"," RANKED(5) KUBE_ASKS("2", "1Gi"));
	runs(&test, 1);
	const sl_job b = pod_of(&test, 2, "\"nodeName\":\"n1\"," RANKED(5) KUBE_ASKS("500m", "1Gi"));
	runs(&test, 2);
	(void)pod_of(&test, 3, IN(g) RANKED(9) ONE);
	(void)pod_of(
		&test, 3, IN(g) RANKED(9) KUBE_ASKS("500m", "1Gi")); /* It completes the count: the first. */
	test.k.now = 3 * SL_SECOND;
	cr_expect(kube_try_next(&test.k));
	cr_expect_eq(test.k.preempted, 2);
	cr_expect_eq(at(&test, b), 1);
	kube_test_close(&test);
}

/* `big` fits nowhere and is tried first; as the other two are bound, the first of them waits at Permit for
 * the second, which sends `big` to activeQ, not to back off. */
Test(kube_workload, permit_activates_who_failed)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG, .singly = true } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, IN(g) ONE);
	const sl_job big = pod_of(&test, 0, IN(g) KUBE_ASKS("9", "1Gi"));
	(void)pod_of(&test, 0, IN(g) ONE);
	cr_expect(kube_try_next(&test.k));
	cr_expect_eq(test.k.pod[test.k.job[big.row].first].state, KUBE_POD_ACTIVE);
	kube_test_close(&test);
}

/* In a run a group that fits nowhere is tried again as something changes, not before. */
Test(kube_workload, tries_that_must_fail_are_left_out)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	const sl_job other = pod_of(&test, 0, ONE);
	runs(&test, 0);
	const sl_job one = pod_of(&test, 1, IN(g) ONE), two = pod_of(&test, 1, IN(g) ONE);
	runs(&test, 1);
	const uint64_t before = test.k.attempts;
	cr_expect_eq(runs(&test, 100), SL_NEVER);
	cr_expect_eq(test.k.attempts, before);
	kube_remove(&test.k, 200 * SL_SECOND, other);
	runs(&test, 200);
	cr_expect(at(&test, one) && at(&test, two));
	kube_test_close(&test);
}

/* A PodGroup that comes after its pods releases them. */
Test(kube_workload, the_group_comes_later)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 2,
		.objects = GANG_OF(g, 2) "}\n",
		.options = { .gates = GATES_GANG } };
	kube_test_open(&test);
	kube_workload_expect(&test.k, "default", "g");
	const sl_job one = pod_of(&test, 0, IN(g) ONE), two = pod_of(&test, 0, IN(g) ONE);
	runs(&test, 0);
	cr_expect_eq(at(&test, one), 0);
	test.k.now = SL_SECOND;
	kube_workload_arrive(&test.k, "default", "g");
	runs(&test, 1);
	cr_expect(at(&test, one) && at(&test, two));
	kube_test_close(&test);
}

/* ---- Placements ------------------------------------------------------------------------------------------
 */

#define RACKS                                                     \
	{                                                         \
		{ "rack", "a" }, { "rack", "b" }, { "rack", "b" } \
	}
#define RACKED(count)  GANG_OF(g, count) ", schedulingConstraints: {topology: [{key: rack}]}}\n"
#define GATES_TOPOLOGY (GATES_GANG | KUBE_GATE_TOPOLOGY)

/* Two pods: of racks a of one node and b of two, b takes both. */
Test(kube_workload, all_of_a_group_in_one_domain)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 3,
		.label = RACKS,
		.objects = RACKED(2),
		.options = { .gates = GATES_TOPOLOGY } };
	kube_test_open(&test);
	const sl_job one = pod_of(&test, 0, IN(g) ONE), two = pod_of(&test, 0, IN(g) ONE);
	runs(&test, 0);
	cr_expect_geq(at(&test, one), 2);
	cr_expect_geq(at(&test, two), 2);
	kube_test_close(&test);
}

/* One suffices: the rack that takes more of the group is taken; of equals the first by name. */
Test(kube_workload, the_domain_that_takes_most)
{
	for (int pods = 1; pods <= 2; pods++) {
		struct kube_test test = { .cpus = 1,
			.gib = 8,
			.nodes = 3,
			.label = RACKS,
			.objects = RACKED(1),
			.options = { .gates = GATES_TOPOLOGY } };
		kube_test_open(&test);
		/* The second is there before the first is tried. */
		const sl_job one = pod_of(&test, 0, IN(g) ONE);
		if (pods == 2)
			(void)pod_of(&test, 0, IN(g) ONE);
		runs(&test, 0);
		if (pods == 1)
			cr_expect_eq(at(&test, one), 1);
		else
			cr_expect_geq(at(&test, one), 2);
		kube_test_close(&test);
	}
}

/* Both take all of it: the one of which more is allocated then. */
Test(kube_workload, the_fuller_domain)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 3,
		.label = { { "rack", "a" }, { "rack", "a" }, { "rack", "b" } },
		.objects = RACKED(1),
		.options = { .gates = GATES_TOPOLOGY } };
	kube_test_open(&test);
	const sl_job one = pod_of(&test, 0, IN(g) ONE);
	runs(&test, 0);
	cr_expect_eq(at(&test, one), 3);
	kube_test_close(&test);
}

/* Once one is bound in a rack the others go nowhere else; nor does such a group preempt. */
Test(kube_workload, later_pods_stay_in_the_domain_and_evict_nobody)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 3,
		.label = RACKS,
		.objects = RACKED(1),
		.options = { .gates = GATES_TOPOLOGY } };
	kube_test_open(&test);
	const sl_job one = pod_of(&test, 0, IN(g) RANKED(5) ONE);
	runs(&test, 0);
	cr_expect_eq(at(&test, one), 1);
	const sl_job two = pod_of(&test, 1, IN(g) RANKED(5) ONE);
	runs(&test, 1);
	cr_expect_eq(at(&test, two), 0); /* Rack b is free. */
	kube_test_close(&test);

	test = (struct kube_test){ .cpus = 1,
		.gib = 8,
		.nodes = 1,
		.label = RACKS,
		.objects = RACKED(1),
		.options = { .gates = GATES_TOPOLOGY } };
	kube_test_open(&test);
	const sl_job low = pod_of(&test, 0, RANKED(1) ONE);
	runs(&test, 0);
	(void)pod_of(&test, 1, IN(g) RANKED(5) ONE);
	runs(&test, 1);
	cr_expect_eq(at(&test, low), 1);
	kube_test_close(&test);
}

/* No node has the label: there is no placement, and no filter that rejected anybody. */
Test(kube_workload, no_node_has_the_label)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 1,
		.objects = RACKED(1),
		.options = { .gates = GATES_TOPOLOGY, .singly = true } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, IN(g) ONE);
	cr_expect(kube_try_next(&test.k));
	cr_expect_eq(test.k.errors.count, 1);
	kube_test_close(&test);
}

/* ---- Preemption by groups --------------------------------------------------------------------------------
 */

#define GATES_PREEMPTION (GATES_GANG | KUBE_GATE_PREEMPTION)
#define WEIGHED(name, count, rank, mode) \
	GANG_OF(name, count) ", priority: " #rank ", disruptionMode: " #mode "}\n"

/* A gang of two on two nodes. A lone pod of 9 on one of them is worth neither of them where the gang's pods
 * go one by one; where it goes as one, both go. */
Test(kube_workload, a_group_goes_as_one_or_pod_by_pod)
{
	static const char *const objects[] = { WEIGHED(low, 2, 1, Pod) "---\n" WEIGHED(top, 1, 9, Pod),
		WEIGHED(low, 2, 1, PodGroup) "---\n" WEIGHED(top, 1, 9, Pod) };
	for (uint32_t i = 0; i < SL_LEN(objects); i++) {
		struct kube_test test = { .cpus = 1,
			.gib = 8,
			.nodes = 2,
			.objects = objects[i],
			.options = { .gates = GATES_PREEMPTION } };
		kube_test_open(&test);
		const sl_job a = pod_of(&test, 0, IN(low) RANKED(1) ONE),
			     b = pod_of(&test, 0, IN(low) RANKED(1) ONE);
		runs(&test, 0);
		cr_assert(at(&test, a) && at(&test, b));
		(void)pod_of(&test, 1, IN(top) RANKED(9) ONE);
		test.k.now = SL_SECOND;
		cr_expect(kube_try_next(&test.k));
		cr_expect_eq(test.k.preempted, i + 1);
		kube_test_close(&test);
	}
}

/* The PodGroups' priorities decide, not their pods': that of `low` is as high as `top`'s. */
Test(kube_workload, the_priority_is_the_groups)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 1,
		.objects = WEIGHED(low, 1, 9, PodGroup) "---\n" WEIGHED(top, 1, 9, Pod),
		.options = { .gates = GATES_PREEMPTION } };
	kube_test_open(&test);
	const sl_job low = pod_of(&test, 0, IN(low) RANKED(1) ONE);
	runs(&test, 0);
	(void)pod_of(&test, 1, IN(top) RANKED(9) ONE);
	runs(&test, 1);
	cr_expect_eq(at(&test, low), 1);
	kube_test_close(&test);
}

/* Nobody is evicted where that does not help the whole group. */
Test(kube_workload, none_goes_for_nothing_where_groups_preempt)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 1,
		.objects = WEIGHED(top, 2, 9, Pod),
		.options = { .gates = GATES_PREEMPTION } };
	kube_test_open(&test);
	const sl_job low = pod_of(&test, 0, RANKED(1) ONE);
	runs(&test, 0);
	(void)pod_of(&test, 1, IN(top) RANKED(9) ONE);
	(void)pod_of(&test, 1, IN(top) RANKED(9) ONE);
	runs(&test, 1);
	cr_expect_eq(at(&test, low), 1);
	cr_expect_eq(test.k.preempted, 0);
	kube_test_close(&test);
}

/* Of like priority a group is put back before a pod, though that is older. */
Test(kube_workload, groups_stay_before_pods)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 3,
		.objects = WEIGHED(low, 2, 1, PodGroup) "---\n" WEIGHED(top, 1, 9, Pod),
		.options = { .gates = GATES_PREEMPTION } };
	kube_test_open(&test);
	const sl_job alone = pod_of(&test, 0, RANKED(1) ONE);
	runs(&test, 0);
	const sl_job a = pod_of(&test, 1, IN(low) RANKED(1) ONE), b = pod_of(&test, 1, IN(low) RANKED(1) ONE);
	runs(&test, 1);
	cr_assert(at(&test, alone) && at(&test, a) && at(&test, b));
	(void)pod_of(&test, 2, IN(top) RANKED(9) ONE);
	runs(&test, 2);
	cr_expect_eq(at(&test, alone), 0);
	cr_expect(at(&test, a) && at(&test, b));
	kube_test_close(&test);
}

/* Of like priority the larger group is put back first, though the smaller is older. */
Test(kube_workload, larger_groups_stay_before_smaller_ones)
{
	struct kube_test test = { .cpus = 1,
		.gib = 8,
		.nodes = 3,
		.objects = WEIGHED(small, 1, 1, PodGroup) "---\n" WEIGHED(
			large, 2, 1, PodGroup) "---\n" WEIGHED(top, 1, 9, Pod),
		.options = { .gates = GATES_PREEMPTION } };
	kube_test_open(&test);
	const sl_job small = pod_of(&test, 0, IN(small) RANKED(1) ONE);
	runs(&test, 0);
	const sl_job a = pod_of(&test, 1, IN(large) RANKED(1) ONE),
		     b = pod_of(&test, 1, IN(large) RANKED(1) ONE);
	runs(&test, 1);
	cr_assert(at(&test, small) && at(&test, a) && at(&test, b));
	(void)pod_of(&test, 2, IN(top) RANKED(9) ONE);
	runs(&test, 2);
	cr_expect_eq(at(&test, small), 0);
	cr_expect(at(&test, a) && at(&test, b));
	kube_test_close(&test);
}

/* A budget keeps the group: the pod that no budget covers goes in its place, though it is older and the two
 * are of like priority. */
Test(kube_workload, budgets_are_kept_where_they_can_be)
{
	static const char objects[] =
		WEIGHED(top, 1, 9, Pod) "---\nkind: PodDisruptionBudget\nmetadata: {name: keep}\n"
					"spec: {minAvailable: 1, selector: {matchLabels: {app: kept}}}\n";
	struct kube_test test = {
		.cpus = 1, .gib = 8, .nodes = 2, .objects = objects, .options = { .gates = GATES_PREEMPTION }
	};
	kube_test_open(&test);
	const sl_job old = pod_of(&test, 0, RANKED(1) ONE);
	runs(&test, 0);
	const sl_job kept = kube_test_pod(&test, SL_SECOND, "\"app\":\"kept\"", RANKED(1) ONE);
	runs(&test, 1);
	(void)pod_of(&test, 2, IN(top) RANKED(9) ONE);
	runs(&test, 2);
	cr_expect_eq(at(&test, old), 0);
	cr_expect_neq(at(&test, kept), 0);
	kube_test_close(&test);
}

/* n1 has W of priority 1, n2 X of 99, a cpu each of two. The gang: a of 2 cpus is tried before b of 1. At
 * first b fits on n1, where it is nominated as W goes. Then a takes n1, as b's nomination does not count
 * among its own, and b goes to n2. */
Test(kube_workload, a_group_does_not_mind_its_own_nominations)
{
	struct kube_test test = { .cpus = 2,
		.gib = 8,
		.nodes = 2,
		.objects = WEIGHED(top, 2, 9, Pod),
		.options = { .gates = GATES_PREEMPTION } };
	kube_test_open(&test);
	(void)pod_of(&test, 0, "\"nodeName\":\"n1\"," RANKED(1) ONE);
	(void)pod_of(&test, 0, "\"nodeName\":\"n2\"," RANKED(99) ONE);
	runs(&test, 0);
	const sl_job b = pod_of(&test, 1, IN(top) RANKED(9) ONE);
	const sl_job a = pod_of(&test, 1, IN(top) RANKED(9) KUBE_ASKS("2", "1Gi"));
	test.k.now = SL_SECOND;
	cr_expect(kube_try_next(&test.k) && kube_try_next(&test.k));
	cr_expect_eq(at(&test, a), 1);
	cr_expect_eq(at(&test, b), 2);
	kube_test_close(&test);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_place.c - where kube-scheduler puts a pod, and what it says where it cannot: a small cluster for
 * each rule.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kube_world.h"

#define SMALL KUBE_ASKS("1", "1Gi")

static void runs(struct kube_test *test, sl_time now) { (void)kube_run(&test->k, now); }

static void says(struct kube_test *test, sl_job job, const char *text)
{
	const char *why = kube_why(&test->k, job);
	cr_expect(why && strcmp(why, text) == 0, "'%s' instead of '%s'", why ? why : "(nothing)", text);
}

Test(kube_place, the_emptier_node_and_then_the_first_by_name)
{
	struct kube_test test = { .cpus = 4, .gib = 4, .nodes = 3 };
	kube_test_open(&test);
	sl_job job[4];
	for (int i = 0; i < 4; i++)
		job[i] = kube_test_pod(&test, 0, "", SMALL);
	runs(&test, 0);
	for (uint32_t i = 0; i < 4; i++) /* n1, n2, n3 while one is empty, then n1 again. */
		cr_expect_eq(kube_test_at(&test, job[i], 0), i % 3 + 1);
	kube_test_close(&test);
}

Test(kube_place, what_lacks_is_said_as_kubernetes_does)
{
	struct kube_test test = { .cpus = 4, .gib = 4, .nodes = 3 };
	kube_test_open(&test);
	test.k.node[2].unschedulable = true;
	const sl_job big = kube_test_pod(&test, 0, "", KUBE_ASKS("5", "8Gi"));
	const sl_job wide = kube_test_pod(&test, 0, "", KUBE_ASKS("5", "1Gi"));
	runs(&test, 0);
	says(&test, big,
		"0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Insufficient memory.");
	says(&test, wide, "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.");
	kube_test_close(&test);
}

Test(kube_place, pods_of_a_node_are_counted)
{
	struct kube_test test = { .cpus = 400, .gib = 400, .nodes = 1 };
	kube_test_open(&test);
	test.k.node[0].pods_max = 2;
	const sl_job job = kube_test_job(&test, 0, 3, "", SMALL);
	runs(&test, 0);
	cr_expect_eq(test.k.job[job.row].bound, 2);
	says(&test, job, "0/1 nodes are available: 1 Too many pods.");
	kube_test_close(&test);
}

Test(kube_place, taints_keep_off_whom_they_are_not_tolerated)
{
	static const char objects[] = "kind: Node\nmetadata: {name: n1}\n"
				      "spec: {taints: [{key: gpu, value: a, effect: NoSchedule}]}\n---\n"
				      "kind: Node\nmetadata: {name: n2}\n"
				      "spec: {taints: [{key: old, effect: PreferNoSchedule}]}\n";
	struct kube_test test = { .cpus = 2, .gib = 4, .nodes = 3, .objects = objects };
	kube_test_open(&test);
	const sl_job plain = kube_test_job(&test, 0, 5, "", SMALL);
	const sl_job other =
		kube_test_pod(&test, 0, "", "\"tolerations\":[{\"key\":\"gpu\",\"value\":\"b\"}]," SMALL);
	const sl_job suits = kube_test_pod(
		&test, 0, "", "\"tolerations\":[{\"key\":\"gpu\",\"operator\":\"Exists\"}]," SMALL);
	runs(&test, 0);
	/* What is only shunned goes last. */
	const uint32_t want[] = { 3, 3, 2, 2, 0 };
	for (uint32_t i = 0; i < 5; i++)
		cr_expect_eq(kube_test_at(&test, plain, i), want[i], "pod %u", i);
	cr_expect_eq(kube_test_at(&test, other, 0), 0);
	cr_expect_eq(kube_test_at(&test, suits, 0), 1);
	says(&test, plain,
		"0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.");
	kube_test_close(&test);
}

#define ZONES                                                                          \
	{                                                                              \
		{ "zone", "a" }, { "zone", "a" }, { "zone", "b" }, { "zone", "b" }, {} \
	}

Test(kube_place, selectors_and_affinity_to_nodes)
{
	struct kube_test test = { .cpus = 4, .gib = 4, .nodes = 5, .label = ZONES };
	kube_test_open(&test);
	const sl_job named = kube_test_pod(&test, 0, "", "\"nodeName\":\"n4\"," SMALL);
	const sl_job in_b = kube_test_pod(&test, 0, "", "\"nodeSelector\":{\"zone\":\"b\"}," SMALL);
	const sl_job nowhere = kube_test_pod(&test, 0, "", "\"nodeSelector\":{\"zone\":\"c\"}," SMALL);
	const sl_job none = kube_test_pod(&test, 0, "",
		"\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
		"{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"DoesNotExist\"}]}]}}}," SMALL);
	const sl_job rather = kube_test_pod(&test, 0, "",
		"\"affinity\":{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":"
		"[{\"weight\":10,\"preference\":{\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"In\",\"values\":"
		"[\"a\"]}]}}]}}," SMALL);
	runs(&test, 0);
	cr_expect_eq(kube_test_at(&test, named, 0), 4);
	cr_expect_eq(kube_test_at(&test, in_b, 0), 3);
	cr_expect_eq(kube_test_at(&test, nowhere, 0), 0);
	cr_expect_eq(kube_test_at(&test, none, 0), 5);
	cr_expect_eq(kube_test_at(&test, rather, 0), 1);
	says(&test, nowhere, "0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector.");
	kube_test_close(&test);
}

#define SPREAD(skew, when)                                                           \
	"\"topologySpreadConstraints\":[{\"topologyKey\":\"zone\",\"maxSkew\":" skew \
	",\"whenUnsatisfiable\":\"" when "\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}}]," SMALL

Test(kube_place, spreading_that_is_required)
{
	/* Zone a: n1, n2 of 4 cpus; b: n3, n4, of which 2 pods fill b as n4 is closed and n3 is small. */
	struct kube_test test = { .cpus = 4, .gib = 8, .nodes = 5, .label = ZONES };
	kube_test_open(&test);
	test.k.node[3].unschedulable = true;
	test.k.node[2].pods_max = 2;
	const sl_job job = kube_test_job(&test, 0, 6, "\"app\":\"x\"", SPREAD("1", "DoNotSchedule"));
	runs(&test, 0);
	uint32_t in_a = 0, in_b = 0;
	for (uint32_t i = 0; i < 6; i++) {
		in_a += kube_test_at(&test, job, i) == 1 || kube_test_at(&test, job, i) == 2;
		in_b += kube_test_at(&test, job, i) == 3;
	}
	cr_expect_eq(in_b, 2);
	cr_expect_eq(in_a, 3); /* One more than in b, and no further. */
	says(&test, job,
		"0/5 nodes are available: 1 Too many pods, 1 node(s) didn't match pod topology spread constraints "
		"(missing required label), 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread "
		"constraints.");
	kube_test_close(&test);
}

Test(kube_place, spreading_that_is_preferred)
{
	struct kube_test test = { .cpus = 40, .gib = 80, .nodes = 4, .label = ZONES };
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 4, "\"app\":\"x\"", SPREAD("1", "ScheduleAnyway"));
	runs(&test, 0);
	/* 2 * spread outweighs what one pod of 40 cpus costs: zones in turn. */
	const uint32_t want[] = { 1, 3, 2, 4 };
	for (uint32_t i = 0; i < 4; i++)
		cr_expect_eq(kube_test_at(&test, job, i), want[i], "pod %u at n%u", i,
			kube_test_at(&test, job, i));
	kube_test_close(&test);
}

#define POD_AFFINITY(kind, value)                                                          \
	"\"affinity\":{\"" kind "\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[" \
	"{\"topologyKey\":\"zone\",\"labelSelector\":{\"matchLabels\":{\"app\":\"" value "\"}}}]}}," SMALL

Test(kube_place, affinity_between_pods)
{
	struct kube_test test = { .cpus = 4, .gib = 8, .nodes = 5, .label = ZONES };
	kube_test_open(&test);
	/* The first of those that want each other may go anywhere that has the key; the others follow. */
	const sl_job group = kube_test_job(&test, 0, 3, "\"app\":\"g\"", POD_AFFINITY("podAffinity", "g"));
	const sl_job lonely = kube_test_pod(&test, 0, "\"app\":\"l\"", POD_AFFINITY("podAffinity", "nobody"));
	runs(&test, 0);
	for (uint32_t i = 0; i < 3; i++)
		cr_expect(kube_test_at(&test, group, i) == 1 || kube_test_at(&test, group, i) == 2);
	cr_expect_eq(kube_test_at(&test, lonely, 0), 0);
	says(&test, lonely, "0/5 nodes are available: 5 node(s) didn't match pod affinity rules.");
	kube_test_close(&test);
}

Test(kube_place, anti_affinity_works_both_ways)
{
	struct kube_test test = { .cpus = 4, .gib = 8, .nodes = 4, .label = ZONES };
	kube_test_open(&test);
	const sl_job one = kube_test_pod(&test, 0, "\"app\":\"one\"", POD_AFFINITY("podAntiAffinity", "two"));
	const sl_job two = kube_test_job(&test, 0, 2, "\"app\":\"two\"", SMALL);
	runs(&test, 0);
	cr_expect_eq(kube_test_at(&test, one, 0), 1);
	cr_expect_eq(kube_test_at(&test, two, 0), 3); /* Whom `one` does not want keeps off its zone. */
	cr_expect_eq(kube_test_at(&test, two, 1), 4);
	const sl_job third =
		kube_test_pod(&test, 1, "\"app\":\"three\"", POD_AFFINITY("podAntiAffinity", "two"));
	runs(&test, 1);
	cr_expect_eq(kube_test_at(&test, third, 0), 2);
	kube_remove(&test.k, 2, third);
	test.k.node[0].unschedulable = test.k.node[1].unschedulable = true;
	const sl_job fourth =
		kube_test_pod(&test, 2, "\"app\":\"four\"", POD_AFFINITY("podAntiAffinity", "two"));
	runs(&test, 2);
	says(&test, fourth,
		"0/4 nodes are available: 2 node(s) didn't match pod anti-affinity rules, 2 node(s) were "
		"unschedulable.");
	kube_test_close(&test);
}

/* A pod that wants none like another keeps it off by the label of its own node; without that it is as if it
 * were not there, and InterPodAffinity does not concern the other. */
Test(kube_place, anti_affinity_by_a_label_that_its_node_lacks)
{
	static const struct {
		const char *key;
		bool matters;
	} cases[] = { { "disk", false }, { "kubernetes.io/hostname", true } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct kube_test test = { .cpus = 2, .gib = 4, .nodes = 2 };
		char spec[400];
		(void)snprintf(spec, sizeof(spec),
			"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
			"\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}},\"topologyKey\":\"%s\"}]}}," KUBE_ASKS(
				"1", "1Gi"),
			cases[i].key);
		kube_test_open(&test);
		(void)kube_test_pod(&test, 0, "", spec);
		(void)kube_run(&test.k, 0);
		const sl_job x = kube_test_pod(&test, 0, "\"app\":\"x\"", KUBE_ASKS("1", "1Gi"));
		struct kube_pod_affinity *of = kube_pod_affinity_new(&test.k, test.k.job[x.row].first);
		cr_expect_eq(kube_pod_affinity_matters(of), cases[i].matters, "%s", cases[i].key);
		kube_pod_affinity_free(of);
		kube_test_close(&test);
	}
}

Test(kube_place, cycles_begin_where_the_last_one_left_off)
{
	/* 128 nodes, of which 100 are enough: cycle 1 sees n1..n100, cycle 2 n101..n128, n1..n72. */
	struct kube_test test = { .cpus = 4, .gib = 4, .nodes = 128 };
	kube_test_open(&test);
	const sl_job a = kube_test_pod(&test, 0, "", SMALL), b = kube_test_pod(&test, 0, "", SMALL);
	runs(&test, 0);
	cr_expect_eq(kube_test_at(&test, a, 0), 1);
	cr_expect_eq(test.k.start, 72);
	cr_expect_eq(kube_test_at(&test, b, 0), 10); /* By name n10 is before n101, and n1 has a pod. */
	kube_test_close(&test);
}

Test(kube_place, configuration_packs)
{
	static const char objects[] =
		"kind: KubeSchedulerConfiguration\nprofiles:\n"
		"- schedulerName: default-scheduler\n"
		"  plugins: {score: {disabled: [{name: NodeResourcesBalancedAllocation}]}}\n"
		"- schedulerName: packer\n"
		"  plugins: {multiPoint: {enabled: [{name: NodeResourcesFit, weight: 5}]}}\n"
		"  pluginConfig:\n"
		"  - name: NodeResourcesFit\n"
		"    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}\n";
	struct kube_test test = { .cpus = 4, .gib = 4, .nodes = 3, .objects = objects };
	kube_test_open(&test);
	cr_expect_eq(test.k.profiles, 2);
	cr_expect_eq(test.k.profile[0].weight[KUBE_BALANCED], 0);
	cr_expect_eq(test.k.profile[1].weight[KUBE_FIT], 5);
	const sl_job job = kube_test_job(&test, 0, 4, "", "\"schedulerName\":\"packer\"," SMALL);
	runs(&test, 0);
	for (uint32_t i = 0; i < 4; i++)
		cr_expect_eq(kube_test_at(&test, job, i), 1, "pod %u", i);
	kube_test_close(&test);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_elastic_ca.c - cluster-autoscaler: a small cluster for each rule, whose times are worked out by hand.
 *
 * Nodes have 4 cpus and 16 GiB unless it is said. n1 is there; the others are of groups. A loop is each 10 s.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/kube/elastic/ca.h"
#include "tests/world/elastic_world.h"

#define CPU(n)            KUBE_ASKS(n, "1Gi")
#define GROUP(name, rest) "---\nkind: NodeGroup\nmetadata: {name: " name "}\nspec: {" rest "}\n"
#define FLAGS(list) \
	"---\nkind: AutoscalerFlags\nmetadata: {name: cluster-autoscaler}\nspec: {flags: [" list "]}\n"

static struct elastic_test test;

static void opens(uint32_t nodes, const char *objects)
{
	memset(&test, 0, sizeof(test));
	test.kube = (struct kube_test){ .cpus = 4, .gib = 16, .nodes = nodes, .objects = objects };
	elastic_test_open(&test);
}

static void closes(void) { kube_test_close(&test.kube); }

static void happens(const char *what, uint32_t node, int64_t second)
{
	const int64_t when = elastic_test_when(&test, what, node);
	cr_expect_eq(when, second, "n%u %s at %lld instead of %lld", node, what, (long long)when,
		(long long)second);
}

/* ---- Scale-up ------------------------------------------------------------------------------------ */

Test(elastic_ca, a_pod_has_to_be_two_seconds_old)
{
	opens(3, GROUP("g", "nodes: \"n[2-3]\", provisioning: 60"));
	elastic_test_run(&test, 9);
	(void)elastic_test_job(&test, 0, 2, CPU("3")); /* One of them on n1, at 9: the loop at 10 waits. */
	elastic_test_run(&test, 200);
	happens("ordered", 2, 20);
	happens("came", 2, 80);
	happens("ordered", 3, -1);
	closes();
}

Test(elastic_ca, a_pod_that_wants_a_gpu_thirty)
{
	opens(2,
		"kind: Node\nmetadata: {name: n2}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 1}}\n" GROUP(
			"g", "nodes: n2"));
	(void)elastic_test_job(&test, 0, 1,
		"\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\",\"nvidia.com/gpu\":\"1\"}}}]");
	elastic_test_run(&test, 200);
	happens("ordered", 2, 30); /* 30 s old then. */
	closes();
}

Test(elastic_ca, new_pods_are_delayed_by_flag)
{
	opens(2, GROUP("g", "nodes: n2") FLAGS("--new-pod-scale-up-delay=45s"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	elastic_test_run(&test, 200);
	happens("ordered", 2, 50);
	closes();
}

Test(elastic_ca, pods_are_packed_and_those_that_are_ordered_count)
{
	/* Of five pods of 2 cpus two go on n1; three need two nodes. At 30 one more fits beside the third. */
	opens(6, GROUP("g", "nodes: \"n[2-6]\", provisioning: 100"));
	(void)elastic_test_job(&test, 0, 5, CPU("2"));
	elastic_test_run(&test, 25);
	cr_expect_eq(test.kube.k.scaler->pool[0].ordered, 2);
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 60);
	cr_expect_eq(test.kube.k.scaler->pool[0].ordered, 2);
	elastic_test_run(&test, 200);
	cr_expect_eq(elastic_test_there(&test, 2, 6), 2);
	closes();
}

Test(elastic_ca, pods_of_several_jobs_are_one_scale_up)
{
	/* 3 + 1 of 3 cpus and 1, 2 and 2: n1 and three nodes. */
	static const char *const cpus[] = { "4", "3", "2", "2", "1", "3" };
	opens(7, GROUP("g", "nodes: \"n[2-7]\""));
	for (size_t i = 0; i < SL_LEN(cpus); i++) {
		char spec[200];
		(void)snprintf(spec, sizeof(spec), KUBE_ASKS("%s", "1Gi"), cpus[i]);
		(void)elastic_test_job(&test, 0, 1, spec);
	}
	elastic_test_run(&test, 10);
	cr_expect_eq(elastic_test_there(&test, 2, 7), 3, "3 + 1, 3 and 2 + 2, ordered at 10");
	closes();
}

Test(elastic_ca, no_more_than_max_and_nodes_in_total)
{
	opens(6, GROUP("g", "nodes: \"n[2-6]\", max: 2"));
	(void)elastic_test_job(&test, 0, 9, CPU("4"));
	elastic_test_run(&test, 100);
	cr_expect_eq(elastic_test_there(&test, 2, 6), 2);
	closes();
	opens(6, GROUP("g", "nodes: \"n[2-6]\"") FLAGS("--max-nodes-total=4, '--nodes=0:5:g'"));
	(void)elastic_test_job(&test, 0, 9, CPU("4"));
	elastic_test_run(&test, 100);
	cr_expect_eq(elastic_test_there(&test, 1, 6), 4);
	closes();
	opens(6, GROUP("g", "nodes: \"n[2-6]\"") FLAGS("'--nodes=1:3:g'"));
	(void)elastic_test_job(&test, 0, 9, CPU("4"));
	elastic_test_run(&test, 100);
	cr_expect_eq(elastic_test_there(&test, 2, 6), 3);
	closes();
}

Test(elastic_ca, expendable_pods_cause_none)
{
	opens(2, GROUP("g", "nodes: n2"));
	(void)elastic_test_job(&test, 0, 1, "\"priority\":5," CPU("4"));
	(void)elastic_test_job(&test, 0, 1, "\"priority\":-11," CPU("4"));
	elastic_test_run(&test, 100);
	happens("ordered", 2, -1);
	closes();
}

/* ---- Expanders ------------------------------------------------------------------------------------- */

/* Group a: n2 to n4 of 2 cpus and 8 GiB, 1.0 an hour; b: n5 of 8 cpus and 32 GiB, 3.0; c: n6 of 4 and
 * 32, 1.9. n1 is full. Three pods of 2 cpus and 8 GiB. */
#define SIZED(name, cpu, mem)                                                                            \
	"---\nkind: Node\nmetadata: {name: " name "}\nstatus: {allocatable: {cpu: " cpu ", memory: " mem \
	"Gi}}\n"
#define SIZED_NODES           \
	SIZED("n2", "2", "8") \
	SIZED("n3", "2", "8") SIZED("n4", "2", "8") SIZED("n5", "8", "32") SIZED("n6", "4", "32")
#define GROUP_A GROUP("a", "nodes: \"n[2-4]\", price: 1, priority: 1, max: 2")
#define GROUP_B GROUP("b", "nodes: n5, price: 3, priority: 5")
#define GROUP_C GROUP("c", "nodes: n6, price: 1.9, priority: 5")
#define THREE   SIZED_NODES GROUP_A GROUP_B GROUP_C

static uint32_t grows(const char *expander)
{
	char objects[4096];
	(void)snprintf(objects, sizeof(objects), THREE FLAGS("\"--expander=%s\""), expander);
	opens(6, objects);
	(void)elastic_test_job(&test, 0, 1, KUBE_ASKS("4", "16Gi"));
	(void)elastic_test_job(&test, 0, 3, KUBE_ASKS("2", "8Gi"));
	elastic_test_run(&test, 10);
	uint32_t group = 0;
	for (uint32_t i = 0; i < 3; i++)
		group = test.kube.k.scaler->pool[i].there + test.kube.k.scaler->pool[i].ordered ? i + 1
												: group;
	closes();
	return group;
}

Test(elastic_ca, which_group_grows)
{
	/* a takes 2 pods on 2 nodes and wastes nothing; b 3 on 1, wasting a quarter of both; c 2 on 1, half
	 * of the memory. Prices for a pod: 1, 1, 0.95; but a cluster of one node prefers nodes of 1 cpu. */
	cr_expect_eq(grows("least-waste"), 1);
	cr_expect_eq(grows("most-pods"), 2);
	cr_expect_eq(grows("least-nodes,least-waste"), 3, "of b and c, which add one each, c wastes 0 + 0.5");
	cr_expect_eq(grows("priority,most-pods"), 2);
	cr_expect_eq(grows("priority,price"), 3);
	cr_expect_eq(grows("price"), 1, "unfitness 2 counts 2 (1 - tanh(1/15)); b's is 8, c's 4");
	const uint32_t drawn = grows("random");
	cr_expect(drawn >= 1 && drawn <= 3);
	cr_expect_eq(grows("random"), drawn, "by seed");
}

/* ---- Nodes that never come ----------------------------------------------------------------------------- */

Test(elastic_ca, a_group_whose_nodes_do_not_come_backs_off)
{
	/* a is preferred and has none: ordered at 10, given up at 910; b then. a may be asked again from 1210
	 * on. */
	opens(4, GROUP("a", "nodes: \"n[2-3]\", priority: 9, available: 0")
			 GROUP("b", "nodes: n4, priority: 1") FLAGS("--expander=priority"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	elastic_test_run(&test, 1000);
	happens("ordered", 2, 10);
	happens("failed", 2, 910);
	happens("ordered", 4, 910);
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	elastic_test_run(&test, 1205);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 1);
	elastic_test_run(&test, 2200);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 2, "at 1210");
	const struct ca_group *a = &test.kube.k.scaler->ca->group[0];
	cr_expect_eq(a->failed, 2110 * SL_SECOND);
	cr_expect_eq(a->backoff, 600 * SL_SECOND, "twice the first one");
	closes();
}

Test(elastic_ca, a_group_that_fails_alike_again_and_again_rests)
{
	/* Given up after 900 s each time, and asked again when the backoff is over: at 10, 910 + 300, 2110 +
	 * 600, 3610 + 1200, 5710 + 1800. The backoff from 8410 on is as long as the last one: it lasts until
	 * anything else happens. */
	opens(3, GROUP("g", "nodes: \"n[2-3]\", available: 0"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	elastic_test_run(&test, 8420);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 5);
	elastic_test_run(&test, 1000000);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 5, "nothing has happened since");
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	elastic_test_run(&test, 1000100);
	cr_expect_gt(test.kube.k.scaler->pool[0].ups, 5, "a pod came");
	closes();
}

Test(elastic_ca, nor_is_one_asked_for_ever_that_gives_up_too_early)
{
	/* Nodes come after 90 s, and are given up in the next loop; with backoffs of no time, too. */
	opens(3,
		GROUP("g", "nodes: \"n[2-3]\", provisioning: 90") FLAGS(
			"--max-node-provision-time=0s, --initial-node-group-backoff-duration=0s, --max-node-group-backoff-duration=0s"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	elastic_test_run(&test, 1000000);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 2);
	closes();
}

/* ---- Scale-down ------------------------------------------------------------------------------------------
 */

#define TWO GROUP("g", "nodes: \"n[2-3]\", size: 2")

/* A job of n2 and n3: each pod wants a node of the group. */
static void fills(const char *more, const char *cpu, int pods)
{
	char spec[1024];
	(void)snprintf(spec, sizeof(spec), "%s" KUBE_ASKS("%s", "1Gi"), more, cpu);
	(void)elastic_test_job(&test, 0, pods, spec);
}

Test(elastic_ca, an_empty_node_goes_after_more_than_ten_minutes)
{
	opens(3, TWO);
	elastic_test_run(&test, 2000);
	happens("leaving", 2, 610); /* Since 0; longer than 600 s. */
	happens("removed", 2, 615);
	happens("removed", 3, 615);
	closes();
}

Test(elastic_ca, ten_minutes_are_not_more_than_ten)
{
	/* A pod for n1 comes at 595, so that there is a loop at 600, too. */
	opens(3, TWO);
	elastic_test_run(&test, 595);
	(void)elastic_test_job(&test, 0, 1, "\"nodeName\":\"n1\"," CPU("1"));
	elastic_test_run(&test, 2000);
	cr_expect_eq(test.kube.k.node[0].pods, 1);
	happens("leaving", 2, 610);
	closes();
}

Test(elastic_ca, the_minimum_stays)
{
	opens(3, GROUP("g", "nodes: \"n[2-3]\", size: 2, min: 1"));
	elastic_test_run(&test, 4000);
	cr_expect_eq(elastic_test_there(&test, 2, 3), 1);
	closes();
}

Test(elastic_ca, one_that_is_used_by_more_than_half_stays)
{
	opens(3, TWO);
	fills("\"nodeName\":\"n2\",", "2001m", 1);
	elastic_test_run(&test, 2000);
	happens("removed", 2, -1);
	happens("removed", 3, 615);
	closes();
	opens(3, TWO);
	(void)elastic_test_job(&test, 0, 3, CPU("2")); /* One each, just half; n2's fits on n1. */
	elastic_test_run(&test, 700);
	happens("evicted", 2, 615);
	cr_expect_eq(test.kube.k.node[0].pods, 2);
	closes();
}

Test(elastic_ca, with_a_threshold_of_zero_empty_nodes_go)
{
	opens(3, TWO FLAGS("--scale-down-utilization-threshold=0"));
	fills("\"nodeName\":\"n2\",", "1m", 1);
	elastic_test_run(&test, 2000);
	happens("removed", 2, -1);
	happens("removed", 3, 615);
	closes();
}

Test(elastic_ca, pods_have_to_fit_elsewhere)
{
	/* 1.5 of 4 on each: n2's fits beside n1's and then n3's would not. */
	opens(3, TWO);
	(void)elastic_test_job(&test, 0, 3, CPU("1500m"));
	elastic_test_run(&test, 3000);
	cr_expect_eq(elastic_test_there(&test, 1, 3), 2);
	closes();
	opens(3, TWO);
	(void)elastic_test_job(&test, 0, 1, CPU("3")); /* n1 */
	(void)elastic_test_job(&test, 0, 2, CPU("1500m"));
	elastic_test_run(&test, 3000); /* n2's fits beside n3's. */
	cr_expect_eq(elastic_test_there(&test, 1, 3), 2);
	closes();
}

/* A pod on n2, which n1 could hold: does it keep the node? */
static bool keeps(const char *manifest, const char *objects)
{
	char all[4096];
	(void)snprintf(all, sizeof(all), "%s%s", GROUP("g", "nodes: n2, size: 1"), objects);
	opens(2, all);
	test.kube.k.node[0].cordoned = true;
	test.kube.more[1].namespace = strstr(manifest, "kube-system") ? "kube-system" : NULL;
	(void)kube_test_add(&test.kube, 0, manifest);
	elastic_test_run(&test, 0);
	test.kube.k.node[0].cordoned = false;
	test.kube.k.version++;
	elastic_test_run(&test, 3000);
	const bool kept = test.kube.k.node[1].there;
	closes();
	return kept;
}

#define POD(meta, spec)                                                              \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"," meta \
	"},\"spec\":{" spec CPU("1") "}}"
#define OWNED            "\"ownerReferences\":[{\"kind\":\"ReplicaSet\"}],\"labels\":{\"app\":\"x\"}"
#define NOTE(key, value) ",\"annotations\":{\"cluster-autoscaler.kubernetes.io/" key "\":\"" value "\"}"
#define EMPTY_DIR        "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],"
#define BUDGET(n)                                                                      \
	"---\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: " n \
	", selector: {matchLabels: {app: x}}}\n"

Test(elastic_ca, what_keeps_a_node)
{
	cr_expect(!keeps(POD(OWNED, ""), ""), "a pod of a controller does not");
	cr_expect(keeps(POD("\"labels\":{\"app\":\"x\"}", ""), ""), "a bare pod");
	cr_expect(!keeps(POD("\"labels\":{\"app\":\"x\"}" NOTE("safe-to-evict", "true"), ""), ""),
		"that is safe to evict");
	cr_expect(keeps(POD(OWNED NOTE("safe-to-evict", "false"), ""), ""), "one that is not");
	cr_expect(keeps(POD(OWNED, EMPTY_DIR), ""), "local storage");
	cr_expect(!keeps(POD(OWNED NOTE("safe-to-evict-local-volumes", "w,v"), EMPTY_DIR), ""),
		"that is named");
	cr_expect(!keeps(POD(OWNED, "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{\"medium\":\"Memory\"}}],"),
			  ""),
		"memory");
	cr_expect(!keeps(POD(OWNED, EMPTY_DIR), FLAGS("--skip-nodes-with-local-storage=false")));
	cr_expect(keeps(POD("\"namespace\":\"kube-system\"," OWNED, ""), ""), "of the system");
	cr_expect(!keeps(POD("\"namespace\":\"kube-system\"," OWNED, ""),
		FLAGS("--skip-nodes-with-system-pods=false")));
	cr_expect(keeps(POD(OWNED, ""), BUDGET("1")), "its budget allows none");
	cr_expect(!keeps(POD(OWNED, ""), BUDGET("0")), "its budget allows one");
	cr_expect(keeps(POD(OWNED, ""), FLAGS("--scale-down-enabled=false")));
	cr_expect(keeps(POD(OWNED, ""),
		"---\nkind: Node\nmetadata: {name: n2, annotations: {cluster-autoscaler.kubernetes.io/scale-down-disabled: 'true'}}\n"));
}

Test(elastic_ca, after_a_scale_up_it_rests)
{
	/* n2 is empty from 0 on; n3 is ordered at 310. */
	opens(3, GROUP("g", "nodes: n2, size: 1") GROUP("h", "nodes: n3"));
	test.kube.k.node[1].unschedulable = true;
	elastic_test_run(&test, 305);
	(void)elastic_test_job(&test, 0, 2, CPU("4"));
	elastic_test_run(&test, 2000);
	happens("ordered", 3, 310);
	happens("leaving", 2, 910); /* 10 minutes behind it. */
	closes();
}

Test(elastic_ca, so_many_at_a_time)
{
	opens(14, GROUP("g", "nodes: \"n[2-14]\", size: 13") FLAGS("--max-empty-bulk-delete=4"));
	elastic_test_run(&test, 616);
	cr_expect_eq(test.kube.k.scaler->pool[0].downs, 4); /* At 610; the next ones at 620. */
	elastic_test_run(&test, 626);
	cr_expect_eq(test.kube.k.scaler->pool[0].downs, 8);
	closes();
	/* With pods on them, one at a time. */
	opens(4, GROUP("g", "nodes: \"n[2-4]\", size: 3") FLAGS("--scale-down-utilization-threshold=0.9"));
	for (int i = 0; i < 4; i++)
		(void)elastic_test_job(&test, 0, 1, CPU("1"));
	elastic_test_run(&test, 616);
	cr_expect_eq(test.kube.k.scaler->pool[0].downs, 1);
	elastic_test_run(&test, 3000);
	cr_expect_eq(elastic_test_there(&test, 1, 4), 1);
	cr_expect_eq(test.kube.k.node[0].pods, 4);
	cr_expect_eq(test.kube.k.scaler->pool[0].evicted, 4, "n2's to n1, n3's to n4, and both of n4 to n1");
	closes();
}

Test(elastic_ca, a_node_that_is_down_goes_after_twenty_minutes)
{
	opens(2, GROUP("g", "nodes: n2, size: 1"));
	elastic_test_run(&test, 100);
	kube_node(&test.kube.k, test.now, 1, false);
	elastic_test_run(&test, 3000);
	/* Unneeded since 0, as it was empty. */
	happens("leaving", 2, 1210);
	closes();
	opens(2, GROUP("g", "nodes: n2, size: 1") FLAGS("--scale-down-unready-enabled=false"));
	kube_node(&test.kube.k, 0, 1, false);
	elastic_test_run(&test, 3000);
	happens("leaving", 2, -1);
	closes();
}

Test(elastic_ca, a_drain_that_fails)
{
	/* At 0 nobody takes n2's pod; from 300 on n1 does. At 912 the budget changes its mind: at 915 n2
	 * stays, and scale-down rests for 3 minutes, in which n3's time is over. */
	opens(3, GROUP("g", "nodes: n2, size: 1") GROUP("h", "nodes: n3, size: 1, scaleDownAfter: 920")
			 BUDGET("0"));
	test.kube.k.node[0].cordoned = true;
	test.kube.k.node[2].cordoned = true;
	(void)kube_test_add(&test.kube, 0, POD(OWNED, ""));
	elastic_test_run(&test, 0);
	test.kube.k.node[0].cordoned = false;
	test.kube.k.version++;
	elastic_test_run(&test, 912);
	happens("leaving", 2, 910);
	test.kube.k.budget[0].min_available = 1;
	test.kube.k.version++;
	elastic_test_run(&test, 3000);
	happens("stays", 2, 915);
	happens("removed", 2, -1);
	happens("leaving", 3, 1100);
	closes();
}

Test(elastic_ca, gpus_count_alone)
{
	/* All cpus are used, and no GPU. */
	opens(2,
		"kind: Node\nmetadata: {name: n2}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, nvidia.com/gpu: 1}}\n" GROUP(
			"g", "nodes: n2, size: 1"));
	test.kube.k.node[0].cordoned = true;
	fills("", "4", 1);
	elastic_test_run(&test, 0);
	test.kube.k.node[0].cordoned = false;
	test.kube.k.version++;
	elastic_test_run(&test, 1000);
	happens("removed", 2, 915); /* From 300 on n1 would take the pod. */
	closes();
}

Test(elastic_ca, money_is_hours_times_price)
{
	opens(2, GROUP("g", "nodes: n2, price: 0.5, provisioning: 90"));
	(void)elastic_test_job(&test, 0, 1, CPU("4"));
	(void)elastic_test_job(&test, 1000, 1, CPU("4"));
	elastic_test_run(&test, 5000);
	happens("came", 2, 100);
	happens("removed", 2, 1615); /* Empty since 1000. */
	const struct elastic_pool *pool = &test.kube.k.scaler->pool[0];
	cr_expect_eq((int64_t)(pool->node_us / SL_SECOND), 1515);
	cr_expect_eq((int64_t)(pool->price_us / SL_SECOND), 1515 * 500000);
	closes();
}

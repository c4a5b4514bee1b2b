/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_elastic_karpenter.c - Karpenter: a small cluster for each rule, whose times are worked out by hand.
 *
 * n1 is there, has 1 cpu and is cordoned, so that pods need nodes of pools, unless it is said. Instance
 * types: s of 2 cpus at 0.10 an hour, m of 4 at 0.19, l of 8 at 0.40, of each a few that may come; nodes take
 * 60 s. Batches are closed after 1 s; disruption is looked at each 10 s and validated 15 s later.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/kube/elastic/karpenter.h"
#include "tests/world/elastic_world.h"

#define CPU(n) KUBE_ASKS(n, "1Gi")

static struct elastic_test test;
static char text[1 << 16];
static uint32_t nodes;

static void put(const char *more)
{
	const size_t used = strlen(text), len = strlen(more);
	cr_assert(used + len < sizeof(text));
	memcpy(text + used, more, len + 1);
}

/* The next `count` nodes may be launched by the pool. */
static void may_come(
	const char *pool, const char *type, const char *zone, const char *capacity, int cpus, int count)
{
	char line[600];
	for (int i = 0; i < count; i++) {
		(void)snprintf(line, sizeof(line),
			"---\nkind: Node\nmetadata:\n  name: n%u\n  annotations: {schedlab/template: %s}\n"
			"  labels: {karpenter.sh/capacity-type: %s, karpenter.sh/nodepool: %s, "
			"node.kubernetes.io/instance-type: %s, topology.kubernetes.io/zone: %s}\n"
			"status: {allocatable: {cpu: %d, memory: %dGi}}\n",
			++nodes, pool, capacity, pool, type, zone, cpus, 4 * cpus);
		put(line);
	}
}

static void pool(const char *name, const char *spec)
{
	char line[2000];
	(void)snprintf(
		line, sizeof(line), "---\nkind: NodePool\nmetadata: {name: %s}\nspec: {%s}\n", name, spec);
	put(line);
}

#define OFFER(type, capacity, price) \
	"    - {name: " type ", offerings: [{zone: a, capacityType: " capacity ", price: " price "}]}\n"
#define TYPES(more)                                                                                        \
	"---\nkind: InstanceTypes\nmetadata: {name: t}\nspec:\n  currency: EUR\n  provisioning: 60\n" more \
	"  types:\n" OFFER("s", "on-demand", "0.10") OFFER("m", "on-demand", "0.19")                       \
		OFFER("l", "on-demand", "0.40")

static void begins(void)
{
	memset(&test, 0, sizeof(test));
	nodes = 1;
	text[0] = '\0';
	put("kind: Node\nmetadata: {name: n1}\nspec: {unschedulable: true}\nstatus: {allocatable: {cpu: 1, memory: 4Gi}}\n");
}

static void opens(void)
{
	test.kube = (struct kube_test){ .cpus = 64, .gib = 256, .nodes = nodes, .objects = text };
	elastic_test_open(&test);
}

/* n2, n3: s; n4, n5: m; n6: l. */
static void opens_default(const char *spec, const char *types, const char *more)
{
	begins();
	may_come("p", "s", "a", "on-demand", 2, 2);
	may_come("p", "m", "a", "on-demand", 4, 2);
	may_come("p", "l", "a", "on-demand", 8, 1);
	pool("p", spec);
	put(types);
	put(more);
	opens();
}

static void closes(void) { kube_test_close(&test.kube); }

static void happens(const char *what, uint32_t node, int64_t second)
{
	const int64_t when = elastic_test_when(&test, what, node);
	cr_expect_eq(when, second, "n%u %s at %lld instead of %lld", node, what, (long long)when,
		(long long)second);
}

#define KARPENTER(list) "---\nkind: AutoscalerFlags\nmetadata: {name: karpenter}\nspec: {flags: [" list "]}\n"
#define NEVER           "disruption: {consolidateAfter: Never}"

/* ---- Provisioning -------------------------------------------------------------------------------- */

Test(elastic_karpenter, a_batch_ends_when_none_came_for_a_while)
{
	opens_default(NEVER, TYPES(""), KARPENTER("--batch-idle-duration=3s"));
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 2);
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 100);
	happens("ordered", 4, 5); /* Both on one m. */
	happens("came", 4, 65);
	happens("ordered", 2, -1);
	closes();
}

Test(elastic_karpenter, or_when_it_is_ten_seconds_old)
{
	opens_default(NEVER, TYPES(""), KARPENTER("--batch-idle-duration=3s"));
	for (int i = 0; i < 7; i++) {
		(void)elastic_test_job(&test, 0, 1, CPU("500m"));
		elastic_test_run(&test, 2 * i + 2);
	}
	elastic_test_run(&test, 200);
	/* Pods of 0, 2, 4, 6, 8 and 10 are one batch: 3 cpus. That of 12 fits beside them. */
	happens("ordered", 4, 10);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 1);
	closes();
}

Test(elastic_karpenter, the_cheapest_type_that_holds_all)
{
	opens_default(NEVER, TYPES(""), "");
	(void)elastic_test_job(&test, 0, 5, CPU("1"));
	elastic_test_run(&test, 100);
	happens("ordered", 6, 1);
	cr_expect_eq(
		test.kube.k.scaler->pool[0].ups, 1, "one l, not an m and an s: a claim takes what it can");
	closes();
	opens_default(NEVER, TYPES(""), "");
	(void)elastic_test_job(&test, 0, 2, CPU("5"));
	elastic_test_run(&test, 100);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 1, "there is one l in all");
	closes();
}

Test(elastic_karpenter, pools_by_weight_within_limits)
{
	begins();
	may_come("p", "m", "a", "on-demand", 4, 2);
	may_come("q", "s", "a", "on-demand", 2, 3);
	pool("p", NEVER);
	pool("q", "weight: 10, limits: {cpu: 4}, " NEVER);
	put(TYPES(""));
	opens();
	for (int i = 0; i < 3; i++)
		(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 200);
	happens("ordered", 4, 1);
	happens("ordered", 5, 1); /* 4 cpus of q. */
	happens("ordered", 6, -1);
	happens("ordered", 2, 1); /* p, though it costs more. */
	closes();
}

Test(elastic_karpenter, spot_where_it_may_be)
{
	begins();
	may_come("p", "s", "a", "on-demand", 2, 1);
	may_come("p", "x", "a", "spot", 2, 1);
	pool("p", NEVER);
	put(TYPES(""));
	put(OFFER("x", "spot", "0.30")); /* Though it costs more. */
	opens();
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 100);
	happens("ordered", 3, 1);
	happens("ordered", 2, -1);
	closes();
}

#define SELECT(key, value) "\"nodeSelector\":{\"" key "\":\"" value "\"},"

Test(elastic_karpenter, what_pods_select)
{
	opens_default(NEVER, TYPES(""), "");
	(void)elastic_test_job(&test, 0, 1, SELECT("node.kubernetes.io/instance-type", "l") CPU("1"));
	(void)elastic_test_job(&test, 0, 1, SELECT("topology.kubernetes.io/zone", "b") CPU("1"));
	elastic_test_run(&test, 100);
	happens("ordered", 6, 1);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 1, "zone b has none");
	closes();
}

Test(elastic_karpenter, zones_that_pods_spread_over)
{
	begins();
	may_come("p", "s", "a", "on-demand", 2, 3);
	may_come("p", "s", "b", "on-demand", 2, 3);
	pool("p", NEVER);
	put("---\nkind: InstanceTypes\nmetadata: {name: t}\nspec: {types: [{name: s, offerings: [{zone: a, price: 1}, "
	    "{zone: b, price: 2}]}]}\n");
	opens();
	(void)elastic_test_job(&test, 0, 4,
		"\"topologySpreadConstraints\":[{\"topologyKey\":\"topology.kubernetes.io/zone\",\"maxSkew\":1,"
		"\"whenUnsatisfiable\":\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}}]," CPU(
			"1500m"));
	elastic_test_run(&test, 200);
	cr_expect_eq(elastic_test_there(&test, 2, 4), 2);
	cr_expect_eq(elastic_test_there(&test, 5, 7), 2);
	closes();
}

/* ---- Disruption ---------------------------------------------------------------------------------- */

Test(elastic_karpenter, an_empty_node_goes)
{
	opens_default("disruption: {consolidateAfter: 30s}", TYPES(""), "");
	(void)elastic_test_job(&test, 100, 1, CPU("2"));
	elastic_test_run(&test, 500);
	happens("came", 2, 61);
	happens("removed", 2, 145); /* The pod left at 100; 130; validated. */
	const struct elastic_pool *of = &test.kube.k.scaler->pool[0];
	cr_expect_eq((int64_t)(of->node_us / SL_SECOND), 84);
	cr_expect_eq((int64_t)(of->price_us / SL_SECOND), 84 * 100000);
	closes();
}

Test(elastic_karpenter, unless_a_pod_comes_in_time)
{
	opens_default("disruption: {consolidateAfter: 30s}", TYPES(""), "");
	(void)elastic_test_job(&test, 100, 1, CPU("2"));
	elastic_test_run(&test, 140);
	(void)elastic_test_job(&test, 400, 1, CPU("2"));
	elastic_test_run(&test, 380);
	happens("leaving", 2, -1);
	closes();
}

/* Two pods on one l from 61 on; one of 5 cpus ends at 200. */
static void half_empties(const char *spec, const char *more, const char *pod)
{
	char asks[1000];
	opens_default(spec, TYPES(""), more);
	(void)elastic_test_job(&test, 200, 1, CPU("5"));
	(void)snprintf(asks, sizeof(asks), "%s" CPU("2"), pod);
	(void)elastic_test_job(&test, 0, 1, asks);
	elastic_test_run(&test, 3000);
}

Test(elastic_karpenter, a_node_is_replaced_by_a_cheaper_one)
{
	half_empties("disruption: {consolidateAfter: 0s}", "", "");
	happens("leaving", 6, 215); /* Looked at at 200, validated. */
	happens("ordered", 2, 215);
	happens("came", 2, 275);
	happens("removed", 6, 275);
	cr_expect_eq(test.kube.k.node[1].pods, 1);
	closes();
}

Test(elastic_karpenter, what_keeps_a_node)
{
	static const struct {
		const char *spec, *more;
		bool goes;
	} cases[] = {
		{ "disruption: {consolidateAfter: 10s, consolidationPolicy: WhenEmptyOrUnderutilized}", "",
			true },
		{ "disruption: {consolidateAfter: 10s, consolidationPolicy: WhenEmpty}", "", false },
		{ "disruption: {consolidateAfter: Never}", "", false },
		{ "disruption: {consolidateAfter: 10s, budgets: [{nodes: '0'}]}", "", false },
		{ "disruption: {consolidateAfter: 10s, budgets: [{nodes: '0', reasons: [Underutilized]}]}",
			"", false },
		{ "disruption: {consolidateAfter: 10s, budgets: [{nodes: '0', reasons: [Empty, Drifted]}]}",
			"", true },
		{ "disruption: {consolidateAfter: 10s, budgets: [{nodes: '1%'}]}", "",
			true }, /* Rounded up. */
		{ "disruption: {consolidateAfter: 10s}",
			"---\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {maxUnavailable: 0, selector: "
			"{matchLabels: {app: x}}}\n",
			false },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		half_empties(cases[i].spec, cases[i].more, "");
		cr_expect_eq(elastic_test_when(&test, "removed", 6) >= 0, cases[i].goes, "case %zu", i);
		closes();
	}
}

static sl_job protected_pod(const char *cpus, const char *annotation)
{
	char manifest[1000];
	(void)snprintf(manifest, sizeof(manifest),
		"{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"metadata\":"
		"{\"annotations\":{\"%s\":\"true\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":"
		"\"%s\"}}}]}}}}",
		annotation, cpus);
	return kube_test_add(&test.kube, test.now, sl_strdup(test.kube.arena, manifest, strlen(manifest)));
}

Test(elastic_karpenter, a_pod_that_is_not_to_be_disrupted)
{
	opens_default("disruption: {consolidateAfter: 0s}", TYPES(""), "");
	(void)elastic_test_job(&test, 200, 1, CPU("5"));
	const sl_job job = protected_pod("2", "karpenter.sh/do-not-disrupt");
	test.end[job.row] = 900 * SL_SECOND;
	elastic_test_run(&test, 3000);
	happens("leaving", 6, 915); /* As it is empty. */
	cr_expect_eq(test.kube.k.scaler->pool[0].evicted, 0);
	closes();
}

Test(elastic_karpenter, several_nodes_become_fewer)
{
	/* Two m with 3 and 1 cpus each; at 300 the larger ones end. */
	opens_default("disruption: {consolidateAfter: 0s, budgets: [{nodes: '100%'}]}", TYPES(""), "");
	test.kube.k.node[5].up = false; /* No l. */
	for (int i = 0; i < 2; i++) {
		(void)elastic_test_job(&test, 300, 1, CPU("3"));
		(void)elastic_test_job(&test, 0, 1, CPU("1"));
	}
	elastic_test_run(&test, 200);
	cr_expect_eq(elastic_test_there(&test, 4, 5), 2);
	elastic_test_run(&test, 1000);
	/* Together they are replaced by one s (0.10 < 0.38), not one after another. */
	cr_expect_eq(elastic_test_there(&test, 2, 3), 1);
	cr_expect_eq(elastic_test_there(&test, 4, 6), 0);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 3);
	happens("leaving", 4, 315);
	happens("leaving", 5, 315);
	closes();
}

Test(elastic_karpenter, a_node_that_is_not_needed_goes_without_replacement)
{
	/* n1 has a cpu for the pod that is left on n2. */
	opens_default("disruption: {consolidateAfter: 0s}", TYPES(""), "");
	(void)elastic_test_job(&test, 300, 1, CPU("1"));
	(void)elastic_test_job(&test, 0, 1, CPU("1"));
	elastic_test_run(&test, 200);
	test.kube.k.node[0].unschedulable = false;
	kube_queue_changed(&test.kube.k, KUBE_NODE_CAME, 0, KUBE_NO);
	elastic_test_run(&test, 1000);
	happens("removed", 2, 315);
	cr_expect_eq(test.kube.k.node[0].pods, 1);
	cr_expect_eq(test.kube.k.scaler->pool[0].ups, 1);
	closes();
}

Test(elastic_karpenter, spot_for_spot_needs_fifteen_cheaper_types)
{
	for (int gate = 0; gate < 2; gate++)
		for (int types = 14; types <= 15; types++) {
			begins();
			put(TYPES(""));
			char line[300], name[16];
			for (int i = 0; i < types; i++) {
				(void)snprintf(line, sizeof(line),
					"    - {name: t%02d, offerings: [{zone: a, capacityType: spot, price: 0.%03d}]}\n",
					i, i + 10);
				put(line);
			}
			put(OFFER("big", "spot", "0.9"));
			for (int i = 0; i < types; i++) {
				(void)snprintf(name, sizeof(name), "t%02d", i);
				may_come("p", name, "a", "spot", 2, 1);
			}
			may_come("p", "big", "a", "spot", 8, 1);
			pool("p", "disruption: {consolidateAfter: 0s}");
			if (gate)
				put(KARPENTER(
					"'--feature-gates=NodeRepair=true,SpotToSpotConsolidation=true'"));
			opens();
			(void)elastic_test_job(&test, 200, 1, CPU("5"));
			(void)elastic_test_job(&test, 0, 1, CPU("2"));
			elastic_test_run(&test, 1000);
			cr_expect_eq(elastic_test_when(&test, "removed", nodes) >= 0, gate && types == 15,
				"gate %d, %d types", gate, types);
			closes();
		}
}

Test(elastic_karpenter, an_expired_node_goes_whatever_budgets_say)
{
	opens_default(
		"template: {spec: {expireAfter: 10m}}, disruption: {consolidateAfter: Never, budgets: [{nodes: '0'}]}",
		TYPES(""), "");
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 800);
	happens("leaving", 2, 601); /* It was made at 1. */
	happens("removed", 2, 601);
	cr_expect_eq(test.kube.k.node[1].pods, 1); /* Of that name there is one again, 61 s later. */
	cr_expect_eq(test.kube.k.scaler->node[1].came, 662 * SL_SECOND);
	closes();
}

Test(elastic_karpenter, which_waits_for_a_pod_until_the_grace_is_over)
{
	for (int grace = 0; grace < 2; grace++) {
		opens_default(
			grace ? "template: {spec: {expireAfter: 10m, terminationGracePeriod: 5m}}, " NEVER
			      : "template: {spec: {expireAfter: 10m}}, " NEVER,
			TYPES(""), "");
		const sl_job job = protected_pod("2", "karpenter.sh/do-not-disrupt");
		test.end[job.row] = 1500 * SL_SECOND;
		elastic_test_run(&test, 2000);
		happens("leaving", 2, 601);
		happens("removed", 2, grace ? 901 : 1500);
		happens("evicted", 2, grace ? 901 : -1);
		closes();
	}
}

Test(elastic_karpenter, a_job_that_outlives_its_nodes_begins_anew_a_thousand_times)
{
	/* A node is ordered at 1, there at 61, and expires at 301: the job never ends. */
	opens_default("template: {spec: {expireAfter: 5m}}", TYPES(""), "");
	const sl_job job = elastic_test_job(&test, 0, 1, CPU("1"));
	elastic_test_run(&test, 200000);
	const struct kube_scaler *s = test.kube.k.scaler;
	const uint64_t before = s->expired[job.row];
	cr_expect(before > 500 && before < 700, "%llu", (unsigned long long)before);
	elastic_test_run(&test, 2000000);
	cr_expect_eq(s->expired[job.row], ELASTIC_GAVE_UP);
	cr_expect_eq(s->pool[0].evicted, ELASTIC_EXPIRED_MAX);
	cr_expect_eq(s->pool[0].there + s->pool[0].ordered, 0);
	closes();
}

Test(elastic_karpenter, a_drifted_node_is_replaced_first)
{
	opens_default(NEVER, TYPES("  releases: [300]\n"), "");
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 1000);
	happens("leaving", 2, 300);
	happens("ordered", 3, 300);
	happens("came", 3, 360);
	happens("evicted", 2, 360);
	happens("leaving", 3, -1); /* It is newer than the image. */
	closes();
	opens_default("disruption: {consolidateAfter: Never, budgets: [{nodes: '0', reasons: [Drifted]}]}",
		TYPES("  releases: [300]\n"), "");
	(void)elastic_test_job(&test, 0, 1, CPU("2"));
	elastic_test_run(&test, 1000);
	happens("leaving", 2, -1);
	closes();
}

Test(elastic_karpenter, drift_waits_for_a_pod_unless_there_is_a_grace)
{
	for (int grace = 0; grace < 2; grace++) {
		opens_default(grace ? "template: {spec: {terminationGracePeriod: 5m}}, " NEVER : NEVER,
			TYPES("  releases: [300]\n"), "");
		const sl_job job = protected_pod("2", "karpenter.sh/do-not-disrupt");
		test.end[job.row] = 1500 * SL_SECOND;
		elastic_test_run(&test, 1400);
		happens("leaving", 2, grace ? 300 : -1);
		closes();
	}
}

/* ---- Budgets by schedule --------------------------------------------------------------------------- */

static int64_t allowed_at(const char *schedule, const char *duration, int64_t seconds)
{
	char spec[400];
	(void)snprintf(spec, sizeof(spec),
		"disruption: {budgets: [{nodes: '0', schedule: '%s', duration: %s}]}", schedule, duration);
	opens_default(spec, TYPES(""), "");
	struct kube_scaler *s = test.kube.k.scaler;
	s->epoch = seconds;
	const int64_t allowed = karpenter_allowed(s, &s->karpenter->pool[0], KARPENTER_EMPTY);
	closes();
	return allowed;
}

Test(elastic_karpenter, schedules)
{
	const int64_t monday = 1704067200; /* 2024-01-01 00:00 UTC */
	const int64_t hour = 3600, day = 24 * hour;
	static const struct {
		const char *schedule, *duration;
		int64_t day, hour, minute;
		bool active;
	} cases[] = { { "0 9 * * mon-fri", "8h", 0, 9, 0, true },
		{ "0 9 * * mon-fri", "8h", 0, 16, 59, true }, { "0 9 * * mon-fri", "8h", 0, 17, 0, false },
		{ "0 9 * * mon-fri", "8h", 0, 8, 59, false }, { "0 9 * * mon-fri", "8h", 5, 10, 0, false },
		{ "0 9 * * 1-5", "8h", 4, 10, 0, true }, { "@daily", "10m", 3, 0, 9, true },
		{ "@daily", "10m", 3, 0, 10, false }, { "*/15 * * * *", "5m", 0, 3, 34, true },
		{ "*/15 * * * *", "5m", 0, 3, 36, false }, { "0 0 29 2 *", "24h", 59, 23, 0, true },
		{ "0 0 29 2 *", "24h", 60, 0, 0, false },
		{ "0 0 10 * 0", "1h", 9, 0, 0, true },  /* The tenth, a Wednesday; */
		{ "0 0 10 * 0", "1h", 6, 0, 30, true }, /* a Sunday. */
		{ "0 0 10 * 0", "1h", 7, 0, 30, false },
		{ "0 0 */2 * 1", "1h", 7, 0, 30, true }, /* A step is not "any": the eighth, a Monday; */
		{ "0 0 */2 * 1", "1h", 2, 0, 30, true }, /* the third, a Wednesday; */
		{ "0 0 */2 * 1", "1h", 3, 0, 30, false } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const int64_t at = monday + cases[i].day * day + cases[i].hour * hour + cases[i].minute * 60;
		cr_expect_eq(allowed_at(cases[i].schedule, cases[i].duration, at) == 0, cases[i].active,
			"case %zu", i);
	}
}

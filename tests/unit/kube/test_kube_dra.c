/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_dra.c - DRA: which devices a ResourceClaim gets, on which node, and when they are released. A
 * small cluster for each rule, worked by hand.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/kube/kube_dra.h"
#include "tests/world/kube_world.h"

#define HEAD "apiVersion: resource.k8s.io/v1\n"
#define CLASS                                                                                   \
	HEAD "kind: DeviceClass\nmetadata: {name: gpu}\nspec: {selectors: [{cel: {expression: " \
	     "\"device.driver == 'gpu.x'\"}}]}\n---\n"
/* A slice of a node, the whole of a pool. */
#define SLICE(node, devices)                                                                                \
	HEAD "kind: ResourceSlice\nmetadata: {name: s-" node "}\nspec:\n  driver: gpu.x\n  nodeName: " node \
	     "\n  pool: {name: " node ", generation: 1, resourceSliceCount: 1}\n  devices: [" devices       \
	     "]\n---\n"
#define TEMPLATE(name, devices)                                                                     \
	HEAD "kind: ResourceClaimTemplate\nmetadata: {name: " name ", namespace: default}\nspec:\n" \
	     "  spec:\n    devices: {" devices "}\n---\n"
#define CLAIM(name, devices)                                                                \
	HEAD "kind: ResourceClaim\nmetadata: {name: " name ", namespace: default}\nspec:\n" \
	     "  devices: {" devices "}\n---\n"
#define ONE      "requests: [{name: r, exactly: {deviceClassName: gpu}}]"
#define OF(name) "\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimTemplateName\":\"" name "\"}]," SMALL
#define BY(name) "\"resourceClaims\":[{\"name\":\"c\",\"resourceClaimName\":\"" name "\"}]," SMALL
#define SMALL    KUBE_ASKS("1", "1Gi")
#define END      "kind: Other\n"

static struct kube_test open_test(uint32_t nodes, const char *objects)
{
	return (struct kube_test){ .cpus = 64, .gib = 64, .nodes = nodes, .objects = objects };
}

static void says(struct kube_test *test, sl_job job, const char *text)
{
	const char *why = kube_why(&test->k, job);
	cr_expect(why && strcmp(why, text) == 0, "'%s' instead of '%s'", why ? why : "(nothing)", text);
}

static void puts_on(struct kube_test *test, sl_job job, const char *want)
{
	for (uint32_t i = 0; want[i]; i++)
		cr_expect_eq(kube_test_at(test, job, i), (uint32_t)(want[i] - '0'), "pod %u is on %u", i,
			kube_test_at(test, job, i));
}

/* "a,b": devices that somebody holds, of all. */
static void holds(const struct kube_test *test, const char *want)
{
	char text[256] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < test->k.dra->devices && used < sizeof(text); i++)
		if (test->k.dra->device[i].users)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? "," : "",
				test->k.dra->device[i].name);
	cr_expect_str_eq(text, want);
}

Test(kube_dra, a_claim_for_each_pod_of_a_template)
{
	struct kube_test test = open_test(
		2, CLASS SLICE("n1", "{name: a}, {name: b}") SLICE("n2", "{name: c}") TEMPLATE("t", ONE) END);
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 4, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "1210");
	holds(&test, "a,b,c");
	says(&test, job, "0/2 nodes are available: 2 cannot allocate all claims.");
	kube_remove(&test.k, 1, job);
	holds(&test, "");
	kube_test_close(&test);
}

Test(kube_dra, who_waits_is_woken_by_a_device_that_is_free)
{
	struct kube_test test = open_test(1, CLASS SLICE("n1", "{name: a}") TEMPLATE("t", ONE) END);
	kube_test_open(&test);
	const sl_job first = kube_test_pod(&test, 0, "", OF("t")),
		     second = kube_test_pod(&test, 0, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, first, "1");
	puts_on(&test, second, "0");
	kube_remove(&test.k, 5 * SL_SECOND, first);
	(void)kube_run(&test.k, 5 * SL_SECOND);
	puts_on(&test, second, "1");
	kube_test_close(&test);
}

Test(kube_dra, a_claim_by_name_is_shared_and_keeps_its_pods_together)
{
	struct kube_test test =
		open_test(2, CLASS SLICE("n1", "{name: a}") SLICE("n2", "{name: b}") CLAIM("s", ONE) END);
	kube_test_open(&test);
	const sl_job first = kube_test_job(&test, 0, 3, "", BY("s")),
		     second = kube_test_pod(&test, 0, "", BY("s"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, first, "111"); /* An empty n2 would score more. */
	puts_on(&test, second, "1");
	kube_remove(&test.k, 1, first);
	holds(&test, "a"); /* With the last of its pods it is free. */
	kube_remove(&test.k, 1, second);
	holds(&test, "");
	kube_test_close(&test);
}

/* A device that all nodes reach keeps a claim on the node that it was allocated for, if it binds to it. */
Test(kube_dra, a_device_that_binds_to_its_node)
{
#define FAR(name, binds)                                                                                     \
	HEAD "kind: ResourceSlice\nmetadata: {name: " name "}\nspec: {driver: gpu.x, allNodes: true, pool: " \
	     "{name: " name "}, devices: [{name: " name ", bindsToNode: " binds "}]}\n---\n"
	static const struct {
		const char *objects, *want;
	} cases[] = { { CLASS FAR("f", "true") CLAIM("s", ONE) END, "111" },
		{ CLASS FAR("f", "false") CLAIM("s", ONE) END, "121" } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct kube_test test = open_test(2, cases[i].objects);
		kube_test_open(&test);
		const sl_job job = kube_test_job(&test, 0, 3, "", BY("s"));
		(void)kube_run(&test.k, 0);
		puts_on(&test, job, cases[i].want);
		kube_test_close(&test);
	}
}

Test(kube_dra, what_is_missing_is_said)
{
	struct kube_test test = open_test(1,
		CLASS SLICE("n1", "{name: a}")
			TEMPLATE("t", "requests: [{name: r, exactly: {deviceClassName: none}}]") END);
	kube_test_open(&test);
	const sl_job claim = kube_test_pod(&test, 0, "", BY("s")),
		     class = kube_test_pod(&test, 0, "", OF("t"));
	(void)kube_run(&test.k, 0);
	says(&test, claim, "0/1 nodes are available: 1 resourceclaim \"s\" not found.");
	says(&test, class, "0/1 nodes are available: 1 device class \"none\" not found.");
	kube_test_close(&test);
}

Test(kube_dra, without_any_object_of_it_a_claim_waits)
{
	struct kube_test test = open_test(1, NULL);
	kube_test_open(&test);
	const sl_job claim = kube_test_pod(&test, 0, "", OF("t"));
	(void)kube_run(&test.k, 0);
	says(&test, claim, "0/1 nodes are available: 1 resourceclaimtemplate \"t\" not found.");
	kube_test_close(&test);
}

/* What a single pod with this template gets on one node of these devices; "": nothing. */
static void picks(const char *devices, const char *template, const char *want)
{
	char objects[4096];
	(void)snprintf(objects, sizeof(objects), "%s%s%s%s%s",
		CLASS HEAD "kind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: gpu.x\n"
			   "  nodeName: n1\n  pool: {name: p}\n  devices: [",
		devices,
		"]\n---\n" HEAD "kind: ResourceClaimTemplate\nmetadata: {name: t}\nspec:\n"
		"  spec:\n    devices: {",
		template, "}\n");
	struct kube_test test = open_test(1, objects);
	kube_test_open(&test);
	const sl_job job = kube_test_pod(&test, 0, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, *want ? "1" : "0");
	holds(&test, want);
	kube_remove(&test.k, 1, job);
	holds(&test, "");
	for (uint32_t i = 0; i < test.k.dra->devices; i++)
		cr_expect_eq(test.k.dra->device[i].trying, 0);
	kube_test_close(&test);
}

#define EXACTLY(more)     "{name: r, exactly: {deviceClassName: gpu" more "}}"
#define NUMA(name, value) "{name: " name ", attributes: {numa: {int: " value "}, id: {string: i" name "}}}"
#define FOUR              NUMA("a", "0") ", " NUMA("b", "1") ", " NUMA("c", "1") ", " NUMA("d", "2")

Test(kube_dra, devices_in_the_order_of_the_slice)
{
	picks(FOUR, "requests: [" EXACTLY(", count: 2") "]", "a,b");
	picks(FOUR, "requests: [" EXACTLY(", count: 5") "]", "");
}

Test(kube_dra, selectors_of_the_class_and_of_the_request)
{
	picks(FOUR,
		"requests: [" EXACTLY(
			", selectors: [{cel: {expression: \"device.attributes['gpu.x'].numa > 0\"}}]") "]",
		"b");
	picks(FOUR,
		"requests: [" EXACTLY(", selectors: [{cel: {expression: \"device.driver != 'gpu.x'\"}}]") "]",
		"");
	/* An error on one device that is tried is one on the node. */
	picks("{name: e}, " FOUR,
		"requests: [" EXACTLY(
			", selectors: [{cel: {expression: \"device.attributes['gpu.x'].numa > 0\"}}]") "]",
		"");
}

Test(kube_dra, older_requests_have_their_fields_outside)
{
	picks(FOUR, "requests: [{name: r, deviceClassName: gpu, count: 3}]", "a,b,c");
	picks("{name: o, basic: {attributes: {numa: {int: 7}}}}",
		"requests: [{name: r, deviceClassName: gpu, selectors: [{cel: {expression: "
		"\"device.attributes['gpu.x'].numa == 7\"}}]}]",
		"o");
}

Test(kube_dra, all_of_them_or_none)
{
	picks(FOUR, "requests: [" EXACTLY(", allocationMode: All") "]", "a,b,c,d");
	picks(FOUR,
		"requests: [" EXACTLY(
			", allocationMode: All, selectors: [{cel: {expression: \"device.attributes['gpu.x'].numa == 9\"}}]") "]",
		"");
	picks(FOUR,
		"requests: [{name: x, exactly: {deviceClassName: gpu}}, " EXACTLY(
			", allocationMode: All") "]",
		"");
	picks(FOUR,
		"requests: [" EXACTLY(
			", allocationMode: All") "], constraints: [{matchAttribute: gpu.x/numa}]",
		"");
}

Test(kube_dra, constraints_make_it_go_back)
{
	picks(FOUR, "requests: [" EXACTLY(", count: 2") "], constraints: [{matchAttribute: gpu.x/numa}]",
		"b,c");
	picks(FOUR, "requests: [" EXACTLY(", count: 3") "], constraints: [{matchAttribute: gpu.x/numa}]", "");
	picks(FOUR, "requests: [" EXACTLY(", count: 3") "], constraints: [{distinctAttribute: gpu.x/numa}]",
		"a,b,d");
	picks(FOUR, "requests: [" EXACTLY("") "], constraints: [{matchAttribute: gpu.x/colour}]", "");
	/* It is of those requests alone that it names. */
	picks(FOUR,
		"requests: [{name: x, exactly: {deviceClassName: gpu}}, " EXACTLY(
			", count: 2") "], constraints: [{matchAttribute: gpu.x/numa, requests: [r]}]",
		"a,b,c");
}

/* b is let in by the first constraint and kept out by the second: it leaves the first as it was. */
Test(kube_dra, what_one_constraint_keeps_out_leaves_the_others)
{
#define XY(name, x, y) "{name: " name ", attributes: {x: {int: " x "}, y: {int: " y "}}}"
	picks(XY("a", "1", "0") ", " XY("b", "2", "1") ", " XY("c", "2", "0"),
		"requests: [" EXACTLY(
			", count: 2") "], constraints: [{distinctAttribute: gpu.x/x}, {matchAttribute: gpu.x/y}]",
		"a,c");
}

Test(kube_dra, taints_have_to_be_tolerated)
{
#define BAD "{name: a, taints: [{key: bad, effect: NoSchedule}]}, {name: b}"
	picks(BAD, "requests: [" EXACTLY("") "]", "b");
	picks(BAD, "requests: [" EXACTLY(", tolerations: [{key: bad, operator: Exists}]") "]", "a");
	picks(BAD, "requests: [" EXACTLY(", allocationMode: All") "]", "");
}

Test(kube_dra, the_first_alternative_that_can_be_had)
{
#define FIRST(first, second)                                                                        \
	"requests: [{name: r, firstAvailable: [{name: x, deviceClassName: gpu, count: " first "}, " \
	"{name: y, deviceClassName: gpu, count: " second "}]}]"
	picks(FOUR, FIRST("3", "1"), "a,b,c");
	picks(FOUR, FIRST("5", "2"), "a,b");
	picks(FOUR, FIRST("40", "1"), "a"); /* More than a claim may have. */
	picks(FOUR, FIRST("3", "2") ", constraints: [{matchAttribute: gpu.x/numa, requests: [r/x]}]", "a,b");
}

#define SHARED(name, policy) \
	"{name: " name       \
	", allowMultipleAllocations: true, capacity: {mem: {value: 10Gi, requestPolicy: {" policy "}}}}"
#define MEM(amount) EXACTLY(", capacity: {requests: {mem: " amount "}}")

static void share_out(const char *policy, const char *amount, uint32_t pods)
{
	char objects[4096];
	(void)snprintf(objects, sizeof(objects), "%s%s%s%s%s",
		CLASS HEAD "kind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.x, nodeName: n1, "
			   "pool: {name: p}, devices: [{name: a, allowMultipleAllocations: true, capacity: "
			   "{mem: {value: 10Gi, requestPolicy: {",
		policy,
		"}}}}]}\n---\n" HEAD "kind: ResourceClaimTemplate\nmetadata: {name: t}\nspec: "
		"{spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu",
		amount, "}}]}}}\n");
	struct kube_test test = open_test(1, objects);
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 12, "", OF("t"));
	(void)kube_run(&test.k, 0);
	cr_expect_eq(
		test.k.job[job.row].bound, pods, "%s, %s: %u", policy, amount, test.k.job[job.row].bound);
	kube_remove(&test.k, 1, job);
	cr_expect_eq(test.k.dra->device[0].capacity[0].used, 0);
	kube_test_close(&test);
}

Test(kube_dra, capacity_of_a_shared_device_is_rounded_and_used_up)
{
#define ASKS(amount) ", capacity: {requests: {mem: " amount "}}"
	share_out("", ASKS("4Gi"), 2);
	share_out("", "", 1); /* Nothing said: all of it; */
	share_out("default: 1Gi", "", 10);
	share_out("default: 1Gi, validRange: {min: 2Gi}", ASKS("1Gi"), 5);
	share_out("default: 1Gi, validRange: {min: 1Gi, step: 2Gi}", ASKS("2Gi"), 3); /* 3Gi each. */
	share_out("default: 1Gi, validRange: {min: 1Gi, max: 3Gi}", ASKS("4Gi"), 0);
	share_out("default: 1Gi, validValues: [1Gi, 5Gi]", ASKS("2Gi"), 2);
	share_out("default: 1Gi, validValues: [1Gi, 5Gi]", ASKS("6Gi"), 0);
	share_out("", ", capacity: {requests: {other: 1Gi}}", 0);
}

Test(kube_dra, capacity_of_a_device_of_ones_own_has_to_be_there)
{
#define SIZED "{name: a, capacity: {mem: {value: 4Gi}}}, {name: b, capacity: {mem: {value: 8Gi}}}"
	picks(SIZED, "requests: [" MEM("6Gi") "]", "b");
	picks(SIZED, "requests: [" MEM("9Gi") "]", "");
	picks(SIZED, "requests: [" EXACTLY("") "]", "a"); /* It is one claim's, whatever that requests. */
}

/* One GPU of two halves: the whole takes both, and no two that overlap go together. */
#define COUNTERS(list) ", consumesCounters: [{counterSet: g, counters: {" list "}}]}"
#define MIG                                                                                                                                                                                                                                     \
	CLASS HEAD                                                                                                                                                                                                                              \
		"kind: ResourceSlice\nmetadata: {name: c}\nspec: {driver: gpu.x, allNodes: true, pool: {name: p, "                                                                                                                              \
		"resourceSliceCount: 2}, sharedCounters: [{name: g, counters: {memory: {value: 40Gi}, s0: {value: 1}, "                                                                                                                         \
		"s1: {value: 1}}}]}\n---\n" HEAD                                                                                                                                                                                                \
		"kind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.x, nodeName: n1, pool: {name: p, "                                                                                                                                \
		"resourceSliceCount: 2}, devices: ["                                                                                                                                                                                            \
		"{name: whole, attributes: {kind: {string: whole}}" COUNTERS(                                                                                                                                                                   \
			"memory: {value: 40Gi}, s0: {value: 1}, s1: {value: 1}") ", "                                                                                                                                                           \
										 "{name: left, attributes: {kind: {string: half}}" COUNTERS(                                                                                                    \
											 "memory: {value: 20Gi}, s0: {value: 1}") ", "                                                                                                          \
																  "{name: left2, attributes: {kind: {string: half}}" COUNTERS(                                                  \
																	  "memory: {value: 10Gi}, s0: {value: 1}") ", "                                                         \
																						   "{name: right, attributes: {kind: {string: half}}" COUNTERS( \
																							   "memory: {value: 20Gi}, s1: {value: 1}") "]}\n---\n"
#define KIND(kind)                                                                             \
	"requests: [{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: " \
	"\"device.attributes['gpu.x'].kind == '" kind "'\"}}]}}]"

Test(kube_dra, partitions_that_overlap_exclude_each_other)
{
	struct kube_test test =
		open_test(1, MIG TEMPLATE("whole", KIND("whole")) TEMPLATE("half", KIND("half")) END);
	kube_test_open(&test);
	const sl_job halves = kube_test_job(&test, 0, 3, "", OF("half"));
	const sl_job whole = kube_test_pod(&test, 0, "", OF("whole"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, halves, "110"); /* left2 wants what left has. */
	puts_on(&test, whole, "0");
	holds(&test, "left,right");
	kube_remove(&test.k, 60 * SL_SECOND, halves);
	(void)kube_run(&test.k, 60 * SL_SECOND);
	puts_on(&test, whole, "1");
	holds(&test, "whole");
	const sl_job half = kube_test_pod(&test, 61 * SL_SECOND, "", OF("half"));
	(void)kube_run(&test.k, 61 * SL_SECOND);
	puts_on(&test, half, "0");
	kube_test_close(&test);
}

Test(kube_dra, a_counter_that_is_not_there_makes_the_pool_invalid)
{
	struct kube_test test = open_test(1,
		CLASS SLICE("n1",
			"{name: a, consumesCounters: [{counterSet: g, counters: {x: {value: 1}}}]}, {name: b}")
			TEMPLATE("t", ONE) END);
	kube_test_open(&test);
	const sl_job job = kube_test_pod(&test, 0, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "0");
	says(&test, job, "0/1 nodes are available: 1 invalid resource pools were encountered.");
	kube_test_close(&test);
}

#define POOL(name, generation, count, where, devices)                                        \
	HEAD "kind: ResourceSlice\nmetadata: {name: " name "}\nspec: {driver: gpu.x, " where \
	     ", pool: {name: p, "                                                            \
	     "generation: " generation ", resourceSliceCount: " count "}, devices: [" devices "]}\n---\n"

Test(kube_dra, only_the_highest_generation_of_a_pool_counts)
{
	struct kube_test test = open_test(1,
		CLASS POOL("s1", "1", "1", "nodeName: n1", "{name: old}")
			POOL("s2", "2", "1", "nodeName: n1", "{name: new}") TEMPLATE("t", ONE) END);
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 2, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "10");
	holds(&test, "new");
	kube_test_close(&test);
}

Test(kube_dra, nothing_comes_from_a_pool_that_is_incomplete)
{
	struct kube_test test = open_test(
		1, CLASS POOL("s1", "1", "2", "nodeName: n1", "{name: a}") SLICE("n1", "{name: b}") TEMPLATE(
			   "t", ONE) TEMPLATE("all", "requests: [" EXACTLY(", allocationMode: All") "]") END);
	kube_test_open(&test);
	const sl_job all = kube_test_pod(&test, 0, "", OF("all")), one = kube_test_pod(&test, 0, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, all, "0");
	puts_on(&test, one, "1");
	holds(&test, "b");
	says(&test, all,
		"running \"DynamicResources\" filter plugin: claim default/all, request r: asks for all devices, but a "
		"resource pool is being updated");
	kube_test_close(&test);
}

#define IN(pool, slice, count, devices)                                                                     \
	HEAD "kind: ResourceSlice\nmetadata: {name: " slice "}\nspec: {driver: gpu.x, nodeName: n1, pool: " \
	     "{name: " pool ", resourceSliceCount: " count "}, devices: [" devices "]}\n---\n"

static void takes_one_by_one(const char *objects, const char *const *want, uint32_t count)
{
	struct kube_test test = open_test(1, objects);
	kube_test_open(&test);
	for (uint32_t i = 0; i < count; i++) {
		const sl_job job = kube_test_pod(&test, 0, "", OF("t"));
		(void)kube_run(&test.k, 0);
		puts_on(&test, job, "1");
		holds(&test, want[i]);
	}
	kube_test_close(&test);
}

/* Whatever the order of the file; of pools that have binding conditions nothing is taken while others do. */
Test(kube_dra, pools_and_slices_by_name)
{
	static const char *const pools[] = { "b", "b,c", "b,c,a" };
	takes_one_by_one(CLASS IN("o", "s1", "1", "{name: a, bindingConditions: [ready]}") IN("q", "s2", "1",
				 "{name: c}") IN("p", "s3", "1", "{name: b}") TEMPLATE("t", ONE) END,
		pools, 3);
	static const char *const slices[] = { "b", "b,c", "b,c,a", "b,c,a,d" };
	takes_one_by_one(CLASS IN("p", "s2", "2", "{name: a}, {name: d}")
				 IN("p", "s1", "2", "{name: b}, {name: c}") TEMPLATE("t", ONE) END,
		slices, 4);
}

/* The first slice by name says how many there are. */
Test(kube_dra, slices_that_disagree_on_their_number)
{
	static const char *const all[] = { "b" };
	takes_one_by_one(CLASS IN("p", "s2", "3", "{name: a}") IN("p", "s1", "2", "{name: b}")
				 TEMPLATE("t", ONE) END,
		all, 1);
}

/* n1 has two devices of unequal value, n2 would do: but an error on n1 ends the attempt, each time after
 * twice as long, and nobody else has to wait for it. */
Test(kube_dra, an_error_on_one_node_ends_the_attempt)
{
	struct kube_test test = open_test(2,
		CLASS SLICE("n1", NUMA("a", "0") ", " NUMA("b", "1")) SLICE("n2", NUMA("c", "0")) TEMPLATE(
			"all",
			"requests: [" EXACTLY(
				", allocationMode: All") "], constraints: [{matchAttribute: gpu.x/numa}]")
			TEMPLATE("t", ONE) END);
	kube_test_open(&test);
	const sl_job all = kube_test_pod(&test, 0, "", OF("all")), one = kube_test_pod(&test, 0, "", OF("t"));
	cr_expect_eq(kube_run(&test.k, 0), SL_SECOND);
	puts_on(&test, all, "0");
	puts_on(&test, one, "1");
	says(&test, all, "0/2 nodes are available: 1 cannot allocate all claims.");
	cr_expect_eq(kube_run(&test.k, SL_SECOND), SL_NEVER); /* a is taken: n1 does not do, and n2 does. */
	puts_on(&test, all, "2");
	kube_remove(&test.k, SL_SECOND, one);
	kube_remove(&test.k, SL_SECOND, all);
	const sl_job again = kube_test_pod(&test, 10 * SL_SECOND, "", OF("all"));
	cr_expect_eq(kube_run(&test.k, 10 * SL_SECOND), 11 * SL_SECOND);
	says(&test, again,
		"running \"DynamicResources\" filter plugin: claim default/all, request r: cannot add device gpu.x/n1/b "
		"because a claim constraint would not be satisfied");
	const sl_job other = kube_test_pod(&test, 10 * SL_SECOND, "", SMALL);
	kube_remove(&test.k, 10 * SL_SECOND, other); /* No event wakes it. */
	cr_expect_eq(kube_run(&test.k, 10 * SL_SECOND), 11 * SL_SECOND);
	cr_expect_eq(kube_run(&test.k, 11 * SL_SECOND), 13 * SL_SECOND);
	cr_expect_eq(kube_run(&test.k, 13 * SL_SECOND), 17 * SL_SECOND);
	puts_on(&test, again, "0");
	/* A refusal ends the row of errors, which do not count for its own backoff. */
	const sl_job three = kube_test_job(&test, 14 * SL_SECOND, 3, "", OF("t"));
	cr_expect_eq(kube_run(&test.k, 14 * SL_SECOND), 17 * SL_SECOND);
	puts_on(&test, three, "121");
	(void)kube_run(&test.k, 17 * SL_SECOND);
	cr_expect_eq(test.k.pod[test.k.job[again.row].first].attempts, 1);
	kube_remove(&test.k, 18 * SL_SECOND, three);
	cr_expect_eq(kube_run(&test.k, 18 * SL_SECOND), 19 * SL_SECOND);
	kube_test_close(&test);
}

/* Of a request the last device alone is remembered: s gets what r has already, as in Kubernetes. */
Test(kube_dra, distinct_attribute_remembers_one_device_a_request)
{
	picks(NUMA("a", "1") ", " NUMA("b", "3") ", " NUMA("c", "1"),
		"requests: [" EXACTLY(
			", count: 2") ", {name: s, exactly: {deviceClassName: gpu}}], constraints: "
				      "[{distinctAttribute: gpu.x/numa}]",
		"a,b,c");
	picks(NUMA("a", "1") ", " NUMA("b", "3") ", " NUMA("c", "3"),
		"requests: [" EXACTLY(
			", count: 2") ", {name: s, exactly: {deviceClassName: gpu}}], constraints: "
				      "[{distinctAttribute: gpu.x/numa}]",
		"");
	/* In ascending order only: c, a would leave b for s. */
	picks(NUMA("a", "1") ", " NUMA("b", "3") ", " NUMA("c", "3"),
		"requests: [{name: s, exactly: {deviceClassName: gpu, count: 1}}, " EXACTLY(
			", count: 2") "], constraints: [{distinctAttribute: gpu.x/numa}]",
		"");
}

Test(kube_dra, a_shared_device_serves_each_request_once)
{
#define TEN "{name: a, allowMultipleAllocations: true, capacity: {mem: {value: 10Gi}}}"
	picks(TEN,
		"requests: [" MEM(
			"4Gi") ", {name: s, exactly: {deviceClassName: gpu, capacity: {requests: {mem: "
			       "4Gi}}}}]",
		"a");
	picks(TEN, "requests: [" EXACTLY(", count: 2, capacity: {requests: {mem: 4Gi}}") "]", "");
	/* A name with its domain is another one. */
	picks(TEN, "requests: [" EXACTLY(", capacity: {requests: {gpu.x/mem: 4Gi}}") "]", "");
}

/* It consumes its counter once, however many share it; b finds none left. */
Test(kube_dra, a_shared_device_consumes_counters_once)
{
	struct kube_test test = open_test(1, CLASS HEAD
		"kind: ResourceSlice\nmetadata: {name: c}\nspec: {driver: gpu.x, nodeName: n1, pool: {name: p, "
		"resourceSliceCount: 2}, sharedCounters: [{name: g, counters: {x: {value: 5}}}]}\n---\n" HEAD
		"kind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.x, nodeName: n1, pool: {name: p, "
		"resourceSliceCount: 2}, devices: [{name: a, allowMultipleAllocations: true, capacity: {mem: "
		"{value: 10Gi}}, consumesCounters: [{counterSet: g, counters: {x: {value: 4}}}]}, {name: b, "
		"capacity: {mem: {value: 10Gi}}, consumesCounters: [{counterSet: g, counters: {x: {value: "
		"4}}}]}]}\n---\n" TEMPLATE("t", "requests: [" MEM("4Gi") "]") END);
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 3, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "110");
	holds(&test, "a");
	kube_remove(&test.k, 1, job);
	cr_expect_eq(test.k.dra->counter[0].used, 0);
	kube_test_close(&test);
}

Test(kube_dra, what_a_claim_cannot_have_at_all_is_an_error)
{
	struct kube_test test = open_test(2, CLASS SLICE("n1", FOUR) HEAD
		"kind: ResourceSlice\nmetadata: {name: c}\nspec: {driver: gpu.x, nodeName: n2, pool: {name: q, "
		"resourceSliceCount: 2}, sharedCounters: [{name: g, counters: {x: {value: 5}}}]}\n---\n" TEMPLATE(
			"many", "requests: [" EXACTLY(", count: 33") "]")
			TEMPLATE("all", "requests: [" EXACTLY(", allocationMode: All") "]") END);
	kube_test_open(&test);
	const sl_job many = kube_test_pod(&test, 0, "", OF("many")),
		     all = kube_test_pod(&test, 0, "", OF("all"));
	(void)kube_run(&test.k, 0);
	says(&test, many,
		"running \"DynamicResources\" filter plugin: claim default/many, request r: more devices are requested than "
		"the 32 of a claim");
	/* Of a pool with counters that lacks a slice, though n1 has nothing of it. */
	says(&test, all,
		"running \"DynamicResources\" filter plugin: claim default/all, request r: asks for all devices, but a "
		"resource pool is being updated");
	kube_test_close(&test);
}

/* Of a claim that goes to another pod, and of one that a pod leaves to others, only those that it is of hear.
 */
Test(kube_dra, who_is_woken_by_whose_claim)
{
	struct kube_test test = open_test(1,
		CLASS SLICE("n1", "{name: a}, {name: b}") CLAIM("s", ONE)
			TEMPLATE("two", "requests: [" EXACTLY(", count: 2") "]") TEMPLATE("t", ONE) END);
	kube_test_open(&test);
	const sl_job first = kube_test_job(&test, 0, 2, "", BY("s")),
		     own = kube_test_pod(&test, 0, "", OF("t")),
		     waits = kube_test_pod(&test, 0, "", OF("two"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, first, "11");
	puts_on(&test, own, "1");
	const uint64_t attempts = test.k.attempts;
	kube_test_pod(&test, 100 * SL_SECOND, "", BY("s"));
	(void)kube_run(&test.k, 100 * SL_SECOND);
	kube_remove(&test.k, 101 * SL_SECOND, first);
	(void)kube_run(&test.k, 101 * SL_SECOND);
	cr_expect_eq(test.k.attempts, attempts + 1);
	kube_remove(&test.k, 102 * SL_SECOND, own);
	(void)kube_run(&test.k, 102 * SL_SECOND);
	cr_expect_eq(test.k.attempts, attempts + 2);
	puts_on(&test, waits, "0");
	const struct kube_spec *spec =
		test.k.spec; /* Of s, t, two: a template makes no claim that is shared. */
	cr_expect(kube_dra_share(&test.k, &spec[0], &spec[0]));
	cr_expect_not(kube_dra_share(&test.k, &spec[1], &spec[1]));
	cr_expect_not(kube_dra_share(&test.k, &spec[0], &spec[1]));
	kube_test_close(&test);
}

Test(kube_dra, nodes_by_selector_by_device_or_all)
{
	struct kube_test test = open_test(3,
		CLASS POOL("s1", "1", "1",
			"nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}",
			"{name: a}") HEAD
		"kind: ResourceSlice\nmetadata: {name: each}\nspec: {driver: gpu.x, "
		"perDeviceNodeSelection: true, pool: {name: q}, devices: [{name: b, nodeName: n3}, "
		"{name: c, allNodes: true}]}\n---\n" TEMPLATE("t", ONE) END);
	test.label[0][0] = "zone";
	test.label[0][1] = "a";
	test.label[1][0] = "zone";
	test.label[1][1] = "b";
	kube_test_open(&test);
	const uint32_t *first = test.k.dra->node_first;
	cr_expect_eq(first[1] - first[0], 1); /* c */
	cr_expect_eq(first[2] - first[1], 2); /* a, c */
	cr_expect_eq(first[3] - first[2], 2); /* b, c */
	const sl_job job = kube_test_job(&test, 0, 4, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "1230");
	kube_test_close(&test);
}

Test(kube_dra, admin_access_takes_no_notice_of_who_holds_it)
{
	struct kube_test test =
		open_test(1, CLASS SLICE("n1", "{name: a}") TEMPLATE("t", ONE)
				     TEMPLATE("admin", "requests: [" EXACTLY(", adminAccess: true") "]") END);
	kube_test_open(&test);
	const sl_job job = kube_test_pod(&test, 0, "", OF("t"));
	const sl_job admin = kube_test_job(&test, 0, 2, "", OF("admin"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "1");
	puts_on(&test, admin, "11");
	kube_remove(&test.k, 1, job);
	holds(&test, "");
	kube_test_close(&test);
}

Test(kube_dra, the_node_with_the_better_alternative_scores_more)
{
	struct kube_test test =
		open_test(2, CLASS SLICE("n1", "{name: a}") SLICE("n2", "{name: b}, {name: c}")
				     TEMPLATE("t", FIRST("2", "1")) END);
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 2, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "21"); /* n1 goes before n2 by name: 7 of 8 against 8. */
	kube_test_close(&test);
}

Test(kube_dra, preemption_takes_no_notice_of_devices)
{
	static const char low[] = "\"priority\":1,", high[] = "\"priority\":9,";
	struct kube_test test =
		open_test(1, CLASS SLICE("n1", "{name: a}, {name: b}") TEMPLATE("t", ONE) END);
	char spec[512];
	test.cpus = 2;
	kube_test_open(&test);
	(void)snprintf(spec, sizeof(spec), "%s%s", low, OF("t"));
	const sl_job first = kube_test_pod(&test, 0, "", spec), second = kube_test_pod(&test, 0, "", spec);
	(void)kube_run(&test.k, 0);
	holds(&test, "a,b");
	/* Both devices are held: for cpu alone a pod would have been evicted; here nobody is. */
	(void)snprintf(spec, sizeof(spec), "%s%s", high, OF("t"));
	const sl_job third = kube_test_pod(&test, 1, "", spec);
	(void)kube_run(&test.k, 1);
	puts_on(&test, third, "0");
	puts_on(&test, first, "1");
	/* A plain pod evicts one, whose device is free then. */
	kube_remove(&test.k, 1, third);
	(void)snprintf(spec, sizeof(spec), "%s%s", high, SMALL);
	const sl_job plain = kube_test_pod(&test, 2, "", spec);
	(void)kube_run(&test.k, 2);
	puts_on(&test, plain, "1");
	cr_expect_eq(test.k.preempted, 1);
	cr_expect_eq(kube_test_at(&test, first, 0) + kube_test_at(&test, second, 0), 1);
	cr_expect_eq(test.k.dra->device[0].users + test.k.dra->device[1].users, 1);
	kube_test_close(&test);
}

Test(kube_dra, a_gang_that_is_not_placed_holds_nothing)
{
	struct kube_test test =
		open_test(1, CLASS SLICE("n1", "{name: a}, {name: b}") TEMPLATE("t", ONE) END);
	test.options.gang = KUBE_GANG_JOB;
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 3, "", OF("t"));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "000");
	holds(&test, "");
	kube_test_close(&test);
}

/* ---- Extended resources ---------------------------------------------------------------------- */

#define GPU_CLASS                                                                                            \
	HEAD "kind: DeviceClass\nmetadata: {name: gpu}\nspec: {extendedResourceName: x.com/gpu, selectors: " \
	     "[{cel: {expression: \"device.driver == 'gpu.x'\"}}]}\n---\n"
#define NODE(name, more)                                                                                   \
	"apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\nstatus: {allocatable: {cpu: 64, memory: " \
	"64Gi, pods: 110" more "}}\n---\n"
#define WANTS(more)   "{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"" more "}}}"
#define PODS_OF(list) "\"containers\":[" list "]"

/* On n1 devices serve it, on n2 a plugin; n3 has neither, so devices would have to. */
Test(kube_dra, a_resource_from_devices_here_and_from_a_plugin_there)
{
	struct kube_test test =
		open_test(3, GPU_CLASS NODE("n2", ", x.com/gpu: 1") NODE("n1", ", x.com/gpu: 0")
				     SLICE("n1", "{name: a}, {name: b}") SLICE("n2", "{name: c}") END);
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 5, "", PODS_OF(WANTS(",\"x.com/gpu\":\"1\"")));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "12100");
	holds(&test, "a,b");
	says(&test, job, "0/3 nodes are available: 1 Insufficient x.com/gpu, 2 cannot allocate all claims.");
	kube_remove(&test.k, 1, job);
	holds(&test, "");
	kube_test_close(&test);
}

/* A class by its name; of two with one resource the newer. */
Test(kube_dra, which_class_a_resource_is_of)
{
#define STANDS(name, created, id)                                \
	HEAD "kind: DeviceClass\nmetadata: {name: " name created \
	     "}\nspec: {extendedResourceName: x.com/gpu, "       \
	     "selectors: [{cel: {expression: \"device.attributes['gpu.x'].id == '" id "'\"}}]}\n---\n"
#define AGE(time) ", creationTimestamp: \"2026-01-0" time "T00:00:00Z\""
#define BOTH(one, two, asks, want)                                                      \
	{                                                                               \
		one two SLICE("n1", NUMA("a", "0") ", " NUMA("b", "1")) END, asks, want \
	}
	static const struct {
		const char *objects, *asks, *want;
	} cases[] = {
		BOTH(STANDS("x", AGE("1"), "ia"), STANDS("y", AGE("2"), "ib"),
			PODS_OF(WANTS(",\"x.com/gpu\":\"1\"")), "b"),
		BOTH(STANDS("x", AGE("3"), "ia"), STANDS("y", AGE("2"), "ib"),
			PODS_OF(WANTS(",\"x.com/gpu\":\"1\"")), "a"),
		BOTH(STANDS("y", "", "ib"), STANDS("x", "", "ia"), PODS_OF(WANTS(",\"x.com/gpu\":\"1\"")),
			"a"),
		BOTH(STANDS("x", AGE("3"), "ia"), STANDS("y", AGE("2"), "ib"),
			PODS_OF(WANTS(",\"deviceclass.resource.kubernetes.io/y\":\"1\"")), "b"),
		BOTH(STANDS("x", "", "ia"), STANDS("y", "", "ib"),
			PODS_OF(WANTS(",\"deviceclass.resource.kubernetes.io/z\":\"1\"")), ""),
		BOTH(STANDS("x", "", "ia"), STANDS("y", "", "ib"), PODS_OF(WANTS(",\"x.com/gpu\":\"0\"")),
			""),
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct kube_test test = open_test(1, cases[i].objects);
		kube_test_open(&test);
		(void)kube_test_pod(&test, 0, "", cases[i].asks);
		(void)kube_run(&test.k, 0);
		holds(&test, cases[i].want);
		kube_test_close(&test);
	}
}

/* "request=count ...": what a pod's claim asks for. */
static void asks_for(const char *pod, const char *want)
{
	char text[512] = "";
	size_t used = 0;
	struct kube_test test = open_test(1, GPU_CLASS SLICE("n1", "{name: a}") END);
	kube_test_open(&test);
	const sl_job job = kube_test_pod(&test, 0, "", pod);
	const struct kube_spec *spec = &test.k.spec[test.k.pod[test.k.job[job.row].first].spec];
	const struct dra_claim *claim = test.k.dra->asked[spec->claims - 1].at[0];
	for (uint32_t i = 0; i < claim->requests; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%d", used ? " " : "",
			claim->request[i].name, (int)claim->request[i].needs->count);
	cr_expect_str_eq(text, want);
	kube_test_close(&test);
}

Test(kube_dra, requests_by_container_and_place)
{
#define G(count) WANTS(",\"x.com/gpu\":\"" count "\"")
#define SIDE(count)                                                                                      \
	"{\"name\":\"s\",\"restartPolicy\":\"Always\",\"resources\":{\"limits\":{\"x.com/gpu\":\"" count \
	"\"}}}"
#define INIT(list) "\"initContainers\":[" list "],"
	asks_for(PODS_OF(G("2") "," WANTS("") "," G("1")), "container-0-request-1=2 container-2-request-1=1");
	/* Resources of one container by name, in which the place counts cpu too. */
	asks_for(PODS_OF(WANTS(",\"x.com/gpu\":\"1\",\"deviceclass.resource.kubernetes.io/gpu\":\"3\"")),
		"container-0-request-1=3 container-0-request-2=1");
	/* An init container uses what those behind it have: 3 - 2; the one that lacks most of several, 4 - 2.
	 */
	asks_for(INIT(G("2")) PODS_OF(G("2")), "container-1-request-1=2");
	asks_for(INIT(G("3")) PODS_OF(G("2")), "container-0-request-1=1 container-1-request-1=2");
	asks_for(INIT(G("3") "," G("4")) PODS_OF(G("2")), "container-1-request-1=2 container-2-request-1=2");
	asks_for(INIT(G("4") "," G("4")) PODS_OF(G("2")), "container-0-request-1=2 container-2-request-1=2");
	/* A sidecar behind it counts, one before it does not; a limit alone is a request. */
	asks_for(INIT(G("3") "," SIDE("1")) PODS_OF(G("2")),
		"container-1-request-0=1 container-2-request-1=2");
	asks_for(INIT(SIDE("1") "," G("3")) PODS_OF(G("2")),
		"container-0-request-0=1 container-1-request-1=1 container-2-request-1=2");
}

/* Another's claim wakes a pod; a device plugin's resource given back does not. */
Test(kube_dra, who_waits_for_a_resource_is_woken_by_devices)
{
	struct kube_test test =
		open_test(2, GPU_CLASS NODE("n2", ", x.com/gpu: 1") SLICE("n1", "{name: a}, {name: b}") END);
	kube_test_open(&test);
	const sl_job on_1 = kube_test_pod(&test, 0, "", PODS_OF(G("2"))),
		     on_2 = kube_test_pod(&test, 0, "", PODS_OF(G("1"))),
		     waits = kube_test_pod(&test, 0, "", PODS_OF(G("2")));
	(void)kube_run(&test.k, 0);
	puts_on(&test, on_1, "1");
	puts_on(&test, on_2, "2");
	puts_on(&test, waits, "0");
	kube_remove(&test.k, 20 * SL_SECOND, on_1);
	(void)kube_run(&test.k, 20 * SL_SECOND);
	puts_on(&test, waits, "1");
	kube_test_close(&test);
}

/* Nodes have none of the resource themselves: a gang is tried all the same. */
Test(kube_dra, a_gang_asks_for_an_extended_resource)
{
	struct kube_test test = open_test(1, GPU_CLASS SLICE("n1", "{name: a}, {name: b}") END);
	test.options.gang = KUBE_GANG_JOB;
	kube_test_open(&test);
	const sl_job job = kube_test_job(&test, 0, 2, "", PODS_OF(G("1")));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "11");
	holds(&test, "a,b");
	kube_test_close(&test);
}

/* 40 of them are more than a claim may have: where a plugin serves them, none is made. */
Test(kube_dra, a_plugin_serves_more_than_a_claim_may_have)
{
	struct kube_test test = open_test(1, GPU_CLASS NODE("n1", ", x.com/gpu: 64") END);
	kube_test_open(&test);
	const sl_job job = kube_test_pod(&test, 0, "", PODS_OF(G("40")));
	(void)kube_run(&test.k, 0);
	puts_on(&test, job, "1");
	kube_test_close(&test);
}

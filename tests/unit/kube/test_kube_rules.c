/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_rules.c - clauses of kube-scheduler's plugins and of its queue that pods and nodes rarely meet: a
 * small cluster for each, worked by hand.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kube_world.h"

#define SMALL KUBE_ASKS("1", "1Gi")

static void expect_on(struct kube_test *test, sl_job job, uint32_t node)
{
	cr_expect_eq(kube_test_at(test, job, 0), node, "job %u is on %u, not %u", job.row,
		kube_test_at(test, job, 0), node);
}

static const struct kube_spec *spec_of(const struct kube_test *test, sl_job job)
{
	return &test->k.spec[test->k.pod[test->k.job[job.row].first].spec];
}

/* ---- Priorities ---------------------------------------------------------------------------------- */

#define CLASSES                                                        \
	"kind: PriorityClass\nmetadata: {name: neg}\nvalue: -5\n---\n" \
	"kind: PriorityClass\nmetadata: {name: polite}\nvalue: 50\npreemptionPolicy: Never\n---\nkind: Other\n"

Test(kube_rules, a_pod_without_priority_has_0)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1, .objects = CLASSES };
	kube_test_open(&test);
	const sl_job neg = kube_test_pod(&test, 0, "", "\"priorityClassName\":\"neg\"," SMALL);
	(void)kube_run(&test.k, 0);
	expect_on(&test, neg, 1);
	const sl_job none = kube_test_pod(&test, SL_SECOND, "", SMALL);
	(void)kube_run(&test.k, SL_SECOND);
	cr_expect_eq(spec_of(&test, none)->priority, 0);
	expect_on(&test, none, 1);
	kube_test_close(&test);
}

Test(kube_rules, the_default_class_counts_and_the_system_s_are_there)
{
	static const char objects[] =
		"kind: PriorityClass\nmetadata: {name: all}\nvalue: 7\nglobalDefault: true\n";
	struct kube_test test = { .cpus = 9, .gib = 9, .nodes = 1, .objects = objects };
	kube_test_open(&test);
	const sl_job none = kube_test_pod(&test, 0, "", SMALL);
	const sl_job node =
		kube_test_pod(&test, 0, "", "\"priorityClassName\":\"system-node-critical\"," SMALL);
	test.more[1].priority = SL_NONE;
	cr_expect_eq(spec_of(&test, none)->priority, 7);
	cr_expect_eq(spec_of(&test, node)->priority, 2000001000);
	kube_test_close(&test);
}

Test(kube_rules, a_class_may_forbid_to_preempt)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1, .objects = CLASSES };
	kube_test_open(&test);
	const sl_job low = kube_test_pod(&test, 0, "", SMALL);
	(void)kube_run(&test.k, 0);
	const sl_job polite = kube_test_pod(&test, SL_SECOND, "", "\"priorityClassName\":\"polite\"," SMALL);
	(void)kube_run(&test.k, SL_SECOND);
	expect_on(&test, low, 1);
	expect_on(&test, polite, 0);
	kube_test_close(&test);
}

/* ---- Requests ------------------------------------------------------------------------------------- */

#define MIB INT64_C(1048576)

Test(kube_rules, each_container_that_says_nothing_counts_in_scores)
{
	struct kube_test test = { .cpus = 9, .gib = 9, .nodes = 1 };
	kube_test_open(&test);
	/* 500 m + 100 m, 200 MiB + 1 GiB; the init container of nothing is less than those. A 0 is said. */
	const sl_job two = kube_test_pod(&test, 0, "",
		"\"initContainers\":[{\"name\":\"i\"}],\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{"
		"\"cpu\":\"500m\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"memory\":\"1Gi\"}}}]");
	const sl_job zero = kube_test_pod(&test, 0, "",
		"\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"0\"}}}]");
	cr_expect_eq(spec_of(&test, two)->request[KUBE_RES_CPU], 500);
	cr_expect_eq(spec_of(&test, two)->cpu_scored, 600);
	cr_expect_eq(spec_of(&test, two)->mem_scored, 1224 * MIB);
	cr_expect_eq(spec_of(&test, zero)->cpu_scored, 0);
	cr_expect_eq(spec_of(&test, zero)->mem_scored, 200 * MIB);
	kube_test_close(&test);
}

Test(kube_rules, what_a_pod_asks_as_a_whole_counts_on_its_node_but_not_for_fit)
{
	struct kube_test test = { .cpus = 9, .gib = 9, .nodes = 1 };
	kube_test_open(&test);
	const sl_job job = kube_test_pod(&test, 0, "",
		"\"resources\":{\"requests\":{\"memory\":\"2Gi\"}},\"containers\":[{\"name\":\"a\",\"resources\":{"
		"\"requests\":{\"cpu\":\"100m\"}}},{\"name\":\"b\"}]");
	const struct kube_spec *spec = spec_of(&test, job);
	cr_expect_eq(spec->cpu_scored, 100, "a container names it");
	cr_expect_eq(spec->mem_scored, 2048 * MIB);
	cr_expect_eq(spec->cpu_fit, 200);
	cr_expect_eq(spec->mem_fit, 400 * MIB);
	kube_test_close(&test);
}

/* ---- Affinity and spreading ------------------------------------------------------------------------- */

#define SPREAD(more)                                                                                    \
	"\"topologySpreadConstraints\":[{\"topologyKey\":\"zone\",\"maxSkew\":1,\"whenUnsatisfiable\":" \
	"\"DoNotSchedule\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}" more "}]," SMALL

static struct kube_test three_zones(const char *objects)
{
	return (struct kube_test){ .cpus = 8,
		.gib = 64,
		.nodes = 3,
		.objects = objects,
		.label = { { "zone", "a" }, { "zone", "b" }, { "zone", "c" } } };
}

/* One of app x stands in zone a, none in b and c; the next one may go to c alone, by its selector: where b
 * counts as a zone of none, or does not, c may have one more. Two more make the difference. */
static uint32_t spread_over(const char *spec, const char *objects)
{
	struct kube_test test = three_zones(objects);
	kube_test_open(&test);
	(void)kube_test_pod(&test, 0, "\"app\":\"x\"", "\"nodeSelector\":{\"zone\":\"a\"}," SMALL);
	(void)kube_test_pod(&test, 0, "\"app\":\"x\"", "\"nodeSelector\":{\"zone\":\"c\"}," SMALL);
	(void)kube_run(&test.k, 0);
	const sl_job job = kube_test_pod(&test, 1, "\"app\":\"x\",\"ver\":\"2\"", spec);
	(void)kube_run(&test.k, 1);
	const uint32_t node = kube_test_at(&test, job, 0);
	kube_test_close(&test);
	return node;
}

#define NOT_B                                                                                                          \
	"\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[{" \
	"\"matchExpressions\":[{\"key\":\"zone\",\"operator\":\"NotIn\",\"values\":[\"b\"]}]}]}}},"

Test(kube_rules, which_nodes_a_spread_counts)
{
	static const char tainted[] = "kind: Node\nmetadata: {name: n2}\n"
				      "spec: {taints: [{key: k, effect: NoSchedule}]}\n";
	cr_expect_eq(spread_over(NOT_B SPREAD(""), NULL), 1, "b is ruled out, and does not count");
	cr_expect_eq(spread_over(NOT_B SPREAD(",\"nodeAffinityPolicy\":\"Ignore\""), NULL), 0, "b has none");
	cr_expect_eq(spread_over(SPREAD(""), tainted), 0, "b has none, and is tainted");
	cr_expect_eq(spread_over(SPREAD(",\"nodeTaintsPolicy\":\"Honor\""), tainted), 1, "b does not count");
}

Test(kube_rules, own_labels_narrow_selectors)
{
	/* Those that stand lack ver: none is like the new one. Of a label that it lacks nothing is wanted. */
	cr_expect_eq(spread_over(NOT_B SPREAD(",\"matchLabelKeys\":[\"ver\"]"), NULL), 1);
	cr_expect_eq(
		spread_over(NOT_B SPREAD(",\"matchLabelKeys\":[\"ver\"],\"nodeAffinityPolicy\":\"Ignore\""),
			NULL),
		1, "nowhere is one of ver 2");
	cr_expect_eq(
		spread_over(
			NOT_B SPREAD(",\"matchLabelKeys\":[\"no\"],\"nodeAffinityPolicy\":\"Ignore\""), NULL),
		0);
}

#define AWAY(more)                                                                                 \
	"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{" \
	"\"topologyKey\":\"zone\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}" more "}]}}," SMALL

/* Where a pod of app x and ver 2 goes, if one of ver 1 stands in zone a. */
static uint32_t away_from(const char *spec, const char *objects)
{
	struct kube_test test = three_zones(objects);
	kube_test_open(&test);
	(void)kube_test_pod(
		&test, 0, "\"app\":\"x\",\"ver\":\"1\"", "\"nodeSelector\":{\"zone\":\"a\"}," SMALL);
	(void)kube_run(&test.k, 0);
	test.more[2].namespace = "blue";
	const sl_job job = kube_test_pod(&test, 1, "\"app\":\"x\",\"ver\":\"2\"", spec);
	(void)kube_run(&test.k, 1);
	const uint32_t node = kube_test_at(&test, job, 0);
	kube_test_close(&test);
	return node;
}

Test(kube_rules, affinity_by_namespaces_labels)
{
	static const char spaces[] = "kind: Namespace\nmetadata: {name: default, labels: {team: a}}\n";
	static const char to_a[] = "\"nodeSelector\":{\"zone\":\"a\"},";
	char spec[600];
	const struct {
		const char *more;
		uint32_t node;   /* 0: it is kept off zone a. */
	} cases[] = { { "", 1 }, /* Its own namespace alone. */
		{ ",\"namespaceSelector\":{}", 0 },
		{ ",\"namespaceSelector\":{\"matchLabels\":{\"team\":\"a\"}}", 0 },
		{ ",\"namespaceSelector\":{\"matchLabels\":{\"team\":\"b\"}}", 1 },
		{ ",\"namespaceSelector\":{\"matchLabels\":{\"team\":\"b\"}},\"namespaces\":[\"default\"]",
			0 },
		{ ",\"namespaceSelector\":{\"matchLabels\":{\"kubernetes.io/metadata.name\":\"default\"}}",
			0 },
		{ ",\"namespaceSelector\":{},\"matchLabelKeys\":[\"ver\"]", 1 },
		{ ",\"namespaceSelector\":{},\"mismatchLabelKeys\":[\"ver\"]", 0 },
		{ ",\"namespaceSelector\":{},\"mismatchLabelKeys\":[\"app\"]", 1 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		(void)snprintf(spec, sizeof(spec),
			"%s\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
			"\"topologyKey\":\"zone\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}%s}]}}," SMALL,
			to_a, cases[i].more);
		cr_expect_eq(away_from(spec, spaces), cases[i].node, "case %zu", i);
	}
}

#define FIELD(name) "{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"" name "\"]}"
#define LABEL(zone) "{\"key\":\"zone\",\"operator\":\"In\",\"values\":[\"" zone "\"]}"
#define TERMS(list)                                                                                                        \
	"\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":[" list \
	"]}}}," SMALL

Test(kube_rules, a_term_of_labels_and_fields_needs_both)
{
	struct kube_test test = three_zones(NULL);
	kube_test_open(&test);
	const sl_job both = kube_test_pod(&test, 0, "",
		TERMS("{\"matchExpressions\":[" LABEL("b") "],\"matchFields\":[" FIELD("n2") "]}"));
	const sl_job other = kube_test_pod(&test, 0, "",
		TERMS("{\"matchExpressions\":[" LABEL("b") "],\"matchFields\":[" FIELD("n3") "]}"));
	const sl_job empty = kube_test_pod(&test, 0, "", TERMS("{}"));
	(void)kube_run(&test.k, 0);
	expect_on(&test, both, 2);
	expect_on(&test, other, 0);
	expect_on(&test, empty, 0);
	kube_test_close(&test);
}

Test(kube_rules, where_all_terms_name_nodes_no_others_are_looked_at)
{
	struct kube_test test = three_zones(NULL);
	kube_test_open(&test);
	(void)kube_test_pod(&test, 0, "", TERMS("{\"matchFields\":[" FIELD("n3") "]}"));
	(void)kube_run(&test.k, 0);
	cr_expect_eq(test.k.looked_at, 1);
	(void)kube_test_pod(&test, 0, "",
		TERMS("{\"matchFields\":[" FIELD("n3") "]},{\"matchExpressions\":[" LABEL("b") "]}"));
	(void)kube_run(&test.k, 0);
	cr_expect_eq(test.k.looked_at, 3, "one of the terms names none");
	kube_test_close(&test);
}

/* ---- Ports and images --------------------------------------------------------------------------------- */

#define PORT(more) "\"containers\":[{\"name\":\"c\",\"ports\":[{\"containerPort\":80" more "}]}]"

Test(kube_rules, a_host_port_is_had_once_on_a_node)
{
	const struct {
		const char *spec;
		uint32_t node;
	} cases[] = { { PORT(",\"hostPort\":80"), 2 }, { PORT(",\"hostPort\":81"), 1 }, { PORT(""), 1 },
		{ PORT(",\"hostPort\":80,\"protocol\":\"UDP\""), 1 },
		{ PORT(",\"hostPort\":80,\"hostIP\":\"10.0.0.1\""), 2 },
		{ "\"hostNetwork\":true," PORT(""), 2 },
		{ "\"initContainers\":[{\"name\":\"i\",\"ports\":[{\"containerPort\":80,\"hostPort\":80}]}]," PORT(
			  ""),
			1 },
		{ "\"initContainers\":[{\"name\":\"i\",\"restartPolicy\":\"Always\",\"ports\":[{\"containerPort\":80,"
		  "\"hostPort\":80}]}]," PORT(""),
			2 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct kube_test test = { .cpus = 8, .gib = 8, .nodes = 2 };
		char spec[400];
		kube_test_open(&test);
		(void)kube_test_pod(&test, 0, "", "\"nodeName\":\"n1\"," PORT(",\"hostPort\":80"));
		(void)kube_test_pod(
			&test, 0, "", "\"nodeName\":\"n2\"," KUBE_ASKS("4", "4Gi")); /* n1 is emptier. */
		(void)kube_run(&test.k, 0);
		(void)snprintf(spec, sizeof(spec), "%s", cases[i].spec);
		const sl_job job = kube_test_pod(&test, 0, "", spec);
		(void)kube_run(&test.k, 0);
		cr_expect_eq(kube_test_at(&test, job, 0), cases[i].node, "case %zu is on %u", i,
			kube_test_at(&test, job, 0));
		kube_test_close(&test);
	}
}

Test(kube_rules, images_score_by_size_and_by_how_many_have_them)
{
	/* 600 MiB on two of four nodes: 300, of (23, 1000) for one container: 28; 800 MiB on one: 200: 18. */
	static const char objects[] =
		"kind: Node\nmetadata: {name: n1}\nstatus: {images: [{names: ['reg/a:latest'], sizeBytes: 629145600}]}\n---\n"
		"kind: Node\nmetadata: {name: n2}\nstatus: {images: [{names: ['reg/a:latest'], sizeBytes: 629145600}]}\n---\n"
		"kind: Node\nmetadata: {name: n3}\nstatus: {images: [{names: ['b:v1'], sizeBytes: 838860800}]}\n";
	struct kube_test test = { .cpus = 8, .gib = 8, .nodes = 4, .objects = objects };
	kube_test_open(&test);
	const sl_job a = kube_test_pod(&test, 0, "", "\"containers\":[{\"name\":\"c\",\"image\":\"reg/a\"}]");
	const sl_job b = kube_test_pod(&test, 0, "", "\"containers\":[{\"name\":\"c\",\"image\":\"b:v1\"}]");
	/* Two containers: 300 + 200 on no node; 300 of (23, 2000): 14. */
	const sl_job both = kube_test_pod(&test, 0, "",
		"\"containers\":[{\"name\":\"c\",\"image\":\"reg/a\"},{\"name\":\"d\",\"image\":\"b:v1\"}]");
	cr_expect_eq(kube_images_score(&test.k, spec_of(&test, a), 1), 28);
	cr_expect_eq(kube_images_score(&test.k, spec_of(&test, a), 2), 0);
	cr_expect_eq(kube_images_score(&test.k, spec_of(&test, b), 2), 18);
	cr_expect_eq(kube_images_score(&test.k, spec_of(&test, both), 0), 14);
	kube_test_close(&test);
}

/* ---- The search -------------------------------------------------------------------------------------- */

Test(kube_rules, nodes_are_visited_zone_by_zone_in_turn)
{
	static const uint32_t order[] = { 0, 2, 1, 3, 4 };
	struct kube_test test = { .cpus = 8, .gib = 8, .nodes = 5 };
	const char *zone[] = { "a", "a", "b", "b", "b" };
	for (size_t i = 0; i < SL_LEN(zone); i++) {
		test.label[i][0] = "topology.kubernetes.io/zone";
		test.label[i][1] = zone[i];
	}
	kube_test_open(&test);
	for (size_t i = 0; i < SL_LEN(order); i++)
		cr_expect_eq(test.k.visit[i], order[i], "place %zu", i);
	kube_test_close(&test);
}

Test(kube_rules, the_search_ends_at_one_more_than_wanted)
{
	/* Of 128 nodes 100 are wanted. The first 20 refuse: 100 are found at node 120, the search goes on to
	 * 121, which is the 101st; the next search begins there: 120. With nodes 121 to 123 refusing as well,
	 * at 123. */
	struct kube_test test = { .cpus = 8, .gib = 8, .nodes = KUBE_TEST_NODES };
	for (uint32_t i = 0; i < test.nodes; i++) {
		test.label[i][0] = "ok";
		test.label[i][1] = i < 20 || (i >= 120 && i < 123) ? "no" : "yes";
	}
	kube_test_open(&test);
	(void)kube_test_pod(&test, 0, "", "\"nodeSelector\":{\"ok\":\"yes\"}," SMALL);
	(void)kube_run(&test.k, 0);
	cr_expect_eq(test.k.found, 100);
	cr_expect_eq(test.k.looked_at, 123);
	cr_expect_eq(test.k.start, 123);
	kube_test_close(&test);
}

/* ---- The queue ----------------------------------------------------------------------------------------- */

Test(kube_rules, among_equals_who_was_tried_earlier_goes_first)
{
	struct kube_test test = { .cpus = 1, .gib = 4, .nodes = 1, .options = { .singly = true } };
	kube_test_open(&test);
	const sl_job runs = kube_test_pod(&test, 0, "", SMALL);
	const sl_job first = kube_test_pod(&test, 0, "", SMALL);
	(void)kube_run(&test.k, 0); /* first was tried at 0, and fails; */
	const sl_job second = kube_test_pod(&test, SL_SECOND, "", SMALL);
	(void)kube_run(&test.k, SL_SECOND);
	kube_remove(&test.k, 20 * SL_SECOND, runs);
	(void)kube_run(&test.k, 20 * SL_SECOND);
	expect_on(&test, first, 1);
	expect_on(&test, second, 0);
	/* At one instant, in the order of events: second failed again at 20 s, before third came. */
	const sl_job third = kube_test_pod(&test, 20 * SL_SECOND, "", SMALL);
	(void)kube_run(&test.k, 20 * SL_SECOND);
	kube_remove(&test.k, 40 * SL_SECOND, first);
	(void)kube_run(&test.k, 40 * SL_SECOND);
	expect_on(&test, second, 1);
	expect_on(&test, third, 0);
	kube_test_close(&test);
}

Test(kube_rules, plugins_say_which_pods_may_help)
{
	struct kube_test test = three_zones(NULL);
	kube_test_open(&test);
	const sl_job other =
		kube_test_pod(&test, 0, "\"app\":\"y\"", "\"nodeSelector\":{\"zone\":\"a\"}," SMALL);
	const sl_job x = kube_test_pod(&test, 0, "\"app\":\"x\"", "\"nodeSelector\":{\"zone\":\"a\"}," SMALL);
	(void)kube_run(&test.k, 0);
	const sl_job away = kube_test_pod(&test, 0, "", "\"nodeSelector\":{\"zone\":\"a\"}," AWAY(""));
	(void)kube_run(&test.k, 0);
	expect_on(&test, away, 0);
	const uint64_t before = test.k.attempts;
	kube_remove(&test.k, SL_SECOND, other);
	(void)kube_run(&test.k, SL_SECOND);
	cr_expect_eq(test.k.attempts, before, "it is none of those that it wants none of");
	kube_remove(&test.k, 2 * SL_SECOND, x);
	(void)kube_run(&test.k, 2 * SL_SECOND);
	expect_on(&test, away, 1);
	kube_test_close(&test);
}

Test(kube_rules, a_pod_without_room_is_tried_as_any_pod_leaves)
{
	static const char objects[] =
		"kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 2, memory: 8Gi, x: 1}}\n";
	struct kube_test test = { .cpus = 2, .gib = 8, .nodes = 1, .objects = objects };
	kube_test_open(&test);
	const sl_job light = kube_test_pod(&test, 0, "", "\"containers\":[{\"name\":\"c\"}]");
	(void)kube_run(&test.k, 0);
	(void)kube_test_pod(&test, 0, "", KUBE_ASKS("3", "1Gi"));
	(void)kube_run(&test.k, 0);
	const uint64_t before = test.k.attempts;
	kube_remove(&test.k, SL_SECOND, light);
	(void)kube_run(&test.k, SL_SECOND);
	cr_expect_gt(test.k.attempts, before);
	kube_test_close(&test);
}

#define RANKED(n) "\"priority\":" #n ","

Test(kube_rules, a_pod_that_shunned_the_one_that_waits_wakes_it_as_it_leaves)
{
	struct kube_test test = { .cpus = 8, .gib = 8, .nodes = 1, .label = { { "zone", "a" } } };
	kube_test_open(&test);
	const sl_job shy = kube_test_pod(&test, 0, "\"app\":\"y\"", AWAY(""));
	(void)kube_run(&test.k, 0);
	const sl_job x = kube_test_pod(&test, 0, "\"app\":\"x\"", SMALL);
	(void)kube_run(&test.k, 0);
	expect_on(&test, x, 0);
	kube_remove(&test.k, SL_SECOND, shy);
	(void)kube_run(&test.k, SL_SECOND);
	expect_on(&test, x, 1);
	kube_test_close(&test);
}

/* One of app x leaves a namespace that a pod shuns by its label: no hint. Shunned by a list it is one. */
static uint64_t tries_after(const char *more)
{
	static const char spaces[] = "kind: Namespace\nmetadata: {name: default, labels: {team: a}}\n";
	struct kube_test test = {
		.cpus = 8, .gib = 8, .nodes = 1, .label = { { "zone", "a" } }, .objects = spaces
	};
	char spec[600];
	kube_test_open(&test);
	const sl_job x = kube_test_pod(&test, 0, "\"app\":\"x\"", SMALL);
	(void)kube_run(&test.k, 0);
	(void)snprintf(spec, sizeof(spec),
		"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
		"\"topologyKey\":\"zone\",\"labelSelector\":{\"matchLabels\":{\"app\":\"x\"}}%s}]}}," SMALL,
		more);
	(void)kube_test_pod(&test, 0, "", spec);
	(void)kube_run(&test.k, 0);
	const uint64_t before = test.k.attempts;
	kube_remove(&test.k, SL_SECOND, x);
	(void)kube_run(&test.k, SL_SECOND);
	const uint64_t tries = test.k.attempts - before;
	kube_test_close(&test);
	return tries;
}

Test(kube_rules, hints_do_not_know_labels_of_namespaces)
{
	cr_expect_eq(tries_after(",\"namespaces\":[\"default\"]"), 1);
	cr_expect_eq(tries_after(",\"namespaceSelector\":{}"), 1);
	cr_expect_eq(tries_after(",\"namespaceSelector\":{\"matchLabels\":{\"team\":\"a\"}}"), 0);
}

Test(kube_rules, whom_affinity_does_not_concern_goes_beside_a_nominated_pod_that_shuns_it)
{
	struct kube_test test = { .cpus = 3, .gib = 8, .nodes = 1, .label = { { "zone", "a" } } };
	kube_test_open(&test);
	const sl_job low = kube_test_pod(&test, 0, "\"app\":\"x\"", RANKED(1) SMALL);
	(void)kube_run(&test.k, 0);
	const sl_job shy = kube_test_pod(&test, SL_SECOND, "", RANKED(9) AWAY(""));
	cr_assert(kube_try_next(&test.k)); /* low goes; shy is nominated. */
	cr_expect_eq(test.k.pod[test.k.job[shy.row].first].nominated, 0);
	kube_remove(&test.k, SL_SECOND, low);
	const sl_job other = kube_test_pod(&test, SL_SECOND, "\"app\":\"x\"", RANKED(1) SMALL);
	cr_assert(kube_try_next(&test.k)); /* Others are tried before one that backs off. */
	expect_on(&test, other, 1);
	kube_test_close(&test);
}

Test(kube_rules, a_nomination_that_does_not_help_ends_and_wakes_others)
{
	struct kube_test test = { .cpus = 3, .gib = 8, .nodes = 1, .options = { .singly = true } };
	kube_test_open(&test);
	const sl_job low = kube_test_pod(&test, 0, "", RANKED(1) KUBE_ASKS("2", "1Gi"));
	(void)kube_run(&test.k, 0);
	const sl_job high = kube_test_pod(&test, SL_SECOND, "", RANKED(5) KUBE_ASKS("3", "1Gi"));
	cr_assert(kube_try_next(&test.k));
	cr_expect_eq(test.k.pod[test.k.job[high.row].first].nominated, 0);
	kube_remove(&test.k, SL_SECOND, low);
	const sl_job small = kube_test_pod(&test, SL_SECOND, "", RANKED(1) KUBE_ASKS("2", "1Gi"));
	cr_assert(kube_try_next(&test.k));
	expect_on(&test, small, 0); /* high is nominated to all of it. */
	const sl_job higher = kube_test_pod(&test, SL_SECOND, "", RANKED(9) SMALL);
	(void)kube_run(&test.k, SL_SECOND);
	expect_on(&test, higher, 1);
	/* high fails beside it, and nobody is lower there: its nomination ends, and small has room. */
	cr_expect_eq(test.k.pod[test.k.job[high.row].first].nominated, KUBE_NO);
	expect_on(&test, high, 0);
	expect_on(&test, small, 1);
	kube_test_close(&test);
}

/* ---- Gates -----------------------------------------------------------------------------------------------
 */

Test(kube_rules, gates_have_the_defaults_of_1_36_and_unknown_ones_are_refused)
{
	static const struct {
		const char *text, *refused;
	} cases[] = {
		{ "Gangs=true", "kube:gates: 'Gangs' is no feature gate that is known here" },
		{ "GangSchedulin=true",
			"kube:gates: 'GangSchedulin' is no feature gate that is known here: is it "
			"'GangScheduling'?" },
		{ "GangScheduling=yes",
			"kube:gates: 'GangScheduling=yes' is not NAME=true or NAME=false: list gates with "
			"+ between" },
		{ "GangScheduling=true",
			"kube:gates: GangScheduling needs GenericWorkload: add GenericWorkload=true" },
		{ "GenericWorkload=true,WorkloadAwarePreemption=true",
			"kube:gates: WorkloadAwarePreemption needs GangScheduling: add GangScheduling=true" },
		{ "DRAExtendedResource=false",
			"kube:gates: DRAExtendedResource=false is not modelled: leave it at its default of 1.36" },
	};
	struct sl_err err = { 0 };
	uint32_t bits = 1;
	cr_expect_eq(kube_gates_check(NULL, &bits, &err), SL_OK);
	cr_expect_eq(bits, 0);
	cr_expect_eq(
		kube_gates_check("OpportunisticBatching=false,GenericWorkload=false", &bits, &err), SL_OK);
	cr_expect_eq(bits, 0);
	cr_expect_eq(kube_gates_check("GenericWorkload=true+GangScheduling=true", &bits, &err), SL_OK);
	cr_expect_eq(bits, KUBE_GATE_WORKLOAD | KUBE_GATE_GANG);
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		err = (struct sl_err){ 0 };
		cr_expect_eq(kube_gates_check(cases[i].text, &bits, &err), SL_USAGE);
		cr_expect(
			strncmp(err.text, cases[i].refused, strlen(cases[i].refused)) == 0, "'%s'", err.text);
	}
}

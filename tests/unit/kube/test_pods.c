/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_pods.c - quantities of Kubernetes, and what pods request.
 *
 * Worked by hand from https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ and
 * .../docs/concepts/workloads/pods/init-containers/.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/base/base.h"

/* ---- Quantities ----------------------------------------------------------------------------------- */

static int64_t thousandths(const char *text)
{
	int64_t value = -1;
	return sl_get_quantity(text, strlen(text), &value) ? value : -1;
}

static int64_t amount(const char *resource, const char *text)
{
	int64_t value = -1;
	return sl_get_amount(resource, text, strlen(text), &value) ? value : -1;
}

Test(pods, quantities)
{
	static const struct {
		const char *text;
		int64_t thousandths;
	} cases[] = {
		{ "2", 2000 },
		{ "500m", 500 },
		{ "+0.5", 500 },
		{ "1.5Gi", INT64_C(1610612736000) },
		{ "1e3", 1000000 },
		{ "1E3", 1000000 },
		{ "1E", INT64_MAX }, /* Exa: 10^21 thousandths. */
		{ "12e-1", 1200 },
		{ "1k", 1000000 },
		{ "1Ki", 1024000 },
		{ ".5", 500 },
		{ "5.", 5000 },
		{ "1n", 1 },     /* Rounded up, */
		{ "1000u", 1 },  /* exactly, */
		{ "1001u", 2 },  /* and up again. */
		{ "0.0001", 1 }, /* What is not nothing is at least the unit. */
		{ "0", 0 },
		{ "0Gi", 0 },
		{ "9223372036854775807", INT64_MAX },
		{ "99999999999999999999999999", INT64_MAX },
		{ "9223372036854775807m", INT64_MAX },
		{ "1.00000000000000000000000000001", 1001 },
		{ "10000000000000000000000000000000n", INT64_MAX },
		{ "1000000000000000000000000n", INT64_C(1000000000000000000) },
		/* None: */
		{ "-1", -1 },
		{ "", -1 },
		{ ".", -1 },
		{ "Gi", -1 },
		{ "1e", -1 },
		{ "1K", -1 },
		{ "1 Gi", -1 },
		{ "1GiB", -1 },
		{ "1e1.5", -1 },
		{ "0x10", -1 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		cr_expect_eq(thousandths(cases[i].text), cases[i].thousandths, "'%s' is %lld", cases[i].text,
			(long long)thousandths(cases[i].text));
}

Test(pods, cpus_are_thousandths_and_the_rest_units)
{
	cr_expect_eq(amount("cpu", "1500m"), 1500);
	cr_expect_eq(amount("memory", "1500m"), 2, "rounded up");
	cr_expect_eq(amount("memory", "1Gi"), INT64_C(1) << 30);
	cr_expect_eq(amount("memory", "8Ei"), INT64_MAX, "saturates");
	cr_expect_eq(amount("nvidia.com/gpu", "4"), 4);
	cr_expect_eq(amount("cpu", "x"), -1);
}

/* ---- Pods ------------------------------------------------------------------------------------------- */

struct world {
	struct sl_doc doc;
	struct sl_arena *arena;
	struct sl_err err;
	struct sl_pods pods;
	int status;
};

static void read_pods(struct world *w, const char *yaml)
{
	*w = (struct world){ .doc = { .file = "x.yaml" }, .arena = sl_arena_new() };
	w->status = sl_doc_read_yaml(&w->doc, yaml, strlen(yaml), &w->err);
	cr_assert_eq(w->status, SL_OK, "%s", w->err.text);
	w->status = sl_pods_read(w->arena, &w->doc, &w->doc.node[0], &w->pods, &w->err);
}

static void release(struct world *w)
{
	sl_doc_release(&w->doc);
	sl_arena_free(w->arena);
}

static int64_t asks(const struct sl_podset *podset, const char *resource)
{
	for (uint32_t i = 0; i < podset->request.count; i++)
		if (strcmp(podset->request.at[i].resource, resource) == 0)
			return podset->request.at[i].amount;
	return -1;
}

/* Containers 1 + 2, sidecar 1 beside them: 4. Init: 3 before the sidecar, 6 beside it: 7. Overhead 1: 8. */
Test(pods, init_containers_and_sidecars)
{
	struct world w;
	read_pods(&w, "kind: Pod\n"
		      "spec:\n"
		      "  overhead: { cpu: 1 }\n"
		      "  containers:\n"
		      "  - resources: { requests: { cpu: 1, memory: 1Gi } }\n"
		      "  - resources: { limits: { cpu: 2, nvidia.com/gpu: 1 } }\n"
		      "  initContainers:\n"
		      "  - resources: { requests: { cpu: 3 } }\n"
		      "  - restartPolicy: Always\n"
		      "    resources: { requests: { cpu: 1 } }\n"
		      "  - resources: { requests: { cpu: 6 } }\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	cr_assert_eq(w.pods.count, 1);
	cr_expect_str_eq(w.pods.kind, "Pod");
	cr_expect_str_eq(w.pods.podset[0].name, "main");
	cr_expect_eq(w.pods.podset[0].count, 1);
	cr_expect_eq(asks(&w.pods.podset[0], "cpu"), 8000);
	cr_expect_eq(asks(&w.pods.podset[0], "memory"), INT64_C(1) << 30);
	cr_expect_eq(asks(&w.pods.podset[0], "nvidia.com/gpu"), 1, "a limit is a request");
	cr_expect_not(w.pods.podset[0].exceeds_limits);
	release(&w);
}

/* Each by itself, init containers first, where one requests a resource of some domain. */
Test(pods, what_each_container_requests)
{
	struct world w;
	read_pods(&w,
		"kind: Pod\n"
		"spec:\n"
		"  containers:\n"
		"  - resources: { requests: { cpu: 1, x.com/b: 2 }, limits: { cpu: 2, x.com/a: 3, x.com/b: 2 } }\n"
		"  initContainers:\n"
		"  - resources: { requests: { cpu: 3 } }\n"
		"  - restartPolicy: Always\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	const struct sl_podset *podset = &w.pods.podset[0];
	cr_assert_eq(podset->containers, 3);
	cr_expect(podset->container[0].ends);
	cr_expect_not(podset->container[1].ends);
	cr_expect_not(podset->container[2].ends);
	cr_expect_eq(podset->container[1].request.count, 0);
	const struct sl_amounts *last = &podset->container[2].request;
	cr_assert_eq(last->count, 3);
	cr_expect_str_eq(last->at[0].resource, "cpu");
	cr_expect_eq(last->at[0].amount, 1000);
	cr_expect_str_eq(last->at[1].resource, "x.com/a");
	cr_expect_eq(last->at[1].amount, 3);
	cr_expect_str_eq(last->at[2].resource, "x.com/b");
	release(&w);
	read_pods(&w, "kind: Pod\nspec: { containers: [ { resources: { requests: { cpu: 1 } } } ] }\n");
	cr_expect_eq(w.pods.podset[0].containers, 0);
	release(&w);
}

/* Pod-level cpu takes the place of the sum; other resources stay. */
Test(pods, resources_of_the_whole_pod)
{
	struct world w;
	read_pods(&w, "kind: Pod\n"
		      "spec:\n"
		      "  resources: { requests: { cpu: 5 }, limits: { cpu: 4, memory: 2Gi } }\n"
		      "  containers:\n"
		      "  - resources: { requests: { cpu: 1, nvidia.com/gpu: 2 } }\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	cr_expect_eq(asks(&w.pods.podset[0], "cpu"), 5000);
	cr_expect_eq(asks(&w.pods.podset[0], "memory"), INT64_C(2) << 30);
	cr_expect_eq(asks(&w.pods.podset[0], "nvidia.com/gpu"), 2);
	cr_expect(w.pods.podset[0].exceeds_limits);
	release(&w);
}

Test(pods, a_job_runs_the_lesser_of_parallelism_and_completions)
{
	struct world w;
	read_pods(&w, "kind: Job\n"
		      "metadata:\n"
		      "  uid: u1\n"
		      "  labels: { kueue.x-k8s.io/priority-class: high, b: x, a: y }\n"
		      "  annotations: { kueue.x-k8s.io/job-min-parallelism: '2' }\n"
		      "spec:\n"
		      "  parallelism: 8\n"
		      "  completions: 5\n"
		      "  completionMode: Indexed\n"
		      "  template:\n"
		      "    metadata:\n"
		      "      annotations:\n"
		      "        kueue.x-k8s.io/podset-required-topology: rack\n"
		      "        kueue.x-k8s.io/podset-slice-required-topology: host\n"
		      "        kueue.x-k8s.io/podset-slice-size: '5'\n"
		      "    spec:\n"
		      "      nodeSelector: { zone: z1 }\n"
		      "      tolerations: [ { key: gpu, operator: Exists, effect: NoSchedule } ]\n"
		      "      priorityClassName: batch\n"
		      "      containers: [ { resources: { requests: { cpu: 100m } } } ]\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	const struct sl_podset *podset = &w.pods.podset[0];
	cr_expect_eq(podset->count, 5);
	cr_expect_eq(podset->min_count, 2);
	cr_expect_str_eq(w.pods.uid, "u1");
	cr_expect_str_eq(w.pods.priority_class, "high");
	cr_expect_str_eq(w.pods.labels.at[0].key, "a", "labels are by key");
	cr_expect(podset->topology.given);
	cr_expect_str_eq(podset->topology.required, "rack");
	cr_assert_eq(podset->topology.slice_count, 1);
	cr_expect_str_eq(podset->topology.slice[0].level, "host");
	cr_expect_eq(podset->topology.slice[0].size, 5);
	cr_expect_str_eq(podset->topology.pod_index_label, "batch.kubernetes.io/job-completion-index");
	cr_expect_str_eq(sl_label_of(&podset->node_selector, "zone"), "z1");
	cr_expect_eq(podset->tolerations.count, 1);
	cr_expect_str_eq(podset->priority_class, "batch");
	release(&w);
}

Test(pods, a_job_set_has_a_podset_for_each_replicated_job)
{
	struct world w;
	read_pods(&w, "kind: JobSet\n"
		      "spec:\n"
		      "  replicatedJobs:\n"
		      "  - name: driver\n"
		      "    template: { spec: { template: { spec: { containers: [] } } } }\n"
		      "  - name: workers\n"
		      "    replicas: 3\n"
		      "    template:\n"
		      "      spec:\n"
		      "        parallelism: 4\n"
		      "        template:\n"
		      "          metadata:\n"
		      "            annotations:\n"
		      "              kueue.x-k8s.io/podset-slice-required-topology: rack\n"
		      "          spec: { containers: [ { resources: { requests: { cpu: 2 } } } ] }\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	cr_assert_eq(w.pods.count, 2);
	cr_expect_str_eq(w.pods.podset[0].name, "driver");
	cr_expect_eq(w.pods.podset[0].count, 1);
	cr_expect_str_eq(w.pods.podset[1].name, "workers");
	cr_expect_eq(w.pods.podset[1].count, 12);
	cr_expect_eq(w.pods.podset[1].topology.slice[0].size, 4, "a slice is one job");
	cr_expect_eq(w.pods.podset[1].topology.sub_group_count, 3);
	release(&w);
}

Test(pods, groups_of_leaders_and_workers)
{
	struct world w;
	read_pods(&w,
		"kind: LeaderWorkerSet\n"
		"spec:\n"
		"  replicas: 2\n"
		"  leaderWorkerTemplate:\n"
		"    size: 4\n"
		"    leaderTemplate: { spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] } }\n"
		"    workerTemplate: { spec: { containers: [ { resources: { requests: { cpu: 2 } } } ] } }\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	cr_assert_eq(w.pods.count, 2);
	cr_expect_str_eq(w.pods.podset[0].name, "leader");
	cr_expect_eq(w.pods.podset[0].count, 1);
	cr_expect_str_eq(w.pods.podset[1].name, "worker");
	cr_expect_eq(w.pods.podset[1].count, 3);
	cr_expect_eq(asks(&w.pods.podset[1], "cpu"), 2000);
	release(&w);
}

/* A group of 5, its leader in no sub-group: three parts of 1, 2, 2; what all say of their places. */
Test(pods, a_group_is_alone_in_a_topology)
{
	struct world w;
	read_pods(&w,
		"kind: LeaderWorkerSet\n"
		"schedlab/group: 2\n"
		"metadata: { name: l, namespace: a, annotations: {\n"
		"  leaderworkerset.sigs.k8s.io/exclusive-topology: zone,\n"
		"  leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: rack } }\n"
		"spec:\n"
		"  startupPolicy: LeaderReady\n"
		"  leaderWorkerTemplate:\n"
		"    size: 5\n"
		"    restartPolicy: RecreateGroupAfterStart\n"
		"    subGroupPolicy: { subGroupSize: 2, type: LeaderExcluded }\n"
		"    workerTemplate: { spec: { containers: [ { resources: { requests: { cpu: 2 } } } ] } }\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	const struct sl_podset *main = &w.pods.podset[0];
	cr_expect(w.pods.leader_first);
	cr_expect_eq(w.pods.restart, SL_RESTART_STARTED);
	cr_expect_str_eq(sl_label_of(&main->labels, "leaderworkerset.sigs.k8s.io/group-key"), "a/l-2");
	cr_assert_eq(main->pod_affinity_count, 2);
	cr_expect_str_eq(main->pod_affinity[0].key, "zone");
	cr_expect(!main->pod_affinity[0].anti && main->pod_affinity[1].anti);
	cr_expect(sl_label_selects(&main->pod_affinity[0].pods, &main->labels));
	cr_expect(!sl_label_selects(&main->pod_affinity[1].pods, &main->labels), "its own are welcome");
	cr_assert_eq(main->part_count, 3);
	static const int64_t count[] = { 1, 2, 2 };
	static const char *const key[] = { NULL, "a/l-2/0", "a/l-2/1" };
	for (uint32_t i = 0; i < 3; i++) {
		const char *has =
			sl_label_of(&main->part[i].labels, "leaderworkerset.sigs.k8s.io/subgroup-key");
		cr_expect_eq(main->part[i].count, count[i]);
		cr_expect(key[i] ? has && strcmp(has, key[i]) == 0 : !has, "part %u", i);
		cr_expect_eq(main->part[i].pod_affinity_count, key[i] ? 4 : 2);
	}
	cr_expect(sl_label_selects(&main->part[1].pod_affinity[3].pods, &main->part[2].labels),
		"another is not");
	release(&w);
}

Test(pods, a_workload_says_its_topology_itself)
{
	struct world w;
	read_pods(&w,
		"kind: Workload\n"
		"spec:\n"
		"  priorityClassRef: { group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: low }\n"
		"  podSets:\n"
		"  - name: a\n"
		"    count: 6\n"
		"    minCount: 3\n"
		"    topologyRequest: { preferred: block, podSetSliceRequiredTopology: rack, podSetSliceSize: 2 }\n"
		"    template:\n"
		"      metadata: { annotations: { kueue.x-k8s.io/podset-required-topology: host } }\n"
		"      spec: { containers: [ { resources: { requests: { cpu: 1 } } } ] }\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	const struct sl_podset *podset = &w.pods.podset[0];
	cr_expect_str_eq(w.pods.priority_class, "low");
	cr_expect_eq(podset->count, 6);
	cr_expect_eq(podset->min_count, 3);
	cr_expect_null(podset->topology.required);
	cr_expect_str_eq(podset->topology.preferred, "block");
	cr_expect_eq(podset->topology.slice[0].size, 2);
	release(&w);
}

Test(pods, affinity_spread_and_claims)
{
	struct world w;
	read_pods(&w,
		"kind: Pod\n"
		"spec:\n"
		"  affinity:\n"
		"    nodeAffinity:\n"
		"      requiredDuringSchedulingIgnoredDuringExecution:\n"
		"        nodeSelectorTerms:\n"
		"        - matchExpressions: [ { key: zone, operator: In, values: [ z1, z2 ] } ]\n"
		"        - matchFields: [ { key: metadata.name, operator: In, values: [ n1 ] } ]\n"
		"      preferredDuringSchedulingIgnoredDuringExecution:\n"
		"      - weight: 7\n"
		"        preference: { matchExpressions: [ { key: ssd, operator: Exists } ] }\n"
		"    podAntiAffinity:\n"
		"      requiredDuringSchedulingIgnoredDuringExecution:\n"
		"      - topologyKey: host\n"
		"        labelSelector: { matchLabels: { app: x } }\n"
		"        namespaceSelector: {}\n"
		"  topologySpreadConstraints:\n"
		"  - { topologyKey: zone, maxSkew: 2, whenUnsatisfiable: ScheduleAnyway, labelSelector: { } }\n"
		"  resourceClaims: [ { name: gpus, resourceClaimTemplateName: two } ]\n"
		"  containers: [ ]\n");
	cr_assert_eq(w.status, SL_OK, "%s", w.err.text);
	const struct sl_podset *podset = &w.pods.podset[0];
	cr_assert_eq(podset->required_count, 2);
	cr_expect_eq(podset->required[0].expr[0].count, 2);
	cr_expect_eq(podset->required[1].count, 0);
	cr_assert_eq(podset->required[1].field_count, 1);
	cr_expect_str_eq(podset->required[1].field[0].value[0], "n1");
	cr_assert_eq(podset->preferred_count, 1);
	cr_expect_eq(podset->preferred[0].weight, 7);
	cr_assert_eq(podset->pod_affinity_count, 1);
	cr_expect(podset->pod_affinity[0].anti && !podset->pod_affinity[0].spaces.nothing &&
		  !podset->pod_affinity[0].weight);
	cr_assert_eq(podset->spread_count, 1);
	cr_expect_not(podset->spread[0].hard);
	cr_expect_eq(podset->spread[0].max_skew, 2);
	cr_expect_not(podset->spread[0].pods.nothing);
	cr_assert_eq(podset->claim_count, 1);
	cr_expect_str_eq(podset->claim[0].template, "two");
	release(&w);
}

Test(pods, what_is_wrong_is_said_at_its_place)
{
	static const struct {
		const char *yaml, *text;
	} cases[] = {
		{ "kind: Pod\nspec:\n  containers:\n  - resources: { requests: { cpu: -1 } }\n",
			"x.yaml:4:35: 'cpu' must be a quantity that is not negative, like 500m, 2 or 1.5Gi, not '-1'" },
		{ "kind: Job\nspec:\n  parallelism: many\n",
			"x.yaml:3:16: 'parallelism' must be a whole number from 0 to 10000000, not 'many'" },
		{ "kind: Deployment\n",
			"x.yaml:1:1: 'Deployment' has no pods that are read: give a Workload, Job, JobSet, "
			"LeaderWorkerSet or Pod" },
		{ "kind: LeaderWorkerSet\nspec:\n  leaderWorkerTemplate:\n    size: 6\n"
		  "    subGroupPolicy: { subGroupSize: 4 }\n",
			"x.yaml:5:21: sub-groups of 4 do not divide a group of 6 pods, with or without its leader: "
			"give another 'subGroupSize'" },
		{ "kind: Workload\nspec:\n  podSets:\n  - { count: 2, minCount: 3 }\n",
			"x.yaml:1:1: podset 'main' has a least count of 3, above its count 2" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct world w;
		read_pods(&w, cases[i].yaml);
		cr_expect_eq(w.status, SL_INPUT);
		cr_expect_str_eq(w.err.text, cases[i].text);
		release(&w);
	}
}

/* ---- Documents ------------------------------------------------------------------------------------ */

Test(pods, several_documents_are_a_list)
{
	static const char text[] = "a: 1\n---\n# nothing\n---\n- b\n";
	struct sl_doc doc = { .file = "x.yaml" };
	struct sl_err err = { 0 };
	cr_assert_eq(sl_doc_read_yamls(&doc, text, strlen(text), &err), SL_OK, "%s", err.text);
	cr_assert_eq(doc.node[0].kind, SL_DOC_LIST);
	cr_expect_eq(doc.node[0].count, 3);
	const struct sl_doc_node *first = sl_doc_child(&doc, &doc.node[0]);
	cr_expect_not_null(sl_doc_member(&doc, first, "a"));
	cr_expect_null(sl_doc_member(&doc, first, "b"));
	cr_expect_eq(sl_doc_next(&doc, first)->kind, SL_DOC_TEXT);
	sl_doc_release(&doc);
	struct sl_doc one = { .file = "x.yaml" };
	cr_expect_eq(sl_doc_read_yaml(&one, text, strlen(text), &err), SL_INPUT, "one is one");
	sl_doc_release(&one);
}

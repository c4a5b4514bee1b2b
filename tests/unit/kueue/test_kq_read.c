/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_read.c - Kueue's objects from manifests into the policy's state: fields of both versions, defaults,
 * mistakes by their words and places.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "policies/kueue/objects/kq_read.h"
#include "sim/base/base.h"
#include "traces/kube/manifests.h"

enum { OBJECTS_MAX = 8 };

struct manifests {
	struct sl_arena *arena;
	struct kq *kq;
	struct kq_read read;
	struct sl_doc doc[OBJECTS_MAX];
	struct sl_object object[OBJECTS_MAX];
	uint32_t count;
	int status;
};

static const char *member(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = map ? sl_doc_child(doc, map) : NULL;
	for (; node; node = sl_doc_next(doc, node))
		if (strcmp(doc->text + node->key, key) == 0)
			return doc->text + node->text;
	return "";
}

static const struct sl_doc_node *metadata(const struct sl_doc *doc)
{
	const struct sl_doc_node *node = sl_doc_child(doc, doc->node);
	while (node && strcmp(doc->text + node->key, "metadata") != 0)
		node = sl_doc_next(doc, node);
	return node;
}

/* One object a text; closed by NULL. */
static struct manifests *manifests_read(const char *const *text)
{
	struct sl_arena *arena = sl_arena_new();
	struct manifests *m = sl_alloc(arena, 1, sizeof(*m));
	struct sl_err err = { 0 };
	m->arena = arena;
	m->kq = kq_new(arena);
	for (; text[m->count]; m->count++) {
		struct sl_doc *doc = &m->doc[m->count];
		doc->file = "q.yaml";
		cr_assert_eq(sl_doc_read_yaml(doc, text[m->count], strlen(text[m->count]), &err), SL_OK, "%s",
			err.text);
		m->object[m->count] = (struct sl_object){ .kind = member(doc, doc->node, "kind"),
			.version = member(doc, doc->node, "apiVersion"),
			.namespace = member(doc, metadata(doc), "namespace"),
			.name = member(doc, metadata(doc), "name"),
			.doc = doc,
			.node = doc->node };
	}
	m->status = kq_read(&m->read, m->kq, m->object, m->count);
	return m;
}

static void manifests_free(struct manifests *m)
{
	struct sl_arena *arena = m->arena;
	for (uint32_t i = 0; i < m->count; i++)
		sl_doc_release(&m->doc[i]);
	kq_free(m->kq);
	sl_arena_free(arena);
}

#define FLAVOR        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
#define QUEUE         "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
#define CONFIGURATION "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
#define GROUP(limits)                                                                   \
	"  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n    - name: f\n" \
	"      resources:\n      - {name: cpu, nominalQuota: 2500m" limits "}\n"

/* What is not said is as the API has it. */
Test(kq_read, defaults)
{
	static const char *const text[] = { QUEUE "spec:\n" GROUP(""), NULL };
	struct manifests *m = manifests_read(text);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	const struct kq_node *queue = &m->kq->node[kq_find_queue(m->kq, "q")];
	cr_expect(queue->exists && !queue->parent_name && queue->namespaces.nothing);
	cr_expect_eq(queue->strategy, KQ_BEST_EFFORT_FIFO);
	cr_expect(!queue->borrow_next && queue->preempt_next);
	cr_expect(queue->within == KQ_NEVER && queue->reclaim == KQ_NEVER && queue->reclaim_unset);
	cr_expect_eq(queue->stop, KQ_STOP_NONE);
	cr_assert_eq(queue->group_count, 1);
	cr_expect_eq(queue->group[0].flavor[0].quota[0].nominal, 2500);
	cr_expect_eq(queue->group[0].flavor[0].quota[0].borrowing, KQ_NO_LIMIT);
	cr_expect(!m->kq->flavor[queue->group[0].flavor[0].flavor].exists, "it is only named");
	manifests_free(m);
}

/* v1beta2's spellings, and v1beta1's. */
Test(kq_read, both_versions)
{
	static const char *const text[] = { QUEUE
		"spec:\n  cohortName: c\n  queueingStrategy: StrictFIFO\n"
		"  namespaceSelector: {matchLabels: {team: a}}\n"
		"  stopPolicy: Hold\n  fairSharing: {weight: 500m}\n"
		"  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: MayStopSearch}\n"
		"  preemption:\n    withinClusterQueue: LowerOrNewerEqualPriority\n"
		"    reclaimWithinCohort: LowerPriority\n"
		"    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 7}\n" GROUP(
			", borrowingLimit: 1, lendingLimit: 500m"),
		"apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: old}\n"
		"spec:\n  cohort: c\n  namespaceSelector: {}\n  admissionChecks: [ok]\n"
		"  flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: Preempt}\n"
		"  preemption: {reclaimWithinCohort: Any}\n" GROUP(""),
		FLAVOR "spec:\n  nodeLabels: {zone: x, arch: arm}\n"
		       "  nodeTaints: [{key: k, value: v, effect: NoSchedule}]\n  topologyName: none\n",
		"apiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\nmetadata: {name: c}\nspec: {parent: root}\n",
		NULL };
	struct manifests *m = manifests_read(text);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	const struct kq_node *queue = &m->kq->node[kq_find_queue(m->kq, "q")];
	cr_expect_str_eq(queue->parent_name, "c");
	cr_expect(queue->strategy == KQ_STRICT_FIFO && queue->stop == KQ_HOLD && queue->weight == 0.5);
	cr_expect(queue->borrow_next && !queue->preempt_next);
	cr_expect(queue->within == KQ_LOWER_OR_NEWER_EQUAL && queue->reclaim == KQ_LOWER_PRIORITY);
	cr_expect(queue->borrow_within == KQ_LOWER_PRIORITY && queue->has_threshold && queue->threshold == 7);
	cr_expect(!queue->namespaces.nothing && queue->namespaces.labels.count == 1);
	cr_expect_eq(queue->group[0].flavor[0].quota[0].borrowing, 1000);
	cr_expect_eq(queue->group[0].flavor[0].quota[0].lending, 500);
	const struct kq_node *old = &m->kq->node[kq_find_queue(m->kq, "old")];
	cr_expect_str_eq(old->parent_name, "c");
	cr_expect(!old->borrow_next && !old->preempt_next && old->reclaim == KQ_ANY && !old->reclaim_unset);
	cr_assert_eq(old->check_count, 1);
	cr_expect(old->check[0].all_flavors && !m->kq->check[old->check[0].check].exists);
	const struct kq_flavor *flavor = &m->kq->flavor[kq_flavor(m->kq, "f")];
	cr_expect(flavor->exists && flavor->topology_missing);
	cr_expect_str_eq(flavor->labels.at[0].key, "arch");
	cr_expect_eq(flavor->taints.at[0].effect, SL_NO_SCHEDULE);
	cr_expect_str_eq(m->kq->node[kq_cohort(m->kq, "c")].parent_name, "root");
	manifests_free(m);
}

#define INCREMENTAL "kueue.x-k8s.io/multikueue-dispatcher-incremental"

Test(kq_read, multikueue)
{
	static const char *const text[] = { QUEUE,
		CONFIGURATION "multiKueue: {dispatcherName: " INCREMENTAL
			      ", workerLostTimeout: 5m, incrementalDispatcherConfig: {stepSize: 1}}\n",
		NULL };
	struct manifests *m = manifests_read(text);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	const struct kq_config *config = &m->kq->config;
	cr_expect(config->dispatch == KQ_INCREMENTAL && config->dispatch_step == 1);
	cr_expect_eq(config->worker_lost, 300 * SL_SECOND);
	manifests_free(m);
	static const char *const off[] = { QUEUE,
		CONFIGURATION "featureGates: {MultiKueueIncrementalDispatcherConfig: false}\n"
			      "multiKueue: {dispatcherName: " INCREMENTAL
			      ", incrementalDispatcherConfig: {stepSize: 1}}\n",
		NULL };
	m = manifests_read(off);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	cr_expect_eq(m->kq->config.dispatch_step, 3, "as before v0.19");
	manifests_free(m);
}

/* A later version's defaults are others: waitForPodsReady is on unless it is v1beta1's. */
Test(kq_read, configuration)
{
	static const char *const text[] = { QUEUE,
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
		"admissionFairSharing: {usageHalfLifeTime: 1h30m, resourceWeights: {cpu: 2}}\n"
		"waitForPodsReady: {timeout: 90s, requeuingStrategy: {timestamp: Creation, backoffLimitCount: 2}}\n"
		"featureGates: {PriorityBoost: true, LocalQueueMetrics: true}\n"
		"resources: {excludeResourcePrefixes: [x.io/], quotaCheckStrategy: IgnoreUndeclared}\n",
		NULL };
	struct manifests *m = manifests_read(text);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	const struct kq_config *config = &m->kq->config;
	cr_expect(config->fair_sharing && config->fair_count == 1 && config->fair[0] == KQ_LESS_INITIAL);
	cr_expect(config->afs && config->afs_half_life == 5400 * SL_SECOND && config->afs_weight_count == 1);
	cr_expect(config->wait_ready && config->ready_timeout == 90 * SL_SECOND && config->by_creation);
	cr_expect(config->recovery_timeout == 90 * SL_SECOND && config->backoff_limit == 2);
	cr_expect(config->gate[KQ_GATE_PriorityBoost] && m->read.transforms.exclude_count == 1);
	cr_expect(m->kq->node[kq_find_queue(m->kq, "q")].ignore_undeclared);
	manifests_free(m);
	static const char *const older[] = { QUEUE,
		"apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nwaitForPodsReady: {timeout: 1m}\n"
		"fairSharing: {enable: true}\n",
		NULL };
	m = manifests_read(older);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	cr_expect(!m->kq->config.wait_ready && m->kq->config.fair_sharing);
	manifests_free(m);
}

/* Nodes as they are; what others' pods take of them, one pod each. */
Test(kq_read, nodes_and_pods)
{
	static const char *const text[] = { QUEUE,
		"apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {rack: r1}}\n"
		"spec: {unschedulable: true}\n"
		"status: {allocatable: {cpu: 1500m, memory: 1Ki}, conditions: [{type: Ready, status: \"False\"}]}\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: n1\n"
		"  containers: [{resources: {requests: {cpu: 100m}}}, {resources: {requests: {cpu: 200m}}}]\n"
		"  initContainers: [{resources: {requests: {cpu: 250m}}}]\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: over}\nspec: {nodeName: n1}\nstatus: {phase: Succeeded}\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: ours, labels: {kueue.x-k8s.io/managed: \"true\"}}\n"
		"spec: {nodeName: n1}\n",
		NULL };
	struct manifests *m = manifests_read(text);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	const struct kq_host *host = &m->kq->host[kq_find_host(m->kq, "n1")];
	cr_expect(host->unschedulable && !host->ready);
	cr_expect_eq(kq_amount_of(&host->allocatable, KQ_CPU), 1500);
	cr_expect_eq(kq_amount_of(&host->allocatable, KQ_MEMORY), 1024);
	cr_assert_not_null(host->foreign);
	cr_expect_eq(
		host->foreign[KQ_CPU], 300, "the sum of containers, as it is above the init container's");
	cr_expect_eq(host->foreign[KQ_PODS], 1);
	manifests_free(m);
}

#define SELECTOR "deviceSelector: {cel: {expression: 'true'}}"
#define MAPPING(source)                                                                \
	"resources:\n  deviceClassMappings:\n  - {name: gpus, deviceClassNames: [g], " \
	"sources: [{" source "}]}\n"
#define SECOND(counter)                                                               \
	"  - {name: more, deviceClassNames: [g], sources: [{counter: {name: " counter \
	", driver: d, " SELECTOR "}}]}\n"

/* A class may be of two resources, by counters of different names. */
Test(kq_read, sources_of_a_class)
{
	static const char *const text[] = { QUEUE,
		CONFIGURATION MAPPING("counter: {name: m, driver: d, " SELECTOR "}") SECOND("n"), NULL };
	struct manifests *m = manifests_read(text);
	cr_assert_eq(m->status, SL_OK, "%s", m->kq->err.text);
	cr_assert_eq(m->read.mapping_count, 2);
	const struct kq_source *source = m->read.mapping[1].source;
	cr_expect_str_eq(source->name, "n");
	cr_expect_str_eq(source->driver, "d");
	cr_expect_str_eq(source->expression, "true");
	cr_expect_not(source->capacity);
	manifests_free(m);
}

/* Each mistake at its place, with what to do. */
Test(kq_read, mistakes)
{
	static const struct {
		const char *text[4], *want;
	} cases[] = {
		{ { FLAVOR }, "the cluster has no ClusterQueue" },
		{ { QUEUE "spec: {queueingStrategy: Fifo}\n" },
			"q.yaml:4:26: 'Fifo' is none of BestEffortFIFO, StrictFIFO" },
		{ { QUEUE "spec:\n" GROUP(", borrowingLimit: 1") },
			"has a borrowingLimit for 'cpu', and no cohort" },
		{ { QUEUE "spec:\n  resourceGroups:\n  - coveredResources: [memory]\n    flavors:\n    - name: f\n"
			  "      resources: [{name: cpu, nominalQuota: 1}]\n" },
			"'q' has a quota of 'cpu', which is not among its coveredResources" },
		{ { QUEUE "spec:\n  resourceGroups:\n  - {coveredResources: [cpu], flavors: []}\n"
			  "  - {coveredResources: [cpu], flavors: []}\n" },
			"'q' covers 'cpu' twice" },
		{ { QUEUE, QUEUE }, "the ClusterQueue 'q' is there twice" },
		{ { FLAVOR, FLAVOR }, "the ResourceFlavor 'f' is there twice" },
		{ { QUEUE "spec:\n" GROUP(", lendingLimit: -1") }, "'-1' is not a quantity of 'cpu'" },
		{ { QUEUE "spec: {preemption: {borrowWithinCohort: {policy: LowerPriority}}}\n" },
			"borrowWithinCohort preempts while reclaimWithinCohort is Never" },
		{ { QUEUE, CONFIGURATION "waitForPodsReady: {timeout: 5}\n" },
			"'5' is not a duration: write one as 90s, 5m or 1h30m" },
		{ { QUEUE, CONFIGURATION "multiKueue: {incrementalDispatcherConfig: {stepSize: 2}}\n" },
			"a step is of the incremental dispatcher" },
		{ { QUEUE, CONFIGURATION "multiKueue: {dispatcherName: " INCREMENTAL
					 ", incrementalDispatcherConfig: {stepSize: 0}}\n" },
			"'0' is not a whole number from 1 to 2147483647" },
		{ { QUEUE, CONFIGURATION "featureGates: {LendingLimit: false}\n" },
			"LendingLimit: false is not followed, as Kueue v0.20 always has it" },
		{ { QUEUE, CONFIGURATION "featureGates: {DynamicQuotaOrchestration: true}\n" },
			"DynamicQuotaOrchestration: true is not followed, as quotas of the status" },
		{ { QUEUE, CONFIGURATION
			  "featureGates: {KueueDRAIntegrationPartitionableDevices: false}\n" MAPPING(
				  "counter: {name: m, driver: d, " SELECTOR "}") },
			"counters of devices are not charged with KueueDRAIntegrationPartitionableDevices off" },
		{ { QUEUE, CONFIGURATION MAPPING("capacity: {name: m, driver: d, " SELECTOR "}") },
			"capacities of devices are not charged with KueueDRAIntegrationConsumableCapacity off" },
		{ { QUEUE, CONFIGURATION MAPPING("counter: {name: m}, capacity: {name: m}") },
			"a source is either a counter or a capacity" },
		{ { QUEUE, CONFIGURATION MAPPING("") }, "a source is either a counter or a capacity" },
		{ { QUEUE, CONFIGURATION
			  "featureGates: {KueueDRAIntegrationConsumableCapacity: true}\n" MAPPING(
				  "counter: {name: m, driver: d, " SELECTOR
				  "}}, {capacity: {name: m, driver: d, " SELECTOR "}") },
			"counters and capacities are not of one mapping" },
		{ { QUEUE, CONFIGURATION MAPPING("counter: {driver: d, " SELECTOR "}") },
			"'name' is missing" },
		{ { QUEUE, CONFIGURATION MAPPING("counter: {name: m, " SELECTOR "}") },
			"'driver' is missing" },
		{ { QUEUE, CONFIGURATION MAPPING("counter: {name: m, driver: d}") },
			"'deviceSelector.cel.expression' is missing" },
		{ { QUEUE, CONFIGURATION
			  "resources:\n  deviceClassMappings:\n  - {name: gpus, deviceClassNames: [g]}\n"
			  "  - {name: more, deviceClassNames: [h, g]}\n" },
			"DeviceClass g is of gpus already" },
		{ { QUEUE, CONFIGURATION MAPPING("counter: {name: m, driver: d, " SELECTOR "}") SECOND("m") },
			"DeviceClass g is of gpus already" },
		{ { QUEUE, CONFIGURATION
			  "resources: {deviceClassMappings: [{name: pods, deviceClassNames: [g]}]}\n" },
			"pods is counted by itself: give devices another name" },
		{ { QUEUE, CONFIGURATION
			  "resources: {transformations: [{input: cpu, outputs: {pods: 1}}]}\n" },
			"pods is counted by itself: give what is made of cpu another name" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct manifests *m = manifests_read(cases[i].text);
		cr_expect_eq(m->status, SL_INPUT, "case %zu", i);
		cr_expect(strstr(m->kq->err.text, cases[i].want), "case %zu: %s", i, m->kq->err.text);
		manifests_free(m);
	}
}

/* The reader and the scheduler know the same feature gates. */
Test(kq_read, gates_are_known_where_files_are_read)
{
	static const char *const decide[] = {
#define KQ_GATE_ENTRY(name, on) #name,
		KQ_GATES(KQ_GATE_ENTRY)
#undef KQ_GATE_ENTRY
	};
	const char *similar;
	bool known;
	for (size_t i = 0; i < SL_LEN(decide); i++)
		cr_expect(kube_gate_known(decide[i], &similar), "%s", decide[i]);
	cr_expect(kube_gate_known("MultiKueue", &similar));
	(void)kq_gate_similar("MultiKueue", &known);
	cr_expect(known);
	cr_expect_not(kube_gate_known("PartialAdmision", &similar));
	cr_expect_str_eq(similar, "PartialAdmission");
}

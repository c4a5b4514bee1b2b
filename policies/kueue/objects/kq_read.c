/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read.c - the cluster's objects into struct kq, kind by kind: the configuration first, pods last.
 */
#include "policies/kueue/objects/kq_read.h"

#include <string.h>

static void read_flavor(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const uint32_t row = kq_flavor(kq, object->name);
	if (kq->err.status)
		return;
	if (kq->flavor[row].exists) {
		(void)sl_at_fail(at, "the ResourceFlavor '%s' is there twice: leave one out", object->name);
		return;
	}
	const char *topology = kq_doc_text(sl_at_get(at, "spec.topologyName"));
	const uint32_t topology_row = topology ? kq_topology(kq, topology) : KQ_NO;
	struct kq_flavor *flavor = &kq->flavor[row];
	flavor->labels = kq_doc_labels(sl_at_get(at, "spec.nodeLabels"));
	flavor->taints = kq_doc_taints(sl_at_get(at, "spec.nodeTaints"));
	flavor->tolerations = kq_doc_tolerations(sl_at_get(at, "spec.tolerations"));
	flavor->topology = topology_row;
	flavor->exists = true;
}

static void read_topology(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const uint32_t row = kq_topology(kq, object->name);
	if (kq->err.status)
		return;
	struct kq_topology *topology = &kq->topology[row];
	if (topology->exists) {
		(void)sl_at_fail(at, "the Topology '%s' is there twice: leave one out", object->name);
		return;
	}
	topology->exists = true;
	SL_AT_EACH (level, sl_at_get(at, "spec.levels")) {
		if (topology->level_count == KQ_LEVELS_MAX) {
			(void)sl_at_fail(level, "more than %d levels", KQ_LEVELS_MAX);
			return;
		}
		topology->level[topology->level_count++] = kq_doc_name(level, "nodeLabel");
	}
	if (!topology->level_count)
		(void)sl_at_fail(at,
			"the Topology '%s' has no spec.levels: name the labels of nodes, coarse to fine",
			object->name);
}

static const char *const stop_policies[] = { "None", "Hold", "HoldAndDrain", NULL };

static void read_local_queue(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const char *namespace = *object->namespace ? object->namespace : "default";
	const uint32_t row = kq_local_queue(kq, namespace, object->name);
	if (kq->err.status)
		return;
	struct kq_local_queue *local = &kq->local[row];
	if (local->exists) {
		(void)sl_at_fail(
			at, "the LocalQueue '%s/%s' is there twice: leave one out", namespace, object->name);
		return;
	}
	local->exists = true;
	local->queue_name = kq_doc_name(at, "spec.clusterQueue");
	local->stop = (enum kq_stop)sl_at_word(sl_at_get(at, "spec.stopPolicy"), stop_policies, KQ_STOP_NONE);
	local->weight = kq_doc_weight(sl_at_get(at, "spec.fairSharing.weight"), 1);
}

static void read_check(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const uint32_t row = kq_check(kq, object->name);
	if (kq->err.status)
		return;
	const char *controller = kq_doc_name(at, "spec.controllerName");
	struct kq_check *check = &kq->check[row];
	check->exists = check->active = true;
	check->parameters = kq_doc_text(sl_at_get(at, "spec.parameters.name"));
	if (strcmp(controller, "kueue.x-k8s.io/provisioning-request") == 0)
		check->kind = KQ_CHECK_PROVISIONING;
	else if (strcmp(controller, "kueue.x-k8s.io/multikueue") == 0)
		check->kind = KQ_CHECK_MULTIKUEUE;
	struct sl_at cond = sl_at_first(sl_at_get(at, "status.conditions"));
	for (; cond.node; cond = sl_at_next(cond)) {
		const char *type = kq_doc_text(sl_at_get(cond, "type"));
		const char *status = kq_doc_text(sl_at_get(cond, "status"));
		if (type && status && strcmp(type, "Active") == 0)
			check->active = strcmp(status, "True") == 0;
	}
}

static void read_retry(struct kq_read *read, const struct sl_object *object)
{
	const struct sl_at at = sl_at_get(kq_doc_of(read->kq, object), "spec.retryStrategy");
	const struct sl_at spec = sl_at_get(kq_doc_of(read->kq, object), "spec");
	struct kq_retry *retry = &read->retry[read->retry_count++];
	const char *once = kq_doc_text(sl_at_get(spec, "parameters.noRetry"));
	retry->class = kq_doc_text(sl_at_get(spec, "provisioningClassName"));
	retry->once = once && strcmp(once, "true") == 0;
	retry->name = kq_text(read->kq, object->name);
	retry->limit = sl_at_int(sl_at_get(at, "backoffLimitCount"), 3, 0, INT32_MAX);
	retry->base = sl_at_int(sl_at_get(at, "backoffBaseSeconds"), 60, 0, INT32_MAX) * SL_SECOND;
	retry->max = sl_at_int(sl_at_get(at, "backoffMaxSeconds"), 1800, 0, INT32_MAX) * SL_SECOND;
}

static void read_namespace(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const uint32_t row = kq_namespace(kq, object->name);
	const struct sl_labels labels = kq_doc_labels(sl_at_get(kq_doc_of(kq, object), "metadata.labels"));
	if (!kq->err.status)
		kq->namespace[row].labels = labels;
}

/* WorkloadPriorityClass has its value on top, PriorityClass too. */
static void read_class(struct kq_read *read, const struct sl_object *object)
{
	const bool of_pods = strcmp(object->kind, "PriorityClass") == 0;
	const struct sl_at at = kq_doc_of(read->kq, object);
	struct kq_class *class = &read->class[read->class_count++];
	class->name = kq_text(read->kq, object->name);
	class->value = sl_at_int(sl_at_get(at, "value"), 0, INT32_MIN, INT32_MAX);
	class->of_pods = of_pods;
	class->is_default = of_pods && sl_at_bool(sl_at_get(at, "globalDefault"), false);
}

/* Objects that others look at come before them. */
static const struct {
	const char *kind, *group; /* group: how the version begins. */
	void (*read)(struct kq_read *read, const struct sl_object *object);
} kinds[] = {
	{ "Configuration", "config.kueue.x-k8s.io/", kq_read_config },
	{ "Namespace", "v1", read_namespace },
	{ "WorkloadPriorityClass", "kueue.x-k8s.io/", read_class },
	{ "PriorityClass", "scheduling.k8s.io/", read_class },
	{ "Topology", "kueue.x-k8s.io/", read_topology },
	{ "ResourceFlavor", "kueue.x-k8s.io/", read_flavor },
	{ "ProvisioningRequestConfig", "kueue.x-k8s.io/", read_retry },
	{ "AdmissionCheck", "kueue.x-k8s.io/", read_check },
	{ "Cohort", "kueue.x-k8s.io/", kq_read_cohort },
	{ "ClusterQueue", "kueue.x-k8s.io/", kq_read_cluster_queue },
	{ "LocalQueue", "kueue.x-k8s.io/", read_local_queue },
	{ "Node", "v1", kq_read_node },
	{ "Pod", "v1", kq_read_pod },
};

/* Queues and flavors by name: those of LocalQueues, and topologies that are only named. */
static void link_names(struct kq *kq)
{
	for (uint32_t i = 0; i < kq->local_count; i++)
		kq->local[i].queue = kq_find_queue(kq, kq->local[i].queue_name);
	for (uint32_t i = 0; i < kq->flavor_count; i++) {
		const uint32_t topology = kq->flavor[i].topology;
		kq->flavor[i].topology_missing = topology != KQ_NO && !kq->topology[topology].exists;
	}
}

int kq_read(struct kq_read *read, struct kq *kq, const struct sl_object *object, uint32_t count)
{
	*read = (struct kq_read){ .kq = kq, .object = object, .object_count = count };
	kq->config.wait_ready = true; /* Where no Configuration says otherwise: 30 minutes, as in Kueue. */
	read->class = kq_alloc(kq, (size_t)count + 1, sizeof(*read->class));
	read->retry = kq_alloc(kq, (size_t)count + 1, sizeof(*read->retry));
	for (size_t k = 0; k < SL_LEN(kinds); k++)
		for (uint32_t i = 0; i < count && !kq->err.status; i++)
			if (strcmp(object[i].kind, kinds[k].kind) == 0 &&
				strncmp(object[i].version, kinds[k].group, strlen(kinds[k].group)) == 0)
				kinds[k].read(read, &object[i]);
	if (kq->err.status)
		return kq->err.status;
	for (uint32_t i = 0; i < kq->node_count; i++)
		if (kq->node[i].is_queue && read->ignore_undeclared)
			kq->node[i].ignore_undeclared = true;
	for (uint32_t i = 0; i < kq->check_count && !kq->config.gate[KQ_GATE_MultiKueue]; i++)
		if (kq->check[i].kind == KQ_CHECK_MULTIKUEUE) /* Nobody is there to say that it is active. */
			kq->check[i].active = false;
	link_names(kq);
	if (!read->queues)
		return kq_fail(kq, SL_INPUT,
			"policy 'kueue': the cluster has no ClusterQueue: give -c a Kubernetes manifest with "
			"ResourceFlavor, ClusterQueue and LocalQueue objects (see schedlab-kueue(7) for one to begin "
			"with)");
	return SL_OK;
}

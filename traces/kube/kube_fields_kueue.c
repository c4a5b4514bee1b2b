/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields_kueue.c - fields of Kueue's objects and what becomes of each.
 *
 * https://kueue.sigs.k8s.io/docs/reference/kueue.v1beta2/ and .../kueue.v1beta1/, whose spellings are read
 * too; https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/.
 */
#include "traces/kube/kube_fields.h"

static const struct kube_field flavor[] = {
	{ "spec.nodeLabels.*", SL_MODELLED, NULL },
	{ "spec.nodeTaints.*", SL_MODELLED, NULL },
	{ "spec.tolerations.*", SL_MODELLED, NULL },
	{ "spec.topologyName", SL_MODELLED, NULL },
};

static const struct kube_field cluster_queue[] = {
	{ "spec.resourceGroups.coveredResources", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.name", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.name", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.nominalQuota", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.borrowingLimit", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.lendingLimit", SL_MODELLED, NULL },
	{ "spec.cohortName", SL_MODELLED, NULL },
	{ "spec.cohort", SL_MODELLED, "as v1beta1 spells cohortName" },
	{ "spec.queueingStrategy", SL_MODELLED, NULL },
	{ "spec.namespaceSelector.*", SL_MODELLED, NULL },
	{ "spec.namespaceSelector", SL_MODELLED, NULL },
	{ "spec.flavorFungibility.whenCanBorrow", SL_MODELLED, NULL },
	{ "spec.flavorFungibility.whenCanPreempt", SL_MODELLED, NULL },
	{ "spec.flavorFungibility.preference", SL_MODELLED, NULL },
	{ "spec.preemption.withinClusterQueue", SL_MODELLED, NULL },
	{ "spec.preemption.reclaimWithinCohort", SL_MODELLED, NULL },
	{ "spec.preemption.borrowWithinCohort.policy", SL_MODELLED, NULL },
	{ "spec.preemption.borrowWithinCohort.maxPriorityThreshold", SL_MODELLED, NULL },
	{ "spec.stopPolicy", SL_MODELLED, NULL },
	{ "spec.fairSharing.weight", SL_MODELLED, NULL },
	{ "spec.admissionScope.admissionMode", SL_MODELLED, NULL },
	{ "spec.admissionChecks", SL_MODELLED, "as v1beta1 lists them, for all flavors" },
	{ "spec.admissionChecksStrategy.admissionChecks.name", SL_MODELLED, NULL },
	{ "spec.admissionChecksStrategy.admissionChecks.onFlavors", SL_MODELLED, NULL },
	{ "spec.admissionChecksStrategy.name", SL_MODELLED, NULL },
	{ "spec.admissionChecksStrategy.onFlavors", SL_MODELLED, NULL },
	{ "spec.concurrentAdmissionPolicy.*", SL_MODELLED, NULL },
	{ "spec.quotaCheckStrategy", SL_MODELLED, NULL },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field cohort[] = {
	{ "spec.resourceGroups.coveredResources", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.name", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.name", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.nominalQuota", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.borrowingLimit", SL_MODELLED, NULL },
	{ "spec.resourceGroups.flavors.resources.lendingLimit", SL_MODELLED, NULL },
	{ "spec.parentName", SL_MODELLED, NULL },
	{ "spec.parent", SL_MODELLED, "as v1alpha1 spells parentName" },
	{ "spec.fairSharing.weight", SL_MODELLED, NULL },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field local_queue[] = {
	{ "spec.clusterQueue", SL_MODELLED, NULL },
	{ "spec.stopPolicy", SL_MODELLED, NULL },
	{ "spec.fairSharing.weight", SL_MODELLED, NULL },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field workload_class[] = {
	{ "value", SL_MODELLED, NULL },
	{ "description", SL_IGNORED, "does not move a start" },
};

static const struct kube_field topology[] = {
	{ "spec.levels.nodeLabel", SL_MODELLED, NULL },
};

static const struct kube_field admission_check[] = {
	{ "spec.controllerName", SL_MODELLED, NULL },
	{ "spec.parameters.apiGroup", SL_IGNORED, "the controller says whose parameters they are" },
	{ "spec.parameters.kind", SL_IGNORED, "the controller says whose parameters they are" },
	{ "spec.parameters.name", SL_MODELLED, NULL },
	{ "spec.retryDelayMinutes", SL_APPROXIMATED,
		"as of v1beta1: a check's controller says when to try again" },
	{ "status.conditions.*", SL_APPROXIMATED,
		"Active, if not True, makes its queues inactive; else it is" },
	{ "status.*", SL_IGNORED, "does not move a start" },
};

static const struct kube_field provisioning[] = {
	{ "spec.provisioningClassName", SL_APPROXIMATED,
		"check-capacity and best-effort-atomic-scale-up with autoscale; another is the model's" },
	{ "spec.parameters.noRetry", SL_APPROXIMATED, "of check-capacity, with autoscale" },
	{ "spec.parameters.*", SL_IGNORED, "the autoscaler's own" },
	{ "spec.managedResources", SL_IGNORED, "the check is of all resources" },
	{ "spec.retryStrategy.backoffLimitCount", SL_MODELLED, NULL },
	{ "spec.retryStrategy.backoffBaseSeconds", SL_MODELLED, NULL },
	{ "spec.retryStrategy.backoffMaxSeconds", SL_MODELLED, NULL },
	{ "spec.podSetUpdates.*", SL_IGNORED, "does not move a start" },
	{ "spec.podSetMergePolicy", SL_IGNORED, "does not move a start" },
};

static const struct kube_field multikueue[] = {
	{ "spec.clusters", SL_IGNORED, "jobs stay in this cluster: MultiKueue's check is ready at once" },
};

static const struct kube_field multikueue_cluster[] = {
	{ "spec.kubeConfig.*", SL_IGNORED, "jobs stay in this cluster: nothing is connected" },
	{ "spec.clusterSource.*", SL_IGNORED, "jobs stay in this cluster: nothing is connected" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field workload[] = {
	{ "spec.queueName", SL_MODELLED, NULL },
	{ "spec.priority", SL_MODELLED, NULL },
	{ "spec.priorityClassName", SL_MODELLED, NULL },
	{ "spec.priorityClassSource", SL_APPROXIMATED, "the name is that of a WorkloadPriorityClass" },
	{ "spec.priorityClassRef.group", SL_APPROXIMATED, "the name is that of a WorkloadPriorityClass" },
	{ "spec.priorityClassRef.kind", SL_APPROXIMATED, "the name is that of a WorkloadPriorityClass" },
	{ "spec.priorityClassRef.name", SL_MODELLED, NULL },
	{ "spec.active", SL_MODELLED, NULL },
	{ "spec.maximumExecutionTimeSeconds", SL_MODELLED, NULL },
	{ "spec.preemptionGates.*", SL_IGNORED, "gates count as open: it preempts as others do" },
	{ "spec.podSets.name", SL_MODELLED, NULL },
	{ "spec.podSets.count", SL_MODELLED, NULL },
	{ "spec.podSets.minCount", SL_MODELLED, NULL },
	{ "spec.podSets.topologyRequest.*", SL_MODELLED, NULL },
	{ "spec.podSets.template.@pod", SL_MODELLED, NULL },
	{ "status.conditions.*", SL_APPROXIMATED, "Admitted and Finished say when it ran" },
	{ "status.admission.*", SL_APPROXIMATED,
		"of one with the annotation schedlab/admitted; else decided anew" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field configuration[] = {
	{ "featureGates.*", SL_MODELLED, NULL },
	{ "fairSharing.*", SL_MODELLED, NULL },
	{ "admissionFairSharing.*", SL_MODELLED, NULL },
	{ "waitForPodsReady.*", SL_MODELLED, NULL },
	{ "resources.*", SL_MODELLED, NULL },
	{ "manageJobsWithoutQueueName", SL_APPROXIMATED, "jobs without a queue are the policy's to treat" },
	{ "managedJobsNamespaceSelector.*", SL_IGNORED, "all jobs of a trace are managed" },
	{ "clientConnection.qps", SL_IGNORED, "give the parameter qps of policy kueue, with latency=api" },
	{ "clientConnection.burst", SL_IGNORED,
		"give the parameter burst of policy kueue, with latency=api" },
	{ "multiKueue.dispatcherName", SL_MODELLED, "of worker clusters" },
	{ "multiKueue.incrementalDispatcherConfig.stepSize", SL_MODELLED, NULL },
	{ "multiKueue.workerLostTimeout", SL_MODELLED, NULL },
	{ "multiKueue.*", SL_IGNORED, "does not move a start" },
	{ "integrations.*", SL_IGNORED, "jobs of all kinds that are read are managed" },
	{ "objectRetentionPolicies.*", SL_IGNORED, "does not move a start" },
	{ "namespace", SL_IGNORED, "does not move a start" },
	{ "metrics.*", SL_IGNORED, "does not move a start" },
	{ "health.*", SL_IGNORED, "does not move a start" },
	{ "webhook.*", SL_IGNORED, "does not move a start" },
	{ "leaderElection.*", SL_IGNORED, "does not move a start" },
	{ "controller.*", SL_IGNORED, "does not move a start" },
	{ "pprofBindAddress", SL_IGNORED, "does not move a start" },
	{ "internalCertManagement.*", SL_IGNORED, "does not move a start" },
	{ "queueVisibility.*", SL_IGNORED, "does not move a start" },
	{ "tls.*", SL_IGNORED, "does not move a start" },
};

static const struct kube_field leader_worker_set[] = {
	{ "spec.replicas", SL_MODELLED, NULL },
	{ "spec.leaderWorkerTemplate.size", SL_MODELLED, NULL },
	{ "spec.leaderWorkerTemplate.leaderTemplate.@pod", SL_MODELLED, NULL },
	{ "spec.leaderWorkerTemplate.workerTemplate.@pod", SL_MODELLED, NULL },
	{ "spec.leaderWorkerTemplate.restartPolicy", SL_MODELLED, NULL },
	{ "spec.leaderWorkerTemplate.subGroupPolicy.*", SL_MODELLED, NULL },
	{ "spec.startupPolicy", SL_APPROXIMATED,
		"all pods of a group have nodes before it starts; LeaderReady delays that it is ready" },
	{ "spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge", SL_IGNORED,
		"there are no groups beyond the replicas" },
	{ "spec.rolloutStrategy.*", SL_APPROXIMATED, "a rollout is an operator's command to policy kube" },
	{ "spec.networkConfig.*", SL_IGNORED, "does not move a start" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

const struct kube_kind kube_kueue_kinds[] = {
	{ "ResourceFlavor", "kueue.x-k8s.io", flavor, SL_LEN(flavor) },
	{ "ClusterQueue", "kueue.x-k8s.io", cluster_queue, SL_LEN(cluster_queue) },
	{ "Cohort", "kueue.x-k8s.io", cohort, SL_LEN(cohort) },
	{ "LocalQueue", "kueue.x-k8s.io", local_queue, SL_LEN(local_queue) },
	{ "WorkloadPriorityClass", "kueue.x-k8s.io", workload_class, SL_LEN(workload_class) },
	{ "Topology", "kueue.x-k8s.io", topology, SL_LEN(topology) },
	{ "AdmissionCheck", "kueue.x-k8s.io", admission_check, SL_LEN(admission_check) },
	{ "ProvisioningRequestConfig", "kueue.x-k8s.io", provisioning, SL_LEN(provisioning) },
	{ "MultiKueueConfig", "kueue.x-k8s.io", multikueue, SL_LEN(multikueue) },
	{ "MultiKueueCluster", "kueue.x-k8s.io", multikueue_cluster, SL_LEN(multikueue_cluster) },
	{ "Workload", "kueue.x-k8s.io", workload, SL_LEN(workload) },
	{ "Configuration", "config.kueue.x-k8s.io", configuration, SL_LEN(configuration) },
	{ "LeaderWorkerSet", "leaderworkerset.x-k8s.io", leader_worker_set, SL_LEN(leader_worker_set) },
};
const size_t kube_kueue_count = SL_LEN(kube_kueue_kinds);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields_core.c - fields of Kubernetes' objects and what becomes of each.
 *
 * https://kubernetes.io/docs/reference/kubernetes-api/; https://jobset.sigs.k8s.io/docs/reference/.
 */
#include "traces/kube/kube_fields.h"

/* Of a pod and of every pod template. */
const struct kube_field kube_pod_fields[] = {
	{ "metadata.labels.*", SL_MODELLED, NULL },
	{ "metadata.annotations.*", SL_MODELLED, NULL },
	{ "metadata.*", SL_IGNORED, "does not move a start" },
	{ "spec.containers.resources.*", SL_MODELLED, NULL },
	{ "spec.containers.image", SL_MODELLED, "of scores of kube-scheduler" },
	{ "spec.containers.ports.*", SL_MODELLED, "host ports, for kube-scheduler" },
	{ "spec.containers.restartPolicy", SL_IGNORED, "does not move a start" },
	{ "spec.containers.*", SL_IGNORED, "does not move a start" },
	{ "spec.initContainers.resources.*", SL_MODELLED, NULL },
	{ "spec.initContainers.restartPolicy", SL_MODELLED, NULL },
	{ "spec.initContainers.image", SL_MODELLED, "of scores of kube-scheduler" },
	{ "spec.initContainers.ports.*", SL_MODELLED, "host ports of sidecars, for kube-scheduler" },
	{ "spec.hostNetwork", SL_MODELLED, "its ports are the host's, for kube-scheduler" },
	{ "spec.initContainers.*", SL_IGNORED, "does not move a start" },
	{ "spec.resources.*", SL_MODELLED, NULL },
	{ "spec.overhead.*", SL_MODELLED, NULL },
	{ "spec.nodeSelector.*", SL_MODELLED, NULL },
	{ "spec.tolerations.*", SL_APPROXIMATED, "tolerationSeconds is not read: for ever" },
	{ "spec.affinity.*", SL_MODELLED, NULL },
	{ "spec.topologySpreadConstraints.*", SL_MODELLED, NULL },
	{ "spec.resourceClaims.*", SL_MODELLED, NULL },
	{ "spec.priorityClassName", SL_MODELLED, NULL },
	{ "spec.priority", SL_MODELLED, NULL },
	{ "spec.preemptionPolicy", SL_MODELLED, NULL },
	{ "spec.nodeName", SL_MODELLED, NULL },
	{ "spec.schedulerName", SL_MODELLED, NULL },
	{ "spec.schedulingGates.*", SL_IGNORED, "Kueue's own gate is set and lifted by admission" },
	{ "spec.schedulingGroup.*", SL_MODELLED, NULL },
	{ "spec.workloadRef.*", SL_MODELLED, NULL },
	{ "spec.activeDeadlineSeconds", SL_IGNORED, "that of the job counts" },
	{ "spec.terminationGracePeriodSeconds", SL_IGNORED,
		"how long an eviction takes is the policy's parameter" },
	{ "spec.restartPolicy", SL_IGNORED, "pods do not fail by themselves" },
	{ "spec.runtimeClassName", SL_IGNORED, "give the overhead in the pod" },
	{ "spec.*", SL_IGNORED, "does not move a start" },
};
const size_t kube_pod_count = SL_LEN(kube_pod_fields);

static const struct kube_field job[] = {
	{ "spec.parallelism", SL_MODELLED, NULL },
	{ "spec.completions", SL_APPROXIMATED, "as many pods as run at a time, all for the run time" },
	{ "spec.completionMode", SL_MODELLED, NULL },
	{ "spec.activeDeadlineSeconds", SL_MODELLED, NULL },
	{ "spec.suspend", SL_IGNORED, "jobs are suspended until they are admitted" },
	{ "spec.backoffLimit", SL_IGNORED, "pods do not fail by themselves" },
	{ "spec.backoffLimitPerIndex", SL_IGNORED, "pods do not fail by themselves" },
	{ "spec.maxFailedIndexes", SL_IGNORED, "pods do not fail by themselves" },
	{ "spec.podFailurePolicy.*", SL_IGNORED, "pods do not fail by themselves" },
	{ "spec.successPolicy.*", SL_IGNORED, "jobs end after their run time" },
	{ "spec.podReplacementPolicy", SL_IGNORED, "does not move a start" },
	{ "spec.ttlSecondsAfterFinished", SL_IGNORED, "does not move a start" },
	{ "spec.selector.*", SL_IGNORED, "does not move a start" },
	{ "spec.manualSelector", SL_IGNORED, "does not move a start" },
	{ "spec.managedBy", SL_IGNORED, "does not move a start" },
	{ "spec.template.@pod", SL_MODELLED, NULL },
	{ "status.startTime", SL_MODELLED, NULL },
	{ "status.completionTime", SL_MODELLED, NULL },
	{ "status.conditions.*", SL_APPROXIMATED, "Complete and Failed say when it ended" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field job_set[] = {
	{ "spec.replicatedJobs.name", SL_MODELLED, NULL },
	{ "spec.replicatedJobs.replicas", SL_MODELLED, NULL },
	{ "spec.replicatedJobs.groupName", SL_IGNORED, "does not move a start" },
	{ "spec.replicatedJobs.dependsOn.*", SL_MODELLED,
		"of one without a queue of Kueue, which has all its quota at once" },
	{ "spec.replicatedJobs.template.spec.parallelism", SL_MODELLED, NULL },
	{ "spec.replicatedJobs.template.spec.completions", SL_APPROXIMATED,
		"as many pods as run at a time, all for the run time" },
	{ "spec.replicatedJobs.template.spec.completionMode", SL_MODELLED, NULL },
	{ "spec.replicatedJobs.template.spec.activeDeadlineSeconds", SL_MODELLED, NULL },
	{ "spec.replicatedJobs.template.spec.suspend", SL_IGNORED,
		"jobs are suspended until they are admitted" },
	{ "spec.replicatedJobs.template.spec.backoffLimit", SL_MODELLED, "of failures by a model" },
	{ "spec.replicatedJobs.template.spec.backoffLimitPerIndex", SL_IGNORED,
		"pods do not fail by themselves" },
	{ "spec.replicatedJobs.template.spec.maxFailedIndexes", SL_IGNORED,
		"pods do not fail by themselves" },
	{ "spec.replicatedJobs.template.spec.podFailurePolicy.*", SL_APPROXIMATED,
		"of failures by a model, what it says of DisruptionTarget" },
	{ "spec.replicatedJobs.template.spec.successPolicy.*", SL_IGNORED, "jobs end after their run time" },
	{ "spec.replicatedJobs.template.spec.podReplacementPolicy", SL_IGNORED, "does not move a start" },
	{ "spec.replicatedJobs.template.spec.ttlSecondsAfterFinished", SL_IGNORED, "does not move a start" },
	{ "spec.replicatedJobs.template.spec.selector.*", SL_IGNORED, "does not move a start" },
	{ "spec.replicatedJobs.template.spec.manualSelector", SL_IGNORED, "does not move a start" },
	{ "spec.replicatedJobs.template.spec.managedBy", SL_IGNORED, "does not move a start" },
	{ "spec.replicatedJobs.template.metadata.annotations.schedlab/run-time", SL_MODELLED, NULL },
	{ "spec.replicatedJobs.template.metadata.*", SL_APPROXIMATED,
		"annotations count in the pods' template" },
	{ "spec.replicatedJobs.template.spec.template.@pod", SL_MODELLED, NULL },
	{ "spec.suspend", SL_IGNORED, "jobs are suspended until they are admitted" },
	{ "spec.successPolicy.*", SL_IGNORED, "jobs end after their run time" },
	{ "spec.failurePolicy.rules.onJobFailureMessagePatterns", SL_IGNORED,
		"a rule is taken whatever the message is" },
	{ "spec.failurePolicy.*", SL_MODELLED, "of failures by a model; in order, of each job by itself" },
	{ "spec.startupPolicy.*", SL_MODELLED,
		"of one without a queue of Kueue, which has all its quota at once" },
	{ "spec.network.*", SL_IGNORED, "does not move a start" },
	{ "spec.coordinator.*", SL_IGNORED, "does not move a start" },
	{ "spec.managedBy", SL_IGNORED, "does not move a start" },
	{ "spec.ttlSecondsAfterFinished", SL_IGNORED, "does not move a start" },
	{ "status.conditions.*", SL_APPROXIMATED, "Completed and Failed say when it ended" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field pod[] = {
	{ "@pod", SL_MODELLED, NULL },
	{ "status.startTime", SL_MODELLED, NULL },
	{ "status.containerStatuses.*", SL_APPROXIMATED, "the last end of a container is the pod's" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field node[] = {
	{ "spec.unschedulable", SL_MODELLED, NULL },
	{ "spec.taints.*", SL_MODELLED, NULL },
	{ "status.allocatable.*", SL_MODELLED, NULL },
	{ "status.capacity.*", SL_MODELLED, "where there is no allocatable" },
	{ "status.conditions.*", SL_APPROXIMATED, "a node that is not Ready is down" },
	{ "status.images.*", SL_MODELLED, "of scores of kube-scheduler" },
	{ "spec.providerID", SL_IGNORED, "does not move a start" },
	{ "spec.podCIDR", SL_IGNORED, "does not move a start" },
	{ "spec.podCIDRs", SL_IGNORED, "does not move a start" },
	{ "status.*", SL_IGNORED, "does not move a start" },
};

static const struct kube_field namespace[] = {
	{ "spec.*", SL_IGNORED, "does not move a start" },
	{ "status.*", SL_IGNORED, "does not move a start" },
};

static const struct kube_field priority_class[] = {
	{ "value", SL_MODELLED, NULL },
	{ "globalDefault", SL_MODELLED, NULL },
	{ "preemptionPolicy", SL_MODELLED, NULL },
	{ "description", SL_IGNORED, "does not move a start" },
};

static const struct kube_field budget[] = {
	{ "spec.selector.*", SL_MODELLED, NULL },
	{ "spec.minAvailable", SL_MODELLED, NULL },
	{ "spec.maxUnavailable", SL_MODELLED, NULL },
	{ "spec.unhealthyPodEvictionPolicy", SL_IGNORED, "does not move a start" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field slice[] = {
	{ "spec.driver", SL_MODELLED, NULL },
	{ "spec.pool.*", SL_MODELLED, NULL },
	{ "spec.nodeName", SL_MODELLED, NULL },
	{ "spec.nodeSelector.*", SL_MODELLED, NULL },
	{ "spec.allNodes", SL_MODELLED, NULL },
	{ "spec.perDeviceNodeSelection", SL_MODELLED, NULL },
	{ "spec.devices.bindingConditions", SL_IGNORED, "devices are ready at once" },
	{ "spec.devices.bindingFailureConditions", SL_IGNORED, "devices are ready at once" },
	{ "spec.devices.*", SL_MODELLED, NULL },
	{ "spec.sharedCounters.*", SL_MODELLED, NULL },
};

static const struct kube_field device_class[] = {
	{ "spec.selectors.*", SL_MODELLED, NULL },
	{ "spec.extendedResourceName", SL_MODELLED, NULL },
	{ "spec.config.*", SL_IGNORED, "does not move a start" },
};

static const struct kube_field claim[] = {
	{ "spec.devices.requests.*", SL_MODELLED, NULL },
	{ "spec.devices.constraints.*", SL_MODELLED, NULL },
	{ "spec.devices.config.*", SL_IGNORED, "does not move a start" },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field claim_template[] = {
	{ "spec.spec.devices.requests.*", SL_MODELLED, NULL },
	{ "spec.spec.devices.constraints.*", SL_MODELLED, NULL },
	{ "spec.spec.devices.config.*", SL_IGNORED, "does not move a start" },
	{ "spec.metadata.*", SL_IGNORED, "does not move a start" },
};

static const struct kube_field scheduler[] = {
	{ "profiles.*", SL_MODELLED, NULL },
	{ "percentageOfNodesToScore", SL_MODELLED, NULL },
	{ "podInitialBackoffSeconds", SL_IGNORED, "1 s, the default" },
	{ "podMaxBackoffSeconds", SL_IGNORED, "10 s, the default" },
	{ "parallelism", SL_IGNORED, "decisions do not depend on it" },
	{ "clientConnection.*", SL_IGNORED, "the policy's own latency is a parameter" },
	{ "leaderElection.*", SL_IGNORED, "does not move a start" },
	{ "extenders.*", SL_IGNORED, "calls other programs" },
	{ "enableProfiling", SL_IGNORED, "does not move a start" },
	{ "enableContentionProfiling", SL_IGNORED, "does not move a start" },
	{ "delayCacheUntilActive", SL_IGNORED, "does not move a start" },
};

const struct kube_kind kube_core_kinds[] = {
	{ "Job", "batch", job, SL_LEN(job) },
	{ "JobSet", "jobset.x-k8s.io", job_set, SL_LEN(job_set) },
	{ "Pod", "v1", pod, SL_LEN(pod) },
	{ "Node", "v1", node, SL_LEN(node) },
	{ "Namespace", "v1", namespace, SL_LEN(namespace) },
	{ "PriorityClass", "scheduling.k8s.io", priority_class, SL_LEN(priority_class) },
	{ "PodDisruptionBudget", "policy", budget, SL_LEN(budget) },
	{ "ResourceSlice", "resource.k8s.io", slice, SL_LEN(slice) },
	{ "DeviceClass", "resource.k8s.io", device_class, SL_LEN(device_class) },
	{ "ResourceClaim", "resource.k8s.io", claim, SL_LEN(claim) },
	{ "ResourceClaimTemplate", "resource.k8s.io", claim_template, SL_LEN(claim_template) },
	{ "KubeSchedulerConfiguration", "kubescheduler.config.k8s.io", scheduler, SL_LEN(scheduler) },
};
const size_t kube_core_count = SL_LEN(kube_core_kinds);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_words.c - Kueue's names of feature gates and conditions, and its defaults.
 */
#include "policies/kueue/rules/kq.h"

#include <string.h>

static const struct {
	const char *name;
	bool on;
} gates[KQ_GATE_COUNT] = {
#define KQ_GATE_ENTRY(name, on) { #name, on },
	KQ_GATES(KQ_GATE_ENTRY)
#undef KQ_GATE_ENTRY
};

enum kq_gate kq_gate_find(const char *name)
{
	int i = 0;
	while (i < KQ_GATE_COUNT && strcmp(gates[i].name, name) != 0)
		i++;
	return (enum kq_gate)i;
}

/* Kueue's other gates, of v0.20 and before: of metrics, defaults, webhooks, integrations, encodings, and
 * those that decide what is not modelled. */
static const char always[] = "Kueue v0.20 always has it, and so has this policy";
static const char never[] = "Kueue v0.20 has it no more, nor has this policy";
static const struct {
	const char *name;
	bool usual;      /* As it is here. */
	const char *why; /* It cannot be otherwise; NULL: it decides nothing here. */
} others[] = {
	{ "AdmissionCheckValidationRules", false, NULL },
	{ "AssignQueueLabelsForPods", false, NULL },
	{ "CleanupProvisioningRequestsOnEviction", false, NULL },
	{ "ConfigurableResourceTransformations", true, always },
	{ "CustomMetricLabels", false, NULL },
	{ "DeferRayServiceFinalizationForRedisCleanup", false, NULL },
	{ "DynamicQuotaOrchestration", false,
		"quotas of the status of ClusterQueues and Cohorts are not followed" },
	{ "DynamicResourceAllocation", false, NULL },
	{ "ElasticJobsViaWorkloadSlicesWithPartialReplicaScaleUp", false,
		"slices that grow in part are not modelled" },
	{ "ElasticJobsViaWorkloadSlicesWithPods", false, NULL },
	{ "ExposeFlavorsInLocalQueue", false, NULL },
	{ "FailureRecoveryPolicy", false, NULL },
	{ "FastQuotaReleaseInPodIntegration", false,
		"quota is held until pods have stopped: grace=0 lets it go at once" },
	{ "FinishOrphanedWorkloads", false, NULL },
	{ "FlavorFungibilityImplicitPreferenceDefault", false, never },
	{ "GangScheduling", false, NULL },
	{ "HierarchicalCohorts", true, always },
	{ "KeepQuotaForProvReqRetry", false, never },
	{ "LWSImmutableGroupSize", false, NULL },
	{ "LendingLimit", true, always },
	{ "LocalQueueDefaulting", false, NULL },
	{ "LocalQueueMetrics", false, NULL },
	{ "ManagedJobsNamespaceSelector", false, NULL },
	{ "ManagedJobsNamespaceSelectorAlwaysRespected", false, NULL },
	{ "MetricForWorkloadCreationLatency", false, NULL },
	{ "MetricsForCohorts", false, NULL },
	{ "MultiKueueAdaptersForCustomJobs", false, NULL },
	{ "MultiKueueAllowInsecureKubeconfigs", false, NULL },
	{ "MultiKueueBatchJobClearingTTLSecondsAfterFinishedOnWorkerCluster", false, NULL },
	{ "MultiKueueBatchJobWithManagedBy", false, NULL },
	{ "MultiKueueClusterProfile", false, NULL },
	{ "MultiKueueKubeConfigPathValidation", false, NULL },
	{ "MultiKueueManagerQuotaAutomation", false,
		"quotas of worker clusters are not added up: write them in the manager's ClusterQueues" },
	{ "MultiKueueRedoAdmissionOnEvictionInWorker", true, always },
	{ "MultiKueueRemoteSpecSync", false, NULL },
	{ "MultiKueueWaitForWorkloadAdmitted", true, always },
	{ "MultiplePreemptions", true, always },
	{ "ObjectRetentionPolicies", false, NULL },
	{ "PodIntegrationValidateGroupOwner", false, NULL },
	{ "PropagateBatchJobLabelsToWorkload", false, NULL },
	{ "ProvisioningACC", true, always },
	{ "QueueVisibility", false, NULL },
	{ "RejectUpdatesToCQWithInvalidOnFlavors", false, NULL },
	{ "RemoveFinalizersWithStrictPatch", false, NULL },
	{ "SanitizePodSets", false, NULL },
	{ "ShortWorkloadNames", false, NULL },
	{ "SkipAncestorCheckForDeletedWorkloads", false, NULL },
	{ "SparkApplicationIntegration", false, NULL },
	{ "TASAssignmentsEncodingByHostnamePrefix", false, NULL },
	{ "TASCacheNodeMatchResults", false, NULL },
	{ "TASCacheTopologyTree", false, NULL },
	{ "TASCachingRemainingResources", false, NULL },
	{ "TASProfileLeastFreeCapacity", false, never },
	{ "TASProfileMostFreeCapacity", false, never },
	{ "TASReplaceNodeDueToNotReadyOverFixedTime", false, NULL },
	{ "TASReplaceNodeOnNodeTaints", false, NULL },
	{ "TASReplaceNodeOnPodTermination", false, NULL },
	{ "TASValidateWorkloadSliceSize", false, NULL },
	{ "TLSOptions", false, NULL },
	{ "UnadmittedWorkloadsExplicitStatus", false, NULL },
	{ "ValidateRayAndSparkJobUpdates", false, NULL },
	{ "VisibilityOnDemand", false, NULL },
	{ "WorkloadIdentifierAnnotations", false, NULL },
	{ "WorkloadRequestUseMergePatch", false, NULL },
	{ "WorkloadResourceRequestsSummary", false, NULL },
	{ "WorkloadValidateResourcesAreNonNegative", false, NULL },
	{ "WorkloadValidationForPodSetMetadata", false, NULL },
};

const char *kq_gate_refused(const char *name, bool on)
{
	for (size_t i = 0; i < SL_LEN(others); i++)
		if (strcmp(others[i].name, name) == 0)
			return on == others[i].usual ? NULL : others[i].why;
	return NULL;
}

const char *kq_gate_similar(const char *name, bool *known)
{
	const char *all[SL_LEN(others) + KQ_GATE_COUNT + 1];
	size_t count = 0;
	*known = false;
	for (size_t i = 0; i < SL_LEN(others); i++) {
		all[count++] = others[i].name;
		*known |= strcmp(others[i].name, name) == 0;
	}
	for (int i = 0; i < KQ_GATE_COUNT; i++) {
		all[count++] = gates[i].name;
		*known |= strcmp(gates[i].name, name) == 0;
	}
	all[count] = NULL;
	return *known ? NULL : sl_nearest(name, all);
}

static const char *const conds[KQ_COND_COUNT] = {
	[KQ_QUOTA_RESERVED] = "QuotaReserved",
	[KQ_ADMITTED] = "Admitted",
	[KQ_PODS_READY] = "PodsReady",
	[KQ_EVICTED] = "Evicted",
	[KQ_PREEMPTED] = "Preempted",
	[KQ_REQUEUED] = "Requeued",
	[KQ_FINISHED] = "Finished",
	[KQ_DEACTIVATION_TARGET] = "DeactivationTarget",
	[KQ_BLOCKED_ON_GATES] = "BlockedOnPreemptionGates",
};

const char *kq_told(const struct kq *kq, const char *reason, const char *older)
{
	return kq->config.gate[KQ_GATE_UnadmittedWorkloadsObservability] ? reason : older;
}

const char *kq_cond_name(enum kq_cond_type type) { return conds[type]; }

bool kq_is(const struct kq_cond *cond) { return cond->status == KQ_TRUE; }

/* waitForPodsReady is on by default at the commit, 30 minutes; who replays a release sets it. */
void kq_config_default(struct kq_config *config)
{
	*config = (struct kq_config){
		.fair = { KQ_LESS_OR_EQUAL_FINAL, KQ_LESS_INITIAL },
		.fair_count = 2,
		.afs_interval = 300 * SL_SECOND,
		.ready_timeout = 1800 * SL_SECOND,
		.recovery_timeout = 1800 * SL_SECOND,
		.backoff_base = 60 * SL_SECOND,
		.backoff_max = 3600 * SL_SECOND,
		.backoff_limit = -1,
		.dispatch_step = 3,
		.worker_lost = 900 * SL_SECOND,
	};
	for (int i = 0; i < KQ_GATE_COUNT; i++)
		config->gate[i] = gates[i].on;
}

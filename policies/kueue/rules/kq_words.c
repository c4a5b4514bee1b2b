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

/* Kueue's other gates: of metrics, defaults, webhooks, integrations, and those that are always on here. */
const char *kq_gate_similar(const char *name, bool *known)
{
	static const char *const others[] = { "AdmissionCheckValidationRules", "AssignQueueLabelsForPods",
		"ConfigurableResourceTransformations", "CustomMetricLabels", "DynamicResourceAllocation",
		"ElasticJobsViaWorkloadSlicesWithPods", "ExposeFlavorsInLocalQueue", "FailureRecoveryPolicy",
		"FastQuotaReleaseInPodIntegration", "FinishOrphanedWorkloads",
		"FlavorFungibilityImplicitPreferenceDefault", "GangScheduling", "HierarchicalCohorts",
		"KeepQuotaForProvReqRetry", "KueueDRAIntegrationPartitionableDevices",
		"KueueDRARejectWorkloadsWhenDRADisabled", "LendingLimit", "LocalQueueDefaulting",
		"LocalQueueMetrics", "ManagedJobsNamespaceSelector",
		"ManagedJobsNamespaceSelectorAlwaysRespected", "MetricForWorkloadCreationLatency",
		"MetricsForCohorts", "MultiKueue", "MultiKueueAdaptersForCustomJobs",
		"MultiKueueAllowInsecureKubeconfigs", "MultiKueueBatchJobWithManagedBy",
		"MultiKueueClusterProfile", "MultiKueueIncrementalDispatcherConfig",
		"MultiKueueManagerQuotaAutomation", "MultiKueueRedoAdmissionOnEvictionInWorker",
		"MultiKueueWaitForWorkloadAdmitted", "MultiplePreemptions", "ObjectRetentionPolicies",
		"PropagateBatchJobLabelsToWorkload", "ProvisioningACC", "QueueVisibility",
		"RejectUpdatesToCQWithInvalidOnFlavors", "RemoveFinalizersWithStrictPatch", "SanitizePodSets",
		"ShortWorkloadNames", "SparkApplicationIntegration", "TASProfileLeastFreeCapacity",
		"TASProfileMostFreeCapacity", "TASReplaceNodeOnNodeTaints", "TASReplaceNodeOnPodTermination",
		"TLSOptions", "VisibilityOnDemand", "WorkloadIdentifierAnnotations",
		"WorkloadRequestUseMergePatch", "WorkloadResourceRequestsSummary" };
	const char *all[SL_LEN(others) + KQ_GATE_COUNT + 1];
	size_t count = 0;
	*known = false;
	for (size_t i = 0; i < SL_LEN(others); i++) {
		all[count++] = others[i];
		*known |= strcmp(others[i], name) == 0;
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
	};
	for (int i = 0; i < KQ_GATE_COUNT; i++)
		config->gate[i] = gates[i].on;
}

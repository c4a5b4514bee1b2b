/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_gates.c - the feature gates of Kueue v0.20 and before: what is none of them is named, where the file
 * is read, whoever decides. Which of them decide something is policy kueue's (kq_words.c).
 */
#include "traces/kube/manifests.h"

#include <string.h>

static const char *const gates[] = { "AdmissionCheckValidationRules", "AdmissionFairSharing",
	"AssignQueueLabelsForPods", "ConcurrentAdmission", "ConfigurableResourceTransformations",
	"CustomMetricLabels", "DynamicResourceAllocation", "ElasticJobsViaWorkloadSlices",
	"ElasticJobsViaWorkloadSlicesWithPods", "ElasticJobsViaWorkloadSlicesWithTAS",
	"ExposeFlavorsInLocalQueue", "FailureRecoveryPolicy", "FairSharingPreemptWithinNominal",
	"FairSharingPrioritizeNonBorrowing", "FastQuotaReleaseInPodIntegration", "FinishOrphanedWorkloads",
	"FlavorFungibility", "FlavorFungibilityImplicitPreferenceDefault",
	"FlavorFungibilityPreserveScanProgress", "GangScheduling", "HierarchicalCohorts",
	"KeepQuotaForProvReqRetry", "KueueDRAIntegration", "KueueDRAIntegrationExtendedResource",
	"KueueDRAIntegrationPartitionableDevices", "KueueDRARejectWorkloadsWhenDRADisabled", "LendingLimit",
	"LocalQueueDefaulting", "LocalQueueMetrics", "ManagedJobsNamespaceSelector",
	"ManagedJobsNamespaceSelectorAlwaysRespected", "MetricForWorkloadCreationLatency",
	"MetricsForCohorts", "MultiKueue", "MultiKueueAdaptersForCustomJobs",
	"MultiKueueAllowInsecureKubeconfigs", "MultiKueueBatchJobWithManagedBy", "MultiKueueClusterProfile",
	"MultiKueueIncrementalDispatcherConfig", "MultiKueueManagerQuotaAutomation",
	"MultiKueueOrchestratedPreemption", "MultiKueueRedoAdmissionOnEvictionInWorker",
	"MultiKueueWaitForWorkloadAdmitted", "MultiplePreemptions", "ObjectRetentionPolicies",
	"PartialAdmission", "PrioritizePreemptorWorkloads", "PriorityBoost", "PrioritySortingWithinCohort",
	"PropagateBatchJobLabelsToWorkload", "ProvisioningACC", "QueueVisibility", "ReclaimablePods",
	"RecomputeAssignmentUponPreemptionTargetsOverlap", "RejectUpdatesToCQWithInvalidOnFlavors",
	"RemoveFinalizersWithStrictPatch", "SanitizePodSets", "SchedulerLibraryIntegration",
	"SchedulingEquivalenceHashing", "ShortWorkloadNames", "SkipReassignmentForPodOwnedWorkloads",
	"SparkApplicationIntegration", "TASBalancedPlacement", "TASFailedNodeReplacement",
	"TASFailedNodeReplacementFailFast", "TASHandleOverlappingFlavors", "TASMultiLayerTopology",
	"TASProfileLeastFreeCapacity", "TASProfileMixed", "TASProfileMostFreeCapacity",
	"TASRecomputeAssignmentWithinSchedulingCycle", "TASReplaceNodeOnNodeTaints",
	"TASReplaceNodeOnPodTermination", "TASRespectNodeAffinityPreferred", "TLSOptions",
	"TopologyAwareScheduling", "UnadmittedWorkloadsObservability", "VectorizedResourceRequests",
	"VisibilityOnDemand", "WorkloadIdentifierAnnotations", "WorkloadRequestUseMergePatch",
	"WorkloadResourceRequestsSummary", NULL };

bool kube_gate_known(const char *name, const char **similar)
{
	size_t i = 0;
	while (gates[i] && strcmp(gates[i], name) != 0)
		i++;
	*similar = gates[i] ? NULL : sl_nearest(name, gates);
	return gates[i] != NULL;
}

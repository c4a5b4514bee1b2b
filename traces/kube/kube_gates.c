/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_gates.c - the feature gates of Kueue v0.20 and before: what is none of them is named, where the file
 * is read, whoever decides. Which of them decide something is policy kueue's (kq_words.c).
 */
#include "traces/kube/manifests.h"

#include <string.h>

static const char *const gates[] = { "AdmissionCheckValidationRules", "AdmissionFairSharing",
	"AdmissionGatedBy", "AssignQueueLabelsForPods", "CleanupProvisioningRequestsOnEviction",
	"ConcurrentAdmission", "ConfigurableResourceTransformations", "CustomMetricLabels",
	"DeferRayServiceFinalizationForRedisCleanup", "DisableWaitForPodsReady", "DynamicQuotaOrchestration",
	"DynamicResourceAllocation", "ElasticJobsViaWorkloadSlices",
	"ElasticJobsViaWorkloadSlicesWithPartialReplicaScaleUp", "ElasticJobsViaWorkloadSlicesWithPods",
	"ElasticJobsViaWorkloadSlicesWithTAS", "ExposeFlavorsInLocalQueue", "FailureRecoveryPolicy",
	"FairSharingPreemptWithinNominal", "FairSharingPrioritizeNonBorrowing",
	"FairSharingReevaluatePreemptionCandidates", "FastQuotaReleaseInPodIntegration",
	"FinishOrphanedWorkloads", "FlavorFungibility", "FlavorFungibilityImplicitPreferenceDefault",
	"FlavorFungibilityPreserveScanProgress", "GangScheduling", "HierarchicalCohorts",
	"KeepQuotaForProvReqRetry", "KueueDRAIntegration", "KueueDRAIntegrationConsumableCapacity",
	"KueueDRAIntegrationExtendedResource", "KueueDRAIntegrationPartitionableDevices",
	"KueueDRAIntegrationPrioritizedList", "KueueDRARejectWorkloadsWhenDRADisabled",
	"LWSImmutableGroupSize", "LendingLimit", "LocalQueueDefaulting", "LocalQueueMetrics",
	"ManagedJobsNamespaceSelector", "ManagedJobsNamespaceSelectorAlwaysRespected",
	"MetricForWorkloadCreationLatency", "MetricsForCohorts", "MultiKueue",
	"MultiKueueAdaptersForCustomJobs", "MultiKueueAllowInsecureKubeconfigs",
	"MultiKueueBatchJobClearingTTLSecondsAfterFinishedOnWorkerCluster", "MultiKueueBatchJobWithManagedBy",
	"MultiKueueClusterProfile", "MultiKueueIncrementalDispatcherConfig",
	"MultiKueueIncrementalDispatcherRespectConfigOrder", "MultiKueueKubeConfigPathValidation",
	"MultiKueueManagerQuotaAutomation", "MultiKueueOrchestratedPreemption",
	"MultiKueueRedoAdmissionOnEvictionInWorker", "MultiKueueRemoteSpecSync",
	"MultiKueueWaitForWorkloadAdmitted", "MultiplePreemptions", "ObjectRetentionPolicies",
	"PartialAdmission", "PodIntegrationValidateGroupOwner", "PrioritizePreemptorWorkloads",
	"PriorityBoost", "PrioritySortingWithinCohort", "PropagateBatchJobLabelsToWorkload",
	"ProvisioningACC", "QueueVisibility", "QuotaCheckStrategy", "ReclaimablePods",
	"RecomputeAssignmentUponPreemptionTargetsOverlap", "RejectUpdatesToCQWithInvalidOnFlavors",
	"RemoveFinalizersWithStrictPatch", "ReservedResourceNameValidation", "SanitizePodSets",
	"SchedulerLibraryIntegration", "SchedulingEquivalenceHashing",
	"SchedulingEquivalenceHashingIgnorePodSetName", "ShortWorkloadNames",
	"SkipAncestorCheckForDeletedWorkloads", "SkipReassignmentForPodOwnedWorkloads",
	"SparkApplicationIntegration", "TASAssignmentsEncodingByHostnamePrefix", "TASBalancedPlacement",
	"TASCacheNodeMatchResults", "TASCacheTopologyTree", "TASCachingRemainingResources",
	"TASFailedNodeReplacement", "TASFailedNodeReplacementFailFast", "TASHandleOverlappingFlavors",
	"TASMultiLayerTopology", "TASProfileLeastFreeCapacity", "TASProfileMixed",
	"TASProfileMostFreeCapacity", "TASRecomputeAssignmentWithinSchedulingCycle",
	"TASReplaceNodeDueToNotReadyOverFixedTime", "TASReplaceNodeOnNodeTaints",
	"TASReplaceNodeOnPodTermination", "TASRespectNodeAffinityPreferred", "TASValidateWorkloadSliceSize",
	"TLSOptions", "TopologyAwareScheduling", "UnadmittedWorkloadsExplicitStatus",
	"UnadmittedWorkloadsObservability", "ValidateRayAndSparkJobUpdates", "VectorizedResourceRequests",
	"VisibilityOnDemand", "WorkloadIdentifierAnnotations", "WorkloadPriorityClassDefaulting",
	"WorkloadRequestUseMergePatch", "WorkloadResourceRequestsSummary",
	"WorkloadValidateResourcesAreNonNegative", "WorkloadValidationForPodSetMetadata", NULL };

bool kube_gate_known(const char *name, const char **similar)
{
	size_t i = 0;
	while (gates[i] && strcmp(gates[i], name) != 0)
		i++;
	*similar = gates[i] ? NULL : sl_nearest(name, gates);
	return gates[i] != NULL;
}

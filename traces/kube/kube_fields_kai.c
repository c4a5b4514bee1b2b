/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields_kai.c - fields of KAI's and Run:AI's objects and what becomes of each.
 *
 * kai-scheduler/KAI-Scheduler, deployments/kai-scheduler/crds (Queue v2, PodGroup v2alpha2, SchedulingShard
 * v1, Topology v1alpha1, Config v1); Run:AI's documentation: parameters of TrainingWorkload,
 * InteractiveWorkload and InferenceWorkload (v2alpha1), and the definition of Project (v1) that its command
 * line came with.
 */
#include "traces/kube/kube_fields.h"

static const char anew[] = "status is of the controller: what is decided here is decided anew";
static const char nothing[] = "does not move a start";

static const struct kube_field queue[] = {
	{ "spec.displayName", SL_MODELLED, NULL },
	{ "spec.parentQueue", SL_MODELLED, NULL },
	{ "spec.priority", SL_MODELLED, NULL },
	{ "spec.preemptMinRuntime", SL_MODELLED, NULL },
	{ "spec.reclaimMinRuntime", SL_MODELLED, NULL },
	{ "spec.resources.cpu.*", SL_MODELLED, NULL },
	{ "spec.resources.memory.*", SL_MODELLED, NULL },
	{ "spec.resources.gpu.*", SL_MODELLED, NULL },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field pod_group[] = {
	{ "spec.minMember", SL_MODELLED, NULL },
	{ "spec.minSubGroup", SL_MODELLED, NULL },
	{ "spec.queue", SL_MODELLED, NULL },
	{ "spec.priorityClassName", SL_MODELLED, NULL },
	{ "spec.preemptibility", SL_APPROXIMATED, "semi-preemptible is taken for non-preemptible" },
	{ "spec.preemptionDelay", SL_MODELLED, NULL },
	{ "spec.stalenessGracePeriod", SL_MODELLED, NULL },
	{ "spec.subGroups.*", SL_MODELLED, NULL },
	{ "spec.topologyConstraint.*", SL_MODELLED, NULL },
	{ "spec.markUnschedulable", SL_IGNORED, nothing },
	{ "spec.schedulingBackoff", SL_IGNORED, "a job that found no room is tried again in each cycle" },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field shard[] = {
	{ "spec.partitionLabelValue", SL_MODELLED, NULL },
	{ "spec.placementStrategy.*", SL_MODELLED, NULL },
	{ "spec.kValue", SL_MODELLED, NULL },
	{ "spec.minRuntime.*", SL_MODELLED, NULL },
	{ "spec.queueDepthPerAction.*", SL_MODELLED, NULL },
	{ "spec.actions.*", SL_MODELLED, NULL },
	{ "spec.plugins.*", SL_APPROXIMATED, "numa and plugins of one's own decide nothing here" },
	{ "spec.args.use-scheduling-signatures", SL_MODELLED, NULL },
	{ "spec.args.allow-consolidating-reclaim", SL_MODELLED, NULL },
	{ "spec.args.max-consolidation-preemptees", SL_MODELLED, NULL },
	{ "spec.args.default-staleness-grace-period", SL_MODELLED, NULL },
	{ "spec.args.restrict-node-scheduling", SL_APPROXIMATED, "for the GPUs that are shared alone" },
	{ "spec.args.schedule-period", SL_IGNORED, "give the policy's parameter 'when'" },
	{ "spec.args.full-hierarchy-fairness", SL_IGNORED, "departments count" },
	{ "spec.args.*", SL_IGNORED, nothing },
	{ "spec.usageDBConfig.usageParams.halfLifePeriod", SL_MODELLED, NULL },
	{ "spec.usageDBConfig.usageParams.windowSize", SL_MODELLED, NULL },
	{ "spec.usageDBConfig.usageParams.windowType", SL_MODELLED, NULL },
	{ "spec.usageDBConfig.usageParams.cronString", SL_MODELLED, NULL },
	{ "spec.usageDBConfig.usageParams.tumblingWindowStartTime", SL_MODELLED, NULL },
	{ "spec.usageDBConfig.usageParams.fetchInterval", SL_MODELLED, NULL },
	{ "spec.usageDBConfig.*", SL_IGNORED, "usage is known at once, and of all resources" },
	{ "spec.scenarioSearchBudgets.minFailedSearchBackoff.*", SL_MODELLED, NULL },
	{ "spec.scenarioSearchBudgets.maxFailedSearchBackoff.*", SL_MODELLED, NULL },
	{ "spec.scenarioSearchBudgets.*", SL_IGNORED,
		"no search is cut by the clock: policy runai counts pods (search-pods)" },
	{ "spec.stuckInReleasingThreshold", SL_IGNORED, "pods that are evicted do go" },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field config[] = {
	{ "spec.global.nodePoolLabelKey", SL_MODELLED, NULL },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field topology[] = {
	{ "spec.levels.*", SL_MODELLED, NULL },
};

static const struct kube_field bind_request[] = {
	{ "spec.*", SL_IGNORED, anew },
	{ "status.*", SL_IGNORED, anew },
};

/* Of Department too. */
static const struct kube_field project[] = {
	{ "spec.department", SL_MODELLED, NULL },
	{ "spec.deservedGpus", SL_MODELLED, NULL },
	{ "spec.maxAllowedGpus", SL_MODELLED, NULL },
	{ "spec.gpuOverQuotaWeight", SL_MODELLED, NULL },
	{ "spec.resources.gpu.*", SL_MODELLED, NULL },
	{ "spec.resources.cpu.*", SL_MODELLED, NULL },
	{ "spec.resources.memory.*", SL_MODELLED, NULL },
	{ "spec.nodePoolsResources.*", SL_MODELLED, NULL },
	{ "spec.nodeAffinityInteractive", SL_MODELLED, NULL },
	{ "spec.nodeAffinityTrain", SL_MODELLED, NULL },
	{ "spec.nodeAffinity.interactive.*", SL_MODELLED, NULL },
	{ "spec.nodeAffinity.train.*", SL_MODELLED, NULL },
	{ "spec.interactiveJobTimeLimitSecs", SL_MODELLED, NULL },
	{ "spec.trainingJobTimeLimitSecs", SL_MODELLED, NULL },
	{ "spec.interactiveJobMaxIdleDurationSecs", SL_APPROXIMATED,
		"of jobs of which the trace says how long their GPUs were active" },
	{ "spec.interactivePreemptibleJobMaxIdleDurationSecs", SL_APPROXIMATED,
		"of jobs of which the trace says how long their GPUs were active" },
	{ "spec.trainingJobMaxIdleDurationSecs", SL_APPROXIMATED,
		"of jobs of which the trace says how long their GPUs were active" },
	{ "spec.permissions.*", SL_IGNORED, "whoever submits may" },
	{ "status.*", SL_IGNORED, anew },
};

/* Of the three kinds; a field is {value: ...}. */
static const struct kube_field workload[] = {
	{ "spec.gpu.*", SL_MODELLED, NULL },
	{ "spec.gpuMemory.*", SL_MODELLED, NULL },
	{ "spec.migProfile.*", SL_MODELLED, NULL },
	{ "spec.cpu.*", SL_MODELLED, NULL },
	{ "spec.memory.*", SL_MODELLED, NULL },
	{ "spec.parallelism.*", SL_MODELLED, NULL },
	{ "spec.completions.*", SL_APPROXIMATED, "as many pods as run at a time, all for the run time" },
	{ "spec.processes.*", SL_APPROXIMATED, "as many pods, which start together; no launcher" },
	{ "spec.minScale.*", SL_APPROXIMATED, "as many replicas from the beginning to the end" },
	{ "spec.maxScale.*", SL_IGNORED, "replicas do not scale by themselves" },
	{ "spec.metric.*", SL_IGNORED, "replicas do not scale by themselves" },
	{ "spec.target.*", SL_IGNORED, "replicas do not scale by themselves" },
	{ "spec.preemptible.*", SL_MODELLED, NULL },
	{ "spec.nodePool.*", SL_MODELLED, NULL },
	{ "spec.nodePools.*", SL_MODELLED, NULL },
	{ "spec.nodeType.*", SL_MODELLED, NULL },
	{ "spec.usage", SL_MODELLED, NULL },
	{ "spec.baseWorkload", SL_IGNORED, "what the other workload says is not taken over: write it here" },
	{ "spec.tolerations.*", SL_IGNORED, "taints keep these pods off: write a Job for that" },
	{ "spec.podAffinity.*", SL_IGNORED, "pods go where there is room" },
	{ "spec.podAffinitySchedulingRule.*", SL_IGNORED, "pods go where there is room" },
	{ "spec.podAffinityTopology.*", SL_IGNORED, "pods go where there is room" },
	{ "spec.gpuLimit.*", SL_IGNORED, "bursts beyond the request are not modelled" },
	{ "spec.extendedResources.*", SL_IGNORED, "GPUs, cpus and memory alone are counted" },
	{ "spec.slotsPerWorker.*", SL_IGNORED, nothing },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field runai_job[] = {
	{ "spec.parallelism", SL_MODELLED, NULL },
	{ "spec.completions", SL_APPROXIMATED, "as many pods as run at a time, all for the run time" },
	{ "spec.activeDeadlineSeconds", SL_MODELLED, NULL },
	{ "spec.template.@pod", SL_MODELLED, NULL },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field projects[] = {
	{ "departments.*", SL_MODELLED, NULL },
	{ "projects.*", SL_MODELLED, NULL },
	{ "node-pools.*", SL_MODELLED, NULL },
	{ "node-pool-label", SL_MODELLED, NULL },
	{ "node-type-label", SL_MODELLED, NULL },
	{ "map.*", SL_MODELLED, NULL },
	{ "types.*", SL_MODELLED, NULL },
	{ "priorities.*", SL_MODELLED, NULL },
	{ "scheduler.*", SL_MODELLED, NULL },
};

const struct kube_kind kube_kai_kinds[] = {
	{ "Queue", "scheduling.run.ai", queue, SL_LEN(queue) },
	{ "PodGroup", "scheduling.run.ai", pod_group, SL_LEN(pod_group) },
	{ "SchedulingShard", "kai.scheduler", shard, SL_LEN(shard) },
	{ "Config", "kai.scheduler", config, SL_LEN(config) },
	{ "Topology", "kai.scheduler", topology, SL_LEN(topology) },
	{ "BindRequest", "scheduling.run.ai", bind_request, SL_LEN(bind_request) },
	{ "Project", "run.ai", project, SL_LEN(project) },
	{ "Department", "run.ai", project, SL_LEN(project) },
	{ "TrainingWorkload", "run.ai", workload, SL_LEN(workload) },
	{ "InteractiveWorkload", "run.ai", workload, SL_LEN(workload) },
	{ "InferenceWorkload", "run.ai", workload, SL_LEN(workload) },
	{ "RunaiJob", "run.ai", runai_job, SL_LEN(runai_job) },
	{ "Projects", "schedlab", projects, SL_LEN(projects) },
};
const size_t kube_kai_count = SL_LEN(kube_kai_kinds);

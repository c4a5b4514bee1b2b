/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields_made.c - fields of kinds whose controllers make pods (kube_made.c), and what becomes of each.
 */
#include "traces/kube/kube_fields.h"

static const char anew[] = "status is of the controller: what is decided here is decided anew";
static const char nothing[] = "does not move a start";
static const char suspended[] = "jobs are suspended until they are admitted";
static const char no_failures[] = "pods do not fail by themselves";
static const char steady[] = "as many pods from the beginning to the end";

#define ENDS                                                                                       \
	{ "status.startTime", SL_MODELLED, NULL }, { "status.completionTime", SL_MODELLED, NULL }, \
		{ "status.endTime", SL_MODELLED, NULL },                                           \
		{ "status.conditions.*", SL_APPROXIMATED, "how it ended says when" },              \
	{                                                                                          \
		"status.*", SL_IGNORED, anew                                                       \
	}

/* Pods of one role of a Kubeflow job; what all of its jobs have; a RayCluster where it stands. */
#define REPLICAS(of)                                                                             \
	{ of ".replicas", SL_MODELLED, NULL }, { of ".restartPolicy", SL_IGNORED, no_failures }, \
	{                                                                                        \
		of ".template.@pod", SL_MODELLED, NULL                                           \
	}
#define RUN_POLICY                                                                                           \
	{ "spec.runPolicy.activeDeadlineSeconds", SL_MODELLED, NULL },                                       \
		{ "spec.runPolicy.suspend", SL_IGNORED, suspended },                                         \
		{ "spec.runPolicy.backoffLimit", SL_IGNORED, no_failures },                                  \
		{ "spec.runPolicy.schedulingPolicy.minAvailable", SL_MODELLED, "for policy runai" },         \
		{ "spec.runPolicy.schedulingPolicy.*", SL_IGNORED,                                           \
			"give the label kueue.x-k8s.io/priority-class, or the pods a priorityClassName" },   \
		{ "spec.runPolicy.*", SL_IGNORED, nothing }, { "spec.elasticPolicy.*", SL_IGNORED, steady }, \
		{ "spec.*", SL_IGNORED, nothing }, ENDS
#define RAY_CLUSTER(at)                                                                            \
	{ at "headGroupSpec.template.@pod", SL_MODELLED, NULL },                                   \
		{ at "headGroupSpec.*", SL_IGNORED, nothing },                                     \
		{ at "workerGroupSpecs.groupName", SL_MODELLED, NULL },                            \
		{ at "workerGroupSpecs.replicas", SL_MODELLED, NULL },                             \
		{ at "workerGroupSpecs.minReplicas", SL_APPROXIMATED, steady },                    \
		{ at "workerGroupSpecs.maxReplicas", SL_APPROXIMATED, steady },                    \
		{ at "workerGroupSpecs.numOfHosts", SL_MODELLED, NULL },                           \
		{ at "workerGroupSpecs.suspend", SL_MODELLED, NULL },                              \
		{ at "workerGroupSpecs.template.@pod", SL_MODELLED, NULL },                        \
		{ at "workerGroupSpecs.*", SL_IGNORED, nothing },                                  \
		{ at "enableInTreeAutoscaling", SL_APPROXIMATED,                                   \
			"the head has the autoscaler's container, and the workers stay as many" }, \
		{ at "autoscalerOptions.resources.*", SL_MODELLED, NULL },                         \
		{ at "autoscalerOptions.*", SL_IGNORED, steady },                                  \
	{                                                                                          \
		at "suspend", SL_IGNORED, suspended                                                \
	}

static const struct kube_field pytorch[] = {
	REPLICAS("spec.pytorchReplicaSpecs.Master"),
	REPLICAS("spec.pytorchReplicaSpecs.Worker"),
	RUN_POLICY,
};

static const struct kube_field tf[] = {
	REPLICAS("spec.tfReplicaSpecs.Chief"),
	REPLICAS("spec.tfReplicaSpecs.Master"),
	REPLICAS("spec.tfReplicaSpecs.PS"),
	REPLICAS("spec.tfReplicaSpecs.Worker"),
	REPLICAS("spec.tfReplicaSpecs.Evaluator"),
	RUN_POLICY,
};

static const struct kube_field xgboost[] = {
	REPLICAS("spec.xgbReplicaSpecs.Master"),
	REPLICAS("spec.xgbReplicaSpecs.Worker"),
	RUN_POLICY,
};

static const struct kube_field paddle[] = {
	REPLICAS("spec.paddleReplicaSpecs.Master"),
	REPLICAS("spec.paddleReplicaSpecs.Worker"),
	RUN_POLICY,
};

static const struct kube_field jax[] = {
	REPLICAS("spec.jaxReplicaSpecs.Worker"),
	RUN_POLICY,
};

static const struct kube_field mx[] = {
	REPLICAS("spec.mxReplicaSpecs.Scheduler"),
	REPLICAS("spec.mxReplicaSpecs.Server"),
	REPLICAS("spec.mxReplicaSpecs.Worker"),
	REPLICAS("spec.mxReplicaSpecs.TunerTracker"),
	REPLICAS("spec.mxReplicaSpecs.TunerServer"),
	REPLICAS("spec.mxReplicaSpecs.Tuner"),
	RUN_POLICY,
};

static const struct kube_field mpi[] = {
	REPLICAS("spec.mpiReplicaSpecs.Launcher"),
	REPLICAS("spec.mpiReplicaSpecs.Worker"),
	RUN_POLICY,
};

static const struct kube_field ray_cluster[] = {
	RAY_CLUSTER("spec."),
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field ray_job[] = {
	RAY_CLUSTER("spec.rayClusterSpec."),
	{ "spec.submissionMode", SL_MODELLED, NULL },
	{ "spec.submitterPodTemplate.@pod", SL_MODELLED, NULL },
	{ "spec.activeDeadlineSeconds", SL_MODELLED, NULL },
	{ "spec.suspend", SL_IGNORED, suspended },
	{ "spec.backoffLimit", SL_IGNORED, no_failures },
	{ "spec.*", SL_IGNORED, nothing },
	ENDS,
};

static const struct kube_field ray_service[] = {
	RAY_CLUSTER("spec.rayClusterConfig."),
	{ "spec.serveConfigV2", SL_IGNORED, "one cluster, as it is at first: no upgrades" },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field train_job[] = {
	{ "spec.runtimeRef.*", SL_MODELLED, "of the file" },
	{ "spec.trainer.numNodes", SL_MODELLED, NULL },
	{ "spec.trainer.resourcesPerNode.*", SL_MODELLED, "of the container 'node'" },
	{ "spec.trainer.*", SL_IGNORED, nothing },
	{ "spec.podTemplateOverrides.targetJobs.*", SL_MODELLED, NULL },
	{ "spec.podTemplateOverrides.spec.*", SL_APPROXIMATED,
		"nodeSelector, affinity, tolerations, priorityClassName and initContainers" },
	{ "spec.podTemplateOverrides.*", SL_IGNORED, "metadata of pods stay the runtime's" },
	{ "spec.suspend", SL_IGNORED, suspended },
	{ "spec.*", SL_IGNORED, nothing },
	ENDS,
};

static const struct kube_field runtime[] = {
	{ "spec.mlPolicy.numNodes", SL_MODELLED, NULL },
	{ "spec.mlPolicy.*", SL_IGNORED, nothing },
	{ "spec.template.spec.replicatedJobs.dependsOn.*", SL_IGNORED, "all replicated jobs start together" },
	{ "spec.template.spec.replicatedJobs.template.spec.template.@pod", SL_MODELLED, NULL },
	{ "spec.template.spec.replicatedJobs.*", SL_MODELLED, NULL },
	{ "spec.*", SL_IGNORED, nothing },
};

static const struct kube_field app_wrapper[] = {
	{ "spec.components.podSets.*", SL_MODELLED, NULL },
	{ "spec.components.podSetInfos.*", SL_IGNORED, "written by the controller" },
	{ "spec.components.template.*", SL_APPROXIMATED, "its pod templates are read" },
	{ "spec.suspend", SL_IGNORED, suspended },
	{ "spec.*", SL_IGNORED, nothing },
	ENDS,
};

static const struct kube_field spark[] = {
	{ "spec.driver.cores", SL_MODELLED, NULL },
	{ "spec.driver.coreRequest", SL_MODELLED, NULL },
	{ "spec.driver.memory", SL_MODELLED, NULL },
	{ "spec.driver.memoryOverhead", SL_MODELLED, NULL },
	{ "spec.driver.gpu.*", SL_MODELLED, NULL },
	{ "spec.driver.nodeSelector.*", SL_MODELLED, NULL },
	{ "spec.driver.affinity.*", SL_MODELLED, NULL },
	{ "spec.driver.tolerations.*", SL_MODELLED, NULL },
	{ "spec.driver.priorityClassName", SL_MODELLED, NULL },
	{ "spec.driver.schedulerName", SL_MODELLED, NULL },
	{ "spec.driver.initContainers.*", SL_MODELLED, NULL },
	{ "spec.driver.sidecars.*", SL_MODELLED, NULL },
	{ "spec.driver.labels.*", SL_MODELLED, NULL },
	{ "spec.driver.annotations.*", SL_MODELLED, NULL },
	{ "spec.driver.template.spec.containers.*", SL_IGNORED,
		"what its container requests is written of cores and memory" },
	{ "spec.driver.template.@pod", SL_MODELLED, NULL },
	{ "spec.driver.*", SL_IGNORED, nothing },
	{ "spec.executor.cores", SL_MODELLED, NULL },
	{ "spec.executor.coreRequest", SL_MODELLED, NULL },
	{ "spec.executor.memory", SL_MODELLED, NULL },
	{ "spec.executor.memoryOverhead", SL_MODELLED, NULL },
	{ "spec.executor.gpu.*", SL_MODELLED, NULL },
	{ "spec.executor.instances", SL_MODELLED, NULL },
	{ "spec.executor.nodeSelector.*", SL_MODELLED, NULL },
	{ "spec.executor.affinity.*", SL_MODELLED, NULL },
	{ "spec.executor.tolerations.*", SL_MODELLED, NULL },
	{ "spec.executor.priorityClassName", SL_MODELLED, NULL },
	{ "spec.executor.schedulerName", SL_MODELLED, NULL },
	{ "spec.executor.initContainers.*", SL_MODELLED, NULL },
	{ "spec.executor.sidecars.*", SL_MODELLED, NULL },
	{ "spec.executor.labels.*", SL_MODELLED, NULL },
	{ "spec.executor.annotations.*", SL_MODELLED, NULL },
	{ "spec.executor.template.spec.containers.*", SL_IGNORED,
		"what its container requests is written of cores and memory" },
	{ "spec.executor.template.@pod", SL_MODELLED, NULL },
	{ "spec.executor.*", SL_IGNORED, nothing },
	{ "spec.type", SL_MODELLED, "of the memory's overhead" },
	{ "spec.memoryOverheadFactor", SL_MODELLED, NULL },
	{ "spec.sparkConf.*", SL_APPROXIMATED, "of cores, memory and instances" },
	{ "spec.dynamicAllocation.*", SL_APPROXIMATED, "as many executors as at first" },
	{ "spec.restartPolicy.*", SL_IGNORED, no_failures },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.lastSubmissionAttemptTime", SL_MODELLED, NULL },
	{ "status.terminationTime", SL_MODELLED, NULL },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field volcano[] = {
	{ "spec.tasks.name", SL_MODELLED, NULL },
	{ "spec.tasks.replicas", SL_MODELLED, NULL },
	{ "spec.tasks.template.@pod", SL_MODELLED, NULL },
	{ "spec.tasks.dependsOn.*", SL_IGNORED, "all tasks start together" },
	{ "spec.tasks.*", SL_IGNORED, no_failures },
	{ "spec.minAvailable", SL_MODELLED, "for policy runai" },
	{ "spec.queue", SL_IGNORED, "a queue of Volcano: give the label kueue.x-k8s.io/queue-name" },
	{ "spec.priorityClassName", SL_IGNORED, "give the pods theirs" },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field deployment[] = {
	{ "spec.replicas", SL_MODELLED, "a job for each" },
	{ "spec.template.@pod", SL_MODELLED, NULL },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field stateful_set[] = {
	{ "spec.replicas", SL_MODELLED, NULL },
	{ "spec.template.@pod", SL_MODELLED, NULL },
	{ "spec.podManagementPolicy", SL_APPROXIMATED, "all pods are made at once, as with Parallel" },
	{ "spec.volumeClaimTemplates.*", SL_IGNORED, "volumes are there" },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

static const struct kube_field cron_job[] = {
	{ "spec.schedule", SL_MODELLED, "in UTC" },
	{ "spec.suspend", SL_MODELLED, NULL },
	{ "spec.timeZone", SL_MODELLED, "UTC alone" },
	{ "spec.concurrencyPolicy", SL_APPROXIMATED, "a job comes at each time, as with Allow" },
	{ "spec.jobTemplate.metadata.*", SL_IGNORED, "labels and annotations are the CronJob's" },
	{ "spec.jobTemplate.spec.parallelism", SL_MODELLED, NULL },
	{ "spec.jobTemplate.spec.completions", SL_APPROXIMATED,
		"as many pods as run at a time, all for the run time" },
	{ "spec.jobTemplate.spec.activeDeadlineSeconds", SL_MODELLED, NULL },
	{ "spec.jobTemplate.spec.template.@pod", SL_MODELLED, NULL },
	{ "spec.jobTemplate.spec.*", SL_IGNORED, nothing },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

#define ARGO_CALL(of)                                                                             \
	{ of ".name", SL_MODELLED, NULL }, { of ".template", SL_MODELLED, NULL },                 \
		{ of ".templateRef.*", SL_MODELLED, "of the file" },                              \
		{ of ".arguments.parameters.*", SL_MODELLED, NULL },                              \
		{ of ".arguments.*", SL_IGNORED, "artifacts are there" },                         \
		{ of ".withItems", SL_MODELLED, NULL }, { of ".withItems.*", SL_MODELLED, NULL }, \
		{ of ".withSequence.*", SL_MODELLED, NULL },                                      \
	{                                                                                         \
		of ".continueOn.*", SL_IGNORED, no_failures                                       \
	}
#define ARGO_CONTAINER(of)                                                              \
	{ of ".resources.*", SL_MODELLED, NULL }, { of ".ports.*", SL_MODELLED, NULL }, \
		{ of ".restartPolicy", SL_MODELLED, NULL },                             \
	{                                                                               \
		of ".*", SL_IGNORED, nothing                                            \
	}

static const struct kube_field workflow[] = {
	{ "spec.entrypoint", SL_MODELLED, NULL },
	{ "spec.arguments.parameters.*", SL_MODELLED, NULL },
	{ "spec.workflowTemplateRef.*", SL_MODELLED, "of the file" },
	{ "spec.parallelism", SL_MODELLED, NULL },
	{ "spec.onExit", SL_MODELLED, "behind all others" },
	{ "spec.suspend", SL_APPROXIMATED, "one that is suspended is refused" },
	{ "spec.nodeSelector.*", SL_MODELLED, NULL },
	{ "spec.affinity.*", SL_MODELLED, NULL },
	{ "spec.tolerations.*", SL_MODELLED, NULL },
	{ "spec.schedulerName", SL_MODELLED, NULL },
	{ "spec.podPriorityClassName", SL_MODELLED, NULL },
	{ "spec.podPriority", SL_MODELLED, NULL },
	{ "spec.podMetadata.*", SL_MODELLED, NULL },
	{ "spec.templates.name", SL_MODELLED, NULL },
	{ "spec.templates.inputs.parameters.*", SL_MODELLED, NULL },
	{ "spec.templates.inputs.*", SL_IGNORED, "artifacts are there" },
	ARGO_CALL("spec.templates.steps"),
	ARGO_CALL("spec.templates.dag.tasks"),
	{ "spec.templates.dag.tasks.dependencies", SL_MODELLED, NULL },
	{ "spec.templates.dag.tasks.depends", SL_MODELLED, "of names with && between them" },
	{ "spec.templates.dag.failFast", SL_IGNORED, no_failures },
	{ "spec.templates.suspend.duration", SL_MODELLED, NULL },
	ARGO_CONTAINER("spec.templates.container"),
	ARGO_CONTAINER("spec.templates.script"),
	ARGO_CONTAINER("spec.templates.containerSet.containers"),
	ARGO_CONTAINER("spec.templates.sidecars"),
	ARGO_CONTAINER("spec.templates.initContainers"),
	{ "spec.templates.resource.*", SL_APPROXIMATED,
		"a pod that requests nothing; what it makes is not read" },
	{ "spec.templates.metadata.*", SL_MODELLED, NULL },
	{ "spec.templates.nodeSelector.*", SL_MODELLED, NULL },
	{ "spec.templates.affinity.*", SL_MODELLED, NULL },
	{ "spec.templates.tolerations.*", SL_MODELLED, NULL },
	{ "spec.templates.schedulerName", SL_MODELLED, NULL },
	{ "spec.templates.priorityClassName", SL_MODELLED, NULL },
	{ "spec.templates.priority", SL_MODELLED, NULL },
	{ "spec.templates.parallelism", SL_MODELLED, "of the entrypoint" },
	{ "spec.templates.activeDeadlineSeconds", SL_MODELLED, NULL },
	{ "spec.templates.retryStrategy.*", SL_IGNORED, no_failures },
	{ "spec.templates.*", SL_IGNORED, nothing },
	{ "spec.activeDeadlineSeconds", SL_IGNORED, "of all its pods together: give templates theirs" },
	{ "spec.*", SL_IGNORED, nothing },
	{ "status.*", SL_IGNORED, anew },
};

const struct kube_kind kube_made_kinds[] = {
	{ "RayJob", "ray.io", ray_job, SL_LEN(ray_job) },
	{ "RayCluster", "ray.io", ray_cluster, SL_LEN(ray_cluster) },
	{ "RayService", "ray.io", ray_service, SL_LEN(ray_service) },
	{ "PyTorchJob", "kubeflow.org", pytorch, SL_LEN(pytorch) },
	{ "TFJob", "kubeflow.org", tf, SL_LEN(tf) },
	{ "XGBoostJob", "kubeflow.org", xgboost, SL_LEN(xgboost) },
	{ "PaddleJob", "kubeflow.org", paddle, SL_LEN(paddle) },
	{ "JAXJob", "kubeflow.org", jax, SL_LEN(jax) },
	{ "MXJob", "kubeflow.org", mx, SL_LEN(mx) },
	{ "MPIJob", "kubeflow.org", mpi, SL_LEN(mpi) },
	{ "TrainJob", "trainer.kubeflow.org", train_job, SL_LEN(train_job) },
	{ "ClusterTrainingRuntime", "trainer.kubeflow.org", runtime, SL_LEN(runtime) },
	{ "TrainingRuntime", "trainer.kubeflow.org", runtime, SL_LEN(runtime) },
	{ "AppWrapper", "workload.codeflare.dev", app_wrapper, SL_LEN(app_wrapper) },
	{ "SparkApplication", "sparkoperator.k8s.io", spark, SL_LEN(spark) },
	{ "Job.batch.volcano.sh", "batch.volcano.sh", volcano, SL_LEN(volcano) },
	{ "Deployment", "apps", deployment, SL_LEN(deployment) },
	{ "ReplicaSet", "apps", deployment, SL_LEN(deployment) },
	{ "StatefulSet", "apps", stateful_set, SL_LEN(stateful_set) },
	{ "CronJob", "batch", cron_job, SL_LEN(cron_job) },
	{ "Workflow", "argoproj.io", workflow, SL_LEN(workflow) },
};
const size_t kube_made_count = SL_LEN(kube_made_kinds);

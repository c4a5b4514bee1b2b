/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reasons.h - why a job waits (Slurm's reasons, and others), and by which rule a policy decided. */
#ifndef SL_PLUGIN_REASONS_H
#define SL_PLUGIN_REASONS_H

#include "job.h"

struct sl_pass;

/* Why a job waits: Slurm's words where Slurm has one. Of those that any policy may set:
 * PRIORITY other jobs go first; RESOURCES it is first, and does not fit; BEGIN_TIME not before its recorded
 * or requested time; QUOTA its account (or user, or other owner of a quota) is beyond its guaranteed quota;
 * NEVER its dependency can no longer be satisfied; ARRAY_LIMIT so many tasks of its array run as may. The
 * others are Slurm's, but for CONFIGURING (Slurm's state CF, which has no reason): its nodes boot. The engine
 * sets BAD_CONSTRAINTS for a job that can never fit on the cluster, where no policy sets a reason of its own,
 * and LEFT for the first in the queue if it fits: as a run is over, or where the decision comes from outside.
 * X(name, word) */
/* clang-format off */
#define SL_REASONS(X) \
	X(NONE, "None") \
	X(PRIORITY, "Priority") \
	X(RESOURCES, "Resources") \
	X(BEGIN_TIME, "BeginTime") \
	X(DEPENDENCY, "Dependency") \
	X(QUOTA, "Quota") \
	X(NEVER, "DependencyNeverSatisfied") \
	X(ARRAY_LIMIT, "JobArrayTaskLimit") \
	X(HELD, "JobHeldUser") \
	X(HELD_ADMIN, "JobHeldAdmin") \
	X(REQUEUED_HELD, "job_requeued_in_held_state") \
	X(LICENSES, "Licenses") \
	X(PARTITION_NODES, "PartitionNodeLimit") \
	X(PARTITION_TIME, "PartitionTimeLimit") \
	X(PARTITION_DOWN, "PartitionDown") \
	X(PARTITION_INACTIVE, "PartitionInactive") \
	X(PARTITION_CONFIG, "PartitionConfig") \
	X(MEM_LIMIT, "MaxMemPerLimit") \
	X(ACCOUNT, "AccountNotAllowed") \
	X(QOS, "QOSNotAllowed") \
	X(RESERVATION, "Reservation") \
	X(RESERVATION_DELETED, "ReservationDeleted") \
	X(NODES_NOT_AVAIL, "ReqNodeNotAvail") \
	X(NODES_RESERVED, "ReqNodeNotAvail,_May_be_reserved_for_other_job") \
	X(NODES_MAINT, "ReqNodeNotAvail,_Reserved_for_maintenance") \
	X(NODES_DOWN, "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions") \
	X(BAD_CONSTRAINTS, "BadConstraints") \
	X(DEADLINE, "DeadLine") \
	X(NODE_DOWN, "NodeDown") \
	X(INVALID_ACCOUNT, "InvalidAccount") \
	X(INVALID_QOS, "InvalidQOS") \
	X(QOS_USAGE, "QOSUsageThreshold") \
	X(ASSOC_GRP_CPU, "AssocGrpCpuLimit") \
	X(ASSOC_GRP_MEM, "AssocGrpMemLimit") \
	X(ASSOC_GRP_NODE, "AssocGrpNodeLimit") \
	X(ASSOC_GRP_GRES, "AssocGrpGRES") \
	X(ASSOC_GRP_LICENSE, "AssocGrpLicense") \
	X(ASSOC_GRP_BILLING, "AssocGrpBilling") \
	X(ASSOC_GRP_CPU_MINS, "AssocGrpCPUMinutesLimit") \
	X(ASSOC_GRP_MEM_MINS, "AssocGrpMemMinutes") \
	X(ASSOC_GRP_NODE_MINS, "AssocGrpNodeMinutes") \
	X(ASSOC_GRP_GRES_MINS, "AssocGrpGRESMinutes") \
	X(ASSOC_GRP_LICENSE_MINS, "AssocGrpLicenseMinutes") \
	X(ASSOC_GRP_BILLING_MINS, "AssocGrpBillingMinutes") \
	X(ASSOC_GRP_CPU_RUN_MINS, "AssocGrpCPURunMinutesLimit") \
	X(ASSOC_GRP_MEM_RUN_MINS, "AssocGrpMemRunMinutes") \
	X(ASSOC_GRP_NODE_RUN_MINS, "AssocGrpNodeRunMinutes") \
	X(ASSOC_GRP_GRES_RUN_MINS, "AssocGrpGRESRunMinutes") \
	X(ASSOC_GRP_LICENSE_RUN_MINS, "AssocGrpLicenseRunMinutes") \
	X(ASSOC_GRP_BILLING_RUN_MINS, "AssocGrpBillingRunMinutes") \
	X(ASSOC_MAX_CPU_JOB, "AssocMaxCpuPerJobLimit") \
	X(ASSOC_MAX_MEM_JOB, "AssocMaxMemPerJob") \
	X(ASSOC_MAX_NODE_JOB, "AssocMaxNodePerJobLimit") \
	X(ASSOC_MAX_GRES_JOB, "AssocMaxGRESPerJob") \
	X(ASSOC_MAX_LICENSE_JOB, "AssocMaxLicensePerJob") \
	X(ASSOC_MAX_BILLING_JOB, "AssocMaxBillingPerJob") \
	X(ASSOC_MAX_CPU_NODE, "AssocMaxCpuPerNode") \
	X(ASSOC_MAX_MEM_NODE, "AssocMaxMemPerNode") \
	X(ASSOC_MAX_GRES_NODE, "AssocMaxGRESPerNode") \
	X(ASSOC_MAX_CPU_MINS_JOB, "AssocMaxCpuMinutesPerJobLimit") \
	X(ASSOC_MAX_MEM_MINS_JOB, "AssocMaxMemMinutesPerJob") \
	X(ASSOC_MAX_NODE_MINS_JOB, "AssocMaxNodeMinutesPerJob") \
	X(ASSOC_MAX_GRES_MINS_JOB, "AssocMaxGRESMinutesPerJob") \
	X(ASSOC_MAX_LICENSE_MINS_JOB, "AssocMaxLicenseMinutesPerJob") \
	X(ASSOC_MAX_BILLING_MINS_JOB, "AssocMaxBillingMinutesPerJob") \
	X(ASSOC_GRP_JOBS, "AssocGrpJobsLimit") \
	X(ASSOC_GRP_SUBMIT, "AssocGrpSubmitJobsLimit") \
	X(ASSOC_GRP_WALL, "AssocGrpWallLimit") \
	X(ASSOC_MAX_WALL, "AssocMaxWallDurationPerJobLimit") \
	X(ASSOC_MAX_JOBS, "AssocMaxJobsLimit") \
	X(ASSOC_MAX_SUBMIT, "AssocMaxSubmitJobLimit") \
	X(QOS_GRP_CPU, "QOSGrpCpuLimit") \
	X(QOS_GRP_MEM, "QOSGrpMemLimit") \
	X(QOS_GRP_NODE, "QOSGrpNodeLimit") \
	X(QOS_GRP_GRES, "QOSGrpGRES") \
	X(QOS_GRP_LICENSE, "QOSGrpLicense") \
	X(QOS_GRP_BILLING, "QOSGrpBilling") \
	X(QOS_GRP_CPU_MINS, "QOSGrpCPUMinutesLimit") \
	X(QOS_GRP_MEM_MINS, "QOSGrpMemMinutes") \
	X(QOS_GRP_NODE_MINS, "QOSGrpNodeMinutes") \
	X(QOS_GRP_GRES_MINS, "QOSGrpGRESMinutes") \
	X(QOS_GRP_LICENSE_MINS, "QOSGrpLicenseMinutes") \
	X(QOS_GRP_BILLING_MINS, "QOSGrpBillingMinutes") \
	X(QOS_GRP_CPU_RUN_MINS, "QOSGrpCPURunMinutesLimit") \
	X(QOS_GRP_MEM_RUN_MINS, "QOSGrpMemRunMinutes") \
	X(QOS_GRP_NODE_RUN_MINS, "QOSGrpNodeRunMinutes") \
	X(QOS_GRP_GRES_RUN_MINS, "QOSGrpGRESRunMinutes") \
	X(QOS_GRP_LICENSE_RUN_MINS, "QOSGrpLicenseRunMinutes") \
	X(QOS_GRP_BILLING_RUN_MINS, "QOSGrpBillingRunMinutes") \
	X(QOS_MAX_CPU_JOB, "QOSMaxCpuPerJobLimit") \
	X(QOS_MAX_MEM_JOB, "QOSMaxMemPerJob") \
	X(QOS_MAX_NODE_JOB, "QOSMaxNodePerJobLimit") \
	X(QOS_MAX_GRES_JOB, "QOSMaxGRESPerJob") \
	X(QOS_MAX_LICENSE_JOB, "QOSMaxLicensePerJob") \
	X(QOS_MAX_BILLING_JOB, "QOSMaxBillingPerJob") \
	X(QOS_MAX_CPU_NODE, "QOSMaxCpuPerNode") \
	X(QOS_MAX_MEM_NODE, "QOSMaxMemPerNode") \
	X(QOS_MAX_GRES_NODE, "QOSMaxGRESPerNode") \
	X(QOS_MAX_CPU_MINS_JOB, "QOSMaxCpuMinutesPerJobLimit") \
	X(QOS_MAX_MEM_MINS_JOB, "QOSMaxMemMinutesPerJob") \
	X(QOS_MAX_NODE_MINS_JOB, "QOSMaxNodeMinutesPerJob") \
	X(QOS_MAX_GRES_MINS_JOB, "QOSMaxGRESMinutesPerJob") \
	X(QOS_MAX_LICENSE_MINS_JOB, "QOSMaxLicenseMinutesPerJob") \
	X(QOS_MAX_BILLING_MINS_JOB, "QOSMaxBillingMinutesPerJob") \
	X(QOS_GRP_JOBS, "QOSGrpJobsLimit") \
	X(QOS_GRP_SUBMIT, "QOSGrpSubmitJobsLimit") \
	X(QOS_GRP_WALL, "QOSGrpWallLimit") \
	X(QOS_MAX_WALL, "QOSMaxWallDurationPerJobLimit") \
	X(QOS_MAX_CPU_USER, "QOSMaxCpuPerUserLimit") \
	X(QOS_MAX_MEM_USER, "QOSMaxMemoryPerUser") \
	X(QOS_MAX_NODE_USER, "QOSMaxNodePerUserLimit") \
	X(QOS_MAX_GRES_USER, "QOSMaxGRESPerUser") \
	X(QOS_MAX_LICENSE_USER, "QOSMaxLicensePerUser") \
	X(QOS_MAX_BILLING_USER, "QOSMaxBillingPerUser") \
	X(QOS_MAX_CPU_ACCOUNT, "MaxCpuPerAccount") \
	X(QOS_MAX_MEM_ACCOUNT, "MaxMemoryPerAccount") \
	X(QOS_MAX_NODE_ACCOUNT, "MaxNodePerAccount") \
	X(QOS_MAX_GRES_ACCOUNT, "MaxGRESPerAccount") \
	X(QOS_MAX_LICENSE_ACCOUNT, "MaxLicensePerAccount") \
	X(QOS_MAX_BILLING_ACCOUNT, "MaxBillingPerAccount") \
	X(QOS_MIN_CPU, "QOSMinCpuNotSatisfied") \
	X(QOS_MIN_MEM, "QOSMinMemory") \
	X(QOS_MIN_NODE, "QOSMinNode") \
	X(QOS_MIN_GRES, "QOSMinGRES") \
	X(QOS_MIN_LICENSE, "QOSMinLicense") \
	X(QOS_MIN_BILLING, "QOSMinBilling") \
	X(QOS_MAX_JOBS_USER, "QOSMaxJobsPerUserLimit") \
	X(QOS_MAX_SUBMIT_USER, "QOSMaxSubmitJobPerUserLimit") \
	X(QOS_MAX_JOBS_ACCOUNT, "MaxJobsPerAccount") \
	X(QOS_MAX_SUBMIT_ACCOUNT, "MaxSubmitJobsPerAccount") \
	X(ASSOC_MAX_BILLING_NODE, "AssocMaxBillingPerNode") \
	X(ASSOC_MAX_UNKNOWN_NODE, "AssocMaxUnknownPerNode") \
	X(QOS_MAX_BILLING_NODE, "QOSMaxBillingPerNode") \
	X(QOS_MAX_UNKNOWN_NODE, "QOSMaxUnknownPerNode") \
	X(CONFIGURING, "Configuring") \
	X(POWER, "PowerNotAvail") \
	X(NO_MATCHING_FLAVOR, "NoMatchingFlavor") \
	X(EXCEEDS_MAX_QUOTA, "ExceedsMaxQuota") \
	X(WAITING_FOR_QUOTA, "WaitingForQuota") \
	X(TOPOLOGY, "TopologyPlacementFailed") \
	X(WAITING_FOR_PREEMPTED, "WaitingForPreemptedWorkloads") \
	X(MISCONFIGURED, "Misconfigured") \
	X(QUEUE_STOPPED, "Suspended") \
	X(PENDING_EVALUATION, "PendingEvaluation") \
	X(WAITING_FOR_PODS_READY, "WaitingForPodsReady") \
	X(ADMISSION_CHECKS, "WaitingForAdmissionChecks") \
	X(BACKOFF, "BackoffRequeue") \
	X(UNSCHEDULABLE, "Unschedulable") \
	X(SCHEDULING_GATED, "SchedulingGated") \
	X(OVER_LIMIT, "OverLimit") \
	X(NP_OVER_QUOTA, "NonPreemptibleOverQuota") \
	X(PREEMPTION_DELAY, "PreemptionDelayNotElapsed") \
	X(QUEUE_DOES_NOT_EXIST, "QueueDoesNotExist") \
	X(POD_ERRORS, "PodSchedulingErrors") \
	X(LEFT, "LeftByPolicy")
/* clang-format on */
enum sl_reason {
#define SL_REASON_ENTRY(name, word) SL_REASON_##name,
	SL_REASONS(SL_REASON_ENTRY)
#undef SL_REASON_ENTRY
		SL_REASON_COUNT
};
SL_API const char *sl_reason_name(enum sl_reason reason);
/* What it means for the job, in plain words, as a clause after "it waited because": "other jobs are before it
 * in the queue". Every reason has one. */
SL_API const char *sl_reason_words(enum sl_reason reason);

/* ---- Why: reported by policies, recorded on request ---------------------------------- */

/* By which rule a policy decided: X(name, word, words), the words as a clause after the job ("job 7
 * started: ..."). */
/* clang-format off */
#define SL_RULES(X) \
	X(NONE, "none", "its policy does not say by which rule") \
	X(ORDER, "order", "its turn had come in the order of the queue") \
	X(FILL, "fill", "it fitted, whoever stood before it") \
	X(BACKFILL, "backfill", "it fitted without delaying any start that was planned for others") \
	X(PROMISE, "promise", "the time that it was promised had come") \
	X(SHARE, "share", "its party was furthest below its share") \
	X(QUOTA, "quota", "its party was within its quota") \
	X(BORROW, "borrow", "its party borrowed what others left idle") \
	X(SLICE, "slice", "its turn in the rotation had come, or was over") \
	X(RANK, "rank", "another of higher rank needed the room") \
	X(RECLAIM, "reclaim", "the owner of the quota claimed it back") \
	X(OPERATOR, "operator", "an operator's command said so") \
	X(WINDOW, "window", "a reservation or outage began, or its own was over") \
	X(DEADLINE, "deadline", "its deadline could not be met any more") \
	X(LIMIT, "limit", "its time limit was over") \
	X(SLACK, "slack", "it fitted, and no promise slipped beyond its slack") \
	X(LESS_LEFT, "less_left", "another had less left to run") \
	X(RECORDED, "recorded", "the log says so") \
	X(LOSS, "loss", "there was no room as it came, and nobody waits") \
	X(REFUSED, "refused", "what it asked for is refused") \
	X(NEVER, "never", "what it depends on can no longer be") \
	X(NODE, "node", "its nodes failed, or were taken out of service") \
	X(ADMIT, "admit", "its queue admitted it within its quota") \
	X(READY, "ready", "its pods were not ready in time") \
	X(CHECK, "check", "an admission check said so") \
	X(STOPPED, "stopped", "its queue was stopped") \
	X(MIGRATE, "migrate", "a flavor that is tried before had room again")
/* clang-format on */
enum sl_rule {
#define SL_RULE_ENTRY(name, word, words) SL_RULE_##name,
	SL_RULES(SL_RULE_ENTRY)
#undef SL_RULE_ENTRY
		SL_RULE_COUNT
};
SL_API const char *sl_rule_name(enum sl_rule rule);
SL_API const char *sl_rule_words(enum sl_rule rule);
/* The commands that follow in this pass are by that rule, and `beneficiary` is the job in whose favour (the
 * head that a backfilled job does not delay, the job for which another is preempted); SL_JOB_NONE: none. A
 * pass begins with sl_default_rule's, and sl_undo restores what was set before the mark. Costs nothing unless
 * decisions are recorded. */
SL_API void sl_set_cause(struct sl_pass *pass, enum sl_rule rule, sl_job beneficiary);
/* The policy plans that waiting job's start for then (SL_NONE: no more), without a promise of the engine: a
 * shadow, an entry of a backfill map; SL_NEVER is none. Of several reports on a job in one pass the last
 * holds, until it starts, another is reported, or it is the head of the queue no more (sl_head_waits);
 * sl_report_plan(pass, SL_JOB_NONE, SL_NONE): all earlier reports are void. Promises that outlive a pass are
 * recorded without it. */
SL_API void sl_report_plan(struct sl_pass *pass, sl_job job, sl_time start);

#endif

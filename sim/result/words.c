/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * words.c - reasons and rules in plain words.
 *
 * A reason is a clause after "it waited because", a rule one after "job 7 started:". What Slurm's reasons
 * mean is of its resource_limits page, job_reason_codes, and job_reason_string() of 22.05.
 */
#include "sim/base/base.h"

/* clang-format off */

/* Of each resource that limits are of: the reasons between prefix and suffix, the words around it. */
#define OF_ALL(prefix, suffix, before, after) \
	[SL_REASON_##prefix##_CPU##suffix] = before " cpus " after, \
	[SL_REASON_##prefix##_MEM##suffix] = before " memory " after, \
	[SL_REASON_##prefix##_NODE##suffix] = before " nodes " after, \
	[SL_REASON_##prefix##_GRES##suffix] = before " GPUs or other generic resources " after, \
	[SL_REASON_##prefix##_LICENSE##suffix] = before " licences " after, \
	[SL_REASON_##prefix##_BILLING##suffix] = before " billing units " after

/* The same of time: cpu minutes, memory minutes... */
#define OF_ALL_MINUTES(prefix, suffix, before, after) \
	[SL_REASON_##prefix##_CPU##suffix] = before " cpu minutes " after, \
	[SL_REASON_##prefix##_MEM##suffix] = before " memory minutes " after, \
	[SL_REASON_##prefix##_NODE##suffix] = before " node minutes " after, \
	[SL_REASON_##prefix##_GRES##suffix] = before " minutes of GPUs or other generic resources " after, \
	[SL_REASON_##prefix##_LICENSE##suffix] = before " licence minutes " after, \
	[SL_REASON_##prefix##_BILLING##suffix] = before " billing minutes " after

static const char *const reason[SL_REASON_COUNT] = {
	[SL_REASON_NONE] = "nothing was known to keep it: no pass had looked at it yet",
	[SL_REASON_PRIORITY] = "other jobs were before it in the queue",
	[SL_REASON_RESOURCES] = "it was next, and what it asks for was not free",
	[SL_REASON_BEGIN_TIME] = "it was not to begin before a time that had not come yet",
	[SL_REASON_DEPENDENCY] = "a job that it depends on had not done yet what it waits for",
	[SL_REASON_QUOTA] = "with it those who share its quota would hold more than they may together, and no more was lent",
	[SL_REASON_NEVER] = "what it depends on can no longer be",
	[SL_REASON_ARRAY_LIMIT] = "as many tasks of its array as may run at once did",
	[SL_REASON_HELD] = "its user held it",
	[SL_REASON_HELD_ADMIN] = "an administrator held it, or its priority was set to 0",
	[SL_REASON_REQUEUED_HELD] = "it was put back into the queue and held there",
	[SL_REASON_LICENSES] = "licences that it asks for were not free",
	[SL_REASON_PARTITION_NODES] = "it asks for more nodes, or fewer, than its partition gives to a job, or than are up there",
	[SL_REASON_PARTITION_TIME] = "its time limit is beyond its partition's",
	[SL_REASON_PARTITION_DOWN] = "its partition was down: jobs could be submitted, none was started",
	[SL_REASON_PARTITION_INACTIVE] = "its partition was inactive: no job could be submitted or started",
	[SL_REASON_MEM_LIMIT] = "it asks for more memory on a node than its partition, or the cluster, gives to a job",
	[SL_REASON_PARTITION_CONFIG] = "its partition's configuration does not allow what it asks for",
	[SL_REASON_ACCOUNT] = "its account may not use its partition",
	[SL_REASON_QOS] = "its quality of service may not be used in its partition or by its account",
	[SL_REASON_RESERVATION] = "the reservation that it asks for had not begun, or was full",
	[SL_REASON_RESERVATION_DELETED] = "the reservation that it asks for was deleted",
	[SL_REASON_NODES_NOT_AVAIL] = "a node that it needs was down, drained or otherwise not to be had",
	[SL_REASON_NODES_RESERVED] = "nodes that it needs may be reserved for other jobs",
	[SL_REASON_NODES_MAINT] = "nodes that it needs were reserved for maintenance",
	[SL_REASON_NODES_DOWN] = "nodes that it needs were down, drained or reserved for jobs of partitions of higher priority",
	[SL_REASON_BAD_CONSTRAINTS] = "the cluster does not have what it asks for, or not where the job may run",
	[SL_REASON_DEADLINE] = "it cannot end before its deadline any more",
	[SL_REASON_NODE_DOWN] = "a node that it needs was down",
	[SL_REASON_INVALID_ACCOUNT] = "its user has no such account",
	[SL_REASON_INVALID_QOS] = "its user has no such quality of service",
	[SL_REASON_POWER] = "power was not to be had, or its price was too high",
	[SL_REASON_NO_MATCHING_FLAVOR] = "no flavor of its queue suits its pods",
	[SL_REASON_EXCEEDS_MAX_QUOTA] = "it asks for more than its queue could ever have",
	[SL_REASON_WAITING_FOR_QUOTA] = "the quota that it needs is in use",
	[SL_REASON_TOPOLOGY] = "there is quota, but no place in the topology",
	[SL_REASON_WAITING_FOR_PREEMPTED] = "those that make room for it have not stopped yet",
	[SL_REASON_MISCONFIGURED] = "its queue is missing something that it names",
	[SL_REASON_QUEUE_STOPPED] = "its queue is stopped",
	[SL_REASON_PENDING_EVALUATION] = "its turn to be looked at has not come",
	[SL_REASON_WAITING_FOR_PODS_READY] = "pods of others admitted before were not ready",
	[SL_REASON_ADMISSION_CHECKS] = "it has quota, and waits for admission checks",
	[SL_REASON_BACKOFF] = "it was evicted, and is not to try again yet",
	[SL_REASON_UNSCHEDULABLE] = "no node had room for its pods",
	[SL_REASON_SCHEDULING_GATED] = "its pods are held by a gate",
	[SL_REASON_OVER_LIMIT] = "with it its project, or a department above, would hold more than its limit",
	[SL_REASON_NP_OVER_QUOTA] = "it is not preemptible, and its project, or a department above, has no quota left for such jobs",
	[SL_REASON_PREEMPTION_DELAY] = "nothing was free, and it was not to have others evicted yet",
	[SL_REASON_QUEUE_DOES_NOT_EXIST] = "there is no such project or queue",
	[SL_REASON_POD_ERRORS] = "no node would do for one of its pods, and nobody had to leave for it",
	[SL_REASON_LEFT] = "what it asks for was free, it was the first in the queue, and the policy did not start it",
	[SL_REASON_CONFIGURING] = "its nodes had been chosen, and had to boot",
	[SL_REASON_QOS_USAGE] = "its account had used more than its quality of service lets it (usage threshold)",

	OF_ALL(ASSOC_GRP, , "its account's jobs together held all the", "that they may, or would with this one"),
	OF_ALL_MINUTES(ASSOC_GRP, _MINS, "its account had used up all the", "that it may, or would with this job"),
	OF_ALL_MINUTES(ASSOC_GRP, _RUN_MINS, "its account's running jobs had all the", "before them that they may, or would with this one"),
	OF_ALL(ASSOC_MAX, _JOB, "it asks for more", "than its account or user may hold in one job"),
	[SL_REASON_ASSOC_MAX_CPU_NODE] = "it asks for more cpus on a node than its account or user may",
	[SL_REASON_ASSOC_MAX_MEM_NODE] = "it asks for more memory on a node than its account or user may",
	[SL_REASON_ASSOC_MAX_GRES_NODE] = "it asks for more GPUs or other generic resources on a node than its account or user may",
	[SL_REASON_ASSOC_MAX_BILLING_NODE] = "it asks for more billing units on a node than its account or user may",
	[SL_REASON_ASSOC_MAX_UNKNOWN_NODE] = "it asks for more of some resource on a node than its account or user may",
	OF_ALL_MINUTES(ASSOC_MAX, _MINS_JOB, "by its time limit it would use more", "than its account or user may in one job"),
	[SL_REASON_ASSOC_GRP_JOBS] = "as many jobs of its account as may run at once did",
	[SL_REASON_ASSOC_GRP_SUBMIT] = "as many jobs of its account as may be submitted at once were",
	[SL_REASON_ASSOC_GRP_WALL] = "the wall clock time that its account may use was used up, or would be by this job",
	[SL_REASON_ASSOC_MAX_WALL] = "its time limit is beyond what its account or user may ask for",
	[SL_REASON_ASSOC_MAX_JOBS] = "as many jobs of its user in this account as may run at once did",
	[SL_REASON_ASSOC_MAX_SUBMIT] = "as many jobs of its user in this account as may be submitted at once were",

	OF_ALL(QOS_GRP, , "the jobs of its quality of service together held all the", "that they may, or would with this one"),
	OF_ALL_MINUTES(QOS_GRP, _MINS, "its quality of service had used up all the", "that it may, or would with this job"),
	OF_ALL_MINUTES(QOS_GRP, _RUN_MINS, "the running jobs of its quality of service had all the", "before them that they may, or would with this one"),
	OF_ALL(QOS_MAX, _JOB, "it asks for more", "than its quality of service lets one job hold"),
	[SL_REASON_QOS_MAX_CPU_NODE] = "it asks for more cpus on a node than its quality of service lets one job",
	[SL_REASON_QOS_MAX_MEM_NODE] = "it asks for more memory on a node than its quality of service lets one job",
	[SL_REASON_QOS_MAX_GRES_NODE] = "it asks for more GPUs or other generic resources on a node than its quality of service lets one job",
	[SL_REASON_QOS_MAX_BILLING_NODE] = "it asks for more billing units on a node than its quality of service lets one job",
	[SL_REASON_QOS_MAX_UNKNOWN_NODE] = "it asks for more of some resource on a node than its quality of service lets one job",
	OF_ALL_MINUTES(QOS_MAX, _MINS_JOB, "by its time limit it would use more", "than its quality of service lets one job"),
	[SL_REASON_QOS_GRP_JOBS] = "as many jobs of its quality of service as may run at once did",
	[SL_REASON_QOS_GRP_SUBMIT] = "as many jobs of its quality of service as may be submitted at once were",
	[SL_REASON_QOS_GRP_WALL] = "the wall clock time that its quality of service may use was used up, or would be by this job",
	[SL_REASON_QOS_MAX_WALL] = "its time limit is beyond what its quality of service lets a job ask for",
	OF_ALL(QOS_MAX, _USER, "its user's jobs held all the", "that one user may in its quality of service, or would with this one"),
	OF_ALL(QOS_MAX, _ACCOUNT, "its account's jobs held all the", "that one account may in its quality of service, or would with this one"),
	[SL_REASON_QOS_MIN_CPU] = "it asks for fewer cpus than its quality of service is for",
	[SL_REASON_QOS_MIN_MEM] = "it asks for less memory than its quality of service is for",
	[SL_REASON_QOS_MIN_NODE] = "it asks for fewer nodes than its quality of service is for",
	[SL_REASON_QOS_MIN_GRES] = "it asks for fewer GPUs or other generic resources than its quality of service is for",
	[SL_REASON_QOS_MIN_LICENSE] = "it asks for fewer licences than its quality of service is for",
	[SL_REASON_QOS_MIN_BILLING] = "it asks for fewer billing units than its quality of service is for",
	[SL_REASON_QOS_MAX_JOBS_USER] = "as many jobs of its user in its quality of service as may run at once did",
	[SL_REASON_QOS_MAX_SUBMIT_USER] = "as many jobs of its user in its quality of service as may be submitted at once were",
	[SL_REASON_QOS_MAX_JOBS_ACCOUNT] = "as many jobs of its account in its quality of service as may run at once did",
	[SL_REASON_QOS_MAX_SUBMIT_ACCOUNT] = "as many jobs of its account in its quality of service as may be submitted at once were",
};
/* clang-format on */

const char *sl_reason_words(enum sl_reason of)
{
	SL_CHECK(of < SL_REASON_COUNT && reason[of]);
	return reason[of];
}

const char *sl_rule_name(enum sl_rule rule)
{
	static const char *const name[SL_RULE_COUNT] = {
#define SL_RULE_WORD(name, word, words) word,
		SL_RULES(SL_RULE_WORD)
#undef SL_RULE_WORD
	};
	SL_CHECK(rule < SL_RULE_COUNT);
	return name[rule];
}

const char *sl_rule_words(enum sl_rule rule)
{
	static const char *const words[SL_RULE_COUNT] = {
#define SL_RULE_WORDS(name, word, clause) clause,
		SL_RULES(SL_RULE_WORDS)
#undef SL_RULE_WORDS
	};
	SL_CHECK(rule < SL_RULE_COUNT);
	return words[rule];
}

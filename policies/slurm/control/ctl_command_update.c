/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command_update.c - what scontrol update changes of a job or a partition: one key at a time.
 */
#include "policies/slurm/control/ctl_command.h"

#include <string.h>
#include <strings.h>

/* ---- A job's request ------------------------------------------------------------------------- */

/* Jobs share their requests: one that is changed gets its own. */
static struct sl_job_desc *own_desc(struct ctl *c, struct ctl_job *job)
{
	struct sl_job_desc *desc = sl_alloc(c->arena, 1, sizeof(*desc));
	if (!desc) {
		controller_no_memory(&c->engine);
		return NULL;
	}
	*desc = job->preferred ? *job->constrained : *job->desc.desc;
	job->desc.desc = desc;
	return desc;
}

/* Of one number scontrol of 22.05 sets the least alone, and slurmctld refuses what is beyond the job's most;
 * later ones set both (verify_node_count()). */
static bool set_nodes(const struct ctl *c, struct sl_job_desc *desc, const struct command_pair *pair)
{
	int64_t most = pair->second;
	if (most == SL_NONE)
		most = c->params.version >= CTL_23_02 ? pair->number : desc->nodes_max;
	if (most != SL_NONE && most < pair->number)
		return false;
	desc->nodes_min = pair->number;
	desc->nodes_max = most;
	desc->node_sizes = NULL;
	return true;
}

/* The tasks that have to fit beside the cpus by which its nodes are chosen. */
static bool set_tasked(struct ctl *c, struct ctl_job *job, const struct sl_job_desc *desc, int64_t tasks)
{
	struct sl_job_desc *tasked = sl_alloc(c->arena, 1, sizeof(*tasked));
	if (!tasked) {
		controller_no_memory(&c->engine);
		return false;
	}
	*tasked = *desc;
	tasked->tasks = tasks;
	job->tasked = tasked;
	return true;
}

/* Fewer cpus than its tasks have: its nodes are chosen by these, and from 23.02 on it starts only where all
 * of its tasks have theirs (_dist_tasks_compute_c_b()). Before, the tasks shared them. */
static bool set_cpus(
	struct ctl *c, struct ctl_job *job, struct sl_job_desc *desc, const struct command_pair *pair)
{
	const int64_t each = desc->cpus_per_task == SL_NONE ? 1 : desc->cpus_per_task;
	const int64_t all = job->tasked ? job->tasked->tasks : desc->tasks;
	desc->tasks = (pair->number + each - 1) / each;
	job->tasked = NULL;
	return c->params.version < CTL_23_02 || all == SL_NONE || all <= desc->tasks ||
	       set_tasked(c, job, desc, all);
}

static const char *text_or_none(const char *text) { return *text ? text : NULL; }

static bool set_desc(struct sl_job_desc *desc, const struct command_pair *pair)
{
	const char *key = pair->key;
	if (strcmp(key, "NumTasks") == 0)
		desc->tasks = pair->number;
	else if (strcmp(key, "Features") == 0)
		desc->constraint = text_or_none(pair->value);
	else if (strcmp(key, "ReqNodeList") == 0)
		desc->nodelist = text_or_none(pair->value);
	else if (strcmp(key, "ExcNodeList") == 0)
		desc->exclude = text_or_none(pair->value);
	else if (strcmp(key, "Contiguous") == 0)
		desc->contiguous = pair->number != 0;
	else if (strcmp(key, "Licenses") == 0)
		desc->licenses = text_or_none(pair->value);
	else
		return false;
	return true;
}

static bool set_memory(struct sl_job_desc *desc, const struct command_pair *pair)
{
	const bool node = strcmp(pair->key, "MinMemoryNode") == 0;
	desc->mem_per_node = node ? pair->number : SL_NONE;
	desc->mem_per_cpu = node ? SL_NONE : pair->number;
	return true;
}

static bool change_desc(
	struct ctl *c, struct ctl_job *job, struct sl_job_desc *desc, const struct command_pair *pair)
{
	if (strcmp(pair->key, "NumNodes") == 0)
		return set_nodes(c, desc, pair);
	if (strcmp(pair->key, "NumCPUs") == 0)
		return set_cpus(c, job, desc, pair);
	if (!(strncmp(pair->key, "MinMemory", 9) == 0 ? set_memory(desc, pair) : set_desc(desc, pair)))
		return false;
	if (strcmp(pair->key, "NumTasks") == 0)
		job->tasked = NULL;
	return !job->tasked || set_tasked(c, job, desc, job->tasked->tasks);
}

static bool update_desc(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	if (job->state != CTL_PENDING)
		return false;
	if (strcmp(pair->key, "Licenses") == 0 && !ctl_license_set(c, job, pair->value))
		return false;
	const struct sl_job_desc *before = job->desc.desc;
	struct sl_job_desc *desc = own_desc(c, job);
	if (!desc)
		return false;
	if (!change_desc(c, job, desc, pair)) {
		job->desc.desc = before;
		return false;
	}
	if (!ctl_job_sizes(c, job))
		return false;
	if (!ctl_job_prefer(c, job, job->preferred ? job->preferred->constraint : NULL))
		return false;
	ctl_job_asks(c, job);
	ctl_prio_update(c, job);
	return true;
}

static bool set_prefer(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	if (job->state != CTL_PENDING)
		return false;
	if (job->preferred)
		job->desc.desc = job->constrained;
	return ctl_job_prefer(c, job, text_or_none(pair->value));
}

/* ---- Its times ------------------------------------------------------------------------------- */

static bool set_limit(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	const int64_t old = job->time_limit;
	int64_t limit = pair->number;
	if (pair->sign && old != CTL_NEVER && limit != CTL_NEVER)
		limit = old + (pair->sign == '+' ? limit : -limit);
	if (limit <= 0)
		return false;
	job->time_limit = job->limit_set = limit;
	job->limit_of_limits = false;
	if (job->state == CTL_PENDING)
		return true;
	ctl_limits_alter(c, job, old);
	const int64_t stood = job->suspended;
	job->end_limit =
		limit == CTL_NEVER ? job->start + INT64_C(31536000) : job->start + limit * 60 + stood;
	ctl_limit_moved(c, job);
	return true;
}

static bool set_begin(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	if (job->state != CTL_PENDING)
		return false;
	job->begin = pair->number > c->now ? pair->number : CTL_NONE;
	return true;
}

/* ---- Its place in the queue ------------------------------------------------------------------ */

/* Its pairs have it too; but of a list of QOS only as many of them as it has partitions, of one partition
 * none: the others keep theirs until it is held and released. */
static void give_pairs(struct ctl_job *job)
{
	if (!job->qos_count)
		job->priority_part = NULL;
	for (uint32_t i = 0; job->priority_part && job->part_count > 1 && i < job->part_count; i++)
		job->priority_part[i] = job->priority;
}

static bool set_priority(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	int64_t priority;
	if (job->state != CTL_PENDING)
		return false;
	if (strcasecmp(pair->value, "INFINITE") == 0 || strcmp(pair->value, "-1") == 0) {
		ctl_release_hold(c, job);
		return true;
	}
	if (!sl_get_i64(pair->value, strlen(pair->value), &priority) || priority < 0 ||
		priority >= UINT32_MAX - 2)
		return false;
	if (!priority) {
		ctl_hold(c, job, false);
		return true;
	}
	const bool held = !job->priority;
	job->priority = (uint32_t)priority;
	give_pairs(job);
	job->direct_priority = true;
	if (held)
		ctl_set_reason(c, job, SL_REASON_NONE);
	return true;
}

/* It is subtracted from its old QOS's counts, and added to the new one's. The one that it has by now, or of a
 * list is tried with, changes nothing: the list stays. */
static bool set_qos(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	struct ctl_job next = *job;
	if (!*pair->value || !ctl_acct_qos_set(c, &next, pair->value, true) || next.qos == CTL_NO_ROW)
		return false;
	if (!next.qos_count && next.qos == job->qos)
		return true;
	if (job->state != CTL_PENDING)
		return false;
	ctl_limits_accrued(c, job);
	ctl_limits_submitted(c, job, false);
	job->qos = next.qos;
	job->qoses = next.qoses;
	job->qos_count = next.qos_count;
	job->priority_part = NULL;
	ctl_limits_submitted(c, job, true);
	ctl_prio_update(c, job);
	return true;
}

static bool set_account(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	const char *part = job->part < c->part_count ? c->part[job->part].name : NULL;
	const uint32_t assoc = ctl_assoc_of(c, job->user_name, pair->value, part);
	if (job->state != CTL_PENDING || (assoc == CTL_NO_ROW && c->params.enforce_assoc))
		return false;
	ctl_limits_accrued(c, job);
	ctl_limits_submitted(c, job, false);
	job->account = pair->value;
	job->assoc = assoc;
	ctl_limits_submitted(c, job, true);
	ctl_prio_update(c, job);
	return true;
}

static bool set_partition(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	if (job->state != CTL_PENDING)
		return false;
	ctl_limits_accrued(c, job);
	ctl_limits_submitted(c, job, false);
	const bool known = ctl_parts_set(c, job, pair->value);
	if (known) {
		job->priority_part = NULL;
		ctl_job_asks(c, job);
		ctl_prio_update(c, job);
	}
	ctl_limits_submitted(c, job, true);
	return known;
}

static bool set_throttle(struct ctl *c, const struct ctl_job *job, const struct command_pair *pair)
{
	if (job->array == CTL_NO_ROW || pair->number < 0)
		return false;
	c->array[job->array].limit = pair->number;
	return true;
}

static bool set_dependency(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	if (job->state != CTL_PENDING || !ctl_depend_set(c, job, pair->value))
		return false;
	if (job->reason == SL_REASON_NEVER || job->reason == SL_REASON_DEPENDENCY)
		ctl_set_reason(c, job, SL_REASON_NONE);
	return true;
}

static bool set_nice(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	job->nice = pair->number;
	ctl_prio_update(c, job);
	return true;
}

bool command_update_job(struct ctl *c, struct ctl_job *job, const struct command_pair *pair)
{
	static const struct {
		const char *key;
		bool (*set)(struct ctl *, struct ctl_job *, const struct command_pair *);
	} sets[] = {
		{ "Priority", set_priority },
		{ "TimeLimit", set_limit },
		{ "StartTime", set_begin },
		{ "QOS", set_qos },
		{ "Account", set_account },
		{ "Partition", set_partition },
		{ "Dependency", set_dependency },
		{ "Nice", set_nice },
		{ "Prefer", set_prefer },
	};
	if (job->state == CTL_NOT_SUBMITTED || job->state == CTL_ENDED)
		return false;
	for (size_t i = 0; i < SL_LEN(sets); i++)
		if (strcmp(sets[i].key, pair->key) == 0)
			return sets[i].set(c, job, pair);
	if (strcmp(pair->key, "ArrayTaskThrottle") == 0)
		return set_throttle(c, job, pair);
	if (strcmp(pair->key, "ReservationName") == 0)
		return ctl_resv_change(c, job, pair->value);
	if (strcmp(pair->key, "TimeMin") == 0)
		job->time_min = pair->number;
	else if (strcmp(pair->key, "Deadline") == 0)
		job->deadline = pair->number;
	else if (strcmp(pair->key, "Requeue") == 0)
		job->requeue_ok = pair->number != 0;
	else
		return update_desc(c, job, pair);
	return true;
}

/* ---- A partition ----------------------------------------------------------------------------- */

static bool set_state(struct ctl_part *part, const char *text)
{
	static const struct {
		const char *word;
		enum sl_partition_state state;
	} states[] = { { "UP", SL_PARTITION_UP }, { "DOWN", SL_PARTITION_DOWN },
		{ "DRAIN", SL_PARTITION_DRAIN }, { "INACTIVE", SL_PARTITION_INACTIVE } };
	for (size_t i = 0; i < SL_LEN(states); i++)
		if (strcasecmp(states[i].word, text) == 0) {
			part->state = states[i].state;
			return true;
		}
	return false;
}

static bool set_preempt_mode(struct ctl_part *part, const char *text)
{
	static const char *const words[] = { [CTL_PREEMPT_OFF] = "OFF",
		[CTL_PREEMPT_SUSPEND] = "SUSPEND",
		[CTL_PREEMPT_REQUEUE] = "REQUEUE",
		[CTL_PREEMPT_CANCEL] = "CANCEL" };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(words[i], text) == 0) {
			part->preempt_mode = (enum ctl_preempt_mode)i;
			return true;
		}
	return false;
}

/* Numbers, by key. */
static int64_t *ctl_command_update_number_of(struct ctl_part *part, const char *key)
{
	const struct {
		const char *key;
		int64_t *number;
	} numbers[] = {
		{ "MaxTime", &part->max_time },
		{ "DefaultTime", &part->default_time },
		{ "MaxNodes", &part->nodes_max },
		{ "MinNodes", &part->nodes_min },
		{ "PriorityTier", &part->tier },
		{ "PriorityJobFactor", &part->job_factor },
		{ "GraceTime", &part->grace_time },
		{ "OverTimeLimit", &part->over_time },
		{ "SuspendTime", &part->suspend_time },
	};
	for (size_t i = 0; i < SL_LEN(numbers); i++)
		if (strcmp(numbers[i].key, key) == 0)
			return numbers[i].number;
	return NULL;
}

static const char **ctl_command_update_text_of(struct ctl_part *part, const char *key)
{
	return strcmp(key, "AllowAccounts") == 0  ? &part->allow_accounts
	       : strcmp(key, "DenyAccounts") == 0 ? &part->deny_accounts
	       : strcmp(key, "AllowQos") == 0     ? &part->allow_qos
	       : strcmp(key, "DenyQos") == 0      ? &part->deny_qos
						  : NULL;
}

bool command_update_partition(struct ctl *c, uint32_t row, const struct command_pair *pair)
{
	struct ctl_part *part = &c->part[row];
	SL_CHECK(part);
	const char *key = pair->key;
	int64_t *number = ctl_command_update_number_of(part, key);
	const char **text = ctl_command_update_text_of(part, key);
	if (number) {
		*number = pair->number;
		if (number == &part->nodes_max)
			select_set_nodes_max(
				c->select, row, pair->number == CTL_NEVER ? SL_NONE : pair->number);
		return true;
	}
	if (text) {
		*text = *pair->value && strcasecmp(pair->value, "ALL") != 0 ? pair->value : NULL;
		return true;
	}
	if (strcmp(key, "Priority") == 0)
		part->tier = part->job_factor = pair->number;
	else if (strcmp(key, "State") == 0)
		return set_state(part, pair->value);
	else if (strcmp(key, "PreemptMode") == 0)
		return set_preempt_mode(part, pair->value);
	else if (strcmp(key, "QOS") == 0)
		part->qos = *pair->value ? ctl_qos_named(c, pair->value, strlen(pair->value)) : CTL_NO_ROW;
	else if (strcmp(key, "Default") == 0 && pair->number)
		c->part_default = row;
	return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command_do.c - commands at their time, run as root. What slurmctld would refuse (a job that has ended,
 * or may not be requeued) does nothing, and is counted.
 */
#include "policies/slurm/control/ctl_command.h"

#include <string.h>
#include <strings.h>

/* ---- Jobs ------------------------------------------------------------------------------------ */

static bool ctl_command_do_hold(struct ctl *c, struct ctl_job *job, bool by_user)
{
	if (job->state != CTL_PENDING)
		return false;
	ctl_hold(c, job, by_user);
	return true;
}

/* job_requeue2(): batch jobs that run, unless they forbid it; of a heterogeneous job the leader, for all. */
static bool requeue(struct ctl *c, struct ctl_job *job, bool held)
{
	if (!ctl_is_active(job) || !job->requeue_ok || job->het_offset)
		return false;
	ctl_requeue(c, job, SL_PENDING, held);
	return true;
}

static bool suspend_one(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_RUNNING)
		return false;
	job->stopped_by_hand = true;
	ctl_suspend_by_hand(c, job);
	job->priority = 0; /* As if it were held. */
	return true;
}

static bool resume_one(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_SUSPENDED)
		return false;
	job->stopped_by_hand = false;
	ctl_resume_by_hand(c, job); /* Even if others have its cores by now: slurmctld does not look. */
	if (!job->priority)
		ctl_prio_submit(c, job);
	return true;
}

/* _job_suspend(): of a heterogeneous job all components, by its leader. */
static bool for_all(struct ctl *c, struct ctl_job *job, bool (*act)(struct ctl *c, struct ctl_job *one))
{
	bool done = true;
	if (!job->het)
		return act(c, job);
	if (job->het_offset)
		return false;
	for (uint32_t k = 0; k < job->het->count; k++)
		done &= act(c, ctl_het_component(c, job->het, k)) || k;
	return done;
}

static bool suspend(struct ctl *c, struct ctl_job *job) { return for_all(c, job, suspend_one); }
static bool resume(struct ctl *c, struct ctl_job *job) { return for_all(c, job, resume_one); }

/* Of a heterogeneous job with the leader all go; another component goes alone, if it runs, or, with
 * whole_hetjob, with all. */
static bool cancel(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_PENDING && !ctl_is_active(job))
		return false;
	if (job->het_offset && c->params.whole_hetjob)
		job = ctl_leader(c, job);
	if (job->het_offset && job->state == CTL_PENDING)
		return false;
	ctl_end(c, job, SL_CANCELLED, false);
	return true;
}

/* ---- scancel's filters ----------------------------------------------------------------------- */

static bool in_partition(const struct ctl *c, const struct ctl_job *job, const char *name)
{
	if (job->state != CTL_PENDING)
		return strcasecmp(c->part[job->part].name, name) == 0;
	for (uint32_t i = 0; i < job->part_count; i++)
		if (strcasecmp(c->part[job->parts[i]].name, name) == 0)
			return true;
	return false;
}

static bool in_state(const struct command_filter *filter, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < filter->state_count; i++)
		if (filter->state[i] == job->state)
			return true;
	return !filter->state_count;
}

static bool is_meant(const struct ctl *c, const struct command_filter *filter, const struct ctl_job *job)
{
	const char *account = job->assoc != CTL_NO_ROW ? c->assoc[job->assoc].account : job->account;
	const char *qos = job->qos != CTL_NO_ROW ? c->qos[job->qos].name : NULL;
	const char *resv = job->desc.desc->reservation;
	if (!in_state(filter, job))
		return false;
	if (filter->user && strcmp(filter->user, job->user_name) != 0)
		return false;
	if (filter->name && (!job->more->name || strcmp(filter->name, job->more->name) != 0))
		return false;
	if (filter->account && (!account || strcasecmp(filter->account, account) != 0))
		return false;
	if (filter->qos && (!qos || strcasecmp(filter->qos, qos) != 0))
		return false;
	if (filter->reservation && (!resv || strcmp(filter->reservation, resv) != 0))
		return false;
	return !filter->partition || in_partition(c, job, filter->partition);
}

static void cancel_all(struct ctl *c, const struct command *command)
{
	/* What waits goes first, so that nothing of it starts in place of what runs. */
	for (int round = 0; round < 2; round++)
		for (uint32_t row = round ? c->running_first : c->pending_first, next; row != CTL_NO_ROW;
			row = next) {
			struct ctl_job *job = &c->job[row];
			const uint32_t other = ctl_next_other(c, job);
			const enum ctl_state was = job->state;
			next = job->next;
			if (is_meant(c, &command->filter, job))
				(void)cancel(c, job);
			if (next != CTL_NO_ROW && was != CTL_ENDED && c->job[next].state == CTL_ENDED)
				next = other; /* It went with this one. */
		}
}

/* ---- Nodes, partitions, reservations, accounts ----------------------------------------------- */

static bool update_node(struct ctl *c, const struct command *command)
{
	const char *state = command_value(command, "State");
	const char *reason = command_value(command, "Reason");
	const char *extra = command_value(command, "Extra");
	if (extra && !ctl_extra_set(c, command->pair[0].value, extra))
		return false;
	return !state || ctl_node_command(c, command->pair[0].value, state, reason ? reason : "");
}

static bool update_partition(struct ctl *c, const struct command *command)
{
	const char *name = command->pair[0].value;
	const uint32_t part = ctl_part_named(c, name, strlen(name));
	bool done = part != CTL_NO_ROW;
	for (uint32_t i = 1; i < command->pair_count && done; i++)
		done = command_update_partition(c, part, &command->pair[i]);
	c->part_changes++;
	ctl_want_pass(c);
	return done;
}

/* With whole_hetjob all components (_hold_job()). */
static bool hold_all(struct ctl *c, struct ctl_job *job, bool by_user)
{
	for (uint32_t k = 0; job->het && c->params.whole_hetjob && k < job->het->count; k++)
		ctl_hold(c, ctl_het_component(c, job->het, k), by_user);
	return ctl_command_do_hold(c, job, by_user);
}

static bool hold_by_operator(struct ctl *c, struct ctl_job *job) { return hold_all(c, job, false); }
static bool hold_by_user(struct ctl *c, struct ctl_job *job) { return hold_all(c, job, true); }
static bool requeue_only(struct ctl *c, struct ctl_job *job) { return requeue(c, job, false); }
static bool requeue_hold(struct ctl *c, struct ctl_job *job) { return requeue(c, job, true); }

static bool update(struct ctl *c, const struct command *command, struct ctl_job *job)
{
	for (uint32_t i = 1; i < command->pair_count; i++)
		if (!command_update_job(c, job, &command->pair[i]))
			return false;
	c->job_changes++;
	if (job->state == CTL_PENDING)
		(void)ctl_independent(c, job);
	ctl_want_pass(c);
	return true;
}

static bool do_one(struct ctl *c, const struct command *command, struct ctl_job *job)
{
	static bool (*const act[COMMAND_KINDS])(struct ctl *, struct ctl_job *) = {
		[COMMAND_HOLD] = hold_by_operator,
		[COMMAND_UHOLD] = hold_by_user,
		[COMMAND_REQUEUE] = requeue_only,
		[COMMAND_REQUEUEHOLD] = requeue_hold,
		[COMMAND_SUSPEND] = suspend,
		[COMMAND_RESUME] = resume,
		[COMMAND_CANCEL] = cancel,
	};
	if (command->kind == COMMAND_JOB)
		return update(c, command, job);
	if (command->kind == COMMAND_CANCEL && !is_meant(c, &command->filter, job))
		return true;
	return !act[command->kind] || act[command->kind](c, job);
}

/* Tasks of an array that are let go together are one record: they get one priority. */
static void release_tasks(struct ctl *c, const uint32_t *row, uint32_t count)
{
	const struct ctl_job *head = NULL;
	for (uint32_t i = 0; i < count; i++) {
		struct ctl_job *job = &c->job[row[i]];
		if (job->state != CTL_PENDING || job->priority)
			continue;
		if (head) {
			job->priority = head->priority;
			job->priority_part = head->priority_part;
			job->held_by_user = job->direct_priority = false;
			ctl_set_reason(c, job, job->never ? SL_REASON_NEVER : SL_REASON_NONE);
			(void)ctl_independent(c, job);
			continue;
		}
		ctl_release_hold(c, job);
		head = job->state == CTL_PENDING && !job->het ? job : NULL;
		for (uint32_t k = 0; job->het && c->params.whole_hetjob && k < job->het->count; k++)
			ctl_release_hold(c, ctl_het_component(c, job->het, k));
	}
}

/* A further component of a job whose leader the command names, too, and which goes with it. */
static bool goes_with_leader(const struct command *command, const struct ctl_job *job)
{
	if (!job->het_offset || command->kind == COMMAND_JOB || command->kind == COMMAND_HOLD ||
		command->kind == COMMAND_UHOLD)
		return false;
	for (uint32_t i = 0; i < command->row_count; i++)
		if (command->row[i] == job->het->job[0])
			return true;
	return false;
}

static void do_jobs(struct ctl *c, const struct command *command)
{
	for (uint32_t i = 0, until; i < command->row_count; i = until) {
		const uint32_t array = c->job[command->row[i]].array;
		until = i + 1;
		while (array != CTL_NO_ROW && until < command->row_count &&
			c->job[command->row[until]].array == array)
			until++;
		if (command->kind == COMMAND_RELEASE)
			release_tasks(c, command->row + i, until - i);
		for (uint32_t k = i; k < until && command->kind != COMMAND_RELEASE; k++)
			if (!goes_with_leader(command, &c->job[command->row[k]]))
				c->commands->refused += !do_one(c, command, &c->job[command->row[k]]);
	}
}

void command_do(struct ctl *c, const struct command *command)
{
	bool done = true;
	const struct order_by was = ctl_cause(c, SL_RULE_OPERATOR, CTL_NO_ROW);
	if (command->kind == COMMAND_NODE)
		done = update_node(c, command);
	else if (command->kind == COMMAND_PARTITION)
		done = update_partition(c, command);
	else if (command->kind == COMMAND_RESERVATION)
		done = ctl_resv_command(c, command->verb, command->rest, NULL);
	else if (command->kind == COMMAND_ACCOUNTS)
		done = ctl_acct_modify(c, command->rest);
	else if (command->kind == COMMAND_CANCEL && command->all)
		cancel_all(c, command);
	else if (command->kind == COMMAND_TOP)
		done = command_top(c, command);
	else
		do_jobs(c, command);
	c->engine.cause = was;
	c->commands->refused += !done;
}

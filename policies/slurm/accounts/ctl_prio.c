/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_prio.c - priorities of pending jobs, and when they are calculated: priority/basic, and the decay
 * thread of priority/multifactor.
 *
 * With slurmdbd a calculation comes when slurmctld starts and then every PriorityCalcPeriod, at the seconds
 * that params.calc_phase says. Without it age and fair share weigh nothing, and up to 22.05 there is no such
 * thread: init() of the plug-in began it where there was a database, priorities stayed as they were at
 * submission. 24.11 begins it always (priority_p_thread_start).
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_prio.h"

/* The number before the first that priority/basic assigns. */
#define TOP_PRIORITY UINT32_C(0xffff0000)

/* ---- priority/basic -------------------------------------------------------------------------- */

/* One less than the least so far, less `nice`: in 32 bits without a sign, as slurmctld counts, so that a very
 * negative `nice` goes round. */
static uint32_t basic_priority(struct ctl_prio *p, int64_t nice)
{
	uint32_t priority = p->lowest >= 2 ? p->lowest - 1 : 1;
	const uint32_t less = (uint32_t)nice;
	if (nice <= 0 || priority > less + 1)
		priority -= less;
	if (!priority)
		priority = 1;
	const uint32_t given = priority + less;
	if (given < p->lowest)
		p->lowest = given;
	return priority;
}

/* ---- The calculation ------------------------------------------------------------------------- */

/* Both lists together in the order of submission: the running and the waiting jobs. */
struct both {
	uint32_t waiting, running;
};

static struct ctl_job *next_of(struct ctl *c, struct both *both)
{
	uint32_t *from = &both->waiting;
	if (both->waiting == CTL_NO_ROW && both->running == CTL_NO_ROW)
		return NULL;
	if (both->waiting == CTL_NO_ROW)
		from = &both->running;
	else if (both->running != CTL_NO_ROW) {
		const struct ctl_job *waits = &c->job[both->waiting];
		const struct ctl_job *runs = &c->job[both->running];
		if (runs->order != waits->order ? runs->order < waits->order : both->running < both->waiting)
			from = &both->running;
	}
	struct ctl_job *job = &c->job[*from];
	*from = job->next;
	return job;
}

static bool is_weighed(const struct ctl *c, const struct ctl_job *job)
{
	if (!job->priority || job->state == CTL_CONFIGURING)
		return false;
	return job->state == CTL_PENDING || c->params.priority_flags & CTL_PRIO_CALCULATE_RUNNING;
}

enum { USES = 1, WEIGHS = 2 };

static void each_job(struct ctl *c, ctl_time at, unsigned what)
{
	const struct ctl_prio *p = c->prio;
	struct both both = { c->pending_first, c->running_first };
	bool changed = false;
	for (struct ctl_job *job; (job = next_of(c, &both));) {
		if (what & USES && (job->state == CTL_RUNNING || job->state == CTL_SUSPENDED) &&
			job->start != CTL_NONE)
			ctl_usage_apply(c, job, p->last == CTL_NONE ? job->start : p->last, at);
		if (what & WEIGHS && is_weighed(c, job))
			changed |= prio_job(c, job, at);
	}
	c->job_changes += changed;
}

/* What is due of PriorityUsageResetPeriod. */
static void reset_due(struct ctl *c, ctl_time at)
{
	struct ctl_prio *p = c->prio;
	if (p->reset == CTL_RESET_NONE)
		return;
	if (p->reset == CTL_RESET_NOW) {
		usage_reset(c);
		p->reset = CTL_RESET_NONE;
		return;
	}
	if (p->reset_last == CTL_NONE)
		p->reset_last = at;
	if (p->reset_next == CTL_NONE)
		p->reset_next = usage_next_reset((enum ctl_reset)p->reset, p->reset_last, at);
	if (at < p->reset_next)
		return;
	usage_reset(c);
	p->reset_last = p->reset_next;
	p->reset_next = usage_next_reset((enum ctl_reset)p->reset, p->reset_last, at);
}

/* _decay_thread(), once. In the older formula each job's usage is added and its priority calculated before
 * the next job's; in Fair Tree all usage comes first. */
static void calculate(struct ctl *c, ctl_time at)
{
	struct ctl_prio *p = c->prio;
	const bool tree = c->params.priority_flags & CTL_PRIO_FAIR_TREE;
	const bool before = p->last != CTL_NONE && at > p->last;
	reset_due(c, at);
	if (!tree)
		fair_old_begin(c);
	if (before && p->decay < 1)
		usage_decay(c, usage_power(p->decay, at - p->last));
	if (!tree && before)
		each_job(c, at, USES | WEIGHS);
	if (tree) {
		each_job(c, at, USES);
		ctl_fair_tree(c);
		each_job(c, at, WEIGHS);
	}
	p->last = at;
}

void ctl_prio_until(struct ctl *c, ctl_time until)
{
	struct ctl_prio *p = c->prio;
	for (; p->runs && p->next <= until; p->next += c->params.calc_period)
		calculate(c, p->next);
}

void ctl_prio_run(struct ctl *c) { ctl_prio_until(c, c->now); }

/* While no job waits or runs no result of a calculation is read: those that are due are made up for at the
 * next submission. */
ctl_time ctl_prio_next(const struct ctl *c)
{
	const struct ctl_prio *p = c->prio;
	return p && p->runs && (c->pending_count || c->running_count) ? p->next : CTL_NEVER;
}

/* ---- One job --------------------------------------------------------------------------------- */

void ctl_prio_submit(struct ctl *c, struct ctl_job *job)
{
	struct ctl_prio *p = c->prio;
	ctl_prio_until(c, c->now - 1);
	p->nice[job->row] = job->nice;
	if (job->priority)
		return;
	if (c->params.multifactor)
		(void)prio_job(c, job, c->now);
	else
		job->priority = basic_priority(p, job->nice);
	c->job_changes++;
}

void ctl_prio_update(struct ctl *c, struct ctl_job *job)
{
	struct ctl_prio *p = c->prio;
	ctl_prio_until(c, c->now - 1);
	if (!job->priority)
		return;
	if (c->params.multifactor) {
		(void)prio_job(c, job, c->now);
	} else if (job->nice != p->nice[job->row]) {
		const int64_t priority = (int64_t)job->priority + p->nice[job->row] - job->nice;
		job->priority = priority > 2 ? (uint32_t)priority : 2;
	}
	p->nice[job->row] = job->nice;
	c->job_changes++;
}

void ctl_prio_move(struct ctl *c, struct ctl_job *job, uint32_t priority)
{
	struct ctl_prio *p = c->prio;
	ctl_prio_until(c, c->now - 1);
	job->nice -= (int64_t)priority - job->priority;
	job->priority = priority;
	p->nice[job->row] = job->nice;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void greatest_of(struct ctl *c)
{
	struct ctl_prio *p = c->prio;
	p->part_max = p->qos_max = p->assoc_max = 1;
	for (uint32_t i = 0; i < c->part_count; i++)
		if ((double)c->part[i].job_factor > p->part_max)
			p->part_max = (double)c->part[i].job_factor;
	for (uint32_t i = 0; i < c->qos_count; i++)
		if ((double)c->qos[i].priority > p->qos_max)
			p->qos_max = (double)c->qos[i].priority;
	for (uint32_t i = 0; i < c->assoc_count; i++)
		if ((double)c->assoc[i].priority > p->assoc_max)
			p->assoc_max = (double)c->assoc[i].priority;
}

/* The first calculation is the one that slurmctld made when it started: the last at its phase before the
 * first event. */
static void ctl_prio_begin(struct ctl *c)
{
	struct ctl_prio *p = c->prio;
	const struct ctl_params *params = &c->params;
	const int64_t phase = params->tick_phase + params->calc_phase;
	const int64_t beyond =
		((c->epoch - phase) % params->calc_period + params->calc_period) % params->calc_period;
	p->decay = params->half_life > 0 ? 1 - 0.693 / (double)params->half_life : 1;
	p->last = p->reset_last = p->reset_next = CTL_NONE;
	p->reset = params->usage_reset;
	p->lowest = TOP_PRIORITY;
	p->runs = params->multifactor && (params->has_dbd || params->version >= CTL_24_11);
	p->next = p->runs ? c->epoch - (beyond ? beyond : params->calc_period) : CTL_NEVER;
	if (p->runs)
		ctl_prio_until(c, p->next);
}

int ctl_prio_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_prio *p = c->prio = sl_alloc(c->arena, 1, sizeof(*p));
	if (!p)
		return sl_fail_memory(err);
	p->nice = sl_alloc(c->arena, c->job_count + 1U, sizeof(*p->nice));
	if (!p->nice)
		return sl_fail_memory(err);
	p->nodes = c->cluster->node_count ? c->cluster->node_count : 1;
	p->cpus =
		c->cluster->cpus > 0 ? (double)c->cluster->cpus / (double)sl_parts(c->cluster->cpu_parts) : 1;
	greatest_of(c);
	int status = prio_conf(c, err);
	if (!status)
		status = fair_make(c, err);
	if (!status)
		ctl_prio_begin(c);
	return status;
}

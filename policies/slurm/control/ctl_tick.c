/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_tick.c - time limits: slurmctld's job_time_limit(), every 30 s, and deadlines.
 *
 * A look comes when seconds since 1970 modulo 30 are params.tick_phase, that is, every 30 s from slurmctld's
 * start. It finds, of each running job:
 * - Nodes that were booted for it are up: its time begins now.
 * - Its grace is over (it was preempted): it goes, as its PreemptMode says. Its batch script was not
 *   signalled before (CLAUSES.md 8, run 68: of the looks at 8 modulo 30 the first behind the grace).
 * - Its limit and the OverTimeLimit of its partition or of the cluster are over: TIMEOUT, at once,
 *   since batch scripts heed SIGTERM (run 14).
 * - Of a heterogeneous job no limit is looked at while nodes of some component boot.
 * - It has used up minutes of its association or QOS, or its reservation is over: TIMEOUT.
 */
#include "policies/slurm/control/ctl.h"

enum { TICK = 30 };

/* The first look at that time or after it. */
static ctl_time tick_from(const struct ctl *c, ctl_time at)
{
	if (at == CTL_NEVER || at > CTL_NEVER - TICK)
		return CTL_NEVER;
	const int64_t beyond = (at - c->params.tick_phase) % TICK;
	return beyond ? at + (beyond < 0 ? -beyond : TICK - beyond) : at;
}

static bool is_limited(const struct ctl *c, const struct ctl_job *job)
{
	return c->params.kill && job->time_limit != CTL_NEVER;
}

/* When its limit is over in earnest. */
static ctl_time over_at(const struct ctl *c, const struct ctl_job *job)
{
	const int64_t part = c->part[job->part].over_time;
	const int64_t minutes = part == CTL_NONE ? c->params.over_time_min : part;
	return minutes == CTL_NEVER ? CTL_NEVER : job->end_limit + minutes * 60;
}

/* That look, or the next if it is over already: an operator made the limit shorter than what has run. */
static ctl_time tick_to_come(const struct ctl *c, ctl_time at)
{
	const ctl_time tick = tick_from(c, at);
	return tick < c->now ? tick_from(c, c->now) : tick;
}

/* The next look that matters to it. */
static ctl_time due_of(const struct ctl *c, const struct ctl_job *job)
{
	if (job->kill_at != CTL_NEVER)
		return job->kill_at;
	if (job->state == CTL_CONFIGURING)
		return tick_from(c, c->now + 1);
	if (job->preempted_at != CTL_NONE)
		return tick_to_come(c, job->end_limit);
	if (job->state != CTL_RUNNING)
		return CTL_NEVER;
	if (ctl_limits_watched(c, job) || job->resv != CTL_NO_ROW)
		return tick_from(c, c->now + 1); /* Minutes used up, a reservation over: at any look. */
	return is_limited(c, job) ? tick_to_come(c, over_at(c, job)) : CTL_NEVER;
}

static void tick_by(struct ctl *c, ctl_time due)
{
	if (!c->tick_due || due < c->tick_due)
		c->tick_due = due;
}

void ctl_limit_moved(struct ctl *c, const struct ctl_job *job)
{
	tick_by(c, due_of(c, job));
	ctl_running_changed(c, job);
}

ctl_time ctl_tick_needed(const struct ctl *c) { return c->tick_due ? c->tick_due : CTL_NEVER; }

static void look_at(struct ctl *c, struct ctl_job *job)
{
	if (job->kill_at != CTL_NEVER)
		return;
	if (job->state == CTL_CONFIGURING) {
		if (ctl_power_ready(c, job->alloc))
			ctl_start_booted(c, job);
		return;
	}
	if (ctl_het_configuring(c, job))
		return;
	if (job->preempted_at != CTL_NONE) {
		ctl_preempt_over(c, job);
		return;
	}
	if (job->state != CTL_RUNNING)
		return;
	const bool window = ctl_resv_timed_out(c, job);
	if (!window && !(is_limited(c, job) && over_at(c, job) <= c->now) && !ctl_limits_timed_out(c, job))
		return;
	const struct order_by was = ctl_cause(c, window ? SL_RULE_WINDOW : SL_RULE_LIMIT, CTL_NO_ROW);
	ctl_end(c, job, SL_TIMEOUT, false);
	c->engine.cause = was;
}

void ctl_tick(struct ctl *c)
{
	const bool look = tick_from(c, c->now) == c->now;
	for (uint32_t row = c->running_first, next; row != CTL_NO_ROW; row = next) {
		struct ctl_job *job = &c->job[row];
		const uint32_t other = ctl_next_other(c, job);
		next = job->next;
		if (job->kill_at <= c->now)
			ctl_end(c, job, job->ended_as, false);
		else if (look)
			look_at(c, job);
		if (next != CTL_NO_ROW && !ctl_is_active(&c->job[next])) /* It went with this one. */
			next = other;
	}
	c->tick_due = CTL_NEVER;
	for (uint32_t row = c->running_first; row != CTL_NO_ROW; row = c->job[row].next)
		tick_by(c, due_of(c, &c->job[row]));
}

/* deadline_ok(): a job that cannot end by then is ended, at the first pass that sees it (run 85), even if it
 * was so when it was submitted. */
bool ctl_deadline_ok(struct ctl *c, struct ctl_job *job)
{
	const int64_t minutes = job->time_min != CTL_NONE ? job->time_min : job->time_limit;
	if (job->deadline == CTL_NONE || job->state != CTL_PENDING)
		return true;
	if (minutes == CTL_NEVER ? c->now <= job->deadline : c->now + minutes * 60 <= job->deadline)
		return true;
	const struct order_by was = ctl_cause(c, SL_RULE_DEADLINE, CTL_NO_ROW);
	ctl_end(c, job, SL_DEADLINE, false);
	c->engine.cause = was;
	return false;
}

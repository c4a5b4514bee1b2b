/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_job.c - a job's states after its submission: eligibility, start, end, requeue, suspension and hold.
 *
 * job->begin is slurmctld's details->begin_time: CTL_NONE until it is eligible, or the requested --begin.
 * Its last value is sacct's Eligible.
 */
#include "policies/slurm/control/ctl_place.h"
#include "policies/slurm/control/ctl_resv.h"

#include <string.h>

/* ---- Lists -------------------------------------------------------------------------------------------- */

struct list {
	uint32_t *first, *last, *count;
};

static struct list list_of(struct ctl *c, const struct ctl_job *job)
{
	if (job->state == CTL_PENDING)
		return (struct list){ &c->pending_first, &c->pending_last, &c->pending_count };
	return (struct list){ &c->running_first, &c->running_last, &c->running_count };
}

/* As submitted: further components come with their leader. */
static bool list_goes_after(const struct ctl_job *one, const struct ctl_job *other)
{
	return one->of != other->of ? one->of > other->of : one->het_offset > other->het_offset;
}

void ctl_list_add(struct ctl *c, struct ctl_job *job)
{
	const struct list list = list_of(c, job);
	uint32_t before = *list.last; /* Mostly it is the last. */
	while (before != CTL_NO_ROW && list_goes_after(&c->job[before], job))
		before = c->job[before].before;
	job->before = before;
	job->next = before == CTL_NO_ROW ? *list.first : c->job[before].next;
	*(before == CTL_NO_ROW ? list.first : &c->job[before].next) = job->row;
	*(job->next == CTL_NO_ROW ? list.last : &c->job[job->next].before) = job->row;
	++*list.count;
}

void ctl_list_drop(struct ctl *c, struct ctl_job *job)
{
	const struct list list = list_of(c, job);
	*(job->before == CTL_NO_ROW ? list.first : &c->job[job->before].next) = job->next;
	*(job->next == CTL_NO_ROW ? list.last : &c->job[job->next].before) = job->before;
	job->next = job->before = CTL_NO_ROW;
	--*list.count;
}

void ctl_report_plan(struct ctl *c, struct ctl_job *job)
{
	if (job->planned == job->planned_reported)
		return;
	job->planned_reported = job->planned;
	ctl_order(c, job, ORDER_PLAN, NULL);
}

/* Of one that starts, or is over: the engine knows. */
static void forget_plan(struct ctl_job *job) { job->planned = job->planned_reported = CTL_NONE; }

/* ---- What keeps it --------------------------------------------------------------------------- */

void ctl_set_reason(struct ctl *c, struct ctl_job *job, enum sl_reason reason)
{
	job->reason = reason;
	job->reasons_had[reason / 64] |= UINT64_C(1) << (reason % 64);
	ctl_order(c, job, ORDER_REASON, NULL);
}

static bool is_held(const struct ctl_job *job)
{
	return job->reason == SL_REASON_HELD || job->reason == SL_REASON_HELD_ADMIN ||
	       job->reason == SL_REASON_REQUEUED_HELD || job->reason == SL_REASON_RESERVATION_DELETED;
}

static bool array_is_full(const struct ctl *c, const struct ctl_job *job)
{
	if (job->array == CTL_NO_ROW)
		return false;
	const struct ctl_array *array = &c->array[job->array];
	return array->limit > 0 && array->running >= array->limit;
}

/* NONE: it is eligible. */
static enum sl_reason keeper(struct ctl *c, struct ctl_job *job, enum ctl_depend_state depend)
{
	if (depend == CTL_DEPEND_WAITS) {
		if (job->begin != CTL_NONE && job->begin < c->now)
			job->begin = CTL_NONE; /* It is eligible once nothing keeps it, not before. */
		return SL_REASON_DEPENDENCY;
	}
	if (array_is_full(c, job))
		return SL_REASON_ARRAY_LIMIT;
	if (job->begin != CTL_NONE && job->begin > c->now)
		return SL_REASON_BEGIN_TIME;
	return ctl_resv_waits(c, job);
}

static void become_eligible(struct ctl *c, struct ctl_job *job)
{
	if (job->begin == CTL_NONE)
		job->begin = c->now;
	if (job->eligible != job->begin) {
		job->eligible = job->begin;
		ctl_order(c, job, ORDER_ELIGIBLE, NULL);
	}
	if (job->accrue == CTL_NONE && ctl_limits_accrue(c, job))
		job->accrue = c->now;
}

/* handle_invalid_dependency(): --kill-on-invalid-dep goes before DependencyParameters. */
static void depends_in_vain(struct ctl *c, struct ctl_job *job)
{
	const int8_t said = job->more->kill_invalid_dep;
	job->never = true;
	if (said < 0 ? c->params.kill_invalid_depend : said) {
		const struct order_by was = ctl_cause(c, SL_RULE_NEVER, CTL_NO_ROW);
		ctl_end(c, job, SL_CANCELLED, false);
		c->engine.cause = was;
	} else if (job->reason != SL_REASON_NEVER)
		ctl_set_reason(c, job, SL_REASON_NEVER);
}

/* job_independent(). */
bool ctl_independent(struct ctl *c, struct ctl_job *job)
{
	if (job->never || is_held(job))
		return false;
	const enum ctl_depend_state depend = ctl_depend_test(c, job);
	if (depend == CTL_DEPEND_NEVER) {
		depends_in_vain(c, job);
		return false;
	}
	const enum sl_reason reason = keeper(c, job, depend);
	if (reason != SL_REASON_NONE) {
		if (job->reason != reason)
			ctl_set_reason(c, job, reason);
		return false;
	}
	if (job->reason == SL_REASON_DEPENDENCY || job->reason == SL_REASON_BEGIN_TIME ||
		job->reason == SL_REASON_ARRAY_LIMIT || job->reason == SL_REASON_RESERVATION)
		ctl_set_reason(c, job, SL_REASON_NONE);
	if (job->priority)
		become_eligible(c, job);
	return true;
}

/* ---- Start ----------------------------------------------------------------------------------- */

static ctl_time end_by_limit(const struct ctl_job *job)
{
	static const int64_t YEAR = INT64_C(365) * 86400; /* Slurm's end of a job without limit. */
	const int64_t minutes = job->time_limit;
	return job->start + (minutes == CTL_NEVER || minutes > YEAR / 60 * 100 ? YEAR : minutes * 60);
}

/* What it waits for, until its nodes are up, is no reason of Slurm's. */
static void report_boot(struct ctl *c, struct ctl_job *job)
{
	job->reason = SL_REASON_CONFIGURING;
	ctl_order(c, job, ORDER_REASON, NULL);
	job->reason = SL_REASON_NONE;
}

/* It is among those that run; the engine starts it once its nodes are up (CLAUSES.md 12). */
void ctl_start(struct ctl *c, struct ctl_job *job, uint32_t part, const struct select_alloc *alloc)
{
	ctl_list_drop(c, job);
	job->part = part;
	job->alloc = select_take(c->select, alloc);
	if (!job->alloc) {
		job->state = CTL_ENDED;
		controller_no_memory(&c->engine);
		return;
	}
	job->start = c->now;
	job->end = CTL_NONE;
	job->suspended = 0;
	job->suspended_at = job->preempted_at = CTL_NONE;
	job->kill_at = CTL_NEVER;
	job->end_limit = end_by_limit(job);
	ctl_node_started(c, job);
	const ctl_time up = ctl_power_boot(c, job->alloc);
	job->state = up > c->now && !ctl_is_past(c) ? CTL_CONFIGURING : CTL_RUNNING;
	job->started_by = c->engine.cause.rule;
	job->started_for = c->engine.cause.beneficiary;
	job->reason = SL_REASON_NONE;
	forget_plan(job);
	ctl_list_add(c, job);
	if (job->array != CTL_NO_ROW)
		c->array[job->array].running++;
	ctl_license_take(c, job);
	ctl_tres_of(c, job, part, job->alloc, job->tres_held);
	job->billing = job->tres_held[CTL_TRES_BILLING];
	ctl_limits_accrued(c, job);
	ctl_limits_begin(c, job);
	ctl_expedite_end(c, job);
	c->job_changes++;
	if (job->state == CTL_RUNNING)
		ctl_order(c, job, ORDER_START, NULL);
	else
		report_boot(c, job);
	ctl_limit_moved(c, job);
	ctl_gang_started(c, job);
	ctl_resv_claim(c, job);
}

/* The controller has noticed that its nodes are up: its time begins anew (job_config_fini). */
void ctl_start_booted(struct ctl *c, struct ctl_job *job)
{
	job->state = CTL_RUNNING;
	job->start = c->now;
	job->end_limit = end_by_limit(job);
	c->job_changes++;
	ctl_het_booted(c, job);
	const struct order_by was = ctl_cause(c, job->started_by, job->started_for);
	ctl_order(c, job, ORDER_START, NULL);
	c->engine.cause = was;
	ctl_limit_moved(c, job);
}

/* ---- End ------------------------------------------------------------------------------------- */

void ctl_left(struct ctl *c, struct ctl_job *job)
{
	job->leaving = false;
	ctl_limits_end(c, job);
	if (job->array != CTL_NO_ROW)
		c->array[job->array].running--;
	c->job_changes++;
}

/* Its allocation is released, its nodes are COMPLETING, and it is in no list. */
static void ctl_job_leave(struct ctl *c, struct ctl_job *job)
{
	if (job->state == CTL_SUSPENDED)
		job->suspended += c->now - job->suspended_at;
	job->end = c->now;
	ctl_usage_end(c, job);
	ctl_list_drop(c, job);
	ctl_node_ended(c, job);
	ctl_complete_begin(c, job);
	ctl_gang_left(c, job);
	select_give(c->select, job->alloc);
	job->alloc = NULL;
	ctl_running_changed(c, job);
	job->suspended_at = job->preempted_at = CTL_NONE;
	job->kill_at = CTL_NEVER;
	if (!job->leaving)
		ctl_left(c, job);
}

/* schedule() is called then, and not at the end: with the last of its epilogs (_slurm_rpc_epilog_complete()).
 */
void ctl_completed(struct ctl *c, struct ctl_job *job)
{
	ctl_license_give(c, job);
	ctl_gang_go_on(c);
	c->job_changes++;
	ctl_want_end_pass(c);
}

bool ctl_is_active(const struct ctl_job *job)
{
	return job->state == CTL_CONFIGURING || job->state == CTL_RUNNING || job->state == CTL_SUSPENDED;
}

/* One that is being killed ends in that state, whatever its exit code. */
void ctl_end(struct ctl *c, struct ctl_job *job, enum sl_state state, bool reported)
{
	if (job->state == CTL_ENDED)
		return;
	ctl_het_end(c, job, state);
	const enum ctl_state was = job->state;
	job->ended_as = job->kill_at != CTL_NEVER ? job->ended_as : state;
	if (was == CTL_NOT_SUBMITTED) { /* Its user thought better of it before it came. */
		job->state = CTL_ENDED;
		return;
	}
	const bool active = ctl_is_active(job);
	if (active) {
		ctl_job_leave(c, job);
	} else {
		ctl_list_drop(c, job);
		ctl_limits_accrued(c, job);
		ctl_expedite_end(c, job);
		job->end = c->now;
	}
	job->state = CTL_ENDED;
	ctl_limits_submitted(c, job, false);
	c->job_changes++;
	if (!reported)
		ctl_order(c, job, active && was != CTL_CONFIGURING ? ORDER_END : ORDER_DROP, NULL);
	if (!job->completing)
		ctl_completed(c, job);
}

/* ---- Requeue --------------------------------------------------------------------------------- */

/* batch_requeue_fini(): 24.05 and later give it a priority anew, so that under priority/basic it goes to the
 * end, else without age. Before, it kept its own until the next calculation. */
static void give_priority_anew(struct ctl *c, struct ctl_job *job)
{
	if (c->params.version < CTL_24_05 || !job->priority || job->direct_priority)
		return;
	job->priority = 0;
	ctl_prio_submit(c, job);
}

/* Its credential must have lapsed before it starts anew (CLAUSES.md 9, Requeue delay). */
static void wait_retry(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held, bool reported)
{
	const bool started = job->state != CTL_CONFIGURING;
	ctl_job_leave(c, job);
	job->ended_as = as;
	job->state = CTL_PENDING;
	ctl_entry_left(job);
	ctl_list_add(c, job);
	ctl_limits_submitted(c, job, false); /* It is queued again in all of its partitions. */
	ctl_limits_submitted(c, job, true);
	job->restarts++;
	job->total_cpus = 0;
	job->submit = ctl_complete_until(c, job);
	job->begin = job->eligible = job->submit + (job->expedited ? 0 : c->params.requeue_delay);
	job->accrue = job->start = job->end_limit = CTL_NONE;
	forget_plan(job);
	c->job_changes++;
	if (started && !reported)
		ctl_order(c, job, ORDER_REQUEUE, NULL);
	ctl_order(c, job, ORDER_ELIGIBLE, NULL);
	if (held)
		job->priority = 0;
	give_priority_anew(c, job);
	ctl_expedite_first(job);
	ctl_set_reason(c, job, held ? SL_REASON_REQUEUED_HELD : SL_REASON_BEGIN_TIME);
	if (!job->completing)
		ctl_completed(c, job);
}

/* A component that had ended alone waits with the others. */
static void come_back(struct ctl *c, struct ctl_job *job)
{
	job->state = CTL_PENDING;
	ctl_list_add(c, job);
	ctl_limits_submitted(c, job, true);
	job->restarts++;
	job->total_cpus = 0;
	job->submit = c->now;
	job->begin = job->eligible = c->now + c->params.requeue_delay;
	job->accrue = job->start = job->end = job->end_limit = CTL_NONE;
	give_priority_anew(c, job);
	ctl_set_reason(c, job, SL_REASON_BEGIN_TIME);
}

/* A heterogeneous job as a whole (_job_requeue()). */
static void wait_all(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held, bool reported)
{
	if (!job->het)
		wait_retry(c, job, as, held, reported);
	for (uint32_t k = 0; job->het && k < job->het->count; k++) {
		struct ctl_job *one = ctl_het_component(c, job->het, k);
		if (ctl_is_active(one))
			wait_retry(c, one, as, held, reported);
		else if (one->state == CTL_ENDED)
			come_back(c, one);
	}
	if (job->het && reported)
		job->het->started = false;
}

void ctl_requeue(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held)
{
	if (!ctl_is_active(job))
		return;
	if (job->requeue_ok)
		wait_all(c, job, as, held, false);
	else
		ctl_end(c, ctl_leader(c, job), as, false);
}

void ctl_requeued(struct ctl *c, struct ctl_job *job, enum sl_state as)
{
	if (ctl_is_active(job))
		wait_all(c, job, as, false, true);
}

/* _het_job_kill_now(): it has started, another component cannot; nobody has heard of it. */
void ctl_retract(struct ctl *c, struct ctl_job *job) { wait_retry(c, job, SL_PENDING, false, true); }

/* ---- Suspension ------------------------------------------------------------------------------ */

void ctl_suspend(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_RUNNING)
		return;
	job->state = CTL_SUSPENDED;
	job->suspended_at = c->now;
	c->job_changes++;
	ctl_order(c, job, ORDER_SUSPEND, NULL);
	ctl_want_pass(c);
}

/* Its limit does not run while it stands (CLAUSES.md 15). */
void ctl_resume(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_SUSPENDED)
		return;
	const int64_t stood = c->now - job->suspended_at;
	job->state = CTL_RUNNING;
	job->suspended += stood;
	job->end_limit += stood;
	job->suspended_at = CTL_NONE;
	c->job_changes++;
	ctl_order(c, job, ORDER_RESUME, NULL);
	ctl_limit_moved(c, job);
	ctl_want_pass(c);
}

/* ---- Hold ------------------------------------------------------------------------------------ */

/* By its user (sbatch --hold, scontrol uhold), or an operator (scontrol hold): the reason says which. A held
 * job is not eligible, nor does its age grow. */
void ctl_hold(struct ctl *c, struct ctl_job *job, bool by_user)
{
	if (job->state != CTL_PENDING)
		return;
	job->priority = 0;
	job->held_by_user = by_user;
	job->accrue = CTL_NONE;
	ctl_limits_accrued(c, job);
	if (job->begin != CTL_NONE && job->begin <= c->now)
		job->begin = CTL_NONE;
	job->planned = CTL_NONE;
	ctl_report_plan(c, job);
	c->job_changes++;
	ctl_set_reason(c, job, by_user ? SL_REASON_HELD : SL_REASON_HELD_ADMIN);
}

/* Its priority is made anew: under priority/basic it goes to the end (CLAUSES.md 6.1). */
void ctl_release_hold(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_PENDING || job->priority)
		return;
	job->held_by_user = job->direct_priority = false;
	ctl_set_reason(c, job, job->never ? SL_REASON_NEVER : SL_REASON_NONE);
	ctl_prio_submit(c, job);
	c->job_changes++;
	(void)ctl_independent(c, job);
	ctl_want_pass(c);
}

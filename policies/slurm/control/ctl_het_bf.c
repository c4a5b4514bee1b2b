/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_het_bf.c - how the backfill plans and starts heterogeneous jobs (backfill.c, _het_job_...).
 *
 * A pass tries each component at its place in the queue, not before those of its job that it has planned; one
 * behind a component that found no place is skipped. Each plan is kept from others, also one for now. When
 * all components are planned for now, and limits of accounts and QOS allow them together, they start: at the
 * end of the pass, or with bf_hetjob_immediate as the last of them is planned. Nodes are chosen anew then,
 * component by component, from all that are free. If one fails, those that have started are taken back, and
 * wait for their credentials to lapse.
 *
 * Nothing is left of it for the next pass but the standing of each job in the queue (bf_hetjob_prio).
 */
#include <string.h>

#include "policies/slurm/control/ctl_bf.h"

enum { YEAR = 365 * 86400 };

/* het_job_rec_t: the soonest that a component can start, and where. */
struct record {
	struct ctl_job *job;
	ctl_time start;
	uint32_t part, resv;
	int64_t nodes;
};

/* het_job_map_t. */
struct ctl_het_plan {
	uint64_t pass;
	ctl_time before; /* prev_start: CTL_NONE: nothing is known. */
	int64_t minutes; /* The shortest that a component is planned with; CTL_NEVER. */
	uint32_t count;
	struct record *record; /* In the order in which they were tried. */
};

int ctl_het_bf_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_bf *bf = c->bf;
	size_t components = 0;
	for (uint32_t i = 0; i < c->het_count; i++)
		components += c->het[i].count;
	struct ctl_het_plan *plan = sl_alloc(c->arena, (size_t)c->het_count + 1, sizeof(*plan));
	struct record *record = sl_alloc(c->arena, components + 1, sizeof(*record));
	bf->het = sl_alloc(c->arena, (size_t)c->het_count + 1, sizeof(struct ctl_het *));
	bf->het_nodes = sl_alloc(c->arena, bf->slots.words, sizeof(*bf->het_nodes));
	bf->het_used = sl_alloc(c->arena, bf->slots.words, sizeof(*bf->het_used));
	if (!plan || !record || !bf->het || !bf->het_nodes || !bf->het_used)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < c->het_count; i++) {
		plan[i].record = record;
		record += c->het[i].count;
		c->het[i].plan = &plan[i];
	}
	return SL_OK;
}

/* ---- Standing in the queue (bf_hetjob_prio) ------------------------------------------------------------ */

/* _adjust_hetjob_prio(): 0 is none yet. */
static void adjust(const struct ctl *c, uint64_t *all, uint64_t one)
{
	if (!*all)
		*all = one;
	else if (c->params.bf_hetjob_prio == CTL_HET_PRIO_MIN)
		*all = one < *all ? one : *all;
	else if (c->params.bf_hetjob_prio == CTL_HET_PRIO_MAX)
		*all = one > *all ? one : *all;
	else
		*all += one;
}

/* A held component has the whole held. */
static uint32_t priority_of(const struct ctl *c, const struct ctl_het *het)
{
	uint64_t all = 0, count = 0;
	for (uint32_t k = 0; k < het->count; k++) {
		const struct ctl_job *one = &c->job[het->job[k]];
		const bool several = one->priority_part && one->part_count > 1;
		for (uint32_t i = 0; i < (several ? one->part_count : 1); i++, count++) {
			const uint32_t priority = several ? one->priority_part[i] : one->priority;
			if (!priority)
				return 0;
			adjust(c, &all, priority);
		}
	}
	return (uint32_t)(c->params.bf_hetjob_prio == CTL_HET_PRIO_AVG ? all / count : all);
}

static int64_t tier_of(const struct ctl *c, const struct ctl_het *het)
{
	uint64_t all = 0, count = 0;
	for (uint32_t k = 0; k < het->count; k++) {
		const struct ctl_job *one = &c->job[het->job[k]];
		for (uint32_t i = 0; i < one->part_count; i++, count++)
			adjust(c, &all, (uint64_t)c->part[one->parts[i]].tier);
	}
	return (int64_t)(c->params.bf_hetjob_prio == CTL_HET_PRIO_AVG && count ? all / count : all);
}

void ctl_het_pass_begin(struct ctl *c)
{
	c->bf->het_count = c->bf->late_count = 0;
	for (uint32_t i = 0; i < c->het_count && c->params.bf_hetjob_prio; i++) {
		struct ctl_het *het = &c->het[i];
		if (c->job[het->job[0]].state != CTL_PENDING)
			continue;
		het->known = true;
		het->reserved = false;
		for (uint32_t k = 0; k < het->count; k++)
			het->reserved |= c->job[het->job[k]].resv != CTL_NO_ROW;
		het->tier = tier_of(c, het);
		het->priority = priority_of(c, het);
	}
}

/* ---- What the pass has planned ------------------------------------------------------------------------- */

static struct ctl_het_plan *plan_of(struct ctl *c, struct ctl_het *het)
{
	struct ctl_het_plan *plan = het->plan;
	if (plan->pass == c->bf->passes)
		return plan;
	*plan = (struct ctl_het_plan){
		.pass = c->bf->passes, .before = CTL_NONE, .minutes = CTL_NEVER, .record = plan->record
	};
	c->bf->het[c->bf->het_count++] = het;
	return plan;
}

static struct record *record_of(struct ctl_het_plan *plan, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < plan->count; i++)
		if (plan->record[i].job == job)
			return &plan->record[i];
	return NULL;
}

/* _het_job_start_set(): the sooner, in whichever of its partitions. */
static struct record *note(struct ctl *c, struct ctl_job *job, ctl_time start, int64_t minutes)
{
	struct ctl_het_plan *plan = plan_of(c, job->het);
	struct record *r = record_of(plan, job);
	plan->minutes = minutes < plan->minutes ? minutes : plan->minutes;
	if (r && r->start <= start)
		return NULL;
	if (!r)
		r = &plan->record[plan->count++];
	*r = (struct record){ .job = job, .start = start, .part = job->part, .resv = job->resv };
	return r;
}

/* _het_job_start_compute(): when the last of them can start, whatever that job says. */
static ctl_time last_start(const struct ctl_het_plan *plan, const struct ctl_job *but)
{
	ctl_time last = plan->before;
	for (uint32_t i = 0; i < plan->count; i++)
		if (plan->record[i].job != but && plan->record[i].start > last)
			last = plan->record[i].start;
	return last;
}

bool ctl_het_enter(struct ctl *c, struct ctl_job *job, ctl_time *from)
{
	(void)note(c, job, c->now + YEAR, job->time_limit);
	if (job->reason == SL_REASON_NONE)
		ctl_queue_reason(c, job, SL_REASON_RESOURCES);
	*from = last_start(job->het->plan, job);
	return *from <= c->now + c->params.bf_window_min * 60;
}

void ctl_het_planned(struct ctl *c, struct ctl_job *job, ctl_time at, int64_t minutes, int64_t nodes)
{
	struct record *r = note(c, job, at, minutes);
	if (r)
		r->nodes = nodes;
}

/* ---- Deadlocks --------------------------------------------------------------------------------------- */

static struct ctl_het_late *late_of(const struct ctl_bf *bf, const struct ctl_het *het, uint32_t part)
{
	for (uint32_t i = 0; i < bf->late_count; i++)
		if (bf->late[i].het == het && bf->late[i].part == part)
			return &bf->late[i];
	return NULL;
}

/* The latest first; equal ones as they were. */
static void sort_late(struct ctl_bf *bf)
{
	for (uint32_t i = 1; i < bf->late_count; i++) {
		const struct ctl_het_late one = bf->late[i];
		uint32_t at = i;
		for (; at && bf->late[at - 1].start < one.start; at--)
			bf->late[at] = bf->late[at - 1];
		bf->late[at] = one;
	}
}

/* Before this one in its partition's list stands a job that begins sooner than it in that other partition. */
static bool crosses(const struct ctl_bf *bf, const struct ctl_het_late *mine, uint32_t other)
{
	for (uint32_t i = 0; &bf->late[i] != mine; i++) {
		if (bf->late[i].part != mine->part)
			continue;
		const struct ctl_het_late *there = late_of(bf, bf->late[i].het, other);
		if (there && there->start < mine->start)
			return true;
	}
	return false;
}

bool ctl_het_deadlocks(struct ctl *c, const struct ctl_job *job, ctl_time at)
{
	struct ctl_bf *bf = c->bf;
	struct ctl_het_late *mine = late_of(bf, job->het, job->part);
	if (!mine) {
		if (SL_GROW_IN(c->arena, bf->late, bf->late_capacity, (size_t)bf->late_count + 1, NULL)) {
			controller_no_memory(&c->engine);
			return false;
		}
		mine = &bf->late[bf->late_count++];
		*mine = (struct ctl_het_late){ job->het, job->part, at };
	}
	mine->start = at > mine->start ? at : mine->start;
	sort_late(bf);
	mine = late_of(bf, job->het, job->part);
	for (uint32_t part = 0; part < c->part_count; part++)
		if (part != job->part && late_of(bf, job->het, part) && crosses(bf, mine, part))
			return true;
	return false;
}

/* ---- Start --------------------------------------------------------------------------------------------- */

static bool may_run(const struct ctl_job *job)
{
	return job->state == CTL_PENDING && job->priority && !job->completing;
}

/* _het_job_full(): all that do not run have a plan, and may. */
static bool is_full(struct ctl *c, const struct ctl_het *het)
{
	for (uint32_t k = 0; k < het->count; k++) {
		struct ctl_job *one = ctl_het_component(c, het, k);
		if (one->state == CTL_RUNNING)
			continue;
		if (!may_run(one) || !record_of(het->plan, one))
			return false;
	}
	return true;
}

static void look_there(const struct record *r)
{
	r->job->part = r->part;
	if (r->resv != CTL_NO_ROW)
		r->job->resv = r->resv;
}

static enum sl_reason limit_of(struct ctl *c, const struct record *r)
{
	int64_t tres[CTL_TRES_MAX];
	memcpy(tres, r->job->tres_asked, sizeof(tres));
	tres[CTL_TRES_NODE] = r->nodes;
	enum sl_reason reason = ctl_limits_pre(c, r->job);
	if (reason == SL_REASON_NONE)
		reason = ctl_limits_post(c, r->job, tres);
	if (reason == SL_REASON_NONE)
		ctl_limits_suppose(c, r->job, tres);
	return reason;
}

/* _het_job_limit_check(): each counts for those behind it as if it ran. */
static bool limits_allow(struct ctl *c, const struct ctl_het_plan *plan)
{
	enum sl_reason reason = SL_REASON_NONE;
	uint32_t counted = 0;
	for (; counted < plan->count && reason == SL_REASON_NONE; counted++) {
		look_there(&plan->record[counted]);
		reason = limit_of(c, &plan->record[counted]);
		if (reason != SL_REASON_NONE)
			ctl_queue_reason(c, plan->record[counted].job, reason);
	}
	for (uint32_t i = 0; i < counted; i++)
		ctl_limits_end(c, plan->record[i].job);
	return reason == SL_REASON_NONE;
}

/* --time-min: it gets as much as the plan leaves free, of what the shortest of them was planned with. */
static void set_limit(struct ctl *c, struct ctl_job *job, int64_t minutes)
{
	const int64_t before = job->time_limit;
	if (job->time_min == CTL_NONE || job->time_min <= 0)
		return;
	job->time_limit = ctl_bf_stretched(c, job, minutes);
	job->end_limit = job->start + job->time_limit * 60;
	ctl_limits_alter(c, job, before);
	ctl_limit_moved(c, job);
}

/* _het_job_start_now(): the nodes of one are not for the next. */
static bool start_one(struct ctl *c, const struct record *r, int64_t minutes)
{
	struct ctl_bf *bf = c->bf;
	struct ctl_job *job = r->job;
	look_there(r);
	memcpy(bf->het_nodes, c->part[r->part].nodes, bf->slots.words * sizeof(*bf->het_nodes));
	nset_and(bf->het_nodes, ctl_nodes_avail(c), bf->slots.words);
	nset_and_not(bf->het_nodes, bf->het_used, bf->slots.words);
	if (ctl_place_try(c, job, r->part, bf->het_nodes) != CTL_OK)
		return false;
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		nset_add(bf->het_used, job->alloc->node_alloc[i].node);
	set_limit(c, job, minutes);
	return true;
}

static bool start_all(struct ctl *c, const struct ctl_het_plan *plan)
{
	struct ctl_bf *bf = c->bf;
	const struct order_by was = ctl_cause(c, SL_RULE_BACKFILL, bf->first_planned);
	uint32_t started = 0;
	memset(bf->het_used, 0, bf->slots.words * sizeof(*bf->het_used));
	while (started < plan->count && start_one(c, &plan->record[started], plan->minutes))
		started++;
	c->engine.cause = was;
	if (started == plan->count)
		return true;
	for (uint32_t i = 0; i < started; i++) /* _het_job_kill_now() */
		ctl_retract(c, plan->record[i].job);
	return false;
}

/* max_backfill_jobs_start */
static bool may_start_more(const struct ctl *c)
{
	return !c->params.bf_max_job_start || c->bf->started < c->params.bf_max_job_start;
}

/* _het_job_start_test_single() */
static void start_if_all_can(struct ctl *c, struct ctl_het *het)
{
	struct ctl_het_plan *plan = het->plan;
	if (!may_start_more(c) || !is_full(c, het))
		return;
	plan->before = last_start(plan, NULL);
	if (plan->before > c->now)
		return;
	if (!limits_allow(c, plan)) {
		plan->before = c->now + YEAR;
		return;
	}
	if (start_all(c, plan))
		c->bf->started += plan->count;
}

void ctl_het_try(struct ctl *c, const struct ctl_job *job)
{
	if (c->params.bf_hetjob_immediate)
		start_if_all_can(c, job->het);
}

void ctl_het_pass_end(struct ctl *c)
{
	for (uint32_t i = 0; i < c->bf->het_count && !c->params.bf_hetjob_immediate; i++)
		start_if_all_can(c, c->bf->het[i]);
}

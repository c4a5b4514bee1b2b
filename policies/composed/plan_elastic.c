/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_elastic.c - jobs of variable size: waiting ones get resources from those that can do with less,
 * running ones what no job waits for.
 *
 * EASY, with three rules more, each after the one before:
 *   1. A running evolving job gets the size that it requests by now, if it is free.
 *   2. A job that is first and does not fit: if it may choose its size, it starts smaller. Else, or if
 *      that does not fit either, malleable jobs shrink, the latest started first, each down to its
 *      least; once it has started they grow again by what is left over, in the opposite order. If all
 *      of them together could not free enough, none shrinks.
 *   3. If no job waits, malleable jobs share what is idle: all are as large as the largest common size
 *      that fits, each within its bounds (equipartition); then each, in order of start, gets what is
 *      left.
 *
 * So a malleable job never has less than its least, and jobs that wait under EASY start no later for
 * it, as long as estimates hold.
 *
 * McCann, Vaswani & Zahorjan, A dynamic processor allocation policy for multiprogrammed shared-memory
 * multiprocessors, ACM TOCS 11(2), 1993 (equipartition); Cirne & Berman, Using moldability to improve the
 * performance of supercomputer jobs, JPDC 62(10), 2002; kinds of jobs as Feitelson & Rudolph, JSSPP 1996.
 */
#include <string.h>

#include "policies/composed/composed.h"

enum moldable { MOLDABLE_ASKED, MOLDABLE_FIT, MOLDABLE_EARLIEST };

struct elastic {
	sl_job *job; /* Malleable jobs that run, the latest started first. */
	uint32_t *was;
	uint32_t count;
};

static int elastic_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	struct elastic *e = composed->own = sl_alloc(setup->arena, 1, sizeof(*e));
	if (setup->cluster->node_count == 0)
		return sl_fail(err, SL_USAGE, "plan=elastic needs nodes: give a cluster with nodes");
	if (e) {
		e->job = sl_alloc(setup->arena, (size_t)setup->jobs->count + 1, sizeof(*e->job));
		e->was = sl_alloc(setup->arena, (size_t)setup->jobs->count + 1, sizeof(*e->was));
	}
	return e && e->job && e->was ? SL_OK : sl_fail_memory(err);
}

/* ---- What may change --------------------------------------------------------------------------------- */

static const struct sl_group *plan_elastic_group_of(const struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	return jobs->requests[jobs->request[job.row]].group;
}

static const struct sl_profile *plan_elastic_profile_of(const struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	return jobs->profile_of && jobs->profile_of[job.row] ? &jobs->profile[jobs->profile_of[job.row]]
							     : NULL;
}

/* A job with bounds alone is malleable. */
static enum sl_elastic plan_elastic_kind_of(const struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const struct sl_request *request = &jobs->requests[jobs->request[job.row]];
	const struct sl_profile *profile = plan_elastic_profile_of(pass, job);
	if (request->group_count != 1 || request->group->tasks_min >= request->group->tasks_max)
		return SL_RIGID;
	return profile && profile->elastic != SL_NONE ? (enum sl_elastic)profile->elastic : SL_MALLEABLE;
}

static void list_malleable(struct elastic *e, const struct sl_pass *pass)
{
	e->count = 0;
	for (sl_job job = sl_running_last(pass); sl_job_is(job); job = sl_running_before(pass, job))
		if (plan_elastic_kind_of(pass, job) == SL_MALLEABLE && sl_state_of(pass, job) == SL_RUNNING) {
			e->was[e->count] = sl_tasks_of(pass, job);
			e->job[e->count++] = job;
		}
}

/* The largest size from `least` to `most` that fits, beside its allocation; else it stays as it is. */
static void plan_elastic_grow(struct sl_pass *pass, sl_job job, uint32_t most)
{
	uint32_t low = sl_tasks_of(pass, job);
	while (low < most) {
		const uint32_t middle = low + (most - low + 1) / 2;
		if (sl_resize(pass, job, middle))
			low = middle;
		else
			most = middle - 1;
	}
}

/* ---- 1. Evolving jobs ------------------------------------------------------------------------ */

/* What it requests by now, within its bounds, 0: nothing; *next: the work at its next request. */
static uint32_t asked_by(const char *evolves, const struct sl_group *group, sl_time work, sl_time *next)
{
	struct sl_evolution step[SL_EVOLVES_MAX];
	const int count = sl_evolves_read(evolves, step);
	const uint32_t tasks = sl_evolves_by(step, count, work, next);
	if (!tasks || (tasks >= group->tasks_min && tasks <= group->tasks_max))
		return tasks;
	return tasks < group->tasks_min ? group->tasks_min : group->tasks_max;
}

/* Without models a job works in proportion to its size. */
static bool counts_rates(const struct sl_pass *pass) { return sl_figure_of(pass, "speedup") != SL_NONE; }

/* A pass is due at its next request, by its present rate. */
static void await(struct sl_pass *pass, sl_job job, sl_time work)
{
	const uint32_t asked = plan_elastic_group_of(pass, job)->tasks;
	const unsigned __int128 rate =
		counts_rates(pass) ? sl_speed_of(pass, job)
				   : (unsigned __int128)SL_SPEED_ONE * sl_tasks_of(pass, job) / asked;
	if (!rate)
		return;
	const unsigned __int128 time = (((unsigned __int128)(uint64_t)work << 32) + rate - 1) / rate;
	if (time < (unsigned __int128)(SL_NEVER / 2))
		sl_wake(pass, sl_now(pass) + (sl_time)time);
}

static void evolve(struct sl_pass *pass)
{
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job)) {
		const struct sl_profile *profile = plan_elastic_profile_of(pass, job);
		if (!profile || !profile->evolves || plan_elastic_kind_of(pass, job) != SL_EVOLVING ||
			sl_state_of(pass, job) != SL_RUNNING)
			continue;
		const sl_time work = counts_rates(pass) ? sl_done_of(pass, job) + sl_kept_of(pass, job)
							: sl_work_of(pass, job);
		sl_time next;
		const uint32_t tasks =
			asked_by(profile->evolves, plan_elastic_group_of(pass, job), work, &next);
		if (tasks && tasks != sl_tasks_of(pass, job))
			(void)sl_resize(pass, job, tasks);
		if (next != SL_NEVER)
			await(pass, job, next - work);
	}
}

/* ---- 2. Starts ------------------------------------------------------------------------------- */

/* How long it will take where it is, by its estimate. */
static sl_time takes_there(struct sl_pass *pass, sl_job job)
{
	const sl_time asked = sl_estimate_of(pass, job);
	uint64_t rate = (uint64_t)((unsigned __int128)SL_SPEED_ONE * sl_tasks_of(pass, job) /
				   plan_elastic_group_of(pass, job)->tasks);
	if (counts_rates(pass)) {
		const struct sl_node_tasks *alloc;
		const size_t count = sl_node_tasks_of(pass, job, &alloc);
		rate = sl_predict(pass, job, alloc, count);
	}
	if (!rate)
		return SL_NEVER;
	const unsigned __int128 time = (((unsigned __int128)(uint64_t)asked << 32) + rate - 1) / rate;
	return time < (unsigned __int128)(SL_NEVER / 4) ? (sl_time)time : SL_NEVER / 4;
}

/* With as many tasks as fit, from the least up; false: not even those. */
static bool start_fitting(struct composed *composed, struct sl_pass *pass, sl_job job, uint32_t most)
{
	uint32_t low = plan_elastic_group_of(pass, job)->tasks_min;
	if (!composed_start_sized(composed, pass, job, low))
		return false;
	plan_elastic_grow(pass, job, most);
	return true;
}

/* As asked later, or with fewer tasks now: whichever ends first, now where both do. */
static bool start_earliest(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct sl_promise shadow = sl_shadow(pass, job);
	const sl_time later = shadow.at == SL_NEVER ? SL_NEVER : shadow.at + sl_estimate_of(pass, job);
	const sl_marked mark = sl_mark(pass);
	if (start_fitting(composed, pass, job, plan_elastic_group_of(pass, job)->tasks_max)) {
		const sl_time takes = takes_there(pass, job);
		if (takes != SL_NEVER && sl_now(pass) + takes <= later) {
			sl_keep(pass, mark);
			return true;
		}
	}
	composed_undo(composed, pass, mark);
	return composed_start(composed, pass, job);
}

static bool start_any(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const enum sl_elastic kind = plan_elastic_kind_of(pass, job);
	const enum moldable moldable = (enum moldable)composed->values[PARAM_MOLDABLE].number;
	if (kind == SL_MOLDABLE && moldable == MOLDABLE_EARLIEST)
		return start_earliest(composed, pass, job);
	if (kind == SL_MOLDABLE && moldable == MOLDABLE_FIT)
		return start_fitting(composed, pass, job, plan_elastic_group_of(pass, job)->tasks_max);
	if (composed_start(composed, pass, job))
		return true;
	return kind == SL_MALLEABLE &&
	       start_fitting(composed, pass, job, plan_elastic_group_of(pass, job)->tasks);
}

/* Malleable jobs shrink, as few as will do, or none at all. */
static bool plan_elastic_make_room(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct elastic *e = composed->own;
	list_malleable(e, pass);
	const sl_marked mark = sl_mark(pass);
	sl_set_cause(pass, SL_RULE_RANK, job);
	bool started = false;
	uint32_t asked = 0;
	for (; asked < e->count && !started; asked++) {
		const uint32_t least = plan_elastic_group_of(pass, e->job[asked])->tasks_min;
		if (e->was[asked] > least && sl_resize(pass, e->job[asked], least))
			started = start_any(composed, pass, job);
	}
	if (!started) {
		composed_undo(composed, pass, mark);
		return false;
	}
	while (asked--)
		plan_elastic_grow(pass, e->job[asked], e->was[asked]);
	sl_keep(pass, mark);
	return true;
}

static sl_job start_in_order(struct composed *composed, struct sl_pass *pass)
{
	sl_job head;
	for (;;) {
		sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
		head = composed_first(composed, pass);
		if (!sl_job_is(head))
			return head;
		if (!start_any(composed, pass, head) && !plan_elastic_make_room(composed, pass, head))
			break;
	}
	sl_head_waits(pass, head);
	if (composed->gated)
		(void)gate_opens(composed, pass, head); /* Its reason. */
	return head;
}

static void plan_elastic_fill(struct composed *composed, struct sl_pass *pass, sl_job head)
{
	struct sl_promise shadow = sl_shadow_with(pass, head, SL_SPARE_COUNT);
	sl_report_plan(pass, head, shadow.at);
	sl_set_cause(pass, SL_RULE_BACKFILL, head);
	sl_job job = composed->fair_shares ? SL_JOB_NONE : head;
	while (sl_job_is(job = sl_queue_next_fit(pass, job, &shadow)))
		(void)composed_start(composed, pass, job);
}

/* ---- 3. No job waits ------------------------------------------------------------------------- */

/* Each job with less gets so many, within its bounds; false: they do not fit. */
static bool level(const struct elastic *e, struct sl_pass *pass, uint32_t tasks)
{
	for (uint32_t i = 0; i < e->count; i++) {
		const uint32_t most = plan_elastic_group_of(pass, e->job[i])->tasks_max;
		const uint32_t wanted = tasks < most ? tasks : most;
		if (wanted > sl_tasks_of(pass, e->job[i]) && !sl_resize(pass, e->job[i], wanted))
			return false;
	}
	return true;
}

static void share_idle(struct composed *composed, struct sl_pass *pass)
{
	struct elastic *e = composed->own;
	list_malleable(e, pass);
	sl_set_cause(pass, SL_RULE_SHARE, SL_JOB_NONE);
	uint32_t high = 0;
	for (uint32_t i = 0; i < e->count; i++) {
		const uint32_t most = plan_elastic_group_of(pass, e->job[i])->tasks_max;
		high = most > high ? most : high;
	}
	uint32_t low = 0;
	while (low < high) {
		const uint32_t middle = low + (high - low + 1) / 2;
		const sl_marked mark = sl_mark(pass);
		const bool good = level(e, pass, middle);
		sl_undo(pass, mark);
		if (good)
			low = middle;
		else
			high = middle - 1;
	}
	(void)level(e, pass, low);
	for (uint32_t i = e->count; i--;)
		plan_elastic_grow(pass, e->job[i], plan_elastic_group_of(pass, e->job[i])->tasks_max);
}

static void elastic_pass(struct composed *composed, struct sl_pass *pass)
{
	evolve(pass);
	const sl_job head = start_in_order(composed, pass);
	if (sl_job_is(head)) {
		if (!composed->fill_none && sl_any_fits(pass))
			plan_elastic_fill(composed, pass, head);
	} else if (composed->values[PARAM_GROW].number) {
		share_idle(composed, pass);
	}
	evolve(pass); /* A job that has just started will request, too. */
}

const struct plan plan_elastic = {
	.name = "elastic",
	.summary = "EASY with jobs that shrink for those that wait, and share what is idle when nobody does",
	.paper =
		"McCann, Vaswani & Zahorjan, ACM TOCS 11(2), 1993; Cirne & Berman, JPDC 62(10), 2002; Feitelson & "
		"Rudolph, JSSPP 1996",
	.uses = SL_USE_PREEMPT,
	.reason = SL_REASON_PRIORITY,
	.takes = TAKES(PARAM_MOLDABLE) | TAKES(PARAM_GROW) | TAKES_HOLD,
	.fills = true,
	.turns = true,
	.stops = true,
	.lanes_not = "who waits takes from all that run",
	.init = elastic_init,
	.pass = elastic_pass,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_gang.c - EASY for gangs: all jobs of one gang start in one pass, or none does.
 *
 * A unit is a gang, all of whose jobs have been submitted, or a job of none. It stands in the queue where
 * the first of its jobs does. A gang of which some job is not submitted yet waits for it, and delays no
 * other.
 */
#include <stdlib.h>

#include "policies/composed/composed.h"
#include "policies/composed/share_holders.h"

struct gang {
	const int32_t *of;     /* By job: its gang, or -1. */
	const uint32_t *row;   /* Jobs, gang by gang, in order of submission. */
	const uint32_t *begin; /* By gang, count + 1 of them: its part of row. */
	uint32_t count;
	uint32_t *seen;     /* By gang: end of the submitted ones in row. */
	sl_ledger reported; /* By gang: jobs with the reason that they wait for others; -1: and all have been
			       submitted. */
	uint32_t *fresh;    /* Gangs with a submission at fresh_at. */
	uint32_t fresh_count;
	sl_time fresh_at;
	sl_time *times; /* When something may be freed. */
};

/* ---- Gangs -------------------------------------------------------------------------- */

static bool list_members(struct gang *gang, const struct sl_setup *setup)
{
	const struct sl_jobs *jobs = setup->jobs;
	for (uint32_t i = 0; jobs->gang && i < jobs->count; i++)
		if (jobs->gang[i] >= (int32_t)gang->count)
			gang->count = (uint32_t)jobs->gang[i] + 1;
	uint32_t *row = sl_alloc(setup->arena, (size_t)jobs->count + 1, sizeof(*row));
	uint32_t *begin = sl_alloc(setup->arena, (size_t)gang->count + 2, sizeof(*begin));
	gang->seen = sl_alloc(setup->arena, (size_t)gang->count + 1, sizeof(*gang->seen));
	gang->fresh = sl_alloc(setup->arena, (size_t)jobs->count + 1, sizeof(*gang->fresh));
	gang->times = sl_alloc(
		setup->arena, (size_t)jobs->count + setup->cluster->window_count + 1, sizeof(*gang->times));
	if (!row || !begin || !gang->seen || !gang->fresh || !gang->times)
		return false;
	for (uint32_t i = 0; jobs->gang && i < jobs->count; i++)
		if (jobs->gang[i] >= 0)
			begin[jobs->gang[i] + 2]++;
	for (uint32_t i = 0; i < gang->count; i++)
		begin[i + 1] += begin[i];
	for (uint32_t i = 0; jobs->gang && i < jobs->count; i++)
		if (jobs->gang[i] >= 0)
			row[begin[jobs->gang[i] + 1]++] = i;
	for (uint32_t i = 0; i < gang->count; i++)
		gang->seen[i] = begin[i];
	gang->of = jobs->gang;
	gang->row = row;
	gang->begin = begin;
	return true;
}

static int fail_size(
	const struct sl_setup *setup, int64_t id, unsigned kind, int64_t asks, struct sl_err *err)
{
	static const char *const kind_name[ASKS_KINDS] = { "cpus", "MiB", "GPUs" };
	const int64_t parts = parts_of(setup->cluster, kind);
	char number[2][32];
	*sl_put_parts(number[0], asks, parts) = '\0';
	*sl_put_parts(number[1], capacity_of(setup->cluster, kind), parts) = '\0';
	return sl_fail(err, SL_INPUT,
		"the gang of job %lld asks for %s %s, the cluster has %s: it could never start",
		(long long)id, number[0], kind_name[kind], number[1]);
}

/* A gang that is larger than the cluster would wait for ever. */
static int check_sizes(const struct gang *gang, const struct sl_setup *setup, struct sl_err *err)
{
	for (uint32_t i = 0; i < gang->count; i++)
		for (unsigned kind = 0; kind < ASKS_KINDS; kind++) {
			int64_t asks = 0;
			for (uint32_t at = gang->begin[i]; at < gang->begin[i + 1]; at++)
				asks += asks_of(setup->jobs, (sl_job){ gang->row[at] }, kind);
			if (asks > capacity_of(setup->cluster, kind))
				return fail_size(
					setup, setup->jobs->id[gang->row[gang->begin[i]]], kind, asks, err);
		}
	return SL_OK;
}

static int gang_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	struct gang *gang = composed->own = sl_alloc(setup->arena, 1, sizeof(*gang));
	if (!gang || !list_members(gang, setup))
		return sl_fail_memory(err);
	gang->reported = sl_ledger_new(setup, "gangs told", gang->count + 1);
	return check_sizes(gang, setup, err);
}

static void gang_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct gang *gang = composed->own;
	const int32_t of = gang->count ? gang->of[job.row] : -1;
	if (gang->fresh_at != sl_now(pass))
		gang->fresh_count = 0;
	gang->fresh_at = sl_now(pass);
	if (of < 0)
		return;
	gang->seen[of]++;
	gang->fresh[gang->fresh_count++] = (uint32_t)of;
}

static bool is_whole(const struct gang *gang, uint32_t of) { return gang->seen[of] == gang->begin[of + 1]; }

/* Of gangs that got a job at this instant: what they wait for. */
static void report_fresh(struct composed *composed, struct sl_pass *pass)
{
	const struct gang *gang = composed->own;
	for (uint32_t i = 0; gang->fresh_at == sl_now(pass) && i < gang->fresh_count; i++) {
		const uint32_t of = gang->fresh[i];
		const int64_t reported = sl_ledger_get(pass, gang->reported, of);
		const bool whole = is_whole(gang, of);
		const uint32_t from = gang->begin[of] + (whole || reported < 0 ? 0 : (uint32_t)reported);
		const uint32_t until =
			whole ? gang->begin[of] + (reported > 0 ? (uint32_t)reported : 0) : gang->seen[of];
		for (uint32_t at = from; at < until; at++)
			sl_set_reason(pass, (sl_job){ gang->row[at] },
				whole ? SL_REASON_PRIORITY : SL_REASON_DEPENDENCY, 0);
		const int64_t now = whole ? -1 : (int64_t)gang->seen[of] - gang->begin[of];
		if (now != reported)
			sl_ledger_add(pass, gang->reported, of, now - reported);
	}
}

/* ---- Units ----------------------------------------------------------------------------------- */

static int32_t gang_of(const struct gang *gang, sl_job job) { return gang->count ? gang->of[job.row] : -1; }

/* The first of its gang's waiting jobs in the order of submission, or none. */
static sl_job member_from(const struct gang *gang, const struct sl_pass *pass, uint32_t of, uint32_t at)
{
	for (; at < gang->begin[of + 1]; at++)
		if (sl_waits(pass, (sl_job){ gang->row[at] }))
			return (sl_job){ at };
	return SL_JOB_NONE;
}

/* All waiting jobs of the gang, or all is undone. */
static bool all_or_none(struct composed *composed, struct sl_pass *pass, uint32_t of,
	bool (*does)(struct composed *composed, struct sl_pass *pass, sl_job job, sl_time at), sl_time at)
{
	const struct gang *gang = composed->own;
	const sl_marked mark = sl_mark(pass);
	sl_job place = member_from(gang, pass, of, gang->begin[of]);
	for (; sl_job_is(place); place = member_from(gang, pass, of, place.row + 1))
		if (!does(composed, pass, (sl_job){ gang->row[place.row] }, at)) {
			composed_undo(composed, pass, mark);
			return false;
		}
	sl_keep(pass, mark);
	return true;
}

static bool starts(struct composed *composed, struct sl_pass *pass, sl_job job, sl_time at)
{
	return sl_promise_at(pass, job) <= at && composed_start(composed, pass, job);
}

static bool plan_gang_holds(struct composed *composed, struct sl_pass *pass, sl_job job, sl_time at)
{
	(void)composed;
	return sl_promise_set(pass, job, at);
}

static void drops(struct composed *composed, struct sl_pass *pass, uint32_t of)
{
	const struct gang *gang = composed->own;
	for (uint32_t at = gang->begin[of]; at < gang->begin[of + 1]; at++)
		sl_promise_drop(pass, (sl_job){ gang->row[at] });
}

/* The unit that begins with this job, beside all reservations. */
static bool start_unit(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const int32_t of = gang_of(composed->own, job);
	return of < 0 ? starts(composed, pass, job, sl_now(pass))
		      : all_or_none(composed, pass, (uint32_t)of, starts, sl_now(pass));
}

static int compare_times(const void *a, const void *b)
{
	const sl_time x = *(const sl_time *)a;
	const sl_time y = *(const sl_time *)b;
	return (x > y) - (x < y);
}

static uint32_t list_times(struct gang *gang, const struct sl_pass *pass)
{
	const struct sl_cluster *cluster = sl_cluster_of(pass);
	uint32_t count = 0;
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job))
		gang->times[count++] = sl_expected_end(pass, job);
	for (uint32_t i = 0; i < cluster->window_count; i++)
		if (cluster->window[i].until > sl_now(pass))
			gang->times[count++] = cluster->window[i].until;
	if (count)
		qsort(gang->times, count, sizeof(*gang->times), compare_times);
	return count;
}

/* The earliest of the times at which something is freed when all of the gang fit together. Without windows
 * what fits at one fits at all later ones. */
static bool promise_gang(struct composed *composed, struct sl_pass *pass, uint32_t of)
{
	struct gang *gang = composed->own;
	const uint32_t count = list_times(gang, pass);
	uint32_t from = 0;
	uint32_t to = count;
	if (sl_cluster_of(pass)->window_count) {
		while (from < to && !all_or_none(composed, pass, of, plan_gang_holds, gang->times[from]))
			from++;
		return from < to;
	}
	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;
		if (all_or_none(composed, pass, of, plan_gang_holds, gang->times[middle])) {
			drops(composed, pass, of);
			to = middle;
		} else {
			from = middle + 1;
		}
	}
	return from < count && all_or_none(composed, pass, of, plan_gang_holds, gang->times[from]);
}

static bool waits_for_others(const struct gang *gang, sl_job job)
{
	const int32_t of = gang_of(gang, job);
	return of >= 0 && !is_whole(gang, (uint32_t)of);
}

/* The next in the queue of another unit: this one may be going to start. */
static sl_job after_unit(const struct gang *gang, const struct sl_pass *pass, sl_job job)
{
	const int32_t of = gang_of(gang, job);
	do
		job = sl_queue_after(pass, job);
	while (sl_job_is(job) && ((of >= 0 && gang_of(gang, job) == of) || waits_for_others(gang, job)));
	return job;
}

/* Starts units in queue order; the first job of the one that cannot. */
static sl_job start_units(struct composed *composed, struct sl_pass *pass)
{
	const struct gang *gang = composed->own;
	sl_job job = sl_queue_first(pass);
	if (sl_job_is(job) && waits_for_others(gang, job))
		job = after_unit(gang, pass, job);
	while (sl_job_is(job)) {
		const sl_job next = after_unit(gang, pass, job);
		if (!start_unit(composed, pass, job))
			return job;
		job = next;
	}
	return SL_JOB_NONE;
}

static void gang_pass(struct composed *composed, struct sl_pass *pass)
{
	const struct gang *gang = composed->own;
	report_fresh(composed, pass);
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	const sl_job head = start_units(composed, pass);
	if (!sl_job_is(head))
		return;
	sl_head_waits(pass, head);
	if (!sl_any_fits(pass))
		return;
	const int32_t of = gang_of(gang, head);
	if (of >= 0)
		(void)promise_gang(composed, pass, (uint32_t)of);
	else
		(void)sl_promise_set(pass, head, sl_promise_at(pass, head));
	sl_report_plan(pass, head, sl_promise_of(pass, head));
	sl_set_cause(pass, SL_RULE_BACKFILL, head);
	sl_job job = composed->fill.by_row ? head : SL_JOB_NONE;
	while (sl_job_is(job = sl_queue_next_fit(pass, job, NULL))) {
		const int32_t its = gang_of(gang, job);
		/* A gang is tried once, with the first of its jobs. */
		if (its < 0 ||
			(its != of && !waits_for_others(gang, job) &&
				gang->row[member_from(gang, pass, (uint32_t)its, gang->begin[its]).row] ==
					job.row))
			(void)start_unit(composed, pass, job);
	}
	if (of >= 0)
		drops(composed, pass, (uint32_t)of);
	else
		sl_promise_drop(pass, head);
}

const struct plan plan_gang = {
	.name = "gang",
	.summary = "easy for gangs: jobs of one gang start together or not at all",
	.paper =
		"Ousterhout, Scheduling techniques for concurrent systems, ICDCS 1982 (coscheduling); Lifka, JSSPP 1995",
	.uses = SL_USE_PROMISES | SL_USE_PREEMPT,
	.reason = SL_REASON_PRIORITY,
	.fills = true,
	.init = gang_init,
	.pass = gang_pass,
	.submitted = gang_submitted,
};

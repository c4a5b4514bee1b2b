/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_who.c - which jobs started while a job waited, by which rule (order, backfill, ...); and what was
 * planned for it, each time anew.
 */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Who started meanwhile --------------------------------------------------------------------- */

/* Did it wait then? What starts at the very time at which it does too did not run ahead. */
static bool waits_at(const struct explain *explain, sl_time at)
{
	sl_time from;
	sl_time until;
	for (size_t i = 0; sl_wait_interval(explain->view.result, explain->job, i, &from, &until); i++)
		if (at >= from && at < until)
			return true;
	return false;
}

static int compare_started(const void *a, const void *b)
{
	const struct started *x = a;
	const struct started *y = b;
	if (x->later != y->later)
		return x->later ? -1 : 1;
	if (x->cpu_seconds != y->cpu_seconds)
		return x->cpu_seconds > y->cpu_seconds ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static void started_add(struct explain *explain, const struct sl_decision *decision)
{
	struct ahead *ahead = &explain->ahead;
	struct started *started = &ahead->job[ahead->count++];
	*started = (struct started){ .job = decision->job,
		.at = decision->at,
		.rule = (enum sl_rule)decision->rule,
		.later = decision->job > explain->job, /* Rows are in the order of submission. */
		.cpu_seconds = cpu_seconds_of(explain, decision->job) };
	if (!started->later) {
		ahead->earlier++;
		ahead->earlier_cpu_seconds += started->cpu_seconds;
		return;
	}
	ahead->later++;
	ahead->later_cpu_seconds += started->cpu_seconds;
	ahead->cause_rule[started->rule]++;
	ahead->rule_cpu_seconds[started->rule] += started->cpu_seconds;
}

/* The jobs that it was preempted for, and those preempted for it. */
static void preempted_add(struct explain *explain, const struct sl_decision *decision)
{
	struct ahead *ahead = &explain->ahead;
	ahead->preempted_for += decision->beneficiary == explain->job;
	if (decision->job != explain->job)
		return;
	if (ahead->preempted < SL_LEN(ahead->preempted_by))
		ahead->preempted_by[ahead->preempted] = decision->beneficiary;
	ahead->preempted++;
}

int ahead_find(struct explain *explain, struct sl_err *err)
{
	const struct sl_result *result = explain->view.result;
	size_t starts = 0;
	for (size_t i = 0; i < result->decision_count; i++)
		starts += result->decision[i].decision == SL_DECISION_START;
	struct ahead *ahead = &explain->ahead;
	ahead->job = sl_alloc(explain->view.arena, starts + 1, sizeof(*ahead->job));
	bool *seen = calloc((size_t)explain->view.jobs->count + 1, sizeof(*seen));
	if (!ahead->job || !seen) {
		free(seen);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sl_decision *decision = &result->decision[i];
		if (decision->decision == SL_DECISION_PREEMPT)
			preempted_add(explain, decision);
		if (decision->decision == SL_DECISION_START && decision->job != explain->job &&
			!seen[decision->job] && waits_at(explain, decision->at)) {
			seen[decision->job] = true; /* One that was preempted, and started again, is one. */
			started_add(explain, decision);
		}
	}
	free(seen);
	qsort(ahead->job, ahead->count, sizeof(*ahead->job), compare_started);
	return SL_OK;
}

/* ---- What was planned ----------------------------------------------------------------------------- */

/* The last event at the time of a plan, or before it: some plans are made by passes of their own, seconds
 * later. */
struct moment {
	sl_time at;
	uint32_t ended, submitted, started; /* The first of each, UINT32_MAX: none. */
	size_t ended_count, submitted_count, started_count;
	sl_time early; /* How long before its limit the first ended. */
};

/* That of the first plan from then on, if nothing later is known of it; NULL: none. */
static struct moment *moment_of(const struct explain *explain, struct moment *moment, sl_time at)
{
	const size_t low =
		times_before(explain->plan, explain->plan_count, sizeof(*explain->plan), at, false);
	if (low == explain->plan_count || moment[low].at > at)
		return NULL;
	if (moment[low].at < at)
		moment[low] = (struct moment){ .at = at };
	return &moment[low];
}

static void note_first(uint32_t *first, size_t *count, uint32_t job)
{
	if (!(*count)++)
		*first = job;
}

static void moments_fill(const struct explain *explain, struct moment *moment)
{
	const struct sl_result *result = explain->view.result;
	const struct sl_jobs *jobs = explain->view.jobs;
	for (size_t i = 0; i < explain->plan_count; i++)
		moment[i].at = INT64_MIN;
	for (uint32_t job = 0; job < jobs->count; job++) {
		if (job == explain->job)
			continue;
		struct moment *of = moment_of(explain, moment, jobs->submit[job]);
		if (of)
			note_first(&of->submitted, &of->submitted_count, job);
		of = result->start[job] != SL_NONE ? moment_of(explain, moment, result->start[job]) : NULL;
		if (of)
			note_first(&of->started, &of->started_count, job);
		of = result->end[job] != SL_NONE && result->start[job] != SL_NONE
			     ? moment_of(explain, moment, result->end[job])
			     : NULL;
		if (!of)
			continue;
		const sl_time early = jobs->limit[job] - (result->end[job] - result->start[job]);
		if (early > 0 && early < SL_NEVER / 2 && early > of->early) {
			of->early = early;
			of->ended = job;
		}
		of->ended_count++;
	}
}

static const char *moment_text(const struct explain *explain, const struct moment *moment)
{
	if (moment->early)
		return report_text(explain, "job %s ended %s before its limit",
			id_text(explain, moment->ended), range_text(explain, moment->early));
	if (moment->started_count)
		return report_text(explain, "job %s started%s", id_text(explain, moment->started),
			moment->started_count > 1 ? ", and others" : "");
	if (moment->submitted_count)
		return report_text(explain, "job %s was submitted%s", id_text(explain, moment->submitted),
			moment->submitted_count > 1 ? ", and others" : "");
	return moment->ended_count ? "jobs ended" : "";
}

int plans_find(struct explain *explain, struct sl_err *err)
{
	const struct sl_result *result = explain->view.result;
	size_t count = 0;
	for (size_t i = 0; i < result->decision_count; i++)
		count += result->decision[i].decision == SL_DECISION_PLAN &&
			 result->decision[i].job == explain->job;
	explain->plan = sl_alloc(explain->view.arena, count + 1, sizeof(*explain->plan));
	struct moment *moment = calloc(count + 1, sizeof(*moment));
	if (!explain->plan || !moment) {
		free(moment);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sl_decision *decision = &result->decision[i];
		if (decision->decision != SL_DECISION_PLAN || decision->job != explain->job)
			continue;
		/* Of several at one time the last counts. */
		if (explain->plan_count && explain->plan[explain->plan_count - 1].at == decision->at)
			explain->plan_count--;
		explain->plan[explain->plan_count++] = (struct plan){ decision->at, decision->start, "" };
	}
	moments_fill(explain, moment);
	for (size_t i = 0; i < explain->plan_count; i++) {
		explain->plan[i].why = moment_text(explain, &moment[i]);
		explain->plan_moves += i && explain->plan[i].start != explain->plan[i - 1].start;
	}
	free(moment);
	return SL_OK;
}

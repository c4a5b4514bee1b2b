/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_when.c - when a job that waits would start, as far as its scheduler can know.
 *
 * The run is replayed to that moment, and goes on without what nobody knows then: nobody else is submitted,
 * nobody cancels, and each job that is not over runs to its limit. What comes of it under the same policy is
 * the answer; a policy that looks at traced run times would have decided otherwise before, and that is
 * reported.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain.h"

enum { ENDS_REPORTED = 3 };

struct when {
	sl_time at, start;     /* start: SL_NONE: never. */
	sl_time known;         /* Nothing that is known happens behind that. */
	enum sl_reason reason; /* Its last; */
	bool unlimited;        /* some job that is not over has no limit; */
	uint32_t as_traced;    /* so many have one that is their traced run time: none was given, or it was
				  raised. */
	uint32_t end[ENDS_REPORTED]; /* Jobs that end after that moment and before it starts, the last first.
				      */
	sl_time end_at[ENDS_REPORTED];
	size_t ends;
};

/* The columns that are changed, as copies in the replay's arena. */
struct columns {
	sl_time *submit, *run, *cancel;
};

static int copy_columns(struct rerun *rerun, struct columns *columns, struct sl_err *err)
{
	struct sl_jobs *jobs = &rerun->scenario.jobs;
	const size_t bytes = jobs->count * sizeof(sl_time);
	columns->submit = sl_alloc(rerun->arena, (size_t)jobs->count + 1, sizeof(sl_time));
	columns->run = sl_alloc(rerun->arena, (size_t)jobs->count + 1, sizeof(sl_time));
	columns->cancel = sl_alloc(rerun->arena, (size_t)jobs->count + 1, sizeof(sl_time));
	if (!columns->submit || !columns->run || !columns->cancel)
		return sl_fail_memory(err);
	memcpy(columns->submit, jobs->submit, bytes);
	memcpy(columns->run, jobs->run, bytes);
	if (jobs->cancel)
		memcpy(columns->cancel, jobs->cancel, bytes);
	return SL_OK;
}

/* How long it runs in all, for all that is known at that moment. */
static sl_time known_run(const struct explain *explain, uint32_t row, sl_time at, struct when *when)
{
	const struct sl_result *result = explain->view.result;
	const sl_time limit = explain->view.jobs->limit[row];
	const sl_time start = result->start[row];
	const sl_time ran = start != SL_NONE && start <= at ? at - start : 0;
	if (limit == SL_NEVER) {
		when->unlimited = true;
		return when->known;
	}
	when->as_traced += limit == explain->view.jobs->run[row];
	return limit > ran ? limit : ran + SL_SECOND;
}

/* What nobody knows at that moment is dropped from the trace. */
static int forget_later(
	const struct explain *explain, struct rerun *rerun, struct when *when, struct sl_err *err)
{
	const struct sl_result *result = explain->view.result;
	struct sl_jobs *jobs = &rerun->scenario.jobs;
	struct columns columns;
	const int status = copy_columns(rerun, &columns, err);
	if (status)
		return status;
	for (uint32_t row = 0; row < jobs->count; row++) {
		const bool over = result->end[row] != SL_NONE && result->end[row] <= when->at &&
				  result->state[row] != SL_PENDING;
		if (jobs->submit[row] > when->at)
			columns.submit[row] = when->known;
		else if (!over)
			columns.run[row] = known_run(explain, row, when->at, when);
		if (jobs->cancel && columns.cancel[row] != SL_NONE && columns.cancel[row] > when->at)
			columns.cancel[row] = SL_NONE;
	}
	jobs->submit = columns.submit;
	jobs->run = columns.run;
	if (jobs->cancel)
		jobs->cancel = columns.cancel;
	rerun->scenario.bounded = false;
	return SL_OK;
}

/* Instant by instant, until it starts or nothing that is known is left. */
static int go_on(struct sim_run *sim, uint32_t job, struct when *when, struct sl_err *err)
{
	int status = SL_OK;
	while (!status) {
		const struct sl_pass *pass = sim_state(sim);
		if (sl_state_of(pass, (sl_job){ job }) != SL_PENDING) {
			when->start = sl_now(pass);
			break;
		}
		const sl_time next = sim_next(sim);
		if (next == SL_NEVER || next >= when->known)
			break;
		status = sim_advance(sim, next, err);
	}
	return status;
}

/* The last ends before its start; whether they freed its resources is not checked. */
static void find_ends(const struct sl_result *result, uint32_t job, struct when *when)
{
	for (uint32_t row = 0; row < result->jobs->count; row++) {
		const sl_time end = result->end[row];
		if (row == job || result->start[row] == SL_NONE || end == SL_NONE || end <= when->at ||
			(when->start != SL_NONE && end > when->start))
			continue;
		size_t to = when->ends < ENDS_REPORTED ? when->ends++ : ENDS_REPORTED;
		for (; to > 0 && when->end_at[to - 1] < end; to--)
			if (to < ENDS_REPORTED) {
				when->end[to] = when->end[to - 1];
				when->end_at[to] = when->end_at[to - 1];
			}
		if (to < ENDS_REPORTED) {
			when->end[to] = row;
			when->end_at[to] = end;
		}
	}
}

static int simulate(const struct explain *explain, struct when *when, struct sl_err *err)
{
	struct rerun rerun = { 0 };
	struct sim_run sim = { 0 };
	int status = rerun_open(&rerun, explain->path, explain->registry, err);
	rerun.changed = true; /* Another run: its digests are its own. */
	if (!status)
		status = rerun_load(&rerun, err);
	if (!status)
		status = forget_later(explain, &rerun, when, err);
	if (!status)
		status = rerun_begin(&rerun, &sim, SIM_RECORD_REASONS, when->at, err);
	if (!status && sl_state_of(sim_state(&sim), (sl_job){ explain->job }) != SL_PENDING)
		status = sl_fail(err, SL_USAGE,
			"--when: with limits in place of run times job %s does not wait then: the policy looks at what "
			"nobody knows (run times, as estimate=exact does)",
			explain->id);
	if (!status)
		status = go_on(&sim, explain->job, when, err);
	if (!status)
		status = sim_end(&sim, err);
	if (!status) {
		find_ends(&sim.result, explain->job, when);
		when->reason = sl_reason_last(&sim.result, explain->job);
	}
	sim_release(&sim);
	rerun_close(&rerun);
	return status;
}

/* At that time, or where the run was stopped. */
static int take_time(const struct explain *explain, const char *at, struct when *when, struct sl_err *err)
{
	const struct sl_result *result = explain->view.result;
	const uint32_t job = explain->job;
	if (at && !view_time(&explain->view, at, &when->at))
		return sl_fail(err, SL_USAGE, "--at: '%.60s' is no time: give seconds, or a date", at);
	if (!at && !result->stopped && !result->interrupted && result->state[job] != SL_PENDING)
		return sl_fail(err, SL_USAGE,
			"--when: the run went to its end, and job %s started: say with --at TIME as of when",
			explain->id);
	if (!at)
		when->at = result->last;
	sl_time from, until;
	for (size_t i = 0; sl_wait_interval(result, job, i, &from, &until); i++)
		if (from <= when->at && when->at < until)
			return SL_OK;
	if (!at && result->state[job] == SL_PENDING)
		return SL_OK;
	return sl_fail(err, SL_USAGE, "--when: job %s does not wait at %s", explain->id,
		time_text(explain, when->at));
}

static void print_when(const struct explain *explain, const struct when *when)
{
	(void)printf("job %s waits at %s\n", explain->id, time_text(explain, when->at));
	if (when->start == SL_NONE)
		(void)printf("  starts     never, as far as is known: %s (%s)\n",
			sl_reason_words(when->reason), sl_reason_name(when->reason));
	else
		(void)printf("  starts     %s, in %s\n", time_text(explain, when->start),
			range_text(explain, when->start - when->at));
	for (size_t i = 0; i < when->ends; i++)
		(void)printf("  %s job %s ends at %s, %s\n", i ? "          " : "after     ",
			id_text(explain, when->end[i]), time_text(explain, when->end_at[i]),
			asked_text(explain, when->end[i]));
	(void)printf("  if         nobody else comes or cancels, and all run to their limits%s\n",
		when->unlimited ? "; some have none, and are taken never to end" : "");
	if (when->as_traced)
		(void)printf(
			"             of %" PRIu32
			" the limit is the traced run time: none was given, it was raised to it, or it was just that\n",
			when->as_traced);
}

static int print_json(const struct explain *explain, const struct when *when, struct sl_err *err)
{
	struct sl_out *out = NULL;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	sl_out_text(out, "{\"job\": ");
	sl_out_json(out, explain->id);
	member_number(out, "at", when->at);
	member_number(out, "start", when->start);
	sl_out_printf(out,
		", \"reason\": \"%s\", \"unlimited\": %s, \"limits_as_traced\": %" PRIu32 ", \"after\": [",
		sl_reason_name(when->reason), when->unlimited ? "true" : "false", when->as_traced);
	for (size_t i = 0; i < when->ends; i++) {
		sl_out_text(out, i ? ", {\"job\": " : "{\"job\": ");
		sl_out_json(out, id_text(explain, when->end[i]));
		member_number(out, "end", when->end_at[i]);
		sl_out_text(out, "}");
	}
	sl_out_text(out, "]}\n");
	return sl_out_commit(out, err);
}

int explain_when(struct explain *explain, const char *at, bool json, struct sl_err *err)
{
	enum { YEARS = 100 };
	struct when when = { .start = SL_NONE };
	explain->id = id_text(explain, explain->job);
	int status = take_time(explain, at, &when, err);
	when.known = when.at + (sl_time)YEARS * 365 * 86400 * SL_SECOND;
	if (!status)
		status = simulate(explain, &when, err);
	if (status)
		return status;
	if (json)
		return print_json(explain, &when, err);
	print_when(explain, &when);
	return SL_OK;
}

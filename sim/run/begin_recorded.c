/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begin_recorded.c - a run that begins in the middle of a log (replay.start=recorded): running jobs run on,
 * waiting jobs wait.
 *
 * The log's own submissions and starts before that time are reported to the policy as history, and the ends
 * of jobs that were over by then, where such are there (replay.before). Jobs that ran are allocated in the
 * order of their starts, where the node scorer, or a policy that controls the run, says; a job that does not
 * fit (the log knew a larger machine) waits.
 */
#include <stdlib.h>

#include "sim/run/engine.h"

static int compare_events(const void *a, const void *b)
{
	const struct history_event *x = a;
	const struct history_event *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	const unsigned x_class = history_class(x->class);
	const unsigned y_class = history_class(y->class);
	if (x_class != y_class)
		return x_class < y_class ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* When a job that had started ended, if it had by the beginning; else SL_NONE. */
sl_time begin_ended(const struct sim *sim, uint32_t job)
{
	const struct sl_jobs *jobs = sim->jobs;
	if (!jobs->ran || jobs->ran[job] == SL_NONE)
		return SL_NONE;
	const bool cut = sim->scenario->overrun == SL_OVERRUN_KILL && jobs->limit[job] < jobs->run[job];
	const sl_time length = cut ? jobs->limit[job] : jobs->run[job];
	return length <= jobs->ran[job] ? sim->scenario->begin - jobs->ran[job] + length : SL_NONE;
}

/* Submissions, starts and ends before the beginning, in order. entered: when jobs came into the queue, if
 * later than they were submitted (SL_NEVER: not yet); NULL: none did. */
static size_t recorded_history(const struct sim *sim, const sl_time *entered, struct history_event *event)
{
	const struct sl_jobs *jobs = sim->jobs;
	const sl_time begin = sim->scenario->begin;
	size_t count = 0;
	for (uint32_t job = 0; job < jobs->count && jobs->submit[job] < begin; job++) {
		const sl_time in = entered ? entered[job] : jobs->submit[job];
		if (in != jobs->submit[job])
			event[count++] = (struct history_event){ jobs->submit[job], job, DIGEST_GATED };
		if (in != SL_NEVER)
			event[count++] = (struct history_event){ in, job, SL_EV_SUBMIT };
		if (jobs->ran && jobs->ran[job] != SL_NONE)
			event[count++] =
				(struct history_event){ begin - jobs->ran[job], job, SL_EV_CLASS_COUNT };
		const sl_time ended = begin_ended(sim, job);
		if (ended != SL_NONE)
			event[count++] = (struct history_event){ ended, job, SL_EV_JOB_END };
	}
	if (count)
		qsort(event, count, sizeof(*event), compare_events);
	return count;
}

/* Where it runs, as a controller says. */
static bool found(struct sim *sim, uint32_t job)
{
	if (!is_controlled(sim))
		return allocation_found(sim, job, &(struct where){ 0 });
	sim->runs_on = job;
	sim->policy->on_history(sim->state, sim, (sl_job){ job }, SL_HISTORY_RUNS, SL_PREEMPT_COUNT);
	const bool runs = sim->runs_on != job;
	sim->runs_on = UINT32_MAX;
	return runs;
}

/* It runs, since then, or waits after all. */
static void run_on(struct sim *sim, uint32_t job)
{
	if (sim->progress) {
		sim->progress[job].began = sim->progress[job].since = sim->start[job];
		sim->progress[job].attempts = 1;
		sim->progress[job].counted = sim->start[job];
		progress_due(sim, job);
	}
	if (!found(sim, job)) {
		sim->start[job] = SL_NONE;
		sim->job_state[job] = SL_PENDING;
		if (sim->progress)
			sim->progress[job] = PROGRESS_NONE;
		queue_put(sim, job);
		sim->unfit++;
		return;
	}
	if (sim->progress)
		progress_link(sim, job, sim->run_last);
	sim->running++;
	allocation_holds(sim, job);
	allocation_places(sim, job);
	digest_fold(sim, SL_EV_CLASS_COUNT, job);
	pass_failed(sim, note_end(sim, job));
}

/* The digest has them at the beginning; the history, for a later handover, at their own times. */
static void note_history(struct sim *sim, const struct history_event *event, size_t count)
{
	sim->history_count = 0;
	for (size_t i = 0; i < count && sim->options.record & SIM_RECORD_HISTORY; i++)
		if ((history_class(event[i].class) == SL_EV_SUBMIT && sim->end[event[i].row] == SL_NONE) ||
			is_running(sim, event[i].row))
			pass_failed(sim, history_note(sim, event[i].time, event[i].class, event[i].row));
}

static uint32_t submitted_before(const struct sl_jobs *jobs, sl_time begin)
{
	uint32_t count = 0;
	while (count < jobs->count && jobs->submit[count] < begin)
		count++;
	return count;
}

static int take_up(struct sim *sim, const sl_time *entered, struct history_event *event)
{
	const size_t count = recorded_history(sim, entered, event);
	struct progress *progress = sim->progress;
	sim->progress = NULL; /* None yet, while the history is reported. */
	/* A controller's timers of the beginning itself are for the run. */
	const int status = history_table(sim, event, count, sim->now - is_controlled(sim));
	sim->progress = progress;
	if (status)
		return status;
	if (sim->nodes)
		nodes_clock(sim->nodes, sim->now);
	allocation_settle(sim);
	for (uint32_t job = 0; job < sim->submitted; job++) {
		digest_fold(sim, is_gated(sim, job) ? DIGEST_GATED : SL_EV_SUBMIT, job);
		if (sim->end[job] == SL_NONE)
			cancel_later(sim, job);
	}
	for (size_t i = 0; i < count && !sim->status; i++)
		if (event[i].class == SL_EV_CLASS_COUNT && sim->end[event[i].row] == SL_NONE)
			run_on(sim, event[i].row);
	for (uint32_t job = 0; job < sim->submitted; job++)
		if (sim->uses & SL_USE_PROMISES && is_waiting(sim, job))
			unpromised_put(sim, job);
	note_history(sim, event, count);
	sim->promises_broken = false;
	sim->wake = sim->now;
	if (!sim->status && sim->options.check)
		check_state(sim);
	return sim->status;
}

int begin_recorded(struct sim *sim)
{
	const uint32_t submitted = submitted_before(sim->jobs, sim->scenario->begin);
	struct history_event *event = malloc((4 * (size_t)submitted + 1) * sizeof(*event));
	sl_time *entered = sim->eligibility ? malloc(((size_t)submitted + 1) * sizeof(*entered)) : NULL;
	int status = !event || (sim->eligibility && !entered) ? sl_fail_memory(&sim->err) : SL_OK;
	if (!status && sim->eligibility)
		status = eligibility_take_up(sim, entered, submitted);
	if (!status)
		status = take_up(sim, entered, event);
	free(entered);
	free(event);
	return status;
}

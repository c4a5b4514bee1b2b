/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * begin_recorded.c - a run that begins in the middle of a log: who ran then runs on, who waited waits.
 *
 * The log's own submissions and starts before that time are the past, and are
 * shown to the policy as such. Who ran is put on the machine in the order of
 * the starts, where the placing says; who does not fit (the log knew a larger
 * machine) waits.
 */
#include <stdlib.h>

#include "sim/run/engine.h"

static int compare_events(const void *a, const void *b)
{
	const struct past_event *x = a;
	const struct past_event *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	const unsigned x_class = past_class(x->class);
	const unsigned y_class = past_class(y->class);
	if (x_class != y_class)
		return x_class < y_class ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Submissions and starts before the beginning, in order. entered: when jobs came into the queue, if later
 * than they were submitted (SL_NEVER: not yet); NULL: none did. */
static size_t recorded_past(const struct sl_pass *pass, const sl_time *entered, struct past_event *event)
{
	const struct sl_jobs *jobs = pass->jobs;
	const sl_time begin = pass->scenario->begin;
	size_t count = 0;
	for (uint32_t job = 0; job < jobs->count && jobs->submit[job] < begin; job++) {
		const sl_time in = entered ? entered[job] : jobs->submit[job];
		if (in != jobs->submit[job])
			event[count++] = (struct past_event){ jobs->submit[job], job, DIGEST_GATED };
		if (in != SL_NEVER)
			event[count++] = (struct past_event){ in, job, SL_EV_SUBMIT };
		if (jobs->ran && jobs->ran[job] != SL_NONE)
			event[count++] =
				(struct past_event){ begin - jobs->ran[job], job, SL_EV_CLASS_COUNT };
	}
	if (count)
		qsort(event, count, sizeof(*event), compare_events);
	return count;
}

/* It runs, since then, or waits after all. */
static void run_on(struct sl_pass *pass, uint32_t job)
{
	if (pass->course) {
		pass->course[job].began = pass->course[job].since = pass->start[job];
		pass->course[job].attempts = 1;
		pass->course[job].counted = pass->start[job];
		course_due(pass, job);
	}
	if (!room_found(pass, job)) {
		pass->start[job] = SL_NONE;
		pass->job_state[job] = SL_PENDING;
		if (pass->course)
			pass->course[job] = COURSE_NONE;
		queue_put(pass, job);
		pass->unfit++;
		return;
	}
	if (pass->course)
		course_link(pass, job, pass->run_last);
	pass->running++;
	room_holds(pass, job);
	room_places(pass, job);
	pass_digest(pass, SL_EV_CLASS_COUNT, job);
	pass_failed(pass, note_end(pass, job));
}

/* The digest has them at the beginning; the past, for whoever takes over later, at their own times. */
static void note_past(struct sl_pass *pass, const struct past_event *event, size_t count)
{
	pass->past_count = 0;
	for (size_t i = 0; i < count && pass->options.record & SIM_RECORD_PAST; i++)
		if (past_class(event[i].class) == SL_EV_SUBMIT || is_running(pass, event[i].row))
			pass_failed(pass, past_note(pass, event[i].time, event[i].class, event[i].row));
}

static uint32_t submitted_before(const struct sl_jobs *jobs, sl_time begin)
{
	uint32_t count = 0;
	while (count < jobs->count && jobs->submit[count] < begin)
		count++;
	return count;
}

static int take_up(struct sl_pass *pass, const sl_time *entered, struct past_event *event)
{
	const size_t count = recorded_past(pass, entered, event);
	struct course *course = pass->course;
	pass->course = NULL; /* None yet, while the past is shown. */
	const int status = past_show(pass, event, count, pass->now);
	pass->course = course;
	if (status)
		return status;
	if (pass->nodes)
		nodes_clock(pass->nodes, pass->now);
	room_settle(pass);
	for (uint32_t job = 0; job < pass->submitted; job++) {
		pass_digest(pass, is_gated(pass, job) ? DIGEST_GATED : SL_EV_SUBMIT, job);
		cancel_later(pass, job);
	}
	for (size_t i = 0; i < count && !pass->status; i++)
		if (event[i].class == SL_EV_CLASS_COUNT)
			run_on(pass, event[i].row);
	for (uint32_t job = 0; job < pass->submitted; job++)
		if (pass->uses & SL_USE_PROMISES && is_waiting(pass, job))
			unpromised_put(pass, job);
	note_past(pass, event, count);
	pass->promises_broken = false;
	pass->wake = pass->now;
	if (!pass->status && pass->options.check)
		check_state(pass);
	return pass->status;
}

int begin_recorded(struct sl_pass *pass)
{
	const uint32_t submitted = submitted_before(pass->jobs, pass->scenario->begin);
	struct past_event *event = malloc((3 * (size_t)submitted + 1) * sizeof(*event));
	sl_time *entered = pass->gates ? malloc(((size_t)submitted + 1) * sizeof(*entered)) : NULL;
	int status = !event || (pass->gates && !entered) ? sl_fail_memory(&pass->err) : SL_OK;
	if (!status && pass->gates)
		status = gates_take_up(pass, entered, submitted);
	if (!status)
		status = take_up(pass, entered, event);
	free(entered);
	free(event);
	return status;
}
